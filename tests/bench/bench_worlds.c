/* bench_worlds.c - the worlds that locksim is measured by, each beside what it is to reach: what is reached, and what
 * is not. Usage: bench_worlds [SECONDS]; run from the root. Processor time of one search each, with the second pass and
 * every counterexample's replay; one that is not done within SECONDS (120) is told as far as it came. What is measured
 * beside Spin and by two cores, bench_plain_lock and bench_fair_lock print. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/buf.h"
#include "tests/bench/measure.h"

#define LOCK(module) \
    "  program = function(me)\n" \
    "    local lock = require '" module "'.lock(me, 'order:42')\n" \
    "    if lock:acquire() then me:work(100) lock:release() end\n" \
    "  end,\n"
#define RED_LOCK(arguments) \
    "  servers = 3,\n" \
    "  program = function(me)\n" \
    "    local locks = {}\n" \
    "    for i = 1, 3 do locks[i] = require 'redisson.lock'.lock(me:on(i), 'order:42') end\n" \
    "    local all = require 'redisson.red_lock'.lock(me, 'order:42', locks)\n" \
    "    if all:try_acquire(" arguments ") then me:work(100) all:release() end\n" \
    "  end,\n"
#define BARE \
    "  program = function(me)\n" \
    "    local acquire, release = script 'simple/counted/acquire.lua', script 'simple/counted/release.lua'\n" \
    "    for _ = 1, 3 do\n" \
    "      while me:eval(acquire, { 'lock' }, { me.id, 0 }, { op = 'take' }) == 0 do end\n" \
    "      me:eval(acquire, { 'lock' }, { me.id, 0 }, { op = 'take' })\n" \
    "      me:eval(release, { 'lock' }, { me.id })\n" \
    "      me:eval(release, { 'lock' }, { me.id })\n" \
    "    end\n" \
    "  end,\n"

/* What is wanted of each; 0: nothing is said of it. */
typedef struct {
    const char *name, *fields;
    bool each, open;       /* each client counts for itself; starts at any moment */
    uint64_t states, lua;  /* states: exactly; lua: at most */
    double seconds, bytes; /* at most; bytes: a state */
} row;

static const row rows[] = {
    { "bare plain lock, 6 clients x 3 rounds, 2 evictions",
      "clients = { 'A', 'B', 'C', 'D', 'E', 'F' }, start_ms = 0, faults = { evict = 2 },\n" BARE,
      .states = 19385, .seconds = 0.1 },
    { "the same, each client for itself",
      "clients = { 'A', 'B', 'C', 'D', 'E', 'F' }, start_ms = 0, faults = { evict = 2 },\n" BARE,
      .each = true, .states = 4887412, .bytes = 24 },
    { "fair lock, 3 clients 10 ms apart, crash + pause",
      "clients = { 'A', { 'B', start_ms = 10 }, { 'C', start_ms = 20 } }, start_ms = 0,\n"
      "faults = { crash = 1, pause = 1 },\n" LOCK("redisson.fair"), .lua = 20000, .seconds = 1.5, .bytes = 120 },
    { "fair lock, 3 clients at once, crash + pause",
      "clients = { 'A', 'B', 'C' }, start_ms = 0, faults = { crash = 1, pause = 1 },\n" LOCK("redisson.fair"),
      .seconds = 5 },
    { "fair lock, 3 clients, open starts, no fault", "clients = { 'A', 'B', 'C' },\n" LOCK("redisson.fair"),
      .open = true, .seconds = 2 },
    { "RedLock, 2 clients, crash + pause",
      "clients = { 'A', 'B' }, start_ms = 0, faults = { crash = 1, pause = 1 },\n" RED_LOCK("-1"),
      .lua = 20000, .seconds = 3 },
    { "RedLock, 3 servers, 3 clients with wait and lease, lose_reply",
      "clients = { 'A', 'B', 'C' }, start_ms = 0, faults = { lose_reply = 1 },\n" RED_LOCK("1000, 10000"),
      .seconds = 120 },
    { "Redlock, 5 servers, 3 clients, restart",
      "clients = { 'A', 'B', 'C' }, start_ms = 0, faults = { restart = 1 }, servers = 5,\n"
      "  program = function(me)\n"
      "    local lock = require 'redlock.redlock'.over(5).lock(me, 'order:42', { lease_ms = 1000, retry_ms = 700 })\n"
      "    if lock:acquire() then me:work(100) lock:release() end\n"
      "  end,\n", .seconds = 120 },
};

static count measure(const char *fields, bool each, bool open, int64_t limit_ms)
{
    buf text = { 0 };
    buf_printf(&text, "return { title = 'measured', explore = 'exhaustive', %s }\n", fields);
    count n = each ? search_text(S("worlds"), buf_str(&text), limit_ms)
              : search_folded(S("worlds"), buf_str(&text), limit_ms, open);
    buf_free(&text);
    return n;
}

static void tell_row(const row *r, int64_t limit_ms)
{
    count n = measure(r->fields, r->each, r->open, limit_ms);
    double bytes = n.states ? (double)n.bytes / (double)n.states : 0;
    printf("  %s\n    %s %" PRIu64 " states", r->name, n.complete ? "all" : "not all:", n.states);
    if (n.stand_for > n.states)
        printf(" for %" PRIu64, n.stand_for);
    printf(", %" PRIu64 " pieces of Lua", n.lua);
    if (n.repeats)
        printf(" (%" PRIu64 " of them to come back to a state)", n.repeats);
    printf(", %.2f s, %.0f bytes a state", n.seconds, bytes);
    bool met = n.complete && (!r->states || n.states == r->states) && (!r->lua || n.lua < r->lua) &&
               (r->seconds == 0 || n.seconds < r->seconds) && (r->bytes == 0 || bytes <= r->bytes);
    printf("; wanted:");
    if (r->states)
        printf(" %" PRIu64 " states", r->states);
    if (r->lua)
        printf(" below %" PRIu64 " pieces", r->lua);
    if (r->seconds > 0)
        printf(" below %g s", r->seconds);
    if (r->bytes > 0)
        printf(" %g bytes", r->bytes);
    printf(": %s\n", met ? "reached" : "NOT reached");
    fflush(stdout);
}

/* What one more client costs. */
static void tell_clients(int64_t limit_ms)
{
    enum { MOST = 7, FROM = 4 };
    static const uint64_t SIX_EACH = 4489873;      /* states of 6 clients, each for itself */
    uint64_t before = 0;
    bool met = true;
    printf("  `redisson.lock` with its driver, once each\n   ");
    for (unsigned c = 2; c <= MOST; c++) {
        buf fields = { 0 };
        buf_addz(&fields, "start_ms = 0, clients = {");
        for (unsigned i = 0; i < c; i++)
            buf_printf(&fields, " '%c',", 'A' + i);
        buf_addz(&fields, " },\n" LOCK("redisson.lock"));
        buf_byte(&fields, '\0');
        count n = measure(fields.p, false, false, limit_ms);
        buf_free(&fields);
        printf(" %u clients %" PRIu64, c, n.states);
        if (before)
            printf(" (x%.2f)", (double)n.states / (double)before);
        met &= n.complete && (c <= FROM || (double)n.states <= 2.5 * (double)before);
        met &= c != 6 || n.states * 100 <= SIX_EACH;
        before = n.states;
        fflush(stdout);
    }
    printf("; wanted: 6 clients at most %" PRIu64 ", from 4 on at most x2.5: %s\n", SIX_EACH / 100,
           met ? "reached" : "NOT reached");
}

int main(int argc, char **argv)
{
    int64_t limit_ms = argc > 1 ? strtoll(argv[1], NULL, 10) * 1000 : 120000;
    for (size_t i = 0; i < COUNT(rows); i++)
        tell_row(&rows[i], limit_ms);
    tell_clients(limit_ms);
    return 0;
}
