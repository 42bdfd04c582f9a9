/* codec.h - values as canonical bytes, and back. What put_* writes (and buf.h's buf_byte, buf_u64, buf_lenstr), take_*
 * reads.
 *
 * A reader is the rest of the bytes: each take_* takes its value off the front. The bytes are our own, from this run:
 * malformed ones are a bug of ours and end the program. Texts that are read point into the bytes. */
#ifndef LOCKSIM_BASE_CODEC_H
#define LOCKSIM_BASE_CODEC_H

#include "base/buf.h"

/* Seven bits a byte, the low ones first: one byte below 128, at most ten. */
void put_varint(buf *out, uint64_t v);
/* The same of either sign: one byte from -64 to 63. */
void put_svarint(buf *out, int64_t v);

unsigned char take_byte(str *from);
uint64_t take_u64(str *from);                      /* as buf_u64 writes it */
str take_bytes(str *from, size_t n);
str take_lenstr(str *from);                        /* as buf_lenstr writes it */
uint64_t take_varint(str *from);
int64_t take_svarint(str *from);

#endif
