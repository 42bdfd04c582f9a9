/* dialect.h - the server that is simulated: a lineage and a released version, such as "redis 7.0" or "valkey 9.1". What
 * a command's row or a rule states since some version holds for each later version of the lineage, too. Valkey forked
 * from Redis 7.2, so all of Valkey has what Redis had by then. */
#ifndef LOCKSIM_REDIS_DIALECT_H
#define LOCKSIM_REDIS_DIALECT_H

#include "base/arena.h"
#include "base/buf.h"

typedef enum { LINEAGE_REDIS, LINEAGE_VALKEY } lineage;

/* Plain data. `version` is 100 * major + minor; all zero is the default, redis 7.0. `patch` is one more than the last
 * number of "redis 8.0.6", 0 if none was given: the server reports it as its own version, and nothing else depends on
 * it. */
typedef struct {
    lineage lineage;
    uint16_t version;
    uint8_t patch;
} dialect;

enum { DIALECT_ALWAYS = 0, DIALECT_NEVER = UINT16_MAX };

/* From which version on something holds, in each lineage. All zero: always, in both. */
typedef struct {
    uint16_t redis, valkey;
} dialect_since;

static inline bool dialect_has(dialect d, dialect_since from)
{
    return d.version >= (d.lineage == LINEAGE_VALKEY ? from.valkey : from.redis);
}

/* But for the patch. */
static inline bool dialect_equal(dialect x, dialect y) { return x.lineage == y.lineage && x.version == y.version; }

/* "redis 7.0", "Valkey 8.1.1" (in any case of letters). False if the text names no released version that locksim
 * knows. */
bool dialect_parse(str text, dialect *d);
/* The i-th of all versions that there are, those of a lineage together and in their order; false past the last. */
bool dialect_nth(size_t i, dialect *d);
/* What dialect_parse takes, for a hint: `"redis 7.0", "redis 7.2", ...`. */
void dialect_tell_names(buf *out);
/* The default written out: redis 7.0. */
dialect dialect_or_default(dialect d);
/* "redis 7.0", or "redis 7.0.11" where the patch was named. */
str dialect_name(arena *a, dialect d);
/* True if this version is compared with the real server (make conformance-all). Facts about the others come from
 * release notes and from neighbouring releases. */
bool dialect_is_proved(dialect d);
/* The release that the server reports as its version: the given one, or the one that was compared, "7.0.15". */
str dialect_release(arena *a, dialect d);
/* The Redis version that the server reports to clients that know of no other: "7.0.15", and for every Valkey
 * "7.2.4". */
str dialect_redis_release(arena *a, dialect d);

/* ---- rules: what differs between dialects and is no fact of one command ---- */

typedef enum {
    RULE_STRICT_CURSOR,            /* a cursor of SCAN is not empty and not negative; blanks before it are allowed */
    RULE_STRICT_BOUNDS,            /* a bound by score has neither blanks before it nor hexadecimal digits */
    RULE_BITS_ARGUMENTS_FIRST,     /* BITCOUNT and BITPOS read their arguments before they look at the key */
    RULE_LONG_TIMEOUT,  /* a time-out beyond the end of time has an error of its own, unlike a negative one */
    RULE_WAITS_RUN_AGAIN,          /* a pop that waited is run again when a key comes: its keys count in their
                                    * order, of any kind */
    RULE_EMPTY_IS_NOTHING,         /* an empty request is no command: CLIENT REPLY SKIP waits for the next one */
    RULE_MONITOR_RAW,              /* MONITOR writes " and \ in a word as they are ... */
    RULE_MONITOR_QUOTED,           /* ... and no longer */
    RULE_DECIMAL_FLOATS,           /* scores and weights have no hexadecimal digits */
    RULE_BITCOUNT_OPEN_END,        /* BITCOUNT takes a start alone */
    RULE_KNOWN_TYPES,              /* SCAN ... TYPE refuses a type that there is not */
    RULE_PAST_SET_DELETES,         /* SET with a deadline in the past deletes the key */
    RULE_GETEX_ARGUMENTS_FIRST,    /* GETEX reads its time before it looks at the key */
    RULE_ENGINES,                  /* a script's first line names an engine in any case, and its options are read before
                                    * it is looked for */
    RULE_NAMED_IN_MULTI,           /* the error of a command that is refused in a transaction names the command */
    RULE_SUBCOMMAND_NAMED,         /* a script that calls an unknown subcommand gets the same error as a client */
    RULE_STRICT_CLIENT,            /* CLIENT KILL and LIST: an id that is no number is a syntax error; UNBLOCK takes
                                    * more words */
    RULE_NAMES_TO_NUL,  /* CLIENT SETNAME and HELLO check a name up to its first NUL: any bytes may follow it */
    RULE_LINES_WITH_NUL,           /* a NUL does not end a line that announces a length in a request */
    RULE_STRICT_CRLF,              /* nor does a carriage return alone; and a word must end in both */
    RULE_CUT_BIG_NUMBERS,          /* a script's { big_number = text } ends at a NUL */
    RULE_QUOTES_JOIN,              /* text may follow a closing quote: "a"b is ab */
    RULE_SIZED_ARRAYS,             /* an array of redis.call with nulls in it (setresp(3)) has its whole length, as #
                                    * tells it */
    RULE_OPPOSITES,                /* LREM's count and LPOS's rank must have an opposite */
    RULE_LSET_INT,                 /* LSET cuts its index to 32 bits where the list is small (a listpack) */
    RULE_TRIM_MUST_CUT,            /* LTRIM that cuts nothing off is no write to WATCH */
    RULE_PATTERNS_UNORDERED,       /* the patterns of a connection have no order */
    RULE_SHORT_NUMBERS,            /* doubles are written with the fewest digits that read back the same, whole ones as
                                    * integers */
    RULE_ANSWER_FIRST,             /* what a connection publishes to itself arrives after the answer (RESP3) */
    RULE_OS_CLOCK,                 /* scripts have os.clock */
    RULE_SERVER_TABLE,             /* scripts may call `redis` `server` */
    RULE_NAMELESS_ERRORS,          /* a script's error does not tell its SHA-1 */
    RULE_UNKNOWN_ERRORS,           /* a table without a text that a script raises is an unknown error; others crash */
    RULE_FIELDS_GO_WHEN_SEEN,      /* an expired field of a hash is removed when it is accessed, and counts as a
                                    * field until then */
    RULE_PAST_IS_EXPIRY,  /* a key that is given a deadline in the past is reported as expired, not as deleted */
    RULE_QUEUES_WITHOUT_MEMORY,    /* where memory is short MULTI still queues what needs none */
    RULE_MEMORY_BEFORE_WRITES,     /* a read-only script that would write where memory is short gets the memory error */
    RULE_SCAN_NOVALUES,            /* HSCAN takes NOVALUES */
    RULE_MODULES,                  /* HELLO lists a module that is always there */
    RULE_CROSS_SLOT_NAMED,         /* a script's command with keys of two slots is named */
    RULE_CLUSTER_FIRST,            /* a script's command is refused for its slot before anything else, and not named */
    RULE_CLUSTER_DATABASES,        /* a cluster has databases, too */
    RULE_TALKS_WHILE_BUSY,         /* a connection may set its name, and read its id, while a script runs long */
    RULE_OPEN_PAUSE,               /* CLIENT PAUSE ignores the words after its mode */
    RULE_NEAR_PAUSE,               /* it must end before the last instant there is */
    RULE_HSETEX_QUIET,             /* a field that HSETEX's conditions find expired goes untold */
    RULE_FUNCTIONS_MADE_LATE,      /* errors in a function's name are reported after its library has run to its end */
    RULE_SIZED_BY_WORDS,           /* a collection is packed or not by how many elements one command adds, even if some
                                    * are the same */
    RULE_TABLE_FOR_DATED,          /* a hash whose fields have deadlines is a table */
    RULE_SCRIPTS_SET_TEXTS,        /* an integer that a script sets is kept as a text */
    RULE_NEWEST_ENTRY,             /* XREAD takes + for the newest entry... */
    RULE_NEWEST_LIVES,             /* ... which is not the one of the last id, where that was deleted */
    RULE_NEWEST_OF_NONE,           /* where there never was an entry, + is no error */
    RULE_WAITS_IN_SCRIPTS,         /* a script's XREAD may say BLOCK, and does not wait */
    RULE_STRICT_STREAMS,           /* XREAD has keys only where its options are well formed */
    RULE_CONSUMERS_NAMED,          /* a consumer is there, and seen, once a command names it, even if it gets nothing;
                                    * when it last got an entry is known */
    RULE_SHORT_DEGREES,            /* degrees are written with the fewest digits, too */
    RULE_LAST_STORE,               /* of several STORE and STOREDIST of GEORADIUS one names a key: the last */
    RULE_POLYGONS,                 /* GEOSEARCH takes BYPOLYGON, which locksim refuses */
    RULE_PLACE_NAMED,              /* a member that a search is to begin at, and is not there, is named */
    RULE_SETID_ABOVE_DELETED,      /* XSETID takes no id below one that was taken out */
    RULE_HOLES_BEFORE_FIRST,       /* what a consumer group has read is counted from where it was: an entry that was
                                    * taken out before the first one is a hole, too */
    RULE_LAG_OF_NEWER,             /* the lag of a group before the first entry is how many there are */
    RULE_EMBEDDED_BY_KEY,          /* whether a text is embedded depends on the size of its key, too */
    RULES
} dialect_rule;

bool dialect_follows(dialect d, dialect_rule rule);

/* ---- words: the same fact in other words ---- */

typedef enum {
    WORDS_UNKNOWN_IN_SCRIPT, WORDS_ARITY_IN_SCRIPT, WORDS_NOT_IN_SCRIPT, WORDS_NO_ARGUMENT, WORDS_BAD_ARGUMENT,
    WORDS_LOG, WORDS_LOG_LEVEL, WORDS_SETRESP, WORDS_SET_REPL, WORDS_ACL_CHECK, WORDS_NOSCRIPT, WORDS_NOT_LOCAL,
    WORDS_HELP, WORDS_FLUSH_HELP_1, WORDS_FLUSH_HELP_2,
    WORDS_BUSY_SCRIPT, WORDS_BUSY_FUNCTION, WORDS_KILLED_SCRIPT, WORDS_KILLED_FUNCTION, WORDS_EARLY_LIBRARY,
    WORDS_UNBALANCED, WORDS_UNBALANCED_GROUP, WORDS
} dialect_words;

const char *dialect_say(dialect d, dialect_words what);

#endif
