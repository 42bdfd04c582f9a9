/* test_client_freeze.c - canonical process states: what must be merged is, what must not be is not.
 *
 * How: a program asks HISTORY first and is told 1 or 2; what it does until it asks MARK is its history. There its state
 * is frozen, and then both go on with the same inputs. Equal bytes must mean that both then do the same; where the
 * bytes have to differ, what they do differs too, so that a wrong merge would be one that a program can see. */
#include "fixture.h"

#include "client/load.h"
#include "client/process.h"

#define NOW_MS INT64_C(1700000000000)

enum { STEPS_MAX = 60, REQUESTS_MAX = 16 };

typedef struct {
    arena *a;
    process *p;
    int64_t now_ms, history;
    bool marked;
    buf state;             /* at MARK */
    uint32_t requests[REQUESTS_MAX];               /* that the state refers to, by rank */
    size_t request_count;
    buf story;             /* what it did since */
} life;

static void count_request(void *context, uint32_t request)
{
    life *l = context;
    assert_true(l->request_count < REQUESTS_MAX);
    l->requests[l->request_count++] = request;
}

static void fail_with(err *e, const char *what)
{
    buf b = { 0 };
    err_print(e, &b);
    fail_msg("%s: %s", what, b.p);
}

static void mark(life *l, const char *body)
{
    err e = { 0 };
    l->marked = true;
    if (!process_freeze(l->p, l->now_ms, &l->state, &e))
        fail_with(&e, body);
    process_each_request(l->p, count_request, l);
}

/* The request as the state at MARK names it. */
static int rank_of(const life *l, uint32_t request)
{
    for (size_t i = 0; i < l->request_count; i++)
        if (l->requests[i] == request)
            return (int)i;
    return -1;
}

static const request *sent(const outputs *out, const char *word)
{
    for (size_t i = 0; i < out->count; i++) {
        const request *r = out->items[i].request;
        if (out->items[i].kind == OUTPUT_REQUEST && r && str_eq(r->argv[0], str_from(word)))
            return r;
    }
    return NULL;
}

static void tell(life *l, const outputs *out)
{
    for (size_t i = 0; i < out->count && l->marked; i++) {
        const output *o = &out->items[i];
        if (o->kind == OUTPUT_REQUEST)
            for (size_t k = 0; k < o->request->argc; k++)
                buf_printf(&l->story, "%.*s ", STR_ARG(o->request->argv[k]));
        else if (o->kind == OUTPUT_ANNOUNCE)
            buf_printf(&l->story, "says %d %.*s of %d ", (int)o->announcement.kind, STR_ARG(o->announcement.who),
                       rank_of(l, o->announcement.request));
        else if (o->kind == OUTPUT_LOG)
            buf_printf(&l->story, "log %.*s ", STR_ARG(o->text));
        else
            buf_addz(&l->story, "ends ");
    }
}

/* What moves next: the oldest that is ready, then the oldest request, then the earliest timer. NULL: nobody. */
static const task_view *next_task(process *p)
{
    const task_view *t, *best = NULL;
    size_t n = process_tasks(p, &t);
    for (size_t i = 0; i < n; i++)
        if (t[i].status == TASK_READY || t[i].status == TASK_WORK || t[i].status == TASK_CHOOSE)
            return &t[i];
    for (size_t i = 0; i < n; i++)
        if (t[i].status == TASK_REQUEST)
            return &t[i];
    for (size_t i = 0; i < n; i++)
        if ((t[i].status == TASK_SLEEP || t[i].status == TASK_WAIT) && t[i].wake_ms != INT64_MAX &&
            (!best || t[i].wake_ms < best->wake_ms))
            best = &t[i];
    return best;
}

typedef struct {
    uint32_t id;
    str word, payload;
} asked;

/* ANSWERS: the unanswered futures get theirs first, by history in the order they were sent or in the other. ANSWERED:
 * they get the history's number. MESSAGE: one arrives. */
static bool obey(life *l, const asked *r, const uint32_t *futures, size_t future_count, outputs *out, err *e)
{
    bool ok = true;
    reply ten = reply_integer(10);
    for (size_t i = 0; i < future_count && ok && str_eq(r->word, S("ANSWERS")); i++)
        ok = process_answer(l->p, futures[l->history == 1 ? i : future_count - 1 - i], &ten, l->now_ms, out, e);
    reply number = reply_integer(l->history);
    for (size_t i = 0; i < future_count && ok && str_eq(r->word, S("ANSWERED")); i++)
        ok = process_answer(l->p, futures[i], &number, l->now_ms, out, e);
    if (ok && str_eq(r->word, S("MESSAGE")))
        ok = process_message(l->p, 0, r->payload, S("hello"), S(""), l->now_ms, out, e);
    reply answer = str_eq(r->word, S("HISTORY")) ? reply_integer(l->history) : reply_nil();
    return ok && process_answer(l->p, r->id, &answer, l->now_ms, out, e);
}

static const fixture_file files[] = { { "a.lua", "return 1" }, { "b.lua", "return 1" }, { NULL, NULL } };

/* One life of the program; `after` steps beyond MARK. */
static void live(life *l, const char *body, int64_t history, size_t after)
{
    arena *a = arena_new();
    *l = (life){ .a = a, .now_ms = NOW_MS, .history = history };
    fixture_files = files;
    const char *lua = arena_printf(a,
                                   "return { title = 't', servers = 2, clients = { { 'A', threads = 2 } }, program = "
                                   "function(me) "
                                      "if me.thread == 2 then me.process.second = me return end local h = "
                                      "me:call('HISTORY') %s end }", body).p;
    err e = { 0 };
    l->p = process_new(fixture_scenario(a, lua), &fixture_loader, 0, 0, l->now_ms, &e);
    assert_non_null(l->p);
    asked open[REQUESTS_MAX] = { 0 };
    uint32_t futures[REQUESTS_MAX];
    size_t open_count = 0, future_count = 0, left = after;
    for (size_t step = 0; step < STEPS_MAX && left > 0; step++) {
        const task_view *t = next_task(l->p);
        if (!t)
            break;
        left -= l->marked;
        outputs out = { .memory = a };
        bool ok;
        if (t->status == TASK_REQUEST) {
            const asked *r = open;
            while (r->id != t->request)
                r++;
            ok = obey(l, r, futures, future_count, &out, &e);
            if (str_eq(r->word, S("ANSWERS")) || str_eq(r->word, S("ANSWERED")))
                future_count = 0;
        } else {
            if (t->status == TASK_SLEEP || t->status == TASK_WAIT)
                l->now_ms = t->wake_ms;
            ok = t->status == TASK_CHOOSE ? process_choose(l->p, t->id, 0, l->now_ms, &out, &e)
                                          : process_run(l->p, t->id, l->now_ms, &out, &e);
        }
        tell(l, &out);
        if (!ok) {
            if (!l->marked)
                fail_with(&e, body);
            buf_printf(&l->story, "error %.*s", STR_ARG(buf_str(&e.message)));
            err_clear(&e);
            return;
        }
        for (size_t i = 0; i < out.count; i++) {
            const request *r = out.items[i].kind == OUTPUT_REQUEST ? out.items[i].request : NULL;
            if (!r)
                continue;
            assert_true(open_count < REQUESTS_MAX || l->marked);
            if (r->waited)
                open[open_count++ % REQUESTS_MAX] = (asked){ r->id, arena_str(a, r->argv[0]),
                                                             arena_str(a, r->argc > 1 ? r->argv[1] : S("")) };
            else
                futures[future_count++ % REQUESTS_MAX] = r->id;
        }
        if (!l->marked && sent(&out, "MARK"))
            mark(l, body);
    }
    if (!l->marked)
        fail_msg("never came to MARK: %s", body);
    const observed *o;
    for (size_t i = 0, n = process_observed(l->p, &o); i < n; i++)
        buf_printf(&l->story, "spec %d ", (int)o[i].spec);
}

static void end(life *l)
{
    buf_free(&l->state);
    buf_free(&l->story);
    process_free(l->p);
    arena_free(l->a);
}

static void compare(const char *body, bool same)
{
    life one, two;
    live(&one, body, 1, 12);
    live(&two, body, 2, 12);
    bool bytes = str_eq(buf_str(&one.state), buf_str(&two.state)),
                 story = str_eq(buf_str(&one.story), buf_str(&two.story));
    if (story != same)
        fail_msg("the test itself is wrong, its futures are %s:\n  %s\n  %s\n  %s", story ? "equal" : "different", body,
                 one.story.p, two.story.p);
    if (bytes != same)
        fail_msg("%s: %s", bytes ? "wrongly merged" : "not merged", body);
    end(&one);
    end(&two);
}

static void compare_all(const char *const *different, size_t different_count, const char *const *same,
                        size_t same_count)
{
    for (size_t i = 0; i < different_count; i++)
        compare(different[i], false);
    for (size_t i = 0; i < same_count; i++)
        compare(same[i], true);
}

#define COMPARE() compare_all(different, COUNT(different), same, COUNT(same))

static void where_it_stands(void **state)
{
    (void)state;
    static const char *const different[] = {
        "if h == 1 then me:call('MARK') end me:call('MARK') me:call('END')",
        "local function f() me:call('MARK') end if h == 1 then f() end f() me:call('END')",
        "local function f() me:call('MARK') end local t = { h == 1 and f(), f(), f() } me:call('END')",
        "if h == 1 then me:call('MARK') me:call('X') else me:call('MARK') me:call('Y') end",
        ("local skip = h == 2 local function f() if skip then skip = false return 1 end me:call('MARK') return 2 end "
        "me:call('R', f() .. f())"),
        ("local skip = h == 2 local function f(x) if skip then skip = false return x end me:call('MARK') return x + 1 "
        "end me:call('R', f(f(1)))"),
        ("local function nest(d) if d == 0 then me:call('MARK') return 0 end return 1 + nest(d - 1) end me:call('R', "
        "nest(h))"),
        ("local f = h == 1 and function() me:call('MARK') return 'a' end or function() me:call('MARK') return 'b' end "
        "me:call('R', f())"),
        ("local function f() me:call('MARK') return 1 end local function g() me:call('MARK') return 1 end me:call(h == "
        "1 and 'A' or 'B', (h == 1 and f or g)())"),
    };
    static const char *const same[] = {
        "if h == 1 then me:step() end me:call('MARK') me:call('END')",
        "if h == 1 then me:step() else me:sleep(0) end me:call('MARK') me:call('END')",
        "local function f() me:call('MARK') end if h == 1 then me:step() end f() me:call('END')",
        /* tail calls leave nothing, not even their number */
        "local function loop(n) if n > 0 then return loop(n - 1) end me:call('MARK') me:call('END') end loop(h)",
        ("local function loop(n) if n > 0 then return loop(n - 1) end me:call('MARK') error('e', 2) end "
         "local function outer(n) loop(n) end local ok, text = pcall(outer, h) me:call('R', text)"),
        ("local function loop(n) if n > 0 then return loop(n - 1) end me:call('MARK') error('e', 3) end "
         "local function outer(n) loop(n) end local function all(n) outer(n) end local ok, text = pcall(all, h) "
         "me:call('R', text)"),
        "local f = function() me:call('MARK') end for i = 1, h do f = f end f() me:call('END')",
    };
    COMPARE();
}

static void what_loops_keep(void **state)
{
    (void)state;
    static const char *const different[] = {
        "for i = h, 3 do me:call('MARK') me:call('X') end",
        "for i = 1, h + 1 do me:call('MARK') me:call('X') end",
        "for i = 1, 3, h do me:call('MARK') me:call('X') end",
        ("local skip = h == 2 for k in pairs { a = 1, b = 2, c = 3 } do if skip then skip = false else me:call('MARK') "
        "me:call('K') end end"),
        ("local skip = h == 2 for k in pairs { 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13 } do if skip then skip = "
        "false elseif k > 11 or k < 3 then me:call('MARK') me:call('K') end end"),
        ("local skip = h == 2 for k in ipairs { 1, 2, 3 } do if skip then skip = false else me:call('MARK') "
        "me:call('K') end end"),
        ("local skip = h == 2 for w in string.gmatch('a b c', '%a') do if skip then skip = false else me:call('MARK') "
        "me:call('W') end end"),
        ("local next_word = string.gmatch('a b c', '%a') for i = 1, h do next_word() end me:call('MARK') me:call('R', "
        "next_word() or 'none')"),
        "local n = 0 while n < 3 do n = n + h me:call('MARK') me:call('X') end",
        "local n = h repeat me:call('MARK') local m = n n = n + 1 until m == 3",
        ("local fs = {} for i = 1, 2 do fs[i] = function() return i * h end end local g = fs[h] fs = nil "
        "me:call('MARK') me:call('R', g())"),
    };
    static const char *const same[] = {
        "for i = 1, h do end for i = 1, 2 do me:call('MARK') me:call('X') end",
        "for k in pairs { a = 1, b = h == 1 and 2 or nil } do end me:call('MARK') me:call('X')",
        ("local fs = {} for i = 1, h do fs[1] = function() return fs end end me:call('MARK') me:call('R', "
        "tostring(fs[1]() == fs))"),
        "for i = 1, h do local x = {} local f = function() return x end end me:call('MARK') me:call('END')",
        "for i = h, 2 do if i == 2 then me:call('MARK') me:call('END') end end",
    };
    COMPARE();
}

static void locals_and_temporaries(void **state)
{
    (void)state;
    static const char *const different[] = {
        "local x = h me:call('MARK') me:call('R', x)",
        "local function f() me:call('MARK') return '' end me:call('R', (h .. 'x') .. f())",
        "local function f() me:call('MARK') return 1 end local t = { h, f() } me:call('R', t[1])",
        ("local function f() me:call('MARK') return 'k' end local a, b = {}, {} local t = h == 1 and a or b t[f()] = 1 "
        "me:call('R', tostring(a.k))"),
        "local function f() me:call('MARK') return 2 end me:call('R', h + f())",
        "local function f() me:call('MARK') return 2 end me:call('R', tostring(h < f()))",
        "local x = h local f = function() return x end me:call('MARK') me:call('R', f())",
        "local x = h == 1 me:call('MARK') local y = x or 5 me:call('R', tostring(y))",
        "local x = h me:call('MARK') if x == 1 then me:call('ONE') end me:call('END')",
        "local x = h me:call('MARK') while x < 2 do x = x + 1 me:call('X') end",
        "local x = h me:call('MARK') repeat local y = x x = 2 me:call('X') until y == 2",
        "local x = h me:call('MARK') local t = { x } me:call('R', t[1])",
        "local x = h me:call('MARK') local t = {} t[x] = 1 me:call('R', #t)",
        "local x = h me:call('MARK') local t = {} t.k = x me:call('R', t.k)",
        "local function f() me:call('MARK') return 1 end me:call('R', h, f())",
        "local function f() me:call('MARK') return 1 end me:call('R', h, (f()))",
        "local up = 0 local function run(x) me:call('MARK') up = x end run(h) me:call('R', up)",
        "local x, up = h, 0 local function get() return up end me:call('MARK') up = x me:call('R', get())",
        "local x = h me:call('MARK') for i = x, 2 do me:call('X') end",
        "local x = { h } me:call('MARK') for _, v in ipairs(x) do me:call('R', v) end",
        "local x = h == 1 and 'a' or 'bb' me:call('MARK') me:call('R', #x)",
        "local x = h me:call('MARK') local f = function() return x end me:call('R', f())",
        "local x = h me:call('MARK') me:call('R', -x)",
        ("local function run(x) me:call('MARK') local y = 1 local f = function() return y end me:call('R', x + f()) "
        "end run(h)"),
        "local x = h local f = function() return x end f = nil me:call('MARK') me:call('R', x)",
        "local x = h == 1 me:call('MARK') me:call('R', tostring(not x))",
        "local a, b, c = 'a', h, 'c' me:call('MARK') me:call('R', a .. b .. c)",
        "local function f(x) me:call('MARK') return x end me:call('R', f(h))",
        "local function g(x) return x end local function f(x) me:call('MARK') return g(x) end me:call('R', f(h))",
        "local o = { f = function(self, x) return x end } local x = h me:call('MARK') me:call('R', o:f(x))",
        "local last = h for i = 1, 2 do me:call('MARK') me:call('R', last) last = 0 end",
        "local x = 0 * (h == 1 and 1 or -1) me:call('MARK') me:call('R', tostring(1 / x))",
        "local x = 0 / 0 if h == 1 then x = -x end me:call('MARK') me:call('R', tostring(x))",
        "local x = h == 1 and 5 or '5' me:call('MARK') me:call('R', type(x))",
        "local x = h == 1 and '05' or '5' me:call('MARK') me:call('R', x)",
        "local x = me:now() if h == 2 then x = tostring(x) end me:call('MARK') me:call('R', type(x))",
        "local x = 1e15 + h me:call('MARK') me:call('R', string.format('%.0f', x))",
        "local x = h == 1 and 200 or 200.5 me:call('MARK') me:call('R', x)",
        "local x = h == 2 or nil me:call('MARK') me:call('R', tostring(x))",
    };
    static const char *const same[] = {
        "local x = h me:call('MARK') me:call('END')",
        "local x = h me:call('MARK') x = 5 me:call('R', x)",
        "do local y = h * 1000 end me:call('MARK') me:call('END')",
        "local x = h x = nil me:call('MARK') me:call('R', tostring(x))",
        "local x = h local f = function() return x end f = nil me:call('MARK') me:call('END')",
        "local x = h local f = function() return x end me:call('MARK') x = 5 me:call('END')",
        "local x = h local y = x + 1 me:call('Q', y) me:call('MARK') me:call('END')",
        "local function f(x) local y = x me:call('MARK') return 1 end me:call('R', f(h))",
        "while true do local reply = h h = 0 me:call('MARK') reply = me:call('AGAIN') if reply then break end end",
        "local x = h me:call('MARK') x = nil local t = { x } me:call('R', #t)",
        "local x = h == 1 and 0 / 0 or math.huge - math.huge me:call('MARK') me:call('R', tostring(x))",
        "local t = { h } t = nil me:call('MARK') me:call('END')",
        "local x = me:call('Q', h) me:call('MARK') me:call('R', tostring(x))",
    };
    COMPARE();
}

static void upvalues_and_closures(void **state)
{
    (void)state;
    static const char *const different[] = {
        /* shared, or only equal */
        ("local function pair() local n = 0 return function(v) n = v end, function() return n end end local s1, g1 = "
         "pair() local s2, g2 = pair() local set, get = s1, h == 1 and g1 or g2 s1, s2, g1, g2 = nil me:call('MARK') "
         "set(7) me:call('R', get())"),
        ("local function make() local n = 0 return function() n = n + 1 return n end end local f = make() local fs = { "
         "f, h == 1 and f or make() } me:call('MARK') fs[1]() me:call('R', fs[2]())"),
        /* still a local of a waiting frame, and of which */
        ("local fs, keep = {} local function outer(d) local n = 0 fs[d] = function() n = n + 1 end if d == 1 then "
         "outer(2) else keep = fs[h] fs, h = nil me:call('MARK') keep() end me:call('R', n) end outer(1)"),
        ("local fs, keep = {} local function outer(d) local n = 0 fs[d] = function() n = n + 1 end if d == 2 then "
         "return end outer(2) keep = fs[h] fs, h = nil me:call('MARK') keep() me:call('R', n) end outer(1)"),
        /* of two that are, which is whose */
        ("local fs, p, q = {} local function outer(d) local n = 0 fs[d] = function(v) n = n + v end if d == 1 then "
         "outer(2) else p, q = fs[h], fs[3 - h] fs, h = nil me:call('MARK') p(1) q(2) end me:call('R', n) end "
         "outer(1)"),
        /* the frame that waits is another task's */
        ("local p = me.process p.fs = {} local function task(m) local n = 0 p.fs[#p.fs + 1] = function() n = n + 1 end "
         "m:sleep(5) m:call('R', n) end me:spawn('x', task) me:spawn('x', task) me:sleep(1) p.bump = p.fs[h] p.fs = "
         "nil me:call('MARK') p.bump()"),
        ("local a, b = function() return 1 end, function() return 1 end local f = h == 1 and a or b me:call('MARK') "
        "me:call('R', tostring(f == a))"),
        "local n = h local f = function() return n end me:call('MARK') me:call('R', f())",
        "local n = 0 local function up() n = n + h end up() me:call('MARK') me:call('R', n)",
        ("local co = coroutine.wrap(function() while true do coroutine.yield(h) end end) co() me:call('MARK') "
        "me:call('R', co())"),
        ("local f = h == 1 and coroutine.wrap(function() return 1 end) or coroutine.wrap(function() return 2 end) "
        "me:call('MARK') me:call('R', f())"),
    };
    static const char *const same[] = {
        ("local function make() local n = 0 return function() n = n + 1 return n end end local f for i = 1, h do f = "
         "make() end me:call('MARK') me:call('R', f())"),
        ("local n = 0 local function up() n = n + 1 end for i = h, 2 do up() end n = 1 me:call('MARK') up() "
        "me:call('R', n)"),
        ("local f if h == 1 then me:step() end f = function() return f end me:call('MARK') me:call('R', tostring(f() "
        "== f))"),
        ("local a, b = 0, 0 local f = function() return a + b end if h == 1 then a = 1 b = 1 else b = 1 a = 1 end "
        "me:call('MARK') me:call('R', f())"),
    };
    COMPARE();
}

static void tables(void **state)
{
    (void)state;
    static const char *const different[] = {
        "local a = {} local b = h == 1 and a or {} me:call('MARK') a.x = 1 me:call('R', tostring(b.x))",
        ("local t, u = {}, {} if h == 1 then u = t end me:spawn('a', function(m) m:sleep(1) t.n = 1 end) me:spawn('b', "
         "function(m) m:sleep(2) m:call('R', tostring(u.n)) end) me:call('MARK')"),
        ("local t = {} if h == 1 then t.self = t else t.self = { self = t } end me:call('MARK') me:call('R', "
        "tostring(t.self == t))"),
        ("local t = setmetatable({}, h == 1 and { __index = { x = 1 } } or nil) me:call('MARK') me:call('R', "
        "tostring(t.x))"),
        ("local m = {} local t, u = setmetatable({}, m), setmetatable({}, h == 1 and m or {}) me:call('MARK') "
        "me:call('R', tostring(getmetatable(t) == getmetatable(u)))"),
        ("local c = { x = h } local b = setmetatable({}, { __index = c }) local a = setmetatable({}, { __index = b }) "
        "b, c = nil me:call('MARK') me:call('R', a.x)"),
        "me.process.a = { b = { c = h } } me:call('MARK') me:call('R', me.process.a.b.c)",
        "local t = { [h == 1] = 1 } me:call('MARK') me:call('R', tostring(t[true]))",
        "local t = { [h] = true } me:call('MARK') me:call('R', tostring(t[1]))",
        "local t = { [tostring(h)] = true } me:call('MARK') me:call('R', tostring(t['1']))",
        "local t = { [h == 1 and 1 or '1'] = true } me:call('MARK') me:call('R', tostring(t[1]))",
        /* objects as keys */
        "local k, l = {}, {} local t = { [k] = h, [l] = 3 - h } me:call('MARK') me:call('R', t[k])",
        "local k, t = {}, {} t[h == 1 and k or {}] = 1 me:call('MARK') me:call('R', tostring(t[k]))",
        "local k, t = {}, {} t[k] = { [{}] = 1, h } me:call('MARK') me:call('R', t[k][1])",
        "local t = {} if h == 1 then t[{}] = 1 end me:call('MARK') me:call('R', tostring(pcall(pairs, t)))",
        /* a key that only the value of another entry refers to, and that of a later table */
        "local a, b = {}, {} local t, u = { [a] = b }, { [b] = h } b = nil me:call('MARK') me:call('R', u[t[a]])",
        ("local a, b, c = {}, {}, {} local t = { [a] = b, [b] = c, [c] = h } b, c = nil me:call('MARK') me:call('R', "
        "t[t[t[a]]])"),
        "local ok, e = pcall(error, { code = h }) me:call('MARK') me:call('R', e.code)",
        "local t = { 1, 2, h == 1 and 3 or nil } me:call('MARK') me:call('R', #t)",
        "local s = h == 1 and script 'a.lua' or script 'b.lua' me:call('MARK') me:call('R', s.name)",
    };
    static const char *const same[] = {
        ("local t = {} if h == 1 then t.a = 1 t.b = 2 else t.b = 2 t.a = 1 end me:call('MARK') for k in pairs(t) do "
        "me:call('R', k) end"),
        ("local t = {} if h == 2 then for i = 1, 40 do t['k' .. i] = i end for i = 1, 40 do t['k' .. i] = nil end end "
         "t.a = 1 t.b = 2 t.c = 3 t.d = 4 me:call('MARK') for k in pairs(t) do me:call('R', k) end"),
        ("local t = {} if h == 1 then t = { 1, 2, 3 } else t[3] = 3 t[2] = 2 t[1] = 1 end me:call('MARK') me:call('R', "
        "#t)"),
        ("local t = {} for i = 1, 40 * h do t['k' .. i] = i end for i = 1, 40 * h do t['k' .. i] = nil end "
        "me:call('MARK') me:call('R', tostring(next(t)))"),
        ("local a, b = {}, {} if h == 1 then a.x = b b.x = a else b.x = a a.x = b end me:call('MARK') me:call('R', "
        "tostring(a.x.x == a))"),
        ("local k, l, t = {}, {}, {} if h == 1 then t[k] = 1 t[l] = 2 else t[l] = 2 t[k] = 1 end me:call('MARK') "
        "me:call('R', t[k])"),
        /* nobody can ask for these, but that there are some */
        "local t = {} for i = 1, h do t[{}] = i end me:call('MARK') me:call('R', tostring(pcall(pairs, t)))",
        "local t = {} t[{}] = h t[function() end] = h me:call('MARK') me:call('R', select(2, pcall(pairs, t)))",
        ("local a, b, c = {}, {}, {} local t = {} if h == 1 then t[a] = b t[b] = c else t[b] = c t[a] = b end b, c = "
        "nil me:call('MARK') me:call('R', tostring(t[t[a]]) == 'nil' and 1 or 2)"),
        "local t = {} t[2] = 'sparse' me.process.t = t if h == 1 then me:step() end me:call('MARK') me:call('R', #t)",
        ("local m = {} local t = setmetatable({}, m) if h == 1 then t = setmetatable({}, m) end me:call('MARK') "
        "me:call('R', tostring(getmetatable(t) == m))"),
    };
    COMPARE();
}

static void coroutines_and_pcall(void **state)
{
    (void)state;
    static const char *const different[] = {
        ("local function f() me:call('MARK') error('x') end local function g(call) call(f) end g(h == 1 and pcall or "
        "function(f) f() end) me:call('END')"),
        ("local function f() me:call('MARK') error('x', 0) end local ok, e = xpcall(f, h == 1 and function() return "
        "'a' end or function() return 'b' end) me:call('R', e)"),
        ("local function f() me:call('MARK') return 1 end local function deep(n) if n == 0 then return f() end local "
        "ok, v = pcall(deep, n - 1) return v .. n end me:call('R', deep(h))"),
        ("local co = coroutine.create(function() coroutine.yield(1) coroutine.yield(2) end) for i = 1, h do "
        "coroutine.resume(co) end me:call('MARK') me:call('R', tostring(select(2, coroutine.resume(co))))"),
        ("local co = coroutine.create(function() coroutine.yield() end) if h == 1 then coroutine.resume(co) end "
        "me:call('MARK') coroutine.resume(co) me:call('R', coroutine.status(co))"),
        ("local co = coroutine.create(function() end) if h == 1 then coroutine.resume(co) end me:call('MARK') "
        "me:call('R', coroutine.status(co))"),
        ("local co = coroutine.create(function(x) me:call('R', x) end) local v = h me:call('MARK') "
        "coroutine.resume(co, v)"),
        /* a request inside coroutines inside each other */
        ("local function f() me:call('MARK') coroutine.yield(1) return 2 end local w = coroutine.wrap(f) if h == 2 "
        "then local v = w w = coroutine.wrap(function() v() end) end me:call('R', tostring(w()))"),
        ("local p = me.process p.h = h local w = coroutine.wrap(function() pcall(function() local x = p.h "
         "coroutine.yield() me:call('R', x) end) end) w() p.h = nil me:call('MARK') w()"),
        ("local w = coroutine.wrap(function() local x = h coroutine.yield() me:call('R', x) end) w() me:call('MARK') "
        "w()"),
    };
    static const char *const same[] = {
        ("local function f() me:call('MARK') error('x') end if h == 1 then pcall(function() error('y') end) end "
        "pcall(f) me:call('END')"),
        ("local co = coroutine.create(function() if h == 1 then error('x') end end) coroutine.resume(co) h = nil "
        "me:call('MARK') me:call('R', coroutine.status(co))"),
        ("local co = coroutine.create(h == 1 and function() local x = {} error(x) end or function() end) "
        "coroutine.resume(co) me:call('MARK') me:call('R', coroutine.status(co))"),
        ("local co = coroutine.create(function() coroutine.wrap(function() if h == 1 then error('x') end error('y') "
        "end)() end) coroutine.resume(co) h = nil me:call('MARK') me:call('R', coroutine.status(co))"),
        ("local p = me.process p.h = h local co = coroutine.create(function() local x = p.h coroutine.wrap(function() "
         "me:call('Q') error('y') end)() me:call('R', x) end) coroutine.resume(co) p.h = nil me:call('MARK') "
         "me:call('R', coroutine.status(co))"),
        ("for i = 1, h do local co = coroutine.wrap(function() coroutine.yield() end) co() end me:call('MARK') "
        "me:call('END')"),
        ("local w = coroutine.wrap(function() local x = h coroutine.yield() me:call('END') end) w() h = nil "
        "me:call('MARK') w()"),
        ("local w = coroutine.wrap(function() for i = 1, 3 do coroutine.yield() end end) for i = 1, h do w = "
        "coroutine.wrap(function() coroutine.yield(5) end) end me:call('MARK') me:call('R', w())"),
    };
    COMPARE();
}

static void tasks_and_waits(void **state)
{
    (void)state;
#define WAITERS(s, t) \
    "local first = h == 1 h = nil local s, t = me:semaphore(0), me:semaphore(0) " \
    "me:spawn('a', function(m) m:sleep(first and 1 or 2) first = first " s ":acquire() m:call('A') end) " \
    "me:spawn('b', function(m) m:sleep(first and 2 or 1) first = first " t ":acquire() m:call('B') end) me:sleep(5) " \
    "first = nil "
    static const char *const different[] = {
        (WAITERS("s", "s") "me:call('MARK') s:release()"),
        "local s = me:semaphore(h) me:call('MARK') me:call('R', s:permits())",
        ("local s, t = me:semaphore(0), me:semaphore(0) local u = h == 1 and s or t me:spawn('a', function(m) "
        "s:acquire() m:call('A') end) me:sleep(1) me:call('MARK') u:release()"),
        ("local s, t = me:semaphore(0), me:semaphore(0) local u = h == 1 and s or t me:spawn('a', function(m) local x "
         "= u u = nil x:acquire() m:call('A') end) me:sleep(1) me:call('MARK') s:release() me:call('R', t:waiting())"),
        ("local a, b = me:spawn('t', function(m) m:sleep(5) end), me:spawn('t', function(m) m:sleep(9) end) local t = "
         "h == 1 and a or b me:spawn('j', function(m) local x = t t = nil x:join() m:call('R', m:now()) end) "
         "me:sleep(1) me:call('MARK') me:call('R', tostring(a == b))"),
        ("local p = me.process p.h = h me:spawn('a', function(m) local ms = m.process.h * 10 m:sleep(ms) m:call('A') "
         "end) me:sleep(1) p.h = nil me:call('MARK') me:sleep(15) me:call('B')"),
        /* no answer yet, or one */
        ("local p = me.process p.h = h me:spawn('a', function(m) if p.h == 1 then m:call('Q') end p.h = nil m:sleep(5) "
         "m:granted('L') end) me:sleep(1) me:call('X') me:call('MARK')"),
        ("local fs = { a = function(m) m:call('A') end, b = function(m) m:call('B') end } local x, y = 'a', 'b' if h "
         "== 2 then x, y = y, x end me:spawn(x, fs[x]) me:spawn(y, fs[y]) x, y = nil me:call('MARK')"),
        ("me:spawn('a', function(m) m:sleep(h * 10) m:call('A') end) me:sleep(1) me:call('MARK') me:sleep(15) "
        "me:call('B')"),
        ("local t = me:spawn('a', function(m) m:sleep(5) end) if h == 1 then t:cancel() end me:call('MARK') "
        "me:call('R', tostring(t:done()))"),
        ("local a, b = me:spawn('t', function(m) m:sleep(5) end), me:spawn('t', function(m) m:sleep(9) end) local t = "
        "h == 1 and a or b a, b = nil me:call('MARK') t:join() me:call('R', me:now())"),
        "for i = 1, h do me:unique('id') end me:call('MARK') me:call('R', me:unique('id'))",
        /* a handle outlives its task, and still belongs to its thread */
        ("local p = me.process me:spawn('x', function(m) p.x = m end) me:sleep(1) p.kept = h == 1 and p.second or p.x "
        "p.second, p.x = nil me:call('MARK') me:call('R', p.kept.thread)"),
        ("local me = h == 1 and me:on(1) or me me:call('MARK') me:spawn('x', function(m) m:call('R', tostring(m == "
        "me)) end) me:call('R', h)"),
        /* futures */
        "local f = me:send('GET', { 'k' }) me:call('ANSWERED') me:call('MARK') me:call('R', (f:wait()))",
        "local m = h == 1 and me:on(1) or me:on(1, 2) me:call('MARK') me:call('R', m:full_name('L'))",
        ("local f = (h == 1 and me:on(1) or me:on(1, 2)):send('GET', { 'k' }) me:call('ANSWERS') me:call('MARK') "
         "f:on_answer(function(m) m:call('R', m:full_name('L')) end)"),
        ("local f = me:on(h):send('GET', { 'k' }) me:call('ANSWERS') me:call('MARK') f:on_answer(function(m) "
        "m:call('R', m.server) end)"),
        ("local f = me:send('GET', { 'k' }) if h == 1 then me:call('ANSWERS') end me:call('MARK') me:call('R', "
        "tostring(f:done()))"),
        ("local f, g = me:send('GET', { 'k' }), me:send('GET', { 'k' }) f:on_answer(function(m) m:call('F') end) "
        "g:on_answer(function(m) m:call('G') end) me:call('ANSWERS') me:call('MARK')"),
        ("local f, g = me:send('GET', { 'k' }), me:send('GET', { 'k' }) me:call('ANSWERS') if h == 1 then g = f end "
         "me:call('MARK') for _, x in ipairs { f, g } do x:on_answer(function(m) m:granted('L') end) end"),
        ("if h == 1 then me:send('GET', { 'k' }):on_answer(function(m) m:call('F') end) end me:call('MARK') "
        "me:call('ANSWERS')"),
        /* subscriptions */
        ("me:subscribe('ch', h == 1 and function(m) m:call('A') end or function(m) m:call('B') end) me:call('MARK') "
        "me:call('MESSAGE', 'ch')"),
        ("me:subscribe('ch', function(m) m:call('A') end) if h == 1 then me:unsubscribe('ch') end me:call('MARK') "
        "me:call('MESSAGE', 'ch')"),
        ("local view = function() return {} end me:observe('L', { view = view, spec = h == 1 and 'mutex' or 'fair' }) "
        "me:call('MARK')"),
    };
    static const char *const same[] = {
        (WAITERS("s", "t") "me:call('MARK') s:release() t:release()"),
        (WAITERS("s", "s") "s:release(2) me:sleep(5) me:call('MARK')"),
        "if h == 1 then me:spawn('a', function(m) m:sleep(5) end):cancel() end me:call('MARK') me:call('END')",
        ("local s = me:semaphore(1) if h == 1 then s:acquire() s:release() end me:call('MARK') me:call('R', "
        "s:permits())"),
        /* what an earlier wait came to */
        "local s = me:semaphore(0) if h == 1 then s:acquire(0) else s:acquire(1) end me:call('MARK') me:call('END')",
        ("local s = me:semaphore(0) if h == 1 then me:spawn('a', function() s:release() end) s:acquire() else "
        "me:sleep(0) end me:call('MARK') me:call('END')"),
        ("local f, g = me:send('GET', { 'k' }), me:send('GET', { 'k' }) me:call('ANSWERS') me:call('MARK') "
        "me:call('R', f:wait() + g:wait())"),
        /* equal but for the names of their requests, which a caller is told (process_each_request) */
        ("local f, g = me:send('GET', { 'k' }), me:send('GET', { 'k' }) me:call('ANSWERS') if h == 1 then f, g = g, f "
         "end me:call('MARK') for _, x in ipairs { f, g } do x:on_answer(function(m) m:granted('L') end) end"),
        "if h == 1 then me:send('GET', { 'k' }) me:call('ANSWERS') end me:call('MARK') me:call('END')",
        ("local f = me:send('GET', { 'k' }) if h == 1 then f:on_answer(function() end) end me:call('ANSWERS') "
        "me:sleep(1) me:call('MARK') me:call('R', f:wait())"),
        ("local a, b = 'a', 'b' if h == 1 then a, b = b, a end local f = function(m) m:call('X') end me:subscribe(a, "
        "f) me:subscribe(b, f) a, b = nil me:call('MARK') me:call('MESSAGE', 'a')"),
        ("me:subscribe('ch', function(m) m:call('A') end) if h == 1 then me:subscribe('x', function() end) "
        "me:unsubscribe('x') end me:call('MARK') me:call('MESSAGE', 'ch')"),
        "me:sleep(h * 1000) me:spawn('a', function(m) m:sleep(7) m:call('A') end) me:sleep(1) me:call('MARK')",
    };
    COMPARE();
}

/* Property: an instant kept in a variable moves with now; a number that is no instant does not, nor does one that is
 * never read. */
static void instants_are_relative(void **state)
{
    (void)state;
    static const struct { const char *body; bool same; } row[] = {
        { "me:sleep(h * 100) local until_ms = me:now() + 500 me:call('MARK') me:sleep(until_ms - me:now())", true },
        { "local began_ms = me:now() me:sleep(h * 100) me:call('MARK') me:sleep(me:now() - began_ms)", false },
        { "local began_ms = me:now() me:sleep(h * 100) me:call('MARK') me:sleep(5)", true },
        { "me:sleep(h * 100) local text = string.format('%d', me:now()) me:call('MARK') me:sleep(text - me:now())",
          true },
        { ("me:sleep(h * 100) local t = { [me:now() + 3] = tostring(me:now() + 4) } me:call('MARK') me:sleep(next(t) - "
          "me:now())"), true },
        { "local n = 12345 me:sleep(h * 100) me:call('MARK') me:sleep(n)", true },
    };
    for (size_t i = 0; i < COUNT(row); i++) {
        life one, two;
        live(&one, row[i].body, 1, 4);
        live(&two, row[i].body, 2, 4);
        if (str_eq(buf_str(&one.state), buf_str(&two.state)) != row[i].same)
            fail_msg("%s: %s", row[i].same ? "not merged" : "merged", row[i].body);
        end(&one);
        end(&two);
    }
}

/* Property: what has no canonical form is refused, and the message says where the client stands or where the function
 * is. */
static void what_has_no_form_is_refused_with_its_place(void **state)
{
    (void)state;
    static const struct { const char *body; int line, col; } row[] = {
        { "local t = { 1, nil, 3 }\n me:call('GET', 'k')\n me:call('R', #t)", 2, 5 },
        { "me.process.t = { 1, nil, 3 }\n me:call('GET', 'k')", 2, 5 },
        { ("me.process.f = (function() local t = { { 1, nil, 3 } }\n return function() return t end end)()\n "
          "me:call('GET', 'k')"), 2, 9 },
        { ("me:spawn('x', function(m)\n local t = { 1, nil, 3 }\n m:sleep(5)\n m:log(#t) end)\n me:sleep(1) "
          "me:call('GET', 'k')"), 3, 4 },
    };
    for (size_t i = 0; i < COUNT(row); i++) {
        arena *a = arena_new();
        err e = { 0 };
        scenario *sc = fixture_scenario(a, arena_printf(a, "return { title = 't', clients = { 'A' }, program = "
                                                        "function(me) %s end }", row[i].body).p);
        process *p = process_new(sc, &fixture_loader, 0, 0, NOW_MS, &e);
        int64_t now_ms = NOW_MS;
        const task_view *t;
        while ((t = next_task(p)) && t->status != TASK_REQUEST) {
            outputs out = { .memory = a };
            if (t->status == TASK_SLEEP)
                now_ms = t->wake_ms;
            assert_true(process_run(p, t->id, now_ms, &out, &e));
        }
        buf b = { 0 };
        if (process_freeze(p, now_ms, &b, &e))
            fail_msg("not refused: %s", row[i].body);
        assert_non_null(strstr(e.message.p, "a list with a hole"));
        if (e.line != row[i].line || e.col != row[i].col)
            fail_msg("%d:%d, not %d:%d: %s", e.line, e.col, row[i].line, row[i].col, row[i].body);
        assert_int_equal(e.class_, ERR_DRIVER);
        err_clear(&e);
        buf_free(&b);
        process_free(p);
        arena_free(a);
    }
}

/* Varargs and weak tables have hidden state: client code cannot have them. */
static void what_hides_state_is_no_client_code(void **state)
{
    (void)state;
    arena *a = arena_new();
    scenario sc = { 0 };
    err e = { 0 };
    assert_false(scenario_load(a, &fixture_loader, S("test.lua"),
                               S("return { title = 't',\n program = function(...) end }"), &sc, &e));
    assert_int_equal(e.line, 2);
    assert_int_equal(e.col, 21);
    err_clear(&e);
    arena_free(a);
    compare("local ok, e = pcall(setmetatable, {}, { __mode = 'k' }) me:call('MARK') me:call('R', h) me:call('R', e)",
            false);
}

/* Property: a coroutine in which a task waits is nobody else's to resume: its state would be in two places. */
static void a_coroutine_is_in_one_task_only(void **state)
{
    (void)state;
    life l;
    live(&l, "local co = coroutine.create(function() me:call('IN') end) me:spawn('x', function(m) coroutine.resume(co) "
         "m:call('X') end) "
             "me:call('MARK') me:log(tostring(select(2, coroutine.resume(co)))) me:call('R')", 1, 12);
    assert_non_null(strstr(l.story.p, "log cannot resume non-suspended coroutine"));
    end(&l);
}

/* Property: freezing changes nothing: a process frozen at each step goes on as one that never was. */
static void freezing_disturbs_nothing(void **state)
{
    (void)state;
    static const char body[] =
        "local n = 0 local function up() n = n + 1 return n end local co = coroutine.wrap(function() while true do "
            "coroutine.yield(up()) end end) "
         "me:call('MARK') for i = 1, 5 do co() me:call('SET', 'k', n) end me:call('SET', 'end', n)";
    life l;
    live(&l, body, 1, 12);
    assert_string_equal(l.story.p, "SET k 1 SET k 2 SET k 3 SET k 4 SET k 5 SET end 5 ends ");
    buf again = { 0 }, twice = { 0 };
    err e = { 0 };
    assert_true(process_freeze(l.p, l.now_ms, &again, &e));
    assert_true(process_freeze(l.p, l.now_ms, &twice, &e));
    assert_true(str_eq(buf_str(&again), buf_str(&twice)));
    buf_free(&again);
    buf_free(&twice);
    end(&l);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(where_it_stands),
        cmocka_unit_test(what_loops_keep),
        cmocka_unit_test(locals_and_temporaries),
        cmocka_unit_test(upvalues_and_closures),
        cmocka_unit_test(tables),
        cmocka_unit_test(coroutines_and_pcall),
        cmocka_unit_test(tasks_and_waits),
        cmocka_unit_test(instants_are_relative),
        cmocka_unit_test(what_has_no_form_is_refused_with_its_place),
        cmocka_unit_test(what_hides_state_is_no_client_code),
        cmocka_unit_test(a_coroutine_is_in_one_task_only),
        cmocka_unit_test(freezing_disturbs_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
