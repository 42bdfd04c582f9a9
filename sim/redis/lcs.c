/* lcs.c - LCS of Redis 7.0: the longest common subsequence of two strings, its length, or where it lies in both. */
#include <string.h>

#include "redis/collection.h"

typedef struct {
    bool length, index, with_length;
    int64_t least;                 /* MINMATCHLEN */
} lcs_args;

enum { TABLE_BYTES_MAX = 512 << 20 };              /* proto-max-bulk-len, as Redis counts it */

static bool parse(const call *c, lcs_args *a, reply *r)
{
    *a = (lcs_args){ 0 };
    for (size_t i = 3; i < c->argc; i++) {
        if (arg_is(c, i, S("idx"))) {
            a->index = true;
        } else if (arg_is(c, i, S("len"))) {
            a->length = true;
        } else if (arg_is(c, i, S("withmatchlen"))) {
            a->with_length = true;
        } else if (arg_is(c, i, S("minmatchlen")) && i + 1 < c->argc) {
            if (!parse_int(c->argv[++i], &a->least))
                return *r = reply_not_integer(), false;
        } else {
            return *r = reply_syntax(), false;
        }
    }
    if (a->index && a->length)
        return *r = reply_error(S("ERR If you want both the length and indexes, please just use IDX.")), false;
    return true;
}

/* How long the longest is for the first i bytes of x and the first j of y: at[i * (y.n + 1) + j]. */
static uint32_t *table_of(arena *a, str x, str y)
{
    size_t width = y.n + 1;
    uint32_t *at = ARENA_ARRAY(a, uint32_t, (x.n + 1) * width);
    for (size_t i = 1; i <= x.n; i++)
        for (size_t j = 1; j <= y.n; j++) {
            uint32_t above = at[(i - 1) * width + j], left = at[i * width + j - 1];
            at[i * width + j] = x.p[i - 1] == y.p[j - 1] ? at[(i - 1) * width + j - 1] + 1 : above > left ? above
                                : left;
        }
    return at;
}

typedef struct { size_t x, y, n; } match;

static reply range(const call *c, size_t from, size_t n)
{
    reply r = reply_items(c->out, REPLY_ARRAY, 2);
    r.items[0] = reply_integer((int64_t)from);
    r.items[1] = reply_integer((int64_t)(from + n) - 1);
    return r;
}

/* From the last match to the first, as they are found. */
static reply indexes(const call *c, const lcs_args *a, const match *found, size_t count, uint32_t length)
{
    reply r = reply_items(c->out, REPLY_MAP, 4), all = reply_items(c->out, REPLY_ARRAY, count);
    all.count = 0;
    for (size_t i = 0; i < count; i++) {
        if (a->least > 0 && found[i].n < (uint64_t)a->least)
            continue;
        reply *one = &all.items[all.count++];
        *one = reply_items(c->out, REPLY_ARRAY, 2 + a->with_length);
        one->items[0] = range(c, found[i].x, found[i].n);
        one->items[1] = range(c, found[i].y, found[i].n);
        if (a->with_length)
            one->items[2] = reply_integer((int64_t)found[i].n);
    }
    r.items[0] = reply_bulk(S("matches"));
    r.items[1] = all;
    r.items[2] = reply_bulk(S("len"));
    r.items[3] = reply_integer(length);
    return r;
}

/* Walks back from the ends. Where two ways are as long, Redis goes on in the second string. */
static reply walk(const call *c, const lcs_args *a, str x, str y, const uint32_t *at)
{
    size_t width = y.n + 1, i = x.n, j = y.n, count = 0;
    uint32_t length = at[x.n * width + y.n], left = length;
    char *text = arena_alloc(c->out, length + 1);
    match *found = ARENA_ARRAY(c->out, match, length + 1);
    bool open = false;
    while (i > 0 && j > 0) {
        if (x.p[i - 1] == y.p[j - 1]) {
            text[--left] = x.p[i - 1];
            i--, j--;
            if (open)
                found[count - 1] = (match){ i, j, found[count - 1].n + 1 };
            else
                found[count++] = (match){ i, j, 1 };
            open = true;
            continue;
        }
        open = false;
        if (at[(i - 1) * width + j] > at[i * width + j - 1])
            i--;
        else
            j--;
    }
    return a->index ? indexes(c, a, found, count, length) : reply_bulk((str){ text, length });
}

/* LCS key1 key2 [LEN] [IDX] [MINMATCHLEN n] [WITHMATCHLEN] */
static reply cmd_lcs(const call *c)
{
    const value *x = store_find(c->st, c->db, c->argv[1]), *y = store_find(c->st, c->db, c->argv[2]);
    lcs_args a;
    reply r;
    if ((x && value_kind_of(x) != VALUE_STRING) || (y && value_kind_of(y) != VALUE_STRING))
        return reply_error(S("ERR The specified keys must contain string values"));
    if (!parse(c, &a, &r))
        return r;
    str first = x ? value_string(x) : S(""), second = y ? value_string(y) : S("");
    if ((first.n + 1) * (second.n + 1) > TABLE_BYTES_MAX / sizeof(uint32_t))
        return reply_error(S("ERR Insufficient memory, transient memory for LCS exceeds proto-max-bulk-len"));
    const uint32_t *at = table_of(c->out, first, second);
    if (a.length)
        return reply_integer(at[first.n * (second.n + 1) + second.n]);
    return walk(c, &a, first, second, at);
}

const command commands_lcs[] = {
    { .name = "lcs", -3, CMD_READONLY, 1, 2, 1, cmd_lcs },
    { .name = NULL },
};
