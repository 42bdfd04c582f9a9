/* internal.h - the inside of a simulation, shared by the files of sim/simulate. */
#ifndef LOCKSIM_SIMULATE_INTERNAL_H
#define LOCKSIM_SIMULATE_INTERNAL_H

#include "base/intern.h"
#include "client/process.h"
#include "redis/redis.h"
#include "simulate/draw.h"
#include "simulate/queue.h"
#include "simulate/simulate.h"
#include "world/world.h"

#define NONE UINT32_MAX
enum { SERVERS_MAX = 16, ANSWERS_KEPT = 8, HELD_MAX = 4, FLIGHTS_MAX = 1 << 24 };
#define STARVED_US (INT64_C(3600) * 1000000)       /* without progress */

/* One stream each, so that what one concern draws does not shift the others. */
typedef enum {
    STREAM_ARRIVALS, STREAM_PICKS, STREAM_HOLDS, STREAM_REQUESTS, STREAM_ANSWERS, STREAM_MESSAGES, STREAM_LOST_REQUESTS,
    STREAM_LOST_REPLIES, STREAM_LOST_MESSAGES, STREAM_CRASHES, STREAM_RESTARTS, STREAM_PAUSES, STREAM_CHOICES, STREAMS,
} stream;

typedef enum {
    HAPPENS_ARRIVAL,       /* a request at its server; number: the flight */
    HAPPENS_ANSWER,        /* at its client; number: the flight */
    HAPPENS_MESSAGE,       /* at its client; number: the mail */
    HAPPENS_WORK_ENDS,     /* number: the task */
    HAPPENS_DEMAND,        /* of a slot: number */
    HAPPENS_DEMANDS,       /* the next ones of an open stream */
    HAPPENS_SERVER,        /* a pop's time may be up; number: the server */
    HAPPENS_CRASH,         /* of some client */
    HAPPENS_RESTART,
    HAPPENS_PAUSE,         /* of some client */
    HAPPENS_RESUME,
    HAPPENS_WARM,          /* the warm-up's time is over */
    HAPPENS_END,
} happening_kind;

typedef enum {
    FLIGHT_SENT,
    FLIGHT_WAITING,        /* a pop that found nothing: it waits at the server, on a connection of its own */
    FLIGHT_EXECUTED,       /* the answer is on its way */
    FLIGHT_LOST,           /* only a time-out can come */
} flight_state;

/* A request under way. Its words stay in its process until that forgets it. */
typedef struct {
    const request *r;
    flight_state state;
    uint32_t client, life; /* of the client that sent it */
    uint32_t id, server;
    bool orphan;           /* the answer is not awaited any more */
    int64_t give_up_us, executed_us;
    redis_conn *own;       /* FLIGHT_WAITING */
    reply answer;
    arena *memory;         /* of the answer, and of the request once its process is gone; NULL: not needed so far */
    uint32_t next, prev;   /* of the same client; next: of the unused ones */
} flight;

/* A message under way. */
typedef struct {
    buf text;              /* channel, payload, pattern */
    size_t channel_n, payload_n;
    uint32_t server, next; /* next: of the unused ones */
} mail;

/* A thread of a client: it runs the program again and again. */
typedef struct {
    bool busy, asked;      /* asked: the demand's instant was reported */
    uint32_t task, idle;   /* busy: the main task; idle: where among the idle */
    int64_t demand_us;     /* when the demand for this round arose */
    double held_ms;        /* of a recorded demand; < 0: not said */
    /* of this round; how often, and when it learned of that first */
    struct { uint32_t lock, count; int64_t since_us; } held[HELD_MAX];
    uint32_t held_count;
    /* A release that was announced early, of a lock that consists of others: it is reported after those have been
     * released. */
    bool leaves;
    uint32_t leaves_lock, leaves_count;
    int64_t leaves_us;     /* when the last of the others was, at its server; if none is yet, the announcement */
} slot;

typedef struct {
    process *p;            /* NULL: it crashed */
    uint32_t life;         /* incarnation */
    int64_t resume_us;     /* paused until then; 0: it is not */
    uint32_t flights;      /* the first, or NONE */
    struct { uint32_t id; int64_t at_us; } executed[ANSWERS_KEPT];   /* of the last answers, a ring */
    uint32_t executed_next;
    uint32_t steps;        /* at step_us */
    uint32_t crowded;      /* milliseconds on end that were crowded with steps, see clients.c */
    int64_t step_us;
    str path;              /* where its last request was written; of the cache of sources */
    int line;
    uint32_t waits_first, waits_last;              /* recorded demands that wait for it, or NONE */
} client;

typedef struct {
    struct simulation *s;
    redis *r;
    /* loaded so far; broken: why one does not compile, else "" */
    struct { const script_file *script; str broken; } *scripts;
    size_t script_count, script_cap;
    int64_t reaped_ms, wakes_us;                   /* wakes_us: HAPPENS_SERVER is posted for then; INT64_MAX: it is
                                                    * not */
} server;

typedef struct {
    redis_conn *commands, *subscriber;
    int64_t sent_us, heard_us;                     /* when the last word of the subscriber's line arrives, there and
                                                    * here */
} line;

typedef struct simulation {
    const scenario *sc;    /* as given */
    scenario own;          /* with the workload's clients */
    workload w;
    bool once;             /* no workload */
    simulate_options o;
    simulate_result *out;
    err *e;
    process_pool *pool;
    rng random[STREAMS];
    int64_t now_us;
    queue queue;
    timers timers;         /* of clients: their own next step, or the first time-out */
    client *clients;
    uint32_t client_count, threads;
    slot *slots;           /* client * threads + thread */
    uint32_t *idle;        /* slots that wait for a demand */
    uint32_t idle_count;
    server servers[SERVERS_MAX];
    uint32_t server_count;
    line *lines;           /* client * server_count + server */
    flight *flights;
    size_t flight_count, flight_cap;
    uint32_t free_flight, free_mail;
    mail *mails;
    size_t mail_count, mail_cap;
    arena **spare;         /* of flights */
    size_t spare_count, spare_cap;
    struct { redis *r; redis_conn *c; } *closes;   /* connections of pops that were answered */
    size_t close_count, close_cap;
    arena *scratch;        /* of one execution */
    outputs outputs;
    output few_outputs[8]; /* most lists need no more */
    intern *locks;
    bool *pooled;          /* by lock: its grants are of permits */
    size_t pooled_cap;
    /* Demands. */
    int64_t *waiting;      /* open arrivals that no client has taken yet: their instants, a ring */
    size_t waiting_first, waiting_count, waiting_cap;
    size_t demand_next;    /* of a list */
    double arrival_carried_us;                     /* of Poisson arrivals: draw_gap_us */
    uint32_t *demand_after;                        /* recorded: the next that waits for the same client */
    uint64_t rounds_left;  /* of a run that ends with its demands; UINT64_MAX: it does not */
    /* The run. */
    bool begun, over;
    uint64_t counted;      /* acquisitions since the warm-up */
    int64_t granted_us;    /* when something was last granted */
    int64_t progress_us;   /* the same; or when a round ended, one began where none was under way, or a listed demand
                            * came */
    int64_t works_us;      /* until then some client works that began within an hour of granted_us */
    uint64_t fruitless;    /* rounds that ended since granted_us, crashes included */
    uint32_t busy, gone;   /* slots in a round; clients that crashed and never come back */
} simulation;

/* As servers and clients see it. */
static inline int64_t simulation_now_ms(const simulation *s)
{
    return WORLD_EPOCH_MS + s->now_us / 1000;
}
void simulation_post(simulation *s, happening_kind kind, int64_t at_us, uint32_t client, uint32_t number);
void simulation_tell(simulation *s, occurrence o); /* at_us 0: now */

/* clients.c: what runs at a client. false: an error in its code. */
/* after an input: handles its outputs, and runs what is ready */
bool client_step(simulation *s, uint32_t c, bool ok);
bool client_wake(simulation *s, uint32_t c);       /* its timer is due */
bool client_answer(simulation *s, uint32_t number);
bool client_message(simulation *s, uint32_t c, uint32_t number);
bool client_work_ends(simulation *s, uint32_t c, uint32_t task);
void client_set_timer(simulation *s, uint32_t c);
/* Now; or the next millisecond for a client with too many steps at this instant. */
int64_t client_crowded(simulation *s, uint32_t c);
bool client_make(simulation *s, uint32_t c);

/* announced.c */
void announced(simulation *s, uint32_t c, const output *o);        /* OUTPUT_ANNOUNCE */
void announced_release_over(simulation *s, uint32_t c, slot *t);   /* if one was ahead: no more of it is to come */
void announced_ends(simulation *s, uint32_t c);    /* the client crashes, or the run is over */

/* traffic.c, servers.c */
void traffic_open(simulation *s);
void traffic_close(simulation *s);
void traffic_send(simulation *s, uint32_t c, const request *r);
void traffic_arrive(simulation *s, uint32_t number);
void traffic_server_wakes(simulation *s, uint32_t server);
void traffic_end(simulation *s, uint32_t number);  /* the flight is over */
void traffic_leave(simulation *s, uint32_t number);           /* it waits at the server no longer */
void traffic_abandon(simulation *s, uint32_t c);   /* the client crashed */
arena *flight_memory(simulation *s, flight *f);
uint32_t mail_new(simulation *s);
void mail_end(simulation *s, uint32_t number);
void servers_open(simulation *s);
void servers_close(simulation *s);

/* thread: from 1 on. */
static inline slot *slot_of(simulation *s, uint32_t c, uint32_t thread)
{
    return &s->slots[(size_t)c * s->threads + thread - 1];
}

static inline line *line_of(simulation *s, uint32_t c, uint32_t server)
{
    return &s->lines[(size_t)c * s->server_count + server];
}

static inline bool is_pubsub(const request *r)
{
    return r->kind == REQUEST_SUBSCRIBE || r->kind == REQUEST_UNSUBSCRIBE;
}

/* demands.c */
void demands_open(simulation *s);
void demands_close(simulation *s);
bool demand_due(simulation *s, uint32_t slot);     /* HAPPENS_DEMAND */
bool demands_come(simulation *s);                  /* HAPPENS_DEMANDS */
bool demands_round_over(simulation *s, uint32_t slot);        /* its thread is free */
bool demands_back(simulation *s, uint32_t c);      /* a crashed client is there again */
void demands_gone(simulation *s, uint32_t c);      /* it crashed */
uint64_t demands_unserved(const simulation *s);    /* that arose, and no client has come to yet */

/* mishaps.c */
void mishaps_open(simulation *s);
void mishap_crash(simulation *s);
bool mishap_restart(simulation *s, uint32_t c);
void mishap_pause(simulation *s);
void mishap_resume(simulation *s, uint32_t c);

#endif
