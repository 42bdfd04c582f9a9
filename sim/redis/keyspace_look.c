/* keyspace_look.c - the keyspace as the search sees it, by the instants that it holds, and as people do: keys and
 * values. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/instant.h"
#include "redis/server.h"

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
