/* reader.h - bytes of a log to records, in one pass and bounded memory. Lines of MONITOR, of JSON, and both mixed; what
 * is neither is told and passed over. A line that is longer than READER_LINE_BYTES_MAX is told and passed over, too. */
#ifndef LOCKSIM_TRACE_READER_H
#define LOCKSIM_TRACE_READER_H

#include "trace/record.h"

#define READER_LINE_BYTES_MAX ((size_t)64 << 20)

typedef struct {
    void *context;
    void (*record)(void *context, const record *r);
    /* A line that cannot be read, and why, in a few words. `line` is cut if it is long. */
    void (*bad)(void *context, size_t line, str text, const char *why);
} reader_heard;

typedef struct reader reader;
reader *reader_new(const reader_heard *heard);     /* copied */
void reader_free(reader *r);
/* The next bytes, split anywhere. */
void reader_feed(reader *r, str bytes);
/* There are no more: a last line without a newline is read as any other. */
void reader_end(reader *r);

typedef struct {
    uint64_t lines, records, bad;
    uint64_t monitor, json;        /* records of each kind */
    uint64_t lua;
} reader_counts;
reader_counts reader_count(const reader *r);

#endif
