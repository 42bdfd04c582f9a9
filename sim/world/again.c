/* again.c - LK032: tries on a server of its own what a second run of a request that its driver may send again would do.
 *
 * The second run is the same command at the same instant, on a copy of the keyspace that the first one left. It must
 * leave no trace: no message, no finding, no line of a script counted as reached, no key touched under a WATCH. The
 * copy has no subscribers, so PUBLISH answers 0 there. */
#include <assert.h>
#include <inttypes.h>

#include "script/script.h"
#include "world/internal.h"

static bool is_publish(str command)
{
    return str_starts_nocase(command, S("PUB")) || str_starts_nocase(command, S("SPUB"));
}

static void on_effect(void *context, str sha1, int line, const str *argv, size_t argc, const reply *r)
{
    world *w = context;
    (void)sha1, (void)line;
    if (argc > 0 && is_publish(argv[0]) && r->kind == REPLY_INTEGER)
        w->trial_published = true;
}

static redis *trial_of(world *w)
{
    if (!w->trial) {
        w->trial = redis_new(w->o.limits);
        redis_observe(w->trial, &(redis_observer){ .context = w, .effect = on_effect });
    }
    return w->trial;
}

bool again_judged(const world *w, const flight *f)
{
    return f->resend && w->sc->model.judged[PROPERTY_IDEMPOTENT] && f->copy == 0 && !f->dead &&
           f->queuing.did == QUEUING_NONE && !flight_is_pubsub(f);
}

/* The script was unknown: nothing was executed. */
static bool is_unknown(const reply *r)
{
    return r->kind == REPLY_ERROR && str_starts(r->text, S("NOSCRIPT"));
}

/* Runs it again on `r`: the keyspace before and after. false: the first run executed nothing. */
static bool run_again(world *w, redis *r, const flight *f, buf *before, buf *after)
{
    if (is_unknown(&f->answer))
        return false;
    redis *t = trial_of(w);
    buf drawn = { 0 };
    str why;
    int64_t now_ms = server_now_ms(&w->servers[f->server]);
    redis_freeze(r, now_ms, before);
    redis_thaw(t, now_ms, buf_str(before));
    redis_freeze_random(r, &drawn);
    redis_thaw_random(t, buf_str(&drawn));
    buf_free(&drawn);
    redis_set_acks(t, server_followers(w, &w->servers[f->server]));
    if (f->script)
        redis_load_script(t, f->script->body, w->step_memory, &why);
    redis_conn *conn = redis_connect(t, 1);
    w->trial_published = f->argc > 0 && is_publish(f->argv[0]);
    reply answer = redis_execute(t, conn, f->argv, f->argc, now_ms, w->step_memory);
    redis_disconnect(t, conn);
    redis_freeze(t, now_ms, after);
    return !is_unknown(&answer);
}

bool again_changes(world *w, redis *r, const flight *f)
{
    buf before = { 0 }, after = { 0 };
    bool changes = run_again(w, r, f, &before, &after) &&
                   (w->trial_published || !str_eq(buf_str(&before), buf_str(&after)));
    buf_free(&before);
    buf_free(&after);
    return changes;
}

/* ---- in words ---- */

typedef struct { str key, shown; int64_t ttl_ms; } seen_key;
typedef struct { arena *a; seen_key *items; size_t count, cap; } seen_keys;

static void see_key(void *context, str key, str shown, int64_t ttl_ms)
{
    seen_keys *k = context;
    if (k->count == k->cap) {
        seen_key *grown = ARENA_ARRAY(k->a, seen_key, k->cap = 2 * k->cap + 8);
        for (size_t i = 0; i < k->count; i++)
            grown[i] = k->items[i];
        k->items = grown;
    }
    k->items[k->count++] = (seen_key){ arena_str(k->a, key), arena_str(k->a, shown), ttl_ms };
}

static seen_keys keys_of(world *w, redis *r, int64_t now_ms)
{
    seen_keys k = { .a = w->step_memory };
    redis_each_key(r, now_ms, w->step_memory, see_key, &k);
    return k;
}

static void put_change(buf *b, const seen_key *was, const seen_key *is)
{
    assert(was || is);
    buf_addz(b, b->n ? ", " : "");
    story_text(b, was ? was->key : is->key);
    buf_addz(b, " ");
    bool same = was && is && str_eq(was->shown, is->shown);
    if (same) {
        buf_printf(b, "with a TTL of %" PRId64 " ms -> %" PRId64 " ms", was->ttl_ms, is->ttl_ms);
        return;
    }
    story_text(b, was ? was->shown : S("(not there)"));
    buf_addz(b, " -> ");
    story_text(b, is ? is->shown : S("gone"));
}

/* Both lists are in byte order of the keys. */
static void put_changes(buf *b, const seen_keys *was, const seen_keys *is)
{
    for (size_t i = 0, k = 0; i < was->count || k < is->count;) {
        int order = i == was->count ? 1 : k == is->count ? -1 : str_cmp(was->items[i].key, is->items[k].key);
        const seen_key *x = order <= 0 ? &was->items[i++] : NULL, *y = order >= 0 ? &is->items[k++] : NULL;
        if (!x || !y || !str_eq(x->shown, y->shown) || x->ttl_ms != y->ttl_ms)
            put_change(b, x, y);
    }
}

void again_judge(world *w, const flight *f)
{
    redis *r = server_redis(&w->servers[f->server]);
    if (!again_changes(w, r, f))
        return;
    bool published = w->trial_published;           /* w->trial holds the keyspace after the second run */
    int64_t now_ms = server_now_ms(&w->servers[f->server]);
    seen_keys is = keys_of(w, w->trial, now_ms), was = keys_of(w, r, now_ms);
    buf what = { 0 };
    put_changes(&what, &was, &is);
    if (published)
        buf_addz(&what, what.n ? ", and a message is published again" : "a message is published again");
    else if (what.n == 0)
        buf_addz(&what, "what it holds is no longer the same");
    str text = arena_printf(w->step_memory, "%.*s may send its %.*s (request %" PRIu32 ") again, and a second run "
                            "right after the first changes something: %.*s.", STR_ARG(f->who), STR_ARG(f->op),
                            f->number, STR_ARG(buf_str(&what)));
    buf_free(&what);
    world_report(w, PROPERTY_IDEMPOTENT, text,
                 S("An answer that is lost leaves the sender in doubt: if it asks again, the request is executed "
                   "twice. Nothing in what it finds tells the script that this very request was already served."));
}

void again_free(world *w)
{
    if (w->trial)
        redis_free(w->trial);
}
