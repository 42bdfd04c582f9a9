/* dialect.c - the released versions that locksim knows, and the rules that differ between them; see dialect.h. */
#include "redis/dialect.h"

#include <assert.h>

typedef struct {
    dialect d;
    const char *release;           /* the one compared with, or the first */
    bool proved;
} known_version;

#define REDIS(major, minor) { LINEAGE_REDIS, 100 * (major) + (minor), 0 }
#define VALKEY(major, minor) { LINEAGE_VALKEY, 100 * (major) + (minor), 0 }

/* Proved are those that Debian 12, 13 and sid ship. */
static const known_version versions[] = {
    { REDIS(7, 0), "7.0.15", true },
    { REDIS(7, 2), "7.2.0", false },
    { REDIS(7, 4), "7.4.0", false },
    { REDIS(8, 0), "8.0.2", true },
    { REDIS(8, 2), "8.2.0", false },
    { REDIS(8, 4), "8.4.0", false },
    { VALKEY(7, 2), "7.2.5", false },
    { VALKEY(8, 0), "8.0.0", false },
    { VALKEY(8, 1), "8.1.1", true },
    { VALKEY(9, 0), "9.0.0", false },
    { VALKEY(9, 1), "9.1.2", true },
    { VALKEY(9, 2), "9.2.0", false },
};

static const struct { const char *name; lineage lineage; } lineages[] = { { "redis", LINEAGE_REDIS },
                                                                          { "valkey", LINEAGE_VALKEY } };

static const known_version *find(dialect d)
{
    d = dialect_or_default(d);
    for (size_t i = 0; i < COUNT(versions); i++)
        if (dialect_equal(versions[i].d, d))
            return &versions[i];
    return NULL;
}

dialect dialect_or_default(dialect d)
{
    return d.version ? d : versions[0].d;
}

/* Digits from *at on, at most 99; false if there are none. */
static bool take_number(str text, size_t *at, unsigned *n)
{
    size_t from = *at;
    for (*n = 0; *at < text.n && *at - from < 2 && text.p[*at] >= '0' && text.p[*at] <= '9'; (*at)++)
        *n = *n * 10 + (unsigned)(text.p[*at] - '0');
    return *at > from;
}

bool dialect_parse(str text, dialect *d)
{
    size_t at = str_find(text, ' ', 0);
    unsigned major, minor, patch;
    dialect got = { 0 };
    bool named = false;
    for (size_t i = 0; i < COUNT(lineages); i++)
        if (str_eq_nocase(str_slice(text, 0, at), str_from(lineages[i].name))) {
            got.lineage = lineages[i].lineage;
            named = true;
        }
    if (!named || at++ == text.n || !take_number(text, &at, &major) || at == text.n || text.p[at++] != '.' ||
        !take_number(text, &at, &minor))
        return false;
    if (at < text.n) {
        if (text.p[at++] != '.' || !take_number(text, &at, &patch) || at < text.n)
            return false;
        got.patch = (uint8_t)(patch + 1);
    }
    got.version = (uint16_t)(100 * major + minor);
    if (!find(got))
        return false;
    *d = got;
    return true;
}

bool dialect_nth(size_t i, dialect *d)
{
    if (i >= COUNT(versions))
        return false;
    *d = versions[i].d;
    return true;
}

void dialect_tell_names(buf *out)
{
    for (size_t i = 0; i < COUNT(versions); i++) {
        dialect d = versions[i].d;
        buf_printf(out, "%s\"%s %d.%d\"", i ? ", " : "", lineages[d.lineage].name, d.version / 100, d.version % 100);
    }
}

str dialect_name(arena *a, dialect d)
{
    d = dialect_or_default(d);
    str name = arena_printf(a, "%s %d.%d", lineages[d.lineage].name, d.version / 100, d.version % 100);
    return d.patch ? arena_printf(a, "%.*s.%d", STR_ARG(name), d.patch - 1) : name;
}

bool dialect_is_proved(dialect d)
{
    const known_version *v = find(d);
    return v && v->proved;
}

str dialect_release(arena *a, dialect d)
{
    const known_version *v = find(d);
    assert(v);
    return d.patch ? arena_printf(a, "%d.%d.%d", d.version / 100, d.version % 100, d.patch - 1) : str_from(v->release);
}

str dialect_redis_release(arena *a, dialect d)
{
    return d.lineage == LINEAGE_VALKEY ? S("7.2.4") : dialect_release(a, d);
}

/* From which version on each rule holds. */
static const dialect_since rules[RULES] = {
    [RULE_STRICT_CURSOR] = { 702, 0 },
    [RULE_STRICT_BOUNDS] = { 800, 901 },
    [RULE_BITS_ARGUMENTS_FIRST] = { 702, 0 },
    [RULE_LONG_TIMEOUT] = { 702, 0 },
    [RULE_WAITS_RUN_AGAIN] = { 702, 0 },
    [RULE_EMPTY_IS_NOTHING] = { 702, DIALECT_NEVER },
    [RULE_MONITOR_RAW] = { DIALECT_NEVER, 801 },
    [RULE_MONITOR_QUOTED] = { DIALECT_NEVER, 900 },
    [RULE_DECIMAL_FLOATS] = { DIALECT_NEVER, 901 },
    [RULE_BITCOUNT_OPEN_END] = { DIALECT_NEVER, 800 },
    [RULE_KNOWN_TYPES] = { DIALECT_NEVER, 800 },
    [RULE_PAST_SET_DELETES] = { DIALECT_NEVER, 800 },
    [RULE_GETEX_ARGUMENTS_FIRST] = { DIALECT_NEVER, 900 },
    [RULE_ENGINES] = { DIALECT_NEVER, 801 },
    [RULE_NAMED_IN_MULTI] = { DIALECT_NEVER, 900 },
    [RULE_SUBCOMMAND_NAMED] = { DIALECT_NEVER, 900 },
    [RULE_STRICT_CLIENT] = { DIALECT_NEVER, 801 },
    [RULE_NAMES_TO_NUL] = { 702, 0 },
    [RULE_LINES_WITH_NUL] = { DIALECT_NEVER, 801 },
    [RULE_STRICT_CRLF] = { DIALECT_NEVER, 901 },
    [RULE_CUT_BIG_NUMBERS] = { DIALECT_NEVER, 901 },
    [RULE_QUOTES_JOIN] = { DIALECT_NEVER, 901 },
    [RULE_SIZED_ARRAYS] = { DIALECT_NEVER, 801 },
    [RULE_OPPOSITES] = { 702, 0 },
    [RULE_LSET_INT] = { 702, 0 },
    [RULE_TRIM_MUST_CUT] = { DIALECT_NEVER, 901 },
    [RULE_PATTERNS_UNORDERED] = { 800, 800 },
    [RULE_SHORT_NUMBERS] = { 702, 0 },
    [RULE_ANSWER_FIRST] = { 702, 0 },
    [RULE_OS_CLOCK] = { 704, 702 },
    [RULE_SERVER_TABLE] = { DIALECT_NEVER, 702 },
    [RULE_NAMELESS_ERRORS] = { DIALECT_NEVER, 901 },
    [RULE_UNKNOWN_ERRORS] = { DIALECT_NEVER, 901 },
    [RULE_FIELDS_GO_WHEN_SEEN] = { 0, DIALECT_NEVER },
    [RULE_PAST_IS_EXPIRY] = { DIALECT_NEVER, 800 },
    [RULE_QUEUES_WITHOUT_MEMORY] = { 702, 0 },
    [RULE_MEMORY_BEFORE_WRITES] = { DIALECT_NEVER, 901 },
    [RULE_SCAN_NOVALUES] = { 704, 800 },
    [RULE_MODULES] = { 800, 901 },
    [RULE_CROSS_SLOT_NAMED] = { 702, 800 },
    [RULE_CLUSTER_FIRST] = { DIALECT_NEVER, 901 },
    [RULE_CLUSTER_DATABASES] = { DIALECT_NEVER, 900 },
    [RULE_TALKS_WHILE_BUSY] = { DIALECT_NEVER, 901 },
    [RULE_OPEN_PAUSE] = { DIALECT_NEVER, 801 },
    [RULE_NEAR_PAUSE] = { 702, 0 },
    [RULE_HSETEX_QUIET] = { DIALECT_NEVER, DIALECT_NEVER },        /* but for `mended` */
    [RULE_FUNCTIONS_MADE_LATE] = { DIALECT_NEVER, 801 },
    [RULE_SIZED_BY_WORDS] = { 702, 0 },
    [RULE_TABLE_FOR_DATED] = { DIALECT_NEVER, 0 },
    [RULE_SCRIPTS_SET_TEXTS] = { DIALECT_NEVER, 901 },
    [RULE_NEWEST_ENTRY] = { 704, 800 },
    [RULE_NEWEST_LIVES] = { 704, DIALECT_NEVER },
    [RULE_NEWEST_OF_NONE] = { 0, 901 },
    [RULE_WAITS_IN_SCRIPTS] = { 702, 0 },
    [RULE_STRICT_STREAMS] = { DIALECT_NEVER, DIALECT_NEVER },      /* but for `mended` */
    [RULE_CONSUMERS_NAMED] = { 702, 0 },
    [RULE_SHORT_DEGREES] = { 800, DIALECT_NEVER },
    [RULE_LAST_STORE] = { DIALECT_NEVER, 901 },                    /* and in `mended` */
    [RULE_POLYGONS] = { DIALECT_NEVER, 900 },
    [RULE_PLACE_NAMED] = { DIALECT_NEVER, 901 },
    [RULE_SETID_ABOVE_DELETED] = { 702, 0 },
    [RULE_HOLES_BEFORE_FIRST] = { 702, 0 },
    [RULE_LAG_OF_NEWER] = { 704, DIALECT_NEVER },
    [RULE_EMBEDDED_BY_KEY] = { 802, 800 },
};

/* What one version did until a patch of it: 8.0.2 does, 8.0.6 does not. */
static const struct { dialect_rule rule; lineage lineage; int version, patch; } mended[] = {
    { RULE_HSETEX_QUIET, LINEAGE_REDIS, 800, 6 },
    { RULE_STRICT_STREAMS, LINEAGE_REDIS, 800, 6 },
    { RULE_LAST_STORE, LINEAGE_REDIS, 800, 6 },
};

bool dialect_follows(dialect d, dialect_rule rule)
{
    d = dialect_or_default(d);
    for (size_t i = 0; i < COUNT(mended); i++)
        if (mended[i].rule == rule && mended[i].lineage == d.lineage && mended[i].version == d.version)
            return d.patch == 0 || d.patch - 1 < mended[i].patch;
    return dialect_has(d, rules[rule]);
}

/* The wording from a version on; of several the last one that applies. */
static const struct { dialect_words what; dialect_since from; const char *text; } sayings[] = {
    { WORDS_UNKNOWN_IN_SCRIPT, { 0, 0 }, "ERR Unknown Redis command called from script" },
    { WORDS_UNKNOWN_IN_SCRIPT, { DIALECT_NEVER, 800 }, "ERR Unknown command called from script" },
    { WORDS_ARITY_IN_SCRIPT, { 0, 0 }, "ERR Wrong number of args calling Redis command from script" },
    { WORDS_ARITY_IN_SCRIPT, { DIALECT_NEVER, 800 }, "ERR Wrong number of args calling command from script" },
    { WORDS_NOT_IN_SCRIPT, { 0, 0 }, "ERR This Redis command is not allowed from script" },
    { WORDS_NOT_IN_SCRIPT, { DIALECT_NEVER, 901 }, "ERR This Valkey command is not allowed from script" },
    { WORDS_NO_ARGUMENT, { 0, 0 }, "ERR Please specify at least one argument for this redis lib call" },
    { WORDS_NO_ARGUMENT, { DIALECT_NEVER, 800 }, "ERR Please specify at least one argument for this call" },
    { WORDS_BAD_ARGUMENT, { 0, 0 }, "ERR Lua redis lib command arguments must be strings or integers" },
    { WORDS_BAD_ARGUMENT, { DIALECT_NEVER, 800 }, "ERR Command arguments must be strings or integers" },
    { WORDS_LOG, { 0, 0 }, "ERR redis.log() requires two arguments or more." },
    { WORDS_LOG, { DIALECT_NEVER, 800 }, "ERR server.log() requires two arguments or more." },
    { WORDS_LOG_LEVEL, { 0, 0 }, "ERR Invalid debug level." },
    { WORDS_LOG_LEVEL, { 704, 800 }, "ERR Invalid log level." },
    { WORDS_SETRESP, { 0, 0 }, "ERR redis.setresp() requires one argument." },
    { WORDS_SETRESP, { DIALECT_NEVER, 800 }, "ERR server.setresp() requires one argument." },
    { WORDS_SET_REPL, { 0, 0 }, "ERR redis.set_repl() requires two arguments." },
    { WORDS_SET_REPL, { 704, 0 }, "ERR redis.set_repl() requires one argument." },
    { WORDS_SET_REPL, { DIALECT_NEVER, 800 }, "ERR server.set_repl() requires one argument." },
    { WORDS_ACL_CHECK, { 0, 0 }, "ERR Invalid command passed to redis.acl_check_cmd()" },
    { WORDS_ACL_CHECK, { DIALECT_NEVER, 800 }, "ERR Invalid command passed to server.acl_check_cmd()" },
    { WORDS_NOSCRIPT, { 0, 0 }, "NOSCRIPT No matching script. Please use EVAL." },
    { WORDS_NOSCRIPT, { DIALECT_NEVER, 800 }, "NOSCRIPT No matching script." },
    { WORDS_NOT_LOCAL, { 0, 0 }, "ERR Script attempted to access a non local key in a cluster node" },
    { WORDS_NOT_LOCAL, { DIALECT_NEVER, 901 }, "ERR Attempted to access a non local key in a cluster node" },
    { WORDS_HELP, { 0, 0 }, "    Prints this help." },
    { WORDS_HELP, { 704, 702 }, "    Print this help." },
    { WORDS_FLUSH_HELP_1, { 0, 0 }, "    When called without the optional mode argument, the behavior is determined by "
      "the" },
    { WORDS_FLUSH_HELP_1, { DIALECT_NEVER, 800 }, "    When called without the optional mode argument, the behavior is "
      "determined" },
    { WORDS_FLUSH_HELP_2, { 0, 0 }, "    lazyfree-lazy-user-flush configuration directive. Valid modes are:" },
    { WORDS_FLUSH_HELP_2, { DIALECT_NEVER, 800 }, "     by the lazyfree-lazy-user-flush configuration directive. Valid "
      "modes are:" },
    { WORDS_BUSY_SCRIPT, { 0, 0 }, "BUSY Redis is busy running a script. You can only call SCRIPT KILL or SHUTDOWN "
      "NOSAVE." },
    { WORDS_BUSY_SCRIPT, { DIALECT_NEVER, 800 }, "BUSY Valkey is busy running a script. You can only call SCRIPT KILL "
      "or SHUTDOWN NOSAVE." },
    { WORDS_BUSY_FUNCTION, { 0, 0 }, "BUSY Redis is busy running a script. You can only call FUNCTION KILL or "
      "SHUTDOWN NOSAVE." },
    { WORDS_BUSY_FUNCTION, { DIALECT_NEVER, 800 }, "BUSY Valkey is busy running a script. You can only call FUNCTION "
      "KILL or SHUTDOWN NOSAVE." },
    { WORDS_KILLED_SCRIPT, { 0, 0 }, "ERR Script killed by user with SCRIPT KILL..." },
    { WORDS_KILLED_SCRIPT, { DIALECT_NEVER, 801 }, "ERR Script killed by user with SCRIPT KILL." },
    { WORDS_EARLY_LIBRARY, { 0, 0 }, "ERR Failed loading engine name" },
    { WORDS_EARLY_LIBRARY, { 702, 0 }, "ERR Pre-GA function format not supported" },
    { WORDS_UNBALANCED, { 0, 0 }, "ERR Unbalanced XREAD list of streams: for each stream key an ID or '$' must be "
      "specified." },
    { WORDS_UNBALANCED, { 702, 0 }, "ERR Unbalanced 'xread' list of streams: for each stream key an ID or '$' must be "
      "specified." },
    { WORDS_UNBALANCED, { 704, DIALECT_NEVER }, "ERR Unbalanced 'xread' list of streams: for each stream key an ID, "
      "'+', or '$' must be specified." },
    { WORDS_UNBALANCED_GROUP, { 0, 0 }, "ERR Unbalanced XREAD list of streams: for each stream key an ID or '$' must "
      "be specified." },
    { WORDS_UNBALANCED_GROUP, { 702, 0 }, "ERR Unbalanced 'xreadgroup' list of streams: for each stream key an ID or "
      "'>' must be specified." },
    { WORDS_KILLED_FUNCTION, { 0, 0 }, "ERR Script killed by user with SCRIPT KILL..." },
    { WORDS_KILLED_FUNCTION, { DIALECT_NEVER, 801 }, "ERR Script killed by user with FUNCTION KILL." },
};

const char *dialect_say(dialect d, dialect_words what)
{
    const char *text = NULL;
    d = dialect_or_default(d);
    for (size_t i = 0; i < COUNT(sayings); i++)
        if (sayings[i].what == what && dialect_has(d, sayings[i].from))
            text = sayings[i].text;
    assert(text);
    return text;
}
