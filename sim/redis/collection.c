/* collection.c - ranges, counts and scan options, read exactly as Redis 7.0 reads them. */
#include "redis/collection.h"

#include "redis/server.h"

#include <errno.h>
#include <stdlib.h>

void collection_changed(const call *c, str key, happened what)
{
    store_touch(c->st, c->db, key);
    notify(c, what.kind, what.event, key);
    if (store_drop_if_empty(c->st, c->db, key))
        notify(c, NOTIFY_GENERIC, "del", key);
}

void collection_expect(const call *c, value *v, str first, size_t n)
{
    if (server_follows(c->server, RULE_SIZED_BY_WORDS))
        value_expect(v, first, n);
}

bool collection_delete(const call *c, str key)
{
    bool was = store_del(c->st, c->db, key);
    if (was)
        notify(c, NOTIFY_GENERIC, "del", key);
    return was;
}

reply collection_count(const call *c, value_kind kind)
{
    value *v;
    reply r;
    return find_kind(c, c->argv[1], kind, &v, &r) ? reply_integer(v ? (int64_t)value_count(v) : 0) : r;
}

reply collection_remove(const call *c, value_kind kind, bool (*del)(value *v, str member), happened what)
{
    value *v;
    reply r;
    int64_t removed = 0;
    if (!find_kind(c, c->argv[1], kind, &v, &r))
        return r;
    for (size_t i = 2; v && i < c->argc; i++)
        removed += del(v, c->argv[i]);
    if (removed)
        collection_changed(c, c->argv[1], what);
    return reply_integer(removed);
}

void collection_delete_past(const call *c, str key)
{
    if (!server_follows(c->server, RULE_PAST_IS_EXPIRY))
        collection_delete(c, key);
    else if (store_del(c->st, c->db, key))
        notify(c, NOTIFY_EXPIRED, "expired", key);
}

void collection_delete_unseen(const call *c, str key)
{
    if (store_del_unseen(c->st, c->db, key))
        notify(c, NOTIFY_GENERIC, "del", key);
}

reply collection_store(const call *c, str key, value *result, happened what)
{
    int64_t count = (int64_t)value_count(result);
    if (count == 0) {
        value_free(result);
        collection_delete_unseen(c, key);
    } else {
        store_put(c->st, c->db, key, result, false);
        notify(c, what.kind, what.event, key);
    }
    return reply_integer(count);
}

bool parse_int_within(str s, int64_t min, int64_t max, int64_t *n)
{
    int64_t got;
    if (!parse_int(s, &got) || got < min || got > max)
        return false;
    *n = got;
    return true;
}

bool range_clamp(int64_t start, int64_t end, size_t count, size_t *from, size_t *n)
{
    int64_t have = (int64_t)count;
    if (start < 0)
        start += have;                             /* cannot overflow: the other term is not negative */
    if (end < 0)
        end += have;
    if (start < 0)
        start = 0;
    if (end >= have)
        end = have - 1;
    if (start > end || start >= have)
        return false;
    *from = (size_t)start;
    *n = (size_t)(end - start + 1);
    return true;
}

bool scan_cursor_ok(const call *c, str s)
{
    bool strict = server_follows(c->server, RULE_STRICT_CURSOR);
    int64_t whole;
    if (strict && (s.n == 0 || (parse_int(s, &whole) && whole < 0)))
        return false;
    char text[64];
    if (s.n >= sizeof text)                        /* a number that long overflows, or is none */
        return false;
    for (size_t i = 0; i < s.n; i++)
        text[i] = s.p[i];
    text[s.n] = 0;
    if (!strict && (text[0] == ' ' || (text[0] >= '\t' && text[0] <= '\r')))
        return false;
    char *rest;
    errno = 0;
    (void)strtoull(text, &rest, 10);
    return *rest == 0 && errno != ERANGE;
}

bool scan_options(const call *c, size_t first, str *pattern, reply *r)
{
    return scan_options_of_hash(c, first, pattern, NULL, r);
}

bool scan_options_of_hash(const call *c, size_t first, str *pattern, bool *names_only, reply *r)
{
    *pattern = (str){ 0 };
    if (names_only)
        *names_only = false;
    for (size_t i = first; i < c->argc; i += 2) {
        bool has_value = i + 1 < c->argc;
        int64_t n;
        if (server_follows(c->server, RULE_SCAN_NOVALUES) && arg_is(c, i, S("novalues"))) {
            if (!names_only)
                return *r = reply_error(S("ERR NOVALUES option can only be used in HSCAN")), false;
            *names_only = true;
            i--;                                   /* it has no value of its own */
            continue;
        }
        if (has_value && arg_is(c, i, S("count"))) {
            if (!parse_int(c->argv[i + 1], &n))
                return *r = reply_not_integer(), false;
            if (n < 1)
                return *r = reply_syntax(), false;
        } else if (has_value && arg_is(c, i, S("match"))) {
            /* alone it matches even the empty word, which a glob never does */
            bool all = str_eq(c->argv[i + 1], S("*"));
            *pattern = all ? (str){ 0 } : c->argv[i + 1].n ? c->argv[i + 1] : S("");
        } else {
            return *r = reply_syntax(), false;
        }
    }
    return true;
}

reply scan_reply(const call *c, reply elements)
{
    reply r = reply_items(c->out, REPLY_ARRAY, 2);
    r.items[0] = reply_bulk(S("0"));
    r.items[1] = elements;
    return r;
}

bool parse_numkeys(const call *c, size_t at, int64_t *n, reply *r)
{
    if (!parse_int_within(c->argv[at], 1, INT64_MAX, n))
        return *r = reply_error(S("ERR numkeys should be greater than 0")), false;
    return true;
}

bool parse_random_count(const call *c, size_t at, int64_t *count, reply *r)
{
    if (!parse_int(c->argv[at], count))
        return *r = reply_not_integer(), false;
    if (*count == INT64_MIN)
        return *r = reply_error(S("ERR value is out of range, value must between -9223372036854775807 and "
                                  "9223372036854775807")), false;
    return true;
}

/* The first n places of a shuffle (Fisher and Yates). If all are taken, nothing is drawn. */
size_t *draw_distinct(const call *c, size_t have, size_t n)
{
    size_t *at = ARENA_ARRAY(c->out, size_t, have + 1);
    for (size_t i = 0; i < have; i++)
        at[i] = i;
    for (size_t i = 0; i < n && n < have; i++) {
        size_t j = i + (size_t)server_random_below(c->server, have - i), t = at[i];
        at[i] = at[j];
        at[j] = t;
    }
    return at;
}

bool draw_counted(const call *c, size_t have, int64_t count, size_t **at, size_t *n, reply *r)
{
    if (count >= 0) {
        *n = count > (int64_t)have ? have : (size_t)count;
        *at = draw_distinct(c, have, *n);
        return true;
    }
    *n = have ? (size_t)-count : 0;
    if (*n > DRAWS_MAX)
        return *r = reply_error(S("ERR locksim draws at most 1000000 members in one command")), false;
    *at = ARENA_ARRAY(c->out, size_t, *n + 1);
    for (size_t i = 0; i < *n; i++)
        (*at)[i] = (size_t)server_random_below(c->server, have);
    return true;
}
