/* host.h - Lua programs of our own that read Lua under test as a syntax tree: the *.lua files beside this one, built
 * into the program, on the parser of luacheck (Debian's lua-check), which is looked for at run time where Lua looks for
 * modules.
 *
 * A program is required by its file's name ("mutate", "lint", "tree") and exports functions of strings that return rows
 * of texts. */
#ifndef LOCKSIM_SOURCE_HOST_H
#define LOCKSIM_SOURCE_HOST_H

#include "base/arena.h"
#include "base/err.h"

/* One Lua 5.1 state with all of Lua's libraries. Not for two threads at once; several hosts side by side are fine. */
typedef struct source_host source_host;

/* NULL: luacheck is not installed or cannot be loaded; `e` says how to install it (ERR_SCENARIO). */
source_host *source_host_new(err *e);
/* The Lua that is linked in: "Lua 5.1.5". */
const char *source_host_lua(void);
void source_host_free(source_host *h);             /* NULL is fine */

typedef struct {
    str *field;
    size_t count;
} source_row;
typedef struct {
    source_row *row;
    size_t count;
} source_rows;

/* Calls `function` of `program` with `n` strings. It returns a list of rows, each a list of strings, numbers (in Lua's
 * own spelling) or booleans ("true", "false"); they are copied into `a`.
 * false: it raised a table { path =, line =, col =, message =, hint =, text = } about its input, which becomes `e`
 * (ERR_SCENARIO; line and col may be missing, `text` is the file's text to quote the line from), or anything else,
 * which is our mistake (ERR_BUG). */
bool source_host_run(source_host *h, arena *a, const char *program, const char *function, const str *in, size_t n,
                     source_rows *out, err *e);

#endif
