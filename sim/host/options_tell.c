/* options_tell.c - the options of a run in words, for repeating its result. */
#include <inttypes.h>

#include "host/print.h"
#include "report/clean.h"

void options_tell(const options *o, buf *out)
{
    static const char *const strategies[] = { "uniform", "pct" };
    if (o->has_seed)
        buf_printf(out, " --seed %" PRIu64, o->seed);
    if (o->has_seeds)
        buf_printf(out, " --seeds %" PRIu64, o->seeds);
    if (o->workload) {
        buf_addz(out, " --workload ");
        clean_text(out, str_from(o->workload));
    }
    if (o->strategy != CHOICE_UNSAID)
        buf_printf(out, " --strategy %s", strategies[o->strategy]);
    if (o->has_runs)
        buf_printf(out, " --runs %" PRIu64, o->runs);
    if (o->faults)
        buf_printf(out, " --faults %s", o->faults);
    if (o->dialect)
        buf_printf(out, " --dialect \"%s\"", o->dialect);
    if (o->exhaustive)
        buf_addz(out, " --exhaustive");
    if (o->has_max_states)
        buf_printf(out, " --max-states %" PRIu64, o->max_states);
    if (o->has_max_memory)
        buf_printf(out, " --max-memory %" PRIu64, o->max_memory);
    if (o->has_max_steps)
        buf_printf(out, " --max-steps %" PRIu64, o->max_steps);
    if (o->has_time_limit)
        buf_printf(out, " --time-limit %" PRIu64, o->time_limit_s);
    if (o->has_every_ms)
        buf_printf(out, " --every-ms %" PRIu64, o->every_ms);
    if (o->no_fold)
        buf_addz(out, " --no-fold");
    if (o->pinned)
        buf_addz(out, " --pinned");
    if (o->no_symmetry)
        buf_addz(out, " --no-symmetry");
    if (o->reduction)
        buf_addz(out, " --reduction");
    if (o->no_memo)
        buf_addz(out, " --no-memo");
    for (size_t i = 0; i < o->script_count; i++) {
        buf_addz(out, " --scripts ");
        clean_text(out, str_from(o->scripts[i]));
    }
    if (o->schedule) {
        buf_addz(out, " --schedule \"");
        clean_text(out, str_from(o->schedule));
        buf_byte(out, '"');
    }
}
