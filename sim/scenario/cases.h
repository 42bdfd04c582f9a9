/* cases.h - the cases of a scenario file: one file may hold many scenarios, each named FILE:CASE.
 *
 * A case is made of layers, tables whose fields replace those of earlier ones:
 *
 *   the file's own table  <  the row of `faults = "all"`  <  cases["crash.*"]  <  cases["crash.three"]
 *
 * `expect` is merged property by property, a property field by field; every other field comes from the last layer that
 * has it. `twin = { ... }` makes two cases: `exhibit`, which is the file without that table, and `twin`. */
#ifndef LOCKSIM_SCENARIO_CASES_H
#define LOCKSIM_SCENARIO_CASES_H

#include "scenario/scenario.h"

enum { CASE_NAME_BYTES_MAX = 64, CASES_MAX = 10000 };

/* [a-z_][a-z0-9_.]*, at most CASE_NAME_BYTES_MAX bytes; in a pattern, * stands for any number of bytes, or none. */
bool case_name_check(str name);
bool case_pattern_check(str pattern);
bool case_matches(str pattern, str name);

/* The length of FILE in "FILE.lua:CASE": up to the last colon after ".lua", if a case's name or pattern follows; else
 * name.n. It only looks at the text. */
size_t case_colon(str name);
/* "FILE.lua" of it, and "CASE"; empty: none. */
str case_file(str name);
str case_part(str name);
/* "FILE.CASE": how files that are written for it begin. Lives in `a`. */
str case_stem(arena *a, str name);

/* "a crash and a pause, three clients" is one row of the matrix that `faults = "all"` stands for: every kind of fault
 * by itself, and the pairs that break most locks, with two clients, with three, up to all that the file has (the pairs:
 * with two). Named "crash_and_pause.three". */
typedef struct {
    bool kinds[FAULT_KINDS];
    size_t clients;
} matrix_row;
/* The name's row: kinds joined by _and_, a dot, and the number as a word. false: it names none. */
bool matrix_parse(str name, matrix_row *row);
/* The names for a file with that many clients, in order; the list lives in `a`. */
size_t matrix_names(arena *a, size_t clients, const str **names);
/* "a crash and a pause, three clients" */
str matrix_title(arena *a, const matrix_row *row);

#endif
