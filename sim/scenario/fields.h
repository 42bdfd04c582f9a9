/* fields.h - the fields of a scenario's table: a row each in fields.c, and the checks that need several of them. Only
 * sim/scenario includes this file. Each reader finds the field's value at the top of the stack (reading.h). */
#ifndef LOCKSIM_SCENARIO_FIELDS_H
#define LOCKSIM_SCENARIO_FIELDS_H

#include "scenario/case_layers.h"

enum { CLIENTS_MAX = 64 };

/* The tables of the scenario, and which of them is being read. */
typedef struct {
    const case_layer *layers;
    size_t count, at;
    matrix_row row;        /* row.clients 0: none */
} layering;

/* Reads one field; `context` is the layering. A read_field (reading.h). */
bool field_read(reading *r, str name, int64_t index, void *context);

/* field_clients.c */
bool field_clients(reading *r, const layering *g);
bool field_start(reading *r, const layering *g);               /* of clients without one of their own */
bool clients_check(reading *r);  /* after all fields: what each client waits for, and that all of them start */

/* field_search.c: what can happen, and how much of it is searched. */
bool field_faults(reading *r, const layering *g);
bool field_explore(reading *r, const layering *g);
bool field_limits(reading *r, const layering *g);

/* field_expect.c: the expected result. */
bool field_expect(reading *r, const layering *g);
bool field_must_see(reading *r, const layering *g);
bool field_must_meet(reading *r, const layering *g);
bool field_waive(reading *r, const layering *g);
bool field_exhibit(reading *r, const layering *g);

/* field_patch.c: the patches of the last layer that has any. Needed before the other fields: the files that the
 * scenario loads must be patched when it runs. */
bool patches_take(reading *r, layering *g);

#endif
