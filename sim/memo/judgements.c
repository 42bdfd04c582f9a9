/* judgements.c - see judgements.h. Everything is found by its bytes, so two searches may number things differently. */
#include "memo/judgements.h"

#include <assert.h>

#include "base/buf.h"
#include "base/mem.h"

struct judgements {
    intern *models, *events, *tasks;
    map3 known;            /* -> index in the list */
    struct { uint32_t model, broken; } *list;
    size_t count, cap;
    buf scratch;
};

judgements *judgements_new(void)
{
    judgements *j = mem_zero(sizeof *j);
    j->models = intern_new();
    j->events = intern_new();
    j->tasks = intern_new();
    return j;
}

void judgements_free(judgements *j)
{
    if (!j)
        return;
    intern_free(j->models);
    intern_free(j->events);
    intern_free(j->tasks);
    map3_free(&j->known);
    mem_free(j->list);
    buf_free(&j->scratch);
    mem_free(j);
}

size_t judgements_bytes(const judgements *j)
{
    return intern_bytes(j->models) + intern_bytes(j->events) + intern_bytes(j->tasks) + map3_bytes(&j->known) + j->cap *
           sizeof *j->list;
}

bool judgements_full(const judgements *j)
{
    enum { COUNT_MAX = 1 << 17, BYTES_MAX = 8 << 20 };
    return j->count > COUNT_MAX || (j->count % 64 == 0 && judgements_bytes(j) > BYTES_MAX);
}

uint32_t judgements_model(judgements *j, str bytes)
{
    return intern_add(j->models, bytes, NULL);
}

uint32_t judgements_events(judgements *j, str bytes, int64_t ms)
{
    buf_clear(&j->scratch);
    buf_u64(&j->scratch, (uint64_t)ms);
    buf_add(&j->scratch, bytes);
    return intern_add(j->events, buf_str(&j->scratch), NULL);
}

uint32_t judgements_tasks(judgements *j, str bytes)
{
    return intern_add(j->tasks, bytes, NULL);
}

bool judgements_find(const judgements *j, judgement at, str *after, uint32_t *broken)
{
    uint32_t i = map3_get(&j->known, at.model, at.events, at.tasks);
    if (i == INTERN_NONE)
        return false;
    *after = intern_get(j->models, j->list[i].model);
    *broken = j->list[i].broken;
    return true;
}

void judgements_add(judgements *j, judgement at, str after, uint32_t broken)
{
    assert(map3_get(&j->known, at.model, at.events, at.tasks) == INTERN_NONE);
    MEM_RESERVE(j->list, j->cap, j->count + 1);
    j->list[j->count].model = intern_add(j->models, after, NULL);
    j->list[j->count].broken = broken;
    map3_put(&j->known, at.model, at.events, at.tasks, (uint32_t)j->count++);
}
