/* guess_release.c - finds how a release and a renewal are called, and what they reply. */
#include "init/guess_trial.h"
#include "init/template.h"

#include <ctype.h>

/* ANN holds it, and `w` runs the script. Is the lock free then? */
static bool frees(trial *t, guess *g, guess_script *s, who w, reply *r)
{
    trial_begin(t);
    trial_ask(t, &g->acquire, ANN, 0);
    *r = trial_ask(t, s, w, 10);
    return trial_is_free(t, g, CEC, 20);
}

/* Of two holds one remains after a release: with the lease that the acquire sets (a lock that sets none has none), with
 * another one, or not at all. */
enum { NO_HOLD, HOLD_ONLY, HOLD_AND_LEASE };
static int keeps_one_hold(trial *t, guess *g, guess_script *s)
{
    trial_begin(t);
    trial_ask(t, &g->acquire, ANN, 0);
    trial_ask(t, &g->acquire, ANN, 5);
    reply once = trial_ask(t, s, ANN, 10);
    int64_t left_ms = trial_keyed(t, "pttl", trial_lock(t), 10).integer, set_ms = guess_hold_ms(g);
    if (once.kind == REPLY_ERROR || trial_is_free(t, g, BOB, 20))
        return NO_HOLD;
    bool as_set = left_ms == set_ms || left_ms == set_ms - 5 || (set_ms == 0 && left_ms < 0);
    return as_set ? HOLD_AND_LEASE : HOLD_ONLY;
}

/* A semaphore's second owner gives its permit back, and no other's. */
static bool frees_second(trial *t, guess *g, guess_script *s)
{
    trial_begin(t);
    t->limit = 2;
    trial_ask(t, &g->acquire, ANN, 0);
    trial_ask(t, &g->acquire, BOB, 5);
    trial_ask(t, s, BOB, 10);
    return trial_is_free(t, g, CEC, 20);
}

/* Is the lock free where it was taken and released a second time? */
static bool frees_again(trial *t, guess *g, guess_script *s)
{
    trial_begin(t);
    for (int64_t at_ms = 0; at_ms < 40; at_ms += 20) {
        trial_ask(t, &g->acquire, ANN, at_ms);
        trial_ask(t, s, ANN, at_ms + 10);
    }
    return trial_is_free(t, g, CEC, 50);
}

static int judge_release(trial *t, guess *g, guess_script *s, bool *all)
{
    enum { FREES = 1, OWNERS_ONLY = 32, NO_ERROR = 16, AGAIN = 8, TELLS = 1, COUNTS = 2, SECOND = 4 };
    reply mine, theirs;
    *all = false;
    if (!frees(t, g, s, ANN, &mine))
        return NO_WAY;
    bool published = t->channel.n > 0;
    bool only = !frees(t, g, s, BOB, &theirs);
    int counted = g->reentrant ? keeps_one_hold(t, g, s) : 0;
    bool second = !g->semaphore || frees_second(t, g, s);
    bool again = frees_again(t, g, s) || !g->tells_anew;       /* what the first grant told is no constant */
    int score = FREES + (again ? AGAIN : 0) + (only ? OWNERS_ONLY : 0) + (mine.kind != REPLY_ERROR ? NO_ERROR : 0) +
                (published ? TELLS : 0) + COUNTS * counted + (second ? SECOND : 0);
    bool settled = second && again && (!g->reentrant || counted == HOLD_AND_LEASE || s->slots_n <= 1);
    *all = only && settled && mine.kind != REPLY_ERROR && (!guess_has_role(s, ROLE_UNKNOWN) || s->args_n == 0);
    return score;
}

/* The parts of the acquire's answer that change each time, or with each permit, as bits of way_plan.replies: a release
 * may need one of them. */
static unsigned told_each_time(trial *t, guess *g)
{
    unsigned items = 0;
    int64_t lease_ms = guess_hold_ms(g);
    if ((!lease_ms && !g->semaphore) || g->names_owner)
        return 0;
    trial_begin(t);
    t->limit = g->semaphore ? 2 : 1;
    reply first = trial_ask(t, &g->acquire, ANN, 0);
    reply next = trial_ask(t, &g->acquire, BOB, g->semaphore ? 10 : lease_ms + 2000);
    if (first.kind != next.kind || reply_equal(&first, &next))
        return 0;
    for (size_t i = 0; first.kind == REPLY_ARRAY && i < first.count && i < next.count && i < REPLY_ITEMS_MAX; i++)
        items |= reply_equal(&first.items[i], &next.items[i]) ? 0U : 1U << (i + 1);
    return first.kind == REPLY_ARRAY ? items : 1;
}

/* Keys of a release's own that keep it from being done a second time, but for one that repeats the first: each call has
 * another one. */
static void name_call_keys(trial *t, guess *g, guess_script *s)
{
    for (size_t i = 0; i < s->keys_n && !frees_again(t, g, s); i++) {
        guess_arg had = s->keys[i];
        if (had.role != ROLE_KEY)
            continue;
        s->keys[i].role = ROLE_CALL_KEY;
        if (!frees_again(t, g, s))
            s->keys[i] = had;
    }
}

static void name_channel(trial *t, guess *g)
{
    guess_script *s = &g->release;
    trial_begin(t);
    trial_ask(t, &g->acquire, ANN, 0);
    reply r = trial_ask(t, s, ANN, 10);
    g->release_error = r.kind == REPLY_ERROR ? arena_str(t->a, r.text) : S("");
    g->publishes = t->channel.n > 0;
    str channel = t->channel, message = t->message;
    for (size_t i = 0; i < s->keys_n && g->publishes; i++)
        if (s->keys[i].role == ROLE_KEY && str_eq(trial_key(t, &s->keys[i]), channel))
            s->keys[i] = (guess_arg){ .role = ROLE_CHANNEL };
    for (size_t i = 0; i < s->args_n && g->publishes; i++) {
        str value = trial_arg(t, s, i, ANN, 10);
        bool is_channel = str_eq(value, channel);
        if (s->args[i].role == ROLE_UNKNOWN && (is_channel || str_eq(value, message)))
            s->args[i].role = is_channel ? ROLE_CHANNEL : ROLE_MESSAGE;
    }
}

static bool is_number(str text)
{
    for (size_t i = 0; i < text.n; i++)
        if (!isdigit((unsigned char)text.p[i]))
            return false;
    return text.n > 0;
}

/* Adds the lock's keys that are there at_ms after the try began and have no TTL; all, or only counters. */
static void add_lasting(trial *t, guess *g, int64_t at_ms, bool counters)
{
    guess_script *s = &g->acquire;
    for (size_t i = 0; i < s->keys_n; i++) {
        str key = trial_key(t, &s->keys[i]), word = guess_key_word(t->a, &s->keys[i]);
        bool ours = s->keys[i].role == ROLE_KEY || s->keys[i].role == ROLE_LOCK;
        bool known = !ours || trial_keyed(t, "pttl", key, at_ms).integer != -1 ||
                     (counters && !is_number(trial_keyed(t, "get", key, at_ms).text));
        for (size_t k = 0; k < g->lasting_n; k++)
            known = known || str_eq(g->lasting[k], word);
        if (!known)
            g->lasting[g->lasting_n++] = word;
    }
}

/* Keys of the lock that exist while it is free, and have no TTL: a counter of tokens, for example; of what a refusal
 * leaves only counters, for a list may be of those who wait. */
static void find_lasting(trial *t, guess *g)
{
    guess_script *s = &g->acquire;
    if (g->ends != ROLE_UNKNOWN || g->ends_key.n) {        /* a stored time ends it: what a dead owner leaves, stays */
        trial_begin(t);
        trial_ask(t, s, ANN, 0);
        g->stays = trial_keyed(t, "pttl", trial_lock(t), 5).integer == -1;
        if (g->stays && g->key.n)
            g->lasting[g->lasting_n++] = g->key;
        add_lasting(t, g, 5, false);
    }
    trial_begin(t);
    trial_ask(t, s, ANN, 0);
    trial_ask(t, &g->release, ANN, 10);
    add_lasting(t, g, 20, false);
    reply next = trial_ask(t, s, BOB, 20);
    g->fencing = guess_is_higher(g, &next);
    trial_begin(t);
    trial_ask(t, s, ANN, 0);
    trial_ask(t, s, BOB, 5);
    trial_ask(t, &g->release, ANN, 10);
    trial_ask(t, s, BOB, 15);
    trial_ask(t, &g->release, BOB, 20);
    add_lasting(t, g, 25, true);
}

/* Held twice by its owner, and released once: does one hold remain? */
static void count_holds(trial *t, guess *g)
{
    trial_begin(t);
    trial_ask(t, &g->acquire, ANN, 0);
    trial_ask(t, &g->acquire, ANN, 5);
    reply once = trial_ask(t, &g->release, ANN, 10);
    if (trial_is_free(t, g, BOB, 20)) {
        g->reentrant = false;
        g->idempotent = true;
        return;
    }
    reply last;
    frees(t, g, &g->release, ANN, &last);
    g->still_held = reply_copy(t->a, &once);
    g->tells_holds = !reply_equal(&once, &last);
    guess_count(t, g);
}

/* ARGV that only a release of one of two holds shows: the lease that it sets again. */
static void name_lease(trial *t, const guess *g, guess_script *s)
{
    for (size_t i = 0; i < s->slots_n && g->reentrant; i++)
        for (guess_role r = ROLE_LEASE_MS; r <= ROLE_LEASE_S && s->args[i].role == ROLE_UNKNOWN &&
             !guess_has_role(s, r); r++) {
            s->args[i].role = r;
            trial_begin(t);
            trial_ask(t, &g->acquire, ANN, 0);
            trial_ask(t, &g->acquire, ANN, 5);
            trial_ask(t, s, ANN, 10);
            int64_t left_ms = trial_keyed(t, "pttl", trial_lock(t), 10).integer;
            if (left_ms == (r == ROLE_LEASE_MS ? LEASE_MS : LEASE_S * 1000))
                return;
            s->args[i].role = ROLE_UNKNOWN;
        }
}

/* The release's answers to its owner, to another client, and to its owner when the lock is free. */
static void learn_release(trial *t, guess *g)
{
    reply mine, theirs;
    frees(t, g, &g->release, ANN, &mine);
    frees(t, g, &g->release, BOB, &theirs);
    trial_begin(t);
    reply gone = trial_ask(t, &g->release, ANN, 10);
    g->freed = reply_copy(t->a, &mine);
    g->kept = reply_copy(t->a, &theirs);
    g->gone = reply_copy(t->a, &gone);
}

/* ARGV of the release that nothing has shown yet and that becomes a key's time to live; the lock's own, which the
 * release would keep for so long, is none. */
static void name_ttls(trial *t, guess *g, guess_script *s)
{
    enum { NUMBER = 70001 };
    str all[] = { S("keys"), S("*") };
    bool shown;
    int score = judge_release(t, g, s, &shown);
    for (size_t i = 0; i < s->slots_n; i++) {
        int64_t given = NUMBER + (int64_t)i;
        if (s->args[i].role != ROLE_UNKNOWN)
            continue;
        trial_begin(t);
        t->unknown = NUMBER;
        trial_ask(t, &g->acquire, ANN, 0);
        trial_ask(t, s, ANN, 0);
        reply keys = trial_command(t, all, COUNT(all), 0);
        for (size_t k = 0; k < keys.count; k++) {
            int64_t ttl_ms = trial_keyed(t, "pttl", keys.items[k].text, 0).integer;
            if (ttl_ms == given || ttl_ms == given * 1000)
                s->args[i].role = ttl_ms == given ? ROLE_LEASE_MS : ROLE_LEASE_S;
        }
        if (judge_release(t, g, s, &shown) < score)
            s->args[i].role = ROLE_UNKNOWN;
    }
}

static size_t role_at(const guess_arg *roles, size_t n, guess_role r)
{
    size_t i = 0;
    while (i < n && roles[i].role != r)
        i++;
    return i;
}

/* How many permits are given back, where the acquire says how many are taken. */
static void name_count(trial *t, guess *g, guess_script *s)
{
    bool all;
    int score = judge_release(t, g, s, &all);
    for (size_t i = 0; i < s->slots_n && guess_has_role(&g->acquire, ROLE_COUNT_OF); i++) {
        if (s->args[i].role != ROLE_UNKNOWN || guess_has_role(s, ROLE_COUNT_OF))
            continue;
        s->args[i].role = ROLE_COUNT_OF;
        if (judge_release(t, g, s, &all) < score)
            s->args[i].role = ROLE_UNKNOWN;
    }
}

/* One script for all, told by an ARGV what to do: the last ARGV that this call does without are another's. */
static void leave_out(trial *t, guess *g, guess_script *s)
{
    bool all;
    int score = judge_release(t, g, s, &all);
    while (str_eq(s->text, g->acquire.text) && s->args_n > 0 && s->slots_n == s->args_n &&
           s->args[s->args_n - 1].role == ROLE_UNKNOWN) {
        guess_script shorter = *s;
        shorter.args_n = --shorter.slots_n;
        if (judge_release(t, g, &shorter, &all) < score)
            return;
        *s = shorter;
    }
}

/* Does the likeliest way to call it end in an error? */
static bool fails(trial *t, guess *g, guess_script *s, const guess_hints *h)
{
    guess_script likely = *s;
    if (!s->command)
        guess_likeliest_way(&likely, h);
    trial_begin(t);
    trial_ask(t, &g->acquire, ANN, 0);
    return trial_ask(t, &likely, ANN, 10).kind == REPLY_ERROR;
}

/* ANN takes it and `s` gets `given` as ARGV[i]: is BOB, refused until then, told anything else? */
static bool gives_back(trial *t, guess *g, guess_script *s, size_t i, const guess_arg *told)
{
    trial_begin(t);
    reply mine = trial_ask(t, &g->acquire, ANN, 0);
    str given = mine.text;
    if (told)
        given = trial_arg(t, &g->acquire, (size_t)(told - g->acquire.args), ANN, 0);
    else if (mine.kind == REPLY_INTEGER)
        given = arena_printf(t->scratch, "%lld", (long long)mine.integer);
    else if (mine.kind != REPLY_BULK)
        return false;
    reply refused = trial_ask(t, &g->acquire, BOB, 10);
    guess_arg had = s->args[i];
    s->args[i] = (guess_arg){ .role = ROLE_TEXT, .text = given };
    reply freed = trial_ask(t, s, ANN, 20), next = trial_ask(t, &g->acquire, BOB, 30);
    s->args[i] = had;
    return freed.kind != REPLY_ERROR && !reply_equal(&refused, &mine) && !reply_equal(&refused, &next);
}

/* In how many places the lock's key can stand among a release's: one more where its keys are the acquire's first, and
 * the acquire's lock is none of them. */
static size_t places(const guess *g, const guess_script *s)
{
    size_t lock = 0;
    while (lock < g->acquire.keys_n && g->acquire.keys[lock].role != ROLE_LOCK)
        lock++;
    return s->keys_n ? s->keys_n + (lock >= s->keys_n && lock < g->acquire.keys_n) : 1;
}

/* No way frees it, for the release wants what no word says: the time that the acquire was given, or one of its answers
 * of which each grants in its own way. */
static bool say_what_it_gives_back(trial *t, guess *g, guess_script *s, err *e)
{
    for (size_t at = 0; at < places(g, s); at++)
        for (size_t i = 0; i < s->args_n; i++) {
            guess_lay_keys(g, s, at);
            for (size_t k = 0; k < g->acquire.args_n; k++) {
                guess_role r = g->acquire.args[k].role;
                bool time = r == ROLE_UNTIL_MS || r == ROLE_UNTIL_S || r == ROLE_NOW_MS || r == ROLE_NOW_S;
                if (!time || !gives_back(t, g, s, i, &g->acquire.args[k]))
                    continue;
                err_at(e, ERR_SCENARIO, s->path, 1, 0, "ARGV[%zu] has to be the very time that the acquire got as "
                       "ARGV[%zu], %.*s: the lock stores it, and the release compares it", i + 1, k + 1,
                       STR_ARG(guess_arg_word(t->a, &g->acquire, k, false)));
                return !err_hint(e, "no word of generic.lock says that time again, each is made anew for its call; a "
                                    "driver written by hand keeps it: scenarios/tour/own/lock.lua is an example");
            }
            if (!gives_back(t, g, s, i, NULL))
                continue;
            err_at(e, ERR_SCENARIO, s->path, 1, 0, "ARGV[%zu] has to be what the acquire answered, a slot or a token "
                   "that is another one for each permit: init cannot tell which answers grant", i + 1);
            return !err_hint(e, "write the table by hand: granted = function(reply) ... end, limit = how many there "
                                "are, holder = function(redis, key) ... end, args = { release = { \"$reply\" } }: "
                                "man locksim-scenario, LOCKS FROM A TABLE");
        }
    return false;
}

/* It frees the lock for anyone whose name is a text, and for its owner alone where owners are numbers: tonumber makes
 * nil of all texts. */
static bool refuse_numbers(trial *t, guess *g, guess_script *s, err *e)
{
    for (size_t i = 0; i < s->slots_n && g->frees_for_anyone && !s->command; i++) {
        guess_script with = *s;
        reply r;
        if (s->args[i].role != ROLE_UNKNOWN && s->args[i].role != ROLE_OWNER)
            continue;
        guess_set_role(&with.args[i], (guess_arg){ .role = ROLE_OWNER });
        t->numbered = true;
        bool compares = frees(t, g, &with, ANN, &r) && !frees(t, g, &with, BOB, &r);
        t->numbered = false;
        if (!compares)
            continue;
        err_at(e, ERR_SCENARIO, s->path, 1, 0, "the script compares the owner, ARGV[%zu], as a number", i + 1);
        return err_hint(e, "%s", guess_numbers);
    }
    return true;
}

/* With a second key, where the script takes any number of them. */
static guess_script with_two_keys(const guess_script *s)
{
    guess_script two = *s;
    if (s->any_keys && s->keys_n == 1 && s->keys[0].role == ROLE_LOCK) {
        two.keys[1] = (guess_arg){ .role = ROLE_KEY, .n = 2 };
        two.keys_n = 2;
    }
    return two;
}

/* Does it lock all of any number of KEYS, and free them? Then the table names two; a semaphore with a key for each
 * permit lets a second owner in. And where another owner holds the second key alone, does it keep the first? */
static void try_two_keys(trial *t, guess *g)
{
    guess_script acquire = with_two_keys(&g->acquire), release = with_two_keys(&g->release), second = g->acquire;
    if (acquire.keys_n == g->acquire.keys_n || release.keys_n == g->release.keys_n)
        return;
    second.keys[0] = acquire.keys[1];
    trial_begin(t);
    reply mine = trial_ask(t, &acquire, ANN, 0), other = trial_ask(t, &acquire, BOB, 5),
          part = trial_ask(t, &second, BOB, 10);
    trial_ask(t, &release, ANN, 15);
    reply next = trial_ask(t, &acquire, BOB, 20);
    if (!guess_is_grant(g, &mine, ANN) || guess_is_grant(g, &other, BOB) || guess_is_grant(g, &part, BOB) ||
        !guess_is_grant(g, &next, BOB))
        return;
    trial_begin(t);
    trial_ask(t, &second, BOB, 0);
    reply refused = trial_ask(t, &acquire, ANN, 10);
    g->keeps_part = !guess_is_grant(g, &refused, ANN) &&
                    !str_eq(trial_keyed(t, "type", trial_lock(t), 15).text, S("none"));
    g->acquire = acquire;
    g->release = release;
}

bool guess_release(trial *t, guess *g, err *e)
{
    guess_script *s = &g->release, best;
    guess_hints h;
    int best_score = NO_WAY;
    if (!trial_reads(t, s, &h, e))
        return false;
    way_plan plan = { .hints = &h, .releases = true, .replies = told_each_time(t, g), .judge = judge_release,
                      .like = &g->acquire };
    g->tells_anew = plan.replies != 0;
    g->tried += s->command;
    for (size_t at = 0; at < places(g, s); at++) {
        guess_script one = *s;
        bool all;
        guess_lay_keys(g, &one, at);
        if (!s->command && !guess_find_way(t, g, &one, &plan))
            continue;
        int score = judge_release(t, g, &one, &all);
        if (score > best_score) {
            best_score = score;
            best = one;
        }
    }
    if (best_score == NO_WAY) {
        if (say_what_it_gives_back(t, g, s, e))
            return false;
        err_at(e, ERR_SCENARIO, s->path, 1, 0, "tried in %zu way%s: the script does not free the lock that %.*s took",
               g->tried, g->tried == 1 ? "" : "s", STR_ARG(g->acquire.path));
        const char *unmade = fails(t, g, s, &h) ? template_hint(t->a, s->text) : NULL;
        if (unmade)
            return err_hint(e, "%s", unmade);
        return err_hint(e, "a release may be a command, too: 'DEL $lock', 'ZREM $lock $token'; a limiter has none, and "
                        "is no lock; else write the scenario by hand: scenarios/tour/own/lock.lua is an example");
    }
    *s = best;
    if (!s->command)
        guess_zero_unshown(t, g, s, &plan);
    reply r;
    g->frees_for_anyone = frees(t, g, s, BOB, &r);
    for (size_t i = 0; g->frees_for_anyone && !g->owners_key && i < s->keys_n; i++) {
        t->owners_key = s->keys[i].role == ROLE_KEY ? s->keys[i].n : 0;
        if (t->owners_key && frees(t, g, s, ANN, &r) && !frees(t, g, s, BOB, &r))
            g->owners_key = i + 1;
        t->owners_key = 0;
    }
    size_t owner = role_at(s->args, s->slots_n, ROLE_OWNER);
    if (g->frees_for_anyone && owner < s->slots_n && !s->command)
        guess_set_role(&s->args[owner], (guess_arg){ .role = h.named[owner] == ROLE_OWNER ? ROLE_OWNER : ROLE_UNKNOWN,
                                                     .by_name = h.named[owner] == ROLE_OWNER });
    if (!refuse_numbers(t, g, s, e))
        return false;
    name_count(t, g, s);
    name_channel(t, g);
    if (g->reentrant)
        count_holds(t, g);
    name_lease(t, g, s);
    name_ttls(t, g, s);
    name_call_keys(t, g, s);
    if (!s->command) {
        leave_out(t, g, s);
        guess_mark_by_name(t, g, s, &plan);
    }
    try_two_keys(t, g);
    find_lasting(t, g);
    learn_release(t, g);
    return true;
}

/* ---- renew ---- */

/* ANN holds it, `w` renews it after half of the lease; does ANN still hold it shortly after the lease's first end? Her
 * hold is the first one of the lock, or the one after a hold of BOB's. */
static bool prolongs_after(trial *t, guess *g, guess_script *s, who w, int64_t at_ms)
{
    int64_t lease_ms = guess_hold_ms(g);
    trial_begin(t);
    if (at_ms > 0)
        trial_ask(t, &g->acquire, BOB, 0);
    trial_ask(t, &g->acquire, ANN, at_ms);
    reply r = trial_ask(t, s, w, at_ms + lease_ms / 2);
    return r.kind != REPLY_ERROR && !trial_is_free(t, g, CEC, at_ms + lease_ms + 2000);
}

static bool prolongs(trial *t, guess *g, guess_script *s, who w)
{
    return prolongs_after(t, g, s, w, 0);
}

/* ANN holds it and renews it after half of the lease; is it free after_ms later? */
static bool is_free_after(trial *t, guess *g, guess_script *s, int64_t after_ms)
{
    int64_t half_ms = guess_hold_ms(g) / 2;
    trial_begin(t);
    trial_ask(t, &g->acquire, ANN, 0);
    trial_ask(t, s, ANN, half_ms);
    return trial_is_free(t, g, CEC, half_ms + after_ms);
}

/* Does the renewed lease last exactly as long as the first one? One that adds to the rest does not. */
enum { RENEWED_TO_ITS_END = 1, RENEWED_ENDS = 2, RENEWED_IN_FULL = 3 };
static int renewed_lease(trial *t, guess *g, guess_script *s)
{
    enum { ROUNDING_MS = 2000 };           /* of whole seconds */
    int64_t lease_ms = guess_hold_ms(g);
    return (is_free_after(t, g, s, lease_ms - ROUNDING_MS) ? 0 : RENEWED_TO_ITS_END) +
           (is_free_after(t, g, s, lease_ms + ROUNDING_MS) ? RENEWED_ENDS : 0);
}

static int judge_renew(trial *t, guess *g, guess_script *s, bool *all)
{
    enum { OWNERS_ONLY = 4, AGAIN = 8 };
    *all = false;
    if (!prolongs(t, g, s, ANN))
        return NO_WAY;
    bool again = !g->tells_anew || prolongs_after(t, g, s, ANN, guess_hold_ms(g) + 3000);
    int lease = renewed_lease(t, g, s);
    bool hers = !prolongs(t, g, s, BOB);
    *all = lease == RENEWED_IN_FULL && hers && again && !guess_has_role(s, ROLE_UNKNOWN);
    return (hers ? OWNERS_ONLY : 0) + (again ? AGAIN : 0) + lease;
}

/* Is the lock taken where it was free? */
static bool takes_free_lock(trial *t, guess *g, guess_script *s)
{
    trial_begin(t);
    trial_ask(t, s, ANN, 0);
    return !trial_is_free(t, g, CEC, 10);
}

/* What makes no difference to a renewal gets a text that is no instant and no limit. */
static void fill_unshown(trial *t, guess *g, guess_script *s, const guess_hints *h)
{
    static const char *const texts[] = { "0", "1" };
    bool all;
    int score = judge_renew(t, g, s, &all);
    for (size_t i = 0; i < s->slots_n; i++) {
        guess_arg had = s->args[i];
        bool kept = had.role == ROLE_OWNER || had.role == ROLE_LEASE_MS || had.role == ROLE_LEASE_S ||
                    had.role == ROLE_JSON || had.role == ROLE_UNUSED || had.role == ROLE_REPLY ||
                    had.role == h->named[i];
        for (size_t k = 0; k < COUNT(texts) && !kept; k++) {
            guess_set_role(&s->args[i], (guess_arg){ .role = ROLE_TEXT, .text = str_from(texts[k]) });
            kept = judge_renew(t, g, s, &all) >= score;
        }
        if (!kept)
            s->args[i] = had;
    }
}

/* How much a renewal adds to the rest is known only to its user, whatever the variable's name is: any number prolongs
 * the lock, and a wrong one gives a lease that was never wanted. */
static void forget_amounts(trial *t, guess *g, guess_script *s)
{
    static const guess_role amounts[] = { ROLE_LEASE_MS, ROLE_LEASE_S, ROLE_UNTIL_MS, ROLE_UNTIL_S, ROLE_OWNER_LENGTH,
                                          ROLE_LIMIT, ROLE_COUNT_OF };
    if (renewed_lease(t, g, s) == RENEWED_IN_FULL)
        return;
    for (size_t i = 0; i < s->slots_n; i++)
        for (size_t k = 0; k < COUNT(amounts); k++)
            if (s->args[i].role == amounts[k]) {
                guess_set_role(&s->args[i], (guess_arg){ .role = ROLE_UNKNOWN });
                g->renewal_adds = true;
                break;
            }
}

bool guess_renew(trial *t, guess *g, err *e)
{
    guess_script *s = &g->renew;
    guess_hints h;
    if (!trial_reads(t, s, &h, e))
        return false;
    way_plan plan = { .hints = &h, .replies = told_each_time(t, g), .judge = judge_renew,
                      .like = &g->acquire };
    g->tried += s->command;
    for (size_t at = 0; at < (s->keys_n ? s->keys_n : 1) && guess_hold_ms(g); at++) {
        guess_script one = *s;
        bool all;
        guess_lay_keys(g, &one, at);
        if (s->command ? judge_renew(t, g, &one, &all) != NO_WAY : guess_find_way(t, g, &one, &plan)) {
            *s = one;
            if (!s->command)
                guess_prefer_lease(t, g, s, &plan);
            if (g->acquire.any_keys && g->acquire.keys_n == 2)
                *s = with_two_keys(s);
            g->renews_for_anyone = prolongs(t, g, s, BOB);
            g->renewal_takes = takes_free_lock(t, g, s);
            if (!s->command) {
                guess_mark_by_name(t, g, s, &plan);
                fill_unshown(t, g, s, &h);
                forget_amounts(t, g, s);
            }
            return true;
        }
    }
    err_at(e, ERR_SCENARIO, s->path, 1, 0, "the script does not prolong the lock as %.*s took it",
           STR_ARG(g->acquire.path));
    return err_hint(e, "leave it out, or write the scenario by hand: man locksim-scenario");
}
