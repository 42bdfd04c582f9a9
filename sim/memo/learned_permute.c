/* learned_permute.c - what is learned of one of several equal clients holds for all, with ids exchanged. Two things
 * follow here: a state as another client of the class has it, and the state in which the ids of two other clients are
 * exchanged. The latter does not look into the state: the inputs that led there are renamed and taken again, mostly by
 * look-up. */
#include <assert.h>
#include <string.h>

#include "base/mem.h"
#include "memo/learned_internal.h"

void table_key_permuted(process_table *t, uint32_t from, input in, int64_t now_ms, const permutation *x)
{
    input_permute(t->step, t->equals, x, &in);
    table_key(t, from, &in, now_ms);
    arena_reset(t->step);
}

str table_worn(process_table *t, size_t client, str s)
{
    permutation x = permutation_swap(t->client, client);
    arena *a = arena_new();
    str other = equals_renamed(a, t->equals, &x, s);
    str kept = other.p == s.p ? s : intern_get(t->worn, intern_add(t->worn, other, NULL));
    arena_free(a);
    return kept;
}

static void wear(const process_table *t, const permutation *x, arena *a, str *s)
{
    *s = equals_renamed(a, t->equals, x, *s);
}

void output_wear(const process_table *t, size_t client, outputs *out, size_t from)
{
    permutation x = permutation_swap(t->client, client);
    for (size_t i = from; i < out->count; i++) {
        output *o = &out->items[i];
        wear(t, &x, out->memory, &o->text);
        wear(t, &x, out->memory, &o->announcement.who);
        wear(t, &x, out->memory, &o->announcement.lock);
        wear(t, &x, out->memory, &o->announcement.text);
        wear(t, &x, out->memory, &o->announcement.mode);
        if (o->kind != OUTPUT_REQUEST)
            continue;
        request *r = ARENA_NEW(out->memory, request);
        *r = *o->request;
        str *argv = ARENA_ARRAY(out->memory, str, r->argc + 1);
        for (size_t k = 0; k < r->argc; k++) {
            argv[k] = r->argv[k];
            wear(t, &x, out->memory, &argv[k]);
        }
        r->argv = argv;
        wear(t, &x, out->memory, &r->op);
        wear(t, &x, out->memory, &r->lock);
        o->request = r;
    }
}

/* ---- states ---- */

/* One step down the tree of states, from `above` instead of to->parent. */
static uint32_t step_renamed(process_table *t, uint32_t above, uint32_t to, const permutation *x)
{
    const state *s = &t->states.at[to];
    if (s->by) {
        table_key_permuted(t, above, input_take(t->step, entry_input(s->by), t->epoch_ms), t->epoch_ms, x);
        return table_find(t, above)->to;
    }
    int64_t elapsed_ms = s->elapsed_ms;
    uint32_t aged = t->drifts ? PROCESS_NO_STATE : state_aged(&t->states, t->memory, above, elapsed_ms);
    if (aged != PROCESS_NO_STATE)
        return aged;
    table_key(t, above, &(input){ .kind = INPUT_AGE, .amount = elapsed_ms }, 0);
    return table_find(t, above)->to;
}

/* PROCESS_NO_STATE: no permuted inputs lead there. */
static uint32_t permuted_state(process_table *t, uint32_t at, const permutation *x)
{
    uint32_t name = intern_add(t->permutations, (str){ (const char *)x->to, sizeof x->to }, NULL), *path = NULL;
    size_t count = 0, cap = 0;
    uint32_t known = PROCESS_NO_STATE, s = at;
    for (;; s = t->states.at[s].parent) {
        known = map3_find(&t->permuted, s, name, 0);
        if (known != INTERN_NONE)
            break;
        if (t->states.at[s].parent == PROCESS_NO_STATE) {
            known = s;     /* an initial state knows of no other client */
            break;
        }
        MEM_RESERVE(path, cap, count + 1);
        path[count++] = s;
    }
    for (; count > 0 && known != PROCESS_NO_STATE; count--) {
        known = step_renamed(t, known, path[count - 1], x);
        if (known != PROCESS_NO_STATE)
            map3_put(&t->permuted, path[count - 1], name, 0, known);
    }
    mem_free(path);
    return known;
}

bool process_permute(process *p, size_t of, const permutation *x, err *e)
{
    learned *l = (learned *)p;
    process_table *t = l->table;
    size_t first = t->client;
    permutation before = permutation_swap(first, of), after = permutation_swap(first, x->to[of]);
    permutation all = permutation_then(&before, x);
    all = permutation_then(&all, &after);
    assert(all.to[first] == first && l->client == x->to[of]);
    l->viewed = false;
    if (permutation_is_none(&all) || l->failed || (t->equals->without & EQUALS_WITHOUT_STATES))
        return true;
    uint32_t to = permuted_state(t, l->state, &all);
    if (to != PROCESS_NO_STATE) {
        l->state = to;
        return true;
    }
    if (!t->apart.n)
        t->apart = arena_printf(t->memory, "client '%.*s' fails where others exchange their names",
                                STR_ARG(t->scenario->clients[of].name));
    return err_set(e, ERR_DRIVER, "%.*s", STR_ARG(t->apart));
}
