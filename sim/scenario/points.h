/* points.h - where a thread may be preempted: before each access to memory that another task may reach, a call is put
 * into the bytecode of client code. What it does is in preempt.c; the code means what it meant.
 *
 * An access is: reading or writing a field, # of a table, a call of a built-in function (one access, whatever it
 * does), and a variable that several functions share and that is assigned after they do. Left out is what can change
 * nothing: a field that a constructor { x = ... } or a file's own top level sets, and that no function assigns by its
 * name. That is how methods, modules and settings are told from memory. */
#ifndef LOCKSIM_SCENARIO_POINTS_H
#define LOCKSIM_SCENARIO_POINTS_H

#include "scenario/source.h"

/* The names of the two calls among the globals; no name of Lua can be spelled so. */
#define POINT_ACCESS "\1access"                    /* (), (table) or (table, key that is written) */
#define POINT_CALL "\1call"                        /* (function, its first argument) */

/* Fields that some function assigns by name. */
typedef struct point_names point_names;
/* It is read by name, and assigned by name nowhere. */
bool point_names_constant(const point_names *n, str name);

/* Puts the calls into every file of the cache that is compiled, and from now on into every further one. Does nothing
 * the second time. false: a function has too many locals for it, located (ERR_SCENARIO). */
bool points_into_all(source_cache *c, err *e);
/* Into one more, compiled just now. false: as above; or it assigns a field by a name that was left out of the files
 * before it. */
bool points_into_new(source_cache *c, source *s, err *e);

#endif
