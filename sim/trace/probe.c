/* probe.c - see probe.h. The driver runs twice, with other names and at another time: words that differ between the
 * runs are no literals. Three threads make every call that most drivers have: one holds long enough for renewals, one
 * gives up waiting, one waits and gets the lock; at the end the lock is taken by force. */
#include "trace/probe.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "client/load.h"
#include "scenario/source.h"
#include "script/script.h"

enum { STEPS_MAX = 20000, STEPS_AT_ONCE_MAX = 300, REQUESTS_MAX = 4000 };


/* Names that no driver contains. */
typedef struct {
    const char *client, *who, *lock;
    int64_t start_ms;
} marks;
static const marks MARKS[] = {
    { "Qprobe", "Qprobe:", "xQlockQx", INT64_C(1700000000000) },
    { "Zother", "Zother:", "yZmutexZyy", INT64_C(1700000456789) },
};

static const char PROGRAM[] =
    "local given = require \"%.*s\"\n"
    "local driver = given\n"
    "if type(given) ~= \"table\" then error(\"a lock table or a driver is expected: a Lua file that returns a table\") "
        "end\n"
    "if given.lock == nil and given.acquire == nil then\n"
    "  error(\"its driver has no lock(me, name): of semaphores, read-write locks and their like a log cannot be "
        "judged\")\n"
    "end\n"
    "if given.lock == nil then driver = require(\"generic\").lock(given) end\n"
    "return { title = \"probe\", clients = { { \"%s\", threads = 3 } }, program = function(me)\n"
    "  local lock = driver.lock(me, \"%s\", {})\n"
    "  local function try(name, ms) if lock[name] ~= nil then pcall(lock[name], lock, ms) end end\n"
    "  if me.id == \"%s1\" then\n"
    "    try(\"acquire\") me:sleep(4000000) try(\"release\") me:sleep(10000) try(\"acquire\") try(\"force_release\")\n"
    "  elseif me.id == \"%s2\" then\n"
    "    me:sleep(100) try(\"try_acquire\", 300) try(\"release\")\n"
    "  else\n"
    "    me:sleep(3999900) try(\"acquire\") try(\"release\")\n"
    "  end\n"
    "end }\n";

typedef struct {
    str op, lock, sha;
    str *argv;
    size_t argc, keys_n;
    int64_t lease_ms;
} sent_request;

struct probe {
    arena *memory;
    const marks *marks;
    scenario *sc;
    process *p;
    redis *server;
    redis_conn *commands, *listener;
    outputs out;
    size_t taken;          /* of out.items */
    uint32_t *asked;       /* numbers of requests to be executed */
    const request **asked_what;
    size_t asked_count, asked_cap, asked_next;
    struct { str channel, payload, pattern; } *mail;
    size_t mail_count, mail_cap, mail_next;
    int64_t now_ms;
    sent_request *requests;
    size_t request_count, request_cap;
    bool cuts;
};

/* ---- one run ---- */

static void on_message(void *context, uint32_t conn, str channel, str payload, str pattern)
{
    probe *p = context;
    (void)conn;
    p->mail = mem_reserve(p->mail, &p->mail_cap, p->mail_count + 1, sizeof *p->mail);
    p->mail[p->mail_count].channel = arena_str(p->memory, channel);
    p->mail[p->mail_count].payload = arena_str(p->memory, payload);
    p->mail[p->mail_count++].pattern = pattern.p ? arena_str(p->memory, pattern) : pattern;
}

static void note(probe *p, const request *r)
{
    if (p->request_count == REQUESTS_MAX)
        return;
    MEM_RESERVE(p->requests, p->request_cap, p->request_count + 1);
    sent_request *s = &p->requests[p->request_count++];
    *s = (sent_request){ .op = arena_str(p->memory, r->op), .lock = arena_str(p->memory, r->lock),
                         .lease_ms = r->lease_ms, .argc = r->argc,
                         .sha = r->script ? arena_str(p->memory, str_from(r->script->sha1)) : S("") };
    s->argv = ARENA_ARRAY(p->memory, str, r->argc + 1);
    for (size_t i = 0; i < r->argc; i++)
        s->argv[i] = arena_str(p->memory, r->argv[i]);
    for (size_t i = 0; r->script && r->argc > 2 && i < r->argv[2].n; i++)
        s->keys_n = s->keys_n * 10 + (size_t)(r->argv[2].p[i] - '0');
}

static void take_outputs(probe *p)
{
    for (; p->taken < p->out.count; p->taken++) {
        const output *o = &p->out.items[p->taken];
        if (o->kind != OUTPUT_REQUEST)
            continue;
        note(p, o->request);
        size_t cap = p->asked_cap;
        p->asked = mem_reserve(p->asked, &cap, p->asked_count + 1, sizeof *p->asked);
        p->asked_what = mem_reserve(p->asked_what, &p->asked_cap, p->asked_count + 1, sizeof(const request *));
        p->asked[p->asked_count] = o->request->id;
        p->asked_what[p->asked_count++] = o->request;
    }
}

static bool execute_next(probe *p, err *e)
{
    const request *r = p->asked_what[p->asked_next];
    uint32_t id = p->asked[p->asked_next++];
    bool listens = r->kind == REQUEST_SUBSCRIBE || r->kind == REQUEST_UNSUBSCRIBE;
    str why;
    arena *a = arena_new();
    if (r->script)
        redis_load_script(p->server, r->script->body, a, &why);
    redis_conn *c = listens ? p->listener : p->commands;
    reply answer = redis_execute(p->server, c, r->argv, r->argc, p->now_ms, a);
    bool ok = redis_waits(c) ? process_give_up(p->p, id, S("timeout"), p->now_ms, &p->out, e)
                             : process_answer(p->p, id, &answer, p->now_ms, &p->out, e);
    if (redis_waits(c))
        redis_unblock(p->server, c, false, p->now_ms);
    arena_free(a);
    return ok;
}

/* The first task that can go on at once, or the first to wake. NULL: none ever will. */
static const task_view *next_task(probe *p, bool at_once)
{
    const task_view *tasks, *first = NULL;
    size_t n = process_tasks(p->p, &tasks);
    for (size_t i = 0; i < n; i++) {
        const task_view *t = &tasks[i];
        bool ready = t->status == TASK_READY || t->status == TASK_CHOOSE || t->status == TASK_WORK;
        bool timed = t->status == TASK_SLEEP || (t->status == TASK_WAIT && t->wake_ms != INT64_MAX);
        if (at_once ? ready || (timed && t->wake_ms <= p->now_ms) : timed && t->wake_ms > p->now_ms &&
            (!first || t->wake_ms < first->wake_ms)) {
            first = t;
            if (at_once)
                break;
        }
    }
    return first;
}

static bool run(probe *p, err *e)
{
    size_t at_once = 0;
    for (size_t steps = 0; steps < STEPS_MAX; steps++) {
        bool ok = true;
        const task_view *t;
        take_outputs(p);
        if (p->asked_next < p->asked_count) {
            ok = execute_next(p, e);
        } else if (p->mail_next < p->mail_count) {
            size_t i = p->mail_next++;
            ok = process_message(p->p, 0, p->mail[i].channel, p->mail[i].payload, p->mail[i].pattern, p->now_ms,
                                 &p->out, e);
        } else if (at_once++ < STEPS_AT_ONCE_MAX && (t = next_task(p, true)) != NULL) {
            ok = t->status == TASK_CHOOSE ? process_choose(p->p, t->id, 0, p->now_ms, &p->out, e)
                 : process_run(p->p, t->id, p->now_ms, &p->out, e);
        } else {
            if (!(t = next_task(p, false)))
                return true;
            p->now_ms = t->wake_ms;
            at_once = 0;
        }
        if (!ok)
            return false;
    }
    return true;
}

static probe *probe_run(const marks *m, str module, const loader *l, err *e)
{
    arena *a = arena_new();
    probe *p = ARENA_NEW(a, probe);
    *p = (probe){ .memory = a, .marks = m, .now_ms = m->start_ms, .sc = ARENA_NEW(a, scenario),
                  .out = { .memory = a } };
    str text = arena_printf(a, PROGRAM, STR_ARG(module), m->client, m->lock, m->who, m->who);
    if (!scenario_load(a, l, S("the lock table"), text, p->sc, e) ||
        !(p->p = process_new(p->sc, l, 0, 0, m->start_ms, e))) {
        probe_free(p);
        return NULL;
    }
    p->server = redis_new((redis_limits){ 0 });
    p->commands = redis_connect(p->server, 1);
    p->listener = redis_connect(p->server, 2);
    redis_observe(p->server, &(redis_observer){ .context = p, .message = on_message });
    if (run(p, e))
        return p;
    probe_free(p);
    return NULL;
}

void probe_free(probe *p)
{
    if (!p)
        return;
    process_free(p->p);
    if (p->server)
        redis_free(p->server);
    mem_free(p->asked);
    mem_free((void *)p->asked_what);
    mem_free(p->mail);
    mem_free(p->requests);
    arena_free(p->memory);
}

/* ---- what words mean ---- */

static deed_kind deed_of(str op)
{
    static const struct { const char *word; deed_kind deed; } words[] = {
        { "force_release", DEED_FORCE_RELEASE }, { "force_unlock", DEED_FORCE_RELEASE }, { "acquire", DEED_ACQUIRE },
        { "try_acquire", DEED_ACQUIRE },
        { "try_once", DEED_ACQUIRE }, { "try_lock", DEED_ACQUIRE }, { "lock", DEED_ACQUIRE },
        { "release", DEED_RELEASE }, { "unlock", DEED_RELEASE },
        { "renew", DEED_RENEW }, { "extend", DEED_RENEW }, { "abandon", DEED_ABANDON }, { "leave", DEED_ABANDON },
    };
    for (size_t i = 0; i < COUNT(words); i++) {
        str w = str_from(words[i].word);
        if (str_eq(op, w) || (str_starts(op, w) && op.p[w.n] == '_'))
            return words[i].deed;
    }
    return DEED_OTHER;
}

static bool contains(str s, str part, size_t *at)
{
    for (*at = 0; *at + part.n <= s.n; ++*at)
        if (memcmp(s.p + *at, part.p, part.n) == 0)
            return true;
    return false;
}

static bool reads_number(str word, int64_t n)
{
    char digits[24];
    int len = snprintf(digits, sizeof digits, "%" PRId64, n);
    return n > 0 && str_eq(word, (str){ .p = digits, .n = (size_t)len });
}

static meaning meaning_of(const probe *p, const sent_request *s, str word, str other)
{
    str lock = str_from(p->marks->lock), who = str_from(p->marks->who);
    size_t at;
    if (contains(word, lock, &at))
        return (meaning){ .kind = MEANS_LOCK, .text = str_slice(word, 0, at),
                          .after = str_slice(word, at + lock.n, word.n) };
    if (str_starts(word, who) && word.n > who.n && (word.n == who.n + 1 || word.p[who.n + 1] == '/'))
        return (meaning){ .kind = MEANS_OWNER };
    if (reads_number(word, s->lease_ms))
        return (meaning){ .kind = MEANS_LEASE_MS };
    if (s->lease_ms % 1000 == 0 && reads_number(word, s->lease_ms / 1000))
        return (meaning){ .kind = MEANS_LEASE_S };
    if (str_eq(word, other))
        return (meaning){ .kind = MEANS_LITERAL, .text = word };
    return (meaning){ .kind = MEANS_ANY };
}

static bool same_shape(const shape *x, const shape *y)
{
    if (x->sha.n || y->sha.n)
        return str_eq(x->sha, y->sha);
    if (x->count != y->count)
        return false;
    for (size_t i = 0; i < x->count; i++)
        if (x->words[i].kind != y->words[i].kind || !str_eq(x->words[i].text, y->words[i].text) ||
            !str_eq(x->words[i].after, y->words[i].after))
            return false;
    return true;
}

static str keep_text(arena *a, str s)
{
    return s.p ? arena_str(a, s) : s;
}

/* The word that names the lock: the one that equals its bare name, else the first that contains it. */
static void place_roles(shape *s)
{
    size_t end = s->sha.n ? 3 + s->keys_n : s->count;
    for (size_t i = s->sha.n ? 3 : 1; i < s->count; i++) {
        const meaning *m = &s->words[i];
        bool bare = m->kind == MEANS_LOCK && m->text.n + m->after.n == 0;
        bool was_bare = s->lock_at && s->words[s->lock_at].text.n + s->words[s->lock_at].after.n == 0;
        if (m->kind == MEANS_LOCK && i < end && (!s->lock_at || (bare && !was_bare)))
            s->lock_at = i;
        if (m->kind == MEANS_OWNER && !s->owner_at)
            s->owner_at = i;
        if ((m->kind == MEANS_LEASE_MS || m->kind == MEANS_LEASE_S) && !s->lease_at)
            s->lease_at = i;
    }
}

static shape shape_of(arena *a, const probe *p, const sent_request *s, const sent_request *other)
{
    shape out = { .sha = arena_str(a, s->sha), .op = arena_str(a, s->op), .deed = deed_of(s->op), .count = s->argc,
                  .keys_n = s->keys_n };
    out.words = ARENA_ARRAY(a, meaning, s->argc + 1);
    out.sets = s->sha.n == 0 && s->argc >= 3 && str_eq_nocase(s->argv[0], S("set"));
    for (size_t i = 0; i < s->argc; i++) {
        meaning m = meaning_of(p, s, s->argv[i], other && i < other->argc ? other->argv[i] : S(""));
        out.words[i] = (meaning){ .kind = m.kind, .text = keep_text(a, m.text), .after = keep_text(a, m.after) };
    }
    place_roles(&out);
    return out;
}

/* The requests that the driver sends about the lock, each kind once. Requests without a lock, and those whose words do
 * not contain its name, are skipped. */
static size_t shapes_of(arena *a, const probe *p, const probe *other, shape **out)
{
    enum { SHAPES_MAX = 64 };
    shape *list = ARENA_ARRAY(a, shape, SHAPES_MAX);
    size_t n = 0;
    for (size_t i = 0; i < p->request_count && n < SHAPES_MAX; i++) {
        shape s = shape_of(a, p, &p->requests[i], i < other->request_count ? &other->requests[i] : NULL);
        /* A table without a script for it deletes the key: in a log, a DEL is no lock's own word. */
        bool known = s.lock_at == 0 || (s.deed == DEED_FORCE_RELEASE && s.sha.n == 0);
        for (size_t k = 0; k < n && !known; k++)
            known = same_shape(&list[k], &s);
        if (!known)
            list[n++] = s;
    }
    *out = list;
    return n;
}

/* ---- the view ---- */

static reply read_probe(void *context, uint32_t server, const str *argv, size_t argc, arena *a)
{
    probe *p = context;
    (void)server;
    return redis_execute(p->server, p->commands, argv, argc, p->now_ms, a);
}

/* Does the view cut an owner's token at its first "/"? Asked with a lock in which a token of that form lies: as a
 * string or in a hash. */
static bool find_cuts(probe *p, err *e)
{
    arena *a = arena_new();
    str token = S("owner/rest"), lock = str_from(p->marks->lock);
    str set[] = { S("set"), lock, token }, hset[] = { S("hset"), lock, token, S("1") }, flush[] = { S("flushall") };
    lock_view v;
    bool ok = true;
    for (int i = 0; i < 2 && ok; i++) {
        redis_execute(p->server, p->commands, flush, COUNT(flush), p->now_ms, a);
        redis_execute(p->server, p->commands, i ? hset : set, i ? COUNT(hset) : COUNT(set), p->now_ms, a);
        ok = process_view_named(p->p, lock, p->now_ms, read_probe, p, a, &v, e);
        p->cuts |= ok && v.holder_count == 1 && str_eq(v.holders[0].id, S("owner"));
        if (!ok && i == 0)             /* a view may reject a value that its lock never has */
            err_clear(e);
        ok |= i == 0;
    }
    err_clear(e);
    arena_free(a);
    return true;
}

probe *probe_new(arena *a, str module, const loader *l, shape **shapes, size_t *count, err *e)
{
    const observed *seen;
    probe *p = probe_run(&MARKS[0], module, l, e), *other = p ? probe_run(&MARKS[1], module, l, e) : NULL;
    if (p && other && process_observed(p->p, &seen) == 0)
        err_set(e, ERR_SCENARIO, "%.*s: its driver observes no lock (me:observe): its holder cannot be told",
                STR_ARG(module));
    if (other && e->class_ == ERR_NONE) {
        *count = shapes_of(a, p, other, shapes);
        if (*count == 0)
            err_set(e, ERR_SCENARIO, "%.*s: its driver sends no request that names the lock", STR_ARG(module));
    }
    probe_free(other);
    if (p && e->class_ == ERR_NONE && find_cuts(p, e))
        return p;
    probe_free(p);
    return NULL;
}

process *probe_process(probe *p)
{
    return p->p;
}

spec_kind probe_spec(const probe *p)
{
    const observed *seen;
    return process_observed(p->p, &seen) ? seen[0].spec : SPEC_NONE;
}

bool probe_cuts_owners(const probe *p)
{
    return p->cuts;
}

void probe_each_script(const probe *p, void (*fn)(void *context, const script_file *s), void *context)
{
    arena *a = arena_new();
    const script_file **list;
    size_t n = source_scripts(p->sc->sources, a, &list);
    for (size_t i = 0; i < n; i++)
        fn(context, list[i]);
    arena_free(a);
}
