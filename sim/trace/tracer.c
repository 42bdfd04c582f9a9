/* tracer.c - see tracer.h: the log's requests run again, one after the other. A script's run is looked at once its
 * `lua` lines have gone by. */
#include <inttypes.h>
#include <string.h>

#include "base/mem.h"
#include "script/script.h"
#include "trace/answer.h"
#include "trace/internal.h"

static void on_effect(void *context, str sha1, int line, const str *argv, size_t argc, const reply *r);
static void on_script_finding(void *context, script_finding kind, str sha1, int line, str text);

tracer *tracer_new(const trace_options *o)
{
    tracer *t = mem_zero(sizeof *t);
    t->o = *o;
    if (!t->o.orphan_leases)
        t->o.orphan_leases = 10;
    if (!t->o.storm_per_s)
        t->o.storm_per_s = 100;
    t->scratch = arena_new();
    t->names = arena_new();
    t->q.memory = arena_new();
    t->server = redis_new((redis_limits){ .dialect = o->dialect });
    t->conn = redis_connect(t->server, ++t->conn_id);
    t->last_us = INT64_MIN;
    t->counts.begin_us = RECORD_UNKNOWN;
    redis_observe(t->server, &(redis_observer){ .context = t, .effect = on_effect, .finding = on_script_finding });
    for (size_t i = 0; i < o->family_count; i++)
        family_load_scripts(o->families[i], t->server);
    return t;
}

void tracer_free(tracer *t)
{
    struct named_client *c, *next_client;
    struct known_sha *s, *next_sha;
    if (!t)
        return;
    locks_free(t);
    HASH_ITER(hh, t->client_table, c, next_client) {
        HASH_DEL(t->client_table, c);
        mem_free(c);
    }
    HASH_ITER(hh, t->unknown, s, next_sha) {
        HASH_DEL(t->unknown, s);
        mem_free(s);
    }
    HASH_ITER(hh, t->failed, s, next_sha) {
        HASH_DEL(t->failed, s);
        mem_free(s);
    }
    redis_free(t->server);
    mem_free(t->blocked);
    mem_free(t->lock_names);
    mem_free(t->q.effects);
    mem_free(t->q.claims);
    mem_free(t->q.locks);
    buf_free(&t->id);
    arena_free(t->q.memory);
    arena_free(t->scratch);
    arena_free(t->names);
    mem_free(t);
}

void tracer_know_script(tracer *t, str body)
{
    str why;
    arena_reset(t->scratch);
    redis_load_script(t->server, body, t->scratch, &why);
}

trace_counts tracer_count(const tracer *t)
{
    trace_counts c = t->counts;
    c.known = HASH_COUNT(t->locks);
    return c;
}

size_t tracer_clients(const tracer *t, const str **names)
{
    *names = t->client_names;
    return t->client_count;
}

size_t tracer_locks(const tracer *t, const str **names)
{
    *names = t->lock_names;
    return t->lock_name_count;
}

/* ---- clients ---- */

static bool is_local(str name)
{
    return str_starts(name, S("127.")) || str_starts(name, S("[::1]")) || str_starts(name, S("localhost:")) ||
           str_starts(name, S("unix:"));
}

/* A host's connections are one client: "10.0.0.7:51234" is 10.0.0.7. Programs on the server's own machine are
 * distinguished by their ports. */
static str client_of(str address)
{
    size_t n = address.n;
    while (n > 0 && address.p[n - 1] >= '0' && address.p[n - 1] <= '9')
        n--;
    bool port = n > 1 && n < address.n && address.p[n - 1] == ':' && memchr(address.p, '.', n) != NULL;
    port |= n > 1 && n < address.n && address.p[n - 1] == ':' && address.p[0] == '[';
    return port && !is_local(address) ? str_slice(address, 0, n - 1) : address;
}

static uint32_t client_number(tracer *t, str address)
{
    str name = client_of(address);
    struct named_client *c;
    HASH_FIND(hh, t->client_table, name.p, name.n, c);
    if (c)
        return c->number;
    if (t->client_count == TRACE_CLIENTS_MAX - 1)
        t->client_names[t->client_count++] = S("(others)");
    if (t->client_count == TRACE_CLIENTS_MAX)
        return TRACE_CLIENTS_MAX - 1;
    c = mem_zero(sizeof *c);
    c->name = arena_str(t->names, name);
    c->number = (uint32_t)t->client_count;
    t->client_local[c->number] = is_local(name);
    t->client_names[t->client_count++] = c->name;
    HASH_ADD_KEYPTR(hh, t->client_table, c->name.p, c->name.n, c);
    return c->number;
}

/* ---- our server ---- */

reply tracer_execute(tracer *t, int db, const str *argv, size_t argc, int64_t now_ms, arena *out)
{
    if (db != t->conn_db) {
        str select[] = { S("select"), arena_int(out, db) };
        redis_execute(t->server, t->conn, select, COUNT(select), now_ms, out);
        t->conn_db = db;
    }
    return redis_execute(t->server, t->conn, argv, argc, now_ms, out);
}

/* A pop found nothing: its connection waits, and a new connection replaces it. */
static void set_aside(tracer *t)
{
    t->blocked = mem_reserve(t->blocked, &t->blocked_cap, t->blocked_count + 1, sizeof *t->blocked);
    t->blocked[t->blocked_count].c = t->conn;
    t->blocked[t->blocked_count++].client = t->q.client;
    t->conn = redis_connect(t->server, ++t->conn_id);
    t->conn_db = 0;
}

/* A client that sends something waits no longer: its pop was served, or has timed out. The same for those that our
 * server has served. */
static void end_waits(tracer *t, uint32_t client)
{
    for (size_t i = t->blocked_count; i-- > 0;) {
        if (t->blocked[i].client != client && redis_waits(t->blocked[i].c))
            continue;
        redis_disconnect(t->server, t->blocked[i].c);
        t->blocked[i] = t->blocked[--t->blocked_count];
    }
}

/* Messages, wherever they are sent. */
static void note_published(tracer *t, const str *argv, size_t argc)
{
    if (t->o.published && argc == 3 && (str_eq_nocase(argv[0], S("publish")) || str_eq_nocase(argv[0], S("spublish"))))
        t->o.published(t->o.context, t->q.at_us, argv[1], argv[2]);
}

static void on_effect(void *context, str sha1, int line, const str *argv, size_t argc, const reply *r)
{
    tracer *t = context;
    asked *q = &t->q;
    (void)sha1, (void)line, (void)r;
    note_published(t, argv, argc);
    if (!q->open)
        return;
    MEM_RESERVE(q->effects, q->effect_cap, q->effect_count + 1);
    effect *x = &q->effects[q->effect_count++];
    *x = (effect){ .argv = ARENA_ARRAY(q->memory, str, argc), .argc = argc };
    for (size_t i = 0; i < argc; i++)
        x->argv[i] = arena_str(q->memory, argv[i]);
}

/* LK050 for a script that failed; a cluster's refusal does not matter if the server ran it. Reported when that is
 * known. */
static void on_script_finding(void *context, script_finding kind, str sha1, int line, str text)
{
    tracer *t = context;
    asked *q = &t->q;
    if (q->open && !q->failed.n && (kind == FINDING_SCRIPT_ERROR || kind == FINDING_CRASH))
        q->failed = arena_printf(q->memory, "Script %.*s, line %d: %.*s", STR_ARG(sha1), line, STR_ARG(text));
}

/* Once of each script. */
static void tell_failed(tracer *t)
{
    asked *q = &t->q;
    struct known_sha *s;
    char sha[41] = "";
    bool sure = q->claim_count == 0 || q->locks[0]->sure;
    if (!q->failed.n || q->differed || !sure)
        return;
    memcpy(sha, q->sha.p, q->sha.n < 40 ? q->sha.n : 40);
    HASH_FIND_STR(t->failed, sha, s);
    if (s)
        return;
    s = mem_zero(sizeof *s);
    memcpy(s->sha, sha, sizeof sha);
    HASH_ADD_STR(t->failed, sha, s);
    find(t, (finding){ .kind = FOUND_VIOLATION, .property = PROPERTY_SCRIPT_HEALTH, .at_us = q->at_us, .line = q->line,
                       .text = q->failed, .db = q->db, .lock = q->claim_count ? q->locks[0]->name : S("") });
}

/* ---- a request begins ---- */

static void keep_words(tracer *t, const record *r)
{
    asked *q = &t->q;
    q->argv = ARENA_ARRAY(q->memory, str, r->argc);
    for (size_t i = 0; i < r->argc; i++)
        q->argv[i] = arena_str(q->memory, r->argv[i]);
    q->argc = r->argc;
}

static bool is_script(str name)
{
    return str_eq_nocase(name, S("evalsha")) || str_eq_nocase(name, S("eval")) ||
           str_eq_nocase(name, S("evalsha_ro")) || str_eq_nocase(name, S("eval_ro"));
}

/* Commands of transactions are in the log when they run; the commands around them do nothing by themselves. */
static bool is_wrapping(str name)
{
    static const char *const names[] = { "multi", "exec", "discard", "watch", "unwatch", "select", "subscribe",
                                         "unsubscribe", "psubscribe", "punsubscribe", "ssubscribe", "sunsubscribe",
                                         "publish", "spublish", "hello", "auth", "client", "ping", "monitor", "quit",
                                         "reset",
                                         "wait", "info", "config", "command" };
    for (size_t i = 0; i < COUNT(names); i++)
        if (str_eq_nocase(name, str_from(names[i])))
            return true;
    return false;
}

static bool is_about_all(str name)
{
    return str_eq_nocase(name, S("flushall")) || str_eq_nocase(name, S("flushdb")) || str_eq_nocase(name, S("swapdb"));
}

static void note_unknown(tracer *t)
{
    asked *q = &t->q;
    struct known_sha *s;
    char sha[41] = "";
    memcpy(sha, q->sha.p, q->sha.n < 40 ? q->sha.n : 40);
    t->counts.unknown++;
    HASH_FIND_STR(t->unknown, sha, s);
    if (s)
        return;
    s = mem_zero(sizeof *s);
    memcpy(s->sha, sha, sizeof sha);
    HASH_ADD_STR(t->unknown, sha, s);
    find(t, (finding){ .kind = FOUND_UNKNOWN_SCRIPT, .at_us = q->at_us, .line = q->line,
                       .text = arena_printf(q->memory, "The script %s, which %.*s runs, is unknown: the commands of "
                                            "its `lua` lines are executed.", sha,
                                            STR_ARG(q->client_name)),
                       .why = S("Its EVAL or SCRIPT LOAD lies before the log's beginning (--scripts DIR names a folder "
                                "in which it may lie), or the server did not know it either: NOSCRIPT.") });
}

static str shown(arena *a, const reply *r)
{
    buf b = { 0 };
    reply_print_short(r, &b);
    str out = arena_str(a, buf_str(&b));
    buf_free(&b);
    return out;
}

static void run_script(tracer *t)
{
    asked *q = &t->q;
    int64_t now_ms = q->at_us / 1000;
    uint64_t writes = redis_writes(t->server), calls = redis_script_calls(t->server);
    reply answer = tracer_execute(t, q->db, q->argv, q->argc, now_ms, q->memory);
    q->known = answer.kind != REPLY_ERROR || !str_starts(answer.text, S("NOSCRIPT"));
    q->follows = !q->known;
    q->wrote = redis_writes(t->server) != writes;
    q->commands = (uint32_t)(redis_script_calls(t->server) - calls);
    t->counts.scripts++;
    q->answer = answer;
    q->reply = shown(q->memory, &answer);
}

static void run_command(tracer *t)
{
    asked *q = &t->q;
    uint64_t writes = redis_writes(t->server);
    reply answer = tracer_execute(t, q->db, q->argv, q->argc, q->at_us / 1000, q->memory);
    q->wrote = redis_writes(t->server) != writes;
    q->commands = 1;
    q->known = true;
    q->freed = str_eq_nocase(q->argv[0], S("del")) || str_eq_nocase(q->argv[0], S("unlink"));
    q->answer = answer;
    q->reply = shown(q->memory, &answer);
    q->waits = redis_waits(t->conn);
    if (q->waits)
        set_aside(t);
}

static void differ(tracer *t, size_t line, int64_t at_us, str theirs, str ours);

static void compare_answer(tracer *t, const record *r)
{
    asked *q = &t->q;
    if (!r->answer || str_eq(r->answer->text, S("QUEUED")) || q->waits || q->claim_count == 0)
        return;                        /* reads of a script about no lock may have been left out */
    t->counts.answers++;
    if (answer_same(r->answer, &q->answer))
        q->proven = true;
    else
        differ(t, q->line, q->at_us, arena_printf(q->memory, "the answer %.*s", STR_ARG(shown(q->memory, r->answer))),
               arena_printf(q->memory, "the answer %.*s", STR_ARG(q->reply)));
}

static void begin(tracer *t, const record *r)
{
    asked *q = &t->q;
    arena *memory = q->memory;
    arena_reset(memory);
    *q = (asked){ .open = true, .memory = memory, .number = q->number + 1, .effects = q->effects,
                  .effect_cap = q->effect_cap, .claims = q->claims, .locks = q->locks, .claim_cap = q->claim_cap,
                  .line = r->line,
                  .at_us = t->last_us, .sent_us = r->sent_us, .answered_us = r->answered_us, .db = r->db };
    q->script = r->argc >= 3 && is_script(r->argv[0]);
    q->client = client_number(t, r->client);
    end_waits(t, q->client);
    if (!q->script && is_wrapping(r->argv[0])) {
        note_published(t, r->argv, r->argc);
        q->open = false;
        return;
    }
    if (r->answer && r->answer->kind == REPLY_ERROR && str_starts(r->answer->text, S("NOSCRIPT"))) {
        q->open = false;               /* nothing was done: its text comes next */
        t->counts.passed_over++;
        return;
    }
    if (r->db >= 16) {                 /* more databases than ours has */
        q->open = false;
        t->counts.passed_over++;
        return;
    }
    keep_words(t, r);
    if (q->script && (r->argv[0].n == 4 || r->argv[0].n == 7) && !str_eq_nocase(r->argv[0], S("evalsha"))) {
        char hex[41];
        redis_sha1(q->argv[1], hex);
        q->sha = arena_str(memory, str_from(hex));
    } else if (q->script) {
        q->sha = q->argv[1];
    }
    claims_of_families(t, q->db, q->argv, q->argc, q->sha);
    if (q->claim_count == 0)
        claims_of_keys(t, q->db, q->argv, q->argc);
    bool loads = r->argc > 1 && str_eq_nocase(r->argv[0], S("script"));
    bool all = is_about_all(r->argv[0]);
    if (all)
        claims_all(t);
    if (q->claim_count == 0 && !loads && !all && !q->script) {
        q->open = false;
        t->counts.passed_over++;
        return;
    }
    q->client_name = t->client_names[q->client];
    if (q->script)
        run_script(t);
    else
        run_command(t);
    compare_answer(t, r);
    if (q->script && !q->known)
        note_unknown(t);
    if (!loads)
        tell(t, (told){ .kind = TOLD_REQUEST, .client = q->client, .commands = q->commands, .script = q->script,
                        .wrote = q->wrote },
             q->claim_count ? q->locks[0] : NULL, NULL);
    t->counts.requests += q->claim_count > 0;
    t->counts.passed_over += q->claim_count == 0;
}

/* ---- effects of the log's scripts, and of ours ---- */

static str words_text(arena *a, const str *argv, size_t argc)
{
    enum { WORD_BYTES_MAX = 60, WORDS_MAX = 10 };
    buf b = { 0 };
    for (size_t i = 0; i < argc && i < WORDS_MAX; i++) {
        buf_addz(&b, i ? " " : "");
        buf_add(&b, str_slice(argv[i], 0, WORD_BYTES_MAX));
        buf_addz(&b, argv[i].n > WORD_BYTES_MAX ? "..." : "");
    }
    buf_addz(&b, argc > WORDS_MAX ? " ..." : "");
    str out = arena_str(a, buf_str(&b));
    buf_free(&b);
    return out;
}

/* The log's server had data that ours has not: from now on the keys of these locks are as its `lua` lines make them. */
static void drop_keys(tracer *t, const asked *q)
{
    for (size_t i = 0; i < q->claim_count; i++) {
        const traced *l = q->locks[i];
        str del[2] = { S("del"), l->name };
        tracer_execute(t, l->db, del, 2, q->at_us / 1000, t->scratch);
        for (const lock_key *k = l->keys; k; k = k->next) {
            del[1] = str_slice(k->id, sizeof(uint32_t), k->id.n);
            tracer_execute(t, l->db, del, 2, q->at_us / 1000, t->scratch);
        }
    }
}

static void follow(tracer *t, int db, const str *argv, size_t argc)
{
    asked *q = &t->q;
    bool was_open = q->open;
    note_published(t, argv, argc);
    if (is_wrapping(argv[0]))
        return;
    q->freed |= str_eq_nocase(argv[0], S("del")) || str_eq_nocase(argv[0], S("unlink"));
    claims_of_families(t, db, argv, argc, S(""));
    claims_of_keys(t, db, argv, argc);
    q->open = false;                   /* its effects are not those of the script */
    tracer_execute(t, db, argv, argc, q->at_us / 1000, t->scratch);
    if (redis_waits(t->conn))          /* within a script nothing waits */
        redis_unblock(t->server, t->conn, false, q->at_us / 1000);
    q->open = was_open;
}

static void differ(tracer *t, size_t line, int64_t at_us, str theirs, str ours)
{
    asked *q = &t->q;
    if (q->claim_count == 0)
        return;
    bool sure = false, near = true;
    for (size_t i = 0; i < q->claim_count; i++) {
        sure |= q->locks[i]->sure;
        near &= judge_near_end(t, q->locks[i]);
    }
    sure &= !near;                     /* of the last millisecond of a lease no difference is told */
    t->counts.differed += !near;
    q->differed = true;
    if (sure)
        find(t, (finding){ .kind = FOUND_DIFFERENCE, .lock = q->locks[0]->name, .db = q->db, .at_us = at_us,
                           .line = line, .since = q->line,
                           .text = arena_printf(q->memory, "The log has %.*s, our server %.*s.", STR_ARG(theirs),
                                                STR_ARG(ours)),
                           .why = S("Another release of Redis, a key that was evicted or lost, or one that the log "
                                    "does not tell of. The lock is judged again from when it is surely free.") });
    for (size_t i = 0; i < q->claim_count; i++) {
        q->locks[i]->sure = false;
        q->locks[i]->sure_us = q->at_us + (q->claims[i].lease_ms > 0 ? q->claims[i].lease_ms : 30000) * 1000;
    }
}

static bool same_words(const effect *x, const record *r)
{
    if (x->argc != r->argc)
        return false;
    for (size_t i = 0; i < x->argc; i++)
        if (i ? !str_eq(x->argv[i], r->argv[i]) : !str_eq_nocase(x->argv[i], r->argv[i]))
            return false;
    return true;
}

static void lua_line(tracer *t, const record *r)
{
    asked *q = &t->q;
    t->counts.lua_seen = true;
    if (!q->open || !q->script)
        return;                        /* of a script that is about no lock, or that began before the log */
    if (!q->follows && q->matched < q->effect_count && same_words(&q->effects[q->matched], r)) {
        q->freed |= str_eq_nocase(r->argv[0], S("del")) || str_eq_nocase(r->argv[0], S("unlink"));
        q->matched++;
        return;
    }
    if (!q->follows) {
        str ours = q->matched < q->effect_count ? words_text(q->memory, q->effects[q->matched].argv,
                                                             q->effects[q->matched].argc) : S("ends");
        differ(t, r->line, t->last_us, words_text(q->memory, r->argv, r->argc), ours);
        q->follows = true;
        drop_keys(t, q);
        for (size_t i = 0; i < q->matched; i++)
            follow(t, r->db, q->effects[i].argv, q->effects[i].argc);
    }
    follow(t, r->db, r->argv, r->argc);
}

/* ---- a request ends ---- */

/* The request has written nothing, so the view is what it was when the lock was looked at last, but for its key's TTL:
 * who is refused costs no second look. Not where other keys tell of it, too, or fields may end at their own times. */
static bool is_as_it_was(const tracer *t, const traced *l, lock_view *out)
{
    const asked *q = &t->q;
    int64_t now_ms = q->at_us / 1000;
    spec_kind spec = family_spec(l->f);
    bool timed = l->now.deadline_ms != INT64_MAX;
    bool fields_end = dialect_has(t->o.dialect, (dialect_since){ .redis = 704, .valkey = 900 });
    if (fields_end || q->wrote || q->follows || !q->known || l->keys || !l->now.memory || l->now.v.permits ||
        (spec != SPEC_MUTEX && spec != SPEC_REENTRANT) || (timed && l->now.deadline_ms < now_ms))
        return false;
    *out = l->now.v;
    out->ttl_ms = timed ? l->now.deadline_ms - now_ms : out->ttl_ms;
    return true;
}

static bool look_and_judge(tracer *t, traced *l, const claim *c)
{
    lock_view v;
    arena_reset(t->scratch);
    if (!is_as_it_was(t, l, &v) && !locks_look(t, l, t->q.at_us / 1000, &v))
        return false;
    judge_claim(t, l, c, &v);
    return true;
}

static bool settle(tracer *t)
{
    asked *q = &t->q;
    if (!q->open)
        return true;
    q->open = false;
    bool told = q->script && t->counts.lua_seen && !q->proven && !t->ends;  /* the log may end within a script */
    if (told && !q->follows && q->matched < q->effect_count) {
        q->open = true;
        differ(t, q->line, q->at_us, q->matched ? S("nothing more of that script") : S("nothing of that script"),
               words_text(q->memory, q->effects[q->matched].argv, q->effects[q->matched].argc));
        q->follows = true;
        drop_keys(t, q);
        for (size_t i = 0; i < q->matched; i++)
            follow(t, q->db, q->effects[i].argv, q->effects[i].argc);
        q->open = false;
    }
    q->proven |= told && !q->follows && q->effect_count > 0;
    t->counts.compared += told && q->known && q->claim_count > 0;
    tell_failed(t);
    for (size_t i = 0; i < q->claim_count; i++)
        if (!look_and_judge(t, q->locks[i], &q->claims[i]))
            return false;
    return true;
}

/* Leases end and silent waiters are forgotten, each at its time. */
static bool wake_until(tracer *t, int64_t at_us)
{
    while (t->heap_count > 0 && t->heap[0]->wake_us <= at_us) {
        traced *l = t->heap[0];
        lock_view v;
        int64_t now_us = l->wake_us > t->last_us ? l->wake_us : t->last_us;
        t->last_us = now_us;
        locks_wake(t, l, NEVER_US);
        arena_reset(t->scratch);
        if (!locks_look(t, l, now_us / 1000, &v))
            return false;
        t->clock = true;
        judge_lapse(t, l, now_us, &v);
        t->clock = false;
    }
    return true;
}

static void note_disorder(tracer *t, const record *r)
{
    if (t->counts.backwards++ > 0)
        return;
    arena_reset(t->scratch);
    find(t, (finding){ .kind = FOUND_DISORDER, .at_us = t->last_us, .line = r->line,
                       .text = arena_printf(t->scratch, "This line is %" PRId64 ".%03d ms earlier than the one before "
                                            "it.",
                                            (t->last_us - r->at_us) / 1000, (int)((t->last_us - r->at_us) % 1000)),
                       .why = S("The order of the lines is taken for the order of execution, and time does not go "
                                "back.") });
}

/* Expired keys are removed when they are accessed; a latch is never accessed again. A second's keys are checked within
 * a second. */
static void reap(tracer *t)
{
    enum { KEYS_MAX = 20000, PAUSE_MS = 1000 };
    size_t gone;
    redis_reap(t->server, t->last_us / 1000, KEYS_MAX, &gone);
    t->reap_ms = t->last_us / 1000 + (gone > KEYS_MAX / 4 ? 1 : PAUSE_MS);
}

bool tracer_take(tracer *t, const record *r, err *e)
{
    t->e = e;
    if (t->counts.begin_us == RECORD_UNKNOWN)
        t->counts.begin_us = t->last_us = r->at_us;
    if (r->lua) {
        lua_line(t, r);
        return true;
    }
    if (!settle(t))
        return false;
    if (r->at_us < t->last_us)
        note_disorder(t, r);
    else if (!wake_until(t, r->at_us))
        return false;
    else
        t->last_us = r->at_us;
    t->counts.end_us = t->last_us;
    if (t->last_us / 1000 >= t->reap_ms)
        reap(t);
    if (t->blocked_count)
        redis_timeouts(t->server, t->last_us / 1000);
    begin(t, r);
    return true;
}

bool tracer_end(tracer *t, err *e)
{
    t->e = e;
    t->ends = true;
    if (!settle(t))
        return false;
    judge_end(t);
    return true;
}
