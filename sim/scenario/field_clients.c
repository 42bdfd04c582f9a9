/* field_clients.c - the clients, and when each of them starts. */
#include "scenario/fields.h"

enum { THREADS_MAX = 64 };

static bool check_client_name(reading *r, str s)
{
    bool ok = s.n > 0 && s.n <= 32 && !(s.p[0] >= '0' && s.p[0] <= '9') && s.p[0] != '_';
    for (size_t i = 0; ok && i < s.n; i++) {
        char c = s.p[i];
        ok = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
    }
    if (!ok)
        return reading_wrong(r, "a client's name is a letter, then letters, digits and _ (at most 32), this is "
                             "\"%.*s\"", STR_ARG(s));
    for (size_t i = 0; i < r->out->client_count; i++)
        if (str_eq(r->out->clients[i].name, s))
            return reading_wrong(r, "two clients have the name \"%.*s\"", STR_ARG(s));
    return true;
}

/* 10, or "open": START_OPEN. */
static bool read_start(reading *r, int64_t *ms)
{
    str s;
    if (lua_type(r->L, -1) != LUA_TSTRING)
        return read_integer(r, 0, READ_MS_MAX, ms);
    *ms = START_OPEN;
    return read_str(r, &s) &&
           (str_eq(s, S("open")) || reading_wrong(r, "%s is a number of ms, or \"open\"", reading_field(r)));
}

/* "+1/1000", "-1/50". */
static bool read_drift(reading *r, int64_t *drift)
{
    enum { DRIFT_LEAST = 10, DRIFT_MOST = 1000 };
    str s;
    if (!read_str(r, &s))
        return false;
    bool ok = s.n > 3 && s.n <= 7 && (s.p[0] == '+' || s.p[0] == '-') && str_starts(str_slice(s, 1, s.n), S("1/")) &&
              s.p[3] != '0';
    for (size_t i = 3; ok && i < s.n; i++) {
        ok = s.p[i] >= '0' && s.p[i] <= '9';
        *drift = *drift * 10 + (s.p[i] - '0');
    }
    if (!ok || *drift < DRIFT_LEAST || *drift > DRIFT_MOST) {
        reading_wrong(r, "drift is a sign and the part by which the clock is wrong, from 1/%d to 1/%d, this is "
                      "\"%.*s\"",
                      DRIFT_LEAST, DRIFT_MOST, STR_ARG(s));
        return err_hint(r->e, "\"+1/1000\": it gains a millisecond every 1000; \"-1/50\": it loses one every 50. What "
                        "goes by the remainder is a "
                              "part of the state, so finer parts make too many states");
    }
    *drift = s.p[0] == '-' ? -*drift : *drift;
    return true;
}

static bool read_client_field(reading *r, str name, int64_t index, void *context)
{
    scenario_client *c = context;
    int64_t threads;
    if (!name.n && index == 1)
        return read_str(r, &c->name) && check_client_name(r, c->name);
    if (str_eq(name, S("threads"))) {
        bool ok = read_integer(r, 1, THREADS_MAX, &threads);
        c->threads = ok ? (uint32_t)threads : 0;
        return ok;
    }
    if (str_eq(name, S("skew_ms")))
        return read_integer(r, -READ_MS_MAX, READ_MS_MAX, &c->skew_ms);
    if (str_eq(name, S("drift")))
        return read_drift(r, &c->drift);
    if (str_eq(name, S("operator"))) {
        c->operator_ = lua_toboolean(r->L, -1);
        return lua_isboolean(r->L, -1) || reading_wrong(r, "operator is true or false");
    }
    if (str_eq(name, S("start_ms")))
        return read_start(r, &c->start_ms);
    if (str_eq(name, S("after")))
        return read_str(r, &c->after) &&
               (c->after.n > 0 || reading_wrong(r, "after is empty: write after = \"A.acquire\""));
    if (!name.n)
        return reading_wrong(r, "%s: a client is \"A\", or { \"A\", threads = , skew_ms = , start_ms = , after = , "
                             "operator = , drift = }", reading_field(r));
    static const str known[] = { { "after", 5 }, { "drift", 5 }, { "operator", 8 }, { "skew_ms", 7 }, { "start_ms", 8 },
                                 { "threads", 7 } };
    return reading_unknown(r, "field of a client", name, known, COUNT(known));
}

static bool read_client(reading *r, str name, int64_t index, void *context)
{
    (void)context;
    if (name.n || index != (int64_t)r->out->client_count + 1)
        return reading_wrong(r, "clients has to be a list without names or holes");
    if (r->out->client_count == CLIENTS_MAX)
        return reading_wrong(r, "a scenario has at most %d clients", CLIENTS_MAX);
    scenario_client c = { .threads = 1, .name = { .p = "" }, .start_ms = START_UNSAID };
    if (lua_type(r->L, -1) == LUA_TSTRING) {
        if (!read_str(r, &c.name) || !check_client_name(r, c.name))
            return false;
    } else {
        if (!read_table(r, "a name or a table") || !read_fields(r, read_client_field, &c))
            return false;
        if (!c.name.n)
            return reading_wrong(r, "%s has no name: write { \"A\", ... }", reading_field(r));
    }
    c.id = c.name;
    r->out->clients[r->out->client_count++] = c;
    return true;
}

bool field_clients(reading *r, const layering *g)
{
    (void)g;
    r->out->clients = ARENA_ARRAY(r->a, scenario_client, CLIENTS_MAX);
    return read_table(r, "a list of clients") && read_fields(r, read_client, NULL);
}

bool field_start(reading *r, const layering *g)
{
    (void)g;
    return read_start(r, &r->out->start_ms);
}

/* after = "A.acquire": the operation of another client, and not one that waits for this one itself. */
static bool check_after(reading *r, size_t i)
{
    scenario *s = r->out;
    scenario_client *c = &s->clients[i];
    if (!c->after.n)
        return true;
    size_t dot = str_find(c->after, '.', 0), at = 0;
    str name = str_slice(c->after, 0, dot);
    while (at < s->client_count && !str_eq(s->clients[at].name, name))
        at++;
    c->after_client = at;
    c->after_op = dot < c->after.n ? str_slice(c->after, dot + 1, c->after.n) : S("");
    if (c->after_op.n && at < s->client_count && at != i)
        return true;
    reading_enter(r, S("clients"), 0);
    reading_enter(r, (str){ 0 }, (int64_t)i + 1);
    reading_enter(r, S("after"), 0);
    reading_wrong(r, "after names an operation of another client, this is \"%.*s\"", STR_ARG(c->after));
    return err_hint(r->e, "after = \"%.*s.acquire\"", STR_ARG(s->clients[i == 0 && s->client_count > 1].name));
}

/* Two clients that wait for each other would never start. */
bool clients_check(reading *r)
{
    const scenario *s = r->out;
    for (size_t i = 0; i < s->client_count; i++) {
        scenario_client *c = &s->clients[i];
        int64_t ms = c->start_ms != START_UNSAID ? c->start_ms : c->after.n ? 0 : s->start_ms;
        if (c->after.n && ms == START_OPEN)
            return reading_wrong(r, "client \"%.*s\" starts after %.*s: that start cannot be open", STR_ARG(c->name),
                                 STR_ARG(c->after));
        c->pinned = ms >= 0;
        c->start_ms = ms >= 0 ? ms : 0;
    }
    for (size_t i = 0; i < s->client_count; i++)
        if (!check_after(r, i))
            return false;
    for (size_t i = 0; i < s->client_count; i++) {
        size_t at = i, steps = 0;
        while (s->clients[at].after.n && steps++ < s->client_count)
            at = s->clients[at].after_client;
        if (steps > s->client_count)
            return reading_wrong(r, "client \"%.*s\" never starts: by `after`, it waits for itself",
                                 STR_ARG(s->clients[i].name));
    }
    return true;
}
