/* about.h - which locksim this is: its version, the servers it speaks for, how it was built. */
#ifndef LOCKSIM_CLI_ABOUT_H
#define LOCKSIM_CLI_ABOUT_H

#include "base/buf.h"

/* Appends a few lines; the first is "locksim VERSION" alone. The same program tells the same. */
void about_tell(buf *out);

#endif
