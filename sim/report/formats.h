/* formats.h - the formats in which `locksim run` writes its results: a row each. A new one is a row here, a file of its
 * own that defines format_NAME, and its words in locksim(1), --format. */
#ifndef LOCKSIM_REPORT_FORMATS_H
#define LOCKSIM_REPORT_FORMATS_H

#include "report/report.h"

/* All results of a run. Borrowed. */
typedef struct {
    const report_item *items;
    size_t count, not_run;             /* not_run: scenarios that were not reached (interrupted) */
    int exit_status;
    const report_style *style;
} report_document;

/* FORMAT_*, and its name on the command line. Other commands take the first two or three of them. */
#define REPORT_FORMATS(F) \
    F(TEXT, text)         /* the last lines: each result was told when it came */ \
    F(JSON, json) \
    F(JUNIT, junit) \
    F(MARKDOWN, markdown) \
    F(TAP, tap) \
    F(SARIF, sarif) \
    F(GITHUB, github)

#define REPORT_FORMAT_ENUM(NAME, name) FORMAT_##NAME,
enum { REPORT_FORMATS(REPORT_FORMAT_ENUM) FORMAT_COUNT };
#define REPORT_FORMAT_FUNCTION(NAME, name) void format_##name(const report_document *d, buf *out);
REPORT_FORMATS(REPORT_FORMAT_FUNCTION)

/* "text|json|...", for the table of options. */
#define REPORT_FORMAT_WORD(NAME, name) "|" #name
#define REPORT_FORMAT_WORDS (&(REPORT_FORMATS(REPORT_FORMAT_WORD))[1])

/* Adds the document in that format (FORMAT_*). */
void report_document_write(int format, const report_document *d, buf *out);

#endif
