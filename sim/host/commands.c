/* commands.c - the subcommands: their arguments and the texts of their --help. */
#include "host/options_internal.h"

#include <stdint.h>

#include "report/lint.h"
#include "simulate/metric.h"

static const command_info commands[COMMAND_COUNT] = {
    [COMMAND_RUN] = {
        .arguments = "FILE|DIR...", .arguments_min = 1, .arguments_max = SIZE_MAX,
        .summary = "run scenario files and judge every property of their locks",
        .about =
            "Runs each scenario FILE, and every scenario below each DIR (in byte order; a .lua file below a DIR "
            "counts as a scenario if its code sets a field named `program`; names that begin with a dot are "
            "skipped). A file may hold many cases: FILE:CASE is one of them, FILE:PATTERN those that match (* "
            "stands for any bytes).\n"
            "Scripts and drivers are looked for in the scenario's overlay folder (my/order/ of my/order.lua), "
            "beside the scenario, under each --scripts DIR, then among the shipped ones: the first match wins. No "
            "scenarios are looked for in an overlay folder.\n"
            "NAME.stories beside NAME.lua says by which smallest faults, and at whose step, each expected "
            "violation breaks: in another way it is a failure. --write-expect writes it. A line with ? in it, or "
            "no line, holds nothing: so it is with shipped cases whose whole graph is too large for an ordinary "
            "run.\n"
            "Exit status: 0 pass, 1 violated, 2 inconclusive, 3 vacuous, 4 error in a driver or program, 64 "
            "usage, 65 bad scenario, 70 our bug, 74 nowhere to write; of several the worst counts. With "
            "--baseline it is at least 1 where a verdict is worse than in the saved run, even if it is only "
            "inconclusive or vacuous now.\n",
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
        .arguments = "FILE|DIR...", .arguments_min = 1, .arguments_max = SIZE_MAX,
        .summary = "run scenario files and write all results into one HTML page",
        .about =
            "Runs scenarios as `locksim run` does, with the same exit status, and writes DIR/report.html: every "
            "verdict, a sequence diagram for each counterexample and each expected story, and its steps one by "
            "one with all keys as they were.\n"
            "What a scenario with a `workload` measures (`locksim simulate`) stands there, too, with all plots "
            "that gnuplot draws of it.\n"
            "The page needs no other file, and can be read without JavaScript: one that would be larger than 1 MB "
            "packs its stories, and report.plain.html beside it has them unpacked. The same run gives the same "
            "bytes. Long stories lose their middle, and of very many only the first are told: the page "
            "says what it leaves out.\n",
        .example =
            "  locksim report my/order_lock.lua\n"
            "  locksim report scenarios/museum -o site\n" },
    [COMMAND_SIMULATE] = {
        .arguments = "FILE|DIR...", .arguments_min = 1, .arguments_max = SIZE_MAX,
        .summary = "run a workload and measure how long clients wait, how fairly, and what it costs",
        .about =
            "Runs the workloads of each scenario FILE (and of each scenario below each DIR that has one) over the "
            "real scripts and drivers on virtual time, measures what is defined below, and writes the data for "
            "pictures, a folder for each workload. `workload` in locksim-scenario(5) says who arrives when, how "
            "long the lock is held, how long requests take and what fails. A FILE without one is simulated, too: "
            "each client runs its program once.\n"
            "Of several files that share a workload's name (or have none) a comparison follows; of two, with "
            "their difference seed by seed. Same scenario, workload and seeds, same bytes, whatever --jobs is.\n"
            "Exit status: 0 measured, 2 partial (interrupted, time limit), 3 empty (no client ever acquired), 4 "
            "error in a driver or program, 64 usage, 65 bad scenario, 70 our bug, 74 nowhere to write; of several "
            "the worst counts.\n",
        .more = metric_add_definitions,
        .example =
            "  locksim simulate scenarios/fairness/redisson_fair.lua\n"
            "  locksim simulate my/fair.lua my/unfair.lua --workload saturated --seeds 20\n"
            "  locksim plot .locksim/out/redisson_fair.saturated\n" },
    [COMMAND_WATCH] = {
        .arguments = "[FILE|DIR...]", .arguments_min = 0, .arguments_max = SIZE_MAX,
        .summary = "run scenarios again whenever a file is saved that they rest on",
        .about =
            "Runs the scenarios once, then waits: whenever a scenario, script or driver is saved, those whose "
            "result it may change are run again, the shortest searches first. It tells the results that have "
            "changed (of the first pass: what did not pass), and a line for each save. A save in the middle of a "
            "pass stops the searches that it makes useless.\n"
            "New files below a DIR are found; without arguments scenarios/ is watched, or the current folder "
            "where there is none. A file that does not parse is told, and the next save tries again. What a "
            "scenario was looked for and not found in counts, too: a script that is put before the shipped one is "
            "noticed.\n"
            "Nothing is searched again where a script's new text does the same on every call that the last search "
            "made of it (\"known\"), and a search ends at the first failure that was not expected.\n"
            "Ctrl-C ends it with the status of all last results, as `run` would have it; 2 if one is still to "
            "come.\n",
        .example =
            "  locksim watch scenarios/seeds\n"
            "  locksim watch my/order_lock.lua --scripts my/scripts\n" },
    [COMMAND_REPLAY] = {
        .arguments = "FILE", .arguments_min = 1, .arguments_max = 1,
        .summary = "run a saved counterexample again, step by step",
        .about =
            "FILE is a counterexample that `locksim run` saved: a scenario's path (relative to FILE), the "
            "property that broke, and the schedule with the operation of each step; steps between [ and ] lead "
            "back to the same state and show what can go on for ever. If the scenario or its scripts have changed "
            "so that a step no longer fits, replay says at which step.\n"
            "Exit status 1 if the property breaks again, 0 if it does not, 65 if the schedule no longer fits.\n"
            "With --to the requests that the story executes are played to a real server, in their order and at "
            "their own times (--fast: without the time between), and every answer is shown beside ours; status 0 "
            "if all are as ours, 1 if not. The server should be one of its own: one that holds data is refused. "
            "Faults of the server (wipe, evict, failover) are not played.\n",
        .example =
            "  locksim replay .locksim/out/my.transfer.LK002.lua\n"
            "  redis-server --port 7777 --save '' &\n"
            "  locksim replay .locksim/out/my.transfer.LK002.lua --to 127.0.0.1:7777\n"
            "  locksim replay .locksim/out/my.transfer.LK002.lua --scripts my/changed_scripts\n" },
    [COMMAND_WALK] = {
        .arguments = "FILE", .arguments_min = 1, .arguments_max = 1,
        .summary = "go through a world by hand, one step at a time",
        .about =
            "FILE is a scenario (FILE:CASE for one of its cases), or a counterexample that `locksim run` saved: "
            "its steps are taken then, and `back` goes back to try what would have saved it.\n"
            "What can happen next is a numbered list. A line is a number, a step by its name in schedules "
            "(A.acquire, +100, !pause A), or a command: list, back, forward, go (without choices), next EVENT, "
            "keys, tasks, monitors, story, save FILE, help, quit. A fault may go beyond its budget. Lines come "
            "from the terminal or from a pipe.\n",
        .example =
            "  locksim walk scenarios/seeds/simple_string.lua:contended_2\n"
            "  printf 'next grant\\nkeys\\n!crash A\\n' | locksim walk my/transfer.lua\n"
            "  locksim walk .locksim/out/my.transfer.LK002.lua\n" },
    [COMMAND_COMPARE] = {
        .arguments = "OLD NEW [SCENARIO|DIR...]", .arguments_min = 1, .arguments_max = SIZE_MAX,
        .summary = "say whether any client can tell two versions of the scripts or drivers apart",
        .about =
            "OLD and NEW are folders of scripts and drivers, single files, or either at a git revision "
            "(HEAD~1:scripts). Both versions run side by side, each on a keyspace of its own, in every state of "
            "each SCENARIO: each request is executed on both, and answers, messages and keyspaces are compared "
            "(`locksim explain LK060 LK061`). Clients are OLD's; they get its answers.\n"
            "Without SCENARIO: of the shipped scenarios and those in both folders all that load a script that "
            "differs, the small ones first. Two files stand for the script that lies where one of them does; else "
            "for the one of the same file name; --as NAME says for which.\n"
            "EQUIVALENT within the scenarios' bounds, or DIFFERENT with the shortest story that tells them apart, "
            "and which properties are lost or won.\n"
            "Exit status: 0 equivalent, 1 different (or only the keyspaces: KEYS DIFFER), 2 undecided: a limit "
            "came first, or nothing that differs was run; 4 error in a driver or program, 64 usage, 65 bad "
            "scenario or version.\n"
            "With --dialect A,B the same scripts run on two servers, in every state of each argument, which are "
            "scenarios then: what changes for a lock when it moves. Of errors only the code counts: each server "
            "has its own words.\n"
            "Where client code differs, each version runs with its own, in lock step, until an observer can tell: "
            "by a request and its words, by what calls return to the program and what it is told or does next, or by "
            "the keyspace. A step that shows nothing outside may be taken by one alone; there is no schedule to "
            "replay, and --adapter, --ignore-keys and --ttl-within are for scripts only.\n"
            "An adapter is a file that returns function(script, reply, problem, version); what that returns is "
            "compared.\n",
        .example =
            "  locksim compare HEAD~1:scripts scripts\n"
            "  locksim compare old/acquire.lua new/acquire.lua my/order_lock.lua\n"
            "  locksim compare --dialect \"redis 7.0,valkey 9.1\" my/order_lock.lua\n"
            "  locksim compare HEAD:locks locks locks/scenarios --ignore-keys \"stats:*\"\n" },
    [COMMAND_INIT] = {
        .arguments = "ACQUIRE RELEASE [RENEW]", .arguments_min = 2, .arguments_max = 3,
        .summary = "write a first scenario for lock scripts of your own",
        .about =
            "Tries the scripts on a Redis in memory, in many ways, and finds out which KEYS and ARGV are the "
            "lock, its owner, the lease, the clock, the limit and the channel, what a grant and a refusal look "
            "like, and where the lock keeps its owner; writes a scenario with all of it filled in, and says what "
            "it found.\n"
            "Any of the three may be a command in words: 'SET $lock $owner NX PX $lease_ms', 'ZREM $lock $token'. "
            "Fields of JSON in ARGV are found by their names; MessagePack cannot be guessed; templates can, by what "
            "--render CMD makes of them.\n"
            "What the trial does not show it asks for on a terminal; else it is marked \"?\" in the file. A lock that "
            "several owners hold by right (readers), and a limiter, which has no release, it names as what they are.\n",
        .example =
            "  locksim init redis/acquire.lua redis/release.lua -o locks/order.lua\n"
            "  locksim init 'SET $lock $owner NX PX $lease_ms' free.lua extend.lua\n"
            "  locksim run locks/order.lua\n" },
    [COMMAND_SHELL] = {
        .arguments = "[FILE]", .arguments_min = 0, .arguments_max = 1,
        .summary = "a prompt like redis-cli's on the Redis in memory, with a clock that you move",
        .about =
            "Reads commands from a terminal, a pipe, or FILE, and prints replies as redis-cli does. Lines that "
            "begin with a dot speak to the shell: .help lists them (.clock .advance .keys .load .client .quit). "
            "The clock stands still until .advance moves it.\n",
        .example =
            "  locksim shell\n"
            "  printf 'set k v px 100\\n.advance 101\\nget k\\n' | locksim shell\n" },
    [COMMAND_SERVE] = {
        .arguments = "", .arguments_min = 0, .arguments_max = 0,
        .summary = "be a Redis for clients in any language, with a clock that tests can move",
        .about =
            "Listens for Redis clients (RESP2, and RESP3 after HELLO 3), prints one line that says where, and "
            "serves until SHUTDOWN, SIGINT or SIGTERM. Everything is kept in memory and forgotten at the end.\n"
            "With --clock manual time stands still until a client moves it: CLOCK ADVANCE MS, CLOCK SET MS (since "
            "1970) and DEBUG SLEEP S move it and answer at once; CLOCK GET tells it. So a test of a TTL need not "
            "wait.\n"
            "FAULT NEXT lose_reply [RESET] [CLIENT ID] [COMMAND NAME]: the next request that fits is executed, and its "
            "client hears nothing more on this connection (RESET: it is closed); FAULT LIST, FAULT CLEAR.\n"
            "A script that runs longer than busy-reply-threshold (CONFIG SET; 5000 ms of the machine's clock) stops "
            "no client: others are answered BUSY, and SCRIPT KILL ends it. CLIENT PAUSE and UNPAUSE are known.\n",
        .example =
            "  locksim serve --clock manual\n"
            "  redis-cli -p 6390 set k v px 30000\n"
            "  redis-cli -p 6390 clock advance 30001\n"
            "  redis-cli -p 6390 get k\n"
            "  locksim serve --port 0 --unix /tmp/locksim.sock\n" },
    [COMMAND_DRIVE] = {
        .arguments = "NAME=COMMAND...", .arguments_min = 1, .arguments_max = 32,
        .summary = "run real programs under virtual time, in orders and with faults that break locks",
        .about =
            "Starts each COMMAND as a client of that NAME, unmodified: a preloaded library gives it a clock that "
            "stands still until every program waits, seeded random numbers, and for port 6379 of Redis one that "
            "locksim holds. Whenever every thread sleeps, chance chooses what happens next: a request is "
            "executed, an answer is delivered, a sleep ends, time passes, one of several threads goes on, a fault "
            "strikes. The same seed gives the same run; a story is run again before it is told, made short, and "
            "saved.\n"
            "A program says what it believes by lines on its standard output, or by ECHO:\n"
            "  enter [NAME]   it is inside what the lock protects; it is held in that line, so that others "
            "come in between\n"
            "  leave [NAME]   it is outside again, and may release\n"
            "  token N        it uses the fencing token N\n"
            "Judged: two programs inside at one time (LK002), stale tokens (LK005), who was refused a lock and "
            "waits for ever (LK011), locks by SET NX or SETNX that stay behind (LK030) or have no expiry (LK031), "
            "busy waiting (LK051).\n"
            "A COMMAND is split into words as redis-cli does, and no shell is in between ('A=sh -c \"...\"' "
            "starts one). Programs have to be linked dynamically with glibc: Python, Node, the JVM, redis-cli and "
            "most C programs are; Go's, static ones and those with musl are refused. What was not under control "
            "makes the result INCONCLUSIVE, and is named.\n"
            "Exit status: 0 pass, 1 violated, 2 inconclusive, 3 vacuous (no connection, or no client ever held a "
            "lock), 4 a program fails in every run, 64 usage, 65 a schedule does not fit, 70 our bug.\n",
        .example =
            "  locksim drive 'A=python3 worker.py' 'B=python3 worker.py'\n"
            "  locksim drive --faults pause=1,crash=1 'A=python3 worker.py' 'B=node w.js'\n"
            "  locksim drive --same --runs 20 'A=python3 worker.py' 'B=python3 worker.py'\n"
            "  locksim replay .locksim/out/drive.LK002.lua\n" },
    [COMMAND_PLOT] = {
        .arguments = "DIR...", .arguments_min = 1, .arguments_max = SIZE_MAX,
        .summary = "draw what `locksim simulate` measured",
        .about =
            "Each DIR is a folder that `locksim simulate` wrote for one scenario and workload: all of them are "
            "drawn together, one above the other or as curves in one picture. Or it is a folder of such folders: "
            "those of one workload are then drawn together, workload by workload. Up to 8 share a picture; of "
            "more only `compare` is drawn.\n"
            "gnuplot draws, from the templates reports/*.gp; they work by hand, too:\n"
            "  gnuplot -e \"data='DIR DIR'; out='cdf.svg'\" reports/cdf.gp\n"
            "Pictures:\n"
            "  cdf        how long they waited\n"
            "  ccdf       the same for the long waits, log scales\n"
            "  boxes      each client's waits\n"
            "  wait_time  waits over virtual time\n"
            "  grants     who got the lock\n"
            "  overtakes  how many who asked later went first\n"
            "  jain       Jain's index over time\n"
            "  gantt      who held the lock and who waited\n"
            "  queue      how many waited\n"
            "  handoff    how long the lock lay idle meanwhile\n"
            "  compare    two or more side by side, one row each, with intervals and costs\n"
            "Nothing else is needed to see them: no display, no network. The same data give the same bytes.\n"
            "Exit status: 0 drawn, 64 usage, or no gnuplot (the data stay), 65 a data file is not as it should be "
            "(it is named, with the line), 70 our bug.\n",
        .example =
            "  locksim simulate scenarios/fairness -o .locksim/out/sim\n"
            "  locksim plot .locksim/out/sim\n"
            "  locksim plot .locksim/out/sim/redisson_fair.saturated --only ccdf,gantt\n" },
    [COMMAND_LIST] = {
        .arguments = "scenarios|locks|properties|faults", .arguments_min = 1, .arguments_max = SIZE_MAX,
        .summary = "list what there is: scenarios, locks, properties, faults",
        .about =
            "`list scenarios [DIR...]` lists the shipped scenarios, or those below each DIR, with the first "
            "sentence of each.\n"
            "`list locks` lists the drivers below each --scripts DIR and the shipped ones, by the name `require` "
            "takes.\n",
        .example =
            "  locksim list properties\n"
            "  locksim list scenarios my/scenarios\n" },
    [COMMAND_EXPLAIN] = {
        .arguments = "CODE|NAME...", .arguments_min = 1, .arguments_max = SIZE_MAX,
        .summary = "explain a finding code, a property, a verdict or a fault",
        .about =
            "Takes codes (LK010, LS008), properties (no_lost_wakeup), verdicts (VACUOUS), faults (lose_reply), or "
            "`all`.\n",
        .example =
            "  locksim explain LK010\n"
            "  locksim explain mutual_exclusion vacuous pause\n" },
    [COMMAND_MUTATE] = {
        .arguments = "FILE|DIR...", .arguments_min = 1, .arguments_max = SIZE_MAX,
        .summary = "make small mistakes in scripts and drivers and see which ones the scenarios notice",
        .about =
            "Changes each FILE, a script or a driver, in one place at a time (drops a statement, forces a "
            "condition, swaps an operator, an index, two calls, leaves early, ...) and runs the scenarios that "
            "load it, the shortest searches first, until a result changes.\n"
            "In client code requests are also dropped and change places, a subscription is dropped, an error "
            "swallowed, a callback skipped; what only tells the model (me:granted, op =, view) stays.\n"
            "Of a scenario, the code outside its table counts; of FILE:CASE it is judged by that case, as if "
            "--scenarios named it. Of a DIR, the files below it that some scenario loads count. "
            "Scenarios that lie elsewhere find files by their names beside each FILE and below each "
            "DIR, as if --scripts named these.\n"
            "Mutants are killed, equivalent within bounds, explained, undecided (a limit came first), or survive: "
            "what survives is listed with its place. Lua is read by luacheck's parser (Debian: lua-check).\n"
            "Exit status: 0 nothing survives, 1 something does, 2 something is undecided, 64 usage, 65 bad script "
            "or revision.\n",
        .example =
            "  locksim mutate my/acquire.lua --scenarios my/scenarios\n"
            "  locksim mutate scripts/redisson/lock -o .locksim/out/mutation\n"
            "  locksim mutate scripts --kind drivers --sample 300\n"
            "  locksim mutate scripts --in-diff main\n"
            "  locksim mutate scripts --shard 1/4 --format json\n" },
    [COMMAND_LINT] = {
        .arguments = "SCRIPT|DIR...", .arguments_min = 1, .arguments_max = SIZE_MAX,
        .more = lint_add_codes, .summary = "say what is wrong with scripts and drivers without running them",
        .about =
            "Reads each SCRIPT as Redis 7.0 would, and says what can be known of it: what it would fail on, keys "
            "that the caller did not name, locks that can stay for ever, replies that may be missing, ... Both "
            "sides of each test are followed, and local functions.\n"
            "Below a DIR every .lua file counts that uses KEYS, ARGV or redis as globals, and client code: of "
            "drivers and scenarios the texts that they give to script.text as they stand, and what a lock's "
            "client gets wrong (LC001 and on): answers that are ignored, subscriptions without a check, "
            "blind releases, renewals without end. What a scenario's own table does is the test, and left alone.\n"
            "A comment allows a finding on its line, or on the line of code below it: -- locksim: allow LS008 "
            "REASON\n"
            "Names and syntax are luacheck's work (Debian: lua-check).\n"
            "Exit status: 0 nothing found, 1 something, 64 usage, 65 a script does not parse or cannot be read.\n",
        .example =
            "  locksim lint my/acquire.lua --keys 1 --argv 2\n"
            "  locksim lint my/lock_client.lua\n"
            "  locksim lint scripts --format sarif > lint.sarif\n"
            "  locksim explain LS008\n" },
    [COMMAND_TRACE] = {
        .arguments = "LOG", .arguments_min = 1, .arguments_max = 1,
        .summary = "judge the locks of a log: what really happened on a server",
        .about =
            "LOG is what `redis-cli MONITOR` printed, what `locksim serve --log` wrote, or other JSON lines, "
            "plain or gzip; - is standard input. A JSON line is one request:\n"
            "  {\"time\": 1700000000123, \"client\": \"A\", \"words\": [\"GET\", \"k\"], \"answer\": "
            "\"OK\"}\n"
            "with `time` in ms since 1970, and `answer` and `db` where they are known. Lines stand in the "
            "server's order.\n"
            "The requests run again on a Redis in memory at their own times. What --lock names says which of them "
            "acquire, renew and release a lock (default: redis_py.lock, redisson.lock and redisson.fair); all "
            "else is passed over.\n"
            "A script is known by its EVAL or SCRIPT LOAD, by its table, or by --scripts; of an unknown one the "
            "commands that MONITOR shows are executed.\n"
            "Told are violations: two holders (LK001), a hold taken, shortened or renewed by another (LK003), a "
            "lock without expiry (LK031), the queue's head passed over (LK020), errors of scripts (LK050); and "
            "warnings:\n"
            "  overrun         a lease ended during a hold, and its owner came back later\n"
            "  orphan          a hold was renewed for many leases without another word of its owner\n"
            "  storm           very many refused attempts within a second\n"
            "  difference      the log's server did something else than ours: the lock is judged again from "
            "when it is surely free\n"
            "  strange_request (--conform) the driver would never send it, and what it would send\n"
            "  unknown_script  the script is not known; disorder: a line is earlier than the one before it\n"
            "LK002 cannot be judged from a server's log: it does not say what clients believe; clients' own logs do.\n"
            "Exit status: 0 no property is violated, 1 one is (or a strange request), 2 a part could not be judged "
            "(difference, disorder, bad lines, unknown scripts without their commands), 3 no client was granted a "
            "lock, 64 usage, 65 no line is one of a log, or a bad table; 1 before 3 before 2.\n",
        .example =
            "  redis-cli MONITOR > redis.log\n"
            "  locksim trace redis.log --lock redisson.lock\n"
            "  locksim trace monday.log.gz --lock my/order_lock.lua -o .locksim/out\n"
            "  locksim trace monday.log.gz --format html > monday.html\n"
            "  locksim trace monday.log.gz --to-scenario incident.lua\n" },
};

const char *command_name(command_kind c)
{
#define NAME_OF(NAME, name) #name,
    static const char *const names[] = { COMMANDS(NAME_OF) };
#undef NAME_OF
    return names[c];
}

const command_info *command_describe(command_kind c)
{
    return &commands[c];
}

bool command_parse(str name, command_kind *c, err *e)
{
    str known[COMMAND_COUNT + 1] = { [COMMAND_COUNT] = S("help") };
    for (size_t i = 0; i < COMMAND_COUNT; i++) {
        known[i] = str_from(command_name((command_kind)i));
        if (str_eq(name, known[i])) {
            *c = (command_kind)i;
            return true;
        }
    }
    str near = err_nearest(name, known, COUNT(known));
    err_set(e, ERR_USAGE, "there is no subcommand '%.*s'", STR_ARG(name));
    if (near.n)
        return err_hint(e, "did you mean `locksim %.*s`?", STR_ARG(near));
    buf names = { 0 };
    for (size_t i = 0; i < COMMAND_COUNT; i++)
        buf_printf(&names, i ? ", %s" : "%s", command_name((command_kind)i));
    err_hint(e, "the subcommands are %.*s", STR_ARG(buf_str(&names)));
    buf_free(&names);
    return false;
}
