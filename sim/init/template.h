/* template.h - the marks by which a script's text shows that it is a template, or that a library's own loader puts it
 * together: it is no script before that is done. */
#ifndef LOCKSIM_INIT_TEMPLATE_H
#define LOCKSIM_INIT_TEMPLATE_H

#include "base/arena.h"

typedef struct {
    str mark;                              /* "<%"; "": there is none */
    int line, col;
} template_mark;

/* The first one on a line that is no Lua. */
template_mark template_on_line(str text, int line);
/* The first one in a text that is Lua: in a string or an expression, or a comment that includes a file. */
template_mark template_in(str text);
/* As a hint, to a script that fails; NULL: there is none. "{{name}}" is Lua, a table in a table, but a template's more
 * often. */
const char *template_hint(arena *a, str text);
/* "<%" within a string. */
template_mark template_in_string(str text);

extern const char template_way_out[];      /* a hint */

#endif
