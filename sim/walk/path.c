/* path.c - see path.h. */
#include "walk/path.h"

#include <stdio.h>

#include "base/mem.h"
#include "scenario/ids.h"

static bool begin(path *p, err *e)
{
    world_free(p->w);
    p->w = world_new(p->sc, p->l, &p->wo, e);
    p->order = (settler){ .last = NOBODY };
    return p->w != NULL;
}

/* One item of a schedule; in a declared range it takes several steps, of which *s is the last. */
static bool take_item(path *p, const schedule_item *item, step *s, err *e)
{
    *s = (step){ .more = true };
    while (s->more) {
        if (!world_find(p->w, item->token, item->argument, s, e) || !world_take(p->w, s, e))
            return false;
        if (s->process != NOBODY)
            p->order.last = s->process;
    }
    return true;
}

static bool take_words(path *p, str words, step *s, err *e)
{
    arena *a = arena_new();
    schedule_item *items;
    size_t count;
    bool ok = schedule_parse(a, words, S("walk"), &items, &count, e);
    for (size_t i = 0; i < count && ok; i++)
        ok = take_item(p, &items[i], s, e);
    s->key = S("");
    arena_free(a);
    return ok;
}

/* Takes the first `at` items again from the start. */
static bool again(path *p, size_t at, err *e)
{
    step s;
    bool ok = begin(p, e);
    for (p->at = 0; p->at < at && ok; p->at += ok)
        ok = take_words(p, p->items[p->at].words, &s, e);
    return ok;
}

static void push(path *p, path_item item)
{
    MEM_RESERVE(p->items, p->cap, p->count + 1);
    p->items[p->count++] = item;
}

/* Also takes the answer to the request that this step executed, if it has not come yet. */
static bool take_answer(path *p, const step *executed, err *e)
{
    const step *steps;
    size_t count = executed->kind == STEP_EXECUTE ? world_enabled(p->w, &steps) : 0;
    for (size_t i = 0; i < count; i++) {
        if (steps[i].kind != STEP_ANSWER || steps[i].process != executed->process ||
            steps[i].request != executed->request || steps[i].copy)
            continue;
        buf name = { 0 };
        step s;
        world_name_step(p->w, &steps[i], &name);
        str words = arena_str(p->memory, buf_str(&name));
        buf_free(&name);
        if (!take_words(p, words, &s, e))
            return false;
        push(p, (path_item){ .words = words });
        p->at++;
        return true;
    }
    return true;
}

/* Repeats the way in a world with other budgets: where a fault may come between a request and its answer, these are two
 * steps. */
static bool translate(path *p, err *e)
{
    size_t count = p->at;
    path_item *old = ARENA_ARRAY(p->memory, path_item, count + 1);
    for (size_t i = 0; i < count; i++)
        old[i] = p->items[i];
    p->count = p->at = 0;
    bool ok = begin(p, e);
    for (size_t i = 0; i < count && ok; i++) {
        step s;
        ok = take_words(p, old[i].words, &s, e);
        push(p, (path_item){ .words = old[i].words, .fused = s.kind == STEP_ROUND_TRIP });
        p->at++;
        ok = ok && (!old[i].fused || take_answer(p, &s, e));
    }
    return ok;
}

/* Puts the schedule of a saved story ahead, an item a line; steps in brackets once. */
static bool put_ahead(path *p, str schedule, err *e)
{
    schedule_item *items;
    size_t count;
    if (!schedule_parse(p->memory, schedule, p->sc->path, &items, &count, e))
        return false;
    for (size_t i = 0; i < count; i++) {
        if (str_eq(items[i].token, S("[")) || str_eq(items[i].token, S("]")) || ids_is_word(items[i].token))
            continue;
        push(p, (path_item){ .words = items[i].argument.n
            ? arena_printf(p->memory, "%.*s %.*s", STR_ARG(items[i].token), STR_ARG(items[i].argument))
            : items[i].token });
    }
    return true;
}

bool path_open(path *p, const scenario *sc, const loader *l, const options *o, str schedule, err *e)
{
    *p = (path){ .l = l, .memory = arena_new() };
    p->sc = ids_of_schedule(p->memory, sc, schedule, e);
    p->wo = (world_options){ .record = true, .open_starts = options_open_starts(o) };
    if (schedule.n)
        p->wo.schedule = arena_printf(p->memory, "%.*s", STR_ARG(schedule)).p;
    return p->sc && put_ahead(p, schedule, e) && begin(p, e);
}

void path_close(path *p)
{
    world_free(p->w);
    mem_free(p->items);
    arena_free(p->memory);
}

static bool fault_of(str words, fault_kind *k)
{
    return str_starts(words, S("!")) && fault_parse(str_slice(words, 1, str_find(words, ' ', 0)), k);
}

static uint32_t budget_of(const path *p, fault_kind k)
{
    uint32_t named = 0;
    fault_kind of;
    for (size_t i = 0; i < p->at; i++)
        named += fault_of(p->items[i].words, &of) && of == k;
    return named > p->sc->faults[k].budget ? named : p->sc->faults[k].budget;
}

/* Allows a fault whose budget is used up: the world is made again with one more of it. */
static bool allow_fault(path *p, str words, err *e)
{
    fault_kind k;
    if (!fault_of(words, &k))
        return false;
    scenario *more = ARENA_NEW(p->memory, scenario);
    *more = *p->sc;
    more->faults[k].budget = budget_of(p, k) + 1;
    p->sc = more;
    scenario_allow(more, k);
    return translate(p, e);
}

/* The words were taken: appends them to the way. */
static void note(path *p, str words, bool fused)
{
    bool ahead = p->at < p->count && str_eq(p->items[p->at].words, words);
    if (!ahead) {
        p->count = p->at;
        push(p, (path_item){ .words = arena_str(p->memory, words) });
    }
    p->items[p->at++].fused = fused;
}

/* Takes them, if need be with a further fault. */
static bool try_words(path *p, str words, step *s, err *e)
{
    err other = { 0 };
    size_t before = world_steps(p->w);
    bool ok = take_words(p, words, s, e);
    if (!ok && world_steps(p->w) == before && allow_fault(p, words, &other)) {
        err_clear(&other);
        ok = take_words(p, words, s, &other);
    }
    if (ok)
        err_clear(e);
    err_clear(&other);
    return ok;
}

bool path_take(path *p, str words, err *e)
{
    err then = { 0 };
    step s;
    const scenario *sc = p->sc;
    size_t at = p->at, count = p->count;
    path_item *items = ARENA_ARRAY(p->memory, path_item, count + 1);
    for (size_t i = 0; i < count; i++)
        items[i] = p->items[i];
    if (try_words(p, words, &s, e)) {
        note(p, words, s.kind == STEP_ROUND_TRIP);
        return true;
    }
    p->sc = sc;                                    /* as if nothing had been tried */
    p->count = 0;
    for (size_t i = 0; i < count; i++)
        push(p, items[i]);
    again(p, at, &then);
    err_clear(&then);
    return false;
}

static bool go_on(path *p, bool time_first, bool *rest, err *e)
{
    const step *steps;
    size_t count = world_enabled(p->w, &steps), free_of_faults = 0, chosen = SIZE_MAX;
    for (size_t i = 0; i < count; i++) {
        free_of_faults += steps[i].kind != STEP_FAULT;
        chosen = time_first && steps[i].kind == STEP_TIME ? i : chosen;
    }
    *rest = world_over(p->w) || free_of_faults == 0;
    if (*rest)
        return world_over(p->w) || world_settle(p->w, e);
    settler order = p->order;
    buf name = { 0 };
    world_name_step(p->w, &steps[chosen < count ? chosen : settle_choose(&order, p->w, steps, count, 0)], &name);
    bool ok = path_take(p, buf_str(&name), e);
    buf_free(&name);
    return ok;
}

bool path_settle(path *p, bool *rest, err *e) { return go_on(p, false, rest, e); }

bool path_let_pass(path *p, bool *rest, err *e) { return go_on(p, true, rest, e); }

bool path_move(path *p, ptrdiff_t steps, err *e)
{
    size_t to = steps < 0 ? ((size_t)-steps < p->at ? p->at - (size_t)-steps : 0)
              : (size_t)steps < p->count - p->at ? p->at + (size_t)steps : p->count;
    if (steps < 0)
        return again(p, to, e);
    bool ok = true;
    for (; p->at < to && ok; p->at += ok) {
        step s;
        ok = take_words(p, p->items[p->at].words, &s, e);
        p->items[p->at].fused = s.kind == STEP_ROUND_TRIP;
    }
    return ok;
}

void path_text(const path *p, buf *out)
{
    for (size_t i = 0; i < p->at; i++) {
        if (i)
            buf_byte(out, '\n');
        buf_add(out, p->items[i].words);
    }
}

str path_faults(const path *p, arena *a)
{
    str list = S("");
    for (int k = 0; k < FAULT_KINDS; k++) {
        uint32_t budget = budget_of(p, (fault_kind)k);
        if (budget)
            list = arena_printf(a, "%.*s%s%s=%u", STR_ARG(list), list.n ? "," : "", fault_name((fault_kind)k), budget);
    }
    return list.n ? list : S("none");
}
