/* lua_graph.h - the Lua objects of a process as canonical bytes: every object once, numbered in the order of first
 * reference, so that the bytes hold structure and content and never an address. process_freeze.c writes the roots,
 * lua_graph_finish all that they refer to.
 *
 * It has to be fast, as the random search calls it at polls and the exhaustive one at every new state. So the
 * environment is numbered once for each process (it cannot change), and maps and lists are reused by the next call. */
#ifndef LOCKSIM_CLIENT_LUA_GRAPH_H
#define LOCKSIM_CLIENT_LUA_GRAPH_H

#include "client/live.h"
#include "client/process_internal.h"
#include "client/seen.h"
#include "scenario/equals.h"
#include "scenario/registers.h"

/* An upvalue as a variable: the closure in which it was first met, and its index there. */
typedef struct {
    uint32_t closure, index;
    const char *name;      /* Lua keeps equal strings once: compared as an address */
    uint32_t source;       /* closures that share a variable were written in one file */
} cell;

/* A field of the table being described; the key is a number, a boolean or a string. */
typedef struct {
    int key_type, type;
    double key, number;    /* booleans as 0 and 1 */
    str key_text, text;
    str key_written;       /* the same but for names */
    const void *address;   /* of a value that is an object */
} field;

/* A table with objects as keys. Such a key counts once something else refers to it, because client code cannot
 * enumerate these keys. */
typedef struct {
    uint32_t table, upto;  /* keys numbered up to here are written */
} keyed_table;

enum { GRAPH_QUEUE = 1 };

typedef struct lua_graph {
    process *p;
    lua_State *L;          /* [GRAPH_QUEUE] objects by number; above it, room for work */
    seen objects;
    uint32_t environment;  /* 1 to here are the environment's, in every state */
    uint32_t count, done;  /* numbers given; objects described */
    uint32_t *parents;     /* by number: the object that first referred to it; 0: a root */
    size_t parent_cap;

    int64_t now_ms;
    buf *out;
    const equals *equals;  /* texts are written in another naming (equals_named), and live in `renamed`; NULL:
                            * unchanged */
    size_t naming;
    arena *renamed;
    cell *cells;
    size_t cell_count, cell_cap;
    field *fields;
    size_t field_count, field_cap;
    keyed_table *keyed;
    size_t keyed_count, keyed_cap;
    uint32_t *suspended;   /* coroutines with frames */
    size_t suspended_count, suspended_cap;
    uint32_t *sources;     /* files met so far: by number in their cache */
    size_t source_count, source_cap;
    uint32_t *answered;    /* requests known to fulfilled futures only, in the order met */
    size_t answered_count, answered_cap;
    uint32_t *ranks;       /* requests that others know, sorted, each once */
    size_t rank_count, rank_cap;
    frozen_distance *distances;
    size_t distance_count, distance_cap;
    frozen_mark *marks;     /* numbers that are no distances, and texts, in the order of the bytes */
    size_t mark_count, mark_cap;

    char failure[256];     /* empty: none */
    uint32_t failed;       /* the object it was found in */
} lua_graph;

/* The process's one, made at the first question. */
lua_graph *lua_graph_of(process *p);
void lua_graph_free(lua_graph *g);
/* The process is about to return to its state when the graph was made: newer numbers are dropped, the environment keeps
 * its own. */
void lua_graph_rewind(lua_graph *g);
/* Drops the objects of the last call. `out` gets the bytes; NULL: nothing will be written. */
void lua_graph_begin(lua_graph *g, buf *out, int64_t now_ms);

/* Small numbers take one byte; a number has one form only. */
void put_count(lua_graph *g, uint64_t n);
void put_text(lua_graph *g, str s);
/* When a task wakes; INT64_MAX: never. A time in the past counts as now, as its age makes no difference: otherwise the
 * state of a paused process would keep changing. */
void put_timer(lua_graph *g, int64_t at_ms);
/* Writes the value at the top of L and pops it. */
void put_value(lua_graph *g, lua_State *L);
void put_root(lua_graph *g, int slot);
void put_thread(lua_graph *g, lua_State *thread);
/* Describes everything referred to so far, and everything that it refers to. */
void lua_graph_finish(lua_graph *g);
/* The object's number; 0: nothing refers to it. */
uint32_t lua_graph_find(const lua_graph *g, const void *object);

/* For walks that write nothing (instants.c). */
/* Pops the object at the top of L: its number, a new one if it was never met. */
uint32_t lua_graph_meet(lua_graph *g, lua_State *L);
/* Onto g->L. */
void lua_graph_push(lua_graph *g, uint32_t number);
void lua_graph_push_thread(lua_graph *g, lua_State *thread);
void lua_graph_keep_keyed(lua_graph *g, uint32_t table);
/* The coroutine at `at` of g->L. A dead one has no state but that it is dead; its stack is kept for traces. */
bool lua_graph_is_dead(lua_graph *g, int at);
/* Of a frame whose source and current line are known. */
const live_registers *lua_graph_live(const lua_graph *g, const lua_Debug *ar);

/* Fills `e`: what has no canonical form, and the nearest position in the client's code. Returns false. */
bool lua_graph_fail(lua_graph *g, err *e);

#endif
