/* zcombine.c - unions, intersections and differences of sorted sets; plain sets count with score 1. Facts:
 * REDIS-FIDELITY.md section 6. */
#include "redis/zset.h"

#include <math.h>

typedef enum { UNION, INTERSECTION, DIFFERENCE } operation;
typedef enum { SUM, MIN, MAX } aggregate;

typedef struct {
    const value *v;                                /* a sorted set, a set, or NULL */
    double weight;
} input;

typedef struct {
    input *in;
    size_t n;
    aggregate how;
    bool with_scores;
    int64_t limit;                                 /* 0: none */
} combine_args;

static size_t size_of(const input *in) { return in->v ? value_count(in->v) : 0; }

static str member_at(const input *in, size_t i, double *score)
{
    *score = 1;
    return value_kind_of(in->v) == VALUE_SET ? set_at(in->v, i) : zset_at(in->v, i, score);
}

static bool has(const input *in, str member, double *score)
{
    *score = 1;
    if (!in->v)
        return false;
    return value_kind_of(in->v) == VALUE_SET ? set_has(in->v, member) : zset_score(in->v, member, score);
}

static bool find_inputs(const call *c, size_t first, combine_args *a, reply *r)
{
    a->in = ARENA_ARRAY(c->out, input, a->n);
    for (size_t i = 0; i < a->n; i++) {
        a->in[i].weight = 1;
        value *v = store_find(c->st, c->db, c->argv[first + i]);
        if (v && value_kind_of(v) != VALUE_ZSET && value_kind_of(v) != VALUE_SET)
            return *r = reply_wrongtype(), false;
        a->in[i].v = v;
    }
    return true;
}

static bool parse_aggregate(const call *c, size_t i, aggregate *how)
{
    if (arg_is(c, i, S("sum")))
        return *how = SUM, true;
    if (arg_is(c, i, S("min")))
        return *how = MIN, true;
    return *how = MAX, arg_is(c, i, S("max"));
}

/* Options from argv[i] on: WEIGHTS and AGGREGATE where scores are joined, WITHSCORES where they are shown, LIMIT where
 * they count. */
static bool parse_options(const call *c, size_t i, bool joins, bool shows, bool counts, combine_args *a, reply *r)
{
    while (i < c->argc) {
        size_t left = c->argc - i;
        if (joins && left >= a->n + 1 && arg_is(c, i, S("weights"))) {
            i++;
            for (size_t k = 0; k < a->n; k++, i++)
                if (!parse_score(c, c->argv[i], &a->in[k].weight))
                    return *r = reply_error(S("ERR weight value is not a float")), false;
        } else if (joins && left >= 2 && arg_is(c, i, S("aggregate"))) {
            if (!parse_aggregate(c, i + 1, &a->how))
                return *r = reply_syntax(), false;
            i += 2;
        } else if (shows && arg_is(c, i, S("withscores"))) {
            a->with_scores = true;
            i++;
        } else if (counts && left >= 2 && arg_is(c, i, S("limit"))) {
            if (!parse_int_within(c->argv[i + 1], 0, INT64_MAX, &a->limit))
                return *r = reply_error(S("ERR LIMIT can't be negative")), false;
            i += 2;
        } else {
            return *r = reply_syntax(), false;
        }
    }
    return true;
}

static double number(double d) { return isnan(d) ? 0 : d; }

/* The score so far and the next one. */
static double join(double x, double y, aggregate how)
{
    if (how == MIN)
        return y < x ? y : x;                      /* 0 and -0 are equal: the first stays */
    if (how == MAX)
        return y > x ? y : x;
    return number(x + y);                          /* inf + -inf counts as 0 */
}

/* A result, and which of its zeros are -0: a stored score has no sign there, but ZUNION and ZINTER show it. */
typedef struct {
    value *scores, *minus_zero;
} outcome;

static void put(outcome *o, str member, double score)
{
    zset_put(o->scores, member, score);
    if (score == 0 && signbit(score))
        set_add(o->minus_zero, member);
    else
        set_del(o->minus_zero, member);
}

static bool got(const outcome *o, str member, double *score)
{
    bool found = zset_score(o->scores, member, score);
    if (found && *score == 0 && set_has(o->minus_zero, member))
        *score = -0.0;
    return found;
}

/* Smaller inputs first, as Redis takes them: it decides in which order floating-point scores are added. Stable. */
static void sort_inputs(input *in, size_t n)
{
    for (size_t i = 1; i < n; i++)
        for (size_t k = i; k > 0 && size_of(&in[k]) < size_of(&in[k - 1]); k--) {
            input t = in[k];
            in[k] = in[k - 1];
            in[k - 1] = t;
        }
}

static void add_union(outcome *result, const combine_args *a)
{
    for (size_t s = 0; s < a->n; s++)
        for (size_t i = 0; i < size_of(&a->in[s]); i++) {
            double score, old;
            str member = member_at(&a->in[s], i, &score);
            score = number(score * a->in[s].weight);
            put(result, member, got(result, member, &old) ? join(old, score, a->how) : score);
        }
}

static void add_intersection(outcome *result, const combine_args *a)
{
    for (size_t i = 0; i < size_of(&a->in[0]); i++) {
        double score, other;
        str member = member_at(&a->in[0], i, &score);
        score = number(score * a->in[0].weight);
        size_t s = 1;
        for (; s < a->n && has(&a->in[s], member, &other); s++)
            score = join(score, other * a->in[s].weight, a->how);
        if (s == a->n)
            put(result, member, score);
    }
}

static void add_difference(outcome *result, const combine_args *a)
{
    for (size_t i = 0; i < size_of(&a->in[0]); i++) {
        double score, other;
        str member = member_at(&a->in[0], i, &score);
        size_t s = 1;
        while (s < a->n && !has(&a->in[s], member, &other))
            s++;
        if (s == a->n)
            put(result, member, score);
    }
}

/* Parses from numkeys at argv[at] on and computes; the caller owns *result's values. */
static bool combine(const call *c, size_t at, operation op, bool storing, bool card, const char *name, combine_args *a,
                    outcome *result, reply *r)
{
    int64_t n;
    if (!parse_int(c->argv[at], &n))
        return *r = reply_not_integer(), false;
    if (n < 1)
        return *r = reply_error(arena_printf(c->out, "ERR at least 1 input key is needed for '%s' command", name)),
               false;
    if (n > (int64_t)(c->argc - at - 1))
        return *r = reply_syntax(), false;
    *a = (combine_args){ .n = (size_t)n };
    if (!find_inputs(c, at + 1, a, r)
        || !parse_options(c, at + 1 + a->n, op != DIFFERENCE && !card, !storing && !card, card, a, r))
        return false;
    *result = (outcome){ value_new(VALUE_ZSET), value_new(VALUE_SET) };
    if (op != DIFFERENCE)
        sort_inputs(a->in, a->n);
    if (op == UNION)
        add_union(result, a);
    else if (op == INTERSECTION)
        add_intersection(result, a);
    else
        add_difference(result, a);
    return true;
}

static reply shown(const call *c, operation op, const char *name)
{
    combine_args a;
    outcome result;
    reply r;
    if (!combine(c, 1, op, false, false, name, &a, &result, &r))
        return r;
    r = zset_reply(c, result.scores, 0, 1, value_count(result.scores), a.with_scores);
    for (size_t i = 0; a.with_scores && i < r.count; i += 2)
        if (set_has(result.minus_zero, r.items[i].text))
            r.items[i + 1] = score_reply(c, -0.0);
    value_free(result.scores);
    value_free(result.minus_zero);
    return r;
}

static reply stored(const call *c, operation op, const char *name)
{
    combine_args a;
    outcome result;
    reply r;
    if (!combine(c, 2, op, true, false, name, &a, &result, &r))
        return r;
    value_free(result.minus_zero);
    return collection_store(c, c->argv[1], result.scores, (happened){ NOTIFY_ZSET, name });
}

reply cmd_zunion(const call *c) { return shown(c, UNION, "zunion"); }
reply cmd_zinter(const call *c) { return shown(c, INTERSECTION, "zinter"); }
reply cmd_zdiff(const call *c) { return shown(c, DIFFERENCE, "zdiff"); }
reply cmd_zunionstore(const call *c) { return stored(c, UNION, "zunionstore"); }
reply cmd_zinterstore(const call *c) { return stored(c, INTERSECTION, "zinterstore"); }
reply cmd_zdiffstore(const call *c) { return stored(c, DIFFERENCE, "zdiffstore"); }

/* ZINTERCARD numkeys key [key ...] [LIMIT n] */
reply cmd_zintercard(const call *c)
{
    combine_args a;
    outcome result;
    reply r;
    if (!combine(c, 1, INTERSECTION, false, true, "zintercard", &a, &result, &r))
        return r;
    int64_t n = (int64_t)value_count(result.scores);
    value_free(result.scores);
    value_free(result.minus_zero);
    return reply_integer(a.limit > 0 && n > a.limit ? a.limit : n);
}
