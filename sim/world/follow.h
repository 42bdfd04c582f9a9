/* follow.h - finds the instants at which a step that does not hold time would have another outcome. The caller must be
 * able to put a world into one state again and again; each candidate step is really taken. */
#ifndef LOCKSIM_WORLD_FOLLOW_H
#define LOCKSIM_WORLD_FOLLOW_H

#include "base/outline.h"
#include "world/world.h"

/* The rules by which the search finds stops, a bit each. Tests switch one off (world_options.stops_without) and must
 * see verdicts change. */
typedef enum {
    STOPS_HALVES = 1 << 0,             /* the first millisecond of a change, by bisection between two points */
    STOPS_BEFORE = 1 << 1,             /* the millisecond before a meeting */
    STOPS_AFTER = 1 << 2,              /* ... and after it */
    STOPS_ENDS = 1 << 3,               /* the end of the interval */
    STOPS_BEYOND = 1 << 4,             /* an interval without an end */
    STOPS_MOVING = 1 << 5,             /* lengths that move with time (PTTL) meet constants and zero */
    STOPS_CODE = 1 << 6,               /* constants of the code */
    STOPS_HEARD = 1 << 7,              /* ... of arguments and of answers */
    STOPS_HELD = 1 << 8,               /* ... that servers and the process hold, digits in texts included */
    STOPS_SECONDS = 1 << 9,            /* constants as seconds */
    STOPS_LATER = 1 << 10,             /* a meeting after a wait, or by a clock that is off */
    STOPS_AT_ONCE = 1 << 11,           /* slopes of numbers are measured over one and two milliseconds */
    STOPS_WAITS = 1 << 12,             /* a step is followed through waits */
    STOPS_WAYS = 1 << 13,              /* ... on several ways, where there are several */
    STOPS_DEADLINE = 1 << 14,          /* at a deadline time may pass before a step that follows */
    STOPS_RANGES = 1 << 15,            /* what takes a declared range is followed at its earliest end */
    STOPS_FAULTS = 1 << 16,            /* faults that run code */
    STOPS_PATHS = 1 << 17,  /* the commands that a script sends are part of its path, whatever their replies */
    STOPS_DRIFT = 1 << 18,             /* a meeting by a clock that drifts */
    STOPS_COMPARED = 1 << 19,          /* what Lua compares: numbers of scripts and clients, also computed ones */
    STOPS_BRANCHES = 1 << 21,          /* a comparison with another result is another path */
    STOPS_LADDER = 1 << 22,            /* lengths of all orders of magnitude */
    STOPS_OTHERS = 1 << 23,            /* other processes that a step wakes are followed, too */
    STOPS_TIMERS = 1 << 27,            /* ... and those whose own timers end */
    STOPS_FURTHER = 1 << 29,           /* the step is followed through more than two waits */
    STOPS_LAST = 1 << 30,              /* the last millisecond before a number jumps, as whole seconds do */
    STOPS_ORDER = 1 << 28,  /* a number that moves with time meets one that does not: timers, deadlines, instants */
    STOPS_USED = 1 << 24,              /* ... where values outside of any comparison move with time */
    STOPS_BENT = 1 << 25,              /* ... or numbers that do not move evenly */
    STOPS_SENT = 1 << 26,              /* an instant in a command meets those that the server holds */
    STOPS_FAR = 1 << 20,               /* numbers that move with time and are not written in ms since 1970 */
} stop_rule;
/* Where a step leaves a time behind, other clients that may come at any moment come, too: two stored times may meet.
 * (These bits do not fit into an int.) */
#define STOPS_VISITS (UINT64_C(1) << 31)
/* ... more than once, and the followed one, too; ... and later than they could. */
#define STOPS_AGAIN (UINT64_C(1) << 32)
#define STOPS_DELAYS (UINT64_C(1) << 33)
/* ... where two of their comparisons become equal at once. */
#define STOPS_CORNERS (UINT64_C(1) << 34)
/* What a server tells when it removes an expired key, at any moment. */
#define STOPS_EXPIRY (UINT64_C(1) << 35)
/* What a command compares by itself: a range of scores. */
#define STOPS_TOLD (UINT64_C(1) << 36)
/* A second is full by a clock that is read, where no number tells of it. */
#define STOPS_CLOCKS (UINT64_C(1) << 37)

/* Which branch to take where there are several. *different, 1 at first: how many numbers are known to give different
 * branches; larger numbers repeat the first ones. (With two branches at each place, 0, 1, 2, 3 take the first, second,
 * first, second.) At most FOLLOW_WAYS_MAX are followed. */
enum { FOLLOW_WAYS_MAX = 4 };
/* waits: each process is followed through that many waits. visits: every client that may come at any moment (a start,
 * the end of its work, a resume) comes, up to three times, where no step holds time. ranges: declared ranges of others
 * end, too, at once or at the latest. delays: how much later than they could the first visit comes and the second one;
 * all others come at once. */
enum { FOLLOW_DELAYS = 2 };
typedef struct { int64_t ms[FOLLOW_DELAYS]; } follow_delays;
typedef struct { unsigned branch, *different; int waits; bool visits, ranges; follow_delays delays; } follow_way;
/* Takes the step, then what its process does without letting time pass, then its next waits of known length. The same
 * for other processes that the step wakes or whose own timers end meanwhile. The outline holds requests, answers,
 * announcements, and the final state of those processes and of the servers; `heard`, what scripts and clients were told
 * on the way. The world cannot be used afterwards. */
void follow_step(world *w, const step *s, const follow_way *way, outline *out, outline *heard);
void follow_free(world *w);            /* frees what following has kept */
/* The state of the process as it is, and of the servers if asked for. */
void follow_state(world *w, uint32_t process, bool servers, outline *out);
/* Lets time pass, and nothing else. */
void follow_wait(world *w, int64_t ms);
/* Those steps of the process that do not hold time and run its code; in the arena. */
size_t follow_steps(world *w, uint32_t process, arena *a, step **out);
/* Is the step enabled now? Fills in the fields that enabled.c sets. */
bool follow_find(world *w, step *s);

/* Up to FOLLOW_WAITS_NEAR waits, a number may meet any number that is written or stored. Beyond them, up to
 * FOLLOW_WAITS_FAR, only what was heard counts. */
enum { FOLLOW_WAITS_NEAR = 2, FOLLOW_WAITS_FAR = 8 };
typedef struct { const step *step; int64_t ms; int waits; bool visits, ranges; follow_delays delays; } follow_question;
typedef struct {
    void *context;
    /* The outline of a step `ms` later, with all its branches. step NULL: of the state now; of the process alone where
     * heard is NULL. false: the step cannot be taken then. */
    bool (*at)(void *context, const follow_question *q, outline *out, outline *heard);
    const int64_t *constants;          /* of the code, sorted */
    size_t constant_count;
    int64_t now_ms;
    bool seconds;          /* scripts may depend on how long the last full second is past */
    bool time_of_day;      /* it is part of every state: nobody knows what each second means */
    int64_t passed_ms;     /* since the beginning of the run; 0: unknown */
    uint64_t without;                  /* stop_rule bits that are switched off */
    bool *other_epoch;  /* set where an instant is sent that is not in ms since 1970: it does not fold; may be NULL */
} follower;

/* The first length, less than upto_ms, after which the step no longer does what it does now; INT64_MAX: none. */
int64_t follow_first(const follower *f, const step *s, int64_t upto_ms);

/* All numbers in the client's code and in scripts, digits in texts included; sorted, each once, in the arena. */
size_t follow_constants(const scenario *sc, arena *a, int64_t **out);

#endif
