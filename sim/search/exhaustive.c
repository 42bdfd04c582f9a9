/* exhaustive.c - every state within the scenario's bounds, breadth first, by table lookups (vector.h): the first way to
 * a state is a shortest one. Rows are kept of the current level and the next only; the visited set knows every state by
 * its fingerprint. */
#include <assert.h>
#include <inttypes.h>
#include <string.h>

#include "base/size.h"
#include "search/checkpoint.h"
#include "search/exhaustive.h"
#include "search/forecast.h"
#include "search/growth.h"
#include "search/parallel.h"
#include "search/profile.h"
#include "world/orders.h"
#include "search/whole.h"

/* A few rows are looked at before what happens there arrives in the visited set, so that its memory is there when it
 * is asked. First in, first out: states get the numbers they would get without it. Always so many rows of a level,
 * counted from its first: where a limit ends the search, what was looked at does not depend on how the level was gone
 * through. */
enum { FEW_ROWS = 16, RECENT = 1 << 14 };
typedef struct {
    happening x;
    const uint32_t *from;  /* the row it happens in */
    uint32_t state;
    size_t made;           /* the place of its own row, where that is made already */
    bool is_made;
    uint64_t stands_for;
} waiting;

typedef struct {
    hunt *h;
    vectors *t;
    visited *seen;
    level now, next;
    print *recent;         /* states that were met lately, by a few bits of their prints: most are met several times in
                            * a row */
    waiting *line;
    size_t in, out, line_cap;          /* out: those that have arrived */
    uint32_t *made;        /* rows of those in line that are made already */
    size_t made_count, made_cap;
    parallel *crew;        /* NULL: one thread so far */
    bool alone, halted;    /* alone: one thread must do the rest; halted: while it learned for all */
    bool decided;          /* whether the scenario shows nothing: until then one thread asks when it always asks */
    uint64_t stand_for;    /* states that were met stand for so many */
    uint32_t depth;
    size_t at;             /* of the level `now`: gone on from so many */
    forecast levels;       /* up to `now` */
    uint64_t states_max;
    uint64_t ran;          /* pieces of Lua, when must_stop was asked last */
    size_t peak_bytes;
    str wrong;             /* why the tables must not be believed; empty: they may */
    journal learned;       /* width 0: nothing is kept */
    size_t attempt;
    int64_t kept_ms;       /* when the last checkpoint was made, or the search began */
} search;

/* Enough to tell the ways to what was found, and to free everything else. */
enum { RESERVE_BYTES = 8 << 20 };

/* ---- what is asked of the tables, and kept where it taught something ---- */

static uint64_t known(const search *s)
{
    return s->learned.width ? journal_known(s->t) : 0;
}

static void note_learned(search *s, uint64_t before, asked_kind kind, const uint32_t *row)
{
    if (s->learned.width && journal_known(s->t) != before)
        journal_add(&s->learned, s->t, kind, row);
}

static bool look(search *s, const uint32_t *row, const happening **list, size_t *count, size_t *same)
{
    uint64_t before = known(s);
    bool ok = vectors_look(s->t, row, list, count, same);
    note_learned(s, before, ASKED_LOOK, row);
    return ok;
}

/* Whose steps are all that has to be gone on from; NOBODY: everything is. */
static uint32_t ample(search *s, const uint32_t *row, const happening *list, size_t count)
{
    return s->h->ample ? vectors_ample(s->t, row, list, count) : NOBODY;
}

static folded fold(search *s, const uint32_t *row)
{
    uint64_t before = known(s);
    folded f = vectors_fold(s->t, row);
    note_learned(s, before, ASKED_FOLD, row);
    return f;
}

static uint32_t settle(search *s, const uint32_t *row)
{
    uint64_t before = known(s);
    uint32_t broken = vectors_settle(s->t, row);
    note_learned(s, before, ASKED_SETTLE, row);
    return broken;
}

/* ---- */

static void stop_for_memory(search *s)
{
    hunt *h = s->h;
    buf b = { 0 };
    if (mem_is_low() || !h->max_memory)
        buf_addz(&b, "the machine gave no more memory");
    else {
        buf_addz(&b, "the limit of ");
        size_print(h->max_memory, &b);
        buf_addz(&b, " of memory came first");
    }
    run_stop(h, buf_str(&b));
    buf_free(&b);
}

/* Something looked at more of the time than the distance from now, and the tables know states by distances only: what
 * they say is not so everywhere. */
static bool tables_are_wrong(search *s)
{
    str why;
    if (!s->wrong.n && parts_absolute(vectors_parts(s->t), &why))
        s->wrong = arena_str(s->h->a, why);
    return s->wrong.n > 0;
}

/* Something tells clients apart that looked equal. */
static bool is_apart(search *s)
{
    hunt *h = s->h;
    str why;
    if (!vectors_folds(s->t) || h->apart.n)
        return h->apart.n > 0 && vectors_folds(s->t);
    if (parts_apart(vectors_parts(s->t), &why) || (h->orders && orders_apart(h->orders, &why)))
        h->apart = arena_str(h->a, why);
    else if (ids_are_written(h->sc) && !(h->equals->without & EQUALS_WITHOUT_SPELLING))
        h->apart = S("the code names an id");
    return h->apart.n > 0;
}

static void note(search *s, uint32_t state, size_t choice, const happening *x, uint32_t broken)
{
    for (int p = 0; p < PROPERTY_COUNT; p++) {
        finding *f = &s->h->found[p];
        if (!(broken >> p & 1) || f->yes || !s->h->sc->model.judged[p])
            continue;
        f->yes = true;
        f->steps = s->depth + (x != NULL);
        f->state = state;
        f->choice = choice;
        f->settled = x == NULL;
    }
}

static bool all_settled(const hunt *h)
{
    if (h->found[PROPERTY_EQUIVALENT].yes)
        return true;       /* once a client can tell, nobody asks what else differs */
    if (h->o->glance && run_surprised(h))
        return true;
    for (int p = 0; p < PROPERTY_COUNT; p++)
        if (h->sc->model.judged[p] && (!h->found[p].yes || (h->o->signatures && h->sc->expect[p] == EXPECT_VIOLATED)))
            return false;
    return true;
}

static bool only_faults_left(const happening *list, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (!list[i].fault)
            return false;
    return true;
}

/* No room for the state that is first in line, the `number`-th: why not? Always false. */
static bool full(search *s, uint32_t number)
{
    hunt *h = s->h;
    s->out--;              /* it stays in line: its parent has not been gone on from */
    if (number != VISITED_FULL)
        run_stop(h, arena_printf(h->a, "the limit of %" PRIu64 " states came first", s->states_max));
    else if (visited_count(s->seen) >= VISITED_FULL - 1)
        run_stop(h, S("there are more states than it can number"));
    else
        stop_for_memory(s);
    return false;
}

/* The first in line leads to a state that is new, or not. */
static bool arrive(search *s)
{
    const waiting *w = &s->line[s->out++];
    bool fresh;
    uint32_t number = visited_add(s->seen, w->x.print, w->state, &fresh);
    if (number >= s->states_max && (fresh || number == VISITED_FULL))
        return full(s, number);
    s->stand_for += fresh ? w->stands_for : 0;
    if (fresh && w->is_made)
        memcpy(level_add(&s->next), s->made + w->made, s->next.width * sizeof *s->made);
    else if (fresh)
        vectors_row(s->t, w->from, &w->x, level_add(&s->next));
    return true;
}

static void line_up(search *s, const happening *x, const uint32_t *row, uint32_t state)
{
    print *last = &s->recent[x->print.hi % RECENT];
    if (last->hi == x->print.hi && last->lo == x->print.lo)
        return;
    last->hi = x->print.hi;            /* by its parts: what was just written so cannot be read as one */
    last->lo = x->print.lo;
    MEM_RESERVE(s->line, s->line_cap, s->in + 1);
    waiting *w = &s->line[s->in++];
    w->x.print.hi = x->print.hi;
    w->x.print.lo = x->print.lo;
    w->stands_for = 1;
    w->x.change = x->change;
    w->x.process = x->process;
    w->x.model = x->model;
    w->from = row;
    w->state = state;
    w->is_made = !x->change || vectors_folds(s->t);    /* it keeps its own print, not that of its canonical form */
    if (w->is_made) {
        MEM_RESERVE(s->made, s->made_cap, s->made_count + s->next.width);
        w->made = s->made_count;
        s->made_count += s->next.width;
        vectors_row(s->t, row, x, s->made + w->made);
    }
    if (vectors_folds(s->t)) {
        folded f = fold(s, s->made + w->made);
        w->x.print = f.print;
        w->stands_for = f.stands_for;
    }
    visited_prefetch(s->seen, w->x.print);
}

/* All that can happen in the `at`-th row, with the properties that break. false: an error. */
static bool look_at_row(search *s, size_t at, const happening **list, size_t *count, size_t *same)
{
    uint32_t state = s->now.first + (uint32_t)at;
    const uint32_t *row = level_row(&s->now, at);
    if (!look(s, row, list, count, same))
        return false;
    for (size_t i = 0; i < *count; i++)
        if ((*list)[i].broken)
            note(s, state, (*list)[i].number, &(*list)[i], (*list)[i].broken);
    return true;
}

/* ... and where nothing but faults can. */
static void look_at_rest(search *s, size_t at, const happening *list, size_t count, size_t same)
{
    if (same == 0 && only_faults_left(list, count))
        note(s, s->now.first + (uint32_t)at, 0, NULL, settle(s, level_row(&s->now, at)));
}

static bool expand_state(search *s, size_t at)
{
    const happening *list;
    size_t count, same;
    if (!look_at_row(s, at, &list, &count, &same))
        return false;
    uint32_t only = ample(s, level_row(&s->now, at), list, count);
    same = only == NOBODY ? same : 0;
    s->h->out->search.transitions += same;
    s->h->out->search.same += same;
    for (size_t i = 0; i < count; i++) {
        if (happening_waits(&list[i], only))
            continue;
        s->h->out->search.transitions++;
        if (list[i].same)
            s->h->out->search.same++;
        else
            line_up(s, &list[i], level_row(&s->now, at), s->now.first + (uint32_t)at);
    }
    look_at_rest(s, at, list, count, same);
    return true;
}

/* Whatever Lua runs is slow against looking up: then it looks sooner. */
static bool must_look(search *s)
{
    enum { STATES_BETWEEN_LOOKS = 1024, RUNS_BETWEEN_LOOKS = 256 };
    part_counts c = parts_count(vectors_parts(s->t));
    uint64_t ran = c.scripts + c.clients + vectors_requests(s->t);
    bool often = s->learned.width && s->h->o->checkpoints->often;
    if (!often && s->at % STATES_BETWEEN_LOOKS != 0 && !vectors_slow(s->t) && ran - s->ran < RUNS_BETWEEN_LOOKS)
        return false;
    s->ran = ran;
    return true;
}

/* States that were met, and not everything that can happen in them was. */
static uint64_t not_gone_on_from(const search *s)
{
    size_t done = s->at;
    if (s->out < s->in && s->line[s->out].state - s->now.first < done)
        done = s->line[s->out].state - s->now.first;
    return s->now.count - done + s->next.count;
}

static void measure(search *s)
{
    hunt *h = s->h;
    uint64_t met = visited_count(s->seen);
    size_t bytes = visited_bytes(s->seen) + level_bytes(&s->now) + level_bytes(&s->next) + vectors_bytes(s->t) +
                   parallel_bytes(s->crew) + s->learned.cap * sizeof *s->learned.words;
    s->peak_bytes = bytes > s->peak_bytes ? bytes : s->peak_bytes;
    h->taken = h->out->search.transitions;
    h->out->search.states = met < s->states_max ? met : s->states_max;
    h->out->search.bytes = s->peak_bytes;
    h->out->search.stand_for = vectors_folds(s->t) ? s->stand_for : 0;
    h->at = (search_progress){ .states = h->out->search.states, .depth = s->depth, .waiting = not_gone_on_from(s),
                               .bytes = bytes, .bytes_max = h->max_memory, .growth = forecast_growth(&s->levels) };
    uint64_t beyond = forecast_beyond(&s->levels);
    h->at.to_come = beyond ? s->now.count - s->at + beyond : 0;
}

/* Whoever takes every grant for a refusal asks for ever, and what the server counts grows without end. */
static bool shows_nothing(search *s)
{
    enum { STATES_WITHOUT_A_GRANT = 20000 };
    hunt *h = s->h;
    h->seen = vectors_seen(s->t);
    s->decided |= hunt_granted(h);
    if (h->plain_asked || visited_count(s->seen) < STATES_WITHOUT_A_GRANT)
        return h->vacuous.n > 0;
    s->decided = true;
    return plain_is_vacuous(h);
}

/* ---- checkpoints: between two rows ---- */

static checkpointed all_of(search *s)
{
    return (checkpointed){ .h = s->h, .t = s->t, .seen = s->seen, .now = &s->now, .next = &s->next,
                           .learned = &s->learned, .attempt = s->attempt };
}

static void keep(search *s)
{
    const hunt *h = s->h;
    standing at;
    memset(&at, 0, sizeof at);
    at.at = s->at;
    at.transitions = h->out->search.transitions;
    at.same = h->out->search.same;
    at.stand_for = s->stand_for;
    at.ran = s->ran;
    at.peak_bytes = s->peak_bytes;
    at.depth = s->depth;
    at.decided = s->decided;
    memcpy(&at.levels, &s->levels, sizeof at.levels);
    checkpointed all = all_of(s);
    checkpoint_save(&all, &at);
    s->kept_ms = h->o->elapsed_ms(h->o->context);
}

static bool go_on(search *s)
{
    hunt *h = s->h;
    standing at;
    checkpointed all = all_of(s);
    if (!s->learned.width || !checkpoint_load(&all, &at))
        return false;
    s->at = at.at;
    h->out->search.transitions = at.transitions;
    h->out->search.same = at.same;
    s->stand_for = at.stand_for;
    s->ran = at.ran;
    s->peak_bytes = at.peak_bytes;
    s->depth = (uint32_t)at.depth;
    s->decided = at.decided;
    s->levels = at.levels;
    return true;
}

static bool is_due(const search *s)
{
    const search_options *o = s->h->o;
    return s->learned.width && o->elapsed_ms(o->context) - s->kept_ms >= o->checkpoints->every_ms;
}

/* What was searched with ample sets is of no use: something breaks, so that a search without has to tell how. */
static bool breaks(search *s)
{
    hunt *h = s->h;
    if (!h->ample)
        return false;
    h->ample_breaks |= h->failed || h->refused || vectors_ample_failed(s->t);
    for (int p = 0; p < PROPERTY_COUNT; p++)
        h->ample_breaks |= h->found[p].yes;
    return h->ample_breaks;
}

/* Nothing that the tables said counts, or a person need not wait for more. */
static bool is_over(search *s)
{
    return tables_are_wrong(s) || is_apart(s) || s->h->vacuous.n > 0 || breaks(s);
}

static bool must_stop(search *s)
{
    hunt *h = s->h;
    measure(s);
    mem_keep_back(RESERVE_BYTES);
    const char *why = run_must_stop(h, h->o->time_limit_ms);
    if (why)
        run_stop(h, str_from(why));
    else if (mem_is_low() || (h->max_memory && h->at.bytes > h->max_memory))
        stop_for_memory(s);
    else if (shows_nothing(s))
        run_stop(h, h->vacuous);
    bool over = is_over(s);
    if (!over && s->learned.width && (h->stopped || is_due(s)))
        keep(s);
    return h->stopped || over;
}

/* One thread goes on from the next few rows. */
static bool expand_few(search *s)
{
    if ((must_look(s) || mem_is_low()) && must_stop(s))
        return false;
    for (size_t i = 0; i < FEW_ROWS && s->at < s->now.count; i++, s->at++)
        if (!expand_state(s, s->at))
            return false;
    while (s->out < s->in)
        if (!arrive(s))
            return false;
    s->in = s->out = s->made_count = 0;
    return true;
}

/* So that its canonical form is known. */
static void fold_row(search *s, size_t at, const happening *x)
{
    if (x->same)
        return;
    MEM_RESERVE(s->made, s->made_cap, s->next.width);
    vectors_row(s->t, level_row(&s->now, at), x, s->made);
    fold(s, s->made);
}

/* For parallel_work. */
static bool learn_row(void *context, size_t at, size_t *count)
{
    search *s = context;
    const happening *list;
    size_t same;
    s->halted = (must_look(s) || mem_is_low()) && must_stop(s);
    if (s->halted)
        return false;
    if (!look_at_row(s, at, &list, count, &same)) {
        vectors_forgive(s->t);         /* it will be met again, by one thread */
        return false;
    }
    uint32_t only = ample(s, level_row(&s->now, at), list, *count);
    if (vectors_folds(s->t))
        for (size_t i = 0; i < *count; i++)
            if (!happening_waits(&list[i], only))
                fold_row(s, at, &list[i]);
    look_at_rest(s, at, list, *count, same);
    *count += same;
    return true;
}

static uint32_t asked(void *context)
{
    const hunt *h = ((search *)context)->h;
    uint32_t all = 0;
    for (int p = 0; p < PROPERTY_COUNT; p++)
        if (h->sc->model.judged[p] && !h->found[p].yes)
            all |= UINT32_C(1) << p;
    return all;
}

/* Several threads go on from the next rows. */
static bool expand_many(search *s, size_t threads)
{
    hunt *h = s->h;
    parallel_work w = { .now = &s->now, .next = &s->next, .from = s->at, .room = s->states_max - visited_count(s->seen),
                        .learn = learn_row, .asked = asked, .context = s };
    if (must_stop(s))
        return false;
    parallel_done d = parallel_go_on(s->crew, &w, threads);
    h->out->search.transitions += d.transitions;
    h->out->search.same += d.same;
    s->stand_for += d.stand_for;
    s->at += d.rows;
    s->alone = d.alone;
    if (d.full || d.low)
        stop_for_memory(s);
    return !d.full && !d.low && !s->halted;
}

/* How many more threads may take part now. Results do not depend on it. */
static size_t helpers(search *s)
{
    const search_options *o = s->h->o;
    enum { MEMORY_MIN = 64 << 20 };    /* below it a limit ends every search at the very same state */
    size_t least = o->together_rows ? o->together_rows : PARALLEL_ROWS_MIN;
    if (!o->cores || !s->decided || s->alone || s->now.count - s->at < least || vectors_slow(s->t) ||
        (s->h->max_memory && s->h->max_memory < MEMORY_MIN))
        return 0;
    size_t taken = cores_take(o->cores, TEAM_MAX - 1);
    if (taken > 0 && !s->crew) {
        s->crew = parallel_new(s->h, s->t, s->seen, least < PARALLEL_ROWS_MIN ? FEW_ROWS : PARALLEL_SLICE_ROWS);
        s->alone = !s->crew;
    }
    if (!s->crew) {
        cores_give(o->cores, taken);
        return 0;
    }
    return taken;
}

static bool expand_level(search *s)
{
    bool more = true;
    while (more && s->at < s->now.count) {
        size_t taken = helpers(s);
        more = taken > 0 ? expand_many(s, taken + 1) : expand_few(s);
        cores_give(s->h->o->cores, taken);
    }
    return more;
}

static void begin(search *s)
{
    bool fresh;
    uint32_t broken;
    const uint32_t *first = vectors_begin(s->t, &broken);
    note(s, 0, 0, NULL, broken);
    folded one = vectors_folds(s->t) ? fold(s, first)
                 : (folded){ .print = vectors_print(s->t, first), .stands_for = 1 };
    visited_add(s->seen, one.print, 0, &fresh);
    s->stand_for = one.stands_for;
    memcpy(level_add(&s->next), first, s->next.width * sizeof *first);
}

/* A row that leaves the line is the state that entered: a wrong print would take two states for one without a word. */
static bool is_what_entered(const search *s, size_t at)
{
    uint32_t state = s->now.first + (uint32_t)at;
    const uint32_t *row = level_row(&s->now, at);
    bool found = vectors_folds(s->t) || visited_find(s->seen, vectors_print(s->t, row)) == state;
    return found && vectors_row_is_whole(s->t, row) && visited_parent(s->seen, state) <= state;
}

static void check_level(const search *s)
{
    enum { ONE_IN = 61 };              /* all of them would cost a tenth of the time */
    bool room = visited_count(s->seen) > 0;        /* else not even the first state found any */
    for (size_t at = 0; room && at < s->now.count; at += ONE_IN)
        assert(is_what_entered(s, at));
}

static void begin_level(search *s)
{
    uint32_t first = s->now.first + (uint32_t)s->now.count;
    level_clear(&s->now);
    level done = s->now;
    s->now = s->next;
    s->next = (level){ .width = done.width, .spill = done.spill };
    s->now.first = first;
    s->at = 0;
    check_level(s);
    forecast_add(&s->levels, s->now.count);
}

static void breadth_first(search *s)
{
    hunt *h = s->h;
    bool more = true, within = s->at < s->now.count;     /* a checkpoint may lie within a level */
    while (more && (within || (s->next.count > 0 && !(h->settled = all_settled(h))))) {
        if (!within)
            begin_level(s);
        within = false;
        more = expand_level(s) && !breaks(s);
        s->depth++;
        if (more && h->o->first_failure && run_surprised(h)) {
            run_stop(h, S("the first failure was enough"));
            h->enough = true;
            break;
        }
    }
    measure(s);
    h->out->search.waiting = h->at.waiting;
    h->out->search.longest = s->depth ? s->depth - 1 : 0;
    h->out->search.complete = more && s->next.count == 0 && !h->failed;
}

/* A graph without end looks like a large one until somebody says what makes it so. */
static void say_growth(search *s)
{
    hunt *h = s->h;
    if (!h->stopped || h->failed || h->o->glance || (h->o->first_failure && run_surprised(h)) || mem_is_low() ||
        visited_count(s->seen) == 0)
        return;
    h->grows = growth_say(h, s->t, s->seen, (uint32_t)h->out->search.states - 1);
    if (h->grows.n)
        h->out->reason = arena_printf(h->a, "%.*s; what kept growing: %.*s", STR_ARG(h->out->reason),
                                      STR_ARG(h->grows));
}

static void report(search *s, bool rerun)
{
    hunt *h = s->h;
    measure(s);
    h->seen = vectors_seen(s->t);
    h->out->search.odds = visited_odds(h->out->search.states);
    part_counts c = parts_count(vectors_parts(s->t));
    if (vectors_folds(s->t) && h->meetings)
        meetings_equal(h->meetings, h->equals);
    h->observed = c.locks > 0;
    h->views_differ = arena_str(h->a, parts_views_differ(vectors_parts(s->t)));
    h->out->search.executions = rerun ? vectors_requests(s->t) : c.scripts;
    h->out->search.client_runs = c.clients;
}

/* Of what it holds; where a limit came first, whether somebody asked or not: anyone who waits longer waits in vain. */
static void say_profile(search *s)
{
    const hunt *h = s->h;
    bool cut = h->stopped && !h->enough && !h->o->untold && !h->o->glance && !h->vacuous.n;
    if ((h->o->profile || cut) && !h->o->no_memo && !h->time_of_day.n && !mem_is_low())
        profile_take(s->h, s->t, s->seen);
}

/* The first pass, the second, and what they show. */
static void search_all(search *s, bool rerun)
{
    hunt *h = s->h;
    breadth_first(s);
    if (breaks(s) && !h->ample_tells.n)
        return;
    if (breaks(s))
        run_stop(h, h->ample_tells);
    if (!tables_are_wrong(s) && !is_apart(s)) {
        if (is_due(s) && !h->stopped && !h->failed)
            keep(s);
        say_growth(s);
        h->taken = h->out->search.transitions;
        bool failed = h->failed;
        if (failed)
            vectors_go_back(s->t);
        h->failed = false;             /* what was found before the error is told all the same */
        if (!h->o->untold && !(h->o->glance && run_surprised(h)))
            whole_search(h, s->t, s->seen, (uint32_t)(visited_count(s->seen) - not_gone_on_from(s)));
        if (s->learned.width && !h->stopped && !failed && run_must_stop(h, h->o->time_limit_ms))
            keep(s);       /* of the second pass nothing is */
        h->failed |= failed;
    }
    if (!tables_are_wrong(s) && !is_apart(s)) {    /* perhaps the second pass has noticed */
        report(s, rerun);
        say_profile(s);
    }
}

str search_states(hunt *h, str time_of_day)
{
    bool rerun = h->o->no_memo || time_of_day.n > 0;
    search s = { .h = h, .t = vectors_new(h, time_of_day.n > 0), .wrong = S(""), .decided = h->o->together_rows > 0 };
    if (!s.t)
        return s.wrong;
    mem_keep_back(RESERVE_BYTES);
    h->time_of_day = time_of_day;
    s.seen = visited_new(h->max_memory);
    visited_spill(s.seen, h->o->spill);
    s.now.spill = s.next.spill = h->o->spill;
    s.states_max = h->max_states && h->max_states < VISITED_FULL ? h->max_states : VISITED_FULL;
    s.now.width = s.next.width = vectors_width(s.t);
    s.recent = mem_zero(RECENT * sizeof *s.recent);
    s.attempt = (*h->attempts)++;
    if (h->o->checkpoints && !rerun) {
        s.learned.width = s.now.width;
        s.kept_ms = h->o->elapsed_ms(h->o->context);
    }
    bool begun = go_on(&s);
    if (!begun && !h->refused)
        begin(&s);
    if (!h->refused)
        search_all(&s, rerun);
    parallel_free(s.crew);
    mem_free(s.line);
    mem_free(s.made);
    mem_free(s.recent);
    level_clear(&s.now);
    level_clear(&s.next);
    mem_free(s.learned.words);
    visited_free(s.seen);
    vectors_free(s.t);
    mem_give_back();
    return s.wrong;
}
