/* lint.h - findings of `locksim lint`: their codes, and how they are written. */
#ifndef LOCKSIM_REPORT_LINT_H
#define LOCKSIM_REPORT_LINT_H

#include "base/buf.h"

typedef struct {
    const char *code;              /* "LS008" */
    const char *name;              /* "no-expiry" */
    const char *summary;           /* one line */
    const char *explain;           /* lines, each ending in a newline: why it matters, then a bad and a good example */
} lint_code;

enum { LINT_CODES = 29 };
extern const lint_code lint_codes[LINT_CODES];     /* in the order of the codes */
/* By code or name, in any case; NULL: there is none. */
const lint_code *lint_code_find(str word);

/* The codes and their summaries, for --help. */
void lint_add_codes(buf *out);

/* One finding. Lines and columns count from 1, columns in bytes. Borrowed texts. */
typedef struct {
    str path, code, message, hint; /* hint: empty if there is none */
    int line, col, end_col;
    bool error;                    /* it stops the script for certain; else a warning */
    str text;                      /* of the whole file, to quote the line from */
} lint_finding;

typedef struct {
    const lint_finding *at;
    size_t count, files, clients;  /* scripts and files of client code: how many were looked at */
    bool colour;
} lint_result;

/* path:line:col: warning[LS008]: message, the line with a caret, a hint */
void lint_text(const lint_result *r, buf *out);
void lint_json(const lint_result *r, buf *out);
void lint_sarif(const lint_result *r, buf *out);   /* SARIF 2.1.0 (OASIS), every code a rule */
void lint_github(const lint_result *r, buf *out);  /* GitHub's workflow commands */

#endif
