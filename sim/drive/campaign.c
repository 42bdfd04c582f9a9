/* campaign.c - see campaign.h. */
#include "drive/campaign.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>
#include <uthash.h>

#include "base/mem.h"
#include "drive/job.h"
#include "drive/workers.h"

enum { SHRINK_RUNS = 40, LENGTH_DEFAULT = 60 };

typedef struct print_seen {
    uint64_t print;
    UT_hash_handle hh;
} print_seen;

typedef struct {
    const campaign *c;
    arena *a;
    outcome *out;
    run *r;
    print_seen *prints;
    uint64_t done, connections, grants, requests, steps, longest, limited, shrink_runs;
    str limit_why;
    uint64_t *ended_badly; /* of each client: runs in which its program ended with a status, and no fault struck */
    int *bad_status;
    str *bad_words;
    uint64_t *idle;        /* of each client: runs in which it was still there at the end */
    uint64_t first_print;
    size_t length;         /* steps of the first run */
    bool stopped;
    str ended_why;         /* of a campaign that found something: why it ended before its last run */
} work;

/* ---- one run ---- */

static bool note_print(work *w, uint64_t print)
{
    print_seen *s;
    HASH_FIND(hh, w->prints, &print, sizeof print, s);
    if (s)
        return false;
    s = mem_zero(sizeof *s);
    s->print = print;
    HASH_ADD(hh, w->prints, print, sizeof s->print, s);
    return true;
}

static run_result run_again(work *w, uint64_t seed, const picks *p, bool record, chooser *c)
{
    *c = (chooser){ .kind = CHOOSE_AGAIN, .again = p };
    return campaign_one(w->c, w->r, seed, record, c, w->a);
}

/* Does it show the finding: this property broken, or (PROPERTY_COUNT) a request that differs from the driver's? */
static bool shows(const run_result *got, property p)
{
    return p == PROPERTY_COUNT ? got->held.differs : got->ending == RUN_BROKEN && got->broken == p;
}

/* ---- shrinking ---- */

static size_t weight(const picks *p)
{
    size_t n = 0;
    for (size_t i = 0; i < p->count; i++)
        n += p->at[i] != 0;
    return n;
}

static void copy_picks(picks *to, const picks *from)
{
    MEM_RESERVE(to->at, to->cap, from->count + 1);
    to->count = from->count;
    if (from->count)
        memcpy(to->at, from->at, from->count * sizeof *to->at);
}

/* Tries the choices with this block at 0; kept where it still shows, in fewer steps or with fewer changes. */
static bool try_without(work *w, uint64_t seed, property p, picks *best, size_t from, size_t to)
{
    picks less = { 0 };
    chooser c;
    bool any = false;
    copy_picks(&less, best);
    for (size_t i = from; i < to && i < less.count; i++) {
        any = any || less.at[i];
        less.at[i] = 0;
    }
    bool better = false;
    if (any && w->shrink_runs++ < SHRINK_RUNS) {
        run_result got = run_again(w, seed, &less, false, &c);
        better = shows(&got, p) &&
                 (c.taken.count < best->count || (c.taken.count == best->count && weight(&c.taken) < weight(best)));
        if (better)
            copy_picks(best, &c.taken);
        chooser_free(&c);
    }
    mem_free(less.at);
    return better;
}

static void shrink(work *w, uint64_t seed, property p, picks *best)
{
    w->shrink_runs = 0;
    for (size_t block = best->count; block > 0 && w->shrink_runs < SHRINK_RUNS; block /= 2) {
        bool better = true;
        while (better && w->shrink_runs < SHRINK_RUNS) {
            better = false;
            for (size_t from = 0; from < best->count; from += block)
                better = try_without(w, seed, p, best, from, from + block) || better;
        }
    }
}

/* ---- telling ---- */

static str copied(arena *a, str s)
{
    return arena_str(a, s);
}

static story_request request_copy(arena *a, const story_request *from)
{
    story_request r = *from;
    str *argv = ARENA_ARRAY(a, str, from->argc + 1);
    for (size_t i = 0; i < from->argc; i++)
        argv[i] = copied(a, from->argv[i]);
    r.argv = argv;
    r.who = copied(a, from->who);
    r.answer = copied(a, from->answer);
    return r;
}

static story story_copy(arena *a, const story *s)
{
    story out = { .count = s->count, .mark_count = s->mark_count, .key_count = s->key_count,
                  .request_count = s->request_count, .executed = s->executed };
    out.requests = ARENA_ARRAY(a, story_request, s->request_count + 1);
    out.rows = ARENA_ARRAY(a, story_row, s->count + 1);
    out.marks = ARENA_ARRAY(a, story_mark, s->mark_count + 1);
    out.keys = ARENA_ARRAY(a, story_key, s->key_count + 1);
    for (size_t i = 0; i < s->count; i++) {
        const story_row *r = &s->rows[i];
        out.rows[i] = (story_row){ .at_ms = r->at_ms, .process = r->process, .token = copied(a, r->token),
                                   .did = copied(a, r->did),
                                   .notes = copied(a, r->notes), .redis = copied(a, r->redis) };
    }
    for (size_t i = 0; i < s->request_count; i++)
        out.requests[i] = request_copy(a, &s->requests[i]);
    for (size_t i = 0; i < s->mark_count; i++) {
        out.marks[i] = s->marks[i];
        out.marks[i].who = copied(a, s->marks[i].who);
        out.marks[i].lock = copied(a, s->marks[i].lock);
        out.marks[i].text = copied(a, s->marks[i].text);
    }
    for (size_t i = 0; i < s->key_count; i++) {
        out.keys[i] = s->keys[i];
        out.keys[i].name = copied(a, s->keys[i].name);
        out.keys[i].value = copied(a, s->keys[i].value);
    }
    return out;
}

static size_t switches_of(const story *s)
{
    size_t n = 0;
    uint32_t last = NOBODY;
    for (size_t i = 0; i < s->count; i++) {
        if (s->rows[i].process == NOBODY)
            continue;
        n += last != NOBODY && last != s->rows[i].process;
        last = s->rows[i].process;
    }
    return n;
}

static str schedule_of(arena *a, const story *s)
{
    buf b = { 0 };
    for (size_t i = 0; i < s->count; i++) {
        if (str_ends(s->rows[i].token, S(".print")))
            continue;              /* seen, not chosen */
        buf_addz(&b, b.n ? "\n" : "");
        buf_add(&b, s->rows[i].token);
    }
    str text = arena_str(a, buf_str(&b));
    buf_free(&b);
    return text;
}

static void add_example(work *w, property p, uint64_t seed)
{
    outcome *o = w->out;
    const violation *v = run_violation(w->r, p);
    counterexample *x = &o->examples[o->example_count++];
    *x = (counterexample){ .property = p, .text = copied(w->a, v->text), .why = copied(w->a, v->why),
                           .story = story_copy(w->a, run_story(w->r)) };
    x->steps = x->story.count;
    x->switches = switches_of(&x->story);
    x->schedule = schedule_of(w->a, &x->story);
    x->seed = seed;
    o->properties[p].outcome = OUTCOME_VIOLATED;
}

/* Runs the text of the schedule, and checks that the same property breaks. */
static bool proved(work *w, uint64_t seed, counterexample *x)
{
    err problem = { 0 };
    chooser c = { .kind = CHOOSE_SCHEDULE, .problem = &problem };
    schedule_item *items;
    bool broke = false;
    if (schedule_parse(w->a, x->schedule, S("schedule"), &items, &c.item_count, &problem)) {
        c.items = items;
        const run_result *got = run_from_start(w->r, seed, true, chooser_choose, &c);
        broke = got->ending == RUN_BROKEN && got->broken == x->property &&
                str_eq(schedule_of(w->a, run_story(w->r)), x->schedule);
    }
    chooser_free(&c);
    err_clear(&problem);
    return broke;
}

/* Runs these choices for the story, and the story's schedule, which must break the same property. */
static bool tell_example(work *w, uint64_t seed, property p, const picks *from)
{
    chooser c;
    outcome *o = w->out;
    run_result again = run_again(w, seed, from, true, &c);
    chooser_free(&c);
    if (!shows(&again, p))
        return false;
    property_outcome before = o->properties[p].outcome;
    add_example(w, p, seed);
    o->examples[o->example_count - 1].replayed = proved(w, seed, &o->examples[o->example_count - 1]);
    if (o->examples[o->example_count - 1].replayed)
        return true;
    o->example_count--;
    o->properties[p].outcome = before;
    return false;
}

/* A finding is run again before it is reported; if the result differs, that is reported. A loaded machine may disturb a
 * run, so each step gets a second try, and where the shorter story does not show it again, the long one may. */
static bool tell_finding(work *w, uint64_t seed, const run_result *got, const picks *taken)
{
    enum { TRIES = 3 };
    property p = got->broken;
    uint64_t print = got->print;
    picks best = { 0 };
    chooser c;
    bool alike = false;
    copy_picks(&best, taken);
    for (int i = 0; i < TRIES && !alike; i++) {
        run_result again = run_again(w, seed, taken, false, &c);
        alike = again.ending == RUN_BROKEN && again.print == print;
        chooser_free(&c);
    }
    if (alike) {
        shrink(w, seed, p, &best);
        const picks *tries[] = { &best, &best, taken, taken };
        alike = false;
        for (size_t i = 0; i < COUNT(tries) && !alike; i++)
            alike = tell_example(w, seed, p, tries[i]);
    }
    mem_free(best.at);
    if (alike) {
        run_settle(w->r, p);
        return true;
    }
    w->out->verdict = VERDICT_INCONCLUSIVE;
    w->out->reason = arena_printf(w->a, "%s broke in the run with seed %" PRIu64 ", and the same choices did not give "
                                  "the same run again: something in the programs is not under control. --same looks "
                                  "for it.", property_describe(p)->code, seed);
    return false;
}

static bool end_early(work *w, verdict v, str reason)
{
    w->out->verdict = v;
    w->out->reason = copied(w->a, reason);
    return false;
}

/* The program did something else than the driver: reports the shortest run that shows it. Ends the campaign. */
static bool tell_difference(work *w, uint64_t seed, const picks *taken)
{
    picks best = { 0 };
    chooser c;
    copy_picks(&best, taken);
    shrink(w, seed, PROPERTY_COUNT, &best);
    const picks *tries[] = { &best, &best, taken, taken };
    run_result again = { 0 };
    for (size_t i = 0; i < COUNT(tries) && !again.held.differs; i++) {
        again = run_again(w, seed, tries[i], true, &c);
        chooser_free(&c);
    }
    mem_free(best.at);
    if (!again.held.differs)
        return end_early(w, VERDICT_INCONCLUSIVE, arena_printf(w->a, "The run with seed %" PRIu64 " differs from the "
                         "driver, and the same choices did not give the same run again: something in the programs "
                         "is not under control. --same looks for it.", seed));
    *w->c->held = (campaign_held){ .requests = w->c->held->requests, .differs = true, .seed = seed,
                                   .reason = again.held.reason, .table = again.held.table,
                                   .schedule = schedule_of(w->a, run_story(w->r)) };
    return end_early(w, VERDICT_FAIL, again.held.reason);
}

/* ---- many runs ---- */

static bool had_faults(const campaign *c)
{
    for (int k = 0; k < FAULT_KINDS; k++)
        if (c->setup->faults[k])
            return true;
    return false;
}

static void note_run(work *w, const run_result *got)
{
    w->done++;
    w->connections += got->connections;
    w->grants += got->grants;
    w->requests += got->requests;
    w->steps += got->steps;
    w->longest = got->steps > w->longest ? got->steps : w->longest;
    note_print(w, got->print);
    for (size_t c = 0; c < w->c->setup->client_count; c++) {
        w->idle[c] += got->idle[c];
        if (got->statuses[c] <= 0 || w->ended_badly[c]++)
            continue;
        w->bad_status[c] = got->statuses[c];
        w->bad_words[c] = copied(w->a, got->last_words[c]);
    }
    if (w->c->held)
        w->c->held->requests += got->held.requests;
    if (got->ending == RUN_LIMIT && w->limited++ == 0)
        w->limit_why = copied(w->a, got->why);
}

/* Handles the result of a run. */
static bool take_result(work *w, uint64_t number, const run_result *got, const picks *taken)
{
    uint64_t seed = campaign_seed(w->c, number);
    if (number == 0)
        w->first_print = got->print;
    if (got->ending == RUN_UNCONTROLLED)
        return end_early(w, VERDICT_INCONCLUSIVE, got->why);
    if (got->ending == RUN_FAILED)
        return err_set(&w->out->error, ERR_USAGE, "%.*s", STR_ARG(got->why));
    if (got->ending == RUN_STOPPED) {
        w->stopped = true;
        return false;
    }
    if (w->c->same && got->print != w->first_print)
        return end_early(w, VERDICT_INCONCLUSIVE, arena_printf(w->a, "Run %" PRIu64 " of seed %" PRIu64
                                                               " gave another result than the first one.",
                                                               number + 1, seed));
    if (got->held.failed)
        return err_set(&w->out->error, ERR_DRIVER, "%.*s", STR_ARG(got->held.reason));
    if (got->held.differs)
        return tell_difference(w, seed, taken);
    return got->ending != RUN_BROKEN || w->c->same || tell_finding(w, seed, got, taken);
}

static bool one_run(work *w, uint64_t number)
{
    chooser c;
    run_result got = campaign_attempt(w->c, w->r, number, w->length, &c, w->a);
    note_run(w, &got);
    if (number == 0)
        w->length = got.steps;
    bool goes_on = take_result(w, number, &got, &c.taken);
    chooser_free(&c);
    return goes_on;
}

/* A run that was made elsewhere, by a worker or another rank. If its violation has been settled meanwhile, it is run
 * again here, for any further ones. */
static bool run_elsewhere(work *w, workers *crew, job *ranks, uint64_t number)
{
    run_result got;
    picks taken;
    arena *room = arena_new();
    bool goes_on;
    if (!(crew ? workers_take(crew, number, room, &got, &taken) : job_take(ranks, number, room, &got, &taken))) {
        goes_on = one_run(w, number);
    } else if (got.ending == RUN_BROKEN && w->out->properties[got.broken].outcome == OUTCOME_VIOLATED) {
        goes_on = one_run(w, number);
    } else {
        note_run(w, &got);
        goes_on = take_result(w, number, &got, &taken);
    }
    mem_free(taken.at);
    arena_free(room);
    return goes_on;
}

static void run_all(work *w)
{
    workers *crew = NULL;
    job *ranks = w->c->ranks ? job_begin(w->a, w->c) : NULL;
    bool goes_on = true;
    for (uint64_t i = 0; i < w->c->runs && goes_on; i++) {
        campaign_progress at = { .runs = i, .runs_all = w->c->runs, .distinct = HASH_COUNT(w->prints),
                                 .requests = w->requests, .grants = w->grants, .found = w->out->example_count };
        if (w->c->progress && !w->c->progress(w->c->context, &at)) {
            w->stopped = true;
            break;
        }
        if (i == 1 && w->c->jobs > 1 && w->c->runs > 4)
            crew = workers_start(w->a, w->c, i, w->length);
        bool elsewhere = crew || (ranks && !job_is_own(ranks, i));
        goes_on = elsewhere ? run_elsewhere(w, crew, ranks, i) : one_run(w, i);
    }
    workers_end(crew);
    job_end(ranks);
}

/* A rank other than 0: makes run 0 for its length, and settles what broke there as rank 0 does. */
static void serve_rank_0(work *w)
{
    chooser x;
    run_result got = campaign_attempt(w->c, w->r, 0, w->length, &x, w->a);
    if (got.ending == RUN_BROKEN && !w->c->same)
        run_settle(w->r, got.broken);
    chooser_free(&x);
    job_serve(w->c, w->r, got.steps);
}

static void run_schedule(work *w)
{
    err problem = { 0 };
    chooser c = { .kind = CHOOSE_SCHEDULE, .problem = &w->out->error };
    schedule_item *items;
    if (schedule_parse(w->a, str_from(w->c->schedule), S("schedule"), &items, &c.item_count, &w->out->error)) {
        c.items = items;
        run_result got = campaign_one(w->c, w->r, w->c->seed, true, &c, w->a);
        note_run(w, &got);
        w->out->run = story_copy(w->a, run_story(w->r));
        w->out->items = c.taken.count;
        if (got.ending == RUN_UNCONTROLLED)
            end_early(w, VERDICT_INCONCLUSIVE, got.why);
        else if (got.ending == RUN_FAILED)
            err_set(&w->out->error, ERR_USAGE, "%.*s", STR_ARG(got.why));
        else if (got.held.failed)
            err_set(&w->out->error, ERR_DRIVER, "%.*s", STR_ARG(got.held.reason));
        else if (got.held.differs)
            tell_difference(w, w->c->seed, &c.taken);
        else if (got.ending == RUN_BROKEN) {
            add_example(w, got.broken, w->c->seed);
            w->out->examples[0].replayed = true;
        }
    }
    chooser_free(&c);
    err_clear(&problem);
}

/* ---- the verdict ---- */

static void judge_programs(work *w)
{
    outcome *o = w->out;
    for (size_t c = 0; c < w->c->setup->client_count; c++) {
        if (w->ended_badly[c] < w->done || w->done == 0 || had_faults(w->c) || o->example_count)
            continue;
        str name = w->c->setup->clients[c].name;
        bool killed = w->bad_status[c] > 255;
        err_set(&o->error, ERR_DRIVER, "%.*s ended with %s %d in every run%s%.*s", STR_ARG(name),
                killed ? "signal" : "status",
                killed ? w->bad_status[c] - 256 : w->bad_status[c], w->bad_words[c].n ? ": " : "",
                STR_ARG(str_slice(w->bad_words[c], 0, 200)));
        return;
    }
}

/* The reason why the caller's goes_on returned false. */
static str stopped_why(const work *w)
{
    const rest_limits *l = &w->c->setup->limits;
    if (l->all_ms == 0 || l->elapsed_ms(l->context) < l->all_ms)
        return S("It was interrupted.");
    return arena_printf(w->a, "The time limit, %" PRId64 " s, came first.", l->all_ms / 1000);
}

/* "A ended with status 1 in 7 of 100 runs: what it wrote last", in `b`. */
static void add_ending(const work *w, size_t client, buf *b)
{
    bool killed = w->bad_status[client] > 255;
    buf_printf(b, "%.*s ended with %s %d in %" PRIu64 " of %" PRIu64 " runs%s%.*s",
               STR_ARG(w->c->setup->clients[client].name), killed ? "signal" : "status",
               killed ? w->bad_status[client] - 256 : w->bad_status[client], w->ended_badly[client], w->done,
               w->bad_words[client].n ? ": " : "", STR_ARG(str_slice(w->bad_words[client], 0, 200)));
}

/* Nothing was seen. Where a program failed, that is why. */
static void end_vacuous(work *w, str why)
{
    buf b = { 0 };
    buf_add(&b, why);
    for (size_t c = 0; c < w->c->setup->client_count; c++)
        if (w->ended_badly[c]) {
            buf_byte(&b, ' ');
            add_ending(w, c, &b);
            break;
        }
    end_early(w, VERDICT_VACUOUS, arena_str(w->a, buf_str(&b)));
    buf_free(&b);
}

static void decide(work *w)
{
    outcome *o = w->out;
    if (o->verdict != VERDICT_PASS && o->example_count == 0)
        return;
    if (o->example_count) {
        w->ended_why = o->verdict == VERDICT_INCONCLUSIVE ? o->reason : S("");
        o->verdict = VERDICT_FAIL;
    } else if (w->limited)
        end_early(w, VERDICT_INCONCLUSIVE, w->limit_why);
    else if (w->stopped)
        end_early(w, VERDICT_INCONCLUSIVE, stopped_why(w));
    else if (w->connections == 0)
        end_vacuous(w, S("No program connected to a port of Redis that leads here (6379; --port names another one)."));
    else if (w->grants == 0 && !w->c->schedule && !w->c->same && !w->c->against)
        end_vacuous(w, S("No client was ever seen to hold a lock: no SET NX was granted, and no program printed "
                         "`enter`."));
}

static void add_means(work *w)
{
    const campaign *c = w->c;
    buf b = { 0 };
    buf_printf(&b, "%zu %s, real and unmodified, under virtual time; ", c->setup->client_count,
               c->setup->client_count == 1 ? "program" : "programs");
    bool any = false;
    for (int k = 0; k < FAULT_KINDS; k++)
        if (c->setup->faults[k]) {
            buf_printf(&b, "%s%s<=%u", any ? ", " : "", fault_name((fault_kind)k), c->setup->faults[k]);
            any = true;
        }
    buf_printf(&b, "%s; %" PRIu64 " runs, %u distinct schedules, %" PRIu64 " steps, %" PRIu64 " requests\n",
               any ? "" : "no faults", w->done, HASH_COUNT(w->prints), w->steps, w->requests);
    if (c->pct) {
        double chance = 1 / ((double)c->setup->client_count * pow((double)(w->longest ? w->longest : 1),
                                                                  (double)c->depth - 1));
        buf_printf(&b, "PCT: a bug that needs %u orderings is met by one run with a chance of at least %.2g (%zu "
                   "clients, %" PRIu64 " steps)\n",
                   c->depth, chance, c->setup->client_count, w->longest);
    }
    if (w->ended_why.n)
        buf_printf(&b, "ended early: %.*s\n", STR_ARG(w->ended_why));
    buf_addz(&b, "a sample: schedules that were not drawn were not judged");
    for (size_t k = 0; k < c->setup->client_count; k++)
        if (w->ended_badly[k]) {
            buf_byte(&b, '\n');
            add_ending(w, k, &b);
        }
    for (size_t k = 0; k < c->setup->client_count; k++)
        if (w->idle[k])
            buf_printf(&b, "\n%.*s still waited for something in %" PRIu64 " of %" PRIu64
                       " runs when nothing could happen any more",
                       STR_ARG(c->setup->clients[k].name), w->idle[k], w->done);
    w->out->means = arena_str(w->a, buf_str(&b));
    buf_free(&b);
}

static void begin(work *w)
{
    const drive_setup *s = w->c->setup;
    outcome *o = w->out;
    *o = (outcome){ .path = w->c->path, .title = S(""), .verdict = VERDICT_PASS, .reason = S("") };
    o->examples = ARENA_ARRAY(w->a, counterexample, PROPERTY_COUNT);
    o->clients = ARENA_ARRAY(w->a, str, s->client_count);
    o->client_count = s->client_count;
    for (size_t i = 0; i < s->client_count; i++)
        o->clients[i] = s->clients[i].name;
    for (int k = 0; k < FAULT_KINDS; k++)
        o->faults[k].budget = s->faults[k];
    w->ended_badly = ARENA_ARRAY(w->a, uint64_t, s->client_count);
    w->idle = ARENA_ARRAY(w->a, uint64_t, s->client_count);
    w->bad_status = ARENA_ARRAY(w->a, int, s->client_count);
    w->bad_words = ARENA_ARRAY(w->a, str, s->client_count);
    o->search.strategy = w->c->schedule ? S("schedule") : w->c->pct ? arena_printf(w->a, "pct depth %u", w->c->depth)
                         : S("uniform");
    o->search.seed = w->c->seed;
}

static void finish(work *w)
{
    outcome *o = w->out;
    o->search.runs = w->done;
    o->search.transitions = w->steps;
    o->search.executions = w->requests;
    o->search.longest = w->longest;
    judge_programs(w);
    if (o->error.class_ != ERR_NONE)
        o->verdict = VERDICT_ERROR;
    decide(w);
    for (int p = 0; p < PROPERTY_COUNT; p++) {
        bool asked = account_judges((property)p, w->c->setup->table) && !w->c->same && !w->c->against;
        if (!asked || o->properties[p].outcome == OUTCOME_VIOLATED)
            continue;
        o->properties[p].outcome = o->verdict == VERDICT_PASS || o->verdict == VERDICT_FAIL ? OUTCOME_HOLDS
                                   : OUTCOME_UNDECIDED;
    }
    for (size_t i = 0; i < o->example_count; i++)
        o->properties[o->examples[i].property].example = &o->examples[i];
    add_means(w);
}

/* What scripts the programs give a server is learned in a run of its own: a real one was used before. */
static void learn_scripts(work *w, wire_scripts *s)
{
    chooser c;
    picks none = { 0 };
    s->learning = true;
    c = (chooser){ .kind = CHOOSE_AGAIN, .again = &none };
    run_from_start(w->r, w->c->seed, false, chooser_choose, &c);
    chooser_free(&c);
    s->learning = false;
}

void campaign_abandon(const campaign_ranks *ranks)
{
    const campaign none = { .ranks = ranks };
    if (ranks->own > 0) {
        ranks->send(0, S(""));
        return;
    }
    arena *a = arena_new();
    job_end(job_begin(a, &none));
    arena_free(a);
}

void campaign_run(arena *a, const campaign *c, outcome *out)
{
    work w = { .c = c, .a = a, .out = out, .length = LENGTH_DEFAULT };
    begin(&w);
    w.r = run_new(c->setup, &out->error);
    if (w.r)
        campaign_settle(c, w.r);
    if (w.r && c->setup->scripts)
        learn_scripts(&w, c->setup->scripts);
    bool other = c->ranks && c->ranks->own > 0;
    if (c->ranks && (!w.r || c->schedule))
        campaign_abandon(c->ranks);
    if (w.r && c->schedule && !other)
        run_schedule(&w);
    else if (w.r && !c->schedule && other)
        serve_rank_0(&w);
    else if (w.r && !c->schedule)
        run_all(&w);
    finish(&w);
    run_free(w.r);
    print_seen *s, *next;
    HASH_ITER(hh, w.prints, s, next) {
        HASH_DEL(w.prints, s);
        mem_free(s);
    }
}
