/* driver_channels.c - me:subscribe and related methods: a handler for each message of a channel or of a pattern. */
#include <string.h>

#include "base/mem.h"
#include "client/process_internal.h"

/* The first subscription of the process (or only of this thread, if not 0) to the channel. */
static subscription *find_subscription(process *p, uint32_t server, uint32_t thread, bool pattern, str channel)
{
    for (size_t i = 0; i < p->subscription_count; i++) {
        subscription *s = &p->subscriptions[i];
        if (s->server == server && (thread == 0 || s->thread == thread) && s->pattern == pattern &&
            str_eq(buf_str(&s->channel), channel))
            return s;
    }
    return NULL;
}

/* The request of me:subscribe(channel, handler, ms) and its likes; the handler is kept. */
static request *make_subscription(lua_State *L, object *me, bool pattern, bool waited, const char *name)
{
    me_check_thread(L, me);
    process *p = process_of(L);
    str channel = check_str(L, 2);
    luaL_checktype(L, 3, LUA_TFUNCTION);
    if (lua_iscfunction(L, 3))
        luaL_error(L, "%s takes a Lua function", name);
    int64_t ms = opt_ms(L, 4, "the time to wait for the subscription");
    lua_settop(L, 4);
    str words_[2] = { pattern ? S("PSUBSCRIBE") : S("SUBSCRIBE"), channel };
    request_head head = { .kind = REQUEST_SUBSCRIBE, .server = me->server, .waited = waited,
                          .op = pattern ? S("psubscribe") : S("subscribe"),
                          .lease_ms = LEASE_NONE, .timeout_ms = ms > 0 ? ms : p->scenario ? p->scenario->timeout_ms : 0,
                          .where = state_call_place(p, L) };
    subscription *s = find_subscription(p, me->server, p->running->thread, pattern, channel);
    if (!s) {
        p->subscriptions = mem_reserve(p->subscriptions, &p->subscription_cap, p->subscription_count + 1,
                                       sizeof *p->subscriptions);
        s = &p->subscriptions[p->subscription_count++];
        *s = (subscription){ .server = me->server, .thread = p->running->thread, .pattern = pattern,
                             .handler = ++p->handler_count };
        buf_add(&s->channel, channel);
    }
    root_push(L, ROOT_HANDLERS);
    lua_pushvalue(L, 3);
    lua_rawseti(L, -2, (int)s->handler);
    return request_new(p, &head, words_, 2);
}

static int subscribe(lua_State *L, bool pattern, const char *name)
{
    object *me = me_check(L);
    return request_wait(L, make_subscription(L, me, pattern, true, name), name);
}

/* me:send_subscribe(channel, fn, ms): the same without waiting, a future */
static int me_send_subscribe(lua_State *L)
{
    object *me = me_check(L);
    return future_push_sent(L, make_subscription(L, me, false, false, "me:send_subscribe"), me->servers);
}

static int unsubscribe(lua_State *L, bool pattern, const char *name)
{
    object *me = me_check(L);
    me_check_thread(L, me);
    process *p = process_of(L);
    str channel = check_str(L, 2);
    int64_t ms = opt_ms(L, 3, "the time to wait for the answer");
    subscription *s = find_subscription(p, me->server, p->running->thread, pattern, channel);
    if (!s)    /* threads that share an entry: the last one to leave ends the other's subscription */
        s = find_subscription(p, me->server, 0, pattern, channel);
    if (s) {
        root_push(L, ROOT_HANDLERS);
        lua_pushnil(L);
        lua_rawseti(L, -2, (int)s->handler);
        buf_free(&s->channel);
        memmove(s, s + 1, (size_t)(p->subscriptions + p->subscription_count - (s + 1)) * sizeof *s);
        p->subscription_count--;
    }
    for (size_t i = 0; i < p->subscription_count; i++) {
        const subscription *other = &p->subscriptions[i];
        if (other->server == me->server && other->pattern == pattern && str_eq(buf_str(&other->channel), channel)) {
            lua_pushboolean(L, 1);                 /* another thread still listens: the process stays subscribed */
            return 1;
        }
    }
    str words_[2] = { pattern ? S("PUNSUBSCRIBE") : S("UNSUBSCRIBE"), channel };
    request_head head = { .kind = REQUEST_UNSUBSCRIBE, .server = me->server, .waited = true,
                          .op = pattern ? S("punsubscribe") : S("unsubscribe"), .lease_ms = LEASE_NONE,
                          .timeout_ms = ms > 0 ? ms : p->scenario ? p->scenario->timeout_ms : 0,
                          .where = state_call_place(p, L) };
    return request_wait(L, request_new(p, &head, words_, 2), name);
}

static int me_subscribe(lua_State *L) { return subscribe(L, false, "me:subscribe"); }
static int me_psubscribe(lua_State *L) { return subscribe(L, true, "me:psubscribe"); }
static int me_unsubscribe(lua_State *L) { return unsubscribe(L, false, "me:unsubscribe"); }
static int me_punsubscribe(lua_State *L) { return unsubscribe(L, true, "me:punsubscribe"); }

void channels_open(lua_State *L)
{
    static const luaL_Reg methods[] = {
        { "subscribe", me_subscribe }, { "psubscribe", me_psubscribe }, { "unsubscribe", me_unsubscribe },
        { "punsubscribe", me_punsubscribe }, { "send_subscribe", me_send_subscribe },
        { NULL, NULL },
    };
    luaL_register(L, NULL, methods);
}
