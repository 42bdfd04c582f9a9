/* replay_to.c - see replay_to.h. Each process has a connection for its commands and one for its channels, as clients
 * do; a pop that waits has one of its own. */
#include "cli/replay_to.h"

#include <errno.h>
#include <inttypes.h>
#include <netdb.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "base/mem.h"
#include "cli/resp.h"
#include "report/played.h"

enum { ANSWER_MS_MAX = 10000, WAITS_MS_MAX = 200, NEAR_MS = 250 };

typedef struct {
    int fd;
    uint32_t process;
    bool listens;
    resp_reader in;
} line;

typedef struct {
    const options *o;
    arena *memory;
    str host, port;
    line *lines;
    size_t line_count, line_cap;
    err *e;
} player;

static int64_t machine_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

static void sleep_until(int64_t at_ms)
{
    for (int64_t left; (left = at_ms - machine_ms()) > 0;)
        nanosleep(&(struct timespec){ .tv_sec = left / 1000, .tv_nsec = left % 1000 * 1000000 }, NULL);
}

static int connect_to(const player *p)
{
    struct addrinfo hints = { .ai_socktype = SOCK_STREAM }, *all = NULL;
    int fd = -1;
    if (getaddrinfo(p->host.p, p->port.p, &hints, &all) != 0)
        return -1;
    for (const struct addrinfo *a = all; a && fd < 0; a = a->ai_next) {
        fd = socket(a->ai_family, a->ai_socktype | SOCK_CLOEXEC, a->ai_protocol);
        if (fd >= 0 && connect(fd, a->ai_addr, a->ai_addrlen) != 0) {
            close(fd);
            fd = -1;
        }
    }
    freeaddrinfo(all);
    return fd;
}

static bool nobody(const player *p)
{
    err_set(p->e, ERR_USAGE, "--to %s: no Redis answers there", p->o->to);
    return err_hint(p->e, "HOST:PORT of a running server that may be changed: redis-server --port 7777 --save \"\"");
}

static line *open_line(player *p, uint32_t process, bool listens)
{
    int fd = connect_to(p);
    if (fd < 0) {
        nobody(p);
        return NULL;
    }
    MEM_RESERVE(p->lines, p->line_cap, p->line_count + 1);
    p->lines[p->line_count] = (line){ .fd = fd, .process = process, .listens = listens };
    return &p->lines[p->line_count++];
}

static line *line_of(player *p, uint32_t process, bool listens)
{
    for (size_t i = 0; i < p->line_count; i++)
        if (p->lines[i].process == process && p->lines[i].listens == listens)
            return &p->lines[i];
    return open_line(p, process, listens);
}

static bool send_words(const player *p, const line *l, const str *argv, size_t argc)
{
    buf b = { 0 };
    buf_printf(&b, "*%zu\r\n", argc);
    for (size_t i = 0; i < argc; i++) {
        buf_printf(&b, "$%zu\r\n", argv[i].n);
        buf_add(&b, argv[i]);
        buf_addz(&b, "\r\n");
    }
    bool ok = true;
    for (size_t done = 0; done < b.n && ok;) {
        ssize_t n = send(l->fd, b.p + done, b.n - done, MSG_NOSIGNAL);
        ok = n > 0 || errno == EINTR;
        done += n > 0 ? (size_t)n : 0;
    }
    buf_free(&b);
    return ok || nobody(p);
}

/* The next answer within most_ms. false: none came; *broken: none will. */
static bool read_answer(const player *p, line *l, int64_t most_ms, reply *out, bool *broken)
{
    char room[16384];
    int64_t until_ms = machine_ms() + most_ms;
    *broken = false;
    for (;;) {
        switch (resp_next(&l->in, p->memory, out)) {
        case RESP_READY: return true;
        case RESP_BROKEN: *broken = true; return false;
        case RESP_MORE: break;
        }
        int64_t left = until_ms - machine_ms();
        struct pollfd in = { .fd = l->fd, .events = POLLIN };
        if (left < 0 || poll(&in, 1, (int)left) == 0)
            return false;
        ssize_t n = recv(l->fd, room, sizeof room, 0);
        if (n == 0 || (n < 0 && errno != EINTR)) {
            *broken = true;
            return false;
        }
        if (n > 0)
            resp_feed(&l->in, (str){ .p = room, .n = (size_t)n });
    }
}

static bool ask(player *p, line *l, const str *argv, size_t argc, reply *out)
{
    bool broken;
    return send_words(p, l, argv, argc) && (read_answer(p, l, ANSWER_MS_MAX, out, &broken) || nobody(p));
}

/* The server must be empty: its data could belong to others. */
static bool check_empty(player *p)
{
    str info[] = { S("INFO"), S("keyspace") };
    reply r;
    line *l = line_of(p, NOBODY, false);
    if (!l || !ask(p, l, info, COUNT(info), &r))
        return false;
    size_t at = 0;
    while (at < r.text.n && !str_starts(str_slice(r.text, at, r.text.n), S("db")))
        at = str_find(r.text, '\n', at) + 1;
    if (r.kind == REPLY_ERROR)
        return err_set(p->e, ERR_USAGE, "--to %s: the server does not say whether it is empty: %.*s", p->o->to,
                       STR_ARG(r.text));
    if (at >= r.text.n || p->o->among_data)
        return true;
    err_set(p->e, ERR_USAGE, "--to %s: the server holds data, and the story would change keys of its names", p->o->to);
    return err_hint(p->e, "a server of its own: redis-server --port 7777 --save \"\"; or --among-data, if nothing "
                    "there matters");
}

static bool load_scripts(player *p, const story *run)
{
    for (size_t i = 0; i < run->request_count; i++) {
        str load[] = { S("SCRIPT"), S("LOAD"), run->requests[i].script };
        reply r;
        bool known = run->requests[i].script.n == 0;
        for (size_t k = 0; k < i && !known; k++)
            known = run->requests[k].script.p == run->requests[i].script.p;
        if (!known && !ask(p, line_of(p, NOBODY, false), load, COUNT(load), &r))
            return false;
    }
    return true;
}

static int by_order(const void *a, const void *b)
{
    const played_row *x = a, *y = b;
    return x->request->order < y->request->order ? -1 : 1;
}

static bool is_number(str s, int64_t *n)
{
    char *end;
    char room[24];
    if (s.n == 0 || s.n >= sizeof room)
        return false;
    memcpy(room, s.p, s.n);
    room[s.n] = '\0';
    *n = strtoll(room, &end, 10);
    return *end == '\0';
}

static played_kind compare(str ours, str theirs)
{
    int64_t x, y;
    if (str_eq(ours, theirs))
        return PLAYED_SAME;
    if (!is_number(ours, &x) || !is_number(theirs, &y) || x <= NEAR_MS || y <= 0)
        return PLAYED_DIFFERS;
    return x - y <= NEAR_MS && y - x <= NEAR_MS ? PLAYED_NEAR : PLAYED_DIFFERS;
}

static bool listens(const story_request *q)
{
    static const char *const names[] = { "subscribe", "unsubscribe", "psubscribe", "punsubscribe", "ssubscribe",
                                         "sunsubscribe" };
    for (size_t i = 0; q->argc && i < COUNT(names); i++)
        if (str_eq_nocase(q->argv[0], str_from(names[i])))
            return true;
    return false;
}

/* Each channel of a subscription is confirmed separately, and messages may come between. */
static bool read_confirmations(player *p, line *l, const story_request *q, reply *out)
{
    size_t wanted = q->argc > 1 ? q->argc - 1 : 1;
    reply all = reply_items(p->memory, REPLY_ARRAY, wanted);
    bool broken;
    for (size_t got = 0; got < wanted;) {
        reply r;
        if (!read_answer(p, l, ANSWER_MS_MAX, &r, &broken))
            return nobody(p);
        bool message = r.count > 0 && str_ends(r.items[0].text, S("message"));
        if (!message)
            all.items[got++] = r;
    }
    *out = wanted == 1 ? all.items[0] : all;
    return true;
}

static str shown(player *p, const reply *r)
{
    buf b = { 0 };
    reply_print_short(r, &b);
    str out = arena_str(p->memory, buf_str(&b));
    buf_free(&b);
    return out;
}

static bool play_request(player *p, played_row *row)
{
    const story_request *q = row->request;
    bool listener = listens(q), broken;
    reply r;
    line *l = q->waited ? open_line(p, NOBODY - 1, false) : line_of(p, q->process, listener);
    if (!l || !send_words(p, l, q->argv, q->argc))
        return false;
    if (q->waited)
        return true;                   /* answered at the end */
    if (listener ? !read_confirmations(p, l, q, &r) : !read_answer(p, l, ANSWER_MS_MAX, &r, &broken))
        return listener ? false : nobody(p);
    row->theirs = shown(p, &r);
    row->kind = compare(q->answer, row->theirs);
    return true;
}

/* Waiting pops: reads the answers that they have got by now. */
static void read_waits(player *p, played_row *rows, size_t n)
{
    size_t next = 0;
    for (size_t i = 0; i < n; i++) {
        bool broken;
        reply r;
        if (!rows[i].request->waited)
            continue;
        while (p->lines[next].process != NOBODY - 1)
            next++;
        rows[i].kind = rows[i].request->answer.n ? PLAYED_DIFFERS : PLAYED_WAITS;
        rows[i].theirs = S("(waits)");
        if (read_answer(p, &p->lines[next++], WAITS_MS_MAX, &r, &broken)) {
            rows[i].theirs = shown(p, &r);
            rows[i].kind = compare(rows[i].request->answer, rows[i].theirs);
        }
    }
}

static str server_faults(arena *a, const story *run)
{
    buf b = { 0 };
    for (fault_kind k = 0; k < FAULT_KINDS; k++) {
        size_t i = 0;
        while (i < run->mark_count &&
               (run->marks[i].kind != MARK_FAULT || !str_eq(run->marks[i].text, str_from(fault_name(k)))))
            i++;
        if (fault_by_server(k) && i < run->mark_count)
            buf_printf(&b, "%s%s", b.n ? " " : "", fault_name(k));
    }
    str out = arena_str(a, buf_str(&b));
    buf_free(&b);
    return out;
}

static bool play(player *p, const story *run, played_story *out)
{
    played_row *rows = ARENA_ARRAY(p->memory, played_row, run->request_count + 1);
    size_t n = 0;
    for (size_t i = 0; i < run->request_count; i++) {
        if (run->requests[i].order) {
            rows[n] = (played_row){ .request = &run->requests[i], .theirs = S("") };
            n++;
        }
        if (run->requests[i].server > 0) {
            err_set(p->e, ERR_USAGE, "--to: the story has several servers, and one was given");
            return err_hint(p->e, "only stories of one server can be played");
        }
    }
    if (n)
        qsort(rows, n, sizeof *rows, by_order);
    if (!check_empty(p) || !load_scripts(p, run))
        return false;
    for (size_t i = 0; i < n; i++)     /* now, so that no request waits for its connection */
        if (!rows[i].request->waited && !line_of(p, rows[i].request->process, listens(rows[i].request)))
            return false;
    int64_t begin_ms = machine_ms(), first_ms = n ? rows[0].request->executed_ms : 0;
    for (size_t i = 0; i < n; i++) {
        int64_t due_ms = begin_ms + rows[i].request->executed_ms - first_ms;
        if (!p->o->fast)
            sleep_until(due_ms);
        if (!play_request(p, &rows[i]))
            return false;
        rows[i].late = !p->o->fast && machine_ms() > due_ms + NEAR_MS;
    }
    read_waits(p, rows, n);
    out->rows = rows;
    out->count = n;
    return true;
}

static bool parse_address(player *p)
{
    str to = str_from(p->o->to);
    size_t colon = to.n;
    while (colon > 0 && to.p[colon - 1] != ':')
        colon--;
    if (colon < 2 || colon == to.n) {
        err_set(p->e, ERR_USAGE, "--to %s: HOST:PORT is expected", p->o->to);
        return err_hint(p->e, "for instance --to 127.0.0.1:7777");
    }
    bool brackets = to.p[0] == '[' && to.p[colon - 2] == ']';
    p->host = arena_str(p->memory, str_slice(to, brackets, colon - 1 - brackets));
    p->port = arena_str(p->memory, str_slice(to, colon, to.n));
    return true;
}

int replay_to(const options *o, str file, const story *run)
{
    arena *a = arena_new();
    err e = { 0 };
    player p = { .o = o, .memory = a, .e = &e };
    played_story told = { .file = file, .to = str_from(o->to), .fast = o->fast, .not_played = server_faults(a, run) };
    int status;
    if (parse_address(&p) && play(&p, run, &told)) {
        buf b = { 0 };
        report_style style = { .verbose = o->verbose,
                               .color = o->format == FORMAT_TEXT && print_wants_color(o->color) };
        status = played_is_inconclusive(&told) ? STATUS_INCONCLUSIVE : played_differs(&told) ? STATUS_VIOLATED
                 : STATUS_PASS;
        if (o->format == FORMAT_JSON)
            report_played_json(&told, status, &b);
        else
            report_played_text(&told, &style, &b);
        if (!print_out(&b))
            status = status_worse(status, STATUS_IO);
        buf_free(&b);
    } else {
        status = print_complaint(&e);
    }
    for (size_t i = 0; i < p.line_count; i++) {
        close(p.lines[i].fd);
        resp_free(&p.lines[i].in);
    }
    mem_free(p.lines);
    err_clear(&e);
    arena_free(a);
    return status;
}
