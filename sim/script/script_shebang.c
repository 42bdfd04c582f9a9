/* script_shebang.c - the first line of a script that names its engine and flags: "#!lua flags=no-writes,allow-stale".
 * The words may be quoted as in redis-cli. Facts: REDIS-FIDELITY.md section 4, and what a Redis 7.0.15 server
 * answered. */
#include "script/script_host.h"

#include "base/words.h"
#include "redis/server.h"

static const struct { const char *name; unsigned flag; } known[] = {
    { "no-writes", SCRIPT_NO_WRITES }, { "allow-oom", SCRIPT_ALLOW_OOM }, { "allow-stale", SCRIPT_ALLOW_STALE },
    { "no-cluster", SCRIPT_NO_CLUSTER }, { "allow-cross-slot-keys", SCRIPT_ALLOW_CROSS_SLOT },
};

unsigned script_flag(str name, bool any_case)
{
    for (size_t k = 0; k < COUNT(known); k++)
        if (any_case ? str_eq_nocase(str_from(known[k].name), name) : str_eq(str_from(known[k].name), name))
            return known[k].flag;
    return 0;
}

const char *script_flag_name(size_t i, unsigned *flag)
{
    *flag = i < COUNT(known) ? known[i].flag : 0;
    return i < COUNT(known) ? known[i].name : NULL;
}

static bool parse_flags(str list, unsigned *flags, arena *out, str *why)
{
    if (list.n == 0)
        return true;
    for (size_t at = 0, comma; at <= list.n; at = comma + 1) {
        comma = str_find(list, ',', at);
        str name = str_slice(list, at, comma);
        unsigned flag = script_flag(name, false);
        if (!flag) {
            *why = script_line(out, arena_printf(out, "ERR Unexpected flag in script shebang: %.*s", STR_ARG(name)));
            return false;
        }
        *flags |= flag;
    }
    return true;
}

static bool wrong_engine(str engine, bool engines, arena *out, str *why)
{
    if (engines)
        *why = script_line(out, arena_printf(out, "ERR Could not find scripting engine '%.*s'",
                                             STR_ARG(str_slice(engine, 2, engine.n))));
    else
        *why = script_line(out, arena_printf(out, "ERR Unexpected engine in script shebang: %.*s", STR_ARG(engine)));
    return false;
}

static bool parse_line(const script_host *h, str line, buf *word, unsigned *flags, arena *out, str *why)
{
    size_t at = 0;
    str engine = { 0 };
    bool engines = server_follows(h->server, RULE_ENGINES), joined = server_follows(h->server, RULE_QUOTES_JOIN);
    for (bool first = true;; first = false) {
        word_kind kind = joined ? words_next_joined(line, &at, word) : words_next(line, &at, word);
        if (kind == WORD_BROKEN)
            return false;
        str w = buf_str(word);
        if (first) {
            engine = arena_str(out, w);
            if (!engines && !str_eq(engine, S("#!lua")))
                return wrong_engine(engine, engines, out, why);
            continue;
        }
        if (kind == WORD_NONE)
            return str_eq_nocase(engine, S("#!lua")) || wrong_engine(engine, engines, out, why);
        if (!str_starts(w, S("flags="))) {
            *why = script_line(out, arena_printf(out, "ERR Unknown lua shebang option: %.*s", STR_ARG(w)));
            return false;
        }
        if (!parse_flags(str_slice(w, 6, w.n), flags, out, why))
            return false;
    }
}

bool words_close(str line, bool joined, buf *word)
{
    word_kind kind = WORD_PLAIN;
    for (size_t at = 0; kind != WORD_NONE && kind != WORD_BROKEN;)
        kind = joined ? words_next_joined(line, &at, word) : words_next(line, &at, word);
    return kind == WORD_NONE;
}

bool script_shebang(const script_host *h, str body, unsigned *flags, size_t *lua_at, arena *out, str *why)
{
    *flags = 0;
    *lua_at = 0;
    if (!str_starts(body, S("#!")))
        return true;
    size_t end = str_find(body, '\n', 0);
    if (end == body.n) {
        *why = S("ERR Invalid script shebang");
        return false;
    }
    *flags = SCRIPT_SHEBANG;
    *lua_at = end;                                       /* the newline stays, so that lines keep their numbers */
    str line = str_slice(body, 0, end);
    buf word = { 0 };
    *why = S("ERR Invalid engine in script shebang");
    bool ok = words_close(line, server_follows(h->server, RULE_QUOTES_JOIN), &word) &&
              parse_line(h, line, &word, flags, out, why);
    buf_free(&word);
    return ok;
}
