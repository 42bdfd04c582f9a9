/* error.c - errors for the library's user. An error about missing memory is static. */
#include "lib/internal.h"

#include <stdlib.h>

#include "base/mem.h"

struct locksim_error {
    locksim_code code;
    int line, column;
    const char *message, *hint, *file, *text;
    arena *memory;                 /* NULL: it is not to be freed */
};

static const locksim_error no_memory = {
    .code = LOCKSIM_NO_MEMORY, .message = "out of memory", .hint = "", .file = "", .text = "error: out of memory\n",
};

locksim_code locksim_error_code(const locksim_error *e) { return e->code; }
const char *locksim_error_message(const locksim_error *e) { return e->message; }
const char *locksim_error_hint(const locksim_error *e) { return e->hint; }
const char *locksim_error_file(const locksim_error *e) { return e->file; }
int locksim_error_line(const locksim_error *e) { return e->line; }
int locksim_error_column(const locksim_error *e) { return e->column; }
const char *locksim_error_text(const locksim_error *e) { return e->text; }

void locksim_error_free(locksim_error *e)
{
    if (e && e != &no_memory) {
        arena *a = e->memory;
        arena_free(a);
    }
}

bool error_give(locksim_error **error, const err *e)
{
    if (!error)
        return false;
    arena *a = arena_new();
    locksim_error *made = ARENA_NEW(a, locksim_error);
    buf shown = { 0 };
    err_print(e, &shown);
    *made = (locksim_error){
        .code = e->class_ == ERR_NONE ? LOCKSIM_BUG : (locksim_code)e->class_, .line = e->line, .column = e->col,
        .message = arena_str(a, buf_str(&e->message)).p, .hint = arena_str(a, buf_str(&e->hint)).p,
        .file = arena_str(a, buf_str(&e->path)).p, .text = arena_str(a, buf_str(&shown)).p, .memory = a,
    };
    buf_free(&shown);
    *error = made;
    return false;
}

bool error_usage(locksim_error **error, const char *what)
{
    err e = { 0 };
    err_set(&e, ERR_USAGE, "%s", what);
    error_give(error, &e);
    err_clear(&e);
    return false;
}

bool error_broken(locksim_error **error)
{
    err e = { 0 };
    err_set(&e, ERR_BUG, "this object is of no use since an earlier call with it failed");
    err_hint(&e, "free it, and make another one");
    error_give(error, &e);
    err_clear(&e);
    return false;
}

typedef struct {
    locksim_error **error;
    const char *text;
} plain;

static void make_plain(void *context)
{
    plain *p = context;
    err e = { 0 };
    err_set(&e, ERR_BUG, "%s", p->text);
    err_hint(&e, "this is a mistake of locksim's; what the call was given is enough to look into it");
    error_give(p->error, &e);
    err_clear(&e);
}

void error_plain(locksim_error **error, locksim_code code, const char *text)
{
    plain p = { error, text };
    if (!error)
        return;
    *error = NULL;
    /* a second time without memory: the one that is there */
    if (code == LOCKSIM_NO_MEMORY || !guarded(make_plain, &p, NULL))
        *error = (locksim_error *)(uintptr_t)&no_memory;
}
