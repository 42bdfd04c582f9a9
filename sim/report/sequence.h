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
    str name, summary;     /* for anyone who hears instead of seeing */
    const char *id;        /* of a picture within a page: its ids begin so; NULL: a file of its own, with style, head
                            * line and legend */
    bool broke;            /* the last row breaks the property: it is marked, and `summary` said below */
    const size_t *blamed;  /* rows, 1-based, that are marked as to blame; and the one that decides (0: none) */
    size_t blamed_count, decides;
    bool for_ever;         /* anyone who waits at the story's end waits for ever: it is said where its last step is */
    size_t rows_max;       /* 0: all; else the middle is left out, and said */
} sequence_view;

/* The rows drawn for a story of any length unless somebody asks for all. */
enum { SEQUENCE_ROWS_MAX = 160 };

void sequence_svg(const sequence_view *v, buf *out);
/* The rules that colour such pictures, light and dark: a page holds them once. */
void sequence_style(buf *out);
/* What the bars, arrows and marks mean, as a list that wraps. */
void sequence_legend(buf *out);
/* Whose column a holder's name ("A:1", "A#1:2") belongs to; SIZE_MAX: nobody's. */
size_t sequence_client(const str *clients, size_t count, str who);

#endif
