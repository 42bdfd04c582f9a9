/* story_requests.c - the requests of a story as they were sent, a line each: for a comparison of a driver with its
 * library. */
#include "report/clean.h"
#include "report/report.h"

enum { INSTANT_COLUMNS = 11, CLIENT_COLUMNS = 8 };

static void add_instant(buf *out, int64_t at_ms)
{
    buf b = { 0 };
    if (at_ms == STORY_NEVER_MS)
        buf_byte(&b, '-');
    else
        report_add_instant(&b, at_ms);
    buf_printf(out, "%*s", INSTANT_COLUMNS, b.p);
    buf_free(&b);
}

static void add_request(buf *out, const story_request *r)
{
    add_instant(out, r->sent_ms);
    add_instant(out, r->executed_ms);
    add_instant(out, r->answered_ms);
    buf_addz(out, "  ");
    buf who = { 0 };
    clean_text(&who, r->who);
    buf_printf(out, "%-*s", CLIENT_COLUMNS, who.p ? who.p : "");
    buf_free(&who);
    buf_printf(out, "%s%s", r->server ? " at server " : "", r->server ? "" : " ");
    if (r->server)
        buf_printf(out, "%u  ", r->server + 1);
    for (size_t i = 0; i < r->argc; i++) {
        buf_addz(out, i ? " " : "");
        clean_argument(out, r->argv[i]);
    }
    if (r->copy)
        buf_addz(out, "  (duplicate)");
    if (r->answer.n) {
        buf_addz(out, " -> ");
        clean_text(out, r->answer);
    } else {
        buf_addz(out, r->waited ? " -> (waits)" : " -> (not executed)");
    }
    buf_byte(out, '\n');
}

void report_add_requests(buf *out, const story *s)
{
    if (s->request_count == 0)
        return;
    buf_printf(out, "\n  requests%*s%*s%*s  client   words -> answer\n", INSTANT_COLUMNS - 2, "sent", INSTANT_COLUMNS,
               "executed", INSTANT_COLUMNS, "answered");
    for (size_t i = 0; i < s->request_count; i++) {
        buf_addz(out, "        ");
        add_request(out, &s->requests[i]);
    }
}
