/* hash.c - commands on hashes. Facts: REDIS-FIDELITY.md 6, "Hashes". */
#include <math.h>

#include "redis/collection.h"
#include "redis/field.h"
#include "redis/server.h"

static reply text_reply(const call *c, str text)
{
    return reply_bulk(arena_str(c->out, text));
}

/* The hash under argv[1], NULL if there is none; false and *r if it is none. */
static bool find(const call *c, value **v, reply *r)
{
    return find_kind(c, c->argv[1], VALUE_HASH, v, r);
}

/* The field's text, if it is alive. Redis removes an expired one on the way, and *v is NULL if it was the last. */
static bool field_text(const call *c, value **v, str name, str *text)
{
    if (!*v || !hash_dated(*v))
        return *v && hash_get(*v, name, text);
    const hash_field *f = field_look(c, c->argv[1], v, name);
    if (f)
        *text = hash_field_text(f);
    return f != NULL;
}

/* A new text for one field, that keeps its deadline if it has one. */
static void set_text(const call *c, str name, str text, const char *event)
{
    value *v;
    find_or_create(c, c->argv[1], VALUE_HASH, &v, &(reply){ 0 });
    bool over = false;
    field_change(c, v, name, text, &over);
    field_tell_over(c, over);
    store_touch(c->st, c->db, c->argv[1]);
    notify(c, NOTIFY_HASH, event, c->argv[1]);
}

/* HSET and HMSET differ in their answer and in nothing else. */
static bool set_pairs(const call *c, const char *name, int64_t *added, reply *r)
{
    value *v;
    bool over = false;
    if (c->argc % 2 == 1) {
        *r = reply_bad_arity(c, name);
        return false;
    }
    if (!find_or_create(c, c->argv[1], VALUE_HASH, &v, r))
        return false;
    collection_expect(c, v, c->argv[2], c->argc / 2 - 1);
    *added = 0;
    for (size_t i = 2; i + 1 < c->argc; i += 2)
        *added += field_set(c, v, c->argv[i], c->argv[i + 1], false, &over);
    field_tell_over(c, over);
    store_touch(c->st, c->db, c->argv[1]);
    notify(c, NOTIFY_HASH, "hset", c->argv[1]);
    return true;
}

static reply cmd_hset(const call *c)
{
    int64_t added;
    reply r;
    return set_pairs(c, "hset", &added, &r) ? reply_integer(added) : r;
}

static reply cmd_hmset(const call *c)
{
    int64_t added;
    reply r;
    return set_pairs(c, "hmset", &added, &r) ? reply_ok() : r;
}

static reply cmd_hsetnx(const call *c)
{
    value *v;
    reply r;
    str text;
    if (!find(c, &v, &r))
        return r;
    if (field_text(c, &v, c->argv[2], &text))
        return reply_integer(0);
    set_text(c, c->argv[2], c->argv[3], "hset");
    return reply_integer(1);
}

static reply cmd_hget(const call *c)
{
    value *v;
    reply r;
    str text;
    if (!find(c, &v, &r))
        return r;
    return field_text(c, &v, c->argv[2], &text) ? text_reply(c, text) : reply_nil();
}

static reply cmd_hmget(const call *c)
{
    value *v;
    reply r;
    str text;
    if (!find(c, &v, &r))
        return r;
    reply all = reply_items(c->out, REPLY_ARRAY, c->argc - 2);
    size_t bytes = 0;
    bool gone = false, fits = true;
    for (size_t i = 2; v && fits && i < c->argc; i++) {
        const hash_field *f = field_look_among(c, v, c->argv[i], &gone);
        if (!f)
            continue;
        text = hash_field_text(f);
        fits = reply_fits(bytes += text.n, &r);
        all.items[i - 2] = text_reply(c, text);
    }
    field_tell_gone(c, c->argv[1], &v, gone);
    return fits ? all : r;
}

enum { NAMES = 1, TEXTS = 2 };

static reply all_fields(const call *c, unsigned what)
{
    value *v;
    reply r;
    if (!find(c, &v, &r))
        return r;
    size_t count = v ? field_count(c, v) : 0, n = 0;
    r = reply_items(c->out, what == (NAMES | TEXTS) ? REPLY_MAP : REPLY_ARRAY,
                    what == (NAMES | TEXTS) ? count * 2 : count);
    for (const hash_field *f = NULL; v && (f = field_next(c, v, f));) {
        if (what & NAMES)
            r.items[n++] = text_reply(c, hash_field_name(f));
        if (what & TEXTS)
            r.items[n++] = text_reply(c, hash_field_text(f));
    }
    return r;
}

static reply cmd_hgetall(const call *c) { return all_fields(c, NAMES | TEXTS); }
static reply cmd_hkeys(const call *c) { return all_fields(c, NAMES); }
static reply cmd_hvals(const call *c) { return all_fields(c, TEXTS); }

static reply cmd_hlen(const call *c) { return collection_count(c, VALUE_HASH); }

static reply cmd_hdel(const call *c)
{
    value *v;
    reply r;
    int64_t removed = 0;
    if (!find(c, &v, &r))
        return r;
    for (size_t i = 2; v && i < c->argc; i++)
        removed += field_del(c, v, c->argv[i]);
    if (!removed)
        return reply_integer(0);
    collection_changed(c, c->argv[1], (happened){ NOTIFY_HASH, "hdel" });
    return reply_integer(removed);
}

static reply cmd_hexists(const call *c)
{
    value *v;
    reply r;
    str text;
    return find(c, &v, &r) ? reply_integer(field_text(c, &v, c->argv[2], &text)) : r;
}

static reply cmd_hstrlen(const call *c)
{
    value *v;
    reply r;
    str text;
    if (!find(c, &v, &r))
        return r;
    return reply_integer(field_text(c, &v, c->argv[2], &text) ? (int64_t)text.n : 0);
}

static reply cmd_hincrby(const call *c)
{
    int64_t by, n = 0;
    value *v;
    reply r;
    str text;
    if (!parse_int(c->argv[3], &by))
        return reply_not_integer();
    if (!find(c, &v, &r))
        return r;
    if (field_text(c, &v, c->argv[2], &text) && !parse_int(text, &n))
        return reply_error(S("ERR hash value is not an integer"));
    if (__builtin_add_overflow(n, by, &n))
        return reply_overflow();
    set_text(c, c->argv[2], arena_int(c->out, n), "hincrby");
    return reply_integer(n);
}

static reply cmd_hincrbyfloat(const call *c)
{
    long double by, n = 0;
    value *v;
    reply r;
    str text;
    if (!parse_long_double(c->argv[3], &by))
        return reply_not_float();
    if (isinf(by))
        return reply_error(S("ERR value is NaN or Infinity"));
    if (!find(c, &v, &r))
        return r;
    if (field_text(c, &v, c->argv[2], &text) && !parse_long_double(text, &n))
        return reply_error(S("ERR hash value is not a float"));
    n += by;
    if (isnan(n) || isinf(n))
        return reply_error(S("ERR increment would produce NaN or Infinity"));
    text = format_long_double(c->out, n);
    set_text(c, c->argv[2], text, "hincrbyfloat");
    return reply_bulk(text);
}

/* Without a count one field or nil; with one a list, of pairs if WITHVALUES. */
static reply cmd_hrandfield(const call *c)
{
    value *v;
    reply r;
    int64_t count = 1;
    bool counted = c->argc > 2, with_values = c->argc > 3;
    if (counted && !parse_random_count(c, 2, &count, &r))
        return r;
    if (c->argc > 4 || (with_values && !arg_is(c, 3, S("withvalues"))))
        return reply_syntax();
    if (with_values && (count < -INT64_MAX / 2 || count > INT64_MAX / 2))
        return reply_error(S("ERR value is out of range"));
    if (!find(c, &v, &r))
        return r;
    field_sweep(c, c->argv[1], &v);
    size_t have = v ? field_count(c, v) : 0, n, *at;
    if (!have)
        return counted ? reply_items(c->out, REPLY_ARRAY, 0) : reply_nil();
    if (!draw_counted(c, have, count, &at, &n, &r))
        return r;
    const hash_field **fields = ARENA_ARRAY(c->out, const hash_field *, have), *f = NULL;
    for (size_t i = 0; i < have; i++)
        fields[i] = f = field_next(c, v, f);
    if (!counted)
        return text_reply(c, hash_field_name(fields[at[0]]));
    size_t bytes = 0;
    for (size_t i = 0; i < n; i++) {
        if (!reply_fits(bytes += hash_field_name(fields[at[i]]).n + (with_values ? hash_field_text(fields[at[i]]).n
                                                                     : 0), &r))
            return r;
    }
    r = reply_items(c->out, REPLY_ARRAY, with_values ? n * 2 : n);
    r.pairs = with_values;
    for (size_t i = 0; i < n; i++) {
        r.items[with_values ? i * 2 : i] = text_reply(c, hash_field_name(fields[at[i]]));
        if (with_values)
            r.items[i * 2 + 1] = text_reply(c, hash_field_text(fields[at[i]]));
    }
    return r;
}

static reply cmd_hscan(const call *c)
{
    value *v;
    reply r;
    str pattern;
    bool names_only;
    if (!scan_cursor_ok(c, c->argv[2]))
        return reply_error(S("ERR invalid cursor"));
    if (!find(c, &v, &r))
        return r;
    if (!v)
        return scan_reply(c, reply_items(c->out, REPLY_ARRAY, 0));
    if (!scan_options_of_hash(c, 3, &pattern, &names_only, &r))
        return r;
    reply fields = reply_items(c->out, REPLY_ARRAY, field_count(c, v) * 2);
    size_t n = 0;
    for (const hash_field *f = NULL; (f = field_next(c, v, f));) {
        if (pattern.p && !str_eq(pattern, S("*")) && !glob_match(pattern, hash_field_name(f)))
            continue;
        fields.items[n++] = text_reply(c, hash_field_name(f));
        if (!names_only)
            fields.items[n++] = text_reply(c, hash_field_text(f));
    }
    fields.count = n;
    return scan_reply(c, fields);
}

const command commands_hash[] = {
    { .name = "hset", -4, CMD_WRITE | CMD_DENYOOM | CMD_FLAT, 1, 1, 1, cmd_hset },
    { .name = "hmset", -4, CMD_WRITE | CMD_DENYOOM | CMD_FLAT, 1, 1, 1, cmd_hmset },
    { .name = "hsetnx", 4, CMD_WRITE | CMD_DENYOOM | CMD_FLAT, 1, 1, 1, cmd_hsetnx },
    { .name = "hget", 3, CMD_READONLY | CMD_FLAT, 1, 1, 1, cmd_hget },
    { .name = "hmget", -3, CMD_READONLY | CMD_FLAT, 1, 1, 1, cmd_hmget },
    { .name = "hgetall", 2, CMD_READONLY, 1, 1, 1, cmd_hgetall },
    { .name = "hkeys", 2, CMD_READONLY, 1, 1, 1, cmd_hkeys },
    { .name = "hvals", 2, CMD_READONLY, 1, 1, 1, cmd_hvals },
    { .name = "hlen", 2, CMD_READONLY | CMD_FLAT, 1, 1, 1, cmd_hlen },
    { .name = "hexists", 3, CMD_READONLY | CMD_FLAT, 1, 1, 1, cmd_hexists },
    { .name = "hstrlen", 3, CMD_READONLY | CMD_FLAT, 1, 1, 1, cmd_hstrlen },
    { .name = "hdel", -3, CMD_WRITE | CMD_FLAT, 1, 1, 1, cmd_hdel },
    { .name = "hincrby", 4, CMD_WRITE | CMD_DENYOOM | CMD_FLAT, 1, 1, 1, cmd_hincrby },
    { .name = "hincrbyfloat", 4, CMD_WRITE | CMD_DENYOOM | CMD_FLAT, 1, 1, 1, cmd_hincrbyfloat },
    { .name = "hrandfield", -2, CMD_READONLY, 1, 1, 1, cmd_hrandfield },
    { .name = "hscan", -3, CMD_READONLY, 1, 1, 1, cmd_hscan },
    { .name = NULL },
};
