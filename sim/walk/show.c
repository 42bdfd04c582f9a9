/* show.c - see show.h. */
#include "walk/show.h"

#include <inttypes.h>

#include "report/clean.h"
#include "report/report.h"
#include "world/look.h"

enum { VALUES_MAX = 12 };              /* of one process */

/* A list of lines, each below the other. */
static void add_lines(buf *out, const char *head, str lines)
{
    while (lines.n > 0) {
        size_t end = str_find(lines, '\n', 0);
        buf_addz(out, head);
        clean_text(out, str_slice(lines, 0, end));
        buf_byte(out, '\n');
        lines = str_slice(lines, end < lines.n ? end + 1 : end, lines.n);
    }
}

void show_rows(const world *w, size_t count, buf *out)
{
    const story *s = world_story(w);
    for (size_t i = s->count > count ? s->count - count : 0; i < s->count; i++) {
        const story_row *r = &s->rows[i];
        buf_printf(out, "%4zu  ", i + 1);
        report_add_instant(out, r->at_ms);
        buf_addz(out, "  ");
        clean_text(out, r->token);
        if (r->did.n && !str_eq(r->did, r->token)) {
            buf_addz(out, "   ");
            clean_text(out, r->did);
        }
        buf_byte(out, '\n');
        add_lines(out, "            ", r->notes);
        add_lines(out, "            redis: ", r->redis);
    }
}

/* Is the file below that folder? */
static bool is_below(str path, str folder)
{
    return folder.n && str_starts(path, folder) && path.n > folder.n && path.p[folder.n] == '/';
}

typedef struct {
    const world *w;
    uint32_t process, task;
    str shipped;
} task_place;

/* The line of the user's own code where a task stands, and its line within the shipped scripts. */
static void add_stand(const task_place *t, buf *out)
{
    enum { CALLS_MAX = 64 };
    position at[CALLS_MAX];
    size_t count = look_places(t->w, t->process, t->task, at, COUNT(at)), own = 0;
    while (own < count && is_below(at[own].path, t->shipped))
        own++;
    own = own < count ? own : 0;
    if (count == 0)
        return;
    buf_addz(out, "  ");
    clean_text(out, at[own].path);
    buf_printf(out, ":%d", at[own].line);
    if (own == 0)
        return;
    buf_addz(out, "  in ");
    clean_text(out, at[0].path);
    buf_printf(out, ":%d", at[0].line);
}

/* The text beside a step's name: the position where its task goes on. */
static void add_place(world *w, const step *s, str shipped, buf *out)
{
    if (s->kind != STEP_TIME && s->process != NOBODY && s->task != NOBODY && s->kind != STEP_FAULT)
        add_stand(&(task_place){ w, s->process, s->task, shipped }, out);
}

void show_choices(world *w, str shipped, buf *out)
{
    const step *steps;
    size_t count = world_enabled(w, &steps);
    if (count == 0)
        buf_addz(out, "nothing can happen any more\n");
    for (size_t i = 0; i < count; i++) {
        buf name = { 0 };
        world_name_step(w, &steps[i], &name);
        buf_printf(out, "%4zu  ", i + 1);
        clean_text(out, buf_str(&name));
        add_place(w, &steps[i], shipped, out);
        buf_byte(out, '\n');
        buf_free(&name);
    }
}

bool show_choice(world *w, size_t n, buf *name)
{
    const step *steps;
    size_t count = world_enabled(w, &steps);
    if (n == 0 || n > count)
        return false;
    world_name_step(w, &steps[n - 1], name);
    return true;
}

/* Is it the last report about its key? */
static bool is_last(const story *s, size_t i)
{
    for (size_t k = i + 1; k < s->key_count; k++)
        if (s->keys[k].server == s->keys[i].server && str_eq(s->keys[k].name, s->keys[i].name))
            return false;
    return true;
}

void show_keys(const world *w, buf *out)
{
    const story *s = world_story(w);
    size_t shown = 0;
    for (size_t i = 0; i < s->key_count; i++) {
        const story_key *k = &s->keys[i];
        if (k->gone || !is_last(s, i))
            continue;
        shown++;
        if (k->server > 0)
            buf_printf(out, "(server %u) ", k->server + 1);
        clean_text(out, k->name);
        buf_byte(out, ' ');
        clean_text(out, k->value);
        if (k->deadline_ms != INT64_MAX)
            buf_printf(out, "  ttl %" PRId64, k->deadline_ms - world_now_ms(w));
        buf_byte(out, '\n');
    }
    if (!shown)
        buf_addz(out, "no key\n");
}

static const char *status_text(const task_view *t)
{
    switch (t->status) {
    case TASK_READY: return "ready";
    case TASK_REQUEST: return "waits for an answer";
    case TASK_SLEEP: return "sleeps";
    case TASK_WORK: return str_eq(t->next, S("start")) ? "has not started" : "works";
    case TASK_CHOOSE: return "chooses";
    case TASK_WAIT: return "waits";
    case TASK_POINT: return "may be preempted";
    default: return "has ended";
    }
}

static void add_task(const task_place *where, const task_view *t, buf *out)
{
    buf_addz(out, "  ");
    clean_text(out, t->who);
    buf_byte(out, ' ');
    clean_text(out, t->name);
    buf_printf(out, "  %s", status_text(t));
    if (t->next.n && t->status != TASK_WORK) {
        buf_addz(out, " (");
        clean_text(out, t->next);
        buf_byte(out, ')');
    }
    if ((t->status == TASK_SLEEP || t->status == TASK_WAIT) && t->wake_ms != INT64_MAX)
        buf_printf(out, ", %" PRId64 " ms more", t->wake_ms - world_now_ms(where->w));
    add_stand(where, out);
    buf_byte(out, '\n');
}

/* Variables that functions share are hidden: most are modules and constants. Those of the user's own code come
 * first. */
static bool is_shown(const fact *f, str shipped, bool own)
{
    bool is_field = str_starts(f->name, S("field `me."));
    return (is_field || str_starts(f->name, S("local "))) && own == (is_field || !is_below(f->where, shipped));
}

static void add_value(const fact *f, buf *out)
{
    buf_addz(out, "    ");
    clean_text(out, f->name);
    buf_addz(out, " = ");
    clean_text(out, clean_cut(f->value, 60));
    buf_byte(out, '\n');
}

static void add_values(world *w, uint32_t process, str shipped, buf *out)
{
    arena *a = arena_new();
    facts held = { .memory = a };
    look_values(w, process, &held);
    size_t shown = 0;
    for (int own = 1; own >= 0; own--)
        for (size_t i = 0; i < held.count; i++)
            if (is_shown(&held.items[i], shipped, own) && ++shown <= VALUES_MAX)
                add_value(&held.items[i], out);
    if (shown > VALUES_MAX)
        buf_addz(out, "    ...\n");
    facts_free(&held);
    arena_free(a);
}

void show_tasks(const scenario *sc, world *w, str shipped, buf *out)
{
    static const char *const states[] = { [LOOK_ALIVE] = "", [LOOK_DEAD] = "  has crashed",
                                          [LOOK_PAUSED] = "  is paused" };
    for (uint32_t p = 0; p < sc->client_count; p++) {
        const task_view *tasks;
        clean_text(out, sc->clients[p].name);
        buf_printf(out, "%s\n", states[look_process(w, p)]);
        size_t count = look_tasks(w, p, &tasks);
        for (size_t i = 0; i < count; i++)
            add_task(&(task_place){ w, p, tasks[i].id, shipped }, &tasks[i], out);
        add_values(w, p, shipped, out);
    }
}

static void add_lock(world *w, size_t i, buf *out)
{
    str name;
    lock_view v;
    bool seen = look_lock(w, i, &name, &v);
    clean_text(out, name);
    if (!seen || v.holder_count == 0)
        buf_addz(out, seen ? "  is free" : "  was not looked at yet");
    for (size_t h = 0; seen && h < v.holder_count; h++) {
        buf_addz(out, h ? ", " : "  held by ");
        clean_text(out, v.holders[h].id);
        buf_printf(out, " (%" PRId64 ")", v.holders[h].count);
    }
    if (seen && v.ttl_ms >= 0)
        buf_printf(out, "  ttl %" PRId64, v.ttl_ms - look_lock_age_ms(w, i));
    for (size_t q = 0; seen && q < v.queue_count; q++) {
        buf_addz(out, q ? ", " : "  queue ");
        clean_text(out, v.queue[q]);
    }
    buf_byte(out, '\n');
}

typedef struct { buf *out; int64_t now_ms; } waiting;

static void add_waiting(void *context, str who, str lock, int64_t since_ms)
{
    waiting *x = context;
    clean_text(x->out, who);
    if (!lock.n) {
        buf_addz(x->out, "  stands where no timer of its own is coming\n");
        return;
    }
    buf_addz(x->out, "  waits for ");
    clean_text(x->out, lock);
    buf_printf(x->out, ", since %" PRId64 " ms\n", x->now_ms - since_ms);
}

void show_broken(const world *w, uint32_t *told, buf *out)
{
    for (int p = 0; p < PROPERTY_COUNT; p++) {
        const violation *v = *told >> p & 1 ? NULL : model_violation(world_model(w), (property)p);
        if (!v)
            continue;
        *told |= UINT32_C(1) << p;
        const property_info *info = property_describe((property)p);
        buf_printf(out, "%s %s: ", info->code, info->name);
        clean_text(out, v->text);
        buf_byte(out, '\n');
        if (v->why.n) {
            buf_addz(out, "  why: ");
            clean_text(out, v->why);
            buf_byte(out, '\n');
        }
    }
}

void show_monitors(world *w, buf *out)
{
    uint32_t told = 0;
    for (size_t i = 0; i < world_locks(w); i++)
        add_lock(w, i, out);
    waiting x = { out, world_now_ms(w) };
    world_each_waiting(w, add_waiting, &x);
    size_t before = out->n;
    show_broken(w, &told, out);
    if (out->n == before)
        buf_addz(out, "nothing is broken so far\n");
}
