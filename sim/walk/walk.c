/* walk.c - see walk.h: commands are read from a terminal or from a pipe, each is one line. */
#include "walk/walk.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <editline/readline.h>

#include "base/mem.h"
#include "host/files.h"
#include "judge/judge.h"
#include "judge/names.h"
#include "report/clean.h"
#include "report/fold.h"
#include "scenario/ids.h"
#include "walk/path.h"
#include "walk/show.h"

enum { SEARCH_STEPS_MAX = 100000, LINE_BYTES_MAX = 1 << 16 };

typedef struct {
    const options *o;
    arena *memory;
    scenario sc;
    path path;
    str scenario;          /* as the user named it, for `save` */
    saved from;            /* where a saved story was given */
    overrides by;
    search_path where;
    loader loader;
    uint32_t told;         /* properties whose violation was shown on this way */
    bool terminal, over;
    int status;
    buf out;
} walk;

typedef struct {
    const char *name, *letter, *argument, *help;
    void (*run)(walk *k, str argument);
} command;

/* The command that a line's first word may mean, or "". */
static str near_command(str line);

static void complain(walk *k, err *e)
{
    buf b = { 0 };
    err_print(e, &b);
    clean_lines(&k->out, buf_str(&b));
    buf_free(&b);
    err_clear(e);
}

/* What broke on a part of the way that is left is no longer broken. */
static void forget_broken(walk *k)
{
    buf none = { 0 };
    k->told = 0;
    show_broken(k->path.w, &k->told, &none);
    buf_free(&none);
}

/* After `rows` further rows: what happened, what broke, and what can happen next. */
static void show_after(walk *k, size_t rows)
{
    show_rows(k->path.w, rows, &k->out);
    show_broken(k->path.w, &k->told, &k->out);
    show_choices(k->path.w, k->where.shipped, &k->out);
}

static void take(walk *k, str words)
{
    err e = { 0 };
    size_t before = world_story(k->path.w)->count;
    if (path_take(&k->path, words, &e)) {
        show_after(k, world_story(k->path.w)->count - before);
        return;
    }
    complain(k, &e);
    str near = near_command(words);
    if (near.n)
        buf_printf(&k->out, "  or did you mean the command %.*s?\n", STR_ARG(near));
    else
        buf_addz(&k->out, "  list shows the steps, help the commands\n");
}

static uint64_t number_or(str s, uint64_t otherwise)
{
    uint64_t n = 0;
    for (size_t i = 0; i < s.n; i++) {
        if (s.p[i] < '0' || s.p[i] > '9' || n > 1000000000)
            return otherwise;
        n = n * 10 + (uint64_t)(s.p[i] - '0');
    }
    return s.n ? n : otherwise;
}

/* A number of steps, 1 where none is said. 0: it is no number, which is told. */
static uint64_t steps_of(walk *k, str s)
{
    uint64_t n = s.n ? number_or(s, 0) : 1;
    if (n == 0)
        buf_printf(&k->out, "how many steps? A number from 1 on, not %.*s\n", STR_ARG(s));
    return n;
}

static void move(walk *k, ptrdiff_t steps)
{
    err e = { 0 };
    if (!path_move(&k->path, steps, &e))
        complain(k, &e);
    if (steps < 0)
        forget_broken(k);
    show_after(k, 1);
}

static void run_back(walk *k, str argument)
{
    uint64_t n = steps_of(k, argument);
    if (n)
        move(k, -(ptrdiff_t)n);
}

static void run_forward(walk *k, str argument)
{
    uint64_t n = steps_of(k, argument);
    if (n && k->path.at == k->path.count)
        buf_addz(&k->out, "nothing is ahead: go lets the run go on by itself\n");
    else if (n)
        move(k, (ptrdiff_t)n);
}

/* What `next` can look for. */
typedef enum { KIND_GRANT, KIND_REFUSAL, KIND_RELEASE, KIND_MESSAGE, KIND_ANSWER, KIND_TIMEOUT, KIND_EXPIRY, KIND_BREAK,
               KIND_COUNT } event_word;
static const char *const kinds[KIND_COUNT] = { "grant", "refusal", "release", "message", "answer", "timeout", "expiry",
                                               "break" };

static bool mark_is(story_mark_kind m, event_word kind)
{
    static const story_mark_kind marks[] = { MARK_GRANTED, MARK_REFUSED, MARK_RELEASED, MARK_DELIVERED, MARK_ANSWERED,
                                             MARK_TIMED_OUT };
    return kind < (event_word)COUNT(marks) && marks[kind] == m;
}

typedef struct { size_t marks, keys; uint32_t told; } so_far;

static so_far now_of(const walk *k)
{
    const story *s = world_story(k->path.w);
    return (so_far){ .marks = s->mark_count, .keys = s->key_count, .told = k->told };
}

/* Has such an event happened since? */
static bool has_come(const walk *k, const so_far *since, event_word kind)
{
    const story *s = world_story(k->path.w);
    for (size_t i = since->marks; i < s->mark_count; i++)
        if (mark_is(s->marks[i].kind, kind))
            return true;
    for (size_t i = since->keys; i < s->key_count && kind == KIND_EXPIRY; i++)
        if (s->keys[i].expired)
            return true;
    for (int p = 0; p < PROPERTY_COUNT && kind == KIND_BREAK; p++)
        if (!(since->told >> p & 1) && model_violation(world_model(k->path.w), (property)p))
            return true;
    return false;
}

/* Lets time pass wherever it may, until a key expires. false: none does, and the world is as before. */
static bool pass_to_expiry(walk *k, const so_far *since)
{
    enum { PASSED_MAX = 300 };             /* who polls for ever makes more of them */
    err e = { 0 };
    bool rest = false, found = false, ok = true;
    size_t at = k->path.at;
    for (int i = 0; i < PASSED_MAX && !rest && !found && ok; i++) {
        ok = path_let_pass(&k->path, &rest, &e);
        found = ok && has_come(k, since, KIND_EXPIRY);
    }
    if (!found && k->path.at > at) {
        err_clear(&e);
        (void)path_move(&k->path, -(ptrdiff_t)(k->path.at - at), &e);
    }
    err_clear(&e);
    return found;
}

/* In the settled order, until `steps` are taken, such an event has come (KIND_COUNT: none is looked for), or nothing
 * goes on. */
static void go_on(walk *k, uint64_t steps, event_word kind)
{
    err e = { 0 };
    so_far since = now_of(k);
    size_t before = world_story(k->path.w)->count;
    bool rest = false, found = kind == KIND_EXPIRY && pass_to_expiry(k, &since), ok = true;
    for (uint64_t i = 0; i < steps && !rest && !found && ok; i++) {
        ok = path_settle(&k->path, &rest, &e);
        found = ok && kind != KIND_COUNT && has_come(k, &since, kind);
    }
    show_after(k, world_story(k->path.w)->count - before);
    if (!ok)
        complain(k, &e);
    else if (rest)
        buf_printf(&k->out, "at rest: without faults nothing is left to happen%s%s\n",
                   kind == KIND_COUNT || found ? "" : ", and there was no ",
                   kind == KIND_COUNT || found ? "" : kinds[kind]);
    else if (kind != KIND_COUNT && !found)
        buf_printf(&k->out, "no %s within %d steps\n", kinds[kind], (int)steps);
}

static void run_go(walk *k, str argument)
{
    uint64_t n = steps_of(k, argument);
    if (n == 0)
        return;
    go_on(k, n < SEARCH_STEPS_MAX ? n : SEARCH_STEPS_MAX, KIND_COUNT);
}

static void run_next(walk *k, str argument)
{
    for (int i = 0; i < KIND_COUNT; i++)
        if (str_eq(argument, str_from(kinds[i]))) {
            go_on(k, SEARCH_STEPS_MAX, (event_word)i);
            return;
        }
    buf_addz(&k->out, "next what? One of");
    for (int i = 0; i < KIND_COUNT; i++)
        buf_printf(&k->out, " %s", kinds[i]);
    buf_byte(&k->out, '\n');
}

static void run_list(walk *k, str argument)
{
    (void)argument;
    show_choices(k->path.w, k->where.shipped, &k->out);
}

static void run_keys(walk *k, str argument)
{
    (void)argument;
    show_keys(k->path.w, &k->out);
}

static void run_tasks(walk *k, str argument)
{
    (void)argument;
    show_tasks(&k->sc, k->path.w, k->where.shipped, &k->out);
}

static void run_monitors(walk *k, str argument)
{
    (void)argument;
    show_monitors(k->path.w, &k->out);
}

static void run_story(walk *k, str argument)
{
    (void)argument;
    show_rows(k->path.w, SIZE_MAX, &k->out);
}

/* The first property that is broken, and how. */
static const violation *broken(const walk *k)
{
    for (int p = 0; p < PROPERTY_COUNT; p++) {
        const violation *v = model_violation(world_model(k->path.w), (property)p);
        if (v)
            return v;
    }
    return NULL;
}

/* May `file` be written? Not over what no walk and no run saved. */
static bool may_save(arena *a, str file, err *e)
{
    saved before;
    str text;
    err other = { 0 };
    bool is_other = files_read(a, file, &text, &other) && text.n && !saved_parse(a, file, text, &before, &other);
    err_clear(&other);
    return !is_other || err_at(e, ERR_USAGE, file, 0, 0, "is there, and is no saved way: it is not overwritten");
}

static void run_save(walk *k, str file)
{
    err e = { 0 };
    buf text = { 0 }, schedule = { 0 };
    str written, folder = files_folder(file);
    if (!file.n) {
        buf_addz(&k->out, "save where? save FILE.lua\n");
        return;
    }
    arena *a = arena_new();
    path_text(&k->path, &schedule);
    if (k->path.sc->ids) {
        str order = ids_word(a, k->path.sc), items = arena_str(a, buf_str(&schedule));
        buf_clear(&schedule);
        buf_printf(&schedule, "%.*s\n%.*s", STR_ARG(order), STR_ARG(items));
    }
    bool ok = may_save(a, file, &e) && (!folder.n || files_make_folder(a, folder, &e));
    if (ok) {
        const violation *v = broken(k);
        saved s = { .scenario = names_relative(a, folder, k->scenario),
                    .property = v ? v->property : PROPERTY_COUNT, .seed = 1,
                    .by = { .faults = path_faults(&k->path, a), .dialect = k->by.dialect },
                    .schedule = buf_str(&schedule) };
        s.scripts = ARENA_ARRAY(a, str, k->where.script_count + 1);
        for (size_t i = 0; i < k->where.script_count; i++)
            s.scripts[s.script_count++] = files_relative(a, folder, str_from(k->where.scripts[i]));
        str what = v ? v->text : S("a way walked by hand; nothing is broken on it");
        counterexample x = { .property = s.property, .text = what,
                             .story = *world_story(k->path.w) };
        saved_print(&s, file, &x, &text);
        ok = files_write(a, folder, files_name(file), buf_str(&text), &written, &e);
    }
    if (ok)
        buf_printf(&k->out, "saved %.*s: `%s replay` tells it, `%s walk` goes on from it\n", STR_ARG(written),
                   k->o->program, k->o->program);
    else if (e.class_ == ERR_IO)
        k->status = STATUS_IO;                     /* the walk goes on, and its end says that something is missing */
    if (!ok)
        complain(k, &e);
    buf_free(&text);
    buf_free(&schedule);
    arena_free(a);
}

static void run_quit(walk *k, str argument)
{
    (void)argument;
    k->over = true;
}

static void run_help(walk *k, str argument);

static const command commands[] = {
    { "list", "l", "", "what can happen next", run_list },
    { "back", "b", " [N]", "N steps back (1)", run_back },
    { "forward", "f", " [N]", "N steps on, on the way that lies ahead (1)", run_forward },
    { "go", "g", " [N]", "N steps without choices (1); no fault comes by itself", run_go },
    { "next", "n", " EVENT", "the same until a grant, refusal, release, message, ...", run_next },
    { "keys", "k", "", "the keyspace, with TTLs", run_keys },
    { "tasks", "t", "", "each task, its line of code, and what its code holds", run_tasks },
    { "monitors", "m", "", "locks, their queues, who waits, what is broken", run_monitors },
    { "story", "s", "", "what has happened so far", run_story },
    { "save", "w", " FILE", "the way so far as a file for replay and walk", run_save },
    { "help", "h", "", "this list", run_help },
    { "quit", "q", "", "the end", run_quit },
};

static str near_command(str line)
{
    str names[COUNT(commands)];
    for (size_t i = 0; i < COUNT(commands); i++)
        names[i] = str_from(commands[i].name);
    return err_nearest(str_slice(line, 0, str_find(line, ' ', 0)), names, COUNT(names));
}

static void run_help(walk *k, str argument)
{
    (void)argument;
    buf_printf(&k->out, "NUMBER           takes that step of the list\n"
                        "STEP             takes the step of that name: A.acquire +100 !pause A\n"
                        "                 (a fault beyond its budget, too: `%s list faults`)\n", k->o->program);
    for (size_t i = 0; i < COUNT(commands); i++)
        buf_printf(&k->out, "%s, %s%-*s %s\n", commands[i].letter, commands[i].name,
                   (int)(13 - strlen(commands[i].name)), commands[i].argument, commands[i].help);
}

static void take_line(walk *k, str line)
{
    while (line.n > 0 && strchr(" \t\r", line.p[line.n - 1]))
        line.n--;
    while (line.n > 0 && strchr(" \t", line.p[0]))
        line = str_slice(line, 1, line.n);
    if (line.n == 0 || line.p[0] == '#')
        return;
    size_t end = str_find(line, ' ', 0);
    str word = str_slice(line, 0, end), rest = end < line.n ? str_slice(line, end + 1, line.n) : S("");
    buf name = { 0 };
    const command *c = NULL;
    for (size_t i = 0; i < COUNT(commands) && !c; i++)
        if (str_eq(word, str_from(commands[i].name)) || str_eq(word, str_from(commands[i].letter)))
            c = &commands[i];
    if (c)
        c->run(k, rest);
    else if (number_or(line, UINT64_MAX) == UINT64_MAX)
        take(k, line);
    else if (show_choice(k->path.w, (size_t)number_or(line, 0), &name))
        take(k, buf_str(&name));
    else
        buf_printf(&k->out, "there is no step %.*s: list shows them\n", STR_ARG(line));
    buf_free(&name);
}

static void flush(walk *k)
{
    if (k->terminal)
        fold_lines(&k->out, 0, print_width(STDOUT_FILENO));
    if (!print_out(&k->out)) {
        k->status = STATUS_IO;
        k->over = true;
    }
    buf_clear(&k->out);
}

static void from_terminal(walk *k)
{
    while (!k->over) {
        char *line = readline("walk> ");
        if (!line) {
            fputc('\n', stdout);
            return;
        }
        if (*line)
            add_history(line);
        take_line(k, str_from(line));
        free(line);
        flush(k);
    }
}

/* What goes beyond LINE_BYTES_MAX is dropped, so that a stream without newlines cannot fill the memory. */
static void from_pipe(walk *k)
{
    buf line = { 0 };
    for (int c = 0; c != EOF && !k->over;) {
        buf_clear(&line);
        while ((c = getc(stdin)) != EOF && c != '\n')
            if (line.n < LINE_BYTES_MAX)
                buf_byte(&line, (char)c);
        take_line(k, buf_str(&line));
        flush(k);
    }
    buf_free(&line);
}

/* FILE is a scenario, or a story that `run` or `save` saved: then its way lies behind, up to its end. */
static bool open(walk *k, str file, err *e)
{
    str text;
    err no_story = { 0 };
    options with = *k->o;
    overrides by = options_overrides(k->o);
    if (!files_read(k->memory, names_split(file).file, &text, e))
        return false;
    bool story = saved_parse(k->memory, file, text, &k->from, &no_story) && !k->from.client_count;
    err_clear(&no_story);
    k->scenario = file;
    if (story) {
        with.scripts = ARENA_ARRAY(k->memory, const char *, with.script_count + k->from.script_count + 1);
        memcpy(with.scripts, k->o->scripts, k->o->script_count * sizeof *with.scripts);
        for (size_t i = 0; i < k->from.script_count; i++)
            with.scripts[with.script_count++] = files_tidy(k->memory, files_join(k->memory, files_folder(file),
                                                                                 k->from.scripts[i])).p;
        by = k->from.by;
        k->scenario = names_tidy(k->memory, files_join(k->memory, files_folder(file), k->from.scenario));
    } else {
        k->from = (saved){ .schedule = S("") };
    }
    k->where = search_path_new(k->memory, &with);
    k->by = by;
    if (!judge_load(k->memory, &k->where, k->scenario, by, &k->sc, e))
        return false;
    k->loader = search_path_loader(&k->where);
    str schedule = story ? k->from.schedule : k->o->schedule ? str_from(k->o->schedule) : S("");
    return path_open(&k->path, &k->sc, &k->loader, k->o, schedule, e) &&
           path_move(&k->path, (ptrdiff_t)k->path.count, e);
}

int walk_main(const options *o)
{
    walk k = { .o = o, .memory = arena_new(), .terminal = isatty(STDIN_FILENO) && isatty(STDOUT_FILENO) };
    err e = { 0 };
    if (open(&k, str_from(o->arguments[0]), &e)) {
        if (k.terminal)
            buf_addz(&k.out, "help lists the commands; a number takes that step\n");
        show_after(&k, k.path.at ? 3 : 0);
        flush(&k);
        if (k.terminal)
            from_terminal(&k);
        else
            from_pipe(&k);
    } else {
        k.status = print_complaint(&e);
    }
    err_clear(&e);
    path_close(&k.path);
    buf_free(&k.out);
    arena_free(k.memory);
    return k.status;
}
