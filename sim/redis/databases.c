/* databases.c - MOVE and SWAPDB: keys that change their database. */
#include "redis/collection.h"
#include "redis/server.h"

/* MOVE key db */
static reply cmd_move(const call *c)
{
    str key = c->argv[1];
    int to;
    reply r;
    if (!parse_db(c->argv[2], &to, &r))
        return r;
    if (to == c->db)
        return reply_error(S("ERR source and destination objects are the same"));
    const value *v = store_find(c->st, c->db, key);
    if (!v || store_find(c->st, to, key))
        return reply_integer(0);
    int64_t deadline_ms = store_deadline_ms(c->st, c->db, key);
    store_put(c->st, to, key, value_copy(v), false);
    if (deadline_ms != STORE_NO_DEADLINE)
        store_set_deadline(c->st, to, key, deadline_ms);
    store_del(c->st, c->db, key);
    notify(c, NOTIFY_GENERIC, "move_from", key);
    notify_in(c->server, to, NOTIFY_GENERIC, "move_to", key);
    return reply_integer(1);
}

/* SWAPDB db db */
static reply cmd_swapdb(const call *c)
{
    int64_t first, second;
    if (!parse_int_within(c->argv[1], INT32_MIN, INT32_MAX, &first))
        return reply_error(S("ERR invalid first DB index"));
    if (!parse_int_within(c->argv[2], INT32_MIN, INT32_MAX, &second))
        return reply_error(S("ERR invalid second DB index"));
    if (first < 0 || first >= STORE_DBS || second < 0 || second >= STORE_DBS)
        return reply_error(S("ERR DB index is out of range"));
    if (first != second) {
        store_swap(c->st, (int)first, (int)second);
        waiting_swapped(c->server, (int)first, (int)second);
    }
    return reply_ok();
}

const command commands_databases[] = {
    { .name = "move", 3, CMD_WRITE, 1, 1, 1, cmd_move },
    { .name = "swapdb", 3, CMD_WRITE, 0, 0, 0, cmd_swapdb },
    { .name = NULL },
};
