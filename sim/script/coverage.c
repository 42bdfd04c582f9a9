/* coverage.c - the scripts of a coverage, found by their SHA-1, and what was reached of each. */
#include "script/coverage.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "script/coverage_code.h"

struct coverage {
    covered **at;
    size_t count, cap;
};

coverage *coverage_new(void)
{
    return mem_zero(sizeof(coverage));
}

void coverage_free(coverage *c)
{
    if (!c)
        return;
    for (size_t i = 0; i < c->count; i++) {
        covered *s = c->at[i];
        buf_free(&s->name);
        buf_free(&s->body);
        mem_free(s->points);
        mem_free(s->functions);
        mem_free(s->tokens);
        mem_free(s);
    }
    mem_free(c->at);
    mem_free(c);
}

covered *coverage_find(coverage *c, str sha1)
{
    for (size_t i = 0; i < c->count; i++)
        if (memcmp(c->at[i]->sha1, sha1.p, 40) == 0)
            return c->at[i];
    MEM_RESERVE(c->at, c->cap, c->count + 1);
    covered *s = c->at[c->count++] = mem_zero(sizeof *s);
    memcpy(s->sha1, sha1.p, 40);
    return s;
}

covered *coverage_add(coverage *c, str sha1, str body, size_t lua_at)
{
    covered *s = coverage_find(c, sha1);
    if (s->point_count == 0) {
        buf_add(&s->body, body);
        s->lua_at = lua_at;
        code_compile(s);
        code_link(s);
    }
    return s;
}

void coverage_name(coverage *c, str sha1, str name)
{
    covered *s = coverage_find(c, sha1);
    if (s->name.n == 0)
        buf_add(&s->name, name);
}

static int by_name(const void *a, const void *b)
{
    const covered *x = *(covered *const *)a, *y = *(covered *const *)b;
    int order = str_cmp(buf_str(&x->name), buf_str(&y->name));
    return order ? order : memcmp(x->sha1, y->sha1, 40);
}

size_t coverage_scripts(const coverage *c, arena *a, const coverage_script **out)
{
    covered **sorted = ARENA_ARRAY(a, covered *, c->count + 1);
    size_t n = 0;
    for (size_t i = 0; i < c->count; i++)
        if (c->at[i]->point_count > 0)             /* what did not compile was only named */
            sorted[n++] = c->at[i];
    qsort(sorted, n, sizeof *sorted, by_name);
    coverage_script *scripts = ARENA_ARRAY(a, coverage_script, n + 1);
    for (size_t i = 0; i < n; i++) {
        const covered *s = sorted[i];
        scripts[i] = (coverage_script){ .sha1 = arena_str(a, (str){ s->sha1, 40 }),
                                        .name = arena_str(a, buf_str(&s->name)),
                                        .body = arena_str(a, buf_str(&s->body)) };
        code_lines(s, a, &scripts[i]);
        code_branches(s, a, &scripts[i]);
    }
    *out = scripts;
    return n;
}
