/* announce.c - the methods of `me` that only report: what the client believes, what it touches, what it logs. */
#include <string.h>

#include "base/mem.h"
#include "client/process_internal.h"

/* The handle of the call, with a check that a task is running. */
static const object *check_running(lua_State *L, process **p)
{
    *p = process_of(L);
    const object *me = object_check(L, 1, OBJECT_ME);
    if (!(*p)->running || !(*p)->out)
        luaL_error(L, "me cannot be used here: no task is running");
    return me;
}

/* A new announcement by the handle's task; if that has ended (or is a callback's), by the running one. */
static event *announce(process *p, const object *me, event_kind kind)
{
    const task *t = task_find(p, me->task);
    if (!t)
        t = p->running;
    output *o = output_add(p, OUTPUT_ANNOUNCE, t->id);
    event *e = &o->announcement;
    o->thread = (uint32_t)me->permits;
    e->kind = kind;
    e->at_ms = p->now_ms;
    e->task = t->id;
    e->who = me->permits == t->thread ? t->who : task_who(p, (uint32_t)me->permits);
    e->request = p->running->last_answer ? p->running->last_answer : t->last_answer;
    e->lease_ms = LEASE_NONE;
    return e;
}

static str keep(process *p, str s)
{
    return arena_str(p->out->memory, s);
}

typedef struct {
    int64_t lease_ms, renew_ms, token, count;
    str mode;
    bool ahead, untold, own_count;
} told;

/* `words` have blanks around each. */
static bool has_word(const char *words, const char *word)
{
    size_t n = strlen(word);
    for (const char *at = words + 1; n > 0 && (at = strstr(at, word)); at++)
        if (at[-1] == ' ' && at[n] == ' ')
            return true;
    return false;
}

/* The options at index 3, of those in `allowed` (names with blanks around). */
static told read_told(lua_State *L, const char *allowed, int64_t count)
{
    told o = { .lease_ms = LEASE_NONE, .count = count };
    if (lua_isnoneornil(L, 3))
        return o;
    luaL_checktype(L, 3, LUA_TTABLE);
    lua_pushnil(L);
    while (lua_next(L, 3)) {
        const char *name = lua_type(L, -2) == LUA_TSTRING ? lua_tostring(L, -2) : "?";
        if (!has_word(allowed, name))
            luaL_error(L, "there is no option '%s' here; known:%s", name, allowed);
        int value = lua_gettop(L);
        if (strcmp(name, "lease") == 0)
            o.lease_ms = check_integer(L, value, "lease", -LEASE_MS_MAX);
        else if (strcmp(name, "renew_ms") == 0)
            o.renew_ms = check_integer(L, value, "renew_ms", 1);
        else if (strcmp(name, "token") == 0)
            o.token = check_integer(L, value, "token", 0);
        else if (strcmp(name, "count") == 0)
            o.count = check_integer(L, value, "count", 0);
        else if (strcmp(name, "ahead") == 0)
            o.ahead = lua_toboolean(L, value);
        else if (strcmp(name, "told") == 0)
            o.untold = !lua_toboolean(L, value);
        else if (strcmp(name, "counted") == 0)
            o.own_count = !lua_toboolean(L, value);
        else
            o.mode = check_str(L, value);
        lua_pop(L, 1);
    }
    return o;
}

static int say(lua_State *L, event_kind kind, const char *allowed, int64_t count)
{
    process *p;
    const object *me = check_running(L, &p);
    str lock = check_lock(L, 2);
    told o = read_told(L, allowed, count);
    event *e = announce(p, me, kind);
    e->lock = keep(p, lock_full_name(p, me, lock, p->out->memory));
    e->lease_ms = o.lease_ms;
    e->renew_ms = o.renew_ms;
    e->token = o.token;
    e->count = o.count;
    e->untold = o.untold;
    e->own_count = o.own_count;
    if (o.ahead)
        e->request = 0;
    e->mode = o.mode.n ? keep(p, o.mode) : (str){ .p = "" };
    return 0;
}

static int me_wants(lua_State *L) { return say(L, EVENT_WANTS, " mode count ", 0); }
static int me_refused(lua_State *L) { return say(L, EVENT_REFUSED, " ", 0); }
static int me_granted(lua_State *L) { return say(L, EVENT_GRANTED, " lease renew_ms token mode count told ", 1); }
static int me_gave_up(lua_State *L) { return say(L, EVENT_GAVE_UP, " ", 0); }
static int me_released(lua_State *L) { return say(L, EVENT_RELEASED, " count mode ahead told counted ", 0); }
static int me_lost(lua_State *L) { return say(L, EVENT_LOST, " mode ", 0); }

/* me:use(resource, token) */
static int me_use(lua_State *L)
{
    process *p;
    const object *me = check_running(L, &p);
    str resource = check_lock(L, 2);
    int64_t token = lua_isnoneornil(L, 3) ? 0 : check_integer(L, 3, "the token", 0);
    event *e = announce(p, me, EVENT_USE);
    e->text = keep(p, resource);
    e->token = token;
    return 0;
}

static int me_log(lua_State *L)
{
    process *p;
    check_running(L, &p);
    if (lua_type(L, 2) != LUA_TSTRING && lua_type(L, 2) != LUA_TNUMBER)
        return luaL_error(L, "me:log takes a text, this is a %s", luaL_typename(L, 2));
    lua_pushvalue(L, 2);                           /* a number would become a string in place */
    str text;
    text.p = lua_tolstring(L, -1, &text.n);
    output_add(p, OUTPUT_LOG, p->running->id)->text = keep(p, text);
    return 0;
}

/* me:full_name(lock) -> its name in reports: the name, with the handle's servers unless they are all. */
static int me_full_name(lua_State *L)
{
    process *p;
    const object *me = check_running(L, &p);
    str full = lock_exact_name(p, me, check_lock(L, 2), p->out->memory);
    lua_pushlstring(L, full.p, full.n);
    return 1;
}

/* me:unique(kind) -> "A#0:req:1": never repeated in a run, and the same in each run. */
static int me_unique(lua_State *L)
{
    process *p;
    check_running(L, &p);
    str kind = lua_isnoneornil(L, 2) ? S("id") : check_str(L, 2);
    str number = arena_int(p->out->memory, (int64_t)++p->unique_count);
    luaL_Buffer id;
    luaL_buffinit(L, &id);
    luaL_addlstring(&id, p->client.p, p->client.n);
    luaL_addstring(&id, str_find(p->client, '#', 0) == p->client.n ? "#0:" : ":");
    luaL_addlstring(&id, kind.p, kind.n);
    luaL_addchar(&id, ':');
    luaL_addlstring(&id, number.p, number.n);
    luaL_pushresult(&id);
    return 1;
}

static str copy(str s)
{
    char *text = mem_alloc(s.n + 1);
    memcpy(text, s.p, s.n + 1);                    /* Lua's, which ends with a NUL */
    return (str){ .p = text, .n = s.n };
}

enum { OBSERVED_KEPT = 256 };

void observed_free(observed *o)
{
    mem_free((void *)(uintptr_t)o->lock.p);
    mem_free((void *)(uintptr_t)o->granted.p);
}

/* A simulation keeps only the newest ones: a program may have a lock for each order, and views are not used there. */
static size_t place_to_observe(const process *p)
{
    return p->pool && p->observed_count == OBSERVED_KEPT ? p->observed_next : p->observed_count;
}

static void observe(process *p, size_t place, observed what)
{
    if (place == p->observed_count) {
        p->observed = mem_reserve(p->observed, &p->observed_cap, place + 1, sizeof *p->observed);
        p->observed_count++;
    } else {
        observed_free(&p->observed[place]);
        p->observed_next = (place + 1) % OBSERVED_KEPT;
    }
    p->observed[place] = what;
}

static bool strikes(const process *p, fault_kind k)
{
    str of = p->scenario->faults[k].of;
    return of.n == 0 || str_eq(of, p->scenario->clients[p->number].name);
}

/* The driver declares the runtime of its client's tasks. Where threads are preempted or stalled this is required, and
 * its me:atomic is then taken as complete. */
static int check_runtime(lua_State *L, const process *p, str lock)
{
    static const char *const known[] = { "threads", "gil", "event loop" };
    bool preempts = source_wants_points(p->sources) && strikes(p, FAULT_PREEMPT);
    bool asked = preempts || (source_wants_stalls(p->sources) && strikes(p, FAULT_STALL));
    lua_getfield(L, 3, "runtime");
    size_t kind = 0;
    while (kind < COUNT(known) && (lua_type(L, -1) != LUA_TSTRING || strcmp(lua_tostring(L, -1), known[kind]) != 0))
        kind++;
    if (kind == COUNT(known) && !lua_isnil(L, -1))
        return luaL_error(L, "the driver's field 'runtime' is \"threads\", \"gil\" or \"event loop\", not %s%s%s",
                          lua_isstring(L, -1) ? "\"" : "a ",
                          lua_isstring(L, -1) ? lua_tostring(L, -1) : luaL_typename(L, -1),
                          lua_isstring(L, -1) ? "\"" : "");
    if (asked && lua_isnil(L, -1))
        return luaL_error(L, "the driver of lock \"%s\" does not say in what its client's tasks run, so it is unknown "
                          "where they could be %s: "
                             "runtime = \"threads\" or \"gil\", and me:atomic(fn) around what is one atomic call of "
                             "the library", lock.p,
                          preempts ? "preempted" : "stalled");
    if (asked && kind == 2)
        return luaL_error(L, preempts ? "the driver of lock \"%s\" runs on an event loop, where no task is ever "
                          "preempted: aim preempt at another client, "
                                        "preempt = { 1, of = \"NAME\" }, or leave it out"
                                      : "the driver of lock \"%s\" runs on an event loop, whose one thread cannot "
                                      "stand while its timers go on: that is "
                                        "pause; aim stall at another client, stall = { 1, of = \"NAME\" }, or leave it "
                                        "out", lock.p);
    lua_pop(L, 1);
    return 0;
}

/* me:observe(lock, driver): from now on the world looks at this lock by driver.view, at the server of `me`. Repeating
 * it changes nothing. Errors occur before the lock is added. */
static int me_observe(lua_State *L)
{
    process *p;
    const object *me = check_running(L, &p);
    str name = check_lock(L, 2), lock = lock_exact_name(p, me, name, p->out->memory);
    luaL_checktype(L, 3, LUA_TTABLE);
    lua_settop(L, 3);
    for (size_t i = 0; i < p->observed_count; i++)
        if (str_eq(p->observed[i].lock, lock))
            return 0;
    check_runtime(L, p, name);
    spec_kind spec = SPEC_NONE;
    lua_getfield(L, 3, "spec");
    if (lua_type(L, -1) == LUA_TSTRING) {
        if (!spec_parse(check_str(L, -1), &spec))
            return luaL_error(L, "there is no specification '%s'; known: none, mutex, idempotent_mutex, reentrant, "
                              "fair, read_write, semaphore, latch, "
                                 "grouped",
                              lua_tostring(L, -1));
    } else if (!lua_isnil(L, -1)) {
        return luaL_error(L, "the driver's field 'spec' has to be a string, this is a %s", luaL_typename(L, -1));
    }
    lua_getfield(L, 3, "granted");
    str granted = lua_type(L, -1) == LUA_TSTRING ? check_str(L, -1) : (str){ 0 };
    lua_getfield(L, 3, "view");
    if (!lua_isfunction(L, -1))
        return luaL_error(L, "the driver's field 'view' has to be a function, this is a %s", luaL_typename(L, -1));
    size_t place = place_to_observe(p);
    root_push(L, ROOT_OBSERVED);
    lua_pushvalue(L, 2);
    lua_rawseti(L, -2, (int)(2 * place + 1));
    lua_pushvalue(L, -2);                          /* looked up now: a metamethod could do anything later */
    lua_rawseti(L, -2, (int)(2 * place + 2));
    observe(p, place, (observed){ .lock = copy(lock), .name_bytes = name.n, .spec = spec, .server = me->server,
                                 .granted = granted.p && !p->pool ? copy(granted) : (str){ 0 } });
    return 0;
}

void announce_open(lua_State *L)
{
    static const luaL_Reg methods[] = {
        { "wants", me_wants }, { "refused", me_refused }, { "granted", me_granted }, { "gave_up", me_gave_up },
        { "released", me_released }, { "lost", me_lost }, { "use", me_use }, { "log", me_log }, { "unique", me_unique },
        { "observe", me_observe }, { "full_name", me_full_name }, { NULL, NULL },
    };
    luaL_register(L, NULL, methods);
}
