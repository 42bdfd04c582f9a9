/* story.h - what happened, step by step, as text for people and files. The world writes it while it records. */
#ifndef LOCKSIM_WORLD_STORY_H
#define LOCKSIM_WORLD_STORY_H

#include "base/arena.h"
#include "model/model.h"

/* One step. Texts may be empty; lists of lines are separated by newlines. */
typedef struct {
    int64_t at_ms;         /* after the step */
    uint32_t process;      /* its column; NOBODY: time and the server */
    str token;             /* the step in schedule text: "A.acquire", "+30001", "!pause A" */
    str did;               /* "acquire -> (nil)", "!pause", "answer (nil)", "message "0" on ch", "sleep ends" */
    str notes;             /* what the client concluded, a line each: "granted", "refused", "gave up", "uses r with
                            * token 3"; its me:log lines */
    str redis;             /* what changed in the keyspace, a line a key: "order:42 {A:1 = 1}  ttl 30000", "order:42
                            * expired" */
    str effects;           /* the commands a script ran, a line each: "path:line  HINCRBY order:42 A:1 1 -> (integer)
                            * 1" */
    str location;          /* path:line of the client's code that made the step */
    str found;             /* path:line of the last finding about a script that ran in the step */
    /* With two keyspaces (mirror.h): the same of the second one. second_did is empty where nothing was
     * executed. */
    str second_did, second_redis, second_effects;
} story_row;

/* What happened, as data for a picture. The comment of a kind names the fields that it uses; the others are zero. */
typedef enum {
    MARK_SENT,             /* a client sent `request` to `server`; ends: the belief that sending ends; count: of
                            * permits, 0: unknown */
    MARK_EXECUTED,         /* the server ran it; copy: a duplicate, whose answer is discarded; text: the reply */
    MARK_WAITS,            /* it is a pop that found nothing and waits at the server */
    MARK_ANSWERED,
    MARK_TIMED_OUT,        /* the client waits no longer for the answer */
    MARK_PUBLISHED,        /* the server sent a message to `process`; text: channel and payload */
    MARK_DELIVERED,        /* the oldest message under way from `server` to `process` arrived */
    MARK_GRANTED,          /* a client believes that it holds `lock` until until_ms; count: of a semaphore's permits */
    MARK_REFUSED,          /* it learned that it must wait */
    MARK_GAVE_UP,          /* it waits no longer */
    MARK_RELEASED,         /* it was told so; ends: the belief that only now ends */
    MARK_NOT_OWNER,        /* it was told that the lock is not its own */
    MARK_HOLDERS,          /* by the server's account: the holders of `lock`, joined by blanks, or empty; until_ms:
                            * the key's deadline */
    MARK_CRASHED, MARK_RESTARTED, MARK_PAUSED, MARK_RESUMED,   /* the process */
    MARK_STALLED, MARK_WENT_ON,        /* the thread */
    MARK_INTERRUPTED,      /* the task; request: the one whose answer it no longer waits for, or 0 */
    MARK_FAULT,            /* any other; text: its name; request, server, process as the fault has them */
} story_mark_kind;

typedef struct {
    story_mark_kind kind;
    size_t step;           /* 1-based row in which it happened; 0: before the first one */
    uint32_t process;      /* NOBODY: none */
    uint32_t server, request;
    bool copy;
    model_ending ends;
    int64_t count;
    str who;               /* "A:1" */
    str lock, text;
    int64_t until_ms;      /* INT64_MAX: without end */
} story_mark;

/* One key that changed in a step. */
typedef struct {
    size_t step;           /* 0: it was there before the first one */
    uint32_t server;
    str name, value;       /* value: as shown to people; empty where the key is gone */
    int64_t deadline_ms;   /* INT64_MAX: none */
    bool gone, expired;    /* expired: gone because its time was up */
} story_key;

#define STORY_NEVER_MS INT64_MAX

/* A request as it was sent, and its fate. An instant STORY_NEVER_MS, a step 0: it did not happen. Step 0 of the
 * sending: before the first step. */
typedef struct {
    int64_t sent_ms, executed_ms, answered_ms;
    size_t sent_step, executed_step, answered_step;
    size_t order;          /* 1, 2, ...: its place among the executed requests of all servers; 0: not executed */
    uint32_t process, server, number;
    uint32_t copy;         /* 0: the request itself; else a duplicate, whose answer is discarded */
    bool waited;           /* a pop that found nothing, and waited at the server */
    str who, op, lock;
    const str *argv;       /* the words, in full */
    size_t argc;
    str script;            /* of an EVALSHA: its script's text; else empty */
    str answer;            /* the server's, on one line; empty: there was none */
} story_request;

typedef struct {
    story_request *requests;       /* in the order of sending */
    size_t request_count, request_cap;
    size_t executed;       /* of them, so far */
    story_row *rows;
    size_t count, cap;
    story_mark *marks;     /* in the order in which they happened */
    size_t mark_count, mark_cap;
    story_key *keys;       /* by steps, within one by server and name; removed keys come last */
    size_t key_count, key_cap;
} story;

#endif
