/* story.c - the world's account of itself, a row a step: what was done, what the client concluded, what changed in Redis. */
#include <inttypes.h>
#include <string.h>

#include "base/mem.h"
#include "world/internal.h"

/* One key as last told. */
typedef struct key_shown {
    buf name, value;
    int64_t deadline_ms;   /* INT64_MAX: none */
    uint32_t server;
    bool there;            /* found again in the current survey */
} key_shown;

typedef struct {
    world *w;
    uint32_t server;
    buf *out;              /* NULL: only take note */
} survey;

static void line_begin(world *w, buf *out, uint32_t server)
{
    if (out->n)
        buf_byte(out, '\n');
    if (w->server_count > 1)
        buf_printf(out, "%u: ", server + 1);
}

static void see_key(void *context, str key, str shown, int64_t ttl_ms)
{
    survey *v = context;
    world *w = v->w;
    int64_t deadline_ms = ttl_ms < 0 ? INT64_MAX : w->now_ms + ttl_ms;
    key_shown *k = NULL;
    for (size_t i = 0; i < w->shown_count && !k; i++)
        if (w->shown[i].server == v->server && str_eq(buf_str(&w->shown[i].name), key))
            k = &w->shown[i];
    bool fresh = !k;
    if (fresh) {
        MEM_RESERVE(w->shown, w->shown_cap, w->shown_count + 1);
        k = &w->shown[w->shown_count++];
        *k = (key_shown){ .server = v->server };
        buf_add(&k->name, key);
    }
    bool changed = fresh || k->deadline_ms != deadline_ms || !str_eq(buf_str(&k->value), shown);
    k->there = true;
    k->deadline_ms = deadline_ms;
    buf_clear(&k->value);
    buf_add(&k->value, shown);
    if (!changed || !v->out)
        return;
    line_begin(w, v->out, v->server);
    buf_printf(v->out, "%.*s %.*s", STR_ARG(key), STR_ARG(shown));
    if (ttl_ms >= 0)
        buf_printf(v->out, "  ttl %" PRId64, ttl_ms);
}

static void survey_keys(world *w, buf *out)
{
    for (size_t i = 0; i < w->shown_count; i++)
        w->shown[i].there = false;
    for (uint32_t s = 0; s < w->server_count; s++)
        redis_each_key(w->servers[s].r, w->now_ms, w->step_memory, see_key, &(survey){ .w = w, .server = s, .out = out });
    size_t kept = 0;
    for (size_t i = 0; i < w->shown_count; i++) {
        key_shown *k = &w->shown[i];
        if (k->there) {
            w->shown[kept++] = *k;
            continue;
        }
        if (out) {
            line_begin(w, out, k->server);
            buf_printf(out, "%.*s %s", STR_ARG(buf_str(&k->name)), k->deadline_ms < w->now_ms ? "expired" : "gone");
        }
        buf_free(&k->name);
        buf_free(&k->value);
    }
    w->shown_count = kept;
}

void story_begin(world *w)
{
    survey_keys(w, NULL);
}

void story_name(world *w, const step *s)
{
    buf_clear(&w->token);
    buf_clear(&w->where);
    buf_clear(&w->did);
    buf_clear(&w->notes);
    buf_clear(&w->effects);
    world_name_step(w, s, &w->token);
    const flight *f = network_find(w, s);
    const task_view *t = s->process == NOBODY || s->task == NOBODY ? NULL : world_task(w, s->process, s->task);
    if (f && f->path.n)
        buf_printf(&w->where, "%.*s:%d", STR_ARG(f->path), f->line);
    else if (t && t->path.n)
        buf_printf(&w->where, "%.*s:%d", STR_ARG(t->path), t->line);
}

static void note(world *w, const char *word, const event *e)
{
    if (w->notes.n)
        buf_byte(&w->notes, '\n');
    buf_addz(&w->notes, word);
    if (e->lock.n && w->lock_count > 1)
        buf_printf(&w->notes, " %.*s", STR_ARG(e->lock));
}

void story_event(world *w, const event *e)
{
    switch (e->kind) {
    case EVENT_REFUSED: note(w, "refused", e); break;
    case EVENT_GRANTED:
        note(w, "granted", e);
        if (e->count > 1)
            buf_printf(&w->notes, " (hold %" PRId64 ")", e->count);
        if (e->token)
            buf_printf(&w->notes, " token %" PRId64, e->token);
        break;
    case EVENT_GAVE_UP: note(w, "gave up", e); break;
    case EVENT_RELEASED:
        note(w, "released", e);
        if (e->count > 0)
            buf_printf(&w->notes, " (%" PRId64 " left)", e->count);
        break;
    case EVENT_LOST: note(w, "told: not the owner", e); break;
    case EVENT_USE:
        note(w, "uses ", &(event){ 0 });
        buf_add(&w->notes, e->text);
        if (e->token)
            buf_printf(&w->notes, " with token %" PRId64, e->token);
        break;
    case EVENT_FINDING:
        note(w, "finding: ", &(event){ 0 });
        buf_add(&w->notes, e->op);
        if (e->line > 0)                           /* found before the script's first line ran: among its KEYS */
            buf_printf(&w->notes, ", line %d", e->line);
        buf_printf(&w->notes, ": %.*s", STR_ARG(e->text));
        break;
    case EVENT_BUSY: note(w, "polls in zero time", &(event){ 0 }); break;
    default: break;
    }
}

void story_end(world *w, const step *s)
{
    arena *a = w->story_memory;
    buf redis = { 0 };
    survey_keys(w, &redis);
    MEM_RESERVE(w->story.rows, w->story.cap, w->story.count + 1);
    w->story.rows[w->story.count++] = (story_row){
        .at_ms = w->now_ms, .process = s->process, .token = arena_str(a, buf_str(&w->token)), .did = arena_str(a, buf_str(&w->did)),
        .notes = arena_str(a, buf_str(&w->notes)), .redis = arena_str(a, buf_str(&redis)),
        .effects = arena_str(a, buf_str(&w->effects)), .location = arena_str(a, buf_str(&w->where)),
    };
    buf_free(&redis);
}

void story_free(world *w)
{
    for (size_t i = 0; i < w->shown_count; i++) {
        buf_free(&w->shown[i].name);
        buf_free(&w->shown[i].value);
    }
    mem_free(w->shown);
    mem_free(w->story.rows);
    buf_free(&w->token);
    buf_free(&w->where);
    buf_free(&w->did);
    buf_free(&w->notes);
    buf_free(&w->effects);
    arena_free(w->story_memory);
}
