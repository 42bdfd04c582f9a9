/* flat.c - see flat.h. */
#include "host/flat.h"

#include "base/mem.h"

enum { NAME_MAX_BYTES = 160 };

static bool is_plain(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-' ||
           c == '.';
}

str flat_name(arena *a, str path)
{
    while (str_starts(path, S("../")) || str_starts(path, S("./")) || str_starts(path, S("/")))
        path = str_slice(path, str_find(path, '/', 0) + 1, path.n);
    if (path.n > NAME_MAX_BYTES)
        path = str_slice(path, path.n - NAME_MAX_BYTES, path.n);
    char *name = arena_alloc(a, path.n + 1);       /* zeroed, so it ends in a NUL */
    for (size_t i = 0; i < path.n; i++)
        name[i] = path.p[i] == '/' || path.p[i] == ':' ? '.' : is_plain(path.p[i]) ? path.p[i] : '_';
    return (str){ .p = name, .n = path.n };
}

static bool is_taken(const taken_names *taken, str name)
{
    for (size_t i = 0; i < taken->count; i++)
        if (str_eq(taken->at[i], name))
            return true;
    return false;
}

str flat_name_new(arena *a, taken_names *taken, str path, const char *ending)
{
    str flat = flat_name(a, path), name = arena_printf(a, "%.*s%s", STR_ARG(flat), ending);
    for (unsigned number = 2; is_taken(taken, name); number++)
        name = arena_printf(a, "%.*s.%u%s", STR_ARG(flat), number, ending);
    MEM_RESERVE(taken->at, taken->cap, taken->count + 1);
    taken->at[taken->count++] = name;
    return name;
}

void taken_names_free(taken_names *taken)
{
    mem_free(taken->at);
    *taken = (taken_names){ 0 };
}
