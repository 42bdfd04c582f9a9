/* fork_server.h - processes of one client that wait in their first connect() and make a copy of themselves for each run
 * (preload/fork_server.c). A copy is our child, as if we had started it; what it draws from until then is one of a few
 * variants, each with a server of its own. */
#ifndef LOCKSIM_DRIVE_FORK_SERVER_H
#define LOCKSIM_DRIVE_FORK_SERVER_H

#include <sys/types.h>

#include "base/err.h"

enum { START_VARIANTS = 4 };

typedef struct {
    int door;                      /* where processes offer themselves */
    struct {
        pid_t pid;                 /* 0: there is none */
        int control;
    } at[START_VARIANTS];
} fork_servers;

/* `file` is the socket's, and ends with '\0'. */
bool fork_servers_open(fork_servers *f, str file, err *e);
void fork_servers_close(fork_servers *f);          /* the servers end */
/* At a rest: a process may have offered itself. It is taken as the server of `variant`, or refused and goes on by
 * itself. *copy: its first copy's number; 0: it was refused. false: no process offered itself. */
bool fork_servers_meet(fork_servers *f, uint32_t variant, bool keep, pid_t *copy);
/* A new copy's number; 0: there is no server of this variant. */
pid_t fork_servers_copy(fork_servers *f, uint32_t variant);

#endif
