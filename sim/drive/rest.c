/* rest.c - see rest.h. Files of /proc stay open, since they are read at every step. Source: proc(5); the kernel's
 * Documentation/scheduler/sched-stats.rst for schedstat, whose third number counts how often the thread was given a
 * processor. */
#define _GNU_SOURCE
#include "drive/rest.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/futex.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/mem.h"

enum { TEXT_BYTES = 512, YIELDS = 60, STRANGE_MS = 10000, DEAD_MS = 200 };

typedef struct {
    size_t client;
    pid_t pid, tid;
    int stat, schedstat;   /* open files */
    uint64_t runs, checked;            /* at the last look; when its waits were examined */
    bool there, ran;       /* ran: between the last two examinations */
    int64_t dead_since_ms; /* its parent has not taken note of its end; 0: it lives */
} thread;

struct rest {
    program *const *programs;
    size_t count;
    rest_limits limits;
    thread *threads;
    size_t thread_count, thread_cap;
    uint64_t *reads;       /* of each client's clock, when the last rest was reached */
    int64_t *used_ms;      /* processor time when this wait for a rest began to be long */
    size_t awake;          /* the thread that was seen awake last: it is looked at first */
};

rest *rest_new(program *const *programs, size_t count, const rest_limits *limits)
{
    rest *r = mem_zero(sizeof *r);
    *r = (rest){ .programs = programs, .count = count, .limits = *limits };
    r->reads = mem_zero(count * sizeof *r->reads);
    r->used_ms = mem_zero(count * sizeof *r->used_ms);
    return r;
}

static void forget(thread *t)
{
    close(t->stat);
    close(t->schedstat);
}

void rest_free(rest *r)
{
    if (!r)
        return;
    for (size_t i = 0; i < r->thread_count; i++)
        forget(&r->threads[i]);
    mem_free(r->threads);
    mem_free(r->reads);
    mem_free(r->used_ms);
    mem_free(r);
}

bool rest_possible(err *e)
{
    if (access("/proc/self/schedstat", R_OK) == 0)
        return true;
    err_set(e, ERR_USAGE, "/proc/self/schedstat cannot be read: without it locksim cannot tell when a program sleeps");
    return err_hint(e, "drive needs Linux with /proc mounted and CONFIG_SCHED_INFO, as Debian's kernels have it");
}

/* ---- what there is ---- */

static int open_of(pid_t pid, pid_t tid, const char *name)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/task/%d/%s", pid, tid, name);
    return open(path, O_RDONLY | O_CLOEXEC);
}

static void meet_thread(rest *r, size_t client, pid_t pid, pid_t tid)
{
    for (size_t i = 0; i < r->thread_count; i++)
        if (r->threads[i].tid == tid && r->threads[i].pid == pid) {
            r->threads[i].there = true;
            return;
        }
    thread t = { .client = client, .pid = pid, .tid = tid, .there = true, .runs = UINT64_MAX, .checked = UINT64_MAX };
    t.stat = open_of(pid, tid, "stat");
    t.schedstat = open_of(pid, tid, "schedstat");
    if (t.stat < 0 || t.schedstat < 0) {           /* it has gone meanwhile */
        forget(&t);
        return;
    }
    MEM_RESERVE(r->threads, r->thread_cap, r->thread_count + 1);
    r->threads[r->thread_count++] = t;
}

static void meet_process(rest *r, size_t client, pid_t pid)
{
    char path[32];
    snprintf(path, sizeof path, "/proc/%d/task", pid);
    DIR *d = opendir(path);
    for (struct dirent *entry; d && (entry = readdir(d)) != NULL;)
        if (entry->d_name[0] != '.')
            meet_thread(r, client, pid, (pid_t)atoi(entry->d_name));
    if (d)
        closedir(d);
}

static void survey(rest *r)
{
    for (size_t i = 0; i < r->thread_count; i++)
        r->threads[i].there = false;
    for (size_t c = 0; c < r->count; c++) {
        const pid_t *processes;
        size_t n = program_processes(r->programs[c], &processes);
        for (size_t i = 0; i < n; i++)
            meet_process(r, c, processes[i]);
    }
    size_t kept = 0;
    for (size_t i = 0; i < r->thread_count; i++) {
        if (r->threads[i].there)
            r->threads[kept++] = r->threads[i];
        else
            forget(&r->threads[i]);
    }
    r->thread_count = kept;
}

/* ---- one look ---- */

/* The file's text from its beginning; false: the thread has gone. */
static bool look_at(int fd, char text[TEXT_BYTES])
{
    ssize_t n = pread(fd, text, TEXT_BYTES - 1, 0);
    if (n <= 0)
        return false;
    text[n] = '\0';
    return true;
}

/* The state's letter stands behind the name, which may hold anything. */
static char state_of(const char *stat)
{
    const char *end = strrchr(stat, ')');
    return end && end[1] == ' ' ? end[2] : '?';
}

typedef enum { LOOK_ASLEEP, LOOK_AWAKE, LOOK_CHANGED, LOOK_GONE } look;

static look look_thread(const rest *r, thread *t)
{
    char text[TEXT_BYTES];
    uint64_t runs = 0;
    if (!look_at(t->schedstat, text))
        return LOOK_GONE;
    sscanf(text, "%*u %*u %" SCNu64, &runs);
    if (!look_at(t->stat, text))
        return LOOK_GONE;
    char state = state_of(text);
    /* Its parent learns of its end a moment after it becomes visible; on a loaded machine that moment can be long. */
    if (state == 'Z') {
        int64_t now_ms = r->limits.elapsed_ms(r->limits.context) + 1;
        t->dead_since_ms = t->dead_since_ms ? t->dead_since_ms : now_ms;
        if (now_ms - t->dead_since_ms < DEAD_MS)
            return LOOK_AWAKE;
    }
    if (state == 'Z' || state == 'X')
        return LOOK_ASLEEP;        /* for good: its end may never be collected */
    bool same = runs == t->runs;
    t->runs = runs;
    return state != 'S' ? LOOK_AWAKE : same ? LOOK_ASLEEP : LOOK_CHANGED;
}

/* Whether the thread that the last look saw awake still runs. A dead one is collected by us, or by its parent. */
static bool still_runs(const rest *r)
{
    char text[TEXT_BYTES];
    if (r->awake >= r->thread_count || !look_at(r->threads[r->awake].stat, text))
        return false;
    char state = state_of(text);
    return state != 'S' && state != 'Z' && state != 'X';
}

/* All asleep, and none has run since the last look. */
static bool all_asleep(rest *r)
{
    bool same = true;
    if (still_runs(r))
        return false;
    survey(r);
    for (size_t i = 0; i < r->thread_count; i++) {
        look seen = look_thread(r, &r->threads[i]);
        if (seen == LOOK_AWAKE) {
            r->awake = i;
            return false;
        }
        same = same && seen == LOOK_ASLEEP;  /* a thread that has gone may have woken one that was looked at before */
    }
    r->awake = SIZE_MAX;
    return same;
}

static str name_of(arena *a, const thread *t)
{
    char text[TEXT_BYTES];
    if (!look_at(t->stat, text))
        return S("?");
    char *from = strchr(text, '('), *end = strrchr(text, ')');
    return from && end ? arena_str(a, (str){ .p = from + 1, .n = (size_t)(end - from - 1) }) : S("?");
}

static bool is_known(const rest *r, pid_t pid)
{
    for (size_t i = 0; i < r->thread_count; i++)
        if (r->threads[i].pid == pid)
            return true;
    return false;
}

/* A child of the thread's that the library did not enter: it would have made itself known. */
static bool strange_child(const rest *r, const thread *t, arena *a, str *name)
{
    char text[TEXT_BYTES];
    int fd = open_of(t->pid, t->tid, "children");
    bool told = fd >= 0 && look_at(fd, text);
    if (fd >= 0)
        close(fd);
    for (char *at = told ? text : NULL, *end; at && *at; at = end) {
        pid_t child = (pid_t)strtol(at, &end, 10);
        if (end == at)
            break;
        thread c = { .pid = child, .tid = child, .stat = open_of(child, child, "stat") };
        char stat[TEXT_BYTES];
        bool lives = c.stat >= 0 && look_at(c.stat, stat) && state_of(stat) != 'Z';
        *name = lives ? name_of(a, &c) : S("");
        if (c.stat >= 0)
            close(c.stat);
        if (lives && !is_known(r, child))
            return true;
    }
    return false;
}

/* Some thread that has run lately has such a child. It may be on its way to the library's first lines. */
static bool any_strange_child(const rest *r)
{
    arena *a = arena_new();
    str name;
    bool any = false;
    for (size_t i = 0; i < r->thread_count && !any; i++)
        any = r->threads[i].checked != r->threads[i].runs && strange_child(r, &r->threads[i], a, &name);
    arena_free(a);
    return any;
}

/* For how long there has been one; *since_ms is 0 at first. */
static int64_t strange_for(const rest *r, int64_t *since_ms)
{
    int64_t now_ms = r->limits.elapsed_ms(r->limits.context) + 1;
    *since_ms = *since_ms ? *since_ms : now_ms;
    return now_ms - *since_ms;
}

/* ---- waiting ---- */

static int64_t used_ms(const rest *r, size_t client)
{
    uint64_t ticks = 0;
    for (size_t i = 0; i < r->thread_count; i++) {
        char text[TEXT_BYTES];
        uint64_t user, system;
        const char *end;
        if (r->threads[i].client == client && look_at(r->threads[i].stat, text) && (end = strrchr(text, ')')) != NULL &&
            sscanf(end + 1, " %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %" SCNu64 " %" SCNu64, &user, &system) == 2)
            ticks += user + system;
    }
    return (int64_t)(ticks * 1000 / (uint64_t)sysconf(_SC_CLK_TCK));
}

static rest_result too_long(const rest *r, int64_t since_ms, size_t *who)
{
    const rest_limits *l = &r->limits;
    for (*who = 0; *who < r->count; ++*who) {
        uint64_t reads = atomic_load(&program_page(r->programs[*who])->clock_reads);
        /* a program that was started anew begins at 0 */
        if (reads > r->reads[*who] && reads - r->reads[*who] > l->clock_reads)
            return REST_SPINS;
        if (used_ms(r, *who) - r->used_ms[*who] > l->compute_ms)
            return REST_COMPUTES;
    }
    *who = r->awake < r->thread_count ? r->threads[r->awake].client : 0;
    if (l->elapsed_ms(l->context) - since_ms > l->wait_ms)
        return REST_LATE;
    return l->goes_on && !l->goes_on(l->context) ? REST_STOPPED : REST_REACHED;
}

static void note_rest(rest *r)
{
    for (size_t c = 0; c < r->count; c++)
        r->reads[c] = atomic_load(&program_page(r->programs[c])->clock_reads);
}

bool rest_is_strange(const rest *r)
{
    return any_strange_child(r);
}

/* No thread runs, and no child is starting. A child that ended during the look has woken its parent: so all are looked
 * at again. */
static bool all_quiet(rest *r, int64_t *strange_ms)
{
    if (!all_asleep(r))
        return false;
    if (!any_strange_child(r))
        *strange_ms = 0;
    else if (strange_for(r, strange_ms) < STRANGE_MS)
        return false;
    return all_asleep(r);
}

rest_result rest_wait(rest *r, size_t *who)
{
    int64_t since_ms = r->limits.elapsed_ms(r->limits.context);
    int64_t strange_ms = 0;
    r->awake = SIZE_MAX;
    for (uint64_t tries = 0; !all_quiet(r, &strange_ms); tries++) {
        if (tries < YIELDS) {
            sched_yield();
            continue;
        }
        uint64_t more = tries - YIELDS;
        nanosleep(&(struct timespec){ .tv_nsec = more < 16 ? 50000 : more < 64 ? 200000 : 500000 }, NULL);
        if (tries == YIELDS)
            for (size_t c = 0; c < r->count; c++)
                r->used_ms[c] = used_ms(r, c);
        rest_result limit = tries % 64 == 63 ? too_long(r, since_ms, who) : REST_REACHED;
        if (limit != REST_REACHED)
            return limit;
    }
    note_rest(r);
    return REST_REACHED;
}

uint64_t rest_doings(const rest *r, size_t client)
{
    const shared *p = program_page(r->programs[client]);
    return atomic_load(&p->calls) + atomic_load(&p->waits) + atomic_load(&p->clock_reads) +
           atomic_load(&p->process_count);
}

/* ---- what is not under control ---- */

/* Calls that can end by the real clock, and where their limit stands: an address, or a number of milliseconds. */
static const struct {
    long number;
    const char *name;
    int argument;
    bool address;
} timed[] = {
    { SYS_futex, "futex", 3, true }, { SYS_epoll_pwait, "epoll_pwait", 3, false }, { SYS_ppoll, "ppoll", 2, true },
    { SYS_pselect6, "pselect6", 4, true }, { SYS_nanosleep, "nanosleep", 0, true },
    { SYS_clock_nanosleep, "clock_nanosleep", 2, true },
    { SYS_rt_sigtimedwait, "rt_sigtimedwait", 2, true }, { SYS_recvmmsg, "recvmmsg", 4, true },
#ifdef SYS_poll
    { SYS_poll, "poll", 2, false }, { SYS_epoll_wait, "epoll_wait", 3, false }, { SYS_select, "select", 4, true },
#endif
};

/* Others of its operations wake, and have a number where these have a limit. */
static bool waits_on_futex(int operation)
{
    int plain = operation & FUTEX_CMD_MASK;
    return plain == FUTEX_WAIT || plain == FUTEX_WAIT_BITSET || plain == FUTEX_LOCK_PI || plain == FUTEX_LOCK_PI2;
}

/* The system call in which the thread is; false: that cannot be told. */
static bool call_of(const thread *t, long *number, uint64_t a[6])
{
    char text[TEXT_BYTES];
    int fd = open_of(t->pid, t->tid, "syscall");
    bool told = fd >= 0 && look_at(fd, text);
    if (fd >= 0)
        close(fd);
    return told && sscanf(text, "%ld %" SCNx64 " %" SCNx64 " %" SCNx64 " %" SCNx64 " %" SCNx64 " %" SCNx64, number,
                          &a[0], &a[1], &a[2], &a[3], &a[4], &a[5]) == 7;
}

static const char *timed_call(const thread *t)
{
    long number;
    uint64_t a[6];
    if (!call_of(t, &number, a))
        return NULL;
    for (size_t i = 0; i < COUNT(timed); i++)
        if (timed[i].number == number && (timed[i].address ? a[timed[i].argument] != 0
                                          : (int32_t)a[timed[i].argument] > 0))
            return number == SYS_futex && !waits_on_futex((int)a[1]) ? NULL : timed[i].name;
    return NULL;
}

bool rest_uncontrolled(rest *r, size_t *client, arena *a, str *what)
{
    for (size_t i = 0; i < r->thread_count; i++) {
        thread *t = &r->threads[i];
        t->ran = t->checked != t->runs;
        if (!t->ran)
            continue;
        t->checked = t->runs;
        const char *call = timed_call(t);
        str child;
        *client = t->client;
        if (strange_child(r, t, a, &child)) {
            *what = arena_printf(a, "it started %.*s, which the preloaded library cannot enter", STR_ARG(child));
            return true;
        }
        if (!call)
            continue;
        *what = arena_printf(a, "its thread %.*s waits in the system call %s for a time that the preloaded library did "
                             "not set",
                             STR_ARG(name_of(a, t)), call);
        return true;
    }
    return false;
}

static const struct {
    long number;
    const char *name;
} waiting[] = {
    { SYS_read, "read" }, { SYS_readv, "readv" }, { SYS_recvfrom, "recvfrom" }, { SYS_recvmsg, "recvmsg" },
    { SYS_accept, "accept" }, { SYS_accept4, "accept4" }, { SYS_connect, "connect" }, { SYS_wait4, "wait4" },
    { SYS_waitid, "waitid" }, { SYS_flock, "flock" }, { SYS_fcntl, "fcntl" }, { SYS_rt_sigsuspend, "rt_sigsuspend" },
    { SYS_write, "write" }, { SYS_sendto, "sendto" },
};

str rest_doing(const rest *r, size_t client, arena *a)
{
    for (size_t i = 0; i < r->thread_count; i++) {
        const thread *t = &r->threads[i];
        long number;
        uint64_t arguments[6];
        if (t->client != client || !t->ran || !call_of(t, &number, arguments))
            continue;
        const char *name = NULL;
        for (size_t k = 0; k < COUNT(timed) && !name; k++)
            name = timed[k].number == number ? timed[k].name : NULL;
        for (size_t k = 0; k < COUNT(waiting) && !name; k++)
            name = waiting[k].number == number ? waiting[k].name : NULL;
        return name ? arena_printf(a, "its thread %.*s is in the system call %s", STR_ARG(name_of(a, t)), name)
                    : arena_printf(a, "its thread %.*s is in the system call %ld", STR_ARG(name_of(a, t)), number);
    }
    return S("it has no thread any more that ran");
}
