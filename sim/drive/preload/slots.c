/* slots.c - one slot for each waiting thread: its identity, its time limit, and the word that ends its wait. */
#include <errno.h>
#include <linux/futex.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "preload.h"

static __thread shared_slot *mine;
static pthread_key_t leaving;
static pthread_once_t once = PTHREAD_ONCE_INIT;

void futex_wake(_Atomic uint32_t *word, int count)
{
    RAW(SYS_futex, word, FUTEX_WAKE, count, NULL, NULL, 0);
}

void futex_wait(_Atomic uint32_t *word, uint32_t value)
{
    RAW(SYS_futex, word, FUTEX_WAIT, value, NULL, NULL, 0);
}

static void leave(void *slot)
{
    mine = NULL;
    atomic_store(&((shared_slot *)slot)->state, SLOT_FREE);
}

static void make_key(void)
{
    pthread_key_create(&leaving, leave);
}

shared_slot *slot_claim(void)
{
    for (uint32_t i = 0; i < SHARED_SLOTS; i++) {
        shared_slot *s = &preload_page->slots[i];
        uint32_t free = SLOT_FREE;
        if (atomic_compare_exchange_strong(&s->state, &free, SLOT_IDLE)) {
            s->number = atomic_fetch_add(&preload_page->threads, 1);
            atomic_store(&s->pid, preload_pid());
            atomic_store(&s->tid, (int32_t)RAW(SYS_gettid));
            return s;
        }
    }
    preload_die("more than 512 threads of one client wait at one time");
}

static shared_slot *my_slot(void)
{
    if (!mine) {
        pthread_once(&once, make_key);
        mine = slot_claim();
        pthread_setspecific(leaving, mine);
    }
    return mine;
}

/* The child's only thread differs from its parent's. */
void slots_after_fork(void)
{
    mine = NULL;
}

bool baton_counts(void)
{
    return driven() && preload_page->baton && atomic_load(&preload_page->several);
}

static void wait_ready(shared_slot *s)
{
    atomic_store(&s->word, WORD_WAITS);
    atomic_store(&s->state, SLOT_READY);
    while (atomic_load(&s->word) == WORD_WAITS)
        futex_wait(&s->word, WORD_WAITS);
    atomic_store(&s->state, SLOT_IDLE);
}

void baton_wait(void)
{
    int problem = errno;
    if (baton_counts())
        wait_ready(my_slot());
    errno = problem;
}

/* ---- threads that begin ---- */

typedef struct {
    void *(*run)(void *argument);
    void *argument;
    shared_slot *slot;
} beginning;

static void *begin_thread(void *context)
{
    beginning b = *(beginning *)context;
    free(context);
    atomic_store(&b.slot->pid, preload_pid());
    atomic_store(&b.slot->tid, (int32_t)RAW(SYS_gettid));
    mine = b.slot;
    pthread_setspecific(leaving, mine);
    wait_ready(mine);
    return b.run(b.argument);
}

/* Its slot is claimed by its maker, so that threads are numbered in the order in which they were made. */
int pthread_create(pthread_t *restrict thread, const pthread_attr_t *restrict attributes, void *(*run)(void *),
                   void *restrict argument)
{
    if (!driven() || !preload_page->baton)
        return REAL(pthread_create)(thread, attributes, run, argument);
    my_slot();
    atomic_store(&preload_page->several, 1);
    beginning *b = malloc(sizeof *b);
    if (!b)
        return EAGAIN;
    *b = (beginning){ .run = run, .argument = argument, .slot = slot_claim() };
    shared_slot *slot = b->slot;
    atomic_store(&slot->state, SLOT_IDLE);
    int problem = REAL(pthread_create)(thread, attributes, begin_thread, b);
    if (problem) {
        atomic_store(&slot->state, SLOT_FREE);
        free(b);
    }
    return problem;
}

int pthread_join(pthread_t thread, void **result)
{
    if (!baton_counts())
        return REAL(pthread_join)(thread, result);
    int problem = REAL(pthread_tryjoin_np)(thread, result);
    if (problem != EBUSY)
        return problem;
    problem = REAL(pthread_join)(thread, result);
    baton_wait();
    return problem;
}

shared_slot *wait_begin(slot_state state, int64_t limit_ns, const char *call)
{
    shared_slot *s = my_slot();
    int64_t now_ns = atomic_load(&preload_page->mono_ns);
    s->deadline_ns = limit_ns < SHARED_NEVER - now_ns ? now_ns + limit_ns : SHARED_NEVER;
    s->order = atomic_fetch_add(&preload_page->waits, 1);
    strncpy(s->call_name, call, sizeof s->call_name - 1);
    atomic_store(&s->word, WORD_WAITS);
    atomic_store(&s->state, state);
    return s;
}

bool wait_fired(const shared_slot *s)
{
    return atomic_load(&s->word) == WORD_FIRED;
}

/* A thread that locksim itself has woken runs alone in any case. */
bool wait_end(shared_slot *s)
{
    uint32_t state = atomic_load(&s->state);
    bool fired = wait_fired(s), printed = state == SLOT_PRINTS || state == SLOT_READS;
    atomic_store(&s->state, SLOT_IDLE);
    if (!fired && !printed)
        baton_wait();
    return fired;
}

bool wait_on_word(shared_slot *s)
{
    if (atomic_load(&s->word) == WORD_WAITS && RAW(SYS_futex, &s->word, FUTEX_WAIT, WORD_WAITS, NULL, NULL, 0) < 0 &&
        errno == EINTR)
        return atomic_load(&s->word) != WORD_WAITS;
    while (atomic_load(&s->word) == WORD_WAITS)
        futex_wait(&s->word, WORD_WAITS);
    return true;
}
