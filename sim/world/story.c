/* story.c - writes the story, a row for each step: what was done, what the client concluded, what changed in Redis. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "world/internal.h"

/* Keys of the second keyspace (mirror.h) have server numbers after the last server. */
enum { SECOND = SERVERS_MAX };

/* One key as last reported. */
typedef struct key_shown {
    buf name, value;
    int64_t deadline_ms;   /* INT64_MAX: none */
    uint32_t server;
    bool there;            /* seen in the current survey */
} key_shown;

typedef struct {
    world *w;
    uint32_t server;
    buf *out;              /* NULL: this is the keyspace before the first step */
    size_t before, next;   /* number of keys reported before; the next of them that can still be met */
} survey;

static int in_order(const void *a, const void *b)
{
    const key_shown *x = a, *y = b;
    return x->server != y->server ? (x->server < y->server ? -1 : 1) : str_cmp(buf_str(&x->name), buf_str(&y->name));
}

bool story_line(buf *out)
{
    static const char more[] = "... and more, which is left out";
    if (out->n >= STORY_STEP_BYTES_MAX) {
        if (!str_ends(buf_str(out), str_from(more)))
            buf_printf(out, "\n%s", more);
        return false;
    }
    if (out->n)
        buf_byte(out, '\n');
    return true;
}

void story_text(buf *out, str s)
{
    buf_add(out, str_slice(s, 0, STORY_TEXT_BYTES_MAX));
    if (s.n > STORY_TEXT_BYTES_MAX)
        buf_printf(out, "... (%zu bytes)", s.n);
}

static void keep_change(world *w, const key_shown *k, bool gone)
{
    if (k->server >= SECOND)                       /* the second version's keys appear in words only */
        return;
    buf value = { 0 };
    story *s = &w->story;
    if (!gone)
        story_text(&value, buf_str(&k->value));
    MEM_RESERVE(s->keys, s->key_cap, s->key_count + 1);
    story_key *c = &s->keys[s->key_count++];
    *c = (story_key){ .step = w->story_step, .server = k->server, .value = arena_str(w->story_memory, buf_str(&value)),
                      .deadline_ms = k->deadline_ms, .gone = gone, .expired = gone && k->deadline_ms < w->now_ms };
    buf_clear(&value);
    story_text(&value, buf_str(&k->name));
    c->name = arena_str(w->story_memory, buf_str(&value));
    buf_free(&value);
}

static void line_begin(world *w, buf *out, uint32_t server)
{
    if (story_line(out) && w->server_count > 1)
        buf_printf(out, "%u: ", server % SECOND + 1);
}

static bool full(const buf *out)
{
    return out->n >= STORY_STEP_BYTES_MAX;
}

static void see_key(void *context, str key, str shown, int64_t ttl_ms)
{
    survey *v = context;
    world *w = v->w;
    int64_t deadline_ms = ttl_ms < 0 ? INT64_MAX : w->now_ms + ttl_ms;
    /* Both lists are sorted by server and key: reported keys before this one are gone. */
    while (v->next < v->before && (w->shown[v->next].server < v->server || (w->shown[v->next].server == v->server &&
                                                                         str_cmp(buf_str(&w->shown[v->next].name),
                                                                                 key) < 0)))
        v->next++;
    key_shown *k = v->next < v->before ? &w->shown[v->next] : NULL;
    bool fresh = !k || k->server != v->server || !str_eq(buf_str(&k->name), key);
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
    if (changed)
        keep_change(w, k, false);
    if (!changed || !v->out)
        return;
    line_begin(w, v->out, v->server);
    if (full(v->out))
        return;
    story_text(v->out, key);
    buf_byte(v->out, ' ');
    story_text(v->out, shown);
    if (ttl_ms >= 0)
        buf_printf(v->out, "  ttl %" PRId64, ttl_ms);
}

static void say_gone(world *w, const key_shown *k, buf *out)
{
    line_begin(w, out, k->server);
    if (full(out))
        return;
    story_text(out, buf_str(&k->name));
    buf_addz(out, k->deadline_ms < w->now_ms ? " expired" : " gone");
}

/* outs: one buffer for each keyspace; NULL: no output. */
static void survey_keys(world *w, buf *outs)
{
    for (size_t i = 0; i < w->shown_count; i++)
        w->shown[i].there = false;
    survey v = { .w = w, .before = w->shown_count };
    for (uint32_t second = 0; second < (w->o.mirror ? 2 : 1); second++)
        for (uint32_t i = 0; i < w->server_count; i++) {
            v.server = i + second * SECOND;
            v.out = outs ? &outs[second] : NULL;
            redis_each_key(second ? w->servers[i].second : w->servers[i].r, server_now_ms(&w->servers[i]),
                           w->step_memory, see_key, &v);
        }
    size_t kept = 0;
    for (size_t i = 0; i < w->shown_count; i++) {
        key_shown *k = &w->shown[i];
        if (k->there) {
            w->shown[kept++] = *k;
            continue;
        }
        keep_change(w, k, true);
        if (outs)
            say_gone(w, k, &outs[k->server >= SECOND]);
        buf_free(&k->name);
        buf_free(&k->value);
    }
    w->shown_count = kept;
    if (kept > 1)
        qsort(w->shown, kept, sizeof *w->shown, in_order);
}

void story_begin(world *w)
{
    survey_keys(w, NULL);
}

void story_name(world *w, const step *s)
{
    buf_clear(&w->token);
    buf_clear(&w->where);
    buf_clear(&w->found);
    buf_clear(&w->did);
    buf_clear(&w->notes);
    buf_clear(&w->effects);
    buf_clear(&w->second_did);
    buf_clear(&w->second_effects);
    w->story_step = w->story.count + 1;
    world_name_step(w, s, &w->token);
    const flight *f = network_find(w, s);
    const task_view *t = s->process == NOBODY || s->task == NOBODY ? NULL : world_task(w, s->process, s->task);
    if (f && f->path.n)
        buf_printf(&w->where, "%.*s:%d", STR_ARG(f->path), f->line);
    else if (t && t->path.n && t->line > 0)  /* a program that has not started has no position */
        buf_printf(&w->where, "%.*s:%d", STR_ARG(t->path), t->line);
}

static void note(world *w, const char *word, const event *e)
{
    story_line(&w->notes);
    buf_addz(&w->notes, word);
    if (e->lock.n && w->lock_count > 1) {
        buf_byte(&w->notes, ' ');
        story_text(&w->notes, e->lock);
    }
}

void story_event(world *w, const event *e)
{
    story_mark_event(w, e);
    if (full(&w->notes)) {
        story_line(&w->notes);
        return;
    }
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
        note(w, str_starts(e->text, S(EVENT_ANSWER)) ? "gets the " : "uses ", &(event){ 0 });
        story_text(&w->notes, e->text);
        if (e->token)
            buf_printf(&w->notes, " with token %" PRId64, e->token);
        break;
    case EVENT_FINDING:
        note(w, "finding: ", &(event){ 0 });
        buf_add(&w->notes, e->op);
        if (e->line > 0)                           /* 0: found before the script's first line ran, among its KEYS */
            buf_printf(&w->notes, ", line %d", e->line);
        if (e->line > 0 && e->path.n) {
            buf_clear(&w->found);
            buf_printf(&w->found, "%.*s:%d", STR_ARG(e->path), e->line);
        }
        buf_addz(&w->notes, ": ");
        story_text(&w->notes, e->text);
        break;
    case EVENT_BUSY: note(w, "polls in zero time", &(event){ 0 }); break;
    default: break;
    }
}

void story_end(world *w, const step *s)
{
    arena *a = w->story_memory;
    buf redis[2] = { { 0 } };
    survey_keys(w, redis);
    MEM_RESERVE(w->story.rows, w->story.cap, w->story.count + 1);
    w->story.rows[w->story.count++] = (story_row){
        .at_ms = w->now_ms, .process = s->process, .token = arena_str(a, buf_str(&w->token)),
        .did = arena_str(a, buf_str(&w->did)),
        .notes = arena_str(a, buf_str(&w->notes)), .redis = arena_str(a, buf_str(&redis[0])),
        .effects = arena_str(a, buf_str(&w->effects)), .location = arena_str(a, buf_str(&w->where)),
        .found = arena_str(a, buf_str(&w->found)),
        .second_did = arena_str(a, buf_str(&w->second_did)), .second_redis = arena_str(a, buf_str(&redis[1])),
        .second_effects = arena_str(a, buf_str(&w->second_effects)),
    };
    buf_free(&redis[0]);
    buf_free(&redis[1]);
}

void story_free(world *w)
{
    for (size_t i = 0; i < w->shown_count; i++) {
        buf_free(&w->shown[i].name);
        buf_free(&w->shown[i].value);
    }
    mem_free(w->shown);
    mem_free(w->story.rows);
    mem_free(w->story.marks);
    mem_free(w->story.keys);
    mem_free(w->story.requests);
    buf_free(&w->token);
    buf_free(&w->where);
    buf_free(&w->found);
    buf_free(&w->did);
    buf_free(&w->notes);
    buf_free(&w->effects);
    buf_free(&w->second_did);
    buf_free(&w->second_effects);
    arena_free(w->story_memory);
}
