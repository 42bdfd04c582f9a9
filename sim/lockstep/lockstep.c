/* lockstep.c - see lockstep.h: which script of one version corresponds to which of the other, and the execution of each
 * request on the second keyspace. */
#include <stdlib.h>
#include <string.h>

#include "base/lua_tokens.h"
#include "base/mem.h"
#include "lockstep/lockstep_internal.h"
#include "script/script.h"

void lockstep_free(lockstep *t)
{
    if (!t)
        return;
    for (int i = 0; i < 2; i++) {
        if (t->trial[i])
            redis_free(t->trial[i]);
        mem_free(t->said[i].items);
    }
    mem_free(t->scripts);
    arena_free(t->memory);
    mem_free(t);
}

mirror *lockstep_mirror(lockstep *t) { return t ? &t->m : NULL; }

static lockstep *of(mirror *m) { return (lockstep *)m; }

lockstep *lockstep_of(const world *w) { return of(w->o.mirror); }

bool lockstep_same_scripts(const lockstep *t)
{
    for (size_t i = 0; i < t->script_count; i++)
        if (strcmp(t->scripts[i]->sha1, t->scripts[i]->second->sha1) != 0)
            return false;
    return true;
}

const dialect *lockstep_second_server(const lockstep *t)
{
    return t->relation.two_servers ? &t->relation.dialect : NULL;
}

/* ---- scripts ---- */

/* The largest n of KEYS[n] in the text. */
static size_t largest_key(str text, int *line, int *col)
{
    tokens x = { .text = text, .line = 1 };
    token last[2] = { { 0 } }, t;
    size_t most = 0;
    while (tokens_next(&x, &t) == TOKENS_ONE) {
        bool index = t.kind == TOKEN_NUMBER && token_reads(&last[1], "[") && last[0].kind == TOKEN_NAME &&
                     token_reads(&last[0], "KEYS");
        size_t n = 0;
        for (size_t i = 0; index && i < t.text.n && t.text.p[i] >= '0' && t.text.p[i] <= '9' && n < SIZE_MAX / 100; i++)
            n = n * 10 + (size_t)(t.text.p[i] - '0');
        if (n > most) {
            most = n;
            *line = last[0].line;
            *col = last[0].col;
        }
        last[0] = last[1];
        last[1] = t;
    }
    return most;
}

const lockstep_script *lockstep_find(const lockstep *t, str sha1)
{
    for (size_t i = 0; i < t->script_count; i++)
        if (str_eq_nocase(str_from(t->scripts[i]->sha1), sha1))
            return t->scripts[i];
    return NULL;
}

/* The scenario's patch is applied to the second version, too. */
static bool patch_second(lockstep *t, const script_file *first, script_file *second, err *e)
{
    for (size_t i = 0; i < t->scenario->patch_count; i++) {
        patched changed;
        if (!str_eq(t->scenario->patches[i].name, first->name))
            continue;
        if (!patch_apply(t->memory, &t->scenario->patches[i], second->path, second->body, &changed, e))
            return false;
        second->original = arena_str(t->memory, second->path);
        second->patched_by = first->patched_by;
        second->path = first->path;
        second->body = changed.text;
        second->origins = changed.origins;
        second->lines = changed.lines;
    }
    return true;
}

static bool read_second(lockstep *t, const script_file *first, script_file *second, err *e)
{
    *second = (script_file){ .name = arena_str(t->memory, first->name), .path = S(""), .body = first->body };
    if (first->path.n > 0) {           /* a script without a path is a text of the driver, shared by both versions */
        if (!t->from.read(t->from.context, first->name, t->memory, &second->path, &second->body, e))
            return false;
        if (first->origins && !patch_second(t, first, second, e))
            return false;
    }
    second->path = arena_str(t->memory, second->path);
    second->body = arena_str(t->memory, second->body);
    redis_sha1(second->body, second->sha1);
    return true;
}

/* In Redis's words; empty: it compiles. */
static str why_not_compiled(arena *a, str body)
{
    redis *compiler = redis_new((redis_limits){ 0 });
    str why = S("");
    why = redis_load_script(compiler, body, a, &why) ? S("") : arena_str(a, why);
    redis_free(compiler);
    return why;
}

const lockstep_script *lockstep_counterpart(lockstep *t, const script_file *first, err *e)
{
    const lockstep_script *known = lockstep_find(t, str_from(first->sha1));
    if (known)
        return known;
    script_file *second = ARENA_NEW(t->memory, script_file);
    if (!read_second(t, first, second, e))
        return NULL;
    lockstep_script *s = ARENA_NEW(t->memory, lockstep_script);
    memcpy(s->sha1, first->sha1, sizeof s->sha1);
    s->second = second;
    s->first_why_not = why_not_compiled(t->memory, first->body);
    s->why_not = why_not_compiled(t->memory, second->body);
    int line, col;
    s->first_keys = largest_key(first->body, &line, &col);
    s->second_keys = largest_key(second->body, &s->line, &s->col);
    MEM_RESERVE(t->scripts, t->script_cap, t->script_count + 1);
    t->scripts[t->script_count++] = s;
    return s;
}

static void learn(mirror *m, server *s, const script_file *script)
{
    err none = { 0 };
    str why;
    const lockstep_script *known = lockstep_counterpart(of(m), script, &none);
    if (known)             /* errors are reported when the script is to run */
        redis_load_script(s->second, known->second->body, s->w->step_memory, &why);
    err_clear(&none);
}

/* "ERR Error compiling script (new function): user_script:3: '=' expected near 'x'"; of a library user_function:3: */
static bool does_not_compile(const script_file *f, const char *which, str why, err *e)
{
    bool library = redis_is_library(f->body);
    const char *where = library ? "user_function:" : "user_script:";
    size_t at = 0;
    while (at < why.n && !str_starts(str_slice(why, at, why.n), str_from(where)))
        at++;
    int line = 0;
    str rest = why;
    if (at < why.n) {
        for (at += strlen(where); at < why.n && why.p[at] >= '0' && why.p[at] <= '9'; at++)
            line = line * 10 + (why.p[at] - '0');
        rest = str_slice(why, at + 2, why.n);
    }
    err_at(e, ERR_SCENARIO, f->path, line, 0, "the %s version does not compile: %.*s", which, STR_ARG(rest));
    err_quote(e, f->body);
    return false;
}

/* Can the second version's script run in place of the first one's? */
static bool fits(lockstep *t, const flight *f, err *e)
{
    if (!f->script)
        return true;
    const lockstep_script *known = lockstep_counterpart(t, f->script, e);
    if (!known)
        return false;
    /* a text of the driver: wrong in both versions, and perhaps on purpose */
    bool own_text = known->second->path.n == 0;
    if (!own_text && known->first_why_not.n > 0)
        return does_not_compile(f->script, "first", known->first_why_not, e);
    if (!own_text && known->why_not.n > 0)
        return does_not_compile(known->second, "second", known->why_not, e);
    size_t given = 0;
    for (size_t i = 0; f->argc > 2 && i < f->argv[2].n && given < f->argc; i++)
        given = given * 10 + (size_t)(f->argv[2].p[i] - '0');
    if (known->second_keys <= given || known->second_keys <= known->first_keys)
        return true;
    err_at(e, ERR_SCENARIO, known->second->path, known->line, known->col, "the second version of %.*s uses KEYS[%zu], "
           "and the driver of the first one sends %zu", STR_ARG(f->script->name), known->second_keys, given);
    err_quote(e, known->second->body);
    return err_hint(e, "versions with different KEYS cannot be compared under one driver: run the scenarios with each "
                    "(--scripts DIR)");
}

/* ---- the second keyspace ---- */

static void say(lockstep *t, bool second, uint32_t conn, str what)
{
    struct said_list *l = &t->said[second];
    MEM_RESERVE(l->items, l->cap, l->count + 1);
    l->items[l->count] = (said){ .conn = conn, .seq = (uint32_t)l->count, .what = what };
    l->count++;
}

static void message_of_first(mirror *m, server *s, uint32_t conn, str channel, str payload, str pattern)
{
    say(of(m), false, conn, lockstep_message(s->w->step_memory, channel, payload, pattern));
}

static void answered_of_first(mirror *m, server *s, uint32_t conn, const reply *answer)
{
    say(of(m), false, conn, lockstep_answer(s->w->step_memory, answer));
}

static void on_message(void *context, uint32_t conn, str channel, str payload, str pattern)
{
    server *s = context;
    say(lockstep_of(s->w), true, conn, lockstep_message(s->w->step_memory, channel, payload, pattern));
}

static void on_answered(void *context, uint32_t conn, const reply *answer)
{
    server *s = context;
    say(lockstep_of(s->w), true, conn, lockstep_answer(s->w->step_memory, answer));
}

static void on_effect(void *context, str sha1, int line, const str *argv, size_t argc, const reply *r)
{
    server *s = context;
    world *w = s->w;
    if (w->learner) {
        server_note_publish(w, argv, argc);
        return;
    }
    const lockstep *t = lockstep_of(w);
    const script_file *f = NULL;
    for (size_t i = 0; i < t->script_count && !f; i++)
        if (str_eq(str_from(t->scripts[i]->second->sha1), sha1))
            f = t->scripts[i]->second;
    story_effect(&w->second_effects, f, line, argv, argc, r);
}

static redis *open_second(mirror *m, server *s)
{
    const world *w = s->w;
    redis_limits limits = w->o.limits;
    if (of(m)->relation.two_servers)
        limits.dialect = of(m)->relation.dialect;
    redis *second = redis_new(limits);
    redis_observe(second, &(redis_observer){ .context = s, .message = on_message, .answered = on_answered,
                                             .effect = w->o.record || w->learner ? on_effect : NULL });
    return second;
}

/* ---- a request ---- */

/* SCRIPT LOAD text, FUNCTION LOAD [REPLACE] text. */
static bool is_load(const flight *f)
{
    return f->argc > 2 && (str_eq_nocase(f->argv[0], S("SCRIPT")) || str_eq_nocase(f->argv[0], S("FUNCTION"))) &&
           str_eq_nocase(f->argv[1], S("LOAD"));
}

static flight translate(mirror *m, const flight *f, arena *a)
{
    const lockstep *t = of(m);
    flight other = *f;
    other.argv = ARENA_ARRAY(a, str, f->argc + 1);
    for (size_t i = 0; i < f->argc; i++)
        other.argv[i] = f->argv[i];
    bool by_hash = f->argc > 1 && str_starts_nocase(f->argv[0], S("EVALSHA"));
    bool by_text = f->argc > 1 && !by_hash && str_starts_nocase(f->argv[0], S("EVAL"));
    /* the same function of the other library */
    bool by_name = f->script && f->argc > 1 && str_starts_nocase(f->argv[0], S("FCALL"));
    size_t at = by_hash || by_text ? 1 : is_load(f) ? f->argc - 1 : 0;
    char sha1[41];
    if (at > 0 && !by_hash)
        redis_sha1(f->argv[at], sha1);
    const lockstep_script *s = by_name ? lockstep_find(t, str_from(f->script->sha1)) : at == 0 ? NULL
                               : lockstep_find(t, by_hash ? f->argv[at] : str_from(sha1));
    if (s && !by_name)
        other.argv[at] = by_hash ? str_from(s->second->sha1) : s->second->body;
    other.script = s ? s->second : f->script;
    return other;
}

static void begin(mirror *m)
{
    of(m)->said[0].count = of(m)->said[1].count = 0;
}

static int by_connection(const void *x, const void *y)
{
    const said *a = x, *b = y;
    if (a->conn != b->conn)
        return a->conn < b->conn ? -1 : 1;
    return a->seq < b->seq ? -1 : a->seq > b->seq;
}

/* Messages of one connection are ordered; messages of different connections are not, as no client could tell. */
static bool same_said(lockstep *t)
{
    bool same = t->said[0].count == t->said[1].count;
    for (int i = 0; i < 2 && same && t->said[i].count > 1; i++)
        qsort(t->said[i].items, t->said[i].count, sizeof *t->said[i].items, by_connection);
    for (size_t i = 0; same && i < t->said[0].count; i++) {
        const said *x = &t->said[0].items[i], *y = &t->said[1].items[i];
        same = x->conn == y->conn && str_eq(x->what, y->what);
    }
    return same;
}

/* Compares both runs of one request. */
static unsigned differences(lockstep *t, server *s, str first, str second, const int64_t waits_ms[2])
{
    unsigned differ = DIFFER_NOT;
    if (waits_ms[0] != waits_ms[1] || !str_eq(first, second))
        differ |= DIFFER_ANSWER;
    if (!same_said(t))
        differ |= DIFFER_MESSAGE;
    if (!lockstep_same_keys(t, s->r, s->second, server_now_ms(s)))
        differ |= DIFFER_KEYS;
    return differ;
}

static bool execute(mirror *m, world *w, flight *f, int64_t waits_ms, unsigned *differ, reply *answer, err *e)
{
    lockstep *t = of(m);
    server *s = &w->servers[f->server];
    arena *a = w->step_memory;
    *differ = DIFFER_NOT;
    if (!fits(t, f, e))
        return false;
    flight other = translate(m, f, a);
    redis_conn *conn = f->dead ? NULL : mirror_conn(s, network_conn_id(w, f->process, f->server, false));
    redis_conn *subscriber = f->dead ? NULL : mirror_conn(s, network_conn_id(w, f->process, f->server, true));
    other.answer = network_run(w, s->second, &other, conn, subscriber, server_now_ms(s), a);
    const int64_t waits[] = { waits_ms, network_waits_ms(s->second, f, server_now_ms(s)) };
    str first, second;
    if (!lockstep_common(w, f, false, &f->answer, &first, e) ||
        !lockstep_common(w, &other, true, &other.answer, &second, e))
        return false;
    *answer = other.answer;
    *differ = differences(t, s, first, second, waits);
    if (!w->learner)
        lockstep_tell(w, f, &other, waits, *differ);
    return true;
}

lockstep *lockstep_new(const scenario *sc, const loader *second, const lockstep_relation *relation)
{
    lockstep *t = mem_zero(sizeof *t);
    t->m = (mirror){ .open = open_second, .learn = learn, .begin = begin, .message = message_of_first,
                     .answered = answered_of_first, .execute = execute, .translate = translate };
    t->memory = arena_new();
    t->from = *second;
    t->scenario = sc;
    t->relation = *relation;
    return t;
}
