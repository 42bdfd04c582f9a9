/* last.c - see last.h. */
#include "base/last.h"

#include <stdio.h>
#include <stdlib.h>

noreturn void last_words(const char *text)
{
    fprintf(stderr, "locksim: error: %s\n", text);
    exit(70);
}
