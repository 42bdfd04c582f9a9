/* packing.c - see packing.h: when a collection outgrows its block. The listpacks of a quicklist are not tracked: a list
 * that shrinks counts as a single listpack. */
#include "redis/command.h"
#include "redis/value_inside.h"

static bool followed(const value *v) { return v->home && v->home->packing.followed; }

static void raise_to(value *v, packing to)
{
    if (v->packing < to && (!v->home || v->home->packing.followed))
        v->packing = to;
}

packing value_packing(const value *v) { return followed(v) ? v->packing : packing_by_content(v); }
void value_unpack(value *v, packing to) { raise_to(v, to); }

static bool fits(packing_limit most, uint64_t entries, size_t bytes)
{
    return entries <= most.entries && bytes <= most.bytes;
}

/* ---- lists: by the bytes of a listpack ---- */

/* The bytes of one element: its header, the text or the integer, and its length again at the end. */
static size_t listpack_entry_bytes(str text)
{
    int64_t n;
    size_t bytes;
    if (text.n <= 20 && parse_int(text, &n))
        bytes = n >= 0 && n <= 127 ? 1 : n >= -4096 && n <= 4095 ? 2 : n >= INT16_MIN && n <= INT16_MAX ? 3
                : n >= -(1 << 23) && n < 1 << 23 ? 4 : n >= INT32_MIN && n <= INT32_MAX ? 5 : 9;
    else
        bytes = text.n + (text.n < 64 ? 1 : text.n < 4096 ? 2 : 5);
    return bytes + (bytes < 128 ? 1 : bytes < 16384 ? 2 : bytes < 2097152 ? 3 : 4);
}

static size_t listpack_bytes(const value *v)
{
    size_t bytes = 7;                              /* its head and its end */
    for (size_t i = 0; i < value_count(v); i++)
        bytes += listpack_entry_bytes(list_at(v, i));
    return bytes;
}

/* What one listpack of a list holds at most. */
static packing_limit list_limit(int64_t option)
{
    static const uint64_t sizes[] = { 4096, 8192, 16384, 32768, 65536 };
    if (option >= 0)
        return (packing_limit){ (uint64_t)option, 8192 };
    return (packing_limit){ UINT64_MAX, sizes[-option > 5 ? 4 : -option - 1] };
}

/* Never more than listpack_bytes, and often enough to know. */
static size_t list_text_bytes(const value *v) { return v->bytes - value_count(v) * ELEMENT_BYTES; }

static bool list_fits(const value *v, packing_limit most, size_t more, size_t more_bytes)
{
    if (value_count(v) + more > most.entries)
        return false;
    enum { AROUND = 11 };                          /* the most that a listpack adds to an element of 64 bytes and more;
                                                    * an integer takes no more than its digits and two */
    if (list_text_bytes(v) + AROUND * value_count(v) + more_bytes + 7 <= most.bytes)
        return true;
    return listpack_bytes(v) + more_bytes <= most.bytes;
}

void list_expect(value *v, const str *texts, size_t n)
{
    if (v->packing == UNPACKED || !followed(v) || !v->home->packing.list)
        return;
    size_t bytes = 0;
    for (size_t i = 0; i < n; i++)
        bytes += texts[i].n;
    if (!list_fits(v, list_limit(v->home->packing.list), n, bytes))
        raise_to(v, UNPACKED);
}

size_t list_nodes(const value *v, const char *limit)
{
    int64_t option = -2;
    parse_int(str_from(limit), &option);
    packing_limit most = list_limit(option);
    size_t nodes = 0, entries = 0, bytes = 0;
    for (size_t i = 0; i < value_count(v); i++) {
        size_t more = listpack_entry_bytes(list_at(v, i));
        if (!nodes || entries == most.entries || bytes + more > most.bytes) {
            nodes++;
            entries = bytes = 0;
        }
        entries++;
        bytes += more;
    }
    return nodes;
}

/* Back to one listpack at half the limit, so that it does not go to and fro. */
void list_shrank(value *v)
{
    if (v->packing != UNPACKED || !followed(v) || !v->home->packing.list || !value_count(v))
        return;
    packing_limit most = list_limit(v->home->packing.list);
    most.entries /= most.entries == UINT64_MAX ? 1 : 2;
    most.bytes /= 2;
    if (list_fits(v, most, 0, 0))
        v->packing = PACKED_CLOSE;
}

/* ---- hashes, sets, sorted sets ---- */

static packing set_packing(const value *v, const packing_limits *most, size_t longest)
{
    if (v->as.set.others == 0)
        return value_count(v) <= most->integers ? PACKED_CLOSE : UNPACKED;
    return fits(most->set, value_count(v), longest) ? PACKED : UNPACKED;
}

static packing of_kind(const value *v, size_t longest)
{
    const packing_limits *most = &v->home->packing;
    switch (v->kind) {
    case VALUE_HASH:
        return !fits(most->hash, value_count(v), longest) ? UNPACKED : v->as.hash.dated ? most->dated : PACKED_CLOSE;
    case VALUE_SET:
        return set_packing(v, most, longest);
    case VALUE_ZSET:
        return fits(most->zset, value_count(v), longest) ? PACKED_CLOSE : UNPACKED;
    case VALUE_LIST:
        return most->list && list_fits(v, list_limit(most->list), 0, 0) ? PACKED_CLOSE : UNPACKED;
    case VALUE_STRING: case VALUE_STREAM: break;
    }
    return PACKED_CLOSE;
}

void packing_grew(value *v, str name, str text)
{
    if (v->packing == UNPACKED || !followed(v))
        return;
    size_t longest = name.n > text.n ? name.n : text.n;
    if (v->kind == VALUE_SET && v->packing == PACKED)      /* its integers count as any other member */
        raise_to(v, fits(v->home->packing.set, value_count(v), longest) ? PACKED : UNPACKED);
    else
        raise_to(v, of_kind(v, longest));
}

static packing set_expected(const value *v, str first, size_t n)
{
    const packing_limits *most = &v->home->packing;
    int64_t integer;
    bool close = value_count(v) ? v->packing == PACKED_CLOSE : parse_int(first, &integer);
    if (close && (n <= most->integers))
        return PACKED_CLOSE;
    return n <= most->set.entries && !(close && value_count(v)) ? PACKED : UNPACKED;
}

void value_expect(value *v, str first, size_t n)
{
    if (v->packing == UNPACKED || !followed(v))
        return;
    if (v->kind == VALUE_SET)
        raise_to(v, set_expected(v, first, n));
    else if (n > (v->kind == VALUE_HASH ? v->home->packing.hash : v->home->packing.zset).entries)
        raise_to(v, UNPACKED);
}

bool hash_make_dated(value *v)
{
    packing before = v->packing;
    if (followed(v))
        raise_to(v, v->home->packing.dated);
    return v->packing != before;
}

static size_t longest_of(const value *v)
{
    size_t longest = 0;
    for (const hash_field *f = NULL; v->kind == VALUE_HASH && (f = hash_next(v, f));) {
        size_t name = hash_field_name(f).n, text = hash_field_text(f).n;
        longest = name > longest ? name : longest;
        longest = text > longest ? text : longest;
    }
    for (size_t i = 0; v->kind != VALUE_HASH && i < value_count(v); i++) {
        size_t n = v->kind == VALUE_SET ? set_at(v, i).n : zset_at(v, i, &(double){ 0 }).n;
        longest = n > longest ? n : longest;
    }
    return longest;
}

packing packing_by_content(const value *v)
{
    bool by_element = v->kind == VALUE_HASH || v->kind == VALUE_SET || v->kind == VALUE_ZSET;
    return of_kind(v, by_element ? longest_of(v) : 0);
}

/* Redis 7.0 makes the new set like any other; later ones begin with a listpack. */
void set_rebuilt(value *v)
{
    if (v->packing != UNPACKED || !followed(v))
        return;
    packing_limit most = v->home->packing.set;
    v->packing = !most.entries ? packing_by_content(v) : fits(most, value_count(v), longest_of(v)) ? PACKED : UNPACKED;
}

void value_repack(value *v)
{
    if (v->packing == UNPACKED)
        v->packing = packing_by_content(v);
}

packing value_packing_kept(const value *v)
{
    return followed(v) && v->packing != packing_by_content(v) ? v->packing : PACKING_UNSAID;
}
