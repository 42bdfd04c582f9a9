/* against_internal.h - following a run from within. Only against*.c include this file. */
#ifndef LOCKSIM_DRIVE_AGAINST_INTERNAL_H
#define LOCKSIM_DRIVE_AGAINST_INTERNAL_H

#include "drive/against.h"
#include "world/world.h"

enum { STEPS_MAX = 20000, WAYS_MAX = 2000, LATER_STEPS_MAX = 400, ROWS_BEFORE = 8, NONE = 0 };

/* The choices of a client's driver, in order. */
typedef struct { size_t taken, of; } pick;
typedef struct {
    pick *at;
    size_t count, cap, asked;          /* asked: in this run so far */
} picks_of;

typedef struct {
    arena *a;              /* of this way of the driver */
    const against *with;
    const story *real;
    const str *clients;
    size_t client_count;
    const uint32_t *nodes; /* of each client: its place in the scenario */
    world *w;
    against_pairs words, scripts;
    size_t *ours;          /* of each of the program's requests: the driver's, its place and 1; NONE */
    bool *left_out;        /* of the program's requests: not compared */
    bool *gone;            /* of the same: lost, or of a client that crashed */
    bool *passed;          /* of the driver's requests, by place: not compared */
    size_t passed_cap;
    size_t *put_off;       /* of each client: the request and 1 whose answer the driver has later; NONE */
    bool enough;           /* from here on the two cannot be compared */
    bool doubtful;         /* a program was paused in a line, and its driver prints none: what differs from here on may
                            * be due to that */
    size_t steps, alike;   /* taken; requests that were compared and are alike */
    picks_of *picks;       /* of each of the scenario's clients, across ways */
    err *problem;
    /* the difference, once there is one */
    bool differs;
    const story_request *theirs, *instead;
    str reason;
    uint32_t whose;        /* the scenario's client that does something else */
    size_t asked;          /* how many choices it had made until then */
} follower;

/* ---- against_match.c ---- */

const story_request *follow_find_ours(const follower *f, uint32_t node, uint32_t number, uint32_t copy, size_t *place);
bool follow_runs_script(const story_request *r);
/* The server did not know the script: the request is repeated with the text, or after loading it. */
bool follow_is_unknown_script(const story_request *r);
/* Lines of belief are no requests of the lock's; nor is it one that a server learns a script. */
bool follow_counts(const story_request *r);
/* The driver has not sent it yet, and should. */
bool follow_is_open(const follower *f, size_t r);
bool follow_take(follower *f, const step *s);
/* One of the tasks whose time is up; the first of them is at `first`. */
const step *follow_due_task(follower *f, const step *steps, size_t count, size_t first);
/* Which of `of` options the client's driver takes in this run. */
size_t follow_pick(follower *f, uint32_t node, size_t of);
/* What the driver's code does by itself: it runs, chooses, gives up. `held`: only steps that hold time. NULL: none. */
const step *follow_local_step(follower *f, uint32_t node, bool held);
/* A request of it to be executed that is not handled yet. NULL: none. */
const story_request *follow_pending(follower *f, uint32_t node, const step **how, const story_request *like);
/* Of the driver's request at this place. NULL: it cannot happen now. */
const step *follow_step_of(follower *f, size_t place, step_kind one, step_kind other);
/* It is not compared: executes it, if it was not executed, and answers it. */
bool follow_see_to(follower *f, size_t place);
/* Executes SCRIPT LOAD at once. false with `enough` set: the program's takes time. */
bool follow_load_scripts(follower *f, bool *any);
str follow_ordinal(arena *a, size_t n);
str follow_instant(arena *a, int64_t at_ms);
size_t follow_number_of(const follower *f, const story_request *r);
/* The program's request and the driver's differ: either may be NULL. */
bool follow_differ(follower *f, uint32_t client, const story_request *theirs, const story_request *ours);
bool follow_pass_step(follower *f);
/* What the driver would send next if nothing else happened: for the report. */
const story_request *follow_later(follower *f, uint32_t node);

/* ---- against_steps.c ---- */

/* A timer of the program's has fired: so has the driver's, where one is due. */
bool follow_fire_timer(follower *f, uint32_t node);
bool follow_execute(follower *f, size_t r);
/* enter, leave and token are lines of the program, in which it may stand: a choice of its own. */
bool follow_is_line(const story_row *row);
/* Is the program paused in a line that comes next? Then the driver, which prints none, has its answer when that goes
 * on: whatever it does next would begin too early. */
bool follow_pauses_in_line(const follower *f, uint32_t client, size_t row);
bool follow_answer(follower *f, size_t r, size_t row);
bool follow_message(follower *f, uint32_t client);
uint32_t follow_client_of(const follower *f, uint32_t node);
/* Runs everything that can go on by itself. false: a request that the program does not send here. */
bool follow_come_to_rest(follower *f, size_t row);
bool follow_pass(follower *f, int64_t ms, size_t row);
uint32_t follow_client_named(const follower *f, str name);
bool follow_strike(follower *f, str token, size_t row);

#endif
