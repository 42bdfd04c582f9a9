/* family.h - a kind of lock as a log shows it: which requests acquire, renew and release, of which lock, on whose
 * behalf, and who holds it by the server's account. All of it is learned from the lock's driver (a shipped family, a
 * driver or a generic.lock table), by running the driver once with names that are easy to find again in what it sends:
 * there is no second description that could be wrong. */
#ifndef LOCKSIM_TRACE_FAMILY_H
#define LOCKSIM_TRACE_FAMILY_H

#include "client/process.h"
#include "redis/redis.h"

/* The kind of a request, by the driver's word for it (model/event.h). */
typedef enum { DEED_OTHER, DEED_ACQUIRE, DEED_RENEW, DEED_RELEASE, DEED_FORCE_RELEASE, DEED_ABANDON } deed_kind;

/* One lock that a request is about. Texts are borrowed from the request and the family. */
typedef struct {
    str op;                /* the driver's word */
    deed_kind deed;
    str lock;              /* its name */
    str owner;             /* on whose behalf; "": the request does not say */
    int64_t lease_ms;      /* the TTL that it asks for; LEASE_NONE: none, or unknown */
} claim;

typedef struct family family;

/* `name` as `require` takes it ("redisson.lock"); or, where `text` is not empty, the file at `path` with that text: a
 * driver, or a table for generic.lock. The loader must outlive the family. NULL: `e` says why. */
family *family_open(str name, str path, str text, const loader *l, err *e);
void family_free(family *f);
str family_name(const family *f);
spec_kind family_spec(const family *f);
/* The scripts that it loads, under the names by which it asks for them. */
void family_each_script(const family *f, void (*fn)(void *context, str name, str body), void *context);
/* Loads the family's scripts into the server, so that a log may contain their hashes only. */
void family_load_scripts(const family *f, redis *r);

/* Which locks these words are about: their number, at most `most` are filled in. 0: the family never sends such a
 * request. `sha`: of the script that they run, "" if they run none. `founds`: whether it may be the first word about a
 * lock; a DEL may be one of a lock's release, but says nothing of a key that is not known to be a lock. */
size_t family_match(const family *f, const str *argv, size_t argc, str sha, claim *out, size_t most, bool *founds);

/* The number of the kind of request, 1, 2, ..., and the first lock that it is about; 0: the family never sends it. */
size_t family_shape(const family *f, const str *argv, size_t argc, str sha, claim *out);
bool family_knows_script(const family *f, str sha);
/* The loader of the family's files. */
const loader *family_loader(const family *f);
str family_module(const family *f);

/* The lock by the server's account, from the driver's view. Arrays live in `a`. */
bool family_view(family *f, str lock, int64_t now_ms, view_read *read, void *context, arena *a, lock_view *out, err *e);
/* The owner's name in the view: some views cut a token that a client made longer. */
str family_owner(const family *f, str word);

#endif
