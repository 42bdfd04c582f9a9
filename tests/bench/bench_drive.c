/* bench_drive.c - how many runs a second `locksim drive` makes of three real programs: redis-py's lock, a lock in Node,
 * and redis-cli. Starts count. The rate is of real time, by all cores; beside it the processor time of a run, locksim's
 * and the programs', which says the same where other programs use the machine, too. A program that is not installed is
 * skipped.
 * Usage: bench_drive [RUNS [LOCKSIM]]      200 runs by default; from the root */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "measure.h"

static const struct {
    const char *name, *command, *needs;
    int wanted;            /* runs a second, on two cores */
} rows[] = {
    { "python3-redis", "/usr/bin/python3 tests/drive/lock.py", "/usr/bin/python3 -c 'import redis'", 15 },
    { "node", "node tests/drive/lock.js", "node --version", 4 },
    { "redis-cli", "redis-cli set lock x nx px 100", "redis-cli --version", 80 },
};

static double real_s(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static bool is_here(const char *command)
{
    char quiet[200];
    snprintf(quiet, sizeof quiet, "%s > /dev/null 2>&1", command);
    return system(quiet) == 0;
}

static bool drive(const char *program, const char *runs, const char *command)
{
    char clients[3][200];
    for (int i = 0; i < 3; i++)
        snprintf(clients[i], sizeof clients[i], "%c=%s", 'A' + i, command);
    pid_t pid = fork();
    if (pid == 0) {
        if (!freopen("/dev/null", "w", stdout))
            _exit(127);
        execl(program, program, "drive", "--runs", runs, clients[0], clients[1], clients[2], (char *)NULL);
        _exit(127);
    }
    int status;
    return waitpid(pid, &status, 0) == pid && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

int main(int argc, char **argv)
{
    const char *runs = argc > 1 ? argv[1] : "200", *program = argc > 2 ? argv[2] : "build/locksim";
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (!is_here(rows[i].needs)) {
            printf("  %-14s skipped: it is not installed\n", rows[i].name);
            continue;
        }
        fflush(stdout);
        double from = real_s(), used = cpu_s(RUSAGE_CHILDREN);
        if (!drive(program, runs, rows[i].command)) {
            fprintf(stderr, "bench_drive: %s does not pass\n", rows[i].command);
            return 1;
        }
        from = real_s() - from;
        used = cpu_s(RUSAGE_CHILDREN) - used;
        printf("  three %-14s %6.1f runs/s, %6.1f ms of processor time a run   (wanted on two cores: %d runs/s)\n",
               rows[i].name, atof(runs) / from, used * 1000 / atof(runs), rows[i].wanted);
    }
    return 0;
}
