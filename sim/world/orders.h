/* orders.h - does it matter in which order the bytes of the clients' ids lie? Each request that finds ids of several
 * clients, and each view, is asked twice on a server of its own, once with ids whose bytes lie in the opposite order:
 * answer, keyspace and messages must be the same but for the ids. A client's loop by `pairs` over keys with ids of
 * several clients, and a sort of such texts, count as well; what else client code makes of an order of texts (a
 * comparison by <) is not seen. */
#ifndef LOCKSIM_WORLD_ORDERS_H
#define LOCKSIM_WORLD_ORDERS_H

#include "scenario/ids.h"
#include "redis/redis.h"

typedef struct orders orders;
/* Of the scenario's worlds, with ids in the order of the names. */
orders *orders_new(const scenario *sc, redis_limits limits);
void orders_free(orders *o);                       /* NULL is fine */
/* Does it? What showed it is in *why then, which lives as long as `o`. */
bool orders_matter(const orders *o, str *why);
/* Requests and views that find an id of one client are asked twice, too: does an id's own spelling matter, or an
 * order? */
void orders_ask_of_each(orders *o);
bool orders_apart(const orders *o, str *why);

#endif
