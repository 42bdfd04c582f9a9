/* ranks.h - the ranks of an MPI job: processes of one command line, on one machine or many (mpirun, srun). A build
 * without MPI (the default; `make MPI=1` makes the other) is rank 0 of 1.
 *
 * All calls but ranks_own and ranks_all are for the thread that called ranks_open. Messages are bytes; the sender does
 * not wait until they are taken. */
#ifndef LOCKSIM_HOST_RANKS_H
#define LOCKSIM_HOST_RANKS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "base/err.h"

/* Joins the job. false: this build knows no MPI, or the ranks are not of one build and one command line (on rank 0 `e`
 * says which is not; the others are silent, and `e` stays empty). The caller ends with ranks_close all the same. */
bool ranks_open(int argc, char **argv, err *e);
/* sudden: a rank may have died, so the process ends here without waiting, with `status`. */
void ranks_close(bool sudden, int status);
bool ranks_joined(void);               /* a job, even of one rank: its output passes through mpirun */
size_t ranks_own(void);
size_t ranks_all(void);

void ranks_send(size_t to, str bytes);
/* Receives a message, if there is one, and its sender. */
bool ranks_receive(size_t *from, buf *bytes);
/* Rank 0 has cancelled what this rank is doing (ranks_cancel). Fast, as it is called often. */
bool ranks_cancelled(void);
void ranks_cancel(void);               /* by rank 0, of all others */

#endif
