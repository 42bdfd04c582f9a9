/* advice.c - see advice.h. */
#include "search/advice.h"

#include <inttypes.h>
#include <string.h>

#include "scenario/source.h"

/* ---- places ---- */

static bool says_at(const source *s, position at, str word)
{
    str text = s->written.n ? s->written : s->text;
    size_t from = 0;
    for (int line = 1; line < at.line && from < text.n; line++)
        from = str_find(text, '\n', from) + 1;
    from += at.col > 0 ? (size_t)at.col - 1 : 0;
    return from + word.n <= text.n && str_eq(str_slice(text, from, from + word.n), word);
}

static str say_place(hunt *h, position at)
{
    return at.line > 0 ? arena_printf(h->a, "%.*s:%d:%d", STR_ARG(at.path), at.line, at.col > 0 ? at.col : 1) : S("");
}

/* Where the scenario's file writes that field, or a field of it (inner; empty: none): in the last of its layers that
 * has it. Empty: nowhere. */
static str place_of(hunt *h, const char *field, str inner)
{
    const source *s = h->sc->main;
    static const case_layer all = { 0 };
    size_t count = h->sc->layer_count ? h->sc->layer_count : 1;
    for (size_t i = count; s && i > 0; i--) {
        const case_layer *l = h->sc->layer_count ? &h->sc->layers[i - 1] : &all;
        field_step steps[4];
        size_t n = 0;
        if (l->field.n)
            steps[n++] = (field_step){ .name = l->field };
        if (l->name.n)
            steps[n++] = (field_step){ .name = l->name };
        steps[n++] = (field_step){ .name = str_from(field) };
        if (inner.n) {
            steps[n++] = (field_step){ .name = inner };
            position at = source_field(s, steps, n);
            if (says_at(s, at, inner))
                return say_place(h, at);
            n--;
        }
        position at = source_field(s, steps, n);
        if (says_at(s, at, str_from(field)))
            return say_place(h, at);
    }
    return S("");
}

static str place_in(hunt *h, const source *s, const char *word)
{
    for (size_t k = 0; s && k + 1 < s->token_count; k++)
        if (token_reads(&s->tokens[k], word) && token_reads(&s->tokens[k + 1], "="))
            return say_place(h, (position){ .path = s->path, .line = s->tokens[k].line, .col = s->tokens[k].col });
    return S("");
}

/* Where client code names a field so: in the scenario's file, or in one that it loads, `generic` left out. */
static str place_of_word(hunt *h, const char *word)
{
    const source *s;
    str place = place_in(h, h->sc->main, word);
    for (uint32_t i = 0; !place.n && (s = source_numbered(h->sc->sources, i)) != NULL; i++)
        if (!str_ends(s->path, S("generic.lua")))
            place = place_in(h, s, word);
    return place;
}

/* The column of a "path:line": where the line's first word begins. */
static str with_column(hunt *h, str place)
{
    size_t colon = place.n;
    while (colon > 0 && place.p[colon - 1] != ':')
        colon--;
    int line = 0;
    for (size_t i = colon; i < place.n && place.p[i] >= '0' && place.p[i] <= '9'; i++)
        line = line * 10 + (place.p[i] - '0');
    if (colon == 0 || line == 0)
        return place;
    const source *s;
    str path = str_slice(place, 0, colon - 1);
    for (uint32_t i = 0; (s = source_numbered(h->sc->sources, i)) != NULL; i++)
        for (size_t k = 0; k < s->token_count && str_eq(s->path, path); k++)
            if (s->tokens[k].line == line)
                return say_place(h, (position){ .path = path, .line = line, .col = s->tokens[k].col });
    const script_file **scripts;
    size_t n = source_scripts(h->sc->sources, h->a, &scripts);
    for (size_t i = 0; i < n; i++) {
        tokens x = { .text = scripts[i]->body, .line = 1 };
        token t;
        while (str_eq(scripts[i]->path, path) && tokens_next(&x, &t) == TOKENS_ONE)
            if (t.line == line)
                return say_place(h, (position){ .path = path, .line = line, .col = t.col });
    }
    return place;
}

/* ---- the plain run, told ---- */

/* Where the plain run changes a key first: the script's line, else the client's. */
static str place_of_key(hunt *h, str key)
{
    world *w = plain_told(h, SIZE_MAX);
    const story *s = w ? world_story(w) : NULL;
    str place = S("");
    for (size_t i = 0; s && i < s->key_count && !place.n; i++) {
        if (!str_eq(s->keys[i].name, key) || s->keys[i].step == 0 || s->keys[i].step > s->count)
            continue;
        const story_row *r = &s->rows[s->keys[i].step - 1];
        str lines = r->effects;
        while (lines.n && !place.n) {
            size_t end = str_find(lines, '\n', 0), blank = str_find(lines, ' ', 0);
            str line = str_slice(lines, 0, end);
            for (size_t at = 0; at + key.n <= line.n && !place.n; at++)
                if (str_starts(str_slice(line, at, line.n), key) && blank < end)
                    place = arena_str(h->a, str_slice(line, 0, blank));
            lines = str_slice(lines, end + 1, lines.n);
        }
        place = place.n ? place : arena_str(h->a, r->location);
    }
    world_free(w);
    return with_column(h, place);
}

/* Where the plain run sends its first request; of an acquire if `asks`. */
static str place_of_request(hunt *h, bool asks)
{
    world *w = plain_told(h, SIZE_MAX);
    const story *s = w ? world_story(w) : NULL;
    str place = S("");
    for (size_t i = 0; s && i < s->request_count && !place.n; i++) {
        const story_request *r = &s->requests[i];
        size_t step = r->executed_step ? r->executed_step : r->sent_step;
        if (step > 0 && step <= s->count && (!asks || model_op_asks(r->op)))
            place = arena_str(h->a, s->rows[step - 1].location);
    }
    world_free(w);
    return with_column(h, place);
}

/* The mover, and where it was, when the plain run had taken so many steps; false: it was over. */
static bool who_goes_on(hunt *h, size_t steps, str *who, str *place)
{
    world *w = plain_told(h, steps);
    const story *s = w ? world_story(w) : NULL;
    bool on = s && !world_over(w) && s->count > 0;
    *who = *place = S("");
    for (size_t i = on ? s->count : 0; i > 0 && !who->n; i--)
        if (s->rows[i - 1].process != NOBODY && s->rows[i - 1].location.n) {
            *who = h->sc->clients[s->rows[i - 1].process].name;
            *place = arena_str(h->a, s->rows[i - 1].location);
        }
    world_free(w);
    *place = with_column(h, *place);
    return on && who->n > 0;
}

static void give(hunt *h, str cause, str where, str change)
{
    h->out->advice = (advice){ .cause = cause, .where = where, .change = change };
}

/* ---- nothing was shown ---- */

static str first_of(str a, str b) { return a.n ? a : b; }

static void advise_ungranted(hunt *h)
{
    arena *a = h->a;
    str first = h->first_answer, expected = h->expected_answer;
    str unanswered = h->idle || first.n ? S("") : place_of_request(h, true);
    if (h->idle)
        give(h, S("the program sends nothing to a server: it does not use the lock"),
             place_of(h, "program", S("")),
             S("call the lock in it: local lock = mine.lock(me, \"order:42\") lock:acquire() me:work() "
               "lock:release()"));
    else if (first.n && expected.n)
        give(h, arena_printf(a, "acquire answers %.*s on an empty server, where the lock is free, and `granted` is "
                             "%.*s",
                             STR_ARG(first), STR_ARG(expected)),
             first_of(first_of(place_of_word(h, "granted"), place_of_word(h, "acquire")), place_of_request(h, true)),
             str_eq(first, S("nil")) ? S("leave `granted` out: nil is then what means \"yours\"")
             : str_starts(first, S("["))
             ? S("granted = function(reply) return type(reply) == \"table\" end, and what its items say, if that is "
                 "what acquire answers to the client that gets the lock")
             : arena_printf(a, "granted = %.*s, if that is what acquire answers to the client that gets the lock",
                            STR_ARG(first)));
    else if (first.n)
        give(h, arena_printf(a, "the driver never says me:granted, though acquire answers %.*s on an empty server, "
                             "where the lock is free", STR_ARG(first)),
             place_of_request(h, true),
             S("call me:granted(name, { lease = lease_ms }) where that answer means that the lock is yours"));
    else if (unanswered.n)
        give(h, S("acquire waits at the server, and nothing ever comes that would answer it"), unanswered,
             S("put there first what it waits for, as the application does when it sets the lock up: "
               "me:call(\"RPUSH\", key, \"token\")"));
    else
        give(h, S("no request is an acquire, so that no client can be granted anything"),
             first_of(place_of_request(h, false), place_of(h, "program", S(""))),
             S("name what it does: me:eval(acquire, keys, args, { op = \"acquire\", lock = name }), or "
               "me:wants(name) before it and me:granted(name) after it"));
}

static void advise_unexercised(hunt *h)
{
    property p = h->ended_by;
    const char *name = property_describe(p)->name;
    str where = place_of(h, "expect", str_from(name));
    switch (evidence_of(p)) {
    case BY_RESENDS:
        give(h, arena_printf(h->a, "%s is about requests that the driver sends again, and none was", name), where,
             S("mark what the driver may send again by { resend = true }, and let an answer be lost: faults = { "
               "lose_reply = 1 }"));
        return;
    case BY_THE_SERVERS_ACCOUNT:
        give(h, arena_printf(h->a, "%s is judged by what the server holds, and no driver says how to read it", name),
             where, S("register the lock: me:observe(name, driver), with driver.view(redis, lock); generic.lock does "
                      "both"));
        return;
    case BY_TOKENS:
        give(h, arena_printf(h->a, "%s is about the tokens of grants, and none has one", name), where,
             S("let the driver say me:granted(name, { token = n }), or use generic.lock with fencing = true, and the "
               "program me:use(resource, lock.fence)"));
        return;
    case BY_REFUSALS:
        give(h, arena_printf(h->a, "%s is about clients that wait, and none did", name), where,
             S("let another client ask for the same name while the lock is held, and the driver say me:refused"));
        return;
    case BY_GRANTS: case BY_ANYTHING:
        give(h, arena_printf(h->a, "%s is about grants, and no client was granted a lock", name), where,
             S("let the driver say me:wants, me:granted and me:released, or use generic.lock, which does"));
        return;
    }
}

/* The causes of a sight. */
static const struct { const char *sight, *cause, *change; bool needs_two; } sights[] = {
    { "contention", "no client ever found the lock taken", "let another client ask for the same name while the lock is "
      "held: me:work() between acquire and release", true },
    { "wait", "no client ever waited for the lock", "let the driver wait where it is refused (wait = \"pubsub\" or "
      "\"sleep\"), and the holder work meanwhile", true },
    { "wake-up", "no waiting client was ever woken by a message", "wait = \"pubsub\" with the channel that release "
      "publishes to", true },
    { "message", "no message was ever delivered", "subscribe: me:subscribe(channel, fn), or wait = \"pubsub\"", true },
    { "expiry", "no key ever expired: each was deleted before its TTL was over",
      "a lease shorter than the work, faults = { pause = 1 } or faults = { crash = 1 }", false },
    { "renewal", "no request renewed the lease", "generic.lock renews by renew = \"renew.lua\", a driver by a request "
      "with { op = \"renew\" }; and work longer than the lease is renewed after", false },
    { "re-entry", "no client acquired a lock that it held already", "call lock:acquire() twice before lock:release()",
      false },
    { "timeout", "no request ran into its time-out", "faults = { lose_reply = 1 }", false },
    { "resend", "no request was sent again", "{ resend = true } at what the driver may send again, and faults = { "
      "lose_reply = 1 }", false },
    { "release", "no client released the lock", "call lock:release(), or say me:released(name)", false },
    { "token", "no grant had a fencing token",
      "say me:granted(name, { token = n }), or use generic.lock with fencing = true", false },
    { "use", "no program used what the lock protects", "me:use(resource, token) between acquire and release", false },
    { "grant", "no client was granted a lock", "say me:granted(name), or use generic.lock", false },
};

static str two_clients(void) { return S("clients = { \"A\", \"B\" }"); }

static bool is_alone(const hunt *h)
{
    return h->sc->client_count == 1 && h->sc->clients[0].threads == 1;
}

static void advise_unseen(hunt *h)
{
    str where = place_of(h, "must_see", S(""));
    fault_kind f;
    for (size_t i = 0; i < COUNT(sights); i++) {
        if (!str_eq(h->unseen, str_from(sights[i].sight)))
            continue;
        if (sights[i].needs_two && is_alone(h))
            give(h, arena_printf(h->a, "%s: there is one client only", sights[i].cause), place_of(h, "clients", S("")),
                 two_clients());
        else
            give(h, str_from(sights[i].cause), where, str_from(sights[i].change));
        return;
    }
    if (fault_parse(h->unseen, &f) && h->sc->faults[f].budget == 0)
        give(h, arena_printf(h->a, "the fault %s is not among `faults`", fault_name(f)), where,
             arena_printf(h->a, "faults = { %s = 1 }", fault_name(f)));
    else if (fault_parse(h->unseen, &f))
        give(h, arena_printf(h->a, "the fault %s is allowed, and found nothing to strike: %s", fault_name(f),
                             fault_explain(f)), where, S(""));
}

static void advise_unstruck(hunt *h)
{
    fault_kind f;
    if (fault_parse(h->unseen, &f))
        give(h, arena_printf(h->a, "no request to which %s could happen has the op \"%.*s\"", fault_name(f),
                             STR_ARG(h->sc->faults[f].op)),
             first_of(place_of(h, fault_name(f), S("")), place_of(h, "faults", S(""))),
             S("an op that the driver names; --meetings lists those of the requests that were sent"));
}

static void advise_no_fault(hunt *h)
{
    fault_kind f;
    if (!fault_parse(h->unseen, &f))
        return;
    if (f == FAULT_CLOCK_JUMP && hunt_saw(h, fault_name(f))) {
        give(h, S("no client whose clock may jump ever looks at it (me:now)"),
             first_of(place_of(h, fault_name(f), S("")), place_of(h, "faults", S(""))), S("another fault, or none"));
        return;
    }
    if (!world_noticed(h->seen, f) && hunt_saw(h, fault_name(f))) {
        give(h, f == FAULT_SCRIPT_FLUSH ? S("no script is called after a server forgot it")
                                        : S("no server whose clock may jump has a key with a time to live, or is "
                                            "asked for the time"),
             first_of(place_of(h, fault_name(f), S("")), place_of(h, "faults", S(""))), S("another fault, or none"));
        return;
    }
    bool replica = (f == FAULT_FAILOVER || f == FAULT_LAG) && h->sc->replicas == 0;
    give(h, arena_printf(h->a, "%s (%s) finds nothing here that it could strike", fault_name(f), fault_explain(f)),
         first_of(place_of(h, fault_name(f), S("")), place_of(h, "faults", S(""))),
         replica ? S("replicas = 1: each server has a replica then") : S("another fault, or none"));
}

static void advise_absent(hunt *h)
{
    if (str_ends(h->out->reason, S("before"))) {
        give(h, S("its start_ms comes after end_ms"),
             first_of(place_of(h, "end_ms", S("")), place_of(h, "clients", S(""))),
             S("a later end_ms, or an earlier start"));
        return;
    }
    give(h, S("no request of the client that it waits for has that op"),
         first_of(place_of(h, "after", S("")), place_of(h, "clients", S(""))),
         S("an op that the driver names, or no `after`: the client then starts at any moment"));
}

static void advise_unmet(hunt *h)
{
    str where = place_of(h, "must_meet", S(""));
    if (is_alone(h)) {
        give(h, S("operations of two clients meet, and there is one client only"), place_of(h, "clients", S("")),
             two_clients());
        return;
    }
    for (size_t i = 0; i < h->sc->client_count; i++)
        if (h->sc->clients[i].pinned) {
            give(h, S("a client that starts at a given moment comes too early or too late for it"),
                 first_of(place_of(h, "start_ms", S("")), place_of(h, "clients", S(""))),
                 S("leave start_ms and after out: the client then starts at any moment"));
            return;
        }
    give(h, S("no way leads there: each of the two works on something else, or one is over before the other begins"),
         where, S("--meetings lists what did meet, by the same words"));
}

/* ---- a limit came first ---- */

/* The key that a server's fact is about: what stands last in backticks. */
static str key_of(str what)
{
    size_t end = what.n;
    while (end > 0 && what.p[end - 1] != '`')
        end--;
    size_t from = end > 0 ? end - 1 : 0;
    while (from > 0 && what.p[from - 1] != '`')
        from--;
    return from > 0 && end > from ? str_slice(what, from, end - 1) : S("");
}

static void advise_growth(hunt *h)
{
    str where = h->grower.at_servers ? place_of_key(h, key_of(h->grower.what)) : h->grower.where;
    give(h, arena_printf(h->a, "%.*s goes on changing and never comes back: as long as it does, there is no last state",
                         STR_ARG(h->grower.what)), where,
         h->grower.at_servers && h->grower.is_time
             ? S("end_ms = 10000 in the scenario, for a stored time only grows older; or let a release delete the "
                 "key, or give it a TTL")
         : h->grower.at_servers ? S("let the program end after a few rounds, or delete or bound the key")
         : S("let the program end after a few rounds, or bound the value"));
}

static str in_words(hunt *h, uint64_t n)
{
    char digits[32], *at = digits + sizeof digits;
    size_t shown = 0;
    *--at = '\0';
    do {
        if (shown > 0 && shown % 3 == 0)
            *--at = ',';
        *--at = (char)('0' + n % 10);
        n /= 10;
    } while (++shown, n > 0);
    return arena_printf(h->a, "%s", at);
}

/* A row of the profile that something can be done about. */
static bool advise_row(hunt *h, const profile_row *r)
{
    arena *a = h->a;
    str left = in_words(h, r->left), of = in_words(h, h->out->profile->states);
    switch (r->kind) {
    case PROFILE_FAULT:
        give(h, arena_printf(a, "the fault %.*s makes many of the states: %.*s of %.*s are left without it",
                             STR_ARG(r->what), STR_ARG(left), STR_ARG(of)), place_of(h, "faults", r->what),
             arena_printf(a, "search that fault in a case of its own, with fewer clients; --faults without %.*s is "
                          "the rest", STR_ARG(r->what)));
        return true;
    case PROFILE_PROPERTY:
        if (h->sc->expect[r->property] == EXPECT_UNSAID || property_describe(r->property)->by_default)
            return false;
        give(h, arena_printf(a, "what %.*s has to remember makes many of the states: %.*s of %.*s are left without it",
                             STR_ARG(r->what), STR_ARG(left), STR_ARG(of)), place_of(h, "expect", r->what),
             arena_printf(a, "judge %.*s in a case of its own, with fewer clients", STR_ARG(r->what)));
        return true;
    case PROFILE_FACT:
        if (r->values < 3)
            return false;
        give(h, arena_printf(a, "%.*s takes %.*s values%s; with one of them %.*s of %.*s states are left",
                             STR_ARG(r->what), STR_ARG(in_words(h, r->values)), r->more ? " or more" : "",
                             STR_ARG(left), STR_ARG(of)),
             r->of == PROFILE_SERVERS ? place_of_key(h, key_of(r->what)) : r->where,
             S("give it fewer values: fewer rounds, one length in place of a range, a counter that comes back"));
        return true;
    case PROFILE_WHOLE:
        if (r->of != PROFILE_CLIENTS || h->sc->client_count < 3)
            return false;
        for (size_t i = h->sc->client_count; i > 0; i--)
            if (r->clients >> (i - 1) & 1) {
                give(h, arena_printf(a, "each client multiplies the states: with one fewer about %.*s of %.*s are left",
                                     STR_ARG(left), STR_ARG(of)), place_of(h, "clients", S("")),
                     arena_printf(a, "leave %.*s out: two clients show most of what three do",
                                  STR_ARG(h->sc->clients[i - 1].name)));
                return true;
            }
        return false;
    }
    return false;
}

static str higher_limit(hunt *h, uint64_t states)
{
    if (h->max_states && h->out->search.states >= h->max_states)
        return arena_printf(h->a, "--max-states %" PRIu64, states + states / 2);
    if (str_starts(h->out->reason, S("it was interrupted")))
        return S("let it go on");
    return h->o->time_limit_ms > 0 ? S("a longer --time-limit") : S("a higher --max-memory");
}

static void advise_limit(hunt *h)
{
    const profile *p = h->out->profile;
    uint64_t states = h->out->search.states, all = states - h->out->search.waiting + h->at.to_come;
    enum { VALUES_MANY = 24 };         /* more than a few rounds would give */
    bool grows = h->grows.n && h->grower.what.n;
    if (h->time_of_day.n) {
        give(h, arena_printf(h->a, "%.*s: each instant is another state, and all is run again instead of looked up",
                             STR_ARG(h->time_of_day)), first_of(place_of_word(h, "acquire"), place_of_request(h, true)),
             S("of a time, make only sums, comparisons and full seconds (now / 1000, now % 1000); or --runs 10000"));
        return;
    }
    if (grows && h->grower.values >= VALUES_MANY) {
        advise_growth(h);
        return;
    }
    if (h->at.to_come && h->at.growth < 1 && all / 4 < states) {         /* behind the peak */
        give(h, arena_printf(h->a, "the limit is small for this world: by the growth of the last levels it has about "
                             "%.*s states", STR_ARG(in_words(h, all))), S(""), higher_limit(h, all));
        return;
    }
    for (size_t i = 0; p && i < p->count; i++)
        if (p->rows[i].left < p->states / 4 * 3 && advise_row(h, &p->rows[i]))
            return;
    if (grows) {
        advise_growth(h);
        return;
    }
    bool open = false;
    for (size_t i = 0; i < h->sc->client_count; i++)
        open |= h->open_starts && !h->sc->clients[i].pinned;
    if (open)
        give(h, S("there are more states than the limit lets it meet, and no part makes most of them; clients that "
                  "start at any moment make more than those that start together"), place_of(h, "clients", S("")),
             S("--pinned, or start_ms at a client: fewer meetings, sooner known"));
    else
        give(h, S("there are more states than the limit lets it meet, and no part makes most of them"), S(""),
             S("--runs 10000 samples the world"));
}

/* ---- a sample ---- */

static void advise_cut_runs(hunt *h)
{
    str who, where;
    if (who_goes_on(h, (size_t)h->max_steps, &who, &where))
        give(h, arena_printf(h->a, "client %.*s does not come to its end: after %" PRIu64 " steps it still goes on",
                             STR_ARG(who), h->max_steps), where,
             S("end the loop, or bound the wait: a number of tries, a time-out"));
    else
        give(h, arena_printf(h->a, "some runs are longer than %" PRIu64 " steps", h->max_steps),
             place_of(h, "limits", S("")), arena_printf(h->a, "--max-steps %" PRIu64, h->max_steps * 10));
}

static void advise_not_found(hunt *h)
{
    const char *name = property_describe(h->ended_by)->name;
    give(h, arena_printf(h->a, "%" PRIu64 " random runs may miss what breaks %s", h->out->search.runs, name),
         place_of(h, "expect", str_from(name)),
         arena_printf(h->a, "--exhaustive, which misses nothing; or --strategy pct --runs %" PRIu64,
                      h->out->search.runs * 10));
}

void advice_give(hunt *h)
{
    outcome *out = h->out;
    if (out->verdict == VERDICT_PASS && is_alone(h) && str_starts(out->note, S("one client"))) {
        str at = place_of(h, "clients", S(""));
        out->note = arena_printf(h->a, "%.*s (%.*s%s%.*s adds one)", STR_ARG(out->note), STR_ARG(at),
                                 at.n ? ": " : "", STR_ARG(two_clients()));
    }
    if (out->verdict != VERDICT_INCONCLUSIVE && out->verdict != VERDICT_VACUOUS)
        return;
    switch (h->ending) {
    case ENDING_NOT_GRANTED: advise_ungranted(h); return;
    case ENDING_UNEXERCISED: advise_unexercised(h); return;
    case ENDING_UNMET: advise_unmet(h); return;
    case ENDING_UNSEEN: advise_unseen(h); return;
    case ENDING_ABSENT: advise_absent(h); return;
    case ENDING_UNSTRUCK: advise_unstruck(h); return;
    case ENDING_NO_FAULT: advise_no_fault(h); return;
    case ENDING_CUT_RUNS: advise_cut_runs(h); return;
    case ENDING_NOT_FOUND: advise_not_found(h); return;
    case ENDING_ALONG_RUNS:
        give(h, arena_printf(h->a, "whether %s holds only the graph of all states tells, and single runs were followed",
                             property_describe(h->ended_by)->name), place_of(h, "explore", S("")), S("--exhaustive"));
        return;
    case ENDING_GRAPH:
        give(h, S("the second pass, over the graph of all states, needs more memory than it may take"), S(""),
             S("a higher --max-memory, or one client fewer"));
        return;
    case ENDING_AS_JUDGED:
        if (h->stopped && !h->enough && h->folded && !h->vacuous.n)
            advise_limit(h);
        else if (h->stopped && !h->enough && h->runs > out->search.runs)
            give(h, arena_printf(h->a, "%" PRIu64 " of %" PRIu64 " runs were made until then", out->search.runs,
                                 h->runs), place_of(h, "explore", S("")),
                 S("fewer runs (--runs N), or a longer --time-limit"));
        return;
    }
}
