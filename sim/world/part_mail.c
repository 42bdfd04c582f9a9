/* part_mail.c - messages that a step sent to other nodes, by number. */
#include <string.h>

#include "base/mem.h"
#include "world/parts_internal.h"

const mail_record *mail_of(const parts *p, uint32_t mail)
{
    return mail == PART_NONE ? NULL : &p->mails[mail];
}

static uint32_t message_id(parts *p, size_t server, const message *m)
{
    buf b = { 0 };
    buf_u64(&b, server);
    str all = buf_str(&m->text);
    buf_lenstr(&b, str_slice(all, 0, m->channel_n));
    buf_lenstr(&b, str_slice(all, m->channel_n, m->channel_n + m->payload_n));
    buf_lenstr(&b, str_slice(all, m->channel_n + m->payload_n, all.n));
    uint32_t id = intern_add(p->messages, buf_str(&b), NULL);
    buf_free(&b);
    return id;
}

static uint32_t mail_add(parts *p, const letter *letters, size_t count)
{
    if (count == 0)
        return PART_NONE;
    bool fresh;
    uint32_t id = intern_add(p->mail_bytes, (str){ (const char *)letters, count * sizeof *letters }, &fresh);
    if (!fresh)
        return id;
    MEM_RESERVE(p->mails, p->mail_cap, (size_t)id + 1);
    p->mails[id].items = ARENA_ARRAY(p->memory, letter, count);
    memcpy(p->mails[id].items, letters, count * sizeof *letters);
    p->mails[id].count = count;
    return id;
}

uint32_t mail_since(parts *p, size_t have[][SERVERS_MAX], uint32_t but)
{
    world *w = p->w;
    letter *letters = NULL;
    size_t count = 0, cap = 0;
    for (uint32_t q = 0; q < w->node_count; q++)
        for (size_t s = 0; q != but && s < w->server_count; s++)
            for (size_t i = have ? have[q][s] : 0; i < w->nodes[q].messages[s].count; i++) {
                MEM_RESERVE(letters, cap, count + 1);
                letters[count++] = (letter){ q, message_id(p, s, &w->nodes[q].messages[s].items[i]) };
            }
    uint32_t id = mail_add(p, letters, count);
    mem_free(letters);
    return id;
}

uint32_t mail_take(parts *p, uint32_t but)
{
    return mail_since(p, NULL, but);
}

bool parts_letter(const parts *p, uint32_t mail, size_t i, uint32_t *process, uint32_t *message)
{
    const mail_record *m = mail_of(p, mail);
    if (!m || i >= m->count)
        return false;
    *process = m->items[i].process;
    *message = m->items[i].message;
    return true;
}

void message_put(parts *p, uint32_t process, uint32_t id)
{
    world *w = p->w;
    const char *r = intern_get(p->messages, id).p;
    size_t s = part_u64(&r);
    str channel = part_str(&r), payload = part_str(&r), pattern = part_str(&r);
    message_add(&w->nodes[process].messages[s], channel, payload, pattern, w->now_ms);
}
