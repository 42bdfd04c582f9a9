/* world_rig.h - one world from a scenario's text, driven step by step by the names of its steps. */
#ifndef LOCKSIM_TESTS_WORLD_RIG_H
#define LOCKSIM_TESTS_WORLD_RIG_H

#include "fixture.h"

typedef struct {
    arena *a;
    const scenario *sc;
    world *w;
    buf enabled;           /* what rig_enabled last said */
} rig;

/* Takes a test's scenario: `fields` without "return {", "title" and the closing brace; the fixture's lock and driver
 * are at hand. */
static inline rig rig_new(arena *a, const char *fields)
{
    buf lua = { 0 };
    buf_printf(&lua, "%sreturn { title = 't', %s }", FIXTURE_LOCK, fields);
    rig r = { .a = a, .sc = fixture_scenario(a, lua.p) };
    buf_free(&lua);
    err e = { 0 };
    r.w = world_new(r.sc, &fixture_loader, &(world_options){ .record = true }, &e);
    assert_non_null(r.w);
    return r;
}

static inline void rig_free(rig *r)
{
    world_free(r->w);
    buf_free(&r->enabled);
}

/* The names of everything that is enabled, blanks between. Borrowed until the next call. */
static inline const char *rig_enabled(rig *r)
{
    const step *steps;
    size_t count = world_enabled(r->w, &steps);
    buf_clear(&r->enabled);
    for (size_t i = 0; i < count; i++) {
        buf_addz(&r->enabled, i ? " " : "");
        world_name_step(r->w, &steps[i], &r->enabled);
    }
    return count ? r->enabled.p : "";
}

/* Takes the steps of a schedule, one after the other. */
static inline void rig_take(rig *r, const char *schedule)
{
    schedule_item *items;
    size_t count;
    err e = { 0 };
    assert_true(schedule_parse(r->a, str_from(schedule), S("test"), &items, &count, &e));
    for (size_t i = 0; i < count; i++) {
        step s = { 0 };
        if (!world_find(r->w, items[i].token, items[i].argument, &s, &e) || !world_take(r->w, &s, &e)) {
            buf b = { 0 };
            err_print(&e, &b);
            print_error("%s", b.p);
            fail_msg("step %zu of '%s'", i + 1, schedule);
        }
        i -= s.more;
    }
}

#define rig_enables(r, names) assert_string_equal(rig_enabled(r), names)

/* All that the clients logged so far, blanks between. */
static inline const char *rig_log(rig *r)
{
    const story *told = world_story(r->w);
    buf b = { 0 };
    for (size_t i = 0; i < told->count; i++)
        if (told->rows[i].notes.n) {
            if (b.n)
                buf_byte(&b, ' ');
            buf_add(&b, told->rows[i].notes);
        }
    for (size_t i = 0; i < b.n; i++)
        b.p[i] = b.p[i] == '\n' ? ' ' : b.p[i];
    const char *text = arena_str(r->a, buf_str(&b)).p;
    buf_free(&b);
    return text;
}

/* What changed in Redis in the last step. */
static inline const char *rig_redis(const rig *r)
{
    const story *told = world_story(r->w);
    return told->count ? told->rows[told->count - 1].redis.p : "";
}

#endif
