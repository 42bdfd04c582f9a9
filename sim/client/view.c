/* view.c - the result of a driver's view(redis, lock), checked field by field, and the scenario's own invariant. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/instant.h"
#include "client/process_internal.h"

/* A real server would have answered: no pcall of the view goes on with an error that is locksim's own. */
static int refuse(lua_State *L, process *p, str why)
{
    p->fatal = arena_str(p->read_arena, why).p;
    return luaL_error(L, "%s", p->fatal);
}

/* redis.call(name, word...): upvalue 1 is the server. */
static int redis_call(lua_State *L)
{
    process *p = process_of(L);
    if (!p->read)
        return luaL_error(L, "redis.call works only while view or always runs");
    int n = lua_gettop(L);
    luaL_argcheck(L, n > 0, 1, "the name of a command is expected");
    str *argv = ARENA_ARRAY(p->read_arena, str, (size_t)n);
    for (int i = 1; i <= n; i++) {
        const char *why;
        if (!convert_word(L, i, p->read_arena, &argv[i - 1], &why))
            return luaL_error(L, "argument %d of redis.call cannot be sent: it is a %s", i, why);
    }
    state_charge(L, 100);
    if (str_eq_nocase(argv[0], S("TIME")))
        return refuse(L, p, S("a view cannot ask for the time: what it says follows from the keyspace (PTTL and "
                              "redis.ms_left(instant) tell how long something lasts)"));
    reply r = p->read(p->read_context, (uint32_t)lua_tointeger(L, lua_upvalueindex(1)), argv, (size_t)n, p->read_arena);
    static const char ours[] = "ERR locksim: ";    /* no server sends this, and no view expects it */
    if (r.kind == REPLY_ERROR && str_starts(r.text, str_from(ours)))
        return refuse(L, p, str_slice(r.text, strlen(ours), r.text.n));
    if (redis_refusal(&r))
        return refuse(L, p, str_slice(r.text, strlen("ERR "), r.text.n));
    return convert_push(L, &r);
}

/* redis.ms_left(instant): its distance from now, negative when it is over; nil for a number that is no instant near
 * now. A view can learn nothing else of the time. */
static int redis_ms_left(lua_State *L)
{
    process *p = process_of(L);
    if (!p->read)
        return luaL_error(L, "redis.ms_left works only while view or always runs");
    lua_settop(L, 1);
    if (!lua_isnumber(L, 1) || !instant_near_double(lua_tonumber(L, 1), p->now_ms))
        return 0;
    lua_pushnumber(L, lua_tonumber(L, 1) - (lua_Number)p->now_ms);
    return 1;
}

static int redis_on(lua_State *L);

/* Pushes what view gets as `redis` for this server. */
static void push_redis(lua_State *L, uint32_t server)
{
    root_push(L, ROOT_REDIS);
    lua_rawgeti(L, -1, (int)server + 1);
    if (lua_isnil(L, -1)) {
        lua_pop(L, 1);
        lua_createtable(L, 0, 3);
        lua_pushinteger(L, (lua_Integer)server);
        lua_pushcclosure(L, redis_call, 1);
        lua_setfield(L, -2, "call");
        lua_pushcfunction(L, redis_on);
        lua_setfield(L, -2, "on");
        lua_pushcfunction(L, redis_ms_left);
        lua_setfield(L, -2, "ms_left");
        library_protect(L);
        lua_pushvalue(L, -1);
        lua_rawseti(L, -3, (int)server + 1);
    }
    lua_remove(L, -2);
}

/* redis.on(n) */
static int redis_on(lua_State *L)
{
    process *p = process_of(L);
    int64_t n = check_integer(L, 1, "the server's number", 1);
    if (p->scenario && n > p->scenario->servers)
        return luaL_error(L, "there is no server %d: the scenario has %d", (int)n, (int)p->scenario->servers);
    push_redis(L, (uint32_t)n - 1);
    return 1;
}

typedef struct {
    process *p;
    lua_State *L;
    int view;              /* the function, for places */
    arena *a;
    err *e;
} reading;

static bool wrong(reading *r, const char *field, const char *what)
{
    lua_pushvalue(r->L, r->view);
    position where = state_function_place(r->p, r->L);
    lua_pop(r->L, 1);
    err_at(r->e, r->p->class_, where.path, where.line, where.col, "what view returned: %s%s%s", field,
           *field ? " " : "", what);
    for (uint32_t i = 0; source_numbered(r->p->sources, i); i++)
        if (str_eq(source_numbered(r->p->sources, i)->path, where.path))
            err_quote(r->e, source_numbered(r->p->sources, i)->written);
    return err_hint(r->e, "view(redis, lock) returns { holders = { [id] = count, or { [mode] = count } }, ttl_ms = , "
                    "queue = { ids }, lapsed = { ids }, keys = { names }, "
                          "modes = { [id] = mode }, permits = , capacity = }");
}

static str copy_str(reading *r, int index)
{
    str s;
    s.p = lua_tolstring(r->L, index, &s.n);
    return arena_str(r->a, s);
}

/* Fields are read without metamethods: an error here would not be caught. */
static void get_raw(lua_State *L, int table, const char *field)
{
    lua_pushstring(L, field);
    lua_rawget(L, table);
}

/* The value at the top as an integer: numbers, or the digits a hash holds. */
static bool to_integer(lua_State *L, int64_t *out)
{
    if (!lua_isnumber(L, -1))
        return false;
    lua_Number n = lua_tonumber(L, -1);
    if (!(n >= -9007199254740992.0 && n <= 9007199254740992.0) || n != (lua_Number)(int64_t)n)
        return false;
    *out = (int64_t)n;
    return true;
}

static bool read_list(reading *r, const char *field, int view, const str **out, size_t *count)
{
    lua_State *L = r->L;
    get_raw(L, view, field);
    bool ok = lua_isnil(L, -1) || lua_istable(L, -1);
    size_t n = lua_istable(L, -1) ? lua_objlen(L, -1) : 0;
    str *list = ARENA_ARRAY(r->a, str, n + 1);
    for (size_t i = 0; ok && i < n; i++) {
        lua_rawgeti(L, -1, (int)i + 1);
        ok = lua_type(L, -1) == LUA_TSTRING;
        if (ok)
            list[i] = copy_str(r, -1);
        lua_pop(L, 1);
    }
    lua_pop(L, 1);
    *out = list;
    *count = n;
    return ok || wrong(r, field, "has to be a list of strings");
}

static int by_bytes(const void *a, const void *b)
{
    return str_cmp(*(const str *)a, *(const str *)b);
}

/* As a set; nothing, where the field is absent or false. */
static bool read_sorted(reading *r, const char *field, int view, const str **out, size_t *count)
{
    const str *list;
    get_raw(r->L, view, field);
    bool absent = lua_isnil(r->L, -1) || (lua_isboolean(r->L, -1) && !lua_toboolean(r->L, -1));
    lua_pop(r->L, 1);
    if (absent)
        return true;
    if (!read_list(r, field, view, &list, count))
        return false;
    str *sorted = ARENA_ARRAY(r->a, str, *count + 1);
    for (size_t i = 0; i < *count; i++)
        sorted[i] = list[i];
    if (*count > 1)
        qsort(sorted, *count, sizeof *sorted, by_bytes);
    *out = sorted;
    return true;
}

static int by_id_and_mode(const void *a, const void *b)
{
    const lock_holder *x = a, *y = b;
    int order = str_cmp(x->id, y->id);
    return order ? order : str_cmp(x->mode, y->mode);
}

typedef struct { lock_holder *at; size_t n, cap; } holder_list;

/* The count at the top, of the holder in this mode. */
static bool add_holder(reading *r, holder_list *list, str id, str mode)
{
    int64_t count;
    if (!to_integer(r->L, &count))
        return wrong(r, "holders", "has to have integers as counts");
    if (count == 0)
        return true;       /* no holder, although its counter still exists */
    if (list->n == list->cap) {
        size_t cap = list->cap ? 2 * list->cap : 8;
        lock_holder *more = ARENA_ARRAY(r->a, lock_holder, cap);
        for (size_t i = 0; i < list->n; i++)
            more[i] = list->at[i];
        list->at = more;
        list->cap = cap;
    }
    list->at[list->n++] = (lock_holder){ .id = id, .count = count, .mode = mode };
    return true;
}

/* The table { [mode] = count } at the top: a holder in several modes. */
static bool add_holder_in_modes(reading *r, holder_list *list, str id)
{
    lua_State *L = r->L;
    lua_pushnil(L);
    while (lua_next(L, -2)) {
        if (lua_type(L, -2) != LUA_TSTRING)
            return wrong(r, "holders", "has to have strings as modes");
        if (!add_holder(r, list, id, copy_str(r, -2)))
            return false;
        lua_pop(L, 1);
    }
    return true;
}

/* The mode, from `modes`, of the holder whose id is at `id`. */
static bool mode_of(reading *r, int modes, int id, str *mode)
{
    lua_State *L = r->L;
    *mode = (str){ .p = "" };
    if (lua_isnil(L, modes))
        return true;
    lua_pushvalue(L, id);
    lua_rawget(L, modes);
    if (lua_type(L, -1) == LUA_TSTRING)
        *mode = copy_str(r, -1);
    else if (!lua_isnil(L, -1))
        return wrong(r, "modes", "has to have strings as modes");
    lua_pop(L, 1);
    return true;
}

static bool read_holders(reading *r, int view, lock_view *out)
{
    lua_State *L = r->L;
    get_raw(L, view, "holders");
    int holders = lua_gettop(L);
    if (lua_isnil(L, holders))
        return true;
    if (!lua_istable(L, holders))
        return wrong(r, "holders", "has to be a table { [id] = count }");
    get_raw(L, view, "modes");
    int modes = lua_gettop(L);
    if (!lua_isnil(L, modes) && !lua_istable(L, modes))
        return wrong(r, "modes", "has to be a table { [id] = mode }");
    holder_list list = { .at = ARENA_ARRAY(r->a, lock_holder, 1), .cap = 1 };
    lua_pushnil(L);
    while (lua_next(L, holders)) {
        int id = lua_gettop(L) - 1;
        str mode;
        if (lua_type(L, id) != LUA_TSTRING)
            return wrong(r, "holders", "has to have strings as ids");
        if (lua_istable(L, -1) ? !add_holder_in_modes(r, &list, copy_str(r, id))
                               : !mode_of(r, modes, id, &mode) || !add_holder(r, &list, copy_str(r, id), mode))
            return false;
        lua_settop(L, id);
    }
    qsort(list.at, list.n, sizeof *list.at, by_id_and_mode);
    out->holders = list.at;
    out->holder_count = list.n;
    return true;
}

static bool read_integer(reading *r, int view, const char *field, int64_t *out)
{
    get_raw(r->L, view, field);
    bool ok = lua_isnil(r->L, -1) || to_integer(r->L, out);
    lua_pop(r->L, 1);
    return ok || wrong(r, field, "has to be an integer");
}

static bool read_view(reading *r, int view, lock_view *out)
{
    static const char *const fields[] = { "holders", "ttl_ms", "queue", "lapsed", "keys", "modes", "permits",
                                         "capacity" };
    lua_State *L = r->L;
    lua_pushnil(L);
    while (lua_next(L, view)) {
        lua_pop(L, 1);
        bool known = false;
        for (size_t i = 0; i < COUNT(fields); i++)
            known = known || (lua_type(L, -1) == LUA_TSTRING && strcmp(lua_tostring(L, -1), fields[i]) == 0);
        if (!known)
            return wrong(r, lua_type(L, -1) == LUA_TSTRING ? arena_printf(r->a, "'%s'", lua_tostring(L, -1)).p
                         : "a key that is no string",
                         "is not a field");
    }
    out->ttl_ms = TTL_NO_KEY;
    return read_integer(r, view, "ttl_ms", &out->ttl_ms) && read_integer(r, view, "permits", &out->permits) &&
           read_integer(r, view, "capacity", &out->capacity) && read_holders(r, view, out) &&
           read_list(r, "queue", view, &out->queue, &out->queue_count) &&
           read_sorted(r, "lapsed", view, &out->lapsed, &out->lapsed_count) &&
           read_list(r, "keys", view, &out->keys, &out->key_count);
}

typedef struct {
    view_read *read;
    void *context;
    arena *a;
} reading_from;

/* Calls the function that stands below its `args`; false: the error is in *e, and the next view is asked anew. */
static bool call_reading(process *p, const reading_from *from, int args, int results, err *e)
{
    p->read = from->read;
    p->read_context = from->context;
    p->read_arena = from->a;
    lua_State *trace;
    bool ok = state_call(p, p->L, args, results, &trace);
    p->read = NULL;
    if (!ok) {
        state_fail(p, p->L, trace, e);
        p->fatal = NULL;
    }
    return ok;
}

/* Runs the view of the i-th observed lock for the lock named `lock`. */
static bool view_lock(process *p, size_t i, str lock, int64_t now_ms, const reading_from *from, lock_view *out, err *e)
{
    lua_State *L = p->L;
    p->now_ms = now_ms;
    state_refill(p);
    lua_settop(L, 0);
    root_push(L, ROOT_OBSERVED);
    lua_rawgeti(L, -1, (int)(2 * i + 2));          /* 2; stays for places */
    lua_pushvalue(L, 2);
    push_redis(L, p->observed[i].server);
    lua_pushlstring(L, lock.p, lock.n);
    bool ok = call_reading(p, from, 2, 1, e);
    *out = (lock_view){ .lock = lock };
    reading r = { .p = p, .L = L, .view = 2, .a = from->a, .e = e };
    if (ok && !lua_istable(L, 3))
        ok = wrong(&r, "", "has to be a table");
    else if (ok)
        ok = read_view(&r, 3, out);
    lua_settop(L, 0);
    return ok && (!p->watched || judges_check(p, e));
}

bool live_view(process *p, size_t i, int64_t now_ms, view_read *read, void *context, arena *a, lock_view *out, err *e)
{
    return view_lock(p, i, str_slice(p->observed[i].lock, 0, p->observed[i].name_bytes), now_ms,
                     &(reading_from){ .read = read, .context = context, .a = a }, out, e);
}

bool process_view_named(process *p, str lock, int64_t now_ms, view_read *read, void *context, arena *a, lock_view *out,
                        err *e)
{
    assert(process_is_live(p) && p->observed_count > 0);
    return view_lock(p, 0, lock, now_ms, &(reading_from){ .read = read, .context = context, .a = a }, out, e);
}

/* Pushes { [id] = count } and { [id] = mode }: as view returned them, so the count of a holder in several modes is {
 * [mode] = count }. */
static void push_holders(lua_State *L, const lock_view *view)
{
    lua_createtable(L, 0, (int)view->holder_count);
    lua_createtable(L, 0, (int)view->holder_count);
    int modes = lua_gettop(L), holders = modes - 1;
    for (size_t i = 0; i < view->holder_count; i++) {
        const lock_holder *h = &view->holders[i];
        bool again = i > 0 && str_eq(view->holders[i - 1].id, h->id);
        bool several = again || (i + 1 < view->holder_count && str_eq(view->holders[i + 1].id, h->id));
        lua_pushlstring(L, h->id.p, h->id.n);
        if (again)
            lua_rawget(L, holders);
        else if (several)
            lua_newtable(L);
        if (several) {
            lua_pushlstring(L, h->mode.p ? h->mode.p : "", h->mode.n);
            lua_pushnumber(L, (lua_Number)h->count);
            lua_rawset(L, -3);
            if (again) {
                lua_pop(L, 1);
                continue;
            }
        } else {
            lua_pushnumber(L, (lua_Number)h->count);
        }
        lua_rawset(L, holders);
        if (several)
            continue;
        lua_pushlstring(L, h->id.p, h->id.n);
        lua_pushlstring(L, h->mode.p ? h->mode.p : "", h->mode.n);
        lua_rawset(L, modes);
    }
}

/* Of the view that `always` gets: a misspelt field would be nil, and a comparison with nil true of all states. */
static int missing_field(lua_State *L)
{
    static const char *const of_semaphores[] = { "permits", "capacity" };
    bool text = lua_type(L, 2) == LUA_TSTRING;
    const char *name = text ? lua_tostring(L, 2) : luaL_typename(L, 2);
    for (size_t i = 0; text && i < COUNT(of_semaphores); i++)
        if (strcmp(name, of_semaphores[i]) == 0)
            return 0;
    return luaL_error(L, "a view has no field '%s', only lock, holders, modes, ttl_ms, queue and keys, and of a "
                      "semaphore permits and capacity", name);
}

static void refuse_other_fields(lua_State *L, int view)
{
    lua_createtable(L, 0, 1);
    lua_pushcfunction(L, missing_field);
    lua_setfield(L, -2, "__index");
    lua_setmetatable(L, view);
}

bool live_always(process *p, const always_asked *q, int64_t now_ms, arena *a, bool *ok, str *why, err *e)
{
    lua_State *L = p->L;
    const lock_view *view = q->view;
    p->now_ms = now_ms;
    state_refill(p);
    lua_settop(L, 0);
    *ok = true;
    *why = (str){ .p = "" };
    root_push(L, ROOT_ALWAYS);
    if (!lua_isfunction(L, 1))
        return true;
    lua_createtable(L, 0, 8);
    lua_pushlstring(L, view->lock.p, view->lock.n);
    lua_setfield(L, 2, "lock");
    lua_pushnumber(L, (lua_Number)view->ttl_ms);
    lua_setfield(L, 2, "ttl_ms");
    if (view->capacity > 0) {
        lua_pushnumber(L, (lua_Number)view->permits);
        lua_setfield(L, 2, "permits");
        lua_pushnumber(L, (lua_Number)view->capacity);
        lua_setfield(L, 2, "capacity");
    }
    push_holders(L, view);
    lua_setfield(L, 2, "modes");
    lua_setfield(L, 2, "holders");
    const struct { const char *name; const str *list; size_t n; } lists[] = {
        { "queue", view->queue, view->queue_count }, { "lapsed", view->lapsed, view->lapsed_count },
        { "keys", view->keys, view->key_count },
    };
    for (size_t k = 0; k < COUNT(lists); k++) {
        lua_createtable(L, (int)lists[k].n, 0);
        for (size_t i = 0; i < lists[k].n; i++) {
            lua_pushlstring(L, lists[k].list[i].p, lists[k].list[i].n);
            lua_rawseti(L, -2, (int)i + 1);
        }
        lua_setfield(L, 2, lists[k].name);
    }
    refuse_other_fields(L, 2);
    push_redis(L, q->server);
    if (!call_reading(p, &(reading_from){ .read = q->read, .context = q->context, .a = a }, 2, 2, e))
        return false;
    *ok = lua_toboolean(L, 1);
    if (!*ok && lua_type(L, 2) == LUA_TSTRING) {
        str text;
        text.p = lua_tolstring(L, 2, &text.n);
        *why = arena_str(a, text);
    }
    lua_settop(L, 0);
    return !p->watched || judges_check(p, e);
}
