/* field_words.c - see field_words.h. Facts: what redis-server 8.0 and valkey-server 9.1 answer, compared by
 * tests/conformance. */
#include "redis/field_words.h"

#include "redis/collection.h"
#include "redis/deadline.h"
#include "redis/server.h"

/* No field of Redis lives longer: 46 bits of milliseconds. */
#define REDIS_DEADLINE_MAX INT64_C(0x3fffffffffff)

static bool of_redis(const call *c) { return server_follows(c->server, RULE_FIELDS_GO_WHEN_SEEN); }

static bool fail(reply *r, reply why)
{
    *r = why;
    return false;
}

#define FAIL(r, text) fail((r), reply_error(S("ERR " text)))

static const struct { str word; unsigned form; } times[] = {
    { { "ex", 2 }, DEADLINE_SECONDS }, { { "px", 2 }, 0 }, { { "exat", 4 }, DEADLINE_SECONDS | DEADLINE_ABSOLUTE },
    { { "pxat", 4 }, DEADLINE_ABSOLUTE },
};

static bool time_word(const call *c, size_t i, unsigned *form)
{
    for (size_t k = 0; k < COUNT(times); k++)
        if (arg_is(c, i, times[k].word))
            return *form = times[k].form, true;
    return false;
}

/* argv[at] as a deadline. */
static bool read_deadline(const call *c, const char *name, size_t at, unsigned form, field_words *w, reply *r)
{
    int64_t n, max = of_redis(c) ? REDIS_DEADLINE_MAX : INT64_MAX,
                     base_ms = form & DEADLINE_ABSOLUTE ? 0 : store_now_ms(c->st);
    if (!parse_int(c->argv[at], &n))
        return fail(r, reply_not_integer());
    if (n < 0)
        return of_redis(c) ? FAIL(r, "invalid expire time, must be >= 0") : fail(r, reply_bad_expire(c, name));
    if (form & DEADLINE_SECONDS) {
        if (n > max / 1000)
            return fail(r, reply_bad_expire(c, name));
        n *= 1000;
    }
    if (n > max - base_ms)
        return fail(r, reply_bad_expire(c, name));
    w->dated = true;
    w->deadline_ms = n + base_ms;
    deadline_tell(c, form, w->deadline_ms);
    return true;
}

/* ---- Redis: words have their places ---- */

/* FIELDS at argv[at], the number, and exactly as many fields. */
static bool redis_fields(const call *c, size_t at, bool expire, field_words *w, reply *r)
{
    int64_t n;
    if (!arg_is(c, at, S("fields")))
        return FAIL(r, "Mandatory argument FIELDS is missing or not at the right position");
    if (!parse_int_within(c->argv[at + 1], 1, INT64_MAX, &n))
        return expire ? FAIL(r, "Parameter `numFields` should be greater than 0")
               : FAIL(r, "Number of fields must be a positive integer");
    if ((uint64_t)n != c->argc - at - 2)
        return FAIL(r, "The `numfields` parameter must match the number of arguments");
    w->first = at + 2;
    w->count = (size_t)n;
    return true;
}

static bool words_of_expire(const call *c, const char *name, unsigned form, field_words *w, reply *r)
{
    if (!read_deadline(c, name, 2, form, w, r))
        return false;
    w->conditions = deadline_condition(c->argv[3]);
    return redis_fields(c, w->conditions ? 4 : 3, true, w, r);
}

static bool redis_getex(const call *c, field_words *w, reply *r)
{
    unsigned form;
    size_t at = 2;
    if (time_word(c, 2, &form)) {
        if (!read_deadline(c, "hgetex", 3, form, w, r))
            return false;
        at = 4;
    } else if (arg_is(c, 2, S("persist"))) {
        w->persist = true;
        at = 3;
    }
    if (at + 1 >= c->argc)
        return fail(r, reply_bad_arity(c, "hgetex"));
    return redis_fields(c, at, false, w, r);
}

/* The pairs end the command. */
static bool redis_pairs(const call *c, size_t at, field_words *w, reply *r)
{
    int64_t n;
    if (at + 3 >= c->argc)
        return fail(r, reply_bad_arity(c, "hsetex"));
    if (!parse_int_within(c->argv[at + 1], 1, INT32_MAX, &n))
        return FAIL(r, "invalid number of fields");
    if ((uint64_t)n * 2 != c->argc - at - 2)
        return fail(r, reply_bad_arity(c, "hsetex"));
    w->first = at + 2;
    w->count = (size_t)n;
    return true;
}

static bool redis_setex(const call *c, field_words *w, reply *r)
{
    unsigned form;
    for (size_t i = 2; i < c->argc; i++) {
        bool no_field = arg_is(c, i, S("fnx")), keep = arg_is(c, i, S("keepttl")), timed = time_word(c, i, &form);
        if (arg_is(c, i, S("fields")))
            return redis_pairs(c, i, w, r);
        if (no_field || arg_is(c, i, S("fxx"))) {
            if (w->set & (SET_IF_NO_FIELD | SET_IF_FIELDS))
                return FAIL(r, "Only one of FXX or FNX arguments can be specified");
            w->set |= no_field ? SET_IF_NO_FIELD : SET_IF_FIELDS;
        } else if (timed || keep) {
            if (w->dated || w->set & SET_KEEP_DEADLINE)
                return FAIL(r, "Only one of EX, PX, EXAT, PXAT or KEEPTTL arguments can be specified");
            if (timed && i + 1 >= c->argc)
                return FAIL(r, "missing expire time");
            if (timed && !read_deadline(c, "hsetex", ++i, form, w, r))
                return false;
            w->set |= keep ? SET_KEEP_DEADLINE : 0;
        } else {
            return fail(r, reply_error_about(c, "ERR unknown argument: ", c->argv[i]));
        }
    }
    return FAIL(r, "missing FIELDS argument");
}

/* ---- Valkey: options stand before the word FIELDS, wherever that is ---- */

#define VALKEY_COUNT "numfields should be greater than 0 and match the provided number of fields"

/* The number at argv[at] and exactly as many fields, each of `words` words. */
static bool valkey_count(const call *c, size_t at, size_t words, field_words *w, int64_t n, reply *r)
{
    size_t left = c->argc - at - 1;
    if (n == 0 || n > INT64_MAX / 2 || (uint64_t)n * words != left)        /* it wraps around there, too */
        return FAIL(r, VALKEY_COUNT);
    w->first = at + 1;
    w->count = left / words;
    return true;
}

/* Where the first word FIELDS is from `from` on, not as the last word; argc if nowhere. */
static size_t fields_at(const call *c, size_t from)
{
    for (size_t i = from; i + 1 < c->argc; i++)
        if (arg_is(c, i, S("fields")))
            return i;
    return c->argc;
}

static bool valkey_tail(const call *c, size_t at, size_t words, field_words *w, reply *r)
{
    int64_t n;
    if (at == c->argc)
        return FAIL(r, VALKEY_COUNT);
    if (!parse_int(c->argv[at + 1], &n))
        return fail(r, reply_not_integer());
    return valkey_count(c, at + 1, words, w, n, r);
}

static bool valkey_expire(const call *c, const char *name, unsigned form, field_words *w, reply *r)
{
    size_t at = fields_at(c, 3);
    if (at < c->argc && !deadline_conditions(c, 3, at, &w->conditions, r))
        return false;
    return valkey_tail(c, at, 1, w, r) && read_deadline(c, name, 2, form, w, r);
}

/* The word of a time, to be read only after the key was looked up. */
typedef struct {
    size_t at;                     /* 0: none */
    unsigned form;
} valkey_time;

/* Options before argv[end]. */
static bool valkey_options(const call *c, size_t end, bool set, field_words *w, valkey_time *time, reply *r)
{
    static const struct { str word; unsigned flag, excludes; } known[] = {
        { { "nx", 2 }, SET_IF_NO_KEY, SET_IF_KEY }, { { "xx", 2 }, SET_IF_KEY, SET_IF_NO_KEY },
        { { "fnx", 3 }, SET_IF_NO_FIELD, SET_IF_FIELDS },
        { { "fxx", 3 }, SET_IF_FIELDS, SET_IF_NO_FIELD },
    };
    for (size_t i = 2; i < end; i++) {
        unsigned form, flag = 0;
        for (size_t k = 0; set && k < COUNT(known); k++)
            if (arg_is(c, i, known[k].word) && !(w->set & known[k].excludes))
                flag = known[k].flag;
        if (set && arg_is(c, i, S("keepttl")) && !time->at)
            flag = SET_KEEP_DEADLINE;
        if (!set && arg_is(c, i, S("persist")) && !time->at) {
            w->persist = true;
        } else if (flag) {
            w->set |= flag;
        } else if (time_word(c, i, &form) && i + 1 < end && !(w->set & SET_KEEP_DEADLINE) && !w->persist &&
                   (!time->at || time->form == form)) {
            *time = (valkey_time){ ++i, form };
        } else {
            return fail(r, reply_syntax());
        }
    }
    return true;
}

static bool valkey_getex(const call *c, field_words *w, value **v, reply *r)
{
    valkey_time time = { 0 };
    size_t at = fields_at(c, 1);
    return (at == c->argc || valkey_options(c, at, false, w, &time, r)) && valkey_tail(c, at, 1, w, r) &&
           find_kind(c, c->argv[1], VALUE_HASH, v, r) &&
               (!time.at || read_deadline(c, "hgetex", time.at, time.form, w, r));
}

static bool valkey_setex(const call *c, field_words *w, value **v, reply *r)
{
    valkey_time time = { 0 };
    size_t at = fields_at(c, 1);
    if ((at < c->argc && !valkey_options(c, at, true, w, &time, r)) || !valkey_tail(c, at, 2, w, r) ||
        !find_kind(c, c->argv[1], VALUE_HASH, v, r))
        return false;
    if ((w->set & SET_IF_NO_KEY && *v) || (w->set & SET_IF_KEY && !*v))
        return fail(r, reply_integer(0));
    return !time.at || read_deadline(c, "hsetex", time.at, time.form, w, r);
}

/* ---- either ---- */

bool field_words_expire(const call *c, const char *name, unsigned form, field_words *w, value **v, reply *r)
{
    *w = (field_words){ 0 };
    if (of_redis(c))
        return find_kind(c, c->argv[1], VALUE_HASH, v, r) && words_of_expire(c, name, form, w, r);
    return valkey_expire(c, name, form, w, r) && find_kind(c, c->argv[1], VALUE_HASH, v, r);
}

bool field_words_fields(const call *c, field_words_of of, field_words *w, value **v, reply *r)
{
    int64_t n;
    *w = (field_words){ 0 };
    if (of_redis(c))
        return find_kind(c, c->argv[1], VALUE_HASH, v, r) && redis_fields(c, 2, false, w, r);
    if (!arg_is(c, 2, S("fields")))
        return fail(r, reply_syntax());
    if (!parse_int(c->argv[3], &n))
        return fail(r, reply_not_integer());
    if (!valkey_count(c, 3, 1, w, n, r)) {
        if (of == FIELD_WORDS_TTL)
            *r = reply_syntax();
        return false;
    }
    return find_kind(c, c->argv[1], VALUE_HASH, v, r);
}

bool field_words_getex(const call *c, field_words *w, value **v, reply *r)
{
    *w = (field_words){ 0 };
    return of_redis(c) ? find_kind(c, c->argv[1], VALUE_HASH, v, r) && redis_getex(c, w, r) : valkey_getex(c, w, v, r);
}

bool field_words_setex(const call *c, field_words *w, value **v, reply *r)
{
    *w = (field_words){ 0 };
    return of_redis(c) ? redis_setex(c, w, r) && find_kind(c, c->argv[1], VALUE_HASH, v, r) : valkey_setex(c, w, v, r);
}
