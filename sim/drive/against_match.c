/* against_match.c - a driver's world beside a program's run: corresponding requests, the driver's own steps, and the
 * differences. */
#include "drive/against_internal.h"

#include <inttypes.h>
#include <string.h>

#include "base/buf.h"
#include "base/mem.h"

/* ---- the two sides ---- */

static const story_request *requests_of(const follower *f, size_t *count)
{
    *count = world_story(f->w)->request_count;
    return world_story(f->w)->requests;
}

const story_request *follow_find_ours(const follower *f, uint32_t node, uint32_t number, uint32_t copy, size_t *place)
{
    size_t count;
    const story_request *all = requests_of(f, &count);
    for (size_t i = 0; i < count; i++)
        if (all[i].process == node && all[i].number == number && all[i].copy == copy) {
            *place = i;
            return &all[i];
        }
    return NULL;
}

static bool is_told(const follower *f, size_t place)
{
    if (place < f->passed_cap && f->passed[place])
        return true;
    for (size_t i = 0; i < f->real->request_count; i++)
        if (f->ours[i] == place + 1)
            return true;
    return false;
}

bool follow_runs_script(const story_request *r)
{
    return r->argc > 1 && str_starts_nocase(r->argv[0], S("eval"));
}

static bool is_script_word(const story_request *r)
{
    return r->argc > 0 && str_eq_nocase(r->argv[0], S("script"));
}

/* The server did not know the script: the request is repeated with the text, or after loading it. */
bool follow_is_unknown_script(const story_request *r)
{
    return follow_runs_script(r) && str_starts(r->answer, S("error: NOSCRIPT"));
}

/* Lines of belief are no requests about the lock; neither are loading a script and naming the client. */
bool follow_counts(const story_request *r)
{
    static const char *const others[] = { "script", "echo", "quit", "ping", "client", "hello", "info" };
    bool counts = true;
    for (size_t i = 0; r->argc > 0 && i < COUNT(others); i++)
        counts = counts && !str_eq_nocase(r->argv[0], str_from(others[i]));
    return counts;
}

/* The driver has not sent it yet, and should. */
bool follow_is_open(const follower *f, size_t r)
{
    const story_request *q = &f->real->requests[r];
    return f->ours[r] == NONE && !f->left_out[r] && q->copy == 0 && follow_counts(q);
}

static void pass_over(follower *f, size_t place)
{
    if (place >= f->passed_cap) {
        size_t cap = 2 * place + 16;
        bool *grown = ARENA_ARRAY(f->a, bool, cap);
        for (size_t i = 0; i < f->passed_cap; i++)
            grown[i] = f->passed[i];
        f->passed = grown;
        f->passed_cap = cap;
    }
    f->passed[place] = true;
}

/* Options may be written in either case; keys and values may not. */
static bool is_option(str word)
{
    bool letters = word.n > 1 && word.n < 12;
    for (size_t i = 0; i < word.n; i++)
        letters = letters && (word.p[i] | 32) >= 'a' && (word.p[i] | 32) <= 'z';
    return letters;
}

/* EVAL has the text, EVALSHA its hash. */
static str hash_of(arena *a, const story_request *r)
{
    char hex[41];
    if (str_starts_nocase(r->argv[0], S("evalsha")))
        return r->argv[1];
    redis_sha1(r->argv[1], hex);
    return arena_str(a, str_from(hex));
}

static bool same_script(follower *f, str theirs, str ours)
{
    for (size_t i = 0; i < f->scripts.count; i++)
        if (str_eq(f->scripts.at[i].theirs, theirs) || str_eq(f->scripts.at[i].ours, ours))
            return str_eq(f->scripts.at[i].theirs, theirs) && str_eq(f->scripts.at[i].ours, ours);
    against_pair *grown = ARENA_ARRAY(f->a, against_pair, f->scripts.count + 1);
    for (size_t i = 0; i < f->scripts.count; i++)
        grown[i] = f->scripts.at[i];
    grown[f->scripts.count++] = (against_pair){ .theirs = theirs, .ours = ours };
    f->scripts.at = grown;
    return true;
}

/* To the same server, too. */
static bool same_words(follower *f, const story_request *theirs, const story_request *ours)
{
    bool script = follow_runs_script(theirs) && follow_runs_script(ours);
    if (theirs->server != ours->server || theirs->argc != ours->argc || theirs->argc == 0 ||
        (!script && !str_eq_nocase(theirs->argv[0], ours->argv[0])))
        return false;
    str client = f->with->sc->clients[ours->process].name;
    for (size_t i = 1; i < theirs->argc; i++) {
        str t = theirs->argv[i], o = ours->argv[i];
        bool same = script && i == 1 ? same_script(f, hash_of(f->a, theirs), hash_of(f->a, ours))
                    : (i > 2 && is_option(t) && str_eq_nocase(t, o)) || against_same_word(&f->words, t, o, client);
        if (!same)
            return false;
    }
    return true;
}

/* New pairs of words are kept only if all words match. */
static bool matches(follower *f, const story_request *theirs, const story_request *ours)
{
    against_pairs words = f->words, scripts = f->scripts;
    if (same_words(f, theirs, ours))
        return true;
    f->words = words;
    f->scripts = scripts;
    return false;
}

/* ---- the driver goes on ---- */

bool follow_take(follower *f, const step *s)
{
    step copy = *s;
    if (f->steps++ >= STEPS_MAX) {
        err_set(f->problem, ERR_SCENARIO, "the driver took %d steps and did not come to the end of the program's run",
                STEPS_MAX);
        return false;
    }
    return world_take(f->w, &copy, f->problem);
}

/* The option to take: that of this run, or the first one of each new choice. */
size_t follow_pick(follower *f, uint32_t node, size_t of)
{
    picks_of *p = &f->picks[node];
    if (p->asked == p->count) {
        MEM_RESERVE(p->at, p->cap, p->count + 1);
        p->at[p->count++] = (pick){ .of = of };
    }
    p->at[p->asked].of = of;
    return p->at[p->asked++].taken;
}

static bool is_of(const step *s, uint32_t node)
{
    return node == NOBODY ? s->process != NOBODY : s->process == node;
}

/* Does the server end the wait of a pop? */
static bool ends_wait(const follower *f, const step *s)
{
    size_t place;
    if (s->kind != STEP_ROUND_TRIP && s->kind != STEP_EXECUTE)
        return false;
    const story_request *q = follow_find_ours(f, s->process, s->request, s->copy, &place);
    return q && q->waited;
}

/* The step at `first` runs a task whose time is up. If others of its client are due, too, their order is a choice: an
 * event loop runs them by deadlines, threads in any order. */
const step *follow_due_task(follower *f, const step *steps, size_t count, size_t first)
{
    enum { DUE_MAX = 16 };
    size_t due[DUE_MAX], of = 0;
    for (size_t i = first; i < count && of < DUE_MAX; i++)
        if (steps[i].kind == STEP_RUN && steps[i].holds_time && steps[i].process == steps[first].process)
            due[of++] = i;
    return &steps[of < 2 ? first : due[follow_pick(f, steps[first].process, of) % of]];
}

/* What the driver's code does by itself: it runs, chooses, gives up. `held`: only steps that hold time. NULL: none. */
const step *follow_local_step(follower *f, uint32_t node, bool held)
{
    const step *steps, *free = NULL, *late = NULL;
    size_t count = world_enabled(f->w, &steps);
    for (size_t i = 0; i < count; i++) {
        const step *s = &steps[i];
        if (!is_of(s, node))
            continue;
        if (s->kind == STEP_CHOOSE) {
            size_t of = 0;
            for (size_t k = i; k < count && steps[k].kind == STEP_CHOOSE && steps[k].process == s->process &&
                 steps[k].task == s->task; k++)
                of++;
            return s + follow_pick(f, s->process, of) % of;
        }
        if (s->kind == STEP_RUN && s->holds_time)
            return follow_due_task(f, steps, count, i);
        if (ends_wait(f, s))
            return s;
        if (s->kind == STEP_RUN && !free)
            free = s;
        if (s->kind == STEP_GIVE_UP && !late)
            late = s;
    }
    return !held && free ? free : late;
}

/* A request of it to be executed that is not handled yet. NULL: none. */
const story_request *follow_pending(follower *f, uint32_t node, const step **how, const story_request *like)
{
    const step *steps;
    const story_request *first = NULL;
    size_t count = world_enabled(f->w, &steps), place;
    for (size_t i = 0; i < count; i++) {
        const step *s = &steps[i];
        if (!is_of(s, node) || (s->kind != STEP_ROUND_TRIP && s->kind != STEP_EXECUTE) || s->copy || ends_wait(f, s))
            continue;
        const story_request *q = follow_find_ours(f, s->process, s->request, 0, &place);
        if (!q || is_told(f, place))
            continue;
        if (!like || matches(f, like, q)) {
            *how = s;
            return q;
        }
        first = first ? first : q;
    }
    *how = NULL;
    return first;
}

/* Of the driver's request at this place. NULL: it cannot happen now. */
const step *follow_step_of(follower *f, size_t place, step_kind one, step_kind other)
{
    const story_request *q = &world_story(f->w)->requests[place];
    const step *steps;
    size_t count = world_enabled(f->w, &steps);
    for (size_t i = 0; i < count; i++)
        if ((steps[i].kind == one || steps[i].kind == other) && steps[i].process == q->process &&
            steps[i].request == q->number && steps[i].copy == q->copy)
            return &steps[i];
    return NULL;
}

/* It is not compared: executes it, if it was not executed, and answers it. */
bool follow_see_to(follower *f, size_t place)
{
    const step *s = follow_step_of(f, place, STEP_ROUND_TRIP, STEP_EXECUTE);
    pass_over(f, place);
    if (s && !follow_take(f, s))
        return false;
    s = follow_step_of(f, place, STEP_ANSWER, STEP_ANSWER);
    return !s || follow_take(f, s);
}

/* Is the program's SCRIPT LOAD under way for a while, behind other requests of its connection? */
static bool loads_slowly(const follower *f, uint32_t node, int64_t now_ms)
{
    for (size_t i = 0; i < f->real->request_count; i++) {
        const story_request *r = &f->real->requests[i];
        if (f->nodes[r->process] == node && is_script_word(r) && r->sent_ms == now_ms && r->executed_ms != now_ms)
            return true;
    }
    return false;
}

/* Executes SCRIPT LOAD at once. */
bool follow_load_scripts(follower *f, bool *any)
{
    const step *s;
    *any = false;
    for (uint32_t node = 0; node < f->with->sc->client_count; node++) {
        const story_request *q = follow_pending(f, node, &s, NULL);
        if (!q || !is_script_word(q))
            continue;
        *any = true;
        f->enough = loads_slowly(f, node, q->sent_ms);
        if (f->enough || !follow_see_to(f, (size_t)(q - world_story(f->w)->requests)))
            return false;
    }
    return true;
}

/* ---- differences ---- */

str follow_ordinal(arena *a, size_t n)
{
    static const char *const ends[] = { "th", "st", "nd", "rd" };
    bool teen = n % 100 > 10 && n % 100 < 14;
    return arena_printf(a, "%zu%s", n, ends[!teen && n % 10 < 4 ? n % 10 : 0]);
}

str follow_instant(arena *a, int64_t at_ms)
{
    int64_t since = at_ms - WORLD_EPOCH_MS;
    return arena_printf(a, "%" PRId64 ".%03d s", since / 1000, (int)(since % 1000));
}

size_t follow_number_of(const follower *f, const story_request *r)
{
    size_t n = 0;
    for (const story_request *at = f->real->requests; at <= r; at++)
        n += at->process == r->process && at->copy == 0 && follow_counts(at);
    return n;
}

/* The program's request and the driver's differ: either may be NULL. */
bool follow_differ(follower *f, uint32_t client, const story_request *theirs, const story_request *ours)
{
    str name = f->clients[client];
    if (f->doubtful) {
        f->enough = true;
        return false;
    }
    f->differs = true;
    f->whose = f->nodes[client];
    f->asked = f->picks[f->whose].asked;
    f->theirs = theirs;
    f->instead = ours;
    if (!theirs)
        f->reason = arena_printf(f->a, "%.*s: the driver sends a request at %.*s, the program nothing more",
                                 STR_ARG(name), STR_ARG(follow_instant(f->a, ours->sent_ms)));
    else if (!ours)
        f->reason = arena_printf(f->a, "%.*s: the program sends its %.*s request at %.*s, the driver nothing more",
                                 STR_ARG(name), STR_ARG(follow_ordinal(f->a, follow_number_of(f, theirs))),
                                 STR_ARG(follow_instant(f->a, theirs->sent_ms)));
    else if (theirs->sent_ms != ours->sent_ms)
        f->reason = arena_printf(f->a, "%.*s: the program sends its %.*s request at %.*s, the driver at %.*s",
                                 STR_ARG(name), STR_ARG(follow_ordinal(f->a, follow_number_of(f, theirs))),
                                 STR_ARG(follow_instant(f->a, theirs->sent_ms)),
                                 STR_ARG(follow_instant(f->a, ours->sent_ms)));
    else
        f->reason = arena_printf(f->a, "%.*s: its %.*s request, at %.*s, has other words", STR_ARG(name),
                                 STR_ARG(follow_ordinal(f->a, follow_number_of(f, theirs))),
                                 STR_ARG(follow_instant(f->a, theirs->sent_ms)));
    return false;
}

bool follow_pass_step(follower *f)
{
    const step *steps;
    size_t count = world_enabled(f->w, &steps);
    for (size_t i = 0; i < count; i++)
        if (steps[i].kind == STEP_TIME)
            return follow_take(f, &steps[i]);
    return false;
}

/* What the driver would send next if nothing else happened: for the report. */
const story_request *follow_later(follower *f, uint32_t node)
{
    const step *s;
    for (size_t n = 0; n < LATER_STEPS_MAX; n++) {
        const story_request *q = follow_pending(f, node, &s, NULL);
        if (q)
            return q;
        const step *local = follow_local_step(f, node, true);
        local = local ? local : follow_local_step(f, NOBODY, true);
        if (local ? !follow_take(f, local) : !follow_pass_step(f))
            break;
    }
    err_clear(f->problem);
    return NULL;
}
