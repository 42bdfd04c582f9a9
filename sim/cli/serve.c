/* serve.c - `locksim serve`: a Redis for clients of other programs. Sockets' files, standard input and the machine's
 * clock are met here; sim/serve does the rest. */
#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "base/mem.h"
#include "cli/cli.h"
#include "serve/event_loop.h"
#include "trace/json_line.h"

enum { PORT_DEFAULT = 6390, STDIO_BYTES = 64 << 10 };
static const int64_t EPOCH_MS = INT64_C(1700000000000);

static int64_t machine_now_ms(void *context)
{
    struct timespec t;
    (void)context;
    clock_gettime(CLOCK_REALTIME, &t);
    return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

static int64_t machine_ran_ms(void *context)
{
    struct timespec t;
    (void)context;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

static void machine_sleep(void *context, int64_t sleep_us)
{
    (void)context;
    nanosleep(&(struct timespec){ .tv_sec = sleep_us / 1000000, .tv_nsec = sleep_us % 1000000 * 1000 }, NULL);
}

/* --log: a line for each request, as `locksim trace` reads them. */
typedef struct {
    FILE *out;
    bool failed;           /* and it was said */
    const char *path;
} request_log;

static void log_request(void *context, const hub_request *q)
{
    request_log *log = context;
    buf b = { 0 };
    record r = { .at_us = q->at_ms * 1000, .sent_us = RECORD_UNKNOWN, .answered_us = RECORD_UNKNOWN,
                 .client = q->address, .db = q->db, .argv = q->argv, .argc = q->argc, .answer = q->answer };
    json_line_add(&b, &r);
    bool written = fwrite(b.p, 1, b.n, log->out) == b.n && fflush(log->out) == 0;
    buf_free(&b);
    if (written || log->failed)
        return;
    log->failed = true;
    fprintf(stderr, "%s: error: the log cannot be written: %s\n", log->path, strerror(errno));
}

static hub_host host_of(const options *o, request_log *log)
{
    bool real = o->clock == CLOCK_REAL;
    dialect said = { 0 };
    if (o->dialect)                                /* options_parse has looked at it */
        dialect_parse(str_from(o->dialect), &said);
    print_unproved(said);
    return (hub_host){
        .now_ms = real ? machine_now_ms : NULL, .ran_ms = machine_ran_ms, .sleep = machine_sleep,
        .start_ms = o->has_start ? (int64_t)o->start_ms : EPOCH_MS,
        .process_id = getpid(), .unix_path = o->unix_path, .dialect = said, .context = log,
        .faults = true,
        .executed = log->out ? log_request : NULL,
    };
}

/* ---- one client: standard input and output ---- */

static bool write_all(const buf *b)
{
    for (size_t done = 0; done < b->n;) {
        ssize_t n = write(STDOUT_FILENO, b->p + done, b->n - done);
        if (n > 0)
            done += (size_t)n;
        else if (errno == EAGAIN)
            poll(&(struct pollfd){ .fd = STDOUT_FILENO, .events = POLLOUT }, 1, -1);
        else if (errno != EINTR)
            return false;
    }
    return true;
}

/* false: it has ended, or output has no reader any more. */
static bool answer(hub *h)
{
    buf b = { 0 };
    bool goes_on = true;
    for (hub_client *c; goes_on && (c = hub_next_touched(h)) != NULL;) {
        while (goes_on && hub_take(c, &b)) {
            goes_on = write_all(&b);
            hub_sent(c, &b);
        }
        goes_on = goes_on && !hub_is_over(c);
    }
    buf_free(&b);
    return goes_on && !hub_is_stopped(h);
}

static int serve_stdio(hub *h)
{
    char *room = mem_alloc(STDIO_BYTES);
    hub_client *c = hub_open(h, NULL, S("stdin"), S("stdout"));
    for (;;) {
        struct pollfd in = { .fd = STDIN_FILENO, .events = POLLIN };
        int ready = poll(&in, 1, (int)hub_wait_ms(h));
        hub_tick(h);
        ssize_t n = ready > 0 ? read(STDIN_FILENO, room, STDIO_BYTES) : -1;
        if (n == 0 || (n < 0 && ready > 0 && errno != EINTR && errno != EAGAIN))
            break;
        if (n > 0)
            hub_feed(c, (str){ .p = room, .n = (size_t)n });
        if (!answer(h))
            break;
    }
    for (; hub_is_busy(h) && !hub_is_stopped(h); hub_tick(h))      /* pending requests are still answered */
        ;
    answer(h);
    mem_free(room);
    return STATUS_PASS;
}

/* ---- many clients: sockets ---- */

/* A killed program leaves its socket's file behind. If nothing answers there, the file is removed. */
static void remove_stale(const char *path)
{
    struct stat st;
    struct sockaddr_un at = { .sun_family = AF_UNIX };
    if (strlen(path) >= sizeof at.sun_path || lstat(path, &st) != 0 || !S_ISSOCK(st.st_mode))
        return;
    memcpy(at.sun_path, path, strlen(path) + 1);
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd < 0)
        return;
    if (connect(fd, (const struct sockaddr *)&at, sizeof at) != 0 && errno == ECONNREFUSED)
        unlink(path);
    close(fd);
}

static void say_where(const options *o, int port, buf *b)
{
    if (port)
        buf_printf(b, o->bind && strchr(o->bind, ':') ? "listening on [%s]:%d\n" : "listening on %s:%d\n",
                   o->bind ? o->bind : "127.0.0.1", port);
    if (o->unix_path)
        buf_printf(b, "listening on %s\n", o->unix_path);
}

static bool listen_all(const options *o, loop *l, int *port, err *e)
{
    int wanted = o->has_port ? (int)o->port : PORT_DEFAULT;
    *port = 0;
    if ((o->has_port || !o->unix_path) && !loop_listen_tcp(l, o->bind ? o->bind : "127.0.0.1", wanted, port, e))
        return false;
    if (o->unix_path)
        remove_stale(o->unix_path);
    return !o->unix_path || loop_listen_unix(l, o->unix_path, e);
}

static int serve_sockets(const options *o, hub *h)
{
    err e = { 0 };
    buf where = { 0 };
    int port, status = STATUS_PASS;
    loop *l = loop_new(h);
    if (!listen_all(o, l, &port, &e)) {
        status = print_complaint(&e);
    } else {
        hub_set_port(h, port);
        say_where(o, port, &where);
        if (print_out(&where))
            loop_run(l);
        else
            status = STATUS_IO;
    }
    loop_free(l);
    buf_free(&where);
    err_clear(&e);
    return status;
}

static bool open_log(const options *o, request_log *log, err *e)
{
    log->path = o->log;
    log->out = o->log ? fopen(o->log, "ae") : NULL;
    return !o->log || log->out || err_at(e, ERR_USAGE, str_from(o->log), 0, 0, "the log cannot be written: %s",
                                         strerror(errno));
}

/* Linux tells when the thread that started us has ended, not its program: then another thread of it is our parent. */
static volatile pid_t started_by;

static void on_parents_end(int number)
{
    (void)number;
    if (getppid() != started_by)
        raise(SIGTERM);
}

/* The parent may have ended before this call. */
static void end_with_parent(void)
{
    started_by = getppid();
    sigaction(SIGRTMIN, &(struct sigaction){ .sa_handler = on_parents_end, .sa_flags = SA_RESTART }, NULL);
    prctl(PR_SET_PDEATHSIG, SIGRTMIN);
    if (getppid() != started_by)
        raise(SIGTERM);
}

int serve_main(const options *o)
{
    err e = { 0 };
    request_log log = { 0 };
    if (!open_log(o, &log, &e)) {
        int status = print_complaint(&e);
        err_clear(&e);
        return status;
    }
    if (o->exit_with_parent)
        end_with_parent();
    hub_host host = host_of(o, &log);
    hub *h = hub_new(&host);
    int status = o->stdio ? serve_stdio(h) : serve_sockets(o, h);
    hub_free(h);
    if (log.out)
        fclose(log.out);
    return log.failed ? status_worse(status, STATUS_IO) : status;
}
