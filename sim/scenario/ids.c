/* ids.c - see ids.h. */
#include "scenario/ids.h"

#include <string.h>

#include "scenario/source.h"

enum { ALL_ORDERS_CLIENTS = 4, EXCHANGED_MAX = 48 };

/* ---- orders ---- */

size_t ids_orders(size_t clients)
{
    size_t n = 1;
    for (size_t i = 2; i <= clients && i <= ALL_ORDERS_CLIENTS; i++)
        n *= i;
    return clients <= ALL_ORDERS_CLIENTS ? n : 2 * clients;
}

bool ids_orders_are_all(size_t clients)
{
    return clients <= ALL_ORDERS_CLIENTS;
}

/* As "A:1" and "A2:1" compare. */
static bool before(const scenario *sc, size_t i, size_t k)
{
    str x = sc->clients[i].name, y = sc->clients[k].name;
    size_t n = x.n < y.n ? x.n : y.n;
    int cmp = memcmp(x.p, y.p, n);
    if (cmp != 0 || x.n == y.n)
        return cmp < 0;
    return x.n < y.n ? ':' < y.p[n] : x.p[n] < ':';
}

/* list[k]: the client whose ids are the k-th by the names. */
static size_t *by_name(arena *a, const scenario *sc)
{
    size_t *list = ARENA_ARRAY(a, size_t, sc->client_count + 1);
    for (size_t i = 0; i < sc->client_count; i++) {
        size_t at = i;
        for (; at > 0 && before(sc, i, list[at - 1]); at--)
            list[at] = list[at - 1];
        list[at] = i;
    }
    return list;
}

static void move(size_t *list, size_t from, size_t to)
{
    size_t moved = list[from];
    for (; from > to; from--)
        list[from] = list[from - 1];
    list[to] = moved;
}

/* The i-th permutation, by the factorial number system. */
static void permute(size_t *list, size_t count, size_t i)
{
    for (size_t at = 0, left = ids_orders(count); at + 1 < count; at++) {
        left /= count - at;
        move(list, at + i / left, at);
        i %= left;
    }
}

static void rotate(size_t *list, size_t count, size_t i)
{
    for (size_t k = 0; i >= count && k < count / 2; k++) {
        size_t swapped = list[k];
        list[k] = list[count - 1 - k];
        list[count - 1 - k] = swapped;
    }
    for (size_t k = i % count; k > 0; k--)
        move(list, count - 1, 0);
}

static const scenario *ordered(arena *a, const scenario *sc, const size_t *list)
{
    scenario *s = ARENA_NEW(a, scenario);
    *s = *sc;
    s->clients = ARENA_ARRAY(a, scenario_client, sc->client_count + 1);
    memcpy(s->clients, sc->clients, sc->client_count * sizeof *s->clients);
    s->ids = ARENA_ARRAY(a, size_t, sc->client_count + 1);
    memcpy(s->ids, list, sc->client_count * sizeof *s->ids);
    int digits = sc->client_count < 10 ? 1 : sc->client_count < 100 ? 2 : 3;
    for (size_t k = 0; k < sc->client_count; k++)
        s->clients[list[k]].id = arena_printf(a, "%0*zu%.*s", digits, k + 1, STR_ARG(sc->clients[list[k]].name));
    return s;
}

const scenario *ids_order(arena *a, const scenario *sc, size_t i)
{
    if (i == 0)
        return sc;
    size_t *list = by_name(a, sc);
    if (ids_orders_are_all(sc->client_count))
        permute(list, sc->client_count, i);
    else
        rotate(list, sc->client_count, i);
    return ordered(a, sc, list);
}

/* ---- in schedules ---- */

static const str word_begins = { "ids=", 4 };

str ids_word(arena *a, const scenario *sc)
{
    if (!sc->ids)
        return S("");
    buf b = { 0 };
    buf_add(&b, word_begins);
    for (size_t k = 0; k < sc->client_count; k++)
        buf_printf(&b, "%s%.*s", k ? "<" : "", STR_ARG(sc->clients[sc->ids[k]].name));
    str word = arena_str(a, buf_str(&b));
    buf_free(&b);
    return word;
}

bool ids_is_word(str token)
{
    return str_starts(token, word_begins) && str_find(token, '<', 0) < token.n;
}

static bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }

static str first_word(str s)
{
    size_t from = 0, to;
    while (from < s.n && is_blank(s.p[from]))
        from++;
    for (to = from; to < s.n && !is_blank(s.p[to]);)
        to++;
    return str_slice(s, from, to);
}

str ids_word_in(str schedule)
{
    str word = first_word(schedule);
    return ids_is_word(word) ? word : S("");
}

static bool read_order(const scenario *sc, str names, size_t *list)
{
    uint64_t had[8] = { 0 };
    size_t count = 0;
    for (size_t at = 0; at <= names.n;) {
        size_t end = str_find(names, '<', at), i = 0;
        str name = str_slice(names, at, end);
        while (i < sc->client_count && !str_eq(sc->clients[i].name, name))
            i++;
        if (i == sc->client_count || i >= 64 * COUNT(had) || had[i / 64] >> i % 64 & 1)
            return false;
        had[i / 64] |= UINT64_C(1) << i % 64;
        list[count++] = i;
        at = end + 1;
    }
    return count == sc->client_count;
}

const scenario *ids_of_schedule(arena *a, const scenario *sc, str schedule, err *e)
{
    str word = ids_word_in(schedule);
    if (!word.n)
        return sc;
    size_t *list = ARENA_ARRAY(a, size_t, sc->client_count + 1);
    if (read_order(sc, str_slice(word, word_begins.n, word.n), list))
        return ordered(a, sc, list);
    err_at(e, ERR_SCENARIO, sc->path, 0, 0, "'%.*s' does not name each client of the scenario once", STR_ARG(word));
    err_hint(e, "ids=B<A says that the ids of client B come before those of A; without it they are in the order of "
                "the names");
    return NULL;
}

/* ---- in texts ---- */

static bool is_digit(char c) { return c >= '0' && c <= '9'; }

static bool in_name(char c)
{
    return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

/* "A:1", "A#2:1", "A#0:token:3": a name, then one of these and a digit. `first`: what stands in the place of the
 * name's first byte. */
static bool is_id_at(str id, str s, size_t at, char first)
{
    return at + id.n + 1 < s.n && s.p[at] == first && memcmp(s.p + at + 1, id.p + 1, id.n - 1) == 0 &&
           (s.p[at + id.n] == ':' || s.p[at + id.n] == '#') && is_digit(s.p[at + id.n + 1]);
}

uint32_t ids_client_at(const scenario *sc, str s, size_t at)
{
    if (at > 0 && in_name(s.p[at - 1]))
        return NOBODY;
    for (size_t i = 0; i < sc->client_count; i++)
        if (is_id_at(sc->clients[i].id, s, at, sc->clients[i].id.p[0]))
            return (uint32_t)i;
    return NOBODY;
}

void ids_meet(const scenario *sc, str s, uint64_t *met)
{
    for (size_t at = 0; at + 2 < s.n; at++)
        if (s.p[at + 1] == ':' || s.p[at + 1] == '#' || in_name(s.p[at])) {
            uint32_t i = ids_client_at(sc, s, at);
            *met |= i < 64 ? UINT64_C(1) << i : 0;
        }
}

bool ids_several(uint64_t met)
{
    return (met & (met - 1)) != 0;
}

/* Replaces their first bytes, in reverse order from the end of the alphabet. */
static char exchanged(const scenario *sc, size_t i)
{
    size_t rank = 0;
    for (size_t k = 0; k < sc->client_count; k++)
        rank += before(sc, k, i);
    return (char)('~' - (int)rank);
}

void ids_exchange(const scenario *sc, char *bytes, size_t n)
{
    if (sc->client_count > EXCHANGED_MAX)
        return;
    for (size_t at = n; at-- > 0;) {       /* from the end: the text before an id is still unchanged */
        uint32_t i = ids_client_at(sc, (str){ bytes, n }, at);
        if (i != NOBODY)
            bytes[at] = exchanged(sc, i);
    }
}

void ids_exchange_back(const scenario *sc, char *bytes, size_t n)
{
    for (size_t i = 0; i < sc->client_count && sc->client_count <= EXCHANGED_MAX; i++) {
        str id = sc->clients[i].id;
        char first = exchanged(sc, i);
        for (size_t at = 0; at < n; at++)
            if (is_id_at(id, (str){ bytes, n }, at, first))
                bytes[at] = id.p[0];
    }
}

/* ---- in code ---- */

bool ids_are_written(const scenario *sc)
{
    const source *s;
    for (uint32_t i = 0; (s = source_numbered(sc->sources, i)) != NULL; i++)
        for (size_t t = 0; t < s->token_count; t++)
            if (s->tokens[t].kind == TOKEN_STRING && s->tokens[t].text.n > 1 &&
                ids_client_at(sc, str_slice(s->tokens[t].text, 1, s->tokens[t].text.n), 0) != NOBODY)
                return true;
    return false;
}
