/* test_trace_reader.c - what a log says is read the same however its bytes are cut, and what says nothing is told by
 * its line and passed over. */
#include <stdarg.h>
#include <setjmp.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "base/rng.h"
#include "trace/json_line.h"
#include "trace/reader.h"

typedef struct {
    buf records, bads;
} heard;

static void on_record(void *context, const record *r)
{
    heard *h = context;
    buf_printf(&h->records, "%zu@%lld%s %d %.*s", r->line, (long long)r->at_us, r->lua ? " lua" : "", r->db,
               STR_ARG(r->client));
    for (size_t i = 0; i < r->argc; i++) {
        buf_byte(&h->records, i ? '|' : ' ');
        for (size_t k = 0; k < r->argv[i].n; k++) {
            unsigned char c = (unsigned char)r->argv[i].p[k];
            if (c < 0x20 || c >= 0x7F)
                buf_hex(&h->records, c);
            else
                buf_byte(&h->records, (char)c);
        }
    }
    if (r->sent_us != RECORD_UNKNOWN)
        buf_printf(&h->records, " sent %lld", (long long)r->sent_us);
    if (r->answer) {
        buf_addz(&h->records, " -> ");
        reply_print_short(r->answer, &h->records);
    }
    buf_byte(&h->records, '\n');
}

static void on_bad(void *context, size_t line, str text, const char *why)
{
    heard *h = context;
    (void)text;
    buf_printf(&h->bads, "%zu %s\n", line, why);
}

/* Each piece in memory of its own that ends where the piece ends, so that a read beyond is found. */
static reader_counts read_in_steps(heard *h, str all, size_t step)
{
    reader *r = reader_new(&(reader_heard){ .context = h, .record = on_record, .bad = on_bad });
    buf_clear(&h->records);
    buf_clear(&h->bads);
    for (size_t at = 0; at < all.n; at += step) {
        str piece = str_slice(all, at, at + step);
        char *copy = malloc(piece.n);
        memcpy(copy, piece.p, piece.n);
        reader_feed(r, (str){ .p = copy, .n = piece.n });
        free(copy);
    }
    reader_end(r);
    reader_counts counts = reader_count(r);
    reader_free(r);
    return counts;
}

static void expect(str log, const char *records, const char *bads)
{
    heard h = { 0 };
    for (size_t step = 1; step <= log.n; step += step < 8 ? 1 : log.n / 3 + 1) {
        read_in_steps(&h, log, step);
        assert_string_equal(h.records.p ? h.records.p : "", records);
        assert_string_equal(h.bads.p ? h.bads.p : "", bads);
    }
    buf_free(&h.records);
    buf_free(&h.bads);
}

/* Property: a MONITOR line is its time, database, client and words. Escapes are redis-server's own: what sdscatrepr
 * writes. */
static void monitor_lines(void **state)
{
    (void)state;
    expect(S("OK\n1700000000.123456 [0 127.0.0.1:5321] \"SET\" \"k\" \"v\"\n"
             "1700000000.123457 [3 lua] \"get\" \"k\"\n"
             "1700000001.000000 [0 unix:/tmp/r.sock] \"ping\"\r\n"
             "+1700000001.000001 [0 [::1]:70] \"x\" \"\"\n"),
           "2@1700000000123456 0 127.0.0.1:5321 SET|k|v\n"
           "3@1700000000123457 lua 3 lua get|k\n"
           "4@1700000001000000 0 unix:/tmp/r.sock ping\n"
           "5@1700000001000001 0 [::1]:70 x|\n", "");
    expect(S("1.000000 [0 a] \"SET\" \"a\\\"b\\\\c\" \"\\n\\r\\t\\a\\b\\x00\\xfF\\q\" \"z\" \"\\x4\" \"\\\\\""),
           "1@1000000 0 a SET|a\"b\\c|\\x0a\\x0d\\x09\\x07\\x08\\x00\\xffq|z|x4|\\\n", "");
}

/* Property: a damaged line is told with its number and why; the lines around it are read. */
static void damaged_lines(void **state)
{
    (void)state;
    expect(S("1.000000 [0 a] \"x\"\n1.000000 [0 a] \"SET\" \"k\n1.000000 [0 a]\n1.000000 [0 a\n1.00 [0 a] \"x\"\n1 [0 "
             "a] \"x\"\n"
             "1.000000 [x a] \"x\"\n1.000000 0 a \"x\"\n1.000000 [0 a] x\n1.000000 [0 a] \"x\"\"y\"\nhello\n{\"time\": "
             "1\n2.000000 [0 a] \"y\\"),
           "1@1000000 0 a x\n",
           "2 a quote is not closed: the line is cut\n3 it has no command: the line is cut\n4 its [ ] is not closed\n"
           "5 its time has no six digits after the point\n6 it has no time\n7 its [ ] has no database\n8 no [database "
           "client] follows its time\n"
           "9 a word is not in quotes\n10 a word is not in quotes\n11 it is a line neither of MONITOR nor of JSON\n"
           "12 it is no JSON: the line is cut or damaged\n13 a quote is not closed: the line is cut\n");
    expect(S("99999999999999999999.000000 [0 a] \"x\"\n"), "", "1 it has no time\n");
}

/* Property: a JSON line is the same record, with the answer and a client's own instants where it has them. */
static void json_lines(void **state)
{
    (void)state;
    expect(S("{\"time\": 1700000000123, \"client\": \"A\", \"words\": [\"SET\", \"k\", 7, 0.5], \"answer\": "
             "{\"status\": \"OK\"}}\n"
             "{\"time\": 0.25, \"client\": 3, \"words\": [\"x\"], \"answer\": [1, null, \"a\", [true]], \"db\": 2}\n"
             "{\"sent\": 5, \"answered\": 6.5, \"client\": \"A\", \"words\": [\"x\\u0000\\u00ff\"], \"bytes\": "
             "\"latin1\", \"answer\": {\"error\": \"ERR x\"}}\n"),
           "1@1700000000123000 0 A SET|k|7|0.5 -> OK\n"
           "2@250 2 3 x -> [1, nil, \"a\", [1]]\n"
           "3@5000 0 A x\\x00\\xff sent 5000 -> error: ERR x\n", "");
    expect(S("{\"client\": \"A\", \"words\": [\"x\"]}\n{\"time\": 1, \"words\": [\"x\"]}\n{\"time\": 1, \"client\": "
             "\"A\", \"words\": []}\n"
             "{\"time\": -1, \"client\": \"A\", \"words\": [\"x\"]}\n{\"time\": 1, \"client\": \"A\", \"words\": "
             "[[]]}\n"
             "{\"time\": 1, \"client\": \"A\", \"words\": [\"x\"], \"answer\": {}}\n{\"time\": 1, \"client\": \"A\", "
             "\"words\": [\"x\"], \"db\": -1}\n"
             "{\"time\": 1e300, \"client\": \"A\", \"words\": [\"x\"]}\n"),
           "",
           "1 it has no `time`\n2 it has no `client`\n3 `words` has to be a list of texts, the command first\n"
           "4 `time`, `sent` and `answered` are milliseconds since 1970\n5 `words` has to be a list of texts, the "
           "command first\n"
           "6 `answer` is no answer of Redis's: null, a number, a text, a list, {\"error\": text} or {\"status\": "
           "text}\n"
           "7 `db` has to be the number of a database\n8 `time`, `sent` and `answered` are milliseconds since 1970\n");
}

/* Property: what json_line_add writes is read as the record that it was. */
static void written_lines_are_read_again(void **state)
{
    (void)state;
    arena *a = arena_new();
    buf b = { 0 };
    str words[] = { S("EVAL"), S("return \"\\1\"\n"), { .p = "a\0\xff\x80z", .n = 5 } };
    reply answer = reply_items(a, REPLY_ARRAY, 3);
    answer.items[0] = reply_integer(-3);
    answer.items[1] = reply_bulk(words[2]);
    answer.items[2] = reply_error(S("ERR \"no\""));
    record r = { .at_us = INT64_C(1700000000123456), .sent_us = RECORD_UNKNOWN, .answered_us = 17,
                 .client = S("caf\xc3\xa9"), .db = 4, .argv = words, .argc = COUNT(words), .answer = &answer };
    json_line_add(&b, &r);
    record got;
    const char *why = "";
    assert_true(json_line_parse(a, buf_str(&b), &got, &why));
    assert_int_equal(got.at_us, r.at_us);
    assert_int_equal(got.answered_us, 17);
    assert_int_equal(got.db, 4);
    assert_true(str_eq(got.client, r.client));
    assert_int_equal(got.argc, 3);
    for (size_t i = 0; i < got.argc; i++)
        assert_true(str_eq(got.argv[i], words[i]));
    assert_true(reply_equal(got.answer, &answer));
    buf_free(&b);
    arena_free(a);
}

/* Property: no bytes crash the reader, and every line is a record, told as bad, or empty; cut anywhere, the same comes
 * out. */
static void any_bytes(void **state)
{
    (void)state;
    static const char *const pieces[] = { "1700000000.123456", " ", "[0 ", "127.0.0.1:1", "]", "\"", "SET", "\\", "x4",
                                          "\n", "{", "\"time\"", ":", "1",
                                          ",", "}", "[", "\"words\"", "\xff", "\r", "OK", "\\x0", "lua" };
    rng r = rng_new(7, 1);
    heard one = { 0 }, other = { 0 };
    for (int round = 0; round < 4000; round++) {
        buf log = { 0 };
        if (round % 2)
            buf_addz(&log, "1.000000 [0 a] \"x\" ");
        for (uint64_t n = rng_below(&r, 40); n-- > 0;)
            buf_addz(&log, pieces[rng_below(&r, COUNT(pieces))]);
        reader_counts whole = read_in_steps(&one, buf_str(&log), log.n + 1);
        reader_counts cut = read_in_steps(&other, buf_str(&log), 1 + rng_below(&r, 9));
        assert_memory_equal(&whole, &cut, sizeof whole);
        assert_true(whole.records + whole.bad <= whole.lines);
        assert_true(str_eq(buf_str(&one.records), buf_str(&other.records)));
        assert_true(str_eq(buf_str(&one.bads), buf_str(&other.bads)));
        buf_free(&log);
    }
    buf_free(&one.records);
    buf_free(&one.bads);
    buf_free(&other.records);
    buf_free(&other.bads);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(monitor_lines), cmocka_unit_test(damaged_lines), cmocka_unit_test(json_lines),
        cmocka_unit_test(written_lines_are_read_again), cmocka_unit_test(any_bytes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
