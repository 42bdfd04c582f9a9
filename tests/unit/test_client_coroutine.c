/* test_client_coroutine.c - pcall, xpcall and coroutines mean the same whether or not something inside them waits. */
#include "client_rig.h"

typedef struct {
    buf code;
    uint64_t seed;
    int names;
} maker;

static unsigned draw(maker *m, unsigned n)
{
    m->seed = m->seed * 6364136223846793005u + 1442695040888963407u;
    return (unsigned)(m->seed >> 33) % n;
}

static void block(maker *m, int depth, bool inside);

/* A function's body, then its result. */
static void function(maker *m, int depth, bool inside, const char *parameter)
{
    buf_printf(&m->code, "function(%s)\n", parameter);
    if (*parameter)
        buf_printf(&m->code, "log('got', %s)\n", parameter);
    block(m, depth - 1, inside);
    if (draw(m, 3) == 0)
        buf_printf(&m->code, "wait()\n");
    if (draw(m, 4) == 0)
        buf_printf(&m->code, "error(%s)\n", draw(m, 2) ? "'e' .. tick()" : "{ tick() }");
    else if (draw(m, 6) == 0)
        buf_printf(&m->code, "local z = nil + 1\n");
    else
        buf_printf(&m->code, "return tick(), 'r'\n");
    buf_addz(&m->code, "end");
}

static void block(maker *m, int depth, bool inside)
{
    for (unsigned n = draw(m, 3) + (depth > 2); n > 0; n--) {
        int name = ++m->names;
        switch (depth > 0 ? draw(m, 9) : draw(m, 3)) {
        case 0:
            buf_addz(&m->code, "log(tick())\n");
            break;
        case 1:
            buf_addz(&m->code, "wait()\n");
            break;
        case 2:
            if (inside)
                buf_addz(&m->code, "log('back', coroutine.yield(tick(), 'y'))\n");
            break;
        case 3:
        case 4:
            buf_addz(&m->code, "log('p', pcall(");
            function(m, depth, inside, "");
            buf_addz(&m->code, "))\n");
            break;
        case 5:
            buf_addz(&m->code, "log('x', xpcall(");
            function(m, depth, inside, "");
            buf_addz(&m->code, ", ");
            if (draw(m, 3) == 0) {
                buf_addz(&m->code, "function(e) local c = coroutine.wrap(function() pcall(function() "
                         "coroutine.yield(1) end) end) c() c() return show(e) end");
            } else {
                buf_addz(&m->code, "function(e) return 'h' .. show(e) end");
            }
            buf_addz(&m->code, "))\n");
            break;
        case 6:
            buf_printf(&m->code, "local c%d = coroutine.create(", name);
            function(m, depth, true, "a");
            buf_printf(&m->code, ")\nfor i = 1, %u do log(coroutine.status(c%d), coroutine.resume(c%d, i)) end "
                       "log(coroutine.status(c%d))\n",
                       1 + draw(m, 4), name, name, name);
            break;
        case 7:
            buf_printf(&m->code, "local w%d = coroutine.wrap(", name);
            function(m, depth, true, "a");
            buf_printf(&m->code, ")\nfor i = 1, %u do log('w', pcall(w%d, i)) %s end\n", 1 + draw(m, 3), name,
                       draw(m, 2) ? "wait()" : "");
            break;
        default:
            buf_printf(&m->code, "log('running', coroutine.running() ~= nil, pcall(error, 'q' .. tick(), 0))\n");
        }
    }
}

/* What the program logs; `waits`: whether wait() really waits. */
static const char *run(rig *r, const char *body, bool waits, int *steps)
{
    static char text[262144];
    snprintf(text, sizeof text,
             "local n = 0\nlocal function tick() n = n + 1 return n end\n"
             "local function show(v) if type(v) == 'table' then return '{' .. tostring(v[1]) .. '}' end return "
             "tostring(v) end\n"
             "return { clients = { 'A' }, program = function(me)\n"
             "local function log(a, b, c, d) me:log(show(a) .. ' ' .. show(b) .. ' ' .. show(c) .. ' ' .. show(d)) "
             "end\n"
             "local function wait() %s end\n"
             "%s\nend }\n", waits ? "me:step()" : "", body);
    if (!rig_load(r, NULL, text)) {
        print_error("%s\n%s", text, rig_error(r));
        fail();
    }
    r->p = process_new(&r->scenario, &r->loader, 0, 0, r->now_ms, &r->e);
    bool ok = true;
    while (ok && rig_task(r, 0)) {
        ok = rig_run(r, 0);
        ++*steps;
    }
    if (!ok) {
        buf_addz(&r->text, r->e.message.p);
        buf_printf(&r->text, " at %d:%d", r->e.line, r->e.col);
    }
    return rig_text(r);
}

static void waiting_changes_nothing_but_the_moment(void **state)
{
    (void)state;
    int steps = 0, programs = 1500;
    for (int i = 0; i < programs; i++) {
        maker m = { .seed = (uint64_t)i * 7919 + 1 };
        block(&m, 5, false);
        buf_addz(&m.code, " ");
        rig with, without;
        int ignored = 0;
        const char *a = run(&with, m.code.p, true, &steps), *b = run(&without, m.code.p, false, &ignored);
        assert_int_equal(ignored, 1);
        if (strcmp(a, b) != 0)
            fail_msg("%s\n--- waiting\n%s\n--- not waiting\n%s", m.code.p, a, b);
        rig_free(&with);
        rig_free(&without);
        buf_free(&m.code);
    }
    assert_true(steps > 3 * programs);             /* they did wait */
}

static void a_coroutine_knows_its_state_across_waits(void **state)
{
    (void)state;
    rig r;
    rig_program(&r, NULL,
                "local outer, inner\n"
                "outer = coroutine.create(function()\n"
                "  inner = coroutine.create(function()\n"
                "    pcall(function() me:step() me:log(coroutine.status(outer) .. ' ' .. coroutine.status(inner)) "
                "coroutine.yield() end)\n"
                "    error('end')\n"
                "  end)\n"
                "  coroutine.resume(inner)\n"
                "  me:log(coroutine.status(outer) .. ' ' .. coroutine.status(inner) .. ' ' .. "
                "tostring(coroutine.running() == outer))\n"
                "  me:log(tostring(select(2, coroutine.resume(outer))))\n"
                "end)\n"
                "coroutine.resume(outer)\n"
                "coroutine.resume(inner)\n"
                "me:log(coroutine.status(outer) .. ' ' .. coroutine.status(inner) .. ' ' .. "
                "tostring(coroutine.running()))\n"
                "me:log(tostring(select(2, coroutine.resume(inner))))\n");
    assert_true(rig_run(&r, 0));
    assert_string_equal(rig_text(&r), "0 log normal running\n0 log running suspended true\n0 log cannot resume "
                        "non-suspended coroutine\n"
                                      "0 log dead dead nil\n0 log cannot resume dead coroutine\n0 ended\n");
    rig_free(&r);
}

/* Property: an error through a wrap ends all that it passed, also where they waited meanwhile. */
static void an_error_ends_every_coroutine_it_passes(void **state)
{
    (void)state;
    rig r;
    rig_program(&r, NULL,
                "local mid\n"
                "local top = coroutine.create(function()\n"
                "  mid = coroutine.create(function() coroutine.wrap(function() me:step() error('low', 0) end)() "
                "me:log('never') end)\n"
                "  local ok, e = coroutine.resume(mid)\n"
                "  me:log(tostring(ok) .. ' ' .. e .. ' ' .. coroutine.status(mid))\n"
                "  coroutine.wrap(function() me:step() error('lower', 0) end)()\n"
                "end)\n"
                "local ok, e = coroutine.resume(top)\n"
                "me:log(tostring(ok) .. ' ' .. e .. ' ' .. coroutine.status(top))\n");
    assert_true(rig_run(&r, 0) && rig_run(&r, 0));
    assert_string_equal(rig_text(&r), "0 log false low dead\n0 log false lower dead\n0 ended\n");
    rig_free(&r);
}

static void values_pass_in_both_directions(void **state)
{
    (void)state;
    rig r;
    rig_program(&r, NULL,
                "local co = coroutine.wrap(function(a, b)\n"
                "  local ok, c, d = pcall(function() me:step() return coroutine.yield(a + 1, b + 1, nil, 'x') end)\n"
                "  return c, d, 'end'\n"
                "end)\n"
                "local a, b, c, d = co(1, 2) me:log(a .. b .. tostring(c) .. d)\n"
                "local a, b, c = co('back', nil) me:log(a .. tostring(b) .. c)\n"
                "me:log(tostring(select(2, pcall(me.call, me, 'GET', 'k'))))\n"
                "me:log(select('#', pcall(unpack, { 1, 2, 3 })) .. tostring(select(2, pcall(string.rep))))\n");
    assert_true(rig_run(&r, 0) && rig_answer(&r, 1, reply_bulk(S("v"))));
    assert_string_equal(rig_text(&r), "0 log 23nilx\n0 log backnilend\n0 request 1 get@0: GET k\n0 log v\n"
                                      "0 log 4bad argument #1 to 'f' (string expected, got no value)\n0 ended\n");
    rig_free(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(waiting_changes_nothing_but_the_moment),
        cmocka_unit_test(a_coroutine_knows_its_state_across_waits),
        cmocka_unit_test(an_error_ends_every_coroutine_it_passes),
        cmocka_unit_test(values_pass_in_both_directions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
