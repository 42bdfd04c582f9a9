/* sequence.h - a story as a sequence diagram in SVG: a column for each client and each server, time downwards, a row a
 * step. The words of the rows are those of the text report; arrows, bars and marks come from the story's marks. Needs
 * no script, no font and no network. */
#ifndef LOCKSIM_REPORT_SEQUENCE_H
#define LOCKSIM_REPORT_SEQUENCE_H

#include "base/arena.h"
#include "base/buf.h"
#include "world/story.h"

typedef struct {
    const story *s;
    const str *clients;
    size_t client_count;
    str name, summary;     /* for screen readers */
    const char *id;        /* of a picture within a page: its ids begin so; NULL: a file of its own, with style, head
                            * line and legend */
    bool broke;            /* the last row breaks the property: it is marked, and `summary` said below */
    const size_t *blamed;  /* rows, 1-based, that are marked as to blame; and the one that decides (0: none) */
    size_t blamed_count, decides;
    bool for_ever;         /* waiters at the story's end wait for ever: shown at its last step */
    size_t rows_max;       /* 0: all; else the middle is left out, and said */
} sequence_view;

/* The maximum number of rows, unless all are wanted. */
enum { SEQUENCE_ROWS_MAX = 160 };

void sequence_svg(const sequence_view *v, buf *out);
/* The style of such pictures, light and dark: once in a page. */
void sequence_style(buf *out);
/* The legend of bars, arrows and marks, as a list that wraps. */
void sequence_legend(buf *out);
/* The column of a holder's name ("A:1", "A#1:2"); SIZE_MAX: none. */
size_t sequence_client(const str *clients, size_t count, str who);

#endif
