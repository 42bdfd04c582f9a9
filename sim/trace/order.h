/* order.h - what clients wrote down themselves: each request with when it was sent and when it was answered, but not
 * when the server did it, nor, where no answer came, whether it did. An order and instants are searched that explain
 * every answer: each request is executed between `sent` and `answered`, instants never go back, and our server answers
 * what the log has (linearizability, as Jepsen's checkers search it: depth first, requests without a common key apart
 * from each other, and a state that led nowhere is not tried again). All requests are kept until then. */
#ifndef LOCKSIM_TRACE_ORDER_H
#define LOCKSIM_TRACE_ORDER_H

#include "base/err.h"
#include "redis/dialect.h"
#include "trace/record.h"

enum { ORDER_RECORDS_MAX = 4000000 };

typedef struct order order;
order *order_new(dialect d);
void order_free(order *o);             /* NULL is fine */
void order_know_script(order *o, str body);
/* Copied. false: there are too many, and `e` says so. */
bool order_add(order *o, const record *r, err *e);

typedef struct {
    uint64_t requests;
    uint64_t unknown;      /* requests without an answer: unknown whether they were executed */
    uint64_t done;         /* of these: those that have to have been, so that the answers are explained */
    uint64_t tried;        /* executions that it took */
    uint64_t unexplained;  /* answers that no order explains: they are passed on as they are, and differ from ours */
    size_t unexplained_line;           /* of the first of these */
    uint64_t given_up;     /* of the unexplained: for the search has a limit */
    uint64_t as_sent;      /* requests in whose order nothing was searched: a pop that waits, or an unknown script, is
                            * among those about their keys */
} order_counts;

/* Searches, and hands out all that was executed, in order, at_us being the instant that was found. */
order_counts order_each(order *o, void (*fn)(void *context, const record *r), void *context);

#endif
