/* hash.h - uthash with memory from mem.h, which never fails; uthash alone would end the program there. */
#ifndef LOCKSIM_BASE_HASH_H
#define LOCKSIM_BASE_HASH_H

#include "base/mem.h"

#define uthash_malloc(bytes) mem_alloc(bytes)
#define uthash_free(p, bytes) mem_free(p)
#define uthash_fatal(why) ((void)(why))
#include <uthash.h>

#endif
