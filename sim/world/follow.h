/* follow.h - at which instants a step that does not hold time would come out differently. Whoever can put a world into
 * a state again and again asks; the steps are really taken. */
#ifndef LOCKSIM_WORLD_FOLLOW_H
#define LOCKSIM_WORLD_FOLLOW_H

#include "base/outline.h"
#include "world/world.h"

/* What makes up the search for stops, a bit each; tests take one away (world_options.stops_without) and must see
 * verdicts change. */
typedef enum {
    STOPS_HALVES = 1 << 0,             /* the first millisecond of a change, by halves between two points */
    STOPS_BEFORE = 1 << 1,             /* the millisecond before a meeting */
    STOPS_AFTER = 1 << 2,              /* ... and after it */
    STOPS_ENDS = 1 << 3,               /* the end of the interval */
    STOPS_BEYOND = 1 << 4,             /* an interval without an end */
    STOPS_MOVING = 1 << 5,             /* lengths that move with time (PTTL) meet constants and nought */
    STOPS_CODE = 1 << 6,               /* constants of the code */
    STOPS_HEARD = 1 << 7,              /* ... of arguments and of what was answered */
    STOPS_HELD = 1 << 8,               /* ... that servers and the process hold, digits in texts included */
    STOPS_SECONDS = 1 << 9,            /* constants as seconds */
    STOPS_LATER = 1 << 10,             /* a meeting after a wait, or by a clock that is wrong */
    STOPS_AT_ONCE = 1 << 11,           /* how numbers move is seen over one and two milliseconds */
    STOPS_WAITS = 1 << 12,             /* a step is followed through waits */
    STOPS_WAYS = 1 << 13,              /* ... on several ways */
    STOPS_DEADLINE = 1 << 14,          /* at a deadline time may pass before a step that follows */
    STOPS_RANGES = 1 << 15,            /* what takes a declared range is followed as soon as it can come */
    STOPS_FAULTS = 1 << 16,            /* faults that run code */
    STOPS_PATHS = 1 << 17,             /* which commands a script asks is a part of its path, whatever comes of them */
    STOPS_DRIFT = 1 << 18,             /* a meeting by a clock that drifts */
    STOPS_COMPARED = 1 << 19,          /* what Lua compares: numbers of scripts and clients, computed as they may be */
    STOPS_BRANCHES = 1 << 21,          /* a comparison that comes out differently is another path */
    STOPS_LADDER = 1 << 22,            /* lengths of all sizes */
    STOPS_OTHERS = 1 << 23,            /* other processes go on, too, whom a step wakes */
    STOPS_TIMERS = 1 << 27,            /* ... and whom their own timers do */
    STOPS_FURTHER = 1 << 29,           /* through more waits than two */
    STOPS_LAST = 1 << 30,              /* the last millisecond before a number jumps, as whole seconds do */
    STOPS_ORDER = 1 << 28,             /* what moves with time meets what does not: timers, deadlines, instants */
    STOPS_USED = 1 << 24,              /* ... where values that no comparison tells of move with time */
    STOPS_BENT = 1 << 25,              /* ... or numbers that do not move evenly */
    STOPS_SENT = 1 << 26,              /* an instant in a command meets those that the server holds */
    STOPS_FAR = 1 << 20,               /* numbers that move with time, spelled otherwise than in ms since 1970 */
} stop_rule;
/* Where a step leaves a time behind, whoever else may come at any moment comes, too: what two stored times make of each
 * other. (The last bit is no int.) */
#define STOPS_VISITS (1u << 31)

/* Which way to go where there are several. *different, at first 1: so many ways are known to differ; the next ones are
 * the first ones again (two ways at each place: 0, 1, 0, 1), and nobody follows more than FOLLOW_WAYS_MAX. */
enum { FOLLOW_WAYS_MAX = 4 };
/* waits: through so many waits of each process it is followed. visits: whoever else may come at any moment (a start,
 * the end of its work, a resume) comes, once, where nobody holds time. */
typedef struct { unsigned branch, *different; int waits; bool visits; } follow_way;
/* The step, what its process does after it without letting time pass, and on through its next waits of known length;
 * and likewise what other processes do, whom it wakes or whose own timers end meanwhile: as an outline of the requests,
 * their answers, what is announced, and what those processes and the servers are in the end. heard: what scripts and
 * clients were told on the way. The world is used up. */
void follow_step(world *w, const step *s, const follow_way *way, outline *out, outline *heard);
void follow_free(world *w);            /* what following has kept of memory */
/* The state of the process, and of the servers if asked for, as it is. */
void follow_state(world *w, uint32_t process, bool servers, outline *out);
/* Lets time pass, and nothing else. */
void follow_wait(world *w, int64_t ms);
/* Those of the process's steps that time does not wait for and that run its code; in the arena. */
size_t follow_steps(world *w, uint32_t process, arena *a, step **out);
/* Is it enabled now? Fills in what enabled.c says of it today. */
bool follow_find(world *w, step *s);

/* Wherever numbers may meet anything that is written or stored it is followed through the near waits, and beyond them
 * where it is heard what they meet. */
enum { FOLLOW_WAITS_NEAR = 2, FOLLOW_WAITS_FAR = 8 };
typedef struct { const step *step; int64_t ms; int waits; bool visits; } follow_question;
typedef struct {
    void *context;
    /* The outline of a step `ms` later, all branches of it; step NULL: of the state now, of the process alone where
     * heard is NULL. false: it cannot be taken then. */
    bool (*at)(void *context, const follow_question *q, outline *out, outline *heard);
    const int64_t *constants;          /* of the code, sorted */
    size_t constant_count;
    int64_t now_ms;
    int64_t passed_ms;     /* since the beginning of the run; 0: nobody knows */
    unsigned without;                  /* stop_rule bits that are not applied */
    bool *other_epoch;                 /* set where somebody sends an instant that is not told in ms since 1970: it does
                                        * not fold; NULL: nobody wants to know */
} follower;

/* The first length, less than upto_ms, after which the step no longer does what it does now; INT64_MAX: there is
 * none. */
int64_t follow_first(const follower *f, const step *s, int64_t upto_ms);

/* All numbers in the client's code and in scripts, digits in texts included; sorted, each once, in the arena. */
size_t follow_constants(const scenario *sc, arena *a, int64_t **out);

#endif
