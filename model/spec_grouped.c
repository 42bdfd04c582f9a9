/* spec_grouped.c - the reference specification of one lock over several values, each with its own owner: all are taken
 * at once, or none. Pure functions as in spec.c.
 *
 * In the server's account a holder without a mode has all values of the lock, one with the mode "part" some: through
 * another lock that shares them, or because others have expired. A holder's count is the largest among its values. */
#include "model/spec.h"

bool spec_has_all(const kept_view *v, str who)
{
    return view_holder(v, who, S("")) != NULL;
}

/* Where the values begin in "{group}:x y": after the first colon behind the group's hash tag, or behind its name. */
static size_t values_at(str name)
{
    size_t tag = str_find(name, '}', 0), colon = str_find(name, ':', tag < name.n ? tag : 0);
    return colon < name.n ? colon + 1 : name.n;
}

/* The next value from *at on; moves past it; empty: none. Values are separated by blanks and commas. */
static str next_value(str name, size_t *at)
{
    size_t from = *at;
    while (from < name.n && (name.p[from] == ' ' || name.p[from] == ','))
        from++;
    size_t to = from;
    while (to < name.n && name.p[to] != ' ' && name.p[to] != ',')
        to++;
    *at = to;
    return str_slice(name, from, to);
}

bool spec_share_values(str a, str b)
{
    size_t first = values_at(a), second = values_at(b);
    if (!str_eq(str_slice(a, 0, first), str_slice(b, 0, second)))
        return false;
    for (str x = next_value(a, &first); x.n; x = next_value(a, &first)) {
        size_t at = second;
        for (str y = next_value(b, &at); y.n; y = next_value(b, &at))
            if (str_eq(x, y))
                return true;
    }
    return false;
}

static str first_other(const kept_view *v, str who)
{
    for (size_t i = 0; i < v->holder_count; i++)
        if (!str_eq(v->holders[i].id, who))
            return v->holders[i].id;
    return S("");
}

/* An owner other than `who` whose holds changed; or empty. */
static str changed_other(const kept_view *before, const kept_view *after, str who)
{
    for (size_t i = 0; i < before->holder_count; i++) {
        str id = before->holders[i].id;
        if (!str_eq(id, who) && view_count(after, id) != before->holders[i].count)
            return id;
    }
    for (size_t i = 0; i < after->holder_count; i++) {
        str id = after->holders[i].id;
        if (!str_eq(id, who) && view_count(before, id) == 0)
            return id;
    }
    return S("");
}

/* An acquire is refused while others have any of the values, and takes all of them otherwise. A release is answered
 * "not the owner" unless it has all; of the remaining ones it may have returned one hold, or none. A renewal may bring
 * back values that expired and that no client has taken since. */
spec_answer spec_judge_grouped(op_kind op, str who, const kept_view *before, const kept_view *after, int64_t now_ms)
{
    static const kept_view nothing = { 0 };
    const kept_view *was = view_free(before, now_ms) ? &nothing : before;
    int64_t had = view_count(was, who), has = view_count(after, who);
    bool all = spec_has_all(was, who);
    bool refused = first_other(was, who).n > 0;
    spec_answer a = { .told = TOLD_ANYTHING, .judged = op != OP_ACQUIRE || !refused, .after_count = had };
    if (op == OP_ACQUIRE) {
        a.told = refused ? TOLD_REFUSED : TOLD_GRANTED;
        a.count = a.after_count = refused ? had : had + 1;
        if (!refused && has == a.after_count && !spec_has_all(after, who))
            a.fault = SPEC_COUNT_WRONG;
    } else if (op == OP_RELEASE) {
        a.told = all ? TOLD_RELEASED : TOLD_LOST;
        a.count = a.after_count = all || (had > 0 && has == had - 1) ? had - 1 : had;
    } else if (op == OP_RENEW) {
        a.told = all ? TOLD_NOT_LOST : TOLD_ANYTHING;
        a.after_count = has > had ? has : had;
    } else if (op == OP_FORCE_RELEASE) {
        a.told = was->holder_count > 0 ? TOLD_RELEASED : TOLD_ANYTHING;
        a.after_count = 0;
        if (after->holder_count > 0) {
            a.fault = SPEC_OTHERS_CHANGED;
            a.whom = after->holders[0].id;
        }
        return a;
    }
    if (has != a.after_count)
        a.fault = SPEC_COUNT_WRONG;
    a.whom = changed_other(was, after, who);
    if (a.fault == SPEC_FINE && a.whom.n)
        a.fault = SPEC_OTHERS_CHANGED;
    return a;
}
