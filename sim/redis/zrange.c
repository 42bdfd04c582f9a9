/* zrange.c - sorted-set commands on ranges: by rank, by score, by member bytes; reading, counting, removing and storing
 * them. All forms share one parser, as they do in Redis. Facts: REDIS-FIDELITY.md sections 6 and 8. */
#include "redis/zset.h"

#include "redis/server.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>

typedef enum { BY_UNSAID, BY_RANK, BY_SCORE, BY_LEX } range_by;

/* One end of a range by member: "-" is below all, "+" above all. */
typedef struct {
    int infinite;                                  /* -1, 0, 1 */
    bool exclusive;
    str member;
} lex_bound;

typedef struct {
    range_by by;
    int64_t start, end;                            /* BY_RANK */
    double min, max;                               /* BY_SCORE */
    bool min_exclusive, max_exclusive;
    lex_bound low, high;                           /* BY_LEX */
} range;

/* Consecutive ranks [from, from + n). */
typedef struct {
    size_t from, n;
} span;

/* Of RULE_STRICT_BOUNDS: in decimal digits, or a word such as inf. */
static bool is_plain_number(str s)
{
    for (size_t i = 0; i < s.n && s.p[i]; i++)
        if (s.p[i] == 'x' || s.p[i] == 'X')
            return false;
    return !s.n || !isspace((unsigned char)s.p[0]);
}

/* Looser than a score: what strtod takes after an optional "(", up to a NUL byte, blanks in front and nothing at all
 * (0) included. */
static bool parse_score_bound(const call *c, str s, double *d, bool *exclusive)
{
    *exclusive = s.n > 0 && s.p[0] == '(';
    if (*exclusive)
        s = str_slice(s, 1, s.n);
    str z = arena_str(c->out, s);
    char *rest;
    if (server_follows(c->server, RULE_STRICT_BOUNDS) && !is_plain_number(s))
        return false;
    *d = strtod(z.p, &rest);
    return *rest == 0 && !isnan(*d);
}

static bool parse_lex_bound(str s, lex_bound *b)
{
    char first = 0;
    if (s.n > 0)
        first = s.p[0];
    *b = (lex_bound){ .exclusive = first != '[' };
    if (first == '+' || first == '-') {
        b->infinite = first == '+' ? 1 : -1;
        return s.n == 1 || s.p[1] == 0;
    }
    if (first == '(' || first == '[') {
        b->member = str_slice(s, 1, s.n);
        return true;
    }
    return false;
}

/* Reads the two ends of a range of kind r->by from argv. */
static bool parse_range(const call *c, size_t min_at, size_t max_at, range *g, reply *r)
{
    str min = c->argv[min_at], max = c->argv[max_at];
    switch (g->by) {
    case BY_SCORE:
        if (!parse_score_bound(c, min, &g->min, &g->min_exclusive) ||
            !parse_score_bound(c, max, &g->max, &g->max_exclusive))
            return *r = reply_error(S("ERR min or max is not a float")), false;
        return true;
    case BY_LEX:
        if (!parse_lex_bound(min, &g->low) || !parse_lex_bound(max, &g->high))
            return *r = reply_error(S("ERR min or max not valid string range item")), false;
        return true;
    case BY_RANK:
    case BY_UNSAID:
        break;
    }
    if (!parse_int(min, &g->start) || !parse_int(max, &g->end))
        return *r = reply_not_integer(), false;
    return true;
}

static int lex_cmp(str member, const lex_bound *b) { return b->infinite ? -b->infinite : str_cmp(member, b->member); }

static bool above(str member, const lex_bound *low)
{
    int order = lex_cmp(member, low);
    return low->exclusive ? order > 0 : order >= 0;
}

static bool below(str member, const lex_bound *high)
{
    int order = lex_cmp(member, high);
    return high->exclusive ? order < 0 : order <= 0;
}

/* A range in which no member can be: Redis says so before it looks, which shows where scores differ. */
static bool lex_empty(const range *g)
{
    const lex_bound *low = &g->low, *high = &g->high;
    if (low->infinite || high->infinite)
        return low->infinite >= high->infinite;
    int order = str_cmp(low->member, high->member);
    return order > 0 || (order == 0 && (low->exclusive || high->exclusive));
}

/* Ranges by member mean something only where all scores are equal. For others this gives what Redis gives for a small
 * set: it walks from one end to the first member inside the near bound, skips, then goes on while members are inside
 * the far one. */
static span lex_span(const value *v, const range *g, bool reverse, size_t skip)
{
    span s = { 0, 0 };
    size_t n = value_count(v);
    if (n == 0 || lex_empty(g) || !above(zset_member(v, n - 1), &g->low) || !below(zset_member(v, 0), &g->high))
        return s;
    if (!reverse) {
        while (s.from < n && !above(zset_member(v, s.from), &g->low))
            s.from++;
        if (s.from == n || !below(zset_member(v, s.from), &g->high) || skip >= n - s.from)
            return s;
        s.from += skip;
        while (s.from + s.n < n && below(zset_member(v, s.from + s.n), &g->high))
            s.n++;
        return s;
    }
    size_t end = n;
    while (end > 0 && !below(zset_member(v, end - 1), &g->high))
        end--;
    if (end == 0 || !above(zset_member(v, end - 1), &g->low) || skip >= end)
        return s;
    end -= skip;
    s.from = end;
    while (s.from > 0 && above(zset_member(v, s.from - 1), &g->low))
        s.from--;
    s.n = end - s.from;
    return s;
}

static span score_span(const value *v, const range *g, bool reverse, size_t skip)
{
    size_t from = zset_lower(v, g->min, g->min_exclusive), end = zset_lower(v, g->max, !g->max_exclusive);
    if (g->min > g->max || from >= end || skip >= end - from)
        return (span){ 0, 0 };
    return (span){ reverse ? from : from + skip, end - from - skip };
}

static void tell_comparisons(const call *c, const value *v, const range *g)
{
    for (size_t i = 0; v && g->by == BY_SCORE && i < value_count(v); i++) {
        double score;
        zset_at(v, i, &score);
        server_compares(c->server, score, g->min);
        server_compares(c->server, score, g->max);
    }
}

/* The members in the range without its first `skip` ones, counted from the side where reading begins. Ranges by rank
 * cannot skip. */
static span find_span(const value *v, const range *g, bool reverse, size_t skip)
{
    span s = { 0, 0 };
    if (!v)
        return s;
    if (g->by == BY_LEX)
        return lex_span(v, g, reverse, skip);
    if (g->by == BY_SCORE)
        return score_span(v, g, reverse, skip);
    if (!range_clamp(g->start, g->end, value_count(v), &s.from, &s.n))
        return (span){ 0, 0 };
    if (reverse)
        s.from = value_count(v) - s.from - s.n;
    return s;
}

typedef struct {
    range range;
    bool reverse, with_scores;
    int64_t offset, limit;                         /* limit < 0: all */
} zrange_args;

/* Options after `source min max`; options that the command's name implies are not accepted. */
static bool zrange_options(const call *c, size_t first, bool storing, bool any_direction, zrange_args *a, reply *r)
{
    for (size_t i = first; i < c->argc; i++) {
        if (!storing && arg_is(c, i, S("withscores"))) {
            a->with_scores = true;
        } else if (i + 2 < c->argc && arg_is(c, i, S("limit"))) {
            if (!parse_int(c->argv[i + 1], &a->offset) || !parse_int(c->argv[i + 2], &a->limit))
                return *r = reply_not_integer(), false;
            i += 2;
        } else if (any_direction && !a->reverse && arg_is(c, i, S("rev"))) {
            a->reverse = true;
        } else if (a->range.by == BY_UNSAID && arg_is(c, i, S("bylex"))) {
            a->range.by = BY_LEX;
        } else if (a->range.by == BY_UNSAID && arg_is(c, i, S("byscore"))) {
            a->range.by = BY_SCORE;
        } else {
            return *r = reply_syntax(), false;
        }
    }
    if (a->range.by == BY_UNSAID)
        a->range.by = BY_RANK;
    if (a->limit != -1 && a->range.by == BY_RANK)
        return *r = reply_error(S("ERR syntax error, LIMIT is only supported in combination with either BYSCORE or "
                                  "BYLEX")), false;
    if (a->with_scores && a->range.by == BY_LEX)
        return *r = reply_error(S("ERR syntax error, WITHSCORES not supported in combination with BYLEX")), false;
    return true;
}

/* LIMIT counts from where reading begins; a negative offset leaves nothing. It has no effect on ranks (see
 * zrange_options). */
static span find_limited(const value *v, const zrange_args *a)
{
    if (a->range.by == BY_RANK)
        return find_span(v, &a->range, a->reverse, 0);
    if (a->offset < 0)
        return (span){ 0, 0 };
    span s = find_span(v, &a->range, a->reverse, (size_t)a->offset);
    if (a->limit >= 0 && (uint64_t)a->limit < s.n)
        s = (span){ a->reverse ? s.from + s.n - (size_t)a->limit : s.from, (size_t)a->limit };
    return s;
}

/* argv[source] is the key read, its two bounds follow. */
static bool zrange_find(const call *c, size_t source, bool storing, bool any_direction, zrange_args *a, value **v,
                        span *s, reply *r)
{
    a->limit = -1;
    if (!zrange_options(c, source + 3, storing, any_direction, a, r))
        return false;
    bool swap = a->reverse && a->range.by != BY_RANK;
    if (!parse_range(c, source + (swap ? 2 : 1), source + (swap ? 1 : 2), &a->range, r)
        || !find_kind(c, c->argv[source], VALUE_ZSET, v, r))
        return false;
    tell_comparisons(c, *v, &a->range);
    *s = find_limited(*v, a);
    return true;
}

static reply zrange(const call *c, range_by by, bool reverse, bool any_direction)
{
    zrange_args a = { .range.by = by, .reverse = reverse };
    value *v;
    span s;
    reply r;
    if (!zrange_find(c, 1, false, any_direction, &a, &v, &s, &r))
        return r;
    if (s.n == 0)
        return reply_items(c->out, REPLY_ARRAY, 0);
    return zset_reply(c, v, a.reverse ? s.from + s.n - 1 : s.from, a.reverse ? -1 : 1, s.n, a.with_scores);
}

reply cmd_zrange(const call *c) { return zrange(c, BY_UNSAID, false, true); }
reply cmd_zrevrange(const call *c) { return zrange(c, BY_RANK, true, false); }
reply cmd_zrangebyscore(const call *c) { return zrange(c, BY_SCORE, false, false); }
reply cmd_zrevrangebyscore(const call *c) { return zrange(c, BY_SCORE, true, false); }
reply cmd_zrangebylex(const call *c) { return zrange(c, BY_LEX, false, false); }
reply cmd_zrevrangebylex(const call *c) { return zrange(c, BY_LEX, true, false); }

/* ZRANGESTORE destination source min max [BYSCORE|BYLEX] [REV] [LIMIT offset count] */
reply cmd_zrangestore(const call *c)
{
    zrange_args a = { .range.by = BY_UNSAID };
    value *v;
    span s;
    reply r;
    if (!zrange_find(c, 2, true, true, &a, &v, &s, &r))
        return r;
    value *result = value_new(VALUE_ZSET);
    for (size_t i = s.from; i < s.from + s.n; i++) {
        double score;
        str member = zset_at(v, i, &score);
        zset_put(result, member, score);
    }
    return collection_store(c, c->argv[1], result, (happened){ NOTIFY_ZSET, "zrangestore" });
}

/* key min max */
static bool find_range(const call *c, range_by by, value **v, span *s, reply *r)
{
    range g = { .by = by };
    if (!parse_range(c, 2, 3, &g, r) || !find_kind(c, c->argv[1], VALUE_ZSET, v, r))
        return false;
    tell_comparisons(c, *v, &g);
    *s = find_span(*v, &g, false, 0);
    return true;
}

static reply count(const call *c, range_by by)
{
    value *v;
    span s;
    reply r;
    return find_range(c, by, &v, &s, &r) ? reply_integer((int64_t)s.n) : r;
}

reply cmd_zcount(const call *c) { return count(c, BY_SCORE); }
reply cmd_zlexcount(const call *c) { return count(c, BY_LEX); }

static reply remove_range(const call *c, range_by by, const char *event)
{
    value *v;
    span s;
    reply r;
    if (!find_range(c, by, &v, &s, &r))
        return r;
    if (s.n > 0) {
        zset_cut(v, s.from, s.n);
        collection_changed(c, c->argv[1], (happened){ NOTIFY_ZSET, event });
    }
    return reply_integer((int64_t)s.n);
}

reply cmd_zremrangebyrank(const call *c) { return remove_range(c, BY_RANK, "zremrangebyrank"); }
reply cmd_zremrangebyscore(const call *c) { return remove_range(c, BY_SCORE, "zremrangebyscore"); }
reply cmd_zremrangebylex(const call *c) { return remove_range(c, BY_LEX, "zremrangebylex"); }
