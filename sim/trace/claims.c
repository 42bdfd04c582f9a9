/* claims.c - the locks that a request is about, and what it asks of each: by the families' meanings of its words, else
 * by the keys of locks among them. */
#include "base/mem.h"
#include "trace/internal.h"

static bool has_claim(const asked *q, const traced *l)
{
    for (size_t i = 0; i < q->claim_count; i++)
        if (q->locks[i] == l)
            return true;
    return false;
}

static claim copy_claim(asked *q, const claim *c)
{
    return (claim){ .op = c->op, .deed = c->deed, .lease_ms = c->lease_ms, .lock = arena_str(q->memory, c->lock),
                    .owner = arena_str(q->memory, c->owner) };
}

static void add_claim(tracer *t, traced *l, const claim *c)
{
    asked *q = &t->q;
    if (q->claim_count == CLAIMS_MAX || has_claim(q, l))
        return;
    q->claims[q->claim_count] = copy_claim(q, c);
    q->locks[q->claim_count++] = l;
}

void claims_of_families(tracer *t, int db, const str *argv, size_t argc, str sha)
{
    claim claims[CLAIMS_MAX];
    for (size_t i = 0; i < t->o.family_count; i++) {
        bool founds = false;
        size_t n = family_match(t->o.families[i], argv, argc, sha, claims, COUNT(claims), &founds);
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
    enum { WORDS_MAX = 64 };
    if (!t->locks)
        return;
    for (size_t i = 1; i < argc && i < WORDS_MAX; i++) {
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
