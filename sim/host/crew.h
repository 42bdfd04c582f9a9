/* crew.h - numbered pieces of work, done side by side: by a few threads of this process, or by the ranks of an MPI job
 * (ranks.h), a piece at a time each. Which of the two, the work does not know. */
#ifndef LOCKSIM_HOST_CREW_H
#define LOCKSIM_HOST_CREW_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"

/* How many threads `wanted` (0: one for each core that this process may use) comes to, at most 64. */
size_t crew_size(size_t wanted);
/* Calls work(context, i) for i = 0 .. count - 1, begun in this order by `threads` threads; returns when all are
 * done. */
void crew_run(size_t threads, size_t count, void (*work)(void *context, size_t i), void *context);

/* Work whose results are wanted in order, as soon as they are there. */
typedef struct {
    void *context;
    size_t count;
    void (*work)(void *context, size_t i);             /* on any thread, of any rank */
    bool (*publish)(void *context, size_t i);          /* on the calling thread of rank 0; false ends it early */
    bool (*stays)(void *context, size_t i);            /* rank 0 has to do this piece; NULL: none */
    void (*leave)(void *context);      /* a thread of this process finds nothing more to start; may be NULL */
    bool (*interrupted)(void);         /* then nothing new is started, and finished results are published */
    /* What work made of piece i on another rank: its bytes, and rank 0 takes them over. NULL: ranks do not share it. */
    void (*pack)(void *context, size_t i, buf *out);
    void (*unpack)(void *context, size_t i, str bytes);
} crew_work;
/* Begins the pieces in order; publishes those that are done in the order of their numbers. After an interrupt those
 * that are not done are passed over. Returns how many were published: on another rank than 0 none are. With ranks
 * each of them does one piece at a time, whatever `threads` is; after an interrupt, which gives a job of ranks a second
 * to live, nothing is waited for: a piece may still be worked at, so that the context must stay until the process
 * ends. */
size_t crew_publish(const crew_work *w, size_t threads);
/* As crew_run, where every rank calls it with the same pieces: each does some of them, one at a time, and when it
 * returns all ranks have what came of all of them, each by unpack; publish and leave are not called. No rank returns
 * before all have begun. pack leaves its piece as it is. After an interrupt pieces may be missing, and as above one may
 * still be worked at. */
void crew_share(const crew_work *w, size_t threads);

#endif
