/* keyspace.c - see keyspace.h. */
#include "world/keyspace.h"

#include "base/codec.h"

static void put_frozen(redis *r, int64_t now_ms, buf *out)
{
    buf frozen = { 0 };
    redis_fold(r, now_ms, &frozen);
    buf_lenstr(out, buf_str(&frozen));
    buf_clear(&frozen);
    redis_freeze_random(r, &frozen);
    buf_lenstr(out, buf_str(&frozen));
    buf_free(&frozen);
}

void keyspace_save(redis *r, int64_t now_ms, buf *out)
{
    buf waiting = { 0 };
    put_frozen(r, now_ms, out);
    redis_freeze_waiting(r, now_ms, &waiting);
    buf_lenstr(out, buf_str(&waiting));
    buf_clear(&waiting);
    redis_freeze_transactions(r, now_ms, &waiting);
    buf_lenstr(out, buf_str(&waiting));
    buf_free(&waiting);
}

void keyspace_load(redis *r, int64_t now_ms, str *from)
{
    redis_unfold(r, now_ms, take_lenstr(from));
    redis_thaw_random(r, take_lenstr(from));
    redis_thaw_waiting(r, now_ms, take_lenstr(from));
    redis_thaw_transactions(r, now_ms, take_lenstr(from));
}

void keyspace_skip(str *from)
{
    for (int i = 0; i < KEYSPACE_TEXTS; i++)
        take_lenstr(from);
}
