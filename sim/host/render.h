/* render.h - scripts built from templates: their text is the output of a command of the user. */
#ifndef LOCKSIM_HOST_RENDER_H
#define LOCKSIM_HOST_RENDER_H

#include "base/arena.h"
#include "base/err.h"

/* The output of `command path`, run by the shell. false: it failed, or printed nothing or more than a file may hold. */
bool render_read(arena *a, const char *command, str path, str *out, err *e);

#endif
