/* drive.c - `locksim drive`: real programs under virtual time, and `locksim replay` of its saved runs. */
#include "cli/cli.h"

#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "cli/drive.h"
#include "cli/drive_clocks.h"
#include "cli/drive_held.h"
#include "cli/drive_ports.h"
#include "cli/drive_table.h"
#include "drive/campaign.h"
#include "host/crew.h"
#include "host/ranks.h"
#include "judge/judge.h"
#include "report/clean.h"
#include "report/sequence.h"

extern char **environ;

enum { RUNS_DEFAULT = 100, PCT_DEPTH = 3, STEPS_MAX = 5000, REST_WAIT_MS = 120000, REST_COMPUTE_MS = 60000,
       CLOCK_READS_MAX = 2000000 };
static const int64_t END_MS = 3600 * 1000;

typedef struct {
    arena *memory;
    const options *o;
    drive_setup setup;
    str port_list;
    drive_ports ports;
    char *folder;
    wire_scripts scripts;          /* with --against */
    table_read *table;             /* --lock; NULL: not given */
    progress_board board;
    progress p;
    int64_t limit_ms;              /* real time for all runs; 0: none */
    campaign_ranks ranks;          /* with --mpi */
    bool ran;                      /* the campaign has begun */
} driving;

/* ---- the preloaded library ---- */

/* Beside the program in a build tree, below lib/locksim where it is installed. */
static str find_library(arena *a)
{
    static const char *const beside[] = { "locksim_drive.so", "../lib/locksim/locksim_drive.so" };
    char *exe = realpath("/proc/self/exe", NULL), *real = NULL;
    for (size_t i = 0; exe && !real && i < COUNT(beside); i++)
        real = realpath(arena_printf(a, "%.*s/%s", STR_ARG(files_folder(str_from(exe))), beside[i]).p, NULL);
    str found = real ? arena_str(a, str_from(real)) : S("");
    free(exe);
    free(real);
    return found;
}

/* ---- the setup ---- */

static bool goes_on(void *context)
{
    const driving *d = context;
    return !progress_interrupted() && (d->limit_ms == 0 || progress_elapsed_ms((void *)(uintptr_t)&d->p) < d->limit_ms);
}

static int64_t elapsed_ms(void *context)
{
    return progress_elapsed_ms(&((driving *)context)->p);
}

static bool tick(void *context, const campaign_progress *at)
{
    driving *d = context;
    buf told = { 0 };
    report_add_count(&told, at->runs);
    buf_addz(&told, " of ");
    report_add_count(&told, at->runs_all);
    buf_printf(&told, " runs  %" PRIu64 " distinct schedules  met: ", at->distinct);
    report_add_count(&told, at->requests);
    buf_addz(&told, " requests, ");
    report_add_count(&told, at->grants);
    buf_printf(&told, " grants, %" PRIu64 " broken", at->found);
    bool again = progress_saying(&d->p, buf_str(&told));
    buf_free(&told);
    return again && goes_on(d);
}

static bool take_clients(driving *d, const char *const *texts, size_t count, err *e)
{
    const char *path = getenv("PATH");
    drive_client *clients = ARENA_ARRAY(d->memory, drive_client, count);
    for (size_t i = 0; i < count; i++) {
        if (!drive_client_parse(d->memory, str_from(texts[i]), &clients[i], e) ||
            !program_check(d->memory, &clients[i], str_from(path ? path : "/usr/local/bin:/usr/bin:/bin"), e))
            return false;
        for (size_t k = 0; k < i; k++)
            if (str_eq(clients[k].name, clients[i].name))
                return err_set(e, ERR_USAGE, "two clients are called %.*s", STR_ARG(clients[i].name));
    }
    if (d->o->clocks && !clocks_take(str_from(d->o->clocks), clients, count, e))
        return false;
    d->setup.clients = clients;
    d->setup.client_count = count;
    return true;
}

/* Only these are built for real programs (sim/drive/choices.c); the others need what only a scenario's world knows. */
static bool take_faults(driving *d, str text, err *e)
{
    static const bool strikes[FAULT_KINDS] = {
        [FAULT_CRASH] = true, [FAULT_RESTART] = true, [FAULT_PAUSE] = true, [FAULT_LOSE_MESSAGE] = true,
        [FAULT_LOSE_REQUEST] = true, [FAULT_LOSE_REPLY] = true, [FAULT_LATE_REQUEST] = true, [FAULT_DUPLICATE] = true,
        [FAULT_WIPE] = true, [FAULT_EVICT] = true, [FAULT_CLOCK_JUMP] = true, [FAULT_SCRIPT_FLUSH] = true,
        [FAULT_FAILOVER] = true,
    };
    if (text.n == 0)
        return true;
    if (!fault_budgets_parse(text, d->setup.faults, e))
        return false;
    for (int k = 0; k < FAULT_KINDS; k++)
        if (d->setup.faults[k] && !strikes[k]) {
            bool thread = k == FAULT_INTERRUPT || k == FAULT_PREEMPT || k == FAULT_STALL;
            err_set(e, ERR_USAGE, "the fault %s cannot strike real programs here: %s", fault_name((fault_kind)k),
                    thread ? "nothing is known of their threads"
                           : "a server has one replica at most, which never lags, and its clock is the world's");
            return err_hint(e, "a scenario can have it: `locksim explain %s`", fault_name((fault_kind)k));
        }
    if (d->o->against && d->setup.faults[FAULT_FAILOVER])
        return err_set(e, ERR_USAGE, "a failover cuts connections, and a scenario's clients have none: no --against");
    return true;
}

/* What a program finds is the same in each rank: without what mpirun or srun tell their ranks. */
static char **own_environment(arena *a)
{
    static const char *const launchers[] = { "OMPI_", "PMIX_", "PRTE_", "PMI_" };
    size_t count = 0, n = 0;
    while (environ[count])
        count++;
    char **kept = ARENA_ARRAY(a, char *, count + 1);
    for (size_t i = 0; i < count; i++) {
        bool told = false;
        for (size_t k = 0; k < COUNT(launchers); k++)
            told = told || str_starts(str_from(environ[i]), str_from(launchers[k]));
        if (!told)
            kept[n++] = environ[i];
    }
    return kept;
}

static bool make_folder(driving *d, err *e)
{
    const char *base = getenv("TMPDIR");
    str name = arena_printf(d->memory, "%s/locksim.XXXXXX", base && *base && strlen(base) < 60 ? base : "/tmp");
    d->folder = mem_alloc(name.n + 1);
    memcpy(d->folder, name.p, name.n + 1);
    if (mkdtemp(d->folder))
        return true;
    err_set(e, ERR_USAGE, "no folder can be made for the programs' sockets: %s", d->folder);
    mem_free(d->folder);
    d->folder = NULL;
    return false;
}

/* `count` clients as texts; the other settings are in d->o. */
static bool prepare(driving *d, const char *const *texts, size_t count, str faults, err *e)
{
    str library = find_library(d->memory);
    d->port_list = d->o->ports ? str_from(d->o->ports) : S("6379");
    d->setup = (drive_setup){
        .strict = d->o->strict, .fresh = d->o->fresh, .latency_ms = (int64_t)d->o->latency_ms,
        .silent = d->o->against != NULL, .clock_points = d->o->clock_reads,
        .max_steps = d->o->has_max_steps ? d->o->max_steps : STEPS_MAX, .end_ms = END_MS,
        .limits = { .context = d, .elapsed_ms = elapsed_ms, .goes_on = goes_on, .wait_ms = REST_WAIT_MS,
                    .compute_ms = REST_COMPUTE_MS, .clock_reads = CLOCK_READS_MAX },
    };
    if (library.n == 0)
        return err_set(e, ERR_USAGE, "locksim_drive.so is not where locksim is: `make` builds both");
    if (!ports_take(d->port_list, &d->ports, e) || !rest_possible(e) || !take_faults(d, faults, e) ||
        !take_clients(d, texts, count, e) || !make_folder(d, e))
        return false;
    d->setup.host = (program_host){ .library = library.p, .folder = str_from(d->folder),
                                    .environment = d->o->mpi ? own_environment(d->memory) : environ,
                                    .ports = d->ports.at, .port_count = d->ports.count };
    if (d->o->lock_count > 1)
        return err_set(e, ERR_USAGE, "--lock is given %zu times: one run knows one kind of lock", d->o->lock_count);
    if (d->o->lock_count == 1 && (d->table = table_open(d->memory, d->o, d->o->locks[0], e)) == NULL)
        return false;
    d->setup.table = d->table ? table_of(d->table) : NULL;
    d->limit_ms = d->o->has_time_limit ? (int64_t)d->o->time_limit_s * 1000 : 0;
    d->setup.limits.all_ms = d->limit_ms;
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    return true;
}

static void begin(driving *d, const options *o, arena *a)
{
    *d = (driving){ .o = o, .memory = a,
                    .ranks = { .own = ranks_own(), .all = ranks_all(), .send = ranks_send, .receive = ranks_receive,
                               .cancelled = ranks_cancelled, .cancel = ranks_cancel,
                               .interrupted = progress_interrupted } };
    progress_begin(&d->board);
    progress_scenario(&d->p, &d->board, S("drive"), 1, 1);
}

static void end(driving *d)
{
    progress_clear(&d->board, 1);
    if (d->folder)
        rmdir(d->folder);
    mem_free(d->folder);
    wire_scripts_free(&d->scripts);
    table_close(d->table);
}

/* "A=python3 worker.py  B=node worker.js" */
static str told_clients(const driving *d)
{
    buf b = { 0 };
    for (size_t i = 0; i < d->setup.client_count; i++)
        buf_printf(&b, "%s%.*s=%.*s", i ? "  " : "", STR_ARG(d->setup.clients[i].name),
                   STR_ARG(d->setup.clients[i].command));
    str told = arena_str(d->memory, buf_str(&b));
    buf_free(&b);
    return told;
}

/* ---- saving ---- */

typedef struct {
    str *files;
    bool *pictures;
    taken_names taken;
    int status;
} kept;

static void save_picture(driving *d, const outcome *o, const counterexample *x, str name, bool *made, err *e)
{
    const property_info *info = property_describe(x->property);
    buf svg = { 0 };
    str folder = d->o->out_dir ? str_from(d->o->out_dir) : S(FILES_OUT), path;
    sequence_view v = { .s = &x->story, .clients = o->clients, .client_count = o->client_count, .broke = true,
                        .summary = x->text,
                        .name = arena_printf(d->memory, "drive   %s  %s", info->name, info->code),
                        .rows_max = SEQUENCE_ROWS_MAX };
    sequence_svg(&v, &svg);
    *made = files_write(d->memory, folder, arena_printf(d->memory, "%.*s.svg", STR_ARG(str_slice(name, 0, name.n - 4))),
                        buf_str(&svg), &path, e);
    buf_free(&svg);
}

static void save(driving *d, const outcome *o, size_t i, kept *k)
{
    const counterexample *x = &o->examples[i];
    arena *a = d->memory;
    err e = { 0 };
    buf text = { 0 };
    str folder = d->o->out_dir ? str_from(d->o->out_dir) : S(FILES_OUT), path;
    str name = flat_name_new(a, &k->taken, arena_printf(a, "drive.%s", property_describe(x->property)->code), ".lua");
    saved s = { .property = x->property, .seed = x->seed, .max_steps = d->o->has_max_steps ? d->o->max_steps : 0,
                .by = options_overrides(d->o),
                .schedule = x->schedule, .client_count = d->setup.client_count, .ports = d->port_list,
                .strict = d->setup.strict, .latency_ms = d->o->latency_ms,
                .clocks = d->o->clocks ? str_from(d->o->clocks) : S(""), .clock_reads = d->o->clock_reads,
                .lock = d->o->lock_count ? str_from(d->o->locks[0]) : S("") };
    s.clients = ARENA_ARRAY(a, str, d->setup.client_count + 1);
    for (size_t c = 0; c < d->setup.client_count; c++)
        s.clients[c] = arena_printf(a, "%.*s=%.*s", STR_ARG(d->setup.clients[c].name),
                                    STR_ARG(d->setup.clients[c].command));
    if (files_make_folder(a, folder, &e)) {
        saved_print(&s, files_join(a, folder, name), x, &text);
        if (files_write(a, folder, name, buf_str(&text), &path, &e)) {
            k->files[i] = path;
            save_picture(d, o, x, name, &k->pictures[i], &e);
        }
    }
    if (e.class_ != ERR_NONE)
        k->status = status_worse(k->status, print_complaint(&e));
    err_clear(&e);
    buf_free(&text);
}

/* ---- the result ---- */

static int print_result(const options *o, const report_item *item, int status, bool same)
{
    report_style style = { .verbose = o->verbose, .color = o->format == FORMAT_TEXT && print_wants_color(o->color),
                           .program = o->program, .width = print_width(STDOUT_FILENO) };
    buf b = { 0 };
    switch (o->format) {
    case FORMAT_JSON: report_json(item, 1, status, &style, &b); break;
    case FORMAT_JUNIT: report_junit(item, 1, &style, &b); break;
    default:
        report_text(item, &style, &b);
        if (same && item->result->verdict == VERDICT_PASS)
            buf_printf(&b, "same   %" PRIu64 " of %" PRIu64 " runs of seed %" PRIu64 " are identical\n",
                       item->result->search.runs, item->result->search.runs, item->result->search.seed);
    }
    if (!print_out(&b))
        status = status_worse(status, STATUS_IO);
    buf_free(&b);
    return status;
}

static int judge(driving *d, err *e)
{
    const options *o = d->o;
    outcome out;
    campaign c = {
        .setup = &d->setup, .path = told_clients(d), .seed = o->has_seed ? o->seed : 1,
        .runs = o->has_runs ? o->runs : RUNS_DEFAULT,
        .pct = o->strategy == 1, .depth = PCT_DEPTH, .schedule = o->schedule, .same = o->same, .context = d,
        .progress = tick, .jobs = o->mpi ? 1 : crew_size(o->has_jobs ? o->jobs : 0),
    };
    if (o->mpi)
        c.ranks = &d->ranks;
    held h;
    if (o->against && !held_open(d->memory, o, &d->setup, &h, e))
        return print_complaint(e);
    if (o->against) {
        d->scripts = (wire_scripts){ .a = arena_new() };
        d->setup.scripts = &d->scripts;
        c.against = &h.with;
        c.held = &h.found;
    }
    d->ran = true;
    campaign_run(d->memory, &c, &out);
    progress_clear(&d->board, 1);
    int status = judge_status(&out);
    if (ranks_own() > 0) {                         /* rank 0 has the result */
        err_clear(&out.error);
        return STATUS_PASS;
    }
    if (o->against && out.verdict != VERDICT_ERROR) {
        status = held_print(o, &out, &h, status);
        err_clear(&out.error);
        return status;
    }
    kept k = { .files = ARENA_ARRAY(d->memory, str, out.example_count + 1),
               .pictures = ARENA_ARRAY(d->memory, bool, out.example_count + 1) };
    for (size_t i = 0; i < out.example_count; i++) {
        k.files[i] = S("");
        save(d, &out, i, &k);
    }
    report_item item = { .result = &out, .files = k.files, .pictures = k.pictures };
    status = print_result(o, &item, status_worse(status, k.status), o->same);
    taken_names_free(&k.taken);
    err_clear(&out.error);
    return status;
}

int drive_main(const options *o)
{
    driving d;
    err e = { 0 };
    arena *a = arena_new();
    begin(&d, o, a);
    int status = prepare(&d, o->arguments, o->argument_count, options_overrides(o).faults, &e) ? judge(&d, &e)
                 : print_complaint(&e);
    if (o->mpi && !d.ran)
        campaign_abandon(&d.ranks);
    end(&d);
    err_clear(&e);
    arena_free(a);
    return status;
}

int drive_replay(const options *o, str file, const saved *s)
{
    driving d;
    err e = { 0 };
    arena *a = arena_new();
    options with = *o;
    int status;
    with.ports = s->ports.p;
    with.strict = s->strict;
    with.latency_ms = s->latency_ms;
    with.clocks = s->clocks.n ? arena_str(a, s->clocks).p : NULL;
    with.clock_reads = s->clock_reads;
    const char *lock = s->lock.n ? arena_str(a, s->lock).p : NULL;
    with.locks = &lock;
    with.lock_count = lock != NULL;
    with.has_max_steps = o->has_max_steps || s->max_steps > 0;
    with.max_steps = o->has_max_steps ? o->max_steps : s->max_steps;
    begin(&d, &with, a);
    const char **texts = ARENA_ARRAY(a, const char *, s->client_count + 1);
    for (size_t i = 0; i < s->client_count; i++)
        texts[i] = s->clients[i].p;
    if (prepare(&d, texts, s->client_count, s->by.faults, &e)) {
        outcome out;
        campaign c = { .setup = &d.setup, .path = told_clients(&d), .seed = s->seed, .runs = 1,
                       .schedule = s->schedule.p, .context = &d, .claim = &s->property };
        campaign_run(a, &c, &out);
        progress_clear(&d.board, 1);
        status = replay_report(o, &out, file, s->property);
        err_clear(&out.error);
    } else {
        status = print_complaint(&e);
    }
    end(&d);
    err_clear(&e);
    arena_free(a);
    return status;
}
