# simulate.sh - locksim simulate: what it measures agrees with theory, the same bytes whatever --jobs, partial and empty
# runs, bad input.

# Usage: workload FILE LOCK "WORKLOAD"     the scenario of one round with that lock.
workload() {
    cat > "$1" <<LUA
local driver = require "redisson.$2"
return {
  title = "a round of $2", clients = { "A", "B" },
  program = function(me)
    local lock = driver.lock(me, "order:42")
    lock:acquire()
    me:work()
    lock:release()
  end,
  workload = { $3 },
}
LUA
}
value_of() { awk -F '\t' -v m="$2" '$1 == m { print $3 }' "$1"; }
# Usage: near VALUE EXPECTED SHARE
near() { awk -v v="$1" -v e="$2" -v s="$3" \
    'BEGIN { exit !(v != "" && v != "-" && (v - e) * (v - e) <= (s * e) * (s * e)) }'; }
says() { tr -s ' \n' ' ' < "$out" | grep -qF -- "$1"; }        # wherever its lines are broken
no_nan() { ! grep -rqiE '(^|[^a-z])-?(nan|inf)([^a-z]|$)' "$@"; }

busy='name = "busy", clients = 5, arrivals = { think_ms = { exponential = 100 } }, hold_ms = { exponential = 20 }, latency_ms = { uniform = { 0.2, 0.4 } }, acquisitions = 200, warm_up = 20, seeds = 3'
workload fair.lua fair "$busy"
workload plain.lua lock "$busy"

run simulate fair.lua plain.lua -o a --jobs 1
ends 0 "simulate"
cp "$out" text
check "the verdict, the scenario and the workload come first" grep -qE '^MEASURED  fair.lua  busy' "$out"
check "intervals over the seeds" says \
    "3 seeds, 1 to 3: each number is their mean ± its 95 % interval by Student's t with 2 degrees of freedom"
check "the folder and the next command" grep -qE 'plot a/fair.busy$' "$out"
check "a comparison, a column for each lock" grep -qE '^  busy +fair +plain +difference$' "$out"
check "all files of data" test "$(ls a/fair.busy | wc -l)" -eq 13
check "each file says what it is, and has the same number of columns in each row" \
    bash -c 'for f in a/*/*.tsv; do head -1 "$f" | grep -q "^# " || exit 1; awk -F "\t" "/^#/ { next } n == 0 { n = NF } NF != n { exit 1 }" "$f" || exit 1; done'
check "nothing that is not a number" no_nan a "$out"
check "nothing is written elsewhere" test "$(ls | tr '\n' ' ')" = "a fair.lua plain.lua text "
check "the fair lock is not overtaken but by what passes it on the way" near \
    "$(value_of a/fair.busy/summary.tsv overtaken_mean)" 0.01 1
check "the plain one is" test "$(value_of a/plain.busy/summary.tsv overtaken_mean)" != 0
check "each waiter of the fair lock gets one message" near "$(value_of a/fair.busy/summary.tsv messages)" 0.6 0.5

MALLOC_PERTURB_=165 TZ=Asia/Kathmandu run simulate fair.lua plain.lua -o b --jobs 3
sed -i 's, b/, a/,g' "$out"
check "the same text whatever --jobs" cmp -s "$out" text
check "the same data whatever --jobs" diff -r a b
run simulate fair.lua --format json -o b --seed 2 --seeds 1
ends 0 "simulate as JSON"
cp "$out" second.json
run simulate fair.lua --format json -o b
check "a seed's number is the same, alone or among others" \
    test "$(grep -A8 '"wait_mean"' "$out" | sed -n '/seeds/,$p' | sed -n 3p | tr -d ' ,')" = \
        "$(grep -A7 '"wait_mean"' second.json | sed -n '/seeds/,$p' | sed -n 2p | tr -d ' ,')"
check "one seed alone has no interval" grep -q '"low": null' second.json
check "JSON names the files that were written" \
    test "$(sed -n '/"files": \[/,/\]/p' second.json | grep -oE '[a-z_]+\.tsv' | sort | tr '\n' ' ')" = \
        "$(ls b/fair.busy | LC_ALL=C sort | tr '\n' ' ')"
run simulate fair.lua --seeds 1 -o b
check "and says so" says "one seed: no interval"
check "no ± there" out_lacks "±"
run simulate fair.lua --seeds 2 --seed 7 -o b
check "another seed, other numbers" test "$(value_of b/fair.busy/summary.tsv wait_mean)" != \
    "$(value_of a/fair.busy/summary.tsv wait_mean)"

# One server at half load, 100 ms held: the mean wait is 100 ms where holds are exponential (M/M/1), 50 ms where all are
# equal (M/D/1), and as many wait as arrive in that time (Little).
rest='clients = 60, arrivals = { poisson_per_s = 5 }, latency_ms = 0, acquisitions = 2500, warm_up = 100, seeds = 4'
workload theory.lua fair \
    "{ name = 'mm1', hold_ms = { exponential = 100 }, $rest }, { name = 'md1', hold_ms = 100, $rest }"
run simulate theory.lua -o theory
ends 0 "theory"
for queue in mm1:100 md1:50; do
    summary=theory/theory.${queue%:*}/summary.tsv
    check "${queue%:*}: the mean wait" near "$(value_of "$summary" wait_mean)" "${queue#*:}" 0.12
    check "${queue%:*}: the lock is held half of the time" near "$(value_of "$summary" busy)" 50 0.05
    check "${queue%:*}: Little's law" near "$(value_of "$summary" queue_mean)" \
        "$(awk -v w="$(value_of "$summary" wait_mean)" -v x="$(value_of "$summary" throughput)" 'BEGIN { print w * x / 1000 }')" 0.02
    check "${queue%:*}: first in, first out" test "$(value_of "$summary" overtaken_max)" = 0
    check "${queue%:*}: nothing lies idle" test "$(value_of "$summary" handoff_max)" = 0
done

# Twice as many demands as one server can take: those that no client came to are counted, 10 a second.
workload flood.lua lock \
    "clients = 3, arrivals = { poisson_per_s = 20 }, hold_ms = 100, latency_ms = 0, duration_ms = 60000, seeds = 1"
run simulate flood.lua -o b
ends 0 "more demands than can be served"
check "those that nobody came to" near "$(value_of b/flood/summary.tsv unserved)" 600 0.2
check "are told" out_has "demands that no client came to"
check "waits count from the demand" near "$(value_of b/flood/summary.tsv wait_max)" 30000 0.25

# Crashes: what they cut is counted, and the faults are there to be drawn.
workload crash.lua lock \
    "clients = 5, arrivals = { think_ms = 50 }, hold_ms = 20, latency_ms = 1, crash = { per_s = 1, back_ms = 300 }, pause = { per_s = 1, ms = 100 }, duration_ms = 60000, seeds = 1"
run simulate crash.lua -o b
ends 0 "crashes"
check "crashes are told" grep -qE 'crashes [0-9]+ +pauses [0-9]+' "$out"
check "and drawn" bash -c 'grep -q crash b/crash/faults.tsv && grep -q pause b/crash/faults.tsv'
check "holds and waits that they cut" out_has "crashed holding"

# Nobody ever acquires; no workload; errors; what cannot be read.
cat > nobody.lua <<'LUA'
return { title = "nobody", clients = { "A" }, program = function(me) me:call("GET", "k") end,
         workload = { clients = 3, arrivals = { think_ms = 10 }, duration_ms = 1000, seeds = 2 } }
LUA
run simulate nobody.lua -o b
ends 3 "nobody acquires"
check "EMPTY" grep -q '^EMPTY  nobody.lua' "$out"
check "no number that is none" no_nan "$out" b/nobody
check "the files are there, with their columns" grep -q '^wait_ms' b/nobody/waits.tsv
check "- for what is not defined" grep -qE '^wait_mean	ms	-	-	-	0$' b/nobody/summary.tsv
check "and where there was no warm-up it is not blamed" bash -c "! grep -q warm-up '$out'"
sed -i 's/duration_ms = 1000, //; s/seeds = 2/seeds = 1/' nobody.lua
run simulate nobody.lua -o b
ends 3 "nobody acquires, and nothing but acquisitions would end it"
check "why it ended" says \
    "1 of 1 run ended early: 100,000 rounds in a row ended and no client was granted anything; duration_ms says"
cat > refused.lua <<'LUA'
return { clients = { "A" }, program = function(me)
  me:wants("L") me:granted("L")
  me:call("GET", "k")
  me:eval("return redis.call('incr', KEYS[1])", { "k" }, {})
  if me:unique("n"):find(":3", 1, true) then me:eval("return redis.call('lpush', KEYS[1], 1)", { "k" }, {}) end
  me:released("L")
end, workload = { arrivals = { at_ms = { 1, 2, 3, 4, 5 } }, latency_ms = 0, seeds = 2 } }
LUA
run simulate refused.lua -o b
ends 0 "a script that fails now and then"
check "that, and how" says \
    "2 requests were answered with an error, warm-up included, the first: eval: WRONGTYPE Operation against a key holding"
run simulate refused.lua --format json -o b --seeds 1
check "also as JSON" grep -q '"error_answers": 1' "$out"
cat > broken_script.lua <<'LUA'
return { clients = { "A" }, program = function(me)
  me:wants("L") me:eval("return redis.call('get', KEYS[1]", { "k" }, {}) me:gave_up("L")
end, workload = { arrivals = { at_ms = { 1 } }, latency_ms = 0, seeds = 1 } }
LUA
run simulate broken_script.lua -o b
check "a script that does not compile is no unknown one" says \
    "eval: ERR Error compiling script (new function): user_script:1: ')' expected"
sed "s/return redis.call('get', KEYS\[1\]/return redis.error_reply(('no'):rep(3000))/" broken_script.lua \
    > long_error.lua
run simulate long_error.lua -o b
check "a long error is cut" bash -c "[ \$(wc -c < '$out') -lt 3000 ]"
sed "s/workload = {/workload = { locks = { 'elsewhere' },/" plain.lua > elsewhere.lua
run simulate elsewhere.lua -o b --seeds 2
ends 3 "another lock is measured than the one that is asked for"
check "which" says "lets count only elsewhere"
workload early.lua fair \
    "clients = 2, arrivals = { at_ms = { 1, 2, 3 } }, warm_up_ms = 1000, hold_ms = 1, latency_ms = 0, seeds = 2"
run simulate early.lua -o b
ends 3 "all is over before the warm-up is"
check "the warm-up is to blame" says "granted a lock after the warm-up"
# Seeds that agree have no interval, whatever a sum of theirs is rounded to.
workload agree.lua lock \
    "clients = 3, arrivals = { think_ms = 10 }, latency_ms = 1, hold_ms = 5, acquisitions = 100, seeds = 3"
run simulate agree.lua -o b
ends 0 "seeds that agree"
check "no interval where all agree" bash -c "! grep -qF '±0.0' '$out'"
sed '/workload = /d; s/me:work()/me:work(30)/' fair.lua > once.lua
run simulate once.lua -o b --seeds 2
ends 0 "no workload"
check "says what was run instead" says "each client ran its program once"
sed 's/me:work()/me:nothing()/' fair.lua > broken.lua
run simulate broken.lua plain.lua -o b
ends 4 "an error in the program"
check "where it is" out_has "broken.lua:7:8:"
check "the other one is measured" grep -q '^MEASURED  plain.lua' "$out"
check "no data of what failed" test ! -e b/broken.busy
run simulate broken.lua --format json -o b
ends 4 "an error, as JSON"
check "it is in the document" out_has '"result": "ERROR"'
check "and on stderr" err_has "broken.lua:7:8:"
run simulate fair.lua --workload bus -o b
ends 64 "an unknown workload"
check "the nearest is named" out_has "did you mean --workload busy?"
run simulate missing.lua
ends 65 "a missing file"
mkdir -p none && cp once.lua none/
run simulate none
ends 65 "a folder without workloads"
check "says so" out_has 'no scenario below it has a `workload`'
run simulate fair.lua --seeds 0
ends 64 "no seeds"
run simulate fair.lua --format junit
ends 64 "a format that it does not write"
touch file
run simulate fair.lua plain.lua --seeds 1 -o file/x
ends 64 "data that cannot be written"
check "the results are shown all the same" test "$(grep -c ^MEASURED "$out")" -eq 2
check "said once" test "$(grep -c 'error\[' "$err")" -eq 1
check "and no folder is named" out_lacks "wrote"
run simulate fair.lua plain.lua --seeds 1 -o "two words"
check "the next command can be pasted" out_has "plot 'two words/fair.busy'"
check "and that of both" out_has "plot 'two words/fair.busy' 'two words/plain.busy'"
rm "two words/fair.busy/waits.tsv" && mkdir "two words/fair.busy/waits.tsv"
run simulate fair.lua --seeds 1 --seed 2 -o "two words"
ends 64 "a file of data that cannot be written over"
run plot "two words/fair.busy"
ends 64 "what is then there, of two runs"
check "is no data any more" err_has "there are no data of a simulation here"

# Two files of one name get a folder each.
mkdir -p one two && cp fair.lua one/ && cp plain.lua two/fair.lua
run simulate one two --seeds 1 -o names
check "a folder each" test "$(ls names | tr '\n' ' ')" = "fair.busy fair.busy.2 "

# Limits: what there is, and that it is not all.
workload long.lua fair \
    "clients = 20, arrivals = { think_ms = 1 }, hold_ms = 1, latency_ms = 1, duration_ms = 1000000000, seeds = 2"
for seconds in 1 5 20 60; do                       # a busy machine measures less in a second
    run simulate long.lua --time-limit "$seconds" -o b
    ! grep -qE 'wait, ms +mean' "$out" || break
done
ends 2 "a time limit"
check "PARTIAL" grep -q '^PARTIAL  long.lua' "$out"
check "says what it is" says "the time limit came first: not one run came to its end"
check "and what was measured by then" grep -qE 'wait, ms +mean' "$out"
interrupt_after 70 simulate long.lua plain.lua -o b --jobs 1
ends 2 "Ctrl-C"
check "Ctrl-C: says so" says "interrupted: not one run came to its end"
check "Ctrl-C: what had not begun is no empty result" bash -c \
    "! grep -q ^EMPTY '$out' && ! grep -q 'PARTIAL.*plain' '$out'"
check "Ctrl-C: and that is said" out_has "interrupted: 1 of 2 workloads were not simulated"
check "Ctrl-C: data of what there is" grep -q 'result	PARTIAL' b/long/meta.tsv
status=0
timeout --preserve-status -k 5 1 "$LOCKSIM" simulate long.lua -o b --jobs 1 > "$out" 2> "$err" || status=$?
ends 2 "SIGTERM, as a CI cancels"
check "is an interruption, too" says "interrupted: not one run came to its end"
"$LOCKSIM" simulate fair.lua plain.lua --seeds 1 -o b 2> "$err" | head -1 > "$out"
check "a closed pipe ends it" grep -q '^MEASURED\|^options' "$out"
