/* shard.h - `--shard K/N`: divides a list of work among machines. Item i (from 0) belongs to part i % N + 1. */
#ifndef LOCKSIM_JUDGE_SHARD_H
#define LOCKSIM_JUDGE_SHARD_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"

/* The part `k` of `n`, 1 <= k <= n <= 10000. */
typedef struct {
    unsigned long k, n;
} shard;
/* "2/5"; NULL: all of it, 1/1. false: ERR_USAGE. */
bool shard_parse(const char *text, shard *out, err *e);
bool shard_has(const shard *s, size_t i);

#endif
