/* recording_json.c - see recording_json.h. */
#include <regex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "recording_json.h"

json_t *json_of_line(const char *line, const char *path)
{
    json_error_t e;
    json_t *out = json_loads(line, JSON_ALLOW_NUL, &e);
    if (!out) {
        fprintf(stderr, "%s:%d: %s\n", path, e.line, e.text);
        exit(65);
    }
    return out;
}

json_t *json_of_bytes(str s)
{
    buf b = { 0 };
    for (size_t i = 0; i < s.n; i++) {
        unsigned char c = (unsigned char)s.p[i];
        if (c >= 0x80)
            buf_byte(&b, (char)(0xC0 | c >> 6));
        buf_byte(&b, c < 0x80 ? (char)c : (char)(0x80 | (c & 0x3F)));
    }
    json_t *out = json_stringn(b.n ? b.p : "", b.n);
    buf_free(&b);
    return out;
}

str bytes_of_json(arena *a, const json_t *value)
{
    if (json_is_integer(value))
        return arena_int(a, json_integer_value(value));
    str text = { json_string_value(value), json_string_length(value) };
    char *out = ARENA_ARRAY(a, char, text.n + 1);
    size_t n = 0;
    for (size_t i = 0; i < text.n; i++) {
        unsigned char c = (unsigned char)text.p[i];
        out[n++] = c < 0x80 ? (char)c : (char)((c & 0x03) << 6 | ((unsigned char)text.p[++i] & 0x3F));
    }
    out[n] = '\0';
    return (str){ out, n };
}

static bool matches(const char *pattern, const char *text, regmatch_t *at, size_t count)
{
    regex_t r;
    if (regcomp(&r, pattern, REG_EXTENDED) != 0)
        abort();
    bool found = regexec(&r, text, count, at, 0) == 0;
    regfree(&r);
    return found;
}

/* An error of Lua's, in `text` from `from` on: its kind, for variables and lines differ from script to script. */
static json_t *run_time_error(const char *text)
{
    regmatch_t kind[1];
    if (matches("^(attempt to (compare|concatenate|index|call|perform arithmetic|get length)|bad argument)", text,
                kind, 1))
        return json_sprintf("ERR user_script: %.*s", (int)kind[0].rm_eo, text);
    return json_sprintf("ERR user_script: %s", text);
}

static json_t *error_of(str error)
{
    buf b = { 0 };
    buf_add(&b, error);
    buf_byte(&b, '\0');
    char *text = b.p;
    regmatch_t at[4];
    if (matches(" script: [0-9a-f]{40}, on @[^ ]*\\.?$", text, at, 1))
        text[at[0].rm_so] = '\0';
    json_t *out;
    if (matches("^ERR (Error running script.*: )?(@?user_script|[^ ]+\\.lua):[0-9]+: ", text, at, 1))
        out = run_time_error(text + at[0].rm_eo);
    else
        out = json_of_bytes(str_from(text));
    buf_free(&b);
    return out;
}

static json_t *tagged(const char *tag, json_t *value)
{
    json_t *out = json_object();
    json_object_set_new(out, tag, value);
    return out;
}

json_t *json_of_reply(const reply *r)
{
    switch (r->kind) {
    case REPLY_INTEGER: return tagged("int", json_integer(r->integer));
    case REPLY_STATUS: return tagged("status", json_of_bytes(r->text));
    case REPLY_ERROR: return tagged("error", error_of(r->text));
    case REPLY_BULK: return tagged("bulk", json_of_bytes(r->text));
    case REPLY_NIL: case REPLY_NIL_ARRAY: return tagged("nil", json_true());
    case REPLY_ARRAY: case REPLY_SET: case REPLY_MAP: case REPLY_DOUBLE: case REPLY_BOOLEAN: case REPLY_BIG_NUMBER:
    case REPLY_VERBATIM: break;
    }
    json_t *list = json_array();
    for (size_t i = 0; i < r->count; i++)
        json_array_append_new(list, json_of_reply(&r->items[i]));
    return tagged("array", list);
}

static json_t *value_of(str type, const reply *values)
{
    if (str_eq(type, S("string")))
        return json_of_bytes(values->items[0].text);
    bool pairs = str_eq(type, S("hash")) || str_eq(type, S("zset"));
    json_t *out = pairs ? json_object() : json_array();
    for (size_t i = 0; i < values->count; i += pairs ? 2 : 1) {
        json_t *item = json_of_bytes(values->items[i].text);
        if (!pairs) {
            json_array_append_new(out, item);
            continue;
        }
        json_object_setn_new(out, json_string_value(item), json_string_length(item),
                             json_of_bytes(values->items[i + 1].text));
        json_decref(item);
    }
    return out;
}

json_t *json_of_keyspace(const reply *all)
{
    json_t *out = json_array();
    for (size_t i = 0; i < all->count; i++) {
        const reply *key = all->items[i].items;
        json_t *row = json_object();
        json_object_set_new(row, "key", json_of_bytes(key[0].text));
        json_object_set_new(row, "type", json_of_bytes(key[1].text));
        json_object_set_new(row, "value", value_of(key[1].text, &key[2]));
        json_object_set_new(row, "pttl", json_integer(key[3].integer));
        json_array_append_new(out, row);
    }
    return out;
}
