/* codec.c - see codec.h. */
#include "model/codec.h"

#include <stdlib.h>

#include "base/codec.h"
#include "base/mem.h"

/* ---- fields ---- */

uint64_t code_number(codec *c, uint64_t v)
{
    if (c->does == READING)
        return take_varint(&c->in);
    if (c->does == WRITING)
        put_varint(c->out, v);
    return v;
}

bool code_flag(codec *c, bool v)
{
    return code_number(c, v) != 0;
}

/* Small numbers of either sign take few bytes. */
int64_t code_whole(codec *c, int64_t v)
{
    if (c->does == READING)
        return take_svarint(&c->in);
    if (c->does == WRITING)
        put_svarint(c->out, v);
    return v;
}

/* NOBODY is the shortest. */
uint32_t code_who(codec *c, uint32_t v)
{
    return (uint32_t)code_number(c, (uint32_t)(v + 1)) - 1;
}

uint32_t code_process(codec *c, uint32_t v)
{
    v = code_who(c, v);
    return c->does == READING && c->renamer && v != NOBODY ? c->renamer->process(c->renamer->context, v) : v;
}

str code_text(codec *c, str s)
{
    size_t n = code_number(c, s.n);
    if (c->does == READING) {
        s = take_bytes(&c->in, n);
        return c->renamer ? c->renamer->text(c->renamer->context, c->m->memory, s) : s;
    }
    if (c->does == WRITING)
        buf_add(c->out, s);
    return s;
}

/* Relative to now. Instants that never come are one value. */
int64_t code_instant(codec *c, int64_t at_ms)
{
    bool never = code_flag(c, at_ms >= NEVER_MS - 1);
    return never ? at_ms >= NEVER_MS - 1 ? at_ms : NEVER_MS : c->now_ms + code_whole(c, at_ms - c->now_ms);
}

int64_t code_ahead(codec *c, int64_t at_ms)
{
    return code_instant(c, at_ms < c->now_ms ? c->now_ms - 1 : at_ms);
}

/* ---- orders of execution ---- */

static int by_seq(const void *a, const void *b)
{
    const executed *x = a, *y = b;
    return (x->seq > y->seq) - (x->seq < y->seq);
}

/* How many different ones up to `seq` it can be compared with: those of its lock. */
static uint64_t rank(const codec *c, const lock *l, uint64_t seq)
{
    uint64_t n = 0, last = 0;
    for (size_t i = 0; i < c->seq_count && c->seqs[i].seq <= seq; i++)
        if ((c->across || c->seqs[i].l == l) && c->seqs[i].seq != last) {
            last = c->seqs[i].seq;
            n++;
        }
    return n;
}

void code_sort_orders(codec *c)
{
    if (c->seq_count)
        qsort(c->seqs, c->seq_count, sizeof *c->seqs, by_seq);
}

uint64_t code_seen(codec *c, uint64_t seq)
{
    if (seq > c->m->seq)
        c->m->seq = seq;
    return seq;
}

/* 0 stays 0: none. Numbers that are read are even, to leave gaps. */
uint64_t code_order(codec *c, const lock *l, uint64_t seq)
{
    if (c->does == READING) {
        seq = code_seen(c, 2 * code_number(c, 0));
    } else if (c->does == WRITING) {
        code_number(c, seq ? rank(c, l, seq) : 0);
    } else if (seq) {
        MEM_RESERVE(c->seqs, c->seq_cap, c->seq_count + 1);
        c->seqs[c->seq_count++] = (executed){ .l = l, .seq = seq };
        c->across |= !l || l->spec == SPEC_GROUPED;           /* which another lock may overlap */
    }
    return seq;
}
