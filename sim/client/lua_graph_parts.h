/* lua_graph_parts.h - what the parts of the graph ask of each other: one file describes one kind of object. Only
 * lua_graph*.c include this. Whatever a function describes lies at `at` of g->L and stays there. */
#ifndef LOCKSIM_CLIENT_LUA_GRAPH_PARTS_H
#define LOCKSIM_CLIENT_LUA_GRAPH_PARTS_H

#include "client/lua_graph.h"

/* lua_graph_values.c */
void put_number(lua_graph *g, double n);
/* what was written since counts for equality only, and is left out of outlines */
void lua_graph_hide(lua_graph *g, size_t from);
void put_string(lua_graph *g, str s);              /* as put_text, unless it is an instant */

void put_table(lua_graph *g, uint32_t number, int at);
/* Writes the entries of a table whose keys have been met since the last time. True if there was one. */
bool put_object_keys(lua_graph *g, size_t which);

void put_function(lua_graph *g, uint32_t number, int at);
/* The number of the file that a debug record speaks of, in its cache; UINT32_MAX: it is a trampoline of ours. */
uint32_t source_number(const char *source);

void put_coroutine(lua_graph *g, int at);
/* An upvalue whose variable still lives in a suspended frame is one with that local. */
void put_open_cells(lua_graph *g);

void put_object(lua_graph *g, int at);

/* The object being described has no canonical form: nothing more is written. The first reason counts. */
void lua_graph_refuse(lua_graph *g, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
