/* looked.c - see looked.h. */
#include "host/looked.h"

#include <string.h>
#include <xxhash.h>

#include "base/mem.h"
#include "host/files.h"

enum { PRINT_NOTHING, PRINT_FOLDER, PRINT_FILES };

file_print file_print_of(str text)
{
    uint64_t print = XXH3_64bits(text.p ? text.p : "", text.n);
    return print < PRINT_FILES ? PRINT_FILES : print;
}

file_print file_print_folder(bool there)
{
    return there ? PRINT_FOLDER : PRINT_NOTHING;
}

file_print file_print_now(str path)
{
    arena *a = arena_new();
    err e = { 0 };
    str text;
    file_print print = PRINT_NOTHING;
    if (files_is_folder(arena_str(a, path).p))
        print = PRINT_FOLDER;
    else if (files_read(a, path, &text, &e))
        print = file_print_of(text);
    err_clear(&e);
    arena_free(a);
    return print;
}

void looked_add(looked *l, str path, file_print print)
{
    if (!l)
        return;
    for (size_t i = 0; i < l->count; i++)
        if (str_eq(l->at[i].path, path))
            return;
    if (!l->memory)
        l->memory = arena_new();
    MEM_RESERVE(l->at, l->cap, l->count + 1);
    l->at[l->count++] = (struct looked_at){ .path = arena_str(l->memory, path), .print = print };
}

looked looked_copy(const looked *l)
{
    looked copy = { 0 };
    for (size_t i = 0; i < l->count; i++)
        looked_add(&copy, l->at[i].path, l->at[i].print);
    return copy;
}

void looked_free(looked *l)
{
    arena_free(l->memory);
    mem_free(l->at);
    *l = (looked){ 0 };
}

static bool is_at_or_below(str path, str folder)
{
    return str_starts(path, folder) && (path.n == folder.n || path.p[folder.n] == '/');
}

bool looked_touches(const looked *l, str path)
{
    for (size_t i = 0; i < l->count; i++)
        if (is_at_or_below(l->at[i].path, path))
            return true;
    return false;
}

bool looked_is_over(const looked *l)
{
    for (size_t i = 0; i < l->count; i++)
        if (file_print_now(l->at[i].path) != l->at[i].print)
            return true;
    return false;
}

bool looked_differs(const looked *l, str path)
{
    for (size_t i = 0; i < l->count; i++)
        if (is_at_or_below(l->at[i].path, path) && file_print_now(l->at[i].path) != l->at[i].print)
            return true;
    return false;
}
