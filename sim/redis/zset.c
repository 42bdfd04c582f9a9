/* zset.c - sorted-set commands on single members: adding, scoring, ranking, popping; and the rows of the whole family.
 * Facts: REDIS-FIDELITY.md sections 6 and 8. */
#include "redis/pops.h"
#include "redis/server.h"
#include "redis/zset.h"

#include <math.h>

reply zset_reply(const call *c, const value *v, size_t first, int step, size_t n, bool with_scores)
{
    reply r = reply_items(c->out, REPLY_ARRAY, with_scores ? 2 * n : n);
    r.pairs = with_scores;
    for (size_t i = 0, rank = first; i < r.count; rank = step < 0 ? rank - 1 : rank + 1) {
        double score;
        r.items[i++] = reply_bulk(arena_str(c->out, zset_at(v, rank, &score)));
        if (with_scores)
            r.items[i++] = score_reply(c, score);
    }
    return r;
}

void zset_cut(value *v, size_t from, size_t n)
{
    for (; n > 0; n--)
        zset_del(v, zset_member(v, from));
}

/* ZADD's options, and where the score-member pairs begin. */
typedef struct {
    bool nx, xx, gt, lt, ch, incr;
    size_t pairs_at, pairs;
    double *scores;
} zadd_args;

static bool zadd_option(const call *c, size_t i, zadd_args *a)
{
    bool *const flag[] = { &a->nx, &a->xx, &a->gt, &a->lt, &a->ch, &a->incr };
    static const str word[] = { { "nx", 2 }, { "xx", 2 }, { "gt", 2 }, { "lt", 2 }, { "ch", 2 }, { "incr", 4 } };
    if (c->argv[i].n > word[COUNT(word) - 1].n)    /* as most scores are */
        return false;
    for (size_t k = 0; k < COUNT(word); k++)
        if (arg_is(c, i, word[k]))
            return *flag[k] = true;
    return false;
}

/* The first word that is no option ends the options. */
static bool zadd_parse(const call *c, zadd_args *a, reply *r)
{
    size_t i = 2;
    while (i < c->argc && zadd_option(c, i, a))
        i++;
    a->pairs_at = i;
    a->pairs = (c->argc - i) / 2;
    if (a->pairs == 0 || (c->argc - i) % 2)
        return *r = reply_syntax(), false;
    if (a->nx && a->xx)
        return *r = reply_error(S("ERR XX and NX options at the same time are not compatible")), false;
    if ((a->gt && a->nx) || (a->lt && a->nx) || (a->gt && a->lt))
        return *r = reply_error(S("ERR GT, LT, and/or NX options at the same time are not compatible")), false;
    if (a->incr && a->pairs > 1)
        return *r = reply_error(S("ERR INCR option supports a single increment-element pair")), false;
    a->scores = ARENA_ARRAY(c->out, double, a->pairs);
    for (size_t k = 0; k < a->pairs; k++)
        if (!parse_score(c, c->argv[i + 2 * k], &a->scores[k]))
            return *r = reply_not_float(), false;
    return true;
}

typedef enum { REFUSED, UNCHANGED, UPDATED, ADDED, NOT_A_NUMBER } zadd_outcome;

/* One pair; *score becomes the new score where there is one. */
static zadd_outcome zadd_one(const call *c, value *v, const zadd_args *a, str member, double *score)
{
    double old;
    if (!zset_score(v, member, &old)) {
        if (a->xx)
            return REFUSED;
        zset_put(v, member, *score);
        return ADDED;
    }
    if (a->nx)
        return REFUSED;
    if (a->incr)
        *score += old;
    if (isnan(*score))
        return NOT_A_NUMBER;
    if (a->lt || a->gt || a->ch)
        server_compares(c->server, *score, old);
    if ((a->lt && *score >= old) || (a->gt && *score <= old))
        return REFUSED;
    if (*score == old)
        return UNCHANGED;
    zset_put(v, member, *score);
    return UPDATED;
}

static reply add(const call *c, zadd_args a)
{
    value *v;
    reply r;
    if (!zadd_parse(c, &a, &r) || !find_kind(c, c->argv[1], VALUE_ZSET, &v, &r))
        return r;
    if (!v && a.xx)
        return a.incr ? reply_nil() : reply_integer(0);
    if (!v && !find_or_create(c, c->argv[1], VALUE_ZSET, &v, &r))
        return r;
    int64_t added = 0, updated = 0, passed = 0;
    collection_expect(c, v, c->argv[a.pairs_at + 1], a.pairs);
    for (size_t k = 0; k < a.pairs; k++) {
        zadd_outcome o = zadd_one(c, v, &a, c->argv[a.pairs_at + 2 * k + 1], &a.scores[k]);
        if (o == NOT_A_NUMBER)                     /* only INCR gets here, and INCR has one pair: nothing was written */
            return reply_error(S("ERR resulting score is not a number (NaN)"));
        added += o == ADDED;
        updated += o == UPDATED;
        passed += o != REFUSED;
    }
    if (added || updated)
        collection_changed(c, c->argv[1], (happened){ NOTIFY_ZSET, a.incr ? "zincr" : "zadd" });
    if (a.incr)
        return passed ? score_reply(c, a.scores[0]) : reply_nil();
    return reply_integer(a.ch ? added + updated : added);
}

static reply cmd_zadd(const call *c) { return add(c, (zadd_args){ 0 }); }
/* ZINCRBY is ZADD INCR down to its option parser: an increment of "nx" is a syntax error, not a bad float. */
static reply cmd_zincrby(const call *c) { return add(c, (zadd_args){ .incr = true }); }

static reply cmd_zrem(const call *c)
{
    return collection_remove(c, VALUE_ZSET, zset_del, (happened){ NOTIFY_ZSET, "zrem" });
}
static reply cmd_zcard(const call *c) { return collection_count(c, VALUE_ZSET); }

static reply member_score(const call *c, const value *v, str member)
{
    double score;
    return v && zset_score(v, member, &score) ? score_reply(c, score) : reply_nil();
}

static reply cmd_zscore(const call *c)
{
    value *v;
    reply r;
    if (!find_kind(c, c->argv[1], VALUE_ZSET, &v, &r))
        return r;
    return member_score(c, v, c->argv[2]);
}

static reply cmd_zmscore(const call *c)
{
    value *v;
    reply r;
    if (!find_kind(c, c->argv[1], VALUE_ZSET, &v, &r))
        return r;
    r = reply_items(c->out, REPLY_ARRAY, c->argc - 2);
    for (size_t i = 2; i < c->argc; i++)
        r.items[i - 2] = member_score(c, v, c->argv[i]);
    return r;
}

static reply rank(const call *c, bool from_top)
{
    value *v;
    reply r;
    size_t at;
    bool scored = c->argc > 3;
    if (c->argc > 4)
        return reply_bad_arity(c, from_top ? "zrevrank" : "zrank");
    if (scored && !arg_is(c, 3, S("withscore")))
        return reply_syntax();
    if (!find_kind(c, c->argv[1], VALUE_ZSET, &v, &r))
        return r;
    if (!v || !zset_rank(v, c->argv[2], &at))
        return scored ? reply_nil_array() : reply_nil();
    reply place = reply_integer((int64_t)(from_top ? value_count(v) - 1 - at : at));
    if (!scored)
        return place;
    r = reply_items(c->out, REPLY_ARRAY, 2);
    r.items[0] = place;
    r.items[1] = member_score(c, v, c->argv[2]);
    return r;
}

static reply cmd_zrank(const call *c) { return rank(c, false); }
static reply cmd_zrevrank(const call *c) { return rank(c, true); }

reply zset_take(const call *c, str key, value *v, bool highest, int64_t n)
{
    size_t have = value_count(v), count = n > (int64_t)have ? have : (size_t)n;
    reply r = zset_reply(c, v, highest ? have - 1 : 0, highest ? -1 : 1, count, true);
    zset_cut(v, highest ? have - count : 0, count);
    if (count)
        collection_changed(c, key, (happened){ NOTIFY_ZSET, highest ? "zpopmax" : "zpopmin" });
    return r;
}

/* ZPOPMIN|ZPOPMAX key [count] */
static reply pop(const call *c, bool highest)
{
    int64_t n = 1;
    value *v;
    reply r;
    if (c->argc > 3)
        return reply_syntax();
    if (c->argc == 3 && !parse_int_within(c->argv[2], 0, INT64_MAX, &n))
        return reply_not_positive();
    if (!find_kind(c, c->argv[1], VALUE_ZSET, &v, &r))
        return r;
    if (!v)
        return reply_items(c->out, REPLY_ARRAY, 0);
    r = zset_take(c, c->argv[1], v, highest, n);
    r.pairs = c->argc == 3;                        /* without a count, RESP3 too answers member and score side by
                                                    * side */
    return r;
}

static reply cmd_zpopmin(const call *c) { return pop(c, false); }
static reply cmd_zpopmax(const call *c) { return pop(c, true); }

/* ZRANDMEMBER key [count [WITHSCORES]] */
static reply cmd_zrandmember(const call *c)
{
    bool has_count = c->argc > 2, with_scores = c->argc > 3;
    int64_t count = 1;
    value *v;
    reply r;
    if (has_count && !parse_random_count(c, 2, &count, &r))
        return r;
    if (c->argc > 4 || (with_scores && !arg_is(c, 3, S("withscores"))))
        return reply_syntax();
    if (with_scores && (count < -INT64_MAX / 2 || count > INT64_MAX / 2))
        return reply_error(S("ERR value is out of range"));
    if (!find_kind(c, c->argv[1], VALUE_ZSET, &v, &r))
        return r;
    if (!v && !has_count)
        return reply_nil();
    size_t n, *at, have = v ? value_count(v) : 0;
    if (!draw_counted(c, have, count, &at, &n, &r))
        return r;
    for (size_t i = 0; i < n && count >= (int64_t)have; i++)
        at[i] = have - 1 - i;                      /* all of them: the highest score first */
    r = reply_items(c->out, REPLY_ARRAY, with_scores ? 2 * n : n);
    r.pairs = with_scores;
    for (size_t i = 0; i < n; i++) {
        reply one = zset_reply(c, v, at[i], 1, 1, true);
        if (with_scores)
            r.items[2 * i] = one.items[0], r.items[2 * i + 1] = one.items[1];
        else
            r.items[i] = one.items[0];
    }
    return has_count ? r : r.items[0];
}

/* What ZSCAN shows is the text that a small set (a listpack) stores: whole numbers in all their digits. A large one, or
 * one with a long member, has its scores in 17 digits, also where every other command writes the shortest. */
static bool scan_shows_integers(const call *c, const value *v)
{
    enum { LISTPACK_COUNT = 128, LISTPACK_BYTES = 64 };
    if (c->server->limits.packings)
        return value_packing(v) != UNPACKED;
    if (value_count(v) > LISTPACK_COUNT)
        return false;
    for (size_t i = 0; i < value_count(v); i++)
        if (zset_member(v, i).n > LISTPACK_BYTES)
            return false;
    return true;
}

static reply scanned_score(const call *c, double score, bool integers)
{
    if (!integers)
        return reply_bulk(arena_printf(c->out, "%.17g", score));
    bool whole = fabs(score) <= (double)(INT64_MAX / 2) && score == floor(score);
    return reply_bulk(whole ? arena_int(c->out, (int64_t)score) : score_text(c->server, c->out, score));
}

static reply cmd_zscan(const call *c)
{
    value *v;
    str pattern = { 0 };
    reply r;
    if (!scan_cursor_ok(c, c->argv[2]))
        return reply_error(S("ERR invalid cursor"));
    if (!find_kind(c, c->argv[1], VALUE_ZSET, &v, &r))
        return r;
    if (v && !scan_options(c, 3, &pattern, &r))    /* options are read only if the key is there */
        return r;
    r = v ? zset_reply(c, v, 0, 1, value_count(v), true) : reply_items(c->out, REPLY_ARRAY, 0);
    r.pairs = false;
    bool integers = v && scan_shows_integers(c, v);
    size_t kept = 0;
    for (size_t i = 0; i < r.count; i += 2)
        if (!pattern.p || glob_match(pattern, r.items[i].text)) {
            r.items[kept++] = r.items[i];
            r.items[kept++] = scanned_score(c, r.items[i + 1].number, integers);   /* a string in RESP3 too */
        }
    r.count = kept;
    return scan_reply(c, r);
}

const command commands_zset[] = {
    { .name = "zadd", -4, CMD_WRITE | CMD_DENYOOM | CMD_FLAT, 1, 1, 1, cmd_zadd },
    { .name = "zincrby", 4, CMD_WRITE | CMD_DENYOOM | CMD_FLAT, 1, 1, 1, cmd_zincrby },
    { .name = "zrem", -3, CMD_WRITE | CMD_FLAT, 1, 1, 1, cmd_zrem },
    { .name = "zscore", 3, CMD_READONLY | CMD_FLAT, 1, 1, 1, cmd_zscore },
    { .name = "zmscore", -3, CMD_READONLY, 1, 1, 1, cmd_zmscore },
    { .name = "zcard", 2, CMD_READONLY | CMD_FLAT, 1, 1, 1, cmd_zcard },
    { .name = "zrank", 3, CMD_READONLY, 1, 1, 1, cmd_zrank, .until = UNTIL_7_2 },
    { .name = "zrank", -3, CMD_READONLY, 1, 1, 1, cmd_zrank, .since = SINCE(7, 2, 0, 0) },
    { .name = "zrevrank", 3, CMD_READONLY, 1, 1, 1, cmd_zrevrank, .until = UNTIL_7_2 },
    { .name = "zrevrank", -3, CMD_READONLY, 1, 1, 1, cmd_zrevrank, .since = SINCE(7, 2, 0, 0) },
    { .name = "zpopmin", -2, CMD_WRITE, 1, 1, 1, cmd_zpopmin },
    { .name = "zpopmax", -2, CMD_WRITE, 1, 1, 1, cmd_zpopmax },
    { .name = "zrandmember", -2, CMD_READONLY, 1, 1, 1, cmd_zrandmember },
    { .name = "zscan", -3, CMD_READONLY, 1, 1, 1, cmd_zscan },
    { .name = "zrange", -4, CMD_READONLY, 1, 1, 1, cmd_zrange },
    { .name = "zrevrange", -4, CMD_READONLY, 1, 1, 1, cmd_zrevrange },
    { .name = "zrangebyscore", -4, CMD_READONLY, 1, 1, 1, cmd_zrangebyscore },
    { .name = "zrevrangebyscore", -4, CMD_READONLY, 1, 1, 1, cmd_zrevrangebyscore },
    { .name = "zrangebylex", -4, CMD_READONLY, 1, 1, 1, cmd_zrangebylex },
    { .name = "zrevrangebylex", -4, CMD_READONLY, 1, 1, 1, cmd_zrevrangebylex },
    { .name = "zrangestore", -5, CMD_WRITE | CMD_DENYOOM, 1, 2, 1, cmd_zrangestore },
    { .name = "zcount", 4, CMD_READONLY, 1, 1, 1, cmd_zcount },
    { .name = "zlexcount", 4, CMD_READONLY, 1, 1, 1, cmd_zlexcount },
    { .name = "zremrangebyrank", 4, CMD_WRITE, 1, 1, 1, cmd_zremrangebyrank },
    { .name = "zremrangebyscore", 4, CMD_WRITE, 1, 1, 1, cmd_zremrangebyscore },
    { .name = "zremrangebylex", 4, CMD_WRITE, 1, 1, 1, cmd_zremrangebylex },
    { .name = "zunion", -3, CMD_READONLY | CMD_NUMKEYS, 1, 0, 0, cmd_zunion },
    { .name = "zinter", -3, CMD_READONLY | CMD_NUMKEYS, 1, 0, 0, cmd_zinter },
    { .name = "zdiff", -3, CMD_READONLY | CMD_NUMKEYS, 1, 0, 0, cmd_zdiff },
    { .name = "zintercard", -3, CMD_READONLY | CMD_NUMKEYS, 1, 0, 0, cmd_zintercard },
    { .name = "zunionstore", -4, CMD_WRITE | CMD_NUMKEYS | CMD_DENYOOM, 2, 1, 0, cmd_zunionstore },
    { .name = "zinterstore", -4, CMD_WRITE | CMD_NUMKEYS | CMD_DENYOOM, 2, 1, 0, cmd_zinterstore },
    { .name = "zdiffstore", -4, CMD_WRITE | CMD_NUMKEYS | CMD_DENYOOM, 2, 1, 0, cmd_zdiffstore },
    { .name = NULL },
};
