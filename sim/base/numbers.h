/* numbers.h - lists of whole numbers: in order, each once, and where one of them stands. */
#ifndef LOCKSIM_BASE_NUMBERS_H
#define LOCKSIM_BASE_NUMBERS_H

#include <stddef.h>
#include <stdint.h>

/* For qsort and bsearch. */
int numbers_by_u32(const void *x, const void *y);
/* Sorts the list and keeps each number once, at its front; returns how many are left. An empty list may be NULL. */
size_t numbers_set_u32(uint32_t *list, size_t count);
size_t numbers_set_i64(int64_t *list, size_t count);
/* The first place that has it, in a list of any order; UINT32_MAX: none. */
uint32_t numbers_place(const uint32_t *list, size_t count, uint32_t number);

#endif
