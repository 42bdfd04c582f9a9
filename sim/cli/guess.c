/* guess.c - see guess.h. Each ARGV gets a number of its own, for a number can be an owner as well as a lease; where it turns up in the
 * keyspace tells what it is. */
#include "cli/guess.h"

#include <string.h>

#include "base/lua_tokens.h"

enum { LEASE_FIRST = 30011, LEASE_OTHER = 45101 };        /* primes: no sum or product of them is another one */
static const int64_t START_MS = INT64_C(1700000000000);

/* One try: a server of its own, and what was told to whom. */
typedef struct {
    arena *a;
    redis *server;
    redis_conn *conn;
    str channel, message;                  /* of the last publication */
} trial;

static const char *const words[ROLE_COUNT] = {
    [ROLE_UNKNOWN] = "?", [ROLE_LOCK] = "$lock", [ROLE_CHANNEL] = "$channel", [ROLE_OWNER] = "$owner", [ROLE_LEASE_MS] = "$lease_ms",
    [ROLE_LEASE_S] = "$lease_s", [ROLE_MESSAGE] = "0",
};

const char *guess_word(guess_role r)
{
    return words[r];
}

/* ---- a script's text ---- */

/* The highest n of NAME[n]; false if there are too many, or it is used as a whole. */
static size_t highest_index(str text, const char *name)
{
    tokens x = { .text = text, .line = 1 };
    token last[3] = { 0 };
    size_t most = 0;
    for (token t; tokens_next(&x, &t) == TOKENS_ONE; last[0] = last[1], last[1] = last[2], last[2] = t) {
        size_t n = 0;
        if (t.kind != TOKEN_SYMBOL || !token_reads(&t, "]") || !last[0].text.p || !token_reads(&last[0], name) ||
            !token_reads(&last[1], "[") || last[2].kind != TOKEN_NUMBER)
            continue;
        for (size_t i = 0; i < last[2].text.n && n <= GUESS_WORDS_MAX; i++)
            n = n * 10 + (size_t)(last[2].text.p[i] - '0');
        most = n > most ? n : most;
    }
    return most;
}

static bool measure(guess_script *s, err *e)
{
    s->keys_n = highest_index(s->text, "KEYS");
    s->args_n = highest_index(s->text, "ARGV");
    if (s->keys_n == 0) {
        err_at(e, ERR_SCENARIO, s->path, 1, 0, "the script names no KEYS[1]: where is its lock?");
        return err_hint(e, "keys belong into KEYS, so that a cluster can find them; else write the scenario by hand: man locksim");
    }
    if (s->keys_n > GUESS_WORDS_MAX || s->args_n > GUESS_WORDS_MAX) {
        err_at(e, ERR_SCENARIO, s->path, 1, 0, "the script takes more than %d KEYS or ARGV: too many to guess", GUESS_WORDS_MAX);
        return err_hint(e, "write the scenario by hand: man locksim");
    }
    return true;
}

/* ---- running it ---- */

static void told(void *context, uint32_t conn, str channel, str payload, str pattern)
{
    trial *t = context;
    (void)conn, (void)pattern;
    t->channel = arena_str(t->a, channel);
    t->message = arena_str(t->a, payload);
}

static reply command(trial *t, const str *argv, size_t argc)
{
    reply r = redis_execute(t->server, t->conn, argv, argc, START_MS, t->a);
    return reply_copy(t->a, &r);
}

static trial trial_open(arena *a)
{
    trial t = { .a = a, .server = redis_new((redis_limits){ 0 }) };
    t.conn = redis_connect(t.server, 1);
    redis_conn *listener = redis_connect(t.server, 2);
    str all[] = { S("psubscribe"), S("*") };
    redis_execute(t.server, listener, all, COUNT(all), START_MS, a);
    return t;
}

static void trial_close(trial *t)
{
    redis_free(t->server);
}

static str other_key(arena *a, size_t i)
{
    return arena_printf(a, "{locksim}:%zu", i + 1);
}

/* What each argument is in this try: the owner's id, or a number that tells the argument from all others. */
typedef struct {
    str keys[GUESS_WORDS_MAX], args[GUESS_WORDS_MAX];
} filling;

static reply run(trial *t, const guess_script *s, const filling *f)
{
    str argv[3 + 2 * GUESS_WORDS_MAX] = { S("eval"), s->text, arena_printf(t->a, "%zu", s->keys_n) };
    size_t n = 3;
    redis_observer o = { .context = t, .message = told };
    redis_observe(t->server, &o);
    t->channel = t->message = S("");
    for (size_t i = 0; i < s->keys_n; i++)
        argv[n++] = f->keys[i];
    for (size_t i = 0; i < s->args_n; i++)
        argv[n++] = f->args[i];
    return command(t, argv, n);
}

static str number(arena *a, int64_t n)
{
    return arena_printf(a, "%lld", (long long)n);
}

static filling filling_new(arena *a, const guess_script *s, int64_t first)
{
    filling f;
    for (size_t i = 0; i < s->keys_n; i++)
        f.keys[i] = other_key(a, i);
    for (size_t i = 0; i < s->args_n; i++)
        f.args[i] = number(a, first + 2 * (int64_t)i);
    return f;
}

static str type_of(trial *t, str key)
{
    str argv[] = { S("type"), key };
    return command(t, argv, COUNT(argv)).text;
}

static int64_t ttl_of(trial *t, str key)
{
    str argv[] = { S("pttl"), key };
    return command(t, argv, COUNT(argv)).integer;
}

/* Whoever the lock's key names as its owner: a string's value, a hash's only field. */
static str owner_in(trial *t, str key)
{
    str get[] = { S("get"), key }, keys[] = { S("hkeys"), key };
    if (str_eq(type_of(t, key), S("string")))
        return command(t, get, COUNT(get)).text;
    if (!str_eq(type_of(t, key), S("hash")))
        return S("");
    reply fields = command(t, keys, COUNT(keys));
    return fields.count == 1 ? fields.items[0].text : S("");
}

/* ---- acquire ---- */

static size_t role_at(const guess_role *roles, size_t n, guess_role r)
{
    for (size_t i = 0; i < n; i++)
        if (roles[i] == r)
            return i;
    return n;
}

static void find_roles(trial *t, guess *g, const filling *f)
{
    guess_script *s = &g->acquire;
    for (size_t k = 0; k < s->keys_n && g->holder == HOLDER_UNKNOWN; k++) {
        str owner = owner_in(t, f->keys[k]);
        for (size_t i = 0; i < s->args_n; i++)
            if (owner.n && str_eq(owner, f->args[i])) {
                g->holder = str_eq(type_of(t, f->keys[k]), S("string")) ? HOLDER_STRING : HOLDER_HASH;
                s->keys[k] = ROLE_LOCK;
                s->args[i] = ROLE_OWNER;
            }
    }
    for (size_t k = 0; k < s->keys_n && g->holder == HOLDER_UNKNOWN; k++)
        if (role_at(s->keys, s->keys_n, ROLE_LOCK) == s->keys_n && !str_eq(type_of(t, f->keys[k]), S("none")))
            s->keys[k] = ROLE_LOCK;
    size_t lock = role_at(s->keys, s->keys_n, ROLE_LOCK);
    int64_t ttl = lock < s->keys_n ? ttl_of(t, f->keys[lock]) : -1;
    g->expires = ttl >= 0;
    for (size_t i = 0; i < s->args_n; i++)
        if (s->args[i] == ROLE_UNKNOWN && (str_eq(number(t->a, ttl), f->args[i]) || (ttl % 1000 == 0 && str_eq(number(t->a, ttl / 1000), f->args[i]))))
            s->args[i] = str_eq(number(t->a, ttl), f->args[i]) ? ROLE_LEASE_MS : ROLE_LEASE_S;
}

static bool refuse_reply(const guess_script *s, const reply *r, const char *hint, err *e)
{
    buf shown = { 0 };
    reply_print_short(r, &shown);
    err_at(e, ERR_SCENARIO, s->path, 1, 0, "tried on an empty Redis, with numbers for all ARGV, the script answers %.*s", STR_ARG(buf_str(&shown)));
    buf_free(&shown);
    return err_hint(e, "%s", hint);
}

static bool try_acquire(arena *a, guess *g, err *e)
{
    trial t = trial_open(a);
    guess_script *s = &g->acquire;
    filling f = filling_new(a, s, LEASE_FIRST);
    g->granted = run(&t, s, &f);
    if (g->granted.kind != REPLY_ERROR)
        find_roles(&t, g, &f);
    reply again = run(&t, s, &f);
    size_t owner = role_at(s->args, s->args_n, ROLE_OWNER);
    if (owner < s->args_n)
        f.args[owner] = S("someone-else");
    g->refused = run(&t, s, &f);
    trial_close(&t);
    g->reentrant = owner < s->args_n && reply_equal(&again, &g->granted) && !reply_equal(&g->refused, &g->granted);
    if (g->granted.kind == REPLY_ERROR)
        return refuse_reply(s, &g->granted, "if it needs other arguments, write the scenario by hand: scenarios/tour/own/lock.lua is an example", e);
    if (role_at(s->keys, s->keys_n, ROLE_LOCK) == s->keys_n) {
        err_at(e, ERR_SCENARIO, s->path, 1, 0, "the script writes none of its KEYS: it takes no lock");
        return err_hint(e, "the first script is the one that acquires, the second the one that releases");
    }
    if (reply_equal(&g->refused, &g->granted))
        return refuse_reply(s, &g->granted, "a second owner hears the same, so that nobody can tell a grant from a refusal", e);
    return true;
}

/* ---- release and renew ---- */

/* A server on which the lock is held once, or twice by the same owner. */
static trial held(arena *a, const guess *g, int times, str *lock, str *owner)
{
    trial t = trial_open(a);
    filling f = filling_new(a, &g->acquire, LEASE_FIRST);
    size_t o = role_at(g->acquire.args, g->acquire.args_n, ROLE_OWNER);
    *lock = f.keys[role_at(g->acquire.keys, g->acquire.keys_n, ROLE_LOCK)];
    *owner = o < g->acquire.args_n ? f.args[o] : S("");
    while (times-- > 0)
        run(&t, &g->acquire, &f);
    return t;
}

/* Which KEYS and ARGV of the script are the lock and its owner, in this try; args_n: none is. */
typedef struct {
    size_t key, owner;
} place;

static filling placed(arena *a, const guess_script *s, place p, str lock, str owner)
{
    filling f = filling_new(a, s, LEASE_OTHER);
    for (size_t i = 0; i < s->keys_n; i++)
        f.keys[i] = other_key(a, GUESS_WORDS_MAX + i);
    f.keys[p.key] = lock;
    if (p.owner < s->args_n)
        f.args[p.owner] = owner;
    return f;
}

/* What the second script did to a lock that is held. */
typedef struct {
    filling f;                             /* what it got */
    int64_t ttl_ms;                        /* of the lock; GONE: it is free */
    str channel, message;                  /* what it told whom */
    reply answer;
} effect;
enum { GONE = -2 };

static effect after(arena *a, const guess *g, const guess_script *s, place p, str stranger, int times)
{
    str lock, owner;
    trial t = held(a, g, times, &lock, &owner);
    effect e = { .f = placed(a, s, p, lock, stranger.n ? stranger : owner) };
    e.answer = run(&t, s, &e.f);
    e.ttl_ms = ttl_of(&t, lock);
    e.channel = t.channel;
    e.message = t.message;
    trial_close(&t);
    return e;
}

static void name_channel(guess *g, const effect *e)
{
    guess_script *s = &g->release;
    g->publishes = e->channel.n > 0;
    for (size_t i = 0; i < s->keys_n && g->publishes; i++)
        if (s->keys[i] == ROLE_UNKNOWN && str_eq(e->f.keys[i], e->channel))
            s->keys[i] = ROLE_CHANNEL;
    for (size_t i = 0; i < s->args_n && g->publishes; i++)
        if (s->args[i] == ROLE_UNKNOWN)
            s->args[i] = str_eq(e->f.args[i], e->channel) ? ROLE_CHANNEL : str_eq(e->f.args[i], e->message) ? ROLE_MESSAGE : ROLE_UNKNOWN;
}

/* The ARGV that the lock's TTL is after the script. */
static void name_lease(guess_script *s, const effect *e, arena *a)
{
    for (size_t i = 0; i < s->args_n; i++)
        if (s->args[i] == ROLE_UNKNOWN && e->ttl_ms > 0) {
            if (str_eq(e->f.args[i], number(a, e->ttl_ms)))
                s->args[i] = ROLE_LEASE_MS;
            else if (e->ttl_ms % 1000 == 0 && str_eq(e->f.args[i], number(a, e->ttl_ms / 1000)))
                s->args[i] = ROLE_LEASE_S;
        }
}

/* The place at which the owner's request frees the lock; one at which a stranger's does not is better. */
static bool find_release(arena *a, guess *g, place *best)
{
    const guess_script *s = &g->release;
    bool found = false;
    for (size_t key = 0; key < s->keys_n; key++)
        for (size_t owner = 0; owner <= s->args_n; owner++) {
            place p = { key, owner };
            if (after(a, g, s, p, S(""), 1).ttl_ms != GONE)
                continue;
            bool for_anyone = after(a, g, s, p, S("someone-else"), 1).ttl_ms == GONE;
            if (!found || !for_anyone) {
                *best = p;
                g->frees_for_anyone = for_anyone;
            }
            if (!for_anyone)
                return true;
            found = true;
        }
    return found;
}

static bool try_release(arena *a, guess *g, err *e)
{
    guess_script *s = &g->release;
    place p;
    if (!find_release(a, g, &p)) {
        err_at(e, ERR_SCENARIO, s->path, 1, 0, "the script does not free the lock that %.*s took, whichever ARGV is its owner",
               STR_ARG(g->acquire.path));
        return err_hint(e, "if it needs other arguments, write the scenario by hand: scenarios/tour/own/lock.lua is an example");
    }
    s->keys[p.key] = ROLE_LOCK;
    if (p.owner < s->args_n && !g->frees_for_anyone)
        s->args[p.owner] = ROLE_OWNER;
    effect freed = after(a, g, s, p, S(""), 1);
    g->release_error = freed.answer.kind == REPLY_ERROR ? freed.answer.text : S("");
    name_channel(g, &freed);
    if (g->reentrant) {
        effect partly = after(a, g, s, p, S(""), 2);
        name_lease(s, &partly, a);
        g->still_held = partly.answer;
        g->tells_holds = !reply_equal(&partly.answer, &freed.answer);
    }
    return true;
}

static bool try_renew(arena *a, guess *g, err *e)
{
    guess_script *s = &g->renew;
    for (size_t key = 0; key < s->keys_n; key++)
        for (size_t owner = 0; owner <= s->args_n; owner++) {
            effect prolonged = after(a, g, s, (place){ key, owner }, S(""), 1);
            effect before = after(a, g, s, (place){ key, owner }, S("someone-else"), 1);
            if (prolonged.ttl_ms <= 0 || prolonged.ttl_ms == before.ttl_ms)
                continue;
            s->keys[key] = ROLE_LOCK;
            if (owner < s->args_n)
                s->args[owner] = ROLE_OWNER;
            name_lease(s, &prolonged, a);
            return true;
        }
    err_at(e, ERR_SCENARIO, s->path, 1, 0, "the script does not prolong its owner's lock, and only his, as %.*s took it", STR_ARG(g->acquire.path));
    return err_hint(e, "leave it out, or write the scenario by hand: man locksim");
}

bool guess_lock(arena *a, guess *g, err *e)
{
    if (!measure(&g->acquire, e) || !measure(&g->release, e) || (g->renew.path.n && !measure(&g->renew, e)))
        return false;
    return try_acquire(a, g, e) && try_release(a, g, e) && (!g->renew.path.n || try_renew(a, g, e));
}
