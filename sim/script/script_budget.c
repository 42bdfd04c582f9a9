/* script_budget.c - the budgets of a script run: its heap, its instructions, and the work done inside C functions.
 *
 * Stock Lua counts instructions, but one instruction may copy megabytes (a concatenation, a comparison, a call with
 * thousands of arguments), and a hook never fires inside a C function. So besides the count hook: library functions
 * charge their work with host_charge; large blocks are charged as they are allocated; and while a run holds a very long
 * string or a very wide stack frame, each instruction costs proportionally more (`weight`).
 *
 * The outcome must not depend on what earlier runs left behind. So Lua's own collector is stopped; we collect between
 * runs, after every run that made a large block, and within a run when its own garbage grows. */
#include "script/script_host.h"

#include <assert.h>
#include <string.h>

#include "base/mem.h"
#include "script/lua_slots.h"

#if defined(__SANITIZE_ADDRESS__)
#define POOLED_MAX 0                   /* every block by malloc, so that the sanitizer sees its ends */
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define POOLED_MAX 0
#endif
#endif
#ifndef POOLED_MAX
#define POOLED_MAX 512
#endif

enum { GRAIN = 16, PAGE_BYTES = 32 << 10, COLLECT_BYTES = 4 << 20, RESERVE_BYTES = 1 << 20 };

/* Some milliseconds: then the server's host learns that the script still runs. */
enum { SLICE_STEPS = 1000000 };

enum { SMALL_BLOCKS_FREE = 1000 };    /* this many small blocks of a run are not checked */

typedef struct page {
    struct page *next;
    max_align_t data[];
} page;

static void *pool_refill(script_host *h, size_t class_)
{
    size_t bytes = class_ * GRAIN;
    page *pg = mem_alloc(sizeof *pg + PAGE_BYTES);
    pg->next = h->pages;
    h->pages = pg;
    char *at = (char *)pg->data;
    void *first = NULL;
    for (size_t i = PAGE_BYTES / bytes; i-- > 0;) {      /* so that addresses ascend as blocks are taken */
        void *block = at + i * bytes;
        memcpy(block, &first, sizeof first);
        first = block;
    }
    return first;
}

static inline void *pool_take(script_host *h, size_t bytes)
{
    if (bytes > POOLED_MAX)
        return mem_alloc(bytes);
    size_t class_ = (bytes + GRAIN - 1) / GRAIN;
    void *p = h->free_list[class_];
    if (!p)
        p = pool_refill(h, class_);
    memcpy(&h->free_list[class_], p, sizeof p);
    /* it was freed long ago, and the next of this size will be cut from it */
    __builtin_prefetch(h->free_list[class_], 1);
    return p;
}

static inline void pool_give(script_host *h, void *p, size_t bytes)
{
    if (bytes > POOLED_MAX) {
        mem_free(p);
        return;
    }
    size_t class_ = (bytes + GRAIN - 1) / GRAIN;
    memcpy(p, &h->free_list[class_], sizeof p);
    h->free_list[class_] = p;
}

void host_heap_free(script_host *h)
{
    for (page *pg = h->pages, *next; pg; pg = next) {
        next = pg->next;
        mem_free(pg);
    }
    h->pages = NULL;
    memset(h->free_list, 0, sizeof h->free_list);
    h->heap_bytes = h->heap_live = 0;
}

static bool is_string(const char *block, size_t bytes)
{
    size_t length;
    memcpy(&length, block + STRING_LENGTH_AT, sizeof length);
    return block[STRING_TYPE_AT] == LUA_TSTRING && length + STRING_HEADER + 1 == bytes;
}

static void set_interval(script_host *h, lua_State *thread, int instructions)
{
    if (h->trace)
        script_trace_set_interval(h, thread, instructions);
    else
        lua_sethook(thread, host_hook, LUA_MASKCOUNT, instructions);
}

static int interval_of(script_host *h, lua_State *thread)
{
    return h->trace ? script_trace_interval(h, thread) : lua_gethookcount(thread);
}

static void hook_soon(script_host *h)
{
    if (h->current && h->run.running)
        set_interval(h, h->current, 1);
}

/* For a run without a budget; 0 for others. */
static uint64_t next_slice(script_host *h)
{
    uint64_t steps = h->blown ? 0 : h->steps_more < SLICE_STEPS ? h->steps_more : SLICE_STEPS;
    h->steps_more -= steps;
    return steps;
}

static void spend(script_host *h, uint64_t steps)
{
    if (h->steps_left > steps) {
        h->steps_left -= steps;
        return;
    }
    h->steps_left = next_slice(h);
    if (h->steps_left == 0)
        hook_soon(h);
}

/* Lua hashes only some bytes of a long string, so strings that differ elsewhere share a chain, and adding one means
 * walking the chain. Each new string is checked when the next block is allocated: one whose hash occurs too often is
 * charged for the walk. */
static void watch_small(script_host *h, const void *p, size_t bytes)
{
    if (h->small_n == SMALL_BLOCKS_FREE + 1) {
        memset(h->hashes, 0, sizeof h->hashes);
        h->strings_n = 0;
    }
    if (h->last_small && is_string(h->last_small, h->last_small_bytes)) {
        uint32_t hash;
        memcpy(&hash, h->last_small + STRING_HASH_AT, sizeof hash);
        uint32_t seen = ++h->hashes[hash * UINT32_C(2654435769) >> (32 - HOST_HASH_BITS)];
        uint32_t usual = 8 + (uint32_t)(++h->strings_n >> (HOST_HASH_BITS - 3));
        if (seen > usual)
            spend(h, seen - usual);
    }
    h->last_small = p;
    h->last_small_bytes = bytes;
}

static void pending_forget(script_host *h, const void *p)
{
    for (size_t i = 0; i < h->pending_n; i++)
        if (h->pending[i].p == p)
            h->pending[i--] = h->pending[--h->pending_n];
}

/* Lua's table of all strings is shared by all runs and grows in powers of two: which run grows it would depend on
 * earlier runs. A block of exactly this size is detected and charged when it is checked. */
static bool maybe_string_table(size_t bytes)
{
    return (bytes & (bytes - 1)) == 0;
}

static void pending_add(script_host *h, void *p, size_t bytes, bool fresh)
{
    if (h->pending_n == HOST_PENDING_MAX)
        h->pending[0] = h->pending[--h->pending_n];     /* the oldest had its chance to be looked at */
    h->pending[h->pending_n].p = p;
    h->pending[h->pending_n].bytes = bytes;
    h->pending[h->pending_n++].fresh = fresh;
    if (!(fresh && maybe_string_table(bytes)) || bytes >= HOST_HUGE_BYTES)
        hook_soon(h);    /* which forgets the instructions counted since the last hook */
}

void *host_alloc(void *host, void *p, size_t old_bytes, size_t new_bytes)
{
    script_host *h = host;
    if (p && p == h->last_small)
        h->last_small = NULL;
    if (old_bytes >= HOST_CHARGED_BYTES && h->pending_n > 0)
        pending_forget(h, p);
    if (new_bytes == 0) {
        if (p)
            pool_give(h, p, old_bytes);
        h->heap_bytes -= old_bytes;
        return NULL;
    }
    if (new_bytes > old_bytes && h->in_library && h->steps_left == 0) {
        if (h->blown == BLOWN_NOT) {
            h->blown = BLOWN_STEPS;
            h->blown_line = script_line_of(h->current);
        }
        return NULL;
    }
    if (new_bytes > old_bytes) {
        size_t more = new_bytes - old_bytes;
        if (h->heap_max != SIZE_MAX && (h->heap_bytes > h->heap_max || more > h->heap_max - h->heap_bytes)) {
            if (h->blown == BLOWN_NOT) {
                h->blown = BLOWN_BYTES;
                h->blown_line = script_line_of(h->current);
            }
            h->heap_max += RESERVE_BYTES;                /* for unwinding */
            hook_soon(h);
            return NULL;
        }
        if (new_bytes >= HOST_CHARGED_BYTES) {
            h->allocated_big = true;
            if (p || !maybe_string_table(new_bytes))
                spend(h, more / 16);
        }
    }
    void *q;
    if (!p) {
        q = pool_take(h, new_bytes);
    } else if (old_bytes > POOLED_MAX && new_bytes > POOLED_MAX) {
        q = mem_grow(p, new_bytes);
    } else if ((old_bytes + GRAIN - 1) / GRAIN == (new_bytes + GRAIN - 1) / GRAIN && old_bytes <= POOLED_MAX &&
               new_bytes <= POOLED_MAX) {
        q = p;
    } else {
        q = pool_take(h, new_bytes);
        memcpy(q, p, old_bytes < new_bytes ? old_bytes : new_bytes);
        pool_give(h, p, old_bytes);
    }
    h->heap_bytes += new_bytes - old_bytes;
    if (!p && new_bytes > STRING_HEADER && new_bytes < HOST_CHARGED_BYTES && ++h->small_n > SMALL_BLOCKS_FREE)
        watch_small(h, q, new_bytes);
    if (new_bytes >= HOST_BIG_BYTES || (new_bytes >= HOST_CHARGED_BYTES && !p && maybe_string_table(new_bytes)))
        pending_add(h, q, new_bytes, p == NULL);
    return q;
}

/* How deep the thread's calls are nested: the debug record numbers them (tail calls, which lua_getstack counts too,
 * take no room). */
static size_t call_depth(lua_State *L)
{
    lua_Debug ar;
    return lua_getstack(L, 0, &ar) && ar.i_ci > 0 ? (size_t)ar.i_ci : 1;
}

static void weigh(script_host *h, uint64_t weight)
{
    if (weight > h->weight)
        h->weight = weight;
}

/* Looks at the large blocks made since the last hook. A long string: each instruction may copy or compare it. A stack:
 * each instruction may copy the arguments of its widest frame, estimated by the mean. A table: nothing, but `next` may
 * have to walk it. Deep recursion of narrow frames costs nothing extra, so that it ends in Lua's own "stack
 * overflow". */
static void look_at_pending(script_host *h, lua_State *L)
{
    for (size_t i = 0; i < h->pending_n; i++) {
        const char *p = h->pending[i].p;
        size_t bytes = h->pending[i].bytes;
        void *mark;
        int type;
        memcpy(&mark, p + sizeof(lua_slot), sizeof mark);
        memcpy(&type, p + sizeof(lua_slot) + sizeof mark, sizeof type);
        if (h->pending[i].fresh && is_string(p, bytes)) {
            if (maybe_string_table(bytes))
                spend(h, bytes / 16);
            weigh(h, bytes / 1024);
        } else if (mark == (void *)h && type == LUA_TLIGHTUSERDATA) {
            uint64_t mean = bytes / sizeof(lua_slot) / call_depth(L);
            if (mean > 64)
                weigh(h, mean / 16);
        } else if (bytes >= HOST_BIG_BYTES && bytes > h->largest_table_bytes) {
            h->largest_table_bytes = bytes;
        }
    }
    h->pending_n = 0;
}

static void collect(script_host *h, lua_State *L)
{
    lua_gc(L, LUA_GCCOLLECT, 0);
    lua_gc(L, LUA_GCSTOP, 0);
    h->heap_live = h->heap_bytes;
}

/* Sets the hook of a thread to fire as often as the weight asks. */
void host_watch(lua_State *L, lua_State *thread)
{
    script_host *h = host_of(L);
    uint64_t interval = (uint64_t)h->interval;
    if (thread != h->L && interval > HOST_COROUTINE_STEPS)
        interval = HOST_COROUTINE_STEPS;
    interval = h->blown || h->steps_left == 0 ? 1 : interval / h->weight;
    if (interval == 0)
        interval = 1;
    if (interval_of(h, thread) != (int)interval)         /* setting it would begin the count anew */
        set_interval(h, thread, (int)interval);
}

static void killed(lua_State *L, lua_Debug *ar)
{
    (void)ar;
    const redis *r = host_of(L)->server;
    script_raise(L, server_say(r, r->runs_function ? WORDS_KILLED_FUNCTION : WORDS_KILLED_SCRIPT));
}

/* The server's host may leave the script here and come back later, and may have asked it to end. A script that catches
 * that error gets no further than the next line. */
static void tell_host(script_host *h, lua_State *L)
{
    const redis *r = h->server;
    if (h->steps_more == 0 || !r->host.script_runs)
        return;
    r->host.script_runs(r->host.context);
    if (!r->script_killed)
        return;
    lua_sethook(L, killed, LUA_MASKLINE, 0);
    killed(L, NULL);
}

void host_spent(script_host *h, lua_State *L)
{
    h->steps_left = next_slice(h);
    if (h->steps_left == 0)
        host_blow(L, BLOWN_STEPS);
    tell_host(h, L);
}

void host_hook(lua_State *L, lua_Debug *ar)
{
    (void)ar;
    script_host *h = host_of(L);
    if (!h->run.running)
        return;
    if (h->blown)
        host_blow(L, h->blown);
    spend(h, (uint64_t)interval_of(h, L) * h->weight);
    if (h->pending_n > 0)
        look_at_pending(h, L);
    size_t garbage = h->heap_bytes - (h->heap_bytes < h->heap_live ? h->heap_bytes : h->heap_live);
    size_t room = (h->heap_max - (h->heap_max < h->heap_live ? h->heap_max : h->heap_live)) / 2;
    if (garbage > COLLECT_BYTES && (garbage > h->heap_live || garbage > room))
        collect(h, L);
    if (h->steps_left == 0)
        host_blow(L, BLOWN_STEPS);
    host_watch(L, L);
    tell_host(h, L);
}

int host_blow(lua_State *L, blown_kind kind)
{
    script_host *h = host_of(L);
    if (h->blown == BLOWN_NOT) {
        h->blown = kind;
        h->blown_line = script_line_of(L);
    }
    h->steps_left = 0;
    set_interval(h, L, 1);
    lua_pushlightuserdata(L, h);
    return lua_error(L);
}

void host_check(lua_State *L, int status)
{
    script_host *h = host_of(L);
    if (h->blown != BLOWN_NOT || status == LUA_ERRMEM)
        host_blow(L, BLOWN_BYTES);
}

void host_many(lua_State *L, size_t n)
{
    host_charge(L, n);
    if (n > 256) {
        weigh(host_of(L), n / 32);
        host_watch(L, L);
    }
}

size_t host_library_begin(script_host *h, bool unlimited)
{
    size_t heap_max = h->heap_max;
    if (unlimited)
        h->heap_max = SIZE_MAX;
    h->in_library = true;
    return heap_max;
}

void host_library_end(script_host *h, size_t heap_max)
{
    h->in_library = false;
    h->heap_max = heap_max;
}

void host_heap_limit(script_host *h)
{
    h->heap_max = h->heap_bytes + h->limits.script_bytes;
}

/* The heap limit begins with host_heap_limit, when KEYS and ARGV are there. */
void host_budget_start(script_host *h)
{
    uint64_t steps = h->limits.script_steps;
    h->steps_left = steps;
    h->steps_more = 0;
    h->interval = steps >= 64000 ? 1000 : steps < 64 ? 1 : (int)(steps / 64);
    h->weight = 1;
    h->largest_table_bytes = 0;
    h->pending_n = 0;
    h->small_n = 0;
    h->last_small = NULL;
    h->in_library = false;
    h->blown = BLOWN_NOT;
    h->blown_line = 0;
    h->allocated_big = false;
    h->next_table = NULL;
    h->ids = 0;
    h->current = h->L;
    h->run.running = true;
    set_interval(h, h->L, h->interval);
}

void host_budget_lift(script_host *h)
{
    if (!h->server->host.script_runs)
        return;
    h->steps_left = SLICE_STEPS;
    h->steps_more = UINT64_MAX / 2;
}

void host_budget_end(script_host *h)
{
    h->run.running = false;
    h->heap_max = SIZE_MAX;
    h->pending_n = 0;
    if (h->blown == BLOWN_NOT && h->allocated_big)
        collect(h, h->L);
    else if (h->blown == BLOWN_NOT)
        host_tidy(h);
}

void host_tidy(script_host *h)
{
    if (h->heap_bytes > h->heap_live * 2 + (256 << 10))
        collect(h, h->L);
}
