/* record.h - one line of a log of requests to a Redis server: the client, the time, the words, and the answer if the
 * log has it. The seam between the readers of formats and the uses of a log. */
#ifndef LOCKSIM_TRACE_RECORD_H
#define LOCKSIM_TRACE_RECORD_H

#include "redis/reply.h"

#define RECORD_UNKNOWN INT64_MIN       /* an instant that the log does not give */

/* Plain data; texts and arrays are borrowed for the duration of the call that passes it. Instants are microseconds
 * since 1970. */
typedef struct {
    size_t line;           /* of the log, 1-based */
    int64_t at_us;
    int64_t sent_us, answered_us;                  /* a client's own account; RECORD_UNKNOWN where there is none */
    bool clients_own;      /* at_us is when it was sent: when the server did it is not known */
    bool lua;              /* a command that a script ran, not one that a client sent */
    int db;
    str client;            /* the client's address or name; of a `lua` line "lua" */
    const str *argv;       /* the words, at least one */
    size_t argc;
    const reply *answer;   /* NULL: the log does not say */
} record;

#endif
