/* monitor_line.h - one line of `redis-cli MONITOR`:  1700000000.123456 [0 127.0.0.1:5321] "SET" "k" "v"
 * Source: redis.io/docs/latest/commands/monitor; the escapes are those of words.h. */
#ifndef LOCKSIM_TRACE_MONITOR_LINE_H
#define LOCKSIM_TRACE_MONITOR_LINE_H

#include "base/buf.h"
#include "trace/record.h"

/* What parsing needs over and over; zero-initialise, then monitor_free. */
typedef struct {
    str *argv;
    size_t argv_cap;
    buf words;             /* of those that have escapes */
} monitor_room;
void monitor_free(monitor_room *room);

/* Could the line be one of MONITOR's: does it begin with a digit? */
bool monitor_looks_like(str line);
/* Fills all of `out` but `line`; it borrows from `text` and `room`. false: *why says in a few words what is wrong. */
bool monitor_parse(monitor_room *room, str text, record *out, const char **why);

#endif
