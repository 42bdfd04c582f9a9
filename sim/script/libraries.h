/* libraries.h - the libraries of a server's functions, as sim/script's files about them share them. A library is in one
 * list, sorted by name; its names are exact, those of functions are found in any case of letters. */
#ifndef LOCKSIM_SCRIPT_LIBRARIES_H
#define LOCKSIM_SCRIPT_LIBRARIES_H

#include "script/script_host.h"

/* libraries.c: the list. */
library *library_find(const script_host *h, str name);         /* NULL: there is none */
void library_insert(script_host *h, library *l);               /* it belongs to the host from now on */
void library_remove(script_host *h, library *l);               /* and frees it */
void library_free(script_host *h, library *l);                 /* one that is not in the list */
void library_free_functions(library *l);
/* The function of this name, the exact one first, then in any case of letters; NULL: none. */
library_function *library_function_in(const library *l, str name);
library *library_of_function(const script_host *h, str name);  /* NULL: none has it */

/* library_register.c: redis.register_function. */
#define BAD_LIBRARY_NAME "ERR Library names can only contain letters, numbers, or underscores(_) and must be " \
                         "at least one character long"
bool library_name_is_good(str name);                           /* of a library, or of a function */

/* library_load.c: compiles it and lets it register its functions; false: `why` is the error's text. */
bool library_run(script_host *h, library *l, arena *out, str *why);

/* library_print.c: a fingerprint of all that its functions keep between calls. 0: it cannot be told. */
uint64_t library_print(script_host *h, library *l);

#endif
