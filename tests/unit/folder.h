/* folder.h - a folder of a test's own below /tmp, for what reads and writes real files. */
#ifndef LOCKSIM_TESTS_FOLDER_H
#define LOCKSIM_TESTS_FOLDER_H

#include <stdlib.h>

#include "base/arena.h"

/* Its path, in `a`. */
static inline str folder_make(arena *a)
{
    char pattern[] = "/tmp/locksim-test-XXXXXX";
    assert_non_null(mkdtemp(pattern));
    return arena_str(a, str_from(pattern));
}

static inline void folder_remove(arena *a, str path)
{
    str command = arena_printf(a, "rm -rf %.*s", STR_ARG(path));
    assert_int_equal(system(command.p), 0);
}

#endif
