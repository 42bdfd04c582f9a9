# unheard.sh - a result that nobody can get: every command says so in the same way, and no file takes the place of a
# closed stdout.

basic=$ROOT/scenarios/seeds/answers/basic.lua
script=$ROOT/scripts/basic/set_nx/release.lua

# Usage: unheard NAME WORD...       the command's name and its words
unheard() {
    local name=$1
    shift
    : > "$out"
    status=0
    rm -f init.lua
    timeout 60 "$LOCKSIM" "$name" "$@" < input > /dev/full 2> "$err" || status=$?
    ends 74 "$name to a full disk"
    check "$name tells why: a full disk" err_has "error[io]: cannot write to standard output: No space left on device"
    check "$name tells it once" test "$(grep -c 'standard output' "$err")" = 1

    status=0
    rm -f init.lua
    timeout 60 "$LOCKSIM" "$name" "$@" < input >&- 2> "$err" || status=$?
    ends 74 "$name with stdout closed"
    check "$name tells why: a closed stdout" err_has "error[io]: cannot write to standard output: Bad file descriptor"

    exec 3> >(:)                                   # a pipe whose reader has left
    wait $!
    status=0
    rm -f init.lua
    timeout 60 "$LOCKSIM" "$name" "$@" < input >&3 2> "$err" || status=$?
    exec 3>&-
    ends 141 "$name when its reader has left"
    check "$name has nothing to say to a reader who has left" sh -c "! grep -q error '$err'"
}

echo list > input
unheard --help
unheard --version
unheard help run
unheard list properties
unheard list faults --format json
unheard explain LK001
unheard run "$basic"
unheard run "$basic" --format json
unheard simulate "$basic" --seeds 2
unheard compare "$script" "$script" "$basic" --verdicts no
unheard mutate "$script" --scenarios "$basic" --shard 1/8
unheard lint "$script"
unheard report "$basic" -o report
unheard init 'SET $lock $owner NX PX $lease_ms' "$script" -o init.lua
unheard trace /dev/null
unheard watch "$basic"
unheard serve --port 0
unheard walk "$basic"
echo 'get a' > input
unheard shell
