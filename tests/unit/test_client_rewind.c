/* test_client_rewind.c - what is made new again is as new: the heap block by block, a process as its next steps and its
 * frozen state tell. */
#include "client_rig.h"

#include "base/mem.h"
#include "base/rng.h"
#include "client/heap.h"
#include "client/live.h"
#include "client/process_internal.h"

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

/* Small, middle and large ones, now and then none. */
static size_t any_size(rng *r)
{
    switch (rng_below(r, 8)) {
    case 0: return 0;
    case 1: return 40000;
    case 2: return HEAP_MIDDLE_MAX - 2 + rng_below(r, 5);
    case 3: return HEAP_SMALL_MAX - 2 + rng_below(r, 5);
    case 4: return rng_below(r, 9000);
    default: return rng_below(r, 700);
    }
}

/* What a heap held when it was saved. */
typedef struct {
    heap_image *image;
    size_t bytes;
    block blocks[BLOCKS];
    unsigned char seed[BLOCKS];        /* of the pattern in each */
} moment;

static void spoil(heap *h, moment *m, rng *r)
{
    size_t changes = rng_below(r, 3) ? rng_below(r, 30) : rng_below(r, 1000);
    for (size_t i = 0; i < changes; i++) {
        size_t at = rng_below(r, BLOCKS);
        if (rng_below(r, 2))
            resize(h, &m->blocks[at], any_size(r));
        m->seed[at] = (unsigned char)(4 * at + rng_below(r, 4));           /* what was there before comes again */
        write_pattern(&m->blocks[at], m->seed[at]);
    }
}

static void check_moment(const heap *h, const moment *m)
{
    assert_int_equal(heap_bytes(h), m->bytes);
    for (size_t i = 0; i < BLOCKS; i++)
        for (size_t k = 0; k < m->blocks[i].bytes; k++)
            assert_int_equal(m->blocks[i].p[k], (unsigned char)(m->seed[i] * 31 + k));
}

/* Property: after heap_restore every block of the image is where it was and holds what it held, whatever was freed,
 * grown, made and overwritten since, and whichever other images were saved, restored and released in between.
 * How: a heap is spoilt, saved, and restored to any of its moments, again and again; blocks never overlap, or their
 * patterns would. */
static void a_heap_comes_back(void **state)
{
    (void)state;
    enum { MOMENTS = 24, ROUNDS = 600 };
    heap *h = heap_new();
    rng r = rng_new(3, 0);
    moment *m = mem_zero(MOMENTS * sizeof *m), now = { 0 };
    size_t restored = 0;
    for (int round = 0; round < ROUNDS; round++) {
        spoil(h, &now, &r);
        moment *at = &m[rng_below(&r, MOMENTS)];
        if (!at->image || rng_below(&r, 3) == 0) {
            heap_image_release(at->image);
            *at = now;
            at->bytes = heap_bytes(h);
            at->image = heap_save(h);
            assert_true(heap_image_bytes(at->image) > 0);
        } else {
            heap_restore(h, at->image);
            now = *at;
            restored++;
        }
        check_moment(h, at);
        if (rng_below(&r, 20) == 0) {
            heap_image_release(at->image);
            at->image = NULL;
        }
    }
    assert_true(restored > ROUNDS / 4);
    for (size_t i = 0; i < MOMENTS; i++)
        heap_image_release(m[i].image);
    heap_free(h);
    mem_free(m);
}

/* Property: an image that differs little from the one before is small. */
static void an_image_holds_what_differs(void **state)
{
    (void)state;
    heap *h = heap_new();
    char *blocks[1000];
    for (size_t i = 0; i < COUNT(blocks); i++) {
        blocks[i] = heap_take(h, 400);
        memset(blocks[i], (int)(i | 1), 400);     /* never zero, as new memory is */
    }
    heap_image *all = heap_save(h);
    assert_true(heap_image_bytes(all) >= COUNT(blocks) * 400);
    memset(blocks[500], 77, 400);
    heap_image *one = heap_save(h);
    assert_true(heap_image_bytes(one) < 2000);
    heap_restore(h, all);
    assert_int_equal((unsigned char)blocks[500][0], 501 % 256);
    heap_image_release(one);
    heap_image_release(all);
    heap_free(h);
}

/* Property: a large block that was free in one image, and is taken again with the contents that it had before, is whole
 * in the next image. */
static void a_block_that_was_free_comes_back(void **state)
{
    (void)state;
    enum { LARGE = 3 * HEAP_MIDDLE_MAX };
    heap *h = heap_new();
    heap_image *m[3];
    char *block = NULL;
    for (int i = 0; i < 3; i++) {
        if (i == 1) {
            heap_give(h, block, LARGE);
        } else {
            char *again = heap_take(h, LARGE);
            assert_true(!block || again == block);
            block = memset(again, 'x', LARGE);
        }
        m[i] = heap_save(h);
    }
    heap_restore(h, m[1]);
    assert_int_equal(heap_bytes(h), 0);
    heap_restore(h, m[2]);
    for (int i = 0; block && i < LARGE; i++)
        assert_int_equal(block[i], 'x');
    for (int i = 0; i < 3; i++)
        heap_image_release(m[i]);
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

/* All that a process can hold: nested tables and metatables, upvalues open, closed and shared, coroutines in the middle
 * of a yield, waits under pcall and in nested coroutines, long strings, tables that grow and shrink, objects as keys,
 * futures, semaphores, handlers, tasks that wait for tasks. */
static const char everything[] =
    "local calls = { n = 0 }\n"
    "return { title = 't', clients = { { 'A', threads = 2 } }, start_ms = 0, program = function(me)\n"
    "  local open, round = 0, 0\n"
    "  local bump = function(by) open = open + by calls.n = calls.n + 1 return open end\n"
    "  local deep = setmetatable({ a = { b = { c = {} } } }, { __index = function(t, k) return k .. open end })\n"
    "  local gen = coroutine.wrap(function(x)\n"
    "    local kept = {}\n"
    "    while true do kept[#kept + 1] = tostring(x) if #kept > 40 then kept = {} end\n"
    "      x = coroutine.yield(table.concat(kept, ',')) end\n"
    "  end)\n"
    "  local inner = coroutine.create(function() while true do\n"
    "    local ok, v = pcall(function() me:sleep(3) bump(1) local r = me:call('GET', 'k')\n"
    "      if r == 'err' then error('x') end return r end)\n"
    "    coroutine.yield(ok and v or 'failed') end end)\n"
    "  local s, mail = me:semaphore(0), {}\n"
    "  me:subscribe('ch', function(h, m) if m == 'bad' then error(m) end\n"
    "    mail[#mail + 1] = m .. bump(1) s:release(1) h:sleep(2) mail[m] = nil end)\n"
    "  me.process.shared = me.process.shared or {}\n"
    "  while true do\n"
    "    round = round + 1\n"
    "    local big = string.rep(gen(round), 1 + round % 7 * 40)\n"
    "    local f = me:send('GET', { 'k' .. #big })\n"
    "    local got\n"
    "    f:on_answer(function(t, v) got = v t:sleep(1) bump(2) end)\n"
    "    local w = me:spawn('w', function(t) t:sleep(2) t:step() t:call('SET', 'k', round) bump(3) end)\n"
    "    local c = me:choose { 1, 2, 3 }\n"
    "    local here = {} here[s] = round here[f] = bump\n"
    "    if c == 1 then w:cancel() elseif c == 2 then w:join(7) else s:acquire(5) end\n"
    "    for i = 1, round % 5 * 60 do me.process.shared[i] = { i, big } end\n"
    "    if round % 3 == 0 then me.process.shared = {} end\n"
    "    local ok, said = coroutine.resume(inner)\n"
    "    deep.a.b.c[round % 4 + 1] = { tostring(said), tostring(got), deep[round], bump }\n"
    "    if round % 6 == 0 then deep.a.b.c = {} me:unsubscribe('ch') end\n"
    "    f:wait(4)\n"
    "  end\n"
    "end }\n";

/* A process at one moment, and what it did next. */
typedef struct {
    process_image *image;
    int64_t now_ms;
    buf frozen;            /* there */
    uint64_t next;         /* how its next input was drawn; 0: it had none yet */
    buf after;             /* what that put out, and the state that it led to */
} turn;

static void freeze_into(process *p, int64_t now_ms, buf *out)
{
    err e = { 0 };
    buf_clear(out);
    assert_true(process_freeze(p, now_ms, out, &e));
}

typedef struct { uint32_t of[32]; size_t count; } requests;

static void note_request(void *context, uint32_t request)
{
    requests *all = context;
    if (all->count < COUNT(all->of))
        all->of[all->count++] = request;
}

/* One of the inputs that it can get, drawn by a number; what it put out goes to `told`. */
static bool any_input(process *p, int64_t *now_ms, uint64_t draw, buf *told)
{
    rng r = rng_new(draw, 1);
    arena *a = arena_new();
    outputs out = { .memory = a };
    err e = { 0 };
    const task_view *t;
    size_t n = process_tasks(p, &t), at = rng_below(&r, n ? n : 1);
    requests sent = { .count = 0 };
    process_each_request(p, note_request, &sent);
    reply answer = rng_below(&r, 4) ? reply_integer((int64_t)rng_below(&r, 1000)) : reply_bulk(S("err"));
    bool ok = true;
    *now_ms += (int64_t)rng_below(&r, 4);
    size_t kind = rng_below(&r, 8);
    if (kind == 0) {
        str m = rng_below(&r, 30) == 0 ? S("bad") : rng_below(&r, 2) ? S("m") : S("other");
        ok = process_message(p, 0, S("ch"), m, S(""), *now_ms, &out, &e);
    } else if (kind < 4 && sent.count > 0) {
        uint32_t id = sent.of[rng_below(&r, sent.count)];
        ok = kind == 1 ? process_give_up(p, id, S("timeout"), *now_ms, &out, &e)
             : process_answer(p, id, &answer, *now_ms, &out, &e);
        process_forget(p, id);
    } else if (n > 0 && t[at].status == TASK_CHOOSE) {
        ok = process_choose(p, t[at].id, rng_below(&r, t[at].choices), *now_ms, &out, &e);
    } else if (n > 0 && (t[at].status == TASK_READY || t[at].status == TASK_WORK || t[at].wake_ms <= *now_ms)) {
        ok = process_run(p, t[at].id, *now_ms, &out, &e);
    } else if (n > 0 && t[at].interruptible && kind == 7) {
        ok = process_interrupt(p, t[at].id, *now_ms, &out, &e);
    }
    for (size_t i = 0; i < out.count; i++) {
        buf_printf(told, "%d %u ", (int)out.items[i].kind, (unsigned)out.items[i].task);
        for (size_t w = 0; out.items[i].kind == OUTPUT_REQUEST && w < out.items[i].request->argc; w++)
            buf_add(told, out.items[i].request->argv[w]);
    }
    if (!ok)
        err_print(&e, told);
    err_clear(&e);
    arena_free(a);
    return ok;
}

/* It goes on from the turn by an input that is the same each time: so is what follows. */
static bool take_turn(process *p, turn *at, int64_t *now_ms, uint64_t draw)
{
    bool first = at->next == 0;
    at->next = first ? draw : at->next;
    buf told = { 0 }, state = { 0 };
    bool ok = any_input(p, now_ms, at->next, &told);
    if (ok)
        freeze_into(p, *now_ms, &state);
    buf_add(&told, buf_str(&state));
    if (first)
        buf_add(&at->after, buf_str(&told));
    assert_true(str_eq(buf_str(&told), buf_str(&at->after)));
    buf_free(&told);
    buf_free(&state);
    return ok;
}

static void forget_turn(turn *t)
{
    process_image_free(t->image);
    buf_free(&t->frozen);
    buf_free(&t->after);
    *t = (turn){ 0 };
}

/* Property: a process restored from an image is the one that was saved: its canonical bytes are those of that moment,
 * and the same input has the same outputs and leads to the same bytes, however often, whatever it did in between, an
 * error included.
 * How: random inputs; images saved, restored and freed at random, garbage collected at random. */
static void a_process_goes_back_to_any_moment(void **state)
{
    (void)state;
    enum { TURNS = 16, ROUNDS = 4000 };
    rig r;
    err e = { 0 };
    assert_true(rig_load(&r, NULL, everything));
    process *p = process_new_kept(&r.scenario, &r.loader, 0, 0, RIG_T0, &e);
    assert_non_null(p);
    process_watch(p);
    rng draw = rng_new(11, 0);
    turn turns[TURNS] = { 0 };
    int64_t now_ms = RIG_T0;
    size_t again = 0, failed = 0;
    buf is = { 0 };
    for (int i = 0; i < ROUNDS; i++) {
        turn *at = &turns[rng_below(&draw, TURNS)];
        if (!at->image) {
            freeze_into(p, now_ms, &at->frozen);
            at->image = process_save(p);
            at->now_ms = now_ms;
        } else if (rng_below(&draw, 2)) {
            again += at->next != 0;
            process_restore(p, at->image);
            now_ms = at->now_ms;
            if (rng_below(&draw, 2)) {             /* freezing changes the Lua state, too, and must not matter */
                freeze_into(p, now_ms, &is);
                assert_true(str_eq(buf_str(&is), buf_str(&at->frozen)));
            }
        } else {
            at = NULL;
        }
        if (rng_below(&draw, 8) == 0)
            lua_gc(p->L, LUA_GCCOLLECT, 0);
        buf told = { 0 };
        bool ok = at ? take_turn(p, at, &now_ms, 1 + rng_below(&draw, 1000000))
                  : any_input(p, &now_ms, 1 + rng_below(&draw, 1000000), &told);
        buf_free(&told);
        if (at && rng_below(&draw, 25) == 0)
            forget_turn(at);
        if (!ok) {                                 /* it is over: only an image helps */
            failed++;
            process_rewind(p, 0, now_ms = RIG_T0);
            process_watch(p);
        }
    }
    assert_true(again > 500);
    assert_true(failed > 0);
    for (size_t i = 0; i < TURNS; i++)
        forget_turn(&turns[i]);
    buf_free(&is);
    process_free(p);
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
        cmocka_unit_test(an_image_holds_what_differs),
        cmocka_unit_test(a_block_that_was_free_comes_back),
        cmocka_unit_test(a_process_comes_back),
        cmocka_unit_test(a_process_goes_back_to_any_moment),
        cmocka_unit_test(a_trusted_process_is_not_checked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
