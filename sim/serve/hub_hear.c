/* hub_hear.c - what the server sends a client besides answers: messages, an element for which it waited, and MONITOR's
 * lines. */
#include "serve/hub_internal.h"

#include <string.h>

#include "base/mem.h"

/* The client and room for a message, or NULL: a client that does not read its messages is dropped. */
static hub_client *hearer(hub *h, uint32_t conn)
{
    hub_client *c = hub_client_find(h, conn);
    if (!c || c->dropped || c->muted || c->gone)
        return NULL;
    hub_touch(c);
    if (c->out.n + c->sending <= HUB_PUSH_BYTES_MAX)
        return c;
    c->over = c->dropped = true;
    return NULL;
}

static void push(hub_client *c, reply *items, size_t count)
{
    reply message = { .kind = REPLY_ARRAY, .push = true, .items = items, .count = count };
    size_t item = redis_conn_exec_done(c->conn);
    bool later = c->runs && c->home->answers_first;
    reply_encode(&message, redis_conn_protocol(c->conn), item == SIZE_MAX && !later ? &c->out : &c->told);
    if (item == SIZE_MAX || later)
        return;
    MEM_RESERVE(c->marks, c->mark_cap, c->mark_count + 1);
    c->marks[c->mark_count++] = (told_mark){ .item = item, .end = c->told.n };
}

static void on_message(void *context, uint32_t conn, str channel, str payload, str pattern)
{
    hub_client *c = hearer(context, conn);
    reply matched[] = { reply_bulk(S("pmessage")), reply_bulk(pattern), reply_bulk(channel), reply_bulk(payload) };
    reply plain[] = { reply_bulk(S("message")), reply_bulk(channel), reply_bulk(payload) };
    if (c)
        push(c, pattern.p ? matched : plain, pattern.p ? COUNT(matched) : COUNT(plain));
}

static void on_shard_message(void *context, uint32_t conn, str channel, str payload)
{
    hub_client *c = hearer(context, conn);
    reply items[] = { reply_bulk(S("smessage")), reply_bulk(channel), reply_bulk(payload) };
    if (c)
        push(c, items, COUNT(items));
}

static void on_pushed(void *context, uint32_t conn, const reply *r, bool after)
{
    hub_client *c = hearer(context, conn);
    if (c && after && c->runs)
        reply_encode(r, redis_conn_protocol(c->conn), &c->after);
    else if (c)
        push(c, r->items, r->count);
}

static void on_answered(void *context, uint32_t conn, const reply *r)
{
    hub_client *c = hub_client_find(context, conn);
    if (!c)
        return;
    if (redis_conn_answers(c->conn))
        reply_encode(r, redis_conn_protocol(c->conn), &c->out);
    c->answered = true;
    hub_touch(c);
}

/* As redis-cli parses it: bytes that are no letters are \
 * , \\r, \\t, \\a, \\b or \\xNN. */
static void add_quoted(buf *out, str word, bool raw)
{
    static const char from[] = "\n\r\t\a\b", to[] = "nrtab";
    buf_byte(out, '"');
    for (size_t i = 0; i < word.n; i++) {
        unsigned char c = (unsigned char)word.p[i];
        const char *known = c ? strchr(from, c) : NULL;
        if (known || (!raw && (c == '"' || c == '\\'))) {
            buf_byte(out, '\\');
            buf_byte(out, known ? to[known - from] : (char)c);
        } else if (c < 0x20 || c >= 0x7F) {
            buf_hex(out, c);
        } else {
            buf_byte(out, (char)c);
        }
    }
    buf_byte(out, '"');
}

/* "+1700000000.123000 [0 127.0.0.1:5321] "SET" "k" "v"", and of a socket in the file system [0 unix:/path]. */
static void add_monitored(const hub *h, uint32_t conn, bool lua, int db, const str *argv, size_t argc, buf *out)
{
    const hub_client *c = hub_client_find(h, conn);
    str address = c ? buf_str(&c->address) : S("");
    int64_t now_ms = hub_now_ms(h);
    bool file = address.n && address.p[0] == '/';
    if (file && str_ends(address, S(":0")))
        address.n -= 2;
    buf_printf(out, "+%lld.%06lld [%d ", (long long)(now_ms / 1000), (long long)(now_ms % 1000 * 1000), db);
    buf_printf(out, "%s%.*s]", file && !lua ? "unix:" : "", STR_ARG(lua ? S("lua") : address));
    for (size_t i = 0; i < argc; i++) {
        buf_byte(out, ' ');
        add_quoted(out, argv[i], h->raw_quotes);
    }
    buf_addz(out, "\r\n");
}

/* To each that monitors; the line for its own command comes after the answer. */
static void on_monitored(void *context, uint32_t conn, bool lua, int db, const str *argv, size_t argc)
{
    hub *h = context;
    buf line = { 0 };
    hub_client *c, *next;
    add_monitored(h, conn, lua, db, argv, argc, &line);
    HASH_ITER(hh, h->clients, c, next) {
        /* cppcheck-suppress uninitvar ; HASH_ITER sets it */
        if (!c->over && redis_conn_monitors(c->conn) && hearer(h, c->id))
            buf_add(c->runs ? &c->after : &c->out, buf_str(&line));
    }
    buf_free(&line);
}

redis_observer hub_hears(hub *h)
{
    return (redis_observer){ .context = h, .message = on_message, .shard_message = on_shard_message,
                             .answered = on_answered, .pushed = on_pushed,
                             .monitored = on_monitored };
}
