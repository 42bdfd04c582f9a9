/* replay.c - every request that every shipped scenario's simulated servers executed, executed again by a real
 * redis-server at the same virtual instants: each reply byte for byte, each message, and the keyspace whenever time
 * moves and at the end of a run. Usage: replay SOCKET CLOCK_FILE [RUNS [PATH...]]      at most RUNS runs of a scenario;
 * PATH: instead of scenarios/ Runs in which a server did the very same things are made once. Of several servers each is
 * replayed by itself. The stories that the search tells of what breaks are replayed too: what they show must be what a
 * real server does. Of exhibits and findings all are; of the others those that lie within the first RUNS hundred
 * states. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>
#include <uthash.h>

#include "base/mem.h"
#include "judge/names.h"
#include "client/load.h"
#include "recording.h"
#include "search/search.h"

typedef struct {
    XXH128_hash_t hash;
    UT_hash_handle hh;
} done;

typedef struct {
    real *server;
    recording *runs;       /* the current run, one list for each server of the scenario */
    size_t run_count;
    uint64_t runs_max, runs_wanted;                /* of a scenario; of the current one */
    done *done;
    str path;
    replay_counts counts;
    uint64_t runs_seen, runs_replayed, stories, left_out;
    bool same;             /* of the current scenario; once false, its first difference was shown */
    bool asked;            /* it made some request */
} session;

static void replay_one(session *s, size_t server)
{
    if (!s->same || s->runs[server].count == 0)
        return;
    buf bytes = { 0 };
    recording_bytes(&s->runs[server], &bytes);
    done *known, *fresh = mem_zero(sizeof *fresh);
    fresh->hash = XXH3_128bits(bytes.p, bytes.n);
    buf_free(&bytes);
    HASH_FIND(hh, s->done, &fresh->hash, sizeof fresh->hash, known);
    if (known) {
        mem_free(fresh);
        return;
    }
    HASH_ADD(hh, s->done, hash, sizeof fresh->hash, fresh);
    s->runs_replayed++;
    buf difference = { 0 };
    s->same = recording_replay(&s->runs[server], s->server, &s->counts, &difference);
    if (!s->same) {
        printf("%.*s: run %" PRIu64 ", server %zu:\n%.*s", STR_ARG(s->path), s->runs_seen, server,
               STR_ARG(buf_str(&difference)));
        fflush(stdout);
    }
    buf_free(&difference);
}

/* The run that was being recorded is over. */
static void end_run(session *s)
{
    bool any = false;
    for (size_t i = 0; i < s->run_count; i++) {
        any |= s->runs[i].count > 0;
        replay_one(s, i);
        recording_clear(&s->runs[i]);
    }
    s->runs_seen += any;
}

static void on_run(void *context)
{
    end_run(context);
}

static void on_executed(void *context, const world_executed *x)
{
    session *s = context;
    s->asked = true;
    if (x->server < s->run_count)
        recording_request(&s->runs[x->server], x);
}

static void on_server_fault(void *context, const world_suffered *x)
{
    session *s = context;
    if (x->server < s->run_count)
        recording_fault(&s->runs[x->server], x);
}

static void on_crash(void *context, uint32_t process)
{
    session *s = context;
    for (size_t i = 0; i < s->run_count; i++)
        recording_crash(&s->runs[i], process);
}

static bool progress(void *context, const search_progress *at)
{
    session *s = context;
    return s->same && at->runs < s->runs_wanted;
}

static bool breaks_something(const scenario *sc)
{
    for (int p = 0; p < PROPERTY_COUNT; p++)
        if (sc->expect[p] == EXPECT_VIOLATED)
            return true;
    return false;
}

static bool lies_in(str path, str folder)
{
    for (size_t i = 0; i < path.n; i++)
        if ((i == 0 || path.p[i - 1] == '/') && str_starts(str_slice(path, i, path.n), folder))
            return true;
    return false;
}

/* The shortest story of each property that the scenario breaks. */
static void replay_stories(session *s, arena *a, const scenario *sc, const loader *l, const search_options *recorded)
{
    bool all = sc->exhibit.bug.n > 0 || lies_in(s->path, S("findings/"));
    outcome whole = { 0 };
    search_run(a, sc, l, &(search_options){ .seed = recorded->seed, .max_states = all ? 0 : s->runs_max * 100 },
               &whole);
    for (size_t i = 0; i < whole.example_count && s->same; i++) {
        search_options o = *recorded;
        outcome again = { 0 };
        o.claim = &whole.examples[i].property;
        search_replay(a, sc, l, &o, whole.examples[i].schedule, &again);
        end_run(s);
        if (again.properties[whole.examples[i].property].outcome != OUTCOME_VIOLATED) {
            printf("%.*s: the story of %s is another one when it is told again\n", STR_ARG(s->path),
                   property_describe(*o.claim)->name);
            s->same = false;
        }
        err_clear(&again.error);
        s->stories++;
    }
    if (all && whole.example_count == 0) {
        printf("%.*s: a weakness that does not show\n", STR_ARG(s->path));
        s->same = false;
    }
    err_clear(&whole.error);
}

/* True if everything of this scenario was the same on both. */
static bool replay_scenario(session *s, arena *a, str path)
{
    scenario_source from;
    err e = { 0 };
    search_path where = { .shipped = S("scripts") };
    search_path_for(&where, a, path);
    loader l = search_path_loader(&where);
    scenario sc;
    if (!names_read(a, path, &from, &e) || !scenario_load_case(a, &l, &from, &sc, &e)) {
        buf shown = { 0 };
        err_print(&e, &shown);
        printf("%.*s", STR_ARG(buf_str(&shown)));
        buf_free(&shown);
        err_clear(&e);
        return false;
    }
    const dialect theirs = real_dialect(s->server);
    /* the real one's is held, and jumps with nobody; and it is in no cluster */
    bool other_clock = sc.faults[FAULT_SERVER_CLOCK_JUMP].budget > 0, in_cluster = sc.cluster == CLUSTER_YES;
    if (other_clock || in_cluster || (sc.dialect.version && !dialect_equal(sc.dialect, theirs))) {
        s->left_out++;                             /* it is about another server */
        return true;
    }
    sc.dialect = theirs;
    s->path = path;
    s->same = true;
    s->run_count = sc.servers;
    s->runs = mem_zero(s->run_count * sizeof *s->runs);
    for (size_t i = 0; i < s->run_count; i++)
        s->runs[i] = recording_new();
    s->runs_wanted = sc.exhibit.bug.n ? 1 : s->runs_max;       /* of an exhibit its stories count */
    search_options o = { .seed = 1, .runs = sc.runs < s->runs_wanted ? sc.runs : s->runs_wanted, .context = s,
                         .progress = progress,
                         .on_run = on_run, .on_executed = on_executed, .on_server_fault = on_server_fault,
                         .on_crash = on_crash };
    outcome out = { 0 };
    s->asked = false;
    search_run(a, &sc, &l, &o, &out);
    end_run(s);
    if (breaks_something(&sc))
        replay_stories(s, a, &sc, &l, &o);
    if (!s->asked) {
        printf("%.*s: it asked nothing of a server\n", STR_ARG(path));
        s->same = false;
    }
    err_clear(&out.error);
    for (size_t i = 0; i < s->run_count; i++)
        recording_free(&s->runs[i]);
    mem_free(s->runs);
    return s->same;
}

int main(int argc, char **argv)
{
    if (argc < 3) {
        fprintf(stderr, "usage: replay SOCKET CLOCK_FILE [RUNS [PATH...]]\n");
        return 64;
    }
    arena *names = arena_new(), *a = arena_new();
    file_list files = { 0 };
    err e = { 0 };
    const options none = { 0 };
    const char *everything[] = { "scenarios" };
    const char *const *paths = argc > 4 ? (const char *const *)argv + 4 : everything;
    for (size_t i = 0; i < (argc > 4 ? (size_t)argc - 4 : 1); i++)
        if (!names_expand(names, &none, str_from(paths[i]), files_is_scenario, &files, &e)) {
            buf shown = { 0 };
            err_print(&e, &shown);
            fprintf(stderr, "%s", shown.p);
            return 1;
        }
    session s = { .server = real_open(argv[1], argv[2]), .runs_max = argc > 3 ? strtoull(argv[3], NULL, 10) : 6 };
    uint64_t passed = 0, failed = 0;
    for (size_t i = 0; i < files.count; i++) {
        bool same = replay_scenario(&s, a, files.paths[i]);
        passed += same;
        failed += !same;
        arena_reset(a);
    }
    const replay_counts *c = &s.counts;
    printf("replay: %zu scenarios, %" PRIu64 " runs (%" PRIu64 " different): %" PRIu64 " replies, %" PRIu64
           " keyspaces, %" PRIu64
           " messages compared\n", files.count, s.runs_seen, s.runs_replayed, c->requests, c->keyspaces, c->messages);
    if (s.left_out)
        printf("replay: %" PRIu64 " scenarios left out: they are about another server, or one whose clock jumps\n",
               s.left_out);
    if (s.stories)
        printf("replay: %" PRIu64 " stories replayed\n", s.stories);
    if (c->failovers)
        printf("replay: %" PRIu64 " failovers, the real server brought back to what the replica had\n", c->failovers);
    if (c->cuts || c->waits)
        printf("replay: %" PRIu64 " runs compared up to a script without end, a blocking or a random command only; %"
               PRIu64
               " WAITs left out (replicas answered, and the real server has none)\n", c->cuts, c->waits);
    done *d, *next;
    HASH_ITER(hh, s.done, d, next) {
        HASH_DEL(s.done, d);
        mem_free(d);
    }
    real_close(s.server);
    arena_free(names);
    arena_free(a);
    return real_verdict(passed, failed);
}
