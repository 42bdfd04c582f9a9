/* ask.h - a simulated server of one connection that is asked in text and answers RESP on one line, for short tests.
 * The words of a command are parted by single blanks; '' is the empty word, \xHH a byte. In an answer each \r\n is a
 * blank, the last one is dropped: `LRANGE l 0 -1` gives `*2 $1 a $1 b`, nothing gives `$-1`. */
#ifndef LOCKSIM_TESTS_ASK_H
#define LOCKSIM_TESTS_ASK_H

#include "redis/redis.h"

typedef struct {
    redis *server;
    redis_conn *conn;
    int64_t now_ms;                                /* 1,700,000,000,000 at first; the test may move it */
    int resp;                                      /* how answers are written: 2 at first */
    arena *a;
    buf answer;
} asker;

typedef struct {
    const char *command, *answer;
} exchange;

/* For cmocka's set-up and tear-down: *state is an asker. */
int asker_new(void **state);
int asker_free(void **state);
/* Of another dialect: "valkey 9.1". */
asker *asker_of(const char *dialect);

/* Borrowed until the next question. */
const char *ask(asker *k, const char *command);
const char *askf(asker *k, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Asks row by row and fails the test, naming the row, where an answer differs. */
void ask_all(asker *k, const exchange *rows, size_t n);
#define ASK_ALL(k, ...) ask_all((k), (const exchange[]){ __VA_ARGS__ }, COUNT(((const exchange[]){ __VA_ARGS__ })))

#endif
