/* list.c - the list commands of Redis 7.0. Each parses everything it must, looks, then writes.
 * Facts: REDIS-FIDELITY.md sections 6 and 8; the order of the checks is part of them. */
#include "redis/pops.h"
#include "redis/server.h"

/* An element as a reply that outlives the list. */
static reply element(const call *c, const value *v, size_t i)
{
    return reply_bulk(arena_str(c->out, list_at(v, i)));
}

static reply elements(const call *c, const value *v, size_t from, size_t n)
{
    reply r = reply_items(c->out, REPLY_ARRAY, n);
    for (size_t i = 0; i < n; i++)
        r.items[i] = element(c, v, from + i);
    return r;
}

static happened pushed(bool tail) { return (happened){ NOTIFY_LIST, tail ? "rpush" : "lpush" }; }
static happened popped(bool tail) { return (happened){ NOTIFY_LIST, tail ? "rpop" : "lpop" }; }

static reply push(const call *c, bool tail, bool only_existing)
{
    value *v;
    reply r;
    if (!find_kind(c, c->argv[1], VALUE_LIST, &v, &r))
        return r;
    if (!v && only_existing)
        return reply_integer(0);
    if (!v && !find_or_create(c, c->argv[1], VALUE_LIST, &v, &r))
        return r;
    list_expect(v, c->argv + 2, c->argc - 2);
    for (size_t i = 2; i < c->argc; i++)
        list_push(v, tail, c->argv[i]);
    collection_changed(c, c->argv[1], pushed(tail));
    return reply_integer((int64_t)value_count(v));
}

static reply cmd_lpush(const call *c) { return push(c, false, false); }
static reply cmd_rpush(const call *c) { return push(c, true, false); }
static reply cmd_lpushx(const call *c) { return push(c, false, true); }
static reply cmd_rpushx(const call *c) { return push(c, true, true); }

reply list_take(const call *c, str key, value *v, bool tail, int64_t n)
{
    size_t have = value_count(v), count = n > (int64_t)have ? have : (size_t)n;
    reply r = reply_items(c->out, REPLY_ARRAY, count);
    for (size_t i = 0; i < count; i++) {
        r.items[i] = element(c, v, tail ? value_count(v) - 1 : 0);
        list_pop(v, tail);
    }
    if (count)
        collection_changed(c, key, popped(tail));
    return r;
}

/* LPOP|RPOP key [count] */
static reply pop(const call *c, bool tail, const char *name)
{
    if (c->argc > 3)
        return reply_bad_arity(c, name);
    bool has_count = c->argc == 3;
    int64_t n = 1;
    if (has_count && !parse_int_within(c->argv[2], 0, INT64_MAX, &n))
        return reply_not_positive();
    value *v;
    reply r;
    if (!find_kind(c, c->argv[1], VALUE_LIST, &v, &r))
        return r;
    if (!v)
        return has_count ? reply_nil_array() : reply_nil();
    r = list_take(c, c->argv[1], v, tail, n);
    return has_count ? r : r.items[0];
}

static reply cmd_lpop(const call *c) { return pop(c, false, "lpop"); }
static reply cmd_rpop(const call *c) { return pop(c, true, "rpop"); }

static reply cmd_llen(const call *c) { return collection_count(c, VALUE_LIST); }

/* A position as LINDEX and LSET read it; false if the list has no such element. */
static bool position(const value *v, int64_t index, size_t *i)
{
    size_t n;
    return range_clamp(index, index, value_count(v), i, &n);
}

static reply cmd_lindex(const call *c)
{
    value *v;
    reply r;
    int64_t index;
    size_t i;
    if (!find_kind(c, c->argv[1], VALUE_LIST, &v, &r))
        return r;
    if (!v)
        return reply_nil();                        /* before the index is looked at */
    if (!parse_int(c->argv[2], &index))
        return reply_not_integer();
    return position(v, index, &i) ? element(c, v, i) : reply_nil();
}

static reply cmd_lset(const call *c)
{
    value *v;
    reply r;
    int64_t index;
    size_t i;
    if (!find_kind(c, c->argv[1], VALUE_LIST, &v, &r))
        return r;
    if (!v)
        return reply_no_such_key();
    if (!parse_int(c->argv[2], &index))
        return reply_not_integer();
    if (server_follows(c->server, RULE_LSET_INT) && value_packing(v) != UNPACKED)
        index = (int32_t)(uint32_t)(uint64_t)index;
    if (!position(v, index, &i))
        return reply_error(S("ERR index out of range"));
    list_expect(v, c->argv + 3, 1);
    list_set(v, i, c->argv[3]);
    collection_changed(c, c->argv[1], (happened){ NOTIFY_LIST, "lset" });
    return reply_ok();
}

/* LINSERT key BEFORE|AFTER pivot element */
static reply cmd_linsert(const call *c)
{
    bool after = arg_is(c, 2, S("after"));
    value *v;
    reply r;
    if (!after && !arg_is(c, 2, S("before")))
        return reply_syntax();
    if (!find_kind(c, c->argv[1], VALUE_LIST, &v, &r))
        return r;
    if (!v)
        return reply_integer(0);
    size_t i = 0, n = value_count(v);
    while (i < n && !str_eq(list_at(v, i), c->argv[3]))
        i++;
    if (i == n)
        return reply_integer(-1);
    list_expect(v, c->argv + 4, 1);
    list_insert(v, i + after, c->argv[4]);
    collection_changed(c, c->argv[1], (happened){ NOTIFY_LIST, "linsert" });
    return reply_integer((int64_t)n + 1);
}

/* A new list of the elements of `v` that do not equal `element`, or stand outside [from, to). */
static value *without(const value *v, str element, size_t from, size_t to)
{
    value *kept = value_new(VALUE_LIST);
    for (size_t i = 0; i < value_count(v); i++)
        if (i < from || i >= to || !str_eq(list_at(v, i), element))
            list_push(kept, true, list_at(v, i));
    value_unpack(kept, value_packing(v));
    return kept;
}

/* LREM key count element: the first `count` from the head, the last -count from the tail, or all for 0. */
/* An integer; by RULE_OPPOSITES any but the smallest. */
static bool parse_signed_count(const call *c, size_t at, int64_t *n, reply *r)
{
    if (server_follows(c->server, RULE_OPPOSITES))
        return parse_random_count(c, at, n, r);
    return parse_int(c->argv[at], n) || (*r = reply_not_integer(), false);
}

static reply cmd_lrem(const call *c)
{
    int64_t count;
    value *v;
    reply r;
    if (!parse_signed_count(c, 2, &count, &r) || !find_kind(c, c->argv[1], VALUE_LIST, &v, &r))
        return r;
    bool from_tail = count < 0;
    uint64_t most = count > 0 ? (uint64_t)count : count < 0 ? -(uint64_t)count : UINT64_MAX, found = 0;
    size_t n = v ? value_count(v) : 0, looked = 0, last = 0;
    for (; looked < n && found < most; looked++) {
        size_t i = from_tail ? n - 1 - looked : looked;
        if (str_eq(list_at(v, i), c->argv[3])) {
            found++;
            last = i;
        }
    }
    if (found == 1) {
        list_remove(v, last, 1);
    } else if (found > 1) {                        /* in one pass, whatever the number */
        value *kept = without(v, c->argv[3], from_tail ? last : 0, from_tail ? n : last + 1);
        store_put(c->st, c->db, c->argv[1], kept, true);
        list_shrank(kept);
    }
    if (found > 0)
        collection_changed(c, c->argv[1], (happened){ NOTIFY_LIST, "lrem" });
    return reply_integer((int64_t)found);
}

static reply cmd_lrange(const call *c)
{
    int64_t start, end;
    value *v;
    reply r;
    size_t from, n;
    if (!parse_int(c->argv[2], &start) || !parse_int(c->argv[3], &end))
        return reply_not_integer();
    if (!find_kind(c, c->argv[1], VALUE_LIST, &v, &r))
        return r;
    if (!v || !range_clamp(start, end, value_count(v), &from, &n))
        return reply_items(c->out, REPLY_ARRAY, 0);
    return elements(c, v, from, n);
}

static reply cmd_ltrim(const call *c)
{
    int64_t start, end;
    value *v;
    reply r;
    size_t from, n;
    if (!parse_int(c->argv[2], &start) || !parse_int(c->argv[3], &end))
        return reply_not_integer();
    if (!find_kind(c, c->argv[1], VALUE_LIST, &v, &r))
        return r;
    if (!v)
        return reply_ok();
    if (!range_clamp(start, end, value_count(v), &from, &n))
        from = 0, n = 0;
    bool cut = n < value_count(v);
    if (value_count(v) > from + n)
        list_remove(v, from + n, value_count(v) - from - n);
    if (from > 0)
        list_remove(v, 0, from);
    if (cut || !server_follows(c->server, RULE_TRIM_MUST_CUT))
        collection_changed(c, c->argv[1], (happened){ NOTIFY_LIST, "ltrim" });
    else
        notify(c, NOTIFY_LIST, "ltrim", c->argv[1]);       /* the event is published all the same */
    return reply_ok();
}

typedef struct {
    int64_t rank, count, most;                     /* count -1: not given; most 0: compare with all */
} lpos_args;

static bool lpos_parse(const call *c, lpos_args *a, reply *r)
{
    *a = (lpos_args){ .rank = 1, .count = -1 };
    for (size_t i = 3; i < c->argc; i += 2) {
        bool has_value = i + 1 < c->argc;
        if (has_value && arg_is(c, i, S("rank"))) {
            if (!parse_signed_count(c, i + 1, &a->rank, r))
                return false;
            if (a->rank == 0)
                return *r = reply_error(S("ERR RANK can't be zero: use 1 to start from the first match, 2 from the "
                                          "second ... or use negative to start from the end of the list")), false;
        } else if (has_value && arg_is(c, i, S("count"))) {
            if (!parse_int_within(c->argv[i + 1], 0, INT64_MAX, &a->count))
                return *r = reply_error(S("ERR COUNT can't be negative")), false;
        } else if (has_value && arg_is(c, i, S("maxlen"))) {
            if (!parse_int_within(c->argv[i + 1], 0, INT64_MAX, &a->most))
                return *r = reply_error(S("ERR MAXLEN can't be negative")), false;
        } else {
            return *r = reply_syntax(), false;
        }
    }
    return true;
}

/* LPOS key element [RANK rank] [COUNT n] [MAXLEN len] */
static reply cmd_lpos(const call *c)
{
    lpos_args a;
    value *v;
    reply r;
    if (!lpos_parse(c, &a, &r) || !find_kind(c, c->argv[1], VALUE_LIST, &v, &r))
        return r;
    size_t n = v ? value_count(v) : 0, found = 0, looked = 0;
    bool from_tail = a.rank < 0;
    /* the smallest integer has no opposite: it skips none */
    int64_t skip = a.rank == INT64_MIN ? 0 : (from_tail ? -a.rank : a.rank) - 1;
    size_t most = a.count > 0 ? (size_t)a.count : a.count < 0 ? 1 : n;
    int64_t *at = ARENA_ARRAY(c->out, int64_t, n ? n : 1);
    for (; looked < n && found < most && (a.most == 0 || looked < (size_t)a.most); looked++) {
        size_t i = from_tail ? n - 1 - looked : looked;
        if (str_eq(list_at(v, i), c->argv[2]) && --skip < 0)
            at[found++] = (int64_t)i;
    }
    if (a.count < 0)
        return found ? reply_integer(at[0]) : reply_nil();
    r = reply_items(c->out, REPLY_ARRAY, found);
    for (size_t i = 0; i < found; i++)
        r.items[i] = reply_integer(at[i]);
    return r;
}

/* Source and destination may be one list, which then rotates. */
reply list_move(const call *c, bool from_tail, bool to_tail)
{
    str from = c->argv[1], to = c->argv[2];
    value *source, *target;
    reply r;
    if (!find_kind(c, from, VALUE_LIST, &source, &r))
        return r;
    if (!source)
        return reply_nil();                        /* the destination is not even looked at */
    if (!find_kind(c, to, VALUE_LIST, &target, &r))
        return r;
    r = element(c, source, from_tail ? value_count(source) - 1 : 0);
    list_pop(source, from_tail);
    if (target == source) {
        list_expect(source, &r.text, 1);
        list_push(source, to_tail, r.text);
    } else {
        reply unused;
        bool is_list = find_or_create(c, to, VALUE_LIST, &target, &unused);
        if (is_list) {
            list_expect(target, &r.text, 1);
            list_push(target, to_tail, r.text);
        }
    }
    collection_changed(c, to, pushed(to_tail));
    collection_changed(c, from, popped(from_tail));
    return r;
}

bool list_side(const call *c, size_t i, bool *tail)
{
    *tail = arg_is(c, i, S("right"));
    return *tail || arg_is(c, i, S("left"));
}

static reply cmd_rpoplpush(const call *c) { return list_move(c, true, false); }

static reply cmd_lmove(const call *c)
{
    bool from_tail, to_tail;
    if (!list_side(c, 3, &from_tail) || !list_side(c, 4, &to_tail))
        return reply_syntax();
    return list_move(c, from_tail, to_tail);
}

const command commands_list[] = {
    { .name = "lpush", -3, CMD_WRITE | CMD_DENYOOM | CMD_FLAT, 1, 1, 1, cmd_lpush },
    { .name = "rpush", -3, CMD_WRITE | CMD_DENYOOM | CMD_FLAT, 1, 1, 1, cmd_rpush },
    { .name = "lpushx", -3, CMD_WRITE | CMD_DENYOOM | CMD_FLAT, 1, 1, 1, cmd_lpushx },
    { .name = "rpushx", -3, CMD_WRITE | CMD_DENYOOM | CMD_FLAT, 1, 1, 1, cmd_rpushx },
    { .name = "lpop", -2, CMD_WRITE | CMD_FLAT, 1, 1, 1, cmd_lpop },
    { .name = "rpop", -2, CMD_WRITE | CMD_FLAT, 1, 1, 1, cmd_rpop },
    { .name = "llen", 2, CMD_READONLY | CMD_FLAT, 1, 1, 1, cmd_llen },
    { .name = "lindex", 3, CMD_READONLY | CMD_FLAT, 1, 1, 1, cmd_lindex },
    { .name = "lset", 4, CMD_WRITE | CMD_DENYOOM, 1, 1, 1, cmd_lset },
    { .name = "linsert", 5, CMD_WRITE | CMD_DENYOOM, 1, 1, 1, cmd_linsert },
    { .name = "lrem", 4, CMD_WRITE, 1, 1, 1, cmd_lrem },
    { .name = "lrange", 4, CMD_READONLY, 1, 1, 1, cmd_lrange },
    { .name = "ltrim", 4, CMD_WRITE, 1, 1, 1, cmd_ltrim },
    { .name = "lpos", -3, CMD_READONLY, 1, 1, 1, cmd_lpos },
    { .name = "rpoplpush", 3, CMD_WRITE | CMD_DENYOOM, 1, 2, 1, cmd_rpoplpush },
    { .name = "lmove", 5, CMD_WRITE | CMD_DENYOOM, 1, 2, 1, cmd_lmove },
    { .name = NULL },
};
