/* mutate_share.c - see mutate_share.h. */
#include "mutate/mutate_share.h"

#include "base/codec.h"
#include "host/ranks.h"

bool mutate_is_left(void)
{
    return ranks_all() > 1 && progress_interrupted();
}

void mutate_pack_scene(const scene *s, buf *out)
{
    put_varint(out, s->state);
    put_varint(out, s->cost);
    put_varint(out, s->states);
    put_varint(out, s->script_count);
    for (size_t i = 0; i < s->script_count; i++) {
        const coverage_script *c = &s->scripts[i];
        buf_lenstr(out, c->body);
        put_varint(out, c->line_count);
        for (size_t k = 0; k < c->line_count; k++) {
            put_svarint(out, c->lines[k].line);
            put_varint(out, c->lines[k].count);
        }
    }
    put_varint(out, s->driver_count);
    for (size_t i = 0; i < s->driver_count; i++) {
        buf_lenstr(out, s->drivers[i].path);
        buf_lenstr(out, (str){ (const char *)s->drivers[i].lines, s->drivers[i].line_count });
    }
}

static coverage_script take_script(arena *a, str *from)
{
    coverage_script c = { .body = arena_str(a, take_lenstr(from)) };
    c.line_count = (size_t)take_varint(from);
    coverage_line *lines = ARENA_ARRAY(a, coverage_line, c.line_count + 1);
    for (size_t k = 0; k < c.line_count; k++) {
        lines[k].line = (int)take_svarint(from);
        lines[k].count = take_varint(from);
    }
    c.lines = lines;
    return c;
}

void mutate_unpack_scene(arena *a, str bytes, scene *out)
{
    out->state = (scene_state)take_varint(&bytes);
    out->cost = take_varint(&bytes);
    out->states = take_varint(&bytes);
    out->script_count = (size_t)take_varint(&bytes);
    coverage_script *scripts = ARENA_ARRAY(a, coverage_script, out->script_count + 1);
    for (size_t i = 0; i < out->script_count; i++)
        scripts[i] = take_script(a, &bytes);
    out->scripts = scripts;
    out->driver_count = (size_t)take_varint(&bytes);
    reached_driver *drivers = ARENA_ARRAY(a, reached_driver, out->driver_count + 1);
    for (size_t i = 0; i < out->driver_count; i++) {
        drivers[i].path = arena_str(a, take_lenstr(&bytes));
        str lines = arena_str(a, take_lenstr(&bytes));
        drivers[i].lines = (const uint8_t *)lines.p;
        drivers[i].line_count = lines.n;
    }
    out->drivers = drivers;
}
