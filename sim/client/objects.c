/* objects.c - what client code holds besides tables, `me` and futures: semaphores, task handles, scripts. */
#include <string.h>

#include "client/process_internal.h"
#include "script/answers.h"

object *object_at(lua_State *L, int index)
{
    object *o = lua_touserdata(L, index);
    return o && lua_objlen(L, index) == sizeof *o ? o : NULL;      /* of a light userdata, the length is 0 */
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
    if (s->permits > 0) {                          /* permits are left only where no task waits */
        s->permits--;
        lua_pushboolean(L, 1);
        return 1;
    }
    if (ms == 0) {
        lua_pushboolean(L, 0);
        return 1;
    }
    return task_wait(L, &(wait_request){ .kind = WAIT_SEMAPHORE, .ms = ms, .object = s, .name = "wait",
                                         .call = "s:acquire" }, 0);
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
    return task_wait(L, &(wait_request){ .kind = WAIT_JOIN, .ms = ms, .target = o->task, .name = "join",
                                         .call = "task:join" }, 0);
}

static int task_done(lua_State *L)
{
    lua_pushboolean(L, !task_find(process_of(L), object_check(L, 1, OBJECT_TASK)->task));
    return 1;
}

/* { text = true, array = false, ["nil"] = true, [1] = 0, [2] = 1 }: numbers in a row. nil: the text does not say. */
static int push_answers(lua_State *L, str text)
{
    answers a = script_answers(text);
    if (!a.known) {
        lua_pushnil(L);
        return 1;
    }
    lua_createtable(L, (int)a.number_count, 3);
    for (size_t i = 0; i < a.number_count; i++) {
        lua_pushnumber(L, (lua_Number)a.numbers[i]);
        lua_rawseti(L, -2, (int)i + 1);
    }
    lua_pushboolean(L, a.text);
    lua_setfield(L, -2, "text");
    lua_pushboolean(L, a.array);
    lua_setfield(L, -2, "array");
    lua_pushboolean(L, a.nil);
    lua_setfield(L, -2, "nil");
    return 1;
}

static int script_index(lua_State *L)
{
    const script_file *s = object_check(L, 1, OBJECT_SCRIPT)->script;
    const char *field = luaL_checkstring(L, 2);
    str value = { 0 };
    if (strcmp(field, "answers") == 0)
        return push_answers(L, s->body);
    if (strcmp(field, "name") == 0)
        value = s->name;
    else if (strcmp(field, "text") == 0)
        value = s->body;
    else if (strcmp(field, "sha1") == 0)
        value = str_from(s->sha1);
    else
        return luaL_error(L, "a script has no field '%s'; it has name, text, sha1, answers", field);
    if (strcmp(field, "name") != 0)
        source_note_text(process_of(L)->sources);
    lua_pushlstring(L, value.p, value.n);
    return 1;
}

static int no_method(lua_State *L)
{
    return luaL_error(L, "there is no method '%s' here", lua_tostring(L, 2) ? lua_tostring(L, 2) : "?");
}

void object_open_kind(lua_State *L, object_kind kind, const luaL_Reg *methods)
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
        { "acquire", acquire }, { "release", release }, { "waiting", waiting }, { "permits", permits },
        { "drain", drain }, { NULL, NULL },
    };
    static const luaL_Reg task_methods[] = { { "cancel", cancel }, { "join", join }, { "done", task_done },
                                             { NULL, NULL } };
    object_open_kind(L, OBJECT_TASK, task_methods);
    object_open_kind(L, OBJECT_SEMAPHORE, semaphore_methods);
    futures_open(L);
    object_open_kind(L, OBJECT_SCRIPT, NULL);
}
