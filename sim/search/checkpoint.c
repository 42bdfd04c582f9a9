/* checkpoint.c - see checkpoint.h. */
#include "search/checkpoint.h"

#include <assert.h>
#include <string.h>

/* ---- the journal ---- */

/* Before the row: what was asked, and how much was known afterwards. */
enum { HEAD_WORDS = 3 };

uint64_t journal_known(vectors *t)
{
    part_counts c = parts_count(vectors_parts(t));
    return vectors_learned(t) + c.scripts + c.clients + c.nodes + c.servers + c.models + c.events;
}

void journal_add(journal *j, vectors *t, asked_kind kind, const uint32_t *row)
{
    uint64_t known = journal_known(t);
    MEM_RESERVE(j->words, j->cap, j->count + HEAD_WORDS + j->width);
    uint32_t *to = j->words + j->count;
    to[0] = kind;
    to[1] = (uint32_t)known;
    to[2] = (uint32_t)(known >> 32);
    memcpy(to + HEAD_WORDS, row, j->width * sizeof *row);
    j->count += HEAD_WORDS + j->width;
}

/* Asks the same again. false: something else was learned. */
static bool learn_again(vectors *t, const journal *j)
{
    for (size_t at = 0; at < j->count; at += HEAD_WORDS + j->width) {
        const uint32_t *head = j->words + at, *row = head + HEAD_WORDS;
        const happening *list;
        size_t count, same;
        if (head[0] == ASKED_FOLD)
            vectors_fold(t, row);
        else if (head[0] == ASKED_SETTLE)
            vectors_settle(t, row);
        else if (!vectors_look(t, row, &list, &count, &same))
            vectors_forgive(t);        /* the search will meet it again */
        else if (head[0] == ASKED_AMPLE)
            vectors_ample(t, row, list, count);
        if (journal_known(t) != ((uint64_t)head[2] << 32 | head[1]))
            return false;
    }
    return true;
}

/* ---- saving ---- */

typedef struct { const checkpointed *c; const checkpoints *to; } writer;

typedef struct { uint64_t hi; uint32_t lo, number, parent, none; } state_record;

static void put(const writer *w, const void *bytes, size_t n)
{
    w->to->put(w->to->context, bytes, n);
}

static void put_u64(const writer *w, uint64_t v)
{
    put(w, &v, sizeof v);
}

static void put_state(void *context, print p, uint32_t number, uint32_t parent)
{
    state_record r = { .hi = p.hi, .lo = p.lo, .number = number, .parent = parent };
    put(context, &r, sizeof r);
}

static void put_findings(const writer *w, const hunt *h)
{
    for (int p = 0; p < PROPERTY_COUNT; p++) {
        const finding *f = &h->found[p];
        uint64_t kept[] = { f->yes, f->steps, f->state, f->choice, f->settled };
        put(w, kept, sizeof kept);
    }
}

static void put_level(const writer *w, const level *l, size_t from)
{
    put_u64(w, l->first);
    put_u64(w, l->count);
    for (size_t i = from; i < l->count; i++)
        put(w, level_row(l, i), l->width * sizeof(uint32_t));
}

bool checkpoint_save(const checkpointed *c, const standing *at)
{
    writer w = { .c = c, .to = c->h->o->checkpoints };
    if (!w.to->begin(w.to->context, c->attempt))
        return false;
    put(&w, at, sizeof *at);
    put_findings(&w, c->h);
    for (size_t op = 0; op < MEETINGS_MAX; op++)
        put_u64(&w, c->h->meetings ? meetings_met(c->h->meetings, (uint8_t)op) : 0);
    put_u64(&w, c->learned->count);
    put(&w, c->learned->words, c->learned->count * sizeof *c->learned->words);
    put_u64(&w, visited_count(c->seen));
    visited_each(c->seen, put_state, &w);
    put_level(&w, c->now, at->at);
    put_level(&w, c->next, 0);
    return w.to->end(w.to->context);
}

/* ---- loading ---- */

/* The bytes are whole: they were compared with their sum. */
static void get(str *from, void *to, size_t n)
{
    assert(n <= from->n);
    if (n > 0)
        memcpy(to, from->p, n);
    from->p += n;
    from->n -= n;
}

static uint64_t get_u64(str *from)
{
    uint64_t v;
    get(from, &v, sizeof v);
    return v;
}

static void get_findings(str *from, hunt *h)
{
    for (int p = 0; p < PROPERTY_COUNT; p++) {
        finding *f = &h->found[p];
        uint64_t kept[5];
        get(from, kept, sizeof kept);
        f->yes = kept[0];
        f->steps = kept[1];
        f->state = (uint32_t)kept[2];
        f->choice = kept[3];
        f->settled = kept[4];
    }
}

static void get_met(str *from, hunt *h)
{
    for (size_t op = 0; op < MEETINGS_MAX; op++) {
        uint64_t places = get_u64(from);
        if (h->meetings)
            meetings_meet(h->meetings, (uint8_t)op, places);
    }
}

static bool get_states(str *from, visited *seen)
{
    uint64_t count = get_u64(from);
    bool ok = visited_begin_again(seen, count);
    for (uint64_t i = 0; i < count; i++) {
        state_record r;
        get(from, &r, sizeof r);
        ok = ok && visited_put_again(seen, (print){ .hi = r.hi, .lo = r.lo }, r.number, r.parent);
    }
    return ok;
}

static void get_level(str *from, level *l, size_t begin)
{
    l->first = (uint32_t)get_u64(from);
    size_t count = get_u64(from);
    level_extend(l, count);
    for (size_t i = begin; i < count; i++)
        get(from, level_row(l, i), l->width * sizeof(uint32_t));
}

static bool refuse(hunt *h, err_class class_, const char *why)
{
    h->failed = h->refused = true;
    err_at(&h->out->error, class_, h->sc->path, 0, 0, "cannot go on from what is kept of it: %s", why);
    err_hint(&h->out->error, "--checkpoint instead of --resume begins anew");
    return false;
}

bool checkpoint_load(const checkpointed *c, standing *at)
{
    const checkpoints *kept = c->h->o->checkpoints;
    str from;
    if (!kept->open(kept->context, c->attempt, &from))
        return false;
    get(&from, at, sizeof *at);
    get_findings(&from, c->h);
    get_met(&from, c->h);
    journal *j = c->learned;
    j->count = get_u64(&from);
    MEM_RESERVE(j->words, j->cap, j->count);
    get(&from, j->words, j->count * sizeof *j->words);
    bool learned = learn_again(c->t, j), room = learned && get_states(&from, c->seen);
    if (room) {
        get_level(&from, c->now, at->at);
        get_level(&from, c->next, 0);
        assert(from.n == 0);
    }
    kept->close(kept->context);
    if (!learned)
        return refuse(c->h, ERR_BUG, "what is learned anew is not what was learned before; this is a mistake of "
                      "locksim's");
    return room || refuse(c->h, ERR_SCENARIO, "its states do not fit into the limit of memory (--max-memory)");
}
