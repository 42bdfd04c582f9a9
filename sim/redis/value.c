/* value.c - see value.h: strings, lists and hashes, and what all kinds of values share. */
#include <string.h>

#include "redis/command.h"
#include "redis/value_inside.h"

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
    t->form = TEXT_SET;
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
    t->form = TEXT_GROWN;
}

static text_encoding encoding_of(str text, text_form form)
{
    int64_t n;
    if (form == TEXT_SET && parse_int(text, &n))
        return ENCODING_INT;
    return form == TEXT_GROWN || text.n > EMBSTR_BYTES_MAX ? ENCODING_RAW : ENCODING_EMBSTR;
}

text_encoding value_string_encoding(const value *v)
{
    return encoding_of(value_string(v), v->as.text.form);
}

bool value_string_mark(value *v, text_form form)
{
    text_encoding before = value_string_encoding(v);
    v->as.text.form = form;
    return value_string_encoding(v) != before;
}

text_form value_string_form(const value *v)
{
    text_form form = v->as.text.form;
    int64_t n;
    return form == TEXT_PLAIN && !parse_int(value_string(v), &n) ? TEXT_SET : form;
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

/* Leaves at least one free place before and after the elements. Doubling, and re-centring only when a quarter of the
 * room is free on either side, make a push O(1) over time. */
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
    list_shrank(v);
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
    list_shrank(v);
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
    list_shrank(v);
}

/* ---- hashes ---- */

static hash_field *field_find(const value *v, str name)
{
    assert(v->kind == VALUE_HASH);
    hash_field *f;
    HASH_FIND(hh, v->as.hash.fields, name.p, name.n, f);
    return f;
}

const hash_field *hash_find(const value *v, str name)
{
    return field_find(v, name);
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
    const hash_field *f = field_find(v, field);
    if (f)
        *text = hash_field_text(f);
    return f != NULL;
}

void hash_append(value *v, str name, str text, int64_t deadline_ms, bool in_order)
{
    hash_field *f = mem_zero(sizeof *f + name.n);
    f->n = name.n;
    f->deadline_ms = deadline_ms;
    if (name.n)
        memcpy(f->name, name.p, name.n);
    field_set_text(f, text);
    HASH_ADD_KEYPTR(hh, v->as.hash.fields, f->name, f->n, f);
    count_added(v, name.n + text.n + ELEMENT_BYTES);
    v->as.hash.dated += deadline_ms != FIELD_NO_DEADLINE;
    v->as.hash.in_order |= in_order;
    packing_grew(v, name, text);
    if (deadline_ms != FIELD_NO_DEADLINE)
        hash_make_dated(v);
}

bool hash_set_text(value *v, str name, str text)
{
    hash_field *f = field_find(v, name);
    if (!f) {
        hash_append(v, name, text, FIELD_NO_DEADLINE, false);
        return true;
    }
    count_added(v, text.n);
    count_removed(v, f->text_n);
    field_set_text(f, text);
    packing_grew(v, name, hash_field_text(f));
    return false;
}

/* Nothing is less than a field without a deadline, and of equal deadlines the later set one stands first. */
static int field_after(const hash_field *f, const hash_field *added)
{
    if (added->deadline_ms == FIELD_NO_DEADLINE)
        return -1;
    return f->deadline_ms == FIELD_NO_DEADLINE || f->deadline_ms >= added->deadline_ms ? 1 : -1;
}

void hash_set_deadline(value *v, str name, int64_t deadline_ms, bool in_order)
{
    hash_field *f = field_find(v, name);
    hash_value *h = &v->as.hash;
    assert(f);
    h->in_order |= in_order;
    h->dated += deadline_ms != FIELD_NO_DEADLINE;
    h->dated -= f->deadline_ms != FIELD_NO_DEADLINE;
    f->deadline_ms = deadline_ms;
    if (deadline_ms != FIELD_NO_DEADLINE)
        hash_make_dated(v);
    if (!h->in_order)
        return;
    HASH_DEL(h->fields, f);
    HASH_ADD_KEYPTR_INORDER(hh, h->fields, f->name, f->n, f, field_after);
}

bool hash_set(value *v, str name, str text)
{
    bool is_new = hash_set_text(v, name, text);
    if (v->as.hash.dated && field_find(v, name)->deadline_ms != FIELD_NO_DEADLINE)
        hash_set_deadline(v, name, FIELD_NO_DEADLINE, false);
    return is_new;
}

size_t hash_dated(const value *v)
{
    assert(v->kind == VALUE_HASH);
    return v->as.hash.dated;
}

static void field_free(hash_field *f)
{
    mem_free(f->text);
    mem_free(f);
}

static void field_remove(value *v, hash_field *f)
{
    count_removed(v, f->n + f->text_n + ELEMENT_BYTES);
    v->as.hash.dated -= f->deadline_ms != FIELD_NO_DEADLINE;
    HASH_DEL(v->as.hash.fields, f);
    field_free(f);
}

bool hash_del(value *v, str field)
{
    hash_field *f = field_find(v, field);
    if (f)
        field_remove(v, f);
    return f != NULL;
}

size_t hash_reap(value *v, int64_t now_ms)
{
    size_t gone = 0;
    for (hash_field *f = v->as.hash.fields, *next; f && v->as.hash.dated; f = next) {
        next = f->hh.next;
        if (f->deadline_ms == FIELD_NO_DEADLINE || f->deadline_ms >= now_ms)
            continue;
        field_remove(v, f);
        gone++;
    }
    return gone;
}

const hash_field *hash_next(const value *v, const hash_field *f)
{
    assert(v->kind == VALUE_HASH);
    return f ? f->hh.next : v->as.hash.fields;
}

str hash_field_name(const hash_field *f)
{
    return (str){ .p = f->name, .n = f->n };
}

str hash_field_text(const hash_field *f)
{
    return (str){ .p = f->text, .n = f->text_n };
}

int64_t hash_field_deadline_ms(const hash_field *f)
{
    return f->deadline_ms;
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
        to->as.text.form = v->as.text.form;
        break;
    case VALUE_LIST:
        for (size_t i = 0; i < count; i++)
            list_push(to, true, list_at(v, i));
        break;
    case VALUE_HASH:
        for (const hash_field *f = NULL; (f = hash_next(v, f));)
            hash_append(to, hash_field_name(f), hash_field_text(f), f->deadline_ms, v->as.hash.in_order);
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
    case VALUE_STREAM:
        for (size_t i = 0; i < count; i++) {
            const str *texts;
            size_t n;
            stream_id id = stream_at(v, i, &texts, &n);
            stream_append(to, id, texts, n);
        }
        stream_set_past(to, stream_past_of(v));
        stream_copy_groups(to, v);
        break;
    }
    to->packing = v->packing;
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
        for (hash_field *f = v->as.hash.fields, *next; f; f = next) {
            next = f->hh.next;
            HASH_DEL(v->as.hash.fields, f);
            field_free(f);
        }
        break;
    case VALUE_SET:
        set_free_members(&v->as.set);
        break;
    case VALUE_ZSET:
        zset_free_members(&v->as.zset);
        break;
    case VALUE_STREAM:
        stream_free_entries(&v->as.stream);
        stream_free_groups(&v->as.stream);
        break;
    }
    mem_free(v);
}

size_t value_bytes(const value *v)
{
    return v->bytes;
}

void value_account(value *v, value_home *home)
{
    assert(!v->home || v->home == home);
    if (v->home)
        return;
    home->bytes += v->bytes;
    v->home = home;
    if (home->packing.followed && v->packing == PACKING_UNSAID)
        value_unpack(v, packing_by_content(v));
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
    case VALUE_HASH:   return HASH_COUNT(v->as.hash.fields);
    case VALUE_SET:    return v->as.set.members.count;
    case VALUE_ZSET:   return HASH_COUNT(v->as.zset.by_name);
    case VALUE_STREAM: return v->as.stream.count;
    }
    return 0;
}
