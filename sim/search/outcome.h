/* outcome.h - what a search found, as plain data: the report's only source. */
#ifndef LOCKSIM_SEARCH_OUTCOME_H
#define LOCKSIM_SEARCH_OUTCOME_H

#include "base/err.h"
#include "scenario/scenario.h"
#include "scenario/signature.h"
#include "script/coverage.h"
#include "world/meetings.h"
#include "world/story.h"

typedef enum { VERDICT_PASS, VERDICT_FAIL, VERDICT_INCONCLUSIVE, VERDICT_VACUOUS, VERDICT_ERROR } verdict;
const char *verdict_name(verdict v);               /* "PASS" ... */

typedef enum {
    OUTCOME_NOT_JUDGED,    /* not wanted */
    OUTCOME_HOLDS,         /* within what was searched */
    OUTCOME_VIOLATED,
    OUTCOME_UNDECIDED,     /* a limit came first, or this search cannot judge it */
} property_outcome;
const char *property_outcome_name(property_outcome o);        /* "not judged" "holds" "violated" "undecided" */

typedef struct {
    property property;
    str text, why;         /* the violation's sentence and the reason */
    str blame;             /* the single fault or step without which it passes; may be empty */
    size_t *blamed;        /* the story's rows, 1-based, of those faults */
    size_t blamed_count;
    size_t decides;        /* ... and of that step; 0: unknown */
    str schedule;          /* tokens separated by blanks, up to the step that broke it */
    size_t steps, switches;
    story story;
    uint64_t seed;         /* of `locksim drive`: the seed of its run */
    bool replayed;         /* the schedule, run again from its text, broke the same property */
} counterexample;

typedef struct {
    property_outcome outcome;
    expectation expected;
    str reason;                        /* the scenario's reason for its expectation; or empty */
    const counterexample *example;     /* OUTCOME_VIOLATED */
    const signature *signature;        /* of an expected violation: how it breaks; NULL: not wanted, or unknown */
    const signature *expected_signature;           /* how it is expected to break; NULL: in any way */
    bool other_cause;                  /* these are not equal */
} property_result;

/* A part of the world, and its share of all states: search/profile.h. */
typedef enum { PROFILE_FACT, PROFILE_WHOLE, PROFILE_FAULT, PROFILE_PROPERTY } profile_kind;
typedef enum { PROFILE_CLIENTS, PROFILE_SERVERS, PROFILE_MONITORS, PROFILE_FAULTS } profile_part;
typedef struct {
    profile_kind kind;
    profile_part of;
    uint64_t clients;      /* PROFILE_CLIENTS: of each of these, bits */
    str what;              /* "local `n` at my.lua:7", "the key `n`"; a fault's or property's name */
    str where;             /* the code that holds it: "my.lua:7:9"; empty: unknown */
    uint64_t values;       /* the number of its values */
    bool more;             /* ... at least */
    uint64_t left;         /* about how many states would be left if it had one value */
    fault_kind fault;      /* PROFILE_FAULT */
    property property;     /* PROFILE_PROPERTY */
} profile_row;
typedef struct {
    uint64_t states, sampled;          /* states; how many of them were looked at */
    profile_row *rows;     /* the largest saving first */
    size_t count;
} profile;

/* The likeliest reason for INCONCLUSIVE or VACUOUS, and what to do: search/advice.h. */
typedef struct {
    str cause;             /* a sentence; empty: unknown */
    str where;             /* of the user's files: "my.lua:7:9"; may be empty */
    str change;            /* one change to try; may be empty */
} advice;

typedef struct {
    str path, file, title;         /* path: its name, FILE or FILE:CASE */
    scenario_exhibit exhibit;
    fault_budget faults[FAULT_KINDS];  /* that were allowed */
    verdict verdict;
    str reason;            /* one sentence for INCONCLUSIVE, VACUOUS and ERROR */
    err error;             /* VERDICT_ERROR: class 4, 65 or 70. The owner calls err_clear. */
    property_result properties[PROPERTY_COUNT];
    counterexample *examples;          /* in the order of properties */
    size_t example_count;
    str *clients;          /* names, for the columns of a story */
    size_t client_count;
    struct {
        str strategy;      /* "schedule", "uniform", "pct depth 3", "every schedule" */
        uint64_t seed;
        uint64_t runs;     /* complete runs */
        uint64_t states;   /* distinct states; 0 where the search does not count them */
        uint64_t stand_for;            /* states without equal clients' counting once; 0: they do not */
        uint64_t transitions;          /* steps taken, those that change nothing counted */
        uint64_t same;     /* of these, those that led back to the very same state, where the search counts states */
        double odds;       /* at most this is the chance that a state was taken for another one and so missed */
        uint64_t client_runs;          /* pieces of client code really run in order to learn what they do; 0 where not
                                        * counted; */
        uint64_t client_repeats;       /* and those that were run again in order to come back to a state */
        uint64_t bytes;    /* of memory, at the peak, about; 0 where not counted */
        uint64_t executions;           /* requests that servers really executed */
        uint64_t longest;  /* steps of the longest run; where the search counts states, every way of so many steps was
                            * followed */
        uint64_t waiting;  /* states that were met and not gone on from, because a limit came first */
        bool limited;      /* something came first: a limit of states, memory or time, or a person */
        bool complete;     /* nothing within the bounds was left out */
        int64_t elapsed_ms;            /* real time; 0 if not told */
    } search;
    advice advice;
    str means;             /* what this result means, lines: clients, faults, bounds, what it does not show */
    str work;              /* what it took, a line, which may depend on the machine; empty: not counted */
    str note;              /* what a reader of one line should know: lines; empty: nothing */
    const meeting *meetings;           /* every pair that could meet, those that never did first */
    size_t meeting_count, unmet_count;
    bool meetings_full;    /* there was more than could be told apart */
    str seen, unseen;      /* sights (world_saw) that came up in some run, and those that never did; blanks between */
    /* What the search reached of each script that a client referred to, shortening not counted. A search of states runs
     * a script once for all calls that cannot differ, so there a count says reached or not, and no more. */
    const coverage_script *scripts;
    size_t script_count;
    const profile *profile;            /* what the states are made of; NULL: not asked for, or unknown */
    story run;             /* of a schedule or a replay: all of its steps */
    size_t items;          /* of the schedule's text that were followed; brackets count, further rounds between them do
                            * not */
} outcome;

#endif
