/* exhaustive_expand.c - looks up what can happen in the rows of a level, and adds the next states: by one thread, or by
 * several with the same results (parallel.h). */
#include "search/exhaustive_internal.h"

#include <inttypes.h>
#include <string.h>

/* The next states wait for FEW_ROWS rows in a line (first in, first out) before they are looked up in the visited set,
 * so that its memory is prefetched. Their numbers are the same as without the line. The batches are counted from the
 * first row of a level: where a limit ends the search, the states looked at do not depend on the number of threads. */
enum { FEW_ROWS = 16 };

/* ---- asking the tables, and recording what taught something ---- */

static uint64_t known(const exhaustive *s)
{
    return s->learned.width ? journal_known(s->t) : 0;
}

static void note_learned(exhaustive *s, uint64_t before, asked_kind kind, const uint32_t *row)
{
    if (s->learned.width && journal_known(s->t) != before)
        journal_add(&s->learned, s->t, kind, row);
}

static bool look(exhaustive *s, const uint32_t *row, const happening **list, size_t *count, size_t *same)
{
    uint64_t before = known(s);
    bool ok = vectors_look(s->t, row, list, count, same);
    note_learned(s, before, ASKED_LOOK, row);
    return ok;
}

/* The process whose steps are enough to expand; NOBODY: all steps. */
static uint32_t ample(exhaustive *s, const uint32_t *row, const happening *list, size_t count)
{
    if (!s->h->ample)
        return NOBODY;
    uint64_t before = known(s);
    uint32_t only = vectors_ample(s->t, row, list, count);
    note_learned(s, before, ASKED_AMPLE, row);
    return only;
}

folded exhaustive_fold(exhaustive *s, const uint32_t *row)
{
    uint64_t before = known(s);
    folded f = vectors_fold(s->t, row);
    note_learned(s, before, ASKED_FOLD, row);
    return f;
}

static uint32_t settle(exhaustive *s, const uint32_t *row)
{
    uint64_t before = known(s);
    uint32_t broken = vectors_settle(s->t, row);
    note_learned(s, before, ASKED_SETTLE, row);
    return broken;
}

/* ---- */

void exhaustive_note(exhaustive *s, uint32_t state, size_t choice, const happening *x, uint32_t broken)
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

static bool only_faults_left(const happening *list, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (!list[i].fault)
            return false;
    return true;
}

/* There is no room for the first state in line, the `number`-th: stores why. Always false. */
static bool full(exhaustive *s, uint32_t number)
{
    hunt *h = s->h;
    s->out--;              /* it stays in line: its parent is not expanded */
    if (number != VISITED_FULL)
        run_stop(h, arena_printf(h->a, "the limit of %" PRIu64 " states came first", s->states_max));
    else if (visited_count(s->seen) >= VISITED_FULL - 1)
        run_stop(h, S("there are more states than it can number"));
    else
        exhaustive_stop_for_memory(s);
    return false;
}

/* Is the state of the first in line new? */
static bool arrive(exhaustive *s)
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

static void line_up(exhaustive *s, const happening *x, const uint32_t *row, uint32_t state)
{
    print *last = &s->recent[x->print.hi % EXHAUSTIVE_RECENT];
    if (last->hi == x->print.hi && last->lo == x->print.lo)
        return;
    last->hi = x->print.hi;            /* by its parts: a load of the whole right after these stores would be slow */
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
        folded f = exhaustive_fold(s, s->made + w->made);
        w->x.print = f.print;
        w->stands_for = f.stands_for;
    }
    visited_prefetch(s->seen, w->x.print);
}

/* Everything that can happen in row `at`, with the properties that break. false: an error. */
static bool look_at_row(exhaustive *s, size_t at, const happening **list, size_t *count, size_t *same)
{
    uint32_t state = s->now.first + (uint32_t)at;
    const uint32_t *row = level_row(&s->now, at);
    if (!look(s, row, list, count, same))
        return false;
    for (size_t i = 0; i < *count; i++)
        if ((*list)[i].broken)
            exhaustive_note(s, state, (*list)[i].number, &(*list)[i], (*list)[i].broken);
    return true;
}

/* ... and what breaks where only faults can happen. */
static void look_at_rest(exhaustive *s, size_t at, const happening *list, size_t count, size_t same)
{
    if (same == 0 && only_faults_left(list, count))
        exhaustive_note(s, s->now.first + (uint32_t)at, 0, NULL, settle(s, level_row(&s->now, at)));
}

static bool expand_state(exhaustive *s, size_t at)
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

/* Lua is slow compared with look-ups: with it, limits are checked more often. */
static bool must_look(exhaustive *s)
{
    enum { STATES_BETWEEN_LOOKS = 1024, RUNS_BETWEEN_LOOKS = 256 };
    part_counts c = parts_count(vectors_parts(s->t));
    uint64_t ran = c.scripts + c.clients + c.repeats + vectors_requests(s->t);
    bool often = s->learned.width && s->h->o->checkpoints->often;
    if (!often && s->at % STATES_BETWEEN_LOOKS != 0 && !vectors_slow(s->t) && ran - s->ran < RUNS_BETWEEN_LOOKS)
        return false;
    s->ran = ran;
    return true;
}

/* One thread expands the next few rows. */
static bool expand_few(exhaustive *s)
{
    if ((must_look(s) || mem_is_low()) && exhaustive_must_stop(s))
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

/* Makes its canonical form known. */
static void fold_row(exhaustive *s, size_t at, const happening *x)
{
    if (x->same)
        return;
    MEM_RESERVE(s->made, s->made_cap, s->next.width);
    vectors_row(s->t, level_row(&s->now, at), x, s->made);
    exhaustive_fold(s, s->made);
}

/* For parallel_work. */
static bool learn_row(void *context, size_t at, size_t *count)
{
    exhaustive *s = context;
    const happening *list;
    size_t same;
    s->halted = (must_look(s) || mem_is_low()) && exhaustive_must_stop(s);
    if (s->halted)
        return false;
    if (!look_at_row(s, at, &list, count, &same)) {
        vectors_forgive(s->t);         /* one thread will meet it again */
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
    const hunt *h = ((exhaustive *)context)->h;
    uint32_t all = 0;
    for (int p = 0; p < PROPERTY_COUNT; p++)
        if (h->sc->model.judged[p] && !h->found[p].yes)
            all |= UINT32_C(1) << p;
    return all;
}

/* Several threads expand the next rows. */
static bool expand_many(exhaustive *s, size_t threads)
{
    hunt *h = s->h;
    parallel_work w = { .now = &s->now, .next = &s->next, .from = s->at, .room = s->states_max - visited_count(s->seen),
                        .learn = learn_row, .asked = asked, .context = s };
    if (exhaustive_must_stop(s))
        return false;
    parallel_done d = parallel_go_on(s->crew, &w, threads);
    h->out->search.transitions += d.transitions;
    h->out->search.same += d.same;
    s->stand_for += d.stand_for;
    s->at += d.rows;
    s->alone = d.alone;
    if (d.full || d.low)
        exhaustive_stop_for_memory(s);
    return !d.full && !d.low && !s->halted;
}

/* How many more threads may take part now. Results do not depend on it. */
static size_t helpers(exhaustive *s)
{
    const search_options *o = s->h->o;
    enum { MEMORY_MIN = 64 << 20 };    /* below that, every search ends at the same state */
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

bool exhaustive_expand(exhaustive *s)
{
    bool more = true;
    while (more && s->at < s->now.count) {
        size_t taken = helpers(s);
        more = taken > 0 ? expand_many(s, taken + 1) : expand_few(s);
        cores_give(s->h->o->cores, taken);
    }
    return more;
}
