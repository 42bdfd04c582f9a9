/* config.c - see config.h. */
#include "host/config.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "host/files.h"

enum { WORDS_MAX = 256, ABOVE_MAX = 64 };

static bool is_there(arena *a, str folder, const char *name)
{
    struct stat st;
    return stat(files_join(a, folder, str_from(name)).p, &st) == 0;
}

/* The folder that holds .locksim/config, "" for the current one. false: there is none. Above the current folder only
 * those of the same repository count: /tmp is writable for all users. */
static bool find(arena *a, str *folder)
{
    str above = S("");
    bool found = false;
    for (size_t i = 0; i < ABOVE_MAX; i++) {
        if (!found && is_there(a, above, ".locksim/config")) {
            found = true;
            *folder = above;
        }
        if ((found && i == 0) || is_there(a, above, ".git"))
            return found;
        above = i ? arena_printf(a, "%.*s/..", STR_ARG(above)) : S("..");
    }
    return false;
}

/* The next word of a line, quotes off; false: the line is over, or a quote does not end (*open). */
static bool next_word(arena *a, str line, size_t *at, str *word, bool *open)
{
    while (*at < line.n && (line.p[*at] == ' ' || line.p[*at] == '\t' || line.p[*at] == '\r'))
        (*at)++;
    if (*at == line.n || line.p[*at] == '#')
        return false;
    char *text = arena_alloc(a, line.n - *at + 1), quote = 0;
    size_t n = 0;
    for (; *at < line.n && (quote || !strchr(" \t\r", line.p[*at])); (*at)++) {
        char c = line.p[*at];
        if (quote ? c == quote : c == '"' || c == '\'')
            quote = quote ? 0 : c;
        else
            text[n++] = c;
    }
    *open = quote != 0;
    *word = (str){ .p = text, .n = n };
    return !*open;
}

typedef struct {
    str path, folder;
    int line;
    err *e;
} place;

static bool complain(const place *p, const char *what, str word)
{
    return err_at(p->e, ERR_USAGE, p->path, p->line, 0, "%s '%.*s'", what, STR_ARG(word));
}

/* A folder or file of an option is found from where .locksim lies. */
static bool is_path(str option, str *argument)
{
    option_facts f;
    for (size_t i = 0; option_describe(i, &f); i++)
        if (f.argument && str_starts(option, S("--")) && str_eq(str_slice(option, 2, option.n), str_from(f.name))) {
            *argument = str_from(f.argument);
            return str_eq(*argument, S("DIR")) || str_eq(*argument, S("FILE")) || str_eq(*argument, S("FILE|DIR"));
        }
    return false;
}

static bool is_outside(str path)
{
    bool outside = path.n > 0 && path.p[0] == '/';
    for (size_t at = 0; at < path.n; at = str_find(path, '/', at) + 1)
        outside |= str_eq(str_slice(path, at, str_find(path, '/', at)), S(".."));
    return outside;
}

/* Is it a link within the repository, or below one? */
static bool is_through_link(arena *a, const place *p, str path)
{
    bool link = false;
    for (size_t at = 0; at < path.n && !link; at++) {
        at = str_find(path, '/', at);
        link = files_is_link(arena_str(a, files_join(a, p->folder, str_slice(path, 0, at))).p);
    }
    return link;
}

/* A repository that was cloned is not trusted: its file runs no command, and names no place outside of it to write to.
 * `before`: the word before. */
static bool is_harmless(arena *a, const place *p, str word, str before)
{
    static const char *const written[] = { "--out", "-o", "--checkpoint", "--spill", "--coverage", "--log",
                                           "--to-scenario", "--unix" };
    size_t equals = str_find(word, '=', 0);
    bool joined = str_starts(word, S("--")) && equals < word.n, brief = str_starts(word, S("-o")) && word.n > 2;
    str option = joined ? str_slice(word, 0, equals) : brief ? S("-o") : before;
    str value = joined ? str_slice(word, equals + 1, word.n) : brief ? str_slice(word, 2, word.n) : word;
    if (str_eq(word, S("--")))
        return complain(p, "this file gives options alone, and not", word);
    if (str_eq(word, S("--render")) || str_eq(option, S("--render")))
        return complain(p, "this file runs no command; on the command line it may be given:", S("--render"));
    if (str_eq(word, S("--to")) || str_eq(option, S("--to")))
        return complain(p, "this file names no server; on the command line it may be given:", S("--to"));
    for (size_t i = 0; i < COUNT(written); i++)
        if (str_eq(option, str_from(written[i])) && (is_outside(value) || is_through_link(a, p, value)))
            return complain(p, "this file has no say in what lies outside of its repository, or behind a link:", value);
    return true;
}

static bool add_line(arena *a, command_kind c, const place *p, str line, words *out)
{
    str word, argument, before = S("");
    size_t at = 0;
    bool open = false, ours = false;
    for (size_t n = 0; next_word(a, line, &at, &word, &open); n++) {
        command_kind named;
        if (n == 0) {
            err unknown = { 0 };
            bool known = command_parse(word, &named, &unknown);
            err_clear(&unknown);
            if (!known)
                return complain(p, "a line begins with a command's name, and there is none called", word);
            ours = named == c;
            continue;
        }
        if (out->argc == WORDS_MAX)
            return complain(p, "there are too many words: from here on", word);
        if (ours && !is_harmless(a, p, word, before))
            return false;
        if (ours) {
            bool joins = is_path(before, &argument) && p->folder.n && word.p[0] != '/';
            out->argv[out->argc++] = (char *)(joins ? files_join(a, p->folder, word) : word).p;
        }
        before = word;
    }
    return !open || complain(p, "a quote does not end:", line);
}

/* Are the words up to this line the command's options, and no more? So that an error names the line. */
static bool fit(arena *a, command_kind c, const place *p, const words *sofar)
{
    options alone;
    if (options_parse_some(a, c, sofar->argc, sofar->argv, &alone, p->e))
        return alone.argument_count == 0 ||
               complain(p, "this file gives options; what a command works on is typed, and so is",
                        str_from(alone.arguments[0]));
    if (!p->e->path.n) {
        buf_add(&p->e->path, p->path);
        p->e->line = p->line;
    }
    return false;
}

bool config_words(arena *a, command_kind c, words typed, words *all, err *e)
{
    const char *off = getenv("LOCKSIM_NO_CONFIG");
    place p = { .e = e, .line = 1 };
    str text;
    *all = typed;
    if ((off && *off) || options_ask_help(typed.argc, typed.argv) || !find(a, &p.folder))
        return true;
    p.path = files_join(a, p.folder, S(".locksim/config"));
    if (!files_read(a, p.path, &text, e))
        return false;
    words out = { .argv = ARENA_ARRAY(a, char *, WORDS_MAX + (size_t)typed.argc + 1) };
    for (size_t at = 0; at < text.n; p.line++) {
        size_t end = str_find(text, '\n', at);
        int had = out.argc;
        if (!add_line(a, c, &p, str_slice(text, at, end), &out) || (out.argc > had && !fit(a, c, &p, &out)))
            return false;
        at = end + 1;
    }
    memcpy(out.argv + out.argc, typed.argv, (size_t)typed.argc * sizeof *typed.argv);
    out.argc += typed.argc;
    *all = out;
    return true;
}
