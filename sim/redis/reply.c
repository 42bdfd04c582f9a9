/* reply.c - see reply.h: replies built, compared, and written for the wire and for people. */
#include "redis/reply.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

reply reply_items(arena *a, reply_kind kind, size_t count)
{
    reply r = { .kind = kind, .count = count };
    if (count)
        r.items = ARENA_ARRAY(a, reply, count);    /* zeroed: REPLY_NIL is 0 */
    return r;
}

reply reply_copy(arena *a, const reply *r)
{
    reply to = *r;
    if (r->text.p)
        to.text = arena_str(a, r->text);
    if (r->format.p)
        to.format = arena_str(a, r->format);
    if (r->count) {
        to.items = ARENA_ARRAY(a, reply, r->count);
        for (size_t i = 0; i < r->count; i++)
            to.items[i] = reply_copy(a, &r->items[i]);
    }
    return to;
}

bool reply_equal(const reply *x, const reply *y)
{
    if (x->kind != y->kind || x->integer != y->integer || !str_eq(x->text, y->text) || !str_eq(x->format, y->format) ||
        x->count != y->count || x->pairs != y->pairs || x->mapped != y->mapped ||
        x->several != y->several)
        return false;
    if (x->kind == REPLY_DOUBLE && x->number != y->number && !(isnan(x->number) && isnan(y->number)))
        return false;
    for (size_t i = 0; i < x->count; i++) {
        if (!reply_equal(&x->items[i], &y->items[i]))
            return false;
    }
    return true;
}

enum { TEXT_MAX = 40 };

static size_t double_text(double d, char text[TEXT_MAX])
{
    if (isinf(d))
        return (size_t)snprintf(text, TEXT_MAX, "%s", d > 0 ? "inf" : "-inf");
    return (size_t)snprintf(text, TEXT_MAX, "%.17g", d);
}

/* `text` is for those that have none of their own. */
static str text_of(const reply *r, char text[TEXT_MAX])
{
    return r->text.p ? r->text : (str){ .p = text, .n = double_text(r->number, text) };
}

str reply_double_text(arena *a, double d)
{
    char text[TEXT_MAX];
    size_t n = double_text(d, text);
    return arena_str(a, (str){ .p = text, .n = n });
}

/* ---- the wire ---- */

static void encode_bulk(str s, buf *out)
{
    buf_printf(out, "$%zu\r\n", s.n);
    buf_add(out, s);
    buf_add(out, S("\r\n"));
}

static void encode_line(char type, str s, buf *out)
{
    buf_byte(out, type);
    buf_add(out, s);
    buf_add(out, S("\r\n"));
}

static void encode_items(const reply *r, int resp, buf *out)
{
    bool nested = resp >= 3 && r->kind == REPLY_ARRAY && r->pairs;
    char type = resp < 3 ? '*' : r->attribute ? '|' : r->kind == REPLY_MAP ? '%'
                : r->kind == REPLY_SET ? '~' : r->push ? '>' : '*';
    bool halved = nested || type == '%' || type == '|';
    if (resp >= 3 && r->mapped) {
        buf_printf(out, "%%%zu\r\n", r->count);
        for (size_t i = 0; i < 2 * r->count; i++)
            reply_encode(&r->items[i / 2].items[i % 2], resp, out);
        return;
    }
    if (!r->several)
        buf_printf(out, "%c%zu\r\n", type, halved ? r->count / 2 : r->count);
    for (size_t i = 0; i < r->count; i++) {
        if (nested && i % 2 == 0)
            buf_add(out, S("*2\r\n"));
        reply_encode(&r->items[i], resp, out);
    }
}

void reply_encode(const reply *r, int resp, buf *out)
{
    char number[TEXT_MAX];
    if (r->protocol)
        resp = r->protocol;
    switch (r->kind) {
    case REPLY_NIL:
        buf_add(out, resp >= 3 ? S("_\r\n") : S("$-1\r\n"));
        break;
    case REPLY_NIL_ARRAY:
        buf_add(out, resp >= 3 ? S("_\r\n") : S("*-1\r\n"));
        break;
    case REPLY_STATUS:
        encode_line('+', r->text, out);
        break;
    case REPLY_ERROR:
        encode_line('-', r->text, out);
        break;
    case REPLY_INTEGER:
        buf_printf(out, ":%" PRId64 "\r\n", r->integer);
        break;
    case REPLY_BULK:
        encode_bulk(r->text, out);
        break;
    case REPLY_DOUBLE: {
        str s = text_of(r, number);
        if (resp >= 3)
            encode_line(',', s, out);
        else
            encode_bulk(s, out);
        break;
    }
    case REPLY_ARRAY:
    case REPLY_MAP:
    case REPLY_SET:
        encode_items(r, resp, out);
        break;
    case REPLY_BOOLEAN:
        if (resp >= 3)
            buf_printf(out, "#%c\r\n", r->integer ? 't' : 'f');
        else
            buf_printf(out, ":%d\r\n", r->integer != 0);
        break;
    case REPLY_BIG_NUMBER:
        if (resp >= 3)
            encode_line('(', r->text, out);
        else
            encode_bulk(r->text, out);
        break;
    case REPLY_VERBATIM:
        if (resp >= 3) {
            buf_printf(out, "=%zu\r\n%.*s:", r->text.n + 4, STR_ARG(r->format));
            buf_add(out, r->text);
            buf_add(out, S("\r\n"));
        } else {
            encode_bulk(r->text, out);
        }
        break;
    }
}

/* ---- people ---- */

/* As redis-cli quotes a string for a terminal. */
static void print_quoted(str s, buf *out)
{
    buf_byte(out, '"');
    for (size_t i = 0; i < s.n; i++) {
        size_t plain = i;
        while (plain < s.n && s.p[plain] >= ' ' && s.p[plain] < 127 && s.p[plain] != '"' && s.p[plain] != '\\')
            plain++;
        buf_add(out, str_slice(s, i, plain));
        i = plain;
        if (i == s.n)
            break;
        unsigned char c = (unsigned char)s.p[i];
        switch (c) {
        case '\\':
        case '"':  buf_printf(out, "\\%c", c); break;
        case '\n': buf_add(out, S("\\n")); break;
        case '\r': buf_add(out, S("\\r")); break;
        case '\t': buf_add(out, S("\\t")); break;
        case '\a': buf_add(out, S("\\a")); break;
        case '\b': buf_add(out, S("\\b")); break;
        default:   buf_hex(out, c); break;
        }
    }
    buf_byte(out, '"');
}

/* The width of the largest index, so that all lines of an array are aligned. */
static int digits(size_t n)
{
    int d = 1;
    while (n >= 10) {
        n /= 10;
        d++;
    }
    return d;
}

static void print_items(const reply *r, size_t indent, buf *out)
{
    if (!r->count) {
        buf_addz(out, r->kind == REPLY_MAP ? "(empty hash)" : r->kind == REPLY_SET ? "(empty set)" : "(empty array)");
        return;
    }
    if (r->several) {
        for (size_t i = 0; i < r->count; i++) {
            if (i)
                buf_printf(out, "\n%*s", (int)indent, "");
            reply_print(&r->items[i], indent, out);
        }
        return;
    }
    int width = digits(r->count);
    for (size_t i = 0; i < r->count; i++) {
        if (i)
            buf_printf(out, "\n%*s", (int)indent, "");
        buf_printf(out, "%*zu) ", width, i + 1);
        reply_print(&r->items[i], indent + (size_t)width + 2, out);
    }
}

/* Maps and sets are printed as the arrays that they are in RESP2, which redis-cli speaks unless told otherwise. */
void reply_print(const reply *r, size_t indent, buf *out)
{
    char number[TEXT_MAX];
    switch (r->kind) {
    case REPLY_NIL:
    case REPLY_NIL_ARRAY:
        buf_add(out, S("(nil)"));
        break;
    case REPLY_STATUS:
        buf_add(out, r->text);
        break;
    case REPLY_ERROR:
        buf_add(out, S("(error) "));
        buf_add(out, r->text);
        break;
    case REPLY_INTEGER:
    case REPLY_BOOLEAN:
        buf_printf(out, "(integer) %" PRId64, r->integer);
        break;
    case REPLY_DOUBLE:
        print_quoted(text_of(r, number), out);
        break;
    case REPLY_BULK:
    case REPLY_BIG_NUMBER:
    case REPLY_VERBATIM:
        print_quoted(r->text, out);
        break;
    case REPLY_ARRAY:
    case REPLY_MAP:
    case REPLY_SET:
        print_items(r, indent, out);
        break;
    }
}

void reply_print_short(const reply *r, buf *out)
{
    char number[TEXT_MAX];
    switch (r->kind) {
    case REPLY_NIL:
    case REPLY_NIL_ARRAY:
        buf_add(out, S("nil"));
        break;
    case REPLY_STATUS:
        buf_add(out, r->text);
        break;
    case REPLY_ERROR:
        buf_add(out, S("error: "));
        buf_add(out, r->text);
        break;
    case REPLY_INTEGER:
        buf_printf(out, "%" PRId64, r->integer);
        break;
    case REPLY_BOOLEAN:
        buf_addz(out, r->integer ? "true" : "false");
        break;
    case REPLY_DOUBLE:
        buf_add(out, text_of(r, number));
        break;
    case REPLY_BULK:
    case REPLY_BIG_NUMBER:
    case REPLY_VERBATIM:
        print_quoted(r->text, out);
        break;
    case REPLY_ARRAY:
    case REPLY_MAP:
    case REPLY_SET:
        buf_byte(out, '[');
        for (size_t i = 0; i < r->count; i++) {
            if (i)
                buf_add(out, S(", "));
            reply_print_short(&r->items[i], out);
        }
        buf_byte(out, ']');
        break;
    }
}
