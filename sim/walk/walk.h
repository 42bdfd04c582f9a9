/* walk.h - `locksim walk`: a world gone through by hand, one step at a time, as one goes through code in a debugger. */
#ifndef LOCKSIM_WALK_WALK_H
#define LOCKSIM_WALK_WALK_H

#include "host/options.h"

/* An exit status of host/print.h. */
int walk_main(const options *o);

#endif
