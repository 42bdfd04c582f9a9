/* bench_visited.c - what a visited set costs by itself: random fingerprints, as many as the plain lock of
 * bench_plain_lock has states, put into an empty set and then met again, fetched some ahead. No search can meet new
 * states faster than the first figure. Usage: bench_visited [STATES] */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "base/rng.h"
#include "search/visited.h"

enum { REPEATS = 5, AHEAD = 8 };

static double cpu_s(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static print next_print(rng *r)
{
    uint64_t hi = rng_next(r);
    return (print){ hi, (uint32_t)(hi * UINT64_C(0x9e3779b97f4a7c15) >> 32) };
}

/* Seconds for adding the first `states` prints of one seed. The answers are looked at: nothing is left out. */
static double add_all(visited *v, uint32_t states, bool fresh_expected)
{
    print ahead[AHEAD];
    rng r = rng_new(1, 0);
    double from = cpu_s();
    for (uint32_t i = 0; i < states + AHEAD; i++) {
        if (i >= AHEAD) {
            bool fresh;
            if (visited_add(v, ahead[i % AHEAD], 0, &fresh) != i - AHEAD || fresh != fresh_expected) {
                fputs("bench_visited: the visited set is wrong\n", stderr);
                exit(1);
            }
        }
        ahead[i % AHEAD] = next_print(&r);
        visited_prefetch(v, ahead[i % AHEAD]);
    }
    return cpu_s() - from;
}

int main(int argc, char **argv)
{
    uint32_t states = argc > 1 ? (uint32_t)strtoul(argv[1], NULL, 10) : 4887412;
    double fresh[REPEATS], again[REPEATS], bytes = 0;
    for (int i = 0; i < REPEATS; i++) {
        visited *v = visited_new(0);
        fresh[i] = add_all(v, states, true);
        again[i] = add_all(v, states, false);
        bytes = (double)visited_bytes(v) / states;
        visited_free(v);
    }
    qsort(fresh, REPEATS, sizeof *fresh, by_size);
    qsort(again, REPEATS, sizeof *again, by_size);
    printf("  %" PRIu32 " random fingerprints: %.1f million new ones/s, %.1f million known ones/s, %.1f bytes each\n",
           states, states / fresh[REPEATS / 2] / 1e6, states / again[REPEATS / 2] / 1e6, bytes);
    return 0;
}
