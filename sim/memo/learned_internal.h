/* learned_internal.h - the inside of learned processes, shared by the files learned*.c.
 *
 * Numbers. The world knows a process's requests and tasks by their own numbers, which only grow. A state knows requests
 * by rank (in the order of process_each_request) and tasks by place (in the order of process_tasks). The table speaks
 * of ranks and places only; a learned process keeps which own number each of them has. */
#ifndef LOCKSIM_MEMO_LEARNED_INTERNAL_H
#define LOCKSIM_MEMO_LEARNED_INTERNAL_H

#include <xxhash.h>

#include "base/instant.h"
#include "base/intern.h"
#include "base/outline.h"
#include "memo/learned.h"
#include "client/live.h"
#include "client/process_kind.h"

/* ---- inputs (learned_input.c); in the table the number is a place or a rank ---- */

static inline bool input_is_for_task(const input *in)
{
    return in->kind == INPUT_RUN || in->kind == INPUT_CHOOSE || in->kind == INPUT_INTERRUPT ||
           in->kind == INPUT_PREEMPT;
}
static inline bool input_is_for_request(const input *in)
{
    return in->kind == INPUT_ANSWER || in->kind == INPUT_GIVE_UP;
}

/* As bytes: equal bytes, equal input at equal distance. */
void input_put(buf *b, const input *in, int64_t now_ms);
/* The input those bytes stand for at another instant; its texts lie in `a`. */
input input_take(arena *a, str bytes, int64_t now_ms);
/* In another naming (equals_named). */
void input_name(arena *a, const equals *eq, size_t naming, input *in);
/* With ids exchanged. */
void input_permute(arena *a, const equals *eq, const permutation *x, input *in);

/* ---- outputs (learned_output.c) ---- */

typedef struct shape shape;
typedef struct entry entry;

/* A request's or task's number, as far as a table can know it: what it was before the input, or the how manieth new
 * one. */
typedef uint32_t named;
#define NAMED_NEW UINT32_C(0x80000000)             /* + k: the k-th new one, from 0 */
#define NAMED_NONE UINT32_C(0x7fffffff)            /* request 0 */
#define NAMED_UNKNOWN UINT32_C(0x7ffffffe)         /* a request of which nothing in the state before knew */

/* The numbers that one process uses. */
typedef struct {
    uint32_t *requests, *tasks, *others;           /* by rank, by place; room for the next ones */
    size_t request_count, task_count, request_cap, task_cap, other_cap;
    uint32_t requests_sent, tasks_made;            /* so far */
} numbering;

/* Those of a live process that was frozen just now. */
void numbering_read(numbering *n, process *live);
void numbering_begin(numbering *n, const shape *s);     /* of a process that did nothing yet */
void numbering_assign(numbering *to, const numbering *from);
void numbering_follow(numbering *n, const entry *x);    /* what they are after an input */
void numbering_free(numbering *n);
named name_request(const numbering *before, uint32_t id);
named name_task(const numbering *before, uint32_t id);
uint32_t number_of_request(const numbering *before, named n);
uint32_t number_of_task(const numbering *before, named n);

/* An instant that was cut out of a text. */
typedef struct {
    uint32_t text;         /* which text of the output */
    size_t at;             /* where it goes, in the text without its instants */
    int64_t distance_ms;
} instant_mark;

typedef struct {
    output o;              /* texts without instants; numbers are names */
    request r;             /* OUTPUT_REQUEST */
    instant_mark *marks;   /* by text, then place */
    size_t mark_count;
    bool token_is_instant;
} learned_output;

/* What a live process put out at now_ms, in `a`. false: it spoke of a request that the state did not know. */
bool output_learn(arena *a, const numbering *before, const output *o, int64_t now_ms, learned_output *out);
/* Logs are not compared: nothing depends on them. */
bool output_equal(const learned_output *x, const learned_output *y);
/* Appends it as it is at now_ms, for a process that had these numbers before the input. */
void output_give(const learned_output *l, const numbering *before, int64_t now_ms, outputs *out);

/* ---- states (learned_state.c) ---- */

typedef struct live live;

/* What states that differ by ageing alone have in common. */
struct shape {
    task_view *tasks;      /* id: place; request: rank; wake_ms: see state */
    size_t task_count, request_count;
    observed *observed;
    size_t observed_count;
    /* with the ids of each client of a class; NULL: nobody asked */
    struct worn { task_view *tasks; observed *observed; } *worn;
    int64_t *constants;    /* numbers that would be instants at some time, and were none when the shape was met */
    size_t constant_count;
    outline outline;       /* of the bytes, without the distances */
    uint8_t *kinds;        /* distance_kind of a state's first distances; timers end at now */
};

typedef struct {
    const shape *shape;
    XXH128_hash_t skeleton;                        /* of the bytes without the distances */
    int64_t *distances;    /* those in the bytes, in their order; then those of wakes and of numbers */
    size_t frozen_count, wake_count, number_count;
    int64_t beyond_ms;     /* distance of the next number beyond the window, INT64_MAX: none near */
    uint32_t aged_to;      /* what ageing by aged_ms gave last */
    int64_t aged_ms;
    /* How to come here: from `parent` by an entry, or (NULL) by ageing. */
    uint32_t parent, depth;
    const entry *by;
    int64_t elapsed_ms;
    uint32_t incarnation;  /* of a state without parent: where a process of that incarnation begins */
    live *live;            /* processes that wait in this state */
} state;

typedef struct {
    state *at;
    size_t count, cap;
    intern *keys;          /* of 16 bytes each; a state is its key's number */
    bool unfolded;         /* some state holds an instant that is not kept as a distance: within a text, or as
                            * seconds */
    buf bytes;             /* of the process that state_of saw last, without distances; these come first in
                            * `distances` */
    size_t bytes_distances;
    numbering numbers;     /* its numbers */
    buf others;            /* scratch, like the rest */
    int64_t *distances;
    size_t distance_cap;
} state_set;

void states_free(state_set *s);
/* The state of a live process at now_ms, made from it if it is new. */
uint32_t state_of(state_set *s, arena *a, process *live, int64_t now_ms, err *e);
/* Is a process in the state that state_of saw last? */
bool state_is(state_set *s, process *live, int64_t now_ms);
/* Are two processes in one state but for their names? The second's are those of the naming. */
bool state_is_named(state_set *s, const equals *eq, size_t naming, process *first, int64_t now_ms, process *second,
                    int64_t second_now_ms);
/* By reckoning alone; PROCESS_NO_STATE: a live process has to be asked. */
uint32_t state_aged(state_set *s, arena *a, uint32_t id, int64_t elapsed_ms);
/* What a step need not look at (learned_piece.c): instants, of which equal ones are a class, and timers. The classes of
 * a state, HIDDEN_MAX at most, and of which each of its frozen distances is; UINT32_MAX: of none. SIZE_MAX: too many.
 */
size_t state_classes(const state *s, int64_t *classes, uint32_t *of);
/* All the rest of it, as bytes. */
void state_put_unseen(const state *s, const uint32_t *of, buf *out);
/* Does all that is told of the state follow from its frozen distances? */
bool state_can_be_carried(state_set *s, uint32_t id);
/* The state like `to`, but where origins[i] is no UINT32_MAX its i-th frozen distance is that one of `from`. */
uint32_t state_carried(state_set *s, arena *a, uint32_t from, uint32_t to, const uint32_t *origins);
/* `to` can be reached so: kept if it is the shortest way known. */
void state_reach(state_set *s, uint32_t to, uint32_t parent, const entry *by, int64_t elapsed_ms);
const int64_t *state_wakes(const state *s);
const int64_t *state_numbers(const state *s);
void state_outline(const state *s, int64_t now_ms, outline *out);       /* adds to it */

/* ---- the table (learned_table.c) ---- */

enum { EPOCHS = 2, LIVES = EPOCHS + EQUALS_CLASS_MAX - 1 };

/* Processes in one state, the second as far from the first as the epochs are; where clients are equal it bears another
 * name, and after it each client of the class but the first is there. NULL once a difference was seen. */
struct live {
    process *at[LIVES];
    numbering own;         /* of both */
    uint32_t state;
    int64_t at_ms;         /* the first one's present */
    uint64_t used;
    live *next;            /* in the same state */
};

/* Far from the first epoch; odd, and no multiple of anything people count time in. */
#define EPOCH_SHIFT_MS INT64_C(2718281828459)
static inline int64_t live_now(const live *l, int epoch)
{
    return l->at_ms + (epoch == 1 ? EPOCH_SHIFT_MS : 0);
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
    bool drifts;           /* its clock does: time changes more of a state than distances */
    const scenario *scenario;
    const loader *loader;
    size_t client;
    arena *memory;
    state_set states;
    intern *entry_keys;
    entry **entries;       /* by their keys' numbers */
    size_t entry_cap;
    buf key;               /* of the input that is looked up */
    intern *piece_keys;
    piece *pieces;         /* by their keys' numbers */
    size_t piece_cap;
    bool hides;            /* hidden_works */
    struct { uint32_t incarnation, state; } *roots;
    size_t root_count, root_cap;
    int64_t epoch_ms;      /* when processes begin in the first epoch */
    bool begun;
    live **lives;
    size_t live_count, live_cap, live_max;
    live *spares;          /* let go, to be made new again */
    size_t spare_count;
    uint64_t uses;
    process **viewers;
    size_t viewer_count, viewer_cap;
    uint64_t runs, runs_all;
    str absolute;          /* why; empty: nothing was seen */
    uint8_t members[EQUALS_CLASS_MAX]; /* of its class, but the first */
    int each;              /* processes in a live one */
    const equals *equals;  /* several clients are learned as the first of them; the second process bears another name.
                            * NULL: one client only */
    str apart;             /* why they are not equal; empty: nothing was seen */
    map3 permuted;         /* (state, permutation, 0) -> state; permutations by their bytes */
    intern *permutations;
    intern *worn;          /* texts with the ids of others */
    arena *step;           /* of one run */
};

/* A difference was seen: from now on nothing is learned twice. */
static inline bool table_is_single(const process_table *t)
{
    return t->absolute.n > 0 || t->apart.n > 0;
}

/* Which client the i-th process of a live one is, and in which naming (equals_named). */
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
/* The entry of t->key, whose state is `from`, learned now if it is not known. */
const entry *table_find(process_table *t, uint32_t from);
uint32_t table_root(process_table *t, uint32_t incarnation, err *e);
void table_free_viewers(process_table *t);


/* learned_live.c: live processes by state. */
/* Two processes in that state, taken from those that wait or made anew; the caller gives them back or frees them. */
live *live_take(process_table *t, uint32_t state);
live *live_new(process_table *t, uint32_t incarnation, err *e);
void live_give_back(process_table *t, live *l, uint32_t state);
void live_let_go(process_table *t, live *l);       /* to be made new again, or freed */
void live_free(live *l);
void live_free_spares(process_table *t);
void live_trim(process_table *t, size_t max);
/* learned_piece.c: what is learned in one state, for all states that differ in what was not looked at. */
#define NO_PIECE UINT32_MAX
/* Of an entry that is about to be learned; NO_PIECE: there is nothing in its state that it need not look at, or
 * somebody did look. */
uint32_t piece_of(process_table *t, const entry *x);
/* Fills in the entry from what is known of the piece. false: nothing is. */
bool piece_take(process_table *t, uint32_t piece, entry *x);
/* Before and after the second process runs: what it need not look at is hidden, and put back. A hiding lives on the
 * stack. */
typedef struct {
    uint32_t piece;
    int64_t at_ms[16];     /* HIDDEN_MAX */
    struct waiting_task { uint32_t id; uint64_t order; int64_t wake_ms; int status; } *timers;
    size_t timer_count;
} hiding;
/* false: something cannot be hidden. */
bool piece_hide(process_table *t, hiding *h, const entry *x, live *l);
/* Nobody looked, and the entry is learned: other states can take it over. */
void piece_keep(process_table *t, const hiding *h, const entry *x, live *l);
/* Somebody did. */
void piece_give_up(process_table *t, uint32_t piece);

typedef struct {
    uint32_t task;         /* the number of the one that was told to move, in the first process; UINT32_MAX: none */
    bool ok[LIVES];
    err errors[LIVES];
    outputs out[LIVES];
} live_run;
/* Runs an input, by rank or place, in both of them. What they put out lies in t->step. */
bool live_input(process_table *t, live *l, str bytes, live_run *run);
/* ---- a learned process (learned.c): what process.h's functions do with one ---- */

typedef struct learned {
    process_head head;
    process_table *table;
    size_t client;         /* who it is; in the table it goes by the ids of the table's */
    uint32_t state;        /* as of at_ms */
    int64_t at_ms;
    numbering own;
    const err *failed;     /* it has met this error */
    task_view *views;
    size_t view_cap;
    bool viewed;           /* views are of this state */
} learned;

/* learned_permute.c */
/* table_key of the input with ids exchanged. */
void table_key_permuted(process_table *t, uint32_t from, input in, int64_t now_ms, const permutation *x);
str table_worn(process_table *t, size_t client, str s);    /* the same of a copy that the table keeps */
/* of the outputs from that place on */
void output_wear(const process_table *t, size_t client, outputs *out, size_t from);

#endif
