/* workload.c - reads a scenario's field `workload`, one table or a list of named ones; errors have the position of the
 * field. */
#include <stdlib.h>

#include "scenario/reading.h"
#include "scenario/workload_read.h"

enum { ACQUISITIONS = 1000 };                      /* of a workload without a length */
enum { THREADS_MAX = 64, SEEDS_MAX = 10000 };
#define COUNT_MAX INT64_C(1000000000000)
#define RATE_MAX 1e6                               /* one per microsecond: a higher rate would let no time pass */

/* ---- arrivals ---- */

typedef struct {
    workload *w;
    int ways;              /* number of arrival fields that were named */
    bool every;
} arriving;

static int by_time(const void *x, const void *y)
{
    const recorded_demand *a = x, *b = y;
    return (a->asked_ms > b->asked_ms) - (a->asked_ms < b->asked_ms);
}

static bool read_instants(reading *r, workload *w)
{
    double *at;
    if (!read_lengths(r, &at, &w->demand_count))
        return false;
    recorded_demand *d = ARENA_ARRAY(r->a, recorded_demand, w->demand_count);
    for (size_t i = 0; i < w->demand_count; i++)
        d[i] = (recorded_demand){ .asked_ms = at[i], .held_ms = -1, .client = UINT32_MAX };
    qsort(d, w->demand_count, sizeof *d, by_time);
    w->demands = d;
    return true;
}

static bool read_recorded(reading *r, workload *w)
{
    str name, path, text;
    if (!read_str(r, &name))
        return false;
    err missing = { 0 };
    if (!r->loader->read(r->loader->context, name, r->a, &path, &text, &missing)) {
        reading_wrong(r, "%s", missing.message.p);
        if (missing.hint.n)
            err_hint(r->e, "%s", missing.hint.p);
        err_clear(&missing);
        return false;
    }
    return workload_read_csv(r->a, path, text, w, r->e);
}

static bool read_arrivals_field(reading *r, str name, int64_t index, void *context)
{
    (void)index;
    arriving *c = context;
    workload *w = c->w;
    if (!name.n)
        return reading_unknown_position(r, "{ think_ms = 100 } or { poisson_per_s = 5 }");
    if (str_eq(name, S("every_ms"))) {
        c->every = true;
        return read_draw(r, &w->think_ms);
    }
    c->ways++;
    if (str_eq(name, S("think_ms"))) {
        w->arrivals = ARRIVE_THINKING;
        return read_draw(r, &w->think_ms);
    }
    if (str_eq(name, S("poisson_per_s"))) {
        w->arrivals = ARRIVE_POISSON;
        return read_number(r, 1e-9, RATE_MAX, &w->poisson_per_s);
    }
    if (str_eq(name, S("burst"))) {
        int64_t n;
        w->arrivals = ARRIVE_BURSTS;
        bool ok = read_integer(r, 1, 1000000, &n);
        w->burst = ok ? (uint32_t)n : 0;
        return ok;
    }
    if (str_eq(name, S("at_ms"))) {
        w->arrivals = ARRIVE_LISTED;
        return read_instants(r, w);
    }
    if (str_eq(name, S("csv"))) {
        w->arrivals = ARRIVE_RECORDED;
        return read_recorded(r, w);
    }
    static const str known[] = { { "at_ms", 5 }, { "burst", 5 }, { "csv", 3 }, { "every_ms", 8 },
                                 { "poisson_per_s", 13 }, { "think_ms", 8 } };
    return reading_unknown(r, "way to arrive", name, known, COUNT(known));
}

static bool read_arrivals(reading *r, workload *w)
{
    arriving c = { .w = w };
    if (!read_table(r, "a table { think_ms = 100 } or { poisson_per_s = 5 }") ||
        !read_fields(r, read_arrivals_field, &c))
        return false;
    if (c.ways != 1)
        return reading_wrong(r, "%s takes one of think_ms, poisson_per_s, burst, at_ms and csv, this has %s",
                             reading_field(r), c.ways ? "more" : "none");
    if (c.every != (w->arrivals == ARRIVE_BURSTS))
        return reading_wrong(r, "%s: burst and every_ms go together: { burst = 20, every_ms = 1000 }",
                             reading_field(r));
    return true;
}

/* ---- faults and their rates ---- */

typedef struct {
    double *per_s;
    distribution *length;
    str length_name;       /* "back_ms", "ms" */
} mishap;

static bool read_mishap_field(reading *r, str name, int64_t index, void *context)
{
    (void)index;
    mishap *m = context;
    if (!name.n)
        return reading_unknown_position(r, "{ per_s = 0.1 }");
    if (str_eq(name, S("per_s")))
        return read_number(r, 0, RATE_MAX, m->per_s);
    if (str_eq(name, m->length_name))
        return read_draw(r, m->length);
    const str known[] = { m->length_name, S("per_s") };
    return reading_unknown(r, "field", name, known, COUNT(known));
}

static bool read_mishap(reading *r, mishap m, bool length_needed)
{
    *m.per_s = -1;
    if (!read_table(r, "a table { per_s = 0.1 }") || !read_fields(r, read_mishap_field, &m))
        return false;
    if (*m.per_s < 0 || (length_needed && m.length->kind == DRAW_NOTHING))
        return reading_wrong(r, "%s needs per_s%s", reading_field(r), length_needed ? " and ms: { per_s = 0.1, ms = "
                             "500 }" : ": { per_s = 0.1, back_ms = 1000 }");
    return true;
}

/* ---- one workload ---- */

static bool read_clients_field(reading *r, str name, int64_t index, void *context)
{
    workload *w = context;
    int64_t n;
    bool threads = str_eq(name, S("threads"));
    if (!threads && (name.n || index != 1))
        return reading_wrong(r, "%s: clients = N, or { N, threads = K }", reading_field(r));
    bool ok = read_integer(r, 1, threads ? THREADS_MAX : WORKLOAD_CLIENTS_MAX, &n);
    *(threads ? &w->threads : &w->clients) = ok ? (uint32_t)n : 0;
    return ok;
}

static bool read_clients(reading *r, workload *w)
{
    if (w->client_names)                           /* fields are read in order of their names */
        return reading_wrong(r, "the file of arrivals.csv names the clients: leave %s out", reading_field(r));
    if (lua_istable(r->L, -1)) {
        if (!read_fields(r, read_clients_field, w))
            return false;
        return w->clients > 0 || reading_wrong(r, "%s has no number: clients = { 10, threads = 2 }", reading_field(r));
    }
    int64_t n;
    bool ok = read_integer(r, 1, WORKLOAD_CLIENTS_MAX, &n);
    w->clients = ok ? (uint32_t)n : 0;
    return ok;
}

static bool read_count(reading *r, int64_t least, int64_t most, uint64_t *out)
{
    int64_t n;
    bool ok = read_integer(r, least, most, &n);
    *out = ok ? (uint64_t)n : 0;
    return ok;
}

static bool check_name(reading *r, str s)
{
    bool ok = s.n > 0 && s.n <= 32;
    for (size_t i = 0; ok && i < s.n; i++) {
        char c = s.p[i];
        ok = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
             (c == '-' && i > 0);
    }
    if (!ok)
        return reading_wrong(r, "a workload's name is letters, digits, _ and - (at most 32), this is \"%.*s\"",
                             STR_ARG(s));
    for (size_t i = 0; i < r->out->workload_count; i++)
        if (str_eq(r->out->workloads[i].name, s))
            return reading_wrong(r, "two workloads have the name \"%.*s\"", STR_ARG(s));
    return true;
}

/* ---- what is measured ---- */

static bool read_lock(reading *r, str name, int64_t index, void *context)
{
    workload *w = context;
    str *locks = (str *)(uintptr_t)w->locks;
    if (name.n || index != (int64_t)w->lock_count + 1)
        return reading_wrong(r, "locks has to be a list of names without holes: { \"order:42\" }");
    if (!read_str(r, &locks[w->lock_count]))
        return false;
    w->lock_count++;
    return true;
}

static bool read_locks(reading *r, workload *w)
{
    if (!read_table(r, "a list of names: { \"order:42\" }"))
        return false;
    size_t n = lua_objlen(r->L, -1);
    if (n == 0)
        return reading_wrong(r, "%s has no name; without the field all locks are measured", reading_field(r));
    w->locks = ARENA_ARRAY(r->a, str, n);
    return read_fields(r, read_lock, w);
}

/* ---- one workload, whole ---- */

static bool read_workload_field(reading *r, str name, int64_t index, void *context)
{
    (void)index;
    workload *w = context;
    uint64_t n = 0;
    bool ok = true;
    if (!name.n)
        return reading_unknown_position(r, "names only: { clients = 20, arrivals = { think_ms = 100 } }");
    if (str_eq(name, S("name")))
        return read_str(r, &w->name) && check_name(r, w->name);
    if (str_eq(name, S("clients")))
        return read_clients(r, w);
    if (str_eq(name, S("arrivals")))
        return read_arrivals(r, w);
    if (str_eq(name, S("hold_ms")))
        return read_draw(r, &w->hold_ms);
    if (str_eq(name, S("latency_ms")))
        return read_draw(r, &w->latency_ms);
    if (str_eq(name, S("message_latency_ms")))
        return read_draw(r, &w->message_latency_ms);
    if (str_eq(name, S("lose_request")))
        return read_number(r, 0, 1, &w->lose_request);
    if (str_eq(name, S("lose_reply")))
        return read_number(r, 0, 1, &w->lose_reply);
    if (str_eq(name, S("lose_message")))
        return read_number(r, 0, 1, &w->lose_message);
    if (str_eq(name, S("crash")))
        return read_mishap(r, (mishap){ &w->crash_per_s, &w->back_ms, S("back_ms") }, false);
    if (str_eq(name, S("pause")))
        return read_mishap(r, (mishap){ &w->pause_per_s, &w->pause_ms, S("ms") }, true);
    if (str_eq(name, S("acquisitions")))
        return read_count(r, 1, COUNT_MAX, &w->acquisitions);
    if (str_eq(name, S("duration_ms")))
        return read_number(r, 1e-3, (double)READ_MS_MAX, &w->duration_ms);
    if (str_eq(name, S("warm_up")))
        return read_count(r, 0, COUNT_MAX, &w->warm_up);
    if (str_eq(name, S("warm_up_ms")))
        return read_number(r, 0, (double)READ_MS_MAX, &w->warm_up_ms);
    if (str_eq(name, S("locks")))
        return read_locks(r, w);
    if (str_eq(name, S("seeds"))) {
        ok = read_count(r, 1, SEEDS_MAX, &n);
        w->seeds = (uint32_t)n;
        return ok;
    }
    static const str known[] = {
        { "acquisitions", 12 }, { "arrivals", 8 }, { "clients", 7 }, { "crash", 5 }, { "duration_ms", 11 },
        { "hold_ms", 7 },
        { "latency_ms", 10 }, { "locks", 5 }, { "lose_message", 12 }, { "lose_reply", 10 }, { "lose_request", 12 },
        { "message_latency_ms", 18 },
        { "name", 4 }, { "pause", 5 }, { "seeds", 5 }, { "warm_up", 7 }, { "warm_up_ms", 10 },
    };
    return reading_unknown(r, "field of a workload", name, known, COUNT(known));
}

static bool read_one(reading *r, bool named)
{
    workload w = { .name = { .p = "" }, .threads = 1, .poisson_per_s = -1 };
    if (!read_table(r, "a table { clients = 20, ... }") || !read_fields(r, read_workload_field, &w))
        return false;
    if (named && !w.name.n)
        return reading_wrong(r, "each workload of a list has a name: { name = \"low\", ... }");
    if (w.arrivals == ARRIVE_THINKING && w.think_ms.kind == DRAW_NOTHING)
        return reading_wrong(r, "a workload needs arrivals: { think_ms = 100 }, { poisson_per_s = 5 }, { burst = 20, "
                             "every_ms = 1000 }, "
                                "{ at_ms = { ... } } or { csv = \"file.csv\" }");
    bool listed = w.arrivals == ARRIVE_LISTED || w.arrivals == ARRIVE_RECORDED;
    if (!listed && w.acquisitions == 0 && !(w.duration_ms > 0))
        w.acquisitions = ACQUISITIONS;
    r->out->workloads[r->out->workload_count++] = w;
    return true;
}

static bool read_listed(reading *r, str name, int64_t index, void *context)
{
    (void)context;
    if (name.n || index != (int64_t)r->out->workload_count + 1)
        return reading_wrong(r, "workload has to be one workload, or a list of them without other names or holes");
    if (r->out->workload_count == WORKLOADS_MAX)
        return reading_wrong(r, "a scenario has at most %d workloads", WORKLOADS_MAX);
    return read_one(r, true);
}

bool workload_read(reading *r)
{
    r->out->workloads = ARENA_ARRAY(r->a, workload, WORKLOADS_MAX);
    if (!read_table(r, "a table, or a list of tables with names"))
        return false;
    lua_rawgeti(r->L, -1, 1);
    bool list = !lua_isnil(r->L, -1);
    lua_pop(r->L, 1);
    return list ? read_fields(r, read_listed, NULL) : read_one(r, false);
}
