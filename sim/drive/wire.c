/* wire.c - see wire.h. Source of the formats: redis.io/docs/reference/protocol-spec. */
#define _GNU_SOURCE
#include "drive/wire.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/mem.h"
#include "script/script.h"
#include "serve/request.h"

enum { READ_BYTES = 64 << 10, IN_BYTES_MAX = 64 << 20 };

static int64_t now_of(void *context)
{
    return ((const wire *)context)->now_ms;
}

static void add_server(wire *w, int64_t now_ms)
{
    size_t i = w->server_count++;
    str why;
    w->hubs[i] = hub_new(&(hub_host){ .context = w, .now_ms = now_of, .start_ms = now_ms,
                                      .process_id = (int)w->server_count });
    hub_set_port(w->hubs[i], w->ports[i]);
    w->servers[i] = hub_redis(w->hubs[i]);
    redis_set_acks(w->servers[i], w->replicas != NULL);
    for (size_t k = 0; w->scripts && k < w->scripts->count; k++)
        redis_load_script(w->servers[i], w->scripts->texts[k], w->memory, &why);       /* it was loaded before */
}

wire *wire_new(const wire_setup *setup)
{
    wire *w = mem_zero(sizeof *w);
    *w = (wire){ .now_ms = setup->now_ms, .clients = setup->clients, .memory = arena_new(), .scripts = setup->scripts,
                 .of_client = mem_zero(setup->clients * sizeof *w->of_client), .ports = setup->ports,
                 .hubs = mem_zero(setup->port_count * sizeof(hub *)),
                 .servers = mem_zero(setup->port_count * sizeof(redis *)) };
    if (setup->replicas)
        w->replicas = mem_zero(setup->port_count * sizeof *w->replicas);
    for (size_t i = 0; i < setup->port_count; i++)
        add_server(w, setup->now_ms);
    return w;
}

void wire_scripts_free(wire_scripts *s)
{
    mem_free(s->texts);
    arena_free(s->a);
    *s = (wire_scripts){ 0 };
}

/* EVAL text ..., SCRIPT LOAD text */
static void learn_script(wire_scripts *s, const str *argv, size_t argc)
{
    bool eval = argc > 1 && (str_eq_nocase(argv[0], S("eval")) || str_eq_nocase(argv[0], S("eval_ro")));
    bool load = argc > 2 && str_eq_nocase(argv[0], S("script")) && str_eq_nocase(argv[1], S("load"));
    if (!s || !s->learning || (!eval && !load))
        return;
    MEM_RESERVE(s->texts, s->cap, s->count + 1);
    s->texts[s->count++] = arena_str(s->a, argv[load ? 2 : 1]);
}

/* The server's side is closed, with its pending output. */
static void leave_server(wire_link *l)
{
    if (l->hub)
        hub_close(l->hub);
    l->hub = NULL;
    for (size_t i = 0; i < l->out_count; i++)
        buf_free(&l->out[i].bytes);
    l->out_count = 0;
    l->sent_count = 0;
    l->awaits = false;
}

static void close_link(wire_link *l)
{
    if (l->closed)
        return;
    l->closed = true;
    close(l->fd);
    leave_server(l);
}

void wire_free(wire *w)
{
    if (!w)
        return;
    for (size_t i = 0; i < w->count; i++) {
        close_link(w->links[i]);
        request_reader_free(w->links[i]->reader);
        buf_free(&w->links[i]->in);
        mem_free(w->links[i]->out);
        mem_free(w->links[i]->sent);
        mem_free(w->links[i]);
    }
    for (size_t i = 0; i < w->server_count; i++) {
        hub_free(w->hubs[i]);
        if (w->replicas)
            buf_free(&w->replicas[i].frozen);
    }
    mem_free(w->replicas);
    mem_free(w->hubs);
    mem_free(w->servers);
    arena_free(w->memory);
    mem_free(w->of_client);
    mem_free(w->links);
    mem_free(w);
}

uint64_t wire_writes(const wire *w)
{
    uint64_t writes = 0;
    for (size_t i = 0; i < w->server_count; i++)
        writes += redis_writes(w->servers[i]);
    return writes;
}

/* ---- connections ---- */

/* The server's own address, as clients know it. */
static str address_of(const wire *w, uint32_t server)
{
    return arena_printf(w->memory, "127.0.0.1:%u", w->ports[server]);
}

static void meet(wire *w, uint32_t client, int fd)
{
    struct ucred who = { 0 };
    uint8_t place = 0;             /* of the port, which the library in the program has written */
    if (read(fd, &place, sizeof place) != sizeof place || place >= w->server_count)
        place = 0;
    socklen_t length = sizeof who;
    getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &who, &length);
    wire_link *l = mem_zero(sizeof *l);
    *l = (wire_link){ .home = w, .client = client, .server = place, .fd = fd, .number = ++w->of_client[client],
                      .from_pid = (uint32_t)who.pid };
    str at = arena_printf(w->memory, "127.0.0.1:%u", 40000 + client * 1000 + l->number);
    l->hub = hub_open(w->hubs[place], l, at, address_of(w, place));
    l->reader = request_reader_new();
    MEM_RESERVE(w->links, w->cap, w->count + 1);
    w->links[w->count++] = l;
}

void wire_accept(wire *w, uint32_t client, int door)
{
    int fd;
    /* cppcheck-suppress nullPointer ; the peer's address is not needed */
    while ((fd = accept4(door, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC)) >= 0)
        meet(w, client, fd);
}

static void add_request(wire_link *l, const request *q, size_t bytes)
{
    arena *memory = l->home->memory;
    MEM_RESERVE(l->sent, l->sent_cap, l->sent_count + 1);
    wire_request *r = &l->sent[l->sent_count++];
    *r = (wire_request){ .argc = q ? q->argc : 1, .bytes = bytes, .number = ++l->home->requests,
                         .since_ms = l->home->now_ms };
    r->argv = ARENA_ARRAY(memory, str, r->argc);
    for (size_t i = 0; i < r->argc; i++)
        r->argv[i] = q ? arena_str(memory, q->argv[i]) : S("?");
}

/* Finds the requests in the bytes that were read. Malformed ones go to the hub unchanged, which refuses them. */
static void find_requests(wire_link *l)
{
    size_t begin = 0;
    for (size_t i = 0; i < l->sent_count; i++)
        begin += l->sent[i].bytes;
    while (!l->closed && !l->silent && !l->broken) {
        request q;
        request_state state = request_read(l->reader, str_slice(buf_str(&l->in), l->seen, l->in.n), &q);
        l->broken = state == REQUEST_BROKEN;
        l->seen = l->broken ? l->in.n : l->seen + q.used;
        if (state == REQUEST_MORE)
            return;
        add_request(l, state == REQUEST_READY ? &q : NULL, l->seen - begin);
        begin = l->seen;
    }
}

static bool read_link(wire_link *l)
{
    char *room = mem_alloc(READ_BYTES);
    bool over = false;
    for (ssize_t n; (n = read(l->fd, room, READ_BYTES)) != -1 || errno == EINTR;) {
        if (n == 0) {
            over = true;
            break;
        }
        if (n > 0 && l->in.n < IN_BYTES_MAX && !l->silent)
            buf_add(&l->in, (str){ .p = room, .n = (size_t)n });
    }
    mem_free(room);
    find_requests(l);
    /* What it sent before closing still counts. */
    if (over && l->sent_count == 0 && !l->awaits)
        close_link(l);
    return l->closed;
}

bool wire_read(wire *w, void (*woken)(void *context, uint32_t client), void *context)
{
    bool any = false;
    for (size_t i = 0; i < w->count; i++)
        if (!w->links[i]->closed && read_link(w->links[i])) {
            woken(context, w->links[i]->client);
            any = true;
        }
    return any;
}

bool wire_is_handshake(const wire_request *q)
{
    static const char *const names[] = { "hello", "client", "info", "auth", "select", "command", "ping", "readonly",
                                         "config", "quit",
                                         "script", "cluster", "reset" };
    for (size_t i = 0; i < COUNT(names); i++)
        if (str_eq_nocase(q->argv[0], str_from(names[i])))
            return !str_eq_nocase(q->argv[0], S("script")) || (q->argc > 1 && !str_eq_nocase(q->argv[1], S("flush")));
    return false;
}

/* ---- requests ---- */

static void drop_front(buf *b, size_t n)
{
    memmove(b->p, b->p + n, b->n - n);
    b->n -= n;
}

void wire_drop_request(wire_link *l)
{
    size_t bytes = l->sent[0].bytes;
    drop_front(&l->in, bytes);
    l->seen -= bytes;
    l->sent_count--;
    memmove(l->sent, l->sent + 1, l->sent_count * sizeof *l->sent);
}

static parcel *add_parcel(wire_link *l)
{
    MEM_RESERVE(l->out, l->out_cap, l->out_count + 1);
    l->out[l->out_count] = (parcel){ 0 };
    return &l->out[l->out_count++];
}

/* What a server says lies in its hub: `asker` gets an answer, the others messages, or answers that they waited
 * for. */
static void collect(wire *w, uint32_t server, const wire_link *asker, uint32_t request)
{
    for (hub_client *c; (c = hub_next_touched(w->hubs[server])) != NULL;) {
        wire_link *l = hub_owner(c);
        if (!l)
            continue;
        buf bytes = { 0 };
        if (hub_take(c, &bytes)) {
            parcel *p = add_parcel(l);
            buf_add(&p->bytes, buf_str(&bytes));
            p->since_ms = w->now_ms;
            p->answer = l == asker || l->awaits;
            p->request = l == asker ? request : l->awaits ? l->awaited : 0;
            l->awaits = false;
            hub_sent(c, &bytes);
        }
        buf_free(&bytes);
    }
}

/* ---- replicas ---- */

/* Before something happens at a server: its keyspace, if that may be lost. */
static buf before_write(const wire *w, uint32_t server)
{
    buf frozen = { 0 };
    if (w->replicas)
        redis_freeze(w->servers[server], w->now_ms, &frozen);
    return frozen;
}

/* After it: was it a write? Takes `before`. What WAIT told of cannot be lost any more. */
static void after_write(wire *w, uint32_t server, buf *before, bool waited)
{
    buf after = before_write(w, server);
    if (w->replicas && (waited || !str_eq(buf_str(before), buf_str(&after)))) {
        wire_replica *k = &w->replicas[server];
        buf_free(&k->frozen);
        *k = (wire_replica){ .at_ms = w->now_ms };
        if (!waited) {
            k->frozen = *before;
            *before = (buf){ 0 };
        }
    }
    buf_free(before);
    buf_free(&after);
}

bool wire_misses_write(const wire *w, uint32_t server)
{
    return w->replicas && w->replicas[server].frozen.n;
}

void wire_fail_over(wire *w, uint32_t server, bool misses, void (*cut)(void *context, uint32_t client), void *context)
{
    wire_replica *k = &w->replicas[server];
    assert(!misses || k->frozen.n);
    for (size_t i = 0; i < w->count; i++) {
        wire_link *l = w->links[i];
        if (l->server != server || l->closed)
            continue;
        wire_cut(l);
        cut(context, l->client);
    }
    if (misses)
        redis_thaw(w->servers[server], k->at_ms, buf_str(&k->frozen));
    redis_flush_scripts(w->servers[server]);
    buf_free(&k->frozen);
}

str wire_execute_stray(wire *w, uint32_t server, str bytes, arena *a)
{
    buf before = before_write(w, server);
    hub_client *h = hub_open(w->hubs[server], NULL, S("127.0.0.1:39999"), address_of(w, server));
    buf said = { 0 };
    hub_feed(h, bytes);
    (void)hub_take(h, &said);
    str answer = arena_str(a, buf_str(&said));
    buf_free(&said);
    hub_close(h);
    collect(w, server, NULL, 0);
    after_write(w, server, &before, false);
    return answer;
}

static bool has_answer(const wire_link *l, uint32_t request)
{
    return l->out_count > 0 && l->out[l->out_count - 1].answer && l->out[l->out_count - 1].request == request;
}

str wire_execute(wire_link *l, arena *a)
{
    wire_request q = l->sent[0];
    buf before = before_write(l->home, l->server);
    learn_script(l->home->scripts, q.argv, q.argc);
    hub_feed(l->hub, str_slice(buf_str(&l->in), 0, q.bytes));
    collect(l->home, l->server, l, q.number);
    after_write(l->home, l->server, &before, str_eq_nocase(q.argv[0], S("wait")));
    bool waits = redis_command_waits(q.argv[0]);
    wire_drop_request(l);
    if (has_answer(l, q.number))
        return arena_str(a, buf_str(&l->out[l->out_count - 1].bytes));
    l->awaits = waits;
    l->awaited = q.number;
    return S("");
}

str wire_execute_copy(wire_link *l, arena *a)
{
    size_t before = l->out_count;
    buf frozen = before_write(l->home, l->server);
    hub_feed(l->hub, str_slice(buf_str(&l->in), 0, l->sent[0].bytes));
    collect(l->home, l->server, l, l->sent[0].number);
    after_write(l->home, l->server, &frozen, false);
    str bytes = l->out_count > before ? arena_str(a, buf_str(&l->out[l->out_count - 1].bytes)) : S("");
    while (l->out_count > before)
        buf_free(&l->out[--l->out_count].bytes);
    return bytes;
}

/* ---- delivering ---- */

void wire_drop_parcel(wire_link *l)
{
    buf_free(&l->out[0].bytes);
    l->out_count--;
    memmove(l->out, l->out + 1, l->out_count * sizeof *l->out);
}

void wire_deliver(wire_link *l)
{
    str rest = buf_str(&l->out[0].bytes);
    while (rest.n) {
        ssize_t n = send(l->fd, rest.p, rest.n, MSG_NOSIGNAL);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            break;                 /* it hung up, or it does not read what would fill a socket */
        rest = str_slice(rest, (size_t)n, rest.n);
    }
    wire_drop_parcel(l);
}

void wire_cut(wire_link *l)
{
    shutdown(l->fd, SHUT_RDWR);
    close_link(l);
}

void wire_silence(wire_link *l)
{
    l->silent = true;
    leave_server(l);
}

void wire_forget_client(wire *w, uint32_t client)
{
    for (size_t i = 0; i < w->count; i++)
        if (w->links[i]->client == client)
            close_link(w->links[i]);
}

/* ---- time ---- */

void wire_set_now(wire *w, int64_t now_ms)
{
    w->now_ms = now_ms;
    for (uint32_t i = 0; i < w->server_count; i++) {
        size_t gone;
        redis_timeouts(w->servers[i], now_ms);
        (void)redis_reap(w->servers[i], now_ms, SIZE_MAX, &gone);
        collect(w, i, NULL, 0);
    }
}

typedef struct { int64_t now_ms, next_ms; } nearest;

static void see_instant(void *context, int64_t at_ms, bool deadline)
{
    nearest *n = context;
    /* A key lives through its deadline. */
    if (deadline && at_ms >= n->now_ms && at_ms + 1 < n->next_ms)
        n->next_ms = at_ms + 1;
}

int64_t wire_next_ms(wire *w)
{
    nearest n = { .now_ms = w->now_ms, .next_ms = INT64_MAX };
    for (size_t i = 0; i < w->server_count; i++) {
        int64_t timeout_ms = redis_next_timeout_ms(w->servers[i]);
        if (timeout_ms < n.next_ms)
            n.next_ms = timeout_ms;
        redis_each_instant(w->servers[i], w->now_ms, 0, see_instant, &n);
    }
    return n.next_ms;
}

/* ---- answers in words ---- */

static int64_t number_at(str bytes, size_t from, size_t *after)
{
    size_t end = str_find(bytes, '\r', from);
    int64_t n = 0;
    bool minus = from < end && bytes.p[from] == '-';
    for (size_t i = from + minus; i < end && n < INT64_C(100000000000000); i++)
        n = n * 10 + (bytes.p[i] - '0');
    *after = end + 2;
    return minus ? -n : n;
}

/* One value from `at` on as a reply, and where the next one begins. */
static size_t take_value(arena *a, str bytes, size_t at, int depth, reply *out)
{
    *out = (reply){ .kind = REPLY_NIL };
    if (at >= bytes.n || depth > 16)
        return bytes.n;
    char kind = bytes.p[at];
    size_t end = str_find(bytes, '\r', at), after;
    str text = str_slice(bytes, at + 1, end);
    int64_t n = number_at(bytes, at + 1, &after);
    switch (kind) {
    case '+': case '(': case ',':
        *out = (reply){ .kind = REPLY_STATUS, .text = text };
        return end + 2;
    case '-':
        *out = (reply){ .kind = REPLY_ERROR, .text = text };
        return end + 2;
    case ':':
        *out = (reply){ .kind = REPLY_INTEGER, .integer = n };
        return end + 2;
    case '#':
        *out = (reply){ .kind = REPLY_BOOLEAN, .integer = text.n && text.p[0] == 't' };
        return end + 2;
    case '_':
        return end + 2;
    case '$': case '=':
        if (n < 0)
            return after;
        *out = (reply){ .kind = REPLY_BULK, .text = str_slice(bytes, after, after + (size_t)n) };
        return after + (size_t)n + 2;
    default:
        if (n < 0)
            return after;
        n = kind == '%' ? 2 * n : n;
        *out = (reply){ .kind = REPLY_ARRAY, .items = ARENA_ARRAY(a, reply, (size_t)n + 1) };
        while (out->count < (size_t)n && after < bytes.n)
            after = take_value(a, bytes, after, depth + 1, &out->items[out->count++]);
        return after;
    }
}

str wire_answer(arena *a, str bytes)
{
    reply r;
    buf out = { 0 };
    take_value(a, bytes, 0, 0, &r);
    reply_print_short(&r, &out);
    str text = arena_str(a, buf_str(&out));
    buf_free(&out);
    return text;
}

/* One value from `at` on, and where the next one begins. */
static size_t tell(str bytes, size_t at, int depth, buf *out)
{
    if (at >= bytes.n || depth > 8)
        return bytes.n;
    char kind = bytes.p[at];
    size_t end = str_find(bytes, '\r', at), after;
    switch (kind) {
    case '+': case '-': case '(': case ',':
        buf_addz(out, kind == '-' ? "error: " : "");
        buf_add(out, str_slice(bytes, at + 1, end));
        return end + 2;
    case ':':
        buf_addz(out, "(integer) ");
        buf_add(out, str_slice(bytes, at + 1, end));
        return end + 2;
    case '_':
        buf_addz(out, "(nil)");
        return end + 2;
    case '#':
        buf_addz(out, bytes.p[at + 1] == 't' ? "(true)" : "(false)");
        return end + 2;
    case '$': case '=': {
        int64_t n = number_at(bytes, at + 1, &after);
        if (n < 0) {
            buf_addz(out, "(nil)");
            return after;
        }
        str text = str_slice(bytes, after, after + (size_t)n);
        buf_byte(out, '"');
        buf_add(out, str_slice(text, 0, 60));
        buf_addz(out, text.n > 60 ? "...\"" : "\"");
        return after + (size_t)n + 2;
    }
    default: {
        int64_t n = number_at(bytes, at + 1, &after);
        if (n < 0) {
            buf_addz(out, "(nil)");
            return after;
        }
        buf_byte(out, '[');
        for (int64_t i = 0; i < (kind == '%' ? 2 * n : n) && after < bytes.n; i++) {
            buf_addz(out, i ? ", " : "");
            after = tell(bytes, after, depth + 1, out);
        }
        buf_byte(out, ']');
        return after;
    }
    }
}

str wire_told(arena *a, str bytes)
{
    buf out = { 0 };
    tell(bytes, 0, 0, &out);
    str told = arena_str(a, str_slice(buf_str(&out), 0, 200));
    buf_free(&out);
    return told;
}
