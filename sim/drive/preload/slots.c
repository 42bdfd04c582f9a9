/* slots.c - one slot for each thread that waits: who it is, until when, and the word that ends it. */
#include <errno.h>
#include <linux/futex.h>
#include <pthread.h>
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

/* The child's only thread is another one than its parent's. */
void slots_after_fork(void)
{
    mine = NULL;
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

bool wait_end(shared_slot *s)
{
    atomic_store(&s->state, SLOT_IDLE);
    return wait_fired(s);
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
