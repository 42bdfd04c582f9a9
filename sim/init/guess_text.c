/* guess_text.c - see guess_text.h. */
#include "init/guess_text.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

#include "base/lua_tokens.h"
#include "init/template.h"

enum { BEFORE = 8 };                       /* tokens that are looked back at */

typedef struct {
    token at[BEFORE];                      /* at[0]: the last one */
} recent;

static bool was(const recent *r, size_t back, const char *text)
{
    return r->at[back].text.p && token_reads(&r->at[back], text);
}

static size_t index_of_number(const token *t)
{
    size_t n = 0;
    for (size_t i = 0; t->kind == TOKEN_NUMBER && i < t->text.n && n <= GUESS_WORDS_MAX; i++)
        n = n * 10 + (size_t)(t->text.p[i] - '0');
    return n;
}

/* KEYS or ARGV, and the variable that is another name for it; "": there is none. */
typedef struct {
    const char *name;
    str alias;
} list_name;

static bool is_list(const recent *r, size_t back, const list_name *list)
{
    return was(r, back, list->name) || (list->alias.n && r->at[back].text.p && str_eq(r->at[back].text, list->alias));
}

/* "]" closes NAME[n]: n; else 0. */
static size_t index_of(const recent *r, const token *t, const list_name *list)
{
    if (t->kind != TOKEN_SYMBOL || !token_reads(t, "]") || !is_list(r, 2, list) || !was(r, 1, "["))
        return 0;
    return index_of_number(&r->at[0]);
}

/* The roles of variable names; a name is split into its words: "lease_time_ms", "leaseTimeMs". Earlier rows win. */
static guess_role role_of_name(str name)
{
    static const struct { const char *part; guess_role role; } rows[] = {
        { "length", ROLE_OWNER_LENGTH }, { "offset", ROLE_OWNER_LENGTH }, { "len", ROLE_OWNER_LENGTH },
        { "size", ROLE_OWNER_LENGTH },
        { "limit", ROLE_LIMIT }, { "capacity", ROLE_LIMIT }, { "concurren", ROLE_LIMIT },
        { "max", ROLE_LIMIT },
        { "permits", ROLE_COUNT_OF }, { "count", ROLE_COUNT_OF }, { "weight", ROLE_COUNT_OF },
        { "now", ROLE_NOW_MS }, { "current", ROLE_NOW_MS }, { "timestamp", ROLE_NOW_MS },
        { "deadline", ROLE_UNTIL_MS }, { "expires_at", ROLE_UNTIL_MS }, { "expiresat", ROLE_UNTIL_MS },
        { "until", ROLE_UNTIL_MS },
        { "seconds", ROLE_LEASE_S }, { "lease", ROLE_LEASE_MS }, { "ttl", ROLE_LEASE_MS }, { "expir", ROLE_LEASE_MS },
        { "timeout", ROLE_LEASE_MS }, { "duration", ROLE_LEASE_MS }, { "millis", ROLE_LEASE_MS },
        { "channel", ROLE_CHANNEL }, { "message", ROLE_MESSAGE },
        { "token", ROLE_OWNER }, { "owner", ROLE_OWNER }, { "value", ROLE_OWNER }, { "identifier", ROLE_OWNER },
        { "uuid", ROLE_OWNER },
        { "client", ROLE_OWNER }, { "id", ROLE_OWNER },
        { "prefix", ROLE_TEXT }, { "namespace", ROLE_TEXT }, { "name", ROLE_LOCK }, { "resource", ROLE_LOCK },
        { "key", ROLE_LOCK },
    };
    char low[64];
    size_t n = name.n < sizeof low - 1 ? name.n : sizeof low - 1;
    for (size_t i = 0; i < n; i++)
        low[i] = (char)tolower((unsigned char)name.p[i]);
    low[n] = '\0';
    for (size_t i = 0; i < COUNT(rows); i++)
        if (strstr(low, rows[i].part))
            return rows[i].role;
    return ROLE_UNKNOWN;
}

/* local a, b = KEYS[1], tonumber(ARGV[2]): which variable takes which expression. Open until a line ends that no comma
 * ends. */
typedef struct {
    str names[GUESS_WORDS_MAX];
    size_t count, expression;
    int depth, line;
    bool naming, assigning;
} assignment;

static void follow(assignment *a, const token *t, const token *before)
{
    if (token_reads(t, "local")) {
        *a = (assignment){ .naming = true };
    } else if (a->naming && t->kind == TOKEN_NAME && a->count < GUESS_WORDS_MAX) {
        a->names[a->count++] = t->text;
    } else if (a->naming && !token_reads(t, ",")) {
        a->naming = false;
        a->assigning = token_reads(t, "=");
    } else if (a->assigning) {
        bool opens = token_reads(t, "(") || token_reads(t, "{") || token_reads(t, "["),
                     next = token_reads(t, ",") && a->depth == 0;
        a->depth += opens - (token_reads(t, ")") || token_reads(t, "}") || token_reads(t, "]"));
        a->expression += next;
        a->assigning = t->line == before->line || token_reads(before, "=") || token_reads(before, ",") || a->depth > 0;
    }
    a->line = a->naming ? t->line : a->line;
}

/* The variable assigned from the expression that ends in t: NAME[n], or tonumber(NAME[n] within its parentheses; else
 * "". */
static str variable_of(const assignment *a)
{
    return a->assigning && a->depth <= 1 && a->expression < a->count ? a->names[a->expression] : S("");
}

static void add_text(guess_hints *h, size_t n, str quoted)
{
    str text = str_slice(quoted, 1, quoted.n - 1);
    size_t i = 0;
    if (quoted.n < 2 || quoted.p[0] == '[' || text.n == 0 || text.n > 32 || memchr(text.p, '\\', text.n))
        return;
    while (i < GUESS_TEXTS_MAX && h->texts[n][i].n && !str_eq(h->texts[n][i], text))
        i++;
    if (i < GUESS_TEXTS_MAX)
        h->texts[n][i] = text;
}

/* local keys = KEYS: the variable is an alias of the list. t is the token after it, which is not examined yet. */
static void read_alias(const assignment *a, const recent *r, const token *t, list_name *list)
{
    bool whole = was(r, 0, list->name) && !token_reads(t, "[") && (was(r, 1, "=") || was(r, 1, ","));
    if (whole && a->assigning && a->depth == 0 && a->expression < a->count)
        list->alias = a->names[a->expression];
}

/* unpack(KEYS) ends at t: how many variables take its values from the first on; 0: none. */
static size_t unpacked(const assignment *a, const recent *r, const token *t, const list_name *list)
{
    bool ends = token_reads(t, ")") && is_list(r, 0, list) && was(r, 1, "(") && was(r, 2, "unpack");
    return ends && a->assigning && a->depth == 0 && a->expression < a->count ? a->count - a->expression : 0;
}

/* The text without a first line that begins with #!, which is no Lua, but names engine and flags. */
static tokens tokens_of(const guess_script *s)
{
    tokens x = { .text = s->text, .line = 1 };
    if (str_starts(s->text, S("#!")))
        x.at = str_find(s->text, '\n', 0);
    return x;
}

/* It can be compiled, but a string of it is to be filled in. */
static bool refuse_template(const guess_script *s, err *e)
{
    template_mark m = template_in_string(s->text);
    if (m.mark.n == 0)
        return true;
    err_at(e, ERR_SCENARIO, s->path, m.line, m.col, "the script is a template: '%.*s' is no Lua", STR_ARG(m.mark));
    err_quote(e, s->text);
    return err_hint(e, "%s", template_way_out);
}

/* "#!lua name=locks": functions are called by their names, and take no KEYS and ARGV by these words. */
bool guess_is_script(const guess_script *s, err *e)
{
    str first = str_slice(s->text, 0, str_find(s->text, '\n', 0));
    size_t at = 0;
    while (at < first.n && !str_starts_nocase(str_slice(first, at, first.n), S(" name=")))
        at++;
    if (!str_starts(first, S("#!")) || at == first.n)
        return true;
    err_at(e, ERR_SCENARIO, s->path, 1, (int)at + 2,
           "the file is a library of Redis functions, and init tries scripts");
    err_quote(e, s->text);
    return err_hint(e, "a scenario names them: acquire = \"FILE:FUNCTION\" of generic.lock, man locksim-scenario");
}

static bool refuse_packed(const guess_script *s, err *e)
{
    static const struct { const char *module, *function, *what; } packed[] = {
        { "cmsgpack", "unpack", "MessagePack" }, { "struct", "unpack", "packed bytes" },
    };
    tokens x = tokens_of(s);
    recent r = { 0 };
    for (token t; tokens_next(&x, &t) == TOKENS_ONE; ) {
        for (size_t i = 0; i < COUNT(packed); i++)
            if (token_reads(&t, "ARGV") && was(&r, 0, "(") && was(&r, 1, packed[i].function) &&
                was(&r, 3, packed[i].module)) {
                err_at(e, ERR_SCENARIO, s->path, t.line, t.col, "the script takes %s in ARGV: what is in it cannot be "
                       "guessed", packed[i].what);
                err_quote(e, s->text);
                return err_hint(e, "write the scenario by hand: a driver packs it as the client does; man "
                                "locksim-scenario, DRIVERS");
            }
        memmove(&r.at[1], &r.at[0], sizeof r.at - sizeof r.at[0]);
        r.at[0] = t;
    }
    return true;
}

/* The ARGV, from 1, that the variable took; 0: none. */
static size_t taken_by(const str *variables, const token *t)
{
    for (size_t i = 0; i < GUESS_WORDS_MAX && t->kind == TOKEN_NAME; i++)
        if (variables[i].n && str_eq(variables[i], t->text))
            return i + 1;
    return 0;
}

/* Is ARGV taken as a whole, by a computed index, or counted? #ARGV, unpack(ARGV), ARGV[i]. t is the token after it. */
static bool takes_all(const recent *r, const token *t)
{
    bool indexed = token_reads(t, "["), by_number = was(r, 0, "[") && was(r, 1, "ARGV") && t->kind == TOKEN_NUMBER;
    return (was(r, 0, "ARGV") && !indexed) || (was(r, 0, "[") && was(r, 1, "ARGV") && !by_number) ||
           (was(r, 1, "ARGV") && was(r, 2, "#"));
}

static void read_name(guess_hints *h, str variables[GUESS_WORDS_MAX], size_t arg, str variable)
{
    h->read[arg - 1] = true;
    if (variable.n && variables[arg - 1].n == 0)
        variables[arg - 1] = variable;
    if (h->named[arg - 1] == ROLE_UNKNOWN)
        h->named[arg - 1] = role_of_name(variable);
}

/* local token, ttl = unpack(ARGV): each variable takes one. */
static void read_unpacked(guess_script *s, guess_hints *h, str variables[GUESS_WORDS_MAX], const assignment *now,
                          size_t n)
{
    s->args_n = n > s->args_n ? n : s->args_n;
    for (size_t i = 0; i < n && i < GUESS_WORDS_MAX; i++)
        read_name(h, variables, i + 1, now->names[now->expression + i]);
}

static void read_tokens(guess_script *s, guess_hints *h)
{
    tokens x = tokens_of(s);
    recent r = { 0 };
    str variables[GUESS_WORDS_MAX] = { { 0 } };
    assignment now = { 0 };
    list_name keys = { .name = "KEYS" }, args = { .name = "ARGV" };
    size_t compared = 0;                   /* the ARGV that an == or ~= follows */
    for (token t; tokens_next(&x, &t) == TOKENS_ONE; ) {
        read_alias(&now, &r, &t, &keys);
        read_alias(&now, &r, &t, &args);
        follow(&now, &t, &r.at[0]);
        h->any_args = h->any_args || takes_all(&r, &t);
        size_t key = index_of(&r, &t, &keys), arg = index_of(&r, &t, &args);
        s->keys_n = key > s->keys_n ? key : s->keys_n;
        s->args_n = arg > s->args_n ? arg : s->args_n;
        size_t spread = unpacked(&now, &r, &t, &keys);
        bool indexed = token_reads(&t, "["), named = keys.alias.n && (was(&r, 1, "=") || was(&r, 1, ","));
        s->any_keys = s->any_keys || (is_list(&r, 0, &keys) && !indexed && !spread && !named);
        s->keys_n = spread > s->keys_n ? spread : s->keys_n;
        read_unpacked(s, h, variables, &now, unpacked(&now, &r, &t, &args));
        if (arg && arg <= GUESS_WORDS_MAX) {
            str variable = variable_of(&now);
            if (was(&r, 3, "(") && was(&r, 4, "decode"))
                h->json[arg - 1] = variable.n ? variable : S("(decode)");
            read_name(h, variables, arg, variable);
            if ((was(&r, 3, "==") || was(&r, 3, "~=")) && r.at[4].kind == TOKEN_STRING)
                add_text(h, arg - 1, r.at[4].text);
        }
        if (compared && t.kind == TOKEN_STRING && (was(&r, 0, "==") || was(&r, 0, "~=")))
            add_text(h, compared - 1, t.text);
        bool op = token_reads(&t, "==") || token_reads(&t, "~=");
        compared = op ? compared : arg && arg <= GUESS_WORDS_MAX ? arg : taken_by(variables, &t);
        memmove(&r.at[1], &r.at[0], sizeof r.at - sizeof r.at[0]);
        r.at[0] = t;
    }
    if (s->any_keys && s->keys_n == 0)
        s->keys_n = 1;
    for (size_t i = 0; i < s->args_n && i < GUESS_WORDS_MAX; i++)
        s->args[i].called = variables[i];
    s->slots_n = s->args_n;
}

/* ---- JSON ---- */

/* The slot of the object's field, which is made where it is new; SIZE_MAX: there is no room for it. */
static size_t field_slot(guess_script *s, guess_hints *h, size_t in, str field)
{
    for (size_t i = s->args_n; i < s->slots_n; i++)
        if (s->args[i].in == in && str_eq(s->args[i].field, field))
            return i;
    if (s->slots_n == GUESS_WORDS_MAX)
        return SIZE_MAX;
    s->args[s->slots_n] = (guess_arg){ .field = field, .in = in };
    h->named[s->slots_n] = role_of_name(field);
    return s->slots_n++;
}

/* The ARGV, from 1, whose object the tokens before t index: `name.`, `name[`, `decode(ARGV[2]).`; 0: none. */
static size_t object_of(const guess_script *s, const guess_hints *h, const recent *r)
{
    if (!was(r, 0, ".") && !was(r, 0, "["))
        return 0;
    for (size_t i = 0; i < s->args_n; i++) {
        bool direct = was(r, 1, ")") && was(r, 2, "]") && was(r, 4, "[") && was(r, 5, "ARGV") && was(r, 7, "decode");
        if (h->json[i].n && (direct ? index_of_number(&r->at[3]) == i + 1
                                    : r->at[1].kind == TOKEN_NAME && str_eq(r->at[1].text, h->json[i])))
            return i + 1;
    }
    return 0;
}

/* Fields of JSON objects become slots; false: an object has none that the text names. */
static bool read_fields(guess_script *s, guess_hints *h, err *e)
{
    tokens x = tokens_of(s);
    recent r = { 0 };
    size_t compared = SIZE_MAX;
    for (token t; tokens_next(&x, &t) == TOKENS_ONE; ) {
        size_t in = object_of(s, h, &r), slot = SIZE_MAX;
        if (in && t.kind == TOKEN_NAME)
            slot = field_slot(s, h, in - 1, t.text);
        else if (in && t.kind == TOKEN_STRING && was(&r, 0, "["))
            slot = field_slot(s, h, in - 1, str_slice(t.text, 1, t.text.n - 1));
        if (compared != SIZE_MAX && t.kind == TOKEN_STRING && (was(&r, 0, "==") || was(&r, 0, "~=")))
            add_text(h, compared, t.text);
        bool goes_on = token_reads(&t, "==") || token_reads(&t, "~=") || token_reads(&t, "]");
        compared = slot != SIZE_MAX ? slot : goes_on ? compared : SIZE_MAX;
        memmove(&r.at[1], &r.at[0], sizeof r.at - sizeof r.at[0]);
        r.at[0] = t;
    }
    for (size_t i = 0; i < s->args_n; i++) {
        size_t fields = 0;
        for (size_t k = s->args_n; k < s->slots_n; k++)
            fields += s->args[k].in == i;
        if (h->json[i].n && fields == 0) {
            err_at(e, ERR_SCENARIO, s->path, 1, 0, "the script takes JSON in ARGV[%zu], and its text names no field of "
                   "it: what is in it cannot be guessed", i + 1);
            return err_hint(e, "write the table by hand: args may hold a text such as '{\"ttl\":$lease_ms}'; "
                            "man locksim-scenario, LOCKS FROM A TABLE");
        }
        s->args[i].role = h->json[i].n ? ROLE_JSON : h->read[i] || h->any_args ? ROLE_UNKNOWN : ROLE_UNUSED;
    }
    return true;
}

/* ---- a command ---- */

/* "SET $lock $owner NX PX $lease_ms": the meaning of its words is given, nothing is tried. */
static bool read_command(guess_script *s, err *e)
{
    static const struct { const char *word; guess_role role; } rows[] = {
        { "$lock", ROLE_LOCK }, { "$owner", ROLE_OWNER }, { "$token", ROLE_OWNER }, { "$#owner", ROLE_OWNER_LENGTH },
        { "$lease_ms", ROLE_LEASE_MS }, { "$lease_s", ROLE_LEASE_S }, { "$now_ms", ROLE_NOW_MS },
        { "$now_s", ROLE_NOW_S }, { "$until_ms", ROLE_UNTIL_MS }, { "$until_s", ROLE_UNTIL_S },
        { "$limit", ROLE_LIMIT }, { "$channel", ROLE_CHANNEL },
    };
    bool lock = false;
    for (size_t k = 0; k < s->words_n; k++) {
        str word = s->words[k];
        if (s->args_n == GUESS_WORDS_MAX)
            return err_at(e, ERR_USAGE, s->path, 0, 0, "the command has more than %d words", GUESS_WORDS_MAX);
        guess_arg arg = { .role = ROLE_TEXT, .text = word };
        for (size_t i = 0; i < COUNT(rows); i++)
            if (str_eq(word, str_from(rows[i].word)))
                arg.role = rows[i].role;
        if (arg.role == ROLE_TEXT && str_starts(word, S("$"))) {
            err_at(e, ERR_USAGE, s->path, 0, 0, "nothing is called %.*s", STR_ARG(word));
            return err_hint(e, "words: $lock $owner $token $#owner $lease_ms $lease_s $now_ms $now_s $until_ms "
                            "$until_s $limit $channel");
        }
        lock = lock || arg.role == ROLE_LOCK;
        s->token = s->token || str_eq(word, S("$token"));
        s->args[s->args_n++] = arg;
    }
    s->slots_n = s->args_n;
    if (lock)
        return true;
    err_at(e, ERR_USAGE, s->path, 0, 0, "this is no file, and a command without $lock takes no lock");
    return err_hint(e, "a command names the lock and its owner: 'SET $lock $owner NX PX $lease_ms'");
}

bool guess_read(guess_script *s, guess_hints *h, err *e)
{
    *h = (guess_hints){ 0 };
    s->args_n = s->slots_n = 0;
    if (s->command)
        return read_command(s, e);
    if (!refuse_template(s, e) || !refuse_packed(s, e))
        return false;
    read_tokens(s, h);
    if (s->keys_n == 0 && s->args_n == 0) {
        template_mark m = template_in(s->text);
        err_at(e, ERR_SCENARIO, s->path, m.mark.n ? m.line : 1, m.mark.n ? m.col : 0,
               "the script names no KEYS and no ARGV: where is its lock?");
        if (m.mark.n) {
            err_quote(e, s->text);
            return err_hint(e, "'%.*s' is a template's, it seems: %s", STR_ARG(m.mark), template_way_out);
        }
        return err_hint(e, "keys belong into KEYS, so that a cluster can find them; else write the scenario by hand: "
                        "man locksim-scenario");
    }
    if (s->keys_n > GUESS_WORDS_MAX || s->args_n > GUESS_WORDS_MAX) {
        err_at(e, ERR_SCENARIO, s->path, 1, 0, "the script takes more than %d KEYS or ARGV: too many to guess",
               GUESS_WORDS_MAX);
        return err_hint(e, "write the scenario by hand: man locksim-scenario");
    }
    return read_fields(s, h, e);
}
