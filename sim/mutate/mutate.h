/* mutate.h - `locksim mutate`: scripts and drivers are changed, and scenarios have to notice. */
#ifndef LOCKSIM_MUTATE_MUTATE_H
#define LOCKSIM_MUTATE_MUTATE_H

#include "host/options.h"

/* An exit status of host/print.h. */
int mutate_main(const options *o);

#endif
