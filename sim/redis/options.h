/* options.h - the options of CONFIG as rows. Only sim/redis includes this. */
#ifndef LOCKSIM_REDIS_OPTIONS_H
#define LOCKSIM_REDIS_OPTIONS_H

#include "redis/command.h"

typedef enum {
    OPTION_TEXT, OPTION_NUMBER,
    OPTION_BYTES,          /* "100", "100k" (thousands), "100mb" (of 1024 each) */
    OPTION_YES_NO,
    OPTION_ONE_OF,         /* `words` */
    OPTION_FIXED,          /* set when the server starts, and never again */
    OPTION_GUARDED,        /* the same, unless the server was told that it may be changed */
} option_kind;

enum {
    OPTION_LOCKED = 1,     /* a client could see the change, which locksim cannot make: only its present value is
                            * accepted */
    OPTION_MEMORY = 2,     /* maxmemory */
    OPTION_EVENTS = 4,     /* notify-keyspace-events */
    OPTION_BUSY = 8,       /* busy-reply-threshold */
    OPTION_SAVE = 16,      /* save: seconds and changes */
    OPTION_REPLICAS = 64,  /* min-replicas-to-write */
    OPTION_NO_MORE = 32,   /* may be lowered: what a client could see of that is undefined in the server */
    OPTION_HIDDEN = 4096,  /* told only to who asks by its whole name */
    OPTION_NO_LFU = 2048,  /* what goes by how often keys are used, which nobody counts, is not accepted */
    OPTION_PERCENTILES = 128, OPTION_LIMITS = 256, OPTION_SCORES = 512, OPTION_SHARE = 1024,   /* option_words.c */
    OPTION_WORDS = OPTION_PERCENTILES | OPTION_LIMITS | OPTION_SCORES | OPTION_SHARE,
};

/* Options without a flag have no effect that a client could see: any value is stored. */
typedef struct {
    const char *name, *also;           /* `also`: another name of the same; NULL: none */
    const char *value;                 /* the initial value; NULL: the host knows it */
    option_kind kind;
    unsigned flags;
    int64_t least, most;               /* of OPTION_NUMBER and OPTION_BYTES */
    const char *words;                 /* of OPTION_ONE_OF: "debug, verbose", as its error lists them */
    dialect_since since, until;        /* as those of a command */
} server_option;

enum { SERVER_OPTIONS_MAX = 320 };
extern const server_option server_options[];       /* the last one has no name */

/* Is it a value for this option of OPTION_WORDS, which has the value `before`? Then *canonical is how CONFIG GET
 * tells it, else *why. */
bool option_words_ok(const call *c, const server_option *o, str value, str before, str *canonical, str *why);
/* A size: "100", "100k", "1gb". No digit at all is 0. */
bool option_parse_bytes(str text, uint64_t *bytes);

#endif
