/* event_loop.c - see event_loop.h. */
#include "serve/event_loop.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/un.h>
#include <uv.h>

#include "base/mem.h"

enum {
    READ_BYTES = 64 << 10,
    BACKLOG = 511,
    KEEPALIVE_S = 300,
    LISTENERS_MAX = 2,
};

static const int end_signals[] = { SIGINT, SIGTERM };

typedef union {
    uv_handle_t handle;
    uv_stream_t stream;
    uv_tcp_t tcp;
    uv_pipe_t pipe;
} socket_handle;

struct loop {
    uv_loop_t uv;
    hub *h;
    socket_handle listeners[LISTENERS_MAX];
    size_t listener_count;
    uv_signal_t signals[COUNT(end_signals)];
    uv_prepare_t before_poll;
    uv_check_t after_poll;
    uv_timer_t timer;
    char *read_room;               /* shared: its contents are consumed before the next read */
    bool closing;
};

/* One client's socket. */
typedef struct {
    socket_handle s;
    uv_write_t write;
    loop *l;
    hub_client *client;            /* NULL: closing */
    buf sending;
    bool writing, ended;           /* ended: it sends no more */
} peer;

/* ---- a client's socket ---- */

static void on_closed(uv_handle_t *handle)
{
    peer *p = handle->data;
    buf_free(&p->sending);
    mem_free(p);
}

static void peer_close(peer *p)
{
    if (!p->client)
        return;
    hub_close(p->client);
    p->client = NULL;
    uv_close(&p->s.handle, on_closed);
}

static void peer_flush(peer *p);

static void on_written(uv_write_t *w, int status)
{
    peer *p = w->data;
    p->writing = false;
    if (!p->client)
        return;
    if (status < 0) {
        peer_close(p);
        return;
    }
    hub_sent(p->client, &p->sending);
    peer_flush(p);
}

/* Most answers fit into the socket at once; the rest of one that does not is left to libuv. */
static void peer_flush(peer *p)
{
    while (!p->writing && hub_take(p->client, &p->sending)) {
        uv_buf_t bytes = { .base = p->sending.p, .len = p->sending.n };     /* uv_buf_init takes 32 bits */
        int n = uv_try_write(&p->s.stream, &bytes, 1);
        if (n < 0 && n != UV_EAGAIN) {
            peer_close(p);
            return;
        }
        size_t sent = n > 0 ? (size_t)n : 0;
        if (sent == p->sending.n) {
            hub_sent(p->client, &p->sending);
            continue;
        }
        bytes = (uv_buf_t){ .base = p->sending.p + sent, .len = p->sending.n - sent };
        p->write.data = p;
        p->writing = true;
        if (uv_write(&p->write, &p->s.stream, &bytes, 1, on_written) < 0) {
            p->writing = false;
            peer_close(p);
            return;
        }
    }
    if (hub_is_dropped(p->client) || (!p->writing && (hub_is_over(p->client) || p->ended)))
        peer_close(p);
}

static void flush_touched(loop *l)
{
    for (hub_client *c; (c = hub_next_touched(l->h)) != NULL;)
        peer_flush(hub_owner(c));
    if (hub_is_stopped(l->h))
        uv_stop(&l->uv);
}

static void on_room(uv_handle_t *handle, size_t suggested, uv_buf_t *room)
{
    peer *p = handle->data;
    (void)suggested;
    *room = uv_buf_init(p->l->read_room, READ_BYTES);
}

static void on_read(uv_stream_t *stream, ssize_t n, const uv_buf_t *room)
{
    peer *p = stream->data;
    if (!p->client || n == 0)
        return;
    if (n > 0) {
        hub_feed(p->client, (str){ .p = room->base, .n = (size_t)n });
        return;
    }
    p->ended = true;                               /* earlier requests are still answered */
    uv_read_stop(stream);
    peer_flush(p);
}

/* ---- accepting ---- */

static void address_text(const struct sockaddr_storage *at, char *text, size_t bytes)
{
    char host[INET6_ADDRSTRLEN] = "?";
    if (at->ss_family == AF_INET6) {
        const struct sockaddr_in6 *six = (const struct sockaddr_in6 *)at;
        uv_ip6_name(six, host, sizeof host);
        snprintf(text, bytes, "[%s]:%d", host, ntohs(six->sin6_port));
    } else {
        const struct sockaddr_in *four = (const struct sockaddr_in *)at;
        uv_ip4_name(four, host, sizeof host);
        snprintf(text, bytes, "%s:%d", host, ntohs(four->sin_port));
    }
}

static void peer_addresses(peer *p, char *remote, char *local, size_t bytes)
{
    if (p->s.handle.type == UV_TCP) {
        struct sockaddr_storage at = { 0 };
        int n = sizeof at;
        uv_tcp_getpeername(&p->s.tcp, (struct sockaddr *)&at, &n);
        address_text(&at, remote, bytes);
        n = sizeof at;
        uv_tcp_getsockname(&p->s.tcp, (struct sockaddr *)&at, &n);
        address_text(&at, local, bytes);
        return;
    }
    char path[sizeof(((struct sockaddr_un *)0)->sun_path) + 1];
    size_t n = sizeof path - 1;
    if (uv_pipe_getsockname(&p->s.pipe, path, &n) < 0)
        n = 0;
    snprintf(remote, bytes, "%.*s:0", (int)n, path);
    snprintf(local, bytes, "%.*s:0", (int)n, path);
}

static void peer_start(peer *p)
{
    char remote[160], local[160];
    peer_addresses(p, remote, local, sizeof remote);
    p->client = hub_open(p->l->h, p, str_from(remote), str_from(local));
    if (!p->client) {
        static char full[] = "-ERR max number of clients reached\r\n";
        uv_buf_t bytes = uv_buf_init(full, sizeof full - 1);
        uv_try_write(&p->s.stream, &bytes, 1);
        uv_close(&p->s.handle, on_closed);
        return;
    }
    if (p->s.handle.type == UV_TCP) {
        uv_tcp_nodelay(&p->s.tcp, 1);
        uv_tcp_keepalive(&p->s.tcp, 1, KEEPALIVE_S);
    }
    uv_read_start(&p->s.stream, on_room, on_read);
}

static void on_connection(uv_stream_t *listener, int status)
{
    loop *l = listener->data;
    if (status < 0 || l->closing)
        return;
    peer *p = mem_zero(sizeof *p);
    p->l = l;
    int e = listener->type == UV_TCP ? uv_tcp_init(&l->uv, &p->s.tcp) : uv_pipe_init(&l->uv, &p->s.pipe, 0);
    if (e < 0) {
        mem_free(p);
        return;
    }
    p->s.handle.data = p;
    if (uv_accept(listener, &p->s.stream) < 0)
        uv_close(&p->s.handle, on_closed);
    else
        peer_start(p);
}

/* ---- listening ---- */

static socket_handle *new_listener(loop *l)
{
    return l->listener_count < LISTENERS_MAX ? &l->listeners[l->listener_count++] : NULL;
}

static bool no_listening(err *e, int error, const char *where)
{
    err_set(e, ERR_USAGE, "cannot listen on %s: %s", where, uv_strerror(error));
    if (error == UV_EADDRINUSE)
        return err_hint(e, "another program listens there: stop it, or give another --port (0 takes any that is free) "
                        "or --unix");
    if (error == UV_EACCES)
        return err_hint(e, "ports below 1024 and other people's folders need a privilege: give another --port or "
                        "--unix");
    if (error == UV_EADDRNOTAVAIL)
        return err_hint(e, "--bind takes an address of this machine; 0.0.0.0 means all of them");
    return err_hint(e, "give another --port, --bind or --unix");
}

bool loop_listen_tcp(loop *l, const char *address, int port, int *port_out, err *e)
{
    struct sockaddr_storage at = { 0 };
    if (strcmp(address, "localhost") == 0)
        address = "127.0.0.1";
    if (uv_ip4_addr(address, port, (struct sockaddr_in *)&at) < 0 &&
        uv_ip6_addr(address, port, (struct sockaddr_in6 *)&at) < 0) {
        err_set(e, ERR_USAGE, "--bind %s: this is no address", address);
        return err_hint(e, "such as 127.0.0.1, ::1, or 0.0.0.0 for every network of this machine");
    }
    socket_handle *s = new_listener(l);
    uv_tcp_init(&l->uv, &s->tcp);
    s->handle.data = l;
    int error = uv_tcp_bind(&s->tcp, (const struct sockaddr *)&at, 0);
    if (error == 0)
        error = uv_listen(&s->stream, BACKLOG, on_connection);
    char where[80];
    address_text(&at, where, sizeof where);
    if (error < 0)
        return no_listening(e, error, where);
    int n = sizeof at;
    uv_tcp_getsockname(&s->tcp, (struct sockaddr *)&at, &n);
    *port_out = ntohs(at.ss_family == AF_INET6 ? ((struct sockaddr_in6 *)&at)->sin6_port
                      : ((struct sockaddr_in *)&at)->sin_port);
    return true;
}

bool loop_listen_unix(loop *l, const char *path, err *e)
{
    size_t longest = sizeof(((struct sockaddr_un *)0)->sun_path) - 1;
    if (strlen(path) > longest || !*path) {
        err_set(e, ERR_USAGE, "--unix %s: the path of a socket has 1 to %zu bytes", path, longest);
        return err_hint(e, "a shorter path, or one that begins at the current folder");
    }
    socket_handle *s = new_listener(l);
    uv_pipe_init(&l->uv, &s->pipe, 0);
    s->handle.data = l;
    int error = uv_pipe_bind(&s->pipe, path);
    if (error == 0)
        error = uv_listen(&s->stream, BACKLOG, on_connection);
    return error < 0 ? no_listening(e, error, path) : true;
}

/* ---- turning ---- */

static void on_timer(uv_timer_t *t)
{
    loop *l = t->data;
    hub_tick(l->h);
}

static void on_prepare(uv_prepare_t *p)
{
    loop *l = p->data;
    flush_touched(l);
    int64_t wait_ms = hub_wait_ms(l->h);
    if (wait_ms >= 0)
        uv_timer_start(&l->timer, on_timer, (uint64_t)wait_ms, 0);
}

static void on_check(uv_check_t *c) { flush_touched(c->data); }

static void on_signal(uv_signal_t *s, int number)
{
    (void)number;
    uv_stop(s->loop);
}

loop *loop_new(hub *h)
{
    loop *l = mem_zero(sizeof *l);
    l->h = h;
    l->read_room = mem_alloc(READ_BYTES);
    uv_loop_init(&l->uv);
    uv_prepare_init(&l->uv, &l->before_poll);
    uv_check_init(&l->uv, &l->after_poll);
    uv_timer_init(&l->uv, &l->timer);
    l->before_poll.data = l->after_poll.data = l->timer.data = l;
    for (size_t i = 0; i < COUNT(l->signals); i++) {
        uv_signal_init(&l->uv, &l->signals[i]);
        uv_signal_start(&l->signals[i], on_signal, end_signals[i]);
    }
    return l;
}

void loop_run(loop *l)
{
    uv_prepare_start(&l->before_poll, on_prepare);
    uv_check_start(&l->after_poll, on_check);
    uv_run(&l->uv, UV_RUN_DEFAULT);
}

static void close_one(uv_handle_t *handle, void *context)
{
    loop *l = context;
    if (uv_is_closing(handle))
        return;
    if (handle->data && handle->data != l && (handle->type == UV_TCP || handle->type == UV_NAMED_PIPE))
        peer_close(handle->data);
    else
        uv_close(handle, NULL);
}

void loop_free(loop *l)
{
    if (!l)
        return;
    /* `timeout` and a terminal may send a signal twice: the second must not kill a server that is ending. */
    sigset_t ends;
    sigemptyset(&ends);
    for (size_t i = 0; i < COUNT(end_signals); i++)
        sigaddset(&ends, end_signals[i]);
    pthread_sigmask(SIG_BLOCK, &ends, NULL);
    l->closing = true;
    uv_walk(&l->uv, close_one, l);
    while (uv_run(&l->uv, UV_RUN_DEFAULT))
        ;
    uv_loop_close(&l->uv);
    mem_free(l->read_room);
    mem_free(l);
}
