/* reply.h - what Redis answers: a tree in an arena, rendered as RESP2, RESP3 or as redis-cli prints it.
 * Source: redis.io/docs/reference/protocol-spec. */
#ifndef LOCKSIM_REDIS_REPLY_H
#define LOCKSIM_REDIS_REPLY_H

#include "base/arena.h"
#include "base/buf.h"

typedef enum {
    REPLY_NIL,             /* $-1 */
    REPLY_NIL_ARRAY,       /* *-1: what LPOP with a count, EXEC and some others answer for nothing */
    REPLY_STATUS,          /* text */
    REPLY_ERROR,           /* text, the code first and no leading dash: "WRONGTYPE Operation ..." */
    REPLY_INTEGER,         /* integer */
    REPLY_BULK,            /* text, binary safe */
    REPLY_ARRAY,           /* items */
    REPLY_DOUBLE,          /* number, and text if it is not written as %.17g: a bulk string in RESP2 */
    REPLY_MAP,             /* items: key, value, key, value...; count is twice the pairs; a flat array in RESP2 */
    REPLY_SET,             /* items; an array in RESP2 */
    REPLY_BOOLEAN,         /* integer 0 or 1 */
    REPLY_BIG_NUMBER,      /* text */
    REPLY_VERBATIM,        /* format (3 characters) and text */
} reply_kind;

/* Plain data. Texts and items belong to the arena that the maker was given, or are static. */
typedef struct reply reply;
struct reply {
    reply_kind kind;
    int64_t integer;
    double number;
    str text, format;
    reply *items;
    size_t count;
    bool several;          /* not one array but its items as replies of their own, one after the other (SUBSCRIBE a
                            * b) */
    bool push;             /* an array that answers nothing or no command: of its own kind in RESP3 (messages,
                            * SUBSCRIBE) */
    bool attribute;        /* a map that tells of the answer after it: in RESP3 only, and in a `several` */
    bool counted;          /* an error that INFO's statistics have: a script passes on what its command was answered */
    uint8_t protocol;      /* 0, or how this one is written whatever the protocol: HELLO in a transaction counts from
                            * there on */
    bool pairs;            /* an array a, b, a, b...: flat in RESP2, in RESP3 an array of two-element arrays
                            * (WITHSCORES) */
    bool mapped;           /* an array of two-element arrays; in RESP3 a map (XREAD) */
};

static inline reply reply_nil(void) { return (reply){ .kind = REPLY_NIL }; }
static inline reply reply_nil_array(void) { return (reply){ .kind = REPLY_NIL_ARRAY }; }
static inline reply reply_integer(int64_t n) { return (reply){ .kind = REPLY_INTEGER, .integer = n }; }
static inline reply reply_status(str text) { return (reply){ .kind = REPLY_STATUS, .text = text }; }
static inline reply reply_ok(void) { return reply_status(S("OK")); }
static inline reply reply_error(str text) { return (reply){ .kind = REPLY_ERROR, .text = text }; }
static inline reply reply_bulk(str text) { return (reply){ .kind = REPLY_BULK, .text = text }; }
static inline reply reply_double(double d) { return (reply){ .kind = REPLY_DOUBLE, .number = d }; }
/* An array (or map, or set) of `count` items, all nil at first, in the arena. */
reply reply_items(arena *a, reply_kind kind, size_t count);

/* A deep copy: the result shares nothing with the original. */
reply reply_copy(arena *a, const reply *r);
bool reply_equal(const reply *x, const reply *y);

/* The bytes on the wire; resp is 2 or 3. */
void reply_encode(const reply *r, int resp, buf *out);
/* As redis-cli prints it to a terminal: (integer) 1, "text", (nil), 1) ... ; `indent` blanks before nested lines;
 * without a final newline. */
void reply_print(const reply *r, size_t indent, buf *out);
/* On one line, for stories: nested arrays as [a, b]. */
void reply_print_short(const reply *r, buf *out);

/* %.17g as Redis 7.0 writes scores: inf, -inf, -0 (which no stored score is, but ZINCRBY may answer). */
str reply_double_text(arena *a, double d);

#endif
