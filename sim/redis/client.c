/* client.c - a connection's settings and its questions about others: HELLO, AUTH, CLIENT. Facts: redis.io/commands, a
 * real 7.0.15. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "redis/collection.h"
#include "redis/server.h"

enum { SKIP_AFTER_EXEC = 3 };                      /* the transaction's answer is not the next command's */

static void keep_text(char **to, str s)
{
    mem_free(*to);
    *to = NULL;
    if (!s.n)
        return;
    *to = mem_alloc(s.n + 1);
    memcpy(*to, s.p, s.n);
    (*to)[s.n] = '\0';
}

static void keep_name(client_facts *c, str name)
{
    keep_text(&c->name, name);
    c->name_n = name.n;
}

void client_free(client_facts *c)
{
    mem_free(c->name);
    mem_free(c->address);
    mem_free(c->local);
    mem_free(c->library);
    mem_free(c->library_version);
}

void client_reset(client_facts *c)
{
    keep_name(c, S(""));
    c->resp = 2;
    c->silent = c->silent_next = c->no_evict = c->no_touch = false;
}

void redis_conn_describe(redis_conn *c, str address, str local, int64_t now_ms)
{
    keep_text(&c->client.address, address);
    keep_text(&c->client.local, local);
    c->client.since_ms = c->client.seen_ms = now_ms;
}

int redis_conn_db(const redis_conn *c)
{
    return c->db;
}

int redis_conn_protocol(const redis_conn *c)
{
    return c->client.resp;
}

bool redis_conn_over(const redis_conn *c)
{
    return c->client.over;
}

bool redis_conn_answers(redis_conn *c)
{
    bool answers = !c->client.silent && (c->client.skip == 0 || c->client.skip == SKIP_AFTER_EXEC);
    if (c->client.skip)
        c->client.skip = c->client.skip == 2 || c->client.skip == SKIP_AFTER_EXEC ? 1 : 0;
    c->client.silent |= c->client.silent_next;
    c->client.silent_next = false;
    return answers;
}

size_t redis_conn_exec_done(const redis_conn *c)
{
    return c->in_exec ? c->exec_done : SIZE_MAX;
}

/* ---- HELLO and AUTH: there is one user, `default`, which any password fits ---- */

static reply wrong_password(void)
{
    return reply_error(S("WRONGPASS invalid username-password pair or user is disabled."));
}

static bool printable(str s)
{
    for (size_t i = 0; i < s.n; i++)
        if (s.p[i] < '!' || s.p[i] > '~')
            return false;
    return true;
}

static str to_nul(str s)
{
    return str_slice(s, 0, str_find(s, '\0', 0));
}

static bool name_ok(const call *c, str name, reply *r)
{
    if (printable(server_follows(c->server, RULE_NAMES_TO_NUL) ? to_nul(name) : name))
        return true;
    *r = reply_error(S("ERR Client names cannot contain spaces, newlines or special characters."));
    return false;
}

/* The module that comes with the server: sets of vectors, or the engine that runs scripts. */
reply client_modules(const call *c)
{
    bool valkey = c->server->dialect.lineage == LINEAGE_VALKEY;
    reply one = reply_items(c->out, REPLY_MAP, 8), all = reply_items(c->out, REPLY_ARRAY, 1);
    one.items[0] = reply_bulk(S("name"));
    one.items[1] = reply_bulk(valkey ? S("lua") : S("vectorset"));
    one.items[2] = reply_bulk(S("ver"));
    one.items[3] = reply_integer(1);
    one.items[4] = reply_bulk(S("path"));
    one.items[5] = reply_bulk(valkey ? S("lua") : S(""));
    one.items[6] = reply_bulk(S("args"));
    one.items[7] = reply_items(c->out, REPLY_ARRAY, 0);
    all.items[0] = one;
    return all;
}

static reply hello_facts(const call *c)
{
    static const struct { str name, text; } rows[] = {
        { { "server", 6 }, { NULL, 0 } }, { { "version", 7 }, { NULL, 0 } }, { { "proto", 5 }, { NULL, 0 } },
        { { "id", 2 }, { NULL, 0 } }, { { "mode", 4 }, { "standalone", 10 } }, { { "role", 4 }, { "master", 6 } },
        { { "modules", 7 }, { NULL, 0 } },
    };
    reply all = reply_items(c->out, REPLY_MAP, 2 * COUNT(rows));
    for (size_t i = 0; i < COUNT(rows); i++) {
        all.items[2 * i] = reply_bulk(rows[i].name);
        all.items[2 * i + 1] = reply_bulk(rows[i].text);
    }
    all.items[5] = reply_integer(c->conn->client.resp);
    all.items[7] = reply_integer(c->conn->id);
    all.items[1] = reply_bulk(c->server->dialect.lineage == LINEAGE_VALKEY ? S("valkey") : S("redis"));
    all.items[3] = reply_bulk(dialect_release(c->out, c->server->dialect));
    all.items[13] = server_follows(c->server, RULE_MODULES) ? client_modules(c) : reply_items(c->out, REPLY_ARRAY, 0);
    return all;
}

static reply cmd_hello(const call *c)
{
    int64_t version = c->conn->client.resp;
    str name = { 0 };
    bool named = false;
    reply r = reply_nil();
    if (c->argc > 1 && !parse_int(c->argv[1], &version))
        return reply_error(S("ERR Protocol version is not an integer or out of range"));
    if (version < 2 || version > 3)
        return reply_error(S("NOPROTO unsupported protocol version"));
    for (size_t i = 2; i < c->argc; i++) {
        size_t more = c->argc - 1 - i;
        if (arg_is(c, i, S("auth")) && more >= 2) {
            if (!str_eq(c->argv[i + 1], S("default")))
                return wrong_password();
            i += 2;
        } else if (arg_is(c, i, S("setname")) && more >= 1) {
            name = c->argv[++i];
            named = true;
            if (!name_ok(c, name, &r))
                return r;
        } else {
            r = reply_error_about(c, "ERR Syntax error in HELLO option '", c->argv[i]);
            return reply_error(arena_printf(c->out, "%.*s'", STR_ARG(r.text)));
        }
    }
    if (named)
        keep_name(&c->conn->client, name);
    c->conn->client.resp = (int)version;
    return hello_facts(c);
}

static reply cmd_auth(const call *c)
{
    if (c->argc > 3)
        return reply_syntax();
    if (c->argc == 2)
        return reply_error(S("ERR AUTH <password> called without any password configured for the default user. "
                             "Are you sure your configuration is correct?"));
    return str_eq(c->argv[1], S("default")) ? reply_ok() : wrong_password();
}

/* ---- CLIENT: itself ---- */

static reply cmd_id(const call *c)
{
    return reply_integer(c->conn->id);
}

static reply cmd_getname(const call *c)
{
    const client_facts *f = &c->conn->client;
    return f->name ? reply_bulk(arena_str(c->out, (str){ f->name, f->name_n })) : reply_nil();
}

static reply cmd_setname(const call *c)
{
    reply r = reply_ok();
    if (name_ok(c, c->argv[2], &r))
        keep_name(&c->conn->client, c->argv[2]);
    return r;
}

static reply cmd_no_evict(const call *c)
{
    bool on = arg_is(c, 2, S("on"));
    if (!on && !arg_is(c, 2, S("off")))
        return reply_syntax();
    c->conn->client.no_evict = on;
    return reply_ok();
}

static reply cmd_reply(const call *c)
{
    client_facts *f = &c->conn->client;
    if (arg_is(c, 2, S("on")))
        f->silent = false, f->skip = f->skip == SKIP_AFTER_EXEC ? SKIP_AFTER_EXEC : 0;
    else if (arg_is(c, 2, S("off")))
        f->silent = true;
    else if (!arg_is(c, 2, S("skip")))
        return reply_syntax();
    else if (!f->silent)
        f->skip = c->conn->in_exec ? SKIP_AFTER_EXEC : 2;
    reply nothing = { .kind = REPLY_ARRAY, .several = true };      /* in EXEC's answer it is counted and not there */
    return c->conn->in_exec && arg_is(c, 2, S("skip")) ? nothing : reply_ok();
}

/* ---- CLIENT: all of them ---- */

static const char *or_nothing(const char *text)
{
    return text ? text : "";
}

/* Redis says how much it keeps of what was read: of who asks, its request. (As an array: an inline one is shorter.) */
static size_t request_bytes(const call *c, const redis_conn *k)
{
    if (k != c->conn || c->server->dialect.lineage == LINEAGE_VALKEY)
        return 0;
    size_t digits = 1, bytes = 3;                  /* *N and $N, each line with its end */
    for (size_t n = c->argc; n >= 10; n /= 10)
        digits++;
    bytes += digits;
    for (size_t i = 0; i < c->argc; i++) {
        bytes += 6 + c->argv[i].n;
        for (size_t n = c->argv[i].n; n >= 10; n /= 10)
            bytes++;
    }
    return bytes;
}

static void describe(const call *c, const redis_conn *k, int64_t now_ms, buf *b)
{
    const dialect d = c->server->dialect;
    const client_facts *f = &k->client;
    size_t channels, patterns, shards;
    pubsub_count(k, &channels, &patterns, &shards);
    char flags[12], *at = flags;
    if (f->monitor)
        *at++ = 'O';
    if (k->subs_count)
        *at++ = 'P';
    if (transaction_open(k))
        *at++ = 'x';
    if (redis_waits(k) || f->postponed)
        *at++ = 'b';
    if (k->tracks.on)
        *at++ = 't';
    if (k->tracks.broken)
        *at++ = 'R';
    if (k->tracks.bcast)
        *at++ = 'B';
    if (f->address && f->address[0] == '/')        /* a socket file */
        *at++ = 'U';
    if (f->no_evict)
        *at++ = 'e';
    if (at == flags)
        *at++ = 'N';
    *at = '\0';
    char watch[32] = "";
    if (dialect_has(d, (dialect_since)SINCE(7, 4, 8, 0)))
        snprintf(watch, sizeof watch, " watch=%zu", transaction_watches(k));
    buf_printf(b, "id=%" PRIu32 " addr=%s laddr=%s fd=%" PRIu32 " name=%s age=%" PRId64 " idle=%" PRId64
               " flags=%s%s db=%d sub=%zu psub=%zu"
                  " ssub=%zu multi=%" PRId64 "%s qbuf=%zu qbuf-free=0 argv-mem=0 multi-mem=0 rbs=0 rbp=0 obl=0 oll=0 "
                  "omem=0 tot-mem=0 events=r cmd=%s user=default redir=%" PRId64 " resp=%d",
               k->id, or_nothing(f->address), or_nothing(f->local), k->id + 7, or_nothing(f->name),
               (now_ms - f->since_ms) / 1000,
               (now_ms - f->seen_ms) / 1000, flags, dialect_has(d, (dialect_since)VALKEY_ONLY(8, 0)) ? " capa=" : "",
               k->db, channels, patterns, shards, transaction_length(k), watch, request_bytes(c, k),
               f->last ? f->last->name : "NULL", tracking_redirect(k), f->resp);
    if (dialect_has(d, (dialect_since)SINCE(7, 2, 0, 0)))
        buf_printf(b, " lib-name=%s lib-ver=%s", or_nothing(f->library), or_nothing(f->library_version));
    if (dialect_has(d, (dialect_since)REDIS_ONLY(8, 0)))
        buf_addz(b, " io-thread=0");
    if (dialect_has(d, (dialect_since)VALKEY_ONLY(8, 0)))
        buf_printf(b, " tot-net-in=0 tot-net-out=0 tot-cmds=%" PRIu64, f->commands);
    buf_byte(b, '\n');
}

static reply verbatim(const call *c, buf *b)
{
    reply r = { .kind = REPLY_VERBATIM, .format = S("txt"), .text = arena_str(c->out, buf_str(b)) };
    buf_free(b);
    return r;
}

static reply cmd_info(const call *c)
{
    buf b = { 0 };
    describe(c, c->conn, store_now_ms(c->st), &b);
    return verbatim(c, &b);
}

/* TYPE's words: a connection is `normal` or, with a subscription, `pubsub`; the other two there never are. */
static bool type_parse(const call *c, str word, str *type, reply *r)
{
    static const str known[] = { { "normal", 6 }, { "pubsub", 6 }, { "master", 6 }, { "replica", 7 } };
    if (str_eq_nocase(word, S("slave")))
        word = S("replica");
    for (size_t i = 0; i < COUNT(known); i++) {
        if (str_eq_nocase(word, known[i])) {
            *type = known[i];
            return true;
        }
    }
    *r = reply_error_about(c, "ERR Unknown client type '", word);
    *r = reply_error(arena_printf(c->out, "%.*s'", STR_ARG(r->text)));
    return false;
}

static str type_of(const redis_conn *k)
{
    return k->subs_count ? S("pubsub") : S("normal");
}

/* Another connection that was closed: it is not listed any more, though its socket may still be open. */
static bool is_gone(const call *c, const redis_conn *k)
{
    return k->client.over && k != c->conn;
}

static redis_conn *find_id(const call *c, int64_t id)
{
    redis_conn *k = c->server->conns;
    while (k && ((int64_t)k->id != id || is_gone(c, k)))
        k = k->next;
    return k;
}

typedef struct {
    int64_t id;                                    /* 0: any */
    str type, address, local;                      /* empty: any */
    int64_t age_s;                                 /* connected for so long at least; 0: any */
    bool skip_me;
} filter;

static bool filter_parse(const call *c, filter *f, reply *r)
{
    *r = reply_syntax();
    for (size_t i = 2; i < c->argc; i += 2) {
        if (i + 1 == c->argc)
            return false;
        str value = c->argv[i + 1];
        if (arg_is(c, i, S("id"))) {
            bool number = parse_int(value, &f->id);
            if (!number && server_follows(c->server, RULE_STRICT_CLIENT))
                return false;
            if (!number || f->id < 1) {
                *r = reply_error(S("ERR client-id should be greater than 0"));
                return false;
            }
        } else if (arg_is(c, i, S("type"))) {
            if (!type_parse(c, value, &f->type, r))
                return false;
        } else if (arg_is(c, i, S("maxage")) && dialect_has(c->server->dialect, (dialect_since)SINCE(7, 4, 8, 0))) {
            bool number = parse_int(value, &f->age_s);
            if (!number || f->age_s < 1) {
                *r = reply_error(number ? S("ERR maxage should be greater than 0")
                                        : S("ERR maxage is not an integer or out of range"));
                return false;
            }
        } else if (arg_is(c, i, S("addr"))) {
            f->address = value;
        } else if (arg_is(c, i, S("laddr"))) {
            f->local = value;
        } else if (arg_is(c, i, S("user"))) {
            if (!str_eq(value, S("default"))) {
                *r = reply_error_about(c, "ERR No such user '", value);
                *r = reply_error(arena_printf(c->out, "%.*s'", STR_ARG(r->text)));
                return false;
            }
        } else if (arg_is(c, i, S("skipme"))) {
            f->skip_me = str_eq_nocase(value, S("yes"));
            if (!f->skip_me && !str_eq_nocase(value, S("no")))
                return false;
        } else {
            return false;
        }
    }
    return true;
}

static bool fits(const filter *f, const call *c, const redis_conn *k)
{
    if (f->age_s && (store_now_ms(c->st) - k->client.since_ms) / 1000 < f->age_s)
        return false;
    return !is_gone(c, k) && (!f->id || f->id == k->id) && (!f->type.n || str_eq(f->type, type_of(k))) &&
           (!f->address.n || str_eq(f->address, str_from(k->client.address))) &&
           (!f->local.n || str_eq(f->local, str_from(k->client.local))) && !(f->skip_me && k == c->conn);
}

static reply list_ids(const call *c)
{
    bool strict = server_follows(c->server, RULE_STRICT_CLIENT);
    buf b = { 0 };
    for (size_t i = 3; i < c->argc; i++) {
        int64_t id;
        bool number = parse_int(c->argv[i], &id);
        if (!number || (strict && id < 1)) {
            buf_free(&b);
            return !number && strict ? reply_syntax() : reply_error(number ? S("ERR client-id should be greater than 0")
                                                                    : S("ERR Invalid client ID"));
        }
        const redis_conn *k = find_id(c, id);
        if (k)
            describe(c, k, store_now_ms(c->st), &b);
    }
    return verbatim(c, &b);
}

static reply cmd_list(const call *c)
{
    filter f = { .skip_me = false };
    reply r;
    if (c->argc >= 4 && arg_is(c, 2, S("id")))
        return list_ids(c);
    if (c->argc == 4 && arg_is(c, 2, S("type"))) {
        if (!type_parse(c, c->argv[3], &f.type, &r))
            return r;
    } else if (c->argc != 2 && !server_follows(c->server, RULE_STRICT_CLIENT)) {
        return reply_syntax();
    } else if (!filter_parse(c, &f, &r)) {
        return r;
    }
    buf b = { 0 };
    for (const redis_conn *k = c->server->conns; k; k = k->next)
        if (fits(&f, c, k))
            describe(c, k, store_now_ms(c->st), &b);
    return verbatim(c, &b);
}

/* At once, as in Redis: what it waited for stays for others, and it counts no more among those who hear a message. */
static void kill_other(redis *r, redis_conn *k)
{
    waiting_leave(r, k);
    pubsub_leave(r, k);
    if (r->host.drop)
        r->host.drop(r->host.context, k->id);
}

static reply cmd_kill(const call *c)
{
    filter f = { .skip_me = c->argc != 3 };
    reply r;
    int64_t killed = 0;
    if (c->argc == 3)
        f.address = c->argv[2];
    else if (!filter_parse(c, &f, &r))
        return r;
    for (redis_conn *k = c->server->conns; k; k = k->next) {
        if (!fits(&f, c, k))
            continue;
        killed++;
        k->client.over = true;
        if (k != c->conn)
            kill_other(c->server, k);
    }
    if (c->argc != 3)
        return reply_integer(killed);
    return killed ? reply_ok() : reply_error(S("ERR No such client"));
}

/* For a subcommand that checks its arguments itself. */
static reply bad_subcommand(const call *c)
{
    reply r = reply_error_about(c, "ERR unknown subcommand or wrong number of arguments for '",
                                str_slice(c->argv[1], 0, 128));
    return reply_error(arena_printf(c->out, "%.*s'. Try CLIENT HELP.", STR_ARG(r.text)));
}

static reply cmd_unblock(const call *c)
{
    int64_t id;
    bool with_error = c->argc >= 4 && arg_is(c, 3, S("error"));
    bool open = server_follows(c->server, RULE_STRICT_CLIENT);
    if (c->argc > 4 && !open)
        return bad_subcommand(c);
    if (c->argc >= 4 && !with_error && !arg_is(c, 3, S("timeout")))
        return reply_error(S("ERR CLIENT UNBLOCK reason should be TIMEOUT or ERROR"));
    if (!parse_int(c->argv[2], &id))
        return reply_not_integer();
    redis_conn *k = find_id(c, id);
    return reply_integer(k && waiting_unblock(c->server, k, with_error));
}

/* NO-TOUCH: what this connection reads does not count as used (OBJECT IDLETIME). */
static reply cmd_no_touch(const call *c)
{
    bool on = arg_is(c, 2, S("on"));
    if (!on && !arg_is(c, 2, S("off")))
        return reply_syntax();
    c->conn->client.no_touch = on;
    return reply_ok();
}

/* SETINFO lib-name|lib-ver TEXT: which library speaks. */
static reply cmd_setinfo(const call *c)
{
    client_facts *f = &c->conn->client;
    bool name = arg_is(c, 2, S("lib-name"));
    str text = c->argv[3];
    if (!name && !arg_is(c, 2, S("lib-ver"))) {
        reply r = reply_error_about(c, "ERR Unrecognized option '", c->argv[2]);
        return reply_error(arena_printf(c->out, "%.*s'", STR_ARG(r.text)));
    }
    if (!printable(to_nul(text)))
        return reply_error(arena_printf(c->out, "ERR %s cannot contain spaces, newlines or special characters.",
                                        name ? "lib-name" : "lib-ver"));
    char **at = name ? &f->library : &f->library_version;
    keep_text(at, text);
    return reply_ok();
}

const command commands_client[] = {
    { .name = "client|no-touch", 3, CMD_TALK | CMD_HOSTED | CMD_NOSCRIPT, 0, 0, 0, cmd_no_touch,
      .since = SINCE(7, 2, 0, 0) },
    { .name = "client|setinfo", 4, CMD_TALK | CMD_HOSTED | CMD_NOSCRIPT, 0, 0, 0, cmd_setinfo,
      .since = SINCE(7, 2, 0, 0) },
    { .name = "hello", -1, CMD_ALLOW_BUSY | CMD_HOSTED | CMD_NOSCRIPT, 0, 0, 0, cmd_hello },
    { .name = "auth", -2, CMD_ALLOW_BUSY | CMD_HOSTED | CMD_NOSCRIPT, 0, 0, 0, cmd_auth },
    { .name = "client", -2, CMD_HOSTED | CMD_CONTAINER, 0, 0, 0, NULL },
    { .name = "client|id", 2, CMD_TALK | CMD_HOSTED | CMD_NOSCRIPT, 0, 0, 0, cmd_id },
    { .name = "client|getname", 2, CMD_TALK | CMD_HOSTED | CMD_NOSCRIPT, 0, 0, 0, cmd_getname },
    { .name = "client|setname", 3, CMD_TALK | CMD_HOSTED | CMD_NOSCRIPT, 0, 0, 0, cmd_setname },
    { .name = "client|info", 2, CMD_HOSTED | CMD_NOSCRIPT, 0, 0, 0, cmd_info },
    { .name = "client|list", -2, CMD_HOSTED | CMD_NOSCRIPT, 0, 0, 0, cmd_list },
    { .name = "client|kill", -3, CMD_HOSTED | CMD_NOSCRIPT, 0, 0, 0, cmd_kill },
    { .name = "client|unblock", -3, CMD_HOSTED | CMD_NOSCRIPT, 0, 0, 0, cmd_unblock },
    { .name = "client|no-evict", 3, CMD_TALK | CMD_HOSTED | CMD_NOSCRIPT, 0, 0, 0, cmd_no_evict },
    { .name = "client|reply", 3, CMD_TALK | CMD_HOSTED | CMD_NOSCRIPT, 0, 0, 0, cmd_reply,
      .until = { DIALECT_NEVER, 901 } },
    { .name = "client|reply", 3, CMD_TALK | CMD_HOSTED | CMD_NOSCRIPT | CMD_NO_MULTI, 0, 0, 0, cmd_reply,
      .since = VALKEY_ONLY(9, 1) },
    { .name = NULL },
};
