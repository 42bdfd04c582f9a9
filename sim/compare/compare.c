/* compare.c - `locksim compare`: which scenarios load what differs between two versions of the scripts, each of them
 * searched with both versions side by side, and, where a client can tell, again with each by itself. */
#include "compare/compare.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "client/adapter.h"
#include "compare/candidates.h"
#include "host/crew.h"
#include "host/memory.h"
#include "judge/judge.h"
#include "report/clean.h"
#include "report/comparison.h"
#include "search/versions.h"

/* For each scenario that was not named, unless --max-states is given. */
enum { STATES_EACH = 100000 };

typedef struct {
    const options *o;
    arena *a;
    versions both;
    bool two_servers;              /* --dialect: the same scripts on both of these */
    str server_names[2];
    dialect servers[2];
    candidate_list list;
    progress_board board;
    str adapter_text;              /* of --adapter; p NULL: none */
    str *ignored;
    size_t ignored_count;
    struct compared {
        arena *memory;
        compare_outcome result;
        outcome runs[2];
        const report_measure *costs[2];
        bool done, ran;
    } *at;                         /* one each of `list` */
} comparing;

/* ---- what counts ---- */

static void split_list(arena *a, str text, str **list, size_t *count)
{
    *list = ARENA_ARRAY(a, str, text.n + 1);
    for (size_t from = 0; from < text.n;) {
        size_t end = str_find(text, ',', from);
        if (end > from)
            (*list)[(*count)++] = str_slice(text, from, end);
        from = end + 1;
    }
}

static bool read_relation(comparing *c, err *e)
{
    if (c->o->ignore_keys)
        split_list(c->a, str_from(c->o->ignore_keys), &c->ignored, &c->ignored_count);
    if (!c->o->adapter)
        return true;
    if (!files_read(c->a, str_from(c->o->adapter), &c->adapter_text, e))
        return false;
    adapter *t = adapter_new(str_from(c->o->adapter), c->adapter_text, e);
    adapter_free(t);
    return t;
}

static str tell_relation(const comparing *c)
{
    const options *o = c->o;
    buf b = { 0 };
    if (o->keys == COMPARE_NO)
        buf_addz(&b, "keyspaces were not compared\n");
    if (c->ignored_count)
        buf_printf(&b, "keys that did not count: %s\n", o->ignore_keys);
    if (o->ttl_within_ms)
        buf_printf(&b, "TTLs could differ by %llu ms\n", (unsigned long long)o->ttl_within_ms);
    if (o->adapter)
        buf_printf(&b, "answers were compared by what %s makes of them\n", o->adapter);
    str text = arena_str(c->a, buf_str(&b));
    buf_free(&b);
    return text;
}

/* --dialect A,B: all arguments are scenarios; both versions are the shipped scripts, and OLD's clients speak to A. */
static void take_servers(comparing *c)
{
    const options *o = c->o;
    str said = str_from(o->dialect), scripts = files_shipped(c->a, "scripts");
    size_t comma = str_find(said, ',', 0);
    options *with = ARENA_NEW(c->a, options);
    const char **arguments = ARENA_ARRAY(c->a, const char *, o->argument_count + 2);
    *with = *o;
    arguments[0] = arguments[1] = arena_str(c->a, scripts).p;
    for (size_t i = 0; i < o->argument_count; i++)
        arguments[2 + i] = o->arguments[i];
    with->arguments = arguments;
    with->argument_count += 2;
    for (int i = 0; i < 2; i++) {
        str one = i == 0 ? str_slice(said, 0, comma) : str_slice(said, comma + 1, said.n);
        dialect_parse(one, &c->servers[i]);        /* options_parse has looked at both */
        c->server_names[i] = dialect_name(c->a, c->servers[i]);
    }
    with->dialect = c->server_names[0].p;
    c->two_servers = true;
    c->o = with;
}

/* ---- one scenario ---- */

static search_options search_options_of(const comparing *c, progress *p)
{
    const options *o = c->o;
    uint64_t states_max = o->max_states || o->argument_count > 2 ? o->max_states : STATES_EACH;
    return (search_options){ .seed = 1, .time_limit_ms = (int64_t)o->time_limit_s * 1000, .no_memo = o->no_memo,
                             .open_starts = options_open_starts(o), .schedule = o->schedule, .max_states = states_max,
                             .max_memory = o->max_memory, .memory_default = memory_default(p->side_by_side),
                             .context = p, .elapsed_ms = progress_elapsed_ms, .progress = progress_tick };
}

/* Client code differs: each version has its own, and its own world. */
static void search_clients(comparing *c, size_t i, side *old, side *new, const scenario *sc, progress *p)
{
    struct compared *out = &c->at[i];
    scenario *second = ARENA_NEW(out->memory, scenario);
    loader of_old = side_loader(old), of_new = side_loader(new);
    err e = { 0 };
    lockstep_relation by = { .keys = c->o->keys != COMPARE_NO, .answers = true };
    search_options so = search_options_of(c, p);
    new->lenient = true;
    if (c->ignored_count || c->o->has_ttl_within || c->adapter_text.p || c->o->schedule || c->o->no_memo) {
        err_at(&e, ERR_SCENARIO, c->list.at[i].path, 0, 0, "its client code differs between the versions, and "
               "--schedule, --adapter, --ignore-keys, "
                                                            "--ttl-within and --no-memo are for scripts under one "
                                                            "client code");
        err_hint(&e, "leave them out, or compare the scripts alone");
        out->result.found.error = e;
    } else if (candidate_load(out->memory, new, c->list.at[i].path, options_overrides(c->o), second, &e)) {
        compare_clients(out->memory, sc, &of_old, second, &of_new, &so, &by, &out->result);
    } else {
        out->result.found.error = e;
    }
}

static void search_both(comparing *c, size_t i, progress *p)
{
    struct compared *out = &c->at[i];
    const candidate *x = &c->list.at[i];
    side old = side_new(out->memory, &c->both, 0, x->path), new = side_new(out->memory, &c->both, 1, x->path);
    old.as = new.as = x->as;
    old.place = new.place = x->place;
    scenario *sc = ARENA_NEW(out->memory, scenario);
    loader of_old = side_loader(&old), of_new = side_loader(&new);
    err e = { 0 };
    adapter *t = NULL;
    out->result = (compare_outcome){ .verdict = COMPARE_ERROR, .found = { .path = x->path, .verdict = VERDICT_ERROR } };
    if (x->unread.class_ != ERR_NONE)
        err_copy(&out->result.found.error, &x->unread);
    else if (candidate_load(out->memory, &old, x->path, options_overrides(c->o), sc, &e) && x->driver_count > 0 &&
             !c->two_servers)
        search_clients(c, i, &old, &new, sc, p);
    else if (e.class_ == ERR_NONE) {
        if (c->adapter_text.p)
            t = adapter_new(str_from(c->o->adapter), c->adapter_text, &e);
        lockstep_relation by = { .two_servers = c->two_servers, .dialect = c->servers[1],
                                 .keys = c->o->keys != COMPARE_NO, .ignored = c->ignored,
                                 .ignored_count = c->ignored_count,
                             .ttl_within_ms = (int64_t)c->o->ttl_within_ms, .context = t,
                             .adapt = t ? adapter_adapt : NULL };
        search_options so = search_options_of(c, p);
        compare_search(out->memory, sc, &of_old, &of_new, &so, &by, &out->result);
        adapter_free(t);
    } else
        out->result.found.error = e;
    out->done = true;
}

/* Each version with its own client code, if it has any: its own verdict, if `judged`, and its cost. */
static void try_each(comparing *c, size_t i, bool judged, progress *p)
{
    struct compared *out = &c->at[i];
    const candidate *x = &c->list.at[i];
    for (int k = 0; k < 2; k++) {
        side s = side_new(out->memory, &c->both, k, x->path);
        s.as = x->as;
        s.place = x->place;
        s.lenient = true;
        scenario *sc = ARENA_NEW(out->memory, scenario);
        loader l = side_loader(&s);
        search_options so = search_options_of(c, p);
        so.untold = true;
        out->runs[k] = (outcome){ .path = x->path, .verdict = VERDICT_ERROR };
        if (!candidate_load(out->memory, &s, x->path, options_overrides(c->o), sc, &out->runs[k].error))
            continue;
        if (c->two_servers)
            sc->dialect = c->servers[k];
        if (judged)
            search_run(out->memory, sc, &l, &so, &out->runs[k]);
        if (!judged || out->runs[k].verdict != VERDICT_ERROR)
            out->costs[k] = judge_measure(out->memory, sc, &l);
    }
    out->ran = judged;
}

static void work(void *context, size_t i)
{
    comparing *c = context;
    if (progress_interrupted())
        return;
    progress p = { .side_by_side = crew_size(c->o->jobs) };
    progress_scenario(&p, &c->board, c->list.at[i].path, i + 1, c->list.count);
    c->at[i].memory = arena_new();
    search_both(c, i, &p);
    compare_verdict v = c->at[i].result.verdict;
    if (c->o->verdicts != COMPARE_NO && !c->o->schedule && v != COMPARE_ERROR && !c->at[i].result.same_scripts)
        try_each(c, i, v == COMPARE_DIFFERENT || v == COMPARE_KEYS_DIFFER, &p);
}

/* ---- all of them ---- */

static void add_word(buf *b, str word)
{
    if (b->n)
        buf_byte(b, ' ');
    clean_argument(b, word);
}

static void add_option(buf *b, const char *option, const char *value)
{
    if (!value)
        return;
    add_word(b, str_from(option));
    add_word(b, str_from(value));
}

/* What tells the story again, but for the schedule. */
static str tell_again(const comparing *c, str path)
{
    const options *o = c->o;
    buf b = { 0 };
    str both = arena_printf(c->a, "%.*s,%.*s", STR_ARG(c->server_names[0]), STR_ARG(c->server_names[1]));
    const str words[] = { str_from(o->program), S("compare"), c->two_servers ? S("--dialect") : c->both.of[0].spec,
                          c->two_servers ? both : c->both.of[1].spec, path };
    for (size_t i = 0; i < COUNT(words); i++)
        add_word(&b, words[i]);
    for (size_t i = 0; i < o->script_count; i++)
        add_option(&b, "--scripts", o->scripts[i]);
    add_option(&b, "--as", o->as);
    add_option(&b, "--faults", o->faults);
    add_option(&b, "--adapter", o->adapter);
    add_option(&b, "--ignore-keys", o->ignore_keys);
    if (o->has_ttl_within)
        buf_printf(&b, " --ttl-within %llu", (unsigned long long)o->ttl_within_ms);
    if (o->keys == COMPARE_NO)
        buf_addz(&b, " --keys no");
    str text = arena_str(c->a, buf_str(&b));
    buf_free(&b);
    return text;
}

static int status_of(const comparing *c, compare_verdict v)
{
    int worst = STATUS_PASS;
    for (size_t i = 0; i < c->list.count; i++)
        if (c->at[i].done && c->at[i].result.verdict == COMPARE_ERROR)
            worst = status_worse(worst, (int)c->at[i].result.found.error.class_);
    static const int status[] = { STATUS_PASS, STATUS_VIOLATED, STATUS_VIOLATED, STATUS_INCONCLUSIVE, STATUS_PASS };
    return status_worse(worst, status[v]);
}

static size_t steps_told(const report_compared *r)
{
    const property_result *p = r->result->found.properties;
    const counterexample *x = p[PROPERTY_EQUIVALENT].example ? p[PROPERTY_EQUIVALENT].example
                              : p[PROPERTY_SAME_KEYS].example;
    return x ? x->steps : SIZE_MAX;
}

/* The shortest story, preferring differences that a client can tell. */
static size_t story_to_tell(const report_comparison *r)
{
    size_t best = r->count;
    for (size_t i = 0; i < r->count; i++) {
        compare_verdict v = r->items[i].result->verdict;
        if (v != COMPARE_DIFFERENT && v != COMPARE_KEYS_DIFFER)
            continue;
        compare_verdict b = best < r->count ? r->items[best].result->verdict : COMPARE_EQUIVALENT;
        bool better = best == r->count || (v == COMPARE_DIFFERENT && b != v) ||
                      (v == b && steps_told(&r->items[i]) < steps_told(&r->items[best]));
        best = better ? i : best;
    }
    return best;
}

/* Scripts differ, or are no version's, and no scenario has run one that differs. */
static bool nothing_ran(const report_comparison *r)
{
    bool differs = r->passed_over > 0;
    for (size_t i = 0; i < r->count; i++) {
        if (!r->items[i].result->same_scripts)
            return false;
        differs |= r->items[i].script_count > 0 || r->items[i].untouched;
    }
    return differs;
}

static int report(comparing *c)
{
    report_comparison r = { .old = c->two_servers ? c->server_names[0] : c->both.of[0].spec,
                            .new = c->two_servers ? c->server_names[1] : c->both.of[1].spec,
                            .relation = tell_relation(c), .verdict = COMPARE_EQUIVALENT, .looked = c->list.looked };
    report_compared *items = ARENA_ARRAY(c->a, report_compared, c->list.count + 1);
    r.items = items;
    for (size_t i = 0; i < c->list.count; i++) {
        const struct compared *x = &c->at[i];
        if (!x->done) {                            /* interrupted */
            r.verdict = report_compare_worse(r.verdict, COMPARE_UNDECIDED);
            continue;
        }
        if (!c->list.at[i].named && x->result.same_scripts && x->result.verdict != COMPARE_ERROR) {
            r.passed_over++;
            continue;
        }
        items[r.count++] = (report_compared){
            .result = &x->result, .untouched = !c->list.at[i].touches && x->result.same_scripts,
            .scripts = c->list.at[i].scripts, .script_count = c->list.at[i].script_count,
            .drivers = c->list.at[i].drivers, .driver_count = c->list.at[i].driver_count,
            .runs = { x->ran ? &x->runs[0] : NULL, x->ran ? &x->runs[1] : NULL },
                    .costs = { x->costs[0], x->costs[1] } };
        r.verdict = report_compare_worse(r.verdict, x->result.verdict);
    }
    r.nothing_ran = nothing_ran(&r);
    if (r.nothing_ran && r.verdict == COMPARE_EQUIVALENT)
        r.verdict = COMPARE_UNDECIDED;
    r.told = story_to_tell(&r);
    r.again = r.told < r.count ? tell_again(c, items[r.told].result->found.path) : S("");
    int status = status_of(c, r.verdict);
    buf b = { 0 };
    report_style style = { .verbose = c->o->verbose, .color = print_wants_color(c->o->color),
                           .program = c->o->program, .width = print_width(STDOUT_FILENO) };
    if (c->o->format == FORMAT_JSON)
        report_compare_json(&r, status, &b);
    else
        report_compare_text(&r, &style, &b);
    if (!print_out(&b))
        status = status_worse(status, STATUS_IO);
    buf_free(&b);
    return status;
}

static void close_all(comparing *c)
{
    for (size_t i = 0; c->at && i < c->list.count; i++) {
        if (!c->at[i].memory)
            continue;
        err_clear(&c->at[i].result.found.error);
        err_clear(&c->at[i].runs[0].error);
        err_clear(&c->at[i].runs[1].error);
        arena_free(c->at[i].memory);
    }
    candidates_clear(&c->list);
    versions_close(&c->both);
    arena_free(c->a);
}

int compare_main(const options *o)
{
    err e = { 0 };
    if (o->schedule && o->argument_count != (o->dialect ? 1 : 3)) {
        err_set(&e, ERR_USAGE, "--schedule follows one schedule of one scenario: locksim compare OLD NEW SCENARIO "
                "--schedule TEXT");
        int wrong = print_complaint(&e);
        err_clear(&e);
        return wrong;
    }
    comparing c = { .o = o, .a = arena_new() };
    if (o->dialect)
        take_servers(&c);
    o = c.o;
    int status;
    progress_begin(&c.board);
    if (versions_open(c.a, o, &c.both, &e) && read_relation(&c, &e) && candidates_find(c.a, &c.both, &c.list, &e)) {
        c.at = ARENA_ARRAY(c.a, struct compared, c.list.count + 1);
        crew_run(crew_size(o->jobs), c.list.count, work, &c);
        progress_clear(&c.board, 0);
        status = report(&c);
    } else
        status = print_complaint(&e);
    err_clear(&e);
    close_all(&c);
    return status;
}
