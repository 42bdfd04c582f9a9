/* guess_trial.c - calls scripts on a Redis in memory, and reads their replies and keys. */
#include "init/guess_trial.h"

#include <ctype.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "init/template.h"
#include "script/script.h"

enum { UNKNOWN_NUMBER = 7, LARGE_NUMBER = 10007 };
enum { STEPS_MAX = 200000 };               /* of one script: a way that loops 10^12 times is a wrong one */
static const int64_t START_MS = INT64_C(1700000000000), APART_MS = INT64_C(100000000);
#define OWNER(letter) { "locksim:" letter, sizeof "locksim:" letter - 1 }
const str trial_owners[OWNERS] = {
    OWNER("A"), OWNER("B"), OWNER("C"), OWNER("D"), OWNER("E"), OWNER("F"), OWNER("G"), OWNER("H"), OWNER("I"),
    OWNER("J"), OWNER("K"), OWNER("L"), OWNER("M"), OWNER("N"), OWNER("O"), OWNER("P"), OWNER("Q"), OWNER("R"),
    OWNER("S"), OWNER("T"), OWNER("U"), OWNER("V"), OWNER("W"), OWNER("X"), OWNER("Y"), OWNER("Z"),
};
#undef OWNER

/* ---- one call ---- */

static void told(void *context, uint32_t conn, str channel, str payload, str pattern)
{
    trial *t = context;
    (void)conn, (void)pattern;
    t->channel = arena_str(t->scratch, channel);
    t->message = arena_str(t->scratch, payload);
}

reply trial_command(trial *t, const str *argv, size_t argc, int64_t at_ms)
{
    reply r = redis_execute(t->server, t->conn, argv, argc, t->base_ms + at_ms, t->scratch);
    if (redis_waits(t->conn)) {                    /* BLPOP and related commands: a wait counts as a refusal, by nil */
        redis_disconnect(t->server, t->conn);
        t->conn = redis_connect(t->server, 1);
    }
    return reply_copy(t->scratch, &r);
}

trial trial_open(arena *a, const guess *g)
{
    trial t = { .a = a, .scratch = arena_new(), .server = redis_new((redis_limits){ .script_steps = STEPS_MAX }),
                .base_ms = START_MS, .g = g, .limit = 1 };
    t.conn = redis_connect(t.server, 1);
    redis_conn *listener = redis_connect(t.server, 2);
    str all[] = { S("psubscribe"), S("*") };
    redis_execute(t.server, listener, all, COUNT(all), t.base_ms, t.scratch);
    return t;
}

void trial_close(trial *t)
{
    redis_free(t->server);
    arena_free(t->scratch);
}

/* Redis says "... user_script:3: ')' expected near 'KEYS'". */
static bool compiles(trial *t, const guess_script *s, err *e)
{
    static const char mark[] = "user_script:";
    str why;
    if (s->command || redis_load_script(t->server, s->text, t->a, &why))
        return true;
    const char *at = strstr(arena_str(t->a, why).p, mark);
    char *rest = NULL;
    long line = at ? strtol(at + strlen(mark), &rest, 10) : 0;
    bool found = line > 0 && line < INT_MAX && rest[0] == ':' && rest[1] == ' ';
    template_mark m = found ? template_on_line(s->text, (int)line) : (template_mark){ 0 };
    err_at(e, ERR_SCENARIO, s->path, found ? (int)line : 1, m.mark.n ? m.col : 0, "the script does not compile: %s",
           found ? rest + 2 : arena_str(t->a, why).p);
    err_quote(e, s->text);
    if (m.mark.n)
        return err_hint(e, "'%.*s' is a template's, it seems: %s", STR_ARG(m.mark), template_way_out);
    return err_hint(e, "stock Lua 5.1 reads it, as Redis does");
}

bool trial_reads(trial *t, guess_script *s, guess_hints *h, err *e)
{
    return (s->command || guess_is_script(s, e)) && compiles(t, s, e) && guess_read(s, h, e);
}

void trial_begin(trial *t)
{
    str flush[] = { S("flushall") };
    t->base_ms += APART_MS;
    trial_command(t, flush, 1, 0);
    t->clock_stands = t->wrong_length = false;
    for (who w = ANN; w < OWNERS; w++)
        t->granted[w] = (reply){ .kind = REPLY_NIL };
    t->ahead_ms = 0;
    t->unknown = t->unknown_is_large ? LARGE_NUMBER : UNKNOWN_NUMBER;
    t->limit = 1;
}

str trial_lock(const trial *t)
{
    return t->lock.n ? t->lock : S(GUESS_LOCK);
}

static str number(arena *a, int64_t n)
{
    return arena_printf(a, "%lld", (long long)n);
}

str trial_number(arena *a, who w) { return number(a, 4100001 + w * 100001); }

str trial_key(trial *t, const guess_arg *key)
{
    switch (key->role) {
    case ROLE_KEY: return arena_printf(t->scratch, "{locksim}:%zu%s%s", key->n, t->owners_key == key->n ? ":" : "",
                                       t->owners_key == key->n ? trial_owners[t->asks].p : "");
    case ROLE_CALL_KEY: return arena_printf(t->scratch, "{locksim}:%zu:%zu", key->n, t->calls);
    case ROLE_CHANNEL: return S("{locksim}:channel");
    default: return S(GUESS_LOCK);
    }
}

/* A number that no grant gave to a client without one. */
static str reply_value(trial *t, const guess_arg *arg, who w)
{
    enum { NEVER_TOLD = 900001 };
    const reply *r = &t->granted[w];
    if (arg->n)
        r = r->kind == REPLY_ARRAY && arg->n <= r->count ? &r->items[arg->n - 1] : &(reply){ .kind = REPLY_NIL };
    if (r->kind == REPLY_BULK || r->kind == REPLY_STATUS)
        return r->text;
    return number(t->scratch, r->kind == REPLY_INTEGER ? r->integer : NEVER_TOLD);
}

static str arg_value(trial *t, const guess_arg *arg, size_t slot, who w, int64_t at_ms)
{
    int64_t now = t->base_ms + (t->clock_stands ? 0 : at_ms) + t->ahead_ms;
    switch (arg->role) {
    case ROLE_LOCK: case ROLE_CHANNEL: return trial_key(t, arg);
    case ROLE_OWNER: return t->numbered ? trial_number(t->scratch, w) : trial_owners[w];
    case ROLE_OWNER_LENGTH: return number(t->scratch, t->wrong_length ? 3 : (int64_t)trial_owners[w].n);
    case ROLE_LEASE_MS: return number(t->scratch, LEASE_MS);
    case ROLE_LEASE_S: return number(t->scratch, LEASE_S);
    case ROLE_NOW_MS: return number(t->scratch, now);
    case ROLE_NOW_S: return number(t->scratch, now / 1000);
    case ROLE_UNTIL_MS: return number(t->scratch, now + LEASE_MS);
    case ROLE_UNTIL_S: return number(t->scratch, (now + LEASE_S * 1000) / 1000);
    case ROLE_LIMIT: return number(t->scratch, t->limit);
    case ROLE_TEXT: return arg->text;
    case ROLE_MESSAGE: return S("0");
    case ROLE_COUNT_OF: return S("1");
    case ROLE_UNUSED: return S("unused");
    case ROLE_REPLY: return reply_value(t, arg, w);
    default: return number(t->scratch, t->unknown + (int64_t)slot);    /* no two are the same */
    }
}

typedef struct {
    trial *t;
    who w;
    int64_t at_ms;
} asking;

static str json_value(void *context, const guess_arg *arg, size_t slot)
{
    const asking *k = context;
    return arg_value(k->t, arg, slot, k->w, k->at_ms);
}

str trial_arg(trial *t, const guess_script *s, size_t i, who w, int64_t at_ms)
{
    asking k = { t, w, at_ms };
    return s->args[i].role == ROLE_JSON ? guess_json(t->scratch, s, i, json_value, &k)
           : arg_value(t, &s->args[i], i, w, at_ms);
}

reply trial_ask(trial *t, const guess_script *s, who w, int64_t at_ms)
{
    t->asks = w;
    str argv[3 + 2 * GUESS_WORDS_MAX] = { S("eval"), s->text, number(t->scratch, (int64_t)s->keys_n) };
    size_t n = s->command ? 0 : 3;
    redis_observer o = { .context = t, .message = told };
    redis_observe(t->server, &o);
    t->channel = t->message = S("");
    for (size_t i = 0; i < s->keys_n; i++)
        argv[n++] = trial_key(t, &s->keys[i]);
    for (size_t i = 0; i < s->args_n; i++)
        argv[n++] = trial_arg(t, s, i, w, at_ms);
    t->calls++;
    reply r = trial_command(t, argv, n, at_ms);
    if (s == &t->g->acquire && guess_is_grant(t->g, &r, w))
        t->granted[w] = r;
    return r;
}

/* ---- what replies mean ---- */

bool guess_is_owner(const reply *r, who w)
{
    return (r->kind == REPLY_BULK || r->kind == REPLY_STATUS) && str_eq(r->text, trial_owners[w]);
}

static const reply *item_of(const reply *r, size_t i)
{
    static const reply none = { .kind = REPLY_NIL };
    return r->kind == REPLY_ARRAY && i < r->count ? &r->items[i] : &none;
}

size_t guess_deciding(const guess *g)
{
    size_t i = 0;
    while (g->refused.kind == REPLY_ARRAY && i + 1 < g->granted.count &&
           reply_equal(item_of(&g->refused, i), item_of(&g->granted, i)))
        i++;
    return i;
}

/* Decided by the item in which a refusal differs; if that is a time, for example, by the grant's value there. */
static bool array_reads_granted(const guess *g, const reply *r)
{
    size_t i = guess_deciding(g);
    if (r->kind != REPLY_ARRAY || (g->granted.count == 0 && g->refused.kind == REPLY_ARRAY))
        return reply_equal(r, &g->granted);
    if (g->refused.kind != REPLY_ARRAY)
        return true;
    return g->refused_varies ? reply_equal(item_of(r, i), item_of(&g->granted, i))
                             : !reply_equal(item_of(r, i), item_of(&g->refused, i));
}

/* Is it the same text but for the owner's name: what `w` is told, and what ANN was? */
static bool reads_alike(const reply *r, who w, const reply *ann)
{
    size_t i = 0, k = 0;
    if (r->kind != ann->kind || (r->kind != REPLY_BULK && r->kind != REPLY_STATUS))
        return reply_equal(r, ann);
    while (i < r->text.n && k < ann->text.n) {
        bool named = str_starts(str_slice(r->text, i, r->text.n), trial_owners[w]) &&
                     str_starts(str_slice(ann->text, k, ann->text.n), trial_owners[ANN]);
        if (!named && r->text.p[i] != ann->text.p[k])
            return false;
        i += named ? trial_owners[w].n : 1;
        k += named ? trial_owners[ANN].n : 1;
    }
    return i == r->text.n && k == ann->text.n;
}

/* The number that a reply is, or that its text is in decimal digits; 0: none above 0. */
static int64_t above_zero(const reply *r)
{
    enum { DIGITS_MAX = 15 };              /* what Lua's numbers hold */
    int64_t n = 0;
    if (r->kind == REPLY_INTEGER)
        return r->integer > 0 ? r->integer : 0;
    for (size_t i = 0; r->kind == REPLY_BULK && i < r->text.n; i++) {
        if (!isdigit((unsigned char)r->text.p[i]) || r->text.n > DIGITS_MAX)
            return 0;
        n = n * 10 + (r->text.p[i] - '0');
    }
    return n;
}

/* Does `r`, told to `w`, read as the grant that was told to ANN? */
bool guess_reads_granted(const guess *g, const reply *r, who w)
{
    if (g->tells_left)
        return r->kind == REPLY_INTEGER && r->integer > g->refused.integer;
    if (g->fencing || g->tells_count)
        return above_zero(r) > 0;
    if (g->names_owner)
        return guess_is_owner(r, w);
    return g->granted.kind == REPLY_ARRAY ? array_reads_granted(g, r) : reads_alike(r, w, &g->granted);
}

int64_t guess_lease_ms(const guess_script *s)
{
    for (size_t i = 0; i < s->slots_n; i++) {
        guess_role r = s->args[i].role;
        if (r == ROLE_LEASE_MS || r == ROLE_UNTIL_MS)
            return LEASE_MS;
        if (r == ROLE_LEASE_S || r == ROLE_UNTIL_S)
            return LEASE_S * 1000;
    }
    return 0;
}

bool guess_by_clients_clock(const guess *g)
{
    const guess_script *s = &g->acquire;
    bool told = false;
    for (size_t i = 0; i < s->slots_n; i++) {
        guess_role r = s->args[i].role;
        bool instant = r == ROLE_UNTIL_MS || r == ROLE_UNTIL_S || r == ROLE_NOW_MS || r == ROLE_NOW_S;
        told = told || (instant && !s->args[i].by_name);
    }
    return g->expires && told;
}

int64_t guess_hold_ms(const guess *g)
{
    int64_t lease_ms = guess_lease_ms(&g->acquire);
    return lease_ms ? lease_ms : g->own_lease_ms;
}

bool guess_has_role(const guess_script *s, guess_role r)
{
    for (size_t i = 0; i < s->slots_n; i++)
        if (s->args[i].role == r)
            return true;
    return false;
}

bool guess_has_either(const guess_script *s, guess_role one, guess_role other)
{
    return guess_has_role(s, one) || guess_has_role(s, other);
}

/* Is it a higher number than the first grant's, where no refusal is a number above 0? */
bool guess_is_higher(const guess *g, const reply *r)
{
    bool refused = above_zero(&g->refused) > 0;
    return r->kind == g->granted.kind && !refused && above_zero(&g->granted) > 0 &&
           above_zero(r) > above_zero(&g->granted);
}

bool guess_is_grant(const guess *g, const reply *r, who w)
{
    return guess_reads_granted(g, r, w) || guess_is_higher(g, r);
}

bool trial_is_free(trial *t, guess *g, who w, int64_t at_ms)
{
    reply r = trial_ask(t, &g->acquire, w, at_ms);
    return guess_is_grant(g, &r, w);
}

/* ---- where the owner is ---- */

reply trial_keyed(trial *t, const char *name, str key, int64_t at_ms)
{
    str argv[4] = { str_from(name), key, S("0"), S("-1") };
    size_t n = strcmp(name, "lrange") == 0 || strcmp(name, "zrange") == 0 ? 4 : 2;
    return trial_command(t, argv, n, at_ms);
}

static bool has_item(const reply *list, str text, size_t from, size_t step, size_t *at)
{
    for (*at = from; *at < list->count; *at += step)
        if (str_eq(list->items[*at].text, text))
            return true;
    return false;
}

/* Is there JSON's "name":" before the owner? Then that, quotes and all; else "". */
static str json_before(str text, size_t at)
{
    if (at < 4 || text.p[at - 1] != '"' || text.p[at - 2] != ':' || text.p[at - 3] != '"')
        return S("");
    size_t from = at - 3;
    while (from > 0 && (isalnum((unsigned char)text.p[from - 1]) || text.p[from - 1] == '_'))
        from--;
    return from > 0 && from < at - 3 && text.p[from - 1] == '"' ? str_slice(text, from - 1, at) : S("");
}

/* The owner's name in a longer text. */
static bool is_within(trial *t, str text, str owner, guess_place *place)
{
    for (size_t i = 0; i + owner.n <= text.n && text.n > owner.n; i++)
        if (memcmp(text.p + i, owner.p, owner.n) == 0) {
            place->within = true;
            place->before = arena_str(t->a, json_before(text, i));
            return true;
        }
    return false;
}

/* A sorted set has other members beside the owner's, or one that is longer by an ending. */
static guess_place member_holder(trial *t, const reply *list, str owner)
{
    bool exact = false;
    str other = S(""), ending = S("");
    guess_place place = { 0 };
    for (size_t i = 0; i < list->count; i++) {
        str member = list->items[i].text;
        if (str_eq(member, owner))
            exact = true;
        else if (str_starts(member, owner))
            ending = str_slice(member, owner.n, member.n);
        else if (!is_within(t, member, owner, &place))
            other = member;
    }
    if (exact || ending.n)
        return (guess_place){ .kind = exact ? HOLDER_ZSET : HOLDER_MEMBER_PART,
                              .field = arena_str(t->a, exact ? other : ending) };
    place.kind = place.within ? HOLDER_ZSET : HOLDER_UNKNOWN;
    return place;
}

/* Is an item, from the first on and each `step` of them, the owner's name, or has it within? */
static bool names_owner(trial *t, const reply *list, str owner, size_t first, size_t step, guess_place *place)
{
    size_t at;
    if (has_item(list, owner, first, step, &at))
        return true;
    for (at = first; at < list->count; at += step)
        if (is_within(t, list->items[at].text, owner, place))
            return true;
    return false;
}

static guess_place hash_holder(trial *t, const reply *list, str owner)
{
    size_t at;
    guess_place place = { .kind = HOLDER_VALUE };
    if (has_item(list, owner, 0, 2, &at)) {
        place.kind = HOLDER_HASH;
        for (size_t i = 0; i + 1 < list->count && !place.field.n; i += 2)
            if (i != at)
                place.field = arena_str(t->a, list->items[i].text);
        return place;
    }
    for (at = 1; at < list->count; at += 2)
        if (str_eq(list->items[at].text, owner) || is_within(t, list->items[at].text, owner, &place)) {
            place.field = arena_str(t->a, list->items[at - 1].text);
            place.named = str_eq(place.field, S(GUESS_LOCK));
            return place;
        }
    place.kind = names_owner(t, list, owner, 0, 2, &place) ? HOLDER_HASH : HOLDER_UNKNOWN;
    return place;
}

guess_place trial_holder(trial *t, str key, str owner, int64_t at_ms)
{
    guess_place place = { 0 };
    str type = trial_keyed(t, "type", key, at_ms).text;
    if (str_eq(type, S("string"))) {
        str value = trial_keyed(t, "get", key, at_ms).text;
        place.kind = str_eq(value, owner) || is_within(t, value, owner, &place) ? HOLDER_STRING : HOLDER_UNKNOWN;
    } else if (str_eq(type, S("hash"))) {
        reply list = trial_keyed(t, "hgetall", key, at_ms);
        place = hash_holder(t, &list, owner);
    } else if (str_eq(type, S("zset"))) {
        reply list = trial_keyed(t, "zrange", key, at_ms);
        place = member_holder(t, &list, owner);
    } else if (str_eq(type, S("set")) || str_eq(type, S("list"))) {
        bool set = str_eq(type, S("set"));
        reply list = trial_keyed(t, set ? "smembers" : "lrange", key, at_ms);
        if (names_owner(t, &list, owner, 0, 1, &place))
            place.kind = set ? HOLDER_SET : HOLDER_LIST;
    }
    return place;
}
