/* command.h - one table of commands: name, arity, flags, keys, and the function that runs it. Only sim/redis includes
 * this. Facts: COMMAND of each server (tests/conformance/commands.c compares them), and REDIS-FIDELITY.md section 6. */
#ifndef LOCKSIM_REDIS_COMMAND_H
#define LOCKSIM_REDIS_COMMAND_H

#include "redis/redis.h"
#include "redis/store.h"

enum {
    CMD_WRITE = 1,         /* refused in read-only scripts */
    CMD_READONLY = 2,
    CMD_NOSCRIPT = 4,      /* refused in scripts */
    CMD_PUBSUB_OK = 8,     /* allowed to a RESP2 subscriber */
    CMD_MAY_REPLICATE = 16,/* PUBLISH, SPUBLISH: refused in read-only scripts though not a write */
    CMD_NO_MULTI = 32,     /* refused inside MULTI */
    CMD_NOT_QUEUED = 64,   /* runs at once inside MULTI: EXEC DISCARD MULTI WATCH QUIT RESET */
    CMD_CONTAINER = 128,   /* argv[1] chooses a row named "container|subcommand"; `run` is never called */
    CMD_EXEC = 512,        /* EXEC: refused, it ends the transaction */
    CMD_HOSTED = 2048,     /* there only where clients reach the server over connections of their own (redis_host_by) */
    CMD_WAITS = 1024,      /* its connection may have to wait for the answer */
    CMD_NUMKEYS = 256,     /* argv[first_key] is how many keys follow it; last_key: a destination's position, or 0; step
                            * is 0 */
    CMD_WAITS_THERE = 1 << 18,     /* its connection waits at a real server; here it is answered at once */
    CMD_STORES = 1 << 19,  /* SORT, GEORADIUS: among the options STORE names another key */
    CMD_STORES_PLACES = 1 << 24,   /* with CMD_STORES, GEORADIUS: STOREDIST does, too, and no word is passed over */
    CMD_ALLOW_BUSY = 1 << 20,      /* runs while a script runs long */
    CMD_TALK = 1 << 21,    /* a connection speaks of itself: runs then, too, since RULE_TALKS_WHILE_BUSY */
    CMD_STREAMS = 1 << 22, /* after the word STREAMS come keys, and then as many ids; first_key is 0 */
    CMD_QUIET = 1 << 23,   /* looks at a key without using it: OBJECT IDLETIME */
    CMD_CHANNELS = 1 << 17,/* the words at the places of keys are shard channels: they have a slot, as keys do, but
                            * are no keys */
    CMD_DENYOOM = 4096,    /* refused when memory is short */
    CMD_RUNS_OTHERS = 8192,/* scripts, EXEC: what it writes is theirs */
    /* A command's cost for a script's budget (script_api.c). By default it is the number of elements under its first
     * key, as a list or a set may be walked or moved as a whole; these flags change it. */
    CMD_FLAT = 1 << 14,    /* does not grow with the value, or is charged by its reply */
    CMD_TO_BYTE = 1 << 15, /* the string may be lengthened to the byte at argv[2] */
    CMD_TO_BIT = 1 << 16,  /* the same for a bit */
};

/* One call of a command. argv[0] is the name as typed. Replies and their texts go to `out`. */
typedef struct {
    redis *server;
    redis_conn *conn;
    store *st;
    int db;
    int *selected;         /* SELECT writes here: the connection's database, or that of the running script */
    const str *argv;
    size_t argc;
    arena *out;
    bool in_script;
} call;

typedef reply command_fn(const call *c);

typedef struct {
    const char *name;      /* lower case */
    int arity;             /* counts the name; negative: at least */
    unsigned flags;
    int first_key, last_key, step;   /* positions in argv; last -1: the last argument, -2: the one before; first 0: no
                                      * keys */
    command_fn *run;
    dialect_since since, until;    /* the versions that have it: from `since` on, but no longer from `until` on; until
                                    * 0: all later ones */
    dialect_since scripts;         /* with CMD_NOSCRIPT: scripts may call it from this version on; 0: never */
} command;

/* SINCE(7, 2, 0, 0): since Redis 7.2, and in all of Valkey. */
#define SINCE(redis_major, redis_minor, valkey_major, valkey_minor) \
    { 100 * (redis_major) + (redis_minor), 100 * (valkey_major) + (valkey_minor) }
#define REDIS_ONLY(major, minor) { 100 * (major) + (minor), DIALECT_NEVER }
#define VALKEY_ONLY(major, minor) { DIALECT_NEVER, 100 * (major) + (minor) }
/* For `until`: of Redis up to 7.0 only. */
#define UNTIL_7_2 { 702, 1 }

/* Each file of commands offers its rows; table.c joins them. The arrays end with a row whose name is NULL. */
extern const command commands_generic[];    /* generic.c: keys, server */
extern const command commands_expire[];     /* expire.c: EXPIRE, TTL, PERSIST and their kin */
extern const command commands_string[];     /* string.c */
extern const command commands_bit[];        /* bit.c: strings as rows of bits */
extern const command commands_databases[];  /* databases.c: MOVE, SWAPDB */
extern const command commands_sort[];       /* sort.c: SORT, SORT_RO */
extern const command commands_object[];     /* object.c: OBJECT */
extern const command commands_help[];       /* help.c: OBJECT HELP and its kin */
extern const command commands_help_server[];    /* help_server.c: CLIENT HELP and its kin */
extern const command commands_cluster[];    /* cluster.c: CLUSTER KEYSLOT */
extern const command commands_self[];       /* self.c: modules, replicas, where there is nothing to tell */
extern const command commands_acl[];        /* acl.c: ACL */
extern const command commands_disk[];       /* disk.c: SAVE and its kin */
extern const command commands_dump[];       /* dump.c: DUMP, RESTORE */
extern const command commands_memory[];     /* memory.c: MEMORY */
extern const command commands_slowlog[];    /* slowlog.c: SLOWLOG, LATENCY */
extern const command commands_refused[];    /* refused.c: what locksim does not do, each with the reason */
extern const command commands_lcs[];        /* lcs.c */
extern const command commands_bitop[];      /* bitop.c: BITOP, BITPOS */
extern const command commands_geo[];        /* geo.c: GEOADD, GEOSEARCH and their kin */
extern const command commands_hyperloglog[];    /* hyperloglog.c: PFADD, PFCOUNT, PFMERGE */
extern const command commands_bitfield[];   /* bitfield.c */
extern const command commands_hash[];       /* hash.c */
extern const command commands_field[];      /* field.c: fields of hashes that expire */
extern const command commands_list[];       /* list.c */
extern const command commands_pops[];       /* pops.c: LMPOP, ZMPOP */
extern const command commands_blocking[];   /* blocking.c: pops that wait */
extern const command commands_set[];        /* set.c */
extern const command commands_zset[];       /* zset.c */
extern const command commands_stream[];     /* stream.c */
extern const command commands_stream_read[];/* stream_read.c: XREAD, XREADGROUP */
extern const command commands_stream_info[];/* stream_info.c: XINFO */
extern const command commands_stream_group[];    /* stream_group.c: XGROUP, XACK */
extern const command commands_stream_claim[];    /* stream_claim.c: XPENDING, XCLAIM, XAUTOCLAIM */
extern const command commands_pubsub[];     /* pubsub.c */
extern const command commands_multi[];      /* multi.c: MULTI EXEC DISCARD WATCH UNWATCH */
extern const command commands_script[];     /* scripting.c: EVAL EVALSHA EVAL_RO EVALSHA_RO SCRIPT, FCALL FCALL_RO
                                             * FUNCTION */

extern const command commands_client[];     /* client.c: HELLO, AUTH, CLIENT: a connection's settings */
extern const command commands_monitor[];    /* monitor_command.c: MONITOR */
extern const command commands_tracking[];   /* tracking.c: CLIENT TRACKING and its kin */
extern const command commands_pause[];      /* pause.c: CLIENT PAUSE, UNPAUSE */
extern const command commands_admin[];      /* admin.c: CLOCK, SHUTDOWN: the server as a program */
extern const command commands_debug[];      /* debug.c: DEBUG */
extern const command commands_info[];       /* info.c: INFO: facts about the program */
extern const command commands_config[];     /* config.c: CONFIG */
extern const command commands_command[];    /* command.c: COMMAND, the table told to clients */

/* Case-insensitive; NULL if this server has no such command, or none that locksim knows. "container|subcommand" finds
 * that row. */
const command *command_find(dialect d, str name);
const command *command_find_hosted(dialect d, str name);   /* the same, those of CMD_HOSTED too */
/* of any dialect, without those of CMD_HOSTED: for what all commands of one name have in common */
const command *command_find_any(str name);
bool command_lives(const command *row, dialect d);
bool command_in_scripts(const command *row, dialect d);    /* is it let into scripts? */
bool command_while_busy(const command *row, dialect d);    /* does it run while a script runs long? */
/* One of refused.c: known by name, and never done. */
bool command_is_refused(const command *row);
/* The names of all commands in a category (command_facts.h), as ACL CAT answers them. */
reply command_names_in(const call *c, str category);
/* Calls fn with every row of this server that is not refused, in the table's order. */
void command_each(dialect d, void (*fn)(void *context, const command *row), void *context);
bool command_arity_ok(const command *cmd, size_t argc);

/* Replies that many commands share; texts are REDIS-FIDELITY.md's codes WT INT FLT SYN POS MM LEX OVF EXP(c) AR(c)
 * NK0. */
reply reply_wrongtype(void);
reply reply_not_integer(void);
reply reply_not_float(void);
reply reply_syntax(void);
reply reply_not_positive(void);
reply reply_overflow(void);
reply reply_bad_expire(const call *c, const char *name);
reply reply_bad_arity(const call *c, const char *name);
reply reply_no_such_key(void);
/* In small letters, in `out`. */
str word_lower(const call *c, str word);
/* An error that ends in a word of the client's, which may hold anything: one line, cut at a NUL as C strings are. */
reply reply_error_about(const call *c, const char *text, str word);
/* The same with the words at the places of the % in `text`, at most two. */
reply reply_error_naming(const call *c, const char *text, str first, str second);

/* proto-max-bulk-len: no string is longer. */
#define STRING_BYTES_MAX (INT64_C(512) << 20)

/* One small command can ask for the same large value many times. False and *r a refusal, which Redis does not have, if
 * an answer with that many bytes of text would be larger than REPLY_BYTES_MAX. */
enum { REPLY_BYTES_MAX = 256 << 20 };
bool reply_fits(size_t bytes, reply *r);

/* Redis's own number syntax (REDIS-FIDELITY.md section 6, "Integer syntax", "Float syntax"). */
bool parse_int(str s, int64_t *n);
bool parse_double(str s, double *d);
/* parse_double where this server reads a score or a weight. */
bool parse_score(const call *c, str s, double *d);
bool parse_long_double(str s, long double *d);
/* %.17Lf with trailing zeros cut, -0 as 0: INCRBYFLOAT's format. */
str format_long_double(arena *a, long double d);
/* In the fewest digits that read back the same, about, and whole numbers as such; no NUL. How servers write since
 * RULE_SHORT_NUMBERS. */
enum { DOUBLE_TEXT_MAX = 40 };
size_t double_text_short(double d, char text[DOUBLE_TEXT_MAX]);
/* A score as this server writes it, and as a reply. */
str score_text(const redis *server, arena *a, double d);
reply score_reply(const call *c, double d);
/* Glob as KEYS and PSUBSCRIBE match it. */
bool glob_match(str pattern, str text);

/* The value of `kind` under `key`: true and *v = NULL if absent; false, and *r a WRONGTYPE error, if it holds another
 * kind. */
bool find_kind(const call *c, str key, value_kind kind, value **v, reply *r);
/* The same, but creates an empty value when the key is absent (the caller then must fill it). */
bool find_or_create(const call *c, str key, value_kind kind, value **v, reply *r);

#endif
