/* ask.c - see ask.h. */
#include <stdarg.h>
#include <setjmp.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ask.h"
#include "base/mem.h"
#include "script/script.h"

enum { WORDS_MAX = 4096 };

int asker_new(void **state)
{
    asker *k = mem_zero(sizeof *k);
    *k = (asker){ .server = redis_new((redis_limits){ 0 }), .now_ms = INT64_C(1700000000000), .resp = 2,
                  .a = arena_new() };
    k->conn = redis_connect(k->server, 1);
    *state = k;
    return 0;
}

asker *asker_of(const char *name)
{
    redis_limits limits = { .packings = true };
    assert_true(dialect_parse(str_from(name), &limits.dialect));
    void *state;
    asker_new(&state);
    asker *k = state;
    redis_free(k->server);
    k->server = redis_new(limits);
    k->conn = redis_connect(k->server, 1);
    return k;
}

int asker_free(void **state)
{
    asker *k = *state;
    redis_free(k->server);
    arena_free(k->a);
    buf_free(&k->answer);
    mem_free(k);
    return 0;
}

/* A word with its \xHH made bytes. */
static str unescaped(arena *a, str word)
{
    char *p = arena_alloc(a, word.n + 1);
    size_t n = 0;
    for (size_t i = 0; i < word.n; i++) {
        if (word.p[i] == '\\' && i + 3 < word.n && word.p[i + 1] == 'x') {
            char hex[3] = { word.p[i + 2], word.p[i + 3], 0 };
            p[n++] = (char)strtol(hex, NULL, 16);
            i += 3;
        } else {
            p[n++] = word.p[i];
        }
    }
    return (str){ p, n };
}

const char *ask(asker *k, const char *command)
{
    static str argv[WORDS_MAX];
    size_t argc = 0;
    arena_reset(k->a);
    str text = str_from(command);
    for (size_t from = 0; from <= text.n && argc < WORDS_MAX;) {
        size_t end = str_find(text, ' ', from);
        str word = str_slice(text, from, end);
        argv[argc++] = str_eq(word, S("''")) ? S("") : unescaped(k->a, word);
        from = end + 1;
    }
    reply r = redis_execute(k->server, k->conn, argv, argc, k->now_ms, k->a);
    buf_clear(&k->answer);
    reply_encode(&r, k->resp, &k->answer);
    size_t n = 0;
    for (size_t i = 0; i < k->answer.n; i++)
        if (k->answer.p[i] != '\r')
            k->answer.p[n++] = k->answer.p[i] == '\n' ? ' ' : k->answer.p[i];
    k->answer.p[n > 0 ? n - 1 : 0] = 0;
    k->answer.n = n > 0 ? n - 1 : 0;
    return k->answer.p;
}

const char *askf(asker *k, const char *format, ...)
{
    char command[4096];
    va_list ap;
    va_start(ap, format);
    int n = vsnprintf(command, sizeof command, format, ap);
    va_end(ap);
    assert_in_range(n, 0, sizeof command - 1);
    return ask(k, command);
}

void ask_all(asker *k, const exchange *rows, size_t n)
{
    assert_true(n > 0);
    for (size_t i = 0; i < n; i++) {
        const char *answer = ask(k, rows[i].command);
        if (strcmp(answer, rows[i].answer) != 0)
            fail_msg("row %zu: %s\n  expected: %s\n  answered: %s", i + 1, rows[i].command, rows[i].answer, answer);
    }
}
