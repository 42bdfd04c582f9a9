/* watch_set.c - see watch_set.h. */
#include "watch/watch_set.h"

#include <pthread.h>
#include <unistd.h>

#include "base/mem.h"
#include "memo/trials.h"

enum { THREADS_MAX = 64, KEPT_BYTES_MAX = 384 << 20 };

struct watch_set {
    const options *o;
    void (*notify)(void *context);
    void *context;
    arena *memory;                 /* of paths */
    progress_board board;
    watched **at;
    size_t count, cap;
    pthread_mutex_t lock;
    pthread_cond_t asked;          /* there is work, or the end */
    pthread_cond_t idled;          /* a thread came back */
    uint64_t runs;
    bool over;
    pthread_t threads[THREADS_MAX];
    size_t thread_count;
};

/* Urgent ones first, then fast ones; among equals the first. */
static bool goes_before(const watched *a, const watched *b)
{
    if (!b || a->urgent != b->urgent)
        return !b || a->urgent;
    return a->now.work < b->now.work;
}

static watched *next_waiting(watch_set *s)
{
    watched *best = NULL;
    for (size_t i = 0; i < s->count; i++)
        if (s->at[i]->state == WATCHED_WAITING && goes_before(s->at[i], best))
            best = s->at[i];
    return best;
}

/* Is the result still valid: are all changes new texts of scripts that do the same? It only reads the result, as its
 * owner reads it, too. */
static bool still_holds(watched *w, const known_result *k)
{
    arena *a = arena_new();
    bool same = k->last.known;
    w->tried = 0;
    w->prints = mem_grow(w->prints, (k->looked.count + 1) * sizeof *w->prints);
    for (size_t i = 0; i < k->looked.count && same; i++) {
        const struct looked_at *at = &k->looked.at[i];
        size_t calls;
        err e = { 0 };
        str text;
        w->prints[i] = at->print;
        if (file_print_now(at->path) == at->print)
            continue;
        same = k->trials && files_read(a, at->path, &text, &e) && trials_same(k->trials, at->path, text, &calls);
        err_clear(&e);
        if (!same)
            break;
        w->prints[i] = file_print_of(text);
        w->tried += calls;
    }
    arena_free(a);
    return same;
}

static void run_one(watch_set *s, watched *w)
{
    w->same = still_holds(w, &w->now) ? &w->now : still_holds(w, &w->before) ? &w->before : NULL;
    if (w->same)
        return;
    progress p = { .side_by_side = s->thread_count, .cancel = &w->cancel };
    progress_scenario(&p, &s->board, w->path, 1, 1);
    if (s->o->verbose)             /* tells how much Lua was really run */
        judge_file(s->o, w->path, &p, &w->fresh);
    else
        judge_again(s->o, w->path, &p, &w->kept, &w->fresh);
}

static void *work(void *context)
{
    watch_set *s = context;
    pthread_mutex_lock(&s->lock);
    while (!s->over) {
        watched *w = next_waiting(s);
        if (!w) {
            pthread_cond_wait(&s->asked, &s->lock);
            continue;
        }
        w->state = WATCHED_RUNNING;
        w->used = ++s->runs;
        w->cancel = false;
        pthread_mutex_unlock(&s->lock);
        run_one(s, w);
        pthread_mutex_lock(&s->lock);
        w->state = WATCHED_DONE;
        pthread_cond_broadcast(&s->idled);
        s->notify(s->context);
    }
    pthread_mutex_unlock(&s->lock);
    return NULL;
}

watch_set *watch_set_new(const options *o, void (*notify)(void *context), void *context)
{
    watch_set *s = mem_zero(sizeof *s);
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    size_t wanted = o->jobs ? (size_t)o->jobs : cores > 0 ? (size_t)cores : 1;
    s->o = o;
    s->notify = notify;
    s->context = context;
    s->memory = arena_new();
    progress_begin(&s->board);
    s->board.shown = 0;            /* no search has a line of its own */
    pthread_mutex_init(&s->lock, NULL);
    pthread_cond_init(&s->asked, NULL);
    pthread_cond_init(&s->idled, NULL);
    pthread_mutex_lock(&s->lock);  /* until all threads know how many they are */
    while (s->thread_count < wanted && s->thread_count < THREADS_MAX &&
           pthread_create(&s->threads[s->thread_count], NULL, work, s) == 0)
        s->thread_count++;
    pthread_mutex_unlock(&s->lock);
    if (s->thread_count > 0)
        return s;
    watch_set_free(s);
    return NULL;
}

static void known_free(known_result *k)
{
    looked_free(&k->looked);
    trials_free(k->trials);
    *k = (known_result){ 0 };
}

void watched_know(watched *w, known_result k)
{
    known_free(&w->before);
    w->before = w->now;
    w->now = k;
}

void watched_take_back(watched *w)
{
    known_result now = w->now;
    w->now = w->before;
    w->before = now;
}

static void watched_free(watched *w)
{
    if (w->state == WATCHED_DONE && !w->same)
        judged_free(&w->fresh);
    known_free(&w->now);
    known_free(&w->before);
    kept_free(w->kept);
    mem_free(w->prints);
    mem_free(w);
}

void watch_set_free(watch_set *s)
{
    pthread_mutex_lock(&s->lock);
    s->over = true;
    for (size_t i = 0; i < s->count; i++)
        s->at[i]->cancel = true;
    pthread_cond_broadcast(&s->asked);
    pthread_mutex_unlock(&s->lock);
    for (size_t i = 0; i < s->thread_count; i++)
        pthread_join(s->threads[i], NULL);
    for (size_t i = 0; i < s->count; i++)
        watched_free(s->at[i]);
    pthread_cond_destroy(&s->asked);
    pthread_cond_destroy(&s->idled);
    pthread_mutex_destroy(&s->lock);
    arena_free(s->memory);
    mem_free(s->at);
    mem_free(s);
}

size_t watch_set_count(const watch_set *s)
{
    return s->count;
}

watched *watch_set_get(watch_set *s, size_t i)
{
    return s->at[i];
}

watched *watch_set_find(watch_set *s, str path)
{
    for (size_t i = 0; i < s->count; i++)
        if (str_eq(s->at[i]->path, path))
            return s->at[i];
    return NULL;
}

watched *watch_set_add(watch_set *s, str path)
{
    watched *w = mem_zero(sizeof *w);
    w->path = arena_str(s->memory, path);
    pthread_mutex_lock(&s->lock);
    MEM_RESERVE(s->at, s->cap, s->count + 1);
    s->at[s->count++] = w;
    pthread_mutex_unlock(&s->lock);
    return w;
}

void watch_set_remove(watch_set *s, watched *w)
{
    pthread_mutex_lock(&s->lock);
    size_t i = 0;
    while (s->at[i] != w)
        i++;
    for (s->count--; i < s->count; i++)
        s->at[i] = s->at[i + 1];
    pthread_mutex_unlock(&s->lock);
    watched_free(w);
}

/* Those whose results are not awaited lose their cores. */
static void make_room(watch_set *s)
{
    for (size_t i = 0; i < s->count; i++)
        if (s->at[i]->state == WATCHED_RUNNING && !s->at[i]->urgent)
            s->at[i]->cancel = true;
}

void watch_set_ask(watch_set *s, watched *w, bool urgent)
{
    pthread_mutex_lock(&s->lock);
    w->urgent = w->urgent || urgent;
    if (urgent)
        make_room(s);
    if (w->state == WATCHED_IDLE)
        w->state = WATCHED_WAITING;
    else if (w->state != WATCHED_WAITING)
        w->cancel = true;          /* watch_set_take drops its result, and it waits again */
    pthread_cond_broadcast(&s->asked);
    pthread_mutex_unlock(&s->lock);
}

void watch_set_settle(watch_set *s, watched *w)
{
    pthread_mutex_lock(&s->lock);
    w->cancel = true;
    while (w->state == WATCHED_RUNNING)
        pthread_cond_wait(&s->idled, &s->lock);
    if (w->state == WATCHED_DONE && !w->same)
        judged_free(&w->fresh);
    w->state = WATCHED_IDLE;
    pthread_mutex_unlock(&s->lock);
}

watched *watch_set_take(watch_set *s, judged *out)
{
    watched *taken = NULL;
    pthread_mutex_lock(&s->lock);
    for (size_t i = 0; i < s->count && !taken; i++) {
        watched *w = s->at[i];
        if (w->state != WATCHED_DONE)
            continue;
        w->state = w->cancel ? WATCHED_WAITING : WATCHED_IDLE;
        if (!w->cancel) {
            taken = w;
            for (size_t f = 0; w->same && f < w->same->looked.count; f++)
                w->same->looked.at[f].print = w->prints[f];
            *out = w->same ? (judged){ 0 } : w->fresh;
        } else if (!w->same) {
            judged_free(&w->fresh);
        }
        pthread_cond_broadcast(&s->asked);
    }
    pthread_mutex_unlock(&s->lock);
    return taken;
}

void watch_set_trim(watch_set *s)
{
    pthread_mutex_lock(&s->lock);
    for (;;) {
        size_t bytes = 0;
        watched *oldest = NULL;
        for (size_t i = 0; i < s->count; i++) {
            watched *w = s->at[i];
            if (w->state != WATCHED_IDLE && w->state != WATCHED_WAITING)
                continue;
            bytes += kept_bytes(w->kept);
            if (w->kept && (!oldest || w->used < oldest->used))
                oldest = w;
        }
        if (!oldest || bytes <= KEPT_BYTES_MAX)
            break;
        kept_free(oldest->kept);
        oldest->kept = NULL;
    }
    pthread_mutex_unlock(&s->lock);
}

size_t watch_set_busy(watch_set *s, size_t *urgent)
{
    size_t busy = 0;
    *urgent = 0;
    pthread_mutex_lock(&s->lock);
    for (size_t i = 0; i < s->count; i++) {
        busy += s->at[i]->state != WATCHED_IDLE;
        *urgent += s->at[i]->state != WATCHED_IDLE && s->at[i]->urgent;
    }
    pthread_mutex_unlock(&s->lock);
    return busy;
}
