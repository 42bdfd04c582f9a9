/* options_internal.h - a row of the table of options, as the parser and --help read it. */
#ifndef LOCKSIM_HOST_OPTIONS_INTERNAL_H
#define LOCKSIM_HOST_OPTIONS_INTERNAL_H

#include "host/options.h"

typedef enum { OPTION_FLAG, OPTION_TEXT, OPTION_NUMBER, OPTION_SIZE, OPTION_WORD, OPTION_LIST } option_kind;

typedef struct {
    const char *name;
    char letter;                   /* 0: none */
    option_kind kind;
    unsigned commands;             /* which subcommands know it */
    const char *argument;          /* for --help; of a word: its choices, joined by | */
    const char *help;
    size_t value, given;           /* offsets in options; given: of the bool that says it was there, or 0; of a list's
                                    * number of values */
    uint64_t least, most;          /* of a number */
} option_row;

/* All rows; --help lists them in this order. */
const option_row *option_rows(size_t *count);

#endif
