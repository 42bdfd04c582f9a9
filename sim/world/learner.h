/* learner.h - a world may serve to learn what steps do, so that they can be looked up from then on (memo/). Such a
 * world holds only the parts of a state that a step can touch, and asks its learner for what it would otherwise do
 * itself. A world without a learner is real. */
#ifndef LOCKSIM_WORLD_LEARNER_H
#define LOCKSIM_WORLD_LEARNER_H

#include "world/internal.h"

struct learner {
    /* A process whose Lua runs once for each of its states. NULL: its file cannot be run. */
    process *(*birth)(learner *l, uint32_t process, uint32_t incarnation, int64_t now_ms, err *e);
    /* What monitors will be told. */
    void (*record)(learner *l, const event *e);
    /* Locks that the process registered come into sight. */
    bool (*watch)(learner *l, uint32_t process, err *e);
    /* The request at its server, as network_execute does it, and how long it waits there (network_waits_ms). Sets
     * f->queuing, too. */
    bool (*execute)(learner *l, flight *f, int64_t *waits_ms, err *e);
    /* The script as one that lasts, known at the server. */
    const script_file *(*script)(learner *l, const script_file *script, server *s);
    /* The server sleeps, and something of it is about to be looked at. */
    void (*wake)(learner *l, server *s);
    void (*published)(learner *l);
    /* Who is subscribed in the step's environment is so at the servers, too; and: the servers know of no subscription
     * any more. */
    void (*subscribe)(learner *l);
    void (*unsubscribed)(learner *l);
    /* What the client waits for (scenario_client.after) has happened. */
    void (*started)(learner *l, uint32_t process);
    /* The request that waits in this slot has its answer (NULL: its connection broke). */
    void (*served)(learner *l, uint32_t process, uint32_t server, uint32_t slot, const reply *answer);
};

#endif
