/* conform_internal.h - the search for a behaviour from within. Only conform*.c include this file. conform.c has the log
 * and the driver's program, conform_driver.c the driver's world (an input goes in, requests come out), conform_search.c
 * the inputs that may come next and the way through them, conform_tell.c what is told of a request that has none. */
#ifndef LOCKSIM_TRACE_CONFORM_INTERNAL_H
#define LOCKSIM_TRACE_CONFORM_INTERNAL_H

#include <uthash.h>
#include <xxhash.h>

#include "client/process.h"
#include "redis/redis.h"
#include "trace/conform.h"

/* A timer may fire EARLY_MS early, by the rounding of clocks. Within INPUTS_MAX inputs a driver sends something. A
 * request in progress is searched AHEAD_MAX requests ahead in the log. */
enum { EARLY_MS = 2, INPUTS_MAX = 60, AHEAD_MAX = 4, LOST_MAX = 2, TRIES_MAX = 20000, WOULD_MAX = 3, OUT_MAX = 32 };

#define ANY_SCRIPT SIZE_MAX

typedef struct {
    size_t line;
    int64_t at_ms;
    str *argv;
    size_t argc, shape;    /* 0: none of the driver's, but maybe one of its scripts; ANY_SCRIPT: a script of another
                            * text, which may be one of its */
    deed_kind deed;        /* as the server's account shows it */
    str sha;
    claim claim;
    str token;             /* the word that names its owner; "": none does */
    reply answer;
} heard;

typedef struct {
    UT_hash_handle hh;
    str id, lock, owner;
    int db;
    heard *list;
    size_t count, cap;
    bool begun;
} sequence;

typedef struct {
    int64_t at_ms;
    str channel, payload;
} published;

typedef enum { INPUT_RUN, INPUT_CHOOSE, INPUT_ANSWER, INPUT_MESSAGE, INPUT_LOST } input_kind;
typedef struct {
    input_kind kind;
    uint32_t what;         /* task, request or message */
    size_t choice;         /* of INPUT_CHOOSE; of INPUT_ANSWER the request of the log */
    int64_t at_ms;
} input;

/* After that many inputs: the other possible next ones. */
typedef struct {
    input *others;
    size_t count, next;
} fork_point;

/* A request that is on its way. */
typedef struct {
    uint32_t id;
    int64_t sent_ms, timeout_ms;
    claim claim;
    size_t shape;
    str token;
    str sha;               /* "": a command */
    str text;
} on_way;

/* A state with a choice that was met before: nothing new follows. */
typedef struct met_state {
    UT_hash_handle hh;
    XXH128_hash_t print;
} met_state;

struct conform {
    const family *driver;
    arena *memory, *scratch;
    sequence *sequences;
    published *published;
    size_t published_count, published_cap;
    conform_counts counts;
    /* of the one that is being looked at */
    const sequence *s;
    scenario *sc;
    process *p;
    redis *server;         /* for requests about no lock */
    arena *outputs_memory;
    outputs out;
    on_way way[OUT_MAX];
    size_t way_count, at, quiet, lost;
    size_t message_next;   /* of `published` */
    str channels[8];
    size_t channel_count;
    int64_t now_ms;
    str token;             /* its word for the owner of the log's first request */
    bool idle;             /* since the last call it has sent nothing */
    bool dead;             /* it sent something that the log does not have */
    input *path;
    size_t path_count, path_cap;
    fork_point *forks;
    size_t fork_cap;
    met_state *met;
    size_t best;           /* how many of the log's requests were explained */
    str would[WOULD_MAX];
    size_t would_count;
    int64_t would_wait_ms; /* until then it would have sent nothing; 0: unknown */
    str unknown;           /* what it asks for and the log does not contain */
    uint64_t tries;
};

/* conform.c: the word that names the owner; the view may name it by a part, in which two acquisitions differ. */
str conform_token(const family *f, const str *argv, size_t argc, str owner);

/* ---- conform_driver.c ---- */

/* A new process, to which nothing has happened. */
void conform_begin(conform *c);
/* Gives the input to the driver, and sends its requests. false: the driver failed. */
bool conform_apply(conform *c, const input *x, err *e);
/* Can this request of the driver's be that one of the log's? */
bool conform_matches(const conform *c, const on_way *w, const heard *h);
/* What it would have sent, at the farthest point that it reached. */
void conform_note(conform *c, str text);

/* ---- conform_search.c ---- */

/* Are all of the log's requests a behaviour? `best` says how many are; `tries` is UINT64_MAX where the limit came
 * first. */
bool conform_search(conform *c, err *e);

/* ---- conform_tell.c ---- */

/* The words of a request, shortened: "SET lock token PX 3000 ...". */
void conform_add_words(buf *out, const str *argv, size_t argc, size_t from);
void conform_tell(conform *c, void (*found)(void *context, const finding *f), void *context, int64_t begin_us);

#endif
