/* points.h - where a thread may be preempted: a call is inserted into the bytecode of client code before each access to
 * memory that another task may reach. preempt.c defines the call; the meaning of the code does not change.
 *
 * An access is: reading or writing a field, # of a table, a call of a built-in function (one access, whatever it does),
 * and a variable that several functions share and that is assigned after they do. Accesses without effect are left out:
 * to a field that only a constructor { x = ... } or a file's own top level sets, and that no function assigns by its
 * name. This distinguishes methods, modules and settings from memory. */
#ifndef LOCKSIM_SCENARIO_POINTS_H
#define LOCKSIM_SCENARIO_POINTS_H

#include "scenario/source.h"

/* The global names of the two calls; no name in Lua can be spelled so. */
#define POINT_ACCESS "\1access"                    /* (), (table) or (table, key that is written) */
#define POINT_CALL "\1call"                        /* (function, its first argument) */

/* Fields that some function assigns by name. */
typedef struct point_names point_names;
/* Is it read by name, and never assigned by name? */
bool point_names_constant(const point_names *n, str name);

/* Inserts the calls into every compiled file of the cache, and from now on into every further one. Does nothing the
 * second time. false: a function has too many locals for it, located (ERR_SCENARIO). */
bool points_into_all(source_cache *c, err *e);
/* Inserts them into one more, just compiled. false: as above; or it assigns a field whose name was left out in the
 * files before it. */
bool points_into_new(source_cache *c, source *s, err *e);

#endif
