/* store.c - see store.h. One table per database; keys are sorted on demand. */
#include "redis/store.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "redis/dict.h"

typedef struct {
    UT_hash_handle hh;
    value *v;
    int64_t deadline_ms, used_ms;
    size_t n;
    char key[];
} entry;

/* A watched key, whether it exists or not. */
typedef struct {
    UT_hash_handle hh;
    size_t watchers;
    uint64_t writes, expiries;
    bool came_expired;                             /* SWAPDB brought it, past its deadline, to where there was none: no
                                                    * change */
    size_t n;
    char key[];
} watched;

typedef struct {
    entry *keys;
    watched *watches;
    size_t volatiles;                              /* keys with a deadline */
    entry *next_look;                              /* where store_reap goes on; NULL: at the first */
} database;

struct store {
    database db[STORE_DBS];
    int64_t now_ms;
    uint64_t writes;
    value_home home;
    store_news news;
    store_change *changed;                         /* may be NULL */
    bool dated;                                    /* see store_note_dated */
    bool only_look, quiet;
    int reap_db;
};

enum { KEY_BYTES = 128 };                          /* of a key besides its name: about */

store *store_new(void)
{
    return mem_zero(sizeof(store));
}

void store_free(store *st)
{
    if (!st)
        return;
    store_clear(st, -1);
    for (int i = 0; i < STORE_DBS; i++) {
        for (watched *w = st->db[i].watches, *next; w; w = next) {
            next = w->hh.next;
            HASH_DEL(st->db[i].watches, w);
            mem_free(w);
        }
    }
    mem_free(st);
}

void store_set_now(store *st, int64_t now_ms)
{
    st->now_ms = now_ms;
}

int64_t store_now_ms(const store *st)
{
    return st->now_ms;
}

static database *db_of(store *st, int db)
{
    assert(db >= 0 && db < STORE_DBS);
    return &st->db[db];
}

static watched *watched_find(const database *d, str key)
{
    watched *w = NULL;
    if (d->watches)
        HASH_FIND(hh, d->watches, key.p, key.n, w);
    return w;
}

static entry *entry_find(const database *d, str key)
{
    entry *e;
    HASH_FIND(hh, d->keys, key.p, key.n, e);
    return e;
}

static str entry_key(const entry *e)
{
    return (str){ .p = e->key, .n = e->n };
}

static bool entry_expired(const store *st, const entry *e)
{
    return st->now_ms > e->deadline_ms && e->deadline_ms != STORE_NO_DEADLINE;
}

static void entry_set_deadline(database *d, entry *e, int64_t deadline_ms)
{
    d->volatiles += deadline_ms != STORE_NO_DEADLINE;
    d->volatiles -= e->deadline_ms != STORE_NO_DEADLINE;
    e->deadline_ms = deadline_ms;
}

static void tell_removed(store *st, const database *d, str key, const value *v)
{
    if (st->news.removed)
        st->news.removed(st->news.context, (int)(d - st->db), key, value_kind_of(v));
}

static void entry_remove(store *st, database *d, entry *e)
{
    assert(d->keys);
    if (e->v)
        tell_removed(st, d, entry_key(e), e->v);
    d->volatiles -= e->deadline_ms != STORE_NO_DEADLINE;
    if (d->next_look == e)
        d->next_look = e->hh.next;
    st->home.bytes -= e->n + KEY_BYTES;
    HASH_DEL(d->keys, e);
    value_free(e->v);
    mem_free(e);
}

static void count_expiry(store *st, const database *d, str key)
{
    st->writes++;
    if (st->changed)
        st->changed(st->news.context, (int)(d - st->db), key, false);
    watched *w = watched_find(d, key);
    if (!w)
        return;
    w->expiries += !w->came_expired;
    w->came_expired = false;
}

static __attribute__((cold)) void entry_reap(store *st, database *d, entry *e)
{
    count_expiry(st, d, entry_key(e));
    if (st->news.expired)
        st->news.expired(st->news.context, (int)(d - st->db), entry_key(e));
    entry_remove(st, d, e);
}

/* The entry if it is alive; reaps it if it is not. */
static entry *entry_alive(store *st, int db, str key)
{
    database *d = db_of(st, db);
    entry *e = entry_find(d, key);
    if (!e || !entry_expired(st, e))
        return e;
    if (!st->only_look)
        entry_reap(st, d, e);
    return NULL;
}

void store_touch(store *st, int db, str key)
{
    st->writes++;
    if (st->changed)
        st->changed(st->news.context, db, key, true);
    watched *w = watched_find(db_of(st, db), key);
    if (w)
        w->writes++;
}

value *store_find(store *st, int db, str key)
{
    entry *e = entry_alive(st, db, key);
    if (!e)
        return NULL;
    if (!st->quiet)
        e->used_ms = st->now_ms;
    return e->v;
}

int64_t store_used_ms(store *st, int db, str key)
{
    const entry *e = entry_alive(st, db, key);
    assert(e);
    return e->used_ms;
}

void store_set_used(store *st, int db, str key, int64_t used_ms)
{
    entry *e = entry_alive(st, db, key);
    assert(e);
    e->used_ms = used_ms;
}

void store_look_quietly(store *st, bool yes) { st->quiet = yes; }

/* Is x, which came later, to be chosen rather than y? */
static bool comes_first(store_choice how, const entry *x, const entry *y)
{
    return how.by == STORE_LONGEST_IDLE ? x->used_ms < y->used_ms
                                        : how.by == STORE_NEXT_TO_EXPIRE && x->deadline_ms < y->deadline_ms;
}

str store_choose(const store *st, store_choice how, int *db)
{
    const entry *best = NULL;
    size_t n = 0;
    for (int i = 0; i < STORE_DBS; i++)
        for (const entry *e = st->db[i].keys; e; e = e->hh.next) {
            if (how.dated_only && e->deadline_ms == STORE_NO_DEADLINE)
                continue;
            bool better = how.by == STORE_NTH ? n == how.nth : !best || comes_first(how, e, best);
            best = better ? e : best;
            *db = better ? i : *db;
            n++;
        }
    assert(best);
    return entry_key(best);
}

const value *store_peek(store *st, int db, str key)
{
    const entry *e = entry_find(db_of(st, db), key);
    return e && !entry_expired(st, e) ? e->v : NULL;
}

int64_t store_deadline_ms(store *st, int db, str key)
{
    const entry *e = entry_alive(st, db, key);
    assert(e);
    return e->deadline_ms;
}

static void put(store *st, int db, str key, value *v, bool keep_deadline)
{
    database *d = db_of(st, db);
    entry *e = entry_alive(st, db, key);
    if (e) {
        if (e->v != v) {
            tell_removed(st, d, entry_key(e), e->v);
            value_free(e->v);
        }
        if (!keep_deadline)
            entry_set_deadline(d, e, STORE_NO_DEADLINE);
    } else {
        e = mem_zero(sizeof *e + key.n);
        e->n = key.n;
        if (key.n)
            memcpy(e->key, key.p, key.n);
        e->deadline_ms = STORE_NO_DEADLINE;
        HASH_ADD_KEYPTR(hh, d->keys, e->key, e->n, e);
        st->home.bytes += e->n + KEY_BYTES;
    }
    bool fresh = !e->v;
    e->v = v;
    e->used_ms = st->now_ms;
    value_account(v, &st->home);
    if (fresh && st->news.added)
        st->news.added(st->news.context, db, key, value_kind_of(v));
}

void store_put(store *st, int db, str key, value *v, bool keep_deadline)
{
    put(st, db, key, v, keep_deadline);
    store_touch(st, db, key);
}

void store_put_unwatched(store *st, int db, str key, value *v)
{
    put(st, db, key, v, false);
    store_touch_unwatched(st);
}

void store_touch_unwatched(store *st)
{
    st->writes++;
}

void store_tell(store *st, store_news news)
{
    st->news = news;
}

void store_tell_changes(store *st, store_change *changed)
{
    st->changed = changed;
}

void store_set_deadline(store *st, int db, str key, int64_t deadline_ms)
{
    entry *e = entry_alive(st, db, key);
    assert(e);
    entry_set_deadline(db_of(st, db), e, deadline_ms);
    store_touch(st, db, key);
}

bool store_del(store *st, int db, str key)
{
    entry *e = entry_alive(st, db, key);
    if (!e)
        return false;
    store_touch(st, db, key);                      /* first: `key` may be the entry's own */
    entry_remove(st, db_of(st, db), e);
    return true;
}

bool store_del_unseen(store *st, int db, str key)
{
    database *d = db_of(st, db);
    entry *e = entry_find(d, key);
    if (!e || !entry_expired(st, e))
        return store_del(st, db, key);
    count_expiry(st, d, key);
    entry_remove(st, d, e);
    return true;
}

bool store_drop_if_empty(store *st, int db, str key)
{
    entry *e = entry_alive(st, db, key);
    if (!e || value_kind_of(e->v) == VALUE_STRING || value_kind_of(e->v) == VALUE_STREAM || value_count(e->v) > 0)
        return false;
    store_touch(st, db, key);
    entry_remove(st, db_of(st, db), e);
    return true;
}

void store_rename(store *st, int db, str from, str to)
{
    entry *e = entry_alive(st, db, from);
    assert(e);
    if (str_eq(from, to)) {
        store_touch(st, db, to);
        return;
    }
    value *v = e->v;
    int64_t deadline_ms = e->deadline_ms;
    e->v = NULL;
    store_touch(st, db, from);
    entry_remove(st, db_of(st, db), e);
    entry *old = entry_alive(st, db, to);
    if (old)
        entry_remove(st, db_of(st, db), old);      /* not overwritten: waiting connections are notified */
    store_put(st, db, to, v, false);
    if (deadline_ms != STORE_NO_DEADLINE)
        entry_set_deadline(db_of(st, db), entry_find(db_of(st, db), to), deadline_ms);
    tell_removed(st, db_of(st, db), from, v);
}

void store_set_packing(store *st, packing_limits limits)
{
    st->home.packing = limits;
}

size_t store_bytes(const store *st)
{
    return st->home.bytes;
}

size_t store_size(const store *st, int db)
{
    assert(db >= 0 && db < STORE_DBS);
    return HASH_COUNT(st->db[db].keys);
}

size_t store_volatile(const store *st, int db)
{
    assert(db >= 0 && db < STORE_DBS);
    return st->db[db].volatiles;
}

/* For those who watch a key of this database, the key that takes its place counts as new. */
static void tell_swapped(store *st, database *d, const database *other)
{
    for (watched *w = d->watches; w; w = w->hh.next) {
        str key = { w->key, w->n };
        const entry *was = entry_find(d, key), *is = entry_find(other, key);
        bool gone = was && entry_expired(st, was), comes = is && !entry_expired(st, is);
        w->expiries += gone && !w->came_expired;
        w->came_expired = !was && is && !comes;
        w->writes += (was && !gone) || comes;
    }
}

void store_swap(store *st, int db, int other)
{
    database *x = db_of(st, db), *y = db_of(st, other), old = *x;
    tell_swapped(st, x, y);
    tell_swapped(st, y, x);
    st->writes++;
    x->keys = y->keys;
    x->volatiles = y->volatiles;
    x->next_look = y->next_look = NULL;            /* from the first key again: a round leaves none out */
    y->keys = old.keys;
    y->volatiles = old.volatiles;
}

void store_clear(store *st, int db)
{
    assert(db >= -1 && db < STORE_DBS);
    store_change *changed = st->changed;
    st->changed = NULL;
    for (int i = db < 0 ? 0 : db; i <= (db < 0 ? STORE_DBS - 1 : db); i++) {
        database *d = &st->db[i];
        for (entry *e = d->keys, *next; e; e = next) {
            next = e->hh.next;
            if (!entry_expired(st, e)) {
                store_touch(st, i, entry_key(e));
            } else {
                count_expiry(st, d, entry_key(e));
            }
            entry_remove(st, d, e);
        }
    }
    st->changed = changed;
}

bool store_is_dated(const store *st)
{
    return st->dated;
}

void store_note_dated(store *st)
{
    st->dated = true;
}

/* True if the hash lost fields. */
static bool reap_fields(store *st, database *d, entry *e)
{
    int db = (int)(d - st->db);
    if (value_kind_of(e->v) != VALUE_HASH || !hash_reap(e->v, st->now_ms))
        return false;
    bool last = value_count(e->v) == 0;
    store_touch(st, db, entry_key(e));
    if (st->news.fields_expired)
        st->news.fields_expired(st->news.context, db, entry_key(e), last);
    if (last)
        entry_remove(st, d, e);
    return true;
}

/* To the end of the database, or until *left looks are used up. */
static size_t reap_some(store *st, database *d, size_t *left)
{
    size_t gone = 0;
    entry *e = d->next_look ? d->next_look : d->keys;
    for (; e && *left && (d->volatiles || st->dated); --*left) {
        entry *next = e->hh.next;
        if (entry_expired(st, e)) {
            entry_reap(st, d, e);
            gone++;
        } else if (st->dated) {
            gone += reap_fields(st, d, e);
        }
        e = next;
    }
    d->next_look = d->volatiles || st->dated ? e : NULL;
    return gone;
}

bool store_reap(store *st, size_t keys_max, size_t *gone)
{
    size_t left = keys_max;
    *gone = 0;
    for (; st->reap_db < STORE_DBS; st->reap_db++) {
        database *d = &st->db[st->reap_db];
        *gone += reap_some(st, d, &left);
        if (d->next_look)
            return true;
    }
    st->reap_db = 0;
    return false;
}

static int entry_cmp(const void *x, const void *y)
{
    const entry *const *a = x, *const *b = y;
    return str_cmp(entry_key(*a), entry_key(*b));
}

static void each(store *st, int db, bool even_expired, store_visit *fn, void *context)
{
    database *d = db_of(st, db);
    entry *few[16], **at = few;
    size_t n = 0;
    if (HASH_COUNT(d->keys) > COUNT(few))
        at = mem_alloc(HASH_COUNT(d->keys) * sizeof *at);
    for (entry *e = d->keys; e; e = e->hh.next) {
        if (even_expired || !entry_expired(st, e))
            at[n++] = e;
    }
    qsort(at, n, sizeof *at, entry_cmp);
    for (size_t i = 0; i < n; i++)
        fn(context, entry_key(at[i]), at[i]->v, at[i]->deadline_ms);
    if (at != few)
        mem_free(at);
}

void store_each(store *st, int db, store_visit *fn, void *context)
{
    each(st, db, false, fn, context);
}

void store_each_even_expired(store *st, int db, store_visit *fn, void *context)
{
    each(st, db, true, fn, context);
}

void store_only_look(store *st, bool yes)
{
    st->only_look = yes;
}

bool store_expire(store *st, int db, str key)
{
    database *d = db_of(st, db);
    entry *e = entry_find(d, key);
    if (!e || !entry_expired(st, e))
        return e && reap_fields(st, d, e);
    entry_reap(st, d, e);
    return true;
}

void store_reap_matching(store *st, int db, bool (*wanted)(void *context, str key), void *context)
{
    database *d = db_of(st, db);
    entry *next;
    for (entry *e = d->keys; e; e = next) {
        next = e->hh.next;
        if (st->only_look || !entry_expired(st, e) || !wanted(context, entry_key(e)))
            continue;
        entry_reap(st, d, e);
    }
}

uint64_t store_writes(const store *st)
{
    return st->writes;
}

/* ---- watching ---- */

store_mark store_watch(store *st, int db, str key)
{
    database *d = db_of(st, db);
    watched *w = watched_find(d, key);
    if (!w) {
        w = mem_zero(sizeof *w + key.n);
        w->n = key.n;
        if (key.n)
            memcpy(w->key, key.p, key.n);
        HASH_ADD_KEYPTR(hh, d->watches, w->key, w->n, w);
    }
    w->watchers++;
    const entry *e = entry_find(d, key);           /* not reaped: watching a key does not access it */
    return (store_mark){ .writes = w->writes, .expiries = w->expiries, .expired = e && entry_expired(st, e) };
}

bool store_changed_since(store *st, int db, str key, const store_mark *mark)
{
    const database *d = db_of(st, db);
    const watched *w = watched_find(d, key);
    assert(w);
    if (w->writes != mark->writes)
        return true;
    if (mark->expired)
        return false;
    const entry *e = entry_find(d, key);
    return w->expiries != mark->expiries || (e && entry_expired(st, e) && !w->came_expired);
}

void store_unwatch(store *st, int db, str key)
{
    database *d = db_of(st, db);
    watched *w = watched_find(d, key);
    assert(w && w->watchers > 0);
    if (--w->watchers)
        return;
    HASH_DEL(d->watches, w);
    mem_free(w);
}
