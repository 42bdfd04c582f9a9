/* test_client_histories.c - canonical process states against random programs and random histories: whatever way led to
 * the same bytes, the same input then does the same. A wrong merge shows as one state with two behaviours. */
#include "fixture.h"

#include <stdlib.h>
#include <xxhash.h>

#include "base/mem.h"
#include "base/rng.h"
#include "client/process.h"

#define NOW_MS INT64_C(1700000000000)

/* ---- programs ---- */

enum { NUMBERS_MAX = 24, DEPTH_MAX = 3 };

typedef struct {
    rng *r;
    buf out;
    unsigned names;        /* of fresh locals, so far */
    unsigned visible[NUMBERS_MAX];
    size_t visible_count;
    int depth, spawns;
    bool inside;           /* of a function: it calls none, so that nothing recurs for ever */
    bool in_loop, in_coroutine;
} writer;

static uint64_t below(writer *w, uint64_t n)
{
    return rng_below(w->r, n);
}

/* A variable that holds a small number. */
static void number(writer *w)
{
    size_t i = below(w, 3 + w->visible_count);
    if (i < 3)
        buf_byte(&w->out, "abc"[i]);
    else
        buf_printf(&w->out, "n%u", w->visible[i - 3]);
}

static void variable(writer *w) { buf_byte(&w->out, "abc"[below(w, 3)]); }
static void table(writer *w) { buf_byte(&w->out, "tu"[below(w, 2)]); }
static void field(writer *w) { buf_byte(&w->out, "xyz"[below(w, 3)]); }

static void expression(writer *w)
{
    switch (below(w, w->inside ? 6 : 8)) {
    case 0: buf_printf(&w->out, "%d", (int)below(w, 3)); break;
    case 1: case 2: number(w); break;
    case 3:
        buf_addz(&w->out, "(");
        number(w);
        buf_addz(&w->out, " + ");
        number(w);
        buf_addz(&w->out, ") % 3");
        break;
    case 4:
        buf_addz(&w->out, "num(");
        table(w);
        buf_byte(&w->out, '.');
        field(w);
        buf_byte(&w->out, ')');
        break;
    case 5:
        buf_addz(&w->out, "(");
        number(w);
        buf_addz(&w->out, " + me:call('ASK')) % 3");
        break;
    case 6:
        buf_printf(&w->out, "call(%c, ", "fg"[below(w, 2)]);
        number(w);
        buf_addz(&w->out, ")");
        break;
    default:
        buf_addz(&w->out, "(");
        number(w);
        buf_printf(&w->out, " + call(%c, ", "fg"[below(w, 2)]);
        number(w);
        buf_addz(&w->out, ")) % 3");
        break;
    }
}

static void fresh(writer *w, const char *before, const char *after)
{
    buf_printf(&w->out, "%sn%u%s", before, ++w->names, after);
}

static void see(writer *w, unsigned name)
{
    if (w->visible_count < NUMBERS_MAX)
        w->visible[w->visible_count++] = name;
}

static void block(writer *w, size_t most);

/* A block in a function of its own. */
static void body(writer *w, size_t most)
{
    bool inside = w->inside, in_loop = w->in_loop;
    w->inside = true;
    block(w, most);
    w->inside = inside;
    w->in_loop = in_loop;
}

static void loop_body(writer *w, size_t most)
{
    bool in_loop = w->in_loop;
    w->in_loop = true;
    block(w, most);
    w->in_loop = in_loop;
}

static void compound(writer *w)
{
    unsigned name;
    size_t seen = w->visible_count;
    switch (below(w, 9)) {
    case 0: case 1:
        buf_addz(&w->out, "if ");
        number(w);
        buf_printf(&w->out, " == %d then ", (int)below(w, 3));
        block(w, 2);
        buf_addz(&w->out, "else ");
        block(w, 2);
        buf_addz(&w->out, "end ");
        break;
    case 2:
        buf_addz(&w->out, "for ");
        fresh(w, "", " = ");
        name = w->names;
        expression(w);
        buf_addz(&w->out, ", 2 do ");
        see(w, name);
        loop_body(w, 2);
        buf_addz(&w->out, "end ");
        break;
    case 3:
        fresh(w, "local ", " = 0 ");
        name = w->names;
        see(w, name);
        buf_printf(&w->out, "while n%u < 2 do n%u = n%u + 1 ", name, name, name);
        seen = w->visible_count;
        loop_body(w, 2);
        buf_addz(&w->out, "end ");
        break;
    case 4:
        buf_addz(&w->out, "for _, v in pairs(");
        table(w);
        buf_addz(&w->out, ") do ");
        variable(w);
        buf_addz(&w->out, " = num(v) ");
        loop_body(w, 2);
        buf_addz(&w->out, "end ");
        break;
    case 5:
        buf_addz(&w->out, "pcall(function() ");
        body(w, 2);
        buf_addz(&w->out, "if ");
        number(w);
        buf_addz(&w->out, " == 1 then error('e') end end) ");
        break;
    case 6:
        buf_printf(&w->out, "%c = function(n%u) ", "fg"[below(w, 2)], ++w->names);
        see(w, w->names);
        body(w, 2);
        buf_addz(&w->out, "return ");
        number(w);
        buf_addz(&w->out, " end ");
        break;
    case 7:
        buf_printf(&w->out, "%c = coroutine.wrap(function() ", "fg"[below(w, 2)]);
        w->in_coroutine = true;
        body(w, 3);
        buf_addz(&w->out, "coroutine.yield(");
        number(w);
        buf_addz(&w->out, ") ");
        body(w, 1);
        w->in_coroutine = false;
        buf_addz(&w->out, "end) ");
        break;
    default:
        if (w->spawns >= 2 || w->in_loop || w->inside) {
            buf_addz(&w->out, "me:step() ");
            break;
        }
        w->spawns++;
        buf_addz(&w->out, "me:spawn('w', function(me) ");
        body(w, 3);
        buf_addz(&w->out, "end) ");
    }
    w->visible_count = seen;
}

static void simple(writer *w)
{
    unsigned name;
    switch (below(w, 15)) {
    case 13: {
        static const char *const pairs[] = { "f, g = pair()", "f = pair()", "g = select(2, pair())", "f = g" };
        buf_addz(&w->out, pairs[below(w, COUNT(pairs))]);
        break;
    }
    case 14:
        if (w->in_coroutine)
            buf_addz(&w->out, "coroutine.yield(a)");
        else
            buf_addz(&w->out, w->inside ? "b = a" : "b = call(g, a)");
        break;
    case 0: case 1: case 2:
        variable(w);
        buf_addz(&w->out, " = ");
        expression(w);
        break;
    case 3:
        fresh(w, "local ", " = ");
        name = w->names;
        expression(w);
        see(w, name);
        break;
    case 4: case 5:
        table(w);
        buf_byte(&w->out, '.');
        field(w);
        buf_addz(&w->out, " = ");
        if (below(w, 4))
            expression(w);
        else
            buf_addz(&w->out, "nil");
        break;
    case 6:
        table(w);
        buf_byte(&w->out, '.');
        field(w);
        buf_addz(&w->out, " = ");
        table(w);
        break;
    case 7: buf_addz(&w->out, below(w, 2) ? "t, u = u, t" : "t = {}"); break;
    case 8: buf_addz(&w->out, "u = tab(t.x, u)"); break;
    case 9: buf_addz(&w->out, below(w, 2) ? "setmetatable(t, m)" : "setmetatable(u, nil)"); break;
    case 10: buf_addz(&w->out, below(w, 2) ? "s:release()" : "a = s:acquire(0) and 1 or 0"); break;
    case 11: buf_addz(&w->out, below(w, 2) ? "me:sleep(a)" : "f, g = g, f"); break;
    default:
        buf_addz(&w->out, "me:log(tostring(");
        number(w);
        buf_addz(&w->out, ") .. tostring(t == u))");
    }
    buf_byte(&w->out, ' ');
}

static void block(writer *w, size_t most)
{
    size_t seen = w->visible_count;
    w->depth++;
    for (size_t n = 1 + below(w, most); n > 0; n--) {
        if (w->depth < DEPTH_MAX && below(w, 3) == 0)
            compound(w);
        else
            simple(w);
    }
    w->depth--;
    w->visible_count = seen;
}

/* A program that asks for ever: replies are its only choices, so they are its history. */
static const char *write_program(arena *a, uint64_t seed)
{
    rng r = rng_new(seed, 0);
    writer w = { .r = &r };
    buf_addz(&w.out, "return { title = 't', clients = { 'A' }, program = function(me) "
                     "local function num(v) return type(v) == 'number' and v % 3 or 0 end "
                     "local function tab(v, w) return type(v) == 'table' and v or w end "
                     "local function pair() local n = 0 return function(x) n = (n + x) % 3 return n end, function(x) "
                     "return n end end local function call(f, x) if not f then return 0 end local ok, v = pcall(f, x) "
                     "return ok and num(v) or 1 end local a, b, c, t, u, s = 0, 0, 0, {}, {}, me:semaphore(0) local m "
                     "= { __index = u } local f, g ");
    block(&w, 3);
    buf_addz(&w.out, "while true do ");
    w.in_loop = true;
    block(&w, 8);
    buf_addz(&w.out, "a = me:call('ASK') end end }");
    const char *text = arena_str(a, buf_str(&w.out)).p;
    buf_free(&w.out);
    return text;
}

/* ---- what a state does ---- */

typedef struct {
    uint64_t state, input, does, next;
    size_t walk;
} known;

typedef struct {
    known *at;
    size_t count, cap;
    size_t met_again;      /* a state and input that another history had led to */
} table_of_known;

static known *find(table_of_known *t, uint64_t state, uint64_t input)
{
    for (size_t i = 0; i < t->count; i++)
        if (t->at[i].state == state && t->at[i].input == input)
            return &t->at[i];
    return NULL;
}

static void add_instant(void *context, int64_t at_ms)
{
    ((int64_t *)context)[0] ^= (at_ms - ((int64_t *)context)[1]) * INT64_C(0x9e3779b97f4a7c1);
}

static uint64_t freeze(process *p, int64_t now_ms, const char *program)
{
    buf b = { 0 };
    err e = { 0 };
    if (!process_freeze(p, now_ms, &b, &e)) {
        buf_clear(&b);
        err_print(&e, &b);
        fail_msg("%s\n%s", b.p, program);
    }
    uint64_t hash = XXH3_64bits(b.p, b.n);
    buf_free(&b);
    return hash;
}

static void tell(const outputs *out, buf *b)
{
    for (size_t i = 0; i < out->count; i++) {
        const output *o = &out->items[i];
        buf_printf(b, "%d ", (int)o->kind);
        for (size_t k = 0; o->kind == OUTPUT_REQUEST && k < o->request->argc; k++)
            buf_printf(b, "%.*s ", STR_ARG(o->request->argv[k]));
        if (o->kind == OUTPUT_LOG)
            buf_printf(b, "%.*s ", STR_ARG(o->text));
    }
}

/* What the world sees of a state besides its bytes. */
static void tell_view(process *p, int64_t now_ms, buf *b)
{
    const task_view *t;
    size_t n = process_tasks(p, &t);
    int64_t instants[2] = { 0, now_ms };
    for (size_t i = 0; i < n; i++)
        buf_printf(b, "%.*s %d %d %.*s ", STR_ARG(t[i].name), (int)t[i].status,
                   (int)(t[i].wake_ms == INT64_MAX ? -1 : t[i].wake_ms - now_ms), STR_ARG(t[i].next));
    process_each_instant(p, now_ms, INT64_C(1000000000), add_instant, instants);
    buf_printf(b, "%x ", (unsigned)instants[0]);
}

/* Moves a task that can, chosen at random. Returns what was done as a number, 0: nobody can move. */
static uint64_t move(process *p, rng *r, int64_t *now_ms, outputs *out, bool *ok, err *e)
{
    const task_view *t;
    size_t n = process_tasks(p, &t), can = 0, which[64];
    int64_t first_ms = INT64_MAX;
    for (size_t i = 0; i < n; i++)
        if (t[i].status == TASK_SLEEP && t[i].wake_ms < first_ms)
            first_ms = t[i].wake_ms;
    for (size_t i = 0; i < n && can < COUNT(which); i++)
        if (t[i].status == TASK_READY || t[i].status == TASK_WORK || t[i].status == TASK_REQUEST ||
            (t[i].status == TASK_SLEEP && t[i].wake_ms == first_ms))
            which[can++] = i;
    if (can == 0)
        return 0;
    size_t i = which[rng_below(r, can)];
    uint64_t value = 0;
    if (t[i].status == TASK_REQUEST) {
        value = rng_below(r, 3);
        reply answer = reply_integer((int64_t)value);
        *ok = process_answer(p, t[i].request, &answer, *now_ms, out, e);
    } else {
        if (t[i].status == TASK_SLEEP) {
            value = (uint64_t)(t[i].wake_ms - *now_ms);
            *now_ms = t[i].wake_ms;
        }
        *ok = process_run(p, t[i].id, *now_ms, out, e);
    }
    return 1 + i * 1000 + value;
}

static void walk(scenario *sc, const char *program, uint64_t seed, size_t steps, table_of_known *all)
{
    arena *a = arena_new();
    rng r = rng_new(seed, 1);
    err e = { 0 };
    int64_t now_ms = NOW_MS;
    process *p = process_new(sc, &fixture_loader, 0, 0, now_ms, &e);
    assert_non_null(p);
    uint64_t state = freeze(p, now_ms, program);
    for (bool ok = true; ok && steps > 0; steps--) {
        outputs out = { .memory = a };
        uint64_t input = move(p, &r, &now_ms, &out, &ok, &e);
        if (input == 0)
            break;
        buf b = { 0 };
        tell(&out, &b);
        if (ok)
            tell_view(p, now_ms, &b);
        else
            buf_add(&b, buf_str(&e.message));
        uint64_t does = XXH3_64bits(b.p, b.n), next = ok ? freeze(p, now_ms, program) : 0;
        known *k = find(all, state, input);
        if (!k) {
            MEM_RESERVE(all->at, all->cap, all->count + 1);
            all->at[all->count++] = (known){ .state = state, .input = input, .does = does, .next = next, .walk = seed };
        } else {
            all->met_again += k->walk != seed;
            if (k->does != does || k->next != next)
                fail_msg("two behaviours in one state (%s), here: %s\nof walk %d: %s",
                         k->does != does ? "at once" : "later", b.p, (int)seed, program);
        }
        buf_free(&b);
        state = next;
    }
    err_clear(&e);
    process_free(p);
    arena_free(a);
}

static void one_state_has_one_behaviour(void **state)
{
    (void)state;
    const char *many = getenv("N"), *first = getenv("FIRST");
    uint64_t programs = many ? strtoull(many, NULL, 10) : 60, from = first ? strtoull(first, NULL, 10) : 1;
    size_t met_again = 0, all_known = 0;
    for (uint64_t seed = from; seed < from + programs; seed++) {
        arena *a = arena_new();
        const char *program = write_program(a, seed);
        scenario *sc = fixture_scenario(a, program);
        table_of_known all = { 0 };
        for (uint64_t w = 0; w < 24; w++)
            walk(sc, program, w, 14, &all);
        met_again += all.met_again;
        all_known += all.count;
        mem_free(all.at);
        arena_free(a);
    }
    print_message("%d states with an input, %d times met by another history\n", (int)all_known, (int)met_again);
    if (programs >= 60)
        assert_true(met_again > all_known / 2);    /* or nothing was tried */
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(one_state_has_one_behaviour) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
