/* files.h - the files that locksim reads and writes: scenarios, scripts by name, and what a run saves. It writes only
 * below the folder that the caller names. */
#ifndef LOCKSIM_HOST_FILES_H
#define LOCKSIM_HOST_FILES_H

#include "host/looked.h"
#include "host/print.h"
#include "scenario/scenario.h"

#define FILE_BYTES_MAX ((size_t)16 << 20)          /* a scenario or script longer than this is refused */

/* The whole of a regular file, in `a`. false: it is absent, a folder, a device, unreadable or longer than
 * FILE_BYTES_MAX; `e` names it (ERR_SCENARIO). */
bool files_read(arena *a, str path, str *text, err *e);
/* Says that nothing could be opened at `path`; `number` is an errno. Of FILE:CASE, whose FILE is there, that a whole
 * file is asked for. false. */
bool files_cannot_open(str path, int number, err *e);
/* The same for files that may be longer: at most bytes_max. */
bool files_read_long(arena *a, str path, size_t bytes_max, str *text, err *e);

/* Where names are looked for. */
typedef struct {
    const char **scripts;
    size_t script_count;
    str shipped;                   /* the shipped scripts; empty if they are not found */
    str beside;                    /* the folder of the scenario that asks, "" for the current one */
    str overlay;                   /* the folder named as the case ("R03.twin"), or as the file ("R03"), that may stand
                                    * beside it; "": none */
    looked *looked;                /* takes down each place that is looked at; NULL: nothing does */
} search_path;
search_path search_path_new(arena *a, const options *o);
/* FILE and CASE of a name; the case is empty where there is none. Borrowed from it. */
typedef struct {
    str file, case_;
} scenario_name;
scenario_name names_split(str name);
/* From now on names are looked for as the scenario of that name sees them. */
void search_path_for(search_path *p, arena *a, str name);
/* A loader (scenario/scenario.h) over `p`, which must outlive it. First match wins: the scenario's overlay folder,
 * beside the scenario, each --scripts DIR, the shipped scripts. A match that cannot be read is an error and not passed
 * over. Names are relative, without NUL. */
loader search_path_loader(search_path *p);
/* Where it would find the name, read or not; nothing is taken down. false: nowhere. */
bool search_path_find(const search_path *p, str name, arena *a, str *path);

/* The folder part of a path, without the final slash; "" if it has none. */
str files_folder(str path);
/* The rest of it: the part after the last slash. */
str files_name(str path);
/* folder/name, or name alone if the folder is "". */
str files_join(arena *a, str folder, str name);
/* The shipped folder `name` ("scripts", "scenarios") beside the program: in the source tree or after `make install`; ""
 * if there is none. Shown relative to the current folder where it lies below it. */
str files_shipped(arena *a, const char *name);

/* The path without links and detours, relative to the current folder where it lies below it; as given if there is no
 * such file. */
str files_tidy(arena *a, str path);
/* The name of `path` from within `folder`: "../../my/x.lua". Both must exist; else `path` unchanged. */
str files_relative(arena *a, str folder, str path);
bool files_is_folder(const char *path);
bool files_is_link(const char *path);              /* itself, wherever it leads */

typedef struct {
    str *paths;
    size_t count;
    size_t passed_over;            /* .lua files below a folder that are no scenarios */
} file_list;
/* Adds `path` itself, or what lies below it if it is a folder and ends in .lua and `wanted` says yes to its text (NULL:
 * always), in byte order. Links to folders are not followed, and a scenario's overlay folder is left out. false: it
 * does not exist or cannot be read; nothing was added then. */
bool files_expand(arena *a, str path, bool (*wanted)(str text), file_list *out, err *e);
/* The same for all files that end in .lua, overlay folders included; a folder may have none. */
bool files_expand_all(arena *a, str path, file_list *out, err *e);
void files_add(arena *a, file_list *list, str path);
/* The folder and all below it, in byte order; links and names that begin with a dot are left out. */
bool files_folders(arena *a, str folder, file_list *out, err *e);
/* Does this Lua text set a field named `program`: is it a scenario? Comments and strings are not looked at. */
bool files_is_scenario(str text);
/* Does it set a field or function named `view`, or call generic.lock: is it a driver? */
bool files_is_driver(str text);
/* The first sentence of the comment at a Lua file's head, on one line, without a leading "name.lua: "; "" if there is
 * none. */
str files_headline(arena *a, str text);

/* Is there nowhere to write (ERR_IO), or is the path wrong (ERR_USAGE)? `number` is an errno. */
err_class files_cause(int number);
/* Makes the folder and its parents where they are missing. */
bool files_make_folder(arena *a, str folder, err *e);
/* Where results go unless -o says otherwise; it gets a .gitignore of its own. */
#define FILES_OUT ".locksim/out"
/* Writes folder/name, making the folder and its parents as needed; the path written goes to *path. Either the whole
 * file is there afterwards or what was there before. */
bool files_write(arena *a, str folder, str name, str text, str *path, err *e);

#endif
