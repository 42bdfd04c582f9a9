/* arena.c - see arena.h. Blocks double in size and are kept by a reset. */
#include "base/arena.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"

typedef struct block {
    struct block *next;
    size_t used, cap;
    max_align_t data[];
} block;

struct arena {
    block *first, *current;
    size_t bytes;
};

enum { BLOCK_BYTES_MIN = 512, BLOCK_BYTES_MAX = 1 << 20 };

static block *block_new(size_t cap)
{
    block *b = mem_alloc(sizeof *b + cap);
    b->next = NULL;
    b->used = 0;
    b->cap = cap;
    return b;
}

arena *arena_new(void)
{
    arena *a = mem_alloc(sizeof *a);
    a->first = a->current = block_new(BLOCK_BYTES_MIN);
    a->bytes = BLOCK_BYTES_MIN;
    return a;
}

void arena_free(arena *a)
{
    if (!a)
        return;
    for (block *b = a->first, *next; b; b = next) {
        next = b->next;
        mem_free(b);
    }
    mem_free(a);
}

void arena_reset(arena *a)
{
    a->current = a->first;
    a->current->used = 0;
}

/* A block with room for that many bytes. */
static __attribute__((cold)) block *make_room(arena *a, size_t bytes)
{
    while (a->current->cap - a->current->used < bytes) {
        block *next = a->current->next;
        if (!next) {
            size_t cap = a->current->cap * 2;
            if (cap > BLOCK_BYTES_MAX)
                cap = BLOCK_BYTES_MAX;
            next = a->current->next = block_new(cap > bytes ? cap : bytes);
            a->bytes += next->cap;
        }
        next->used = 0;
        a->current = next;
    }
    return a->current;
}

/* Aligned, not zeroed. */
static inline void *take(arena *a, size_t bytes)
{
    const size_t align = sizeof(max_align_t);
    assert(bytes < SIZE_MAX / 2);
    bytes = (bytes + align - 1) / align * align;
    block *b = a->current;
    if (b->cap - b->used < bytes)
        b = make_room(a, bytes);
    void *p = (char *)b->data + b->used;
    b->used += bytes;
    return p;
}

void *arena_alloc(arena *a, size_t bytes)
{
    return memset(take(a, bytes), 0, bytes);
}

str arena_str(arena *a, str s)
{
    char *p = take(a, s.n + 1);
    if (s.n)
        memcpy(p, s.p, s.n);
    p[s.n] = '\0';
    return (str){ .p = p, .n = s.n };
}

static const char two_digits[] =
    "0001020304050607080910111213141516171819202122232425262728293031323334353637383940414243444546474849"
    "5051525354555657585960616263646566676869707172737475767778798081828384858687888990919293949596979899";

str arena_int(arena *a, int64_t n)
{
    enum { BYTES = 32 };                           /* a sign, 19 digits, a NUL */
    char *end = (char *)take(a, BYTES) + BYTES - 1, *at = end;
    *end = '\0';
    uint64_t left = n < 0 ? 0 - (uint64_t)n : (uint64_t)n;
    for (; left >= 10; left /= 100)
        memcpy(at -= 2, two_digits + 2 * (left % 100), 2);
    if (left > 0 || at == end)
        *--at = (char)('0' + left);
    if (n < 0)
        *--at = '-';
    return (str){ .p = at, .n = (size_t)(end - at) };
}

str arena_printf(arena *a, const char *format, ...)
{
    char first[256];       /* most are short: formatted once */
    va_list args;
    va_start(args, format);
    int n = vsnprintf(first, sizeof first, format, args);
    va_end(args);
    assert(n >= 0);
    char *p = arena_alloc(a, (size_t)n + 1);
    if ((size_t)n < sizeof first) {
        memcpy(p, first, (size_t)n + 1);
    } else {
        va_start(args, format);
        vsnprintf(p, (size_t)n + 1, format, args);
        va_end(args);
    }
    return (str){ .p = p, .n = (size_t)n };
}

size_t arena_bytes(const arena *a)
{
    return a->bytes;
}
