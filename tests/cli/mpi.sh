# mpi.sh - a job of several ranks says what one process says, byte for byte; a rank that is killed ends it with what is
# known; ranks of different builds or command lines are refused. Skipped, with a word, where the program for it is not
# built (Open MPI is missing) or sanitizers watch it, to whom Open MPI itself leaks.

MPI=$LOCKSIM-mpi
cat > cube.lua <<'Y'
return { title = "64 states", start_ms = 0, clients = { "A", "B", "C" },
  program = function(me) for i = 1, 3 do me:step() end me:call("PING") end }
Y

run run cube.lua --mpi
ends 64 "a build without MPI"
check "it says how to get one" err_has 'build it with `make MPI=1`'
run run cube.lua --mpi --jobs 2
ends 64 "--mpi and --jobs"
check "it says what to do instead" err_has 'mpirun -n N, or srun -n N'

# Usage: ranks N PROGRAM ARG...
ranks() {
    local n=$1
    shift
    status=0
    timeout -k 5 "${RUN_SECONDS_MAX:-600}" mpirun $as_root --oversubscribe -n "$n" "$@" > "$out" 2> "$err" || status=$?
    sed -i "s|$MPI replay|$LOCKSIM replay|" "$out"     # the name of the program that was called
}

as_root=
[ "$(id -u)" -ne 0 ] || as_root=--allow-run-as-root
if [ ! -x "$MPI" ] || ! command -v mpirun > /dev/null; then
    echo "mpi: skipped: no $(basename "$MPI"), or no mpirun: Open MPI is missing (Debian: libopenmpi-dev, openmpi-bin)"
elif grep -qa __asan_init "$MPI"; then
    echo "mpi: skipped: sanitizers watch this build"
else
    mkdir many
    for i in 1 2 3 4; do
        cat > many/$i.lua <<Y
local lock = require "redisson.lock"
return { title = "number $i", start_ms = 0, clients = { "A", "B" }, faults = { pause = $((i % 2)) },
  program = function(me)
    local l = lock.lock(me, "L", { lease_ms = ${i}000 })
    l:acquire() me:work(${i}0) l:release()
  end,
  expect = { strict_mutual_exclusion = "holds" } }
Y
    done
    echo 'return { title = 1 }' > many/bad.lua
    printf 'return { title = "t", clients = { "A" }, program = function(me) error("no") end }\n' > many/broken.lua
    printf 'return { title = "t", clients = { "A" }, program = function(me) me:sleep(1) end }\n' > many/idle.lua
    cp cube.lua many
    for format in text json; do
        run run many --format $format
        mv "$out" alone.$format
        was=$status
        for n in 1 2 4; do
            [ $n = 2 ] || [ $format = text ] || continue
            ranks $n "$MPI" run many --format $format --mpi
            ends "$was" "$format on $n ranks"
            check "$format on $n ranks is what one process says" cmp -s "$out" alone.$format
        done
    done
    check "there were failures, and errors" eval 'grep -q "^FAIL" alone.text && grep -q "^ERROR" alone.text'
    run run many --verbose --profile --measure --coverage one --out out_one
    mv "$out" alone
    ranks 3 "$MPI" run many --verbose --profile --measure --coverage other --out out_one --mpi
    check "so it is with all that --verbose tells" cmp -s "$out" alone
    check "and with what is written" diff -r one other
    check "who reads stderr sees each error once" test "$(grep -c 'bad.lua' "$err")" -le 1
    ranks 3 "$MPI" run many --fail-fast --mpi
    cp "$out" failed
    run run many --fail-fast
    check "--fail-fast ends at the same scenario" cmp -s "$out" failed

    # Kills rank 2 of the job $job once the command says so. Usage: kill_rank_2 COMMAND...
    kill_rank_2() {
        local began=$SECONDS victim= process
        while [ -z "$victim" ] && [ $((SECONDS - began)) -lt 120 ]; do
            sleep 0.2
            "$@" > /dev/null 2>&1 || continue
            for process in $(pgrep -P "$job"); do
                tr '\0' '\n' < "/proc/$process/environ" 2> /dev/null | grep -qx "OMPI_COMM_WORLD_RANK=2" &&
                    victim=$process
            done
        done
        check "the job has begun" test -n "$victim"
        [ -z "$victim" ] || kill -KILL "$victim"
        status=0
        wait "$job" || status=$?
    }

    # A rank is killed while it is at work.
    mkdir long
    cp cube.lua long/a.lua
    for name in b c d; do
        printf 'return { title = "t", clients = { "A", "B" }, program = function(me) while true do me:call("INCR", "n") end end }\n' \
            > long/$name.lua
    done
    mpirun $as_root --oversubscribe -n 3 "$MPI" run long --mpi > "$out" 2> "$err" &
    job=$!
    kill_rank_2 grep -q "long/a.lua" "$out"        # so that something is known
    ends 137 "a rank that is killed (128 + SIGKILL, from mpirun)"
    check "what was known is told" out_has "long/a.lua"
    check "and how much was not run" out_has "not run"

    # What it had done is kept, and another job goes on, of as many ranks as it likes, or a single process.
    # There are so many that some are left when the first are done.
    apart=12
    mkdir apart
    for i in $(seq $apart); do
        cat > apart/$i.lua <<Y
local lock = require "redisson.lock"
return { title = "number $i", clients = { "A", "B" }, faults = { crash = 1, pause = 1 },
  program = function(me)
    local l = lock.lock(me, "L", { lease_ms = ${i}0000 })
    l:acquire() me:work(100) l:release()
  end }
Y
    done
    run run apart -v
    was=$status
    cp "$out" whole
    mpirun $as_root --oversubscribe -n 3 "$MPI" run apart -v --mpi --checkpoint kept --checkpoint-every 1 > "$out" 2> "$err" &
    job=$!
    kill_rank_2 eval 'ls kept/*.result'
    ends 137 "a rank that is killed, of a job that keeps what it finds"
    check "some scenarios are done, some are not" test "$(ls kept/*.result | wc -l)" -lt $apart
    cp -r kept kept_too
    ranks 2 "$MPI" run apart -v --mpi --resume kept
    ends "$was" "two ranks go on"
    check "the result is that of one run, byte for byte" cmp -s "$out" whole
    status=0
    "$MPI" run apart -v --resume kept_too > "$out" 2> "$err" || status=$?
    ends "$was" "the same program goes on as one process"
    sed -i "s|$MPI replay|$LOCKSIM replay|" "$out"
    check "so it is there" cmp -s "$out" whole
    run run apart -v --resume kept
    ends 65 "the program without MPI is another build"

    # Mutants: each rank does some searches, and all know what came of them.
    mkdir my
    printf '%s\n' "if redis.call('set', KEYS[1], ARGV[1], 'NX', 'PX', ARGV[2]) then" "  return 1" "end" "return 0" \
        > my/acquire.lua
    printf '%s\n' "if redis.call('get', KEYS[1]) == ARGV[1] then" "  return redis.call('del', KEYS[1])" "end" "return 0" \
        > my/release.lua
    printf '%s\n' "redis.call('incr', KEYS[1])" "return tonumber(ARGV[1]) + 5" > my/touch.lua    # nobody looks at its answer
    cat > my/mine.lua <<'Y'
local M = require "generic".lock {
  acquire = "acquire.lua", release = "release.lua", keys = { "$lock" },
  args = { acquire = { "$owner", "$lease_ms" }, release = { "$owner" } },
  granted = 1, holder = "string value", wait = "sleep", retry_ms = 250, lease_ms = 1000,
}
function M.unused(me) return me:now() + 1 end
return M
Y
    cat > my/two.lua <<'Y'
return { title = "mine", clients = { "A", "B" }, program = function(me)
  me:eval(script "touch.lua", { "n" }, { 2 })
  local lock = require "mine".lock(me, "order:42")
  if lock:acquire() then me:work(100) lock:release() end
end }
Y
    run mutate my -v -o one_kept
    was=$status
    cp "$out" alone
    check "some are killed, some are equivalent, some survive" test \
        "$(grep -oE '^  (killed|equivalent|survived)' alone | sort -u | wc -l)" -eq 3
    for n in 2 3; do
        ranks $n "$MPI" mutate my -v -o kept_by_$n --mpi
        ends "$was" "mutants on $n ranks"
        check "the result is what one process says" cmp -s "$out" <(sed "s/one_kept/kept_by_$n/" alone)
        check "and so is what is kept" diff -r one_kept kept_by_$n
    done
    check "who reads stderr sees each sum once" test "$(grep -c 'scenarios pass within 300 states' "$err")" -eq 1
    awk 'NR < 9' one_kept/index.tsv > some && cp some kept_by_2/index.tsv
    ranks 2 "$MPI" mutate my -v -o kept_by_2 --mpi
    check "two ranks go on from what is kept" cmp -s "$out" <(sed "s/one_kept/kept_by_2/" alone)
    run mutate my --mpi
    ends 64 "mutate in a build without MPI"

    # Seeds of a simulation: seed 0 stays on rank 0, which keeps more of it.
    mkdir crowd
    cat > crowd/busy.lua <<'Y'
local redisson = require "redisson.fair"
return { title = "busy", clients = { "A", "B" },
  program = function(me) local l = redisson.lock(me, "L", { lease_ms = 3000 }) l:acquire() me:work() l:release() end,
  workload = { { name = "some", clients = 5, arrivals = { poisson_per_s = 6 }, hold_ms = { exponential = 60 },
                 latency_ms = 1, duration_ms = 20000 },
               { name = "crashes", clients = 9, arrivals = { think_ms = 30 }, duration_ms = 20000,
                 crash = { per_s = 0.5, back_ms = 500 } } } }
Y
    sed 's/title = "busy"/title = "none"/; s/program = .*/program = function(me) error("no") end,/' crowd/busy.lua > crowd/none.lua
    sed 's/title = "busy"/title = "later"/; s/l:acquire() /l:acquire() if me:now() % 307 == 9 then error("no " .. me:now()) end /' crowd/busy.lua > crowd/later.lua
    sed 's/title = "busy"/title = "wrong"/; s/l:acquire() /l:acquire() me:call("HGET", "L") /' crowd/busy.lua > crowd/wrong.lua
    for format in text json; do
        run simulate crowd --seeds 5 -o data --format $format
        was=$status
        cp "$out" alone
        for n in 1 3; do
            ranks $n "$MPI" simulate crowd --seeds 5 -o data_$n --format $format --mpi
            sed -i "s|data_$n|data|g; s|$MPI|$LOCKSIM|g" "$out"
            ends "$was" "simulate on $n ranks, $format"
            check "$format of $n ranks is what one process says" cmp -s "$out" alone
            check "and so is the data" diff -r data data_$n
        done
    done
    check "there were numbers, failures and answers that are errors" \
        eval 'grep -q "\"acquisitions" alone && grep -q "\"error\"" alone && grep -q "wrong number of arguments" alone'
    mpirun $as_root --oversubscribe -n 3 "$MPI" simulate crowd/none.lua crowd/busy.lua --seeds 4000 -o data --mpi > "$out" 2> "$err" &
    job=$!
    kill_rank_2 grep -q "crowd/none.lua  crashes" "$out"           # so that something is known
    ends 137 "a rank of a simulation that is killed"
    check "what was known is told" out_has "error[driver]: no"

    # Runs of real programs.
    if [ -e /proc/self/schedstat ]; then
        cat > open.sh <<'SH'
redis-cli setnx stock 1 > /dev/null
redis-cli echo enter > /dev/null
redis-cli echo leave > /dev/null
SH
        cat > closed.sh <<'SH'
until [ "$(redis-cli set lock "$1" nx px 10000)" = OK ]; do sleep 1; done
redis-cli echo enter > /dev/null
redis-cli echo leave > /dev/null
redis-cli del lock > /dev/null
SH
        for program in open closed; do
            run drive --runs 7 -j1 -o driven "A=sh $program.sh a" "B=sh $program.sh b"
            was=$status
            cp "$out" alone
            ranks 3 "$MPI" drive --runs 7 --mpi -o driven_3 "A=sh $program.sh a" "B=sh $program.sh b"
            sed -i "s|driven_3|driven|g" "$out"
            ends "$was" "driven by 3 ranks: $program"
            check "what is told is what one process says" cmp -s "$out" alone
        done
        check "nothing broke in the last ones" test "$was" -eq 0
        sed -i "s|driven_3|driven|g" driven_3/*.lua
        check "and so are the stories" diff -r driven driven_3
        ranks 2 "$MPI" drive --mpi "A=sh closed.sh a" "B=no_such_program"
        ends 64 "no rank can begin"
        check "it is said once" test "$(grep -c "there is no program" "$err")" -eq 1
        run drive --mpi "A=sh closed.sh a"
        ends 64 "drive in a build without MPI"
    fi

    # Not one job.
    cp "$MPI" other_build
    echo >> other_build
    status=0
    mpirun $as_root --oversubscribe -n 1 "$MPI" run cube.lua --mpi : -n 1 ./other_build run cube.lua --mpi > "$out" 2> "$err" || status=$?
    ends 64 "ranks of two builds"
    check "it is said which" grep -qE "rank 1 \(on .*\) has another build of locksim than rank 0" "$err"
    status=0
    mpirun $as_root --oversubscribe -n 1 "$MPI" run cube.lua --mpi : -n 1 "$MPI" run cube.lua --verbose --mpi > "$out" 2> "$err" || status=$?
    ends 64 "ranks of two command lines"
    check "it is said, too" grep -qE "rank 1 \(on .*\) has another command line than rank 0" "$err"
    check "nothing was run" out_is_empty
fi
