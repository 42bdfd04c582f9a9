/* script_code.c - the compiled code of a script, instruction by instruction, with the token from which each comes.
 *
 * Lua stores a line for each instruction and no column. So the script is compiled a second time with every token on its
 * own line: the code is the same, and its lines are tokens. Both compilations use separate Lua states, outside of any
 * heap limit or budget. Code is read where it lies in memory (stock liblua5.1), and checked against marks that Lua
 * stores beside it. */
#include "script/script_code.h"

#include <assert.h>
#include <lauxlib.h>
#include <string.h>

#include "base/mem.h"
#include "script/script_host.h"

/* Lua 5.1's function prototype and closure, as far as they are of interest. */
enum { TYPE_FUNCTION = LUA_TFUNCTION, TYPE_PROTOTYPE = LUA_TTHREAD + 1 };

struct prototype {
    void *next;
    uint8_t type, marked;
    void *constants;
    const uint32_t *code;
    struct prototype **children;
    const int *lines;
    void *variables, *upvalue_names, *source;
    int upvalue_name_count, constant_count, code_count, line_count, child_count, variable_count, first_line, last_line;
    void *gc_list;
    uint8_t upvalues, parameters, vararg, stack;
};

typedef struct {
    void *next;
    uint8_t type, marked, is_c, upvalues;
    void *gc_list, *globals;
    const prototype *code;
} closure;

/* A value, and the beginning of a thread's record. */
typedef struct {
    double number;
    int type;
} lua_value;

typedef struct {
    void *next;
    uint8_t type, marked, status;
    void *top, *base, *shared, *call;
    const uint32_t *next_instruction;
} thread_record;

const prototype *code_prototype(const void *function)
{
    const closure *c = function;
    assert(c->type == TYPE_FUNCTION && !c->is_c);
    return c->code;
}

const uint32_t *code_words(const prototype *p, size_t *count)
{
    assert(p->type == TYPE_PROTOTYPE && p->code_count > 0 && p->line_count == p->code_count);
    *count = (size_t)p->code_count;
    return p->code;
}

const prototype *code_child(const prototype *p, size_t i)
{
    assert(i < (size_t)p->child_count);
    return p->children[i];
}

bool code_constant(const prototype *p, size_t i, double *n)
{
    const lua_value *constants = p->constants;
    assert(p->type == TYPE_PROTOTYPE && i < (size_t)p->constant_count);
    *n = constants[i].number;
    return constants[i].type == LUA_TNUMBER;
}

const uint32_t *code_next(const void *thread)
{
    const thread_record *record = thread;
    return record->next_instruction;
}

compare_kind code_compares(uint32_t word)
{
    switch (code_op(word)) {
    case OP_EQ: return COMPARES_EQUAL;
    case OP_LT: case OP_LE: return COMPARES_ORDER;
    default: return COMPARES_NOT;
    }
}

static void read_function(covered *s, const prototype *p)
{
    size_t count;
    const uint32_t *words = code_words(p, &count);
    MEM_RESERVE(s->functions, s->function_cap, s->function_count + 1);
    s->functions[s->function_count++] = (code_function){ .first = (uint32_t)s->point_count, .count = (uint32_t)count,
                                                         .children = (uint32_t)p->child_count,
                                                         .upvalues = p->upvalues };
    MEM_RESERVE(s->points, s->point_cap, s->point_count + count);
    for (size_t i = 0; i < count; i++)
        s->points[s->point_count++] = (code_point){ .word = words[i], .line = p->lines[i], .token = NO_TOKEN };
    for (size_t i = 0; i < (size_t)p->child_count; i++)
        read_function(s, code_child(p, i));
}

/* A text with one token per line, and which token a line stands for. */
typedef struct {
    buf text;
    uint32_t *line_token;
    size_t lines, cap;
} laid;

static void begin_line(laid *l, uint32_t token)
{
    MEM_RESERVE(l->line_token, l->cap, l->lines + 1);
    l->line_token[l->lines++] = token;
}

/* A call's `(` must be on the line of the called expression, so every `(` stays with the token before it. */
static void lay(laid *l, const token *t, uint32_t number)
{
    if (number == 0 || !token_reads(t, "(")) {
        if (number > 0)
            buf_byte(&l->text, '\n');
        begin_line(l, number);
    }
    buf_add(&l->text, t->text);
    for (size_t at = 0; at < t->text.n;) {
        size_t n = tokens_newline(t->text, at);
        if (n > 0)
            begin_line(l, number);
        at += n > 0 ? n : 1;
    }
}

static void read_tokens(covered *s, laid *l)
{
    tokens x = { .text = str_slice(buf_str(&s->body), s->lua_at, s->body.n), .line = 1 };
    token t;
    while (tokens_next(&x, &t) == TOKENS_ONE) {
        MEM_RESERVE(s->tokens, s->token_cap, s->token_count + 1);
        s->tokens[s->token_count++] = t;
        lay(l, &t, (uint32_t)s->token_count - 1);
    }
}

/* The same function from the new layout, whose lines are tokens. `number` counts functions in preorder. An instruction
 * that differs gets no token, so all decisions at it are left out. */
static void read_lines(covered *s, const prototype *p, const laid *l, size_t *number)
{
    if (*number >= s->function_count)
        return;
    const code_function *f = &s->functions[(*number)++];
    size_t count;
    const uint32_t *words = code_words(p, &count);
    for (size_t i = 0; i < count && i < f->count; i++) {
        code_point *point = &s->points[f->first + i];
        if (point->word == words[i] && p->lines[i] >= 1 && (size_t)p->lines[i] <= l->lines)
            point->token = l->line_token[p->lines[i] - 1];
    }
    for (size_t i = 0; i < (size_t)p->child_count; i++)
        read_lines(s, code_child(p, i), l, number);
}

/* Of a state that no budget is of: memory is there, or all ends. */
static void *allocate(void *context, void *block, size_t old_bytes, size_t new_bytes)
{
    (void)context;
    (void)old_bytes;
    if (new_bytes > 0)
        return mem_grow(block, new_bytes);
    mem_free(block);
    return NULL;
}

void code_compile(covered *s)
{
    lua_State *L = lua_newstate(allocate, NULL);
    assert(L);
    str text = str_slice(buf_str(&s->body), s->lua_at, s->body.n);
    int status = script_compile(L, text, "@user_script");
    assert(status == 0);                                 /* the server has compiled it */
    read_function(s, code_prototype(lua_topointer(L, -1)));
    laid l = { 0 };
    read_tokens(s, &l);
    status = script_compile(L, buf_str(&l.text), "@user_script");
    size_t number = 0;
    if (status == 0)
        read_lines(s, code_prototype(lua_topointer(L, -1)), &l, &number);
    buf_free(&l.text);
    mem_free(l.line_token);
    lua_close(L);
}
