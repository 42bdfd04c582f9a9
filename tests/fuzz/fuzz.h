/* fuzz.h - what the fuzz targets share: libFuzzer's door, and checks that end the program with a word about what was
 * wrong. */
#ifndef LOCKSIM_TESTS_FUZZ_H
#define LOCKSIM_TESTS_FUZZ_H

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/buf.h"
#include "redis/redis.h"

/* libFuzzer calls this with one input after the other; 0 always. Source: llvm.org/docs/LibFuzzer.html. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The input breaks a promise: says which, and ends the program, so that libFuzzer keeps the input. */
#define FUZZ_CHECK(holds, ...) \
    do { \
        if (!(holds)) { \
            fprintf(stderr, "%s:%d: ", __FILE__, __LINE__); \
            fprintf(stderr, __VA_ARGS__); \
            fputc('\n', stderr); \
            abort(); \
        } \
    } while (0)

#define FUZZ_NOW_MS INT64_C(1700000000000)

/* Takes the next part of *rest, up to `end`, which is dropped. False once nothing is left. */
static inline bool fuzz_next(str *rest, char end, str *part)
{
    if (rest->n == 0)
        return false;
    size_t at = str_find(*rest, end, 0);
    *part = str_slice(*rest, 0, at);
    *rest = str_slice(*rest, at + 1, rest->n);
    return true;
}

static inline bool fuzz_line(str bytes, size_t *at)
{
    for (; *at + 1 < bytes.n; (*at)++)
        if (bytes.p[*at] == '\r' || bytes.p[*at] == '\n') {
            bool whole = bytes.p[*at] == '\r' && bytes.p[*at + 1] == '\n';
            *at += 2;
            return whole;
        }
    return false;
}

/* Is there one whole value of RESP at *at, and nothing but the protocol's own line ends in it? Moves *at behind it. */
static inline bool fuzz_is_resp(str bytes, size_t *at)
{
    size_t from = *at;
    if (from >= bytes.n || !bytes.p[from] || !strchr("+-:$*_,%~#(=>", bytes.p[from]) || !fuzz_line(bytes, at))
        return false;
    char type = bytes.p[from];
    if (!strchr("$*%~=>", type))
        return true;
    bool nil = bytes.p[from + 1] == '-';
    unsigned long long n = nil ? 0 : strtoull(bytes.p + from + 1, NULL, 10);
    if (type == '$' || type == '=') {
        if (nil)
            return true;
        if (n > bytes.n - *at || bytes.n - *at - n < 2 || memcmp(bytes.p + *at + n, "\r\n", 2) != 0)
            return false;
        *at += n + 2;
        return true;
    }
    if (type == '%')
        n *= 2;
    for (unsigned long long i = 0; i < n; i++)
        if (!fuzz_is_resp(bytes, at))
            return false;
    return true;
}

/* A reply is one value (or several, where it says so) in both protocols, and can be printed. Its bytes of RESP3 are
 * added to `out`. */
static inline void fuzz_check_reply(const reply *r, buf *out)
{
    buf b = { 0 };
    for (int resp = 2; resp <= 3; resp++) {
        buf_clear(&b);
        reply_encode(r, resp, &b);
        size_t at = 0;
        for (size_t i = 0; i < (r->several ? r->count : 1); i++)
            FUZZ_CHECK(fuzz_is_resp(buf_str(&b), &at), "no RESP%d at byte %zu: %.*s", resp, at,
                       STR_ARG(str_slice(buf_str(&b), 0, 300)));
        FUZZ_CHECK(at == b.n, "RESP%d ends at byte %zu of %zu: %.*s", resp, at, b.n,
                   STR_ARG(str_slice(buf_str(&b), 0, 300)));
    }
    buf_add(out, buf_str(&b));
    buf_clear(&b);
    reply_print(r, 0, &b);
    reply_print_short(r, &b);
    FUZZ_CHECK(b.n > 0 || r->count == 0, "a reply of kind %d prints nothing", (int)r->kind);
    buf_free(&b);
}

#endif
