/* looked.h - the paths on which one scenario's result depends, and what was there: its own file, every script and
 * driver that was read for it, and the places where one was looked for in vain. While all of them are the same, so is
 * the result. */
#ifndef LOCKSIM_HOST_LOOKED_H
#define LOCKSIM_HOST_LOOKED_H

#include "base/arena.h"

/* For the contents of a path: 0 nothing readable, 1 a folder, else from a file's bytes. */
typedef uint64_t file_print;
file_print file_print_of(str text);
file_print file_print_folder(bool there);
file_print file_print_now(str path);               /* reads the file */

typedef struct {
    arena *memory;                                 /* of the paths; NULL: none yet */
    struct looked_at { str path; file_print print; } *at;
    size_t count, cap;
} looked;
/* Zero-initialise. A path counts once, with its first contents. NULL: nothing is recorded. */
void looked_add(looked *l, str path, file_print print);
looked looked_copy(const looked *l);
void looked_free(looked *l);
/* Was `path`, or something below it, looked at? */
bool looked_touches(const looked *l, str path);
/* Has anything at `path` or below it changed since? */
bool looked_differs(const looked *l, str path);
/* Of all that was looked at? */
bool looked_is_over(const looked *l);

#endif
