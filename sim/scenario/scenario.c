/* scenario.c - see scenario.h: a scenario's table, checked field by field; what is wrong is told where it is
 * written. */
#include "scenario/scenario.h"

#include <assert.h>
#include <string.h>

#include "base/size.h"
#include "scenario/case_layers.h"
#include "scenario/workload_read.h"

enum { CLIENTS_MAX = 64, THREADS_MAX = 64 };

static bool check_client_name(reading *r, str s)
{
    bool ok = s.n > 0 && s.n <= 32 && !(s.p[0] >= '0' && s.p[0] <= '9') && s.p[0] != '_';
    for (size_t i = 0; ok && i < s.n; i++) {
        char c = s.p[i];
        ok = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
    }
    if (!ok)
        return reading_wrong(r, "a client's name is a letter, then letters, digits and _ (at most 32), this is "
                             "\"%.*s\"", STR_ARG(s));
    for (size_t i = 0; i < r->out->client_count; i++)
        if (str_eq(r->out->clients[i].name, s))
            return reading_wrong(r, "two clients have the name \"%.*s\"", STR_ARG(s));
    return true;
}

/* 10, or "open": START_OPEN. */
static bool read_start(reading *r, int64_t *ms)
{
    str s;
    if (lua_type(r->L, -1) != LUA_TSTRING)
        return read_integer(r, 0, READ_MS_MAX, ms);
    *ms = START_OPEN;
    return read_str(r, &s) &&
           (str_eq(s, S("open")) || reading_wrong(r, "%s is a number of ms, or \"open\"", reading_field(r)));
}

/* "+1/1000", "-1/50". */
static bool read_drift(reading *r, int64_t *drift)
{
    enum { DRIFT_LEAST = 10, DRIFT_MOST = 1000 };
    str s;
    if (!read_str(r, &s))
        return false;
    bool ok = s.n > 3 && s.n <= 7 && (s.p[0] == '+' || s.p[0] == '-') && str_starts(str_slice(s, 1, s.n), S("1/")) &&
              s.p[3] != '0';
    for (size_t i = 3; ok && i < s.n; i++) {
        ok = s.p[i] >= '0' && s.p[i] <= '9';
        *drift = *drift * 10 + (s.p[i] - '0');
    }
    if (!ok || *drift < DRIFT_LEAST || *drift > DRIFT_MOST) {
        reading_wrong(r, "drift is the part by which the clock goes too fast or too slow, from 1/%d to 1/%d, this is "
                      "\"%.*s\"", DRIFT_LEAST,
                      DRIFT_MOST, STR_ARG(s));
        return err_hint(r->e, "\"+1/1000\": it gains a millisecond every 1000; \"-1/50\": it loses one every 50. What "
                        "goes by the remainder is a "
                              "part of the state, so finer parts make too many states");
    }
    *drift = s.p[0] == '-' ? -*drift : *drift;
    return true;
}

static bool read_client_field(reading *r, str name, int64_t index, void *context)
{
    scenario_client *c = context;
    int64_t threads;
    if (!name.n && index == 1)
        return read_str(r, &c->name) && check_client_name(r, c->name);
    if (str_eq(name, S("threads"))) {
        bool ok = read_integer(r, 1, THREADS_MAX, &threads);
        c->threads = ok ? (uint32_t)threads : 0;
        return ok;
    }
    if (str_eq(name, S("skew_ms")))
        return read_integer(r, -READ_MS_MAX, READ_MS_MAX, &c->skew_ms);
    if (str_eq(name, S("drift")))
        return read_drift(r, &c->drift);
    if (str_eq(name, S("operator"))) {
        c->operator_ = lua_toboolean(r->L, -1);
        return lua_isboolean(r->L, -1) || reading_wrong(r, "operator is true or false");
    }
    if (str_eq(name, S("start_ms")))
        return read_start(r, &c->start_ms);
    if (str_eq(name, S("after")))
        return read_str(r, &c->after) &&
               (c->after.n > 0 || reading_wrong(r, "after is empty: write after = \"A.acquire\""));
    if (!name.n)
        return reading_wrong(r, "%s: a client is \"A\", or { \"A\", threads = , skew_ms = , start_ms = , after = , "
                             "operator = , drift = }", reading_field(r));
    static const str known[] = { { "after", 5 }, { "drift", 5 }, { "operator", 8 }, { "skew_ms", 7 }, { "start_ms", 8 },
                                 { "threads", 7 } };
    return reading_unknown(r, "field of a client", name, known, COUNT(known));
}

static bool read_client(reading *r, str name, int64_t index, void *context)
{
    (void)context;
    if (name.n || index != (int64_t)r->out->client_count + 1)
        return reading_wrong(r, "clients has to be a list without names or holes");
    if (r->out->client_count == CLIENTS_MAX)
        return reading_wrong(r, "a scenario has at most %d clients", CLIENTS_MAX);
    scenario_client c = { .threads = 1, .name = { .p = "" }, .start_ms = START_UNSAID };
    if (lua_type(r->L, -1) == LUA_TSTRING) {
        if (!read_str(r, &c.name) || !check_client_name(r, c.name))
            return false;
    } else {
        if (!read_table(r, "a name or a table") || !read_fields(r, read_client_field, &c))
            return false;
        if (!c.name.n)
            return reading_wrong(r, "%s has no name: write { \"A\", ... }", reading_field(r));
    }
    c.id = c.name;
    r->out->clients[r->out->client_count++] = c;
    return true;
}

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
    if (str_eq(name, S("op")) && fault_has_sender(kind))
        return read_str(r, &f->op) && (f->op.n > 0 || reading_wrong(r, "op is empty: write op = \"acquire\""));
    if (str_eq(name, S("ms")) && (kind == FAULT_CLOCK_JUMP || kind == FAULT_SERVER_CLOCK_JUMP || kind == FAULT_LAG))
        return read_integer(r, kind == FAULT_LAG ? 1 : -READ_MS_MAX, READ_MS_MAX, &f->amount);
    if (str_eq(name, S("writes")) && kind == FAULT_FAILOVER)
        return read_integer(r, 1, FAILOVER_WRITES_MAX, &f->amount);
    static const str known[] = { { "of", 2 }, { "op", 2 }, { "ms", 2 }, { "writes", 6 } };
    return reading_unknown(r, "field of a fault", name, known, COUNT(known));
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

static bool read_explore(reading *r)
{
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

typedef struct {
    property p;
    expectation expected;
    str why;
} expected_property;

static bool read_outcome(reading *r, expectation *out)
{
    str s;
    if (!read_str(r, &s))
        return false;
    if (str_eq(s, S("holds")))
        *out = EXPECT_HOLDS;
    else if (str_eq(s, S("violated")))
        *out = EXPECT_VIOLATED;
    else {
        static const str known[] = { { "holds", 5 }, { "violated", 8 } };
        return reading_unknown(r, "outcome", s, known, COUNT(known));
    }
    return true;
}

static bool read_expect_field(reading *r, str name, int64_t index, void *context)
{
    expected_property *x = context;
    const property_info *info = property_describe(x->p);
    if (!name.n && index == 1)
        return read_outcome(r, &x->expected);
    if (str_eq(name, S("why")))
        return read_str(r, &x->why);
    if (name.n && info->parameter && str_eq(name, str_from(info->parameter)))
        return read_integer(r, 0, READ_MS_MAX, &r->out->model.parameter[x->p]);
    if (name.n && !info->parameter && lua_type(r->L, -1) == LUA_TNUMBER)
        return reading_wrong(r, "%s takes no number: write %s = \"holds\" or \"violated\"", info->name, info->name);
    str known[] = { S("why"), S("why") };
    if (info->parameter)
        known[0] = str_from(info->parameter);
    return reading_unknown(r, "field of an expectation", name, known, info->parameter ? 2 : 1);
}

/* As if the tables before this one had not named it. */
static bool forget_expectation(scenario *s, property p)
{
    const model_config usual = model_config_default();
    s->expect[p] = EXPECT_UNSAID;
    s->why[p] = S("");
    s->model.judged[p] = usual.judged[p];
    s->model.parameter[p] = usual.parameter[p];
    return true;
}

static bool read_expectation(reading *r, str name, int64_t index, void *context)
{
    (void)index, (void)context;
    expected_property x = { .expected = EXPECT_HOLDS, .why = S("") };
    if (!name.n)
        return reading_unknown_position(r, "properties by name: { fifo = \"holds\" }");
    if (!property_parse(name, &x.p)) {
        str known[PROPERTY_COUNT];
        for (int i = 0; i < PROPERTY_COUNT; i++)
            known[i] = str_from(property_describe((property)i)->name);
        return reading_unknown(r, "property", name, known, COUNT(known));
    }
    if (property_describe(x.p)->compared) {
        reading_wrong(r, "%s is judged of two versions of the scripts, not of one scenario",
                      property_describe(x.p)->name);
        return err_hint(r->e, "locksim compare OLD NEW judges it");
    }
    if (lua_isboolean(r->L, -1) && !lua_toboolean(r->L, -1))
        return forget_expectation(r->out, x.p);
    bool ok = lua_istable(r->L, -1) ? read_fields(r, read_expect_field, &x) : read_outcome(r, &x.expected);
    r->out->expect[x.p] = x.expected;
    r->out->why[x.p] = x.why;
    r->out->model.judged[x.p] = true;
    return ok;
}

static bool read_must_see(reading *r, str name, int64_t index, void *context)
{
    (void)context;
    /* What a world can see (world.h), and each kind of fault. */
    static const char *const sights[] = { "grant", "contention", "wait", "expiry", "wake-up", "re-entry", "release",
                                          "message", "timeout",
                                          "renewal", "resend" };
    if (name.n || index != (int64_t)r->out->must_see_count + 1)
        return reading_wrong(r, "must_see has to be a list of names");
    if (r->out->must_see_count == COUNT(sights) + FAULT_KINDS)
        return reading_wrong(r, "must_see names more than there is to see");
    str s;
    if (!read_str(r, &s))
        return false;
    str known[COUNT(sights) + FAULT_KINDS];
    bool found = false;
    for (size_t i = 0; i < COUNT(known); i++) {
        known[i] = str_from(i < COUNT(sights) ? sights[i] : fault_name((fault_kind)(i - COUNT(sights))));
        found = found || str_eq(known[i], s);
    }
    if (!found)
        return reading_unknown(r, "event", s, known, COUNT(known));
    r->out->must_see[r->out->must_see_count++] = s;
    return true;
}

static const char *const findings[] = {
    [FINDING_UNDECLARED_KEY] = "undeclared_key", [FINDING_CROSS_SLOT] = "cross_slot",
    [FINDING_LEAKED_GLOBAL] = "leaked_global", [FINDING_SCRIPT_ERROR] = "error",
    [FINDING_BUDGET] = "budget", [FINDING_CRASH] = "crash",
};

const char *finding_name(script_finding kind) { return findings[kind]; }
bool scenario_waives(const scenario *sc, script_finding kind) { return sc->waived >> kind & 1; }

static bool read_waived(reading *r, str name, int64_t index, void *context)
{
    (void)index, (void)context;
    str s, known[COUNT(findings)];
    if (name.n)
        return reading_wrong(r, "waive has to be a list of names");
    if (!read_str(r, &s))
        return false;
    for (size_t i = 0; i < COUNT(findings); i++) {
        known[i] = str_from(findings[i]);
        if (str_eq(known[i], s))
            return r->out->waived |= 1U << i, true;
    }
    return reading_unknown(r, "cause of script_health", s, known, COUNT(known));
}

/* { pause = 1 }; of a row of the matrix "all", or { "all", clock_jump = { 1, ms = 250 } }: those of the row, as often
 * as said there. */
static bool read_faults(reading *r, const matrix_row *row)
{
    bool all = row != NULL;
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
    return true;
}

enum { MUST_MEET_MAX = 64 };

/* "release at subscribe" */
static bool read_must_meet(reading *r, str name, int64_t index, void *context)
{
    (void)context;
    str s;
    if (name.n || index != (int64_t)r->out->must_meet_count + 1 || r->out->must_meet_count == MUST_MEET_MAX)
        return reading_wrong(r, "must_meet has to be a list of at most %d texts", MUST_MEET_MAX);
    if (!read_str(r, &s))
        return false;
    size_t at = 0;
    while (at < s.n && !str_starts(str_slice(s, at, s.n), S(" at ")))
        at++;
    if (at == 0 || at + 4 >= s.n) {
        reading_wrong(r, "must_meet names an operation and where it falls, this is \"%.*s\"", STR_ARG(s));
        return err_hint(r->e, "must_meet = { \"release at subscribe\" }; --meetings lists what there is");
    }
    r->out->must_meet[r->out->must_meet_count++] = s;
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

static bool read_exhibit_field(reading *r, str name, int64_t index, void *context)
{
    (void)index;
    scenario_exhibit *x = context;
    if (!name.n)
        return reading_unknown_position(r, "texts by name: { bug = \"#2278\" }");
    str *at[] = { &x->bug, &x->library, &x->twin, &x->versions, &x->what };
    static const str known[] = { { "bug", 3 }, { "library", 7 }, { "twin", 4 }, { "versions", 8 }, { "what", 4 } };
    for (size_t i = 0; i < COUNT(known); i++)
        if (str_eq(name, known[i]))
            return read_str(r, at[i]);
    return reading_unknown(r, "field of an exhibit", name, known, COUNT(known));
}

static bool read_exhibit(reading *r)
{
    scenario_exhibit *x = &r->out->exhibit;
    if (!read_table(r, "a table { bug = \"#2278\" }") || !read_fields(r, read_exhibit_field, x))
        return false;
    return x->bug.n > 0 || reading_wrong(r, "%s has to name its bug: { bug = \"#2278\", ... }", reading_field(r));
}

static bool read_dialect(reading *r)
{
    str text;
    if (!read_str(r, &text))
        return false;
    if (dialect_parse(text, &r->out->dialect))
        return true;
    buf known = { 0 };
    dialect_tell_names(&known);
    reading_wrong(r, "there is no dialect '%.*s'", STR_ARG(text));
    err_hint(r->e, "there are %.*s", STR_ARG(buf_str(&known)));
    buf_free(&known);
    return false;
}

static bool read_notify(reading *r)
{
    str text;
    if (!read_str(r, &text))
        return false;
    const char *why;
    if (redis_notify_parse(text, &r->out->notify, &why))
        return true;
    reading_wrong(r, "notify_keyspace_events is '%.*s': %s", STR_ARG(text), why);
    return err_hint(r->e, "K, E or both, and of g $ l s h z x e t n, or A for all but n; \"KEx\" tells of expired "
                    "keys");
}

static const char *const fields[] = {
    "always", "cases", "clients", "cluster", "dialect", "end_ms", "exhibit", "expect", "explore", "faults",
    "latency_ms", "limits", "must_meet", "must_see", "patch",
    "notify_keyspace_events", "program", "replicas",
    "servers", "start_ms", "timeout_ms", "title", "twin", "waive", "work_ms", "workload",
};

/* The tables that the scenario is made of, and which of them is being read. */
typedef struct {
    const case_layer *layers;
    size_t count, at;
    matrix_row row;        /* row.clients 0: none */
} layering;

/* Does a later table have the field? Then this one's does not count. What the exhibit shows, its twin does not. */
static bool is_replaced(reading *r, const layering *g, str name)
{
    bool found = false;
    for (size_t i = g->at + 1; i < g->count && !found; i++) {
        case_layer_push(r->L, 1, &g->layers[i]);
        lua_pushlstring(r->L, name.p, name.n);
        lua_rawget(r->L, -2);
        found = !lua_isnil(r->L, -1) || (str_eq(name, S("exhibit")) && str_eq(g->layers[i].field, S("twin")));
        lua_pop(r->L, 2);
    }
    return found;
}

/* Where the diff's first line stands, if it is written out as a long string. */
static void locate_patch(reading *r, patch *p)
{
    const token *t = source_field_string(r->main, r->at, r->depth);
    position where = source_field(r->main, r->at, r->depth);
    *p = (patch){ .name = p->name, .diff = p->diff, .file = r->out->file, .line = t ? t->line : where.line };
    size_t bracket = t && t->text.p[0] == '[' ? str_find(t->text, '[', 1) + 1 : 0;
    p->laid_out = bracket > 0 && !memchr(t->text.p, '\r', t->text.n);
    p->line += p->laid_out && bracket < t->text.n && t->text.p[bracket] == '\n';
}

static bool read_patch(reading *r, str name, int64_t index, void *context)
{
    patch *list = context;
    (void)index;
    if (!name.n)
        return reading_unknown_position(r,
                                        "diffs by the names of files: { [\"redisson/fair/acquire.lua\"] = [[ ... ]] }");
    patch *p = &list[r->out->patch_count];
    p->name = name;
    if (!read_str(r, &p->diff))
        return false;
    locate_patch(r, p);
    r->out->patch_count++;
    return true;
}

static bool read_patches(reading *r)
{
    size_t n = 0;
    if (!read_table(r, "a table { [\"redisson/fair/acquire.lua\"] = [[ a unified diff ]] }"))
        return false;
    for (lua_pushnil(r->L); lua_next(r->L, -2); lua_pop(r->L, 1))
        n++;
    patch *list = ARENA_ARRAY(r->a, patch, n + 1);
    r->out->patches = list;
    r->out->patch_count = 0;
    return read_fields(r, read_patch, list);
}

static bool read_top(reading *r, str name, int64_t index, void *context)
{
    const layering *g = context;
    scenario *s = r->out;
    int64_t n = 0;
    bool ok = true;
    (void)index;
    if (!name.n) {
        r->depth--;
        reading_wrong(r, "a scenario's table has names only: title = , clients = , program = ...");
        r->depth++;
        return false;
    }
    if (str_eq(name, S("cases")) || str_eq(name, S("twin")))
        return g->at == 0 || reading_wrong(r, "%s stands in the file's own table, and not in a case's",
                                           reading_field(r));
    if (!str_eq(name, S("expect")) && is_replaced(r, g, name))
        return true;
    if (str_eq(name, S("title")))
        return read_str(r, &s->title);
    if (str_eq(name, S("exhibit")))
        return read_exhibit(r);
    if (str_eq(name, S("clients"))) {
        s->clients = ARENA_ARRAY(r->a, scenario_client, CLIENTS_MAX);
        return read_table(r, "a list of clients") && read_fields(r, read_client, NULL);
    }
    if (str_eq(name, S("program")))
        return lua_isfunction(r->L, -1) || reading_wrong(r, "program has to be a function(me), this is a %s",
                                                         luaL_typename(r->L, -1));
    if (str_eq(name, S("always"))) {
        s->has_always = true;
        return lua_isfunction(r->L, -1) || reading_wrong(r, "always has to be a function(view), this is a %s",
                                                         luaL_typename(r->L, -1));
    }
    if (str_eq(name, S("servers"))) {
        ok = read_integer(r, 1, 16, &n);
        s->servers = (uint32_t)n;
        return ok;
    }
    if (str_eq(name, S("replicas"))) {
        ok = read_integer(r, 0, REPLICAS_MAX, &n);
        s->replicas = (uint32_t)n;
        return ok;
    }
    if (str_eq(name, S("cluster"))) {
        s->cluster = lua_toboolean(r->L, -1) ? CLUSTER_YES : CLUSTER_NO;
        return lua_isboolean(r->L, -1) || reading_wrong(r, "cluster is true or false, this is a %s",
                                                        luaL_typename(r->L, -1));
    }
    if (str_eq(name, S("dialect")))
        return read_dialect(r);
    if (str_eq(name, S("notify_keyspace_events")))
        return read_notify(r);
    if (str_eq(name, S("latency_ms")))
        return read_range(r, &s->latency_lo_ms, &s->latency_hi_ms);
    if (str_eq(name, S("start_ms")))
        return read_start(r, &s->start_ms);
    if (str_eq(name, S("work_ms")))
        return read_range(r, &s->work_lo_ms, &s->work_hi_ms);
    if (str_eq(name, S("timeout_ms")))
        return read_integer(r, 1, READ_MS_MAX, &s->timeout_ms);
    if (str_eq(name, S("end_ms")))
        return read_integer(r, 1, READ_MS_MAX, &s->end_ms);
    if (str_eq(name, S("faults")))
        return read_faults(r, g->at == 0 && g->row.clients ? &g->row : NULL);
    if (str_eq(name, S("explore")))
        return read_explore(r);
    if (str_eq(name, S("expect")))
        return read_table(r, "a table { fifo = \"holds\" }") && read_fields(r, read_expectation, NULL);
    if (str_eq(name, S("must_see"))) {
        s->must_see = ARENA_ARRAY(r->a, str, 64);
        s->must_see_count = 0;                     /* of a row of the matrix there may be some */
        return read_table(r, "a list of names") && read_fields(r, read_must_see, NULL);
    }
    if (str_eq(name, S("waive"))) {
        s->waived = 0;
        return read_table(r, "a list of names") && read_fields(r, read_waived, NULL);
    }
    if (str_eq(name, S("must_meet"))) {
        s->must_meet = ARENA_ARRAY(r->a, str, MUST_MEET_MAX);
        s->must_meet_count = 0;
        return read_table(r, "a list of texts") && read_fields(r, read_must_meet, NULL);
    }
    if (str_eq(name, S("limits")))
        return read_table(r, "a table { steps = 1000 }") && read_fields(r, read_limit, NULL);
    if (str_eq(name, S("patch")))
        return r->out->patches ? true : read_patches(r);
    if (str_eq(name, S("workload")))
        return workload_read(r);
    str known[COUNT(fields)];
    for (size_t i = 0; i < COUNT(fields); i++)
        known[i] = str_from(fields[i]);
    return reading_unknown(r, "field", name, known, COUNT(known));
}

static bool require_field(reading *r, bool there, const char *name, const char *hint)
{
    if (there)
        return true;
    reading_wrong(r, "the scenario has no field '%s'", name);
    return err_hint(r->e, "%s", hint);
}

/* after = "A.acquire": the operation of another client, and not one that waits for this one itself. */
static bool check_after(reading *r, size_t i)
{
    scenario *s = r->out;
    scenario_client *c = &s->clients[i];
    if (!c->after.n)
        return true;
    size_t dot = str_find(c->after, '.', 0), at = 0;
    str name = str_slice(c->after, 0, dot);
    while (at < s->client_count && !str_eq(s->clients[at].name, name))
        at++;
    c->after_client = at;
    c->after_op = dot < c->after.n ? str_slice(c->after, dot + 1, c->after.n) : S("");
    if (c->after_op.n && at < s->client_count && at != i)
        return true;
    reading_enter(r, S("clients"), 0);
    reading_enter(r, (str){ 0 }, (int64_t)i + 1);
    reading_enter(r, S("after"), 0);
    reading_wrong(r, "after names an operation of another client, this is \"%.*s\"", STR_ARG(c->after));
    return err_hint(r->e, "after = \"%.*s.acquire\"", STR_ARG(s->clients[i == 0 && s->client_count > 1].name));
}

/* Two that wait for each other never start. */
static bool check_starts(reading *r)
{
    const scenario *s = r->out;
    for (size_t i = 0; i < s->client_count; i++) {
        scenario_client *c = &s->clients[i];
        int64_t ms = c->start_ms != START_UNSAID ? c->start_ms : c->after.n ? 0 : s->start_ms;
        if (c->after.n && ms == START_OPEN)
            return reading_wrong(r, "client \"%.*s\" starts after %.*s: that start cannot be open", STR_ARG(c->name),
                                 STR_ARG(c->after));
        c->pinned = ms >= 0;
        c->start_ms = ms >= 0 ? ms : 0;
    }
    for (size_t i = 0; i < s->client_count; i++)
        if (!check_after(r, i))
            return false;
    for (size_t i = 0; i < s->client_count; i++) {
        size_t at = i, steps = 0;
        while (s->clients[at].after.n && steps++ < s->client_count)
            at = s->clients[at].after_client;
        if (steps > s->client_count)
            return reading_wrong(r, "client \"%.*s\" never starts: by `after`, it waits for itself",
                                 STR_ARG(s->clients[i].name));
    }
    return true;
}

static bool check_whole(reading *r)
{
    scenario *s = r->out;
    if (!require_field(r, s->client_count > 0, "clients", "clients = { \"A\", \"B\" }") || !check_starts(r))
        return false;
    case_push_field(r->L, 1, s, "program");
    bool program = lua_isfunction(r->L, -1);
    lua_pop(r->L, 1);
    if (!require_field(r, program, "program", "program = function(me) ... end"))
        return false;
    if (s->expect[PROPERTY_ALWAYS] != EXPECT_UNSAID &&
        !require_field(r, s->has_always, "always", "always = function(view) ... end, the invariant that `expect` "
                       "names"))
        return false;
    s->model.judged[PROPERTY_ALWAYS] = s->has_always;
    for (int k = 0; k < FAULT_KINDS; k++) {
        str of = s->faults[k].of;
        bool known = of.n == 0 || k == FAULT_EVICT;     /* there it is a key */
        for (size_t i = 0; i < s->client_count; i++)
            known = known || str_eq(of, s->clients[i].name);
        if (!known) {
            str names[CLIENTS_MAX];
            for (size_t i = 0; i < s->client_count; i++)
                names[i] = s->clients[i].name;
            reading_enter(r, S("faults"), 0);
            reading_enter(r, str_from(fault_name((fault_kind)k)), 0);
            reading_enter(r, S("of"), 0);
            return reading_unknown(r, "client", of, names, s->client_count);
        }
    }
    return true;
}

/* What a row of the matrix says: its clients, its title, what has to be seen, and a replica where it needs one. */
static void take_row(reading *r, const matrix_row *row)
{
    scenario *s = r->out;
    str *seen = ARENA_ARRAY(r->a, str, s->must_see_count + FAULT_KINDS);
    if (s->must_see_count)
        memcpy(seen, s->must_see, s->must_see_count * sizeof *seen);
    s->must_see = seen;
    for (int k = 0; k < FAULT_KINDS; k++)
        if (row->kinds[k])
            s->must_see[s->must_see_count++] = str_from(fault_name((fault_kind)k));
    if ((row->kinds[FAULT_LAG] || row->kinds[FAULT_FAILOVER]) && s->replicas == 0)
        s->replicas = 1;
    if (s->client_count > row->clients)
        s->client_count = row->clients;
    str title = matrix_title(r->a, row);
    s->title = s->title.n ? arena_printf(r->a, "%.*s: %.*s", STR_ARG(s->title), STR_ARG(title)) : title;
}

static bool read_layers(reading *r, layering *g)
{
    bool ok = true;
    for (g->at = 0; g->at < g->count && ok; g->at++) {
        const case_layer *l = &g->layers[g->at];
        lua_settop(r->L, 1);
        case_layer_push(r->L, 1, l);
        if (l->field.n)
            reading_enter(r, l->field, 0);
        if (l->name.n)
            reading_enter(r, l->name, 0);
        ok = read_fields(r, read_top, g);
        r->depth = 0;
        if (ok && g->at == 0 && g->row.clients)
            take_row(r, &g->row);
    }
    lua_settop(r->L, 1);
    if (ok && r->out->faults[FAULT_MOVE_SLOT].budget && r->out->cluster != CLUSTER_YES) {
        ok = reading_wrong(r, "the fault move_slot strikes only in a cluster");
        err_hint(r->e, "cluster = true");
    }
    return ok;
}

static str last_name(str path)
{
    size_t i = path.n;
    while (i > 0 && path.p[i - 1] != '/')
        i--;
    return str_slice(path, i, path.n);
}

/* Runs the file. false: the error says where it went wrong. */
static bool begin_reading(reading *r, const loader *l, str text)
{
    scenario *s = r->out;
    s->main = NULL;
    s->sources = source_cache_new(r->a);
    source_patch(s->sources, s->patches, s->patch_count, s->path);
    r->loader = l;
    r->state = r->runner->open(s->sources, l, r->a);
    r->L = r->runner->lua(r->state);
    bool ok = r->runner->run(r->state, s->file, text, &s->main, r->e);
    r->main = s->main;
    if (ok && !lua_istable(r->L, 1))
        return reading_wrong(r, "a scenario file returns a table, this one returns %s%s",
                             lua_isnil(r->L, 1) ? "nothing" : "a ", lua_isnil(r->L, 1) ? "" : luaL_typename(r->L, 1));
    return ok;
}

/* The last layer that has a patch gives it. It is needed before the fields are read: what the file loads is to be
 * patched when it runs. */
static bool take_patches(reading *r, layering *g)
{
    bool ok = true;
    for (size_t i = g->count; i-- > 0 && ok && !r->out->patches;) {
        const case_layer *l = &g->layers[i];
        case_layer_push(r->L, 1, l);
        lua_pushliteral(r->L, "patch");
        lua_rawget(r->L, -2);
        if (!lua_isnil(r->L, -1)) {
            if (l->field.n)
                reading_enter(r, l->field, 0);
            if (l->name.n)
                reading_enter(r, l->name, 0);
            reading_enter(r, S("patch"), 0);
            ok = read_patches(r);
            r->depth = 0;
        }
        lua_settop(r->L, 1);
    }
    return ok;
}

/* Runs the file once more, with the patches in what it loads; each is tried even where nothing has loaded its file
 * yet. */
static bool read_patched(reading *r, const loader *l)
{
    scenario *s = r->out;
    bool ok = true;
    r->runner->close(r->state);
    ok = begin_reading(r, l, s->text);
    for (size_t i = 0; i < s->patch_count && ok; i++) {
        str path;
        patched out;
        err why = { 0 };
        ok = source_patched(s->sources, l, s->patches[i].name, &path, &out, &why);
        if (!ok && why.path.n)
            err_copy(r->e, &why);
        else if (!ok) {
            err_at(r->e, ERR_SCENARIO, s->file, s->patches[i].line, 0, "the patch of %.*s: %.*s",
                   STR_ARG(s->patches[i].name), STR_ARG(buf_str(&why.message)));
            err_hint(r->e, "%.*s", STR_ARG(buf_str(&why.hint)));
        }
        err_clear(&why);
    }
    return ok;
}

bool scenario_read_case(const file_runner *by, arena *a, const loader *l, const scenario_source *from, scenario *out,
                        err *e)
{
    *out = (scenario){
        .file = arena_str(a, from->file), .text = from->text, .title = { .p = "" }, .servers = 1, .timeout_ms = 3000,
        .work_lo_ms = -1,
        .work_hi_ms = -1, .explore = EXPLORE_EXHAUSTIVE, .schedule = { .p = "" }, .runs = 1000, .depth = 3,
        .model = model_config_default(), .end_ms = INT64_MAX, .start_ms = START_UNSAID, .max_steps = 10000,
    };
    out->path = from->case_.n ? arena_printf(a, "%.*s:%.*s", STR_ARG(from->file), STR_ARG(from->case_)) : out->file;
    reading r = { .runner = by, .a = a, .out = out, .e = e };
    case_table cases;
    layering g = { .count = 0 };
    bool ok = begin_reading(&r, l, from->text) && case_table_read(&r, &cases) &&
              case_layers_of(&r, &cases, arena_str(a, from->case_), &g.layers, &g.count, &g.row);
    out->layers = g.layers;
    out->layer_count = g.count;
    ok = ok && take_patches(&r, &g) && (out->patch_count == 0 || read_patched(&r, l));
    ok = ok && read_layers(&r, &g) && check_whole(&r);
    out->model.timeout_ms = out->timeout_ms;
    static_assert(CLIENTS_MAX <= 64, "a bit for each client");
    for (size_t i = 0; i < out->client_count; i++)
        out->model.operators |= out->clients[i].operator_ ? UINT64_C(1) << i : 0;
    if (ok && out->exhibit.bug.n && cases.twin && str_eq(from->case_, S("exhibit")))
        out->exhibit.twin = arena_printf(a, "%.*s:twin", STR_ARG(last_name(from->file)));
    by->close(r.state);
    return ok;
}

bool scenario_read_cases(const file_runner *by, arena *a, const loader *l, const scenario_source *from,
                         const str **names, size_t *count, err *e)
{
    scenario sc = { .file = arena_str(a, from->file) };
    reading r = { .runner = by, .a = a, .out = &sc, .e = e };
    case_table cases = { 0 };
    bool ok = begin_reading(&r, l, from->text) && case_table_read(&r, &cases);
    by->close(r.state);
    *names = cases.names;
    *count = cases.name_count;
    return ok;
}
