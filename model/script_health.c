/* script_health.c - LK050 script_health: the sentence for a finding of the script host. */
#include "model/monitor.h"

static str found(str op)
{
    static const struct { const char *op, *says; } known[] = {
        { "error", "A script failed" }, { "undeclared_key", "A script used a key that it did not declare" },
        { "cross_slot", "A script used keys of different cluster slots" },
        { "leaked_global", "A script set a global variable" },
        { "budget", "A script used up its budget" }, { "crash", "A script could not be run" },
    };
    for (size_t i = 0; i < COUNT(known); i++)
        if (str_eq(op, str_from(known[i].op)))
            return str_from(known[i].says);
    return op;
}

/* The remedy, where the sentence has none. */
static str advice(str op)
{
    if (str_eq(op, S("cross_slot")))
        return S("A Redis Cluster refuses such a call; keys share a slot when they share a hash tag, like {order:42} "
                 "and {order:42}:queue.");
    if (str_eq(op, S("undeclared_key")))
        return S("A Redis Cluster cannot route such a call; every key that a script touches has to be among its KEYS.");
    return S("");
}

static void hear(model *m, const heard *h)
{
    const event *e = h->e;
    str text = e->text;    /* an error's text often ends in a full stop or a newline */
    while (text.n && (text.p[text.n - 1] == '.' || text.p[text.n - 1] == '\n' || text.p[text.n - 1] == '\r'))
        text.n--;
    model_break(m, PROPERTY_SCRIPT_HEALTH,
                model_say(m, "%.*s at %.*s%s%.*s%.*s%s%.*s.", STR_ARG(found(e->op)), STR_ARG(model_time(m, m->now_ms)),
                          e->who.n ? " for " : "", STR_ARG(e->who), STR_ARG(model_place(m, e)), text.n ? ": " : "",
                          STR_ARG(text)),
                advice(e->op));
}

const monitor script_health_monitor = {
    .info = {
        .name = "script_health", .code = "LK050", .by_default = true, .along_a_run = true,
        .promise = "no script error, undeclared key, cross-slot key, leaked global or blown budget",
        .explain =
            "Reported by the script host with file and line. An undeclared or cross-slot key works on one server and "
                "fails in a\n"
            "cluster; a leaked global fails on every Redis since 2.6; an error half-way leaves what was written before "
                "it.\n"
            "\n"
            "Usual causes: ZSCORE or GET compared as if it could not be nil; functions that Redis does not have\n"
            "(redis.publish); a forgotten `local`; a loop that ends only when the data are as expected.\n"
            "\n"
            "Harmless causes are waived by name, beside `expect` in the scenario: waive = { \"cross_slot\" }. Names:\n"
            "undeclared_key, cross_slot, leaked_global, error, budget, crash.\n",
    },
    .hears = HEARS(HEAR_FOUND),
    .hear = hear,
};
