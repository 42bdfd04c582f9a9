/* words.c - random commands from the forms; see words.h. */
#include "words.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "forms.h"

bool chance(rng *g, unsigned percent) { return rng_below(g, 100) < percent; }
str pick(rng *g, const str *words, size_t n) { return words[rng_below(g, n)]; }

/* Not the highest number within an instant: the real server crashes on id-* after it. */
static str stream_id_word(generator *g)
{
    static const str hostile[] = {
        W("0-0"), W("0-*"), W("*-1"), W("5-"), W("-5"), W("x"), W(""), W("1-2-3"), W("+5"), W("05-1"), W("5-05"),
        W("5--5"), W("(5"), W("5 "), W("-"), W("+"), W("18446744073709551615-1"),
        W("18446744073709551616"), W("9223372036854775808-7"), W("1-x"), W("1-*"),
    };
    rng *r = &g->random;
    if (chance(r, 12))
        return PICK(r, hostile);
    if (chance(r, 20))
        return arena_printf(g->a, "%lld-%d", (long long)g->now_ms + (long long)rng_below(r, 5) - 2,
                            (int)rng_below(r, 3));
    int ms = (int)rng_below(r, 12);
    if (chance(r, 30))
        return arena_printf(g->a, "%d", ms);
    return arena_printf(g->a, chance(r, 15) ? "%d-*" : "%d-%d", ms, (int)rng_below(r, 4));
}

static str key_of(generator *g, char family)
{
    static const str names[] = { W("s"), W("h"), W("l"), W("S"), W("z"), W("s2"), W("h2"), W("l2"),
                                 W("S2"), W("z2"), W(""), W("nokey") };
    family = family == 'f' ? 'h' : family;
    if (!strchr("shlSzbXHG", family) || chance(&g->random, 12))
        return PICK(&g->random, names);
    family = family == 'b' ? 's' : family;
    return arena_printf(g->a, "%c%s", family, chance(&g->random, 35) ? "2" : "");
}

static str integer(generator *g, int64_t min, int64_t max)
{
    int64_t n = min + (int64_t)rng_below(&g->random, (uint64_t)(max - min + 1));
    return arena_printf(g->a, "%" PRId64, n);
}

/* Mostly in a small region. */
static str degrees(generator *g, int most)
{
    if (chance(&g->random, 4))
        return PICK(&g->random, hostile_degrees);
    double unit = (double)rng_below(&g->random, 2000000001) / 1e9 - 1;
    return arena_printf(g->a, "%.9f", chance(&g->random, 20) ? unit * most : unit * 3 + most / 4.0);
}

static str score(generator *g)
{
    if (chance(&g->random, 25))
        return PICK(&g->random, hostile_floats);
    if (chance(&g->random, 20))
        return arena_printf(g->a, "%.17g",
                            (double)(int64_t)rng_next(&g->random) / (double)(1 + rng_below(&g->random, 1000000)));
    if (chance(&g->random, 30))
        return arena_printf(g->a, "%s%d.%d", chance(&g->random, 20) ? "-" : "", (int)rng_below(&g->random, 4),
                            (int)rng_below(&g->random, 99));
    return integer(g, -3, 6);
}

str words_of_kind(generator *g, char kind)
{
    rng *r = &g->random;
    switch (kind) {
    case 'k': return key_of(g, g->family);
    case 'K': return key_of(g, 'g');
    case 'v':
        return !strchr("Sz", g->family) && !g->no_tables && chance(r, 1) && chance(r, 20) ? long_value
               : PICK(r, values);
    case 'i': return chance(r, 25) ? PICK(r, hostile_integers) : integer(g, -20, 20);
    case 'p': return chance(r, 8) ? PICK(r, hostile_integers) : integer(g, -6, 6);
    case 'c': return chance(r, 8) ? PICK(r, hostile_integers) : integer(g, chance(r, 10) ? -3 : 0, 6);
    case 'o': return integer(g, chance(r, 5) ? -3 : 0, 70);
    case 'f': return score(g);
    case 'b':
        return chance(r, 30) ? PICK(r, hostile_bounds) : chance(r, 30) ? arena_printf(g->a, "(%d", (int)rng_below(r, 6))
               : score(g);
    case 'y': return PICK(r, lex_bounds);
    case 't':
        return chance(r, 8) ? PICK(r, hostile_integers) : integer(g, chance(r, 10) ? -2 : 1, chance(r, 50) ? 20 : 3000);
    case 's': return chance(r, 8) ? PICK(r, hostile_integers) : integer(g, g->now_ms / 1000 - 1, g->now_ms / 1000 + 3);
    case 'm': return chance(r, 8) ? PICK(r, hostile_integers) : integer(g, g->now_ms - 2, g->now_ms + 50);
    case 'g': return PICK(r, globs);
    case 'u': return PICK(r, cursors);
    case 'E': return degrees(g, 180);
    case 'A': return degrees(g, 85);
    case 'R': return PICK(r, radii);
    case 'U': return PICK(r, units);
    case 'Y': return PICK(r, estimating_scripts);
    case 'x': return PICK(r, growing_scripts);
    case 'q': return PICK(r, publishing_scripts);
    case 'I': return stream_id_word(g);
    case 'J':
        return chance(r, 25) ? chance(r, 50) ? S("-") : S("+") : arena_printf(g->a, "%s%.*s", chance(r, 20) ? "(" : "",
                                                                              STR_ARG(stream_id_word(g)));
    case 'G': return PICK(r, groups);
    case 'C': return PICK(r, consumers);
    case 'n': return PICK(r, channels);
    case 'P': return PICK(r, patterns);
    case 'H': return PICK(r, shard_channels);
    case 'w': return PICK(r, widths);
    case 'O': return arena_printf(g->a, "%s%d", chance(r, 30) ? "#" : chance(r, 5) ? "-" : "", (int)rng_below(r, 40));
    default: break;
    }
    fprintf(stderr, "words.c: a form asks for a word of kind '%c'\n", kind);
    abort();
}

static void add_word(generator *g, str word)
{
    if (g->s->argc < WORDS_MAX)
        g->s->argv[g->s->argc++] = word;
}

/* numkeys and the keys: sometimes not as many. */
static void add_numkeys(generator *g)
{
    size_t n = 1 + rng_below(&g->random, 3);
    add_word(g, chance(&g->random, 8) ? words_of_kind(g, 'c') : arena_printf(g->a, "%zu", n));
    for (size_t i = 0; i < n; i++)
        add_word(g, words_of_kind(g, chance(&g->random, 20) ? 'K' : 'k'));
}

/* One word of a form: one of its alternatives. */
static void expand_word(generator *g, str form)
{
    size_t alternatives = 1;
    for (size_t i = 0; i < form.n; i++)
        alternatives += form.p[i] == '|';
    size_t from = 0;
    for (size_t skip = rng_below(&g->random, alternatives); skip > 0; skip--)
        from = str_find(form, '|', from) + 1;
    str word = str_slice(form, from, str_find(form, '|', from));
    if (word.n == 2 && word.p[0] == '%' && word.p[1] == 'N')
        add_numkeys(g);
    else if (word.n == 2 && word.p[0] == '%')
        add_word(g, words_of_kind(g, word.p[1]));
    else
        add_word(g, word);
}

static void expand(generator *g, str form)
{
    for (size_t i = 0; i < form.n;) {
        char c = form.p[i];
        if (c == ' ') {
            i++;
            continue;
        }
        size_t end = str_find(form, c == '[' ? ']' : c == '{' ? '}' : ' ', i);
        if (c == '[' || c == '{') {
            uint64_t times = c == '[' ? chance(&g->random, 35) : 1 + (chance(&g->random, 40) ? rng_below(&g->random, 3)
                                                                      : 0);
            for (; times > 0; times--)
                expand(g, str_slice(form, i + 1, end));
            i = end + 1;
        } else {
            expand_word(g, str_slice(form, i, end));
            i = end;
        }
    }
}

/* Letters in another case, a word too many, one too few, one changed for another, two in each other's place. */
static void spoil(generator *g)
{
    step *s = g->s;
    rng *r = &g->random;
    size_t at = rng_below(r, s->argc);
    if (chance(r, 10)) {
        str upper = arena_str(g->a, s->argv[at]);
        for (size_t i = 0; i < upper.n; i++)
            if (upper.p[i] >= 'a' && upper.p[i] <= 'z' && (at == 0 || s->argv[at].n > 1))
                ((char *)(uintptr_t)upper.p)[i] = (char)(upper.p[i] - 'a' + 'A');
        s->argv[at] = upper;
    }
    if (!chance(r, 5) || at == 0)
        return;
    static const char kinds[] = "kviptfbyg";
    str word = words_of_kind(g, kinds[rng_below(r, sizeof kinds - 1)]);
    switch (rng_below(r, 4)) {
    case 0:
        s->argv[at] = word;
        break;
    case 1:
        add_word(g, word);
        break;
    case 2:
        s->argc--;
        for (size_t i = at; i < s->argc; i++)
            s->argv[i] = s->argv[i + 1];
        break;
    default: {
        str other = s->argv[s->argc - 1];
        s->argv[s->argc - 1] = s->argv[at];
        s->argv[at] = other;
    }
    }
}

/* What would make the real server spend all its memory, or crash. */
static void keep_harmless(step *s)
{
    bool draws = s->forgive == OPEN_CHOICE && s->argc > 2;
    static const str offsets[] = { W("setrange"), W("setbit"), W("bitfield") };
    bool offset = false;
    for (size_t i = 0; i < COUNT(offsets); i++)
        offset |= s->argc > 2 && str_eq_nocase(s->argv[0], offsets[i]);
    bool numkeys = s->argc > 1 && (str_eq_nocase(s->argv[0], S("lmpop")) || str_eq_nocase(s->argv[0], S("zmpop")));
    if (numkeys && s->argv[1].n > 10)
        s->argv[1] = S("1000");                    /* numkeys near 2^63 overflows in the server */
    if (draws && s->argv[2].n > 6)
        s->argv[2] = S("-9223372036854775808");
    /* wherever words were exchanged: a value of megabytes is told at every step */
    for (size_t i = 2; offset && i < s->argc; i++)
        if (s->argv[i].n > 4 && s->argv[i].n < 12 && strspn(s->argv[i].p, "0123456789") == s->argv[i].n)
            s->argv[i] = S("9223372036854775807");
}

static bool is_transactional(const step *s)
{
    static const str words[] = { W("multi"), W("exec"), W("discard"), W("watch"), W("unwatch"), W("select") };
    for (size_t i = 0; i < COUNT(words); i++)
        if (str_eq_nocase(s->argv[0], words[i]))
            return true;
    return false;
}

/* The same command as a script would call it. */
static void wrap_in_script(generator *g)
{
    static const str bodies[] = {
        W("return redis.call(unpack(ARGV))"),
        W("return redis.pcall(unpack(ARGV))"),
        W("redis.setresp(3) return redis.call(unpack(ARGV))"),
        W("local ok, e = pcall(redis.call, unpack(ARGV)) return {tostring(ok), e}"),
    };
    step *s = g->s;
    if (s->argc + 3 > WORDS_MAX)
        return;
    memmove(s->argv + 3, s->argv, s->argc * sizeof s->argv[0]);
    s->argc += 3;
    s->argv[0] = S("eval");
    s->argv[1] = PICK(&g->random, bodies);
    s->argv[2] = S("0");
}

void words_plain_command(generator *g, char family, step *s)
{
    const command_form *f;
    do
        f = &command_forms[rng_below(&g->random, COUNT(command_forms))];
    while (f->family != family || g->left_out[f - command_forms]);
    step *outer = g->s;
    g->s = s;
    g->family = f->family;
    s->forgive = f->forgive;
    expand(g, str_from(f->form));
    spoil(g);
    keep_harmless(s);
    g->s = outer;
}

void words_command(generator *g, char family, step *s)
{
    words_plain_command(g, family, s);
    g->s = s;
    if (s->forgive == EXACT && !is_transactional(s) && family != 'p' && chance(&g->random, g->percent_scripted))
        wrap_in_script(g);
}

static bool is_known(pair *t, str name)
{
    return str_eq(name, S("nosuch")) || str_eq(name, S("lpushy")) || pair_knows(t, name);
}

void words_choose_forms(generator *g, pair *t, const char *families, buf *left_out)
{
    for (size_t i = 0; i < COUNT(command_forms); i++) {
        str form = str_from(command_forms[i].form);
        str names = str_slice(form, 0, str_find(form, ' ', 0));
        for (size_t from = 0; from < names.n;) {
            size_t end = str_find(names, '|', from);
            str name = str_slice(names, from, end);
            if (!is_known(t, name)) {
                g->left_out[i] = true;
                if (strchr(families, command_forms[i].family) &&
                    (!left_out->n || !strstr(left_out->p, arena_str(g->a, name).p)))
                    buf_printf(left_out, " %.*s", STR_ARG(name));
            }
            from = end + 1;
        }
    }
}
