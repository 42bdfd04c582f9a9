/* help_server.c - the HELP texts of ACL, CLIENT, COMMAND, MEMORY and MODULE: what concerns the server and its clients,
 * not the values. Facts: the lines list the subcommands of each version, in its layout. */
#include "redis/help.h"

/* A line that stands in the text from one version on, and in each lineage until another. */
typedef struct {
    const char *line;
    dialect_since since, until;
} help_line;

#define FROM_7_2 .since = SINCE(7, 2, 0, 0)
#define VALKEY .since = VALKEY_ONLY(8, 0)
#define VALKEY_9 .since = VALKEY_ONLY(9, 1)
#define NO_VALKEY .until = { DIALECT_NEVER, 800 }
#define NO_VALKEY_9 .until = { DIALECT_NEVER, 901 }

static reply lines_of(const call *c, const help_line *lines, size_t n)
{
    const char **said = ARENA_ARRAY(c->out, const char *, n + 2);
    dialect d = c->server->dialect;
    size_t k = 0;
    for (size_t i = 0; i < n; i++) {
        bool gone = (lines[i].until.redis || lines[i].until.valkey) && dialect_has(d, lines[i].until);
        if (dialect_has(d, lines[i].since) && !gone)
            said[k++] = lines[i].line;
    }
    said[k++] = "HELP";
    said[k++] = NULL;
    return help_reply(c, said, k);
}

static reply help_of_acl(const call *c)
{
    static const help_line lines[] = {
        { .line = "ACL <subcommand> [<arg> [value] [opt] ...]. Subcommands are:" },
        { .line = "CAT [<category>]" },
        { .line = "    List all commands that belong to <category>, or all command categories" },
        { .line = "    when no category is specified." },
        { .line = "DELUSER <username> [<username> ...]" },
        { .line = "    Delete a list of users." },
        { .line = "DRYRUN <username> <command> [<arg> ...]" },
        { .line = "    Returns whether the user can execute the given command without executing the command." },
        { .line = "GETUSER <username>" },
        { .line = "    Get the user's details." },
        { .line = "GENPASS [<bits>]" },
        { .line = "    Generate a secure 256-bit user password. The optional `bits` argument can" },
        { .line = "    be used to specify a different size." },
        { .line = "LIST" },
        { .line = "    Show users details in config file format." },
        { .line = "LOAD" },
        { .line = "    Reload users from the ACL file." },
        { .line = "LOG [<count> | RESET]" },
        { .line = "    Show the ACL log entries." },
        { .line = "SAVE" },
        { .line = "    Save the current config to the ACL file." },
        { .line = "SETUSER <username> <attribute> [<attribute> ...]", NO_VALKEY_9 },
        { .line = "    Create or modify a user with the specified attributes.", NO_VALKEY_9 },
        { .line = "SETUSER <username> <rule> [<rule> ...]", VALKEY_9 },
        { .line = "    Create or modify a user with the specified rules.", VALKEY_9 },
        { .line = "USERS" },
        { .line = "    List all the registered usernames." },
        { .line = "WHOAMI" },
        { .line = "    Return the current connection username." },
    };
    return lines_of(c, lines, COUNT(lines));
}

static reply help_of_client(const call *c)
{
    static const help_line lines[] = {
        { .line = "CLIENT <subcommand> [<arg> [value] [opt] ...]. Subcommands are:" },
        { .line = "CACHING (YES|NO)" },
        { .line = "    Enable/disable tracking of the keys for next command in OPTIN/OPTOUT modes." },
        { .line = "CAPA <option> [options...]", VALKEY },
        { .line = "    The client claims its some capability options. Options are:", VALKEY },
        { .line = "    * REDIRECT", VALKEY },
        { .line = "      The client can handle redirection during primary and replica failover in standalone mode.",
          VALKEY },
        { .line = "GETREDIR" },
        { .line = "    Return the client ID we are redirecting to when tracking is enabled." },
        { .line = "GETNAME" },
        { .line = "    Return the name of the current connection." },
        { .line = "ID" },
        { .line = "    Return the ID of the current connection." },
        { .line = "INFO" },
        { .line = "    Return information about the current client connection." },
        { .line = "KILL <ip:port>" },
        { .line = "    Kill connection made from <ip:port>." },
        { .line = "KILL <option> <value> [<option> <value> [...]]" },
        { .line = "    Kill connections. Options are:" },
        { .line = "    * ADDR (<ip:port>|<unixsocket>:0)" },
        { .line = "      Kill connections made from the specified address", NO_VALKEY_9 },
        { .line = "      Kill connections made from the specified address.", VALKEY_9 },
        { .line = "    * LADDR (<ip:port>|<unixsocket>:0)" },
        { .line = "      Kill connections made to specified local address", NO_VALKEY_9 },
        { .line = "      Kill connections made to the specified local address.", VALKEY_9 },
        { .line = "    * TYPE (NORMAL|MASTER|REPLICA|PUBSUB)", NO_VALKEY },
        { .line = "    * TYPE (NORMAL|PRIMARY|REPLICA|PUBSUB)", VALKEY },
        { .line = "      Kill connections by type." },
        { .line = "    * USER <username>" },
        { .line = "      Kill connections authenticated by <username>." },
        { .line = "    * SKIPME (YES|NO)" },
        { .line = "      Skip killing current connection (default: yes)." },
        { .line = "    * ID <client-id>", .since = SINCE(7, 2, 0, 0), NO_VALKEY },
        { .line = "      Kill connections by client id.", .since = SINCE(7, 2, 0, 0), NO_VALKEY },
        { .line = "    * ID <client-id> [<client-id>...]", VALKEY },
        { .line = "      Kill connections by client ids.", .since = VALKEY_ONLY(8, 0), NO_VALKEY_9 },
        { .line = "      Kill connections by client IDs.", VALKEY_9 },
        { .line = "    * MAXAGE <maxage>", FROM_7_2 },
        { .line = "      Kill connections older than the specified age.", FROM_7_2 },
        { .line = "    * FLAGS <flags>", VALKEY_9 },
        { .line = "      Kill connections that include the specified flags.", VALKEY_9 },
        { .line = "    * NAME <client-name>", VALKEY_9 },
        { .line = "      Kill connections with the specified name.", VALKEY_9 },
        { .line = "    * IDLE <idle>", VALKEY_9 },
        { .line = "      Kill connections with idle time greater than or equal to <idle> seconds.", VALKEY_9 },
        { .line = "    * LIB-NAME <library-name>", VALKEY_9 },
        { .line = "      Kill connections with the specified library name.", VALKEY_9 },
        { .line = "    * LIB-VER <library-version>", VALKEY_9 },
        { .line = "      Kill connections with the specified library version.", VALKEY_9 },
        { .line = "    * DB <db-id>", VALKEY_9 },
        { .line = "      Kill connections currently operating on the specified database ID.", VALKEY_9 },
        { .line = "    * CAPA <capa>", VALKEY_9 },
        { .line = "      Kill connections currently with the specified capa.", VALKEY_9 },
        { .line = "    * IP <ip>", VALKEY_9 },
        { .line = "      Kill connections made from the specified ip.", VALKEY_9 },
        { .line = "LIST [options ...]" },
        { .line = "    Return information about client connections. Options:" },
        { .line = "    * TYPE (NORMAL|MASTER|REPLICA|PUBSUB)", NO_VALKEY },
        { .line = "    * TYPE (NORMAL|PRIMARY|REPLICA|PUBSUB)", VALKEY },
        { .line = "      Return clients of specified type." },
        { .line = "    * USER <username>", VALKEY },
        { .line = "      Return clients authenticated by <username>.", VALKEY },
        { .line = "    * ADDR <ip:port>", VALKEY },
        { .line = "      Return clients connected from the specified address.", VALKEY },
        { .line = "    * LADDR <ip:port>", VALKEY },
        { .line = "      Return clients connected to the specified local address.", VALKEY },
        { .line = "    * ID <client-id> [<client-id>...]", VALKEY },
        { .line = "      Return clients with the specified IDs.", VALKEY },
        { .line = "    * SKIPME (YES|NO)", VALKEY },
        { .line = "      Exclude the current client from the list (default: no).", VALKEY },
        { .line = "    * MAXAGE <maxage>", VALKEY },
        { .line = "      List connections older than the specified age.", VALKEY },
        { .line = "    * FLAGS <flags>", VALKEY_9 },
        { .line = "      Return clients with the specified flags.", VALKEY_9 },
        { .line = "    * NAME <client-name>", VALKEY_9 },
        { .line = "      Return clients with the specified name.", VALKEY_9 },
        { .line = "    * IDLE <idle>", VALKEY_9 },
        { .line = "      Return clients with idle time greater than or equal to <idle> seconds.", VALKEY_9 },
        { .line = "    * LIB-NAME <lib-name>", VALKEY_9 },
        { .line = "      Return clients with the specified lib name.", VALKEY_9 },
        { .line = "    * LIB-VER <lib-version>", VALKEY_9 },
        { .line = "      Return clients with the specified lib version.", VALKEY_9 },
        { .line = "    * DB <db-id>", VALKEY_9 },
        { .line = "      Return clients currently operating on the specified database ID.", VALKEY_9 },
        { .line = "    * CAPA <capa>", VALKEY_9 },
        { .line = "      Return connections currently with the specified capa.", VALKEY_9 },
        { .line = "    * IP <ip>", VALKEY_9 },
        { .line = "      Return connections made from the specified ip.", VALKEY_9 },
        { .line = "UNPAUSE" },
        { .line = "    Stop the current client pause, resuming traffic." },
        { .line = "PAUSE <timeout> [WRITE|ALL]" },
        { .line = "    Suspend all, or just write, clients for <timeout> milliseconds." },
        { .line = "REPLY (ON|OFF|SKIP)" },
        { .line = "    Control the replies sent to the current connection." },
        { .line = "SETNAME <name>" },
        { .line = "    Assign the name <name> to the current connection." },
        { .line = "SETINFO <option> <value>", FROM_7_2 },
        { .line = "    Set client meta attr. Options are:", FROM_7_2 },
        { .line = "    * LIB-NAME: the client lib name.", FROM_7_2 },
        { .line = "    * LIB-VER: the client lib version.", FROM_7_2 },
        { .line = "UNBLOCK <clientid> [TIMEOUT|ERROR]" },
        { .line = "    Unblock the specified blocked client." },
        { .line = "TRACKING (ON|OFF) [REDIRECT <id>] [BCAST] [PREFIX <prefix> [...]]" },
        { .line = "         [OPTIN] [OPTOUT] [NOLOOP]" },
        { .line = "    Control server assisted client side caching." },
        { .line = "TRACKINGINFO" },
        { .line = "    Report tracking status for the current connection." },
        { .line = "NO-EVICT (ON|OFF)" },
        { .line = "    Protect current client connection from eviction." },
        { .line = "NO-TOUCH (ON|OFF)", FROM_7_2 },
        { .line = "    Will not touch LRU/LFU stats when this mode is on.", FROM_7_2 },
        { .line = "IMPORT-SOURCE (ON|OFF)", .since = VALKEY_ONLY(8, 1) },
        { .line = "    Mark this connection as an import source if import-mode is enabled.",
          .since = VALKEY_ONLY(8, 1) },
        { .line = "    Sync tools can set their connections into 'import-source' state to visit",
          .since = VALKEY_ONLY(8, 1) },
        { .line = "    expired keys.", .since = VALKEY_ONLY(8, 1) },
    };
    return lines_of(c, lines, COUNT(lines));
}

static reply help_of_command(const call *c)
{
    static const help_line lines[] = {
        { .line = "COMMAND <subcommand> [<arg> [value] [opt] ...]. Subcommands are:" },
        { .line = "(no subcommand)" },
        { .line = "    Return details about all Redis commands.", NO_VALKEY },
        { .line = "    Return details about all commands.", VALKEY },
        { .line = "COUNT" },
        { .line = "    Return the total number of commands in this Redis server.", NO_VALKEY },
        { .line = "    Return the total number of commands in this server.", VALKEY },
        { .line = "LIST" },
        { .line = "    Return a list of all commands in this Redis server.", NO_VALKEY },
        { .line = "    Return a list of all commands in this server.", VALKEY },
        { .line = "INFO [<command-name> ...]" },
        { .line = "    Return details about multiple Redis commands.", NO_VALKEY },
        { .line = "    Return details about multiple commands.", VALKEY },
        { .line = "    If no command names are given, documentation details for all" },
        { .line = "    commands are returned." },
        { .line = "DOCS [<command-name> ...]" },
        { .line = "    Return documentation details about multiple Redis commands.", NO_VALKEY },
        { .line = "    Return documentation details about multiple commands.", VALKEY },
        { .line = "    If no command names are given, documentation details for all" },
        { .line = "    commands are returned." },
        { .line = "GETKEYS <full-command>" },
        { .line = "    Return the keys from a full Redis command.", NO_VALKEY },
        { .line = "    Return the keys from a full command.", VALKEY },
        { .line = "GETKEYSANDFLAGS <full-command>" },
        { .line = "    Return the keys and the access flags from a full Redis command.", NO_VALKEY },
        { .line = "    Return the keys and the access flags from a full command.", VALKEY },
    };
    return lines_of(c, lines, COUNT(lines));
}

static reply help_of_memory(const call *c)
{
    static const help_line lines[] = {
        { .line = "MEMORY <subcommand> [<arg> [value] [opt] ...]. Subcommands are:" },
        { .line = "DOCTOR" },
        { .line = "    Return memory problems reports." },
        { .line = "MALLOC-STATS" },
        { .line = "    Return internal statistics report from the memory allocator." },
        { .line = "PURGE" },
        { .line = "    Attempt to purge dirty pages for reclamation by the allocator." },
        { .line = "STATS" },
        { .line = "    Return information about the memory usage of the server." },
        { .line = "USAGE <key> [SAMPLES <count>]" },
        { .line = "    Return memory in bytes used by <key> and its value. Nested values are" },
        { .line = "    sampled up to <count> times (default: 5, 0 means sample all)." },
    };
    return lines_of(c, lines, COUNT(lines));
}

static reply help_of_module(const call *c)
{
    static const help_line lines[] = {
        { .line = "MODULE <subcommand> [<arg> [value] [opt] ...]. Subcommands are:" },
        { .line = "LIST" },
        { .line = "    Return a list of loaded modules." },
        { .line = "LOAD <path> [<arg> ...]" },
        { .line = "    Load a module library from <path>, passing to it any optional arguments." },
        { .line = "LOADEX <path> [[CONFIG NAME VALUE] [CONFIG NAME VALUE]] [ARGS ...]" },
        { .line = "    Load a module library from <path>, while passing it module "
                   "configurations and optional arguments." },
        { .line = "UNLOAD <name>" },
        { .line = "    Unload a module." },
    };
    return lines_of(c, lines, COUNT(lines));
}

const command commands_help_server[] = {
    { .name = "acl|help", 2, 0, 0, 0, 0, help_of_acl },
    { .name = "client|help", 2, 0, 0, 0, 0, help_of_client },
    { .name = "command|help", 2, 0, 0, 0, 0, help_of_command },
    { .name = "memory|help", 2, 0, 0, 0, 0, help_of_memory },
    { .name = "module|help", 2, 0, 0, 0, 0, help_of_module },
    { .name = NULL },
};
