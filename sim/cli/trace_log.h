/* trace_log.h - a log's bytes, plain or gzip, from a file or standard input, to a reader of lines. */
#ifndef LOCKSIM_CLI_TRACE_LOG_H
#define LOCKSIM_CLI_TRACE_LOG_H

#include "base/err.h"
#include "trace/reader.h"

/* Feeds the whole of the log at `path` ("-": standard input) to `r`, until *enough, and ends it. *cut: the last line
 * has no end and says nothing. false: it cannot be read, and `e` names it. A compressed log that is cut or damaged is
 * told on stderr, and what was read of it counts. */
bool trace_log_read(const char *path, reader *r, const bool *enough, bool *cut, err *e);

#endif
