/* debug_inside.c - what DEBUG says about the inside of values. locksim keeps them in its own way: it says what a
 * server of the dialect would, as far as that follows from the value, and nothing that depends on where in memory
 * anything lies. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "redis/collection.h"
#include "redis/dict.h"
#include "redis/dump.h"
#include "redis/options.h"
#include "redis/server.h"

/* As a status: OBJECT ENCODING and OBJECT REFCOUNT of the key. */
static str asked(const call *c, const char *subcommand)
{
    const str argv[] = { S("object"), str_from(subcommand), c->argv[2] };
    call ask = *c;
    ask.argv = argv;
    ask.argc = COUNT(argv);
    char name[32];
    size_t n = (size_t)snprintf(name, sizeof name, "object|%s", subcommand);
    reply r = command_find_hosted(c->server->dialect, (str){ name, n })->run(&ask);
    return r.kind == REPLY_INTEGER ? arena_int(c->out, r.integer) : r.kind == REPLY_BULK ? r.text : S("raw");
}

/* A list as if its elements were put into listpacks one after the other. */
static void add_nodes(const call *c, buf *b, const value *v)
{
    const char *limit = settings_value(c->server, "list-max-listpack-size");
    const char *depth = settings_value(c->server, "list-compress-depth");
    size_t bytes = 0;
    for (size_t i = 0; i < value_count(v); i++)
        bytes += list_at(v, i).n + 2;
    size_t nodes = list_nodes(v, limit ? limit : "-2");
    buf_printf(b, " ql_nodes:%zu ql_avg_node:%.2f ql_listpack_max:%s ql_compressed:%d ql_uncompressed_size:%zu", nodes,
               nodes ? (double)value_count(v) / (double)nodes : 0, limit ? limit : "-2",
               depth && strcmp(depth, "0") != 0, bytes);
}

/* The place in memory is the same as long as the key has its name. */
reply debug_object(const call *c)
{
    bool no_touch = true;
    store_look_quietly(c->st, no_touch);
    value *v = store_find(c->st, c->db, c->argv[2]);
    if (!v) {
        store_look_quietly(c->st, false);
        return reply_no_such_key();
    }
    str encoding = asked(c, "encoding"), refcount = asked(c, "refcount");
    int64_t used_ms = store_used_ms(c->st, c->db, c->argv[2]), idle_s = (store_now_ms(c->st) - used_ms) / 1000;
    store_look_quietly(c->st, false);
    buf b = { 0 }, dumped = { 0 };
    dump_value(c->server->dialect, &dumped, v);
    buf_printf(&b, "Value at:0x%012" PRIx64 " refcount:%.*s encoding:%.*s serializedlength:%zu lru:%" PRId64
               " lru_seconds_idle:%" PRId64, XXH3_64bits(c->argv[2].p, c->argv[2].n) & UINT64_C(0xFFFFFFFFFFF0),
               STR_ARG(refcount), STR_ARG(encoding), dumped.n ? dumped.n - 1 : 0, used_ms / 1000 & 0xFFFFFF, idle_s);
    if (str_eq(encoding, S("quicklist")))
        add_nodes(c, &b, v);
    reply r = { .kind = REPLY_STATUS, .text = arena_str(c->out, buf_str(&b)) };
    buf_free(&dumped);
    buf_free(&b);
    return r;
}

static reply printed(const call *c, const char *encoding, const char *other, const char *what)
{
    if (!store_find(c->st, c->db, c->argv[2]))
        return reply_no_such_key();
    str is = asked(c, "encoding");
    if (!str_eq(is, str_from(encoding)) && !(other && str_eq(is, str_from(other))))
        return reply_error(arena_printf(c->out, "ERR Not a %s encoded object.", encoding));
    return reply_status(arena_printf(c->out, "%s structure printed on stdout", what));
}

reply debug_listpack(const call *c) { return printed(c, "listpack", NULL, "Listpack"); }
reply debug_quicklist(const call *c) { return printed(c, "quicklist", NULL, "Quicklist"); }

/* A table of n elements: locksim's own is never about to move into a larger one. */
static void add_table(buf *b, size_t n)
{
    size_t size = 4;
    while (size < n)
        size *= 2;
    buf_addz(b, "Hash table 0 stats (main hash table):\n");
    if (n)
        buf_printf(b, " table size: %zu\n number of elements: %zu\n", size, n);
    else
        buf_addz(b, "No stats available for empty dictionaries\n");
}

static reply tables(const call *c, buf *b)
{
    reply r = { .kind = REPLY_VERBATIM, .format = S("txt"), .text = arena_str(c->out, buf_str(b)) };
    buf_free(b);
    return r;
}

reply debug_table_of_key(const call *c)
{
    const value *v = store_find(c->st, c->db, c->argv[2]);
    if (!v)
        return reply_no_such_key();
    str encoding = asked(c, "encoding");
    if (!str_eq(encoding, S("hashtable")) && !str_eq(encoding, S("skiplist")))
        return reply_error(S("ERR The value stored at the specified key is not represented using an hash table"));
    buf b = { 0 };
    add_table(&b, value_count(v));
    return tables(c, &b);
}

reply debug_tables(const call *c)
{
    int64_t db;
    if (!parse_int(c->argv[2], &db))
        return reply_not_integer();
    if (db < 0 || db >= STORE_DBS)
        return reply_error(S("ERR Out of range database"));
    static const dialect_since silent = SINCE(7, 4, 8, 0);         /* of what is empty */
    bool always = !dialect_has(c->server->dialect, silent);
    buf b = { 0 };
    buf_addz(&b, "[Dictionary HT]\n");
    if (always || store_size(c->st, (int)db))
        add_table(&b, store_size(c->st, (int)db));
    buf_addz(&b, "[Expires HT]\n");
    if (always || store_volatile(c->st, (int)db))
        add_table(&b, store_volatile(c->st, (int)db));
    return tables(c, &b);
}

/* Which elements of a list have a node of their own: nobody sees that but DEBUG. */
reply debug_packed_threshold(const call *c)
{
    uint64_t bytes;
    if (!option_parse_bytes(c->argv[2], &bytes) || bytes >= UINT64_C(1) << 32)
        return reply_error(S("ERR argument must be a memory value bigger than 1 and smaller than 4gb"));
    return reply_ok();
}
