/* holdings.h - locks by the server's account: a table says which requests acquire, renew and release, and who holds. It
 * makes the model's events, which judge what happened (LK001, LK003, LK031). Owners are reported by the names of their
 * clients. */
#ifndef LOCKSIM_DRIVE_HOLDINGS_H
#define LOCKSIM_DRIVE_HOLDINGS_H

#include "client/process.h"
#include "model/model.h"
#include "redis/redis.h"

/* A request's meaning for one lock. */
typedef struct {
    str op;                /* the model's word: "acquire", "release_read" */
    str lock, owner;       /* owner: "" where it does not say */
    int64_t lease_ms;      /* LEASE_NONE: none, or it does not say */
    bool acquires;
} lock_claim;

/* How a kind of lock is read; the caller's. */
typedef struct {
    void *context;
    spec_kind spec;
    /* `sha`: of the script that the words run, else "". Texts are borrowed. */
    size_t (*match)(void *context, const str *argv, size_t argc, str sha, lock_claim *out, size_t most);
    bool (*view)(void *context, str lock, int64_t now_ms, view_read *read, void *read_context, arena *a, lock_view *out,
                 err *e);
} lock_table;

typedef struct holdings holdings;
/* All of it must outlive the holdings. */
typedef struct {
    const lock_table *table;
    const str *clients;
    size_t client_count;
    uint32_t settled;      /* properties that are not judged, a bit each */
    redis *const *servers; /* one name at two of them is two locks */
    size_t server_count;
} holdings_setup;
holdings *holdings_new(const holdings_setup *setup);
void holdings_free(holdings *l);
/* Is this judged where there is a table? */
bool holdings_judge(property p);

/* A server has executed this for the client. */
typedef struct {
    uint32_t server, client;
    const str *argv;
    size_t argc;
} holdings_request;
void holdings_executed(holdings *l, const holdings_request *q, int64_t now_ms, str answer);
/* No request did anything, but time has passed, or a fault (`cause`, its name) has struck a server. */
void holdings_look(holdings *l, int64_t now_ms, str cause);
void holdings_life(holdings *l, event_kind kind, uint32_t client, int64_t now_ms);

const violation *holdings_violation(const holdings *l, property p);
/* The holders without an end, when nothing can happen any more: a sentence in `a`; or empty. */
str holdings_left(holdings *l, arena *a);
/* For how long the client still holds by the server's account; INT64_MAX: without end; 0: it holds nothing. */
int64_t holdings_left_ms(const holdings *l, uint32_t client, int64_t now_ms);
uint64_t holdings_grants(const holdings *l);
/* Why the driver's view failed; empty: it did not. */
str holdings_problem(const holdings *l);

#endif
