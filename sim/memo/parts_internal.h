/* parts_internal.h - the inside of the parts, shared by the files part*.c. */
#ifndef LOCKSIM_MEMO_PARTS_INTERNAL_H
#define LOCKSIM_MEMO_PARTS_INTERNAL_H

#include "base/codec.h"
#include "memo/learned.h"
#include "memo/trials.h"
#include "world/keyspace.h"
#include "world/learner.h"
#include "world/mirror.h"
#include "memo/judgements.h"
#include "memo/parts.h"

enum { LOCKS_MAX = 32 };

/* A node as it was when first met, moved to WORLD_EPOCH_MS: enough to put it back into a world. */
typedef struct {
    node_facts facts;
    uint32_t process_index;
    process *p;            /* learned; NULL if no processes are learned here */
    int64_t as_of_ms;      /* at this instant; all else at WORLD_EPOCH_MS */
    uint32_t incarnation, request_base, requests;
    bool alive, paused, unborn;
    uint64_t stalled;
    flight *flights;
    size_t flight_count;
    uint32_t remembers;
    queued_request queued[SERVERS_MAX];
    message_queue messages[SERVERS_MAX];
    str *channels[SERVERS_MAX];
    size_t channel_count[SERVERS_MAX];
    uint32_t *numbers;     /* requests that can still be referred to, sorted; a request's name is its place + 1 */
    size_t number_count;
    uint32_t *task_ids;    /* live tasks; a task's name is its place */
    str *task_names;       /* their names in schedules; only of a node that is kept */
    size_t task_count;
} node_record;

/* All servers together: the number of each one's state, and the locks' views there. */
typedef struct {
    uint32_t *states;      /* of each server */
    servers_facts facts;
    int64_t phase_ms;      /* they are as of so long after WORLD_EPOCH_MS */
    struct { bool taken, always_checked, always_broken; lock_view view; } views[LOCKS_MAX];
} servers_record;

typedef struct {
    process *viewer;       /* learned: a process that registered it */
    size_t index;          /* of the lock in that process */
    str name;
    spec_kind spec;
    uint64_t print;        /* see observed */
    bool views_differ;
} known_lock;

/* The effect of one command on one server. */
typedef struct {
    reply answer;
    uint32_t state;        /* of the server, after */
    uint32_t mail;         /* letters in order; PART_NONE: none */
    event *findings;
    size_t finding_count;
    outline heard;         /* what it was asked and told, including its script's commands */
    bool flushed;          /* the server did not know the script */
    int64_t waits_ms;      /* as network_waits_ms */
    queuing_record queuing;            /* of its connection */
    bool too_late;         /* flight.too_late */
    unsigned differ;       /* mirror_differ */
    /* LK032, after the first question about a request that may be sent again */
    enum { AGAIN_UNKNOWN, AGAIN_THE_SAME, AGAIN_CHANGES } again;
} run_record;

/* The monitors' input in one step. */
typedef struct {
    event *items;          /* EVENT_VIEW without a view: a lock becomes visible, count is its spec_kind; EVENT_FAULT
                            * with op "broken": the property number `count` breaks */
    size_t count;
    uint32_t process;      /* the process whose names change after it; NOBODY: none */
    uint32_t *requests, *tasks;        /* new names by old ones */
    size_t request_count, task_count;
} events_record;

typedef struct { uint32_t process, message; } letter;
typedef struct { letter *items; size_t count; } mail_record;

/* Letters that are no message of a channel: a client starts now (its `after`); or a waiting pop is answered, or its
 * connection broke. */
enum { LETTER_START = (1 << 30) - 1, LETTER_ANSWER = 1 << 30 };
typedef struct { uint32_t server, slot; bool broken; reply answer; } answer_letter;

/* The kinds of numbers of judgements, in two bits. */
typedef enum { KEPT_MODEL, KEPT_EVENTS, KEPT_TASKS } kept_kind;

struct parts {
    learner as;            /* of `w`, and of the worlds that it listens to */
    const scenario *sc;
    arena *memory;         /* of all records */
    arena *scratch;        /* memory of one question */
    world *w;              /* where steps are taken to learn them; NULL: nothing is learned */
    bool absolute;         /* the instant is part of the states of live worlds */
    instant_spelling instants;         /* those that fold with clients */
    str why_absolute;
    process_tables *tables, *own_tables;           /* own_tables: made here; NULL: borrowed */
    const equals *equals;  /* clients whose parts can be renamed; NULL: none */
    intern *permutations;
    map3 permuted_nodes, permuted_servers, permuted_models;            /* (part, permutation, 0) -> part */
    str apart;             /* why clients are not equal; empty: no reason seen */
    uint64_t client_runs_before, client_repeats_before;        /* the counts of the tables at the beginning */
    err error;

    intern *node_bytes;
    node_record *nodes;
    size_t node_cap;
    intern *server_bytes, *servers_bytes;
    uint32_t wakes;        /* of servers, so far: check_awake */
    uint32_t loads;        /* of nodes, so far: check_loaded */
    servers_record *servers;
    size_t servers_cap;
    intern *env_bytes, *tasks, *channels, *messages, *commands, *step_bytes, *model_bytes, *task_bytes, *channel_bytes;
    part_step *steps;
    size_t step_cap;
    intern *event_bytes, *mail_bytes, *answer_bytes;
    answer_letter *answers;
    size_t answer_cap;
    events_record *events;
    size_t events_cap;
    mail_record *mails;
    size_t mail_cap;
    map3 tries;            /* the same where only follow.h asked: not checked for a dependence on the time of day */
    map3 runs;             /* (server state, command, channels or PART_NONE) -> run */
    run_record *run_list;
    size_t run_count, run_cap;
    known_lock locks[LOCKS_MAX];
    size_t lock_count;
    uint64_t script_runs;
    struct part_waiting *waiting;      /* part_waiting.c */
    judgements *judgements;            /* of earlier searches; NULL: none are kept */
    trials *trials;        /* what scripts are asked; NULL: not recorded */
    map3 kept_numbers;     /* (kind and the high half of ms, number here, the low half) -> number there */
    str *names;            /* of processes */
    int64_t judged_ms;     /* the current instant of the monitors */
    part_state start;
    map3 local;            /* (node, environment, 0) -> what can happen to the node, see part_steps.c */
    struct local_steps *locals;
    size_t local_count, local_cap;
    effects list;          /* of the last answer */
    size_t list_cap;

    /* While a step is taken. */
    uint32_t channels_now; /* of the step's environment: who is subscribed to what */
    uint32_t channels_set; /* those that the servers' connections really have; PART_NONE: unknown */
    uint32_t mask;         /* bits of visible locks */
    uint32_t servers_before;
    uint32_t process;      /* the process that takes the step; or NOBODY */
    letter *served;        /* answers of this step other than messages */
    size_t served_count, served_cap;
    const uint32_t *old_numbers;
    size_t old_number_count;
    uint32_t *new_numbers; /* of requests sent in this step */
    size_t new_number_count, new_number_cap;
    const uint32_t *old_tasks;
    size_t old_task_count;
    uint32_t *new_tasks;
    size_t new_task_count, new_task_cap;
    event *said;
    size_t said_count, said_cap;
    node_record names_after;           /* numbers and task_ids of the node that was saved last, in `scratch` */
    const int64_t *constants;          /* follow_constants, after its first use; or NULL */
    size_t constant_count;
    uint64_t stops_without;            /* as in world_options */
    bool published;        /* the current command depends on who is subscribed */
    struct redis *shadow;  /* of the second epoch: commands run there, too, far from the first epoch */
    redis_conn **shadow_subscribers;
    buf *shadow_said;      /* to each process */
    int64_t shadow_now_ms; /* of the clients, when it says so */
    const script_file **scripts;       /* all that clients referred to so far */
    size_t script_count, script_cap;
};

/* parts.c */
/* By its name; `w`: the world in which it is enabled; `of`: its node, NULL: none. */
uint32_t step_id(parts *p, world *w, const step *s, const node_record *of);

/* part_node.c */
/* fills in numbers and task_ids, in the arena */
void node_names_of(world *w, uint32_t process, arena *a, node_record *out);
uint32_t node_save(parts *p, world *w, uint32_t process, err *e);
void node_load(parts *p, uint32_t process, uint32_t node);
/* The same for another process, with ids exchanged. false: it has no such form, and p->apart says why. */
bool node_load_permuted(parts *p, uint32_t process, uint32_t node, const permutation *x);
void nodes_unload(parts *p);

/* part_instants.c: words that may be instants are written and moved relative to now, as in process_freeze. */
void instant_put_reply(buf *out, const reply *r, instant_spelling spelling, int64_t now_ms);
void instant_move_reply(arena *a, reply *r, instant_spelling spelling, int64_t from_ms, int64_t to_ms);

/* part_server.c */
uint32_t server_save(parts *p, world *w, server *s);           /* the number of one server's state */
uint32_t servers_save(parts *p, world *w);
/* Where seconds fold, how long the last full one is past: a part of nodes and of servers. Else 0. */
int64_t parts_phase_ms(const world *w);
/* The instant at which steps at them are taken. */
int64_t parts_now_ms(const parts *p, uint32_t servers);
void servers_load(parts *p, uint32_t servers);                 /* the world's clock then shows that instant */
bool server_scripts_can_go(const scenario *sc);
bool server_knows(world *w, server *s, const char *sha1);
/* The state of a server begins with a keyspace (world/keyspace.h), or both (mirror.h). */
const lock_view *servers_view(parts *p, uint32_t servers, size_t lock, err *e);
bool parts_look(parts *p, uint32_t before, uint32_t after, uint32_t seen, int64_t ms, err *e);

/* part_permute.c */
void apart(parts *p, str why);         /* only the first time counts */

/* part_mail.c */
const mail_record *mail_of(const parts *p, uint32_t mail);     /* NULL: none */
/* The contents of all processes' queues but one, beyond the first have[q][server] messages of process q (NULL: all of
 * them); and answers to waiting pops, beyond the first `served`. */
uint32_t mail_since(parts *p, size_t have[][SERVERS_MAX], size_t served, uint32_t but);
uint32_t mail_take(parts *p, uint32_t but);
void message_put(parts *p, uint32_t process, uint32_t id);

/* part_runs.c */
enum { PART_SHIFTS = 4 };
extern const int64_t part_shifts_ms[PART_SHIFTS];  /* how much later a command is run again */
void shadow_open(parts *p);

/* part_waiting.c */
struct part_waiting *waiting_new(void);
void waiting_free(struct part_waiting *w);

/* part_steps.c: loads the node of at->process, and no other, in the environment, at the instant of the servers, which
 * are not loaded. */
void parts_load(parts *p, const part_place *at);
void parts_prepare(parts *p);          /* a world without an environment and without nodes */

/* part_events.c */
event event_copy(arena *a, const event *e);
void events_begin(parts *p, uint32_t process, const node_record *before);      /* NULL: no names change */
uint32_t events_end(parts *p, const node_record *after);
void parts_say_broken(parts *p, property what);
uint32_t model_id(parts *p, const model *m, int64_t now_ms, const model_names *names);
void parts_hear(parts *p, model *m, uint32_t events);
/* As parts_judge, for monitors within the first step: they cannot be frozen before its end. */
uint32_t parts_judge_first(parts *p, model *m, uint32_t events, uint32_t tasks, uint32_t *broken);

/* What part_learner.c passes on to: see world/learner.h. */
void parts_learn(parts *p);                        /* fills in p->as */
void parts_record(parts *p, const event *e);
bool parts_watch(parts *p, uint32_t process, err *e);
bool parts_execute(parts *p, flight *f, int64_t *waits_ms, err *e);
const script_file *parts_script(parts *p, const script_file *script, server *s);
void parts_wake(parts *p, server *s);
void parts_published(parts *p);
void parts_subscribe(parts *p);
void parts_unsubscribed(parts *p);
void parts_started(parts *p, uint32_t process);
void parts_served(parts *p, uint32_t process, uint32_t server, uint32_t slot, const reply *answer);

#endif
