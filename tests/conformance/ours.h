/* ours.h - a client of locksim's own hub, asked as real_execute asks a real server. */
#ifndef LOCKSIM_CONFORMANCE_OURS_H
#define LOCKSIM_CONFORMANCE_OURS_H

#include "serve/hub.h"

/* Sends one request, and adds the bytes of all that is answered at once to `out`. */
void ours_ask(hub *h, hub_client *ours, const str *argv, size_t argc, buf *out);

#endif
