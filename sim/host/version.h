/* version.h - one of two versions of the scripts: a folder, a single file, or either of them at a git revision
 * ("HEAD~1:scripts"). */
#ifndef LOCKSIM_HOST_VERSION_H
#define LOCKSIM_HOST_VERSION_H

#include <pthread.h>

#include "base/arena.h"
#include "base/err.h"

typedef struct {
    str spec;              /* as it was given */
    bool single;           /* a file */
    str root;              /* the folder or file in the file system, without links; of a revision: where the working
                            * tree has it, or would */
    str revision, path;    /* "HEAD~1" and "scripts"; revision empty: none */
    struct known_text *known;          /* each file is read once, by any thread */
    struct known_place *places;        /* and each path looked up once */
    arena *memory;
    pthread_mutex_t lock;
} version;

/* false: there is no such file, folder, revision, or nothing of this name in it (ERR_SCENARIO). The strings live in
 * `a`. */
bool version_open(arena *a, str spec, version *v, err *e);
void version_close(version *v);
/* The file `name` of a folder, or (name empty) the single file. false with `e` empty: it has none; else why it cannot
 * be read. *path is what people are shown. */
bool version_read(version *v, str name, arena *a, str *path, str *text, err *e);
/* Where in this version a file of the working tree lies: *name is set ("" for the single file). false: outside of
 * it. */
bool version_holds(version *v, str path, str *name);

#endif
