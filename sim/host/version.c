/* version.c - see version.h. */
#include "host/version.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <uthash.h>

#include "host/files.h"
#include "host/git.h"

typedef struct known_text {
    str name, path, text;
    bool there;
    err why;               /* it is there, and cannot be read */
    UT_hash_handle hh;
} known_text;

typedef struct known_place {
    str path, in;
    bool held;
    UT_hash_handle hh;
} known_place;

/* ---- opening ---- */

/* Without links and detours; unchanged if it does not exist. */
static str absolute(arena *a, str path)
{
    char *real = realpath(arena_str(a, path).p, NULL);
    str found = arena_str(a, real ? str_from(real) : path);
    free(real);
    return found;
}

static bool open_path(arena *a, version *v, err *e)
{
    struct stat st;
    str z = arena_str(a, v->spec);
    if (stat(z.p, &st) != 0) {
        err_at(e, ERR_SCENARIO, v->spec, 0, 0, "cannot open: %s", strerror(errno));
        return err_hint(e, "a version is a folder, a file, or REVISION:PATH of a git repository");
    }
    v->single = !S_ISDIR(st.st_mode);
    v->root = absolute(a, v->spec);
    return true;
}

static str first_line(str s)
{
    return str_slice(s, 0, str_find(s, '\n', 0));
}

/* git takes ./x as from the current folder, and x as from the repository's. */
static bool place_of(arena *a, version *v, err *e)
{
    str top, path = v->path;
    if (str_starts(path, S("./")) || str_starts(path, S("../"))) {
        v->root = absolute(a, path);
        return true;
    }
    if (git_run(a, S(""), (const char *const[]){ "rev-parse", "--show-toplevel", NULL }, &top) != 0)
        return err_set(e, ERR_SCENARIO, "%.*s: git does not say where its repository lies", STR_ARG(v->spec));
    v->root = absolute(a, files_join(a, first_line(top), path.n ? path : S(".")));
    return true;
}

static bool open_revision(arena *a, version *v, err *e)
{
    str kind;
    int status = git_run(a, S(""), (const char *const[]){ "rev-parse", "--git-dir", NULL }, NULL);
    if (status < 0) {
        err_set(e, ERR_SCENARIO, "%.*s: there is no such file or folder, and git cannot be run", STR_ARG(v->spec));
        return err_hint(e, "a revision needs git: apt-get install git");
    }
    if (status != 0 && git_refuses(a, S(""), v->spec, e))
        return false;
    if (status != 0) {
        err_set(e, ERR_SCENARIO, "%.*s: there is no such file or folder, and this folder lies in no git repository",
                STR_ARG(v->spec));
        return err_hint(e, "a version is a folder, a file, or REVISION:PATH of a git repository");
    }
    const char *tree = arena_printf(a, "%.*s^{tree}", STR_ARG(v->revision)).p;
    if (git_run(a, S(""), (const char *const[]){ "rev-parse", "--verify", "--quiet", "--end-of-options", tree, NULL },
                NULL) != 0) {
        err_set(e, ERR_SCENARIO, "%.*s: this repository has no revision '%.*s'", STR_ARG(v->spec),
                STR_ARG(v->revision));
        return err_hint(e, "`git log --oneline` shows them; a shallow clone has few of them");
    }
    if (git_run(a, S(""), (const char *const[]){ "cat-file", "-t", v->spec.p, NULL }, &kind) != 0) {
        err_set(e, ERR_SCENARIO, "%.*s: revision '%.*s' has no '%.*s'", STR_ARG(v->spec), STR_ARG(v->revision),
                STR_ARG(v->path));
        return err_hint(e, "paths count from the repository's top folder; ./PATH counts from the current one");
    }
    v->single = str_eq(first_line(kind), S("blob"));
    return place_of(a, v, e);
}

bool version_open(arena *a, str spec, version *v, err *e)
{
    struct stat st;
    *v = (version){ .spec = arena_str(a, spec), .revision = S(""), .path = S("") };
    pthread_mutex_init(&v->lock, NULL);
    v->memory = arena_new();
    size_t colon = str_find(spec, ':', 0);
    if (colon == spec.n || colon == 0 || spec.p[0] == '-' || stat(v->spec.p, &st) == 0)
        return open_path(a, v, e);
    scenario_name n = names_split(v->spec);
    if (n.case_.n && stat(arena_str(a, n.file).p, &st) == 0) {
        err_at(e, ERR_SCENARIO, v->spec, 0, 0, "is a case of a scenario, and a version is a whole file or folder");
        return err_hint(e, "a case judges two versions: locksim compare OLD NEW %.*s", STR_ARG(v->spec));
    }
    v->revision = arena_str(a, str_slice(spec, 0, colon));
    v->path = arena_str(a, str_slice(spec, colon + 1, spec.n));
    while (v->path.n > 1 && v->path.p[v->path.n - 1] == '/')
        v->path = arena_str(a, str_slice(v->path, 0, v->path.n - 1));
    return open_revision(a, v, e);
}

void version_close(version *v)
{
    if (!v->memory)
        return;
    for (known_text *k = v->known; k; k = k->hh.next)
        err_clear(&k->why);
    HASH_CLEAR(hh, v->known);
    HASH_CLEAR(hh, v->places);
    arena_free(v->memory);
    pthread_mutex_destroy(&v->lock);
    *v = (version){ 0 };
}

/* ---- reading ---- */

static str path_of(const version *v, arena *a, str name)
{
    if (v->revision.n == 0)
        return name.n ? files_join(a, v->spec, name) : v->spec;
    str path = name.n == 0 ? v->path : v->path.n ? files_join(a, v->path, name) : name;
    return arena_printf(a, "%.*s:%.*s", STR_ARG(v->revision), STR_ARG(path));
}

static void read_once(version *v, known_text *k)
{
    arena *a = v->memory;
    struct stat st;
    k->path = path_of(v, a, k->name);
    if (v->revision.n > 0) {
        k->there = git_run(a, S(""), (const char *const[]){ "cat-file", "blob", k->path.p, NULL }, &k->text) == 0;
        if (k->there && k->text.n > FILE_BYTES_MAX)
            k->there = err_at(&k->why, ERR_SCENARIO, k->path, 0, 0, "is %zu bytes long; at most %zu are read",
                              k->text.n, FILE_BYTES_MAX);
        return;
    }
    if (stat(arena_str(a, k->path).p, &st) == 0 || (errno != ENOENT && errno != ENOTDIR))
        k->there = files_read(a, k->path, &k->text, &k->why);
}

bool version_read(version *v, str name, arena *a, str *path, str *text, err *e)
{
    known_text *k;
    pthread_mutex_lock(&v->lock);
    HASH_FIND(hh, v->known, name.p, name.n, k);
    if (!k) {
        k = ARENA_NEW(v->memory, known_text);
        k->name = arena_str(v->memory, name);
        read_once(v, k);
        HASH_ADD_KEYPTR(hh, v->known, k->name.p, k->name.n, k);
    }
    *path = arena_str(a, k->path);
    *text = arena_str(a, k->text);
    if (k->why.class_ != ERR_NONE && e && e->class_ == ERR_NONE)
        err_copy(e, &k->why);
    bool there = k->there;
    pthread_mutex_unlock(&v->lock);
    return there;
}

static bool holds(const version *v, arena *a, str path, str *name)
{
    str real = absolute(a, path);
    *name = S("");
    if (v->single)
        return str_eq(real, v->root);
    size_t n = v->root.n > 1 ? v->root.n : 0;      /* "/" is all of it */
    if (!str_starts(real, v->root) || real.n <= n || real.p[n] != '/')
        return false;
    *name = str_slice(real, n + 1, real.n);
    return true;
}

bool version_holds(version *v, str path, str *name)
{
    known_place *k;
    pthread_mutex_lock(&v->lock);
    HASH_FIND(hh, v->places, path.p, path.n, k);
    if (!k) {
        k = ARENA_NEW(v->memory, known_place);
        k->path = arena_str(v->memory, path);
        k->held = holds(v, v->memory, path, &k->in);
        HASH_ADD_KEYPTR(hh, v->places, k->path.p, k->path.n, k);
    }
    *name = k->in;
    bool held = k->held;
    pthread_mutex_unlock(&v->lock);
    return held;
}
