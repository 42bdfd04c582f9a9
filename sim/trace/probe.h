/* probe.h - runs a lock's driver on a Redis of its own, with names that are easy to find again, and says what each
 * request's words mean. Only sim/trace/family.c includes this file. */
#ifndef LOCKSIM_TRACE_PROBE_H
#define LOCKSIM_TRACE_PROBE_H

#include "trace/family.h"

typedef enum { MEANS_LITERAL, MEANS_ANY, MEANS_LOCK, MEANS_OWNER, MEANS_LEASE_MS, MEANS_LEASE_S } meaning_kind;

typedef struct {
    meaning_kind kind;
    str text, after;       /* LITERAL: the word; LOCK: the text before and after the lock's name */
} meaning;

/* A kind of request. */
typedef struct {
    str sha;               /* of its script; "": a command */
    str op;
    deed_kind deed;
    meaning *words;
    size_t count;
    size_t keys_n;         /* of a script */
    bool sets;             /* it is SET: see family.c */
    size_t lock_at, owner_at, lease_at;            /* the word that says so; 0: none does */
} shape;

typedef struct probe probe;
/* The shapes and their texts live in `a`. NULL: `e` says why. */
probe *probe_new(arena *a, str module, const loader *l, shape **shapes, size_t *count, err *e);
void probe_free(probe *p);             /* NULL is fine */
process *probe_process(probe *p);      /* it observes a lock of the driver's */
spec_kind probe_spec(const probe *p);
/* the view uses the part before the first "/" of a token as the owner's name */
bool probe_cuts_owners(const probe *p);
void probe_each_script(const probe *p, void (*fn)(void *context, const script_file *s), void *context);

#endif
