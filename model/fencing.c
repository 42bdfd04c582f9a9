/* fencing.c - LK005 fencing: tokens strictly increase from holder to holder, and the resource accepts no stale one.
 *
 * The resource is played here: it refuses a token below the greatest it has seen, and accepts the rest and whoever brings none.
 * What it accepts is stale if a later holder, by execution of the grants, has already been there. */
#include <inttypes.h>

#include "base/mem.h"
#include "model/internal.h"

static void broken(model *m, const stake *s, int64_t token, const owner *other, int64_t other_token, bool later)
{
    str text = token == 0
                   ? model_say(m, "%.*s was granted \"%.*s\" without a token at %.*s.", STR_ARG(s->o->name), STR_ARG(s->l->name),
                               STR_ARG(model_time(m, m->now_ms)))
                   : model_say(m, "%.*s was granted \"%.*s\" with token %" PRId64 " at %.*s, and %.*s, granted %s, has %" PRId64 ".",
                               STR_ARG(s->o->name), STR_ARG(s->l->name), token, STR_ARG(model_time(m, m->now_ms)),
                               STR_ARG(other->name), later ? "before" : "after it", other_token);
    model_break(m, PROPERTY_FENCING, text, token == 0 ? S("Other grants of this lock had one.")
                                                      : S("Tokens must increase in the order in which grants are executed."));
}

void fencing_granted(model *m, stake *s, const grant *g)
{
    lock *l = s->l;
    if (!model_open(m, PROPERTY_FENCING))
        return;
    if (g->seq > s->last_seq)
        s->last_seq = g->seq;
    if (l->fence.o) {
        bool later = g->seq > l->fence.seq, same = l->fence.o == s->o;
        if (g->token == 0 || (later && (same ? g->token < l->fence.token : g->token <= l->fence.token)) ||
            (!later && !same && g->token >= l->fence.token)) {
            broken(m, s, g->token, l->fence.o, l->fence.token, later);
            return;
        }
        if (!later)
            return;
    }
    if (g->token != 0) {
        l->fence.token = g->token;
        l->fence.seq = g->seq;
        l->fence.o = s->o;
    }
}

/* The execution order of the grant that this access relies on: that with its token, or the owner's newest. 0: it has none. */
static uint64_t relies_on(const owner *o, int64_t token)
{
    uint64_t newest = 0;
    for (const stake *s = o->stakes; s; s = s->next_of_owner) {
        for (size_t i = 0; i < s->grant_count; i++)
            if (token != 0 && s->grants[i].token == token)
                return s->grants[i].seq;
        if (s->last_seq > newest)
            newest = s->last_seq;
    }
    return newest;
}

void fencing_used(model *m, const event *e)
{
    owner *o = track_owner(m, e->who, e->process);
    if (!o || !model_open(m, PROPERTY_FENCING))
        return;
    size_t i = 0;
    while (i < m->resource_count && !str_eq(m->resources[i].name, e->text))
        i++;
    if (i == m->resource_count) {
        MEM_RESERVE(m->resources, m->resource_cap, m->resource_count + 1);
        m->resources[m->resource_count++] = (resource){ .name = arena_str(m->memory, e->text) };
    }
    resource *r = &m->resources[i];
    if (e->token != 0 && e->token < r->token)
        return;            /* refused, as it should be */
    uint64_t seq = relies_on(o, e->token);
    if (r->o && r->o != o && seq < r->seq) {
        str with = e->token ? model_say(m, "with token %" PRId64, e->token) : S("without a token");
        model_break(m, PROPERTY_FENCING,
                    model_say(m, "%.*s accepted %.*s %.*s at %.*s, though a later holder, %.*s, had already used it.",
                              STR_ARG(e->text), STR_ARG(o->name), STR_ARG(with), STR_ARG(model_time(m, m->now_ms)),
                              STR_ARG(r->o->name)),
                    e->token ? S("The later holder's token is not greater.") : S("Without a token it cannot tell old from new."));
        return;
    }
    if (e->token > r->token)
        r->token = e->token;
    if (seq >= r->seq) {
        r->seq = seq;
        r->o = o;
    }
}
