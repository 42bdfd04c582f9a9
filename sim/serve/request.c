/* request.c - see request.h. */
#include "serve/request.h"

#include <limits.h>
#include <string.h>

#include "base/buf.h"
#include "base/mem.h"
#include "base/words.h"

typedef struct {
    size_t at, n;                                  /* from the request's first byte: the bytes may lie elsewhere next
                                                    * time */
} piece;

struct request_reader {
    bool takes_nul, strict, joined;                /* RULE_LINES_WITH_NUL, RULE_STRICT_CRLF, RULE_QUOTES_JOIN */
    bool inside;                                   /* an array was announced, and its words are being read */
    size_t at;                                     /* bytes of it that were understood */
    int64_t left;                                  /* words still to come */
    int64_t bulk;                                  /* the announced length of the next one; -1: not yet known */
    piece *pieces;
    size_t count, pieces_cap;
    str *argv;
    size_t argv_cap;
    buf words, word;                               /* of an inline command */
};

enum { KEPT_PIECES_MAX = 1024 };                   /* room that is kept for the next request */

request_reader *request_reader_new(void)
{
    return mem_zero(sizeof(request_reader));
}

void request_reader_speak(request_reader *q, dialect d)
{
    q->takes_nul = dialect_follows(d, RULE_LINES_WITH_NUL);
    q->strict = dialect_follows(d, RULE_STRICT_CRLF);
    q->joined = dialect_follows(d, RULE_QUOTES_JOIN);
}

void request_reader_free(request_reader *q)
{
    if (!q)
        return;
    mem_free(q->pieces);
    mem_free(q->argv);
    buf_free(&q->words);
    buf_free(&q->word);
    mem_free(q);
}

size_t request_kept_bytes(const request_reader *q)
{
    return q->pieces_cap * sizeof *q->pieces + q->argv_cap * sizeof *q->argv + q->words.cap + q->word.cap;
}

/* A request ends, well or not: the next begins with nothing. One of a million words must not be remembered for ever. */
static void begin(request_reader *q)
{
    q->inside = false;
    q->at = q->count = 0;
    q->left = 0;
    q->bulk = -1;
    if (q->pieces_cap > KEPT_PIECES_MAX) {
        mem_free(q->pieces);
        q->pieces = NULL;
        q->pieces_cap = 0;
    }
    if (q->argv_cap > KEPT_PIECES_MAX) {
        mem_free(q->argv);
        q->argv = NULL;
        q->argv_cap = 0;
    }
}

static request_state broken(request_reader *q, request *out, str why)
{
    begin(q);
    out->why = why;
    return REQUEST_BROKEN;
}

/* Where the first `c` stands; s.n if there is none. Redis looks as C does, up to a NUL; not so RULE_LINES_WITH_NUL. */
static size_t find_in_line(const request_reader *q, str s, char c)
{
    size_t seen = s.n < REQUEST_LINE_BYTES_MAX + 2 ? s.n : REQUEST_LINE_BYTES_MAX + 2;
    const char *found = seen ? memchr(s.p, c, seen) : NULL;
    bool by_length = q->takes_nul && c == '\r';
    if (!found || (!by_length && memchr(s.p, '\0', (size_t)(found - s.p))))
        return s.n;
    return (size_t)(found - s.p);
}

/* A whole number as Redis writes one: no blanks, no plus sign, no leading zero. Large ones need no exact value: they
 * are refused. */
static bool parse_length(str s, int64_t *n)
{
    bool minus = s.n > 0 && s.p[0] == '-';
    size_t i = minus;
    if (i == s.n || s.n - i > 18 || (s.p[i] == '0' && (s.n - i > 1 || minus)))
        return false;
    for (*n = 0; i < s.n; i++) {
        if (s.p[i] < '0' || s.p[i] > '9')
            return false;
        *n = *n * 10 + (s.p[i] - '0');
    }
    if (minus)
        *n = -*n;
    return true;
}

/* ---- an inline command: a line of words, quoted as in redis-cli ---- */

static request_state read_inline(request_reader *q, str bytes, request *out)
{
    size_t end = find_in_line(q, bytes, '\n'), at = 0;
    if (end == bytes.n) {
        if (bytes.n > REQUEST_LINE_BYTES_MAX)
            return broken(q, out, S("ERR Protocol error: too big inline request"));
        return REQUEST_MORE;
    }
    out->used += end + 1;
    str line = str_slice(bytes, 0, end && bytes.p[end - 1] == '\r' ? end - 1 : end);
    word_kind kind;
    buf_clear(&q->words);
    while ((kind = q->joined ? words_next_joined(line, &at, &q->word) : words_next(line, &at, &q->word)) ==
           WORD_PLAIN || kind == WORD_QUOTED) {
        MEM_RESERVE(q->pieces, q->pieces_cap, q->count + 1);
        q->pieces[q->count++] = (piece){ .at = q->words.n, .n = q->word.n };
        buf_add(&q->words, buf_str(&q->word));
    }
    if (kind == WORD_BROKEN)
        return broken(q, out, S("ERR Protocol error: unbalanced quotes in request"));
    return REQUEST_READY;
}

/* ---- an array of bulk strings ---- */

/* The line from `at` on that announces a length: true and *line without its sign and end, *next after it. Otherwise
 * *state says why. The byte after \r counts as
 * , as in Redis. */
static bool read_line(request_reader *q, str bytes, size_t at, const char *too_big, request *out, str *line,
                      size_t *next, request_state *state)
{
    str rest = str_slice(bytes, at, bytes.n);
    size_t end = find_in_line(q, rest, '\r');
    *state = REQUEST_MORE;
    if (end == rest.n && rest.n > REQUEST_LINE_BYTES_MAX)
        *state = broken(q, out, str_from(too_big));
    if (end == rest.n || end + 2 > rest.n)
        return false;
    *line = str_slice(rest, 1, end);
    *next = at + end + 2;
    return true;
}

/* RULE_STRICT_CRLF: the line before `next` ends in both. */
static bool ends_well(const request_reader *q, str bytes, size_t next)
{
    return !q->strict || bytes.p[next - 1] == '\n';
}

static request_state read_count(request_reader *q, str bytes, request *out)
{
    request_state state;
    str line;
    size_t next;
    if (!read_line(q, bytes, 0, "ERR Protocol error: too big mbulk count string", out, &line, &next, &state))
        return state;
    if (!ends_well(q, bytes, next))
        return broken(q, out, S("ERR Protocol error: invalid CRLF in request"));
    if (!parse_length(line, &q->left) || q->left > INT_MAX)
        return broken(q, out, S("ERR Protocol error: invalid multibulk length"));
    q->at = next;
    q->inside = q->left > 0;
    if (!q->inside) {
        out->used += next;
        out->passed_over = true;
    }
    return REQUEST_READY;
}

static str expected_dollar(const request_reader *q, char c)
{
    static _Thread_local char text[] = "ERR Protocol error: expected '$', got '?'";
    text[sizeof text - 3] = c == '\r' || c == '\n' ? ' ' : c;              /* an error is one line */
    return (str){ .p = text, .n = q->takes_nul ? sizeof text - 1 : strlen(text) };
}

static request_state read_bulk_length(request_reader *q, str bytes, request *out)
{
    request_state state;
    str line;
    size_t next;
    if (!read_line(q, bytes, q->at, "ERR Protocol error: too big bulk count string", out, &line, &next, &state))
        return state;
    if (bytes.p[q->at] != '$')
        return broken(q, out, expected_dollar(q, bytes.p[q->at]));
    if (!ends_well(q, bytes, next))
        return broken(q, out, S("ERR Protocol error: invalid CRLF in request"));
    if (!parse_length(line, &q->bulk) || q->bulk < 0 || q->bulk > REQUEST_BULK_BYTES_MAX)
        return broken(q, out, S("ERR Protocol error: invalid bulk length"));
    q->at = next;
    return REQUEST_READY;
}

static request_state read_array(request_reader *q, str bytes, request *out)
{
    while (q->left > 0) {
        if (q->bulk < 0) {
            request_state state = read_bulk_length(q, bytes, out);
            if (state != REQUEST_READY)
                return state;
        }
        size_t n = (size_t)q->bulk;
        if (q->at + n + q->count * (sizeof(piece) + sizeof(str)) > REQUEST_BYTES_MAX)
            return broken(q, out, S(""));
        if (bytes.n - q->at < n + 2)
            return REQUEST_MORE;
        if (q->strict && (bytes.p[q->at + n] != '\r' || bytes.p[q->at + n + 1] != '\n'))
            return broken(q, out, S("ERR Protocol error: invalid CRLF in request"));
        MEM_RESERVE(q->pieces, q->pieces_cap, q->count + 1);
        q->pieces[q->count++] = (piece){ .at = q->at, .n = n };
        q->at += n + 2;
        q->bulk = -1;
        q->left--;
    }
    out->used += q->at;
    return REQUEST_READY;
}

/* The words that were found, at `from`. */
static request_state ready(request_reader *q, const char *from, request *out)
{
    size_t count = q->count;
    MEM_RESERVE(q->argv, q->argv_cap, count);
    for (size_t i = 0; i < count; i++)
        q->argv[i] = (str){ .p = from + q->pieces[i].at, .n = q->pieces[i].n };
    out->argv = q->argv;
    out->argc = count;
    q->inside = false;
    return REQUEST_READY;
}

request_state request_read(request_reader *q, str bytes, request *out)
{
    *out = (request){ 0 };
    if (!q->inside)
        begin(q);
    while (out->used < bytes.n) {
        str rest = str_slice(bytes, out->used, bytes.n);
        if (!q->inside && rest.p[0] != '*') {
            request_state state = read_inline(q, rest, out);
            if (state != REQUEST_READY || q->count)
                return state == REQUEST_READY ? ready(q, q->words.p, out) : state;
            out->passed_over = true;
            continue;
        }
        request_state state = q->inside ? REQUEST_READY : read_count(q, rest, out);
        if (state == REQUEST_READY && q->inside) {
            state = read_array(q, rest, out);
            if (state == REQUEST_READY)
                return ready(q, rest.p, out);
        }
        if (state != REQUEST_READY)
            return state;
    }
    return REQUEST_MORE;
}
