/* vector_ample.c - partial-order reduction: in which states one process's steps are all that a search has to go on with
 * (an ample set: Peled, "All from one, one for all", 1993; persistent sets: Godefroid 1996).
 *
 * A step is inner if it changes its own process and nothing else: no server, no message, no budget, no lock, no
 * subscription. While it can be taken it holds time. Where all that a process can do are inner steps, and nothing that
 * others do can make the process able to do more or other things (no fault can strike it, no pop of it waits, each
 * connection that is subscribed holds messages already), those steps commute with everything that can happen before one
 * of them is taken, and none of it is time. So all else can wait:
 *
 *     s --- inner step of A ---> .         every other way from s, in which A stands still for a while, comes to the
 *     |                          |         same states once A has taken its step; and time passes only then. So all
 *   others'                    others'     states in which time can pass are met, and all that a step that is not inner
 *     v                          v         can do is seen. What is left out lies within one instant.
 *     . --- inner step of A ---> .
 *
 * Monitors. The inner step must leave them as they are, break nothing, and say nothing but what parts_says_little lets
 * through: then it says nothing in any other order either. What they are told of A's tasks after each step may change
 * only so that no parked task is woken: a monitor that finds "free, and all waiters are parked" before the step finds
 * it after it. (That is so of itself but for an answer that no task waits for any more: event.h, WAKE_COMING.)
 * Cycles. A way of inner steps of one process that leads back makes none of its states ample (height): so nothing waits
 * for ever. This looks at tables only, so that it is the same in every order of states, by any number of threads.
 * Deadlines. At one, time may pass though a task holds it: there nothing waits. A step that makes a deadline of the
 * present millisecond would break the reasoning above: expires_at_once, and the search begins again without. */
#include "search/vector_internal.h"

enum { HEIGHT_UNKNOWN, HEIGHT_NONE, HEIGHT_MAX = 64, HEIGHT_ON_THE_WAY = 254, HEIGHT_ENDLESS };

/* Is this rule switched off? */
static bool without(const vectors *t, ample_rule rule)
{
    return t->h->o->ample_without & rule;
}

static bool asks_nobody(const vectors *t, const context *c, const effect *f)
{
    bool alone = !f->asks && f->servers == c->servers && f->mail == PART_NONE && f->locks == c->locks;
    return alone || without(t, AMPLE_WITHOUT_SERVERS);
}

static bool is_inner(const vectors *t, const context *c, const effect *f)
{
    bool moves = f->kind == STEP_RUN || f->kind == STEP_ANSWER || f->kind == STEP_GIVE_UP || f->kind == STEP_MESSAGE;
    if (f->failed || f->node == PART_NONE || !asks_nobody(t, c, f))
        return false;
    if (without(t, AMPLE_WITHOUT_SERVERS) && f->asks)
        return f->holds;
    return moves && (f->holds || without(t, AMPLE_WITHOUT_HOLD));
}

static bool leaves_the_rest(vectors *t, uint32_t node, uint32_t after)
{
    const node_facts was = *parts_node(t->p, node), *is = parts_node(t->p, after);
    bool rest = is->alive && !is->paused && !is->point && is->ended == was.ended && is->channels == was.channels;
    bool wakes = is->tasks != was.tasks && was.parked;
    return (rest || without(t, AMPLE_WITHOUT_REST)) && !wakes;
}

/* An inner step. (Faults are reported by themselves.) */
static bool is_quiet(vectors *t, const config *c, const effect *f)
{
    if (f->asks && without(t, AMPLE_WITHOUT_SERVERS))
        return is_inner(t, &t->context_list[c->context], f);
    return is_inner(t, &t->context_list[c->context], f) && f->node != c->node &&
           leaves_the_rest(t, c->node, f->node) &&
           (parts_says_little(t->p, f->events) || without(t, AMPLE_WITHOUT_EVENTS));
}

static bool are_inner(vectors *t, const config *c)
{
    const context *in = &t->context_list[c->context];
    bool closed = parts_node(t->p, c->node)->closed || without(t, AMPLE_WITHOUT_CLOSED);
    bool deadline = parts_servers(t->p, in->servers)->deadline_now && !without(t, AMPLE_WITHOUT_DEADLINE);
    size_t moves = 0;
    if (!closed || deadline)
        return false;
    for (uint32_t i = 0; i < c->count; i++) {
        bool fault = items_of(c)[i].spends != FAULT_KINDS;
        if (fault ? !without(t, AMPLE_WITHOUT_FAULTS) : !is_quiet(t, c, &items_of(c)[i]))
            return false;
        moves += !fault;
    }
    return moves > 0;
}

/* The longest way of inner steps from here. It ends where another process may go on. */
static uint8_t height_of(vectors *t, uint32_t process, config *c, unsigned left)
{
    rare *r = rare_of(c);
    if (r->height == HEIGHT_ON_THE_WAY || left == 0)
        return without(t, AMPLE_WITHOUT_CYCLES) ? HEIGHT_NONE : HEIGHT_ENDLESS;
    if (r->height != HEIGHT_UNKNOWN)
        return r->height;
    learns(t);
    r->height = HEIGHT_ON_THE_WAY;
    uint8_t height = HEIGHT_NONE;
    for (uint32_t i = 0, count = are_inner(t, c) ? c->count : 0; i < count && height != HEIGHT_ENDLESS; i++) {
        if (items_of(c)[i].failed || items_of(c)[i].node == PART_NONE)
            continue;
        config *next = config_of(t, process, items_of(c)[i].node, c->context);
        uint8_t above = height_of(t, process, next, left - 1);
        if (above == HEIGHT_ENDLESS)
            height = above;
        else if (above + 1 > height)
            height = (uint8_t)(above + 1);
    }
    return r->height = height;
}

/* Monitors notice none of these steps, and all of them are in the list. */
static bool are_unheard(const vectors *t, const config *c, uint32_t process, uint32_t model, const happening *list,
                        size_t count)
{
    size_t own = 0, moves = 0;
    for (size_t i = 0; i < c->count; i++)
        moves += items_of(c)[i].spends == FAULT_KINDS;
    for (size_t i = 0; i < count; i++) {
        if (list[i].process != process || list[i].fault)
            continue;
        if (list[i].broken || list[i].same || list[i].model != model)
            return without(t, AMPLE_WITHOUT_MONITORS);
        own++;
    }
    return own == moves;
}

uint32_t vectors_ample(vectors *t, const uint32_t *row, const happening *list, size_t count)
{
    assert(!t->rerun);
    uint32_t ctx = row[t->clients + AT_CONTEXT], model = row[t->clients + AT_MODEL];
    for (uint32_t q = 0; q < t->clients; q++) {
        config *c = config_of(t, q, node_of(row[q]), ctx);
        uint8_t height = row[q] & 1 ? HEIGHT_NONE : height_of(t, q, c, HEIGHT_MAX);
        if (height > HEIGHT_NONE && height < HEIGHT_ENDLESS && are_unheard(t, c, q, model, list, count))
            return q;
    }
    return NOBODY;
}

bool vectors_ample_failed(const vectors *t)
{
    return t->expires_at_once && !without(t, AMPLE_WITHOUT_EXPIRY);
}
