/* exhaustive.c - visits every state within the scenario's bounds, breadth first, by table look-ups (vector.h): the
 * first way to a state is a shortest one. Rows are kept for the current level and the next only; the visited set
 * identifies every state by its fingerprint. */
#include "search/exhaustive_internal.h"

#include <assert.h>
#include <string.h>

#include "base/size.h"
#include "search/growth.h"
#include "search/profile.h"
#include "search/whole.h"
#include "world/orders.h"

/* Enough to make the findings' ways, and to free everything else. */
enum { RESERVE_BYTES = 8 << 20 };

void exhaustive_stop_for_memory(exhaustive *s)
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

/* Some code depends on more than the distance from now, while the tables' states only hold distances: the tables are
 * wrong. */
static bool tables_are_wrong(exhaustive *s)
{
    str why;
    if (!s->wrong.n && parts_absolute(vectors_parts(s->t), &why))
        s->wrong = arena_str(s->h->a, why);
    return s->wrong.n > 0;
}

/* Something tells clients apart that counted as equal. */
static bool is_apart(exhaustive *s)
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

static bool all_settled(const hunt *h)
{
    if (h->found[PROPERTY_EQUIVALENT].yes)
        return true;       /* with a client's difference found, further ones are not needed */
    if (h->o->glance && run_surprised(h))
        return true;
    for (int p = 0; p < PROPERTY_COUNT; p++)
        if (h->sc->model.judged[p] && (!h->found[p].yes || (h->o->signatures && h->sc->expect[p] == EXPECT_VIOLATED)))
            return false;
    return true;
}

/* States that were met but not fully expanded. */
static uint64_t not_gone_on_from(const exhaustive *s)
{
    size_t done = s->at;
    if (s->out < s->in && s->line[s->out].state - s->now.first < done)
        done = s->line[s->out].state - s->now.first;
    return s->now.count - done + s->next.count;
}

static void measure(exhaustive *s)
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

/* If every grant is taken for a refusal, clients ask for ever, and what the server counts grows without end. */
static bool shows_nothing(exhaustive *s)
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

static checkpointed all_of(exhaustive *s)
{
    return (checkpointed){ .h = s->h, .t = s->t, .seen = s->seen, .now = &s->now, .next = &s->next,
                           .learned = &s->learned, .attempt = s->attempt };
}

static void keep(exhaustive *s)
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

static bool go_on(exhaustive *s)
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

static bool is_due(const exhaustive *s)
{
    const search_options *o = s->h->o;
    return s->learned.width && o->elapsed_ms(o->context) - s->kept_ms >= o->checkpoints->every_ms;
}

/* A violation makes a search with ample sets useless: a search without them has to find its story. */
static bool breaks(exhaustive *s)
{
    hunt *h = s->h;
    if (!h->ample)
        return false;
    h->ample_breaks |= h->failed || h->refused || vectors_ample_failed(s->t);
    for (int p = 0; p < PROPERTY_COUNT; p++)
        h->ample_breaks |= h->found[p].yes;
    return h->ample_breaks;
}

/* The tables are wrong, or the rest would tell nothing more. */
static bool is_over(exhaustive *s)
{
    return tables_are_wrong(s) || is_apart(s) || s->h->vacuous.n > 0 || breaks(s);
}

bool exhaustive_must_stop(exhaustive *s)
{
    hunt *h = s->h;
    measure(s);
    mem_keep_back(RESERVE_BYTES);
    const char *why = run_must_stop(h, h->o->time_limit_ms);
    if (why)
        run_stop(h, str_from(why));
    else if (mem_is_low() || (h->max_memory && h->at.bytes > h->max_memory))
        exhaustive_stop_for_memory(s);
    else if (shows_nothing(s))
        run_stop(h, h->vacuous);
    bool over = is_over(s);
    if (!over && s->learned.width && (h->stopped || is_due(s)))
        keep(s);
    return h->stopped || over;
}

static void begin(exhaustive *s)
{
    bool fresh;
    uint32_t broken;
    const uint32_t *first = vectors_begin(s->t, &broken);
    exhaustive_note(s, 0, 0, NULL, broken);
    folded one = vectors_folds(s->t) ? exhaustive_fold(s, first)
                 : (folded){ .print = vectors_print(s->t, first), .stands_for = 1 };
    visited_add(s->seen, one.print, 0, &fresh);
    s->stand_for = one.stands_for;
    memcpy(level_add(&s->next), first, s->next.width * sizeof *first);
}

/* A row that leaves the line must be the state that entered it: a wrong print would merge two states silently. */
static bool is_what_entered(const exhaustive *s, size_t at)
{
    uint32_t state = s->now.first + (uint32_t)at;
    const uint32_t *row = level_row(&s->now, at);
    bool found = vectors_folds(s->t) || visited_find(s->seen, vectors_print(s->t, row)) == state;
    return found && vectors_row_is_whole(s->t, row) && visited_parent(s->seen, state) <= state;
}

static void check_level(const exhaustive *s)
{
    enum { ONE_IN = 61 };              /* checking all rows would cost a tenth of the time */
    bool room = visited_count(s->seen) > 0;        /* otherwise not even the first state found room */
    for (size_t at = 0; room && at < s->now.count; at += ONE_IN)
        assert(is_what_entered(s, at));
}

static void begin_level(exhaustive *s)
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

static void breadth_first(exhaustive *s)
{
    hunt *h = s->h;
    bool more = true, within = s->at < s->now.count;     /* a checkpoint may lie within a level */
    while (more && (within || (s->next.count > 0 && !(h->settled = all_settled(h))))) {
        if (!within)
            begin_level(s);
        within = false;
        more = exhaustive_expand(s) && !breaks(s);
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

/* An infinite graph looks like a large one, so this names what makes it infinite. */
static void say_growth(exhaustive *s)
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

static void report(exhaustive *s, bool rerun)
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
    h->out->search.client_repeats = c.repeats;
}

/* The profile is made whenever a limit came first, even unasked: waiting longer would not help. */
static void say_profile(exhaustive *s)
{
    const hunt *h = s->h;
    bool cut = h->stopped && !h->enough && !h->o->untold && !h->o->glance && !h->vacuous.n;
    if ((h->o->profile || cut) && !h->o->no_memo && !h->time_of_day.n && !mem_is_low())
        profile_take(s->h, s->t, s->seen);
}

/* The first pass, the second pass, and their results. */
static void search_all(exhaustive *s, bool rerun)
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
        h->failed = false;             /* findings before the error are reported all the same */
        if (!h->o->untold && !(h->o->glance && run_surprised(h)))
            whole_search(h, s->t, s->seen, (uint32_t)(visited_count(s->seen) - not_gone_on_from(s)));
        if (s->learned.width && !h->stopped && !failed && run_must_stop(h, h->o->time_limit_ms))
            keep(s);       /* the second pass has no checkpoint */
        h->failed |= failed;
    }
    if (!tables_are_wrong(s) && !is_apart(s)) {    /* the second pass may have noticed it */
        report(s, rerun);
        say_profile(s);
    }
}

str search_states(hunt *h, str time_of_day)
{
    bool rerun = h->o->no_memo || time_of_day.n > 0;
    exhaustive s = { .h = h, .t = vectors_new(h, time_of_day.n > 0), .wrong = S(""),
                     .decided = h->o->together_rows > 0 };
    if (!s.t)
        return s.wrong;
    mem_keep_back(RESERVE_BYTES);
    h->time_of_day = time_of_day;
    s.seen = visited_new(h->max_memory);
    visited_spill(s.seen, h->o->spill);
    s.now.spill = s.next.spill = h->o->spill;
    s.states_max = h->max_states && h->max_states < VISITED_FULL ? h->max_states : VISITED_FULL;
    s.now.width = s.next.width = vectors_width(s.t);
    s.recent = mem_zero(EXHAUSTIVE_RECENT * sizeof *s.recent);
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
