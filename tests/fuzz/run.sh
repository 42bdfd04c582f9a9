#!/bin/bash
# run.sh - fuzzes targets, side by side, from their seed corpora; a failure names the input and how to run it again. The
# last line is `N passed, N failed`.
# Usage: tests/fuzz/run.sh SECONDS TARGET...      (from the root; make has built the programs below $BUILD)
#
# What a target finds on the way stays in $BUILD/corpus/TARGET, so that the next run goes on from there; inputs that
# fail stay in $BUILD/failed. FUZZ_SEED begins the random choices; its default is the time.
set -u
cd "$(dirname "$0")/../.." || exit 1
BUILD=${BUILD:-build/asan}
seconds=$1
shift
case $seconds in ''|*[!0-9]*) echo "fuzz: T is a number of seconds, not '$seconds'" >&2; exit 64 ;; esac
seed=${FUZZ_SEED:-$(date +%s)}
logs=$BUILD/log/fuzz failed_dir=$BUILD/failed
mkdir -p "$logs" "$failed_dir"
# Freed memory is overwritten, for Lua itself is not instrumented and would read it unnoticed.
export ASAN_OPTIONS=max_free_fill_size=65536:allow_addr2line=1${ASAN_OPTIONS:+:$ASAN_OPTIONS}
export UBSAN_OPTIONS=print_stacktrace=1${UBSAN_OPTIONS:+:$UBSAN_OPTIONS}

# The words that the sources know: libFuzzer puts them together.
dictionary() {
    case $1 in
        commands) grep -ohE '"[a-z|]{2,20}"' sim/redis/*.c ;;
        script) grep -ohE '"[a-z_]{2,20}"' sim/script/*.c; printf '"%s"\n' 'function(' ' end ' 'return ' 'local ' \
            'pcall(' 'redis.call(' ;;
        scenario) grep -ohE '"[a-z_]{2,20}"' sim/scenario/*.c; printf '"%s"\n' 'function(' ' end ' 'return ' 'local ' \
            'me:' ;;
        schedule) grep -ohE '"[a-z_]{2,20}"' sim/scenario/faults.c; printf '"%s"\n' '<msg' '<answer' '<timeout' ' A' \
            ' B:2' '!resume ' ;;
        *) grep -ohE '"[a-z_-]{2,20}"' sim/host/options.c sim/judge/saved.c ;;
    esac | LC_ALL=C sort -u
}

fuzz_one() {
    local name=$1 program=$BUILD/tests/fuzz/fuzz_$1 corpus=$BUILD/corpus/$1
    mkdir -p "$corpus"
    dictionary "$name" > "$logs/$name.dict"
    timeout -k 10 $((seconds + 120)) "$program" -seed="$seed" -max_total_time="$seconds" -timeout=10 \
        -rss_limit_mb=2048 -max_len=4096 \
        -dict="$logs/$name.dict" -artifact_prefix="$failed_dir/$name-" -print_final_stats=1 "$corpus" \
            "tests/fuzz/corpus/$name" > "$logs/$name" 2>&1 < /dev/null
    echo $? > "$logs/$name.status"
}

for name in "$@"; do
    [ -x "$BUILD/tests/fuzz/fuzz_$name" ] || { echo \
        "fuzz: there is no target '$name'; there are: $(basename -s .c tests/fuzz/fuzz_*.c | sed s/fuzz_// | tr '\n' ' ')" >&2; exit 64; }
    [ -n "$(ls "tests/fuzz/corpus/$name" 2> /dev/null)" ] || { echo "fuzz: tests/fuzz/corpus/$name is empty" >&2; exit \
        1; }
    while [ "$(jobs -rp | wc -l)" -ge "$(nproc)" ]; do wait -n; done
    fuzz_one "$name" &
done
wait

passed=0 failed=0
for name in "$@"; do
    runs=$(sed -n 's/^stat::number_of_executed_units: *//p' "$logs/$name")
    seeds=$(find "tests/fuzz/corpus/$name" -type f | wc -l)
    if [ "$(cat "$logs/$name.status")" -eq 0 ] && [ "${runs:-0}" -ge "$seeds" ]; then
        passed=$((passed + 1))
        echo "fuzz $name: $runs inputs, $(grep -oE 'cov: [0-9]+' "$logs/$name" | tail -n 1 | cut -d' ' -f2) places reached, nothing found (seed $seed)"
        continue
    fi
    failed=$((failed + 1))
    input=$(sed -n 's/.*Test unit written to //p' "$logs/$name" | tail -n 1)
    echo "FAIL fuzz $name (seed $seed): $(grep -E 'ERROR: |runtime error|^[^ ]*fuzz[^ ]*\.[ch]:[0-9]+: |Assertion' "$logs/$name" | head -n 1)"
    grep -vE '^#[0-9]+\s+(NEW|REDUCE|pulse|INITED|RELOAD)|^INFO|^Dictionary|^stat::' "$logs/$name" | tail -n 60 |
        sed 's/^/  | /'
    if [ -n "$input" ]; then
        echo "  input     $input"
        echo "  run again $BUILD/tests/fuzz/fuzz_$name $input"
        echo "  smaller   $BUILD/tests/fuzz/fuzz_$name -minimize_crash=1 -runs=100000 $input"
    fi
done
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
