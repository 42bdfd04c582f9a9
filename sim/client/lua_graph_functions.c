/* lua_graph_functions.c - functions in the canonical bytes of a process: the place where each was written, and its
 * upvalues.
 *
 * Whether two closures share an upvalue cannot be asked of stock Lua 5.1, so it is tried: a mark is written through
 * one, looked for through the others (and in the locals of suspended frames), and taken back. */
#include "base/mem.h"
#include "client/lua_graph_parts.h"

#define NO_SOURCE UINT32_MAX

uint32_t source_number(const char *source)
{
    if (source[0] != '=' || source[1] != 1 || source[2] < '0' || source[2] > '9')
        return NO_SOURCE;
    uint32_t n = 0;
    for (const char *c = source + 2; *c >= '0' && *c <= '9'; c++)
        n = 10 * n + (uint32_t)(*c - '0');
    return n;
}

/* A file is named where it is first met; the order in which files were loaded is no state. */
static void put_source(lua_graph *g, uint32_t source)
{
    size_t i = 0;
    while (i < g->source_count && g->sources[i] != source)
        i++;
    put_count(g, i);
    if (i < g->source_count)
        return;
    MEM_RESERVE(g->sources, g->source_cap, g->source_count + 1);
    g->sources[g->source_count++] = source;
    const struct source *s = source == NO_SOURCE ? NULL : source_numbered(g->p->sources, source);
    put_text(g, s ? s->path : S(""));
}

/* Writes the mark through one upvalue and looks for it through another. The closures lie at `a` and `b` on g->L. */
static bool same_cell(lua_graph *g, int a, int i, int b, int j)
{
    static const char mark = 0;
    lua_State *L = g->L;
    lua_getupvalue(L, a, i);
    lua_pushlightuserdata(L, (void *)&mark);
    lua_setupvalue(L, a, i);
    lua_getupvalue(L, b, j);
    bool same = lua_touserdata(L, -1) == &mark;
    lua_pop(L, 1);
    lua_setupvalue(L, a, i);
    return same;
}

/* Its value is at the top of the stack, and popped. */
static void put_upvalue(lua_graph *g, uint32_t closure, int at, int index, const char *name, uint32_t source)
{
    lua_State *L = g->L;
    int value = lua_gettop(L);
    for (size_t c = 0; c < g->cell_count; c++) {
        cell *x = &g->cells[c];
        if (x->name != name || x->source != source)
            continue;
        lua_rawgeti(L, GRAPH_QUEUE, (int)x->closure);
        bool same = same_cell(g, at, index, value + 1, (int)x->index);
        lua_settop(L, value);
        if (same) {
            buf_byte(g->out, 'u');
            put_count(g, c);
            lua_pop(L, 1);
            return;
        }
    }
    MEM_RESERVE(g->cells, g->cell_cap, g->cell_count + 1);
    g->cells[g->cell_count++] = (cell){ .closure = closure, .index = (uint32_t)index, .name = name, .source = source };
    buf_byte(g->out, 'U');
    put_value(g, L);
}

void put_function(lua_graph *g, uint32_t number, int at)
{
    lua_State *L = g->L;
    if (lua_iscfunction(L, at)) {
        /* One of ours: the distance to another of ours is the same wherever the program was loaded. */
        lua_CFunction here = lua_tocfunction(L, at);
        buf_byte(g->out, 'C');
        buf_u64(g->out, (uint64_t)((intptr_t)here - (intptr_t)raise_at));
        for (int i = 1; lua_getupvalue(L, at, i); i++)
            put_value(g, L);
        return;
    }
    lua_Debug ar;
    lua_pushvalue(L, at);
    lua_getinfo(L, ">S", &ar);
    uint32_t source = source_number(ar.source);
    buf_byte(g->out, 'F');
    put_source(g, source);
    put_count(g, (uint64_t)ar.linedefined);        /* each `function` has a line of its own */
    const char *name;
    for (int i = 1; (name = lua_getupvalue(L, at, i)); i++)
        put_upvalue(g, number, at, i, name, source);
}
