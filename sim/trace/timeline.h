/* timeline.h - the holders and waiters over a whole log: an overview in bins, and the surroundings of each finding. One
 * pass, in memory that does not grow with the log: bins grow wider as the log goes on, and locks that are free and
 * unwanted, without findings and with the least waiting, make room for others. */
#ifndef LOCKSIM_TRACE_TIMELINE_H
#define LOCKSIM_TRACE_TIMELINE_H

#include "base/arena.h"
#include "trace/tracer.h"

enum {
    TIMELINE_BINS = 256,           /* at the log's end between half of them and all are in use */
    TIMELINE_LANES_MAX = 512,      /* locks that are remembered at one time */
    TIMELINE_WINDOWS_EACH = 3,     /* of each kind of finding, and of each property */
    TIMELINE_BEFORE = 10, TIMELINE_AFTER = 8,      /* holds and waits shown around a finding */
    TIMELINE_RING = 48,            /* that many are remembered of each lock */
    TIMELINE_MARKS = 8,            /* findings within one window; those beyond are counted */
    TIMELINE_WHO_BYTES = 64,       /* of a name; the rest is cut off */
};

typedef enum {
    SPAN_OPEN,             /* it went on */
    SPAN_RELEASED,         /* a hold, by its owner */
    SPAN_LOST,             /* a hold ended by expiry or by another owner; or its holder became unknown */
    SPAN_GRANTED,          /* a wait */
    SPAN_GAVE_UP,          /* a wait: not heard of after `to_us` */
} span_end;

/* A hold or wait. Instants are us since 1970; lines are those of the log. */
typedef struct {
    char who[TIMELINE_WHO_BYTES];
    size_t who_n;
    uint32_t client;
    bool holds;
    span_end end;
    int64_t from_us, to_us;
    size_t from_line, to_line;     /* to_line 0: the clock ended it, or nothing has */
} timeline_span;

typedef struct {
    int64_t held_us, waited_us;    /* summed over all holders, or waiters: two that wait all the time count twice */
    uint32_t found;                /* findings */
    size_t first_line;             /* of the first of them */
} timeline_bin;

typedef struct {
    str lock;              /* "" of all locks together */
    int db;
    timeline_bin bins[TIMELINE_BINS];
    uint64_t grants, found;
    int64_t held_us, waited_us;
} timeline_row;

typedef struct {
    found_kind kind;
    property property;     /* of FOUND_VIOLATION */
    int64_t at_us;
    size_t line;
} timeline_mark;

/* The surroundings of a finding, and of others of that lock soon after it. Spans in the order of their ends; open ones
 * come last. */
typedef struct {
    str lock;
    int db;
    timeline_mark marks[TIMELINE_MARKS];
    size_t mark_count;     /* in total; the first TIMELINE_MARKS are shown */
    timeline_span *spans;
    size_t span_count;
    int64_t from_us, to_us;
} timeline_window;

/* Plain data, all in the arena that timeline_end was given. */
typedef struct {
    int64_t begin_us, end_us, bin_us;
    size_t bin_count;
    const timeline_row *all;
    const timeline_row **rows;     /* findings first, then waiting, then grants */
    size_t row_count;
    uint64_t forgotten;            /* locks that made room for others: only `all` has them */
    uint64_t left_out;             /* requests of locks that found no room */
    const timeline_window *windows;
    size_t window_count;
    uint64_t windows_left_out;     /* findings that are in none */
} timeline_told;

typedef struct timeline timeline;
timeline *timeline_new(void);
void timeline_free(timeline *x);                   /* NULL is fine */
/* As a tracer tells them; both in the order of the log. */
void timeline_take(timeline *x, const told *t);
void timeline_found(timeline *x, const finding *f);
timeline_told timeline_end(timeline *x, arena *a, int64_t begin_us, int64_t end_us);

#endif
