/* guess_count.c - where a counting lock stores how often its owner holds it: found by what the second acquire
 * changes. */
#include "init/guess_trial.h"

/* "name":1 in the one and "name":2 in the other: "name": */
static str json_count(arena *a, str one, str two)
{
    size_t i = 0;
    while (i < one.n && i < two.n && one.p[i] == two.p[i])
        i++;
    bool grew = i < one.n && i < two.n && one.p[i] == '1' && two.p[i] == '2' && i > 3 && one.p[i - 1] == ':' &&
                one.p[i - 2] == '"';
    size_t from = i - (grew ? 2 : 0);
    while (grew && from > 0 && one.p[from - 1] != '"')
        from--;
    return grew && from > 0 ? arena_str(a, str_slice(one, from - 1, i)) : S("");
}

/* Which field says 1 after the first acquire and 2 after the second? */
static str field_count(arena *a, const reply *one, const reply *two)
{
    for (size_t i = 0; i + 1 < one->count && one->count == two->count; i += 2)
        if (str_eq(one->items[i].text, two->items[i].text) && str_eq(one->items[i + 1].text, S("1")) &&
            str_eq(two->items[i + 1].text, S("2")))
            return arena_str(a, one->items[i].text);
    return S("");
}

static void set_counting(guess *g, guess_counting kind, str counted)
{
    if (counted.n && g->counting == COUNT_HIDDEN) {
        g->counting = kind;
        g->counted = counted;
    }
}

void guess_count(trial *t, guess *g)
{
    guess_script *s = &g->acquire;
    if (g->holder.kind == HOLDER_HASH && !g->holder.within)
        return;
    g->counting = COUNT_HIDDEN;
    trial_begin(t);
    trial_ask(t, s, ANN, 0);
    reply value = trial_keyed(t, "get", trial_lock(t), 0), hash = trial_keyed(t, "hgetall", trial_lock(t), 0);
    bool is_one[GUESS_WORDS_MAX] = { false };
    for (size_t i = 0; i < s->keys_n; i++)
        is_one[i] = s->keys[i].role == ROLE_KEY &&
                    str_eq(trial_keyed(t, "get", trial_key(t, &s->keys[i]), 0).text, S("1"));
    trial_ask(t, s, ANN, 5);
    reply value2 = trial_keyed(t, "get", trial_lock(t), 5), hash2 = trial_keyed(t, "hgetall", trial_lock(t), 5);
    if (value.kind == REPLY_BULK && value2.kind == REPLY_BULK)
        set_counting(g, COUNT_TEXT, json_count(t->a, value.text, value2.text));
    set_counting(g, COUNT_FIELD, field_count(t->a, &hash, &hash2));
    for (size_t i = 0; i < s->keys_n; i++)
        if (is_one[i] && str_eq(trial_keyed(t, "get", trial_key(t, &s->keys[i]), 5).text, S("2")))
            set_counting(g, COUNT_KEY, guess_key_word(t->a, &s->keys[i]));
}
