/* expire.c - deadlines of keys: EXPIRE and its kin, TTL and its kin, PERSIST. Facts: REDIS-FIDELITY.md 5.2. */
#include "redis/collection.h"
#include "redis/deadline.h"
#include "redis/server.h"

bool deadline_from(const call *c, str text, unsigned form, const char *name, int64_t *deadline_ms, reply *r)
{
    int64_t n;
    if (!parse_int(text, &n)) {
        *r = reply_not_integer();
        return false;
    }
    if (n <= 0 || ((form & DEADLINE_SECONDS) && n > INT64_MAX / 1000)) {
        *r = reply_bad_expire(c, name);
        return false;
    }
    if (form & DEADLINE_SECONDS)
        n *= 1000;
    if (!(form & DEADLINE_ABSOLUTE)) {
        int64_t now_ms = store_now_ms(c->st);
        if (n > INT64_MAX - now_ms) {
            *r = reply_bad_expire(c, name);
            return false;
        }
        n += now_ms;
    }
    *deadline_ms = n;
    return true;
}

unsigned deadline_condition(str word)
{
    static const struct { str word; unsigned flag; } known[] = {
        { { "nx", 2 }, IF_NONE }, { { "xx", 2 }, IF_ANY }, { { "gt", 2 }, IF_GREATER }, { { "lt", 2 }, IF_LESS },
    };
    for (size_t k = 0; k < COUNT(known); k++)
        if (str_eq_nocase(word, known[k].word))
            return known[k].flag;
    return 0;
}

bool deadline_conditions(const call *c, size_t from, size_t to, unsigned *conditions, reply *r)
{
    *conditions = 0;
    for (size_t i = from; i < to; i++) {
        unsigned flag = deadline_condition(c->argv[i]);
        if (!flag) {
            *r = reply_error_about(c, "ERR Unsupported option ", c->argv[i]);
            return false;
        }
        *conditions |= flag;
    }
    if ((*conditions & IF_NONE) && (*conditions & ~(unsigned)IF_NONE)) {
        *r = reply_error(S("ERR NX and XX, GT or LT options at the same time are not compatible"));
        return false;
    }
    if ((*conditions & IF_GREATER) && (*conditions & IF_LESS)) {
        *r = reply_error(S("ERR GT and LT options at the same time are not compatible"));
        return false;
    }
    return true;
}

bool deadline_conditions_hold(unsigned conditions, int64_t old_ms, int64_t new_ms)
{
    bool has = old_ms != STORE_NO_DEADLINE;
    return !((conditions & IF_NONE) && has) && !((conditions & IF_ANY) && !has) &&
           !((conditions & IF_GREATER) && (!has || new_ms <= old_ms)) &&
               !((conditions & IF_LESS) && has && new_ms >= old_ms);
}

void deadline_tell_conditions(const call *c, unsigned conditions, int64_t old_ms, int64_t new_ms)
{
    if (conditions & (IF_GREATER | IF_LESS) && old_ms != STORE_NO_DEADLINE)
        server_compares(c->server, (double)new_ms, (double)old_ms);
}

void deadline_tell(const call *c, unsigned form, int64_t deadline_ms)
{
    if (!(form & DEADLINE_ABSOLUTE))
        return;
    server_compares(c->server, (double)deadline_ms, (double)store_now_ms(c->st));
    c->server->late_deadlines += deadline_ms <= store_now_ms(c->st);
}

uint64_t redis_late_deadlines(const redis *r) { return r->late_deadlines; }

static reply expire(const call *c, const char *name, unsigned form)
{
    unsigned conditions;
    int64_t n, base_ms = form & DEADLINE_ABSOLUTE ? 0 : store_now_ms(c->st);
    reply r;
    if (!deadline_conditions(c, 3, c->argc, &conditions, &r))
        return r;
    if (!parse_int(c->argv[2], &n))
        return reply_not_integer();
    if ((form & DEADLINE_SECONDS) && (n > INT64_MAX / 1000 || n < INT64_MIN / 1000))
        return reply_bad_expire(c, name);
    if (form & DEADLINE_SECONDS)
        n *= 1000;
    if (n > INT64_MAX - base_ms)
        return reply_bad_expire(c, name);
    n += base_ms;

    str key = c->argv[1];
    if (!store_find(c->st, c->db, key))
        return reply_integer(0);
    deadline_tell_conditions(c, conditions, store_deadline_ms(c->st, c->db, key), n);
    deadline_tell(c, form, n);
    if (!deadline_conditions_hold(conditions, store_deadline_ms(c->st, c->db, key), n))
        return reply_integer(0);
    if (n <= store_now_ms(c->st)) {
        collection_delete_past(c, key);
        return reply_integer(1);
    }
    store_set_deadline(c->st, c->db, key, n);
    notify(c, NOTIFY_GENERIC, "expire", key);
    return reply_integer(1);
}

static reply cmd_expire(const call *c) { return expire(c, "expire", DEADLINE_SECONDS); }
static reply cmd_pexpire(const call *c) { return expire(c, "pexpire", 0); }
static reply cmd_expireat(const call *c) { return expire(c, "expireat", DEADLINE_SECONDS | DEADLINE_ABSOLUTE); }
static reply cmd_pexpireat(const call *c) { return expire(c, "pexpireat", DEADLINE_ABSOLUTE); }

/* The deadline, or the time left; in milliseconds, or rounded to seconds. */
static reply remaining(const call *c, unsigned form)
{
    str key = c->argv[1];
    if (!store_find(c->st, c->db, key))
        return reply_integer(-2);
    int64_t ms = store_deadline_ms(c->st, c->db, key);
    if (ms == STORE_NO_DEADLINE)
        return reply_integer(-1);
    if (!(form & DEADLINE_ABSOLUTE))
        ms -= store_now_ms(c->st);                 /* not negative: the key is alive */
    return reply_integer(form & DEADLINE_SECONDS ? ms / 1000 + (ms % 1000 >= 500) : ms);
}

static reply cmd_ttl(const call *c) { return remaining(c, DEADLINE_SECONDS); }
static reply cmd_pttl(const call *c) { return remaining(c, 0); }
static reply cmd_expiretime(const call *c) { return remaining(c, DEADLINE_SECONDS | DEADLINE_ABSOLUTE); }
static reply cmd_pexpiretime(const call *c) { return remaining(c, DEADLINE_ABSOLUTE); }

static reply cmd_persist(const call *c)
{
    str key = c->argv[1];
    if (!store_find(c->st, c->db, key) || store_deadline_ms(c->st, c->db, key) == STORE_NO_DEADLINE)
        return reply_integer(0);
    store_set_deadline(c->st, c->db, key, STORE_NO_DEADLINE);
    notify(c, NOTIFY_GENERIC, "persist", key);
    return reply_integer(1);
}

const command commands_expire[] = {
    { .name = "expire", -3, CMD_WRITE | CMD_FLAT, 1, 1, 1, cmd_expire },
    { .name = "pexpire", -3, CMD_WRITE | CMD_FLAT, 1, 1, 1, cmd_pexpire },
    { .name = "expireat", -3, CMD_WRITE | CMD_FLAT, 1, 1, 1, cmd_expireat },
    { .name = "pexpireat", -3, CMD_WRITE | CMD_FLAT, 1, 1, 1, cmd_pexpireat },
    { .name = "ttl", 2, CMD_READONLY | CMD_FLAT | CMD_QUIET, 1, 1, 1, cmd_ttl },
    { .name = "pttl", 2, CMD_READONLY | CMD_FLAT | CMD_QUIET, 1, 1, 1, cmd_pttl },
    { .name = "expiretime", 2, CMD_READONLY | CMD_FLAT | CMD_QUIET, 1, 1, 1, cmd_expiretime },
    { .name = "pexpiretime", 2, CMD_READONLY | CMD_FLAT | CMD_QUIET, 1, 1, 1, cmd_pexpiretime },
    { .name = "persist", 2, CMD_WRITE | CMD_FLAT, 1, 1, 1, cmd_persist },
    { .name = NULL },
};
