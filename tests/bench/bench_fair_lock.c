/* bench_fair_lock.c - how long the whole search takes where learning is most of the work: Redisson's fair lock of
 * today, three clients that ask 10 ms after each other, one crash and one pause at any moment. Almost every state is
 * made of parts that few others share. Usage: bench_fair_lock; run from the root. Processor time of one search, with
 * the second pass and every counterexample's replay. */
#include <inttypes.h>
#include <stdio.h>

#include "tests/bench/measure.h"

enum { LIMIT_MS = 120000 };

static const char text[] =
    "local redisson = require 'redisson.fair'\n"
    "return {\n"
    "  title   = 'the fair lock, a crash and a pause',\n"
    "  clients = { 'A', { 'B', start_ms = 10 }, { 'C', start_ms = 20 } },\n"
    "  program = function(me)\n"
    "    local lock = redisson.lock(me, 'order:42')\n"
    "    if lock:acquire() then\n"
    "      me:work(100)\n"
    "      lock:release()\n"
    "    end\n"
    "  end,\n"
    "  faults  = { crash = 1, pause = 1 },\n"
    "}\n";

int main(void)
{
    count n = search_text(S("fair_lock"), str_from(text), LIMIT_MS);
    printf("  the fair lock, 3 clients, crash 1 and pause 1: %s %" PRIu64 " states, %" PRIu64
           " transitions in %.2f s; %" PRIu64
           " pieces of Lua run, %.0f bytes a state\n",
           n.complete ? "all" : "not all of", n.states, n.steps, n.seconds, n.lua,
           n.states ? (double)n.bytes / (double)n.states : 0.0);
    return n.complete ? 0 : 1;
}
