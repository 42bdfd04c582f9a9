/* lua_graph_values.c - numbers, texts and references in the canonical bytes of a process. What is taken for an instant
 * (base/instant.h) is written relative to now_ms. */
#include <math.h>
#include <string.h>

#include "base/codec.h"
#include "base/instant.h"
#include "base/mem.h"
#include "client/hidden.h"
#include "client/lua_graph_parts.h"

void put_count(lua_graph *g, uint64_t n)
{
    put_varint(g->out, n);
}

void put_text(lua_graph *g, str s)
{
    if (g->equals)
        s = equals_named(g->renamed, g->equals, g->naming, true, s);
    put_count(g, s.n);
    buf_add(g->out, s);
}

static void put_distance(lua_graph *g, int64_t at_ms, distance_kind kind, uint32_t hidden)
{
    MEM_RESERVE(g->distances, g->distance_cap, g->distance_count + 1);
    g->distances[g->distance_count++] = (frozen_distance){ .at = g->out->n, .kind = kind, .hidden = hidden };
    buf_u64(g->out, (uint64_t)(at_ms - g->now_ms));
}

/* What was written since then is a number, or a text. */
static void mark(lua_graph *g, size_t from, bool text)
{
    MEM_RESERVE(g->marks, g->mark_cap, g->mark_count + 1);
    g->marks[g->mark_count++] = (frozen_mark){ .from = from, .to = g->out->n, .text = text };
}

void lua_graph_hide(lua_graph *g, size_t from)
{
    mark(g, from, false);
    g->marks[g->mark_count - 1].hidden = true;
}

void put_number(lua_graph *g, double n)
{
    uint64_t bits;
    size_t from = g->out->n, k;
    bool hidden = hidden_is(g->p, n, &k);
    if (hidden)
        n = (double)g->p->hidden[k];
    if (instant_near_double(n, g->now_ms)) {
        buf_byte(g->out, 'T');
        put_distance(g, (int64_t)n, DISTANCE_NUMBER, hidden ? (uint32_t)k + 1 : 0);
        return;
    }
    int64_t at_ms;
    if (g->p->instants == INSTANTS_SECONDS && instant_of_seconds(n, g->now_ms, &at_ms)) {
        buf_byte(g->out, 'S');
        put_distance(g, at_ms, DISTANCE_SECONDS, 0);
        return;
    }
    if (n >= 0 && n < 0x80 && n == floor(n) && !signbit(n)) {      /* most numbers are small counts: one byte */
        buf_byte(g->out, 'i');
        buf_byte(g->out, (char)n);
        mark(g, from, false);
        return;
    }
    if (isnan(n))                                  /* a program sees the sign of it, as "nan" or "-nan", and no more */
        n = signbit(n) ? -(double)NAN : (double)NAN;
    memcpy(&bits, &n, sizeof bits);
    buf_byte(g->out, 'n');
    buf_u64(g->out, bits);
    mark(g, from, false);
}

static void put_part(lua_graph *g, str s)
{
    size_t from = g->out->n;
    buf_byte(g->out, 's');
    put_text(g, s);
    mark(g, from, true);
}

/* An instant within a text. */
static void put_within(lua_graph *g, const instant_in_text *x)
{
    enum { US = 1000 };
    switch (x->unit) {
    case INSTANT_S:
        buf_byte(g->out, 'S');
        put_distance(g, 1000 * x->n, DISTANCE_SECONDS, 0);
        return;
    case INSTANT_US:
        buf_byte(g->out, 'U');
        put_count(g, (uint64_t)x->n % US);
        put_distance(g, x->n / US, DISTANCE_OTHER, 0);
        return;
    case INSTANT_MS: case INSTANT_NONE:
        buf_byte(g->out, 'T');
        put_distance(g, x->n, DISTANCE_OTHER, 0);
        return;
    }
}

/* A text that holds instants, by parts. false: it holds none. */
static bool put_parts(lua_graph *g, str s)
{
    size_t from = 0;
    instant_in_text x = { .unit = INSTANT_NONE };
    if (g->p->instants > INSTANTS_PLAIN)
        x = instant_next(s, 0, g->p->instants, g->now_ms);
    if (x.unit == INSTANT_NONE)
        return false;
    buf_byte(g->out, 'w');
    for (; x.unit != INSTANT_NONE; x = instant_next(s, from, g->p->instants, g->now_ms)) {
        put_part(g, str_slice(s, from, x.from));
        put_within(g, &x);
        from = x.to;
    }
    put_part(g, str_slice(s, from, s.n));
    buf_byte(g->out, 'e');
    return true;
}

void put_string(lua_graph *g, str s)
{
    int64_t at_ms;
    if (instant_text(s, g->now_ms, &at_ms)) {
        buf_byte(g->out, 't');
        put_distance(g, at_ms, DISTANCE_OTHER, 0);
        return;
    }
    if (instant_marked(s, g->now_ms, &at_ms)) {
        buf_byte(g->out, ':');
        put_distance(g, at_ms, DISTANCE_OTHER, 0);
        return;
    }
    if (!put_parts(g, s))
        put_part(g, s);
}

void put_timer(lua_graph *g, int64_t at_ms)
{
    if (at_ms == INT64_MAX) {
        buf_u64(g->out, UINT64_MAX);
        return;
    }
    put_distance(g, at_ms > g->now_ms ? at_ms : g->now_ms, DISTANCE_TIMER, 0);
}

void put_value(lua_graph *g, lua_State *L)
{
    str s;
    switch (lua_type(L, -1)) {
    case LUA_TNIL:
        buf_byte(g->out, '0');
        break;
    case LUA_TBOOLEAN:
        buf_byte(g->out, lua_toboolean(L, -1) ? 'Y' : 'N');
        break;
    case LUA_TNUMBER:
        put_number(g, lua_tonumber(L, -1));
        break;
    case LUA_TSTRING:
        s.p = lua_tolstring(L, -1, &s.n);
        put_string(g, s);
        break;
    case LUA_TLIGHTUSERDATA:                       /* client code has none */
        lua_graph_refuse(g, "it holds a light userdata");
        break;
    default:
        buf_byte(g->out, 'o');
        put_count(g, lua_graph_meet(g, L));
        return;
    }
    lua_pop(L, 1);
}

void put_root(lua_graph *g, int slot)
{
    root_push(g->L, slot);
    put_value(g, g->L);
}

void put_thread(lua_graph *g, lua_State *thread)
{
    lua_graph_push_thread(g, thread);
    put_value(g, g->L);
}
