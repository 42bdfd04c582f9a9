/* fencing.c - LK005 fencing: tokens strictly increase from holder to holder, and the resource accepts no stale one.
 *
 * The resource is simulated here: it refuses a token below the greatest it has seen, and accepts all others, and
 * accesses without a token. An accepted access is stale if a later holder, by execution of the grants, has used the
 * resource before. */
#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>

#include "base/mem.h"
#include "model/monitor.h"

/* A lock's newest grant by execution. */
typedef struct {
    int64_t token;
    uint64_t seq;
    owner *o;
} fence;

/* Of the model: the resources in use, with the greatest token and the newest grant that each has seen. */
typedef struct resource {
    str name;
    int64_t token;
    uint64_t seq;
    owner *o;
    struct resource *next;
} resource;

typedef struct {
    resource *first;
    size_t count;
} resource_list;

static fence *fence_of(const model *m, const lock *l)
{
    return own_of_lock(m, l, PROPERTY_FENCING);
}

/* Of a stake: the order of its newest grant. */
static uint64_t *newest_of(const model *m, const stake *s)
{
    return own_of_stake(m, s, PROPERTY_FENCING);
}

static int64_t *token_of(const model *m, const grant *g)
{
    return own_of_grant(m, g, PROPERTY_FENCING);
}

static resource_list *resources(const model *m)
{
    return own_of_model(m, PROPERTY_FENCING);
}

static void broken(model *m, const stake *s, int64_t token, const owner *other, int64_t other_token, bool later)
{
    str text = token == 0
                   ? model_say(m, "%.*s was granted \"%.*s\" without a token at %.*s.", STR_ARG(s->o->name),
                               STR_ARG(s->l->name), STR_ARG(model_time(m, m->now_ms)))
                   : model_say(m, "%.*s was granted \"%.*s\" with token %" PRId64
                               " at %.*s, and %.*s, granted %s, has %" PRId64 ".",
                               STR_ARG(s->o->name), STR_ARG(s->l->name), token, STR_ARG(model_time(m, m->now_ms)),
                               STR_ARG(other->name), later ? "before" : "after it", other_token);
    model_break(m, PROPERTY_FENCING, text, token == 0 ? S("Other grants of this lock had one.")
                                                      : S("Tokens must increase in the order in which grants are "
                                                          "executed."));
}

static void judge_grant(model *m, const heard *h)
{
    stake *s = h->s;
    const grant *g = h->g;
    fence *f = fence_of(m, s->l);
    uint64_t *newest = newest_of(m, s);
    int64_t token = h->e->token;
    *token_of(m, g) = token;
    if (g->seq > *newest)
        *newest = g->seq;
    if (f->o) {
        bool later = g->seq > f->seq, same = f->o == s->o;
        if (token == 0 || (later && (same ? token < f->token : token <= f->token)) ||
            (!later && !same && token >= f->token)) {
            broken(m, s, token, f->o, f->token, later);
            return;
        }
        if (!later)
            return;
    }
    if (token != 0)
        *f = (fence){ .token = token, .seq = g->seq, .o = s->o };
}

/* The execution order of the grant on which this access relies: the one with its token, or the owner's newest. 0:
 * none. */
static uint64_t relies_on(const model *m, const owner *o, int64_t token)
{
    uint64_t newest = 0;
    for (const stake *s = o->stakes; s; s = s->next_of_owner) {
        for (size_t i = 0; i < s->grant_count; i++)
            if (token != 0 && *token_of(m, &s->grants[i]) == token)
                return s->grants[i].seq;
        if (*newest_of(m, s) > newest)
            newest = *newest_of(m, s);
    }
    return newest;
}

static resource *find_resource(model *m, str name)
{
    resource_list *list = resources(m);
    for (resource *r = list->first; r; r = r->next)
        if (str_eq(r->name, name))
            return r;
    resource *r = ARENA_NEW(m->memory, resource);
    r->name = arena_str(m->memory, name);
    r->next = list->first;
    list->first = r;
    list->count++;
    return r;
}

static void judge_use(model *m, const event *e)
{
    owner *o = track_owner(m, e->who, e->process);
    if (!o)
        return;
    resource *r = find_resource(m, e->text);
    if (e->token != 0 && e->token < r->token)
        return;            /* refused, as it should be */
    uint64_t seq = relies_on(m, o, e->token);
    if (r->o && r->o != o && seq < r->seq) {
        str with = e->token ? model_say(m, "with token %" PRId64, e->token) : S("without a token");
        model_break(m, PROPERTY_FENCING,
                    model_say(m, "%.*s accepted %.*s %.*s at %.*s, though a later holder, %.*s, had already used it.",
                              STR_ARG(e->text), STR_ARG(o->name), STR_ARG(with), STR_ARG(model_time(m, m->now_ms)),
                              STR_ARG(r->o->name)),
                    e->token ? S("The later holder's token is not greater.")
                    : S("Without a token it cannot tell old from new."));
        return;
    }
    if (e->token > r->token)
        r->token = e->token;
    if (seq >= r->seq) {
        r->seq = seq;
        r->o = o;
    }
}

static void hear(model *m, const heard *h)
{
    if (h->kind == HEAR_GRANTED)
        judge_grant(m, h);
    else
        judge_use(m, h->e);
}

/* ---- frozen ---- */

/* `itself`: the lock to which requests and stakes refer; its order is one of theirs. */
static void code_lock(codec *c, lock *at, const lock *itself)
{
    fence *f = fence_of(c->m, at);
    owner *o = code_owner(c, f->o);
    f->token = code_whole(c, f->token);
    f->seq = code_order(c, itself, f->seq);
    if (c->does == READING)
        f->o = o;
}

static void code_stake(codec *c, stake *at)
{
    uint64_t *newest = newest_of(c->m, at);
    *newest = code_order(c, NULL, *newest);        /* a resource may see holders of several locks */
}

static void code_grant(codec *c, grant *g, const stake *s)
{
    (void)s;
    int64_t *token = token_of(c->m, g);
    *token = code_whole(c, *token);
}

static void code_resource(codec *c, resource *r)
{
    r->token = code_whole(c, r->token);
    r->seq = code_order(c, NULL, r->seq);          /* compared with grants of all locks */
    owner *o = code_owner(c, r->o);
    if (c->does == READING)
        r->o = o;
}

static int by_name(const void *a, const void *b)
{
    return str_cmp((*(resource *const *)a)->name, (*(resource *const *)b)->name);
}

static void code_model(codec *c)
{
    resource_list *known = resources(c->m);
    size_t count = code_number(c, known->count), n = 0;
    if (c->does == READING) {
        for (; count > 0; count--)
            code_resource(c, find_resource(c->m, code_text(c, S(""))));
        return;
    }
    resource **list = mem_alloc((count + 1) * sizeof *list);
    for (resource *r = known->first; r; r = r->next)
        list[n++] = r;
    assert(n == count);
    if (n)
        qsort(list, n, sizeof *list, by_name);
    for (size_t i = 0; i < n; i++) {
        resource copy = *list[i];
        code_text(c, copy.name);
        code_resource(c, &copy);
    }
    mem_free(list);
}

const monitor fencing_monitor = {
    .info = {
        .name = "fencing", .code = "LK005", .along_a_run = true,
        .promise = "tokens strictly increase from holder to holder, and the resource never accepts a stale one",
        .explain =
            "Once a lock gives tokens, every grant carries one that is greater than that of the grant executed before "
                "it to another\n"
            "owner; the same owner may re-enter with its present token. The resource (me:use(resource, token)) refuses "
                "a token\n"
            "smaller than the greatest it has seen, and accepts the rest and any access without a token. An access "
                "that it\n"
            "accepts although a later holder has already been there is a violation.\n"
            "\n"
            "Usual causes: the token is not passed to the resource; the counter dies with the lock's key, with an "
                "eviction or in\n"
            "a failover; the token is read in a second command after the acquire.\n",
    },
    .reads = FACT_BELIEFS | FACT_ORDER | FACT_GRANT_ORDER,
    .hears = HEARS(HEAR_GRANTED) | HEARS(HEAR_USED),
    .hear = hear,
    .owns = { .model = sizeof(resource_list), .lock = sizeof(fence), .stake = sizeof(uint64_t),
              .grant = sizeof(int64_t) },
    .code = { .lock = code_lock, .stake = code_stake, .grant = code_grant, .model = code_model },
};
