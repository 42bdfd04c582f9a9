/* size.h - amounts of memory as people write them: 800, 64K, 512M, 4G; K is 1024. */
#ifndef LOCKSIM_BASE_SIZE_H
#define LOCKSIM_BASE_SIZE_H

#include "base/buf.h"

/* Digits, then K, M, G or nothing (in either case). false: it is something else, is 0, or is more than INT64_MAX. */
bool size_parse(str s, uint64_t *bytes);
/* "812 B", "1.5 MiB" */
void size_print(uint64_t bytes, buf *out);

#endif
