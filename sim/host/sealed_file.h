/* sealed_file.h - a long file of our own, written bit by bit, whole or not at all, and read back. It ends with a sum of
 * its bytes, so that what is damaged or cut off is never taken for what was written. */
#ifndef LOCKSIM_HOST_SEALED_FILE_H
#define LOCKSIM_HOST_SEALED_FILE_H

#include "base/err.h"

typedef struct sealed_file sealed_file;
/* The folder must exist; until sealed_end the bytes are in PATH.part, and the old file at `path` stays. NULL: it cannot
 * be written (ERR_IO, or ERR_USAGE if the path is wrong). */
sealed_file *sealed_begin(str path, err *e);
void sealed_put(sealed_file *s, const void *bytes, size_t n);
/* Frees it. false: some of it could not be written (a full disk); nothing has changed. */
bool sealed_end(sealed_file *s, err *e);

/* All that was put. Borrowed from the file system until sealed_close. false with an empty `e`: there is no such file;
 * else it is no file of ours, or damaged (ERR_SCENARIO). */
bool sealed_open(str path, str *bytes, err *e);
void sealed_close(str bytes);

#endif
