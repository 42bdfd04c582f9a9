/* account.h - what happened in a driven run, told twice: as the model's events, which judge it, and as a story for
 * people.
 *
 * What a program says of itself by lines counts as belief: from when it wants to print `enter` to when its `leave`
 * is let go on, so that a program that releases after `leave` is never accused. One that was paused, or had
 * its clock set, since then, or since it sent its last request before `enter`, is passed over unless `strict`: no lease
 * can keep others out meanwhile.
 * Without a lock's table, a lock's key is one that was made by SET NX or SETNX. */
#ifndef LOCKSIM_DRIVE_ACCOUNT_H
#define LOCKSIM_DRIVE_ACCOUNT_H

#include "drive/holdings.h"
#include "model/model.h"
#include "redis/redis.h"
#include "world/story.h"

typedef struct {
    const str *clients;
    size_t client_count;
    bool strict;
    bool record;           /* write the story */
    uint32_t settled;      /* properties that are not judged, a bit each */
    const lock_table *table;           /* how locks are read by the server's account; NULL: SET NX, SETNX take them */
    redis *const *servers; /* looked at for what changed; borrowed */
    size_t server_count;
} account_setup;

typedef struct account account;
account *account_new(const account_setup *setup, int64_t now_ms);
void account_free(account *a);

/* A step begins: its name, whose it is (NOBODY: time and the server), and when. */
void account_begin(account *a, str token, uint32_t client, int64_t now_ms);
void account_did(account *a, str did);
void account_note(account *a, str note);           /* one line more; between steps it belongs to the last one */
/* It ends: the servers are looked at for what changed, and the model judges. */
void account_end(account *a);

/* ---- the events of a step ---- */

typedef struct {
    uint32_t client, server, number;
    const str *argv;
    size_t argc;
} account_request;

void account_sent(account *a, const account_request *q);
/* `bytes`: what the server answered, as it was sent; empty: nothing, it waits (BLPOP), or no client hears it. */
typedef enum { RAN_ITSELF, RAN_COPY, RAN_LATE } ran_how;       /* but for the first, no client hears */
void account_executed(account *a, const account_request *q, str bytes, ran_how how);
void account_answered(account *a, uint32_t client, uint32_t request, str bytes);
/* "enter", "enter NAME", "leave", "token 17" of the client's thread `who` (1: the first that printed one). */
void account_line_comes(account *a, uint32_t client, uint32_t who, str line);
void account_line_goes(account *a, uint32_t client, uint32_t who, str line);
/* EVENT_CRASHED, RESTARTED, PAUSED, RESUMED, ENDED */
void account_life(account *a, event_kind kind, uint32_t client);
/* NOBODY, 0: none. Of a loss or a copy, `request` is the one that it strikes. */
void account_fault(account *a, str name, uint32_t client, uint32_t server, uint32_t request);
/* Nothing can happen any more, and the programs whose `waits` is true are still there. That is judged only of those
 * that were refused a lock and did not get it since: others may wait for work, or for a program that is no part of the
 * run. */
void account_rest(account *a, const bool *waits);
void account_busy(account *a, uint32_t client, str request);

/* ---- what came of it ---- */

const story *account_story(const account *a);
/* A hash of the steps' names and effects so far: equal for equal runs. */
uint64_t account_print(const account *a);
/* How long from now until the last of the keys that the client made has expired; 0: it made none with a TTL. */
int64_t account_lease_left_ms(const account *a, uint32_t client);
/* between enter and leave, or the maker of a key that expires */
bool account_inside(const account *a, uint32_t client);
/* how often a client entered, or got OK for SET NX or 1 for SETNX */
uint64_t account_grants(const account *a);
bool account_entered(const account *a);            /* some client printed `enter` */
/* Is it judged, without a lock's table or with one? */
bool account_judges(property p, bool table);
const violation *account_violation(const account *a, property p);
str account_problem(const account *a);             /* why a table's view failed; empty: it did not */

#endif
