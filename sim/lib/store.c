/* store.c - a Redis in memory for the library's user: commands and scripts, at a time that the user moves. */
#include "lib/internal.h"

#include "base/mem.h"
#include "script/script.h"

#define EPOCH_MS INT64_C(1700000000000)            /* where every virtual clock starts */
#define NOW_MS_MAX INT64_C(1000000000000000000)
enum { CLIENTS_MAX = 10000 };

/* What one connection, or the user, has still to be told. */
typedef struct told {
    struct told *next;
    arena *memory;
    reply what;
    const char *text;
} told;
typedef struct {
    told *first, **last;
} told_list;

typedef struct {
    unsigned number;
    redis_conn *conn;
    told_list told;
} client;

struct locksim_store {
    redis *server;
    int64_t now_ms;
    client **clients;              /* connection i has id i */
    size_t count, cap;
    told_list findings;
    arena *passing;                /* the results of the last call */
    bool broken;
};

static told *add_told(told_list *l)
{
    arena *a = arena_new();
    told *t = ARENA_NEW(a, told);
    t->memory = a;
    *(l->first ? l->last : &l->first) = t;
    l->last = &t->next;
    return t;
}

/* Its memory is the caller's. NULL: there is nothing. */
static told *take_told(told_list *l)
{
    told *t = l->first;
    if (t)
        l->first = t->next;
    return t;
}

static void on_message(void *context, uint32_t conn, str channel, str payload, str pattern)
{
    locksim_store *s = context;
    told *t = add_told(&s->clients[conn]->told);
    size_t n = pattern.p ? 4 : 3;
    t->what = reply_items(t->memory, REPLY_ARRAY, n);
    t->what.items[0] = reply_bulk(pattern.p ? S("pmessage") : S("message"));
    if (pattern.p)
        t->what.items[1] = reply_bulk(arena_str(t->memory, pattern));
    t->what.items[n - 2] = reply_bulk(arena_str(t->memory, channel));
    t->what.items[n - 1] = reply_bulk(arena_str(t->memory, payload));
}

static void on_answered(void *context, uint32_t conn, const reply *r)
{
    locksim_store *s = context;
    told *t = add_told(&s->clients[conn]->told);
    t->what = reply_copy(t->memory, r);
}

/* A script's own error is in its reply. */
static void on_finding(void *context, script_finding kind, str sha1, int line, str text)
{
    locksim_store *s = context;
    (void)sha1;
    if (kind == FINDING_SCRIPT_ERROR)
        return;
    told *t = add_told(&s->findings);
    t->text = arena_printf(t->memory, "line %d: %s: %.*s", line, finding_name(kind), STR_ARG(text)).p;
}

typedef struct {
    const locksim_store_options *o;
    locksim_error **error;
    locksim_store *made;
} making;

static void make(void *context)
{
    making *g = context;
    static const locksim_store_options defaults;
    const locksim_store_options *o = g->o ? g->o : &defaults;
    redis_limits limits = { 0 };
    if (o->dialect && !dialect_parse(str_from(o->dialect), &limits.dialect)) {
        error_usage(g->error, "there is no such dialect");
        return;
    }
    if (o->now_ms < 0 || o->now_ms > NOW_MS_MAX) {
        error_usage(g->error, "the clock begins at 0 or later, and at most at 10^18 ms");
        return;
    }
    locksim_store *s = mem_zero(sizeof *s);
    *s = (locksim_store){ .server = redis_new(limits), .now_ms = o->now_ms ? o->now_ms : EPOCH_MS };
    s->passing = arena_new();
    redis_seed(s->server, o->seed);
    redis_observe(s->server, &(redis_observer){ .context = s, .message = on_message, .answered = on_answered,
                                                .finding = on_finding });
    g->made = s;
}

locksim_store *locksim_store_new(const locksim_store_options *o, locksim_error **error)
{
    making g = { .o = o, .error = error };
    return guarded(make, &g, error) ? g.made : NULL;
}

static void free_told(told_list *l)
{
    for (told *t; (t = take_told(l)); )
        arena_free(t->memory);
}

static void dismantle(void *context)
{
    locksim_store *s = context;
    for (size_t i = 0; i < s->count; i++) {
        redis_disconnect(s->server, s->clients[i]->conn);
        free_told(&s->clients[i]->told);
        mem_free(s->clients[i]);
    }
    free_told(&s->findings);
    redis_free(s->server);
    mem_free(s->clients);
    arena_free(s->passing);
    mem_free(s);
}

/* What broke is left where it lies. */
void locksim_store_free(locksim_store *s)
{
    if (s && !s->broken)
        guarded(dismantle, s, NULL);
}

int64_t locksim_store_now_ms(const locksim_store *s) { return s->now_ms; }

/* ---- calls: each is one `ask` ---- */

typedef struct ask ask;
struct ask {
    locksim_store *s;
    unsigned client;
    const locksim_text *words;     /* or, where this is NULL: */
    const char *const *plain;
    size_t count;
    const char *script;
    const char *const *keys, *const *args;
    int64_t by_ms;
    locksim_error **error;
    void (*what)(ask *q);
    const locksim_reply *answer;
    const char *text;
    bool ok;
};

static void asked(void *context)
{
    ask *q = context;
    if (q->s->broken) {
        error_broken(q->error);
        return;
    }
    q->s->broken = true;           /* until it is done */
    q->what(q);
    q->s->broken = false;
}

static client *client_of(ask *q)
{
    locksim_store *s = q->s;
    for (size_t i = 0; i < s->count; i++)
        if (s->clients[i]->number == q->client)
            return s->clients[i];
    if (s->count == CLIENTS_MAX) {
        error_usage(q->error, "a store has at most 10,000 connections");
        return NULL;
    }
    MEM_RESERVE(s->clients, s->cap, s->count + 1);
    client *c = mem_zero(sizeof *c);
    *c = (client){ .number = q->client, .conn = redis_connect(s->server, (uint32_t)s->count) };
    return s->clients[s->count++] = c;
}

static locksim_text text_of(arena *a, str s)
{
    str own = arena_str(a, s);
    return (locksim_text){ own.p, own.n };
}

static locksim_reply as_user(arena *a, const reply *r);

static const locksim_reply *items_as_user(arena *a, const reply *r)
{
    locksim_reply *items = ARENA_ARRAY(a, locksim_reply, r->count + 1);
    for (size_t i = 0; i < r->count; i++)
        items[i] = as_user(a, &r->items[i]);
    return items;
}

/* The same in RESP2. */
static locksim_reply as_user(arena *a, const reply *r)
{
    locksim_reply out = { .kind = LOCKSIM_NIL };
    switch (r->kind) {
    case REPLY_NIL: case REPLY_NIL_ARRAY: break;
    case REPLY_STATUS: out.kind = LOCKSIM_STATUS; out.text = text_of(a, r->text); break;
    case REPLY_ERROR: out.kind = LOCKSIM_ERROR_REPLY; out.text = text_of(a, r->text); break;
    case REPLY_INTEGER: case REPLY_BOOLEAN: out.kind = LOCKSIM_INTEGER; out.integer = r->integer; break;
    case REPLY_BULK: case REPLY_VERBATIM: case REPLY_BIG_NUMBER:
        out.kind = LOCKSIM_BULK; out.text = text_of(a, r->text); break;
    case REPLY_DOUBLE:
        out.kind = LOCKSIM_BULK;
        out.text = text_of(a, r->text.n ? r->text : reply_double_text(a, r->number));
        break;
    case REPLY_ARRAY: case REPLY_MAP: case REPLY_SET:
        out.kind = LOCKSIM_ARRAY; out.items = items_as_user(a, r); out.item_count = r->count; break;
    }
    buf shown = { 0 };
    reply_print(r, 0, &shown);
    out.shown = text_of(a, buf_str(&shown)).at;
    buf_free(&shown);
    return out;
}

static const locksim_reply *hand_out(locksim_store *s, const reply *r)
{
    locksim_reply *out = ARENA_NEW(s->passing, locksim_reply);
    *out = as_user(s->passing, r);
    return out;
}

static void execute(ask *q)
{
    locksim_store *s = q->s;
    client *c = client_of(q);
    if (!c)
        return;
    if (q->count == 0) {
        error_usage(q->error, "a command has one word at least");
        return;
    }
    if (redis_waits(c->conn)) {
        error_usage(q->error, "this connection still waits for an answer, and can send nothing");
        return;
    }
    arena_reset(s->passing);
    str *words = ARENA_ARRAY(s->passing, str, q->count);
    for (size_t i = 0; i < q->count; i++)
        words[i] = q->words ? (str){ q->words[i].at, q->words[i].bytes } : str_from(q->plain[i]);
    reply r = redis_execute(s->server, c->conn, words, q->count, s->now_ms, s->passing);
    if (redis_waits(c->conn)) {
        locksim_reply *waits = ARENA_NEW(s->passing, locksim_reply);
        *waits = (locksim_reply){ .kind = LOCKSIM_WAITS, .shown = "(waits)" };
        q->answer = waits;
    } else {
        q->answer = hand_out(s, &r);
    }
}

static size_t length_of(const char *const *words)
{
    size_t n = 0;
    while (words && words[n])
        n++;
    return n;
}

const locksim_reply *locksim_store_command(locksim_store *s, unsigned number, const char *const *words,
                                           locksim_error **error)
{
    ask q = { .s = s, .client = number, .plain = words, .count = length_of(words), .error = error, .what = execute };
    return guarded(asked, &q, error) ? q.answer : NULL;
}

const locksim_reply *locksim_store_execute(locksim_store *s, unsigned number, const locksim_text *words, size_t count,
                                           locksim_error **error)
{
    ask q = { .s = s, .client = number, .words = words, .count = count, .error = error, .what = execute };
    return guarded(asked, &q, error) ? q.answer : NULL;
}

static void eval(ask *q)
{
    size_t keys = length_of(q->keys), args = length_of(q->args);
    char number[24];
    const char **words = mem_zero((keys + args + 3) * sizeof *words);
    arena *a = arena_new();
    memcpy(number, arena_int(a, (int64_t)keys).p, arena_int(a, (int64_t)keys).n + 1);
    arena_free(a);
    words[0] = "EVAL";
    words[1] = q->script;
    words[2] = number;
    for (size_t i = 0; i < keys + args; i++)
        words[3 + i] = i < keys ? q->keys[i] : q->args[i - keys];
    q->plain = words;
    q->count = keys + args + 3;
    execute(q);
    mem_free(words);
}

const locksim_reply *locksim_store_eval(locksim_store *s, unsigned number, const char *script,
                                        const char *const *keys, const char *const *args, locksim_error **error)
{
    ask q = { .s = s, .client = number, .script = script, .keys = keys, .args = args, .error = error, .what = eval };
    return guarded(asked, &q, error) ? q.answer : NULL;
}

static void advance(ask *q)
{
    locksim_store *s = q->s;
    if (q->by_ms < 0 || q->by_ms > NOW_MS_MAX - s->now_ms) {
        error_usage(q->error, "the clock goes forward only, and at most to 10^18 ms");
        return;
    }
    s->now_ms += q->by_ms;
    redis_timeouts(s->server, s->now_ms);
    q->ok = true;
}

bool locksim_store_advance(locksim_store *s, int64_t by_ms, locksim_error **error)
{
    ask q = { .s = s, .by_ms = by_ms, .error = error, .what = advance };
    return guarded(asked, &q, error) && q.ok;
}

static void next(ask *q)
{
    locksim_store *s = q->s;
    arena_reset(s->passing);
    for (size_t i = 0; i < s->count && !q->answer; i++) {
        told *t = s->clients[i]->number == q->client ? take_told(&s->clients[i]->told) : NULL;
        if (!t)
            continue;
        q->answer = hand_out(s, &t->what);
        arena_free(t->memory);
    }
}

const locksim_reply *locksim_store_next(locksim_store *s, unsigned number, locksim_error **error)
{
    ask q = { .s = s, .client = number, .error = error, .what = next };
    return guarded(asked, &q, error) ? q.answer : NULL;
}

static void finding(ask *q)
{
    told *t = take_told(&q->s->findings);
    arena_reset(q->s->passing);
    if (!t)
        return;
    q->text = arena_str(q->s->passing, str_from(t->text)).p;
    arena_free(t->memory);
}

const char *locksim_store_finding(locksim_store *s, locksim_error **error)
{
    ask q = { .s = s, .error = error, .what = finding };
    return guarded(asked, &q, error) ? q.text : NULL;
}
