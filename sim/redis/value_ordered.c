/* value_ordered.c - see value.h: sets and sorted sets, which keep their members in an order of their own. */
#include <string.h>

#include "redis/command.h"
#include "redis/value_inside.h"

enum { INTSET_MAX = 512 };                         /* set-max-intset-entries of a default redis.conf */

/* ---- sets ---- */

static int member_bytes_cmp(const void *x, const void *y)
{
    const member *a = x, *b = y;
    return str_cmp((str){ a->p, a->n }, (str){ b->p, b->n });
}

static int member_number_cmp(const void *x, const void *y)
{
    const member *a = x, *b = y;
    return (a->integer > b->integer) - (a->integer < b->integer);
}

static member member_probe(str s)
{
    member m = { .n = s.n, .p = s.n ? s.p : "" };
    m.is_integer = parse_int(s, &m.integer);
    return m;
}

static sorted_cmp *set_order(const set_value *s)
{
    return s->numeric ? member_number_cmp : member_bytes_cmp;
}

/* The order is a function of the members alone, so that two sets with the same members are the same set. */
static void set_choose_order(set_value *s)
{
    bool numeric = s->others == 0 && s->members.count <= INTSET_MAX;
    if (numeric == s->numeric)
        return;
    sorted old = s->members;
    s->members = (sorted){ 0 };
    s->numeric = numeric;
    for (size_t i = 0; i < old.count; i++)
        sorted_insert(&s->members, set_order(s), sorted_at(&old, i));
    sorted_free(&old);
}

static const member *set_find(const value *v, str s)
{
    assert(v->kind == VALUE_SET);
    member probe = member_probe(s);
    if (v->as.set.numeric && !probe.is_integer)
        return NULL;
    return sorted_find(&v->as.set.members, set_order(&v->as.set), &probe);
}

bool set_has(const value *v, str text)
{
    return set_find(v, text) != NULL;
}

bool set_add(value *v, str text)
{
    if (set_find(v, text))
        return false;
    set_value *s = &v->as.set;
    member *m = mem_alloc(sizeof *m + text.n);
    *m = member_probe(text);
    if (text.n)
        memcpy(m + 1, text.p, text.n);
    m->p = (const char *)(m + 1);
    count_added(v, text.n + ELEMENT_BYTES);
    if (!m->is_integer) {
        s->others++;
        set_choose_order(s);                       /* first: a text cannot be compared as a number */
    }
    sorted_insert(&s->members, set_order(s), m);
    set_choose_order(s);
    packing_grew(v, (str){ m->p, m->n }, S(""));
    return true;
}

bool set_del(value *v, str text)
{
    const member *found = set_find(v, text);
    if (!found)
        return false;
    set_value *s = &v->as.set;
    member *m = sorted_remove(&s->members, set_order(s), found);
    assert(m == found);
    s->others -= !m->is_integer;
    count_removed(v, m->n + ELEMENT_BYTES);
    mem_free(m);
    set_choose_order(s);
    return true;
}

str set_at(const value *v, size_t i)
{
    assert(v->kind == VALUE_SET);
    const member *m = sorted_at(&v->as.set.members, i);
    return (str){ .p = m->p, .n = m->n };
}

void set_free_members(set_value *s)
{
    for (size_t i = 0; i < s->members.count; i++)
        mem_free(sorted_at(&s->members, i));
    sorted_free(&s->members);
}

/* ---- sorted sets ---- */

static int scored_cmp(const void *x, const void *y)
{
    const scored *a = x, *b = y;
    if (a->score != b->score)
        return a->score < b->score ? -1 : 1;
    return str_cmp((str){ a->p, a->n }, (str){ b->p, b->n });
}

static scored *zset_find(const value *v, str name)
{
    assert(v->kind == VALUE_ZSET);
    scored *m;
    HASH_FIND(hh, v->as.zset.by_name, name.p, name.n, m);
    return m;
}

bool zset_score(const value *v, str text, double *score)
{
    const scored *m = zset_find(v, text);
    if (m)
        *score = m->score;
    return m != NULL;
}

/* Most often all scores change by the same, and the order does not. */
static void move(sorted *by_score, scored *m, double score)
{
    scored then = *m;
    then.score = score;
    bool stays = sorted_stays(by_score, scored_cmp, m, &then);
    if (!stays)
        sorted_remove(by_score, scored_cmp, m);
    m->score = score;
    if (!stays)
        sorted_insert(by_score, scored_cmp, m);
}

bool zset_put(value *v, str text, double score)
{
    assert(score == score);                        /* not NaN */
    zset_value *z = &v->as.zset;
    score = score == 0 ? 0 : score;                /* -0 as 0 */
    scored *m = zset_find(v, text);
    if (!m) {
        m = mem_zero(sizeof *m + text.n);
        m->score = score;
        m->n = text.n;
        if (text.n)
            memcpy(m + 1, text.p, text.n);
        m->p = (const char *)(m + 1);
        HASH_ADD_KEYPTR(hh, z->by_name, m->p, m->n, m);
        count_added(v, text.n + ELEMENT_BYTES * 2);
        sorted_insert(&z->by_score, scored_cmp, m);
        packing_grew(v, (str){ m->p, m->n }, S(""));
        return true;
    }
    if (m->score != score)
        move(&z->by_score, m, score);
    return false;
}

bool zset_del(value *v, str text)
{
    scored *m = zset_find(v, text);
    if (!m)
        return false;
    count_removed(v, m->n + ELEMENT_BYTES * 2);
    sorted_remove(&v->as.zset.by_score, scored_cmp, m);
    HASH_DEL(v->as.zset.by_name, m);
    mem_free(m);
    return true;
}

bool zset_rank(const value *v, str text, size_t *rank)
{
    const scored *m = zset_find(v, text);
    if (m)
        *rank = sorted_lower(&v->as.zset.by_score, scored_cmp, m);
    return m != NULL;
}

str zset_at(const value *v, size_t rank, double *score)
{
    assert(v->kind == VALUE_ZSET);
    const scored *m = sorted_at(&v->as.zset.by_score, rank);
    *score = m->score;
    return (str){ .p = m->p, .n = m->n };
}

static int score_below(const void *item, const void *min)
{
    return ((const scored *)item)->score < *(const double *)min ? -1 : 1;
}

static int score_not_above(const void *item, const void *min)
{
    return ((const scored *)item)->score <= *(const double *)min ? -1 : 1;
}

size_t zset_lower(const value *v, double min, bool exclusive)
{
    assert(v->kind == VALUE_ZSET);
    return sorted_lower(&v->as.zset.by_score, exclusive ? score_not_above : score_below, &min);
}

void zset_free_members(zset_value *z)
{
    for (scored *m = z->by_name, *next; m; m = next) {
        next = m->hh.next;
        HASH_DEL(z->by_name, m);
        mem_free(m);
    }
    sorted_free(&z->by_score);
}
