/* drive_ports.h - `locksim drive --port`: where programs look for Redis. Each port is a server of its own. */
#ifndef LOCKSIM_CLI_DRIVE_PORTS_H
#define LOCKSIM_CLI_DRIVE_PORTS_H

#include "base/err.h"
#include "drive/shared.h"

typedef struct {
    uint16_t at[SHARED_PORTS];
    size_t count;
} drive_ports;

/* "6379,6380,6381". false and a usage error where it is no such list. */
bool ports_take(str text, drive_ports *out, err *e);

#endif
