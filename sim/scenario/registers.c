/* registers.c - see registers.h: the textbook analysis of live registers, backwards over Lua 5.1's bytecode to a fixed
 * point. A register that an instruction certainly writes is dead before it, one that it may read is alive. */
#include "scenario/registers.h"

#include <string.h>

#include "base/mem.h"
#include "scenario/bytecode.h"

/* ---- reading what lua_dump wrote ---- */

typedef struct {
    const char *at, *end;
    bool ok;
} reader;

static void take(reader *r, void *out, size_t n)
{
    r->ok = r->ok && (size_t)(r->end - r->at) >= n;
    if (!r->ok) {
        memset(out, 0, n);
        return;
    }
    memcpy(out, r->at, n);
    r->at += n;
}

static void skip(reader *r, size_t n)
{
    r->ok = r->ok && (size_t)(r->end - r->at) >= n;
    if (r->ok)
        r->at += n;
}

static int take_int(reader *r)
{
    int n;
    take(r, &n, sizeof n);
    r->ok = r->ok && n >= 0;
    return r->ok ? n : 0;
}

static void skip_string(reader *r)
{
    size_t n;
    take(r, &n, sizeof n);
    skip(r, n);
}

/* One function's own part of the file. */
typedef struct {
    uint32_t *code;
    int code_count, *lines, registers;
    int *nested;           /* upvalues of the functions in it: that many words follow a CLOSURE */
    int nested_count;
    int thousand;          /* the constant 1000, as an operand; -1: there is none */
} body;

/* ---- the analysis ---- */

static void add(live_registers *s, int from, int count)
{
    for (int r = from; r < from + count && r < REGISTERS_MAX; r++)
        s->bits[r / 64] |= UINT64_C(1) << (r % 64);
}

static void drop(live_registers *s, int from, int count)
{
    for (int r = from; r < from + count && r < REGISTERS_MAX; r++)
        s->bits[r / 64] &= ~(UINT64_C(1) << (r % 64));
}

static void add_rk(live_registers *s, int rk)
{
    if (rk < 0x100)                                /* above: a constant */
        add(s, rk, 1);
}

static bool join(live_registers *into, const live_registers *from)
{
    bool changed = false;
    for (size_t i = 0; i < COUNT(into->bits); i++) {
        changed = changed || (from->bits[i] & ~into->bits[i]);
        into->bits[i] |= from->bits[i];
    }
    return changed;
}

void bytecode_step_back(int registers, instruction i, live_registers *s)
{
    int rest = registers - i.a;                    /* up to the top of the stack */
    switch (i.op) {
    case OP_LOADK: case OP_LOADBOOL: case OP_GETUPVAL: case OP_GETGLOBAL: case OP_NEWTABLE: case OP_CLOSURE:
        drop(s, i.a, 1);
        break;
    case OP_LOADNIL:
        drop(s, i.a, i.b - i.a + 1);
        break;
    case OP_MOVE: case OP_UNM: case OP_NOT: case OP_LEN:
        drop(s, i.a, 1);
        add(s, i.b, 1);
        break;
    case OP_GETTABLE:
        drop(s, i.a, 1);
        add(s, i.b, 1);
        add_rk(s, i.c);
        break;
    case OP_SELF:
        drop(s, i.a, 2);
        add(s, i.b, 1);
        add_rk(s, i.c);
        break;
    case OP_ADD: case OP_SUB: case OP_MUL: case OP_DIV: case OP_MOD: case OP_POW:
        drop(s, i.a, 1);
        add_rk(s, i.b);
        add_rk(s, i.c);
        break;
    case OP_CONCAT:
        drop(s, i.a, 1);
        add(s, i.b, i.c - i.b + 1);
        break;
    case OP_SETGLOBAL: case OP_SETUPVAL: case OP_TEST:
        add(s, i.a, 1);
        break;
    case OP_SETTABLE:
        add(s, i.a, 1);
        add_rk(s, i.b);
        add_rk(s, i.c);
        break;
    case OP_EQ: case OP_LT: case OP_LE:
        add_rk(s, i.b);
        add_rk(s, i.c);
        break;
    case OP_TESTSET:                               /* writes on one way only */
        add(s, i.b, 1);
        break;
    case OP_CALL: case OP_TAILCALL:
        if (i.c > 1)
            drop(s, i.a, i.c - 1);
        add(s, i.a, i.b ? i.b : rest);
        break;
    case OP_RETURN:
        add(s, i.a, i.b ? i.b - 1 : rest);
        break;
    case OP_FORLOOP: case OP_FORPREP:
        add(s, i.a, 3);
        break;
    case OP_TFORLOOP:
        drop(s, i.a + 3, i.c);
        add(s, i.a, 3);
        break;
    case OP_SETLIST:
        add(s, i.a, i.b ? i.b + 1 : rest);
        break;
    case OP_VARARG:
        if (i.b > 1)
            drop(s, i.a, i.b - 1);
        break;
    case OP_JMP: case OP_CLOSE: break;
    default: add(s, 0, REGISTERS_MAX); break;      /* no such instruction: all registers may be read */
    }
}

/* Words that are not instructions of their own: what a CLOSURE captures, a SETLIST's long count. */
static int words_after(const body *f, instruction i)
{
    if (i.op == OP_CLOSURE)
        return i.bx < f->nested_count ? f->nested[i.bx] : 0;
    return i.op == OP_SETLIST && i.c == 0;
}

/* Joins the registers alive at instruction `to`. */
static void follow(const body *f, const live_registers *before, int to, live_registers *s)
{
    if (to >= 0 && to < f->code_count)
        join(s, &before[to]);
}

static live_registers alive_after(const body *f, const live_registers *before, int at, instruction i)
{
    live_registers s = { 0 };
    int next = at + 1 + words_after(f, i);
    bool jumps = i.op == OP_JMP || i.op == OP_FORLOOP || i.op == OP_FORPREP;
    bool skips = i.op == OP_EQ || i.op == OP_LT || i.op == OP_LE || i.op == OP_TEST || i.op == OP_TESTSET ||
                 i.op == OP_TFORLOOP ||
                 (i.op == OP_LOADBOOL && i.c);
    if (i.op == OP_RETURN)
        return s;
    if (jumps)
        follow(f, before, next + i.jump, &s);
    if (skips)
        follow(f, before, next + 1, &s);
    if (i.op != OP_JMP && i.op != OP_FORPREP)
        follow(f, before, next, &s);
    return s;
}

/* The CLOSURE at `at` reads what it captures. Later the variable's value is found through the closure, as long as it
 * matters. */
static void add_captured(const body *f, int at, live_registers *s)
{
    instruction made = bytecode_decode(f->code[at]);
    for (int w = 1; w <= words_after(f, made) && at + w < f->code_count; w++) {
        instruction from = bytecode_decode(f->code[at + w]);
        if (from.op == OP_MOVE && from.b != made.a)    /* a function that refers to itself: it is just being written */
            add(s, from.b, 1);
    }
}

/* ---- what is kept with a file ---- */

struct registers {
    live_registers **by_line;                      /* [laid line - 1]; NULL: no call there */
    live_registers **scaled;                       /* the same; NULL: no such operator there */
    char *by_thousand;     /* [laid line - 1]: see registers_by_thousand */
    unsigned char *frames;                         /* [laid line on which it is defined]: how many registers the
                                                    * function has */
    size_t line_count;
    arena *a;
};

static void keep(const struct registers *l, live_registers **by_line, int line, const live_registers *s)
{
    if (line < 1 || (size_t)line > l->line_count)
        return;
    live_registers **slot = &by_line[line - 1];
    if (*slot) {
        join(*slot, s);
        return;
    }
    *slot = ARENA_NEW(l->a, live_registers);
    **slot = *s;
}

/* The operator has its own line before its right side, so its left side was evaluated on earlier lines. */
static void keep_scaled(const body *f, int at, const struct registers *l)
{
    instruction i = bytecode_decode(f->code[at]);
    live_registers s = { 0 };
    if (i.op != OP_MUL && i.op != OP_DIV && i.op != OP_MOD && i.op != OP_POW)
        return;
    add_rk(&s, i.b);
    if (i.b >= 0x100 || f->lines[at] < 1 || (size_t)f->lines[at] > l->line_count)
        return;
    bool first = !l->scaled[f->lines[at] - 1], thousand = i.c == f->thousand;
    char *by = &l->by_thousand[f->lines[at] - 1];
    char word = !thousand ? 0 : i.op == OP_MUL ? '*' : i.op == OP_DIV ? '/' : i.op == OP_MOD ? '%' : 0;
    *by = first || *by == word ? word : 0;
    keep(l, l->scaled, f->lines[at], &s);
}

static void analyse(const body *f, struct registers *l)
{
    live_registers *before = mem_zero(((size_t)f->code_count + 1) * sizeof *before);
    bool *is_code = mem_zero((size_t)f->code_count + 1);
    for (int at = 0; at < f->code_count; at += 1 + words_after(f, bytecode_decode(f->code[at])))
        is_code[at] = true;
    for (bool changed = true; changed;) {
        changed = false;
        for (int at = f->code_count; at-- > 0;) {
            if (!is_code[at])
                continue;
            instruction i = bytecode_decode(f->code[at]);
            live_registers s = alive_after(f, before, at, i);
            bytecode_step_back(f->registers, i, &s);
            if (i.op == OP_CLOSURE)
                add_captured(f, at, &s);
            changed = join(&before[at], &s) || changed;
        }
    }
    for (int at = 0; at < f->code_count; at++) {
        instruction i = bytecode_decode(f->code[at]);
        if (is_code[at])
            keep_scaled(f, at, l);
        if (!is_code[at] || (i.op != OP_CALL && i.op != OP_TAILCALL))
            continue;
        live_registers s = alive_after(f, before, at, i);
        keep(l, l->by_line, f->lines[at], &s);
    }
    mem_free(is_code);
    mem_free(before);
}

/* Returns the operand that is the number 1000; -1: none is. */
static int read_constants(reader *r)
{
    enum { NIL, BOOLEAN, NUMBER = 3, STRING };
    int thousand = -1;
    for (int i = 0, n = take_int(r); i < n && r->ok; i++) {
        char type;
        double number = 0;
        take(r, &type, 1);
        if (type == NUMBER)
            take(r, &number, sizeof number);
        if (number == 1000)
            thousand = BYTECODE_CONSTANT + i;
        if (type == NUMBER)
            continue;
        if (type == BOOLEAN)
            skip(r, 1);
        else if (type == STRING)
            skip_string(r);
        else
            r->ok = r->ok && type == NIL;
    }
    return thousand;
}

/* Skips the names of locals and upvalues. */
static void read_names(reader *r)
{
    for (int n = take_int(r); n > 0 && r->ok; n--) {
        skip_string(r);
        skip(r, 2 * sizeof(int));
    }
    for (int n = take_int(r); n > 0 && r->ok; n--)
        skip_string(r);
}

/* Reads and analyses one function, inner functions first. Returns its number of upvalues. */
static int read_function(reader *r, struct registers *l)
{
    struct { unsigned char upvalues, parameters, is_vararg, registers; } head;
    skip_string(r);
    int line = take_int(r);
    skip(r, sizeof(int));                          /* the last line */
    take(r, &head, sizeof head);
    if ((size_t)line <= l->line_count)             /* each `function` has a line of its own; the main chunk has 0 */
        l->frames[line] = head.registers;
    body f = { .registers = head.registers };
    size_t word = sizeof *f.code;
    f.code_count = take_int(r);
    f.code = mem_zero(((size_t)f.code_count + 1) * word);
    take(r, f.code, (size_t)f.code_count * word);
    f.thousand = read_constants(r);
    f.nested_count = take_int(r);
    f.nested = mem_zero(((size_t)f.nested_count + 1) * sizeof *f.nested);
    for (int i = 0; i < f.nested_count && r->ok; i++)
        f.nested[i] = read_function(r, l);
    int line_count = take_int(r);
    f.lines = mem_zero(((size_t)f.code_count + 1) * sizeof *f.lines);
    r->ok = r->ok && line_count == f.code_count;
    take(r, f.lines, (size_t)f.code_count * sizeof *f.lines);
    read_names(r);
    if (r->ok)
        analyse(&f, l);
    mem_free(f.code);
    mem_free(f.lines);
    mem_free(f.nested);
    return head.upvalues;
}

struct registers *registers_learn(arena *a, const source *s)
{
    static const char head[] = BYTECODE_HEAD;
    struct registers *l = ARENA_NEW(a, struct registers);
    l->a = a;
    l->line_count = s->line_count;
    l->by_line = ARENA_ARRAY(a, live_registers *, s->line_count + 1);
    l->scaled = ARENA_ARRAY(a, live_registers *, s->line_count + 1);
    l->by_thousand = arena_alloc(a, s->line_count + 1);
    l->frames = arena_alloc(a, s->line_count + 1);
    memset(l->frames, 0, s->line_count + 1);
    reader r = { .at = s->bytecode.p, .end = s->bytecode.p + s->bytecode.n, .ok = true };
    char got[sizeof head];
    take(&r, got, sizeof got);
    if (!r.ok || memcmp(got, head, sizeof head) != 0)
        return NULL;
    read_function(&r, l);
    return r.ok && r.at == r.end ? l : NULL;
}

static const live_registers *at_line(const struct source *s, live_registers **by_line, int laid_line)
{
    return laid_line >= 1 && (size_t)laid_line <= s->live->line_count ? by_line[laid_line - 1] : NULL;
}

const live_registers *registers_after_call(const source *s, int laid_line)
{
    return s && s->live ? at_line(s, s->live->by_line, laid_line) : NULL;
}

const live_registers *registers_scaled(const source *s, int laid_line)
{
    return s && s->live ? at_line(s, s->live->scaled, laid_line) : NULL;
}

char registers_by_thousand(const source *s, int laid_line)
{
    bool known = s && s->live && laid_line >= 1 && (size_t)laid_line <= s->live->line_count;
    return known ? s->live->by_thousand[laid_line - 1] : 0;
}

int registers_of_frame(const source *s, int laid_line)
{
    return s && s->live && laid_line >= 0 && (size_t)laid_line <= s->live->line_count ? s->live->frames[laid_line] : 0;
}
