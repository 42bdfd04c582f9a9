/* drive_held.h - `locksim drive --against SCENARIO`: compares real programs with the drivers that model them. */
#ifndef LOCKSIM_CLI_DRIVE_HELD_H
#define LOCKSIM_CLI_DRIVE_HELD_H

#include "drive/campaign.h"
#include "judge/judge.h"

/* The scenario, and the result. */
typedef struct {
    search_path where;
    loader l;
    against with;
    campaign_held found;
} held;

/* Loads o->against into `a`; *h must not move afterwards. false: it cannot be read, or has other clients. */
bool held_open(arena *a, const options *o, const drive_setup *setup, held *h, err *e);
/* Prints it as o->format wants, and gives the exit status. */
int held_print(const options *o, const outcome *out, const held *h, int status);

#endif
