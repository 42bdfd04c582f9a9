/* bench_fair_lock.c - how long the whole search takes where learning is most of the work: real drivers, several
 * timers in each process, clients that die or stand still at any moment. Almost every state is made of parts that few
 * others share. Usage: bench_fair_lock; run from the root. For each world processor time of one search, with the second
 * pass and every counterexample's replay; one that is not done within LIMIT_MS is told as far as it came. */
#include <inttypes.h>
#include <stdio.h>

#include "base/arena.h"
#include "tests/bench/measure.h"

enum { LIMIT_MS = 60000 };

#define FAIR_PROGRAM \
    "  program = function(me)\n" \
    "    local lock = redisson.lock(me, 'order:42')\n" \
    "    if lock:acquire() then\n" \
    "      me:work(100)\n" \
    "      lock:release()\n" \
    "    end\n" \
    "  end,\n"

static const struct { const char *name, *text; } worlds[] = {
    { "the fair lock, 3 clients 10 ms apart, crash 1 and pause 1",
      "local redisson = require 'redisson.fair'\n"
      "return {\n"
      "  title   = 'the fair lock, a crash and a pause',\n"
      "  clients = { { 'A', start_ms = 0 }, { 'B', start_ms = 10 }, { 'C', start_ms = 20 } },\n" FAIR_PROGRAM
      "  faults  = { crash = 1, pause = 1 },\n"
      "}\n" },
    { "the fair lock, 3 clients at once, crash 1 and pause 1",
      "local redisson = require 'redisson.fair'\n"
      "return {\n"
      "  title    = 'the fair lock, all at once',\n"
      "  clients  = { 'A', 'B', 'C' },\n"
      "  start_ms = 0,\n" FAIR_PROGRAM
      "  faults   = { crash = 1, pause = 1 },\n"
      "}\n" },
    { "the fair lock, 3 clients that may start at any moment",
      "local redisson = require 'redisson.fair'\n"
      "return {\n"
      "  title   = 'the fair lock, open starts',\n"
      "  clients = { 'A', 'B', 'C' },\n" FAIR_PROGRAM
      "}\n" },
    { "RedLock over 3 servers, 2 clients at once, crash 1 and pause 1",
      "local redisson = require 'redisson.lock'\n"
      "local group = require 'redisson.red_lock'\n"
      "return {\n"
      "  title    = 'RedLock, a crash and a pause',\n"
      "  servers  = 3,\n"
      "  clients  = { 'A', 'B' },\n"
      "  start_ms = 0,\n"
      "  program  = function(me)\n"
      "    local locks = {}\n"
      "    for i = 1, 3 do\n"
      "      locks[i] = redisson.lock(me:on(i), 'order:42')\n"
      "    end\n"
      "    local all = group.lock(me, 'order:42', locks)\n"
      "    if all:try_acquire(-1) then\n"
      "      me:work(100)\n"
      "      all:release()\n"
      "    end\n"
      "  end,\n"
      "  faults   = { crash = 1, pause = 1 },\n"
      "}\n" },
};

int main(void)
{
    for (size_t i = 0; i < COUNT(worlds); i++) {
        count n = search_text(S("fair_lock"), str_from(worlds[i].text), LIMIT_MS);
        printf("  %s: %s %" PRIu64 " states, %" PRIu64 " transitions in %.2f s; %" PRIu64
               " pieces of Lua run, %.0f bytes a state\n",
               worlds[i].name, n.complete ? "all" : "not all of", n.states, n.steps, n.seconds, n.lua,
               n.states ? (double)n.bytes / (double)n.states : 0.0);
        fflush(stdout);
    }
    return compare_cores(S("fair_lock"), str_from(worlds[0].text), LIMIT_MS) ? 0 : 1;
}
