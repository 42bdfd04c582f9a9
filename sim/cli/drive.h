/* drive.h - what `locksim replay` and `locksim drive` need of each other. */
#ifndef LOCKSIM_CLI_DRIVE_H
#define LOCKSIM_CLI_DRIVE_H

#include "judge/saved.h"

/* Replays a story of real programs; prints it, and gives the exit status. */
int drive_replay(const options *o, str file, const saved *s);
/* replay.c: prints the result of a replay. */
int replay_report(const options *o, const outcome *result, str file, property p);

#endif
