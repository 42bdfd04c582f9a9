/* case_layers.h - the tables of a scenario file from which a case is made; see cases.h. Only sim/client includes this
 * file. */
#ifndef LOCKSIM_SCENARIO_CASE_LAYERS_H
#define LOCKSIM_SCENARIO_CASE_LAYERS_H

#include "scenario/cases.h"
#include "scenario/reading.h"

/* The cases that a file declares. Lives in the reading's arena. */
typedef struct {
    struct case_key { str text; bool off, pattern; } *keys;    /* of `cases`, in byte order; off: `= false` */
    size_t key_count;
    bool twin, all;        /* it has `twin`; its faults are "all" */
    str *names;            /* in byte order; none: the file is one scenario */
    size_t name_count;
} case_table;
/* Reads them from the file's table, at index 1 of the stack. false: an error is filled in. */
bool case_table_read(reading *r, case_table *out);

/* The layers of the case of that name, in order; `row` is its row of the matrix, row->clients 0: none. false: there is
 * no such case. */
bool case_layers_of(reading *r, const case_table *t, str name, const case_layer **layers, size_t *count,
                    matrix_row *row);
/* Pushes the table of a layer, found from the file's table at `index`; nil where there is none. */
void case_layer_push(lua_State *L, int index, const case_layer *l);
/* Pushes the field from the last layer that has it, of the file's table at `index`; nil: none has it. */
void case_push_field(lua_State *L, int index, const scenario *sc, const char *name);

#endif
