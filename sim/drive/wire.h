/* wire.h - the connections of driven clients: what they sent waits here, request by request, until it is executed at
 * its server (a hub of serve's, on virtual time), and what the server says waits until it is delivered. Nothing moves
 * by itself. */
#ifndef LOCKSIM_DRIVE_WIRE_H
#define LOCKSIM_DRIVE_WIRE_H

#include "base/arena.h"
#include "base/buf.h"
#include "serve/hub.h"

/* Bytes for a client that are delivered together: an answer, or a message without a request. */
typedef struct {
    buf bytes;
    bool answer;
    uint32_t request;      /* whose answer */
    int64_t since_ms;      /* when it was said */
} parcel;

/* Scripts that a server knows from the start, as if they had been used before. */
typedef struct {
    arena *a;
    str *texts;
    size_t count, cap;
    bool learning;         /* what clients give a server is added */
} wire_scripts;

/* What was sent on a link and not yet executed. Its words live in the wire's memory. */
typedef struct {
    str *argv;
    size_t argc, bytes;    /* how many bytes of the link's input it is */
    uint32_t number;       /* in the run */
    int64_t since_ms;      /* when it came */
    bool told;             /* the caller's: it took note of it */
} wire_request;

/* What a server's replica has that did not get the last write. */
typedef struct {
    buf frozen;            /* redis_freeze, before that write; empty: there was none */
    int64_t at_ms;
} wire_replica;

typedef struct wire wire;
typedef struct {
    wire *home;
    uint32_t client;
    uint32_t server;       /* the place of its port in the setup */
    uint32_t number;       /* 1, 2, ...: of this client, in the order of its connections */
    uint32_t from_pid;     /* as the kernel knows it */
    int fd;
    hub_client *hub;
    struct request_reader *reader;                 /* serve/request.h, whose names stay private */
    buf in;                /* from the first request on that was not executed */
    wire_request *sent;    /* those, the oldest first: they are executed in this order */
    size_t sent_count, sent_cap;
    size_t seen;           /* bytes of `in` that are parsed, including empty requests after them */
    bool broken;           /* after a malformed request nothing more is read */
    parcel *out;           /* to be delivered, the oldest first */
    size_t out_count, out_cap;
    bool awaits;           /* its last request was executed, and is answered later (BLPOP) */
    bool closed;           /* by the client, or cut: nothing comes or goes any more */
    bool silent;           /* so far as the client sees it is open, but nothing that is sent arrives */
    uint32_t awaited;      /* the request that is answered later */
} wire_link;

struct wire {
    hub **hubs;
    redis **servers;       /* of the hubs: those that `ports` lead to */
    wire_replica *replicas;            /* one of each server; NULL: there are none */
    const uint16_t *ports;
    size_t server_count;
    arena *memory;
    int64_t now_ms;
    wire_link **links;          /* closed ones too, until the run ends */
    size_t count, cap;
    uint32_t requests;     /* in the run so far */
    uint32_t *of_client;   /* how many connections each had */
    size_t clients;
    wire_scripts *scripts; /* NULL: none */
};

typedef struct {
    size_t clients;
    const uint16_t *ports; /* one server each; borrowed */
    size_t port_count;
    int64_t now_ms;
    wire_scripts *scripts; /* may be NULL, and is the caller's */
    bool replicas;         /* each server has one: WAIT answers 1 */
} wire_setup;
wire *wire_new(const wire_setup *setup);
void wire_scripts_free(wire_scripts *s);
void wire_free(wire *w);
uint64_t wire_writes(const wire *w);                    /* at all servers */
void wire_set_now(wire *w, int64_t now_ms);        /* time passes: waits at the server may end */

/* ---- at a rest ---- */

/* Takes the connections that wait at the client's door. */
void wire_accept(wire *w, uint32_t client, int door);
/* Reads what clients have sent. A closed connection is closed here, too, which may let its client go on: then `woken`
 * is called, and it returns true. */
bool wire_read(wire *w, void (*woken)(void *context, uint32_t client), void *context);
/* A request about no lock: naming the client, asking about the server. It is no choice. */
bool wire_is_handshake(const wire_request *q);

/* ---- what happens ---- */

/* Executes the first request; the server's output for any client is in the links' parcels afterwards. The answer's
 * bytes, in `a`; empty while it waits. */
str wire_execute(wire_link *l, arena *a);
/* Executes the same request again; its answer, in `a`, is not delivered. */
str wire_execute_copy(wire_link *l, arena *a);
/* Drops the first request. */
void wire_drop_request(wire_link *l);
void wire_deliver(wire_link *l);                        /* the oldest parcel */
void wire_drop_parcel(wire_link *l);
void wire_cut(wire_link *l);                            /* the client sees the connection end */
void wire_silence(wire_link *l);                        /* the client sees nothing, and hears nothing any more */
/* Can the server's replica be without the last write? Not if there was none, or WAIT has been answered since. */
bool wire_misses_write(const wire *w, uint32_t server);
/* The server's replica takes its place, without the last write if it `misses` it. It knows no script (Redis replicates
 * what they did), and all connections are cut: their clients are told by `cut`. */
void wire_fail_over(wire *w, uint32_t server, bool misses, void (*cut)(void *context, uint32_t client), void *context);
/* Drops all connections of a client, with their contents. */
void wire_forget_client(wire *w, uint32_t client);
/* The answer in these bytes on one line, as in redis-cli. */
str wire_told(arena *a, str bytes);
/* The same in full, as in lists of requests (reply_print_short). */
str wire_answer(arena *a, str bytes);
/* A request that comes by no link: its answer's bytes, in `a`; empty: there is none. What the server says to others
 * becomes parcels. */
str wire_execute_stray(wire *w, uint32_t server, str bytes, arena *a);
int64_t wire_next_ms(wire *w);    /* when something at the server ends by itself; INT64_MAX: nothing does */

#endif
