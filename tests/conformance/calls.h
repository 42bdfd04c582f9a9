/* calls.h - how a library uses its scripts: a file that lists its keys and its calls, and random walks drawn from it.
 *
 * Such a file, NAME.calls, has a line for each thing; `#` begins a comment, blanks separate words:
 *   keys lock queue*                      every key that the calls name; `queue*` stands for queue:1 and queue:2, or
 *                                         for several of them
 *   script acquire.lua lock queue* : ID TTL NOW      a script beside the file, its KEYS, and after the colon its ARGV
 *   command LPUSH queue:1 ID              what the client does without a script
 * A word of ARGV is taken as it is, but for ID (one of three owners), TTL, COUNT, NOW (ms), AGO (NOW less a TTL), LATER
 * (NOW and a TTL), SECONDS (NOW in seconds) and PACKED (a few values as cmsgpack writes them); `x|y|z` is one of the
 * three, each time anew. */
#ifndef LOCKSIM_TESTS_CALLS_H
#define LOCKSIM_TESTS_CALLS_H

#include "base/arena.h"
#include "base/err.h"
#include "base/rng.h"

enum { CALL_WORDS_MAX = 24, CALLS_MAX = 40 };

typedef struct {
    str name, body;                                /* of the script; the body is empty for a command */
    str keys[CALL_WORDS_MAX], args[CALL_WORDS_MAX];        /* as in the file; a command has args only */
    size_t keys_n, args_n;
} call_form;

/* Plain data; the strings live in the arena it was read into. */
typedef struct {
    str keys[CALL_WORDS_MAX];
    size_t keys_n;
    call_form calls[CALLS_MAX];
    size_t calls_n;
} library_calls;

/* Reads the file at `path` and the scripts it names. false: `e` has file, line, and what was expected there. */
bool calls_read(arena *a, str path, library_calls *out, err *e);

enum { ARGV_MAX = 48 };
/* Draws the words of one call into argv (at most ARGV_MAX), in `a`: a command as it stands, of a script numkeys, keys
 * and arguments, without what goes before them (EVALSHA and the sha). Returns their number. */
size_t calls_draw(arena *a, rng *r, const call_form *f, int64_t now_ms, str *argv);
/* One key of the library. */
str calls_draw_key(arena *a, rng *r, const library_calls *l);
/* One time to live, in ms as digits: from nothing to a minute. */
str calls_draw_ttl(rng *r);

#endif
