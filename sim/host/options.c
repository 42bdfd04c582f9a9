/* options.c - one table of options, and the parser, the help and the checks that follow from it. */
#include "host/options.h"

#include <stddef.h>
#include <string.h>

#include "base/size.h"
#include "redis/dialect.h"
#include "report/lint.h"
#include "scenario/scenario.h"
#include "simulate/metric.h"

typedef enum { OPTION_FLAG, OPTION_TEXT, OPTION_NUMBER, OPTION_SIZE, OPTION_WORD, OPTION_LIST } option_kind;

#define FOR(command) (1u << (COMMAND_##command))
#define FOR_ALL ((1u << COMMAND_COUNT) - 1)

typedef struct {
    const char *name;
    char letter;                   /* 0: none */
    option_kind kind;
    unsigned commands;             /* which subcommands know it */
    const char *argument;          /* for --help; of a word: its choices, joined by | */
    const char *help;
    size_t value, given;           /* offsets in options; given: of the bool that says it was there, or 0; of a list's
                                    * number of values */
    uint64_t least, most;          /* of a number */
} option_row;

#define AT(field) offsetof(options, field)

static const option_row rows[] = {
    { "scripts", 0, OPTION_LIST, FOR(RUN) | FOR(REPORT) | FOR(WATCH) | FOR(SIMULATE) | FOR(REPLAY) | FOR(SHELL) |
      FOR(LIST) | FOR(MUTATE) | FOR(WALK), "DIR",
      "look here for scripts and drivers before the shipped ones; may be given several times", AT(scripts),
      AT(script_count), 0, 0 },
    { "seed", 0, OPTION_NUMBER, FOR(RUN) | FOR(REPORT) | FOR(WATCH), "N", "seed of every random choice (default 1)",
      AT(seed), AT(has_seed), 0, INT64_MAX },
    { "seeds", 0, OPTION_NUMBER, FOR(SIMULATE) | FOR(REPORT), "N", "runs of each workload, each with a seed of its own "
      "(default: what the workload says, or 10)",
      AT(seeds), AT(has_seeds), 1, 10000 },
    { "seed", 0, OPTION_NUMBER, FOR(SIMULATE), "N", "seed of the first run; the others take the next ones (default 1)",
      AT(seed), AT(has_seed), 0, UINT64_C(1) << 53 },
    { "workload", 0, OPTION_TEXT, FOR(SIMULATE) | FOR(REPORT), "NAME", "only the workload of that name", AT(workload),
      0, 0, 0 },
    { "strategy", 0, OPTION_WORD, FOR(RUN) | FOR(REPORT) | FOR(WATCH), "uniform|pct",
      "sample at random, choosing the next step so",
      AT(strategy), 0, 0, 0 },
    { "runs", 0, OPTION_NUMBER, FOR(RUN) | FOR(REPORT) | FOR(WATCH), "N", "sample N random runs of each scenario, "
      "whatever the file says",
      AT(runs), AT(has_runs), 1, UINT64_C(1000000000000) },
    { "schedule", 0, OPTION_TEXT, FOR(RUN) | FOR(REPORT), "TEXT", "follow this schedule instead of searching: 'A A "
      "!pause A +30001 B'",
      AT(schedule), 0, 0, 0 },
    { "schedule", 0, OPTION_TEXT, FOR(WALK), "TEXT", "begin behind these steps: 'A A !pause A +30001 B'", AT(schedule),
      0, 0, 0 },
    { "faults", 0, OPTION_TEXT, FOR(RUN) | FOR(REPORT) | FOR(WATCH) | FOR(WALK), "LIST",
      "these faults instead of the file's: crash=1,pause=2; or none",
      AT(faults), 0, 0, 0 },
    { "dialect", 0, OPTION_TEXT, FOR(RUN) | FOR(REPORT) | FOR(WATCH) | FOR(MUTATE) | FOR(SIMULATE) | FOR(SHELL) |
      FOR(SERVE) | FOR(WALK), "NAME",
      "the server that is simulated: \"redis 7.0\" (default), \"valkey 9.1\", ...; instead of the file's", AT(dialect),
      0, 0, 0 },
    { "cluster", 0, OPTION_FLAG, FOR(SHELL), NULL, "the server is a node of a cluster: keys of two slots are refused",
      AT(cluster), 0, 0, 0 },
    { "exhaustive", 0, OPTION_FLAG, FOR(RUN) | FOR(REPORT) | FOR(WATCH), NULL, "visit every state, whatever the file "
      "says", AT(exhaustive), 0, 0, 0 },
    { "symmetry", 0, OPTION_FLAG, FOR(RUN) | FOR(REPORT), NULL, "equal clients count once: a state and its "
      "permutations are one",
      AT(symmetry), 0, 0, 0 },
    { "no-memo", 0, OPTION_FLAG, FOR(RUN) | FOR(REPORT), NULL, "the same without tables: every step is run again from "
      "the start (slow)",
      AT(no_memo), 0, 0, 0 },
    { "no-fold", 0, OPTION_FLAG, FOR(RUN) | FOR(REPORT), NULL, "re-run every schedule of a small world from the start, "
      "merging nothing",
      AT(no_fold), 0, 0, 0 },
    { "every-ms", 0, OPTION_NUMBER, FOR(RUN) | FOR(REPORT), "N",
      "stop at every millisecond until N have passed, not only where something can differ: checks the stops (slow)",
      AT(every_ms), AT(has_every_ms), 1, 1000000 },
    { "pinned", 0, OPTION_FLAG, FOR(RUN) | FOR(REPORT) | FOR(WATCH) | FOR(COMPARE) | FOR(MUTATE) | FOR(WALK), NULL,
      "every client starts at 0 ms unless its scenario says otherwise (without it such a start is open: at any moment)",
      AT(pinned), 0, 0, 0 },
    { "max-steps", 0, OPTION_NUMBER, FOR(RUN) | FOR(REPORT) | FOR(WATCH) | FOR(REPLAY), "N",
      "longest run, in steps, whatever the file says",
      AT(max_steps), AT(has_max_steps), 1, UINT64_C(1000000000) },
    { "max-states", 0, OPTION_NUMBER, FOR(RUN) | FOR(REPORT) | FOR(WATCH), "N",
      "stop an exhaustive search before it has more states: INCONCLUSIVE",
      AT(max_states), AT(has_max_states), 1, UINT64_C(4000000000) },
    { "max-memory", 0, OPTION_SIZE, FOR(RUN) | FOR(REPORT) | FOR(WATCH), "SIZE",
      "the same for memory: 512M, 4G (default 4G, or 3/4 of the machine's if that is less, for all jobs together)",
      AT(max_memory), AT(has_max_memory), 0, 0 },
    { "time-limit", 0, OPTION_NUMBER, FOR(RUN) | FOR(REPORT) | FOR(WATCH), "S",
      "stop searching a scenario after S seconds: INCONCLUSIVE",
      AT(time_limit_s), AT(has_time_limit), 1, 100000000 },
    { "jobs", 'j', OPTION_NUMBER, FOR(RUN) | FOR(REPORT) | FOR(WATCH), "N", "scenarios searched side by side (default: "
      "as many as there are cores)",
      AT(jobs), AT(has_jobs), 1, 64 },
    { "jobs", 'j', OPTION_NUMBER, FOR(SIMULATE), "N", "runs side by side (default: as many as there are cores)",
      AT(jobs), AT(has_jobs), 1, 64 },
    { "time-limit", 0, OPTION_NUMBER, FOR(SIMULATE), "S", "stop simulating a workload after S seconds: PARTIAL",
      AT(time_limit_s), AT(has_time_limit), 1, 100000000 },
    { "format", 0, OPTION_WORD, FOR(SIMULATE), "text|json", "how the result is written to stdout (default text)",
      AT(format), 0, 0, 0 },
    { "out", 'o', OPTION_TEXT, FOR(SIMULATE), "DIR", "where the data are written, a folder for each workload (default "
      "reports/out)",
      AT(out_dir), 0, 0, 0 },
    { "format", 0, OPTION_WORD, FOR(RUN), REPORT_FORMAT_WORDS,
      "how the result is written to stdout (default text)",
      AT(format), 0, 0, 0 },
    { "format", 0, OPTION_WORD, FOR(COMPARE), "text|json", "how the result is written to stdout (default text)",
      AT(format), 0, 0, 0 },
    { "scripts", 0, OPTION_LIST, FOR(COMPARE), "DIR", "look here, too, for what is in neither version; may be given "
      "several times",
      AT(scripts), AT(script_count), 0, 0 },
    { "dialect", 0, OPTION_TEXT, FOR(COMPARE), "A,B",
      "compare two servers instead of two versions: \"redis 7.0,valkey 9.1\"; all arguments are scenarios then",
      AT(dialect), 0, 0, 0 },
    { "faults", 0, OPTION_TEXT, FOR(COMPARE), "LIST", "these faults instead of the file's: crash=1,pause=2; or none",
      AT(faults), 0, 0, 0 },
    { "max-states", 0, OPTION_NUMBER, FOR(COMPARE), "N", "stop the search of a scenario before it has more states: "
      "UNDECIDED (default 100000 of each that is not named)",
      AT(max_states), AT(has_max_states), 1, UINT64_C(4000000000) },
    { "max-memory", 0, OPTION_SIZE, FOR(COMPARE), "SIZE", "the same for memory: 512M, 4G (default as for run)",
      AT(max_memory), AT(has_max_memory), 0, 0 },
    { "time-limit", 0, OPTION_NUMBER, FOR(COMPARE), "S", "stop the search of a scenario after S seconds: UNDECIDED",
      AT(time_limit_s), AT(has_time_limit), 1, 100000000 },
    { "jobs", 'j', OPTION_NUMBER, FOR(COMPARE), "N", "scenarios searched side by side (default: as many as there are "
      "cores)",
      AT(jobs), AT(has_jobs), 1, 64 },
    { "no-memo", 0, OPTION_FLAG, FOR(COMPARE), NULL, "without tables: every step is run again from the start (slow)",
      AT(no_memo), 0, 0, 0 },
    { "verbose", 'v', OPTION_FLAG, FOR(COMPARE), NULL, "tell the whole story, and what each scenario's result means",
      AT(verbose), 0, 0, 0 },
    { "color", 0, OPTION_WORD, FOR(COMPARE), "auto|always|never",
      "colour in text output (auto: on a terminal, unless NO_COLOR is set)", AT(color), 0, 0, 0 },
    { "schedule", 0, OPTION_TEXT, FOR(COMPARE), "TEXT", "follow this schedule of the one scenario instead of "
      "searching: tells a story again",
      AT(schedule), 0, 0, 0 },
    { "keys", 0, OPTION_WORD, FOR(COMPARE), "yes|no", "are keyspaces compared, or only what clients are told? (default "
      "yes)", AT(keys), 0, 0, 0 },
    { "ignore-keys", 0, OPTION_TEXT, FOR(COMPARE), "PATTERNS", "keys that do not count, as KEYS takes patterns, commas "
      "between: \"stats:*,tmp\"",
      AT(ignore_keys), 0, 0, 0 },
    { "ttl-within", 0, OPTION_NUMBER, FOR(COMPARE), "MS", "TTLs that differ by no more count as the same",
      AT(ttl_within_ms), AT(has_ttl_within), 0,
      UINT64_C(1000000000000) },
    { "adapter", 0, OPTION_TEXT, FOR(COMPARE), "FILE", "a Lua function that says what an answer means: equal meanings "
      "are the same", AT(adapter), 0, 0, 0 },
    { "as", 0, OPTION_TEXT, FOR(COMPARE), "NAME", "the name by which drivers load the script that two single files "
      "stand for", AT(as), 0, 0, 0 },
    { "verdicts", 0, OPTION_WORD, FOR(COMPARE), "yes|no",
      "is each judged by itself, too, where they differ, and measured: what is lost or won, what it costs? (default "
      "yes)", AT(verdicts), 0, 0, 0 },
    { "format", 0, OPTION_WORD, FOR(REPLAY), "text|json|junit", "how the result is written to stdout (default text)",
      AT(format), 0, 0, 0 },
    { "format", 0, OPTION_WORD, FOR(PLOT), "svg|png", "what kind of picture (default svg)", AT(format), 0, 0, 0 },
    { "only", 0, OPTION_TEXT, FOR(PLOT), "NAME", "draw this picture only; several are divided by commas", AT(only), 0,
      0, 0 },
    { "out", 'o', OPTION_TEXT, FOR(PLOT), "DIR", "where the pictures are written (default reports/out/plots)",
      AT(out_dir), 0, 0, 0 },
    { "table", 0, OPTION_FLAG, FOR(RUN), NULL, "one line per exhibit: its bug, what breaks, the shortest story, its "
      "twin's verdict",
      AT(table), 0, 0, 0 },
    { "expected", 0, OPTION_FLAG, FOR(RUN), NULL, "with --format markdown: the table as the scenarios' `expect` has "
      "it, nothing is searched",
      AT(expected), 0, 0, 0 },
    { "write-expect", 0, OPTION_FLAG, FOR(RUN), NULL,
      "write NAME.stories beside NAME.lua: by which smallest faults each expected violation breaks; later runs compare",
      AT(write_expect), 0, 0, 0 },
    { "quiet", 'q', OPTION_FLAG, FOR(RUN), NULL, "as text: only what did not pass, and the last line", AT(quiet), 0,
      0, 0 },
    { "show", 0, OPTION_FLAG, FOR(LIST), NULL, "of scenarios: the files that they patch, as they are then", AT(show), 0,
      0, 0 },
    { "fail-fast", 0, OPTION_FLAG, FOR(RUN), NULL, "stop after the first scenario that does not pass", AT(fail_fast), 0,
      0, 0 },
    { "coverage", 0, OPTION_TEXT, FOR(RUN), "DIR", "write there what was reached of each script: lcov.info, and each "
      "source with counts",
      AT(coverage), 0, 0, 0 },
    { "measure", 0, OPTION_FLAG, FOR(RUN), NULL, "simulate each scenario, too (10 seeds): wait times and Redis "
      "commands per acquisition", AT(measure), 0, 0, 0 },
    { "baseline", 0, OPTION_TEXT, FOR(RUN), "FILE", "say what has moved since the run that was saved there with "
      "--format json",
      AT(baseline), 0, 0, 0 },
    { "out", 'o', OPTION_TEXT, FOR(REPORT), "DIR", "where report.html and the counterexamples go (default reports/out)",
      AT(out_dir), 0, 0, 0 },
    { "out", 'o', OPTION_TEXT, FOR(RUN) | FOR(WATCH), "DIR", "where counterexamples are saved (default reports/out)",
      AT(out_dir), 0, 0, 0 },
    { "render", 0, OPTION_TEXT, FOR(INIT), "CMD", "the scripts are templates: take what CMD FILE prints, by the shell",
      AT(render), 0, 0, 0 },
    { "out", 'o', OPTION_TEXT, FOR(INIT), "FILE", "the scenario to write (default lock_scenario.lua beside ACQUIRE); "
      "never over another file",
      AT(out_dir), 0, 0, 0 },
    { "carry-on", 0, OPTION_FLAG, FOR(REPLAY), NULL, "where the schedule no longer fits, go on with the next step that "
      "does",
      AT(carry_on), 0, 0, 0 },
    { "verbose", 'v', OPTION_FLAG, FOR(RUN) | FOR(WATCH) | FOR(REPLAY), NULL, "say what each pass means, and tell the "
      "expected stories",
      AT(verbose), 0, 0, 0 },
    { "meetings", 0, OPTION_FLAG, FOR(RUN), NULL, "list which operation of one client fell where another stood in its "
      "code, and which never did",
      AT(meetings), 0, 0, 0 },
    { "timing", 0, OPTION_FLAG, FOR(RUN) | FOR(WATCH), NULL, "put wall times into the result (it is then no longer the "
      "same each time)",
      AT(timing), 0, 0, 0 },
    { "once", 0, OPTION_FLAG, FOR(WATCH), NULL, "leave after the first pass, with its status", AT(once), 0, 0, 0 },
    { "port", 0, OPTION_NUMBER, FOR(SERVE), "N", "listen on this TCP port; 0 takes any that is free (default 6390)",
      AT(port), AT(has_port), 0, 65535 },
    { "unix", 0, OPTION_TEXT, FOR(SERVE), "PATH", "listen on a socket file, instead of a port or beside --port",
      AT(unix_path), 0, 0, 0 },
    { "stdio", 0, OPTION_FLAG, FOR(SERVE), NULL, "serve one client: standard input and output", AT(stdio), 0, 0, 0 },
    { "bind", 0, OPTION_TEXT, FOR(SERVE), "ADDR", "listen on this address instead of 127.0.0.1: any program that "
      "reaches it may do anything",
      AT(bind), 0, 0, 0 },
    { "clock", 0, OPTION_WORD, FOR(SERVE), "real|manual", "the machine's clock, or one that moves only when a client "
      "says so (default real)",
      AT(clock), 0, 0, 0 },
    { "start", 0, OPTION_NUMBER, FOR(SERVE), "MS", "where a manual clock begins, in ms since 1970 (default "
      "1700000000000)",
      AT(start_ms), AT(has_start), 0, UINT64_C(1) << 53 },
    { "color", 0, OPTION_WORD, FOR(RUN) | FOR(WATCH) | FOR(SIMULATE) | FOR(REPLAY), "auto|always|never",
      "colour in text output (auto: on a terminal, unless NO_COLOR is set)", AT(color), 0, 0, 0 },
    { "scenarios", 0, OPTION_LIST, FOR(MUTATE), "FILE|DIR",
      "these scenarios judge, instead of the shipped ones and those in the script's folder; may be given several times",
      AT(scenarios), AT(scenario_count), 0, 0 },
    { "shard", 0, OPTION_TEXT, FOR(RUN), "K/N", "run the K-th of N parts of the scenarios only: three machines take "
      "1/3, 2/3 and 3/3", AT(shard), 0, 0, 0 },
    { "in-diff", 0, OPTION_TEXT, FOR(RUN), "REV", "run only scenarios that load, or would find, a file that differs "
      "from this git revision",
      AT(in_diff), 0, 0, 0 },
    { "shard", 0, OPTION_TEXT, FOR(MUTATE), "K/N", "judge the K-th of N parts of the mutants only", AT(shard), 0,
      0, 0 },
    { "sample", 0, OPTION_NUMBER, FOR(MUTATE), "N", "N of the mutants, always the same ones as long as what they "
      "change stays",
      AT(sample), AT(has_sample), 1, 1000000 },
    { "left", 0, OPTION_TEXT, FOR(MUTATE), "INDEX", "only mutants that this index.tsv of an earlier run has as "
      "survived or undecided", AT(left), 0, 0, 0 },
    { "list", 0, OPTION_FLAG, FOR(MUTATE), NULL, "judge none: say which mutants there are; with -o their diffs are "
      "kept", AT(list_only), 0, 0, 0 },
    { "kind", 0, OPTION_WORD, FOR(MUTATE), "scripts|drivers", "of a DIR only the scripts, or only the client code "
      "(without it both)", AT(kind), 0, 0, 0 },
    { "in-diff", 0, OPTION_TEXT, FOR(MUTATE), "REV", "only mutants in lines that differ from this git revision",
      AT(in_diff), 0, 0, 0 },
    { "explained", 0, OPTION_TEXT, FOR(MUTATE), "FILE",
      "survivors that are accepted: lines of script, operator, from, to, which, reason, parted by tabs", AT(explained),
      0, 0, 0 },
    { "max-states", 0, OPTION_NUMBER, FOR(MUTATE), "N", "leave out scenarios with more states (default 3000)",
      AT(max_states), AT(has_max_states), 1, UINT64_C(4000000000) },
    { "time-limit", 0, OPTION_NUMBER, FOR(MUTATE), "S", "give up a mutant in a scenario after S seconds: undecided, if "
      "nothing else kills it",
      AT(time_limit_s), AT(has_time_limit), 1, 100000000 },
    { "jobs", 'j', OPTION_NUMBER, FOR(MUTATE), "N", "mutants judged side by side (default: as many as there are cores)",
      AT(jobs), AT(has_jobs), 1, 64 },
    { "format", 0, OPTION_WORD, FOR(MUTATE), "text|json", "how the result is written to stdout (default text)",
      AT(format), 0, 0, 0 },
    { "out", 'o', OPTION_TEXT, FOR(MUTATE), "DIR", "keep index.tsv, diffs and logs here, and go on from there the next "
      "time",
      AT(out_dir), 0, 0, 0 },
    { "verbose", 'v', OPTION_FLAG, FOR(MUTATE), NULL, "list every mutant, and what killed it", AT(verbose), 0, 0, 0 },
    { "ignore", 0, OPTION_LIST, FOR(LINT), "CODES", "leave out these findings: LS021,LC003, or their names; may be "
      "given several times",
      AT(ignored), AT(ignored_count), 0, 0 },
    { "min-severity", 0, OPTION_WORD, FOR(LINT), "warning|error", "leave out what is less (default warning): the exit "
      "status goes by the rest",
      AT(least_severity), 0, 0, 0 },
    { "format", 0, OPTION_WORD, FOR(LIST), "text|json", "how the list is written to stdout (default text)", AT(format),
      0, 0, 0 },
    { "keys", 0, OPTION_NUMBER, FOR(LINT), "N", "how many KEYS the caller passes: what lies beyond is found, and what "
      "is not used",
      AT(lint_keys), AT(has_lint_keys), 0, 10000 },
    { "argv", 0, OPTION_NUMBER, FOR(LINT), "N", "the same for ARGV", AT(lint_args), AT(has_lint_args), 0, 10000 },
    { "format", 0, OPTION_WORD, FOR(LINT), "text|json|sarif|github", "how the result is written to stdout (default "
      "text)",
      AT(format), 0, 0, 0 },
    { "color", 0, OPTION_WORD, FOR(LINT), "auto|always|never", "colour in text output (auto: on a terminal, unless "
      "NO_COLOR is set)",
      AT(color), 0, 0, 0 },
    { "log", 0, OPTION_TEXT, FOR(SERVE), "FILE", "append each request and its answer to FILE, as JSON lines that "
      "`locksim trace` reads", AT(log), 0, 0, 0 },
    { "to", 0, OPTION_TEXT, FOR(REPLAY), "HOST:PORT", "play the story's requests to this server, each at its time, and "
      "show its answers beside ours",
      AT(to), 0, 0, 0 },
    { "fast", 0, OPTION_FLAG, FOR(REPLAY), NULL, "with --to: one after the other, without the time between: where only "
      "their order matters", AT(fast), 0, 0, 0 },
    { "among-data", 0, OPTION_FLAG, FOR(REPLAY), NULL, "with --to: also to a server that holds data", AT(among_data), 0,
      0, 0 },
    { "lock", 0, OPTION_LIST, FOR(TRACE), "FILE|FAMILY",
      "what the locks are: a family such as redisson.lock, or a Lua file that returns a driver or a generic.lock "
      "table; may be given several times",
      AT(locks), AT(lock_count), 0, 0 },
    { "scripts", 0, OPTION_LIST, FOR(TRACE), "DIR", "scripts below DIR are known by their hashes, and tables find "
      "theirs; may be given several times",
      AT(scripts), AT(script_count), 0, 0 },
    { "orphan-leases", 0, OPTION_NUMBER, FOR(TRACE), "N", "tell of holds that were renewed for N leases without "
      "another word of the owner (default 10)",
      AT(orphan_leases), AT(has_orphan_leases), 1, 1000000 },
    { "storm", 0, OPTION_NUMBER, FOR(TRACE), "N", "tell of N refused attempts at one lock within a second (default "
      "100)", AT(storm_per_s), AT(has_storm), 2,
      UINT64_C(1000000000) },
    { "format", 0, OPTION_WORD, FOR(TRACE), "text|json", "how the result is written to stdout (default text)",
      AT(format), 0, 0, 0 },
    { "out", 'o', OPTION_TEXT, FOR(TRACE), "DIR", "write the data of the numbers there, for `locksim plot` (default: "
      "nothing is written)", AT(out_dir), 0, 0, 0 },
    { "verbose", 'v', OPTION_FLAG, FOR(TRACE), NULL, "show up to 1000 findings of each kind, instead of 5", AT(verbose),
      0, 0, 0 },
    { "color", 0, OPTION_WORD, FOR(TRACE), "auto|always|never", "colour in text output (auto: on a terminal, unless "
      "NO_COLOR is set)",
      AT(color), 0, 0, 0 },
    { "runs", 0, OPTION_NUMBER, FOR(DRIVE), "N", "how many runs (default 100)", AT(runs), AT(has_runs), 1,
      UINT64_C(1000000000) },
    { "seed", 0, OPTION_NUMBER, FOR(DRIVE), "N", "seed of the first run; the others take the next ones (default 1)",
      AT(seed), AT(has_seed), 0,
      UINT64_C(1) << 53 },
    { "strategy", 0, OPTION_WORD, FOR(DRIVE), "uniform|pct", "who goes on: anybody, or by priorities that change "
      "seldom (default uniform)",
      AT(strategy), 0, 0, 0 },
    { "faults", 0, OPTION_TEXT, FOR(DRIVE), "LIST", "what may happen besides: crash=1,pause=2 (`locksim list faults`; "
      "default none)", AT(faults), 0,
      0, 0 },
    { "schedule", 0, OPTION_TEXT, FOR(DRIVE), "TEXT", "follow this schedule instead of chance: 'A.set A<answer B.set'",
      AT(schedule), 0, 0, 0 },
    { "jobs", 'j', OPTION_NUMBER, FOR(DRIVE), "N", "runs side by side (default: as many as there are cores)", AT(jobs),
      AT(has_jobs), 1, 64 },
    { "same", 0, OPTION_FLAG, FOR(DRIVE), NULL, "do all runs with one seed and see whether they are identical",
      AT(same), 0, 0, 0 },
    { "strict", 0, OPTION_FLAG, FOR(DRIVE), NULL, "who was paused, or had its clock set, since its `enter` counts as "
      "inside, too", AT(strict), 0, 0,
      0 },
    { "port", 0, OPTION_NUMBER, FOR(DRIVE), "N", "the port at which the programs look for Redis (default 6379)",
      AT(port), AT(has_port), 1, 65535 },
    { "max-steps", 0, OPTION_NUMBER, FOR(DRIVE), "N", "longest run, in steps (default 5000)", AT(max_steps),
      AT(has_max_steps), 1, 1000000 },
    { "time-limit", 0, OPTION_NUMBER, FOR(DRIVE), "S", "stop after S seconds of real time: INCONCLUSIVE",
      AT(time_limit_s), AT(has_time_limit), 1,
      100000000 },
    { "format", 0, OPTION_WORD, FOR(DRIVE), "text|json|junit", "how the result is written to stdout (default text)",
      AT(format), 0, 0, 0 },
    { "out", 'o', OPTION_TEXT, FOR(DRIVE), "DIR", "where stories are saved (default reports/out)", AT(out_dir), 0,
      0, 0 },
    { "verbose", 'v', OPTION_FLAG, FOR(DRIVE), NULL, "say what the result means, and tell stories whole", AT(verbose),
      0, 0, 0 },
    { "color", 0, OPTION_WORD, FOR(DRIVE), "auto|always|never", "colour in text output (auto: on a terminal, unless "
      "NO_COLOR is set)", AT(color), 0,
      0, 0 },
    { "help", 'h', OPTION_FLAG, FOR_ALL, NULL, "this text", AT(help), 0, 0, 0 },
};

static const command_info commands[COMMAND_COUNT] = {
    [COMMAND_RUN] = {
        .name = "run", .arguments = "FILE|DIR...", .arguments_min = 1, .arguments_max = SIZE_MAX,
        .summary = "run scenario files and judge every property of their locks",
        .about =
            "Runs each scenario FILE, and every scenario below each DIR (in byte order; a .lua file below a DIR "
                "counts\n"
            "as a scenario if its code sets a field named `program`; names that begin with a dot are skipped). A file "
                "may hold\n"
            "many cases: FILE:CASE is one of them, FILE:PATTERN those that match (* stands for any bytes).\n"
            "Scripts and drivers are looked for in the scenario's overlay folder (my/order/ of my/order.lua), beside "
                "the\n"
            "scenario, under each --scripts DIR, then among the shipped ones: the first match wins. No scenarios are\n"
            "looked for in an overlay folder.\n"
            "NAME.stories beside NAME.lua says by which smallest faults, and at whose step, each expected violation "
                "breaks:\n"
            "in another way it is a failure. --write-expect writes it. A line with ? in it, or no line, holds nothing: "
                "so it is\n"
            "with shipped cases whose whole graph is too large for an ordinary run.\n"
            "Exit status: 0 pass, 1 violated, 2 inconclusive, 3 vacuous, 4 error in a driver or program, 64 usage,\n"
            "65 bad scenario, 70 our bug, 74 nowhere to write; of several the worst counts. With --baseline it is at\n"
            "least 1 where a verdict is worse than in the saved run, even if it is only inconclusive or vacuous now.\n",
        .example =
            "  locksim run scenarios/seeds\n"
            "  locksim run my/order_lock.lua --scripts my/scripts --verbose\n"
            "  locksim run my/order_lock.lua --schedule 'A A !pause A +30001 B'\n"
            "  locksim run my/order_lock.lua --faults crash=1,pause=1\n"
            "  locksim run my/order_lock.lua:crash.two 'my/order_lock.lua:*.three'\n"
            "  locksim run scenarios --format junit > junit.xml\n"
            "  locksim run scenarios/seeds --measure --format json > before.json\n"
            "  locksim run scenarios/seeds --baseline before.json\n"
            "  locksim run scenarios/museum --table\n" },
    [COMMAND_REPORT] = {
        .name = "report", .arguments = "FILE|DIR...", .arguments_min = 1, .arguments_max = SIZE_MAX,
        .summary = "run scenario files and put all that came out into one HTML page",
        .about =
            "Runs scenarios as `locksim run` does, with the same exit status, and writes DIR/report.html: every "
                "verdict, a sequence\n"
            "diagram for each counterexample and each expected story, and its steps one by one with all keys as they "
                "were.\n"
            "What a scenario with a `workload` measures (`locksim simulate`) stands there, too, with all plots that "
                "gnuplot draws of it.\n"
            "The page is one file, asks for nothing else, and can be read without JavaScript; the same run gives the "
                "same bytes.\n"
            "Long stories lose their middle, and of very many only the first are told: the page says what it leaves "
            "out.\n",
        .example =
            "  locksim report my/order_lock.lua\n"
            "  locksim report scenarios/museum -o site\n" },
    [COMMAND_SIMULATE] = {
        .name = "simulate", .arguments = "FILE|DIR...", .arguments_min = 1, .arguments_max = SIZE_MAX,
        .summary = "run a workload and measure how long clients wait, how fairly, and what it costs",
        .about =
            "Runs the workloads of each scenario FILE (and of each scenario below each DIR that has one) over the real "
                "scripts and\n"
            "drivers on virtual time, measures what is defined below, and writes the data for pictures, a folder for "
                "each workload.\n"
            "`workload` in locksim-scenario(5) says who arrives when, how long the lock is held, how long requests "
                "take and what fails. A FILE\n"
            "without one is simulated, too: each client runs its program once. Of several files that share a "
                "workload's name (or have\n"
            "none) a comparison follows; of two, with their difference seed by seed. Same scenario, workload and "
                "seeds, same bytes,\n"
            "whatever --jobs is.\n"
            "Exit status: 0 measured, 2 partial (interrupted, time limit), 3 empty (nobody ever acquired), 4 error in "
                "a driver or\n"
            "program, 64 usage, 65 bad scenario, 70 our bug, 74 nowhere to write; of several the worst counts.\n",
        .more = metric_add_definitions,
        .example =
            "  locksim simulate scenarios/fairness/redisson_fair.lua\n"
            "  locksim simulate my/fair.lua my/unfair.lua --workload saturated --seeds 20\n"
            "  locksim plot reports/out/redisson_fair.saturated\n" },
    [COMMAND_WATCH] = {
        .name = "watch", .arguments = "[FILE|DIR...]", .arguments_min = 0, .arguments_max = SIZE_MAX,
        .summary = "run scenarios again whenever a file is saved that they rest on",
        .about =
            "Runs the scenarios once, then waits: whenever a scenario, script or driver is saved, those whose result "
                "it may change\n"
            "are run again, the shortest searches first. It tells the results that have changed (of the first pass: "
                "what did not\n"
            "pass), and\n"
            "a line for each save. A save in the middle of a pass stops the searches that it makes useless. New files "
                "below a DIR are\n"
            "found; without arguments scenarios/ is watched, or the current folder where there is none. A file that "
                "does not parse\n"
            "is told, and the next save tries again. What a scenario was looked for and not found in counts, too: a "
                "script that is put\n"
            "before the shipped one is noticed. Nothing is searched again where a script's new text does the same on "
                "every call that\n"
            "the last search made of it (\"known\"), and a search ends at the first failure that was not expected.\n"
            "Ctrl-C ends it with the status of all last results, as `run` would have it; 2 if one is still to come.\n",
        .example =
            "  locksim watch scenarios/seeds\n"
            "  locksim watch my/order_lock.lua --scripts my/scripts\n" },
    [COMMAND_REPLAY] = {
        .name = "replay", .arguments = "FILE", .arguments_min = 1, .arguments_max = 1,
        .summary = "run a saved counterexample again, step by step",
        .about =
            "FILE is a counterexample that `locksim run` saved: a scenario's path (relative to FILE), the property\n"
            "that broke, and the schedule with the operation of each step; steps between [ and ] lead back to the\n"
            "same state and show what can go on for ever. If the scenario or its scripts have changed so that a step\n"
            "no longer fits, replay says at which step. Exit status 1 if the property breaks again, 0 if it does not,\n"
            "65 if the schedule no longer fits.\n"
            "With --to the requests that the story executes are played to a real server, in their order and at their "
                "own times (--fast:\n"
            "without the time between), and every answer is shown beside ours; status 0 if all are as ours, 1 if not. "
                "The server should\n"
            "be one of its own: one that holds data is refused. Faults of the server (wipe, evict, failover) are not "
            "played.\n",
        .example =
            "  locksim replay reports/out/my.transfer.LK002.lua\n"
            "  redis-server --port 7777 --save '' &  locksim replay reports/out/my.transfer.LK002.lua --to "
                "127.0.0.1:7777\n"
            "  locksim replay reports/out/my.transfer.LK002.lua --scripts my/changed_scripts\n" },
    [COMMAND_WALK] = {
        .name = "walk", .arguments = "FILE", .arguments_min = 1, .arguments_max = 1,
        .summary = "go through a world by hand, one step at a time",
        .about =
            "FILE is a scenario (FILE:CASE for one of its cases), or a counterexample that `locksim run` saved: its\n"
            "steps are taken then, and `back` goes back to try what would have saved it. What can happen next is a\n"
            "numbered list. A line is a number, a step by its name in schedules (A.acquire, +100, !pause A), or a\n"
            "command: list, back, forward, go (as nobody chooses), next EVENT, keys, tasks, monitors, story, save\n"
            "FILE, help, quit. A fault may go beyond its budget. Lines come from the terminal or from a pipe.\n",
        .example =
            "  locksim walk scenarios/seeds/simple_string.lua:contended\n"
            "  printf 'next grant\\nkeys\\n!crash A\\nnext expiry\\n' | locksim walk my/transfer.lua\n"
            "  locksim walk reports/out/my.transfer.LK002.lua\n" },
    [COMMAND_COMPARE] = {
        .name = "compare", .arguments = "OLD NEW [SCENARIO|DIR...]", .arguments_min = 1, .arguments_max = SIZE_MAX,
        .summary = "say whether any client can tell two versions of the scripts or drivers apart",
        .about =
            "OLD and NEW are folders of scripts and drivers, single files, or either at a git revision "
                "(HEAD~1:scripts). Both versions run\n"
            "side by side, each on a keyspace of its own, in every state of each SCENARIO: each request is executed on "
                "both, and\n"
            "answers, messages and keyspaces are compared (`locksim explain LK060 LK061`). Clients are OLD's; they get "
                "its answers.\n"
            "Without SCENARIO: of the shipped scenarios and those in both folders all that load a script that differs, "
                "the\n"
            "small ones first. Two files stand for the script that lies where one of them does; else for the one of "
                "the same\n"
            "file name; --as NAME says for which.\n"
            "EQUIVALENT within the scenarios' bounds, or DIFFERENT with the shortest story that tells them apart, and "
                "which\n"
            "properties are lost or won. Exit status: 0 equivalent, 1 different (or only the keyspaces: KEYS DIFFER), "
                "2 undecided:\n"
            "a limit came first, or nothing that differs was run; 4 error in a driver or program, 64 usage, 65 bad "
                "scenario or version.\n"
            "With --dialect A,B the same scripts run on two servers, in every state of each argument, which are "
                "scenarios then: what\n"
            "changes for a lock when it moves. Of errors only the code counts: each server has its own words.\n"
            "Where client code differs, each version runs with its own, in lock step, until somebody could tell: by a "
                "request and\n"
            "its words, by what the program is told or does next, or by the keyspace. What one version does alone, and "
                "nobody sees,\n"
            "it may do; there is no schedule to replay, and --adapter, --ignore-keys and --ttl-within are for scripts "
                "only.\n"
            "An adapter is a file that returns function(script, reply, problem, version); what that returns is "
            "compared.\n",
        .example =
            "  locksim compare HEAD~1:scripts scripts\n"
            "  locksim compare old/acquire.lua new/acquire.lua my/order_lock.lua\n"
            "  locksim compare --dialect \"redis 7.0,valkey 9.1\" my/order_lock.lua\n"
            "  locksim compare HEAD:locks locks locks/scenarios --ttl-within 1 --ignore-keys \"stats:*\"\n" },
    [COMMAND_INIT] = {
        .name = "init", .arguments = "ACQUIRE RELEASE [RENEW]", .arguments_min = 2, .arguments_max = 3,
        .summary = "write a first scenario for lock scripts of your own",
        .about =
            "Tries the scripts on a Redis in memory, in many ways, and finds out which KEYS and ARGV are the lock, its "
                "owner, the\n"
            "lease, the clock, the limit and the channel, what a grant and a refusal look like, and where the lock "
                "keeps its owner;\n"
            "writes a scenario with all of it filled in, and says what it found. What the trial does not show is "
                "marked \"?\" there.\n"
            "JSON and MessagePack in ARGV cannot be guessed; templates can, by what --render CMD makes of them.\n",
        .example =
            "  locksim init redis/acquire.lua redis/release.lua -o locks/order.lua\n"
            "  locksim run locks/order.lua\n" },
    [COMMAND_SHELL] = {
        .name = "shell", .arguments = "[FILE]", .arguments_min = 0, .arguments_max = 1,
        .summary = "a prompt like redis-cli's on the Redis in memory, with a clock that you move",
        .about =
            "Reads commands from a terminal, a pipe, or FILE, and prints replies as redis-cli does. Lines that begin\n"
            "with a dot speak to the shell: .help lists them (.clock .advance .keys .load .client .quit).\n"
            "The clock stands still until .advance moves it.\n",
        .example =
            "  locksim shell\n"
            "  printf 'set k v px 100\\n.advance 101\\nget k\\n' | locksim shell\n" },
    [COMMAND_SERVE] = {
        .name = "serve", .arguments = "", .arguments_min = 0, .arguments_max = 0,
        .summary = "be a Redis for clients in any language, with a clock that tests can move",
        .about =
            "Listens for Redis clients (RESP2, and RESP3 after HELLO 3), prints one line that says where, and serves "
                "until\n"
            "SHUTDOWN, SIGINT or SIGTERM. Everything is kept in memory and forgotten at the end.\n"
            "With --clock manual time stands still until a client moves it: CLOCK ADVANCE MS, CLOCK SET MS (since "
                "1970) and\n"
            "DEBUG SLEEP S move it and answer at once; CLOCK GET tells it. So a test of a TTL need not wait.\n",
        .example =
            "  locksim serve --clock manual\n"
            "  redis-cli -p 6390 set k v px 30000\n"
            "  redis-cli -p 6390 clock advance 30001\n"
            "  redis-cli -p 6390 get k\n"
            "  locksim serve --port 0 --unix /tmp/locksim.sock\n" },
    [COMMAND_DRIVE] = {
        .name = "drive", .arguments = "NAME=COMMAND...", .arguments_min = 1, .arguments_max = 32,
        .summary = "run real programs under virtual time, in orders and with faults that break locks",
        .about =
            "Starts each COMMAND as a client of that NAME, unmodified: a preloaded library gives it a clock that "
                "stands still until\n"
            "every program waits, seeded random numbers, and for port 6379 of Redis one that locksim holds. Whenever "
                "every thread\n"
            "sleeps, chance chooses what happens next: a request is executed, an answer is delivered, a sleep ends, "
                "time passes, one of\n"
            "several threads goes on, a fault strikes. The same seed gives the same run; a story is run again before "
                "it is told, made short, and saved.\n"
            "A program says what it believes by lines on its standard output, or by ECHO:\n"
            "  enter [NAME]   it is inside what the lock protects; it is held in that line, so that others come in "
                "between\n"
            "  leave [NAME]   it is outside again, and may release\n"
            "  token N        it uses the fencing token N\n"
            "Judged: two programs inside at one time (LK002), stale tokens (LK005), who was refused a lock and waits "
                "for ever\n"
            "(LK011), locks by SET NX or SETNX that stay behind (LK030) or have no expiry (LK031), busy waiting "
                "(LK051).\n"
            "A COMMAND is split into words as redis-cli does, and no shell is in between ('A=sh -c \"...\"' starts "
                "one). Programs\n"
            "have to be linked dynamically with glibc: Python, Node, the JVM, redis-cli and most C programs are; Go's, "
                "static ones and those\n"
            "with musl are refused. What was not under control makes the result INCONCLUSIVE, and is named.\n"
            "Exit status: 0 pass, 1 violated, 2 inconclusive, 3 vacuous (no connection, or nobody ever held a lock), 4 "
                "a program\n"
            "fails in every run, 64 usage, 65 a schedule does not fit, 70 our bug.\n",
        .example =
            "  locksim drive 'A=python3 worker.py' 'B=python3 worker.py'\n"
            "  locksim drive --runs 500 --faults pause=1,crash=1 'A=python3 worker.py' 'B=node worker.js'\n"
            "  locksim drive --same --runs 20 'A=python3 worker.py' 'B=python3 worker.py'\n"
            "  locksim replay reports/out/drive.LK002.lua\n" },
    [COMMAND_PLOT] = {
        .name = "plot", .arguments = "DIR...", .arguments_min = 1, .arguments_max = SIZE_MAX,
        .summary = "draw what `locksim simulate` measured",
        .about =
            "Each DIR is a folder that `locksim simulate` wrote for one scenario and workload: all of them are drawn "
                "together,\n"
            "one above the other or as curves in one picture. Or it is a folder of such folders: those of one workload "
                "are then\n"
            "drawn together, workload by workload. Up to 8 share a picture; of more only `compare` is drawn.\n"
            "gnuplot draws, from the templates reports/*.gp; they work by hand, too:\n"
            "  gnuplot -e \"data='DIR DIR'; out='cdf.svg'\" reports/cdf.gp\n"
            "Pictures: cdf      how long they waited        ccdf       the same for the long waits, log scales\n"
            "          boxes    each client's waits         wait_time  waits over virtual time\n"
            "          grants   who got the lock            overtakes  how many who asked later went first\n"
            "          jain     Jain's index over time      gantt      who held the lock and who waited\n"
            "          queue    how many waited             handoff    how long the lock lay idle meanwhile\n"
            "          compare  two or more side by side, one row each, with intervals and costs\n"
            "Nothing else is needed to see them: no display, no network. The same data give the same bytes.\n"
            "Exit status: 0 drawn, 64 usage, or no gnuplot (the data stay), 65 a data file is not as it should be (it "
                "is named,\n"
            "with the line), 70 our bug.\n",
        .example =
            "  locksim simulate scenarios/fairness/redisson_fair.lua scenarios/fairness/redisson_lock.lua -o "
                "reports/out/sim\n"
            "  locksim plot reports/out/sim\n"
            "  locksim plot reports/out/sim/redisson_fair.saturated --only ccdf,gantt --format png\n" },
    [COMMAND_LIST] = {
        .name = "list", .arguments = "scenarios|locks|properties|faults", .arguments_min = 1, .arguments_max = SIZE_MAX,
        .summary = "list what there is: scenarios, locks, properties, faults",
        .about =
            "`list scenarios [DIR...]` lists the shipped scenarios, or those below each DIR, with the first sentence "
                "of each.\n"
            "`list locks` lists the drivers below each --scripts DIR and the shipped ones, by the name `require` "
            "takes.\n",
        .example =
            "  locksim list properties\n"
            "  locksim list scenarios my/scenarios\n" },
    [COMMAND_EXPLAIN] = {
        .name = "explain", .arguments = "CODE|NAME...", .arguments_min = 1, .arguments_max = SIZE_MAX,
        .summary = "explain a finding code, a property, a verdict or a fault",
        .about = "Takes codes (LK010, LS008), properties (no_lost_wakeup), verdicts (VACUOUS), faults (lose_reply), or "
        "`all`.\n",
        .example =
            "  locksim explain LK010\n"
            "  locksim explain mutual_exclusion vacuous pause\n" },
    [COMMAND_MUTATE] = {
        .name = "mutate", .arguments = "FILE|DIR...", .arguments_min = 1, .arguments_max = SIZE_MAX,
        .summary = "make small mistakes in scripts and drivers and see which ones the scenarios notice",
        .about =
            "Changes each FILE, a script or a driver, in one place at a time (drops a statement, forces a condition, "
                "swaps an\n"
            "operator, an index, two calls, leaves early, ...) and runs the scenarios that load it, the shortest "
                "searches\n"
            "first, until a\n"
            "result changes. In client code requests are also dropped and change places, a\n"
            "subscription is dropped, an error swallowed, a callback skipped; what only tells the model (me:granted, "
                "op =, view)\n"
            "stays. Of a scenario, the code outside its table counts. Of a DIR, the files below it that some scenario "
                "loads\n"
            "count. Scenarios that lie elsewhere find files by their names beside each FILE and below each DIR, as if "
                "--scripts\n"
            "named these.\n"
            "Mutants are killed, equivalent within bounds, explained, undecided (a limit came first), or survive: what "
                "survives\n"
            "is listed with its place. Lua is read by luacheck's parser (Debian: lua-check).\n"
            "Exit status: 0 nothing survives, 1 something does, 2 something is undecided, 64 usage, 65 bad script or "
            "revision.\n",
        .example =
            "  locksim mutate my/acquire.lua --scenarios my/scenarios\n"
            "  locksim mutate scripts/redisson/lock -o reports/out/mutation\n"
            "  locksim mutate scripts --kind drivers --sample 300\n"
            "  locksim mutate scripts --in-diff main\n"
            "  locksim mutate scripts --shard 1/4 --format json\n" },
    [COMMAND_LINT] = {
        .name = "lint", .arguments = "SCRIPT|DIR...", .arguments_min = 1, .arguments_max = SIZE_MAX,
        .more = lint_add_codes, .summary = "say what is wrong with scripts and drivers without running them",
        .about =
            "Reads each SCRIPT as Redis 7.0 would, and says what can be known of it: what it would fail on, keys that "
                "the caller did\n"
            "not name, locks that can stay for ever, replies that may be missing, ... Both sides of each test are "
                "followed, and local\n"
            "functions. Below a DIR every .lua file counts that uses KEYS, ARGV or redis as globals, and client code: "
                "of drivers and\n"
            "scenarios the texts that they give to script.text as they stand, and what a lock's client gets wrong "
                "(LC001 and on):\n"
            "answers that nobody looks at, subscriptions without a question, blind releases, renewals without end. "
                "What a\n"
            "scenario's own table does is the test, and left alone.\n"
            "A comment allows a finding on its line, or on the line of code below it: -- locksim: allow LS008 REASON\n"
            "Names and syntax are luacheck's work (Debian: lua-check).\n"
            "Exit status: 0 nothing found, 1 something, 64 usage, 65 a script does not parse or cannot be read.\n",
        .example =
            "  locksim lint my/acquire.lua --keys 1 --argv 2\n"
            "  locksim lint my/lock_client.lua\n"
            "  locksim lint scripts --format sarif > lint.sarif\n"
            "  locksim explain LS008\n" },
    [COMMAND_TRACE] = {
        .name = "trace", .arguments = "LOG", .arguments_min = 1, .arguments_max = 1,
        .summary = "judge the locks of a log: what really happened on a server",
        .about =
            "LOG is what `redis-cli MONITOR` printed, what `locksim serve --log` wrote, or other JSON lines, plain or "
                "gzip; - is standard input. A JSON line is one request:\n"
            "  {\"time\": 1700000000123, \"client\": \"A\", \"words\": [\"SET\", \"k\", \"v\"], \"answer\": \"OK\"}\n"
            "with `time` in ms since 1970, and `answer` and `db` where they are known. Lines stand in the server's "
                "order.\n"
            "The requests run again on a Redis in memory at their own times. What --lock names says which of them "
                "acquire, renew and\n"
            "release a lock (default: redis_py.lock, redisson.lock and redisson.fair); all else is passed over. A "
                "script is known by its\n"
            "EVAL or SCRIPT LOAD, by its table, or by --scripts; of an unknown one the commands that MONITOR shows are "
                "executed.\n"
            "Told are violations: two holders (LK001), a hold taken, shortened or renewed by another (LK003), a lock "
                "without expiry (LK031),\n"
            "the queue's head passed over (LK020), errors of scripts (LK050); and warnings:\n"
            "  overrun         a lease ended during a hold, and its owner came back later\n"
            "  orphan          a hold was renewed for many leases without another word of its owner\n"
            "  storm           very many refused attempts within a second\n"
            "  difference      the log's server did something else than ours: the lock is judged again from when it is "
                "surely free\n"
            "  unknown_script  nobody knows the script; disorder: a line is earlier than the one before it\n"
            "LK002 cannot be judged from a server's log: it does not say what clients believe.\n"
            "Exit status: 0 no property is violated, 1 one is, 2 a part could not be judged (difference, disorder, bad "
                "lines, unknown scripts\n"
            "without their commands), 3 nobody was granted a lock, 64 usage, 65 no line is one of a log, or a bad "
            "table; 1 before 3 before 2.\n",
        .example =
            "  redis-cli MONITOR > redis.log\n"
            "  locksim trace redis.log --lock redisson.lock\n"
            "  locksim trace monday.log.gz --lock my/order_lock.lua -o reports/out\n" },
};

const command_info *command_describe(command_kind c)
{
    return &commands[c];
}

bool command_parse(str name, command_kind *c, err *e)
{
    str known[COMMAND_COUNT];
    for (size_t i = 0; i < COMMAND_COUNT; i++) {
        known[i] = str_from(commands[i].name);
        if (str_eq(name, known[i])) {
            *c = (command_kind)i;
            return true;
        }
    }
    str near = err_nearest(name, known, COUNT(known));
    err_set(e, ERR_USAGE, "there is no subcommand '%.*s'", STR_ARG(name));
    if (near.n)
        return err_hint(e, "did you mean `locksim %.*s`?", STR_ARG(near));
    return err_hint(e, "the subcommands are run, report, simulate, watch, replay, compare, init, shell, serve, drive, "
                    "plot, list, explain, mutate, lint, trace");
}

bool option_describe(size_t i, option_facts *out)
{
    if (i >= COUNT(rows))
        return false;
    *out = (option_facts){ .name = rows[i].name, .letter = rows[i].letter, .commands = rows[i].commands,
                           .argument = rows[i].argument, .choices = rows[i].kind == OPTION_WORD };
    return true;
}

static bool unknown_option(command_kind c, str name, err *e)
{
    str known[COUNT(rows)];
    size_t n = 0;
    for (size_t i = 0; i < COUNT(rows); i++)
        if (rows[i].commands & (1u << c))
            known[n++] = str_from(rows[i].name);
    str near = err_nearest(name, known, n);
    err_set(e, ERR_USAGE, "`locksim %s` has no option '--%.*s'", commands[c].name, STR_ARG(name));
    if (near.n)
        return err_hint(e, "did you mean --%.*s?", STR_ARG(near));
    return err_hint(e, "`locksim %s --help` lists its options", commands[c].name);
}

static const option_row *find_row(command_kind c, str name, char letter)
{
    for (size_t i = 0; i < COUNT(rows); i++)
        if ((rows[i].commands & (1u << c)) &&
            (letter ? rows[i].letter == letter : str_eq(str_from(rows[i].name), name)))
            return &rows[i];
    return NULL;
}

/* Decimal digits only: no sign, no blanks, no overflow. */
static bool parse_number(str s, uint64_t *n)
{
    *n = 0;
    for (size_t i = 0; i < s.n; i++) {
        if (s.p[i] < '0' || s.p[i] > '9')
            return false;
        uint64_t digit = (uint64_t)(s.p[i] - '0');
        if (*n > (UINT64_MAX - digit) / 10)
            return false;
        *n = *n * 10 + digit;
    }
    return s.n > 0;
}

static bool take_word(const option_row *row, str value, int *choice, err *e)
{
    str words = str_from(row->argument), known[8];
    size_t n = 0;
    for (size_t from = 0; from <= words.n; n++) {
        size_t end = str_find(words, '|', from);
        known[n] = str_slice(words, from, end);
        if (str_eq(known[n], value)) {
            *choice = (int)n;
            return true;
        }
        from = end + 1;
    }
    str near = err_nearest(value, known, n);
    err_set(e, ERR_USAGE, "--%s takes one of %s, not '%.*s'", row->name, row->argument, STR_ARG(value));
    return near.n ? err_hint(e, "did you mean %.*s?", STR_ARG(near)) : false;
}

static bool take_value(arena *a, const option_row *row, const char *value, options *o, err *e)
{
    char *base = (char *)o;
    switch (row->kind) {
    case OPTION_FLAG:
        *(bool *)(base + row->value) = true;
        return true;
    case OPTION_TEXT:
        *(const char **)(base + row->value) = value;
        return true;
    case OPTION_WORD:
        return take_word(row, str_from(value), (int *)(base + row->value), e);
    case OPTION_LIST: {
        const char ***list = (const char ***)(base + row->value);
        size_t *count = (size_t *)(base + row->given);
        const char **longer = ARENA_ARRAY(a, const char *, *count + 1);
        if (*count)
            memcpy(longer, *list, *count * sizeof *longer);
        longer[(*count)++] = value;
        *list = longer;
        return true;
    }
    case OPTION_NUMBER: {
        uint64_t *n = (uint64_t *)(base + row->value);
        if (!parse_number(str_from(value), n) || *n < row->least || *n > row->most) {
            err_set(e, ERR_USAGE, "--%s takes a whole number from %llu to %llu, not '%s'", row->name,
                    (unsigned long long)row->least, (unsigned long long)row->most, value);
            return false;
        }
        *(bool *)(base + row->given) = true;
        return true;
    }
    case OPTION_SIZE:
        if (!size_parse(str_from(value), (uint64_t *)(base + row->value))) {
            err_set(e, ERR_USAGE, "--%s takes a number of bytes, not '%s'", row->name, value);
            return err_hint(e, "512M, 4G: K is 1024 bytes, M 1024 K, G 1024 M");
        }
        return *(bool *)(base + row->given) = true;
    }
    return false;
}

/* What `serve` cannot do at once. */
static bool check_serve_mix(const options *o, err *e)
{
    if (o->stdio && (o->has_port || o->unix_path || o->bind)) {
        err_set(e, ERR_USAGE, "--stdio serves standard input and output only: it listens nowhere");
        return err_hint(e, "leave out --stdio, or --port, --unix and --bind");
    }
    if (o->bind && o->unix_path && !o->has_port) {
        err_set(e, ERR_USAGE, "--bind is the address of a port, and only --unix is given");
        return err_hint(e, "give --port, too, or leave out --bind");
    }
    if (o->has_start && o->clock != CLOCK_MANUAL) {
        err_set(e, ERR_USAGE, "--start is where a manual clock begins, and the clock is real");
        return err_hint(e, "give --clock manual");
    }
    return true;
}

static bool check_dialect(const options *o, err *e)
{
    dialect d;
    str said = o->dialect ? str_from(o->dialect) : S("");
    size_t comma = str_find(said, ',', 0);
    if (o->command == COMMAND_COMPARE && !o->dialect && o->argument_count < 2) {
        err_set(e, ERR_USAGE, "`locksim compare` takes %s", commands[COMMAND_COMPARE].arguments);
        return err_hint(e, "`locksim compare --help` has an example; --dialect A,B compares two servers by any "
                        "scenario");
    }
    if (o->command == COMMAND_COMPARE && o->dialect && comma == said.n) {
        err_set(e, ERR_USAGE, "--dialect names the two servers that are compared, a comma between them");
        return err_hint(e, "locksim compare --dialect \"redis 7.0,valkey 9.1\" SCENARIO");
    }
    if (!o->dialect || (dialect_parse(str_slice(said, 0, comma), &d) && (o->command != COMMAND_COMPARE ||
                                                                         dialect_parse(str_slice(said, comma + 1,
                                                                                                 said.n), &d))))
        return true;
    buf known = { 0 };
    dialect_tell_names(&known);
    err_set(e, ERR_USAGE, "--dialect: there is no '%s'", o->dialect);
    err_hint(e, "there are %.*s", STR_ARG(buf_str(&known)));
    buf_free(&known);
    return false;
}

/* What would make the result say something that is not so is refused. */
static bool check_mix(const options *o, err *e)
{
    uint32_t budgets[FAULT_KINDS];
    if (o->faults && !fault_budgets_parse(str_from(o->faults), budgets, e))
        return false;
    bool sampled = o->has_runs || o->strategy != CHOICE_UNSAID, limited = o->has_max_states || o->has_max_memory;
    bool states = o->exhaustive || o->no_memo || limited;
    if (o->schedule && (sampled || o->no_fold || states)) {
        err_set(e, ERR_USAGE, "--schedule follows one schedule: %s", states ? "--exhaustive, --no-memo and limits "
                "visit every state"
                                                                            : "--runs, --strategy and --no-fold search "
                                                                            "for one");
        return err_hint(e, "give --schedule alone");
    }
    if ((o->exhaustive || o->no_memo) && (sampled || o->no_fold)) {
        err_set(e, ERR_USAGE, o->no_fold ? "--%s visits every state once: --no-fold runs every schedule and merges "
                "nothing"
                                         : "--%s visits every state: --runs and --strategy sample them",
                o->exhaustive ? "exhaustive" : "no-memo");
        return err_hint(e, "leave one of them out");
    }
    if (limited && (sampled || o->no_fold)) {
        err_set(e, ERR_USAGE, "--max-states and --max-memory limit an exhaustive search: %s keeps no states",
                o->no_fold ? "--no-fold" : "a random one");
        return err_hint(e, "--time-limit limits every kind of search");
    }
    if (o->table && o->format != FORMAT_TEXT && o->format != FORMAT_MARKDOWN) {
        err_set(e, ERR_USAGE, "--table is written as text or markdown");
        return err_hint(e, "leave out --table: the other formats hold all of it");
    }
    if (o->expected && (o->format != FORMAT_MARKDOWN || o->table)) {
        err_set(e, ERR_USAGE, "--expected makes the table of --format markdown, and nothing else");
        return err_hint(e, "locksim run DIR --format markdown --expected");
    }
    if (o->expected && (sampled || o->schedule || states || o->no_fold || o->has_time_limit || o->faults)) {
        err_set(e, ERR_USAGE, "--expected searches nothing: nothing can be chosen or limited, and other faults have no "
                "expectations");
        return err_hint(e, "leave one of them out");
    }
    if (o->write_expect && (o->expected || sampled || o->schedule || o->no_fold || o->faults || o->dialect ||
                            o->pinned)) {
        err_set(e, ERR_USAGE, "--write-expect writes down what the scenarios' own worlds show, all of their states");
        return err_hint(e, "leave out --expected, --runs, --strategy, --schedule, --no-fold, --faults, --dialect and "
                        "--pinned");
    }
    if ((o->measure || o->baseline) &&
        (o->expected || o->table || (o->format != FORMAT_TEXT && o->format != FORMAT_JSON))) {
        err_set(e, ERR_USAGE, "--%s is written as text or json", o->baseline ? "baseline" : "measure");
        return err_hint(e, "leave out --table and --expected, and give --format text or json");
    }
    if (o->no_fold && sampled) {
        err_set(e, ERR_USAGE, "--no-fold runs every schedule: --runs and --strategy sample them");
        return err_hint(e, "leave one of them out");
    }
    return true;
}

bool options_parse(arena *a, command_kind c, int argc, char **argv, options *out, err *e)
{
    *out = (options){ .command = c, .strategy = CHOICE_UNSAID, .format = CHOICE_UNSAID, .color = CHOICE_UNSAID,
                      .clock = CHOICE_UNSAID, .keys = CHOICE_UNSAID, .verdicts = CHOICE_UNSAID, .kind = CHOICE_UNSAID };
    out->arguments = ARENA_ARRAY(a, const char *, (size_t)argc + 1);
    for (int i = 0; i < argc; i++)
        if (strcmp(argv[i], "--") == 0)
            break;
        else if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0)
            return out->help = true;
    bool only_arguments = false;
    for (int i = 0; i < argc; i++) {
        str arg = str_from(argv[i]);
        if (only_arguments || arg.n < 2 || arg.p[0] != '-') {
            out->arguments[out->argument_count++] = argv[i];
            continue;
        }
        if (str_eq(arg, S("--"))) {
            only_arguments = true;
            continue;
        }
        bool is_long = arg.p[1] == '-';
        size_t equals = is_long ? str_find(arg, '=', 2) : arg.n;
        str name = is_long ? str_slice(arg, 2, equals) : str_slice(arg, 1, 2);
        const option_row *row = find_row(c, name, is_long ? 0 : arg.p[1]);
        if (!row)
            return is_long ? unknown_option(c, name, e)
                           : err_set(e, ERR_USAGE, "`locksim %s` has no option '-%c'", commands[c].name, arg.p[1]) ||
                             err_hint(e, "`locksim %s --help` lists its options", commands[c].name);
        const char *value = NULL;
        if (is_long && equals < arg.n)
            value = argv[i] + equals + 1;
        else if (!is_long && arg.n > 2)
            value = argv[i] + 2;
        if (row->kind == OPTION_FLAG && value)
            return err_set(e, ERR_USAGE, "--%s takes no value", row->name);
        if (row->kind != OPTION_FLAG && !value) {
            if (i + 1 >= argc)
                return err_set(e, ERR_USAGE, "--%s needs a value: %s", row->name, row->argument);
            value = argv[++i];
        }
        if (!take_value(a, row, value, out, e))
            return false;
    }
    const command_info *info = &commands[c];
    if (out->argument_count < info->arguments_min || out->argument_count > info->arguments_max) {
        err_set(e, ERR_USAGE, "`locksim %s` takes %s", info->name, info->arguments);
        return err_hint(e, "`locksim %s --help` has an example", info->name);
    }
    if (out->format == CHOICE_UNSAID)
        out->format = FORMAT_TEXT;
    if (out->color == CHOICE_UNSAID)
        out->color = COLOR_AUTO;
    if (out->clock == CHOICE_UNSAID)
        out->clock = CLOCK_REAL;
    return check_mix(out, e) && check_serve_mix(out, e) && check_dialect(out, e);
}

void options_help(command_kind c, buf *out)
{
    const command_info *info = &commands[c];
    buf_printf(out, "locksim %s - %s\n\nUsage: locksim %s [OPTION]... %s\n\n", info->name, info->summary, info->name,
               info->arguments);
    buf_addz(out, info->about);
    buf_addz(out, "\nOptions:\n");
    for (size_t i = 0; i < COUNT(rows); i++) {
        if (!(rows[i].commands & (1u << c)))
            continue;
        size_t from = out->n;
        buf_addz(out, "  ");
        if (rows[i].letter)
            buf_printf(out, "-%c, ", rows[i].letter);
        buf_printf(out, "--%s", rows[i].name);
        if (rows[i].argument)
            buf_printf(out, " %s", rows[i].argument);
        enum { COLUMN = 37 };
        do
            buf_byte(out, ' ');
        while (out->n - from < COLUMN);
        buf_addz(out, rows[i].help);
        buf_byte(out, '\n');
    }
    buf_printf(out, "\nExample:\n%s", info->example);
    if (info->more) {
        buf_byte(out, '\n');
        info->more(out);
    }
}
