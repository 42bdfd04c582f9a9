/* coroutine.c - pcall, xpcall and coroutine.* that requests can pass through; process_internal.h tells how. */
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "client/process_internal.h"
#include "client/time_use.h"

enum { RESUME_STEPS = 100 };                       /* what a resume costs of the budget: a new coroutine starts a new
                                                    * hook count */

void links_push(process *p, lua_State *L, link_kind kind)
{
    MEM_RESERVE(p->links, p->link_cap, p->link_count + 1);
    p->links[p->link_count++] = (link){ .L = L, .kind = kind };
}

static void push_thread(lua_State *onto, lua_State *thread)
{
    lua_pushthread(thread);
    lua_xmove(thread, onto, 1);
}

/* Stores the links above coroutine links[j] with it, until it is resumed. */
static void detach(process *p, size_t j)
{
    lua_State *S = p->scratch;                     /* other functions may have values on it: the top is restored */
    int top = lua_gettop(S);
    size_t above = p->link_count - j - 1;
    if (above > 0) {
        luaL_checkstack(S, 6, NULL);
        root_push(S, ROOT_COROUTINES);
        push_thread(S, p->links[j].L);
        lua_createtable(S, (int)(2 * above), 0);
        for (size_t i = 0; i < above; i++) {
            push_thread(S, p->links[j + 1 + i].L);
            lua_rawseti(S, -2, (int)(2 * i + 1));
            lua_pushinteger(S, p->links[j + 1 + i].kind);
            lua_rawseti(S, -2, (int)(2 * i + 2));
        }
        lua_rawset(S, -3);
        lua_settop(S, top);
    }
    p->link_count = j;
}

static void attach(process *p, lua_State *co, link_kind kind)
{
    lua_State *S = p->scratch;
    int top = lua_gettop(S);
    luaL_checkstack(S, 6, NULL);
    links_push(p, co, kind);
    root_push(S, ROOT_COROUTINES);
    push_thread(S, co);
    lua_rawget(S, -2);
    if (lua_istable(S, -1)) {
        for (int i = 1;; i += 2) {
            lua_rawgeti(S, -1, i);
            lua_rawgeti(S, -2, i + 1);
            lua_State *above = lua_tothread(S, -2);
            if (!above)
                break;
            links_push(p, above, (link_kind)lua_tointeger(S, -1));
            lua_pop(S, 2);
        }
        lua_settop(S, top + 1);
        push_thread(S, co);
        lua_pushnil(S);
        lua_rawset(S, -3);
    }
    lua_settop(S, top);
}

static void mark_dead(process *p, lua_State *co)
{
    lua_State *S = p->scratch;
    int top = lua_gettop(S);
    luaL_checkstack(S, 4, NULL);
    root_push(S, ROOT_DEAD);
    push_thread(S, co);
    lua_pushboolean(S, 1);
    lua_rawset(S, -3);
    lua_settop(S, top);
}

/* The error value at the top of `from` reaches the xpcall that waits in `parent`, whose handler is at its top. */
static void handle_error(process *p, lua_State *from, lua_State *handler_on, int handler, lua_State *onto)
{
    luaL_checkstack(onto, 4, NULL);
    lua_pushvalue(handler_on, handler);
    if (handler_on != onto)
        lua_xmove(handler_on, onto, 1);
    lua_xmove(from, onto, 1);
    state_call(p, onto, 1, 1, NULL);               /* an error in the handler is what xpcall returns then */
}

/* Moves n values; false: the receiver's stack has no room; then an error text is on top of `from`. */
static bool move_values(lua_State *from, lua_State *to, int n, bool with_status)
{
    if (!lua_checkstack(to, n + 2)) {
        lua_settop(from, 0);
        lua_pushliteral(from, "too many values to pass between coroutines");
        return false;
    }
    if (with_status)
        lua_pushboolean(to, 1);
    lua_xmove(from, to, n);
    return true;
}

/* A wait that did not begin: its request is not sent. */
static void forget_pending(process *p)
{
    request_drop(p, p->pending.request);
    p->pending = (wait_request){ 0 };
}

static int resume_guarded(process *p, lua_State *L, int args)
{
    p->steps_left -= RESUME_STEPS;
    if (p->steps_left < 0 && !p->fatal)
        p->fatal = state_out_of_steps;
    forget_pending(p);
    if (p->fatal) {
        lua_pushstring(L, p->fatal);
        return LUA_ERRRUN;
    }
    time_use_enter(p, L);
    p->guarded++;
    int status = lua_resume(L, args);
    p->guarded--;
    return status;
}

/* Are its results and errors passed to the caller unchanged? */
static bool passes_on(link_kind kind)
{
    return kind == LINK_WRAP || kind == LINK_ATOMIC;
}

run_outcome run_links(process *p, size_t base, int args, lua_State **at)
{
    int guarded = p->guarded;
    p->guarded = 0;
    run_outcome outcome;
    for (;;) {
        size_t i = p->link_count - 1;
        lua_State *L = p->links[i].L;
        p->yielded_value = false;
        int status = resume_guarded(p, L, args);
        if (status == LUA_YIELD) {
            lua_State *inner = p->links[p->link_count - 1].L;
            size_t j = p->link_count;
            *at = inner;
            if (!p->yielded_value) {
                outcome = RUN_WAIT;
                break;
            }
            while (j > base && p->links[j - 1].kind != LINK_RESUME && p->links[j - 1].kind != LINK_WRAP)
                j--;
            if (j <= base + 1) {                   /* the caller's own coroutine, or none here */
                outcome = RUN_YIELD;
                break;
            }
            j--;
            bool with_status = p->links[j].kind == LINK_RESUME;
            lua_State *parent = p->links[j - 1].L;
            detach(p, j);
            int n = lua_gettop(inner);
            if (move_values(inner, parent, n, with_status)) {
                args = n + with_status;
                continue;
            }
            L = inner;
            i = j;
            status = LUA_ERRRUN;
        } else {
            p->link_count = i;
            if (status == 0) {
                *at = L;
                if (i == base) {
                    outcome = RUN_DONE;
                    break;
                }
                int n = lua_gettop(L);
                bool with_status = !passes_on(p->links[i].kind);
                if (move_values(L, p->links[i - 1].L, n, with_status)) {
                    args = n + with_status;
                    continue;
                }
            }
        }
        /* An error: its value is on top of L, and it ended the coroutine of link i. */
        if (status == LUA_ERRMEM && !p->fatal)
            p->fatal = "out of memory";
        state_translate(p, L);
        forget_pending(p);
        *at = L;
        while (i > base && passes_on(p->links[i].kind) && !p->fatal)
            mark_dead(p, p->links[--i].L);         /* wrap passes it on to its caller */
        if (i == base || p->fatal) {
            p->link_count = base;
            outcome = RUN_ERROR;
            break;
        }
        lua_State *parent = p->links[i - 1].L;
        p->link_count = i;
        luaL_checkstack(parent, 4, NULL);
        if (p->links[i].kind == LINK_XPCALL) {
            lua_State *S = p->scratch;
            int top = lua_gettop(S);
            handle_error(p, L, parent, -1, S);
            lua_pushboolean(parent, 0);
            lua_xmove(S, parent, 1);
            lua_settop(S, top);
        } else {
            lua_pushboolean(parent, 0);
            lua_xmove(L, parent, 1);
        }
        args = 2;
    }
    p->guarded = guarded;
    return outcome;
}

run_outcome run_nested(process *p, lua_State *co, link_kind kind, int args, lua_State **at)
{
    size_t base = p->link_count;
    links_push(p, co, kind);
    p->nesting++;
    run_outcome outcome = run_links(p, base, args, at);
    p->nesting--;
    return outcome;
}

/* A coroutine's first function has to be a Lua function: stock 5.1 cannot resume a C function that yielded there. */
void add_trampoline(lua_State *L, int n)
{
    char name[24], code[512];
    snprintf(name, sizeof name, "call %d", n);
    lua_getfield(L, LUA_REGISTRYINDEX, name);
    if (lua_isnil(L, -1)) {
        lua_pop(L, 1);
        size_t at = (size_t)snprintf(code, sizeof code, "local f%s", n ? "" : "=... return f()");
        for (int pass = 0; n && pass < 2; pass++) {
            for (int i = 1; i <= n; i++)
                at += (size_t)snprintf(code + at, sizeof code - at, "%sa%d", pass && i == 1 ? "" : ",", i);
            at += (size_t)snprintf(code + at, sizeof code - at, pass ? ")" : "=... return f(");
        }
        luaL_loadbuffer(L, code, at, "=\1c");
        lua_pushvalue(L, -1);
        lua_setfield(L, LUA_REGISTRYINDEX, name);
    }
    lua_insert(L, -n - 2);
}

static int check_nesting(lua_State *L)
{
    process *p = process_of(L);
    if (p->nesting >= NESTING_MAX)
        return luaL_error(L, "more than %d calls of pcall and coroutines inside each other", NESTING_MAX);
    return 0;
}

static int tell_waiting(lua_State *L, process *p, run_outcome outcome, int values)
{
    p->yielded_value = outcome == RUN_YIELD;
    return lua_yield(L, values);
}

static int client_pcall(lua_State *L)
{
    luaL_checkany(L, 1);
    check_nesting(L);
    process *p = process_of(L);
    int args = lua_gettop(L) - 1;
    if (!lua_isfunction(L, 1) || lua_iscfunction(L, 1)) {
        if (args > TRAMPOLINE_MAX)
            return luaL_error(L, "pcall of a built-in function takes at most %d arguments", TRAMPOLINE_MAX);
        luaL_checkstack(L, 4, NULL);
        add_trampoline(L, args++);
    }
    lua_State *co = lua_newthread(L), *at;
    lua_insert(L, 1);
    luaL_checkstack(co, args + 2, NULL);
    lua_xmove(L, co, args + 1);
    run_outcome outcome = run_nested(p, co, LINK_PCALL, args, &at);
    if (outcome == RUN_WAIT || outcome == RUN_YIELD)
        return tell_waiting(L, p, outcome, 0);
    if (p->fatal)
        return luaL_error(L, "%s", p->fatal);
    int n = outcome == RUN_DONE ? lua_gettop(at) : 1;
    luaL_checkstack(L, n + 1, "too many results");
    lua_pushboolean(L, outcome == RUN_DONE);
    lua_xmove(at, L, n);
    return n + 1;
}

int coroutine_atomic(lua_State *L)
{
    check_nesting(L);
    process *p = process_of(L);
    int args = lua_gettop(L) - 1;
    lua_State *co = lua_newthread(L), *at;
    lua_insert(L, 1);
    luaL_checkstack(co, args + 2, NULL);
    lua_xmove(L, co, args + 1);
    run_outcome outcome = run_nested(p, co, LINK_ATOMIC, args, &at);
    if (outcome == RUN_WAIT || outcome == RUN_YIELD)
        return tell_waiting(L, p, outcome, 0);
    if (p->fatal)
        return luaL_error(L, "%s", p->fatal);
    int n = outcome == RUN_DONE ? lua_gettop(at) : 1;
    luaL_checkstack(L, n, "too many results");
    lua_xmove(at, L, n);
    return outcome == RUN_DONE ? n : lua_error(L);
}

static int client_xpcall(lua_State *L)
{
    luaL_checkany(L, 2);
    check_nesting(L);
    process *p = process_of(L);
    lua_settop(L, 2);
    lua_State *co = lua_newthread(L), *at;
    lua_pushvalue(L, 1);
    int args = 0;
    if (!lua_isfunction(L, 1) || lua_iscfunction(L, 1))
        add_trampoline(L, args++);
    lua_xmove(L, co, args + 1);
    run_outcome outcome = run_nested(p, co, LINK_XPCALL, args, &at);
    if (outcome == RUN_WAIT || outcome == RUN_YIELD) {
        lua_pushvalue(L, 2);
        return tell_waiting(L, p, outcome, 1);
    }
    if (p->fatal)
        return luaL_error(L, "%s", p->fatal);
    if (outcome == RUN_ERROR) {
        lua_pushboolean(L, 0);
        handle_error(p, at, L, 2, L);
        if (p->fatal)
            return luaL_error(L, "%s", p->fatal);
        return 2;
    }
    int n = lua_gettop(at);
    luaL_checkstack(L, n + 1, "too many results");
    lua_pushboolean(L, 1);
    lua_xmove(at, L, n);
    return n + 1;
}

/* The user's coroutine that runs in links[...], searched from the innermost; NULL: the task itself. */
static lua_State *running_coroutine(const process *p)
{
    for (size_t i = p->link_count; i > 0; i--)
        if (p->links[i - 1].kind == LINK_RESUME || p->links[i - 1].kind == LINK_WRAP)
            return p->links[i - 1].L;
    return NULL;
}

static const char *coroutine_state(process *p, lua_State *co)
{
    if (co == running_coroutine(p))
        return "running";
    for (size_t i = 0; i < p->link_count; i++)
        if (p->links[i].L == co)
            return "normal";
    for (size_t i = 0; i < p->task_count; i++)     /* another task waits in it */
        for (size_t k = 0; k < p->tasks[i]->link_count; k++)
            if (p->tasks[i] != p->running && p->tasks[i]->links[k].L == co)
                return "normal";
    luaL_checkstack(p->scratch, 4, NULL);
    root_push(p->scratch, ROOT_DEAD);
    push_thread(p->scratch, co);
    lua_rawget(p->scratch, -2);
    bool dead = lua_toboolean(p->scratch, -1);
    lua_pop(p->scratch, 2);
    if (dead)
        return "dead";
    if (lua_status(co) == LUA_YIELD)
        return "suspended";
    return lua_status(co) != 0 || lua_gettop(co) == 0 ? "dead" : "suspended";
}

/* Resumes `co` with the top `args` values of L. Returns how many results were pushed, -1 for an error value, or -2:
 * yield. */
static int resume(lua_State *L, lua_State *co, int args, link_kind kind)
{
    process *p = process_of(L);
    const char *state = coroutine_state(p, co);
    if (strcmp(state, "suspended") != 0) {
        lua_pushfstring(L, "cannot resume %s coroutine", strcmp(state, "dead") == 0 ? "dead" : "non-suspended");
        return -1;
    }
    check_nesting(L);
    size_t base = p->link_count;
    attach(p, co, kind);
    lua_State *inner = p->links[p->link_count - 1].L, *at;
    if (!lua_checkstack(inner, args + 2)) {
        detach(p, base);
        lua_pushliteral(L, "too many arguments to resume");
        return -1;
    }
    lua_xmove(L, inner, args);
    p->nesting++;
    run_outcome outcome = run_links(p, base, args, &at);
    p->nesting--;
    if (outcome == RUN_WAIT)
        return -2;
    if (p->fatal)
        return luaL_error(L, "%s", p->fatal);
    if (outcome == RUN_ERROR) {
        luaL_checkstack(L, 2, NULL);
        lua_xmove(at, L, 1);
        return -1;
    }
    if (outcome == RUN_YIELD)
        detach(p, base);
    int n = lua_gettop(at);
    luaL_checkstack(L, n + 1, "too many results to resume");
    lua_xmove(at, L, n);
    return n;
}

static int client_resume(lua_State *L)
{
    lua_State *co = lua_tothread(L, 1);
    luaL_argcheck(L, co, 1, "coroutine expected");
    int n = resume(L, co, lua_gettop(L) - 1, LINK_RESUME);
    if (n == -2)
        return tell_waiting(L, process_of(L), RUN_WAIT, 0);
    lua_pushboolean(L, n >= 0);
    lua_insert(L, n >= 0 ? -n - 1 : -2);
    return n >= 0 ? n + 1 : 2;
}

static int client_wrapped(lua_State *L)
{
    lua_State *co = lua_tothread(L, lua_upvalueindex(1));
    int n = resume(L, co, lua_gettop(L), LINK_WRAP);
    if (n == -2)
        return tell_waiting(L, process_of(L), RUN_WAIT, 0);
    return n >= 0 ? n : lua_error(L);
}

static int client_create(lua_State *L)
{
    luaL_argcheck(L, lua_isfunction(L, 1) && !lua_iscfunction(L, 1), 1, "Lua function expected");
    lua_State *co = lua_newthread(L);
    lua_pushvalue(L, 1);
    lua_xmove(L, co, 1);
    return 1;
}

static int client_wrap(lua_State *L)
{
    client_create(L);
    lua_pushcclosure(L, client_wrapped, 1);
    return 1;
}

static int client_yield(lua_State *L)
{
    process *p = process_of(L);
    p->pending = (wait_request){ .call = "coroutine.yield", .thread = L };
    p->yielded_value = true;
    return lua_yield(L, lua_gettop(L));
}

static int client_status(lua_State *L)
{
    lua_State *co = lua_tothread(L, 1);
    luaL_argcheck(L, co, 1, "coroutine expected");
    lua_pushstring(L, coroutine_state(process_of(L), co));
    return 1;
}

static int client_running(lua_State *L)
{
    process *p = process_of(L);
    lua_State *co = running_coroutine(p);
    p->thread_told = true;
    if (!co) {
        lua_pushnil(L);
        return 1;
    }
    lua_pushthread(co);
    if (co != L)
        lua_xmove(co, L, 1);
    return 1;
}

void coroutine_open(lua_State *L)
{
    static const luaL_Reg functions[] = {
        { "create", client_create }, { "resume", client_resume }, { "running", client_running },
        { "status", client_status },
        { "wrap", client_wrap }, { "yield", client_yield }, { NULL, NULL },
    };
    lua_pushcfunction(L, client_pcall);
    lua_setfield(L, -2, "pcall");
    lua_pushcfunction(L, client_xpcall);
    lua_setfield(L, -2, "xpcall");
    lua_newtable(L);
    luaL_register(L, NULL, functions);
    library_protect(L);
    lua_setfield(L, -2, "coroutine");
}
