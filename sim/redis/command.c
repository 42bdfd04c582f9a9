/* command.c - COMMAND: the table of commands, for clients. Of the documentation there are names only. */
#include <string.h>

#include "redis/collection.h"
#include "redis/command_facts.h"
#include "redis/server.h"

static bool is_sub(const command *row)
{
    return strchr(row->name, '|') != NULL;
}

static bool has_prefix(const command *row, const char *prefix)
{
    return str_starts(str_from(row->name), str_from(prefix));
}

static reply flags_of(const call *c, const command *row)
{
    bool waits = row->flags & (CMD_WAITS | CMD_WAITS_THERE);
    bool own = !(row->flags & CMD_CONTAINER);      /* flags of single subcommands are in their own rows */
    bool moves = row->flags & (CMD_NUMKEYS | CMD_STREAMS | CMD_STORES) || has_prefix(row, "sort");
    bool pubsub = strstr(row->name, "subscribe") || strstr(row->name, "publish") || has_prefix(row, "pubsub|");
    const struct { bool set; str name; } known[] = {
        { row->flags & CMD_WRITE, S("write") }, { own && row->flags & CMD_READONLY, S("readonly") },
        { own && row->flags & CMD_DENYOOM, S("denyoom") },
        { own && !command_in_scripts(row, c->server->dialect), S("noscript") },
        { row->flags & CMD_NO_MULTI, S("no_multi") },
        { moves, S("movablekeys") }, { waits, S("blocking") }, { pubsub, S("pubsub") },
        { own && command_while_busy(row, c->server->dialect), S("allow_busy") },
    };
    reply all = reply_items(c->out, REPLY_SET, COUNT(known));
    size_t n = 0;
    for (size_t i = 0; i < COUNT(known); i++) {
        if (known[i].set)
            all.items[n++] = reply_status(known[i].name);
    }
    all.count = n;
    return all;
}

/* Rows whose name passes, each turned into an answer. */
typedef struct {
    const call *c;
    const command *of;                             /* subcommands of this row; NULL: commands */
    bool all;                                      /* these and those */
    reply (*tell)(const call *c, const command *row);
    bool pairs;                                    /* the name before each */
    str pattern, category;                         /* .p NULL: any */
    reply *items;                                  /* NULL: only counted */
    size_t count;
} teller;

static void tell_row(void *context, const command *row)
{
    teller *t = context;
    size_t n = t->of ? strlen(t->of->name) : 0;
    if (t->of ? strncmp(row->name, t->of->name, n) != 0 || row->name[n] != '|' : is_sub(row) && !t->all)
        return;
    if (t->pattern.p && !glob_match(t->pattern, str_from(row->name)))
        return;
    if (t->category.p && !facts_in_category(row, t->c->server->dialect, t->category))
        return;
    if (t->pairs) {
        if (t->items)
            t->items[t->count] = reply_bulk(str_from(row->name));
        t->count++;
    }
    if (t->items)
        t->items[t->count] = t->tell(t->c, row);
    t->count++;
}

static reply tell_all(teller t, reply_kind kind)
{
    command_each(t.c->server->dialect, tell_row, &t);
    reply all = reply_items(t.c->out, kind, t.count);
    t.items = all.items;
    t.count = 0;
    command_each(t.c->server->dialect, tell_row, &t);
    return all;
}

static reply name_of(const call *c, const command *row)
{
    (void)c;
    return reply_bulk(str_from(row->name));
}

static reply info_of(const call *c, const command *row)
{
    reply all = reply_items(c->out, REPLY_ARRAY, 10);
    bool counted = row->flags & CMD_NUMKEYS;       /* only a destination has a place of its own */
    all.items[0] = reply_bulk(str_from(row->name));
    all.items[1] = reply_integer(row->arity);
    all.items[2] = flags_of(c, row);
    all.items[3] = reply_integer(counted ? row->last_key : row->first_key);
    all.items[4] = reply_integer(row->last_key);
    all.items[5] = reply_integer(counted ? row->last_key != 0 : row->step);
    all.items[6] = facts_categories(c, row);
    all.items[7] = facts_tips(c, row);
    all.items[8] = facts_keys(c, row);
    all.items[9] = row->flags & CMD_CONTAINER ? tell_all((teller){ .c = c, .of = row, .tell = info_of }, REPLY_ARRAY)
                                              : reply_items(c->out, REPLY_ARRAY, 0);
    return all;
}

static reply docs_of(const call *c, const command *row)
{
    bool container = row->flags & CMD_CONTAINER;
    reply all = reply_items(c->out, REPLY_MAP, container ? 6 : 4);
    all.items[0] = reply_bulk(S("summary"));
    all.items[1] = reply_bulk(S(""));
    all.items[2] = reply_bulk(S("group"));
    all.items[3] = reply_bulk(S("generic"));
    if (container) {
        all.items[4] = reply_bulk(S("subcommands"));
        all.items[5] = tell_all((teller){ .c = c, .of = row, .tell = docs_of, .pairs = true }, REPLY_MAP);
    }
    return all;
}

static reply cmd_command(const call *c)
{
    return tell_all((teller){ .c = c, .tell = info_of }, REPLY_ARRAY);
}

static reply cmd_count(const call *c)
{
    teller t = { .c = c };
    t.tell = name_of;
    command_each(t.c->server->dialect, tell_row, &t);
    return reply_integer((int64_t)t.count);
}

/* For clients, a command that would only be refused does not exist. */
static const command *find_told(const call *c, str name)
{
    const command *row = command_find_hosted(c->server->dialect, name);
    return row && !command_is_refused(row) ? row : NULL;
}

static reply cmd_info(const call *c)
{
    if (c->argc == 2)
        return cmd_command(c);
    reply all = reply_items(c->out, REPLY_ARRAY, c->argc - 2);
    for (size_t i = 2; i < c->argc; i++) {
        const command *row = find_told(c, c->argv[i]);
        all.items[i - 2] = row ? info_of(c, row) : reply_nil();
    }
    return all;
}

static reply cmd_docs(const call *c)
{
    if (c->argc == 2)
        return tell_all((teller){ .c = c, .tell = docs_of, .pairs = true }, REPLY_MAP);
    reply all = reply_items(c->out, REPLY_MAP, 2 * (c->argc - 2));
    size_t n = 0;
    for (size_t i = 2; i < c->argc; i++) {
        const command *row = find_told(c, c->argv[i]);
        if (!row)
            continue;
        all.items[n++] = reply_bulk(str_from(row->name));
        all.items[n++] = docs_of(c, row);
    }
    all.count = n;
    return all;
}

static reply cmd_list(const call *c)
{
    teller t = { .c = c, .tell = name_of, .all = true };
    if (c->argc == 5 && arg_is(c, 2, S("filterby")) && arg_is(c, 3, S("pattern")))
        t.pattern = word_lower(c, c->argv[4]);
    else if (c->argc == 5 && arg_is(c, 2, S("filterby")) && arg_is(c, 3, S("aclcat")))
        t.category = c->argv[4];
    else if (c->argc == 5 && arg_is(c, 2, S("filterby")) && arg_is(c, 3, S("module")))
        return reply_items(c->out, REPLY_ARRAY, 0);
    else if (c->argc != 2)
        return reply_syntax();
    return tell_all(t, REPLY_ARRAY);
}

typedef struct {
    reply *items;
    size_t count;
} key_list;

static void add_key(void *context, str key)
{
    key_list *l = context;
    if (l->items)
        l->items[l->count] = reply_bulk(key);
    l->count++;
}

/* The key, and what is done with it. */
static reply with_flags(const call *c, const command *row, str key)
{
    size_t at = 0;
    reply one = reply_items(c->out, REPLY_ARRAY, 2);
    while (c->argv[2 + at].p != key.p)
        at++;
    one.items[0] = reply_bulk(arena_str(c->out, key));
    one.items[1] = facts_of_key(c, row, c->argv + 2, c->argc - 2, at);
    return one;
}

static reply keys_of(const call *c, bool flags)
{
    const str *argv = c->argv + 2;
    size_t argc = c->argc - 2;
    reply why;
    const command *row = server_lookup(c->server, argv, argc, c->out, &why);
    if (!row)
        return reply_error(S("ERR Invalid command specified"));
    if ((!row->first_key && !(row->flags & CMD_STREAMS)) || row->flags & CMD_CHANNELS)
        return reply_error(S("ERR The command has no key arguments"));
    if (!command_arity_ok(row, argc))
        return reply_error(S("ERR Invalid number of arguments specified for command"));
    key_list l = { 0 };
    server_each_key(c->server, argv, argc, add_key, &l);
    if (!l.count && !str_starts(str_from(row->name), S("eval")))     /* only scripts may have none */
        return reply_error(S("ERR Invalid arguments specified for command"));
    reply all = reply_items(c->out, REPLY_ARRAY, l.count);
    l = (key_list){ .items = all.items };
    server_each_key(c->server, argv, argc, add_key, &l);
    for (size_t i = 0; i < all.count; i++)
        all.items[i] = flags ? with_flags(c, row, all.items[i].text)
                             : reply_bulk(arena_str(c->out, all.items[i].text));
    return all;
}

static reply cmd_getkeys(const call *c) { return keys_of(c, false); }
static reply cmd_getkeysandflags(const call *c) { return keys_of(c, true); }

reply command_names_in(const call *c, str category)
{
    return tell_all((teller){ .c = c, .tell = name_of, .all = true, .category = category }, REPLY_ARRAY);
}

const command commands_command[] = {
    { .name = "command", -1, CMD_HOSTED | CMD_CONTAINER, 0, 0, 0, cmd_command },
    { .name = "command|count", 2, CMD_HOSTED, 0, 0, 0, cmd_count },
    { .name = "command|info", -2, CMD_HOSTED, 0, 0, 0, cmd_info },
    { .name = "command|docs", -2, CMD_HOSTED, 0, 0, 0, cmd_docs },
    { .name = "command|list", -2, CMD_HOSTED, 0, 0, 0, cmd_list },
    { .name = "command|getkeysandflags", -4, CMD_HOSTED, 0, 0, 0, cmd_getkeysandflags, .until = UNTIL_7_2 },
    { .name = "command|getkeysandflags", -3, CMD_HOSTED, 0, 0, 0, cmd_getkeysandflags, .since = SINCE(7, 2, 0, 0) },
    { .name = "command|getkeys", -4, CMD_HOSTED, 0, 0, 0, cmd_getkeys, .until = UNTIL_7_2 },
    { .name = "command|getkeys", -3, CMD_HOSTED, 0, 0, 0, cmd_getkeys, .since = SINCE(7, 2, 0, 0) },
    { .name = NULL },
};
