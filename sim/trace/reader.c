/* reader.c - see reader.h. A whole line is parsed where it lies in the caller's bytes; only one that is cut between two
 * calls is copied. */
#include "trace/reader.h"

#include <string.h>

#include "base/mem.h"
#include "trace/json_line.h"
#include "trace/monitor_line.h"

enum { SHOWN_BYTES_MAX = 120 };

struct reader {
    reader_heard heard;
    monitor_room room;
    arena *memory;         /* of one JSON line */
    buf rest;              /* the beginning of a line whose end is still to come */
    bool too_long;         /* and it is passed over */
    reader_counts counts;
};

reader *reader_new(const reader_heard *heard)
{
    reader *r = mem_zero(sizeof *r);
    r->heard = *heard;
    r->memory = arena_new();
    return r;
}

void reader_free(reader *r)
{
    if (!r)
        return;
    monitor_free(&r->room);
    arena_free(r->memory);
    buf_free(&r->rest);
    mem_free(r);
}

reader_counts reader_count(const reader *r)
{
    return r->counts;
}

static void bad(reader *r, str text, const char *why)
{
    r->counts.bad++;
    r->heard.bad(r->heard.context, r->counts.lines, str_slice(text, 0, SHOWN_BYTES_MAX), why);
}

static void line(reader *r, str text)
{
    const char *why = "it is a line neither of MONITOR nor of JSON";
    record out;
    r->counts.lines++;
    if (text.n && text.p[text.n - 1] == '\r')
        text.n--;
    /* redis-cli says OK first. */
    if (text.n == 0 || str_eq(text, S("OK")) || str_eq(text, S("+OK")))
        return;
    if (text.p[0] == '+')              /* as it comes over the wire */
        text = str_slice(text, 1, text.n);
    bool json = text.p[0] == '{';
    arena_reset(r->memory);
    if (json ? !json_line_parse(r->memory, text, &out, &why) : !monitor_looks_like(text) ||
        !monitor_parse(&r->room, text, &out, &why)) {
        bad(r, text, why);
        return;
    }
    out.line = r->counts.lines;
    r->counts.records++;
    r->counts.json += json;
    r->counts.monitor += !json;
    r->counts.lua += out.lua;
    r->heard.record(r->heard.context, &out);
}

/* A part of a line: its beginning, or what follows it. */
static void keep(reader *r, str part)
{
    if (r->too_long || r->rest.n + part.n > READER_LINE_BYTES_MAX) {
        r->too_long = true;
        return;
    }
    buf_add(&r->rest, part);
}

static void kept_line(reader *r, str end)
{
    keep(r, end);
    if (r->too_long) {
        r->counts.lines++;
        bad(r, buf_str(&r->rest), "the line is longer than 64 MiB");
    } else {
        line(r, buf_str(&r->rest));
    }
    r->too_long = false;
    buf_clear(&r->rest);
}

void reader_feed(reader *r, str bytes)
{
    size_t at = 0;
    while (at < bytes.n) {
        const char *newline = memchr(bytes.p + at, '\n', bytes.n - at);
        if (!newline)
            break;
        size_t end = (size_t)(newline - bytes.p);
        str part = str_slice(bytes, at, end);
        if (r->rest.n || r->too_long)
            kept_line(r, part);
        else
            line(r, part);
        at = end + 1;
    }
    keep(r, str_slice(bytes, at, bytes.n));
}

void reader_end(reader *r)
{
    if (r->rest.n || r->too_long)
        kept_line(r, S(""));
}
