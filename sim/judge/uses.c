/* uses.c - see uses.h. */
#include "judge/uses.h"

#include <string.h>

#include "base/lua_tokens.h"
#include "base/hash.h"
#include "judge/names.h"

/* A file's text, and the names in it that may be those of files. */
typedef struct {
    str path, text;
    str *names;                    /* as the loader takes them: "redisson/lock.lua" */
    bool *scripts;
    size_t count;
    bool composed;                 /* it puts such a name together */
    UT_hash_handle hh;
} known_file;

struct uses {
    arena *a, *scratch;
    search_path where;
    known_file *files;
};

uses *uses_new(arena *a, const options *o)
{
    uses *u = ARENA_NEW(a, uses);
    u->a = a;
    u->scratch = arena_new();
    u->where = search_path_new(a, o);
    return u;
}

void uses_free(uses *u)
{
    HASH_CLEAR(hh, u->files);
    arena_free(u->scratch);
}

/* 'redisson/lock/acquire.lua' with its quotes off; empty: it has an escape or is no plain string, and no name of a file
 * is so. */
static str unquoted(str s)
{
    if (s.n < 2 || s.p[0] == '[' || memchr(s.p, '\\', s.n))
        return S("");
    return str_slice(s, 1, s.n - 1);
}

/* "locks.lua:acquire", a function of a library (scripts/generic.lua), names locks.lua. */
static str file_of(str s)
{
    size_t colon = str_find(s, ':', 0);
    str file = str_slice(s, 0, colon);
    return colon < s.n && str_ends(file, S(".lua")) ? file : s;
}

/* require "redisson.lock" asks for redisson/lock.lua. */
static str module_name(arena *a, str s)
{
    str name = arena_printf(a, "%.*s.lua", STR_ARG(s));
    for (size_t i = 0; i < s.n; i++)
        if (name.p[i] == '.')
            ((char *)(uintptr_t)name.p)[i] = '/';
    return name;
}

static void find_names(arena *a, known_file *f)
{
    tokens x = { .text = f->text, .line = 1 };
    token t, before = { .text = S("") }, first = before;
    bool joined = false;           /* the token before is such a name */
    size_t cap = 0;
    str *names = NULL;
    bool *scripts = NULL;
    size_t scripts_cap = 0;
    f->count = 0;
    while (tokens_next(&x, &t) == TOKENS_ONE) {
        str s = t.kind == TOKEN_STRING ? file_of(unquoted(t.text)) : S("");
        bool asks = token_reads(&before, "require") && !token_reads(&t, "(");
        bool required = asks || (token_reads(&before, "(") && token_reads(&first, "require"));
        f->composed = f->composed || (required && s.n == 0) || (joined && token_reads(&t, ".."));
        joined = (s.n && str_ends(s, S(".lua"))) || (required && s.n);
        f->composed = f->composed || (joined && token_reads(&before, ".."));
        if (s.n && (required || str_ends(s, S(".lua")))) {
            MEM_RESERVE(names, cap, f->count + 1);
            MEM_RESERVE(scripts, scripts_cap, f->count + 1);
            names[f->count] = required ? module_name(a, s) : s;
            scripts[f->count++] = !required;
        }
        first = before;
        before = t;
    }
    f->names = ARENA_ARRAY(a, str, f->count + 1);
    f->scripts = ARENA_ARRAY(a, bool, f->count + 1);
    for (size_t i = 0; i < f->count; i++) {
        f->names[i] = names[i];
        f->scripts[i] = scripts[i];
    }
    mem_free(names);
    mem_free(scripts);
}

static known_file *known(const uses *u, str path)
{
    known_file *f;
    HASH_FIND(hh, u->files, path.p, path.n, f);
    return f;
}

/* A script that is not client code names no files, whatever its strings say. */
static known_file *meet(uses *u, str path, str text, bool script)
{
    known_file *f = known(u, path);
    if (f)
        return f;
    f = ARENA_NEW(u->a, known_file);
    f->path = arena_str(u->a, path);
    f->text = arena_str(u->a, text);
    HASH_ADD_KEYPTR(hh, u->files, f->path.p, f->path.n, f);
    if (!script)
        find_names(u->a, f);
    return f;
}

/* *sure becomes false: a name is put together at run time, or no such file was found. */
static size_t find_files(uses *u, str path, const used_file **files, bool *sure)
{
    used_file *list = NULL;
    size_t count = 0, cap = 0;
    str text;
    err unread = { 0 };
    *files = NULL;
    arena_reset(u->scratch);
    search_path_for(&u->where, u->scratch, path);
    path = names_split(path).file;
    loader l = search_path_loader(&u->where);
    if (!files_read(u->scratch, path, &text, &unread)) {
        err_clear(&unread);
        return 0;
    }
    MEM_RESERVE(list, cap, 1);
    list[count++] = (used_file){ .path = meet(u, files_tidy(u->scratch, path), text, false)->path };
    for (size_t i = 0; i < count; i++) {
        const known_file *f = list[i].script ? NULL : known(u, list[i].path);
        *sure = *sure && !(f && f->composed);
        for (size_t k = 0; f && k < f->count; k++) {
            str found;
            if (!l.read(l.context, f->names[k], u->scratch, &found, &text, &unread)) {
                err_clear(&unread);
                *sure = false;
                continue;
            }
            found = meet(u, files_tidy(u->scratch, found), text, f->scripts[k])->path;
            size_t at = 0;
            while (at < count && !(str_eq(list[at].path, found) && list[at].script == f->scripts[k]))
                at++;
            if (at < count)
                continue;
            MEM_RESERVE(list, cap, count + 1);
            list[count++] = (used_file){ .path = found, .script = f->scripts[k] };
        }
    }
    used_file *kept = ARENA_ARRAY(u->a, used_file, count);
    memcpy(kept, list, count * sizeof *kept);
    mem_free(list);
    *files = kept;
    return count;
}

size_t uses_of(uses *u, str path, const used_file **files)
{
    bool sure = true;
    return find_files(u, path, files, &sure);
}

bool uses_places(uses *u, str name, looked *places)
{
    const used_file *files;
    bool sure = true;
    u->where.looked = places;
    looked_add(places, names_split(name).file, 0);
    sure = find_files(u, name, &files, &sure) > 0 && sure;
    u->where.looked = NULL;
    return sure;
}

str uses_text(const uses *u, str path)
{
    const known_file *f = known(u, path);
    return f ? f->text : S("");
}
