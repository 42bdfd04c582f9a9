/* choose.c - see choose.h. Source of PCT: Burckhardt, Kothari, Musuvathi and Nagarakatte, "A randomized scheduler with
 * probabilistic guarantees of finding bugs", ASPLOS 2010. */
#include "drive/choose.h"

#include <string.h>

#include "base/mem.h"

/* One step in that many is a fault, while any is possible: more often where its client is inside. */
enum { FAULT_SELDOM = 24, FAULT_INSIDE = 5 };

void chooser_random(chooser *c, chooser_kind kind, uint64_t seed, size_t clients, uint32_t depth, size_t length)
{
    *c = (chooser){ .kind = kind, .chance = rng_new(seed, 1), .depth = depth, .length = length ? length : 1 };
    for (uint32_t i = 0; i < clients && i < CHOOSER_CLIENTS; i++) {
        uint32_t k = (uint32_t)rng_below(&c->chance, i + 1);
        c->priority[i] = c->priority[k];
        c->priority[k] = depth + i;
    }
    for (uint32_t i = 0; i + 1 < depth && i < COUNT(c->change_at); i++)
        c->change_at[i] = rng_below(&c->chance, c->length);
}

void chooser_free(chooser *c)
{
    mem_free(c->taken.at);
    c->taken = (picks){ 0 };
}

static bool is_fault(const choice *c)
{
    return c->kind == CHOICE_FAULT;
}

/* A fault now and then; `count`: none. */
static size_t maybe_fault(chooser *c, const choice *choices, size_t count)
{
    size_t first = count, biased = 0;
    for (size_t i = count; i > 0 && is_fault(&choices[i - 1]); i--) {
        first = i - 1;
        biased += choices[i - 1].biased;
    }
    if (first == count)
        return count;
    if (biased && rng_below(&c->chance, FAULT_INSIDE) == 0) {
        uint64_t skip = rng_below(&c->chance, biased);
        for (size_t i = first; i < count; i++)
            if (choices[i].biased && skip-- == 0)
                return i;
    }
    return rng_below(&c->chance, FAULT_SELDOM) == 0 ? first + rng_below(&c->chance, count - first) : count;
}

static size_t plain_choices(const choice *choices, size_t count)
{
    while (count > 0 && is_fault(&choices[count - 1]))
        count--;
    return count;
}

/* Half of the pauses last beyond the lease, which is where locks break. */
static void note_pause(chooser *c, const choice *x)
{
    if (x->kind == CHOICE_FAULT && x->fault == FAULT_PAUSE && x->client < CHOOSER_CLIENTS)
        c->pause_ms[x->client] = rng_below(&c->chance, 2) ? x->amount : 0;
}

/* A pause that should still last is passed over, while something else can happen. */
static bool too_early(chooser *c, const choice *x)
{
    if (x->kind != CHOICE_RESUME || x->client >= CHOOSER_CLIENTS)
        return false;
    return x->amount < c->pause_ms[x->client] ? rng_below(&c->chance, 256) != 0 : rng_below(&c->chance, 4) != 0;
}

static uint32_t priority_of(const chooser *c, const choice *x)
{
    return x->client < CHOOSER_CLIENTS ? c->priority[x->client] : 0;
}

static size_t by_priority(chooser *c, const choice *choices, size_t plain)
{
    size_t best = 0;
    uint64_t equal = 1;
    for (size_t i = 1; i < plain; i++) {
        if (priority_of(c, &choices[i]) > priority_of(c, &choices[best])) {
            best = i;
            equal = 1;
        } else if (priority_of(c, &choices[i]) == priority_of(c, &choices[best]) &&
                   rng_below(&c->chance, ++equal) == 0) {
            best = i;
        }
    }
    for (uint32_t i = 0; i + 1 < c->depth && i < COUNT(c->change_at); i++)
        if (c->change_at[i] == c->taken.count && choices[best].client < CHOOSER_CLIENTS)
            c->priority[choices[best].client] = i;
    return best;
}

static size_t by_chance(chooser *c, const choice *choices, size_t count)
{
    size_t fault = maybe_fault(c, choices, count), plain = plain_choices(choices, count);
    if (fault < count) {
        note_pause(c, &choices[fault]);
        return fault;
    }
    if (plain == 0)
        return 0;
    enum { TRIES = 32 };
    size_t picked = 0;
    for (int i = 0; i < TRIES; i++) {
        picked = c->kind == CHOOSE_PCT ? by_priority(c, choices, plain) : rng_below(&c->chance, plain);
        if (!too_early(c, &choices[picked]))
            break;
    }
    return picked;
}

static void add_possible(buf *b, const choice *choices, size_t count)
{
    for (size_t i = 0; i < count && i < 12; i++) {
        buf_addz(b, i ? ", " : "");
        buf_add(b, choices[i].token);
    }
}

static size_t by_schedule(chooser *c, const choice *choices, size_t count)
{
    if (c->taken.count >= c->item_count)
        return 0;
    const schedule_item *item = &c->items[c->taken.count];
    for (size_t i = 0; i < count; i++) {
        str token = choices[i].token;
        size_t blank = str_find(token, ' ', 0);
        if (str_eq(str_slice(token, 0, blank), item->token) && str_eq(str_slice(token, blank + 1, token.n),
                                                                      item->argument))
            return i;
    }
    buf possible = { 0 };
    add_possible(&possible, choices, count);
    err_set(c->problem, ERR_SCENARIO, "the schedule's step %zu, %.*s%s%.*s, does not fit", c->taken.count + 1,
            STR_ARG(item->token), item->argument.n ? " " : "", STR_ARG(item->argument));
    err_hint(c->problem, "possible here: %.*s", STR_ARG(buf_str(&possible)));
    buf_free(&possible);
    return SIZE_MAX;
}

size_t chooser_choose(void *context, const choice *choices, size_t count)
{
    chooser *c = context;
    size_t at;
    if (c->kind == CHOOSE_AGAIN)
        at = c->taken.count < c->again->count && c->again->at[c->taken.count] < count
             ? c->again->at[c->taken.count] : 0;
    else
        at = c->kind == CHOOSE_SCHEDULE ? by_schedule(c, choices, count) : by_chance(c, choices, count);
    MEM_RESERVE(c->taken.at, c->taken.cap, c->taken.count + 1);
    c->taken.at[c->taken.count++] = (uint32_t)at;
    return at;
}
