/* source.h - client Lua as locksim loads it: every token on a line of its own, with a map back to path:line:col.
 * So a frame's current line names the very call it stands in (two calls never share a line), and every error can point
 * at its column. The new text means exactly what the old one meant. */
#ifndef LOCKSIM_SCENARIO_SOURCE_H
#define LOCKSIM_SCENARIO_SOURCE_H

#include "base/lua_tokens.h"
#include "scenario/patch.h"
#include "scenario/scenario.h"

/* A Lua script under test, loaded by `script "name.lua"` or given as text. */
typedef struct {
    str name, path, body;  /* name as asked for; path empty for text; of a patched one FILE:CASE:NAME, which no file
                            * has */
    char sha1[41];
    const line_origin *origins;                    /* of a patched one, [line - 1]; NULL: it is as it is written */
    size_t lines;
    str original, patched_by;                      /* with `origins`: the paths of the original and of the scenario's
                                                    * file */
} script_file;
/* Where a line of its body is written; *line becomes that file's. */
str script_line_path(const script_file *s, int *line);

/* One Lua file of the client's side. Plain data, in the arena it was made in. */
typedef struct source {
    str name, path, text;  /* name as required, path as shown, text as loaded */
    str written;           /* what is at the path: the text, but for a patched one */
    const line_origin *origins;                    /* of a patched one, [line - 1]; NULL: none */
    size_t lines;
    bool diffed;           /* the scenario's lines begin with a + that is not theirs */
    str patched_by;        /* with `origins`: the scenario's file */
    uint32_t number;       /* in its cache; the chunk is named by it, see source_mark */
    token *tokens;
    size_t token_count;
    uint32_t *line_token;  /* [laid line - 1] -> token; line_count of them, the last stands for the end of the file */
    size_t line_count;
    int *points;           /* points.h: [laid line - 1 - (line_count - point_count)]: see source_point_variable */
    size_t point_count;
    str laid;              /* the text with one token per line */
    str bytecode;          /* compiled from `laid`; empty until source_compile */
    uint8_t *reached;      /* [laid line - 1]: it was run; NULL: none was, or nobody follows (source_follow) */
    struct registers *live; /* which registers are read after a call, see registers.h; NULL: not known */
} source;

typedef struct {
    str path;
    int line, col;         /* 0: unknown */
} position;

/* Splits and re-lays. false: not Lua's tokens, `...`, or an ambiguous call, with its place. */
bool source_lay(arena *a, source *s, err *e);
/* Where a laid line stands in the file. */
position source_position(const source *s, int laid_line);
/* The assignment to the global `name` that ends on this laid line: its name, not its value. */
position source_assignment(const source *s, int laid_line, str name);

/* One step on the way to a value in the table a file returns: a field's name, or a 1-based position where name is
 * empty. */
typedef struct {
    str name;
    int64_t index;
} field_step;
/* Of a call that points.h put in for a variable: its upvalue (from 1 on), or its register as -1, -2, ...; 0: several,
 * or no such call. */
int source_point_variable(const source *s, int laid_line);
/* Where that field is written; the nearest enclosing field that is written out, or the `return`, where it is not. */
position source_field(const source *s, const field_step *steps, size_t n);

/* What one scenario's processes share: files read and compiled once. Lives in its arena; nothing in it depends on a
 * run. */
typedef struct source_cache source_cache;
source_cache *source_cache_new(arena *a);
/* From now on these files are loaded with their patches, as files of `by` (FILE:CASE). The list has to outlive the
 * cache. */
void source_patch(source_cache *c, const patch *list, size_t count, str by);
/* What a file becomes by its patch; out->text stays empty if it has none. false: it cannot be read, or has moved. */
bool source_patched(source_cache *c, const loader *l, str name, str *path, patched *out, err *e);
/* The string that stands where that field is written, as a token; NULL: none does. */
const token *source_field_string(const source *s, const field_step *steps, size_t n);
source *source_add(source_cache *c, str name, str path, str text);         /* lays nothing yet */
/* The module (require) or the script of that name, read through the loader at the first use. NULL: `e` says why. */
source *source_module(source_cache *c, const loader *l, str name, err *e);
const script_file *source_script(source_cache *c, const loader *l, str name, err *e);
/* A script given as text: equal texts are one script. */
const script_file *source_script_text(source_cache *c, str body);
const source *source_numbered(const source_cache *c, uint32_t number);     /* NULL: no such number */
/* The scripts that were loaded by name so far, in the order of their names; the list lives in `a`. */
size_t source_scripts(const source_cache *c, arena *a, const script_file ***list);
source *source_loaded(source_cache *c, uint32_t number);                     /* the same, for who loads it */
/* Processes that are made from now on can be preempted; is that so? */
void source_want_points(source_cache *c);
bool source_wants_points(const source_cache *c);
/* Likewise: threads of them can be stalled. */
void source_want_stalls(source_cache *c);
bool source_wants_stalls(const source_cache *c);
/* The fields that functions assign, once calls were put into the code (points.h); NULL: none were. */
const struct point_names *source_points(const source_cache *c);
void source_set_points(source_cache *c, const struct point_names *names);
arena *source_arena(source_cache *c);
/* Processes that are made from now on note which of their tokens they run: `reached`. That is slow. */
void source_follow(source_cache *c);
bool source_followed(const source_cache *c);
void source_note_reached(source_cache *c, uint32_t number, int laid_line);
/* Of a source that was followed: one byte for each line of its file, 1 where something was run, in `a`. NULL: nothing
 * was. */
const uint8_t *source_reached(const source *s, arena *a, size_t *lines);
/* A client's code read a script's text or hash: what it does may depend on it. */
void source_note_text(source_cache *c);
bool source_texts_read(const source_cache *c);
/* Every script that was loaded from a file, in the order of loading. */
void source_each_script(const source_cache *c, void (*fn)(void *context, const script_file *s), void *context);
/* Every script that was loaded from `path` has this text from now on; no process is told. false, and nothing has
 * changed: none was, or a module was, too. */
bool source_replace_script(source_cache *c, str path, str body);
/* After registers_learn: on which lines of any file registers_scaled knows something. A quick question, asked at every
 * line. */
void source_note_scaled(source_cache *c, const source *s);
bool source_scaled(const source_cache *c, int laid_line);

#endif
