/* json.c - results for programs: one JSON document, fields always in the same order, text always well-formed UTF-8. */
#include "report/baseline.h"
#include "report/json_text.h"
#include "report/profile.h"

static json_t *text_or_null(str s)
{
    return s.n ? json_text(s) : json_null();
}

/* Lines, or words, as an array of strings. */
static json_t *split(str s, char at)
{
    json_t *list = json_array();
    for (size_t from = 0; from < s.n; ) {
        size_t end = str_find(s, at, from);
        if (end > from)
            json_array_append_new(list, json_text(str_slice(s, from, end)));
        from = end + 1;
    }
    return list;
}

static json_t *number(uint64_t n)
{
    return json_integer(n > INT64_MAX ? INT64_MAX : (json_int_t)n);
}

static json_t *numbers(const size_t *list, size_t count)
{
    json_t *all = json_array();
    for (size_t i = 0; i < count; i++)
        json_array_append_new(all, number(list[i]));
    return all;
}

static json_t *story_of(const story *s, const str *clients, size_t n)
{
    json_t *steps = json_array();
    for (size_t i = 0; i < s->count; i++) {
        const story_row *r = &s->rows[i];
        json_t *o = json_object();
        json_object_set_new(o, "at_ms", json_integer(r->at_ms));
        json_object_set_new(o, "client", r->process < n ? json_text(clients[r->process]) : json_null());
        json_object_set_new(o, "step", json_text(r->token));
        json_object_set_new(o, "did", json_text(r->did));
        json_object_set_new(o, "notes", split(r->notes, '\n'));
        json_object_set_new(o, "redis", split(r->redis, '\n'));
        json_object_set_new(o, "effects", split(r->effects, '\n'));
        json_object_set_new(o, "location", text_or_null(r->location));
        json_array_append_new(steps, o);
    }
    return steps;
}

static json_t *instant_or_null(int64_t at_ms)
{
    return at_ms == STORY_NEVER_MS ? json_null() : json_integer(at_ms);
}

/* Every request as it was sent. */
static json_t *requests_of(const story *s, const str *clients, size_t n)
{
    json_t *requests = json_array();
    for (size_t i = 0; i < s->request_count; i++) {
        const story_request *r = &s->requests[i];
        json_t *o = json_object(), *words = json_array();
        for (size_t k = 0; k < r->argc; k++)
            json_array_append_new(words, json_text(r->argv[k]));
        json_object_set_new(o, "client", r->process < n ? json_text(clients[r->process]) : json_null());
        json_object_set_new(o, "task", text_or_null(r->who));
        json_object_set_new(o, "op", json_text(r->op));
        json_object_set_new(o, "server", number(r->server + 1));
        json_object_set_new(o, "duplicate", json_boolean(r->copy > 0));
        json_object_set_new(o, "sent_ms", instant_or_null(r->sent_ms));
        json_object_set_new(o, "executed_ms", instant_or_null(r->executed_ms));
        json_object_set_new(o, "answered_ms", instant_or_null(r->answered_ms));
        json_object_set_new(o, "order", r->order ? number(r->order) : json_null());
        json_object_set_new(o, "words", words);
        json_object_set_new(o, "answer", text_or_null(r->answer));
        json_array_append_new(requests, o);
    }
    return requests;
}

static json_t *search_of(const outcome *o, const report_style *style)
{
    json_t *s = json_object();
    json_object_set_new(s, "strategy", text_or_null(o->search.strategy));
    json_object_set_new(s, "seed", number(o->search.seed));
    json_object_set_new(s, "states", number(o->search.states));
    json_object_set_new(s, "states_stand_for", number(o->search.stand_for ? o->search.stand_for : o->search.states));
    json_object_set_new(s, "transitions", number(o->search.transitions));
    json_object_set_new(s, "back_to_the_same_state", number(o->search.same));
    json_object_set_new(s, "states_not_gone_on_from", number(o->search.waiting));
    json_object_set_new(s, "chance_of_a_missed_state", json_real(o->search.odds));
    json_object_set_new(s, "executions", number(o->search.executions));
    json_object_set_new(s, "client_runs", number(o->search.client_runs));
    json_object_set_new(s, "runs", number(o->search.runs));
    json_object_set_new(s, "longest", number(o->search.longest));
    json_object_set_new(s, "complete", json_boolean(o->search.complete));
    if (style->timing) {
        json_object_set_new(s, "client_runs_repeated", number(o->search.client_repeats));
        json_object_set_new(s, "memory_bytes", number(o->search.bytes));
        json_object_set_new(s, "seconds", json_real((double)o->search.elapsed_ms / 1000.0));
    }
    return s;
}

/* [{"faults": {"pause": 1}, "operations": ["acquire"]}] */
static json_t *signature_of(const signature *s)
{
    json_t *causes = json_array();
    for (size_t i = 0; i < s->count; i++) {
        const signature_cause *c = &s->causes[i];
        json_t *o = json_object(), *faults = json_object(), *ops = json_array();
        for (int k = 0; k < FAULT_KINDS; k++)
            if (c->used[k])
                json_object_set_new(faults, fault_name((fault_kind)k), number(c->used[k]));
        for (size_t k = 0; k < c->op_count; k++)
            json_array_append_new(ops, json_text(c->ops[k]));
        json_object_set_new(o, "faults", faults);
        json_object_set_new(o, "operations", ops);
        json_array_append_new(causes, o);
    }
    return causes;
}

static json_t *properties_of(const outcome *o)
{
    static const char *const expected[] = { [EXPECT_HOLDS] = "holds", [EXPECT_VIOLATED] = "violated" };
    json_t *list = json_array();
    for (size_t i = 0; i < PROPERTY_COUNT; i++) {
        const property_result *r = &o->properties[i];
        const property_info *info = property_describe((property)i);
        if (r->outcome == OUTCOME_NOT_JUDGED)
            continue;
        json_t *p = json_object();
        json_object_set_new(p, "name", json_string(info->name));
        json_object_set_new(p, "code", json_string(info->code));
        json_object_set_new(p, "outcome", json_string(property_outcome_name(r->outcome)));
        json_object_set_new(p, "expected",
                            r->expected == EXPECT_UNSAID ? json_null() : json_string(expected[r->expected]));
        if (r->reason.n)
            json_object_set_new(p, "reason", json_text(r->reason));
        if (r->signature)
            json_object_set_new(p, "breaks_by", signature_of(r->signature));
        if (r->expected_signature)
            json_object_set_new(p, "expected_to_break_by", signature_of(r->expected_signature));
        json_array_append_new(list, p);
    }
    return list;
}

static json_t *examples_of(const report_item *item)
{
    const outcome *o = item->result;
    json_t *list = json_array();
    for (size_t i = 0; i < o->example_count; i++) {
        const counterexample *x = &o->examples[i];
        json_t *j = json_object();
        json_object_set_new(j, "property", json_string(property_describe(x->property)->name));
        json_object_set_new(j, "code", json_string(property_describe(x->property)->code));
        json_object_set_new(j, "text", json_text(x->text));
        json_object_set_new(j, "why", text_or_null(x->why));
        json_object_set_new(j, "blame", text_or_null(x->blame));
        json_object_set_new(j, "blamed_steps", numbers(x->blamed, x->blamed_count));
        json_object_set_new(j, "deciding_step", x->decides ? number(x->decides) : json_null());
        json_object_set_new(j, "switches", number(x->switches));
        json_object_set_new(j, "replayed", json_boolean(x->replayed));
        json_object_set_new(j, "file", item->files ? text_or_null(item->files[i]) : json_null());
        json_object_set_new(j, "schedule", json_text(x->schedule));
        json_object_set_new(j, "steps", story_of(&x->story, o->clients, o->client_count));
        json_object_set_new(j, "requests", requests_of(&x->story, o->clients, o->client_count));
        json_array_append_new(list, j);
    }
    return list;
}

static void add_never(json_t *list, int line, int col, const char *what)
{
    json_t *j = json_object();
    json_object_set_new(j, "line", json_integer(line));
    json_object_set_new(j, "column", col > 0 ? json_integer(col) : json_null());
    json_object_set_new(j, "what", json_string(what));
    json_array_append_new(list, j);
}

static json_t *scripts_of(const outcome *o)
{
    json_t *list = json_array();
    for (size_t i = 0; i < o->script_count; i++) {
        const coverage_script *s = &o->scripts[i];
        report_reach r = report_reach_of(s);
        json_t *j = json_object(), *never = json_array();
        json_object_set_new(j, "script", json_text(s->name));
        json_object_set_new(j, "sha1", json_text(s->sha1));
        json_object_set_new(j, "lines", number(r.lines));
        json_object_set_new(j, "lines_reached", number(r.lines_reached));
        json_object_set_new(j, "branches", number(r.branches));
        json_object_set_new(j, "branches_reached", number(r.branches_reached));
        for (size_t l = 0; l < s->line_count; l++)
            if (s->lines[l].count == 0)
                add_never(never, s->lines[l].line, 0, "line");
        for (size_t b = 0; b < s->branch_count; b++)
            if (s->branches[b].count == 0)
                add_never(never, s->branches[b].line, s->branches[b].col, s->branches[b].what);
        json_object_set_new(j, "never_reached", never);
        json_array_append_new(list, j);
    }
    return list;
}

static json_t *exhibit_of(const scenario_exhibit *x)
{
    if (x->bug.n == 0)
        return json_null();
    json_t *j = json_object();
    json_object_set_new(j, "bug", json_text(x->bug));
    json_object_set_new(j, "library", text_or_null(x->library));
    json_object_set_new(j, "versions", text_or_null(x->versions));
    json_object_set_new(j, "what", text_or_null(x->what));
    json_object_set_new(j, "twin", text_or_null(x->twin));
    return j;
}

static json_t *measure_of(const report_measure *m)
{
    if (!m->known)
        return json_null();
    json_t *j = json_object();
    json_object_set_new(j, "seeds", number(m->seeds));
    json_object_set_new(j, "wait_mean_ms", json_real(m->wait_mean_ms));
    json_object_set_new(j, "wait_p99_ms", json_real(m->wait_p99_ms));
    json_object_set_new(j, "commands_per_acquisition", json_real(m->commands));
    json_object_set_new(j, "requests_per_acquisition", json_real(m->requests));
    return j;
}

static json_t *change_of(const baseline_change *c)
{
    json_t *j = json_object(), *moves = json_array();
    json_object_set_new(j, "scenario", json_text(c->scenario));
    json_object_set_new(j, "kind", json_string(baseline_kind_name(c->kind)));
    json_object_set_new(j, "before", c->kind == CHANGE_NEW ? json_null() : json_string(verdict_name(c->before)));
    json_object_set_new(j, "after", c->kind == CHANGE_GONE ? json_null() : json_string(verdict_name(c->after)));
    for (size_t i = 0; i < c->move_count; i++) {
        json_t *m = json_object();
        json_object_set_new(m, "what", json_text(c->moves[i].what));
        json_object_set_new(m, "before", json_text(c->moves[i].before));
        json_object_set_new(m, "after", json_text(c->moves[i].after));
        json_array_append_new(moves, m);
    }
    json_object_set_new(j, "moved", moves);
    return j;
}

static json_t *baseline_of(const report_baseline *b)
{
    json_t *j = json_object(), *changes = json_array();
    json_object_set_new(j, "file", json_text(b->saved->path));
    for (int k = 0; k < CHANGE_KINDS; k++)
        json_object_set_new(j, baseline_kind_name((baseline_kind)k), number(b->changes.of[k]));
    for (size_t i = 0; i < b->changes.count; i++)
        json_array_append_new(changes, change_of(&b->changes.items[i]));
    json_object_set_new(j, "changes", changes);
    return j;
}

static json_t *meetings_of(const outcome *o)
{
    json_t *list = json_array();
    for (size_t i = 0; i < o->meeting_count; i++) {
        const meeting *x = &o->meetings[i];
        json_t *j = json_object();
        json_object_set_new(j, "op", json_text(x->op));
        json_object_set_new(j, "at", json_text(x->place));
        json_object_set_new(j, "file", json_text(x->path));
        json_object_set_new(j, "line", json_integer(x->line));
        json_object_set_new(j, "met", json_boolean(x->met));
        json_array_append_new(list, j);
    }
    return list;
}

static json_t *advice_of(const advice *x)
{
    json_t *j = json_object();
    json_object_set_new(j, "cause", json_text(x->cause));
    json_object_set_new(j, "where", text_or_null(x->where));
    json_object_set_new(j, "try", text_or_null(x->change));
    return j;
}

void report_json(const report_item *items, size_t count, int exit_status, const report_style *style, buf *out)
{
    json_t *results = json_array(), *document = json_object();
    for (size_t i = 0; i < count; i++) {
        const outcome *o = items[i].result;
        json_t *j = json_object();
        json_object_set_new(j, "scenario", json_text(o->path));
        json_object_set_new(j, "title", text_or_null(o->title));
        json_object_set_new(j, "exhibit", exhibit_of(&o->exhibit));
        json_object_set_new(j, "verdict", json_string(verdict_name(o->verdict)));
        json_object_set_new(j, "reason", text_or_null(o->reason));
        if (o->advice.cause.n)
            json_object_set_new(j, "advice", advice_of(&o->advice));
        if (o->note.n)
            json_object_set_new(j, "note", json_text(o->note));
        json_object_set_new(j, "error", json_error(&o->error));
        json_object_set_new(j, "search", search_of(o, style));
        if (items[i].measure)
            json_object_set_new(j, "measure", measure_of(items[i].measure));
        json_object_set_new(j, "properties", properties_of(o));
        json_object_set_new(j, "counterexamples", examples_of(&items[i]));
        json_object_set_new(j, "seen", split(o->seen, ' '));
        json_object_set_new(j, "never_seen", split(o->unseen, ' '));
        json_object_set_new(j, "meetings", meetings_of(o));
        json_object_set_new(j, "means", split(o->means, '\n'));
        json_object_set_new(j, "scripts", scripts_of(o));
        if (o->profile)
            json_object_set_new(j, "profile", report_profile_json(o));
        if (o->run.count) {
            json_object_set_new(j, "run", story_of(&o->run, o->clients, o->client_count));
            json_object_set_new(j, "requests", requests_of(&o->run, o->clients, o->client_count));
        }
        json_array_append_new(results, j);
    }
    json_object_set_new(document, "locksim", json_integer(1));
    json_object_set_new(document, "exit_status", json_integer(exit_status));
    json_object_set_new(document, "results", results);
    if (style->left_out)
        json_object_set_new(document, "left_out", json_integer((json_int_t)style->left_out));
    if (style->baseline)
        json_object_set_new(document, "baseline", baseline_of(style->baseline));
    json_document_add(out, document);
}
