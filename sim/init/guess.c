/* guess.c - see guess.h. A way to call a script is a role for each of its KEYS and ARGV. The likely ways are tried
 * first, by what the text calls its arguments; each is judged by what a lock does: the second owner is refused while
 * the lease lasts and served when it is over. A role counts when the lock behaves otherwise without it. */
#include "init/guess.h"

#include "init/guess_trial.h"

const char guess_by_hand[] = "if it needs other arguments, write the scenario by hand: scenarios/tour/own/lock.lua is "
                             "an example";

static const char *const words[ROLE_COUNT] = {
    [ROLE_UNKNOWN] = "?", [ROLE_LOCK] = "$lock", [ROLE_CHANNEL] = "$channel", [ROLE_OWNER] = "$owner",
    [ROLE_OWNER_LENGTH] = "$#owner",
    [ROLE_LEASE_MS] = "$lease_ms", [ROLE_LEASE_S] = "$lease_s", [ROLE_NOW_MS] = "$now_ms", [ROLE_NOW_S] = "$now_s",
    [ROLE_UNTIL_MS] = "$until_ms", [ROLE_UNTIL_S] = "$until_s", [ROLE_LIMIT] = "$limit", [ROLE_MESSAGE] = "0",
};

str guess_word(arena *a, const guess_arg *arg, bool semaphore)
{
    if (arg->role == ROLE_TEXT)
        return arg->text;
    if (arg->role == ROLE_KEY)
        return arena_printf(a, "{$lock}:%zu", arg->n);
    if (semaphore && arg->role == ROLE_OWNER)
        return S("$token");
    if (semaphore && arg->role == ROLE_OWNER_LENGTH)
        return S("$#token");
    return str_from(words[arg->role]);
}

bool guess_lock(arena *a, guess *g, err *e)
{
    trial t = trial_open(a, g);
    bool ok = guess_acquire(&t, g, e) && guess_release(&t, g, e) && (!g->renew.path.n || guess_renew(&t, g, e));
    trial_close(&t);
    return ok;
}
