/* future.c - the result of me:send: an answer that will come, or has come.
 *
 * Most answers are a number, a boolean or nil without an error. Those are stored in the object itself; a future has a
 * table only for other answers, and for functions that wait for the answer. */
#include "client/process_internal.h"

/* In the table: value, error, and from 1 on the functions of f:on_answer, each followed by its thread. Either of the
 * first two may be nil, which would be a hole in a list. */
enum { TABLE_VALUE = -1, TABLE_ERROR, TABLE_CALLBACKS };

static void push_new(lua_State *L, const request *r, uint32_t servers)
{
    object *f = object_new(L, OBJECT_FUTURE);
    f->request = r->id;
    f->server = r->server;
    f->servers = servers;
    root_push(L, ROOT_FUTURES);
    lua_pushvalue(L, -2);
    lua_rawseti(L, -2, (int)r->id);
    lua_pop(L, 1);
}

int future_push_sent(lua_State *L, request *r, uint32_t servers)
{
    process *p = process_of(L);
    int guarded = p->guarded;                      /* from here on the request is on its way: no error may come
                                                    * between */
    p->guarded = 0;
    request_send(p, r, p->running->id);
    push_new(L, r, servers);
    p->guarded = guarded;
    return 1;
}

/* Gives the future at `index` a table, and pushes it. */
static void push_new_table(lua_State *L, int index, object *f)
{
    lua_newtable(L);
    lua_pushvalue(L, -1);
    lua_setfenv(L, index);
    f->table = true;
}

static bool is_plain(int type)
{
    return type == LUA_TNIL || type == LUA_TBOOLEAN || type == LUA_TNUMBER;
}

/* Keeps the answer that lies at `value` and above, for the future at `index`. */
static void keep_answer(lua_State *L, int index, object *f, int value)
{
    f->done = true;
    f->plain = lua_type(L, value);
    if (is_plain(f->plain) && lua_isnil(L, value + 1)) {
        f->table = false;
        f->number = f->plain == LUA_TNUMBER ? lua_tonumber(L, value) : lua_toboolean(L, value);
        return;
    }
    push_new_table(L, index, f);
    lua_pushvalue(L, value);
    lua_rawseti(L, -2, TABLE_VALUE);
    lua_pushvalue(L, value + 1);
    lua_rawseti(L, -2, TABLE_ERROR);
    lua_pop(L, 1);
}

void future_push_answer(lua_State *L, int index)
{
    const object *f = object_at(L, index);
    if (f->table) {
        lua_getfenv(L, index);
        lua_rawgeti(L, -1, TABLE_VALUE);
        lua_rawgeti(L, -2, TABLE_ERROR);
        lua_remove(L, -3);
        return;
    }
    if (f->plain == LUA_TNUMBER)
        lua_pushnumber(L, f->number);
    else if (f->plain == LUA_TBOOLEAN)
        lua_pushboolean(L, f->number != 0);
    else
        lua_pushnil(L);
    lua_pushnil(L);
}

/* f:wait(ms) */
static int future_wait(lua_State *L)
{
    object *f = object_check(L, 1, OBJECT_FUTURE);
    int64_t ms = opt_ms(L, 2, "the time to wait for an answer");
    lua_settop(L, 1);
    if (f->done) {
        future_push_answer(L, 1);
        return 2;
    }
    return task_wait(L, &(wait_request){ .kind = WAIT_FUTURE, .ms = ms, .object = f, .name = "wait",
                                         .call = "f:wait" }, 1);
}

/* The function at the top of L becomes a task that is called with me, value, error. */
static void add_callback(lua_State *L, const object *f, uint32_t thread, int value, int error)
{
    process *p = process_of(L);
    task *t = task_new(p, S("answer"), thread, false, false);
    lua_State *co = task_thread(p, t);
    push_handle(L, t->id, t->thread, f->server, f->servers);
    lua_pushvalue(L, value);
    lua_pushvalue(L, error);
    lua_xmove(L, co, 4);
    t->last_answer = f->request;
}

/* f:on_answer(fn): fn(me, value, error) as a task of its own. */
static int on_answer(lua_State *L)
{
    object *f = object_check(L, 1, OBJECT_FUTURE);
    luaL_checktype(L, 2, LUA_TFUNCTION);
    lua_settop(L, 2);
    process *p = process_of(L);
    uint32_t thread = p->running ? p->running->thread : 1;
    if (f->done) {
        future_push_answer(L, 1);                  /* 3, 4 */
        lua_pushvalue(L, 2);
        add_callback(L, f, thread, 3, 4);
        return 0;
    }
    if (f->table)
        lua_getfenv(L, 1);                         /* 3 */
    else
        push_new_table(L, 1, f);
    int at = TABLE_CALLBACKS;
    for (;; at += 2) {
        lua_rawgeti(L, 3, at);
        if (lua_isnil(L, -1))
            break;
        lua_pop(L, 1);
    }
    state_charge(L, (size_t)at);                   /* what finding the end of the list cost */
    lua_pushvalue(L, 2);
    lua_rawseti(L, 3, at);
    lua_pushinteger(L, (lua_Integer)thread);
    lua_rawseti(L, 3, at + 1);
    return 0;
}

static int future_done(lua_State *L)
{
    lua_pushboolean(L, object_check(L, 1, OBJECT_FUTURE)->done);
    return 1;
}

/* Wakes the tasks that wait for the future, in the order of tasks. */
static void wake_waiting(process *p, const object *f)
{
    for (size_t i = 0; i < p->task_count; i++) {
        task *t = p->tasks[i];
        if (t->status == TASK_WAIT && t->wait == WAIT_FUTURE && t->object == f) {
            task_wake(t, RESULT_FUTURE);
            t->last_answer = f->request;
        }
    }
}

/* The functions in `table` become tasks. */
static void call_back(lua_State *L, const object *f, int table, int value)
{
    for (int at = TABLE_CALLBACKS;; at += 2) {
        lua_rawgeti(L, table, at + 1);
        lua_rawgeti(L, table, at);
        if (lua_isnil(L, -1))
            return;
        add_callback(L, f, (uint32_t)lua_tointeger(L, -2), value, value + 1);
        lua_pop(L, 1);
    }
}

void future_fulfil(process *p, uint32_t id, int values)
{
    lua_State *S = p->scratch;
    if (values == 1)
        lua_pushnil(S);
    int value = lua_gettop(S) - 1, futures = value + 2, future = value + 3, waiting = value + 4;
    root_push(S, ROOT_FUTURES);
    lua_rawgeti(S, futures, (int)id);
    object *f = object_at(S, future);
    if (f && !f->done) {
        bool called_back = f->table;
        p->fulfilled = true;
        lua_getfenv(S, future);                    /* at `waiting` */
        keep_answer(S, future, f, value);
        wake_waiting(p, f);
        if (called_back)
            call_back(S, f, waiting, value);
        lua_pushnil(S);
        lua_rawseti(S, futures, (int)id);
    }
    lua_settop(S, value - 1);
}

void futures_open(lua_State *L)
{
    static const luaL_Reg methods[] = { { "wait", future_wait }, { "on_answer", on_answer }, { "done", future_done },
                                        { NULL, NULL } };
    object_open_kind(L, OBJECT_FUTURE, methods);
}
