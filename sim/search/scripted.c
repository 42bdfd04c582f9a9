/* scripted.c - follows a schedule from a user or a file, then lets the run go on in the settled order to its end. */
#include "search/internal.h"

static bool fail_at(hunt *h, const schedule_item *item, size_t i, err *e)
{
    if (e->class_ == ERR_SCENARIO && e->path.n == 0) {
        buf_add(&e->path, h->sc->path);
        err here = { 0 };
        err_set(&here, ERR_SCENARIO, "schedule, step %zu (line %d, column %d of its text): %.*s", i + 1, item->line,
                item->col, STR_ARG(buf_str(&e->message)));
        buf_clear(&e->message);
        buf_add(&e->message, buf_str(&here.message));
        err_clear(&here);
    }
    h->failed = true;
    return false;
}

static bool count_step(void *context, world *w)
{
    hunt *h = context;
    size_t told = world_story(w)->count;           /* a closing bracket is no step */
    h->out->search.transitions += told - h->steps;
    h->steps = told;
    run_note(h, w);
    return true;
}

static bool follow(hunt *h, world *w, const schedule_item *items, size_t count)
{
    err *e = &h->out->error;
    size_t at;
    bool ok = scripted_follow(h, w, items, count, h->o->claim, count_step, h, &at, e);
    if (ok && at < count) {                        /* the world is at its end */
        step s;
        ok = world_find(w, items[at].token, items[at].argument, &s, e);
    }
    h->out->items = at;
    return ok || fail_at(h, &items[at], at, e);
}

static void finish(hunt *h, world *w, size_t n)
{
    settler order = { .last = NOBODY };
    while (!world_over(w) && !h->failed) {
        const step *steps;
        size_t count = world_enabled(w, &steps);
        if (only_faults(steps, count)) {
            h->failed |= !world_settle(w, &h->out->error);
            run_note(h, w);
            return;
        }
        if (n++ >= h->max_steps) {
            h->cut_runs++;
            return;
        }
        size_t k = settle_choose(&order, w, steps, count, n);
        h->failed |= !world_take(w, &steps[k], &h->out->error);
        h->out->search.transitions++;
        h->steps++;
        run_note(h, w);
    }
}

static void keep_marks(arena *a, const story *from, size_t steps, story *to)
{
    to->marks = ARENA_ARRAY(a, story_mark, from->mark_count + 1);
    for (size_t i = 0; i < from->mark_count && from->marks[i].step <= steps; i++) {
        story_mark m = from->marks[i];
        m.who = arena_str(a, m.who);
        m.lock = arena_str(a, m.lock);
        m.text = arena_str(a, m.text);
        to->marks[to->mark_count++] = m;
    }
    to->keys = ARENA_ARRAY(a, story_key, from->key_count + 1);
    for (size_t i = 0; i < from->key_count && from->keys[i].step <= steps; i++) {
        story_key k = from->keys[i];
        k.name = arena_str(a, k.name);
        k.value = arena_str(a, k.value);
        to->keys[to->key_count++] = k;
    }
}

/* Steps after the last kept one have not happened. */
static story_request request_until(arena *a, const story_request *from, size_t steps)
{
    story_request r = *from;
    str *argv = ARENA_ARRAY(a, str, from->argc + 1);
    for (size_t i = 0; i < from->argc; i++)
        argv[i] = arena_str(a, from->argv[i]);
    r.argv = argv;
    r.who = arena_str(a, from->who);
    r.op = arena_str(a, from->op);
    r.lock = arena_str(a, from->lock);
    r.answer = arena_str(a, from->answer);
    if (from->executed_step > steps) {
        r.executed_ms = STORY_NEVER_MS;
        r.executed_step = r.order = 0;
        r.answer = S("");
    }
    if (from->answered_step > steps) {
        r.answered_ms = STORY_NEVER_MS;
        r.answered_step = 0;
    }
    return r;
}

static void keep_requests(arena *a, const story *from, size_t steps, story *to)
{
    to->requests = ARENA_ARRAY(a, story_request, from->request_count + 1);
    for (size_t i = 0; i < from->request_count; i++) {
        if (from->requests[i].sent_step > steps)
            continue;
        story_request *r = &to->requests[to->request_count++];
        *r = request_until(a, &from->requests[i], steps);
        str script = from->requests[i].script;
        size_t k = 0;                  /* one copy of each script */
        while (k < i && from->requests[k].script.p != script.p)
            k++;
        r->script = k < i && k < to->request_count ? to->requests[k].script : arena_str(a, script);
        to->executed += r->order > 0;
    }
}

void story_keep(arena *a, const story *from, size_t count, story *to)
{
    *to = (story){ .rows = ARENA_ARRAY(a, story_row, count + 1), .count = count };
    for (size_t i = 0; i < count; i++) {
        story_row r = from->rows[i];
        r.token = arena_str(a, r.token);
        r.did = arena_str(a, r.did);
        r.notes = arena_str(a, r.notes);
        r.redis = arena_str(a, r.redis);
        r.effects = arena_str(a, r.effects);
        r.location = arena_str(a, r.location);
        r.found = arena_str(a, r.found);
        r.second_did = arena_str(a, r.second_did);
        r.second_redis = arena_str(a, r.second_redis);
        r.second_effects = arena_str(a, r.second_effects);
        to->rows[i] = r;
    }
    keep_marks(a, from, count, to);
    keep_requests(a, from, count, to);
}

static bool nothing_left(world *w)
{
    const step *steps;
    size_t count = world_enabled(w, &steps);
    return only_faults(steps, count);
}

typedef struct {
    property p;
    const violation *v;
} breaking;

static bool look_for(void *context, world *w)
{
    breaking *b = context;
    b->v = model_violation(world_model(w), b->p);
    return !b->v;
}

bool scripted_breaks(hunt *h, str schedule, property p, size_t *at, story *told, finding *found)
{
    err e = { 0 };
    arena *a = arena_new();
    schedule_item *items;
    size_t count;
    const violation *v = NULL;
    world *w = NULL;
    if (schedule_parse(a, schedule, h->sc->path, &items, &count, &e)) {
        str copy = arena_str(a, schedule);
        world_options wo = { .limits = h->o->limits, .mirror = lockstep_mirror(h->o->lockstep), .schedule = copy.p,
                             .record = told != NULL };
        const scenario *sc = naming_of(h, schedule, &e);
        w = sc ? world_new(sc, h->l, &wo, &e) : NULL;
    }
    breaking b = { .p = p };
    size_t item;
    if (w && !(v = model_violation(world_model(w), p))) {
        scripted_follow(h, w, items, count, &p, look_for, &b, &item, &e);
        v = b.v;
    }
    *at = w ? world_steps(w) : 0;
    if (w && !v && !e.class_ && !world_over(w) && nothing_left(w) && world_settle(w, &e))
        v = model_violation(world_model(w), p);
    if (v && told)
        story_keep(h->a, world_story(w), *at, told);
    if (v && found) {
        buf_clear(&found->text);
        buf_clear(&found->why);
        buf_add(&found->text, v->text);
        buf_add(&found->why, v->why);
    }
    bool broke = v != NULL;
    world_free(w);
    arena_free(a);
    err_clear(&e);
    return broke;
}

void search_schedule(hunt *h, str text)
{
    h->out->search.strategy = S("schedule");
    schedule_item *items;
    size_t count;
    if (!schedule_parse(h->a, text, h->sc->path, &items, &count, &h->out->error)) {
        h->failed = true;
        return;
    }
    if (h->o->on_run)
        h->o->on_run(h->o->context);
    str copy = arena_str(h->a, text);
    const scenario *sc = naming_of(h, text, &h->out->error);
    if (!sc) {
        h->failed = true;
        return;
    }
    h->sc = sc;
    world_options wo = run_options(h, copy.p, true);
    world *w = world_new(h->sc, h->l, &wo, &h->out->error);
    if (!w) {
        h->failed = true;
        return;
    }
    h->steps = 0;
    h->given = text;
    run_note(h, w);
    bool loops = count > 0 && str_eq(items[count - 1].token, S("]"));          /* it would go on for ever */
    if (follow(h, w, items, count) && !loops)
        finish(h, w, count);
    story_keep(h->a, world_story(w), world_story(w)->count, &h->out->run);
    h->seen |= world_seen(w);
    h->observed |= world_locks(w) > 0;
    h->out->search.executions = world_requests(w);
    h->out->search.runs = 1;
    h->out->search.longest = h->out->run.count;
    h->out->search.complete = !h->failed && h->cut_runs == 0;
    world_free(w);
}
