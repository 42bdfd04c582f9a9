/* follow_find.c - finds the first instant at which a step has another outcome. It tries the ends of the interval, each
 * candidate (follow_points.c), a millisecond to either side, and bisects between two instants that differ. */
#include "world/follow_points.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- comparing outcomes ---- */

typedef struct {
    int64_t ms;            /* later; 0: nothing was asked */
    bool possible;         /* the step can be taken then */
    outline out, heard;
} answer;
enum { ANSWERS_KEPT = 32 };

typedef struct {
    const follower *f;
    follow_question ask;
    outline now, heard_now;
    const answer *then;    /* of the last question */
    answer kept[ANSWERS_KEPT];         /* the latest ones */
    size_t followed;       /* how many there were */
    short *slopes, *first;             /* of numbers; first: measured between now and two milliseconds later */
    double *speeds;        /* of compared, then of heard numbers, within two milliseconds; NULL: unknown */
    bool possible;         /* the step can be taken now */
    bool bent;             /* something moves in a way that no crossing accounts for: see note_bends */
} comparison;

/* Seconds since 1970 go up by one every thousand milliseconds. */
static bool counts_seconds(const comparison *c, double a, double b, int64_t ms)
{
    int64_t now_ms = c->f->now_ms;
    int64_t seconds = (now_ms + ms) / 1000 - now_ms / 1000;
    return instant_seconds(a, now_ms) && b - a == (double)seconds;
}

/* Slopes: 0, 1 with time, -1 against it. A difference of two that move has twice the slope, microseconds a thousand
 * times. */
enum { SLOPE_MAX = 4, SLOPE_MICROSECONDS = 1000, SLOPE_SECONDS = 1001, SLOPE_NONE = 1002 };

/* A reading of a drifting clock: it moves with time, and jumps at each drift step. */
static bool by_drifting_clock(const comparison *c, double a, double b, int64_t ms)
{
    int64_t drift = c->heard_now.drift, every_ms = drift < 0 ? -drift : drift;
    if (!drift || !instant_near_double(a, c->f->now_ms))
        return false;
    int64_t moved_ms = (int64_t)(b - a), steps = drift < 0 ? ms - moved_ms : moved_ms - ms;
    return steps == ms / every_ms || steps == ms / every_ms + 1;
}

static short slope_of(const comparison *c, double a, double b, int64_t ms)
{
    double slope = (b - a) / (double)ms;
    if (a == b || (isnan(a) && isnan(b)))
        return 0;
    if (by_drifting_clock(c, a, b, ms))
        return 1;
    if ((fabs(slope) <= SLOPE_MAX && slope == floor(slope)) || fabs(slope) == SLOPE_MICROSECONDS)
        return (short)slope;
    return counts_seconds(c, a, b, ms) ? SLOPE_SECONDS : SLOPE_NONE;
}

static int sign_of(double n) { return (n > 0) - (n < 0); }

/* Does each comparison have the same result? The branch taken may matter only after the next wait. */
static bool same_branches(const outline *now, const outline *then)
{
    bool same = now->compared_count == then->compared_count;
    for (size_t i = 0; same && i < now->compared_count; i++)
        same = sign_of(now->compared[i]) == sign_of(then->compared[i]);
    return same;
}

/* Fractions are rounded, so a small error is allowed; not so large that a jump of an instant by milliseconds passes. */
static bool even(double now, double then, double speed, int64_t ms)
{
    double expected = now + speed * (double)ms;
    return then == expected || fabs(then - expected) <= fmin(1e-9 * fabs(expected), 1e-3) ||
           (isnan(now) && isnan(then));
}

/* The outcome `ms` later is the same. Is that because all numbers that decide it move evenly and have met nothing
 * yet? */
static void note_bends(comparison *c, int64_t ms)
{
    const outline *now = &c->heard_now, *then = &c->then->heard;
    uint64_t without = c->f->without;
    c->bent |= (then->unknown || then->used != now->used) && !(without & STOPS_USED);
    if (!c->speeds || (without & STOPS_BENT))
        return;
    for (size_t i = 0; i < now->compared_count; i++)
        c->bent |= !even(now->compared[i], then->compared[i], c->speeds[i], ms);
    for (size_t i = 0; i < now->count; i++)
        c->bent |= !even(now->numbers[i], then->numbers[i], c->speeds[now->compared_count + i], ms);
}

/* The outcome `ms` later, of this step and as many waits. It depends on nothing else, so what is asked again soon is
 * not followed again. Good until ANSWERS_KEPT others were asked. */
static const answer *ask(comparison *c, int64_t ms)
{
    assert(ms > 0);
    for (size_t i = 0; i < ANSWERS_KEPT; i++)
        if (c->kept[i].ms == ms)
            return c->then = &c->kept[i];
    answer *x = &c->kept[c->followed++ % ANSWERS_KEPT];
    outline_begin(&x->out);
    outline_begin(&x->heard);
    x->ms = c->ask.ms = ms;
    x->possible = c->f->at(c->f->context, &c->ask, &x->out, &x->heard);
    return c->then = x;
}

/* Is the outcome the same `ms` later? *slopes says how its numbers moved. */
static bool same(comparison *c, int64_t ms, short *slopes)
{
    const answer *then = ask(c, ms);
    if (then->possible != c->possible)
        return false;
    if (!then->possible)
        return true;
    if (!follow_alike(&c->now, &then->out))
        return false;
    bool same_path = follow_alike(&c->heard_now, &then->heard);
    if (!same_path && !(c->f->without & STOPS_PATHS))
        return false;
    bool same_ways = same_branches(&c->heard_now, &then->heard);
    if (!same_ways && !(c->f->without & STOPS_BRANCHES))
        return false;
    if (same_path && same_ways)
        note_bends(c, ms);
    for (size_t i = 0; i < c->now.count; i++) {
        double a = c->now.numbers[i], b = then->out.numbers[i];
        slopes[i] = slope_of(c, a, b, ms);
        if (slopes[i] == SLOPE_NONE)
            return false;
    }
    return true;
}

/* A number that counts seconds is constant within one. */
static bool agree(const comparison *c, const short *x, const short *y)
{
    for (size_t i = 0; i < c->now.count; i++) {
        bool seconds = x[i] == SLOPE_SECONDS || y[i] == SLOPE_SECONDS;
        if (x[i] != y[i] && !(seconds && (x[i] == 0 || y[i] == 0)))
            return false;
    }
    return true;
}

static bool goes_on(comparison *c, int64_t ms)
{
    return same(c, ms, c->slopes) && agree(c, c->first, c->slopes);
}

static bool moves(const comparison *c, const short *slopes)
{
    for (size_t i = 0; i < c->now.count; i++)
        if (slopes[i])
            return true;
    return false;
}

/* Slopes are measured over two milliseconds: a flag that goes from 0 to 1 after one would look like a number that moves
 * with time. */
static int64_t change_at_once(comparison *c)
{
    short *after_one = c->slopes;
    bool two = same(c, 2, c->first), one = same(c, 1, after_one);
    if (one && two && agree(c, c->first, after_one))
        return INT64_MAX;
    return one && !two && !moves(c, after_one) ? 2 : 1;
}

/* Finds the first of the points with another outcome, then bisects to the first such millisecond. */
static int64_t first_change(comparison *c, const list *points)
{
    int64_t same_ms = 2, at_ms = points->count ? change_at_once(c) : INT64_MAX;
    if (c->f->without & STOPS_AT_ONCE)
        at_ms = INT64_MAX;
    for (size_t i = 0; i < points->count && at_ms == INT64_MAX; i++) {
        if (points->items[i] <= same_ms)
            continue;
        if (goes_on(c, points->items[i])) {
            same_ms = points->items[i];
            continue;
        }
        at_ms = points->items[i];
        while (at_ms - same_ms > 1 && !(c->f->without & STOPS_HALVES)) {
            int64_t middle_ms = same_ms + (at_ms - same_ms) / 2;
            if (goes_on(c, middle_ms))
                same_ms = middle_ms;
            else
                at_ms = middle_ms;
        }
    }
    return at_ms;
}

/* The comparisons heard now, and `ms` later. false: something else was heard, and no number says where to look. */
static bool add_heard(meeting_points *m, const comparison *c, int64_t ms)
{
    const outline *now = &c->heard_now, *then = &c->then->heard;
    if (!follow_alike(now, then))
        return false;
    for (size_t i = 0; i < now->count; i++) {
        double a = now->numbers[i];
        short speed = slope_of(c, a, then->numbers[i], ms);
        if (instant_near_double(a, c->f->now_ms) ? speed != 0 : instant_seconds(a, c->f->now_ms)) {
            m->sent = true;
            if (speed != 0 && abs(speed) <= SLOPE_MAX) {
                list_add(&m->sent_ms, (int64_t)a);
                list_add(&m->sent_ms, speed);
            }
            if (speed == 1 && a == floor(a) && !(c->f->without & STOPS_HEARD))
                list_add_constant(&m->constants, a - (double)c->f->now_ms);     /* as far before or after the present */
        }
        else if (speed == SLOPE_NONE || speed == SLOPE_SECONDS)
            return false;
        else if (speed != 0) {
            list_add(&m->moving, (int64_t)a);
            list_add(&m->moving, speed);
            if (fabs(a) > (double)CONSTANT_MAX) {
                m->sent = m->other_epoch = true;
                if (c->f->other_epoch)
                    *c->f->other_epoch = true;
            }
        }
    }
    return true;
}

/* After how long the two sides of each comparison become equal. Whole seconds stand still within two milliseconds: over
 * a longer time they move, and become equal where a second is full. */
static void add_crossings(meeting_points *m, const comparison *c, int64_t ms)
{
    const outline *now = &c->heard_now, *then = &c->then->heard;
    if (now->compared_count != then->compared_count || (c->f->without & STOPS_COMPARED))
        return;
    for (size_t i = 0; i < now->compared_count; i++) {
        double n = now->compared[i], speed = (then->compared[i] - n) / (double)ms, at_ms = -n / speed;
        if (speed == 0 || !(fabs(at_ms) <= (double)CONSTANT_MAX))
            continue;
        list_add(&m->crossings, (int64_t)floor(at_ms));
        list_add(&m->crossings, (int64_t)ceil(at_ms));      /* fractions of seconds are rounded */
        if (ms <= 2)
            continue;
        int64_t full_ms = 1000 - c->f->now_ms % 1000 + (int64_t)floor(at_ms / 1000) * 1000;
        for (int64_t s = -1000; s <= 1000; s += 1000)
            list_add(&m->crossings, full_ms + s);
    }
}

/* The instants of events, measured over two milliseconds. */
static void add_happens(meeting_points *m, const comparison *c)
{
    const outline *now = &c->heard_now, *then = &c->then->heard;
    for (size_t i = 0; i < now->happens_count && now->happens_count == then->happens_count; i++)
        list_add(now->happens[i] == then->happens[i] ? &m->late : &m->early, (int64_t)now->happens[i]);
    list_sort(&m->early);
    list_sort(&m->late);
}

/* How fast compared and heard numbers move, measured over two milliseconds. */
static void measure(comparison *c)
{
    const outline *now = &c->heard_now, *then = &c->then->heard;
    size_t n = now->compared_count;
    if (!follow_alike(now, then) || n != then->compared_count)
        return;
    c->speeds = mem_zero((n + now->count + 1) * sizeof *c->speeds);
    for (size_t i = 0; i < n; i++)
        c->speeds[i] = (then->compared[i] - now->compared[i]) / 2;
    for (size_t i = 0; i < now->count; i++)
        c->speeds[n + i] = (then->numbers[i] - now->numbers[i]) / 2;
}

/* Is a time left behind, at a server or in another process? (A whole second does not move within two milliseconds.) */
static bool leaves_time(const comparison *c)
{
    const outline *now = &c->now, *then = &c->then->out;
    if (now->count != then->count)
        return true;
    for (size_t i = now->left_from; i < now->left_to; i++)
        if (now->numbers[i] != then->numbers[i] || instant_seconds(now->numbers[i], c->f->now_ms))
            return true;
    return false;
}

/* Is anything of the time heard? */
enum { SECONDS_SEEN_MS = 100000 };
static bool hears_time(meeting_points *m, comparison *c, int64_t last_ms, bool *leaves)
{
    same(c, 2, c->slopes);
    *leaves = leaves_time(c);
    measure(c);
    bool known = add_heard(m, c, 2);
    add_crossings(m, c, 2);
    add_happens(m, c);
    if (known && !m->sent && !m->moving.count && last_ms > 2 && last_ms != INT64_MAX) {
        same(c, last_ms, c->slopes);
        known = add_heard(m, c, last_ms);
    }
    m->sent |= !known;     /* unknown: it may be in any notation */
    m->drift = c->heard_now.drift ? c->heard_now.drift : c->then->heard.drift;
    m->clock = m->sent || c->heard_now.clock || c->then->heard.clock;
    if (m->clock && c->heard_now.compared_count > 0 && last_ms > 2) {
        int64_t far_ms = last_ms == INT64_MAX ? SECONDS_SEEN_MS : last_ms;
        same(c, far_ms, c->slopes);
        add_crossings(m, c, far_ms);
    }
    return m->clock || m->moving.count || m->crossings.count || (m->early.count && m->late.count);
}

static int64_t search_with(comparison *c, meeting_points *m, int64_t last_ms, bool constants)
{
    list points = meeting_points_of(m, c->f, last_ms, constants);
    int64_t found_ms = first_change(c, &points);
    mem_free(points.items);
    return found_ms > last_ms ? INT64_MAX : found_ms;
}

/* Where all numbers that decide move evenly, it is known what they meet, and when. Otherwise they may meet any
 * number. */
static int64_t search(comparison *c, meeting_points *m, int64_t last_ms)
{
    int64_t found_ms = INT64_MAX;
    c->bent |= m->drift || m->other_epoch || m->seconds || c->heard_now.unknown ||
               c->heard_now.compared_count == OUTLINE_COMPARED_MAX;
    if (!c->bent)
        found_ms = search_with(c, m, last_ms, false);
    if (!c->bent)
        return found_ms;
    int64_t with_ms = search_with(c, m, found_ms < last_ms ? found_ms : last_ms, true);
    return with_ms < found_ms ? with_ms : found_ms;
}

/* Is only a number different `ms` later, by a jump as of whole seconds? */
static bool only_jumps(comparison *c, int64_t ms)
{
    const answer *then = ask(c, ms);
    return follow_alike(&c->now, &then->out) && c->heard_now.print == then->heard.print &&
           same_branches(&c->heard_now, &then->heard);
}

static bool one_more(const comparison *c, const outline *now, const outline *then)
{
    bool any = false;
    for (size_t i = 0; i < now->count && now->count == then->count; i++)
        any |= instant_seconds(now->numbers[i], c->f->now_ms) && then->numbers[i] - now->numbers[i] == 1;
    return any;
}

/* Would the step, so much later, find a number of seconds since 1970 one higher? TIME tells it to whom counts in
 * milliseconds, too: what was only heard counts where it is known that seconds do. */
static bool next_second_has_come(comparison *c, int64_t ms)
{
    const answer *then = ask(c, ms);
    return one_more(c, &c->now, &then->out) || (c->f->seconds && one_more(c, &c->heard_now, &then->heard));
}

/* How much more than time has passed a drifting clock has gained, or lost, by then. */
static int64_t drifted_ms(const outline *heard, int64_t ms)
{
    int64_t every_ms = heard->drift < 0 ? -heard->drift : heard->drift;
    int64_t ticks = ms < heard->tick_ms ? 0 : 1 + (ms - heard->tick_ms) / every_ms;
    return heard->drift < 0 ? -ticks : ticks;
}

/* After how long a second is full by a clock that is ahead by that much. */
static int64_t second_full_ms(const comparison *c, int64_t ahead_ms)
{
    const outline *heard = &c->heard_now;
    int64_t full_ms = 1000 - ((c->f->now_ms + ahead_ms) % 1000 + 1000) % 1000, ms = full_ms;
    if (heard->drift)
        ms = full_ms * 9 / 10 > 2 ? full_ms * 9 / 10 - 2 : 1;          /* no clock drifts faster */
    while (heard->drift && ms + drifted_ms(heard, ms) < full_ms)
        ms++;
    return ms;
}

/* Where no number tells of a second: the next last or first millisecond of one, by one of the clocks that are read.
 * In an interval without an end each second is as the next while nothing else changes, so one is enough: it ends with
 * the last millisecond of a full second. INT64_MAX: that is now. */
static int64_t second_of_clocks(const comparison *c, bool endless)
{
    const outline *heard = &c->heard_now;
    int64_t full_ms = second_full_ms(c, 0), stop_ms = full_ms - (full_ms == 1000 || (!endless && full_ms > 1));
    if (endless && full_ms == 1)
        return INT64_MAX;
    for (size_t i = 0; i < heard->later_count; i++) {
        int64_t ms = second_full_ms(c, heard->later_ms[i]);
        if (ms != full_ms && ms - (ms > 1) < stop_ms)
            stop_ms = ms - (ms > 1);
    }
    return stop_ms;
}

/* After how long the next second begins for the step, by the clock of its server; 0: it counts none. They go up
 * evenly, so their jumps are no changes. */
static int64_t next_second_ms(comparison *c)
{
    const follower *f = c->f;
    int64_t ours_ms = 1000 - f->now_ms % 1000, before_ms = 0, after_ms = ours_ms;
    if (!f->seconds && (!f->other_epoch || f->passed_ms > 0))
        return 0;
    if (!next_second_has_come(c, ours_ms)) {
        after_ms = 1000;
        if (!f->seconds || !next_second_has_come(c, 1000))
            return 0;
    } else if (ours_ms == 1 || !next_second_has_come(c, ours_ms - 1))
        return ours_ms;
    while (after_ms - before_ms > 1) {
        int64_t middle_ms = before_ms + (after_ms - before_ms) / 2;
        if (next_second_has_come(c, middle_ms))
            after_ms = middle_ms;
        else
            before_ms = middle_ms;
    }
    return after_ms;
}

/* A deadline in seconds lies the nearer, the later in a second it was set, while what monitors expect goes by
 * milliseconds: the last one of a second and the first are the farthest apart. In an interval without an end, in which
 * nothing else changes, each second is as the next: one first and one last millisecond will do. next_ms: as
 * next_second_ms. */
static int64_t end_of_second(int64_t next_ms, bool endless)
{
    if (endless)
        return next_ms == 1000 ? 999 : next_ms == 1 ? INT64_MAX : next_ms;
    return next_ms > 1 ? next_ms - 1 : 1;
}

/* Before a jump, numbers that move with time differ at each millisecond. The last one before it is the farthest from
 * the first. */
static int64_t or_last(comparison *c, int64_t found_ms)
{
    if (c->f->without & STOPS_LAST)
        return found_ms;
    if (found_ms > 2 && found_ms < INT64_MAX && only_jumps(c, found_ms))
        found_ms--;
    return found_ms;
}

static void forget_comparison(comparison *c)
{
    mem_free(c->speeds);
    mem_free(c->slopes);
    mem_free(c->first);
    outline_free(&c->now);
    outline_free(&c->heard_now);
    for (size_t i = 0; i < ANSWERS_KEPT; i++) {
        outline_free(&c->kept[i].out);
        outline_free(&c->kept[i].heard);
    }
}

/* How many heard numbers moved. SIZE_MAX: nobody knows. */
static size_t count_moving(const outline *now, const outline *then)
{
    size_t n = 0;
    if (!follow_alike(now, then))
        return SIZE_MAX;
    for (size_t i = 0; i < now->count; i++)
        n += now->numbers[i] != then->numbers[i];
    return n;
}

/* Does a visit come later than it could? */
static bool later(const follow_question *q)
{
    bool any = false;
    for (int i = 0; i < FOLLOW_DELAYS; i++)
        any |= q->delays.ms[i] > 0;
    return any;
}

/* A follower that begins later. */
typedef struct { const follower *f; int64_t by_ms; } later_follower;

static bool at_later(void *context, const follow_question *q, outline *out, outline *heard)
{
    const later_follower *l = context;
    follow_question later = *q;
    later.ms += l->by_ms;
    return l->f->at(l->f->context, &later, out, heard);
}

/* In an interval without an end, only a number of seconds goes up in the next millisecond: the second that begins there
 * is as this one, and no stop. What comes behind it? */
static finding find_behind(const comparison *c, const follow_question *q)
{
    later_follower by_one = { .f = c->f, .by_ms = 1 };
    follower f = *c->f;
    f.context = &by_one;
    f.at = at_later;
    f.now_ms++;
    f.passed_ms += f.passed_ms > 0;
    finding x = follow_within(&f, q, INT64_MAX);
    x.ms += x.ms < INT64_MAX;
    x.second_ms = 0;
    return x;
}

finding follow_within(const follower *f, const follow_question *q, int64_t last_ms)
{
    finding x = { .ms = INT64_MAX };
    comparison c = { .f = f, .ask = *q };
    meeting_points m = { 0 };
    c.possible = f->at(f->context, &c.ask, &c.now, &c.heard_now);
    c.slopes = mem_zero((c.now.count + 1) * sizeof *c.slopes);
    c.first = mem_zero((c.now.count + 1) * sizeof *c.first);
    bool hears = hears_time(&m, &c, last_ms, &x.leaves);
    x.moving = count_moving(&c.heard_now, &ask(&c, 2)->heard);
    if (hears) {
        outline held = { 0 }, none = { 0 };
        follow_question state = { .waits = q->waits };
        f->at(f->context, &state, &held, m.sent ? &none : NULL);
        if (!(f->without & STOPS_HEARD))
            meeting_add_outline(&m, f, &c.heard_now);
        if (!(f->without & STOPS_HELD))
            meeting_add_outline(&m, f, &held);
        outline_free(&held);
        outline_free(&none);
        for (size_t i = 0; i < c.heard_now.later_count; i++)
            list_add(&m.later, c.heard_now.later_ms[i]);
        bool far = q->waits > FOLLOW_WAITS_NEAR || later(q);
        x.ms = far ? search_with(&c, &m, last_ms, false) : search(&c, &m, last_ms);
        x.ms = or_last(&c, x.ms);
        x.second_ms = next_second_ms(&c);
        x.clock_ms = m.clock && !x.second_ms ? second_of_clocks(&c, last_ms == INT64_MAX) : 0;
    }
    if (x.ms == 1 && x.second_ms == 1 && last_ms == INT64_MAX && only_jumps(&c, 1)) {
        finding behind = find_behind(&c, q);
        x.ms = behind.ms;
        x.second_ms = 0;
    }
    x.cut = c.heard_now.cut || c.then->heard.cut;
    x.leaves &= c.heard_now.open || c.then->heard.open;
    x.ranges = c.heard_now.ranges || c.then->heard.ranges;
    meeting_forget(&m);
    forget_comparison(&c);
    return x;
}

int64_t follow_first(const follower *f, const step *s, int64_t upto_ms)
{
    int64_t last_ms = upto_ms == INT64_MAX ? INT64_MAX : upto_ms - 1, first_ms = INT64_MAX;
    if (last_ms <= 0 || (upto_ms == INT64_MAX && (f->without & STOPS_BEYOND)))
        return INT64_MAX;
    follow_question ask = { .step = s, .waits = FOLLOW_WAITS_NEAR };
    finding near = follow_within(f, &ask, last_ms), far = { .second_ms = 0 };
    follow_shorten(near.ms, &last_ms, &first_ms);
    if (near.cut && last_ms > 0 && !(f->without & (STOPS_FURTHER | STOPS_WAITS))) {
        ask.waits = FOLLOW_WAITS_FAR;
        far = follow_within(f, &ask, last_ms);
        follow_shorten(far.ms, &last_ms, &first_ms);
    }
    if (near.ranges && last_ms > 0 && !(f->without & STOPS_RANGES)) {
        follow_question ended = { .step = s, .waits = FOLLOW_WAITS_NEAR, .ranges = true };
        follow_shorten(follow_within(f, &ended, last_ms).ms, &last_ms, &first_ms);
    }
    if (near.leaves && last_ms > 0 && !(f->without & STOPS_VISITS))
        follow_shorten(follow_visited(f, s, near.moving, last_ms), &last_ms, &first_ms);
    int64_t second_ms = near.second_ms ? near.second_ms : far.second_ms;
    if (second_ms && !(f->without & STOPS_LAST)) {
        second_ms = end_of_second(second_ms, last_ms == INT64_MAX);
        if (second_ms <= last_ms)
            first_ms = second_ms;
    } else if ((f->seconds || f->time_of_day) && !(f->without & (STOPS_LAST | STOPS_CLOCKS))) {
        int64_t clock_ms = near.clock_ms ? near.clock_ms : far.clock_ms, full_ms = 1000 - f->now_ms % 1000;
        if (!clock_ms && near.leaves && full_ms > 1)
            clock_ms = full_ms == 1000 ? 999 : full_ms;
        if (clock_ms && clock_ms <= last_ms)
            first_ms = clock_ms;
    }
    return first_ms;
}
