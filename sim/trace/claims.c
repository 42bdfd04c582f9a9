/* claims.c - the locks that a request is about, and what it asks of each: by the families' meanings of its words, else
 * by the keys of locks among them. */
#include "base/mem.h"
#include "trace/internal.h"

static claim copy_claim(asked *q, const claim *c)
{
    return (claim){ .op = c->op, .deed = c->deed, .lease_ms = c->lease_ms, .lock = arena_str(q->memory, c->lock),
                    .owner = arena_str(q->memory, c->owner) };
}

static void add_claim(tracer *t, traced *l, const claim *c)
{
    asked *q = &t->q;
    if (l->claimed == q->number)
        return;
    l->claimed = q->number;
    if (q->claim_count == q->claim_cap) {
        size_t cap = q->claim_cap;
        q->locks = mem_reserve(q->locks, &cap, q->claim_count + 1, sizeof(traced *));
        q->claims = mem_reserve(q->claims, &q->claim_cap, q->claim_count + 1, sizeof *q->claims);
    }
    q->claims[q->claim_count] = copy_claim(q, c);
    q->locks[q->claim_count++] = l;
}

void claims_of_families(tracer *t, int db, const str *argv, size_t argc, str sha)
{
    enum { FEW = 16 };
    claim few[FEW], *claims = argc <= FEW ? few : ARENA_ARRAY(t->q.memory, claim, argc);
    for (size_t i = 0; i < t->o.family_count; i++) {
        bool founds = false;
        size_t n = family_match(t->o.families[i], argv, argc, sha, claims, argc < FEW ? FEW : argc, &founds);
        for (size_t k = 0; k < n; k++) {
            traced *l = locks_find(t, db, claims[k].lock);
            if (!l && founds)
                l = locks_add(t, db, claims[k].lock, t->o.families[i]);
            if (l && (l->f == t->o.families[i] || !founds))
                add_claim(t, l, &claims[k]);
        }
        if (n > 0)
            return;
    }
}

void claims_of_keys(tracer *t, int db, const str *argv, size_t argc)
{
    if (!t->locks)
        return;
    for (size_t i = 1; i < argc; i++) {
        traced *l = locks_find(t, db, argv[i]);
        if (l)
            add_claim(t, l, &(claim){ .op = argv[0], .deed = DEED_OTHER, .lock = l->name, .lease_ms = LEASE_NONE });
    }
}

void claims_all(tracer *t)
{
    traced *l, *next;
    HASH_ITER(hh, t->locks, l, next) {
        add_claim(t, l, &(claim){ .op = t->q.argv[0], .deed = DEED_OTHER, .lock = l->name, .lease_ms = LEASE_NONE });
    }
}
