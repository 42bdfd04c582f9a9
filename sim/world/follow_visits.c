/* follow_visits.c - the first instant at which other clients, which come behind a step, find another outcome: at once,
 * or so much later that they take another way. */
#include "world/follow_internal.h"

#include <math.h>

/* A question in which one visit comes later: by how much is what is searched for. */
typedef struct { const follower *f; const follow_question *q; int which; } later_visit;

static bool visited_later(void *context, const follow_question *q, outline *out, outline *heard)
{
    const later_visit *v = context;
    follow_question ask = *v->q;
    ask.step = q->step;
    ask.ms = q->step ? 0 : q->ms;
    ask.delays.ms[v->which] += q->ms;
    return v->f->at(v->f->context, &ask, out, heard);
}

/* How much later that visit has to come to find another outcome; INT64_MAX: it never does. */
static int64_t next_delay(const follower *f, const follow_question *q, int which)
{
    later_visit v = { f, q, which };
    follower later = *f;
    later.context = &v;
    later.at = visited_later;
    return follow_within(&later, q, INT64_MAX).ms;
}

/* ---- what visitors that come later compare ---- */

/* Of one order in which others come: what is heard now, when the step comes two milliseconds later, and when only one
 * of the visits comes as much later, or a millisecond earlier. same: as many comparisons were made on the same path;
 * later: and the visit came later. */
typedef struct { outline heard; bool same, later; } hearing;
typedef struct { outline now; hearing then, visited[FOLLOW_DELAYS]; } hearings;

static bool hear(const follower *f, const follow_question *q, outline *heard)
{
    outline out = { 0 };
    bool possible = f->at(f->context, q, &out, heard);
    outline_free(&out);
    return possible;
}

static void hear_then(const follower *f, const follow_question *q, const outline *now, hearing *then)
{
    then->same = hear(f, q, &then->heard) && follow_alike(now, &then->heard) &&
                 now->compared_count == then->heard.compared_count;
}

static void hear_visited(const follower *f, const follow_question *q, int which, hearings *h)
{
    follow_question ask = *q;
    hearing *x = &h->visited[which];
    ask.delays.ms[which] += 2;
    hear_then(f, &ask, &h->now, x);
    x->later = x->same;
    if (x->same || q->delays.ms[which] == 0)
        return;
    outline_free(&x->heard);
    x->heard = (outline){ 0 };
    ask.delays.ms[which] = q->delays.ms[which] - 1;
    hear_then(f, &ask, &h->now, x);
}

static void forget_hearings(hearings *h)
{
    outline_free(&h->now);
    outline_free(&h->then.heard);
    for (int i = 0; i < FOLLOW_DELAYS; i++)
        outline_free(&h->visited[i].heard);
}

/* Does a comparison move with the step alone, and not with a visit behind it? A visit comes at any moment: what it
 * compares with the present needs no stop of the step. (Where the path is another one before and after that very
 * millisecond, nobody knows.) */
static bool of_the_step(const hearings *h, size_t i)
{
    bool alone = h->now.compared[i] != h->then.heard.compared[i];
    for (int k = 0; k < FOLLOW_DELAYS; k++)
        alone &= !h->visited[k].same || h->visited[k].heard.compared[i] == h->now.compared[i];
    return alone;
}

/* The path changes at once, and not because of a visit. */
static int64_t changes_at_once(const follower *f, const follow_question *q, const hearings *h)
{
    follow_question ask = *q;
    hearing after_one = { 0 };
    for (int k = 0; k < FOLLOW_DELAYS; k++)
        if (h->visited[k].same && !h->visited[k].later)
            return INT64_MAX;
    ask.ms = 1;
    hear_then(f, &ask, &h->now, &after_one);
    outline_free(&after_one.heard);
    return after_one.same ? 2 : 1;
}

/* After how long a comparison of the step's time with another one first comes out differently. */
static int64_t first_crossing(const hearings *h)
{
    int64_t first_ms = INT64_MAX;
    for (size_t i = 0; i < h->now.compared_count; i++) {
        double n = h->now.compared[i], at_ms = n == 0 ? 1 : ceil(-n * 2 / (h->then.heard.compared[i] - n));
        if (of_the_step(h, i) && at_ms >= 1 && at_ms < (double)first_ms)
            first_ms = (int64_t)at_ms;
    }
    return first_ms;
}

static int64_t first_of_the_step(const follower *f, const follow_question *q)
{
    hearings h = { 0 };
    follow_question ask = *q;
    int64_t ms = INT64_MAX;
    if (hear(f, q, &h.now)) {
        ask.ms = 2;
        hear_then(f, &ask, &h.now, &h.then);
        for (int i = 0; i < FOLLOW_DELAYS; i++)
            hear_visited(f, q, i, &h);
        ms = h.then.same ? first_crossing(&h) : changes_at_once(f, q, &h);
    }
    forget_hearings(&h);
    return ms;
}

static void look_with(const follower *f, const follow_question *q, int64_t *last_ms, int64_t *first_ms)
{
    int64_t ms = *last_ms > 0 ? first_of_the_step(f, q) : INT64_MAX;
    follow_shorten(ms <= *last_ms ? ms : INT64_MAX, last_ms, first_ms);
}

/* Others come so much later that they find another outcome: who compares two times may first ask how long ago one of
 * them was. One of the first two visits comes later, then the other one, too. A threshold takes two changes: where both
 * sides become equal, and a millisecond later. The delays themselves make no stops: a visit is a step of its own. */
enum { DELAYS_TRIED = 4 };
static void look_later(const follower *f, const follow_question *at_once, int64_t *last_ms, int64_t *first_ms)
{
    for (int a = 0; a < FOLLOW_DELAYS; a++) {
        follow_question one = *at_once;
        for (int i = 0; i < DELAYS_TRIED; i++) {
            int64_t ms = next_delay(f, &one, a);
            if (ms == INT64_MAX)
                break;
            one.delays.ms[a] += ms;
            look_with(f, &one, last_ms, first_ms);
            follow_question both = one;
            for (int k = 0; k < DELAYS_TRIED && (ms = next_delay(f, &both, 1 - a)) < INT64_MAX; k++) {
                both.delays.ms[1 - a] += ms;
                look_with(f, &both, last_ms, first_ms);
            }
        }
    }
}

/* The first change where others come behind the step. Later than at once only where they hear of a time that it left
 * behind. */
int64_t follow_visited(const follower *f, const step *s, size_t moving, int64_t last_ms)
{
    const follow_question at_once = { .step = s, .waits = FOLLOW_WAITS_NEAR, .visits = true };
    int64_t first_ms = INT64_MAX;
    finding x = follow_within(f, &at_once, last_ms);
    follow_shorten(x.ms, &last_ms, &first_ms);
    if (x.moving > moving && last_ms > 0 && !(f->without & STOPS_DELAYS))
        look_later(f, &at_once, &last_ms, &first_ms);
    return first_ms;
}
