/* lua_graph.c - see lua_graph.h: objects get their numbers, are described one after the other, and what has no form is
 * reported. */
#include <stdarg.h>
#include <stdio.h>

#include "base/mem.h"
#include "client/lua_graph_parts.h"

/* ---- numbers ---- */

uint32_t lua_graph_meet(lua_graph *g, lua_State *L)
{
    uint32_t number = seen_meet(&g->objects, lua_topointer(L, -1), g->count + 1);
    if (number) {
        lua_pop(L, 1);
        return number;
    }
    number = ++g->count;
    MEM_RESERVE(g->parents, g->parent_cap, number + 1);
    g->parents[number] = g->done;
    if (L != g->L)
        lua_xmove(L, g->L, 1);
    lua_rawseti(g->L, GRAPH_QUEUE, (int)number);
    return number;
}

uint32_t lua_graph_find(const lua_graph *g, const void *object)
{
    return seen_find(&g->objects, object);
}

void lua_graph_push(lua_graph *g, uint32_t number)
{
    lua_rawgeti(g->L, GRAPH_QUEUE, (int)number);
}

void lua_graph_push_thread(lua_graph *g, lua_State *thread)
{
    lua_pushthread(thread);
    if (thread != g->L)
        lua_xmove(thread, g->L, 1);
}

/* ---- all of it ---- */

static void put_queue(lua_graph *g)
{
    lua_State *L = g->L;
    while (g->done < g->count && !g->failure[0]) {
        uint32_t number = ++g->done;
        lua_settop(L, GRAPH_QUEUE);
        lua_rawgeti(L, GRAPH_QUEUE, (int)number);
        int at = GRAPH_QUEUE + 1;
        switch (lua_type(L, at)) {
        case LUA_TTABLE: put_table(g, number, at); break;
        case LUA_TFUNCTION: put_function(g, number, at); break;
        case LUA_TTHREAD: put_coroutine(g, at); break;
        default: put_object(g, at); break;
        }
    }
    lua_settop(L, GRAPH_QUEUE);
}

void lua_graph_finish(lua_graph *g)
{
    bool more = true;
    while (more && !g->failure[0]) {
        put_queue(g);
        more = false;
        for (size_t i = 0; i < g->keyed_count; i++)
            more = put_object_keys(g, i) || more;
    }
    if (!g->failure[0])
        put_open_cells(g);
}

/* Numbers what every process has from the start, without describing it: nothing can change it. */
static void number_environment(lua_graph *g)
{
    buf aside = { 0 };
    g->out = &aside;
    put_root(g, ROOT_ENVIRONMENT);
    for (int k = 0; k < OBJECT_KINDS; k++) {
        lua_rawgeti(g->L, LUA_REGISTRYINDEX, REGISTRY_METATABLES + k);
        put_value(g, g->L);
    }
    lua_graph_finish(g);
    g->out = NULL;
    g->environment = g->count;
    buf_free(&aside);
}

lua_graph *lua_graph_of(process *p)
{
    if (p->graph)
        return p->graph;
    lua_graph *g = p->graph = mem_zero(sizeof *g);
    g->p = p;
    g->L = lua_newthread(p->L);
    lua_rawseti(p->L, LUA_REGISTRYINDEX, REGISTRY_GRAPH);
    lua_newtable(g->L);
    number_environment(g);
    return g;
}

void lua_graph_free(lua_graph *g)
{
    if (!g)
        return;
    seen_free(&g->objects);
    mem_free(g->parents);
    mem_free(g->cells);
    mem_free(g->fields);
    mem_free(g->keyed);
    mem_free(g->suspended);
    mem_free(g->sources);
    mem_free(g->answered);
    mem_free(g->ranks);
    mem_free(g->distances);
    mem_free(g->marks);
    mem_free(g);
}

void lua_graph_rewind(lua_graph *g)
{
    g->count = g->environment;
}

void lua_graph_begin(lua_graph *g, buf *out, int64_t now_ms)
{
    lua_settop(g->L, GRAPH_QUEUE);
    for (; g->count > g->environment; g->count--) {            /* what was frozen last may be collected */
        lua_pushnil(g->L);
        lua_rawseti(g->L, GRAPH_QUEUE, (int)g->count);
    }
    seen_begin(&g->objects);
    g->done = g->environment;
    g->now_ms = now_ms;
    g->out = out;
    g->cell_count = g->keyed_count = g->suspended_count = g->source_count = g->answered_count = g->rank_count = 0;
    g->distance_count = g->mark_count = 0;
    g->failure[0] = 0;
}

/* ---- what has no canonical form ---- */

void lua_graph_refuse(lua_graph *g, const char *format, ...)
{
    if (g->failure[0])
        return;
    va_list args;
    va_start(args, format);
    vsnprintf(g->failure, sizeof g->failure, format, args);
    va_end(args);
    g->failed = g->done;
}

/* The innermost coroutine that leads to what failed tells its current place, a function where it was written. */
static position place_of_failure(lua_graph *g)
{
    position where = { 0 };
    for (uint32_t o = g->failed; o > g->environment && where.line == 0; o = g->parents[o]) {
        lua_rawgeti(g->L, GRAPH_QUEUE, (int)o);
        if (lua_type(g->L, -1) == LUA_TTHREAD)
            where = state_where(g->p, lua_tothread(g->L, -1), 0);
        else if (lua_type(g->L, -1) == LUA_TFUNCTION && !lua_iscfunction(g->L, -1))
            where = state_function_place(g->p, g->L);
        lua_pop(g->L, 1);
    }
    for (size_t i = 0; i < g->p->task_count && where.line == 0; i++)
        where = g->p->tasks[i]->where;
    return where;
}

bool lua_graph_fail(lua_graph *g, err *e)
{
    position where = place_of_failure(g);
    const process *p = g->p;
    err_at(e, ERR_DRIVER, where.line ? where.path : p->scenario->file, where.line, where.col,
           "the state of client '%.*s' has no canonical form: %s", STR_ARG(p->client), g->failure);
    for (uint32_t i = 0; source_numbered(p->sources, i); i++)
        if (str_eq(source_numbered(p->sources, i)->path, where.path))
            err_quote(e, source_numbered(p->sources, i)->written);
    return false;
}
