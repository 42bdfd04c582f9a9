/* script_names.h - the scripts that a loaded scenario uses, by the names by which its code loads them. */
#ifndef LOCKSIM_HOST_SCRIPT_NAMES_H
#define LOCKSIM_HOST_SCRIPT_NAMES_H

#include "scenario/scenario.h"

/* The files that were loaded with it, and other file names in its code and its drivers', which they may load later. The
 * texts are the scenario's. */
typedef struct {
    str *at;
    size_t count, cap;
} script_names;

script_names script_names_of(const scenario *sc);
void script_names_free(script_names *l);

#endif
