/* view.c - reads the drivers' words: operations, modes, and the server's account of a lock. Pure functions. */
#include "model/view.h"

/* `op` is `word`, or begins with it and an underscore. */
static bool is_word(str op, str word)
{
    return str_starts(op, word) && (op.n == word.n || op.p[word.n] == '_');
}

op_kind op_parse(str op)
{
    static const struct { const char *word; op_kind kind; } known[] = {
        { "acquire", OP_ACQUIRE }, { "try_acquire", OP_ACQUIRE }, { "try_once", OP_ACQUIRE },
        { "try_lock", OP_ACQUIRE },
        { "lock", OP_ACQUIRE }, { "release", OP_RELEASE }, { "unlock", OP_RELEASE }, { "count_down", OP_RELEASE },
        { "renew", OP_RENEW }, { "extend", OP_RENEW },
        { "force_release", OP_FORCE_RELEASE }, { "force_unlock", OP_FORCE_RELEASE }, { "abandon", OP_ABANDON },
        { "leave", OP_ABANDON }, { "subscribe", OP_LISTEN }, { "psubscribe", OP_LISTEN }, { "unsubscribe", OP_LISTEN },
        { "punsubscribe", OP_LISTEN },
    };
    for (size_t i = 0; i < COUNT(known); i++)
        if (is_word(op, str_from(known[i].word)))
            return known[i].kind;
    return OP_OTHER;
}

model_ending model_op_ending(str op)
{
    op_kind kind = op_parse(op);
    return kind == OP_FORCE_RELEASE ? ENDS_ALL : kind == OP_RELEASE ? ENDS_ONE_HOLD : ENDS_NOTHING;
}

bool model_op_asks(str op)
{
    return op_parse(op) == OP_ACQUIRE;
}

bool model_op_renews(str op)
{
    return op_parse(op) == OP_RENEW;
}

mode_kind mode_parse(str mode)
{
    if (str_eq(mode, S("read")))
        return MODE_READ;
    if (str_eq(mode, S("permit")))
        return MODE_PERMIT;
    return MODE_EXCLUSIVE;
}

bool modes_conflict(mode_kind a, mode_kind b)
{
    if (a == MODE_PERMIT || b == MODE_PERMIT)
        return false;
    return a != MODE_READ || b != MODE_READ;
}

int64_t view_count(const kept_view *v, str id)
{
    int64_t sum = 0;
    for (size_t i = 0; i < v->holder_count; i++)
        if (str_eq(v->holders[i].id, id))
            sum += v->holders[i].count;
    return sum;
}

int64_t view_count_mode(const kept_view *v, str id, mode_kind mode)
{
    int64_t sum = 0;
    for (size_t i = 0; i < v->holder_count; i++)
        if (str_eq(v->holders[i].id, id) && mode_parse(v->holders[i].mode) == mode)
            sum += v->holders[i].count;
    return sum;
}

const lock_holder *view_holder(const kept_view *v, str id, str mode)
{
    for (size_t i = 0; i < v->holder_count; i++)
        if (str_eq(v->holders[i].id, id) && str_eq(v->holders[i].mode, mode))
            return &v->holders[i];
    return NULL;
}

bool view_free(const kept_view *v, int64_t now_ms)
{
    return v->holder_count == 0 || (v->has_ttl && v->deadline_ms < now_ms);
}

int64_t view_gain(const kept_view *before, const kept_view *after)
{
    if (before->holder_count == 0 && after->holder_count == 0)
        return before->permits > after->permits ? before->permits - after->permits : 0;
    int64_t gain = 0;      /* permits have names, or owners: what another returned in the same step does not count */
    for (size_t i = 0; i < after->holder_count; i++) {
        const lock_holder *is = &after->holders[i], *was = view_holder(before, is->id, is->mode);
        int64_t had = was ? was->count : 0;
        gain += is->count > had ? is->count - had : 0;
    }
    return gain;
}

bool view_lapsed(const kept_view *v, str id)
{
    size_t i = 0;
    while (i < v->lapsed_count && !str_eq(v->lapsed[i], id))
        i++;
    return i < v->lapsed_count;
}

size_t view_place(const kept_view *v, str id)
{
    size_t i = 0;
    while (i < v->queue_count && !str_eq(v->queue[i], id))
        i++;
    return i;
}

int64_t time_after(int64_t at_ms, int64_t ms)
{
    if (ms > 0 && at_ms > NEVER_MS - 1 - ms)
        return NEVER_MS - 1;
    if (ms < 0 && at_ms < INT64_MIN - ms)
        return INT64_MIN;
    return at_ms + ms;
}
