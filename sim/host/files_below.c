/* files_below.c - which files below a folder are scenarios or drivers, judged by a glance at their code, in byte
 * order. */
#include "host/files.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/mem.h"

enum { DEPTH_MAX = 64 };                           /* folders within folders */

/* The end of the long bracket that opens at `i` ("[[" or "[==["), or `i` if none opens there. */
static size_t skip_long_bracket(str s, size_t i)
{
    size_t level = 0, at = i + 1;
    while (at < s.n && s.p[at] == '=') {
        level++;
        at++;
    }
    if (i >= s.n || s.p[i] != '[' || at >= s.n || s.p[at] != '[')
        return i;
    for (at++; at < s.n; at++) {
        if (s.p[at] != ']')
            continue;
        size_t same = 0;
        while (same < level && at + 1 + same < s.n && s.p[at + 1 + same] == '=')
            same++;
        if (same == level && at + 1 + level < s.n && s.p[at + 1 + level] == ']')
            return at + level + 2;
    }
    return s.n;
}

static size_t skip_comment(str s, size_t i)
{
    size_t end = skip_long_bracket(s, i + 2);
    return end > i + 2 ? end : str_find(s, '\n', i);
}

static size_t skip_quoted(str s, size_t i)
{
    char quote = s.p[i];
    for (i++; i < s.n && s.p[i] != quote && s.p[i] != '\n'; i++)
        if (s.p[i] == '\\')
            i++;
    return i < s.n ? i + 1 : s.n;
}

static bool word_byte(char c)
{
    return c == '_' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* The next name of the code from *at on, with its dots and colons: "me.process"; moves *at past it. `before` is the
 * word right before it, or empty. Not a full parse: a file with a syntax error is still recognised, so that its error
 * is shown and the file not skipped. */
static bool next_name(str s, size_t *at, str *before, str *name)
{
    *before = *name;
    for (size_t i = *at; i < s.n; ) {
        char c = s.p[i];
        size_t start = i;
        if (c == '-' && i + 1 < s.n && s.p[i + 1] == '-') {
            i = skip_comment(s, i);
        } else if (c == '"' || c == '\'') {
            i = skip_quoted(s, i);
        } else if (c == '[' && skip_long_bracket(s, i) > i) {
            i = skip_long_bracket(s, i);
        } else if (word_byte(c)) {
            while (i < s.n && (word_byte(s.p[i]) || s.p[i] == '.' || s.p[i] == ':'))
                i++;
            *name = str_slice(s, start, i);
            *at = i;
            return true;
        } else {
            if (!isspace((unsigned char)c))
                *before = S("");
            i++;
        }
    }
    return false;
}

/* Is `word` followed by a single = somewhere in the code, or, if `or_function`, the end of a function's name? */
static bool code_sets(str s, str word, bool or_function)
{
    str before, name = S("");
    for (size_t i = 0; next_name(s, &i, &before, &name); ) {
        str last = name;
        for (size_t k = 0; k < name.n; k++)
            if (name.p[k] == '.' || name.p[k] == ':')
                last = str_slice(name, k + 1, name.n);
        size_t next = i;
        while (next < s.n && isspace((unsigned char)s.p[next]))
            next++;
        bool assigned = next < s.n && s.p[next] == '=' && (next + 1 >= s.n || s.p[next + 1] != '=');
        if (str_eq(last, word) && ((assigned && !str_eq(before, S("local"))) ||
                                   (or_function && str_eq(before, S("function")))))
            return true;
    }
    return false;
}

static bool code_names(str s, str whole)
{
    str before, name = S("");
    for (size_t i = 0; next_name(s, &i, &before, &name); )
        if (str_eq(name, whole))
            return true;
    return false;
}

bool files_is_scenario(str text)
{
    return code_sets(text, S("program"), false);
}

bool files_is_driver(str text)
{
    return (code_sets(text, S("view"), true) || code_names(text, S("generic.lock"))) && !files_is_scenario(text);
}

/* The text of a comment line at `*from`, and *from behind it; false if none begins there. */
static bool comment_line(str text, size_t *from, str *line)
{
    if (!str_starts(str_slice(text, *from, text.n), S("--")) || str_starts(str_slice(text, *from, text.n), S("--[[")))
        return false;
    size_t end = str_find(text, '\n', *from);
    *line = str_slice(text, *from + 2, end);
    *from = end + 1;
    while (line->n && (line->p[0] == '-' || line->p[0] == ' '))
        *line = str_slice(*line, 1, line->n);
    while (line->n && (line->p[line->n - 1] == ' ' || line->p[line->n - 1] == '\r'))
        line->n--;
    return true;
}

str files_headline(arena *a, str text)
{
    enum { BYTES_MAX = 400 };
    size_t from = str_starts(text, S("#!")) ? str_find(text, '\n', 0) + 1 : 0;
    buf b = { 0 };
    str line;
    size_t sentence = 0;                           /* where the first one ends; 0: not yet */
    while (!sentence && b.n < BYTES_MAX && comment_line(text, &from, &line) && line.n) {
        if (b.n)
            buf_byte(&b, ' ');
        else if (str_ends(str_slice(line, 0, str_find(line, ':', 0)), S(".lua")))
            line = str_slice(line, str_find(line, ':', 0) + 1, line.n);
        while (b.n == 0 && line.n && line.p[0] == ' ')
            line = str_slice(line, 1, line.n);
        size_t at = b.n;
        buf_add(&b, line);
        for (; at < b.n && !sentence; at++)
            if (b.p[at] == '.' && (at + 1 == b.n || b.p[at + 1] == ' '))
                sentence = at + 1;
    }
    str out = arena_str(a, str_slice(buf_str(&b), 0, sentence ? sentence : b.n));
    buf_free(&b);
    return out;
}

static int by_bytes(const void *x, const void *y)
{
    return str_cmp(*(const str *)x, *(const str *)y);
}

void files_add(arena *a, file_list *list, str path)
{
    if ((list->count & (list->count - 1)) == 0) {              /* full at each power of two */
        str *longer = ARENA_ARRAY(a, str, list->count ? list->count * 2 : 1);
        if (list->count)
            memcpy(longer, list->paths, list->count * sizeof *longer);
        list->paths = longer;
    }
    list->paths[list->count++] = path;
}

/* Is this folder the overlay of a scenario beside it? Then its files belong to that scenario, whatever they look
 * like. */
static bool is_overlay(str folder)
{
    arena *scratch = arena_new();
    str text;
    err none = { 0 };
    bool is = false;
    size_t begin = folder.n - files_name(folder).n;
    for (size_t end = folder.n; end > begin && !is; end--)         /* "R03", and of "R03.twin" also R03 */
        is = (end == folder.n || folder.p[end] == '.') &&
             files_read(scratch, arena_printf(scratch, "%.*s.lua", STR_ARG(str_slice(folder, 0, end))), &text, &none) &&
                 files_is_scenario(text);
    err_clear(&none);
    arena_free(scratch);
    return is;
}

/* The names in a folder, sorted; those that begin with a dot are left out. */
static bool list_names(arena *a, str folder, int depth, file_list *names, err *e)
{
    if (depth > DEPTH_MAX)
        return err_at(e, ERR_SCENARIO, folder, 0, 0, "folders lie more than %d deep", DEPTH_MAX);
    DIR *d = opendir(folder.p);
    if (!d)
        return err_at(e, ERR_SCENARIO, folder, 0, 0, "cannot read this folder: %s", strerror(errno));
    for (struct dirent *entry; (entry = readdir(d)) != NULL; )
        if (entry->d_name[0] != '.')
            files_add(a, names, arena_str(a, str_from(entry->d_name)));
    closedir(d);
    if (names->count)
        qsort(names->paths, names->count, sizeof *names->paths, by_bytes);
    return true;
}

/* A folder that is no link to one. */
static bool is_own_folder(str path)
{
    struct stat here;
    return lstat(path.p, &here) == 0 && S_ISDIR(here.st_mode);
}

static bool walk_folders(arena *a, str folder, int depth, file_list *out, err *e)
{
    file_list names = { 0 };
    if (!list_names(a, folder, depth, &names, e))
        return false;
    files_add(a, out, folder);
    for (size_t i = 0; i < names.count; i++) {
        str path = files_join(a, folder, names.paths[i]);
        if (is_own_folder(path) && !walk_folders(a, path, depth + 1, out, e))
            return false;
    }
    return true;
}

bool files_folders(arena *a, str folder, file_list *out, err *e)
{
    while (folder.n > 1 && folder.p[folder.n - 1] == '/')
        folder = str_slice(folder, 0, folder.n - 1);
    return walk_folders(a, arena_str(a, folder), 0, out, e);
}

static bool walk(arena *a, str folder, int depth, bool (*wanted)(str), file_list *out, err *e)
{
    file_list names = { 0 };
    if (!list_names(a, folder, depth, &names, e))
        return false;
    for (size_t i = 0; i < names.count; i++) {
        str path = files_join(a, folder, names.paths[i]);
        struct stat there;
        if (stat(path.p, &there) != 0)
            continue;                              /* a dangling link, or gone meanwhile */
        if (S_ISDIR(there.st_mode)) {
            if (is_own_folder(path) && !is_overlay(path) && !walk(a, path, depth + 1, wanted, out, e))
                return false;
        } else if (str_ends(path, S(".lua"))) {
            arena *scratch = arena_new();
            str text;
            err unread = { 0 };
            /* An unreadable file is kept: the run then reports why. */
            if (!files_read(scratch, path, &text, &unread) || !wanted || wanted(text))
                files_add(a, out, path);
            else
                out->passed_over++;
            err_clear(&unread);
            arena_free(scratch);
        }
    }
    return true;
}

static bool walk_all(arena *a, str folder, int depth, file_list *out, err *e)
{
    file_list names = { 0 };
    if (!list_names(a, folder, depth, &names, e))
        return false;
    for (size_t i = 0; i < names.count; i++) {
        str path = files_join(a, folder, names.paths[i]);
        if (is_own_folder(path) ? !walk_all(a, path, depth + 1, out, e) : false)
            return false;
        if (!files_is_folder(path.p) && str_ends(path, S(".lua")))
            files_add(a, out, path);
    }
    return true;
}

bool files_expand_all(arena *a, str path, file_list *out, err *e)
{
    path = arena_str(a, path);
    if (!files_is_folder(path.p))
        return files_expand(a, path, NULL, out, e);
    while (path.n > 1 && path.p[path.n - 1] == '/')
        path = str_slice(path, 0, path.n - 1);
    size_t count = out->count;
    bool ok = walk_all(a, arena_str(a, path), 0, out, e);
    if (!ok)
        out->count = count;
    return ok;
}

bool files_expand(arena *a, str path, bool (*wanted)(str text), file_list *out, err *e)
{
    struct stat st;
    path = arena_str(a, path);
    if (stat(path.p, &st) != 0)
        return files_cannot_open(path, errno, e);
    if (!S_ISDIR(st.st_mode)) {
        files_add(a, out, path);
        return true;
    }
    while (path.n > 1 && path.p[path.n - 1] == '/')
        path = str_slice(path, 0, path.n - 1);
    path = arena_str(a, path);
    size_t count = out->count, passed_over = out->passed_over;
    if (!walk(a, path, 0, wanted, out, e)) {
        out->count = count;
        return false;
    }
    if (out->count > count)
        return true;
    err_at(e, ERR_SCENARIO, path, 0, 0, "no scenario file lies below this folder");
    if (is_overlay(path))
        return err_hint(e, "it is the overlay folder of %.*s.lua: run that", STR_ARG(path));
    return err_hint(e, "%zu other .lua files do; a scenario sets a field named `program`",
                    out->passed_over - passed_over);
}
