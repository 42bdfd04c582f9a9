/* metric.c - see metric.h. */
#include "simulate/metric.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/wrap.h"

static const metric_info metrics[METRIC_COUNT] = {
    [METRIC_ACQUISITIONS] = { "acquisitions", "", "acquisitions", METRIC_COUNTS,
        "Grants that a client learned of. Re-entries of a holder are not counted." },
    [METRIC_THROUGHPUT] = { "throughput", "1/s", "acquisitions a second", METRIC_RATIOS,
        "Acquisitions for each second of virtual time." },
    [METRIC_WAIT_MEAN] = { "wait_mean", "ms", "wait mean", METRIC_LENGTHS,
        "A wait begins when the demand arises (it may then wait for its own client, too) and ends when the client "
        "learns that it holds the lock. It belongs to the instant of its end. Waits that were given up, cut by a crash "
        "or not over at the end are not among them: see timeouts, crashed_waiting, unfinished." },
    [METRIC_WAIT_P50] = { "wait_p50", "ms", "wait p50", METRIC_LENGTHS, "Half of all waits are this long or shorter "
                          "(nearest rank)." },
    [METRIC_WAIT_P90] = { "wait_p90", "ms", "wait p90", METRIC_LENGTHS, "90 % of all waits are this long or shorter." },
    [METRIC_WAIT_P99] = { "wait_p99", "ms", "wait p99", METRIC_LENGTHS, "99 % of all waits are this long or shorter." },
    [METRIC_WAIT_P999] = { "wait_p99.9", "ms", "wait p99.9", METRIC_LENGTHS,
                           "99.9 % of all waits are this long or shorter." },
    [METRIC_WAIT_MAX] = { "wait_max", "ms", "wait max", METRIC_LENGTHS, "The longest wait, exactly." },
    [METRIC_WAIT_BEST_CLIENT] = { "wait_best_client", "ms", "wait mean, best client", METRIC_LENGTHS,
        "The mean wait of the client that has the shortest one." },
    [METRIC_WAIT_WORST_CLIENT] = { "wait_worst_client", "ms", "wait mean, worst client", METRIC_LENGTHS,
        "The mean wait of the client that has the longest one. A client that was never granted has none." },
    [METRIC_HOLD_MEAN] = { "hold_mean", "ms", "hold mean", METRIC_LENGTHS,
        "A hold begins when the client learns of its grant and ends when the server frees the lock, or when the client "
        "learns that it has lost it." },
    [METRIC_HOLD_P99] = { "hold_p99", "ms", "hold p99", METRIC_LENGTHS, "99 % of all holds are this long or shorter." },
    [METRIC_BUSY] = { "busy", "%", "lock held", METRIC_RATIOS,
        "Share of the time in which a client holds the lock by the server's account (of several locks: the mean of "
        "them)." },
    [METRIC_TIMEOUTS] = { "timeouts", "", "gave up", METRIC_COUNTS, "Waits that the client gave up." },
    [METRIC_TIMEOUT_WAIT] = { "timeout_wait", "ms", "wait until giving up, mean", METRIC_LENGTHS,
                              "How long those had waited by then." },
    [METRIC_UNFINISHED] = { "unfinished", "", "still waiting at the end", METRIC_COUNTS,
                            "Waits that were not over when the run was." },
    [METRIC_UNFINISHED_LONGEST] = { "unfinished_longest", "ms", "longest of them", METRIC_LENGTHS,
                                    "How long the longest of those had lasted." },
    [METRIC_UNSERVED] = { "unserved", "", "demands that no client came to", METRIC_COUNTS,
        "Demands that had arisen by the end and found no idle client, or not their own: no client has begun to ask for "
        "them." },
    [METRIC_OVERTAKEN_MEAN] = { "overtaken_mean", "", "overtaken by, mean", METRIC_RATIOS,
        "Overtakes of one acquisition: how many clients that asked for the same lock later learned of their grant "
        "first. An asker's place is the instant at which its client began to ask; asking in the same one overtakes "
        "no client. A first-in-first-out queue has none, but for requests that pass each other on the way." },
    [METRIC_OVERTAKEN_P99] = { "overtaken_p99", "", "overtaken by, p99", METRIC_RATIOS,
                               "99 % of all acquisitions were overtaken this often or less." },
    [METRIC_OVERTAKEN_MAX] = { "overtaken_max", "", "overtaken by, max", METRIC_RATIOS,
                               "The most overtakes of one acquisition." },
    [METRIC_OVERTAKEN_LONGEST] = { "overtaken_longest", "", "overtaken in a row, most", METRIC_RATIOS,
        "The longest run of being overtaken: that many grants in a row went to clients that had asked "
        "later." },
    [METRIC_JAIN_GRANTS] = { "jain_grants", "", "Jain's index of grants", METRIC_RATIOS,
        "Jain's fairness index (sum x)^2 / (n sum x^2) of x = each client's acquisitions, over the n clients that "
        "asked: 1, all have the same; 1/n, one has all. Where demand is unequal (random arrivals), so is x: compare "
        "locks under the same workload." },
    [METRIC_JAIN_WAITS] = { "jain_waits", "", "Jain's index of mean waits", METRIC_RATIOS,
        "The same of x = each client's mean wait, over the clients that have one." },
    [METRIC_JAIN_SHORT] = { "jain_short", "", "Jain's index, short term", METRIC_RATIOS,
        "Jain's index of grants within windows of 10 acquisitions for each of them, the mean of all whole windows: a "
        "lock may be fair in the long run and serve one client many times in a row." },
    [METRIC_SHARE_LEAST] = { "share_least", "", "least share of grants", METRIC_RATIOS,
        "The fewest acquisitions that a client that asked has, of an equal share: 1, all have the same; 0, some "
        "client has none." },
    [METRIC_SHARE_MOST] = { "share_most", "", "greatest share of grants", METRIC_RATIOS,
                            "The most acquisitions that a client has, of an equal share." },
    [METRIC_QUEUE_MEAN] = { "queue_mean", "", "queue, mean", METRIC_RATIOS,
        "How many tasks have begun to ask and not yet learned of a grant, the mean over time (all locks together)." },
    [METRIC_QUEUE_MAX] = { "queue_max", "", "queue, max", METRIC_RATIOS, "The most at one time." },
    [METRIC_HANDOFF_MEAN] = { "handoff_mean", "ms", "hand-off mean", METRIC_LENGTHS,
        "Hand-off latency: from the server's freeing of a lock without further holders to the server's next grant "
        "of it, if a client was waiting when it was freed. What a lease or a crash ended is not among them: it was "
        "not handed off." },
    [METRIC_HANDOFF_P50] = { "handoff_p50", "ms", "hand-off p50", METRIC_LENGTHS,
                             "Half of all hand-offs took this long or less." },
    [METRIC_HANDOFF_P99] = { "handoff_p99", "ms", "hand-off p99", METRIC_LENGTHS,
                             "99 % of all hand-offs took this long or less." },
    [METRIC_HANDOFF_MAX] = { "handoff_max", "ms", "hand-off max", METRIC_LENGTHS, "The longest hand-off, exactly." },
    [METRIC_IDLE] = { "idle", "%", "free while someone waits", METRIC_RATIOS,
        "Share of the time in which a released lock is free and a client that will be granted it has begun to ask (of "
        "several locks: the mean)." },
    [METRIC_REQUESTS] = { "requests", "1/acq", "requests", METRIC_RATIOS,
        "Requests that servers executed, scripts and plain commands, of all clients, for each acquisition." },
    [METRIC_COMMANDS] = { "commands", "1/acq", "Redis commands", METRIC_RATIOS,
        "Commands that servers ran for them: 1 for a plain one, the redis.call and redis.pcall of each script." },
    [METRIC_SCRIPTS] = { "scripts", "1/acq", "scripts", METRIC_RATIOS,
                         "Scripts that servers ran, for each acquisition." },
    [METRIC_MESSAGES] = { "messages", "1/acq", "messages", METRIC_RATIOS, "Messages of channels delivered, one for "
                          "each subscriber, for each acquisition." },
    [METRIC_IDLE_POLLS] = { "idle_polls", "1/acq", "polls that changed nothing", METRIC_RATIOS,
        "Requests of a waiting task that left all keys as they were, for each acquisition; subscribing and blocking "
        "pops are not among them." },
    [METRIC_LOST] = { "lost", "", "locks lost", METRIC_COUNTS, "Holders that were told that the lock is not theirs any "
                      "more." },
    [METRIC_UNRELEASED] = { "unreleased", "", "never released", METRIC_COUNTS,
        "Holds whose client got the lock anew without having learned of a release: it was lost on the way, or failed. "
        "They are not among the hold times." },
    [METRIC_CRASHED_HOLDING] = { "crashed_holding", "", "crashed while holding", METRIC_COUNTS,
        "Holds that the crash of their client ended; they are not among the hold times." },
    [METRIC_CRASHED_WAITING] = { "crashed_waiting", "", "crashed while waiting", METRIC_COUNTS,
                                 "Waits that the crash of their client ended." },
    [METRIC_CRASHES] = { "crashes", "", "crashes", METRIC_COUNTS, "Clients that crashed." },
    [METRIC_PAUSES] = { "pauses", "", "pauses", METRIC_COUNTS, "Clients that were paused." },
    [METRIC_LOST_ON_THE_WAY] = { "lost_on_the_way", "", "lost on the way", METRIC_COUNTS,
                                 "Requests, replies and messages that never arrived." },
};

const metric_info *metric_describe(metric k)
{
    return &metrics[k];
}

void metric_add_definitions(buf *out)
{
    wrap_paragraphs(out, S("What is measured (each number is one of a run; over several seeds, the mean of them and "
                           "its 95 % interval):\n"), WRAP_WIDTH);
    for (int k = 0; k < METRIC_COUNT; k++) {
        enum { INDENT = 22 };
        buf_printf(out, "  %-20s", metrics[k].name);
        wrap_words(out, str_from(metrics[k].definition), INDENT, INDENT, WRAP_WIDTH);
        buf_byte(out, '\n');
    }
    wrap_paragraphs(out, S(
        "How:\n"
        "  The warm-up is not measured; waits and holds at its end go on.\n"
        "  Waits are measured from the instant of the demand, not from when a busy client came to it: no "
        "coordinated omission (Gil Tene, \"How not to measure latency\", 2013).\n"
        "  Percentiles come from a log-linear histogram laid out as HdrHistogram's (hdrhistogram.org): those of "
        "all waits are within 0.05 % of the exact ones, those of one client or one window of time within 0.8 %. "
        "Means, least and greatest values are exact.\n"
        "  Each seed is an independent run. The interval is mean +- t s / sqrt(n) over the n seeds that have the "
        "number, with Student's t of n - 1 degrees of freedom (Student 1908); one seed has no interval. A "
        "percentile over seeds is the mean of each seed's percentile.\n"
        "  Jain's index: R. Jain, D. Chiu, W. Hawe, DEC-TR-301 (1984).\n"
        "  A client is a process. What nothing ever happened to is shown as \"-\", not as 0.\n"), WRAP_WIDTH);
}

void metric_add_rounded(buf *out, double value, int decimals)
{
    char digits[400];
    int n = snprintf(digits, sizeof digits, "%.*f", decimals, value);
    int whole = decimals ? n - decimals - 1 : n, from = digits[0] == '-';
    for (int i = 0; i < n; i++) {
        if (i > from && i < whole && (whole - i) % 3 == 0)
            buf_byte(out, ',');
        buf_byte(out, digits[i]);
    }
}

void metric_add_value(buf *out, double value)
{
    double size = fabs(value);
    bool whole = size >= 100 || size == floor(size);
    metric_add_rounded(out, value, whole ? 0 : size >= 10 ? 1 : size >= 1 ? 2 : size >= 0.1 ? 3 : size >= 0.01 ? 4 : 5);
}
