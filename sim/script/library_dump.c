/* library_dump.c - FUNCTION DUMP and RESTORE: all libraries as one text, in the format of Redis's own files, and back.
 * A payload is, for each library, the byte F5 and its text; then the format's version (two bytes) and the CRC-64 of all
 * before, both with the lowest byte first. A real server takes what DUMP writes, and RESTORE what a real one writes,
 * compressed texts (LZF) too; DUMP itself compresses nothing. Source: rdb's published format; five real servers. */
#include <string.h>

#include "base/mem.h"
#include "redis/collection.h"
#include "redis/server.h"
#include "script/libraries.h"

enum { OPCODE_LIBRARY = 0xF5, OPCODE_EARLY = 0xF6, FOOTER_BYTES = 10, TEXT_BYTES_MAX = 64 << 20 };
/* The two highest bits of a text's first byte say how its length is written; 3: not a length. */
enum { LENGTH_6 = 0, LENGTH_14 = 1, LENGTH_32 = 0x80, LENGTH_64 = 0x81, SPECIAL = 3, SPECIAL_LZF = 3 };

/* Of the polynomial AD93D23594C935A9, the lowest bit first. */
static uint64_t crc64(str bytes)
{
    uint64_t crc = 0;
    for (size_t i = 0; i < bytes.n; i++) {
        crc ^= (unsigned char)bytes.p[i];
        for (int bit = 0; bit < 8; bit++)
            crc = crc & 1 ? crc >> 1 ^ UINT64_C(0x95AC9329AC4BC9B5) : crc >> 1;
    }
    return crc;
}

static unsigned own_version(const redis *r)
{
    const dialect d = r->dialect;
    if (d.lineage == LINEAGE_VALKEY)
        return d.version >= 900 ? 80 : 11;
    return d.version >= 704 ? 12 : d.version >= 702 ? 11 : 10;
}

/* Valkey has left numbers free for Redis. */
static bool takes_version(const redis *r, unsigned version)
{
    unsigned own = own_version(r);
    return version <= own && !(own == 80 && version >= 12 && version < 80);
}

/* ---- out ---- */

static void add_low_first(buf *out, uint64_t n, int bytes)
{
    for (int i = 0; i < bytes; i++)
        buf_byte(out, (char)(n >> 8 * i));
}

static void add_text(buf *out, str text)
{
    if (text.n < 1 << 6) {
        buf_byte(out, (char)text.n);
    } else if (text.n < 1 << 14) {
        buf_byte(out, (char)(LENGTH_14 << 6 | text.n >> 8));
        buf_byte(out, (char)text.n);
    } else {
        buf_byte(out, (char)LENGTH_32);
        for (int i = 3; i >= 0; i--)
            buf_byte(out, (char)(text.n >> 8 * i));
    }
    buf_add(out, text);
}

reply function_dump(const call *c)
{
    const script_host *h = c->server->scripts->functions;
    buf b = { 0 };
    for (size_t i = 0; i < h->libraries_n; i++) {
        buf_byte(&b, (char)OPCODE_LIBRARY);
        add_text(&b, h->libraries[i]->code.body);
    }
    add_low_first(&b, own_version(c->server), 2);
    add_low_first(&b, crc64(buf_str(&b)), 8);
    reply r = reply_bulk(arena_str(c->out, buf_str(&b)));
    buf_free(&b);
    return r;
}

/* ---- in ---- */

static bool take_bytes(str *from, size_t n, str *out)
{
    if (n > from->n)
        return false;
    *out = str_slice(*from, 0, n);
    *from = str_slice(*from, n, from->n);
    return true;
}

static bool take_high_first(str *from, size_t bytes, uint64_t *n)
{
    str taken;
    if (!take_bytes(from, bytes, &taken))
        return false;
    *n = 0;
    for (size_t i = 0; i < bytes; i++)
        *n = *n << 8 | (unsigned char)taken.p[i];
    return true;
}

/* *special: it is none, but a way to write a text. */
static bool take_length(str *from, uint64_t *n, bool *special)
{
    uint64_t first, more;
    if (!take_high_first(from, 1, &first))
        return false;
    *special = first >> 6 == SPECIAL;
    *n = first & 0x3F;
    if (first >> 6 == LENGTH_6 || *special)
        return true;
    if (first >> 6 == LENGTH_14) {
        if (!take_high_first(from, 1, &more))
            return false;
        *n = *n << 8 | more;
        return true;
    }
    return (first == LENGTH_32 || first == LENGTH_64) && take_high_first(from, first == LENGTH_32 ? 4 : 8, n);
}

/* LZF: literal runs, and copies of earlier output. */
static bool expand(str packed, size_t n, arena *a, str *out)
{
    unsigned char *to = arena_alloc(a, n + 1);
    size_t at = 0;
    uint64_t control, more;
    while (packed.n > 0) {
        (void)take_high_first(&packed, 1, &control);
        size_t length = control < 32 ? control + 1 : control >> 5;
        str run;
        if (control < 32) {
            if (!take_bytes(&packed, length, &run) || length > n - at)
                return false;
            memcpy(to + at, run.p, length);
            at += length;
            continue;
        }
        if (length == 7 && !take_high_first(&packed, 1, &more))
            return false;
        length += length == 7 ? more + 2 : 2;
        if (!take_high_first(&packed, 1, &more))
            return false;
        size_t back = (size_t)(control & 31) << 8 | (size_t)more;
        if (back + 1 > at || length > n - at)
            return false;
        for (size_t i = 0; i < length; i++, at++)        /* the copy may overlap its own output */
            to[at] = to[at - back - 1];
    }
    *out = (str){ (const char *)to, n };
    return at == n;
}

static bool take_text(str *from, arena *a, str *text)
{
    uint64_t n, packed_n;
    bool special, unused;
    str packed;
    if (!take_length(from, &n, &special))
        return false;
    if (!special)
        return n <= TEXT_BYTES_MAX && take_bytes(from, (size_t)n, text);
    return n == SPECIAL_LZF && take_length(from, &packed_n, &unused) && !unused && take_length(from, &n, &unused) &&
           !unused && n <= TEXT_BYTES_MAX && packed_n <= from->n && take_bytes(from, (size_t)packed_n, &packed) &&
           expand(packed, (size_t)n, a, text);
}

static bool is_whole(const redis *r, str payload)
{
    if (payload.n < FOOTER_BYTES)
        return false;
    buf sum = { 0 };
    const unsigned char *footer = (const unsigned char *)payload.p + payload.n - FOOTER_BYTES;
    add_low_first(&sum, crc64(str_slice(payload, 0, payload.n - 8)), 8);
    bool whole = takes_version(r, footer[0] | (unsigned)footer[1] << 8) && memcmp(footer + 2, sum.p, 8) == 0;
    buf_free(&sum);
    return whole;
}

/* Loads each library into an empty host. As in a real server, a text that is too long reads into what follows it. */
static bool load_all(const call *c, str payload, str *why)
{
    str rest = payload;
    while (rest.n > FOOTER_BYTES) {
        str text;
        uint64_t opcode;
        (void)take_high_first(&rest, 1, &opcode);
        if (opcode == OPCODE_EARLY)
            return *why = str_from(server_say(c->server, WORDS_EARLY_LIBRARY)), false;
        if (opcode != OPCODE_LIBRARY)
            return *why = S("ERR given type is not a function"), false;
        if (!take_text(&rest, c->out, &text))
            return *why = S("ERR Failed loading library payload"), false;
        if (!function_load(c->server, text, false, c->out, NULL, why))
            return false;
    }
    return true;
}

/* ---- the libraries that were there ---- */

typedef struct {
    library **at;
    size_t n, cap;
} shelf;

static void swap_shelves(script_host *h, shelf *other)
{
    shelf here = { h->libraries, h->libraries_n, h->libraries_cap };
    h->libraries = other->at;
    h->libraries_n = other->n;
    h->libraries_cap = other->cap;
    *other = here;
}

/* Frees those of the shelf. */
static void clear_shelf(script_host *h, shelf *s)
{
    for (size_t i = 0; i < s->n; i++)
        library_free(h, s->at[i]);
    mem_free(s->at);
    *s = (shelf){ .n = 0 };
}

static bool collides(const call *c, const script_host *h, const library *old, bool replace, str *why)
{
    const library *same = library_find(h, str_from(old->name));
    if (same && !replace)
        return *why = arena_printf(c->out, "ERR Library %s already exists", old->name), true;
    for (size_t i = 0; !same && i < old->count; i++)
        if (library_of_function(h, str_from(old->functions[i].name)))
            return *why = arena_printf(c->out, "ERR Function %s already exists", old->functions[i].name), true;
    return false;
}

/* Those of `old` that no new one replaces stand beside the new ones. */
static void join(script_host *h, shelf *old)
{
    for (size_t i = 0; i < old->n; i++) {
        if (library_find(h, str_from(old->at[i]->name)))
            library_free(h, old->at[i]);
        else
            library_insert(h, old->at[i]);
    }
    mem_free(old->at);
}

/* FUNCTION RESTORE payload [FLUSH | APPEND | REPLACE]: all of it or nothing. */
reply function_restore(const call *c)
{
    script_host *h = c->server->scripts->functions;
    bool flush = c->argc > 3 && arg_is(c, 3, S("flush")), replace = c->argc > 3 && arg_is(c, 3, S("replace"));
    str why;
    if (c->argc > 4)
        return reply_error(arena_printf(c->out, "ERR unknown subcommand or wrong number of arguments for '%.*s'. Try "
                                        "FUNCTION HELP.", STR_ARG(c->argv[1])));
    if (c->argc > 3 && !flush && !replace && !arg_is(c, 3, S("append")))
        return reply_error(S("ERR Wrong restore policy given, value should be either FLUSH, APPEND or REPLACE."));
    if (!is_whole(c->server, c->argv[2]))
        return reply_error(S("ERR DUMP payload version or checksum are wrong"));
    shelf old = { .n = 0 };
    swap_shelves(h, &old);
    bool loaded = load_all(c, c->argv[2], &why);
    for (size_t i = 0; loaded && !flush && i < old.n; i++)
        loaded = !collides(c, h, old.at[i], replace, &why);
    if (!loaded)
        swap_shelves(h, &old);
    if (!loaded && !h->L)
        libraries_forget_code(h);                  /* it blew its budget: each has to run again */
    if (loaded && !flush)
        join(h, &old);
    else
        clear_shelf(h, &old);
    return loaded ? reply_ok() : reply_error(why);
}
