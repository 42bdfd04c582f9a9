/* mutants.h - the mutants of a script or driver (sim/source/mutate.lua) as plain data, with their results. */
#ifndef LOCKSIM_MUTATE_MUTANTS_H
#define LOCKSIM_MUTATE_MUTANTS_H

#include "base/arena.h"
#include "base/err.h"
#include "source/host.h"

typedef enum {
    MUTANT_SURVIVED,       /* every scenario that reaches it has the same result */
    MUTANT_KILLED,         /* some scenario's result changes */
    MUTANT_EQUIVALENT,     /* survived, and no client can tell, within the bounds of the scenarios that reach it */
    MUTANT_UNDECIDED,      /* survived, but a limit came first in some scenario */
    MUTANT_EXPLAINED,      /* survived or undecided, with a written reason */
    MUTANT_CLASSES,
    MUTANT_OPEN = MUTANT_CLASSES,      /* not judged yet */
} mutant_class;
const char *mutant_class_name(mutant_class c);     /* "survived" ... */
bool mutant_class_parse(str name, mutant_class *c);

typedef struct {
    uint32_t number;       /* of its script, from 1 */
    uint32_t alike_before;         /* how many mutants before it have the same operator, from and to */
    str operator_, from, to;           /* for people */
    int line, col;
    int line_from, line_to;            /* lines, one of which must be reached for the mutant to matter */
    size_t first, end;     /* bytes [first, end) of the script ... */
    str new_text;          /* ... become these */
    bool wanted;           /* by --kind, --shard, --sample and --in-diff */
    /* What came of it. */
    mutant_class class_;
    str scenario;          /* that killed it */
    str how;               /* "LK001 mutual_exclusion is violated"; of an explained one the reason */
    bool told;             /* in some scenario it could be told from the original, so it is not equivalent */
    str tell;              /* where, and by what; empty: not compared */
    size_t equal;          /* scenarios in which it behaves exactly as the original */
    size_t looked, limited;            /* scenarios that reached it and did not notice; those that came to a limit */
    str witnesses;         /* some of the scenarios that did not notice, for people */
} mutant;

/* The role of a file for the scenarios: a script; client code that they require; a scenario, whose code outside its
 * table is a driver. */
typedef enum { MUTANTS_OF_SCRIPT, MUTANTS_OF_DRIVER, MUTANTS_OF_SCENARIO } mutants_kind;
/* All mutants of the file, in order; false: it does not parse, with the place in `e`. */
bool mutants_list(source_host *h, arena *a, mutants_kind kind, str path, str text, mutant **list, size_t *count,
                  err *e);
/* The script with this mistake. */
str mutant_text(arena *a, str text, const mutant *m);
/* As `diff -u` shows it. */
void mutant_diff(str path, str text, const mutant *m, buf *out);

#endif
