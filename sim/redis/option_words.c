/* option_words.c - options of CONFIG whose value is several words, or a share: what a server takes for one, and how it
 * tells it again. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "redis/options.h"
#include "redis/server.h"

enum { WORDS_MAX = 64, CLASSES = 3, WORDS_OF_A_CLASS = 4 };

/* Words are parted by single blanks: two of them have an empty word between. An empty text has none. SIZE_MAX: more
 * than WORDS_MAX. */
static size_t split(str text, str words[WORDS_MAX])
{
    size_t n = 0;
    for (size_t from = 0; text.n && from <= text.n;) {
        size_t end = str_find(text, ' ', from);
        if (n == WORDS_MAX)
            return SIZE_MAX;
        words[n++] = str_slice(text, from, end);
        from = end + 1;
    }
    return n;
}

/* latency-tracking-info-percentiles: numbers from 0 to 100. */
static bool percentiles_ok(const call *c, str value, str *canonical, str *why)
{
    str words[WORDS_MAX];
    size_t n = split(value, words);
    buf b = { 0 };
    bool good = n != SIZE_MAX;
    *why = S("Invalid latency-tracking-info-percentiles parameters");
    for (size_t i = 0; good && i < n; i++) {
        double percent;
        good = parse_double(words[i], &percent);
        if (good && (percent < 0 || percent > 100)) {
            good = false;
            *why = S("latency-tracking-info-percentiles parameters should sit between [0.0,100.0]");
        }
        if (good) {
            str text = arena_printf(c->out, "%f", percent);
            while (str_ends(text, S("0")))
                text.n--;
            text.n -= str_ends(text, S("."));
            buf_printf(&b, "%s%.*s", i ? " " : "", STR_ARG(text));
        }
    }
    *canonical = arena_str(c->out, buf_str(&b));
    buf_free(&b);
    return good;
}

/* -1: no class of clients that has limits. */
static int class_of(str word)
{
    static const struct { const char *name; int class; } names[] = {
        { "normal", 0 }, { "slave", 1 }, { "replica", 1 }, { "pubsub", 2 },
    };
    for (size_t i = 0; i < COUNT(names); i++)
        if (str_eq_nocase(word, str_from(names[i].name)))
            return names[i].class;
    return -1;
}

/* Seconds as strtoll reads them: an empty word is 0. */
static bool parse_seconds(const call *c, str word, int64_t *s)
{
    char *end;
    const char *text = arena_str(c->out, word).p;
    *s = strtoll(text, &end, 10);
    return *end == '\0' && *s >= 0;
}

/* client-output-buffer-limit: a class, two sizes and seconds, as often as one likes. Classes that are not named keep
 * what they have. */
static bool limits_ok(const call *c, str value, str before, str *canonical, str *why)
{
    str words[WORDS_MAX], kept[WORDS_MAX];
    size_t n = split(value, words);
    if (n == SIZE_MAX || n % WORDS_OF_A_CLASS)
        return *why = S("Wrong number of arguments in buffer limit configuration."), false;
    size_t kept_n = split(before, kept);
    if (kept_n != (size_t)CLASSES * WORDS_OF_A_CLASS)
        return false;
    for (size_t i = 0; i < n; i += WORDS_OF_A_CLASS) {
        uint64_t hard, soft;
        int64_t s;
        int class = class_of(words[i]);
        if (class < 0)
            return *why = S("Invalid client class specified in buffer limit configuration."), false;
        if (!option_parse_bytes(words[i + 1], &hard) || !option_parse_bytes(words[i + 2], &soft) ||
            !parse_seconds(c, words[i + 3], &s))
            return *why = S("Error in hard, soft or soft_seconds setting in buffer limit configuration."), false;
        str *of = kept + class * WORDS_OF_A_CLASS;
        of[1] = arena_printf(c->out, "%" PRIu64, hard);
        of[2] = arena_printf(c->out, "%" PRIu64, soft);
        of[3] = arena_int(c->out, s);
    }
    buf b = { 0 };
    for (size_t i = 0; i < kept_n; i++)
        buf_printf(&b, "%s%.*s", i ? " " : "", STR_ARG(kept[i]));
    *canonical = arena_str(c->out, buf_str(&b));
    buf_free(&b);
    return true;
}

/* oom-score-adj-values: three numbers. */
static bool scores_ok(const call *c, str value, str *canonical, str *why)
{
    enum { SCORES = 3, SCORE_MAX = 2000 };
    str words[WORDS_MAX];
    long long score[SCORES];
    if (split(value, words) != SCORES)
        return *why = S("wrong number of arguments"), false;
    *why = S("Invalid oom-score-adj-values, elements must be between -2000 and 2000.");
    for (size_t i = 0; i < SCORES; i++) {
        char *end;
        score[i] = strtoll(arena_str(c->out, words[i]).p, &end, 10);
        if (*end || score[i] < -SCORE_MAX || score[i] > SCORE_MAX)
            return false;
    }
    *canonical = arena_printf(c->out, "%lld %lld %lld", score[0], score[1], score[2]);
    return true;
}

/* maxmemory-clients: a size, or a share of maxmemory. */
static bool share_ok(const call *c, str value, str *canonical, str *why)
{
    uint64_t bytes;
    int64_t percent;
    if (option_parse_bytes(value, &bytes)) {
        *canonical = arena_printf(c->out, "%" PRIu64, bytes);
        *why = arena_printf(c->out, "argument must be between -100 and %" PRId64 " inclusive", INT64_MAX);
        return bytes <= INT64_MAX;
    }
    *why = S("argument must be a memory or percent value");
    bool share = value.n >= 2 && str_ends(value, S("%"));
    if (!share || !parse_int(str_slice(value, 0, value.n - 1), &percent) || percent < 0)
        return false;
    *why = S("percentage argument must be less or equal to 100");
    *canonical = percent ? arena_printf(c->out, "%" PRId64 "%%", percent) : S("0");
    return percent <= 100;
}

bool option_words_ok(const call *c, const server_option *o, str value, str before, str *canonical, str *why)
{
    if (o->flags & OPTION_PERCENTILES)
        return percentiles_ok(c, value, canonical, why);
    if (o->flags & OPTION_LIMITS)
        return limits_ok(c, value, before, canonical, why);
    if (o->flags & OPTION_SCORES)
        return scores_ok(c, value, canonical, why);
    return share_ok(c, value, canonical, why);
}
