/* keyspace_freeze.c - the keyspace as canonical bytes and back, and as seen by people and by the search: keys, values,
 * instants.
 *
 * The bytes: per database with a live key its number + 1, then per key in byte order: 1, the key, the kind, the
 * deadline relative to now (INT64_MIN: none), the value; 0 after the last key, 0 after the last database. Lengths and
 * numbers are 8 bytes, little-endian (buf_u64). Folded bytes write a text that may be an instant as FOLDED_TEXT and its
 * distance from now, and before a score whether it is one. */
#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/codec.h"
#include "base/instant.h"
#include "redis/notify.h"
#include "redis/server.h"

#define FOLDED_TEXT UINT64_MAX         /* no text is so long */

/* ---- out ---- */

typedef struct {
    buf *out;
    int64_t now_ms;
    int db;
    bool any, fold;
} freezer;

static void freeze_text(const freezer *z, str s)
{
    int64_t n;
    if (z->fold && instant_text(s, z->now_ms, &n)) {
        buf_u64(z->out, FOLDED_TEXT);
        buf_u64(z->out, (uint64_t)(n - z->now_ms));
        return;
    }
    buf_lenstr(z->out, s);
}

static void freeze_score(const freezer *z, double score)
{
    bool folded = z->fold && instant_near_double(score, z->now_ms);
    if (z->fold)
        buf_byte(z->out, folded);
    if (folded)
        score -= (double)z->now_ms;
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
            buf_u64(z->out, (uint64_t)(left_ms < 0 && left_ms != INT64_MIN ? -1 : left_ms));
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
    if (!z->any)
        buf_byte(z->out, (char)(z->db + 1));
    z->any = true;
    buf_byte(z->out, 1);
    buf_lenstr(z->out, key);
    int64_t left_ms = deadline_ms == STORE_NO_DEADLINE ? INT64_MIN : deadline_ms - z->now_ms;
    /* it has expired, and its event is still to be published: neither its time nor its contents matter */
    if (left_ms < 0 && left_ms != INT64_MIN) {
        buf_byte(z->out, VALUE_STRING);
        buf_u64(z->out, (uint64_t)-1);
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
        freezer z = { .out = out, .now_ms = now_ms, .db = db, .fold = fold };
        if (redis_tells_expiry(r))
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
} reader;

static unsigned char read_byte(reader *f)
{
    return take_byte(&f->bytes);
}

static uint64_t read_u64(reader *f)
{
    return take_u64(&f->bytes);
}

/* Borrowed until the next one is read. */
static str read_lenstr(reader *f)
{
    size_t n = read_u64(f);
    if (f->fold && n == FOLDED_TEXT) {
        int length = snprintf(f->digits, sizeof f->digits, "%" PRId64, f->now_ms + (int64_t)read_u64(f));
        return (str){ f->digits, (size_t)length };
    }
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
            bool folded = f->fold && read_byte(f);
            uint64_t bits = read_u64(f);
            double score;
            memcpy(&score, &bits, sizeof score);
            if (folded)
                score += (double)f->now_ms;
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

static void see_id(const instants *w, stream_id id)
{
    if (id.ms <= INT64_MAX)
        see_instant(w, (int64_t)id.ms);
}

static void see_group(const instants *w, const stream_group *g)
{
    see_id(w, stream_group_progress(g).last);
    see_text(w, stream_group_name(g));
    for (size_t i = 0; i < stream_consumers(g); i++) {
        const stream_consumer *c = stream_consumer_at(g, i);
        see_text(w, c->name);
        see_instant(w, c->seen_ms);
        if (c->active_ms != STREAM_NEVER)
            see_instant(w, c->active_ms);
    }
    for (size_t i = 0; i < stream_pendings(g); i++) {
        see_id(w, stream_pending_at(g, i)->id);
        see_instant(w, stream_pending_at(g, i)->delivered_ms);
    }
}

static void see_stream(const instants *w, const value *v)
{
    see_id(w, stream_last(v));
    for (size_t i = 0; i < stream_groups(v); i++)
        see_group(w, stream_group_at(v, i));
    for (size_t i = 0; i < value_count(v); i++) {
        const str *texts;
        size_t n;
        see_id(w, stream_at(v, i, &texts, &n));
        for (size_t k = 0; k < n; k++)
            see_text(w, texts[k]);
    }
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
            int64_t at_ms = hash_field_deadline_ms(f);
            see_text(w, hash_field_name(f));
            see_text(w, hash_field_text(f));
            if (at_ms != FIELD_NO_DEADLINE && at_ms >= w->now_ms)
                w->fn(w->context, at_ms, true);
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
    case VALUE_STREAM:
        see_stream(w, v);
        break;
    }
}

static void see_word(void *context, str word)
{
    const instants *w = context;
    int64_t at_ms;
    str rest;
    if (instant_id(word, w->now_ms, &at_ms, &rest))
        see_instant(w, at_ms);
    else
        see_text(w, word);
}

void redis_each_instant(redis *r, int64_t now_ms, int64_t window_ms,
                        void (*fn)(void *context, int64_t at_ms, bool deadline), void *context)
{
    instants w = { .now_ms = now_ms, .window_ms = window_ms, .fn = fn, .context = context };
    store_set_now(r->st, now_ms);
    for (int db = 0; db < STORE_DBS; db++) {
        if (store_size(r->st, db))
            store_each(r->st, db, see_key, &w);
    }
    transactions_each_word(r, see_word, &w);
    waiting_each_word(r, see_word, &w);
}

/* ---- for people ---- */

/* Plain where that is unambiguous, else quoted as by redis-cli. */
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

static void show_entry(const value *v, size_t i, buf *out)
{
    const str *texts;
    size_t n;
    stream_id id = stream_at(v, i, &texts, &n);
    buf_printf(out, "%" PRIu64 "-%" PRIu64 " {", id.ms, id.seq);
    for (size_t k = 0; k < n; k++) {
        buf_addz(out, k == 0 ? "" : k % 2 ? " = " : ", ");
        show_text(texts[k], out);
    }
    buf_byte(out, '}');
}

static void show_field_deadline(const hash_field *f, int64_t now_ms, buf *out)
{
    int64_t at_ms = hash_field_deadline_ms(f);
    if (at_ms == FIELD_NO_DEADLINE)
        return;
    if (at_ms < now_ms)
        buf_add(out, S(" (expired)"));
    else
        buf_printf(out, " (%" PRId64 " ms)", at_ms - now_ms);
}

/* workers: read to 2-0, a [1-0 (1 x, 5 ms ago), 2-0 (2 x, 0 ms ago)], b [] */
static void show_group(const stream_group *g, int64_t now_ms, buf *out)
{
    stream_progress at = stream_group_progress(g);
    show_text(stream_group_name(g), out);
    buf_printf(out, ": read to %" PRIu64 "-%" PRIu64, at.last.ms, at.last.seq);
    for (size_t i = 0; i < stream_consumers(g); i++) {
        const stream_consumer *c = stream_consumer_at(g, i);
        const char *before = "";
        buf_addz(out, ", ");
        show_text(c->name, out);
        buf_addz(out, " [");
        for (size_t k = 0; k < stream_pendings(g); k++) {
            const stream_pending *p = stream_pending_at(g, k);
            if (p->owner != c)
                continue;
            buf_printf(out, "%s%" PRIu64 "-%" PRIu64, before, p->id.ms, p->id.seq);
            buf_printf(out, " (%" PRIu64 " x, %" PRId64 " ms ago)", p->deliveries, now_ms - p->delivered_ms);
            before = ", ";
        }
        buf_byte(out, ']');
    }
}

static void show_groups(const value *v, int64_t now_ms, buf *out)
{
    size_t groups = value_kind_of(v) == VALUE_STREAM ? stream_groups(v) : 0;
    for (size_t i = 0; i < groups; i++) {
        buf_addz(out, i ? "; " : " {");
        show_group(stream_group_at(v, i), now_ms, out);
    }
    if (groups)
        buf_byte(out, '}');
}

static void show_value(const value *v, int64_t now_ms, buf *out)
{
    size_t count = value_count(v);
    value_kind kind = value_kind_of(v);
    if (kind == VALUE_STRING) {
        reply text = reply_bulk(value_string(v));
        reply_print_short(&text, out);
        return;
    }
    bool in_order = kind == VALUE_LIST || kind == VALUE_STREAM;
    buf_byte(out, in_order ? '[' : '{');
    const hash_field *f = NULL;
    for (size_t i = 0; i < count; i++) {
        if (i)
            buf_add(out, S(", "));
        if (kind == VALUE_LIST) {
            show_text(list_at(v, i), out);
        } else if (kind == VALUE_STREAM) {
            show_entry(v, i, out);
        } else if (kind == VALUE_SET) {
            show_text(set_at(v, i), out);
        } else if (kind == VALUE_HASH) {
            f = hash_next(v, f);
            show_text(hash_field_name(f), out);
            buf_add(out, S(" = "));
            show_text(hash_field_text(f), out);
            show_field_deadline(f, now_ms, out);
        } else {
            reply score = { .kind = REPLY_DOUBLE };
            show_text(zset_at(v, i, &score.number), out);
            buf_add(out, S(": "));
            reply_print_short(&score, out);
        }
    }
    buf_byte(out, in_order ? ']' : '}');
    show_groups(v, now_ms, out);
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
    show_value(v, w->now_ms, &text);
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

typedef struct {
    redis *r;
    void (*fn)(void *context, str key);
    void *context;
} expired_teller;

static void tell_expired(void *context, str key, const value *v, int64_t deadline_ms)
{
    const expired_teller *t = context;
    int64_t now_ms = store_now_ms(t->r->st);
    bool gone = deadline_ms != STORE_NO_DEADLINE && deadline_ms < now_ms, fields = false;
    for (const hash_field *f = NULL; !gone && value_kind_of(v) == VALUE_HASH && hash_dated(v) &&
         (f = hash_next(v, f));) {
        int64_t at_ms = hash_field_deadline_ms(f);
        fields |= at_ms != FIELD_NO_DEADLINE && at_ms < now_ms;
    }
    if (fields || (gone && redis_tells_expiry(t->r)))
        t->fn(t->context, key);
}

void redis_each_expired(redis *r, int64_t now_ms, void (*fn)(void *context, str key), void *context)
{
    expired_teller t = { r, fn, context };
    store_set_now(r->st, now_ms);
    if (redis_tells_expiry(r) || store_is_dated(r->st))
        store_each_even_expired(r->st, 0, tell_expired, &t);
}

bool redis_expire(redis *r, int64_t now_ms, str key)
{
    server_acts(r, now_ms);
    bool removed = store_expire(r->st, 0, key);
    server_acted(r);
    return removed;
}

void redis_only_look(redis *r, bool yes)
{
    r->only_looked_at = yes;
    store_only_look(r->st, yes);
}

bool redis_evict(redis *r, int64_t now_ms, str key)
{
    server_acts(r, now_ms);
    bool was = store_del(r->st, 0, key);
    if (was)
        notify_in(r, 0, NOTIFY_EVICTED, "evicted", key);
    server_acted(r);
    return was;
}
