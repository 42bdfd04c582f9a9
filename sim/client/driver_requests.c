/* driver_requests.c - me:eval, me:call and me:send: a request from its words and options. */
#include <assert.h>
#include <string.h>

#include "client/process_internal.h"
#include "script/script.h"

typedef struct {
    str op, lock, fcall;
    int64_t lease_ms, timeout_ms;
    bool resend, again;
    int64_t sync, permits;
} options;

static const char *const option_names[] = { "op", "lock", "lease", "timeout_ms", "resend", "again", "sync", "permits",
                                            "fcall" };

/* The options table at `index` (or nothing there). Its strings are anchored by the table. */
static options read_options(lua_State *L, int index)
{
    process *p = process_of(L);
    options o = { .lease_ms = LEASE_NONE, .timeout_ms = p->scenario ? p->scenario->timeout_ms : 0 };
    if (lua_isnoneornil(L, index))
        return o;
    luaL_checktype(L, index, LUA_TTABLE);
    lua_pushnil(L);
    int value = lua_gettop(L) + 1;
    while (lua_next(L, index)) {
        str name = { .p = "", .n = 0 };
        if (lua_type(L, -2) == LUA_TSTRING)
            name.p = lua_tolstring(L, -2, &name.n);
        if (str_eq(name, S("op"))) {
            o.op = check_str(L, value);
        } else if (str_eq(name, S("fcall"))) {
            o.fcall = check_str(L, value);
        } else if (str_eq(name, S("lock"))) {
            o.lock = check_lock(L, value);
        } else if (str_eq(name, S("lease"))) {
            o.lease_ms = check_integer(L, value, "lease", -LEASE_MS_MAX);
        } else if (str_eq(name, S("timeout_ms"))) {
            o.timeout_ms = check_integer(L, value, "timeout_ms", 1);
        } else if (str_eq(name, S("resend")) || str_eq(name, S("again"))) {
            if (!lua_isboolean(L, value))
                luaL_error(L, "%s has to be true or false, this is a %s", name.p, luaL_typename(L, value));
            *(str_eq(name, S("again")) ? &o.again : &o.resend) = lua_toboolean(L, value);
        } else if (str_eq(name, S("sync"))) {
            o.sync = check_integer(L, value, "sync", 0);
            if (o.sync > REPLICAS_MAX)
                luaL_error(L, "sync is a number of replicas, at most %d", REPLICAS_MAX);
        } else if (str_eq(name, S("permits"))) {
            o.permits = check_integer(L, value, "permits", 0);
        } else {
            str known[COUNT(option_names)];
            for (size_t i = 0; i < COUNT(known); i++)
                known[i] = str_from(option_names[i]);
            str near = err_nearest(name, known, COUNT(known));
            luaL_error(L, "a request has no option '%s'%s%s; it has op, lock, lease, timeout_ms, resend, again, sync, "
                       "permits, fcall", name.p,
                       near.n ? ": did you mean " : "", near.p);
        }
        lua_pop(L, 1);
    }
    return o;
}

/* Words gathered for a request, which copies them. Strings are borrowed from Lua: the call's arguments hold them. */
typedef struct {
    arena *a;
    str *at;
    size_t n, cap;
} words;

static void grow(words *w)
{
    size_t cap = w->cap ? 2 * w->cap : 16;
    str *grown = ARENA_ARRAY(w->a, str, cap);
    if (w->n)
        memcpy(grown, w->at, w->n * sizeof *grown);
    w->at = grown;
    w->cap = cap;
}

static inline void add_word(words *w, str s)
{
    if (w->n == w->cap)
        grow(w);
    w->at[w->n++] = s;
}

/* The value at `index`; it is the number-th of them. */
static void add_value(lua_State *L, words *w, int index, const char *what, size_t number)
{
    enum { WORDS_MAX = 100000 };
    str s;
    const char *why;
    if (number > WORDS_MAX)
        luaL_error(L, "a request has at most %d %ss", WORDS_MAX, what);
    if (!convert_word(L, index, w->a, &s, &why))
        luaL_error(L, "%s %d of the request cannot be sent: it is a %s; send strings and numbers", what, (int)number,
                   why);
    add_word(w, s);
}

/* A list at `index` (or nothing). Returns its number of words. Fields mostly come in order; the others are looked up
 * one by one. */
static size_t add_list(lua_State *L, words *w, int index, const char *what)
{
    if (lua_isnoneornil(L, index))
        return 0;
    if (!lua_istable(L, index))
        luaL_error(L, "%ss have to be a list, this is a %s", what, luaL_typename(L, index));
    size_t n = 0, all = 0;
    lua_pushnil(L);
    for (; lua_next(L, index); all++) {
        if (n == all && lua_type(L, -2) == LUA_TNUMBER && lua_tonumber(L, -2) == (lua_Number)(n + 1))
            add_value(L, w, -1, what, ++n);
        lua_pop(L, 1);
    }
    for (bool there = true; there && n < all;) {
        lua_rawgeti(L, index, (int)n + 1);
        there = !lua_isnil(L, -1);
        if (there)
            add_value(L, w, -1, what, ++n);
        lua_pop(L, 1);
    }
    if (all != n)
        luaL_error(L, "%ss have to be a list without holes or names: %d of %d fields are not in it", what,
                   (int)(all - n), (int)all);
    state_charge(L, n);
    return n;
}

/* The words' arena is the input's: it outlives the call, however that ends. */
static words words_new(process *p)
{
    return (words){ .a = p->out->memory };
}

/* The script at `index`: an object, or text. */
static const script_file *read_script(lua_State *L, int index)
{
    object *o = object_at(L, index);
    if (o && o->kind == OBJECT_SCRIPT)
        return o->script;
    if (lua_type(L, index) != LUA_TSTRING)
        luaL_error(L, "a script is expected (script \"file.lua\", or Lua text), this is a %s", luaL_typename(L, index));
    str text = check_str(L, index);
    return source_script_text(process_of(L)->sources, text);
}

static str script_op(const script_file *s)
{
    str name = s->name;
    for (size_t i = name.n; i-- > 0;)
        if (name.p[i] == '/') {
            name = str_slice(name, i + 1, name.n);
            break;
        }
    return str_ends(name, S(".lua")) ? str_slice(name, 0, name.n - 4) : name;
}

/* A library is called by the name of one of its functions, a script is not. */
static void check_callable(lua_State *L, const script_file *s, str fcall)
{
    bool library = redis_is_library(s->body);
    const char *name = s->name.n ? s->name.p : "this text";
    if (library && !fcall.n)
        luaL_error(L, "%s is a library of Redis functions: say which one to call, { fcall = \"...\" }", name);
    if (!library && fcall.n)
        luaL_error(L, "%s is no library of Redis functions: its first line has to be #!lua name=..., or leave fcall "
                   "out", name);
}

static request *make_eval(lua_State *L, object *me, int at, bool waited)
{
    process *p = process_of(L);
    const script_file *s = read_script(L, at);
    enum { KEY_COUNT = 2 };                        /* EVALSHA sha numkeys key... argument..., or FCALL function ... */
    words w = words_new(p);
    options o = read_options(L, at + 3);
    check_callable(L, s, o.fcall);
    add_word(&w, o.fcall.n ? S("FCALL") : S("EVALSHA"));
    add_word(&w, o.fcall.n ? o.fcall : (str){ .p = s->sha1, .n = sizeof s->sha1 - 1 });
    add_word(&w, S("0"));
    size_t keys = add_list(L, &w, at + 1, "key");
    assert(w.n == KEY_COUNT + 1 + keys && w.at);
    w.at[KEY_COUNT] = arena_int(w.a, (int64_t)keys);
    add_list(L, &w, at + 2, "argument");
    o.lock = lock_full_name(p, me, o.lock, w.a);
    request_head head = { .kind = REQUEST_EVAL, .server = me->server, .waited = waited, .script = s,
                          .op = o.op.n ? o.op : o.fcall.n ? o.fcall : script_op(s), .lock = o.lock, .resend = o.resend,
                          .again = o.again, .sync = (uint32_t)o.sync, .permits = o.permits,
                          .lease_ms = o.lease_ms, .timeout_ms = o.timeout_ms, .where = state_call_place(p, L) };
    return request_new(p, &head, w.at, w.n);
}

static str lower(arena *a, str s)
{
    str copy = arena_str(a, s);
    char *p = (char *)(uintptr_t)copy.p;
    for (size_t i = 0; i < copy.n; i++)
        if (p[i] >= 'A' && p[i] <= 'Z')
            p[i] = (char)(p[i] - 'A' + 'a');
    return copy;
}

static request *make_command(lua_State *L, object *me, words *w, options o, bool waited)
{
    process *p = process_of(L);
    if (o.fcall.n)
        luaL_error(L, "fcall goes with me:eval of a library; here the command is FCALL");
    if (w->n == 0 || w->at[0].n == 0) {
        luaL_error(L, "the name of a command is expected");
        return NULL;       /* it does not come back */
    }
    o.lock = lock_full_name(p, me, o.lock, w->a);
    request_head head = { .kind = REQUEST_COMMAND, .server = me->server, .waited = waited,
                          .op = o.op.n ? o.op : lower(w->a, w->at[0]),
                          .lock = o.lock, .lease_ms = o.lease_ms, .timeout_ms = o.timeout_ms, .resend = o.resend,
                          .again = o.again, .sync = (uint32_t)o.sync,
                          .permits = o.permits, .where = state_call_place(p, L) };
    return request_new(p, &head, w->at, w->n);
}

int request_wait(lua_State *L, request *r, const char *name)
{
    return task_wait(L, &(wait_request){ .kind = WAIT_REQUEST, .ms = -1, .request = r, .call = name }, 0);
}

/* me:eval(script, keys, argv, options) */
static int me_eval(lua_State *L)
{
    object *me = me_check(L);
    me_check_thread(L, me);
    lua_settop(L, 5);
    return request_wait(L, make_eval(L, me, 2, true), "me:eval");
}

/* me:call(name, word...): a table as the last argument has the options. */
static int me_call(lua_State *L)
{
    object *me = me_check(L);
    me_check_thread(L, me);
    int top = lua_gettop(L);
    words w = words_new(process_of(L));
    int last = lua_istable(L, top) ? top - 1 : top;
    for (int i = 2; i <= last; i++)
        add_value(L, &w, i, "argument", (size_t)i - 2);
    options o = read_options(L, last + 1);
    return request_wait(L, make_command(L, me, &w, o, true), "me:call");
}

static bool is_command_name(str s)
{
    for (size_t i = 0; i < s.n; i++)
        if (!((s.p[i] >= 'A' && s.p[i] <= 'Z') || (s.p[i] >= 'a' && s.p[i] <= 'z')))
            return false;
    return s.n > 0;
}

/* me:send(script or command, keys, argv, options) -> a future */
static int me_send(lua_State *L)
{
    object *me = me_check(L);
    me_check_thread(L, me);
    lua_settop(L, 5);
    process *p = process_of(L);
    request *r;
    if (lua_type(L, 2) == LUA_TSTRING && is_command_name(check_str(L, 2))) {
        words w = words_new(p);
        add_word(&w, check_str(L, 2));
        add_list(L, &w, 3, "key");
        add_list(L, &w, 4, "argument");
        r = make_command(L, me, &w, read_options(L, 5), false);
    } else {
        r = make_eval(L, me, 2, false);
    }
    return future_push_sent(L, r, me->servers);
}

void requests_open(lua_State *L)
{
    static const luaL_Reg methods[] = { { "eval", me_eval }, { "call", me_call }, { "send", me_send }, { NULL, NULL } };
    luaL_register(L, NULL, methods);
}
