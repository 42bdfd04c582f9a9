/* request.c - requests in progress: each is built as one block, sent with the next number, and kept until nothing can
 * refer to it. */
#include <string.h>

#include "base/mem.h"
#include "client/process_internal.h"

/* Few are in progress at a time, and the newest is looked up most. It does not change once it is sent. */
struct sent {
    request r;             /* first: a request is also a pointer to its block */
    size_t holders;        /* the process, and its images (image.c) */
};

static str put(char **at, str s)
{
    str copy = { .p = *at, .n = s.n };
    if (s.n)
        memcpy(*at, s.p, s.n);
    (*at)[s.n] = 0;                                /* op is also read as a C string */
    *at += s.n + 1;
    return copy;
}

request *request_new(process *p, const request_head *head, const str *argv, size_t argc)
{
    (void)p;
    size_t bytes = sizeof(sent) + argc * sizeof(str) + head->op.n + head->lock.n + 2;
    for (size_t i = 0; i < argc; i++)
        bytes += argv[i].n + 1;
    sent *block = mem_alloc(bytes);
    str *words = (str *)(block + 1);
    char *text = (char *)(words + argc);
    for (size_t i = 0; i < argc; i++)
        words[i] = put(&text, argv[i]);
    block->r = (request){ .kind = head->kind, .server = head->server, .waited = head->waited, .resend = head->resend,
                          .again = head->again, .sync = head->sync,
                          .script = head->script, .argv = words, .argc = argc, .op = put(&text, head->op),
                          .lock = put(&text, head->lock),
                          .lease_ms = head->lease_ms, .timeout_ms = drift_timer_ms(p, head->timeout_ms),
                          .permits = head->permits, .path = head->where.path, .line = head->where.line };
    return &block->r;
}

void request_drop(process *p, request *r)
{
    (void)p;
    mem_free(r);
}

sent *sent_hold(sent *s)
{
    s->holders++;
    return s;
}

void sent_release(sent *s)
{
    if (--s->holders == 0)
        mem_free(s);
}

void request_send(process *p, request *r, uint32_t task_id)
{
    sent *block = (sent *)r;
    r->id = ++p->request_count;
    r->task = task_id;
    block->holders = 1;
    MEM_RESERVE(p->sent, p->sent_cap, p->sent_count + 1);
    p->sent[p->sent_count++] = block;
    output_add(p, OUTPUT_REQUEST, task_id)->request = r;
}

/* Its index + 1; 0: there is none. */
static size_t find(const process *p, uint32_t id)
{
    size_t i = p->sent_count;
    while (i > 0 && p->sent[i - 1]->r.id != id)
        i--;
    return i;
}

request *request_find(process *p, uint32_t id)
{
    size_t i = find(p, id);
    return i ? &p->sent[i - 1]->r : NULL;
}

void live_forget(process *p, uint32_t id)
{
    size_t i = find(p, id);
    if (i == 0)
        return;
    sent_release(p->sent[i - 1]);
    memmove(&p->sent[i - 1], &p->sent[i], (--p->sent_count + 1 - i) * sizeof(sent *));
}

void request_free_all(process *p)
{
    for (size_t i = 0; i < p->sent_count; i++)
        sent_release(p->sent[i]);
    mem_free(p->sent);
    mem_free(p->pending.request);
}
