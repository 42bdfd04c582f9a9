/* test_trace_order.c - clients' own logs: what a server really did is always explained, whatever the clients know of
 * its order; and an answer that no server gave is not. */
#include <stdarg.h>
#include <setjmp.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>

#include "base/rng.h"
#include "script/script.h"
#include "trace/answer.h"
#include "trace/order.h"

enum { OPS = 60, CLIENTS = 4, KEYS = 2, BEGIN_MS = 1000 };

typedef struct {
    str argv[5];
    size_t argc;
    record r;
    int64_t done_us;       /* when the server did it; RECORD_UNKNOWN: never */
} request;

typedef struct {
    arena *a;
    request at[OPS];
    size_t handed;
    int64_t last_us;
    redis *again;          /* what is handed out, executed again */
    redis_conn *conn;
    size_t wrong;
} history;

static size_t words(history *h, rng *r, request *q)
{
    static const char *const leases[] = { "7", "20", "60" };
    str key = arena_printf(h->a, "k%d", (int)rng_below(r, KEYS));
    str value = arena_printf(h->a, "v%d", (int)rng_below(r, 99));
    str lease = str_from(leases[rng_below(r, 3)]);
    switch (rng_below(r, 4)) {
    case 0: memcpy(q->argv, (str[]){ S("GET"), key }, 2 * sizeof(str)); return 2;
    case 1: memcpy(q->argv, (str[]){ S("DEL"), key }, 2 * sizeof(str)); return 2;
    case 2: memcpy(q->argv, (str[]){ S("PEXPIRE"), key, lease }, 3 * sizeof(str)); return 3;
    default: memcpy(q->argv, (str[]){ S("SET"), key, value, S("PX"), lease }, 5 * sizeof(str)); return 5;
    }
}

/* Sixty requests of four clients, each within a window of which the client knows the ends; one in ten is not answered,
 * and half of these never came to the server. */
static void make(history *h, uint64_t seed)
{
    rng r = rng_new(seed, 1);
    int64_t now_us = (int64_t)BEGIN_MS * 1000, free_us[CLIENTS] = { 0 };
    redis *server = redis_new((redis_limits){ 0 });
    redis_conn *c = redis_connect(server, 1);

    for (size_t i = 0; i < OPS; i++) {
        request *q = &h->at[i];
        size_t client = i % CLIENTS;
        now_us += (int64_t)rng_below(&r, 6000);
        int64_t sent_us = now_us - (int64_t)rng_below(&r, 15000);
        if (sent_us < free_us[client])
            sent_us = free_us[client];
        if (now_us < sent_us)
            now_us = sent_us;
        bool lost = rng_below(&r, 10) == 0, never = lost && rng_below(&r, 2);
        reply *answer = ARENA_NEW(h->a, reply);
        q->argc = words(h, &r, q);
        q->done_us = never ? RECORD_UNKNOWN : now_us;
        if (!never)
            *answer = redis_execute(server, c, q->argv, q->argc, now_us / 1000, h->a);
        free_us[client] = now_us + (int64_t)rng_below(&r, 15000);
        q->r = (record){ .line = i + 1, .at_us = sent_us, .sent_us = sent_us, .clients_own = true, .client = S("c"),
                         .answered_us = lost ? RECORD_UNKNOWN : free_us[client], .argv = q->argv, .argc = q->argc,
                         .answer = lost ? NULL : answer };
    }
    redis_free(server);
}

static void on_record(void *context, const record *r)
{
    history *h = context;
    assert_true(r->at_us >= h->last_us && r->at_us >= r->sent_us);
    assert_true(r->answered_us == RECORD_UNKNOWN || r->at_us <= r->answered_us);
    h->last_us = r->at_us;
    h->handed++;
    reply again = redis_execute(h->again, h->conn, r->argv, r->argc, r->at_us / 1000, h->a);
    h->wrong += r->answer && !answer_same(r->answer, &again);
}

static order_counts ask(history *h)
{
    err e = { 0 };
    order *o = order_new((dialect){ 0 });
    h->again = redis_new((redis_limits){ 0 });
    h->conn = redis_connect(h->again, 1);
    for (size_t i = OPS; i-- > 0;)                 /* in whatever order the lines stand */
        assert_true(order_add(o, &h->at[i].r, &e));
    order_counts c = order_each(o, on_record, h);
    redis_free(h->again);
    order_free(o);
    return c;
}

static void what_a_server_did_is_explained(void **state)
{
    enum { HISTORIES = 200 };
    uint64_t tried = 0;
    (void)state;
    for (uint64_t seed = 1; seed <= HISTORIES; seed++) {
        history h = { .a = arena_new() };
        make(&h, seed);
        order_counts c = ask(&h);
        if (c.unexplained || h.wrong)
            fail_msg("seed %llu: line %zu is unexplained, %zu answers are wrong", (unsigned long long)seed,
                     c.unexplained_line, h.wrong);
        assert_int_equal(h.handed, c.requests - c.unknown + c.done);
        tried += c.tried;
        arena_free(h.a);
    }
    assert_true(tried > HISTORIES * OPS);          /* some went wrong first */
}

/* A value that nobody ever set. */
static void an_answer_that_no_server_gave_is_not(void **state)
{
    enum { HISTORIES = 40 };
    size_t met = 0;
    (void)state;
    for (uint64_t seed = 1; seed <= HISTORIES; seed++) {
        history h = { .a = arena_new() };
        make(&h, seed);
        reply strange = reply_bulk(S("nobody's"));
        size_t line = 0;
        for (size_t i = OPS / 2; i < OPS && !line; i++)
            if (h.at[i].r.answer && str_eq(h.at[i].argv[0], S("GET"))) {
                h.at[i].r.answer = &strange;
                line = h.at[i].r.line;
            }
        order_counts c = ask(&h);
        if (line) {
            assert_true(c.unexplained > 0);
            assert_int_equal(c.given_up, 0);
            met += c.unexplained_line == line;
        }
        arena_free(h.a);
    }
    assert_true(met > HISTORIES / 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_a_server_did_is_explained),
        cmocka_unit_test(an_answer_that_no_server_gave_is_not),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
