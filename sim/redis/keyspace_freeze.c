/* keyspace_freeze.c - the keyspace as canonical bytes and back.
 *
 * The bytes: per database with a live key its number + 1, then per key in byte order: 1, the key, the kind, the
 * deadline relative to now (INT64_MIN: none), the value; 0 after the last key, 0 after the last database. Lengths and
 * numbers are 8 bytes, little-endian (buf_u64). Folded bytes write a text that may be an instant as FOLDED_TEXT and its
 * distance from now; one with instants within as FOLDED_WITHIN, then for each its unit, the text before it and its
 * distance, and behind INSTANT_NONE the rest; and before a score its unit. */
#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/codec.h"
#include "base/instant.h"
#include "redis/server.h"

#define FOLDED_TEXT UINT64_MAX         /* no text is so long */
#define FOLDED_WITHIN (UINT64_MAX - 1)

/* ---- out ---- */

typedef struct {
    buf *out;
    int64_t now_ms, back_ms;           /* redis_limits.back_ms */
    int db;
    bool any, fold, tells_expiry;
    instant_spelling spelling;         /* of what is folded */
} freezer;

/* false: none are looked for, or there are none. */
static bool freeze_within(const freezer *z, str s)
{
    if (!z->fold || z->spelling == INSTANTS_PLAIN)
        return false;
    instant_in_text x = instant_next(s, 0, z->spelling, z->now_ms);
    if (x.unit == INSTANT_NONE)
        return false;
    buf_u64(z->out, FOLDED_WITHIN);
    size_t from = 0;
    for (; x.unit != INSTANT_NONE; x = instant_next(s, from, z->spelling, z->now_ms)) {
        buf_byte(z->out, (char)x.unit);
        buf_lenstr(z->out, str_slice(s, from, x.from));
        buf_u64(z->out, (uint64_t)(x.n - instant_now_in(x.unit, z->now_ms)));
        from = x.to;
    }
    buf_byte(z->out, INSTANT_NONE);
    buf_lenstr(z->out, str_slice(s, from, s.n));
    return true;
}

static void freeze_text(const freezer *z, str s)
{
    int64_t n;
    if (z->fold && instant_text(s, z->now_ms, &n)) {
        buf_u64(z->out, FOLDED_TEXT);
        buf_u64(z->out, (uint64_t)(n - z->now_ms));
        return;
    }
    if (!freeze_within(z, s))
        buf_lenstr(z->out, s);
}

static void freeze_score(const freezer *z, double score)
{
    instant_unit unit = z->fold ? instant_of_score(score, z->spelling, z->now_ms) : INSTANT_NONE;
    if (z->fold)
        buf_byte(z->out, (char)unit);
    if (unit != INSTANT_NONE)
        score -= (double)instant_now_in(unit, z->now_ms);
    uint64_t bits;
    memcpy(&bits, &score, sizeof bits);
    buf_u64(z->out, bits);
}

/* An id's instant is handled like any other. */
static void freeze_id(const freezer *z, stream_id id)
{
    bool folded = z->fold && id.ms <= INT64_MAX && instant_near((int64_t)id.ms, z->now_ms);
    if (z->fold)
        buf_byte(z->out, folded);
    buf_u64(z->out, folded ? id.ms - (uint64_t)z->now_ms : id.ms);
    buf_u64(z->out, id.seq);
}

/* A time behind or before now; INT64_MIN: never. */
static void freeze_time(const freezer *z, int64_t at_ms)
{
    buf_u64(z->out, (uint64_t)(at_ms == STREAM_NEVER ? INT64_MIN : at_ms - z->now_ms));
}

/* Consumers with what is pending for them: the group's own list is that of all of them together. */
static void freeze_consumer(const freezer *z, const stream_group *g, const stream_consumer *c)
{
    freeze_text(z, c->name);
    freeze_time(z, c->seen_ms);
    freeze_time(z, c->active_ms);
    buf_u64(z->out, c->pending);
    for (size_t i = 0; c->pending && i < stream_pendings(g); i++) {
        const stream_pending *p = stream_pending_at(g, i);
        if (p->owner != c)
            continue;
        freeze_id(z, p->id);
        freeze_time(z, p->delivered_ms);
        buf_u64(z->out, p->deliveries);
    }
}

static void freeze_group(const freezer *z, const stream_group *g)
{
    stream_progress p = stream_group_progress(g);
    freeze_text(z, stream_group_name(g));
    freeze_id(z, p.last);
    buf_u64(z->out, (uint64_t)p.read);
    buf_u64(z->out, stream_consumers(g));
    for (size_t i = 0; i < stream_consumers(g); i++)
        freeze_consumer(z, g, stream_consumer_at(g, i));
}

static void freeze_stream(const freezer *z, const value *v)
{
    stream_past past = stream_past_of(v);
    freeze_id(z, past.last);
    freeze_id(z, past.deleted);
    buf_u64(z->out, past.added);
    buf_u64(z->out, stream_groups(v));
    for (size_t i = 0; i < stream_groups(v); i++)
        freeze_group(z, stream_group_at(v, i));
    for (size_t i = 0; i < value_count(v); i++) {
        const str *texts;
        size_t n;
        freeze_id(z, stream_at(v, i, &texts, &n));
        buf_u64(z->out, n);
        for (size_t k = 0; k < n; k++)
            freeze_text(z, texts[k]);
    }
}

/* Has it expired for good? */
static bool is_over(const freezer *z, int64_t left_ms)
{
    return left_ms != INT64_MIN && left_ms < -z->back_ms;
}

/* Before each deadline whether there is one, if any field of the hash has one. An expired field still counts for HLEN
 * and others, but not when it expired. */
static void freeze_fields(const freezer *z, const value *v)
{
    bool dated = hash_dated(v) > 0;
    buf_byte(z->out, dated);
    for (const hash_field *f = NULL; (f = hash_next(v, f));) {
        int64_t at_ms = hash_field_deadline_ms(f), left_ms = at_ms == FIELD_NO_DEADLINE ? INT64_MIN : at_ms - z->now_ms;
        freeze_text(z, hash_field_name(f));
        freeze_text(z, hash_field_text(f));
        if (dated)
            buf_u64(z->out, (uint64_t)(is_over(z, left_ms) ? -1 - z->back_ms : left_ms));
    }
}

enum { FORM_STEP = 16 };                           /* a key's byte: its kind, and above it the text_form of a string or
                                                    * the packing of a collection */

static void freeze_value(const freezer *z, const value *v)
{
    size_t count = value_count(v);
    if (value_kind_of(v) == VALUE_STRING) {
        freeze_text(z, value_string(v));
        return;
    }
    buf_u64(z->out, count);
    switch (value_kind_of(v)) {
    case VALUE_STRING:
        break;
    case VALUE_LIST:
        for (size_t i = 0; i < count; i++)
            freeze_text(z, list_at(v, i));
        break;
    case VALUE_HASH:
        freeze_fields(z, v);
        break;
    case VALUE_SET:
        for (size_t i = 0; i < count; i++)
            freeze_text(z, set_at(v, i));
        break;
    case VALUE_ZSET:
        for (size_t i = 0; i < count; i++) {
            double score;
            freeze_text(z, zset_at(v, i, &score));
            freeze_score(z, score);
        }
        break;
    case VALUE_STREAM:
        freeze_stream(z, v);
        break;
    }
}

static void freeze_key(void *context, str key, const value *v, int64_t deadline_ms)
{
    freezer *z = context;
    int64_t left_ms = deadline_ms == STORE_NO_DEADLINE ? INT64_MIN : deadline_ms - z->now_ms;
    if (is_over(z, left_ms) && !z->tells_expiry)
        return;
    if (!z->any)
        buf_byte(z->out, (char)(z->db + 1));
    z->any = true;
    buf_byte(z->out, 1);
    if (!freeze_within(z, key))
        buf_lenstr(z->out, key);
    /* its event is still to be published: neither its time nor its contents matter */
    if (is_over(z, left_ms)) {
        buf_byte(z->out, VALUE_STRING);
        buf_u64(z->out, (uint64_t)(-1 - z->back_ms));
        buf_lenstr(z->out, S(""));
        return;
    }
    unsigned form = value_kind_of(v) == VALUE_STRING ? (unsigned)value_string_form(v) : (unsigned)value_packing_kept(v);
    buf_byte(z->out, (char)(value_kind_of(v) + form * FORM_STEP));
    buf_u64(z->out, (uint64_t)left_ms);
    freeze_value(z, v);
}

static void freeze_all(redis *r, int64_t now_ms, bool fold, buf *out)
{
    store_set_now(r->st, now_ms);
    for (int db = 0; db < STORE_DBS; db++) {
        if (!store_size(r->st, db))
            continue;
        freezer z = { .out = out, .now_ms = now_ms, .back_ms = r->limits.back_ms, .db = db, .fold = fold,
                      .tells_expiry = redis_tells_expiry(r), .spelling = r->limits.instants };
        if (z.tells_expiry || z.back_ms > 0)
            store_each_even_expired(r->st, db, freeze_key, &z);
        else
            store_each(r->st, db, freeze_key, &z);
        if (z.any)
            buf_byte(out, 0);
    }
    buf_byte(out, 0);
}

void redis_freeze(redis *r, int64_t now_ms, buf *out)
{
    freeze_all(r, now_ms, false, out);
}

void redis_fold(redis *r, int64_t now_ms, buf *out)
{
    freeze_all(r, now_ms, true, out);
}

/* ---- back ---- */

void redis_rename_by(redis *r, const redis_renamer *by) { r->renamer = by; }

str renamed(const redis_renamer *by, str s)
{
    if (by)
        by->text(by->context, (char *)(uintptr_t)s.p, s.n);    /* redis.h: the bytes are the caller's own */
    return s;
}

uint32_t renamed_connection(const redis_renamer *by, uint32_t conn)
{
    return by ? by->connection(by->context, conn) : conn;
}

typedef struct {
    str bytes;             /* those that are left */
    bool fold, fields_in_order;
    store *st;
    int64_t now_ms;
    const redis_renamer *renamer;
    char digits[24];       /* of the instant that was read last */
    arena *texts;          /* with instants within; NULL: none so far */
} reader;

static unsigned char read_byte(reader *f)
{
    return take_byte(&f->bytes);
}

static uint64_t read_u64(reader *f)
{
    return take_u64(&f->bytes);
}

static str read_within(reader *f)
{
    buf b = { 0 };
    for (instant_unit unit; (unit = (instant_unit)read_byte(f)) != INSTANT_NONE;) {
        buf_add(&b, take_bytes(&f->bytes, read_u64(f)));
        buf_printf(&b, "%" PRId64, instant_now_in(unit, f->now_ms) + (int64_t)read_u64(f));
    }
    buf_add(&b, take_bytes(&f->bytes, read_u64(f)));
    if (!f->texts)
        f->texts = arena_new();
    str text = renamed(f->renamer, arena_str(f->texts, buf_str(&b)));
    buf_free(&b);
    return text;
}

/* Borrowed until the next one is read. */
static str read_lenstr(reader *f)
{
    size_t n = read_u64(f);
    if (f->fold && n == FOLDED_TEXT) {
        int length = snprintf(f->digits, sizeof f->digits, "%" PRId64, f->now_ms + (int64_t)read_u64(f));
        return (str){ f->digits, (size_t)length };
    }
    if (f->fold && n == FOLDED_WITHIN)
        return read_within(f);
    return renamed(f->renamer, take_bytes(&f->bytes, n));
}

static stream_id read_id(reader *f)
{
    bool folded = f->fold && read_byte(f);
    stream_id id = { .ms = read_u64(f) };
    id.seq = read_u64(f);
    if (folded)
        id.ms += (uint64_t)f->now_ms;
    return id;
}

static int64_t read_time(reader *f)
{
    int64_t after_ms = (int64_t)read_u64(f);
    return after_ms == INT64_MIN ? STREAM_NEVER : f->now_ms + after_ms;
}

static void thaw_consumer(reader *f, value *v, stream_group *g)
{
    stream_consumer *c = stream_consumer_add(v, g, read_lenstr(f), 0);
    c->seen_ms = read_time(f);
    c->active_ms = read_time(f);
    for (uint64_t count = read_u64(f); count > 0; count--) {
        stream_pending p = { .id = read_id(f), .owner = c };
        p.delivered_ms = read_time(f);
        p.deliveries = read_u64(f);
        stream_pending_put(v, g, p);
    }
}

static void thaw_group(reader *f, value *v)
{
    stream_group *g = stream_group_add(v, read_lenstr(f), (stream_progress){ .read = 0 });
    stream_progress p = { .last = read_id(f) };
    p.read = (int64_t)read_u64(f);
    stream_group_set_progress(g, p);
    for (uint64_t count = read_u64(f); count > 0; count--)
        thaw_consumer(f, v, g);
}

static value *thaw_stream(reader *f)
{
    arena *a = arena_new();                        /* instants are read into one place, and an entry may have several */
    value *v = value_new(VALUE_STREAM);
    uint64_t count = read_u64(f);
    stream_past past = { .last = read_id(f) };
    past.deleted = read_id(f);
    past.added = read_u64(f);
    for (uint64_t groups = read_u64(f); groups > 0; groups--)
        thaw_group(f, v);
    for (; count > 0; count--) {
        stream_id id = read_id(f);
        size_t n = read_u64(f);
        str *texts = ARENA_ARRAY(a, str, n + 1);
        for (size_t k = 0; k < n; k++)
            texts[k] = arena_str(a, read_lenstr(f));
        stream_append(v, id, texts, n);
        arena_reset(a);
    }
    stream_set_past(v, past);
    arena_free(a);
    return v;
}

static value *thaw_fields(reader *f)
{
    value *v = value_new(VALUE_HASH);
    uint64_t count = read_u64(f);
    bool dated = read_byte(f);
    if (dated)
        store_note_dated(f->st);
    for (; count > 0; count--) {
        char digits[sizeof f->digits];             /* the name may lie where the value will */
        str name = read_lenstr(f), text;
        if (name.p == f->digits)
            name.p = memcpy(digits, name.p, name.n);
        text = read_lenstr(f);
        int64_t left_ms = dated ? (int64_t)read_u64(f) : INT64_MIN;
        int64_t at_ms = left_ms == INT64_MIN ? FIELD_NO_DEADLINE : left_ms > INT64_MAX - f->now_ms ? INT64_MAX
                        : f->now_ms + left_ms;
        hash_append(v, name, text, at_ms, f->fields_in_order);
    }
    return v;
}

static value *thaw_value(reader *f, value_kind kind)
{
    if (kind == VALUE_STRING)
        return value_new_string(read_lenstr(f));
    if (kind == VALUE_STREAM)
        return thaw_stream(f);
    if (kind == VALUE_HASH)
        return thaw_fields(f);
    value *v = value_new(kind);
    for (uint64_t count = read_u64(f); count > 0; count--) {
        str s = read_lenstr(f);
        switch (kind) {
        case VALUE_STRING: case VALUE_HASH: case VALUE_STREAM:
            break;
        case VALUE_LIST:
            list_push(v, true, s);
            break;
        case VALUE_SET:
            set_add(v, s);
            break;
        case VALUE_ZSET: {
            instant_unit unit = f->fold ? (instant_unit)read_byte(f) : INSTANT_NONE;
            uint64_t bits = read_u64(f);
            double score;
            memcpy(&score, &bits, sizeof score);
            if (unit != INSTANT_NONE)
                score += (double)instant_now_in(unit, f->now_ms);
            zset_put(v, s, score);
            break;
        }
        }
    }
    return v;
}

static void thaw_all(redis *r, int64_t now_ms, bool fold, str frozen)
{
    reader f = { .bytes = frozen, .fold = fold, .now_ms = now_ms, .st = r->st,
                 .renamer = r->renamer, .fields_in_order = server_follows(r, RULE_FIELDS_GO_WHEN_SEEN) };
    unsigned events = r->events;
    r->events = 0;                                 /* nothing comes to be that was not there */
    store_set_now(r->st, now_ms);
    store_clear(r->st, -1);
    for (int db; (db = read_byte(&f)) != 0;) {
        assert(db <= STORE_DBS);
        while (read_byte(&f)) {
            str key = read_lenstr(&f);
            unsigned char kind = read_byte(&f);
            assert(kind % FORM_STEP <= VALUE_STREAM);
            int64_t left_ms = (int64_t)read_u64(&f);
            value *v = thaw_value(&f, (value_kind)(kind % FORM_STEP));
            if (kind % FORM_STEP == VALUE_STRING)
                value_string_mark(v, (text_form)(kind / FORM_STEP));
            else
                value_unpack(v, (packing)(kind / FORM_STEP));
            store_put(r->st, db - 1, key, v, false);
            if (left_ms != INT64_MIN)
                store_set_deadline(r->st, db - 1, key, left_ms > INT64_MAX - now_ms ? INT64_MAX : now_ms + left_ms);
        }
    }
    assert(f.bytes.n == 0);
    arena_free(f.texts);
    r->events = events;
}

void redis_thaw(redis *r, int64_t now_ms, str frozen)
{
    thaw_all(r, now_ms, false, frozen);
}

void redis_unfold(redis *r, int64_t now_ms, str folded)
{
    thaw_all(r, now_ms, true, folded);
}
