/* watch.h - `locksim watch`: scenarios run again whenever a file that they rest on is saved. */
#ifndef LOCKSIM_WATCH_WATCH_H
#define LOCKSIM_WATCH_WATCH_H

#include "host/options.h"

/* An exit status of host/print.h. */
int watch_main(const options *o);

#endif
