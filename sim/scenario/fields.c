/* fields.c - see fields.h: one row a field, and the readers of those that are a single value. */
#include "scenario/fields.h"

#include "scenario/workload_read.h"

static bool field_title(reading *r, const layering *g)
{
    (void)g;
    return read_str(r, &r->out->title);
}

static bool field_program(reading *r, const layering *g)
{
    (void)g;
    return lua_isfunction(r->L, -1) ||
           reading_wrong(r, "program has to be a function(me), this is a %s", luaL_typename(r->L, -1));
}

static bool field_always(reading *r, const layering *g)
{
    (void)g;
    r->out->has_always = true;
    return lua_isfunction(r->L, -1) ||
           reading_wrong(r, "always has to be a function(view, redis), this is a %s", luaL_typename(r->L, -1));
}

static bool read_count(reading *r, int64_t least, int64_t most, uint32_t *out)
{
    int64_t n = 0;
    bool ok = read_integer(r, least, most, &n);
    *out = (uint32_t)n;
    return ok;
}

static bool field_servers(reading *r, const layering *g)
{
    (void)g;
    enum { SERVERS_MAX = 16 };
    return read_count(r, 1, SERVERS_MAX, &r->out->servers);
}

static bool field_replicas(reading *r, const layering *g)
{
    (void)g;
    return read_count(r, 0, REPLICAS_MAX, &r->out->replicas);
}

static bool field_cluster(reading *r, const layering *g)
{
    (void)g;
    r->out->cluster = lua_toboolean(r->L, -1) ? CLUSTER_YES : CLUSTER_NO;
    return lua_isboolean(r->L, -1) ||
           reading_wrong(r, "cluster is true or false, this is a %s", luaL_typename(r->L, -1));
}

static bool field_dialect(reading *r, const layering *g)
{
    (void)g;
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

static bool field_notify(reading *r, const layering *g)
{
    (void)g;
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

static bool field_latency(reading *r, const layering *g)
{
    (void)g;
    return read_range(r, &r->out->latency_lo_ms, &r->out->latency_hi_ms);
}

static bool field_work(reading *r, const layering *g)
{
    (void)g;
    return read_range(r, &r->out->work_lo_ms, &r->out->work_hi_ms);
}

static bool field_timeout(reading *r, const layering *g)
{
    (void)g;
    return read_integer(r, 1, READ_MS_MAX, &r->out->timeout_ms);
}

static bool field_end(reading *r, const layering *g)
{
    (void)g;
    return read_integer(r, 1, READ_MS_MAX, &r->out->end_ms);
}

static bool field_workload(reading *r, const layering *g)
{
    (void)g;
    return workload_read(r);
}

/* Read before (patches_take, case_table_read). */
static bool field_known(reading *r, const layering *g)
{
    (void)g;
    (void)r;
    return true;
}

/* Cases are made of the file's own table, and cannot have cases. */
static bool field_cases(reading *r, const layering *g)
{
    return g->at == 0 ||
           reading_wrong(r, "%s stands in the file's own table, and not in a case's", reading_field(r));
}

static const struct {
    str name;
    bool (*read)(reading *r, const layering *g);
    bool every_layer;      /* each layer's value is read, not only the last one's */
} fields[] = {
    { { "always", 6 }, field_always, false },
    { { "cases", 5 }, field_cases, true },
    { { "clients", 7 }, field_clients, false },
    { { "cluster", 7 }, field_cluster, false },
    { { "dialect", 7 }, field_dialect, false },
    { { "end_ms", 6 }, field_end, false },
    { { "exhibit", 7 }, field_exhibit, false },
    { { "expect", 6 }, field_expect, true },
    { { "explore", 7 }, field_explore, false },
    { { "faults", 6 }, field_faults, false },
    { { "latency_ms", 10 }, field_latency, false },
    { { "limits", 6 }, field_limits, false },
    { { "must_meet", 9 }, field_must_meet, false },
    { { "must_see", 8 }, field_must_see, false },
    { { "notify_keyspace_events", 22 }, field_notify, false },
    { { "patch", 5 }, field_known, false },
    { { "program", 7 }, field_program, false },
    { { "replicas", 8 }, field_replicas, false },
    { { "servers", 7 }, field_servers, false },
    { { "start_ms", 8 }, field_start, false },
    { { "timeout_ms", 10 }, field_timeout, false },
    { { "title", 5 }, field_title, false },
    { { "twin", 4 }, field_cases, true },
    { { "waive", 5 }, field_waive, false },
    { { "work_ms", 7 }, field_work, false },
    { { "workload", 8 }, field_workload, false },
};

/* Does a later table have the field? Then this one does not count. An exhibit's expectations do not apply to its
 * twin. */
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

bool field_read(reading *r, str name, int64_t index, void *context)
{
    const layering *g = context;
    str known[COUNT(fields)];
    (void)index;
    if (!name.n) {
        r->depth--;
        reading_wrong(r, "a scenario's table has names only: title = , clients = , program = ...");
        r->depth++;
        return false;
    }
    for (size_t i = 0; i < COUNT(fields); i++) {
        known[i] = fields[i].name;
        if (str_eq(name, fields[i].name))
            return (!fields[i].every_layer && is_replaced(r, g, name)) || fields[i].read(r, g);
    }
    return reading_unknown(r, "field", name, known, COUNT(known));
}
