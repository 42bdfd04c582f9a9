/* field_expect.c - the expected result: properties, what must be seen and met, what is waived, and a known bug. */
#include "scenario/fields.h"

typedef struct {
    property p;
    expectation expected;
    str why;
} expected_property;

static bool read_outcome(reading *r, expectation *out)
{
    str s;
    if (!read_str(r, &s))
        return false;
    if (str_eq(s, S("holds")))
        *out = EXPECT_HOLDS;
    else if (str_eq(s, S("violated")))
        *out = EXPECT_VIOLATED;
    else {
        static const str known[] = { { "holds", 5 }, { "violated", 8 } };
        return reading_unknown(r, "outcome", s, known, COUNT(known));
    }
    return true;
}

static bool read_expect_field(reading *r, str name, int64_t index, void *context)
{
    expected_property *x = context;
    const property_info *info = property_describe(x->p);
    if (!name.n && index == 1)
        return read_outcome(r, &x->expected);
    if (str_eq(name, S("why")))
        return read_str(r, &x->why);
    if (name.n && info->parameter && str_eq(name, str_from(info->parameter)))
        return read_integer(r, 0, READ_MS_MAX, &r->out->model.parameter[x->p]);
    if (name.n && !info->parameter && lua_type(r->L, -1) == LUA_TNUMBER)
        return reading_wrong(r, "%s takes no number: write %s = \"holds\" or \"violated\"", info->name, info->name);
    str known[] = { S("why"), S("why") };
    if (info->parameter)
        known[0] = str_from(info->parameter);
    return reading_unknown(r, "field of an expectation", name, known, info->parameter ? 2 : 1);
}

/* Drops what earlier tables expected of it. */
static bool forget_expectation(scenario *s, property p)
{
    const model_config usual = model_config_default();
    s->expect[p] = EXPECT_UNSAID;
    s->why[p] = S("");
    s->model.judged[p] = usual.judged[p];
    s->model.parameter[p] = usual.parameter[p];
    return true;
}

static bool read_expectation(reading *r, str name, int64_t index, void *context)
{
    (void)index, (void)context;
    expected_property x = { .expected = EXPECT_HOLDS, .why = S("") };
    if (!name.n)
        return reading_unknown_position(r, "properties by name: { fifo = \"holds\" }");
    if (!property_parse(name, &x.p)) {
        str known[PROPERTY_COUNT];
        for (int i = 0; i < PROPERTY_COUNT; i++)
            known[i] = str_from(property_describe((property)i)->name);
        return reading_unknown(r, "property", name, known, COUNT(known));
    }
    if (property_describe(x.p)->compared) {
        reading_wrong(r, "%s is judged of two versions of the scripts, not of one scenario",
                      property_describe(x.p)->name);
        return err_hint(r->e, "locksim compare OLD NEW judges it");
    }
    if (lua_isboolean(r->L, -1) && !lua_toboolean(r->L, -1))
        return forget_expectation(r->out, x.p);
    bool ok = lua_istable(r->L, -1) ? read_fields(r, read_expect_field, &x) : read_outcome(r, &x.expected);
    r->out->expect[x.p] = x.expected;
    r->out->why[x.p] = x.why;
    r->out->model.judged[x.p] = true;
    return ok;
}

bool field_expect(reading *r, const layering *g)
{
    (void)g;
    return read_table(r, "a table { fifo = \"holds\" }") && read_fields(r, read_expectation, NULL);
}

/* The sights of a world (world.h); each kind of fault is one, too. */
static const char *const sights[] = { "grant", "contention", "wait", "expiry", "wake-up", "re-entry", "release",
                                      "message", "timeout", "renewal", "resend", "token", "use" };

static bool read_must_see(reading *r, str name, int64_t index, void *context)
{
    (void)context;
    if (name.n || index != (int64_t)r->out->must_see_count + 1)
        return reading_wrong(r, "must_see has to be a list of names");
    if (r->out->must_see_count == COUNT(sights) + FAULT_KINDS)
        return reading_wrong(r, "must_see names more than there is to see");
    str s;
    if (!read_str(r, &s))
        return false;
    str known[COUNT(sights) + FAULT_KINDS];
    bool found = false;
    for (size_t i = 0; i < COUNT(known); i++) {
        known[i] = str_from(i < COUNT(sights) ? sights[i] : fault_name((fault_kind)(i - COUNT(sights))));
        found = found || str_eq(known[i], s);
    }
    if (!found)
        return reading_unknown(r, "event", s, known, COUNT(known));
    r->out->must_see[r->out->must_see_count++] = s;
    return true;
}

bool field_must_see(reading *r, const layering *g)
{
    (void)g;
    r->out->must_see = ARENA_ARRAY(r->a, str, COUNT(sights) + FAULT_KINDS);
    r->out->must_see_count = 0;                    /* of a row of the matrix there may be some */
    return read_table(r, "a list of names") && read_fields(r, read_must_see, NULL);
}

static const char *const findings[] = {
    [FINDING_UNDECLARED_KEY] = "undeclared_key", [FINDING_CROSS_SLOT] = "cross_slot",
    [FINDING_LEAKED_GLOBAL] = "leaked_global", [FINDING_SCRIPT_ERROR] = "error",
    [FINDING_BUDGET] = "budget", [FINDING_CRASH] = "crash",
};

const char *finding_name(script_finding kind) { return findings[kind]; }
bool scenario_waives(const scenario *sc, script_finding kind) { return sc->waived >> kind & 1; }

static bool read_waived(reading *r, str name, int64_t index, void *context)
{
    (void)index, (void)context;
    str s, known[COUNT(findings)];
    if (name.n)
        return reading_wrong(r, "waive has to be a list of names");
    if (!read_str(r, &s))
        return false;
    for (size_t i = 0; i < COUNT(findings); i++) {
        known[i] = str_from(findings[i]);
        if (str_eq(known[i], s))
            return r->out->waived |= 1U << i, true;
    }
    return reading_unknown(r, "cause of script_health", s, known, COUNT(known));
}

bool field_waive(reading *r, const layering *g)
{
    (void)g;
    r->out->waived = 0;
    return read_table(r, "a list of names") && read_fields(r, read_waived, NULL);
}

enum { MUST_MEET_MAX = 64 };

/* "release at subscribe" */
static bool read_must_meet(reading *r, str name, int64_t index, void *context)
{
    (void)context;
    str s;
    if (name.n || index != (int64_t)r->out->must_meet_count + 1 || r->out->must_meet_count == MUST_MEET_MAX)
        return reading_wrong(r, "must_meet has to be a list of at most %d texts", MUST_MEET_MAX);
    if (!read_str(r, &s))
        return false;
    size_t at = 0;
    while (at < s.n && !str_starts(str_slice(s, at, s.n), S(" at ")))
        at++;
    if (at == 0 || at + 4 >= s.n) {
        reading_wrong(r, "must_meet names an operation and where it falls, this is \"%.*s\"", STR_ARG(s));
        return err_hint(r->e, "must_meet = { \"release at subscribe\" }; --meetings lists what there is");
    }
    r->out->must_meet[r->out->must_meet_count++] = s;
    return true;
}

bool field_must_meet(reading *r, const layering *g)
{
    (void)g;
    r->out->must_meet = ARENA_ARRAY(r->a, str, MUST_MEET_MAX);
    r->out->must_meet_count = 0;
    return read_table(r, "a list of texts") && read_fields(r, read_must_meet, NULL);
}

static bool read_exhibit_field(reading *r, str name, int64_t index, void *context)
{
    (void)index;
    scenario_exhibit *x = context;
    if (!name.n)
        return reading_unknown_position(r, "texts by name: { bug = \"#2278\" }");
    str *at[] = { &x->bug, &x->library, &x->twin, &x->versions, &x->what };
    static const str known[] = { { "bug", 3 }, { "library", 7 }, { "twin", 4 }, { "versions", 8 }, { "what", 4 } };
    for (size_t i = 0; i < COUNT(known); i++)
        if (str_eq(name, known[i]))
            return read_str(r, at[i]);
    return reading_unknown(r, "field of an exhibit", name, known, COUNT(known));
}

bool field_exhibit(reading *r, const layering *g)
{
    (void)g;
    scenario_exhibit *x = &r->out->exhibit;
    if (!read_table(r, "a table { bug = \"#2278\" }") || !read_fields(r, read_exhibit_field, x))
        return false;
    return x->bug.n > 0 || reading_wrong(r, "%s has to name its bug: { bug = \"#2278\", ... }", reading_field(r));
}
