/* pops.c - pops from the first of several keys: LMPOP, ZMPOP, and what those that wait share with them. */
#include "redis/pops.h"

bool mpop_parse(const call *c, size_t at, value_kind kind, mpop_args *a, reply *r)
{
    int64_t keys;
    str last = kind == VALUE_LIST ? S("right") : S("max"), first = kind == VALUE_LIST ? S("left") : S("min");
    *a = (mpop_args){ .first = at + 1, .count = -1 };
    if (!parse_numkeys(c, at, &keys, r))
        return false;
    *r = reply_syntax();
    if (keys >= (int64_t)(c->argc - a->first))
        return false;
    a->keys = (size_t)keys;
    size_t side = a->first + a->keys;
    a->last_end = arg_is(c, side, last);
    if (!a->last_end && !arg_is(c, side, first))
        return false;
    for (size_t i = side + 1; i < c->argc; i += 2) {
        if (a->count != -1 || i + 1 >= c->argc || !arg_is(c, i, S("count")))
            return false;
        if (!parse_int_within(c->argv[i + 1], 1, INT64_MAX, &a->count))
            return *r = reply_error(S("ERR count should be greater than 0")), false;
    }
    if (a->count == -1)
        a->count = 1;
    return true;
}

/* Member and score side by side in an array of their own, in RESP2 too. */
static reply nested(const call *c, reply flat)
{
    reply r = reply_items(c->out, REPLY_ARRAY, flat.count / 2);
    for (size_t i = 0; i < r.count; i++) {
        r.items[i] = reply_items(c->out, REPLY_ARRAY, 2);
        r.items[i].items[0] = flat.items[2 * i];
        r.items[i].items[1] = flat.items[2 * i + 1];
    }
    return r;
}

reply mpop_answer(const call *c, value_kind kind, const mpop_args *a, str key, value *v)
{
    reply r = reply_items(c->out, REPLY_ARRAY, 2);
    r.items[0] = reply_bulk(arena_str(c->out, key));
    r.items[1] = kind == VALUE_LIST ? list_take(c, key, v, a->last_end, a->count)
                                    : nested(c, zset_take(c, key, v, a->last_end, a->count));
    return r;
}

bool pop_first(const call *c, size_t first, size_t n, value_kind kind, str *key, value **v, reply *r)
{
    *v = NULL;
    for (size_t i = first; i < first + n && !*v; i++) {
        *key = c->argv[i];
        if (!find_kind(c, *key, kind, v, r))
            return false;
    }
    return true;
}

/* COMMAND numkeys key [key ...] SIDE [COUNT n] */
static reply mpop(const call *c, value_kind kind)
{
    mpop_args a;
    reply r;
    str key;
    value *v;
    if (!mpop_parse(c, 1, kind, &a, &r) || !pop_first(c, a.first, a.keys, kind, &key, &v, &r))
        return r;
    return v ? mpop_answer(c, kind, &a, key, v) : reply_nil_array();
}

static reply cmd_lmpop(const call *c) { return mpop(c, VALUE_LIST); }
static reply cmd_zmpop(const call *c) { return mpop(c, VALUE_ZSET); }

const command commands_pops[] = {
    { .name = "lmpop", -4, CMD_WRITE | CMD_NUMKEYS, 1, 0, 0, cmd_lmpop },
    { .name = "zmpop", -4, CMD_WRITE | CMD_NUMKEYS, 1, 0, 0, cmd_zmpop },
    { .name = NULL },
};
