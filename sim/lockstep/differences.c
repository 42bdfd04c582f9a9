/* differences.c - when answers, messages and keyspaces of two versions count as equal, and the words for a
 * difference. */
#include <assert.h>
#include <inttypes.h>
#include <string.h>

#include "base/mem.h"
#include "script/script.h"
#include "lockstep/lockstep_internal.h"

/* ---- messages ---- */

str lockstep_message(arena *a, str channel, str payload, str pattern)
{
    return arena_printf(a, "\"%.*s\" on %.*s%s%.*s", STR_ARG(payload), STR_ARG(channel), pattern.p ? " by " : "",
                        STR_ARG(pattern));
}

str lockstep_answer(arena *a, const reply *answer)
{
    if (!answer)
        return S("its connection breaks");
    buf b = { 0 };
    reply_print_short(answer, &b);
    str text = arena_printf(a, "the answer it waited for, %.*s", STR_ARG(buf_str(&b)));
    buf_free(&b);
    return text;
}

/* ---- answers ---- */

static bool is_hex(char c)
{
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
}

/* Skips `n` bytes of the class that follow the word; 0: all. */
static size_t skip(str s, size_t at, bool hex, size_t n)
{
    size_t from = at;
    while (at < s.n && (n == 0 || at - from < n) && (hex ? is_hex(s.p[at]) : s.p[at] >= '0' && s.p[at] <= '9'))
        at++;
    return at;
}

/* Redis puts a script's hash and line numbers into its errors: they differ wherever the two texts do. */
static str without_places(arena *a, str s)
{
    static const struct { str word; bool hex; size_t n; } places[] = { { { "user_script:", 12 }, false, 0 },
                                                                       { { "script: ", 8 }, true, 40 } };
    buf b = { 0 };
    for (size_t at = 0; at < s.n;) {
        size_t next = at;
        for (size_t k = 0; k < COUNT(places) && next == at; k++)
            if (str_starts(str_slice(s, at, s.n), places[k].word)) {
                buf_add(&b, places[k].word);
                next = skip(s, at + places[k].word.n, places[k].hex, places[k].n);
            }
        if (next == at)
            buf_byte(&b, s.p[next++]);
        at = next;
    }
    str text = arena_str(a, buf_str(&b));
    buf_free(&b);
    return text;
}

/* The code of an error: its first word. */
static str code_of(str error) { return str_slice(error, 0, str_find(error, ' ', 0)); }

static void put_common(arena *a, buf *out, const reply *r, bool codes)
{
    buf_byte(out, (char)('a' + r->kind));
    buf_u64(out, (uint64_t)r->integer);
    uint64_t bits;
    memcpy(&bits, &r->number, sizeof bits);
    buf_u64(out, bits);
    bool number = r->kind == REPLY_DOUBLE && !r->text.p;       /* written as the server writes it: 3.3 is not
                                                                * 3.2999999999999998 */
    str text = number ? reply_double_text(a, r->number) : r->text;
    buf_lenstr(out, r->kind != REPLY_ERROR ? text : codes ? code_of(text) : without_places(a, text));
    buf_lenstr(out, r->format);
    buf_u64(out, r->count);
    for (size_t i = 0; i < r->count; i++)
        put_common(a, out, &r->items[i], codes);
}

/* The answer of SCRIPT LOAD is the script's hash. */
static bool is_load(const flight *f)
{
    return f->argc > 2 && str_eq_nocase(f->argv[0], S("SCRIPT")) && str_eq_nocase(f->argv[1], S("LOAD"));
}

bool lockstep_common(world *w, const flight *f, bool second, const reply *r, str *common, err *e)
{
    const lockstep_relation *by = &lockstep_of(w)->relation;
    arena *a = w->step_memory;
    bool run = f->script && f->script->path.n > 0 && f->argc > 0 && (str_starts_nocase(f->argv[0], S("EVAL")) ||
                                                                     str_starts_nocase(f->argv[0], S("FCALL")));
    if (by->adapt && run)
        return by->adapt(by->context, f->script->name, second, r, a, common, e);
    buf b = { 0 };
    if (is_load(f) && r->kind == REPLY_BULK)
        buf_addz(&b, "loaded");
    else
        put_common(a, &b, r, by->two_servers);
    *common = arena_str(a, buf_str(&b));
    buf_free(&b);
    return true;
}

/* ---- keyspaces ---- */

typedef struct { str key, shown; int64_t ttl_ms; } key_seen;
typedef struct { arena *a; key_seen *items; size_t count, cap; } keys_seen;

static void see_key(void *context, str key, str shown, int64_t ttl_ms)
{
    keys_seen *k = context;
    if (k->count == k->cap) {
        key_seen *grown = ARENA_ARRAY(k->a, key_seen, k->cap = 2 * k->cap + 8);
        if (k->count)
            memcpy(grown, k->items, k->count * sizeof *grown);
        k->items = grown;
    }
    k->items[k->count++] = (key_seen){ arena_str(k->a, key), arena_str(k->a, shown), ttl_ms };
}

static keys_seen keys_of(arena *a, redis *r, int64_t now_ms)
{
    keys_seen k = { .a = a };
    redis_each_key(r, now_ms, a, see_key, &k);
    return k;
}

static redis *copy_keyspace(lockstep *t, int i, redis *of, int64_t now_ms)
{
    if (!t->trial[i]) {
        t->trial[i] = redis_new((redis_limits){ 0 });
        t->trial_conn[i] = redis_connect(t->trial[i], 1);
    }
    buf b = { 0 };
    redis_freeze(of, now_ms, &b);
    redis_thaw(t->trial[i], now_ms, buf_str(&b));
    buf_free(&b);
    return t->trial[i];
}

static void forget_ignored(lockstep *t, int i, int64_t now_ms, arena *a)
{
    for (size_t k = 0; k < t->relation.ignored_count; k++) {
        str argv[] = { S("KEYS"), t->relation.ignored[k] };
        reply r = redis_execute(t->trial[i], t->trial_conn[i], argv, COUNT(argv), now_ms, a);
        for (size_t n = 0; n < r.count; n++)
            redis_evict(t->trial[i], now_ms, r.items[n].text);
    }
}

static void set_ttl(lockstep *t, int i, str key, int64_t ttl_ms, int64_t now_ms, arena *a)
{
    str argv[] = { S("PEXPIRE"), key, arena_printf(a, "%" PRId64, ttl_ms) };
    redis_execute(t->trial[i], t->trial_conn[i], argv, COUNT(argv), now_ms, a);
}

/* Makes near TTLs equal: both keys get the longer one. (A TTL of 0 is a key's last millisecond, and PEXPIRE 0 would
 * delete it.) A key that only one side has and that is about to end is removed. */
static void level_ttls(lockstep *t, int64_t now_ms, arena *a)
{
    int64_t within_ms = t->relation.ttl_within_ms;
    keys_seen k[2] = { keys_of(a, t->trial[0], now_ms), keys_of(a, t->trial[1], now_ms) };
    for (size_t i = 0, n = 0; i < k[0].count || n < k[1].count;) {
        int order = i == k[0].count ? 1 : n == k[1].count ? -1 : str_cmp(k[0].items[i].key, k[1].items[n].key);
        const key_seen *x = order <= 0 ? &k[0].items[i++] : NULL, *y = order >= 0 ? &k[1].items[n++] : NULL;
        assert(x || y);
        const key_seen *either = x ? x : y;
        if ((!x || !y) && either->ttl_ms >= 0 && either->ttl_ms < within_ms)
            redis_evict(t->trial[x ? 0 : 1], now_ms, either->key);
        if (!x || !y || x->ttl_ms < 0 || y->ttl_ms < 0 || x->ttl_ms == y->ttl_ms)
            continue;
        int shorter = x->ttl_ms < y->ttl_ms ? 0 : 1;
        int64_t longer_ms = shorter == 0 ? y->ttl_ms : x->ttl_ms;
        if (longer_ms - (shorter == 0 ? x->ttl_ms : y->ttl_ms) <= within_ms)
            set_ttl(t, shorter, x->key, longer_ms, now_ms, a);
    }
}

static bool equal_bytes(redis *first, redis *second, int64_t now_ms)
{
    buf b[2] = { { 0 } };
    redis_freeze(first, now_ms, &b[0]);
    redis_freeze(second, now_ms, &b[1]);
    bool same = str_eq(buf_str(&b[0]), buf_str(&b[1]));
    buf_free(&b[0]);
    buf_free(&b[1]);
    return same;
}

bool lockstep_same_keys(lockstep *t, redis *first, redis *second, int64_t now_ms)
{
    if (!t->relation.keys || equal_bytes(first, second, now_ms))
        return true;
    if (t->relation.ignored_count == 0 && t->relation.ttl_within_ms == 0)
        return false;
    arena *a = arena_new();
    copy_keyspace(t, 0, first, now_ms);
    copy_keyspace(t, 1, second, now_ms);
    for (int i = 0; i < 2; i++)
        forget_ignored(t, i, now_ms, a);
    if (t->relation.ttl_within_ms > 0)
        level_ttls(t, now_ms, a);
    bool same = equal_bytes(t->trial[0], t->trial[1], now_ms);
    arena_free(a);
    return same;
}

/* ---- in words ---- */

static void put_answer(buf *b, const flight *f, int64_t waits_ms)
{
    if (waits_ms >= 0)
        buf_addz(b, "waits at the server");
    else
        reply_print_short(&f->answer, b);
}

static str answer_text(arena *a, const flight *f, int64_t waits_ms)
{
    buf b = { 0 };
    put_answer(&b, f, waits_ms);
    str text = arena_str(a, buf_str(&b));
    buf_free(&b);
    return text;
}

static str said_text(arena *a, const lockstep *t, int version)
{
    buf b = { 0 };
    for (size_t i = 0; i < t->said[version].count; i++)
        buf_printf(&b, "%s%.*s", i ? ", " : "", STR_ARG(t->said[version].items[i].what));
    str text = b.n ? arena_str(a, buf_str(&b)) : S("nothing");
    buf_free(&b);
    return text;
}

static str key_text(arena *a, const key_seen *k)
{
    if (!k)
        return S("not there");
    buf b = { 0 };
    story_text(&b, k->shown);
    if (k->ttl_ms >= 0)
        buf_printf(&b, "  ttl %" PRId64, k->ttl_ms);
    str text = arena_str(a, buf_str(&b));
    buf_free(&b);
    return text;
}

/* The first key that differs, as both versions have it. */
static str first_key(arena *a, server *s, int64_t now_ms)
{
    keys_seen k[2] = { keys_of(a, s->r, now_ms), keys_of(a, s->second, now_ms) };
    for (size_t i = 0, n = 0; i < k[0].count || n < k[1].count;) {
        int order = i == k[0].count ? 1 : n == k[1].count ? -1 : str_cmp(k[0].items[i].key, k[1].items[n].key);
        const key_seen *x = order <= 0 ? &k[0].items[i++] : NULL, *y = order >= 0 ? &k[1].items[n++] : NULL;
        if (x && y && str_eq(x->shown, y->shown) && x->ttl_ms == y->ttl_ms)
            continue;
        assert(x || y);
        str key = x ? x->key : y->key;
        return arena_printf(a, "%.*s is %.*s with the first version and %.*s with the second", STR_ARG(key),
                            STR_ARG(key_text(a, x)), STR_ARG(key_text(a, y)));
    }
    return S("what the keys hold looks alike, and commands can tell them apart all the same (an order, or another "
             "database)");
}

void lockstep_tell(world *w, const flight *first, const flight *second, const int64_t waits_ms[2], unsigned differ)
{
    const lockstep *t = lockstep_of(w);
    arena *a = w->step_memory;
    server *s = &w->servers[first->server];
    str answers[] = { answer_text(a, first, waits_ms[0]), answer_text(a, second, waits_ms[1]) };
    if (w->o.record) {
        buf_clear(&w->second_did);
        buf_printf(&w->second_did, "%.*s -> %.*s", STR_ARG(first->op), STR_ARG(answers[1]));
    }
    if (w->o.record && differ & DIFFER_MESSAGE) {
        if (story_line(&w->notes))
            buf_printf(&w->notes, "sends %.*s", STR_ARG(said_text(a, t, 0)));
        buf_printf(&w->second_did, "\n  sends %.*s", STR_ARG(said_text(a, t, 1)));
    }
    if (differ & (DIFFER_ANSWER | DIFFER_MESSAGE)) {
        bool by_answer = differ & DIFFER_ANSWER;
        str said[] = { said_text(a, t, 0), said_text(a, t, 1) };
        const str *what = by_answer ? answers : said;
        str text = arena_printf(a, "%.*s of %.*s %s %.*s with the first version and %.*s with the second.",
                                STR_ARG(first->op), STR_ARG(first->who),
                                by_answer ? "is answered" : "sends waiting clients", STR_ARG(what[0]),
                                STR_ARG(what[1]));
        world_report(w, PROPERTY_EQUIVALENT, text, S("Up to here nothing that any client was told differed."));
    }
    if (differ & DIFFER_KEYS)
        world_report(w, PROPERTY_SAME_KEYS, arena_printf(a, "after %.*s of %.*s %.*s.", STR_ARG(first->op),
                                                         STR_ARG(first->who),
                                                         STR_ARG(first_key(a, s, server_now_ms(s)))),
                     S("A client that reads the keys sees it; the answers and messages of the scripts need never "
                       "show it."));
}
