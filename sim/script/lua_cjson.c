/* lua_cjson.c - cjson as Redis embeds it (the library itself is Debian's lua-cjson), kept within the script's budgets.
 *
 * The library's own buffers lie outside Lua's heap, and it neither counts its work nor survives a failing allocation.
 * So its input is measured before each call: what would not fit ends the run; what fits then runs with the heap limit
 * lifted. Only when the steps run out inside the library (strings made to collide in Lua's table of strings) does it
 * lose a buffer, once per such run. */
#include "script/script_host.h"

#include <math.h>
#include <string.h>

#include <lua-cjson.h>

typedef struct {
    script_host *h;
    size_t bytes;                  /* of the text, at most */
    int depth_max, depth;
    bool sparse_convert;
    int sparse_ratio, sparse_safe;
} survey;

/* Adds up the value on top of the stack; pops it. Raises when the text would not fit. */
static void survey_value(lua_State *L, survey *v);

static void survey_add(lua_State *L, survey *v, size_t bytes)
{
    v->bytes += bytes;
    host_charge(L, 2 + bytes / 16);
    if (v->bytes > v->h->limits.script_bytes)
        host_blow(L, BLOWN_BYTES);
}

static void survey_table(lua_State *L, survey *v)
{
    if (++v->depth > v->depth_max || !lua_checkstack(L, 5)) {
        v->depth--;                                      /* the library will refuse it */
        lua_pop(L, 1);
        return;
    }
    host_charge(L, v->h->largest_table_bytes / 64);
    lua_Number max = 0, items = 0;
    bool array = true;
    lua_pushnil(L);
    while (lua_next(L, -2)) {
        if (lua_type(L, -2) == LUA_TNUMBER) {
            lua_Number k = lua_tonumber(L, -2);
            if (k >= 1 && floor(k) == k) {
                max = k > max ? k : max;
                items++;
            } else {
                array = false;
            }
            survey_add(L, v, 32);
        } else {
            array = false;
            survey_add(L, v, lua_type(L, -2) == LUA_TSTRING ? lua_objlen(L, -2) * 6 + 8 : 8);
        }
        survey_value(L, v);
    }
    if (array && max > items) {
        bool too_sparse = v->sparse_ratio > 0 && max > items * v->sparse_ratio && max > v->sparse_safe;
        if (!too_sparse)
            survey_add(L, v, max > 1e12 ? SIZE_MAX / 2 : (size_t)(max - items) * 5);     /* null, */
    }
    v->depth--;
    lua_pop(L, 1);
}

static void survey_value(lua_State *L, survey *v)
{
    switch (lua_type(L, -1)) {
    case LUA_TTABLE:
        survey_add(L, v, 2);
        survey_table(L, v);
        return;
    case LUA_TSTRING:
        survey_add(L, v, lua_objlen(L, -1) * 6 + 3);
        break;
    default:
        survey_add(L, v, 32);
        break;
    }
    lua_pop(L, 1);
}

/* Upvalues: 1 the stock function, 2 the library table; its settings are read by calling its own functions. */
static void read_settings(lua_State *L, survey *v)
{
    lua_getfield(L, lua_upvalueindex(2), "encode_sparse_array");
    lua_call(L, 0, 3);
    v->sparse_convert = lua_toboolean(L, -3);
    v->sparse_ratio = (int)lua_tointeger(L, -2);
    v->sparse_safe = (int)lua_tointeger(L, -1);
    lua_getfield(L, lua_upvalueindex(2), "encode_max_depth");
    lua_call(L, 0, 1);
    v->depth_max = (int)lua_tointeger(L, -1);
    lua_pop(L, 4);
}

static int call_unlimited(lua_State *L)
{
    script_host *h = host_of(L);
    size_t heap_max = host_library_begin(h, true);
    lua_pushvalue(L, lua_upvalueindex(1));
    lua_insert(L, 1);
    int status = lua_pcall(L, lua_gettop(L) - 1, LUA_MULTRET, 0);
    host_library_end(h, heap_max);
    host_check(L, status);
    return lua_raise_as_stock(L, status);
}

static int cjson_encode(lua_State *L)
{
    luaL_argcheck(L, lua_gettop(L) == 1, 1, "expected 1 argument");
    if (lua_istable(L, 1)) {
        if (sandbox_push_real(L, 1))
            lua_replace(L, 1);
        survey v = { .h = host_of(L) };
        read_settings(L, &v);
        lua_pushvalue(L, 1);
        survey_value(L, &v);
    } else if (lua_type(L, 1) == LUA_TSTRING) {
        survey v = { .h = host_of(L) };
        lua_pushvalue(L, 1);
        survey_value(L, &v);
    }
    return call_unlimited(L);
}

/* An upper bound for the decoded value on Lua's heap: objects and tables by their opening brackets, entries by the
 * separators before them, including the spare room of growing tables. */
static size_t decoded_bytes(const char *s, size_t n)
{
    size_t bytes = n;
    for (size_t i = 0; i < n; i++) {
        switch (s[i]) {
        case '[': case '{': bytes += 128; break;
        case ',': bytes += 48; break;
        case ':': bytes += 120; break;
        case '"': bytes += 16; break;
        default: break;
        }
    }
    return bytes;
}

static int cjson_decode(lua_State *L)
{
    luaL_argcheck(L, lua_gettop(L) == 1, 1, "expected 1 argument");
    if (lua_type(L, 1) == LUA_TSTRING) {
        script_host *h = host_of(L);
        size_t n;
        const char *s = lua_tolstring(L, 1, &n);
        host_charge(L, 20 + n / 2);
        size_t need = decoded_bytes(s, n);
        if (h->heap_max != SIZE_MAX && (h->heap_bytes >= h->heap_max || need > h->heap_max - h->heap_bytes))
            return host_blow(L, BLOWN_BYTES);
    } else {
        luaL_checkstring(L, 1);
    }
    return call_unlimited(L);
}

/* Replaces the two functions of the library table on top that can take long. */
static void keep_within_budget(lua_State *L, lua_CFunction new_)
{
    static const struct { const char *name; lua_CFunction f; } charged[] = { { "encode", cjson_encode },
                                                                             { "decode", cjson_decode } };
    for (size_t i = 0; i < COUNT(charged); i++) {
        lua_getfield(L, -1, charged[i].name);
        lua_pushvalue(L, -2);
        lua_pushcclosure(L, charged[i].f, 2);
        lua_setfield(L, -2, charged[i].name);
    }
    lua_pushcfunction(L, new_);
    lua_setfield(L, -2, "new");
}

/* cjson.new(): a library of its own, with its own settings. */
static int cjson_new(lua_State *L)
{
    script_host *h = host_of(L);
    lua_settop(L, 0);
    host_charge(L, 200);
    size_t heap_max = host_library_begin(h, true);                 /* the library sets up a buffer of its own */
    lua_pushcfunction(L, luaopen_cjson);
    int status = lua_pcall(L, 0, 1, 0);
    host_library_end(h, heap_max);
    host_check(L, status);
    keep_within_budget(L, cjson_new);
    return 1;
}

void lua_open_cjson(lua_State *L)
{
    lua_pushcfunction(L, luaopen_cjson);
    lua_call(L, 0, 1);
    keep_within_budget(L, cjson_new);
}
