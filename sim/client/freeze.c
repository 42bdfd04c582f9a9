/* freeze.c - a process as canonical bytes: equal bytes mean equal futures, whatever way led there.
 *
 * The bytes describe one graph: the C side (tasks, waits, subscriptions), then every Lua object that can be reached from it, each
 * once, numbered in the order of discovery. Table fields go in sorted order (client code cannot see any other), a function by
 * the place where it was written and its upvalues, a coroutine by its frames: function, position, locals, temporaries. A frame's
 * current line tells the very call it stands in, because client Lua is loaded one token per line (source.h).
 *
 * Whether two closures share an upvalue cannot be asked of stock Lua 5.1, so it is tried: a mark is written through one, looked
 * for through the others (and in the locals of suspended frames), and taken back.
 *
 * Instants are written relative to now_ms: a number within WINDOW_MS of now, or a text of digits that is one, is taken for an
 * instant. Numbers that only count (requests, tasks, places in a line) are written as ranks. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define uthash_malloc(bytes) mem_alloc(bytes)
#define uthash_free(block, bytes) mem_free(block)
#include "base/mem.h"
#include "client/process_internal.h"
#include <uthash.h>

#define WINDOW_MS INT64_C(1000000000)

typedef struct known {
    const void *address;
    uint32_t id;
    UT_hash_handle hh;
} known;

/* An upvalue as a variable of its own: the closure it was first met in, and its place there. */
typedef struct {
    uint32_t closure, index;
    str path;              /* shared ones have the same file and the same name */
    const char *name;
} cell;

typedef struct {
    process *p;
    int64_t now_ms;
    buf *out;
    known *objects;
    lua_State *L;          /* [QUEUE] objects by id; above it, room to work */
    uint32_t count, done;  /* ids given; objects written */
    cell *cells;
    size_t cell_count, cell_cap;
    uint32_t *ranks;       /* numbers of requests that matter, sorted */
    size_t rank_count, rank_cap;
    const char *failure;
} freezer;

enum { QUEUE = 1 };

/* ---- numbers ---- */

static bool near_now(const freezer *f, double n)
{
    return n == floor(n) && n >= (double)(f->now_ms - WINDOW_MS) && n <= (double)(f->now_ms + WINDOW_MS);
}

static void put_number(freezer *f, double n)
{
    uint64_t bits;
    if (near_now(f, n)) {
        buf_byte(f->out, 'T');
        buf_u64(f->out, (uint64_t)((int64_t)n - f->now_ms));
        return;
    }
    memcpy(&bits, &n, sizeof bits);
    buf_byte(f->out, 'n');
    buf_u64(f->out, bits);
}

static void put_text(freezer *f, str s)
{
    enum { DIGITS_MAX = 16 };
    double n = 0;
    bool digits = s.n > 0 && s.n <= DIGITS_MAX && s.p[0] != '0';
    for (size_t i = 0; i < s.n && digits; i++) {
        digits = s.p[i] >= '0' && s.p[i] <= '9';
        n = 10 * n + (s.p[i] - '0');
    }
    if (digits && near_now(f, n)) {
        buf_byte(f->out, 't');
        buf_u64(f->out, (uint64_t)((int64_t)n - f->now_ms));
        return;
    }
    buf_byte(f->out, 's');
    buf_lenstr(f->out, s);
}

static void put_instant(freezer *f, int64_t at_ms)
{
    buf_u64(f->out, at_ms == INT64_MAX ? UINT64_MAX : (uint64_t)(at_ms - f->now_ms));
}

/* ---- values ---- */

/* Pops the object at the top of L: its number, a new one if it was never met. */
static uint32_t number_object(freezer *f, lua_State *L)
{
    const void *address = lua_topointer(L, -1);
    known *k;
    HASH_FIND_PTR(f->objects, &address, k);
    if (!k) {
        k = mem_zero(sizeof *k);
        k->address = address;
        k->id = ++f->count;
        HASH_ADD_PTR(f->objects, address, k);
        if (L != f->L)
            lua_xmove(L, f->L, 1);
        lua_rawseti(f->L, QUEUE, (int)k->id);
        return k->id;
    }
    lua_pop(L, 1);
    return k->id;
}

/* Writes the value at the top of L and pops it. */
static void put_value(freezer *f, lua_State *L)
{
    str s;
    switch (lua_type(L, -1)) {
    case LUA_TNIL:
        buf_byte(f->out, '0');
        break;
    case LUA_TBOOLEAN:
        buf_byte(f->out, lua_toboolean(L, -1) ? 'Y' : 'N');
        break;
    case LUA_TNUMBER:
        put_number(f, lua_tonumber(L, -1));
        break;
    case LUA_TSTRING:
        s.p = lua_tolstring(L, -1, &s.n);
        put_text(f, s);
        break;
    case LUA_TLIGHTUSERDATA:                       /* client code has none */
        f->failure = "a light userdata";
        break;
    default:
        buf_byte(f->out, 'o');
        buf_u64(f->out, number_object(f, L));
        return;
    }
    lua_pop(L, 1);
}

static void put_root(freezer *f, int slot)
{
    root_push(f->L, slot);
    put_value(f, f->L);
}

static void put_thread(freezer *f, lua_State *thread)
{
    lua_pushthread(thread);
    if (thread != f->L)
        lua_xmove(thread, f->L, 1);
    put_value(f, f->L);
}

/* ---- tables ---- */

typedef struct {
    int type;
    double number;
    str text;
    uint32_t object;
} field_key;

static int field_order(const void *x, const void *y)
{
    const field_key *a = x, *b = y;
    if (a->type != b->type)
        return a->type - b->type;
    if (a->type == LUA_TSTRING)
        return str_cmp(a->text, b->text);
    if (a->type == LUA_TNUMBER || a->type == LUA_TBOOLEAN)
        return (a->number > b->number) - (a->number < b->number);
    return (a->object > b->object) - (a->object < b->object);
}

/* The table at index `at` of f->L. */
static void put_table(freezer *f, int at)
{
    lua_State *L = f->L;
    field_key *keys = NULL;
    size_t count = 0, cap = 0, strangers = 0;
    for (lua_pushnil(L); lua_next(L, at); lua_pop(L, 1)) {
        MEM_RESERVE(keys, cap, count + 1);
        field_key *k = &keys[count++];
        *k = (field_key){ .type = lua_type(L, -2) };
        if (k->type == LUA_TNUMBER)
            k->number = lua_tonumber(L, -2);
        else if (k->type == LUA_TBOOLEAN)
            k->number = lua_toboolean(L, -2);
        else if (k->type == LUA_TSTRING)
            k->text.p = lua_tolstring(L, -2, &k->text.n);
        else {
            known *met;
            const void *address = lua_topointer(L, -2);
            HASH_FIND_PTR(f->objects, &address, met);
            k->object = met ? met->id : UINT32_MAX;
            strangers += !met;
        }
    }
    if (strangers > 1)     /* nothing says which comes first */
        f->failure = "a table with several tables, functions or coroutines as keys that nothing else refers to";
    if (count > 1)
        qsort(keys, count, sizeof *keys, field_order);
    buf_byte(f->out, '{');
    buf_u64(f->out, count);
    for (size_t i = 0; i < count; i++) {
        switch (keys[i].type) {
        case LUA_TNUMBER: lua_pushnumber(L, keys[i].number); break;
        case LUA_TBOOLEAN: lua_pushboolean(L, keys[i].number != 0); break;
        case LUA_TSTRING: lua_pushlstring(L, keys[i].text.p, keys[i].text.n); break;
        default:
            if (keys[i].object != UINT32_MAX)
                lua_rawgeti(L, QUEUE, (int)keys[i].object);
            else                                   /* the only one: find it again */
                for (lua_pushnil(L); lua_next(L, at);) {
                    known *met = NULL;
                    const void *address = lua_topointer(L, -2);
                    int type = lua_type(L, -2);
                    if (type != LUA_TNUMBER && type != LUA_TBOOLEAN && type != LUA_TSTRING)
                        HASH_FIND_PTR(f->objects, &address, met);
                    lua_pop(L, 1);
                    if (address && !met)
                        break;
                }
        }
        lua_pushvalue(L, -1);
        put_value(f, L);
        lua_rawget(L, at);
        put_value(f, L);
    }
    mem_free(keys);
    if (lua_getmetatable(L, at)) {
        buf_byte(f->out, 'm');
        put_value(f, L);
    }
}

/* ---- functions and their upvalues ---- */

/* Writes the mark through one upvalue and looks for it through another. The closures lie at `a` and `b` on f->L. */
static bool same_cell(freezer *f, int a, int i, int b, int j)
{
    static const char mark = 0;
    lua_State *L = f->L;
    lua_getupvalue(L, a, i);
    lua_pushlightuserdata(L, (void *)&mark);
    lua_setupvalue(L, a, i);
    lua_getupvalue(L, b, j);
    bool same = lua_touserdata(L, -1) == &mark;
    lua_pop(L, 1);
    lua_setupvalue(L, a, i);
    return same;
}

static void put_upvalue(freezer *f, uint32_t closure, int at, int index, const char *name, str path)
{
    lua_State *L = f->L;
    for (size_t c = 0; c < f->cell_count; c++) {
        cell *x = &f->cells[c];
        if (strcmp(x->name, name) != 0 || !str_eq(x->path, path))
            continue;
        lua_rawgeti(L, QUEUE, (int)x->closure);
        bool same = same_cell(f, at, index, lua_gettop(L), (int)x->index);
        lua_pop(L, 1);
        if (same) {
            buf_byte(f->out, 'u');
            buf_u64(f->out, c);
            return;
        }
    }
    MEM_RESERVE(f->cells, f->cell_cap, f->cell_count + 1);
    f->cells[f->cell_count++] = (cell){ .closure = closure, .index = (uint32_t)index, .name = name, .path = path };
    buf_byte(f->out, 'U');
    lua_getupvalue(L, at, index);
    put_value(f, L);
}

/* The name of an upvalue, borrowed from its function; NULL if it has no more. */
static const char *upvalue_name(lua_State *L, int at, int index)
{
    const char *name = lua_getupvalue(L, at, index);
    if (name)
        lua_pop(L, 1);
    return name;
}

static void put_function(freezer *f, uint32_t id, int at)
{
    lua_State *L = f->L;
    if (lua_iscfunction(L, at)) {
        /* One of ours: the distance to another of ours is the same wherever the program was loaded. */
        lua_CFunction here = lua_tocfunction(L, at);
        buf_byte(f->out, 'C');
        buf_u64(f->out, (uint64_t)((intptr_t)here - (intptr_t)raise_at));
        for (int i = 1; lua_getupvalue(L, at, i); i++)
            put_value(f, L);
        return;
    }
    lua_pushvalue(L, at);
    position where = state_function_place(f->p, L);
    lua_pop(L, 1);
    buf_byte(f->out, 'F');
    buf_lenstr(f->out, where.path);
    buf_u64(f->out, (uint64_t)where.line << 32 | (uint32_t)where.col);
    const char *name;
    for (int i = 1; (name = upvalue_name(L, at, i)); i++)
        put_upvalue(f, id, at, i, name, where.path);
}

/* ---- coroutines ---- */

static void put_frames(freezer *f, lua_State *T)
{
    lua_Debug ar;
    for (int level = 0; lua_getstack(T, level, &ar); level++) {
        lua_getinfo(T, "Slf", &ar);
        buf_byte(f->out, '[');
        put_value(f, T);
        if (*ar.what == 'C')
            continue;      /* it is waited in: what it gets comes from outside, its own slots are never read again */
        buf_u64(f->out, (uint64_t)ar.currentline);
        for (int i = 1; lua_getlocal(T, &ar, i); i++)
            put_value(f, T);
        buf_byte(f->out, ']');
    }
}

static void put_coroutine(freezer *f, int at)
{
    lua_State *L = f->L, *T = lua_tothread(L, at);
    lua_checkstack(T, 8);
    buf_byte(f->out, 'c');
    buf_u64(f->out, (uint64_t)lua_status(T));
    int top = lua_gettop(T);
    buf_u64(f->out, (uint64_t)top);                /* not begun: function and arguments; suspended: what it yielded */
    for (int i = 1; i <= top; i++) {
        lua_pushvalue(T, i);
        put_value(f, T);
    }
    put_frames(f, T);
    for (int slot = ROOT_COROUTINES; slot <= ROOT_DEAD; slot++) {
        root_push(L, slot);
        lua_pushvalue(L, at);
        lua_rawget(L, -2);
        put_value(f, L);
        lua_pop(L, 1);
    }
}

static void put_object(freezer *f, int at)
{
    lua_State *L = f->L;
    object *o = object_at(L, at);
    buf_byte(f->out, 'x');
    if (!o) {
        f->failure = "a userdata that is none of locksim's";
        return;
    }
    buf_u64(f->out, (uint64_t)o->kind);
    switch (o->kind) {
    case OBJECT_ME: case OBJECT_TASK: {
        const task *t = task_find(f->p, o->task);
        uint64_t rank = UINT64_MAX;                /* it has ended */
        if (t) {
            rank = 0;
            while (f->p->tasks[rank] != t)
                rank++;
        }
        buf_u64(f->out, rank);
        buf_u64(f->out, o->server);
        break;
    }
    case OBJECT_SEMAPHORE:
        buf_u64(f->out, (uint64_t)o->permits);
        break;
    case OBJECT_FUTURE:
        buf_byte(f->out, o->done ? 'd' : 'w');
        lua_getfenv(L, at);
        put_value(f, L);
        break;
    case OBJECT_SCRIPT:
        buf_lenstr(f->out, str_from(o->script->sha1));
        break;
    case OBJECT_KINDS: break;
    }
}

static void put_queue(freezer *f)
{
    lua_State *L = f->L;
    while (f->done < f->count && !f->failure) {
        uint32_t id = ++f->done;
        lua_settop(L, QUEUE);
        lua_rawgeti(L, QUEUE, (int)id);
        int at = QUEUE + 1;
        switch (lua_type(L, at)) {
        case LUA_TTABLE: put_table(f, at); break;
        case LUA_TFUNCTION: put_function(f, id, at); break;
        case LUA_TTHREAD: put_coroutine(f, at); break;
        default: put_object(f, at); break;
        }
    }
    lua_settop(L, QUEUE);
}

/* An upvalue whose variable still lives in a suspended frame is one with that local: says which. */
static void put_open_cells(freezer *f)
{
    static const char mark = 0;
    lua_State *L = f->L;
    for (uint32_t id = 1; id <= f->count; id++) {
        lua_rawgeti(L, QUEUE, (int)id);
        lua_State *T = lua_tothread(L, -1);
        lua_Debug ar;
        for (int level = 0; T && lua_getstack(T, level, &ar); level++) {
            lua_getinfo(T, "S", &ar);
            const char *local;
            for (int i = 1; *ar.what != 'C' && (local = lua_getlocal(T, &ar, i)); i++) {
                lua_pop(T, 1);
                for (size_t c = 0; c < f->cell_count; c++) {
                    if (strcmp(local, f->cells[c].name) != 0)
                        continue;
                    lua_rawgeti(L, QUEUE, (int)f->cells[c].closure);
                    int at = lua_gettop(L), index = (int)f->cells[c].index;
                    lua_getupvalue(L, at, index);
                    lua_pushlightuserdata(L, (void *)&mark);
                    lua_setupvalue(L, at, index);
                    lua_getlocal(T, &ar, i);
                    bool same = lua_touserdata(T, -1) == &mark;
                    lua_pop(T, 1);
                    lua_setupvalue(L, at, index);
                    lua_pop(L, 1);
                    if (!same)
                        continue;
                    buf_byte(f->out, '&');
                    buf_u64(f->out, c);
                    buf_u64(f->out, (uint64_t)id << 32 | (uint32_t)level);
                    buf_u64(f->out, (uint64_t)i);
                }
            }
        }
        lua_settop(L, QUEUE);
    }
}

/* ---- the C side ---- */

static int by_number(const void *x, const void *y)
{
    uint32_t a = *(const uint32_t *)x, b = *(const uint32_t *)y;
    return (a > b) - (a < b);
}

static void rank_add(freezer *f, uint32_t request)
{
    MEM_RESERVE(f->ranks, f->rank_cap, f->rank_count + 1);
    f->ranks[f->rank_count++] = request;
}

static uint64_t rank_of(const freezer *f, uint32_t request)
{
    uint64_t rank = 0;
    for (size_t i = 0; i < f->rank_count && f->ranks[i] < request; i++)
        rank += i == 0 || f->ranks[i] != f->ranks[i - 1];
    return rank;
}

/* The requests somebody can still refer to: awaited, held by a future, or answered last. */
static void collect_ranks(freezer *f)
{
    process *p = f->p;
    for (size_t i = 0; i < p->task_count; i++) {
        rank_add(f, p->tasks[i]->request);
        rank_add(f, p->tasks[i]->last_answer);
    }
    lua_State *L = f->L;
    root_push(L, ROOT_FUTURES);
    for (lua_pushnil(L); lua_next(L, -2); lua_pop(L, 1))
        if (lua_type(L, -2) == LUA_TNUMBER)
            rank_add(f, (uint32_t)lua_tonumber(L, -2));
    lua_pop(L, 1);
    if (f->rank_count)
        qsort(f->ranks, f->rank_count, sizeof *f->ranks, by_number);
}

static size_t unique_ranks(const freezer *f, size_t i)
{
    size_t next = i + 1;
    while (next < f->rank_count && f->ranks[next] == f->ranks[i])
        next++;
    return next;
}

static void put_futures(freezer *f)
{
    lua_State *L = f->L;
    root_push(L, ROOT_FUTURES);
    int at = lua_gettop(L);
    for (size_t i = 0; i < f->rank_count; i = unique_ranks(f, i)) {
        lua_rawgeti(L, at, (int)f->ranks[i]);
        put_value(f, L);
    }
    lua_pop(L, 1);
}

static void put_task(freezer *f, const task *t)
{
    process *p = f->p;
    buf *b = f->out;
    buf_lenstr(b, t->name);
    buf_u64(b, t->thread);
    buf_byte(b, (char)('a' + t->daemon + 2 * t->main + 4 * t->work + 8 * t->zero_wait));
    buf_u64(b, (uint64_t)t->status << 32 | (uint64_t)t->wait << 16 | (uint64_t)t->result);
    put_instant(f, t->wake_ms);
    buf_u64(b, rank_of(f, t->request));
    buf_u64(b, rank_of(f, t->last_answer));
    buf_u64(b, t->choices);
    uint64_t before = 0, target = 0;
    for (size_t i = 0; i < p->task_count; i++) {
        const task *o = p->tasks[i];
        before += o->status == TASK_WAIT && t->status == TASK_WAIT && o->wait_order < t->wait_order;
        target += o->id < t->target;
    }
    buf_u64(b, before);
    buf_u64(b, t->wait == WAIT_JOIN ? target : 0);
    buf_lenstr(b, str_from(t->next));
    buf_u64(b, t->link_count);
    for (size_t i = 0; i < t->link_count; i++) {
        buf_u64(b, (uint64_t)t->links[i].kind);
        put_thread(f, t->links[i].L);
    }
}

/* The semaphore a task waits at is found through `object`: by identity, which its number tells. */
static void put_semaphore(freezer *f, const task *t)
{
    known *k;
    const void *address = t->object;
    HASH_FIND_PTR(f->objects, &address, k);
    buf_u64(f->out, t->status == TASK_WAIT && t->wait == WAIT_SEMAPHORE && k ? k->id : 0);
}

static void put_process(freezer *f)
{
    process *p = f->p;
    buf *b = f->out;
    buf_lenstr(b, p->client);
    buf_u64(b, (uint64_t)p->skew_ms);
    buf_u64(b, p->unique_count);
    collect_ranks(f);
    for (size_t i = 0; i < p->task_count; i++)
        put_task(f, p->tasks[i]);
    put_futures(f);
    buf_byte(b, 'S');
    for (size_t i = 0; i < p->subscription_count; i++) {
        const subscription *s = &p->subscriptions[i];
        buf_u64(b, (uint64_t)s->server << 32 | s->thread);
        buf_byte(b, s->pattern ? 'p' : 'c');
        buf_lenstr(b, s->channel);
        root_push(f->L, ROOT_HANDLERS);
        lua_rawgeti(f->L, -1, (int)s->handler);
        put_value(f, f->L);
        lua_pop(f->L, 1);
    }
    buf_byte(b, 'O');
    for (size_t i = 0; i < p->observed_count; i++)
        buf_lenstr(b, p->observed[i].lock);
    put_root(f, ROOT_PROCESS);
    put_root(f, ROOT_MODULES);
    put_root(f, ROOT_OBSERVED);
    put_root(f, ROOT_PROGRAM);
    put_root(f, ROOT_ALWAYS);
}

/* Numbers what every process has from the start, in a fixed order, without describing it: nobody can change it. */
static void number_environment(freezer *f)
{
    buf aside = { 0 }, *out = f->out;
    f->out = &aside;
    root_push(f->L, ROOT_ENVIRONMENT);
    put_value(f, f->L);
    for (int k = 0; k < OBJECT_KINDS; k++) {
        lua_rawgeti(f->L, LUA_REGISTRYINDEX, REGISTRY_METATABLES + k);
        put_value(f, f->L);
    }
    put_queue(f);
    f->out = out;
    f->cell_count = 0;
    buf_free(&aside);
}

bool process_freeze(process *p, int64_t now_ms, buf *out, err *e)
{
    freezer f = { .p = p, .now_ms = now_ms, .out = out };
    f.L = lua_newthread(p->L);
    lua_newtable(f.L);
    number_environment(&f);
    put_process(&f);
    put_queue(&f);
    put_open_cells(&f);
    for (size_t i = 0; i < p->task_count; i++)
        put_semaphore(&f, p->tasks[i]);
    lua_pop(p->L, 1);
    known *k, *next;
    HASH_ITER(hh, f.objects, k, next) {
        HASH_DEL(f.objects, k);
        mem_free(k);
    }
    mem_free(f.cells);
    mem_free(f.ranks);
    if (!f.failure)
        return true;
    return err_at(e, ERR_DRIVER, p->scenario->path, 0, 0, "the state of client '%.*s' has no canonical form: it holds %s",
                  STR_ARG(p->client), f.failure);
}

void process_each_request(process *p, void (*fn)(void *context, uint32_t request), void *context)
{
    freezer f = { .p = p, .L = p->scratch };
    collect_ranks(&f);
    for (size_t i = 0; i < f.rank_count; i = unique_ranks(&f, i))
        fn(context, f.ranks[i]);
    mem_free(f.ranks);
}
