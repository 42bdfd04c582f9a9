/* formats.c - see formats.h. */
#include "report/formats.h"

#include <assert.h>

void format_text(const report_document *d, buf *out)
{
    report_text_summary(d->items, d->count, d->not_run, d->style, out);
}

void format_json(const report_document *d, buf *out)
{
    report_json(d->items, d->count, d->exit_status, d->style, out);
}

void format_junit(const report_document *d, buf *out)
{
    report_junit(d->items, d->count, d->style, out);
}

void format_markdown(const report_document *d, buf *out)
{
    report_matrix(d->items, d->count, out);
}

void format_tap(const report_document *d, buf *out)
{
    report_tap(d->items, d->count, out);
}

void format_sarif(const report_document *d, buf *out)
{
    report_sarif(d->items, d->count, out);
}

void format_github(const report_document *d, buf *out)
{
    report_github(d->items, d->count, out);
}

void report_document_write(int format, const report_document *d, buf *out)
{
#define ROW(NAME, name) format_##name,
    static void (*const write[])(const report_document *d, buf *out) = { REPORT_FORMATS(ROW) };
#undef ROW
    assert(format >= 0 && format < FORMAT_COUNT);
    write[format](d, out);
}
