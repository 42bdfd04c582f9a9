/* guess_ways.c - the ways to call a script: a role for each of its KEYS and ARGV. The likely ones, by the names in the
 * text, are tried first. */
#include "init/guess_trial.h"

#include <ctype.h>
#include <string.h>

enum { WAYS_MAX = 8000, LOOKED_MAX = 5000000, CHOICES_MAX = 16 };

/* The roles that an argument may have, the likeliest first. */
typedef struct {
    guess_arg at[CHOICES_MAX];
    size_t count;
} choices;

static void add_choice(choices *c, guess_arg arg)
{
    for (size_t i = 0; i < c->count; i++)
        if (c->at[i].role == arg.role && c->at[i].n == arg.n &&
            (arg.role != ROLE_TEXT || str_eq(c->at[i].text, arg.text)))
            return;
    if (c->count < CHOICES_MAX)
        c->at[c->count++] = arg;
}

/* JSON, arguments that the script does not name, and a command's words are fixed. */
static bool is_fixed(const guess_arg *arg)
{
    return arg->role == ROLE_JSON || arg->role == ROLE_UNUSED;
}

void guess_set_role(guess_arg *slot, guess_arg role)
{
    role.called = slot->called;
    role.field = slot->field;
    role.in = slot->in;
    *slot = role;
}

/* The acquire's answer, or one of its items. */
static void add_replies(choices *c, unsigned items)
{
    for (size_t n = 0; n <= REPLY_ITEMS_MAX; n++)
        if (items >> n & 1)
            add_choice(c, (guess_arg){ .role = ROLE_REPLY, .n = n });
}

/* What the acquire gets for a part of its keys' names, or as a lease that is the script's own. */
static void add_prefixes(choices *c, const guess_script *acquire)
{
    for (size_t i = 0; i < acquire->args_n; i++)
        if (acquire->args[i].role == ROLE_TEXT &&
            (str_eq(acquire->args[i].text, S(GUESS_TEXT)) || isdigit((unsigned char)acquire->args[i].text.p[0])))
            add_choice(c, acquire->args[i]);
}

/* The meaning of a name, and the same in other units; then the texts it is compared with; then the usual arguments of
 * locks. */
static choices choices_of(const guess_script *s, const way_plan *plan, size_t i)
{
    static const guess_role near[][2] = {
        [ROLE_LEASE_MS] = { ROLE_LEASE_S, ROLE_UNTIL_MS }, [ROLE_LEASE_S] = { ROLE_LEASE_MS, ROLE_UNTIL_S },
        [ROLE_NOW_MS] = { ROLE_NOW_S, ROLE_UNTIL_MS }, [ROLE_UNTIL_MS] = { ROLE_UNTIL_S, ROLE_LEASE_MS },
    };
    static const guess_role usual[] = { ROLE_OWNER, ROLE_LEASE_MS, ROLE_LIMIT, ROLE_NOW_MS, ROLE_LEASE_S, ROLE_UNTIL_MS,
                                        ROLE_OWNER_LENGTH, ROLE_NOW_S, ROLE_UNTIL_S, ROLE_COUNT_OF };
    static const guess_role at_release[] = { ROLE_OWNER, ROLE_UNKNOWN, ROLE_LEASE_MS, ROLE_CHANNEL, ROLE_NOW_MS,
                                             ROLE_OWNER_LENGTH, ROLE_COUNT_OF };
    choices c = { 0 };
    const guess_hints *h = plan->hints;
    bool key_in_args = s->keys_n == 0, whole = !s->args[i].field.n;
    bool like_names = plan->like && !plan->like->command && guess_has_role(plan->like, ROLE_LOCK);
    guess_role named = h->named[i] == ROLE_LOCK && !key_in_args && !like_names ? ROLE_UNKNOWN : h->named[i];
    if (key_in_args && whole && plan->like && plan->like->keys_n == 0 && i < plan->like->args_n &&
        plan->like->args[i].role)
        add_choice(&c, plan->like->args[i]);
    if (like_names && whole && i < plan->like->args_n && plan->like->args[i].role == ROLE_LOCK)
        add_choice(&c, (guess_arg){ .role = ROLE_LOCK });
    if (key_in_args && whole && i == 0 && named != ROLE_TEXT)
        add_choice(&c, (guess_arg){ .role = ROLE_LOCK });
    if (is_fixed(&s->args[i])) {
        add_choice(&c, s->args[i]);
        return c;
    }
    for (size_t k = 0; k < GUESS_TEXTS_MAX && h->texts[i][k].n; k++)
        add_choice(&c, (guess_arg){ .role = ROLE_TEXT, .text = h->texts[i][k] });
    if (named != ROLE_UNKNOWN)
        add_choice(&c, (guess_arg){ .role = named, .text = S(GUESS_TEXT) });
    for (size_t k = 0; k < 2 && named < COUNT(near) && near[named][0]; k++)
        add_choice(&c, (guess_arg){ .role = near[named][k] });
    const guess_role *rest = plan->releases ? at_release : usual;
    for (size_t k = 0; k < (plan->releases ? COUNT(at_release) : COUNT(usual)); k++)
        add_choice(&c, (guess_arg){ .role = rest[k] });
    add_replies(&c, plan->replies);
    if (plan->like)
        add_prefixes(&c, plan->like);
    if (key_in_args || like_names)
        add_choice(&c, (guess_arg){ .role = ROLE_LOCK });
    add_choice(&c, (guess_arg){ .role = ROLE_UNKNOWN });
    return c;
}

/* Twice the same role is no way to call a script, but for an acquire's lease, of a permit and of its key; nor are two
 * units of one, or two clocks. Only the first n slots have theirs. */
static bool is_sensible(const guess_script *s, size_t n, bool acquires)
{
    size_t of[ROLE_COUNT] = { 0 };
    for (size_t i = 0; i < n; i++)
        of[s->args[i].role]++;
    for (int r = 0; r < ROLE_COUNT; r++)
        if (of[r] > (acquires && r == ROLE_LEASE_MS ? 2U : 1U) && r != ROLE_UNKNOWN && r != ROLE_TEXT &&
            r != ROLE_JSON && r != ROLE_UNUSED)
            return false;
    return (!of[ROLE_LEASE_MS] || !of[ROLE_LEASE_S]) && of[ROLE_NOW_MS] + of[ROLE_NOW_S] <= 1 &&
           of[ROLE_UNTIL_MS] + of[ROLE_UNTIL_S] <= 1 &&
           (of[ROLE_OWNER] || !of[ROLE_OWNER_LENGTH] || n < s->slots_n);
}

typedef struct {
    trial *t;
    guess *g;
    guess_script *s;
    const choices *of;
    judge_way judge;
    guess_script best;
    int score;
    size_t tried, looked;                  /* ways; and roles that were given to a slot on the way to one */
    bool acquires, done;
} way_search;

static void judge_one(way_search *w)
{
    bool all = false;
    if (!is_sensible(w->s, w->s->slots_n, w->acquires))
        return;
    w->tried++;
    arena_reset(w->t->scratch);
    int score = w->judge(w->t, w->g, w->s, &all);
    if (score > w->score) {
        w->score = score;
        w->best = *w->s;
        w->done = all && score > NO_WAY;
    }
    w->done = w->done || w->tried >= WAYS_MAX;
}

/* Every way whose choices' ranks, from ARGV i on, add up to `rank`. */
static void try_ways(way_search *w, size_t i, size_t rank)
{
    if (i == w->s->slots_n) {
        if (rank == 0)
            judge_one(w);
        return;
    }
    for (size_t k = 0; k < w->of[i].count && k <= rank && !w->done; k++) {
        guess_set_role(&w->s->args[i], w->of[i].at[k]);
        w->done = ++w->looked >= LOOKED_MAX;
        if (is_sensible(w->s, i + 1, w->acquires))
            try_ways(w, i + 1, rank - k);
    }
}

/* The score of the best way, in `s`, were it NO_WAY. */
static int find_way(trial *t, guess *g, guess_script *s, const way_plan *plan)
{
    choices of[GUESS_WORDS_MAX];
    size_t most = 0;
    for (size_t i = 0; i < s->slots_n; i++) {
        of[i] = choices_of(s, plan, i);
        most += of[i].count - 1;
    }
    way_search w = { .t = t, .g = g, .s = s, .of = of, .judge = plan->judge, .score = NO_WAY_FAILS,
                     .acquires = !plan->like };
    for (size_t rank = 0; rank <= most && !w.done; rank++)
        try_ways(&w, 0, rank);
    g->tried += w.tried;
    if (w.score > NO_WAY_FAILS)
        *s = w.best;
    return w.score;
}

/* Where ARGV are taken by computed indexes, there may be more than its text names; one of them is the owner. */
bool guess_find_way(trial *t, guess *g, guess_script *s, const way_plan *plan)
{
    size_t named = s->args_n, most = named + GUESS_MORE_ARGS_MAX;
    bool may_have_more = plan->hints->any_args && s->slots_n == named && most <= GUESS_WORDS_MAX;
    guess_script best = *s;
    int score = find_way(t, g, &best, plan);
    for (size_t n = named + 1; may_have_more && n <= most && !guess_has_role(&best, ROLE_OWNER); n++) {
        guess_script longer = *s;
        memset(&longer.args[named], 0, (n - named) * sizeof longer.args[0]);
        longer.args_n = longer.slots_n = n;
        int now = find_way(t, g, &longer, plan);
        if (now > score) {
            score = now;
            best = longer;
        }
    }
    *s = best;
    return score > NO_WAY;
}

void guess_prefer_lease(trial *t, guess *g, guess_script *s, const way_plan *plan)
{
    bool all;
    int score = plan->judge(t, g, s, &all);
    for (size_t i = 0; i < s->slots_n; i++) {
        guess_arg had = s->args[i];
        bool in_ms = had.role == ROLE_UNTIL_MS || had.role == ROLE_NOW_MS;
        if ((!in_ms && had.role != ROLE_UNTIL_S && had.role != ROLE_NOW_S) || plan->hints->named[i] == had.role)
            continue;
        guess_set_role(&s->args[i], (guess_arg){ .role = in_ms ? ROLE_LEASE_MS : ROLE_LEASE_S });
        if (plan->judge(t, g, s, &all) < score)
            s->args[i] = had;
    }
}

void guess_zero_unshown(trial *t, guess *g, guess_script *s, const way_plan *plan)
{
    bool all;
    int score = plan->judge(t, g, s, &all);
    for (size_t i = 0; i < s->slots_n; i++) {
        guess_arg had = s->args[i];
        bool is_known = had.role == ROLE_LOCK || had.role == ROLE_TEXT || had.role == ROLE_UNKNOWN ||
                        had.role == ROLE_COUNT_OF || had.role == ROLE_OWNER || had.role == plan->hints->named[i] ||
                        is_fixed(&had);
        if (is_known)
            continue;
        guess_set_role(&s->args[i], (guess_arg){ .role = ROLE_TEXT, .text = S("0") });
        if (plan->judge(t, g, s, &all) < score)
            s->args[i] = had;
    }
}

void guess_forget_unshown(trial *t, guess *g, guess_script *s, const way_plan *plan)
{
    bool all;
    judge_way judge = plan->judge;
    int score = judge(t, g, s, &all);
    for (size_t i = 0; i < s->slots_n; i++) {
        guess_arg had = s->args[i];
        if (had.role == ROLE_LOCK || is_fixed(&had))
            continue;
        guess_set_role(&s->args[i], (guess_arg){ .role = ROLE_UNKNOWN });
        if (judge(t, g, s, &all) < score)
            s->args[i] = had;
    }
    guess_zero_unshown(t, g, s, plan);
}

void guess_mark_by_name(trial *t, guess *g, guess_script *s, const way_plan *plan)
{
    bool all;
    const guess_role *named = plan->hints->named;
    for (size_t i = 0; i < s->slots_n; i++) {
        guess_arg had = s->args[i];
        if (had.role != ROLE_UNKNOWN || named[i] == ROLE_UNKNOWN || guess_has_role(s, named[i]))
            continue;
        guess_set_role(&s->args[i], (guess_arg){ .role = named[i], .text = S(GUESS_TEXT), .by_name = true });
        if (plan->judge(t, g, s, &all) <= NO_WAY)
            s->args[i] = had;
    }
}

void guess_lay_keys(const guess *g, guess_script *s, size_t lock_at)
{
    for (size_t i = 0; i < s->keys_n; i++) {
        bool same = i < g->acquire.keys_n && g->acquire.keys[i].role == ROLE_KEY;
        s->keys[i] = i == lock_at ? (guess_arg){ .role = ROLE_LOCK }
                     : (guess_arg){ .role = ROLE_KEY, .n = same ? g->acquire.keys[i].n : i + 1 };
    }
}

void guess_likeliest_way(guess_script *s, const guess_hints *h)
{
    way_plan plan = { .hints = h };
    for (size_t i = 0; i < s->slots_n; i++)
        guess_set_role(&s->args[i], choices_of(s, &plan, i).at[0]);
}
