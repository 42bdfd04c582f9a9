/* driver_api.c - the methods of `me` that wait, choose, or start something. driver_requests.c and driver_channels.c
 * have those that talk to Redis, announce.c those that only report. */
#include <string.h>

#include "client/process_internal.h"

static uint32_t check_server(lua_State *L, int index)
{
    const scenario *sc = process_of(L)->scenario;
    int64_t n = check_integer(L, index, "the server's number", 1);
    if (sc && n > sc->servers)
        luaL_error(L, "there is no server %d: the scenario has %d (servers = %d)", (int)n, (int)sc->servers, (int)n);
    return (uint32_t)n - 1;
}

/* me:on(n): the same task, talking to server n. So do the tasks that it spawns, the callbacks of its requests and the
 * handlers of its messages. me:on(n, ...): its locks are one lock over all of these servers; it talks to the first of
 * them, and on(k) of one of them to that one. */
static int me_on(lua_State *L)
{
    object *me = object_check(L, 1, OBJECT_ME);
    uint32_t first = check_server(L, 2), servers = 0;
    for (int i = 2, top = lua_gettop(L); top > 2 && i <= top; i++)
        servers |= UINT32_C(1) << check_server(L, i);
    if (!servers && me->servers >> first & 1)
        servers = me->servers;
    push_handle(L, me->task, (uint32_t)me->permits, first, servers);
    return 1;
}

static bool drifts(const process *p)
{
    return p->scenario && p->scenario->clients[p->number].drift;
}

static int loaded_too_late(lua_State *L)
{
    return luaL_error(L, "the clock of this client drifts, and a file that asks for the time was loaded too late: "
                      "require it at the top");
}

static int me_now(lua_State *L)
{
    process *p = process_of(L);
    object_check(L, 1, OBJECT_ME);
    if (p->out) {
        p->out->clock = true;
        p->out->clock_skew_ms = drift_skew_ms(p, p->now_ms);
        p->out->clock_tick_ms = drift_tick_ms(p, p->now_ms);
    }
    if (drifts(p) && !p->clock_read)
        return loaded_too_late(L);
    lua_pushnumber(L, (lua_Number)(p->now_ms + drift_skew_ms(p, p->now_ms)));
    return 1;
}

/* me:monotonic(): a clock of the same speed that is never set: CLOCK_MONOTONIC, Java's nanoTime, the clock of Node's
 * timers. Its origin is arbitrary: only differences of two readings have a meaning. */
static int me_monotonic(lua_State *L)
{
    process *p = process_of(L);
    object_check(L, 1, OBJECT_ME);
    if (p->out) {
        p->out->steady = true;
        p->out->steady_skew_ms = drift_steady_ms(p, p->now_ms);
        p->out->clock_tick_ms = drift_tick_ms(p, p->now_ms);
    }
    if (drifts(p) && !p->steady_read)
        return loaded_too_late(L);
    lua_pushnumber(L, (lua_Number)(p->now_ms + drift_steady_ms(p, p->now_ms)));
    return 1;
}

/* me:sleep(ms), or me:sleep(least, most): jitter, which ends at any moment between the two. */
static int me_sleep(lua_State *L)
{
    me_check_thread(L, me_check(L));
    int64_t ms = check_integer(L, 2, "the time to sleep", 0);
    wait_request w = { .kind = WAIT_SLEEP, .ms = ms, .name = "sleep", .call = "me:sleep" };
    if (!lua_isnoneornil(L, 3)) {
        w.upto_ms = check_integer(L, 3, "the longest time to sleep", ms);
        w.kind = w.upto_ms > ms ? WAIT_WORK : WAIT_SLEEP;
    }
    return task_wait(L, &w, 0);
}

/* me:work(ms), or me:work() for as long as the scenario allows. */
static int me_work(lua_State *L)
{
    me_check_thread(L, me_check(L));
    const scenario *sc = process_of(L)->scenario;
    wait_request w = { .kind = WAIT_SLEEP, .work = true, .name = "work", .call = "me:work" };
    if (!lua_isnoneornil(L, 2)) {
        w.ms = check_integer(L, 2, "the time to work", 0);
    } else if (!sc || sc->work_lo_ms < 0) {
        w.kind = WAIT_WORK;
        w.ms = -1;
    } else if (sc->work_lo_ms == sc->work_hi_ms) {
        w.ms = sc->work_lo_ms;
    } else {
        w.kind = WAIT_WORK;            /* the least length first; the rest is open: process_run */
        w.ms = sc->work_lo_ms;
        w.upto_ms = sc->work_hi_ms;
    }
    return task_wait(L, &w, 0);
}

static int me_step(lua_State *L)
{
    me_check_thread(L, me_check(L));
    return task_wait(L, &(wait_request){ .kind = WAIT_STEP, .ms = -1, .name = "step", .call = "me:step" }, 0);
}

/* me:atomic(fn, ...): what the real client does in one atomic call; its results are fn's. */
static int me_atomic(lua_State *L)
{
    me_check_thread(L, me_check(L));
    luaL_checktype(L, 2, LUA_TFUNCTION);
    if (lua_iscfunction(L, 2))
        return luaL_error(L, "me:atomic takes a Lua function");
    lua_remove(L, 1);
    return coroutine_atomic(L);
}

/* The same where nothing can come between anyway: a plain call. */
static void push_plain_atomic(lua_State *L)
{
    static const char plain[] = "return function(me, f, ...) return f(...) end";
    luaL_loadbuffer(L, plain, sizeof plain - 1, "=\1c");
    lua_call(L, 0, 1);
}

enum { CHOICES_MAX = 1000 };

/* me:choose{...}, me:random{...} */
static int pick(lua_State *L, const char *name, const char *call)
{
    me_check_thread(L, me_check(L));
    luaL_checktype(L, 2, LUA_TTABLE);
    lua_settop(L, 2);
    size_t n = lua_objlen(L, 2);
    if (n == 0)
        return luaL_error(L, "there is nothing to choose from: %s takes a list of values", call);
    if (n > CHOICES_MAX)
        return luaL_error(L, "%s takes at most %d values: each is a step of its own to the search", call, CHOICES_MAX);
    for (size_t i = 1; i <= n; i++) {
        lua_rawgeti(L, 2, (int)i);
        if (lua_isnil(L, -1))
            return luaL_error(L, "choice %d is nil", (int)i);
        lua_pop(L, 1);
    }
    if (n == 1) {
        lua_rawgeti(L, 2, 1);
        return 1;
    }
    return task_wait(L, &(wait_request){ .kind = WAIT_CHOOSE, .ms = -1, .choices = n, .name = name, .call = call }, 1);
}

/* An adversary chooses. */
static int me_choose(lua_State *L)
{
    return pick(L, "choose", "me:choose");
}

/* A fair coin: if it is asked for again and again, each value comes up again and again. */
static int me_random(lua_State *L)
{
    return pick(L, PROCESS_COIN, "me:random");
}

/* me:spawn(name, fn, { daemon = true }) -> task */
static int me_spawn(lua_State *L)
{
    const object *me = me_check(L);
    me_check_thread(L, me);
    str name = check_str(L, 2);
    luaL_checktype(L, 3, LUA_TFUNCTION);
    if (lua_iscfunction(L, 3))
        return luaL_error(L, "me:spawn takes a Lua function");
    bool daemon = false;
    if (!lua_isnoneornil(L, 4)) {
        luaL_checktype(L, 4, LUA_TTABLE);
        lua_pushnil(L);
        while (lua_next(L, 4)) {
            if (lua_type(L, -2) != LUA_TSTRING || strcmp(lua_tostring(L, -2), "daemon") != 0 || !lua_isboolean(L, -1))
                return luaL_error(L, "me:spawn takes one option: daemon = true or false");
            daemon = lua_toboolean(L, -1);
            lua_pop(L, 1);
        }
    }
    process *p = process_of(L);
    enum { TASKS_MAX = 1000 };                     /* at a time; each step of the world looks at all of them */
    if (p->task_count >= TASKS_MAX)
        return luaL_error(L, "more than %d tasks in one process", TASKS_MAX);
    task *t = task_new(p, name, p->running->thread, false, daemon);
    t->where = state_call_place(p, L);
    lua_State *co = task_thread(p, t);
    lua_pushvalue(L, 3);
    push_handle(L, t->id, t->thread, me->server, me->servers);
    lua_xmove(L, co, 2);
    object_new(L, OBJECT_TASK)->task = t->id;
    return 1;
}

/* me:semaphore(n) */
static int me_semaphore(lua_State *L)
{
    object_check(L, 1, OBJECT_ME);
    int64_t n = lua_isnoneornil(L, 2) ? 0 : check_integer(L, 2, "the number of permits", 0);
    object_new(L, OBJECT_SEMAPHORE)->permits = n;
    return 1;
}

void waits_open(lua_State *L)
{
    static const luaL_Reg methods[] = {
        { "on", me_on }, { "now", me_now }, { "monotonic", me_monotonic }, { "sleep", me_sleep }, { "work", me_work },
        { "step", me_step },
        { "choose", me_choose },
        { "random", me_random },
        { "spawn", me_spawn }, { ATOMIC_GUARDED, me_atomic }, { "semaphore", me_semaphore }, { NULL, NULL },
    };
    luaL_register(L, NULL, methods);
    push_plain_atomic(L);
    lua_setfield(L, -2, "atomic");
}
