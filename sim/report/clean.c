/* clean.c - see clean.h. UTF-8 as RFC 3629 defines it: no surrogates, no overlong forms, nothing above U+10FFFF. */
#include "report/clean.h"

#include <string.h>

/* Length of the well-formed character at `i`, 0 if the byte begins none; its code point in *c. */
static size_t character_at(str s, size_t i, uint32_t *c)
{
    unsigned char first = (unsigned char)s.p[i];
    size_t n = first < 0x80 ? 1 : first >= 0xc2 && first < 0xe0 ? 2 : (first & 0xf0) == 0xe0 ? 3
               : first >= 0xf0 && first < 0xf5 ? 4 : 0;
    if (n == 0 || i + n > s.n)
        return 0;
    *c = n == 1 ? first : first & (0xffu >> (n + 1));
    for (size_t k = 1; k < n; k++) {
        unsigned char next = (unsigned char)s.p[i + k];
        if ((next & 0xc0) != 0x80)
            return 0;
        *c = *c << 6 | (next & 0x3f);
    }
    static const uint32_t least[] = { 0, 0, 0x80, 0x800, 0x10000 };
    if (*c < least[n] || *c > 0x10ffff || (*c >= 0xd800 && *c <= 0xdfff))
        return 0;
    return n;
}

/* What would steer a terminal, mirror a line, or be no character of XML 1.0. */
static bool harmful(uint32_t c)
{
    return c < 0x20 || (c >= 0x7f && c < 0xa0) || (c >= 0x202a && c <= 0x202e) || (c >= 0x2066 && c <= 0x2069) ||
           c == 0x200e || c == 0x200f || c == 0x061c || c == 0x2028 || c == 0x2029 || (c & 0xfffe) == 0xfffe;
}

static void clean(buf *out, str s, bool keep_lines, bool xml)
{
    for (size_t i = 0; i < s.n; ) {
        uint32_t c = 0;
        size_t n = character_at(s, i, &c);
        if (n && keep_lines && (c == '\n' || c == '\t')) {
            buf_byte(out, s.p[i]);
        } else if (n && !harmful(c)) {
            if (xml && n == 1 && (c == '&' || c == '<' || c == '>' || c == '"' || c == '\''))
                buf_addz(out, c == '&' ? "&amp;" : c == '<' ? "&lt;" : c == '>' ? "&gt;" : c == '"' ? "&quot;"
                         : "&#39;");
            else
                buf_add(out, str_slice(s, i, i + n));
        } else if (n == 1 && (c == '\n' || c == '\t' || c == '\r')) {
            buf_addz(out, c == '\n' ? "\\n" : c == '\t' ? "\\t" : "\\r");
        } else {
            n = n ? n : 1;
            for (size_t k = 0; k < n; k++)
                buf_hex(out, (unsigned char)s.p[i + k]);
        }
        i += n ? n : 1;
    }
}

void clean_text(buf *out, str s)
{
    clean(out, s, false, false);
}

void clean_lines(buf *out, str s)
{
    clean(out, s, true, false);
}

void clean_xml(buf *out, str s)
{
    clean(out, s, true, true);
}

/* A tilde means something at the beginning only. */
static bool bare(str s)
{
    static const char harmless[] = "-_./:=@%+,~^";
    bool all = s.n > 0 && s.p[0] != '~';
    for (size_t i = 0; i < s.n && all; i++) {
        char c = s.p[i];
        all = (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') ||
              memchr(harmless, c, sizeof harmless - 1);
    }
    return all;
}

/* Between quotes: '...' knows no escapes, $'...' does. */
static void add_quoted(buf *out, str s, bool escapes)
{
    for (size_t i = 0; i < s.n; i++) {
        if (s.p[i] == '\'')
            buf_addz(out, escapes ? "\\'" : "'\\''");
        else if (s.p[i] == '\\' && escapes)
            buf_addz(out, "\\\\");
        else
            buf_byte(out, s.p[i]);
    }
}

void clean_argument(buf *out, str s)
{
    buf as_text = { 0 }, quoted = { 0 };
    clean_text(&as_text, s);
    bool escapes = !str_eq(buf_str(&as_text), s);
    if (bare(s)) {
        buf_add(out, s);
    } else {
        add_quoted(&quoted, s, escapes);
        buf_addz(out, escapes ? "$'" : "'");
        clean_text(out, buf_str(&quoted));
        buf_byte(out, '\'');
    }
    buf_free(&quoted);
    buf_free(&as_text);
}

/* Where the next character begins. *columns: what the one at s[i] takes: none, if it is ESC and begins a color. */
static size_t next_char(str s, size_t i, size_t *columns)
{
    bool color = s.p[i] == '\033';
    *columns = !color;
    for (i++; i < s.n && (color ? s.p[i - 1] != 'm' : ((unsigned char)s.p[i] & 0xc0) == 0x80); i++)
        continue;
    return i;
}

size_t clean_width(str s)
{
    size_t all = 0;
    for (size_t i = 0, columns; i < s.n; all += columns)
        i = next_char(s, i, &columns);
    return all;
}

str clean_cut(str s, size_t columns)
{
    size_t i = 0, one;
    while (i < s.n) {
        size_t end = next_char(s, i, &one);
        if (one > columns)
            break;
        columns -= one;
        i = end;
    }
    return str_slice(s, 0, i);
}

str clean_line(str *rest, size_t columns)
{
    str part = clean_cut(*rest, columns);
    size_t cut = part.n;
    while (part.n < rest->n && cut > part.n / 2 && part.p[cut - 1] != ' ')
        cut--;
    if (cut > part.n / 2)
        part.n = cut;
    *rest = str_slice(*rest, part.n, rest->n);
    while (part.n && part.p[part.n - 1] == ' ')
        part.n--;
    return part;
}

str clean_copy(arena *a, str s)
{
    buf b = { 0 };
    clean_text(&b, s);
    str copy = arena_str(a, buf_str(&b));
    buf_free(&b);
    return copy;
}

void clean_annotation(buf *out, str s, bool in_property)
{
    buf clean = { 0 };
    clean_lines(&clean, s);
    for (size_t i = 0; i < clean.n; i++) {
        unsigned char c = (unsigned char)clean.p[i];
        if (c == '%' || c == '\n' || (in_property && (c == ':' || c == ',')))
            buf_printf(out, "%%%02X", c);
        else
            buf_byte(out, (char)c);
    }
    buf_free(&clean);
}
