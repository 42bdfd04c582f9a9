/* library_register.c - redis.register_function: the functions that a library's chunk declares. */
#include "script/libraries.h"

#include <string.h>

#include "base/mem.h"

static const char BAD_FUNCTION_NAME[] = "ERR Function names can only contain letters, numbers, or underscores(_) and "
                                        "must be at least one character long";
static const char FUNCTION_TWICE[] = "ERR Function already exists in the library";

bool library_name_is_good(str name)
{
    for (size_t i = 0; i < name.n; i++) {
        char c = name.p[i];
        if (!((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_'))
            return false;
    }
    return name.n > 0;
}

/* Raises; the text names the function as the server's dialect does. */
static int refuse(lua_State *L, const char *before, const char *after)
{
    const char *table = server_follows(host_of(L)->server, RULE_SERVER_TABLE) ? "server" : "redis";
    lua_pushfstring(L, "ERR %s%s.register_function%s", before, table, after);
    return script_raise(L, lua_tostring(L, -1));
}

/* The arguments of a call; indices are stack positions, 0: not given. */
typedef struct {
    int name, callback, description;
    unsigned flags;
} registration;

static bool read_flags(lua_State *L, int index, unsigned *flags)
{
    for (int i = 1;; i++) {
        lua_rawgeti(L, index, i);
        if (lua_isnil(L, -1)) {
            lua_pop(L, 1);
            return true;
        }
        str name = S("");
        if (lua_isstring(L, -1))
            name.p = lua_tolstring(L, -1, &name.n);
        unsigned flag = script_flag(name, true);
        lua_pop(L, 1);
        if (!flag)
            return false;
        *flags |= flag;
    }
}

/* One named argument: its name below its value, on top. */
static void read_named(lua_State *L, registration *r)
{
    int value = lua_gettop(L), key = value - 1;
    if (!lua_isstring(L, key)) {
        refuse(L, "named argument key given to ", " is not a string");
        return;
    }
    lua_pushvalue(L, key);                               /* tolstring changes numbers in place */
    str name;
    name.p = lua_tolstring(L, -1, &name.n);
    if (str_eq_nocase(name, S("function_name"))) {
        if (!lua_isstring(L, value))
            refuse(L, "function_name argument given to ", " must be a string");
        lua_pushvalue(L, value);
        lua_replace(L, r->name = 2);
    } else if (str_eq_nocase(name, S("description"))) {
        if (!lua_isstring(L, value))
            refuse(L, "description argument given to ", " must be a string");
        lua_pushvalue(L, value);
        lua_replace(L, r->description = 4);
    } else if (str_eq_nocase(name, S("callback"))) {
        if (!lua_isfunction(L, value))
            refuse(L, "callback argument given to ", " must be a function");
        lua_pushvalue(L, value);
        lua_replace(L, r->callback = 3);
    } else if (str_eq_nocase(name, S("flags"))) {
        if (!lua_istable(L, value))
            refuse(L, "flags argument to ", " must be a table representing function flags");
        if (!read_flags(L, value, &r->flags))
            script_raise(L, "ERR unknown flag given");
    } else {
        refuse(L, "unknown argument given to ", "");
    }
    lua_settop(L, key);
}

static void read_table(lua_State *L, registration *r)
{
    if (!lua_istable(L, 1)) {
        const char *table = server_follows(host_of(L)->server, RULE_SERVER_TABLE) ? "server" : "redis";
        lua_pushfstring(L, "ERR calling %s.register_function with a single argument is only applicable to Lua table "
                           "(representing named arguments).", table);
        script_raise(L, lua_tostring(L, -1));
    }
    lua_settop(L, 4);                                    /* the table, name, callback, description */
    lua_pushnil(L);
    while (lua_next(L, 1))
        read_named(L, r);
    if (!r->name)
        refuse(L, "", " must get a function name argument");
    if (!r->callback)
        refuse(L, "", " must get a callback argument");
}

static void read_pair(lua_State *L, registration *r)
{
    if (!lua_isstring(L, 1))
        refuse(L, "first argument to ", " must be a string");
    if (!lua_isfunction(L, 2))
        refuse(L, "second argument to ", " must be a function");
    *r = (registration){ .name = 1, .callback = 2 };
}

/* Some dialects find it only when the chunk has ended; then the first such error counts. */
static int refuse_late(lua_State *L, const char *text, const char *late)
{
    script_host *h = host_of(L);
    if (!server_follows(h->server, RULE_FUNCTIONS_MADE_LATE))
        return script_raise(L, text);
    if (!h->loading_late)
        h->loading_late = late;
    return 0;
}

static str string_at(lua_State *L, int index)
{
    str s;
    s.p = lua_tolstring(L, index, &s.n);
    return s;
}

static void add_function(lua_State *L, library *l, const registration *r)
{
    script_host *h = host_of(L);
    str name = string_at(L, r->name);
    size_t at = 0;
    while (at < l->count && str_cmp(str_from(l->functions[at].name), name) < 0)
        at++;
    MEM_RESERVE(l->functions, l->cap, l->count + 1);
    memmove(&l->functions[at + 1], &l->functions[at], (l->count++ - at) * sizeof *l->functions);
    l->functions[at] = (library_function){ .name = host_text(name), .flags = r->flags, .place = ++h->functions_n,
                                           .description = r->description ? host_text(string_at(L, r->description))
                                           : NULL };
    lua_getfield(L, LUA_REGISTRYINDEX, "functions");     /* what lies in SLOT_FUNCTIONS, from whatever depth */
    lua_pushvalue(L, r->callback);
    lua_rawseti(L, -2, (int)h->functions_n);
}

int library_register(lua_State *L)
{
    library *l = host_of(L)->loading;
    registration r = { 0 };
    int argc = lua_gettop(L);
    if (argc < 1 || argc > 2)
        return refuse(L, "wrong number of arguments to ", "");
    if (argc == 1)
        read_table(L, &r);
    else
        read_pair(L, &r);
    if (!l)
        return refuse(L, "", " can only be called on FUNCTION LOAD command");
    str name = string_at(L, r.name);
    if (!library_name_is_good(name))
        return refuse_late(L, BAD_LIBRARY_NAME, BAD_FUNCTION_NAME);
    for (size_t i = 0; i < l->count; i++)
        if (str_eq(str_from(l->functions[i].name), name))
            return refuse_late(L, FUNCTION_TWICE, FUNCTION_TWICE);
    add_function(L, l, &r);
    return 0;
}
