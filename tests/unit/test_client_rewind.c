/* test_client_rewind.c - what is made new again is as new: the heap block by block, a process as its next steps and its
 * frozen state tell. */
#include "client_rig.h"

#include "base/rng.h"
#include "client/heap.h"
#include "client/live.h"

enum { BLOCKS = 400 };

typedef struct {
    unsigned char *p;
    size_t bytes;
} block;

static void write_pattern(block *b, size_t i)
{
    for (size_t k = 0; k < b->bytes; k++)
        b->p[k] = (unsigned char)(i * 31 + k);
}

static void resize(heap *h, block *b, size_t bytes)
{
    if (bytes == 0) {
        heap_give(h, b->p, b->bytes);
        b->p = NULL;
    } else {
        b->p = b->p ? heap_resize(h, b->p, b->bytes, bytes) : heap_take(h, bytes);
    }
    b->bytes = bytes;
}

/* Small and large ones, now and then none. */
static size_t any_size(rng *r)
{
    return rng_below(r, 4) ? rng_below(r, 700) : rng_below(r, 4) ? 0 : 40000;
}

/* Property: after heap_rewind every block of the image is where it was and holds what it held, whatever was freed,
 * grown, made and overwritten since, and the count of bytes is the old one. So it is with an image that takes the place
 * of an earlier one.
 * How: random blocks; the same heap is spoilt and rewound many times; now and then it changes for good. */
static void a_heap_comes_back(void **state)
{
    (void)state;
    heap *h = heap_new();
    rng r = rng_new(3, 0);
    block first[BLOCKS] = { 0 };
    for (size_t i = 0; i < BLOCKS; i++) {
        resize(h, &first[i], any_size(&r));
        write_pattern(&first[i], i);
    }
    for (size_t i = 0; i < BLOCKS; i += 3)         /* so that there are spare ones, too */
        resize(h, &first[i], 0);
    size_t bytes = heap_bytes(h);
    heap_keep(h);
    assert_true(heap_held(h) >= 2 * bytes);
    for (int round = 0; round < 20; round++) {
        for (size_t i = 0; round % 7 == 6 && i < BLOCKS; i++) {
            if (i % 2 == 0)
                resize(h, &first[i], any_size(&r));
            write_pattern(&first[i], i);
        }
        if (round % 7 == 6) {
            heap_keep(h);
            bytes = heap_bytes(h);
        }
        block now[BLOCKS];
        memcpy(now, first, sizeof now);
        for (int i = 0; i < 2000; i++) {
            block *b = &now[rng_below(&r, BLOCKS)];
            resize(h, b, any_size(&r));
            memset(b->p ? b->p : (unsigned char *)now, 0xee, b->p ? b->bytes : 0);
        }
        heap_rewind(h);
        assert_int_equal(heap_bytes(h), bytes);
        for (size_t i = 0; i < BLOCKS; i++)
            for (size_t k = 0; k < first[i].bytes; k++)
                assert_int_equal(first[i].p[k], (unsigned char)(i * 31 + k));
    }
    heap_free(h);
}

/* Required while the program runs: loaded anew by a new process, and in advance by one that was rewound. */
static const rig_file modules[] = {
    { "later.lua", "local n = 0\n"
                   "local M = {}\n"
                   "function M.count() n = n + 1 return 'count ' .. n end\n"
                   "return M\n" },
    { "broken.lua", "local n = {}\nreturn n.none.none\n" },
    { NULL, NULL },
};

static const char program[] =
    "local shared = { n = 0 }\n"
    "return { title = 't', clients = { 'A' }, program = function(me)\n"
    "  local later = require 'later'\n"
    "  local said = ''\n"
    "  for _ = 1, 2 do\n"
    "    local ok, problem = pcall(require, 'broken')\n"
    "    said = said .. problem .. later.count()\n"
    "  end\n"
    "  local far = {} for i = 1, 3000 do far[i] = 'text ' .. i end\n"
    "  me:spawn('other', function(o) o:sleep(5) shared.n = shared.n + 1 o:call('PING') end)\n"
    "  local mail = me:semaphore(0)\n"
    "  shared.n = shared.n + #far\n"
    "  me:call('SET', 'k', shared.n, said)\n"
    "  mail:acquire(10)\n"
    "  me:call('GET', 'k')\n"
    "end }\n";

/* Runs its tasks as far as they come by themselves; the frozen state after each step goes to `told`. */
static void go_on(process *p, int64_t now_ms, buf *told)
{
    arena *a = arena_new();
    err e = { 0 };
    for (int i = 0; i < 20; i++) {
        const task_view *t;
        size_t n = process_tasks(p, &t), at = 0;
        while (at < n && t[at].status != TASK_READY && t[at].status != TASK_WORK)
            at++;
        if (at == n)
            break;
        outputs out = { .memory = a };
        assert_true(process_run(p, t[at].id, now_ms, &out, &e));
        for (size_t k = 0; k < out.count; k++)
            if (out.items[k].kind == OUTPUT_REQUEST)
                for (size_t w = 0; w < out.items[k].request->argc; w++)
                    buf_printf(told, "%.*s ", STR_ARG(out.items[k].request->argv[w]));
        assert_true(process_freeze(p, now_ms, told, &e));
    }
    arena_free(a);
}

/* Property: a process that was rewound does what a new one does, state by state, at another time and as another
 * incarnation, too. */
static void a_process_comes_back(void **state)
{
    (void)state;
    enum { NOW_MS = 1000000 };
    rig r;
    err e = { 0 };
    assert_true(rig_load(&r, modules, program));
    process *again = process_new_kept(&r.scenario, &r.loader, 0, 0, NOW_MS, &e);
    assert_non_null(again);
    for (uint32_t i = 0; i < 4; i++) {
        int64_t now_ms = NOW_MS + 777 * i;
        buf told[2] = { { 0 }, { 0 } };
        process *fresh = process_new(&r.scenario, &r.loader, 0, i, now_ms, &e);
        go_on(fresh, now_ms, &told[0]);
        if (i > 0)
            process_rewind(again, i, now_ms);
        go_on(again, now_ms, &told[1]);
        buf_byte(&told[0], 0);
        buf_byte(&told[1], 0);
        assert_non_null(strstr(told[0].p, "count 2"));
        assert_true(str_eq(buf_str(&told[0]), buf_str(&told[1])));
        process_free(fresh);
        buf_free(&told[0]);
        buf_free(&told[1]);
    }
    process_free(again);
    rig_free(&r);
}

/* Property: what a trusted process does is not checked; from process_watch on it is again. */
static void a_trusted_process_is_not_checked(void **state)
{
    (void)state;
    rig r;
    err e = { 0 };
    assert_true(rig_load(&r, NULL, "return { clients = { 'A' }, start_ms = 0, program = function(me)\n"
                                   "  local digit = 0\n"
                                   "  while true do digit = digit + me:now() % 10 me:step() end\n"
                                   "end }\n"));
    process *p = process_new(&r.scenario, &r.loader, 0, 0, RIG_T0, &e);
    process_watch(p);
    process_trust(p);
    outputs out = { .memory = r.a };
    assert_true(process_run(p, 0, RIG_T0, &out, &e));
    assert_false(process_live_facts(p).time_used);
    process_watch(p);
    assert_true(process_run(p, 0, RIG_T0, &out, &e));
    assert_true(process_live_facts(p).time_used);
    process_free(p);
    rig_free(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_heap_comes_back),
        cmocka_unit_test(a_process_comes_back),
        cmocka_unit_test(a_trusted_process_is_not_checked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
