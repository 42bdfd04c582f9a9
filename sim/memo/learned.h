/* learned.h - processes that look up what they do. A table remembers what one client was seen to do: (state, input) ->
 * (state, outputs). A learned process is a state of that table and the numbers of its own requests and tasks; every
 * function of process.h works on it and gives what a live process gives. The Lua runs only when an input meets a state
 * for the first time.
 *
 *     state 4: an idle client       input                   learned once by running the Lua, then looked up
 *     +---------------------+
 *     | canonical bytes     | --- run task 0 ----------->   state 5, outputs: request acquire, announcement wants
 *     | (process_freeze)    | --- 30 ms pass ----------->   state 6, no output
 *     | hash -> number 4    | --- answer to rank 0: nil ->  state 9, outputs: announcement granted
 *     +---------------------+
 *     a learned process = state number + its own numbers of the state's requests (by rank) and tasks (by place)
 *
 * States are told apart by 128-bit hashes of what process_freeze writes; among n states the odds of a collision are n^2
 * / 2^129. An input is learned relative to its instant: what may be a time (a whole number within 10^9 of now, or a
 * text of digits that is one) is kept as its distance from now. That is a guess, so everything is learned twice, at two
 * distant instants, until a difference is seen: process_table_absolute. */
#ifndef LOCKSIM_MEMO_LEARNED_H
#define LOCKSIM_MEMO_LEARNED_H

#include "base/facts.h"
#include "base/outline.h"
#include "scenario/equals.h"
#include "client/process.h"

typedef struct process_table process_table;

/* States are numbered 0, 1, ... in the order in which they were met. */
#define PROCESS_NO_STATE UINT32_MAX

/* Of one client of the scenario, in all of its incarnations. Scenario and loader must outlive it. */
process_table *process_table_new(const scenario *sc, const loader *l, size_t client);
/* After that, its learned processes may only be passed to process_free. */
void process_table_free(process_table *t);

/* As process_new. Its outputs are borrowed from the table, or lie in the memory of `out`. */
process *process_learned(process_table *t, uint32_t incarnation, int64_t now_ms, err *e);
/* The same for another client of the table's class (process_tables_new_equal): its inputs and outputs carry that
 * client's ids. */
process *process_learned_as(process_table *t, size_t client, uint32_t incarnation, int64_t now_ms, err *e);
/* Turns a copy of client `of`'s process into the process of client x->to[of], with all ids exchanged. false:
 * process_tables_apart says why. */
bool process_permute(process *p, size_t of, const permutation *x, err *e);
/* Makes `to` equal to `from`, of the same table. Allocates only if `to` never had as many tasks and requests. */
void process_assign(process *to, const process *from);
/* Moves it in time: it is at now_ms + by_ms what it was at now_ms, as only distances from now count. false as
 * process_state_id. */
bool process_move(process *p, int64_t now_ms, int64_t by_ms, err *e);
/* The number of a learned process's state at now_ms: equal numbers, equal canonical bytes. PROCESS_NO_STATE: it has no
 * canonical form, `e` says why. */
uint32_t process_state_id(process *p, int64_t now_ms, err *e);
/* The same for a live process of the table's client. */
uint32_t process_table_intern(process_table *t, process *live, int64_t now_ms, err *e);

/* Inputs for which Lua ran because their effect was unknown; all inputs that Lua ran: each of the former twice or more,
 * and repeated ones; and of these the repeated ones, which lead back to a state. */
uint64_t process_table_runs(const process_table *t);
uint64_t process_table_runs_all(const process_table *t);
uint64_t process_table_repeated(const process_table *t);
size_t process_table_states(const process_table *t);
size_t process_table_bytes(const process_table *t);    /* approximate memory, including live processes and their Lua */
/* The contents of the state, by name, for people. Runs Lua to reach the state again. */
void process_table_describe(process_table *t, uint32_t state, facts *out);
/* Adds to `out` the state as it is at now_ms, for a comparison in which only time may differ. */
void process_table_outline(const process_table *t, uint32_t state, int64_t now_ms, outline *out);
/* Does some state hold an instant that is not kept as a distance from now? */
bool process_table_unfolded(const process_table *t);
/* Did anything depend on more than the distance to now? *why then says what and where. The table keeps the first
 * result. */
bool process_table_absolute(const process_table *t, str *why);
/* How much memory images of its live processes may take, which are saved in the states that they leave (default
 * 64 MiB). 0: none is saved, and each state is reached again by repetition. */
void process_table_keep(process_table *t, size_t image_bytes);

/* The tables of a scenario's clients, kept from one search to the next. They contain no results of servers: between
 * searches scripts may get other texts (source_replace_script), as long as no client reads one (source_texts_read). */
typedef struct process_tables process_tables;
process_tables *process_tables_new(const scenario *sc, const loader *l);       /* which must outlive them */
/* The same, where what is learned of one of several equal clients is learned of all. `eq` must outlive them; NULL: no
 * clients are equal. `instants`: the spellings that fold. Where seconds do, a state also says how long the last full
 * one is past, and a process moves by full seconds only. */
process_tables *process_tables_new_equal(const scenario *sc, const loader *l, const equals *eq,
                                         instant_spelling instants);
/* Did a client's code behave differently under its other name? *why then says what and where: the clients are not
 * equal. */
bool process_tables_apart(const process_tables *t, str *why);
void process_tables_free(process_tables *t);       /* NULL is fine */
process_table *process_tables_get(const process_tables *t, size_t client);
/* Between searches: frees what is quickly made again, and keeps the tables. */
void process_tables_rest(process_tables *t);
size_t process_tables_bytes(const process_tables *t);
bool process_tables_absolute(const process_tables *t, str *why);       /* process_table_absolute of any */

#endif
