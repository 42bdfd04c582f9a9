/* learned_state.c - states of processes by number, and how they age.
 *
 * A frozen process differs from the same one a little later only in its distances from now. So a state is identified by
 * its bytes without the distances, and by the distances. Ageing subtracts the elapsed time from each distance, until a
 * number leaves or enters the window in which it counts as an instant. */
#include <assert.h>
#include <string.h>

#include "base/codec.h"
#include "base/mem.h"
#include "base/numbers.h"
#include "client/hidden.h"
#include "memo/learned_internal.h"

/* Numbers farther from now than this, some thirty years, are no instants. */
#define FAR_MS (1000 * INSTANT_WINDOW_MS)

void states_free(state_set *s)
{
    mem_free(s->at);
    intern_free(s->keys);
    mem_free(s->distances);
    buf_free(&s->bytes);
    buf_free(&s->others);
    numbering_free(&s->numbers);
}

const int64_t *state_wakes(const state *s)
{
    return s->distances + s->frozen_count;
}

const int64_t *state_numbers(const state *s)
{
    return s->distances + s->frozen_count + s->wake_count;
}

/* ---- by key ---- */

static XXH128_hash_t key_of(XXH128_hash_t skeleton, const int64_t *distances, size_t n, int phase_ms)
{
    XXH128_hash_t key = XXH3_128bits_withSeed(distances, n * sizeof *distances, skeleton.low64);
    key.high64 ^= skeleton.high64;
    /* Not by the seed: XXH3 mixes it with a single distance in a way that two near pairs of both may share. */
    uint64_t with_phase[] = { key.low64, key.high64, (uint64_t)phase_ms };
    return phase_ms == 0 ? key : XXH3_128bits(with_phase, sizeof with_phase);
}

/* The state of that key; *fresh: it is new and empty. */
static uint32_t find_or_add(state_set *s, XXH128_hash_t key, bool *fresh)
{
    uint32_t id = intern_add(s->keys, (str){ (const char *)&key, sizeof key }, fresh);
    assert(id < PROCESS_NO_STATE);
    if (!*fresh)
        return id;
    MEM_RESERVE(s->at, s->cap, (size_t)id + 1);
    s->at[id] = (state){ .parent = PROCESS_NO_STATE, .depth = UINT32_MAX, .aged_ms = -1 };
    s->count = (size_t)id + 1;
    return id;
}

/* ---- from a live process ---- */

static void add_distance(state_set *s, size_t *n, int64_t ms)
{
    MEM_RESERVE(s->distances, s->distance_cap, *n + 1);
    s->distances[(*n)++] = ms;
}

/* Cuts the i-th distance out of the bytes of the last freezing. */
static int64_t take_distance(const frozen *f, const buf *bytes, size_t i)
{
    char *at = &bytes->p[f->distances[i].at];
    str from = { at, sizeof(int64_t) };
    int64_t ms = (int64_t)take_u64(&from);
    memset(at, 0, sizeof ms);
    return ms;
}

/* Freezes the process into s->bytes and the first of s->distances. */
static bool freeze(state_set *s, process *live, int64_t now_ms, err *e)
{
    buf_clear(&s->bytes);
    if (!process_freeze(live, now_ms, &s->bytes, e))
        return false;
    frozen f = process_frozen(live);
    s->bytes_distances = 0;
    for (size_t i = 0; i < f.distance_count; i++)
        add_distance(s, &s->bytes_distances, take_distance(&f, &s->bytes, i));
    numbering_read(&s->numbers, live);
    return true;
}

bool state_is(state_set *s, process *live, int64_t now_ms)
{
    buf_clear(&s->others);
    bool same = process_freeze(live, now_ms, &s->others, NULL);
    frozen f = process_frozen(live);
    same = same && f.distance_count == s->bytes_distances;
    for (size_t i = 0; i < s->bytes_distances && same; i++)
        same = take_distance(&f, &s->others, i) == s->distances[i];
    return same && str_eq(buf_str(&s->bytes), buf_str(&s->others));
}

static bool same_but_for_distances(const process *first, buf *of_x, const process *second, buf *of_y)
{
    frozen x = process_frozen(first), y = process_frozen(second);
    size_t n = x.distance_count;
    bool same = n == y.distance_count && of_x->n == of_y->n;
    for (size_t i = 0; i < n && same; i++)
        same = take_distance(&x, of_x, i) == take_distance(&y, of_y, i);
    return same && str_eq(buf_str(of_x), buf_str(of_y));
}

bool state_is_named(state_set *s, const equals *eq, size_t naming, process *first, int64_t now_ms, process *second,
                    int64_t second_now_ms)
{
    buf renamed = { 0 };
    arena *a = arena_new();
    buf_clear(&s->others);
    bool same = process_freeze_named(first, eq, naming, a, now_ms, &renamed, NULL);
    same = same && process_freeze(second, second_now_ms, &s->others, NULL) &&
           same_but_for_distances(first, &renamed, second, &s->others);
    arena_free(a);
    buf_free(&renamed);
    return same;
}

static double number_at(const char *at)
{
    double n;
    uint64_t bits;
    if (*at == 'i')
        return (unsigned char)at[1];
    str from = { at + 1, sizeof bits };
    bits = take_u64(&from);
    memcpy(&n, &bits, sizeof n);
    return n;
}

/* The text of a mark, after its type letter and length. */
static str text_at(const char *at, const char *end)
{
    at++;
    while (*at & 0x80)
        at++;
    return (str){ at + 1, (size_t)(end - at - 1) };
}

/* `bytes`: of the last freezing. */
static void outline_of(arena *a, const frozen *f, str bytes, outline *out)
{
    size_t from = 0;
    outline o = { 0 };
    for (size_t i = 0; i < f->mark_count; i++) {
        const frozen_mark *m = &f->marks[i];
        outline_bytes(&o, str_slice(bytes, from, m->from));
        if (m->hidden)
            ;              /* follows from the clock */
        else if (m->text)
            outline_text(&o, text_at(bytes.p + m->from, bytes.p + m->to));
        else
            outline_number(&o, number_at(bytes.p + m->from));
        from = m->to;
    }
    outline_bytes(&o, str_slice(bytes, from, bytes.n));
    *out = (outline){ .print = o.print, .count = o.count, .numbers = ARENA_ARRAY(a, double, o.count + 1) };
    if (o.count)
        memcpy(out->numbers, o.numbers, o.count * sizeof *out->numbers);
    outline_free(&o);
}

static shape *shape_of(arena *a, process *live, const numbering *numbers, str bytes)
{
    shape *s = ARENA_NEW(a, shape);
    frozen f = process_frozen(live);
    outline_of(a, &f, bytes, &s->outline);
    s->kinds = arena_alloc(a, f.distance_count + 1);
    for (size_t i = 0; i < f.distance_count; i++)
        s->kinds[i] = (uint8_t)f.distances[i].kind;
    const task_view *views;
    s->task_count = process_tasks(live, &views);
    s->tasks = ARENA_ARRAY(a, task_view, s->task_count + 1);
    for (size_t i = 0; i < s->task_count; i++) {
        task_view *t = &s->tasks[i];
        *t = views[i];
        t->id = (uint32_t)i;
        t->name = arena_str(a, t->name);
        t->who = arena_str(a, t->who);
        t->next = arena_str(a, t->next);
        t->path = arena_str(a, t->path);
        t->request = name_request(numbers, t->request);
    }
    s->request_count = numbers->request_count;
    const observed *list;
    s->observed_count = process_observed(live, &list);
    s->observed = ARENA_ARRAY(a, observed, s->observed_count + 1);
    for (size_t i = 0; i < s->observed_count; i++)
        s->observed[i] = (observed){ .lock = arena_str(a, list[i].lock), .spec = list[i].spec, .server = list[i].server,
                                     .print = list[i].print };
    return s;
}

typedef struct {
    state_set *set;
    size_t *n;
    int64_t *constants;
    size_t constant_count, constant_cap;
    int64_t now_ms, beyond_ms;
} gathering;

static void gather(void *context, int64_t at_ms)
{
    gathering *g = context;
    int64_t distance_ms = at_ms - g->now_ms;
    if (instant_near(at_ms, g->now_ms)) {
        add_distance(g->set, g->n, distance_ms);
        return;
    }
    MEM_RESERVE(g->constants, g->constant_cap, g->constant_count + 1);
    g->constants[g->constant_count++] = at_ms;
    if (distance_ms > 0 && distance_ms < g->beyond_ms)
        g->beyond_ms = distance_ms;
}

static int64_t *keep_list(arena *a, const int64_t *list, size_t n)
{
    int64_t *kept = ARENA_ARRAY(a, int64_t, n + 1);
    if (n)
        memcpy(kept, list, n * sizeof *kept);
    return kept;
}

/* Appends to the distances what the world may ask: when tasks wake, and the numbers that the process holds. */
static void describe(state_set *s, arena *a, state *made, process *live, int64_t now_ms)
{
    size_t n = made->frozen_count;
    shape *form = shape_of(a, live, &s->numbers, buf_str(&s->bytes));
    made->shape = form;
    for (size_t i = 0; i < form->outline.count; i++)
        s->unfolded |= instant_unfolded(form->outline.numbers[i], now_ms);
    const task_view *tasks;
    made->wake_count = process_tasks(live, &tasks);
    for (size_t i = 0; i < made->wake_count; i++) {
        int64_t wake_ms = tasks[i].wake_ms;
        add_distance(s, &n, wake_ms == INT64_MAX ? INT64_MAX : wake_ms > now_ms ? wake_ms - now_ms : 0);
    }
    size_t from = n;
    gathering g = { .set = s, .n = &n, .now_ms = now_ms, .beyond_ms = INT64_MAX };
    process_each_instant(live, now_ms, FAR_MS, gather, &g);
    made->beyond_ms = g.beyond_ms;
    made->number_count = n > from ? numbers_set_i64(&s->distances[from], n - from) : 0;
    made->distances = keep_list(a, s->distances, from + made->number_count);
    form->constant_count = numbers_set_i64(g.constants, g.constant_count);
    form->constants = keep_list(a, g.constants, form->constant_count);
    mem_free(g.constants);
}

uint32_t state_of(state_set *s, arena *a, process *live, int64_t now_ms, err *e)
{
    if (!freeze(s, live, now_ms, e))
        return PROCESS_NO_STATE;
    XXH128_hash_t skeleton = XXH3_128bits(s->bytes.p, s->bytes.n);
    bool fresh;
    int phase_ms = phase_of(s, now_ms);
    uint32_t id = find_or_add(s, key_of(skeleton, s->distances, s->bytes_distances, phase_ms), &fresh);
    if (fresh) {
        state *made = &s->at[id];
        made->skeleton = skeleton;
        made->phase_ms = phase_ms;
        made->frozen_count = s->bytes_distances;
        describe(s, a, made, live, now_ms);
    }
    return id;
}

void state_outline(const state *s, int64_t now_ms, outline *out)
{
    const outline *raw = &s->shape->outline;
    outline_count(out, raw->print);
    for (size_t i = 0; i < raw->count; i++)
        outline_number(out, raw->numbers[i]);
    outline_count(out, s->frozen_count);
    for (size_t i = 0; i < s->frozen_count + s->wake_count; i++) {
        bool seconds = i < s->frozen_count && s->shape->kinds[i] == DISTANCE_SECONDS;
        double at_ms = s->distances[i] == INT64_MAX ? -1 : (double)(now_ms + s->distances[i]);
        outline_number(out, seconds ? at_ms / 1000 : at_ms);
    }
}

/* The state that differs from `id` only in its phase, and in its distances, which lie in s->distances: as many frozen
 * ones and wake-ups, and number_count numbers. */
static uint32_t state_like(state_set *s, arena *a, uint32_t id, int phase_ms, size_t number_count, int64_t beyond_ms)
{
    bool fresh;
    uint32_t to = find_or_add(s, key_of(s->at[id].skeleton, s->distances, s->at[id].frozen_count, phase_ms), &fresh);
    const state *from = &s->at[id];
    if (fresh) {
        state *made = &s->at[to];
        made->skeleton = from->skeleton;
        made->shape = from->shape;
        made->phase_ms = phase_ms;
        made->frozen_count = from->frozen_count;
        made->wake_count = from->wake_count;
        made->number_count = number_count;
        made->beyond_ms = beyond_ms;
        made->distances = keep_list(a, s->distances, from->frozen_count + from->wake_count + number_count);
    }
    return to;
}

/* ---- what a step does not read ---- */

size_t state_classes(const state *s, int64_t *classes, uint32_t *of)
{
    size_t count = 0;
    for (size_t i = 0; i < s->frozen_count; i++) {
        of[i] = UINT32_MAX;
        if (s->shape->kinds[i] != DISTANCE_NUMBER)
            continue;
        size_t k = 0;
        while (k < count && classes[k] != s->distances[i])
            k++;
        if (k == HIDDEN_MAX)
            return SIZE_MAX;
        classes[k] = s->distances[i];
        count = k == count ? k + 1 : count;
        of[i] = (uint32_t)k;
    }
    return count;
}

void state_put_unseen(const state *s, const uint32_t *of, buf *out)
{
    buf_add(out, (str){ (const char *)&s->skeleton, sizeof s->skeleton });
    for (size_t i = 0; i < s->frozen_count; i++) {
        distance_kind kind = (distance_kind)s->shape->kinds[i];
        buf_u64(out, kind == DISTANCE_NUMBER ? of[i] : kind == DISTANCE_TIMER ? 0 : (uint64_t)s->distances[i]);
    }
}

/* The numbers that the world may ask for are those of the frozen distances. */
static size_t add_frozen_numbers(state_set *s, const state *like, size_t n)
{
    size_t from = n;
    for (size_t i = 0; i < like->frozen_count; i++)
        if (like->shape->kinds[i] != DISTANCE_TIMER)
            add_distance(s, &n, s->distances[i]);
    return n > from ? numbers_set_i64(&s->distances[from], n - from) : 0;
}

bool state_can_be_carried(state_set *s, uint32_t id)
{
    const state *x = &s->at[id];
    size_t n = 0, timers = 0, wakes = 0;
    for (size_t i = 0; i < x->frozen_count; i++) {
        add_distance(s, &n, x->distances[i]);
        timers += x->shape->kinds[i] == DISTANCE_TIMER;
    }
    for (size_t i = 0; i < x->wake_count; i++)
        wakes += state_wakes(x)[i] != INT64_MAX;
    size_t count = add_frozen_numbers(s, x, n);
    return x->beyond_ms == INT64_MAX && timers == wakes && count == x->number_count &&
           (count == 0 || memcmp(&s->distances[n], state_numbers(x), count * sizeof *s->distances) == 0);
}

uint32_t state_carried(state_set *s, arena *a, uint32_t from, uint32_t to, const uint32_t *origins)
{
    const state *before = &s->at[from], *like = &s->at[to];
    size_t n = 0, timer = 0;
    for (size_t i = 0; i < like->frozen_count; i++)
        add_distance(s, &n, origins[i] == UINT32_MAX ? like->distances[i] : before->distances[origins[i]]);
    for (size_t i = 0; i < like->wake_count; i++) {
        if (state_wakes(like)[i] == INT64_MAX) {
            add_distance(s, &n, INT64_MAX);
            continue;
        }
        while (like->shape->kinds[timer] != DISTANCE_TIMER)
            timer++;
        add_distance(s, &n, s->distances[timer++]);
    }
    return state_like(s, a, to, before->phase_ms, add_frozen_numbers(s, like, n), INT64_MAX);
}

/* ---- ageing ---- */

uint32_t state_aged(state_set *s, arena *a, uint32_t id, int64_t elapsed_ms)
{
    state *from = &s->at[id];
    if (from->aged_ms == elapsed_ms)
        return from->aged_to;
    if (elapsed_ms > FAR_MS - INSTANT_WINDOW_MS ||
        (from->beyond_ms != INT64_MAX && from->beyond_ms - elapsed_ms <= INSTANT_WINDOW_MS))
        return PROCESS_NO_STATE;
    size_t all = from->frozen_count + from->wake_count + from->number_count;
    for (size_t i = 0; i < all; i++) {
        int64_t now_ms = from->distances[i] == INT64_MAX ? INT64_MAX : from->distances[i] - elapsed_ms;
        bool timer = i < from->frozen_count ? from->shape->kinds[i] == DISTANCE_TIMER
                     : i < from->frozen_count + from->wake_count;
        if (timer && now_ms < 0)
            now_ms = 0;
        if (i < from->frozen_count && now_ms < -INSTANT_WINDOW_MS)
            return PROCESS_NO_STATE;
        MEM_RESERVE(s->distances, s->distance_cap, i + 1);
        s->distances[i] = now_ms;
    }
    int64_t beyond_ms = from->beyond_ms == INT64_MAX ? INT64_MAX : from->beyond_ms - elapsed_ms;
    int phase_ms = phase_of(s, from->phase_ms + elapsed_ms);
    uint32_t to = state_like(s, a, id, phase_ms, from->number_count, beyond_ms);
    from = &s->at[id];
    from->aged_ms = elapsed_ms;
    from->aged_to = to;
    state_reach(s, to, id, NULL, elapsed_ms);
    return to;
}

void state_reach(state_set *s, uint32_t to, uint32_t parent, const entry *by, int64_t elapsed_ms)
{
    state *t = &s->at[to];
    uint32_t depth = parent == PROCESS_NO_STATE ? 0 : s->at[parent].depth == UINT32_MAX ? UINT32_MAX
                     : s->at[parent].depth + 1;
    if (depth >= t->depth)                         /* so no path leads back to its own beginning */
        return;
    t->depth = depth;
    t->parent = parent;
    t->by = by;
    t->elapsed_ms = elapsed_ms;
}
