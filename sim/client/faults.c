/* faults.c - the kinds of faults by name, and one line on each. */
#include "client/scenario.h"

static const struct {
    const char *name, *explain;
} kinds[FAULT_KINDS] = {
    [FAULT_CRASH] = { "crash", "a process stops for good and keeps holding what it holds" },
    [FAULT_RESTART] = { "restart", "a process stops and begins anew with a new client id" },
    [FAULT_PAUSE] = { "pause", "a process freezes while time passes; what it sent still executes, late timers fire when it resumes" },
    [FAULT_LOSE_MESSAGE] = { "lose_message", "a pub/sub message never reaches one of its receivers" },
    [FAULT_LOSE_REQUEST] = { "lose_request", "a request never reaches the server; the client learns it by its time-out" },
    [FAULT_LOSE_REPLY] = { "lose_reply", "a request executes, but its reply is lost; the client learns it by its time-out" },
    [FAULT_LATE_REQUEST] = { "late_request", "a request executes after its sender gave up on it" },
    [FAULT_DUPLICATE] = { "duplicate", "a request executes twice" },
    [FAULT_LAG] = { "lag", "a replica gets no writes for a while: WAIT does not count it, and a failover to it loses them" },
    [FAULT_FAILOVER] = { "failover", "a replica that missed the last writes becomes the server" },
    [FAULT_WIPE] = { "wipe", "a server restarts empty" },
    [FAULT_EVICT] = { "evict", "one key vanishes" },
    [FAULT_CLOCK_JUMP] = { "clock_jump", "a process's clock jumps" },
    [FAULT_SCRIPT_FLUSH] = { "script_flush", "a server forgets its scripts: EVALSHA answers NOSCRIPT" },
    [FAULT_INTERRUPT] = { "interrupt", "a thread that waits is interrupted" },
};

const char *fault_name(fault_kind k)
{
    return kinds[k].name;
}

const char *fault_explain(fault_kind k)
{
    return kinds[k].explain;
}

bool fault_parse(str name, fault_kind *k)
{
    for (int i = 0; i < FAULT_KINDS; i++)
        if (str_eq(name, str_from(kinds[i].name))) {
            *k = (fault_kind)i;
            return true;
        }
    return false;
}
