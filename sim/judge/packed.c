/* packed.c - see packed.h. One description of each struct serves for both: it writes the fields, or reads them. A new
 * field of one of these structs must be added here (tests/cli/mpi.sh compares all printed output). */
#include "judge/packed.h"

#include <string.h>

#include "base/codec.h"

typedef struct {
    buf *out;              /* written to; NULL: read */
    str in;
    arena *a;              /* of what is read */
} packer;

static int64_t number(packer *k, int64_t n)
{
    if (!k->out)
        return take_svarint(&k->in);
    put_svarint(k->out, n);
    return n;
}

/* Any integer, enum or bool. */
#define NUMBER(k, field) do { int64_t n_ = number(k, (int64_t)(field)); if (!(k)->out) (field) = n_; } while (0)

static void pack_real(packer *k, double *x)
{
    uint64_t bits;
    memcpy(&bits, x, sizeof bits);
    NUMBER(k, bits);
    memcpy(x, &bits, sizeof bits);
}

static void pack_text(packer *k, str *s)
{
    if (k->out)
        buf_lenstr(k->out, *s);
    else
        *s = arena_str(k->a, take_lenstr(&k->in));
}

/* `what` is a text that is never freed. */
static void pack_constant(packer *k, const char **what)
{
    str s = k->out ? str_from(*what) : S("");
    pack_text(k, &s);
    if (!k->out)
        *what = arena_printf(k->a, "%.*s", STR_ARG(s)).p;
}

/* The count, then each item. Pointers to const are cast only where they are written, and not changed. */
#define LIST(k, type, items, count, pack_item) do { \
        NUMBER(k, count); \
        if (!(k)->out) \
            (items) = (count) ? ARENA_ARRAY((k)->a, type, (count)) : NULL; \
        for (size_t i_ = 0; i_ < (size_t)(count); i_++) { \
            type *item_ = (type *)(uintptr_t)&(items)[i_];         /* NOLINT(bugprone-macro-parentheses): a type */ \
            if (!(k)->out) \
                memset(item_, 0, sizeof *item_); \
            pack_item(k, item_); \
        } \
    } while (0)

/* An item that may be missing: NULL. */
#define MAYBE(k, type, pointer, pack_item) do { \
        bool there_ = (pointer) != NULL; \
        NUMBER(k, there_); \
        type *item_ = (k)->out ? (type *)(uintptr_t)(pointer)      /* NOLINT(bugprone-macro-parentheses): a type */ \
                      : there_ ? ARENA_NEW((k)->a, type) : NULL; \
        if (there_ && !(k)->out) \
            memset(item_, 0, sizeof *item_); \
        if (there_) \
            pack_item(k, item_); \
        if (!(k)->out) \
            (pointer) = item_; \
    } while (0)

/* ---- stories ---- */

static void pack_row(packer *k, story_row *r)
{
    str *const texts[] = { &r->token, &r->did, &r->notes, &r->redis, &r->effects, &r->location, &r->found,
                           &r->second_did, &r->second_redis, &r->second_effects };
    NUMBER(k, r->at_ms);
    NUMBER(k, r->process);
    for (size_t i = 0; i < COUNT(texts); i++)
        pack_text(k, texts[i]);
}

static void pack_mark(packer *k, story_mark *m)
{
    NUMBER(k, m->kind);
    NUMBER(k, m->step);
    NUMBER(k, m->process);
    NUMBER(k, m->server);
    NUMBER(k, m->request);
    NUMBER(k, m->copy);
    NUMBER(k, m->ends);
    NUMBER(k, m->count);
    pack_text(k, &m->who);
    pack_text(k, &m->lock);
    pack_text(k, &m->text);
    NUMBER(k, m->until_ms);
}

static void pack_key(packer *k, story_key *x)
{
    NUMBER(k, x->step);
    NUMBER(k, x->server);
    pack_text(k, &x->name);
    pack_text(k, &x->value);
    NUMBER(k, x->deadline_ms);
    NUMBER(k, x->gone);
    NUMBER(k, x->expired);
}

static void pack_request(packer *k, story_request *r)
{
    NUMBER(k, r->sent_ms);
    NUMBER(k, r->executed_ms);
    NUMBER(k, r->answered_ms);
    NUMBER(k, r->sent_step);
    NUMBER(k, r->executed_step);
    NUMBER(k, r->answered_step);
    NUMBER(k, r->order);
    NUMBER(k, r->process);
    NUMBER(k, r->server);
    NUMBER(k, r->number);
    NUMBER(k, r->copy);
    NUMBER(k, r->waited);
    pack_text(k, &r->who);
    pack_text(k, &r->op);
    pack_text(k, &r->lock);
    LIST(k, str, r->argv, r->argc, pack_text);
    pack_text(k, &r->script);
    pack_text(k, &r->answer);
}

static void pack_story(packer *k, story *s)
{
    LIST(k, story_request, s->requests, s->request_count, pack_request);
    NUMBER(k, s->executed);
    LIST(k, story_row, s->rows, s->count, pack_row);
    LIST(k, story_mark, s->marks, s->mark_count, pack_mark);
    LIST(k, story_key, s->keys, s->key_count, pack_key);
}

/* ---- outcomes ---- */

static void pack_cause(packer *k, signature_cause *c)
{
    for (size_t f = 0; f < FAULT_KINDS; f++)
        NUMBER(k, c->used[f]);
    LIST(k, str, c->ops, c->op_count, pack_text);
}

static void pack_signature(packer *k, signature *s)
{
    LIST(k, signature_cause, s->causes, s->count, pack_cause);
}

static void pack_size(packer *k, size_t *n)
{
    NUMBER(k, *n);
}

static void pack_example(packer *k, counterexample *x)
{
    NUMBER(k, x->property);
    pack_text(k, &x->text);
    pack_text(k, &x->why);
    pack_text(k, &x->blame);
    LIST(k, size_t, x->blamed, x->blamed_count, pack_size);
    NUMBER(k, x->decides);
    pack_text(k, &x->schedule);
    NUMBER(k, x->steps);
    NUMBER(k, x->switches);
    pack_story(k, &x->story);
    NUMBER(k, x->seed);
    NUMBER(k, x->replayed);
}

/* A property's example is one of the outcome's, which come first. */
static void pack_property(packer *k, outcome *o, property_result *r)
{
    size_t example = r->example ? (size_t)(r->example - o->examples) + 1 : 0;
    NUMBER(k, r->outcome);
    NUMBER(k, r->expected);
    pack_text(k, &r->reason);
    NUMBER(k, example);
    r->example = example > 0 ? &o->examples[example - 1] : NULL;
    MAYBE(k, signature, r->signature, pack_signature);
    MAYBE(k, signature, r->expected_signature, pack_signature);
    NUMBER(k, r->other_cause);
}

static void pack_meeting(packer *k, meeting *m)
{
    pack_text(k, &m->op);
    pack_text(k, &m->place);
    pack_text(k, &m->path);
    NUMBER(k, m->line);
    NUMBER(k, m->met);
}

static void pack_line(packer *k, coverage_line *l)
{
    NUMBER(k, l->line);
    NUMBER(k, l->count);
}

static void pack_branch(packer *k, coverage_branch *b)
{
    NUMBER(k, b->line);
    NUMBER(k, b->col);
    pack_constant(k, &b->what);
    NUMBER(k, b->count);
}

static void pack_script(packer *k, coverage_script *s)
{
    pack_text(k, &s->sha1);
    pack_text(k, &s->name);
    pack_text(k, &s->body);
    LIST(k, coverage_line, s->lines, s->line_count, pack_line);
    LIST(k, coverage_branch, s->branches, s->branch_count, pack_branch);
}

static void pack_profile_row(packer *k, profile_row *r)
{
    NUMBER(k, r->kind);
    NUMBER(k, r->of);
    NUMBER(k, r->clients);
    pack_text(k, &r->what);
    pack_text(k, &r->where);
    NUMBER(k, r->values);
    NUMBER(k, r->more);
    NUMBER(k, r->left);
    NUMBER(k, r->fault);
    NUMBER(k, r->property);
}

static void pack_profile(packer *k, profile *p)
{
    NUMBER(k, p->states);
    NUMBER(k, p->sampled);
    LIST(k, profile_row, p->rows, p->count, pack_profile_row);
}

static void pack_fault(packer *k, fault_budget *f)
{
    NUMBER(k, f->budget);
    NUMBER(k, f->amount);
    pack_text(k, &f->of);
    pack_text(k, &f->op);
}

static void pack_buf(packer *k, buf *b)
{
    str s = buf_str(b);
    pack_text(k, &s);
    if (!k->out)
        buf_add(b, s);
}

static void pack_error(packer *k, err *e)
{
    NUMBER(k, e->class_);
    NUMBER(k, e->line);
    NUMBER(k, e->col);
    pack_buf(k, &e->path);
    pack_buf(k, &e->message);
    pack_buf(k, &e->hint);
    pack_buf(k, &e->source_line);
}

void packed_write_error(const err *e, buf *out)
{
    packer k = { .out = out };
    pack_error(&k, (err *)(uintptr_t)e);
}

void packed_read_error(str *bytes, err *out)
{
    packer k = { .in = *bytes, .a = arena_new() };
    pack_error(&k, out);
    *bytes = k.in;
    arena_free(k.a);
}

static void pack_search(packer *k, outcome *o)
{
    pack_text(k, &o->search.strategy);
    NUMBER(k, o->search.seed);
    NUMBER(k, o->search.runs);
    NUMBER(k, o->search.states);
    NUMBER(k, o->search.stand_for);
    NUMBER(k, o->search.transitions);
    NUMBER(k, o->search.same);
    pack_real(k, &o->search.odds);
    NUMBER(k, o->search.client_runs);
    NUMBER(k, o->search.client_repeats);
    NUMBER(k, o->search.bytes);
    NUMBER(k, o->search.executions);
    NUMBER(k, o->search.longest);
    NUMBER(k, o->search.waiting);
    NUMBER(k, o->search.limited);
    NUMBER(k, o->search.complete);
    NUMBER(k, o->search.elapsed_ms);
}

static void pack_outcome(packer *k, outcome *o)
{
    str *const texts[] = { &o->path, &o->file, &o->title, &o->exhibit.bug, &o->exhibit.library, &o->exhibit.versions,
                           &o->exhibit.what, &o->exhibit.twin, &o->reason, &o->advice.cause, &o->advice.where,
                           &o->advice.change, &o->means, &o->work, &o->note, &o->seen, &o->unseen };
    for (size_t i = 0; i < COUNT(texts); i++)
        pack_text(k, texts[i]);
    for (size_t f = 0; f < FAULT_KINDS; f++)
        pack_fault(k, &o->faults[f]);
    NUMBER(k, o->verdict);
    pack_error(k, &o->error);
    LIST(k, counterexample, o->examples, o->example_count, pack_example);
    for (size_t p = 0; p < PROPERTY_COUNT; p++)
        pack_property(k, o, &o->properties[p]);
    LIST(k, str, o->clients, o->client_count, pack_text);
    pack_search(k, o);
    LIST(k, meeting, o->meetings, o->meeting_count, pack_meeting);
    NUMBER(k, o->unmet_count);
    NUMBER(k, o->meetings_full);
    LIST(k, coverage_script, o->scripts, o->script_count, pack_script);
    MAYBE(k, profile, o->profile, pack_profile);
    pack_story(k, &o->run);
    NUMBER(k, o->items);
}

static void pack_measure(packer *k, report_measure *m)
{
    NUMBER(k, m->known);
    pack_text(k, &m->why);
    NUMBER(k, m->seeds);
    pack_real(k, &m->wait_mean_ms);
    pack_real(k, &m->wait_p99_ms);
    pack_real(k, &m->commands);
    pack_real(k, &m->requests);
}

static void pack_judged(packer *k, judged *j)
{
    pack_outcome(k, &j->result);
    MAYBE(k, report_measure, j->measure, pack_measure);
    NUMBER(k, j->status);
}

void packed_write(const judged *j, buf *out)
{
    judged copy = *j;      /* its lists are not changed */
    pack_judged(&(packer){ .out = out }, &copy);
}

void packed_read(str bytes, judged *out)
{
    *out = (judged){ .memory = arena_new() };
    pack_judged(&(packer){ .in = bytes, .a = out->memory }, out);
}
