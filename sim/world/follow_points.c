/* follow_points.c - candidates for stops: the constants of the code, and each length of time after which an instant
 * meets one of them, another instant, or a number that moves. */
#include "world/follow_points.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/lua_tokens.h"
#include "base/numbers.h"
#include "scenario/source.h"

void list_sort(list *l)
{
    l->count = l->count ? numbers_set_i64(l->items, l->count) : 0;
}

/* ---- constants of the code ---- */

void list_add_constant(list *l, double n)
{
    n = fabs(n);
    if (n > 0 && n <= (double)CONSTANT_MAX && n == floor(n))
        list_add(l, (int64_t)n);
}

static void add_digits(list *l, str s)
{
    for (size_t i = 0; i < s.n; i++) {
        double n = 0;
        bool any = false;
        for (; i < s.n && s.p[i] >= '0' && s.p[i] <= '9'; i++, any = true)
            n = 10 * n + (s.p[i] - '0');
        if (any)
            list_add_constant(l, n);
    }
}

static void add_token(list *l, const token *t)
{
    if (t->kind == TOKEN_STRING)
        add_digits(l, t->text);
    if (t->kind != TOKEN_NUMBER)
        return;
    char digits[64];
    size_t n = t->text.n < sizeof digits - 1 ? t->text.n : sizeof digits - 1;
    memcpy(digits, t->text.p, n);
    digits[n] = 0;
    list_add_constant(l, strtod(digits, NULL));
}

static void add_script(void *context, const script_file *s)
{
    tokens x = { .text = s->body, .line = 1 };
    for (token t; tokens_next(&x, &t) == TOKENS_ONE;)
        add_token(context, &t);
}

size_t follow_constants(const scenario *sc, arena *a, int64_t **out)
{
    list l = { 0 };
    const source *s;
    for (uint32_t i = 0; (s = source_numbered(sc->sources, i)) != NULL; i++)
        for (size_t t = 0; t < s->token_count; t++)
            add_token(&l, &s->tokens[t]);
    source_each_script(sc->sources, add_script, &l);
    size_t count = l.count ? numbers_set_i64(l.items, l.count) : 0;
    *out = ARENA_ARRAY(a, int64_t, count + 1);
    if (count)
        memcpy(*out, l.items, count * sizeof **out);
    mem_free(l.items);
    return count;
}

/* ---- candidate instants ---- */

bool instant_seconds(double n, int64_t now_ms)
{
    return n > 1e6 && n < 9e12 && n == floor(n) && instant_near((int64_t)n * 1000, now_ms);
}

void meeting_add(meeting_points *m, const follower *f, double n)
{
    if (n != floor(n) || fabs(n) > 9e15)
        return;
    int64_t whole = (int64_t)n;
    if (instant_near(whole, f->now_ms)) {
        list_add(&m->instants, whole);
    } else if (instant_seconds(n, f->now_ms)) {
        list_add(&m->instants, whole * 1000);
        m->seconds = true;
    } else if (fabs(n) > (double)CONSTANT_MAX)
        list_add(&m->far, whole);
    else
        list_add_constant(&m->constants, n);
}

void meeting_add_outline(meeting_points *m, const follower *f, const outline *o)
{
    for (size_t i = 0; i < o->count; i++)
        meeting_add(m, f, o->numbers[i]);
}

typedef struct {
    list at;
    int64_t last_ms;
    uint64_t without;
    int64_t drift;
    list constants;        /* borrowed */
} point_list;

static void add_near(point_list *points, int64_t ms)
{
    for (int64_t at = ms - !(points->without & STOPS_BEFORE); at <= ms + !(points->without & STOPS_AFTER); at++)
        if (at > 0 && at <= points->last_ms)
            list_add(&points->at, at);
}

/* A meeting, and a millisecond to either side. A drifting clock moves it earlier or later. */
static void add_around(point_list *points, int64_t ms)
{
    int64_t every_ms = points->drift < 0 ? -points->drift : points->drift;
    add_near(points, ms);
    if (points->drift && ms > 0 && ms <= CONSTANT_MAX && !(points->without & STOPS_DRIFT))
        add_near(points, ms * every_ms / (every_ms + (points->drift > 0 ? 1 : -1)));
}

/* A length that moves reaches zero, or a constant: now, or by a clock that is read later_ms later. */
static void add_moving(point_list *points, const meeting_points *m, int64_t n, int64_t speed, int64_t later_ms)
{
    add_around(points, -n / speed - later_ms);
    for (size_t k = 0; k < points->constants.count; k++) {
        add_around(points, (points->constants.items[k] - n) / speed - later_ms);
        add_around(points, (-points->constants.items[k] - n) / speed - later_ms);
    }
    for (size_t i = 0; i < m->far.count && !(points->without & STOPS_FAR); i++) {
        int64_t at_ms = (m->far.items[i] - n) / speed - later_ms;
        if (at_ms < -CONSTANT_MAX || at_ms > CONSTANT_MAX)
            continue;
        add_around(points, at_ms);
        for (size_t k = 0; k < points->constants.count; k++) {
            add_around(points, at_ms + points->constants.items[k] / speed);
            add_around(points, at_ms - points->constants.items[k] / speed);
        }
    }
}

int64_t follow_end_ms(const follower *f)
{
    return f->constant_count ? 2 * f->constants[f->constant_count - 1] - f->passed_ms : 0;
}

/* A number that moves unevenly with time, as a time slot in a key's name, has no computable meeting: tries lengths of
 * all orders of magnitude. */
static void add_ladder(point_list *points, int64_t end_ms)
{
    for (int64_t ms = 4; ms <= CONSTANT_MAX && ms < end_ms; ms *= 2)
        list_add(&points->at, ms);
}

/* An instant that code computes and sends meets instants at the server. */
static void add_sent(point_list *points, const meeting_points *m)
{
    for (size_t i = 0; i < m->instants.count && !(points->without & STOPS_SENT); i++)
        for (size_t k = 0; k + 1 < m->sent_ms.count; k += 2)
            add_around(points, (m->instants.items[i] - m->sent_ms.items[k]) / m->sent_ms.items[k + 1]);
}

/* An event that moves with time reaches the instant of another event. */
static void add_orders(point_list *points, const meeting_points *m)
{
    for (size_t i = 0; i < m->late.count && !(points->without & STOPS_ORDER); i++)
        for (size_t k = 0; k < m->early.count; k++)
            add_near(points, m->late.items[i] - m->early.items[k]);
}

list meeting_points_of(meeting_points *m, const follower *f, int64_t last_ms, bool constants)
{
    point_list points = { .last_ms = last_ms, .without = f->without, .drift = m->drift };
    for (size_t i = 0; constants && i < f->constant_count && !(f->without & STOPS_CODE); i++)
        list_add(&m->constants, f->constants[i]);
    bool seconds = constants && m->seconds && !(f->without & STOPS_SECONDS);
    for (size_t i = 0, n = m->constants.count; seconds && i < n; i++)
        if (m->constants.items[i] <= CONSTANT_MAX / 1000)
            list_add(&m->constants, m->constants.items[i] * 1000);
    list_sort(&m->constants);
    if (constants)
        points.constants = m->constants;
    list_sort(&m->instants);
    if (f->without & STOPS_LATER)
        m->later.count = 0;
    list_add(&m->later, 0);
    list_sort(&m->later);
    for (size_t i = 0; i < m->instants.count; i++)
        for (size_t w = 0; w < m->later.count; w++) {
            int64_t at_ms = m->instants.items[i] - f->now_ms - m->later.items[w];
            add_around(&points, at_ms);
            for (size_t k = 0; k < points.constants.count && m->clock; k++) {
                add_around(&points, at_ms + points.constants.items[k]);
                add_around(&points, at_ms - points.constants.items[k]);
            }
        }
    for (size_t i = 0; i + 1 < m->moving.count && !(f->without & STOPS_MOVING); i += 2) {
        int64_t n = m->moving.items[i], speed = m->moving.items[i + 1];
        for (size_t w = 0; w < (m->clock ? m->later.count : 1); w++)
            add_moving(&points, m, n, speed, m->clock ? m->later.items[w] : 0);
    }
    for (size_t i = 0; i < m->crossings.count; i++)
        add_around(&points, m->crossings.items[i]);
    add_sent(&points, m);
    add_orders(&points, m);
    bool moves = m->clock || m->moving.count || (m->early.count && m->late.count);
    int64_t end_ms = last_ms < INT64_MAX ? last_ms : follow_end_ms(f);
    if (moves && !(f->without & STOPS_ENDS)) {
        list_add(&points.at, 1);
        add_near(&points, end_ms);
    }
    if (moves && constants && !(f->without & STOPS_LADDER))
        add_ladder(&points, end_ms);
    list_sort(&points.at);
    return points.at;
}

void meeting_forget(meeting_points *m)
{
    list *all[] = { &m->instants, &m->constants, &m->moving, &m->far, &m->crossings, &m->later, &m->sent_ms, &m->early,
                    &m->late };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        mem_free(all[i]->items);
}
