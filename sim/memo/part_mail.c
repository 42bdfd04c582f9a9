/* part_mail.c - what a step sent to other nodes, by number: messages, and answers to waiting pops. */
#include <string.h>

#include "base/instant_text.h"
#include "base/mem.h"
#include "memo/parts_internal.h"

const mail_record *mail_of(const parts *p, uint32_t mail)
{
    return mail == PART_NONE ? NULL : &p->mails[mail];
}

/* As of WORLD_EPOCH_MS: an instant in it is moved, there and back. */
static uint32_t message_id(parts *p, size_t server, const message *m)
{
    int64_t now_ms = p->w->now_ms;
    buf b = { 0 };
    buf_u64(&b, server);
    str all = buf_str(&m->text);
    buf_lenstr(&b, str_slice(all, 0, m->channel_n));
    buf_lenstr(&b, instant_text_move(p->scratch, str_slice(all, m->channel_n, m->channel_n + m->payload_n),
                                     p->instants, now_ms, WORLD_EPOCH_MS));
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

uint32_t mail_since(parts *p, size_t have[][SERVERS_MAX], size_t served, uint32_t but)
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
    for (size_t i = served; i < p->served_count; i++)
        if (p->served[i].process != but) {
            MEM_RESERVE(letters, cap, count + 1);
            letters[count++] = p->served[i];
        }
    uint32_t id = mail_add(p, letters, count);
    mem_free(letters);
    return id;
}

uint32_t mail_take(parts *p, uint32_t but)
{
    return mail_since(p, NULL, 0, but);
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

/* ---- answers ---- */

static uint32_t answer_id(parts *p, const answer_letter *a)
{
    buf b = { 0 };
    buf_u64(&b, (uint64_t)a->server << 32 | a->slot);
    buf_byte(&b, a->broken);
    if (!a->broken)
        instant_put_reply(&b, &a->answer, p->instants, p->w->now_ms);
    if (p->w->outline)     /* see command_id */
        buf_u64(&b, (uint64_t)(p->w->now_ms - WORLD_EPOCH_MS));
    bool fresh;
    uint32_t id = intern_add(p->answer_bytes, buf_str(&b), &fresh);
    buf_free(&b);
    if (fresh) {
        MEM_RESERVE(p->answers, p->answer_cap, (size_t)id + 1);
        p->answers[id] = *a;
        p->answers[id].answer = reply_copy(p->memory, &a->answer);
        instant_move_reply(p->memory, &p->answers[id].answer, p->instants, p->w->now_ms, WORLD_EPOCH_MS);
    }
    return id | LETTER_ANSWER;
}

/* A waiting client gets the answer directly where its node is loaded; else by mail. */
static void answer_put(parts *p, uint32_t process, uint32_t id)
{
    const answer_letter *a = &p->answers[id - LETTER_ANSWER];
    reply answer = reply_copy(p->scratch, &a->answer);
    instant_move_reply(p->scratch, &answer, p->instants, WORLD_EPOCH_MS, p->w->now_ms);
    MEM_RESERVE(p->served, p->served_cap, p->served_count + 1);
    p->served[p->served_count++] = (letter){ process, id };
    network_served(p->w, process, a->server, a->slot, a->broken ? NULL : &answer);
}

void parts_served(parts *p, uint32_t process, uint32_t server, uint32_t slot, const reply *answer)
{
    answer_letter a = { .server = server, .slot = slot, .broken = !answer, .answer = answer ? *answer : reply_nil() };
    answer_put(p, process, answer_id(p, &a));
}

void parts_started(parts *p, uint32_t process)
{
    MEM_RESERVE(p->served, p->served_cap, p->served_count + 1);
    p->served[p->served_count++] = (letter){ process, LETTER_START };
}

void message_put(parts *p, uint32_t process, uint32_t id)
{
    world *w = p->w;
    if (id == LETTER_START) {
        err none = { 0 };                          /* it has loaded before */
        world_bring_up(w, process, &none);
        err_clear(&none);
        return;
    }
    if (id & LETTER_ANSWER) {
        answer_put(p, process, id);
        return;
    }
    str r = intern_get(p->messages, id);
    size_t s = take_u64(&r);
    str channel = take_lenstr(&r), payload = take_lenstr(&r), pattern = take_lenstr(&r);
    message_add(&w->nodes[process].messages[s], channel,
                instant_text_move(p->scratch, payload, p->instants, WORLD_EPOCH_MS, w->now_ms), pattern, w->now_ms);
}
