/* signature.h - what breaks a property, short enough to be stored beside a scenario: the smallest budgets of faults
 * under which it breaks, and for each of them the operations of the breaking steps. As text: "none: release;
 * crash=1,pause=1: acquire renew".
 *
 * It covers all states of a world; the faults so far are part of each state. A budget is smallest if it contains no
 * other one under which the property breaks (no more of any kind of fault). The breaking step is the first on some way
 * from the beginning; later violations have no cause of their own. Its operation is that of the request that is
 * executed, answered or given up there; else its name from world_step_op. A violation without a single step has OP_REST
 * or OP_FOREVER. */
#ifndef LOCKSIM_SCENARIO_SIGNATURE_H
#define LOCKSIM_SCENARIO_SIGNATURE_H

#include "scenario/scenario.h"

#define OP_REST S("(rest)")           /* visible when nothing more happens, or only cycles are left */
#define OP_FOREVER S("(forever)")     /* a task waits for ever, or too long */

typedef struct {
    uint32_t used[FAULT_KINDS];
    str *ops;              /* in byte order, each once */
    size_t op_count, op_cap;
} signature_cause;

typedef struct signature {
    signature_cause *causes;           /* fewest faults first, then by kinds; none contains another */
    size_t count, cap;
} signature;

/* It breaks under these faults at a step of this operation. Keeps only the smallest. All memory is the arena's. */
void signature_add(arena *a, signature *s, const uint32_t used[FAULT_KINDS], str op);
bool signature_equal(const signature *x, const signature *y);
/* Does it have this cause: the same budget, and this operation? */
bool signature_has(const signature *s, const uint32_t used[FAULT_KINDS], str op);
void signature_print(const signature *s, buf *out);
/* Reads what signature_print prints, in any order. false: a syntax error; `e` says why, without a position
 * (ERR_SCENARIO). */
bool signature_parse(arena *a, str text, signature *out, err *e);

#endif
