/* sequence_bars.c - see sequence_bars.h. A belief begins with its grant's answer and ends as the release is sent, as
 * the model has it. */
#include "report/sequence_bars.h"

#include <assert.h>

#include "base/mem.h"

/* A grant that counts: nested ones share a bar. */
typedef struct {
    str who, lock;
    uint32_t process;
    int64_t permits;
} hold;

typedef struct {
    sequence_trace *out;
    hold *holds;
    size_t count, cap;
    size_t *opened;        /* the open ones among the bars: few, however long the story is */
    size_t open_count, open_cap;
} keeper;

static bool same_owner(const sequence_bar *b, const story_mark *m)
{
    return b->column == m->process && str_eq(b->who, m->who) && str_eq(b->lock, m->lock);
}

static bool lies_on_lifeline(bar_kind k)
{
    return k == BAR_PAUSED || k == BAR_DEAD;
}

/* Its index in the list of open ones; SIZE_MAX: none. */
static size_t find_open(const keeper *k, bar_kind kind, const story_mark *m)
{
    for (size_t i = 0; i < k->open_count; i++) {
        const sequence_bar *b = &k->out->bars[k->opened[i]];
        bool its = kind == BAR_HELD ? str_eq(b->lock, m->lock) : lies_on_lifeline(kind) ? b->column == m->process
                   : same_owner(b, m);
        if (b->kind == kind && its)
            return i;
    }
    return SIZE_MAX;
}

static sequence_bar *opened_bar(const keeper *k, size_t i)
{
    assert(k->opened && i < k->open_count);
    return &k->out->bars[k->opened[i]];
}

static void end_at(keeper *k, size_t i, size_t step)
{
    sequence_bar *b = opened_bar(k, i);
    b->to = step;
    b->open = false;
    k->opened[i] = k->opened[--k->open_count];
}

static void end(keeper *k, bar_kind kind, const story_mark *m)
{
    size_t i = find_open(k, kind, m);
    if (i != SIZE_MAX)
        end_at(k, i, m->step);
}

/* The first free lane. */
static uint32_t free_lane(const keeper *k, bar_kind kind, uint32_t column)
{
    uint32_t lane = 0;
    for (size_t i = 0; i < k->open_count; i++) {
        const sequence_bar *b = &k->out->bars[k->opened[i]];
        if (!lies_on_lifeline(b->kind) && (b->kind == BAR_HELD) == (kind == BAR_HELD) && b->column == column &&
            b->lane == lane) {
            lane++;
            i = (size_t)-1;
        }
    }
    return lane;
}

static void begin(keeper *k, bar_kind kind, const story_mark *m)
{
    sequence_trace *t = k->out;
    uint32_t column = kind == BAR_HELD ? m->server : m->process;
    uint32_t lane = lies_on_lifeline(kind) ? 0 : free_lane(k, kind, column);
    MEM_RESERVE(t->bars, t->bar_cap, t->bar_count + 1);
    MEM_RESERVE(k->opened, k->open_cap, k->open_count + 1);
    k->opened[k->open_count++] = t->bar_count;
    t->bars[t->bar_count++] = (sequence_bar){ .kind = kind, .column = column, .lane = lane, .from = m->step,
                                              .to = m->step, .open = true,
                                              .who = kind == BAR_HELD ? m->text : m->who, .lock = m->lock,
                                              .until_ms = m->until_ms };
}

static size_t holds_of(const keeper *k, const story_mark *m)
{
    size_t n = 0;
    for (size_t i = 0; i < k->count; i++)
        n += k->holds[i].process == m->process && str_eq(k->holds[i].who, m->who) && str_eq(k->holds[i].lock, m->lock);
    return n;
}

/* Ends the newest first; a semaphore's release says how many permits end. */
static void let_go(keeper *k, const story_mark *m, model_ending ending)
{
    int64_t permits = m->count;
    size_t ended = 0;
    for (size_t i = k->count; ending != ENDS_NOTHING && i-- > 0;) {
        hold *h = &k->holds[i];
        if (h->process != m->process || !str_eq(h->who, m->who) || !str_eq(h->lock, m->lock))
            continue;
        if (ending == ENDS_ONE_HOLD && ended > 0 && permits <= 0)
            break;
        permits -= h->permits > 0 ? h->permits : 1;
        ended++;
        for (size_t j = i + 1; j < k->count; j++)
            k->holds[j - 1] = k->holds[j];
        k->count--;
    }
    if (ended && holds_of(k, m) == 0)
        end(k, BAR_BELIEVES, m);
}

static void granted(keeper *k, const story_mark *m)
{
    end(k, BAR_WAITS, m);
    if (holds_of(k, m) == 0)
        begin(k, BAR_BELIEVES, m);
    MEM_RESERVE(k->holds, k->cap, k->count + 1);
    k->holds[k->count++] = (hold){ .who = m->who, .lock = m->lock, .process = m->process, .permits = m->count };
}

static void held(keeper *k, const story_mark *m)
{
    size_t i = find_open(k, BAR_HELD, m);
    sequence_bar *b = i == SIZE_MAX ? NULL : opened_bar(k, i);
    if (b && str_eq(b->who, m->text)) {
        b->until_ms = m->until_ms;                 /* renewed */
        return;
    }
    end(k, BAR_HELD, m);
    if (m->text.n)
        begin(k, BAR_HELD, m);
}

static void died(keeper *k, const story_mark *m)
{
    for (size_t i = k->open_count; i-- > 0;) {
        const sequence_bar *b = &k->out->bars[k->opened[i]];
        if (b->kind != BAR_HELD && b->column == m->process)
            end_at(k, i, m->step);
    }
    for (size_t i = k->count; i-- > 0;)
        if (k->holds[i].process == m->process)
            k->holds[i] = k->holds[--k->count];
    begin(k, BAR_DEAD, m);
}

void sequence_bars_make(const story *s, sequence_trace *out)
{
    keeper k = { .out = out };
    for (size_t i = 0; i < s->mark_count; i++) {
        const story_mark *m = &s->marks[i];
        switch (m->kind) {
        case MARK_REFUSED:
            if (find_open(&k, BAR_WAITS, m) == SIZE_MAX && holds_of(&k, m) == 0)
                begin(&k, BAR_WAITS, m);
            break;
        case MARK_GAVE_UP: end(&k, BAR_WAITS, m); break;
        case MARK_GRANTED: granted(&k, m); break;
        case MARK_SENT: case MARK_RELEASED: let_go(&k, m, m->ends); break;
        case MARK_NOT_OWNER: let_go(&k, m, ENDS_ALL); break;
        case MARK_HOLDERS: held(&k, m); break;
        case MARK_PAUSED: begin(&k, BAR_PAUSED, m); break;
        case MARK_RESUMED: end(&k, BAR_PAUSED, m); break;
        case MARK_STALLED: begin(&k, BAR_STALLED, m); break;
        case MARK_WENT_ON: end(&k, BAR_STALLED, m); break;
        case MARK_CRASHED: died(&k, m); break;
        case MARK_RESTARTED: end(&k, BAR_DEAD, m); break;
        default: break;
        }
    }
    for (size_t i = 0; i < out->bar_count; i++)
        if (out->bars[i].open)
            out->bars[i].to = s->count;
    mem_free(k.holds);
    mem_free(k.opened);
}
