/* locks.c - the locks that are known now: found by name or key, looked at, and woken when their time comes. */
#include <string.h>

#include "base/mem.h"
#include "trace/internal.h"

/* ---- names ---- */

static str id_of(tracer *t, int db, str key)
{
    uint32_t n = (uint32_t)db;
    buf_clear(&t->id);
    buf_add(&t->id, (str){ .p = (const char *)&n, .n = sizeof n });
    buf_add(&t->id, key);
    return buf_str(&t->id);
}

static str copy(str s)
{
    char *p = mem_alloc(s.n + 1);
    memcpy(p, s.p, s.n);
    p[s.n] = '\0';
    return (str){ .p = p, .n = s.n };
}

traced *locks_find(tracer *t, int db, str key)
{
    str id = id_of(t, db, key);
    traced *l;
    HASH_FIND(hh, t->locks, id.p, id.n, l);
    if (l || !t->keys)
        return l;
    lock_key *k;
    HASH_FIND(hh, t->keys, id.p, id.n, k);
    return k ? k->l : NULL;
}

traced *locks_add(tracer *t, int db, str name, family *f)
{
    traced *l = mem_zero(sizeof *l);
    l->id = copy(id_of(t, db, name));
    l->name = str_slice(l->id, sizeof(uint32_t), l->id.n);
    l->db = db;
    l->f = f;
    l->wake_us = NEVER_US;
    l->now.deadline_ms = INT64_MAX;
    l->now.v.ttl_ms = TTL_NO_KEY;
    l->number = UINT32_MAX;
    if (t->lock_name_count < TRACE_LOCKS_MAX) {
        l->number = (uint32_t)t->lock_name_count;
        MEM_RESERVE(t->lock_names, t->lock_name_cap, t->lock_name_count + 1);
        t->lock_names[t->lock_name_count++] = arena_str(t->names, l->name);
    }
    HASH_ADD_KEYPTR(hh, t->locks, l->id.p, l->id.n, l);
    t->counts.locks++;
    return l;
}

static void forget_keys(tracer *t, traced *l, bool all)
{
    for (lock_key **at = &l->keys; *at;) {
        lock_key *k = *at;
        if (k->still && !all) {
            at = &k->next;
            continue;
        }
        *at = k->next;
        HASH_DEL(t->keys, k);
        mem_free((void *)(uintptr_t)k->id.p);
        mem_free(k);
    }
}

static void keep_keys(tracer *t, traced *l, const lock_view *v)
{
    for (lock_key *k = l->keys; k; k = k->next)
        k->still = false;
    for (size_t i = 0; i < v->key_count; i++) {
        if (str_eq(v->keys[i], l->name))
            continue;
        str id = id_of(t, l->db, v->keys[i]);
        lock_key *k;
        HASH_FIND(hh, t->keys, id.p, id.n, k);
        if (!k) {
            k = mem_zero(sizeof *k);
            k->id = copy(id);
            k->l = l;
            k->next = l->keys;
            l->keys = k;
            HASH_ADD_KEYPTR(hh, t->keys, k->id.p, k->id.n, k);
        }
        k->still = true;
    }
    forget_keys(t, l, false);
}

/* ---- the heap of locks, by the time of their next look ---- */

static void place(tracer *t, size_t at, traced *l)
{
    t->heap[at] = l;
    l->heap_at = at + 1;
}

static void sift_up(tracer *t, size_t at)
{
    traced *l = t->heap[at];
    for (; at > 0 && t->heap[(at - 1) / 2]->wake_us > l->wake_us; at = (at - 1) / 2)
        place(t, at, t->heap[(at - 1) / 2]);
    place(t, at, l);
}

static void sift_down(tracer *t, size_t at)
{
    traced *l = t->heap[at];
    for (size_t child; (child = 2 * at + 1) < t->heap_count; at = child) {
        if (child + 1 < t->heap_count && t->heap[child + 1]->wake_us < t->heap[child]->wake_us)
            child++;
        if (t->heap[child]->wake_us >= l->wake_us)
            break;
        place(t, at, t->heap[child]);
    }
    place(t, at, l);
}

void locks_wake(tracer *t, traced *l, int64_t at_us)
{
    if (at_us == l->wake_us)
        return;
    l->wake_us = at_us;
    if (!l->heap_at) {
        MEM_RESERVE(t->heap, t->heap_cap, t->heap_count + 1);
        place(t, t->heap_count++, l);
    }
    size_t at = l->heap_at - 1;
    if (at_us == NEVER_US) {           /* out */
        traced *last = t->heap[--t->heap_count];
        l->heap_at = 0;
        if (last == l)
            return;
        place(t, at, last);
    }
    sift_up(t, at);
    sift_down(t, t->heap[at]->heap_at - 1);
}

/* ---- views ---- */

typedef struct {
    tracer *t;
    int db;
    int64_t now_ms;
} looking;

static reply read_for_view(void *context, uint32_t server, const str *argv, size_t argc, arena *a)
{
    const looking *k = context;
    (void)server;
    /* The keys that begin with a lock's name (latches) matter for leaks only, and would cost a scan of the server's
     * keys. */
    if (str_eq_nocase(argv[0], S("keys")))
        return reply_items(a, REPLY_ARRAY, 0);
    return tracer_execute(k->t, k->db, argv, argc, k->now_ms, a);
}

bool locks_look(tracer *t, traced *l, int64_t now_ms, lock_view *out)
{
    looking k = { .t = t, .db = l->db, .now_ms = now_ms };
    return family_view(l->f, l->name, now_ms, read_for_view, &k, t->scratch, out, t->e);
}

const lock_holder *view_holder_of(const lock_view *v, str id)
{
    for (size_t i = 0; i < v->holder_count; i++)
        if (str_eq(v->holders[i].id, id))
            return &v->holders[i];
    return NULL;
}

static int64_t deadline_of(const lock_view *v, int64_t now_ms)
{
    return v->ttl_ms >= 0 ? now_ms + v->ttl_ms : INT64_MAX;
}

static bool same_list(const str *x, size_t n, const str *y, size_t m)
{
    if (n != m)
        return false;
    for (size_t i = 0; i < n; i++)
        if (!str_eq(x[i], y[i]))
            return false;
    return true;
}

bool locks_same(const traced *l, const lock_view *v, int64_t now_ms)
{
    const lock_view *was = &l->now.v;
    if (was->holder_count != v->holder_count || l->now.deadline_ms != deadline_of(v, now_ms) ||
        (was->ttl_ms == TTL_NO_KEY) != (v->ttl_ms == TTL_NO_KEY) || was->permits != v->permits)
        return false;
    for (size_t i = 0; i < v->holder_count; i++)
        if (!str_eq(was->holders[i].id, v->holders[i].id) || was->holders[i].count != v->holders[i].count ||
            !str_eq(was->holders[i].mode, v->holders[i].mode))
            return false;
    return same_list(was->queue, was->queue_count, v->queue, v->queue_count) &&
           same_list(was->keys, was->key_count, v->keys, v->key_count);
}

static str put_text(char **at, str s)
{
    str out = { .p = *at, .n = s.n };
    if (s.n)
        memcpy(*at, s.p, s.n);
    *at += s.n;
    return out;
}

static size_t text_bytes(const str *list, size_t n)
{
    size_t bytes = 0;
    for (size_t i = 0; i < n; i++)
        bytes += list[i].n;
    return bytes;
}

void locks_keep(tracer *t, traced *l, const lock_view *v, int64_t now_ms)
{
    if (l->keys || v->key_count > 1 || (v->key_count == 1 && !str_eq(v->keys[0], l->name)))
        keep_keys(t, l, v);
    size_t bytes = v->holder_count * sizeof(lock_holder) + (v->queue_count + v->key_count) * sizeof(str) + 1 +
                   text_bytes(v->queue, v->queue_count) +
                   text_bytes(v->keys, v->key_count);
    for (size_t i = 0; i < v->holder_count; i++)
        bytes += v->holders[i].id.n + v->holders[i].mode.n;
    char *memory = mem_alloc(bytes);
    lock_holder *holders = (lock_holder *)(void *)memory;
    str *queue = (str *)(void *)(holders + v->holder_count), *keys = queue + v->queue_count;
    char *at = (char *)(keys + v->key_count);
    for (size_t i = 0; i < v->holder_count; i++) {
        holders[i] = v->holders[i];
        holders[i].id = put_text(&at, v->holders[i].id);
        holders[i].mode = put_text(&at, v->holders[i].mode);
    }
    for (size_t i = 0; i < v->queue_count; i++)
        queue[i] = put_text(&at, v->queue[i]);
    for (size_t i = 0; i < v->key_count; i++)
        keys[i] = put_text(&at, v->keys[i]);
    mem_free(l->now.memory);
    l->now = (kept_view){ .v = *v, .memory = memory, .deadline_ms = deadline_of(v, now_ms) };
    l->now.v.lock = l->name;
    l->now.v.holders = holders;
    l->now.v.queue = queue;
    l->now.v.lapsed = NULL;        /* judged by no property of a trace */
    l->now.v.lapsed_count = 0;
    l->now.v.keys = keys;
}

/* ---- the end ---- */

void locks_forget(tracer *t, traced *l)
{
    locks_wake(t, l, NEVER_US);
    forget_keys(t, l, true);
    HASH_DEL(t->locks, l);
    for (size_t i = 0; i < l->party_count; i++)
        party_drop(&l->parties[i]);
    mem_free(l->parties);
    mem_free(l->now.memory);
    judge_forget(t, l);
    beliefs_free(l);
    mem_free((void *)(uintptr_t)l->id.p);
    mem_free(l);
}

void locks_free(tracer *t)
{
    traced *l, *next;
    HASH_ITER(hh, t->locks, l, next) {
        for (size_t i = 0; i < l->party_count; i++)
            l->parties[i].waiting = l->parties[i].holding = l->parties[i].lapsed = false;
        locks_forget(t, l);
    }
    mem_free(t->heap);
}
