/* part_learner.c - the parts as the learner of a world (world/learner.h). */
#include "memo/parts_internal.h"

/* `as` is the first member. */
static parts *of(learner *l) { return (parts *)l; }

static process *birth(learner *l, uint32_t process, uint32_t incarnation, int64_t now_ms, err *e)
{
    return process_learned_as(process_tables_get(of(l)->tables, process), process, incarnation, now_ms, e);
}

static void record(learner *l, const event *e) { parts_record(of(l), e); }
static bool watch(learner *l, uint32_t process, err *e) { return parts_watch(of(l), process, e); }
static bool execute(learner *l, flight *f, int64_t *waits_ms, err *e) { return parts_execute(of(l), f, waits_ms, e); }
static const script_file *script(learner *l, const script_file *s, server *at) { return parts_script(of(l), s, at); }
static void awaken(learner *l, server *s) { parts_wake(of(l), s); }
static void published(learner *l) { parts_published(of(l)); }
static void subscribe(learner *l) { parts_subscribe(of(l)); }
static void unsubscribed(learner *l) { parts_unsubscribed(of(l)); }
static void started(learner *l, uint32_t process) { parts_started(of(l), process); }

static void served(learner *l, uint32_t process, uint32_t server, uint32_t slot, const reply *answer)
{
    parts_served(of(l), process, server, slot, answer);
}

void parts_learn(parts *p)
{
    p->as = (learner){
        .birth = birth, .record = record, .watch = watch, .execute = execute, .script = script, .wake = awaken,
        .published = published, .subscribe = subscribe, .unsubscribed = unsubscribed, .started = started,
        .served = served,
    };
}
