/* trace.c - `locksim trace`: a log, plain or gzip, from a file or standard input, to findings and numbers. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "cli/cli.h"
#include "cli/report_plots.h"
#include "cli/trace_log.h"
#include "cli/trace_measure.h"
#include "cli/trace_scenario.h"
#include "host/files.h"
#include "judge/replicate.h"
#include "report/page_trace.h"

enum { KEPT_DEFAULT = 5, KEPT_VERBOSE = 1000, BADS_MAX = 5 };

typedef struct {
    const options *o;
    arena *memory;
    reader *reader;
    tracer *t;
    conform *conform;      /* --conform; NULL: not used */
    order *order;          /* of clients' own logs; NULL: the first line is a server's */
    order_counts ordered;
    bool begun;
    family **families;
    str *family_names;
    passage *scripts;      /* that the log may run, by name */
    size_t family_count;
    bool guessed;          /* the user has not named them */
    trace_measure measured;
    timeline *lanes;       /* of the page; NULL: no page */
    dialect dialect;
    finding *findings;
    size_t finding_count, finding_cap;
    uint64_t kept[FOUND_KINDS][PROPERTY_COUNT];
    bad_line bads[BADS_MAX];
    traced_log log;
    size_t last_bad;
    bool failed;
    err *e;
} tracing;

/* ---- output ---- */

static void on_found(void *context, const finding *f)
{
    tracing *x = context;
    size_t p = f->kind == FOUND_VIOLATION ? f->property : 0;
    x->log.found[f->kind]++;
    x->log.violated[p] += f->kind == FOUND_VIOLATION;
    if (x->lanes)
        timeline_found(x->lanes, f);
    if (x->kept[f->kind][p]++ >= (x->o->verbose ? KEPT_VERBOSE : KEPT_DEFAULT))
        return;
    MEM_RESERVE(x->findings, x->finding_cap, x->finding_count + 1);
    finding *kept = &x->findings[x->finding_count++];
    *kept = *f;
    kept->lock = arena_str(x->memory, f->lock);
    kept->text = arena_str(x->memory, f->text);
    kept->why = arena_str(x->memory, f->why);
}

static void on_seen(void *context, const seen_request *r)
{
    conform_add(((tracing *)context)->conform, r);
}

static void on_published(void *context, int64_t at_us, str channel, str payload)
{
    conform_published(((tracing *)context)->conform, at_us, channel, payload);
}

static void on_told(void *context, const told *t)
{
    tracing *x = context;
    trace_measure_told(&x->measured, t);
    if (x->lanes)
        timeline_take(x->lanes, t);
}

static void know_for_order(void *context, str body)
{
    order_know_script(context, body);
}

static void on_record(void *context, const record *r)
{
    tracing *x = context;
    if (x->failed)
        return;
    if (!x->order && r->clients_own && !x->begun) {
        x->order = order_new(x->dialect);
        passage_each_script(x->scripts, know_for_order, x->order);
    }
    x->begun = true;
    x->failed = x->order ? !order_add(x->order, r, x->e) : !tracer_take(x->t, r, x->e);
}

static void on_ordered(void *context, const record *r)
{
    tracing *x = context;
    x->failed = x->failed || !tracer_take(x->t, r, x->e);
}

static void on_bad(void *context, size_t line, str text, const char *why)
{
    tracing *x = context;
    x->last_bad = line;
    if (x->log.bad_count < BADS_MAX)
        x->bads[x->log.bad_count++] = (bad_line){ .line = line, .text = arena_str(x->memory, text), .why = why };
}

/* ---- lock tables ---- */

/* A family's name, as `require` takes it; or a file. */
static bool is_file(const char *name)
{
    return strchr(name, '/') || (strlen(name) > 4 && strcmp(name + strlen(name) - 4, ".lua") == 0);
}

static bool open_family(tracing *x, search_path *where, const loader *l, const char *name, err *e)
{
    str path = S(""), text = S("");
    if (is_file(name)) {
        path = str_from(name);
        if (!files_read(x->memory, path, &text, e))
            return false;
        search_path_for(where, x->memory, path);
    }
    family *f = family_open(str_from(name), path, text, l, e);
    if (!f)
        return false;
    x->family_names[x->family_count] = str_from(name);
    x->families[x->family_count++] = f;
    return true;
}

/* Without --lock: the most common families, which are not confused with each other. */
static const char *const DEFAULT_FAMILIES[] = { "redis_py.lock", "redisson.lock", "redisson.fair" };

static bool open_families(tracing *x, err *e)
{
    const options *o = x->o;
    size_t n = o->lock_count ? o->lock_count : o->conform ? 0 : COUNT(DEFAULT_FAMILIES);
    const char *const *names = o->lock_count ? o->locks : DEFAULT_FAMILIES;
    x->guessed = o->lock_count == 0 && !o->conform;
    x->families = ARENA_ARRAY(x->memory, family *, n + 1);
    x->family_names = ARENA_ARRAY(x->memory, str, n + 1);
    for (size_t i = 0; i < n + (o->conform != NULL); i++) {
        search_path *where = ARENA_NEW(x->memory, search_path);
        loader *l = ARENA_NEW(x->memory, loader);
        *where = search_path_new(x->memory, o);
        *l = search_path_loader(where);
        if (!open_family(x, where, l, i < n ? names[i] : o->conform, e))
            return false;
    }
    if (o->conform) {
        x->conform = conform_new(x->families[n]);
        x->log.driver = str_from(o->conform);
    }
    return true;
}

static void know_script(void *context, str name, str body)
{
    passage_know_script(context, name, body);
}

/* Scripts below --scripts are known by their hashes. */
static bool load_scripts(tracing *x, err *e)
{
    for (size_t i = 0; i < x->family_count; i++)
        family_each_script(x->families[i], know_script, x->scripts);
    for (size_t i = 0; i < x->o->script_count; i++) {
        file_list list = { 0 };
        str folder = str_from(x->o->scripts[i]);
        if (!files_expand_all(x->memory, folder, &list, e))
            return false;
        for (size_t k = 0; k < list.count; k++) {
            str text, path = list.paths[k], name = str_slice(path, str_starts(path, folder) ? folder.n : 0, path.n);
            if (!files_read(x->memory, path, &text, e))
                return false;
            tracer_know_script(x->t, text);
            passage_know_script(x->scripts, str_starts(name, S("/")) ? str_slice(name, 1, name.n) : name, text);
        }
    }
    return true;
}

/* ---- the log ---- */

static bool read_log(tracing *x, const char *path, err *e)
{
    if (!trace_log_read(path, x->reader, &x->failed, &x->log.cut, e) || x->failed)
        return false;
    if (x->order) {
        x->ordered = order_each(x->order, on_ordered, x);
        x->log.order = &x->ordered;
    }
    if (x->failed || !tracer_end(x->t, e))
        return false;
    return !x->conform || conform_each(x->conform, on_found, x, tracer_count(x->t).begin_us, &x->log.conform, e);
}

/* "redis.log.gz" -> "redis.log", of letters that a folder's name may have. */
static str name_of(arena *a, str path)
{
    str name = str_eq(path, S("-")) ? S("stdin") : files_name(path);
    if (str_ends(name, S(".gz")))
        name.n -= 3;
    buf b = { 0 };
    for (size_t i = 0; i < name.n; i++) {
        char c = name.p[i];
        bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
                     c == '-' || (c == '.' && b.n > 0);
        buf_byte(&b, plain ? c : '_');
    }
    str out = arena_str(a, buf_str(&b));
    buf_free(&b);
    return out;
}

static int by_line(const void *a, const void *b)
{
    const finding *x = a, *y = b;
    if (x->line != y->line)
        return x->line < y->line ? -1 : 1;
    return x->kind != y->kind ? (int)x->kind - (int)y->kind : (int)x->property - (int)y->property;
}

/* One page: findings, the timeline, and the numbers with the plots that gnuplot draws of them. */
static int add_page(tracing *x, simulated *measured, buf *out)
{
    const str *clients;
    arena *a = x->memory;
    buf asked = { 0 };
    report_plots drawn = { .told = measured, .count = x->log.counts.grants > 0 };
    if (measured->folder.n)
        report_plots_draw(&drawn, a, x->o);
    options_tell(x->o, &asked);
    timeline_told told = timeline_end(x->lanes, a, x->log.counts.begin_us, x->log.counts.end_us);
    trace_page p = { .log = &x->log, .timeline = &told, .a = a, .client_count = tracer_clients(x->t, &clients),
                     .numbers = { .options = asked.n ? str_slice(buf_str(&asked), 1, asked.n) : S(""), .of_log = true,
                                  .program = x->o->program, .simulations = drawn.told, .simulation_count = drawn.count,
                                  .plots = drawn.plots, .plot_count = drawn.plot_count, .plots_note = drawn.note } };
    p.clients = clients;
    page_trace_html(&p, out);
    buf_free(&asked);
    return drawn.status;
}

static int report(tracing *x)
{
    traced_log *t = &x->log;
    buf b = { 0 };
    err e = { 0 };
    str path = str_from(x->o->arguments[0]);
    t->path = path;
    t->families = x->family_names;
    t->family_count = x->family_count;
    t->counts = tracer_count(x->t);
    t->read = reader_count(x->reader);
    if (x->finding_count)
        qsort(x->findings, x->finding_count, sizeof *x->findings, by_line);
    t->findings = x->findings;
    t->finding_count = x->finding_count;
    t->bads = x->bads;
    simulated measured = trace_measure_end(&x->measured, x->memory, x->t, path, name_of(x->memory, path));
    t->measured = &measured;
    int status = traced_status(t);
    bool writes = x->o->out_dir || x->lanes;
    if (writes && t->counts.grants > 0 && !replicate_write(x->memory, x->o, &measured, &e))
        status = status_worse(status, print_complaint(&e));
    report_style style = { .verbose = x->o->verbose, .program = x->o->program, .width = print_width(STDOUT_FILENO),
                           .color = x->o->format == FORMAT_TEXT && print_wants_color(x->o->color) };
    if (x->o->format == FORMAT_JSON)
        report_trace_json(t, &b);
    else if (x->lanes)
        status = status_worse(status, add_page(x, &measured, &b));
    else
        report_trace_text(t, &style, &b);
    if (!print_out(&b))
        status = status_worse(status, STATUS_IO);
    t->measured = NULL;            /* it ends here */
    buf_free(&b);
    err_clear(&e);
    return status;
}

/* --to-scenario: the log is read again, up to where the passage ends. */
static bool write_scenario(tracing *x, err *e)
{
    if (x->order)
        return err_set(e, ERR_SCENARIO, "--to-scenario takes a server's log: in clients' own logs the order is not "
                       "that of the lines");
    return trace_scenario(x->memory, &(scenario_wanted){
        .o = x->o, .families = x->families, .family_count = x->family_count, .guessed = x->guessed,
        .dialect = x->dialect,
        .findings = x->findings, .finding_count = x->finding_count, .scripts = x->scripts }, e);
}

int trace_main(const options *o)
{
    arena *a = arena_new();
    err e = { 0 };
    tracing x = { .o = o, .memory = a, .e = &e, .scripts = passage_new() };
    int status = STATUS_PASS;
    if (o->dialect)                                /* options_parse has looked at it */
        dialect_parse(str_from(o->dialect), &x.dialect);
    trace_measure_begin(&x.measured);
    if (o->format == SIMULATE_HTML)
        x.lanes = timeline_new();
    x.reader = reader_new(&(reader_heard){ .context = &x, .record = on_record, .bad = on_bad });
    if (open_families(&x, &e)) {
        x.t = tracer_new(&(trace_options){ .families = x.families, .family_count = x.family_count,
                                           .guessed = x.guessed, .orphan_leases = o->orphan_leases,
                                           .storm_per_s = o->storm_per_s,
                                           .dialect = x.dialect, .context = &x, .found = on_found, .told = on_told,
                                           .seen = o->conform ? on_seen : NULL,
                                           .published = o->conform ? on_published : NULL });
        if (load_scripts(&x, &e) && read_log(&x, o->arguments[0], &e))
            status = report(&x);
        if (o->to_scenario && e.class_ == ERR_NONE && reader_count(x.reader).records > 0)
            write_scenario(&x, &e);
    }
    if (e.class_ != ERR_NONE)
        status = print_complaint(&e);
    trace_measure_free(&x.measured);
    timeline_free(x.lanes);
    tracer_free(x.t);
    reader_free(x.reader);
    for (size_t i = 0; i < x.family_count; i++)
        family_free(x.families[i]);
    mem_free(x.findings);
    passage_free(x.scripts);
    order_free(x.order);
    conform_free(x.conform);
    err_clear(&e);
    arena_free(a);
    return status;
}
