/* coverage_code.c - from counted instructions to lines and decisions.
 *
 * Every test of Lua 5.1 is followed by a jump that is part of it: the test either takes the jump or skips it. So the
 * instruction that ran next in the same function tells which way a decision went, be it of an `if`, a loop, an `and` or
 * an `or`. */
#include "script/coverage_code.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

/* ---- where instructions lead ---- */

static bool is_test(unsigned op)
{
    return (op >= OP_EQ && op <= OP_TESTSET) || op == OP_TFORLOOP;
}

/* How many words from `at` on are no instructions of their own: the jump of a test, a closure's upvalues, a long
 * SETLIST's number. */
static uint32_t words_after(const covered *s, const code_function *f, uint32_t at)
{
    uint32_t word = s->points[at].word;
    if (is_test(code_op(word)))
        return 1;
    if (code_op(word) == OP_SETLIST)
        return code_c(word) == 0;
    if (code_op(word) != OP_CLOSURE)
        return 0;
    /* preorder: the first child, then its brothers behind their own children */
    size_t child = (size_t)(f - s->functions) + 1;
    for (uint32_t i = word >> 14; i > 0; i--) {
        size_t last = child;
        for (uint32_t open = 1; open > 0; last++)
            open += s->functions[last].children - 1;
        child = last;
    }
    return s->functions[child].upvalues;
}

static uint32_t jump_from(const covered *s, uint32_t at)
{
    return (uint32_t)((int64_t)at + 1 + code_jump(s->points[at].word));
}

/* Where it can go on: 0, 1 or 2 places. */
static size_t successors(const covered *s, const code_function *f, uint32_t at, uint32_t to[2])
{
    uint32_t word = s->points[at].word, next = at + 1 + words_after(s, f, at);
    to[0] = to[1] = next;
    switch (code_op(word)) {
    case OP_RETURN:
        return 0;
    case OP_JMP: case OP_FORPREP:
        to[0] = jump_from(s, at);
        return 1;
    case OP_FORLOOP:
        to[0] = jump_from(s, at);
        return 2;
    case OP_LOADBOOL:
        to[0] = next + (code_c(word) != 0);
        return 1;
    default:
        if (!is_test(code_op(word)))
            return 1;
        to[0] = jump_from(s, at + 1);
        return 2;
    }
}

/* Marks what can be reached from the function's first instruction. */
static void mark_reachable(covered *s, const code_function *f)
{
    uint32_t *todo = mem_alloc((f->count + 1) * sizeof *todo), n = 1;
    todo[0] = f->first;
    s->points[f->first].real = true;
    while (n > 0) {
        uint32_t to[2];
        size_t ways = successors(s, f, todo[--n], to);
        for (size_t i = 0; i < ways; i++)
            if (!s->points[to[i]].real) {
                s->points[to[i]].real = true;
                todo[n++] = to[i];
            }
    }
    mem_free(todo);
}

/* Code that nothing leads to counts too, for its author wrote it; but not the jumps and the final return that the
 * compiler adds. */
static void mark_written(covered *s, const code_function *f)
{
    for (uint32_t at = f->first; at < f->first + f->count; at += 1 + words_after(s, f, at)) {
        unsigned op = code_op(s->points[at].word);
        if (op != OP_JMP && at + 1 < f->first + f->count)
            s->points[at].real = true;
    }
}

void code_link(covered *s)
{
    for (size_t i = 0; i < s->function_count; i++) {
        const code_function *f = &s->functions[i];
        mark_reachable(s, f);
        mark_written(s, f);
        for (uint32_t at = f->first; at < f->first + f->count; at += 1 + words_after(s, f, at)) {
            uint32_t to[2];
            if (successors(s, f, at, to) == 2)
                memcpy(s->points[at].to, to, sizeof to);
        }
    }
}

/* ---- lines ---- */

void code_lines(const covered *s, arena *a, coverage_script *out)
{
    int last = 0;
    for (size_t i = 0; i < s->point_count; i++)
        if (s->points[i].line > last)
            last = s->points[i].line;
    uint64_t *count = ARENA_ARRAY(a, uint64_t, (size_t)last + 1);
    bool *real = ARENA_ARRAY(a, bool, (size_t)last + 1);
    for (size_t i = 0; i < s->point_count; i++) {
        const code_point *p = &s->points[i];
        if (!p->real)
            continue;
        real[p->line] = true;
        if (p->count > count[p->line])
            count[p->line] = p->count;
    }
    coverage_line *lines = ARENA_ARRAY(a, coverage_line, (size_t)last + 1);
    for (int line = 1; line <= last; line++)
        if (real[line])
            lines[out->line_count++] = (coverage_line){ .line = line, .count = count[line] };
    out->lines = lines;
}

/* ---- decisions ---- */

/* For each token that ends or divides something, the token that began it: `)` its `(`, `then` its `if` or `elseif`,
 * `do` its loop's keyword, `until` its `repeat`, `end` what it closes. */
static uint32_t *partners(const covered *s, arena *a)
{
    uint32_t *partner = ARENA_ARRAY(a, uint32_t, s->token_count + 1),
                        *open = ARENA_ARRAY(a, uint32_t, s->token_count + 1);
    size_t depth = 0;
    for (uint32_t i = 0; i < s->token_count; i++) {
        const token *t = &s->tokens[i], *top = depth > 0 ? &s->tokens[open[depth - 1]] : NULL;
        partner[i] = top ? open[depth - 1] : i;
        if (token_reads(t, "do") && top && (token_reads(top, "while") || token_reads(top, "for"))) {
            open[depth - 1] = i;                         /* its `end` closes the `do` */
        } else if (token_reads(t, "elseif")) {
            if (depth > 0)
                open[depth - 1] = i;
        } else if (token_reads(t, "(") || token_reads(t, "{") || token_reads(t, "[") || token_reads(t, "function") ||
                   token_reads(t, "do") || token_reads(t, "if") || token_reads(t, "while") || token_reads(t, "for") ||
                   token_reads(t, "repeat")) {
            open[depth++] = i;
        } else if (token_reads(t, ")") || token_reads(t, "}") || token_reads(t, "]") || token_reads(t, "end") ||
                   token_reads(t, "until")) {
            depth -= depth > 0;
        }
    }
    return partner;
}

/* The `until` whose condition ends at token `from`. */
static uint32_t until_before(const covered *s, const uint32_t *partner, uint32_t from)
{
    for (uint32_t i = from;; i--) {
        const token *t = &s->tokens[i];
        if (token_reads(t, "until"))
            return i;
        if (token_reads(t, ")") || token_reads(t, "}") || token_reads(t, "]") || token_reads(t, "end"))
            i = partner[i];                              /* an `end` within an expression is a function's */
        if (i == 0)
            return from;
    }
}

typedef enum { DECIDES_NOTHING, DECIDES_AND, DECIDES_OR, DECIDES_IF, DECIDES_WHILE, DECIDES_UNTIL,
               DECIDES_FOR } decision_kind;

typedef struct {
    decision_kind kind;
    uint32_t keyword;              /* its token */
} decision;

/* The decision of the two-way instruction at `at`. */
static decision decision_at(const covered *s, const uint32_t *partner, uint32_t at)
{
    const code_point *p = &s->points[at];
    unsigned op = code_op(p->word);
    uint32_t k = p->token;
    if (p->to[0] == p->to[1] || k == NO_TOKEN)           /* an empty block: both ways are one */
        return (decision){ DECIDES_NOTHING, 0 };
    if (op == OP_FORLOOP || op == OP_TFORLOOP) {         /* compiled at `for`, or behind its `in` */
        while (k > 0 && !token_reads(&s->tokens[k], "for"))
            k--;
        return (decision){ DECIDES_FOR, k };
    }
    /* A comparison as a value: the ways are the values true and false. */
    uint32_t after = s->points[at + 2].word;
    if (op <= OP_LE && code_op(after) == OP_LOADBOOL && code_c(after) != 0)
        return (decision){ DECIDES_NOTHING, 0 };
    /* A test is compiled when its operator, or all of its condition, has been read; a comparison at its last token. */
    while (k + 1 < s->token_count && !token_reads(&s->tokens[k], "and") && !token_reads(&s->tokens[k], "or") &&
           !token_reads(&s->tokens[k], "then") && !token_reads(&s->tokens[k], "do") &&
           (k == p->token || token_reads(&s->tokens[k], ")")))
        k++;
    const token *t = &s->tokens[k];
    if (token_reads(t, "and") || token_reads(t, "or"))
        return (decision){ token_reads(t, "and") ? DECIDES_AND : DECIDES_OR, k };
    if (token_reads(t, "then"))
        return (decision){ DECIDES_IF, partner[k] };
    if (token_reads(t, "do") && token_reads(&s->tokens[partner[k]], "while"))
        return (decision){ DECIDES_WHILE, partner[k] };
    return (decision){ DECIDES_UNTIL, until_before(s, partner, p->token) };
}

/* The first instruction from `at` on that is no jump: the compiler shortens jumps to jumps. */
static uint32_t landing(const covered *s, uint32_t at)
{
    for (size_t jumps = 0; code_op(s->points[at].word) == OP_JMP && jumps < s->point_count; jumps++)
        at = jump_from(s, at);
    return at;
}

/* How often each branch of the last test was taken, by itself or by an earlier test of the same condition that decided
 * it. */
static void settle(const covered *s, uint32_t at, uint32_t keyword, uint64_t went[2])
{
    const code_point *last = &s->points[at];
    uint32_t lands[2] = { landing(s, last->to[0]), landing(s, last->to[1]) };
    memcpy(went, last->went, sizeof last->went);
    for (uint32_t i = at; i-- > 0;) {
        const code_point *p = &s->points[i];
        if (p->token == NO_TOKEN || p->token <= keyword)
            break;
        for (int way = 0; way < 2 && p->to[0] != p->to[1]; way++)
            if (p->to[0] == last->to[way] || (lands[0] != lands[1] && landing(s, p->to[0]) == lands[way]))
                went[way] += p->went[0];
    }
}

static int by_place(const void *a, const void *b)
{
    const coverage_branch *x = a, *y = b;
    if (x->line != y->line)
        return x->line < y->line ? -1 : 1;
    if (x->col != y->col)
        return x->col < y->col ? -1 : 1;
    return strcmp(y->what, x->what);                     /* "then" before "else", "loop's end" before "loop" */
}

void code_branches(const covered *s, arena *a, coverage_script *out)
{
    /* The meaning of taking the jump, and of not taking it. */
    static const char *const what[][2] = {
        [DECIDES_NOTHING] = { "", "" }, [DECIDES_AND] = { "and, left false", "and, left true" },
        [DECIDES_OR] = { "or, left true", "or, left false" }, [DECIDES_IF] = { "else", "then" },
        [DECIDES_WHILE] = { "loop's end", "loop" }, [DECIDES_UNTIL] = { "loop again", "loop's end" },
        [DECIDES_FOR] = { "loop", "loop's end" },
    };
    uint32_t *partner = partners(s, a);
    coverage_branch *branches = ARENA_ARRAY(a, coverage_branch, 2 * s->point_count + 1);
    for (uint32_t at = 0; at < s->point_count; at++) {
        decision d = decision_at(s, partner, at);
        if (d.kind == DECIDES_NOTHING)
            continue;
        uint64_t went[2] = { s->points[at].went[0], s->points[at].went[1] };
        if (d.kind == DECIDES_IF || d.kind == DECIDES_WHILE || d.kind == DECIDES_UNTIL)
            settle(s, at, d.keyword, went);
        const token *t = &s->tokens[d.keyword];
        for (int way = 0; way < 2; way++)
            branches[out->branch_count++] = (coverage_branch){ .line = t->line, .col = t->col,
                                                               .what = what[d.kind][way], .count = went[way] };
    }
    qsort(branches, out->branch_count, sizeof *branches, by_place);
    out->branches = branches;
}
