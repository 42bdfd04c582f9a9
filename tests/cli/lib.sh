# lib.sh - what the command line's checks share; run.sh sources it, then one file of checks after the other.
# A file of checks works in an empty folder of its own ($PWD); $ROOT is the source tree.

# Runs locksim with the arguments; afterwards $status, and the files $out and $err. What takes $RUN_SECONDS_MAX hangs:
# on a busy machine all takes longer, so what must be quick says how much of the processor it may use:
# RUN_CPU_SECONDS=20 run ...
run() {
    status=0
    if [ -n "${RUN_CPU_SECONDS:-}" ]; then
        (ulimit -t "$RUN_CPU_SECONDS" && exec timeout -k 5 "${RUN_SECONDS_MAX:-600}" "$LOCKSIM" "$@" > "$out" 2> "$err") || status=$?
    else
        timeout -k 5 "${RUN_SECONDS_MAX:-600}" "$LOCKSIM" "$@" > "$out" 2> "$err" || status=$?
    fi
}

# The same, and Ctrl-C once it has used so many hundredths of a second of the processor: until then it has begun,
# however busy the machine is. Usage: interrupt_after HUNDREDTHS ARG...
interrupt_after() {
    local hundredths=$1 process fields=() began=$SECONDS
    shift
    status=0
    "$LOCKSIM" "$@" > "$out" 2> "$err" &
    process=$!
    while read -ra fields 2> /dev/null < "/proc/$process/stat" && [ $((fields[13] + fields[14])) -lt "$hundredths" ] &&
        [ "${fields[2]}" != Z ] &&
          [ $((SECONDS - began)) -lt "${RUN_SECONDS_MAX:-600}" ]; do
        sleep 0.05
    done
    kill -INT "$process" 2> /dev/null
    began=$SECONDS
    while read -ra fields 2> /dev/null < "/proc/$process/stat" && [ "${fields[2]}" != Z ]; do
        [ $((SECONDS - began)) -lt "${RUN_SECONDS_MAX:-600}" ] || kill -KILL "$process"
        sleep 0.05
    done
    wait "$process" || status=$?
}

# One check: `check "what must be so" command...` passes if the command does.
check() {
    local name=$1
    shift
    if "$@"; then
        passed=$((passed + 1))
        [ -z "${VERBOSE:-}" ] || echo "ok   $suite: $name"
    else
        failed=$((failed + 1))
        echo "FAIL $suite: $name"
        echo "  command   $*"
        echo "  status    ${status:-}"
        sed 's/^/  stdout  | /' "$out" | head -40
        sed 's/^/  stderr  | /' "$err" | head -20
    fi
}

status_is() { [ "$status" -eq "$1" ]; }
out_has() { grep -qF -- "$1" "$out"; }
err_has() { grep -qF -- "$1" "$err"; }
out_is() { printf "$@" | cmp -s - "$out"; }
out_lacks() { ! grep -qF -- "$1" "$out"; }
out_is_empty() { [ ! -s "$out" ]; }
err_is_empty() { [ ! -s "$err" ]; }

# `ends STATUS "what"`: the last run's status, and no crash whatever it is.
ends() { check "$2: status $1" status_is "$1"; }

# ---- `locksim init` on two scripts, NAME_a.lua and NAME_r.lua ----

# init_finds NAME ACQUIRE RELEASE: these lines are told; the scenario is NAME.lua.
init_finds() {
    run init "$1_a.lua" "$1_r.lua" -o "$1.lua"
    ends 0 "$1"
    check "$1: acquire" out_has "acquire  $1_a.lua  $2"
    check "$1: release" out_has "release  $1_r.lua  $3"
}
# init_writes NAME LINE...: lines of its table.
init_writes() {
    local name=$1 line
    shift
    for line in "$@"; do
        check "$name: $line" grep -qF -- "$line" "$name.lua"
    done
}
init_passes() {
    run run "$1.lua" --pinned
    ends 0 "$1: its scenario"
}
