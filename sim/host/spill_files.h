/* spill_files.h - memory in files of a folder (--spill DIR): each without a name, removed when it is unmapped, however
 * the program ends. */
#ifndef LOCKSIM_HOST_SPILL_FILES_H
#define LOCKSIM_HOST_SPILL_FILES_H

#include <stdatomic.h>

#include "base/err.h"
#include "base/spill.h"

typedef struct {
    spill door;            /* for search_options; its context is this struct, which must not move */
    str folder;
    atomic_bool full;      /* it could not be had, and that was said */
} spill_files;
void spill_files_begin(spill_files *s, str folder);
/* Can files be made in it? false: ERR_USAGE or ERR_IO. */
bool spill_files_try(str folder, err *e);

#endif
