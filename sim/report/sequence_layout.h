/* sequence_layout.h - where each row, column and word of a sequence diagram stands, in pixels. Only the sequence_*.c
 * files include this. */
#ifndef LOCKSIM_REPORT_SEQUENCE_LAYOUT_H
#define LOCKSIM_REPORT_SEQUENCE_LAYOUT_H

#include "report/sequence.h"
#include "report/sequence_trace.h"

enum {
    LAYOUT_NUMBER = 34, LAYOUT_TIME = 44, LAYOUT_LEFT = 112,   /* right edge of the numbers; times; where the rest
                                                                * begins */
    LAYOUT_CHAR = 7,       /* width of a character of the words */
    LAYOUT_LINE = 15, LAYOUT_BASELINE = 14, LAYOUT_PAD = 6,
    /* Within a row: a request arrives at the server, an answer leaves it, anything else leaves, or arrives at a
     * client. */
    LAYOUT_REQUEST = 20, LAYOUT_ANSWER = 27, LAYOUT_LEAVE = 31, LAYOUT_ARRIVE = 20,
    LAYOUT_TALK = 15,      /* the extra height of a row with arrows */
    LAYOUT_BAR = 7, LAYOUT_LANE = 9, LAYOUT_LANES_MAX = 4,     /* bars and their lanes; what is beyond shares the
                                                                * last */
    LAYOUT_PARKED_MAX = 8,
    LAYOUT_GAP = 36, LAYOUT_LEGEND = 72,
    SEQUENCE_COLOURS = 8,
};

typedef struct {
    str *lines;            /* cleaned and cut */
    size_t count;
    size_t strong;         /* the first ones say what was done, the others its effects */
} layout_cell;

typedef struct {
    int y, height;         /* height 0: left out */
    int gap;               /* between the first line and the second: arrows run there */
    layout_cell said, redis;
    layout_cell lost;      /* which parked client a key no longer names */
    bool fault, talks, passes;         /* talks: arrows begin or end at its client; passes: time, or the server by
                                        * itself */
    bool at_server;        /* no client's */
    bool tells_time;       /* the instant is another than before */
    bool blamed, decides;
    bool parks;            /* the last line of `said` tells that its client waits for ever from here on */
} layout_row;

typedef struct {
    const sequence_view *v;
    arena *a;
    sequence_trace trace;
    layout_row *rows;
    int *column;           /* x of each client, then of each server */
    size_t columns;
    int redis_x;           /* where words about keys begin */
    int top, bottom, width, height;    /* of the rows; of the whole */
    int gap_y;
    size_t left_out;
    const sequence_bar *parked[LAYOUT_PARKED_MAX];             /* the waits that last for ever */
    size_t parked_count;
} layout;

void layout_make(const sequence_view *v, layout *l);
void layout_free(layout *l);
/* Top of a row; of one that is left out: of the gap; of 0: just above the first. */
int layout_y(const layout *l, size_t step);
/* How far below it a bar begins or ends. */
int layout_grant(const layout *l, size_t step);
/* Is any of it to be seen? */
bool layout_shows(const layout *l, size_t from, size_t to);
/* The step at which a request is drawn to leave: that of its arrival, if nothing came between. */
size_t layout_left_at(const layout *l, const sequence_arrow *a);
int layout_width(str s, size_t columns_max);

#endif
