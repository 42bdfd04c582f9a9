/* driver_api.c - the methods of `me` that talk to Redis, wait, or start something. announce.c has those that only say something. */
#include <assert.h>
#include <string.h>

#include "base/mem.h"
#include "client/process_internal.h"

/* The running task, for calls that wait or send: they act for it, so a handle of another thread is a mistake. */
static object *check_me(lua_State *L)
{
    process *p = process_of(L);
    object *me = object_check(L, 1, OBJECT_ME);
    if (!p->running)
        luaL_error(L, "me cannot be used here: no task is running");
    return me;
}

void push_me(lua_State *L, uint32_t task_id, uint32_t server)
{
    object *me = object_new(L, OBJECT_ME);
    me->task = task_id;
    me->server = server;
    process *p = process_of(L);
    task *t = task_find(p, task_id);
    me->permits = t ? t->thread : 1;               /* the thread, kept for when the task is over */
}

typedef struct {
    str op, lock;
    int64_t lease_ms, timeout_ms;
    bool resend, again;
    int64_t sync, permits;
} options;

static const char *const option_names[] = { "op", "lock", "lease", "timeout_ms", "resend", "again", "sync", "permits" };

/* The options table at `index` (or nothing there). Its strings are anchored by the table. */
static options read_options(lua_State *L, int index)
{
    process *p = process_of(L);
    options o = { .lease_ms = LEASE_NONE, .timeout_ms = p->scenario ? p->scenario->timeout_ms : 0 };
    if (lua_isnoneornil(L, index))
        return o;
    luaL_checktype(L, index, LUA_TTABLE);
    lua_pushnil(L);
    while (lua_next(L, index)) {
        str name = { .p = "", .n = 0 };
        if (lua_type(L, -2) == LUA_TSTRING)
            name.p = lua_tolstring(L, -2, &name.n);
        int value = lua_gettop(L);
        if (str_eq(name, S("op"))) {
            o.op = check_str(L, value);
        } else if (str_eq(name, S("lock"))) {
            o.lock = check_lock(L, value);
        } else if (str_eq(name, S("lease"))) {
            o.lease_ms = check_integer(L, value, "lease", -LEASE_MS_MAX);
        } else if (str_eq(name, S("timeout_ms"))) {
            o.timeout_ms = check_integer(L, value, "timeout_ms", 1);
        } else if (str_eq(name, S("resend")) || str_eq(name, S("again"))) {
            if (!lua_isboolean(L, value))
                luaL_error(L, "%s has to be true or false, this is a %s", name.p, luaL_typename(L, value));
            *(str_eq(name, S("again")) ? &o.again : &o.resend) = lua_toboolean(L, value);
        } else if (str_eq(name, S("sync"))) {
            o.sync = check_integer(L, value, "sync", 0);
            if (o.sync > REPLICAS_MAX)
                luaL_error(L, "sync is a number of replicas, at most %d", REPLICAS_MAX);
        } else if (str_eq(name, S("permits"))) {
            o.permits = check_integer(L, value, "permits", 0);
        } else {
            str known[COUNT(option_names)];
            for (size_t i = 0; i < COUNT(known); i++)
                known[i] = str_from(option_names[i]);
            str near = err_nearest(name, known, COUNT(known));
            luaL_error(L, "a request has no option '%s'%s%s; it has op, lock, lease, timeout_ms, resend, again, sync, permits", name.p,
                       near.n ? ": did you mean " : "", near.p);
        }
        lua_pop(L, 1);
    }
    return o;
}

/* Words gathered for a request; a userdata at the top of L, so that an error frees it. */
typedef struct {
    arena *a;
    str *at;
    size_t n, cap;
} words;

static void add_word(words *w, str s)
{
    if (w->n == w->cap) {
        size_t cap = w->cap ? 2 * w->cap : 16;
        str *grown = ARENA_ARRAY(w->a, str, cap);
        if (w->n)
            memcpy(grown, w->at, w->n * sizeof *grown);
        w->at = grown;
        w->cap = cap;
    }
    w->at[w->n++] = s;
}

static void add_value(lua_State *L, words *w, int index, const char *what, int number)
{
    str s;
    const char *why;
    if (!convert_word(L, index, w->a, &s, &why))
        luaL_error(L, "%s %d of the request cannot be sent: it is a %s; send strings and numbers", what, number, why);
    add_word(w, s);
}

/* A list at `index` (or nothing). Returns how many words it had. */
static size_t add_list(lua_State *L, words *w, int index, const char *what)
{
    enum { WORDS_MAX = 100000 };
    if (lua_isnoneornil(L, index))
        return 0;
    if (!lua_istable(L, index))
        luaL_error(L, "%ss have to be a list, this is a %s", what, luaL_typename(L, index));
    size_t n = 0, all = 0;
    for (;; n++) {
        lua_rawgeti(L, index, (int)n + 1);
        if (lua_isnil(L, -1))
            break;
        if (n == WORDS_MAX)
            luaL_error(L, "a request has at most %d %ss", WORDS_MAX, what);
        add_value(L, w, lua_gettop(L), what, (int)n + 1);
        lua_pop(L, 1);
    }
    lua_pop(L, 1);
    lua_pushnil(L);
    while (lua_next(L, index)) {
        lua_pop(L, 1);
        all++;
    }
    if (all != n)
        luaL_error(L, "%ss have to be a list without holes or names: %d of %d fields are not in it", what, (int)(all - n), (int)all);
    state_charge(L, n);
    return n;
}

static void check_thread(lua_State *L, const object *me)
{
    process *p = process_of(L);
    if (me->permits != p->running->thread)
        luaL_error(L, "this handle belongs to %s, but %s is running: pass each task its own me",
                   arena_printf(p->memory, "%.*s:%d", STR_ARG(p->client), (int)me->permits).p, p->running->who.p);
}

/* The words' arena is the input's: it outlives the call, however that ends. */
static words words_new(process *p)
{
    return (words){ .a = p->out->memory };
}

/* The script at `index`: an object, or text. */
static const script_file *read_script(lua_State *L, int index)
{
    object *o = object_at(L, index);
    if (o && o->kind == OBJECT_SCRIPT)
        return o->script;
    if (lua_type(L, index) != LUA_TSTRING)
        luaL_error(L, "a script is expected (script \"file.lua\", or Lua text), this is a %s", luaL_typename(L, index));
    str text = check_str(L, index);
    return source_script_text(process_of(L)->sources, text);
}

static str script_op(const script_file *s)
{
    str name = s->name;
    for (size_t i = name.n; i-- > 0;)
        if (name.p[i] == '/') {
            name = str_slice(name, i + 1, name.n);
            break;
        }
    return str_ends(name, S(".lua")) ? str_slice(name, 0, name.n - 4) : name;
}

static request *make_eval(lua_State *L, object *me, int at, bool waited)
{
    process *p = process_of(L);
    const script_file *s = read_script(L, at);
    enum { KEY_COUNT = 2 };                        /* EVALSHA sha numkeys key... argument... */
    words w = words_new(p);
    add_word(&w, S("EVALSHA"));
    add_word(&w, str_from(s->sha1));
    add_word(&w, S("0"));
    size_t keys = add_list(L, &w, at + 1, "key");
    assert(w.n == KEY_COUNT + 1 + keys && w.at);
    w.at[KEY_COUNT] = arena_printf(w.a, "%zu", keys);
    add_list(L, &w, at + 2, "argument");
    options o = read_options(L, at + 3);
    request_head head = { .kind = REQUEST_EVAL, .server = me->server, .waited = waited, .script = s,
                          .op = o.op.n ? o.op : script_op(s), .lock = o.lock, .resend = o.resend, .again = o.again, .sync = (uint32_t)o.sync, .permits = o.permits,
                          .lease_ms = o.lease_ms, .timeout_ms = o.timeout_ms, .where = state_where(p, L, 1) };
    return request_new(p, &head, w.at, w.n);
}

static str lower(arena *a, str s)
{
    str copy = arena_str(a, s);
    char *p = (char *)(uintptr_t)copy.p;
    for (size_t i = 0; i < copy.n; i++)
        if (p[i] >= 'A' && p[i] <= 'Z')
            p[i] = (char)(p[i] - 'A' + 'a');
    return copy;
}

static request *make_command(lua_State *L, object *me, words *w, options o, bool waited)
{
    process *p = process_of(L);
    if (w->n == 0 || w->at[0].n == 0) {
        luaL_error(L, "the name of a command is expected");
        return NULL;       /* it does not come back */
    }
    request_head head = { .kind = REQUEST_COMMAND, .server = me->server, .waited = waited, .op = o.op.n ? o.op : lower(w->a, w->at[0]),
                          .lock = o.lock, .lease_ms = o.lease_ms, .timeout_ms = o.timeout_ms, .resend = o.resend, .again = o.again, .sync = (uint32_t)o.sync,
                          .permits = o.permits, .where = state_where(p, L, 1) };
    return request_new(p, &head, w->at, w->n);
}

static int wait_for(lua_State *L, request *r, const char *name)
{
    return task_wait(L, &(wait_request){ .kind = WAIT_REQUEST, .ms = -1, .request = r, .call = name }, 0);
}

/* me:eval(script, keys, argv, options) */
static int me_eval(lua_State *L)
{
    object *me = check_me(L);
    check_thread(L, me);
    lua_settop(L, 5);
    return wait_for(L, make_eval(L, me, 2, true), "me:eval");
}

/* me:call(name, word...): a table as the last argument has the options. */
static int me_call(lua_State *L)
{
    object *me = check_me(L);
    check_thread(L, me);
    int top = lua_gettop(L);
    words w = words_new(process_of(L));
    int last = lua_istable(L, top) ? top - 1 : top;
    for (int i = 2; i <= last; i++)
        add_value(L, &w, i, "argument", i - 2);
    options o = read_options(L, last + 1);
    return wait_for(L, make_command(L, me, &w, o, true), "me:call");
}

static bool is_command_name(str s)
{
    for (size_t i = 0; i < s.n; i++)
        if (!((s.p[i] >= 'A' && s.p[i] <= 'Z') || (s.p[i] >= 'a' && s.p[i] <= 'z')))
            return false;
    return s.n > 0;
}

/* me:send(script or command, keys, argv, options) -> a future */
static int me_send(lua_State *L)
{
    object *me = check_me(L);
    check_thread(L, me);
    lua_settop(L, 5);
    process *p = process_of(L);
    request *r;
    if (lua_type(L, 2) == LUA_TSTRING && is_command_name(check_str(L, 2))) {
        words w = words_new(p);
        add_word(&w, arena_str(w.a, check_str(L, 2)));
        add_list(L, &w, 3, "key");
        add_list(L, &w, 4, "argument");
        r = make_command(L, me, &w, read_options(L, 5), false);
    } else {
        r = make_eval(L, me, 2, false);
    }
    int guarded = p->guarded;                      /* from here on the request is on its way: no error may come between */
    p->guarded = 0;
    request_send(p, r, p->running->id);
    object *f = object_new(L, OBJECT_FUTURE);
    f->request = r->id;
    f->server = me->server;
    lua_newtable(L);
    lua_setfenv(L, -2);
    root_push(L, ROOT_FUTURES);
    lua_pushvalue(L, -2);
    lua_rawseti(L, -2, (int)r->id);
    lua_pop(L, 1);
    p->guarded = guarded;
    return 1;
}

/* me:on(n): the same task, talking to server n. So do the tasks that it spawns, the callbacks of its requests and the handlers of its
 * messages. */
static int me_on(lua_State *L)
{
    object *me = object_check(L, 1, OBJECT_ME);
    process *p = process_of(L);
    int64_t n = check_integer(L, 2, "the server's number", 1);
    if (p->scenario && n > p->scenario->servers)
        return luaL_error(L, "there is no server %d: the scenario has %d (servers = %d)", (int)n, (int)p->scenario->servers, (int)n);
    object *on = object_new(L, OBJECT_ME);
    *on = *me;
    on->server = (uint32_t)n - 1;
    return 1;
}

static int me_now(lua_State *L)
{
    process *p = process_of(L);
    object_check(L, 1, OBJECT_ME);
    lua_pushnumber(L, (lua_Number)(p->now_ms + p->skew_ms));
    return 1;
}

static int me_sleep(lua_State *L)
{
    check_thread(L, check_me(L));
    int64_t ms = check_integer(L, 2, "the time to sleep", 0);
    return task_wait(L, &(wait_request){ .kind = WAIT_SLEEP, .ms = ms, .name = "sleep", .call = "me:sleep" }, 0);
}

/* me:work(ms), or me:work() for as long as the scenario leaves open. */
static int me_work(lua_State *L)
{
    check_thread(L, check_me(L));
    const scenario *sc = process_of(L)->scenario;
    wait_request w = { .kind = WAIT_SLEEP, .work = true, .name = "work", .call = "me:work" };
    if (!lua_isnoneornil(L, 2)) {
        w.ms = check_integer(L, 2, "the time to work", 0);
    } else if (!sc || sc->work_lo_ms < 0) {
        w.kind = WAIT_WORK;
        w.ms = -1;
    } else if (sc->work_lo_ms == sc->work_hi_ms) {
        w.ms = sc->work_lo_ms;
    } else {
        w.kind = WAIT_CHOOSE;
        w.ms = -1;
        w.choices = 2;
    }
    return task_wait(L, &w, 0);
}

static int me_step(lua_State *L)
{
    check_thread(L, check_me(L));
    return task_wait(L, &(wait_request){ .kind = WAIT_STEP, .ms = -1, .name = "step", .call = "me:step" }, 0);
}

enum { CHOICES_MAX = 1000 };

/* me:choose{...} */
static int me_choose(lua_State *L)
{
    check_thread(L, check_me(L));
    luaL_checktype(L, 2, LUA_TTABLE);
    lua_settop(L, 2);
    size_t n = lua_objlen(L, 2);
    if (n == 0)
        return luaL_error(L, "there is nothing to choose from: me:choose takes a list of values");
    if (n > CHOICES_MAX)
        return luaL_error(L, "me:choose takes at most %d values: each is a step of its own to the search", CHOICES_MAX);
    for (size_t i = 1; i <= n; i++) {
        lua_rawgeti(L, 2, (int)i);
        if (lua_isnil(L, -1))
            return luaL_error(L, "choice %d is nil", (int)i);
        lua_pop(L, 1);
    }
    if (n == 1) {
        lua_rawgeti(L, 2, 1);
        return 1;
    }
    return task_wait(L, &(wait_request){ .kind = WAIT_CHOOSE, .ms = -1, .choices = n, .name = "choose", .call = "me:choose" }, 1);
}

/* me:spawn(name, fn, { daemon = true }) -> task */
static int me_spawn(lua_State *L)
{
    const object *me = check_me(L);
    check_thread(L, me);
    str name = check_str(L, 2);
    luaL_checktype(L, 3, LUA_TFUNCTION);
    if (lua_iscfunction(L, 3))
        return luaL_error(L, "me:spawn takes a Lua function");
    bool daemon = false;
    if (!lua_isnoneornil(L, 4)) {
        luaL_checktype(L, 4, LUA_TTABLE);
        lua_pushnil(L);
        while (lua_next(L, 4)) {
            if (lua_type(L, -2) != LUA_TSTRING || strcmp(lua_tostring(L, -2), "daemon") != 0 || !lua_isboolean(L, -1))
                return luaL_error(L, "me:spawn takes one option: daemon = true or false");
            daemon = lua_toboolean(L, -1);
            lua_pop(L, 1);
        }
    }
    process *p = process_of(L);
    enum { TASKS_MAX = 1000 };                     /* at once; each step of the world looks at all of them */
    if (p->task_count >= TASKS_MAX)
        return luaL_error(L, "more than %d tasks in one process", TASKS_MAX);
    task *t = task_new(p, name, p->running->thread, false, daemon);
    t->where = state_where(p, L, 1);
    lua_State *co = task_thread(p, t);
    lua_pushvalue(L, 3);
    push_me(L, t->id, me->server);
    lua_xmove(L, co, 2);
    object_new(L, OBJECT_TASK)->task = t->id;
    return 1;
}

/* The first subscription of the process (or only of this thread, if not 0) to the channel. */
static subscription *find_subscription(process *p, uint32_t server, uint32_t thread, bool pattern, str channel)
{
    for (size_t i = 0; i < p->subscription_count; i++) {
        subscription *s = &p->subscriptions[i];
        if (s->server == server && (thread == 0 || s->thread == thread) && s->pattern == pattern && str_eq(s->channel, channel))
            return s;
    }
    return NULL;
}

static int subscribe(lua_State *L, bool pattern, const char *name)
{
    object *me = check_me(L);
    check_thread(L, me);
    process *p = process_of(L);
    str channel = check_str(L, 2);
    luaL_checktype(L, 3, LUA_TFUNCTION);
    if (lua_iscfunction(L, 3))
        return luaL_error(L, "%s takes a Lua function", name);
    int64_t ms = opt_ms(L, 4, "the time to wait for the subscription");
    lua_settop(L, 4);
    str words_[2] = { pattern ? S("PSUBSCRIBE") : S("SUBSCRIBE"), channel };
    request_head head = { .kind = REQUEST_SUBSCRIBE, .server = me->server, .waited = true, .op = pattern ? S("psubscribe") : S("subscribe"),
                          .lease_ms = LEASE_NONE, .timeout_ms = ms > 0 ? ms : p->scenario ? p->scenario->timeout_ms : 0,
                          .where = state_where(p, L, 1) };
    subscription *s = find_subscription(p, me->server, p->running->thread, pattern, channel);
    if (!s) {
        p->subscriptions = mem_reserve(p->subscriptions, &p->subscription_cap, p->subscription_count + 1, sizeof *p->subscriptions);
        s = &p->subscriptions[p->subscription_count++];
        *s = (subscription){ .server = me->server, .thread = p->running->thread, .pattern = pattern,
                             .channel = arena_str(p->memory, channel), .handler = ++p->handler_count };
    }
    root_push(L, ROOT_HANDLERS);
    lua_pushvalue(L, 3);
    lua_rawseti(L, -2, (int)s->handler);
    return wait_for(L, request_new(p, &head, words_, 2), name);
}

static int unsubscribe(lua_State *L, bool pattern, const char *name)
{
    object *me = check_me(L);
    check_thread(L, me);
    process *p = process_of(L);
    str channel = check_str(L, 2);
    int64_t ms = opt_ms(L, 3, "the time to wait for the answer");
    subscription *s = find_subscription(p, me->server, p->running->thread, pattern, channel);
    if (!s)                                        /* threads that share an entry: the last one out ends another's subscription */
        s = find_subscription(p, me->server, 0, pattern, channel);
    if (s) {
        root_push(L, ROOT_HANDLERS);
        lua_pushnil(L);
        lua_rawseti(L, -2, (int)s->handler);
        memmove(s, s + 1, (size_t)(p->subscriptions + p->subscription_count - (s + 1)) * sizeof *s);
        p->subscription_count--;
    }
    for (size_t i = 0; i < p->subscription_count; i++) {
        const subscription *other = &p->subscriptions[i];
        if (other->server == me->server && other->pattern == pattern && str_eq(other->channel, channel)) {
            lua_pushboolean(L, 1);                 /* another thread still listens: the process stays subscribed */
            return 1;
        }
    }
    str words_[2] = { pattern ? S("PUNSUBSCRIBE") : S("UNSUBSCRIBE"), channel };
    request_head head = { .kind = REQUEST_UNSUBSCRIBE, .server = me->server, .waited = true,
                          .op = pattern ? S("punsubscribe") : S("unsubscribe"), .lease_ms = LEASE_NONE,
                          .timeout_ms = ms > 0 ? ms : p->scenario ? p->scenario->timeout_ms : 0, .where = state_where(p, L, 1) };
    return wait_for(L, request_new(p, &head, words_, 2), name);
}

static int me_subscribe(lua_State *L) { return subscribe(L, false, "me:subscribe"); }
static int me_psubscribe(lua_State *L) { return subscribe(L, true, "me:psubscribe"); }
static int me_unsubscribe(lua_State *L) { return unsubscribe(L, false, "me:unsubscribe"); }
static int me_punsubscribe(lua_State *L) { return unsubscribe(L, true, "me:punsubscribe"); }

/* me:semaphore(n) */
static int me_semaphore(lua_State *L)
{
    object_check(L, 1, OBJECT_ME);
    int64_t n = lua_isnoneornil(L, 2) ? 0 : check_integer(L, 2, "the number of permits", 0);
    object_new(L, OBJECT_SEMAPHORE)->permits = n;
    return 1;
}

/* me.id, me.process and the like; methods first, as they are used most. */
static int me_index(lua_State *L)
{
    process *p = process_of(L);
    lua_pushvalue(L, 2);
    lua_rawget(L, lua_upvalueindex(1));
    if (!lua_isnil(L, -1))
        return 1;
    object *me = object_check(L, 1, OBJECT_ME);
    const char *name = luaL_checkstring(L, 2);
    if (strcmp(name, "id") == 0) {
        lua_pushfstring(L, "%s:%d", p->client.p, (int)me->permits);
    } else if (strcmp(name, "process") == 0) {
        root_push(L, ROOT_PROCESS);
    } else if (strcmp(name, "client") == 0) {
        lua_pushlstring(L, p->client.p, str_find(p->client, '#', 0));
    } else if (strcmp(name, "thread") == 0) {
        lua_pushinteger(L, (lua_Integer)me->permits);
    } else if (strcmp(name, "server") == 0) {
        lua_pushinteger(L, (lua_Integer)me->server + 1);
    } else {
        str known[64];
        size_t n = 0;
        lua_pushnil(L);
        while (n < COUNT(known) && lua_next(L, lua_upvalueindex(1))) {
            lua_pop(L, 1);
            known[n++] = str_from(lua_tostring(L, -1));
        }
        for (size_t i = 1; i < n; i++)
            for (size_t j = i; j > 0 && str_cmp(known[j], known[j - 1]) < 0; j--) {
                str swap = known[j];
                known[j] = known[j - 1];
                known[j - 1] = swap;
            }
        str near = err_nearest(str_from(name), known, n);
        return near.n ? luaL_error(L, "me has no '%s'; did you mean '%s'?", name, near.p) : luaL_error(L, "me has no '%s'", name);
    }
    return 1;
}

static int me_refuse_write(lua_State *L)
{
    return luaL_error(L, "me is the task's handle and cannot be changed; use locals, or me.process for what tasks share");
}

void me_open(lua_State *L)
{
    static const luaL_Reg methods[] = {
        { "eval", me_eval }, { "call", me_call }, { "send", me_send }, { "on", me_on }, { "now", me_now }, { "sleep", me_sleep },
        { "work", me_work }, { "step", me_step }, { "choose", me_choose }, { "spawn", me_spawn }, { "subscribe", me_subscribe },
        { "psubscribe", me_psubscribe }, { "unsubscribe", me_unsubscribe }, { "punsubscribe", me_punsubscribe },
        { "semaphore", me_semaphore }, { NULL, NULL },
    };
    lua_createtable(L, 0, 3);
    lua_newtable(L);
    luaL_register(L, NULL, methods);
    announce_open(L);
    lua_pushcclosure(L, me_index, 1);
    lua_setfield(L, -2, "__index");
    lua_pushcfunction(L, me_refuse_write);
    lua_setfield(L, -2, "__newindex");
    lua_pushboolean(L, 0);
    lua_setfield(L, -2, "__metatable");
    lua_rawseti(L, LUA_REGISTRYINDEX, REGISTRY_METATABLES + OBJECT_ME);
}
