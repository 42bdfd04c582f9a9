/* names.h - how the command line names scenarios: FILE, FILE:CASE, FILE:PATTERN, or a folder. An existing file or
 * folder is that; else the last colon after ".lua" begins a case (scenario/cases.h). */
#ifndef LOCKSIM_JUDGE_NAMES_H
#define LOCKSIM_JUDGE_NAMES_H

#include "host/files.h"
#include "scenario/cases.h"

/* Reads the file's text, for scenario_load_case. false: it cannot be read. */
bool names_read(arena *a, str name, scenario_source *out, err *e);
/* The name with its file tidied (files_tidy). */
str names_tidy(arena *a, str name);
/* `name` relative to `folder` (files_relative). */
str names_relative(arena *a, str folder, str name);

/* Adds the names of the file's matching cases; *any: it has cases. false: it cannot be loaded, or its stories
 * (stories.h) name unknown cases. */
bool names_cases(arena *a, const options *o, str file, str pattern, file_list *out, bool *any, err *e);
/* Adds the scenarios that an argument names: each case of a file by its own name, each file below a folder that
 * `wanted` accepts, in byte order of files, then of cases. A file that cannot be loaded is added as it is: running it
 * gives the error. false: there is no such file, folder or case, and nothing was added. */
bool names_expand(arena *a, const options *o, str argument, bool (*wanted)(str text), file_list *out, err *e);
/* The same for callers that do not run them: a case of FILE:CASE that cannot be loaded is an error. */
bool names_expand_loaded(arena *a, const options *o, str argument, bool (*wanted)(str text), file_list *out, err *e);

#endif
