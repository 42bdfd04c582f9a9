/* libraries.c - the list of a server's libraries of functions, and what frees them. */
#include "script/libraries.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "redis/server.h"
#include "script/script.h"

void library_free_functions(library *l)
{
    for (size_t i = 0; i < l->count; i++) {
        mem_free(l->functions[i].name);
        mem_free(l->functions[i].description);
    }
    l->count = 0;
}

/* Its code goes, too, as far as the Lua state is there. */
void library_free(script_host *h, library *l)
{
    for (size_t i = 0; h->L && l->code.function && i <= l->count; i++) {
        lua_pushnil(h->L);
        lua_rawseti(h->L, SLOT_FUNCTIONS, (int)(i < l->count ? l->functions[i].place : l->code.function));
    }
    library_free_functions(l);
    mem_free(l->functions);
    mem_free(l->name);
    mem_free((void *)(uintptr_t)l->code.body.p);
    mem_free(l);
}

void libraries_forget(script_host *h)
{
    for (size_t i = 0; i < h->libraries_n; i++)
        library_free(h, h->libraries[i]);
    h->libraries_n = 0;
}

void libraries_forget_code(script_host *h)
{
    for (size_t i = 0; i < h->libraries_n; i++)
        h->libraries[i]->code.function = 0;
}

/* Where the library of this name is, or would be. */
static size_t library_at(const script_host *h, str name)
{
    size_t i = 0;
    while (i < h->libraries_n && str_cmp(str_from(h->libraries[i]->name), name) < 0)
        i++;
    return i;
}

library *library_find(const script_host *h, str name)
{
    size_t i = library_at(h, name);
    return i < h->libraries_n && str_eq(str_from(h->libraries[i]->name), name) ? h->libraries[i] : NULL;
}

void library_remove(script_host *h, library *l)
{
    size_t i = library_at(h, str_from(l->name));
    library_free(h, l);
    memmove(&h->libraries[i], &h->libraries[i + 1], (--h->libraries_n - i) * sizeof *h->libraries);
}

void library_insert(script_host *h, library *l)
{
    size_t i = library_at(h, str_from(l->name));
    MEM_RESERVE(h->libraries, h->libraries_cap, h->libraries_n + 1);
    memmove(&h->libraries[i + 1], &h->libraries[i], (h->libraries_n++ - i) * sizeof *h->libraries);
    h->libraries[i] = l;
}

library_function *library_function_in(const library *l, str name)
{
    library_function *found = NULL;
    for (size_t i = 0; i < l->count; i++) {
        str known = str_from(l->functions[i].name);
        if (str_eq(known, name))
            return &l->functions[i];
        if (!found && str_eq_nocase(known, name))
            found = &l->functions[i];
    }
    return found;
}

library *library_of_function(const script_host *h, str name)
{
    for (size_t i = 0; i < h->libraries_n; i++)
        if (library_function_in(h->libraries[i], name))
            return h->libraries[i];
    return NULL;
}

bool function_knows(const redis *r, str sha1)
{
    const script_host *h = r->scripts->functions;
    for (size_t i = 0; i < h->libraries_n; i++)
        if (str_eq(str_from(h->libraries[i]->code.sha), sha1))
            return true;
    return false;
}

void library_push(script_host *h, const library *l, const library_function *f)
{
    assert(l->code.function && h->L);
    lua_rawgeti(h->L, SLOT_FUNCTIONS, (int)f->place);
}
