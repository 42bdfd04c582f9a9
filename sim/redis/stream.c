/* stream.c - streams: XADD, XTRIM, XLEN, XRANGE, XREVRANGE, XDEL, XSETID; those that wait are in stream_read.c,
 * consumer groups in stream_group.c. An entry's id is an instant and a number within it. A stream stays when its last
 * entry has gone: it remembers its last id. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "redis/server.h"
#include "redis/stream.h"

enum { ID_BYTES_MAX = 127 };

reply stream_bad_id(void)
{
    return reply_error(S("ERR Invalid stream ID specified as stream command argument"));
}

/* A number as string2ull reads it: what strtoull does, but no negative one in its plain form. */
static bool parse_u64(const char *s, uint64_t *n)
{
    int64_t plain;
    if (parse_int(str_from(s), &plain)) {
        *n = (uint64_t)plain;
        return plain >= 0;
    }
    char *end;
    errno = 0;
    *n = strtoull(s, &end, 10);
    return errno == 0 && *s && !*end;
}

bool stream_parse_id(const call *c, str word, uint64_t missing, stream_id *id, bool *any)
{
    if (word.n > ID_BYTES_MAX)
        return false;
    char *text = (char *)(uintptr_t)arena_str(c->out, word).p, *dash = strchr(text, '-');
    if (dash)
        *dash = '\0';
    if (any)
        *any = dash && strcmp(dash + 1, "*") == 0;
    id->seq = missing;
    if (any && *any)
        id->seq = 0;
    else if (dash && !parse_u64(dash + 1, &id->seq))
        return false;
    return parse_u64(text, &id->ms);
}

bool stream_parse_any_id(const call *c, str word, uint64_t missing, stream_id *id)
{
    if ((!word_is_char(word, '-') && !word_is_char(word, '+')) || word.n > ID_BYTES_MAX)
        return stream_parse_id(c, word, missing, id, NULL);
    *id = word.p[0] == '+' ? STREAM_LAST : STREAM_FIRST;
    return true;
}

reply stream_id_reply(const call *c, stream_id id)
{
    return reply_bulk(arena_printf(c->out, "%" PRIu64 "-%" PRIu64, id.ms, id.seq));
}

bool stream_id_up(stream_id *id)
{
    if (stream_id_cmp(*id, STREAM_LAST) == 0)
        return false;
    if (++id->seq == 0)
        id->ms++;
    return true;
}

bool stream_id_down(stream_id *id)
{
    if (stream_id_cmp(*id, STREAM_FIRST) == 0)
        return false;
    if (id->seq-- == 0)
        id->ms--;
    return true;
}

/* ---- trimming ---- */

typedef struct {
    enum { KEEP_ALL, KEEP_NEWEST, KEEP_FROM } what;
    bool about;                    /* ~: whole nodes only */
    int64_t most, limit;
    stream_id from;
} trim_args;

/* What XADD has before its fields, and XTRIM after its key; *at: the word that ended it. */
typedef struct {
    trim_args trim;
    bool only_existing, limited, has_id, any_seq;
    stream_id id;
} add_args;

/* MAXLEN|MINID [=|~] threshold, *at standing at the first of them: it moves to the last. */
static bool parse_threshold(const call *c, size_t *at, trim_args *t, reply *r)
{
    bool newest = arg_is(c, *at, S("maxlen"));
    if (t->what != KEEP_ALL) {
        *r = reply_error(S("ERR syntax error, MAXLEN and MINID options at the same time are not compatible"));
        return false;
    }
    ++*at;
    t->about = *at + 1 < c->argc && word_is_char(c->argv[*at], '~');
    if (t->about || (*at + 1 < c->argc && word_is_char(c->argv[*at], '=')))
        ++*at;
    t->what = newest ? KEEP_NEWEST : KEEP_FROM;
    if (newest && !parse_int(c->argv[*at], &t->most))
        return *r = reply_not_integer(), false;
    if (newest && t->most < 0)
        return *r = reply_error(S("ERR The MAXLEN argument must be >= 0.")), false;
    if (newest)
        return true;
    if (!stream_parse_id(c, c->argv[*at], 0, &t->from, NULL))
        return *r = stream_bad_id(), false;
    return true;
}

static bool parse_option(const call *c, bool add, size_t *at, add_args *a, reply *r)
{
    bool more = *at + 1 < c->argc;
    if (more && (arg_is(c, *at, S("maxlen")) || arg_is(c, *at, S("minid"))))
        return parse_threshold(c, at, &a->trim, r);
    if (more && arg_is(c, *at, S("limit"))) {
        if (!parse_int(c->argv[++*at], &a->trim.limit))
            return *r = reply_not_integer(), false;
        a->limited = true;
        return a->trim.limit >= 0 || (*r = reply_error(S("ERR The LIMIT argument must be >= 0.")), false);
    }
    if (add && arg_is(c, *at, S("nomkstream")))
        return a->only_existing = true;
    if (!add)
        return *r = reply_syntax(), false;
    a->has_id = stream_parse_id(c, c->argv[*at], 0, &a->id, &a->any_seq);
    return a->has_id || (*r = stream_bad_id(), false);
}

static bool parse_args(const call *c, bool add, size_t *at, add_args *a, reply *r)
{
    enum { LIMIT_ABOUT = 100 * 100 };              /* nodes of a hundred entries, a hundred of them */
    *a = (add_args){ 0 };
    for (*at = 2; *at < c->argc; ++*at) {
        if (add && word_is_char(c->argv[*at], '*'))
            break;
        if (!parse_option(c, add, at, a, r))
            return false;
        if (a->has_id)
            break;
    }
    if (a->trim.limit > 0 && a->trim.what == KEEP_ALL)
        return *r = reply_error(S("ERR syntax error, LIMIT cannot be used without specifying a trimming strategy")),
               false;
    if (!add && a->trim.what == KEEP_ALL)
        return *r = reply_error(S("ERR syntax error, XTRIM must be called with a trimming strategy")), false;
    if (a->limited && !a->trim.about)
        return *r = reply_error(S("ERR syntax error, LIMIT cannot be used without the special ~ option")), false;
    if (!a->limited && a->trim.about)
        a->trim.limit = LIMIT_ABOUT;
    return true;
}

/* Tells how old each entry is, by the milliseconds of the ids. */
static void tell_comparisons(const call *c, const value *v, stream_id with)
{
    const str *texts;
    size_t n;
    for (size_t i = 0; with.ms > 0 && with.ms < UINT64_MAX && i < value_count(v); i++)
        server_compares(c->server, (double)stream_at(v, i, &texts, &n).ms, (double)with.ms);
}

/* How many entries from the head on may go. */
static size_t too_many(const call *c, const value *v, const trim_args *t)
{
    size_t count = value_count(v);
    if (t->what == KEEP_FROM) {
        tell_comparisons(c, v, t->from);
        return stream_lower(v, t->from);
    }
    return t->what == KEEP_NEWEST && (uint64_t)t->most < count ? count - (size_t)t->most : 0;
}

/* Redis trims whole nodes if asked for an approximate length, and a node's size depends on its history. Here a node has
 * a hundred entries from the head on, or all there are: as in a stream that was only appended to. */
static size_t trim(const call *c, value *v, const trim_args *t)
{
    enum { NODE_ENTRIES = 100 };
    size_t gone = too_many(c, v, t), whole = 0, count = value_count(v);
    while (t->about && whole < count) {
        size_t node = count - whole < NODE_ENTRIES ? count - whole : NODE_ENTRIES;
        if (whole + node > gone || (t->limit > 0 && whole + node > (uint64_t)t->limit))
            break;
        whole += node;
    }
    if (t->about)
        gone = whole;
    stream_remove(v, 0, gone);
    return gone;
}

/* ---- the commands ---- */

/* The id that the entry gets; false and *r where there is none above the last. */
static bool next_id(const call *c, const value *v, const add_args *a, stream_id *id, reply *r)
{
    stream_id last = v ? stream_last(v) : STREAM_FIRST;
    uint64_t now_ms = (uint64_t)store_now_ms(c->st);
    if (stream_id_cmp(last, STREAM_LAST) == 0)
        return *r = reply_error(S("ERR The stream has exhausted the last possible ID, unable to add more items")),
               false;
    *id = a->id;
    if (!a->has_id) {
        *id = last;
        if (now_ms > last.ms)
            *id = (stream_id){ now_ms, 0 };
        else
            stream_id_up(id);
    } else if (a->any_seq && last.ms == a->id.ms) {
        *id = last;
        id->seq += id->seq < UINT64_MAX;
    }
    if (stream_id_cmp(*id, last) <= 0)
        return *r = reply_error(S("ERR The ID specified in XADD is equal or smaller than the target stream top item")),
               false;
    return true;
}

/* XADD key [NOMKSTREAM] [MAXLEN|MINID [=|~] threshold [LIMIT n]] *|id field value [field value ...] */
static reply cmd_xadd(const call *c)
{
    add_args a;
    reply r;
    size_t at;
    value *v;
    stream_id id;
    if (!parse_args(c, true, &at, &a, &r))
        return r;
    size_t first = at + 1;
    if (first >= c->argc || (c->argc - first) % 2)
        return reply_bad_arity(c, "xadd");
    if (a.has_id && !a.any_seq && stream_id_cmp(a.id, STREAM_FIRST) == 0)
        return reply_error(S("ERR The ID specified in XADD must be greater than 0-0"));
    if (!find_kind(c, c->argv[1], VALUE_STREAM, &v, &r))
        return r;
    if (!v && a.only_existing)
        return reply_nil();
    if (!next_id(c, v, &a, &id, &r) || !find_or_create(c, c->argv[1], VALUE_STREAM, &v, &r))
        return r;
    stream_append(v, id, c->argv + first, c->argc - first);
    collection_changed(c, c->argv[1], (happened){ NOTIFY_STREAM, "xadd" });
    waiting_key_added(c->server, c->db, c->argv[1], VALUE_STREAM);         /* XREAD waits for entries, not for keys */
    if (trim(c, v, &a.trim))
        notify(c, NOTIFY_STREAM, "xtrim", c->argv[1]);
    return stream_id_reply(c, id);
}

/* XTRIM key MAXLEN|MINID [=|~] threshold [LIMIT n] */
static reply cmd_xtrim(const call *c)
{
    add_args a;
    reply r;
    size_t at;
    value *v;
    if (!parse_args(c, false, &at, &a, &r) || !find_kind(c, c->argv[1], VALUE_STREAM, &v, &r))
        return r;
    size_t gone = v ? trim(c, v, &a.trim) : 0;
    if (gone)
        collection_changed(c, c->argv[1], (happened){ NOTIFY_STREAM, "xtrim" });
    return reply_integer((int64_t)gone);
}

static reply cmd_xlen(const call *c) { return collection_count(c, VALUE_STREAM); }

/* XDEL key id [id ...] */
static reply cmd_xdel(const call *c)
{
    stream_id *ids = ARENA_ARRAY(c->out, stream_id, c->argc);
    value *v;
    reply r;
    int64_t gone = 0;
    if (!find_kind(c, c->argv[1], VALUE_STREAM, &v, &r))
        return r;
    if (!v)
        return reply_integer(0);                   /* whatever the ids are */
    for (size_t i = 2; i < c->argc; i++)
        if (!stream_parse_id(c, c->argv[i], 0, &ids[i], NULL))
            return stream_bad_id();
    for (size_t i = 2; i < c->argc; i++) {
        size_t place;
        if (!stream_place(v, ids[i], &place))
            continue;
        stream_delete(v, place);
        gone++;
    }
    if (gone)
        collection_changed(c, c->argv[1], (happened){ NOTIFY_STREAM, "xdel" });
    return reply_integer(gone);
}

bool stream_parse_bound(const call *c, str word, bool upper, stream_id *id, reply *r)
{
    bool left_out = word.n > 1 && word.p[0] == '(';
    uint64_t missing = upper ? UINT64_MAX : 0;
    bool ok = left_out ? stream_parse_id(c, str_slice(word, 1, word.n), missing, id, NULL)
              : stream_parse_any_id(c, word, missing, id);
    if (!ok)
        *r = stream_bad_id();
    else if (left_out && !(ok = upper ? stream_id_down(id) : stream_id_up(id)))
        *r = upper ? reply_error(S("ERR invalid end ID for the interval"))
             : reply_error(S("ERR invalid start ID for the interval"));
    return ok;
}

static bool parse_count(const call *c, int64_t *count, reply *r)
{
    *count = INT64_MAX;
    for (size_t i = 4; i < c->argc; i += 2) {
        if (!arg_is(c, i, S("count")) || i + 1 >= c->argc)
            return *r = reply_syntax(), false;
        if (!parse_int(c->argv[i + 1], count))
            return *r = reply_not_integer(), false;
        if (*count == -1)
            *count = 0;
    }
    return true;
}

bool stream_place(const value *v, stream_id id, size_t *place)
{
    const str *texts;
    size_t n;
    *place = stream_lower(v, id);
    return *place < value_count(v) && stream_id_cmp(stream_at(v, *place, &texts, &n), id) == 0;
}

stream_id stream_first(const value *v)
{
    const str *texts;
    size_t n;
    return value_count(v) ? stream_at(v, 0, &texts, &n) : STREAM_FIRST;
}

reply stream_entry_reply(const call *c, const value *v, size_t place)
{
    const str *texts;
    size_t n;
    reply r = reply_items(c->out, REPLY_ARRAY, 2);
    r.items[0] = stream_id_reply(c, stream_at(v, place, &texts, &n));
    r.items[1] = reply_items(c->out, REPLY_ARRAY, n);
    for (size_t k = 0; k < n; k++)
        r.items[1].items[k] = reply_bulk(arena_str(c->out, texts[k]));
    return r;
}

reply stream_entries_reply(const call *c, const value *v, size_t place, size_t n)
{
    reply r = reply_items(c->out, REPLY_ARRAY, n);
    for (size_t i = 0; i < n; i++)
        r.items[i] = stream_entry_reply(c, v, place + i);
    return r;
}

static reply range(const call *c, bool backwards)
{
    stream_id from, to;
    int64_t count;
    value *v;
    reply r;
    if (!stream_parse_bound(c, c->argv[backwards ? 3 : 2], false, &from, &r) ||
        !stream_parse_bound(c, c->argv[backwards ? 2 : 3], true, &to, &r) ||
        !parse_count(c, &count, &r) || !find_kind(c, c->argv[1], VALUE_STREAM, &v, &r))
        return r;
    if (!v)
        return reply_items(c->out, REPLY_ARRAY, 0);
    if (count <= 0)
        return reply_nil_array();
    tell_comparisons(c, v, from);
    tell_comparisons(c, v, to);
    size_t first = stream_lower(v, from), end = stream_id_up(&to) ? stream_lower(v, to) : value_count(v);
    size_t n = end > first ? end - first : 0;
    n = (uint64_t)count < n ? (size_t)count : n;
    r = reply_items(c->out, REPLY_ARRAY, n);
    for (size_t i = 0; i < n; i++)
        r.items[i] = stream_entry_reply(c, v, backwards ? end - 1 - i : first + i);
    return r;
}

static reply cmd_xrange(const call *c) { return range(c, false); }
static reply cmd_xrevrange(const call *c) { return range(c, true); }

typedef struct {
    stream_id last, deleted;
    int64_t added;                                 /* -1: not said */
} setid_args;

static bool parse_setid(const call *c, setid_args *a, reply *r)
{
    *a = (setid_args){ .added = -1 };
    if (!stream_parse_id(c, c->argv[2], 0, &a->last, NULL))
        return *r = stream_bad_id(), false;
    for (size_t i = 3; i < c->argc; i += 2) {
        bool more = i + 1 < c->argc, added = arg_is(c, i, S("entriesadded"));
        if (!more || !(added || arg_is(c, i, S("maxdeletedid"))))
            return *r = reply_syntax(), false;
        if (added && !parse_int(c->argv[i + 1], &a->added))
            return *r = reply_not_integer(), false;
        if (added && a->added < 0)
            return *r = reply_error(S("ERR entries_added must be positive")), false;
        if (!added && !stream_parse_id(c, c->argv[i + 1], 0, &a->deleted, NULL))
            return *r = stream_bad_id(), false;
        if (!added && stream_id_cmp(a->last, a->deleted) < 0)
            return *r = reply_error(S("ERR The ID specified in XSETID is smaller than the provided "
                                      "max_deleted_entry_id")), false;
    }
    return true;
}

/* XSETID key id [ENTRIESADDED n] [MAXDELETEDID id] */
static reply cmd_xsetid(const call *c)
{
    setid_args a;
    reply r;
    value *v;
    const str *texts;
    size_t n;
    if (!parse_setid(c, &a, &r) || !find_kind(c, c->argv[1], VALUE_STREAM, &v, &r))
        return r;
    if (!v)
        return reply_no_such_key();
    stream_past past = stream_past_of(v);
    size_t count = value_count(v);
    if (server_follows(c->server, RULE_SETID_ABOVE_DELETED) && stream_id_cmp(a.last, past.deleted) < 0)
        return reply_error(S("ERR The ID specified in XSETID is smaller than current max_deleted_entry_id"));
    if (count && stream_id_cmp(a.last, stream_at(v, count - 1, &texts, &n)) < 0)
        return reply_error(S("ERR The ID specified in XSETID is smaller than the target stream top item"));
    if (a.added >= 0 && (uint64_t)a.added < count)
        return reply_error(S("ERR The entries_added specified in XSETID is smaller than the target stream length"));
    past.last = a.last;
    if (a.added >= 0)
        past.added = (uint64_t)a.added;
    if (stream_id_cmp(a.deleted, STREAM_FIRST) != 0)
        past.deleted = a.deleted;
    stream_set_past(v, past);
    store_touch_unwatched(c->st);
    notify(c, NOTIFY_STREAM, "xsetid", c->argv[1]);
    return reply_ok();
}

const command commands_stream[] = {
    { .name = "xadd", -5, CMD_WRITE | CMD_DENYOOM, 1, 1, 1, cmd_xadd },
    { .name = "xtrim", -4, CMD_WRITE, 1, 1, 1, cmd_xtrim },
    { .name = "xlen", 2, CMD_READONLY, 1, 1, 1, cmd_xlen },
    { .name = "xdel", -3, CMD_WRITE, 1, 1, 1, cmd_xdel },
    { .name = "xsetid", -3, CMD_WRITE | CMD_DENYOOM, 1, 1, 1, cmd_xsetid },
    { .name = "xrange", -4, CMD_READONLY, 1, 1, 1, cmd_xrange },
    { .name = "xrevrange", -4, CMD_READONLY, 1, 1, 1, cmd_xrevrange },
    { .name = NULL },
};
