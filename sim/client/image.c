/* image.c - a live process saved as it is, and restored: its Lua state in place (heap_save), and beside it its C side,
 * which is copied as a whole; only what it owns outside of its heap is copied piece by piece. */
#include <assert.h>
#include <string.h>

#include "base/mem.h"
#include "client/heap.h"
#include "client/lua_graph.h"
#include "client/process_internal.h"

struct process_image {
    process *of;
    process p;             /* its lists are replaced by the image's: */
    task *tasks;
    sent **sent;
    subscription *subscriptions;
    observed *observed;
    uint64_t *judge_prints;
    task_threads *threads;
    heap_image *heap;
    size_t bytes;          /* of all this but for the heap's image */
};

/* ---- from one list to another, which may hold an older one ---- */

static void assign_buf(buf *to, const buf *from)
{
    buf_clear(to);
    buf_add(to, buf_str(from));
}

static void assign_task(task *to, const task *from)
{
    task was = *to;
    *to = *from;
    to->links = was.links;
    to->link_cap = was.link_cap;
    to->text = was.text;
    MEM_RESERVE(to->links, to->link_cap, from->link_count);
    for (size_t i = 0; i < from->link_count; i++)
        to->links[i] = from->links[i];
    assign_buf(&to->text, &from->text);
    to->name = buf_str(&to->text);
}

static void assign_subscription(subscription *to, const subscription *from)
{
    buf channel = to->channel;
    *to = *from;
    to->channel = channel;
    assign_buf(&to->channel, &from->channel);
}

static void assign_text(str *to, str from)
{
    if (to->p && from.p && str_eq(*to, from))
        return;
    mem_free((void *)(uintptr_t)to->p);
    *to = (str){ 0 };
    if (!from.p)
        return;
    char *text = mem_alloc(from.n + 1);
    memcpy(text, from.p, from.n + 1);
    *to = (str){ text, from.n };
}

static void assign_observed(observed *to, const observed *from)
{
    observed was = *to;
    *to = *from;
    to->lock = was.lock;
    to->granted = was.granted;
    assign_text(&to->lock, from->lock);
    assign_text(&to->granted, from->granted);
}

/* ---- saving ---- */

process_image *process_save(process *p)
{
    assert(p->graph && !p->pool && !p->broken && !p->running && !p->out && p->hidden_count == 0);
    assert(lua_gettop(p->scratch) == 0 && !p->pending.request);
    lua_graph_begin(p->graph, NULL, 0);            /* what was frozen last is no part of the image */
    process_image *m = mem_zero(sizeof *m);
    m->of = p;
    m->p = *p;
    m->tasks = mem_zero((p->task_count + 1) * sizeof *m->tasks);
    m->sent = mem_alloc((p->sent_count + 1) * sizeof(sent *));
    m->subscriptions = mem_zero((p->subscription_count + 1) * sizeof *m->subscriptions);
    m->observed = mem_zero((p->observed_count + 1) * sizeof *m->observed);
    m->judge_prints = mem_alloc((p->judge_print_count + 1) * sizeof *m->judge_prints);
    m->bytes = sizeof *m + p->task_count * (sizeof *m->tasks + sizeof(link) + 32) +
               p->subscription_count * (sizeof *m->subscriptions + 64) + p->observed_count * (sizeof *m->observed + 64);
    for (size_t i = 0; i < p->task_count; i++)
        assign_task(&m->tasks[i], p->tasks[i]);
    for (size_t i = 0; i < p->sent_count; i++)
        m->sent[i] = sent_hold(p->sent[i]);
    for (size_t i = 0; i < p->subscription_count; i++)
        assign_subscription(&m->subscriptions[i], &p->subscriptions[i]);
    for (size_t i = 0; i < p->observed_count; i++)
        assign_observed(&m->observed[i], &p->observed[i]);
    for (size_t i = 0; i < p->judge_print_count; i++)
        m->judge_prints[i] = p->judge_prints[i];
    m->threads = threads_copy(p->threads);
    m->heap = heap_save(p->heap);
    p->image_bytes += m->bytes;
    return m;
}

void process_image_free(process_image *m)
{
    if (!m)
        return;
    for (size_t i = 0; i < m->p.task_count; i++) {
        mem_free(m->tasks[i].links);
        buf_free(&m->tasks[i].text);
    }
    for (size_t i = 0; i < m->p.sent_count; i++)
        sent_release(m->sent[i]);
    for (size_t i = 0; i < m->p.subscription_count; i++)
        buf_free(&m->subscriptions[i].channel);
    for (size_t i = 0; i < m->p.observed_count; i++)
        observed_free(&m->observed[i]);
    mem_free(m->tasks);
    mem_free(m->sent);
    mem_free(m->subscriptions);
    mem_free(m->observed);
    mem_free(m->judge_prints);
    threads_free(m->threads);
    m->of->image_bytes -= m->bytes;
    heap_image_release(m->heap);
    mem_free(m);
}

bool process_image_is_needed(const process_image *m)
{
    return heap_image_is_needed(m->heap);
}

/* ---- restoring ---- */

static void restore_tasks(process *p, process *was, const process_image *m)
{
    p->tasks = was->tasks;
    p->tasks_made = was->tasks_made;
    p->task_cap = was->task_cap;
    MEM_RESERVE(p->tasks, p->task_cap, p->task_count);
    while (p->tasks_made < p->task_count)
        p->tasks[p->tasks_made++] = mem_zero(sizeof(task));
    for (size_t i = 0; i < p->task_count; i++)
        assign_task(p->tasks[i], &m->tasks[i]);
}

static void restore_sent(process *p, process *was, const process_image *m)
{
    p->sent = was->sent;
    p->sent_cap = was->sent_cap;
    MEM_RESERVE(p->sent, p->sent_cap, p->sent_count);
    for (size_t i = 0; i < p->sent_count; i++)
        sent_hold(m->sent[i]);
    for (size_t i = 0; i < was->sent_count; i++)
        sent_release(p->sent[i]);
    for (size_t i = 0; i < p->sent_count; i++)
        p->sent[i] = m->sent[i];
}

static void restore_subscriptions(process *p, process *was, const process_image *m)
{
    p->subscriptions = was->subscriptions;
    p->subscription_cap = was->subscription_cap;
    for (size_t i = p->subscription_count; i < was->subscription_count; i++)
        buf_free(&p->subscriptions[i].channel);
    MEM_RESERVE(p->subscriptions, p->subscription_cap, p->subscription_count);
    for (size_t i = 0; i < p->subscription_count; i++) {
        if (i >= was->subscription_count)
            p->subscriptions[i] = (subscription){ 0 };
        assign_subscription(&p->subscriptions[i], &m->subscriptions[i]);
    }
}

static void restore_observed(process *p, process *was, const process_image *m)
{
    p->observed = was->observed;
    p->observed_cap = was->observed_cap;
    for (size_t i = p->observed_count; i < was->observed_count; i++)
        observed_free(&p->observed[i]);
    MEM_RESERVE(p->observed, p->observed_cap, p->observed_count);
    for (size_t i = 0; i < p->observed_count; i++) {
        if (i >= was->observed_count)
            p->observed[i] = (observed){ 0 };
        assign_observed(&p->observed[i], &m->observed[i]);
    }
}

static void restore_judge_prints(process *p, process *was, const process_image *m)
{
    p->judge_prints = was->judge_prints;
    p->judge_print_cap = was->judge_print_cap;
    MEM_RESERVE(p->judge_prints, p->judge_print_cap, p->judge_print_count);
    for (size_t i = 0; i < p->judge_print_count; i++)
        p->judge_prints[i] = m->judge_prints[i];
}

void process_restore(process *p, const process_image *m)
{
    process was = *p;
    assert(was.graph == m->p.graph && was.heap == m->p.heap && !was.running);
    mem_free(was.pending.request);                 /* of a process that failed as it built one */
    heap_restore(p->heap, m->heap);
    lua_graph_rewind(p->graph);
    threads_restore(p->threads, m->threads);
    *p = m->p;
    p->head.points = was.head.points;
    p->loaded = was.loaded;
    p->image_bytes = was.image_bytes;
    p->instants = was.instants;
    p->links = was.links;                          /* empty, and perhaps larger than it was */
    p->link_cap = was.link_cap;
    p->views = was.views;
    p->view_cap = was.view_cap;
    restore_tasks(p, &was, m);
    restore_sent(p, &was, m);
    restore_subscriptions(p, &was, m);
    restore_observed(p, &was, m);
    restore_judge_prints(p, &was, m);
}
