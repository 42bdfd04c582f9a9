/* bench_mutate.c - `locksim mutate` on the fair lock's acquire script: how many mutants, and how long all of them take
 * with two jobs. Prints wall seconds, processor seconds (half of these is what two idle cores need), and mutants per
 * processor second.
 * Usage: bench_mutate [LOCKSIM]        from the root */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include "tests/bench/measure.h"

static double wall_s(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

int main(int argc, char **argv)
{
    char command[512], line[512], last[512] = "";
    unsigned mutants = 0;
    snprintf(command, sizeof command, "%s mutate scripts/redisson/fair/acquire.lua --jobs 2 2> /dev/null",
             argc > 1 ? argv[1] : "build/locksim");
    double began_s = wall_s();
    FILE *f = popen(command, "r");
    while (f && fgets(line, sizeof line, f))
        strcpy(last, line);
    if (!f || pclose(f) == -1 || sscanf(last, "1 script, %u mutants", &mutants) != 1 || mutants < 60) {
        fprintf(stderr, "bench_mutate: no result: %s\n", last);
        return 1;
    }
    double cpu = cpu_s(RUSAGE_CHILDREN);
    printf("  %s  %.1f s with two jobs, %.1f s of processor time, %.1f mutants a second of it\n", last,
           wall_s() - began_s, cpu, mutants / cpu);
    return 0;
}
