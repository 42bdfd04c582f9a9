/* options.c - every option that the real server's CONFIG GET tells, held against the row that locksim has of it: its
 * value, and what CONFIG SET answers to numbers, sizes, words and nonsense. And no row without an option.
 * Usage: options SOCKET CLOCK_FILE        server.sh gives both */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "ours.h"
#include "real.h"
#include "serve/hub.h"

typedef struct {
    real_conn *theirs;
    hub *h;
    hub_client *ours;
    buf said;
    uint64_t passed, failed;
} comparison;

/* Of the machine, of how the server was started, or of what it was built with. */
static const char *const own_values[] = {
    "bind", "dir", "port", "unixsocket", "unixsocketperm", "protected-mode", "enable-debug-command", "logfile",
    "pidfile", "jemalloc-bg-thread", "save", "appendonly",
};
/* To set these would lock the comparison out, or needs what this machine may not have. */
static const char *const never_set[] = {
    "bind", "port", "requirepass", "cluster-port", "unixsocket", "replicaof", "slaveof", "rdma-bind",
};

static bool is_one_of(str name, const char *const *names, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (str_eq(name, str_from(names[i])))
            return true;
    return false;
}

/* The texts of an array of bulk strings in RESP2. */
static size_t read_texts(arena *a, str array, str **texts)
{
    if (array.n == 0 || array.p[0] != '*')
        real_give_up("CONFIG GET is answered by what is no array");
    size_t count = strtoull(array.p + 1, NULL, 10), at = str_find(array, '\n', 0) + 1;
    *texts = ARENA_ARRAY(a, str, count + 1);
    for (size_t i = 0; i < count; i++) {
        size_t n = strtoull(array.p + at + 1, NULL, 10), from = str_find(array, '\n', at) + 1;
        (*texts)[i] = arena_str(a, str_slice(array, from, from + n));
        at = from + n + 2;
    }
    return count;
}

static size_t get_all(comparison *x, arena *a, bool theirs, str **texts)
{
    static const str get[] = { { "CONFIG", 6 }, { "GET", 3 }, { "*", 1 } };
    buf all = { 0 };
    if (theirs)
        real_execute(x->theirs, get, COUNT(get), &all);
    else
        ours_ask(x->h, x->ours, get, COUNT(get), &all);
    size_t n = read_texts(a, buf_str(&all), texts);
    buf_free(&all);
    return n;
}

static void differ(comparison *x, str name, const char *what, str theirs, str ours)
{
    buf shown = { 0 };
    buf_printf(&shown, "options: %.*s: %s\n  real     ", STR_ARG(name), what);
    show_bytes(theirs, 300, &shown);
    buf_addz(&shown, "\n  locksim  ");
    show_bytes(ours, 300, &shown);
    puts(buf_str(&shown).p);
    buf_free(&shown);
    x->failed++;
}

/* What locksim cannot be it says so; whatever else is refused is refused in the same words. */
static void compare_set(comparison *x, str name, str value, str before)
{
    str set[] = { S("CONFIG"), S("SET"), name, value };
    buf theirs = { 0 }, ours = { 0 };
    real_execute(x->theirs, set, COUNT(set), &theirs);
    ours_ask(x->h, x->ours, set, COUNT(set), &ours);
    bool cannot = strstr(buf_str(&ours).p, "locksim cannot change it") != NULL;
    if (!cannot && !str_eq(buf_str(&theirs), buf_str(&ours)))
        differ(x, name, value.p, buf_str(&theirs), buf_str(&ours));
    else
        x->passed++;
    buf_clear(&theirs);
    buf_clear(&ours);
    set[3] = before;
    real_execute(x->theirs, set, COUNT(set), &theirs);
    ours_ask(x->h, x->ours, set, COUNT(set), &ours);
    buf_free(&theirs);
    buf_free(&ours);
}

static str find(str *texts, size_t n, str name)
{
    for (size_t i = 0; i + 1 < n; i += 2)
        if (str_eq(texts[i], name))
            return texts[i + 1];
    return (str){ 0 };
}

static void compare_option(comparison *x, str name, str theirs, str ours)
{
    static const char *const tried[] = {
        "@@", "9223372036854775807", "-9223372036854775808", "-1", "0", "1kb", "010", "1 ", "",
    };
    if (!ours.p) {
        differ(x, name, "has no row", theirs, S(""));
        return;
    }
    if (!is_one_of(name, own_values, COUNT(own_values)) && !str_eq(theirs, ours))
        differ(x, name, "has another value", theirs, ours);
    else
        x->passed++;
    for (size_t i = 0; i < COUNT(tried) && !is_one_of(name, never_set, COUNT(never_set)); i++)
        compare_set(x, name, str_from(tried[i]), theirs);
}

int main(int argc, char **argv)
{
    if (argc < 3) {
        fprintf(stderr, "usage: options SOCKET CLOCK_FILE\n");
        return 64;
    }
    real *server = real_open(argv[1], argv[2]);
    arena *a = arena_new();
    comparison x = { .theirs = real_connect(server) };
    x.h = hub_new(&(hub_host){ .start_ms = INT64_C(1700000000000), .dialect = real_dialect(server) });
    x.ours = hub_open(x.h, &x.said, S(""), S(""));
    str *theirs, *ours;
    size_t n = get_all(&x, a, true, &theirs), ours_n = get_all(&x, a, false, &ours);
    for (size_t i = 0; i + 1 < n; i += 2)
        compare_option(&x, theirs[i], theirs[i + 1], find(ours, ours_n, theirs[i]));
    for (size_t i = 0; i + 1 < ours_n; i += 2) {
        if (find(theirs, n, ours[i]).p)
            x.passed++;
        else
            differ(&x, ours[i], "the server has no such option", S(""), ours[i + 1]);
    }
    printf("options: %zu compared with %.*s\n", n / 2, STR_ARG(real_release(server)));
    hub_free(x.h);
    arena_free(a);
    real_disconnect(x.theirs);
    real_close(server);
    return real_verdict(x.passed, x.failed);
}
