/* outline.h - something without its numbers, and the numbers by themselves: so that two outcomes can be held against
 * each other which are the same but for the time between them (DESIGN.md, "Virtual time"). */
#ifndef LOCKSIM_BASE_OUTLINE_H
#define LOCKSIM_BASE_OUTLINE_H

#include "base/str.h"

enum { OUTLINE_WAITS = 8, OUTLINE_COMPARED_MAX = 2048 };

typedef struct {
    uint64_t print;        /* of all but the numbers, in order */
    double *numbers;       /* in order; instants as they are, not as distances */
    size_t count, cap;
    size_t left_from, left_to;         /* which of them tell what is left behind: at servers, with others; equal:
                                        * it was not said */
    double *compared;      /* left sides of comparisons less their right ones, in order: a comparison's result
                            * changes where its difference changes its sign */
    size_t compared_count, compared_cap;
    double *happens;       /* instants at which a task goes on, or something stored ends, in order */
    size_t happens_count, happens_cap;
    uint64_t used;         /* a print of the values on which something depends that no comparison tells, in order; of
                            * words of commands without their instants */
    bool unknown;          /* ... and one is an instant, or it is unknown which one it is */
    bool cut;              /* a task would go on, and was not followed */
    bool open;             /* a client may come at any moment, and did not */
    bool ranges;           /* another client is within a declared range of time, which did not end */
    bool clock;            /* a task has looked at a clock, */
    int64_t drift;         /* which gains a millisecond every so many, or loses one if negative; 0: it goes as time
                            * does */
    int64_t began_ms;
    int64_t tick_ms;       /* ... the next time, so much after it began */
    int64_t later_ms[OUTLINE_WAITS];   /* how much later than it began a task went on after a wait, or what a clock
                                        * showed */
    size_t later_count;
} outline;

void outline_begin(outline *o);        /* empty again; the memory is kept */
void outline_free(outline *o);
void outline_bytes(outline *o, str bytes);
void outline_count(outline *o, uint64_t n);        /* one that is no number of anybody's: a kind, a length */
void outline_number(outline *o, double n);
void outline_compared(outline *o, double difference);      /* the first so many are enough */
void outline_happens(outline *o, int64_t at_ms);
/* See later_ms; once each. */
void outline_later(outline *o, int64_t at_ms);
void outline_add(outline *o, const outline *more);
/* Adds to outline.used, or to another print as that. Of a text, true if there are instants in it, near now_ms, which
 * are left out. */
void outline_used(uint64_t *print, double n);
void outline_used_bytes(uint64_t *print, str bytes);
bool outline_used_text(uint64_t *print, str text, int64_t now_ms);
void outline_add_used(outline *o, uint64_t print, bool unknown);
/* A text: its runs of digits are numbers, and what MessagePack packs into eight bytes. */
void outline_text(outline *o, str text);

#endif
