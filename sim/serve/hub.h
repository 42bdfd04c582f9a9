/* hub.h - the clients of one server: bytes of each go in, bytes for each come out. It knows nothing of sockets or
 * files.
 *
 * A layer of its own, on redis: base <- redis <- serve <- cli. request.h reads what clients send, hub.h runs it and
 * holds the answers, loop.h (libuv) moves the bytes; the caller provides the clock and the sockets. Times are
 * milliseconds since 1970. */
#ifndef LOCKSIM_SERVE_HUB_H
#define LOCKSIM_SERVE_HUB_H

#include "redis/redis.h"

enum {
    HUB_CLIENTS_MAX = 10000,               /* maxclients */
    HUB_OUT_BYTES_PAUSE = 1 << 20,         /* a client with more unread answers than this waits with its next request */
    HUB_IN_BYTES_MAX = 1 << 30,            /* of a request that is incomplete: client-query-buffer-limit; more, and it
                                            * is dropped */
    HUB_WAITING_BYTES_MAX = 64 << 20,      /* of requests behind answers that it does not read; more, and it is
                                            * dropped */
    HUB_PUSH_BYTES_MAX = 32 << 20,         /* a subscriber with more unread messages is dropped:
                                            * client-output-buffer-limit pubsub */
};

typedef struct {
    int64_t at_ms;
    str address;                           /* of its client */
    int db;
    const str *argv;
    size_t argc;
    const reply *answer;
} hub_request;

typedef struct {
    void *context;
    int64_t (*now_ms)(void *context);      /* the real clock, or NULL: a clock that stands still until it is moved */
    /* Milliseconds of a clock that cannot be set, for scripts that run long: then other clients are answered (BUSY)
     * meanwhile, and the script may run without end. NULL: it ends by a budget. */
    int64_t (*ran_ms)(void *context);
    void (*sleep)(void *context, int64_t sleep_us);    /* DEBUG SLEEP on the real clock; NULL: it does not sleep */
    int64_t start_ms;                      /* of a clock that stands still */
    int64_t process_id;                    /* what INFO says */
    dialect dialect;                       /* which server it is; default redis 7.0 */
    bool faults;                           /* FAULT is a command (fault.h) */
    const char *unix_path;                 /* what CONFIG GET says; NULL: none. Borrowed for the hub's life */
    /* Called for each request after its execution, in order; may be NULL. answer NULL: it waits for one (BLPOP). All is
     * borrowed. */
    void (*executed)(void *context, const hub_request *q);
} hub_host;

typedef struct hub hub;
typedef struct hub_client hub_client;

hub *hub_new(const hub_host *h);
void hub_set_port(hub *h, int port);       /* what INFO says from now on; 0 at first: none */
void hub_free(hub *h);                     /* its clients, too */
/* Its server, for the driver of the clients: to be looked at and struck by faults, not to be observed, which the hub
 * does. */
redis *hub_redis(const hub *h);

/* A client came; `owner` is the caller's. Addresses are what CLIENT LIST shows. NULL: there are HUB_CLIENTS_MAX. */
hub_client *hub_open(hub *h, void *owner, str address, str local);
void hub_close(hub_client *c);             /* the connection is gone, or its output is sent */
void *hub_owner(const hub_client *c);

/* Bytes from the client: every complete request is run, at the clock's time. An incomplete one is kept. */
void hub_feed(hub_client *c, str bytes);

/* One client after the other that has something to be done: bytes to send, or it is over. NULL: no more. */
hub_client *hub_next_touched(hub *h);
/* Swaps the output into `to`, which must be empty; false if there is none, or the earlier output is still being
 * sent. */
bool hub_take(hub_client *c, buf *to);
/* The output was sent. Requests that waited for this are run. The memory of `sent` is reused. */
void hub_sent(hub_client *c, buf *sent);
/* It quit, broke the protocol, was killed or dropped: close it when everything taken is sent. */
bool hub_is_over(const hub_client *c);
/* It must be closed at once; unread output is lost. */
bool hub_is_dropped(const hub_client *c);

/* SHUTDOWN was executed. */
bool hub_is_stopped(const hub *h);
/* A script runs long: it goes on in hub_tick. */
bool hub_is_busy(const hub *h);
/* In how many milliseconds hub_tick must be called; -1: only after the next request. */
int64_t hub_wait_ms(const hub *h);
/* Time has passed: waits end, expired keys are removed; a script that runs long goes on for some milliseconds. */
void hub_tick(hub *h);

#endif
