/* changes.c - see changes.h. */
#include "judge/changes.h"

#include <stdlib.h>

#include <uthash.h>

#include "host/git.h"
#include "judge/names.h"
#include "judge/uses.h"

/* The repository of a folder, with what git said of the revision. */
typedef struct repository {
    str folder;                    /* the folder asked for */
    git_changes files;
    UT_hash_handle hh;
} repository;

struct changes {
    arena *a;
    const char *rev;
    uses *uses;
    repository *known;
};

changes *changes_new(arena *a, const options *o, const char *rev)
{
    changes *c = ARENA_NEW(a, changes);
    c->a = a;
    c->rev = rev;
    c->uses = uses_new(a, o);
    return c;
}

void changes_free(changes *c)
{
    repository *r, *next;
    HASH_ITER(hh, c->known, r, next) {
        HASH_DEL(c->known, r);
        git_changes_free(&r->files);
    }
    uses_free(c->uses);
}

static bool repository_of(changes *c, str file, repository **out, err *e)
{
    str folder = files_folder(file);
    HASH_FIND(hh, c->known, folder.p, folder.n, *out);
    if (*out)
        return true;
    git_changes now;
    if (!git_changes_since(c->a, c->rev, file, &now, e))
        return false;
    *out = ARENA_NEW(c->a, repository);
    **out = (repository){ .folder = arena_str(c->a, folder), .files = now };
    HASH_ADD_KEYPTR(hh, c->known, (*out)->folder.p, (*out)->folder.n, *out);
    return true;
}

bool changes_concern(changes *c, str name, bool *concerned, err *e)
{
    repository *r;
    if (!repository_of(c, names_split(name).file, &r, e))
        return false;
    looked places = { 0 };
    *concerned = !uses_places(c->uses, name, &places);
    for (size_t i = 0; i < places.count && !*concerned; i++)
        *concerned = git_has_changed(&r->files, places.at[i].path);
    looked_free(&places);
    return true;
}
