/* value.c - see value.h. Every element is a block of its own, so that moving elements about moves pointers only. */
#include "redis/value.h"

#include <assert.h>
#include <string.h>

#include "redis/command.h"
#include "redis/dict.h"
#include "redis/sorted.h"

enum { INTSET_MAX = 512 };                         /* set-max-intset-entries of a default redis.conf */

/* An element of a list. */
typedef struct {
    size_t n;
    char p[];
} cell;

/* A member of a set. */
typedef struct {
    size_t n;
    bool is_integer;
    int64_t integer;
    const char *p;                                 /* follows this struct, or borrowed in a probe */
} member;

struct hash_field {
    UT_hash_handle hh;
    char *text;                                    /* own block: a hash value is overwritten far more often than added */
    size_t text_n, text_cap;
    size_t n;
    char name[];
};

/* A member of a sorted set: in the table by name and in the sequence by score and name. */
typedef struct {
    UT_hash_handle hh;
    double score;
    size_t n;
    const char *p;                                 /* follows this struct, or borrowed in a probe */
} scored;

typedef struct {
    char *p;
    size_t n, cap;
} text_value;

/* at[head .. head + count): room on both sides. */
typedef struct {
    cell **at;
    size_t head, count, cap;
} list_value;

typedef struct {
    sorted members;
    size_t others;                                 /* members that are no canonical integer */
    bool numeric;                                  /* the order in use */
} set_value;

typedef struct {
    scored *by_name;
    sorted by_score;
} zset_value;

struct value {
    value_kind kind;
    size_t bytes, *total;                          /* see value_account */
    union {
        text_value text;
        list_value list;
        hash_field *hash;
        set_value set;
        zset_value zset;
    } as;
};

enum { ELEMENT_BYTES = 64 };                       /* blocks, pointers, table entries: about */

static void count_added(value *v, size_t bytes)
{
    v->bytes += bytes;
    if (v->total)
        *v->total += bytes;
}

static void count_removed(value *v, size_t bytes)
{
    assert(v->bytes >= bytes);
    v->bytes -= bytes;
    if (v->total)
        *v->total -= bytes;
}

/* ---- strings ---- */

str value_string(const value *v)
{
    assert(v->kind == VALUE_STRING);
    return (str){ .p = v->as.text.p ? v->as.text.p : "", .n = v->as.text.n };
}

void value_string_set(value *v, str text)
{
    assert(v->kind == VALUE_STRING);
    text_value *t = &v->as.text;
    count_added(v, text.n);
    count_removed(v, t->n);
    if (text.n > t->cap) {
        char *old = t->p;                          /* kept until the copy is made: text may lie in it */
        t->p = mem_alloc(text.n);
        t->cap = text.n;
        memcpy(t->p, text.p, text.n);
        mem_free(old);
    } else if (text.n) {
        memmove(t->p, text.p, text.n);
    }
    t->n = text.n;
}

void value_string_write(value *v, size_t at, str text)
{
    assert(v->kind == VALUE_STRING);
    assert(text.n <= SIZE_MAX - at);
    text_value *t = &v->as.text;
    MEM_RESERVE(t->p, t->cap, at + text.n);
    if (at > t->n)
        memset(t->p + t->n, 0, at - t->n);
    if (text.n)
        memcpy(t->p + at, text.p, text.n);
    if (t->n < at + text.n) {
        count_added(v, at + text.n - t->n);
        t->n = at + text.n;
    }
}

/* ---- lists ---- */

static cell *cell_new(str s)
{
    cell *c = mem_alloc(sizeof *c + s.n);
    c->n = s.n;
    if (s.n)
        memcpy(c->p, s.p, s.n);
    return c;
}

static list_value *list_of(const value *v)
{
    assert(v->kind == VALUE_LIST);
    return (list_value *)&v->as.list;
}

str list_at(const value *v, size_t i)
{
    const list_value *l = list_of(v);
    assert(i < l->count);
    const cell *c = l->at[l->head + i];
    return (str){ .p = c->p, .n = c->n };
}

/* Leaves at least one free place before and after the elements. Doubling, and re-centring only when a quarter of the room
 * is free on either side, make a push O(1) over time. */
static void list_make_room(list_value *l)
{
    if (l->head > 0 && l->head + l->count < l->cap)
        return;
    size_t cap = l->count * 2 >= l->cap ? l->cap * 2 : l->cap;
    if (cap < 8)
        cap = 8;
    size_t head = (cap - l->count) / 2;
    if (cap == l->cap) {
        memmove(l->at + head, l->at + l->head, l->count * sizeof *l->at);
    } else {
        cell **at = mem_alloc(cap * sizeof *at);
        if (l->count)
            memcpy(at + head, l->at + l->head, l->count * sizeof *at);
        mem_free(l->at);
        l->at = at;
        l->cap = cap;
    }
    l->head = head;
    assert(l->head > 0 && l->head + l->count < l->cap);
}

void list_push(value *v, bool tail, str element)
{
    list_value *l = list_of(v);
    list_make_room(l);
    if (!tail)
        l->head--;
    l->at[tail ? l->head + l->count : l->head] = cell_new(element);
    l->count++;
    count_added(v, element.n + ELEMENT_BYTES);
}

void list_pop(value *v, bool tail)
{
    list_value *l = list_of(v);
    assert(l->count > 0);
    cell *gone = l->at[tail ? l->head + l->count - 1 : l->head];
    count_removed(v, gone->n + ELEMENT_BYTES);
    mem_free(gone);
    if (!tail)
        l->head++;
    l->count--;
}

void list_insert(value *v, size_t before, str element)
{
    list_value *l = list_of(v);
    assert(before <= l->count);
    list_make_room(l);
    cell **at = l->at + l->head + before;
    memmove(at + 1, at, (l->count - before) * sizeof *at);
    *at = cell_new(element);
    l->count++;
    count_added(v, element.n + ELEMENT_BYTES);
}

void list_set(value *v, size_t i, str element)
{
    list_value *l = list_of(v);
    assert(i < l->count);
    cell *old = l->at[l->head + i];
    l->at[l->head + i] = cell_new(element);        /* before the old one goes: element may lie in it */
    count_added(v, element.n);
    count_removed(v, old->n);
    mem_free(old);
}

void list_remove(value *v, size_t from, size_t count)
{
    list_value *l = list_of(v);
    assert(from <= l->count && count <= l->count - from);
    cell **at = l->at + l->head + from;
    for (size_t i = 0; i < count; i++) {
        count_removed(v, at[i]->n + ELEMENT_BYTES);
        mem_free(at[i]);
    }
    if (from == 0)
        l->head += count;
    else if (count)
        memmove(at, at + count, (l->count - from - count) * sizeof *at);
    l->count -= count;
}

/* ---- hashes ---- */

static hash_field *hash_find(const value *v, str name)
{
    assert(v->kind == VALUE_HASH);
    hash_field *f;
    HASH_FIND(hh, v->as.hash, name.p, name.n, f);
    return f;
}

static void field_set_text(hash_field *f, str text)
{
    if (text.n > f->text_cap || !f->text) {
        char *old = f->text;
        f->text_cap = text.n < 16 ? 16 : text.n;
        f->text = mem_alloc(f->text_cap);
        if (text.n)
            memcpy(f->text, text.p, text.n);
        mem_free(old);
    } else if (text.n) {
        memmove(f->text, text.p, text.n);
    }
    f->text_n = text.n;
}

bool hash_get(const value *v, str field, str *text)
{
    const hash_field *f = hash_find(v, field);
    if (f)
        *text = hash_field_text(f);
    return f != NULL;
}

bool hash_set(value *v, str field, str text)
{
    hash_field *f = hash_find(v, field);
    bool is_new = !f;
    if (is_new) {
        f = mem_zero(sizeof *f + field.n);
        f->n = field.n;
        if (field.n)
            memcpy(f->name, field.p, field.n);
        field_set_text(f, text);
        HASH_ADD_KEYPTR(hh, v->as.hash, f->name, f->n, f);
        count_added(v, field.n + text.n + ELEMENT_BYTES);
    } else {
        count_added(v, text.n);
        count_removed(v, f->text_n);
        field_set_text(f, text);
    }
    return is_new;
}

static void field_free(hash_field *f)
{
    mem_free(f->text);
    mem_free(f);
}

bool hash_del(value *v, str field)
{
    hash_field *f = hash_find(v, field);
    if (!f)
        return false;
    count_removed(v, f->n + f->text_n + ELEMENT_BYTES);
    HASH_DEL(v->as.hash, f);
    field_free(f);
    return true;
}

const hash_field *hash_next(const value *v, const hash_field *f)
{
    assert(v->kind == VALUE_HASH);
    return f ? f->hh.next : v->as.hash;
}

str hash_field_name(const hash_field *f)
{
    return (str){ .p = f->name, .n = f->n };
}

str hash_field_text(const hash_field *f)
{
    return (str){ .p = f->text, .n = f->text_n };
}

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

bool zset_put(value *v, str text, double score)
{
    assert(score == score);                        /* not NaN */
    zset_value *z = &v->as.zset;
    score = score == 0 ? 0 : score;                /* -0 as 0 */
    scored *m = zset_find(v, text);
    bool is_new = !m;
    if (is_new) {
        m = mem_zero(sizeof *m + text.n);
        m->n = text.n;
        if (text.n)
            memcpy(m + 1, text.p, text.n);
        m->p = (const char *)(m + 1);
        HASH_ADD_KEYPTR(hh, z->by_name, m->p, m->n, m);
        count_added(v, text.n + ELEMENT_BYTES * 2);
    } else if (m->score == score) {
        return false;
    } else {
        sorted_remove(&z->by_score, scored_cmp, m);
    }
    m->score = score;
    sorted_insert(&z->by_score, scored_cmp, m);
    return is_new;
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

/* ---- any kind ---- */

value *value_new(value_kind kind)
{
    value *v = mem_zero(sizeof *v);
    v->kind = kind;
    if (kind == VALUE_SET)
        v->as.set.numeric = true;                  /* an empty set holds nothing but integers */
    return v;
}

value *value_new_string(str text)
{
    value *v = value_new(VALUE_STRING);
    value_string_set(v, text);
    return v;
}

value *value_copy(const value *v)
{
    value *to = value_new(v->kind);
    size_t count = value_count(v);
    switch (v->kind) {
    case VALUE_STRING:
        value_string_set(to, value_string(v));
        break;
    case VALUE_LIST:
        for (size_t i = 0; i < count; i++)
            list_push(to, true, list_at(v, i));
        break;
    case VALUE_HASH:
        for (const hash_field *f = NULL; (f = hash_next(v, f));)
            hash_set(to, hash_field_name(f), hash_field_text(f));
        break;
    case VALUE_SET:
        for (size_t i = 0; i < count; i++)
            set_add(to, set_at(v, i));
        break;
    case VALUE_ZSET:
        for (size_t i = 0; i < count; i++) {
            double score;
            str name = zset_at(v, i, &score);
            zset_put(to, name, score);
        }
        break;
    }
    return to;
}

void value_free(value *v)
{
    if (!v)
        return;
    count_removed(v, v->bytes);
    size_t count = value_count(v);
    switch (v->kind) {
    case VALUE_STRING:
        mem_free(v->as.text.p);
        break;
    case VALUE_LIST:
        for (size_t i = 0; i < count; i++)
            mem_free(v->as.list.at[v->as.list.head + i]);
        mem_free(v->as.list.at);
        break;
    case VALUE_HASH:
        for (hash_field *f = v->as.hash, *next; f; f = next) {
            next = f->hh.next;
            HASH_DEL(v->as.hash, f);
            field_free(f);
        }
        break;
    case VALUE_SET:
        for (size_t i = 0; i < count; i++)
            mem_free(sorted_at(&v->as.set.members, i));
        sorted_free(&v->as.set.members);
        break;
    case VALUE_ZSET:
        for (scored *m = v->as.zset.by_name, *next; m; m = next) {
            next = m->hh.next;
            HASH_DEL(v->as.zset.by_name, m);
            mem_free(m);
        }
        sorted_free(&v->as.zset.by_score);
        break;
    }
    mem_free(v);
}

size_t value_bytes(const value *v)
{
    return v->bytes;
}

void value_account(value *v, size_t *total)
{
    assert(!v->total || v->total == total);
    if (!v->total)
        *total += v->bytes;
    v->total = total;
}

value_kind value_kind_of(const value *v)
{
    return v->kind;
}

size_t value_count(const value *v)
{
    switch (v->kind) {
    case VALUE_STRING: return v->as.text.n;
    case VALUE_LIST:   return v->as.list.count;
    case VALUE_HASH:   return HASH_COUNT(v->as.hash);
    case VALUE_SET:    return v->as.set.members.count;
    case VALUE_ZSET:   return HASH_COUNT(v->as.zset.by_name);
    }
    return 0;
}
