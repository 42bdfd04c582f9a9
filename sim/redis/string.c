/* string.c - commands on strings. Facts: REDIS-FIDELITY.md 5.3 and 6, "Strings"; a real Valkey 9.1 for IFEQ and
 * DELIFEQ; the published command pages of Redis 8.4 and Valkey 9.2 for IFNE, IFDEQ, IFDNE, DELEX and DIGEST, which no
 * server here has proved yet. */
#include <math.h>

#include "redis/collection.h"
#include "redis/deadline.h"
#include "redis/dict.h"
#include "redis/server.h"

static reply copy_of(const call *c, const value *v)
{
    return v ? reply_bulk(arena_str(c->out, value_string(v))) : reply_nil();
}

/* The string under argv[1] as a reply, nil if there is none; false if it is no string. */
static bool get(const call *c, value **v, reply *r)
{
    if (!find_kind(c, c->argv[1], VALUE_STRING, v, r))
        return false;
    *r = copy_of(c, *v);
    return true;
}

/* Overwrites whatever is there. An old string's memory is used again: locks write the same key over and over. */
static void put(const call *c, str key, str text, bool keep_deadline, const char *event)
{
    value *v = store_find(c->st, c->db, key);
    if (v && value_kind_of(v) == VALUE_STRING) {
        value_string_set(v, text);
        store_put(c->st, c->db, key, v, keep_deadline);
    } else {
        store_put(c->st, c->db, key, value_new_string(text), keep_deadline);
    }
    notify(c, NOTIFY_STRING, event, key);
}

/* RULE_SCRIPTS_SET_TEXTS, but only on request: a search would distinguish equal values. */
static void mark_given(const call *c, value *v)
{
    if (c->in_script && c->server->limits.packings && server_follows(c->server, RULE_SCRIPTS_SET_TEXTS))
        value_string_mark(v, TEXT_PLAIN);
}

/* Writes the caller's text under the key that the caller names. */
static void put_given(const call *c, str key, str text, bool keep_deadline)
{
    put(c, key, text, keep_deadline, "set");
    mark_given(c, store_find(c->st, c->db, key));
}

static void set_deadline(const call *c, str key, int64_t deadline_ms)
{
    store_set_deadline(c->st, c->db, key, deadline_ms);
    notify(c, NOTIFY_GENERIC, deadline_ms == STORE_NO_DEADLINE ? "persist" : "expire", key);
}

static reply too_long(void)
{
    return reply_error(S("ERR string exceeds maximum allowed size (proto-max-bulk-len)"));
}

static reply cmd_get(const call *c)
{
    value *v;
    reply r;
    get(c, &v, &r);
    return r;
}

/* ---- SET and related commands ---- */

enum { SET_NX = 1, SET_XX = 2, SET_GET = 4, SET_KEEPTTL = 8, SET_PERSIST = 16, SET_DEADLINE = 32, SET_IF = 64 };

/* The condition on the value, in newer releases: IFEQ and related words. */
typedef enum { IF_EQUAL, IF_UNEQUAL, IF_DIGEST_EQUAL, IF_DIGEST_UNEQUAL, IF_KINDS } if_kind;
static const struct { str word; dialect_since set, delex; } if_words[IF_KINDS] = {
    [IF_EQUAL] = { { "ifeq", 4 }, { 804, 801 }, { 804, 902 } },
    [IF_UNEQUAL] = { { "ifne", 4 }, { 804, 902 }, { 804, 902 } },
    [IF_DIGEST_EQUAL] = { { "ifdeq", 5 }, { 804, DIALECT_NEVER }, { 804, DIALECT_NEVER } },
    [IF_DIGEST_UNEQUAL] = { { "ifdne", 5 }, { 804, DIALECT_NEVER }, { 804, DIALECT_NEVER } },
};

/* The condition that this word names, IF_KINDS if there is none of it here. */
static if_kind find_if(const call *c, size_t i, bool delex)
{
    size_t k = 0;
    while (k < IF_KINDS && !(arg_is(c, i, if_words[k].word) &&
                             dialect_has(c->server->dialect, delex ? if_words[k].delex : if_words[k].set)))
        k++;
    return (if_kind)k;
}

/* XXH3 of the text with 64 bits, as DIGEST tells it: 16 hexadecimal digits. */
static str digest_of(arena *a, str text)
{
    return arena_printf(a, "%016llx", (unsigned long long)XXH3_64bits(text.p, text.n));
}

/* `text` is NULL where there is no key: it equals nothing. */
static bool if_holds(const call *c, if_kind kind, const str *text, str wanted)
{
    bool equal = text && (kind >= IF_DIGEST_EQUAL ? str_eq_nocase(digest_of(c->out, *text), wanted)
                          : str_eq(*text, wanted));
    return equal == (kind == IF_EQUAL || kind == IF_DIGEST_EQUAL);
}

typedef struct {
    unsigned flags;
    unsigned form;                                 /* of the deadline */
    str deadline;
    if_kind condition;                             /* of SET_IF */
    str wanted;
} set_options;

/* The options of SET (getex false) or GETEX from argv[first] on. At most one of the words that say how long the key
 * lives, though that one may be repeated, and then the last one counts. */
static bool parse_set_options(const call *c, size_t first, bool getex, set_options *o)
{
    static const struct { str word; unsigned form; } times[] = {
        { { "ex", 2 }, DEADLINE_SECONDS }, { { "px", 2 }, 0 },
        { { "exat", 4 }, DEADLINE_SECONDS | DEADLINE_ABSOLUTE }, { { "pxat", 4 }, DEADLINE_ABSOLUTE },
    };
    const unsigned lives = SET_KEEPTTL | SET_PERSIST | SET_DEADLINE;
    *o = (set_options){ 0 };
    for (size_t i = first; i < c->argc; i++) {
        unsigned flag = 0;
        const unsigned conditions = SET_NX | SET_XX | SET_IF;
        if_kind condition = getex ? IF_KINDS : find_if(c, i, false);
        if (!getex && arg_is(c, i, S("nx")) && !(o->flags & conditions & ~(unsigned)SET_NX))
            flag = SET_NX;
        else if (!getex && arg_is(c, i, S("xx")) && !(o->flags & conditions & ~(unsigned)SET_XX))
            flag = SET_XX;
        else if (condition < IF_KINDS && !(o->flags & conditions) && i + 1 < c->argc) {
            flag = SET_IF;
            o->condition = condition;
            o->wanted = c->argv[++i];
        }
        else if (!getex && arg_is(c, i, S("get")))
            flag = SET_GET;
        else if (!getex && arg_is(c, i, S("keepttl")) && !(o->flags & lives & ~(unsigned)SET_KEEPTTL))
            flag = SET_KEEPTTL;
        else if (getex && arg_is(c, i, S("persist")) && !(o->flags & lives & ~(unsigned)SET_PERSIST))
            flag = SET_PERSIST;
        for (size_t k = 0; !flag && k < COUNT(times) && i + 1 < c->argc; k++) {
            if (!str_eq_nocase(c->argv[i], times[k].word) || (o->flags & (SET_KEEPTTL | SET_PERSIST)) ||
                ((o->flags & SET_DEADLINE) && o->form != times[k].form))
                continue;
            flag = SET_DEADLINE;
            o->form = times[k].form;
            o->deadline = c->argv[++i];
        }
        if (!flag)
            return false;
        o->flags |= flag;
    }
    return true;
}

static reply cmd_set(const call *c)
{
    set_options o;
    str key = c->argv[1];
    int64_t deadline_ms = STORE_NO_DEADLINE;
    reply r = reply_ok();
    value *old;
    if (!parse_set_options(c, 3, false, &o))
        return reply_syntax();
    if ((o.flags & SET_DEADLINE) && !deadline_from(c, o.deadline, o.form, "set", &deadline_ms, &r))
        return r;
    if ((o.flags & SET_GET) && !get(c, &old, &r))
        return r;
    if (o.flags & SET_IF) {
        value *v;
        reply wrong;
        if (!find_kind(c, key, VALUE_STRING, &v, &wrong))
            return wrong;
        str text = v ? value_string(v) : S("");
        if (!if_holds(c, o.condition, v ? &text : NULL, o.wanted))
            return o.flags & SET_GET ? r : reply_nil();
    }
    if (o.flags & (SET_NX | SET_XX)) {
        bool exists = store_find(c->st, c->db, key) != NULL;
        if (exists ? o.flags & SET_NX : o.flags & SET_XX)
            return o.flags & SET_GET ? r : reply_nil();
    }
    if (o.flags & SET_DEADLINE)
        deadline_tell(c, o.form, deadline_ms);
    if (o.flags & SET_DEADLINE && deadline_ms <= store_now_ms(c->st) &&
        server_follows(c->server, RULE_PAST_SET_DELETES)) {
        collection_delete_past(c, key);
        return r;
    }
    put_given(c, key, c->argv[2], o.flags & SET_KEEPTTL);
    if (o.flags & SET_DEADLINE)
        set_deadline(c, key, deadline_ms);
    return r;
}

static reply cmd_setnx(const call *c)
{
    if (store_find(c->st, c->db, c->argv[1]))
        return reply_integer(0);
    put_given(c, c->argv[1], c->argv[2], false);
    return reply_integer(1);
}

static reply set_with_ttl(const call *c, const char *name, unsigned form)
{
    int64_t deadline_ms;
    reply r;
    if (!deadline_from(c, c->argv[2], form, name, &deadline_ms, &r))
        return r;
    put_given(c, c->argv[1], c->argv[3], false);
    set_deadline(c, c->argv[1], deadline_ms);
    return reply_ok();
}

static reply cmd_setex(const call *c) { return set_with_ttl(c, "setex", DEADLINE_SECONDS); }
static reply cmd_psetex(const call *c) { return set_with_ttl(c, "psetex", 0); }

static reply cmd_getset(const call *c)
{
    value *v;
    reply r;
    if (get(c, &v, &r))
        put_given(c, c->argv[1], c->argv[2], false);
    return r;
}

static reply cmd_getdel(const call *c)
{
    value *v;
    reply r;
    if (get(c, &v, &r) && v)
        collection_delete(c, c->argv[1]);
    return r;
}

static reply cmd_getex(const call *c)
{
    set_options o;
    str key = c->argv[1];
    int64_t deadline_ms = STORE_NO_DEADLINE;
    value *v;
    reply r, refused;
    if (!parse_set_options(c, 2, true, &o))
        return reply_syntax();
    bool early = server_follows(c->server, RULE_GETEX_ARGUMENTS_FIRST);
    if (early && (o.flags & SET_DEADLINE) && !deadline_from(c, o.deadline, o.form, "getex", &deadline_ms, &refused))
        return refused;
    if (!get(c, &v, &r) || !v)
        return r;
    if (!early && (o.flags & SET_DEADLINE) && !deadline_from(c, o.deadline, o.form, "getex", &deadline_ms, &refused))
        return refused;
    if (o.flags & SET_DEADLINE)
        deadline_tell(c, o.form, deadline_ms);
    if ((o.flags & SET_DEADLINE) && deadline_ms <= store_now_ms(c->st))
        collection_delete_past(c, key);
    else if ((o.flags & SET_DEADLINE) ||
             ((o.flags & SET_PERSIST) && store_deadline_ms(c->st, c->db, key) != STORE_NO_DEADLINE))
        set_deadline(c, key, deadline_ms);
    return r;
}

/* Deletes the key if it holds a string for which the condition holds. */
static reply delete_if(const call *c, if_kind condition, str wanted)
{
    value *v;
    reply r;
    if (!find_kind(c, c->argv[1], VALUE_STRING, &v, &r))
        return r;
    str text = v ? value_string(v) : S("");
    if (!v || !if_holds(c, condition, &text, wanted))
        return reply_integer(0);
    collection_delete(c, c->argv[1]);
    return reply_integer(1);
}

static reply cmd_delifeq(const call *c) { return delete_if(c, IF_EQUAL, c->argv[2]); }

/* DELEX key [IFEQ|IFNE|IFDEQ|IFDNE value]. Without a condition it deletes a value of any kind; Valkey requires one. */
static reply cmd_delex(const call *c)
{
    if (c->argc == 2)
        return reply_integer(collection_delete(c, c->argv[1]));
    if_kind condition = c->argc == 4 ? find_if(c, 2, true) : IF_KINDS;
    return condition < IF_KINDS ? delete_if(c, condition, c->argv[3]) : reply_syntax();
}

static reply cmd_digest(const call *c)
{
    value *v;
    reply r;
    if (!find_kind(c, c->argv[1], VALUE_STRING, &v, &r))
        return r;
    return v ? reply_bulk(digest_of(c->out, value_string(v))) : reply_nil();
}

/* ---- several keys ---- */

static reply cmd_mget(const call *c)
{
    reply all = reply_items(c->out, REPLY_ARRAY, c->argc - 1), refused;
    size_t bytes = 0;
    for (size_t i = 1; i < c->argc; i++) {
        const value *v = store_find(c->st, c->db, c->argv[i]);
        if (!v || value_kind_of(v) != VALUE_STRING)
            continue;
        if (!reply_fits(bytes += value_count(v), &refused))
            return refused;
        all.items[i - 1] = copy_of(c, v);
    }
    return all;
}

static void put_pairs(const call *c)
{
    for (size_t i = 1; i + 1 < c->argc; i += 2)
        put_given(c, c->argv[i], c->argv[i + 1], false);
}

static reply cmd_mset(const call *c)
{
    if (c->argc % 2 == 0)
        return reply_bad_arity(c, "mset");
    put_pairs(c);
    return reply_ok();
}

static reply cmd_msetnx(const call *c)
{
    if (c->argc % 2 == 0)
        return reply_bad_arity(c, "msetnx");
    for (size_t i = 1; i < c->argc; i += 2) {
        if (store_find(c->st, c->db, c->argv[i]))
            return reply_integer(0);
    }
    put_pairs(c);
    return reply_integer(1);
}

/* ---- numbers ---- */

static reply increment(const call *c, int64_t by)
{
    int64_t n = 0;
    value *v;
    reply r;
    if (!find_kind(c, c->argv[1], VALUE_STRING, &v, &r))
        return r;
    if (v && !parse_int(value_string(v), &n))
        return reply_not_integer();
    if (__builtin_add_overflow(n, by, &n))
        return reply_overflow();
    put(c, c->argv[1], arena_int(c->out, n), true, "incrby");
    return reply_integer(n);
}

static reply cmd_incr(const call *c) { return increment(c, 1); }
static reply cmd_decr(const call *c) { return increment(c, -1); }

static reply cmd_incrby(const call *c)
{
    int64_t by;
    return parse_int(c->argv[2], &by) ? increment(c, by) : reply_not_integer();
}

static reply cmd_decrby(const call *c)
{
    int64_t by;
    if (!parse_int(c->argv[2], &by))
        return reply_not_integer();
    if (by == INT64_MIN)
        return reply_error(S("ERR decrement would overflow"));
    return increment(c, -by);
}

static reply cmd_incrbyfloat(const call *c)
{
    long double n = 0, by;
    value *v;
    reply r;
    if (!find_kind(c, c->argv[1], VALUE_STRING, &v, &r))
        return r;
    if ((v && !parse_long_double(value_string(v), &n)) || !parse_long_double(c->argv[2], &by))
        return reply_not_float();
    n += by;
    if (isnan(n) || isinf(n))
        return reply_error(S("ERR increment would produce NaN or Infinity"));
    str text = format_long_double(c->out, n);
    put(c, c->argv[1], text, true, "incrbyfloat");
    value_string_mark(store_find(c->st, c->db, c->argv[1]), TEXT_PLAIN);
    return reply_bulk(text);
}

/* ---- parts ---- */

static reply cmd_append(const call *c)
{
    value *v;
    reply r;
    if (!find_kind(c, c->argv[1], VALUE_STRING, &v, &r))
        return r;
    if ((int64_t)(c->argv[2].n + (v ? value_count(v) : 0)) > STRING_BYTES_MAX)
        return too_long();
    if (v) {
        value_string_write(v, value_count(v), c->argv[2]);
        store_touch(c->st, c->db, c->argv[1]);
    } else {
        v = value_new_string(c->argv[2]);
        mark_given(c, v);
        store_put(c->st, c->db, c->argv[1], v, false);
    }
    notify(c, NOTIFY_STRING, "append", c->argv[1]);
    return reply_integer((int64_t)value_count(v));
}

static reply cmd_strlen(const call *c) { return collection_count(c, VALUE_STRING); }

static reply cmd_getrange(const call *c)
{
    int64_t start, end;
    size_t from, n;
    value *v;
    reply r;
    if (!parse_int(c->argv[2], &start) || !parse_int(c->argv[3], &end))
        return reply_not_integer();
    if (!find_kind(c, c->argv[1], VALUE_STRING, &v, &r))
        return r;
    if (!v || (start < 0 && end < 0 && start > end))
        return reply_bulk(S(""));
    int64_t have = (int64_t)value_count(v);
    if (end < -have)
        end = -have;                               /* unlike a list's range: an end before the string is its first
                                                    * byte */
    if (!range_clamp(start, end, (size_t)have, &from, &n))
        return reply_bulk(S(""));
    return reply_bulk(arena_str(c->out, str_slice(value_string(v), from, from + n)));
}

static reply cmd_setrange(const call *c)
{
    int64_t offset;
    value *v;
    reply r;
    str text = c->argv[3];
    if (!parse_int(c->argv[2], &offset))
        return reply_not_integer();
    if (offset < 0)
        return reply_error(S("ERR offset is out of range"));
    if (!find_kind(c, c->argv[1], VALUE_STRING, &v, &r))
        return r;
    if (text.n == 0)
        return reply_integer(v ? (int64_t)value_count(v) : 0);
    if (offset > STRING_BYTES_MAX || (int64_t)text.n > STRING_BYTES_MAX - offset)
        return too_long();
    if (!v) {
        v = value_new_string(S(""));
        store_put(c->st, c->db, c->argv[1], v, false);
    }
    value_string_write(v, (size_t)offset, text);
    store_touch(c->st, c->db, c->argv[1]);
    notify(c, NOTIFY_STRING, "setrange", c->argv[1]);
    return reply_integer((int64_t)value_count(v));
}

const command commands_string[] = {
    { .name = "delifeq", 3, CMD_WRITE | CMD_FLAT, 1, 1, 1, cmd_delifeq, .since = VALKEY_ONLY(9, 0) },
    { .name = "delex", -2, CMD_WRITE | CMD_FLAT, 1, 1, 1, cmd_delex, .since = REDIS_ONLY(8, 4) },
    { .name = "delex", 4, CMD_WRITE | CMD_FLAT, 1, 1, 1, cmd_delex, .since = VALKEY_ONLY(9, 2) },
    { .name = "digest", 2, CMD_READONLY | CMD_FLAT, 1, 1, 1, cmd_digest, .since = REDIS_ONLY(8, 4) },
    { .name = "get", 2, CMD_READONLY | CMD_FLAT, 1, 1, 1, cmd_get },
    { .name = "set", -3, CMD_WRITE | CMD_DENYOOM | CMD_FLAT, 1, 1, 1, cmd_set },
    { .name = "setnx", 3, CMD_WRITE | CMD_DENYOOM | CMD_FLAT, 1, 1, 1, cmd_setnx },
    { .name = "setex", 4, CMD_WRITE | CMD_DENYOOM | CMD_FLAT, 1, 1, 1, cmd_setex },
    { .name = "psetex", 4, CMD_WRITE | CMD_DENYOOM | CMD_FLAT, 1, 1, 1, cmd_psetex },
    { .name = "getset", 3, CMD_WRITE | CMD_DENYOOM | CMD_FLAT, 1, 1, 1, cmd_getset },
    { .name = "getdel", 2, CMD_WRITE | CMD_FLAT, 1, 1, 1, cmd_getdel },
    { .name = "getex", -2, CMD_WRITE | CMD_FLAT, 1, 1, 1, cmd_getex },
    { .name = "mget", -2, CMD_READONLY | CMD_FLAT, 1, -1, 1, cmd_mget },
    { .name = "mset", -3, CMD_WRITE | CMD_DENYOOM | CMD_FLAT, 1, -1, 2, cmd_mset },
    { .name = "msetnx", -3, CMD_WRITE | CMD_DENYOOM | CMD_FLAT, 1, -1, 2, cmd_msetnx },
    { .name = "incr", 2, CMD_WRITE | CMD_DENYOOM | CMD_FLAT, 1, 1, 1, cmd_incr },
    { .name = "decr", 2, CMD_WRITE | CMD_DENYOOM | CMD_FLAT, 1, 1, 1, cmd_decr },
    { .name = "incrby", 3, CMD_WRITE | CMD_DENYOOM | CMD_FLAT, 1, 1, 1, cmd_incrby },
    { .name = "decrby", 3, CMD_WRITE | CMD_DENYOOM | CMD_FLAT, 1, 1, 1, cmd_decrby },
    { .name = "incrbyfloat", 3, CMD_WRITE | CMD_DENYOOM | CMD_FLAT, 1, 1, 1, cmd_incrbyfloat },
    { .name = "append", 3, CMD_WRITE | CMD_DENYOOM | CMD_FLAT, 1, 1, 1, cmd_append },
    { .name = "strlen", 2, CMD_READONLY | CMD_FLAT, 1, 1, 1, cmd_strlen },
    { .name = "getrange", 4, CMD_READONLY, 1, 1, 1, cmd_getrange },
    { .name = "substr", 4, CMD_READONLY, 1, 1, 1, cmd_getrange },
    { .name = "setrange", 4, CMD_WRITE | CMD_DENYOOM | CMD_TO_BYTE, 1, 1, 1, cmd_setrange },
    { .name = NULL },
};
