/* bench_plain_lock.c - how fast the exhaustive search goes through the plain reentrant lock, beside Spin on a
 * hand-written model of it (plain_lock.pml) and beside a bare loop over the visited set with the lock's rules in C. All
 * three must find the same states. Usage: bench_plain_lock [CLIENTS ROUNDS]; 6 3 by default, for which Spin's verifier
 * is looked for in $BUILD/tests/bench. Run from the root. Processor time, medians of REPEATS runs: the ratios do not
 * depend on the machine. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "base/buf.h"
#include "base/mem.h"
#include "search/visited.h"
#include "tests/bench/measure.h"

enum { REPEATS = 3, CLIENTS_MAX = 8, EVICTIONS = 2, STEPS = 4, LIMIT_MS = 20000 };

static int by_time(const void *a, const void *b)
{
    double x = ((const count *)a)->seconds, y = ((const count *)b)->seconds;
    return (x > y) - (x < y);
}

/* ---- the rules in C
 * -------------------------------------------------------------------------------------------------------- */

/* A state is a number: each client's position in five bits, and above them the owner (0: nobody), its holds and the
 * evictions. */
enum { OWNER_SHIFT = 5 * CLIENTS_MAX, HOLDS_SHIFT = OWNER_SHIFT + 4, EVICTED_SHIFT = HOLDS_SHIFT + 4 };

static unsigned field(uint64_t s, unsigned shift, unsigned bits)
{
    return (unsigned)(s >> shift & ((1U << bits) - 1));
}

static uint64_t with_lock(uint64_t s, unsigned owner, unsigned holds)
{
    s &= ~(UINT64_C(0xff) << OWNER_SHIFT);
    return holds ? s | (uint64_t)owner << OWNER_SHIFT | (uint64_t)holds << HOLDS_SHIFT : s;
}

/* One request of client c (from 1): take, take again, give back, give back; a refused first take is tried again. */
static uint64_t step_of(uint64_t s, unsigned c, unsigned position)
{
    unsigned owner = field(s, OWNER_SHIFT, 4), holds = field(s, HOLDS_SHIFT, 4);
    uint64_t moved = s + (UINT64_C(1) << 5 * (c - 1));
    if (position % STEPS >= 2)
        return owner == c ? with_lock(moved, c, holds - 1) : moved;
    if (owner == 0 || owner == c)
        return with_lock(moved, c, holds + 1);
    return position % STEPS == 0 ? s : moved;
}

/* A bijection: distinct states get distinct prints, so this count is exact. */
static print print_of(uint64_t s)
{
    uint64_t x = s * UINT64_C(0x9e3779b97f4a7c15);
    x = (x ^ x >> 32) * UINT64_C(0xd6e8feb86659fd93);
    return (print){ x ^ x >> 32, 0 };
}

typedef struct {
    visited *seen;
    uint64_t *queue;
    size_t count, cap;
} frontier;

static void meet(frontier *f, uint64_t s, uint32_t parent)
{
    bool fresh;
    visited_add(f->seen, print_of(s), parent, &fresh);
    if (!fresh)
        return;
    MEM_RESERVE(f->queue, f->cap, f->count + 1);
    f->queue[f->count++] = s;
}

static count by_rules(unsigned clients, unsigned rounds)
{
    count n = { .complete = true };
    double from = cpu_s(RUSAGE_SELF);
    frontier f = { .seen = visited_new(0) };
    meet(&f, 0, VISITED_NONE);
    for (uint32_t i = 0; i < f.count; i++) {
        uint64_t s = f.queue[i], next[CLIENTS_MAX + 1];
        size_t found = 0;
        for (unsigned c = 1; c <= clients; c++) {
            unsigned position = field(s, 5 * (c - 1), 5);
            if (position == STEPS * rounds)
                continue;
            uint64_t to = step_of(s, c, position);
            n.steps++;
            n.idle += to == s;
            if (to != s)
                next[found++] = to;
        }
        if (field(s, OWNER_SHIFT, 4) && field(s, EVICTED_SHIFT, 4) < EVICTIONS) {
            n.steps++;
            next[found++] = with_lock(s, 0, 0) + (UINT64_C(1) << EVICTED_SHIFT);
        }
        for (size_t k = 0; k < found; k++)
            visited_prefetch(f.seen, print_of(next[k]));
        for (size_t k = 0; k < found; k++)
            meet(&f, next[k], i);
    }
    n.states = visited_count(f.seen);
    visited_free(f.seen);
    mem_free(f.queue);
    n.seconds = cpu_s(RUSAGE_SELF) - from;
    return n;
}

/* ---- locksim
 * --------------------------------------------------------------------------------------------------------------- */

/* The same world as a scenario over shipped scripts: no lease, and no driver, so that nothing but the clients'
 * positions and the lock's hash is in a state, and no property of locks is judged. No request is called an acquire:
 * that nobody is told of a grant would end the search. */
static void scenario_text(buf *b, unsigned clients, unsigned rounds)
{
    buf_printf(b, "local acquire, release = script 'simple/counted/acquire.lua', script 'simple/counted/release.lua'\n"
                  "return {\n"
                  "  title   = 'the plain lock, bare',\n"
                  "  clients = {");
    for (unsigned c = 0; c < clients; c++)
        buf_printf(b, " '%c',", 'A' + c);
    buf_printf(b, " },\n"
                  "  program = function(me)\n"
                  "    for _ = 1, %u do\n"
                  "      while me:eval(acquire, { 'lock' }, { me.id, 0 }, { op = 'take' }) == 0 do end\n"
                  "      me:eval(acquire, { 'lock' }, { me.id, 0 }, { op = 'take' })\n"
                  "      me:eval(release, { 'lock' }, { me.id })\n"
                  "      me:eval(release, { 'lock' }, { me.id })\n"
                  "    end\n"
                  "  end,\n"
                  "  faults  = { evict = %d },\n"
                  "  explore = 'exhaustive',\n"
                  "}\n", rounds, EVICTIONS);
}

static count by_locksim(unsigned clients, unsigned rounds)
{
    buf text = { 0 };
    scenario_text(&text, clients, rounds);
    count n = search_text(S("plain_lock"), buf_str(&text), LIMIT_MS);
    buf_free(&text);
    return n;
}

/* ---- Spin -------- */

/* False if its verifier is not there or says something else than numbers. */
static bool by_spin(count *n)
{
    const char *build = getenv("BUILD");
    char command[4096], line[256];
    snprintf(command, sizeof command, "'%s/tests/bench/plain_lock_spin' -m100000 -w24 2> /dev/null",
             build ? build : "build");
    double from = cpu_s(RUSAGE_CHILDREN);
    FILE *p = popen(command, "r");                 /* NOLINT(cert-env33-c): the command is the Makefile's own */
    if (!p)
        return false;
    *n = (count){ 0 };
    while (fgets(line, sizeof line, p)) {
        char *rest;
        uint64_t number = strtoull(line, &rest, 10);
        if (strstr(rest, "states, stored"))
            n->states = number;
        else if (strstr(rest, "transitions ("))
            n->steps = number;
        n->complete |= strstr(line, "errors: 0") != NULL;
    }
    n->complete &= pclose(p) == 0;
    n->seconds = cpu_s(RUSAGE_CHILDREN) - from;
    return n->complete && n->states > 0;
}

/* ---- beside each other
 * ----------------------------------------------------------------------------------------------------- */

static double rate(const count *n)
{
    return (double)n->states / n->seconds;
}

static void say(const char *who, const count *n, const count *yardstick)
{
    printf("  %-22s %9" PRIu64 " states, %8" PRIu64 " steps in %6.2f s: %7.3f million states/s", who, n->states,
           n->steps, n->seconds, rate(n) / 1e6);
    if (yardstick)
        printf(", %.3f times Spin", rate(n) / rate(yardstick));
    printf("%s\n", n->complete ? "" : " (not finished)");
}

static bool same(const char *who, const count *n, const count *rules)
{
    if (n->complete && n->states != rules->states)
        fprintf(stderr, "bench_plain_lock: %s: %" PRIu64 " states instead of %" PRIu64 "\n", who, n->states,
                rules->states);
    return !n->complete || n->states == rules->states;
}

/* What one more client costs: time should grow as the number of states does. */
static bool tell_growth(unsigned rounds, unsigned most)
{
    bool ok = true;
    double states_before = 0, seconds_before = 0;
    puts("  clients     states       steps   seconds   steps/s  bytes a state   Lua run   bare loop   time grew / "
         "states grew");
    for (unsigned c = 2; c <= most; c++) {
        count n = by_locksim(c, rounds), bare = by_rules(c, rounds);
        ok &= same("locksim", &n, &bare);
        printf("  %7u %10" PRIu64 " %11" PRIu64 " %9.3f %7.1f M %14.1f %9" PRIu64 " %9.3f s", c, n.states, n.steps,
               n.seconds, (double)n.steps / n.seconds / 1e6, (double)n.bytes / (double)n.states, n.lua, bare.seconds);
        if (c > 2)
            printf("   %6.2f / %.2f = %.2f", n.seconds / seconds_before, (double)n.states / states_before,
                   n.seconds / seconds_before / ((double)n.states / states_before));
        puts("");
        states_before = (double)n.states;
        seconds_before = n.seconds;
    }
    return ok;
}

int main(int argc, char **argv)
{
    unsigned clients = argc > 2 ? (unsigned)strtoul(argv[1], NULL, 10) : 6,
                       rounds = argc > 2 ? (unsigned)strtoul(argv[2], NULL, 10) : 3;
    if (clients < 1 || clients > CLIENTS_MAX || rounds < 1 || rounds > 7) {
        fputs("usage: bench_plain_lock [CLIENTS ROUNDS], up to 8 and 7\n", stderr);
        return 64;
    }
    count spin[REPEATS], rules[REPEATS], ours[REPEATS] = { 0 };
    bool has_spin = clients == 6 && rounds == 3;
    for (int i = 0; i < REPEATS; i++) {
        has_spin = has_spin && by_spin(&spin[i]);
        rules[i] = by_rules(clients, rounds);
        ours[i] = i == 0 || ours[0].complete ? by_locksim(clients, rounds) : ours[0];
    }
    qsort(spin, has_spin ? REPEATS : 0, sizeof *spin, by_time);
    qsort(rules, REPEATS, sizeof *rules, by_time);
    qsort(ours, REPEATS, sizeof *ours, by_time);
    const count *s = &spin[REPEATS / 2], *r = &rules[REPEATS / 2], *o = &ours[REPEATS / 2];
    printf("  %u clients, %u rounds, %d evictions; %" PRIu64 " steps of the rules lead back to the same state, and are "
           "none of Spin's\n",
           clients, rounds, EVICTIONS, r->idle);
    if (has_spin)
        say("Spin", s, NULL);
    else
        puts("  Spin                   not there (`make bench` builds its verifier, for 6 clients and 3 rounds)");
    say("the rules in C", r, has_spin ? s : NULL);
    say("locksim", o, has_spin ? s : NULL);
    bool ok = !has_spin || same("Spin", s, r);
    buf text = { 0 };
    scenario_text(&text, clients, rounds);
    ok &= compare_cores(S("plain_lock"), buf_str(&text), LIMIT_MS);
    buf_free(&text);
    ok &= tell_growth(rounds, clients);
    return same("locksim", o, r) && ok ? 0 : 1;
}
