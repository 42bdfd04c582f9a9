/* changed.c - see changed.h. */
#include "report/changed.h"

#include "report/clean.h"

bool report_has_changed(const report_before *before, const outcome *now)
{
    if (!before->known || now->verdict != before->verdict)
        return now->verdict != (before->known ? before->verdict : VERDICT_PASS);
    for (int p = 0; p < PROPERTY_COUNT; p++)
        if (now->properties[p].outcome != before->properties[p])
            return now->verdict != VERDICT_ERROR;
    return false;
}

static void add_property(const report_item *item, property p, const report_style *style, buf *out)
{
    const property_info *info = property_describe(p);
    const counterexample *x = item->result->properties[p].example;
    buf_printf(out, "  %s %s", info->code, info->name);
    if (!x) {
        buf_addz(out, "  is expected to be violated, and holds\n");
        return;
    }
    buf_addz(out, "  ");
    clean_text(out, x->text);
    buf_printf(out, "  (%zu %s)\n", x->steps, x->steps == 1 ? "step" : "steps");
    str file = item->files ? item->files[x - item->result->examples] : S("");
    if (file.n) {
        buf_addz(out, "    ");
        report_add_replay(out, style->program, file);
        buf_byte(out, '\n');
    }
}

static void add_reason(const outcome *o, buf *out)
{
    if (o->reason.n == 0)
        return;
    buf_addz(out, "  ");
    clean_text(out, o->reason);
    buf_byte(out, '\n');
}

void report_changed(const report_before *before, const report_item *item, const report_style *style, buf *out)
{
    const outcome *o = item->result;
    report_add_verdict(out, style, o->verdict);
    clean_text(out, o->path);
    if (before->known && before->verdict != o->verdict)
        buf_printf(out, "   was %s", verdict_name(before->verdict));
    buf_byte(out, '\n');
    bool named = false;
    for (int p = 0; p < PROPERTY_COUNT && o->verdict == VERDICT_FAIL; p++) {
        const property_result *r = &o->properties[p];
        if (!report_is_failure(r) && !(r->expected == EXPECT_VIOLATED && r->outcome == OUTCOME_HOLDS))
            continue;
        add_property(item, (property)p, style, out);
        named = true;
    }
    if (!named && o->verdict != VERDICT_PASS && o->error.class_ == ERR_NONE)
        add_reason(o, out);
}
