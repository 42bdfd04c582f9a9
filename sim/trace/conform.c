/* conform.c - see conform.h. Depth first: the process takes one input after the other until the request that the log
 * has next is among those that it has sent; where it cannot, it is made new, takes the same inputs up to the last
 * choice, and another one. */
#include "trace/conform.h"

#include <inttypes.h>
#include <string.h>
#include <uthash.h>
#include <xxhash.h>

#include "base/mem.h"
#include "client/load.h"
#include "client/process.h"
#include "redis/redis.h"
#include "script/script.h"

/* A timer may fire so much early, by the rounding of clocks. Within so many inputs a driver sends something. So far
 * ahead in the log a request is looked for that is on its way. */
enum { EARLY_MS = 2, INPUTS_MAX = 60, AHEAD_MAX = 4, LOST_MAX = 2, TRIES_MAX = 20000, WOULD_MAX = 3, OUT_MAX = 32 };

#define ANY_SCRIPT SIZE_MAX

typedef struct {
    size_t line;
    int64_t at_ms;
    str *argv;
    size_t argc, shape;    /* 0: none of the driver's, but maybe one of its scripts; ANY_SCRIPT: a script of another
                            * text, which may be one of its */
    deed_kind deed;        /* as the server's account shows it */
    str sha;
    claim claim;
    str token;             /* the word that names its owner, as it stands there; "": none does */
    reply answer;
} heard;

typedef struct {
    UT_hash_handle hh;
    str id, lock, owner;
    heard *list;
    size_t count, cap;
    bool begun;
} sequence;

typedef struct {
    int64_t at_ms;
    str channel, payload;
} published;

typedef enum { INPUT_RUN, INPUT_CHOOSE, INPUT_ANSWER, INPUT_MESSAGE, INPUT_LOST } input_kind;
typedef struct {
    input_kind kind;
    uint32_t what;         /* task, request or message */
    size_t choice;         /* of INPUT_CHOOSE; of INPUT_ANSWER the request of the log */
    int64_t at_ms;
} input;

/* After so many inputs: what else could have been next. */
typedef struct {
    input *others;
    size_t count, next;
} fork_point;

/* A request that is on its way. */
typedef struct {
    uint32_t id;
    int64_t sent_ms, timeout_ms;
    claim claim;
    size_t shape;
    str token;
    str sha;               /* "": a command */
    str text;
} on_way;

/* A state with a choice that was met before: nothing new follows. */
typedef struct met_state {
    UT_hash_handle hh;
    XXH128_hash_t print;
} met_state;

struct conform {
    const family *driver;
    arena *memory, *scratch;
    sequence *sequences;
    published *published;
    size_t published_count, published_cap;
    conform_counts counts;
    /* of the one that is being looked at */
    const sequence *s;
    scenario *sc;
    process *p;
    redis *server;         /* for what is about no lock */
    arena *outputs_memory;
    outputs out;
    on_way way[OUT_MAX];
    size_t way_count, at, quiet, lost;
    size_t message_next;   /* of `published` */
    str channels[8];
    size_t channel_count;
    int64_t now_ms;
    str token;             /* its word for the owner of the log's first request */
    bool idle;             /* since the last call it has sent nothing */
    bool dead;             /* it sent what the log does not have */
    input *path;
    size_t path_count, path_cap;
    fork_point *forks;
    size_t fork_cap;
    met_state *met;
    size_t best;           /* of the log's requests so many were explained */
    str would[WOULD_MAX];
    size_t would_count;
    int64_t would_wait_ms; /* until then it would have sent nothing; 0: unknown */
    str unknown;           /* what it asks for that the log does not tell */
    uint64_t tries;
};

conform *conform_new(const family *driver)
{
    conform *c = mem_zero(sizeof *c);
    c->driver = driver;
    c->memory = arena_new();
    c->scratch = arena_new();
    return c;
}

void conform_free(conform *c)
{
    sequence *s, *next;
    if (!c)
        return;
    HASH_ITER(hh, c->sequences, s, next) {
        HASH_DEL(c->sequences, s);
        mem_free(s->list);
        mem_free(s);
    }
    for (size_t i = 0; i < c->fork_cap; i++)
        mem_free(c->forks[i].others);
    mem_free(c->forks);
    mem_free(c->path);
    mem_free(c->published);
    arena_free(c->memory);
    arena_free(c->scratch);
    mem_free(c);
}

/* The view may name an owner by a part of it: two acquisitions of one owner differ in it. */
static str token_of(const family *f, const str *argv, size_t argc, str owner)
{
    for (size_t i = 1; owner.n && i < argc; i++)
        if (str_eq(family_owner(f, argv[i]), owner))
            return argv[i];
    return S("");
}

/* ---- what the log has ---- */

static sequence *sequence_of(conform *c, const seen_request *r)
{
    buf id = { 0 };
    sequence *s;
    buf_printf(&id, "%d %zu ", r->db, r->lock.n);
    buf_add(&id, r->lock);
    buf_add(&id, r->who);
    HASH_FIND(hh, c->sequences, id.p, id.n, s);
    if (!s) {
        s = mem_zero(sizeof *s);
        s->id = arena_str(c->memory, buf_str(&id));
        s->lock = arena_str(c->memory, r->lock);
        s->owner = arena_str(c->memory, r->who);
        HASH_ADD_KEYPTR(hh, c->sequences, s->id.p, s->id.n, s);
    }
    buf_free(&id);
    return s;
}

void conform_add(conform *c, const seen_request *r)
{
    if (!r->owner)
        return;
    sequence *s = sequence_of(c, r);
    claim found;
    size_t shape = family_shape(c->driver, r->argv, r->argc, r->sha, &found);
    s->begun |= r->deed == DEED_ACQUIRE && r->had == 0;
    bool looks = !shape && !r->sha.n && !redis_command_writes(r->argv[0]);         /* anybody may: GET, PTTL */
    if (!s->begun || looks || c->counts.requests == CONFORM_REQUESTS_MAX || r->waits) {
        c->counts.passed_over++;
        return;
    }
    c->counts.requests++;
    MEM_RESERVE(s->list, s->cap, s->count + 1);
    heard *h = &s->list[s->count++];
    *h = (heard){ .line = r->line, .at_ms = r->at_us / 1000, .argc = r->argc, .deed = r->deed,
                  .sha = arena_str(c->memory, r->sha),
                  .shape = !shape && r->sha.n && !family_knows_script(c->driver, r->sha) ? ANY_SCRIPT : shape,
                  .argv = ARENA_ARRAY(c->memory, str, r->argc), .answer = reply_copy(c->memory, r->answer) };
    for (size_t i = 0; i < r->argc; i++)
        h->argv[i] = arena_str(c->memory, r->argv[i]);
    h->token = shape ? token_of(c->driver, h->argv, h->argc, found.owner) : S("");
    h->claim = (claim){ .op = found.op, .deed = found.deed, .lock = arena_str(c->memory, shape ? found.lock : S("")),
                        .lease_ms = found.lease_ms };
}

void conform_published(conform *c, int64_t at_us, str channel, str payload)
{
    if (c->published_count == CONFORM_REQUESTS_MAX)
        return;
    MEM_RESERVE(c->published, c->published_cap, c->published_count + 1);
    c->published[c->published_count++] = (published){ .at_ms = at_us / 1000, .channel = arena_str(c->memory, channel),
                                                      .payload = arena_str(c->memory, payload) };
}

/* ---- the driver, called in any way ---- */

/* A lock object for each lease that the owner asked for, and one that names none. */
static const char PROGRAM[] =
    "local driver = require \"%.*s\"\n"
    "if driver.lock == nil then driver = require(\"generic\").lock(driver) end\n"
    "local calls = { { \"acquire\" }, { \"release\" }, { \"try_acquire\", 1000000000 }, { \"try_acquire\", 0 },\n"
    "  { \"try_acquire\", 500 }, { \"try_acquire\", 1000 }, { \"try_acquire\", 3000 }, { \"try_acquire\", 5000 },\n"
    "  { \"extend\", 1000 }, { \"renew\" }, { \"reacquire\" }, { \"try_acquire\", 10000 },\n"
    "  { \"try_acquire\", 30000 }, { \"try_acquire\", 60000 }, { \"force_release\" } }\n"
    "return { title = \"conform\", clients = { \"Q\" }, program = function(me)\n"
    "  local known, places = {}, {}\n"
    "  for _, options in ipairs { %s } do\n"
    "    local lock = driver.lock(me, \"%s\", options)\n"
    "    for _, call in ipairs(calls) do\n"
    "      if lock[call[1]] ~= nil then known[#known + 1] = { lock, call } places[#known] = #known end\n"
    "    end\n"
    "  end\n"
    "  local function call_one()\n"
    "    local one = known[me:choose(places)]\n"
    "    pcall(one[1][one[2][1]], one[1], one[2][2])\n"
    "  end\n"
    "  while true do me:work() call_one() end\n"
    "end }\n";

static str lua_text(arena *a, str s)
{
    buf b = { 0 };
    for (size_t i = 0; i < s.n; i++)
        buf_printf(&b, "\\%03u", (unsigned char)s.p[i]);
    str out = arena_str(a, buf_str(&b));
    buf_free(&b);
    return out;
}

static void note_would(conform *c, str text)
{
    if (c->at < c->best || c->would_count == WOULD_MAX)
        return;
    for (size_t i = 0; i < c->would_count; i++)
        if (str_eq(c->would[i], text))
            return;
    c->would[c->would_count++] = arena_str(c->scratch, text);
}

/* The same library's script of another release, or written in another way, is known by what it did only. */
static bool matches(const conform *c, const on_way *w, const heard *h)
{
    str first = c->s->list[0].token;
    if (c->token.n && w->token.n && h->token.n && str_eq(h->token, first) != str_eq(w->token, c->token))
        return false;
    if (h->shape == ANY_SCRIPT)
        return w->sha.n > 0 && (h->deed == DEED_OTHER || h->deed == w->claim.deed);
    if (w->shape == 0)
        return w->sha.n > 0 && str_eq_nocase(w->sha, h->sha);
    return w->shape > 0 && w->shape == h->shape && w->claim.lease_ms == h->claim.lease_ms &&
           str_eq(w->claim.lock, h->claim.lock);
}

static str request_text(arena *a, const request *r, str op)
{
    enum { WORDS_MAX = 8, WORD_BYTES_MAX = 40 };
    buf b = { 0 };
    size_t from = r->script ? 3 : 0;               /* a script is known by what it is for */
    buf_add(&b, op);
    buf_addz(&b, " (");
    for (size_t i = from; i < r->argc && i < WORDS_MAX; i++) {
        buf_addz(&b, i > from ? " " : "");
        buf_add(&b, str_slice(r->argv[i], 0, WORD_BYTES_MAX));
    }
    buf_addz(&b, r->argc > WORDS_MAX ? " ...)" : ")");
    str out = arena_str(a, buf_str(&b));
    buf_free(&b);
    return out;
}

/* Does the log have it now, or soon? */
static bool comes(const conform *c, const on_way *w)
{
    for (size_t i = c->at; i < c->s->count && i < c->at + AHEAD_MAX; i++)
        if (matches(c, w, &c->s->list[i]))
            return true;
    return c->at + AHEAD_MAX > c->s->count;        /* at the log's end it may come later */
}

/* It is about no lock, and the log may not tell of it: a subscription, the loading of a script, another command. A
 * server that knows nothing of the log's answers. */
static bool answer_aside(conform *c, const request *r, err *e)
{
    bool listens = r->kind == REQUEST_SUBSCRIBE || r->kind == REQUEST_UNSUBSCRIBE;
    for (size_t i = 1; i < r->argc && r->kind == REQUEST_SUBSCRIBE && c->channel_count < COUNT(c->channels); i++)
        c->channels[c->channel_count++] = arena_str(c->outputs_memory, r->argv[i]);
    bool loads = r->argc > 1 && str_eq_nocase(r->argv[1], S("load"));
    if (!listens && !loads && !c->unknown.n)
        c->unknown = request_text(c->memory, r, r->op);
    redis_conn *conn = redis_connect(c->server, r->id);
    reply answer = redis_execute(c->server, conn, r->argv, r->argc, c->now_ms, c->outputs_memory);
    if (redis_waits(conn))
        redis_unblock(c->server, conn, false, c->now_ms);
    redis_disconnect(c->server, conn);
    return process_answer(c->p, r->id, &answer, c->now_ms, &c->out, e);
}

/* What it sent goes on its way; what is no request of the lock is answered at once. */
static bool take_outputs(conform *c, err *e)
{
    for (size_t i = 0; i < c->out.count; i++) {
        if (c->out.items[i].kind != OUTPUT_REQUEST)
            continue;
        const request *r = c->out.items[i].request;
        c->idle = false;
        on_way w = { .id = r->id, .sent_ms = c->now_ms, .timeout_ms = r->timeout_ms,
                     .sha = r->script ? str_from(r->script->sha1) : S("") };
        w.shape = family_shape(c->driver, r->argv, r->argc, w.sha, &w.claim);
        if (!w.shape)
            w.claim.deed = str_starts(r->op, S("renew")) || str_starts(r->op, S("extend")) ? DEED_RENEW : DEED_OTHER;
        w.token = w.shape ? arena_str(c->outputs_memory, token_of(c->driver, r->argv, r->argc, w.claim.owner)) : S("");
        w.claim.lock = arena_str(c->outputs_memory, w.shape ? w.claim.lock : S(""));
        w.text = request_text(c->outputs_memory, r, r->op);
        if (!w.shape && !w.sha.n) {
            if (!answer_aside(c, r, e))
                return false;
            continue;
        }
        if (c->way_count == OUT_MAX || !comes(c, &w)) {
            note_would(c, w.text);
            c->dead = true;
            continue;
        }
        c->way[c->way_count++] = w;
    }
    c->out.count = 0;
    return true;
}

static void forget_way(conform *c, uint32_t id)
{
    for (size_t i = 0; i < c->way_count; i++)
        if (c->way[i].id == id) {
            if (c->at == 1 && !c->token.n)
                c->token = c->way[i].token;
            c->way[i] = c->way[--c->way_count];
            return;
        }
}

static bool apply(conform *c, const input *x, err *e)
{
    bool ok = true;
    c->now_ms = x->at_ms > c->now_ms ? x->at_ms : c->now_ms;
    c->quiet++;
    switch (x->kind) {
    case INPUT_RUN: ok = process_run(c->p, x->what, c->now_ms, &c->out, e); break;
    case INPUT_CHOOSE:
        c->dead |= c->idle;            /* a call that sends nothing leads nowhere */
        c->idle = true;
        ok = process_choose(c->p, x->what, x->choice, c->now_ms, &c->out, e);
        break;
    case INPUT_ANSWER:
        c->quiet = 0;
        c->at++;
        forget_way(c, x->what);
        ok = process_answer(c->p, x->what, &c->s->list[x->choice].answer, c->now_ms, &c->out, e);
        break;
    case INPUT_MESSAGE:
        c->message_next = x->what + 1;
        ok = process_message(c->p, 0, c->published[x->what].channel, c->published[x->what].payload, S(""), c->now_ms,
                             &c->out, e);
        break;
    case INPUT_LOST:
        c->lost++;
        forget_way(c, x->what);
        ok = process_give_up(c->p, x->what, S("timeout"), c->now_ms, &c->out, e);
        break;
    }
    return ok && take_outputs(c, e);
}

/* ---- what may come next ---- */

typedef struct {
    input *list;
    size_t count, cap;
} inputs;

static void add(inputs *in, input_kind kind, uint32_t what, size_t choice, int64_t at_ms)
{
    in->list = mem_reserve(in->list, &in->cap, in->count + 1, sizeof *in->list);
    in->list[in->count++] = (input){ .kind = kind, .what = what, .choice = choice, .at_ms = at_ms };
}

static bool listens(const conform *c, str channel)
{
    for (size_t i = 0; i < c->channel_count; i++)
        if (str_eq(c->channels[i], channel))
            return true;
    return false;
}

static void add_message(conform *c, inputs *in, int64_t until_ms)
{
    for (size_t i = c->message_next; c->channel_count && i < c->published_count; i++) {
        if (c->published[i].at_ms > until_ms)
            return;
        if (listens(c, c->published[i].channel) && c->published[i].at_ms >= c->s->list[0].at_ms) {
            add(in, INPUT_MESSAGE, (uint32_t)i, 0, c->published[i].at_ms);
            return;
        }
    }
}

/* One request that the log has next is answered, and one task that is ready runs, before anything else; then there is a
 * choice. */
static void next_inputs(conform *c, inputs *in)
{
    const heard *h = &c->s->list[c->at];
    const task_view *tasks, *timer = NULL;
    size_t n = process_tasks(c->p, &tasks);
    for (size_t i = 0; i < c->way_count; i++)
        if (matches(c, &c->way[i], h)) {
            add(in, INPUT_ANSWER, c->way[i].id, c->at, h->at_ms);
            return;
        }
    for (size_t i = 0; i < n; i++)
        if (tasks[i].status == TASK_READY || tasks[i].status == TASK_POINT) {
            add(in, INPUT_RUN, tasks[i].id, 0, c->now_ms);
            return;
        }
    for (size_t i = 0; i < n; i++) {
        const task_view *t = &tasks[i];
        bool timed = t->status == TASK_SLEEP || (t->status == TASK_WAIT && t->wake_ms != INT64_MAX);
        int64_t wake_ms = t->wake_ms;
        if (t->status == TASK_WORK)
            add(in, INPUT_RUN, t->id, 0, c->now_ms);
        for (size_t k = 0; t->status == TASK_CHOOSE && k < t->choices; k++)
            add(in, INPUT_CHOOSE, t->id, k, c->now_ms);
        if (timed && (!timer || wake_ms < timer->wake_ms))
            timer = t;
    }
    add_message(c, in, h->at_ms);
    if (timer && timer->wake_ms <= h->at_ms + EARLY_MS)
        add(in, INPUT_RUN, timer->id, 0, timer->wake_ms);
    else if (timer && c->at >= c->best)
        c->would_wait_ms = timer->wake_ms;
    for (size_t i = 0; i < c->way_count && c->lost < LOST_MAX; i++)
        if (c->way[i].sent_ms + c->way[i].timeout_ms <= h->at_ms)
            add(in, INPUT_LOST, c->way[i].id, 0, c->way[i].sent_ms + c->way[i].timeout_ms);
}

/* ---- the search ---- */

static void forget_met(conform *c)
{
    met_state *m, *next;
    HASH_ITER(hh, c->met, m, next) {
        HASH_DEL(c->met, m);
        mem_free(m);
    }
}

/* All that what follows depends on. */
static bool is_new(conform *c)
{
    buf b = { 0 };
    err e = { 0 };
    met_state *m;
    bool ok = process_freeze(c->p, c->now_ms, &b, &e);
    err_clear(&e);
    buf_printf(&b, "%zu %zu %zu %zu %d %" PRId64, c->at, c->quiet, c->lost, c->message_next, c->idle, c->now_ms);
    for (size_t i = 0; i < c->way_count; i++)
        buf_printf(&b, "%zu %" PRId64 " %.*s", c->way[i].shape, c->way[i].sent_ms, STR_ARG(c->way[i].text));
    XXH128_hash_t print = XXH3_128bits(b.p, b.n);
    buf_free(&b);
    HASH_FIND(hh, c->met, &print, sizeof print, m);
    if (!ok || !m) {
        m = mem_zero(sizeof *m);
        m->print = print;
        HASH_ADD(hh, c->met, print, sizeof m->print, m);
        return true;
    }
    return false;
}

static void begin(conform *c)
{
    arena_reset(c->outputs_memory);
    c->out = (outputs){ .memory = c->outputs_memory };
    c->way_count = c->at = c->quiet = c->lost = c->channel_count = c->message_next = 0;
    c->now_ms = c->s->list[0].at_ms - 1;
    c->dead = c->idle = false;
    c->token = S("");
    process_rewind(c->p, 0, c->now_ms);
}

static void note_best(conform *c)
{
    if (c->at <= c->best)
        return;
    c->best = c->at;
    c->would_count = 0;
    c->would_wait_ms = 0;
}

static fork_point *fork_at(conform *c, size_t depth)
{
    size_t had = c->fork_cap;
    MEM_RESERVE(c->forks, c->fork_cap, depth + 1);
    memset(c->forks + had, 0, (c->fork_cap - had) * sizeof *c->forks);
    return &c->forks[depth];
}

static void set_fork(conform *c, size_t depth, inputs in)
{
    fork_point *f = fork_at(c, depth);
    mem_free(f->others);
    *f = (fork_point){ .others = in.list, .count = in.count };
}

/* Back to the last choice that has another way. false: there is none. */
static bool back(conform *c, err *e)
{
    size_t depth = c->path_count;
    while (depth > 0 && fork_at(c, depth - 1)->next == fork_at(c, depth - 1)->count)
        depth--;
    if (depth-- == 0)
        return false;
    c->path_count = depth;
    begin(c);
    for (size_t i = 0; i < depth; i++)
        if (!apply(c, &c->path[i], e))
            return false;
    return true;
}

static bool step(conform *c, err *e)
{
    fork_point *f = fork_at(c, c->path_count);
    input x = f->others[f->next++];
    MEM_RESERVE(c->path, c->path_cap, c->path_count + 1);
    c->path[c->path_count++] = x;
    if (!apply(c, &x, e))
        return false;
    note_best(c);
    return true;
}

/* Are all of the log's requests a behaviour? `best` says how many are. */
static bool search(conform *c, err *e)
{
    c->path_count = 0;
    c->tries = 0;
    begin(c);
    while (e->class_ == ERR_NONE && c->tries++ < TRIES_MAX + 40 * c->s->count) {
        inputs in = { 0 };
        if (c->at == c->s->count)
            return true;
        if (!c->dead && c->quiet < INPUTS_MAX)
            next_inputs(c, &in);
        if (in.count > 1 && !is_new(c))
            in.count = 0;
        set_fork(c, c->path_count, in);
        if (in.count == 0) {
            for (size_t i = 0; i < c->way_count; i++)
                note_would(c, c->way[i].text);
            set_fork(c, c->path_count, (inputs){ 0 });
            if (!back(c, e))
                return false;
        }
        if (!step(c, e))
            return false;
    }
    c->tries = UINT64_MAX;
    return false;
}

/* "{}, { lease_ms = 400 }" */
static str leases_text(const conform *c, arena *a)
{
    enum { LEASES_MAX = 3 };
    int64_t leases[LEASES_MAX];
    size_t n = 0;
    buf b = { 0 };
    buf_addz(&b, "{}");
    for (size_t i = 0; i < c->s->count && n < LEASES_MAX; i++) {
        const claim *x = &c->s->list[i].claim;
        size_t k = 0;
        while (k < n && leases[k] != x->lease_ms)
            k++;
        if (k < n || x->deed != DEED_ACQUIRE || x->lease_ms == LEASE_NONE)
            continue;
        leases[n++] = x->lease_ms;
        buf_printf(&b, ", { lease_ms = %" PRId64 " }", x->lease_ms);
    }
    str out = arena_str(a, buf_str(&b));
    buf_free(&b);
    return out;
}

static bool run(conform *c, bool *ok, err *e)
{
    arena *a = arena_new();
    str text = arena_printf(a, PROGRAM, STR_ARG(family_module(c->driver)), leases_text(c, a).p,
                            lua_text(a, c->s->lock).p);
    c->sc = ARENA_NEW(a, scenario);
    c->outputs_memory = arena_new();
    c->server = redis_new((redis_limits){ 0 });
    c->p = scenario_load(a, family_loader(c->driver), S("the driver"), text, c->sc, e)
           ? process_new_kept(c->sc, family_loader(c->driver), 0, 0, c->s->list[0].at_ms, e) : NULL;
    *ok = c->p && search(c, e);
    forget_met(c);
    process_free(c->p);
    redis_free(c->server);
    arena_free(c->outputs_memory);
    arena_free(a);
    return e->class_ == ERR_NONE;
}

/* ---- what is told ---- */

static str when(arena *a, int64_t at_ms, int64_t begin_us)
{
    int64_t ms = at_ms - begin_us / 1000;
    return arena_printf(a, "%" PRId64 ".%03d s", ms / 1000, (int)(ms % 1000));
}

static str sent_text(arena *a, const heard *h)
{
    enum { WORDS_MAX = 8, WORD_BYTES_MAX = 40 };
    buf b = { 0 };
    bool named = h->shape && h->shape != ANY_SCRIPT;
    if (named)
        buf_printf(&b, "%.*s (", STR_ARG(h->claim.op));
    for (size_t i = 0; i < h->argc && i < WORDS_MAX; i++) {
        buf_addz(&b, i ? " " : "");
        buf_add(&b, str_slice(h->argv[i], 0, WORD_BYTES_MAX));
    }
    buf_addz(&b, h->argc > WORDS_MAX ? " ..." : "");
    buf_addz(&b, named ? ")" : "");
    str out = arena_str(a, buf_str(&b));
    buf_free(&b);
    return out;
}

static str would_text(const conform *c, int64_t begin_us)
{
    buf b = { 0 };
    if (c->would_count == 0 && c->would_wait_ms)
        buf_printf(&b, "The driver would send nothing before %.*s.",
                   STR_ARG(when(c->scratch, c->would_wait_ms, begin_us)));
    else if (c->would_count == 0)
        buf_addz(&b, "The driver would send nothing then.");
    for (size_t i = 0; i < c->would_count; i++)
        buf_printf(&b, "%s%.*s", i ? "; or " : "The driver would send ", STR_ARG(c->would[i]));
    if (c->would_count && c->would_wait_ms)
        buf_printf(&b, "; its next timer ends at %.*s", STR_ARG(when(c->scratch, c->would_wait_ms, begin_us)));
    if (c->would_count)
        buf_byte(&b, '.');
    str out = arena_str(c->scratch, buf_str(&b));
    buf_free(&b);
    return out;
}

static void tell(conform *c, void (*found)(void *context, const finding *f), void *context, int64_t begin_us)
{
    const heard *h = &c->s->list[c->best];
    size_t since = c->best ? c->s->list[c->best - 1].line : 0;
    found(context, &(finding){
        .kind = FOUND_STRANGE, .lock = c->s->lock, .at_us = h->at_ms * 1000, .line = h->line, .since = since,
        .text = arena_printf(c->scratch, "%.*s sent %.*s at %.*s, which %.*s would never send there.",
                             STR_ARG(c->s->owner), STR_ARG(sent_text(c->scratch, h)),
                             STR_ARG(when(c->scratch, h->at_ms, begin_us)), STR_ARG(family_name(c->driver))),
        .why = would_text(c, begin_us) });
}

static bool look_at(conform *c, void (*found)(void *context, const finding *f), void *context, int64_t begin_us, err *e)
{
    bool ok;
    c->best = c->would_count = 0;
    c->would_wait_ms = 0;
    c->unknown = S("");
    arena_reset(c->scratch);
    c->counts.owners++;
    if (memchr(c->s->lock.p, 0, c->s->lock.n)) {   /* no scenario's lock has such a name */
        if (c->counts.undecided++ == 0)
            c->counts.undecided_why = S("the lock's name holds a NUL byte");
        return true;
    }
    if (!run(c, &ok, e))
        return false;
    if (ok) {
        c->counts.conforming++;
    } else if (c->unknown.n || c->tries == UINT64_MAX) {
        if (c->counts.undecided++ == 0)
            c->counts.undecided_why = c->unknown.n ? c->unknown : S("the search has a limit");
    } else {
        c->counts.strange++;
        tell(c, found, context, begin_us);
    }
    return true;
}

bool conform_each(conform *c, void (*found)(void *context, const finding *f), void *context, int64_t begin_us,
                  conform_counts *out, err *e)
{
    for (const sequence *s = c->sequences; s; s = s->hh.next) {
        c->s = s;
        if (s->count > 0 && !look_at(c, found, context, begin_us, e))
            return false;
    }
    *out = c->counts;
    return true;
}
