/* render.h - scripts built from templates: their text is what a command of the user's prints. */
#ifndef LOCKSIM_HOST_RENDER_H
#define LOCKSIM_HOST_RENDER_H

#include "base/arena.h"
#include "base/err.h"

/* What `command path` prints, by the shell. false: it failed, or printed nothing or more than a file may hold. */
bool render_read(arena *a, const char *command, str path, str *out, err *e);

#endif
