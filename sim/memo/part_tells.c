/* part_tells.c - what is visible of a state or a step outside a client's code, in words: for two worlds side by side
 * (parts.h). */
#include <inttypes.h>
#include <string.h>

#include "memo/parts_internal.h"

/* Announcements: what the client believes, and the program with it. The request behind a belief is not visible. */
static bool is_told(const event *e)
{
    return e->kind <= EVENT_USE || e->kind == EVENT_ENDED;
}

static void put_told(buf *b, const event *e)
{
    static const char *const words[] = { "wants", "refused", "granted", "gave up", "released", "lost", "uses" };
    if (e->kind == EVENT_ENDED) {
        buf_printf(b, "%.*s ends\n", STR_ARG(e->who));
        return;
    }
    const struct { const char *name; int64_t n, none; } numbers[] = { { "lease", e->lease_ms, LEASE_NONE },
                                                                      { "token", e->token, 0 },
                                                                      { "count", e->count, 0 },
                                                                      { "permits", e->permits, 0 } };
    str what = e->kind == EVENT_USE ? e->text : e->lock;
    bool answer = e->kind == EVENT_USE && str_starts(what, S(EVENT_ANSWER));
    buf_printf(b, "%.*s %s %.*s", STR_ARG(e->who), answer ? "gets the" : words[e->kind], STR_ARG(what));
    if (e->mode.n)
        buf_printf(b, " (%.*s)", STR_ARG(e->mode));
    for (size_t i = 0; i < COUNT(numbers); i++)
        if (numbers[i].n != numbers[i].none)
            buf_printf(b, " %s %" PRId64, numbers[i].name, numbers[i].n);
    buf_byte(b, '\n');
}

str parts_told(const parts *p, uint32_t events, arena *a)
{
    buf b = { 0 };
    const events_record *r = &p->events[events];
    for (size_t i = 0; i < r->count; i++)
        if (is_told(&r->items[i]))
            put_told(&b, &r->items[i]);
    str text = arena_str(a, buf_str(&b));
    buf_free(&b);
    return text;
}

/* A script is written by its name, not its hash: the hash only stands for its text, which two versions may have
 * changed. */
static void put_words(buf *b, const flight *f)
{
    bool by_hash = f->script && f->script->name.n && f->argc > 1 && str_starts_nocase(f->argv[0], S("EVALSHA"));
    for (size_t i = 0; i < f->argc; i++) {
        buf_byte(b, ' ');
        story_text(b, by_hash && i == 1 ? f->script->name : f->argv[i]);
    }
}

str parts_under_way(const parts *p, uint32_t node, arena *a)
{
    buf b = { 0 };
    const node_record *r = &p->nodes[node];
    for (size_t i = 0; i < r->flight_count; i++) {
        const flight *f = &r->flights[i];
        if (f->copy)
            continue;
        buf_printf(&b, "%.*s to server %" PRIu32 ":", STR_ARG(f->op.n ? f->op : S("request")), f->server + 1);
        put_words(&b, f);
        if (f->sync)
            buf_printf(&b, " WAIT %" PRIu32, f->sync);
        if (flight_has_answer(f) && !f->orphan) {
            buf_addz(&b, " -> ");
            reply_print_short(&f->answer, &b);
        }
        buf_byte(&b, '\n');
    }
    str text = arena_str(a, buf_str(&b));
    buf_free(&b);
    return text;
}

str parts_keyspace(const parts *p, uint32_t servers, size_t server)
{
    str state = intern_get(p->server_bytes, p->servers[servers].states[server]);
    return take_lenstr(&state);
}
