/* reported.c - properties that are judged elsewhere and only reported here: by the search in its graph of all states,
 * by the world, which runs a request twice or evaluates the scenario's own invariant, and by the comparison of two
 * versions of the scripts. */
#include "model/monitor.h"

const monitor bounded_wait_monitor = {
    .info = {
        .name = "bounded_wait", .code = "LK012", .along_a_run = false, .parameter = "hand_offs",
        .parameter_default = 10, .promise = "once faults stop and scheduling is fair, every waiter gets in within the "
        "given number of hand-offs",
        .explain =
            "Judged by an exhaustive search when named, after faults have stopped and with fair scheduling: a client "
                "that can go on\n"
            "for ever, does some time. Its number, hand_offs, is how many grants to others one waiter may have to see. "
                "A waiter\n"
            "that can be passed over for ever is shown as a lasso that is replayed: a story that leads into a loop, "
                "and the loop.\n"
            "In the schedule the loop's steps stand between [ and ]: they lead back to the same state, and each task "
                "that could move\n"
            "all along has moved. A fair coin (me:random) falls in each way again and again: a wait for ever only "
                "if it does not\n"
            "is told in a note, and breaks nothing. What me:choose picks, an adversary picks.\n"
            "\n"
            "Usual causes: every waiter is woken and the quickest wins (a thundering herd); a newcomer may take the "
                "lock before\n"
            "the waiter that was notified has run; back-off that grows without a bound.\n",
    },
    .reads = FACT_WAITS,               /* the graph needs the waiters: model_each_waiting */
};

const monitor idempotent_monitor = {
    .info = {
        .name = "idempotent", .code = "LK032", .along_a_run = true,
        .promise = "a request that the driver may send again changes nothing more the second time",
        .explain =
            "Whenever a request that its driver sends with resend = true is executed, the same request is tried a "
                "second time\n"
            "at the same instant, on a copy of what the first run left: the keyspace must stay as it is, TTLs "
                "included, and no\n"
            "message may be published. The reply may be another one: a second release may find nothing left to "
                "release.\n"
            "Without such a request there is nothing to judge.\n"
            "\n"
            "Usual causes: INCR and DECR without a request id; a latch under another id than the one that is sent "
            "again.\n",
    },
};

const monitor equivalent_monitor = {
    .info = {
        .name = "equivalent", .code = "LK060", .along_a_run = true, .compared = true,
        .promise = "no client can tell two versions of the scripts apart by what it is told",
        .explain =
            "Both versions run side by side, each on a keyspace of its own, through every interleaving and fault: each "
                "request is\n"
            "executed on both. Every answer must be the same, every message to every subscriber, in their order on "
                "each connection,\n"
            "and who waits at the server must wait on both. Of an error's text the script's hash and line numbers do "
                "not count. An\n"
            "adapter (--adapter FILE.lua) says which answers mean the same. Clients are given the first version's "
                "answers; whatever\n"
            "comes after the first difference is not looked at.\n"
            "\n"
            "Usual causes: a reply of another kind (nil against 1); a message that is no longer published, or "
                "published twice; a\n"
            "TTL that is set later or not at all, which shows when it ends; a case that one version forgets.\n",
    },
};

const monitor same_keys_monitor = {
    .info = {
        .name = "same_keys", .code = "LK061", .along_a_run = true, .compared = true,
        .promise = "two versions of the scripts leave the same keyspace, down to the millisecond of a TTL",
        .explain =
            "Compared after every request, byte by byte: keys, types, values, TTLs, and the order of members where a "
                "command shows\n"
            "it. --ignore-keys PATTERN leaves keys out, --ttl-within MS lets TTLs differ by so much, --keys no "
                "compares answers and\n"
            "messages only. The search goes on after it broke, to see whether a client can tell, too (LK060).\n"
            "\n"
            "Usual causes: one version refreshes the TTL where the other leaves it; a field or key that is never "
            "removed.\n",
    },
};

const monitor always_monitor = {
    .info = {
        .name = "always", .code = "LK090", .by_default = true, .along_a_run = true,
        .promise = "the scenario's own invariant, always(view), is true in every state",
        .explain =
            "The function `always` of the scenario file gets each observed lock's view after each change, and returns "
                "true, or\n"
            "false and a reason. A scenario without one is not judged by it.\n",
    },
};
