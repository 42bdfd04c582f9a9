/* lint.h - `locksim lint`: what a script or a driver does that locks should not. */
#ifndef LOCKSIM_LINT_LINT_H
#define LOCKSIM_LINT_LINT_H

#include "host/options.h"

/* An exit status of host/print.h. */
int lint_main(const options *o);

#endif
