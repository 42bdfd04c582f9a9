/* sequence_trace.h - a story's marks as lines: which arrow goes from which step to which, and what lasts from where to
 * where. Only the sequence_*.c files and their test include it. */
#ifndef LOCKSIM_REPORT_SEQUENCE_TRACE_H
#define LOCKSIM_REPORT_SEQUENCE_TRACE_H

#include "base/arena.h"
#include "world/story.h"

typedef enum { ARROW_REQUEST, ARROW_ANSWER, ARROW_MESSAGE } arrow_kind;
typedef enum {
    ARROW_ARRIVES,
    ARROW_UNHEARD,         /* it arrives, or would, without a receiver */
    ARROW_LOST,
    ARROW_OPEN,            /* still under way where the story ends */
} arrow_end;

/* Steps are 1-based rows; 0: before the first. */
typedef struct {
    arrow_kind kind;
    arrow_end end;
    uint32_t process, server, request;
    size_t from, to;       /* to: where it arrived or was lost; the last step where it is open */
} sequence_arrow;

typedef enum {
    BAR_WAITS,             /* a client was refused */
    BAR_BELIEVES,          /* a client believes to hold */
    BAR_HELD,              /* by the server's account */
    BAR_PAUSED, BAR_DEAD,  /* a process */
    BAR_STALLED,           /* a thread of it */
} bar_kind;

typedef struct {
    bar_kind kind;
    uint32_t column;       /* process; of BAR_HELD: server */
    uint32_t lane;         /* bars of one column that overlap lie beside each other */
    size_t from, to;
    bool open;             /* it lasts beyond the story */
    str who, lock;
    int64_t until_ms;      /* the end of the promise; INT64_MAX: none */
} sequence_bar;

typedef struct {
    sequence_arrow *arrows;
    size_t arrow_count, arrow_cap;
    sequence_bar *bars;
    size_t bar_count, bar_cap;
    uint32_t servers;      /* that had any part in it; at least 1 */
} sequence_trace;

/* Texts are the story's. */
void sequence_trace_make(const story *s, sequence_trace *out);
void sequence_trace_free(sequence_trace *t);

#endif
