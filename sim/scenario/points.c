/* points.c - see points.h: reads what lua_dump wrote, finds the accesses, and writes it again with calls inserted. */
#include "scenario/points.h"

#include <string.h>

#include "base/mem.h"
#include "scenario/bytecode.h"

/* A local variable, for the instructions from `start` to before `end`. */
typedef struct {
    str name;              /* with its length in front, as it was dumped */
    int start, end;
    int capture;           /* the first instruction that makes a function that shares it; end: none */
    bool assigned;         /* assigned by any function after its beginning */
} variable;

typedef struct function {
    int line;
    unsigned char head[4]; /* upvalues, parameters, vararg, registers */
    str name;              /* of the source, as dumped */
    int last_line;
    uint32_t *code;
    int code_count, *lines;
    str constants;         /* as dumped, without their number */
    int constant_count;
    str *texts;            /* of those that are strings; p is NULL of the others */
    struct function *nested;
    int nested_count;
    variable *variables;
    int variable_count;
    str upvalue_names;     /* as dumped, with their number */
    variable **upvalues;   /* NULL: unknown */
    bool *starts;          /* [instruction]: it is one, and no word that belongs to the one before */
} function;

typedef struct {
    str *list;
    size_t count, cap;
} name_list;

struct point_names {
    arena *a;
    name_list assigned, read;
    bool any;              /* a function uses rawset, so any name may be assigned */
};

static bool list_has(const name_list *l, str name)
{
    for (size_t i = 0; i < l->count; i++)
        if (str_eq(l->list[i], name))
            return true;
    return false;
}

static bool is_assigned(const point_names *n, str name)
{
    return n->any || list_has(&n->assigned, name);
}

bool point_names_constant(const point_names *n, str name)
{
    return list_has(&n->read, name) && !is_assigned(n, name);
}

static void add_name(arena *a, name_list *l, str name)
{
    if (list_has(l, name))
        return;
    if (l->count == l->cap) {
        size_t cap = l->cap ? 2 * l->cap : 64;
        str *grown = ARENA_ARRAY(a, str, cap);
        if (l->count)
            memcpy(grown, l->list, l->count * sizeof *grown);
        l->list = grown;
        l->cap = cap;
    }
    l->list[l->count++] = arena_str(a, name);
}

/* ---- reading; what was compiled here is well formed ---- */

typedef struct {
    arena *a;
    const char *at;
} reader;

static void take(reader *r, void *out, size_t n)
{
    memcpy(out, r->at, n);
    r->at += n;
}

static int take_int(reader *r)
{
    int n;
    take(r, &n, sizeof n);
    return n;
}

/* With its length in front; *text: without, and without the NUL. */
static str take_string(reader *r, str *text)
{
    str whole = { .p = r->at };
    size_t n;
    take(r, &n, sizeof n);
    if (text)
        *text = (str){ .p = r->at, .n = n ? n - 1 : 0 };
    r->at += n;
    whole.n = (size_t)(r->at - whole.p);
    return whole;
}

static void read_constants(reader *r, function *f)
{
    enum { NIL, BOOLEAN, NUMBER = 3, STRING };
    f->constant_count = take_int(r);
    f->texts = ARENA_ARRAY(r->a, str, (size_t)f->constant_count + 1);
    f->constants.p = r->at;
    for (int i = 0; i < f->constant_count; i++) {
        char type;
        take(r, &type, 1);
        if (type == STRING)
            take_string(r, &f->texts[i]);
        else
            r->at += type == NUMBER ? sizeof(double) : type == BOOLEAN;
    }
    f->constants.n = (size_t)(r->at - f->constants.p);
}

static int words_after(const function *f, instruction i)
{
    if (i.op == OP_CLOSURE)
        return f->nested[i.bx].head[0];
    return i.op == OP_SETLIST && i.c == 0;
}

static void read_function(reader *r, function *f)
{
    f->name = take_string(r, NULL);
    f->line = take_int(r);
    f->last_line = take_int(r);
    take(r, f->head, sizeof f->head);
    f->code_count = take_int(r);
    f->code = ARENA_ARRAY(r->a, uint32_t, (size_t)f->code_count + 1);
    take(r, f->code, (size_t)f->code_count * sizeof *f->code);
    read_constants(r, f);
    f->nested_count = take_int(r);
    f->nested = ARENA_ARRAY(r->a, function, (size_t)f->nested_count + 1);
    for (int i = 0; i < f->nested_count; i++)
        read_function(r, &f->nested[i]);
    f->lines = ARENA_ARRAY(r->a, int, (size_t)f->code_count + 1);
    int lines = take_int(r);
    take(r, f->lines, (size_t)lines * sizeof *f->lines);
    f->variable_count = take_int(r);
    f->variables = ARENA_ARRAY(r->a, variable, (size_t)f->variable_count + 1);
    for (int i = 0; i < f->variable_count; i++) {
        variable *v = &f->variables[i];
        v->name = take_string(r, NULL);
        v->start = take_int(r);
        v->capture = v->end = take_int(r);
    }
    f->upvalue_names.p = r->at;
    for (int n = take_int(r); n > 0; n--)
        take_string(r, NULL);
    f->upvalue_names.n = (size_t)(r->at - f->upvalue_names.p);
    f->starts = ARENA_ARRAY(r->a, bool, (size_t)f->code_count + 1);
    for (int at = 0; at < f->code_count; at += 1 + words_after(f, bytecode_decode(f->code[at])))
        f->starts[at] = true;
}

static function *read_all(arena *a, str bytecode)
{
    reader r = { .a = a, .at = bytecode.p + sizeof BYTECODE_HEAD };
    function *f = ARENA_NEW(a, function);
    read_function(&r, f);
    return f;
}

/* ---- variables ---- */

/* The variable in the register at this instruction; NULL: none, it is a temporary. */
static variable *variable_at(const function *f, int reg, int at)
{
    for (int i = 0; i < f->variable_count && f->variables[i].start <= at; i++)
        if (at < f->variables[i].end && reg-- == 0)
            return &f->variables[i];
    return NULL;
}

static bool reads(const function *f, instruction i, int reg)
{
    live_registers s = { 0 };
    bytecode_step_back(f->head[3], i, &s);
    return live_has(&s, reg);
}

/* Does the instruction assign to an existing variable? (A call's results go through temporaries.) */
static bool writes(instruction i, int reg)
{
    switch (i.op) {
    case OP_MOVE: case OP_LOADK: case OP_LOADBOOL: case OP_GETUPVAL: case OP_GETGLOBAL: case OP_GETTABLE:
    case OP_NEWTABLE: case OP_ADD:
    case OP_SUB: case OP_MUL: case OP_DIV: case OP_MOD: case OP_POW: case OP_UNM: case OP_NOT: case OP_LEN:
    case OP_CONCAT:
    case OP_TESTSET: case OP_CLOSURE: return i.a == reg;
    case OP_LOADNIL: return i.a <= reg && reg <= i.b;
    default: return false;
    }
}

/* Resolves upvalues to their variables. */
static void resolve(arena *a, function *f)
{
    for (int at = 0; at < f->code_count; at++) {
        instruction i = bytecode_decode(f->code[at]);
        if (!f->starts[at] || i.op != OP_CLOSURE)
            continue;
        function *n = &f->nested[i.bx];
        n->upvalues = ARENA_ARRAY(a, variable *, n->head[0] + 1u);
        for (int u = 0; u < n->head[0]; u++) {
            instruction from = bytecode_decode(f->code[at + 1 + u]);
            if (from.op != OP_MOVE) {
                n->upvalues[u] = f->upvalues ? f->upvalues[from.b] : NULL;
                continue;
            }
            variable *v = variable_at(f, from.b, at);
            if (!v)    /* `local function f` refers to itself: its variable begins after this instruction */
                v = variable_at(f, from.b, at + 1 + n->head[0]);
            n->upvalues[u] = v;
            if (v && at < v->capture)
                v->capture = at > v->start ? at : v->start;
        }
    }
    for (int i = 0; i < f->nested_count; i++)
        resolve(a, &f->nested[i]);
}

/* Can the instruction at `early` run again after `late`, with the same variable? */
static bool comes_again(const function *f, const variable *v, int early, int late)
{
    for (int at = late; at < v->end && at < f->code_count; at++) {
        instruction i = bytecode_decode(f->code[at]);
        bool jumps = f->starts[at] && (i.op == OP_JMP || i.op == OP_FORLOOP);
        if (jumps && at + 1 + i.jump <= early && at + 1 + i.jump >= v->start)
            return true;
    }
    return false;
}

/* Do other functions share the variable at this instruction? */
static bool is_out(const function *f, const variable *v, int at)
{
    return v->capture < v->end && (at >= v->capture || comes_again(f, v, at, v->capture));
}

static void note_assignments(function *f)
{
    for (int at = 0; at < f->code_count; at++) {
        instruction i = bytecode_decode(f->code[at]);
        if (!f->starts[at])
            continue;
        if (i.op == OP_SETUPVAL && f->upvalues && f->upvalues[i.b])
            f->upvalues[i.b]->assigned = true;
        for (int reg = 0; reg < f->head[3]; reg++) {
            variable *v = writes(i, reg) ? variable_at(f, reg, at) : NULL;
            if (v && is_out(f, v, at))
                v->assigned = true;
        }
    }
    for (int i = 0; i < f->nested_count; i++)
        note_assignments(&f->nested[i]);
}

/* ---- accesses ---- */

/* A field of a table under construction: nothing else refers to it yet. */
static bool constructs(const function *f, int table, int at)
{
    if (variable_at(f, table, at))
        return false;
    for (int i = at - 1; i >= 0; i--)
        if (f->starts[i] && writes(bytecode_decode(f->code[i]), table))
            return bytecode_decode(f->code[i]).op == OP_NEWTABLE;
    return false;
}

static str key_text(const function *f, int operand)
{
    return operand >= BYTECODE_CONSTANT ? f->texts[operand - BYTECODE_CONSTANT] : (str){ 0 };
}

static void collect_names(const function *f, bool top, point_names *n)
{
    for (int at = 0; at < f->code_count && !top; at++) {
        instruction i = bytecode_decode(f->code[at]);
        n->any |= f->starts[at] && i.op == OP_GETGLOBAL && str_eq(f->texts[i.bx], S("rawset"));
        bool set = i.op == OP_SETTABLE, get = i.op == OP_GETTABLE || i.op == OP_SELF;
        str key = f->starts[at] && (set || get) ? key_text(f, set ? i.b : i.c) : (str){ 0 };
        if (key.p && !(set && constructs(f, i.a, at)))
            add_name(n->a, set ? &n->assigned : &n->read, key);
    }
    for (int i = 0; i < f->nested_count; i++)
        collect_names(&f->nested[i], false, n);
}

typedef enum { ACCESS_NONE, ACCESS_VARIABLE, ACCESS_TABLE, ACCESS_KEY, ACCESS_CALL } access_kind;

typedef struct {
    access_kind kind;
    int table, key;        /* the table's register, or the function's; the operand of the key */
    int variable;          /* as source_point_variable */
} access;

/* *which: as source_point_variable. */
static bool touches_variable(const function *f, instruction i, int at, int *which)
{
    *which = i.b + 1;
    if (i.op == OP_GETUPVAL || i.op == OP_SETUPVAL)
        return !f->upvalues || !f->upvalues[i.b] || f->upvalues[i.b]->assigned;
    int count = 0;
    for (int v = 0, reg = 0; v < f->variable_count && f->variables[v].start <= at; v++) {
        const variable *x = &f->variables[v];
        if (at >= x->end)
            continue;
        if (x->assigned && is_out(f, x, at) && (reads(f, i, reg) || writes(i, reg))) {
            *which = -reg - 1;
            count++;
        }
        reg++;
    }
    *which = count > 1 ? 0 : *which;
    return count > 0;
}

static access access_at(const function *f, int at, const point_names *names)
{
    instruction i = bytecode_decode(f->code[at]);
    bool open = (i.op == OP_CALL || i.op == OP_TAILCALL || i.op == OP_RETURN || i.op == OP_SETLIST) && i.b == 0;
    instruction before = at ? bytecode_decode(f->code[at - 1]) : i;
    bool skipped = at && f->starts[at - 1] && before.op == OP_LOADBOOL && before.c;
    /* A call cannot be inserted where values up to the top of the stack are in use, nor between a LOADBOOL and the
     * instruction that it skips. */
    bool jumps = i.op == OP_JMP || i.op == OP_FORLOOP || i.op == OP_FORPREP || i.op == OP_TFORLOOP;
    if (!f->starts[at] || open || skipped || jumps || i.op == OP_CLOSE)
        return (access){ .kind = ACCESS_NONE };
    int variable;
    if (touches_variable(f, i, at, &variable))
        return (access){ .kind = ACCESS_VARIABLE, .variable = variable };
    str key;
    switch (i.op) {
    case OP_GETTABLE: case OP_SELF:
        key = key_text(f, i.c);
        return (access){ .kind = key.p && !is_assigned(names, key) ? ACCESS_NONE : ACCESS_TABLE, .table = i.b };
    case OP_SETTABLE:
        if (constructs(f, i.a, at))
            return (access){ .kind = ACCESS_NONE };
        return (access){ .kind = i.b >= BYTECODE_CONSTANT ? ACCESS_TABLE : ACCESS_KEY, .table = i.a, .key = i.b };
    case OP_LEN:
        return (access){ .kind = ACCESS_TABLE, .table = i.b };
    case OP_CALL: case OP_TAILCALL:
        return (access){ .kind = i.b >= 2 ? ACCESS_CALL : ACCESS_NONE, .table = i.a };
    default:
        return (access){ .kind = ACCESS_NONE };
    }
}

/* ---- writing ---- */

typedef struct {
    arena *a;
    source *s;
    const point_names *names;
    buf out;
    uint32_t *tokens;      /* of the new lines */
    int *points;
    size_t token_count, token_cap, point_cap;
} writer;

static uint32_t code_abc(int op, int a, int b, int c)
{
    return (uint32_t)op | (uint32_t)a << 6 | (uint32_t)c << 14 | (uint32_t)b << 23;
}

static uint32_t code_abx(int op, int a, int bx)
{
    return (uint32_t)op | (uint32_t)a << 6 | (uint32_t)bx << 14;
}

/* The instructions of one call, in `to`; returns how many. `first`: the constants with the two names; the call's
 * registers lie above the function's. */
static int call_of(const function *f, access x, int first, uint32_t to[5])
{
    int n = 0, r = f->head[3], arguments = x.kind == ACCESS_VARIABLE ? 0 : x.kind == ACCESS_TABLE ? 1 : 2;
    to[n++] = code_abx(OP_GETGLOBAL, r, first + (x.kind == ACCESS_CALL));
    if (arguments > 0)
        to[n++] = code_abc(OP_MOVE, r + 1, x.table, 0);
    if (x.kind == ACCESS_KEY)
        to[n++] = code_abc(OP_MOVE, r + 2, x.key, 0);
    else if (x.kind == ACCESS_CALL)
        to[n++] = code_abc(OP_MOVE, r + 2, x.table + 1, 0);
    to[n++] = code_abc(OP_CALL, r, arguments + 1, 1);
    return n;
}

static void put(writer *w, const void *p, size_t n)
{
    buf_add(&w->out, (str){ p, n });
}

static void put_int(writer *w, int n)
{
    put(w, &n, sizeof n);
}

/* A new line for the call, so that a frame's current line identifies it; its position in the file is that of the
 * access. */
static int new_line(writer *w, int laid_line, int variable)
{
    MEM_RESERVE(w->tokens, w->token_cap, w->token_count + 1);
    MEM_RESERVE(w->points, w->point_cap, w->token_count + 1);
    w->points[w->token_count] = variable;
    bool known = laid_line >= 1 && (size_t)laid_line <= w->s->line_count;
    w->tokens[w->token_count++] = known ? w->s->line_token[laid_line - 1] : 0;
    return (int)(w->s->line_count + w->token_count);
}

typedef struct {
    uint32_t *code;
    int *lines, *place, count; /* place: [old instruction]: where what belongs to it begins */
    bool any;
} longer;

static longer put_calls(writer *w, const function *f)
{
    size_t most = (size_t)f->code_count * 5 + 1;
    longer l = { .code = ARENA_ARRAY(w->a, uint32_t, most), .lines = ARENA_ARRAY(w->a, int, most),
                 .place = ARENA_ARRAY(w->a, int, (size_t)f->code_count + 1) };
    for (int at = 0; at < f->code_count; at++) {
        access x = access_at(f, at, w->names);
        uint32_t call[5];
        l.place[at] = l.count;
        int n = x.kind ? call_of(f, x, f->constant_count, call) : 0;
        int line = n ? new_line(w, f->lines[at], x.variable) : 0;
        for (int i = 0; i < n; i++) {
            l.code[l.count] = call[i];
            l.lines[l.count++] = line;
        }
        l.any |= n > 0;
        l.code[l.count] = f->code[at];
        l.lines[l.count++] = f->lines[at];
    }
    l.place[f->code_count] = l.count;
    return l;
}

/* Jumps lead to the call before their old target. No call is inserted before a jump itself. */
static void mend_jumps(const function *f, const longer *l)
{
    for (int at = 0; at < f->code_count; at++) {
        instruction i = bytecode_decode(f->code[at]);
        if (f->starts[at] && (i.op == OP_JMP || i.op == OP_FORLOOP || i.op == OP_FORPREP))
            l->code[l->place[at]] = code_abx((int)i.op, i.a, l->place[at + 1 + i.jump] - (l->place[at] + 1) + 131071);
    }
}

static void put_name(writer *w, const char *name)
{
    enum { STRING = 4 };
    size_t n = strlen(name) + 1;
    buf_byte(&w->out, STRING);
    put(w, &n, sizeof n);
    put(w, name, n);
}

static bool write_function(writer *w, const function *f, err *e)
{
    enum { REGISTERS = 3, MOST = 250 };            /* of a call; MAXSTACK of Lua 5.1 */
    longer l = put_calls(w, f);
    if (l.any && f->head[3] + REGISTERS > MOST) {
        position at = source_position(w->s, f->line);
        return err_at(e, ERR_SCENARIO, at.path, at.line, at.col,
                      "this function has too many locals for faults = { preempt = ... }") ||
               err_hint(e, "it may have some %d: split it", MOST - 10);
    }
    mend_jumps(f, &l);
    unsigned char head[4];
    memcpy(head, f->head, sizeof head);
    head[3] = (unsigned char)(head[3] + (l.any ? REGISTERS : 0));
    buf_add(&w->out, f->name);
    put_int(w, f->line);
    put_int(w, f->last_line);
    put(w, head, sizeof head);
    put_int(w, l.count);
    put(w, l.code, (size_t)l.count * sizeof *l.code);
    put_int(w, f->constant_count + (l.any ? 2 : 0));
    buf_add(&w->out, f->constants);
    if (l.any) {
        put_name(w, POINT_ACCESS);
        put_name(w, POINT_CALL);
    }
    put_int(w, f->nested_count);
    for (int i = 0; i < f->nested_count; i++)
        if (!write_function(w, &f->nested[i], e))
            return false;
    put_int(w, l.count);
    put(w, l.lines, (size_t)l.count * sizeof *l.lines);
    put_int(w, f->variable_count);
    for (int i = 0; i < f->variable_count; i++) {
        buf_add(&w->out, f->variables[i].name);
        put_int(w, l.place[f->variables[i].start]);
        put_int(w, l.place[f->variables[i].end]);
    }
    buf_add(&w->out, f->upvalue_names);
    return true;
}

static void keep_lines(writer *w)
{
    source *s = w->s;
    arena *a = w->a;
    uint32_t *grown = ARENA_ARRAY(a, uint32_t, s->line_count + w->token_count + 1);
    memcpy(grown, s->line_token, s->line_count * sizeof *grown);
    if (w->token_count)
        memcpy(grown + s->line_count, w->tokens, w->token_count * sizeof *grown);
    s->line_token = grown;
    s->line_count += w->token_count;
    s->point_count = w->token_count;
    s->points = ARENA_ARRAY(a, int, w->token_count + 1);
    if (w->token_count)
        memcpy(s->points, w->points, w->token_count * sizeof *s->points);
}

static bool put_points(arena *a, source *s, function *f, const point_names *names, err *e)
{
    writer w = { .a = a, .s = s, .names = names };
    put(&w, s->bytecode.p, sizeof BYTECODE_HEAD);
    bool ok = write_function(&w, f, e);
    if (ok) {
        keep_lines(&w);
        s->bytecode = arena_str(a, buf_str(&w.out));
        s->live = registers_learn(a, s);
    }
    buf_free(&w.out);
    mem_free(w.tokens);
    mem_free(w.points);
    return ok;
}

/* NULL: not compiled, or not by Lua 5.1. */
static function *understood(arena *a, const source *s)
{
    static const char head[] = BYTECODE_HEAD;
    if (s->bytecode.n <= sizeof head || memcmp(s->bytecode.p, head, sizeof head) != 0)
        return NULL;
    function *f = read_all(a, s->bytecode);
    resolve(a, f);
    note_assignments(f);
    return f;
}

bool points_into_all(source_cache *c, err *e)
{
    if (source_points(c))
        return true;
    arena *a = source_arena(c);
    point_names *names = ARENA_NEW(a, point_names);
    names->a = a;
    source *s;
    size_t count = 0;
    while (source_numbered(c, (uint32_t)count))
        count++;
    function **all = ARENA_ARRAY(a, function *, count + 1);
    for (uint32_t i = 0; (s = source_loaded(c, i)); i++)
        if ((all[i] = understood(a, s)))
            collect_names(all[i], true, names);
    bool ok = true;
    for (uint32_t i = 0; ok && (s = source_loaded(c, i)); i++)
        ok = !all[i] || put_points(a, s, all[i], names, e);
    if (ok)
        source_set_points(c, names);
    return ok;
}

bool points_into_new(source_cache *c, source *s, err *e)
{
    const point_names *names = source_points(c);
    function *f = names ? understood(source_arena(c), s) : NULL;
    if (!f)
        return true;
    point_names more = { .a = source_arena(c) };
    collect_names(f, true, &more);
    if (more.any && !names->any) {
        err_at(e, ERR_SCENARIO, s->path, 1, 1,
               "with faults = { preempt = ... } this file has to be loaded from the beginning: it uses rawset");
        return err_hint(e, "require it at the top of the scenario's file, not in a function");
    }
    for (size_t i = 0; i < more.assigned.count; i++)
        if (!is_assigned(names, more.assigned.list[i])) {
            err_at(e, ERR_SCENARIO, s->path, 1, 1,
                   "with faults = { preempt = ... } this file has to be loaded from the beginning: its functions "
                   "assign the field '%.*s'", STR_ARG(more.assigned.list[i]));
            return err_hint(e, "require it at the top of the scenario's file, not in a function");
        }
    return put_points(source_arena(c), s, f, names, e);
}
