/* process_kind.h - the interface of a process, for the two kinds of it. A live one runs its Lua (live.c); a learned one
 * looks up what it does (memo/learned.h). The caller need not know which it is. */
#ifndef LOCKSIM_CLIENT_PROCESS_KIND_H
#define LOCKSIM_CLIENT_PROCESS_KIND_H

#include "client/process.h"

typedef enum { INPUT_RUN, INPUT_CHOOSE, INPUT_INTERRUPT, INPUT_ANSWER, INPUT_GIVE_UP, INPUT_MESSAGE, INPUT_JUMP,
               INPUT_AGE, INPUT_PREEMPT } input_kind;

/* All that can happen to a process: the functions of process.h as one value. */
typedef struct {
    input_kind kind;
    bool points;           /* threads stop at preemption points */
    uint32_t number;       /* of the task or the request */
    uint32_t server;       /* message */
    int64_t amount;        /* choice; ms of a jump, or of ageing */
    const reply *answer;
    str text, channel, pattern;                    /* kind of a give-up; payload, channel and pattern of a message */
} input;

/* See the function of that name in process.h. */
typedef struct {
    void (*free)(process *p);
    bool (*input)(process *p, const input *in, int64_t now_ms, outputs *out, err *e);
    size_t (*tasks)(process *p, const task_view **out);
    size_t (*observed)(process *p, const observed **out);
    void (*forget)(process *p, uint32_t request);  /* NULL: it keeps none */
    void (*each_instant)(process *p, int64_t now_ms, int64_t window_ms, void (*fn)(void *context, int64_t at_ms),
                         void *context);
    void (*each_request)(process *p, void (*fn)(void *context, uint32_t request), void *context);
    bool (*freeze)(process *p, int64_t now_ms, buf *out, err *e);
    bool (*view)(process *p, size_t i, int64_t now_ms, view_read *read, void *context, arena *a, lock_view *out,
                 err *e);
    bool (*always)(process *p, const always_asked *q, int64_t now_ms, arena *a, bool *ok, str *why, err *e);
} process_kind;

/* One more, all else of it empty. */
output *outputs_add(outputs *o, output_kind kind);
/* See outputs.compared; the list is cut at its limit. */
void outputs_compared(outputs *o, double difference);
void outputs_used(outputs *o, uint64_t print, bool unknown);

/* Every kind's struct begins with it; a pointer to it is the process. */
typedef struct {
    const process_kind *kind;
    bool points;           /* process_set_points */
} process_head;

#endif
