/* page_parts.h - the parts that the page is put together from. Only the page*.c files include this. */
#ifndef LOCKSIM_REPORT_PAGE_PARTS_H
#define LOCKSIM_REPORT_PAGE_PARTS_H

#include "report/page.h"

/* A counterexample under its heading: the sentence, and why. */
void page_story(const page *p, const report_item *item, const counterexample *x, buf *out);
/* The diagram, and each step with the keys: what page.js makes a player of. `id` is of this page alone. */
void page_player(const outcome *o, const counterexample *x, str id, buf *out);
/* Its steps as a list. */
void page_steps(const outcome *o, const counterexample *x, str id, buf *out);
/* All up to the head line, within <header>; and from the end of <main>. */
void page_begin(const char *title, buf *out);
void page_end(buf *out);
/* Bytes as text. */
void page_base64(str s, buf *out);
/* The measurements and their plots, or why there are none; empty where nothing was simulated. */
void page_simulations(const page *p, buf *out);

/* "<tag class="kind">text</tag>" with the text cleaned. */
void page_tag(buf *out, const char *tag, const char *kind, str text);
/* Each line of a text in a tag of its own. */
void page_lines(buf *out, const char *tag, str text);
/* Is that step of a story told, where the middle of a long one is left out? */
bool page_tells(size_t i, size_t count);

#endif
