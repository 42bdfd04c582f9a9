/* played.c - see played.h. */
#include "report/played.h"

#include "report/clean.h"
#include "report/json_text.h"

static size_t count(const played_story *p, played_kind k)
{
    size_t n = 0;
    for (size_t i = 0; i < p->count; i++)
        n += p->rows[i].kind == k;
    return n;
}

bool played_differs(const played_story *p)
{
    return count(p, PLAYED_DIFFERS) > 0;
}

static size_t count_late(const played_story *p)
{
    size_t n = 0;
    for (size_t i = 0; i < p->count; i++)
        n += p->rows[i].late;
    return n;
}

bool played_is_inconclusive(const played_story *p)
{
    return played_differs(p) && count_late(p) > 0;
}

static void add_row(const played_row *r, buf *out)
{
    static const char *const signs[] = { [PLAYED_SAME] = " ", [PLAYED_NEAR] = "~", [PLAYED_DIFFERS] = "!",
                                         [PLAYED_WAITS] = " " };
    const story_request *q = r->request;
    buf_printf(out, "  %s ", signs[r->kind]);
    report_add_instant(out, q->executed_ms);
    buf_addz(out, "  ");
    clean_text(out, q->who);
    buf_addz(out, "  ");
    for (size_t i = 0; i < q->argc; i++) {
        buf_addz(out, i ? " " : "");
        clean_argument(out, q->argv[i]);
    }
    buf_addz(out, " -> ");
    clean_text(out, q->answer.n ? q->answer : S("(waits)"));
    if (r->kind == PLAYED_DIFFERS || r->kind == PLAYED_NEAR) {
        buf_addz(out, "   there: ");
        clean_text(out, r->theirs);
    }
    buf_byte(out, '\n');
}

void report_played_text(const played_story *p, const report_style *style, buf *out)
{
    bool differs = played_differs(p), late = played_is_inconclusive(p);
    buf_printf(out, "%s%s%s  ", !style->color ? "" : late ? "\033[33m" : differs ? "\033[31;1m" : "\033[32m",
               late ? "INCONCLUSIVE" : differs ? "DIFFERENT" : "SAME", style->color ? "\033[0m" : "");
    clean_text(out, p->file);
    buf_printf(out, "   %zu requests played to ", p->count);
    clean_text(out, p->to);
    buf_printf(out, "%s: ", p->fast ? ", as fast as they were answered" : ", in real time");
    if (differs)
        buf_printf(out, "%zu answered otherwise\n\n", count(p, PLAYED_DIFFERS));
    else
        buf_addz(out, "every answer is as ours\n\n");
    for (size_t i = 0; i < p->count; i++)
        add_row(&p->rows[i], out);
    if (count(p, PLAYED_NEAR))
        buf_printf(out, "\n  ~ %zu numbers that time on a real machine makes a little different\n",
                   count(p, PLAYED_NEAR));
    if (late)
        buf_printf(out, "\n  this machine was late at %zu of them: what ends by the clock may have ended too early for "
                   "them; play it again on an idle machine\n", count_late(p));
    if (p->fast)
        buf_addz(out, "\n  no time passed there: what ends by the clock did not end\n");
    if (p->not_played.n)
        buf_printf(out, "\n  the story has faults of the server that were not played: %.*s\n", STR_ARG(p->not_played));
}

void report_played_json(const played_story *p, int exit_status, buf *out)
{
    static const char *const kinds[] = { [PLAYED_SAME] = "same", [PLAYED_NEAR] = "near", [PLAYED_DIFFERS] = "differs",
                                         [PLAYED_WAITS] = "waits" };
    json_t *document = json_object(), *o = json_object(), *list = json_array();
    for (size_t i = 0; i < p->count; i++) {
        const story_request *q = p->rows[i].request;
        json_t *r = json_object(), *words = json_array();
        for (size_t k = 0; k < q->argc; k++)
            json_array_append_new(words, json_text(q->argv[k]));
        json_object_set_new(r, "task", json_text(q->who));
        json_object_set_new(r, "executed_ms", json_integer(q->executed_ms));
        json_object_set_new(r, "words", words);
        json_object_set_new(r, "ours", json_text(q->answer));
        json_object_set_new(r, "theirs", json_text(p->rows[i].theirs));
        json_object_set_new(r, "late", json_boolean(p->rows[i].late));
        json_object_set_new(r, "result", json_string(kinds[p->rows[i].kind]));
        json_array_append_new(list, r);
    }
    json_object_set_new(o, "file", json_text(p->file));
    json_object_set_new(o, "to", json_text(p->to));
    json_object_set_new(o, "fast", json_boolean(p->fast));
    json_object_set_new(o, "not_played", json_text(p->not_played));
    json_object_set_new(o, "requests", list);
    json_object_set_new(document, "locksim", json_integer(1));
    json_object_set_new(document, "exit_status", json_integer(exit_status));
    json_object_set_new(document, "played", o);
    json_document_add(out, document);
}
