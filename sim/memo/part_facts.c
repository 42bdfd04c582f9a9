/* part_facts.c - parts as named values, for people: what a process holds and waits for, and what a server stores. */
#include <inttypes.h>
#include <string.h>
#include <xxhash.h>

#include "memo/parts_internal.h"

/* ---- a node ---- */

static void tell_flight(const flight *f, size_t place, facts *out)
{
    static const char *const state[] = { [FLIGHT_SENT] = "sent", [FLIGHT_WAITING] = "waits",
                                         [FLIGHT_EXECUTED] = "executed", [FLIGHT_ARRIVED] = "arrived",
                                         [FLIGHT_LOST] = "lost" };
    arena *a = out->memory;
    facts_add_clock(out, arena_printf(a, "request %zu", place),
                    arena_printf(a, "the request under way, number %zu,", place + 1),
                    arena_printf(a, "%.*s %s", STR_ARG(f->op), state[f->state]));
    if (f->give_up_ms != INT64_MAX)
        facts_add_clock(out, arena_printf(a, "request %zu time-out", place),
                        arena_printf(a, "the time-out of the request `%.*s`", STR_ARG(f->op)),
                        arena_printf(a, "%" PRId64 " ms", f->give_up_ms - WORLD_EPOCH_MS));
}

void parts_describe_node(parts *p, uint32_t node, facts *out)
{
    const node_record *r = &p->nodes[node];
    if (!r->p)
        return;
    err none = { 0 };
    uint32_t state = process_state_id(r->p, r->as_of_ms, &none);
    err_clear(&none);
    if (state != PROCESS_NO_STATE)
        process_table_describe(process_tables_get(p->tables, r->process_index), state, out);
    facts_add_count(out, S("requests"), S("the number of its requests under way"), r->flight_count, 1);
    for (size_t i = 0; i < r->flight_count; i++)
        tell_flight(&r->flights[i], i, out);
    for (uint32_t s = 0; s < p->sc->servers; s++)
        facts_add_count(out, arena_printf(out->memory, "messages %u", s),
                        S("the number of messages on their way to it"), r->messages[s].count, 1);
}

bool parts_describes(const parts *p) { return p->w != NULL; }

uint32_t parts_owner(const parts *p, uint32_t node) { return p->nodes[node].process_index; }

/* ---- servers ---- */

typedef struct {
    facts *out;
    uint32_t server;
    size_t clocks;         /* TTLs reported so far */
} key_teller;

/* Splits the text of redis_each_key for a collection: { a = 1, b = 2 }, [a, b], {a: 1}. It only has to name what
 * grows. */
static void tell_members(key_teller *t, str key, str shown)
{
    facts *out = t->out;
    arena *a = out->memory;
    uint64_t members = 0;
    bool list = shown.p[0] == '[';
    for (size_t from = 1; from + 1 < shown.n; members++) {
        size_t end = from;
        while (end + 1 < shown.n && !(shown.p[end] == ',' && shown.p[end + 1] == ' '))
            end++;
        str member = str_slice(shown, from, end), value = S("there");
        from = end + 2;
        for (size_t i = 0; !list && i + 2 < member.n; i++) {
            bool field = str_eq(str_slice(member, i, i + 3), S(" = ")),
                         score = str_eq(str_slice(member, i, i + 2), S(": "));
            if (!field && !score)
                continue;
            value = str_slice(member, i + (field ? 3 : 2), member.n);
            member.n = i;
        }
        if (list)
            facts_add(out, arena_printf(a, "key %u %.*s [%zu]", t->server, STR_ARG(key), (size_t)members),
                      arena_printf(a, "element %zu of the key `%.*s`", (size_t)members, STR_ARG(key)), member);
        else
            facts_add(out, arena_printf(a, "key %u %.*s %.*s", t->server, STR_ARG(key), STR_ARG(member)),
                      arena_printf(a, "`%.*s` in the key `%.*s`", STR_ARG(member), STR_ARG(key)), value);
    }
    facts_add_count(out, arena_printf(a, "members %u %.*s", t->server, STR_ARG(key)),
                    arena_printf(a, "the number of members of the key `%.*s`", STR_ARG(key)), members, 1);
}

static void tell_key(void *context, str key, str shown, int64_t ttl_ms)
{
    key_teller *t = context;
    arena *a = t->out->memory;
    if (ttl_ms >= 0) {
        facts_add_clock(t->out, arena_printf(a, "ttl %u %.*s", t->server, STR_ARG(key)),
                        arena_printf(a, "the TTL of the key `%.*s`", STR_ARG(key)),
                        arena_printf(a, "%" PRId64 " ms", ttl_ms));
        t->clocks++;
    }
    if (shown.n > 1 && shown.p[0] != '"')
        tell_members(t, key, shown);
    else
        facts_add(t->out, arena_printf(t->out->memory, "key %u %.*s", t->server, STR_ARG(key)),
                  arena_printf(t->out->memory, "the key `%.*s`", STR_ARG(key)), shown);
}

void parts_describe_servers(parts *p, uint32_t servers, facts *out)
{
    world *w = p->w;
    if (!w)
        return;
    servers_load(p, servers);
    for (uint32_t i = 0; i < w->server_count; i++) {
        size_t before = out->count;
        key_teller t = { .out = out, .server = i };
        redis_each_key(server_redis(&w->servers[i]), server_now_ms(&w->servers[i]), out->memory, tell_key, &t);
        facts_add_count(out, arena_printf(out->memory, "keys %u", i), S("the number of keys and their members"),
                        out->count - before - t.clocks, 2);
    }
}

/* ---- monitors ---- */

uint64_t parts_model_without(parts *p, uint32_t model_number, property closed)
{
    model *m = model_thaw(&p->sc->model, p->names, p->sc->client_count, intern_get(p->model_bytes, model_number),
                          p->judged_ms);
    buf b = { 0 };
    model_close(m, closed);
    model_freeze(m, p->judged_ms, NULL, &b);
    uint64_t print = XXH3_64bits(b.p, b.n);
    buf_free(&b);
    model_free(m);
    return print;
}
