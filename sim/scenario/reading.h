/* reading.h - reads a scenario's table field by field; errors have the position where the field is written. The value
 * being read is at the top of the stack, and stays there. A function that returns false has filled in the error. */
#ifndef LOCKSIM_SCENARIO_READING_H
#define LOCKSIM_SCENARIO_READING_H

#include "scenario/runner.h"

enum { STEPS_DEEP = 8 };
#define READ_MS_MAX INT64_C(1000000000000)         /* some thirty years */

typedef struct {
    const file_runner *runner;
    const loader *loader;
    void *state;                                   /* the runner's; NULL: none is open */
    lua_State *L;                                  /* its stack */
    source *main;
    arena *a;
    scenario *out;
    err *e;
    field_step at[STEPS_DEEP];                     /* the path to the value being read */
    size_t depth;
} reading;

/* An error at the field being read; false. */
bool reading_wrong(reading *r, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* The same for a name that is not in `known`, with the nearest one as a hint; and for values without a name. */
bool reading_unknown(reading *r, const char *what, str name, const str *known, size_t n);
bool reading_unknown_position(reading *r, const char *known);
/* Enters a field, and leaves it; `ok` is returned. */
bool reading_enter(reading *r, str name, int64_t index);
bool reading_leave(reading *r, bool ok);
/* The name of the field being read, for messages: faults.pause */
const char *reading_field(reading *r);

bool read_integer(reading *r, int64_t least, int64_t most, int64_t *out);
bool read_str(reading *r, str *out);
bool read_table(reading *r, const char *what);     /* is it one? */
bool read_range(reading *r, int64_t *lo, int64_t *hi);         /* n, or { lo, hi }, in ms */
/* Reads the table field by field, in key order: positions first. `read` gets each value at the top. */
typedef bool read_field(reading *r, str name, int64_t index, void *context);
bool read_fields(reading *r, read_field *read, void *context);

#endif
