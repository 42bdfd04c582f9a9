/* stream.h - a long file of our own, written bit by bit, whole or not at all, and read back. It ends with a sum of its
 * bytes, so that what is damaged or cut off is never taken for what was written. */
#ifndef LOCKSIM_HOST_STREAM_H
#define LOCKSIM_HOST_STREAM_H

#include "base/err.h"

typedef struct stream stream;
/* The folder must be there; until stream_end the bytes lie in PATH.part, and what was at `path` before stays. NULL:
 * nowhere to write (ERR_IO, or ERR_USAGE where the path is wrong). */
stream *stream_begin(str path, err *e);
void stream_put(stream *s, const void *bytes, size_t n);
/* Frees it. false: some of it could not be written (a full disk); nothing has changed. */
bool stream_end(stream *s, err *e);

/* All that was put. Borrowed from the file system until stream_close. false with an empty `e`: there is no such file;
 * else it is no file of ours, or damaged (ERR_SCENARIO). */
bool stream_open(str path, str *bytes, err *e);
void stream_close(str bytes);

#endif
