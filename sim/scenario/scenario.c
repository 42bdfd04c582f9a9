/* scenario.c - see scenario.h: reads a case's tables, layer by layer and field by field (fields.h), and checks the
 * result as a whole. */
#include "scenario/scenario.h"

#include <assert.h>
#include <string.h>

#include "scenario/fields.h"

static bool require_field(reading *r, bool there, const char *name, const char *hint)
{
    if (there)
        return true;
    reading_wrong(r, "the scenario has no field '%s'", name);
    return err_hint(r->e, "%s", hint);
}

static bool check_whole(reading *r)
{
    scenario *s = r->out;
    if (!require_field(r, s->client_count > 0, "clients", "clients = { \"A\", \"B\" }") || !clients_check(r))
        return false;
    case_push_field(r->L, 1, s, "program");
    bool program = lua_isfunction(r->L, -1);
    lua_pop(r->L, 1);
    if (!require_field(r, program, "program", "program = function(me) ... end"))
        return false;
    if (s->expect[PROPERTY_ALWAYS] != EXPECT_UNSAID &&
        !require_field(r, s->has_always, "always", "always = function(view, redis) ... end, the invariant that "
                       "`expect` names"))
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

/* Applies a row of the matrix: its clients, its title, what must be seen, and a replica where it needs one. */
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
        ok = read_fields(r, field_read, g);
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

/* Runs the file again, with its loaded files patched; each patch is tried even if its file has not been loaded yet. */
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
        .file = arena_str(a, from->file), .text = arena_str(a, from->text), .title = { .p = "" }, .servers = 1,
        .timeout_ms = 3000, .work_lo_ms = -1, .work_hi_ms = -1, .explore = EXPLORE_EXHAUSTIVE,
        .schedule = { .p = "" }, .runs = 1000, .depth = 3,
        .model = model_config_default(), .end_ms = INT64_MAX, .start_ms = START_UNSAID, .max_steps = 10000,
    };
    out->path = from->case_.n ? arena_printf(a, "%.*s:%.*s", STR_ARG(from->file), STR_ARG(from->case_)) : out->file;
    reading r = { .runner = by, .a = a, .out = out, .e = e };
    case_table cases;
    layering g = { .count = 0 };
    bool ok = begin_reading(&r, l, out->text) && case_table_read(&r, &cases) &&
              case_layers_of(&r, &cases, arena_str(a, from->case_), &g.layers, &g.count, &g.row);
    out->layers = g.layers;
    out->layer_count = g.count;
    ok = ok && patches_take(&r, &g) && (out->patch_count == 0 || read_patched(&r, l));
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
