/* team.c - see team.h. */
#include "base/team.h"

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/mem.h"

typedef struct {
    team *of;
    size_t number;
    uint64_t calls;                                /* that it has heard */
    pthread_t thread;
} member;

/* A call is short: a thread that waits for the next, or for the others, looks for a while before it sleeps. To wake it
 * takes longer than many a call. */
enum { LOOKS = 5000 };

struct team {
    pthread_mutex_t lock;
    pthread_cond_t called, finished;
    atomic_uint_fast64_t calls;                    /* counted, so that no member takes one call for two */
    atomic_size_t busy;                            /* members that have not finished it */
    size_t wanted;                                 /* members of this call */
    bool over;
    size_t count;
    atomic_size_t next;
    void (*work)(void *context, size_t member, size_t i);
    void *context;
    size_t started;                                /* threads, the caller's not counted */
    member members[TEAM_MAX];
};

static void look_again(void)
{
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#endif
}

static void labour(team *t, size_t number)
{
    for (size_t i; (i = atomic_fetch_add(&t->next, 1)) < t->count; )
        t->work(t->context, number, i);
}

static void *live(void *context)
{
    member *m = context;
    team *t = m->of;
    for (;;) {
        for (int i = 0; i < LOOKS && atomic_load(&t->calls) == m->calls; i++)
            look_again();
        pthread_mutex_lock(&t->lock);
        while (!t->over && atomic_load(&t->calls) == m->calls)
            pthread_cond_wait(&t->called, &t->lock);
        bool over = t->over, wanted = m->number < t->wanted;
        m->calls = atomic_load(&t->calls);
        pthread_mutex_unlock(&t->lock);
        if (over)
            break;
        if (!wanted)
            continue;
        labour(t, m->number);
        if (atomic_fetch_sub(&t->busy, 1) == 1) {
            pthread_mutex_lock(&t->lock);
            pthread_cond_signal(&t->finished);
            pthread_mutex_unlock(&t->lock);
        }
    }
    mem_give_back();
    return NULL;
}

team *team_new(void)
{
    team *t = mem_zero(sizeof *t);
    pthread_mutex_init(&t->lock, NULL);
    pthread_cond_init(&t->called, NULL);
    pthread_cond_init(&t->finished, NULL);
    return t;
}

/* So many threads besides the caller's, or as many as there are to be had. */
static size_t start(team *t, size_t wanted)
{
    while (t->started < wanted) {
        member *m = &t->members[t->started];
        *m = (member){ .of = t, .number = t->started + 1, .calls = atomic_load(&t->calls) };
        if (pthread_create(&m->thread, NULL, live, m) != 0)
            break;
        t->started++;
    }
    return wanted < t->started ? wanted : t->started;
}

void team_free(team *t)
{
    if (!t)
        return;
    pthread_mutex_lock(&t->lock);
    t->over = true;
    pthread_cond_broadcast(&t->called);
    pthread_mutex_unlock(&t->lock);
    for (size_t i = 0; i < t->started; i++)
        pthread_join(t->members[i].thread, NULL);
    pthread_cond_destroy(&t->finished);
    pthread_cond_destroy(&t->called);
    pthread_mutex_destroy(&t->lock);
    mem_free(t);
}

void team_run(team *t, size_t members, size_t count, void (*work)(void *context, size_t member, size_t i),
              void *context)
{
    assert(members >= 1 && members <= TEAM_MAX);
    size_t helpers = start(t, count > 0 && members > count ? count - 1 : members - 1);
    pthread_mutex_lock(&t->lock);
    t->work = work;
    t->context = context;
    t->count = count;
    atomic_store(&t->next, 0);
    t->wanted = helpers + 1;
    atomic_store(&t->busy, helpers);
    atomic_fetch_add(&t->calls, 1);
    if (helpers)
        pthread_cond_broadcast(&t->called);
    pthread_mutex_unlock(&t->lock);
    labour(t, 0);
    for (int i = 0; i < LOOKS && atomic_load(&t->busy) > 0; i++)
        look_again();
    if (atomic_load(&t->busy) == 0)
        return;
    pthread_mutex_lock(&t->lock);
    while (atomic_load(&t->busy) > 0)
        pthread_cond_wait(&t->finished, &t->lock);
    pthread_mutex_unlock(&t->lock);
}

/* ---- cores ---- */

struct cores { atomic_size_t idle; };

cores *cores_new(size_t idle)
{
    cores *c = mem_zero(sizeof *c);
    atomic_init(&c->idle, idle);
    return c;
}

void cores_free(cores *c) { mem_free(c); }

size_t cores_take(cores *c, size_t most)
{
    if (!c)
        return 0;
    size_t idle = atomic_load(&c->idle), taken;
    do
        taken = idle < most ? idle : most;
    while (taken > 0 && !atomic_compare_exchange_weak(&c->idle, &idle, idle - taken));
    return taken;
}

void cores_give(cores *c, size_t count)
{
    if (c)
        atomic_fetch_add(&c->idle, count);
}
