/* story.h - what happened, step by step, as text for people and files: the world writes it while it records. */
#ifndef LOCKSIM_WORLD_STORY_H
#define LOCKSIM_WORLD_STORY_H

#include "base/arena.h"
#include "model/event.h"

/* One step. Texts may be empty; lists of lines are separated by newlines. */
typedef struct {
    int64_t at_ms;         /* after the step */
    uint32_t process;      /* whose column; NOBODY: time and the server */
    str token;             /* the step in schedule text: "A.acquire", "+30001", "!pause A" */
    str did;               /* "acquire -> (nil)", "!pause", "answer (nil)", "message "0" on ch", "sleep ends" */
    str notes;             /* what the client concluded, a line each: "granted", "refused", "gave up", "uses r with token 3"; its me:log lines */
    str redis;             /* what changed in the keyspace, a line a key: "order:42 {A:1 = 1}  ttl 30000", "order:42 expired" */
    str effects;           /* the commands a script ran, a line each: "path:line  HINCRBY order:42 A:1 1 -> (integer) 1" */
    str location;          /* path:line of the client's code that made the step */
    /* Where two versions of the scripts run (twins.h): the same of the second one. second_did is empty where nothing was executed. */
    str second_did, second_redis, second_effects;
} story_row;

typedef struct {
    story_row *rows;
    size_t count, cap;
} story;

#endif
