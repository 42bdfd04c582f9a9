/* bench_serve_memory.c - `locksim serve` under many clients for long: its memory must not grow but by the data, and
 * clients that send garbage, half a command, or vanish must harm nobody else.
 * Usage: bench_serve_memory [COMMANDS [LOCKSIM]]      2,000,000 commands by default; 10000000 is the size that the
 * promise is about
 *
 * CONNECTIONS clients send pipelines of BATCH commands over the same few keys, so that the data stay as they are, and
 * check that every answer is there and none is an error. Between their turns others misbehave in all the ways of
 * misbehave(). The server's resident memory is read when a tenth of the commands is done and at the end; GROWTH_MAX_KB
 * more is a failure. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/mem.h"
#include "real_server.h"

enum { CONNECTIONS = 50, BATCH = 64, KEYS = 100, GROWTH_MAX_KB = 2048, LINGERING = 40, QUIET_MS = 20000 };

typedef struct {
    int fd;
    size_t lines_left;             /* of answers to what was sent */
    bool begins;                   /* a line, with the next byte */
} client;

typedef struct {
    char folder[32], path[64];
    pid_t pid;
    client clients[CONNECTIONS];
    buf batches[KEYS];
    size_t lines[KEYS];
    int lingering[LINGERING];      /* misbehaving ones that have not gone yet; 0: none */
    uint64_t sent, wanted, turns;
} soak;

static soak now;                   /* for the end: the server goes with the program, however that ends */

static void stop_server(void)
{
    if (now.pid > 0) {
        kill(now.pid, SIGKILL);
        waitpid(now.pid, NULL, 0);
    }
    unlink(now.path);
    rmdir(now.folder);
}

__attribute__((noreturn))
static void fail(const char *what, const char *why)
{
    fprintf(stderr, "bench_serve_memory: %s: %s\n", what, why);
    exit(1);
}

static void start_server(soak *s, const char *program)
{
    snprintf(s->folder, sizeof s->folder, "/tmp/locksim-soak.XXXXXX");
    if (!mkdtemp(s->folder))
        fail(s->folder, strerror(errno));
    snprintf(s->path, sizeof s->path, "%s/s", s->folder);
    atexit(stop_server);
    s->pid = fork();
    if (s->pid == 0) {
        if (!freopen("/dev/null", "w", stdout))
            _exit(1);
        execl(program, program, "serve", "--unix", s->path, (char *)NULL);
        _exit(127);
    }
    if (!unix_wait(s->path))
        fail(program, "it does not listen after 10 s");
}

/* One line of the server's /proc/PID/status, in kB. */
static long resident_kb(const soak *s)
{
    char path[64], line[256];
    long kb = 0;
    snprintf(path, sizeof path, "/proc/%d/status", (int)s->pid);
    FILE *f = fopen(path, "r");
    while (f && fgets(line, sizeof line, f))
        if (strncmp(line, "VmRSS:", 6) == 0)
            kb = strtol(line + 6, NULL, 10);
    if (f)
        fclose(f);
    if (kb == 0)
        fail(path, "the server is gone");
    return kb;
}

/* ---- well-behaved clients ---- */

static const char lock_script[] =
    "if redis.call('exists', KEYS[1]) == 0 or redis.call('hexists', KEYS[1], ARGV[2]) == 1 then "
    "redis.call('hincrby', KEYS[1], ARGV[2], 1) redis.call('pexpire', KEYS[1], ARGV[1]) return nil end "
    "return redis.call('pttl', KEYS[1])";

/* The commands of one batch, and how many lines their answers have: one each, and two for what GET finds. */
static void prepare_batch(soak *s, size_t number)
{
    char key[8][32];
    static const char *const kinds[] = { "string", "count", "hash", "list", "zset", "lock", "script", "set" };
    for (size_t i = 0; i < COUNT(kinds); i++)
        snprintf(key[i], sizeof key[i], "%s:%zu", kinds[i], number);
    const char *const commands[][8] = {
        { "set", key[0], "some text of moderate length", "px", "60000" }, { "get", key[0] }, { "incr", key[1] },
        { "expire", key[1], "100" },
        { "hset", key[2], "f", "1", "g", "2" }, { "lpush", key[3], "a", "b" }, { "ltrim", key[3], "0", "9" },
        { "zadd", key[4], "1", "a", "2", "b" },
        { "zremrangebyscore", key[4], "-inf", "1" }, { "eval", lock_script, "1", key[5], "30000", "A:1" },
        { "eval", lock_script, "1", key[5], "30000", "B:1" },
        { "del", key[5] }, { "publish", key[6], "hello" }, { "sadd", key[7], "1", "2", "x" }, { "spop", key[7], "0" },
        { "exists", key[0], key[1] },
    };
    str argv[8];
    for (size_t i = 0; i < BATCH; i++) {
        const char *const *words = commands[i % COUNT(commands)];
        size_t argc = 0;
        for (; argc < 8 && words[argc]; argc++)
            argv[argc] = str_from(words[argc]);
        pipeline_add(&s->batches[number], argv, argc);
        s->lines[number] += 1 + (strcmp(words[0], "get") == 0);
    }
}

/* What a batch takes fits into the socket: nobody waits here for long. */
static void send_all(int fd, const buf *bytes)
{
    for (size_t sent = 0; sent < bytes->n;) {
        ssize_t n = send(fd, bytes->p + sent, bytes->n - sent, MSG_NOSIGNAL);
        if (n < 0 && errno != EINTR)
            fail("send", strerror(errno));
        sent += n > 0 ? (size_t)n : 0;
    }
}

static void next_batch(soak *s, client *c)
{
    size_t number = (size_t)(s->turns++ % KEYS);
    send_all(c->fd, &s->batches[number]);
    s->sent += BATCH;
    c->lines_left = s->lines[number];
}

static void read_answers(client *c)
{
    char bytes[16384];
    ssize_t n = recv(c->fd, bytes, sizeof bytes, 0);
    if (n <= 0)
        fail("recv", n == 0 ? "the server closed a connection that did no harm" : strerror(errno));
    for (ssize_t i = 0; i < n; i++) {
        if (c->begins && bytes[i] == '-')
            fail("an answer", "it is an error");
        c->begins = bytes[i] == '\n';
        if (c->begins && c->lines_left-- == 0)
            fail("an answer", "there are more than commands");
    }
}

/* ---- others ---- */

/* Connects, sends something no client should, and goes: at once, or some turns later. */
static void misbehave(soak *s)
{
    static const char *const sends[] = {
        "*3\r\n$3\r\nSET\r\n$1\r\nk\r\n$100000\r\nabc", "*2\r\n$3\r\nGET\r\n$-5\r\n", "*1000000000\r\n",
        "\x16\x03\x01\x02garbage\xff\xfe\r\n\r\n", "*1\r\n$4\r\nPI", "*2\r\n$9\r\nSUBSCRIBE\r\n$8\r\nscript:1\r\n",
        "*1\r\n$5\r\nMULTI\r\n*2\r\n$4\r\nINCR\r\n$7\r\ncount:1\r\n", "*3\r\n$5\r\nBLPOP\r\n$4\r\nnone\r\n$1\r\n0\r\n",
        "*2\r\n$5\r\nWATCH\r\n$8\r\nstring:1\r\n", "GET \"unbalanced\r\n",
        "*4\r\n$4\r\nEVAL\r\n$27\r\nreturn string.rep('x', 1e6)\r\n$1\r\n0\r\n$1\r\na\r\n",
        "*2\r\n$10\r\nPSUBSCRIBE\r\n$1\r\n*\r\n", "", "*2\r\n$5\r\nHELLO\r\n$1\r\n3\r\n",
        "GET k\r\nGET k\r\nGET k\r\n*1\r\n$4\r\nQUIT\r\n",
    };
    static unsigned turn;
    int fd = unix_connect(s->path), *slot = &s->lingering[turn % LINGERING];
    const char *bytes = sends[turn % COUNT(sends)];
    if (send(fd, bytes, strlen(bytes), MSG_NOSIGNAL) < 0)
        fail("send", strerror(errno));
    if (*slot > 0)
        close(*slot);
    *slot = turn % 3 == 0 ? fd : 0;
    if (*slot == 0)
        close(fd);
    turn++;
}

static void run(soak *s, uint64_t until)
{
    struct pollfd polled[CONNECTIONS];
    size_t waiting = 0;
    for (size_t i = 0; i < CONNECTIONS; i++)
        next_batch(s, &s->clients[i]), waiting++;
    while (waiting > 0) {
        for (size_t i = 0; i < CONNECTIONS; i++)
            polled[i] = (struct pollfd){ .fd = s->clients[i].lines_left ? s->clients[i].fd : -1, .events = POLLIN };
        if (poll(polled, CONNECTIONS, QUIET_MS) == 0)
            fail("the server", "it does not answer any more");
        for (size_t i = 0; i < CONNECTIONS; i++) {
            if (!(polled[i].revents & (POLLIN | POLLHUP | POLLERR)))
                continue;
            read_answers(&s->clients[i]);
            if (s->clients[i].lines_left > 0)
                continue;
            if (s->sent < until)
                next_batch(s, &s->clients[i]);
            else
                waiting--;
            if (s->turns % 20 == 0)
                misbehave(s);
        }
    }
}

int main(int argc, char **argv)
{
    soak *s = &now;
    s->wanted = argc > 1 ? strtoull(argv[1], NULL, 10) : 2000000;
    const char *program = argc > 2 ? argv[2] : getenv("LOCKSIM");
    start_server(s, program ? program : "build/locksim");
    for (size_t i = 0; i < KEYS; i++)
        prepare_batch(s, i);
    for (size_t i = 0; i < CONNECTIONS; i++)
        s->clients[i] = (client){ .fd = unix_connect(s->path), .begins = true };
    run(s, s->wanted / 10);
    long before = resident_kb(s);
    struct timespec begin, end;
    clock_gettime(CLOCK_MONOTONIC, &begin);
    uint64_t sent = s->sent;
    run(s, s->wanted);
    clock_gettime(CLOCK_MONOTONIC, &end);
    double seconds = (double)(end.tv_sec - begin.tv_sec) + (double)(end.tv_nsec - begin.tv_nsec) / 1e9;
    long after = resident_kb(s);
    printf("bench serve memory %" PRIu64 " commands of %d connections, %.0f commands/s; resident %ld kB after a tenth, "
           "%ld kB at the end\n", s->sent,
           CONNECTIONS, (double)(s->sent - sent) / seconds, before, after);
    if (after - before > GROWTH_MAX_KB)
        fail("memory", "it grew, though the data did not");
    for (size_t i = 0; i < KEYS; i++)
        buf_free(&s->batches[i]);
    return 0;
}
