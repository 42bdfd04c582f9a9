/* server.h - the inside of one simulated server, for the files of sim/redis that need more than a call: the script
 * host, pub/sub, transactions. Only sim/redis includes this file. */
#ifndef LOCKSIM_REDIS_SERVER_H
#define LOCKSIM_REDIS_SERVER_H

#include "base/rng.h"
#include "redis/command.h"
#include "redis/engine.h"

typedef struct pubsub pubsub;
typedef struct transaction transaction;
typedef struct waiter waiter;

struct redis {
    store *st;
    redis_limits limits;
    dialect dialect;
    bool rules[RULES];             /* those that the dialect follows */
    redis_observer observer;       /* members may be NULL */
    redis_host host;
    struct settings *settings;     /* config.c: what CONFIG SET said */
    bool expires_lazily;           /* DEBUG SET-ACTIVE-EXPIRE 0 */
    bool hosted;                   /* reached by clients outside: `host` counts, and so do the commands of CMD_HOSTED */
    const script_engine *engine;   /* what runs scripts */
    script_host *scripts;          /* made by it; own */
    pubsub *channels;
    struct tracking *tracking;     /* tracking.c; NULL until a connection tracks */
    redis_conn *current;           /* whose command runs; NULL: none */
    redis_conn *conns, *last_conn; /* in order of connection */
    struct stats *stats;           /* stats.c: what INFO counts; NULL: not hosted */
    struct slowlog *slow;          /* slowlog.c; NULL: not hosted */
    int64_t took_us;               /* by the running command: see slowlog.c */
    struct { int64_t saved_s; uint64_t saves, rewrites; } disk;        /* disk.c; saved_s 0: never */
    uint64_t late_deadlines;       /* redis_late_deadlines */
    uint64_t script_calls;         /* so far: redis.call and redis.pcall */
    bool no_memory;                /* redis_out_of_memory */
    uint64_t maxmemory;            /* CONFIG SET maxmemory; 0: no limit */
    int64_t min_replicas;          /* CONFIG SET min-replicas-to-write */
    bool slot_moves;               /* redis_slot_moves */
    bool only_looked_at;           /* redis_only_look */
    unsigned events;               /* notify.h: which kinds are told */
    rng random;                    /* SPOP, RANDOMKEY and their kin; drawn by server_random_below */
    int64_t acks;                  /* what WAIT answers */
    arena *outbox_arena;           /* messages posted by the running command, in order, and their texts */
    struct message *outbox;
    size_t outbox_count, outbox_cap;
    waiter *waiters;               /* waiting.c, in the order of coming */
    const redis_renamer *renamer;  /* of thawed names; NULL: names stay */
    struct ready_key *ready;       /* keys created by the running command for which a connection waits, in that order */
    size_t ready_count, ready_cap;
    bool waits_again;              /* a connection is put back to wait: redis_thaw_waiting */
    size_t monitors;               /* connections that receive every command */
    bool running;                  /* inside redis_execute: it does not nest, but for `busy` */
    bool busy;                     /* between redis_stand and redis_go_on */
    bool in_script;                /* the command that runs, or ran last, is a script's */
    bool runs_function;            /* what runs is a function, no script */
    bool script_killed;            /* the script that runs is to end */
    int64_t busy_after_ms;         /* CONFIG SET busy-reply-threshold */
    int64_t script_ms;             /* how long it had run when it was left */
    bool paused_all;               /* CLIENT PAUSE ALL, not WRITE */
    int64_t paused_until_ms;       /* INT64_MIN: it is not paused */
};

/* A connection's settings and facts about it. */
typedef struct {
    int resp;                      /* HELLO: 2 or 3 */
    bool monitor;                  /* MONITOR: it receives every command */
    bool over;                     /* to be closed once the reply is out */
    bool postponed;                /* its request waits for the end of a pause */
    bool no_evict, no_touch;       /* CLIENT NO-EVICT, NO-TOUCH */
    bool silent;                   /* CLIENT REPLY OFF */
    bool silent_next;              /* silent from the next answer on: it was turned off within the EXEC that is
                                    * answered */
    int skip;                      /* CLIENT REPLY SKIP: 2 in that command, 1 in the next one, else 0 */
    char *name, *address, *local;  /* own; NULL: none */
    size_t name_n;                 /* bytes of the name: it may have a NUL inside */
    char *library, *library_version;               /* CLIENT SETINFO; own; NULL: none */
    int64_t since_ms, seen_ms;     /* connected, and last heard of */
    uint64_t commands;             /* so many of its own have run */
    const command *last;           /* what it ran last, or runs */
} client_facts;

/* CLIENT TRACKING of a connection. */
typedef struct {
    bool on, bcast, optin, optout, noloop;
    bool caching;                  /* CLIENT CACHING: about the next command */
    bool broken;                   /* the connection that was to be told is gone */
    int64_t redirect;              /* the connection that is told instead; 0: itself */
} client_tracks;

struct redis_conn {
    uint32_t id;
    int db;
    bool in_exec;                  /* what runs was queued by MULTI */
    size_t exec_done;              /* how many of them have run */
    client_facts client;
    client_tracks tracks;
    transaction *multi;            /* multi.c; NULL until MULTI or WATCH is first used */
    waiter *wait;                  /* NULL: it waits for nothing */
    struct subscription *subs;     /* pubsub.c, in order of subscription */
    size_t subs_count, subs_cap;
    redis_conn *prev, *next;
};

typedef struct message {
    uint32_t conn;
    bool shard;
    str channel, payload, pattern;
    const reply *push;             /* not NULL: this, and none of those */
    bool after;                    /* all others come first, and so does the answer to the running command */
} message;

static inline const char *server_say(const redis *r, dialect_words what) { return dialect_say(r->dialect, what); }
static inline bool server_follows(const redis *r, dialect_rule rule) { return r->rules[rule]; }

/* The row that argv names: for a container (PUBSUB, SCRIPT) the row "container|subcommand" if there is one.
 * NULL and *why (in `out`, Redis's text for a client) if there is none. Does not check arity. */
const command *server_lookup(const redis *r, const str *argv, size_t argc, arena *out, reply *why);
/* The row that argv names, of those that are only hosted, too, if asked for; *container is the container of an unknown
 * subcommand. */
const command *server_row(const redis *r, bool hosted, const str *argv, size_t argc, const command **container);
reply server_unknown_subcommand(const command *container, str name, arena *out);

/* One redis.call: every check of REDIS-FIDELITY.md 2.2 in its order, then the command. `db` is the database of the
 * running script; SELECT moves it. Errors are replies with Redis's text. argc >= 1. */
typedef struct {
    int slot;              /* that of the keys which the script was given; -1: none */
    bool read_only;
    bool no_memory;        /* refused: a write that may need memory; over once the script has written */
    bool no_replicas;      /* refused: any write; over then, too */
    bool wrote;            /* a write was let through */
} script_may;
reply server_call_from_script(redis *r, redis_conn *conn, const str *argv, size_t argc, script_may *may, int *db,
                              arena *out);
/* It ran, on a server that is hosted: for monitors, statistics and CLIENT TRACKING. */
void server_ran_in_script(const call *c, const command *cmd, const reply *answer);

/* Is memory short? The server's own use, without its values, is a fixed sum. */
enum { SERVER_BYTES = 1 << 20 };
static inline bool server_lacks_memory(const redis *r)
{
    return r->no_memory || (r->maxmemory && store_bytes(r->st) + SERVER_BYTES > r->maxmemory);
}
reply reply_no_memory(void);
/* Are there fewer replicas than a write wants? Who can ask for that (CONFIG SET) has a server with none. */
static inline bool server_lacks_replicas(const redis *r) { return r->min_replicas > 0; }
reply reply_no_replicas(void);

/* Calls fn with each key that this command names, in order, duplicates too. Nothing if argv is no command or too
 * short. */
void server_each_key(const redis *r, const str *argv, size_t argc, void (*fn)(void *context, str key), void *context);

/* The running command compares two numbers that may be times: tells the observer. */
void server_compares(const redis *r, double left, double right);
/* Queues a message; it is handed to the observer when the command has ended: the one that a client sent, or one of
 * those it had queued. Texts are copied. */
void server_post(redis *r, uint32_t conn, bool shard, str channel, str payload, str pattern);
/* The same of what no channel carries; `after` as in a message. */
void server_push(redis *r, uint32_t conn, const reply *what, bool after);
void server_deliver(redis *r);

/* Uniform in [0, n), n >= 1, from the server's own seeded stream. */
uint64_t server_random_below(redis *r, uint64_t n);

/* The command itself, all checks made. */
reply server_do(const command *cmd, const call *c);
/* Runs a command whose arity was checked, outside a script: for redis_execute and EXEC. */
reply server_run(redis *r, redis_conn *conn, const command *cmd, const str *argv, size_t argc, arena *out);

/* cluster.c */
typedef struct {
    int slot;                      /* of the first key; -1: there is none */
    size_t count;                  /* different keys: 0, 1, or 2 for more than one */
    bool crosses;                  /* there is one of another slot: `other` */
    str first, other;
} keys_named;
void cluster_note_key(void *keys, str key);        /* a keys_named */
/* Is this command refused for its slots? EXEC: for those of all that is queued. Never where there is no cluster. */
bool cluster_refuses(const redis *r, const redis_conn *conn, const command *cmd, const str *argv, size_t argc,
                     reply *why);
/* The same of a script's command; `slot` as in script_may. */
bool cluster_refuses_in_script(const redis *r, int slot, const command *cmd, const call *c, reply *why);

/* In one block, which is the caller's to free. */
str *argv_copy(const str *argv, size_t argc);
/* The answer to nearly all commands while a script runs long. */
reply reply_busy(const redis *r);
/* The end of a clock that can be moved: the largest exact Lua number. */
#define CLOCK_MAX_MS (INT64_C(1) << 53)
/* pause.c */
/* Is this one that a pause stops? Known: it would not be refused. */
bool pause_stops(const redis *r, const redis_conn *conn, const command *cmd, const str *argv, size_t argc);
void pause_ends(redis *r);
/* config.c */
struct settings *settings_new(void);
void settings_free(struct settings *s);
/* Is every write logged? A client is told so, and nothing more comes of it: what is kept is kept in memory. */
bool settings_append_only(const redis *r);
/* As CONFIG GET tells it; NULL: this server has no such option, or the host knows it. */
const char *settings_value(const redis *r, const char *name);
void settings_apply(redis *r);                     /* how the store packs collections follows the options */

/* client.c */
void client_reset(client_facts *c);                /* RESET: as when it connected */
void client_free(client_facts *c);
reply client_modules(const call *c);               /* RULE_MODULES: as HELLO and MODULE LIST tell it */

/* stats.c: nothing of these happens where no client asks */
typedef struct stats stats;
typedef struct {
    uint64_t connected, calls, errors, expired;    /* connections, commands that ran, errors, keys that expired */
    uint64_t evicted;                              /* keys that went for want of memory */
} stats_sums;                                      /* since CONFIG RESETSTAT */
stats *stats_new(void);
void stats_free(stats *s);
void stats_reset(stats *s);
const stats_sums *stats_of(const stats *s);
void stats_ran(redis *r, const command *cmd, const reply *answer);
/* Late: the one that waited was counted when it began to. */
void stats_answered(redis *r, const command *cmd, const reply *answer);
/* NULL: it is no command */
void stats_rejected(redis *r, const command *cmd, const reply *why);
void stats_took(redis *r, const command *cmd, int64_t us);
reply stats_histograms(const call *c);             /* LATENCY HISTOGRAM [command ...] */
void stats_expired(redis *r);
void stats_evicted(redis *r);
void stats_connected(redis *r);
void stats_tell_commands(const call *c, buf *b);
void stats_tell_errors(const call *c, buf *b);
void stats_tell_latencies(const call *c, buf *b);

/* evict.c */
void evict(redis *r);                              /* until there is memory, or nothing that may go */

/* disk.c */
int64_t disk_saved_s(const redis *r);              /* the start of the server counts */

/* slowlog.c */
typedef struct slowlog slowlog;
slowlog *slowlog_new(void);
void slowlog_free(slowlog *log);
typedef struct {
    const redis_conn *conn;
    const command *cmd;
    bool in_script;
    const str *argv;
    size_t argc;
} command_ran;
void slowlog_ran(redis *r, const command_ran *k, int64_t us);

/* digest.c */
command_fn debug_digest, debug_digest_value;

/* debug_inside.c */
command_fn debug_object, debug_listpack, debug_quicklist, debug_table_of_key, debug_tables, debug_packed_threshold;

/* monitor.c */
/* Sends a command that ran to all monitors; `lua`: a script ran it. */
void monitor_tell(redis *r, const redis_conn *conn, bool lua, int db, const command *cmd, const str *argv, size_t argc);
/* The words as they may be shown: names and passwords are not. In `a`, or as they are. */
const str *secrets_hidden(arena *a, const command *cmd, const str *argv, size_t argc);
void monitor_leave(redis *r, redis_conn *conn);    /* it receives no more */

/* pubsub.c */
pubsub *pubsub_new(void);
void pubsub_free(pubsub *p);
void pubsub_leave(redis *r, redis_conn *conn);     /* drops every subscription of the connection, silently */
void pubsub_count(const redis_conn *conn, size_t *channels, size_t *patterns, size_t *shards);
size_t pubsub_count_all(const redis *r, bool patterns);            /* with subscribers */
void pubsub_publish(redis *r, str channel, str payload);          /* as PUBLISH does */
/* True if the connection is subscribed to anything, which restricts what it may send in RESP2. */
bool pubsub_is_subscriber(const redis_conn *conn);

/* tracking.c */
void tracking_free(struct tracking *t);
void tracking_leave(redis *r, redis_conn *conn);   /* it tracks no more */
/* This command of the connection, or of its script, ran: are its keys to be remembered? */
void tracking_read(redis *r, const redis_conn *conn, const command *cmd, const str *argv, size_t argc);
void tracking_command_ends(redis_conn *conn, const command *cmd);              /* NULL: it was refused */
void tracking_flushed(redis *r);
int64_t tracking_redirect(const redis_conn *conn); /* as CLIENT GETREDIR answers */
typedef struct {
    size_t clients, keys, items, prefixes;
} tracking_sums;
tracking_sums tracking_count(const redis *r);

/* server.c: around what the server does by itself: what is published goes out after it, and who waited is answered */
void server_acts(redis *r, int64_t now_ms);
void server_acted(redis *r);

/* waiting.c */
/* The connection of `c` waits until one of the keys argv[first .. first + n) holds a value of this kind for which
 * `ready` is true (NULL: any), or for `timeout_ms` (0: for ever); then `serve` makes the answer from that key and its
 * value.
 * Under RULE_WAITS_RUN_AGAIN the command runs again instead, and may begin to wait again. */
typedef reply serve_fn(const call *c, str key, value *v);
typedef bool ready_fn(const call *c, str key, const value *v);
typedef struct {
    value_kind kind;
    int64_t timeout_ms;
    size_t first, n;
    ready_fn *ready;
    serve_fn *serve;
    bool till_gone;                /* it ends with an error where a key of them goes, or is no stream any more */
} wait_terms;
void waiting_begin(const call *c, const wait_terms *terms);
/* answers as a time-out does, or with an error; false: it does not wait */
bool waiting_unblock(redis *r, redis_conn *conn, bool with_error);
void waiting_leave(redis *r, redis_conn *conn);    /* ends the wait, if there is one, without an answer */
void waiting_key_added(void *server, int db, str key, value_kind kind);         /* the store's news */
void waiting_key_removed(void *server, int db, str key, value_kind kind);
/* Both databases were exchanged: their keys count as created. */
void waiting_swapped(redis *r, int db, int other);
void waiting_serve(redis *r);  /* answers those who waited for keys that the ended command created */

/* Calls fn with each word of the commands that wait. */
void waiting_each_word(const redis *r, void (*fn)(void *context, str word), void *context);

/* One word of a command as bytes and back: one that may be an instant is written relative to now. */
void word_freeze(str word, int64_t now_ms, buf *out);
/* takes it off `from`; may borrow from there */
str word_thaw(const redis *r, str *from, int64_t now_ms, arena *a);
/* keyspace_freeze.c: renamed as by redis_rename_by; NULL: unchanged */
str renamed(const redis_renamer *by, str s);
uint32_t renamed_connection(const redis_renamer *by, uint32_t conn);

/* multi.c */
bool transaction_open(const redis_conn *conn);     /* between MULTI and EXEC or DISCARD */
size_t transaction_watches(const redis_conn *conn);                /* keys that it watches */
int64_t transaction_length(const redis_conn *conn);/* queued commands; -1 outside MULTI */
void transaction_queue(redis_conn *conn, const command *cmd, const str *argv, size_t argc);   /* copies */
bool transaction_writes(const redis_conn *conn);   /* does one of the queued commands, or may it? */
void transaction_each_key(const redis *r, const redis_conn *conn, void (*fn)(void *context, str key), void *context);
/* is one of the queued commands refused when memory is short? */
bool transaction_needs_memory(const redis_conn *conn);
bool transaction_has_writes(const redis_conn *conn);                 /* itself, not by a script */
void transaction_spoil(redis_conn *conn);          /* a command was refused: EXEC will abort. No effect outside MULTI */
void transaction_reset(redis *r, redis_conn *conn);/* forgets queue and watched keys */
void transaction_free(redis *r, redis_conn *conn);
/* Calls fn with each word that some connection has queued. */
void transactions_each_word(const redis *r, void (*fn)(void *context, str word), void *context);

#endif
