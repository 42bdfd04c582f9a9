/* library_print.c - a fingerprint of what functions keep between calls: a search that merges states needs to know that
 * nothing has changed. */
#include "script/libraries.h"

#include <xxhash.h>

#include "base/last.h"

/* A fingerprint of everything that a value refers to. Tables are walked in their own order: any insertion may change it
 * anyway. The inside of a coroutine is not visible: then the result is uncertain. */
typedef struct {
    XXH64_state_t *hash;
    lua_State *L;
    int seen;              /* a table of visited objects */
    bool unsure;           /* there is something that was not looked into */
} walker;

enum { WALK_DEPTH_MAX = 150 };

static void walk(walker *w, int depth);

static void add_word(walker *w, uint64_t word)
{
    XXH64_update(w->hash, &word, sizeof word);
}

static bool visited(walker *w)
{
    lua_pushvalue(w->L, -1);
    lua_rawget(w->L, w->seen);
    bool yes = lua_toboolean(w->L, -1);
    lua_pop(w->L, 1);
    if (!yes) {
        lua_pushvalue(w->L, -1);
        lua_pushboolean(w->L, 1);
        lua_rawset(w->L, w->seen);
    }
    return yes;
}

static void walk_table(walker *w, int depth)
{
    if (sandbox_is_protected(w->L, -1))
        return;
    if (lua_getmetatable(w->L, -1)) {
        walk(w, depth);
        lua_pop(w->L, 1);
    }
    lua_pushnil(w->L);
    while (lua_next(w->L, -2)) {
        walk(w, depth);
        lua_pop(w->L, 1);
        walk(w, depth);
    }
}

static void walk_function(walker *w, int depth)
{
    for (int i = 1; !lua_iscfunction(w->L, -1) && lua_getupvalue(w->L, -1, i); i++) {
        walk(w, depth);
        lua_pop(w->L, 1);
    }
}

/* The value on top; it stays there. */
static void walk(walker *w, int depth)
{
    int type = lua_type(w->L, -1);
    add_word(w, (uint64_t)type);
    if (type == LUA_TSTRING) {
        str s;
        s.p = lua_tolstring(w->L, -1, &s.n);
        add_word(w, s.n);
        XXH64_update(w->hash, s.p, s.n);
    } else if (type == LUA_TNUMBER) {
        lua_Number n = lua_tonumber(w->L, -1);
        XXH64_update(w->hash, &n, sizeof n);
    } else if (type == LUA_TBOOLEAN) {
        add_word(w, (uint64_t)lua_toboolean(w->L, -1));
    } else if (type != LUA_TNIL) {
        add_word(w, (uintptr_t)lua_topointer(w->L, -1));
        if (type == LUA_TTHREAD || depth > WALK_DEPTH_MAX)
            w->unsure = true;
        else if (type == LUA_TTABLE && !visited(w))
            walk_table(w, depth + 1);
        else if (type == LUA_TFUNCTION && !visited(w))
            walk_function(w, depth + 1);
    }
}

static int walk_all(lua_State *L)
{
    walker *w = lua_touserdata(L, 1);
    const library *l = lua_touserdata(L, 2);
    w->L = L;
    luaL_checkstack(L, 4 * WALK_DEPTH_MAX + LUA_MINSTACK, "a library");
    lua_newtable(L);
    w->seen = lua_gettop(L);
    for (size_t i = 0; i < l->count; i++) {
        lua_getfield(L, LUA_REGISTRYINDEX, "functions");
        lua_rawgeti(L, -1, (int)l->functions[i].place);
        walk(w, 0);
        lua_pop(L, 2);
    }
    return 0;
}

uint64_t library_print(script_host *h, library *l)
{
    walker w = { .hash = XXH64_createState() };
    if (!w.hash)
        last_words("out of memory");
    XXH64_reset(w.hash, 0);
    lua_pushcfunction(h->L, walk_all);
    lua_pushlightuserdata(h->L, &w);
    lua_pushlightuserdata(h->L, l);
    bool ok = lua_pcall(h->L, 2, 0, 0) == 0;
    uint64_t print = XXH64_digest(w.hash);
    XXH64_freeState(w.hash);
    lua_settop(h->L, SLOT_LAST);
    return ok && !w.unsure ? print | 1 : 0;
}
