/* redis.h - one simulated server, Redis 7.0 or another dialect: connections, commands, scripts, pub/sub, and its state
 * as canonical bytes. Everything happens at the `now_ms` the caller passes (Unix milliseconds of virtual time); time
 * stands still inside a call. With dialect.h and reply.h the only header of sim/redis that layers above sim/script
 * include. */
#ifndef LOCKSIM_REDIS_REDIS_H
#define LOCKSIM_REDIS_REDIS_H

#include "base/instant.h"
#include "redis/dialect.h"
#include "redis/reply.h"

typedef struct redis redis;
typedef struct redis_conn redis_conn;
typedef struct script_engine script_engine;

/* In a cluster keys have slots. Not said: keys of two slots in one script are a finding. No: slots are ignored. Yes:
 * the server refuses them, and a script reaches only the slot of the keys it was given, as another one may be on
 * another node. */
typedef enum { CLUSTER_NOT_SAID, CLUSTER_NO, CLUSTER_YES } cluster_kind;

/* Which server it is, and the budgets of one script run; 0 takes the default. */
typedef struct {
    uint64_t script_steps;         /* Lua VM instructions, pattern-matching steps and allocated bytes / 16; default
                                    * 10,000,000 */
    size_t script_bytes;           /* the interpreter's heap; default 64 MiB */
    size_t store_bytes;            /* the keyspace, about, as Redis's maxmemory; default 256 MiB */
    dialect dialect;               /* default redis 7.0 */
    unsigned notify;               /* which events of keys are published (redis_notify_parse); default none */
    cluster_kind cluster;
    bool packings;                 /* OBJECT ENCODING follows how each collection grew and shrank, and so do frozen
                                    * bytes. Without it two that hold the same are the same, and it is refused */
    int64_t back_ms;               /* the clock may go back by so much: what expired no longer ago, and was not removed,
                                    * comes back then, and is frozen, too */
    instant_spelling instants;         /* which instants redis_fold writes relative to now */
    bool pure_functions;           /* a function fails if it changes state that its library keeps between calls: for
                                    * callers that do not track that state */
} redis_limits;

/* Something that a script did that is no error in Redis, but a finding of ours (LK050). */
typedef enum {
    FINDING_UNDECLARED_KEY,        /* a command touched a key that is not in KEYS */
    FINDING_CROSS_SLOT,            /* KEYS, or the keys of one run, in more than one cluster slot */
    FINDING_LEAKED_GLOBAL,         /* tried to create or assign a global */
    FINDING_SCRIPT_ERROR,          /* the script ended in an error of its own; text is the reply's */
    FINDING_BUDGET,                /* it was stopped by redis_limits */
    FINDING_CRASH,                 /* the real server would have crashed here (REDIS-FIDELITY.md 0.13) */
} script_finding;

/* Callbacks for what happens inside a call, in order. Any member may be NULL. Texts are borrowed for the duration of
 * the call. */
typedef struct {
    void *context;
    /* A message for a subscribed connection. pattern.p is NULL for SUBSCRIBE/SSUBSCRIBE: a pattern may be empty.
     * Messages of a script are handed over when it ended, in publish order, also if it failed. */
    void (*message)(void *context, uint32_t conn, str channel, str payload, str pattern);
    /* One of a shard channel (SSUBSCRIBE); without this member it is a message as any other. */
    void (*shard_message)(void *context, uint32_t conn, str channel, str payload);
    /* What no channel carries: which keys changed (CLIENT TRACKING). `after`: behind the answer of the command that
     * this connection runs. */
    void (*pushed)(void *context, uint32_t conn, const reply *r, bool after);
    /* One redis.call or redis.pcall of a script, after it ran. line is the line in the script, 1-based. */
    void (*effect)(void *context, str sha1, int line, const str *argv, size_t argc, const reply *r);
    void (*finding)(void *context, script_finding kind, str sha1, int line, str text);
    void (*log)(void *context, int level, str text);            /* redis.log */
    /* A command that a client sent, or (lua) that a script of its ran, while some connection monitors: after it ran,
     * or, of a script, before. Passwords are left out. */
    void (*monitored)(void *context, uint32_t conn, bool lua, int db, const str *argv, size_t argc);
    /* The answer to a command for which its connection had to wait (BLPOP); the wait is over. After all messages of the
     * call. */
    void (*answered)(void *context, uint32_t conn, const reply *r);
    /* A command compared two numbers that may be times (scores, ids of a stream, deadlines): the one less the
     * other. */
    void (*compared)(void *context, double difference);
} redis_observer;

/* The user of a server that clients reach over connections of their own. Only then do HELLO, CLIENT, INFO,
 * CONFIG, COMMAND, CLOCK, DEBUG, SHUTDOWN and their kin exist. Callbacks may be NULL; what they call must not come back
 * into this server. */
typedef struct {
    void *context;
    /* CLOCK and DEBUG SLEEP: from now on it is `now_ms`. NULL: the clock is not theirs to move. */
    void (*set_clock)(void *context, int64_t now_ms);
    void (*sleep)(void *context, int64_t sleep_us);/* DEBUG SLEEP where the clock runs by itself */
    /* CLIENT KILL of another connection: close it when this call is over */
    void (*drop)(void *context, uint32_t conn);
    void (*stop)(void *context);                   /* SHUTDOWN */
    /* Called now and then from within a script; NULL: the script ends by its budget. See redis_stand. */
    void (*script_runs)(void *context);
    int64_t since_ms;                              /* when the program started */
    int64_t process_id, port;                      /* what INFO says; port 0: none */
    const char *unix_path;                         /* what CONFIG GET says; NULL: none */
} redis_host;

/* A server whose scripts run in this engine, which outlives it: engine.h. Others ask for redis_new of
 * script/script.h. */
redis *redis_new_with(redis_limits limits, const script_engine *engine);
void redis_free(redis *r);
/* Everything that Redis draws at random (SPOP, RANDOMKEY, ...; not math.random) begins anew from `seed`; 0 at first. */
void redis_seed(redis *r, uint64_t seed);
/* Stays in force until replaced; NULL: none. Copied. Its callbacks must not call this server. */
void redis_observe(redis *r, const redis_observer *o);

/* `id` is the caller's name for the connection; it is what `message` gets. Ids are unique among open connections. */
redis_conn *redis_connect(redis *r, uint32_t id);
void redis_disconnect(redis *r, redis_conn *c);
size_t redis_clients_max(const redis *r);                      /* CONFIG SET maxclients */
redis_conn *redis_connection(const redis *r, uint32_t id);     /* NULL: no connection has this id */

void redis_host_by(redis *r, const redis_host *h);         /* copied, except for the text; NULL: none */
/* What CLIENT LIST and INFO say of the connection; copied. */
void redis_conn_describe(redis_conn *c, str address, str local, int64_t now_ms);
int redis_conn_db(const redis_conn *c);                    /* the database that it has selected */
int redis_conn_protocol(const redis_conn *c);              /* 2 or 3: how its next reply is to be encoded */
bool redis_conn_over(const redis_conn *c);    /* QUIT, CLIENT KILL of itself: to be closed once the reply is out */
/* MONITOR: does the connection receive every command? Not while CLIENT REPLY silences it. */
bool redis_conn_monitors(const redis_conn *c);
/* Asked once after each command: is its reply to be sent (CLIENT REPLY)? */
bool redis_conn_answers(redis_conn *c);
/* For `message`: how many commands of its transaction have run, if it is within EXEC, else SIZE_MAX. The message
 * precedes the next of its answers. */
size_t redis_conn_exec_done(const redis_conn *c);

/* Does the connection remember anything for its next command (a database other than 0, MULTI, WATCH), subscriptions
 * left out? */
bool redis_conn_remembers(const redis_conn *c);
bool redis_command_remembers(str name);    /* may this command make it remember something? By its name, in any case. */
int64_t redis_conn_queued(const redis_conn *c);    /* commands since its MULTI; -1: there was none */
/* How often, so far, a key or field was given a deadline that its sender had computed (PXAT, PEXPIREAT) and that had
 * come already: what was stored is gone at once. */
uint64_t redis_late_deadlines(const redis *r);
/* The state of all connections, as canonical bytes; empty if none has any. A watched key is written as changed or
 * unchanged; queued words that may be instants are relative to now_ms. */
void redis_freeze_transactions(redis *r, int64_t now_ms, buf *out);
/* Gives connections exactly that state; missing ones are connected first. After the keyspace was thawed: keys are
 * watched as they are now. */
void redis_thaw_transactions(redis *r, int64_t now_ms, str frozen);

/* Runs one command as if it had just been read from `c`. The reply and its texts live in `out`. SUBSCRIBE and related
 * commands with several channels answer an array of their confirmations. Never fails: a refusal of Redis is an error
 * reply. */
reply redis_execute(redis *r, redis_conn *c, const str *argv, size_t argc, int64_t now_ms, arena *out);

/* ---- scripts that run long: the host's script_runs may leave one in its midst (fiber.h) and let others speak ----
 * Between redis_stand and redis_go_on redis_execute answers other connections: almost all of them BUSY. SCRIPT KILL and
 * FUNCTION KILL end the script when it goes on, unless it has written. */
bool redis_command_runs_scripts(str name);         /* may it? By its name, in any case. */
/* busy-reply-threshold: a script that runs for this long runs long; 0: never. */
int64_t redis_busy_after_ms(const redis *r);
/* The script has run for ran_ms; delivers what it published. */
void redis_stand(redis *r, int64_t ran_ms);
void redis_go_on(redis *r);
void redis_end_script(redis *r);                   /* before redis_go_on: whatever it wrote, it ends there */

/* The host has run what its clients had sent: whoever asked for the keys that begin so is told which changed
 * (CLIENT TRACKING, BCAST). */
void redis_turn_ends(redis *r);

/* ---- CLIENT PAUSE ----
 * True if this request has to wait until the pause is over, instead of redis_execute. What would be refused has not. */
bool redis_postpones(redis *r, redis_conn *c, const str *argv, size_t argc, int64_t now_ms);
/* It waits for that, or no longer: what CLIENT LIST and INFO say. */
void redis_conn_postpone(redis_conn *c, bool yes);
/* The last instant of the pause; INT64_MIN: there is none. */
int64_t redis_paused_until_ms(redis *r, int64_t now_ms);

/* ---- waiting: BLPOP, BRPOP, BLMOVE, BRPOPLPUSH, BLMPOP, BZPOPMIN, BZPOPMAX, BZMPOP, XREAD ----
 * What finds nothing is no answer: redis_execute returns nil, redis_waits is true from then on, and the answer comes to
 * observer.answered in a later call: at the end of the command of another connection that brought what was waited for
 * (first come, first served), of redis_timeouts, or of redis_unblock. A connection that waits may not
 * execute anything. redis_disconnect and redis_wipe end the wait without an answer. In MULTI and in scripts nothing
 * waits: the answer is that of a time-out. */
bool redis_waits(const redis_conn *c);
/* Until when, time-out included (INT64_MAX: for ever); it must wait. */
int64_t redis_waits_until_ms(const redis_conn *c);
bool redis_command_waits(str name);                /* may it? By its name, in any case. */
/* in the order of coming */
void redis_each_waiting(const redis *r, void (*fn)(void *context, uint32_t conn), void *context);
/* The first instant at which redis_timeouts would answer a connection, one millisecond after the earliest time-out (as
 * in Redis 7.0); INT64_MAX: none waits, or all wait for ever. */
int64_t redis_next_timeout_ms(const redis *r);
/* Answers all whose time-out has passed: the earliest first, at one instant in the order of coming. */
void redis_timeouts(redis *r, int64_t now_ms);
/* CLIENT UNBLOCK: answers as a time-out does, or with an error; false if `c` does not wait. */
bool redis_unblock(redis *r, redis_conn *c, bool with_error, int64_t now_ms);
/* The waiting connections, for what and until when, in the order of coming, as canonical bytes; empty if none waits.
 * Time-outs and words that may be instants are written relative to now_ms. */
void redis_freeze_waiting(const redis *r, int64_t now_ms, buf *out);
/* Makes exactly the connections wait that waited when the bytes were made; missing ones are connected first. */
void redis_thaw_waiting(redis *r, int64_t now_ms, str frozen);

/* The lower-case hex SHA-1 of a script, for EVALSHA. `hex` gets 40 bytes and a NUL. */
void redis_sha1(str body, char hex[41]);

/* True if `command` with these arguments may change the keyspace, by its flags (EVAL counts as a write). */
bool redis_command_writes(str name);
/* It neither may change the keyspace nor wait: what a view may ask. */
bool redis_command_only_looks(str name);
/* Subscribed channels and patterns of a connection, in the order of subscription: for leak checks. */
size_t redis_subscriptions(const redis *r, const redis_conn *c);

/* The keyspace as canonical bytes: equal bytes <=> no command can tell the two keyspaces apart, now or at equal times
 * later. Deadlines are written relative to now_ms; expired keys are left out; insertion order is kept where a command
 * can see it. Connections, subscriptions and the script cache are not part of it. */
void redis_freeze(redis *r, int64_t now_ms, buf *out);
/* The state of all random draws, SPOP's and math.random's: if it differs, two servers with equal keyspaces differ in
 * their next draws. */
void redis_freeze_random(const redis *r, buf *out);
void redis_thaw_random(redis *r, str frozen);      /* bytes of redis_freeze_random */
/* Replaces the keyspace by a frozen one, its deadlines counted from now_ms. Bytes must come from redis_freeze. */
void redis_thaw(redis *r, int64_t now_ms, str frozen);
/* The same, but every text of digits and every score within 10^9 of now_ms counts as an instant (others as
 * redis_limits.instants says) and is written relative to it: two keyspaces that differ by a shift of the clock are
 * equal. Read back at another time, the instants are shifted to that time. */
void redis_fold(redis *r, int64_t now_ms, buf *out);
void redis_unfold(redis *r, int64_t now_ms, str folded);

/* Names that are exchanged by whatever is thawed or unfolded: `text` changes a text in place, in the bytes that are
 * thawed, which then must be the caller's own; `connection` says which one it is now. Counts from now on, until it is
 * NULL; borrowed. */
typedef struct {
    void *context;
    void (*text)(void *context, char *bytes, size_t n);
    uint32_t (*connection)(void *context, uint32_t conn);
} redis_renamer;
void redis_rename_by(redis *r, const redis_renamer *by);

/* Every instant within `window_ms` of now_ms that the keyspace holds: each live key's deadline (`deadline` true, at any
 * distance), and each number (score, string, hash value, list element, word of a command that is queued or waits) that
 * is within the window and so may be a time. Order unspecified, duplicates possible. */
void redis_each_instant(redis *r, int64_t now_ms, int64_t window_ms,
                        void (*fn)(void *context, int64_t at_ms, bool deadline), void *context);
/* Counts every write to the keyspace so far, reaped keys included: equal counts mean that nothing changed in
 * between. */
uint64_t redis_writes(const redis *r);
/* How many commands scripts have run so far. */
uint64_t redis_script_calls(const redis *r);

/* Live keys of database 0 in byte order; the value as one readable line: a hash {A:1 = 1}, a list [a, b], a stream [1-0
 * {a = b}], a set {a, b}, a sorted set {m: score}, a string "text". ttl_ms is -1 without a deadline. Both texts live in
 * `a`. */
void redis_each_key(redis *r, int64_t now_ms, arena *a,
                    void (*fn)(void *context, str key, str shown, int64_t ttl_ms), void *context);
/* How many replicas acknowledge a WAIT from now on; 0 at first. */
void redis_set_acks(redis *r, int64_t acks);
/* Removes expired keys, which otherwise are removed when they are accessed: checks at most `keys_max` keys, the next
 * ones in the next call; *gone is how many were removed. False after a whole round, or if DEBUG SET-ACTIVE-EXPIRE 0
 * forbids it. */
bool redis_reap(redis *r, int64_t now_ms, size_t keys_max, size_t *gone);
/* What the server still has to remove by itself, in byte order of the keys of database 0: hashes with expired fields,
 * and, where expiry is published or the clock may go back, expired keys. Until then a script may count the fields
 * (HLEN), the event of the key is not published, and a clock that goes back brings the key back. */
void redis_each_expired(redis *r, int64_t now_ms, void (*fn)(void *context, str key), void *context);
/* Removes one of these as the active expiry does, and publishes it; false if there is nothing to remove. */
bool redis_expire(redis *r, int64_t now_ms, str key);
/* From now on expired keys and fields are hidden and not removed on access: for callers that must change nothing. */
void redis_only_look(redis *r, bool yes);
/* Removes one key as eviction does; false if it is not there. */
bool redis_evict(redis *r, int64_t now_ms, str key);
/* Server restarted without persistence: keyspace, script cache, subscriptions and waiting commands are gone. */
void redis_wipe(redis *r);

/* While `yes`, memory is short (used memory above maxmemory, and nothing may be evicted): commands that may need more
 * are refused. A script is refused its first write if that may need memory, and none after it has written; one with a
 * shebang line does not even start, unless that says allow-oom. */
void redis_out_of_memory(redis *r, bool yes);
/* Might this command be refused for that? By its name; scripts might. */
bool redis_command_needs_memory(str name);

/* The cluster slot of a key: CRC-16/XMODEM of it, or of its first {tag}, modulo 16384. */
unsigned redis_key_slot(str key);
/* While `yes`, the slot of whatever a request names is moving to another node: see redis_shows_moving. Of a cluster
 * only. */
void redis_slot_moves(redis *r, bool yes);
/* Would a client that follows MOVED and ASK notice it? A command with several keys gets TRYAGAIN (they are not on one
 * node, or do not exist); an EVALSHA with one key arrives at the next node, which does not know the script. */
bool redis_shows_moving(const redis *r, const str *argv, size_t argc);

/* What notify-keyspace-events says, by Redis's letters ("KEx"), for redis_limits. False, with the reason in *why, if a
 * letter means nothing or asks for events that are not told of here. */
bool redis_notify_parse(str letters, unsigned *flags, const char **why);
/* Is the expiry of keys and fields published when they are really removed? Then those not yet removed are part of a
 * frozen keyspace. */
bool redis_tells_expiry(const redis *r);
/* Might a subscriber of this channel or pattern get a message from the server itself, when it removes an expired
 * key? */
bool redis_tells_by_itself(const redis *r, str channel);

dialect redis_dialect(const redis *r);

/* The reply, or its first part that is locksim's own refusal of something a real server does; NULL: none. */
const reply *redis_refusal(const reply *r);
/* Adds a row for each command of Redis 7.0 that is known, also those that locksim refuses: name, arity, flags joined by
 * commas (write or read, noscript, container, refused), and the places of its first and last key and the step between
 * them; 0 0 0: none, or counted. */
void redis_tell_commands(buf *out);

#endif
