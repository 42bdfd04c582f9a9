/* passage.c - see passage.h. Owners get the names of the scenario's clients, as its view has to return these (me.id);
 * instants count from the beginning of the passage. */
#include "trace/passage.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "redis/redis.h"

typedef struct {
    str who, client;
    bool owner, operator;
    char name[8];          /* "A", "A2" */
} actor;

typedef struct {
    int64_t at_ms;
    size_t line, actor;
    str op;
    deed_kind deed;
    int64_t lease_ms, had, has;
    str *argv;
    size_t argc, script;   /* its script, 1-based; 0: a command */
    str answer;            /* as Lua has it: "OK", 1, false */
} step;

typedef struct {
    char sha[41];
    str name, body;
    bool used;
} known_script;

struct passage {
    arena *scripts_memory, *memory;
    known_script *scripts;
    size_t script_count, script_cap;
    actor actors[PASSAGE_CLIENTS_MAX];
    size_t actor_count;
    step *steps;
    size_t count, cap;
    str lock;
    bool cuts;             /* the lock's view names an owner by what stands before "/" of its token */
};

passage *passage_new(void)
{
    passage *p = mem_zero(sizeof *p);
    p->scripts_memory = arena_new();
    p->memory = arena_new();
    return p;
}

void passage_free(passage *p)
{
    if (!p)
        return;
    arena_free(p->scripts_memory);
    arena_free(p->memory);
    mem_free(p->scripts);
    mem_free(p->steps);
    mem_free(p);
}

void passage_restart(passage *p)
{
    arena_reset(p->memory);
    p->actor_count = p->count = 0;
    for (size_t i = 0; i < p->script_count; i++)
        p->scripts[i].used = false;
}

size_t passage_count(const passage *p)
{
    return p->count;
}

/* ---- scripts ---- */

static size_t script_number(const passage *p, str sha)
{
    for (size_t i = 0; i < p->script_count; i++)
        if (str_eq_nocase(sha, str_from(p->scripts[i].sha)))
            return i + 1;
    return 0;
}

void passage_know_script(passage *p, str name, str body)
{
    char sha[41];
    redis_sha1(body, sha);
    if (script_number(p, str_from(sha)))
        return;
    MEM_RESERVE(p->scripts, p->script_cap, p->script_count + 1);
    known_script *s = &p->scripts[p->script_count++];
    *s = (known_script){ .name = arena_str(p->scripts_memory, name), .body = arena_str(p->scripts_memory, body) };
    memcpy(s->sha, sha, sizeof sha);
}

void passage_each_script(const passage *p, void (*fn)(void *context, str body), void *context)
{
    for (size_t i = 0; i < p->script_count; i++)
        fn(context, p->scripts[i].body);
}

/* ---- one request ---- */

static bool cannot(const seen_request *r, err *e, const char *why)
{
    return err_set(e, ERR_SCENARIO, "line %zu of the log cannot be part of a scenario: %s", r->line, why);
}

static bool find_actor(passage *p, const seen_request *r, size_t *out, err *e)
{
    for (*out = 0; *out < p->actor_count; ++*out)
        if (str_eq(p->actors[*out].who, r->who))
            return true;
    if (p->actor_count == PASSAGE_CLIENTS_MAX)
        return cannot(r, e, "more than 64 owners want the lock; choose fewer lines with --lines");
    actor *a = &p->actors[p->actor_count];
    *a = (actor){ .who = arena_str(p->memory, r->who), .client = arena_str(p->memory, r->client), .owner = r->owner };
    a->name[0] = (char)('A' + p->actor_count % 26);
    if (p->actor_count >= 26)
        a->name[1] = (char)('1' + p->actor_count / 26);
    p->actor_count++;
    return true;
}

static void add_text(buf *out, str s)
{
    buf_byte(out, '"');
    for (size_t i = 0; i < s.n; i++) {
        unsigned char c = (unsigned char)s.p[i];
        if (c == '\n')
            buf_addz(out, "\\n");
        else if (c < 0x20 || c >= 0x7F)
            buf_printf(out, "\\%03u", c);
        else {
            if (c == '"' || c == '\\')
                buf_byte(out, '\\');
            buf_byte(out, (char)c);
        }
    }
    buf_byte(out, '"');
}

/* An answer's first word: that is enough to know a grant from a refusal. */
static str answer_text(arena *a, const reply *r)
{
    buf b = { 0 };
    if (r->items)
        return r->count ? answer_text(a, &r->items[0]) : S("false");
    if (r->kind == REPLY_INTEGER)
        buf_printf(&b, "%" PRId64, r->integer);
    else if (r->kind == REPLY_BULK || r->kind == REPLY_STATUS)
        add_text(&b, r->text);
    else
        buf_addz(&b, "false");
    str out = arena_str(a, buf_str(&b));
    buf_free(&b);
    return out;
}

/* A word of schedules: letters, digits and _. */
static str op_text(arena *a, str op)
{
    char *p = arena_alloc(a, op.n + 1);
    for (size_t i = 0; i < op.n; i++) {
        char c = op.p[i];
        bool upper = c >= 'A' && c <= 'Z', plain = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
        p[i] = (char)(upper ? c - 'A' + 'a' : plain ? c : '_');
    }
    return (str){ .p = p, .n = op.n };
}

bool passage_add(passage *p, const seen_request *r, err *e)
{
    size_t actor, script = r->sha.n ? script_number(p, r->sha) : 0;
    if (p->count == PASSAGE_REQUESTS_MAX)
        return cannot(r, e, "the passage has more than 5000 requests; choose fewer lines with --lines");
    if (r->sha.n && !script)
        return cannot(r, e, "its script is not known here; --scripts DIR names a folder in which it may lie");
    if (r->waits)
        return cannot(r, e, "it waits for an element, which a schedule of the log's requests cannot show");
    if (memchr(r->lock.p, 0, r->lock.n))
        return cannot(r, e, "the lock's name holds a NUL byte");
    if (!find_actor(p, r, &actor, e))
        return false;
    MEM_RESERVE(p->steps, p->cap, p->count + 1);
    step *s = &p->steps[p->count++];
    *s = (step){ .at_ms = r->at_us / 1000, .line = r->line, .actor = actor, .op = op_text(p->memory, r->op),
                 .deed = r->deed, .lease_ms = r->lease_ms, .had = r->had, .has = r->has, .argc = r->argc,
                 .script = script, .argv = ARENA_ARRAY(p->memory, str, r->argc),
                 .answer = answer_text(p->memory, r->answer) };
    for (size_t i = 0; i < r->argc; i++)
        s->argv[i] = arena_str(p->memory, r->argv[i]);
    if (script)
        p->scripts[script - 1].used = true;
    p->actors[actor].operator |= r->deed == DEED_FORCE_RELEASE;
    p->lock = arena_str(p->memory, r->lock);
    p->cuts |= str_eq(family_owner(r->family, S("owner/rest")), S("owner"));
    return true;
}

/* ---- words ---- */

/* Where the owner's name begins in the word; word.n: nowhere. A short name counts only as a whole word. */
static size_t place_of(const passage *p, const actor *a, str word)
{
    enum { CERTAIN_BYTES = 8 };
    if (!a->owner || str_eq(word, p->lock))
        return word.n;
    if (str_eq(word, a->who) || (p->cuts && str_starts(word, a->who) && word.n > a->who.n && word.p[a->who.n] == '/'))
        return 0;
    for (size_t at = 0; a->who.n >= CERTAIN_BYTES && at + a->who.n <= word.n; at++)
        if (memcmp(word.p + at, a->who.p, a->who.n) == 0)
            return at;
    return word.n;
}

/* An instant near the request's own time moves along with it. */
static bool is_instant(str word, int64_t at_ms, int64_t *out)
{
    enum { DIGITS = 13 };
    static const int64_t NEAR_MS = INT64_C(1000000000);
    *out = 0;
    for (size_t i = 0; i < word.n; i++) {
        if (word.p[i] < '0' || word.p[i] > '9' || i >= DIGITS)
            return false;
        *out = *out * 10 + (word.p[i] - '0');
    }
    return word.n == DIGITS && *out > at_ms - NEAR_MS && *out < at_ms + NEAR_MS;
}

static void add_word(const passage *p, const step *s, str word, buf *out)
{
    int64_t instant;
    if (is_instant(word, s->at_ms, &instant)) {
        buf_printf(out, "at(%" PRId64 ")", instant - p->steps[0].at_ms);
        return;
    }
    for (size_t i = 0; i < p->actor_count; i++) {
        const actor *a = &p->actors[i];
        size_t at = place_of(p, a, word);
        if (at == word.n)
            continue;
        buf b = { 0 };
        buf_add(&b, str_slice(word, 0, at));
        buf_printf(&b, "%s:1", a->name);
        buf_add(&b, str_slice(word, at + a->who.n, word.n));
        add_text(out, buf_str(&b));
        buf_free(&b);
        return;
    }
    add_text(out, word);
}

static void add_words(const passage *p, const step *s, const char *field, size_t from, size_t to, buf *out)
{
    buf_printf(out, "%s = { ", field);
    for (size_t i = from; i < to; i++) {
        buf_addz(out, i > from ? ", " : "");
        add_word(p, s, s->argv[i], out);
    }
    buf_addz(out, to > from ? " }" : "}");
}

static size_t keys_end(const step *s)
{
    size_t n = 0;
    for (size_t i = 0; i < s->argv[2].n && n <= s->argc; i++)
        n = n * 10 + (size_t)(s->argv[2].p[i] - '0');
    return n + 3 < s->argc ? n + 3 : s->argc;
}

static void add_script(const passage *p, size_t number, buf *out)
{
    const known_script *k = &p->scripts[number - 1];
    if (!k->name.n) {
        buf_printf(out, "script_%zu", number);
        return;
    }
    buf_addz(out, "script ");
    add_text(out, k->name);
}

static void add_step(const passage *p, const step *s, buf *out)
{
    buf_printf(out, "      { line = %zu, at = %" PRId64 ", op = ", s->line, s->at_ms - p->steps[0].at_ms);
    add_text(out, s->op);
    if (s->lease_ms != LEASE_NONE)
        buf_printf(out, ", lease_ms = %" PRId64, s->lease_ms);
    buf_addz(out, ",\n        ");
    if (s->script) {
        buf_addz(out, "script = ");
        add_script(p, s->script, out);
        buf_addz(out, ", ");
        add_words(p, s, "keys", 3, keys_end(s), out);
        buf_addz(out, ", ");
        add_words(p, s, "args", keys_end(s), s->argc, out);
    } else {
        add_words(p, s, "words", 0, s->argc, out);
    }
    buf_addz(out, " },\n");
}

/* ---- the meaning of answers ---- */

/* granted = { "OK" }, of all requests of that deed after which a hold more, or less, was there. */
static void add_meaning(const passage *p, const char *field, deed_kind deed, buf *out)
{
    buf_printf(out, "    %s = {", field);
    size_t said = 0;
    for (size_t i = 0; i < p->count; i++) {
        const step *s = &p->steps[i];
        bool counts = s->deed == deed && (deed == DEED_ACQUIRE ? s->has > s->had : s->has < s->had);
        for (size_t k = 0; k < i && counts; k++) {
            const step *x = &p->steps[k];
            bool counted = x->deed == deed && (deed == DEED_ACQUIRE ? x->has > x->had : x->has < x->had);
            counts = !counted || !str_eq(x->answer, s->answer);
        }
        if (counts)
            buf_printf(out, "%s%.*s", said++ ? ", " : " ", STR_ARG(s->answer));
    }
    buf_addz(out, said ? " },\n" : "},\n");
}

/* ---- the schedule ---- */

static void add_item(buf *out, size_t *column, const char *item)
{
    enum { COLUMNS = 100 };
    size_t n = strlen(item);
    if (*column + n > COLUMNS) {
        buf_addz(out, "\n    ");
        *column = 4;
    } else if (out->n && out->p[out->n - 1] != '\n') {
        buf_byte(out, ' ');
    }
    buf_addz(out, item);
    *column += n + 1;
}

static void add_schedule(const passage *p, buf *out)
{
    int64_t seen_ms[PASSAGE_CLIENTS_MAX] = { 0 }, now_ms = 0;
    size_t column = 4;
    char item[160];
    buf_addz(out, "  explore = { schedule = [[\n   ");
    for (size_t i = 0; i < p->count; i++) {
        const step *s = &p->steps[i];
        int64_t at_ms = s->at_ms - p->steps[0].at_ms;
        const char *name = p->actors[s->actor].name;
        if (at_ms > now_ms) {
            snprintf(item, sizeof item, "+%" PRId64, at_ms - now_ms);
            add_item(out, &column, item);
        }
        if (at_ms > seen_ms[s->actor]) {
            snprintf(item, sizeof item, "%s.sleep", name);
            add_item(out, &column, item);
        }
        now_ms = seen_ms[s->actor] = at_ms;
        snprintf(item, sizeof item, "%s.%.*s", name, (int)(s->op.n < 120 ? s->op.n : 120), s->op.p);
        add_item(out, &column, item);
    }
    buf_addz(out, " ]] },\n");
}

/* ---- the file ---- */

static void add_comment(str text, buf *out)
{
    enum { COLUMNS = 110 };
    size_t column = 0;
    for (size_t at = 0; at < text.n;) {
        size_t end = str_find(text, ' ', at);
        if (column && column + end - at > COLUMNS)
            column = 0;
        buf_addz(out, column ? " " : at ? "\n-- " : "-- ");
        for (size_t i = at; i < end; i++)
            buf_byte(out, text.p[i] >= ' ' && text.p[i] < 0x7F ? text.p[i] : '?');
        column += end - at + 1;
        at = end + 1;
    }
    buf_addz(out, text.n ? "\n" : "");
}

static void add_scripts(const passage *p, buf *out)
{
    for (size_t i = 0; i < p->script_count; i++) {
        const known_script *k = &p->scripts[i];
        if (!k->used || k->name.n)
            continue;
        buf_printf(out, "local script_%zu = ", i + 1);
        for (size_t at = 0, end; at < k->body.n; at = end + 1) {
            end = str_find(k->body, '\n', at);
            buf_addz(out, at ? " ..\n  " : "");
            add_text(out, str_slice(k->body, at, end + (end < k->body.n)));
        }
        buf_addz(out, "\n");
    }
}

static bool has_texts(const passage *p)
{
    for (size_t i = 0; i < p->script_count; i++)
        if (p->scripts[i].used && !p->scripts[i].name.n)
            return true;
    return false;
}

static bool has_instants(const passage *p)
{
    int64_t at;
    for (size_t i = 0; i < p->count; i++)
        for (size_t k = 0; k < p->steps[i].argc; k++)
            if (is_instant(p->steps[i].argv[k], p->steps[i].at_ms, &at))
                return true;
    return false;
}

static void add_clients(const passage *p, buf *out)
{
    buf_addz(out, "  clients = { ");
    for (size_t i = 0; i < p->actor_count; i++) {
        const actor *a = &p->actors[i];
        buf_addz(out, !i ? "" : i % 16 ? ", " : ",\n    ");
        buf_printf(out, a->operator ? "{ \"%s\", operator = true }" : "\"%s\"", a->name);
    }
    buf_addz(out, " },\n");
}

static void add_expect(const passage_about *about, buf *out)
{
    buf_addz(out, "  expect = { ");
    size_t n = 0;
    for (property i = 0; i < PROPERTY_COUNT; i++)
        if (about->violated[i])
            buf_printf(out, "%s%s = \"violated\"", n++ ? ", " : "", property_describe(i)->name);
    buf_addz(out, " },\n");
}

void passage_write(const passage *p, const passage_about *about, buf *out)
{
    const step *first = &p->steps[0], *last = &p->steps[p->count - 1];
    buf b = { 0 };
    buf_printf(&b, "Lines %zu to %zu of %.*s, written by `locksim trace --to-scenario`: each client sends what the log "
               "says, at its own time.", first->line, last->line, STR_ARG(about->log));
    add_comment(buf_str(&b), out);
    add_comment(about->story, out);
    if (has_texts(p))
        add_comment(S("Scripts that the log gives as text stand here as text: put script \"yours.lua\" in the place of "
                      "what you mend."), out);
    add_comment(S("When the lock is mended, a property that was violated holds: take it out of `expect` then, and the "
                  "scenario keeps watch."), out);
    buf_addz(out, "local recorded = require \"recorded\"\n");
    if (has_instants(p))
        buf_addz(out, "local at = recorded.at     -- an instant, in ms from the first request\n");
    add_scripts(p, out);
    buf_addz(out, "\nreturn {\n  title = ");
    add_text(out, about->title);
    buf_addz(out, ",\n");
    if (about->dialect.n) {
        buf_addz(out, "  dialect = ");
        add_text(out, about->dialect);
        buf_addz(out, ",\n");
    }
    add_clients(p, out);
    buf_addz(out, "  program = recorded.program {\n    driver = require ");
    add_text(out, about->driver);
    buf_addz(out, ", lock = ");
    add_text(out, p->lock);
    buf_addz(out, ",\n");
    add_meaning(p, "granted", DEED_ACQUIRE, out);
    add_meaning(p, "released", DEED_RELEASE, out);
    buf_addz(out, "    requests = {\n");
    for (size_t i = 0; i < p->actor_count; i++) {
        const actor *a = &p->actors[i];
        buf_clear(&b);
        if (a->owner)
            buf_printf(&b, "%.*s, of %.*s", STR_ARG(a->who), STR_ARG(a->client));
        else
            buf_add(&b, a->client);
        buf_printf(out, "    %s = {   ", a->name);
        add_comment(buf_str(&b), out);
        for (size_t k = 0; k < p->count; k++)
            if (p->steps[k].actor == i)
                add_step(p, &p->steps[k], out);
        buf_addz(out, "    },\n");
    }
    buf_addz(out, "    },\n  },\n");
    add_schedule(p, out);
    add_expect(about, out);
    buf_addz(out, "}\n");
    buf_free(&b);
}
