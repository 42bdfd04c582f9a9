# lib.sh - what the command line's checks share; run.sh sources it, then one file of checks after the other.
# A file of checks works in an empty folder of its own ($PWD); $ROOT is the source tree.

# Runs locksim with the arguments; afterwards $status, and the files $out and $err. Nothing may take longer than a minute.
run() {
    status=0
    timeout -k 5 "${RUN_SECONDS_MAX:-60}" "$LOCKSIM" "$@" > "$out" 2> "$err" || status=$?
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
