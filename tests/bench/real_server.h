/* real_server.h - a redis-server 7.0 of its own, to measure beside: started without persistence on a unix socket below
 * /tmp, spoken to in pipelines, ended with the program. Unlike the one of tests/conformance its clock runs and nothing
 * is preloaded, so that it is as fast as it can be. */
#ifndef LOCKSIM_TESTS_BENCH_REAL_SERVER_H
#define LOCKSIM_TESTS_BENCH_REAL_SERVER_H

#include <stddef.h>

#include "base/buf.h"

typedef struct real_server real_server;

/* NULL, with the reason on stderr, where there is none: it is the binary that Debian's redis-tools ships as
 * redis-check-rdb. */
real_server *real_server_start(void);
void real_server_stop(real_server *s);             /* NULL is fine */
const char *real_server_path(const real_server *s);        /* of its socket */
double real_server_cpu_s(const real_server *s);            /* the processor time that it has used so far */

/* A blocking connection to a unix socket; whatever fails ends the program with a message. */
int unix_connect(const char *path);
/* Returns when a server listens there, which may take a server that was just started a moment; false if none does
 * after 10 s. */
bool unix_wait(const char *path);
/* Appends one command as RESP. */
void pipeline_add(buf *out, const str *argv, size_t argc);
/* Sends the commands and waits for their answers, each of which must be one line and no error (an integer, a status,
 * $-1): else the program ends with a message. */
void pipeline_run(int fd, const buf *commands, size_t answers);

#endif
