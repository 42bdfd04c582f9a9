/* hub_internal.h - shared by the parts of the hub: hub.c has its clients, their bytes and the time, hub_execute.c one
 * request, hub_hear.c what the server sends by itself. */
#ifndef LOCKSIM_SERVE_HUB_INTERNAL_H
#define LOCKSIM_SERVE_HUB_INTERNAL_H

#include <uthash.h>

#include "base/fiber.h"
#include "serve/fault.h"
#include "serve/hub.h"
#include "serve/request.h"

enum { HUB_KEPT_BYTES_MAX = 64 << 10 };    /* of the arena, and of requests, when they are empty: more is given back */

/* A request that is being executed. It is suspended where a script in it runs long: others are served meanwhile. */
typedef struct {
    hub_client *client;
    const str *argv;
    size_t argc, before;           /* bytes of answers that its client had before it */
    int db;
    int64_t now_ms;
    int64_t began_ms, slice_ms;    /* by host.ran_ms: the request, and what runs of it now */
    reply answer;
} hub_job;

struct hub {
    redis *server;
    hub_host host;
    int64_t now_ms;                /* of a clock that stands still */
    int64_t since_ms;              /* it began */
    int64_t reap_ms;               /* when expired keys are looked for next */
    bool moved, stopped;
    uint32_t last_id;
    hub_client *clients;           /* by id */
    hub_client *touched, *touched_last;
    arena *answer;                 /* of one command */
    arena *aside;                  /* the same of one that is answered while a script stands */
    fiber *scripts;                /* they run on it if they may run long */
    hub_job now;                       /* executed or suspended: fiber_stands(scripts) */
    uint32_t *postponed;           /* clients whose request waits for the end of a pause, in the order of coming */
    size_t postponed_n, postponed_cap;
    bool raw_quotes;               /* RULE_MONITOR_RAW */
    fault_list faults;
    bool answers_first, empty_is_nothing;          /* RULE_ANSWER_FIRST, RULE_EMPTY_IS_NOTHING */
};

/* What a client sent itself within EXEC: the bytes up to `end`, before the answer of this number. */
typedef struct {
    size_t item, end;
} told_mark;

struct hub_client {
    hub *home;
    void *owner;
    redis_conn *conn;
    uint32_t id;
    request_reader *reader;
    buf address;
    buf in;                        /* requests that wait, and the beginning of one */
    size_t in_used;                /* of them, done with */
    buf out;
    size_t sending;                /* taken and on its way */
    buf told;
    buf after;                     /* of the command that it runs itself: MONITOR's line, and which keys changed */
    told_mark *marks;
    size_t mark_count, mark_cap;
    bool answered;                 /* its wait is over: the requests sent meanwhile are still to be run */
    bool over, dropped, listed, busy;
    bool muted;                    /* an answer of its was lost: it hears and says nothing any more */
    bool runs;                     /* a command of its own is being executed, or stands */
    bool postponed;                /* its next request waits for the end of a pause */
    bool gone;                     /* it was closed while its script stood: forgotten when that ends */
    hub_client *next_touched;
    UT_hash_handle hh;
};

int64_t hub_now_ms(const hub *h);
/* NULL: it is closed. */
hub_client *hub_client_find(const hub *h, uint32_t id);
/* It has something to be done: hub_next_touched gives it. */
void hub_touch(hub_client *c);
/* Does a script that runs long stand? */
bool hub_stands(const hub *h);

/* Executes a request and answers it in c->out. Where its script runs long it returns while that stands; hub_finish
 * answers when the script has ended. */
void hub_run(hub_client *c, const request *q);
void hub_finish(hub *h);
/* Called by the server from within a script (redis_host); its context is the hub. */
void hub_script_runs(void *context);
/* Called by the server with messages, awaited elements, and commands for MONITOR. */
redis_observer hub_hears(hub *h);

#endif
