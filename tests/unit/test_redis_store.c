/* test_redis_store.c - the keyspace: who is alive when, what a watcher notices, what it weighs. */
#include <stdarg.h>
#include <setjmp.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "base/rng.h"
#include "redis/store.h"

static int fresh_store(void **state)
{
    *state = store_new();
    return 0;
}

static int free_store(void **state)
{
    store_free(*state);
    return 0;
}

static void put(store *st, const char *key, int64_t deadline_ms)
{
    store_put(st, 0, str_from(key), value_new_string(S("v")), false);
    if (deadline_ms != STORE_NO_DEADLINE)
        store_set_deadline(st, 0, str_from(key), deadline_ms);
}

/* Property: a lease is held through its last millisecond and free in the next.
 * How: look one step before, at, and one step after the deadline, also at the ends of the range of deadlines. */
static void key_is_alive_at_its_deadline_and_gone_after(void **state)
{
    static const struct { int64_t deadline_ms, now_ms; bool alive; } row[] = {
        { 100, 99, true }, { 100, 100, true }, { 100, 101, false }, { STORE_NO_DEADLINE, INT64_MAX, true },
        { INT64_MAX, INT64_MAX, true }, { INT64_MAX - 1, INT64_MAX, false }, { INT64_MIN + 1, INT64_MIN + 2, false },
        { 0, 0, true },
        { 0, 1, false }, { -1, 0, false },
    };
    store *st = *state;
    for (size_t i = 0; i < COUNT(row); i++) {
        store_set_now(st, INT64_MIN);
        put(st, "lock", row[i].deadline_ms);
        store_set_now(st, row[i].now_ms);
        assert_int_equal(store_find(st, 0, S("lock")) != NULL, row[i].alive);
    }
}

/* Property: an expired key counts in the size until a command looks at it, and is then gone for good, even if time goes
 * back. */
static void an_expired_key_is_counted_until_it_is_met(void **state)
{
    store *st = *state;
    put(st, "a", 100);
    put(st, "b", STORE_NO_DEADLINE);
    store_set_now(st, 101);
    assert_int_equal(store_size(st, 0), 2);
    uint64_t before = store_writes(st);
    assert_null(store_find(st, 0, S("a")));
    assert_int_equal(store_size(st, 0), 1);
    assert_true(store_writes(st) > before);
    store_set_now(st, 50);
    assert_null(store_find(st, 0, S("a")));
    assert_false(store_del(st, 0, S("a")));
}

static void a_new_value_on_an_expired_key_has_no_deadline(void **state)
{
    store *st = *state;
    put(st, "a", 100);
    store_set_now(st, 101);
    store_put(st, 0, S("a"), value_new_string(S("w")), true);  /* keeps a deadline only of a live key */
    assert_int_equal(store_deadline_ms(st, 0, S("a")), STORE_NO_DEADLINE);
    store_set_deadline(st, 0, S("a"), 200);
    store_put(st, 0, S("a"), value_new_string(S("x")), true);
    assert_int_equal(store_deadline_ms(st, 0, S("a")), 200);
    store_put(st, 0, S("a"), value_new_string(S("x")), false);
    assert_int_equal(store_deadline_ms(st, 0, S("a")), STORE_NO_DEADLINE);
}

static void rename_takes_value_and_deadline_along(void **state)
{
    store *st = *state;
    put(st, "a", 100);
    put(st, "b", 900);
    store_rename(st, 0, S("a"), S("b"));
    assert_null(store_find(st, 0, S("a")));
    assert_int_equal(store_deadline_ms(st, 0, S("b")), 100);
    put(st, "c", STORE_NO_DEADLINE);
    store_rename(st, 0, S("c"), S("b"));
    assert_int_equal(store_deadline_ms(st, 0, S("b")), STORE_NO_DEADLINE);
    store_rename(st, 0, S("b"), S("b"));
    assert_non_null(store_find(st, 0, S("b")));
    assert_int_equal(store_size(st, 0), 1);
}

static void only_empty_collections_are_dropped(void **state)
{
    store *st = *state;
    store_put(st, 3, S("s"), value_new_string(S("")), false);
    store_put(st, 3, S("h"), value_new(VALUE_HASH), false);
    store_put(st, 3, S("l"), value_new(VALUE_LIST), false);
    list_push(store_find(st, 3, S("l")), true, S("x"));
    store_drop_if_empty(st, 3, S("s"));
    store_drop_if_empty(st, 3, S("h"));
    store_drop_if_empty(st, 3, S("l"));
    store_drop_if_empty(st, 3, S("none"));
    assert_non_null(store_find(st, 3, S("s")));
    assert_null(store_find(st, 3, S("h")));
    assert_non_null(store_find(st, 3, S("l")));
    assert_null(store_find(st, 0, S("l")));                    /* databases are apart */
    assert_int_equal(store_size(st, 0), 0);
}

static void note_key(void *context, str key, const value *v, int64_t deadline_ms)
{
    (void)v, (void)deadline_ms;
    buf_add(context, key);
    buf_byte(context, ' ');
}

/* Property: keys come in byte order, whatever the order in which they were made, and only the living. */
static void keys_come_in_byte_order(void **state)
{
    store *st = *state;
    static const char *const names[] = { "b", "", "a", "aa", "B", "\xff", "10", "9", "dead" };
    for (size_t i = 0; i < COUNT(names); i++)
        put(st, names[i], strcmp(names[i], "dead") == 0 ? 10 : 1000);
    for (int i = 0; i < 40; i++) {
        char name[8];
        snprintf(name, sizeof name, "k%02d", (i * 7) % 40);
        put(st, name, STORE_NO_DEADLINE);
    }
    store_set_now(st, 11);
    buf b = { 0 };
    store_each(st, 0, note_key, &b);
    assert_true(str_starts(buf_str(&b), S(" 10 9 B a aa b k00 k01 k02 ")));
    assert_true(str_ends(buf_str(&b), S(" k38 k39 \xff ")));
    buf_free(&b);
}

enum { READ, WRITE, CREATE_AND_DELETE, DELETE, TOUCH, EXPIRE, EXPIRE_AND_MEET, EXPIRE_AND_REMAKE, FLUSH, RENAME_AWAY };

/* Property: a watcher notices every write to its key, a creation that was undone, and an expiry, but not a mere look.
 * How: each event on a key that was absent, alive, or already expired when it was first watched. */
static void a_watcher_notices_writes_and_expiry(void **state)
{
    static const struct { int event; bool absent, alive, expired; } row[] = {
        { READ, false, false, false }, { WRITE, true, true, true }, { CREATE_AND_DELETE, true, true, true },
        { DELETE, false, true, false },
        { TOUCH, true, true, true }, { EXPIRE, false, true, false }, { EXPIRE_AND_MEET, false, true, false },
        { EXPIRE_AND_REMAKE, true, true, true }, { FLUSH, false, true, false }, { RENAME_AWAY, false, true, false },
    };
    store *st = *state;
    static const str key = { "k", 1 };
    for (size_t i = 0; i < COUNT(row); i++) {
        const bool expected[] = { row[i].absent, row[i].alive, row[i].expired };
        for (size_t was = 0; was < COUNT(expected); was++) {
            store_set_now(st, 0);
            store_clear(st, -1);
            if (was)
                put(st, "k", 100);
            store_set_now(st, was == 2 ? 101 : 100);
            store_mark mark = store_watch(st, 0, key), second = store_watch(st, 0, key);
            assert_int_equal(mark.expired, was == 2);
            switch (row[i].event) {
            case READ:              store_find(st, 0, key); break;
            case WRITE:             put(st, "k", STORE_NO_DEADLINE); break;
            case CREATE_AND_DELETE: put(st, "k", STORE_NO_DEADLINE); store_del(st, 0, key); break;
            case DELETE:            store_del(st, 0, key); break;
            case TOUCH:             store_touch(st, 0, key); break;
            case EXPIRE:            store_set_now(st, 102); break;
            case EXPIRE_AND_MEET:   store_set_now(st, 102); store_find(st, 0, key); break;
            case EXPIRE_AND_REMAKE: store_set_now(st, 102); put(st, "k", STORE_NO_DEADLINE); break;
            case FLUSH:             store_clear(st, 0); break;
            case RENAME_AWAY:
                if (store_find(st, 0, key))
                    store_rename(st, 0, key, S("other"));
                break;
            }
            if (store_changed_since(st, 0, key, &mark) != expected[was])
                fail_msg("event %d, key %s: expected %d", row[i].event,
                         was == 0 ? "absent" : was == 1 ? "alive" : "expired", expected[was]);
            store_unwatch(st, 0, key);
            /* one goes, the other still sees */
            assert_int_equal(store_changed_since(st, 0, key, &second), expected[was]);
            store_unwatch(st, 0, key);
        }
    }
}

/* Property: an empty keyspace weighs nothing, however it became empty. */
static void weight_returns_to_nothing(void **state)
{
    store *st = *state;
    assert_int_equal(store_bytes(st), 0);
    put(st, "a", 100);
    put(st, "b", STORE_NO_DEADLINE);
    size_t two = store_bytes(st);
    value_string_write(store_find(st, 0, S("b")), 999, S("x"));
    assert_int_equal(store_bytes(st), two + 999);
    put(st, "b", STORE_NO_DEADLINE);
    assert_int_equal(store_bytes(st), two);
    store_rename(st, 0, S("b"), S("a"));
    assert_int_equal(store_bytes(st), two / 2);
    store_set_deadline(st, 0, S("a"), 5);
    store_set_now(st, 6);
    assert_null(store_find(st, 0, S("a")));
    assert_int_equal(store_bytes(st), 0);
    put(st, "c", 100);
    store_clear(st, -1);
    assert_int_equal(store_bytes(st), 0);
}

static void count_volatile(void *context, str key, const value *v, int64_t deadline_ms)
{
    (void)key;
    (void)v;
    *(size_t *)context += deadline_ms != STORE_NO_DEADLINE;
}

/* Property: however keys came and went, the number of those with a deadline is right, and reaping removes exactly what
 * has expired, in as many calls as the number of keys asks for, though keys go between them, the next one to be looked
 * at included. */
static void reaping_takes_what_has_expired_and_ends(void **state)
{
    enum { KEYS = 60, STEPS = 20000, LOOKS = 7 };
    store *st = *state;
    rng g = rng_new(1, 0);
    int64_t now_ms = 0;
    for (int step = 0; step < STEPS; step++) {
        char name[2][8];
        int db = (int)rng_below(&g, 3);
        for (size_t i = 0; i < 2; i++)
            snprintf(name[i], sizeof name[i], "k%d", (int)rng_below(&g, KEYS));
        str key = str_from(name[0]);
        bool there = store_find(st, db, key) != NULL;
        switch (rng_below(&g, 8)) {
        case 0: store_put(st, db, key, value_new_string(S("v")), rng_below(&g, 2)); break;
        case 1: case 2: if (there) store_set_deadline(st, db, key, now_ms + (int64_t)rng_below(&g, 500)); break;
        case 3: if (there) store_set_deadline(st, db, key, STORE_NO_DEADLINE); break;
        case 4: if (there) store_rename(st, db, key, str_from(name[1])); break;
        case 5: store_del(st, db, key); break;
        case 6: store_swap(st, db, (int)rng_below(&g, 3)); break;
        default: store_put(st, db, key, value_new_string(S("v")), false); break;
        }
        if (rng_below(&g, 500) == 0)
            store_clear(st, db);
        size_t gone;
        if (rng_below(&g, 10) == 0)
            store_reap(st, LOOKS, &gone);
        now_ms += (int64_t)rng_below(&g, 3);
        store_set_now(st, now_ms);
        if (rng_below(&g, 50))
            continue;
        while (store_reap(st, LOOKS, &gone))       /* to the end of the round that is begun, and then a whole one */
            ;
        size_t keys = store_size(st, 0) + store_size(st, 1) + store_size(st, 2), calls = 1;
        while (store_reap(st, LOOKS, &gone))
            calls++;
        assert_true(calls <= keys / LOOKS + 4);
        for (int i = 0; i < 3; i++) {
            size_t with_deadline = 0, live = 0;
            store_each(st, i, count_volatile, &with_deadline);
            assert_int_equal(store_volatile(st, i), with_deadline);
            for (int k = 0; k < KEYS; k++) {
                snprintf(name[0], sizeof name[0], "k%d", k);
                live += store_find(st, i, str_from(name[0])) != NULL;
            }
            assert_int_equal(store_size(st, i), live);
        }
    }
}

int main(void)
{
#define ON_FRESH_STORE(test) cmocka_unit_test_setup_teardown(test, fresh_store, free_store)
    const struct CMUnitTest tests[] = {
        ON_FRESH_STORE(key_is_alive_at_its_deadline_and_gone_after),
        ON_FRESH_STORE(an_expired_key_is_counted_until_it_is_met),
        ON_FRESH_STORE(a_new_value_on_an_expired_key_has_no_deadline),
        ON_FRESH_STORE(rename_takes_value_and_deadline_along),
        ON_FRESH_STORE(only_empty_collections_are_dropped),
        ON_FRESH_STORE(keys_come_in_byte_order),
        ON_FRESH_STORE(a_watcher_notices_writes_and_expiry),
        ON_FRESH_STORE(weight_returns_to_nothing),
        ON_FRESH_STORE(reaping_takes_what_has_expired_and_ends),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
