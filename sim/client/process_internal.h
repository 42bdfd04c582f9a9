/* process_internal.h - the inside of a live process, shared by the files of sim/client: its C side, and the roots of
 * its Lua objects. All state that can matter later is in `process`, in its tasks, or reachable from its roots
 * (root_push) and the tasks' stacks of coroutines.
 *
 * How a task waits. Stock Lua 5.1 cannot yield through pcall or coroutine.resume, because both run their function from
 * C. Here pcall(f) runs f in a coroutine of its own, nested on the C stack as long as no wait occurs. When an inner
 * function asks to wait, every level yields in turn, and `links` records what was on the C stack. From then on
 * run_links resumes the innermost coroutine and passes results and errors from link to link, so that the levels do not
 * notice the wait. */
#ifndef LOCKSIM_CLIENT_PROCESS_INTERNAL_H
#define LOCKSIM_CLIENT_PROCESS_INTERNAL_H

#include <lauxlib.h>
#include <lua.h>

#include "client/process_kind.h"
#include "scenario/source.h"
#include "script/lua_compare.h"

/* How the end of a coroutine is passed to the one below it. */
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
    WAIT_WORK,             /* me:work() without a length, or a range: it may end at any moment between its least and
                            * its greatest length */
    WAIT_CHOOSE,           /* the table of choices is on top of its stack, me:choose */
    WAIT_SEMAPHORE,        /* waits in the queue of `object`, in the order of wait_order */
    WAIT_FUTURE,           /* for `object`, which is on top of its stack */
    WAIT_JOIN,             /* for the end of task `target` */
    WAIT_EXIT,             /* cancelled itself */
    WAIT_POINT,            /* before an access to memory that other tasks reach (preempt.c) */
} wait_kind;

/* The result of a wait, for a task that is TASK_READY. */
typedef enum { RESULT_NOTHING, RESULT_TRUE, RESULT_FALSE, RESULT_INTERRUPTED, RESULT_FUTURE, RESULT_TIMEOUT,
               RESULT_VALUE } result_kind;

/* Lua userdata that client code holds. Each has the metatable of its kind. */
typedef enum { OBJECT_ME, OBJECT_TASK, OBJECT_SEMAPHORE, OBJECT_FUTURE, OBJECT_SCRIPT, OBJECT_KINDS } object_kind;

typedef struct {
    object_kind kind;
    uint32_t task;         /* me, task: which */
    uint32_t server;       /* me: me:on(n), 0-based; future: to which the request went */
    uint32_t servers;      /* me, future: a bit for each server of me:on(n, ...), whose locks are one; 0: the single
                            * `server` */
    uint32_t request;      /* future */
    bool done;             /* future: fulfilled */
    bool table;  /* future: its environment table holds the answer, or the functions that wait for it; false: */
    int plain;             /* LUA_TNIL, LUA_TBOOLEAN or LUA_TNUMBER; the answer, */
    lua_Number number;     /* if it is not nil */
    int64_t permits;       /* semaphore; me: the thread */
    const script_file *script;
} object;

/* The wait that the running task asks for: written before it yields, used when the yield has arrived. */
typedef struct {
    wait_kind kind;
    int64_t ms;            /* sleep, work: the length; waits: the longest, -1: without end; WAIT_WORK: the least, -1:
                            * it may end at any time */
    int64_t upto_ms;       /* WAIT_WORK: the greatest length */
    size_t choices;
    bool work;             /* a sleep or choice made by me:work */
    object *object;
    uint32_t target;
    const char *name;      /* of the step, for schedules */
    const char *call;      /* the function called, for messages */
    request *request;
    lua_State *thread;     /* the thread that waits, for its position */
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
    uint64_t wait_order;  /* when it began to wait, counted in waits of the process: its place in a semaphore's queue */
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
    buf channel;           /* its own copy; otherwise a process that subscribes again and again would keep them all */
} subscription;

typedef struct sent sent;  /* a request with its texts, in one block; images hold it, too: see request.c */

/* The roots of a process among Lua's values, each in the registry: see root_push. */
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
/* The registry by numbers: values protected from collection, metatables by kind, coroutines of tasks by number; by
 * source number + 1, main chunks loaded in advance (of a pool: functions that return them); then the roots, process by
 * process. */
enum { REGISTRY_SCRATCH = 1, REGISTRY_FAILED, REGISTRY_GRAPH, REGISTRY_THREADS, REGISTRY_MAKERS, REGISTRY_METATABLES,
       REGISTRY_ROOTS = REGISTRY_METATABLES + OBJECT_KINDS };

enum { HOOK_STEPS = 1000 };                        /* instructions between two checks of the budgets of client code */
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

    struct process_pool *pool;                     /* the pool whose Lua state it shares; NULL: it has its own */
    int roots;  /* the index of its first root in the registry: REGISTRY_ROOTS, unless it shares a Lua state */
    uint32_t chunks_ahead; /* files below this number are in REGISTRY_MAKERS: see state_load_ahead */
    bool lax;              /* garbage is collected late, as long as the Lua state is small: LAX_BYTES */
    bool thread_told;      /* client code has read the running coroutine, and may know it */
    bool placeless;        /* its positions are not needed: they cost more than a short wait itself; errors have
                            * positions all the same */
    bool points;           /* in this input its threads stop at preemption points */
    size_t heap_max;       /* of the Lua state */
    process_image *loaded;                         /* process_rewind: before its first task; NULL: none */
    size_t image_bytes;                            /* of the C sides in its images */
    size_t number;                                 /* of its client in the scenario */
    uint32_t incarnation;
    str client;                                    /* "A", "A#1" */
    uint32_t thread_count;
    str *whos;             /* by thread - 1, filled in at the first use; in `memory` */
    int64_t now_ms, skew_ms;                       /* skew_ms: drift apart, see drift_skew_ms */
    int64_t born_ms;
    bool clock_read;  /* its code reads the time: then the drift of its clock so far is part of its state; */
    bool steady_read;                              /* ... by its clock that never jumps */
    instant_spelling instants;                     /* which spellings its canonical bytes fold */
    bool watched;                                  /* time_use.h, judges.c */
    int hook_steps;                                /* since the last check, where every instruction is checked */
    bool time_used;                                /* it did more with an instant than add and compare; first there: */
    position time_use;
    lua_known *known;      /* functions of the standard libraries */

    const int64_t *hidden;                         /* hidden.h: the instants for which hidden numbers stand, */
    size_t hidden_count;
    bool looked;           /* and one of them was read */

    task **tasks;                                  /* live ones by id; then ended ones, to be reused */
    size_t task_count, tasks_made, task_cap;
    struct task_threads *threads;
    uint32_t next_task;                            /* id */
    task *running;
    link *links;                                   /* of the running task and all that is nested in it */
    size_t link_count, link_cap;
    size_t nesting;
    wait_request pending;
    bool yielded_value;                            /* the last yield was a coroutine.yield, not a wait */
    int guarded;                                   /* client code is running: budgets apply */
    uint64_t wait_orders;
    uint32_t request_count;
    sent **sent;                                   /* in progress, the newest last */
    size_t sent_count, sent_cap;
    bool fulfilled;                                /* a future got its answer: see process_each_request */
    struct lua_graph *graph;                           /* lua_graph.h; made at the first freeze */
    subscription *subscriptions;                   /* by handler */
    size_t subscription_count, subscription_cap;
    uint32_t handler_count;
    uint64_t unique_count;
    observed *observed;
    size_t observed_count, observed_cap, observed_next;   /* observed_next: of a pool, the one to be replaced next */
    uint64_t *judge_prints;                        /* of `always` and the views, at the first freezing */
    size_t judge_print_count, judge_print_cap;
    task_view *views;
    size_t view_cap;

    outputs *out;                                  /* of the running input */
    view_read *read;                               /* while a view runs */
    void *read_context;
    arena *read_arena;

    /* Budgets of one input. Once `fatal` is set, no pcall of client code can catch the error. */
    int64_t steps_left;
    int64_t largest_bytes;  /* the largest block it ever allocated: long strings cost more per instruction */
    const char *fatal;
    err_class class_;                              /* of errors in its Lua: ERR_SCENARIO while loading, ERR_DRIVER
                                                    * after */
    bool broken;                                   /* an uncaught error: nothing may run any more */
};

/* live.c: the functions of a live process for process_kind. */
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
enum { PAUSE_LAX = 400, PAUSE_STRICT = 200, LAX_BYTES = 4 * 1024 * 1024 };
enum { STEPS_MAX = 10 * 1000 * 1000, HEAP_MAX = 256 * 1024 * 1024 };
process *state_new(source_cache *sources, const loader *l, arena *memory);
void state_free(process *p);
process *process_of(lua_State *L);
extern const char state_out_of_steps[];
/* Protects the last failed coroutine from collection, so that its stack can still be read. */
void state_keep(lua_State *failed);
void state_refill(process *p);                     /* the budget of a new input */
/* Takes n steps from the budget; raises an error when it is used up. */
void state_charge(lua_State *L, uint64_t n);
/* Pushes a root, or sets it to the value at the top and pops that: of the running process. */
void root_push(lua_State *L, int slot);
void root_set(lua_State *L, int slot);
/* Makes an error text readable: chunk marks become path:line:col. Replaces the value at the top of L if it is a
 * string. */
void state_translate(process *p, lua_State *L);
/* Are `always` and the views unchanged? false: `e` says which is not, and where it is defined. */
bool judges_check(process *p, err *e);
/* The place of the innermost Lua function that runs (or waits) in L, from `level` on. */
position state_where(process *p, lua_State *L, int level);
/* The position of this one call: none if it is not in our code. */
position state_frame_place(process *p, lua_State *L, lua_Debug *ar);
/* The position of a call that sends or waits: none if the process is placeless. */
position state_call_place(process *p, lua_State *L);
/* Where the function at the top of L was defined. */
position state_function_place(process *p, lua_State *L);
/* Fills `e` from the error value at the top of L (popped). `trace`: the stack for the traceback; may be NULL. */
bool state_fail(process *p, lua_State *L, lua_State *trace, err *e);
/* Pushes a source's main chunk as a function, compiled at the first use. */
bool state_load(process *p, lua_State *L, source *s, err *e);
/* Loads all files that were compiled so far, without running them: state_load then has them at once. Are there newer
 * ones? */
void state_load_ahead(process *p);
bool state_ahead(const process *p);
/* pool.c: the process is about to run: its Lua state must find it. */
void pool_enter(process *p);
bool pool_load(process *p, lua_State *L, source *s, err *e);  /* state_load, by code that is compiled once a pool */
void pool_leave(process *p);                       /* the process ends */
/* threads.c */
typedef struct task_threads task_threads;
task_threads *threads_new(void);
void threads_free(task_threads *all);
void threads_use_again(task_threads *all);         /* its coroutines may be reused from now on */
/* The coroutines of an earlier moment: the Lua state is restored to it. */
task_threads *threads_copy(const task_threads *all);
void threads_restore(task_threads *all, const task_threads *from);
/* A coroutine for a task, which is kept under *number until it ends. */
lua_State *thread_take(process *p, int *number);
void thread_end(process *p, lua_State *co, int number);
void process_name(process *p, uint32_t incarnation);          /* "A", "A#1" */
/* Calls the function below its n arguments on L in protected mode with a coroutine of its own; it may not wait. true:
 * `results` values were pushed; false: an error value was pushed, and *trace (if not NULL) is the stack on which it
 * happened. */
bool state_call(process *p, lua_State *L, int args, int results, lua_State **trace);

/* live.c: runs the scenario's file and pushes on p->L what it returns. *main: its source, made at the first use. */
bool process_load_main(process *p, str path, str text, source **main, err *e);

/* library.c, globals.c, pattern.c: what client code finds as globals. */
void library_open(lua_State *L);
/* Ids are random in real clients, so client code must not rely on their byte order. Code that iterates in it calls this
 * for each text that it meets; once ids of several clients are among them, it is reported (ids.h). */
void library_note_ids(process *p, lua_State *L, int index, uint64_t *met);
void pattern_open(lua_State *L);                   /* find, match, gmatch, gsub into the table at the top */
/* Replaces the table at the top of L by a read-only proxy. */
void library_protect(lua_State *L);
void globals_open(lua_State *L);                   /* script, require, and the environment itself */
/* Raises an error with this position in front. */
int raise_at(lua_State *L, position where, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* coroutine.c */
void coroutine_open(lua_State *L);                 /* coroutine.*, pcall, xpcall into the table at the top */
typedef enum { RUN_DONE, RUN_ERROR, RUN_YIELD, RUN_WAIT } run_outcome;
/* Resumes the innermost of links[base...] with the `args` values on top of its stack. RUN_DONE: links[base] returned,
 * its results are on `*at`'s stack; RUN_ERROR: its error value is there. Both have removed the links from base on.
 * RUN_YIELD: a coroutine.yield that no link from base on takes, its values are on `*at`. RUN_WAIT: the task waits. */
run_outcome run_links(process *p, size_t base, int args, lua_State **at);
/* The same for one new link: a function and its `args` arguments, which are on `co`. */
run_outcome run_nested(process *p, lua_State *co, link_kind kind, int args, lua_State **at);
void links_push(process *p, lua_State *L, link_kind kind);
/* Inserts a Lua function that calls it below the function and its n <= TRAMPOLINE_MAX arguments on L. */
enum { TRAMPOLINE_MAX = 32 };
void add_trampoline(lua_State *L, int n);

/* The implementation of me:atomic where a thread can be preempted or stalled. Client code cannot write its name. */
#define ATOMIC_GUARDED "\1atomic"
/* me:atomic: L holds exactly a Lua function and its arguments. */
int coroutine_atomic(lua_State *L);
/* preempt.c: adds the calls that points.h puts before accesses to the table at the top. */
void preempt_open(lua_State *L);

/* drift.c: its clock may go too fast or too slow (scenario_client.drift). */
int64_t drift_skew_ms(const process *p, int64_t now_ms);      /* its clock minus the server's, in total */
/* until it gains or loses the next millisecond; INT64_MAX: it never does */
int64_t drift_steady_ms(const process *p, int64_t now_ms);    /* the same of its clock that never jumps */
int64_t drift_tick_ms(const process *p, int64_t now_ms);
/* how long a timer of that many ms by its clock takes; negative lengths are returned unchanged */
int64_t drift_timer_ms(const process *p, int64_t ms);
bool drift_is_read(const process *p, str name);    /* does any of its files mention `now`, or `monotonic`? */

/* task.c */
/* With the next id. Lives until task_end. */
task *task_new(process *p, str name, uint32_t thread, bool main, bool daemon);
/* The new task's coroutine; the caller pushes function and arguments, with room for LUA_MINSTACK values. */
lua_State *task_thread(process *p, task *t);
task *task_find(process *p, uint32_t id);          /* NULL: none, or done */
/* Resumes a task; its results (if any) are on the innermost coroutine's stack. */
bool task_resume(process *p, task *t, int args, err *e);
bool task_start(process *p, task *t, err *e);      /* a WAIT_START task */
void task_end(process *p, task *t);
void tasks_free(process *p);
void task_wake(task *t, result_kind result);       /* its wait is over: TASK_READY */
int task_push_result(const task *t, lua_State *L);
/* Asks to wait: the C function must return its result. */
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
sent *sent_hold(sent *s);                          /* one more holder */
void sent_release(sent *s);

/* objects.c: semaphores, task handles, scripts */
void objects_open(lua_State *L);
object *object_new(lua_State *L, object_kind kind);            /* pushed */
object *object_check(lua_State *L, int index, object_kind kind);
object *object_at(lua_State *L, int index);        /* NULL: not one of ours */
void object_open_kind(lua_State *L, object_kind kind, const luaL_Reg *methods);
/* Gives out permits in the order of waiting. */
void semaphore_serve(process *p, object *s);
/* future.c */
int future_push_sent(lua_State *L, request *r, uint32_t servers);  /* sends it, by a handle of these servers */
/* Pushes value and error of the fulfilled future at `index` (counted from below). */
void future_push_answer(lua_State *L, int index);
void future_fulfil(process *p, uint32_t request, int values);  /* value, error on p->scratch */
void futures_open(lua_State *L);
/* handle.c */
void push_me(lua_State *L, const task *t, uint32_t server);
/* The same for a thread whose task may have ended, for several servers as in object.servers. */
void push_handle(lua_State *L, uint32_t task, uint32_t thread, uint32_t server, uint32_t servers);
/* The running task, for calls that wait or send: they act for it, so a handle of another thread is an error. */
object *me_check(lua_State *L);
void me_check_thread(lua_State *L, const object *me);
void me_open(lua_State *L);                        /* all methods of `me`, from the files that have them: */
void waits_open(lua_State *L);                     /* methods into the table at the top, as the next three do */
/* Sends it; the running task waits for its answer. `name`: of the call, for the message if it cannot wait here. */
int request_wait(lua_State *L, request *r, const char *name);
void requests_open(lua_State *L);
void channels_open(lua_State *L);
void announce_open(lua_State *L);
void observed_free(observed *o);                    /* frees what it owns */

/* convert.c */
/* Pushes a reply as me:eval returns it: 1 value, or nil and an error table. */
int convert_push(lua_State *L, const reply *r);
int convert_push_error(lua_State *L, str kind, str message);
/* A word of a request from the value at `index`: a string is borrowed from Lua, a number is formatted in `a`. false:
 * *why says what is wrong. */
bool convert_word(lua_State *L, int index, arena *a, str *out, const char **why);
/* An integer argument; raises an error otherwise. `what` names it. */
int64_t check_integer(lua_State *L, int index, const char *what, int64_t least);
int64_t opt_ms(lua_State *L, int index, const char *what);     /* a length >= 0, or -1 for none or nil */
str check_str(lua_State *L, int index);
/* lock_name.c - the lock of that name as reports and the model call it: `name`, with its servers unless they are all.
 * If the process has registered exactly one lock of that name, that lock is meant, at any server. */
str lock_full_name(const process *p, const object *me, str name, arena *a);
/* always with the handle's own servers */
str lock_exact_name(const process *p, const object *me, str name, arena *a);
/* the name of a lock or of what it protects: a string without a NUL, which would cut texts */
str check_lock(lua_State *L, int index);

#endif
