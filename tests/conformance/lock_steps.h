/* lock_steps.h - random steps of the shipped lock scripts: calls with arguments that their headers ask for, by three
 * owners, at times around now, over keys that keep changing under them. */
#ifndef LOCKSIM_TESTS_LOCK_STEPS_H
#define LOCKSIM_TESTS_LOCK_STEPS_H

#include "words.h"

/* The scripts below scripts/ whose headers name KEYS and ARGV. Read once; ends the program if there are none. */
size_t lock_scripts_load(void);
void lock_step(generator *g, step *s);

#endif
