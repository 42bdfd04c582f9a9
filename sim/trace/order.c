/* order.c - see order.h: the records, which of them have to do with each other, and what is handed out.
 * order_search.c finds the order within a group. */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "script/script.h"
#include "trace/order_internal.h"

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

void order_free(order *o)
{
    key_owner *k, *next;
    if (!o)
        return;
    HASH_ITER(hh, o->keys, k, next) {
        HASH_DEL(o->keys, k);
        mem_free(k);
    }
    order_forget_failed(o);
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
            order_search_group(o, n);
    }
    mem_free(next_of);
    o->counts.requests = o->count;
    hand_out(o, fn, context);
    return o->counts;
}
