/* store.h - the keyspace of one simulated Redis server: 16 numbered databases of keys with values and deadlines.
 * Times are int64_t milliseconds of virtual time (Unix milliseconds). Keys iterate in byte order. A key lives through
 * its deadline millisecond and is gone in the next one (Redis 7.0: now > deadline). Only sim/redis includes this file.
 *
 * Expiry is judged against the store's `now`, which stands still during a command or script. A lookup deletes an
 * expired key lazily, so what store_find returns is alive; DBSIZE counts unreaped keys as the real server does. */
#ifndef LOCKSIM_REDIS_STORE_H
#define LOCKSIM_REDIS_STORE_H

#include "base/arena.h"
#include "base/buf.h"
#include "redis/value.h"

enum { STORE_DBS = 16 };
#define STORE_NO_DEADLINE INT64_MIN                /* a key that never expires; any other number is an instant */

typedef struct store store;

store *store_new(void);
void store_free(store *st);
void store_set_now(store *st, int64_t now_ms);
int64_t store_now_ms(const store *st);

/* All calls below work on database `db`, 0 .. STORE_DBS-1. */

/* The live value under `key`, or NULL. Borrowed: good until the key is written. Collections may be changed in place; a
 * collection that became empty must be removed with store_drop_if_empty. */
value *store_find(store *st, int db, str key);
/* The same without side effects: an expired key is not deleted. */
const value *store_peek(store *st, int db, str key);
/* The deadline of a live key (STORE_NO_DEADLINE if it has none); the key must exist. */
int64_t store_deadline_ms(store *st, int db, str key);
/* Takes ownership of `v`, replaces any old value. The deadline is kept only if `keep_deadline` and the key was
 * alive. */
void store_put(store *st, int db, str key, value *v, bool keep_deadline);
/* When a live key was last looked for, or written: the key must exist. Looks within store_look_quietly do not count. */
int64_t store_used_ms(store *st, int db, str key);
void store_set_used(store *st, int db, str key, int64_t used_ms);
void store_look_quietly(store *st, bool yes);
/* A key of any database, one with a deadline where only those count, of which there is at least one. Borrowed. */
typedef struct {
    enum { STORE_NTH, STORE_LONGEST_IDLE, STORE_NEXT_TO_EXPIRE } by;
    size_t nth;                                    /* of STORE_NTH: in the order of databases and of coming */
    bool dated_only;
} store_choice;
str store_choose(const store *st, store_choice how, int *db);
/* The key must exist. A deadline <= now deletes nothing here: the command decides (EXPIRE does, SET EXAT does not). */
void store_set_deadline(store *st, int db, str key, int64_t deadline_ms);
/* True if a live key was removed. */
bool store_del(store *st, int db, str key);
/* The same without a check for expiry: an expired key is removed like a live one, and no expiry is reported. */
bool store_del_unseen(store *st, int db, str key);
bool store_drop_if_empty(store *st, int db, str key);           /* true if it did */
/* Moves value and deadline; the source must be alive; an old destination is freed. */
void store_rename(store *st, int db, str from, str to);
/* two databases change places; connections and watches stay where they are */
void store_swap(store *st, int db, int other);
/* New limits for growing collections; what is already unpacked stays so. */
void store_set_packing(store *st, packing_limits limits);
size_t store_bytes(const store *st);               /* approximate memory of all values and keys */
size_t store_size(const store *st, int db);        /* expired, unreaped keys counted */
size_t store_volatile(const store *st, int db);    /* those with a deadline */
/* Removes expired keys that are not accessed. Checks at most `keys_max` keys, from where it stopped the last time;
 * *gone is how many it removed, where a key that lost fields counts as one. False when it has come to the end: the next
 * call starts again. */
bool store_reap(store *st, size_t keys_max, size_t *gone);
bool store_is_dated(const store *st);              /* store_note_dated was called */
/* some field of a hash has a deadline: from now on store_reap checks hashes, too */
void store_note_dated(store *st);
void store_clear(store *st, int db);               /* db -1: all */

/* Calls `fn` for each live key of `db` in byte order. `fn` must not change the store. */
typedef void store_visit(void *context, str key, const value *v, int64_t deadline_ms);
void store_each(store *st, int db, store_visit *fn, void *context);
void store_each_even_expired(store *st, int db, store_visit *fn, void *context);
/* While `yes`, a look-up hides an expired key without removing it. Nothing may be written meanwhile. */
void store_only_look(store *st, bool yes);
/* Removes the key if it has expired, and the expired fields of a hash; tells the news. True if it removed anything. */
bool store_expire(store *st, int db, str key);

/* Callbacks for changes, from now on. A member may be NULL. They must not change the store. */
typedef struct {
    void *context;
    /* A key came to be; overwriting one that is there is no news. */
    void (*added)(void *context, int db, str key, value_kind kind);
    /* A value goes: its key is removed, moved, or overwritten. */
    void (*removed)(void *context, int db, str key, value_kind kind);
    /* it is removed, because its time is over: this is when it really goes */
    void (*expired)(void *context, int db, str key);
    /* store_reap removed fields of a hash; `last`: and with them the key. */
    void (*fields_expired)(void *context, int db, str key, bool last);
} store_news;
void store_tell(store *st, store_news news);
/* From now on each change that counts for WATCH, under the context of store_tell; `by_client`: it is no expiry. Not
 * told of what store_clear removes. */
typedef void store_change(void *context, int db, str key, bool by_client);
void store_tell_changes(store *st, store_change *changed);
/* Deletes the expired keys that `wanted` says yes to. It must not change the store. */
void store_reap_matching(store *st, int db, bool (*wanted)(void *context, str key), void *context);

/* Says that the value under `key` was changed in place. All other writes say so themselves. */
void store_touch(store *st, int db, str key);
/* The same where Redis does not notify WATCH: BITFIELD makes room for a number, and then does not write it. */
void store_put_unwatched(store *st, int db, str key, value *v);
void store_touch_unwatched(store *st);
/* Counts every write ever made, reaped keys included: equal counts mean that nothing changed in between. */
uint64_t store_writes(const store *st);

/* WATCH: the state of a key when it was first watched. Watching is counted per key; each store_watch needs its
 * store_unwatch. A key that expires counts as changed, unless it had already expired when it was first watched
 * (REDIS-FIDELITY 5.4). */
typedef struct {
    uint64_t writes, expiries;
    bool expired;
} store_mark;
store_mark store_watch(store *st, int db, str key);
bool store_changed_since(store *st, int db, str key, const store_mark *mark);
void store_unwatch(store *st, int db, str key);

#endif
