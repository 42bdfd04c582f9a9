/* learner.h - a world can serve to learn what steps do, so that later they are looked up (memo/). Such a world holds
 * only the parts of a state that a step can touch, and calls its learner for the rest. A world without a learner is
 * real. */
#ifndef LOCKSIM_WORLD_LEARNER_H
#define LOCKSIM_WORLD_LEARNER_H

#include "world/internal.h"

struct learner {
    /* A process whose Lua runs once for each of its states. NULL: its file cannot be run. */
    process *(*birth)(learner *l, uint32_t process, uint32_t incarnation, int64_t now_ms, err *e);
    /* Records what monitors will be told. */
    void (*record)(learner *l, const event *e);
    /* Locks that the process registered become visible. */
    bool (*watch)(learner *l, uint32_t process, err *e);
    /* Executes the request at its server, as network_execute does, and says how long it waits there (network_waits_ms).
     * Sets f->queuing, too. */
    bool (*execute)(learner *l, flight *f, int64_t *waits_ms, err *e);
    /* The same script with a longer life, known at the server. */
    const script_file *(*script)(learner *l, const script_file *script, server *s);
    /* The server sleeps, and some of its state is about to be read. */
    void (*wake)(learner *l, server *s);
    void (*published)(learner *l);
    /* Subscribes at the servers every task subscribed in the step's environment; and: ends all subscriptions at the
     * servers. */
    void (*subscribe)(learner *l);
    void (*unsubscribed)(learner *l);
    /* The event that the client waits for (scenario_client.after) has happened. */
    void (*started)(learner *l, uint32_t process);
    /* The request that waits in this slot is answered (NULL: its connection broke). */
    void (*served)(learner *l, uint32_t process, uint32_t server, uint32_t slot, const reply *answer);
};

#endif
