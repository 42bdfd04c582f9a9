/* lua_graph_coroutines.c - coroutines in the canonical bytes of a process, by their frames: function, position, locals,
 * temporaries. A frame's current line tells the very call it stands in, because client Lua is loaded one token per line
 * (source.h). */
#include "base/mem.h"
#include "client/lua_graph_parts.h"
#include "scenario/registers.h"

/* Frames are told by their number and not by their level: tail calls that are over count as levels, and a loop of them
 * would never come back to the same state. */
static bool outermost_passed(const lua_Debug *ar)
{
    return ar->i_ci <= 0;
}

const live_registers *lua_graph_live(const lua_graph *g, const lua_Debug *ar)
{
    return registers_after_call(source_numbered(g->p->sources, source_number(ar->source)), ar->currentline);
}

static void put_frames(lua_graph *g, lua_State *T)
{
    lua_Debug ar;
    if (!lua_getstack(T, 0, &ar))
        return;
    for (; !outermost_passed(&ar); ar.i_ci--) {
        lua_getinfo(T, "Slf", &ar);
        buf_byte(g->out, '[');
        bool is_c = lua_iscfunction(T, -1);
        put_value(g, T);
        if (is_c)
            continue;      /* it is waited in: what it gets comes from outside, its own slots are never read again */
        put_count(g, (uint64_t)ar.currentline);
        const live_registers *live = lua_graph_live(g, &ar);
        for (int i = 1; lua_getlocal(T, &ar, i); i++) {
            if (live_has(live, i - 1)) {
                put_value(g, T);
            } else {
                buf_byte(g->out, '-');             /* nothing will read it */
                lua_pop(T, 1);
            }
        }
        buf_byte(g->out, ']');
    }
}

static bool in_root(lua_graph *g, int slot, int at)
{
    lua_State *L = g->L;
    root_push(L, slot);
    lua_pushvalue(L, at);
    lua_rawget(L, -2);
    bool found = !lua_isnil(L, -1);
    lua_pop(L, 2);
    return found;
}

bool lua_graph_is_dead(lua_graph *g, int at)
{
    lua_State *T = lua_tothread(g->L, at);
    int status = lua_status(T);
    if (status == 0)
        return lua_gettop(T) == 0;
    return status != LUA_YIELD || in_root(g, ROOT_DEAD, at);
}

void put_coroutine(lua_graph *g, int at)
{
    lua_State *L = g->L, *T = lua_tothread(L, at);
    lua_checkstack(T, 8);
    if (lua_graph_is_dead(g, at)) {
        buf_byte(g->out, 'd');
        return;
    }
    buf_byte(g->out, lua_status(T) == LUA_YIELD ? 'c' : 'b');
    int top = lua_gettop(T);
    put_count(g, (uint64_t)top);                   /* not begun: function and arguments; suspended: what it yielded */
    for (int i = 1; i <= top; i++) {
        lua_pushvalue(T, i);
        put_value(g, T);
    }
    put_frames(g, T);
    MEM_RESERVE(g->suspended, g->suspended_cap, g->suspended_count + 1);
    g->suspended[g->suspended_count++] = g->done;
    root_push(L, ROOT_COROUTINES);
    lua_pushvalue(L, at);
    lua_rawget(L, -2);
    put_value(g, L);
    lua_pop(L, 1);
}

/* Says which local of a suspended frame this cell is, if it is this one. */
static void put_open_cell(lua_graph *g, size_t c, lua_State *T, uint32_t thread, const lua_Debug *ar, int local)
{
    static const char mark = 0;
    lua_State *L = g->L;
    int index = (int)g->cells[c].index;
    lua_rawgeti(L, GRAPH_QUEUE, (int)g->cells[c].closure);
    int at = lua_gettop(L);
    lua_getupvalue(L, at, index);
    lua_pushlightuserdata(L, (void *)&mark);
    lua_setupvalue(L, at, index);
    lua_getlocal(T, ar, local);
    bool same = lua_touserdata(T, -1) == &mark;
    lua_pop(T, 1);
    lua_setupvalue(L, at, index);
    lua_pop(L, 1);
    if (!same)
        return;
    buf_byte(g->out, '&');
    put_count(g, c);
    put_count(g, thread);
    put_count(g, (uint64_t)ar->i_ci);
    put_count(g, (uint64_t)local);
}

static void put_open_cells_of_frame(lua_graph *g, lua_State *T, uint32_t thread, lua_Debug *ar)
{
    const char *local;
    lua_getinfo(T, "f", ar);
    bool is_c = lua_iscfunction(T, -1);
    lua_pop(T, 1);
    for (int i = 1; !is_c && (local = lua_getlocal(T, ar, i)); i++) {
        lua_pop(T, 1);
        for (size_t c = 0; c < g->cell_count; c++)
            if (g->cells[c].name == local)
                put_open_cell(g, c, T, thread, ar, i);
    }
}

void put_open_cells(lua_graph *g)
{
    lua_State *L = g->L;
    for (size_t i = 0; i < g->suspended_count && g->cell_count > 0; i++) {
        lua_Debug ar;
        lua_graph_push(g, g->suspended[i]);
        lua_State *T = lua_tothread(L, -1);
        if (lua_getstack(T, 0, &ar))
            for (; !outermost_passed(&ar); ar.i_ci--)
                put_open_cells_of_frame(g, T, g->suspended[i], &ar);
        lua_settop(L, GRAPH_QUEUE);
    }
}
