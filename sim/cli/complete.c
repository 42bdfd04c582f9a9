/* complete.c - `locksim complete WORD...`: completions of the last word, for bash, zsh and fish. One candidate a line;
 * a line that begins with a colon asks the shell for file names: `:files SUFFIX` (and folders), `:files`, `:dirs`. It
 * reads the table of options and commands, so that no shell script repeats them. It is for shells only, so no help
 * lists it. */
#include <string.h>

#include "cli/cli.h"
#include "cli/plot_draw.h"
#include "model/model.h"
#include "report/lint.h"
#include "scenario/scenario.h"

typedef struct {
    buf out;
    str typed;             /* the present text of the last word */
} offer;

static void add(offer *o, const char *word)
{
    if (str_starts(str_from(word), o->typed))
        buf_printf(&o->out, "%s\n", word);
}

static void add_choices(offer *o, arena *a, const char *choices)
{
    str all = str_from(choices);
    for (size_t from = 0; from <= all.n; ) {
        size_t end = str_find(all, '|', from);
        add(o, arena_printf(a, "%.*s", STR_ARG(str_slice(all, from, end))).p);
        from = end + 1;
    }
}

static void add_commands(offer *o)
{
    for (size_t i = 0; i < COMMAND_COUNT; i++)
        add(o, command_name((command_kind)i));
}

static void add_faults(offer *o)
{
    for (size_t i = 0; i < FAULT_KINDS; i++)
        add(o, fault_name((fault_kind)i));
}

static void add_explained(offer *o)
{
    for (size_t i = 0; i < PROPERTY_COUNT; i++) {
        add(o, property_describe((property)i)->code);
        add(o, property_describe((property)i)->name);
    }
    for (size_t i = 0; i < LINT_CODES; i++)
        add(o, lint_codes[i].code);
    add_faults(o);
    static const char *const verdicts[] = { "PASS", "FAIL", "INCONCLUSIVE", "VACUOUS", "ERROR", "all" };
    for (size_t i = 0; i < COUNT(verdicts); i++)
        add(o, verdicts[i]);
}

/* File and folder names, which the shell knows better. `what` is an argument as in --help. */
static void add_places(offer *o, str what)
{
    static const char *const files[] = { "FILE", "PATH", "LOG" }, *const lua[] = { "SCRIPT", "ACQUIRE", "SCENARIO" };
    bool script = false, file = false;
    for (size_t i = 0; i < COUNT(lua); i++)
        script |= strstr(what.p, lua[i]) != NULL;
    for (size_t i = 0; i < COUNT(files); i++)
        file |= strstr(what.p, files[i]) != NULL;
    if (script || file)
        buf_addz(&o->out, script || strstr(what.p, "FILE|DIR") ? ":files .lua\n" : ":files\n");
    else if (strstr(what.p, "DIR"))
        buf_addz(&o->out, ":dirs\n");
}

static void add_options(offer *o, arena *a, command_kind c)
{
    option_facts f;
    for (size_t i = 0; option_describe(i, &f); i++) {
        if (!(f.commands & (1u << c)))
            continue;
        add(o, arena_printf(a, "--%s", f.name).p);
        if (f.letter)
            add(o, arena_printf(a, "-%c", f.letter).p);
    }
}

/* The value of an option that takes one. */
static void add_value(offer *o, arena *a, const option_facts *f)
{
    if (f->choices)
        add_choices(o, a, f->argument);
    else if (strcmp(f->name, "faults") == 0)
        add_faults(o);
    else if (strcmp(f->name, "only") == 0)
        for (size_t i = 0; i < plot_kinds(); i++)
            add(o, plot_kind_at(i)->name);
    else
        add_places(o, str_from(f->argument));
}

static bool takes_value(command_kind c, str word, option_facts *f)
{
    for (size_t i = 0; option_describe(i, f); i++)
        if ((f->commands & (1u << c)) && f->argument && word.n > 1 && word.p[0] == '-' &&
            ((word.n == 2 && word.p[1] == f->letter) ||
             (str_starts(word, S("--")) && str_eq(str_slice(word, 2, word.n), str_from(f->name)))))
            return true;
    return false;
}

static void add_words(offer *o, arena *a, command_kind c, str before)
{
    option_facts f;
    if (takes_value(c, before, &f))
        add_value(o, a, &f);
    else if (o->typed.n && o->typed.p[0] == '-')
        add_options(o, a, c);
    else if (c == COMMAND_LIST)
        add_choices(o, a, "scenarios|locks|properties|faults");
    else if (c == COMMAND_EXPLAIN)
        add_explained(o);
    else
        add_places(o, str_from(command_describe(c)->arguments));
}

int cli_complete(size_t count, char **words)
{
    arena *a = arena_new();
    offer o = { .typed = count ? str_from(words[count - 1]) : S("") };
    command_kind c;
    err e = { 0 };
    if (count <= 1) {
        add_commands(&o);
        add_choices(&o, a, "help|--help|--version");
    } else if (str_eq(str_from(words[0]), S("help"))) {
        add_commands(&o);
    } else if (command_parse(str_from(words[0]), &c, &e)) {
        add_words(&o, a, c, str_from(words[count - 2]));
    }
    err_clear(&e);
    bool told = print_out(&o.out);
    buf_free(&o.out);
    arena_free(a);
    return told ? STATUS_PASS : STATUS_IO;
}
