/* field_patch.c - unified diffs of the files that a scenario loads (patch.h). */
#include "scenario/fields.h"

#include <string.h>

/* The line of the diff's first line, if it is written as a long string. */
static void locate_patch(reading *r, patch *p)
{
    const token *t = source_field_string(r->main, r->at, r->depth);
    position where = source_field(r->main, r->at, r->depth);
    *p = (patch){ .name = p->name, .diff = p->diff, .file = r->out->file, .line = t ? t->line : where.line };
    size_t bracket = t && t->text.p[0] == '[' ? str_find(t->text, '[', 1) + 1 : 0;
    p->laid_out = bracket > 0 && !memchr(t->text.p, '\r', t->text.n);
    p->line += p->laid_out && bracket < t->text.n && t->text.p[bracket] == '\n';
}

static bool read_patch(reading *r, str name, int64_t index, void *context)
{
    patch *list = context;
    (void)index;
    if (!name.n)
        return reading_unknown_position(r,
                                        "diffs by the names of files: { [\"redisson/fair/acquire.lua\"] = [[ ... ]] }");
    patch *p = &list[r->out->patch_count];
    p->name = name;
    if (!read_str(r, &p->diff))
        return false;
    locate_patch(r, p);
    r->out->patch_count++;
    return true;
}

static bool read_patches(reading *r)
{
    size_t n = 0;
    if (!read_table(r, "a table { [\"redisson/fair/acquire.lua\"] = [[ a unified diff ]] }"))
        return false;
    for (lua_pushnil(r->L); lua_next(r->L, -2); lua_pop(r->L, 1))
        n++;
    patch *list = ARENA_ARRAY(r->a, patch, n + 1);
    r->out->patches = list;
    r->out->patch_count = 0;
    return read_fields(r, read_patch, list);
}

bool patches_take(reading *r, layering *g)
{
    bool ok = true;
    for (size_t i = g->count; i-- > 0 && ok && !r->out->patches;) {
        const case_layer *l = &g->layers[i];
        case_layer_push(r->L, 1, l);
        lua_pushliteral(r->L, "patch");
        lua_rawget(r->L, -2);
        if (!lua_isnil(r->L, -1)) {
            if (l->field.n)
                reading_enter(r, l->field, 0);
            if (l->name.n)
                reading_enter(r, l->name, 0);
            reading_enter(r, S("patch"), 0);
            ok = read_patches(r);
            r->depth = 0;
        }
        lua_settop(r->L, 1);
    }
    return ok;
}
