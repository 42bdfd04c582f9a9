/* guess_text.h - what a script's text tells of its KEYS and ARGV before it is run: how many there are, what its
 * variables call them, and what texts they are compared with. */
#ifndef LOCKSIM_INIT_GUESS_TEXT_H
#define LOCKSIM_INIT_GUESS_TEXT_H

#include "init/guess.h"

enum { GUESS_TEXTS_MAX = 4 };

typedef struct {
    guess_role named[GUESS_WORDS_MAX];     /* of each ARGV, by the name of the variable that takes it; ROLE_UNKNOWN: it
                                            * tells nothing */
    str texts[GUESS_WORDS_MAX][GUESS_TEXTS_MAX];           /* that each ARGV is compared with, quotes off; "" ends
                                                            * them */
} guess_hints;

/* Counts KEYS and ARGV and reads the hints. false: it is a template, takes too many, or takes what cannot be tried; `e`
 * says so. */
bool guess_read(guess_script *s, guess_hints *h, err *e);

#endif
