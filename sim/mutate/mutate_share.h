/* mutate_share.h - mutants over the ranks of an MPI job: what one rank found out of a scenario, for the others. */
#ifndef LOCKSIM_MUTATE_MUTATE_SHARE_H
#define LOCKSIM_MUTATE_MUTATE_SHARE_H

#include "base/buf.h"
#include "mutate/mutate_internal.h"

/* All that a run of the original says; in `a`. */
void mutate_pack_scene(const scene *s, buf *out);
void mutate_unpack_scene(arena *a, str bytes, scene *out);
/* Ranks were interrupted: one thread may still run here, so everything that it can reach must stay until the process
 * ends. */
bool mutate_is_left(void);

#endif
