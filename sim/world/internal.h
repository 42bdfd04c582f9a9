/* internal.h - the inside of a world, shared by the files of sim/world. */
#ifndef LOCKSIM_WORLD_INTERNAL_H
#define LOCKSIM_WORLD_INTERNAL_H

#include "base/outline.h"
#include "world/world.h"

enum { SERVERS_MAX = 16 };

/* A message on its way on one connection. Owns its texts. */
typedef struct {
    buf text;              /* channel, payload and pattern, one after the other */
    size_t channel_n, payload_n;
    int64_t sent_ms;
} message;

typedef struct {
    message *items;        /* in publish order; a plain array: queues are short */
    size_t count, cap;
} message_queue;

/* A task's requests at this instant. It tells progress from a loop of requests that leads back to the same state. */
typedef struct {
    uint32_t task;
    int64_t at_ms;
    uint64_t writes;       /* of all servers, when it was last executed */
    uint64_t mark;         /* hash of a request and its reply; renewed from time to time by a later one, so that it
                            * lies in the loop */
    uint32_t since, until; /* requests since the mark was set; at `until`, the mark is renewed */
    bool again;            /* the last request equalled the mark, and nothing was written in between */
    uint64_t state;        /* fingerprint of its process after the last repeated answer; 0: none yet */
    bool loops;            /* the process came back to exactly that state */
    uint64_t lines;        /* source lines of its requests since then, a bit each, by the line modulo 64 */
    uint64_t looped_lines; /* of the loop that closed last */
    int64_t looped_at_ms;  /* the first instant at which it did; 0: not yet, or another request came between */
} spin;

/* Of the commands that a connection has queued since its MULTI: the one that its driver says is about a lock. EXEC is
 * reported as that command. */
typedef struct {
    buf op, lock;          /* lock empty: there is none */
    int64_t lease_ms, permits;
    uint64_t place;        /* the index of its answer among those of EXEC */
    bool several;          /* there are more, of other locks or operations: EXEC is reported as itself */
} queued_request;

/* One process in the world. */
typedef struct {
    process *p;            /* of the current incarnation; kept after a crash, so that views can still be read */
    uint32_t incarnation;
    uint32_t request_base; /* added to the process's own request ids: restarts begin again at 1 */
    uint32_t requests;     /* sent by this incarnation */
    bool alive, paused;
    uint64_t stalled;      /* threads whose program is stalled, a bit each: stall.c */
    bool open;             /* its start is a step that holds no time */
    bool unborn;           /* not alive: it waits for the event that its `after` names */
    redis_conn *conns[SERVERS_MAX];                /* for commands */
    redis_conn *subscribers[SERVERS_MAX];          /* for pub/sub: a RESP2 subscriber may send nothing else */
    uint32_t remembers;    /* servers, a bit each: `conns` held connection state when it was last used
                            * (redis_conn_remembers) */
    queued_request queued[SERVERS_MAX];
    message_queue messages[SERVERS_MAX];
    str *channels[SERVERS_MAX];  /* subscribed: "c" or "p", then the name; to subscribe again after a wipe */
    size_t channel_count[SERVERS_MAX], channel_cap[SERVERS_MAX];
    /* Numbers near to now that its Lua holds: valid until its next input, or until time has moved far. */
    int64_t *numbers;
    size_t number_count, number_cap;
    bool numbers_known;
    int64_t numbers_at_ms;
    uint64_t delivered;    /* messages so far: a loop that consumes messages ends when none are left */
    spin *spins;           /* of tasks that have sent requests, by id */
    size_t spin_count, spin_cap;
} node;

typedef enum {
    FLIGHT_SENT,           /* on its way to the server */
    FLIGHT_WAITING,        /* a pop that found nothing (BLPOP) waits at the server */
    FLIGHT_EXECUTED,       /* the answer is on its way back */
    FLIGHT_ARRIVED,        /* its process has the answer; the stalled sender does not know yet (stall.c) */
    FLIGHT_LOST,           /* request or reply is lost: only a time-out can follow */
} flight_state;

/* The effect of a command on the transaction of its connection. */
typedef enum {
    QUEUING_NONE,
    QUEUING_QUEUED,        /* it was only queued */
    QUEUING_RAN,           /* an EXEC: it ran the queued commands, or none, since a watched key had changed */
} queuing;
typedef struct {
    queuing did;
    bool open, remembers;  /* the connection's state afterwards */
    uint64_t place;        /* its index among the queued ones */
} queuing_record;

/* A request under way. `memory` holds everything it points to. */
typedef struct {
    arena *memory;
    flight_state state;
    uint32_t number;       /* in the run; a duplicate has its original's */
    uint32_t copy;         /* 0: the request itself; 1, 2, ...: its duplicates */
    uint32_t process, id, task, server;
    request_kind kind;
    bool waited;           /* its task is blocked on the answer */
    bool orphan;           /* no task waits for the answer any more: given up, interrupted, a duplicate */
    bool late;             /* delayed in the network: does not hold time */
    bool dead;             /* its sender has crashed: `task` is no task of the current incarnation */
    bool given_up;         /* its process has given up; the stalled sender does not know it yet (stall.c) */
    bool oom;              /* it finds the server out of memory */
    bool moving;           /* its slot is being moved to another node */
    bool resend;           /* the driver may send it again (LK032) */
    bool again;            /* it repeats a request that the driver sent before */
    uint32_t sync;         /* a WAIT for that many replicas was sent with it, in one batch */
    uint32_t slot;         /* of a blocking pop: which of its process's connections for pops */
    bool served;           /* it waited, and the step of another client served it: monitors are still to be told */
    queuing_record queuing;            /* of the step that executes it */
    bool too_late;         /* it gave a key a deadline that had come: redis_late_deadlines */
    int64_t sent_ms, give_up_ms, executed_ms;
    int64_t wait_until_ms; /* of one that waits; it times out in the next millisecond. INT64_MAX: never */
    const script_file *script;
    str *argv;
    size_t argc;
    str who, op, lock, path;
    int64_t lease_ms, permits;
    int line;
    reply answer;
} flight;

typedef struct {
    world *w;
    redis *r;              /* use server_redis(): the server may be asleep */
    bool asleep;  /* `r` holds another state: the server's own state is the one that `state` names (learner.h) */
    uint32_t state;
    redis *second;         /* the second keyspace (mirror.h), asleep or awake with `r`; NULL: there is none */
    int64_t skew_ms;       /* its clock minus the world's time (server_clock_jump): use server_now_ms(), as it may be
                            * asleep */
    redis_conn *reader;    /* for views and for the world's own questions */
    const script_file **scripts;                   /* loaded once: a later NOSCRIPT comes from the flush fault */
    size_t script_count, script_cap;
    uint64_t writes;       /* counts requests that may have written, faults and wipes */
    /* Replication, kept only while a failover is possible: the keyspace (server_fold) before each of the last writes
     * that changed something, which is what a replica that keeps up may miss. Empty while the only replica lags. */
    struct { buf frozen; int64_t at_ms; uint64_t told; } history[FAILOVER_WRITES_MAX];
    size_t history_count;
    bool lagging;          /* one replica receives nothing: it still holds `replica` */
    int64_t lag_until_ms;
    buf replica;
    int64_t replica_at_ms;
    /* How much the observers were told of this server: now, and at the time that was frozen. Not part of a state: only
     * runs are observed. */
    uint64_t told, replica_told;
} server;

/* A lock that some driver registered, and what its view last said. */
typedef struct {
    buf name;
    process *viewer;       /* whose Lua state runs the view */
    size_t index;          /* of the lock there */
    arena *memory;         /* of `view` */
    lock_view view;
    int64_t view_at_ms;
    bool seen;             /* `view` is set */
    bool leased;           /* the key had a TTL */
} watched;

/* Why a step can change a view: reported with EVENT_VIEW. */
typedef struct {
    str op, who;
    uint32_t process, task, request;
} cause;

typedef struct learner learner;    /* learner.h */
typedef struct mirror mirror;      /* mirror.h */

struct world {
    learner *learner;      /* this world only learns what steps do; NULL: it is real */
    learner *listener;     /* records what the monitors of this real world are told; or NULL */
    const scenario *sc;
    const loader *l;
    world_options o;
    int64_t now_ms, end_ms;
    node *nodes;
    size_t node_count;
    process **retired;     /* of earlier incarnations, kept while only they can view a lock */
    size_t retired_count, retired_cap;
    server servers[SERVERS_MAX];
    size_t server_count;
    uint32_t budget[FAULT_KINDS];
    bool preempts;         /* its threads stop at preemption points while that budget lasts */
    int64_t amount[FAULT_KINDS];
    flight *flights;       /* those of one process are adjacent, in the order in which it sent them */
    size_t flight_count, flight_cap;
    arena **spare;         /* arenas of ended flights, for reuse */
    size_t spare_count, spare_cap;
    step *steps;           /* of world_enabled */
    size_t step_count, step_cap;
    arena *step_memory;    /* keys named by steps, and what one step reports */
    outputs out;
    watched *locks;
    size_t lock_count, lock_cap;
    uint64_t viewed_writes;                        /* sum over servers when views were last taken */
    int64_t viewed_ms;
    task_state *states;
    size_t state_cap;
    model *judge;
    uint64_t seen;
    bool wanted;           /* see world_wanted */
    size_t executed, taken;
    uint64_t large_bytes;  /* see WORLD_LARGE_BYTES_MAX */
    bool over, always_broken;
    bool deadline_now;     /* some key's deadline is exactly now */
    struct following *following;       /* of follow.c; NULL: nothing was followed so far */
    int64_t *instants;     /* of world_instants */
    size_t instant_count, instant_cap;
    bool number_now;       /* a number that a store or client held before is exactly now */
    uint64_t *rests;       /* fingerprints since every program ended, to detect a cycle */
    size_t rest_count, rest_cap;
    uint64_t strangers;    /* states without a canonical form */
    outline *outline;      /* the current step is written down there (follow.h); or NULL */
    outline *heard;        /* likewise what scripts and clients were told; or NULL */
    /* While outcomes are compared, the state of each process is written down (follow.h) except for what differs only by
     * time. false: it has no canonical form. */
    struct {
        bool (*write)(void *context, uint32_t process, struct process *p, int64_t now_ms, outline *out);
        void *context;
    } outliner;
    cause cause;           /* of what the current step changes */
    redis *trial;          /* again.c; NULL: not used so far */
    bool trial_published;  /* the last second run published */
    arena *story_memory;   /* when recording only, like all below */
    story story;
    size_t story_step;     /* 1-based, of the step that is being taken; 0: before the first */
    buf token, where, found, did, notes, effects;         /* of the current step */
    buf second_did, second_effects;                /* of the second keyspace, where there is one (mirror.h) */
    struct key_shown *shown;                       /* the keyspace as last told */
    size_t shown_count, shown_cap;
};

/* world.c */
process *world_birth(world *w, uint32_t p, uint32_t incarnation, err *e);
/* no code has run yet */
world *world_make(const scenario *sc, const loader *l, const world_options *o, learner *by, err *e);
/* The first local code of a single-threaded client is no step: no other client can observe it. */
bool world_run_first(world *w, uint32_t p, err *e);
bool world_open_start(const task_view *t);          /* a program that has not started, and may start at any moment */
/* The event that client `process` waits for (scenario_client.after) has happened. */
bool world_bring_up(world *w, uint32_t process, err *e);
void world_note_wait(world *w, uint32_t process);   /* is one of its programs blocked? */
bool world_happen(world *w, const step *s, err *e); /* what the step itself does, before views are looked at */

static inline bool world_sees_loops(const world *w) { return !w->learner && !w->o.folded; }

void server_wake(server *s);                        /* servers.c: its learner restores its own state */

static inline redis *server_redis(server *s)
{
    if (s->asleep)
        server_wake(s);
    return s->r;
}

/* Call before any other use of the server. */
static inline server *server_awake(server *s)
{
    server_redis(s);
    return s;
}

/* The server's own clock: requests are executed at this time. */
static inline int64_t server_now_ms(server *s)
{
    server_redis(s);
    return s->w->now_ms + s->skew_ms;
}

/* events.c */
bool view_equal(const lock_view *old, int64_t old_ms, const lock_view *v, int64_t now_ms);
lock_view view_copy(arena *a, const lock_view *v);
bool view_take(world *w, process *viewer, size_t index, str name, lock_view *out, err *e);
/* The judgement of the scenario's own invariant on such a view, and of the current keyspaces. */
typedef struct {
    process *viewer;
    size_t index;
    const lock_view *view;
} lock_seen;
bool always_ask(world *w, const lock_seen *l, arena *a, bool *ok, str *why, err *e);
size_t world_states_of(world *w, uint32_t process, task_state **out); /* borrowed until the next call */
void world_emit(world *w, event e);                /* fills in at_ms, tells the model, records sights and the story */
bool world_absorb(world *w, uint32_t process, err *e);      /* takes over what a process put into w->out */
/* Drops requests of client code that were not taken over: after an error in it, where the world is used for other
 * states (parts). */
void world_forget_output(world *w);
bool world_look(world *w, err *e);                 /* views, always, EVENT_STATE: after each step */
bool world_programs_ended(const world *w);         /* every main task of every live process is done */
void world_see(world *w, const char *what);
void world_see_client(world *w, client_sight what, uint32_t process);
void world_notice(world *w, fault_kind fault);     /* see world_noticed */
void world_notice_request(world *w, const flight *f);          /* ... was executed */
/* its process is freed where others can run its views, and kept where none can */
void world_retire(world *w, uint32_t process);

/* network.c */
void network_send(world *w, uint32_t process, const request *r);
void flight_put_off(flight *f, int64_t ms);    /* a loop in zero time goes on while time passes: the request counts
                                                * as sent later */
flight *network_add(world *w, uint32_t process);   /* appends an empty one to those of its process */
void flight_copy(flight *to, const flight *from, arena *a);
flight *network_find(const world *w, const step *s);        /* the one that the step is about; NULL: none */
bool flight_is_pubsub(const flight *f);
/* of one process; they move when one is added or ended */
flight *network_flights(const world *w, uint32_t process, size_t *count);
/* a duplicate, still to be executed, whose answer is discarded */
flight *network_copy(world *w, const step *s);
uint32_t network_number(const world *w, uint32_t process, uint32_t id);
void network_end(world *w, flight *f);             /* removes it; later flights move */
/* How many pops of one process may wait at one server at a time; false: one more would be too many. */
enum { NETWORK_SLOTS = 1 << 10 };
bool network_has_slot(const world *w, const flight *f);
bool network_execute(world *w, flight *f, err *e); /* false: the mirror cannot execute it (mirror.h) */
void network_time_out(world *w, flight *f);        /* a pop that waits at the server: it times out there */
/* The result of a pop that waits there: the answer (NULL: the connection broke). false: none waits there. */
bool network_served(world *w, uint32_t process, uint32_t server, uint32_t slot, const reply *answer);
void network_leave(world *w, const flight *f);     /* it waits no longer: its sender has closed the connection */
/* monitors hear now that it was executed, if they are still to be told */
void network_tell_served(world *w, flight *f);
/* the pop on which a task is blocked at a server, or NULL */
const flight *network_waiting(const world *w, uint32_t process, const task_view *t);
bool network_answer(world *w, flight *f, err *e);  /* consumes it */
bool network_give_up(world *w, flight *f, err *e);

/* spin.c */
const spin *spin_find(const node *n, uint32_t task);          /* NULL: it has sent nothing */
void spin_note(world *w, const flight *f);         /* after its execution */
void spin_close(world *w, uint32_t process, const flight *f);          /* after its answer */
/* it was woken by time or a message: what follows is no loop */
void spin_forget(world *w, uint32_t process, uint32_t task);

/* connections.c */
void network_connect(world *w, uint32_t process);
void network_disconnect(world *w, uint32_t process);
void network_resubscribe(world *w, uint32_t server);
bool node_subscribed(const world *w, const node *n);
void connections_remember(world *w, const flight *f);         /* what the connection has subscribed to, or left */
/* After a command of f's connection: stores the connection state; an EXEC takes over what its driver said of the queued
 * command. */
void connections_note_transaction(world *w, flight *f);
/* redis_conn_queued, before it ran */
queuing_record connections_queuing(const redis_conn *c, const flight *f, int64_t queued_before);
void connections_forget_transactions(server *s);               /* they are aborted; their connections are made anew */
void message_add(message_queue *q, str channel, str payload, str pattern, int64_t sent_ms);
bool network_deliver(world *w, uint32_t process, uint32_t server, err *e);
void network_drop_message(world *w, uint32_t process, uint32_t server);

/* servers.c */
/* in a world that learns: who listens made a difference */
void server_note_publish(world *w, const str *argv, size_t argc);
/* One line for a command of a script; file NULL: unknown. */
void story_effect(buf *out, const script_file *file, int line, const str *argv, size_t argc, const reply *r);
void server_open(world *w, size_t i);
void server_close(server *s);
uint32_t network_conn_id(const world *w, uint32_t process, uint32_t server, bool pubsub);
/* The connection of process to[its own] with the same role; connections of no process stay. */
uint32_t network_conn_permuted(const world *w, uint32_t conn, const uint8_t *to);
/* Runs a flight's command on any server that stands for its own, with these connections. */
reply network_run(world *w, redis *r, const flight *f, redis_conn *conn, redis_conn *subscriber, int64_t now_ms,
                  arena *out);
/* For how long the flight, which was run there, waits there: -1 not at all, INT64_MAX without end. */
int64_t network_waits_ms(const redis *r, const flight *f, int64_t now_ms);
/* Breaks the connections of all clients that wait there. */
void server_break_waits(server *s);
bool server_learn(world *w, server *s, const script_file *script, str op, str *why);
uint64_t world_writes(const world *w);
/* Called around every possible write: what a replica that missed it would still have. */
buf server_before(world *w, server *s);
void server_after(server *s, buf *before);                     /* takes ownership of the buffer */
void server_expire(world *w, uint32_t i, str key);             /* STEP_EXPIRE */
void server_forget_history(server *s);             /* every replica that keeps up has all writes */
uint32_t server_followers(const world *w, const server *s);    /* replicas that keep up: what WAIT answers */
/* The keyspace, or both, to bytes and back: redis_fold. */
void server_fold(server *s, buf *out);
void server_unfold(server *s, int64_t now_ms, str folded);     /* now_ms: by the server's clock */
void server_set_acks(server *s);                   /* sets what WAIT answers: the replicas that keep up now */
/* Calls fn with the instants of the server's keyspace, and of the second version's, if there is one, */
/* ... as instants of the world. A stored number that could be compared with the server's clock or with a client's is
 * reported as both. */
void server_each_instant(server *s, void (*fn)(void *context, int64_t at_ms, bool deadline), void *context);
enum { FAILOVER_TO_LAGGING = -1 };  /* the amount of a failover to the lagging replica, where others keep up */

/* again.c */
bool again_judged(const world *w, const flight *f);           /* is LK032 judged by it? */
/* f has just been executed on r: would a second run change anything? */
bool again_changes(world *w, redis *r, const flight *f);
void again_judge(world *w, const flight *f);       /* reports it, in a real world */
void again_free(world *w);

/* faults.c */
void faults_enabled(world *w);                     /* appends to w->steps */
void faults_of_node(world *w, uint32_t process, bool ended);           /* ended: every program has */
void faults_of_server(world *w, uint32_t i);
bool faults_take(world *w, const step *s, err *e);
/* the process, about to run: sets whether it stops at preemption points */
process *fault_feed(const world *w, uint32_t p);
/* may it still happen to this process (NOBODY: at all)? */
bool fault_left(const world *w, fault_kind k, uint32_t process);
bool fault_meets(const world *w, fault_kind k, const flight *f);       /* ... by this request's operation, too? */
/* ... by what this task has under way? */
bool fault_meets_task(const world *w, fault_kind k, uint32_t process, uint32_t task);

/* follow.c: while w->outline is set. */
void follow_note_request(world *w, const flight *f);           /* executed, with its answer */
void follow_note_event(world *w, const event *e);
void follow_note_clock(world *w, uint32_t process, const outputs *out);        /* a client has looked at its clock */
/* What a command of a script (script NULL), or a client's own, was asked and told. */
void follow_note_answer(outline *heard, const script_file *script, const str *argv, size_t argc, const reply *r);

/* orders.c; asked where world_options.orders is set */
typedef struct {
    str keyspace;          /* as keyspace_save writes it, before */
    const str *argv;
    size_t argc;
    const script_file *script;
    str op;
    int64_t now_ms;        /* by the server's clock */
} order_question;
void orders_ask(struct orders *o, const order_question *q);
void orders_ask_view(world *w, process *viewer, size_t index, str name, const lock_view *v);   /* `v`: the view's
                                                                                                * result */
void orders_note(struct orders *o, const char *what, str whose);  /* the order matters: "what acquire does" */

/* stall.c */
bool stalled(const world *w, uint32_t process, const task_view *t);
bool stalled_sender(world *w, const flight *f);    /* the program that waits for its answer is stalled */
void stalls_enabled(world *w, uint32_t process);   /* appends the stall faults that are possible now */
void resumes_enabled(world *w, uint32_t process);  /* appends the steps that end a stall */
void stall_begin(world *w, uint32_t process, uint32_t task);
void stall_end(world *w, uint32_t process, uint32_t task);
/* The process has the answer, or gives up, while the sender is stalled: the sender learns it when it goes on. */
void stall_answer(world *w, flight *f);
void stall_give_up(world *w, flight *f);

/* time.c */
void time_forget_numbers(world *w, uint32_t process);       /* its Lua ran */
int64_t time_next(world *w);                       /* the next instant up to the end of the run, or INT64_MAX */
int64_t time_walk_ms(const world *w);    /* for how long every millisecond is a stop (world_options.every_ms) */
bool time_cut(world *w);                           /* at the end of the run, with instants beyond it */
bool time_pass(world *w, int64_t ms, err *e);
/* The same for each part: the next instant of a process, of all servers (and whether some key's deadline is now), and
 * which part holds an instant as a number. `number_now` as in the world. */
int64_t time_next_of_node(world *w, uint32_t process, bool number_now);
int64_t time_next_of_servers(world *w, bool number_now, bool *deadline_now);
bool time_known_to_node(world *w, uint32_t process, int64_t at_ms);
/* Numbers near to now that the process holds, or that its requests carry. */
void time_each_number(world *w, uint32_t p, void (*fn)(void *context, int64_t at_ms), void *context);
bool time_known_to_servers(world *w, int64_t at_ms);
void time_passed_for_servers(world *w);            /* what the passage of time does to them */
uint64_t world_fingerprint(world *w);              /* of what is left after all programs have ended */

/* story.c */
void story_begin(world *w);
void story_name(world *w, const step *s);          /* before the step: its token and place */
void story_event(world *w, const event *e);
void story_end(world *w, const step *s);           /* after it: writes the row */
void story_free(world *w);
/* Limits for the notes and effects of one step; the last line says that more was left out. false: there is no room for
 * another line. */
enum { STORY_STEP_BYTES_MAX = 128 * 1024, STORY_TEXT_BYTES_MAX = 2000 };
bool story_line(buf *out);
/* A text of any origin, cut at STORY_TEXT_BYTES_MAX. */
void story_text(buf *out, str s);

/* story_marks.c: only where the world records. */
void story_mark_event(world *w, const event *e);
/* published, and not yet delivered */
void story_mark_message(world *w, uint32_t process, uint32_t server, str channel, str payload);
void story_mark_flight(world *w, story_mark_kind kind, uint32_t process, uint32_t server, uint32_t request);
/* story_requests.c: while the world records. */
void story_request_sent(world *w, const flight *f);
void story_request_executed(world *w, const flight *f, bool waits);
void story_request_served(world *w, const flight *f);          /* one that waited got its answer */
void story_request_answered(world *w, const flight *f);

/* enabled.c */
/* The task that stands at a preemption point: nothing else happens until it goes on or is preempted. NULL: none. */
const task_view *world_point_of(world *w, uint32_t process);
bool world_point(world *w, uint32_t *process);      /* the first process that has one */
void enabled_add(world *w, step s);
void enabled_of_server(world *w, uint32_t i);       /* appends what the server may do by itself, without faults */
void enabled_of_node(world *w, uint32_t process);   /* appends the steps of one process, without faults */
static inline bool flight_has_answer(const flight *f)
{
    return f->state == FLIGHT_EXECUTED || f->state == FLIGHT_ARRIVED;
}
/* an unexecuted request of a loop that takes no time and changes nothing */
bool flight_spins(world *w, const flight *f);
/* a program that waits for something other than time */
bool world_stands(const world *w, uint32_t process, const task_view *t);
/* When a task that sleeps or waits, also for an answer that waits at a server, goes on by itself; INT64_MAX: it does
 * not sleep or wait, or waits without end. */
int64_t world_wake_ms(const world *w, uint32_t process, const task_view *t);
bool world_runnable(const task_view *t, int64_t now_ms);
const task_view *world_task(world *w, uint32_t process, uint32_t task);
/* "A", "A:2", "A:watchdog": the name of a task in schedules. */
void world_name_task(world *w, uint32_t process, uint32_t task, buf *out);

#endif
