/* codec.h - writes and reads the model's state by the same functions, so that both agree. Each takes a field's value
 * and returns it, unchanged or as read from the bytes. What is written next may depend only on what was written before.
 * freeze*.c handle the memory, each monitor its own part. */
#ifndef LOCKSIM_MODEL_CODEC_H
#define LOCKSIM_MODEL_CODEC_H

#include <assert.h>

#include "model/memory.h"

typedef struct { const lock *l; uint64_t seq; } executed;

typedef struct codec {
    enum { COLLECTING, WRITING, READING } does;    /* a first pass collects the orders of execution */
    model *m;              /* when writing: a copy that has the requests under their names */
    int64_t now_ms;
    buf *out;
    str in;                /* the unread rest */
    executed *seqs;        /* sorted by seq */
    size_t seq_count, seq_cap;
    const model_names *names;                      /* used when writing; NULL: names stay */
    const model_renamer *renamer;                  /* used when reading; NULL: names stay */
    uint32_t any;          /* facts that are read of at least one lock */
    bool across;           /* a request without a lock may be compared with those of all locks */
} codec;

/* codec.c - fields */
uint64_t code_number(codec *c, uint64_t v);
bool code_flag(codec *c, bool v);
int64_t code_whole(codec *c, int64_t v);
uint32_t code_who(codec *c, uint32_t v);
uint32_t code_process(codec *c, uint32_t v);        /* under its new name */
str code_text(codec *c, str s);                    /* a text that was read lies in the bytes */
int64_t code_instant(codec *c, int64_t at_ms);
int64_t code_ahead(codec *c, int64_t at_ms);       /* the same; all instants in the past are one value */
/* Orders of execution: collected in a first pass and sorted, then written as ranks among those of their lock (NULL: of
 * all locks). */
uint64_t code_order(codec *c, const lock *l, uint64_t seq);
void code_sort_orders(codec *c);
uint64_t code_seen(codec *c, uint64_t seq);        /* after reading: all later executions come after it */

/* An open property reads one of these facts of any lock (memory.h), of `l`, or of the request, whose lock may not be
 * named. */
static inline bool reads(const codec *c, uint32_t facts)
{
    return c->any & facts;
}
static inline bool reads_of(const codec *c, const lock *l, uint32_t facts)
{
    return model_reads(c->m, l, facts);
}
/* The lock's specification is needed: for expected answers, and for the count of holds. */
static inline bool reads_spec(const codec *c, const lock *l)
{
    return l && l->spec != SPEC_NONE && reads_of(c, l, FACT_ANSWERS);
}

static inline bool all_zero(const void *p, size_t bytes)
{
    const unsigned char *at = p;
    for (size_t i = 0; i < bytes; i++)
        if (at[i])
            return false;
    return true;
}

/* The parts, each in freeze_<part>.c. */
owner *code_owner(codec *c, const owner *o);       /* NULL unless reading */
void code_locks(codec *c);
void code_stakes(codec *c, lock *l);
bool has_stakes(codec *c, const lock *l);          /* worth writing */
void code_requests(codec *c);
/* The requests of `m` worth writing, renamed and sorted by name, into the codec's copy; the caller frees the list. */
void name_requests(codec *c, const model *m, const model_names *names);

#endif
