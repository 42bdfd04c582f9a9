/* locksim.h - locksim within your own program: load a scenario, run it, walk through its result; run commands and
 * scripts on a Redis in memory whose clock you move. It prints nothing, never ends your program, and starts no thread;
 * what goes wrong comes back as an error. Link with `pkg-config --cflags --libs locksim`; locksim(3) has an example.
 *
 * Errors. A function that can fail takes a `locksim_error **error`. NULL: you don't want to know. Else *error must be
 * NULL before the call; where the call fails, it is set, and is yours to free. When memory runs out, or locksim meets
 * a mistake of its own, the call fails with LOCKSIM_NO_MEMORY or LOCKSIM_BUG: what it had in hand is lost (not freed),
 * and the object that it was called with answers nothing but errors from then on. Free it all the same.
 *
 * Threads. An object, and what was made from it, belongs to one thread at a time; different ones may be used by
 * different threads at once.
 *
 * Texts end with a NUL byte, which is not counted. They live as long as the object that they were asked of, where
 * nothing else is said. Times are milliseconds of virtual time, since 1970. Options that are all zero (`{ 0 }`), or
 * NULL, are the defaults. Verdicts, properties and schedules are explained in locksim(7). */
#ifndef LOCKSIM_H
#define LOCKSIM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define LOCKSIM_API __attribute__((visibility("default")))

LOCKSIM_API const char *locksim_version(void);     /* "0.4.0": that of the library that runs */

/* ---- errors ---- */

typedef enum {
    LOCKSIM_DRIVER = 4,            /* an error in a driver or a program of the scenario */
    LOCKSIM_USAGE = 64,            /* an argument or option that means nothing */
    LOCKSIM_SCENARIO = 65,         /* a scenario or a file of it is wrong, or not there */
    LOCKSIM_BUG = 70,              /* a mistake of locksim's */
    LOCKSIM_NO_MEMORY = 71,
    LOCKSIM_IO = 74,
} locksim_code;
typedef struct locksim_error locksim_error;
LOCKSIM_API locksim_code locksim_error_code(const locksim_error *e);
LOCKSIM_API const char *locksim_error_message(const locksim_error *e);     /* one sentence */
LOCKSIM_API const char *locksim_error_hint(const locksim_error *e);        /* the way out; "" if there is none */
LOCKSIM_API const char *locksim_error_file(const locksim_error *e);        /* "": in no file */
LOCKSIM_API int locksim_error_line(const locksim_error *e);                /* from 1; 0: unknown */
LOCKSIM_API int locksim_error_column(const locksim_error *e);              /* from 1, in bytes; 0: unknown */
/* All of it as `locksim` would print it: file:line:col, the line with a caret below it, the hint. */
LOCKSIM_API const char *locksim_error_text(const locksim_error *e);
LOCKSIM_API void locksim_error_free(locksim_error *e);                     /* NULL is fine */

/* ---- scenarios ---- */

typedef struct locksim_scenario locksim_scenario;
typedef struct {
    const char *const *scripts;    /* folders to look for scripts in, after the scenario's own; NULL after the last */
    const char *faults;            /* "crash=1,pause=2", "none": in the place of the scenario's */
    const char *dialect;           /* "redis 7.0", "valkey 8.1", ...: in the place of the scenario's */
} locksim_load_options;

/* A file, or a case of one: "my/lock.lua", "my/lock.lua:crash.two". The shipped scripts are found beside the shared
 * library as it was installed, or where the environment's LOCKSIM_SCRIPTS says. NULL: an error. */
LOCKSIM_API locksim_scenario *locksim_load(const char *name, const locksim_load_options *o, locksim_error **error);
/* The same from a text: `name` is used in errors, and its folder is the scenario's own. */
LOCKSIM_API locksim_scenario *locksim_load_text(const char *name, const char *text, size_t text_bytes,
                                                const locksim_load_options *o, locksim_error **error);
/* Results of it stay. NULL is fine. */
LOCKSIM_API void locksim_scenario_free(locksim_scenario *s);
LOCKSIM_API const char *locksim_scenario_name(const locksim_scenario *s);
LOCKSIM_API const char *locksim_scenario_title(const locksim_scenario *s);

/* The names of a file's cases, as locksim_load takes them, in byte order, NULL after the last; of a file that is one
 * scenario, its own name alone. Free the list with locksim_names_free. NULL: an error. */
LOCKSIM_API const char *const *locksim_names(const char *file, const locksim_load_options *o, locksim_error **error);
LOCKSIM_API void locksim_names_free(const char *const *names);     /* NULL is fine */

/* ---- running them ---- */

typedef enum { LOCKSIM_PASS, LOCKSIM_FAIL, LOCKSIM_INCONCLUSIVE, LOCKSIM_VACUOUS } locksim_verdict;
LOCKSIM_API const char *locksim_verdict_name(locksim_verdict v);   /* "PASS" ... */

typedef struct {
    uint64_t seed;                 /* of random runs; 0: 1 */
    uint64_t runs, max_steps, max_states, max_memory_bytes;        /* limits; 0: the scenario's, or locksim's */
    uint64_t time_limit_ms;        /* of real time; 0: none. A search that a limit ends is INCONCLUSIVE */
    const char *schedule;          /* "A A !pause A +30001 B": this one order is run, whatever the scenario says */
    bool exhaustive;               /* every order, whatever the scenario says */
    bool no_symmetry;              /* equal clients count as often as they are */
    /* Asked now and then, also for many milliseconds in a row not at all; false ends the search. May be NULL. */
    bool (*go_on)(void *context, uint64_t states, uint64_t runs);
    void *context;
} locksim_run_options;

typedef struct locksim_result locksim_result;
/* As often as you like. NULL: an error; one in the scenario's Lua is an error, too, and no verdict. */
LOCKSIM_API locksim_result *locksim_run(locksim_scenario *s, const locksim_run_options *o, locksim_error **error);
LOCKSIM_API void locksim_result_free(locksim_result *r);           /* NULL is fine */

LOCKSIM_API locksim_verdict locksim_result_verdict(const locksim_result *r);
LOCKSIM_API const char *locksim_result_reason(const locksim_result *r);    /* of INCONCLUSIVE and VACUOUS; else "" */
LOCKSIM_API const char *locksim_result_advice(const locksim_result *r);    /* the likeliest cause of these, and one
                                                                            * change to try; "" */
LOCKSIM_API const char *locksim_result_means(const locksim_result *r);     /* what the verdict means and does not
                                                                            * show, as lines */
LOCKSIM_API const char *locksim_result_text(const locksim_result *r);      /* as `locksim run` prints it */

typedef struct {
    uint64_t states;               /* that differ; 0 where they are not counted */
    uint64_t transitions, runs;    /* steps taken; runs that came to their end */
    uint64_t executions;           /* requests that servers really executed */
    uint64_t longest;              /* steps of the longest run */
    uint64_t waiting;              /* states that a limit left unvisited */
    bool complete;                 /* nothing within the bounds was left out */
} locksim_counts;
LOCKSIM_API locksim_counts locksim_result_counts(const locksim_result *r);

typedef enum { LOCKSIM_HOLDS, LOCKSIM_VIOLATED, LOCKSIM_UNDECIDED } locksim_outcome;
typedef struct {
    const char *name, *code;       /* "mutual_exclusion", "LK001" */
    locksim_outcome outcome;
    bool expected_violated;        /* the scenario says that it is */
    bool failed;                   /* its outcome is not the expected one, or has another cause */
    /* Of a violation; else "" and 0. */
    const char *text;              /* what happened: "A and B both hold order:42 ..." */
    const char *why, *blame;       /* the reason; the fault or step without which it passes ("" if unknown) */
    const char *schedule;          /* the steps up to it, for locksim_run_options */
    size_t steps;                  /* of the story */
} locksim_property;
/* Those that were judged. */
LOCKSIM_API size_t locksim_result_properties(const locksim_result *r);
LOCKSIM_API const locksim_property *locksim_result_property(const locksim_result *r, size_t i);    /* NULL: no i */
/* By name or code. NULL: none of that name was judged. */
LOCKSIM_API const locksim_property *locksim_result_find(const locksim_result *r, const char *name_or_code);

/* A step of a story. Texts may be ""; several lines are divided by newlines. */
typedef struct {
    int64_t at_ms;                 /* after the step */
    const char *client;            /* whose it is; "": time's, or the server's */
    const char *token;             /* the step in a schedule: "A.acquire", "+30001", "!pause A" */
    const char *did;               /* "acquire -> (nil)", "!pause" */
    const char *notes;             /* what the client concluded: "granted", "refused" */
    const char *redis;             /* what changed in the keyspace, a line a key */
    const char *effects;           /* the commands that a script ran, a line each */
    const char *location;          /* of the client's code: "my.lua:7" */
} locksim_step;
/* Of the story of that property; of the whole run where `p` is NULL and a schedule was run. NULL: there is no i. */
LOCKSIM_API const locksim_step *locksim_result_step(const locksim_result *r, const locksim_property *p, size_t i);

/* ---- a Redis in memory ---- */

typedef struct locksim_store locksim_store;
typedef struct {
    const char *dialect;           /* NULL: "redis 7.0" */
    int64_t now_ms;                /* 0: 1,700,000,000,000 */
    uint64_t seed;                 /* of what Redis draws at random */
} locksim_store_options;
LOCKSIM_API locksim_store *locksim_store_new(const locksim_store_options *o, locksim_error **error);
LOCKSIM_API void locksim_store_free(locksim_store *s);     /* NULL is fine */

/* The clock stands still, also within a script, until it is moved: `by_ms` is 0 or more. Waits of clients that end on
 * the way are answered (locksim_store_next). false: an error. */
LOCKSIM_API int64_t locksim_store_now_ms(const locksim_store *s);
LOCKSIM_API bool locksim_store_advance(locksim_store *s, int64_t by_ms, locksim_error **error);

typedef struct {
    const char *at;
    size_t bytes;
} locksim_text;

typedef enum {
    LOCKSIM_NIL, LOCKSIM_STATUS, LOCKSIM_ERROR_REPLY, LOCKSIM_INTEGER, LOCKSIM_BULK, LOCKSIM_ARRAY,
    LOCKSIM_WAITS,                 /* no answer yet (BLPOP): it comes by locksim_store_next */
} locksim_reply_kind;
typedef struct locksim_reply locksim_reply;
/* As a client of RESP2 gets it. Good until the next call with this store. */
struct locksim_reply {
    locksim_reply_kind kind;
    int64_t integer;
    locksim_text text;             /* of STATUS, ERROR_REPLY ("WRONGTYPE ...") and BULK */
    const locksim_reply *items;    /* of ARRAY */
    size_t item_count;
    const char *shown;             /* as redis-cli shows it: "(integer) 1" */
};

/* One command as from the connection `client`, which is made at its first use; 0 will do where there is one only. What
 * Redis refuses is a reply. NULL: an error. `command` takes words that end with a NUL byte, and NULL after the last. */
LOCKSIM_API const locksim_reply *locksim_store_command(locksim_store *s, unsigned client, const char *const *words,
                                                       locksim_error **error);
LOCKSIM_API const locksim_reply *locksim_store_execute(locksim_store *s, unsigned client, const locksim_text *words,
                                                       size_t count, locksim_error **error);
/* EVAL of this text. Lists end with NULL, and may be NULL. */
LOCKSIM_API const locksim_reply *locksim_store_eval(locksim_store *s, unsigned client, const char *script,
                                                    const char *const *keys, const char *const *args,
                                                    locksim_error **error);
/* What the connection received without a request: messages of channels, as arrays, and late answers; the oldest first.
 * NULL: nothing more, or an error. */
LOCKSIM_API const locksim_reply *locksim_store_next(locksim_store *s, unsigned client, locksim_error **error);
/* What scripts did that Redis lets pass and a cluster, or a reader, would not: "line 3: undeclared_key: ...". The
 * oldest first. NULL: nothing more, or an error. Good until the next call with this store. */
LOCKSIM_API const char *locksim_store_finding(locksim_store *s, locksim_error **error);

#ifdef __cplusplus
}
#endif
#endif
