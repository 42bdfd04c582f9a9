/* plain.c - the plain run: no faults, one client after the other, each as far as it comes. Where a search saw no grant,
 * this run says why: what the clients asked for, and the answers. */
#include "search/internal.h"

#include "base/buf.h"

enum { ANSWERS_MAX = 4, PLAIN_STEPS_MAX = 2000 };

typedef struct {
    arena *a;
    str answers[ANSWERS_MAX];          /* of acquires, as redis-cli prints them, each once */
    size_t count;
    bool more;
} heard;

static void hear(void *context, const world_executed *x)
{
    heard *h = context;
    if (!model_op_asks(x->op))
        return;
    buf b = { 0 };
    reply_print_short(x->answer, &b);
    bool known = false;
    for (size_t i = 0; i < h->count; i++)
        known |= str_eq(h->answers[i], buf_str(&b));
    if (!known && h->count < ANSWERS_MAX)
        h->answers[h->count++] = arena_str(h->a, buf_str(&b));
    else
        h->more |= !known;
    buf_free(&b);
}

/* false: an uncaught error. */
static bool run_plainly(world *w, size_t steps_max, err *e)
{
    settler order = { .last = NOBODY };
    for (size_t n = 0; n < steps_max && !world_over(w); n++) {
        const step *steps;
        size_t count = world_enabled(w, &steps);
        if (only_faults(steps, count))
            return true;
        if (!world_take(w, &steps[settle_choose(&order, w, steps, count, n)], e))
            return false;
    }
    return true;
}

world *plain_told(hunt *h, size_t steps_max)
{
    err e = { 0 };
    world_options o = { .limits = h->o->limits, .record = true };
    world *w = world_new(h->sc, h->l, &o, &e);
    if (w && !run_plainly(w, steps_max < PLAIN_STEPS_MAX ? steps_max : PLAIN_STEPS_MAX, &e)) {
        world_free(w);
        w = NULL;
    }
    err_clear(&e);
    return w;
}

static bool saw_grant(uint64_t seen)
{
    return world_sight_seen(seen, "grant") || world_sight_seen(seen, "re-entry");
}

bool hunt_granted(const hunt *h)
{
    return saw_grant(h->seen);
}

/* Is it about locks, and not about scripts or waits in general? */
static bool is_of_locks(property p)
{
    switch (p) {
    case PROPERTY_NO_DEADLOCK: case PROPERTY_NO_LEAK: case PROPERTY_IDEMPOTENT: case PROPERTY_SCRIPT_HEALTH:
    case PROPERTY_NO_BUSY_WAIT:
    case PROPERTY_EQUIVALENT: case PROPERTY_SAME_KEYS: case PROPERTY_ALWAYS: return false;
    default: return true;
    }
}

bool plain_explains(const hunt *h, property p)
{
    bool brief = h->o->glance || h->o->first_failure;          /* they end at a violation before it is judged */
    return h->vacuous.n > 0 && !h->idle && !brief && h->sc->expect[p] != EXPECT_VIOLATED &&
           p != PROPERTY_SCRIPT_HEALTH && p != PROPERTY_ALWAYS;
}

static bool names_locks(const scenario *sc)
{
    for (int p = 0; p < PROPERTY_COUNT; p++)
        if (sc->expect[p] != EXPECT_UNSAID && is_of_locks((property)p))
            return true;
    return false;
}

static str say_ungranted(hunt *h, world *w, const heard *answers)
{
    buf b = { 0 };
    buf_addz(&b, "no client was ever granted a lock (me:granted)");
    for (size_t i = 0; i < answers->count; i++)
        buf_printf(&b, "%s%.*s", i == 0 ? ": acquire answered " : i + 1 == answers->count && !answers->more ? " and "
                   : ", ", STR_ARG(answers->answers[i]));
    if (answers->more)
        buf_addz(&b, ", ...");
    str expected = world_expected_answer(w, h->a);
    h->first_answer = answers->count > 0 ? answers->answers[0] : S("");
    h->expected_answer = expected;
    if (answers->count > 0 && expected.n)
        buf_printf(&b, "; `granted` expects %.*s", STR_ARG(expected));
    else if (answers->count == 0)
        buf_addz(&b, ", and no acquire was answered");
    str text = arena_str(h->a, buf_str(&b));
    buf_free(&b);
    return text;
}

/* The scenario expects exactly this violation. */
static bool is_meant(const hunt *h)
{
    for (int p = 0; p < PROPERTY_COUNT; p++)
        if (h->found[p].yes && h->sc->expect[p] == EXPECT_VIOLATED)
            return true;
    return false;
}

static str say(hunt *h)
{
    heard answers = { .a = h->a };
    err e = { 0 };
    world_options o = { .limits = h->o->limits, .context = &answers, .on_executed = hear };
    world *w = world_new(h->sc, h->l, &o, &e);
    str text = S("");
    if (w && run_plainly(w, PLAIN_STEPS_MAX, &e) && !saw_grant(world_seen(w))) {
        if (world_wanted(w) || names_locks(h->sc))
            text = say_ungranted(h, w, &answers);
        else if (!world_sent(w) && h->out->search.executions == 0) {
            text = S("the program did nothing: it sent no request");
            h->idle = true;
        }
    }
    world_free(w);
    err_clear(&e);
    return text;
}

bool plain_is_vacuous(hunt *h)
{
    if (!h->plain_asked && !hunt_granted(h) && !h->failed && !h->o->lockstep && !is_meant(h)) {
        h->plain_asked = true;
        h->vacuous = say(h);
    }
    return h->vacuous.n > 0;
}
