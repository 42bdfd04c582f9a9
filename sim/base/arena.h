/* arena.h - memory that lives as long as a run or a step and is freed at once. */
#ifndef LOCKSIM_BASE_ARENA_H
#define LOCKSIM_BASE_ARENA_H

#include "base/str.h"

typedef struct arena arena;

/* Aborts when the machine has no memory left: nothing here can be done without it. */
arena *arena_new(void);
void arena_free(arena *a);                         /* NULL is fine */
/* Forgets everything but keeps the blocks for the next use. */
void arena_reset(arena *a);
/* Zeroed, aligned for any type; never NULL. */
void *arena_alloc(arena *a, size_t bytes);
#define ARENA_NEW(a, type) ((type *)arena_alloc((a), sizeof(type)))
#define ARENA_ARRAY(a, type, count) ((type *)arena_alloc((a), sizeof(type) * (count)))
/* Copies; the copy is followed by a NUL that is not counted. */
str arena_str(arena *a, str s);
/* The digits of a whole number. printf, which could print any double, takes ten times as long. */
str arena_int(arena *a, int64_t n);
str arena_printf(arena *a, const char *format, ...) __attribute__((format(printf, 2, 3)));
size_t arena_bytes(const arena *a);                /* held from the system, for accounts of memory */

#endif
