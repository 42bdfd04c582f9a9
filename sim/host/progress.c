/* progress.c - see progress.h. */
#include "host/progress.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/size.h"
#include "host/print.h"
#include "host/ranks.h"
#include "report/clean.h"
#include "report/report.h"

enum { LIVE_MS = 200, QUIET_MS = 60000 };

/* Signal handlers reach nothing but these. A fault is handled by the thread that met it. */
static atomic_int interrupted;                    /* lock-free, as handlers need it */
static volatile int64_t interrupted_at_ms;         /* the handler's own */
static _Thread_local char running[256];

static int64_t clock_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

/* A second Ctrl-C ends the program at once. `timeout -s INT` sends each of its own twice, and so does a shell that
 * passes one on to its whole group: what comes within AGAIN_MS is the same Ctrl-C, and the report is still due. */
static void on_interrupt(int signal_number)
{
    enum { AGAIN_MS = 500 };
    int kept = errno;      /* NOLINT(bugprone-signal-handler): POSIX allows it, and the interrupted code may still
                            * read it */
    if (interrupted && clock_ms() - interrupted_at_ms > AGAIN_MS) {
        signal(signal_number, SIG_DFL);
        raise(signal_number);
    }
    if (!interrupted)
        interrupted_at_ms = clock_ms();
    interrupted = 1;
    errno = kept;          /* NOLINT(bugprone-signal-handler) */
}

static void say(const char *text)
{
    ssize_t ignored = write(STDERR_FILENO, text, strlen(text));
    (void)ignored;
}

/* A crash of locksim itself: a run over many scenarios must name the one, and end with status 70. */
static void on_fault(int signal_number)
{
    (void)signal_number;
    say("\nerror[bug]: locksim failed while it ran '");
    say(running);
    say("'\n  hint: this is a mistake of locksim's; the scenario and its scripts are enough to look into it\n");
    _exit(STATUS_BUG);
}

void progress_begin(progress_board *b)
{
    *b = (progress_board){ .terminal = isatty(STDERR_FILENO), .shown = 1 };
    pthread_mutex_init(&b->lock, NULL);
    signal(SIGINT, on_interrupt);
    signal(SIGTERM, on_interrupt);                 /* as a CI cancels */
    signal(SIGABRT, on_fault);
#ifndef __SANITIZE_ADDRESS__
    signal(SIGSEGV, on_fault);
    signal(SIGBUS, on_fault);
    signal(SIGFPE, on_fault);
#endif
}

void progress_scenario(progress *p, progress_board *b, str name, size_t number, size_t count)
{
    p->board = b;
    p->name = name;
    p->number = number;
    p->count = count;
    p->begin_ms = p->told_ms = clock_ms();
    buf clean = { 0 };
    clean_text(&clean, name);
    snprintf(running, sizeof running, "%s", clean.p ? clean.p : "");
    buf_free(&clean);
}

void progress_clear(progress_board *b, size_t next_number)
{
    pthread_mutex_lock(&b->lock);
    if (b->line_open)
        fputs("\r\033[K", stderr);
    b->line_open = false;
    b->shown = next_number;
    pthread_mutex_unlock(&b->lock);
}

bool progress_interrupted(void)
{
    return interrupted != 0;
}

int64_t progress_elapsed_ms(void *context)
{
    return clock_ms() - ((progress *)context)->begin_ms;
}

/* What was done, how fast, and how much is left where that is known. */
static void add_counts(buf *b, const search_progress *at, int64_t spent_ms)
{
    uint64_t done = at->states ? at->states : at->transitions;
    report_add_count(b, at->states ? at->states : at->runs);
    if (at->runs_all) {
        buf_addz(b, " of ");
        report_add_count(b, at->runs_all);
    }
    if (!at->states) {
        buf_addz(b, " runs  ");
        report_add_count(b, at->transitions);
    }
    buf_addz(b, at->states ? " states  " : " steps  ");
    report_add_count(b, spent_ms > 0 ? done * 1000 / (uint64_t)spent_ms : 0);
    buf_addz(b, at->states ? " states/s" : " steps/s");
    if (at->states) {
        buf_printf(b, "  depth %" PRIu64, at->depth);
        if (at->growth > 0)
            buf_printf(b, " (x%.2f)", at->growth);
        buf_addz(b, "  ");
        report_add_count(b, at->waiting);
        buf_addz(b, " waiting  ");
        size_print(at->bytes, b);
        if (at->bytes_max) {
            buf_addz(b, " of ");
            size_print(at->bytes_max, b);
        }
    }
}

static void add_seconds(buf *b, double s)
{
    bool hours = s >= 7200, minutes = s >= 120;
    buf_printf(b, "%.0f %s", s / (hours ? 3600 : minutes ? 60 : 1), hours ? "h" : minutes ? "min" : "s");
}

/* A search of states ends when none is left to go on from, unless memory ends before. */
static void add_end(buf *b, const search_progress *at, int64_t spent_ms)
{
    enum { FULL_SOON_S = 3600 };
    double spent_s = (double)spent_ms / 1000, done = (double)(at->states - at->waiting);
    double full_s = at->bytes && at->bytes_max > at->bytes
                    ? spent_s * (double)(at->bytes_max - at->bytes) / (double)at->bytes : 0;
    if (at->states == 0 || done <= 0)
        return;
    double left_s = spent_s * (double)at->to_come / done;
    if (at->waiting == 0)
        buf_addz(b, "  all were met: waits for ever are judged");
    else if (at->to_come && !(at->bytes_max && left_s > full_s)) {
        buf_addz(b, "  about ");
        add_seconds(b, left_s);
        buf_addz(b, " left");
    } else if (at->bytes_max && full_s < FULL_SOON_S) {
        buf_addz(b, "  memory lasts about ");
        add_seconds(b, full_s);
    }
}

static void add_time_left(buf *b, const search_progress *at, int64_t spent_ms)
{
    if (at->runs_all <= at->runs || at->runs == 0)
        return;
    buf_addz(b, "  about ");
    add_seconds(b, (double)spent_ms / 1000.0 * (double)(at->runs_all - at->runs) / (double)at->runs);
    buf_addz(b, " left");
}

/* The next two functions enclose the text of the line; false: no line is due now. */
static bool begin_line(const progress *p, int64_t now, buf *b)
{
    progress_board *board = p->board;
    if (p->number != board->shown || now - p->told_ms < (board->terminal ? LIVE_MS : QUIET_MS))
        return false;
    buf_printf(b, "%s[%zu/%zu] ", board->terminal ? "\r" : "", p->number, p->count);
    clean_text(b, p->name);
    buf_addz(b, "  ");
    return true;
}

static void end_line(progress *p, int64_t now, buf *b)
{
    progress_board *board = p->board;
    size_t width = board->terminal ? print_width(STDERR_FILENO) : 0;
    if (width) {                                   /* a line that is folded could not be taken back */
        str shown = clean_cut(str_slice(buf_str(b), 1, b->n), width - 1);
        b->n = 1 + shown.n;
    }
    buf_addz(b, board->terminal ? "\033[K" : "\n");
    fwrite(b->p, 1, b->n, stderr);
    fflush(stderr);
    board->line_open = board->terminal;
    p->told_ms = now;
}

bool progress_tick(void *context, const search_progress *at)
{
    progress *p = context;
    int64_t now = clock_ms();
    buf b = { 0 };
    pthread_mutex_lock(&p->board->lock);
    if (begin_line(p, now, &b)) {
        int64_t spent_ms = now - p->begin_ms;
        add_counts(&b, at, spent_ms);
        buf_printf(&b, "  %" PRId64 " s", spent_ms / 1000);
        add_time_left(&b, at, spent_ms);
        add_end(&b, at, spent_ms);
        end_line(p, now, &b);
    }
    pthread_mutex_unlock(&p->board->lock);
    buf_free(&b);
    return !progress_interrupted() && !(p->cancel && *p->cancel) && !ranks_cancelled();
}

bool progress_simulating(progress *p, size_t number, size_t runs, int64_t at_us, uint64_t acquisitions)
{
    int64_t now = clock_ms();
    buf b = { 0 };
    pthread_mutex_lock(&p->board->lock);
    if (begin_line(p, now, &b)) {
        buf_printf(&b, "run %zu of %zu  ", number, runs);
        report_add_count(&b, acquisitions);
        buf_printf(&b, " acquisitions  %" PRId64 " s of virtual time  %" PRId64 " s", at_us / 1000000,
                   (now - p->begin_ms) / 1000);
        end_line(p, now, &b);
    }
    pthread_mutex_unlock(&p->board->lock);
    buf_free(&b);
    return !progress_interrupted();
}

bool progress_saying(progress *p, str what)
{
    int64_t now = clock_ms();
    buf b = { 0 };
    pthread_mutex_lock(&p->board->lock);
    if (begin_line(p, now, &b)) {
        buf_add(&b, what);
        buf_printf(&b, "  %" PRId64 " s", (now - p->begin_ms) / 1000);
        end_line(p, now, &b);
    }
    pthread_mutex_unlock(&p->board->lock);
    buf_free(&b);
    return !progress_interrupted();
}

int64_t progress_now_ms(void)
{
    return clock_ms();
}
