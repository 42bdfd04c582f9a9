/* bench_watch.c - `locksim watch` on the seeds' scenarios: how long from the save of a script until all that it affects
 * is known again, for edits of one line that make no difference, that break a lot, that change answers and break almost
 * nothing; and for each of them taken back. Prints seconds, the processor time of locksim, and how many times shorter
 * that is than the first pass over all scenarios, in the same run.
 * Usage: bench_watch [LOCKSIM [WORD]]        from the root; works on a copy; WORD: only edits of scripts whose path it
 *                                            is in */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/str.h"

enum { LINE_BYTES = 4096, TEXT_BYTES = 1 << 16 };

static char folder[] = "/tmp/locksim-bench-watch.XXXXXX";
static pid_t watcher;

__attribute__((noreturn))
static void fail(const char *what, const char *why)
{
    fprintf(stderr, "bench_watch: %s: %s\n", what, why);
    exit(1);
}

static void command(const char *format, const char *a, const char *b)
{
    char text[LINE_BYTES];
    snprintf(text, sizeof text, format, a, b);
    if (system(text) != 0)
        fail(text, "did not work");
}

static void clean_up(void)
{
    if (watcher > 0) {
        kill(watcher, SIGTERM);
        waitpid(watcher, NULL, 0);
    }
    command("rm -rf '%s'%s", folder, "");
}

static double wall_s(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static double cpu_of_watcher_s(void)
{
    clockid_t id;
    struct timespec t;
    if (clock_getcpuclockid(watcher, &id) != 0 || clock_gettime(id, &t) != 0)
        fail("processor time", "cannot be read");
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static FILE *start(const char *program)
{
    int ends[2];
    if (pipe(ends) != 0)
        fail("pipe", strerror(errno));
    watcher = fork();
    if (watcher == 0) {
        dup2(ends[1], STDOUT_FILENO);
        close(ends[0]);
        close(ends[1]);
        if (chdir(folder) != 0 || setenv("LOCKSIM_SCRIPTS", "scripts", 1) != 0)
            _exit(127);
        execl(program, program, "watch", "scenarios/seeds", (char *)NULL);
        _exit(127);
    }
    close(ends[1]);
    return fdopen(ends[0], "r");
}

static void wait_for(FILE *from, const char *what, char line[LINE_BYTES])
{
    do
        if (!fgets(line, LINE_BYTES, from))
            fail(what, "locksim watch ended before it said so");
    while (!strstr(line, what));
    line[strcspn(line, "\n")] = '\0';
}

static void read_text(const char *path, char text[TEXT_BYTES])
{
    FILE *f = fopen(path, "r");
    size_t n = f ? fread(text, 1, TEXT_BYTES - 1, f) : 0;
    if (!f || n == 0 || n == TEXT_BYTES - 1)
        fail(path, "cannot be read; run this from the root");
    text[n] = '\0';
    fclose(f);
}

/* As an editor does: another file, renamed. */
static void save_text(const char *path, const char *text)
{
    char other[LINE_BYTES];
    snprintf(other, sizeof other, "%s~", path);
    FILE *f = fopen(other, "w");
    if (!f || fputs(text, f) < 0 || fclose(f) != 0 || rename(other, path) != 0)
        fail(path, "cannot be written");
}

static void replace(const char *text, const char *what, const char *by, char out[TEXT_BYTES])
{
    const char *at = strstr(text, what);
    if (!at)
        fail(what, "is not in the script any more");
    snprintf(out, TEXT_BYTES, "%.*s%s%s", (int)(at - text), text, by, at + strlen(what));
}

typedef struct { double wall, cpu; } spent;

static spent save(FILE *from, const char *path, const char *name, const char *text, spent first)
{
    char line[LINE_BYTES];
    spent s = { wall_s(), cpu_of_watcher_s() };
    save_text(path, text);
    wait_for(from, "saved ", line);
    s.wall = wall_s() - s.wall;
    s.cpu = cpu_of_watcher_s() - s.cpu;
    printf("  %-34s %7.3f s  cpu %7.3f s  1/%-6.0f of the first pass%s\n", name, s.wall, s.cpu,
           first.cpu / (s.cpu > 0 ? s.cpu : 0.001), strstr(line, ": ") ? strstr(line, ": ") : "");
    return s;
}

typedef struct { const char *path, *name, *from, *to; } edit;

/* Each of them at the text as it is shipped. from "": before it. */
static const edit edits[] = {
    { "redisson/lock/acquire.lua", "a comment", "", "-- A comment.\n" },
    { "redisson/lock/acquire.lua", "a wrong lease", "ARGV[1], ARGV[2]", "ARGV[1] * 2, ARGV[2]" },
    { "redisson/lock/acquire.lua", "another answer", "return redis.call('pttl', lock)",
      "return redis.call('pttl', lock) + 1" },
    { "redisson/lock/acquire.lua", "an answer for nil", "  return nil\nend\nreturn", "  return false\nend\nreturn" },
    { "redisson/lock/acquire.lua", "the lease is kept in seconds", "redis.call('pexpire', lock, lease_ms)",
      "redis.call('expire', lock, math.ceil(lease_ms / 1000))" },
    { "redisson/lock/release.lua", "no message", "redis.call(publish, channel, message)", "" },
    { "redisson/lock/release.lua", "another message", "redis.call(publish, channel, message)",
      "redis.call(publish, channel, message .. '0')" },
    { "redisson/lock/release.lua", "another latch", "'set', latch, 1, 'px', latch_ms",
      "'set', latch, 1, 'px', latch_ms + 1" },
    { "redisson/lock/renew.lua", "half a lease", "ARGV[1]", "ARGV[1] / 2" },
    { "redisson/lock/renew.lua", "a longer lease", "ARGV[1]", "ARGV[1] + 1" },
    { "redisson/fair/acquire.lua", "a comment", "", "-- A comment.\n" },
    { "redisson/fair/acquire.lua", "a wrong lease", "ARGV[1], ARGV[2]", "ARGV[1] * 2, ARGV[2]" },
    { "redisson/fair/acquire.lua", "another first answer", "\nreturn ttl_ms", "\nreturn ttl_ms + 1" },
    { "redisson/fair/release.lua", "another latch", "'set', latch, 1, 'px', latch_ms",
      "'set', latch, 1, 'px', latch_ms + 1" },
    { "redisson/fair/release.lua", "no message", "\nwake_first()", "\n" },
    { "redisson/fair_3_13/acquire.lua", "another answer", "queued_ms - wait_ms - now_ms",
      "queued_ms - wait_ms - now_ms + 1" },
    { "redisson/fair_3_13/release.lua", "another answer", "  return 1\nend", "  return 2\nend" },
    { "notes/reentrant/acquire.lua", "a longer lease", "'pexpire', lock, lease_ms", "'pexpire', lock, lease_ms + 1" },
    { "notes/reentrant_mended/acquire.lua", "a longer lease", "ARGV[1], ARGV[2]", "ARGV[1] + 1, ARGV[2]" },
    { "notes/reentrant_mended/release.lua", "no message", "redis.call('publish'", "redis.call('echo', 'publish'" },
    { "notes/fair/acquire.lua", "a longer lease", "ARGV[1], ARGV[2]", "ARGV[1] + 1, ARGV[2]" },
    { "notes/fair/release.lua", "another answer", "return remaining\n", "return remaining or 0\n" },
    { "simple/counted/acquire.lua", "a longer lease", "'expire', lock, lease_s", "'expire', lock, lease_s + 1" },
    { "simple/string/acquire.lua", "a longer lease", "'expire', lock, lease_s", "'expire', lock, lease_s + 1" },
};

int main(int argc, char **argv)
{
    setvbuf(stdout, NULL, _IOLBF, 0);
    char program[LINE_BYTES], path[LINE_BYTES], line[LINE_BYTES], *text = malloc(TEXT_BYTES),
                                                                          *changed = malloc(TEXT_BYTES);
    if (!realpath(argc > 1 ? argv[1] : getenv("LOCKSIM") ? getenv("LOCKSIM") : "build/locksim", program) ||
        !mkdtemp(folder))
        fail(folder, strerror(errno));
    atexit(clean_up);
    command("mkdir '%s/scenarios' && cp -R scenarios/seeds '%s/scenarios'", folder, folder);
    command("cp -R scripts '%s'%s", folder, "");
    double began = wall_s();
    FILE *from = start(program);
    wait_for(from, "Ctrl-C ends", line);
    spent first = { wall_s() - began, cpu_of_watcher_s() };
    printf("first pass over the seeds' scenarios: %.3f s, cpu %.3f s\n", first.wall, first.cpu);
    spent most = { 0 };
    for (size_t i = 0; i < COUNT(edits); i++) {
        const edit *x = &edits[i];
        if (argc > 2 && !strstr(x->path, argv[2]))
            continue;
        if (i == 0 || strcmp(x->path, x[-1].path) != 0)
            printf("%s\n", x->path);
        snprintf(path, sizeof path, "%s/scripts/%s", folder, x->path);
        read_text(path, text);
        replace(text, x->from, x->to, changed);
        spent s = save(from, path, x->name, changed, first), back = save(from, path, "  taken back", text, first);
        most.wall = s.wall > most.wall ? s.wall : back.wall > most.wall ? back.wall : most.wall;
        most.cpu = s.cpu > most.cpu ? s.cpu : back.cpu > most.cpu ? back.cpu : most.cpu;
    }
    printf("longest: %.3f s, most processor time: %.3f s\n", most.wall, most.cpu);
    fclose(from);
    free(text);
    free(changed);
    return 0;
}
