/* guess.c - see guess.h. A way to call a script gives each of its KEYS and ARGV a role. The likely ways, by the names
 * in the text, are tried first. Each is judged by the behaviour of a lock: the second owner is refused while the lease
 * lasts, and served after it. A role counts only if the lock behaves differently without it. */
#include "init/guess.h"

#include "init/guess_trial.h"

const char guess_by_hand[] = "a limiter is no lock; if it needs other arguments, write the scenario by hand: "
                             "scenarios/tour/own/lock.lua is an example";

const char guess_numbers[] = "the owners of generic.lock are texts such as A:1, and tonumber of a text is nil; without "
                             "tonumber the script takes either; else a driver written by hand names its clients by "
                             "numbers: man locksim-scenario, DRIVERS";

static const char *const words[ROLE_COUNT] = {
    [ROLE_UNKNOWN] = "?", [ROLE_LOCK] = "$lock", [ROLE_CHANNEL] = "$channel", [ROLE_OWNER] = "$owner",
    [ROLE_OWNER_LENGTH] = "$#owner",
    [ROLE_LEASE_MS] = "$lease_ms", [ROLE_LEASE_S] = "$lease_s", [ROLE_NOW_MS] = "$now_ms", [ROLE_NOW_S] = "$now_s",
    [ROLE_UNTIL_MS] = "$until_ms", [ROLE_UNTIL_S] = "$until_s", [ROLE_LIMIT] = "$limit", [ROLE_COUNT_OF] = "1",
    [ROLE_MESSAGE] = "0", [ROLE_UNUSED] = "unused", [ROLE_REPLY] = "$reply",
};

str guess_key_word(arena *a, const guess_arg *key)
{
    if (key->role == ROLE_CALL_KEY)
        return arena_printf(a, "{$lock}:%zu:$call", key->n);
    return key->role == ROLE_KEY ? arena_printf(a, "{$lock}:%zu", key->n) : str_from(words[key->role]);
}

typedef struct {
    arena *a;
    bool tokens;
} wording;

static str word_of(const wording *w, const guess_arg *arg)
{
    if (arg->role == ROLE_TEXT)
        return arg->text;
    if (arg->role == ROLE_REPLY && arg->n)
        return arena_printf(w->a, "$reply[%zu]", arg->n);
    if (w->tokens && arg->role == ROLE_OWNER)
        return S("$token");
    if (w->tokens && arg->role == ROLE_OWNER_LENGTH)
        return S("$#token");
    return str_from(words[arg->role]);
}

static str json_word(void *context, const guess_arg *arg, size_t at)
{
    (void)at;
    return word_of(context, arg);
}

str guess_arg_word(arena *a, const guess_script *s, size_t i, bool tokens)
{
    wording w = { a, tokens };
    return s->args[i].role == ROLE_JSON ? guess_json(a, s, i, json_word, &w) : word_of(&w, &s->args[i]);
}

static bool is_number(guess_role r)
{
    return r != ROLE_OWNER && r != ROLE_TEXT && r != ROLE_LOCK && r != ROLE_CHANNEL;
}

str guess_json(arena *a, const guess_script *s, size_t in, guess_value value, void *context)
{
    str text = S("{");
    for (size_t i = s->args_n; i < s->slots_n; i++) {
        const guess_arg *f = &s->args[i];
        if (f->in != in)
            continue;
        str said = value(context, f, i);
        const char *quote = is_number(f->role) && !str_eq(said, S("?")) ? "" : "\"";
        text = arena_printf(a, "%.*s%s\"%.*s\":%s%.*s%s", STR_ARG(text), text.n > 1 ? "," : "", STR_ARG(f->field),
                            quote, STR_ARG(said), quote);
    }
    return arena_printf(a, "%.*s}", STR_ARG(text));
}

bool guess_lock(arena *a, guess *g, err *e)
{
    trial t = trial_open(a, g);
    bool ok = guess_acquire(&t, g, e) && guess_release(&t, g, e) && (!g->renew.path.n || guess_renew(&t, g, e));
    g->tokens = g->semaphore || g->acquire.token || g->release.token || g->renew.token;
    trial_close(&t);
    return ok;
}
