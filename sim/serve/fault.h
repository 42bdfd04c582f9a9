/* fault.h - FAULT of `locksim serve`: a test chooses which of the next requests loses its answer.
 *
 *     FAULT NEXT lose_reply [RESET] [CLIENT id] [COMMAND name]     the first request that fits, of CLIENT ID's id
 *     FAULT LIST                                                   those that still wait for one, the oldest first
 *     FAULT CLEAR                                                  removes them; answers how many there were
 *     FAULT HELP
 *
 * The request is executed. Its client hears nothing more on this connection, which stays open, so that it learns by its
 * own time-out; with RESET the connection is closed at once. A request that waits (BLPOP) is skipped. */
#ifndef LOCKSIM_SERVE_FAULT_H
#define LOCKSIM_SERVE_FAULT_H

#include "redis/reply.h"

enum { FAULTS_MAX = 64, FAULT_COMMAND_MAX = 32 };

typedef struct {
    uint32_t client;               /* 0: any */
    char command[FAULT_COMMAND_MAX];       /* "": any */
    bool reset;
} next_fault;

typedef struct {
    next_fault at[FAULTS_MAX];     /* in the order of FAULT NEXT */
    size_t count;
} fault_list;

/* Is it a FAULT command? */
bool fault_is_asked(str name);
/* The reply to it, in `a`. */
reply fault_answer(arena *a, fault_list *l, const str *argv, size_t argc);
/* Takes the oldest that fits this request off the list. false: none does. */
bool fault_take(fault_list *l, uint32_t client, str command, next_fault *out);

#endif
