/* guess_text.h - what a script's text shows of its KEYS and ARGV before it is run: how many there are, the names of
 * their variables, and the texts they are compared with. */
#ifndef LOCKSIM_INIT_GUESS_TEXT_H
#define LOCKSIM_INIT_GUESS_TEXT_H

#include "init/guess.h"

enum { GUESS_TEXTS_MAX = 4 };

typedef struct {
    guess_role named[GUESS_WORDS_MAX];     /* of each slot, by the name of its variable, or of the JSON field;
                                            * ROLE_UNKNOWN: it shows nothing */
    str texts[GUESS_WORDS_MAX][GUESS_TEXTS_MAX];           /* that each slot is compared with, quotes off; "" ends
                                                            * them */
    bool read[GUESS_WORDS_MAX];            /* the text names this ARGV */
    bool any_args;                         /* it takes ARGV as a whole, or by a computed index */
    str json[GUESS_WORDS_MAX];             /* the variable that holds what is decoded from this ARGV */
} guess_hints;

/* false: it is a library of functions, and no script; `e` says so. */
bool guess_is_script(const guess_script *s, err *e);
/* Of what can be compiled. Counts KEYS and ARGV, finds the fields of JSON objects in ARGV, and reads the hints; of a
 * command, its words. false: its strings are a template's, it takes too many, or takes what cannot be tried; `e` says
 * so. */
bool guess_read(guess_script *s, guess_hints *h, err *e);

#endif
