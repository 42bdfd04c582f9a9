/* property.c - the table of properties: names, codes, promises, and what `locksim explain` says about each. */
#include "model/model.h"

#include <assert.h>

static const property_info properties[PROPERTY_COUNT] = {
    [PROPERTY_MUTUAL_EXCLUSION] = {
        .name = "mutual_exclusion", .code = "LK001", .by_default = true, .along_a_run = true,
        .promise = "never two grants of one lock are both still promised",
        .explain =
            "A grant is promised from the moment the granting request is executed at the server: for its lease, the last\n"
            "millisecond included, or without a lease until its owner sends the release. Re-entry adds a promise of its own; a\n"
            "renewal that is executed prolongs it. Two promises to different owners that meet are a violation, also when one of\n"
            "them is only learned of later because its answer was late. Two readers (mode \"read\") and permits (mode \"permit\")\n"
            "never conflict. Of a semaphore (spec = \"semaphore\") there are as many permits as its view says, and never more are\n"
            "promised at the instant of a grant.\n"
            "\n"
            "Only what happens to the holder's own process excuses: it crashed; or it holds without a lease and the key ran out\n"
            "after the process was paused, or after one of its renewals or their answers was lost or held up. A wiped server, an\n"
            "evicted key, a failover and a stranger's force_release break a promise that was given, and are reported. A\n"
            "force_release by the holder's own process, and an owner who was told that he lost the lock, end the promise.\n"
            "\n"
            "Usual causes: a re-entry or a partial release that shortens the TTL; a release without a test of the owner; a\n"
            "watchdog that was never started, or was cancelled for an outer hold; a check and a write in two commands. Look at\n"
            "the step in which the first owner's key vanished or its TTL shrank.\n" },
    [PROPERTY_STRICT_MUTUAL_EXCLUSION] = {
        .name = "strict_mutual_exclusion", .code = "LK002", .along_a_run = true,
        .promise = "no two tasks believe that they hold one lock, ever",
        .explain =
            "A task believes that it holds from the moment it is told so until it sends its last release, is told that it lost\n"
            "the lock, crashes, or its program ends. Nothing is excused. Leases alone cannot give this: whoever is paused longer\n"
            "than his lease wakes up inside a critical section that is no longer his. That is why it is judged only when named,\n"
            "usually as { strict_mutual_exclusion = \"violated\" }: the scenario then shows the danger instead of hiding it.\n"
            "\n"
            "What to do: let the resource check a fencing token (LK005), keep the work far shorter than the lease, and let the\n"
            "watchdog tell the holder when it could not renew.\n" },
    [PROPERTY_OWNER_ONLY] = {
        .name = "owner_only", .code = "LK003", .by_default = true, .along_a_run = true,
        .promise = "nobody but the owner releases, renews or shortens a hold",
        .explain =
            "By the server's account before and after each request: a release, renewal or abandon by somebody who holds nothing\n"
            "must leave every other hold and its TTL as they were; an acquire must not shorten another's TTL; and no request at\n"
            "all may take away another's hold while that is still promised. Renewing is a process's business: its watchdog may\n"
            "renew for all its threads. The operation force_release is allowed by definition.\n"
            "\n"
            "Usual causes: DEL without comparing the token; comparing in the client and deleting in a second command; a watchdog\n"
            "that extends a key without looking whose it is; deciding ownership by a stored time instead of a token.\n" },
    [PROPERTY_REENTRANCY] = {
        .name = "reentrancy", .code = "LK004", .by_default = true, .along_a_run = true,
        .promise = "the owner re-enters at once, and the key is free exactly when the last hold is released",
        .explain =
            "Judged for locks whose driver says spec = \"reentrant\", \"fair\" or \"read_write\". Who holds by the server's account\n"
            "and asks again is granted at the first try; the count of holds goes up by one with each acquire that is executed and\n"
            "down by one with each release; at zero the key is gone, and not before. A request that the network repeats, or that\n"
            "a client sends again after a time-out, may count once or twice.\n"
            "\n"
            "Usual causes: a nested hold that overwrites the count; a release that deletes the key whatever the count is; one\n"
            "kind of hold (read, write) that forgets the other; an owner id that differs between two objects of one thread.\n" },
    [PROPERTY_FENCING] = {
        .name = "fencing", .code = "LK005", .along_a_run = true,
        .promise = "tokens strictly increase from holder to holder, and the resource never accepts a stale one",
        .explain =
            "Once a lock gives tokens, every grant carries one that is greater than that of the grant executed before it to another\n"
            "owner; the same owner may re-enter with the token he has. The resource (me:use(resource, token)) refuses a token smaller\n"
            "than the greatest it has seen, and accepts the rest and whoever comes without a token. An access that it accepts\n"
            "although a later holder has already been there is a violation.\n"
            "\n"
            "Usual causes: the token is not passed to the resource; the counter dies with the lock's key, with an eviction or in\n"
            "a failover; the token is read in a second command after the acquire.\n" },
    [PROPERTY_NO_LOST_WAKEUP] = {
        .name = "no_lost_wakeup", .code = "LK010", .by_default = true, .along_a_run = true,
        .promise = "never: the lock is free, a live task waits for it, and nothing is coming that could wake any waiter",
        .explain =
            "After each step: the server's account shows no holder, at least one live task waits, and every waiter of the lock is\n"
            "parked without an end: not runnable, no answer, message or permit on its way to its process, no finite timer. Only\n"
            "a newcomer could then set things right. A waiter with a timer is late, not lost: prompt (LK013) judges that.\n"
            "\n"
            "Usual causes: check, then subscribe, then sleep, without a second check after the subscription; a message to a\n"
            "waiter that was already removed from the queue; a negative time taken for \"wait without limit\"; a message that was\n"
            "lost (publish is at most once) where no timer polls again.\n" },
    [PROPERTY_NO_DEADLOCK] = {
        .name = "no_deadlock", .code = "LK011", .by_default = true, .along_a_run = true,
        .promise = "never: a task that has not finished can no longer pass its wait, though nothing fails any more",
        .explain =
            "Along one run it is judged where truly nothing is enabled any more and no instant lies ahead, while some program has\n"
            "not ended. An exhaustive search proves more: that a task stays caught although timers go on ticking. It then shows one\n"
            "of the loops in which it is caught: in the schedule, the steps between [ and ] lead back to the same state.\n"
            "\n"
            "Usual causes: two locks taken in two orders; a reader that asks for the write lock; a lock without a TTL whose holder\n"
            "is gone; a wake-up that was lost (LK010 then names the moment).\n" },
    [PROPERTY_BOUNDED_WAIT] = {
        .name = "bounded_wait", .code = "LK012", .along_a_run = false, .parameter = "hand_offs", .parameter_default = 10,
        .promise = "once faults stop and scheduling is fair, every waiter gets in within the given number of hand-offs",
        .explain =
            "Judged by an exhaustive search when named, after faults have stopped and with fair scheduling: whoever can go on for\n"
            "ever, does some time. Its number, hand_offs, is how many grants to others one waiter may have to see. A waiter that can\n"
            "be passed over for ever is shown as a lasso that is replayed: a story that leads into a loop, and the loop. In the\n"
            "schedule the loop's steps stand between [ and ]: they lead back to the same state, and everybody who could move all\n"
            "along has moved.\n"
            "\n"
            "Usual causes: every waiter is woken and the quickest wins (a thundering herd); a newcomer may take the lock before\n"
            "the waiter that was notified has run; back-off that grows without a bound.\n" },
    [PROPERTY_PROMPT] = {
        .name = "prompt", .code = "LK013", .along_a_run = true, .parameter = "idle_ms", .parameter_default = 60000,
        .promise = "a lock nobody believes to hold is in a live waiter's hands within idle_ms",
        .explain =
            "The clock runs while nobody alive believes to hold the lock and a live task that is not paused waits for it, and\n"
            "stops when a waiter is granted, or holds by the server's account with the answer still under way. Of a read-write lock\n"
            "it also runs while only readers hold it, and somebody who wants to read waits. At idle_ms it is still prompt, a\n"
            "millisecond later it is not; nor is it when nothing can happen any more. The default of 60000 ms is twice the usual\n"
            "lease of 30 s: room for the lease of a crashed holder to end and for one more round of polling, and far below what an\n"
            "immortal lock takes. Name your own: prompt = { \"holds\", idle_ms = 1000 }.\n"
            "\n"
            "Usual causes: a key without a TTL whose holder died; a watchdog that goes on for a hold that ended; the dead head\n"
            "of a queue; waiters that sleep for the lease they were told of and are not woken when it ends sooner.\n" },
    [PROPERTY_FIFO] = {
        .name = "fifo", .code = "LK020", .along_a_run = true, .parameter = "max_overtakes", .parameter_default = 0,
        .promise = "grants follow the order in which waiters were first refused; max_overtakes relaxes it",
        .explain =
            "A waiter's place is the moment at which the request that first refused it was executed at the server. A grant to\n"
            "somebody whose place is later, or who was never refused, overtakes every waiter that is before him; each waiter may\n"
            "be overtaken max_overtakes times in one wait. Re-entry overtakes nobody, nor does one reader another. Who gives up,\n"
            "crashes or is interrupted leaves the order; who is only paused stays in it.\n"
            "\n"
            "Usual causes: no queue at all; a newcomer may take a free lock before the head of the queue; a queue entry that\n"
            "times out while its owner still waits; client clocks that disagree about the time-out.\n" },
    [PROPERTY_NO_LEAK] = {
        .name = "no_leak", .code = "LK030", .by_default = true, .along_a_run = true,
        .promise = "once every program has ended or died and time has run to rest, nothing of the lock is left",
        .explain =
            "At rest the driver's view must show no holder, no queue entry and no key that belongs to the lock (latches,\n"
            "time-out sets), and no live process may still be subscribed. Time has then run past every TTL and timer, or round a\n"
            "cycle of timers. What is meant to outlive the lock, such as a fencing counter, does not belong into the view's keys.\n"
            "\n"
            "Usual causes: a key without a TTL after a crash; a queue entry that nobody takes out when a waiter is interrupted;\n"
            "a watchdog that renews for ever; a subscription that is not given back on an error path.\n" },
    [PROPERTY_LEASE_SET] = {
        .name = "lease_set", .code = "LK031", .by_default = true, .along_a_run = true,
        .promise = "a held lock's key always has a TTL, never longer than asked, never shortened below what was promised",
        .explain =
            "By the server's account after each request: a key with a holder has a TTL (permits, whose lease is not a key's TTL,\n"
            "are left out); a request that prolongs it sets at most the lease it asked for; and it does not end before the lease\n"
            "that its holder was promised and still counts on. What a fault did to the keyspace is not blamed on a script.\n"
            "\n"
            "Usual causes: SETNX and EXPIRE as two commands; a nested acquire or a partial release with a shorter lease than the\n"
            "outer hold's; TTLs that are added up on re-entry; a lease in seconds that was given in milliseconds.\n" },
    [PROPERTY_IDEMPOTENT] = {
        .name = "idempotent", .code = "LK032", .along_a_run = true,
        .promise = "a request that the driver may send again changes nothing more the second time",
        .explain =
            "Whenever a request that its driver sends with resend = true is executed, the same request is tried a second time\n"
            "at the same instant, on a copy of what the first run left: the keyspace must stay as it is, TTLs included, and no\n"
            "message may be published. The reply may be another one: a second release may find nothing left to release.\n"
            "Without such a request there is nothing to judge.\n"
            "\n"
            "Usual causes: INCR and DECR without a request id; a latch under another id than the one that is sent again.\n" },
    [PROPERTY_MATCHES_SPEC] = {
        .name = "matches_spec", .code = "LK040", .by_default = true, .along_a_run = true,
        .promise = "every reply is what the reference specification of that kind of lock says",
        .explain =
            "The driver names a specification: mutex, reentrant or fair. At each request that is executed the specification says,\n"
            "from the state before it, what the caller must be told (granted, refused, released, not the owner) and what the\n"
            "state must be afterwards; what the driver then announces is compared. After a fault, an expiry or a script error\n"
            "the specification takes up the state that is there. A queued waiter's slot may time out, and then the next one in\n"
            "the queue is served; nobody may pass a waiter that is still queued.\n"
            "\n"
            "Usual causes: a release of a lock that has vanished reported as a success; a reply of a refused acquire taken for\n"
            "success (nil, 0 and false are three things); an interrupted wait that returns as if it had acquired.\n" },
    [PROPERTY_SCRIPT_HEALTH] = {
        .name = "script_health", .code = "LK050", .by_default = true, .along_a_run = true,
        .promise = "no script error, undeclared key, cross-slot key, leaked global or blown budget",
        .explain =
            "Reported by the script host with file and line. An undeclared or cross-slot key works on one server and fails in a\n"
            "cluster; a leaked global fails on every Redis since 2.6; an error half-way leaves what was written before it.\n"
            "\n"
            "Usual causes: ZSCORE or GET compared as if it could not be nil; functions that Redis does not have\n"
            "(redis.publish); a forgotten `local`; a loop that ends only when the data are as expected.\n" },
    [PROPERTY_NO_BUSY_WAIT] = {
        .name = "no_busy_wait", .code = "LK051", .by_default = true, .along_a_run = true,
        .promise = "no loop of requests takes zero time",
        .explain =
            "A task sent a series of requests at one instant and came back to where it was, with nothing changed: on a real server\n"
            "it would poll as fast as the network allows.\n"
            "\n"
            "Usual causes: a reply of 0 ms to wait (the lock is free, but another is head of the queue); a spin lock without\n"
            "back-off; a wait that was released by an old permit.\n" },
    [PROPERTY_EQUIVALENT] = {
        .name = "equivalent", .code = "LK060", .along_a_run = true, .compared = true,
        .promise = "no client can tell two versions of the scripts apart by what it is told",
        .explain =
            "Both versions run side by side, each on a keyspace of its own, through every interleaving and fault: each request is\n"
            "executed on both. Every answer must be the same, every message to every subscriber, in their order on each connection,\n"
            "and who waits at the server must wait on both. Of an error's text the script's hash and line numbers do not count. An\n"
            "adapter (--adapter FILE.lua) says which answers mean the same. Clients are given the first version's answers; whatever\n"
            "comes after the first difference is not looked at.\n"
            "\n"
            "Usual causes: a reply of another kind (nil against 1); a message that is no longer published, or published twice; a\n"
            "TTL that is set later or not at all, which shows when it ends; a case that one version forgets.\n" },
    [PROPERTY_SAME_KEYS] = {
        .name = "same_keys", .code = "LK061", .along_a_run = true, .compared = true,
        .promise = "two versions of the scripts leave the same keyspace, down to the millisecond of a TTL",
        .explain =
            "Compared after every request, byte by byte: keys, types, values, TTLs, and the order of members where a command shows\n"
            "it. --ignore-keys PATTERN leaves keys out, --ttl-within MS lets TTLs differ by so much, --keys no compares answers and\n"
            "messages only. The search goes on after it broke, to see whether a client can tell, too (LK060).\n"
            "\n"
            "Usual causes: one version refreshes the TTL where the other leaves it; a field or key that is never removed.\n" },
    [PROPERTY_ALWAYS] = {
        .name = "always", .code = "LK090", .by_default = true, .along_a_run = true,
        .promise = "the scenario's own invariant, always(view), is true in every state",
        .explain =
            "The function `always` of the scenario file gets each observed lock's view after each change, and returns true, or\n"
            "false and a reason. A scenario without one is not judged by it.\n" },
};

const property_info *property_describe(property p)
{
    assert((size_t)p < PROPERTY_COUNT);
    return &properties[p];
}

bool property_parse(str name_or_code, property *p)
{
    for (size_t i = 0; i < PROPERTY_COUNT; i++)
        if (str_eq(name_or_code, str_from(properties[i].name)) || str_eq_nocase(name_or_code, str_from(properties[i].code))) {
            *p = (property)i;
            return true;
        }
    return false;
}

model_config model_config_default(void)
{
    model_config c = { 0 };
    for (size_t i = 0; i < PROPERTY_COUNT; i++) {
        c.judged[i] = properties[i].by_default;
        c.parameter[i] = properties[i].parameter_default;
    }
    return c;
}
