/* path.h - a world and the way that led to it. A way is a list of schedule items; going back is going the way again
 * from the start. */
#ifndef LOCKSIM_WALK_PATH_H
#define LOCKSIM_WALK_PATH_H

#include "host/options.h"
#include "search/settle.h"
#include "world/world.h"

/* One item of a schedule: "A.acquire", "!pause A". fused: its request was answered in the same step. */
typedef struct {
    str words;
    bool fused;
} path_item;

typedef struct {
    const scenario *sc;    /* with the budgets of all faults taken */
    const loader *l;
    world_options wo;
    world *w;
    arena *memory;         /* of the items' texts */
    path_item *items;      /* the first `at` of them were taken, the others are ahead */
    size_t at, count, cap;
    settler order;
} path;

/* A world at its start, on a way that may be empty. `schedule` is "" or that of a saved story, which then decides who
 * starts when (world.h). */
bool path_open(path *p, const scenario *sc, const loader *l, const options *o, str schedule, err *e);
void path_close(path *p);
/* Takes the named step, and drops what was ahead if that was another one. A fault may exceed its budget. false: nothing
 * has happened; `e` says why. This includes an error in the client's code: the world is as before. */
bool path_take(path *p, str words, err *e);
/* The next step in the settled order. *rest: there is none, and the world has come to rest. */
bool path_settle(path *p, bool *rest, err *e);
/* The same, but where time may pass, it does. */
bool path_let_pass(path *p, bool *rest, err *e);
/* `steps` back, or forward along what is ahead; as far as possible. */
bool path_move(path *p, ptrdiff_t steps, err *e);
/* The steps taken, a line an item. */
void path_text(const path *p, buf *out);
/* The budgets needed for it, as fault_budgets_parse reads them. */
str path_faults(const path *p, arena *a);

#endif
