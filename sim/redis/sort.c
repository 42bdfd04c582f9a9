/* sort.c - SORT and SORT_RO of Redis 7.0: sorts a list, set or sorted set, by its elements or by other keys derived
 * from them, and answers the elements or such keys. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "redis/collection.h"
#include "redis/field.h"
#include "redis/server.h"

typedef struct {
    bool descending, alpha, unsorted;
    int64_t from, count;           /* LIMIT; count -1: all */
    str by, store;                 /* .p NULL: not given */
    const str **gets;              /* patterns, in order */
    size_t get_count;
} sort_args;

static bool parse(const call *c, bool may_store, sort_args *a, reply *r)
{
    *a = (sort_args){ .count = -1, .gets = ARENA_ARRAY(c->out, const str *, c->argc) };
    for (size_t i = 2; i < c->argc; i++) {
        size_t left = c->argc - i - 1;
        if (arg_is(c, i, S("asc"))) {
            a->descending = false;
        } else if (arg_is(c, i, S("desc"))) {
            a->descending = true;
        } else if (arg_is(c, i, S("alpha"))) {
            a->alpha = true;
        } else if (arg_is(c, i, S("limit")) && left >= 2) {
            if (!parse_int(c->argv[i + 1], &a->from) || !parse_int(c->argv[i + 2], &a->count))
                return *r = reply_not_integer(), false;
            i += 2;
        } else if (may_store && arg_is(c, i, S("store")) && left >= 1) {
            a->store = c->argv[++i];
            a->store.p = a->store.p ? a->store.p : "";
        } else if (arg_is(c, i, S("by")) && left >= 1) {
            a->by = c->argv[++i];
            a->by.p = a->by.p ? a->by.p : "";
            a->unsorted |= str_find(str_slice(a->by, 0, str_find(a->by, '\0', 0)), '*', 0) >= str_find(a->by, '\0', 0);
        } else if (arg_is(c, i, S("get")) && left >= 1) {
            a->gets[a->get_count++] = &c->argv[++i];
        } else {
            return *r = reply_syntax(), false;
        }
    }
    return true;
}

/* ---- the value of a pattern for an element ---- */

/* The key "a" of "a->field"; the whole text and no field, if nothing follows the arrow. */
static str split_field(str pattern, size_t from, str *field)
{
    *field = (str){ 0 };
    for (size_t i = from; i + 2 < pattern.n; i++)
        if (pattern.p[i] == '-' && pattern.p[i + 1] == '>' && pattern.p[i + 2] != '\0') {
            *field = str_slice(pattern, i + 2, pattern.n);
            return str_slice(pattern, 0, i);
        }
    return pattern;
}

/* The text with the element for its star. All three may hold NUL bytes. */
static str substitute(arena *a, str text, size_t star, str element)
{
    char *to = arena_alloc(a, text.n + element.n);
    memcpy(to, text.p, star);
    memcpy(to + star, element.p, element.n);
    memcpy(to + star + element.n, text.p + star + 1, text.n - star - 1);
    return (str){ to, text.n - 1 + element.n };
}

static bool find_field(const call *c, str key, value *v, str name, str *found)
{
    const hash_field *f = value_kind_of(v) == VALUE_HASH ? field_look(c, key, &v, name) : NULL;
    if (f)
        *found = hash_field_text(f);
    return f != NULL;
}

/* False: there is no such key or field, or it holds something else. */
static bool look_up(const call *c, str pattern, str element, str *found)
{
    if (str_eq(pattern, S("#"))) {
        *found = element;
        return true;
    }
    size_t star = str_find(pattern, '*', 0);
    if (star >= pattern.n || str_find(pattern, '\0', 0) < star)
        return false;
    str field, key = split_field(pattern, star + 1, &field);
    key = substitute(c->out, key, star, element);
    value *v = store_find(c->st, c->db, key);
    if (!v)
        return false;
    if (field.p)
        return find_field(c, key, v, field, found);
    if (value_kind_of(v) != VALUE_STRING)
        return false;
    *found = value_string(v);
    return true;
}

/* ---- ordering ---- */

typedef struct {
    bool descending, alpha, by_weight, whole;      /* whole: NUL bytes count, too */
} order;

typedef struct {
    const order *by;                               /* the same for all: qsort has no room for it */
    str element, weight;
    bool has_weight;
    double number;
    size_t place;
} item;

/* As strcoll in the C locale: up to the first NUL byte, unless the result is stored. */
static int text_cmp(const order *by, str x, str y)
{
    if (!by->whole) {
        x = str_slice(x, 0, str_find(x, '\0', 0));
        y = str_slice(y, 0, str_find(y, '\0', 0));
    }
    return str_cmp(x, y);
}

static int item_cmp(const void *p, const void *q)
{
    const item *x = p, *y = q;
    const order *by = x->by;
    int cmp;
    if (!by->alpha)
        cmp = x->number > y->number ? 1 : x->number < y->number ? -1 : str_cmp(x->element, y->element);
    else if (!by->by_weight)
        cmp = text_cmp(by, x->element, y->element);
    else if (x->has_weight && y->has_weight)
        cmp = text_cmp(by, x->weight, y->weight);
    else
        cmp = x->has_weight - y->has_weight;
    if (cmp == 0)
        return x->place < y->place ? -1 : x->place > y->place;         /* Redis leaves it open */
    return by->descending ? -cmp : cmp;
}

static bool number_of(str text, double *n)
{
    char *end;
    errno = 0;
    *n = strtod(text.p, &end);
    return *end == '\0' && errno != ERANGE && !isnan(*n);
}

/* False: a weight is no number. */
static bool sort_items(const call *c, const sort_args *a, item *items, size_t n)
{
    const order by = { .descending = a->descending, .alpha = a->alpha, .by_weight = a->by.p != NULL,
                       .whole = a->store.p != NULL };
    bool ok = true;
    for (size_t i = 0; i < n; i++) {
        items[i].by = &by;
        items[i].has_weight = a->by.p ? look_up(c, a->by, items[i].element, &items[i].weight) : true;
        if (!a->by.p)
            items[i].weight = items[i].element;
        if (!a->alpha && items[i].has_weight)
            ok &= number_of(arena_str(c->out, items[i].weight), &items[i].number);
    }
    if (n > 0 && ok)
        qsort(items, n, sizeof *items, item_cmp);
    return ok;
}

/* ---- the command ---- */

static str element_at(const value *v, size_t i)
{
    double unused;
    return value_kind_of(v) == VALUE_LIST ? list_at(v, i) : value_kind_of(v) == VALUE_SET ? set_at(v, i)
           : zset_at(v, i, &unused);
}

static item *collect(const call *c, const value *v, bool backwards, size_t *n)
{
    *n = v ? value_count(v) : 0;
    item *items = ARENA_ARRAY(c->out, item, *n + 1);
    for (size_t i = 0; i < *n; i++)
        items[i] = (item){ .element = arena_str(c->out, element_at(v, backwards ? *n - 1 - i : i)), .place = i };
    return items;
}

/* Which of n are wanted: [*from, *to). */
static void limit(const sort_args *a, size_t n, size_t *from, size_t *to)
{
    *from = a->from < 0 ? 0 : (uint64_t)a->from > n ? n : (size_t)a->from;
    size_t left = n - *from;
    *to = a->count < 0 || (uint64_t)a->count > left ? n : *from + (size_t)a->count;
}

static reply answer(const call *c, const sort_args *a, const item *items, size_t n)
{
    size_t per = a->get_count ? a->get_count : 1;
    reply r = reply_items(c->out, REPLY_ARRAY, n * per);
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < per; k++) {
            str found = items[i].element;
            if (!a->get_count || look_up(c, *a->gets[k], items[i].element, &found))
                r.items[i * per + k] = reply_bulk(arena_str(c->out, found));
        }
    return r;
}

static reply store_answer(const call *c, str key, const reply *r)
{
    value *list = value_new(VALUE_LIST);
    for (size_t i = 0; i < r->count; i++)
        list_push(list, true, r->items[i].kind == REPLY_BULK ? r->items[i].text : S(""));
    return collection_store(c, key, list, (happened){ NOTIFY_LIST, "sortstore" });
}

static reply sort(const call *c, bool may_store)
{
    sort_args a;
    reply r;
    if (!parse(c, may_store, &a, &r))
        return r;
    value *v = store_find(c->st, c->db, c->argv[1]);
    if (v && value_kind_of(v) != VALUE_LIST && value_kind_of(v) != VALUE_SET && value_kind_of(v) != VALUE_ZSET)
        return reply_wrongtype();
    if (v && value_kind_of(v) == VALUE_ZSET && c->server->limits.packings &&
        value_packing(v) != UNPACKED && !c->server->only_looked_at) {
        value_unpack(v, UNPACKED);                 /* by any SORT of it, in any order */
        store_touch_unwatched(c->st);
    }
    if (a.unsorted && v && value_kind_of(v) == VALUE_SET && (a.store.p || c->in_script)) {
        a.unsorted = false;                        /* a set has no order of its own that scripts and replicas may rely
                                                    * on */
        a.alpha = true;
        a.by.p = NULL;
    }
    size_t n, from, to;
    item *items = collect(c, v, a.unsorted && a.descending && v && value_kind_of(v) != VALUE_SET, &n);
    limit(&a, n, &from, &to);
    if (!a.unsorted && !sort_items(c, &a, items, n))
        return reply_error(S("ERR One or more scores can't be converted into double"));
    r = answer(c, &a, items + from, to - from);
    return a.store.p ? store_answer(c, a.store, &r) : r;
}

/* SORT key [BY pattern] [LIMIT from count] [GET pattern ...] [ASC|DESC] [ALPHA] [STORE destination] */
static reply cmd_sort(const call *c) { return sort(c, true); }
static reply cmd_sort_ro(const call *c) { return sort(c, false); }

const command commands_sort[] = {
    { .name = "sort", -2, CMD_WRITE | CMD_DENYOOM | CMD_STORES, 1, 1, 1, cmd_sort },
    { .name = "sort_ro", -2, CMD_READONLY, 1, 1, 1, cmd_sort_ro },
    { .name = NULL },
};
