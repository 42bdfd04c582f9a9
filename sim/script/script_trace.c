/* script_trace.c - runs of a covered server: every instruction of a script is counted, and each way that a decision
 * goes. And runs of a server whose comparisons are listened to.
 *
 * Lua's hooks name lines, not instructions. But while a hook runs, the thread's record holds the place in the code,
 * where stock liblua5.1 keeps it; code_words tells which function's code that is. Nothing that runs can see a
 * difference, with one exception: before each hook Lua sees to 20 free places on its stack. A script whose stack is
 * that close to full has it doubled where it would have got by without, and its budgets pay for that. */
#include "script/script_code.h"
#include "script/script_host.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "redis/server.h"
#include "script/comparisons.h"
#include "script/lua_compare.h"

/* A function's code in memory, and the points that count it. */
typedef struct {
    const uint32_t *from, *to;
    code_point *points;            /* of the first word */
    code_point *script;            /* of the script's first function */
} code_range;

/* What we know of a thread of the running script. */
typedef struct {
    lua_State *L;
    int interval, left;            /* instructions between two calls of host_hook, and until the next */
    code_point **last;             /* per level of calls: the last instruction counted there; NULL: none, or not of a
                                    * script we know */
    size_t levels, cap;            /* levels beyond are not in use */
    UT_hash_handle hh;
} traced_thread;

struct script_trace {
    coverage *c;                                   /* NULL: nothing is counted */
    const script_ears *hear;                       /* NULL: comparisons are not reported */
    code_range *ranges;
    size_t range_count, range_cap, recent;         /* recent: the range of the last instruction */
    traced_thread *threads, *current;
};

static void drop_threads(script_trace *t)
{
    traced_thread *each, *next;
    HASH_ITER(hh, t->threads, each, next) {
        HASH_DEL(t->threads, each);
        mem_free(each->last);
        mem_free(each);
    }
    t->current = NULL;
}

void script_trace_free(script_trace *t)
{
    if (!t)
        return;
    drop_threads(t);
    mem_free(t->ranges);
    mem_free(t);
}

static traced_thread *thread_of(script_trace *t, lua_State *L)
{
    if (t->current && t->current->L == L)
        return t->current;
    traced_thread *found;
    HASH_FIND_PTR(t->threads, &L, found);
    if (!found) {
        found = mem_zero(sizeof *found);
        found->L = L;
        HASH_ADD_PTR(t->threads, L, found);
    }
    return found;
}

/* ---- counting ---- */

static const code_range *range_of(script_trace *t, const uint32_t *at)
{
    const code_range *r = t->ranges + t->recent;
    if (t->range_count > 0 && at >= r->from && at < r->to)
        return r;
    for (size_t i = 0; i < t->range_count; i++)
        if (at >= t->ranges[i].from && at < t->ranges[i].to) {
            t->recent = i;
            return &t->ranges[i];
        }
    return NULL;                                   /* made by loadstring */
}

/* Levels that come into use hold nothing of calls that ended there. */
static void enter_level(traced_thread *th, size_t level)
{
    MEM_RESERVE(th->last, th->cap, level + 1);
    while (th->levels <= level)
        th->last[th->levels++] = NULL;
}

static void count(script_trace *t, traced_thread *th, size_t level)
{
    const uint32_t *at = code_next(th->L) - 1;
    const code_range *r = range_of(t, at);
    if (level >= th->levels)
        enter_level(th, level);
    th->levels = level + 1;
    code_point *before = th->last[level], *now = r ? r->points + (at - r->from) : NULL;
    th->last[level] = now;
    if (!now)
        return;
    now->count++;
    if (before && before->to[0] != before->to[1]) {
        uint32_t number = (uint32_t)(now - r->script);
        before->went[0] += before->to[0] == number;
        before->went[1] += before->to[1] == number;
    }
}

static void on_compared(void *ears, double difference)
{
    const script_ears *e = ears;
    e->compared(e->context, difference);
}

static void on_used(void *ears, lua_State *L, int index)
{
    const script_ears *e = ears;
    int type = index ? lua_type(L, index) : LUA_TNIL;
    double n = type == LUA_TNUMBER ? lua_tonumber(L, index) : 0;
    str value = { (const char *)&n, sizeof n };
    if (type == LUA_TSTRING)
        value.p = lua_tolstring(L, index, &value.n);
    e->used(e->context, type == LUA_TNIL ? NULL : &value);
}

static void trace_hook(lua_State *L, lua_Debug *ar)
{
    script_host *h = host_of(L);
    if (!h->run.running || !h->trace)
        return;
    traced_thread *th = h->trace->current = thread_of(h->trace, L);
    if (--th->left == 0) {
        th->left = th->interval;
        host_hook(L, ar);                          /* may end the run: then this instruction does not happen */
    }
    if (h->trace->hear)
        lua_hear(L, ar, &h->known, &(lua_ears){ (void *)h->trace->hear, on_compared, on_used });
    if (h->trace->c)
        count(h->trace, th, (size_t)ar->i_ci);
}

void script_trace_set_interval(script_host *h, lua_State *thread, int instructions)
{
    traced_thread *th = thread_of(h->trace, thread);
    th->interval = th->left = instructions;
    if (lua_gethook(thread) != trace_hook || lua_gethookcount(thread) != 1)
        lua_sethook(thread, trace_hook, LUA_MASKCOUNT, 1);
}

int script_trace_interval(script_host *h, lua_State *thread)
{
    return thread_of(h->trace, thread)->interval;
}

void script_trace_inherit(script_host *h, lua_State *maker, lua_State *thread)
{
    if (!h->trace)
        return;
    int interval = script_trace_interval(h, maker);
    traced_thread *th = thread_of(h->trace, thread);     /* it may lie where a dead one lay */
    th->interval = th->left = interval;
    th->levels = 0;
}

/* ---- what is covered ---- */

void script_trace_learn(script_host *h, const script *s)
{
    if (!h->trace || !h->trace->c)
        return;
    coverage_add(h->trace->c, (str){ s->sha, 40 }, s->body, s->lua_at);
}

static size_t add_ranges(script_trace *t, covered *s, const prototype *p, size_t number)
{
    const code_function *f = &s->functions[number++];
    size_t words_n;
    const uint32_t *words = code_words(p, &words_n);
    assert(words_n == f->count && words[0] == s->points[f->first].word);
    MEM_RESERVE(t->ranges, t->range_cap, t->range_count + 1);
    t->ranges[t->range_count++] = (code_range){ .from = words, .to = words + words_n, .points = s->points + f->first,
                                                .script = s->points };
    for (size_t i = 0; i < f->children; i++)
        number = add_ranges(t, s, code_child(p, i), number);
    return number;
}

void script_trace_start(script_host *h, script *s)
{
    script_trace *t = h->trace;
    if (!t)
        return;
    if (!s->traced && t->c) {
        add_ranges(t, coverage_find(t->c, (str){ s->sha, 40 }), code_prototype(lua_topointer(h->L, -1)), 0);
        s->traced = true;
    }
    if (HASH_COUNT(t->threads) > 1 || (t->threads && t->threads->L != h->L))
        drop_threads(t);                           /* coroutines of the last run */
    else if (t->threads)
        t->threads->levels = 0;
}

static void forget_code(script_host *h)
{
    for (size_t i = 0; i < h->table_cap; i++)
        if (h->table[i])
            h->table[i]->traced = false;
    for (size_t i = 0; i < h->libraries_n; i++)
        h->libraries[i]->code.traced = false;
}

void script_trace_forget(script_host *h)
{
    forget_code(h);
    if (!h->trace)
        return;
    drop_threads(h->trace);
    h->trace->range_count = h->trace->recent = 0;
}

static void cover(script_host *h, coverage *c)
{
    assert(!h->run.running);
    script_trace_free(h->trace);
    h->trace = NULL;
    forget_code(h);
    if (!c)
        return;
    h->trace = mem_zero(sizeof *h->trace);
    h->trace->c = c;
    for (size_t i = 0; i < h->table_cap; i++)
        if (h->table[i])
            script_trace_learn(h, h->table[i]);
    for (size_t i = 0; i < h->libraries_n; i++)
        script_trace_learn(h, &h->libraries[i]->code);
}

void redis_cover(redis *r, coverage *c)
{
    cover(r->scripts, c);
    cover(r->scripts->functions, c);
}

/* ---- what is compared ---- */

static void hear(script_host *h, const script_ears *ears)
{
    assert(!h->run.running);
    if (!h->trace && ears)
        h->trace = mem_zero(sizeof *h->trace);
    if (!h->trace)
        return;
    h->trace->hear = ears;
    if (ears || h->trace->c)
        return;
    script_trace_free(h->trace);
    h->trace = NULL;
    if (h->L)
        lua_sethook(h->L, NULL, 0, 0);             /* the next run sets its own */
}

void redis_hear_scripts(redis *r, const script_ears *ears)
{
    hear(r->scripts, ears);
    if (r->scripts->functions)
        hear(r->scripts->functions, ears);
}
