/* crew.c - see crew.h. */
#define _GNU_SOURCE        /* sched_getaffinity */
#include "host/crew.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <time.h>
#include <unistd.h>

#include "base/codec.h"
#include "base/mem.h"
#include "host/ranks.h"

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

/* ---- in order ---- */

typedef enum { PIECE_LEFT, PIECE_HERE, PIECE_AWAY, PIECE_DONE } piece_state;

typedef struct {
    const crew_work *w;
    crew_work kept;                /* what w is */
    pthread_mutex_t lock;          /* of all below */
    pthread_cond_t finished;
    size_t next;                   /* no piece before it is left */
    piece_state *pieces;
    size_t gone;                   /* ranks that were told that there are no more */
    bool stop;
} orderly;

/* The next piece, or SIZE_MAX: there is none to start. */
static size_t take(orderly *o, piece_state where)
{
    if (o->stop || o->w->interrupted())
        return SIZE_MAX;
    while (o->next < o->w->count && o->pieces[o->next] != PIECE_LEFT)
        o->next++;
    for (size_t i = o->next; i < o->w->count; i++) {
        bool stays = where == PIECE_AWAY && o->w->stays && o->w->stays(o->w->context, i);
        if (o->pieces[i] != PIECE_LEFT || stays)
            continue;
        o->pieces[i] = where;
        return i;
    }
    return SIZE_MAX;
}

static void *hand(void *context)
{
    orderly *o = context;
    pthread_mutex_lock(&o->lock);
    for (size_t i; (i = take(o, PIECE_HERE)) != SIZE_MAX;) {
        pthread_mutex_unlock(&o->lock);
        o->w->work(o->w->context, i);
        pthread_mutex_lock(&o->lock);
        o->pieces[i] = PIECE_DONE;
        pthread_cond_broadcast(&o->finished);
    }
    pthread_cond_broadcast(&o->finished);          /* after an interrupt a thread may wait for a piece that will not
                                                    * be started */
    pthread_mutex_unlock(&o->lock);
    if (o->w->leave)
        o->w->leave(o->w->context);
    return NULL;
}

/* ---- ranks: a rank reports that it is idle, or the result of a piece, and gets the next piece ---- */

static void answer(orderly *o, size_t to)
{
    buf b = { 0 };
    pthread_mutex_lock(&o->lock);
    size_t i = take(o, PIECE_AWAY);
    o->gone += i == SIZE_MAX;
    pthread_mutex_unlock(&o->lock);
    put_varint(&b, i == SIZE_MAX ? 0 : i + 1);
    ranks_send(to, buf_str(&b));
    buf_free(&b);
}

/* Everything that ranks have said so far. */
static void listen(orderly *o)
{
    buf b = { 0 };
    size_t from;
    while (ranks_receive(&from, &b)) {
        str rest = buf_str(&b);
        uint64_t piece = take_varint(&rest);
        if (piece > 0) {
            o->w->unpack(o->w->context, piece - 1, rest);
            pthread_mutex_lock(&o->lock);
            o->pieces[piece - 1] = PIECE_DONE;
            pthread_mutex_unlock(&o->lock);
        }
        answer(o, from);
    }
    buf_free(&b);
}

static void pause_briefly(void)
{
    nanosleep(&(struct timespec){ .tv_nsec = 500000 }, NULL);
}

/* The main loop of a rank: pieces, until rank 0 has no more. */
static void serve_rank_0(const crew_work *w)
{
    buf b = { 0 };
    size_t from;
    put_varint(&b, 0);
    for (uint64_t piece = 1; piece > 0;) {
        ranks_send(0, buf_str(&b));
        while (!ranks_receive(&from, &b)) {
            if (w->interrupted())
                break;
            pause_briefly();
        }
        str rest = buf_str(&b);
        piece = w->interrupted() ? 0 : take_varint(&rest);
        if (piece > 0) {
            w->work(w->context, piece - 1);
            buf_clear(&b);
            put_varint(&b, piece);
            w->pack(w->context, piece - 1, &b);
        }
    }
    buf_free(&b);
}

/* Waits for piece i. false: it will not be done here. */
static bool wait_for(orderly *o, size_t i, bool shared)
{
    pthread_mutex_lock(&o->lock);
    while (o->pieces[i] != PIECE_DONE && !(o->w->interrupted() && (shared || o->pieces[i] != PIECE_HERE))) {
        if (!shared) {
            pthread_cond_wait(&o->finished, &o->lock);
            continue;
        }
        pthread_mutex_unlock(&o->lock);
        listen(o);
        pause_briefly();
        pthread_mutex_lock(&o->lock);
    }
    bool done = o->pieces[i] == PIECE_DONE;
    pthread_mutex_unlock(&o->lock);
    return done;
}

static size_t publish_all(orderly *o, bool shared)
{
    size_t published = 0;
    for (size_t i = 0; i < o->w->count; i++) {
        if (!wait_for(o, i, shared))
            continue;
        published++;
        if (!o->w->publish(o->w->context, i))
            break;
    }
    return published;
}

/* Lets every rank end its piece, and tells it that there are no more. */
static void dismiss(orderly *o, size_t published)
{
    buf b = { 0 };
    size_t from;
    if (published < o->w->count)
        ranks_cancel();
    /* After an interrupt they were interrupted, too, or are dead. */
    while (o->gone < ranks_all() - 1 && !o->w->interrupted())
        if (ranks_receive(&from, &b))
            answer(o, from);
        else
            pause_briefly();
    buf_free(&b);
}

size_t crew_publish(const crew_work *w, size_t threads)
{
    bool shared = ranks_all() > 1 && w->pack;
    if (shared && ranks_own() > 0) {
        serve_rank_0(w);
        return 0;
    }
    pthread_t hands[CREW_MAX];
    size_t started = 0, wanted = shared ? 1 : threads < w->count ? threads : w->count;
    orderly *o = mem_zero(sizeof *o);
    o->kept = *w;
    o->w = &o->kept;
    o->pieces = mem_zero((w->count + 1) * sizeof *o->pieces);
    pthread_mutex_init(&o->lock, NULL);
    pthread_cond_init(&o->finished, NULL);
    while (started < wanted && started < CREW_MAX && pthread_create(&hands[started], NULL, hand, o) == 0)
        started++;
    if (started == 0)
        hand(o);           /* no threads are available: all work is done here */
    size_t published = publish_all(o, shared);
    if (shared && w->interrupted())
        return published;  /* `o` stays with the thread that may still be at it */
    pthread_mutex_lock(&o->lock);
    o->stop = true;
    pthread_mutex_unlock(&o->lock);
    for (size_t i = 0; i < started; i++)
        pthread_join(hands[i], NULL);
    if (shared)
        dismiss(o, published);
    pthread_cond_destroy(&o->finished);
    pthread_mutex_destroy(&o->lock);
    mem_free(o->pieces);
    mem_free(o);
    return published;
}

/* ---- what all ranks need to know ---- */

static bool go_on(void *context, size_t i)
{
    (void)context;
    (void)i;
    return true;
}

static void tell_others(const crew_work *w)
{
    buf all = { 0 }, one = { 0 };
    for (size_t i = 0; i < w->count; i++) {
        buf_clear(&one);
        w->pack(w->context, i, &one);
        buf_lenstr(&all, buf_str(&one));
    }
    for (size_t r = 1; r < ranks_all(); r++)
        ranks_send(r, buf_str(&all));
    buf_free(&one);
    buf_free(&all);
}

static void hear_all(const crew_work *w)
{
    buf all = { 0 };
    size_t from;
    while (!ranks_receive(&from, &all)) {
        if (w->interrupted())
            return;
        pause_briefly();
    }
    str rest = buf_str(&all);
    for (size_t i = 0; i < w->count; i++)
        w->unpack(w->context, i, take_lenstr(&rest));
    buf_free(&all);
}

void crew_share(const crew_work *w, size_t threads)
{
    if (ranks_all() == 1) {
        crew_run(threads, w->count, w->work, w->context);
        return;
    }
    crew_work shared = *w;
    shared.publish = go_on;
    shared.leave = NULL;
    crew_publish(&shared, 1);
    if (w->interrupted())
        return;
    if (ranks_own() == 0)
        tell_others(w);
    else
        hear_all(w);
}
