/* codec.h - how the monitors' state is written and read: by the same functions, so that both agree. Each takes a field's value and
 * gives it back, as it is or as the bytes have it. What is written next may depend on nothing but what was before.
 * Only freeze*.c include this. */
#ifndef LOCKSIM_MODEL_CODEC_H
#define LOCKSIM_MODEL_CODEC_H

#include <assert.h>

#include "model/internal.h"

typedef struct { const lock *l; uint64_t seq; } executed;

typedef struct {
    enum { COLLECTING, WRITING, READING } does;    /* a first pass collects the orders of execution */
    uint64_t open;         /* properties, a bit each */
    model *m;              /* when writing: a copy that has the requests under their names */
    int64_t now_ms;
    buf *out;
    str in;                /* what is left to read */
    executed *seqs;        /* sorted by seq */
    size_t seq_count, seq_cap;
    const model_names *names;                      /* NULL: as they are; asked when writing */
    bool across;           /* a request that names no lock may be compared with those of all locks */
} codec;

/* codec.c - fields */
uint64_t code_number(codec *c, uint64_t v);
bool code_flag(codec *c, bool v);
int64_t code_whole(codec *c, int64_t v);
uint32_t code_who(codec *c, uint32_t v);
str code_text(codec *c, str s);                    /* a read one lies in the bytes */
int64_t code_instant(codec *c, int64_t at_ms);
int64_t code_ahead(codec *c, int64_t at_ms);       /* the same, where all that is over is one */
/* Orders of execution: collected in a first pass and sorted, written as ranks among those of their lock (NULL: of all). */
uint64_t code_order(codec *c, const lock *l, uint64_t seq);
void code_sort_orders(codec *c);
uint64_t code_seen(codec *c, uint64_t seq);        /* a read one: whatever is executed from now on comes after it */

/* What is read by the open properties. */
static inline bool is_open(const codec *c, property p)
{
    return c->open >> p & 1;
}
bool reads_promises(const codec *c);
bool reads_idle(const codec *c);
/* The specification of this lock is asked: what must be told, how holds are counted. */
bool reads_spec(const codec *c, const lock *l);

/* The parts, each in freeze_<part>.c. */
owner *code_owner(codec *c, const owner *o);       /* NULL unless reading */
void code_locks(codec *c);
void code_stakes(codec *c, lock *l);
bool has_stakes(codec *c, const lock *l);          /* worth writing */
void code_requests(codec *c);
bool reads_seq(const codec *c, const pending *r);  /* its place in the order is written, if it may grant */
/* The requests of `m` worth writing, under their names and sorted by them, into the codec's copy; the caller frees the list. */
void name_requests(codec *c, const model *m, const model_names *names);

#endif
