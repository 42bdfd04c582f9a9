/* toy.h - a toy of a lock server and three clients, in C: random histories of a lock that is right, or wrong in one
 * known way. It takes one choice after another, from any source of numbers, and tells a model what happens. */
#ifndef LOCKSIM_TESTS_UNIT_TOY_H
#define LOCKSIM_TESTS_UNIT_TOY_H

#include "base/buf.h"
#include "model/model.h"

enum { TOY_CLIENTS = 3, TOY_LEASE_MS = 30, TOY_REQUESTS_MAX = 12 };

/* What is wrong with the lock. */
typedef enum {
    TOY_RIGHT,
    TOY_GRANTS_ANYBODY,    /* acquire overwrites the holder */
    TOY_RELEASES_ANYBODY,  /* release does not look whose it is */
    TOY_RENEWS_ANYBODY,
    TOY_FORGETS_TTL,       /* the first acquire sets none */
    TOY_SHORT_RE_ENTRY,    /* a nested acquire shortens the TTL */
    TOY_FREES_AT_ONCE,     /* a release frees the lock whatever the count is */
    TOY_REFUSES_OWNER,
    TOY_CLAIMS_RELEASE,    /* says released where nothing was held */
    TOY_CLAIMS_GRANT,      /* says granted where it refused */
    TOY_BARGES,            /* a fair lock that serves the first to come */
    TOY_NO_WATCHDOG,       /* nobody renews a hold without a lease */
    TOY_WRONGS,
} toy_wrong;

typedef struct {
    spec_kind spec;
    bool leased;           /* grants have a lease; else they are renewed until released */
    bool faults;           /* crash, pause, lost and late requests, lost answers, duplicates */
    bool evicts;
    toy_wrong wrong;
} toy_rules;

typedef struct {
    uint32_t number;       /* 0: free slot */
    int client, op, runs;  /* executions to come */
    bool executed, orphan, late;
    int said;              /* the reply */
    int64_t count, seq;
} toy_request;

typedef struct {
    toy_rules rules;
    model *m;
    void (*also)(void *context, const event *e);   /* told of every event, too; NULL: nobody is */
    void *context;
    int64_t at_ms;         /* since the run's beginning */
    uint32_t number;
    int64_t seq;
    toy_request requests[TOY_REQUESTS_MAX];
    struct { bool crashed, paused, ended, waiting; int beliefs, rounds; int64_t renew_ms; } client[TOY_CLIENTS];
    /* owner -1: free */
    struct { int owner; int64_t count, deadline_ms; bool ttl; int queue[TOY_CLIENTS]; int queued; } store;
    int fault_budget;
} toy;

/* Tells `m` of the lock "L". `start_ms` shifts the whole history in time. */
void toy_begin(toy *t, toy_rules rules, model *m, int64_t start_ms);
/* Makes one of the things happen that can. false: nothing can. */
bool toy_step(toy *t, uint64_t choice);
/* All of its state but request numbers, relative to now. */
void toy_freeze(const toy *t, buf *out);
model *toy_model(const model_config *c);
/* For model_names: the place among the process's requests that are under way; `context` is the toy. */
uint32_t toy_request_name(void *context, uint32_t process, uint32_t number);

#endif
