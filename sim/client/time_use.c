/* time_use.c - see time_use.h: every token of client code has a line of its own, so the line hook sees each
 * operator. */
#include "client/time_use.h"

#include <math.h>

#include "base/instant.h"
#include "base/outline.h"
#include "client/lua_graph_parts.h"
#include "scenario/registers.h"
#include "script/lua_compare.h"

static bool is_instant(const process *p, double n)
{
    n = fabs(n);           /* negated, it tells as much */
    return n < 9e15 &&
           (instant_near((int64_t)n, p->now_ms) || instant_near((int64_t)n - drift_skew_ms(p, p->now_ms), p->now_ms));
}

/* In seconds, where they fold. */
static bool is_seconds(const process *p, double n)
{
    int64_t at_ms, shown_ms = p->now_ms + drift_skew_ms(p, p->now_ms);
    n = fabs(n);
    return p->instants == INSTANTS_SECONDS &&
           (instant_of_seconds(n, p->now_ms, &at_ms) || instant_of_seconds(n, shown_ms, &at_ms));
}

/* What a server's clock told: see learned_input.c. */
static bool is_microseconds(const process *p, double n)
{
    return p->instants == INSTANTS_SECONDS && fabs(n) < 9e15 && is_instant(p, floor(fabs(n) / 1000));
}

/* Where seconds fold, so does what is within a text. */
static bool has_instant(const process *p, str s)
{
    int64_t shown_ms = p->now_ms + drift_skew_ms(p, p->now_ms);
    return p->instants == INSTANTS_SECONDS &&
           (instant_next(s, 0, p->instants, p->now_ms).unit != INSTANT_NONE ||
            instant_next(s, 0, p->instants, shown_ms).unit != INSTANT_NONE);
}

static instant_unit held(const process *p, lua_State *L, int index)
{
    int64_t at_ms;
    str s;
    switch (lua_type(L, index)) {
    case LUA_TNUMBER:
        return is_instant(p, lua_tonumber(L, index))       ? INSTANT_MS
               : is_seconds(p, lua_tonumber(L, index))     ? INSTANT_S
               : is_microseconds(p, lua_tonumber(L, index)) ? INSTANT_US : INSTANT_NONE;
    case LUA_TSTRING:
        s.p = lua_tolstring(L, index, &s.n);
        if (instant_text(s, p->now_ms, &at_ms) || instant_text(s, p->now_ms + drift_skew_ms(p, p->now_ms), &at_ms))
            return INSTANT_MS;
        if (instant_digits(s, &at_ms) && is_seconds(p, (double)at_ms))
            return INSTANT_S;
        return has_instant(p, s) ? INSTANT_US : INSTANT_NONE;          /* of no use but to be passed on */
    default:
        return INSTANT_NONE;
    }
}

/* Where seconds fold, time moves by full seconds between states that count as equal: from ms to seconds and back, and
 * what is past of a second, come out as they were. */
static bool keeps_seconds(const process *p, instant_unit unit, char by_thousand)
{
    if (p->instants != INSTANTS_SECONDS)
        return false;
    return unit == INSTANT_MS ? by_thousand == '/' || by_thousand == '%' : unit == INSTANT_S && by_thousand == '*';
}

str process_time_use(const process *p, arena *a)
{
    const position *at = &p->time_use;
    if (!p->time_used)
        return S("");
    return arena_printf(a, "what client '%.*s' makes of an instant depends on more than the time that has passed "
                        "(%.*s:%d)",
                        STR_ARG(p->scenario->clients[p->number].name), STR_ARG(at->path), at->line);
}

void time_use_enter(process *p, lua_State *L)
{
    int mask = lua_gethookmask(L) | (p->watched ? LUA_MASKLINE : 0), count = p->out && p->out->hears ? 1 : HOOK_STEPS;
    if (mask != lua_gethookmask(L) || count != lua_gethookcount(L))
        lua_sethook(L, lua_gethook(L), mask, count);
}

static void on_compared(void *context, double difference)
{
    outputs_compared(((process *)context)->out, difference);
}

static void on_used(void *context, lua_State *L, int index)
{
    process *p = context;
    outputs *out = p->out;
    int64_t shown_ms = p->now_ms + drift_skew_ms(p, p->now_ms);
    int type = index ? lua_type(L, index) : LUA_TNIL;
    str s = { 0 };
    if (type == LUA_TNUMBER && !is_instant(p, lua_tonumber(L, index)))
        outline_used(&out->used, lua_tonumber(L, index));
    else if (type == LUA_TSTRING) {
        s.p = lua_tolstring(L, index, &s.n);
        out->unknown |= outline_used_text(&out->used, s, p->now_ms);
        out->unknown |= shown_ms != p->now_ms && outline_used_text(&out->used, s, shown_ms);
    } else
        out->unknown = true;
}

void time_use_instruction(process *p, lua_State *L, lua_Debug *ar)
{
    uint64_t met = 0;
    if (p->out)
        lua_hear(L, ar, p->known, &(lua_ears){ p, on_compared, on_used });
    compare_kind kind = lua_compares(L, ar);
    if (kind == COMPARES_NOT)
        return;
    if (kind == COMPARES_ORDER) {
        library_note_ids(p, L, -2, &met);
        library_note_ids(p, L, -1, &met);
    }
    lua_pop(L, 2);
}

static void note(process *p, position where)
{
    p->time_used = true;
    p->time_use = where;
}

void time_use_line(process *p, lua_State *L, lua_Debug *ar)
{
    if (p->time_used || !source_scaled(p->sources, ar->currentline) || !lua_getinfo(L, "S", ar))
        return;
    const source *s = source_numbered(p->sources, source_number(ar->source));
    const live_registers *left = registers_scaled(s, ar->currentline);
    for (int r = 0; left && r < REGISTERS_MAX; r++) {
        if (!live_has(left, r) || !lua_getlocal(L, ar, r + 1))
            continue;
        instant_unit unit = held(p, L, -1);
        if (unit != INSTANT_NONE && !keeps_seconds(p, unit, registers_by_thousand(s, ar->currentline)))
            note(p, source_position(s, ar->currentline));
        lua_pop(L, 1);
    }
}

void time_use_argument(lua_State *L, int index)
{
    process *p = process_of(L);
    if (p->watched && !p->time_used && held(p, L, index) != INSTANT_NONE)
        note(p, state_where(p, L, 1));
}
