/* event_loop.h - moves bytes between sockets and a hub: listens, accepts, reads, and writes what has gathered once per
 * turn (libuv). The hub and whatever else is passed in must outlive the loop. */
#ifndef LOCKSIM_SERVE_EVENT_LOOP_H
#define LOCKSIM_SERVE_EVENT_LOOP_H

#include "base/err.h"
#include "serve/hub.h"

typedef struct loop loop;
loop *loop_new(hub *h);
/* Closes every socket and removes the files of those it listens on. SIGINT and SIGTERM wait from here on: the program
 * is ending. */
void loop_free(loop *l);

/* Listens on a TCP port of this address, numeric or `localhost`; port 0: any that is free. *port_out is the port it
 * got. */
bool loop_listen_tcp(loop *l, const char *address, int port, int *port_out, err *e);
/* Listens on a new socket file. */
bool loop_listen_unix(loop *l, const char *path, err *e);
/* Serves until SHUTDOWN, SIGINT or SIGTERM; one that came since loop_new counts. */
void loop_run(loop *l);

#endif
