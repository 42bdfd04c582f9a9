/* request.h - reads a client's requests piece by piece: arrays of bulk strings and inline commands. Bytes in, words
 * out. Limits and refusals are those of Redis 7.0. Source: redis.io/docs/reference/protocol-spec; a real 7.0.15 for the
 * refusals. */
#ifndef LOCKSIM_SERVE_REQUEST_H
#define LOCKSIM_SERVE_REQUEST_H

#include "base/str.h"
#include "redis/dialect.h"

enum {
    REQUEST_LINE_BYTES_MAX = 64 << 10,     /* an inline command, or a line that announces a length */
    REQUEST_BULK_BYTES_MAX = 512 << 20,    /* one word: proto-max-bulk-len */
    REQUEST_BYTES_MAX = 1 << 30,           /* a whole request with its bookkeeping: client-query-buffer-limit */
};

typedef enum {
    REQUEST_MORE,          /* the request is incomplete, or there is none: call again with more */
    REQUEST_READY,
    REQUEST_BROKEN,        /* no request begins so: say why, if there is a text, and close the connection */
} request_state;

/* Plain results of one call. Words point into the bytes, or (inline) into the reader: good until either is touched
 * again. */
typedef struct {
    size_t used;           /* bytes at the front that are done with, whatever the state: drop them before the next
                            * call */
    const str *argv;
    size_t argc;           /* at least 1 of a READY one */
    bool passed_over;      /* something empty came first, which to Redis is a command that does nothing */
    str why;               /* of a BROKEN one: Redis's text, without dash and line end; empty: it closes without a
                            * word */
} request;

typedef struct request_reader request_reader;
request_reader *request_reader_new(void);
void request_reader_speak(request_reader *q, dialect d);   /* as this server reads: at first as Redis 7.0 */
void request_reader_free(request_reader *q);

/* Looks for one request at the front of `bytes`. After MORE the next call must bring the same bytes (without those
 * used) and more of them, at any address; what was parsed is not parsed again. Empty requests are skipped. */
request_state request_read(request_reader *q, str bytes, request *out);

/* What the reader keeps besides the bytes that it is given, in bytes. */
size_t request_kept_bytes(const request_reader *q);

#endif
