/* test_model_states.c - what a search pays for its monitors: their state must not split what is one for every future.
 * Clients of a plain reentrant lock are searched whole, with the model as a value beside them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>
#include <uthash.h>

#include "base/mem.h"
#include "model/model.h"

#define T0 INT64_C(1700000000000)

enum { CLIENTS = 3, POSITIONS = 4, STATES_MAX = 200000 };

/* A client repeats: acquire until granted; acquire again, without a look at the reply; release; release. */
enum { ACQUIRE, NEST, DROP, DROP_LAST };

typedef struct {
    uint8_t position[CLIENTS], rounds[CLIENTS], sent[CLIENTS], waits[CLIENTS], beliefs[CLIENTS];
    int8_t owner;          /* -1: free */
    uint8_t count, evictions;
} plain;

typedef struct {
    bool announces_nested, names_lock, splits;     /* splits: a request is executed one step after it was sent */
    uint8_t rounds, evictions;
} rules;

typedef struct {
    UT_hash_handle hh;
    size_t n;
    char key[];
} known;

typedef struct {
    plain p;
    size_t at, n;          /* the model's bytes */
    uint32_t broken;
} node;

typedef struct {
    rules r;
    model_config config;
    known *pairs, *plains; /* state with value; state with what is broken */
    known *told, *views;   /* value with, and without, what it should be a function of: beliefs, waits, the view, what
                            * is broken */
    node *queue;
    size_t count, done;
    buf bytes;
    model *m;
    plain state, *p;       /* of the step that is taken */
} search;

static const str process_names[CLIENTS] = { { "A", 1 }, { "B", 1 }, { "C", 1 } };
static const char *const owners[CLIENTS] = { "A:1", "B:1", "C:1" };

/* true: it was not known before. */
static bool add(known **set, const void *key, size_t n)
{
    known *k;
    HASH_FIND(hh, *set, key, n, k);
    if (k)
        return false;
    k = mem_alloc(sizeof *k + n);
    memset(&k->hh, 0, sizeof k->hh);
    k->n = n;
    memcpy(k->key, key, n);
    HASH_ADD_KEYPTR(hh, *set, k->key, n, k);
    return true;
}

static size_t forget(known **set)
{
    size_t n = HASH_COUNT(*set);
    known *k, *next;
    HASH_ITER(hh, *set, k, next) {
        HASH_DEL(*set, k);
        mem_free(k);
    }
    return n;
}

/* ---- events ---- */

static const char *op_of(int position)
{
    return position < DROP ? "acquire" : "release";
}

static void tell(search *s, int c, event e)
{
    e.at_ms = T0;
    e.process = c < 0 ? NOBODY : (uint32_t)c;
    e.task = c < 0 ? NOBODY : 0;
    if (c >= 0)
        e.who = str_from(owners[c]);
    model_event(s->m, &e);
}

static void about_request(search *s, int c, event_kind kind, uint32_t request)
{
    bool names = s->r.names_lock || s->p->position[c] != NEST;
    tell(s, c, (event){ .kind = kind, .request = request, .op = str_from(op_of(s->p->position[c])), .text = S("nil"),
                        .lock = names ? S("L") : S(""), .lease_ms = LEASE_NONE });
}

static void show(search *s, int c)
{
    lock_holder h = { .id = str_from(s->p->owner < 0 ? "" : owners[s->p->owner]), .count = s->p->count };
    lock_view v = { .lock = S("L"), .holders = &h, .holder_count = s->p->owner >= 0,
                    .ttl_ms = s->p->owner < 0 ? TTL_NO_KEY : TTL_NONE };
    tell(s, c, (event){ .kind = EVENT_VIEW, .lock = S("L"), .view = &v, .request = c < 0 ? 0 : 2,
                        .op = c < 0 ? S("evict") : str_from(op_of(s->p->position[c])) });
}

static void over(search *s)
{
    task_state tasks[CLIENTS];
    size_t n = 0;
    for (uint32_t c = 0; c < CLIENTS; c++)
        if (s->p->rounds[c])
            tasks[n++] = (task_state){ .process = c, .who = str_from(owners[c]), .wake = WAKE_COMING, .main = true };
    tell(s, -1, (event){ .kind = EVENT_STATE, .tasks = tasks, .task_count = n });
}

/* ---- steps ---- */

static void send(search *s, int c, uint32_t request)
{
    if (s->p->position[c] == ACQUIRE)
        tell(s, c, (event){ .kind = EVENT_WANTS, .lock = S("L") });
    s->p->waits[c] |= s->p->position[c] == ACQUIRE;
    s->p->beliefs[c] -= s->p->position[c] >= DROP && s->p->beliefs[c] > 0;
    about_request(s, c, EVENT_SENT, request);
    s->p->sent[c] = true;
}

static void run_and_answer(search *s, int c)
{
    plain *p = s->p, before = *p;
    bool asks = p->position[c] < DROP, mine = p->owner == c, granted = asks && (mine || p->owner < 0);
    about_request(s, c, EVENT_EXECUTED, 2);
    if (granted) {
        p->owner = (int8_t)c;
        p->count++;
    } else if (!asks && mine && --p->count == 0) {
        p->owner = -1;
    }
    if (p->owner != before.owner || p->count != before.count)
        show(s, c);
    about_request(s, c, EVENT_ANSWERED, 2);
    bool told = p->position[c] != NEST || s->r.announces_nested;
    if (told)
        tell(s, c, (event){ .kind = asks ? granted ? EVENT_GRANTED : EVENT_REFUSED : mine ? EVENT_RELEASED : EVENT_LOST,
                            .request = 2,
                            .lock = S("L"), .lease_ms = LEASE_NONE, .count = mine || granted ? p->count : 0 });
    if (told && asks && granted) {
        p->beliefs[c]++;
        p->waits[c] = false;
    } else if (told && p->position[c] == NEST) {
        tell(s, c, (event){ .kind = EVENT_GAVE_UP, .lock = S("L") });
    } else if (told && !asks && !mine) {
        p->beliefs[c] = 0;
    }
    p->sent[c] = false;
    if (p->position[c] == ACQUIRE && !granted)
        return;
    p->position[c] = (uint8_t)((p->position[c] + 1) % POSITIONS);
    if (p->position[c] == ACQUIRE && --p->rounds[c] == 0)
        tell(s, c, (event){ .kind = EVENT_ENDED });
}

/* The last answer of a client can still be referred to: it is 1; the next request is 2, or 3 until now. */
static void rename_after(search *s, int c, bool went_on)
{
    const uint32_t under_way[] = { 0, 1, 2 }, answered[] = { 0, UINT32_MAX, 1, 2 };
    if (c >= 0 && s->p->sent[c] && !went_on)
        model_rename(s->m, (uint32_t)c, under_way, COUNT(under_way), NULL, 0);
    else if (c >= 0)
        model_rename(s->m, (uint32_t)c, answered, COUNT(answered), NULL, 0);
}

static void evict(search *s)
{
    s->p->evictions--;
    s->p->owner = -1;
    s->p->count = 0;
    show(s, -1);
}

/* ---- the search ---- */

/* Adds the state alone to one set, and the state with the value to another; true: both together were not known. */
static bool add_both(known **alone, known **with, const plain *p, uint32_t broken, const buf *value)
{
    buf key = { 0 };
    buf_add(&key, (str){ .p = (const char *)p, .n = sizeof *p });
    buf_u64(&key, broken);
    add(alone, key.p, key.n);
    buf_add(&key, buf_str(value));
    bool fresh = add(with, key.p, key.n);
    buf_free(&key);
    return fresh;
}

static void meet(search *s, const plain *p, uint32_t broken, const buf *value)
{
    if (add_both(&s->plains, &s->pairs, p, broken, value)) {
        assert_true(s->count < STATES_MAX);
        s->queue[s->count++] = (node){ .p = *p, .at = s->bytes.n, .n = value->n, .broken = broken };
        buf_add(&s->bytes, buf_str(value));
    }
    plain view = *p;
    memset(view.position, 0, sizeof view.position);
    memset(view.rounds, 0, sizeof view.rounds);
    memset(view.sent, 0, sizeof view.sent);
    view.evictions = 0;
    add_both(&s->views, &s->told, &view, broken, value);
}

static void go(search *s, size_t from, int c)
{
    node n = s->queue[from];
    s->state = n.p;
    s->p = &s->state;
    s->m = model_thaw(&s->config, process_names, CLIENTS, (str){ .p = s->bytes.p + n.at, .n = n.n }, T0);
    bool went_on = false;              /* until its task does, an answer may still be spoken of */
    if (c < 0) {
        evict(s);
    } else {
        if (!n.p.sent[c])
            send(s, c, 2);
        if (!s->r.splits || n.p.sent[c]) {
            went_on = s->p->position[c] == NEST && !s->r.announces_nested;
            run_and_answer(s, c);
            if (went_on)
                send(s, c, 3);
        }
    }
    over(s);
    rename_after(s, c, went_on);
    buf value = { 0 };
    model_freeze(s->m, T0, NULL, &value);
    meet(s, s->p, n.broken | model_broken(s->m), &value);
    buf_free(&value);
    model_free(s->m);
}

static search search_all(rules r, const model_config *config)
{
    search s = { .r = r, .config = *config, .queue = mem_alloc(STATES_MAX * sizeof(node)) };
    plain p;
    memset(&p, 0, sizeof p);
    p.owner = -1;
    p.evictions = r.evictions;
    memset(p.rounds, r.rounds, sizeof p.rounds);
    model *m = model_new(config, process_names, CLIENTS);
    model_lock(m, S("L"), SPEC_REENTRANT);
    buf value = { 0 };
    model_freeze(m, T0, NULL, &value);
    model_free(m);
    meet(&s, &p, 0, &value);
    buf_free(&value);
    for (; s.done < s.count; s.done++) {
        for (int c = 0; c < CLIENTS; c++)
            if (s.queue[s.done].p.rounds[c])
                go(&s, s.done, c);
        if (s.queue[s.done].p.evictions && s.queue[s.done].p.owner >= 0)
            go(&s, s.done, -1);
    }
    mem_free(s.queue);
    buf_free(&s.bytes);
    return s;
}

static void values_of_the_plain_lock_do_not_remember(void **state)
{
    (void)state;
    for (int bits = 0; bits < 16; bits++) {
        rules r = { .announces_nested = bits & 1, .names_lock = bits & 2, .splits = bits & 4, .rounds = 2,
                    .evictions = bits & 8 ? 1 : 0 };
        model_config c = model_config_default();
        for (size_t i = 0; i < PROPERTY_COUNT; i++)
            c.judged[i] |= i != PROPERTY_FENCING && i != PROPERTY_FIFO;
        search s = search_all(r, &c);
        size_t pairs = forget(&s.pairs), plains = forget(&s.plains), told = forget(&s.told), views = forget(&s.views);
        if (pairs != plains || told != views)
            fail_msg("nested %s, lock %s, %s, %d evictions: %zu states, %zu with the model; %zu values of %zu views",
                     r.announces_nested ? "told" : "ignored", r.names_lock ? "named" : "left out",
                     r.splits ? "split" : "fused", r.evictions, plains, pairs, told, views);
        assert_true(plains > 500);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_of_the_plain_lock_do_not_remember),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
