/* sarif.c - results for code scanners: SARIF 2.1.0 (OASIS), the finding codes as rules, each failure at the line of Lua
 * where its story ends, and the story as a code flow. */
#include "report/cases.h"
#include "report/sarif_parts.h"

static json_t *location_of(report_place place)
{
    json_t *region = json_object();
    buf path = { 0 };
    report_add_plain_path(&path, place.path);
    json_object_set_new(region, "startLine", json_integer(place.line));
    json_t *location = sarif_location(buf_str(&path), region);
    buf_free(&path);
    return location;
}

/* The steps with a position, each with what it did. */
static json_t *flow_of(const story *s)
{
    json_t *steps = json_array();
    for (size_t i = 0; i < s->count; i++) {
        const story_row *row = &s->rows[i];
        report_place place;
        if (!report_row_place(row, &place))
            continue;
        buf text = { 0 };
        report_add_instant(&text, row->at_ms);
        buf_printf(&text, "  %.*s  %.*s", STR_ARG(row->token), STR_ARG(row->did));
        json_t *location = location_of(place), *step = json_object();
        json_object_set_new(location, "message", sarif_message(buf_str(&text)));
        json_object_set_new(step, "location", location);
        json_array_append_new(steps, step);
        buf_free(&text);
    }
    json_t *thread = json_object(), *flow = json_object(), *threads = json_array(), *flows = json_array();
    json_object_set_new(thread, "locations", steps);
    json_array_append_new(threads, thread);
    json_object_set_new(flow, "threadFlows", threads);
    json_array_append_new(flows, flow);
    return flows;
}

static json_t *rules_of_all(void)
{
    static const struct { verdict v; const char *promise; } others[] = {
        { VERDICT_INCONCLUSIVE, "The search came to an answer." },
        { VERDICT_VACUOUS, "What had to be seen was seen." },
        { VERDICT_ERROR, "The scenario could be judged." },
    };
    json_t *rules = json_array();
    for (size_t i = 0; i < PROPERTY_COUNT; i++) {
        const property_info *p = property_describe((property)i);
        json_array_append_new(rules, sarif_rule(p->code, p->name, p->promise, p->explain));
    }
    for (size_t i = 0; i < COUNT(others); i++)
        json_array_append_new(rules, sarif_rule(verdict_name(others[i].v), verdict_name(others[i].v), others[i].promise,
                                                NULL));
    return rules;
}

static json_t *result_of(const report_item *item, const report_case *c)
{
    const counterexample *x = c->example;
    buf text = { 0 };
    buf_add(&text, c->message.n ? c->message : S("it did not pass"));
    if (x && x->why.n)
        buf_printf(&text, "\nwhy: %.*s", STR_ARG(x->why));
    report_case_advice(item, c, &text);
    if (c->file.n) {
        buf_addz(&text, "\nreplay: ");
        report_add_replay(&text, NULL, c->file);
    }
    json_t *r = json_object(), *locations = json_array(), *properties = json_object(), *prints = json_object();
    json_object_set_new(r, "ruleId", json_string(c->type));
    json_object_set_new(r, "level", json_string(c->result == CASE_FAILED ? "error" : "warning"));
    json_object_set_new(r, "message", sarif_message(buf_str(&text)));
    json_array_append_new(locations, location_of(report_case_place(item, c)));
    json_object_set_new(r, "locations", locations);
    if (x && x->story.count)
        json_object_set_new(r, "codeFlows", flow_of(&x->story));
    /* The fingerprint of a finding must not change when lines move. */
    buf_clear(&text);
    buf_printf(&text, "%.*s %s %s", STR_ARG(item->result->path), c->name, c->type);
    json_object_set_new(prints, "scenarioAndProperty/v1", json_text(buf_str(&text)));
    json_object_set_new(r, "partialFingerprints", prints);
    json_object_set_new(properties, "scenario", json_text(item->result->path));
    if (x)
        json_object_set_new(properties, "schedule", json_text(x->schedule));
    json_object_set_new(r, "properties", properties);
    buf_free(&text);
    return r;
}

void report_sarif(const report_item *items, size_t count, buf *out)
{
    json_t *results = json_array();
    for (size_t i = 0; i < count; i++) {
        report_case cases[REPORT_CASES_MAX];
        size_t n = report_cases(&items[i], cases);
        for (size_t k = 0; k < n; k++)
            if (cases[k].result != CASE_PASSED)
                json_array_append_new(results, result_of(&items[i], &cases[k]));
    }
    sarif_add(out, rules_of_all(), results);
}
