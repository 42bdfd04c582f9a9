/* coverage.c - the scripts of a coverage, found by their SHA-1. */
#include "redis/coverage.h"

#include <string.h>

#include "base/mem.h"
#include "redis/script.h"
#include "redis/server.h"

typedef struct {
    char sha1[41];
    buf name;
} covered;

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
        buf_free(&c->at[i]->name);
        mem_free(c->at[i]);
    }
    mem_free(c->at);
    mem_free(c);
}

static covered *find(coverage *c, str sha1)
{
    for (size_t i = 0; i < c->count; i++)
        if (memcmp(c->at[i]->sha1, sha1.p, 40) == 0)
            return c->at[i];
    MEM_RESERVE(c->at, c->cap, c->count + 1);
    covered *added = c->at[c->count++] = mem_zero(sizeof *added);
    memcpy(added->sha1, sha1.p, 40);
    return added;
}

void coverage_name(coverage *c, str sha1, str name)
{
    covered *s = find(c, sha1);
    if (s->name.n == 0)
        buf_add(&s->name, name);
}

void redis_cover(redis *r, coverage *c)
{
    (void)r;
    (void)c;
}
