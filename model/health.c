/* health.c - LK050 script_health and LK051 no_busy_wait: what the script host and the world found, put into a sentence. */
#include "model/internal.h"

static str found(str op)
{
    static const struct { const char *op, *says; } known[] = {
        { "error", "A script failed" }, { "undeclared_key", "A script used a key that it did not declare" },
        { "cross_slot", "A script used keys of different cluster slots" }, { "leaked_global", "A script set a global variable" },
        { "budget", "A script used up its budget" }, { "crash", "A script could not be run" },
    };
    for (size_t i = 0; i < COUNT(known); i++)
        if (str_eq(op, str_from(known[i].op)))
            return str_from(known[i].says);
    return op;
}

/* What to do about it, where the sentence alone does not say. */
static str advice(str op)
{
    if (str_eq(op, S("cross_slot")))
        return S("A Redis Cluster refuses such a call; keys share a slot when they share a hash tag, like {order:42} and {order:42}:queue.");
    if (str_eq(op, S("undeclared_key")))
        return S("A Redis Cluster cannot route such a call; every key that a script touches has to be among its KEYS.");
    return S("");
}

static str place(model *m, const event *e)
{
    if (e->path.n == 0)
        return S("");
    return e->line > 0 ? model_say(m, " (%.*s:%d)", STR_ARG(e->path), e->line) : model_say(m, " (%.*s)", STR_ARG(e->path));
}

void health_finding(model *m, const event *e)
{
    if (!model_open(m, PROPERTY_SCRIPT_HEALTH))
        return;
    str text = e->text;    /* an error's text often ends in a full stop of its own, or in a line end */
    while (text.n && (text.p[text.n - 1] == '.' || text.p[text.n - 1] == '\n' || text.p[text.n - 1] == '\r'))
        text.n--;
    model_break(m, PROPERTY_SCRIPT_HEALTH,
                model_say(m, "%.*s at %.*s%s%.*s%.*s%s%.*s.", STR_ARG(found(e->op)), STR_ARG(model_time(m, m->now_ms)),
                          e->who.n ? " for " : "", STR_ARG(e->who), STR_ARG(place(m, e)), text.n ? ": " : "", STR_ARG(text)),
                advice(e->op));
}

void health_busy(model *m, const event *e)
{
    if (!model_open(m, PROPERTY_NO_BUSY_WAIT))
        return;
    model_break(m, PROPERTY_NO_BUSY_WAIT,
                model_say(m, "%.*s polls \"%.*s\" over and over at %.*s: nothing changes and no time passes.", STR_ARG(e->who),
                          STR_ARG(e->lock.n ? e->lock : e->op), STR_ARG(model_time(m, m->now_ms))),
                e->op.n ? model_say(m, "The request is %.*s%.*s.", STR_ARG(e->op), STR_ARG(place(m, e))) : S(""));
}
