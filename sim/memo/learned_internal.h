/* learned_internal.h - the inside of learned processes, shared by the files learned*.c.
 *
 * Numbers. The world names a process's requests and tasks by the process's own numbers, which only grow. A state names
 * requests by rank (in the order of process_each_request) and tasks by place (in the order of process_tasks). The table
 * uses ranks and places only; a learned process maps them to its own numbers. */
#ifndef LOCKSIM_MEMO_LEARNED_INTERNAL_H
#define LOCKSIM_MEMO_LEARNED_INTERNAL_H

#include <xxhash.h>

#include "base/instant.h"
#include "base/intern.h"
#include "base/outline.h"
#include "memo/learned.h"
#include "client/live.h"
#include "client/process_kind.h"

/* ---- inputs (learned_input.c); in the table their number is a place or a rank ---- */

static inline bool input_is_for_task(const input *in)
{
    return in->kind == INPUT_RUN || in->kind == INPUT_CHOOSE || in->kind == INPUT_INTERRUPT ||
           in->kind == INPUT_PREEMPT;
}
static inline bool input_is_for_request(const input *in)
{
    return in->kind == INPUT_ANSWER || in->kind == INPUT_GIVE_UP;
}

/* As bytes: equal bytes mean equal inputs at equal distances. */
void input_put(buf *b, const input *in, instant_spelling spelling, int64_t now_ms);
/* The input of those bytes at another instant; its texts lie in `a`. */
input input_take(arena *a, str bytes, int64_t now_ms);
/* In another naming (equals_named). */
void input_name(arena *a, const equals *eq, size_t naming, input *in);
/* With ids exchanged. */
void input_permute(arena *a, const equals *eq, const permutation *x, input *in);

/* ---- outputs (learned_output.c) ---- */

typedef struct shape shape;
typedef struct entry entry;

/* A request's or task's number in terms of a table: its rank or place before the input, or its index among the new
 * ones. */
typedef uint32_t named;
#define NAMED_NEW UINT32_C(0x80000000)             /* + k: the k-th new one, from 0 */
#define NAMED_NONE UINT32_C(0x7fffffff)            /* request 0 */
#define NAMED_UNKNOWN UINT32_C(0x7ffffffe)         /* a request unknown to the state before */

/* The numbers that one process uses. */
typedef struct {
    uint32_t *requests, *tasks, *others;           /* by rank, by place; `others`: scratch */
    size_t request_count, task_count, request_cap, task_cap, other_cap;
    uint32_t requests_sent, tasks_made;            /* so far */
} numbering;

/* Reads the numbers of a live process that was frozen just now. */
void numbering_read(numbering *n, process *live);
void numbering_begin(numbering *n, const shape *s);     /* of a process that has done nothing yet */
void numbering_assign(numbering *to, const numbering *from);
void numbering_follow(numbering *n, const entry *x);    /* updates them after an input */
void numbering_free(numbering *n);
named name_request(const numbering *before, uint32_t id);
named name_task(const numbering *before, uint32_t id);
uint32_t number_of_request(const numbering *before, named n);
uint32_t number_of_task(const numbering *before, named n);

/* An instant that was cut out of a text. */
typedef struct {
    uint32_t text;         /* which text of the output */
    size_t at;             /* its position in the text without instants */
    instant_unit unit;
    int64_t distance;      /* in that unit, from the last full one */
} instant_mark;

typedef struct {
    output o;              /* texts without instants; numbers are names */
    request r;             /* OUTPUT_REQUEST */
    instant_mark *marks;   /* by text, then place */
    size_t mark_count;
    bool token_is_instant;
} learned_output;

/* The outputs of a live process at now_ms, in `a`. false: they name a request unknown to the state. */
bool output_learn(arena *a, const numbering *before, const output *o, instant_spelling spelling, int64_t now_ms,
                  learned_output *out);
/* Logs are not compared, as nothing depends on them. */
bool output_equal(const learned_output *x, const learned_output *y);
/* Appends the output as of now_ms, for a process that had these numbers before the input. */
void output_give(const learned_output *l, const numbering *before, int64_t now_ms, outputs *out);

/* ---- states (learned_state.c) ---- */

typedef struct live live;
typedef struct saved saved;                        /* learned_live.c */

/* The common part of states that differ only by ageing. */
struct shape {
    task_view *tasks;      /* id: place; request: rank; wake_ms: see state */
    size_t task_count, request_count;
    observed *observed;
    size_t observed_count;
    /* with the ids of each client of a class; NULL: not used yet */
    struct worn { task_view *tasks; observed *observed; } *worn;
    int64_t *constants;    /* numbers that are instants at some other time, and were none when the shape was met */
    size_t constant_count;
    outline outline;       /* of the bytes without distances */
    uint8_t *kinds;        /* distance_kind of the state's frozen distances; those of timers stop at now */
};

typedef struct {
    const shape *shape;
    XXH128_hash_t skeleton;                        /* of the bytes without distances */
    int64_t *distances;    /* those in the bytes, in their order; then those of wake-ups and of numbers */
    size_t frozen_count, wake_count, number_count;
    int64_t beyond_ms;     /* distance of the next number beyond the window, INT64_MAX: none near */
    int phase_ms;          /* where seconds fold: how long the last full one is past; else 0 */
    uint32_t aged_to;      /* the result of the last ageing, by aged_ms */
    int64_t aged_ms;
    /* How the state was reached: from `parent` by an entry, or (NULL) by ageing. */
    uint32_t parent, depth;
    const entry *by;
    int64_t elapsed_ms;
    uint32_t incarnation;  /* of a state without parent: the initial state of a process of that incarnation */
    saved *saved;          /* the live processes in this state; NULL: not saved */
} state;

typedef struct {
    state *at;
    size_t count, cap;
    intern *keys;          /* of 16 bytes each; a state is its key's number */
    instant_spelling instants;
    bool unfolded;  /* some state holds an instant that is not kept as a distance: within a text, or in seconds */
    buf bytes;  /* of the process that state_of saw last, without distances; these come first in `distances` */
    size_t bytes_distances;
    numbering numbers;     /* its numbers */
    buf others;            /* scratch, like the rest */
    int64_t *distances;
    size_t distance_cap;
} state_set;

void states_free(state_set *s);
/* The state of a live process at now_ms; added if it is new. */
uint32_t state_of(state_set *s, arena *a, process *live, int64_t now_ms, err *e);
/* Is a process in the state that state_of saw last? */
bool state_is(state_set *s, process *live, int64_t now_ms);
/* Are two processes in one state except for names? The second one has those of the naming. */
bool state_is_named(state_set *s, const equals *eq, size_t naming, process *first, int64_t now_ms, process *second,
                    int64_t second_now_ms);
/* By arithmetic alone; PROCESS_NO_STATE: needs a live process. */
uint32_t state_aged(state_set *s, arena *a, uint32_t id, int64_t elapsed_ms);
/* What a step may not look at (learned_piece.c): instants, equal ones forming a class, and timers. Fills in the classes
 * of a state, at most HIDDEN_MAX, and the class of each of its frozen distances; UINT32_MAX: none. SIZE_MAX: too
 * many. */
size_t state_classes(const state *s, int64_t *classes, uint32_t *of);
/* The rest of the state, as bytes. */
void state_put_unseen(const state *s, const uint32_t *of, buf *out);
/* Does everything observable in the state follow from its frozen distances? */
bool state_can_be_carried(state_set *s, uint32_t id);
/* The state like `to`, whose i-th frozen distance is number origins[i] of `from`; UINT32_MAX: as in `to`. */
uint32_t state_carried(state_set *s, arena *a, uint32_t from, uint32_t to, const uint32_t *origins);
/* `to` can be reached that way: kept if it is the shortest one known. */
void state_reach(state_set *s, uint32_t to, uint32_t parent, const entry *by, int64_t elapsed_ms);
const int64_t *state_wakes(const state *s);
const int64_t *state_numbers(const state *s);
void state_outline(const state *s, int64_t now_ms, outline *out);       /* adds to it */

/* ---- the table (learned_table.c) ---- */

enum { EPOCHS = 2, LIVES = EPOCHS + EQUALS_CLASS_MAX - 1 };

/* Processes in one state; the second is as far from the first as the epochs are. Where clients are equal it has another
 * name, and the others of the class but the first follow. NULL after a difference was seen. */
struct live {
    process *at[LIVES];
    numbering own;         /* of all of them */
    uint32_t state;        /* PROCESS_NO_STATE: between two, or after an error */
    int64_t at_ms;         /* the first one's current instant */
    int64_t shift_ms;      /* of the second one's epoch */
};

/* Far from the first epoch; odd, and no multiple of a unit of time; or of full seconds only, as many as have no small
 * factor. */
#define EPOCH_SHIFT_MS INT64_C(2718281828459)
#define EPOCH_SHIFT_SECONDS_MS INT64_C(2718281827000)
static inline int64_t live_now(const live *l, int epoch)
{
    return l->at_ms + (epoch == 1 ? l->shift_ms : 0);
}

struct entry {
    str key;               /* state, input; of process_table.entry_keys */
    uint32_t from;
    uint32_t to;           /* PROCESS_NO_STATE: an error */
    err error;
    learned_output *outputs;
    size_t output_count;
    bool clock, steady;    /* see outputs */
    int64_t clock_skew_ms, steady_skew_ms, clock_tick_ms;
    const double *compared;
    size_t compared_count;
    uint64_t used;
    bool unknown;
    bool ids_in_order;
    const named *requests, *tasks;                 /* of the state `to`, by rank and place */
    size_t request_count, task_count;
    uint32_t new_requests, new_tasks;
};

typedef struct piece piece;                        /* learned_piece.c */

struct process_table {
    bool drifts;           /* its clock drifts: time changes more of a state than distances */
    const scenario *scenario;
    const loader *loader;
    size_t client;
    arena *memory;
    state_set states;
    intern *entry_keys;
    entry **entries;       /* by the numbers of their keys */
    size_t entry_cap;
    buf key;               /* of the input that is looked up */
    intern *piece_keys;
    piece *pieces;         /* by the numbers of their keys */
    size_t piece_cap;
    bool hides;            /* hidden numbers can be used: hidden_works */
    struct { uint32_t incarnation, state; int phase_ms; } *roots;
    size_t root_count, root_cap;
    int64_t epoch_ms;      /* the instant at which processes begin in the first epoch */
    bool begun;
    live *bench;           /* NULL: none yet */
    saved *newest, *oldest;            /* images of the bench's processes, by last use */
    size_t live_bytes;     /* of the bench with its images; */
    size_t image_bytes, image_bytes_max;           /* of these alone */
    uint64_t restores;
    process **viewers;
    size_t viewer_count, viewer_cap;
    uint64_t runs, runs_all, repeated; /* see process_table_runs */
    str absolute;          /* the reason; empty: none seen */
    uint8_t members[EQUALS_CLASS_MAX]; /* of its class, without the first */
    int each;              /* processes of one `live` */
    const equals *equals;  /* several clients are learned as the first of them; the second process has another name.
                            * NULL: one client only */
    str apart;             /* why they are not equal; empty: no reason seen */
    map3 permuted;         /* (state, permutation, 0) -> state; permutations are numbered by their bytes */
    intern *permutations;
    intern *worn;          /* texts with the ids of other clients */
    arena *step;           /* memory of one run */
};

/* How long the last full second is past, where that is a part of a state; else 0. */
static inline int phase_of(const state_set *s, int64_t now_ms)
{
    return s->instants == INSTANTS_SECONDS ? (int)(now_ms % 1000) : 0;
}

/* A difference was seen: from now on everything is learned once only. */
static inline bool table_is_single(const process_table *t)
{
    return t->absolute.n > 0 || t->apart.n > 0;
}

/* The client of the i-th process of a `live`, and its naming (equals_named). */
static inline size_t table_client(const process_table *t, int i)
{
    return i < EPOCHS ? t->client : t->members[i - EPOCHS];
}
static inline size_t table_naming(const process_table *t, int i)
{
    return i < EPOCHS ? EQUALS_SECOND : t->members[i - EPOCHS];
}

/* Sets t->key: the state in KEY_STATE_BYTES, then the input. */
enum { KEY_STATE_BYTES = 8 };
static inline str entry_input(const entry *x)
{
    return str_slice(x->key, KEY_STATE_BYTES, x->key.n);
}
void table_key(process_table *t, uint32_t state, const input *in, int64_t now_ms);
/* The entry of t->key, whose state is `from`; learned now if unknown. */
const entry *table_find(process_table *t, uint32_t from);
/* Where seconds fold, of a process that begins so long after a full one; else phase_ms is 0. */
uint32_t table_root(process_table *t, uint32_t incarnation, int phase_ms, err *e);
void table_free_viewers(process_table *t);


/* learned_live.c: the live processes of a table. */
/* They are in that state now; the caller gives them the input. */
live *live_take(process_table *t, uint32_t state);
/* They are at their beginning. NULL: they cannot begin. */
live *live_new(process_table *t, uint32_t incarnation, int phase_ms, err *e);
void live_give_back(process_table *t, live *l, uint32_t state);        /* the input led there; after an error: not */
void live_drop_others(process_table *t);           /* all but the first */
/* The first of them is in that state now, as of *now_ms, to be looked at. */
process *live_look(process_table *t, uint32_t state, int64_t *now_ms);
process *live_apart(process_table *t, uint32_t state);         /* one of its own, in that state */
void live_trim(process_table *t);                  /* drops images beyond the limit */
void live_rest(process_table *t);                  /* drops all images */
void live_end(process_table *t);
/* learned_piece.c: what is learned in one state and holds in all states that differ only in what was not read. */
#define NO_PIECE UINT32_MAX
/* The piece of an entry that is about to be learned. NO_PIECE: everything in its state may matter, or an earlier step
 * did read it. */
uint32_t piece_of(process_table *t, const entry *x);
/* Fills in the entry from a known piece. false: there is none. */
bool piece_take(process_table *t, uint32_t piece, entry *x);
/* Around the run of the second process: what the step may not read is hidden, then restored. A hiding lives on the
 * stack. */
typedef struct {
    uint32_t piece;
    int64_t at_ms[16];     /* HIDDEN_MAX */
    struct waiting_task { uint32_t id; uint64_t order; int64_t wake_ms; int status; } *timers;
    size_t timer_count;
} hiding;
/* false: something cannot be hidden. */
bool piece_hide(process_table *t, hiding *h, const entry *x, live *l);
/* Nothing hidden was read, and the entry is learned: other states can take it over. */
void piece_keep(process_table *t, const hiding *h, const entry *x, live *l);
/* Something hidden was read. */
void piece_give_up(process_table *t, uint32_t piece);

typedef struct {
    uint32_t task;         /* the number of the task that the input names, in the first process; UINT32_MAX: none */
    bool ok[LIVES];
    err errors[LIVES];
    outputs out[LIVES];
} live_run;
/* Runs an input, by rank or place, in all of them. Their outputs lie in t->step. */
bool live_input(process_table *t, live *l, str bytes, live_run *run);
/* ---- a learned process (learned.c): what process.h's functions do with one ---- */

typedef struct learned {
    process_head head;
    process_table *table;
    size_t client;         /* the client that it is; the table uses the ids of its own client */
    uint32_t state;        /* as of at_ms */
    int64_t at_ms;
    numbering own;
    const err *failed;     /* the error that it has met */
    task_view *views;
    size_t view_cap;
    bool viewed;           /* views belong to this state */
} learned;

/* learned_permute.c */
/* Sets t->key as table_key does, from the input with ids exchanged. */
void table_key_permuted(process_table *t, uint32_t from, input in, int64_t now_ms, const permutation *x);
str table_worn(process_table *t, size_t client, str s);    /* the same for a copy that the table keeps */
/* of the outputs from that index on */
void output_wear(const process_table *t, size_t client, outputs *out, size_t from);

#endif
