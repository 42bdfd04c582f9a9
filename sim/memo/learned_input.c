/* learned_input.c - the inputs of a process as bytes relative to their instant, and back. */
#include <assert.h>
#include <inttypes.h>
#include <string.h>

#include "memo/learned_internal.h"

static void put_text(buf *b, str s, int64_t now_ms)
{
    int64_t at_ms;
    if (instant_text(s, now_ms, &at_ms)) {
        buf_byte(b, 't');
        buf_u64(b, (uint64_t)(at_ms - now_ms));
        return;
    }
    if (instant_marked(s, now_ms, &at_ms)) {
        buf_byte(b, ':');
        buf_u64(b, (uint64_t)(at_ms - now_ms));
        return;
    }
    buf_byte(b, 's');
    buf_lenstr(b, s);
}

static void put_integer(buf *b, int64_t n, int64_t now_ms)
{
    bool instant = instant_near(n, now_ms);
    buf_byte(b, instant ? 'T' : 'n');
    buf_u64(b, (uint64_t)(instant ? n - now_ms : n));
}

static void put_double(buf *b, double n, int64_t now_ms)
{
    uint64_t bits;
    if (instant_near_double(n, now_ms)) {
        buf_byte(b, 'T');
        buf_u64(b, (uint64_t)((int64_t)n - now_ms));
        return;
    }
    memcpy(&bits, &n, sizeof bits);
    buf_byte(b, 'n');
    buf_u64(b, bits);
}

static void put_reply(buf *b, const reply *r, int64_t now_ms)
{
    buf_byte(b, (char)('a' + r->kind));
    switch (r->kind) {
    case REPLY_NIL: case REPLY_NIL_ARRAY:
        return;
    case REPLY_STATUS: case REPLY_ERROR: case REPLY_BULK: case REPLY_BIG_NUMBER: case REPLY_VERBATIM:
        put_text(b, r->text, now_ms);
        return;
    case REPLY_INTEGER: case REPLY_BOOLEAN:
        put_integer(b, r->integer, now_ms);
        return;
    case REPLY_DOUBLE:
        put_double(b, r->number, now_ms);
        return;
    case REPLY_ARRAY: case REPLY_MAP: case REPLY_SET:
        buf_u64(b, r->count);
        for (size_t i = 0; i < r->count; i++)
            put_reply(b, &r->items[i], now_ms);
        return;
    }
}

/* Added to the kind, a small letter instead of a capital one. */
enum { POINTS = 'a' - 'A' };

void input_put(buf *b, const input *in, int64_t now_ms)
{
    buf_byte(b, (char)('A' + in->kind + (in->points ? POINTS : 0)));
    buf_u64(b, in->number);
    switch (in->kind) {
    case INPUT_RUN: case INPUT_INTERRUPT: case INPUT_PREEMPT:
        return;
    case INPUT_CHOOSE: case INPUT_JUMP: case INPUT_AGE:
        buf_u64(b, (uint64_t)in->amount);
        return;
    case INPUT_ANSWER:
        put_reply(b, in->answer, now_ms);
        return;
    case INPUT_GIVE_UP:
        put_text(b, in->text, now_ms);
        return;
    case INPUT_MESSAGE:
        buf_u64(b, in->server);
        put_text(b, in->text, now_ms);
        put_text(b, in->channel, now_ms);
        put_text(b, in->pattern, now_ms);
        return;
    }
}

/* ---- and back ---- */

typedef struct {
    arena *a;
    str rest;
    int64_t now_ms;
} reader;

static char take_byte(reader *r)
{
    assert(r->rest.n > 0);
    char c = *r->rest.p;
    r->rest = str_slice(r->rest, 1, r->rest.n);
    return c;
}

static uint64_t take_u64(reader *r)
{
    uint64_t v = 0;
    for (int shift = 0; shift < 64; shift += 8)
        v |= (uint64_t)(unsigned char)take_byte(r) << shift;
    return v;
}

static str take_text(reader *r)
{
    char kind = take_byte(r);
    if (kind != 's')
        return arena_printf(r->a, "%s%" PRId64, kind == ':' ? ":" : "", (int64_t)take_u64(r) + r->now_ms);
    uint64_t n = take_u64(r);
    str s = arena_str(r->a, str_slice(r->rest, 0, n));
    r->rest = str_slice(r->rest, n, r->rest.n);
    return s;
}

static int64_t take_integer(reader *r)
{
    bool instant = take_byte(r) == 'T';
    return (int64_t)take_u64(r) + (instant ? r->now_ms : 0);
}

static double take_double(reader *r)
{
    double n;
    bool instant = take_byte(r) == 'T';
    uint64_t bits = take_u64(r);
    if (instant)
        return (double)((int64_t)bits + r->now_ms);
    memcpy(&n, &bits, sizeof n);
    return n;
}

static reply take_reply(reader *r)
{
    reply out = { .kind = (reply_kind)(take_byte(r) - 'a') };
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
        out.count = take_u64(r);
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
    char kind = take_byte(&r);
    bool points = kind >= 'a';
    input in = { .kind = (input_kind)(kind - 'A' - (points ? POINTS : 0)), .points = points };
    in.number = (uint32_t)take_u64(&r);
    switch (in.kind) {
    case INPUT_RUN: case INPUT_INTERRUPT: case INPUT_PREEMPT:
        break;
    case INPUT_CHOOSE: case INPUT_JUMP: case INPUT_AGE:
        in.amount = (int64_t)take_u64(&r);
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
        in.server = (uint32_t)take_u64(&r);
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
