/* mirror.h - a world can keep a second keyspace beside that of each server. Time, faults and connections act on both.
 * Its mirror alone knows what runs on the second one, and what a difference means (lockstep/lockstep.h). Clients
 * get the answers and messages of the first. A world with a mirror has no views of locks (me:observe). */
#ifndef LOCKSIM_WORLD_MIRROR_H
#define LOCKSIM_WORLD_MIRROR_H

#include "world/internal.h"

/* Bits: a client can tell, by an answer or by a message; the keyspaces differ. */
typedef enum { DIFFER_NOT = 0, DIFFER_ANSWER = 1, DIFFER_MESSAGE = 2, DIFFER_KEYS = 4 } mirror_differ;

struct mirror {
    /* The second keyspace of a server, which the world frees. */
    redis *(*open)(mirror *m, server *s);
    /* The server has a new script; its own keyspace loads it next. */
    void (*learn)(mirror *m, server *s, const script_file *script);
    /* A request is about to run on the server's own keyspace. What that sends until its end is told by the next two:
     * a message, and the answer for which a request waited there. */
    void (*begin)(mirror *m);
    void (*message)(mirror *m, server *s, uint32_t conn, str channel, str payload, str pattern);
    void (*answered)(mirror *m, server *s, uint32_t conn, const reply *answer);
    /* After f was executed there, and waits there as long as network_waits_ms says: executes it on the second keyspace
     * and says how they differ (mirror_differ). *answer: the second one, in the step's memory. A real world (learner.h)
     * reports differences. false: it cannot be run there; `e` says why. */
    bool (*execute)(mirror *m, world *w, flight *f, int64_t waits_ms, unsigned *differ, reply *answer, err *e);
    /* The request as the second keyspace gets it. Shares memory with `f`. */
    flight (*translate)(mirror *m, const flight *f, arena *a);
};

/* servers.c: a connection of the second keyspace, made at the first use; and its end, if there is one. */
redis_conn *mirror_conn(const server *s, uint32_t id);
void mirror_disconnect(const server *s, uint32_t id);

#endif
