/* options.h - the arguments of every subcommand, from one table: parsing, --help, and what shell completion offers.
 * Strings in `options` point into argv; the lists live in the arena. */
#ifndef LOCKSIM_HOST_OPTIONS_H
#define LOCKSIM_HOST_OPTIONS_H

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "report/formats.h"            /* FORMAT_*: --format of `locksim run` */

/* The subcommands, in the order of --help: `locksim run` is COMMAND_RUN, its texts are a row of commands.c, and
 * run_main (cli/cli.h) does it. */
#define COMMANDS(C) \
    C(RUN, run) C(REPORT, report) C(SIMULATE, simulate) C(WATCH, watch) C(REPLAY, replay) C(COMPARE, compare) \
    C(INIT, init) C(SHELL, shell) C(SERVE, serve) C(DRIVE, drive) C(PLOT, plot) C(LIST, list) C(EXPLAIN, explain) \
    C(MUTATE, mutate) C(LINT, lint) C(TRACE, trace) C(WALK, walk)
#define COMMAND_ENUM(NAME, name) COMMAND_##NAME,
typedef enum { COMMANDS(COMMAND_ENUM) COMMAND_COUNT } command_kind;

typedef struct {
    const char *arguments;         /* as --help shows them: "FILE|DIR..." */
    const char *summary;           /* one line */
    const char *about;             /* for --help: a line is a paragraph, or an item if it begins with blanks */
    const char *example;           /* lines for --help */
    void (*more)(buf *out);        /* adds the text after the options; NULL: none */
    size_t arguments_min, arguments_max;
} command_info;
const char *command_name(command_kind c);
const command_info *command_describe(command_kind c);
bool command_parse(str name, command_kind *c, err *e);     /* unknown: the nearest name is in the hint */

enum { LINT_WARNING, LINT_ERROR };                 /* --min-severity of `locksim lint` */
enum { LIST_TEXT, LIST_JSON };     /* --format of `locksim list` */
enum { LINT_TEXT, LINT_JSON, LINT_SARIF, LINT_GITHUB };                 /* --format of `locksim lint` */
/* --format of `locksim simulate` and `locksim trace`, besides FORMAT_TEXT and FORMAT_JSON */
enum { SIMULATE_HTML = 2 };
enum { PLOT_SVG, PLOT_PNG };       /* --format of `locksim plot` */
enum { COLOR_AUTO, COLOR_ALWAYS, COLOR_NEVER };
enum { CLOCK_REAL, CLOCK_MANUAL };
enum { COMPARE_YES, COMPARE_NO };                  /* --keys, --verdicts; CHOICE_UNSAID is yes */
enum { MUTATE_SCRIPTS, MUTATE_DRIVERS };           /* --kind */
enum { CHOICE_UNSAID = -1 };

/* One row of the table of options. */
typedef struct {
    const char *name;
    char letter;                   /* 0: none */
    unsigned commands;             /* bit c: command c knows it */
    const char *argument;          /* as --help shows it; NULL: it takes none */
    bool choices;                  /* the argument is one of several words, joined by | */
} option_facts;
/* Row i of the table; false: there are fewer. An option with two meanings has two rows. */
bool option_describe(size_t i, option_facts *out);

/* Numbers that were not given are 0 with has_... false; words are CHOICE_UNSAID. */
typedef struct {
    command_kind command;
    const char *program;           /* argv[0]: "locksim", "build/locksim" */
    bool help, verbose, timing, no_fold, no_memo, no_symmetry, reduction, exhaustive, pinned, meetings, profile, mpi,
        carry_on, table, expected, write_expect, quiet, fail_fast, show;
    bool has_seed, has_seeds, has_runs, has_max_steps, has_time_limit, has_jobs, has_max_states, has_max_memory,
        has_every_ms;
    uint64_t seed, seeds, runs, max_steps, time_limit_s, jobs, max_states, max_memory, every_ms;
    int strategy;                  /* 0 uniform, 1 pct: strategy_kind */
    int format, color;
    const char **ignored;          /* --ignore, in order: each a list of codes or names, divided by commas */
    size_t ignored_count;
    int least_severity;            /* LINT_WARNING unless said */
    bool has_lint_keys, has_lint_args;
    uint64_t lint_keys, lint_args; /* how many KEYS and ARGV the caller of linted scripts passes */
    bool stdio, has_port, has_start, exit_with_parent;
    uint64_t port, start_ms;
    int clock;                     /* CLOCK_REAL unless said */
    const char *unix_path, *bind;  /* NULL: not given */
    const char *schedule;          /* NULL: not given */
    const char *faults;            /* as fault_budgets_parse takes it; NULL: not given */
    bool cluster;                  /* shell: the server is a node of a cluster */
    const char *dialect;           /* as dialect_parse takes it; NULL: not given */
    const char *out_dir;           /* NULL: .locksim/out */
    const char *workload;          /* only the one of that name; NULL: all */
    const char *only;              /* names of pictures, divided by commas; NULL: all */
    const char *coverage;          /* a folder; NULL: not wanted */
    const char *checkpoint, *resume, *spill;       /* folders; NULL: not given */
    uint64_t checkpoint_every_s;
    bool has_checkpoint_every;
    const char *baseline;          /* a saved run; NULL: none */
    bool measure;
    /* compare; NULL: not given */
    const char *ignore_keys, *adapter, *as;
    int keys, verdicts;
    uint64_t ttl_within_ms;
    bool has_ttl_within;
    bool watching;                 /* no option: the first failure is enough, and calls of scripts are recorded */
    bool once;                     /* watch: leave after the first pass */
    const char **scripts;          /* --scripts, in order */
    size_t script_count;
    const char **scenarios;        /* --scenarios, in order */
    size_t scenario_count;
    const char *to;                /* of `replay`: HOST:PORT; NULL: not given */
    bool fast, among_data;
    const char *log;               /* of `serve`; NULL: not given */
    const char **locks;            /* --lock, in order */
    size_t lock_count;
    uint64_t orphan_leases, storm_per_s;           /* of `trace`; 0: not given */
    bool has_orphan_leases, has_storm;
    const char *to_scenario, *lines, *conform;              /* NULL: not given */
    uint64_t lines_from, lines_to; /* what `lines` says; 0: it is not given */
    bool same, strict, fresh, clock_reads;         /* drive */
    const char *clocks, *ports;    /* of `drive`; NULL: not given */
    const char *against;           /* of `drive`: a scenario; NULL: not given */
    uint64_t latency_ms;           /* of `drive` */
    bool has_latency;
    const char *shard, *in_diff;                   /* of `run` and `mutate`; NULL: not given */
    const char *render;                            /* of `init` */
    const char *explained;                         /* of `mutate` */
    int kind;                      /* MUTATE_SCRIPTS, MUTATE_DRIVERS; CHOICE_UNSAID: both */
    bool has_sample;
    uint64_t sample;
    const char *left;              /* an index.tsv; NULL: not given */
    bool list_only;                /* of `mutate`: judge none */
    const char **arguments;
    size_t argument_count;
} options;

/* argv without the program's and the subcommand's name. With --help nothing else is checked. */
bool options_parse(arena *a, command_kind c, int argc, char **argv, options *out, err *e);
/* A part of a command line, as in config.h: required arguments may be missing. */
bool options_parse_some(arena *a, command_kind c, int argc, char **argv, options *out, err *e);
bool options_ask_help(int argc, char **argv);     /* is --help or -h among the options? */
/* Do searches take a start that no scenario pins for open? */
static inline bool options_open_starts(const options *o)
{
    return !o->pinned;
}

/* Overrides of a scenario's settings: --faults and --dialect. Empty: the scenario's own. */
typedef struct {
    str faults, dialect;
} overrides;
static inline overrides options_overrides(const options *o)
{
    return (overrides){ o->faults ? str_from(o->faults) : S(""), o->dialect ? str_from(o->dialect) : S("") };
}
/* The seed and all other options except files, as on the command line, a blank before each; empty if there are none. */
void options_tell(const options *o, buf *out);
/* The text of `locksim COMMAND --help`. */
void options_help(command_kind c, buf *out);

#endif
