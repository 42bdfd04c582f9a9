/* source_map.c - from laid lines and fields back to the file (source.h), and the cache of files. */
#include "scenario/source.h"

#include <stdlib.h>
#include <string.h>

/* The tables live in the cache's arena, like all else here. */
#define uthash_malloc(bytes) arena_alloc(c->a, bytes)
#define uthash_free(p, bytes) ((void)(p))
#define uthash_fatal(why) ((void)(why))
#include <uthash.h>

#include "redis/redis.h"
#include "scenario/registers.h"

static position in_laid_text(const source *s, size_t number)
{
    position where = { .path = s->path };
    if (number < s->token_count) {
        where.line = s->tokens[number].line;
        where.col = s->tokens[number].col;
    } else if (s->token_count) {                   /* the end of the file: after the last token */
        const token *last = &s->tokens[s->token_count - 1];
        where.line = last->line;
        where.col = last->col + (int)last->text.n;
        for (size_t i = 0; i < last->text.n; i++)
            if (last->text.p[i] == '\n') {
                where.line++;
                where.col = (int)(last->text.n - i);
            }
    }
    return where;
}

/* A line of a patched text may be the scenario's, where a blank, - or + precedes it. */
static position at_token(const source *s, size_t number)
{
    position where = in_laid_text(s, number);
    if (!s->origins || where.line < 1 || (size_t)where.line > s->lines)
        return where;
    const line_origin *o = &s->origins[where.line - 1];
    return (position){ .path = o->ours ? s->patched_by : s->path, .line = o->line,
                       .col = where.col + (o->ours && s->diffed) };
}

position source_position(const source *s, int laid_line)
{
    if (laid_line < 1 || (size_t)laid_line > s->line_count)
        return (position){ .path = s->path };
    return at_token(s, s->line_token[laid_line - 1]);
}

int source_point_variable(const source *s, int laid_line)
{
    size_t first = s->line_count - s->point_count;
    return laid_line > (int)first && (size_t)laid_line <= s->line_count ? s->points[(size_t)laid_line - 1 - first] : 0;
}

static bool token_is(const source *s, size_t i, const char *text)
{
    return i < s->token_count && s->tokens[i].kind != TOKEN_STRING && str_eq(s->tokens[i].text, str_from(text));
}

position source_assignment(const source *s, int laid_line, str name)
{
    if (laid_line < 1 || (size_t)laid_line > s->line_count)
        return (position){ .path = s->path };
    size_t from = s->line_token[laid_line - 1];
    if (token_is(s, from, "function") && from + 1 < s->token_count && str_eq(s->tokens[from + 1].text, name))
        return at_token(s, from + 1);
    for (size_t i = from + 1; i-- > 0;) {
        if (i >= s->token_count || s->tokens[i].kind != TOKEN_NAME || !str_eq(s->tokens[i].text, name))
            continue;
        bool target = token_is(s, i + 1, "=") || token_is(s, i + 1, ",");
        bool member = i > 0 && (token_is(s, i - 1, ".") || token_is(s, i - 1, ":"));
        if (target && !member)
            return at_token(s, i);
    }
    return at_token(s, from);
}

static bool opens(const source *s, size_t i)
{
    return token_is(s, i, "(") || token_is(s, i, "{") || token_is(s, i, "[") || token_is(s, i, "function") ||
           token_is(s, i, "do") ||
           token_is(s, i, "then") || token_is(s, i, "repeat");
}

static bool closes(const source *s, size_t i)
{
    return token_is(s, i, ")") || token_is(s, i, "}") || token_is(s, i, "]") || token_is(s, i, "end") ||
           token_is(s, i, "elseif") ||
           token_is(s, i, "until");
}

/* The string literal's contents equal `name` (no escapes looked at). */
static bool literal_is(const token *t, str name)
{
    return t->kind == TOKEN_STRING && t->text.n == name.n + 2 && memcmp(t->text.p + 1, name.p, name.n) == 0;
}

/* In the table that opens at token `open`: the token of the step's name, and that of its value. */
static bool find_step(const source *s, size_t open, const field_step *f, size_t *name, size_t *value)
{
    int depth = 0;
    int64_t index = 0;
    bool begins = true;                            /* the next token begins a field */
    for (size_t i = open; i < s->token_count; i++) {
        if (depth == 1 && begins && !token_is(s, i, "}")) {
            begins = false;
            bool named = s->tokens[i].kind == TOKEN_NAME && token_is(s, i + 1, "=");
            bool bracketed = token_is(s, i, "[");
            if (named && f->name.n && str_eq(s->tokens[i].text, f->name)) {
                *name = i;
                *value = i + 2;
                return true;
            }
            if (bracketed && f->name.n && i + 3 < s->token_count && literal_is(&s->tokens[i + 1], f->name)) {
                *name = i + 1;
                *value = i + 4;
                return true;
            }
            if (!named && !bracketed && ++index == f->index && f->name.n == 0) {
                *name = *value = i;
                return true;
            }
        }
        if (depth == 1 && (token_is(s, i, ",") || token_is(s, i, ";")))
            begins = true;
        if (opens(s, i))
            depth++;
        else if (closes(s, i) && --depth == 0)
            return false;
    }
    return false;
}

/* The tokens of the field's name and value. false: nothing of it is written out. */
static bool find_field(const source *s, const field_step *steps, size_t n, size_t *name, size_t *value, bool *whole)
{
    size_t at = s->token_count;
    for (size_t i = 0, depth = 0; i < s->token_count; i++) {       /* the last `return` outside all functions */
        if (token_is(s, i, "return") && s->tokens[i].kind == TOKEN_KEYWORD && depth == 0)
            at = i;
        if (opens(s, i))
            depth++;
        else if (closes(s, i) && depth > 0)
            depth--;
    }
    if (at == s->token_count)
        return false;
    *name = at;
    *value = at + 1;
    *whole = true;
    for (size_t i = 0; i < n && *whole; i++) {
        size_t a, b;
        *whole = token_is(s, *value, "{") && find_step(s, *value, &steps[i], &a, &b);
        *name = *whole ? a : *name;
        *value = *whole ? b : *value;
    }
    return true;
}

position source_field(const source *s, const field_step *steps, size_t n)
{
    size_t name, value;
    bool whole;
    if (find_field(s, steps, n, &name, &value, &whole))
        return at_token(s, name);
    return s->token_count ? at_token(s, 0) : (position){ .path = s->path, .line = 1, .col = 1 };
}

const token *source_field_string(const source *s, const field_step *steps, size_t n)
{
    size_t name, value;
    bool whole;
    bool there = find_field(s, steps, n, &name, &value, &whole) && whole && value < s->token_count &&
                 s->tokens[value].kind == TOKEN_STRING;
    return there ? &s->tokens[value] : NULL;
}

typedef struct entry {
    str key;
    source *module;
    script_file *script;
    UT_hash_handle hh;
} entry;

struct source_cache {
    arena *a;
    entry *modules, *scripts, *texts;
    source **numbered;
    size_t count, cap;
    bool *scaled;          /* [laid line]: some file has an operator there that does more than add and compare */
    size_t scaled_cap;
    bool texts_read, followed;
    const patch *patches;
    size_t patch_count;
    str patched_by;        /* FILE:CASE */
    bool wants_points, wants_stalls;
    const struct point_names *points;              /* NULL: its files are as they were compiled */
};

void source_patch(source_cache *c, const patch *list, size_t count, str by)
{
    c->patches = list;
    c->patch_count = count;
    c->patched_by = by;
}

source_cache *source_cache_new(arena *a)
{
    source_cache *c = ARENA_NEW(a, source_cache);
    c->a = a;
    return c;
}

void source_follow(source_cache *c)
{
    c->followed = true;
}

bool source_followed(const source_cache *c)
{
    return c->followed;
}

void source_note_reached(source_cache *c, uint32_t number, int laid_line)
{
    source *s = number < c->count ? c->numbered[number] : NULL;
    if (!s || laid_line < 1 || (size_t)laid_line > s->line_count)
        return;
    if (!s->reached)
        s->reached = ARENA_ARRAY(c->a, uint8_t, s->line_count);
    s->reached[laid_line - 1] = 1;
}

const uint8_t *source_reached(const source *s, arena *a, size_t *lines)
{
    *lines = 1;
    for (size_t i = 0; i < s->text.n; i++)
        *lines += s->text.p[i] == '\n';
    uint8_t *at = s->reached ? ARENA_ARRAY(a, uint8_t, *lines + 1) : NULL;
    for (size_t i = 0; at && i < s->line_count; i++)
        if (s->reached[i] && s->line_token[i] < s->token_count)
            at[s->tokens[s->line_token[i]].line - 1] = 1;
    return at;
}

void source_note_text(source_cache *c)
{
    c->texts_read = true;
}

bool source_texts_read(const source_cache *c)
{
    return c->texts_read;
}

void source_each_script(const source_cache *c, void (*fn)(void *context, const script_file *s), void *context)
{
    for (const entry *e = c->scripts; e; e = e->hh.next)
        fn(context, e->script);
}

bool source_replace_script(source_cache *c, str path, str body)
{
    bool any = false;
    for (size_t i = 0; i < c->count; i++)
        if (str_eq(c->numbered[i]->path, path))
            return false;
    str text = { 0 };
    for (entry *e = c->scripts; e; e = e->hh.next) {
        if (!str_eq(e->script->path, path))
            continue;
        text = any ? text : arena_str(c->a, body);
        e->script->body = text;
        redis_sha1(text, e->script->sha1);
        any = true;
    }
    return any;
}

arena *source_arena(source_cache *c)
{
    return c->a;
}

static entry *add_entry(source_cache *c, entry **table, str key)
{
    entry *added = ARENA_NEW(c->a, entry);
    added->key = arena_str(c->a, key);
    HASH_ADD_KEYPTR(hh, *table, added->key.p, added->key.n, added);
    return added;
}

source *source_add(source_cache *c, str name, str path, str text)
{
    source *s = ARENA_NEW(c->a, source);
    s->name = arena_str(c->a, name);
    s->path = arena_str(c->a, path);
    s->text = s->written = text;
    if (c->count == c->cap) {
        size_t cap = c->cap ? 2 * c->cap : 16;
        source **grown = ARENA_ARRAY(c->a, source *, cap);
        if (c->count)
            memcpy(grown, c->numbered, c->count * sizeof *grown);
        c->numbered = grown;
        c->cap = cap;
    }
    s->number = (uint32_t)c->count;
    c->numbered[c->count++] = s;
    return s;
}

const source *source_numbered(const source_cache *c, uint32_t number)
{
    return number < c->count ? c->numbered[number] : NULL;
}

source *source_loaded(source_cache *c, uint32_t number)
{
    return number < c->count ? c->numbered[number] : NULL;
}

void source_want_points(source_cache *c)
{
    c->wants_points = true;
}

bool source_wants_points(const source_cache *c)
{
    return c->wants_points;
}

void source_want_stalls(source_cache *c)
{
    c->wants_stalls = true;
}

bool source_wants_stalls(const source_cache *c)
{
    return c->wants_stalls;
}

const struct point_names *source_points(const source_cache *c)
{
    return c->points;
}

void source_set_points(source_cache *c, const struct point_names *names)
{
    c->points = names;
}

static bool read_file(source_cache *c, const loader *l, str name, str *path, str *text, err *e)
{
    enum { NAME_MAX_BYTES = 255 };
    if (name.n == 0 || name.n > NAME_MAX_BYTES || memchr(name.p, 0, name.n))
        return err_set(e, ERR_SCENARIO, "a file's name has 1 to %d bytes, none of them zero", NAME_MAX_BYTES);
    if (!l || !l->read)
        return err_set(e, ERR_SCENARIO, "no file \"%.*s\": there is nothing to load files from", STR_ARG(name));
    err mine = { 0 };
    if (l->read(l->context, name, c->a, path, text, &mine)) {
        err_clear(&mine);
        return true;
    }
    if (mine.class_ == ERR_NONE)
        err_set(e, ERR_SCENARIO, "no file \"%.*s\"", STR_ARG(name));
    else
        err_set(e, mine.class_, "%.*s", STR_ARG(buf_str(&mine.message)));
    if (mine.hint.n)
        err_hint(e, "%.*s", STR_ARG(buf_str(&mine.hint)));
    err_clear(&mine);
    return false;
}

bool source_patched(source_cache *c, const loader *l, str name, str *path, patched *out, err *e)
{
    str text;
    *out = (patched){ .lines = 0 };
    for (size_t i = 0; i < c->patch_count; i++)
        if (str_eq(c->patches[i].name, name))
            return read_file(c, l, name, path, &text, e) && patch_apply(c->a, &c->patches[i], *path, text, out, e);
    return true;
}

/* The scenario's file, of FILE:CASE. */
static str patching_file(const source_cache *c)
{
    return c->patch_count ? c->patches[0].file : S("");
}

source *source_module(source_cache *c, const loader *l, str name, err *e)
{
    entry *known;
    HASH_FIND(hh, c->modules, name.p, name.n, known);
    if (known)
        return known->module;
    str path, text;
    patched changed;
    if (!read_file(c, l, name, &path, &text, e) || !source_patched(c, l, name, &path, &changed, e))
        return NULL;
    known = add_entry(c, &c->modules, name);
    known->module = source_add(c, name, path, changed.origins ? changed.text : text);
    known->module->written = text;
    known->module->origins = changed.origins;
    known->module->lines = changed.lines;
    known->module->diffed = changed.diffed;
    known->module->patched_by = patching_file(c);
    return known->module;
}

const script_file *source_script(source_cache *c, const loader *l, str name, err *e)
{
    entry *known;
    HASH_FIND(hh, c->scripts, name.p, name.n, known);
    if (known)
        return known->script;
    str path, text;
    patched changed;
    if (!read_file(c, l, name, &path, &text, e) || !source_patched(c, l, name, &path, &changed, e))
        return NULL;
    known = add_entry(c, &c->scripts, name);
    known->script = ARENA_NEW(c->a, script_file);
    *known->script = (script_file){ .name = known->key, .path = arena_str(c->a, path), .body = text };
    if (changed.origins)
        *known->script = (script_file){
            .name = known->key, .path = arena_printf(c->a, "%.*s:%.*s", STR_ARG(c->patched_by), STR_ARG(name)),
            .body = changed.text,
            .origins = changed.origins, .lines = changed.lines, .original = arena_str(c->a, path),
            .patched_by = patching_file(c),
        };
    redis_sha1(known->script->body, known->script->sha1);
    return known->script;
}

static int by_name(const void *x, const void *y)
{
    return str_cmp((*(const script_file *const *)x)->name, (*(const script_file *const *)y)->name);
}

size_t source_scripts(const source_cache *c, arena *a, const script_file ***list)
{
    size_t n = 0, count = HASH_COUNT(c->scripts);
    *list = ARENA_ARRAY(a, const script_file *, count + 1);
    for (const entry *x = c->scripts; x; x = x->hh.next)
        (*list)[n++] = x->script;
    if (n > 1)
        qsort(*list, n, sizeof **list, by_name);
    return n;
}

str script_line_path(const script_file *s, int *line)
{
    if (!s->origins || *line < 1 || (size_t)*line > s->lines)
        return s->path;
    const line_origin *o = &s->origins[*line - 1];
    *line = o->line;
    return o->ours ? s->patched_by : s->original;
}

const script_file *source_script_text(source_cache *c, str body)
{
    entry *known;
    HASH_FIND(hh, c->texts, body.p, body.n, known);
    if (known)
        return known->script;
    known = add_entry(c, &c->texts, body);
    known->script = ARENA_NEW(c->a, script_file);
    *known->script = (script_file){ .name = S("eval"), .body = known->key };
    redis_sha1(body, known->script->sha1);
    return known->script;
}

void source_note_scaled(source_cache *c, const source *s)
{
    if (s->line_count >= c->scaled_cap) {
        size_t cap = 2 * s->line_count + 1;
        bool *wider = ARENA_ARRAY(c->a, bool, cap);
        if (c->scaled)
            memcpy(wider, c->scaled, c->scaled_cap * sizeof *wider);
        c->scaled = wider;
        c->scaled_cap = cap;
    }
    for (size_t line = 1; line <= s->line_count; line++)
        c->scaled[line] |= registers_scaled(s, (int)line) != NULL;
}

bool source_scaled(const source_cache *c, int laid_line)
{
    return laid_line > 0 && (size_t)laid_line < c->scaled_cap && c->scaled[laid_line];
}
