/* facts.h - a state of something as a list of named values, for people: what differs between two of them can be told by
 * name. */
#ifndef LOCKSIM_BASE_FACTS_H
#define LOCKSIM_BASE_FACTS_H

#include "base/arena.h"
#include "base/buf.h"

typedef struct {
    str key;               /* tells facts of one state apart, and is the same in another state of the same thing */
    str name, value;       /* as shown: "local `n` at lock.lua:7", "42" */
    str where;             /* of code: "lock.lua:7:9"; may be empty */
    int vague;             /* 0: a value; 1: a count of things that are also reported one by one; 2: a count of all
                            * such things; FACT_CLOCK */
} fact;

/* Changes all the time by itself: where a task stands, how long until a timer ends. Reported for states that are
 * counted, never for a way on which something grows. */
enum { FACT_CLOCK = 3 };

typedef struct {
    arena *memory;
    fact *items;
    size_t count, cap;
} facts;

/* Copies the texts; long ones are cut where they are shown. */
void facts_add(facts *f, str key, str name, str value);
void facts_add_count(facts *f, str key, str name, uint64_t n, int vague);
void facts_add_clock(facts *f, str key, str name, str value);
/* Sets the place of the fact added last. */
void facts_place(facts *f, str where);
void facts_free(facts *f);
/* By key. */
void facts_sort(facts *f);
/* The fact of that key, or NULL. They must have been sorted. */
const fact *facts_find(const facts *f, str key);

#endif
