/* fault.c - see fault.h. */
#include "serve/fault.h"

#include <string.h>

#include "redis/command.h"

bool fault_is_asked(str name)
{
    return str_eq_nocase(name, S("fault"));
}

static bool number_of(str s, uint32_t *n)
{
    *n = 0;
    for (size_t i = 0; i < s.n; i++) {
        if (s.p[i] < '0' || s.p[i] > '9' || *n > UINT32_MAX / 10 - 1)
            return false;
        *n = *n * 10 + (uint32_t)(s.p[i] - '0');
    }
    return s.n > 0 && *n > 0;
}

static reply add_next(arena *a, fault_list *l, const str *argv, size_t argc)
{
    next_fault f = { 0 };
    if (argc < 3 || !str_eq_nocase(argv[2], S("lose_reply")))
        return reply_error(arena_printf(a, "ERR unknown fault '%.*s'; there is lose_reply",
                                        argc < 3 ? 0 : (int)argv[2].n, argc < 3 ? "" : argv[2].p));
    for (size_t i = 3; i < argc; i++) {
        bool more = i + 1 < argc;
        if (str_eq_nocase(argv[i], S("reset"))) {
            f.reset = true;
        } else if (more && str_eq_nocase(argv[i], S("client"))) {
            if (!number_of(argv[++i], &f.client))
                return reply_error(S("ERR CLIENT takes what CLIENT ID answers"));
        } else if (more && str_eq_nocase(argv[i], S("command"))) {
            str name = argv[++i];
            if (name.n >= sizeof f.command || !command_find_any(name))
                return reply_error(S("ERR COMMAND takes a command's name, and there is none of this one"));
            memcpy(f.command, name.p, name.n);
        } else {
            return reply_error(S("ERR syntax error: FAULT NEXT lose_reply [RESET] [CLIENT id] [COMMAND name]"));
        }
    }
    if (l->count == FAULTS_MAX)
        return reply_error(S("ERR too many faults wait for a request; FAULT CLEAR forgets them"));
    l->at[l->count++] = f;
    return reply_ok();
}

static reply array_of(arena *a, size_t n)
{
    return (reply){ .kind = REPLY_ARRAY, .items = ARENA_ARRAY(a, reply, n), .count = n };
}

static reply tell_list(arena *a, const fault_list *l)
{
    reply r = array_of(a, l->count);
    for (size_t i = 0; i < l->count; i++) {
        const next_fault *f = &l->at[i];
        str text = f->reset ? S("lose_reply RESET") : S("lose_reply");
        if (f->client)
            text = arena_printf(a, "%.*s CLIENT %u", STR_ARG(text), f->client);
        if (f->command[0])
            text = arena_printf(a, "%.*s COMMAND %s", STR_ARG(text), f->command);
        r.items[i] = reply_bulk(text);
    }
    return r;
}

static reply tell_help(arena *a)
{
    static const char *const lines[] = {
        "FAULT NEXT lose_reply [RESET] [CLIENT <id>] [COMMAND <name>]",
        "    The next request that fits is executed, and its client hears nothing more on this connection.",
        "    RESET: the connection is closed at once.",
        "LIST", "    Faults that wait for a request.", "CLEAR", "    Forget them.",
    };
    reply r = array_of(a, COUNT(lines));
    for (size_t i = 0; i < COUNT(lines); i++)
        r.items[i] = reply_status(str_from(lines[i]));
    return r;
}

reply fault_answer(arena *a, fault_list *l, const str *argv, size_t argc)
{
    if (argc >= 2 && str_eq_nocase(argv[1], S("next")))
        return add_next(a, l, argv, argc);
    if (argc == 2 && str_eq_nocase(argv[1], S("list")))
        return tell_list(a, l);
    if (argc == 2 && str_eq_nocase(argv[1], S("help")))
        return tell_help(a);
    if (argc != 2 || !str_eq_nocase(argv[1], S("clear")))
        return reply_error(S("ERR FAULT takes NEXT, LIST, CLEAR or HELP"));
    size_t count = l->count;
    l->count = 0;
    return reply_integer((int64_t)count);
}

bool fault_take(fault_list *l, uint32_t client, str command, next_fault *out)
{
    for (size_t i = 0; i < l->count; i++) {
        const next_fault *f = &l->at[i];
        if ((f->client && f->client != client) || (f->command[0] && !str_eq_nocase(str_from(f->command), command)))
            continue;
        *out = *f;
        l->count--;
        memmove(&l->at[i], &l->at[i + 1], (l->count - i) * sizeof l->at[i]);
        return true;
    }
    return false;
}
