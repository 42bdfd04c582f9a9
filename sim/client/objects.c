/* objects.c - what client code holds besides tables: semaphores, futures, task handles, scripts. */
#include <string.h>

#include "client/process_internal.h"

object *object_at(lua_State *L, int index)
{
    return lua_type(L, index) == LUA_TUSERDATA && lua_objlen(L, index) == sizeof(object) ? lua_touserdata(L, index) : NULL;
}

object *object_check(lua_State *L, int index, object_kind kind)
{
    static const char *const name[OBJECT_KINDS] = { "me", "a task", "a semaphore", "a future", "a script" };
    object *o = object_at(L, index);
    if (!o || o->kind != kind)
        luaL_error(L, "%s is expected before the method's name (write x:method(), not x.method())", name[kind]);
    return o;
}

object *object_new(lua_State *L, object_kind kind)
{
    object *o = lua_newuserdata(L, sizeof *o);
    *o = (object){ .kind = kind };
    lua_rawgeti(L, LUA_REGISTRYINDEX, REGISTRY_METATABLES + (int)kind);
    lua_setmetatable(L, -2);
    return o;
}

void semaphore_serve(process *p, object *s)
{
    while (s->permits > 0) {
        task *first = NULL;
        for (size_t i = 0; i < p->task_count; i++) {
            task *t = p->tasks[i];
            if (t->status == TASK_WAIT && t->wait == WAIT_SEMAPHORE && t->object == s &&
                (!first || t->wait_order < first->wait_order))
                first = t;
        }
        if (!first)
            return;
        s->permits--;
        task_wake(first, RESULT_TRUE);
    }
}

static int semaphore_waiters(process *p, const object *s)
{
    int n = 0;
    for (size_t i = 0; i < p->task_count; i++) {
        const task *t = p->tasks[i];
        n += t->status == TASK_WAIT && t->wait == WAIT_SEMAPHORE && t->object == s;
    }
    return n;
}

/* s:acquire(ms) */
static int acquire(lua_State *L)
{
    object *s = object_check(L, 1, OBJECT_SEMAPHORE);
    int64_t ms = opt_ms(L, 2, "the time to wait for a permit");
    if (s->permits > 0) {                          /* permits are left only where nobody waits */
        s->permits--;
        lua_pushboolean(L, 1);
        return 1;
    }
    if (ms == 0) {
        lua_pushboolean(L, 0);
        return 1;
    }
    return task_wait(L, &(wait_request){ .kind = WAIT_SEMAPHORE, .ms = ms, .object = s, .name = "wait", .call = "s:acquire" }, 0);
}

/* s:release(k) */
static int release(lua_State *L)
{
    object *s = object_check(L, 1, OBJECT_SEMAPHORE);
    int64_t k = lua_isnoneornil(L, 2) ? 1 : check_integer(L, 2, "the number of permits", 0);
    luaL_argcheck(L, k <= INT32_MAX && s->permits <= INT32_MAX, 2, "too many permits");
    s->permits += k;
    semaphore_serve(process_of(L), s);
    return 0;
}

static int waiting(lua_State *L)
{
    lua_pushinteger(L, semaphore_waiters(process_of(L), object_check(L, 1, OBJECT_SEMAPHORE)));
    return 1;
}

static int permits(lua_State *L)
{
    lua_pushnumber(L, (lua_Number)object_check(L, 1, OBJECT_SEMAPHORE)->permits);
    return 1;
}

/* s:drain() takes all permits that are left and says how many. */
static int drain(lua_State *L)
{
    object *s = object_check(L, 1, OBJECT_SEMAPHORE);
    lua_pushnumber(L, (lua_Number)s->permits);
    s->permits = 0;
    return 1;
}

/* f:wait(ms) */
static int future_wait(lua_State *L)
{
    object *f = object_check(L, 1, OBJECT_FUTURE);
    int64_t ms = opt_ms(L, 2, "the time to wait for an answer");
    lua_settop(L, 1);
    if (f->done) {
        lua_getfenv(L, 1);
        lua_rawgeti(L, 2, FUTURE_VALUE);
        lua_rawgeti(L, 2, FUTURE_ERROR);
        return 2;
    }
    return task_wait(L, &(wait_request){ .kind = WAIT_FUTURE, .ms = ms, .object = f, .name = "wait", .call = "f:wait" }, 1);
}

/* The function at the top of L becomes a task that is called with me, value, error. */
static void add_callback(lua_State *L, const object *f, uint32_t thread, int value, int error)
{
    process *p = process_of(L);
    task *t = task_new(p, S("answer"), thread, false, false);
    lua_State *co = task_thread(p, t);
    luaL_checkstack(co, 4, NULL);
    push_me(L, t, f->server);
    lua_pushvalue(L, value);
    lua_pushvalue(L, error);
    lua_xmove(L, co, 4);
}

/* f:on_answer(fn): fn(me, value, error) as a task of its own. */
static int on_answer(lua_State *L)
{
    object *f = object_check(L, 1, OBJECT_FUTURE);
    luaL_checktype(L, 2, LUA_TFUNCTION);
    lua_settop(L, 2);
    lua_getfenv(L, 1);                             /* 3 */
    if (f->done) {
        lua_rawgeti(L, 3, FUTURE_VALUE);
        lua_rawgeti(L, 3, FUTURE_ERROR);
        lua_pushvalue(L, 2);
        process *p = process_of(L);
        add_callback(L, f, p->running ? p->running->thread : 1, 4, 5);
        p->tasks[p->task_count - 1]->last_answer = f->request;
        return 0;
    }
    int at = FUTURE_CALLBACKS;
    for (;; at += 2) {
        lua_rawgeti(L, 3, at);
        if (lua_isnil(L, -1))
            break;
        lua_pop(L, 1);
    }
    state_charge(L, (size_t)at);                   /* what finding the end of the list cost */
    process *p = process_of(L);
    lua_pushvalue(L, 2);
    lua_rawseti(L, 3, at);
    lua_pushinteger(L, p->running ? (lua_Integer)p->running->thread : 1);
    lua_rawseti(L, 3, at + 1);
    return 0;
}

static int future_done(lua_State *L)
{
    lua_pushboolean(L, object_check(L, 1, OBJECT_FUTURE)->done);
    return 1;
}

void future_fulfil(process *p, uint32_t id, int values)
{
    lua_State *S = p->scratch;
    luaL_checkstack(S, 12, NULL);
    if (values == 1)
        lua_pushnil(S);
    int value = lua_gettop(S) - 1, error = value + 1;
    root_push(S, ROOT_FUTURES);
    lua_rawgeti(S, -1, (int)id);
    object *f = object_at(S, -1);
    if (f && !f->done) {
        f->done = p->fulfilled = true;
        lua_getfenv(S, -1);
        int env = lua_gettop(S);
        lua_pushvalue(S, value);
        lua_rawseti(S, env, FUTURE_VALUE);
        lua_pushvalue(S, error);
        lua_rawseti(S, env, FUTURE_ERROR);
        for (size_t i = 0; i < p->task_count; i++) {
            task *t = p->tasks[i];
            if (t->status == TASK_WAIT && t->wait == WAIT_FUTURE && t->object == f) {
                task_wake(t, RESULT_FUTURE);
                t->last_answer = id;
            }
        }
        for (int at = FUTURE_CALLBACKS;; at += 2) {
            lua_rawgeti(S, env, at);
            if (lua_isnil(S, -1))
                break;
            lua_rawgeti(S, env, at + 1);
            uint32_t thread = (uint32_t)lua_tointeger(S, -1);
            lua_pop(S, 1);
            add_callback(S, f, thread, value, error);
            p->tasks[p->task_count - 1]->last_answer = id;
            lua_pushnil(S);
            lua_rawseti(S, env, at);
            lua_pushnil(S);
            lua_rawseti(S, env, at + 1);
        }
        root_push(S, ROOT_FUTURES);
        lua_pushnil(S);
        lua_rawseti(S, -2, (int)id);
    }
    lua_settop(S, value - 1);
}

/* task:cancel(): it never runs again, whatever it waits for. */
static int cancel(lua_State *L)
{
    object *o = object_check(L, 1, OBJECT_TASK);
    process *p = process_of(L);
    task *t = task_find(p, o->task);
    lua_pushboolean(L, t != NULL);
    if (t && t == p->running)
        return task_wait(L, &(wait_request){ .kind = WAIT_EXIT, .name = "cancel", .call = "task:cancel" }, 0);
    if (t)
        task_end(p, t);
    return 1;
}

/* task:join(ms) -> true | false | nil, "interrupted" */
static int join(lua_State *L)
{
    object *o = object_check(L, 1, OBJECT_TASK);
    process *p = process_of(L);
    int64_t ms = opt_ms(L, 2, "the time to wait for the task");
    bool done = !task_find(p, o->task);
    if (done || ms == 0) {
        lua_pushboolean(L, done);
        return 1;
    }
    if (p->running && o->task == p->running->id)
        return luaL_error(L, "a task cannot wait for its own end");
    return task_wait(L, &(wait_request){ .kind = WAIT_JOIN, .ms = ms, .target = o->task, .name = "join", .call = "task:join" }, 0);
}

static int task_done(lua_State *L)
{
    lua_pushboolean(L, !task_find(process_of(L), object_check(L, 1, OBJECT_TASK)->task));
    return 1;
}

static int script_index(lua_State *L)
{
    const script_file *s = object_check(L, 1, OBJECT_SCRIPT)->script;
    const char *field = luaL_checkstring(L, 2);
    str value = { 0 };
    if (strcmp(field, "name") == 0)
        value = s->name;
    else if (strcmp(field, "text") == 0)
        value = s->body;
    else if (strcmp(field, "sha1") == 0)
        value = str_from(s->sha1);
    else
        return luaL_error(L, "a script has no field '%s'; it has name, text, sha1", field);
    if (strcmp(field, "name") != 0)
        source_note_text(process_of(L)->sources);
    lua_pushlstring(L, value.p, value.n);
    return 1;
}

static int no_method(lua_State *L)
{
    return luaL_error(L, "there is no method '%s' here", lua_tostring(L, 2) ? lua_tostring(L, 2) : "?");
}

static void open_kind(lua_State *L, object_kind kind, const luaL_Reg *methods)
{
    lua_createtable(L, 0, 2);
    if (methods) {
        lua_newtable(L);
        luaL_register(L, NULL, methods);
        lua_createtable(L, 0, 1);                  /* a wrong name is an error, not nil */
        lua_pushcfunction(L, no_method);
        lua_setfield(L, -2, "__index");
        lua_setmetatable(L, -2);
    } else {
        lua_pushcfunction(L, script_index);
    }
    lua_setfield(L, -2, "__index");
    lua_pushboolean(L, 0);
    lua_setfield(L, -2, "__metatable");
    lua_rawseti(L, LUA_REGISTRYINDEX, REGISTRY_METATABLES + (int)kind);
}

void objects_open(lua_State *L)
{
    static const luaL_Reg semaphore_methods[] = {
        { "acquire", acquire }, { "release", release }, { "waiting", waiting }, { "permits", permits }, { "drain", drain }, { NULL, NULL },
    };
    static const luaL_Reg future_methods[] = { { "wait", future_wait }, { "on_answer", on_answer }, { "done", future_done }, { NULL, NULL } };
    static const luaL_Reg task_methods[] = { { "cancel", cancel }, { "join", join }, { "done", task_done }, { NULL, NULL } };
    open_kind(L, OBJECT_TASK, task_methods);
    open_kind(L, OBJECT_SEMAPHORE, semaphore_methods);
    open_kind(L, OBJECT_FUTURE, future_methods);
    open_kind(L, OBJECT_SCRIPT, NULL);
}
