/* replicate.c - see replicate.h. A run has its own copy of everything, from the scenario's text on, so that runs share
 * nothing; only the kept results are copied out. */
#include "judge/replicate.h"

#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

#include "base/codec.h"
#include "base/mem.h"
#include "host/crew.h"
#include "host/ranks.h"
#include "judge/judge.h"
#include "judge/packed.h"
#include "simulate/simulate.h"

/* The result of one run. */
typedef struct {
    bool ok;
    err error;                     /* not ok */
    simulate_result result;
    bool late;
    measure *m;                    /* NULL: another rank has it */
    str numbers;                   /* of a whole run on another rank: replications_tell */
} ran;

typedef struct {
    const replicate_list *list;
    arena *names;                  /* of locks */
    const options *o;
    progress_board board;
    pthread_mutex_t lock;          /* of the list, of `names` and of what follows */
    pthread_cond_t finished;
    size_t next, next_seed;        /* that no thread has taken yet */
    size_t at_work;                /* threads */
    atomic_bool stop;
    /* Over the ranks of a job: */
    struct piece { size_t group, seed; } *pieces;
    size_t piece_count, told;      /* told: groups that were published */
    ran made;                      /* on a rank other than 0: the last one */
    bool (*publish)(void *context, replicated *r);
    void *context;
    bool deaf;                     /* publish returned false */
} crew;

/* One run, while it goes on. */
typedef struct {
    crew *crew;
    replicated *r;
    size_t seed;                   /* 0: the first */
    measure *m;
    progress p;
    bool late;
} runner;

static bool go_on(void *context, int64_t at_us, uint64_t acquisitions)
{
    runner *one = context;
    const options *o = one->crew->o;
    if (!progress_simulating(&one->p, one->seed + 1, one->r->seeds, at_us, acquisitions) || one->crew->stop)
        return false;
    one->late = o->has_time_limit && progress_now_ms() - one->r->begun_ms >= (int64_t)o->time_limit_s * 1000;
    return !one->late;
}

static void keep_errors(crew *w, replicated *r, size_t seed, const simulate_result *result)
{
    if (result->errors > 0 && (r->told.errors == 0 || seed < r->error_seed)) {
        r->told.first_error = arena_str(w->names, result->error);
        r->error_seed = seed;
    }
    r->told.errors += result->errors;
}

static bool is_whole(const simulate_result *result)
{
    return result->ending != SIMULATE_STOPPED && result->ending != SIMULATE_CUT;
}

/* Of seed 0: the results of single clients, and the names of its locks. */
static void keep_first(crew *w, replicated *r, const ran *x)
{
    const simulate_result *result = &x->result;
    str *names = ARENA_ARRAY(w->names, str, result->lock_count + 1);
    for (size_t i = 0; i < result->lock_count; i++)
        names[i] = arena_str(w->names, result->locks[i]);
    r->told.locks = names;
    r->told.lock_count = result->lock_count;
    r->told.threads = result->threads;
    r->told.begin_us = measure_begin_us(x->m);
    r->told.end_us = measure_end_us(x->m);
    r->told.ran_out = result->ending == SIMULATE_IDLE;
}

/* Keeps the results of a run. Call it with the lock held. */
static void keep(crew *w, replicated *r, size_t seed, const ran *x)
{
    const simulate_result *result = &x->result;
    bool whole = is_whole(result);
    r->told.starved += result->ending == SIMULATE_STARVED;
    r->told.fruitless += result->ending == SIMULATE_FRUITLESS;
    r->told.flooded += result->ending == SIMULATE_FLOODED;
    r->late = r->late || (x->late && !whole);
    keep_errors(w, r, seed, result);
    if (seed == 0)
        keep_first(w, r, x);
    if (whole && x->m)
        replications_add(r->runs, seed, x->m);
    else if (whole)
        replications_hear(r->runs, seed, x->numbers);
    else if (seed == 0)
        r->cut = x->m;
    else
        measure_free(x->m);
}

static void on_occurrence(void *context, const occurrence *o)
{
    measure_occurrence(((runner *)context)->m, o);
}

/* The lowest failing seed is reported, whichever ran faster. */
static void fail(replicated *r, size_t seed, err *e)
{
    if (r->failed.class_ != ERR_NONE && r->failed_seed < seed)
        return;
    err_clear(&r->failed);
    r->failed = *e;
    r->failed_seed = seed;
    *e = (err){ 0 };
}

/* Call it with the lock held. The run's memory is kept or freed. */
static void take_over(crew *w, size_t group, size_t seed, ran *x)
{
    replicated *r = &w->list->at[group];
    if (x->ok) {
        keep(w, r, seed, x);
    } else {
        measure_free(x->m);
        fail(r, seed, &x->error);
    }
    simulate_result_free(&x->result);
    err_clear(&x->error);
}

static ran run_seed(crew *w, size_t group, size_t seed)
{
    enum { LATENCY_US = 1000 };
    replicated *r = &w->list->at[group];
    arena *a = arena_new();
    search_path where = search_path_new(a, w->o);
    scenario *sc = ARENA_NEW(a, scenario);
    ran x = { .m = measure_new((uint32_t)r->told.client_count, r->told.seed + seed, seed == 0) };
    runner one = { .crew = w, .r = r, .seed = seed, .m = x.m };
    progress_scenario(&one.p, &w->board, r->told.path, group + 1, w->list->count);
    x.ok = judge_load(a, &where, r->told.path, (overrides){ .dialect = options_overrides(w->o).dialect }, sc,
                      &x.error);
    if (x.ok) {
        loader l = search_path_loader(&where);
        simulate_options so = { .seed = r->told.seed + seed, .workload = r->which, .latency_us = LATENCY_US,
                                .context = &one, .on_occurrence = on_occurrence, .go_on = go_on };
        x.ok = simulate_run(sc, &l, &so, &x.result, &x.error);
    }
    if (x.ok)
        measure_end(x.m, x.result.end_us);
    x.late = one.late;
    arena_free(a);
    return x;
}

/* The next run that is not taken; skips those that are no longer needed. Call it with the lock held. */
static bool take(crew *w, size_t *group, size_t *seed)
{
    for (; w->next < w->list->count; w->next++, w->next_seed = 0) {
        replicated *r = &w->list->at[w->next];
        bool useless = r->failed.class_ != ERR_NONE || r->late;
        if (w->next_seed < r->seeds && !useless) {
            if (w->next_seed == 0)
                r->begun_ms = progress_now_ms();
            *group = w->next;
            *seed = w->next_seed++;
            return true;
        }
        r->finished += r->seeds - w->next_seed;
    }
    return false;
}

static void *work(void *context)
{
    crew *w = context;
    size_t group, seed;
    pthread_mutex_lock(&w->lock);
    while (!w->stop && !progress_interrupted() && take(w, &group, &seed)) {
        pthread_mutex_unlock(&w->lock);
        ran x = run_seed(w, group, seed);
        pthread_mutex_lock(&w->lock);
        take_over(w, group, seed, &x);
        w->list->at[group].finished++;
        pthread_cond_broadcast(&w->finished);
    }
    w->at_work--;
    pthread_cond_broadcast(&w->finished);
    pthread_mutex_unlock(&w->lock);
    return NULL;
}

/* Waits until all its runs have ended, or no thread is left to run them. */
static void wait_for(crew *w, const replicated *r)
{
    pthread_mutex_lock(&w->lock);
    while (r->finished < r->seeds && w->at_work > 0)
        pthread_cond_wait(&w->finished, &w->lock);
    pthread_mutex_unlock(&w->lock);
}

/* The result over its runs. */
static void settle(replicated *r)
{
    simulated *t = &r->told;
    if (r->failed.class_ != ERR_NONE) {
        t->ending = SIMULATED_FAILED;
        t->error = &r->failed;
        return;
    }
    t->ending = r->runs->done == r->seeds ? SIMULATED_ALL : r->late ? SIMULATED_LATE : SIMULATED_INTERRUPTED;
    if (r->runs->done == 0 && r->cut) {
        replications_add(r->runs, 0, r->cut);
        r->cut = NULL;
        t->cut = true;
    }
}

static void publish_all(crew *w, bool (*publish)(void *context, replicated *r), void *context)
{
    for (size_t i = 0; i < w->list->count; i++) {
        replicated *r = &w->list->at[i];
        wait_for(w, r);
        settle(r);
        progress_clear(&w->board, PROGRESS_NOBODY);
        if (!publish(context, r))
            return;
        progress_clear(&w->board, i + 2);
    }
}

/* ---- over the ranks of a job: seed 0, of which more is kept, stays on rank 0 ---- */

static bool stays(void *context, size_t i)
{
    return ((crew *)context)->pieces[i].seed == 0;
}

static void work_piece(void *context, size_t i)
{
    crew *w = context;
    const struct piece *p = &w->pieces[i];
    replicated *r = &w->list->at[p->group];
    pthread_mutex_lock(&w->lock);
    if (!r->begun)
        r->begun_ms = progress_now_ms();
    r->begun = true;
    pthread_mutex_unlock(&w->lock);
    ran x = run_seed(w, p->group, p->seed);
    pthread_mutex_lock(&w->lock);
    if (ranks_own() == 0)
        take_over(w, p->group, p->seed, &x);
    else
        w->made = x;
    pthread_mutex_unlock(&w->lock);
}

static void pack_piece(void *context, size_t i, buf *out)
{
    ran *x = &((crew *)context)->made;
    (void)i;
    put_varint(out, x->ok);
    put_varint(out, x->late);
    put_varint(out, x->result.ending);
    put_varint(out, x->result.errors);
    buf_lenstr(out, x->result.error);
    packed_write_error(&x->error, out);
    if (x->ok && is_whole(&x->result))
        replications_tell(x->m, out);
    measure_free(x->m);
    simulate_result_free(&x->result);
    err_clear(&x->error);
}

static void unpack_piece(void *context, size_t i, str bytes)
{
    crew *w = context;
    ran x = { .ok = take_varint(&bytes) };
    x.late = take_varint(&bytes);
    x.result.ending = (simulate_ending)take_varint(&bytes);
    x.result.errors = take_varint(&bytes);
    x.result.error = take_lenstr(&bytes);
    packed_read_error(&bytes, &x.error);
    x.numbers = bytes;
    pthread_mutex_lock(&w->lock);
    take_over(w, w->pieces[i].group, w->pieces[i].seed, &x);
    pthread_mutex_unlock(&w->lock);
}

/* All groups before that one. */
static void publish_before(crew *w, size_t group)
{
    for (; w->told < group && !w->deaf; w->told++) {
        pthread_mutex_lock(&w->lock);
        settle(&w->list->at[w->told]);
        pthread_mutex_unlock(&w->lock);
        progress_clear(&w->board, PROGRESS_NOBODY);
        w->deaf = !w->publish(w->context, &w->list->at[w->told]);
        progress_clear(&w->board, w->told + 2);
    }
}

static bool publish_piece(void *context, size_t i)
{
    crew *w = context;
    const struct piece *p = &w->pieces[i];
    publish_before(w, p->group + (p->seed + 1 == w->list->at[p->group].seeds));
    return !w->deaf;
}

static void run_by_ranks(const replicate_list *list, arena *a, const options *o,
                         bool (*publish)(void *context, replicated *r), void *context)
{
    crew *w = ARENA_NEW(a, crew);                  /* after an interrupt a thread may still be running: crew.h */
    w->list = list;
    w->names = a;
    w->o = o;
    w->publish = publish;
    w->context = context;
    for (size_t i = 0; i < list->count; i++)
        w->piece_count += list->at[i].failed.class_ == ERR_NONE ? list->at[i].seeds : 0;
    w->pieces = ARENA_ARRAY(a, struct piece, w->piece_count + 1);
    for (size_t i = 0, n = 0; i < list->count; i++)
        for (size_t seed = 0; list->at[i].failed.class_ == ERR_NONE && seed < list->at[i].seeds; seed++)
            w->pieces[n++] = (struct piece){ .group = i, .seed = seed };
    pthread_mutex_init(&w->lock, NULL);
    progress_begin(&w->board);
    if (ranks_own() > 0)
        progress_clear(&w->board, SIZE_MAX);       /* rank 0 has the line */
    crew_publish(&(crew_work){ .context = w, .count = w->piece_count, .work = work_piece, .publish = publish_piece,
                               .stays = stays, .pack = pack_piece, .unpack = unpack_piece,
                               .interrupted = progress_interrupted }, 1);
    if (ranks_own() == 0)
        publish_before(w, list->count);
}

void replicate_run(const replicate_list *list, arena *a, const options *o,
                   bool (*publish)(void *context, replicated *r), void *context)
{
    if (ranks_joined()) {
        run_by_ranks(list, a, o, publish, context);
        return;
    }
    enum { THREADS_MAX = 64 };
    pthread_t threads[THREADS_MAX];
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    size_t wanted = o->jobs ? (size_t)o->jobs : cores > 0 ? (size_t)cores : 1, started = 0;
    crew w = { .list = list, .names = a, .o = o };
    if (wanted > THREADS_MAX)
        wanted = THREADS_MAX;
    progress_begin(&w.board);
    pthread_mutex_init(&w.lock, NULL);
    pthread_cond_init(&w.finished, NULL);
    pthread_mutex_lock(&w.lock);
    while (started < wanted && pthread_create(&threads[started], NULL, work, &w) == 0)
        started++;
    w.at_work = started ? started : 1;
    pthread_mutex_unlock(&w.lock);
    if (started == 0)
        work(&w);          /* no threads are available: all work is done here */
    publish_all(&w, publish, context);
    w.stop = true;
    for (size_t i = 0; i < started; i++)
        pthread_join(threads[i], NULL);
    pthread_cond_destroy(&w.finished);
    pthread_mutex_destroy(&w.lock);
}
