/* ids.h - in which order the bytes of the clients' ids lie. In life ids are random; here they begin with the client's
 * name, in every other order with a digit or two and the name. An order is a scenario of its own, equal to the first in
 * all but scenario_client.id. */
#ifndef LOCKSIM_SCENARIO_IDS_H
#define LOCKSIM_SCENARIO_IDS_H

#include "scenario/scenario.h"

/* So many orders are looked at: all of them up to four clients; of more, each client's ids come first in one and last
 * in another. */
size_t ids_orders(size_t clients);
/* All orders there are. */
bool ids_orders_are_all(size_t clients);
/* The i-th of them; the 0th is that of the names, and `sc` itself. In `a`; it shares what it can. */
const scenario *ids_order(arena *a, const scenario *sc, size_t i);
/* "ids=B<A", by which a schedule begins in such an order; empty: in that of the names. */
str ids_word(arena *a, const scenario *sc);
bool ids_is_word(str token);
str ids_word_in(str schedule);         /* empty: it does not begin so */
/* The order that the schedule says; `sc` itself if it says none. NULL: its clients are others, and `e` says so. */
const scenario *ids_of_schedule(arena *a, const scenario *sc, str schedule, err *e);
/* Does the code that was loaded name an id ("A:1") as it is in the order of the names? Then it is none that could be
 * another. */
bool ids_are_written(const scenario *sc);

/* The client whose id begins at s[at], as me.id and me:unique make them; NOBODY: none. */
uint32_t ids_client_at(const scenario *sc, str s, size_t at);
/* Adds a bit to `met` for each client an id of whom is in `s`. */
void ids_meet(const scenario *sc, str s, uint64_t *met);
bool ids_several(uint64_t met);
/* In place, ids become others of the same length, whose bytes lie in the opposite order; and back. */
void ids_exchange(const scenario *sc, char *bytes, size_t n);
void ids_exchange_back(const scenario *sc, char *bytes, size_t n);

#endif
