/* fuzz_schedule.c - any text as a schedule: it is split into items that mean the same when they are written down again,
 * or refused at a place of the text; its steps are taken in a world of two clients and every fault.
 * Input: the schedule. */
#include "fuzz.h"

#include "client/load.h"
#include "world/world.h"

static const char program[] =
    "return { title = 'fuzz', clients = { 'A', { 'B', threads = 2 } }, timeout_ms = 50,\n"
    "  faults = { crash = 1, restart = 1, pause = 1, lose_message = 1, lose_request = 1, lose_reply = 1, late_request "
        "= 1, duplicate = 1, wipe = 1,\n"
    "             evict = 1, clock_jump = 1, script_flush = 1, interrupt = 1 },\n"
    "  program = function(me)\n"
    "    me:subscribe('ch', function(m, text) m:log(text) end)\n"
    "    me:call('SET', 'a key', me.id, 'PX', 100)\n"
    "    me:spawn('side task', function(m) m:sleep(10) m:call('PUBLISH', 'ch', 'x') end)\n"
    "    local f = me:send('return redis.call(\"incr\", KEYS[1])', { 'n' }, {}, { op = 'incr' })\n"
    "    me:choose{ 1, 2, 3 } f:wait(20) me:work(5) me:work()\n"
    "  end }";

static bool no_file(void *context, str name, arena *a, str *path, str *text, err *e)
{
    (void)context;
    (void)a;
    (void)path;
    (void)text;
    return err_set(e, ERR_SCENARIO, "no file \"%.*s\" here", STR_ARG(name));
}

static const loader files = { .read = no_file };

static void check_place(const err *e, str text)
{
    int lines = 1;
    for (size_t i = 0; i < text.n; i++)
        lines += text.p[i] == '\n';
    FUZZ_CHECK(e->class_ == ERR_SCENARIO && e->message.n > 0, "no error: %d", (int)e->class_);
    FUZZ_CHECK(e->line >= 1 && e->line <= lines && e->col >= 1, "no place of the text: %d:%d of %d lines", e->line,
               e->col, lines);
}

/* Written down with blanks between, the items are read as the same items. */
static void check_again(arena *a, const schedule_item *items, size_t count)
{
    buf text = { 0 };
    for (size_t i = 0; i < count; i++)
        buf_printf(&text, "%.*s%s%.*s\n", STR_ARG(items[i].token), items[i].argument.n ? " " : "",
                   STR_ARG(items[i].argument));
    schedule_item *again;
    size_t n;
    err e = { 0 };
    bool ok = schedule_parse(a, buf_str(&text), S("again"), &again, &n, &e);
    FUZZ_CHECK(ok && n == count, "written down again it has %zu items and not %zu", n, count);
    for (size_t i = 0; i < n; i++)
        FUZZ_CHECK(str_eq(items[i].token, again[i].token) && str_eq(items[i].argument, again[i].argument),
                   "item %zu is read as %.*s", i, STR_ARG(again[i].token));
    buf_free(&text);
}

static void follow(arena *a, const schedule_item *items, size_t count)
{
    static scenario *sc;                             /* loaded once: it lives in an arena that is never freed */
    err e = { 0 };
    if (!sc) {
        arena *lasting = arena_new();
        sc = ARENA_NEW(lasting, scenario);
        bool ok = scenario_load(lasting, &files, S("fuzz.lua"), str_from(program), sc, &e);
        FUZZ_CHECK(ok, "%.*s", STR_ARG(buf_str(&e.message)));
    }
    world *w = world_new(sc, &files, &(world_options){ .record = true, .schedule = NULL }, &e);
    FUZZ_CHECK(w, "%.*s", STR_ARG(buf_str(&e.message)));
    for (size_t i = 0; i < count; i++) {
        if (str_eq(items[i].token, S("[")) || str_eq(items[i].token, S("]")))
            continue;
        step s;
        if (!world_find(w, items[i].token, items[i].argument, &s, &e)) {
            FUZZ_CHECK(e.message.n > 0 && e.hint.n > 0, "no word about the step %.*s", STR_ARG(items[i].token));
            break;
        }
        if (!world_take(w, &s, &e)) {    /* only time may be refused here: none, or more than there is */
            FUZZ_CHECK(s.kind == STEP_TIME && e.class_ == ERR_SCENARIO, "%.*s fails: %.*s", STR_ARG(items[i].token),
                       STR_ARG(buf_str(&e.message)));
            break;
        }
        buf name = { 0 };
        const step *steps;
        for (size_t k = 0, n = world_enabled(w, &steps); k < n; k++)
            world_name_step(w, &steps[k], &name);
        buf_free(&name);
    }
    (void)a;
    err_clear(&e);
    world_free(w);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    arena *a = arena_new();
    str text = { (const char *)data, size };
    schedule_item *items;
    size_t count;
    err e = { 0 };
    if (schedule_parse(a, text, S("fuzz"), &items, &count, &e)) {
        check_again(a, items, count);
        follow(a, items, count);
    } else {
        check_place(&e, text);
    }
    err_clear(&e);
    arena_free(a);
    return 0;
}
