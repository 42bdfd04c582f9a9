/* order.c - see order.h. */
#include "trace/order.h"

#include <stdlib.h>
#include <string.h>
#include <uthash.h>
#include <xxhash.h>

#include "base/mem.h"
#include "script/script.h"
#include "trace/answer.h"

#define NEVER_US INT64_MAX
#define NOBODY_YET SIZE_MAX
/* How often the requests of one group may be executed before an answer counts as unexplained: so often, and so often
 * for each of them. */
enum { TRIES_MAX = 3000000, TRIES_EACH = 100, NEIGHBOURS_MAX = 16, TIMES_MAX = 64 };

typedef struct {
    record r;
    int64_t limit_us;      /* when its answer was there; NEVER_US: none came */
    int64_t at_us;         /* when it was executed, once that is found */
    size_t group;          /* as in a union-find: its own number, or one below */
    size_t next, prev;     /* of those that are still to be placed */
    uint64_t print;        /* a random number: a set of requests is the sum of theirs */
    bool keyless, strange; /* names no key; cannot be searched for */
} op;

typedef struct key_owner {
    UT_hash_handle hh;
    size_t op;
} key_owner;

typedef struct {
    size_t op;
    int64_t at_us;
} choice;

/* A state in which one of several requests may come next. */
typedef struct {
    choice *choices;       /* in the search's arena of the frame; those from `next` on are still to be tried */
    size_t count, next;
    size_t placed;         /* how many requests are placed before it */
    str store;             /* frozen; p NULL: there is only one choice */
    int64_t now_us;
    uint64_t set;
    XXH128_hash_t print;
} frame;

typedef struct failed_state {
    UT_hash_handle hh;
    XXH128_hash_t print;
} failed_state;

struct order {
    arena *memory;
    op *ops;
    size_t count, cap;
    redis *server;
    redis_conn *conn;
    arena *scratch;
    key_owner *keys;
    order_counts counts;
    /* of the group that is being searched */
    size_t first;          /* of the list of those still to be placed; NOBODY_YET: none */
    size_t left;           /* of these, those that were answered */
    choice *path, *best;   /* placed so far; the longest way there was */
    size_t path_count, path_cap, best_count, best_cap, best_left;
    frame *frames;
    size_t frame_count, frame_cap;
    failed_state *failed;
    uint64_t set, tries;
    int64_t now_us;
    choice *sorted;        /* all that was placed, of all groups */
    size_t sorted_count, sorted_cap;
};

order *order_new(dialect d)
{
    order *o = mem_zero(sizeof *o);
    o->memory = arena_new();
    o->scratch = arena_new();
    o->server = redis_new((redis_limits){ .dialect = d });
    redis_host_by(o->server, &(redis_host){ .since_ms = 0 });          /* for COMMAND GETKEYS */
    o->conn = redis_connect(o->server, 1);
    return o;
}

static void forget_failed(order *o)
{
    failed_state *s, *next;
    HASH_ITER(hh, o->failed, s, next) {
        HASH_DEL(o->failed, s);
        mem_free(s);
    }
}

void order_free(order *o)
{
    key_owner *k, *next;
    if (!o)
        return;
    HASH_ITER(hh, o->keys, k, next) {
        HASH_DEL(o->keys, k);
        mem_free(k);
    }
    forget_failed(o);
    redis_free(o->server);
    arena_free(o->memory);
    arena_free(o->scratch);
    mem_free(o->ops);
    mem_free(o->path);
    mem_free(o->best);
    mem_free(o->frames);
    mem_free(o->sorted);
    mem_free(o);
}

void order_know_script(order *o, str body)
{
    str why;
    arena_reset(o->scratch);
    redis_load_script(o->server, body, o->scratch, &why);
}

/* ---- what there is ---- */

static bool is(str word, const char *name)
{
    return str_eq_nocase(word, str_from(name));
}

/* Answers that say that nothing was done, and nothing more. */
static bool was_not_done(const record *r)
{
    return r->answer && r->answer->kind == REPLY_ERROR && str_starts(r->answer->text, S("NOSCRIPT"));
}

static void learn_script(order *o, const record *r)
{
    if (r->argc > 2 && is(r->argv[0], "script") && is(r->argv[1], "load"))
        order_know_script(o, r->argv[2]);
    else if (r->argc > 2 && (is(r->argv[0], "eval") || is(r->argv[0], "eval_ro")))
        order_know_script(o, r->argv[1]);
}

bool order_add(order *o, const record *r, err *e)
{
    if (o->count == ORDER_RECORDS_MAX)
        return err_set(e, ERR_SCENARIO, "line %zu: clients' own logs may have at most %d requests: all of them are "
                       "kept", r->line, ORDER_RECORDS_MAX);
    if (r->lua || was_not_done(r))
        return true;
    MEM_RESERVE(o->ops, o->cap, o->count + 1);
    op *x = &o->ops[o->count];
    bool own = r->clients_own;
    *x = (op){ .r = *r, .limit_us = !own ? r->at_us : r->answered_us == RECORD_UNKNOWN ? NEVER_US : r->answered_us };
    x->r.sent_us = own ? r->sent_us : r->at_us;
    x->r.client = arena_str(o->memory, r->client);
    str *argv = ARENA_ARRAY(o->memory, str, r->argc);
    for (size_t i = 0; i < r->argc; i++)
        argv[i] = arena_str(o->memory, r->argv[i]);
    x->r.argv = argv;
    x->r.answer = NULL;
    if (r->answer && x->limit_us != NEVER_US) {
        reply *answer = ARENA_NEW(o->memory, reply);
        *answer = reply_copy(o->memory, r->answer);
        x->r.answer = answer;
    }
    x->print = XXH3_64bits(&o->count, sizeof o->count);
    o->count++;
    o->counts.unknown += x->limit_us == NEVER_US;
    learn_script(o, r);
    return true;
}

static int by_sent(const void *a, const void *b)
{
    const op *x = a, *y = b;
    if (x->r.sent_us != y->r.sent_us)
        return x->r.sent_us < y->r.sent_us ? -1 : 1;
    return x->r.line < y->r.line ? -1 : x->r.line > y->r.line;
}

/* ---- requests that have to do with each other ---- */

static size_t root_of(order *o, size_t i)
{
    while (o->ops[i].group != i)
        i = o->ops[i].group = o->ops[o->ops[i].group].group;
    return i;
}

static void join(order *o, size_t i, size_t k)
{
    size_t x = root_of(o, i), y = root_of(o, k);
    if (x < y)
        o->ops[y].group = x;
    else
        o->ops[x].group = y;
}

static void use_key(order *o, size_t i, str key)
{
    key_owner *k;
    int db = o->ops[i].r.db;
    buf id = { 0 };
    buf_add(&id, (str){ .p = (const char *)&db, .n = sizeof db });
    buf_add(&id, key);
    HASH_FIND(hh, o->keys, id.p, id.n, k);
    if (!k) {
        k = mem_zero(sizeof *k);
        k->op = i;
        str kept = arena_str(o->memory, buf_str(&id));
        HASH_ADD_KEYPTR(hh, o->keys, kept.p, kept.n, k);
    }
    buf_free(&id);
    join(o, i, k->op);
}

/* Of the words, which are keys: as COMMAND GETKEYS says. */
static void find_keys(order *o, size_t i)
{
    op *x = &o->ops[i];
    arena_reset(o->scratch);
    str *ask = ARENA_ARRAY(o->scratch, str, x->r.argc + 2);
    ask[0] = S("command");
    ask[1] = S("getkeys");
    memcpy(ask + 2, x->r.argv, x->r.argc * sizeof *ask);
    reply keys = redis_execute(o->server, o->conn, ask, x->r.argc + 2, 0, o->scratch);
    x->keyless = keys.kind != REPLY_ARRAY || keys.count == 0;
    for (size_t k = 0; k < keys.count && !x->keyless; k++)
        use_key(o, i, keys.items[k].text);
    bool by_sha = x->r.argc > 1 && (is(x->r.argv[0], "evalsha") || is(x->r.argv[0], "evalsha_ro"));
    x->strange = redis_command_waits(x->r.argv[0]) || (by_sha && !redis_knows_script(o->server, x->r.argv[1])) ||
                 (x->r.answer && str_eq(x->r.answer->text, S("QUEUED")));
}

/* ---- our server ---- */

static reply execute(order *o, const op *x, int64_t at_us, arena *out)
{
    str select[] = { S("select"), arena_int(out, x->r.db) };
    if (redis_conn_db(o->conn) != x->r.db)
        redis_execute(o->server, o->conn, select, COUNT(select), at_us / 1000, out);
    return redis_execute(o->server, o->conn, x->r.argv, x->r.argc, at_us / 1000, out);
}

/* Executes it then, if our server answers what the log has. */
static bool fits(order *o, const op *x, int64_t at_us)
{
    arena_reset(o->scratch);
    reply r = execute(o, x, at_us, o->scratch);
    o->counts.tried++;
    o->tries++;
    return !x->r.answer || answer_same(x->r.answer, &r);
}

static str freeze(order *o, int64_t now_us)
{
    buf b = { 0 };
    redis_freeze(o->server, now_us / 1000, &b);
    str out = { .p = mem_alloc(b.n + 1), .n = b.n };
    memcpy((char *)(uintptr_t)out.p, b.p ? b.p : "", b.n);
    buf_free(&b);
    return out;
}

/* ---- the requests that are still to be placed, by when they were sent ---- */

static void take_out(order *o, size_t i)
{
    op *x = &o->ops[i];
    if (x->prev == NOBODY_YET)
        o->first = x->next;
    else
        o->ops[x->prev].next = x->next;
    if (x->next != NOBODY_YET)
        o->ops[x->next].prev = x->prev;
    o->left -= x->limit_us != NEVER_US;
    o->set += x->print;
}

/* The last one that was taken out comes back to where it was. */
static void put_back(order *o, size_t i)
{
    op *x = &o->ops[i];
    if (x->prev == NOBODY_YET)
        o->first = i;
    else
        o->ops[x->prev].next = i;
    if (x->next != NOBODY_YET)
        o->ops[x->next].prev = i;
    o->left += x->limit_us != NEVER_US;
    o->set -= x->print;
}

static void place(order *o, choice c)
{
    MEM_RESERVE(o->path, o->path_cap, o->path_count + 1);
    o->path[o->path_count++] = c;
    o->now_us = c.at_us;
    take_out(o, c.op);
}

static void unplace_to(order *o, size_t count)
{
    while (o->path_count > count)
        put_back(o, o->path[--o->path_count].op);
}

/* ---- what may come next ---- */

typedef struct {
    int64_t list[TIMES_MAX];
    size_t count;
    int64_t after_us, limit_us;
} instants;

static void add_instant(instants *t, int64_t at_us)
{
    if (at_us <= t->after_us || at_us > t->limit_us || t->count == TIMES_MAX)
        return;
    for (size_t i = 0; i < t->count; i++)
        if (t->list[i] == at_us)
            return;
    t->list[t->count++] = at_us;
}

static void on_deadline(void *context, int64_t at_ms, bool deadline)
{
    if (deadline)
        add_instant(context, (at_ms + 1) * 1000);
}

/* A length in its words, of ms or s: executed then, what lives so long still lives when another request is sent, or
 * when what ends by itself has ended. Earlier does for all else. */
static void add_length(order *o, int64_t length_us, instants *t)
{
    size_t seen = 0;
    for (size_t k = o->first; k != NOBODY_YET && seen < NEIGHBOURS_MAX; k = o->ops[k].next, seen++)
        add_instant(t, o->ops[k].r.sent_us / 1000 * 1000 - length_us);
    instants ends = { .after_us = o->now_us, .limit_us = NEVER_US };
    redis_each_instant(o->server, o->now_us / 1000, 0, on_deadline, &ends);
    for (size_t i = 0; i < ends.count; i++)
        add_instant(t, ends.list[i] - length_us);
}

static void add_lengths(order *o, const op *x, instants *t)
{
    enum { DIGITS_MAX = 9 };
    for (size_t i = 1; i < x->r.argc; i++) {
        str w = x->r.argv[i];
        int64_t n = w.n && w.n <= DIGITS_MAX ? 0 : -1;
        for (size_t k = 0; k < w.n && n >= 0; k++)
            n = w.p[k] >= '0' && w.p[k] <= '9' ? n * 10 + (w.p[k] - '0') : -1;
        if (n <= 0)
            continue;
        add_length(o, n * 1000, t);
        add_length(o, n * 1000000, t);
    }
}

static int64_t first_limit(const order *o)
{
    int64_t limit = NEVER_US;
    for (size_t i = o->first; i != NOBODY_YET && o->ops[i].r.sent_us <= limit; i = o->ops[i].next)
        if (o->ops[i].limit_us < limit)
            limit = o->ops[i].limit_us;
    return limit;
}

static int by_limit(const void *a, const void *b)
{
    const choice *x = a, *y = b;
    return x->at_us != y->at_us ? (x->at_us < y->at_us ? -1 : 1) : x->op < y->op ? -1 : x->op > y->op;
}

/* Each of those that may be next, as early as can be, the first to be answered first; then each at later instants at
 * which something could come out otherwise. */
static size_t choices_of(order *o, choice **out)
{
    int64_t limit = first_limit(o);
    size_t n = 0, cap = 0;
    choice *list = NULL;
    for (size_t i = o->first; i != NOBODY_YET && o->ops[i].r.sent_us <= limit; i = o->ops[i].next) {
        int64_t at = o->ops[i].r.sent_us > o->now_us ? o->ops[i].r.sent_us : o->now_us;
        if (at > limit)
            continue;
        MEM_RESERVE(list, cap, n + 1);
        list[n++] = (choice){ .op = i, .at_us = o->ops[i].limit_us };          /* to be sorted by */
    }
    if (n > 1)
        qsort(list, n, sizeof *list, by_limit);
    size_t early = n;
    for (size_t i = 0; i < early; i++) {
        const op *x = &o->ops[list[i].op];
        instants t = { .after_us = x->r.sent_us > o->now_us ? x->r.sent_us : o->now_us, .limit_us = limit };
        list[i].at_us = t.after_us;
        redis_each_instant(o->server, o->now_us / 1000, 0, on_deadline, &t);
        add_lengths(o, x, &t);
        for (size_t k = 0; k < t.count; k++) {
            MEM_RESERVE(list, cap, n + 1);
            list[n++] = (choice){ .op = list[i].op, .at_us = t.list[k] };
        }
    }
    *out = list;
    return n;
}

/* ---- the search ---- */

static bool known_failure(order *o, const frame *f)
{
    failed_state *s;
    HASH_FIND(hh, o->failed, &f->print, sizeof f->print, s);
    return s != NULL;
}

/* A state with a choice. false: from here nothing can follow. */
static bool open_frame(order *o)
{
    MEM_RESERVE(o->frames, o->frame_cap, o->frame_count + 1);
    frame *f = &o->frames[o->frame_count];
    *f = (frame){ .placed = o->path_count, .now_us = o->now_us, .set = o->set };
    f->count = choices_of(o, &f->choices);
    if (f->count > 1) {
        f->store = freeze(o, o->now_us);
        uint64_t rest[2] = { (uint64_t)o->now_us, o->set };
        f->print = XXH3_128bits_withSeed(f->store.p, f->store.n, XXH3_64bits(rest, sizeof rest));
    }
    if (f->count == 0 || (f->count > 1 && known_failure(o, f))) {
        mem_free(f->choices);
        mem_free((void *)(uintptr_t)f->store.p);
        return false;
    }
    o->frame_count++;
    return true;
}

static void close_frame(order *o, bool failed)
{
    frame *f = &o->frames[--o->frame_count];
    if (failed && f->count > 1) {
        failed_state *s = mem_zero(sizeof *s);
        s->print = f->print;
        HASH_ADD(hh, o->failed, print, sizeof s->print, s);
    }
    mem_free(f->choices);
    mem_free((void *)(uintptr_t)f->store.p);
}

static void note_best(order *o)
{
    if (o->left >= o->best_left)
        return;
    o->best_left = o->left;
    o->best = mem_reserve(o->best, &o->best_cap, o->path_count, sizeof *o->best);
    memcpy(o->best, o->path, o->path_count * sizeof *o->best);
    o->best_count = o->path_count;
}

/* From the state in which all of `path` is placed: true, and the rest is placed, too; false: no way was found. */
static bool search(order *o, uint64_t tries_max)
{
    o->tries = 0;
    o->best_left = SIZE_MAX;
    note_best(o);
    if (o->left == 0)
        return true;
    open_frame(o);
    while (o->frame_count > 0 && o->tries < tries_max) {
        frame *f = &o->frames[o->frame_count - 1];
        if (f->next == f->count) {
            close_frame(o, true);
            continue;
        }
        choice c = f->choices[f->next++];
        unplace_to(o, f->placed);
        o->now_us = f->now_us;
        if (f->next > 1)
            redis_thaw(o->server, f->now_us / 1000, f->store);
        if (!fits(o, &o->ops[c.op], c.at_us))
            continue;
        place(o, c);
        note_best(o);
        if (o->left == 0)
            return true;
        open_frame(o);
    }
    return false;
}

static void close_all(order *o)
{
    while (o->frame_count > 0)
        close_frame(o, false);
    forget_failed(o);
}

/* No order explains all answers: what could be explained stays, and the next to be answered is executed although it
 * does not fit. */
static void force_one(order *o, size_t base, str store, int64_t now_us, bool gave_up)
{
    unplace_to(o, base);
    redis_thaw(o->server, now_us / 1000, store);
    for (size_t i = base; i < o->best_count; i++) {
        arena_reset(o->scratch);
        execute(o, &o->ops[o->best[i].op], o->best[i].at_us, o->scratch);
        place(o, o->best[i]);
    }
    size_t worst = o->first;
    for (size_t i = o->first; i != NOBODY_YET; i = o->ops[i].next)
        if (o->ops[i].limit_us < o->ops[worst].limit_us)
            worst = i;
    const op *x = &o->ops[worst];
    int64_t at_us = x->r.sent_us > o->now_us ? x->r.sent_us : o->now_us;
    arena_reset(o->scratch);
    reply ours = execute(o, x, at_us, o->scratch);
    place(o, (choice){ .op = worst, .at_us = at_us });
    if (!x->r.answer || answer_same(x->r.answer, &ours))
        return;
    if (o->counts.unexplained++ == 0)
        o->counts.unexplained_line = x->r.line;
    o->counts.given_up += gave_up;
}

static void keep_path(order *o)
{
    for (size_t i = 0; i < o->path_count; i++) {
        MEM_RESERVE(o->sorted, o->sorted_cap, o->sorted_count + 1);
        o->counts.done += o->ops[o->path[i].op].limit_us == NEVER_US;
        o->sorted[o->sorted_count++] = o->path[i];
    }
}

/* Those of one group, linked. */
static void search_group(order *o, size_t requests)
{
    enum { FORCED_MAX = 1000 };
    uint64_t tries_max = TRIES_MAX + (uint64_t)requests * TRIES_EACH, tried = 0;
    bool gave_up = false;
    size_t base = 0;
    o->path_count = 0;
    o->set = 0;
    o->now_us = 0;
    redis_execute(o->server, o->conn, (str[]){ S("flushall") }, 1, 0, o->scratch);
    str store = freeze(o, 0);
    int64_t now_us = 0;
    for (size_t forced = 0; !search(o, tried < tries_max && forced < FORCED_MAX ? tries_max - tried : 0); forced++) {
        close_all(o);
        tried += o->tries;
        gave_up |= tried >= tries_max || forced >= FORCED_MAX;     /* the rest as it was answered */
        force_one(o, base, store, now_us, gave_up);
        base = o->path_count;
        now_us = o->now_us;
        mem_free((void *)(uintptr_t)store.p);
        store = freeze(o, now_us);
    }
    close_all(o);
    mem_free((void *)(uintptr_t)store.p);
    keep_path(o);
}

/* Nothing is searched: each when it was answered, or sent. */
static void keep_as_sent(order *o, size_t first)
{
    for (size_t i = first; i != NOBODY_YET; i = o->ops[i].next) {
        const op *x = &o->ops[i];
        MEM_RESERVE(o->sorted, o->sorted_cap, o->sorted_count + 1);
        o->sorted[o->sorted_count++] = (choice){ .op = i, .at_us = x->limit_us == NEVER_US ? x->r.sent_us
                                                                  : x->limit_us };
        o->counts.as_sent++;
    }
}

/* Links the requests of this group, in the order of sending. */
static size_t link_group(order *o, size_t *next_of, size_t root, bool *strange)
{
    size_t n = 0, last = NOBODY_YET;
    o->first = NOBODY_YET;
    o->left = 0;
    *strange = false;
    for (size_t i = root; i != NOBODY_YET; i = next_of[i]) {
        op *x = &o->ops[i];
        x->prev = last;
        x->next = NOBODY_YET;
        if (last == NOBODY_YET)
            o->first = i;
        else
            o->ops[last].next = i;
        last = i;
        n++;
        o->left += x->limit_us != NEVER_US;
        *strange |= x->strange;
    }
    return n;
}

/* Those of one group in a list each: next_of[i] is the next one of i's. */
static size_t *group_lists(order *o)
{
    size_t *next_of = mem_alloc((o->count + 1) * sizeof *next_of), *last = mem_alloc((o->count + 1) * sizeof *last);
    for (size_t i = 0; i < o->count; i++) {
        size_t root = root_of(o, i);
        next_of[i] = NOBODY_YET;
        if (root != i)
            next_of[last[root]] = i;
        last[root] = i;
    }
    mem_free(last);
    return next_of;
}

static int by_instant(const void *a, const void *b)
{
    const choice *x = a, *y = b;
    return x->at_us != y->at_us ? (x->at_us < y->at_us ? -1 : 1) : 0;
}

static void merge_sort(choice *list, choice *room, size_t n)
{
    if (n < 2)
        return;
    size_t half = n / 2, i = 0, k = half;
    merge_sort(list, room, half);
    merge_sort(list + half, room, n - half);
    for (size_t at = 0; at < n; at++)
        room[at] = k == n || (i < half && by_instant(&list[i], &list[k]) <= 0) ? list[i++] : list[k++];
    memcpy(list, room, n * sizeof *list);
}

static void hand_out(order *o, void (*fn)(void *context, const record *r), void *context)
{
    choice *room = mem_alloc((o->sorted_count + 1) * sizeof *room);
    merge_sort(o->sorted, room, o->sorted_count);
    mem_free(room);
    for (size_t i = 0; i < o->sorted_count; i++) {
        record r = o->ops[o->sorted[i].op].r;
        r.at_us = o->sorted[i].at_us;
        fn(context, &r);
    }
}

order_counts order_each(order *o, void (*fn)(void *context, const record *r), void *context)
{
    if (o->count > 1)
        qsort(o->ops, o->count, sizeof *o->ops, by_sent);
    for (size_t i = 0; i < o->count; i++)
        o->ops[i].group = i;
    for (size_t i = 0; i < o->count; i++)
        find_keys(o, i);
    size_t *next_of = group_lists(o);
    for (size_t i = 0; i < o->count; i++) {
        bool strange;
        if (root_of(o, i) != i)
            continue;
        size_t n = link_group(o, next_of, i, &strange);
        if (strange || o->ops[i].keyless)
            keep_as_sent(o, o->first);
        else
            search_group(o, n);
    }
    mem_free(next_of);
    o->counts.requests = o->count;
    hand_out(o, fn, context);
    return o->counts;
}
