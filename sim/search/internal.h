/* internal.h - what the searches share: one hunt over one scenario, and single runs under some chooser. */
#ifndef LOCKSIM_SEARCH_INTERNAL_H
#define LOCKSIM_SEARCH_INTERNAL_H

#include "base/rng.h"
#include "scenario/equals.h"
#include "scenario/ids.h"
#include "scenario/signature.h"
#include "search/search.h"
#include "search/settle.h"

/* A run as the list of its choices: positions in the list of enabled steps, or RUN_PASSES and how many ms pass. Enough
 * to repeat it. */
typedef struct {
    uint32_t *choices;
    size_t count, cap;
} trace;

typedef struct {
    bool yes;
    size_t steps;          /* steps taken before it broke */
    trace trace;           /* those steps, where the search records them */
    uint32_t state;        /* exhaustive: the step number `choice` of this state broke it */
    size_t choice;
    bool settled;          /* or: it broke where only faults could still happen */
    str schedule;          /* exhaustive: a shortest way there */
    const scenario *sc;    /* the scenario with the ids in the order of that run, where the search records steps */
    const signature *signature;        /* of an expected violation, if all states were met; else NULL */
    bool other_cause;      /* ... and the scenario expects another one */
    buf text, why;
} finding;

/* How the verdict came about, for the advice. */
typedef enum { ENDING_AS_JUDGED, ENDING_NOT_GRANTED, ENDING_UNEXERCISED, ENDING_UNMET, ENDING_UNSEEN,
               ENDING_UNSTRUCK, ENDING_NO_FAULT, ENDING_ABSENT, ENDING_CUT_RUNS, ENDING_NOT_FOUND, ENDING_ALONG_RUNS,
               ENDING_GRAPH } ending;

/* The state of one search. */
typedef struct {
    arena *a;
    const scenario *sc;
    const loader *l;
    const search_options *o;
    outcome *out;
    uint64_t max_steps;
    uint64_t runs;         /* planned; 0: unknown */
    int64_t shrink_until_ms;           /* in real time, as elapsed_ms gives it */
    finding found[PROPERTY_COUNT];
    const equals *equals;  /* exhaustive: clients that count as equal; or NULL */
    bool ample;  /* exhaustive: steps that commute are taken in one order (vector_ample.c); no story is made */
    bool ample_breaks;     /* ... and something breaks, or may: a search in every order decides */
    str ample_tells;       /* ... and this search reports it: why no search in every order can; empty: it does not */
    str unreduced;         /* why they are taken in every order although a reduction was wanted; or empty */
    str apart;             /* why clients are not equal; empty: equality is not used, or they are */
    struct orders *orders; /* asks whether the byte order of ids matters; NULL: not asked, or known */
    str why_orders;        /* the order matters: where; all orders were searched; empty: it does not, or unknown */
    const scenario **orders_drawn;     /* random: the orders made so far, as ids_order numbers them */
    bool ids_written;      /* ... but the code names ids, so there is only one order */
    uint64_t seen;         /* world_seen of all runs */
    coverage *cover;       /* of the scripts; NULL once the search is over */
    bool observed;         /* some run registered a lock */
    str views_differ;      /* parts_views_differ */
    bool settled;          /* it ended early, as every property was settled */
    uint64_t cut_runs;     /* ended by max_steps */
    bool stopped;          /* by a limit or an interrupt; out->reason says which */
    bool enough;           /* it stopped only because of search_options.first_failure */
    meetings *meetings;    /* what met where; NULL: there is one client only, or meetings are not recorded */
    bool open_starts;      /* clients whose start the scenario does not pin may start at any moment */
    bool failed;           /* out->error is set */
    bool refused;          /* ... because of a stored search: nothing was searched */
    bool by_graph[PROPERTY_COUNT];     /* exhaustive: the graph of all states decided the property */
    str why_undecided;     /* exhaustive: why the graph of all states was not available; empty: it was, or was not
                            * needed */
    str luck;              /* exhaustive: who waits for ever if a fair coin falls one way for ever; or empty */
    size_t *attempts;      /* exhaustive: how many searches have begun, over all orders of ids */
    bool folded;           /* the search counts transitions itself, each once */
    uint64_t taken;        /* steps of all runs */
    uint64_t max_states, max_memory;   /* exhaustive; 0: none */
    instant_spelling instants;         /* exhaustive: which instants are distances from now in its states */
    str instants_why;      /* the code that needs more of them than INSTANTS_PLAIN */
    str time_of_day;  /* exhaustive: the code that reads the time of day, which is then part of every state; or empty */
    str vacuous;           /* why the scenario shows nothing (plain_says); empty: it does, or unknown yet */
    bool plain_asked, idle;            /* idle: no client does anything */
    str first_answer, expected_answer; /* ... of an acquire in the plain run, and the driver's answer for a grant */
    ending ending;
    property ended_by;     /* ENDING_UNEXERCISED, ENDING_NOT_FOUND, ENDING_ALONG_RUNS: the property */
    lock_of_one locks_apart[2];        /* if asks_apart: each lock is asked for by one client only */
    bool asks_apart;
    str unseen;            /* ENDING_UNMET, ENDING_UNSEEN, ENDING_UNSTRUCK, ENDING_NO_FAULT: the meeting, sight or
                            * fault */
    struct { str what, where; bool at_servers, is_time; size_t values; } grower;      /* the first thing that kept
                            * growing */
    str grows;             /* what kept growing, where a limit came first; see growth.h */
    search_progress at;    /* of an exhaustive search: states, depth, waiting, bytes */
    str given;             /* the schedule that was followed */
    trace last;            /* of the current run */
    size_t steps;          /* taken in the current run */
} hunt;

/* Chooses one of the enabled steps, count >= 1. RUN_NO_FURTHER ends the run; RUN_SETTLE, allowed where all steps are
 * faults, lets the world come to rest without them. */
#define RUN_NO_FURTHER SIZE_MAX
#define RUN_SETTLE (SIZE_MAX - 1)
/* ... or with this bit: that many ms pass (at least one, at most up to the next instant and the end of the run), even
 * if no step of time is enabled. */
#define RUN_PASSES (UINT32_C(1) << 31)
#define RUN_PASSES_MAX_MS ((int64_t)RUN_PASSES - 1)
/* The step that a choice means. */
step run_choice(const step *steps, size_t choice);
typedef size_t choose_fn(void *chooser, world *w, const step *steps, size_t count, size_t step_number);

/* One run from beginning to end. Stores new violations in h->found. false: the hunt is over (an error, or stopped). */
bool run_once(hunt *h, choose_fn *choose, void *chooser);
/* Stores how a property broke that was not found before. */
void run_note(hunt *h, const world *w);
void run_stop(hunt *h, str reason);
/* Is anything broken that the scenario does not expect? */
bool run_surprised(const hunt *h);
/* Does the violation of this property get a counterexample? */
bool run_tells(const hunt *h, property p);
bool run_blames(const hunt *h, property p);          /* ... and the faults or steps to blame? */
/* Was the search interrupted, or is it `until_ms` or later by the real clock? The reason, or NULL. */
const char *run_must_stop(const hunt *h, int64_t until_ms);
world_options run_options(const hunt *h, const char *schedule, bool record);

/* A path of choices: at each place the choice taken, and out of how many. Zero-initialise. */
typedef struct {
    uint32_t *taken, *of;
    size_t depth, taken_cap, of_cap;
} path;
size_t path_choice(path *p, size_t step_number, size_t of);
bool path_advance(path *p);            /* to the next path; false: that was the last */
void path_free(path *p);

/* naming.c - searches in several orders of ids (scenario/ids.h). */
/* May the ids differ from the names here? */
bool naming_is_open(const hunt *h);
/* If their order matters, as the search in the order of the names has shown (h->orders): runs `search` in each other
 * order, and joins the results. */
void naming_search_others(hunt *h, void (*search)(hunt *h));
/* h->sc, or the same with the ids in the order that the schedule names. NULL: that is no order of its clients, and `e`
 * says so. */
const scenario *naming_of(const hunt *h, str schedule, err *e);

void search_random(hunt *h);
void search_every_schedule(hunt *h);
void search_every_state(hunt *h);
void search_schedule(hunt *h, str text);

/* Turns h->found[p] into a counterexample: shortened, replayed from its text, told. */
void example_shrink(hunt *h, property p, counterexample *c);
/* The same for a way that is already shortest. */
void example_keep(hunt *h, property p, counterexample *c);
/* The same for a user's schedule, whose story is in h->out->run: it stays as it is. */
void example_cut(hunt *h, property p, counterexample *c);
/* Follows a schedule strictly, with or without a story, in a new world; stops where `p` breaks. True if it broke; *at:
 * after how many steps. `found` gets the world's violation text. */
bool scripted_breaks(hunt *h, str schedule, property p, size_t *at, story *told, finding *found);
/* Takes the steps of a schedule, with brackets, to the world's end. `after` is called after each step and each closing
 * bracket, and stops by false. claim: the property that brackets break, if not LK012. false: an item (*at) does not
 * fit, or an error. */
bool scripted_follow(hunt *h, world *w, const schedule_item *items, size_t count, const property *claim,
                     bool (*after)(void *context, world *w), void *context, size_t *at, err *e);
/* The scenario reduced to one question: do two versions differ (versions.c)? */
scenario compare_without_questions(const scenario *sc, const lockstep_relation *relation);
void story_keep(arena *a, const story *from, size_t count, story *to);
bool only_faults(const step *steps, size_t count);
void trace_add(trace *t, uint32_t choice);
void trace_copy(trace *to, const trace *from);
void trace_free(trace *t);

/* No client was granted anything so far (h->seen). If that is so in a plain run, too, h->vacuous says why the scenario
 * shows nothing: no acquire is granted, or `expect` names a property of locks, or no client does anything. Asked
 * once. */
bool plain_is_vacuous(hunt *h);
/* The plain run with its story, of at most steps_max steps: the caller owns the world. NULL: it ends in an error. */
world *plain_told(hunt *h, size_t steps_max);
bool hunt_granted(const hunt *h);                  /* h->seen: was any client granted anything? */
/* A violation that follows from the lack of any grant is no finding. */
bool plain_explains(const hunt *h, property p);

/* The evidence that a property needs. If no run had any, the property was not judged, whatever the monitors say. */
typedef enum { BY_ANYTHING, BY_GRANTS, BY_TOKENS, BY_REFUSALS, BY_RESENDS, BY_THE_SERVERS_ACCOUNT } evidence;
evidence evidence_of(property p);
void verdict_reach(hunt *h, bool scripted);
bool hunt_saw(const hunt *h, const char *sight);
/* The same of one client, or of one that is equal to it. */
bool hunt_saw_client(const hunt *h, client_sight what, size_t client);
bool hunt_clock_unread(const hunt *h);             /* no client whose clock may jump ever looks at it */
/* The meaning and the limits of the result, as lines. */
str means_say(hunt *h, bool scripted);
/* The work done: pieces of Lua, memory. Empty where that is not counted. */
str means_work(const hunt *h);

#endif
