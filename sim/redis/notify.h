/* notify.h - keyspace notifications: what happened to a key, published to who subscribes to __keyspace@0__:KEY and
 * __keyevent@0__:EVENT. Which kinds of events are told is a setting of the server, empty at first. Only sim/redis
 * includes this file.
 * Source: redis.io/docs/manual/keyspace-notifications. */
#ifndef LOCKSIM_REDIS_NOTIFY_H
#define LOCKSIM_REDIS_NOTIFY_H

#include "redis/command.h"

/* The letters of notify-keyspace-events. NOTIFY_KEYSPACE and NOTIFY_KEYEVENT choose the channels, the others the
 * kinds. */
enum {
    NOTIFY_KEYSPACE = 1 << 0, NOTIFY_KEYEVENT = 1 << 1, NOTIFY_GENERIC = 1 << 2, NOTIFY_STRING = 1 << 3,
    NOTIFY_LIST = 1 << 4, NOTIFY_SET = 1 << 5,
    NOTIFY_HASH = 1 << 6, NOTIFY_ZSET = 1 << 7, NOTIFY_EXPIRED = 1 << 8, NOTIFY_EVICTED = 1 << 9,
    NOTIFY_STREAM = 1 << 10,
    NOTIFY_MODULE = 1 << 11, NOTIFY_NEW = 1 << 12,
};

/* `event` of this kind happened to `key` in the database of the call, or in `db`. Published when the command ends, in
 * order with its own messages. */
void notify(const call *c, unsigned kind, const char *event, str key);
void notify_in(redis *r, int db, unsigned kind, const char *event, str key);

/* "KEx" as flags, and back in the server's own order of letters. False, with the reason in *why, if a letter means
 * nothing, or is "m" (a key was looked for and not found), which locksim does not tell of. */
bool notify_parse(str letters, unsigned *flags, const char **why);
str notify_letters(arena *a, unsigned flags);

#endif
