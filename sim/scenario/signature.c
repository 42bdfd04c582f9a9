/* signature.c - see signature.h. */
#include "scenario/signature.h"

#include <inttypes.h>
#include <string.h>

static bool contains(const uint32_t big[FAULT_KINDS], const uint32_t small[FAULT_KINDS])
{
    for (int k = 0; k < FAULT_KINDS; k++)
        if (small[k] > big[k])
            return false;
    return true;
}

/* Fewer faults first; with equal numbers, the kinds in DESIGN.md's order. */
static int order(const uint32_t x[FAULT_KINDS], const uint32_t y[FAULT_KINDS])
{
    uint64_t nx = 0, ny = 0;
    for (int k = 0; k < FAULT_KINDS; k++) {
        nx += x[k];
        ny += y[k];
    }
    if (nx != ny)
        return nx < ny ? -1 : 1;
    for (int k = 0; k < FAULT_KINDS; k++)
        if (x[k] != y[k])
            return x[k] > y[k] ? -1 : 1;
    return 0;
}

static void *grown(arena *a, const void *from, size_t count, size_t *cap, size_t size)
{
    *cap = *cap ? *cap * 2 : 4;
    char *to = arena_alloc(a, *cap * size);
    if (count)
        memcpy(to, from, count * size);
    return to;
}

static void add_op(arena *a, signature_cause *c, str op)
{
    size_t at = 0;
    while (at < c->op_count && str_cmp(c->ops[at], op) < 0)
        at++;
    if (at < c->op_count && str_eq(c->ops[at], op))
        return;
    if (c->op_count == c->op_cap)
        c->ops = grown(a, c->ops, c->op_count, &c->op_cap, sizeof *c->ops);
    memmove(c->ops + at + 1, c->ops + at, (c->op_count++ - at) * sizeof *c->ops);
    c->ops[at] = arena_str(a, op);
}

void signature_add(arena *a, signature *s, const uint32_t used[FAULT_KINDS], str op)
{
    size_t kept = 0, at = 0;
    for (size_t i = 0; i < s->count; i++)
        if (contains(used, s->causes[i].used)) {
            if (contains(s->causes[i].used, used))
                add_op(a, &s->causes[i], op);
            return;
        }
    for (size_t i = 0; i < s->count; i++)
        if (!contains(s->causes[i].used, used))
            s->causes[kept++] = s->causes[i];
    s->count = kept;
    while (at < s->count && order(s->causes[at].used, used) < 0)
        at++;
    if (s->count == s->cap)
        s->causes = grown(a, s->causes, s->count, &s->cap, sizeof *s->causes);
    memmove(s->causes + at + 1, s->causes + at, (s->count++ - at) * sizeof *s->causes);
    s->causes[at] = (signature_cause){ 0 };
    memcpy(s->causes[at].used, used, sizeof s->causes[at].used);
    add_op(a, &s->causes[at], op);
}

bool signature_has(const signature *s, const uint32_t used[FAULT_KINDS], str op)
{
    for (size_t i = 0; i < s->count; i++)
        for (size_t k = 0; k < s->causes[i].op_count; k++)
            if (order(s->causes[i].used, used) == 0 && str_eq(s->causes[i].ops[k], op))
                return true;
    return false;
}

static bool all_of(const signature *x, const signature *y)
{
    for (size_t i = 0; i < x->count; i++)
        for (size_t k = 0; k < x->causes[i].op_count; k++)
            if (!signature_has(y, x->causes[i].used, x->causes[i].ops[k]))
                return false;
    return true;
}

bool signature_equal(const signature *x, const signature *y)
{
    return all_of(x, y) && all_of(y, x);
}

static void print_used(const uint32_t used[FAULT_KINDS], buf *out)
{
    bool any = false;
    for (int k = 0; k < FAULT_KINDS; k++)
        if (used[k]) {
            buf_printf(out, "%s%s=%" PRIu32, any ? "," : "", fault_name((fault_kind)k), used[k]);
            any = true;
        }
    if (!any)
        buf_addz(out, "none");
}

void signature_print(const signature *s, buf *out)
{
    for (size_t i = 0; i < s->count; i++) {
        buf_addz(out, i ? "; " : "");
        print_used(s->causes[i].used, out);
        buf_byte(out, ':');
        for (size_t k = 0; k < s->causes[i].op_count; k++)
            buf_printf(out, " %.*s", STR_ARG(s->causes[i].ops[k]));
    }
}

static str trim(str s)
{
    while (s.n && s.p[0] == ' ')
        s = str_slice(s, 1, s.n);
    while (s.n && s.p[s.n - 1] == ' ')
        s.n--;
    return s;
}

static bool parse_cause(arena *a, str text, signature *out, err *e)
{
    uint32_t used[FAULT_KINDS];
    err why = { 0 };
    size_t colon = str_find(text, ':', 0);
    str ops = trim(str_slice(text, colon + 1, text.n));
    if (!fault_budgets_parse(trim(str_slice(text, 0, colon)), used, &why)) {
        err_set(e, ERR_SCENARIO, "%.*s", STR_ARG(buf_str(&why.message)));
        if (why.hint.n)
            err_hint(e, "%.*s", STR_ARG(buf_str(&why.hint)));
        err_clear(&why);
        return false;
    }
    if (ops.n == 0)
        return err_set(e, ERR_SCENARIO, "'%.*s' names no operation: \"pause=1: acquire\" does", STR_ARG(trim(text)));
    while (ops.n) {
        size_t end = str_find(ops, ' ', 0);
        str op = arena_str(a, str_slice(ops, 0, end));
        ops = trim(str_slice(ops, end, ops.n));
        signature_add(a, out, used, op);
    }
    return true;
}

bool signature_parse(arena *a, str text, signature *out, err *e)
{
    *out = (signature){ 0 };
    size_t causes = 0;
    for (size_t from = 0; from <= text.n;) {
        size_t end = str_find(text, ';', from);
        if (!parse_cause(a, str_slice(text, from, end), out, e))
            return false;
        if (out->count != ++causes)
            return err_set(e, ERR_SCENARIO, "only smallest budgets are pinned, each once, and here one contains "
                           "another");
        from = end + 1;
    }
    return true;
}
