/* signature.h - by what a property breaks, short enough to be pinned beside a scenario: the smallest budgets of faults
 * under which it does, and for each of them the operations at whose steps. As text: "none: release; crash=1,pause=1:
 * acquire renew".
 *
 * Over all states of a world, faults so far are a part of each state. A budget is smallest if no other one under which
 * the property breaks is contained in it (no more of any kind of fault). The step that breaks it is the first to do so
 * on some way from the beginning; what goes wrong after that has no cause of its own. Its operation is that of the
 * request that is executed, answered or given up there; else what world_step_op calls it. What no single step breaks
 * has OP_REST or OP_FOREVER. */
#ifndef LOCKSIM_SCENARIO_SIGNATURE_H
#define LOCKSIM_SCENARIO_SIGNATURE_H

#include "scenario/scenario.h"

#define OP_REST S("(rest)")           /* seen once nothing more happens, or only what comes back for ever */
#define OP_FOREVER S("(forever)")     /* somebody waits for ever, or too long */

typedef struct {
    uint32_t used[FAULT_KINDS];
    str *ops;              /* in byte order, each once */
    size_t op_count, op_cap;
} signature_cause;

typedef struct signature {
    signature_cause *causes;           /* fewest faults first, then by kinds; none contains another */
    size_t count, cap;
} signature;

/* It breaks under these faults at this operation's step. Keeps what is smallest. All memory is the arena's. */
void signature_add(arena *a, signature *s, const uint32_t used[FAULT_KINDS], str op);
bool signature_equal(const signature *x, const signature *y);
/* Does it have this cause: the very same budget, and this operation? */
bool signature_has(const signature *s, const uint32_t used[FAULT_KINDS], str op);
void signature_print(const signature *s, buf *out);
/* What signature_print prints, whatever the order. false: it is none; `e` says why, without a place (ERR_SCENARIO). */
bool signature_parse(arena *a, str text, signature *out, err *e);

#endif
