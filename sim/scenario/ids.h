/* ids.h - the byte order of the clients' ids. Real ids are random; here they begin with the client's name, or, in every
 * other order, with a digit or two and the name. An order is a scenario of its own that equals the first one except for
 * scenario_client.id. */
#ifndef LOCKSIM_SCENARIO_IDS_H
#define LOCKSIM_SCENARIO_IDS_H

#include "scenario/scenario.h"

/* The number of orders that are searched: all of them up to four clients; with more, each client's ids come first in
 * one and last in another. */
size_t ids_orders(size_t clients);
/* Are these all possible orders? */
bool ids_orders_are_all(size_t clients);
/* The i-th of them; number 0 is the order of the names, and `sc` itself. In `a`; it shares what it can. */
const scenario *ids_order(arena *a, const scenario *sc, size_t i);
/* "ids=B<A", by which a schedule begins in such an order; empty: in that of the names. */
str ids_word(arena *a, const scenario *sc);
bool ids_is_word(str token);
str ids_word_in(str schedule);         /* empty: the schedule names no order */
/* The order that the schedule names; `sc` itself if it names none. NULL: its clients are not these; `e` says so. */
const scenario *ids_of_schedule(arena *a, const scenario *sc, str schedule, err *e);
/* Does the loaded code name an id ("A:1") as it is in the order of the names? Then no other order is possible. */
bool ids_are_written(const scenario *sc);

/* The client whose id begins at s[at], as me.id and me:unique make them; NOBODY: none. */
uint32_t ids_client_at(const scenario *sc, str s, size_t at);
/* Adds a bit to `met` for each client an id of whom is in `s`. */
void ids_meet(const scenario *sc, str s, uint64_t *met);
bool ids_several(uint64_t met);
/* Replaces ids in place by others of the same length, whose byte order is the opposite; a second call restores them. */
void ids_exchange(const scenario *sc, char *bytes, size_t n);
void ids_exchange_back(const scenario *sc, char *bytes, size_t n);

#endif
