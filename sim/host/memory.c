/* memory.c - see memory.h. */
#include "host/memory.h"

#include <inttypes.h>
#include <stdio.h>
#include <sys/resource.h>
#include <unistd.h>

static const uint64_t most = UINT64_C(4) << 30, unknown = UINT64_MAX;

static uint64_t of_the_machine(void)
{
    long pages = sysconf(_SC_PHYS_PAGES), bytes = sysconf(_SC_PAGESIZE);
    return pages > 0 && bytes > 0 ? (uint64_t)pages * (uint64_t)bytes : unknown;
}

/* A container's; "max" where there is none. */
static uint64_t of_the_container(void)
{
    static const char *const files[] = { "/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes" };
    uint64_t least = unknown;
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
        FILE *f = fopen(files[i], "re");
        uint64_t n = 0;
        if (f && fscanf(f, "%" SCNu64, &n) == 1 && n > 0 && n < least)
            least = n;
        if (f)
            fclose(f);
    }
    return least;
}

/* `ulimit -v` */
static uint64_t of_the_process(void)
{
    struct rlimit r;
    return getrlimit(RLIMIT_AS, &r) == 0 && r.rlim_cur != RLIM_INFINITY ? (uint64_t)r.rlim_cur : unknown;
}

uint64_t memory_default(size_t jobs)
{
    const uint64_t limits[] = { of_the_machine(), of_the_container(), of_the_process() };
    uint64_t bytes = most;
    for (size_t i = 0; i < sizeof limits / sizeof limits[0]; i++)
        if (limits[i] / 4 * 3 < bytes)
            bytes = limits[i] / 4 * 3;
    return bytes / (jobs ? jobs : 1);
}
