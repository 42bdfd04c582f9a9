/* workers.c - see workers.h. A worker writes a record for each of its runs into a pipe: a length, then numbers and
 * texts. */
#define _GNU_SOURCE
#include "drive/workers.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/mem.h"

enum { WORKERS_MAX = 64, PCT_UNIFORM_DEPTH = 1 };

struct workers {
    size_t count, clients;
    uint64_t first;
    struct {
        pid_t pid;
        int from;          /* its records */
        str folder;
    } at[WORKERS_MAX];
};

uint64_t campaign_seed(const campaign *c, uint64_t number)
{
    return c->same || c->schedule ? c->seed : c->seed + number;
}

void campaign_chooser(const campaign *c, uint64_t number, size_t length, chooser *out)
{
    chooser_random(out, c->pct ? CHOOSE_PCT : CHOOSE_UNIFORM, campaign_seed(c, number), c->setup->client_count,
                   c->pct ? c->depth : PCT_UNIFORM_DEPTH, length);
}

void campaign_settle(const campaign *c, run *r)
{
    for (int p = 0; p < PROPERTY_COUNT; p++)
        if (c->same || c->against || (c->claim && p != (int)*c->claim))
            run_settle(r, (property)p);
}

static bool all_ended(const run_result *r, size_t clients)
{
    bool ended = r->ending == RUN_ENDED;
    for (size_t i = 0; i < clients; i++)
        ended = ended && !r->idle[i];
    return ended;
}

run_result campaign_one(const campaign *c, run *r, uint64_t seed, bool record, chooser *x, arena *a)
{
    run_result got = *run_from_start(r, seed, record || c->against, chooser_choose, x);
    size_t clients = c->setup->client_count;
    if (!c->against || got.connections == 0 || (got.ending != RUN_ENDED && got.ending != RUN_LIMIT))
        return got;
    str *names = ARENA_ARRAY(a, str, clients + 1);
    for (size_t i = 0; i < clients; i++)
        names[i] = c->setup->clients[i].name;
    against_compare(a, c->against, run_story(r), names, clients, all_ended(&got, clients), &got.held);
    return got;
}

/* On a loaded machine the kernel now and then wakes a thread for nothing, or locksim takes a pause within a program's
 * start for a rest. What is not under control shows again. --same, which looks for it, gets no second run. */
run_result campaign_attempt(const campaign *c, run *r, uint64_t number, size_t length, chooser *x, arena *a)
{
    enum { AGAIN = 2 };
    for (int again = 0;; again++) {
        campaign_chooser(c, c->same ? 0 : number, length, x);
        run_result got = campaign_one(c, r, campaign_seed(c, number), false, x, a);
        if (got.ending != RUN_UNCONTROLLED || c->same || again == AGAIN)
            return got;
        chooser_free(x);
    }
}

/* ---- in the worker ---- */

void workers_record(buf *b, const run_result *r, const picks *taken, size_t clients)
{
    const uint64_t numbers[] = { (uint64_t)r->ending, (uint64_t)r->broken, r->steps, r->connections, r->requests,
                                 r->grants, r->print, taken->count };
    for (size_t i = 0; i < COUNT(numbers); i++)
        buf_u64(b, numbers[i]);
    for (size_t i = 0; i < taken->count; i++)
        buf_u64(b, taken->at[i]);
    for (size_t c = 0; c < clients; c++) {
        buf_u64(b, (uint64_t)(int64_t)r->statuses[c]);
        buf_u64(b, r->idle[c]);
        buf_lenstr(b, r->last_words[c]);
    }
    buf_lenstr(b, r->why);
    buf_u64(b, r->held.differs);
    buf_u64(b, r->held.failed);
    buf_u64(b, r->held.requests);
    buf_lenstr(b, r->held.reason);
    buf_lenstr(b, r->held.table);
}

static bool write_all(int fd, str bytes)
{
    while (bytes.n) {
        ssize_t n = write(fd, bytes.p, bytes.n);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return false;
        bytes = str_slice(bytes, (size_t)n, bytes.n);
    }
    return true;
}

static bool send_record(int fd, const run_result *got, const picks *taken, size_t clients)
{
    buf record = { 0 }, all = { 0 };
    workers_record(&record, got, taken, clients);
    buf_u64(&all, record.n);
    buf_add(&all, buf_str(&record));
    bool ok = write_all(fd, buf_str(&all));
    buf_free(&record);
    buf_free(&all);
    return ok;
}

static void work_on(const campaign *c, str folder, uint64_t number, uint64_t by, size_t length, int to)
{
    drive_setup mine = *c->setup;
    err e = { 0 };
    prctl(PR_SET_CHILD_SUBREAPER, 1);              /* which no fork inherits */
    mine.host.folder = folder;
    run *r = run_new(&mine, &e);
    if (r)
        campaign_settle(c, r);
    for (bool goes_on = r != NULL; goes_on && number < c->runs; number += by) {
        chooser x;
        arena *room = arena_new();
        run_result got = campaign_attempt(c, r, number, length, &x, room);
        goes_on = send_record(to, &got, &x.taken, mine.client_count) && got.ending != RUN_STOPPED;
        chooser_free(&x);
        arena_free(room);
    }
    run_free(r);
    err_clear(&e);
    close(to);
    _exit(0);
}

/* ---- in the process that started them ---- */

workers *workers_start(arena *a, const campaign *c, uint64_t first, size_t length)
{
    workers *w = ARENA_NEW(a, workers);
    size_t wanted = c->jobs < WORKERS_MAX ? c->jobs : WORKERS_MAX;
    w->first = first;
    w->clients = c->setup->client_count;
    for (size_t i = 0; i < wanted && first + i < c->runs; i++) {
        int ends[2];
        str folder = arena_printf(a, "%.*s/%zu", STR_ARG(c->setup->host.folder), i);
        if (mkdir(folder.p, 0700) != 0 || pipe2(ends, O_CLOEXEC) != 0)
            break;
        pid_t pid = fork();
        if (pid == 0) {
            for (size_t k = 0; k < i; k++)
                close(w->at[k].from);
            close(ends[0]);
            work_on(c, folder, first + i, wanted, length, ends[1]);
        }
        close(ends[1]);
        if (pid < 0) {
            close(ends[0]);
            rmdir(folder.p);
            break;
        }
        w->at[i].pid = pid;
        w->at[i].from = ends[0];
        w->at[i].folder = folder;
        w->count++;
    }
    if (w->count == wanted || first + w->count >= c->runs)
        return w;
    workers_end(w);                /* all or none: which runs are whose depends on how many there are */
    return NULL;
}

void workers_end(workers *w)
{
    if (!w)
        return;
    for (size_t i = 0; i < w->count; i++)
        close(w->at[i].from);
    for (size_t i = 0; i < w->count; i++) {
        while (waitpid(w->at[i].pid, NULL, 0) < 0 && errno == EINTR) {
        }
        rmdir(w->at[i].folder.p);
    }
}

static bool read_all(int fd, char *to, size_t n)
{
    for (size_t done = 0; done < n;) {
        ssize_t got = read(fd, to + done, n - done);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return false;
        done += (size_t)got;
    }
    return true;
}

static uint64_t take_u64(str *rest)
{
    uint64_t n = 0;
    for (size_t i = 0; i < 8 && i < rest->n; i++)
        n |= (uint64_t)(unsigned char)rest->p[i] << (8 * i);
    *rest = str_slice(*rest, 8, rest->n);
    return n;
}

static str take_text(str *rest)
{
    size_t n = (size_t)take_u64(rest);
    str text = str_slice(*rest, 0, n);
    *rest = str_slice(*rest, n, rest->n);
    return text;
}

void workers_read(str rest, size_t clients, arena *a, run_result *out, picks *taken)
{
    out->ending = (run_ending)take_u64(&rest);
    out->broken = (property)take_u64(&rest);
    out->steps = take_u64(&rest);
    out->connections = take_u64(&rest);
    out->requests = take_u64(&rest);
    out->grants = take_u64(&rest);
    out->print = take_u64(&rest);
    taken->count = take_u64(&rest);
    MEM_RESERVE(taken->at, taken->cap, taken->count + 1);
    for (size_t i = 0; i < taken->count; i++)
        taken->at[i] = (uint32_t)take_u64(&rest);
    out->statuses = ARENA_ARRAY(a, int, clients);
    out->idle = ARENA_ARRAY(a, bool, clients);
    out->last_words = ARENA_ARRAY(a, str, clients);
    for (size_t c = 0; c < clients; c++) {
        out->statuses[c] = (int)(int64_t)take_u64(&rest);
        out->idle[c] = take_u64(&rest) != 0;
        out->last_words[c] = take_text(&rest);
    }
    out->why = take_text(&rest);
    out->held.differs = take_u64(&rest) != 0;
    out->held.failed = take_u64(&rest) != 0;
    out->held.requests = take_u64(&rest);
    out->held.reason = take_text(&rest);
    out->held.table = take_text(&rest);
}

bool workers_take(workers *w, uint64_t number, arena *a, run_result *out, picks *taken)
{
    int fd = w->at[(number - w->first) % w->count].from;
    char head[8];
    *out = (run_result){ 0 };
    *taken = (picks){ 0 };
    if (!read_all(fd, head, sizeof head))
        return false;
    str length = { .p = head, .n = sizeof head };
    size_t n = (size_t)take_u64(&length);
    char *room = arena_alloc(a, n + 1);
    if (!read_all(fd, room, n))
        return false;
    workers_read((str){ .p = room, .n = n }, w->clients, a, out, taken);
    return true;
}
