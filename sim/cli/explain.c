/* explain.c - `locksim explain`: the meaning of a finding code, property, verdict or fault, and what to do about it. */
#include <string.h>
#include <unistd.h>

#include "base/wrap.h"
#include "cli/cli.h"
#include "model/model.h"
#include "report/lint.h"
#include "scenario/scenario.h"

static const struct { const char *name, *text; } verdicts[] = {
    { "PASS",
      "Every property that was judged came out as expected, within what was searched. Exit status 0.\n"
      "What that covers (clients, faults, bounds, whether anything was left out) is printed by --verbose: a sampled\n"
      "search that found nothing has not shown that there is nothing.\n" },
    { "FAIL",
      "A property broke that should hold, or one that was expected to break holds after a complete search. Exit status "
      "1.\n"
      "The counterexample under it is the shortest found, saved as a file and replayed from that file before it is "
      "shown.\n" },
    { "INCONCLUSIVE",
      "A limit came first (steps, runs, time, end_ms), or a property that was expected to be violated did not break in "
      "a\n"
      "sampled search. Exit status 2. Raise the limit, search longer, or narrow the scenario.\n" },
    { "VACUOUS",
      "Nothing broke, but what had to be seen (must_see: an expiry, a wait, a fault) never happened, so the pass says\n"
      "nothing. Exit status 3. Change times or faults so that the danger occurs. Or none of the scenario's faults "
      "could\n"
      "happen, no grant had a token (fencing), nobody waited (fifo). Or nobody was ever granted a lock for\n"
      "which somebody asked: then what acquire answered is told beside what the driver's `granted` expects. Or the "
      "program\n"
      "sent no request at all.\n" },
    { "ERROR",
      "The scenario could not be judged: a driver or program ended in an uncaught error (exit status 4), the scenario "
      "is\n"
      "wrong (65), or locksim is (70). The diagnostic says where. Other scenarios of the same run are judged all the "
      "same.\n" },
};

static void explain_property(const property_info *p, buf *b)
{
    buf_printf(b, "%s  %s\n\nHolds when: %s\n", p->code, p->name, p->promise);
    buf_printf(b, "Judged %s%s.\n\n", p->compared ? "by `locksim compare` only" : p->by_default
               ? "unless the scenario says otherwise" : "when the scenario's `expect` names it",
               p->along_a_run ? "" : ", by an exhaustive search only");
    if (p->parameter)
        buf_printf(b, "Its number: %s = { \"holds\", %s = %lld }.\n\n", p->name, p->parameter,
                   (long long)p->parameter_default);
    buf_addz(b, p->explain);
    if (b->n && b->p[b->n - 1] != '\n')
        buf_byte(b, '\n');
}

static bool explain_lint(str word, buf *b)
{
    const lint_code *c = lint_code_find(word);
    if (c)
        buf_printf(b, "%s  %s (locksim lint)\n\nFound: %s.\n%s", c->code, c->name, c->summary, c->explain);
    return c != NULL;
}

static bool explain_one(str word, buf *b, err *e)
{
    if (b->n)
        buf_byte(b, '\n');
    property p;
    fault_kind f;
    for (size_t i = 0; i < PROPERTY_COUNT; i++)
        if (str_eq_nocase(word, str_from(property_describe((property)i)->code))) {
            explain_property(property_describe((property)i), b);
            return true;
        }
    if (property_parse(word, &p)) {
        explain_property(property_describe(p), b);
        return true;
    }
    for (size_t i = 0; i < COUNT(verdicts); i++)
        if (str_eq_nocase(word, str_from(verdicts[i].name))) {
            buf_printf(b, "%s (verdict)\n\n%s", verdicts[i].name, verdicts[i].text);
            return true;
        }
    if (fault_parse(word, &f)) {
        buf_printf(b, "%s (fault)\n\n%s\n\nIn a scenario: faults = { %s = 1 }   in a schedule: !%s\n", fault_name(f),
                   fault_explain(f), fault_name(f), fault_name(f));
        return true;
    }
    if (explain_lint(word, b))
        return true;
    str known[2 * PROPERTY_COUNT + COUNT(verdicts) + FAULT_KINDS + LINT_CODES];
    size_t n = 0;
    for (size_t i = 0; i < PROPERTY_COUNT; i++) {
        known[n++] = str_from(property_describe((property)i)->name);
        known[n++] = str_from(property_describe((property)i)->code);
    }
    for (size_t i = 0; i < COUNT(verdicts); i++)
        known[n++] = str_from(verdicts[i].name);
    for (size_t i = 0; i < FAULT_KINDS; i++)
        known[n++] = str_from(fault_name((fault_kind)i));
    for (size_t i = 0; i < LINT_CODES; i++)
        known[n++] = str_from(lint_codes[i].code);
    str near = err_nearest(word, known, n);
    err_set(e, ERR_USAGE, "there is nothing to explain under '%.*s'", STR_ARG(word));
    if (near.n)
        err_hint(e, "did you mean %.*s?", STR_ARG(near));
    return err_hint(e, "`locksim list properties` and `locksim list faults` say what there is, `locksim lint --help` "
                    "its codes; verdicts are PASS FAIL "
                       "INCONCLUSIVE VACUOUS ERROR");
}

int explain_main(const options *o)
{
    buf b = { 0 };
    err e = { 0 };
    for (size_t i = 0; i < o->argument_count && e.class_ == ERR_NONE; i++) {
        str word = str_from(o->arguments[i]);
        if (!str_eq(word, S("all"))) {
            explain_one(word, &b, &e);
            continue;
        }
        for (size_t k = 0; k < PROPERTY_COUNT; k++)
            explain_one(str_from(property_describe((property)k)->code), &b, &e);
        for (size_t k = 0; k < COUNT(verdicts); k++)
            explain_one(str_from(verdicts[k].name), &b, &e);
        for (size_t k = 0; k < FAULT_KINDS; k++)
            explain_one(str_from(fault_name((fault_kind)k)), &b, &e);
        for (size_t k = 0; k < LINT_CODES; k++)
            explain_one(str_from(lint_codes[k].code), &b, &e);
    }
    int status = STATUS_PASS;
    size_t width = print_width(STDOUT_FILENO);
    if (width) {                                   /* a terminal's lines; else those that stand here */
        buf wrapped = { 0 };
        wrap_lines(&wrapped, buf_str(&b), width);
        buf_free(&b);
        b = wrapped;
    }
    if (!print_out(&b))
        status = STATUS_IO;
    if (e.class_ != ERR_NONE)
        status = print_complaint(&e);
    err_clear(&e);
    buf_free(&b);
    return status;
}
