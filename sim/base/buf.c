/* buf.c - see buf.h. */
#include "base/buf.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"

static void reserve(buf *b, size_t more)
{
    if (b->cap - b->n <= more)                     /* at every byte: a call less */
        MEM_RESERVE(b->p, b->cap, b->n + more + 1);
}

void buf_free(buf *b)
{
    mem_free(b->p);
    *b = (buf){ 0 };
}

void buf_clear(buf *b)
{
    b->n = 0;
    if (b->p)
        b->p[0] = '\0';
}

void buf_add(buf *b, str s)
{
    reserve(b, s.n);
    if (s.n)
        memcpy(b->p + b->n, s.p, s.n);
    b->n += s.n;
    b->p[b->n] = '\0';
}

void buf_addz(buf *b, const char *z)
{
    buf_add(b, str_from(z));
}

void buf_byte(buf *b, char c)
{
    reserve(b, 1);
    b->p[b->n++] = c;
    b->p[b->n] = '\0';
}

void buf_hex(buf *b, unsigned char c)
{
    static const char digits[] = "0123456789abcdef";
    const char text[] = { '\\', 'x', digits[c >> 4], digits[c & 15] };
    buf_add(b, (str){ .p = text, .n = sizeof text });
}

void buf_printf(buf *b, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    int n = vsnprintf(NULL, 0, format, args);
    va_end(args);
    assert(n >= 0);
    reserve(b, (size_t)n);
    va_start(args, format);
    vsnprintf(b->p + b->n, (size_t)n + 1, format, args);
    va_end(args);
    b->n += (size_t)n;
}

void buf_u64(buf *b, uint64_t v)
{
    char bytes[8];
    for (int i = 0; i < 8; i++)
        bytes[i] = (char)(v >> (8 * i));
    buf_add(b, (str){ .p = bytes, .n = sizeof bytes });
}

void buf_lenstr(buf *b, str s)
{
    buf_u64(b, s.n);
    buf_add(b, s);
}

str buf_str(const buf *b)
{
    return (str){ .p = b->p ? b->p : "", .n = b->n };
}
