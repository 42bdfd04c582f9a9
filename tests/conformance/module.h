/* module.h - what is compared together: families of commands, and how they are run. */
#ifndef LOCKSIM_TESTS_MODULE_H
#define LOCKSIM_TESTS_MODULE_H

#include "words.h"

typedef struct {
    const char *name;
    const char *families;              /* of forms.h, or A, Q scripts, K locks, W watching; a letter that stands twice
                                        * is drawn twice */
    unsigned percent_other;            /* steps that any of the connections takes; the others are the first one's */
    unsigned percent_scripted;         /* commands that a script calls */
    bool resp2_only;
    bool events;                       /* the second connection hears all events of keys */
    bool no_tables;                    /* no hash becomes a hash table of the real server, which tells fields in their
                                        * last millisecond apart */
    unsigned look_every;               /* steps between two looks at the keyspace; 0: after each */
} module;

extern const module modules[];
extern const size_t module_count;
const module *module_find(str name);   /* NULL if there is none */

/* The next command of a history: fills s, whose clock and connection are the caller's. */
void module_command(const module *m, generator *g, pair *t, step *s);

#endif
