/* guess.c - see guess.h. A way to call a script is a role for each of its KEYS and ARGV. The likely ways are tried first, by what the text calls its
 * arguments; each is judged by what a lock does: the second owner is refused while the lease lasts and served when it is over. A role
 * counts when the lock behaves otherwise without it. */
#include "init/guess.h"

#include <string.h>

#include "base/mem.h"
#include "init/guess_text.h"
#include "script/script.h"

enum { NO_WAY = -1000, LEASE_MS = 30011, LEASE_S = 31, MARGIN_MS = 40, WAYS_MAX = 8000, UNKNOWN_NUMBER = 7, CHOICES_MAX = 16 };
static const int64_t START_MS = INT64_C(1700000000000), APART_MS = INT64_C(100000000);

/* A server on which one try follows the other, each on an empty keyspace and long after the last. */
typedef struct {
    arena *a, *scratch;
    redis *server;
    redis_conn *conn;
    int64_t base_ms;
    str channel, message;                  /* of the last publication; "": none since the script began */
    const guess *g;
    bool clock_stands;                     /* clients' clocks stay at the beginning */
    int64_t ahead_ms;                      /* by which they are ahead of the server's */
    int64_t limit, unknown;                /* what stands for these roles */
    bool wrong_length;
} trial;

static const char by_hand[] = "if it needs other arguments, write the scenario by hand: scenarios/tour/own/lock.lua is an example";
static const str owners[] = { { "locksim:A", 9 }, { "locksim:B", 9 }, { "locksim:C", 9 } };
typedef enum { ANN, BOB, CEC } who;

static const char *const words[ROLE_COUNT] = {
    [ROLE_UNKNOWN] = "?", [ROLE_LOCK] = "$lock", [ROLE_CHANNEL] = "$channel", [ROLE_OWNER] = "$owner", [ROLE_OWNER_LENGTH] = "$#owner",
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

/* ---- one call ---- */

static void told(void *context, uint32_t conn, str channel, str payload, str pattern)
{
    trial *t = context;
    (void)conn, (void)pattern;
    t->channel = arena_str(t->scratch, channel);
    t->message = arena_str(t->scratch, payload);
}

static reply command(trial *t, const str *argv, size_t argc, int64_t at_ms)
{
    reply r = redis_execute(t->server, t->conn, argv, argc, t->base_ms + at_ms, t->scratch);
    return reply_copy(t->scratch, &r);
}

static trial trial_open(arena *a, const guess *g)
{
    trial t = { .a = a, .scratch = arena_new(), .server = redis_new((redis_limits){ 0 }), .base_ms = START_MS, .g = g, .limit = 1 };
    t.conn = redis_connect(t.server, 1);
    redis_conn *listener = redis_connect(t.server, 2);
    str all[] = { S("psubscribe"), S("*") };
    redis_execute(t.server, listener, all, COUNT(all), t.base_ms, t.scratch);
    return t;
}

static void trial_close(trial *t)
{
    redis_free(t->server);
    arena_free(t->scratch);
}

/* Whatever the last try said stays valid until the arena is reset by who opened the trial. */
static void begin(trial *t)
{
    str flush[] = { S("flushall") };
    t->base_ms += APART_MS;
    command(t, flush, 1, 0);
    t->clock_stands = t->wrong_length = false;
    t->ahead_ms = 0;
    t->unknown = UNKNOWN_NUMBER;
    t->limit = 1;
}

static str lock_name(void)
{
    return S("{locksim}");
}

static str number(arena *a, int64_t n)
{
    return arena_printf(a, "%lld", (long long)n);
}

static str value_of(trial *t, const guess_arg *arg, who w, int64_t at_ms)
{
    int64_t now = t->base_ms + (t->clock_stands ? 0 : at_ms) + t->ahead_ms;
    switch (arg->role) {
    case ROLE_LOCK: return lock_name();
    case ROLE_KEY: return arena_printf(t->scratch, "{locksim}:%zu", arg->n);
    case ROLE_CHANNEL: return S("{locksim}:channel");
    case ROLE_OWNER: return owners[w];
    case ROLE_OWNER_LENGTH: return number(t->scratch, t->wrong_length ? 3 : (int64_t)owners[w].n);
    case ROLE_LEASE_MS: return number(t->scratch, LEASE_MS);
    case ROLE_LEASE_S: return number(t->scratch, LEASE_S);
    case ROLE_NOW_MS: return number(t->scratch, now);
    case ROLE_NOW_S: return number(t->scratch, now / 1000);
    case ROLE_UNTIL_MS: return number(t->scratch, now + LEASE_MS);
    case ROLE_UNTIL_S: return number(t->scratch, (now + LEASE_S * 1000) / 1000);
    case ROLE_LIMIT: return number(t->scratch, t->limit);
    case ROLE_TEXT: return arg->text;
    case ROLE_MESSAGE: return S("0");
    default: return number(t->scratch, t->unknown);
    }
}

static reply ask(trial *t, const guess_script *s, who w, int64_t at_ms)
{
    str argv[3 + 2 * GUESS_WORDS_MAX] = { S("eval"), s->text, number(t->scratch, (int64_t)s->keys_n) };
    size_t n = 3;
    redis_observer o = { .context = t, .message = told };
    redis_observe(t->server, &o);
    t->channel = t->message = S("");
    for (size_t i = 0; i < s->keys_n; i++)
        argv[n++] = value_of(t, &s->keys[i], w, at_ms);
    for (size_t i = 0; i < s->args_n; i++)
        argv[n++] = value_of(t, &s->args[i], w, at_ms);
    return command(t, argv, n, at_ms);
}

/* ---- what replies mean ---- */

static bool is_owner(const reply *r, who w)
{
    return (r->kind == REPLY_BULK || r->kind == REPLY_STATUS) && str_eq(r->text, owners[w]);
}

/* Does `r`, told to `w`, read as the grant that was told to ANN? An array does by the items up to the one that a refusal has otherwise. */
static bool reads_granted(const guess *g, const reply *r, who w)
{
    if (g->fencing)
        return r->kind == REPLY_INTEGER && r->integer > 0;
    if (g->names_owner)
        return is_owner(r, w);
    if (g->granted.kind != REPLY_ARRAY || g->granted.count == 0)
        return reply_equal(r, &g->granted);
    if (r->kind != REPLY_ARRAY || r->count == 0)
        return false;
    bool refusal_begins = g->refused.kind == REPLY_ARRAY && g->refused.count && !reply_equal(&g->refused.items[0], &g->granted.items[0]);
    return refusal_begins ? !reply_equal(&r->items[0], &g->refused.items[0]) : reply_equal(&r->items[0], &g->granted.items[0]);
}

static int64_t lease_of(const guess_script *s)
{
    for (size_t i = 0; i < s->args_n; i++) {
        guess_role r = s->args[i].role;
        if (r == ROLE_LEASE_MS || r == ROLE_UNTIL_MS)
            return LEASE_MS;
        if (r == ROLE_LEASE_S || r == ROLE_UNTIL_S)
            return LEASE_S * 1000;
    }
    return 0;
}

static bool has_role(const guess_script *s, guess_role r)
{
    for (size_t i = 0; i < s->args_n; i++)
        if (s->args[i].role == r)
            return true;
    return false;
}

static bool has_either(const guess_script *s, guess_role one, guess_role other)
{
    return has_role(s, one) || has_role(s, other);
}

/* ---- ways to call a script ---- */

/* The roles that an argument may have, the likeliest first. */
typedef struct {
    guess_arg at[CHOICES_MAX];
    size_t count;
} choices;

static void add_choice(choices *c, guess_arg arg)
{
    for (size_t i = 0; i < c->count; i++)
        if (c->at[i].role == arg.role && (arg.role != ROLE_TEXT || str_eq(c->at[i].text, arg.text)))
            return;
    if (c->count < CHOICES_MAX)
        c->at[c->count++] = arg;
}

/* What a name says, and what may be meant by it in other units; then the texts it is compared with; then what locks take most often. */
static choices choices_of(const guess_hints *h, size_t i, bool key_in_args, bool releases)
{
    static const guess_role near[][2] = {
        [ROLE_LEASE_MS] = { ROLE_LEASE_S, ROLE_UNTIL_MS }, [ROLE_LEASE_S] = { ROLE_LEASE_MS, ROLE_UNTIL_S },
        [ROLE_NOW_MS] = { ROLE_NOW_S, ROLE_UNTIL_MS }, [ROLE_UNTIL_MS] = { ROLE_UNTIL_S, ROLE_LEASE_MS },
    };
    static const guess_role usual[] = { ROLE_OWNER, ROLE_LEASE_MS, ROLE_LIMIT, ROLE_NOW_MS, ROLE_LEASE_S, ROLE_UNTIL_MS, ROLE_OWNER_LENGTH,
                                        ROLE_NOW_S, ROLE_UNTIL_S };
    static const guess_role at_release[] = { ROLE_OWNER, ROLE_UNKNOWN, ROLE_LEASE_MS, ROLE_CHANNEL, ROLE_NOW_MS, ROLE_OWNER_LENGTH };
    choices c = { 0 };
    guess_role named = h->named[i];
    if (key_in_args && i == 0)
        add_choice(&c, (guess_arg){ .role = ROLE_LOCK });
    for (size_t k = 0; k < GUESS_TEXTS_MAX && h->texts[i][k].n; k++)
        add_choice(&c, (guess_arg){ .role = ROLE_TEXT, .text = h->texts[i][k] });
    if (named != ROLE_UNKNOWN)
        add_choice(&c, (guess_arg){ .role = named });
    for (size_t k = 0; k < 2 && named < COUNT(near) && near[named][0]; k++)
        add_choice(&c, (guess_arg){ .role = near[named][k] });
    const guess_role *rest = releases ? at_release : usual;
    for (size_t k = 0; k < (releases ? COUNT(at_release) : COUNT(usual)); k++)
        add_choice(&c, (guess_arg){ .role = rest[k] });
    if (key_in_args)
        add_choice(&c, (guess_arg){ .role = ROLE_LOCK });
    add_choice(&c, (guess_arg){ .role = ROLE_UNKNOWN });
    return c;
}

/* Twice the same role is no way to call a script; nor are two leases or two clocks. */
static bool is_sensible(const guess_script *s)
{
    size_t of[ROLE_COUNT] = { 0 };
    for (size_t i = 0; i < s->args_n; i++)
        of[s->args[i].role]++;
    for (int r = 0; r < ROLE_COUNT; r++)
        if (of[r] > 1 && r != ROLE_UNKNOWN && r != ROLE_TEXT)
            return false;
    return of[ROLE_LEASE_MS] + of[ROLE_LEASE_S] <= 1 && of[ROLE_NOW_MS] + of[ROLE_NOW_S] <= 1 && of[ROLE_UNTIL_MS] + of[ROLE_UNTIL_S] <= 1 &&
           (of[ROLE_OWNER] || !of[ROLE_OWNER_LENGTH]);
}

/* Judges s's roles: higher is better, NO_WAY is none. *all: nothing could be better. */
typedef int (*judge_way)(trial *t, guess *g, guess_script *s, bool *all);

typedef struct {
    trial *t;
    guess *g;
    guess_script *s;
    const choices *of;
    judge_way judge;
    guess_script best;
    int score;
    size_t tried;
    bool done;
} way_search;

static void judge_one(way_search *w)
{
    bool all = false;
    if (!is_sensible(w->s))
        return;
    w->tried++;
    arena_reset(w->t->scratch);
    int score = w->judge(w->t, w->g, w->s, &all);
    if (score > w->score) {
        w->score = score;
        w->best = *w->s;
        w->done = all;
    }
    w->done = w->done || w->tried >= WAYS_MAX;
}

/* Every way whose choices' ranks, from ARGV i on, add up to `rank`. */
static void try_ways(way_search *w, size_t i, size_t rank)
{
    if (i == w->s->args_n) {
        if (rank == 0)
            judge_one(w);
        return;
    }
    for (size_t k = 0; k < w->of[i].count && k <= rank && !w->done; k++) {
        w->s->args[i] = w->of[i].at[k];
        try_ways(w, i + 1, rank - k);
    }
}

/* The best way, in `s`. false: none. */
static bool find_way(trial *t, guess *g, guess_script *s, const guess_hints *h, bool releases, judge_way judge)
{
    choices of[GUESS_WORDS_MAX];
    size_t most = 0;
    for (size_t i = 0; i < s->args_n; i++) {
        of[i] = choices_of(h, i, s->keys_n == 0, releases);
        most += of[i].count - 1;
    }
    way_search w = { .t = t, .g = g, .s = s, .of = of, .judge = judge, .score = NO_WAY };
    for (size_t rank = 0; rank <= most && !w.done; rank++)
        try_ways(&w, 0, rank);
    g->tried += w.tried;
    if (w.score > NO_WAY)
        *s = w.best;
    return w.score > NO_WAY;
}

/* ---- where the owner is ---- */

static reply keyed(trial *t, const char *name, str key, int64_t at_ms)
{
    str argv[4] = { str_from(name), key, S("0"), S("-1") };
    size_t n = strcmp(name, "lrange") == 0 || strcmp(name, "zrange") == 0 ? 4 : 2;
    return command(t, argv, n, at_ms);
}

static bool has_item(const reply *list, str text, size_t from, size_t step, size_t *at)
{
    for (*at = from; *at < list->count; *at += step)
        if (str_eq(list->items[*at].text, text))
            return true;
    return false;
}

static guess_holder holder_in(trial *t, str key, str owner, int64_t at_ms, str *field)
{
    static const struct { const char *type, *command; guess_holder holder; size_t step; } rows[] = {
        { "hash", "hgetall", HOLDER_HASH, 2 }, { "zset", "zrange", HOLDER_ZSET, 1 }, { "set", "smembers", HOLDER_SET, 1 },
        { "list", "lrange", HOLDER_LIST, 1 },
    };
    str type = keyed(t, "type", key, at_ms).text;
    size_t at;
    if (str_eq(type, S("string"))) {
        str value = keyed(t, "get", key, at_ms).text;
        return str_eq(value, owner) ? HOLDER_STRING : str_starts(value, owner) ? HOLDER_PART : HOLDER_UNKNOWN;
    }
    for (size_t i = 0; i < COUNT(rows); i++) {
        if (!str_eq(type, str_from(rows[i].type)))
            continue;
        reply list = keyed(t, rows[i].command, key, at_ms);
        if (has_item(&list, owner, 0, rows[i].step, &at))
            return rows[i].holder;
        if (rows[i].holder == HOLDER_HASH && has_item(&list, owner, 1, 2, &at)) {
            *field = arena_str(t->a, list.items[at - 1].text);
            return HOLDER_VALUE;
        }
    }
    return HOLDER_UNKNOWN;
}

static size_t role_at(const guess_arg *roles, size_t n, guess_role r)
{
    size_t i = 0;
    while (i < n && roles[i].role != r)
        i++;
    return i;
}

/* Which of the KEYS is the lock: the one that names the owner, else the first that is there. The others are keys of its own. */
static bool name_keys(trial *t, guess *g)
{
    guess_script *s = &g->acquire;
    size_t lock = s->keys_n, first = s->keys_n;
    for (size_t i = 0; i < s->keys_n; i++)
        s->keys[i] = (guess_arg){ .role = ROLE_KEY, .n = i + 1 };
    begin(t);
    ask(t, s, ANN, 0);
    for (size_t i = 0; i < s->keys_n && lock == s->keys_n; i++) {
        str key = value_of(t, &s->keys[i], ANN, 0);
        guess_holder h = holder_in(t, key, owners[ANN], 0, &g->holder_field);
        bool one = h == HOLDER_STRING || h == HOLDER_PART || h == HOLDER_VALUE;
        if (h != HOLDER_UNKNOWN && !(one && g->semaphore)) {          /* one value names no more than one of a semaphore's owners */
            g->holder = h;
            lock = i;
        } else if (first == s->keys_n && !str_eq(keyed(t, "type", key, 0).text, S("none"))) {
            first = i;
        }
    }
    if (s->keys_n == 0)
        g->holder = holder_in(t, lock_name(), owners[ANN], 0, &g->holder_field);
    lock = lock < s->keys_n ? lock : first;
    if (lock < s->keys_n)
        s->keys[lock] = (guess_arg){ .role = ROLE_LOCK };
    return lock < s->keys_n || (s->keys_n == 0 && has_role(s, ROLE_LOCK));
}

/* ---- acquire ---- */

/* An error that the script itself replies, and not one that it ends in. */
static bool is_failure(const reply *r)
{
    for (size_t i = 0; r->kind == REPLY_ERROR && i + 6 <= r->text.n; i++)
        if (memcmp(r->text.p + i, "script", 6) == 0)
            return true;
    return false;
}

/* How a grant and a refusal read. false: they cannot be told apart. */
static bool learn_replies(trial *t, guess *g, guess_script *s)
{
    begin(t);
    g->names_owner = g->fencing = false;
    g->granted = ask(t, s, ANN, 0);
    g->refused = ask(t, s, BOB, 10);
    if (g->granted.kind == REPLY_ERROR || is_failure(&g->refused))
        return false;
    g->names_owner = is_owner(&g->granted, ANN);
    return g->names_owner ? !is_owner(&g->refused, BOB) : !reply_equal(&g->granted, &g->refused);
}

/* Is it a higher number than the first grant's, where no refusal is a number above 0? */
static bool is_higher(const guess *g, const reply *r)
{
    bool numbers = r->kind == REPLY_INTEGER && g->granted.kind == REPLY_INTEGER && g->granted.integer > 0;
    bool refused = g->refused.kind == REPLY_INTEGER && g->refused.integer > 0;
    return numbers && !refused && r->integer > g->granted.integer;
}

/* A grant after the first one: as that one, or a higher number. */
static bool is_grant(const guess *g, const reply *r, who w)
{
    return reads_granted(g, r, w) || is_higher(g, r);
}

/* Is the second owner refused shortly before the lease is over, and served afterwards? */
static bool lease_holds(trial *t, guess *g, guess_script *s)
{
    int64_t lease_ms = lease_of(s), slack_ms = lease_ms % 1000 ? 0 : 1000;
    begin(t);
    ask(t, s, ANN, 0);
    reply before = ask(t, s, BOB, lease_ms - MARGIN_MS - slack_ms);
    reply after = ask(t, s, BOB, lease_ms + MARGIN_MS + slack_ms);
    return !is_grant(g, &before, BOB) && is_grant(g, &after, BOB);
}

/* Is it the client's clock that ends the lease: never, where it stands; at once, where it is ahead? */
static bool clock_holds(trial *t, guess *g, guess_script *s)
{
    int64_t over_ms = lease_of(s) + 2000;
    begin(t);
    ask(t, s, ANN, 0);
    t->clock_stands = true;
    reply standing = ask(t, s, BOB, over_ms);
    begin(t);
    ask(t, s, ANN, 0);
    reply before = ask(t, s, BOB, 5);
    t->ahead_ms = over_ms;
    reply ahead = ask(t, s, BOB, 10);
    return !is_grant(g, &before, BOB) && (is_grant(g, &ahead, BOB) || !is_grant(g, &standing, BOB));
}

/* With a limit of two, two are let in and the third is not. */
static bool limit_holds(trial *t, const guess *g, const guess_script *s)
{
    begin(t);
    t->limit = 2;
    reply of[3];
    for (who w = ANN; w <= CEC; w++)
        of[w] = ask(t, s, w, 10 * (int64_t)w);
    return reads_granted(g, &of[ANN], ANN) && reads_granted(g, &of[BOB], BOB) && !reads_granted(g, &of[CEC], CEC);
}

/* With the length of a part that both owners' names have, the second is taken for the first. */
static bool length_holds(trial *t, const guess *g, const guess_script *s)
{
    begin(t);
    ask(t, s, ANN, 0);
    reply same = ask(t, s, ANN, 10);
    begin(t);
    t->wrong_length = true;
    ask(t, s, ANN, 0);
    reply other = ask(t, s, BOB, 10);
    return reads_granted(g, &same, ANN) && reads_granted(g, &other, BOB);
}

static bool owner_counts(trial *t, const guess *g, const guess_script *s)
{
    str keys[] = { S("keys"), S("*") }, field;
    if (g->names_owner)
        return true;
    begin(t);
    ask(t, s, ANN, 0);
    reply all = command(t, keys, COUNT(keys), 0);
    for (size_t i = 0; i < all.count; i++)
        if (holder_in(t, all.items[i].text, owners[ANN], 0, &field) != HOLDER_UNKNOWN)
            return true;
    return false;
}

/* Counts the roles that a trial shows; one that it denies makes the way worse than one without it. */
static int judge_acquire(trial *t, guess *g, guess_script *s, bool *all)
{
    enum { SHOWN = 10 };
    int score = 0;
    *all = true;
    if (!learn_replies(t, g, s))
        return NO_WAY;
    if (lease_of(s)) {
        if (!lease_holds(t, g, s))
            return NO_WAY;
        score += SHOWN;
        if (has_either(s, ROLE_NOW_MS, ROLE_NOW_S))
            score += clock_holds(t, g, s) ? SHOWN : -SHOWN;
    } else {
        *all = false;
        score -= has_either(s, ROLE_NOW_MS, ROLE_NOW_S) ? SHOWN : 0;
    }
    if (has_role(s, ROLE_OWNER))
        score += owner_counts(t, g, s) ? SHOWN : -SHOWN;
    if (has_role(s, ROLE_LIMIT))
        score += limit_holds(t, g, s) ? SHOWN : -2 * SHOWN;
    if (has_role(s, ROLE_OWNER_LENGTH))
        score += length_holds(t, g, s) ? SHOWN : -2 * SHOWN;
    *all = *all && score >= SHOWN * (int)s->args_n && !has_role(s, ROLE_UNKNOWN);
    return score;
}

static bool refuse_reply(const guess *g, const guess_script *s, const reply *r, const char *hint, err *e)
{
    buf shown = { 0 };
    reply_print_short(r, &shown);
    err_at(e, ERR_SCENARIO, s->path, 1, 0, "tried in %zu ways: on an empty Redis the script answers %.*s", g->tried, STR_ARG(buf_str(&shown)));
    buf_free(&shown);
    return err_hint(e, "%s", hint);
}

/* What it answers to the likeliest way, where none is right. */
static bool say_no_way(trial *t, guess *g, guess_script *s, const guess_hints *h, err *e)
{
    for (size_t i = 0; i < s->args_n; i++)
        s->args[i] = choices_of(h, i, s->keys_n == 0, false).at[0];
    learn_replies(t, g, s);
    reply all = command(t, (str[]){ S("keys"), S("*") }, 2, 20);
    if (g->granted.kind == REPLY_ERROR)
        return refuse_reply(g, s, &g->granted, by_hand, e);
    if (all.count == 0) {
        err_at(e, ERR_SCENARIO, s->path, 1, 0, "tried in %zu ways: the script writes no key: it takes no lock", g->tried);
        return err_hint(e, "the first script is the one that acquires, the second the one that releases");
    }
    return refuse_reply(g, s, &g->granted,
                        "a second owner hears the same, or the lock outlives its lease: whichever ARGV is owner, lease, clock, limit", e);
}

/* A role that the lock does not behave otherwise for is not known. */
static void forget_unshown(trial *t, guess *g, guess_script *s, judge_way judge)
{
    bool all;
    int score = judge(t, g, s, &all);
    for (size_t i = 0; i < s->args_n; i++) {
        guess_arg had = s->args[i];
        if (had.role == ROLE_LOCK)
            continue;
        s->args[i] = (guess_arg){ .role = ROLE_UNKNOWN };
        if (judge(t, g, s, &all) < score)
            s->args[i] = had;
    }
}

static void mark_by_name(guess_script *s, const guess_hints *h)
{
    for (size_t i = 0; i < s->args_n; i++)
        if (s->args[i].role == ROLE_UNKNOWN && h->named[i] != ROLE_UNKNOWN && !has_role(s, h->named[i]))
            s->args[i] = (guess_arg){ .role = h->named[i], .by_name = true };
}

static bool try_acquire(trial *t, guess *g, err *e)
{
    guess_script *s = &g->acquire;
    guess_hints h;
    if (!guess_read(s, &h, e))
        return false;
    for (size_t i = 0; i < s->keys_n; i++)
        s->keys[i] = (guess_arg){ .role = ROLE_KEY, .n = i + 1 };
    if (!find_way(t, g, s, &h, false, judge_acquire))
        return say_no_way(t, g, s, &h, e);
    g->semaphore = has_role(s, ROLE_LIMIT);
    if (!name_keys(t, g)) {
        err_at(e, ERR_SCENARIO, s->path, 1, 0, "the script writes none of its KEYS: it takes no lock, or makes its key's name itself");
        return err_hint(e, "keys belong into KEYS; and the first script is the one that acquires, the second the one that releases");
    }
    forget_unshown(t, g, s, judge_acquire);
    mark_by_name(s, &h);
    learn_replies(t, g, s);
    g->granted = reply_copy(t->a, &g->granted);
    g->refused = reply_copy(t->a, &g->refused);
    g->expires = lease_of(s) && lease_holds(t, g, s);
    if (g->expires && g->granted.kind == REPLY_ARRAY && g->granted.count) {
        begin(t);
        ask(t, s, ANN, 0);
        reply later = ask(t, s, BOB, lease_of(s) + 2000);
        g->granted_varies = later.kind == REPLY_ARRAY && later.count && !reply_equal(&later.items[0], &g->granted.items[0]);
    }
    begin(t);
    ask(t, s, ANN, 0);
    reply again = ask(t, s, ANN, 10);
    g->reentrant = !g->semaphore && has_role(s, ROLE_OWNER) && reads_granted(g, &again, ANN);
    return true;
}

/* ---- release ---- */

static bool is_free(trial *t, guess *g, who w, int64_t at_ms)
{
    reply r = ask(t, &g->acquire, w, at_ms);
    return is_grant(g, &r, w);
}

/* ANN holds it, and `w` runs the script. Is the lock free then? */
static bool frees(trial *t, guess *g, guess_script *s, who w, reply *r)
{
    begin(t);
    ask(t, &g->acquire, ANN, 0);
    *r = ask(t, s, w, 10);
    return is_free(t, g, CEC, 20);
}

static int judge_release(trial *t, guess *g, guess_script *s, bool *all)
{
    enum { FREES = 1, OWNERS_ONLY = 8, NO_ERROR = 4, TELLS = 1 };
    reply mine, theirs;
    *all = false;
    if (!frees(t, g, s, ANN, &mine))
        return NO_WAY;
    bool published = t->channel.n > 0;
    bool only = !frees(t, g, s, BOB, &theirs);
    int score = FREES + (only ? OWNERS_ONLY : 0) + (mine.kind != REPLY_ERROR ? NO_ERROR : 0) + (published ? TELLS : 0);
    *all = only && mine.kind != REPLY_ERROR && (!has_role(s, ROLE_UNKNOWN) || s->args_n == 0);
    return score;
}

/* Which KEYS are the lock, in every order that acquire's KEYS allow; the others are further keys, or a channel. */
static void lay_keys(const guess *g, guess_script *s, size_t lock_at)
{
    for (size_t i = 0; i < s->keys_n; i++) {
        bool same = i < g->acquire.keys_n && g->acquire.keys[i].role == ROLE_KEY;
        s->keys[i] = i == lock_at ? (guess_arg){ .role = ROLE_LOCK } : (guess_arg){ .role = ROLE_KEY, .n = same ? g->acquire.keys[i].n : i + 1 };
    }
}

static void name_channel(trial *t, guess *g)
{
    guess_script *s = &g->release;
    reply r;
    frees(t, g, s, ANN, &r);
    begin(t);
    ask(t, &g->acquire, ANN, 0);
    r = ask(t, s, ANN, 10);
    g->release_error = r.kind == REPLY_ERROR ? arena_str(t->a, r.text) : S("");
    g->publishes = t->channel.n > 0;
    str channel = t->channel, message = t->message;
    for (size_t i = 0; i < s->keys_n && g->publishes; i++)
        if (s->keys[i].role == ROLE_KEY && str_eq(value_of(t, &s->keys[i], ANN, 10), channel))
            s->keys[i] = (guess_arg){ .role = ROLE_CHANNEL };
    for (size_t i = 0; i < s->args_n && g->publishes; i++)
        if (s->args[i].role == ROLE_UNKNOWN && str_eq(value_of(t, &s->args[i], ANN, 10), message))
            s->args[i] = (guess_arg){ .role = ROLE_MESSAGE };
}

/* A key of the lock's that is there although nobody holds it, and keeps no time: a counter of tokens, for one. */
static void find_lasting(trial *t, guess *g)
{
    guess_script *s = &g->acquire;
    reply r;
    frees(t, g, &g->release, ANN, &r);
    begin(t);
    ask(t, s, ANN, 0);
    ask(t, &g->release, ANN, 10);
    for (size_t i = 0; i < s->keys_n; i++)
        if (s->keys[i].role == ROLE_KEY && keyed(t, "pttl", value_of(t, &s->keys[i], ANN, 20), 20).integer == -1)
            g->lasting = guess_word(t->a, &s->keys[i], false);
    reply next = ask(t, s, BOB, 20);
    g->fencing = is_higher(g, &next);
}

/* Held twice by its owner, and released once: does one hold remain? */
static void count_holds(trial *t, guess *g)
{
    begin(t);
    ask(t, &g->acquire, ANN, 0);
    ask(t, &g->acquire, ANN, 5);
    reply once = ask(t, &g->release, ANN, 10);
    if (is_free(t, g, BOB, 20)) {
        g->reentrant = false;
        g->idempotent = true;
        return;
    }
    reply last;
    frees(t, g, &g->release, ANN, &last);
    g->still_held = reply_copy(t->a, &once);
    g->tells_holds = !reply_equal(&once, &last);
}

static bool same_but_unknown(const guess_script *s, size_t i, guess_arg as)
{
    return s->args[i].role == ROLE_UNKNOWN && !has_role(s, as.role);
}

/* ARGV that only a release of one of two holds shows: the lease that it sets again. */
static void name_lease(trial *t, const guess *g, guess_script *s)
{
    for (size_t i = 0; i < s->args_n; i++)
        for (guess_role r = ROLE_LEASE_MS; r <= ROLE_LEASE_S && same_but_unknown(s, i, (guess_arg){ .role = r }); r++) {
            s->args[i].role = r;
            begin(t);
            ask(t, &g->acquire, ANN, 0);
            ask(t, &g->acquire, ANN, 5);
            ask(t, s, ANN, 10);
            int64_t left_ms = keyed(t, "pttl", lock_name(), 10).integer;
            if (left_ms == (r == ROLE_LEASE_MS ? LEASE_MS : LEASE_S * 1000))
                return;
            s->args[i].role = ROLE_UNKNOWN;
        }
}

/* What the release tells its owner, another one, and its owner when the lock is free. */
static void learn_release(trial *t, guess *g)
{
    reply mine, theirs;
    frees(t, g, &g->release, ANN, &mine);
    frees(t, g, &g->release, BOB, &theirs);
    begin(t);
    reply gone = ask(t, &g->release, ANN, 10);
    g->freed = reply_copy(t->a, &mine);
    g->kept = reply_copy(t->a, &theirs);
    g->gone = reply_copy(t->a, &gone);
}

/* ARGV that nothing has shown yet and that becomes a key's time to live. `release`: the script runs on a lock that is held. */
static void name_ttls(trial *t, const guess *g, guess_script *s, bool release)
{
    enum { NUMBER = 70001 };
    str all[] = { S("keys"), S("*") };
    for (size_t i = 0; i < s->args_n; i++) {
        if (s->args[i].role != ROLE_UNKNOWN)
            continue;
        begin(t);
        t->unknown = NUMBER;
        ask(t, release ? &g->acquire : s, ANN, 0);
        if (release)
            ask(t, s, ANN, 0);
        reply keys = command(t, all, COUNT(all), 0);
        for (size_t k = 0; k < keys.count; k++) {
            int64_t ttl_ms = keyed(t, "pttl", keys.items[k].text, 0).integer;
            if (ttl_ms == NUMBER || ttl_ms == NUMBER * INT64_C(1000))
                s->args[i].role = ttl_ms == NUMBER ? ROLE_LEASE_MS : ROLE_LEASE_S;
        }
    }
}

static bool try_release(trial *t, guess *g, err *e)
{
    guess_script *s = &g->release, best;
    guess_hints h;
    int best_score = NO_WAY;
    if (!guess_read(s, &h, e))
        return false;
    for (size_t at = 0; at < (s->keys_n ? s->keys_n : 1); at++) {
        guess_script one = *s;
        bool all;
        lay_keys(g, &one, at);
        if (!find_way(t, g, &one, &h, true, judge_release))
            continue;
        int score = judge_release(t, g, &one, &all);
        if (score > best_score) {
            best_score = score;
            best = one;
        }
    }
    if (best_score == NO_WAY) {
        err_at(e, ERR_SCENARIO, s->path, 1, 0, "tried in %zu ways: the script does not free the lock that %.*s took", g->tried,
               STR_ARG(g->acquire.path));
        return err_hint(e, "%s", by_hand);
    }
    *s = best;
    reply r;
    g->frees_for_anyone = frees(t, g, s, BOB, &r);
    size_t owner = role_at(s->args, s->args_n, ROLE_OWNER);
    if (g->frees_for_anyone && owner < s->args_n)
        s->args[owner] = (guess_arg){ .role = h.named[owner] == ROLE_OWNER ? ROLE_OWNER : ROLE_UNKNOWN, .by_name = h.named[owner] == ROLE_OWNER };
    name_channel(t, g);
    if (g->reentrant)
        count_holds(t, g);
    name_lease(t, g, s);
    name_ttls(t, g, s, true);
    mark_by_name(s, &h);
    find_lasting(t, g);
    learn_release(t, g);
    return true;
}

/* ---- renew ---- */

/* ANN holds it, `w` renews at half of the lease; is it hers shortly after the lease's first end? */
static bool prolongs(trial *t, guess *g, guess_script *s, who w)
{
    int64_t lease_ms = lease_of(&g->acquire);
    begin(t);
    ask(t, &g->acquire, ANN, 0);
    reply r = ask(t, s, w, lease_ms / 2);
    return r.kind != REPLY_ERROR && !is_free(t, g, CEC, lease_ms + 2000);
}

/* And free again when the renewed lease is over. */
static bool ends_again(trial *t, guess *g, guess_script *s)
{
    int64_t lease_ms = lease_of(&g->acquire);
    begin(t);
    ask(t, &g->acquire, ANN, 0);
    ask(t, s, ANN, lease_ms / 2);
    return is_free(t, g, CEC, lease_ms / 2 + lease_ms + 2000);
}

static int judge_renew(trial *t, guess *g, guess_script *s, bool *all)
{
    *all = false;
    if (!prolongs(t, g, s, ANN) || prolongs(t, g, s, BOB))
        return NO_WAY;
    bool again = ends_again(t, g, s);
    *all = again && !has_role(s, ROLE_UNKNOWN);
    return again ? 2 : 1;
}

static bool try_renew(trial *t, guess *g, err *e)
{
    guess_script *s = &g->renew;
    guess_hints h;
    if (!guess_read(s, &h, e))
        return false;
    for (size_t at = 0; at < (s->keys_n ? s->keys_n : 1) && lease_of(&g->acquire); at++) {
        guess_script one = *s;
        lay_keys(g, &one, at);
        if (find_way(t, g, &one, &h, false, judge_renew)) {
            *s = one;
            mark_by_name(s, &h);
            return true;
        }
    }
    err_at(e, ERR_SCENARIO, s->path, 1, 0, "the script does not prolong its owner's lock, and only his, as %.*s took it", STR_ARG(g->acquire.path));
    return err_hint(e, "leave it out, or write the scenario by hand: man locksim-scenario");
}

bool guess_lock(arena *a, guess *g, err *e)
{
    trial t = trial_open(a, g);
    bool ok = try_acquire(&t, g, e) && try_release(&t, g, e) && (!g->renew.path.n || try_renew(&t, g, e));
    trial_close(&t);
    return ok;
}
