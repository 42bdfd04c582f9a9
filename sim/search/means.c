/* means.c - what a result means: how much was searched, within which bounds, how certain it is, and what it does not
 * show. */
#include <inttypes.h>
#include <string.h>

#include "base/size.h"
#include "client/named_instant.h"
#include "search/internal.h"

static void say_faults(const scenario *sc, buf *b)
{
    bool any = false;
    for (int k = 0; k < FAULT_KINDS; k++)
        if (sc->faults[k].budget) {
            const fault_budget *f = &sc->faults[k];
            buf_printf(b, "%s%s<=%u", any ? ", " : "faults ", fault_name((fault_kind)k), f->budget);
            if (f->of.n)
                buf_printf(b, " of %.*s", STR_ARG(f->of));
            if (f->op.n)
                buf_printf(b, " at %.*s", STR_ARG(f->op));
            any = true;
        }
    if (!any)
        buf_addz(b, "no faults");
    for (int i = 0; sc->waived >> i; i++)
        if (scenario_waives(sc, (script_finding)i))
            buf_printf(b, ", %s waived", finding_name((script_finding)i));
}

static const char *plural(uint64_t n) { return n == 1 ? "" : "s"; }

str means_work(const hunt *h)
{
    enum { STATES_FOR_A_MEAN = 100000 };
    const outcome *out = h->out;
    buf text = { 0 }, *b = &text;
    if (!h->folded)
        return S("");
    uint64_t scripts = out->search.executions, pieces = out->search.client_runs;
    buf_printf(b, "Lua really run: %" PRIu64 " command%s and script%s at the servers", scripts, plural(scripts),
               plural(scripts));
    if (pieces > 0)        /* not counted without look-ups */
        buf_printf(b, ", %" PRIu64 " piece%s of client code", pieces, plural(pieces));
    if (out->search.client_repeats > 0)
        buf_printf(b, ", %" PRIu64 " more to come back to a state", out->search.client_repeats);
    buf_addz(b, "; ");
    size_print(out->search.bytes, b);
    buf_addz(b, " of memory");
    if (out->search.states >= STATES_FOR_A_MEAN)
        buf_printf(b, ", %" PRIu64 " bytes a state", out->search.bytes / out->search.states);
    str said = arena_str(h->a, buf_str(b));
    buf_free(b);
    return said;
}

static void say_unbroken(const hunt *h, buf *b)
{
    bool any = false;
    for (int p = 0; p < PROPERTY_COUNT; p++)
        if (h->out->properties[p].outcome == OUTCOME_UNDECIDED) {
            buf_printf(b, "%s%s", any ? ", " : "not broken so far: ", property_describe((property)p)->name);
            any = true;
        }
    if (any)
        buf_byte(b, '\n');
}

/* Ids are random in real clients. */
static void say_orders(const hunt *h, buf *b)
{
    size_t n = ids_orders(h->sc->client_count);
    if (!h->why_orders.n)
        return;
    buf_printf(b, "%.*s depends on the order of the clients' ids, which are random: ", STR_ARG(h->why_orders));
    if (h->ids_written)
        buf_addz(b, "as the code names some, only the order of the names was looked at\n");
    else if (h->stopped || h->settled || h->failed)
        buf_addz(b, "not all orders were looked at\n");
    else
        buf_printf(b, "%s%zu orders were, and count above\n", ids_orders_are_all(h->sc->client_count) ? "all "
                   : "not all, but ", n);
}

static void say_states(const hunt *h, buf *b)
{
    const outcome *out = h->out;
    uint64_t n = out->search.states;
    bool all = out->search.complete;
    buf_printf(b, "%s%" PRIu64 " state%s%s, %" PRIu64 " transition%s (%" PRIu64 " of them back to the same state), ",
               all ? "all " : "", n, plural(n),
               all ? " within these bounds" : "", out->search.transitions, plural(out->search.transitions),
               out->search.same);
    buf_printf(b, all ? "longest shortest way %" PRIu64 " step%s\n" : "every way of up to %" PRIu64
               " step%s was followed\n", out->search.longest,
               plural(out->search.longest));
    if (out->search.stand_for)
        buf_printf(b, "equal clients count once: these states stand for %" PRIu64 "\n", out->search.stand_for);
    else if (h->apart.n)
        buf_printf(b, "each client counts for itself: %.*s\n", STR_ARG(h->apart));
    if (h->ample_tells.n)
        buf_printf(b, "steps that commute were taken in one order: %.*s\n", STR_ARG(h->ample_tells));
    else if (h->ample)
        buf_addz(b, "steps that commute were taken in one order: states that lie within one instant are left out, and "
                 "which operations met is not known\n");
    else if (h->unreduced.n)
        buf_printf(b, "steps that commute were taken in every order: %.*s\n", STR_ARG(h->unreduced));
    if (!all)
        buf_printf(b, "%" PRIu64 " of these states %s not gone on from\n", out->search.waiting,
                   out->search.waiting == 1 ? "was" : "were");
    if (!all)
        say_unbroken(h, b);
    buf_printf(b, "states are told apart by 96-bit fingerprints: the chance that one was missed is below %.1e\n",
               out->search.odds + 1e-27);
    if (h->time_of_day.n)
        buf_printf(b, "the time of day is a part of every state, and all was run again instead of looked up: %.*s\n",
                   STR_ARG(h->time_of_day));
    else if (h->instants == INSTANTS_WITHIN)
        buf_printf(b, "instants within a text count as distances from now: %.*s\n", STR_ARG(h->instants_why));
    else if (h->instants == INSTANTS_SECONDS)
        buf_printf(b, "instants in seconds count as distances from now, and how long the last full second is past is a "
                   "part of every state: %.*s\n", STR_ARG(h->instants_why));
    say_orders(h, b);
}

static void say_every(const hunt *h, buf *b)
{
    const outcome *out = h->out;
    buf_printf(b, "all %" PRIu64 " schedules within these bounds, longest %" PRIu64 " steps\n", out->search.runs,
               out->search.longest);
    say_orders(h, b);
}

static void say_search(const hunt *h, bool scripted, buf *b)
{
    const outcome *out = h->out;
    if (h->folded) {
        say_states(h, b);
        return;
    }
    buf_printf(b, "%" PRIu64 " requests executed in %" PRIu64 " steps\n", out->search.executions,
               out->search.transitions);
    if (scripted)
        buf_addz(b, "one schedule, then the settled order: it says nothing of other interleavings\n");
    else if (out->search.complete)
        say_every(h, b);
    else
        buf_printf(b, "%" PRIu64 " runs, %.*s, seed %" PRIu64 ", longest %" PRIu64 " steps: a sample, not a proof\n",
                   out->search.runs, STR_ARG(out->search.strategy), out->search.seed, out->search.longest);
}

/* At which milliseconds time stopped. */
static void say_stops(const hunt *h, bool scripted, buf *b)
{
    if (h->o->every_ms > 0)
        buf_printf(b, "time stops at each of the first %" PRId64 " ms; then ", h->o->every_ms);
    if (h->out->search.states > 0 || (h->o->no_fold && !scripted))
        buf_printf(b, "time stops at timers, deadlines, stored times and the millisecond after them, and wherever a "
                   "start, the end of work, a resume or "
                   "a late request would have another outcome, followed through eight waits of each client, those of "
                   "others included, and with every other client that may come at any moment: where a comparison in "
                   "Lua has another result, and where a number in a "
                   "command meets one that is stored or written. Not seen are differences that show only after later "
                   "waits, another client's use of two stored times that three other ages must allow, a view%s that "
                   "differs for a few milliseconds only, and a table in Lua that is indexed by a time",
                   h->sc->has_always ? ", or always," : "");
    else if (!scripted)
        buf_addz(b, "time moves to timers, deadlines, stored times and the millisecond after them; where something may "
                 "come at any moment, it "
                    "moves by lengths drawn at random, half of them from near those and where a constant of the code "
                    "would meet one, half from all");
    else
        buf_addz(b, "time moves from instant to instant (timers, deadlines and the millisecond after them, stored "
                 "times): what happens only "
                    "between two of them is not seen");
}

/* When clients start: each pin excludes meetings. */
static void say_starts(const hunt *h, bool scripted, buf *b)
{
    const scenario *sc = h->sc;
    size_t pinned = 0;
    for (size_t i = 0; i < sc->client_count; i++)
        pinned += sc->clients[i].pinned || !h->open_starts;
    if (scripted || sc->client_count < 2 || pinned == 0)
        return;
    if (!h->open_starts)
        buf_addz(b, "every client starts at 0 ms, or when the scenario says: what others could do before that is not "
                 "seen\n");
    for (size_t i = 0, told = 0; h->open_starts && i < sc->client_count; i++)
        if (sc->clients[i].pinned) {
            buf_printf(b, "%s%.*s", told == 0 ? "" : told + 1 == pinned ? " and " : ", ", STR_ARG(sc->clients[i].name));
            told++;
        }
    if (h->open_starts)
        buf_printf(b, " %s only when the scenario says%s\n", pinned == 1 ? "starts" : "start",
                   pinned == sc->client_count ? ": what others could do before that is not seen"
                   : ", the others at any moment");
}

static void say_drift(const hunt *h, buf *b)
{
    for (size_t i = 0; i < h->sc->client_count; i++) {
        const scenario_client *c = &h->sc->clients[i];
        if (c->drift)
            buf_printf(b, "the clock of %.*s %s a millisecond every %" PRId64 " ms, and its timers go by it\n",
                       STR_ARG(c->name), c->drift > 0 ? "gains" : "loses", c->drift > 0 ? c->drift : -c->drift);
    }
}

static void say_named_instant(const hunt *h, buf *b)
{
    named_instant n = { .text = S("") };
    if (h->folded && h->time_of_day.n == 0 && named_instant_find(h->sc->sources, WORLD_EPOCH_MS, &n))
        buf_printf(b, "%.*s:%d names an instant, %.*s: times were kept as distances from now, and nothing is said of "
                   "what happens at that very one\n",
                   STR_ARG(n.where.path), n.where.line, STR_ARG(n.text));
}

static void say_server(hunt *h, const char *which, dialect d, buf *b)
{
    str name = dialect_name(h->a, d);
    buf_printf(b, "%s %.*s%s\n", which, STR_ARG(name),
               dialect_is_proved(d) ? "" : ", as its release notes have it: it was compared with no real server of "
               "that version");
}

static void say_dialect(hunt *h, buf *b)
{
    dialect d = h->sc->dialect;
    const dialect *second = h->o->lockstep ? lockstep_second_server(h->o->lockstep) : NULL;
    if (d.version || second)
        say_server(h, second ? "the first version's servers are" : "the servers are", dialect_or_default(d), b);
    if (second)
        say_server(h, "the second version's are", *second, b);
}

/* An expectation to break in any way hides all other causes. */
static void say_unsigned(const hunt *h, buf *b)
{
    bool any = false;
    for (int p = 0; p < PROPERTY_COUNT; p++) {
        const property_result *r = &h->out->properties[p];
        if (r->outcome != OUTCOME_VIOLATED || r->expected != EXPECT_VIOLATED || r->expected_signature)
            continue;
        buf_printf(b, "%s%s", any ? ", " : "in whatever way it breaks, this was expected (--write-expect says in "
                   "which): ",
                   property_describe((property)p)->name);
        any = true;
    }
    if (any)
        buf_byte(b, '\n');
}

str means_say(hunt *h, bool scripted)
{
    buf b = { 0 };
    buf_printf(&b, "%zu client%s, ", h->sc->client_count, plural(h->sc->client_count));
    say_faults(h->sc, &b);
    if (h->sc->end_ms != INT64_MAX)
        buf_printf(&b, ", the first %" PRId64 " ms", h->sc->end_ms);
    buf_addz(&b, "; ");
    say_search(h, scripted, &b);
    say_dialect(h, &b);
    say_starts(h, scripted, &b);
    say_drift(h, &b);
    say_unsigned(h, &b);
    if (h->settled)
        buf_addz(&b, "it ended early, when every property was settled\n");
    if (!h->observed && !h->o->lockstep)
        buf_addz(&b, "no driver registered a lock (me:observe): nothing is said of what the server holds\n");
    if (h->views_differ.n)
        buf_printf(&b, "clients registered different views of \"%.*s\" (me:observe): the one that was met first was "
                   "asked in every state, as if"
                       " the others said the same\n", STR_ARG(h->views_differ));
    bool granted = hunt_saw(h, "grant") || hunt_saw(h, "re-entry");
    if (!granted && h->o->lockstep)
        buf_addz(&b, "no client was granted a lock (me:granted): is there anything to compare?\n");
    else if (!granted)
        buf_addz(&b, "no client was granted a lock (me:granted): nothing is said of exclusion\n");
    say_named_instant(h, &b);
    say_stops(h, scripted, &b);
    str text = arena_str(h->a, buf_str(&b));
    buf_free(&b);
    return text;
}
