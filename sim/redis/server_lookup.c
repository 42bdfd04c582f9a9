/* server_lookup.c - which command a client means, and which of its words are keys. */
#include <string.h>

#include "redis/server.h"

/* What people send may hold anything; an error is one line, and C strings end at a NUL there. */
static str one_line(arena *a, str s, size_t bytes_max)
{
    s = str_slice(s, 0, str_find(s, '\0', 0));
    s = arena_str(a, str_slice(s, 0, bytes_max));
    for (char *p = (char *)s.p; p < s.p + s.n; p++) {
        if (*p == '\r' || *p == '\n')
            *p = ' ';
    }
    return s;
}

enum { SHOWN_MAX = 128 };                          /* bytes of the name, and of all arguments, in "unknown command" */

static reply unknown_command(const str *argv, size_t argc, arena *out)
{
    buf args = { 0 };
    for (size_t i = 1; i < argc && args.n < SHOWN_MAX; i++)
        buf_printf(&args, "'%.*s' ", STR_ARG(one_line(out, argv[i], SHOWN_MAX - args.n)));
    str text = arena_printf(out, "ERR unknown command '%.*s', with args beginning with: %.*s",
                            STR_ARG(one_line(out, argv[0], SHOWN_MAX)), STR_ARG(buf_str(&args)));
    buf_free(&args);
    return reply_error(text);
}

reply server_unknown_subcommand(const command *container, str name, arena *out)
{
    str upper = arena_str(out, str_from(container->name));
    for (char *p = (char *)upper.p; *p; p++) {
        if (*p >= 'a' && *p <= 'z')
            *p -= 'a' - 'A';
    }
    return reply_error(arena_printf(out, "ERR unknown subcommand '%.*s'. Try %.*s HELP.",
                                    STR_ARG(one_line(out, name, SHOWN_MAX)), STR_ARG(upper)));
}

const command *server_row(const redis *r, bool hosted, const str *argv, size_t argc, const command **container)
{
    *container = NULL;
    const command *cmd = hosted ? command_find_hosted(r->dialect, argv[0]) : command_find(r->dialect, argv[0]);
    if (!cmd || memchr(cmd->name, '|', argv[0].n))             /* a row's full name is not a command's name */
        return NULL;
    if (!(cmd->flags & CMD_CONTAINER) || argc < 2)
        return cmd;
    char full[64];
    size_t n = strlen(cmd->name), sub = argv[1].n;
    *container = cmd;
    if (n + 1 + sub > sizeof full || !sub)
        return NULL;
    memcpy(full, cmd->name, n);
    full[n] = '|';
    memcpy(full + n + 1, argv[1].p, sub);
    str sub_name = { .p = full, .n = n + 1 + sub };
    return hosted ? command_find_hosted(r->dialect, sub_name) : command_find(r->dialect, sub_name);
}

const command *server_lookup(const redis *r, const str *argv, size_t argc, arena *out, reply *why)
{
    const command *container, *row = server_row(r, r->hosted, argv, argc, &container);
    if (!row)
        *why = container ? server_unknown_subcommand(container, argv[1], out) : unknown_command(argv, argc, out);
    return row;
}

/* The destinations of GEORADIUS: the last one, or in most servers the first of each word. */
static void each_stored_place(const redis *r, const command *cmd, const str *argv, size_t argc,
                              void (*fn)(void *context, str key), void *context)
{
    static const str words[] = { { "store", 5 }, { "storedist", 9 } };
    size_t last = 0;
    for (size_t k = 0; k < COUNT(words); k++) {
        size_t first = 0;
        for (size_t i = (size_t)-cmd->arity; i + 1 < argc; i++)
            if (str_eq_nocase(argv[i], words[k])) {
                first = first ? first : i + 1;
                last = i + 1 > last ? i + 1 : last;
            }
        if (first && !server_follows(r, RULE_LAST_STORE))
            fn(context, argv[first]);
    }
    if (last && server_follows(r, RULE_LAST_STORE))
        fn(context, argv[last]);
}

/* Where the destination of SORT stands; 0: it has none. Words that belong to other options are passed over, and the
 * last STORE counts. */
static size_t stored_at(const str *argv, size_t argc)
{
    static const struct { str word; size_t words; } passed[] = { { { "limit", 5 }, 2 }, { { "get", 3 }, 1 },
                                                                 { { "by", 2 }, 1 } };
    size_t at = 0;
    for (size_t i = 2; i < argc; i++) {
        size_t k = 0;
        while (k < COUNT(passed) && !str_eq_nocase(argv[i], passed[k].word))
            k++;
        if (k < COUNT(passed))
            i += passed[k].words;
        else if (str_eq_nocase(argv[i], S("store")) && i + 1 < argc)
            at = ++i;
    }
    return at;
}

/* How many words an option of XREAD and XREADGROUP is; 0: it is none. */
static size_t read_option_words(str word)
{
    bool pair = str_eq_nocase(word, S("block")) || str_eq_nocase(word, S("count"));
    return pair ? 2 : str_eq_nocase(word, S("group")) ? 3 : str_eq_nocase(word, S("noack"));
}

/* Where the keys of XREAD or XREADGROUP begin, and how many they are: 0 where the options are wrong, or their number
 * is. Most servers only look for the word STREAMS, in XREADGROUP behind the group's three. */
static size_t streams_at(const redis *r, const command *cmd, const str *argv, size_t argc, size_t *n)
{
    bool strict = server_follows(r, RULE_STRICT_STREAMS);
    size_t at = !strict && cmd->flags & CMD_WRITE ? 4 : 1;
    while (at < argc && !str_eq_nocase(argv[at], S("streams"))) {
        size_t words = strict ? read_option_words(argv[at]) : 1;
        at = words ? at + words : argc;
    }
    if (cmd->flags & CMD_WRITE && at < 4)
        at = argc;
    *n = at + 1 < argc ? (argc - at - 1) / 2 : 0;
    if (strict && at < argc && (argc - at - 1) % 2)
        *n = 0;
    return at + 1;
}

void server_each_key(const redis *r, const str *argv, size_t argc, void (*fn)(void *context, str key), void *context)
{
    const command *container, *cmd = argc ? server_row(r, r->hosted, argv, argc, &container) : NULL;
    if (cmd && cmd->flags & CMD_STREAMS && command_arity_ok(cmd, argc)) {
        size_t n, first = streams_at(r, cmd, argv, argc, &n);
        for (size_t i = first; i < first + n; i++)
            fn(context, argv[i]);
        return;
    }
    if (!cmd || !cmd->first_key || cmd->flags & CMD_CHANNELS || !command_arity_ok(cmd, argc))
        return;
    size_t first = (size_t)cmd->first_key;
    if (cmd->flags & CMD_NUMKEYS) {
        int64_t n;
        if (!parse_int(argv[first], &n) || n < 1 || (uint64_t)n > argc - first - 1)
            return;
        if (cmd->last_key)
            fn(context, argv[cmd->last_key]);
        for (size_t i = 0; i < (size_t)n; i++)
            fn(context, argv[first + 1 + i]);
        return;
    }
    size_t last = cmd->last_key < 0 ? argc - (size_t)-cmd->last_key : (size_t)cmd->last_key;
    for (size_t i = first; i <= last && i < argc; i += (size_t)cmd->step)
        fn(context, argv[i]);
    bool places = cmd->flags & CMD_STORES_PLACES;
    size_t stored = cmd->flags & CMD_STORES && !places ? stored_at(argv, argc) : 0;
    if (stored)
        fn(context, argv[stored]);
    if (cmd->flags & CMD_STORES && places)
        each_stored_place(r, cmd, argv, argc, fn, context);
}
