/* digest.c - DEBUG DIGEST and DIGEST-VALUE: SHA-1 sums of the contents of keys, equal to a real server's. Unordered
 * contents are joined by XOR, ordered ones are hashed in sequence. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "redis/server.h"

enum { DIGEST_BYTES = 20 };
typedef struct { unsigned char b[DIGEST_BYTES]; } digest;

static digest sha1_of(str text)
{
    char hex[41];
    digest d;
    redis_sha1(text, hex);
    for (size_t i = 0; i < DIGEST_BYTES; i++) {
        unsigned byte;
        sscanf(hex + 2 * i, "%2x", &byte);
        d.b[i] = (unsigned char)byte;
    }
    return d;
}

static void join(digest *d, str text)
{
    digest other = sha1_of(text);
    for (size_t i = 0; i < DIGEST_BYTES; i++)
        d->b[i] ^= other.b[i];
}

static void append(digest *d, str text)
{
    join(d, text);
    *d = sha1_of((str){ (const char *)d->b, DIGEST_BYTES });
}

static void append_number(digest *d, unsigned n)
{
    char bytes[4] = { (char)(n >> 24), (char)(n >> 16), (char)(n >> 8), (char)n };
    append(d, (str){ bytes, sizeof bytes });
}

/* Valkey leaves the deadlines of fields out. */
static void add_hash(digest *d, const call *c, const value *v)
{
    bool dated = server_follows(c->server, RULE_FIELDS_GO_WHEN_SEEN);
    for (const hash_field *f = NULL; (f = hash_next(v, f));) {
        digest one = { 0 };
        append(&one, hash_field_name(f));
        append(&one, hash_field_text(f));
        if (dated && hash_field_deadline_ms(f) != FIELD_NO_DEADLINE)
            join(&one, S("!!hexpire!!"));
        join(d, (str){ (const char *)one.b, DIGEST_BYTES });
    }
}

/* A score as servers since 7.2 answer it, and before with all its digits. */
static void add_zset(digest *d, const call *c, const value *v)
{
    for (size_t i = 0; i < value_count(v); i++) {
        digest one = { 0 };
        double score;
        char text[32];
        append(&one, zset_at(v, i, &score));
        int n = snprintf(text, sizeof text, "%.17g", score);
        append(&one, server_follows(c->server, RULE_SHORT_NUMBERS) ? score_text(c->server, c->out, score)
                                                                   : (str){ text, (size_t)n });
        join(d, (str){ (const char *)one.b, DIGEST_BYTES });
    }
}

static void add_stream(digest *d, const value *v)
{
    for (size_t i = 0; i < value_count(v); i++) {
        const str *texts;
        size_t n;
        char text[48];
        stream_id id = stream_at(v, i, &texts, &n);
        int length = snprintf(text, sizeof text, "%" PRIu64 ".%" PRIu64, id.ms, id.seq);
        append(d, (str){ text, (size_t)length });
        for (size_t k = 0; k < n; k++)
            append(d, texts[k]);
    }
}

static void add_value(digest *d, const call *c, const value *v, int64_t deadline_ms)
{
    static const unsigned types[] = { [VALUE_STRING] = 0, [VALUE_LIST] = 1, [VALUE_SET] = 2, [VALUE_ZSET] = 3,
                                      [VALUE_HASH] = 4, [VALUE_STREAM] = 6 };
    append_number(d, types[value_kind_of(v)]);
    switch (value_kind_of(v)) {
    case VALUE_STRING: append(d, value_string(v)); break;
    case VALUE_HASH:   add_hash(d, c, v); break;
    case VALUE_ZSET:   add_zset(d, c, v); break;
    case VALUE_STREAM: add_stream(d, v); break;
    case VALUE_LIST: case VALUE_SET:
        for (size_t i = 0; i < value_count(v); i++)
            value_kind_of(v) == VALUE_LIST ? append(d, list_at(v, i)) : join(d, set_at(v, i));
        break;
    }
    if (deadline_ms != STORE_NO_DEADLINE)
        join(d, S("!!expire!!"));
}

typedef struct {
    digest d;
    const call *c;
} whole;

static void add_key(void *context, str key, const value *v, int64_t deadline_ms)
{
    whole *all = context;
    digest one = { 0 };
    append(&one, key);
    add_value(&one, all->c, v, deadline_ms);
    join(&all->d, (str){ (const char *)one.b, DIGEST_BYTES });
}

static reply told(const call *c, const digest *d)
{
    char hex[2 * DIGEST_BYTES + 1];
    for (size_t i = 0; i < DIGEST_BYTES; i++)
        snprintf(hex + 2 * i, 3, "%02x", d->b[i]);
    return (reply){ .kind = REPLY_STATUS, .text = arena_str(c->out, (str){ hex, 2 * DIGEST_BYTES }) };
}

reply debug_digest(const call *c)
{
    whole all = { .c = c };
    for (int db = 0; db < STORE_DBS; db++)
        if (store_size(c->st, db)) {
            append_number(&all.d, (unsigned)db);
            store_each_even_expired(c->st, db, add_key, &all);
        }
    return told(c, &all.d);
}

reply debug_digest_value(const call *c)
{
    reply r = reply_items(c->out, REPLY_ARRAY, c->argc - 2);
    for (size_t i = 0; i < r.count; i++) {
        digest d = { 0 };
        str key = c->argv[2 + i];
        const value *v = store_find(c->st, c->db, key);
        if (v)
            add_value(&d, c, v, store_deadline_ms(c->st, c->db, key));
        r.items[i] = told(c, &d);
    }
    return r;
}
