/* request.c - requests in progress: each is built as one block, sent with the next number, and kept until nothing can
 * refer to it. */
#include <string.h>

#include "base/mem.h"
#include "client/process_internal.h"

/* A list, newest first, is enough: few are in progress at a time, and the newest is looked up most. */
struct sent {
    request r;             /* first: a request is also a pointer to its block */
    struct sent *next;
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

void request_send(process *p, request *r, uint32_t task_id)
{
    sent *block = (sent *)r;
    r->id = ++p->request_count;
    r->task = task_id;
    block->next = p->sent;
    p->sent = block;
    output_add(p, OUTPUT_REQUEST, task_id)->request = r;
}

static sent **find(process *p, uint32_t id)
{
    sent **at = &p->sent;
    while (*at && (*at)->r.id != id)
        at = &(*at)->next;
    return at;
}

request *request_find(process *p, uint32_t id)
{
    sent *block = *find(p, id);
    return block ? &block->r : NULL;
}

void live_forget(process *p, uint32_t id)
{
    sent **at = find(p, id), *block = *at;
    if (!block)
        return;
    *at = block->next;
    mem_free(block);
}

void request_free_all(process *p)
{
    for (sent *block = p->sent, *next; block; block = next) {
        next = block->next;
        mem_free(block);
    }
    p->sent = NULL;
    mem_free(p->pending.request);
}
