/* page_story.c - a counterexample on the page: what broke, why, the picture, and the steps to walk through. */
#include <string.h>

#include "report/clean.h"
#include "report/page_parts.h"
#include "report/sequence.h"

void page_tag(buf *out, const char *tag, const char *kind, str text)
{
    buf_printf(out, *kind ? "<%s class=\"%s\">" : "<%s>", tag, kind);
    clean_xml(out, text);
    buf_printf(out, "</%s>", tag);
}

void page_lines(buf *out, const char *tag, str text)
{
    for (size_t from = 0; from < text.n; ) {
        size_t end = str_find(text, '\n', from);
        if (end > from)
            page_tag(out, tag, "", str_slice(text, from, end));
        from = end + 1;
    }
}

bool page_tells(size_t i, size_t count)
{
    return count <= PAGE_STEPS_MAX + 1 || i < PAGE_STEPS_MAX / 4 || i >= count - (PAGE_STEPS_MAX - PAGE_STEPS_MAX / 4);
}

static void add_fact(buf *out, const char *label, str text)
{
    if (text.n == 0)
        return;
    buf_printf(out, "<dt>%s</dt>", label);
    page_tag(out, "dd", "", text);
    buf_byte(out, '\n');
}

static void add_replay(const page *p, str file, buf *out)
{
    if (file.n == 0)
        return;
    buf command = { 0 };
    report_add_replay(&command, p->program, file);
    buf_addz(out, "<dt>replay</dt><dd><code>");
    clean_xml(out, buf_str(&command));
    buf_addz(out, "</code></dd>\n");
    buf_free(&command);
}

static void add_diagram(const outcome *o, const counterexample *x, str id, buf *out)
{
    arena *a = arena_new();
    const property_info *info = property_describe(x->property);
    str diagram = arena_printf(a, "%.*s-picture", STR_ARG(id));
    sequence_view v = { .s = &x->story, .clients = o->clients, .client_count = o->client_count, .broke = true,
                        .id = diagram.p, .summary = x->text, .blamed = x->blamed, .blamed_count = x->blamed_count,
                        .decides = x->decides,
                        .for_ever = x->property == PROPERTY_NO_LOST_WAKEUP ||
                                    x->property == PROPERTY_NO_DEADLOCK,
                        .name = arena_printf(a, "Sequence diagram: %s is violated in %.*s", info->name,
                                             STR_ARG(o->path)), .rows_max = PAGE_STEPS_MAX };
    buf_printf(out, "<div class=\"diagram\" tabindex=\"0\" role=\"region\" aria-label=\"Sequence diagram of %s\">\n",
               info->code);
    sequence_svg(&v, out);
    buf_addz(out, "</div>\n");
    arena_free(a);
}

void page_story(const page *p, const report_item *item, const counterexample *x, buf *out)
{
    const outcome *o = item->result;
    page_tag(out, "p", "sentence", x->text);
    buf_addz(out, "\n<dl class=\"facts\">\n<dt>length</dt><dd>");
    report_add_count(out, x->steps);
    buf_printf(out, x->steps == 1 ? " step, " : " steps, ");
    report_add_count(out, x->switches);
    buf_printf(out, "%s</dd>\n", x->switches == 1 ? " switch between clients" : " switches between clients");
    add_fact(out, "why", x->why);
    add_fact(out, "blame", x->blame);
    if (!x->replayed)
        add_fact(out, "note",
                 S("replayed, this schedule did not break the property again: that is a mistake of locksim's"));
    add_replay(p, item->files ? item->files[x - o->examples] : S(""), out);
    buf_addz(out, "</dl>\n");
}

void page_player(const outcome *o, const counterexample *x, str id, buf *out)
{
    buf_addz(out, "<div class=\"player\">\n");
    add_diagram(o, x, id, out);
    buf_addz(out, "<details class=\"walk\"><summary>Step by step, with every key</summary>\n");
    page_steps(o, x, id, out);
    buf_addz(out, "</details>\n</div>\n");
}
