/* acl.c - ACL of a server with one user, who may do everything: what there is of him is told as a real server tells
 * it, and there can be no other. Facts: the real servers (tests/conformance/session_cases.h). */
#include <inttypes.h>

#include "redis/collection.h"
#include "redis/server.h"

static const char *const categories[] = {
    "keyspace", "read", "write", "set", "sortedset", "list", "hash", "string", "bitmap", "hyperloglog", "geo", "stream",
    "pubsub", "admin", "fast", "slow", "blocking", "dangerous", "connection", "transaction", "scripting",
};

static reply bad_subcommand(const call *c)
{
    return reply_error(arena_printf(c->out, "ERR unknown subcommand or wrong number of arguments for '%.*s'. Try "
                                            "ACL HELP.",
                                    STR_ARG(c->argv[1])));
}

static reply texts(const call *c, reply_kind kind, const char *const *names, size_t n)
{
    reply all = reply_items(c->out, kind, n);
    for (size_t i = 0; i < n; i++)
        all.items[i] = reply_bulk(str_from(names[i]));
    return all;
}

/* Between these versions every payload is checked, and the user's description says so. */
static bool says_sanitize(dialect d)
{
    static const dialect_since from = SINCE(7, 2, 0, 0), to = VALKEY_ONLY(9, 1);
    return dialect_has(d, from) && !dialect_has(d, to);
}

static reply cmd_whoami(const call *c)
{
    (void)c;
    return reply_bulk(S("default"));
}

static reply cmd_users(const call *c) { return texts(c, REPLY_ARRAY, (const char *const[]){ "default" }, 1); }

static reply cmd_list(const call *c)
{
    const char *line = says_sanitize(c->server->dialect) ? "user default on nopass sanitize-payload ~* &* +@all"
                                                         : "user default on nopass ~* &* +@all";
    return texts(c, REPLY_ARRAY, &line, 1);
}

static void append(reply *all, reply item) { all->items[all->count++] = item; }

static reply cmd_getuser(const call *c)
{
    static const char *const flags[] = { "on", "nopass", "sanitize-payload" };
    static const dialect_since has_databases = VALKEY_ONLY(9, 1);
    if (!str_eq(c->argv[2], S("default")))
        return reply_nil();
    reply all = reply_items(c->out, REPLY_MAP, 14);
    all.count = 0;
    append(&all, reply_bulk(S("flags")));
    append(&all, texts(c, REPLY_SET, flags, says_sanitize(c->server->dialect) ? 3 : 2));
    append(&all, reply_bulk(S("passwords")));
    append(&all, reply_items(c->out, REPLY_ARRAY, 0));
    const char *const rest[] = { "commands", "+@all", "keys", "~*", "channels", "&*", "databases", "alldbs" };
    size_t most = dialect_has(c->server->dialect, has_databases) ? COUNT(rest) : COUNT(rest) - 2;
    for (size_t i = 0; i < most; i++)
        append(&all, reply_bulk(str_from(rest[i])));
    append(&all, reply_bulk(S("selectors")));
    append(&all, reply_items(c->out, REPLY_ARRAY, 0));
    return all;
}

/* CAT [category]; of the commands in one those that locksim does. */
static reply cmd_cat(const call *c)
{
    if (c->argc > 3)
        return bad_subcommand(c);
    if (c->argc == 2)
        return texts(c, REPLY_ARRAY, categories, COUNT(categories));
    for (size_t i = 0; i < COUNT(categories); i++)
        if (str_eq_nocase(c->argv[2], str_from(categories[i])))
            return command_names_in(c, c->argv[2]);
    reply r = reply_error_about(c, "ERR Unknown category '", c->argv[2]);
    return reply_error(arena_printf(c->out, "%.*s'", STR_ARG(r.text)));
}

/* GENPASS [bits], drawn from the server's seed. */
static reply cmd_genpass(const call *c)
{
    enum { BITS_MAX = 4096, BITS_OF_A_DIGIT = 4 };
    int64_t bits = 256;
    char digits[BITS_MAX / BITS_OF_A_DIGIT];
    if (c->argc > 3)
        return bad_subcommand(c);
    if (c->argc == 3 && !parse_int(c->argv[2], &bits))
        return reply_not_integer();
    if (bits < 1 || bits > BITS_MAX)
        return reply_error(S("ERR ACL GENPASS argument must be the number of bits for the output password, a positive "
                             "number up to 4096"));
    size_t n = (size_t)(bits + BITS_OF_A_DIGIT - 1) / BITS_OF_A_DIGIT;
    for (size_t i = 0; i < n; i++)
        digits[i] = "0123456789abcdef"[server_random_below(c->server, 16)];
    return reply_bulk(arena_str(c->out, (str){ digits, n }));
}

static reply cmd_deluser(const call *c)
{
    for (size_t i = 2; i < c->argc; i++)
        if (str_eq(c->argv[i], S("default")))
            return reply_error(S("ERR The 'default' user cannot be removed"));
    return reply_integer(0);
}

/* DRYRUN user command ...: who may do everything may do this, if there is such a command. */
static reply cmd_dryrun(const call *c)
{
    reply why, unknown;
    if (!str_eq(c->argv[2], S("default"))) {
        unknown = reply_error_about(c, "ERR User '", c->argv[2]);
        return reply_error(arena_printf(c->out, "%.*s' not found", STR_ARG(unknown.text)));
    }
    const command *cmd = server_lookup(c->server, c->argv + 3, c->argc - 3, c->out, &why);
    if (!cmd) {
        unknown = reply_error_about(c, "ERR Command '", c->argv[3]);
        return reply_error(arena_printf(c->out, "%.*s' not found", STR_ARG(unknown.text)));
    }
    return command_arity_ok(cmd, c->argc - 3) ? reply_ok() : reply_bad_arity(c, cmd->name);
}

static reply cmd_no_file(const call *c)
{
    if (c->server->dialect.lineage == LINEAGE_VALKEY)
        return reply_error(S("ERR This instance is not configured to use an ACL file. You may want to specify users "
                             "via the "
                             "ACL SETUSER command and then issue a CONFIG REWRITE (assuming you have a "
                             "configuration file "
                             "set) in order to store users in the configuration."));
    return reply_error(S("ERR This Redis instance is not configured to use an ACL file. You may want to specify "
                         "users via "
                         "the ACL SETUSER command and then issue a CONFIG REWRITE (assuming you have a Redis "
                         "configuration file set) in order to store users in the Redis configuration."));
}

const command commands_acl[] = {
    { .name = "acl", -2, CMD_CONTAINER, 0, 0, 0, NULL },
    { .name = "acl|whoami", 2, CMD_NOSCRIPT, 0, 0, 0, cmd_whoami },
    { .name = "acl|users", 2, CMD_NOSCRIPT, 0, 0, 0, cmd_users },
    { .name = "acl|list", 2, CMD_HOSTED | CMD_NOSCRIPT, 0, 0, 0, cmd_list },
    { .name = "acl|getuser", 3, CMD_HOSTED | CMD_NOSCRIPT, 0, 0, 0, cmd_getuser },
    { .name = "acl|cat", -2, CMD_HOSTED | CMD_NOSCRIPT, 0, 0, 0, cmd_cat },
    { .name = "acl|genpass", -2, CMD_HOSTED | CMD_NOSCRIPT, 0, 0, 0, cmd_genpass },
    { .name = "acl|deluser", -3, CMD_HOSTED | CMD_NOSCRIPT, 0, 0, 0, cmd_deluser },
    { .name = "acl|dryrun", -4, CMD_HOSTED | CMD_NOSCRIPT, 0, 0, 0, cmd_dryrun },
    { .name = "acl|save", 2, CMD_HOSTED | CMD_NOSCRIPT, 0, 0, 0, cmd_no_file },
    { .name = "acl|load", 2, CMD_HOSTED | CMD_NOSCRIPT, 0, 0, 0, cmd_no_file },
    { .name = NULL },
};
