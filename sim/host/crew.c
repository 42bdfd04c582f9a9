/* crew.c - see crew.h. */
#define _GNU_SOURCE        /* sched_getaffinity */
#include "host/crew.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <unistd.h>

enum { CREW_MAX = 64 };

typedef struct {
    void (*work)(void *context, size_t i);
    void *context;
    size_t count;
    atomic_size_t next;
} crew;

size_t crew_size(size_t wanted)
{
    cpu_set_t set;         /* of this process: batch systems give it a part of the machine */
    long cores = sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : sysconf(_SC_NPROCESSORS_ONLN);
    size_t n = wanted ? wanted : cores > 0 ? (size_t)cores : 1;
    return n < CREW_MAX ? n : CREW_MAX;
}

static void *labour(void *context)
{
    crew *c = context;
    for (size_t i; (i = atomic_fetch_add(&c->next, 1)) < c->count; )
        c->work(c->context, i);
    return NULL;
}

void crew_run(size_t threads, size_t count, void (*work)(void *context, size_t i), void *context)
{
    crew c = { .work = work, .context = context, .count = count };
    pthread_t hands[CREW_MAX];
    size_t started = 0, wanted = threads < count ? threads : count;
    atomic_init(&c.next, 0);
    while (started + 1 < wanted && started < CREW_MAX && pthread_create(&hands[started], NULL, labour, &c) == 0)
        started++;
    labour(&c);            /* this thread is one of them */
    for (size_t i = 0; i < started; i++)
        pthread_join(hands[i], NULL);
}
