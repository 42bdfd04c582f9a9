/* shard.c - see shard.h. */
#include "judge/shard.h"

#include <stdlib.h>

enum { PARTS_MAX = 10000 };

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

bool shard_parse(const char *text, shard *out, err *e)
{
    *out = (shard){ .k = 1, .n = 1 };
    if (!text)
        return true;
    char *end = NULL;
    out->k = is_digit(text[0]) ? strtoul(text, &end, 10) : 0;
    out->n = end && *end == '/' && is_digit(end[1]) ? strtoul(end + 1, &end, 10) : 0;
    if (out->n >= 1 && out->n <= PARTS_MAX && out->k >= 1 && out->k <= out->n && *end == '\0')
        return true;
    err_set(e, ERR_USAGE, "--shard takes K/N, the K-th of N parts, not '%s'", text);
    return err_hint(e, "three machines take --shard 1/3, 2/3 and 3/3");
}

bool shard_has(const shard *s, size_t i)
{
    return i % s->n == s->k - 1;
}
