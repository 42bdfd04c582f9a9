/* replay_to.h - a story's requests, played to a real server. */
#ifndef LOCKSIM_CLI_REPLAY_TO_H
#define LOCKSIM_CLI_REPLAY_TO_H

#include "cli/cli.h"
#include "world/story.h"

/* Plays what `run` executed to o->to (HOST:PORT), each request at its own time or, with o->fast, at once, and prints
 * every answer beside ours. The exit status: 0 all as ours, 1 not, 64 no server listens, it holds data, or the story
 * has several servers. */
int replay_to(const options *o, str file, const story *run);

#endif
