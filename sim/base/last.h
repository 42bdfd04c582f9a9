/* last.h - what is done where nothing can go on: memory has run out, or we were wrong. The program ends; the library
 * (sim/lib), which has a last.c of its own, ends the call that its user made. */
#ifndef LOCKSIM_BASE_LAST_H
#define LOCKSIM_BASE_LAST_H

#include <stdnoreturn.h>

/* "locksim: error: TEXT", and status 70. */
noreturn void last_words(const char *text);

#endif
