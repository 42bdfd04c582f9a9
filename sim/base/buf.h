/* buf.h - a growing byte buffer. Always followed by a NUL that is not counted. */
#ifndef LOCKSIM_BASE_BUF_H
#define LOCKSIM_BASE_BUF_H

#include "base/str.h"

/* Zero-initialise before use: buf b = { 0 }. */
typedef struct {
    char *p;
    size_t n, cap;
} buf;

void buf_free(buf *b);
void buf_clear(buf *b);                            /* keeps the memory */
void buf_add(buf *b, str s);
void buf_addz(buf *b, const char *z);
void buf_byte(buf *b, char c);
void buf_hex(buf *b, unsigned char c);            /* as \xNN: for texts, and many times faster than buf_printf */
void buf_printf(buf *b, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Integers as 8 little-endian bytes and strings as length + bytes: canonical, for hashing and freezing. */
void buf_u64(buf *b, uint64_t v);
void buf_lenstr(buf *b, str s);
str buf_str(const buf *b);                         /* borrowed until the next change */

#endif
