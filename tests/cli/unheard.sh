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
    timeout 60 "$LOCKSIM" "$name" "$@" > /dev/full 2> "$err" || status=$?
    ends 74 "$name to a full disk"
    check "$name tells why: a full disk" err_has "error[io]: cannot write to standard output: No space left on device"

    status=0
    timeout 60 "$LOCKSIM" "$name" "$@" >&- 2> "$err" || status=$?
    ends 74 "$name with stdout closed"
    check "$name tells why: a closed stdout" err_has "error[io]: cannot write to standard output: Bad file descriptor"

    exec 3> >(:)                                   # a pipe whose reader has left
    wait $!
    status=0
    timeout 60 "$LOCKSIM" "$name" "$@" >&3 2> "$err" || status=$?
    exec 3>&-
    ends 141 "$name when its reader has left"
    check "$name has nothing to say to a reader who has left" sh -c "! grep -q error '$err'"
}

unheard list properties
unheard explain LK001
unheard run "$basic"
unheard run "$basic" --format json
unheard simulate "$basic" --seeds 2
unheard compare "$script" "$script" "$basic" --verdicts no
unheard mutate "$script" --scenarios "$basic" --shard 1/8
unheard lint "$script"
