/* mutate_report.c - see mutate_report.h. */
#include "mutate/mutate_report.h"

#include <inttypes.h>

#include "host/about.h"
#include "host/print.h"
#include "report/clean.h"
#include "report/json_text.h"

/* ---- text -------- */

static size_t wanted(const target *t)
{
    size_t n = 0;
    for (size_t i = 0; i < t->count; i++)
        n += t->mutants[i].wanted;
    return n;
}

static void add_mutant(const target *t, const mutant *m, buf *out)
{
    buf_printf(out, "  %-10s %.*s:%d:%d: ", mutant_class_name(m->class_), STR_ARG(t->path), m->line, m->col);
    clean_text(out, m->from);
    buf_addz(out, " -> ");
    clean_text(out, m->to);
    buf_byte(out, '\n');
    if (m->class_ == MUTANT_KILLED) {
        buf_addz(out, "             ");
        clean_text(out, m->scenario);
        buf_addz(out, ": ");
        clean_text(out, m->how);
        buf_byte(out, '\n');
        return;
    }
    if (m->how.n) {
        buf_addz(out, m->class_ == MUTANT_EXPLAINED ? "             because " : "             ");
        clean_text(out, m->how);
        buf_byte(out, '\n');
    }
    if (m->class_ == MUTANT_EXPLAINED)
        return;
    if (m->looked > 0) {
        buf_printf(out, "             never noticed by %zu: ", m->looked);
        clean_text(out, m->witnesses);
        buf_addz(out, m->looked > 3 ? ", ...\n" : "\n");
    }
}

static void add_counts(const mutation *m, const target *t, buf *out)
{
    for (int c = 0; c < MUTANT_CLASSES; c++) {
        static const mutant_class order[MUTANT_CLASSES] = { MUTANT_KILLED, MUTANT_EQUIVALENT, MUTANT_EXPLAINED,
                                                            MUTANT_UNDECIDED, MUTANT_SURVIVED };
        size_t n = mutate_count(m, t, order[c]);
        if (n || order[c] == MUTANT_KILLED || order[c] == MUTANT_SURVIVED)
            buf_printf(out, "%s %zu %s", c ? "," : "", n, mutant_class_name(order[c]));
    }
    double score = mutate_score(m, t);
    if (score >= 0 && !m->o->list_only)
        buf_printf(out, "  score %.1f %%", score);
}

static str first_failing(const mutation *m, const target *t)
{
    for (size_t i = 0; i < t->scene_count; i++)
        if (m->scenes[t->scenes[i]].state == SCENE_FAILS)
            return m->scenes[t->scenes[i]].path;
    return S("");
}

static void add_target_text(const mutation *m, const target *t, buf *out)
{
    size_t all = wanted(t);
    clean_text(out, t->path);
    buf_printf(out, "  %zu mutant%s:", all, all == 1 ? "" : "s");
    add_counts(m, t, out);
    if (m->o->list_only)
        buf_addz(out, "  (nobody is asked");
    else if (all && mutate_count(m, t, MUTANT_OPEN) == 0 && t->passing + t->large + t->failing == 0)
        buf_addz(out, "  (judged before");
    else
        buf_printf(out, "  (%zu scenario%s", t->passing, t->passing == 1 ? "" : "s");
    if (t->large)
        buf_printf(out, ", %zu too large", t->large);
    if (t->failing)
        buf_printf(out, ", %zu that do not pass and so say nothing", t->failing);
    buf_addz(out, ")\n");
    if (t->count == 0)
        buf_addz(out, "  nothing in it can be changed: it holds no statement, condition, constant or call\n");
    if (t->passing == 0 && all && t->failing)
        buf_printf(out, "  no scenario passes with the script as it is: `locksim run %.*s` says why\n",
                   STR_ARG(first_failing(m, t)));
    for (size_t i = 0; i < t->count; i++) {
        const mutant *x = &t->mutants[i];
        bool quiet = x->class_ == MUTANT_KILLED || x->class_ == MUTANT_EXPLAINED || x->class_ == MUTANT_EQUIVALENT;
        if (x->wanted && x->class_ != MUTANT_OPEN && (m->o->verbose || !quiet))
            add_mutant(t, x, out);
    }
}

void mutate_text(const mutation *m, str stale, buf *out)
{
    size_t all = 0, open = mutate_count(m, NULL, MUTANT_OPEN);
    for (size_t i = 0; i < m->target_count; i++) {
        add_target_text(m, &m->targets[i], out);
        all += wanted(&m->targets[i]);
    }
    if (stale.n) {
        buf_addz(out, "stale: these lines explain nothing that survives:\n");
        clean_lines(out, stale);
    }
    buf_printf(out, "%zu file%s, %zu mutants:", m->target_count, m->target_count == 1 ? "" : "s", all);
    add_counts(m, NULL, out);
    if (open)
        buf_printf(out, "  interrupted: %zu are not judged", open);
    buf_byte(out, '\n');
}

/* ---- JSON -------- */

static json_t *mutant_object(const mutant *m)
{
    json_t *o = json_object();
    json_object_set_new(o, "number", json_integer(m->number));
    json_object_set_new(o, "line", json_integer(m->line));
    json_object_set_new(o, "column", json_integer(m->col));
    json_object_set_new(o, "operator", json_text(m->operator_));
    json_object_set_new(o, "from", json_text(m->from));
    json_object_set_new(o, "to", json_text(m->to));
    json_object_set_new(o, "which", json_integer(m->alike_before + 1));
    json_object_set_new(o, "class", json_string(mutant_class_name(m->class_)));
    json_object_set_new(o, "scenario", m->scenario.n ? json_text(m->scenario) : json_null());
    json_object_set_new(o, "how", m->how.n ? json_text(m->how) : json_null());
    json_object_set_new(o, "not_noticed_by", json_integer((json_int_t)m->looked));
    json_object_set_new(o, "for_example", json_text(m->witnesses));
    return o;
}

static void add_class_counts(const mutation *m, const target *t, json_t *o)
{
    for (int c = 0; c < MUTANT_CLASSES; c++)
        json_object_set_new(o, mutant_class_name((mutant_class)c),
                            json_integer((json_int_t)mutate_count(m, t, (mutant_class)c)));
    double score = mutate_score(m, t);
    json_object_set_new(o, "score", score >= 0 ? json_real(score) : json_null());
}

static json_t *target_object(const mutation *m, const target *t)
{
    json_t *o = json_object(), *mutants = json_array();
    json_object_set_new(o, "script", json_text(t->path));
    json_object_set_new(o, "kind", json_string(t->kind == MUTANTS_OF_SCRIPT ? "script" : "driver"));
    json_object_set_new(o, "scenarios", json_integer((json_int_t)t->passing));
    json_object_set_new(o, "scenarios_too_large", json_integer((json_int_t)t->large));
    json_object_set_new(o, "scenarios_that_do_not_pass", json_integer((json_int_t)t->failing));
    add_class_counts(m, t, o);
    for (size_t i = 0; i < t->count; i++)
        if (t->mutants[i].wanted)
            json_array_append_new(mutants, mutant_object(&t->mutants[i]));
    json_object_set_new(o, "mutants", mutants);
    return o;
}

void mutate_json(const mutation *m, str stale, int status, buf *out)
{
    json_t *document = json_object(), *scripts = json_array();
    json_object_set_new(document, "locksim", json_string(LOCKSIM_VERSION));
    json_object_set_new(document, "exit_status", json_integer(status));
    add_class_counts(m, NULL, document);
    json_object_set_new(document, "not_judged", json_integer((json_int_t)mutate_count(m, NULL, MUTANT_OPEN)));
    json_object_set_new(document, "stale_explanations", json_text(stale));
    for (size_t i = 0; i < m->target_count; i++)
        json_array_append_new(scripts, target_object(m, &m->targets[i]));
    json_object_set_new(document, "scripts", scripts);
    json_document_add(out, document);
}
