/* bench_serve.c - `locksim serve` beside a real redis-server under redis-benchmark, pipelines of 64 over unix sockets:
 * SET, GET, and EVALSHA of the reentrant lock. Prints rates and their ratio; and the ratio of the processor time that
 * each needs per command, which says the same where other programs use the machine, too.
 * Usage: bench_serve [COMMANDS [LOCKSIM]]      300000 commands per round by default */
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "real_server.h"
#include "redis/redis.h"

enum { ROUNDS = 3, SIDES = 2 };

static const char *const names[] = { "SET", "GET", "EVALSHA" };

typedef struct {
    char folder[32], path[64];
    pid_t pid;
} served;

static served ours;                /* for the end: it goes with the program, however that ends */

static void stop_ours(void)
{
    if (ours.pid > 0) {
        kill(ours.pid, SIGTERM);
        waitpid(ours.pid, NULL, 0);
    }
    rmdir(ours.folder);
}

__attribute__((noreturn))
static void fail(const char *what, const char *why)
{
    fprintf(stderr, "bench_serve: %s: %s\n", what, why);
    exit(1);
}

static void start_ours(const char *program)
{
    snprintf(ours.folder, sizeof ours.folder, "/tmp/locksim-bench.XXXXXX");
    if (!mkdtemp(ours.folder))
        fail(ours.folder, strerror(errno));
    snprintf(ours.path, sizeof ours.path, "%s/s", ours.folder);
    atexit(stop_ours);
    ours.pid = fork();
    if (ours.pid == 0) {
        if (!freopen("/dev/null", "w", stdout))
            _exit(1);
        execl(program, program, "serve", "--unix", ours.path, (char *)NULL);
        _exit(127);
    }
    for (int tries = 0; tries < 400 && access(ours.path, F_OK) != 0; tries++)
        nanosleep(&(struct timespec){ .tv_nsec = 25000000 }, NULL);
}

static double cpu_of(pid_t pid)
{
    clockid_t id;
    struct timespec t;
    if (clock_getcpuclockid(pid, &id) != 0 || clock_gettime(id, &t) != 0)
        fail("processor time", "cannot be read");
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void read_script(const char *path, char text[4096])
{
    FILE *f = fopen(path, "r");
    size_t n = f ? fread(text, 1, 4095, f) : 0;
    if (!f || !n)
        fail(path, "cannot be read; run this from the root");
    text[n] = '\0';
    fclose(f);
}

static void load_script(const char *path, const char *text)
{
    str argv[] = { S("EVAL"), str_from(text), S("1"), S("lock"), S("30000"), S("me:1") };
    buf b = { 0 };
    int fd = unix_connect(path);
    pipeline_add(&b, argv, COUNT(argv));
    pipeline_run(fd, &b, 1);
    close(fd);
    buf_free(&b);
}

/* Commands per second, as redis-benchmark says. */
static double run(const char *path, size_t which, uint64_t commands, const char *sha)
{
    char line[512], what[128];
    if (which < 2)
        snprintf(what, sizeof what, "-t %s", which == 0 ? "set" : "get");
    else
        snprintf(what, sizeof what, "evalsha %s 1 lock 30000 me:1", sha);
    snprintf(line, sizeof line, "redis-benchmark -s %s -n %" PRIu64 " -P 64 --csv %s 2> /dev/null", path, commands,
             what);
    FILE *f = popen(line, "r");    /* NOLINT(cert-env33-c): the words are our own */
    double rate = 0;
    while (f && fgets(line, sizeof line, f)) {
        const char *at = strstr(line, "\",\"");
        if (at && strtod(at + 3, NULL) > 0)
            rate = strtod(at + 3, NULL);
    }
    if (!f || pclose(f) != 0 || rate <= 0)
        fail("redis-benchmark", "did not run to its end");
    return rate;
}

static int by_size(const void *x, const void *y)
{
    double a = *(const double *)x, b = *(const double *)y;
    return (a > b) - (a < b);
}

int main(int argc, char **argv)
{
    uint64_t commands = argc > 1 ? strtoull(argv[1], NULL, 10) : 300000;
    const char *program = argc > 2 ? argv[2] : getenv("LOCKSIM");
    char text[4096], sha[41];
    real_server *real = real_server_start();
    if (!real)
        return 1;
    start_ours(program ? program : "build/locksim");
    read_script("scripts/redisson/lock/acquire.lua", text);
    redis_sha1(str_from(text), sha);
    const char *paths[SIDES] = { real_server_path(real), ours.path };
    for (size_t side = 0; side < SIDES; side++)
        load_script(paths[side], text);
    for (size_t which = 0; which < COUNT(names); which++) {
        double rate[SIDES][ROUNDS], cpu[SIDES][ROUNDS];
        for (size_t round = 0; round < ROUNDS; round++) {
            for (size_t side = 0; side < SIDES; side++) {
                double before = side ? cpu_of(ours.pid) : real_server_cpu_s(real);
                rate[side][round] = run(paths[side], which, commands, sha);
                cpu[side][round] = (side ? cpu_of(ours.pid) : real_server_cpu_s(real)) - before;
            }
        }
        for (size_t side = 0; side < SIDES; side++) {
            qsort(rate[side], ROUNDS, sizeof(double), by_size);
            qsort(cpu[side], ROUNDS, sizeof(double), by_size);
        }
        double theirs = rate[0][ROUNDS / 2], mine = rate[1][ROUNDS / 2];
        printf("  %-8s redis-server %9.0f/s   locksim %9.0f/s   ratio %.2f   by processor time %.2f (%.2f us and %.2f "
               "us)\n", names[which],
               theirs, mine, mine / theirs, cpu[0][ROUNDS / 2] / cpu[1][ROUNDS / 2],
               cpu[0][ROUNDS / 2] * 1e6 / (double)commands, cpu[1][ROUNDS / 2] * 1e6 / (double)commands);
        fflush(stdout);
    }
    real_server_stop(real);
    return 0;
}
