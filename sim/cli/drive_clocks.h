/* drive_clocks.h - `locksim drive --clock`: clients whose clocks differ from the server's. */
#ifndef LOCKSIM_CLI_DRIVE_CLOCKS_H
#define LOCKSIM_CLI_DRIVE_CLOCKS_H

#include "drive/program.h"

/* Reads "A=+250,B=-1/50" into the clients' skew_ms and drift; a usage error if it has another form. */
bool clocks_take(str text, drive_client *clients, size_t count, err *e);

#endif
