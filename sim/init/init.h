/* init.h - `locksim init`: a scenario for lock scripts without a description. */
#ifndef LOCKSIM_INIT_INIT_H
#define LOCKSIM_INIT_INIT_H

#include "host/options.h"

/* An exit status of host/print.h. */
int init_main(const options *o);

#endif
