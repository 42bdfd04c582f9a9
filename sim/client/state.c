/* state.c - the Lua state of a process: its budgets, its chunks, and its errors with the places they came from. */
#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "client/heap.h"
#include "client/lua_graph.h"
#include "client/lua_graph_parts.h"
#include "client/process_internal.h"
#include "client/time_use.h"
#include "scenario/points.h"
#include "scenario/registers.h"

enum { BLOCK_GRAIN = 32 * 1024, BLOCK_LARGE = 4 * 1024 * 1024 };

const char state_out_of_steps[] = "endless loop: stopped after 10,000,000 steps without a request, a sleep or a wait";
static const char out_of_memory[] = "out of memory: client code of one process may hold 256 MiB, all clients of a "
                                    "simulation 4 GiB";

process *process_of(lua_State *L)
{
    void *p;
    lua_getallocf(L, &p);
    return p;
}

/* Client code asks for memory: does its budget allow it? */
static bool afford(process *p, size_t old_bytes, size_t new_bytes)
{
    size_t more = new_bytes - old_bytes;
    p->steps_left -= (int64_t)(more / 16);
    if ((int64_t)new_bytes > p->largest_bytes)
        p->largest_bytes = (int64_t)new_bytes;
    if (p->lax && p->heap->now.bytes + more > LAX_BYTES) {
        p->lax = false;
        lua_gc(p->L, LUA_GCSETPAUSE, PAUSE_STRICT);
    }
    if (more > p->heap_max || p->heap->now.bytes + more > p->heap_max)
        p->fatal = p->fatal ? p->fatal : out_of_memory;
    else if (p->steps_left < 0)
        p->fatal = p->fatal ? p->fatal : state_out_of_steps;
    return !p->fatal;
}

static void *allocate(void *context, void *block, size_t old_bytes, size_t new_bytes)
{
    process *p = context;
    if (new_bytes == 0) {
        heap_give(p->heap, block, old_bytes);
        return NULL;
    }
    if (!block)
        old_bytes = 0;
    if (p->guarded > 0 && new_bytes > old_bytes && !afford(p, old_bytes, new_bytes))
        return NULL;
    return block ? heap_resize(p->heap, block, old_bytes, new_bytes) : heap_take(p->heap, new_bytes);
}

static void note_reached(const process *p, lua_State *L, lua_Debug *ar)
{
    if (source_followed(p->sources) && lua_getinfo(L, "S", ar))
        source_note_reached(p->sources, source_number(ar->source), ar->currentline);
}

/* Instructions cost more the longer the longest block is, as one instruction can compare two strings of megabytes. */
static void on_hook(lua_State *L, lua_Debug *ar)
{
    process *p = process_of(L);
    if (ar->event == LUA_HOOKLINE) {
        note_reached(p, L, ar);
        if (p->watched)
            time_use_line(p, L, ar);
        return;
    }
    if (lua_gethookcount(L) == 1) {
        time_use_instruction(p, L, ar);
        if (++p->hook_steps < HOOK_STEPS)
            return;
        p->hook_steps = 0;
    }
    p->steps_left -= HOOK_STEPS * (1 + p->largest_bytes / BLOCK_GRAIN) * (1 + p->largest_bytes / BLOCK_LARGE);
    if (p->steps_left < 0 && !p->fatal)
        p->fatal = state_out_of_steps;
    if (p->fatal)
        luaL_error(L, "%s", p->fatal);
}

void state_charge(lua_State *L, uint64_t n)
{
    process *p = process_of(L);
    p->steps_left -= (int64_t)(n < STEPS_MAX ? n : STEPS_MAX + 1);
    if (p->steps_left < 0 && !p->fatal)
        p->fatal = state_out_of_steps;
    if (p->fatal)
        luaL_error(L, "%s", p->fatal);
}

void state_refill(process *p)
{
    p->steps_left = STEPS_MAX;
}

void root_push(lua_State *L, int slot)
{
    lua_rawgeti(L, LUA_REGISTRYINDEX, process_of(L)->roots + slot);
}

void root_set(lua_State *L, int slot)
{
    lua_rawseti(L, LUA_REGISTRYINDEX, process_of(L)->roots + slot);
}

static int open_all(lua_State *L)
{
    for (int slot = 0; slot < ROOT_SLOTS; slot++) {
        lua_newtable(L);
        root_set(L, slot);
    }
    lua_newtable(L);                               /* data about coroutines is freed with them */
    lua_pushliteral(L, "k");
    lua_setfield(L, -2, "__mode");
    for (int slot = ROOT_COROUTINES; slot <= ROOT_DEAD; slot++) {
        root_push(L, slot);
        lua_pushvalue(L, -2);
        lua_setmetatable(L, -2);
        lua_pop(L, 1);
    }
    lua_pop(L, 1);
    lua_newtable(L);
    lua_rawseti(L, LUA_REGISTRYINDEX, REGISTRY_THREADS);
    objects_open(L);
    me_open(L);
    globals_open(L);
    return 0;
}

/* An error on a thread without protection, the scratch thread or a coroutine that is being filled: memory ran out, or a
 * stack is full. It is passed on as a fatal error to the client code that caused it. */
static int on_panic(lua_State *L)
{
    process *p = process_of(L);
    lua_State *client = p->link_count > 0 && p->guarded > 0 ? p->links[p->link_count - 1].L : NULL;
    if (!p->fatal)
        p->fatal = "the stack is full: too many values, or calls inside each other";
    if (client && client != L)
        luaL_error(client, "%s", p->fatal);
    assert(!"an error outside all client code");
    return 0;
}

process *state_new(source_cache *sources, const loader *l, arena *memory)
{
    process *p = mem_zero(sizeof *p);
    p->head.kind = &process_live;
    p->sources = sources;
    p->loader = l;
    p->memory = memory;
    p->heap = heap_new();
    p->roots = REGISTRY_ROOTS;
    p->threads = threads_new();
    p->heap_max = HEAP_MAX;
    p->class_ = ERR_SCENARIO;
    p->L = lua_newstate(allocate, p);
    lua_atpanic(p->L, on_panic);
    lua_sethook(p->L, on_hook, source_followed(sources) ? LUA_MASKCOUNT | LUA_MASKLINE : LUA_MASKCOUNT, HOOK_STEPS);
    /* Unguarded, so nothing can fail here. */
    lua_pushcfunction(p->L, open_all);
    lua_call(p->L, 0, 0);
    p->known = mem_zero(sizeof *p->known);
    lua_known_learn(p->known, p->L);
    p->scratch = lua_newthread(p->L);
    lua_rawseti(p->L, LUA_REGISTRYINDEX, REGISTRY_SCRATCH);
    state_refill(p);
    return p;
}

/* Without lua_close: every block of the state is in the heap, and holds no outside resources. */
void state_free(process *p)
{
    heap_free(p->heap);
    threads_free(p->threads);
    mem_free(p->known);
    mem_free(p->links);
    mem_free(p);
}

/* Parses "\1number:line:" at text[at]; the rest is at *after. The mark of our own trampolines is "\1c". */
static bool parse_mark(const process *p, str text, size_t at, position *where, size_t *after)
{
    uint64_t number[2] = { 0, 0 };
    size_t i = at + 1;
    if (i < text.n && text.p[i] == 'c') {
        *where = (position){ 0 };
        i += 1;
        while (i < text.n && (text.p[i] == ':' || (text.p[i] >= '0' && text.p[i] <= '9')))
            i++;
        *after = i < text.n && text.p[i] == ' ' ? i + 1 : i;
        return true;
    }
    for (int part = 0; part < 2; part++) {
        size_t from = i;
        for (; i < text.n && text.p[i] >= '0' && text.p[i] <= '9' && i - from < 9; i++)
            number[part] = 10 * number[part] + (uint64_t)(text.p[i] - '0');
        if (i == from || i == text.n || text.p[i] != ':')
            return false;
        i++;
    }
    const source *s = source_numbered(p->sources, (uint32_t)number[0]);
    if (!s)
        return false;
    *where = source_position(s, (int)number[1]);
    *after = i;
    return true;
}

static void add_place(buf *out, position where)
{
    buf_add(out, where.path);
    if (where.line > 0)
        buf_printf(out, ":%d:%d", where.line, where.col);
}

static const char cannot_yield[] = "attempt to yield across metamethod/C-call boundary";

void state_translate(process *p, lua_State *L)
{
    if (lua_type(L, -1) != LUA_TSTRING)
        return;
    str text;
    text.p = lua_tolstring(L, -1, &text.n);
    buf out = { 0 };
    if (str_eq(text, str_from(cannot_yield))) {
        /* Raised by the interpreter under one of our functions; `pending` holds which one, and its caller. */
        position where = p->pending.thread ? state_where(p, p->pending.thread, 1) : (position){ 0 };
        if (where.line > 0) {
            add_place(&out, where);
            buf_addz(&out, ": ");
        }
        buf_printf(&out, "%s cannot wait here: Lua cannot suspend inside a sort or gsub callback, a metamethod, "
                         "the iterator of a for-in, a view, or while a file is loaded",
                   p->pending.call ? p->pending.call : "this call");
    } else if (memchr(text.p, 1, text.n)) {
        const source *syntax = NULL;
        for (size_t i = 0; i < text.n;) {
            position where;
            size_t after;
            if (text.p[i] == 1 && parse_mark(p, text, i, &where, &after)) {
                if (i == 0)
                    for (uint32_t n = 0; !syntax && source_numbered(p->sources, n); n++)
                        syntax = str_eq(source_numbered(p->sources, n)->path, where.path)
                                 ? source_numbered(p->sources, n) : NULL;
                if (where.path.n) {
                    add_place(&out, where);
                    buf_byte(&out, ':');
                }
                i = after;
            } else {
                buf_byte(&out, text.p[i++]);
            }
        }
        /* "'end' expected (to close 'if' at line 7) near ..." counts our lines, too. */
        str done = buf_str(&out);
        const char *at = done.p ? strstr(done.p, " at line ") : NULL;
        int laid;
        if (syntax && at && sscanf(at, " at line %d)", &laid) == 1) {
            buf with = { 0 };
            buf_add(&with, (str){ done.p, (size_t)(at - done.p) });
            buf_printf(&with, " at line %d", source_position(syntax, laid).line);
            const char *rest = at + strlen(" at line ");
            while (*rest >= '0' && *rest <= '9')
                rest++;
            buf_addz(&with, rest);
            buf_free(&out);
            out = with;
        }
    } else {
        return;
    }
    lua_pop(L, 1);
    lua_pushlstring(L, out.p ? out.p : "", out.n);
    buf_free(&out);
}

/* The source of a debug record, or NULL. */
static const source *source_of(const process *p, const lua_Debug *ar)
{
    if (ar->source[0] != '=' || ar->source[1] != 1 || ar->source[2] < '0' || ar->source[2] > '9')
        return NULL;       /* a trampoline, or none of ours */
    uint32_t number = 0;
    for (const char *c = ar->source + 2; *c >= '0' && *c <= '9'; c++)
        number = 10 * number + (uint32_t)(*c - '0');
    return source_numbered(p->sources, number);
}

position state_where(process *p, lua_State *L, int level)
{
    lua_Debug ar;
    for (; lua_getstack(L, level, &ar); level++) {
        lua_getinfo(L, "Sl", &ar);
        const source *s = source_of(p, &ar);
        if (s && ar.currentline > 0)
            return source_position(s, ar.currentline);
    }
    return (position){ 0 };
}

position state_frame_place(process *p, lua_State *L, lua_Debug *ar)
{
    lua_getinfo(L, "Sl", ar);
    const source *s = source_of(p, ar);
    return s && ar->currentline > 0 ? source_position(s, ar->currentline) : (position){ 0 };
}

position state_call_place(process *p, lua_State *L)
{
    return p->placeless ? (position){ .path = p->scenario->file } : state_where(p, L, 1);
}

position state_function_place(process *p, lua_State *L)
{
    lua_Debug ar;
    if (!lua_isfunction(L, -1))
        return (position){ 0 };
    lua_pushvalue(L, -1);
    lua_getinfo(L, ">S", &ar);
    const source *s = source_of(p, &ar);
    return s ? source_position(s, ar.linedefined) : (position){ 0 };
}

/* Splits "path:line:col: text" where path is one of ours. */
static bool split_place(const process *p, str *text, position *where, const source **from)
{
    for (uint32_t i = 0; source_numbered(p->sources, i); i++) {
        const source *s = source_numbered(p->sources, i);
        if (!str_starts(*text, s->path) || text->n <= s->path.n || text->p[s->path.n] != ':')
            continue;
        int line, col, used = 0;
        char head[48] = { 0 };
        str rest = str_slice(*text, s->path.n, text->n);
        memcpy(head, rest.p, rest.n < sizeof head - 1 ? rest.n : sizeof head - 1);
        if (sscanf(head, ":%9d:%9d: %n", &line, &col, &used) != 2 || used == 0)
            continue;
        *where = (position){ .path = s->path, .line = line, .col = col };
        *text = str_slice(rest, (size_t)used, rest.n);
        *from = s;
        return true;
    }
    return false;
}

static void add_trace(process *p, lua_State *L, err *e)
{
    enum { SHOWN_MAX = 8 };
    buf trace = { 0 };
    lua_Debug ar;
    int shown = 0, first = 0;
    for (int level = 0; shown < SHOWN_MAX && lua_getstack(L, level, &ar); level++) {
        lua_getinfo(L, "Sl", &ar);
        const source *s = source_of(p, &ar);
        if (!s || ar.currentline <= 0)
            continue;
        position where = source_position(s, ar.currentline);
        if (++first == 1)                          /* where it happened: the message says so itself */
            continue;
        buf_addz(&trace, shown++ ? ", from " : "called from ");
        add_place(&trace, where);
    }
    if (trace.n)
        err_hint(e, "%s", trace.p);
    buf_free(&trace);
}

bool state_fail(process *p, lua_State *L, lua_State *trace, err *e)
{
    state_translate(p, L);
    str text;
    const char *kind = luaL_typename(L, -1);
    char shown[80];
    if (p->fatal) {
        text = str_from(p->fatal);
    } else if (lua_type(L, -1) == LUA_TSTRING) {
        text.p = lua_tolstring(L, -1, &text.n);
    } else {
        str message = { 0 };
        if (lua_istable(L, -1)) {
            lua_pushliteral(L, "message");
            lua_rawget(L, -2);
            if (lua_type(L, -1) == LUA_TSTRING)
                message.p = lua_tolstring(L, -1, &message.n);
            lua_pop(L, 1);                         /* the table keeps it alive */
        }
        snprintf(shown, sizeof shown, "an error value that is no text (a %s)", kind);
        text = message.n ? message : str_from(shown);
    }
    position where = { 0 };
    const source *from = NULL;
    if (!split_place(p, &text, &where, &from) && trace) {
        where = state_where(p, trace, 0);
        for (uint32_t i = 0; !from && source_numbered(p->sources, i); i++)
            if (str_eq(source_numbered(p->sources, i)->path, where.path))
                from = source_numbered(p->sources, i);
    }
    /* no Lua function was running: the program itself is a built-in */
    if (where.path.n == 0 && p->scenario && p->scenario->main) {
        from = p->scenario->main;
        where = source_field(from, &(field_step){ .name = { "program", 7 } }, 1);
    }
    err_at(e, p->class_, where.path, where.line, where.col, "%.*s", STR_ARG(text));
    if (from)
        err_quote(e, from->written);
    if (trace)
        add_trace(p, trace, e);
    lua_pop(L, 1);
    return false;
}

static int write_bytes(lua_State *L, const void *bytes, size_t n, void *out)
{
    (void)L;
    buf_add(out, (str){ bytes, n });
    return 0;
}

/* ---- main chunks that a kept process has loaded in advance ---- */

bool state_ahead(const process *p)
{
    return source_numbered(p->sources, p->chunks_ahead) != NULL;
}

void state_load_ahead(process *p)
{
    lua_State *L = p->L;
    lua_rawgeti(L, LUA_REGISTRYINDEX, REGISTRY_MAKERS);
    if (lua_isnil(L, -1)) {
        lua_pop(L, 1);
        lua_newtable(L);
        lua_pushvalue(L, -1);
        lua_rawseti(L, LUA_REGISTRYINDEX, REGISTRY_MAKERS);
    }
    for (source *s; (s = source_loaded(p->sources, p->chunks_ahead)); p->chunks_ahead++) {
        if (s->bytecode.n == 0 || !state_load(p, L, s, NULL))
            continue;
        lua_rawseti(L, -2, (int)s->number + 1);
        lua_pushlightuserdata(L, (void *)(uintptr_t)s->bytecode.p);
        lua_rawseti(L, -2, -(int)s->number - 1);
    }
    lua_pop(L, 1);
}

/* A main chunk has no upvalues, so one function serves each run of it. */
static bool push_ahead(const process *p, lua_State *L, const source *s)
{
    if (s->number >= p->chunks_ahead)
        return false;
    lua_rawgeti(L, LUA_REGISTRYINDEX, REGISTRY_MAKERS);
    lua_rawgeti(L, -1, -(int)s->number - 1);
    bool same = lua_touserdata(L, -1) == s->bytecode.p;
    lua_pop(L, 1);
    if (same) {
        lua_rawgeti(L, -1, (int)s->number + 1);
        lua_remove(L, -2);
    } else {
        lua_pop(L, 1);
    }
    return same;
}

/* A file compiled after others have got their preemption points gets its own, and its function is loaded again. */
static bool load_points(process *p, lua_State *L, source *s, const char *mark, err *e)
{
    if (!source_points(p->sources))
        return true;
    bool ok = points_into_new(p->sources, s, e);
    lua_pop(L, 1);
    if (ok && luaL_loadbuffer(L, s->bytecode.p, s->bytecode.n, mark) != 0)
        return state_fail(p, L, NULL, e);
    return ok;
}

bool state_load(process *p, lua_State *L, source *s, err *e)
{
    if (p->pool && s->bytecode.n > 0)
        return pool_load(p, L, s, e);
    if (s->bytecode.n > 0 && push_ahead(p, L, s))
        return true;
    char mark[16];
    snprintf(mark, sizeof mark, "=\001%u", (unsigned)s->number);
    int guarded = p->guarded;                      /* compiling needs memory of its own; it is bounded by the file's
                                                    * size */
    p->guarded = 0;
    bool fresh = s->bytecode.n == 0;
    bool ok = !fresh || source_lay(source_arena(p->sources), s, e);
    if (ok) {
        str code = fresh ? s->laid : s->bytecode;
        ok = luaL_loadbuffer(L, code.p, code.n, mark) == 0;
        if (!ok) {
            state_fail(p, L, NULL, e);
        } else if (fresh) {
            buf out = { 0 };
            lua_dump(L, write_bytes, &out);
            s->bytecode = arena_str(source_arena(p->sources), buf_str(&out));
            s->live = registers_learn(source_arena(p->sources), s);
            source_note_scaled(p->sources, s);
            buf_free(&out);
            ok = load_points(p, L, s, mark, e);
        }
    }
    p->guarded = guarded;
    return ok;
}

void state_keep(lua_State *failed)
{
    lua_pushthread(failed);
    lua_rawseti(failed, LUA_REGISTRYINDEX, REGISTRY_FAILED);
}

bool state_call(process *p, lua_State *L, int args, int results, lua_State **trace)
{
    if (p->nesting >= NESTING_MAX) {
        lua_pop(L, args + 1);
        lua_pushliteral(L, "too many calls inside each other");
        if (trace)
            *trace = NULL;
        return false;
    }
    luaL_checkstack(L, 2, NULL);
    lua_State *co = lua_newthread(L), *at;
    lua_insert(L, -args - 2);
    luaL_checkstack(co, args + 2, NULL);
    lua_xmove(L, co, args + 1);
    size_t base = p->link_count;
    run_outcome outcome = run_nested(p, co, LINK_PCALL, args, &at);
    if (trace)
        *trace = at;
    bool ok = outcome == RUN_DONE;
    if (ok) {
        lua_settop(at, results);
        lua_xmove(at, L, results);
    } else {
        if (outcome != RUN_ERROR) {                /* it asked to wait */
            p->link_count = base;
            lua_pushstring(at, cannot_yield);
            state_translate(p, at);
        }
        lua_xmove(at, L, 1);
        state_keep(at);
    }
    lua_remove(L, ok ? -results - 1 : -2);         /* the coroutine */
    return ok;
}
