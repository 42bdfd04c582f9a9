/* internal.h - what the searches share: one hunt over one scenario, and single runs under some chooser. */
#ifndef LOCKSIM_SEARCH_INTERNAL_H
#define LOCKSIM_SEARCH_INTERNAL_H

#include "base/rng.h"
#include "scenario/equals.h"
#include "scenario/ids.h"
#include "scenario/signature.h"
#include "search/search.h"
#include "search/settle.h"

/* A run as the list of choices it made: positions in the list of enabled steps, or RUN_PASSES and how many ms pass.
 * Short, and enough to make it again. */
typedef struct {
    uint32_t *choices;
    size_t count, cap;
} trace;

typedef struct {
    bool yes;
    size_t steps;          /* that had been taken when it broke */
    trace trace;           /* those, where the search keeps one */
    uint32_t state;        /* exhaustive: the step number `choice` of this state broke it */
    size_t choice;
    bool settled;          /* or that nothing but faults can happen there */
    str schedule;          /* exhaustive: a shortest way there */
    const scenario *sc;    /* where the search keeps a trace: in which order of ids */
    const signature *signature;        /* of what is expected, once all states were met; NULL: nobody knows */
    bool other_cause;      /* ... and the scenario expects another one */
    buf text, why;
} finding;

/* Which of its ways a verdict came about, for anyone who says what to do. */
typedef enum { ENDING_AS_JUDGED, ENDING_NOT_GRANTED, ENDING_UNEXERCISED, ENDING_UNMET, ENDING_UNSEEN, ENDING_CUT_RUNS,
               ENDING_NOT_FOUND, ENDING_ALONG_RUNS, ENDING_GRAPH } ending;

/* All about one search. */
typedef struct {
    arena *a;
    const scenario *sc;
    const loader *l;
    const search_options *o;
    outcome *out;
    uint64_t max_steps;
    uint64_t runs;         /* planned; 0: nobody knows */
    int64_t shrink_until_ms;           /* of real time, as elapsed_ms tells it */
    finding found[PROPERTY_COUNT];
    const equals *equals;  /* exhaustive: clients that are taken for one another; NULL: nobody is */
    bool ample;            /* exhaustive: steps that commute are taken in one order (vector_ample.c); nothing is told */
    bool ample_breaks;     /* ... and something breaks, or may: a search without tells what */
    str ample_tells;       /* ... and that is told: why no search without can; empty: it is not */
    str unreduced;         /* why they are not, though somebody asked; empty: they are, or nobody asked */
    str apart;             /* why they are not; empty: nobody asked, or they are */
    struct orders *orders; /* asks whether the order of ids' bytes matters; NULL: nobody wants to know, or it is
                            * known */
    str why_orders;        /* it does: what showed it, and all orders were searched; empty: it does not, or nobody
                            * asked; */
    const scenario **orders_drawn;     /* random: those made so far, as ids_order numbers them */
    bool ids_written;      /* ... but the code names ids, so that there is one order only */
    uint64_t seen;         /* world_seen of all runs */
    coverage *cover;       /* of the scripts; NULL once the search is over */
    bool observed;         /* some run registered a lock */
    str views_differ;      /* parts_views_differ */
    bool settled;          /* it ended before its last run because no property was left to judge */
    uint64_t cut_runs;     /* ended by max_steps */
    bool stopped;          /* by a limit or a person; out->reason says which */
    bool enough;           /* nothing stopped it but search_options.first_failure */
    meetings *meetings;    /* what met where; NULL: there is one client only, or nobody asks */
    bool open_starts;      /* whose start no scenario pins may start at any moment */
    bool failed;           /* out->error is set */
    bool refused;          /* ... by what was kept of the search: nothing was searched */
    bool by_graph[PROPERTY_COUNT];     /* exhaustive: the graph of all states was asked, and has answered */
    str why_undecided;     /* exhaustive: the graph of all states could not be asked; empty: it could, or nobody had
                            * to */
    str luck;              /* exhaustive: who waits for ever if a fair coin falls one way for ever; empty: nobody
                            * does */
    size_t *attempts;      /* exhaustive: how often the search has begun, in all orders of ids */
    bool folded;           /* the search counts transitions itself, each once */
    uint64_t taken;        /* steps of all runs */
    uint64_t max_states, max_memory;   /* exhaustive; 0: none */
    str time_of_day;       /* exhaustive: what looks at it, so that it is a part of every state; empty: nothing does */
    str vacuous;           /* why the scenario shows nothing (plain_says); empty: it does, or nobody knows yet */
    bool plain_asked, idle;            /* idle: because no client does anything */
    str first_answer, expected_answer; /* ... of an acquire in the plain run, and what the driver takes for a grant */
    ending ending;
    property ended_by;     /* ENDING_UNEXERCISED, ENDING_NOT_FOUND, ENDING_ALONG_RUNS: whose */
    str unseen;            /* ENDING_UNMET, ENDING_UNSEEN: what */
    struct { str what, where; bool at_servers; size_t values; } grower;       /* the first of what kept growing */
    str grows;             /* what kept growing, where a limit came first; see growth.h */
    search_progress at;    /* of an exhaustive search: states, depth, waiting, bytes */
    str given;             /* the schedule that was followed */
    trace last;            /* of the current run */
    size_t steps;          /* taken in the current run */
} hunt;

/* Picks one of the enabled steps, count >= 1. RUN_NO_FURTHER ends the run here; RUN_SETTLE, possible where all of them
 * are faults, lets the world come to rest without them. */
#define RUN_NO_FURTHER SIZE_MAX
#define RUN_SETTLE (SIZE_MAX - 1)
/* ... or with this bit set: so many ms pass (more than none, no further than to the next instant and the run's end),
 * whether a step of time is enabled or not. */
#define RUN_PASSES (UINT32_C(1) << 31)
#define RUN_PASSES_MAX_MS ((int64_t)RUN_PASSES - 1)
/* The step that a choice means. */
step run_choice(const step *steps, size_t choice);
typedef size_t choose_fn(void *chooser, world *w, const step *steps, size_t count, size_t step_number);

/* One run from the beginning to its end. Notes new violations in h->found. false: the hunt is over (error, or told to
 * stop). */
bool run_once(hunt *h, choose_fn *choose, void *chooser);
/* Looks whether the model has broken a property that was not found before, and remembers how. */
void run_note(hunt *h, const world *w);
void run_stop(hunt *h, str reason);
/* Has something been broken that the scenario does not expect? */
bool run_surprised(const hunt *h);
/* Does what breaks this property get a counterexample? */
bool run_tells(const hunt *h, property p);
bool run_blames(const hunt *h, property p);          /* ... with what is to blame */
/* Was the search interrupted, or is it `until_ms` or later by the real clock? Says why, or NULL. */
const char *run_must_stop(const hunt *h, int64_t until_ms);
world_options run_options(const hunt *h, const char *schedule, bool record);

/* Along the current run: which choice was taken, out of how many. Zero-initialise. */
typedef struct {
    uint32_t *taken, *of;
    size_t depth, taken_cap, of_cap;
} path;
size_t path_choice(path *p, size_t step_number, size_t of);
bool path_advance(path *p);            /* to the next path; false: that was the last */
void path_free(path *p);

/* naming.c - searches in several orders of ids (scenario/ids.h). */
/* May ids be others than the names say, here? */
bool naming_is_open(const hunt *h);
/* If their order matters, by what the search in the order of the names has shown (h->orders): runs `search` again
 * in each other order, and joins what comes of it with what is there. */
void naming_search_others(hunt *h, void (*search)(hunt *h));
/* h->sc, or the same in the order that a schedule says. NULL: it says none of its clients', and `e` tells. */
const scenario *naming_of(const hunt *h, str schedule, err *e);

void search_random(hunt *h);
void search_every_schedule(hunt *h);
void search_every_state(hunt *h);
void search_schedule(hunt *h, str text);

/* Turns h->found[p] into a counterexample: shortened, replayed from its text, told. */
void example_shrink(hunt *h, property p, counterexample *c);
/* The same for a way that is a shortest one already. */
void example_keep(hunt *h, property p, counterexample *c);
/* The same for a schedule that somebody wrote, whose story is in h->out->run: left as it is. */
void example_cut(hunt *h, property p, counterexample *c);
/* Follows a schedule strictly, told or not, from a world of its own; stops where `p` breaks. True if it broke; *at:
 * after how many steps. `found` gets the world's violation text. */
bool scripted_breaks(hunt *h, str schedule, property p, size_t *at, story *told, finding *found);
/* Takes the steps of a schedule, brackets understood, up to the world's end; `after` is called after each step and each
 * closing bracket, and ends it by false. claim: what brackets show, if it is not LK012. false: an item (*at) does not
 * fit, or an error. */
bool scripted_follow(hunt *h, world *w, const schedule_item *items, size_t count, const property *claim,
                     bool (*after)(void *context, world *w), void *context, size_t *at, err *e);
/* A scenario of which only is asked whether two versions differ (compare.c). */
scenario compare_without_questions(const scenario *sc, const lockstep_relation *relation);
void story_keep(arena *a, const story *from, size_t count, story *to);
bool only_faults(const step *steps, size_t count);
void trace_add(trace *t, uint32_t choice);
void trace_copy(trace *to, const trace *from);
void trace_free(trace *t);

/* Nobody was granted anything so far (h->seen): is that so in a plain run, too? Then h->vacuous says why the scenario
 * shows nothing: nobody is granted anything though somebody asks, or `expect` names a property of locks; or it does
 * nothing. Asked once. */
bool plain_is_vacuous(hunt *h);
/* The plain run, told, of at most so many steps: the world is the caller's. NULL: it ends in an error. */
world *plain_told(hunt *h, size_t steps_max);
bool hunt_granted(const hunt *h);                  /* h->seen: was anybody granted anything? */
/* What is broken only because nobody is ever granted anything is no finding. */
bool plain_explains(const hunt *h, property p);

/* What a property is judged by. Where no run had any of it, the property was not judged at all, whatever the monitors
 * say. */
typedef enum { BY_ANYTHING, BY_GRANTS, BY_RESENDS, BY_THE_SERVERS_ACCOUNT } evidence;
evidence evidence_of(property p);
void verdict_reach(hunt *h, bool sampled);
bool hunt_saw(const hunt *h, const char *sight);
/* What the result means and what it does not, lines. */
str means_say(hunt *h, bool scripted);
/* What it took: pieces of Lua, memory. Empty where that is not counted. */
str means_work(const hunt *h);

#endif
