/* help.c - the HELP texts of CONFIG, FUNCTION, LATENCY, OBJECT, PUBSUB, SCRIPT, SLOWLOG and XINFO. Facts: the lines
 * list the subcommands, in Redis 7.0's layout. */
#include "redis/help.h"

reply help_reply(const call *c, const char *const *lines, size_t n)
{
    reply r = reply_items(c->out, REPLY_ARRAY, n);
    for (size_t i = 0; i < n; i++)
        r.items[i] = reply_status(str_from(lines[i] ? lines[i] : server_say(c->server, WORDS_HELP)));
    return r;
}

static reply help_of_object(const call *c)
{
    static const char *const lines[] = {
        "OBJECT <subcommand> [<arg> [value] [opt] ...]. Subcommands are:",
        "ENCODING <key>",
        "    Return the kind of internal representation used in order to store the value",
        "    associated with a <key>.",
        "FREQ <key>",
        "    Return the access frequency index of the <key>. The returned integer is",
        "    proportional to the logarithm of the recent access frequency of the key.",
        "IDLETIME <key>",
        "    Return the idle time of the <key>, that is the approximated number of",
        "    seconds elapsed since the last access to the key.",
        "REFCOUNT <key>",
        "    Return the number of references of the value associated with the specified",
        "    <key>.",
        "HELP",
        NULL,
    };
    return help_reply(c, lines, COUNT(lines));
}

static reply help_of_pubsub(const call *c)
{
    static const char *const lines[] = {
        "PUBSUB <subcommand> [<arg> [value] [opt] ...]. Subcommands are:",
        "CHANNELS [<pattern>]",
        "    Return the currently active channels matching a <pattern> (default: '*').",
        "NUMPAT",
        "    Return number of subscriptions to patterns.",
        "NUMSUB [<channel> ...]",
        "    Return the number of subscribers for the specified channels, excluding",
        "    pattern subscriptions(default: no channels).",
        "SHARDCHANNELS [<pattern>]",
        "    Return the currently active shard level channels matching a <pattern> (default: '*').",
        "SHARDNUMSUB [<shardchannel> ...]",
        "    Return the number of subscribers for the specified shard level channel(s)",
        "HELP",
        NULL,
    };
    return help_reply(c, lines, COUNT(lines));
}

static reply help_of_script(const call *c)
{
    const dialect d = c->server->dialect;
    bool engines = d.lineage == LINEAGE_VALKEY && d.version >= 901,
                   shows = d.lineage == LINEAGE_VALKEY && d.version >= 800;
    const struct { bool said; const char *line; } all[] = {
        { true, "SCRIPT <subcommand> [<arg> [value] [opt] ...]. Subcommands are:" },
        { !engines, "DEBUG (YES|SYNC|NO)" },
        { !engines, "    Set the debug mode for subsequent scripts executed." },
        { engines, "DEBUG (YES|SYNC|NO) [<engine_name>]" },
        { engines, "    Set the debug mode for subsequent scripts executed of the specified engine." },
        { engines, "    Default engine name: 'lua'" },
        { true, "EXISTS <sha1> [<sha1> ...]" },
        { true, "    Return information about the existence of the scripts in the script cache." },
        { true, "FLUSH [ASYNC|SYNC]" },
        { true, "    Flush the Lua scripts cache. Very dangerous on replicas." },
        { true, server_say(c->server, WORDS_FLUSH_HELP_1) },
        { true, server_say(c->server, WORDS_FLUSH_HELP_2) },
        { true, "    * ASYNC: Asynchronously flush the scripts cache." },
        { true, "    * SYNC: Synchronously flush the scripts cache." },
        { true, "KILL" },
        { true, "    Kill the currently executing Lua script." },
        { true, "LOAD <script>" },
        { true, "    Load a script into the scripts cache without executing it." },
        { shows, "SHOW <sha1>" },
        { shows, "    Show a script from the scripts cache." },
        { true, "HELP" },
        { true, NULL },
    };
    const char *lines[COUNT(all)];
    size_t n = 0;
    for (size_t i = 0; i < COUNT(all); i++)
        if (all[i].said)
            lines[n++] = all[i].line;
    return help_reply(c, lines, n);
}

/* Ours: no Redis has CLOCK. */
static reply help_of_function(const call *c)
{
    bool described = !dialect_has(c->server->dialect, (dialect_since)SINCE(7, 2, 0, 0));
    const struct { bool said; const char *line; } all[] = {
        { true, "FUNCTION <subcommand> [<arg> [value] [opt] ...]. Subcommands are:" },
        { true, "LOAD [REPLACE] <FUNCTION CODE>" },
        { true, "    Create a new library with the given library name and code." },
        { true, "DELETE <LIBRARY NAME>" },
        { true, "    Delete the given library." },
        { true, "LIST [LIBRARYNAME PATTERN] [WITHCODE]" },
        { true, "    Return general information on all the libraries:" },
        { true, "    * Library name" },
        { true, "    * The engine used to run the Library" },
        { described, "    * Library description" },
        { true, "    * Functions list" },
        { true, "    * Library code (if WITHCODE is given)" },
        { true, "    It also possible to get only function that matches a pattern using LIBRARYNAME argument." },
        { true, "STATS" },
        { true, "    Return information about the current function running:" },
        { true, "    * Function name" },
        { true, "    * Command used to run the function" },
        { true, "    * Duration in MS that the function is running" },
        { true, "    If no function is running, return nil" },
        { true, "    In addition, returns a list of available engines." },
        { true, "KILL" },
        { true, "    Kill the current running function." },
        { true, "FLUSH [ASYNC|SYNC]" },
        { true, "    Delete all the libraries." },
        { true, "    When called without the optional mode argument, the behavior is determined by the" },
        { true, "    lazyfree-lazy-user-flush configuration directive. Valid modes are:" },
        { true, "    * ASYNC: Asynchronously flush the libraries." },
        { true, "    * SYNC: Synchronously flush the libraries." },
        { true, "DUMP" },
        { true, ("    Return a serialized payload representing the current libraries, can be "
                  "restored using FUNCTION RESTORE command") },
        { true, "RESTORE <PAYLOAD> [FLUSH|APPEND|REPLACE]" },
        { true, ("    Restore the libraries represented by the given payload, it is possible to "
                  "give a restore policy to") },
        { true, "    control how to handle existing libraries (default APPEND):" },
        { true, "    * FLUSH: delete all existing libraries." },
        { true, "    * APPEND: appends the restored libraries to the existing libraries. On collision, abort." },
        { true, ("    * REPLACE: appends the restored libraries to the existing libraries, On "
                  "collision, replace the old") },
        { true, ("      libraries with the new libraries (notice that even on this option there "
                  "is a chance of failure") },
        { true, "      in case of functions name collision with another library)." },
        { true, "HELP" },
        { true, NULL },
    };
    const char *lines[COUNT(all)];
    size_t n = 0;
    for (size_t i = 0; i < COUNT(all); i++)
        if (all[i].said)
            lines[n++] = all[i].line;
    return help_reply(c, lines, n);
}

static reply help_of_xgroup(const call *c)
{
    static const char *const lines[] = {
        "XGROUP <subcommand> [<arg> [value] [opt] ...]. Subcommands are:",
        "CREATE <key> <groupname> <id|$> [option]",
        "    Create a new consumer group. Options are:",
        "    * MKSTREAM",
        "      Create the empty stream if it does not exist.",
        "    * ENTRIESREAD entries_read",
        "      Set the group's entries_read counter (internal use).",
        "CREATECONSUMER <key> <groupname> <consumer>",
        "    Create a new consumer in the specified group.",
        "DELCONSUMER <key> <groupname> <consumer>",
        "    Remove the specified consumer.",
        "DESTROY <key> <groupname>",
        "    Remove the specified group.",
        "SETID <key> <groupname> <id|$> [ENTRIESREAD entries_read]",
        "    Set the current group ID and entries_read counter.",
        "HELP",
        NULL,
    };
    return help_reply(c, lines, COUNT(lines));
}

static reply help_of_xinfo(const call *c)
{
    static const char *const lines[] = {
        "XINFO <subcommand> [<arg> [value] [opt] ...]. Subcommands are:",
        "CONSUMERS <key> <groupname>",
        "    Show consumers of <groupname>.",
        "GROUPS <key>",
        "    Show the stream consumer groups.",
        "STREAM <key> [FULL [COUNT <count>]",
        "    Show information about the stream.",
        "HELP",
        NULL,
    };
    return help_reply(c, lines, COUNT(lines));
}

static reply help_of_config(const call *c)
{
    static const char *const lines[] = {
        "CONFIG <subcommand> [<arg> [value] [opt] ...]. Subcommands are:",
        "GET <pattern>",
        "    Return parameters matching the glob-like <pattern> and their values.",
        "SET <directive> <value>",
        "    Set the configuration <directive> to <value>.",
        "RESETSTAT",
        "    Reset statistics reported by the INFO command.",
        "REWRITE",
        "    Rewrite the configuration file.",
        "HELP",
        NULL,
    };
    return help_reply(c, lines, COUNT(lines));
}

static reply help_of_latency(const call *c)
{
    static const char *const lines[] = {
        "LATENCY <subcommand> [<arg> [value] [opt] ...]. Subcommands are:",
        "DOCTOR",
        "    Return a human readable latency analysis report.",
        "GRAPH <event>",
        "    Return an ASCII latency graph for the <event> class.",
        "HISTORY <event>",
        "    Return time-latency samples for the <event> class.",
        "LATEST",
        "    Return the latest latency samples for all events.",
        "RESET [<event> ...]",
        "    Reset latency data of one or more <event> classes.",
        "    (default: reset all data for all event classes)",
        "HISTOGRAM [COMMAND ...]",
        ("    Return a cumulative distribution of latencies in the format of a histogram for the "
          "specified command names."),
        "    If no commands are specified then all histograms are replied.",
        "HELP",
        NULL,
    };
    return help_reply(c, lines, COUNT(lines));
}

static reply help_of_slowlog(const call *c)
{
    static const char *const lines[] = {
        "SLOWLOG <subcommand> [<arg> [value] [opt] ...]. Subcommands are:",
        "GET [<count>]",
        "    Return top <count> entries from the slowlog (default: 10, -1 mean all).",
        "    Entries are made of:",
        "    id, timestamp, time in microseconds, arguments array, client IP and port,",
        "    client name",
        "LEN",
        "    Return the length of the slowlog.",
        "RESET",
        "    Reset the slowlog.",
        "HELP",
        NULL,
    };
    return help_reply(c, lines, COUNT(lines));
}

static reply help_of_clock(const call *c)
{
    static const char *const lines[] = {
        "CLOCK <subcommand> [<arg>]. Subcommands are:",
        "ADVANCE <milliseconds>",
        "    Move the clock on by so much, and return what it shows then.",
        "GET",
        "    Return what the clock shows, in milliseconds since 1970.",
        "SET <milliseconds>",
        "    Move the clock to that instant, and return what it shows then.",
        "HELP",
        "    Print this help.",
    };
    return help_reply(c, lines, COUNT(lines));
}

const command commands_help[] = {
    { .name = "clock|help", 2, CMD_HOSTED | CMD_NOSCRIPT, 0, 0, 0, help_of_clock },
    { .name = "config|help", 2, 0, 0, 0, 0, help_of_config },
    { .name = "function|help", 2, 0, 0, 0, 0, help_of_function },
    { .name = "latency|help", 2, 0, 0, 0, 0, help_of_latency },
    { .name = "object|help", 2, 0, 0, 0, 0, help_of_object },
    { .name = "pubsub|help", 2, 0, 0, 0, 0, help_of_pubsub },
    { .name = "script|help", 2, 0, 0, 0, 0, help_of_script },
    { .name = "slowlog|help", 2, 0, 0, 0, 0, help_of_slowlog },
    { .name = "xgroup|help", 2, 0, 0, 0, 0, help_of_xgroup },
    { .name = "xinfo|help", 2, 0, 0, 0, 0, help_of_xinfo },
    { .name = NULL },
};
