/* way.c - turns a way through rows of small numbers into a schedule that a person can read and the real world can
 * follow. */
#include <string.h>

#include "base/mem.h"
#include "search/whole.h"

void way_add(way *to, uint32_t choice)
{
    MEM_RESERVE(to->choices, to->cap, to->count + 1);
    to->choices[to->count++] = choice;
}

/* The states from the first one to `state`. */
static uint32_t *parents_of(const visited *seen, uint32_t state, size_t *length)
{
    size_t n = 0;
    for (uint32_t at = state; at != 0; at = visited_parent(seen, at))
        n++;
    uint32_t *list = mem_alloc((n + 1) * sizeof *list);
    *length = n + 1;
    for (uint32_t at = state;; at = visited_parent(seen, at)) {
        list[n] = at;
        if (n-- == 0)
            break;
    }
    return list;
}

static print key_of(vectors *t, const uint32_t *row, const happening *x)
{
    return vectors_folds(t) ? vectors_fold(t, row).print : x->print;
}

/* One step from `row` to the row of `state`: its index among all that can happen. */
static bool go(vectors *t, const visited *seen, const uint32_t *row, uint32_t state, uint32_t *choice, uint32_t *to)
{
    size_t width = vectors_width(t), count;
    const happening *list;
    const uint32_t *rows;
    uint32_t c = 0;
    bool ok = vectors_expand(t, row, &list, &rows, &count);
    while (ok && c < count && (list[c].same || visited_find(seen, key_of(t, rows + c * width, &list[c])) != state))
        c++;
    if (!ok || c == count)
        return false;
    *choice = c;
    memmove(to, rows + c * width, width * sizeof *to);
    return true;
}

bool way_to_state(vectors *t, const visited *seen, uint32_t state, way *out)
{
    size_t length, width = vectors_width(t);
    uint32_t *states = parents_of(seen, state, &length), broken, choice;
    uint32_t *row = mem_alloc(width * sizeof *row);
    memcpy(row, vectors_begin(t, &broken), width * sizeof *row);
    bool ok = true;
    for (size_t i = 1; ok && i < length; i++) {
        ok = go(t, seen, row, states[i], &choice, row);
        if (ok)
            way_add(out, choice);
    }
    mem_free(row);
    mem_free(states);
    return ok;
}

/* The way to the last state asked for; if the new one is a part of it, it stays. */
struct walker {
    vectors *t;
    const visited *seen;
    uint32_t *states, *rows;
    size_t length, state_cap, row_cap;
};

walker *walker_new(vectors *t, const visited *seen)
{
    walker *w = mem_zero(sizeof *w);
    *w = (walker){ .t = t, .seen = seen };
    return w;
}

void walker_free(walker *w)
{
    mem_free(w->states);
    mem_free(w->rows);
    mem_free(w);
}

const uint32_t *walker_to(walker *w, uint32_t state, size_t *steps)
{
    size_t length, width = vectors_width(w->t), common = 0;
    uint32_t *states = parents_of(w->seen, state, &length), broken, choice;
    bool ok = true;
    MEM_RESERVE(w->states, w->state_cap, length);
    MEM_RESERVE(w->rows, w->row_cap, length * width);
    while (common < w->length && common < length && w->states[common] == states[common])
        common++;
    if (common == 0)
        memcpy(w->rows, vectors_begin(w->t, &broken), width * sizeof *w->rows);
    for (size_t i = common ? common : 1; ok && i < length; i++, ++*steps)
        ok = go(w->t, w->seen, w->rows + (i - 1) * width, states[i], &choice, w->rows + i * width);
    if (ok && (common < length || w->length == 0)) {
        memcpy(w->states, states, length * sizeof *states);
        w->length = length;
    }
    if (!ok)
        w->length = 0;
    mem_free(states);
    return ok ? w->rows + (length - 1) * width : NULL;
}

/* ---- following it in the real world ---- */

typedef struct {
    vectors *t;
    world *w;
    property p;
    size_t clients;
    uint32_t *row;
    buf text;
    err e;
} teller;

/* Takes one happening in the real world, too, and writes its name there. */
static bool take(teller *k, uint32_t choice)
{
    const happening *list;
    const uint32_t *rows;
    size_t count, width = vectors_width(k->t);
    if (!vectors_expand(k->t, k->row, &list, &rows, &count) || choice >= count)
        return false;
    const happening *x = &list[choice];
    step s = { .kind = STEP_TIME, .process = NOBODY, .task = NOBODY, .amount = x->ms };
    if (x->step != PART_NONE) {
        part_step named = parts_step(vectors_parts(k->t), x->step);
        if (!parts_find(k->w, &named, &s))
            return false;
    }
    if (!x->same)
        memcpy(k->row, rows + choice * width, width * sizeof *k->row);
    buf_addz(&k->text, k->text.n ? " " : "");
    world_name_step(k->w, &s, &k->text);
    return world_take(k->w, &s, &k->e);
}

/* The task's own next step. false: there is none. */
static bool poll(teller *k, uint32_t process, uint32_t task)
{
    const happening *list;
    const uint32_t *rows;
    size_t count, i = 0;
    uint32_t own = vectors_own_step(k->t, k->row, process, task);
    if (own == PART_NONE || !vectors_expand(k->t, k->row, &list, &rows, &count))
        return false;
    while (i < count && (list[i].process != process || list[i].step != own))
        i++;
    return i < count && take(k, (uint32_t)i);
}

enum { POLLS_MAX = 64, ROUNDS_MAX = 4 };

static bool holds_time(teller *k, uint32_t process)
{
    const step *list;
    size_t count = world_enabled(k->w, &list);
    for (size_t i = 0; i < count; i++)
        if (list[i].process == process && list[i].holds_time)
            return true;
    return false;
}

/* The tables recognise a loop in zero time at once; the real world must see it repeat before it lets time pass. */
static bool spin_before(teller *k, uint32_t process)
{
    size_t width = vectors_width(k->t);
    uint32_t task = vectors_spinning(k->t, k->row, process);
    if (task == NOBODY)
        return true;
    uint32_t *start = mem_alloc(width * sizeof *start);
    memcpy(start, k->row, width * sizeof *start);
    bool ok = true, back = true;
    for (int i = 0; ok && i < POLLS_MAX && (!back || holds_time(k, process)); i++) {
        ok = poll(k, process, task);
        back = memcmp(start, k->row, vectors_width(k->t) * sizeof *start) == 0;
    }
    mem_free(start);
    return ok && back;
}

/* Lets time pass during a loop, which then goes on: LK051 shows where it closes again. */
static bool spin_through_time(teller *k, uint32_t choice)
{
    uint32_t *spinning = mem_alloc((k->clients + 1) * sizeof *spinning);
    bool ok = true;
    for (uint32_t q = 0; q < k->clients && ok; q++) {
        spinning[q] = vectors_spinning(k->t, k->row, q);
        ok = spin_before(k, q);
    }
    ok = ok && take(k, choice);
    for (uint32_t q = 0; q < k->clients && ok; q++)
        for (int i = 0; i < POLLS_MAX && spinning[q] != NOBODY && ok && !model_violation(world_model(k->w), k->p); i++)
            ok = poll(k, q, spinning[q]);
    mem_free(spinning);
    return ok;
}

static bool breaks(teller *k, uint32_t choice, property p)
{
    const happening *list;
    const uint32_t *rows;
    size_t count;
    return vectors_expand(k->t, k->row, &list, &rows, &count) && choice < count && (list[choice].broken >> p & 1);
}

str way_tell(hunt *h, vectors *t, const way *w, property p)
{
    uint32_t broken;
    size_t width = vectors_width(t);
    world_options wo = run_options(h, NULL, false);
    teller k = { .t = t, .p = p, .clients = h->sc->client_count };
    k.w = world_new(h->sc, h->l, &wo, &k.e);
    k.row = mem_alloc(width * sizeof *k.row);
    memcpy(k.row, vectors_begin(t, &broken), width * sizeof *k.row);
    bool ok = k.w;
    buf_add(&k.text, ids_word(h->a, h->sc));
    for (size_t i = 0; ok && i < w->count && !world_over(k.w); i++) {
        if (i == w->loop && !w->rests)
            buf_addz(&k.text, k.text.n ? " [" : "[");
        bool spins = p == PROPERTY_NO_BUSY_WAIT && i + 1 == w->count && breaks(&k, w->choices[i], p);
        ok = spins ? spin_through_time(&k, w->choices[i]) : take(&k, w->choices[i]);
    }
    for (int round = 0; ok && w->rests && round < ROUNDS_MAX && !world_over(k.w); round++)
        for (size_t i = w->loop; ok && i < w->count && !world_over(k.w); i++)
            ok = take(&k, w->choices[i]);
    if (w->loop < w->count && !w->rests)
        buf_addz(&k.text, " ]");
    str text = { 0 };
    if (ok)
        text = arena_str(h->a, buf_str(&k.text));
    world_free(k.w);
    err_clear(&k.e);
    buf_free(&k.text);
    mem_free(k.row);
    return text;
}
