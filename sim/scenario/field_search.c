/* field_search.c - the possible faults, the runs to look at, and the limits of a search. */
#include "scenario/fields.h"

#include "base/size.h"

static bool read_fault_field(reading *r, str name, int64_t index, void *context)
{
    fault_budget *f = context;
    int64_t n;
    fault_kind kind = (fault_kind)(f - r->out->faults);
    if (!name.n && index == 1) {
        bool ok = read_integer(r, 0, FAULT_BUDGET_MAX, &n);
        f->budget = ok ? (uint32_t)n : 0;
        return ok;
    }
    if (!name.n)
        return reading_wrong(r, "%s: a fault takes one budget", reading_field(r));
    if (str_eq(name, S("of")))
        return read_str(r, &f->of);
    bool op = fault_has_sender(kind), writes = kind == FAULT_FAILOVER;
    bool ms = kind == FAULT_CLOCK_JUMP || kind == FAULT_SERVER_CLOCK_JUMP || kind == FAULT_LAG;
    if (op && str_eq(name, S("op")))
        return read_str(r, &f->op) && (f->op.n > 0 || reading_wrong(r, "op is empty: write op = \"acquire\""));
    if (ms && str_eq(name, S("ms")))
        return read_integer(r, kind == FAULT_LAG ? 1 : -READ_MS_MAX, READ_MS_MAX, &f->amount);
    if (writes && str_eq(name, S("writes")))
        return read_integer(r, 1, FAILOVER_WRITES_MAX, &f->amount);
    str known[4] = { S("of") };
    size_t count = 1;
    if (op)
        known[count++] = S("op");
    if (ms)
        known[count++] = S("ms");
    if (writes)
        known[count++] = S("writes");
    return reading_unknown(r, arena_printf(r->a, "field of the fault %s", fault_name(kind)).p, name, known, count);
}

static bool read_fault(reading *r, str name, int64_t index, void *context)
{
    fault_kind kind;
    const bool *all = context;
    if (!name.n && *all && index == 1)
        return true;                               /* the text "all" itself */
    if (!name.n)
        return reading_unknown_position(r, "faults by name: { pause = 1 }");
    if (!fault_parse(name, &kind)) {
        str known[FAULT_KINDS];
        for (int i = 0; i < FAULT_KINDS; i++)
            known[i] = str_from(fault_name((fault_kind)i));
        return reading_unknown(r, "fault", name, known, COUNT(known));
    }
    fault_budget *f = &r->out->faults[kind];
    int64_t n;
    if (lua_istable(r->L, -1)) {
        f->budget = 1;
        return read_fields(r, read_fault_field, f);
    }
    bool ok = read_integer(r, 0, FAULT_BUDGET_MAX, &n);
    f->budget = ok ? (uint32_t)n : 0;
    return ok;
}

/* { pause = 1 }; in a row of the matrix "all", or { "all", clock_jump = { 1, ms = 250 } }: the row's faults, with the
 * budgets given there. */
bool field_faults(reading *r, const layering *g)
{
    const matrix_row *row = &g->row;
    bool all = g->at == 0 && row->clients > 0;
    if (!all && lua_type(r->L, -1) == LUA_TSTRING) {
        reading_wrong(r, "faults has to be \"all\" or a table { pause = 1 }, and \"all\" stands in the file's own "
                      "table");
        return false;
    }
    if (lua_istable(r->L, -1) && !read_fields(r, read_fault, &all))
        return false;
    if (!lua_istable(r->L, -1) && !(all && lua_type(r->L, -1) == LUA_TSTRING))
        return read_table(r, "\"all\" or a table { pause = 1 }");
    for (int k = 0; k < FAULT_KINDS && all; k++) {
        fault_budget *f = &r->out->faults[k];
        f->budget = !row->kinds[k] ? 0 : f->budget ? f->budget : 1;
    }
    r->out->own_faults = row->clients == 0;
    return true;
}

static bool read_strategy(reading *r)
{
    str s;
    if (!read_str(r, &s))
        return false;
    if (str_eq(s, S("uniform")))
        r->out->strategy = STRATEGY_UNIFORM;
    else if (str_eq(s, S("pct")))
        r->out->strategy = STRATEGY_PCT;
    else {
        static const str known[] = { { "uniform", 7 }, { "pct", 3 } };
        return reading_unknown(r, "strategy", s, known, COUNT(known));
    }
    return true;
}

static bool read_explore_field(reading *r, str name, int64_t index, void *context)
{
    (void)index;
    int64_t n;
    bool *said = context;
    if (str_eq(name, S("schedule"))) {
        r->out->explore = EXPLORE_SCHEDULE;
        said[0] = true;
        return read_str(r, &r->out->schedule);
    }
    if (str_eq(name, S("random"))) {
        r->out->explore = EXPLORE_RANDOM;
        said[1] = true;
        bool ok = read_integer(r, 1, 1000000000, &n);
        r->out->runs = ok ? (uint64_t)n : 0;
        return ok;
    }
    if (str_eq(name, S("strategy")))
        return read_strategy(r);
    if (str_eq(name, S("depth"))) {
        bool ok = read_integer(r, 1, 1000, &n);
        r->out->depth = ok ? (uint32_t)n : 0;
        return ok;
    }
    if (!name.n)
        return reading_unknown_position(r, "{ schedule = \"...\" } or { random = runs }");
    static const str known[] = { { "schedule", 8 }, { "random", 6 }, { "strategy", 8 }, { "depth", 5 } };
    return reading_unknown(r, "field of explore", name, known, COUNT(known));
}

bool field_explore(reading *r, const layering *g)
{
    (void)g;
    if (lua_type(r->L, -1) == LUA_TSTRING) {
        str s;
        read_str(r, &s);
        if (str_eq(s, S("exhaustive")))
            r->out->explore = EXPLORE_EXHAUSTIVE;
        else if (str_eq(s, S("random")))
            r->out->explore = EXPLORE_RANDOM;
        else {
            static const str known[] = { { "exhaustive", 10 }, { "random", 6 } };
            return reading_unknown(r, "way to explore", s, known, COUNT(known));
        }
        return true;
    }
    bool said[2] = { false, false };
    if (!read_table(r, "\"exhaustive\", \"random\", { schedule = \"...\" } or { random = runs }") ||
        !read_fields(r, read_explore_field, said))
        return false;
    if (said[0] == said[1])
        return reading_wrong(r, "explore takes a schedule or a number of random runs, %s",
                             said[0] ? "not both" : "and has neither");
    return true;
}

/* 1048576, or "1M" */
static bool read_size(reading *r, uint64_t *bytes)
{
    str s;
    int64_t n;
    if (lua_type(r->L, -1) == LUA_TNUMBER) {
        bool ok = read_integer(r, 1, INT64_C(1) << 53, &n);
        *bytes = ok ? (uint64_t)n : 0;
        return ok;
    }
    return read_str(r, &s) &&
           (size_parse(s, bytes) || reading_wrong(r, "%s is a number of bytes, or a text like \"512M\" or \"4G\"",
                                                  reading_field(r)));
}

static bool read_limit(reading *r, str name, int64_t index, void *context)
{
    (void)index, (void)context;
    int64_t n;
    static const str known[] = { { "memory", 6 }, { "states", 6 }, { "steps", 5 } };
    if (!name.n)
        return reading_unknown_position(r, "limits by name: { steps = 1000 }");
    if (str_eq(name, S("memory")))
        return read_size(r, &r->out->max_memory);
    bool states = str_eq(name, S("states"));
    if (!states && !str_eq(name, S("steps")))
        return reading_unknown(r, "limit", name, known, COUNT(known));
    bool ok = read_integer(r, 1, states ? INT64_C(4000000000) : 1000000000, &n);
    *(states ? &r->out->max_states : &r->out->max_steps) = ok ? (uint64_t)n : 0;
    return ok;
}

bool field_limits(reading *r, const layering *g)
{
    (void)g;
    return read_table(r, "a table { steps = 1000 }") && read_fields(r, read_limit, NULL);
}
