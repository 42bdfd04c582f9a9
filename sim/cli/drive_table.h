/* drive_table.h - `locksim drive --lock`: how a kind of lock is read, learned from its driver as by `locksim trace`. */
#ifndef LOCKSIM_CLI_DRIVE_TABLE_H
#define LOCKSIM_CLI_DRIVE_TABLE_H

#include "drive/holdings.h"
#include "host/options.h"

typedef struct table_read table_read;
/* `name`: a family, or a Lua file. Memory from `a`, which outlives it. NULL: `e` says why. */
table_read *table_open(arena *a, const options *o, const char *name, err *e);
void table_close(table_read *t);                   /* NULL is fine */
const lock_table *table_of(const table_read *t);

#endif
