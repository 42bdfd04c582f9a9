/* growth.c - why a search does not end: names what keeps being new on a way to one of the last states. It looks at the
 * parts of the world that are new again and again along the way, and reports the values that kept changing and never
 * repeated. That does not prove that they grow for ever, and the text does not say so. */
#include "search/growth.h"

#include <string.h>

#include "base/facts.h"
#include "base/mem.h"

enum { SAMPLES = 96, VALUES_MIN = 6, VALUES_SHOWN = 4, TOLD_MAX = 3 };

/* The last distinct values of one part along the way, in the order of their last occurrence. */
typedef struct {
    uint32_t at[SAMPLES];
    size_t count;
} sample;

static void sample_add(sample *s, uint32_t part)
{
    if (s->count > 0 && s->at[s->count - 1] == part)
        return;
    if (s->count == SAMPLES)
        memmove(s->at, s->at + 1, --s->count * sizeof *s->at);
    s->at[s->count++] = part;
}

/* The nodes of the clients, then the servers. */
static sample *walk(vectors *t, size_t clients, const way *w)
{
    size_t width = vectors_width(t), count;
    sample *of = mem_zero((clients + 1) * sizeof *of);
    uint32_t *row = mem_alloc(width * sizeof *row), broken;
    memcpy(row, vectors_begin(t, &broken), width * sizeof *row);
    for (size_t i = 0; i <= w->count; i++) {
        for (size_t q = 0; q < clients; q++)
            sample_add(&of[q], row[q] / 2);
        sample_add(&of[clients], row[clients + AT_SERVERS]);
        const happening *list;
        const uint32_t *rows;
        if (i == w->count || !vectors_expand(t, row, &list, &rows, &count) || w->choices[i] >= count)
            break;
        memcpy(row, rows + w->choices[i] * width, width * sizeof *row);
    }
    mem_free(row);
    return of;
}

/* One fact along the samples: does it keep changing without repeating? */
typedef struct {
    const fact *values[SAMPLES];       /* without repetition */
    size_t count;
} series;

static bool grows(const facts *states, size_t count, str key, series *s)
{
    s->count = 0;
    for (size_t i = 0; i < count; i++) {
        const fact *f = facts_find(&states[i], key);
        if (!f || (s->count > 0 && str_eq(s->values[s->count - 1]->value, f->value)))
            continue;
        for (size_t k = 0; k < s->count; k++)
            if (str_eq(s->values[k]->value, f->value))
                return false;
        s->values[s->count++] = f;
    }
    return s->count >= VALUES_MIN;
}

static void tell(const series *s, str of, buf *out)
{
    const fact *last = s->values[s->count - 1];
    buf_printf(out, "%s%.*s%.*s (", out->n ? "; " : "", STR_ARG(of), STR_ARG(last->name));
    for (size_t i = s->count - VALUES_SHOWN; i < s->count; i++)
        buf_printf(out, "%.*s, ", STR_ARG(s->values[i]->value));
    buf_addz(out, "...)");
}

/* `count` states of one part, oldest first. Vague facts are reported only if there are no others. */
static size_t tell_growing(hunt *h, const facts *states, size_t count, str of, size_t room, buf *out)
{
    size_t told = 0;
    const facts *last = &states[count - 1];
    for (int vague = 0; vague <= 2 && told == 0; vague++)
        for (size_t i = 0; i < last->count && told < room; i++) {
            series s;
            if (last->items[i].vague != vague || !grows(states, count, last->items[i].key, &s))
                continue;
            tell(&s, of, out);
            if (!h->grower.what.n) {
                const fact *f = s.values[s.count - 1];
                h->grower.what = arena_printf(h->a, "%.*s%.*s", STR_ARG(of), STR_ARG(f->name));
                h->grower.where = arena_str(h->a, f->where);
                h->grower.at_servers = of.n == 0;
                h->grower.is_time = instant_next(f->value, 0, INSTANTS_SECONDS, WORLD_EPOCH_MS).unit != INSTANT_NONE;
                h->grower.values = s.count;
            }
            told++;
        }
    return told;
}

static size_t look_at(hunt *h, vectors *t, const sample *s, size_t which, size_t room, buf *out)
{
    parts *p = vectors_parts(t);
    bool client = which < h->sc->client_count;
    if (s->count < VALUES_MIN)
        return 0;
    arena *a = arena_new();
    facts *states = ARENA_ARRAY(a, facts, s->count);
    for (size_t i = 0; i < s->count; i++) {
        states[i] = (facts){ .memory = a };
        if (client)
            parts_describe_node(p, s->at[i], &states[i]);
        else
            parts_describe_servers(p, s->at[i], &states[i]);
        facts_sort(&states[i]);
    }
    str of = client ? arena_printf(a, "client %.*s: ", STR_ARG(h->sc->clients[which].name)) : S("");
    size_t told = tell_growing(h, states, s->count, of, room, out);
    for (size_t i = 0; i < s->count; i++)
        facts_free(&states[i]);
    arena_free(a);
    return told;
}

str growth_say(hunt *h, vectors *t, const visited *seen, uint32_t state)
{
    size_t clients = h->sc->client_count, told = 0;
    way w = { 0 };
    buf out = { 0 };
    if (way_to_state(t, seen, state, &w)) {
        sample *of = walk(t, clients, &w);
        for (size_t i = 0; i <= clients && told < TOLD_MAX; i++) {
            size_t which = i == 0 ? clients : i - 1;           /* servers first: clients react to them */
            told += look_at(h, t, &of[which], which, TOLD_MAX - told, &out);
        }
        mem_free(of);
    }
    mem_free(w.choices);
    str text = arena_str(h->a, buf_str(&out));
    buf_free(&out);
    return text;
}
