/* windows.c - see windows.h. */
#include "simulate/windows.h"

#include <assert.h>
#include <string.h>

#include "base/mem.h"

windows *windows_new(int64_t begin_us, size_t clients)
{
    windows *w = mem_zero(sizeof *w);
    *w = (windows){ .begin_us = begin_us, .width_us = WINDOW_FIRST_US, .clients = clients };
    w->grants = mem_zero(WINDOWS_MAX * clients * sizeof *w->grants + 1);
    w->asked = mem_zero(clients * sizeof *w->asked + 1);
    for (size_t i = 0; i < WINDOWS_MAX; i++)
        w->at[i].waits.bits = HISTOGRAM_COARSE;
    return w;
}

void windows_free(windows *w)
{
    if (!w)
        return;
    for (size_t i = 0; i < WINDOWS_MAX; i++)
        histogram_free(&w->at[i].waits);
    mem_free(w->grants);
    mem_free(w->asked);
    mem_free(w);
}

static void move_into(windows *w, size_t to, size_t from)
{
    window *into = &w->at[to], *gone = &w->at[from];
    uint32_t *sum = &w->grants[to * w->clients], *one = &w->grants[from * w->clients];
    histogram_merge(&into->waits, &gone->waits);
    histogram_free(&gone->waits);
    into->queue_us += gone->queue_us;
    into->queue_max = gone->queue_max > into->queue_max ? gone->queue_max : into->queue_max;
    gone->queue_us = 0;
    gone->queue_max = 0;
    for (size_t c = 0; c < w->clients; c++) {
        sum[c] += one[c];
        one[c] = 0;
    }
}

static void double_width(windows *w)
{
    /* 1 goes to 0, then 2 and 3 to 1, ...: the one that is moved to has been emptied before */
    for (size_t i = 1; i < WINDOWS_MAX; i++)
        move_into(w, i / 2, i);
    w->width_us *= 2;
    w->used = (w->used + 1) / 2;
}

static size_t window_of(windows *w, int64_t at_us)
{
    int64_t since = at_us < w->begin_us ? 0 : at_us - w->begin_us;
    while (since / w->width_us >= WINDOWS_MAX)
        double_width(w);
    size_t number = (size_t)(since / w->width_us);
    w->used = number >= w->used ? number + 1 : w->used;
    return number;
}

void windows_asker(windows *w, uint32_t client)
{
    w->askers += !w->asked[client];
    w->asked[client] = true;
}

void windows_grant(windows *w, int64_t at_us, uint32_t client, int64_t wait_us)
{
    assert(client < w->clients);
    windows_asker(w, client);
    size_t i = window_of(w, at_us);
    histogram_add(&w->at[i].waits, wait_us);
    w->grants[i * w->clients + client]++;
}

void windows_queue(windows *w, int64_t from_us, int64_t to_us, uint32_t waiting)
{
    if (from_us < w->begin_us)
        from_us = w->begin_us;
    if (to_us <= from_us)
        return;
    window_of(w, to_us - 1);       /* the width it comes to, first */
    while (from_us < to_us) {
        size_t i = window_of(w, from_us);
        int64_t end_us = w->begin_us + (int64_t)(i + 1) * w->width_us;
        end_us = end_us < to_us ? end_us : to_us;
        w->at[i].queue_us += (end_us - from_us) * waiting;
        w->at[i].queue_max = waiting > w->at[i].queue_max ? waiting : w->at[i].queue_max;
        from_us = end_us;
    }
}

bool windows_jain(const windows *w, size_t first, size_t count, double *index, size_t *served)
{
    jain_sum j = { 0 };
    *served = 0;
    for (size_t c = 0; c < w->clients; c++) {
        uint64_t grants = 0;
        if (!w->asked[c])
            continue;
        for (size_t i = first; i < first + count && i < w->used; i++)
            grants += w->grants[i * w->clients + c];
        jain_add(&j, (double)grants);
        *served += grants > 0;
    }
    return jain_index(&j, index);
}

size_t windows_jain_group(const windows *w)
{
    enum { GRANTS_EACH = 10, GROUPS_LEAST = 4 };
    uint64_t grants = 0;
    for (size_t i = 0; i < w->used; i++)
        grants += w->at[i].waits.count;
    uint64_t wanted = grants ? ((uint64_t)GRANTS_EACH * w->askers * w->used + grants - 1) / grants : 1;
    uint64_t most = w->used / GROUPS_LEAST;
    wanted = wanted > most ? most : wanted;
    return wanted ? (size_t)wanted : 1;
}

void jain_add(jain_sum *j, double x)
{
    j->sum += x;
    j->squares += x * x;
    j->count++;
}

bool jain_index(const jain_sum *j, double *index)
{
    if (j->squares <= 0)
        return false;
    *index = j->sum * j->sum / ((double)j->count * j->squares);
    return true;
}
