/* about.h - which locksim this is: its version, the servers it speaks for, how it was built. */
#ifndef LOCKSIM_HOST_ABOUT_H
#define LOCKSIM_HOST_ABOUT_H

#include "base/buf.h"

/* As .debian/changelog and reports/pages/changelog.md say it; tests/package.sh compares them. */
#define LOCKSIM_VERSION "0.4.0"

/* Appends a few lines; the first is "locksim VERSION" alone. The same for the same program. */
void about_tell(buf *out);

#endif
