/* resp.h - answers of a real server: RESP2 bytes to replies, however they are cut. Source:
 * redis.io/docs/reference/protocol-spec. */
#ifndef LOCKSIM_CLI_RESP_H
#define LOCKSIM_CLI_RESP_H

#include "redis/reply.h"

/* Zero-initialise; resp_free. */
typedef struct {
    buf bytes;             /* not read yet, from `used` on */
    size_t used;
} resp_reader;

typedef enum { RESP_READY, RESP_MORE, RESP_BROKEN } resp_state;

void resp_feed(resp_reader *r, str bytes);
/* The next answer, in `a`; RESP_MORE: it is incomplete; RESP_BROKEN: these bytes are no answer. */
resp_state resp_next(resp_reader *r, arena *a, reply *out);
void resp_free(resp_reader *r);

#endif
