/* render.c - scripts built from templates: their text is the output of a command of the user. */
#include "host/render.h"

#include <stdio.h>

#include "host/files.h"
#include "report/clean.h"

bool render_read(arena *a, const char *command, str path, str *out, err *e)
{
    buf line = { 0 }, text = { 0 };
    buf_addz(&line, command);
    buf_byte(&line, ' ');
    clean_argument(&line, path);
    buf_byte(&line, '\0');
    FILE *from = popen(line.p, "r");
    buf_free(&line);
    char piece[4096];
    for (size_t n; from && text.n <= FILE_BYTES_MAX && (n = fread(piece, 1, sizeof piece, from)) > 0; )
        buf_add(&text, (str){ .p = piece, .n = n });
    int status = from ? pclose(from) : -1;
    *out = arena_str(a, buf_str(&text));
    bool ok = status == 0 && text.n > 0 && text.n <= FILE_BYTES_MAX;
    buf_free(&text);
    if (ok)
        return true;
    err_at(e, ERR_SCENARIO, path, 0, 0, "'%s' does not render it: %s", command,
           status == 0 ? "it printed nothing, or too much" : "it failed");
    return err_hint(e, "CMD is run by the shell with the file's name after it, and prints the script as Redis would "
                    "get it");
}
