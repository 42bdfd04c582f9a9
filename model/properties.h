/* properties.h - the table of properties, in the order of their codes. A property is one line here, and a file of its
 * own named after it, model/NAME.c, which defines its row (monitor.h): its texts, what it reads of the memory, what it
 * keeps, how it judges. Those that are judged elsewhere and only reported here share model/reported.c. */
#ifndef LOCKSIM_MODEL_PROPERTIES_H
#define LOCKSIM_MODEL_PROPERTIES_H

#define PROPERTIES(P)                                            \
    P(MUTUAL_EXCLUSION, mutual_exclusion)                  /* LK001 */ \
    P(STRICT_MUTUAL_EXCLUSION, strict_mutual_exclusion)    /* LK002 */ \
    P(OWNER_ONLY, owner_only)                              /* LK003 */ \
    P(REENTRANCY, reentrancy)                              /* LK004 */ \
    P(FENCING, fencing)                                    /* LK005 */ \
    P(NO_LOST_WAKEUP, no_lost_wakeup)                      /* LK010 */ \
    P(NO_DEADLOCK, no_deadlock)                            /* LK011 */ \
    P(BOUNDED_WAIT, bounded_wait)                          /* LK012: judged by an exhaustive search only */ \
    P(PROMPT, prompt)                                      /* LK013 */ \
    P(FIFO, fifo)                                          /* LK020 */ \
    P(NO_LEAK, no_leak)                                    /* LK030 */ \
    P(LEASE_SET, lease_set)                                /* LK031 */ \
    P(IDEMPOTENT, idempotent)                              /* LK032: the world tries the second run, and reports */ \
    P(MATCHES_SPEC, matches_spec)                          /* LK040 */ \
    P(SCRIPT_HEALTH, script_health)                        /* LK050 */ \
    P(NO_BUSY_WAIT, no_busy_wait)                          /* LK051 */ \
    P(EQUIVALENT, equivalent)                              /* LK060: between two versions, as the next one */ \
    P(SAME_KEYS, same_keys)                                /* LK061 */ \
    P(ALWAYS, always)                                      /* LK090: the scenario's own invariant */

#endif
