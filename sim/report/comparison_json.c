/* comparison_json.c - a comparison for programs: one JSON document, fields always in the same order. */
#include "report/comparison.h"
#include "report/json_text.h"

static json_t *text_or_null(str s)
{
    return s.n ? json_text(s) : json_null();
}

static json_t *list_of(const str *names, size_t count)
{
    json_t *list = json_array();
    for (size_t i = 0; i < count; i++)
        json_array_append_new(list, json_text(names[i]));
    return list;
}

static json_t *lines_of(str s)
{
    json_t *list = json_array();
    for (size_t from = 0; from < s.n;) {
        size_t end = str_find(s, '\n', from);
        if (end > from)
            json_array_append_new(list, json_text(str_slice(s, from, end)));
        from = end + 1;
    }
    return list;
}

static json_t *side_of(str did, str redis, str effects)
{
    json_t *j = json_object();
    json_object_set_new(j, "did", text_or_null(did));
    json_object_set_new(j, "redis", lines_of(redis));
    json_object_set_new(j, "effects", lines_of(effects));
    return j;
}

static json_t *story_of(const story *s)
{
    json_t *steps = json_array();
    for (size_t i = 0; i < s->count; i++) {
        const story_row *r = &s->rows[i];
        json_t *j = json_object();
        json_object_set_new(j, "at_ms", json_integer(r->at_ms));
        json_object_set_new(j, "step", json_text(r->token));
        json_object_set_new(j, "notes", lines_of(r->notes));
        json_object_set_new(j, "old", side_of(r->did, r->redis, r->effects));
        json_object_set_new(j, "new", side_of(r->second_did.n ? r->second_did : r->did, r->second_redis,
                                              r->second_effects));
        json_array_append_new(steps, j);
    }
    return steps;
}

static json_t *difference_of(const outcome *o)
{
    const property_result *p = o->properties;
    int which = p[PROPERTY_EQUIVALENT].outcome == OUTCOME_VIOLATED ? PROPERTY_EQUIVALENT : PROPERTY_SAME_KEYS;
    const counterexample *x = p[which].outcome == OUTCOME_VIOLATED ? p[which].example : NULL;
    if (!x)
        return json_null();
    json_t *j = json_object();
    json_object_set_new(j, "property", json_string(property_describe(x->property)->name));
    json_object_set_new(j, "code", json_string(property_describe(x->property)->code));
    json_object_set_new(j, "text", json_text(x->text));
    json_object_set_new(j, "blame", text_or_null(x->blame));
    json_object_set_new(j, "switches", json_integer((json_int_t)x->switches));
    json_object_set_new(j, "replayed", json_boolean(x->replayed));
    json_object_set_new(j, "schedule", json_text(x->schedule));
    json_object_set_new(j, "steps", story_of(&x->story));
    return j;
}

static json_t *error_of(const err *e)
{
    if (e->class_ == ERR_NONE)
        return json_null();
    json_t *j = json_object();
    json_object_set_new(j, "status", json_integer((json_int_t)e->class_));
    json_object_set_new(j, "path", text_or_null(buf_str(&e->path)));
    json_object_set_new(j, "line", e->line > 0 ? json_integer(e->line) : json_null());
    json_object_set_new(j, "column", e->col > 0 ? json_integer(e->col) : json_null());
    json_object_set_new(j, "message", json_text(buf_str(&e->message)));
    json_object_set_new(j, "hint", text_or_null(buf_str(&e->hint)));
    return j;
}

/* Properties whose outcome is not the same with both versions. */
static json_t *changes_of(const report_compared *c)
{
    json_t *list = json_array();
    for (size_t i = 0; c->runs[0] && c->runs[1] && i < PROPERTY_COUNT; i++) {
        property_outcome was = c->runs[0]->properties[i].outcome, is = c->runs[1]->properties[i].outcome;
        if (was == is)
            continue;
        json_t *j = json_object();
        json_object_set_new(j, "name", json_string(property_describe((property)i)->name));
        json_object_set_new(j, "code", json_string(property_describe((property)i)->code));
        json_object_set_new(j, "old", json_string(property_outcome_name(was)));
        json_object_set_new(j, "new", json_string(property_outcome_name(is)));
        json_array_append_new(list, j);
    }
    return list;
}

static json_t *cost_of(const report_measure *m)
{
    if (!m || !m->known)
        return json_null();
    json_t *j = json_object();
    json_object_set_new(j, "seeds", json_integer((json_int_t)m->seeds));
    json_object_set_new(j, "wait_mean_ms", json_real(m->wait_mean_ms));
    json_object_set_new(j, "wait_p99_ms", json_real(m->wait_p99_ms));
    json_object_set_new(j, "commands_per_acquisition", json_real(m->commands));
    json_object_set_new(j, "requests_per_acquisition", json_real(m->requests));
    return j;
}

static json_t *item_of(const report_compared *c)
{
    const outcome *o = &c->result->found;
    json_t *j = json_object();
    json_object_set_new(j, "scenario", json_text(o->path));
    json_object_set_new(j, "verdict", json_string(compare_verdict_name(c->result->verdict)));
    json_object_set_new(j, "reason", text_or_null(o->reason));
    json_object_set_new(j, "complete", json_boolean(o->search.complete));
    json_object_set_new(j, "states", json_integer((json_int_t)o->search.states));
    json_object_set_new(j, "transitions", json_integer((json_int_t)o->search.transitions));
    json_object_set_new(j, "runs_no_script_that_differs", json_boolean(c->result->same_scripts));
    json_object_set_new(j, "scripts", list_of(c->scripts, c->script_count));
    json_object_set_new(j, "drivers", list_of(c->drivers, c->driver_count));
    json_object_set_new(j, "error", error_of(&o->error));
    json_object_set_new(j, "difference", difference_of(o));
    json_object_set_new(j, "properties", changes_of(c));
    json_t *costs = json_object();
    json_object_set_new(costs, "old", cost_of(c->costs[0]));
    json_object_set_new(costs, "new", cost_of(c->costs[1]));
    json_object_set_new(j, "costs", costs);
    json_object_set_new(j, "means", lines_of(o->means));
    return j;
}

void report_compare_json(const report_comparison *c, int exit_status, buf *out)
{
    json_t *all = json_object(), *items = json_array();
    json_object_set_new(all, "locksim", json_integer(1));
    json_object_set_new(all, "compare", json_string(compare_verdict_name(c->verdict)));
    json_object_set_new(all, "exit_status", json_integer(exit_status));
    json_object_set_new(all, "old", json_text(c->old));
    json_object_set_new(all, "new", json_text(c->new));
    json_object_set_new(all, "relation", lines_of(c->relation));
    for (size_t i = 0; i < c->count; i++)
        json_array_append_new(items, item_of(&c->items[i]));
    json_object_set_new(all, "scenarios", items);
    json_document_add(out, all);
}
