/* lua_graph_values.c - numbers, texts and references in the canonical bytes of a process. Instants are written relative to now_ms: a
 * number within WINDOW_MS of now, or a text of digits that is one, is taken for an instant. */
#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "client/lua_graph_parts.h"

#define WINDOW_MS INT64_C(1000000000)

void put_count(lua_graph *g, uint64_t n)
{
    for (; n >= 0x80; n >>= 7)
        buf_byte(g->out, (char)(n | 0x80));
    buf_byte(g->out, (char)n);
}

void put_text(lua_graph *g, str s)
{
    put_count(g, s.n);
    buf_add(g->out, s);
}

static bool near_now(const lua_graph *g, double n)
{
    return n >= (double)(g->now_ms - WINDOW_MS) && n <= (double)(g->now_ms + WINDOW_MS) && n == floor(n);
}

static void put_distance(lua_graph *g, int64_t at_ms)
{
    MEM_RESERVE(g->distances, g->distance_cap, g->distance_count + 1);
    g->distances[g->distance_count++] = g->out->n;
    buf_u64(g->out, (uint64_t)(at_ms - g->now_ms));
}

void put_number(lua_graph *g, double n)
{
    uint64_t bits;
    if (near_now(g, n)) {
        buf_byte(g->out, 'T');
        put_distance(g, (int64_t)n);
        return;
    }
    if (n >= 0 && n < 0x80 && n == floor(n) && !signbit(n)) {      /* most numbers are small counts: one byte */
        buf_byte(g->out, 'i');
        buf_byte(g->out, (char)n);
        return;
    }
    if (isnan(n))                                  /* a program sees the sign of it, as "nan" or "-nan", and no more */
        n = signbit(n) ? -(double)NAN : (double)NAN;
    memcpy(&bits, &n, sizeof bits);
    buf_byte(g->out, 'n');
    buf_u64(g->out, bits);
}

void put_string(lua_graph *g, str s)
{
    enum { DIGITS_MAX = 16 };
    double n = 0;
    bool digits = s.n > 0 && s.n <= DIGITS_MAX && s.p[0] != '0';
    for (size_t i = 0; i < s.n && digits; i++) {
        digits = s.p[i] >= '0' && s.p[i] <= '9';
        n = 10 * n + (s.p[i] - '0');
    }
    if (digits && near_now(g, n)) {
        buf_byte(g->out, 't');
        put_distance(g, (int64_t)n);
        return;
    }
    buf_byte(g->out, 's');
    put_text(g, s);
}

void put_timer(lua_graph *g, int64_t at_ms)
{
    if (at_ms == INT64_MAX) {
        buf_u64(g->out, UINT64_MAX);
        return;
    }
    MEM_RESERVE(g->timers, g->timer_cap, g->timer_count + 1);
    g->timers[g->timer_count++] = g->distance_count;
    put_distance(g, at_ms > g->now_ms ? at_ms : g->now_ms);
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
