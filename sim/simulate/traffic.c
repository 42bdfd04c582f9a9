/* traffic.c - requests and messages under way, and what becomes of them when a client crashes. */
#include <assert.h>
#include <string.h>

#include "base/mem.h"
#include "simulate/internal.h"

/* ---- flights ---- */

static uint32_t flight_new(simulation *s, uint32_t c)
{
    uint32_t number = s->free_flight;
    if (number != NONE) {
        s->free_flight = s->flights[number].next;
    } else {
        assert(s->flight_count < FLIGHTS_MAX);
        MEM_RESERVE(s->flights, s->flight_cap, s->flight_count + 1);
        number = (uint32_t)s->flight_count++;
    }
    client *sender = &s->clients[c];
    s->flights[number] = (flight){ .client = c, .life = sender->life, .next = sender->flights, .prev = NONE };
    if (sender->flights != NONE)
        s->flights[sender->flights].prev = number;
    sender->flights = number;
    return number;
}

arena *flight_memory(simulation *s, flight *f)
{
    if (!f->memory)
        f->memory = s->spare_count ? s->spare[--s->spare_count] : arena_new();
    return f->memory;
}

void traffic_end(simulation *s, uint32_t number)
{
    flight *f = &s->flights[number];
    if (f->memory) {
        arena_reset(f->memory);
        MEM_RESERVE(s->spare, s->spare_cap, s->spare_count + 1);
        s->spare[s->spare_count++] = f->memory;
    }
    if (f->next != NONE)
        s->flights[f->next].prev = f->prev;
    *(f->prev != NONE ? &s->flights[f->prev].next : &s->clients[f->client].flights) = f->next;
    *f = (flight){ .next = s->free_flight };
    s->free_flight = number;
}

/* ---- mail ---- */

uint32_t mail_new(simulation *s)
{
    uint32_t number = s->free_mail;
    if (number != NONE) {
        s->free_mail = s->mails[number].next;
        return number;
    }
    MEM_RESERVE(s->mails, s->mail_cap, s->mail_count + 1);
    s->mails[s->mail_count] = (mail){ 0 };
    return (uint32_t)s->mail_count++;
}

void mail_end(simulation *s, uint32_t number)
{
    buf_clear(&s->mails[number].text);
    s->mails[number].next = s->free_mail;
    s->free_mail = number;
}

/* ---- clients' ends ---- */

void traffic_send(simulation *s, uint32_t c, const request *r)
{
    uint32_t number = flight_new(s, c);
    flight *f = &s->flights[number];
    f->r = r;
    f->id = r->id;
    f->server = r->server;
    f->give_up_us = r->timeout_ms >= 0 && r->timeout_ms < DRAW_US_MAX / 1000 ? s->now_us + r->timeout_ms * 1000
                    : INT64_MAX;
    int64_t there_us = client_crowded(s, c) + draw_us(&s->random[STREAM_REQUESTS], &s->w.latency_ms);
    if (is_pubsub(r)) {
        line *l = line_of(s, c, f->server);
        there_us = there_us < l->sent_us ? l->sent_us : there_us;
        l->sent_us = there_us;
    }
    if (draw_chance(&s->random[STREAM_LOST_REQUESTS], s->w.lose_request)) {
        f->state = FLIGHT_LOST;
        simulation_tell(s, (occurrence){ .kind = OCCURS_LOST_REQUEST, .client = c, .lock = OCCURS_NOBODY });
        return;
    }
    simulation_post(s, HAPPENS_ARRIVAL, there_us, c, number);
}

/* What it had sent outlives its process. */
static void copy_request(simulation *s, flight *f)
{
    arena *a = flight_memory(s, f);
    request *r = ARENA_NEW(a, request);
    *r = *f->r;
    str *argv = ARENA_ARRAY(a, str, r->argc + 1);
    for (size_t i = 0; i < r->argc; i++)
        argv[i] = arena_str(a, r->argv[i]);
    r->argv = argv;
    r->op = r->lock = S("");
    f->r = r;
}

void traffic_abandon(simulation *s, uint32_t c)
{
    for (uint32_t number = s->clients[c].flights, next; number != NONE; number = next) {
        flight *f = &s->flights[number];
        next = f->next;
        if (f->state == FLIGHT_WAITING)
            traffic_leave(s, number);
        if (f->state == FLIGHT_SENT && f->life == s->clients[c].life)
            copy_request(s, f);
        if (f->state == FLIGHT_SENT || f->state == FLIGHT_EXECUTED)
            f->orphan = true;
        else
            traffic_end(s, number);
    }
    for (uint32_t i = 0; i < s->server_count; i++) {
        line *l = line_of(s, c, i);
        if (l->commands)
            redis_disconnect(s->servers[i].r, l->commands);
        if (l->subscriber)
            redis_disconnect(s->servers[i].r, l->subscriber);
        l->commands = l->subscriber = NULL;
    }
}

/* ---- beginning and end ---- */

void traffic_open(simulation *s)
{
    s->server_count = s->sc->servers;
    s->free_flight = s->free_mail = NONE;
    s->scratch = arena_new();
    s->lines = mem_zero((size_t)s->client_count * s->server_count * sizeof *s->lines);
    servers_open(s);
}

void traffic_close(simulation *s)
{
    servers_close(s);
    for (size_t i = 0; i < s->flight_count; i++)
        if (s->flights[i].memory)
            arena_free(s->flights[i].memory);
    for (size_t i = 0; i < s->spare_count; i++)
        arena_free(s->spare[i]);
    for (size_t i = 0; i < s->mail_count; i++)
        buf_free(&s->mails[i].text);
    mem_free(s->flights);
    mem_free(s->spare);
    mem_free(s->mails);
    mem_free(s->lines);
    mem_free(s->closes);
    arena_free(s->scratch);
}
