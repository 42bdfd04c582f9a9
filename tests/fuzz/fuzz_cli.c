/* fuzz_cli.c - any text as a saved counterexample and as the arguments of every subcommand: read, or refused with a
 * reason; a saved file that is read is the same when it is written and read again.
 * Input: the text; as arguments, one a line. */
#include "fuzz.h"

#include "judge/saved.h"
#include "world/world.h"

enum { ARGUMENTS_MAX = 30 };

static bool same_saved(const saved *x, const saved *y)
{
    bool same = str_eq(x->scenario, y->scenario) && x->property == y->property && x->seed == y->seed &&
                x->max_steps == y->max_steps &&
                x->script_count == y->script_count && str_eq(x->schedule, y->schedule);
    for (size_t i = 0; same && i < x->script_count; i++)
        same = str_eq(x->scripts[i], y->scripts[i]);
    return same;
}

/* A schedule is written an item a line: only one that is written so can come back the same. */
static bool plain_schedule(arena *a, str text)
{
    schedule_item *items;
    size_t count, at = 0;
    err e = { 0 };
    bool ok = schedule_parse(a, text, S("fuzz"), &items, &count, &e);
    for (size_t i = 0; ok && i < count; i++) {
        str parts[] = { items[i].token, items[i].argument };
        for (size_t p = 0; p < 2 && parts[p].n; p++) {
            ok = ok && str_starts(str_slice(text, at, text.n), parts[p]);
            at += parts[p].n;
            char next = p == 0 && parts[1].n ? ' ' : '\n';
            ok = ok && (at == text.n ? i + 1 == count : text.p[at] == next);
            at++;
        }
    }
    err_clear(&e);
    return ok && at == text.n + (count > 0);
}

static void as_saved(arena *a, str text)
{
    saved s, again;
    err e = { 0 };
    if (!saved_parse(a, S("saved.lua"), text, &s, &e)) {
        FUZZ_CHECK(e.class_ == ERR_SCENARIO && e.line >= 1 && e.message.n > 0, "refused without a word");
        err_clear(&e);
        return;
    }
    counterexample x = { .property = s.property, .text = S("a text\nof two lines") };
    buf out = { 0 };
    saved_print(&s, S("a file"), &x, &out);
    bool ok = saved_parse(a, S("saved.lua"), buf_str(&out), &again, &e);
    FUZZ_CHECK(ok, "written again it is refused: %.*s\n%.*s", STR_ARG(buf_str(&e.message)), STR_ARG(buf_str(&out)));
    FUZZ_CHECK(!plain_schedule(a, s.schedule) || same_saved(&s, &again), "written again it differs:\n%.*s",
               STR_ARG(buf_str(&out)));
    buf_free(&out);
}

static void as_arguments(arena *a, str text)
{
    str rest = text, line;
    char *argv[ARGUMENTS_MAX + 1];
    int argc = 0;
    while (argc < ARGUMENTS_MAX && fuzz_next(&rest, '\n', &line))
        argv[argc++] = (char *)(uintptr_t)arena_str(a, line).p;
    argv[argc] = NULL;
    for (int c = 0; c < COMMAND_COUNT; c++) {
        options o;
        err e = { 0 };
        if (!options_parse(a, (command_kind)c, argc, argv, &o, &e))
            FUZZ_CHECK(e.class_ == ERR_USAGE && e.message.n > 0, "refused without a word");
        err_clear(&e);
    }
    command_kind kind;
    err e = { 0 };
    uint32_t budgets[FAULT_KINDS];
    for (int i = 0; i < argc; i++) {
        if (!fault_budgets_parse(str_from(argv[i]), budgets, &e))
            FUZZ_CHECK(e.class_ == ERR_USAGE && e.message.n > 0, "refused without a word");
        err_clear(&e);
    }
    if (argc > 0 && !command_parse(str_from(argv[0]), &kind, &e))
        FUZZ_CHECK(e.class_ == ERR_USAGE && e.message.n > 0, "refused without a word");
    err_clear(&e);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    arena *a = arena_new();
    str text = arena_str(a, (str){ (const char *)data, size });
    as_saved(a, text);
    as_arguments(a, text);
    arena_free(a);
    return 0;
}
