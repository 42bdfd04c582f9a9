/* freeze.c - the keyspace as canonical bytes and back, and as seen by people and by the search: keys, values, instants.
 *
 * The bytes: per database with a live key its number + 1, then per key in byte order: 1, the key, the kind, the deadline
 * relative to now (INT64_MIN: none), the value; 0 after the last key, 0 after the last database. Lengths and numbers are 8
 * bytes, little-endian (buf_u64). */
#include <assert.h>
#include <math.h>
#include <string.h>

#include "redis/server.h"

/* ---- out ---- */

static void freeze_value(const value *v, buf *out)
{
    size_t count = value_count(v);
    if (value_kind_of(v) == VALUE_STRING) {
        buf_lenstr(out, value_string(v));
        return;
    }
    buf_u64(out, count);
    switch (value_kind_of(v)) {
    case VALUE_STRING:
        break;
    case VALUE_LIST:
        for (size_t i = 0; i < count; i++)
            buf_lenstr(out, list_at(v, i));
        break;
    case VALUE_HASH:
        for (const hash_field *f = NULL; (f = hash_next(v, f));) {
            buf_lenstr(out, hash_field_name(f));
            buf_lenstr(out, hash_field_text(f));
        }
        break;
    case VALUE_SET:
        for (size_t i = 0; i < count; i++)
            buf_lenstr(out, set_at(v, i));
        break;
    case VALUE_ZSET:
        for (size_t i = 0; i < count; i++) {
            double score;
            buf_lenstr(out, zset_at(v, i, &score));
            uint64_t bits;
            memcpy(&bits, &score, sizeof bits);
            buf_u64(out, bits);
        }
        break;
    }
}

typedef struct {
    buf *out;
    int64_t now_ms;
    int db;
    bool any;
} freezer;

static void freeze_key(void *context, str key, const value *v, int64_t deadline_ms)
{
    freezer *z = context;
    if (!z->any)
        buf_byte(z->out, (char)(z->db + 1));
    z->any = true;
    buf_byte(z->out, 1);
    buf_lenstr(z->out, key);
    buf_byte(z->out, (char)value_kind_of(v));
    buf_u64(z->out, (uint64_t)(deadline_ms == STORE_NO_DEADLINE ? INT64_MIN : deadline_ms - z->now_ms));
    freeze_value(v, z->out);
}

void redis_freeze(redis *r, int64_t now_ms, buf *out)
{
    store_set_now(r->st, now_ms);
    for (int db = 0; db < STORE_DBS; db++) {
        if (!store_size(r->st, db))
            continue;
        freezer z = { .out = out, .now_ms = now_ms, .db = db };
        store_each(r->st, db, freeze_key, &z);
        if (z.any)
            buf_byte(out, 0);
    }
    buf_byte(out, 0);
}

/* ---- back ---- */

typedef struct {
    str bytes;
    size_t at;
} reader;

static unsigned char read_byte(reader *f)
{
    assert(f->at < f->bytes.n);
    return (unsigned char)f->bytes.p[f->at++];
}

static uint64_t read_u64(reader *f)
{
    uint64_t v = 0;
    for (int i = 0; i < 8; i++)
        v |= (uint64_t)read_byte(f) << (8 * i);
    return v;
}

static str read_lenstr(reader *f)
{
    size_t n = read_u64(f);
    assert(n <= f->bytes.n - f->at);
    str s = { .p = f->bytes.p + f->at, .n = n };
    f->at += n;
    return s;
}

static value *thaw_value(reader *f, value_kind kind)
{
    if (kind == VALUE_STRING)
        return value_new_string(read_lenstr(f));
    value *v = value_new(kind);
    for (uint64_t count = read_u64(f); count > 0; count--) {
        str s = read_lenstr(f);
        switch (kind) {
        case VALUE_STRING:
            break;
        case VALUE_LIST:
            list_push(v, true, s);
            break;
        case VALUE_HASH:
            hash_set(v, s, read_lenstr(f));
            break;
        case VALUE_SET:
            set_add(v, s);
            break;
        case VALUE_ZSET: {
            uint64_t bits = read_u64(f);
            double score;
            memcpy(&score, &bits, sizeof score);
            zset_put(v, s, score);
            break;
        }
        }
    }
    return v;
}

void redis_thaw(redis *r, int64_t now_ms, str frozen)
{
    reader f = { .bytes = frozen };
    store_set_now(r->st, now_ms);
    store_clear(r->st, -1);
    for (int db; (db = read_byte(&f)) != 0;) {
        assert(db <= STORE_DBS);
        while (read_byte(&f)) {
            str key = read_lenstr(&f);
            unsigned char kind = read_byte(&f);
            assert(kind <= VALUE_ZSET);
            int64_t left_ms = (int64_t)read_u64(&f);
            store_put(r->st, db - 1, key, thaw_value(&f, (value_kind)kind), false);
            if (left_ms != INT64_MIN)
                store_set_deadline(r->st, db - 1, key, left_ms > INT64_MAX - now_ms ? INT64_MAX : now_ms + left_ms);
        }
    }
    assert(f.at == frozen.n);
}

/* ---- instants ---- */

typedef struct {
    int64_t now_ms, window_ms;
    void (*fn)(void *context, int64_t at_ms, bool deadline);
    void *context;
} instants;

static void see_instant(const instants *w, int64_t at_ms)
{
    if (at_ms >= w->now_ms - w->window_ms && at_ms <= w->now_ms + w->window_ms)
        w->fn(w->context, at_ms, false);
}

/* A fraction lies between two milliseconds, and something may differ at either. */
static void see_double(const instants *w, double d)
{
    if (!(fabs(d) < 9e15))                         /* farther than any window, and safe to convert */
        return;
    see_instant(w, (int64_t)floor(d));
    if (floor(d) != d)
        see_instant(w, (int64_t)ceil(d));
}

static void see_text(const instants *w, str s)
{
    int64_t n;
    double d;
    if (s.n == 0 || s.n > 32)
        return;
    if (parse_int(s, &n))
        see_instant(w, n);
    else if (parse_double(s, &d))
        see_double(w, d);
}

static void see_key(void *context, str key, const value *v, int64_t deadline_ms)
{
    const instants *w = context;
    (void)key;
    if (deadline_ms != STORE_NO_DEADLINE)
        w->fn(w->context, deadline_ms, true);
    size_t count = value_count(v);
    switch (value_kind_of(v)) {
    case VALUE_STRING:
        see_text(w, value_string(v));
        break;
    case VALUE_LIST:
        for (size_t i = 0; i < count; i++)
            see_text(w, list_at(v, i));
        break;
    case VALUE_HASH:
        for (const hash_field *f = NULL; (f = hash_next(v, f));) {
            see_text(w, hash_field_name(f));
            see_text(w, hash_field_text(f));
        }
        break;
    case VALUE_SET:
        for (size_t i = 0; i < count; i++)
            see_text(w, set_at(v, i));
        break;
    case VALUE_ZSET:
        for (size_t i = 0; i < count; i++) {
            double score;
            see_text(w, zset_at(v, i, &score));
            see_double(w, score);
        }
        break;
    }
}

void redis_each_instant(redis *r, int64_t now_ms, int64_t window_ms, void (*fn)(void *context, int64_t at_ms, bool deadline),
                        void *context)
{
    instants w = { .now_ms = now_ms, .window_ms = window_ms, .fn = fn, .context = context };
    store_set_now(r->st, now_ms);
    for (int db = 0; db < STORE_DBS; db++) {
        if (store_size(r->st, db))
            store_each(r->st, db, see_key, &w);
    }
}

/* ---- for people ---- */

/* Plain where that is clear, quoted as redis-cli does where it is not. */
static void show_text(str s, buf *out)
{
    bool plain = s.n > 0;
    for (size_t i = 0; i < s.n; i++) {
        unsigned char c = (unsigned char)s.p[i];
        plain &= c > ' ' && c < 127 && !strchr("\"\\{}[],=", c);
    }
    reply quoted = reply_bulk(s);
    if (plain)
        buf_add(out, s);
    else
        reply_print_short(&quoted, out);
}

static void show_value(const value *v, buf *out)
{
    size_t count = value_count(v);
    value_kind kind = value_kind_of(v);
    if (kind == VALUE_STRING) {
        reply text = reply_bulk(value_string(v));
        reply_print_short(&text, out);
        return;
    }
    buf_byte(out, kind == VALUE_LIST ? '[' : '{');
    const hash_field *f = NULL;
    for (size_t i = 0; i < count; i++) {
        if (i)
            buf_add(out, S(", "));
        if (kind == VALUE_LIST) {
            show_text(list_at(v, i), out);
        } else if (kind == VALUE_SET) {
            show_text(set_at(v, i), out);
        } else if (kind == VALUE_HASH) {
            f = hash_next(v, f);
            show_text(hash_field_name(f), out);
            buf_add(out, S(" = "));
            show_text(hash_field_text(f), out);
        } else {
            reply score = { .kind = REPLY_DOUBLE };
            show_text(zset_at(v, i, &score.number), out);
            buf_add(out, S(": "));
            reply_print_short(&score, out);
        }
    }
    buf_byte(out, kind == VALUE_LIST ? ']' : '}');
}

typedef struct {
    int64_t now_ms;
    arena *a;
    void (*fn)(void *context, str key, str shown, int64_t ttl_ms);
    void *context;
} shower;

static void show_key(void *context, str key, const value *v, int64_t deadline_ms)
{
    const shower *w = context;
    buf text = { 0 };
    show_value(v, &text);
    str shown = arena_str(w->a, buf_str(&text));
    buf_free(&text);
    w->fn(w->context, arena_str(w->a, key), shown, deadline_ms == STORE_NO_DEADLINE ? -1 : deadline_ms - w->now_ms);
}

void redis_each_key(redis *r, int64_t now_ms, arena *a,
                    void (*fn)(void *context, str key, str shown, int64_t ttl_ms), void *context)
{
    shower w = { .now_ms = now_ms, .a = a, .fn = fn, .context = context };
    store_set_now(r->st, now_ms);
    store_each(r->st, 0, show_key, &w);
}

bool redis_evict(redis *r, int64_t now_ms, str key)
{
    store_set_now(r->st, now_ms);
    return store_del(r->st, 0, key);
}
