/* orders.h - does the byte order of the clients' ids matter? Each request that finds ids of several clients, and each
 * view, runs twice on servers of its own, the second time with ids in the opposite byte order. Answer, keyspace and
 * messages must be the same but for the ids. A client's loop by `pairs` over keys with ids of several clients, and a
 * sort of such texts, count as well. Other uses of an order in client code (a comparison by <) are not seen. */
#ifndef LOCKSIM_WORLD_ORDERS_H
#define LOCKSIM_WORLD_ORDERS_H

#include "scenario/ids.h"
#include "redis/redis.h"

typedef struct orders orders;
/* For worlds of the scenario, with ids in the order of the names. */
orders *orders_new(const scenario *sc, redis_limits limits);
void orders_free(orders *o);                       /* NULL is fine */
/* Does it matter? *why then says where; it lives as long as `o`. */
bool orders_matter(const orders *o, str *why);
/* Also runs twice requests and views that find an id of one client: does the spelling of an id matter, or only an
 * order? */
void orders_ask_of_each(orders *o);
bool orders_apart(const orders *o, str *why);

#endif
