/* process_internal.h - the inside of a live process, shared by the files of sim/client: what of it is C, and where its
 * Lua objects hang. All state that can make a difference later is in `process`, in its tasks, or reachable from its
 * roots (root_push) and the tasks' stacks of coroutines.
 *
 * How a task waits. Stock Lua 5.1 cannot yield through pcall or coroutine.resume, because both run their function from
 * C. Here pcall(f) runs f in a coroutine of its own, nested on the C stack as long as nobody waits. When something
 * below asks to wait, every level yields in turn; what stood on the C stack is written in `links`, and from then on
 * run_links resumes the innermost coroutine and hands results and errors from link to link, so that the levels never
 * notice. */
#ifndef LOCKSIM_CLIENT_PROCESS_INTERNAL_H
#define LOCKSIM_CLIENT_PROCESS_INTERNAL_H

#include <lauxlib.h>
#include <lua.h>

#include "client/process_kind.h"
#include "scenario/source.h"
#include "script/lua_compare.h"

/* How the end of a coroutine is told to the one below it. */
typedef enum { LINK_TASK, LINK_PCALL, LINK_XPCALL, LINK_RESUME, LINK_WRAP, LINK_ATOMIC } link_kind;

typedef struct {
    lua_State *L;
    link_kind kind;
} link;

typedef enum {
    WAIT_NONE,
    WAIT_START,            /* not begun: its function and handle are on its stack */
    WAIT_STEP,
    WAIT_REQUEST,
    WAIT_SLEEP,            /* me:sleep and me:work(ms): until wake_ms */
    WAIT_WORK,             /* me:work() without a length, or a range: from one length on it may end at any moment up to
                            * another */
    WAIT_CHOOSE,           /* the table of choices is on top of its stack, me:choose */
    WAIT_SEMAPHORE,        /* waits in `object`'s line, in the order of wait_order */
    WAIT_FUTURE,           /* for `object`, which is on top of its stack */
    WAIT_JOIN,             /* for the end of task `target` */
    WAIT_EXIT,             /* cancelled itself */
    WAIT_POINT,            /* before an access to memory that other tasks reach (preempt.c) */
} wait_kind;

/* What a task that is TASK_READY gets as the result of its wait. */
typedef enum { RESULT_NOTHING, RESULT_TRUE, RESULT_FALSE, RESULT_INTERRUPTED, RESULT_FUTURE, RESULT_TIMEOUT,
               RESULT_VALUE } result_kind;

/* Lua userdata that client code holds. Each has the metatable of its kind. */
typedef enum { OBJECT_ME, OBJECT_TASK, OBJECT_SEMAPHORE, OBJECT_FUTURE, OBJECT_SCRIPT, OBJECT_KINDS } object_kind;

typedef struct {
    object_kind kind;
    uint32_t task;         /* me, task: which */
    uint32_t server;       /* me: me:on(n), 0-based; future: to which the request went */
    uint32_t servers;      /* me, future: a bit for each server of me:on(n, ...), whose locks are one; 0: that one
                            * server */
    uint32_t request;      /* future */
    bool done;             /* future: fulfilled */
    bool table;            /* future: its environment table holds the answer, or who waits for it; false: */
    int plain;             /* LUA_TNIL, LUA_TBOOLEAN or LUA_TNUMBER; the answer, */
    lua_Number number;     /* if it is not nil */
    int64_t permits;       /* semaphore; me: the thread */
    const script_file *script;
} object;

/* What the running task asks to wait for: written before it yields, taken over when the yield has arrived. */
typedef struct {
    wait_kind kind;
    int64_t ms;            /* sleep, work: how long; waits: at most, -1: for ever; WAIT_WORK: at least, -1: it may end
                            * at any time */
    int64_t upto_ms;       /* WAIT_WORK: at most */
    size_t choices;
    bool work;             /* a sleep or choice made by me:work */
    object *object;
    uint32_t target;
    const char *name;      /* of the step, for schedules */
    const char *call;      /* what was called, for messages */
    request *request;
    lua_State *thread;     /* where it stands, to tell the place */
} wait_request;

typedef struct {
    uint32_t id, thread;
    str name, who;
    bool daemon, main, work;
    task_status status;
    wait_kind wait;
    result_kind result;    /* for TASK_READY */
    int64_t wake_ms;
    int64_t least_ms, most_ms;                     /* WAIT_WORK of a range; both 0: none */
    bool zero_wait;
    uint32_t request, last_answer;
    size_t choices;
    uint64_t wait_order;   /* when it began to wait, counted in waits of the process: the line at a semaphore */
    object *object;
    uint32_t target;
    const char *next;
    position where;
    link *links;           /* [0]: the task's own coroutine; the last is the innermost, which is resumed */
    size_t link_count, link_cap;
    int thread_number;     /* of its own coroutine: see threads.c */
    buf text;              /* the name */
} task;

/* A handler of me:subscribe; its function is ROOT_HANDLERS[handler]. */
typedef struct {
    uint32_t server, thread, handler;
    bool pattern;
    buf channel;           /* its own, lest a process that subscribes again and again keeps them all */
} subscription;

typedef struct sent sent;  /* a request and what it needs, in one block; see request.c */

/* A process's roots among Lua's values, each in the registry: see root_push. */
enum {
    ROOT_FUTURES,          /* request id -> its future, while unanswered */
    ROOT_MODULES,          /* file name -> what it returned; true while it runs */
    ROOT_SCRIPTS,          /* script objects by name, and by text with a leading NUL */
    ROOT_OBSERVED,         /* 2i-1 -> lock name, 2i -> its driver's view */
    ROOT_HANDLERS,         /* handler number -> function */
    ROOT_PROCESS,          /* me.process */
    ROOT_COROUTINES,       /* suspended coroutine -> { coroutine, kind, ... }: the pcalls that stand on it */
    ROOT_DEAD,             /* coroutines that an error ended from outside -> true */
    ROOT_PROGRAM,
    ROOT_ALWAYS,
    ROOT_ENVIRONMENT,      /* the globals of client code */
    ROOT_REDIS,            /* what view functions get, by server */
    ROOT_HANDLES,          /* metatables of `me`, by thread and server: see handle.c */
    ROOT_SLOTS,
};
/* The registry by numbers: what is kept from being collected, metatables by kind, coroutines of tasks by number; of a
 * pool, source number + 1 -> a function that returns its main chunk; then the roots, of one process after the other. */
enum { REGISTRY_SCRATCH = 1, REGISTRY_FAILED, REGISTRY_GRAPH, REGISTRY_THREADS, REGISTRY_MAKERS, REGISTRY_METATABLES,
       REGISTRY_ROOTS = REGISTRY_METATABLES + OBJECT_KINDS };

enum { HOOK_STEPS = 1000 };                        /* between two looks at the budgets of client code */
enum { NESTING_MAX = 150 };                        /* pcalls and coroutines on the C stack */

typedef struct heap heap;

struct process {
    process_head head;

    const scenario *scenario;                      /* NULL while a scenario is being loaded */
    const loader *loader;
    source_cache *sources;
    arena *memory;                                 /* names and the like: as long as the process */
    heap *heap;
    lua_State *L;                                  /* the main thread: loading, views */
    lua_State *scratch;                            /* its stack is used for building values */

    struct process_pool *pool;                     /* whose Lua state it shares; NULL: it has its own */
    int roots;             /* where its roots begin in the registry: REGISTRY_ROOTS, unless others share its Lua
                            * state */
    bool thread_told;      /* client code has asked which coroutine is running, and may know it */
    bool placeless;        /* nobody asks where it sends and waits, which costs more than a short wait itself; errors
                            * are located all the same */
    bool points;           /* in this input its threads stop where they may be preempted */
    size_t heap_max;       /* of the Lua state */
    struct process *loaded;                        /* process_rewind: the fields as they were before its first task;
                                                    * NULL: none */
    size_t number;                                 /* of its client in the scenario */
    str client;                                    /* "A", "A#1" */
    uint32_t thread_count;
    str *whos;             /* by thread - 1, as they are first asked for */
    int64_t now_ms, skew_ms;                       /* skew_ms: drift apart, see drift_skew_ms */
    int64_t born_ms;
    bool clock_read;                               /* its code asks for the time: then what its clock has drifted by is
                                                    * a part of its state; */
    bool steady_read;                              /* ... by its clock that never jumps */
    bool watched;                                  /* time_use.h, judges.c */
    int hook_steps;                                /* of those, since the last look, where each is heard */
    bool time_used;                                /* it did more with an instant than to add and compare, first
                                                    * there: */
    position time_use;
    lua_known known;       /* functions of the standard libraries */

    const int64_t *hidden;                         /* hidden.h: the instants that hidden numbers stand for, */
    size_t hidden_count;
    bool looked;           /* and somebody has looked at one */

    task **tasks;                                  /* those that live, by id; then those that are over, to be used
                                                    * again */
    size_t task_count, tasks_made, task_cap;
    struct task_threads *threads;
    uint32_t next_task;                            /* id */
    task *running;
    link *links;                                   /* of the running task and all that is nested in it */
    size_t link_count, link_cap;
    size_t nesting;
    wait_request pending;
    bool yielded_value;                            /* the last yield was a coroutine.yield, not a wait */
    int guarded;                                   /* client code is running: its budgets can stop it */
    uint64_t wait_orders;
    uint32_t request_count;
    sent *sent;                                    /* by id */
    bool fulfilled;                                /* a future got its answer: see process_each_request */
    struct lua_graph *graph;                           /* lua_graph.h; made at the first freeze */
    subscription *subscriptions;                   /* by handler */
    size_t subscription_count, subscription_cap;
    uint32_t handler_count;
    uint64_t unique_count;
    observed *observed;
    size_t observed_count, observed_cap, observed_next;   /* observed_next: of a pool, which will be forgotten next */
    uint64_t *judge_prints;                        /* of `always` and the views, as freezing first met them */
    size_t judge_print_count, judge_print_cap;
    task_view *views;
    size_t view_cap;

    outputs *out;                                  /* of the running input */
    view_read *read;                               /* while a view runs */
    void *read_context;
    arena *read_arena;

    /* Budgets of one input. Once `fatal` is set, no pcall of the client's code can stop the error. */
    int64_t steps_left;
    int64_t largest_bytes;                         /* the largest block it ever asked for: long strings cost more per
                                                    * instruction */
    const char *fatal;
    err_class class_;                              /* of errors in its Lua: ERR_SCENARIO while loading, ERR_DRIVER
                                                    * after */
    bool broken;                                   /* an uncaught error: nothing may run any more */
};

/* live.c: what is asked of every process (process_kind), of one that is live. */
extern const process_kind process_live;
static inline bool process_is_live(const process *p) { return p->head.kind == &process_live; }
void live_forget(process *p, uint32_t request);
void live_each_instant(process *p, int64_t now_ms, int64_t window_ms, void (*fn)(void *context, int64_t at_ms),
                       void *context);
void live_each_request(process *p, void (*fn)(void *context, uint32_t request), void *context);
bool live_freeze(process *p, int64_t now_ms, buf *out, err *e);
bool live_view(process *p, size_t i, int64_t now_ms, view_read *read, void *context, arena *a, lock_view *out, err *e);
bool live_always(process *p, const always_asked *q, int64_t now_ms, arena *a, bool *ok, str *why, err *e);

/* state.c: the Lua state, its budgets, its errors. */
enum { STEPS_MAX = 10 * 1000 * 1000, HEAP_MAX = 256 * 1024 * 1024 };
process *state_new(source_cache *sources, const loader *l, arena *memory);
void state_free(process *p);
process *process_of(lua_State *L);
extern const char state_out_of_steps[];
/* Keeps the coroutine that failed last from being collected, so that its stack can still be read. */
void state_keep(lua_State *failed);
void state_refill(process *p);                     /* the budget of a new input */
/* Takes n steps from the budget; raises when it is used up. */
void state_charge(lua_State *L, uint64_t n);
/* Pushes a root, or makes the value at the top one and pops it: of the process that runs. */
void root_push(lua_State *L, int slot);
void root_set(lua_State *L, int slot);
/* Text of an error as people read it: chunk marks become path:line:col. Replaces the value at the top of L if it is a
 * string. */
void state_translate(process *p, lua_State *L);
/* Are `always` and the views what they were? false: `e` says which is not, and where it stands. */
bool judges_check(process *p, err *e);
/* The place of the innermost Lua function that runs (or waits) in L, from `level` on. */
position state_where(process *p, lua_State *L, int level);
/* Where this one call stands, none further out: nowhere if it is none of ours. */
position state_frame_place(process *p, lua_State *L, lua_Debug *ar);
/* Where client code calls, for what it sends or waits for: nowhere if the process is placeless. */
position state_call_place(process *p, lua_State *L);
/* Where a function was written: the value at the top of L. */
position state_function_place(process *p, lua_State *L);
/* Fills `e` from the error value at the top of L (popped). `trace`: whose stack shows how it came to that; may be
 * NULL. */
bool state_fail(process *p, lua_State *L, lua_State *trace, err *e);
/* Pushes the function that a source's main chunk is, compiled at the first use. */
bool state_load(process *p, lua_State *L, source *s, err *e);
/* pool.c: the process is about to run; its Lua state finds it. */
void pool_enter(process *p);
bool pool_load(process *p, lua_State *L, source *s, err *e);  /* state_load, by code that is compiled once a pool */
void pool_leave(process *p);                       /* it ends */
/* threads.c */
typedef struct task_threads task_threads;
task_threads *threads_new(void);
void threads_free(task_threads *all);
void threads_use_again(task_threads *all);         /* from now on */
void threads_forget(task_threads *all);    /* the Lua state is about to be as it was before the first was taken */
/* A coroutine for a task, which is kept under *number until it ends. */
lua_State *thread_take(process *p, int *number);
void thread_end(process *p, lua_State *co, int number);
void process_name(process *p, uint32_t incarnation);          /* "A", "A#1" */
/* Calls the function below its n arguments on L in protected mode with a coroutine of its own; it may not wait.
 * true: `results` values were pushed; false: an error value was pushed, and *trace (if not NULL) is whose stack tells
 * where it happened. */
bool state_call(process *p, lua_State *L, int args, int results, lua_State **trace);

/* live.c: runs the scenario's file and pushes on p->L what it returns. *main: its source, made at the first use. */
bool process_load_main(process *p, str path, str text, source **main, err *e);

/* library.c, globals.c, pattern.c: what client code finds as globals. */
void library_open(lua_State *L);
/* Ids are random in life, so that the order of their bytes is one that client code must not rely on: anyone who goes by
 * it says each text that it meets, and once ids of several clients are among them, somebody is told (ids.h). */
void library_note_ids(process *p, lua_State *L, int index, uint64_t *met);
void pattern_open(lua_State *L);                   /* find, match, gmatch, gsub into the table at the top */
/* A read-only stand-in for the table at the top of L: replaces it. */
void library_protect(lua_State *L);
void globals_open(lua_State *L);                   /* script, require, and the environment itself */
/* Raises an error with this place in front. */
int raise_at(lua_State *L, position where, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* coroutine.c */
void coroutine_open(lua_State *L);                 /* coroutine.*, pcall, xpcall into the table at the top */
typedef enum { RUN_DONE, RUN_ERROR, RUN_YIELD, RUN_WAIT } run_outcome;
/* Resumes the innermost of links[base...] with the `args` values on top of its stack. RUN_DONE: links[base] returned,
 * its results are on `*at`'s stack; RUN_ERROR: its error value is there. Both have removed the links from base on.
 * RUN_YIELD: a coroutine.yield that no link from base on takes, its values are on `*at`. RUN_WAIT: the task waits. */
run_outcome run_links(process *p, size_t base, int args, lua_State **at);
/* The same of one more, new link: a function and its `args` arguments, which lie on `co`. */
run_outcome run_nested(process *p, lua_State *co, link_kind kind, int args, lua_State **at);
void links_push(process *p, lua_State *L, link_kind kind);
/* Puts a Lua function that calls it below the function and its n <= TRAMPOLINE_MAX arguments on L. */
enum { TRAMPOLINE_MAX = 32 };
void add_trampoline(lua_State *L, int n);

/* The method that me:atomic is where a thread may be preempted or stalled. Nobody can write its name. */
#define ATOMIC_GUARDED "\1atomic"
/* me:atomic: L holds a Lua function and its arguments, and no more. */
int coroutine_atomic(lua_State *L);
/* preempt.c: what points.h puts before accesses, into the table at the top. */
void preempt_open(lua_State *L);

/* drift.c: its clock may go too fast or too slow (scenario_client.drift). */
int64_t drift_skew_ms(const process *p, int64_t now_ms);      /* its clock minus the server's, all in all */
/* until it gains or loses the next millisecond; INT64_MAX: it never does */
int64_t drift_steady_ms(const process *p, int64_t now_ms);    /* the same of its clock that never jumps */
int64_t drift_tick_ms(const process *p, int64_t now_ms);
/* how long a timer of so many ms by its clock takes; negative ones as they are */
int64_t drift_timer_ms(const process *p, int64_t ms);
bool drift_is_read(const process *p, str name);    /* does any of its files mention `now`, or `monotonic`? */

/* task.c */
/* The next id's. Lives until task_end. */
task *task_new(process *p, str name, uint32_t thread, bool main, bool daemon);
/* The new task's coroutine; function and arguments are to be pushed on it: there is room for LUA_MINSTACK values. */
lua_State *task_thread(process *p, task *t);
task *task_find(process *p, uint32_t id);          /* NULL: none, or done */
/* Resumes a task whose results (if any) are on the innermost coroutine's stack. */
bool task_resume(process *p, task *t, int args, err *e);
bool task_start(process *p, task *t, err *e);      /* a WAIT_START task */
void task_end(process *p, task *t);
void tasks_free(process *p);
void task_wake(task *t, result_kind result);       /* its wait is over: TASK_READY */
int task_push_result(const task *t, lua_State *L);
/* Asks to wait: returns what the C function has to return. */
int task_wait(lua_State *L, const wait_request *w, int values);
str task_who(process *p, uint32_t thread);
output *output_add(process *p, output_kind kind, uint32_t task);

/* request.c */
/* Builds a request from its parts (all strings are copied); it gets its id when it is sent. */
typedef struct {
    request_kind kind;
    uint32_t server;
    bool waited, resend, again;
    uint32_t sync;
    const script_file *script;
    str op, lock;
    int64_t lease_ms, timeout_ms, permits;
    position where;
} request_head;
request *request_new(process *p, const request_head *head, const str *argv, size_t argc);
void request_send(process *p, request *r, uint32_t task_id);
request *request_find(process *p, uint32_t id);
void request_drop(process *p, request *r);         /* never sent */
void request_free_all(process *p);

/* objects.c: semaphores, task handles, scripts */
void objects_open(lua_State *L);
object *object_new(lua_State *L, object_kind kind);            /* pushed */
object *object_check(lua_State *L, int index, object_kind kind);
object *object_at(lua_State *L, int index);        /* NULL: not one of ours */
void object_open_kind(lua_State *L, object_kind kind, const luaL_Reg *methods);
/* Hands out permits, first come first served. */
void semaphore_serve(process *p, object *s);
/* future.c */
void future_push_new(lua_State *L, const request *r, uint32_t servers);        /* sent just now, by a handle of these */
/* Pushes value and error of the fulfilled future at `index` (counted from below). */
void future_push_answer(lua_State *L, int index);
void future_fulfil(process *p, uint32_t request, int values);  /* value, error on p->scratch */
void futures_open(lua_State *L);
/* handle.c */
void push_me(lua_State *L, const task *t, uint32_t server);
/* The same of a thread whose task may be over, for several servers as in object.servers. */
void push_handle(lua_State *L, uint32_t task, uint32_t thread, uint32_t server, uint32_t servers);
/* The running task, for calls that wait or send: they act for it, so a handle of another thread is a mistake. */
object *me_check(lua_State *L);
void me_check_thread(lua_State *L, const object *me);
void me_open(lua_State *L);                        /* all methods of `me`, from the files that have them: */
void waits_open(lua_State *L);                     /* methods into the table at the top, as the next three do */
/* Sends it; the running task waits for its answer. `name`: of the call, for what is said if it cannot wait here. */
int request_wait(lua_State *L, request *r, const char *name);
void requests_open(lua_State *L);
void channels_open(lua_State *L);
void announce_open(lua_State *L);
void observed_free(observed *o);                    /* what it owns */

/* convert.c */
/* Pushes a reply as me:eval returns it: 1 value, or nil and an error table. */
int convert_push(lua_State *L, const reply *r);
int convert_push_error(lua_State *L, str kind, str message);
/* A word of a request from the value at `index`: a string is borrowed from Lua, a number lies in `a` as the driver
 * means it. false: what is wrong, in *why. */
bool convert_word(lua_State *L, int index, arena *a, str *out, const char **why);
/* An integer argument; raises otherwise. `what` names it. */
int64_t check_integer(lua_State *L, int index, const char *what, int64_t least);
int64_t opt_ms(lua_State *L, int index, const char *what);     /* a length >= 0, or -1 for none or nil */
str check_str(lua_State *L, int index);
/* lock_name.c - the lock of that name as reports and the model call it: `name`, with its servers unless those are all.
 * The same lock that the process has registered: where it knows only one of that name, that is meant at whatever
 * server. */
str lock_full_name(const process *p, const object *me, str name, arena *a);
/* of the handle's own servers, in any case */
str lock_exact_name(const process *p, const object *me, str name, arena *a);
/* the name of a lock or of what it protects: a string without a NUL, which would cut texts */
str check_lock(lua_State *L, int index);

#endif
