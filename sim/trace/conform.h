/* conform.h - could this driver have sent what an owner of a lock sent? The driver runs as a process that calls its
 * lock's methods in any order and at any time, and gets the server's answers. Choices, delays (a timer or a request is
 * late) and lost requests are searched until it sends what the log has. The first request that cannot be reached is one
 * that the driver would never send. */
#ifndef LOCKSIM_TRACE_CONFORM_H
#define LOCKSIM_TRACE_CONFORM_H

#include "base/err.h"
#include "trace/tracer.h"

enum { CONFORM_REQUESTS_MAX = 1000000 };

typedef struct conform conform;
conform *conform_new(const family *driver);        /* which outlives it */
void conform_free(conform *c);         /* NULL is fine */
/* In the log's order. Requests without an owner are skipped. */
void conform_add(conform *c, const seen_request *r);
void conform_published(conform *c, int64_t at_us, str channel, str payload);

typedef struct {
    uint64_t owners, requests;
    uint64_t conforming;   /* owners all of whose requests are a behaviour of the driver */
    uint64_t strange;      /* owners that sent something the driver would never send */
    uint64_t undecided;    /* a limit came first, or the driver asks for something that the log does not contain */
    uint64_t passed_over;  /* requests: from before an owner's first acquire, by calls of the driver that are not known
                            * here, or beyond CONFORM_REQUESTS_MAX */
    str undecided_why;     /* of the first one; "" */
} conform_counts;

/* Finds FOUND_STRANGE. false: the driver failed, and `e` says why. */
bool conform_each(conform *c, void (*found)(void *context, const finding *f), void *context, int64_t begin_us,
                  conform_counts *out, err *e);

#endif
