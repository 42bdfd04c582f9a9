/* instants.c - every number a process holds that may be a time: in locals and temporaries, upvalues, tables, futures. */
#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "client/process_internal.h"

typedef struct {
    process *p;
    const void **seen;     /* a set: open addressing, a power of two */
    size_t seen_count, seen_cap;
    lua_State *S;          /* objects still to look into lie on its stack */
    lua_State *T;          /* the object that is open */
    int64_t now_ms, window_ms;
    void (*fn)(void *context, int64_t at_ms);
    void *context;
} walk;

static void offer(walk *w, double n)
{
    if (n != floor(n))
        return;
    double low = (double)(w->now_ms - w->window_ms), high = (double)(w->now_ms + w->window_ms);
    if (n >= low && n <= high)
        w->fn(w->context, (int64_t)n);
    double by_server = n - (double)w->p->skew_ms;  /* the same number read off the process's own clock */
    if (w->p->skew_ms != 0 && by_server >= low && by_server <= high)
        w->fn(w->context, (int64_t)by_server);
}

static void offer_text(walk *w, str s)
{
    enum { DIGITS_MAX = 16 };
    double n = 0;
    if (s.n == 0 || s.n > DIGITS_MAX)
        return;
    for (size_t i = 0; i < s.n; i++) {
        if (s.p[i] < '0' || s.p[i] > '9')
            return;
        n = 10 * n + (s.p[i] - '0');
    }
    offer(w, n);
}

static size_t slot_of(const walk *w, const void *address)
{
    size_t at = (size_t)(((uintptr_t)address >> 4) * UINT64_C(0x9e3779b97f4a7c15) >> 20) & (w->seen_cap - 1);
    while (w->seen[at] && w->seen[at] != address)
        at = (at + 1) & (w->seen_cap - 1);
    return at;
}

/* True the first time it is asked about this address. */
static bool is_new(walk *w, const void *address)
{
    if (2 * w->seen_count >= w->seen_cap) {
        const void **old = w->seen;
        size_t n = w->seen_cap;
        w->seen_cap = n ? 2 * n : 256;
        w->seen = mem_zero(w->seen_cap * sizeof *w->seen);
        for (size_t i = 0; i < n; i++)
            if (old[i])
                w->seen[slot_of(w, old[i])] = old[i];
        mem_free(old);
    }
    size_t at = slot_of(w, address);
    if (w->seen[at])
        return false;
    w->seen[at] = address;
    w->seen_count++;
    return true;
}

/* Looks at the value at the top of L and pops it; what has insides is put on the list, once. */
static void visit(walk *w, lua_State *L)
{
    str s;
    switch (lua_type(L, -1)) {
    case LUA_TNUMBER:
        offer(w, lua_tonumber(L, -1));
        break;
    case LUA_TSTRING:
        s.p = lua_tolstring(L, -1, &s.n);
        offer_text(w, s);
        break;
    case LUA_TTABLE:
    case LUA_TFUNCTION:
    case LUA_TUSERDATA:
    case LUA_TTHREAD:
        if (!is_new(w, lua_topointer(L, -1)))
            break;
        if (!lua_checkstack(w->S, 8))
            break;
        if (L != w->S)
            lua_xmove(L, w->S, 1);
        return;                                    /* it stays on S as an entry of the list */
    default:
        break;
    }
    lua_pop(L, 1);
}

static void open_thread(walk *w, lua_State *L)
{
    lua_Debug ar;
    if (!lua_checkstack(L, 4))
        return;
    if (lua_status(L) == 0 && !lua_getstack(L, 0, &ar)) {          /* not begun: its function and arguments */
        for (int i = 1, n = lua_gettop(L); i <= n; i++) {
            lua_pushvalue(L, i);
            visit(w, L);
        }
        return;
    }
    for (int level = 0; lua_getstack(L, level, &ar); level++) {
        lua_getinfo(L, "f", &ar);
        visit(w, L);
        for (int i = 1; lua_getlocal(L, &ar, i); i++)
            visit(w, L);
    }
}

/* Takes the last object off the list and offers what is in it. */
static void open_object(walk *w)
{
    lua_State *T = w->T;
    if (lua_type(w->S, -1) == LUA_TTHREAD) {
        lua_State *L = lua_tothread(w->S, -1);
        root_push(w->T, ROOT_COROUTINES);          /* the pcalls that stand on it */
        lua_xmove(w->S, w->T, 1);
        lua_rawget(w->T, -2);
        visit(w, w->T);
        lua_settop(w->T, 0);
        open_thread(w, L);
        return;
    }
    lua_xmove(w->S, T, 1);
    switch (lua_type(T, 1)) {
    case LUA_TTABLE:
        lua_pushnil(T);
        while (lua_next(T, 1)) {
            visit(w, T);
            lua_pushvalue(T, -1);
            visit(w, T);
        }
        if (lua_getmetatable(T, 1))
            visit(w, T);
        break;
    case LUA_TFUNCTION:
        for (int i = 1; lua_getupvalue(T, 1, i); i++)
            visit(w, T);
        break;
    default:
        lua_getfenv(T, 1);
        if (lua_istable(T, -1))
            visit(w, T);
    }
    lua_settop(T, 0);
}

void process_each_instant(process *p, int64_t now_ms, int64_t window_ms, void (*fn)(void *context, int64_t at_ms), void *context)
{
    static const int roots[] = { ROOT_FUTURES, ROOT_MODULES, ROOT_OBSERVED, ROOT_HANDLERS, ROOT_PROCESS, ROOT_PROGRAM, ROOT_TASKS };
    walk w = { .p = p, .now_ms = now_ms, .window_ms = window_ms, .fn = fn, .context = context };
    w.S = lua_newthread(p->L);
    w.T = lua_newthread(p->L);
    /* What every process has is no state: not the environment, not its functions. */
    root_push(w.S, ROOT_ENVIRONMENT);
    visit(&w, w.S);
    lua_settop(w.S, 0);
    for (size_t i = 0; i < COUNT(roots); i++) {
        root_push(w.S, roots[i]);
        visit(&w, w.S);
    }
    while (lua_gettop(w.S) > 0)
        open_object(&w);
    lua_pop(p->L, 2);
    mem_free(w.seen);
}
