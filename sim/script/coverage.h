/* coverage.h - which lines and branches of the scripts under test were reached, exactly: counted instruction by
 * instruction. One coverage may serve many servers, one after the other or side by side, in one thread. Nothing that a
 * script or a client can see depends on it: no reply, no error text, no step of a budget (but see script_trace.c for
 * the room on Lua's stack). */
#ifndef LOCKSIM_SCRIPT_COVERAGE_H
#define LOCKSIM_SCRIPT_COVERAGE_H

#include "redis/redis.h"

typedef struct coverage coverage;

coverage *coverage_new(void);
void coverage_free(coverage *c);                   /* NULL is fine */
/* From here on each script run of this server is counted in `c`, which must outlive the server; NULL: none is. */
void redis_cover(redis *r, coverage *c);
/* What people call the script; the first name that is given stays. */
void coverage_name(coverage *c, str sha1, str name);

/* A line that holds code, and how often what ran most often of it ran. */
typedef struct {
    int line;
    uint64_t count;
} coverage_line;

/* One of the two branches of a decision. The decision's position is that of its keyword: if, elseif, while, until, for,
 * and, or; its two branches are adjacent. An `and` or `or` decides by the one condition that ends right before it: in
 * (a or b) and c that is b, which is not evaluated where a is true. No decision: a comparison stored as a value, and
 * one whose branches are equal (an empty block). col is 1-based, a tab is one column. */
typedef struct {
    int line, col;
    const char *what;                              /* "then" "else" "loop" "loop's end" "and, left true" ... */
    uint64_t count;
} coverage_branch;

typedef struct {
    str sha1, name;                                /* name: empty if unknown */
    str body;
    const coverage_line *lines;                    /* by line */
    size_t line_count;
    const coverage_branch *branches;               /* by line and column */
    size_t branch_count;
} coverage_script;

/* Every script that a covered server was given, run or not, by name and then by SHA-1. Arrays live in `a`. */
size_t coverage_scripts(const coverage *c, arena *a, const coverage_script **out);

#endif
