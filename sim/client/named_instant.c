/* named_instant.c - see named_instant.h. */
#include "client/named_instant.h"

#include "base/instant.h"

typedef struct {
    int64_t near_ms;
    named_instant *out;
    bool any;
} looking;

static bool names(const looking *k, str digits)
{
    int64_t n;
    return instant_digits(digits, &n) &&
           (instant_near(n, k->near_ms) || (n < INT64_MAX / 1000 && instant_near(n * 1000, k->near_ms)));
}

static bool is_digit(char c) { return c >= '0' && c <= '9'; }

/* The first run of digits in `s` that names an instant; or empty. */
static str digits_in(const looking *k, str s)
{
    for (size_t i = 0; i < s.n; i++) {
        size_t from = i;
        while (i < s.n && is_digit(s.p[i]))
            i++;
        if (i > from && names(k, str_slice(s, from, i)))
            return str_slice(s, from, i);
    }
    return S("");
}

static bool before(const position *a, const position *b)
{
    int paths = str_cmp(a->path, b->path);
    if (paths != 0)
        return paths < 0;
    return a->line != b->line ? a->line < b->line : a->col < b->col;
}

static void look_at(looking *k, str path, const token *t)
{
    if (t->kind != TOKEN_NUMBER && t->kind != TOKEN_STRING)
        return;
    named_instant found = { { path, t->line, t->col }, digits_in(k, t->text) };
    if (found.text.n == 0 || (k->any && !before(&found.where, &k->out->where)))
        return;
    *k->out = found;
    k->any = true;
}

static void look_into_script(void *context, const script_file *s)
{
    tokens x = { .text = s->body, .line = 1 };
    for (token t; tokens_next(&x, &t) == TOKENS_ONE;)
        look_at(context, s->path, &t);
}

bool named_instant_find(const source_cache *c, int64_t near_ms, named_instant *out)
{
    looking k = { near_ms, out, false };
    const source *s;
    for (uint32_t i = 0; (s = source_numbered(c, i)) != NULL; i++)
        for (size_t t = 0; t < s->token_count; t++)
            look_at(&k, s->path, &s->tokens[t]);
    source_each_script(c, look_into_script, &k);
    return k.any;
}
