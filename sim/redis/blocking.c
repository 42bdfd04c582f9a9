/* blocking.c - pops that wait where there is nothing to pop: BLPOP to BZMPOP. Each first tries what its non-blocking
 * counterpart does; else its connection waits (waiting.c), and the command that brings the key makes the answer. Facts:
 * REDIS-FIDELITY.md section 6. */
#include <math.h>

#include "redis/pops.h"
#include "redis/server.h"

/* Seconds, fractions allowed, rounded up to milliseconds. An overflow becomes negative, as in Redis; a time-out beyond
 * the end of time never ends. */
static bool parse_timeout(const call *c, size_t i, int64_t *timeout_ms, reply *r)
{
    long double seconds;
    if (!parse_long_double(c->argv[i], &seconds)) {
        *r = reply_error(S("ERR timeout is not a float or out of range"));
        return false;
    }
    long double ms = ceill(seconds * 1000);
    bool said = server_follows(c->server, RULE_LONG_TIMEOUT);
    bool too_long = ms > (long double)(said ? INT64_MAX - store_now_ms(c->st) : INT64_MAX);
    if (ms < 0 || too_long) {
        *r = too_long && said ? reply_error(S("ERR timeout is out of range"))
                                                                      : reply_error(S("ERR timeout is negative"));
        return false;
    }
    *timeout_ms = (int64_t)ms;
    return true;
}

/* Nothing was there. Where waiting is not allowed, the answer is that of a time-out. */
static reply wait_for(const call *c, value_kind kind, int64_t timeout_ms, size_t first, size_t n, serve_fn *serve,
                      reply if_not)
{
    if (c->in_script || c->conn->in_exec)
        return if_not;
    waiting_begin(c, &(wait_terms){ .kind = kind, .timeout_ms = timeout_ms, .first = first, .n = n, .serve = serve });
    return reply_nil();
}

/* Pops now, or waits. */
static reply pop_or_wait(const call *c, value_kind kind, int64_t timeout_ms, size_t first, size_t n, serve_fn *serve)
{
    str key;
    value *v;
    reply r;
    if (!pop_first(c, first, n, kind, &key, &v, &r))
        return r;
    return v ? serve(c, key, v) : wait_for(c, kind, timeout_ms, first, n, serve, reply_nil_array());
}

/* key, and the one element or the member and its score */
static reply named(const call *c, str key, reply taken)
{
    reply r = reply_items(c->out, REPLY_ARRAY, 1 + taken.count);
    r.items[0] = reply_bulk(arena_str(c->out, key));
    for (size_t i = 0; i < taken.count; i++)
        r.items[1 + i] = taken.items[i];
    return r;
}

static reply serve_head(const call *c, str key, value *v) { return named(c, key, list_take(c, key, v, false, 1)); }
static reply serve_tail(const call *c, str key, value *v) { return named(c, key, list_take(c, key, v, true, 1)); }
static reply serve_lowest(const call *c, str key, value *v) { return named(c, key, zset_take(c, key, v, false, 1)); }
static reply serve_highest(const call *c, str key, value *v) { return named(c, key, zset_take(c, key, v, true, 1)); }

/* COMMAND key [key ...] timeout */
static reply blocking_pop(const call *c, value_kind kind, serve_fn *serve)
{
    int64_t timeout_ms;
    reply r;
    if (!parse_timeout(c, c->argc - 1, &timeout_ms, &r))
        return r;
    return pop_or_wait(c, kind, timeout_ms, 1, c->argc - 2, serve);
}

static reply cmd_blpop(const call *c) { return blocking_pop(c, VALUE_LIST, serve_head); }
static reply cmd_brpop(const call *c) { return blocking_pop(c, VALUE_LIST, serve_tail); }
static reply cmd_bzpopmin(const call *c) { return blocking_pop(c, VALUE_ZSET, serve_lowest); }
static reply cmd_bzpopmax(const call *c) { return blocking_pop(c, VALUE_ZSET, serve_highest); }

/* The command was checked before it began to wait: it has no errors now. */
static reply serve_several(const call *c, value_kind kind, str key, value *v)
{
    mpop_args a;
    reply r;
    return mpop_parse(c, 2, kind, &a, &r) ? mpop_answer(c, kind, &a, key, v) : r;
}

static reply serve_blmpop(const call *c, str key, value *v) { return serve_several(c, VALUE_LIST, key, v); }
static reply serve_bzmpop(const call *c, str key, value *v) { return serve_several(c, VALUE_ZSET, key, v); }

/* COMMAND timeout numkeys key [key ...] SIDE [COUNT n] */
static reply blocking_mpop(const call *c, value_kind kind, serve_fn *serve)
{
    int64_t timeout_ms;
    mpop_args a;
    reply r;
    /* the time-out is looked at last */
    if (!mpop_parse(c, 2, kind, &a, &r) || !parse_timeout(c, 1, &timeout_ms, &r))
        return r;
    return pop_or_wait(c, kind, timeout_ms, a.first, a.keys, serve);
}

static reply cmd_blmpop(const call *c) { return blocking_mpop(c, VALUE_LIST, serve_blmpop); }
static reply cmd_bzmpop(const call *c) { return blocking_mpop(c, VALUE_ZSET, serve_bzmpop); }

static reply serve_brpoplpush(const call *c, str key, value *v)
{
    (void)key, (void)v;
    return list_move(c, true, false);
}

static reply serve_blmove(const call *c, str key, value *v)
{
    bool from_tail, to_tail;
    (void)key, (void)v;
    return list_side(c, 3, &from_tail) && list_side(c, 4, &to_tail) ? list_move(c, from_tail, to_tail) : reply_syntax();
}

/* COMMAND source destination [sides] timeout */
static reply blocking_move(const call *c, serve_fn *serve)
{
    int64_t timeout_ms;
    value *v;
    reply r;
    if (!parse_timeout(c, c->argc - 1, &timeout_ms, &r) || !find_kind(c, c->argv[1], VALUE_LIST, &v, &r))
        return r;
    return v ? serve(c, c->argv[1], v) : wait_for(c, VALUE_LIST, timeout_ms, 1, 1, serve, reply_nil());
}

static reply cmd_brpoplpush(const call *c) { return blocking_move(c, serve_brpoplpush); }

static reply cmd_blmove(const call *c)
{
    bool tail;
    if (!list_side(c, 3, &tail) || !list_side(c, 4, &tail))
        return reply_syntax();
    return blocking_move(c, serve_blmove);
}

const command commands_blocking[] = {
    { .name = "blpop", -3, CMD_WAITS | CMD_WRITE | CMD_NOSCRIPT, 1, -2, 1, cmd_blpop, .scripts = SINCE(7, 2, 0, 0) },
    { .name = "brpop", -3, CMD_WAITS | CMD_WRITE | CMD_NOSCRIPT, 1, -2, 1, cmd_brpop, .scripts = SINCE(7, 2, 0, 0) },
    { .name = "blmove", 6, CMD_WAITS | CMD_WRITE | CMD_NOSCRIPT | CMD_DENYOOM, 1, 2, 1, cmd_blmove,
      .scripts = SINCE(7, 2, 0, 0) },
    { .name = "brpoplpush", 4, CMD_WAITS | CMD_WRITE | CMD_NOSCRIPT | CMD_DENYOOM, 1, 2, 1, cmd_brpoplpush,
      .scripts = SINCE(7, 2, 0, 0) },
    { .name = "blmpop", -5, CMD_WAITS | CMD_WRITE | CMD_NUMKEYS, 2, 0, 0, cmd_blmpop },
    { .name = "bzpopmin", -3, CMD_WAITS | CMD_WRITE | CMD_NOSCRIPT, 1, -2, 1, cmd_bzpopmin,
      .scripts = SINCE(7, 2, 0, 0) },
    { .name = "bzpopmax", -3, CMD_WAITS | CMD_WRITE | CMD_NOSCRIPT, 1, -2, 1, cmd_bzpopmax,
      .scripts = SINCE(7, 2, 0, 0) },
    { .name = "bzmpop", -5, CMD_WAITS | CMD_WRITE | CMD_NUMKEYS, 2, 0, 0, cmd_bzmpop },
    { .name = NULL },
};
