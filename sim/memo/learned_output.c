/* learned_output.c - the outputs of a process without what differs from one run to the next: instants and its own
 * numbers. */
#include <assert.h>
#include <string.h>

#include "base/mem.h"
#include "memo/learned_internal.h"

/* ---- numbers ---- */

static void reserve(numbering *n, size_t requests, size_t tasks)
{
    MEM_RESERVE(n->requests, n->request_cap, requests + 1);
    MEM_RESERVE(n->tasks, n->task_cap, tasks + 1);
    n->request_count = requests;
    n->task_count = tasks;
}

void numbering_read(numbering *n, process *live)
{
    const task_view *tasks;
    size_t task_count = process_tasks(live, &tasks);
    frozen f = process_frozen(live);
    live_facts is = process_live_facts(live);
    reserve(n, f.ranked_count + f.answered_count, task_count);
    for (size_t i = 0; i < f.ranked_count; i++)
        n->requests[i] = f.ranked[i];
    for (size_t i = 0; i < f.answered_count; i++)
        n->requests[f.ranked_count + i] = f.answered[i];
    for (size_t i = 0; i < task_count; i++)
        n->tasks[i] = tasks[i].id;
    n->requests_sent = is.requests_sent;
    n->tasks_made = is.tasks_made;
}

void numbering_begin(numbering *n, const shape *s)
{
    reserve(n, s->request_count, s->task_count);
    memset(n->requests, 0, s->request_count * sizeof *n->requests);
    for (size_t i = 0; i < s->task_count; i++)
        n->tasks[i] = (uint32_t)i;
    n->requests_sent = 0;
    n->tasks_made = (uint32_t)s->task_count;
}

void numbering_assign(numbering *to, const numbering *from)
{
    reserve(to, from->request_count, from->task_count);
    memcpy(to->requests, from->requests, from->request_count * sizeof *to->requests);
    memcpy(to->tasks, from->tasks, from->task_count * sizeof *to->tasks);
    to->requests_sent = from->requests_sent;
    to->tasks_made = from->tasks_made;
}

void numbering_follow(numbering *n, const entry *x)
{
    size_t requests = x->request_count, tasks = x->task_count;
    MEM_RESERVE(n->others, n->other_cap, requests + tasks + 1);
    for (size_t i = 0; i < requests; i++)
        n->others[i] = number_of_request(n, x->requests[i]);
    for (size_t i = 0; i < tasks; i++)
        n->others[requests + i] = number_of_task(n, x->tasks[i]);
    reserve(n, requests, tasks);
    memcpy(n->requests, n->others, requests * sizeof *n->requests);
    memcpy(n->tasks, n->others + requests, tasks * sizeof *n->tasks);
    n->requests_sent += x->new_requests;
    n->tasks_made += x->new_tasks;
}

void numbering_free(numbering *n)
{
    mem_free(n->requests);
    mem_free(n->tasks);
    mem_free(n->others);
}

named name_request(const numbering *before, uint32_t id)
{
    if (id == 0)
        return NAMED_NONE;
    if (id > before->requests_sent)
        return NAMED_NEW + (id - before->requests_sent - 1);
    for (size_t i = 0; i < before->request_count; i++)
        if (before->requests[i] == id)
            return (named)i;
    return NAMED_UNKNOWN;
}

named name_task(const numbering *before, uint32_t id)
{
    if (id >= before->tasks_made)
        return NAMED_NEW + (id - before->tasks_made);
    for (size_t i = 0; i < before->task_count; i++)
        if (before->tasks[i] == id)
            return (named)i;
    return NAMED_UNKNOWN;
}

uint32_t number_of_request(const numbering *before, named n)
{
    if (n == NAMED_NONE)
        return 0;
    assert(n & NAMED_NEW || n < before->request_count);
    return n & NAMED_NEW ? before->requests_sent + 1 + (n - NAMED_NEW) : before->requests[n];
}

uint32_t number_of_task(const numbering *before, named n)
{
    assert(n & NAMED_NEW || n < before->task_count);
    return n & NAMED_NEW ? before->tasks_made + (n - NAMED_NEW) : before->tasks[n];
}

/* ---- texts ---- */

/* The i-th text of an output that may hold an instant; NULL: it has no more. The words of a request are at `argv`. */
static str *text_of(output *o, request *r, str *argv, size_t i)
{
    switch (o->kind) {
    case OUTPUT_REQUEST:
        assert(r);
        return i < r->argc ? &argv[i] : i == r->argc ? &r->op : i == r->argc + 1 ? &r->lock : NULL;
    case OUTPUT_ANNOUNCE: {
        event *v = &o->announcement;
        str *text[] = { &v->lock, &v->text, &v->mode };
        return i < COUNT(text) ? text[i] : NULL;
    }
    case OUTPUT_LOG:
        return i == 0 ? &o->text : NULL;
    case OUTPUT_ENDED:
        break;
    }
    return NULL;
}

/* Finds an instant in s, from `from` on: the whole text, or in a log any of its numbers; or as it is spelled. */
static instant_in_text find_instant(str s, bool log, size_t from, instant_spelling spelling, int64_t now_ms)
{
    instant_in_text x = instant_next(s, from, spelling, now_ms);
    bool whole = x.from == 0 && x.to == s.n;
    return whole || log || spelling > INSTANTS_PLAIN ? x : (instant_in_text){ .unit = INSTANT_NONE };
}

/* Copies a text into `a`; its instants are cut out into marks. */
static str cut(arena *a, str s, uint32_t text, instant_spelling spelling, int64_t now_ms, learned_output *out)
{
    bool log = out->o.kind == OUTPUT_LOG;
    char *kept = arena_alloc(a, s.n + 1);
    size_t kept_n = 0, from = 0;
    for (instant_in_text x; (x = find_instant(s, log, from, spelling, now_ms)).unit != INSTANT_NONE; from = x.to) {
        memcpy(kept + kept_n, s.p + from, x.from - from);
        kept_n += x.from - from;
        out->marks[out->mark_count++] = (instant_mark){ .text = text, .at = kept_n, .unit = x.unit,
                                                        .distance = x.n - instant_now_in(x.unit, now_ms) };
    }
    if (s.n > from)
        memcpy(kept + kept_n, s.p + from, s.n - from);
    return (str){ .p = kept, .n = kept_n + s.n - from };
}

static void cut_all(arena *a, learned_output *out, str *argv, instant_spelling spelling, int64_t now_ms)
{
    bool log = out->o.kind == OUTPUT_LOG;
    size_t count = 0;
    uint32_t i = 0;
    for (str *text; (text = text_of(&out->o, &out->r, argv, i)); i++)
        for (instant_in_text x = { .to = 0 };
             (x = find_instant(*text, log, x.to, spelling, now_ms)).unit != INSTANT_NONE;)
            count++;
    out->marks = ARENA_ARRAY(a, instant_mark, count + 1);
    i = 0;
    for (str *text; (text = text_of(&out->o, &out->r, argv, i)); i++)
        *text = cut(a, *text, i, spelling, now_ms, out);
}

bool output_learn(arena *a, const numbering *before, const output *o, instant_spelling spelling, int64_t now_ms,
                  learned_output *out)
{
    *out = (learned_output){ .o = *o };
    str *argv = NULL;
    out->o.task = name_task(before, o->task);
    if (o->kind == OUTPUT_REQUEST) {
        out->r = *o->request;
        argv = ARENA_ARRAY(a, str, out->r.argc + 1);
        memcpy(argv, o->request->argv, out->r.argc * sizeof *argv);
        out->r.argv = argv;
        out->r.id = name_request(before, o->request->id);
        out->r.task = out->o.task;
        out->o.request = NULL;
    }
    event *v = &out->o.announcement;
    if (o->kind == OUTPUT_ANNOUNCE || o->kind == OUTPUT_ENDED)
        v->who = arena_str(a, v->who);
    if (o->kind == OUTPUT_ANNOUNCE) {
        v->task = name_task(before, v->task);
        v->request = name_request(before, v->request);
        v->at_ms = 0;
        out->token_is_instant = instant_near(v->token, now_ms);
        v->token -= out->token_is_instant ? now_ms : 0;
    }
    cut_all(a, out, argv, spelling, now_ms);
    /* EVALSHA: not with today's hash, as source_replace_script may give the script another text */
    if (argv && out->r.script && str_eq(argv[0], S("EVALSHA")))
        argv[1] = str_from(out->r.script->sha1);
    return out->o.task != NAMED_UNKNOWN && v->request != NAMED_UNKNOWN;
}

bool output_equal(const learned_output *x, const learned_output *y)
{
    const output *o = &x->o, *p = &y->o;
    if (o->kind != p->kind || o->task != p->task)
        return false;
    if (o->kind == OUTPUT_LOG)
        return true;
    if (o->kind == OUTPUT_ENDED)
        return str_eq(o->announcement.who, p->announcement.who);
    if (x->mark_count != y->mark_count || x->token_is_instant != y->token_is_instant)
        return false;
    for (size_t i = 0; i < x->mark_count; i++)
        if (x->marks[i].text != y->marks[i].text || x->marks[i].at != y->marks[i].at ||
            x->marks[i].unit != y->marks[i].unit || x->marks[i].distance != y->marks[i].distance)
            return false;
    if (o->kind == OUTPUT_ANNOUNCE) {
        const event *v = &o->announcement, *w = &p->announcement;
        return v->kind == w->kind && v->task == w->task && v->request == w->request && v->lease_ms == w->lease_ms &&
               v->renew_ms == w->renew_ms && v->token == w->token && v->count == w->count && v->untold == w->untold &&
               v->own_count == w->own_count && str_eq(v->who, w->who) && str_eq(v->lock, w->lock) &&
               str_eq(v->text, w->text) && str_eq(v->mode, w->mode);
    }
    const request *r = &x->r, *s = &y->r;
    if (r->kind != s->kind || r->id != s->id || r->server != s->server || r->waited != s->waited ||
        r->resend != s->resend || r->again != s->again || r->sync != s->sync ||
        r->script != s->script || r->argc != s->argc || r->lease_ms != s->lease_ms || r->timeout_ms != s->timeout_ms ||
        r->permits != s->permits || r->line != s->line ||
        !str_eq(r->op, s->op) || !str_eq(r->lock, s->lock) || !str_eq(r->path, s->path))
        return false;
    for (size_t i = 0; i < r->argc; i++)
        if (!str_eq(r->argv[i], s->argv[i]))
            return false;
    return true;
}

/* ---- putting out ---- */

enum { DIGITS_MAX = 20 };

/* Writes the number and returns how long it is. */
static size_t write_digits(char *at, int64_t n)
{
    char digits[DIGITS_MAX];
    size_t count = 0;
    assert(n > 0);         /* an instant is never zero */
    for (; n > 0; n /= 10)
        digits[count++] = (char)('0' + n % 10);
    for (size_t i = 0; i < count; i++)
        at[i] = digits[count - 1 - i];
    return count;
}

/* The text with its instants restored; `mark` moves past them. */
static str paste(arena *a, const learned_output *l, size_t *mark, str s, int64_t now_ms)
{
    uint32_t text = l->marks[*mark].text;
    size_t last = *mark, from = 0, n = 0;
    while (last < l->mark_count && l->marks[last].text == text)
        last++;
    char *whole = arena_alloc(a, s.n + (last - *mark) * DIGITS_MAX + 1);
    for (; *mark < last; ++*mark) {
        const instant_mark *m = &l->marks[*mark];
        assert(from <= m->at && m->at <= s.n);
        memcpy(whole + n, s.p + from, m->at - from);
        n += m->at - from;
        n += write_digits(whole + n, instant_now_in(m->unit, now_ms) + m->distance);
        from = m->at;
    }
    memcpy(whole + n, s.p + from, s.n - from);
    return (str){ .p = whole, .n = n + s.n - from };
}

void output_give(const learned_output *l, const numbering *before, int64_t now_ms, outputs *out)
{
    output *o = outputs_add(out, l->o.kind);
    request *r = NULL;
    str *argv = NULL;
    *o = l->o;
    o->task = number_of_task(before, l->o.task);
    if (o->kind == OUTPUT_REQUEST) {
        r = ARENA_NEW(out->memory, request);
        *r = l->r;
        r->id = number_of_request(before, l->r.id);
        r->task = o->task;
        o->request = r;
        if (l->mark_count) {
            argv = ARENA_ARRAY(out->memory, str, r->argc + 1);
            memcpy(argv, l->r.argv, r->argc * sizeof *argv);
            r->argv = argv;
        }
    } else if (o->kind == OUTPUT_ANNOUNCE) {
        event *v = &o->announcement;
        v->task = number_of_task(before, v->task);
        v->request = number_of_request(before, v->request);
        v->at_ms = now_ms;
        v->token += l->token_is_instant ? now_ms : 0;
    }
    for (size_t mark = 0; mark < l->mark_count;) {
        str *text = text_of(o, r, argv, l->marks[mark].text);
        *text = paste(out->memory, l, &mark, *text, now_ms);
    }
}
