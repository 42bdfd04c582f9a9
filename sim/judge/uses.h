/* uses.h - which scenarios load a script: by the names of files in the texts of a scenario and of what it requires, so
 * that none has to be run to know. A name that is put together at run time is not seen. */
#ifndef LOCKSIM_JUDGE_USES_H
#define LOCKSIM_JUDGE_USES_H

#include "host/files.h"

typedef struct uses uses;
/* Lives in `a`; files are read once. */
uses *uses_new(arena *a, const options *o);
void uses_free(uses *u);
/* Tidy paths (files_tidy) of every file that the scenario at `path` may load, itself first; those that it may load as
 * scripts, and not by require, are marked. What cannot be found or read is left out. */
typedef struct {
    str path;
    bool script;
} used_file;
size_t uses_of(uses *u, str path, const used_file **files);
/* Adds every place that the scenario of this name may look for a file in, there or not. false: some name is not to be
 * seen in a text: it is put together at run time, or no such file was found. */
bool uses_places(uses *u, str name, looked *places);
/* The text of such a file. */
str uses_text(const uses *u, str path);

#endif
