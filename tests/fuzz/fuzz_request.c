/* fuzz_request.c - any bytes as what a client sends: the same requests are read however the bytes are cut into pieces,
 * nothing is read beyond what is there, and what the reader keeps is no more than it was given.
 * Input: the bytes, as they come over the wire. */
#include "fuzz.h"

#include "serve/request.h"

enum { KEPT_AT_LEAST = 1 << 16 };

/* Reads it all, so many bytes at a time; what was understood is added to `said`. */
static void feed(str input, size_t piece, buf *said)
{
    request_reader *q = request_reader_new();
    char *pending = NULL;                            /* just as large as it must be, so that the sanitizer sees its
                                                      * end */
    size_t n = 0, fed = 0;
    for (;;) {
        request r = { 0 };
        request_state state = request_read(q, (str){ pending, n }, &r);
        FUZZ_CHECK(r.used <= n, "%zu bytes of %zu are used", r.used, n);
        FUZZ_CHECK(request_kept_bytes(q) <= KEPT_AT_LEAST + 64 * input.n, "%zu bytes are kept of %zu",
                   request_kept_bytes(q), input.n);
        if (state == REQUEST_READY) {
            FUZZ_CHECK(r.argc > 0, "a request without a word");
            buf_u64(said, r.argc);
            for (size_t i = 0; i < r.argc; i++)
                buf_lenstr(said, r.argv[i]);
        } else if (state == REQUEST_BROKEN) {
            buf_addz(said, "broken: ");
            buf_add(said, r.why);
            break;
        }
        size_t more = state == REQUEST_MORE ? piece : 0;
        if (state == REQUEST_MORE && fed == input.n)
            break;
        if (more > input.n - fed)
            more = input.n - fed;
        char *next = malloc(n - r.used + more + 1);
        if (!next)
            abort();
        if (n > r.used)
            memcpy(next, pending + r.used, n - r.used);
        n -= r.used;
        if (more)
            memcpy(next + n, input.p + fed, more);
        free(pending);
        n += more;
        fed += more;
        pending = realloc(next, n ? n : 1);
    }
    free(pending);
    request_reader_free(q);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    str input = { (const char *)data, size };
    buf whole = { 0 }, pieces = { 0 };
    feed(input, size + 1, &whole);
    const size_t cuts[] = { 1, 2 + size % 7, 1 + size / 2 };
    for (size_t i = 0; i < COUNT(cuts); i++) {
        buf_clear(&pieces);
        feed(input, cuts[i], &pieces);
        FUZZ_CHECK(str_eq(buf_str(&whole), buf_str(&pieces)), "in pieces of %zu bytes it says '%.*s' and not '%.*s'",
                   cuts[i], STR_ARG(buf_str(&pieces)), STR_ARG(buf_str(&whole)));
    }
    buf_free(&whole);
    buf_free(&pieces);
    return 0;
}
