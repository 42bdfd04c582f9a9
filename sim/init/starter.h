/* starter.h - the text of a first scenario, from what is known of a user's scripts. */
#ifndef LOCKSIM_INIT_STARTER_H
#define LOCKSIM_INIT_STARTER_H

#include "base/buf.h"
#include "init/guess.h"

typedef struct {
    const char *op;
    const guess_script *s;
} named_script;

/* acquire, release, and renew where it is given; how many. */
size_t starter_scripts(const guess *g, named_script out[3]);
bool starter_has_unknown(const guess *g);
/* "acquire's ARGV[3] (lock_type), ARGV[6]; release's ARGV[3]": what stayed unknown, and the scripts' names for it. */
void starter_add_unknown(buf *out, const guess *g);
/* The whole file, to be written in `folder`, from which it names the scripts; rendered: their texts stand in it. */
void starter_add(buf *out, arena *a, const guess *g, str folder, bool rendered);

#endif
