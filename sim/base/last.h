/* last.h - what happens when nothing can go on: memory has run out, or a bug was found. The program ends; the library
 * (sim/lib), which has its own last.c, ends its user's call. */
#ifndef LOCKSIM_BASE_LAST_H
#define LOCKSIM_BASE_LAST_H

#include <stdnoreturn.h>

/* "locksim: error: TEXT", and status 70. */
noreturn void last_words(const char *text);

#endif
