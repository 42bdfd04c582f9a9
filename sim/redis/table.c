/* table.c - the command table: every row of every family, found by name in a few nanoseconds; and the replies they
 * share. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <threads.h>

#include "redis/command.h"
#include "redis/dict.h"
#include "redis/server.h"

enum { SLOTS = 2048, NAME_MAX_BYTES = 32 };        /* about 400 rows: sparse enough that most names are found at once */

static const command *const families[] = {
    commands_generic, commands_expire, commands_string, commands_hash, commands_field, commands_list, commands_set,
    commands_zset, commands_pubsub, commands_multi, commands_script, commands_bit, commands_bitop, commands_bitfield,
    commands_pops, commands_blocking, commands_lcs, commands_databases, commands_sort, commands_object, commands_help,
    commands_help_server,
    commands_cluster, commands_self, commands_acl, commands_disk, commands_dump, commands_memory,
    commands_slowlog, commands_refused, commands_stream,
    commands_stream_read, commands_stream_info, commands_stream_group, commands_stream_claim, commands_hyperloglog,
    commands_geo,
    commands_client, commands_pause, commands_admin, commands_debug, commands_monitor, commands_tracking,
    commands_info, commands_config,
    commands_command,
};

/* Written once, before the first look-up ends; the same in every run. */
static struct {
    const command *row;
    size_t name_n;
} slots[SLOTS];
static once_flag slots_once = ONCE_FLAG_INIT;

static size_t slot_of(const char *lower, size_t n)
{
    return XXH3_64bits(lower, n) % SLOTS;
}

bool command_lives(const command *row, dialect d)
{
    bool gone = row->until.redis || row->until.valkey ? dialect_has(d, row->until) : false;
    return dialect_has(d, row->since) && !gone;
}

bool command_in_scripts(const command *row, dialect d)
{
    bool later = row->scripts.redis || row->scripts.valkey;
    return !(row->flags & CMD_NOSCRIPT) || (later && dialect_has(d, row->scripts));
}

/* Rows of one name, of different versions, stand in a row of slots. */
static void slots_fill(void)
{
    size_t rows = 0;
    for (size_t f = 0; f < COUNT(families); f++) {
        for (const command *row = families[f]; row->name; row++) {
            size_t n = strlen(row->name), i = slot_of(row->name, n);
            rows++;
            assert(n <= NAME_MAX_BYTES);
            assert(rows < SLOTS / 2);
            while (slots[i].row)
                i = (i + 1) % SLOTS;
            slots[i].row = row;
            slots[i].name_n = n;
        }
    }
}

/* The first row of this name that `d` has (NULL: any) and that may be hosted only if asked for. */
static const command *find(const dialect *d, bool hosted, str name)
{
    call_once(&slots_once, slots_fill);
    char lower[NAME_MAX_BYTES];
    if (name.n == 0 || name.n > sizeof lower)
        return NULL;
    for (size_t i = 0; i < name.n; i++) {
        char c = name.p[i];
        lower[i] = c >= 'A' && c <= 'Z' ? (char)(c + ('a' - 'A')) : c;
    }
    for (size_t i = slot_of(lower, name.n); slots[i].row; i = (i + 1) % SLOTS) {
        const command *row = slots[i].row;
        if (slots[i].name_n == name.n && memcmp(row->name, lower, name.n) == 0 && (!d || command_lives(row, *d)) &&
            (hosted || !(row->flags & CMD_HOSTED)))
            return row;
    }
    return NULL;
}

const command *command_find_hosted(dialect d, str name) { return find(&d, true, name); }
const command *command_find(dialect d, str name) { return find(&d, false, name); }
const command *command_find_any(str name) { return find(NULL, false, name); }

bool command_is_refused(const command *row)
{
    for (const command *r = commands_refused; r->name; r++) {
        if (r == row)
            return true;
    }
    return false;
}

void command_each(dialect d, void (*fn)(void *context, const command *row), void *context)
{
    for (size_t f = 0; f < COUNT(families); f++)
        for (const command *row = families[f]; row->name; row++)
            if (command_lives(row, d) && !command_is_refused(row))
                fn(context, row);
}

bool command_while_busy(const command *row, dialect d)
{
    return row->flags & CMD_ALLOW_BUSY || (row->flags & CMD_TALK && dialect_follows(d, RULE_TALKS_WHILE_BUSY));
}

bool command_arity_ok(const command *cmd, size_t argc)
{
    return cmd->arity < 0 ? argc >= (size_t)-cmd->arity : argc == (size_t)cmd->arity;
}

bool redis_command_writes(str name)
{
    const command *cmd = command_find_any(name);
    return cmd && (cmd->flags & (CMD_WRITE | CMD_RUNS_OTHERS));
}

bool redis_command_only_looks(str name)
{
    const command *cmd = command_find_any(name);
    return !cmd || !(cmd->flags & (CMD_WRITE | CMD_RUNS_OTHERS | CMD_WAITS));
}

bool redis_command_runs_scripts(str name)
{
    const command *cmd = command_find_any(name);
    return cmd && (cmd->flags & CMD_RUNS_OTHERS || strcmp(cmd->name, "eval_ro") == 0 ||
                   strcmp(cmd->name, "evalsha_ro") == 0 || strcmp(cmd->name, "fcall_ro") == 0);
}

bool redis_command_needs_memory(str name)
{
    const command *cmd = command_find_any(name);
    return cmd && (cmd->flags & (CMD_DENYOOM | CMD_RUNS_OTHERS));
}

/* ---- shared replies ---- */

reply reply_wrongtype(void)
{
    return reply_error(S("WRONGTYPE Operation against a key holding the wrong kind of value"));
}

reply reply_not_integer(void) { return reply_error(S("ERR value is not an integer or out of range")); }
reply reply_not_float(void) { return reply_error(S("ERR value is not a valid float")); }
reply reply_syntax(void) { return reply_error(S("ERR syntax error")); }
reply reply_not_positive(void) { return reply_error(S("ERR value is out of range, must be positive")); }
reply reply_overflow(void) { return reply_error(S("ERR increment or decrement would overflow")); }
reply reply_no_such_key(void) { return reply_error(S("ERR no such key")); }

bool reply_fits(size_t bytes, reply *r)
{
    if (bytes > REPLY_BYTES_MAX)
        *r = reply_error(S("ERR locksim answers with at most 268435456 bytes"));
    return bytes <= REPLY_BYTES_MAX;
}

reply reply_bad_expire(const call *c, const char *name)
{
    return reply_error(arena_printf(c->out, "ERR invalid expire time in '%s' command", name));
}

reply reply_bad_arity(const call *c, const char *name)
{
    return reply_error(arena_printf(c->out, "ERR wrong number of arguments for '%s' command", name));
}

reply reply_error_about(const call *c, const char *text, str word)
{
    word = str_slice(word, 0, str_find(word, '\0', 0));
    while (str_ends(word, S("\r")) || str_ends(word, S("\n")))
        word.n--;
    str all = arena_printf(c->out, "%s%.*s", text, STR_ARG(word));
    for (char *p = (char *)(uintptr_t)all.p; p < all.p + all.n; p++)
        if (*p == '\r' || *p == '\n')
            *p = ' ';
    return reply_error(all);
}

reply reply_error_naming(const call *c, const char *text, str first, str second)
{
    str words[] = { first, second };
    buf all = { 0 };
    for (size_t i = 0; *text; text++) {
        if (*text != '%') {
            buf_byte(&all, *text);
            continue;
        }
        buf_add(&all, str_slice(words[i], 0, str_find(words[i], '\0', 0)));
        i++;
    }
    reply r = reply_error_about(c, "", buf_str(&all));
    buf_free(&all);
    return r;
}

str word_lower(const call *c, str word)
{
    word = arena_str(c->out, word);
    for (char *p = (char *)(uintptr_t)word.p; p < word.p + word.n; p++)
        *p = (char)(*p >= 'A' && *p <= 'Z' ? *p + ('a' - 'A') : *p);
    return word;
}

str score_text(const redis *server, arena *a, double d)
{
    if (!server_follows(server, RULE_SHORT_NUMBERS))
        return reply_double_text(a, d);
    char text[DOUBLE_TEXT_MAX];
    size_t n = double_text_short(d, text);
    return arena_str(a, (str){ .p = text, .n = n });
}

bool parse_score(const call *c, str s, double *d)
{
    bool decimal = server_follows(c->server, RULE_DECIMAL_FLOATS);
    for (size_t i = 0; decimal && i < s.n; i++)
        if (s.p[i] == 'x' || s.p[i] == 'X')
            return false;
    return parse_double(s, d);
}

reply score_reply(const call *c, double d)
{
    reply r = reply_double(d);
    if (server_follows(c->server, RULE_SHORT_NUMBERS))
        r.text = score_text(c->server, c->out, d);
    return r;
}

/* ---- finding a value of the right kind ---- */

bool find_kind(const call *c, str key, value_kind kind, value **v, reply *r)
{
    *v = store_find(c->st, c->db, key);
    if (*v && value_kind_of(*v) != kind) {
        *r = reply_wrongtype();
        return false;
    }
    return true;
}

bool find_or_create(const call *c, str key, value_kind kind, value **v, reply *r)
{
    if (!find_kind(c, key, kind, v, r))
        return false;
    if (!*v) {
        *v = value_new(kind);
        store_put(c->st, c->db, key, *v, false);
    }
    return true;
}
