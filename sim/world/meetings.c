/* meetings.c - see meetings.h. */
#include "world/meetings.h"

#include <string.h>

#include "base/mem.h"
#include "world/internal.h"

typedef struct { str text, path; int line; } named;
/* op_words: the words that each operation names; asked: the locks that are asked for, as words */
typedef struct { uint64_t ops, places, words, asked, op_words[MEETINGS_MAX]; } touched;
typedef struct { named at[MEETINGS_MAX]; size_t count; } names;

struct meetings {
    arena *memory;
    size_t clients;
    names ops, places, words;
    touched *by;           /* by client */
    uint64_t met[MEETINGS_MAX];        /* by operation: the places that it met */
    bool full;
};

meetings *meetings_new(size_t clients)
{
    meetings *m = mem_zero(sizeof *m);
    m->memory = arena_new();
    m->clients = clients;
    m->by = mem_zero((clients + 1) * sizeof *m->by);
    return m;
}

void meetings_free(meetings *m)
{
    if (!m)
        return;
    arena_free(m->memory);
    mem_free(m->by);
    mem_free(m);
}

/* Its number; MEETINGS_NONE: the table is full. */
static uint8_t number_of(meetings *m, names *list, str text, str path, int line)
{
    for (size_t i = 0; i < list->count; i++)
        if (list->at[i].line == line && str_eq(list->at[i].text, text) && str_eq(list->at[i].path, path))
            return (uint8_t)i;
    if (list->count == MEETINGS_MAX) {
        m->full = true;
        return MEETINGS_NONE;
    }
    list->at[list->count] = (named){ .text = arena_str(m->memory, text), .path = arena_str(m->memory, path),
                                     .line = line };
    return (uint8_t)list->count++;
}

static uint64_t bit_of(uint8_t number)
{
    return number == MEETINGS_NONE ? 0 : UINT64_C(1) << number;
}

static uint64_t word_bit(meetings *m, str word)
{
    return bit_of(number_of(m, &m->words, word, S(""), 0));
}

/* The keys, channels and lock that a request names. */
static uint64_t words_of(meetings *m, const flight *f)
{
    uint64_t words = f->lock.n ? word_bit(m, f->lock) : 0;
    size_t from = 1, to = f->argc < 2 ? f->argc : 2;
    if (f->kind == REQUEST_EVAL) {
        int64_t keys = 0;
        for (size_t i = 0; f->argc > 2 && i < f->argv[2].n; i++)
            keys = keys * 10 + (f->argv[2].p[i] - '0');
        from = 3;
        to = 3 + (size_t)keys < f->argc ? 3 + (size_t)keys : f->argc;
    } else if (f->kind != REQUEST_COMMAND)
        to = f->argc;
    for (size_t i = from; i < to; i++)
        words |= word_bit(m, f->argv[i]);
    return words;
}

static const flight *flight_of_task(world *w, uint32_t process, const task_view *t)
{
    size_t count;
    const flight *f = network_flights(w, process, &count);
    for (size_t i = 0; i < count; i++)
        if (f[i].task == t->id && !f[i].orphan && t->request == f[i].id)
            return &f[i];
    return NULL;
}

uint64_t meetings_places(meetings *m, struct world *w, uint32_t process)
{
    const task_view *tasks;
    size_t count = w->nodes[process].alive ? process_tasks(w->nodes[process].p, &tasks) : 0;
    uint64_t all = 0;
    for (size_t i = 0; i < count; i++) {
        const task_view *t = &tasks[i];
        if (t->status == TASK_READY || t->status == TASK_CHOOSE || str_eq(t->next, S("start")))
            continue;
        const flight *f = flight_of_task(w, process, t);
        str word = f && f->state != FLIGHT_SENT ? arena_printf(w->step_memory, "<%.*s", STR_ARG(f->op)) : f ? f->op
                   : t->next;
        all |= bit_of(number_of(m, &m->places, word, t->path, t->line));
    }
    m->by[process].places |= all;
    return all;
}

uint8_t meetings_op(meetings *m, struct world *w, uint32_t process, uint32_t number, uint32_t copy)
{
    size_t count;
    const flight *f = network_flights(w, process, &count);
    for (size_t i = 0; i < count; i++)
        if (f[i].number == number && f[i].copy == copy) {
            uint8_t op = number_of(m, &m->ops, f[i].op, S(""), 0);
            touched *by = &m->by[process];
            uint64_t words = words_of(m, &f[i]);
            if (op != MEETINGS_NONE)
                by->op_words[op] |= words;
            by->ops |= bit_of(op);
            by->words |= words;
            if (model_op_asks(f[i].op))
                meetings_ask(m, process, f[i].lock);
            return op;
        }
    return MEETINGS_NONE;
}

void meetings_ask(meetings *m, uint32_t process, str lock)
{
    if (lock.n)
        m->by[process].asked |= word_bit(m, lock);
}

void meetings_meet(meetings *m, uint8_t op, uint64_t places)
{
    if (op != MEETINGS_NONE)
        m->met[op] |= places;
}

uint64_t meetings_met(const meetings *m, uint8_t op) { return m->met[op]; }

/* The same words with two clients' ids exchanged. */
static uint64_t words_renamed(meetings *m, const equals *eq, const permutation *x, uint64_t words)
{
    uint64_t to = 0;
    for (; words; words &= words - 1)
        to |= word_bit(m, equals_renamed(m->memory, eq, x, m->words.at[__builtin_ctzll(words)].text));
    return to;
}

void meetings_equal(meetings *m, const equals *eq)
{
    touched *was = mem_alloc(m->clients * sizeof *was);
    memcpy(was, m->by, m->clients * sizeof *was);
    for (size_t i = 0; i < m->clients; i++)
        for (size_t k = 0; k < m->clients; k++) {
            if (i == k || eq->first[i] != eq->first[k])
                continue;
            permutation x = permutation_swap(i, k);
            touched *to = &m->by[k];
            to->ops |= was[i].ops;
            to->places |= was[i].places;
            to->words |= words_renamed(m, eq, &x, was[i].words);
            to->asked |= words_renamed(m, eq, &x, was[i].asked);
            for (size_t op = 0; op < MEETINGS_MAX; op++)
                to->op_words[op] |= words_renamed(m, eq, &x, was[i].op_words[op]);
        }
    mem_free(was);
}

/* Can this operation of one client fall at that place of another, and do both touch something in common? */
static bool is_possible(const meetings *m, size_t op, size_t place)
{
    for (size_t p = 0; p < m->clients; p++)
        for (size_t q = 0; q < m->clients; q++)
            if (p != q && m->by[p].ops >> op & 1 && m->by[q].places >> place & 1 &&
                m->by[p].op_words[op] & m->by[q].words)
                return true;
    return false;
}

bool meetings_apart(const meetings *m, lock_of_one of[2])
{
    uint64_t asked = 0;
    size_t askers = 0;
    for (uint32_t p = 0; p < m->clients; p++) {
        uint64_t own = m->by[p].asked;
        if (own & asked || m->full)
            return false;
        if (own && askers < 2)
            of[askers] = (lock_of_one){ .lock = m->words.at[__builtin_ctzll(own)].text, .process = p };
        askers += own != 0;
        asked |= own;
    }
    return askers > 1;
}

size_t meetings_list(const meetings *m, arena *a, const meeting **out, bool *full)
{
    size_t count = 0;
    meeting *list = ARENA_ARRAY(a, meeting, m->ops.count * m->places.count + 1);
    for (int met = 0; met < 2; met++)
        for (size_t o = 0; o < m->ops.count; o++)
            for (size_t p = 0; p < m->places.count; p++)
                if ((m->met[o] >> p & 1) == (unsigned)met && is_possible(m, o, p))
                    list[count++] = (meeting){ .op = arena_str(a, m->ops.at[o].text),
                                               .place = arena_str(a, m->places.at[p].text),
                                               .path = arena_str(a, m->places.at[p].path), .line = m->places.at[p].line,
                                               .met = met };
    *out = list;
    *full = m->full;
    return count;
}
