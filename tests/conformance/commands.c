/* commands.c - every row of the table of commands held against what a real server says of that command: arity, flags,
 * places of keys, categories, tips, what is done with its keys, what scripts may call. And every command that the
 * server has must have a row, be it one that locksim refuses. Usage: commands SOCKET CLOCK_FILE        server.sh gives
 * both */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "normal.h"
#include "ours.h"
#include "real.h"
#include "redis/command.h"

typedef struct {
    real_conn *theirs;
    dialect d;
    hub *h;
    hub_client *ours;
    buf said;
    uint64_t passed, failed;
} comparison;

/* The flags that locksim keeps of a command. */
static const struct { const char *name; unsigned flag; } kept[] = {
    { "write", CMD_WRITE }, { "readonly", CMD_READONLY }, { "denyoom", CMD_DENYOOM }, { "noscript", CMD_NOSCRIPT },
    { "no_multi", CMD_NO_MULTI }, { "allow_busy", CMD_ALLOW_BUSY },
    { "blocking", CMD_WAITS | CMD_WAITS_THERE }, { "movablekeys", CMD_NUMKEYS | CMD_STREAMS },
};

/* One element after the other of an answer, as bytes of RESP2. */
typedef struct {
    str rest;
} cursor;

static str take_frame(cursor *c)
{
    size_t n = resp_length(c->rest);
    if (n == 0 || n == SIZE_MAX)
        real_give_up("COMMAND is answered by what is no reply");
    str frame = str_slice(c->rest, 0, n);
    c->rest = str_slice(c->rest, n, c->rest.n);
    return frame;
}

static cursor elements(str array, int64_t *count)
{
    size_t line = str_find(array, '\n', 0);
    *count = strtoll(array.p + 1, NULL, 10);
    return (cursor){ str_slice(array, line + 1, array.n) };
}

static str text_of(str frame)
{
    size_t line = str_find(frame, '\n', 0);
    if (frame.p[0] == '+')
        return str_slice(frame, 1, line - 1);
    return str_slice(frame, line + 1, frame.n - 2);
}

static int64_t number_of(str frame) { return strtoll(frame.p + 1, NULL, 10); }

typedef struct {
    str name;
    int64_t arity, first, last, step;
    unsigned flags;                        /* of `kept` */
    str subcommands;
} told;

static told read_told(str entry)
{
    int64_t n, flags;
    cursor c = elements(entry, &n);
    told t = { .name = text_of(take_frame(&c)) };
    t.arity = number_of(take_frame(&c));
    cursor words = elements(take_frame(&c), &flags);
    while (flags-- > 0) {
        str word = text_of(take_frame(&words));
        for (size_t i = 0; i < COUNT(kept); i++)
            if (str_eq(word, str_from(kept[i].name)))
                t.flags |= kept[i].flag;
    }
    t.first = number_of(take_frame(&c));
    t.last = number_of(take_frame(&c));
    t.step = number_of(take_frame(&c));
    for (int64_t i = 6; i < n; i++)
        t.subcommands = take_frame(&c);
    return t;
}

static void complain(comparison *x, str name, const char *what, int64_t theirs, int64_t ours)
{
    printf("commands: %.*s: %s: the server says %" PRId64 ", the row %" PRId64 "\n", STR_ARG(name), what, theirs, ours);
    x->failed++;
}

/* Of a command whose keys are counted COMMAND tells at most the destination, and of others that have keys in odd places
 * nothing. */
static bool same_keys(const told *t, const command *row)
{
    bool counted = row->flags & CMD_NUMKEYS;
    int64_t first = counted ? row->last_key : row->first_key, step = counted ? row->last_key != 0 : row->step;
    return t->first == first && t->last == row->last_key && t->step == step;
}

static void compare_flags(comparison *x, const told *t, const command *row)
{
    for (size_t i = 0; i < COUNT(kept); i++) {
        bool theirs = t->flags & kept[i].flag, ours = row->flags & kept[i].flag;
        if (kept[i].flag == CMD_NOSCRIPT)
            ours = !command_in_scripts(row, x->d);
        if (kept[i].flag == CMD_ALLOW_BUSY)
            ours = command_while_busy(row, x->d);
        bool own_way = kept[i].flag & CMD_NUMKEYS && (command_is_refused(row) || str_starts(t->name, S("sort")) ||
                                                        str_starts(t->name, S("georadius")));
        bool container = row->flags & CMD_CONTAINER && kept[i].flag != CMD_WRITE;
        if (theirs != ours && !own_way && !container)
            complain(x, t->name, kept[i].name, theirs, ours);
    }
}

static void compare_one(comparison *x, str entry)
{
    told t = read_told(entry);
    const command *row = command_find_hosted(x->d, t.name);
    uint64_t before = x->failed;
    if (!row) {
        printf("commands: %.*s: locksim has no row\n", STR_ARG(t.name));
        x->failed++;
        return;
    }
    if (t.arity != row->arity)
        complain(x, t.name, "arity", t.arity, row->arity);
    compare_flags(x, &t, row);
    if (!command_is_refused(row) && !same_keys(&t, row))
        complain(x, t.name, "first key", t.first, row->first_key);
    x->passed += before == x->failed;
    int64_t n = 0;
    for (cursor c = t.subcommands.n ? elements(t.subcommands, &n) : (cursor){ { 0 } }; n > 0; n--)
        compare_one(x, take_frame(&c));
}

/* The frames from the i-th on of the one entry of COMMAND INFO, without the notes beside keys, which are no facts. */
static buf facts_from(str info, int64_t i)
{
    static const str noted = { "*8\r\n$5\r\nnotes\r\n", 15 };
    int64_t n;
    cursor c = elements(info, &n);
    c = elements(take_frame(&c), &n);
    while (i-- > 0)
        take_frame(&c);
    buf b = { 0 };
    for (str rest = c.rest; rest.n > 0;) {
        if (!str_starts(rest, noted)) {
            buf_byte(&b, rest.p[0]);
            rest = str_slice(rest, 1, rest.n);
            continue;
        }
        cursor note = { str_slice(rest, noted.n, rest.n) };
        take_frame(&note);
        buf_addz(&b, "*6\r\n");
        rest = note.rest;
    }
    return b;
}

/* Categories, tips and keys; of a container its subcommands follow, which are asked for one by one. */
static void compare_facts(comparison *x, const command *row, str theirs, str ours)
{
    buf t = facts_from(theirs, 6), o = facts_from(ours, 6);
    bool same = row->flags & CMD_CONTAINER || str_eq(buf_str(&t), buf_str(&o));
    if (!same) {
        printf("commands: %s: categories, tips or keys differ\n  server:  ", row->name);
        buf shown = { 0 };
        show_bytes(buf_str(&t), 1500, &shown);
        buf_addz(&shown, "\n  locksim: ");
        show_bytes(buf_str(&o), 1500, &shown);
        printf("%s\n", shown.p);
        buf_free(&shown);
    }
    *(same ? &x->passed : &x->failed) += 1;
    buf_free(&t);
    buf_free(&o);
}

/* What the server does not have it must not have here, either. */
static void compare_row(void *context, const command *row)
{
    comparison *x = context;
    if (str_starts(str_from(row->name), S("clock")))       /* locksim's own */
        return;
    buf answer = { 0 }, ours = { 0 };
    str asked[] = { S("command"), S("info"), str_from(row->name) };
    real_execute(x->theirs, asked, 3, &answer);
    ours_ask(x->h, x->ours, asked, 3, &ours);
    bool there = !str_eq(buf_str(&answer), S("*1\r\n*-1\r\n"));
    if (!there)
        printf("commands: %s: the server has no such command\n", row->name);
    *(there ? &x->passed : &x->failed) += 1;
    if (there && !str_eq(buf_str(&ours), S("*1\r\n*-1\r\n")) && !str_eq(buf_str(&ours), S("*1\r\n$-1\r\n")))
        compare_facts(x, row, buf_str(&answer), buf_str(&ours));
    buf_free(&answer);
    buf_free(&ours);
}

int main(int argc, char **argv)
{
    if (argc < 3) {
        fprintf(stderr, "usage: commands SOCKET CLOCK_FILE\n");
        return 64;
    }
    real *server = real_open(argv[1], argv[2]);
    comparison x = { .theirs = real_connect(server), .d = real_dialect(server) };
    buf all = { 0 };
    x.h = hub_new(&(hub_host){ .start_ms = INT64_C(1700000000000), .dialect = x.d });
    x.ours = hub_open(x.h, &x.said, S(""), S(""));
    real_execute(x.theirs, (str[]){ S("command") }, 1, &all);
    int64_t n;
    for (cursor c = elements(buf_str(&all), &n); n > 0; n--)
        compare_one(&x, take_frame(&c));
    command_each(x.d, compare_row, &x);
    printf("commands: rows compared with %.*s\n", STR_ARG(real_release(server)));
    buf_free(&all);
    hub_free(x.h);
    real_disconnect(x.theirs);
    real_close(server);
    return real_verdict(x.passed, x.failed);
}
