/* session_random.h - random sessions of a few connections that get in each other's way, in the lines of
 * session_cases.h: pops that wait and who feeds them, transactions and watched keys, subscribers, both protocols, time
 * that passes, and those who leave in the middle. */
#ifndef LOCKSIM_TESTS_SESSION_RANDOM_H
#define LOCKSIM_TESTS_SESSION_RANDOM_H

#include "base/buf.h"
#include "base/rng.h"

enum { SESSION_LINES_MAX = 40 };

/* One line from a form: `K` is one of few keys, `N` a small number, `T` a time-out in seconds, `C` a channel, `@` a
 * connection's number. Of waits that end in the same millisecond the real server ends those first whose client lies
 * lower in memory: no two end together here. */
static inline void session_form(rng *g, const char *form, unsigned line, buf *out)
{
    static const char *const keys[] = { "q", "q", "r", "z", "k" };
    static const unsigned timeouts_ms[] = { 0, 0, 0, 101, 501, 1001 };
    unsigned timeout_ms = timeouts_ms[rng_below(g, COUNT(timeouts_ms))];
    static const char *const numbers[] = { "0", "1", "2", "-1", "3" }, *const channels[] = { "c", "d", "ca" };
    for (const char *p = form; *p; p++) {
        switch (*p) {
        case 'K':
            if (str_starts(str_from(p), S("KEYS")))
                buf_byte(out, *p);
            else
                buf_addz(out, keys[rng_below(g, COUNT(keys))]);
            break;
        case 'N': buf_addz(out, numbers[rng_below(g, COUNT(numbers))]); break;
        case 'T': buf_printf(out, "%.3f", timeout_ms ? (timeout_ms + line) / 1000.0 : 0); break;
        case 'C': buf_addz(out, channels[rng_below(g, COUNT(channels))]); break;
        case '@': buf_printf(out, p[1] == 'D' ? "@" : "@%c", (char)('A' + rng_below(g, 3))); break;
        default: buf_byte(out, *p);
        }
    }
}

/* CLIENT TRACKING: what is read, what changes, who is told. */
static inline const char *session_tracking_form(rng *g)
{
    static const char *const forms[] = {
        "client tracking on", "client tracking on", "client tracking on noloop", "client tracking on redirect @D",
        "client tracking on redirect @D noloop", "client tracking on bcast", "client tracking on bcast noloop",
        "client tracking on bcast prefix q prefix z", "client tracking on bcast prefix K noloop",
        "client tracking on bcast redirect @", "client tracking on bcast optin", "client tracking on optin",
        "client tracking on optout", "client tracking on optin optout", "client tracking on prefix K",
        "client tracking on bcast prefix q prefix qq", "client tracking on redirect 99999999",
        "client tracking on redirect @ redirect @", "client tracking on redirect", "client tracking no",
        "client tracking off", "client tracking off nosuch", "client caching yes", "client caching yes",
        "client caching no", "client caching x", "client trackinginfo", "client trackinginfo",
        "subscribe __redis__:invalidate", "get k", "mget K k", "lrange K 0 -1", "exists K K", "zscore z m",
        "zrange z 0 -1",
        "eval \"return redis.call('exists', KEYS[1])\" 1 K", "eval_ro \"return 1\" 2 K K", "incr k", "set K v",
        "set k v px 500", "flushall async", "flushdb async", "hello 3", "hello 3", "hello 2", "multi", "exec",
        "del K K",
        "eval \"redis.call('incr', KEYS[1]) return redis.call('get', KEYS[1])\" 1 k", "rpush K a", "lpop K",
        ("eval \"local t = {} for w in redis.call('info'):gmatch('tracking_[ctp]%a+[_%a]*:%d+') do t[#t + 1] = w end "
         "return t\" 0"),
        "quit", "reset",
    };
    return forms[rng_below(g, COUNT(forms))];
}

/* At most SESSION_LINES_MAX lines, of connections A, B and C. */
static inline void session_random(rng *g, buf *out)
{
    static const char *const forms[] = {
        "blpop K T", "blpop K K T", "brpop K T", "blmove K K left right T", "brpoplpush K K T", "bzpopmin z T",
        "bzpopmax z K T", "blmpop T 2 K K left count 2",
        "bzmpop T 1 z max", "blpop q 0", "blpop q 0",
        "rpush K a", "rpush K a b c", "lpush K x", "rpush q a b", "zadd z N m", "zadd z N m N n", "set K v", "del K",
        "del q r z", "rename K K", "lmove K K left left", "copy K K replace", "sadd k a", "incr k", "pexpire K 500",
        "pexpire K 1000", "ltrim K N N", "flushdb async", "move K 1", "swapdb 0 1", "select 1", "select 0",
        "sort K store K", "lrange K 0 -1", "get k", "type K", "exists K K z", "pttl K", "lpop K 2", "lpop K",
        "zpopmin z", "multi", "multi", "exec", "exec", "exec", "discard", "watch K", "watch K K", "unwatch", "nosuch",
        "subscribe C", "subscribe C C", "psubscribe c*", "unsubscribe C", "punsubscribe c*", "publish C hello",
        "publish C x", "ping", "ping N", "hello 2", "hello 3", "hello 3", "reset", "client reply skip",
        "client reply off", "client reply on", "echo K", "quit",
        "eval \"return redis.call('rpush', KEYS[1], 'e', 'f')\" 1 K", ("eval \"redis.call('zadd', KEYS[1], 1, 'e') "
        "return redis.call('bzpopmin', KEYS[1], 0)\" 1 z"),
        "eval \"return redis.call('publish', 'c', ARGV[1])\" 0 K", ("eval \"redis.call('rpush', KEYS[1], 'g') "
        "redis.call('del', KEYS[1])\" 1 q"),
        "eval \"return redis.call('blpop', KEYS[1], 0)\" 1 q",
    };
    /* Redis never closes a connection whose QUIT it was told not to answer; locksim does. */
    const char *const left_out = rng_below(g, 2) ? "quit" : "client reply";
    const bool tracking = rng_below(g, 3) == 0;
    if (tracking)
        buf_addz(out, "D hello 3\n");              /* who says nothing hears in the order of telling */
    for (uint64_t n = 5 + rng_below(g, SESSION_LINES_MAX - 5); n > 0; n--) {
        if (rng_below(g, 8) == 0) {
            static const char *const times[] = { "+100\n", "+120\n", "+500\n", "+520\n", "+1040\n", "+2000\n" };
            buf_addz(out, times[rng_below(g, COUNT(times))]);
            continue;
        }
        const char *form = forms[rng_below(g, COUNT(forms))];
        if (tracking && rng_below(g, 4))
            form = session_tracking_form(g);
        if (str_starts(str_from(form), str_from(left_out)))
            continue;
        buf_printf(out, "%c ", (char)('A' + rng_below(g, 3)));
        session_form(g, form, (unsigned)n, out);
        buf_byte(out, '\n');
    }
}

#endif
