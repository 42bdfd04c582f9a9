/* equals.c - see equals.h. */
#include "scenario/equals.h"

#include <string.h>

/* ---- permutations ---- */

permutation permutation_none(void)
{
    permutation x;
    for (size_t i = 0; i < EQUALS_CLIENTS_MAX; i++)
        x.to[i] = (uint8_t)i;
    return x;
}

permutation permutation_swap(size_t i, size_t k)
{
    permutation x = permutation_none();
    x.to[i] = (uint8_t)k;
    x.to[k] = (uint8_t)i;
    return x;
}

permutation permutation_then(const permutation *first, const permutation *next)
{
    permutation x;
    for (size_t i = 0; i < EQUALS_CLIENTS_MAX; i++)
        x.to[i] = next->to[first->to[i]];
    return x;
}

permutation permutation_back(const permutation *x)
{
    permutation back;
    for (size_t i = 0; i < EQUALS_CLIENTS_MAX; i++)
        back.to[x->to[i]] = (uint8_t)i;
    return back;
}

bool permutation_equal(const permutation *x, const permutation *y)
{
    return memcmp(x->to, y->to, sizeof x->to) == 0;
}

bool permutation_is_none(const permutation *x)
{
    permutation none = permutation_none();
    return permutation_equal(x, &none);
}

/* ---- texts ---- */

void equals_rename(const equals *eq, const permutation *x, char *bytes, size_t n)
{
    for (size_t at = n; at-- > 0;) {               /* from the end: the text before an id is still unchanged */
        uint32_t i = ids_client_at(eq->sc, (str){ bytes, n }, at);
        if (i != NOBODY && x->to[i] != i) {
            str id = eq->sc->clients[x->to[i]].id;
            memcpy(bytes + at, id.p, id.n);
        }
    }
}

static bool has_id(const equals *eq, str s)
{
    for (size_t at = 0; at + 2 < s.n; at++)
        if (ids_client_at(eq->sc, s, at) != NOBODY)
            return true;
    return false;
}

str equals_renamed(arena *a, const equals *eq, const permutation *x, str s)
{
    if (!has_id(eq, s))
        return s;
    str copy = arena_str(a, s);
    equals_rename(eq, x, (char *)(uintptr_t)copy.p, copy.n);
    return copy;
}

static str exchanged_name(arena *a, const equals *eq, size_t i, bool bare, str s)
{
    size_t first = eq->first[i];
    permutation x = permutation_swap(first, i);
    str one = eq->sc->clients[first].name, other = eq->sc->clients[i].name;
    if (bare && (str_eq(s, one) || str_eq(s, other)))
        return str_eq(s, one) ? other : one;
    return equals_renamed(a, eq, &x, s);
}

str equals_named(arena *a, const equals *eq, size_t naming, bool bare, str s)
{
    if (naming != EQUALS_SECOND)
        return exchanged_name(a, eq, naming, bare, s);
    for (size_t i = 0; i < eq->count && bare; i++)
        if (str_eq(s, eq->sc->clients[i].name))
            return eq->second->clients[i].name;
    if (!has_id(eq, s))
        return s;
    buf b = { 0 };
    for (size_t at = 0; at < s.n;) {
        uint32_t i = ids_client_at(eq->sc, s, at);
        if (i == NOBODY)
            buf_byte(&b, s.p[at++]);
        else {
            buf_add(&b, eq->second->clients[i].id);
            at += eq->sc->clients[i].id.n;
        }
    }
    str other = arena_str(a, buf_str(&b));
    buf_free(&b);
    return other;
}

/* ---- who is equal ---- */

static bool same(const scenario_client *a, const scenario_client *b)
{
    return a->threads == b->threads && a->skew_ms == b->skew_ms && !a->drift && !b->drift &&
           a->operator_ == b->operator_ && a->pinned == b->pinned &&
           a->start_ms == b->start_ms && a->name.n == b->name.n && !a->after.n && !b->after.n;
}

/* Another client starts after it, or a fault is aimed at it. */
static bool is_named(const scenario *sc, size_t i)
{
    for (size_t k = 0; k < sc->client_count; k++)
        if (sc->clients[k].after.n && sc->clients[k].after_client == i)
            return true;
    for (int k = 0; k < FAULT_KINDS; k++)
        if (sc->faults[k].budget > 0 && str_eq(sc->faults[k].of, sc->clients[i].name))
            return true;
    return false;
}

/* New, longer names, in the opposite order. */
static const scenario *renamed(arena *a, const scenario *sc)
{
    size_t longest = 0;
    for (size_t i = 0; i < sc->client_count; i++)
        longest = sc->clients[i].name.n > longest ? sc->clients[i].name.n : longest;
    scenario *s = ARENA_NEW(a, scenario);
    *s = *sc;
    s->clients = ARENA_ARRAY(a, scenario_client, sc->client_count);
    for (size_t i = 0; i < sc->client_count; i++) {
        unsigned before = 0;
        for (size_t k = 0; k < sc->client_count; k++)
            before += str_cmp(sc->clients[k].name, sc->clients[i].name) < 0;
        str name = arena_printf(a, "w%02u%.*s", 99 - before, (int)longest,
                                "zzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzz");
        s->clients[i] = sc->clients[i];
        s->clients[i].name = s->clients[i].id = name;
    }
    return s;
}

static str told_apart(const scenario *sc)
{
    if (sc->client_count > EQUALS_CLIENTS_MAX)
        return S("there are too many clients");
    if (sc->ids)
        return S("the order of their ids matters");
    if (sc->has_always)
        return S("the scenario's own `always` may name them");
    if (sc->model.judged[PROPERTY_BOUNDED_WAIT])
        return S("bounded_wait asks for each one's turns");
    if (sc->faults[FAULT_PREEMPT].budget > 0)
        return S("threads are preempted in the order of clients");
    return S("");
}

const equals *equals_of(arena *a, const scenario *sc, unsigned without, str *why)
{
    equals *eq = ARENA_NEW(a, equals);
    *eq = (equals){ .sc = sc, .without = without, .count = sc->client_count };
    *why = told_apart(sc);
    size_t members[EQUALS_CLIENTS_MAX] = { 0 }, pairs = 0;
    for (size_t i = 0; i < sc->client_count && !why->n; i++) {
        eq->first[i] = (uint8_t)i;
        for (size_t k = 0; k < i; k++)
            if (eq->first[k] == k && members[k] < EQUALS_CLASS_MAX && same(&sc->clients[i], &sc->clients[k]) &&
                !is_named(sc, i) && !is_named(sc, k)) {
                eq->first[i] = (uint8_t)k;
                pairs++;
                break;
            }
        members[eq->first[i]]++;
    }
    if (!why->n && pairs == 0)
        *why = sc->client_count < 2 ? S("there is one client only")
               : S("their starts, options or the faults aimed at them differ");
    if (why->n)
        return NULL;
    eq->second = renamed(a, sc);
    return eq;
}
