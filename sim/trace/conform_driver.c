/* conform_driver.c - the driver beside the log: its requests are sent, and the log's answers returned. */
#include "trace/conform_internal.h"

void conform_begin(conform *c)
{
    arena_reset(c->outputs_memory);
    c->out = (outputs){ .memory = c->outputs_memory };
    c->way_count = c->at = c->quiet = c->lost = c->channel_count = c->message_next = 0;
    c->now_ms = c->s->list[0].at_ms - 1;
    c->dead = c->idle = false;
    c->token = S("");
    process_rewind(c->p, 0, c->now_ms);
}

void conform_note(conform *c, str text)
{
    if (c->at < c->best || c->would_count == WOULD_MAX)
        return;
    for (size_t i = 0; i < c->would_count; i++)
        if (str_eq(c->would[i], text))
            return;
    c->would[c->would_count++] = arena_str(c->scratch, text);
}

/* The same library's script from another release, or in another form, is recognised only by its effects. */
bool conform_matches(const conform *c, const on_way *w, const heard *h)
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
    buf b = { 0 };
    buf_add(&b, op);
    buf_addz(&b, " (");
    conform_add_words(&b, r->argv, r->argc, r->script ? 3 : 0);        /* a script is named by its purpose */
    buf_byte(&b, ')');
    str out = arena_str(a, buf_str(&b));
    buf_free(&b);
    return out;
}

/* Does the log have it now, or soon? */
static bool comes(const conform *c, const on_way *w)
{
    for (size_t i = c->at; i < c->s->count && i < c->at + AHEAD_MAX; i++)
        if (conform_matches(c, w, &c->s->list[i]))
            return true;
    return c->at + AHEAD_MAX > c->s->count;        /* at the log's end it may come later */
}

/* A request about no lock, which the log may not contain: a subscription, the loading of a script, another command. A
 * server without the log's data answers it. */
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

static on_way sent_now(const conform *c, const request *r)
{
    arena *a = c->outputs_memory;
    on_way w = { .id = r->id, .sent_ms = c->now_ms, .timeout_ms = r->timeout_ms,
                 .sha = r->script ? str_from(r->script->sha1) : S(""), .text = request_text(a, r, r->op) };
    w.shape = family_shape(c->driver, r->argv, r->argc, w.sha, &w.claim);
    if (!w.shape)
        w.claim.deed = str_starts(r->op, S("renew")) || str_starts(r->op, S("extend")) ? DEED_RENEW : DEED_OTHER;
    w.token = w.shape ? arena_str(a, conform_token(c->driver, r->argv, r->argc, w.claim.owner)) : S("");
    w.claim.lock = arena_str(a, w.shape ? w.claim.lock : S(""));
    return w;
}

/* Sends its requests; one that is not about the lock is answered at once. */
static bool take_outputs(conform *c, err *e)
{
    for (size_t i = 0; i < c->out.count; i++) {
        if (c->out.items[i].kind != OUTPUT_REQUEST)
            continue;
        const request *r = c->out.items[i].request;
        on_way w = sent_now(c, r);
        c->idle = false;
        if (!w.shape && !w.sha.n) {
            if (!answer_aside(c, r, e))
                return false;
            continue;
        }
        if (c->way_count == OUT_MAX || !comes(c, &w)) {
            conform_note(c, w.text);
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

bool conform_apply(conform *c, const input *x, err *e)
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
