/* pool.c - many processes in one Lua state. What belongs to one process hangs on its own roots; libraries, metatables
 * and global names, all read-only, exist once. Code is compiled once: a wrapper function around a file returns its main
 * chunk, so each process gets its own closures over the same instructions. */
#include <assert.h>
#include <string.h>

#include "base/mem.h"
#include "client/heap.h"
#include "client/process_internal.h"
#include "scenario/case_layers.h"

#define POOL_BYTES_MAX (UINT64_C(4) << 30)

struct process_pool {
    process *first;        /* owns the state; never runs */
    process *current;      /* the running process, or the last one: for process_of */
    const scenario *sc;
    int places;            /* for roots, besides the first process's; those of freed processes: */
    int *spare;
    size_t spare_count, spare_cap;
};

enum { PAUSE_SMALL = 400, PAUSE_LARGE = 200, SMALL_BYTES = 32 * 1024 * 1024 };

process_pool *process_pool_new(const scenario *sc, const loader *l)
{
    process_pool *pool = mem_zero(sizeof *pool);
    pool->sc = sc;
    pool->first = state_new(sc->sources, l, arena_new());
    pool->first->scenario = sc;
    pool->first->heap_max = POOL_BYTES_MAX;
    lua_State *L = pool->first->L;
    threads_use_again(pool->first->threads);
    lua_newtable(L);
    lua_rawseti(L, LUA_REGISTRYINDEX, REGISTRY_MAKERS);
    pool->current = pool->first;
    return pool;
}

void process_pool_free(process_pool *pool)
{
    if (!pool)
        return;
    arena *memory = pool->first->memory;
    state_free(pool->first);
    arena_free(memory);
    mem_free(pool->spare);
    mem_free(pool);
}

size_t process_pool_bytes(const process_pool *pool)
{
    return (size_t)lua_gc(pool->first->L, LUA_GCCOUNT, 0) * 1024;
}

void process_tell_places(process *p)
{
    p->placeless = false;
}

static void enter(process_pool *pool, process *p)
{
    if (pool->current == p)
        return;
    void *was;
    lua_setallocf(p->L, lua_getallocf(p->L, &was), p);
    pool->current = p;
}

void pool_enter(process *p)
{
    enter(p->pool, p);
}

/* Takes a place for roots in the registry; what can be shared comes from the first process. */
static void make_roots(process *p)
{
    process_pool *pool = p->pool;
    lua_State *L = p->L;
    p->roots = pool->spare_count ? pool->spare[--pool->spare_count] : REGISTRY_ROOTS + ++pool->places * ROOT_SLOTS;
    for (int slot = 0; slot < ROOT_SLOTS; slot++) {
        bool shared = slot == ROOT_COROUTINES || slot == ROOT_DEAD || slot == ROOT_ENVIRONMENT || slot == ROOT_REDIS;
        if (shared)
            lua_rawgeti(L, LUA_REGISTRYINDEX, pool->first->roots + slot);
        else
            lua_newtable(L);
        root_set(L, slot);
    }
}

static void forget_roots(process *p)
{
    process_pool *pool = p->pool;
    for (int slot = 0; slot < ROOT_SLOTS; slot++) {
        lua_pushnil(p->L);
        root_set(p->L, slot);
    }
    MEM_RESERVE(pool->spare, pool->spare_cap, pool->spare_count + 1);
    pool->spare[pool->spare_count++] = p->roots;
}

void pool_leave(process *p)
{
    enter(p->pool, p);
    forget_roots(p);
    enter(p->pool, p->pool->first);
    mem_free(p->links);
    mem_free(p);
}

static void keep_program(process *p)
{
    case_push_field(p->L, lua_gettop(p->L), p->scenario, "program");
    root_set(p->L, ROOT_PROGRAM);
}

process *process_pool_add(process_pool *pool, size_t client, uint32_t incarnation, int64_t now_ms, err *e)
{
    const scenario *sc = pool->sc;
    assert(client < sc->client_count);
    process *p = mem_zero(sizeof *p);
    *p = (process){ .head.kind = &process_live, .pool = pool, .sources = sc->sources,
                    .loader = pool->first->loader, .memory = arena_new(), .heap = pool->first->heap,
                    .heap_max = pool->first->heap_max, .class_ = ERR_SCENARIO, .threads = pool->first->threads,
                    .L = pool->first->L, .scratch = pool->first->scratch,
                    .scenario = sc, .number = client, .now_ms = now_ms, .born_ms = now_ms,
                    .skew_ms = sc->clients[client].skew_ms, .thread_count = sc->clients[client].threads };
    process_name(p, incarnation);
    enter(pool, p);                                /* it is unguarded, and cannot fail, until its file runs */
    make_roots(p);
    state_refill(p);
    source *main = sc->main;
    if (!process_load_main(p, sc->file, sc->text, &main, e)) {
        process_free(p);
        return NULL;
    }
    p->class_ = ERR_DRIVER;
    keep_program(p);
    lua_gc(p->L, LUA_GCSETPAUSE, heap_bytes(p->heap) < SMALL_BYTES ? PAUSE_SMALL : PAUSE_LARGE);
    lua_settop(p->L, 0);
    p->placeless = true;
    return p;
}

bool pool_load(process *p, lua_State *L, source *s, err *e)
{
    int guarded = p->guarded;
    p->guarded = 0;
    lua_rawgeti(L, LUA_REGISTRYINDEX, REGISTRY_MAKERS);
    lua_rawgeti(L, -1, (int)s->number + 1);
    bool ok = true;
    if (lua_isnil(L, -1)) {
        lua_pop(L, 1);
        buf text = { 0 };
        buf_addz(&text, "return function() ");     /* on the first line, so that lines are what they were */
        buf_add(&text, s->laid);
        buf_addz(&text, " end");
        char mark[16] = { '=', 1 };
        buf number = { 0 };
        buf_printf(&number, "%u", (unsigned)s->number);
        memcpy(mark + 2, number.p, number.n + 1);
        buf_free(&number);
        ok = luaL_loadbuffer(L, text.p, text.n, mark) == 0;
        buf_free(&text);
        if (ok) {
            lua_pushvalue(L, -1);
            lua_rawseti(L, -3, (int)s->number + 1);
        } else {
            state_fail(p, L, NULL, e);
        }
    }
    if (ok) {
        lua_call(L, 0, 1);                         /* it only makes a closure */
        lua_remove(L, -2);
    } else {
        lua_pop(L, 1);
    }
    p->guarded = guarded;
    return ok;
}
