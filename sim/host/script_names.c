/* script_names.c - see script_names.h. */
#include "host/script_names.h"

#include <string.h>

#include "base/lua_tokens.h"
#include "base/mem.h"
#include "scenario/source.h"

/* 'redisson/lock/acquire.lua' without its quotes; empty: no name of a file is so. */
static str file_named(const token *t)
{
    if (t->kind != TOKEN_STRING || t->text.n < 2 || t->text.p[0] == '[' || memchr(t->text.p, '\\', t->text.n))
        return S("");
    str name = str_slice(t->text, 1, t->text.n - 1);
    return str_ends(name, S(".lua")) ? name : S("");
}

static void add_name(script_names *l, str name)
{
    for (size_t i = 0; i < l->count; i++)
        if (str_eq(l->at[i], name))
            return;
    MEM_RESERVE(l->at, l->cap, l->count + 1);
    l->at[l->count++] = name;
}

static void add_named(script_names *l, str text)
{
    tokens x = { .text = text, .line = 1 };
    token t;
    while (tokens_next(&x, &t) == TOKENS_ONE) {
        str name = file_named(&t);
        if (name.n > 0)
            add_name(l, name);
    }
}

script_names script_names_of(const scenario *sc)
{
    script_names l = { 0 };
    const script_file **scripts;
    const source *driver;
    arena *a = arena_new();
    size_t count = source_scripts(sc->sources, a, &scripts);
    for (size_t i = 0; i < count; i++)
        add_name(&l, scripts[i]->name);
    arena_free(a);
    for (uint32_t i = 0; (driver = source_numbered(sc->sources, i)) != NULL; i++)
        add_named(&l, driver->text);
    return l;
}

void script_names_free(script_names *l)
{
    mem_free(l->at);
    *l = (script_names){ 0 };
}
