/* lua_graph_parts.h - the interface between the parts of the graph: one file describes one kind of object. Only
 * lua_graph*.c include it. The object that a function describes lies at `at` of g->L and stays there. */
#ifndef LOCKSIM_CLIENT_LUA_GRAPH_PARTS_H
#define LOCKSIM_CLIENT_LUA_GRAPH_PARTS_H

#include "client/lua_graph.h"

/* lua_graph_values.c */
void put_number(lua_graph *g, double n);
/* what was written from there on counts for equality only, and not in outlines */
void lua_graph_hide(lua_graph *g, size_t from);
void put_string(lua_graph *g, str s);              /* as put_text, or as an instant if it is one */

void put_table(lua_graph *g, uint32_t number, int at);
/* Writes the entries of a table whose keys were met since the last call. True if there was one. */
bool put_object_keys(lua_graph *g, size_t which);

void put_function(lua_graph *g, uint32_t number, int at);
/* The number of the file that a debug record speaks of, in its cache; UINT32_MAX: it is a trampoline of ours. */
uint32_t source_number(const char *source);

void put_coroutine(lua_graph *g, int at);
/* Unifies an upvalue whose variable still lives in a suspended frame with that local. */
void put_open_cells(lua_graph *g);

void put_object(lua_graph *g, int at);

/* The object being described has no canonical form: nothing more is written. The first reason is kept. */
void lua_graph_refuse(lua_graph *g, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
