/* compare.h - `locksim compare`: two versions of a script or driver in lock step, and whether any client can tell them
 * apart. */
#ifndef LOCKSIM_COMPARE_COMPARE_H
#define LOCKSIM_COMPARE_COMPARE_H

#include "host/options.h"

/* An exit status of host/print.h. */
int compare_main(const options *o);

#endif
