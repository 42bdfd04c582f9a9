/* hyperloglog.c - PFADD, PFCOUNT, PFMERGE, PFDEBUG, PFSELFTEST: how many different elements there were, by estimate.
 * The value is a string, whose bytes are those of a real server: a header, and 16384 registers of six bits, packed
 * (dense) or as runs (sparse). The estimator is Ertl's (arXiv:1702.01284); elements are hashed by MurmurHash64A.
 * Facts: the servers themselves (tests/conformance).
 *
 * The header: "HYLL", the encoding, three bytes 0, and the last count, 8 bytes little-endian; its highest bit is set
 * while it has to be counted anew. A run: 00nnnnnn n + 1 registers of 0; 01nnnnnn nnnnnnnn the same; 1vvvvvnn n + 1
 * registers of v + 1. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "redis/collection.h"
#include "redis/server.h"

enum { PLACE_BITS = 14, REGISTERS = 1 << PLACE_BITS, RANK_BITS = 64 - PLACE_BITS, REGISTER_BITS = 6, HEADER_BYTES = 16,
       DENSE_BYTES = HEADER_BYTES + REGISTERS * REGISTER_BITS / 8, STALE_AT = 15, COUNT_AT = 8, ENCODING_AT = 4,
       VALUE_MAX = 32, VALUE_RUN_MAX = 4, ZERO_RUN_MAX = 64 };
enum { DENSE, SPARSE, ENCODINGS };

/* One being changed: its bytes in a block of its own. */
typedef struct {
    unsigned char *at;
    size_t n, cap;
} sketch;

/* ---- hashing ---- */

static uint64_t word_at(const unsigned char *p, size_t n)
{
    uint64_t word = 0;
    for (size_t i = 0; i < n; i++)
        word |= (uint64_t)p[i] << (8 * i);
    return word;
}

/* MurmurHash64A, of a little-endian machine. */
static uint64_t murmur(str text)
{
    const uint64_t mix = 0xc6a4a7935bd1e995, seed = 0xadc83b19;
    const unsigned char *p = (const unsigned char *)text.p;
    uint64_t hash = seed ^ (text.n * mix);
    for (size_t left = text.n; left >= 8; left -= 8, p += 8) {
        uint64_t word = word_at(p, 8) * mix;
        hash = (hash ^ ((word ^ (word >> 47)) * mix)) * mix;
    }
    if (text.n % 8)
        hash = (hash ^ word_at(p, text.n % 8)) * mix;
    hash = (hash ^ (hash >> 47)) * mix;
    return hash ^ (hash >> 47);
}

/* Where an element counts, and how much: the place of the first bit that is set behind those of its register. */
static unsigned rank_of(str element, size_t *reg)
{
    uint64_t hash = murmur(element), rest = (hash >> PLACE_BITS) | UINT64_C(1) << RANK_BITS;
    unsigned rank = 1;
    *reg = hash % REGISTERS;
    for (; !(rest & 1); rest >>= 1)
        rank++;
    return rank;
}

/* ---- dense registers ---- */

static unsigned dense_get(const unsigned char *registers, size_t i)
{
    size_t bit = i * REGISTER_BITS, byte = bit / 8;
    unsigned both = registers[byte] | (bit % 8 > 2 ? (unsigned)registers[byte + 1] << 8 : 0);
    return both >> bit % 8 & ((1U << REGISTER_BITS) - 1);
}

static void dense_put(unsigned char *registers, size_t i, unsigned rank)
{
    size_t bit = i * REGISTER_BITS, byte = bit / 8;
    unsigned mask = ((1U << REGISTER_BITS) - 1) << bit % 8, bits = rank << bit % 8;
    registers[byte] = (unsigned char)((registers[byte] & ~mask) | bits);
    if (bit % 8 > 2)
        registers[byte + 1] = (unsigned char)((registers[byte + 1] & ~(mask >> 8)) | bits >> 8);
}

/* ---- sparse runs ---- */

typedef struct {
    unsigned value;                /* of each of its registers */
    size_t registers, bytes;
} span;

/* The run at p; no registers: it is cut off. */
static span span_at(const unsigned char *p, const unsigned char *end)
{
    if (*p & 0x80)
        return (span){ (*p >> 2 & 31U) + 1, (*p & 3U) + 1, 1 };
    if (!(*p & 0x40))
        return (span){ 0, (*p & 63U) + 1, 1 };
    return p + 1 < end ? (span){ 0, ((size_t)(*p & 63) << 8 | p[1]) + 1, 2 } : (span){ 0 };
}

static size_t put_span(unsigned char *to, unsigned value, size_t registers)
{
    if (!registers)
        return 0;
    if (value) {
        *to = (unsigned char)(0x80 | (value - 1) << 2 | (registers - 1));
        return 1;
    }
    size_t n = registers - 1;
    if (registers <= ZERO_RUN_MAX) {
        *to = (unsigned char)n;
        return 1;
    }
    to[0] = (unsigned char)(0x40 | n >> 8);
    to[1] = (unsigned char)n;
    return 2;
}

/* Calls for each register that is not 0; false if the runs are not those of all registers. */
static bool each_sparse(str s, void (*fn)(void *context, size_t reg, unsigned rank), void *context)
{
    const unsigned char *p = (const unsigned char *)s.p + HEADER_BYTES, *end = (const unsigned char *)s.p + s.n;
    size_t reg = 0;
    while (p < end) {
        span run = span_at(p, end);
        if (!run.registers || run.registers > REGISTERS - reg)
            return false;
        for (size_t i = 0; run.value && i < run.registers; i++)
            fn(context, reg + i, run.value);
        reg += run.registers;
        p += run.bytes;
    }
    return reg == REGISTERS;
}

static void set_dense(void *context, size_t reg, unsigned rank) { dense_put(context, reg, rank); }

static bool make_dense(sketch *k)
{
    if (k->at[ENCODING_AT] == DENSE)
        return true;
    unsigned char *dense = mem_zero(DENSE_BYTES);
    memcpy(dense, k->at, HEADER_BYTES);
    dense[ENCODING_AT] = DENSE;
    if (!each_sparse((str){ (char *)k->at, k->n }, set_dense, dense + HEADER_BYTES)) {
        mem_free(dense);
        return false;
    }
    mem_free(k->at);
    *k = (sketch){ dense, DENSE_BYTES, DENSE_BYTES };
    return true;
}

/* Neighbours of one value become one run, among the five runs from the one at `from` on. */
static void join_spans(sketch *k, size_t from)
{
    enum { LOOKED_AT = 5 };
    for (int left = LOOKED_AT; left > 0 && from < k->n; left--) {
        const unsigned char *end = k->at + k->n;
        span run = span_at(k->at + from, end), next = { 0 };
        if (run.value && from + 1 < k->n)
            next = span_at(k->at + from + 1, end);
        if (run.value && next.value == run.value && run.registers + next.registers <= VALUE_RUN_MAX) {
            memmove(k->at + from, k->at + from + 1, k->n - from - 1);
            k->n--;
            put_span(k->at + from, run.value, run.registers + next.registers);
            continue;
        }
        from += run.registers ? run.bytes : 1;
    }
}

typedef enum { BROKEN = -1, SAME, CHANGED } outcome;

static outcome dense_raise(sketch *k, size_t reg, unsigned rank)
{
    if (dense_get(k->at + HEADER_BYTES, reg) >= rank)
        return SAME;
    dense_put(k->at + HEADER_BYTES, reg, rank);
    return CHANGED;
}

static outcome raise_in_dense(sketch *k, size_t reg, unsigned rank)
{
    return make_dense(k) ? dense_raise(k, reg, rank) : BROKEN;
}

/* The run that has the register is split round it. */
static outcome sparse_raise(sketch *k, size_t reg, unsigned rank, size_t bytes_max)
{
    size_t at = HEADER_BYTES, before = HEADER_BYTES, first = 0;
    span run = { 0 };
    if (rank > VALUE_MAX)
        return raise_in_dense(k, reg, rank);
    for (; at < k->n; before = at, at += run.bytes, first += run.registers) {
        run = span_at(k->at + at, k->at + k->n);
        if (!run.registers)
            return BROKEN;
        if (reg < first + run.registers)
            break;
    }
    if (at >= k->n)
        return BROKEN;
    if (run.value >= rank)
        return SAME;
    unsigned char parts[5];
    size_t n = put_span(parts, run.value, reg - first);
    n += put_span(parts + n, rank, 1);
    n += put_span(parts + n, run.value, first + run.registers - 1 - reg);
    if (n > run.bytes && k->n + n - run.bytes > bytes_max)
        return raise_in_dense(k, reg, rank);
    MEM_RESERVE(k->at, k->cap, k->n + n);
    memmove(k->at + at + n, k->at + at + run.bytes, k->n - at - run.bytes);
    memcpy(k->at + at, parts, n);
    k->n += n - run.bytes;
    join_spans(k, before);
    k->at[STALE_AT] |= 0x80;
    return CHANGED;
}

static outcome raise_register(sketch *k, size_t reg, unsigned rank, size_t bytes_max)
{
    return k->at[ENCODING_AT] == DENSE ? dense_raise(k, reg, rank) : sparse_raise(k, reg, rank, bytes_max);
}

/* ---- counting ---- */

static double tau(double x)
{
    double y = 1, z = 1 - x, before = 0;
    if (x == 0 || x == 1)
        return 0;
    do {
        x = sqrt(x);
        before = z;
        y *= 0.5;
        z -= pow(1 - x, 2) * y;
    } while (z != before);
    return z / 3;
}

static double sigma(double x)
{
    double y = 1, z = x, before = 0;
    if (x == 1)
        return INFINITY;
    do {
        x *= x;
        before = z;
        z += x * y;
        y += y;
    } while (z != before);
    return z;
}

/* The estimate from how many registers have each rank. */
static uint64_t estimate(const unsigned char *ranks)
{
    const double m = REGISTERS, alpha = 0.721347520444481703680;
    int with[1 << REGISTER_BITS] = { 0 };
    for (size_t i = 0; i < REGISTERS; i++)
        with[ranks[i]]++;
    double z = m * tau((m - with[RANK_BITS + 1]) / m);
    for (int i = RANK_BITS; i >= 1; i--)
        z = (z + with[i]) * 0.5;
    z += m * sigma(with[0] / m);
    return (uint64_t)llroundl(alpha * m * m / z);
}

static void raise_rank(void *context, size_t reg, unsigned rank)
{
    unsigned char *ranks = context;
    if (ranks[reg] < rank)
        ranks[reg] = (unsigned char)rank;
}

/* Into ranks[], the higher one of each register; false if it is broken. */
static bool merge_ranks(str s, unsigned char *ranks)
{
    if (s.p[ENCODING_AT] == SPARSE)
        return each_sparse(s, raise_rank, ranks);
    for (size_t i = 0; i < REGISTERS; i++)
        raise_rank(ranks, i, dense_get((const unsigned char *)s.p + HEADER_BYTES, i));
    return true;
}

/* ---- the commands ---- */

static reply broken(void) { return reply_error(S("INVALIDOBJ Corrupted HLL object detected")); }

/* The sketch under the key: *v NULL if there is no key; false and *r an error if that is none. */
static bool find_sketch(const call *c, str key, value **v, reply *r)
{
    if (!find_kind(c, key, VALUE_STRING, v, r))
        return false;
    str s = *v ? value_string(*v) : S("");
    bool ok = !*v || (s.n >= HEADER_BYTES && str_starts(s, S("HYLL")) && (unsigned char)s.p[ENCODING_AT] < ENCODINGS &&
                      (s.p[ENCODING_AT] != DENSE || s.n == DENSE_BYTES));
    if (!ok)
        *r = reply_error(S("WRONGTYPE Key is not a valid HyperLogLog string value."));
    return ok;
}

/* Its bytes, or those of an empty one. */
static sketch sketch_open(const value *v)
{
    static const unsigned char empty[HEADER_BYTES + 2] = { 'H', 'Y', 'L', 'L', SPARSE, [HEADER_BYTES] = 0x7f, 0xff };
    str s = v ? value_string(v) : (str){ (const char *)empty, sizeof empty };
    sketch k = { mem_alloc(s.n), s.n, s.n };
    memcpy(k.at, s.p, s.n);
    return k;
}

/* Ends the change. The key has the bytes from then on; `stale`: it has to be counted anew. */
static void sketch_keep(const call *c, str key, value *v, sketch *k, bool stale)
{
    if (stale)
        k->at[STALE_AT] |= 0x80;
    str bytes = { (char *)k->at, k->n };
    if (!v) {
        v = value_new_string(bytes);
        store_put(c->st, c->db, key, v, false);
    } else if (!str_eq(value_string(v), bytes)) {
        value_string_set(v, bytes);
        store_touch_unwatched(c->st);
    }
    value_string_mark(v, TEXT_GROWN);
    mem_free(k->at);
}

static size_t sparse_bytes_max(const call *c)
{
    int64_t n;
    const char *text = settings_value(c->server, "hll-sparse-max-bytes");
    return text && parse_int(str_from(text), &n) && n >= 0 ? (size_t)n : 3000;
}

/* PFADD key [element ...] */
static reply cmd_pfadd(const call *c)
{
    value *v;
    reply r;
    if (!find_sketch(c, c->argv[1], &v, &r))
        return r;
    sketch k = sketch_open(v);
    bool changed = !v, whole = true;
    size_t most = sparse_bytes_max(c);
    for (size_t i = 2; i < c->argc && whole; i++) {
        size_t reg;
        unsigned rank = rank_of(c->argv[i], &reg);
        outcome what = raise_register(&k, reg, rank, most);
        whole = what != BROKEN;
        changed |= what == CHANGED;
    }
    sketch_keep(c, c->argv[1], v, &k, changed && whole);
    if (!whole)
        return broken();
    if (changed) {
        store_touch(c->st, c->db, c->argv[1]);
        notify(c, NOTIFY_STRING, "pfadd", c->argv[1]);
    }
    return reply_integer(changed);
}

/* One key: its count is kept with it. */
static reply count_one(const call *c)
{
    value *v;
    reply r;
    if (!find_sketch(c, c->argv[1], &v, &r))
        return r;
    if (!v)
        return reply_integer(0);
    sketch k = sketch_open(v);
    uint64_t count = word_at(k.at + COUNT_AT, 8);
    bool stale = k.at[STALE_AT] & 0x80;
    if (stale) {
        unsigned char *ranks = mem_zero(REGISTERS);
        bool whole = merge_ranks(value_string(v), ranks);
        count = whole ? estimate(ranks) : 0;
        mem_free(ranks);
        if (!whole) {
            mem_free(k.at);
            return broken();
        }
        for (size_t i = 0; i < 8; i++)
            k.at[COUNT_AT + i] = (unsigned char)(count >> (8 * i));
    }
    if (c->server->only_looked_at) {
        mem_free(k.at);
        return reply_integer((int64_t)count);
    }
    sketch_keep(c, c->argv[1], v, &k, false);
    if (stale)
        store_touch(c->st, c->db, c->argv[1]);
    return reply_integer((int64_t)count);
}

/* All keys from argv[1] on, together; *dense: one of them is. False and *r an error. */
static bool merge_keys(const call *c, unsigned char *ranks, bool *dense, reply *r)
{
    for (size_t i = 1; i < c->argc; i++) {
        value *v;
        if (!find_sketch(c, c->argv[i], &v, r))
            return false;
        if (!v)
            continue;
        *dense |= value_string(v).p[ENCODING_AT] == DENSE;
        if (!merge_ranks(value_string(v), ranks))
            return *r = broken(), false;
    }
    return true;
}

/* PFCOUNT key [key ...] */
static reply cmd_pfcount(const call *c)
{
    bool dense = false;
    reply r;
    if (c->argc == 2)
        return count_one(c);
    unsigned char *ranks = mem_zero(REGISTERS);
    if (merge_keys(c, ranks, &dense, &r))
        r = reply_integer((int64_t)estimate(ranks));
    mem_free(ranks);
    return r;
}

/* PFMERGE destination [source ...] */
static reply cmd_pfmerge(const call *c)
{
    bool dense = false;
    value *v;
    reply r;
    unsigned char *ranks = mem_zero(REGISTERS);
    if (!merge_keys(c, ranks, &dense, &r) || !find_sketch(c, c->argv[1], &v, &r)) {
        mem_free(ranks);
        return r;
    }
    sketch k = sketch_open(v);
    size_t most = sparse_bytes_max(c);
    if (dense)
        make_dense(&k);                            /* it was read above: it is whole */
    for (size_t i = 0; i < REGISTERS; i++)
        if (ranks[i])
            raise_register(&k, i, ranks[i], most);
    mem_free(ranks);
    sketch_keep(c, c->argv[1], v, &k, true);
    store_touch(c->st, c->db, c->argv[1]);
    notify(c, NOTIFY_STRING, "pfadd", c->argv[1]);
    return reply_ok();
}

/* ---- PFDEBUG ---- */

static reply runs_as_text(const call *c, const value *v)
{
    str s = value_string(v);
    const unsigned char *p = (const unsigned char *)s.p + HEADER_BYTES, *end = (const unsigned char *)s.p + s.n;
    buf b = { 0 };
    if (s.p[ENCODING_AT] != SPARSE)
        return reply_error(S("ERR HLL encoding is not sparse"));
    for (span run; p < end && (run = span_at(p, end)).registers; p += run.bytes) {
        buf_addz(&b, b.n ? " " : "");
        if (run.value)
            buf_printf(&b, "v:%u,%zu", run.value, run.registers);
        else
            buf_printf(&b, "%c:%zu", run.bytes == 1 ? 'z' : 'Z', run.registers);
    }
    reply r = reply_bulk(arena_str(c->out, buf_str(&b)));
    buf_free(&b);
    return r;
}

static reply registers_of(const call *c, value *v)
{
    sketch k = sketch_open(v);
    if (!make_dense(&k)) {
        mem_free(k.at);
        return broken();
    }
    reply r = reply_items(c->out, REPLY_ARRAY, REGISTERS);
    for (size_t i = 0; i < REGISTERS; i++)
        r.items[i] = reply_integer(dense_get(k.at + HEADER_BYTES, i));
    sketch_keep(c, c->argv[2], v, &k, false);
    return r;
}

static reply to_dense(const call *c, value *v)
{
    sketch k = sketch_open(v);
    bool sparse = k.at[ENCODING_AT] == SPARSE;
    if (!make_dense(&k)) {
        mem_free(k.at);
        return broken();
    }
    sketch_keep(c, c->argv[2], v, &k, false);
    return reply_integer(sparse);
}

/* PFDEBUG GETREG|DECODE|ENCODING|TODENSE key */
static reply cmd_pfdebug(const call *c)
{
    value *v;
    reply r;
    if (!find_sketch(c, c->argv[2], &v, &r))
        return r;
    if (!v)
        return reply_error(S("ERR The specified key does not exist"));
    if (arg_is(c, 1, S("getreg")))
        return registers_of(c, v);
    if (arg_is(c, 1, S("decode")))
        return runs_as_text(c, v);
    if (arg_is(c, 1, S("encoding")))
        return reply_status(value_string(v).p[ENCODING_AT] == DENSE ? S("dense") : S("sparse"));
    if (arg_is(c, 1, S("todense")))
        return to_dense(c, v);
    r = reply_error_about(c, "ERR Unknown PFDEBUG subcommand '", c->argv[1]);
    return reply_error(arena_printf(c->out, "%.*s'", STR_ARG(r.text)));
}

/* PFSELFTEST: what it would find out, tests/conformance does. */
static reply cmd_pfselftest(const call *c)
{
    (void)c;
    return reply_ok();
}

const command commands_hyperloglog[] = {
    { .name = "pfadd", -2, CMD_WRITE | CMD_DENYOOM, 1, 1, 1, cmd_pfadd },
    { .name = "pfcount", -2, CMD_READONLY | CMD_MAY_REPLICATE, 1, -1, 1, cmd_pfcount },
    { .name = "pfmerge", -2, CMD_WRITE | CMD_DENYOOM, 1, -1, 1, cmd_pfmerge },
    { .name = "pfdebug", 3, CMD_WRITE | CMD_DENYOOM, 2, 2, 1, cmd_pfdebug },
    { .name = "pfselftest", 1, 0, 0, 0, 0, cmd_pfselftest },
    { .name = NULL },
};
