/* guess_ends.c - finds the stored time that ends a hold where no key's time to live does: a sorted set's score, a
 * hash's field, a number in the lock's value. */
#include <ctype.h>

#include "init/guess_trial.h"

#define INSTANT_MIN 1e9                                /* ten digits */

enum { DAY_MS = 24 * 3600 * 1000 };

/* A number of ten digits or more in the text; 0: there is none. */
static int64_t instant_in(str text)
{
    enum { DIGITS_MIN = 10, DIGITS_MAX = 16 };
    for (size_t i = 0; i < text.n; i++) {
        int64_t n = 0;
        size_t digits = 0;
        while (i + digits < text.n && isdigit((unsigned char)text.p[i + digits]) && digits < DIGITS_MAX)
            n = n * 10 + (text.p[i + digits++] - '0');
        if (digits >= DIGITS_MIN)
            return n;
        i += digits;
    }
    return 0;
}

/* What a number that was stored at the beginning of the try is. */
static guess_role time_role(const trial *t, int64_t n, int64_t lease_ms)
{
    int64_t base_ms = t->base_ms;
    return n == base_ms                         ? ROLE_NOW_MS
           : n == base_ms + lease_ms            ? ROLE_UNTIL_MS
           : n == base_ms / 1000                ? ROLE_NOW_S
           : n == (base_ms + lease_ms) / 1000   ? ROLE_UNTIL_S
                                                : ROLE_UNKNOWN;
}

/* The role of the number that the lock's key stores beside its owner; of a hash, in *field. */
static guess_role stored(trial *t, const guess *g, int64_t lease_ms, str *field)
{
    str key = trial_lock(t);
    if (g->holder.kind == HOLDER_ZSET || g->holder.kind == HOLDER_MEMBER_PART) {
        str member = arena_printf(t->scratch, "%.*s%.*s", STR_ARG(trial_owners[ANN]), STR_ARG(g->holder.field));
        reply r = trial_command(t, (str[]){ S("zscore"), key, member }, 3, 0);
        return r.kind == REPLY_DOUBLE ? time_role(t, (int64_t)r.number, lease_ms) : ROLE_UNKNOWN;
    }
    if (g->holder.kind != HOLDER_VALUE)
        return time_role(t, instant_in(trial_keyed(t, "get", key, 0).text), lease_ms);
    guess_role found = ROLE_UNKNOWN;
    reply all = trial_keyed(t, "hgetall", key, 0);
    for (size_t i = 0; i + 1 < all.count && found == ROLE_UNKNOWN; i += 2) {
        found = time_role(t, instant_in(all.items[i + 1].text), lease_ms);
        *field = arena_str(t->a, all.items[i].text);
    }
    return found;
}

/* ANN took it, and no key has a time to live: who else asks, gets it this long after. */
static bool is_free_without_ttl(trial *t, guess *g, int64_t after_ms)
{
    trial_begin(t);
    trial_ask(t, &g->acquire, ANN, 0);
    reply all = trial_command(t, (str[]){ S("keys"), S("*") }, 2, 0);
    for (size_t i = 0; i < all.count; i++)
        trial_command(t, (str[]){ S("persist"), all.items[i].text }, 2, 0);
    return trial_is_free(t, g, BOB, after_ms);
}

/* Does the key store what reads as a time of day? */
static bool holds_time(trial *t, str key)
{
    if (instant_in(trial_keyed(t, "get", key, 0).text))
        return true;
    reply scores = trial_command(t, (str[]){ S("zrange"), key, S("0"), S("-1"), S("withscores") }, 5, 0);
    reply all = scores.count ? scores : trial_keyed(t, "hgetall", key, 0);
    for (size_t i = 1; i < all.count; i += 2)
        if (all.items[i].kind == REPLY_DOUBLE ? all.items[i].number >= INSTANT_MIN : instant_in(all.items[i].text) > 0)
            return true;
    return false;
}

/* Does the lock's key store one, while ANN holds it? */
static bool stores_time(trial *t, const guess *g)
{
    trial_begin(t);
    trial_ask(t, &g->acquire, ANN, 0);
    return holds_time(t, trial_lock(t));
}

/* Does any key store one that nothing removes? It grows older for ever. */
static bool keeps_time(trial *t, const guess *g)
{
    trial_begin(t);
    trial_ask(t, &g->acquire, ANN, 0);
    reply found = trial_command(t, (str[]){ S("keys"), S("*") }, 2, 0), all = reply_copy(t->a, &found);
    bool any = false;
    for (size_t i = 0; i < all.count; i++)
        any = any || (trial_keyed(t, "pttl", all.items[i].text, 0).integer == -1 && holds_time(t, all.items[i].text));
    return any;
}

/* How long ANN's hold is by the time that its hash stores, in milliseconds; 0: it stores none in the next day. */
static int64_t stored_lease_ms(trial *t, const guess *g)
{
    trial_begin(t);
    trial_ask(t, &g->acquire, ANN, 0);
    reply all = trial_keyed(t, "hgetall", trial_lock(t), 0);
    for (size_t i = 0; g->holder.kind == HOLDER_VALUE && i + 1 < all.count; i += 2) {
        int64_t left_ms = instant_in(all.items[i + 1].text) - t->base_ms;
        if (left_ms > 0 && left_ms <= DAY_MS)
            return left_ms;
    }
    return 0;
}

/* Does the role of a stored time fit when the hold ends? Then it is noted. */
static bool take_end(trial *t, guess *g, guess_role role, int64_t lease_ms)
{
    int64_t unit_ms = role == ROLE_NOW_S || role == ROLE_UNTIL_S ? 1000 : 1;
    int64_t end_ms = lease_ms / unit_ms * unit_ms;
    if (role == ROLE_UNKNOWN || is_free_without_ttl(t, g, end_ms - 1) || !is_free_without_ttl(t, g, end_ms + unit_ms))
        return false;
    g->ends = role;
    g->ends_after = !is_free_without_ttl(t, g, end_ms);
    return true;
}

static void find_end(trial *t, guess *g)
{
    int64_t lease_ms = guess_lease_ms(&g->acquire);
    if (lease_ms == 0)                               /* the script knows it by itself */
        lease_ms = stored_lease_ms(t, g);
    const guess_place *h = &g->holder;
    bool looks = (h->kind == HOLDER_ZSET && !h->within && !h->field.n && !h->first) || h->kind == HOLDER_VALUE ||
                 (h->kind == HOLDER_MEMBER_PART && !h->within) ||
                 (h->kind == HOLDER_STRING && h->within && !h->numbered) || h->kind == HOLDER_UNKNOWN;
    if (!looks || lease_ms == 0)
        return;
    str field = S("");
    trial_begin(t);
    trial_ask(t, &g->acquire, ANN, 0);
    if (!take_end(t, g, stored(t, g, lease_ms, &field), lease_ms))
        return;
    g->ends_field = field;
    if (guess_lease_ms(&g->acquire) == 0)
        g->own_lease_ms = lease_ms;
}

/* A time that another key stores for the lock or its owner: a score, a field or the value. */
static bool find_end_in(trial *t, guess *g, str key, int64_t lease_ms)
{
    const str names[] = { S(GUESS_LOCK), trial_owners[ANN] };
    g->ends_key = arena_str(t->a, key);
    for (size_t i = 0; i < COUNT(names); i++) {
        trial_begin(t);
        trial_ask(t, &g->acquire, ANN, 0);
        reply score = trial_command(t, (str[]){ S("zscore"), key, names[i] }, 3, 0);
        g->ends_by = ENDS_BY_SCORE;
        g->ends_member = names[i];
        if (score.kind == REPLY_DOUBLE && take_end(t, g, time_role(t, (int64_t)score.number, lease_ms), lease_ms))
            return true;
        trial_begin(t);
        trial_ask(t, &g->acquire, ANN, 0);
        str field = trial_command(t, (str[]){ S("hget"), key, names[i] }, 3, 0).text;
        g->ends_by = ENDS_BY_FIELD;
        if (take_end(t, g, time_role(t, instant_in(field), lease_ms), lease_ms))
            return true;
    }
    trial_begin(t);
    trial_ask(t, &g->acquire, ANN, 0);
    g->ends_by = ENDS_BY_VALUE;
    if (take_end(t, g, time_role(t, instant_in(trial_keyed(t, "get", key, 0).text), lease_ms), lease_ms))
        return true;
    g->ends_key = S("");
    return false;
}

/* The lock is free as soon as this other key, which has a time to live, is gone. */
static bool ends_with_key(trial *t, guess *g, str key)
{
    trial_begin(t);
    trial_ask(t, &g->acquire, ANN, 0);
    bool lives = trial_keyed(t, "pttl", key, 0).integer > 0;
    trial_command(t, (str[]){ S("del"), key }, 2, 5);
    return lives && trial_is_free(t, g, BOB, 10);
}

/* The lock's own key has no time to live, and another key ends the hold. */
static void find_other_end(trial *t, guess *g)
{
    int64_t lease_ms = guess_lease_ms(&g->acquire);
    trial_begin(t);
    trial_ask(t, &g->acquire, ANN, 0);
    bool stays = trial_keyed(t, "pttl", trial_lock(t), 0).integer == -1;
    reply found = trial_command(t, (str[]){ S("keys"), S("*") }, 2, 0), all = reply_copy(t->a, &found);
    for (size_t i = 0; stays && lease_ms && i < all.count && !g->ends_key.n; i++) {
        str key = all.items[i].text;
        if (str_eq(key, trial_lock(t)) || find_end_in(t, g, key, lease_ms) || !ends_with_key(t, g, key))
            continue;
        g->ends_key = arena_str(t->a, key);
        g->ends_by = ENDS_BY_TTL;
    }
}

void guess_find_end(trial *t, guess *g)
{
    find_end(t, g);
    if (g->ends == ROLE_UNKNOWN)
        find_other_end(t, g);
    bool found = g->ends != ROLE_UNKNOWN || g->ends_key.n;
    g->ends_never = !found && stores_time(t, g) && !is_free_without_ttl(t, g, DAY_MS);
    g->ages = g->ends_never || (!found && keeps_time(t, g));
}
