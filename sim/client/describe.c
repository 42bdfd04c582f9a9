/* describe.c - what a live process holds, by the names in its code: locals of waiting functions, variables that
 * closures share, fields of tables. It walks as process_freeze.c does, but reports only values that fit on a line. */
#include <inttypes.h>
#include <string.h>

#include "base/instant.h"
#include "client/lua_graph.h"
#include "client/process_internal.h"

enum { NESTED_MAX = 24, FACTS_MAX = 20000, FRAMES_MAX = 200 };

typedef struct {
    process *p;
    lua_graph *g;
    facts *out;
    int64_t now_ms;
    int nested;
} describer;

/* A value: its name in the code ("local `t`"), the path to it ("t.n"), and where that is written, in words and as
 * path:line:col. */
typedef struct { str key, what, way, place, where; } named_value;

static void describe_value(describer *d, lua_State *L, const named_value *at);

static void add(describer *d, const named_value *at, str value)
{
    if (d->out->count == FACTS_MAX)
        return;
    facts_add(d->out, at->key, arena_printf(d->out->memory, "%.*s `%.*s`%.*s", STR_ARG(at->what), STR_ARG(at->way),
                                            STR_ARG(at->place)), value);
    facts_place(d->out, at->where);
}

static str place_text(describer *d, position where)
{
    return where.line > 0 ? arena_printf(d->out->memory, " at %.*s:%d", STR_ARG(where.path), where.line) : S("");
}

static str where_text(describer *d, position where)
{
    return where.line > 0 ? arena_printf(d->out->memory, "%.*s:%d:%d", STR_ARG(where.path), where.line, where.col)
           : S("");
}

static void describe_number(describer *d, const named_value *at, double n)
{
    bool instant = instant_near_double(n, d->now_ms);
    add(d, at, instant ? arena_printf(d->out->memory, "now%+" PRId64 " ms", (int64_t)n - d->now_ms)
        : arena_printf(d->out->memory, "%.14g", n));
}

/* The table is on top of L and stays there. */
static void describe_table(describer *d, lua_State *L, const named_value *at)
{
    arena *a = d->out->memory;
    uint64_t fields = 0;
    for (lua_pushnil(L); lua_next(L, -2);) {
        fields++;
        named_value in = { .what = at->what, .place = at->place, .where = at->where };
        if (lua_type(L, -2) == LUA_TSTRING) {
            str key;
            key.p = lua_tolstring(L, -2, &key.n);
            in.key = arena_printf(a, "%.*s.%.*s", STR_ARG(at->key), STR_ARG(key));
            in.way = arena_printf(a, "%.*s.%.*s", STR_ARG(at->way), STR_ARG(key));
        } else if (lua_type(L, -2) == LUA_TNUMBER) {
            in.key = arena_printf(a, "%.*s[%.14g]", STR_ARG(at->key), lua_tonumber(L, -2));
            in.way = arena_printf(a, "%.*s[%.14g]", STR_ARG(at->way), lua_tonumber(L, -2));
        } else {
            lua_pop(L, 1);
            continue;
        }
        describe_value(d, L, &in);
    }
    if (d->out->count < FACTS_MAX)
        facts_add_count(d->out, arena_printf(a, "%.*s#", STR_ARG(at->key)),
                        arena_printf(a, "the number of fields of %.*s `%.*s`%.*s", STR_ARG(at->what), STR_ARG(at->way),
                                     STR_ARG(at->place)), fields, 1);
}

/* The function is on top of L and stays there. */
static void describe_upvalues(describer *d, lua_State *L, const named_value *at)
{
    position written = state_function_place(d->p, L);
    str place = place_text(d, written);
    if (lua_iscfunction(L, -1))
        return;
    const char *name;
    for (int i = 1; (name = lua_getupvalue(L, -1, i)); i++) {
        named_value in = { .key = arena_printf(d->out->memory, "%.*s^%s", STR_ARG(at->key), name),
                           .what = S("variable"), .way = str_from(name), .where = where_text(d, written),
                           .place = place.n ? arena_printf(d->out->memory, ", used by the function%.*s", STR_ARG(place))
                           : S("") };
        describe_value(d, L, &in);
    }
}

/* Pops the value at the top of L. */
static void describe_value(describer *d, lua_State *L, const named_value *at)
{
    str s;
    int type = lua_type(L, -1);
    if (type == LUA_TNUMBER)
        describe_number(d, at, lua_tonumber(L, -1));
    else if (type == LUA_TBOOLEAN)
        add(d, at, lua_toboolean(L, -1) ? S("true") : S("false"));
    else if (type == LUA_TSTRING) {
        s.p = lua_tolstring(L, -1, &s.n);
        add(d, at, arena_printf(d->out->memory, "\"%.*s\"", STR_ARG(s)));
    } else if ((type == LUA_TTABLE || type == LUA_TFUNCTION) && d->nested < NESTED_MAX &&
               !lua_graph_find(d->g, lua_topointer(L, -1)) && lua_checkstack(L, 8)) {
        lua_pushvalue(L, -1);
        lua_graph_meet(d->g, L);   /* each object appears under one name only */
        d->nested++;
        if (type == LUA_TTABLE)
            describe_table(d, L, at);
        else
            describe_upvalues(d, L, at);
        d->nested--;
    }
    lua_pop(L, 1);
}

static void describe_frame(describer *d, lua_State *T, lua_Debug *ar, str key)
{
    lua_getinfo(T, "Slf", ar);
    if (lua_iscfunction(T, -1)) {
        lua_pop(T, 1);
        return;
    }
    arena *a = d->out->memory;
    str within = arena_printf(a, "%.*s:%d", STR_ARG(key), ar->linedefined);
    describe_value(d, T, &(named_value){ .key = within });
    const live_registers *live = lua_graph_live(d->g, ar);
    position waits = state_frame_place(d->p, T, ar);
    str place = place_text(d, waits), where = where_text(d, waits);
    const char *name;
    for (int i = 1; (name = lua_getlocal(T, ar, i)); i++) {
        named_value at = { .key = arena_printf(a, "%.*s %s %d", STR_ARG(within), name, i), .what = S("local"),
                           .way = str_from(name), .place = place, .where = where };
        if (name[0] != '(' && live_has(live, i - 1))
            describe_value(d, T, &at);
        else
            lua_pop(T, 1);
    }
}

/* Where the task stands, and how long until its timer ends. */
static void describe_wait(describer *d, const task *t, size_t number)
{
    arena *a = d->out->memory;
    str at = place_text(d, t->where), where = where_text(d, t->where);
    str who = d->p->thread_count > 1 ? arena_printf(a, "`%.*s` of %.*s", STR_ARG(t->name), STR_ARG(t->who))
              : arena_printf(a, "`%.*s`", STR_ARG(t->name));
    facts_add_clock(d->out, arena_printf(a, "task %zu stands", number),
                    arena_printf(a, "where task %.*s stands", STR_ARG(who)),
                    arena_printf(a, "%s%.*s", t->next ? t->next : "", STR_ARG(at)));
    if (t->status != TASK_SLEEP && (t->status != TASK_WAIT || t->wake_ms == INT64_MAX))
        return;
    facts_add_clock(d->out, arena_printf(a, "task %zu timer%.*s", number, STR_ARG(at)),
                    arena_printf(a, "the timer of task %.*s%.*s", STR_ARG(who), STR_ARG(at)),
                    arena_printf(a, "%" PRId64 " ms", t->wake_ms - d->now_ms));
    facts_place(d->out, where);
}

static void describe_task(describer *d, const task *t, size_t number)
{
    arena *a = d->out->memory;
    uint64_t frames = 0;
    describe_wait(d, t, number);
    for (size_t l = 0; l < t->link_count; l++) {
        lua_State *T = t->links[l].L;
        lua_Debug ar;
        if (!lua_checkstack(T, 8))
            continue;
        for (int level = 0; lua_getstack(T, level, &ar); level++) {
            if (ar.i_ci > 0 && level < FRAMES_MAX)
                describe_frame(d, T, &ar, arena_printf(a, "task %zu.%zu.%d", number, l, ar.i_ci));
            frames += ar.i_ci > 0;
        }
    }
    facts_add_count(d->out, arena_printf(a, "task %zu frames", number),
                    arena_printf(a, "the number of calls in each other in task %.*s", STR_ARG(t->who)), frames, 1);
}

size_t process_places(process *p, uint32_t id, position *out, size_t max)
{
    size_t n = 0;
    const task *t = task_find(p, id);
    for (size_t l = t ? t->link_count : 0; l-- > 0;) {
        lua_Debug ar;
        for (int level = 0; n < max && lua_getstack(t->links[l].L, level, &ar); level++) {
            out[n] = state_frame_place(p, t->links[l].L, &ar);
            n += out[n].line > 0;
        }
    }
    return n;
}

/* Each object of the roots appears under the first name met: that of a local, if a waiting function has one. */
void process_describe(process *p, int64_t now_ms, facts *out)
{
    describer d = { .p = p, .g = lua_graph_of(p), .out = out, .now_ms = now_ms };
    lua_graph_begin(d.g, NULL, now_ms);
    for (size_t i = 0; i < p->task_count; i++)
        describe_task(&d, p->tasks[i], i);
    root_push(d.g->L, ROOT_PROCESS);
    describe_value(&d, d.g->L, &(named_value){ .key = S("process"), .what = S("field"), .way = S("me.process") });
    root_push(d.g->L, ROOT_MODULES);
    describe_value(&d, d.g->L, &(named_value){ .key = S("modules"), .what = S("field"), .way = S("modules") });
    root_push(d.g->L, ROOT_PROGRAM);
    describe_value(&d, d.g->L, &(named_value){ .key = S("program"), .what = S("variable"), .way = S("program") });
    facts_add_count(out, S("tasks"), S("the number of its tasks"), p->task_count, 1);
    facts_add_count(out, S("unique"), S("how often it asked me:unique"), p->unique_count, 1);
    facts_add_count(out, S("subscriptions"), S("the number of its subscriptions"), p->subscription_count, 1);
    lua_settop(d.g->L, GRAPH_QUEUE);
}
