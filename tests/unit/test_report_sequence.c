/* test_report_sequence.c - sequence diagrams: which arrows and bars a story comes to, and pictures that are XML
 * whatever the story holds. */
#include "fixture.h"

#include "report/sequence.h"
#include "report/sequence_trace.h"
#include "world_rig.h"
#include "xml.h"

/* Two clients who ask once, hold for 10 ms, and wait 3 s for answers. */
#define ONCE \
    "clients = { 'A', 'B' }, timeout_ms = 3000, program = function(me)" \
    " if try(me, 'L', 5000) then me:work(10) unlock(me, 'L') end end"

#define NESTED \
    "clients = { 'A' }, program = function(me) try(me, 'L', 5000, 1) try(me, 'L', 5000, 2) unlock(me, 'L') " \
    "unlock(me, 'L') end"

/* "request A 1>3" and the like, a blank between; * arrives where nobody waits, x is lost, ~ is still under way. */
static const char *arrows(const rig *r)
{
    static const char *const kinds[] = { "request", "answer", "message" };
    sequence_trace t;
    buf b = { 0 };
    sequence_trace_make(world_story(r->w), &t);
    for (size_t i = 0; i < t.arrow_count; i++)
        buf_printf(&b, "%s%s %c %zu>%zu%s", i ? " " : "", kinds[t.arrows[i].kind], 'A' + (int)t.arrows[i].process,
                   t.arrows[i].from, t.arrows[i].to,
                   t.arrows[i].end == ARROW_UNHEARD ? "*" : t.arrows[i].end == ARROW_LOST ? "x"
                   : t.arrows[i].end == ARROW_OPEN ? "~" : "");
    sequence_trace_free(&t);
    const char *text = arena_str(r->a, buf_str(&b)).p;
    buf_free(&b);
    return text;
}

/* "believes A:1 1-4": from step to step; + lasts beyond the story. */
static const char *bars(const rig *r)
{
    static const char *const kinds[] = { "waits", "believes", "held", "paused", "dead" };
    sequence_trace t;
    buf b = { 0 };
    sequence_trace_make(world_story(r->w), &t);
    for (size_t i = 0; i < t.bar_count; i++)
        buf_printf(&b, "%s%s %.*s %zu-%zu%s", i ? " " : "", kinds[t.bars[i].kind], STR_ARG(t.bars[i].who),
                   t.bars[i].from, t.bars[i].to, t.bars[i].open ? "+" : "");
    sequence_trace_free(&t);
    const char *text = arena_str(r->a, buf_str(&b)).p;
    buf_free(&b);
    return text;
}

/* Property: each request is an arrow from where it was sent to where it was executed, and so is its answer; what a
 * fault takes ends there.
 * How: one schedule for each thing that can become of them. */
static void arrows_follow_what_became_of_each_request(void **state)
{
    static const struct { const char *faults, *schedule, *arrows; } rows[] = {
        { "", "A.acquire", "request A 0>1 answer A 1>1 request B 0>1~" },
        { "lose_reply = 1", "A.acquire !lose_reply A.acquire +3000", "request A 0>1 answer A 1>2x request B 0>3~" },
        { "lose_reply = 1", "A.acquire !lose_reply A.acquire +3000 A<timeout", "request A 0>1 answer A 1>2x request B "
          "0>4~" },
        { "lose_request = 1", "!lose_request A.acquire", "request A 0>1x request B 0>1~" },
        { "pause = 1", "!pause A A.acquire +3000 !resume A A<timeout", "request A 0>2 answer A 2>5* request B 0>5~" },
        { "late_request = 1", "!late_request A.acquire +3000 A<timeout A.acquire", "request A 0>4 request B 0>4~" },
        { "duplicate = 1", "!duplicate A.acquire A.acquire A.acquire", "request A 0>2 answer A 2>2 request A 1>3 "
          "request B 0>3~" },
        { "crash = 1", "!crash A", "request A 0>1x request B 0>1~" },
        { "late_request = 1, crash = 1", "!late_request A.acquire !crash A A.acquire", "request A 0>3 request B 0>3~" },
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        arena *a = arena_new();
        buf fields = { 0 };
        buf_printf(&fields, "faults = { %s }, %s", rows[i].faults, ONCE);
        rig r = rig_new(a, fields.p);
        rig_take(&r, rows[i].schedule);
        assert_string_equal(arrows(&r), rows[i].arrows);
        rig_free(&r);
        buf_free(&fields);
        arena_free(a);
    }
    (void)state;
}

/* Property: a message is an arrow from the step that published it to the step that delivered it, in the order of its
 * connection. */
static void messages_arrive_in_order_or_are_lost(void **state)
{
    rig r = rig_new(*state, "clients = { 'A', 'B' }, faults = { lose_message = 1 }, program = function(me)"
                            " if me.id == 'B:1' then me:subscribe('ch', function() end) else me:call('PUBLISH', 'ch', "
                            "'1') me:call('PUBLISH', 'ch', '2') me:call('PUBLISH', 'ch', '3') end end");
    rig_take(&r, "B.subscribe A.publish A.publish A.publish !lose_message B B<answer B<msg");
    assert_string_equal(arrows(&r), "request B 0>1 request A 0>2 answer A 2>2 request A 2>3 answer A 3>3 request A 3>4 "
                        "answer A 4>4 "
                                    "message B 2>5x answer B 1>6 message B 3>7 message B 4>7~");
    rig_free(&r);
}

/* Property: a belief lasts from the answer that granted to the sending of the release, nested holds share it, and what
 * the server says stands beside it. */
static void bars_last_as_long_as_beliefs_and_holds(void **state)
{
    static const struct { const char *faults, *schedule, *bars; } rows[] = {
        { "pause = 1", "A.acquire A<answer B.acquire B<answer !pause A +10 !resume A A.work A.release",
          "held A:1 1-9 believes A:1 2-8 waits B:1 4-9+ paused  5-7" },
        { "pause = 1", "A.acquire A<answer !pause A +5000 +1 B.acquire B<answer !resume A A.work A.release",
          "held A:1 1-5 believes A:1 2-9 paused  3-8 held B:1 6-10+ believes B:1 7-10+" },
        { "crash = 1", "A.acquire !crash A B.acquire",
          "believes A:1 1-2 held A:1 1-3+ dead  2-3+ waits B:1 3-3+" },
        { NULL, "A.acquire A.acquire A.release A.release",
          "believes A:1 1-3 held A:1 1-4" },
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        arena *a = arena_new();
        buf fields = { 0 };
        buf_printf(&fields, "faults = { %s }, %s", rows[i].faults ? rows[i].faults : "",
                   rows[i].faults ? ONCE : NESTED);
        rig r = rig_new(a, fields.p);
        rig_take(&r, rows[i].schedule);
        assert_string_equal(bars(&r), rows[i].bars);
        rig_free(&r);
        buf_free(&fields);
        arena_free(a);
    }
    (void)state;
}

/* ---- what is drawn ---- */

static const char *const hostile[] = {
    "</text></svg><script>alert(1)</script>", "\" onload=\"alert(2)", "a\nb\tc\r", "\033[31m\001", "\xff\xfe",
    "\xe2\x80\xae \xe2\x80\x8f", "]]> & ' -->", "",
};

/* A story of so many steps, in which everything that can hold a text holds this one. */
static story made_of(arena *a, const char *text, size_t steps)
{
    str t = str_from(text);
    story s = { .rows = ARENA_ARRAY(a, story_row, steps), .marks = ARENA_ARRAY(a, story_mark, 4 * steps),
                .keys = ARENA_ARRAY(a, story_key, steps) };
    for (size_t i = 0; i < steps; i++) {
        s.rows[s.count++] = (story_row){ .at_ms = INT64_C(1700000000000) + (int64_t)i,
                                         .process = (uint32_t)(i % 3) ? (uint32_t)(i % 3) - 1 : NOBODY,
                                         .token = t, .did = t, .notes = t, .redis = t, .effects = t, .location = t };
        story_mark m = { .step = i + 1, .process = (uint32_t)(i % 2), .request = (uint32_t)i + 1, .who = t, .lock = t,
                         .text = t, .until_ms = INT64_MAX };
        static const story_mark_kind kinds[] = { MARK_SENT, MARK_EXECUTED, MARK_GRANTED, MARK_HOLDERS };
        for (size_t k = 0; k < COUNT(kinds); k++) {
            m.kind = kinds[k];
            s.marks[s.mark_count++] = m;
        }
        s.keys[s.key_count++] = (story_key){ .step = i + 1, .name = t, .value = t, .deadline_ms = INT64_MAX };
    }
    return s;
}

static str drawn(const story *s, const char *name, const char *id, size_t rows_max, buf *out)
{
    const str clients[] = { str_from(name), S("B") };
    sequence_view v = { .s = s, .clients = clients, .client_count = 2, .name = clients[0], .summary = clients[0],
                        .id = id, .broke = true, .rows_max = rows_max };
    sequence_svg(&v, out);
    return buf_str(out);
}

static size_t occurrences(str s, const char *what)
{
    size_t n = 0;
    for (size_t i = 0; i + strlen(what) <= s.n; i++)
        n += memcmp(s.p + i, what, strlen(what)) == 0;
    return n;
}

static void pictures_are_well_formed_whatever_the_story_holds(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(hostile); i++)
        for (int alone = 0; alone < 2; alone++) {
            arena *a = arena_new();
            buf b = { 0 };
            story s = made_of(a, hostile[i], 7);
            str svg = drawn(&s, hostile[i], alone ? NULL : "x", 0, &b);
            assert_well_formed(svg);
            assert_int_equal(occurrences(svg, "<script"), 0);
            assert_int_equal(occurrences(svg, "class=\"row"), 7);
            buf_free(&b);
            arena_free(a);
        }
}

/* B is refused in the first step and waits; A's release leaves in the first and arrives in the third, which takes B
 * from the queue. */
static str parked(bool for_ever, buf *out)
{
    static const size_t blamed[] = { 1 };
    const int64_t begin_ms = INT64_C(1700000000000);
    story_row rows[] = { { .at_ms = begin_ms, .process = 1, .token = S("B.acquire"), .did = S("acquire -> 0") },
                         { .at_ms = begin_ms + 5, .process = NOBODY, .token = S("+5") },
                         { .at_ms = begin_ms + 5, .process = 0, .token = S("A.release"), .did = S("release -> 1") } };
    story_mark marks[] = { { .kind = MARK_REFUSED, .step = 1, .process = 1, .who = S("B:1"), .lock = S("L") },
                           { .kind = MARK_SENT, .step = 1, .process = 0, .request = 7, .who = S("A:1") },
                           { .kind = MARK_EXECUTED, .step = 3, .process = 0, .request = 7, .who = S("A:1") },
                           { .kind = MARK_ANSWERED, .step = 3, .process = 0, .request = 7, .who = S("A:1") } };
    story_key keys[] = { { .step = 1, .name = S("queue"), .value = S("[B:1]"), .deadline_ms = INT64_MAX },
                         { .step = 3, .name = S("queue"), .value = S("[C:1]"), .deadline_ms = INT64_MAX } };
    story_request request = { .process = 0, .number = 7, .op = S("unlock_it") };
    const story s = { .rows = rows, .count = COUNT(rows), .marks = marks, .mark_count = COUNT(marks), .keys = keys,
                      .key_count = COUNT(keys), .requests = &request, .request_count = 1 };
    const str clients[] = { S("A"), S("B") };
    sequence_view v = { .s = &s, .clients = clients, .client_count = 2, .name = S("n"), .summary = S("s"), .id = "x",
                        .broke = true, .blamed = blamed, .blamed_count = 1, .decides = 3, .for_ever = for_ever };
    sequence_svg(&v, out);
    return buf_str(out);
}

/* Property: what is to blame and what decides is marked by a word and a bar; an arrow that arrives later than it leaves
 * has a name; of who waits for ever it is said since when, and which key no longer names it. */
static void what_matters_stands_out(void **state)
{
    (void)state;
    for (int for_ever = 0; for_ever < 2; for_ever++) {
        buf b = { 0 };
        str svg = parked(for_ever, &b);
        assert_well_formed(svg);
        assert_int_equal(occurrences(svg, "class=\"row blamed\" data-step=\"1\""), 1);
        assert_int_equal(occurrences(svg, "class=\"row broke decides\" data-step=\"3\""), 1);
        assert_int_equal(occurrences(svg, ">blamed</text>"), 1);
        assert_int_equal(occurrences(svg, ">decides</text>"), 1);
        assert_int_equal(occurrences(svg, "<path class=\"guilt\""), 2);
        assert_int_equal(occurrences(svg, ">unlock_it</text>"), 1);
        assert_int_equal(occurrences(svg, ">waits from here on, for ever</text>"), for_ever);
        assert_int_equal(occurrences(svg, ">B:1 is no longer in queue</text>"), for_ever);
        buf_free(&b);
    }
}

/* Property: a long story costs no more than the rows that are shown, and what is left out is counted. */
static void long_stories_lose_their_middle(void **state)
{
    (void)state;
    static const struct { size_t steps, rows_max, shown; const char *said; } rows[] = {
        { 40, 40, 40, NULL }, { 41, 40, 41, NULL }, { 42, 40, 40, ">2 steps are left out here<" },
        { 4000, 40, 40, ">3,960 steps are left out here<" },
        { 0, 40, 0, NULL },
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        arena *a = arena_new();
        buf b = { 0 };
        story s = made_of(a, "t", rows[i].steps);
        str svg = drawn(&s, "A", NULL, rows[i].rows_max, &b);
        assert_int_equal(occurrences(svg, "class=\"row"), rows[i].shown);
        assert_int_equal(occurrences(svg, "left out"), rows[i].said != NULL);
        if (rows[i].said)
            assert_int_equal(occurrences(svg, rows[i].said), 1);
        assert_true(svg.n < 60000);
        buf_free(&b);
        arena_free(a);
    }
}

static int fresh_arena(void **state)
{
    *state = arena_new();
    return 0;
}

static int free_arena(void **state)
{
    arena_free(*state);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(arrows_follow_what_became_of_each_request),
        cmocka_unit_test_setup_teardown(messages_arrive_in_order_or_are_lost, fresh_arena, free_arena),
        cmocka_unit_test(bars_last_as_long_as_beliefs_and_holds),
        cmocka_unit_test(pictures_are_well_formed_whatever_the_story_holds),
        cmocka_unit_test(what_matters_stands_out),
        cmocka_unit_test(long_stories_lose_their_middle),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
