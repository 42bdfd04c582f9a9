/* recording.h - what one server of one run executed, as a list, and that list again on the real server and on a fresh
 * simulated one. */
#ifndef LOCKSIM_TESTS_RECORDING_H
#define LOCKSIM_TESTS_RECORDING_H

#include "real.h"
#include "world/world.h"

typedef enum {
    HAPPENED_REQUEST,
    /* that the real server can be made to suffer, too */
    HAPPENED_WIPE, HAPPENED_EVICT, HAPPENED_SCRIPT_FLUSH, HAPPENED_FAILOVER,
    HAPPENED_CRASH,        /* of a process: its subscriptions are gone */
} happened_kind;

typedef struct {
    happened_kind kind;
    uint32_t process;
    int64_t at_ms;         /* HAPPENED_REQUEST */
    const str *argv;       /* HAPPENED_EVICT: argv[0] is the key */
    size_t argc;
    size_t kept;           /* HAPPENED_FAILOVER: the promoted replica has what came before list[kept], and nothing of
                            * what came after */
    str answer;            /* as RESP2 bytes */
    size_t body;           /* of an EVALSHA: 1 + position in `bodies`, else 0 */
} happened;

/* Plain data; the strings live in `memory`. */
typedef struct {
    arena *memory;
    happened *list;
    size_t count, cap;
    str *bodies;           /* of scripts, each once */
    size_t body_count, body_cap;
} recording;

recording recording_new(void);
void recording_free(recording *r);
void recording_clear(recording *r);    /* keeps the memory for the next run */
/* Copies what it is given. */
void recording_request(recording *r, const world_executed *x);
void recording_fault(recording *r, const world_suffered *x);
void recording_crash(recording *r, uint32_t process);
/* The same bytes for the same list: for telling runs apart. */
void recording_bytes(const recording *r, buf *out);

/* Sums over all replays. */
typedef struct {
    uint64_t requests;     /* replies compared */
    uint64_t keyspaces;    /* keyspaces compared: before each move of the clock, and at the end */
    uint64_t messages;     /* pub/sub messages compared */
    uint64_t failovers;    /* after which the real server was given back what the promoted replica had */
    uint64_t waits;        /* WAITs that replicas answered, left out: the real server has none */
    uint64_t cuts;         /* runs that were compared up to a command which has no likeness on one real server */
} replay_counts;

/* Does everything again on the real server, emptied first, at the same instants, and on a fresh simulated server;
 * compares replies, messages and keyspaces. false at the first difference: `difference` then says which, with the
 * commands to paste. */
bool recording_replay(const recording *r, real *server, replay_counts *counts, buf *difference);

#endif
