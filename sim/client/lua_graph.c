/* lua_graph.c - see lua_graph.h. Table fields go in sorted order (client code cannot see any other), a function by the place where it was
 * written and its upvalues, a coroutine by its frames: function, position, locals, temporaries. A frame's current line tells the
 * very call it stands in, because client Lua is loaded one token per line (source.h).
 *
 * Whether two closures share an upvalue cannot be asked of stock Lua 5.1, so it is tried: a mark is written through one, looked
 * for through the others (and in the locals of suspended frames), and taken back.
 *
 * Instants are written relative to now_ms: a number within WINDOW_MS of now, or a text of digits that is one, is taken for an
 * instant. */
#include "client/lua_graph.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "client/registers.h"

#define WINDOW_MS INT64_C(1000000000)

#define NO_SOURCE UINT32_MAX

enum { QUEUE = GRAPH_QUEUE };
enum { REGISTRY_GRAPH = ROOT + 3 };                /* keeps the graph's thread */

/* ---- numbers and texts ---- */

void put_count(lua_graph *g, uint64_t n)
{
    for (; n >= 0x80; n >>= 7)
        buf_byte(g->out, (char)(n | 0x80));
    buf_byte(g->out, (char)n);
}

static void put_text(lua_graph *g, str s)
{
    put_count(g, s.n);
    buf_add(g->out, s);
}

static bool near_now(const lua_graph *g, double n)
{
    return n >= (double)(g->now_ms - WINDOW_MS) && n <= (double)(g->now_ms + WINDOW_MS) && n == floor(n);
}

static void put_distance(lua_graph *g, int64_t at_ms)
{
    MEM_RESERVE(g->distances, g->distance_cap, g->distance_count + 1);
    g->distances[g->distance_count++] = g->out->n;
    buf_u64(g->out, (uint64_t)(at_ms - g->now_ms));
}

static void put_number(lua_graph *g, double n)
{
    uint64_t bits;
    if (near_now(g, n)) {
        buf_byte(g->out, 'T');
        put_distance(g, (int64_t)n);
        return;
    }
    if (n >= 0 && n < 0x80 && n == floor(n) && !signbit(n)) {      /* most numbers are small counts: one byte */
        buf_byte(g->out, 'i');
        buf_byte(g->out, (char)n);
        return;
    }
    if (isnan(n))                                  /* a program sees the sign of it, as "nan" or "-nan", and no more */
        n = signbit(n) ? -(double)NAN : (double)NAN;
    memcpy(&bits, &n, sizeof bits);
    buf_byte(g->out, 'n');
    buf_u64(g->out, bits);
}

static void put_string(lua_graph *g, str s)
{
    enum { DIGITS_MAX = 16 };
    double n = 0;
    bool digits = s.n > 0 && s.n <= DIGITS_MAX && s.p[0] != '0';
    for (size_t i = 0; i < s.n && digits; i++) {
        digits = s.p[i] >= '0' && s.p[i] <= '9';
        n = 10 * n + (s.p[i] - '0');
    }
    if (digits && near_now(g, n)) {
        buf_byte(g->out, 't');
        put_distance(g, (int64_t)n);
        return;
    }
    buf_byte(g->out, 's');
    put_text(g, s);
}

void put_timer(lua_graph *g, int64_t at_ms)
{
    if (at_ms == INT64_MAX) {
        buf_u64(g->out, UINT64_MAX);
        return;
    }
    MEM_RESERVE(g->timers, g->timer_cap, g->timer_count + 1);
    g->timers[g->timer_count++] = g->distance_count;
    put_distance(g, at_ms > g->now_ms ? at_ms : g->now_ms);
}

/* ---- values ---- */

static void fail(lua_graph *g, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void fail(lua_graph *g, const char *format, ...)
{
    if (g->failure[0])
        return;
    va_list args;
    va_start(args, format);
    vsnprintf(g->failure, sizeof g->failure, format, args);
    va_end(args);
    g->failed = g->done;
}

uint32_t lua_graph_meet(lua_graph *g, lua_State *L)
{
    uint32_t number = seen_meet(&g->objects, lua_topointer(L, -1), g->count + 1);
    if (number) {
        lua_pop(L, 1);
        return number;
    }
    number = ++g->count;
    MEM_RESERVE(g->parents, g->parent_cap, number + 1);
    g->parents[number] = g->done;
    if (L != g->L)
        lua_xmove(L, g->L, 1);
    lua_rawseti(g->L, QUEUE, (int)number);
    return number;
}

void put_value(lua_graph *g, lua_State *L)
{
    str s;
    switch (lua_type(L, -1)) {
    case LUA_TNIL:
        buf_byte(g->out, '0');
        break;
    case LUA_TBOOLEAN:
        buf_byte(g->out, lua_toboolean(L, -1) ? 'Y' : 'N');
        break;
    case LUA_TNUMBER:
        put_number(g, lua_tonumber(L, -1));
        break;
    case LUA_TSTRING:
        s.p = lua_tolstring(L, -1, &s.n);
        put_string(g, s);
        break;
    case LUA_TLIGHTUSERDATA:                       /* client code has none */
        fail(g, "it holds a light userdata");
        break;
    default:
        buf_byte(g->out, 'o');
        put_count(g, lua_graph_meet(g, L));
        return;
    }
    lua_pop(L, 1);
}

void put_root(lua_graph *g, int slot)
{
    root_push(g->L, slot);
    put_value(g, g->L);
}

void lua_graph_push(lua_graph *g, uint32_t number)
{
    lua_rawgeti(g->L, QUEUE, (int)number);
}

void lua_graph_push_thread(lua_graph *g, lua_State *thread)
{
    lua_pushthread(thread);
    if (thread != g->L)
        lua_xmove(thread, g->L, 1);
}

void put_thread(lua_graph *g, lua_State *thread)
{
    lua_graph_push_thread(g, thread);
    put_value(g, g->L);
}

uint32_t lua_graph_find(const lua_graph *g, const void *object)
{
    return seen_find(&g->objects, object);
}

/* ---- tables ---- */

static int field_order(const void *x, const void *y)
{
    const field *a = x, *b = y;
    if (a->key_type != b->key_type)
        return a->key_type - b->key_type;
    if (a->key_type == LUA_TSTRING)
        return str_cmp(a->key_text, b->key_text);
    return (a->key > b->key) - (a->key < b->key);
}

/* What the value at `index` is; a text is borrowed from it. */
static int look_at(lua_State *L, int index, double *number, str *text, const void **address)
{
    int type = lua_type(L, index);
    if (type == LUA_TNUMBER)
        *number = lua_tonumber(L, index);
    else if (type == LUA_TBOOLEAN)
        *number = lua_toboolean(L, index);
    else if (type == LUA_TSTRING)
        text->p = lua_tolstring(L, index, &text->n);
    else
        *address = lua_topointer(L, index);
    return type;
}

/* Gathers the fields of the table at `at` but for those whose keys are objects, of which it returns the types that occur. */
static unsigned gather_fields(lua_graph *g, int at)
{
    lua_State *L = g->L;
    unsigned objects = 0;
    bool sorted = true;
    g->field_count = 0;
    for (lua_pushnil(L); lua_next(L, at); lua_pop(L, 1)) {
        MEM_RESERVE(g->fields, g->field_cap, g->field_count + 1);
        field *f = &g->fields[g->field_count];
        const void *key_address = NULL;
        f->key_type = look_at(L, -2, &f->key, &f->key_text, &key_address);
        if (key_address) {
            objects |= 1u << f->key_type;
            continue;
        }
        f->type = look_at(L, -1, &f->number, &f->text, &f->address);
        sorted = sorted && (g->field_count == 0 || field_order(f - 1, f) < 0);
        g->field_count++;
    }
    if (!sorted)
        qsort(g->fields, g->field_count, sizeof *g->fields, field_order);
    return objects;
}

static void push_key(lua_State *L, const field *f)
{
    if (f->key_type == LUA_TNUMBER)
        lua_pushnumber(L, f->key);
    else if (f->key_type == LUA_TBOOLEAN)
        lua_pushboolean(L, f->key != 0);
    else
        lua_pushlstring(L, f->key_text.p, f->key_text.n);
}

static void put_field(lua_graph *g, int at, const field *f)
{
    if (f->key_type == LUA_TNUMBER)
        put_number(g, f->key);
    else if (f->key_type == LUA_TBOOLEAN)
        buf_byte(g->out, f->key != 0 ? 'Y' : 'N');
    else
        put_string(g, f->key_text);
    uint32_t number;
    switch (f->type) {
    case LUA_TBOOLEAN:
        buf_byte(g->out, f->number != 0 ? 'Y' : 'N');
        return;
    case LUA_TNUMBER:
        put_number(g, f->number);
        return;
    case LUA_TSTRING:
        put_string(g, f->text);
        return;
    default:
        number = f->address ? seen_find(&g->objects, f->address) : 0;
        if (number) {
            buf_byte(g->out, 'o');
            put_count(g, number);
            return;
        }
        push_key(g->L, f);
        lua_rawget(g->L, at);
        put_value(g, g->L);
    }
}

/* What # says of a list with holes depends on how it came about, and so may what it will say. Where it still says what ipairs
 * would, it is taken as it is. */
static void check_border(lua_graph *g, int at)
{
    size_t border = 0, length = lua_objlen(g->L, at);
    for (size_t i = 0; i < g->field_count; i++)
        border += g->fields[i].key_type == LUA_TNUMBER && g->fields[i].key == (double)(border + 1);
    if (border != length)
        fail(g, "it holds a list with a hole: field %zu is nil, yet # says %zu, which depends on how the list was made; "
                "use a value of your own for an empty place, or keep a count beside it", border + 1, length);
}

void lua_graph_keep_keyed(lua_graph *g, uint32_t table)
{
    MEM_RESERVE(g->keyed, g->keyed_cap, g->keyed_count + 1);
    g->keyed[g->keyed_count++] = (keyed_table){ .table = table };
}

static void put_table(lua_graph *g, uint32_t number, int at)
{
    unsigned objects = gather_fields(g, at);
    buf_byte(g->out, '{');
    put_count(g, g->field_count);
    buf_byte(g->out, (char)('0' + (objects >> LUA_TTABLE)));   /* pairs refuses a table with such keys, even those nobody knows */
    check_border(g, at);
    for (size_t i = 0; i < g->field_count; i++)
        put_field(g, at, &g->fields[i]);
    if (objects)
        lua_graph_keep_keyed(g, number);
    if (lua_getmetatable(g->L, at)) {
        buf_byte(g->out, 'm');
        put_value(g, g->L);
    }
}

static int by_number(const void *x, const void *y)
{
    uint32_t a = *(const uint32_t *)x, b = *(const uint32_t *)y;
    return (a > b) - (a < b);
}

/* Writes the entries of a table whose keys have been met since the last time. True if there was one. */
static bool put_object_keys(lua_graph *g, size_t which)
{
    lua_State *L = g->L;
    keyed_table k = g->keyed[which];
    uint32_t *met = NULL;
    size_t count = 0, cap = 0;
    g->keyed[which].upto = g->count;
    lua_rawgeti(L, QUEUE, (int)k.table);
    for (lua_pushnil(L); lua_next(L, -2); lua_pop(L, 1)) {
        uint32_t number = lua_type(L, -2) >= LUA_TTABLE ? seen_find(&g->objects, lua_topointer(L, -2)) : 0;
        if (number > k.upto) {
            MEM_RESERVE(met, cap, count + 1);
            met[count++] = number;
        }
    }
    if (count > 1)
        qsort(met, count, sizeof *met, by_number);
    if (count) {
        buf_byte(g->out, 'K');
        put_count(g, k.table);
        put_count(g, count);
    }
    uint32_t described = g->done;
    g->done = k.table;                             /* who refers to them */
    for (size_t i = 0; i < count; i++) {
        put_count(g, met[i]);
        lua_rawgeti(L, QUEUE, (int)met[i]);
        lua_rawget(L, -2);
        put_value(g, L);
    }
    g->done = described;
    lua_pop(L, 1);
    mem_free(met);
    return count > 0;
}

/* ---- functions and their upvalues ---- */

/* The number of the file a debug record speaks of, in its cache. */
static uint32_t source_number(const char *source)
{
    if (source[0] != '=' || source[1] != 1 || source[2] < '0' || source[2] > '9')
        return NO_SOURCE;                          /* a trampoline of ours */
    uint32_t n = 0;
    for (const char *c = source + 2; *c >= '0' && *c <= '9'; c++)
        n = 10 * n + (uint32_t)(*c - '0');
    return n;
}

/* A file is named where it is first met; the order in which files were loaded is no state. */
static void put_source(lua_graph *g, uint32_t source)
{
    size_t i = 0;
    while (i < g->source_count && g->sources[i] != source)
        i++;
    put_count(g, i);
    if (i < g->source_count)
        return;
    MEM_RESERVE(g->sources, g->source_cap, g->source_count + 1);
    g->sources[g->source_count++] = source;
    const struct source *s = source == NO_SOURCE ? NULL : source_numbered(g->p->sources, source);
    put_text(g, s ? s->path : S(""));
}

/* Writes the mark through one upvalue and looks for it through another. The closures lie at `a` and `b` on g->L. */
static bool same_cell(lua_graph *g, int a, int i, int b, int j)
{
    static const char mark = 0;
    lua_State *L = g->L;
    lua_getupvalue(L, a, i);
    lua_pushlightuserdata(L, (void *)&mark);
    lua_setupvalue(L, a, i);
    lua_getupvalue(L, b, j);
    bool same = lua_touserdata(L, -1) == &mark;
    lua_pop(L, 1);
    lua_setupvalue(L, a, i);
    return same;
}

/* Its value is at the top of the stack, and popped. */
static void put_upvalue(lua_graph *g, uint32_t closure, int at, int index, const char *name, uint32_t source)
{
    lua_State *L = g->L;
    int value = lua_gettop(L);
    for (size_t c = 0; c < g->cell_count; c++) {
        cell *x = &g->cells[c];
        if (x->name != name || x->source != source)
            continue;
        lua_rawgeti(L, QUEUE, (int)x->closure);
        bool same = same_cell(g, at, index, value + 1, (int)x->index);
        lua_settop(L, value);
        if (same) {
            buf_byte(g->out, 'u');
            put_count(g, c);
            lua_pop(L, 1);
            return;
        }
    }
    MEM_RESERVE(g->cells, g->cell_cap, g->cell_count + 1);
    g->cells[g->cell_count++] = (cell){ .closure = closure, .index = (uint32_t)index, .name = name, .source = source };
    buf_byte(g->out, 'U');
    put_value(g, L);
}

static void put_function(lua_graph *g, uint32_t number, int at)
{
    lua_State *L = g->L;
    if (lua_iscfunction(L, at)) {
        /* One of ours: the distance to another of ours is the same wherever the program was loaded. */
        lua_CFunction here = lua_tocfunction(L, at);
        buf_byte(g->out, 'C');
        buf_u64(g->out, (uint64_t)((intptr_t)here - (intptr_t)raise_at));
        for (int i = 1; lua_getupvalue(L, at, i); i++)
            put_value(g, L);
        return;
    }
    lua_Debug ar;
    lua_pushvalue(L, at);
    lua_getinfo(L, ">S", &ar);
    uint32_t source = source_number(ar.source);
    buf_byte(g->out, 'F');
    put_source(g, source);
    put_count(g, (uint64_t)ar.linedefined);        /* each `function` has a line of its own */
    const char *name;
    for (int i = 1; (name = lua_getupvalue(L, at, i)); i++)
        put_upvalue(g, number, at, i, name, source);
}

/* ---- coroutines ---- */

/* Frames are told by their number and not by their level: tail calls that are over count as levels, and a loop of them would never
 * come back to the same state. */
static bool outermost_passed(const lua_Debug *ar)
{
    return ar->i_ci <= 0;
}

const live_registers *lua_graph_live(const lua_graph *g, const lua_Debug *ar)
{
    return registers_after_call(source_numbered(g->p->sources, source_number(ar->source)), ar->currentline);
}

static void put_frames(lua_graph *g, lua_State *T)
{
    lua_Debug ar;
    if (!lua_getstack(T, 0, &ar))
        return;
    for (; !outermost_passed(&ar); ar.i_ci--) {
        lua_getinfo(T, "Slf", &ar);
        buf_byte(g->out, '[');
        bool is_c = lua_iscfunction(T, -1);
        put_value(g, T);
        if (is_c)
            continue;      /* it is waited in: what it gets comes from outside, its own slots are never read again */
        put_count(g, (uint64_t)ar.currentline);
        const live_registers *live = lua_graph_live(g, &ar);
        for (int i = 1; lua_getlocal(T, &ar, i); i++) {
            if (live_has(live, i - 1)) {
                put_value(g, T);
            } else {
                buf_byte(g->out, '-');             /* nothing will read it */
                lua_pop(T, 1);
            }
        }
        buf_byte(g->out, ']');
    }
}

static bool in_root(lua_graph *g, int slot, int at)
{
    lua_State *L = g->L;
    root_push(L, slot);
    lua_pushvalue(L, at);
    lua_rawget(L, -2);
    bool found = !lua_isnil(L, -1);
    lua_pop(L, 2);
    return found;
}

bool lua_graph_is_dead(lua_graph *g, int at)
{
    lua_State *T = lua_tothread(g->L, at);
    int status = lua_status(T);
    if (status == 0)
        return lua_gettop(T) == 0;
    return status != LUA_YIELD || in_root(g, ROOT_DEAD, at);
}

static void put_coroutine(lua_graph *g, int at)
{
    lua_State *L = g->L, *T = lua_tothread(L, at);
    lua_checkstack(T, 8);
    if (lua_graph_is_dead(g, at)) {
        buf_byte(g->out, 'd');
        return;
    }
    buf_byte(g->out, lua_status(T) == LUA_YIELD ? 'c' : 'b');
    int top = lua_gettop(T);
    put_count(g, (uint64_t)top);                   /* not begun: function and arguments; suspended: what it yielded */
    for (int i = 1; i <= top; i++) {
        lua_pushvalue(T, i);
        put_value(g, T);
    }
    put_frames(g, T);
    MEM_RESERVE(g->suspended, g->suspended_cap, g->suspended_count + 1);
    g->suspended[g->suspended_count++] = g->done;
    root_push(L, ROOT_COROUTINES);
    lua_pushvalue(L, at);
    lua_rawget(L, -2);
    put_value(g, L);
    lua_pop(L, 1);
}

/* Says which local of a suspended frame this cell is, if it is this one. */
static void put_open_cell(lua_graph *g, size_t c, lua_State *T, uint32_t thread, const lua_Debug *ar, int local)
{
    static const char mark = 0;
    lua_State *L = g->L;
    int index = (int)g->cells[c].index;
    lua_rawgeti(L, QUEUE, (int)g->cells[c].closure);
    int at = lua_gettop(L);
    lua_getupvalue(L, at, index);
    lua_pushlightuserdata(L, (void *)&mark);
    lua_setupvalue(L, at, index);
    lua_getlocal(T, ar, local);
    bool same = lua_touserdata(T, -1) == &mark;
    lua_pop(T, 1);
    lua_setupvalue(L, at, index);
    lua_pop(L, 1);
    if (!same)
        return;
    buf_byte(g->out, '&');
    put_count(g, c);
    put_count(g, thread);
    put_count(g, (uint64_t)ar->i_ci);
    put_count(g, (uint64_t)local);
}

static void put_open_cells_of_frame(lua_graph *g, lua_State *T, uint32_t thread, lua_Debug *ar)
{
    const char *local;
    lua_getinfo(T, "f", ar);
    bool is_c = lua_iscfunction(T, -1);
    lua_pop(T, 1);
    for (int i = 1; !is_c && (local = lua_getlocal(T, ar, i)); i++) {
        lua_pop(T, 1);
        for (size_t c = 0; c < g->cell_count; c++)
            if (g->cells[c].name == local)
                put_open_cell(g, c, T, thread, ar, i);
    }
}

/* An upvalue whose variable still lives in a suspended frame is one with that local. */
static void put_open_cells(lua_graph *g)
{
    lua_State *L = g->L;
    for (size_t i = 0; i < g->suspended_count && g->cell_count > 0; i++) {
        lua_Debug ar;
        lua_graph_push(g, g->suspended[i]);
        lua_State *T = lua_tothread(L, -1);
        if (lua_getstack(T, 0, &ar))
            for (; !outermost_passed(&ar); ar.i_ci--)
                put_open_cells_of_frame(g, T, g->suspended[i], &ar);
        lua_settop(L, QUEUE);
    }
}

/* ---- objects of ours ---- */

/* The request that a fulfilled future stands for: a callback given to it later announces in its name. */
static void put_answered(lua_graph *g, uint32_t request)
{
    const uint32_t *rank = g->rank_count ? bsearch(&request, g->ranks, g->rank_count, sizeof *g->ranks, by_number) : NULL;
    if (rank) {
        put_count(g, (uint64_t)(rank - g->ranks));
        return;
    }
    size_t i = 0;
    while (i < g->answered_count && g->answered[i] != request)
        i++;
    if (i == g->answered_count) {
        MEM_RESERVE(g->answered, g->answered_cap, i + 1);
        g->answered[g->answered_count++] = request;
    }
    put_count(g, g->rank_count + i);
}

static void put_object(lua_graph *g, int at)
{
    lua_State *L = g->L;
    object *o = object_at(L, at);
    buf_byte(g->out, 'x');
    if (!o) {
        fail(g, "it holds a userdata that is none of locksim's");
        return;
    }
    put_count(g, (uint64_t)o->kind);
    switch (o->kind) {
    case OBJECT_ME: case OBJECT_TASK: {
        uint64_t rank = 0;                         /* it has ended */
        for (size_t i = 0; i < g->p->task_count && rank == 0; i++)
            rank = g->p->tasks[i]->id == o->task ? i + 1 : 0;
        put_count(g, rank);
        put_count(g, o->server);
        put_count(g, (uint64_t)o->permits);        /* the thread, which outlives the task */
        break;
    }
    case OBJECT_SEMAPHORE:
        put_count(g, (uint64_t)o->permits);
        break;
    case OBJECT_FUTURE:
        buf_byte(g->out, o->done ? 'd' : 'w');
        if (o->done)
            put_answered(g, o->request);
        lua_getfenv(L, at);
        put_value(g, L);
        break;
    case OBJECT_SCRIPT:
        put_text(g, o->script->name);
        put_text(g, str_from(o->script->sha1));
        break;
    case OBJECT_KINDS: break;
    }
}

/* ---- all of it ---- */

static void put_queue(lua_graph *g)
{
    lua_State *L = g->L;
    while (g->done < g->count && !g->failure[0]) {
        uint32_t number = ++g->done;
        lua_settop(L, QUEUE);
        lua_rawgeti(L, QUEUE, (int)number);
        int at = QUEUE + 1;
        switch (lua_type(L, at)) {
        case LUA_TTABLE: put_table(g, number, at); break;
        case LUA_TFUNCTION: put_function(g, number, at); break;
        case LUA_TTHREAD: put_coroutine(g, at); break;
        default: put_object(g, at); break;
        }
    }
    lua_settop(L, QUEUE);
}

void lua_graph_finish(lua_graph *g)
{
    bool more = true;
    while (more && !g->failure[0]) {
        put_queue(g);
        more = false;
        for (size_t i = 0; i < g->keyed_count; i++)
            more = put_object_keys(g, i) || more;
    }
    if (!g->failure[0])
        put_open_cells(g);
}

/* Numbers what every process has from the start, without describing it: nobody can change it. */
static void number_environment(lua_graph *g)
{
    buf aside = { 0 };
    g->out = &aside;
    put_root(g, ROOT_ENVIRONMENT);
    for (int k = 0; k < OBJECT_KINDS; k++) {
        lua_rawgeti(g->L, LUA_REGISTRYINDEX, REGISTRY_METATABLES + k);
        put_value(g, g->L);
    }
    lua_graph_finish(g);
    g->out = NULL;
    g->environment = g->count;
    buf_free(&aside);
}

lua_graph *lua_graph_of(process *p)
{
    if (p->graph)
        return p->graph;
    lua_graph *g = p->graph = mem_zero(sizeof *g);
    g->p = p;
    g->L = lua_newthread(p->L);
    lua_rawseti(p->L, LUA_REGISTRYINDEX, REGISTRY_GRAPH);
    lua_newtable(g->L);
    number_environment(g);
    return g;
}

void lua_graph_free(lua_graph *g)
{
    if (!g)
        return;
    seen_free(&g->objects);
    mem_free(g->parents);
    mem_free(g->cells);
    mem_free(g->fields);
    mem_free(g->keyed);
    mem_free(g->suspended);
    mem_free(g->sources);
    mem_free(g->answered);
    mem_free(g->ranks);
    mem_free(g->distances);
    mem_free(g->timers);
    mem_free(g);
}

void lua_graph_begin(lua_graph *g, buf *out, int64_t now_ms)
{
    lua_settop(g->L, QUEUE);
    for (; g->count > g->environment; g->count--) {            /* what was frozen last may be collected */
        lua_pushnil(g->L);
        lua_rawseti(g->L, QUEUE, (int)g->count);
    }
    seen_begin(&g->objects);
    g->done = g->environment;
    g->now_ms = now_ms;
    g->out = out;
    g->cell_count = g->keyed_count = g->suspended_count = g->source_count = g->answered_count = g->rank_count = 0;
    g->distance_count = g->timer_count = 0;
    g->failure[0] = 0;
}

/* The innermost coroutine that leads to what failed tells its current place, a function where it was written. */
static position place_of_failure(lua_graph *g)
{
    position where = { 0 };
    for (uint32_t o = g->failed; o > g->environment && where.line == 0; o = g->parents[o]) {
        lua_rawgeti(g->L, QUEUE, (int)o);
        if (lua_type(g->L, -1) == LUA_TTHREAD)
            where = state_where(g->p, lua_tothread(g->L, -1), 0);
        else if (lua_type(g->L, -1) == LUA_TFUNCTION && !lua_iscfunction(g->L, -1))
            where = state_function_place(g->p, g->L);
        lua_pop(g->L, 1);
    }
    for (size_t i = 0; i < g->p->task_count && where.line == 0; i++)
        where = g->p->tasks[i]->where;
    return where;
}

bool lua_graph_fail(lua_graph *g, err *e)
{
    position where = place_of_failure(g);
    const process *p = g->p;
    err_at(e, ERR_DRIVER, where.line ? where.path : p->scenario->path, where.line, where.col,
           "the state of client '%.*s' has no canonical form: %s", STR_ARG(p->client), g->failure);
    for (uint32_t i = 0; source_numbered(p->sources, i); i++)
        if (str_eq(source_numbered(p->sources, i)->path, where.path))
            err_quote(e, source_numbered(p->sources, i)->text);
    return false;
}
