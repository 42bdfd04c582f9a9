/* vector.h - a state of the world as a short row of small numbers (parts.h), and everything that can happen in it by
 * table look-ups.
 *
 *     the row of a state of three clients
 *
 *     | node A | node B | node C | servers | bounds | monitors | tasks | channels | context | fingerprint |
 *     |<-------------- tells states apart ------------------->|<---- follows from it, kept to save time -->|
 *
 *     from a transition to the visited set
 *
 *     row --- vectors_look ---> happening: print, change -- visited_prefetch, visited_add(print) ---> met before:
 * dropped
 *             node, context     (the print of the next                |
 *             -> effect          state, made without its row)         +---> new: vectors_row makes the next row
 *
 * The row: for each client its node (twice the part's number, plus one where its loop in zero time has already
 * repeated), then the servers, the bounds (budgets and the like) and the monitors. What follows from these is stored
 * with them to save time: who can move, who is subscribed, the context (all that a node's steps depend on besides the
 * node), and the row's fingerprint. */
#ifndef LOCKSIM_SEARCH_VECTOR_H
#define LOCKSIM_SEARCH_VECTOR_H

#include "search/internal.h"
#include "search/visited.h"
#include "memo/parts.h"

/* after the nodes */
enum { AT_SERVERS, AT_BOUNDS, AT_MODEL, AT_TASKS, AT_CHANNELS, AT_CONTEXT, AT_PRINT, AT_EXTRA = AT_PRINT + 3 };

/* One thing that can happen in a state. Small: the loop over all states writes the first half of one for each
 * transition. */
typedef struct {
    print print;           /* of the next state */
    const struct row_change *change;         /* how to make the row of that state: see vectors_row */
    uint32_t number;       /* its index among all that can happen in that state */
    uint32_t process;      /* who moves; NOBODY: time, servers */
    uint32_t broken;       /* properties that it breaks, bits */
    uint32_t model, place; /* see row_change */
    bool fault, same;      /* same: it leads back to the same state */
    /* Filled by vectors_expand only: */
    uint32_t step;         /* parts_step; PART_NONE: time */
    uint32_t events;       /* what the monitors heard */
    int64_t ms;            /* of time */
} happening;

typedef struct vectors vectors;
/* NULL and the hunt's error if the scenario cannot begin. */
vectors *vectors_new(hunt *h, bool absolute);
void vectors_free(vectors *t);
/* After an uncaught error: from now on steps that end in an error are skipped, so that earlier findings can be
 * reported. */
void vectors_go_back(vectors *t);
size_t vectors_width(const vectors *t);            /* words in a row */
/* The first state; *broken: properties that it breaks by itself. */
const uint32_t *vectors_begin(const vectors *t, uint32_t *broken);
print row_print(const uint32_t *row, size_t words);
print vectors_print(const vectors *t, const uint32_t *row);
/* Does the fingerprint in the row, updated by each step's change, equal the one computed from its words? */
bool vectors_row_is_whole(const vectors *t, const uint32_t *row);

/* A state and its permutations are one where clients are equal (equal.h). */
typedef struct {
    print print;           /* equal for all permutations of a row, and for no other row */
    uint32_t permutation;  /* leads from the row to its canonical form: parts_permutation */
    uint64_t stands_for;   /* the number of rows with that form */
} folded;
/* The row itself where no clients are equal, or something has told them apart. */
folded vectors_fold(vectors *t, const uint32_t *row);
bool vectors_folds(const vectors *t);  /* some are */
uint64_t vectors_forms(const vectors *t);          /* folder_forms */
/* All that can happen. Borrowed until the next call. Most steps that lead back to the same state and break nothing are
 * left out, and counted in *same. false: an uncaught error in client code, in the hunt. */
bool vectors_look(vectors *t, const uint32_t *row, const happening **list, size_t *count, size_t *same);
/* The row of the state that `x` leads to; `row` is the argument of vectors_look. A row with a change stays valid after
 * the next call. */
void vectors_row(const vectors *t, const uint32_t *row, const happening *x, uint32_t *to);
/* Both at once, with nothing left out: the i-th row begins at (*rows)[i * width], and its number is i. */
bool vectors_expand(vectors *t, const uint32_t *row, const happening **list, const uint32_t **rows, size_t *count);
/* The conditions of an ample set, a bit each, for tests of the tests: without one of them the search must be seen to
 * fail. */
typedef enum {
    AMPLE_WITHOUT_CLOSED = 1,          /* others can send it something */
    AMPLE_WITHOUT_FAULTS = 2,          /* a fault can strike the process */
    AMPLE_WITHOUT_HOLD = 4,            /* time can pass before the step */
    AMPLE_WITHOUT_MONITORS = 8,        /* monitors change, or something breaks */
    AMPLE_WITHOUT_EVENTS = 16,         /* ... or would later */
    AMPLE_WITHOUT_CYCLES = 32,         /* the others wait for ever */
    AMPLE_WITHOUT_REST = 64,           /* its life, programs, subscriptions change */
    AMPLE_WITHOUT_DEADLINE = 128,      /* a deadline is now */
    AMPLE_WITHOUT_SERVERS = 256,       /* it sends a request */
    AMPLE_WITHOUT_EXPIRY = 512,        /* some step made a deadline of the current millisecond */
    AMPLE_WITHOUT_ALL = 1024
} ample_rule;
/* The process whose steps are enough to expand in this state (an ample set, vector_ample.c); NOBODY: all steps are
 * needed. The list is that of vectors_look. */
uint32_t vectors_ample(vectors *t, const uint32_t *row, const happening *list, size_t count);
/* ... so this step waits. */
static inline bool happening_waits(const happening *x, uint32_t ample)
{
    return ample != NOBODY && (x->process != ample || x->fault);
}
/* A step contradicts an assumption of ample sets: their result must be dropped. */
bool vectors_ample_failed(const vectors *t);
/* ---- several threads: while one learns, no other looks; the others only look ---- */

/* Looks up what `t`, which outlives it, has learned, and never learns. Not without tables. */
vectors *vectors_reader(const vectors *t);
void vectors_reader_free(vectors *reader);
/* Call it before a look, after `t` has learned. */
void vectors_reader_refresh(vectors *reader, const vectors *t);
/* As vectors_look. false: something has to be learned first. met: MEETINGS_MAX numbers, by operation: the places that
 * it met (meetings_meet). */
bool vectors_knows(vectors *reader, const uint32_t *row, const happening **list, size_t *count, size_t *same,
                   uint64_t *met);
/* As vectors_ample. */
bool vectors_knows_ample(vectors *reader, const uint32_t *row, const happening *list, size_t count, uint32_t *process);
/* As vectors_fold. */
bool vectors_knows_fold(vectors *reader, const uint32_t *row, folded *out);
/* The number of things learned so far. */
uint64_t vectors_learned(const vectors *t);
/* After an error: the row can be looked at again, as if the error had not happened. */
void vectors_forgive(vectors *t);

/* `ms` pass, at most as long as the step of time here: the row afterwards. Not without tables. */
bool vectors_pass(vectors *t, const uint32_t *row, int64_t ms, uint32_t *to);
uint32_t vectors_node(const vectors *t, const uint32_t *row, uint32_t process);
uint32_t vectors_servers(const vectors *t, const uint32_t *row);
/* Only faults can happen here: the properties that this breaks. */
uint32_t vectors_settle(vectors *t, const uint32_t *row);
/* For the graph of all states: who waits (parts_waiters, parts_standing), and who progresses in what happens there. */
uint64_t vectors_waits(vectors *t, const uint32_t *row);
uint64_t vectors_progress(vectors *t, const uint32_t *row, const happening *x);
bool vectors_cut(const vectors *t, const uint32_t *row);    /* end_ms is reached: later events are not seen */
/* faults that have happened on the way there */
void vectors_used(const vectors *t, const uint32_t *row, uint32_t used[FAULT_KINDS]);
/* The task (its place; NOBODY: none) of `process` that loops here in zero time, and the step (PART_NONE: none) with
 * which a task goes on. */
uint32_t vectors_spinning(vectors *t, const uint32_t *row, uint32_t process);
uint32_t vectors_own_step(vectors *t, const uint32_t *row, uint32_t process, uint32_t task);
uint32_t vectors_mover(vectors *t, const uint32_t *row, const happening *x);          /* parts_mover */
/* No program is left and nothing new will happen: the properties that the final state breaks. */
uint32_t vectors_rest(vectors *t, const uint32_t *row);
bool vectors_ended(const vectors *t, const uint32_t *row);  /* every program has */
parts *vectors_parts(vectors *t);
size_t vectors_bytes(const vectors *t);
uint64_t vectors_requests(const vectors *t);       /* executed without tables */
bool vectors_slow(const vectors *t);    /* without look-ups: a state takes as long as thousands by tables */
uint64_t vectors_seen(const vectors *t);           /* world_seen of all steps so far */

#endif
