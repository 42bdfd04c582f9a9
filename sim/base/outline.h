/* outline.h - something without its numbers, and the numbers by themselves: so that two outcomes can be held against each other which are
 * the same but for the time between them (DESIGN.md, "Virtual time"). */
#ifndef LOCKSIM_BASE_OUTLINE_H
#define LOCKSIM_BASE_OUTLINE_H

#include "base/str.h"

enum { OUTLINE_WAITS = 8 };

typedef struct {
    uint64_t print;        /* of all but the numbers, in order */
    double *numbers;       /* in order; instants as they are, not as distances */
    size_t count, cap;
    bool clock;            /* somebody has looked at a clock */
    int64_t waited_ms[OUTLINE_WAITS];  /* how long it took until then, each time somebody went on after a wait */
    size_t waits;
} outline;

void outline_begin(outline *o);        /* empty again; the memory is kept */
void outline_free(outline *o);
void outline_bytes(outline *o, str bytes);
void outline_count(outline *o, uint64_t n);        /* one that is no number of anybody's: a kind, a length */
void outline_number(outline *o, double n);
void outline_add(outline *o, const outline *more);
/* A text: its runs of digits are numbers, and what MessagePack packs into eight bytes. */
void outline_text(outline *o, str text);

#endif
