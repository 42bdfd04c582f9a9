/* learned_input.c - the inputs of a process as bytes relative to their instant, and back. */
#include <assert.h>
#include <string.h>

#include "base/codec.h"
#include "base/instant_text.h"
#include "memo/learned_internal.h"

typedef struct {
    buf *out;
    instant_spelling spelling;
    int64_t now_ms;
} writer;

static void put_text(writer *w, str s)
{
    instant_text_put(w->out, s, w->spelling, w->now_ms);
}

static void put_integer(writer *w, int64_t n)
{
    instant_unit unit = instant_unit_of(n, w->spelling, w->now_ms);
    buf_byte(w->out, (char)unit);
    buf_u64(w->out, (uint64_t)(n - (unit == INSTANT_NONE ? 0 : instant_now_in(unit, w->now_ms))));
}

static void put_double(writer *w, double n)
{
    uint64_t bits;
    instant_unit unit = instant_of_score(n, w->spelling, w->now_ms);
    n -= unit == INSTANT_NONE ? 0 : (double)instant_now_in(unit, w->now_ms);
    memcpy(&bits, &n, sizeof bits);
    buf_byte(w->out, (char)unit);
    buf_u64(w->out, bits);
}

static void put_reply(writer *w, const reply *r)
{
    buf_byte(w->out, (char)('a' + r->kind));
    switch (r->kind) {
    case REPLY_NIL: case REPLY_NIL_ARRAY:
        return;
    case REPLY_STATUS: case REPLY_ERROR: case REPLY_BULK: case REPLY_BIG_NUMBER: case REPLY_VERBATIM:
        put_text(w, r->text);
        return;
    case REPLY_INTEGER: case REPLY_BOOLEAN:
        put_integer(w, r->integer);
        return;
    case REPLY_DOUBLE:
        put_double(w, r->number);
        return;
    case REPLY_ARRAY: case REPLY_MAP: case REPLY_SET:
        buf_u64(w->out, r->count);
        for (size_t i = 0; i < r->count; i++)
            put_reply(w, &r->items[i]);
        return;
    }
}

/* Added to the kind, a small letter instead of a capital one. */
enum { POINTS = 'a' - 'A' };

void input_put(buf *b, const input *in, instant_spelling spelling, int64_t now_ms)
{
    writer w = { b, spelling, now_ms };
    buf_byte(b, (char)('A' + in->kind + (in->points ? POINTS : 0)));
    buf_u64(b, in->number);
    switch (in->kind) {
    case INPUT_RUN: case INPUT_INTERRUPT: case INPUT_PREEMPT:
        return;
    case INPUT_CHOOSE: case INPUT_JUMP: case INPUT_AGE:
        buf_u64(b, (uint64_t)in->amount);
        return;
    case INPUT_ANSWER:
        put_reply(&w, in->answer);
        return;
    case INPUT_GIVE_UP:
        put_text(&w, in->text);
        return;
    case INPUT_MESSAGE:
        buf_u64(b, in->server);
        put_text(&w, in->text);
        put_text(&w, in->channel);
        put_text(&w, in->pattern);
        return;
    }
}

/* ---- and back ---- */

typedef struct {
    arena *a;
    str rest;
    int64_t now_ms;
} reader;

static str take_text(reader *r)
{
    return instant_text_take(r->a, &r->rest, r->now_ms);
}

static int64_t take_integer(reader *r)
{
    instant_unit unit = (instant_unit)take_byte(&r->rest);
    return (int64_t)take_u64(&r->rest) + (unit == INSTANT_NONE ? 0 : instant_now_in(unit, r->now_ms));
}

static double take_double(reader *r)
{
    double n;
    instant_unit unit = (instant_unit)take_byte(&r->rest);
    uint64_t bits = take_u64(&r->rest);
    memcpy(&n, &bits, sizeof n);
    return n + (unit == INSTANT_NONE ? 0 : (double)instant_now_in(unit, r->now_ms));
}

static reply take_reply(reader *r)
{
    reply out = { .kind = (reply_kind)(take_byte(&r->rest) - 'a') };
    switch (out.kind) {
    case REPLY_NIL: case REPLY_NIL_ARRAY:
        break;
    case REPLY_STATUS: case REPLY_ERROR: case REPLY_BULK: case REPLY_BIG_NUMBER: case REPLY_VERBATIM:
        out.text = take_text(r);
        break;
    case REPLY_INTEGER: case REPLY_BOOLEAN:
        out.integer = take_integer(r);
        break;
    case REPLY_DOUBLE:
        out.number = take_double(r);
        break;
    case REPLY_ARRAY: case REPLY_MAP: case REPLY_SET:
        out.count = take_u64(&r->rest);
        out.items = ARENA_ARRAY(r->a, reply, out.count + 1);
        for (size_t i = 0; i < out.count; i++)
            out.items[i] = take_reply(r);
        break;
    }
    return out;
}

input input_take(arena *a, str bytes, int64_t now_ms)
{
    reader r = { .a = a, .rest = bytes, .now_ms = now_ms };
    char kind = (char)take_byte(&r.rest);
    bool points = kind >= 'a';
    input in = { .kind = (input_kind)(kind - 'A' - (points ? POINTS : 0)), .points = points };
    in.number = (uint32_t)take_u64(&r.rest);
    switch (in.kind) {
    case INPUT_RUN: case INPUT_INTERRUPT: case INPUT_PREEMPT:
        break;
    case INPUT_CHOOSE: case INPUT_JUMP: case INPUT_AGE:
        in.amount = (int64_t)take_u64(&r.rest);
        break;
    case INPUT_ANSWER: {
        reply *answer = ARENA_NEW(a, reply);
        *answer = take_reply(&r);
        in.answer = answer;
        break;
    }
    case INPUT_GIVE_UP:
        in.text = take_text(&r);
        break;
    case INPUT_MESSAGE:
        in.server = (uint32_t)take_u64(&r.rest);
        in.text = take_text(&r);
        in.channel = take_text(&r);
        in.pattern = take_text(&r);
        break;
    }
    assert(r.rest.n == 0);
    return in;
}

/* ---- under other names ---- */

/* In another naming (equals_named), or with ids exchanged. */
typedef struct { const equals *eq; size_t naming; const permutation *x; } new_names;

static str with_names(arena *a, const new_names *to, str s)
{
    return to->x ? equals_renamed(a, to->eq, to->x, s) : equals_named(a, to->eq, to->naming, false, s);
}

static reply named_reply(arena *a, const new_names *to, const reply *r)
{
    reply n = *r;
    switch (r->kind) {
    case REPLY_STATUS: case REPLY_ERROR: case REPLY_BULK: case REPLY_BIG_NUMBER: case REPLY_VERBATIM:
        n.text = with_names(a, to, r->text);
        break;
    case REPLY_ARRAY: case REPLY_MAP: case REPLY_SET:
        n.items = ARENA_ARRAY(a, reply, r->count + 1);
        for (size_t i = 0; i < r->count; i++)
            n.items[i] = named_reply(a, to, &r->items[i]);
        break;
    case REPLY_NIL: case REPLY_NIL_ARRAY: case REPLY_INTEGER: case REPLY_BOOLEAN: case REPLY_DOUBLE:
        break;
    }
    return n;
}

static void give_names(arena *a, const new_names *to, input *in)
{
    str *texts[] = { &in->text, &in->channel, &in->pattern };
    for (size_t i = 0; i < COUNT(texts); i++)
        *texts[i] = with_names(a, to, *texts[i]);
    if (in->answer) {
        reply *r = ARENA_NEW(a, reply);
        *r = named_reply(a, to, in->answer);
        in->answer = r;
    }
}

void input_name(arena *a, const equals *eq, size_t naming, input *in)
{
    give_names(a, &(new_names){ .eq = eq, .naming = naming }, in);
}

void input_permute(arena *a, const equals *eq, const permutation *x, input *in)
{
    give_names(a, &(new_names){ .eq = eq, .x = x }, in);
}
