/* freeze_requests.c - the requests of a frozen state: what their answers and ends can still show. */
#include <assert.h>
#include <stdlib.h>

#include "base/mem.h"
#include "model/monitor.h"

static bool reads_held(const codec *c, const pending *r)
{
    return r->l && reads_of(c, r->l, FACT_HELD) && r->word->kind == OP_ACQUIRE;
}

static bool reads_told(const codec *c, const pending *r)
{
    return r->l && reads_of(c, r->l, FACT_TOLD) && r->l->spec != SPEC_NONE && r->o && r->told != TOLD_ANYTHING;
}

static bool reads_won(const codec *c, const pending *r)
{
    return r->l && reads_of(c, r->l, FACT_WON);
}

/* Does it hold anything that its execution, answer or end will not repeat? */
static bool worth_writing(const codec *c, const pending *r)
{
    if (r->lost && reads(c, FACT_PROMISES))
        return true;
    if (!r->executed || r->runs > 0)
        return r->given_up || r->runs != 1 || r->executed || (r->pops && reads(c, FACT_PAST_PROMISES));
    if (r->done || r->given_up || r->announced)
        return false;
    bool grants = track_may_grant(r) && reads_of(c, r->l, FACT_EXECUTED | FACT_ORDER);
    return grants || (reads_held(c, r) && r->held) || reads_told(c, r) || (reads_won(c, r) && r->won && r->o);
}

/* Kind and mode are kept; the driver's ending of the word is for texts only. */
static const op_word *code_word(codec *c, const op_word *w)
{
    static const char *const words[OP_KINDS] = {
        [OP_OTHER] = "request", [OP_ACQUIRE] = "acquire", [OP_RELEASE] = "release", [OP_RENEW] = "renew",
        [OP_FORCE_RELEASE] = "force_release", [OP_ABANDON] = "abandon", [OP_LISTEN] = "subscribe",
    };
    size_t kind = code_number(c, w ? w->kind : OP_OTHER);
    mode_kind mode = (mode_kind)code_number(c, w ? w->mode : MODE_UNSAID);
    assert(kind < OP_KINDS);
    if (c->does != READING)
        return w;
    const char *ending = mode == MODE_READ ? "_read" : mode == MODE_EXCLUSIVE ? "_write" : "";
    return track_word(c->m, arena_printf(c->m->memory, "%s%s", words[kind], ending));
}

/* Its grant, if it turns out to be one. */
static void code_promise(codec *c, pending *r)
{
    if (reads_of(c, r->l, FACT_ORDER))
        r->seq = code_order(c, r->l, r->seq);
    if (reads_of(c, r->l, FACT_EXECUTED))
        r->executed_ms = code_instant(c, r->executed_ms);
    if (reads_of(c, r->l, FACT_PROMISES)) {
        r->calm_ms = code_instant(c, r->calm_ms);
        r->freed = code_flag(c, r->freed);
        r->lapsed_ms = code_instant(c, r->lapsed_ms);
    }
    if (reads_of(c, r->l, FACT_LEASE))
        r->lease_ms = code_whole(c, r->lease_ms);
    if (reads_of(c, r->l, FACT_COPY_ORDER))
        r->copy_seq = code_order(c, r->l, r->copy_seq);
    const monitor *row;
    EACH_MONITOR(row, c->m->coders.request)
        row->code.request(c, r);
}

static void code_request(codec *c, pending *r)
{
    r->process = code_process(c, r->process);
    r->number = (uint32_t)code_number(c, r->number);
    r->runs = (int)code_whole(c, r->runs);
    r->executed = code_flag(c, r->executed);
    r->given_up = code_flag(c, r->given_up);
    if (reads(c, FACT_PAST_PROMISES))
        r->pops = code_flag(c, r->pops && !r->executed);
    r->done = code_flag(c, r->done || r->announced);
    if (reads(c, FACT_PROMISES)) {
        r->lost = code_flag(c, r->lost);
        r->patience_ms = r->lost ? code_whole(c, r->patience_ms) : 0;
    }
    if (!r->executed || r->done || r->given_up)
        return;
    str owner = code_text(c, r->o ? r->o->name : S("")), lock = code_text(c, r->l ? r->l->name : S(""));
    if (c->does == READING) {
        r->o = track_owner(c->m, owner, r->process);
        r->l = track_lock(c->m, lock);
    }
    if (r->l)
        r->l->spec = (spec_kind)code_number(c, (uint64_t)r->l->spec);
    r->word = code_word(c, r->word);
    r->answered = code_flag(c, r->answered);
    r->task = r->answered ? code_who(c, r->task) : NOBODY;
    r->went_on = r->answered && code_flag(c, r->went_on);
    r->vain = r->runs > 0 && code_flag(c, r->vain);
    r->waited = code_flag(c, r->waited);
    r->failed = !code_flag(c, track_may_grant(r));
    if (!r->failed)
        code_promise(c, r);
    if (reads_held(c, r))
        r->held = code_flag(c, r->held);
    if (reads_won(c, r))
        r->won = code_flag(c, r->won);
    if (reads(c, FACT_TOLD)) {
        r->told = (uint32_t)code_number(c, reads_told(c, r) ? r->told : TOLD_ANYTHING);
        if (r->told == TOLD_GRANTED || r->told == TOLD_RELEASED)
            r->told_count = code_whole(c, r->told_count);
    }
}

static int by_name(const void *a, const void *b)
{
    const pending *x = a, *y = b;
    if (x->process != y->process)
        return x->process < y->process ? -1 : 1;
    return x->number < y->number ? -1 : x->number > y->number;
}

void code_requests(codec *c)
{
    model *m = c->m;
    size_t count = code_number(c, m->request_count);
    for (size_t i = 0; i < count; i++) {
        if (c->does != READING) {
            pending r = m->requests[i];
            code_request(c, &r);
            continue;
        }
        pending r = { .runs = 1, .lapsed_ms = NEVER_MS, .calm_ms = NEVER_MS, .lease_ms = LEASE_NONE,
                      .executed_ms = c->now_ms, .settled = true };
        code_request(c, &r);
        MEM_RESERVE(m->requests, m->request_cap, m->request_count + 1);
        m->requests[m->request_count++] = r;
    }
}

/* ---- names ---- */

/* Instants too long ago for an announcement are one value. */
static int64_t recent(const codec *c, int64_t at_ms)
{
    int64_t oldest_ms = c->now_ms - ANNOUNCE_MS_MAX - 1;
    return at_ms < oldest_ms ? oldest_ms : at_ms;
}

void name_requests(codec *c, const model *m, const model_names *names)
{
    model *copy = c->m;
    copy->requests = mem_alloc((m->request_count + 1) * sizeof *copy->requests);
    copy->request_count = 0;
    for (size_t i = 0; i < m->request_count; i++) {
        pending r = m->requests[i];
        if (names) {
            r.number = names->request(names->context, r.process, r.number);
            if (r.number == NOBODY)
                continue;
            if (r.answered)
                r.task = names->task(names->context, r.process, r.task);
        }
        r.executed_ms = recent(c, r.executed_ms);
        r.lapsed_ms = recent(c, r.lapsed_ms);
        r.calm_ms = recent(c, r.calm_ms);
        if (worth_writing(c, &r))
            copy->requests[copy->request_count++] = r;
    }
    if (copy->request_count)
        qsort(copy->requests, copy->request_count, sizeof *copy->requests, by_name);
}
