/* simulation_rig.h - a bench for simulations: a scenario in the test's text, what occurs as lines or handed to the
 * test. */
#ifndef LOCKSIM_TESTS_SIMULATION_RIG_H
#define LOCKSIM_TESTS_SIMULATION_RIG_H

#include <inttypes.h>

#include "client_rig.h"
#include "simulate/simulate.h"

typedef struct {
    rig r;
    simulate_result result;
    buf lines;             /* what occurred, a line each: "1.500 c1 granted L (0.750)" */
    uint64_t counts[OCCURS_ENDS + 1];
    uint64_t max_fruitless;
    void *context;
    void (*on)(void *context, const occurrence *o);
} bench;

static inline void bench_on(void *context, const occurrence *o)
{
    static const char *const names[] = { "asked", "refused", "granted", "gave_up", "released", "lost", "request",
                                         "message", "timed_out", "crashed", "restarted", "paused", "resumed",
                                         "lost_request", "lost_reply", "lost_message", "begins",
                                         "ends" };
    bench *b = context;
    b->counts[o->kind]++;
    if (b->on)
        b->on(b->context, o);
    if (b->lines.n > 1000000)
        return;
    buf_printf(&b->lines, "%.3f ", (double)o->at_us / 1000);
    if (o->client != OCCURS_NOBODY)
        buf_printf(&b->lines, "c%u ", o->client + 1);
    buf_printf(&b->lines, "%s", names[o->kind]);
    if (o->executed_us != o->at_us)
        buf_printf(&b->lines, " (%.3f)", (double)o->executed_us / 1000);
    if (o->kind == OCCURS_REQUEST)
        buf_printf(&b->lines, " %u%s%s", o->commands, o->script ? " script" : "", o->wrote ? " wrote" : "");
    if (o->kind == OCCURS_GRANTED || o->kind == OCCURS_RELEASED)
        buf_printf(&b->lines, " %u", o->count);
    buf_addz(&b->lines, "\n");
}

/* Loads and runs the first workload. false: b->r.e says why. */
static inline bool bench_run(bench *b, const rig_file *files, const char *text, uint64_t seed)
{
    if (!rig_load(&b->r, files, text))
        return false;
    simulate_options o = { .seed = seed, .workload = b->r.scenario.workload_count ? 0 : SIMULATE_ONCE, .context = b,
                           .on_occurrence = bench_on, .max_fruitless = b->max_fruitless };
    return simulate_run(&b->r.scenario, &b->r.loader, &o, &b->result, &b->r.e);
}

static inline void bench_free(bench *b)
{
    simulate_result_free(&b->result);
    buf_free(&b->lines);
    rig_free(&b->r);
    *b = (bench){ 0 };
}

/* A lock that is fair by Redis's doing: a token in a list, for which clients wait there. */
#define TOKEN_LOCK \
    "local function acquire(me)\n" \
    "  me:wants('L')\n" \
    "  if me:call('SETNX', 'made', '1') == 1 then me:call('RPUSH', 'L', 'token') end\n" \
    "  local got, why = me:call('BLPOP', 'L', 0)\n" \
    "  if not got then me:gave_up('L') return nil end\n" \
    "  me:granted('L')\n" \
    "  return true\n" \
    "end\n" \
    "local function release(me) me:call('RPUSH', 'L', 'token') me:released('L') end\n"

/* One that is asked again and again. */
#define POLLED_LOCK \
    "local function acquire(me)\n" \
    "  me:wants('L')\n" \
    "  while true do\n" \
    "    local ok, why = me:call('SET', 'L', me.id, 'NX', 'PX', 1000)\n" \
    "    if why then me:gave_up('L') return nil end\n" \
    "    if ok == 'OK' then me:granted('L') return true end\n" \
    "    me:refused('L') me:sleep(5)\n" \
    "  end\n" \
    "end\n" \
    "local free = script.text \"if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end " \
    "return 0\"\n" \
    "local function release(me)\n" \
    "  if me:eval(free, { 'L' }, { me.id }) == 1 then me:released('L') else me:lost('L') end\n" \
    "end\n"

#define ROUND "program = function(me) if acquire(me) then me:work() release(me) end end"

#endif
