/* profile.c - see profile.h. */
#include "search/profile.h"

#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "base/facts.h"
#include "base/mem.h"
#include "search/vector_internal.h"

/* Limits for the sample, so that it takes about a second of a search that took many. */
enum { SAMPLE_MAX = 1000, SAMPLE_MIN = 16, SAMPLE_FOLDED_MAX = 200, WALK_STEPS_MAX = 500000, DESCRIBED_MAX = 2000,
       MODELS_MAX = 2000, LOOKUPS_MAX = 1000000, LOOKUPS_FOLDED_MAX = 100000, FORMS_MAX = 3000000,
       ROWS_LEAST = 8, ROWS_MAX = 16 };
/* A prime: i * STRIDE % n goes evenly through 0 to n - 1. */
#define STRIDE UINT64_C(7919)
/* A row is reported if at most this share of all states would be left. */
static const double told_share = 0.95;

typedef struct {
    hunt *h;
    vectors *t;
    parts *p;
    const visited *seen;
    size_t clients, width;
    bool folds;
    uint32_t *rows;        /* of the states that were drawn */
    size_t count;
    uint32_t *scratch;     /* a row */
    uint64_t forms_max, forms_upto;    /* with many equal clients, a look-up may try all orders of them */
    profile_row *out;
    size_t out_count, out_cap;
} profiler;

/* The values of one word of a row. */
typedef struct {
    size_t at;             /* which word */
    uint32_t *members;     /* parts, by number */
    size_t count;
    size_t drawn;          /* the first ones, an even sample ... */
    uint64_t all;          /* ... out of this number; the others are in states that were drawn */
    bool *looked_at, *is_drawn;        /* by number */
    uint32_t *place;       /* by number: the index in the current list */
} column;

static const uint32_t *row_of(const profiler *k, size_t i) { return k->rows + i * k->width; }

static uint32_t part_of(const profiler *k, size_t at, uint32_t word) { return at < k->clients ? node_of(word) : word; }

static uint32_t word_of(const profiler *k, const uint32_t *row, size_t at, uint32_t part)
{
    return at < k->clients ? part * FACTOR | (row[at] & 1) : part;
}

/* ---- drawing states ---- */

/* Draws states evenly, in an order whose beginnings are even samples, too, in case the budget of steps runs out: deep,
 * narrow graphs have long ways, which a single walker shares where they coincide. */
static void draw(profiler *k)
{
    uint64_t states = visited_count(k->seen), most = k->folds ? SAMPLE_FOLDED_MAX : SAMPLE_MAX;
    size_t n = (size_t)(states < most ? states : most), steps = 0;
    walker *w = walker_new(k->t, k->seen);
    k->rows = mem_alloc((n + 1) * k->width * sizeof *k->rows);
    for (size_t i = 0; i < n && (steps < WALK_STEPS_MAX || i < SAMPLE_MIN); i++) {
        uint32_t state = (uint32_t)(i * STRIDE % n * states / n);
        const uint32_t *row = walker_to(w, state, &steps);
        if (row)
            memcpy(k->rows + k->count++ * k->width, row, k->width * sizeof *row);
    }
    walker_free(w);
}

/* ---- classes ---- */

static bool is_met(profiler *k, const uint32_t *row, size_t at, uint32_t word)
{
    print p = row_kept_print(k->t, row);
    if (k->folds) {
        memcpy(k->scratch, row, k->width * sizeof *row);
        k->scratch[at] = word;
        p = vectors_fold(k->t, k->scratch).print;
    } else
        print_change(&p, at, row[at], word);
    return visited_find(k->seen, p) != VISITED_NONE;
}

/* Begins a part, which may make its share of the forms of a profile of `of` such parts. */
static void begin_part(profiler *k, size_t of)
{
    k->forms_max = FORMS_MAX / of;
    k->forms_upto = vectors_forms(k->t) + k->forms_max;
}

typedef struct { double sum; size_t count; } mean;

/* Adds the share of one state among those that are equal to `row` except for the word at `at`; of the column's values
 * only `members` are looked up, a 1 / share sample: all of them, or as many as a few rows' forms allow. Nothing is
 * added once the part has made its forms. */
static void add_class(profiler *k, const uint32_t *row, size_t at, const uint32_t *members, size_t count, double share,
                      mean *m)
{
    size_t met = 0, looked = 0;
    uint64_t forms = vectors_forms(k->t), most = forms + k->forms_max / ROWS_LEAST;
    if (forms > k->forms_upto)
        return;
    for (; looked < count && vectors_forms(k->t) <= most; looked++) {
        uint32_t word = word_of(k, row, at, members[count % STRIDE ? looked * STRIDE % count : looked]);
        met += word != row[at] && is_met(k, row, at, word);
    }
    m->sum += 1 / (1 + (looked ? (double)met * (double)count / (double)looked : 0) / share);
    m->count++;
}

static profile_part profile_of(const profiler *k, size_t at)
{
    return at < k->clients ? PROFILE_CLIENTS : at == k->clients + AT_SERVERS ? PROFILE_SERVERS : PROFILE_MONITORS;
}

static uint64_t clients_of(const profiler *k, size_t at) { return at < k->clients ? UINT64_C(1) << at : 0; }

static uint64_t left_of(const profiler *k, mean m)
{
    double states = (double)visited_count(k->seen);
    return m.count ? (uint64_t)(states * m.sum / (double)m.count + 0.5) : visited_count(k->seen);
}

static void add_row(profiler *k, profile_row row)
{
    if (row.values < 2 || (double)row.left > told_share * (double)visited_count(k->seen))
        return;
    MEM_RESERVE(k->out, k->out_cap, k->out_count + 1);
    k->out[k->out_count++] = row;
}

/* ---- facts of a part ---- */

/* One fact of one part. The class of a fact: all parts that are equal in everything else (`rest`). */
typedef struct {
    uint64_t rest, value;
    uint32_t key, part;
} told;

typedef struct {
    intern *keys;
    fact *named;           /* by key: how it is shown */
    size_t named_cap;
    told *items;
    size_t count, cap;
    arena *memory;
} told_list;

static uint64_t hash_of(uint32_t key, uint64_t value)
{
    const uint64_t both[] = { key, value };
    return XXH3_64bits(both, sizeof both);
}

static void tell_part(told_list *l, uint32_t part, const facts *f)
{
    uint64_t all = 0;
    size_t from = l->count;
    for (size_t i = 0; i < f->count; i++) {
        bool fresh;
        const fact *x = &f->items[i];
        uint32_t key = intern_add(l->keys, x->key, &fresh);
        MEM_RESERVE(l->named, l->named_cap, (size_t)key + 1);
        if (fresh)
            l->named[key] = (fact){ .name = arena_str(l->memory, x->name), .where = arena_str(l->memory, x->where),
                                    .vague = x->vague };
        MEM_RESERVE(l->items, l->cap, l->count + 1);
        uint64_t value = XXH3_64bits(x->value.p, x->value.n);
        l->items[l->count++] = (told){ .value = value, .key = key, .part = part };
        /* The number of things that are reported one by one is no information. */
        all ^= x->vague == 1 || x->vague == 2 ? 0 : hash_of(key, value);
    }
    for (size_t i = from; i < l->count; i++)
        l->items[i].rest = all ^ hash_of(l->items[i].key, l->items[i].value);
}

static int by_key_and_rest(const void *x, const void *y)
{
    const told *a = x, *b = y;
    if (a->key != b->key)
        return a->key < b->key ? -1 : 1;
    if (a->rest != b->rest)
        return a->rest < b->rest ? -1 : 1;
    if (a->value != b->value)
        return a->value < b->value ? -1 : 1;
    return a->part < b->part ? -1 : a->part > b->part;
}

static int by_value(const void *x, const void *y)
{
    uint64_t a = *(const uint64_t *)x, b = *(const uint64_t *)y;
    return a < b ? -1 : a > b;
}

static uint64_t distinct_values(const told *items, size_t count)
{
    uint64_t *values = mem_alloc(count * sizeof *values), n = 0;
    for (size_t i = 0; i < count; i++)
        values[i] = items[i].value;
    qsort(values, count, sizeof *values, by_value);
    for (size_t i = 0; i < count; i++)
        n += i == 0 || values[i] != values[i - 1];
    mem_free(values);
    return n;
}

/* Parts that differ only in something without a name: for each value of the fact, the n-th such part belongs to the
 * n-th of the other values. */
static size_t class_members(const column *c, const told *items, size_t count, const told *own, uint32_t *members)
{
    size_t n = 0, rank = 0, at = 0;
    for (const told *x = own; x > items && x[-1].rest == own->rest && x[-1].value == own->value; x--)
        rank++;
    const told *first = own;
    while (first > items && first[-1].rest == own->rest)
        first--;
    for (const told *x = first; x < items + count && x->rest == own->rest; x++, at++) {
        if (x == first || x->value != x[-1].value)
            at = 0;
        if (at == rank && c->is_drawn[x->part])
            members[n++] = x->part;
    }
    return n;
}

/* `items`: all of one key, sorted. */
static void judge_fact(profiler *k, const column *c, const told_list *l, const told *items, size_t count)
{
    const fact *named = &l->named[items->key];
    profile_row row = { .kind = PROFILE_FACT, .of = profile_of(k, c->at), .clients = clients_of(k, c->at),
                        .more = c->drawn < c->all, .what = named->name, .where = named->where,
                        .values = distinct_values(items, count) };
    if (row.values < 2 || named->vague == 1 || named->vague == 2)
        return;
    mean m = { 0 };
    uint32_t *members = mem_alloc(count * sizeof *members);
    for (size_t i = 0; i < count; i++)
        c->place[items[i].part] = (uint32_t)i;
    for (size_t i = 0; i < k->count; i++) {
        uint32_t part = part_of(k, c->at, row_of(k, i)[c->at]);
        if (!c->looked_at[part])
            continue;
        const told *own = c->place[part] == PART_NONE ? NULL : &items[c->place[part]];
        size_t n = own ? class_members(c, items, count, own, members) : 0;
        add_class(k, row_of(k, i), c->at, members, n, (double)c->drawn / (double)c->all, &m);
    }
    for (size_t i = 0; i < count; i++)
        c->place[items[i].part] = PART_NONE;
    mem_free(members);
    row.what = arena_str(k->h->a, row.what);
    row.where = arena_str(k->h->a, row.where);
    row.left = left_of(k, m);
    add_row(k, row);
}

static void judge_facts(profiler *k, const column *c)
{
    told_list l = { .keys = intern_new(), .memory = arena_new() };
    for (size_t i = 0; i < c->count; i++) {
        arena *a = arena_new();
        facts f = { .memory = a };
        if (c->at < k->clients)
            parts_describe_node(k->p, c->members[i], &f);
        else
            parts_describe_servers(k->p, c->members[i], &f);
        tell_part(&l, c->members[i], &f);
        facts_free(&f);
        arena_free(a);
    }
    if (l.count > 0)
        qsort(l.items, l.count, sizeof *l.items, by_key_and_rest);
    for (size_t i = 0, end; i < l.count; i = end) {
        for (end = i; end < l.count && l.items[end].key == l.items[i].key; end++) { }
        judge_fact(k, c, &l, l.items + i, end - i);
    }
    mem_free(l.items);
    mem_free(l.named);
    intern_free(l.keys);
    arena_free(l.memory);
}

/* ---- whole words ---- */

static column column_of(profiler *k, size_t at)
{
    part_counts n = parts_count(k->p);
    uint64_t all = at < k->clients ? n.nodes : at == k->clients + AT_SERVERS ? n.servers : n.models;
    column c = { .at = at, .members = mem_alloc((size_t)(all + 1) * sizeof *c.members),
                 .place = mem_alloc((size_t)(all + 1) * sizeof *c.place),
                 .looked_at = mem_zero((size_t)(all + 1) * sizeof *c.looked_at),
                 .is_drawn = mem_zero((size_t)(all + 1) * sizeof *c.is_drawn) };
    for (uint32_t i = 0; i < all; i++) {
        c.place[i] = PART_NONE;
        if (at >= k->clients || parts_owner(k->p, i) == at)
            c.members[c.count++] = i;
    }
    c.all = c.count;
    return c;
}

static void column_free(column *c)
{
    mem_free(c->members);
    mem_free(c->place);
    mem_free(c->looked_at);
    mem_free(c->is_drawn);
}

/* Keeps an even sample of them, and those of the states that were drawn. */
static void column_thin(const profiler *k, column *c, size_t most)
{
    size_t had = c->count;
    c->drawn = had > most ? most : had;
    for (size_t i = 0; i < c->drawn; i++) {
        c->members[i] = had > most ? c->members[i * had / most] : c->members[i];
        c->looked_at[c->members[i]] = c->is_drawn[c->members[i]] = true;
    }
    c->count = c->drawn;
    for (size_t i = 0; i < k->count && had > most; i++) {
        uint32_t part = part_of(k, c->at, row_of(k, i)[c->at]);
        if (!c->looked_at[part])
            c->members[c->count++] = part;
        c->looked_at[part] = true;
    }
}

static void judge_whole(profiler *k, const column *c)
{
    size_t most = (k->folds ? LOOKUPS_FOLDED_MAX : LOOKUPS_MAX) / (c->count + 1), step = 1;
    mean m = { 0 };
    while (k->count / step > most && k->count / step > SAMPLE_MIN)
        step++;
    for (size_t i = 0; i < k->count; i += step)
        add_class(k, row_of(k, i), c->at, c->members, c->count, 1, &m);
    add_row(k, (profile_row){ .kind = PROFILE_WHOLE, .of = profile_of(k, c->at), .clients = clients_of(k, c->at),
                              .what = S("all of it"), .where = S(""), .values = c->all, .left = left_of(k, m) });
}

/* ---- monitors ---- */

typedef struct { uint64_t rest; uint32_t part; } judged_model;

static int by_rest(const void *x, const void *y)
{
    const judged_model *a = x, *b = y;
    if (a->rest != b->rest)
        return a->rest < b->rest ? -1 : 1;
    return a->part < b->part ? -1 : a->part > b->part;
}

/* The number of states without this property's monitor. */
static void judge_property(profiler *k, const column *c, property p)
{
    judged_model *list = mem_alloc((c->count + 1) * sizeof *list);
    uint64_t *of = mem_zero((c->all + 1) * sizeof *of);
    uint32_t *members = mem_alloc((c->count + 1) * sizeof *members);
    double share = (double)c->drawn / (double)c->all;
    mean m = { 0 };
    uint64_t most = 0;
    for (size_t i = 0; i < c->count; i++) {
        list[i] = (judged_model){ parts_model_without(k->p, c->members[i], p), c->members[i] };
        of[c->members[i]] = list[i].rest;
    }
    qsort(list, c->count, sizeof *list, by_rest);
    for (size_t i = 0; i < k->count; i++) {
        const uint32_t *row = row_of(k, i);
        size_t n = 0, lo = 0, hi = c->count;
        uint64_t rest = of[row[c->at]];
        if (!c->looked_at[row[c->at]])
            continue;
        while (lo < hi) {
            size_t mid = lo + (hi - lo) / 2;
            if (list[mid].rest < rest)
                lo = mid + 1;
            else
                hi = mid;
        }
        for (; lo < c->count && list[lo].rest == rest; lo++)
            if (c->is_drawn[list[lo].part])
                members[n++] = list[lo].part;
        most = n > most ? n : most;
        add_class(k, row, c->at, members, n, share, &m);
    }
    const property_info *info = property_describe(p);
    add_row(k, (profile_row){ .kind = PROFILE_PROPERTY, .of = PROFILE_MONITORS, .where = S(""), .values = most,
                              .what = str_from(info->name), .property = p,
                              .left = left_of(k, m) });
    mem_free(list);
    mem_free(of);
    mem_free(members);
}

/* ---- faults ---- */

/* A state before a fault is a state of the world without that fault, and vice versa. */
static void judge_faults(profiler *k)
{
    const scenario *sc = k->h->sc;
    for (int f = 0; f < FAULT_KINDS; f++) {
        mean m = { 0 };
        for (size_t i = 0; i < k->count && sc->faults[f].budget; i++, m.count++) {
            uint32_t used[FAULT_KINDS];
            vectors_used(k->t, row_of(k, i), used);
            m.sum += used[f] == 0;
        }
        if (m.count)
            add_row(k, (profile_row){ .kind = PROFILE_FAULT, .of = PROFILE_FAULTS, .where = S(""),
                                      .fault = (fault_kind)f,
                                      .what = str_from(fault_name((fault_kind)f)),
                                      .values = (uint64_t)sc->faults[f].budget + 1, .left = left_of(k, m) });
    }
}

/* ---- all of it ---- */

static int by_left(const void *x, const void *y)
{
    const profile_row *a = x, *b = y;
    if (a->left != b->left)
        return a->left < b->left ? -1 : 1;
    int by_name = str_cmp(a->what, b->what);
    return by_name ? by_name : a->clients != b->clients ? (a->clients < b->clients ? -1 : 1) : (int)a->of - (int)b->of;
}

static bool is_near(uint64_t x, uint64_t y)
{
    return (x > y ? x - y : y - x) <= (x > y ? x : y) / 2;
}

static bool are_alike(const profile_row *x, const profile_row *y)
{
    return x->of == PROFILE_CLIENTS && y->of == PROFILE_CLIENTS && x->kind == y->kind && str_eq(x->what, y->what) &&
           is_near(x->values, y->values) && is_near(x->left, y->left);
}

/* Joins the rows that several clients have in common: the most important one is kept. */
static void join_clients(profiler *k)
{
    size_t kept = 0;
    for (size_t i = 0; i < k->out_count; i++) {
        const profile_row x = k->out[i];
        size_t same = 0;
        while (same < kept && !are_alike(&x, &k->out[same]))
            same++;
        if (same == kept)
            k->out[kept++] = x;
        k->out[same].values = x.values > k->out[same].values ? x.values : k->out[same].values;
        k->out[same].clients |= x.clients;
    }
    k->out_count = kept;
}

/* Everything of one word. Leaves of its values those that later parts look at. */
static column look_at_word(profiler *k, size_t at, size_t most, size_t parts)
{
    column c = column_of(k, at);
    begin_part(k, parts);
    judge_whole(k, &c);
    column_thin(k, &c, most);
    begin_part(k, parts);
    if (at != k->clients + AT_MODEL)
        judge_facts(k, &c);
    return c;
}

static void look(profiler *k)
{
    size_t parts = 2 * (k->clients + 2);
    for (int p = 0; p < PROPERTY_COUNT; p++)
        parts += k->h->sc->model.judged[p];
    for (size_t q = 0; q < k->clients; q++) {
        column c = look_at_word(k, q, DESCRIBED_MAX, parts);
        column_free(&c);
    }
    column servers = look_at_word(k, k->clients + AT_SERVERS, DESCRIBED_MAX, parts);
    column models = look_at_word(k, k->clients + AT_MODEL, MODELS_MAX, parts);
    for (int p = 0; p < PROPERTY_COUNT; p++) {
        begin_part(k, parts);
        if (k->h->sc->model.judged[p])
            judge_property(k, &models, (property)p);
    }
    column_free(&servers);
    column_free(&models);
    judge_faults(k);
}

void profile_take(hunt *h, vectors *t, const visited *seen)
{
    profiler k = { .h = h, .t = t, .p = vectors_parts(t), .seen = seen, .clients = h->sc->client_count,
                   .width = vectors_width(t), .folds = vectors_folds(t) };
    if (!parts_describes(k.p) || visited_count(seen) == 0)
        return;
    k.scratch = mem_alloc(k.width * sizeof *k.scratch);
    draw(&k);
    if (k.count > 0)
        look(&k);
    if (k.out_count > 0)
        qsort(k.out, k.out_count, sizeof *k.out, by_left);
    join_clients(&k);
    profile *out = ARENA_NEW(h->a, profile);
    out->states = h->out->search.states;
    out->sampled = k.count;
    out->count = k.out_count < ROWS_MAX ? k.out_count : ROWS_MAX;
    out->rows = ARENA_ARRAY(h->a, profile_row, out->count + 1);
    if (out->count > 0)
        memcpy(out->rows, k.out, out->count * sizeof *out->rows);
    h->out->profile = out;
    mem_free(k.out);
    mem_free(k.rows);
    mem_free(k.scratch);
}
