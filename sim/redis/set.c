/* set.c - the set commands of Redis 7.0. Where Redis leaves the order open, the result is sorted (value.h says how).
 * Facts: REDIS-FIDELITY.md sections 6 and 8. */
#include "redis/collection.h"

static reply member_at(const call *c, const value *v, size_t i) { return reply_bulk(arena_str(c->out, set_at(v, i))); }

static reply members(const call *c, reply_kind kind, const value *v)
{
    reply r = reply_items(c->out, kind, v ? value_count(v) : 0);
    for (size_t i = 0; i < r.count; i++)
        r.items[i] = member_at(c, v, i);
    return r;
}

static reply cmd_sadd(const call *c)
{
    value *v;
    reply r;
    if (!find_or_create(c, c->argv[1], VALUE_SET, &v, &r))
        return r;
    int64_t added = 0;
    collection_expect(c, v, c->argv[2], c->argc - 2);
    for (size_t i = 2; i < c->argc; i++)
        added += set_add(v, c->argv[i]);
    if (added)
        collection_changed(c, c->argv[1], (happened){ NOTIFY_SET, "sadd" });
    return reply_integer(added);
}

static reply cmd_srem(const call *c)
{
    return collection_remove(c, VALUE_SET, set_del, (happened){ NOTIFY_SET, "srem" });
}
static reply cmd_scard(const call *c) { return collection_count(c, VALUE_SET); }

static reply cmd_sismember(const call *c)
{
    value *v;
    reply r;
    if (!find_kind(c, c->argv[1], VALUE_SET, &v, &r))
        return r;
    return reply_integer(v && set_has(v, c->argv[2]));
}

static reply cmd_smismember(const call *c)
{
    value *v;
    reply r;
    if (!find_kind(c, c->argv[1], VALUE_SET, &v, &r))
        return r;
    r = reply_items(c->out, REPLY_ARRAY, c->argc - 2);
    for (size_t i = 2; i < c->argc; i++)
        r.items[i - 2] = reply_integer(v && set_has(v, c->argv[i]));
    return r;
}

static reply cmd_smembers(const call *c)
{
    value *v;
    reply r;
    if (!find_kind(c, c->argv[1], VALUE_SET, &v, &r))
        return r;
    return members(c, REPLY_SET, v);
}

/* SMOVE source destination member. A missing source is 0 even if the destination is no set. */
static reply cmd_smove(const call *c)
{
    str from = c->argv[1], to = c->argv[2], member = c->argv[3];
    value *source, *target;
    reply r;
    /* Both are looked up first, even where there is no source: expired, they are gone, in this order. */
    store_find(c->st, c->db, from);
    store_find(c->st, c->db, to);
    if (!find_kind(c, from, VALUE_SET, &source, &r))
        return r;
    if (!source)
        return reply_integer(0);
    if (!find_kind(c, to, VALUE_SET, &target, &r))
        return r;
    if (source == target)
        return reply_integer(set_has(source, member));
    if (!set_del(source, member))
        return reply_integer(0);
    /* may free `source`, and may move `target` in the store */
    collection_changed(c, from, (happened){ NOTIFY_SET, "srem" });
    if (find_or_create(c, to, VALUE_SET, &target, &r) && set_add(target, member))
        collection_changed(c, to, (happened){ NOTIFY_SET, "sadd" });
    return reply_integer(1);
}

/* SPOP key [count]: where one in six is left, or less, a server takes these out instead. */
static reply cmd_spop(const call *c)
{
    enum { FEW = 5 };
    bool has_count = c->argc == 3;
    int64_t count = 1;
    value *v;
    reply r;
    if (c->argc > 3)
        return reply_syntax();
    if (has_count && !parse_int_within(c->argv[2], 0, INT64_MAX, &count))
        return reply_not_positive();
    if (!find_kind(c, c->argv[1], VALUE_SET, &v, &r))
        return r;
    if (!v && !has_count)
        return reply_nil();
    size_t have = v ? value_count(v) : 0, n = count > (int64_t)have ? have : (size_t)count;
    size_t *at = draw_distinct(c, have, n);
    r = reply_items(c->out, REPLY_SET, n);
    for (size_t i = 0; i < n; i++)
        r.items[i] = member_at(c, v, at[i]);
    for (size_t i = 0; i < n; i++)
        set_del(v, r.items[i].text);
    if (v && n < have && (have - n) * FEW <= n)
        set_rebuilt(v);
    if (n)
        collection_changed(c, c->argv[1], (happened){ NOTIFY_SET, "spop" });
    return has_count ? r : r.items[0];
}

/* SRANDMEMBER key [count]: distinct members for a positive count, with repetition for a negative one. */
static reply cmd_srandmember(const call *c)
{
    bool has_count = c->argc == 3;
    int64_t count = 1;
    value *v;
    reply r;
    if (c->argc > 3)
        return reply_syntax();
    if (has_count && !parse_random_count(c, 2, &count, &r))
        return r;
    if (!find_kind(c, c->argv[1], VALUE_SET, &v, &r))
        return r;
    if (!v && !has_count)
        return reply_nil();
    size_t n, *at;
    if (!draw_counted(c, v ? value_count(v) : 0, count, &at, &n, &r))
        return r;
    r = reply_items(c->out, REPLY_ARRAY, n);
    for (size_t i = 0; i < n; i++)
        r.items[i] = member_at(c, v, at[i]);
    return has_count ? r : r.items[0];
}

static reply cmd_sscan(const call *c)
{
    value *v;
    str pattern = { 0 };
    reply r;
    if (!scan_cursor_ok(c, c->argv[2]))
        return reply_error(S("ERR invalid cursor"));
    if (!find_kind(c, c->argv[1], VALUE_SET, &v, &r))
        return r;
    if (v && !scan_options(c, 3, &pattern, &r))    /* options are read only if the key is there */
        return r;
    r = members(c, REPLY_ARRAY, v);
    size_t kept = 0;
    for (size_t i = 0; i < r.count; i++)
        if (!pattern.p || glob_match(pattern, r.items[i].text))
            r.items[kept++] = r.items[i];
    r.count = kept;
    return scan_reply(c, r);
}

typedef enum { UNION, INTERSECTION, DIFFERENCE } operation;

/* Finds the sets argv[from .. from+n): absent keys are NULL. Every key is checked, even when the result is known. */
static bool find_sets(const call *c, size_t from, size_t n, value ***sets, reply *r)
{
    *sets = ARENA_ARRAY(c->out, value *, n);
    for (size_t i = 0; i < n; i++)
        if (!find_kind(c, c->argv[from + i], VALUE_SET, &(*sets)[i], r))
            return false;
    return true;
}

/* Is the member in all (or, for `any`, in some) of sets[1..n)? */
static bool in_others(value **sets, size_t n, str member, bool any)
{
    for (size_t i = 1; i < n; i++)
        if ((sets[i] && set_has(sets[i], member)) == any)
            return any;
    return !any;
}

/* A new set; the caller frees it or puts it in the store. */
static value *combine(operation op, value **sets, size_t n)
{
    value *result = value_new(VALUE_SET);
    size_t sources = op == UNION ? n : 1;
    for (size_t s = 0; s < sources; s++)
        for (size_t i = 0; sets[s] && i < value_count(sets[s]); i++) {
            str member = set_at(sets[s], i);
            if (op == UNION || in_others(sets, n, member, op == DIFFERENCE) == (op == INTERSECTION))
                set_add(result, member);
        }
    return result;
}

static reply combined(const call *c, operation op)
{
    value **sets;
    reply r;
    if (!find_sets(c, 1, c->argc - 1, &sets, &r))
        return r;
    value *result = combine(op, sets, c->argc - 1);
    r = members(c, REPLY_SET, result);
    value_free(result);
    return r;
}

static reply stored(const call *c, operation op, const char *event)
{
    value **sets;
    reply r;
    if (!find_sets(c, 2, c->argc - 2, &sets, &r))
        return r;
    return collection_store(c, c->argv[1], combine(op, sets, c->argc - 2), (happened){ NOTIFY_SET, event });
}

static reply cmd_sinter(const call *c) { return combined(c, INTERSECTION); }
static reply cmd_sunion(const call *c) { return combined(c, UNION); }
static reply cmd_sdiff(const call *c) { return combined(c, DIFFERENCE); }
static reply cmd_sinterstore(const call *c) { return stored(c, INTERSECTION, "sinterstore"); }
static reply cmd_sunionstore(const call *c) { return stored(c, UNION, "sunionstore"); }
static reply cmd_sdiffstore(const call *c) { return stored(c, DIFFERENCE, "sdiffstore"); }

/* SINTERCARD numkeys key [key ...] [LIMIT n] */
static reply cmd_sintercard(const call *c)
{
    int64_t keys, limit = 0;
    value **sets;
    reply r;
    if (!parse_numkeys(c, 1, &keys, &r))
        return r;
    if (keys > (int64_t)c->argc - 2)
        return reply_error(S("ERR Number of keys can't be greater than number of args"));
    for (size_t i = 2 + (size_t)keys; i < c->argc; i += 2) {
        if (i + 1 >= c->argc || !arg_is(c, i, S("limit")))
            return reply_syntax();
        if (!parse_int_within(c->argv[i + 1], 0, INT64_MAX, &limit))
            return reply_error(S("ERR LIMIT can't be negative"));
    }
    if (!find_sets(c, 2, (size_t)keys, &sets, &r))
        return r;
    value *result = combine(INTERSECTION, sets, (size_t)keys);
    int64_t count = (int64_t)value_count(result);
    value_free(result);
    return reply_integer(limit > 0 && count > limit ? limit : count);
}

const command commands_set[] = {
    { .name = "sadd", -3, CMD_WRITE | CMD_DENYOOM, 1, 1, 1, cmd_sadd },
    { .name = "srem", -3, CMD_WRITE, 1, 1, 1, cmd_srem },
    { .name = "sismember", 3, CMD_READONLY | CMD_FLAT, 1, 1, 1, cmd_sismember },
    { .name = "smismember", -3, CMD_READONLY, 1, 1, 1, cmd_smismember },
    { .name = "smembers", 2, CMD_READONLY, 1, 1, 1, cmd_smembers },
    { .name = "scard", 2, CMD_READONLY | CMD_FLAT, 1, 1, 1, cmd_scard },
    { .name = "smove", 4, CMD_WRITE, 1, 2, 1, cmd_smove },
    { .name = "spop", -2, CMD_WRITE, 1, 1, 1, cmd_spop },
    { .name = "srandmember", -2, CMD_READONLY, 1, 1, 1, cmd_srandmember },
    { .name = "sscan", -3, CMD_READONLY, 1, 1, 1, cmd_sscan },
    { .name = "sinter", -2, CMD_READONLY, 1, -1, 1, cmd_sinter },
    { .name = "sunion", -2, CMD_READONLY, 1, -1, 1, cmd_sunion },
    { .name = "sdiff", -2, CMD_READONLY, 1, -1, 1, cmd_sdiff },
    { .name = "sinterstore", -3, CMD_WRITE | CMD_DENYOOM, 1, -1, 1, cmd_sinterstore },
    { .name = "sunionstore", -3, CMD_WRITE | CMD_DENYOOM, 1, -1, 1, cmd_sunionstore },
    { .name = "sdiffstore", -3, CMD_WRITE | CMD_DENYOOM, 1, -1, 1, cmd_sdiffstore },
    { .name = "sintercard", -3, CMD_READONLY | CMD_NUMKEYS, 1, 0, 0, cmd_sintercard },
    { .name = NULL },
};
