/* follow_visits.c - the first instant at which other clients, which come behind a step, find another outcome: at once,
 * or so much later that they take another way. */
#include "world/follow_internal.h"

#include <math.h>

#include "base/instant.h"

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

/* ---- where two comparisons of a visitor meet ---- */

/* Questions with a visit that comes later, and what is known of outcomes: a print each of those that the visits find
 * where the step comes now, and of the questions that were asked about corners. */
enum { DELAYS_TRIED = 4, QUESTIONS_MAX = 1 + FOLLOW_DELAYS * DELAYS_TRIED * (1 + DELAYS_TRIED), CORNERS_MAX = 256 };
typedef struct {
    follow_question items[QUESTIONS_MAX];
    uint64_t outcomes[QUESTIONS_MAX], corners[CORNERS_MAX];
    size_t count, corner_count;
} questions;

static uint64_t outcome_print(const outline *out, const outline *heard)
{
    uint64_t print = out->print ^ heard->print;
    outline_used(&print, (double)out->count);
    outline_used(&print, (double)heard->count);
    for (size_t i = 0; i < heard->compared_count; i++)
        outline_used(&print, (heard->compared[i] > 0) - (heard->compared[i] < 0));
    return print;
}

/* 0: the step cannot be taken then. */
static uint64_t outcome_of(const follower *f, const follow_question *q)
{
    outline out = { 0 }, heard = { 0 };
    uint64_t print = f->at(f->context, q, &out, &heard) ? outcome_print(&out, &heard) | 1 : 0;
    outline_free(&out);
    outline_free(&heard);
    return print;
}

static void add_question(questions *all, const follower *f, const follow_question *q)
{
    all->items[all->count] = *q;
    all->outcomes[all->count++] = outcome_of(f, q);
}

/* Is there an outcome that no visit finds where the step comes now? Nothing is asked twice. */
static bool is_new(questions *all, const follower *f, const follow_question *q)
{
    uint64_t asked = 0;
    outline_used(&asked, (double)q->ms);
    for (int k = 0; k < FOLLOW_DELAYS; k++)
        outline_used(&asked, (double)q->delays.ms[k]);
    for (size_t i = 0; i < all->corner_count; i++)
        if (all->corners[i] == asked)
            return false;
    if (all->corner_count == CORNERS_MAX)
        return false;
    all->corners[all->corner_count++] = asked;
    uint64_t print = outcome_of(f, q);
    bool known = print == 0;
    for (size_t i = 0; i < all->count && !known; i++)
        known = all->outcomes[i] == print;
    return !known;
}

/* How fast a comparison moves with the step, and with the visit. */
typedef struct { double now, by_step, by_visit; } moving_line;

static moving_line line_of(const hearings *h, int which, size_t i)
{
    const hearing *visit = &h->visited[which];
    double n = h->now.compared[i], moved = visit->heard.compared[i] - n;
    return (moving_line){ n, (h->then.heard.compared[i] - n) / 2, visit->later ? moved / 2 : -moved };
}

/* Where both are zero: if the step comes so much later, and then the visit so much later than now. */
typedef struct { int64_t ms, later_ms; } corner;

static bool corner_of(moving_line x, moving_line y, corner *c)
{
    double turn = x.by_step * y.by_visit - y.by_step * x.by_visit;
    double ms = floor((y.now * x.by_visit - x.now * y.by_visit) / turn);
    double later_ms = floor((y.by_step * x.now - x.by_step * y.now) / turn);
    if (turn == 0 || ms < 0 || ms > (double)INSTANT_WINDOW_MS || fabs(later_ms) > (double)INSTANT_WINDOW_MS)
        return false;
    *c = (corner){ (int64_t)ms, (int64_t)later_ms };
    return true;
}

/* A new outcome near this corner: after how long, or INT64_MAX. */
static int64_t new_near(questions *all, const follower *f, const follow_question *q, int which, corner c)
{
    follow_question ask = *q;
    for (ask.ms = c.ms - 1; ask.ms <= c.ms + 1; ask.ms++)
        for (int later = -1; later <= 1; later++) {
            ask.delays.ms[which] = q->delays.ms[which] + c.later_ms + later;
            if (ask.ms > 0 && ask.delays.ms[which] >= 0 && is_new(all, f, &ask))
                return ask.ms;
        }
    return INT64_MAX;
}

/* A visitor may ask two things that are both true only if the step comes some time from now, and the visit some time
 * after it: that is a corner, where two comparisons become equal. The first such change before `before_ms`, or that. */
static int64_t first_corner(questions *all, const follower *f, const follow_question *q, const hearings *h, int which,
                            int64_t before_ms)
{
    int64_t first_ms = before_ms;
    corner c;
    if (!h->then.same || !h->visited[which].same)
        return before_ms;
    for (size_t i = 0; i < h->now.compared_count; i++)
        for (size_t k = i + 1; k < h->now.compared_count; k++)
            if (corner_of(line_of(h, which, i), line_of(h, which, k), &c) && c.ms <= first_ms) {
                int64_t at_ms = new_near(all, f, q, which, c);
                first_ms = at_ms < first_ms ? at_ms : first_ms;
            }
    return first_ms;
}

static int64_t first_of_the_step(questions *all, const follower *f, const follow_question *q, int64_t last_ms)
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
        ms = ms <= last_ms ? ms : last_ms + 1;
        for (int i = 0; i < FOLLOW_DELAYS && !(f->without & STOPS_CORNERS); i++)
            ms = first_corner(all, f, q, &h, i, ms);
    }
    forget_hearings(&h);
    return ms <= last_ms ? ms : INT64_MAX;
}

/* Others come so much later that they find another outcome: who compares two times may first ask how long ago one of
 * them was. One of the first two visits comes later, then the other one, too. A threshold takes two changes: where both
 * sides become equal, and a millisecond later. The delays themselves make no stops: a visit is a step of its own. */
static void add_later(questions *all, const follower *f, const follow_question *at_once)
{
    for (int a = 0; a < FOLLOW_DELAYS; a++) {
        follow_question one = *at_once;
        for (int i = 0; i < DELAYS_TRIED; i++) {
            int64_t ms = next_delay(f, &one, a);
            if (ms == INT64_MAX)
                break;
            one.delays.ms[a] += ms;
            add_question(all, f, &one);
            follow_question both = one;
            for (int k = 0; k < DELAYS_TRIED && (ms = next_delay(f, &both, 1 - a)) < INT64_MAX; k++) {
                both.delays.ms[1 - a] += ms;
                add_question(all, f, &both);
            }
        }
    }
}

static void look_later(const follower *f, const follow_question *at_once, int64_t *last_ms, int64_t *first_ms)
{
    questions all = { .count = 0 };
    add_question(&all, f, at_once);
    add_later(&all, f, at_once);
    for (size_t i = 1; i < all.count && *last_ms > 0; i++)
        follow_shorten(first_of_the_step(&all, f, &all.items[i], *last_ms), last_ms, first_ms);
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
