/* json_line.c - see json_line.h. jansson parses; this file interprets a line. */
#include "trace/json_line.h"

#include <jansson.h>
#include <math.h>
#include <string.h>

enum { ANSWER_DEPTH_MAX = 32 };

static str text_of(arena *a, const json_t *j, bool latin1)
{
    str s = { .p = json_string_value(j), .n = json_string_length(j) };
    if (!latin1)
        return arena_str(a, s);
    char *bytes = arena_alloc(a, s.n + 1);
    size_t n = 0;
    for (size_t i = 0; i < s.n; i++) {             /* U+0080 .. U+00FF are C2 xx and C3 xx */
        unsigned char c = (unsigned char)s.p[i];
        if ((c == 0xC2 || c == 0xC3) && i + 1 < s.n)
            bytes[n++] = (char)((c & 3) << 6 | ((unsigned char)s.p[++i] & 0x3F));
        else
            bytes[n++] = (char)c;
    }
    return (str){ .p = bytes, .n = n };
}

static bool word_of(arena *a, const json_t *j, bool latin1, str *out)
{
    if (json_is_string(j))
        *out = text_of(a, j, latin1);
    else if (json_is_integer(j))
        *out = arena_int(a, json_integer_value(j));
    else if (json_is_real(j))
        *out = arena_printf(a, "%.17g", json_real_value(j));
    else
        return false;
    return true;
}

static bool answer_of(arena *a, const json_t *j, bool latin1, size_t depth, reply *out)
{
    const json_t *status = json_object_get(j, "status"), *wrong = json_object_get(j, "error");
    if (depth > ANSWER_DEPTH_MAX)
        return false;
    if (json_is_null(j) || json_is_false(j))
        *out = reply_nil();
    else if (json_is_true(j))
        *out = reply_integer(1);
    else if (json_is_integer(j))
        *out = reply_integer(json_integer_value(j));
    else if (json_is_real(j))
        *out = reply_double(json_real_value(j));
    else if (json_is_string(j))
        *out = reply_bulk(text_of(a, j, latin1));
    else if (json_is_string(status))
        *out = reply_status(text_of(a, status, latin1));
    else if (json_is_string(wrong))
        *out = reply_error(text_of(a, wrong, latin1));
    else if (!json_is_array(j))
        return false;
    else {
        *out = reply_items(a, REPLY_ARRAY, json_array_size(j));
        for (size_t i = 0; i < out->count; i++)
            if (!answer_of(a, json_array_get(j, i), latin1, depth + 1, &out->items[i]))
                return false;
    }
    return true;
}

/* Milliseconds to microseconds; RECORD_UNKNOWN where the field is absent or null. */
static bool instant_of(const json_t *object, const char *field, int64_t *out)
{
    static const double MS_MAX = 9e15;
    const json_t *j = json_object_get(object, field);
    *out = RECORD_UNKNOWN;
    if (!j || json_is_null(j))
        return true;
    double ms = json_number_value(j);
    if (!json_is_number(j) || !(ms >= 0 && ms <= MS_MAX))
        return false;
    *out = json_is_integer(j) ? (int64_t)json_integer_value(j) * 1000 : (int64_t)llround(ms * 1000);
    return true;
}

static bool words_of(arena *a, const json_t *list, bool latin1, record *out)
{
    size_t n = json_array_size(list);
    str *argv = ARENA_ARRAY(a, str, n + 1);
    for (size_t i = 0; i < n; i++)
        if (!word_of(a, json_array_get(list, i), latin1, &argv[i]))
            return false;
    out->argv = argv;
    out->argc = n;
    return n > 0;
}

static bool record_of(arena *a, const json_t *o, record *out, const char **why)
{
    const json_t *answer = json_object_get(o, "answer"), *db = json_object_get(o, "db"),
                           *client = json_object_get(o, "client");
    const char *bytes = json_string_value(json_object_get(o, "bytes"));
    bool latin1 = bytes && strcmp(bytes, "latin1") == 0;
    if (!json_is_object(o))
        return *why = "it is no JSON object", false;
    if (!instant_of(o, "time", &out->at_us) || !instant_of(o, "sent", &out->sent_us) ||
        !instant_of(o, "answered", &out->answered_us))
        return *why = "`time`, `sent` and `answered` are milliseconds since 1970", false;
    out->clients_own = out->at_us == RECORD_UNKNOWN;
    if (out->clients_own)
        out->at_us = out->sent_us;
    if (out->at_us == RECORD_UNKNOWN)
        return *why = "it has no `time`", false;
    if (out->clients_own && out->answered_us != RECORD_UNKNOWN && out->answered_us < out->sent_us)
        return *why = "it was answered before it was sent", false;
    if (!word_of(a, client, latin1, &out->client))
        return *why = "it has no `client`", false;
    if (!words_of(a, json_object_get(o, "words"), latin1, out))
        return *why = "`words` has to be a list of texts, the command first", false;
    if (db && (!json_is_integer(db) || json_integer_value(db) < 0 || json_integer_value(db) > 99999))
        return *why = "`db` has to be the number of a database", false;
    out->db = (int)json_integer_value(db);
    out->lua = str_eq(out->client, S("lua"));
    if (answer) {
        reply *r = ARENA_NEW(a, reply);
        if (!answer_of(a, answer, latin1, 0, r))
            return *why = "`answer` is no answer of Redis's: null, a number, a text, a list, {\"error\": text} or "
                   "{\"status\": text}", false;
        out->answer = r;
    }
    return true;
}

bool json_line_parse(arena *a, str text, record *out, const char **why)
{
    json_error_t error;
    *out = (record){ .sent_us = RECORD_UNKNOWN, .answered_us = RECORD_UNKNOWN };
    json_t *o = json_loadb(text.p, text.n, JSON_ALLOW_NUL, &error);
    if (!o)
        return *why = "it is no JSON: the line is cut or damaged", false;
    bool ok = record_of(a, o, out, why);
    json_decref(o);
    return ok;
}

/* ---- writing ---- */

/* Each byte as the character of that number: text that is not ASCII needs "bytes": "latin1" beside it. */
static void add_text(buf *out, str s, bool *latin1)
{
    buf_byte(out, '"');
    for (size_t i = 0; i < s.n; i++) {
        unsigned char c = (unsigned char)s.p[i];
        if (c == '"' || c == '\\') {
            buf_byte(out, '\\');
            buf_byte(out, (char)c);
        } else if (c < 0x20 || c >= 0x7F) {
            buf_printf(out, "\\u%04x", c);
            *latin1 |= c >= 0x80;
        } else {
            buf_byte(out, (char)c);
        }
    }
    buf_byte(out, '"');
}

static void add_answer(buf *out, const reply *r, bool *latin1)
{
    switch (r->kind) {
    case REPLY_NIL:
    case REPLY_NIL_ARRAY: buf_addz(out, "null"); return;
    case REPLY_INTEGER: buf_printf(out, "%lld", (long long)r->integer); return;
    case REPLY_BOOLEAN: buf_addz(out, r->integer ? "true" : "false"); return;
    case REPLY_DOUBLE: {
        /* JSON knows no infinity; the digits stand as a text then. */
        buf_printf(out, isfinite(r->number) ? "%.17g" : "\"%.17g\"", r->number);
        return;
    }
    case REPLY_STATUS:
    case REPLY_ERROR:
        buf_addz(out, r->kind == REPLY_ERROR ? "{\"error\": " : "{\"status\": ");
        add_text(out, r->text, latin1);
        buf_byte(out, '}');
        return;
    case REPLY_BULK:
    case REPLY_BIG_NUMBER:
    case REPLY_VERBATIM: add_text(out, r->text, latin1); return;
    case REPLY_ARRAY:
    case REPLY_MAP:
    case REPLY_SET:
        buf_byte(out, '[');
        for (size_t i = 0; i < r->count; i++) {
            buf_addz(out, i ? ", " : "");
            add_answer(out, &r->items[i], latin1);
        }
        buf_byte(out, ']');
        return;
    }
}

static void add_instant(buf *out, const char *field, int64_t at_us)
{
    if (at_us != RECORD_UNKNOWN)
        buf_printf(out, "\"%s\": %lld.%03d, ", field, (long long)(at_us / 1000), (int)(at_us % 1000));
}

void json_line_add(buf *out, const record *r)
{
    bool latin1 = false;
    buf_byte(out, '{');
    add_instant(out, "time", r->at_us);
    add_instant(out, "sent", r->sent_us);
    add_instant(out, "answered", r->answered_us);
    buf_addz(out, "\"client\": ");
    add_text(out, r->client, &latin1);
    if (r->db)
        buf_printf(out, ", \"db\": %d", r->db);
    buf_addz(out, ", \"words\": [");
    for (size_t i = 0; i < r->argc; i++) {
        buf_addz(out, i ? ", " : "");
        add_text(out, r->argv[i], &latin1);
    }
    buf_byte(out, ']');
    if (r->answer) {
        buf_addz(out, ", \"answer\": ");
        add_answer(out, r->answer, &latin1);
    }
    buf_addz(out, latin1 ? ", \"bytes\": \"latin1\"}\n" : "}\n");
}
