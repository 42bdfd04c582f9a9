/* test_client_freeze.c - canonical process states: what must be merged is, what must not be is not.
 * How: a program runs in a process whose every request is answered with nil; the states after each answer are frozen and compared. */
#include "fixture.h"

#include "client/process.h"

enum { STATES_MAX = 12 };

typedef struct {
    arena *a;
    process *p;
    buf states[STATES_MAX];
    size_t count;
} life;

/* Lives `steps` inputs of the program and keeps the state after each; `tick_ms` pass at each. */
static void live(life *l, const char *body, size_t steps, int64_t tick_ms)
{
    char *lua = NULL;
    arena *a = l->a = arena_new();
    str text = arena_printf(a, "return { title = 't', clients = { 'A' }, program = function(me) %s end }", body);
    lua = (char *)text.p;
    scenario *sc = fixture_scenario(a, lua);
    err e = { 0 };
    int64_t now_ms = INT64_C(1700000000000);
    l->p = process_new(sc, &fixture_loader, 0, 0, now_ms, &e);
    assert_non_null(l->p);
    l->count = 0;
    for (size_t i = 0; i < steps; i++) {
        outputs out = { .memory = a };
        const task_view *t;
        size_t n = process_tasks(l->p, &t);
        if (n == 0)
            break;
        reply nil = reply_nil();
        const task_view *first = &t[0];
        for (size_t k = 0; k < n; k++)             /* whoever can move, the oldest first */
            if (t[k].status == TASK_READY || t[k].status == TASK_REQUEST || t[k].status == TASK_SLEEP) {
                first = &t[k];
                break;
            }
        bool ok = first->status == TASK_REQUEST ? process_answer(l->p, first->request, &nil, now_ms, &out, &e)
                  : first->status == TASK_SLEEP ? process_run(l->p, first->id, now_ms = first->wake_ms, &out, &e)
                                                : process_run(l->p, first->id, now_ms, &out, &e);
        if (!ok) {
            buf b = { 0 };
            err_print(&e, &b);
            fail_msg("%s", b.p);
        }
        now_ms += tick_ms;
        l->states[l->count] = (buf){ 0 };
        if (!process_freeze(l->p, now_ms, &l->states[l->count++], &e)) {
            buf b = { 0 };
            err_print(&e, &b);
            fail_msg("%s", b.p);
        }
    }
}

static void end(life *l)
{
    for (size_t i = 0; i < l->count; i++)
        buf_free(&l->states[i]);
    process_free(l->p);
    arena_free(l->a);
}

static bool same(const life *l, size_t i, size_t j)
{
    assert_true(i < l->count && j < l->count);
    return str_eq(buf_str(&l->states[i]), buf_str(&l->states[j]));
}

/* Programs whose states 1 and 2 (after the first and the second answer) must be equal: loops that come back. */
static void what_comes_back_is_the_same_state(void **state)
{
    (void)state;
    static const char *const body[] = {
        "while true do me:call('GET', 'k') end",
        "local t = {} while true do me:call('GET', 'k') t.x = 1 t.x = nil end",
        "local function poll() return me:call('GET', 'k') end while true do poll() end",
        "while true do local s = me:semaphore(1) me:call('GET', 'k') s:release(1) end",
        "while true do pcall(function() me:call('GET', 'k') end) end",
        "while true do local co = coroutine.wrap(function() me:call('GET', 'k') end) co() end",
        "local t = { 1 } t[1] = t while true do me:call('GET', 'k') end",
        "while true do local f = function() return me end me:call('GET', 'k') end",
        "while true do for i = 1, 3 do end me:call('GET', 'k') end",
        "repeat local x = me:call('GET', 'k') until x == 5",
        /* equal content in another order of insertion */
        ("local n = 0 local t while true do if n == 0 then t = { a = 1 } t.b = 2 n = 1 elseif n == 1 then t = { b = 2 } t.a = 1 n = 1 end "
         "me:call('GET', 'k') end"),
        "while true do local t = me:spawn('w', function(m) m:step() end) me:call('GET', 'k') t:cancel() end",
    };
    for (size_t i = 0; i < COUNT(body); i++) {
        life l;
        live(&l, body[i], 5, 0);
        if (!same(&l, 1, 2) || !same(&l, 2, 3))
            fail_msg("not merged: %s", body[i]);
        end(&l);
    }
}

/* Programs whose states 0, 1 and 2 must all differ: somewhere a program can tell them apart. */
static void what_a_program_can_tell_apart_is_kept_apart(void **state)
{
    (void)state;
    static const char *const body[] = {
        "me:call('GET', 'k') me:call('GET', 'k') me:call('GET', 'k') me:call('GET', 'k')",
        "for i = 1, 9 do me:call('GET', 'k') end",
        "local n = 0 while true do n = n + 1 me:call('GET', 'k') end",
        "local function f() me:call('GET', 'k') end f() f() f() f() f()",
        "local function f() me:call('GET', 'k') end local t = { f(), f(), f(), f(), f() }",
        "local t = {} while true do t[#t + 1] = true me:call('GET', 'k') end",
        "local s = me:semaphore(0) while true do s:release(1) me:call('GET', 'k') end",
        "local p = me.process while true do p.n = (p.n or 0) + 1 me:call('GET', 'k') end",
        "local n = 0 local function up() n = n + 1 end while true do up() me:call('GET', 'k') end",
        "local function nest(d) if d == 0 then return end me:call('GET', 'k') nest(d - 1) me:call('GET', 'k') end nest(6)",
        "for _, k in ipairs { 'a', 'b', 'c', 'd', 'e' } do me:call('GET', k) end",
        "local t = setmetatable({}, {}) while true do getmetatable(t).n = (getmetatable(t).n or 0) + 1 me:call('GET', 'k') end",
        "local co = coroutine.wrap(function() for i = 1, 9 do coroutine.yield(i) end end) while true do co() me:call('GET', 'k') end",
        "while true do me:unique('request') me:call('GET', 'k') end",
        "while true do me:spawn('w', function(m) me:semaphore(0):acquire() end) me:call('GET', 'k') end",
        "while true do me:send('GET', { 'k' }, {}) me:call('GET', 'k') end",
        "local x = 'a' while true do x = x .. 'a' me:call('GET', 'k') end",
        "if me:call('GET', 'k') then me:call('GET', 'k') else me:call('GET', 'k') end me:call('GET', 'k') me:call('GET', 'k')",
    };
    for (size_t i = 0; i < COUNT(body); i++) {
        life l;
        live(&l, body[i], 3, 0);
        if (same(&l, 0, 1) || same(&l, 1, 2) || same(&l, 0, 2))
            fail_msg("merged: %s", body[i]);
        end(&l);
    }
}

/* Two programs, alike but for one thing, at equal places: their states after the first answer. Shared or merely equal matters. */
static void sharing_is_part_of_the_state(void **state)
{
    (void)state;
    static const struct { const char *x, *y; bool same; } row[] = {
        /* one loop flips what is shared: the two states of the same program differ in sharing alone */
        { "local a, b = {}, {} local t = { a, b } me:call('GET', 'k') t[2] = t[1] b = a me:call('GET', 'k') local _ = t", NULL, false },
    };
    for (size_t i = 0; i < COUNT(row); i++) {
        life l;
        live(&l, row[i].x, 2, 0);
        assert_false(same(&l, 0, 1));
        end(&l);
    }
    /* Upvalues: `set` and `get` share n in the first round, have one each in the second; all values are equal. */
    static const char *const upvalues =
        "local function make(shared) local n = 0 local set = function(v) n = v end local get if shared then get = function() return n end "
        "else get = (function() local n = 0 return function() return n end end)() end return { set, get } end "
        "local s = true while true do local pair = make(s) me:call('GET', 'k') s = not s local _ = pair end";
    life l;
    live(&l, upvalues, 5, 0);
    assert_false(same(&l, 1, 2));
    assert_true(same(&l, 1, 3));
    assert_true(same(&l, 2, 4));
    end(&l);
    /* The same function, twice or once: closures made in a loop share nothing but their place. */
    static const char *const closures =
        "local s = true while true do local fs = {} local one = nil for i = 1, 2 do local n = 0 local f = function() n = n + 1 return n end "
        "if s then one = one or f fs[i] = one else fs[i] = f end end one = nil me:call('GET', 'k') s = not s local _ = fs end";
    live(&l, closures, 5, 0);
    assert_false(same(&l, 1, 2));
    assert_true(same(&l, 1, 3));
    end(&l);
    /* An upvalue that is still a local of a waiting frame, or a copy of it. */
    static const char *const open =
        "local s = true while true do local n = 0 local f if s then f = function() n = n + 1 end else local n = 0 f = function() n = n + 1 end end "
        "me:call('GET', 'k') f() s = not s end";
    live(&l, open, 5, 0);
    assert_false(same(&l, 1, 2));
    assert_true(same(&l, 1, 3));
    end(&l);
}

/* Property: an instant kept in a variable moves with now; a number that is no instant does not. */
static void instants_are_relative(void **state)
{
    (void)state;
    static const struct { const char *body; bool same; } row[] = {
        { "while true do local until_ms = me:now() + 500 me:call('GET', 'k') end", true },
        { "local began_ms = me:now() while true do me:call('GET', 'k', began_ms) end", false },
        { "local began_ms = me:now() while true do me:call('GET', 'k') end", true },       /* nobody reads it again */
        { "while true do local text = string.format('%d', me:now()) me:call('GET', 'k') end", true },
        { "while true do local n = 12345 me:call('GET', 'k') end", true },
        { "while true do me:sleep(100) end", true },
    };
    for (size_t i = 0; i < COUNT(row); i++) {
        life l;
        live(&l, row[i].body, 5, 7);
        if (same(&l, 2, 3) != row[i].same)
            fail_msg("%s: %s", row[i].same ? "not merged" : "merged", row[i].body);
        end(&l);
    }
}

/* Property: freezing changes nothing: a frozen process goes on as one that never was. */
static void freezing_disturbs_nothing(void **state)
{
    (void)state;
    static const char body[] =
        "local n = 0 local function up() n = n + 1 return n end local co = coroutine.wrap(function() while true do coroutine.yield(up()) end end) "
        "for i = 1, 5 do co() me:call('SET', 'k', n) end me:call('SET', 'end', n)";
    life l;
    live(&l, body, 6, 0);
    const task_view *t;
    assert_int_equal(process_tasks(l.p, &t), 1);
    assert_true(str_eq(t[0].next, S("set")));
    outputs out = { .memory = l.a };
    err e = { 0 };
    reply nil = reply_nil();
    assert_true(process_answer(l.p, t[0].request, &nil, INT64_C(1700000000000), &out, &e));
    assert_int_equal(process_tasks(l.p, &t), 0);
    end(&l);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_comes_back_is_the_same_state),
        cmocka_unit_test(what_a_program_can_tell_apart_is_kept_apart),
        cmocka_unit_test(sharing_is_part_of_the_state),
        cmocka_unit_test(instants_are_relative),
        cmocka_unit_test(freezing_disturbs_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
