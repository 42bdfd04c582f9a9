/* script_host.h - the insides of the script host: its state, its budgets, and what its files offer each other.
 * Only sim/script includes this file. */
#ifndef LOCKSIM_SCRIPT_SCRIPT_HOST_H
#define LOCKSIM_SCRIPT_SCRIPT_HOST_H

#include <lauxlib.h>
#include <lua.h>

#include "redis/command.h"
#include "redis/engine.h"
#include "redis/server.h"
#include "script/lua_compare.h"

/* Why a run was stopped by us; no Lua code can catch it. */
typedef enum { BLOWN_NOT, BLOWN_STEPS, BLOWN_BYTES } blown_kind;

enum {
    HOST_TABLES_MAX = 16,          /* protected tables: _G, the libraries, two metatables */
    HOST_BIG_BYTES = 16 << 10,     /* a block this large makes single instructions slow, see script_budget.c */
    HOST_HUGE_BYTES = 1 << 20,
    HOST_CHARGED_BYTES = 4 << 10,  /* blocks from this size on are charged to the step budget */
    HOST_PENDING_MAX = 32,
    HOST_HASH_BITS = 12,
    HOST_NAMES_MAX = 256,          /* command names remembered by the address of their Lua string; a power of two */
    HOST_FEW_STRINGS = 16,         /* the longest KEYS and ARGV that are kept */
    HOST_COROUTINE_STEPS = 100,    /* instructions between two hooks of a coroutine, and the price of one */
};

/* Places on the main thread's stack that live as long as the state. */
enum {
    SLOT_MARK = 1,                 /* a light userdata by which a thread's stack is recognised */
    SLOT_GLOBALS,                  /* the real table of globals behind the proxy */
    SLOT_HANDLER,                  /* the error handler */
    SLOT_FUNCTIONS,                /* compiled scripts by number */
    SLOT_KEYS, SLOT_ARGV,          /* the strings "KEYS" and "ARGV" */
    SLOT_FAST,                     /* globals of scripts that cannot harm them, see script_env.c */
    SLOT_KEPT,                     /* arrays for KEYS and ARGV of scripts that leave them as they are, see
                                    * script_run.c */
    SLOT_LAST = SLOT_KEPT,
};

enum {                             /* the contents of a shebang line */
    SCRIPT_SHEBANG = 1, SCRIPT_NO_WRITES = 2, SCRIPT_ALLOW_OOM = 4, SCRIPT_ALLOW_STALE = 8, SCRIPT_NO_CLUSTER = 16,
    SCRIPT_ALLOW_CROSS_SLOT = 32,
};

/* script_trace.c: counts instructions for a coverage. */
typedef struct script_trace script_trace;

typedef struct {
    char sha[41];
    str body;                      /* owned by the cache */
    size_t lua_at;                 /* where its Lua text begins: behind the first line if that names the engine */
    unsigned flags;
    int globals_slot;              /* where its KEYS and ARGV are set */
    bool keeps_arrays;             /* it provably leaves them as they are */
    size_t function;               /* its number in SLOT_FUNCTIONS; 0: not compiled in this state */
    bool traced;                   /* the trace knows where its code lies */
} script;

/* What a command's cost grows with: the value under its first key; or the offset to which a string is lengthened. */
typedef enum { GROWS_NOT, GROWS_WITH_VALUE, GROWS_TO_BYTE, GROWS_TO_BIT } growth_kind;

/* A command name as scripts wrote it, found by the address of its Lua string. */
typedef struct {
    const char *p;
    const command *cmd;
    growth_kind growth;
} script_name;

/* What FCALL calls. */
typedef struct {
    char *name, *description;      /* own; description may be NULL */
    unsigned flags;                /* as they were given */
    size_t place;                  /* in SLOT_FUNCTIONS */
} library_function;

/* What FUNCTION LOAD made known. Its code's `function` is the chunk that registers; 0: not run in this state. */
typedef struct {
    char *name;                    /* own */
    script code;
    library_function *functions;   /* sorted by name, whose letters' case does not count */
    size_t count, cap;
    uint64_t print;                /* of the state that its functions keep from the chunk: limits.pure_functions */
} library;

/* What one EVAL or FCALL is doing. */
typedef struct {
    const script *script;
    const library_function *function;  /* NULL: the script itself runs */
    redis_conn *conn;
    const str *keys;
    size_t keys_n;
    const str *argv;               /* the whole request */
    size_t argc;
    arena *out;
    int db;
    int resp;                      /* redis.setresp */
    script_may may;
    bool running;
    int slot;                      /* the cluster slot of the first key touched; -1: none yet */
    bool cross_slot;               /* said already */
    str refused;                   /* locksim's first refusal of a command, with its place; empty: none */
} script_run;

struct script_host {
    redis *server;
    redis_limits limits;
    lua_State *L;                  /* NULL until the first use, and after a run that spoiled it */
    lua_State *current;            /* the coroutine that runs: its hook counts */

    /* The heap. */
    void *pages;
    void *free_list[33];
    size_t heap_bytes, heap_max;   /* heap_max: refuse to grow beyond; SIZE_MAX outside runs */
    size_t heap_live;              /* after the last collection */
    bool in_library;               /* see host_library_begin */
    bool allocated_big;            /* this run made a block of HOST_CHARGED_BYTES or more */

    /* The budget of this run. */
    uint64_t steps_left;
    uint64_t steps_more;           /* of a run that may last long: what steps_left is filled from, a slice at a time */
    uint64_t weight;               /* steps that one instruction costs */
    size_t largest_table_bytes;    /* of this run, for `next` */
    struct { void *p; size_t bytes; bool fresh; } pending[HOST_PENDING_MAX];
    size_t pending_n;
    uint64_t small_n, strings_n;   /* of this run: small blocks made, strings among those that were looked at */
    const char *last_small;        /* the last small block, if it is still there */
    size_t last_small_bytes;
    uint32_t hashes[1 << HOST_HASH_BITS];  /* how often strings of this run had a hash */
    blown_kind blown;
    int blown_line;
    const void *next_table;        /* where the last `next` stopped, see base_next */
    uint64_t next_key;
    int interval;                  /* instructions between two hooks of the main thread at weight 1 */

    script_trace *trace;           /* NULL: nothing is covered */
    lua_known known;               /* functions of the standard libraries */

    script_host *functions;        /* own: that of libraries; NULL: this is it */

    /* Of the host of libraries only. */
    bool of_functions;
    library **libraries;           /* sorted by name */
    size_t libraries_n, libraries_cap;
    library *loading;              /* whose chunk runs: redis.register_function adds to it */
    const char *loading_late;      /* its error that is reported only if the chunk ends well (Valkey); NULL: none */

    /* The sandbox. */
    struct { const void *proxy, *real; } protected[HOST_TABLES_MAX];
    size_t protected_n;
    uint64_t random_state;         /* 48 bits */
    uint64_t ids;                  /* the last number that tostring gave to an object of this run */

    /* The cache: scripts by SHA-1, open addressing. */
    script **table;
    size_t table_cap, scripts_n, functions_n;
    script_name names[HOST_NAMES_MAX];
    size_t names_n;
    int array_kept[2];             /* which arrays of SLOT_KEPT are KEYS and ARGV in SLOT_FAST; 0: none of them */
    str kept[2][HOST_FEW_STRINGS + 1][HOST_FEW_STRINGS];   /* what those of KEYS and of ARGV hold, by their length:
                                                            * Lua's own texts */

    script_run run;
    str *argv;                     /* the arguments of the running redis.call */
    size_t argv_cap;
    int call_line;
    buf packed;                    /* of cmsgpack.pack and struct.pack */
    arena *scratch;                /* replies and formatted numbers of one redis.call */
};

/* script_host.c: the state. Owned by the server, which frees it. The Lua state is made at the first use. */
script_host *script_host_new(redis *server, redis_limits limits);
void script_host_free(script_host *h);             /* NULL is fine */
/* SCRIPT FLUSH: drops scripts and the Lua state; math.random continues. */
void script_host_flush(script_host *h);
/* The server restarted: also math.random starts again. */
void script_host_wipe(script_host *h);
/* The state of math.random. */
uint64_t script_host_random(const script_host *h);
void script_host_set_random(script_host *h, uint64_t state);
static inline script_host *host_of(lua_State *L)
{
    void *h;
    lua_getallocf(L, &h);
    return h;
}
/* Makes the state if there is none. */
void host_open(script_host *h);
void host_close(script_host *h);
/* The script of this name (any case), or NULL. */
script *host_find(script_host *h, str sha);
/* Remembers `body`; NULL, and *why in `out`, if it does not compile or its shebang line is wrong. */
script *host_add(script_host *h, str body, arena *out, str *why);
/* Pushes the compiled function; false and *why if it does not compile (it did once, so only when memory is short). */
bool host_push(script_host *h, script *s);
/* Leaves the function, or the compiler's message, on the stack; returns Lua's status. */
int host_compile(script_host *h, str text);
/* A copy with a NUL behind it, the caller's to free. */
char *host_text(str text);

/* functions.c, library_*.c: libraries, and the commands about them. */
/* FUNCTION LOAD; *name (unless NULL) gets the library's. Without `replace` there must be none of that name. */
bool function_load(redis *r, str body, bool replace, arena *out, str *name, str *why);
bool function_knows(const redis *r, str sha1);     /* is there a library of this text? */
reply function_fcall(const call *c);
reply function_fcall_ro(const call *c);
reply function_load_command(const call *c);
reply function_delete(const call *c);
reply function_flush(const call *c);
reply function_list(const call *c);
reply function_stats(const call *c);
reply function_dump(const call *c);
reply function_restore(const call *c);
bool function_writes_nothing(const call *c);       /* what this FCALL calls */
/* Pushes the callback, which must be of a library that has run in this state. */
void library_push(script_host *h, const library *l, const library_function *f);
void libraries_forget(script_host *h);             /* all of them */
void libraries_forget_code(script_host *h);        /* the Lua state is gone: each has to run again */
int library_register(lua_State *L);                /* redis.register_function */

/* script_shebang.c: the flags of a first line like "#!lua flags=no-writes"; *lua_at gets where the Lua text begins.
 * Without such a line there are no flags. False, and *why in Redis's words (in `out`), if the line is wrong. */
bool script_shebang(const script_host *h, str body, unsigned *flags, size_t *lua_at, arena *out, str *why);
/* False for a line with a quote that is not closed, which makes all of it invalid. `word` is scratch. */
bool words_close(str line, bool joined, buf *word);
/* The flag of this name, in the exact case or (a library's) in any; 0: there is none. */
unsigned script_flag(str name, bool any_case);
/* The i-th of all flags: its name; NULL past the last. */
const char *script_flag_name(size_t i, unsigned *flag);

/* script_text.c: luaL_loadbuffer for text as Redis's own Lua reads it. */
int script_compile(lua_State *L, str text, const char *name);

/* script_budget.c: heap, steps. */
void *host_alloc(void *host, void *p, size_t old_bytes, size_t new_bytes);
void host_heap_free(script_host *h);
void host_budget_start(script_host *h);
/* This run has no time limit, if the server's host wants to be told of it. */
void host_budget_lift(script_host *h);
void host_budget_end(script_host *h);
/* Stops the run. No Lua code can go on afterwards. */
int host_blow(lua_State *L, blown_kind kind);
/* A slice of the budget is used up: the next one, or the run is stopped. */
void host_spent(script_host *h, lua_State *L);
/* Takes `steps` off the budget; raises when it is used up. */
static inline void host_spend(script_host *h, lua_State *L, uint64_t steps)
{
    if (h->steps_left > steps)
        h->steps_left -= steps;
    else if (h->run.running)
        host_spent(h, L);
}
/* The same for callers without the host at hand. */
static inline void host_charge(lua_State *L, uint64_t steps)
{
    host_spend(host_of(L), L, steps);
}
/* The same for work of `bytes` bytes. */
static inline void host_charge_bytes(lua_State *L, size_t bytes)
{
    host_charge(L, bytes / 16);
}
/* To be called after every protected call, by its caller: raises the error again if the run was stopped. */
void host_check(lua_State *L, int status);
/* `n` values are about to lie on a stack: many of them make every instruction that copies them slow. */
void host_many(lua_State *L, size_t n);
void host_watch(lua_State *L, lua_State *thread);
/* What fires when a thread has executed its share of instructions. */
void host_hook(lua_State *L, lua_Debug *ar);
/* Around code that runs long without a hook (the compiler, cjson): once the steps are spent, its next allocation fails.
 * With `unlimited` the heap limit is lifted meanwhile, for code that loses memory of its own when an allocation fails.
 * _begin returns what _end needs. */
size_t host_library_begin(script_host *h, bool unlimited);
void host_library_end(script_host *h, size_t heap_max);
/* Collects if there is much to collect: to be called between runs. */
void host_tidy(script_host *h);
/* From here on the heap may grow by the run's budget. */
void host_heap_limit(script_host *h);

/* script_trace.c. While a trace is there, every instruction fires its hook, and it is the trace that counts the
 * instructions between two calls of host_hook: as many as without it. */
void script_trace_free(script_trace *t);                  /* NULL is fine */
/* Scripts that the server knows, at the moment that it learns them. */
void script_trace_learn(script_host *h, const script *s);
/* The Lua state is gone, and all code with it. */
void script_trace_forget(script_host *h);
/* A run of the script begins; its function is on top of the stack. */
void script_trace_start(script_host *h, script *s);
void script_trace_set_interval(script_host *h, lua_State *thread, int instructions);
int script_trace_interval(script_host *h, lua_State *thread);
/* A new thread counts as its maker does. */
void script_trace_inherit(script_host *h, lua_State *maker, lua_State *thread);

/* script_sandbox.c: globals and protected tables. */
void sandbox_open(lua_State *L);
/* The table on top of the stack is replaced by its read-only proxy. */
void sandbox_protect(lua_State *L);
/* The real table behind a proxy at `index` if it is one: pushes it and returns true. */
bool sandbox_push_real(lua_State *L, int index);
/* Raises "Attempt to modify a readonly table", as C code does: without a position. */
int sandbox_readonly(lua_State *L);
bool sandbox_is_protected(lua_State *L, int index);
/* Of the host of libraries: from now on globals are those of a chunk that is loaded, or those of functions again. */
void sandbox_loading(lua_State *L, bool yes);
/* Replaces field `name` of the table on top by `charged`, whose upvalue 1 is the old function. */
void lua_push_charged(lua_State *L, lua_CFunction charged, const char *name);
/* Ends a C function that called stock code by lua_pcall: returns everything on the stack, or raises the error with the
 * name and place that the stock function would have found had the script called it. */
int lua_raise_as_stock(lua_State *L, int status);

/* lua_*.c: the libraries. */
void lua_open_base(lua_State *L);          /* leaves the real globals on the stack, with the basic functions */
void lua_open_string(lua_State *L);        /* these leave one library table on the stack */
void lua_open_match(lua_State *L);         /* adds find match gmatch gfind gsub to the table on top */
void lua_open_table(lua_State *L);
void lua_open_math(lua_State *L);
void lua_open_coroutine(lua_State *L);
void lua_open_bit(lua_State *L);
void lua_open_cjson(lua_State *L);
void lua_open_cmsgpack(lua_State *L);
void lua_open_struct(lua_State *L);
void script_open_redis(lua_State *L);
/* The table that a library's chunk finds under `redis`, on the stack. */
void script_open_load(lua_State *L);
/* Raises { err = text }. */
int script_raise(lua_State *L, const char *text);
/* The error handler of a run: the error that the client will see, with its source and line. */
int script_handler(lua_State *L);

/* script_env.c: gives the compiled script on top of the stack the fastest globals that it provably cannot harm. */
void script_choose_env(lua_State *L, script *s);
/* Pushes the table for SLOT_FAST. */
void script_fast_globals(lua_State *L);

/* script_convert.c. */
/* Pushes a reply as the script sees it (redis.setresp decides how). */
void script_push_reply(lua_State *L, script_host *h, const reply *r);
/* The value on top of the stack as a reply; pops it. False if it took more than the budget. */
bool script_take_reply(lua_State *L, script_host *h, reply *out);
/* Instants and counts, which are most numbers, are whole: what %.17g would print for them, without it. False for
 * others. */
bool script_integral_text(arena *a, double n, str *text);
/* A number as an argument of redis.call, as this server writes it. */
str script_number_text(script_host *h, double n);
/* CR and LF blanked, cut at the first NUL. */
str script_line(arena *a, str text);

/* script_run.c */
/* For EVAL and EVALSHA, or for FCALL: then `library` and `function` are called. */
typedef struct {
    script *script;
    const library *library;
    const library_function *function;
    const call *c;                 /* keys and arguments follow argv[2] */
    size_t keys_n;
    bool read_only;
} evaluation;
reply script_evaluate(script_host *h, const evaluation *e);
/* numkeys at argv[2]: as many of the words behind it. False and *why in Redis's words if it does not fit;
 * `not_a_number` if it is none. */
bool script_numkeys(const call *c, reply not_a_number, size_t *keys_n, reply *why);
/* May it be begun at all? A write by a read-only command, or memory that is short. */
bool script_may_begin(const call *c, unsigned flags, bool read_only, reply *why);
void script_report(script_host *h, script_finding kind, int line, str text);
int script_line_of(lua_State *L);
void script_note_refusal(lua_State *L, script_host *h, str text);

/* Says so, once per run, if the key lies in another cluster slot than the first one. */
void script_check_slot(script_host *h, str key, int line);

#endif
