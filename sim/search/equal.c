/* equal.c - see equal.h. Clients are sorted by what each is: its node as the first client of its class would have it.
 * Among clients that are equal so far, those that servers and monitors treat alike need no order; for the others all
 * orders are tried. */
#include "search/equal.h"

#include <assert.h>
#include <string.h>

#include "base/mem.h"
#include "search/vector_internal.h"

/* Which clients a part that mentions several of them treats alike. */
typedef struct {
    bool known;
    uint8_t alike[EQUALS_CLIENTS_MAX]; /* the first client whose exchange with this one changes nothing */
} roles;

/* A node independent of its client. */
typedef struct {
    bool known, foreign;   /* foreign: it holds ids of other clients */
    uint32_t norm;         /* as the first of the class would have it; PART_NONE - 1 for all foreign ones */
} self;

typedef uint32_t permute_fn(parts *p, uint32_t part, uint32_t x);

typedef struct { roles *at; size_t cap; permute_fn *permute; } role_list;

struct folder {
    vectors *t;
    parts *p;
    const equals *eq;
    size_t clients, words;
    role_list servers, models;
    self *nodes;
    size_t node_cap;
    uint32_t swaps[EQUALS_CLIENTS_MAX][EQUALS_CLIENTS_MAX];            /* permutations by number */
    map3 numbers;          /* of permutations, if there are few clients, by places: see number_of */
    uint64_t orbit;        /* of a state in which no two clients are alike */
    uint64_t forms;        /* made so far */
    uint32_t *least, *row;
};

/* ---- permutations ---- */

static bool of_class(const folder *f, size_t i, size_t k)
{
    return f->eq->first[i] == f->eq->first[k];
}

folder *folder_new(vectors *t)
{
    const equals *eq = parts_equals(vectors_parts(t));
    if (!eq)
        return NULL;
    folder *f = mem_zero(sizeof *f);
    f->t = t;
    f->p = vectors_parts(t);
    f->eq = eq;
    f->clients = eq->count;
    f->words = eq->count + AT_MODEL + 1;
    f->servers.permute = parts_permute_servers;
    f->models.permute = parts_permute_model;
    f->least = mem_alloc(f->words * sizeof *f->least);
    f->row = mem_alloc(f->words * sizeof *f->row);
    f->orbit = 1;
    size_t members[EQUALS_CLIENTS_MAX] = { 0 };
    for (size_t i = 0; i < f->clients; i++) {
        f->orbit *= ++members[eq->first[i]];
        for (size_t k = 0; k < f->clients; k++)
            if (of_class(f, i, k)) {
                permutation x = permutation_swap(i, k);
                f->swaps[i][k] = parts_permutation(f->p, &x);
            }
    }
    return f;
}

void folder_free(folder *f)
{
    if (!f)
        return;
    mem_free(f->servers.at);
    mem_free(f->models.at);
    mem_free(f->nodes);
    mem_free(f->least);
    mem_free(f->row);
    map3_free(&f->numbers);
    mem_free(f);
}

folder *folder_reader(folder *own, const folder *f, vectors *reader)
{
    if (!f)
        return NULL;
    uint32_t *least = own ? own->least : mem_alloc(f->words * sizeof *least),
             *row = own ? own->row : mem_alloc(f->words * sizeof *row);
    folder *copy = own ? own : mem_alloc(sizeof *copy);
    *copy = *f;
    copy->t = reader;
    copy->least = least;
    copy->row = row;
    return copy;
}

void folder_reader_free(folder *own)
{
    if (!own)
        return;
    mem_free(own->least);
    mem_free(own->row);
    mem_free(own);
}

size_t folder_bytes(const folder *f)
{
    return f ? f->servers.cap * sizeof(roles) + f->models.cap * sizeof(roles) + f->node_cap * sizeof(self) +
           map3_bytes(&f->numbers) : 0;
}

/* Its number, by where the clients go: if there are few, in one word, which is faster than its bytes. */
static uint32_t number_of(folder *f, const permutation *x)
{
    enum { BITS = 4, WORD_CLIENTS = 8 };
    if (f->clients > 2 * WORD_CLIENTS) {
        uint32_t known = parts_known_permutation(f->p, x);
        if (known != PART_NONE)
            return known;
        learns(f->t);
        return parts_permutation(f->p, x);
    }
    uint32_t key[2] = { 0 };
    for (size_t i = 0; i < f->clients; i++)
        key[i / WORD_CLIENTS] |= (uint32_t)x->to[i] << BITS * (i % WORD_CLIENTS);
    uint32_t known = map3_find(&f->numbers, key[0], key[1], 0);
    if (known == INTERN_NONE) {
        learns(f->t);
        known = parts_permutation(f->p, x);
        map3_put(&f->numbers, key[0], key[1], 0, known);
    }
    return known;
}

/* ---- nodes ---- */

static const self *self_of(folder *f, size_t q, uint32_t node)
{
    if (node < f->node_cap && f->nodes[node].known)
        return &f->nodes[node];
    learns(f->t);
    size_t cap = f->node_cap;
    MEM_RESERVE(f->nodes, f->node_cap, (size_t)node + 1);
    if (f->node_cap > cap)
        memset(f->nodes + cap, 0, (f->node_cap - cap) * sizeof *f->nodes);
    uint8_t first = f->eq->first[q];
    self s = { .known = true, .norm = parts_permute_node(f->p, (uint32_t)q, node, f->swaps[q][first]) };
    for (size_t i = 0; i < f->clients && s.norm != PART_NONE; i++) {
        size_t k = i;          /* the member before it: these exchanges generate all orders */
        while (k-- > 0 && !(of_class(f, i, k) && k != first)) {}
        if (i != first && k != SIZE_MAX)
            s.foreign |= parts_permute_node(f->p, first, s.norm, f->swaps[i][k]) != s.norm;
    }
    if (s.foreign)
        s.norm = PART_NONE - 1;        /* the ids of others in it say nothing about itself */
    f->nodes[node] = s;
    return &f->nodes[node];
}

/* ---- parts of all ---- */

static const roles *roles_of(folder *f, role_list *list, uint32_t part)
{
    if (part < list->cap && list->at[part].known)
        return &list->at[part];
    learns(f->t);
    size_t cap = list->cap;
    MEM_RESERVE(list->at, list->cap, (size_t)part + 1);
    if (list->cap > cap)
        memset(list->at + cap, 0, (list->cap - cap) * sizeof *list->at);
    roles r = { .known = true };
    for (size_t i = 0; i < f->clients; i++) {
        r.alike[i] = (uint8_t)i;
        for (size_t k = 0; k < i && r.alike[i] == i; k++)
            if (of_class(f, i, k) && r.alike[k] == k && list->permute(f->p, part, f->swaps[i][k]) == part)
                r.alike[i] = (uint8_t)k;
    }
    list->at[part] = r;
    return &list->at[part];
}

/* ---- rows ---- */

/* A client in a row: clients with the same norm and age can take each other's place. */
typedef struct { uint32_t norm; uint8_t aged, client; uint16_t role; } what;

typedef struct {
    folder *f;
    const uint32_t *row;
    what *of;              /* sorted within each class; of[i] stands at at[i] */
    uint8_t at[EQUALS_CLIENTS_MAX];
    bool foreign;          /* some node holds ids of other clients */
    bool any;
    uint32_t best;         /* the permutation that gives f->least */
    uint64_t reached;      /* how many give it, with one order for each role */
} trying;

static int what_cmp(const what *x, const what *y)
{
    if (x->norm != y->norm)
        return x->norm < y->norm ? -1 : 1;
    return x->aged - y->aged;
}

static bool tied(const trying *t, size_t i, size_t k)
{
    return of_class(t->f, t->of[i].client, t->of[k].client) && what_cmp(&t->of[i], &t->of[k]) == 0;
}

static uint32_t node_in(folder *f, uint32_t q, uint32_t node, uint32_t number)
{
    uint32_t known = parts_permuted_node(f->p, node, number);
    if (known == PART_NONE) {
        learns(f->t);
        known = parts_permute_node(f->p, q, node, number);
    }
    return known;
}

static uint32_t servers_in(folder *f, uint32_t servers, uint32_t number)
{
    uint32_t known = parts_permuted_servers(f->p, servers, number);
    if (known == PART_NONE) {
        learns(f->t);
        known = parts_permute_servers(f->p, servers, number);
    }
    return known;
}

static uint32_t model_in(folder *f, uint32_t model, uint32_t number)
{
    uint32_t known = parts_permuted_model(f->p, model, number);
    if (known == PART_NONE) {
        learns(f->t);
        known = parts_permute_model(f->p, model, number);
    }
    return known;
}

/* The row in the form that this permutation gives. Sorted norms stand for the nodes, unless nodes hold ids of other
 * clients. */
static void form_of(const trying *t, const permutation *x, uint32_t number, uint32_t *to)
{
    folder *f = t->f;
    const uint32_t *row = t->row;
    memcpy(to, row, f->words * sizeof *to);
    for (size_t i = 0; i < f->clients; i++) {
        uint32_t q = t->of[i].client, word = row[q];
        uint32_t node = t->foreign ? node_in(f, q, node_of(word), number) : t->of[i].norm;
        to[x->to[q]] = node * FACTOR + (word & 1);
    }
    to[f->clients + AT_SERVERS] = servers_in(f, row[f->clients + AT_SERVERS], number);
    to[f->clients + AT_MODEL] = model_in(f, row[f->clients + AT_MODEL], number);
}

static int words_cmp(const uint32_t *x, const uint32_t *y, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (x[i] != y[i])
            return x[i] < y[i] ? -1 : 1;
    return 0;
}

static void try_form(trying *t)
{
    folder *f = t->f;
    permutation x = permutation_none();
    for (size_t i = 0; i < f->clients; i++)
        x.to[t->of[i].client] = t->at[i];
    uint32_t number = number_of(f, &x);
    form_of(t, &x, number, f->row);
    f->forms++;
    int order = t->any ? words_cmp(f->row, f->least, f->words) : -1;
    if (order > 0)
        return;
    t->reached = order == 0 ? t->reached + 1 : 1;
    if (order == 0)
        return;
    t->any = true;
    t->best = number;
    memcpy(f->least, f->row, f->words * sizeof *f->row);
}

static void exchange(what *x, what *y)
{
    what was = *x;
    *x = *y;
    *y = was;
}

/* Has a client of this role stood at the i-th place before the k-th one could? */
static bool had_turn(const trying *t, size_t i, size_t k)
{
    for (size_t j = i; j < k; j++)
        if (t->of[j].role == t->of[k].role)
            return true;
    return false;
}

/* Tries all orders of tied clients from the i-th on, with one order for each role's members. */
static void try_orders(trying *t, size_t i)
{
    if (i == t->f->clients) {
        try_form(t);
        return;
    }
    for (size_t k = i; k < t->f->clients && tied(t, i, k); k++) {
        if (had_turn(t, i, k))
            continue;
        exchange(&t->of[i], &t->of[k]);
        try_orders(t, i + 1);
        exchange(&t->of[i], &t->of[k]);
    }
}

/* By class, then by what they are. */
static void sort(const folder *f, what *of)
{
    for (size_t i = 1; i < f->clients; i++) {
        what w = of[i];
        size_t at = i;
        for (; at > 0; at--) {
            uint8_t c = f->eq->first[of[at - 1].client], d = f->eq->first[w.client];
            if (c < d || (c == d && what_cmp(&of[at - 1], &w) <= 0))
                break;
            of[at] = of[at - 1];
        }
        of[at] = w;
    }
}

/* The places of a class, in order. */
static void places(const folder *f, const what *of, uint8_t *at)
{
    for (size_t i = 0; i < f->clients; i++) {
        uint8_t class = f->eq->first[of[i].client];
        size_t from = i > 0 && f->eq->first[of[i - 1].client] == class ? (size_t)at[i - 1] + 1 : class;
        while (f->eq->first[from] != class)
            from++;
        at[i] = (uint8_t)from;
    }
}

/* Gives tied clients that servers and monitors treat alike one role. Returns the number of orders of all roles'
 * members. */
static uint64_t give_roles(trying *t)
{
    folder *f = t->f;
    const roles *servers = NULL, *monitors = NULL;
    uint64_t orders = 1;
    for (size_t i = 0; i < f->clients; i++) {
        uint64_t members = 1;
        t->of[i].role = (uint16_t)i;
        for (size_t k = i; k-- > 0 && tied(t, i, k) && !t->foreign;) {
            if (!servers) {
                servers = roles_of(f, &f->servers, t->row[f->clients + AT_SERVERS]);
                monitors = roles_of(f, &f->models, t->row[f->clients + AT_MODEL]);
            }
            uint8_t c = t->of[i].client, d = t->of[k].client;
            if (servers->alike[c] == servers->alike[d] && monitors->alike[c] == monitors->alike[d]) {
                t->of[i].role = t->of[k].role;
                members++;
            }
        }
        orders *= members;
    }
    return orders;
}

uint64_t folder_forms(const folder *f) { return f ? f->forms : 0; }

folded folder_find(folder *f, const vectors *t, const uint32_t *row)
{
    str why;
    folded as_it_is = { .print = vectors_print(t, row), .stands_for = 1 };
    if (!f || parts_apart(f->p, &why))
        return as_it_is;
    what of[EQUALS_CLIENTS_MAX];
    trying y = { .f = f, .row = row, .of = of };
    for (size_t q = 0; q < f->clients; q++) {
        const self *s = self_of(f, q, node_of(row[q]));
        y.foreign |= s->foreign;
        of[q] = (what){ .norm = s->norm, .aged = row[q] & 1, .client = (uint8_t)q };
    }
    sort(f, of);
    places(f, of, y.at);
    uint64_t orders = give_roles(&y);
    try_orders(&y, 0);
    if (parts_apart(f->p, &why))
        return as_it_is;
    assert(f->orbit % (y.reached * orders) == 0);
    return (folded){ .print = row_print(f->least, f->words), .permutation = y.best,
                     .stands_for = f->orbit / (y.reached * orders) };
}
