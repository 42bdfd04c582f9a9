/* example.c - makes a counterexample readable by trial: fewest faults, then fewest context switches, then fewest steps.
 * The result is a schedule in names, and was run again from that text. */
#include <string.h>

#include "base/mem.h"
#include "search/internal.h"

/* The budget for one counterexample: runs, and their steps together. */
enum { SHRINK_RUNS_MAX = 500, SHRINK_STEPS_MAX = 300000 };

typedef struct {
    schedule_item *items;
    uint32_t *processes;   /* the process of each step; NOBODY: time and servers */
    bool *fused;           /* was its request answered in the same step? NULL: unknown */
    size_t count, faults, switches;
} script;

typedef struct {
    hunt *h;
    const scenario *sc;    /* with the order of ids that breaks it */
    property p;
    arena *a;              /* of all candidates; freed at the end */
    size_t runs, steps;
    bool exact;            /* time passes as the schedule says, even where a step holds it: see way.c */
    bool drawn;            /* lengths of time were chosen: they are kept where they end before the next instant */
    script best;
} shrinker;

static size_t switches(const script *s)
{
    size_t n = 0;
    uint32_t last = NOBODY;
    for (size_t i = 0; i < s->count; i++) {
        uint32_t p = s->processes[i];
        if (p == NOBODY)
            continue;
        n += last != NOBODY && p != last;
        last = p;
    }
    return n;
}

static bool simpler(const script *x, const script *y)
{
    if (x->faults != y->faults)
        return x->faults < y->faults;
    if (x->switches != y->switches)
        return x->switches < y->switches;
    return x->count < y->count;
}

typedef struct {
    schedule_item *items;
    uint32_t *processes;
    bool *fused;
    size_t count, cap, pcap, fcap;
} recorder;

static void recorder_free(recorder *r)
{
    mem_free(r->items);
    mem_free(r->processes);
    mem_free(r->fused);
}

static void record(shrinker *s, recorder *r, world *w, const step *st)
{
    buf name = { 0 };
    world_name_step(w, st, &name);
    str full = buf_str(&name);
    size_t blank = full.p[0] == '!' ? str_find(full, ' ', 0) : full.n;
    MEM_RESERVE(r->items, r->cap, r->count + 1);
    MEM_RESERVE(r->processes, r->pcap, r->count + 1);
    MEM_RESERVE(r->fused, r->fcap, r->count + 1);
    r->items[r->count] = (schedule_item){ .token = arena_str(s->a, str_slice(full, 0, blank)) };
    if (blank < full.n)
        r->items[r->count].argument = arena_str(s->a, str_slice(full, blank + 1, full.n));
    r->fused[r->count] = st->kind == STEP_ROUND_TRIP;
    r->processes[r->count++] = st->process;
    buf_free(&name);
}

static bool holds_time(const step *steps, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (steps[i].holds_time)
            return true;
    return false;
}

/* The enabled step that an item means. Time goes to the next instant, whatever the item's length, unless lengths were
 * drawn. */
static bool lenient_find(const shrinker *s, world *w, const schedule_item *item, step *out)
{
    const step *steps;
    size_t count = world_enabled(w, &steps);
    if (item->token.p[0] != '+')
        return world_find(w, item->token, item->argument, out, NULL);
    for (size_t i = 0; i < count; i++)
        if (steps[i].kind == STEP_TIME) {
            int64_t next_ms = steps[i].amount;
            *out = steps[i];
            if (s->drawn && world_find(w, item->token, item->argument, out, NULL) && out->amount > next_ms)
                out->amount = next_ms;
            return true;
        }
    return (s->exact || (s->drawn && !holds_time(steps, count))) &&
           world_find(w, item->token, item->argument, out, NULL);
}

/* Where a request was answered in the step that executed it, and now is not (a fault that was left out could come
 * between): the step of its answer. */
static bool find_answer(world *w, const step *executed, step *out)
{
    const step *steps;
    size_t count = executed->kind == STEP_EXECUTE ? world_enabled(w, &steps) : 0;
    for (size_t i = 0; i < count; i++)
        if (steps[i].kind == STEP_ANSWER && steps[i].process == executed->process &&
            steps[i].request == executed->request && !steps[i].copy) {
            *out = steps[i];
            return true;
        }
    return false;
}

/* Takes and records a step. */
static bool take(shrinker *s, recorder *r, world *w, const step *st, err *e)
{
    record(s, r, w, st);
    return world_take(w, st, e);
}

/* Runs those items of `from` that are possible, then the settled order, until `p` breaks: the steps taken are a
 * candidate. */
static bool attempt(shrinker *s, const script *from, bool go_on, script *out)
{
    s->runs++;
    err e = { 0 };
    world_options wo = { .limits = s->h->o->limits, .mirror = lockstep_mirror(s->h->o->lockstep),
                         .open_starts = s->h->open_starts };
    world *w = world_new(s->sc, s->h->l, &wo, &e);
    recorder r = { 0 };
    settler order = { .last = NOBODY };
    bool broke = w && model_violation(world_model(w), s->p);
    size_t limit = s->h->found[s->p].steps * 2 + 64;
    for (size_t i = 0; w && !broke && !world_over(w) && r.count < limit; i++) {
        s->steps++;
        const step *steps;
        size_t n = world_enabled(w, &steps);
        step st;
        if (i < from->count) {
            if (!lenient_find(s, w, &from->items[i], &st))
                continue;
        } else if (only_faults(steps, n)) {
            world_settle(w, &e);
            broke = model_violation(world_model(w), s->p);
            break;
        } else if (go_on)
            st = steps[settle_choose(&order, w, steps, n, i)];
        else
            break;
        order.last = st.process == NOBODY ? order.last : st.process;
        bool whole = i < from->count && from->fused && from->fused[i];
        step answer;
        if (!take(s, &r, w, &st, &e))
            break;
        broke = model_violation(world_model(w), s->p);
        if (!broke && whole && find_answer(w, &st, &answer)) {
            if (!take(s, &r, w, &answer, &e))
                break;
            broke = model_violation(world_model(w), s->p);
        }
    }
    if (broke) {
        out->items = ARENA_ARRAY(s->a, schedule_item, r.count + 1);
        out->processes = ARENA_ARRAY(s->a, uint32_t, r.count + 1);
        out->fused = ARENA_ARRAY(s->a, bool, r.count + 1);
        out->count = r.count;
        out->faults = 0;
        for (size_t i = 0; i < r.count; i++) {
            out->items[i] = r.items[i];
            out->processes[i] = r.processes[i];
            out->fused[i] = r.fused[i];
            out->faults += r.items[i].token.p[0] == '!' && !str_eq(r.items[i].token, S("!resume")) &&
                !str_eq(r.items[i].token, S("!expire"));
        }
        out->switches = switches(out);
    }
    recorder_free(&r);
    world_free(w);
    err_clear(&e);
    return broke;
}

static bool try(shrinker *s, schedule_item *items, size_t count)
{
    script got, from = { .items = items, .count = count };
    if (s->runs < SHRINK_RUNS_MAX && run_must_stop(s->h, s->h->shrink_until_ms))
        s->runs = SHRINK_RUNS_MAX;
    if (s->steps >= SHRINK_STEPS_MAX)
        s->runs = SHRINK_RUNS_MAX;
    if (s->runs >= SHRINK_RUNS_MAX || !attempt(s, &from, true, &got) || !simpler(&got, &s->best))
        return false;
    s->best = got;
    return true;
}

/* Drops stretches of steps: halves first, then single steps (Zeller and Hildebrandt, "Simplifying and isolating
 * failure-inducing input", IEEE TSE 2002). */
static bool drop_stretches(shrinker *s)
{
    bool better = false;
    schedule_item *items = NULL;
    size_t cap = 0;
    for (size_t size = s->best.count; size >= 1; size /= 2)
        for (size_t from = 0; from < s->best.count && s->runs < SHRINK_RUNS_MAX;) {
            size_t n = s->best.count, to = from + size < n ? from + size : n;
            MEM_RESERVE(items, cap, n + 1);
            memcpy(items, s->best.items, from * sizeof *items);
            memcpy(items + from, s->best.items + to, (n - to) * sizeof *items);
            if (try(s, items, n - (to - from)))
                better = true;
            else
                from += size;
        }
    mem_free(items);
    return better;
}

/* Moves each process's block of steps next to its previous one, which saves switches. */
static bool join_blocks(shrinker *s)
{
    bool better = false;
    schedule_item *items = NULL;
    size_t cap = 0;
    for (size_t from = 1; from < s->best.count && s->runs < SHRINK_RUNS_MAX; from++) {
        const script *b = &s->best;
        uint32_t p = b->processes[from];
        if (p == NOBODY || b->processes[from - 1] == p)
            continue;
        size_t to = from, back = from;
        while (to < b->count && b->processes[to] == p)
            to++;
        while (back > 0 && b->processes[back - 1] != p)
            back--;
        if (back == 0)
            continue;
        MEM_RESERVE(items, cap, b->count + 1);
        memcpy(items, b->items, back * sizeof *items);
        memcpy(items + back, b->items + from, (to - from) * sizeof *items);
        memcpy(items + back + (to - from), b->items + back, (from - back) * sizeof *items);
        memcpy(items + to, b->items + to, (b->count - to) * sizeof *items);
        if (try(s, items, b->count)) {
            better = true;
            from = 0;
        }
    }
    mem_free(items);
    return better;
}

static str script_text(arena *a, const scenario *sc, const script *s)
{
    buf b = { 0 };
    buf_add(&b, ids_word(a, sc));
    for (size_t i = 0; i < s->count; i++) {
        buf_addz(&b, b.n ? " " : "");
        buf_add(&b, s->items[i].token);
        if (s->items[i].argument.n) {
            buf_byte(&b, ' ');
            buf_add(&b, s->items[i].argument);
        }
    }
    str text = arena_str(a, buf_str(&b));
    buf_free(&b);
    return text;
}

/* The best candidate without its item `i`. */
static script without(shrinker *s, size_t i)
{
    size_t rest = s->best.count - i - 1;
    script x = { .items = ARENA_ARRAY(s->a, schedule_item, s->best.count),
                 .fused = ARENA_ARRAY(s->a, bool, s->best.count), .count = s->best.count - 1 };
    memcpy(x.items, s->best.items, i * sizeof *x.items);
    memcpy(x.items + i, s->best.items + i + 1, rest * sizeof *x.items);
    memcpy(x.fused, s->best.fused, i * sizeof *x.fused);
    memcpy(x.fused + i, s->best.fused + i + 1, rest * sizeof *x.fused);
    return x;
}

static bool breaks_without(shrinker *s, size_t i, bool go_on)
{
    script rest = without(s, i), got;
    return attempt(s, &rest, go_on, &got);
}

static bool is_fault(const schedule_item *it)
{
    return it->token.p[0] == '!' && !str_eq(it->token, S("!resume")) && !str_eq(it->token, S("!expire"));
}

/* The last step that decides: if it is not taken there, nothing breaks, even if its process goes on later. SIZE_MAX:
 * none among the last steps. */
static size_t turning_point(shrinker *s)
{
    enum { TRIED_MAX = 32 };
    size_t tried = 0;
    for (size_t i = s->best.count; i-- > 0 && tried < TRIED_MAX && !run_must_stop(s->h, s->h->shrink_until_ms);) {
        str token = s->best.items[i].token;        /* the start of a program or task is no choice */
        if (is_fault(&s->best.items[i]) || token.p[0] == '+' || str_ends(token, S(".start")))
            continue;
        tried++;
        if (!breaks_without(s, i, true))
            return i;
    }
    return SIZE_MAX;
}

static bool is_item(str token, const schedule_item *it)
{
    return it->argument.n == 0 ? str_eq(token, it->token)
           : token.n == it->token.n + 1 + it->argument.n && str_starts(token, it->token) &&
             token.p[it->token.n] == ' ' && str_ends(token, it->argument);
}

/* The row of the story, 1-based, for the step of this item: time that passes may take several rows, other steps take
 * one. 0: there is none. */
static size_t row_of(const shrinker *s, const story *told, size_t item)
{
    size_t row = 0;
    for (size_t i = 0; i <= item; i++) {
        const schedule_item *it = &s->best.items[i];
        if (it->token.p[0] == '+')
            continue;
        while (row < told->count && told->rows[row].token.n > 0 && told->rows[row].token.p[0] == '+')
            row++;
        if (row == told->count || !is_item(told->rows[row++].token, it))
            return 0;
    }
    return row;
}

static void put_step(const shrinker *s, const counterexample *c, buf *b, size_t i)
{
    size_t row = row_of(s, &c->story, i);
    if (row)
        buf_printf(b, " (step %zu)", row);
}

static void put_blame(const shrinker *s, counterexample *c, buf *b, size_t i)
{
    const schedule_item *it = &s->best.items[i];
    buf_printf(b, "%swithout %.*s %.*s", b->n ? "; " : "", STR_ARG(it->token), STR_ARG(it->argument));
    put_step(s, c, b, i);
    buf_addz(b, " the same schedule passes");
    size_t row = row_of(s, &c->story, i);
    if (row == 0)
        return;
    if (!c->blamed)
        c->blamed = ARENA_ARRAY(s->h->a, size_t, s->best.count);
    c->blamed[c->blamed_count++] = row;
}

/* Finds the single fault, and the single step, without which the same schedule passes. */
static void blame(shrinker *s, counterexample *c)
{
    buf b = { 0 };
    for (size_t i = 0; i < s->best.count; i++) {
        const schedule_item *it = &s->best.items[i];
        if (!is_fault(it) || breaks_without(s, i, false))
            continue;
        put_blame(s, c, &b, i);
    }
    size_t i = turning_point(s);
    if (i != SIZE_MAX) {
        buf_printf(&b, "%swithout %.*s there", b.n ? "; " : "", STR_ARG(s->best.items[i].token));
        put_step(s, c, &b, i);
        buf_addz(&b, " it passes, whatever comes of it later");
        c->decides = row_of(s, &c->story, i);
    }
    c->blame = arena_str(s->h->a, buf_str(&b));
    buf_free(&b);
}

/* ---- loops ---- */

static size_t loop_begins(const script *s)
{
    size_t at = 0;
    while (at < s->count && !str_eq(s->items[at].token, S("[")))
        at++;
    return at;
}

/* Takes the way to the loop without its step `dropped`, as far as it is possible, in the names of a schedule. */
static void way_without(shrinker *s, size_t dropped, recorder *r)
{
    err e = { 0 };
    world_options wo = { .limits = s->h->o->limits, .mirror = lockstep_mirror(s->h->o->lockstep),
                         .open_starts = s->h->open_starts };
    world *w = world_new(s->sc, s->h->l, &wo, &e);
    size_t count = loop_begins(&s->best);
    step st;
    for (size_t i = 0; w && i < count && !world_over(w); i++)
        if (i != dropped && lenient_find(s, w, &s->best.items[i], &st)) {
            record(s, r, w, &st);
            if (!world_take(w, &st, &e))
                break;
        }
    world_free(w);
    err_clear(&e);
}

static bool loop_breaks_without(shrinker *s, size_t dropped)
{
    recorder r = { 0 };
    way_without(s, dropped, &r);
    size_t from = loop_begins(&s->best), n = s->best.count - from, at;
    MEM_RESERVE(r.items, r.cap, r.count + n);
    memcpy(r.items + r.count, s->best.items + from, n * sizeof *r.items);
    script all = { .items = r.items, .count = r.count + n };
    bool broke = scripted_breaks(s->h, script_text(s->a, s->sc, &all), s->p, &at, NULL, NULL);
    recorder_free(&r);
    return broke;
}

/* A loop has no step that could be left out, but perhaps a fault led to it. */
static void blame_of_loop(shrinker *s, counterexample *c)
{
    buf b = { 0 };
    for (size_t i = 0, to = loop_begins(&s->best); i < to && !run_must_stop(s->h, s->h->shrink_until_ms); i++)
        if (is_fault(&s->best.items[i]) && !loop_breaks_without(s, i))
            put_blame(s, c, &b, i);
    c->blame = arena_str(s->h->a, buf_str(&b));
    buf_free(&b);
}

/* The trace's steps by name: the first candidate. */
static bool name_trace(shrinker *s, const trace *t, script *out)
{
    err e = { 0 };
    world_options wo = { .limits = s->h->o->limits, .mirror = lockstep_mirror(s->h->o->lockstep),
                         .open_starts = s->h->open_starts,
                         .every_ms = s->h->o->every_ms };
    world *w = world_new(s->sc, s->h->l, &wo, &e);
    recorder r = { 0 };
    s->drawn = wo.every_ms > 0;
    for (size_t i = 0; w && i < t->count; i++) {
        const step *steps;
        size_t count = world_enabled(w, &steps);
        bool passes = t->choices[i] & RUN_PASSES;
        if (!passes && t->choices[i] >= count)
            break;
        s->drawn |= passes;
        step st = run_choice(steps, t->choices[i]);
        record(s, &r, w, &st);
        if (!world_take(w, &st, &e))
            break;
    }
    bool ok = w && r.count == t->count && attempt(s, &(script){ .items = r.items, .count = r.count }, false, out);
    recorder_free(&r);
    world_free(w);
    err_clear(&e);
    return ok;
}

static void fill(hunt *h, property p, counterexample *c)
{
    c->property = p;
    c->text = arena_str(h->a, buf_str(&h->found[p].text));
    c->why = arena_str(h->a, buf_str(&h->found[p].why));
    str word = ids_word_in(c->schedule);
    if (word.n)
        c->text = arena_printf(h->a, "%.*s Real ids are random: here the clients' ids are in another order than their "
                               "names, %.*s.",
                               STR_ARG(c->text), STR_ARG(word));
}

void example_shrink(hunt *h, property p, counterexample *c)
{
    shrinker s = { .h = h, .sc = h->sc, .p = p, .a = arena_new() };
    bool named = name_trace(&s, &h->found[p].trace, &s.best);          /* best where the names' order shows it */
    if (!named && h->found[p].sc && h->found[p].sc != h->sc) {
        s.sc = h->found[p].sc;
        named = name_trace(&s, &h->found[p].trace, &s.best);
    }
    if (named) {
        for (bool shorter = true; shorter && s.runs < SHRINK_RUNS_MAX;) {
            shorter = drop_stretches(&s);
            shorter |= join_blocks(&s);
        }
        c->schedule = script_text(h->a, s.sc, &s.best);
        c->switches = s.best.switches;
        c->replayed = scripted_breaks(h, c->schedule, p, &c->steps, &c->story, &h->found[p]);
        if (run_blames(h, p))
            blame(&s, c);
    }
    fill(h, p, c);
    arena_free(s.a);
}

static size_t switches_of(const story *told, size_t steps)
{
    size_t n = 0;
    uint32_t last = NOBODY;
    for (size_t i = 0; i < steps; i++) {
        uint32_t p = told->rows[i].process;
        n += p != NOBODY && last != NOBODY && p != last;
        last = p == NOBODY ? last : p;
    }
    return n;
}

/* Drops faults without which the same steps break the property, too; true: there was one. Such a fault only made the
 * way shorter: with its budget spent, a request and its answer are one step. */
static bool drop_idle_faults(shrinker *s)
{
    bool dropped = false;
    for (size_t i = 0; i < s->best.count && !run_must_stop(s->h, s->h->shrink_until_ms);) {
        script got, rest;
        bool idle = is_fault(&s->best.items[i]);
        if (idle) {
            rest = without(s, i);
            idle = attempt(s, &rest, false, &got) && got.faults < s->best.faults;
        }
        if (idle)
            s->best = got;
        dropped |= idle;
        i = idle ? 0 : i + 1;
    }
    return dropped;
}

/* Writes the story of the way. */
static void tell_way(shrinker *s, counterexample *c, str schedule)
{
    c->schedule = schedule;
    c->replayed = scripted_breaks(s->h, c->schedule, s->p, &c->steps, &c->story, &s->h->found[s->p]);
    c->switches = switches_of(&c->story, c->story.count);
}

void example_keep(hunt *h, property p, counterexample *c)
{
    size_t count = 0;
    schedule_item *items = NULL;
    err none = { 0 };
    shrinker s = { .h = h, .sc = naming_of(h, h->found[p].schedule, &none), .p = p, .a = arena_new() };
    tell_way(&s, c, h->found[p].schedule);
    bool asked = run_blames(h, p) && c->replayed && schedule_parse(s.a, c->schedule, h->sc->path, &items, &count,
                                                                   &none);
    for (int exact = 0; exact < 2 && asked; exact++) {
        s.exact = exact;
        script given = { .items = items, .count = count };
        s.best = given;
        bool loops = loop_begins(&s.best) < count;
        if (loops ? !loop_breaks_without(&s, SIZE_MAX) : !attempt(&s, &given, false, &s.best))
            continue;
        if (!loops && drop_idle_faults(&s))
            tell_way(&s, c, script_text(h->a, s.sc, &s.best));
        if (loops)
            blame_of_loop(&s, c);
        else
            blame(&s, c);
        break;
    }
    err_clear(&none);
    fill(h, p, c);
    arena_free(s.a);
}

void example_cut(hunt *h, property p, counterexample *c)
{
    size_t steps = h->found[p].steps;
    story_keep(h->a, &h->out->run, steps, &c->story);
    buf b = { 0 };
    buf_add(&b, ids_word(h->a, h->sc));
    for (size_t i = 0; i < steps; i++)
        buf_printf(&b, "%s%.*s", b.n ? " " : "", STR_ARG(h->out->run.rows[i].token));
    c->switches = switches_of(&h->out->run, steps);
    c->schedule = arena_str(h->a, buf_str(&b));
    buf_free(&b);
    size_t at;
    c->steps = steps;
    if (str_find(h->given, '[', 0) < h->given.n)   /* a loop needs its brackets */
        c->schedule = arena_str(h->a, h->given);
    c->replayed = scripted_breaks(h, c->schedule, p, &at, NULL, NULL) && at == steps;
    fill(h, p, c);
}
