/* guess_acquire.c - finds how an acquire is called, what it replies, and where its lock stores the owner. */
#include "init/guess_trial.h"
#include "init/template.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* A key whose name the script makes from the lock's: of several the one that names the owner. */
static bool find_made_key(trial *t, guess *g)
{
    guess_script *s = &g->acquire;
    if (s->keys_n)
        s->keys[0] = (guess_arg){ .role = ROLE_LOCK };
    trial_begin(t);
    trial_ask(t, s, ANN, 0);
    reply all = trial_command(t, (str[]){ S("keys"), S("*") }, 2, 0);
    for (size_t i = 0; i < all.count; i++) {
        str key = all.items[i].text;
        size_t at = 0;
        while (at < key.n && !str_starts(str_slice(key, at, key.n), S(GUESS_LOCK)))
            at++;
        guess_place h = trial_holder(t, key, trial_owners[ANN], 0);
        if (at == key.n && h.kind == HOLDER_VALUE && h.named && !g->key.n) {       /* a hash of many locks */
            g->holder = h;
            g->key = t->lock = arena_str(t->a, key);
            continue;
        }
        if (at == key.n || (g->key.n && h.kind == HOLDER_UNKNOWN))
            continue;
        g->holder = h;
        t->lock = arena_str(t->a, key);
        g->key = arena_printf(t->a, "%.*s$lock%.*s", (int)at, key.p, (int)(key.n - at - strlen(GUESS_LOCK)),
                              key.p + at + strlen(GUESS_LOCK));
    }
    if (str_eq(g->key, S("$lock")))
        g->key = t->lock = S("");
    return all.count > 0 && (g->key.n || s->keys_n == 0);
}

/* The lock among the KEYS: the one that names the owner, else the first that exists. The others get names of their
 * own. */
static bool name_keys(trial *t, guess *g)
{
    guess_script *s = &g->acquire;
    size_t lock = s->keys_n, first = s->keys_n;
    for (size_t i = 0; i < s->keys_n; i++)
        s->keys[i] = (guess_arg){ .role = ROLE_KEY, .n = i + 1 };
    trial_begin(t);
    trial_ask(t, s, ANN, 0);
    for (size_t i = 0; i < s->keys_n && lock == s->keys_n; i++) {
        str key = trial_key(t, &s->keys[i]);
        guess_place h = trial_holder(t, key, trial_owners[ANN], 0);
        bool one = h.kind == HOLDER_STRING || h.kind == HOLDER_VALUE;
        /* one value names no more than one of a semaphore's owners */
        if (h.kind != HOLDER_UNKNOWN && !(one && g->semaphore)) {
            g->holder = h;
            lock = i;
        } else if (first == s->keys_n && !str_eq(trial_keyed(t, "type", key, 0).text, S("none"))) {
            first = i;
        }
    }
    lock = lock < s->keys_n ? lock : first;
    if (lock < s->keys_n)
        s->keys[lock] = (guess_arg){ .role = ROLE_LOCK };
    return lock < s->keys_n || ((s->keys_n || guess_has_role(s, ROLE_LOCK)) && find_made_key(t, g));
}

/* An error that the script itself replies, and not one that it ends in. */
static bool is_failure(const reply *r)
{
    for (size_t i = 0; r->kind == REPLY_ERROR && i + 6 <= r->text.n; i++)
        if (memcmp(r->text.p + i, "script", 6) == 0)
            return true;
    return false;
}

/* Each caller gets one more, or one less, than the caller before: a count of what is left, and no refusal. */
static bool counts_on(const reply *one, const reply *two, const reply *three)
{
    bool numbers = one->kind == REPLY_INTEGER && two->kind == REPLY_INTEGER && three->kind == REPLY_INTEGER;
    return numbers && one->integer != two->integer && two->integer - one->integer == three->integer - two->integer;
}

/* "slot1" and "slot2": two of a row, both granted. */
static bool is_next_of_row(const reply *one, const reply *two)
{
    size_t stem = one->text.n, other = two->text.n;
    while (stem > 0 && isdigit((unsigned char)one->text.p[stem - 1]))
        stem--;
    while (other > 0 && isdigit((unsigned char)two->text.p[other - 1]))
        other--;
    bool numbered = stem < one->text.n && other < two->text.n;
    return one->kind == REPLY_BULK && two->kind == REPLY_BULK && numbered && stem > 0 &&
           str_eq(str_slice(one->text, 0, stem), str_slice(two->text, 0, other));
}

/* How a grant and a refusal read. false: they cannot be told apart. */
static bool learn_replies(trial *t, guess *g, guess_script *s)
{
    trial_begin(t);
    g->names_owner = g->fencing = g->tells_count = g->tells_left = false;
    g->granted = trial_ask(t, s, ANN, 0);
    g->refused = trial_ask(t, s, BOB, 10);
    size_t i = guess_deciding(g);
    reply next = trial_ask(t, s, BOB, 15);
    bool arrays = next.kind == REPLY_ARRAY && i < next.count && i < g->refused.count && i < g->granted.count;
    g->refused_varies = arrays && !reply_equal(&next.items[i], &g->refused.items[i]);
    if (arrays ? counts_on(&g->granted.items[i], &g->refused.items[i], &next.items[i])
               : counts_on(&g->granted, &g->refused, &next))
        return false;
    if (g->granted.kind == REPLY_ERROR || is_failure(&g->refused))
        return false;
    g->tells_left = guess_has_role(s, ROLE_LIMIT) && g->granted.kind == REPLY_INTEGER && g->granted.integer >= 0 &&
                    g->refused.kind == REPLY_INTEGER && g->refused.integer < 0 && reply_equal(&g->refused, &next);
    g->names_owner = guess_is_owner(&g->granted, ANN);
    if (g->names_owner)
        return !guess_is_owner(&g->refused, BOB);
    return !reply_equal(&g->granted, &g->refused) && !is_next_of_row(&g->granted, &g->refused);
}

/* Does another owner get it when so much time has passed since ANN did, and not before? */
static bool ends_after(trial *t, const guess *g, const guess_script *s, int64_t lease_ms, int64_t slack_ms)
{
    trial_begin(t);
    trial_ask(t, s, ANN, 0);
    reply before = trial_ask(t, s, BOB, lease_ms - MARGIN_MS - slack_ms);
    trial_begin(t);
    trial_ask(t, s, ANN, 0);
    reply after = trial_ask(t, s, BOB, lease_ms + MARGIN_MS + slack_ms);
    return !guess_is_grant(g, &before, BOB) && guess_is_grant(g, &after, BOB);
}

/* When another owner gets it at the earliest, of a key that lives for ttl_ms. */
static int64_t first_free_ms(trial *t, const guess *g, const guess_script *s, int64_t ttl_ms)
{
    int64_t held = 0, free = ttl_ms + 1;
    while (held + 1 < free) {
        int64_t middle = held + (free - held) / 2;
        trial_begin(t);
        trial_ask(t, s, ANN, 0);
        reply r = trial_ask(t, s, BOB, middle);
        *(guess_is_grant(g, &r, BOB) ? &free : &held) = middle;
    }
    return free;
}

static int64_t lock_ttl_ms(trial *t, const guess_script *s)
{
    trial_begin(t);
    trial_ask(t, s, ANN, 0);
    return trial_keyed(t, "pttl", trial_lock(t), 0).integer;
}

/* The lease that no argument says and the script knows by itself: its key's time to live, or a little less, *early_ms,
 * where it is taken over before that is over. 0: it has none. */
static int64_t own_lease_ms(trial *t, const guess *g, const guess_script *s, int64_t *early_ms)
{
    int64_t ttl_ms = lock_ttl_ms(t, s);
    *early_ms = 0;
    if (ttl_ms <= 2 * MARGIN_MS || ends_after(t, g, s, ttl_ms, 0))
        return ttl_ms > 2 * MARGIN_MS ? ttl_ms : 0;
    int64_t from_ms = first_free_ms(t, g, s, ttl_ms);
    if (from_ms > ttl_ms || from_ms <= ttl_ms / 2 || !ends_after(t, g, s, from_ms, 0))
        return 0;
    *early_ms = ttl_ms - from_ms;
    return from_ms;
}

/* Does another owner get it in a day, though not after the lease that was tried? */
static bool ends_some_day(trial *t, const guess *g, const guess_script *s)
{
    trial_begin(t);
    trial_ask(t, s, ANN, 0);
    reply later = trial_ask(t, s, BOB, INT64_C(86400000));
    return guess_is_grant(g, &later, BOB);
}

/* An ARGV that nothing has shown yet, and by which the lock's key lives longer the higher it is: it gets a number whose
 * lease is an own one of the script. Leases that a script cuts, prolongs, or takes in other units are such. */
static void name_own_lease(trial *t, guess *g, guess_script *s)
{
    enum { ONE = 10000, MORE = 10000 };
    static const struct { int64_t unit_ms; const char *text, *unit; } rows[] = {
        { 1, "10000", "milliseconds" }, { 1000, "10", "seconds" }, { 60000, "1", "minutes" }, { 3600000, "1", "hours" },
    };
    for (size_t i = 0; i < s->slots_n && !guess_lease_ms(s) && !g->lease_slot; i++) {
        guess_arg had = s->args[i];
        if (had.role != ROLE_UNKNOWN)
            continue;
        int64_t ttl_ms[2];
        for (int64_t k = 0; k < 2; k++) {
            guess_set_role(&s->args[i], (guess_arg){ .role = ROLE_TEXT,
                                                     .text = arena_printf(t->a, "%d", (int)(ONE + k * MORE)) });
            ttl_ms[k] = lock_ttl_ms(t, s);
        }
        s->args[i] = had;
        for (size_t k = 0; k < COUNT(rows) && ttl_ms[0] > 0 && !g->lease_slot; k++) {
            int64_t more_ms = MORE * rows[k].unit_ms, grew_ms = ttl_ms[1] - ttl_ms[0];
            if (grew_ms < more_ms - more_ms / 5 || grew_ms > more_ms + more_ms / 5)
                continue;
            guess_set_role(&s->args[i], (guess_arg){ .role = ROLE_TEXT, .text = str_from(rows[k].text) });
            g->lease_slot = i + 1;
            g->lease_unit = rows[k].unit;
        }
    }
}

/* Is the second owner refused shortly before the lease is over, and served afterwards? Each in a try of its own: in
 * some queues a client that asks prolongs the lease. A lease in milliseconds may be cut to whole seconds, or filled
 * up. */
static bool lease_holds(trial *t, guess *g, guess_script *s)
{
    int64_t lease_ms = guess_lease_ms(s), second_ms = lease_ms / 1000 * 1000;
    if (ends_after(t, g, s, lease_ms, lease_ms % 1000 ? 0 : 1000))
        return true;
    return guess_has_role(s, ROLE_LEASE_MS) &&
           (ends_after(t, g, s, second_ms + 1000, 0) || ends_after(t, g, s, second_ms, 0));
}

/* Is the lease measured by the client's clock? Then it never ends where the clock stands still, and at once where it is
 * ahead. */
static bool clock_holds(trial *t, guess *g, guess_script *s)
{
    int64_t over_ms = guess_lease_ms(s) + 2000;
    trial_begin(t);
    trial_ask(t, s, ANN, 0);
    t->clock_stands = true;
    reply standing = trial_ask(t, s, BOB, over_ms);
    trial_begin(t);
    trial_ask(t, s, ANN, 0);
    reply before = trial_ask(t, s, BOB, 5);
    t->ahead_ms = over_ms;
    reply ahead = trial_ask(t, s, BOB, 10);
    return !guess_is_grant(g, &before, BOB) && (guess_is_grant(g, &ahead, BOB) || !guess_is_grant(g, &standing, BOB));
}

/* With a limit of two, two are let in and the third is not. */
static bool limit_holds(trial *t, const guess *g, const guess_script *s)
{
    trial_begin(t);
    t->limit = 2;
    reply of[3];
    for (who w = ANN; w <= CEC; w++)
        of[w] = trial_ask(t, s, w, 10 * (int64_t)w);
    return guess_is_grant(g, &of[ANN], ANN) && guess_is_grant(g, &of[BOB], BOB) && !guess_is_grant(g, &of[CEC], CEC);
}

/* With the length of a part that both owners' names have, the second is taken for the first. */
static bool length_holds(trial *t, const guess *g, const guess_script *s)
{
    trial_begin(t);
    trial_ask(t, s, ANN, 0);
    reply same = trial_ask(t, s, ANN, 10);
    trial_begin(t);
    t->wrong_length = true;
    trial_ask(t, s, ANN, 0);
    reply other = trial_ask(t, s, BOB, 10);
    return guess_reads_granted(g, &same, ANN) && guess_reads_granted(g, &other, BOB);
}

/* Does a key name the owner? */
static bool is_named(trial *t, who w, int64_t at_ms)
{
    str keys[] = { S("keys"), S("*") };
    reply all = trial_command(t, keys, COUNT(keys), at_ms);
    for (size_t i = 0; i < all.count; i++)
        if (trial_holder(t, all.items[i].text, trial_owners[w], at_ms).kind != HOLDER_UNKNOWN)
            return true;
    return false;
}

static bool owner_counts(trial *t, const guess *g, const guess_script *s)
{
    if (g->names_owner)
        return true;
    trial_begin(t);
    trial_ask(t, s, ANN, 0);
    return is_named(t, ANN, 0);
}

/* Slots whose role a trial can show. */
static size_t to_show(const guess_script *s)
{
    size_t n = 0;
    for (size_t i = 0; i < s->slots_n; i++)
        n += s->args[i].role != ROLE_JSON && s->args[i].role != ROLE_UNUSED && s->args[i].role != ROLE_COUNT_OF &&
             s->args[i].role != ROLE_LOCK && s->args[i].role != ROLE_TEXT;
    return n;
}

/* Is there a key at_ms after a grant; where the lock's name is in ARGV, one that is called so, or by a name made of
 * that, or a hash with a field called so? */
static bool writes_key(trial *t, const guess_script *s, int64_t at_ms)
{
    str pattern = guess_has_role(s, ROLE_LOCK) ? S("*" GUESS_LOCK "*") : S("*");
    trial_begin(t);
    trial_ask(t, s, ANN, 0);
    if (trial_command(t, (str[]){ S("keys"), pattern }, 2, at_ms).count > 0)
        return true;
    reply all = trial_command(t, (str[]){ S("keys"), S("*") }, 2, at_ms);
    for (size_t i = 0; i < all.count; i++)
        if (trial_command(t, (str[]){ S("hexists"), all.items[i].text, S(GUESS_LOCK) }, 3, at_ms).integer == 1)
            return true;
    return false;
}

/* Does a key live for hundreds of leases? Then a value in ms was used as seconds. */
static bool outlives(trial *t, const guess_script *s)
{
    enum { LEASES = 500 };
    trial_begin(t);
    trial_ask(t, s, ANN, 0);
    reply all = trial_command(t, (str[]){ S("keys"), S("*") }, 2, 0);
    for (size_t i = 0; i < all.count; i++)
        if (trial_keyed(t, "pttl", all.items[i].text, 0).integer > LEASES * guess_lease_ms(s))
            return true;
    return false;
}

static int64_t longest_ttl_ms(trial *t, const guess_script *s)
{
    int64_t longest_ms = 0;
    trial_begin(t);
    trial_ask(t, s, ANN, 0);
    reply all = trial_command(t, (str[]){ S("keys"), S("*") }, 2, 0);
    for (size_t i = 0; i < all.count; i++) {
        int64_t ttl_ms = trial_keyed(t, "pttl", all.items[i].text, 0).integer;
        longest_ms = ttl_ms > longest_ms ? ttl_ms : longest_ms;
    }
    return longest_ms;
}

/* Is the number an instant and an instant more? */
static bool is_twice_now(const trial *t, double n)
{
    double now = (double)t->base_ms;
    return (n > now * 1.5 && n < now * 3) || (n > now * 1.5 / 1000 && n < now * 3 / 1000);
}

/* Does a key that the last try left store such a number? */
static bool stores_twice_now(trial *t)
{
    reply all = trial_command(t, (str[]){ S("keys"), S("*") }, 2, 0);
    for (size_t i = 0; i < all.count; i++) {
        str key = all.items[i].text;
        reply scores = trial_command(t, (str[]){ S("zrange"), key, S("0"), S("-1"), S("withscores") }, 5, 0);
        reply fields = trial_keyed(t, "hgetall", key, 0), value = trial_keyed(t, "get", key, 0);
        for (size_t k = 1; k < scores.count; k += 2)
            if (scores.items[k].kind == REPLY_DOUBLE && is_twice_now(t, scores.items[k].number))
                return true;
        for (size_t k = 1; k < fields.count; k += 2)
            if (is_twice_now(t, strtod(arena_str(t->scratch, fields.items[k].text).p, NULL)))
                return true;
        if (value.kind == REPLY_BULK && is_twice_now(t, strtod(arena_str(t->scratch, value.text).p, NULL)))
            return true;
    }
    return false;
}

/* Is an instant used as a length? Then a key's time to live is longer in a later try, or what is stored lies as far
 * ahead as the beginning of time lies behind. */
static bool takes_instant_for_length(trial *t, const guess_script *s)
{
    enum { NOISE_MS = 50000 };             /* of whole seconds, by far */
    if (!guess_has_either(s, ROLE_NOW_MS, ROLE_NOW_S) && !guess_has_either(s, ROLE_UNTIL_MS, ROLE_UNTIL_S))
        return false;
    int64_t earlier_ms = longest_ttl_ms(t, s);
    if (stores_twice_now(t))
        return true;
    return longest_ttl_ms(t, s) > earlier_ms + NOISE_MS;
}

/* Counts the roles that a trial shows; one that it denies makes the way worse than one without it. */
static int judge_acquire(trial *t, guess *g, guess_script *s, bool *all)
{
    enum { SHOWN = 10 };
    int score = 0;
    *all = true;
    if (!learn_replies(t, g, s))
        return g->granted.kind == REPLY_ERROR || is_failure(&g->refused) ? NO_WAY_FAILS
               : writes_key(t, s, 20) ? NO_WAY : NO_WAY_KEYLESS;
    if (!writes_key(t, s, 0))
        return NO_WAY_KEYLESS;
    if (takes_instant_for_length(t, s))
        return NO_WAY;
    if (guess_lease_ms(s)) {
        if (!lease_holds(t, g, s))
            return NO_WAY;
        score += outlives(t, s) ? 0 : SHOWN;
        if (guess_has_either(s, ROLE_NOW_MS, ROLE_NOW_S))
            score += clock_holds(t, g, s) ? SHOWN : -SHOWN;
    } else {
        bool clock = guess_has_either(s, ROLE_NOW_MS, ROLE_NOW_S);
        *all = false;
        if (clock && !ends_some_day(t, g, s))
            return NO_WAY;
        score -= clock ? SHOWN : 0;
    }
    if (guess_has_role(s, ROLE_OWNER))
        score += owner_counts(t, g, s) ? SHOWN : -SHOWN;
    if (guess_has_role(s, ROLE_LIMIT))
        score += limit_holds(t, g, s) ? SHOWN : -2 * SHOWN;
    if (guess_has_role(s, ROLE_OWNER_LENGTH))
        score += length_holds(t, g, s) ? SHOWN : -2 * SHOWN;
    *all = *all && score >= SHOWN * (int)to_show(s) && !guess_has_role(s, ROLE_UNKNOWN);
    return score;
}

static bool str_has(str text, str part)
{
    for (size_t i = 0; i + part.n <= text.n; i++)
        if (memcmp(text.p + i, part.p, part.n) == 0)
            return true;
    return false;
}

/* An ARGV that nothing shows but a grant that repeats it is a name, and the lock's will do. */
static void name_lock_in_reply(trial *t, guess_script *s)
{
    enum { NUMBER = 70001 };
    for (size_t i = 0; i < s->args_n; i++) {
        if (s->args[i].role != ROLE_UNKNOWN)
            continue;
        trial_begin(t);
        t->unknown = NUMBER;
        reply r = trial_ask(t, s, ANN, 0);
        str value = trial_arg(t, s, i, ANN, 0);
        if (r.kind == REPLY_BULK && str_has(r.text, value))
            s->args[i].role = ROLE_LOCK;
    }
}

/* An ARGV that nothing shows but a field that names its owner: the lock's name, in a hash of many locks. */
static void name_field(trial *t, guess *g, guess_script *s)
{
    for (size_t i = 0; i < s->slots_n && g->holder.kind == HOLDER_VALUE && !g->holder.named; i++) {
        guess_arg had = s->args[i];
        if (had.role != ROLE_UNKNOWN)
            continue;
        guess_set_role(&s->args[i], (guess_arg){ .role = ROLE_LOCK });
        trial_begin(t);
        trial_ask(t, s, ANN, 0);
        guess_place h = trial_holder(t, trial_lock(t), trial_owners[ANN], 0);
        if (h.kind == HOLDER_VALUE && h.named)
            g->holder = h;
        else
            s->args[i] = had;
    }
}

/* An ARGV that nothing shows but the name of a key: what comes first in all of a program's keys, say. */
static void name_prefixes(trial *t, guess_script *s)
{
    enum { NUMBER = 70001 };
    str all[] = { S("keys"), S("*") };
    for (size_t i = 0; i < s->args_n; i++) {
        if (s->args[i].role != ROLE_UNKNOWN)
            continue;
        trial_begin(t);
        t->unknown = NUMBER;
        trial_ask(t, s, ANN, 0);
        reply keys = trial_command(t, all, COUNT(all), 0);
        str value = trial_arg(t, s, i, ANN, 0);
        for (size_t k = 0; k < keys.count; k++)
            if (str_has(keys.items[k].text, value))
                guess_set_role(&s->args[i], (guess_arg){ .role = ROLE_TEXT, .text = S(GUESS_TEXT) });
    }
}

static bool refuse_reply(const guess *g, const guess_script *s, const reply *r, const char *hint, err *e)
{
    buf shown = { 0 };
    reply_print_short(r, &shown);
    err_at(e, ERR_SCENARIO, s->path, 1, 0, "tried in %zu way%s: on an empty Redis the script answers %.*s", g->tried,
           g->tried == 1 ? "" : "s", STR_ARG(buf_str(&shown)));
    buf_free(&shown);
    return err_hint(e, "%s", hint);
}

/* Do two owners hold it at once, both named in the keyspace, whatever its limit? */
static bool is_shared(trial *t, guess *g, const guess_script *s)
{
    trial_begin(t);
    reply first = trial_ask(t, s, ANN, 0), second = trial_ask(t, s, BOB, 10);
    bool both = first.kind != REPLY_ERROR && first.kind != REPLY_NIL && reply_equal(&first, &second);
    return both && is_named(t, ANN, 10) && is_named(t, BOB, 10) && owner_counts(t, g, s);
}

/* A lock without owners that is free for all as soon as one of its arguments differs: two callers with the same name
 * exclude each other. Then `named` is it with owners. */
static bool seems_shared(trial *t, guess *g, const guess_script *s, guess_script *named)
{
    for (size_t i = 0; i < s->slots_n && !guess_has_role(s, ROLE_OWNER); i++) {
        *named = *s;
        named->args[i].role = s->args[i].role == ROLE_UNKNOWN ? ROLE_OWNER : s->args[i].role;
        if (named->args[i].role == ROLE_OWNER && is_shared(t, g, named))
            return true;
    }
    return false;
}

/* Is ARGV[i] the owner where owners are numbers? Then the lock's value is it, and another number is refused. */
static bool is_number_of_owner(trial *t, const guess *g, const guess_script *s, size_t i)
{
    guess_script with = *s;
    guess_set_role(&with.args[i], (guess_arg){ .role = ROLE_OWNER });
    t->numbered = true;
    trial_begin(t);
    reply mine = trial_ask(t, &with, ANN, 0);
    bool named = trial_holder(t, trial_lock(t), trial_number(t->scratch, ANN), 0).kind != HOLDER_UNKNOWN;
    reply other = trial_ask(t, &with, BOB, 10);
    t->numbered = false;
    return named && guess_reads_granted(g, &mine, ANN) && !guess_reads_granted(g, &other, BOB);
}

static bool refuse_numbers(trial *t, const guess *g, const guess_script *s, err *e)
{
    for (size_t i = 0; i < s->slots_n && !s->command && !guess_has_role(s, ROLE_OWNER); i++) {
        if (s->args[i].role != ROLE_UNKNOWN || !is_number_of_owner(t, g, s, i))
            continue;
        err_at(e, ERR_SCENARIO, s->path, 1, 0, "ARGV[%zu] is the owner, and the script takes it for a number", i + 1);
        return err_hint(e, "%s", guess_numbers);
    }
    return true;
}

/* How many owners are let in one after the other, each as the first one. */
static size_t let_in(trial *t, const guess_script *s)
{
    trial_begin(t);
    reply first = trial_ask(t, s, ANN, 0);
    size_t n = 1;
    for (reply next = first; n < OWNERS && reply_equal(&first, &next); n += reply_equal(&first, &next))
        next = trial_ask(t, s, (who)n, (int64_t)n);
    return n;
}

/* "ARGV[1] $owner, ARGV[2] $lease_ms" */
static str called_with(arena *a, const guess_script *s)
{
    str all = S("");
    for (size_t i = 0; i < s->args_n && !s->command; i++)
        all = arena_printf(a, "%.*s%sARGV[%zu] %.*s", STR_ARG(all), i ? ", " : "", i + 1,
                           STR_ARG(guess_arg_word(a, s, i, false)));
    return all;
}

/* Two owners hold it at once: a semaphore, or the reader's side of a read-write lock. */
static bool say_shared(trial *t, const guess_script *s, err *e)
{
    size_t n = let_in(t, s);
    str with = called_with(t->a, s);
    if (n < OWNERS) {
        err_at(e, ERR_SCENARIO, s->path, 1, 0, "%zu owner%s let in, and the next one is not: a semaphore whose "
               "limit stands in the script", n, n == 1 ? " is" : "s are");
        return err_hint(e, "init tries it where the limit is one of ARGV; else write the table by hand: limit = %zu of "
                        "generic.lock, man locksim-scenario, LOCKS FROM A TABLE%s%.*s", n,
                        with.n ? "; it was tried with " : "", STR_ARG(with));
    }
    err_at(e, ERR_SCENARIO, s->path, 1, 0, "every owner is let in, and each is kept: the reader's side of a "
           "read-write lock, it seems (or a semaphore for more than %d)", OWNERS);
    return err_hint(e, "give the writer's script, whose lock is one owner's; readers and writers together are a "
                    "driver: man locksim-scenario, DRIVERS%s%.*s", with.n ? "; it was tried with " : "", STR_ARG(with));
}

/* Its answer to the likeliest way, if no way is right. */
static bool say_no_way(trial *t, guess *g, guess_script *s, const guess_hints *h, err *e)
{
    learn_replies(t, g, s);
    if (!s->command && g->granted.kind == REPLY_ERROR)
        guess_likeliest_way(s, h);
    if (is_shared(t, g, s))
        return say_shared(t, s, e);
    learn_replies(t, g, s);
    reply all = trial_command(t, (str[]){ S("keys"), S("*") }, 2, 20);
    if (g->granted.kind == REPLY_ERROR && !is_failure(&g->granted))
        return refuse_reply(g, s, &g->granted, "it is the script that says so: where another one has to run before it, "
                            "write the scenario by hand: man locksim-scenario", e);
    if (g->granted.kind == REPLY_ERROR && h->any_args)
        return refuse_reply(g, s, &g->granted, "it takes ARGV by computed indexes, so its text does not tell how many: "
                            "more were tried in vain; write the scenario by hand: man locksim-scenario", e);
    const char *unmade = template_hint(t->a, s->text);
    if (g->granted.kind == REPLY_ERROR)
        return refuse_reply(g, s, &g->granted, unmade ? unmade : guess_by_hand, e);
    if (all.count == 0) {
        err_at(e, ERR_SCENARIO, s->path, 1, 0, "tried in %zu way%s: the script writes no key: it takes no lock",
               g->tried, g->tried == 1 ? "" : "s");
        return err_hint(e, "the first script is the one that acquires, the second the one that releases");
    }
    if (is_next_of_row(&g->granted, &g->refused))
        return refuse_reply(g, s, &g->granted, "a second owner hears the next of a row, a slot or a token for each "
                            "permit: write the table by hand: granted = function(reply) ... end, limit = how many "
                            "there are, args = { release = { \"$reply\" } }: man locksim-scenario, LOCKS FROM A "
                            "TABLE", e);
    trial_begin(t);
    reply first = trial_ask(t, s, ANN, 0), second = trial_ask(t, s, BOB, 10), third = trial_ask(t, s, BOB, 15);
    if (counts_on(&first, &second, &third))
        return refuse_reply(g, s, &g->granted, "each caller hears one more, or one less, than the one before, and none "
                            "is refused: a counter; where your client takes one of these numbers for a refusal, write "
                            "the scenario by hand: man locksim-scenario, DRIVERS", e);
    return refuse_reply(g, s, &g->granted,
                        "a second owner hears the same, or one less, or the lock outlives its lease: whichever ARGV is "
                        "owner, lease, clock, limit; a limiter is no lock", e);
}

/* A number in the text that is the time of day in seconds. */
static bool has_seconds(str text, int64_t now_ms)
{
    instant_in_text x = instant_next(text, 0, INSTANTS_SECONDS, now_ms);
    while (x.unit == INSTANT_US || x.unit == INSTANT_MS)
        x = instant_next(text, x.to, INSTANTS_SECONDS, now_ms);
    return x.unit != INSTANT_NONE;
}

/* Does the script keep the time of day in seconds? A search of all states is long then, or endless. */
static bool keeps_seconds(trial *t, const guess_script *s)
{
    static const char *const reads[] = { "get", "hgetall", "zrange" };
    if (guess_has_either(s, ROLE_NOW_S, ROLE_UNTIL_S))
        return true;
    trial_begin(t);
    trial_ask(t, s, ANN, 0);
    reply all = trial_command(t, (str[]){ S("keys"), S("*") }, 2, 0);
    bool found = false;
    for (size_t i = 0; i < all.count * COUNT(reads) && !found; i++) {
        str argv[] = { str_from(reads[i % COUNT(reads)]), all.items[i / COUNT(reads)].text, S("0"), S("-1"),
                       S("withscores") };
        reply r = trial_command(t, argv, i % COUNT(reads) == 2 ? COUNT(argv) : 2, 0);
        found = r.kind == REPLY_BULK && has_seconds(r.text, t->base_ms);
        for (size_t k = 0; k < r.count && !found; k++) {
            buf item = { 0 };              /* a score is no text */
            reply_print_short(&r.items[k], &item);
            found = has_seconds(r.items[k].kind == REPLY_BULK ? r.items[k].text : buf_str(&item), t->base_ms);
            buf_free(&item);
        }
    }
    return found;
}

/* A further hold of its owner's, or another's permit, is answered by how many there are; the next first one by 1. */
static bool tells_count(trial *t, guess *g, const guess_script *s, int64_t limit)
{
    trial_begin(t);
    t->limit = limit;
    reply one = trial_ask(t, s, ANN, 0), two = trial_ask(t, s, limit > 1 ? BOB : ANN, 10);
    reply later = guess_lease_ms(s) ? trial_ask(t, s, BOB, guess_lease_ms(s) + 2000) : one;
    return one.kind == REPLY_INTEGER && one.integer == 1 && guess_is_higher(g, &two) && two.integer == 2 &&
           reply_equal(&one, &later);
}

/* A semaphore whose grants tell how many permits were left, or are: with another limit the same one is another number,
 * above what refuses. */
static bool tells_left(trial *t, const guess *g, const guess_script *s)
{
    if (!g->semaphore || g->tells_count || g->granted.kind != REPLY_INTEGER || g->refused.kind != REPLY_INTEGER)
        return false;
    trial_begin(t);
    t->limit = 2;
    reply one = trial_ask(t, s, ANN, 0), two = trial_ask(t, s, BOB, 10), three = trial_ask(t, s, CEC, 20);
    return one.kind == REPLY_INTEGER && two.kind == REPLY_INTEGER && reply_equal(&three, &g->refused) &&
           one.integer == two.integer + 1 && reply_equal(&two, &g->granted) && two.integer > three.integer;
}

/* Does the lock's key name those who wait, too, behind its owner? */
static bool is_queue(trial *t, const guess *g, const guess_script *s)
{
    bool zset = g->holder.kind == HOLDER_ZSET;
    if ((!zset && g->holder.kind != HOLDER_LIST) || g->holder.within || g->holder.field.n)
        return false;
    trial_begin(t);
    trial_ask(t, s, ANN, 0);
    trial_ask(t, s, BOB, 10);
    reply all = trial_keyed(t, zset ? "zrange" : "lrange", trial_lock(t), 10);
    return all.count == 2 && str_eq(all.items[0].text, trial_owners[ANN]) &&
           str_eq(all.items[1].text, trial_owners[BOB]);
}

/* A semaphore with a key for each permit: the first owner's name ends in 1, the second's in 2. */
static bool numbers_keys(trial *t, const guess *g, const guess_script *s)
{
    str one = trial_lock(t);
    if (g->holder.kind != HOLDER_STRING || g->holder.within || one.p[one.n - 1] != '1')
        return false;
    str two = arena_printf(t->scratch, "%.*s2", (int)one.n - 1, one.p);
    trial_begin(t);
    t->limit = 2;
    trial_ask(t, s, ANN, 0);
    trial_ask(t, s, BOB, 10);
    return str_eq(trial_keyed(t, "get", one, 10).text, trial_owners[ANN]) &&
           str_eq(trial_keyed(t, "get", two, 10).text, trial_owners[BOB]);
}

/* A semaphore whose key is a number: how many permits are out. */
static bool counts_permits(trial *t, const guess_script *s)
{
    trial_begin(t);
    t->limit = 2;
    trial_ask(t, s, ANN, 0);
    str one = trial_keyed(t, "get", trial_lock(t), 5).text;
    trial_ask(t, s, BOB, 10);
    return str_eq(one, S("1")) && str_eq(trial_keyed(t, "get", trial_lock(t), 15).text, S("2"));
}

/* What shows in no trial is a small number, which as a lease is over before the second owner asks; or a large one. */
static bool find_way(trial *t, guess *g, guess_script *s, const way_plan *plan)
{
    guess_script small = *s, large = *s;
    if (guess_find_way(t, g, &small, plan)) {
        *s = small;
        return true;
    }
    t->unknown_is_large = true;
    if (guess_find_way(t, g, &large, plan)) {
        *s = large;
        return true;
    }
    t->unknown_is_large = false;
    *s = small;
    return false;
}

bool guess_acquire(trial *t, guess *g, err *e)
{
    guess_script *s = &g->acquire;
    guess_hints h;
    if (!trial_reads(t, s, &h, e))
        return false;
    for (size_t i = 0; i < s->keys_n; i++)
        s->keys[i] = (guess_arg){ .role = ROLE_KEY, .n = i + 1 };
    way_plan plan = { .hints = &h, .judge = judge_acquire };
    bool all;
    g->tried += s->command;
    if (s->command ? judge_acquire(t, g, s, &all) <= NO_WAY : !find_way(t, g, s, &plan))
        return say_no_way(t, g, s, &h, e);
    g->semaphore = guess_has_role(s, ROLE_LIMIT);
    if (!name_keys(t, g)) {
        err_at(e, ERR_SCENARIO, s->path, 1, 0, "the script writes no key whose name has the lock's in it: it takes no "
               "lock");
        return err_hint(e, "keys belong into KEYS; and the first script is the one that acquires, the second the one "
                        "that releases");
    }
    if (!s->command) {
        guess_prefer_lease(t, g, s, &plan);
        guess_forget_unshown(t, g, s, &plan);
        name_prefixes(t, s);
        name_field(t, g, s);
        guess_mark_by_name(t, g, s, &plan);
        if (g->key.n) {
            g->key = t->lock = S("");      /* what its name is made of may have another value now */
            find_made_key(t, g);
        }
        name_lock_in_reply(t, s);
        name_own_lease(t, g, s);
        guess_script named;
        if (seems_shared(t, g, s, &named))
            return say_shared(t, &named, e);
    }
    if (!learn_replies(t, g, s))
        return refuse_reply(g, s, &g->granted, "a second owner hears the same: a limiter is no lock", e);
    g->granted = reply_copy(t->a, &g->granted);
    g->refused = reply_copy(t->a, &g->refused);
    if (!refuse_numbers(t, g, s, e))
        return false;
    g->expires = guess_lease_ms(s) && lease_holds(t, g, s);
    g->own_lease_ms = guess_lease_ms(s) ? 0 : own_lease_ms(t, g, s, &g->ends_early_ms);
    g->ends_somehow = !g->expires && !g->own_lease_ms && ends_some_day(t, g, s);
    if (g->expires && g->granted.kind == REPLY_ARRAY && g->granted.count) {
        trial_begin(t);
        trial_ask(t, s, ANN, 0);
        reply later = trial_ask(t, s, BOB, guess_lease_ms(s) + 2000);
        size_t i = guess_deciding(g);
        g->granted_varies = later.kind == REPLY_ARRAY && i < later.count &&
                            !reply_equal(&later.items[i], &g->granted.items[i]);
    }
    trial_begin(t);
    trial_ask(t, s, ANN, 0);
    reply again = trial_ask(t, s, ANN, 10);
    g->tells_count = tells_count(t, g, s, g->semaphore ? 2 : 1);
    if (g->semaphore && g->holder.kind == HOLDER_UNKNOWN && counts_permits(t, s))
        g->holder.kind = HOLDER_PERMITS;
    g->tells_left = g->tells_left || tells_left(t, g, s);
    g->holder.first = is_queue(t, g, s);
    g->holder.numbered = g->semaphore && numbers_keys(t, g, s);
    g->reentrant = !g->semaphore && guess_has_role(s, ROLE_OWNER) && guess_reads_granted(g, &again, ANN);
    g->keeps_seconds = keeps_seconds(t, s);
    guess_find_end(t, g);
    return true;
}
