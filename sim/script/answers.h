/* answers.h - all that a script can reply, as far as the text of its `return`s shows without running it. */
#ifndef LOCKSIM_SCRIPT_ANSWERS_H
#define LOCKSIM_SCRIPT_ANSWERS_H

#include "base/str.h"

enum { ANSWERS_NUMBERS_MAX = 16 };

/* known: no reply but errors and these. A status counts as a text; a script's true is 1, its false nil. */
typedef struct {
    bool known;
    bool nil, text, array;
    int64_t numbers[ANSWERS_NUMBERS_MAX];
    size_t number_count;
} answers;

/* Every `return` counts, also one of a function inside. Not known: one returns something else than a constant, a text
 * or a table, or there are too many numbers. */
answers script_answers(str text);

#endif
