/* watch_files.h - reports changes in folders, a moment after the last of them: one save is several events, and editors
 * write another file and rename it. */
#ifndef LOCKSIM_WATCH_WATCH_FILES_H
#define LOCKSIM_WATCH_WATCH_FILES_H

#include <uv.h>

#include "base/arena.h"
#include "base/err.h"

typedef struct watch_files watch_files;
/* `changed` gets paths below the folders, as those were named, each once. The files may be gone, or unchanged. */
watch_files *watch_files_new(uv_loop_t *loop, void (*changed)(void *context, const str *paths, size_t count),
                             void *context);
void watch_files_free(watch_files *f);             /* before the loop's last turn, which closes the handles */
/* Watches `folder` ("" is the current one), not its subfolders. If it does not exist: the nearest existing folder above
 * it. Repeated calls have no effect. false: the system's limit of watches is reached, `e` says so (ERR_USAGE). */
bool watch_files_add(watch_files *f, str folder, err *e);
size_t watch_files_count(const watch_files *f);

#endif
