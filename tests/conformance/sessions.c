/* sessions.c - what clients see of `serve`, byte for byte, beside a real redis-server: the protocol's refusals, HELLO
 * and CLIENT, both protocols, subscribers, transactions and pops that wait, across connections; then the same at
 * random, and requests with random damage. Not compared: QUIT where no answer is wanted (Redis leaves that connection
 * open; ours ends), and how connections are numbered. Usage: sessions SOCKET CLOCK_FILE [COUNT [SEED]]      (from
 * server.sh) */
#define _GNU_SOURCE                                /* memmem */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/rng.h"
#include "base/words.h"
#include "real.h"
#include "serve/hub.h"
#include "session_cases.h"
#include "session_random.h"

enum { CONNS = 4, SHOWN_BYTES = 1500 };
static const int64_t START_MS = INT64_C(1700000000000);

/* ---- the real server ---- */

static int real_socket(const char *path)
{
    struct sockaddr_un at = { .sun_family = AF_UNIX };
    int fd = socket(AF_UNIX, SOCK_STREAM, 0);
    snprintf(at.sun_path, sizeof at.sun_path, "%s", path);
    if (fd < 0 || connect(fd, (const struct sockaddr *)&at, sizeof at) != 0) {
        fprintf(stderr, "sessions: cannot connect to %s: %s\n", path, strerror(errno));
        exit(1);
    }
    return fd;
}

/* What the server closed takes nothing: that is seen by what it said. */
static void send_raw(int fd, str bytes)
{
    for (size_t sent = 0; sent < bytes.n;) {
        ssize_t n = send(fd, bytes.p + sent, bytes.n - sent, MSG_NOSIGNAL);
        if (n <= 0 && errno != EINTR)
            return;
        sent += n > 0 ? (size_t)n : 0;
    }
}

static void read_to_end(int fd, buf *out)
{
    char bytes[65536];
    ssize_t n;
    shutdown(fd, SHUT_WR);
    while ((n = recv(fd, bytes, sizeof bytes, 0)) > 0 || (n < 0 && errno == EINTR))
        if (n > 0)
            buf_add(out, (str){ bytes, (size_t)n });
    close(fd);
}

/* ---- both ---- */

typedef struct {
    const char *path;
    real *real;
    real_conn *other;              /* asked after each step: when it answers, the step is done */
    hub *h;
    int fd[CONNS];
    hub_client *ours[CONNS];
    uint64_t last_id_ours;                         /* connections are numbered as they come */
    uint64_t id[CONNS], id_ours[CONNS];
    buf theirs[CONNS], said[CONNS];
} pair;

static void gather(pair *t)
{
    hub_client *c;
    while ((c = hub_next_touched(t->h)) != NULL) {
        size_t i = (size_t)((buf *)hub_owner(c) - t->said);
        buf taken = { 0 };
        while (hub_take(c, &taken)) {
            buf_add(&t->said[i], buf_str(&taken));
            hub_sent(c, &taken);
        }
        buf_free(&taken);
    }
}

static void real_sync(pair *t)
{
    buf pong = { 0 };
    real_execute(t->other, (str[]){ S("ping") }, 1, &pong);
    buf_free(&pong);
}

/* The number of the connection that came last. */
static uint64_t newest_id(pair *t)
{
    static const char name[] = "id=";
    buf said = { 0 };
    uint64_t id = 0;
    real_execute(t->other, (str[]){ S("client"), S("list") }, 2, &said);
    buf_byte(&said, '\0');
    for (const char *line = said.p; line; line = strchr(line + 1, '\n')) {
        const char *at = line + (*line == '\n');
        if (strncmp(at, name, sizeof name - 1) == 0)
            id = strtoull(at + sizeof name - 1, NULL, 10);
    }
    buf_free(&said);
    return id;
}

static void open_conn(pair *t, size_t i)
{
    if (t->ours[i])
        return;
    t->fd[i] = real_socket(t->path);
    real_sync(t);    /* accepted: only then is what it sends read in one turn with what others send */
    arena *a = arena_new();
    str here = arena_printf(a, "%s:0", t->path);   /* MONITOR tells it */
    t->ours[i] = hub_open(t->h, &t->said[i], here, here);
    t->id[i] = newest_id(t);
    t->id_ours[i] = ++t->last_id_ours;
    arena_free(a);
}

/* "@B" is connection B's number, as this side counts. */
static void with_ids(pair *t, str bytes, bool ours, buf *out)
{
    for (size_t i = 0; i < bytes.n; i++) {
        size_t k = bytes.p[i] == '@' && i + 1 < bytes.n ? (size_t)(bytes.p[i + 1] - 'A') : CONNS;
        if (k >= CONNS) {
            buf_byte(out, bytes.p[i]);
            continue;
        }
        open_conn(t, k);
        buf_printf(out, "%" PRIu64, ours ? t->id_ours[k] : t->id[k]);
        i++;
    }
}

static void send_both(pair *t, size_t i, str bytes)
{
    buf to_real = { 0 }, to_ours = { 0 };
    open_conn(t, i);
    with_ids(t, bytes, false, &to_real);
    with_ids(t, bytes, true, &to_ours);
    send_raw(t->fd[i], buf_str(&to_real));
    real_sync(t);
    if (!hub_is_over(t->ours[i]))
        hub_feed(t->ours[i], buf_str(&to_ours));
    gather(t);
    buf_free(&to_real);
    buf_free(&to_ours);
}

/* What MONITOR tells of the pings and looks of this program itself: passed over. */
static bool is_ours(str said, size_t *at)
{
    size_t end = str_find(said, '\n', *at);
    str line = str_slice(said, *at, end);
    if (!str_starts(line, S("+1700")) ||
        !(str_ends(line, S("] \"ping\"\r")) || str_ends(line, S("] \"info\" \"clients\"\r")) ||
          str_ends(line, S("] \"INFO\" \"clients\"\r"))))
        return false;
    *at = end < said.n ? end + 1 : end;
    return true;
}

/* A connection's number begins here: the length of what stands before it, else 0. -1 and 0 are none. */
static size_t before_id(str rest)
{
    static const str before[] = { { "$2\r\nid\r\n:", 9 }, { "$8\r\nredirect\r\n:", 15 },
                                  { "$21\r\ntracking-redir-broken\r\n:", 29 } };
    for (size_t i = 0; i < COUNT(before); i++)
        if (str_starts(rest, before[i]) && rest.n > before[i].n && rest.p[before[i].n] >= '1')
            return before[i].n;
    return 0;
}

/* What may differ: how connections are numbered, and which patch of its version the server is. */
static void without_ids(buf *b)
{
    static const str version = { "$7\r\nversion\r\n", 13 };
    buf to = { 0 };
    for (size_t i = 0; i < b->n;) {
        if (is_ours(buf_str(b), &i))
            continue;
        if (str_starts(str_slice(buf_str(b), i, b->n), version)) {
            buf_addz(&to, "$7\r\nversion\r\nV");
            i = str_find(buf_str(b), '\r', str_find(buf_str(b), '\n', i + version.n) + 1);
            continue;
        }
        size_t before = before_id(str_slice(buf_str(b), i, b->n));
        if (!before) {
            buf_byte(&to, b->p[i++]);
            continue;
        }
        buf_add(&to, str_slice(buf_str(b), i, i + before));
        buf_byte(&to, 'N');
        for (i += before; i < b->n && b->p[i] != '\r'; i++)
            ;
    }
    buf_free(b);
    *b = to;
}

static int by_byte(const void *x, const void *y) { return *(const char *)x - *(const char *)y; }

/* UNSUBSCRIBE without channels leaves them in the order of a hash table. */
static bool same_but_order(str x, str y)
{
    buf a = { 0 }, b = { 0 };
    buf_add(&a, x);
    buf_add(&b, y);
    qsort(a.p, a.n, 1, by_byte);
    qsort(b.p, b.n, 1, by_byte);
    bool same = str_eq(buf_str(&a), buf_str(&b)) && x.n && memmem(x.p, x.n, "\nunsubscribe\r", 13);
    buf_free(&a);
    buf_free(&b);
    return same;
}

/* True if every connection was told the same to its end. */
static bool close_both(pair *t, buf *difference)
{
    bool same = true;
    for (size_t i = 0; i < CONNS; i++) {
        if (!t->ours[i])
            continue;
        read_to_end(t->fd[i], &t->theirs[i]);
        hub_close(t->ours[i]);
        t->ours[i] = NULL;
        without_ids(&t->theirs[i]);
        without_ids(&t->said[i]);
        str theirs = buf_str(&t->theirs[i]), said = buf_str(&t->said[i]);
        if (same && !str_eq(theirs, said) && !same_but_order(theirs, said)) {
            same = false;
            buf_printf(difference, "  connection %c\n  real     ", (char)('A' + i));
            show_bytes(theirs, SHOWN_BYTES, difference);
            buf_addz(difference, "\n  locksim  ");
            show_bytes(said, SHOWN_BYTES, difference);
            buf_byte(difference, '\n');
        }
        buf_clear(&t->theirs[i]);
        buf_clear(&t->said[i]);
    }
    return same;
}

/* ---- written sessions ---- */

static uint64_t blocked(str info)
{
    static const char name[] = "blocked_clients:";
    const char *at = memmem(info.p, info.n, name, sizeof name - 1);
    return at ? strtoull(at + sizeof name - 1, NULL, 10) : UINT64_MAX;
}

/* Asked aside, of no connection that is compared. */
static void ask_ours(pair *t, str line, buf *said)
{
    hub_client *c = hub_open(t->h, said, S(""), S(""));
    t->last_id_ours++;
    hub_feed(c, line);
    hub_feed(c, S("\r\n"));
    buf taken = { 0 };
    while (hub_take(c, &taken)) {
        buf_add(said, buf_str(&taken));
        hub_sent(c, &taken);
    }
    buf_free(&taken);
    hub_close(c);
}

/* The real server ends waits that are over when its timer comes round: some milliseconds later. */
static void await_timeouts(pair *t)
{
    buf said = { 0 };
    ask_ours(t, S("INFO clients"), &said);
    uint64_t ours = blocked(buf_str(&said)), theirs = ours + 1;
    for (int tries = 0; tries < 100000 && theirs != ours; tries++) {
        buf_clear(&said);
        real_execute(t->other, (str[]){ S("info"), S("clients") }, 2, &said);
        theirs = blocked(buf_str(&said));
    }
    buf_free(&said);
}

static void set_clocks(pair *t, int64_t now_ms)
{
    buf line = { 0 }, said = { 0 };
    real_set_clock(t->real, now_ms);
    buf_printf(&line, "CLOCK SET %" PRId64, now_ms);
    ask_ours(t, buf_str(&line), &said);
    gather(t);
    buf_free(&line);
    buf_free(&said);
}

/* One line of a case: "A ping" sends an inline command, "A: "*1\r\n"" exactly these bytes, "+100" moves both clocks. */
static void play_line(pair *t, str line, int64_t *now_ms)
{
    size_t i = (size_t)(line.p[0] - 'A'), at = 2;
    buf bytes = { 0 };
    if (line.p[0] == '+') {
        *now_ms += strtoll(line.p + 1, NULL, 10);
        set_clocks(t, *now_ms);
        await_timeouts(t);
    } else if (line.p[1] == ':') {
        words_next(line, &at, &bytes);
        send_both(t, i, buf_str(&bytes));
    } else {
        buf_printf(&bytes, "%.*s\r\n", STR_ARG(str_slice(line, 2, line.n)));
        send_both(t, i, buf_str(&bytes));
    }
    buf_free(&bytes);
}

/* True if every connection was told the same. */
static bool play_lines(pair *t, str all, buf *difference)
{
    int64_t now_ms = START_MS;
    play_line(t, S("D flushall async"), &now_ms);
    for (size_t from = 0; from < all.n;) {
        size_t end = str_find(all, '\n', from);
        play_line(t, str_slice(all, from, end), &now_ms);
        from = end + 1;
    }
    bool same = close_both(t, difference);
    set_clocks(t, START_MS);
    return same;
}

static bool play_case(pair *t, const char *text)
{
    buf difference = { 0 };
    bool same = play_lines(t, str_from(text), &difference);
    if (!same)
        printf("FAIL sessions: a written session differs:\n%s\n%s", text, buf_str(&difference).p);
    buf_free(&difference);
    return same;
}

/* ---- random sessions ---- */

/* Leaves out lines, the last ones first, for as long as it still differs. */
static void shrink_lines(pair *t, buf *text)
{
    buf without = { 0 }, difference = { 0 };
    for (size_t end = text->n; end > 0;) {
        size_t from = end - 1;
        while (from > 0 && text->p[from - 1] != '\n')
            from--;
        buf_clear(&without);
        buf_clear(&difference);
        buf_add(&without, str_slice(buf_str(text), 0, from));
        buf_add(&without, str_slice(buf_str(text), end, text->n));
        if (!play_lines(t, buf_str(&without), &difference)) {
            buf_clear(text);
            buf_add(text, buf_str(&without));
        }
        end = from;
    }
    buf_free(&without);
    buf_free(&difference);
}

static bool play_crowd(pair *t, uint64_t seed, uint64_t number)
{
    rng g = rng_new(seed, number);
    buf text = { 0 }, difference = { 0 };
    session_random(&g, &text);
    bool same = play_lines(t, buf_str(&text), &difference);
    if (!same) {
        shrink_lines(t, &text);
        buf_clear(&difference);
        bool again = !play_lines(t, buf_str(&text), &difference);
        printf("FAIL sessions: random session %" PRIu64 " of seed %" PRIu64 " differs%s:\n%s%s", number, seed,
               again ? "" : ", but not when it is done again", text.p, difference.n ? difference.p : "");
    }
    buf_free(&text);
    buf_free(&difference);
    return same;
}

/* ---- damaged requests ---- */

static const char *const clean[] = {
    "*1\r\n$4\r\nPING\r\n", "*2\r\n$4\r\nECHO\r\n$3\r\nabc\r\n", "*3\r\n$3\r\nSET\r\n$1\r\nk\r\n$2\r\n12\r\n",
    "*2\r\n$3\r\nGET\r\n$1\r\nk\r\n",
    "*2\r\n$4\r\nINCR\r\n$1\r\nk\r\n", "PING\r\n", "ECHO \"a b\"\r\n", "SET k 'it\\'s'\n", "\r\n", "*0\r\n", "*-1\r\n",
    "*4\r\n$4\r\nHSET\r\n$1\r\nh\r\n$1\r\na\r\n$0\r\n\r\n", "HGETALL h\r\n", "*2\r\n$5\r\nHELLO\r\n$1\r\n3\r\n",
    "MULTI\r\n", "EXEC\r\n", "SUBSCRIBE c\r\n", "UNSUBSCRIBE\r\n", "RESET\r\n", "QUIT\r\n", "CLIENT REPLY SKIP\r\n",
    "*3\r\n$6\r\nCLIENT\r\n$7\r\nSETNAME\r\n$1\r\nn\r\n",
};

static void damage(rng *g, buf *b)
{
    static const char bytes[] = "\r\n$*0123456789-+ '\"\\x\0A:%~\t";
    size_t at = b->n ? (size_t)rng_below(g, b->n) : 0;
    char c = bytes[rng_below(g, sizeof bytes - 1)];
    if (!b->n)
        return;
    switch (rng_below(g, 4)) {
    case 0: b->p[at] = c; break;
    case 1: memmove(b->p + at, b->p + at + 1, b->n - at - 1); b->n--; break;
    case 2: buf_byte(b, '\0'); memmove(b->p + at + 1, b->p + at, b->n - at - 1); b->p[at] = c; break;
    default: b->n = at; break;
    }
}

static bool play_random(pair *t, uint64_t seed, uint64_t number)
{
    rng g = rng_new(seed, number);
    buf b = { 0 }, difference = { 0 };
    for (uint64_t n = 1 + rng_below(&g, 6); n > 0; n--)
        buf_addz(&b, clean[rng_below(&g, COUNT(clean))]);
    for (uint64_t n = rng_below(&g, 4); n > 0; n--)
        damage(&g, &b);
    size_t cut = (size_t)rng_below(&g, b.n + 1);
    send_both(t, 0, str_slice(buf_str(&b), 0, cut));
    send_both(t, 0, str_slice(buf_str(&b), cut, b.n));
    bool same = close_both(t, &difference);
    if (!same) {
        buf shown = { 0 };
        show_bytes(buf_str(&b), SHOWN_BYTES, &shown);
        printf("FAIL sessions: session %" PRIu64 " of seed %" PRIu64 " differs, cut after %zu bytes:\n  sent     "
               "%s\n%s", number, seed, cut,
               shown.p, buf_str(&difference).p);
        buf_free(&shown);
    }
    buf_free(&b);
    buf_free(&difference);
    return same;
}

int main(int argc, char **argv)
{
    if (argc < 3 || argc > 5) {
        fprintf(stderr, "usage: sessions SOCKET CLOCK_FILE [COUNT [SEED]]\n");
        return 64;
    }
    uint64_t count = argc > 3 ? strtoull(argv[3], NULL, 10) : 4000, seed = argc > 4 ? strtoull(argv[4], NULL, 10) : 1;
    uint64_t passed = 0, failed = 0, number = 0;
    pair t = { .path = argv[1], .real = real_open(argv[1], argv[2]) };
    t.h = hub_new(&(hub_host){ .start_ms = START_MS, .dialect = real_dialect(t.real) });
    /* as server.sh has it: keys expire when they are looked at */
    buf said = { 0 };
    ask_ours(&t, S("DEBUG SET-ACTIVE-EXPIRE 0"), &said);
    buf_free(&said);
    t.other = real_connect(t.real);
    for (size_t i = 0; i < COUNT(session_cases); i++)
        *(play_case(&t, session_cases[i]) ? &passed : &failed) += 1;
    uint64_t crowds = 0;
    for (; crowds < count / 4 && failed < 5; crowds++)
        *(play_crowd(&t, seed, crowds) ? &passed : &failed) += 1;
    for (; number < count && failed < 5; number++)
        *(play_random(&t, seed, number) ? &passed : &failed) += 1;
    printf("sessions: %zu written, %" PRIu64 " random and %" PRIu64 " damaged sessions compared, seed %" PRIu64 "\n",
           COUNT(session_cases), crowds, number, seed);
    for (size_t i = 0; i < CONNS; i++) {
        buf_free(&t.theirs[i]);
        buf_free(&t.said[i]);
    }
    hub_free(t.h);
    real_disconnect(t.other);
    real_close(t.real);
    return real_verdict(passed, failed);
}
