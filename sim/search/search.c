/* search.c - one scenario from its plan to its verdict. */
#include "search/search.h"

#include <ctype.h>
#include <inttypes.h>
#include <string.h>

#include "scenario/source.h"
#include "search/advice.h"
#include "search/internal.h"
#include "memo/trials.h"
#include "world/orders.h"

const char *verdict_name(verdict v)
{
    static const char *const name[] = { "PASS", "FAIL", "INCONCLUSIVE", "VACUOUS", "ERROR" };
    return name[v];
}

const char *property_outcome_name(property_outcome o)
{
    static const char *const name[] = { "not judged", "holds", "violated", "undecided" };
    return name[o];
}

static void collect_examples(hunt *h, bool scripted)
{
    enum { SHRINK_MS_MIN = 1000 };
    outcome *out = h->out;
    int64_t half_ms = h->o->time_limit_ms / 2;
    h->shrink_until_ms = (h->o->elapsed_ms ? h->o->elapsed_ms(h->o->context) : 0) +
                         (half_ms > SHRINK_MS_MIN ? half_ms : SHRINK_MS_MIN);
    out->examples = ARENA_ARRAY(h->a, counterexample, PROPERTY_COUNT);
    for (int p = 0; p < PROPERTY_COUNT; p++) {
        if (out->properties[p].outcome != OUTCOME_VIOLATED || !run_tells(h, (property)p))
            continue;
        counterexample *c = &out->examples[out->example_count++];
        *c = (counterexample){ 0 };
        if (h->found[p].schedule.p)
            example_keep(h, (property)p, c);
        else if (scripted)
            example_cut(h, (property)p, c);
        else
            example_shrink(h, (property)p, c);
        out->properties[p].example = c;
    }
}

evidence evidence_of(property p)
{
    switch (p) {
    case PROPERTY_MUTUAL_EXCLUSION: case PROPERTY_STRICT_MUTUAL_EXCLUSION:
        return BY_GRANTS;
    case PROPERTY_FENCING:
        return BY_TOKENS;
    case PROPERTY_FIFO:
        return BY_REFUSALS;
    case PROPERTY_IDEMPOTENT:
        return BY_RESENDS;
    case PROPERTY_OWNER_ONLY: case PROPERTY_REENTRANCY: case PROPERTY_NO_LOST_WAKEUP: case PROPERTY_PROMPT:
    case PROPERTY_LEASE_SET:
    case PROPERTY_MATCHES_SPEC: case PROPERTY_ALWAYS:
        return BY_THE_SERVERS_ACCOUNT;
    default:
        return BY_ANYTHING;
    }
}

bool hunt_saw(const hunt *h, const char *what)
{
    return world_sight_seen(h->seen, what);
}

static bool has_evidence(const hunt *h, property p)
{
    switch (evidence_of(p)) {
    case BY_GRANTS: return hunt_saw(h, "grant") || hunt_saw(h, "re-entry");
    case BY_TOKENS: return hunt_saw(h, "token") || hunt_saw(h, "use");
    case BY_REFUSALS: return hunt_saw(h, "contention") || hunt_saw(h, "wait");
    case BY_RESENDS: return hunt_saw(h, "resend");
    case BY_THE_SERVERS_ACCOUNT: return h->observed;
    case BY_ANYTHING: break;
    }
    return true;
}

static bool by_graph(property p)
{
    return p == PROPERTY_NO_DEADLOCK || p == PROPERTY_BOUNDED_WAIT || p == PROPERTY_NO_LEAK;
}

static void judge(hunt *h)
{
    const scenario *sc = h->sc;
    for (int p = 0; p < PROPERTY_COUNT; p++) {
        property_result *r = &h->out->properties[p];
        r->expected = sc->expect[p];
        r->reason = sc->why[p];
        r->expected_signature = h->o->signatures ? sc->signatures[p] : NULL;
        r->signature = h->found[p].signature;
        r->other_cause = h->found[p].other_cause;
        if (!sc->model.judged[p] || (!h->found[p].yes && !has_evidence(h, (property)p)))
            r->outcome = OUTCOME_NOT_JUDGED;
        else if (plain_explains(h, (property)p))
            r->outcome = OUTCOME_NOT_JUDGED;
        else if (h->found[p].yes)
            r->outcome = OUTCOME_VIOLATED;
        else if ((!property_describe((property)p)->along_a_run && !h->by_graph[p]) ||
                 (h->why_undecided.n && by_graph((property)p)) || h->failed || h->stopped || h->cut_runs > 0)
            r->outcome = OUTCOME_UNDECIDED;
        else
            r->outcome = OUTCOME_HOLDS;
    }
}

static str words(arena *a, uint64_t bits, bool set)
{
    buf b = { 0 };
    for (size_t i = 0; world_sight(i); i++)
        if ((bits >> i & 1) == set)
            buf_printf(&b, "%s%s", b.n ? " " : "", world_sight(i));
    str text = arena_str(a, buf_str(&b));
    buf_free(&b);
    return text;
}

static const char *missing_sight(const hunt *h)
{
    for (size_t m = 0; m < h->sc->must_see_count; m++)
        for (size_t i = 0; world_sight(i); i++)
            if (str_eq(h->sc->must_see[m], str_from(world_sight(i))) && !(h->seen >> i & 1))
                return world_sight(i);
    return NULL;
}

static bool starts_too_late(const hunt *h, const scenario_client *c)
{
    return c->pinned && !c->after.n && c->start_ms > h->sc->end_ms;
}

/* The first client whose start waits for what never happens, or comes after the end; NULL: there is none. */
static const scenario_client *never_started(const hunt *h)
{
    for (size_t i = 0; i < h->sc->client_count && h->out->search.complete; i++) {
        const scenario_client *c = &h->sc->clients[i];
        if (starts_too_late(h, c) || (c->after.n && !world_client_seen(h->seen, CLIENT_STARTED, (uint32_t)i)))
            return c;
    }
    return NULL;
}

/* A fault that is aimed at an operation and never struck anywhere; FAULT_KINDS: there is none. A misspelt operation
 * would leave the fault out of the search in silence. */
static fault_kind missed_aim(const hunt *h)
{
    for (int k = 0; k < FAULT_KINDS && h->out->search.complete; k++)
        if (h->sc->faults[k].budget > 0 && h->sc->faults[k].op.n > 0 &&
            !world_sight_seen(h->seen, fault_name((fault_kind)k)))
            return (fault_kind)k;
    return FAULT_KINDS;
}

bool hunt_saw_client(const hunt *h, client_sight what, size_t client)
{
    bool any = false;
    for (size_t i = 0; i < h->sc->client_count; i++)
        if (i == client || (h->equals && h->equals->first[i] == h->equals->first[client]))
            any |= world_client_seen(h->seen, what, (uint32_t)i);
    return any;
}

bool hunt_clock_unread(const hunt *h)
{
    str of = h->sc->faults[FAULT_CLOCK_JUMP].of;
    bool any = false;
    for (size_t i = 0; i < h->sc->client_count; i++)
        if (!of.n || str_eq(of, h->sc->clients[i].name))
            any |= hunt_saw_client(h, CLIENT_READ_CLOCK, i);
    return !any;
}

/* Did a kind of fault that is allowed never happen, in all that was searched? Or to nobody who could notice? */
static bool is_unstruck(const hunt *h, fault_kind k)
{
    if (h->sc->faults[k].budget == 0)
        return false;
    return !hunt_saw(h, fault_name(k)) || (k == FAULT_CLOCK_JUMP && hunt_clock_unread(h)) ||
           !world_noticed(h->seen, k);
}

/* Why nobody could notice it. */
static const char *unnoticed(fault_kind k)
{
    return k == FAULT_CLOCK_JUMP          ? " (to no client that looks at its clock)"
           : k == FAULT_SERVER_CLOCK_JUMP ? " (to no server with a time to live, or asked for the time)"
                                          : " (to no script that was called again)";
}

/* The faults that never happened, commas between. *any: another one did. */
static str unstruck(const hunt *h, bool *any)
{
    buf b = { 0 };
    *any = false;
    for (int k = 0; k < FAULT_KINDS; k++) {
        if (is_unstruck(h, (fault_kind)k))
            buf_printf(&b, "%s%s%s", b.n ? ", " : "", fault_name((fault_kind)k),
                       hunt_saw(h, fault_name((fault_kind)k)) ? unnoticed((fault_kind)k) : "");
        else
            *any |= h->sc->faults[k].budget > 0;
    }
    str text = arena_str(h->a, buf_str(&b));
    buf_free(&b);
    return text;
}

/* Was anything violated, as expected? Then a pass says something even where no fault happened. */
static bool shows_a_break(const hunt *h)
{
    bool any = false;
    for (int p = 0; p < PROPERTY_COUNT; p++)
        any |= h->out->properties[p].outcome == OUTCOME_VIOLATED;
    return any;
}

/* The first item of must_meet that never happened; empty: all did. */
static str missing_meeting(const hunt *h)
{
    for (size_t i = 0; i < h->sc->must_meet_count; i++) {
        str wanted = h->sc->must_meet[i];
        bool met = false;
        for (size_t k = h->out->unmet_count; k < h->out->meeting_count && !met; k++) {
            const meeting *x = &h->out->meetings[k];
            size_t n = x->op.n;
            met = wanted.n == n + 4 + x->place.n && str_starts(wanted, x->op) &&
                  str_eq(str_slice(wanted, n, n + 4), S(" at ")) &&
                  str_ends(wanted, x->place);
        }
        if (!met)
            return wanted;
    }
    return S("");
}

/* Why not all causes of a violation are known. */
static str why_not_whole(const hunt *h)
{
    if (h->why_undecided.n)
        return h->why_undecided;
    return h->out->reason.n ? h->out->reason : S("this kind of search does not have it");
}

/* The first property, if any, whose outcome is not the expected one. */
static verdict worst_property(hunt *h, bool sampled)
{
    verdict worst = VERDICT_PASS;
    for (int p = 0; p < PROPERTY_COUNT; p++) {
        const property_result *r = &h->out->properties[p];
        const char *name = property_describe((property)p)->name;
        bool wanted_break = r->expected == EXPECT_VIOLATED;
        if (r->outcome == OUTCOME_VIOLATED && !wanted_break)
            return VERDICT_FAIL;
        if (r->outcome == OUTCOME_VIOLATED && r->other_cause) {
            h->out->reason = arena_printf(h->a, "%s was expected to be violated, but not so", name);
            return VERDICT_FAIL;
        }
        if (r->outcome == OUTCOME_VIOLATED && r->expected_signature && !r->signature) {
            worst = VERDICT_INCONCLUSIVE;
            h->out->reason = arena_printf(h->a, "%s is violated, as expected; whether also by the expected faults only "
                                          "the whole graph can tell: %.*s",
                                          name, STR_ARG(why_not_whole(h)));
        }
        if (r->outcome == OUTCOME_HOLDS && wanted_break) {
            if (!sampled) {
                h->out->reason = arena_printf(h->a, "%s was expected to be violated, and holds", name);
                return VERDICT_FAIL;
            }
            worst = VERDICT_INCONCLUSIVE;
            h->ending = ENDING_NOT_FOUND;
            h->ended_by = (property)p;
            h->out->reason = arena_printf(h->a, "%s was expected to be violated; this sample did not find it", name);
        }
        if (r->outcome == OUTCOME_UNDECIDED && worst == VERDICT_PASS) {
            worst = VERDICT_INCONCLUSIVE;
            h->ended_by = (property)p;
            h->ending = h->stopped ? ENDING_AS_JUDGED : h->cut_runs > 0 ? ENDING_CUT_RUNS
                        : h->why_undecided.n && by_graph((property)p) ? ENDING_GRAPH : ENDING_ALONG_RUNS;
            if (h->cut_runs > 0 && !h->stopped)
                h->out->reason = arena_printf(h->a, "%" PRIu64 " of %" PRIu64 " runs %s cut after %" PRIu64 " steps",
                                              h->cut_runs,
                                              h->out->search.runs, h->cut_runs == 1 ? "was" : "were", h->max_steps);
            else if (!h->stopped && h->why_undecided.n && by_graph((property)p))
                h->out->reason = h->why_undecided;
            else if (!h->stopped)
                h->out->reason = arena_printf(h->a, "%s cannot be judged along single runs", name);
        }
    }
    return worst;
}

/* Does the scenario name it? `always` is named by being there. */
static bool is_asked_for(const scenario *sc, property p)
{
    return sc->expect[p] != EXPECT_UNSAID || (p == PROPERTY_ALWAYS && sc->has_always);
}

void verdict_reach(hunt *h, bool scripted)
{
    outcome *out = h->out;
    bool sampled = !scripted && !out->search.complete;
    if (h->failed) {
        out->verdict = VERDICT_ERROR;
        out->reason = S("the run could not go on");
        return;
    }
    out->verdict = worst_property(h, sampled);
    if (h->vacuous.n && out->verdict != VERDICT_FAIL) {
        out->verdict = VERDICT_VACUOUS;
        out->reason = h->vacuous;
        h->ending = ENDING_NOT_GRANTED;
        return;
    }
    for (int p = 0; p < PROPERTY_COUNT && out->verdict == VERDICT_PASS; p++)
        if (is_asked_for(h->sc, (property)p) && out->properties[p].outcome == OUTCOME_NOT_JUDGED) {
            out->verdict = VERDICT_VACUOUS;
            h->ending = ENDING_UNEXERCISED;
            h->ended_by = (property)p;
            static const char *const missing[] = {
                [BY_GRANTS] = "no client was ever granted a lock (me:granted)",
                [BY_TOKENS] = ("no client was ever granted a token (me:granted(name, { token = n })) or used what the "
                               "lock protects (me:use)"),
                [BY_REFUSALS] = "no client was ever refused a lock or waited for one (me:refused)",
                [BY_RESENDS] = "no request was ever sent again",
                [BY_THE_SERVERS_ACCOUNT] = "no driver registered a lock (me:observe)",
                [BY_ANYTHING] = "nothing was judged",
            };
            out->reason = arena_printf(h->a, "%s is expected, and %s", property_describe((property)p)->name,
                                       missing[evidence_of((property)p)]);
        }
    str apart = missing_meeting(h);
    if (apart.n && out->verdict == VERDICT_PASS) {
        out->verdict = VERDICT_VACUOUS;
        h->ending = ENDING_UNMET;
        h->unseen = apart;
        out->reason = arena_printf(h->a, "\"%.*s\" never happened, which must_meet names", STR_ARG(apart));
    }
    const char *missing = missing_sight(h);
    if (missing && out->verdict == VERDICT_PASS) {
        out->verdict = VERDICT_VACUOUS;
        h->ending = ENDING_UNSEEN;
        h->unseen = str_from(missing);
        out->reason = arena_printf(h->a, "it never saw \"%s\", which must_see names", missing);
    }
    const scenario_client *absent = sampled ? NULL : never_started(h);
    if (absent && out->verdict == VERDICT_PASS) {
        out->verdict = VERDICT_VACUOUS;
        h->ending = ENDING_ABSENT;
        out->reason = starts_too_late(h, absent)
                          ? arena_printf(h->a, "%.*s never started: the run ends before", STR_ARG(absent->name))
                          : arena_printf(h->a, "%.*s never started: \"%.*s\" never happened", STR_ARG(absent->name),
                                         STR_ARG(absent->after));
    }
    fault_kind missed = sampled ? FAULT_KINDS : missed_aim(h);
    if (missed < FAULT_KINDS && out->verdict == VERDICT_PASS) {
        const fault_budget *f = &h->sc->faults[missed];
        out->verdict = VERDICT_VACUOUS;
        h->ending = ENDING_UNSTRUCK;
        h->unseen = str_from(fault_name(missed));
        out->reason = arena_printf(h->a, "%s at \"%.*s\"%s%.*s never happened, which faults names", fault_name(missed),
                                   STR_ARG(f->op), f->of.n ? " of " : "", STR_ARG(f->of));
    }
    bool others;
    str idle = scripted || sampled ? S("") : unstruck(h, &others);      /* a schedule names its faults itself */
    if (idle.n && !others && h->sc->own_faults && out->verdict == VERDICT_PASS && !shows_a_break(h)) {
        out->verdict = VERDICT_VACUOUS;
        h->ending = ENDING_NO_FAULT;
        h->unseen = str_slice(idle, 0, str_find(idle, ',', 0));
        h->unseen = str_slice(h->unseen, 0, str_find(h->unseen, ' ', 0));
        out->reason = arena_printf(h->a, "no fault could happen: faults names %.*s", STR_ARG(idle));
    }
}

/* The shortening of counterexamples does not count as coverage. */
static void take_coverage(hunt *h)
{
    h->out->script_count = coverage_scripts(h->cover, h->a, &h->out->scripts);
    coverage_free(h->cover);
    h->cover = NULL;
}

static void take_meetings(hunt *h)
{
    outcome *out = h->out;
    if (h->meetings)
        out->meeting_count = meetings_list(h->meetings, h->a, &out->meetings, &out->meetings_full);
    h->asks_apart = h->meetings && meetings_apart(h->meetings, h->locks_apart);
    for (size_t i = 0; h->asks_apart && i < COUNT(h->locks_apart); i++)
        h->locks_apart[i].lock = arena_str(h->a, h->locks_apart[i].lock);
    meetings_free(h->meetings);
    h->meetings = NULL;
    while (out->unmet_count < out->meeting_count && !out->meetings[out->unmet_count].met)
        out->unmet_count++;
}

typedef struct { trials *t; const source_cache *sources; } knowing;

/* A file that is both a script and a driver does not count as a known script. */
static void know_script(void *context, const script_file *s)
{
    knowing *k = context;
    const source *module;
    for (uint32_t i = 0; (module = source_numbered(k->sources, i)) != NULL; i++)
        if (str_eq(module->path, s->path))
            return;
    trials_know(k->t, s->path, s->body);
}

/* The records are valid for a search that asks each thing once and that ended by itself. */
static void end_trials(const hunt *h, bool by_tables)
{
    trials *t = h->o->trials;
    if (!by_tables || h->time_of_day.n || h->stopped || source_texts_read(h->sc->sources))
        trials_spoil(t);
    else
        source_each_script(h->sc->sources, know_script, &(knowing){ .t = t, .sources = h->sc->sources });
}

/* The clients that never sent a request, commas between. */
static str silent_clients(const hunt *h)
{
    buf b = { 0 };
    for (size_t i = 0; i < h->sc->client_count; i++)
        if (!hunt_saw_client(h, CLIENT_SENT, i))
            buf_printf(&b, "%s%.*s", b.n ? ", " : "client ", STR_ARG(h->sc->clients[i].name));
    str text = arena_str(h->a, buf_str(&b));
    buf_free(&b);
    return text;
}

/* The text with ids as in the order of the names: "order:A:1" of "order:2A:1", see ids.h. */
static str plainly(const hunt *h, str text)
{
    buf b = { 0 };
    for (size_t at = 0; at < text.n; at++) {
        size_t from = at;
        while (from < at + 2 && from < text.n && isdigit((unsigned char)text.p[from]))
            from++;
        for (size_t i = 0; i < h->sc->client_count && from > at; i++)
            if (str_starts(str_slice(text, from, text.n), arena_printf(h->a, "%.*s:", STR_ARG(h->sc->clients[i].name))))
                at = from;
        buf_byte(&b, text.p[at]);
    }
    str plain = arena_str(h->a, buf_str(&b));
    buf_free(&b);
    return plain;
}

/* No two clients asked for the same lock, so that nobody could be refused: whose they are; "": some did. */
static str locks_apart(const hunt *h)
{
    if (!h->asks_apart || h->out->verdict != VERDICT_PASS || hunt_saw(h, "contention"))
        return S("");
    const lock_of_one *of = h->locks_apart;
    str first = plainly(h, of[0].lock), second = plainly(h, of[1].lock);
    return arena_printf(h->a, "no two clients ask for the same lock (\"%.*s\" is asked for by %.*s alone, \"%.*s\" by "
                        "%.*s): nobody is kept from anything", STR_ARG(first),
                        STR_ARG(h->sc->clients[of[0].process].name), STR_ARG(second),
                        STR_ARG(h->sc->clients[of[1].process].name));
}

/* A remark on what a pass cannot show, however many states it has. */
static str note_of(const hunt *h, bool scripted)
{
    const scenario *sc = h->sc;
    bool others;
    str idle = scripted || h->o->lockstep || h->out->verdict != VERDICT_PASS ? S("") : unstruck(h, &others);
    str apart = locks_apart(h);
    if (h->luck.n)
        return h->luck;
    if (apart.n)
        return apart;
    if (idle.n)
        return arena_printf(h->a, "of the faults that are allowed, these never happened: %.*s", STR_ARG(idle));
    if (h->o->lockstep)
        return S("");
    if (sc->client_count == 1 && sc->clients[0].threads == 1)
        return S("one client with one thread: no other client asks for the lock");
    str silent = scripted || h->out->verdict != VERDICT_PASS ? S("") : silent_clients(h);
    return silent.n ? arena_printf(h->a, "sent nothing to a server: %.*s", STR_ARG(silent)) : S("");
}

static void search_scenario(arena *a, const scenario *sc, const loader *l, const search_options *o,
                            const char *schedule, outcome *out)
{
    *out = (outcome){ .path = sc->path, .file = sc->file, .title = sc->title, .exhibit = sc->exhibit, .reason = S(""),
                      .means = S(""), .note = S(""), .seen = S(""), .unseen = S("") };
    memcpy(out->faults, sc->faults, sizeof out->faults);
    out->clients = ARENA_ARRAY(a, str, sc->client_count + 1);
    out->client_count = sc->client_count;
    for (size_t i = 0; i < sc->client_count; i++)
        out->clients[i] = sc->clients[i].name;
    out->search.seed = o->seed;
    hunt h = { .a = a, .sc = sc, .l = l, .o = o, .out = out, .max_steps = o->max_steps ? o->max_steps : sc->max_steps,
               .cover = coverage_new() };
    h.max_states = o->max_states ? o->max_states : sc->max_states;
    h.max_memory = o->max_memory ? o->max_memory : sc->max_memory ? sc->max_memory : o->memory_default;
    bool sampled = o->strategy || o->runs;         /* the command line overrides the scenario */
    bool states = o->exhaustive || o->no_memo;
    bool scripted = schedule || (sc->explore == EXPLORE_SCHEDULE && !o->no_fold && !states && !sampled);
    bool every = !scripted && (o->no_fold || states || (sc->explore == EXPLORE_EXHAUSTIVE && !sampled));
    h.open_starts = o->open_starts && !scripted;
    if (!scripted && !o->lockstep && !o->glance && sc->client_count > 1)
        h.meetings = meetings_new(sc->client_count);
    if (every && sc->client_count > 1 && !o->lockstep)
        h.orders = orders_new(sc, o->limits);
    if (scripted)
        search_schedule(&h, schedule ? str_from(schedule) : sc->schedule);
    else if (every && o->no_fold)
        search_every_schedule(&h);
    else if (every)
        search_every_state(&h);
    else
        search_random(&h);
    if (o->trials)
        end_trials(&h, every && !o->no_fold && !o->no_memo);
    orders_free(h.orders);
    h.orders = NULL;
    out->search.limited = (h.stopped && !h.enough) || h.why_undecided.n > 0;
    take_coverage(&h);
    take_meetings(&h);
    if (!schedule && (!h.stopped || h.enough))
        plain_is_vacuous(&h);
    judge(&h);
    if (!o->untold && !o->glance)
        collect_examples(&h, scripted);
    verdict_reach(&h, scripted);
    out->seen = words(a, h.seen, true);
    out->unseen = words(a, h.seen, false);
    if (o->elapsed_ms)
        out->search.elapsed_ms = o->elapsed_ms(o->context);
    out->note = note_of(&h, scripted);
    if (!o->untold && !o->glance && !o->lockstep)
        advice_give(&h);
    out->means = means_say(&h, scripted);
    out->work = means_work(&h);
    for (int p = 0; p < PROPERTY_COUNT; p++) {
        trace_free(&h.found[p].trace);
        buf_free(&h.found[p].text);
        buf_free(&h.found[p].why);
    }
    trace_free(&h.last);
}

void search_run(arena *a, const scenario *sc, const loader *l, const search_options *o, outcome *out)
{
    search_scenario(a, sc, l, o, o->schedule, out);
}

void search_replay(arena *a, const scenario *sc, const loader *l, const search_options *o, str schedule, outcome *out)
{
    str copy = arena_str(a, schedule);
    search_scenario(a, sc, l, o, copy.p, out);
}
