/* shell.c - `locksim shell`: a prompt like redis-cli's on the Redis in memory, with a clock that only the user
 * moves. */
#include "cli/cli.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <editline/readline.h>

#include "base/mem.h"
#include "base/words.h"
#include "host/files.h"
#include "redis/redis.h"
#include "report/clean.h"
#include "script/script.h"

#define SHELL_EPOCH_MS INT64_C(1700000000000)      /* where every virtual clock starts */
#define ADVANCE_MS_MAX INT64_C(1000000000000000)
#define LINE_BYTES_MAX ((size_t)64 << 20)

typedef struct {
    str name;
    redis_conn *conn;
} client;

typedef struct {
    redis *server;
    int64_t now_ms;
    client *clients;               /* connection i has id i */
    size_t client_count, client_cap, current;
    search_path path;
    arena *lasting, *passing;      /* of the session; of one line */
    buf out, messages;             /* messages are printed after the reply of the command that caused them */
    bool interactive, over;
    int status;
} shell;

/* A heading for lines of another connection than the typing one. */
static void say_to(shell *sh, uint32_t conn)
{
    if (conn == sh->current)
        return;
    buf_addz(&sh->messages, "to ");
    clean_text(&sh->messages, sh->clients[conn].name);
    buf_addz(&sh->messages, ":\n");
}

/* As redis-cli prints it, but without raw bytes of a status or an error, which could control the terminal. */
static void print_reply(const reply *r, buf *out)
{
    buf raw = { 0 };
    reply_print(r, 0, &raw);
    clean_lines(out, buf_str(&raw));
    buf_byte(out, '\n');
    buf_free(&raw);
}

static void on_message(void *context, uint32_t conn, str channel, str payload, str pattern)
{
    shell *sh = context;
    reply plain[] = { reply_bulk(S("message")), reply_bulk(channel), reply_bulk(payload) };
    reply matched[] = { reply_bulk(S("pmessage")), reply_bulk(pattern), reply_bulk(channel), reply_bulk(payload) };
    reply message = { .kind = REPLY_ARRAY, .items = pattern.n ? matched : plain,
                      .count = pattern.n ? COUNT(matched) : COUNT(plain) };
    say_to(sh, conn);
    print_reply(&message, &sh->messages);
}

static void on_answered(void *context, uint32_t conn, const reply *r)
{
    shell *sh = context;
    say_to(sh, conn);
    print_reply(r, &sh->messages);
}

static void on_log(void *context, int level, str text)
{
    (void)context;
    static const char *const levels[] = { "debug", "verbose", "notice", "warning" };
    buf b = { 0 };
    clean_text(&b, text);
    fprintf(stderr, "redis.log %s: %s\n", levels[level & 3], b.p ? b.p : "");
    buf_free(&b);
}

/* A script's error is in its reply; the rest Redis would not say, so the shell does. */
static void on_finding(void *context, script_finding kind, str sha1, int line, str text)
{
    (void)context;
    if (kind == FINDING_SCRIPT_ERROR)
        return;
    static const char *const words[] = {
        [FINDING_UNDECLARED_KEY] = "undeclared key", [FINDING_CROSS_SLOT] = "keys in several slots",
        [FINDING_LEAKED_GLOBAL] = "leaked global", [FINDING_SCRIPT_ERROR] = "error",
        [FINDING_BUDGET] = "budget", [FINDING_CRASH] = "a real server would crash",
    };
    buf b = { 0 };
    clean_text(&b, text);
    fprintf(stderr, "LK050 script %.8s line %d: %s: %s\n", sha1.n >= 8 ? sha1.p : "????????", line, words[kind],
            b.p ? b.p : "");
    buf_free(&b);
}

static size_t client_find(shell *sh, str name)
{
    for (size_t i = 0; i < sh->client_count; i++)
        if (str_eq(sh->clients[i].name, name))
            return i;
    MEM_RESERVE(sh->clients, sh->client_cap, sh->client_count + 1);
    sh->clients[sh->client_count] = (client){
        .name = arena_str(sh->lasting, name),
        .conn = redis_connect(sh->server, (uint32_t)sh->client_count),
    };
    return sh->client_count++;
}

/* A complaint about a dot-command: the session goes on, a piped one ends with the status. */
static void complain(shell *sh, err *e)
{
    sh->status = status_worse(sh->status, print_complaint(e));
    err_clear(e);
}

/* Unix milliseconds as a date in UTC, by the civil calendar (Hinnant, "chrono-compatible low-level date
 * algorithms"). */
static void add_date(buf *b, int64_t ms)
{
    int64_t days = ms / 86400000, in_day = ms % 86400000;
    int64_t z = days + 719468, era = z / 146097, doe = z - era * 146097;
    int64_t yoe = (doe - doe / 1460 + doe / 36524 - doe / 146096) / 365, doy = doe - (365 * yoe + yoe / 4 - yoe / 100);
    int64_t mp = (5 * doy + 2) / 153, day = doy - (153 * mp + 2) / 5 + 1, month = mp < 10 ? mp + 3 : mp - 9;
    buf_printf(b, "%04" PRId64 "-%02" PRId64 "-%02" PRId64 " %02" PRId64 ":%02" PRId64 ":%02" PRId64 ".%03" PRId64
               " UTC",
               yoe + era * 400 + (month <= 2), month, day, in_day / 3600000, in_day / 60000 % 60, in_day / 1000 % 60,
               in_day % 1000);
}

static void print_clock(shell *sh)
{
    buf_printf(&sh->out, "%" PRId64 " ms (", sh->now_ms);
    add_date(&sh->out, sh->now_ms);
    buf_printf(&sh->out, ", +%" PRId64 " ms since the start)\n", sh->now_ms - SHELL_EPOCH_MS);
}

static void advance(shell *sh, str ms)
{
    int64_t n = 0;
    bool ok = ms.n > 0 && ms.n <= 18;
    for (size_t i = 0; ok && i < ms.n; i++) {
        ok = ms.p[i] >= '0' && ms.p[i] <= '9';
        n = n * 10 + (ms.p[i] - '0');
    }
    if (!ok || n > ADVANCE_MS_MAX || sh->now_ms - SHELL_EPOCH_MS > ADVANCE_MS_MAX - n) {
        err e = { 0 };
        err_set(&e, ERR_USAGE, ".advance takes a whole number of milliseconds, at most %" PRId64 " in all",
                ADVANCE_MS_MAX);
        complain(sh, &e);
        return;
    }
    sh->now_ms += n;
    redis_timeouts(sh->server, sh->now_ms);
    print_clock(sh);
}

static void show_key(void *context, str key, str shown, int64_t ttl_ms)
{
    shell *sh = context;
    clean_text(&sh->out, key);
    buf_byte(&sh->out, ' ');
    clean_text(&sh->out, shown);
    if (ttl_ms >= 0)
        buf_printf(&sh->out, "  ttl %" PRId64, ttl_ms);
    buf_byte(&sh->out, '\n');
}

static void list_keys(shell *sh)
{
    size_t before = sh->out.n;
    redis_each_key(sh->server, sh->now_ms, sh->passing, show_key, sh);
    if (sh->out.n == before)
        buf_addz(&sh->out, "(no keys)\n");
}

static bool read_script(shell *sh, str name, str *text, err *e)
{
    str path;
    loader l = search_path_loader(&sh->path);
    if (name.n && name.p[0] == '/')
        return files_read(sh->passing, name, text, e);
    return l.read(l.context, name, sh->passing, &path, text, e);
}

static void load(shell *sh, str name)
{
    err e = { 0 };
    str text, why;
    if (!read_script(sh, name, &text, &e)) {
        complain(sh, &e);
    } else if (!redis_load_script(sh->server, text, sh->passing, &why)) {
        buf_addz(&sh->out, "(error) ");
        clean_text(&sh->out, why);
        buf_byte(&sh->out, '\n');
    } else {
        char hex[41];
        redis_sha1(text, hex);
        buf_printf(&sh->out, "\"%s\"\n", hex);
    }
}

static const struct { const char *name, *argument, *help; } dots[] = {
    { ".clock", "", "what time it is" },
    { ".advance", "MS", "let MS milliseconds pass" },
    { ".keys", "", "every live key with its value and TTL" },
    { ".load", "FILE", "load a script (SCRIPT LOAD) and print its SHA-1; looked for here, under --scripts, among the "
      "shipped" },
    { ".client", "NAME", "go on as another connection, made at its first use; what others are told is shown with their "
      "name" },
    { ".help", "", "this list" },
    { ".quit", "", "leave (so do quit, exit and the end of the input)" },
};

static void help(shell *sh)
{
    buf_addz(&sh->out, "Redis commands as in redis-cli, quoting included; \"$(cat FILE)\" stands for a file's text. "
             "Also:\n");
    for (size_t i = 0; i < COUNT(dots); i++)
        buf_printf(&sh->out, "  %-8s %-5s  %s\n", dots[i].name, dots[i].argument, dots[i].help);
    buf_addz(&sh->out, "CLOCK GET and CLOCK ADVANCE MS move the clock as in `locksim serve --clock manual`.\n");
}

static void help_clock(shell *sh)
{
    buf_addz(&sh->out, "CLOCK GET         what time it is, as .clock\n"
                       "CLOCK ADVANCE MS  let MS milliseconds pass, as .advance\n"
                       "CLOCK HELP        this list\n"
                       "This clock goes forward only, and stands still until it is moved.\n");
}

/* The commands by which `serve` moves its clock. */
static void run_clock(shell *sh, const str *words, size_t count)
{
    if (count == 3 && str_eq_nocase(words[1], S("advance"))) {
        advance(sh, words[2]);
    } else if (count == 1 || (count == 2 && str_eq_nocase(words[1], S("get")))) {
        print_clock(sh);
    } else if (count == 2 && str_eq_nocase(words[1], S("help"))) {
        help_clock(sh);
    } else {
        err e = { 0 };
        err_set(&e, ERR_USAGE, "usage: CLOCK GET or CLOCK ADVANCE MS; this clock goes forward only");
        err_hint(&e, "clock help lists its words");
        complain(sh, &e);
    }
}

static void run_dot(shell *sh, const str *words, size_t count)
{
    err e = { 0 };
    size_t known = 0;
    while (known < COUNT(dots) && !str_eq(words[0], str_from(dots[known].name)))
        known++;
    if (known == COUNT(dots)) {
        str names[COUNT(dots)];
        for (size_t i = 0; i < COUNT(dots); i++)
            names[i] = str_from(dots[i].name);
        str near = err_nearest(words[0], names, COUNT(names));
        err_set(&e, ERR_USAGE, "the shell knows no '%.*s'", STR_ARG(words[0]));
        if (near.n)
            err_hint(&e, "did you mean %.*s?", STR_ARG(near));
        err_hint(&e, ".help lists what it knows");
        complain(sh, &e);
    } else if ((count == 2) != (dots[known].argument[0] != '\0') || count > 2) {
        err_set(&e, ERR_USAGE, "usage: %s %s", dots[known].name, dots[known].argument);
        complain(sh, &e);
    } else switch (known) {
        case 0: print_clock(sh); break;
        case 1: advance(sh, words[1]); break;
        case 2: list_keys(sh); break;
        case 3: load(sh, words[1]); break;
        case 4: sh->current = client_find(sh, words[1]); break;
        case 5: help(sh); break;
        default: sh->over = true; break;
    }
}

/* "$(cat FILE)" as a whole word is the file's text less its final newlines, as the system's shell would pass it on, so
 * that lines from a tutorial can be pasted. */
static bool expand_cat(shell *sh, str *word, err *e)
{
    if (!str_starts(*word, S("$(cat ")) || !str_ends(*word, S(")")))
        return true;
    str name = str_slice(*word, 6, word->n - 1), text;
    if (!read_script(sh, name, &text, e))
        return false;
    while (text.n && text.p[text.n - 1] == '\n')
        text.n--;
    *word = text;
    return true;
}

static bool confirms_subscription(str name)
{
    static const char *const names[] = { "subscribe", "unsubscribe", "psubscribe", "punsubscribe", "ssubscribe",
                                         "sunsubscribe" };
    for (size_t i = 0; i < COUNT(names); i++)
        if (str_eq_nocase(name, str_from(names[i])))
            return true;
    return false;
}

static void run_redis(shell *sh, const str *words, size_t count)
{
    const client *who = &sh->clients[sh->current];
    if (redis_waits(who->conn)) {
        err e = { 0 };
        err_set(&e, ERR_USAGE, "%.*s waits for an answer and can send nothing", STR_ARG(who->name));
        err_hint(&e, ".client NAME goes on as another connection; .advance MS lets the time-out pass");
        complain(sh, &e);
        return;
    }
    reply r = redis_execute(sh->server, who->conn, words, count, sh->now_ms, sh->passing);
    if (redis_waits(who->conn)) {
        clean_text(&sh->out, who->name);
        buf_addz(&sh->out, " waits\n");
        return;
    }
    bool several = confirms_subscription(words[0]) && r.kind == REPLY_ARRAY && r.count > 0 &&
                   r.items[0].kind == REPLY_ARRAY;
    for (size_t i = 0; i < (several ? r.count : 1); i++) {
        print_reply(several ? &r.items[i] : &r, &sh->out);
    }
}

static void run_line(shell *sh, str line)
{
    str *words;
    bool *quoted;
    size_t count;
    if (!words_split(sh->passing, line, &words, &quoted, &count)) {
        buf_addz(&sh->out, "Invalid argument(s)\n");
        return;
    }
    if (count && !quoted[0] && str_eq(words[0], S("redis-cli"))) {
        words++;
        quoted++;
        count--;
    }
    if (count == 0 || words[0].n == 0 || (!quoted[0] && words[0].p[0] == '#'))
        return;
    if (!quoted[0] && words[0].p[0] == '.') {
        run_dot(sh, words, count);
        return;
    }
    if (count == 1 && (str_eq_nocase(words[0], S("quit")) || str_eq_nocase(words[0], S("exit")))) {
        sh->over = true;
        return;
    }
    if (str_eq_nocase(words[0], S("help")) && count == 1) {
        help(sh);
        return;
    }
    if (str_eq_nocase(words[0], S("help")) && count == 2 && str_eq_nocase(words[1], S("clock"))) {
        help_clock(sh);
        return;
    }
    if (str_eq_nocase(words[0], S("clock"))) {
        run_clock(sh, words, count);
        return;
    }
    err e = { 0 };
    for (size_t i = 1; i < count; i++)
        if (!expand_cat(sh, &words[i], &e)) {
            complain(sh, &e);
            return;
        }
    run_redis(sh, words, count);
}

static void take_line(shell *sh, str line)
{
    run_line(sh, line);
    buf_add(&sh->out, buf_str(&sh->messages));
    buf_clear(&sh->messages);
    if (!print_out(&sh->out)) {
        sh->status = STATUS_IO;
        sh->over = true;
    }
    buf_clear(&sh->out);
    arena_reset(sh->passing);
}

/* A line without its newline; false at the end of the input. What goes beyond LINE_BYTES_MAX is dropped, so that a
 * stream without newlines cannot fill the memory. */
static bool read_line(FILE *f, buf *line)
{
    buf_clear(line);
    int c;
    while ((c = getc(f)) != EOF && c != '\n')
        if (line->n < LINE_BYTES_MAX)
            buf_byte(line, (char)c);
    return c != EOF || line->n > 0;
}

static void from_terminal(shell *sh)
{
    while (!sh->over) {
        buf prompt = { 0 };
        if (sh->current)
            clean_text(&prompt, sh->clients[sh->current].name);
        else
            buf_addz(&prompt, "locksim");
        buf_addz(&prompt, "> ");
        char *line = readline(prompt.p);
        buf_free(&prompt);
        if (!line) {
            fputc('\n', stdout);                   /* the system's prompt begins on a line of its own */
            break;
        }
        if (*line)
            add_history(line);
        take_line(sh, str_from(line));
        free(line);
    }
}

static void from_text(shell *sh, str text)
{
    for (size_t from = 0; from < text.n && !sh->over; ) {
        size_t end = str_find(text, '\n', from);
        take_line(sh, str_slice(text, from, end));
        from = end + 1;
    }
}

int shell_main(const options *o)
{
    shell sh = { .now_ms = SHELL_EPOCH_MS, .lasting = arena_new(), .passing = arena_new() };
    err e = { 0 };
    str text = { 0 };
    sh.path = search_path_new(sh.lasting, o);
    if (o->argument_count && !files_read(sh.lasting, str_from(o->arguments[0]), &text, &e)) {
        sh.status = print_complaint(&e);
        err_clear(&e);
        arena_free(sh.lasting);
        arena_free(sh.passing);
        return sh.status;
    }
    redis_limits limits = { .cluster = o->cluster ? CLUSTER_YES : CLUSTER_NOT_SAID, .packings = true };
    if (o->dialect)                                /* options_parse has looked at it */
        dialect_parse(str_from(o->dialect), &limits.dialect);
    print_unproved(limits.dialect);
    sh.server = redis_new(limits);
    redis_observer observer = { .context = &sh, .message = on_message, .finding = on_finding, .log = on_log,
                                .answered = on_answered };
    redis_observe(sh.server, &observer);
    sh.current = client_find(&sh, S("main"));
    sh.interactive = o->argument_count == 0 && isatty(STDIN_FILENO) && isatty(STDOUT_FILENO);
    if (o->argument_count) {
        from_text(&sh, text);
    } else if (sh.interactive) {
        fputs("A Redis in memory; the clock stands still until .advance moves it. help lists the shell's own words.\n",
              stdout);
        from_terminal(&sh);
    } else {
        buf line = { 0 };
        while (!sh.over && read_line(stdin, &line))
            take_line(&sh, buf_str(&line));
        buf_free(&line);
    }
    for (size_t i = 0; i < sh.client_count; i++)
        redis_disconnect(sh.server, sh.clients[i].conn);
    redis_free(sh.server);
    mem_free(sh.clients);
    buf_free(&sh.out);
    buf_free(&sh.messages);
    arena_free(sh.lasting);
    arena_free(sh.passing);
    return sh.interactive ? STATUS_PASS : sh.status;
}
