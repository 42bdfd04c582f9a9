/* faults.c - the kinds of faults, one row each, and budgets of them as text. */
#include "scenario/scenario.h"

#include "scenario/source.h"

/* A kind without a title is not in the matrix of `faults = "all"`. server_clock_jump has none: a large enough jump
 * ends any lease early, and the locks' reactions are not judged there. Neither have preempt and stall: a driver on an
 * event loop refuses them, and scenarios with threads name them. Nor move_slot, which is of clusters only, nor oom:
 * what a program does with an error that its driver passes on is its own affair, and ends most programs; a scenario
 * that catches it names it. */
static const struct {
    const char *name, *code, *title;               /* code: two letters, of no other kind */
    enum { OTHER, SENDER, SERVER, BOTH } strikes;  /* SENDER: fault_has_sender, SERVER: fault_by_server */
    const char *explain;
} kinds[FAULT_KINDS] = {
    [FAULT_CRASH] = { "crash", "cr", "a crash", SENDER,
        "a process stops for good and keeps holding what it holds" },
    [FAULT_RESTART] = { "restart", "re", "a restart", SENDER,
        "a process stops and begins anew with a new client id" },
    [FAULT_PAUSE] = { "pause", "pa", "a pause", SENDER,
        "a process freezes while time passes; what it sent still executes, late timers fire when it resumes" },
    [FAULT_LOSE_MESSAGE] = { "lose_message", "lm", "a lost message", OTHER,
        "a pub/sub message never reaches one of its receivers" },
    [FAULT_LOSE_REQUEST] = { "lose_request", "lq", "a lost request", SENDER,
        "a request never reaches the server; the client learns it by its time-out" },
    [FAULT_LOSE_REPLY] = { "lose_reply", "lr", "a lost answer", SENDER,
        "a request executes, but its reply is lost; the client learns it by its time-out" },
    [FAULT_LATE_REQUEST] = { "late_request", "lt", "a late request", SENDER,
        "a request executes after its sender gave up on it" },
    [FAULT_DUPLICATE] = { "duplicate", "du", "a doubled request", SENDER,
        "a request executes twice" },
    [FAULT_LAG] = { "lag", "lg", "a lagging replica", SERVER,
        "a replica gets no writes for a while: WAIT does not count it, and a failover to it loses them" },
    [FAULT_FAILOVER] = { "failover", "fo", "a failover", SERVER,
        "a replica that missed the last writes becomes the server" },
    [FAULT_WIPE] = { "wipe", "wi", "a wiped server", SERVER,
        "a server restarts empty" },
    [FAULT_EVICT] = { "evict", "ev", "an evicted key", SERVER,
        "one key vanishes" },
    [FAULT_CLOCK_JUMP] = { "clock_jump", "cj", "a clock that jumps", SENDER,
        "a process's clock jumps" },
    [FAULT_SERVER_CLOCK_JUMP] = { "server_clock_jump", "sj", NULL, SERVER,
        "a server's clock jumps: keys expire sooner or later, and TIME tells it" },
    [FAULT_SCRIPT_FLUSH] = { "script_flush", "sf", "scripts forgotten", SERVER,
        "a server forgets its scripts: EVALSHA answers NOSCRIPT" },
    [FAULT_INTERRUPT] = { "interrupt", "in", "an interrupt", SENDER,
        "a thread that waits is interrupted" },
    [FAULT_PREEMPT] = { "preempt", "pr", NULL, OTHER,
        "a thread gives way before an access to memory that other tasks of its process reach, outside me:atomic" },
    [FAULT_STALL] = { "stall", "st", NULL, SENDER,
        "one thread stands while time passes, outside me:atomic; the timers, messages and other threads of its process "
        "go on" },
    [FAULT_MOVE_SLOT] = { "move_slot", "ms", NULL, BOTH,
        "a request finds its slot on the way to another node (cluster = true): TRYAGAIN for several keys, NOSCRIPT for "
        "EVALSHA of one" },
    [FAULT_OOM] = { "oom", "oo", NULL, BOTH,
        "a request finds the server out of memory (maxmemory, noeviction): a write that may need more is refused, of a "
        "script its first one" },
};

const char *fault_name(fault_kind k)
{
    return kinds[k].name;
}

const char *fault_code(fault_kind k)
{
    return kinds[k].code;
}

const char *fault_explain(fault_kind k)
{
    return kinds[k].explain;
}

const char *fault_title(fault_kind k)
{
    return kinds[k].title;
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

bool fault_has_sender(fault_kind k)
{
    return kinds[k].strikes & SENDER;
}

bool fault_by_server(fault_kind k)
{
    return kinds[k].strikes & SERVER;
}

/* "crash" or "crash=2" */
static bool parse_budget(str item, uint32_t budgets[FAULT_KINDS], bool named[FAULT_KINDS], err *e)
{
    size_t equals = str_find(item, '=', 0);
    str name = str_slice(item, 0, equals), digits = equals < item.n ? str_slice(item, equals + 1, item.n) : S("1");
    fault_kind kind;
    if (!fault_parse(name, &kind)) {
        str known[FAULT_KINDS];
        for (int i = 0; i < FAULT_KINDS; i++)
            known[i] = str_from(kinds[i].name);
        str near = err_nearest(name, known, COUNT(known));
        err_set(e, ERR_USAGE, "there is no fault '%.*s'", STR_ARG(name));
        return near.n ? err_hint(e, "did you mean %.*s?", STR_ARG(near))
               : err_hint(e, "`locksim list faults` names them");
    }
    if (named[kind])
        return err_set(e, ERR_USAGE, "the fault %s is named twice", kinds[kind].name);
    named[kind] = true;
    uint32_t n = 0;
    for (size_t i = 0; i < digits.n && n <= FAULT_BUDGET_MAX; i++)
        n = digits.p[i] >= '0' && digits.p[i] <= '9' ? n * 10 + (uint32_t)(digits.p[i] - '0') : FAULT_BUDGET_MAX + 1;
    if (digits.n == 0 || n > FAULT_BUDGET_MAX)
        return err_set(e, ERR_USAGE, "how often %s may happen is a whole number from 0 to %d, not '%.*s'",
                       kinds[kind].name, FAULT_BUDGET_MAX, STR_ARG(digits));
    budgets[kind] = n;
    return true;
}

bool fault_budgets_parse(str text, uint32_t budgets[FAULT_KINDS], err *e)
{
    bool named[FAULT_KINDS] = { false };
    for (int k = 0; k < FAULT_KINDS; k++)
        budgets[k] = 0;
    if (str_eq(text, S("none")))
        return true;
    for (size_t from = 0; from <= text.n; ) {
        size_t end = str_find(text, ',', from);
        if (!parse_budget(str_slice(text, from, end), budgets, named, e))
            return false;
        from = end + 1;
    }
    return true;
}

void scenario_allow(const scenario *sc, fault_kind k)
{
    if (k == FAULT_PREEMPT)
        source_want_points(sc->sources);
    if (k == FAULT_STALL)
        source_want_stalls(sc->sources);
}

int64_t scenario_servers_back_ms(const scenario *sc)
{
    const fault_budget *jump = &sc->faults[FAULT_SERVER_CLOCK_JUMP];
    return jump->amount < 0 ? -jump->amount * jump->budget : 0;
}

void scenario_set_faults(arena *a, scenario *sc, const uint32_t budgets[FAULT_KINDS])
{
    str *must_see = ARENA_ARRAY(a, str, sc->must_see_count + FAULT_KINDS);
    size_t count = 0;
    fault_kind kind;
    for (size_t i = 0; i < sc->must_see_count; i++)
        if (!fault_parse(sc->must_see[i], &kind))
            must_see[count++] = sc->must_see[i];
    for (int k = 0; k < FAULT_KINDS; k++) {
        sc->faults[k].budget = budgets[k];
        if (budgets[k])
            must_see[count++] = str_from(kinds[k].name);
    }
    sc->own_faults = false;
    sc->must_see = must_see;
    sc->must_see_count = count;
}
