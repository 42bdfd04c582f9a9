/* field.c - HEXPIRE and its kin, HTTL and its kin, HPERSIST, HGETEX, HGETDEL, HSETEX; see field.h. How each lineage
 * reads their words is field_words.c's. What they do is the same but for fields that have expired already. */
#include "redis/field.h"

#include "redis/collection.h"
#include "redis/deadline.h"
#include "redis/field_words.h"
#include "redis/server.h"

/* ---- alive or expired ---- */

bool field_expired(const call *c, const hash_field *f)
{
    int64_t deadline_ms = hash_field_deadline_ms(f);
    return deadline_ms != FIELD_NO_DEADLINE && deadline_ms < store_now_ms(c->st);
}

const hash_field *field_next(const call *c, const value *v, const hash_field *f)
{
    do
        f = hash_next(v, f);
    while (f && field_expired(c, f));
    return f;
}

size_t field_count(const call *c, const value *v)
{
    if (!hash_dated(v))
        return value_count(v);
    size_t n = 0;
    for (const hash_field *f = NULL; (f = field_next(c, v, f));)
        n++;
    return n;
}

static bool goes_when_seen(const call *c) { return server_follows(c->server, RULE_FIELDS_GO_WHEN_SEEN); }

static void tell_field_expired(const call *c, str key)
{
    bool quiet = server_follows(c->server, RULE_HSETEX_QUIET) && str_eq_nocase(c->argv[0], S("hsetex"));
    if (!quiet)
        notify(c, NOTIFY_HASH, "hexpired", key);
    store_touch(c->st, c->db, key);
}

/* The key lost fields by expiry. */
static void tell_expired(const call *c, str key, value **v)
{
    tell_field_expired(c, key);
    if (value_count(*v))
        return;
    *v = NULL;
    collection_delete(c, key);
}

const hash_field *field_look_among(const call *c, value *v, str name, bool *gone)
{
    const hash_field *f = v ? hash_find(v, name) : NULL;
    if (!f || !field_expired(c, f))
        return f;
    if (goes_when_seen(c) && !c->server->only_looked_at)
        *gone |= hash_del(v, name);
    return NULL;
}

void field_tell_gone(const call *c, str key, value **v, bool gone)
{
    if (gone)
        tell_expired(c, key, v);
}

const hash_field *field_look(const call *c, str key, value **v, str name)
{
    bool gone = false;
    const hash_field *f = field_look_among(c, *v, name, &gone);
    field_tell_gone(c, key, v, gone);
    return f;
}

bool field_del(const call *c, value *v, str name)
{
    if (hash_dated(v) && !goes_when_seen(c)) {
        const hash_field *f = hash_find(v, name);
        if (f && field_expired(c, f))
            return false;
    }
    return hash_del(v, name);
}

static void give_deadline(const call *c, value *v, str name, int64_t deadline_ms)
{
    hash_set_deadline(v, name, deadline_ms, goes_when_seen(c));
    store_note_dated(c->st);
}

bool field_set(const call *c, value *v, str name, str text, bool keep_deadline, bool *over)
{
    bool expired = false;
    if (hash_dated(v) && !goes_when_seen(c)) {
        const hash_field *f = hash_find(v, name);
        int64_t deadline_ms = f ? hash_field_deadline_ms(f) : FIELD_NO_DEADLINE;
        /* in its last millisecond, too */
        expired = deadline_ms != FIELD_NO_DEADLINE && deadline_ms <= store_now_ms(c->st);
    }
    *over |= expired;
    return (keep_deadline && !expired ? hash_set_text(v, name, text) : hash_set(v, name, text)) || expired;
}

void field_change(const call *c, value *v, str name, str text, bool *over)
{
    const hash_field *f = hash_dated(v) ? hash_find(v, name) : NULL;
    int64_t deadline_ms = f && !field_expired(c, f) ? hash_field_deadline_ms(f) : FIELD_NO_DEADLINE;
    field_set(c, v, name, text, true, over);
    if (*over && deadline_ms != FIELD_NO_DEADLINE)
        give_deadline(c, v, name, deadline_ms);
}

void field_tell_over(const call *c, bool over)
{
    if (over)
        notify(c, NOTIFY_HASH, "hexpired", c->argv[1]);
}

void field_sweep(const call *c, str key, value **v)
{
    if (!*v || !hash_dated(*v) || !goes_when_seen(c) || c->server->only_looked_at ||
        !hash_reap(*v, store_now_ms(c->st)))
        return;
    hash_reap(*v, store_now_ms(c->st) + 1);        /* once it sweeps it takes those in their last millisecond, too */
    tell_expired(c, key, v);
}

/* ---- commands ---- */

/* The answers of HEXPIRE and related commands for one field. */
enum { NO_FIELD = -2, NO_DEADLINE = -1, NOT_NOW = 0, DONE = 1, DELETED = 2 };

/* The field that a deadline can be given to or taken from; NULL if there is none. */
static const hash_field *field_to_change(const call *c, const value *v, str name)
{
    const hash_field *f = v ? hash_find(v, name) : NULL;
    return f && field_expired(c, f) && !goes_when_seen(c) ? NULL : f;
}

static int set_deadline(const call *c, value *v, str name, const field_words *w)
{
    const hash_field *f = field_to_change(c, v, name);
    if (!f)
        return NO_FIELD;
    deadline_tell_conditions(c, w->conditions, hash_field_deadline_ms(f), w->deadline_ms);
    if (!deadline_conditions_hold(w->conditions, hash_field_deadline_ms(f), w->deadline_ms))
        return NOT_NOW;
    if (w->deadline_ms <= store_now_ms(c->st))
        return hash_del(v, name), DELETED;
    give_deadline(c, v, name, w->deadline_ms);
    return DONE;
}

/* Redis makes room for deadlines before it looks at the fields. */
static void make_dated(const call *c, value *v)
{
    if (v && goes_when_seen(c) && hash_make_dated(v))
        store_touch_unwatched(c->st);
}

static int persist(const call *c, value *v, str name)
{
    const hash_field *f = v ? hash_find(v, name) : NULL;
    if (!f || field_expired(c, f))
        return NO_FIELD;
    if (hash_field_deadline_ms(f) == FIELD_NO_DEADLINE)
        return NO_DEADLINE;
    hash_set_deadline(v, name, FIELD_NO_DEADLINE, goes_when_seen(c));
    return DONE;
}

/* After fields were given deadlines or deleted by one in the past: reports the key, and removes it if it is empty. */
static void changed(const call *c, bool deleted, const char *event)
{
    str key = c->argv[1];
    const char *gone = goes_when_seen(c) ? "hdel" : "hexpired";
    collection_changed(c, key, (happened){ NOTIFY_HASH, deleted ? gone : event });
}

static reply expire(const call *c, const char *name, unsigned form)
{
    field_words w;
    value *v;
    reply r;
    if (!field_words_expire(c, name, form, &w, &v, &r))
        return r;
    size_t done = 0, deleted = 0;
    make_dated(c, v);
    r = reply_items(c->out, REPLY_ARRAY, w.count);
    for (size_t i = 0; i < w.count; i++) {
        int what = v ? set_deadline(c, v, c->argv[w.first + i], &w) : NO_FIELD;
        done += what == DONE;
        deleted += what == DELETED;
        r.items[i] = reply_integer(what);
    }
    if (done || deleted)
        changed(c, deleted > 0, "hexpire");
    return r;
}

static reply cmd_hexpire(const call *c) { return expire(c, "hexpire", DEADLINE_SECONDS); }
static reply cmd_hpexpire(const call *c) { return expire(c, "hpexpire", 0); }
static reply cmd_hexpireat(const call *c) { return expire(c, "hexpireat", DEADLINE_SECONDS | DEADLINE_ABSOLUTE); }
static reply cmd_hpexpireat(const call *c) { return expire(c, "hpexpireat", DEADLINE_ABSOLUTE); }

/* Redis says in the deadline millisecond already that there is no such field, though it still answers it (those of a
 * small hash: a hash of more than 512 fields or with a text over 64 bytes waits for the next millisecond), and rounds
 * seconds up; Valkey rounds them to the nearest. */
static reply time_left(const call *c, unsigned form)
{
    field_words w;
    value *v;
    reply r;
    bool redis = goes_when_seen(c);
    int64_t now_ms = store_now_ms(c->st);
    if (!field_words_fields(c, FIELD_WORDS_TTL, &w, &v, &r))
        return r;
    r = reply_items(c->out, REPLY_ARRAY, w.count);
    for (size_t i = 0; i < w.count; i++) {
        const hash_field *f = v ? hash_find(v, c->argv[w.first + i]) : NULL;
        int64_t at_ms = f ? hash_field_deadline_ms(f) : 0, left = form & DEADLINE_ABSOLUTE ? at_ms : at_ms - now_ms;
        if (!f || (at_ms != FIELD_NO_DEADLINE && (field_expired(c, f) || (redis && at_ms == now_ms))))
            left = NO_FIELD;
        else if (at_ms == FIELD_NO_DEADLINE)
            left = NO_DEADLINE;
        else if (form & DEADLINE_SECONDS)
            left = left / 1000 + (left % 1000 >= (redis ? 1 : 500));
        r.items[i] = reply_integer(left);
    }
    return r;
}

static reply cmd_httl(const call *c) { return time_left(c, DEADLINE_SECONDS); }
static reply cmd_hpttl(const call *c) { return time_left(c, 0); }
static reply cmd_hexpiretime(const call *c) { return time_left(c, DEADLINE_SECONDS | DEADLINE_ABSOLUTE); }
static reply cmd_hpexpiretime(const call *c) { return time_left(c, DEADLINE_ABSOLUTE); }

static reply cmd_hpersist(const call *c)
{
    field_words w;
    value *v;
    reply r;
    bool any = false;
    if (!field_words_fields(c, FIELD_WORDS_PERSIST, &w, &v, &r))
        return r;
    r = reply_items(c->out, REPLY_ARRAY, w.count);
    for (size_t i = 0; i < w.count; i++) {
        int what = persist(c, v, c->argv[w.first + i]);
        any |= what == DONE;
        r.items[i] = reply_integer(what);
    }
    if (any)
        changed(c, false, "hpersist");
    return r;
}

/* HGETEX key [EX s | PX ms | EXAT s | PXAT ms | PERSIST] FIELDS n field ...: field by field, so that one named twice
 * may be gone. */
static reply cmd_hgetex(const call *c)
{
    field_words w;
    value *v;
    reply r;
    if (!field_words_getex(c, &w, &v, &r))
        return r;
    size_t done = 0, deleted = 0;
    bool gone = false;
    if (w.dated || w.persist)
        make_dated(c, v);
    r = reply_items(c->out, REPLY_ARRAY, w.count);
    for (size_t i = 0; i < w.count; i++) {
        str name = c->argv[w.first + i];
        const hash_field *f = field_look_among(c, v, name, &gone);
        if (!f)
            continue;
        r.items[i] = reply_bulk(arena_str(c->out, hash_field_text(f)));
        int what = w.persist ? persist(c, v, name) : w.dated ? set_deadline(c, v, name, &w) : NOT_NOW;
        done += what == DONE;
        deleted += what == DELETED;
    }
    field_tell_gone(c, c->argv[1], &v, gone);
    if (v && (done || deleted))
        changed(c, deleted > 0, w.persist ? "hpersist" : "hexpire");
    return r;
}

static reply cmd_hgetdel(const call *c)
{
    field_words w;
    value *v;
    reply r;
    bool any = false, gone = false;
    if (!field_words_fields(c, FIELD_WORDS_GETDEL, &w, &v, &r))
        return r;
    r = reply_items(c->out, REPLY_ARRAY, w.count);
    for (size_t i = 0; i < w.count; i++) {
        str name = c->argv[w.first + i];
        const hash_field *f = field_look_among(c, v, name, &gone);
        if (!f)
            continue;
        r.items[i] = reply_bulk(arena_str(c->out, hash_field_text(f)));
        hash_del(v, name);
        any = true;
    }
    if (!any)
        field_tell_gone(c, c->argv[1], &v, gone);
    else if (gone)
        tell_field_expired(c, c->argv[1]);
    if (!any)
        return r;
    collection_changed(c, c->argv[1], (happened){ NOTIFY_HASH, "hdel" });
    return r;
}

/* HSETEX's conditions: on the key, then on all the fields. The hash is kept even if it is empty for a moment. */
static bool hsetex_may(const call *c, const field_words *w, value **v)
{
    bool gone = false, may = true;
    for (size_t i = 0; w->set & (SET_IF_NO_FIELD | SET_IF_FIELDS) && may && i < w->count; i++) {
        bool there = field_look_among(c, *v, c->argv[w->first + 2 * i], &gone) != NULL;
        may = there == ((w->set & SET_IF_FIELDS) != 0);
    }
    if (!may)
        field_tell_gone(c, c->argv[1], v, gone);
    else if (gone)
        tell_field_expired(c, c->argv[1]);
    return may;
}

static void hsetex_field(const call *c, const field_words *w, value *v, size_t i, bool *over)
{
    str name = c->argv[w->first + 2 * i];
    field_set(c, v, name, c->argv[w->first + 2 * i + 1], w->set & SET_KEEP_DEADLINE, over);
    if (w->dated)
        give_deadline(c, v, name, w->deadline_ms);
}

/* HSETEX key [FNX | FXX] [EX s | PX ms | EXAT s | PXAT ms | KEEPTTL] FIELDS n field value ... */
static reply cmd_hsetex(const call *c)
{
    field_words w;
    value *v;
    reply r;
    if (!field_words_setex(c, &w, &v, &r))
        return r;
    if (!hsetex_may(c, &w, &v))
        return reply_integer(0);
    if (!v)
        find_or_create(c, c->argv[1], VALUE_HASH, &v, &r);
    if (w.dated)
        make_dated(c, v);
    bool past = w.dated && w.deadline_ms <= store_now_ms(c->st), over = false;
    for (size_t i = 0; i < w.count; i++) {
        if (past)
            hash_del(v, c->argv[w.first + 2 * i]);
        else
            hsetex_field(c, &w, v, i, &over);
    }
    field_tell_over(c, over);
    notify(c, NOTIFY_HASH, "hset", c->argv[1]);
    if (w.dated && !(past && goes_when_seen(c)))
        notify(c, NOTIFY_HASH, "hexpire", c->argv[1]);
    if (past)
        notify(c, NOTIFY_HASH, goes_when_seen(c) ? "hdel" : "hexpired", c->argv[1]);
    store_touch(c->st, c->db, c->argv[1]);
    if (!value_count(v))
        collection_delete(c, c->argv[1]);
    return reply_integer(1);
}

const command commands_field[] = {
    { .name = "hexpire", -6, CMD_WRITE | CMD_FLAT, 1, 1, 1, cmd_hexpire, .since = SINCE(7, 4, 9, 0) },
    { .name = "hpexpire", -6, CMD_WRITE | CMD_FLAT, 1, 1, 1, cmd_hpexpire, .since = SINCE(7, 4, 9, 0) },
    { .name = "hexpireat", -6, CMD_WRITE | CMD_FLAT, 1, 1, 1, cmd_hexpireat, .since = SINCE(7, 4, 9, 0) },
    { .name = "hpexpireat", -6, CMD_WRITE | CMD_FLAT, 1, 1, 1, cmd_hpexpireat, .since = SINCE(7, 4, 9, 0) },
    { .name = "hpersist", -5, CMD_WRITE | CMD_FLAT, 1, 1, 1, cmd_hpersist, .since = SINCE(7, 4, 9, 0) },
    { .name = "httl", -5, CMD_READONLY | CMD_FLAT, 1, 1, 1, cmd_httl, .since = SINCE(7, 4, 9, 0) },
    { .name = "hpttl", -5, CMD_READONLY | CMD_FLAT, 1, 1, 1, cmd_hpttl, .since = SINCE(7, 4, 9, 0) },
    { .name = "hexpiretime", -5, CMD_READONLY | CMD_FLAT, 1, 1, 1, cmd_hexpiretime, .since = SINCE(7, 4, 9, 0) },
    { .name = "hpexpiretime", -5, CMD_READONLY | CMD_FLAT, 1, 1, 1, cmd_hpexpiretime, .since = SINCE(7, 4, 9, 0) },
    { .name = "hgetex", -5, CMD_WRITE | CMD_FLAT, 1, 1, 1, cmd_hgetex, .since = SINCE(8, 0, 9, 0) },
    { .name = "hgetdel", -5, CMD_WRITE | CMD_FLAT, 1, 1, 1, cmd_hgetdel, .since = SINCE(8, 0, 9, 1) },
    { .name = "hsetex", -6, CMD_WRITE | CMD_DENYOOM | CMD_FLAT, 1, 1, 1, cmd_hsetex, .since = SINCE(8, 0, 9, 0) },
    { .name = NULL },
};
