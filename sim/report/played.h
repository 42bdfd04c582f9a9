/* played.h - a story's requests played to a real server: its answers beside ours. Pure. */
#ifndef LOCKSIM_REPORT_PLAYED_H
#define LOCKSIM_REPORT_PLAYED_H

#include "report/report.h"

typedef enum {
    PLAYED_SAME,
    PLAYED_NEAR,           /* numbers that are not further apart than time on a real machine makes them: a TTL */
    PLAYED_DIFFERS,
    PLAYED_WAITS,          /* it was still waiting when the story was over */
} played_kind;

typedef struct {
    const story_request *request;
    str theirs;            /* their answer on one line */
    played_kind kind;
    bool late;             /* it was answered so long after its time that keys may have ended in real time */
} played_row;

typedef struct {
    str file, to, not_played;      /* not_played: faults of the server, which a real one was spared; blanks between; may
                                    * be empty */
    bool fast;
    const played_row *rows;        /* in the order of execution */
    size_t count;
} played_story;

bool played_differs(const played_story *p);
/* It differs, and the machine was late: the cause is uncertain. */
bool played_is_inconclusive(const played_story *p);
void report_played_text(const played_story *p, const report_style *style, buf *out);
void report_played_json(const played_story *p, int exit_status, buf *out);

#endif
