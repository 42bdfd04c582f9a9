#!/bin/bash
# run.sh - runs suites of tests, shows what failed and nothing else, and ends in one line that sums up all:
# `N passed, N failed`.
# Usage: tests/run.sh SUITE...       (from the root; make has built the programs below $BUILD, the binary is $LOCKSIM)
#
#   unit          every program of tests/unit: cmocka, its results read as TAP; $T names some of them; $WRAP (valgrind)
#                 or $RUNNER (an emulator) goes before each
#   conformance   every program of tests/conformance beside a real redis-server; $N operations of what is random, of
#                 each module
#   NAME          tests/NAME/run.sh or tests/NAME.sh, whose last line is `N passed, N failed`
#
# A program that crashes, runs too long, or tests nothing has failed, and so has a suite without programs.
set -u
cd "$(dirname "$0")/.." || exit 1
BUILD=${BUILD:-build}
export LOCKSIM=${LOCKSIM:-$PWD/$BUILD/locksim} BUILD
seconds_max=${TEST_SECONDS_MAX:-3600}            # what hangs; a busy machine needs many times what an idle one does
logs=$BUILD/log
mkdir -p "$logs"
passed=0 failed=0

# Runs one program with its output in a log. Usage: run_one LOG COMMAND...
run_one() {
    local log=$1 at=$SECONDS
    shift
    {
        timeout -k 10 "$seconds_max" "$@" > "$log" 2>&1 < /dev/null
        echo $? > "$log.status"
    } 2> /dev/null         # bash's own "Aborted" would stand between the results
    echo $((SECONDS - at)) > "$log.seconds"
}

why_ended() {
    case $1 in
        124|137) echo "took more than $seconds_max s" ;;
        1[3-9][0-9]) echo "ended by signal $(($1 - 128))" ;;
        *) echo "exit status $1" ;;
    esac
}

# Adds up one program's log. `ok` and `not_ok` are its counts; a bad end without a failed test is a failure of its own.
account() {
    local name=$1 log=$2 ok=$3 not_ok=$4 status
    status=$(cat "$log.status")
    if [ "$status" -ne 0 ] && [ "$not_ok" -eq 0 ]; then
        not_ok=1
        echo "FAIL $name: $(why_ended "$status")"
        tail -n 60 "$log" | sed 's/^/  | /'
    elif [ $((ok + not_ok)) -eq 0 ]; then
        not_ok=1
        echo "FAIL $name: it tested nothing"
    elif [ "$not_ok" -gt 0 ]; then
        echo "FAIL $name: $not_ok of $((ok + not_ok))"
        # TAP programs: the failed tests with their messages. Others say it in their own way.
        if grep -q '^not ok' "$log"; then
            grep -A4 -E '^(not ok|\[|# )|ERROR|Error' "$log" | grep -vE '^(ok |--$|1\.\.)' | head -80 | sed 's/^/  | /'
        else
            tail -n 80 "$log" | sed 's/^/  | /'
        fi
    fi
    suite_ok=$((suite_ok + ok)) suite_bad=$((suite_bad + not_ok)) suite_programs=$((suite_programs + 1))
}

suite_unit() {
    local name names jobs
    jobs=$(nproc)
    names=${T:-$(basename -s .c tests/unit/test_*.c)}
    for name in $names; do
        while [ "$(jobs -rp | wc -l)" -ge "$jobs" ]; do wait -n; done
        CMOCKA_MESSAGE_OUTPUT=TAP run_one "$logs/$name" ${WRAP:-} ${RUNNER:-} "$BUILD/tests/unit/$name" &
    done
    wait
    for name in $names; do
        if [ -n "${WRAP:-}" ]; then
            account_memory "$name" "$logs/$name"
        else
            account "$name" "$logs/$name" "$(grep -c '^ok ' "$logs/$name")" "$(grep -c '^not ok ' "$logs/$name")"
        fi
    done
}

# Below valgrind only its own verdict counts, status 99: it computes long doubles with 64 bits, so that a few results
# differ there.
account_memory() {
    local status
    status=$(cat "$2.status")
    suite_programs=$((suite_programs + 1))
    if [ "$status" -eq 99 ] || [ "$status" -gt 123 ]; then
        suite_bad=$((suite_bad + 1))
        echo "FAIL $1: $(why_ended "$status")"
        grep -A12 '^==[0-9]*==' "$2" | head -60 | sed 's/^/  | /'
    else
        suite_ok=$((suite_ok + 1))
    fi
}

# The last line that counts, wherever warnings of a sanitizer may stand.
count_line() { grep -E '^[0-9]+ passed, [0-9]+ failed$' "$1" | tail -n 1; }

account_line() {
    local line
    line=$(count_line "$2")
    account "$1" "$2" "$(echo "${line:-0 passed, 0}" | cut -d' ' -f1)" "$(echo "${line:-0 passed, 0}" | cut -d' ' -f3)"
}

# Beside the other programs, as many as there are cores, each with a server of its own. Usage: conformance_part NAME
# PART ARG...
conformance_part() {
    local name=$1 part=$2
    shift 2
    while [ "$(jobs -rp | wc -l)" -ge "$(nproc)" ]; do wait -n; done
    parts+=("$name$part")
    run_one "$logs/conformance-$name$part" tests/conformance/server.sh "$BUILD/tests/conformance/$name" "$@" &
}

# $N operations of each module (for a night) or $OPERATIONS; 200,000 are what a seed is good for.
conformance_differential() {
    local module
    for module in $("$BUILD/tests/conformance/differential" modules); do
        conformance_part differential "-$module" "${N:-${OPERATIONS:-200000}}" "${SEED:-1}" "$module"
    done
}

suite_conformance() {
    local source name part runs=${RUNS:-1} seconds_max=$seconds_max
    [ -n "${N:-}" ] && seconds_max=86400       # for a night
    local -a parts=()
    # The longest first, in two parts.
    conformance_part replay -faults "$runs" scenarios/faults
    conformance_part replay -others "$runs" $(find scenarios -mindepth 1 -maxdepth 1 ! -name faults | LC_ALL=C sort)
    for source in tests/conformance/*.c; do
        name=$(basename "$source" .c)
        [ "$name" = differential ] && conformance_differential
        [[ $name != replay && $name != differential ]] && grep -q '^int main' "$source" || continue     # a helper
        conformance_part "$name" '' ${N:+"$N"}
    done
    parts+=(cluster)
    run_one "$logs/conformance-cluster" tests/conformance/cluster.sh &
    while [ "$(jobs -rp | wc -l)" -ge "$(nproc)" ]; do wait -n; done
    parts+=(busy)
    run_one "$logs/conformance-busy" tests/conformance/busy.sh &
    wait
    for part in "${parts[@]}"; do
        account_line "conformance/$part" "$logs/conformance-$part"
        # What was compared is worth a line even when all is well.
        grep -vE '^[0-9]+ passed, ' "$logs/conformance-$part" | grep "^${part%%-*}:" | sed 's/^/  /'
    done
}

script_of() {
    if [ -e "tests/$1/run.sh" ]; then echo "tests/$1/run.sh"; else echo "tests/$1.sh"; fi
}

# Runs all scripts among the suites, side by side.
run_scripts() {
    local suite
    for suite in "$@"; do
        case $suite in unit|conformance) continue ;; esac
        [ -e "$(script_of "$suite")" ] || continue
        while [ "$(jobs -rp | wc -l)" -ge "$(nproc)" ]; do wait -n; done
        run_one "$logs/$suite" bash "$(script_of "$suite")" &
    done
    wait
    scripts_done=yes
}

suite_script() {
    if [ ! -e "$(script_of "$1")" ]; then
        echo "FAIL $1: there is no tests/$1/run.sh and no tests/$1.sh"
        suite_bad=1
        return
    fi
    account_line "$1" "$logs/$1"
    # What was compared is worth a line even when all is well.
    [ "$1" != recordings ] || grep -E '^(scripts|clients): ' "$logs/$1" | sed 's/^/  /'
    seconds=$(cat "$logs/$1.seconds")
}

[ $# -gt 0 ] || { sed -n '3,10s/^# \{0,1\}//p' "$0" >&2; exit 64; }
for suite in "$@"; do
    suite_ok=0 suite_bad=0 suite_programs=0 began=$SECONDS seconds=
    case $suite in
        unit|conformance) "suite_$suite" ;;
        *)
            [ "${scripts_done:-}" ] || run_scripts "$@"
            suite_script "$suite"
            ;;
    esac
    if [ $((suite_ok + suite_bad)) -eq 0 ]; then
        echo "FAIL $suite: nothing was tested"
        suite_bad=1
    fi
    echo "$suite: $suite_ok passed, $suite_bad failed ($suite_programs $([ $suite_programs = 1 ] && echo program || echo programs))"
    echo "$suite: ${seconds:-$((SECONDS - began))} s" >&2
    passed=$((passed + suite_ok)) failed=$((failed + suite_bad))
done
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
