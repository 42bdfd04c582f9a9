/* source.h - client Lua as locksim loads it: every token on a line of its own, with a map back to path:line:col. So a
 * frame's current line identifies its call (two calls never share a line), and every error can point to its column. The
 * meaning of the text does not change. */
#ifndef LOCKSIM_SCENARIO_SOURCE_H
#define LOCKSIM_SCENARIO_SOURCE_H

#include "base/lua_tokens.h"
#include "scenario/patch.h"
#include "scenario/scenario.h"

/* A Lua script under test, loaded by `script "name.lua"` or given as text. */
typedef struct {
    str name, path, body;  /* name as asked for; path empty for text; of a patched one FILE:CASE:NAME, which is no
                            * file's path */
    char sha1[41];
    const line_origin *origins;                    /* of a patched one, [line - 1]; NULL: it is not patched */
    size_t lines;
    str original, patched_by;                      /* with `origins`: the paths of the original and of the scenario's
                                                    * file */
} script_file;
/* The origin of a line of its body; *line becomes the line of that file. */
str script_line_path(const script_file *s, int *line);

/* One Lua file of the client's side. Plain data, in the arena it was made in. */
typedef struct source {
    str name, path, text;  /* name as required, path as shown, text as loaded */
    str written;           /* the contents of the path: the text, unless it is patched */
    const line_origin *origins;                    /* of a patched one, [line - 1]; NULL: none */
    size_t lines;
    bool diffed;           /* the scenario's lines begin with a + that is not part of them */
    str patched_by;        /* with `origins`: the scenario's file */
    uint32_t number;       /* in its cache; part of the chunk's name, see source_mark */
    token *tokens;
    size_t token_count;
    uint32_t *line_token;  /* [laid line - 1] -> token; line_count of them, the last stands for the end of the file */
    size_t line_count;
    int *points;           /* points.h: [laid line - 1 - (line_count - point_count)]: see source_point_variable */
    size_t point_count;
    str laid;              /* the text with one token per line */
    str bytecode;          /* compiled from `laid`; empty until source_compile */
    uint8_t *reached;      /* [laid line - 1]: it was run; NULL: none was, or runs are not recorded (source_follow) */
    struct registers *live; /* the registers read after a call, see registers.h; NULL: unknown */
} source;

typedef struct {
    str path;
    int line, col;         /* 0: unknown */
} position;

/* Splits the text into tokens and lays them out. false: a lexical error, `...`, or an ambiguous call, with its
 * position. */
bool source_lay(arena *a, source *s, err *e);
/* The position of a laid line in the file. */
position source_position(const source *s, int laid_line);
/* The assignment to the global `name` that ends on this laid line: the position of its name, not of its value. */
position source_assignment(const source *s, int laid_line, str name);

/* One step on the path to a value in the table that a file returns: a field's name, or a 1-based position where name is
 * empty. */
typedef struct {
    str name;
    int64_t index;
} field_step;
/* Of a call that points.h inserted for a variable: its upvalue (from 1 on), or its register as -1, -2, ...; 0: several,
 * or no such call. */
int source_point_variable(const source *s, int laid_line);
/* The position of that field; if it is not written out, of the nearest enclosing field that is, or of the `return`. */
position source_field(const source *s, const field_step *steps, size_t n);

/* What one scenario's processes share: files read and compiled once. Lives in its arena; nothing in it depends on a
 * run. */
typedef struct source_cache source_cache;
source_cache *source_cache_new(arena *a);
/* From now on these files are loaded with their patches, as files of `by` (FILE:CASE). The list must outlive the
 * cache. */
void source_patch(source_cache *c, const patch *list, size_t count, str by);
/* A file with its patch applied; out->text is empty if it has none. false: it cannot be read, or has moved. */
bool source_patched(source_cache *c, const loader *l, str name, str *path, patched *out, err *e);
/* The string token at that field's value; NULL: none. */
const token *source_field_string(const source *s, const field_step *steps, size_t n);
source *source_add(source_cache *c, str name, str path, str text);         /* lays nothing out yet */
/* The module (require) or the script of that name, read through the loader at the first use. NULL: `e` says why. */
source *source_module(source_cache *c, const loader *l, str name, err *e);
const script_file *source_script(source_cache *c, const loader *l, str name, err *e);
/* A script given as text: equal texts are one script. */
const script_file *source_script_text(source_cache *c, str body);
const source *source_numbered(const source_cache *c, uint32_t number);     /* NULL: no such number */
/* The scripts that were loaded by name so far, in the order of their names; the list lives in `a`. */
size_t source_scripts(const source_cache *c, arena *a, const script_file ***list);
source *source_loaded(source_cache *c, uint32_t number);                     /* the same, for the code that loads it */
/* Makes processes preemptible from now on; and: are they? */
void source_want_points(source_cache *c);
bool source_wants_points(const source_cache *c);
/* Likewise: threads of them can be stalled. */
void source_want_stalls(source_cache *c);
bool source_wants_stalls(const source_cache *c);
/* The fields that functions assign, if calls were inserted into the code (points.h); NULL: they were not. */
const struct point_names *source_points(const source_cache *c);
void source_set_points(source_cache *c, const struct point_names *names);
arena *source_arena(source_cache *c);
/* Processes made from now on record which of their tokens they run, in `reached`. That is slow. */
void source_follow(source_cache *c);
bool source_followed(const source_cache *c);
void source_note_reached(source_cache *c, uint32_t number, int laid_line);
/* For a recorded source: one byte for each line of its file, 1 where something ran, in `a`. NULL: nothing ran. */
const uint8_t *source_reached(const source *s, arena *a, size_t *lines);
/* A client's code read a script's text or hash: its behaviour may depend on it. */
void source_note_text(source_cache *c);
bool source_texts_read(const source_cache *c);
/* Every script that was loaded from a file, in the order of loading. */
void source_each_script(const source_cache *c, void (*fn)(void *context, const script_file *s), void *context);
/* Gives every script loaded from `path` this text from now on, without telling processes. false, and nothing has
 * changed: there is none, or a module was loaded from it, too. */
bool source_replace_script(source_cache *c, str path, str body);
/* After registers_learn: the lines on which registers_scaled knows something in any file. A fast test, for every
 * line. */
void source_note_scaled(source_cache *c, const source *s);
bool source_scaled(const source_cache *c, int laid_line);

#endif
