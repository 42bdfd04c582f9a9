/* vector_make.c - makes and frees a search's tables. */
#include "base/mem.h"
#include "search/equal.h"
#include "search/rerun.h"
#include "search/vector_internal.h"

vectors *vectors_new(hunt *h, bool absolute)
{
    world_options wo = run_options(h, NULL, false);
    const parts_options po = { .world = &wo, .live = h->o->no_memo || absolute, .absolute = absolute,
                               .trials = h->o->trials, .tables = h->sc->ids ? NULL : h->o->tables,
                               .judgements = h->o->judgements, .equals = h->equals };
    parts *p = parts_new(h->sc, h->l, &po, &h->out->error);
    if (!p) {
        h->failed = true;
        return NULL;
    }
    vectors *t = mem_zero(sizeof *t);
    t->h = h;
    t->p = p;
    t->clients = h->sc->client_count;
    t->width = t->clients + AT_EXTRA;
    t->memory = arena_new();
    t->hot = arena_new();
    t->moves = ARENA_ARRAY(t->memory, config *, t->clients);
    configs_grow(t);
    t->bound_bytes = intern_new();
    if (h->o->no_memo || absolute) {           /* tables know distances from now only */
        t->rerun = rerun_new(h, p);
        if (t->rerun)
            return t;
        vectors_free(t);
        return NULL;
    }
    const part_state *s = parts_begin(p);
    bounds b = { .locks = s->locks, .left_ms = h->sc->end_ms, .walk_ms = h->o->every_ms };
    for (int k = 0; k < FAULT_KINDS; k++)
        b.budget[k] = h->sc->faults[k].budget;
    uint32_t *row = t->first = ARENA_ARRAY(t->memory, uint32_t, t->width);
    for (size_t q = 0; q < t->clients; q++)
        row[q] = s->nodes[q] * FACTOR;
    row[t->clients + AT_SERVERS] = s->servers;
    row[t->clients + AT_BOUNDS] = bounds_id(t, &b);
    row[t->clients + AT_MODEL] = s->model;
    row[t->clients + AT_TASKS] = row_tasks(t, row);
    row[t->clients + AT_CHANNELS] = row_channels(t, row);
    row[t->clients + AT_CONTEXT] = context_id(t, row);
    row_keep_print(t, row, vectors_print(t, row));
    t->folder = folder_new(t);
    t->first_broken = s->broken;
    t->blank = s->blank;
    t->seen = s->seen;
    return t;
}

void vectors_free(vectors *t)
{
    if (!t)
        return;
    rerun_free(t->rerun);
    folder_free(t->folder);
    map3 *maps[] = { &t->time_keys, &t->spent, &t->contexts, &t->with_mail, &t->aged_nodes, &t->aged_servers,
                     &t->judged, &t->env_ids, &t->times, &t->time_events, &t->tasks_after, &t->channels_after,
                     &t->ahead, &t->stops, &t->together, &t->expiries,
                     &t->rest_keys, &t->rests };
    for (size_t i = 0; i < COUNT(maps); i++)
        map3_free(maps[i]);
    void *arrays[] = { t->configs, t->context_list, t->fault_list, t->judgements, t->lengths, t->ended, t->list,
                       t->rows, t->all_rows, t->bound_list };
    for (size_t i = 0; i < COUNT(arrays); i++)
        mem_free(arrays[i]);
    intern_free(t->bound_bytes);
    arena_free(t->memory);
    arena_free(t->hot);
    parts_free(t->p);
    mem_free(t);
}

void vectors_go_back(vectors *t)
{
    t->failed = false;
    t->going_back = true;
}

bool vectors_folds(const vectors *t) { return t->folder != NULL; }

uint64_t vectors_forms(const vectors *t) { return folder_forms(t->folder); }

folded vectors_fold(vectors *t, const uint32_t *row)
{
    return folder_find(t->folder, t, row);
}

size_t vectors_width(const vectors *t) { return t->width; }

parts *vectors_parts(vectors *t) { return t->p; }

uint64_t vectors_requests(const vectors *t) { return t->rerun ? rerun_requests(t->rerun) : 0; }

bool vectors_slow(const vectors *t) { return t->rerun != NULL; }

uint64_t vectors_seen(const vectors *t) { return t->rerun ? rerun_seen(t->rerun) : t->seen; }

bool vectors_ended(const vectors *t, const uint32_t *row)
{
    return t->rerun ? nodes_ended(t, row) : tasks_ended((vectors *)t, row);
}

const uint32_t *vectors_begin(const vectors *t, uint32_t *broken)
{
    if (t->rerun)
        return rerun_begin(t->rerun, broken);
    *broken = t->first_broken;
    return t->first;
}

size_t vectors_bytes(const vectors *t)
{
    const map3 *maps[] = { &t->time_keys, &t->spent, &t->contexts, &t->with_mail, &t->aged_nodes, &t->aged_servers,
                           &t->judged, &t->env_ids, &t->times, &t->time_events, &t->tasks_after,
                           &t->channels_after, &t->ahead, &t->stops, &t->together,
                           &t->expiries, &t->rest_keys, &t->rests };
    size_t bytes = arena_bytes(t->memory) + arena_bytes(t->hot) + intern_bytes(t->bound_bytes) + parts_bytes(t->p);
    for (size_t i = 0; i < COUNT(maps); i++)
        bytes += map3_bytes(maps[i]);
    return bytes + folder_bytes(t->folder) + t->config_cap * sizeof *t->configs + t->context_cap *
           sizeof *t->context_list +
           t->judgement_cap * sizeof *t->judgements;
}
