/* resp.c - see resp.h. */
#include "cli/resp.h"

enum { DEPTH_MAX = 32, DIGITS_MAX = 19, ITEMS_MAX = 1 << 20 };

void resp_feed(resp_reader *r, str bytes)
{
    if (r->used == r->bytes.n) {
        buf_clear(&r->bytes);
        r->used = 0;
    }
    buf_add(&r->bytes, bytes);
}

void resp_free(resp_reader *r)
{
    buf_free(&r->bytes);
}

static resp_state read_line(str s, size_t *at, str *line)
{
    size_t end = str_find(s, '\n', *at);
    if (end >= s.n)
        return RESP_MORE;
    if (end == *at || s.p[end - 1] != '\r')
        return RESP_BROKEN;
    *line = str_slice(s, *at, end - 1);
    *at = end + 1;
    return RESP_READY;
}

static bool whole(str s, int64_t *n)
{
    bool minus = s.n > 0 && s.p[0] == '-';
    uint64_t v = 0;
    if (s.n == (size_t)minus || s.n > DIGITS_MAX + (size_t)minus)
        return false;
    for (size_t i = minus; i < s.n; i++) {
        if (s.p[i] < '0' || s.p[i] > '9')
            return false;
        v = v * 10 + (uint64_t)(s.p[i] - '0');
    }
    *n = minus ? (int64_t)(0 - v) : (int64_t)v;
    return v <= INT64_MAX;
}

static resp_state read_bulk(str s, size_t *at, int64_t n, arena *a, reply *out)
{
    if (n < 0) {
        *out = reply_nil();
        return RESP_READY;
    }
    if ((uint64_t)n + 2 > s.n - *at)
        return RESP_MORE;
    *out = reply_bulk(arena_str(a, str_slice(s, *at, *at + (size_t)n)));
    *at += (size_t)n + 2;
    return RESP_READY;
}

static resp_state read_reply(str s, size_t *at, size_t depth, arena *a, reply *out)
{
    str line;
    int64_t n;
    resp_state state = read_line(s, at, &line);
    if (state != RESP_READY)
        return state;
    if (line.n == 0 || depth > DEPTH_MAX)
        return RESP_BROKEN;
    str text = str_slice(line, 1, line.n);
    switch (line.p[0]) {
    case '+': *out = reply_status(arena_str(a, text)); return RESP_READY;
    case '-': *out = reply_error(arena_str(a, text)); return RESP_READY;
    case ':':
        if (!whole(text, &n))
            return RESP_BROKEN;
        *out = reply_integer(n);
        return RESP_READY;
    case '$': return whole(text, &n) ? read_bulk(s, at, n, a, out) : RESP_BROKEN;
    case '*': break;
    default: return RESP_BROKEN;
    }
    if (!whole(text, &n) || n > ITEMS_MAX)
        return RESP_BROKEN;
    if (n < 0) {
        *out = reply_nil_array();
        return RESP_READY;
    }
    *out = reply_items(a, REPLY_ARRAY, (size_t)n);
    for (size_t i = 0; i < out->count && state == RESP_READY; i++)
        state = read_reply(s, at, depth + 1, a, &out->items[i]);
    return state;
}

resp_state resp_next(resp_reader *r, arena *a, reply *out)
{
    size_t at = r->used;
    resp_state state = read_reply(buf_str(&r->bytes), &at, 0, a, out);
    if (state == RESP_READY)
        r->used = at;
    return state;
}
