/* looked.h - which paths one scenario's result rests on, and what was there: its own file, every script and driver that
 * was read for it, and the places where one was looked for in vain. As long as all of them are the same, so is the
 * result. */
#ifndef LOCKSIM_HOST_LOOKED_H
#define LOCKSIM_HOST_LOOKED_H

#include "base/arena.h"

/* Of what is at a path: 0 nothing that can be read, 1 a folder, else of a file's bytes. */
typedef uint64_t file_print;
file_print file_print_of(str text);
file_print file_print_folder(bool there);
file_print file_print_now(str path);               /* reads the file */

typedef struct {
    arena *memory;                                 /* of the paths; NULL: none yet */
    struct looked_at { str path; file_print print; } *at;
    size_t count, cap;
} looked;
/* Zero-initialise. A path counts once: what was there first. NULL: nothing is kept. */
void looked_add(looked *l, str path, file_print print);
looked looked_copy(const looked *l);
void looked_free(looked *l);
/* Was `path`, or something below it, looked at? */
bool looked_touches(const looked *l, str path);
/* Of what was looked at, at `path` or below it, is something else there now? */
bool looked_differs(const looked *l, str path);
/* Of all that was looked at? */
bool looked_is_over(const looked *l);

#endif
