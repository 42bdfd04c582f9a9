#!/bin/bash
# install.sh - what `make install` puts there works from a stranger's folder, for any user, without the source tree;
# uninstall takes all of it away again.
set -u
cd "$(dirname "$0")/.." || exit 1
root=$PWD
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
passed=0 failed=0

check() {
    local name=$1
    shift
    if "$@" > "$dir/said" 2>&1; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "FAIL $name"
        head -20 "$dir/said" | sed 's/^/  | /'
    fi
}
# Without make's own flags: this may run below a make whose job server is not ours.
install_to() { \
    (umask 077; env -u MAKEFLAGS -u MAKELEVEL make -s BUILD="${BUILD:-build}" "$1" DESTDIR="$dir/dest" PREFIX=/usr); }

check "install" install_to install
check "everybody may read all of it" test -z "$(find "$dir/dest/usr" ! -perm -444)"
check "every folder may be entered" test -z "$(find "$dir/dest/usr" -type d ! -perm -555)"
locksim=$dir/dest/usr/bin/locksim

mkdir "$dir/mine" && cd "$dir/mine" || exit 1
cat > own.lua <<'LUA'
local redisson = require "redisson.lock"
return {
  title = "a stranger's scenario with a shipped lock",
  clients = { "A", "B" }, explore = { random = 20 },
  program = function(me)
    local lock = redisson.lock(me, "k", { lease_ms = 1000 })
    lock:acquire() me:work(10) lock:release()
  end,
}
LUA
check "a scenario finds the shipped scripts" "$locksim" run own.lua
check "installed scenarios run" "$locksim" run \
    "$dir/dest/usr/share/locksim/scenarios/seeds/simple_string.lua:uncontended"
check "what is simulated is drawn" sh -c \
    "'$locksim' simulate own.lua --seeds 2 -o reports/sim && '$locksim' plot reports/sim --only cdf -o reports/pictures &&
    grep -q '</svg>' reports/pictures/*.svg"
check "the shell answers" bash -c "[ \"\$(echo 'INCR k' | '$locksim' shell)\" = '(integer) 1' ]"
check "drive finds the library that it preloads" "$locksim" drive --runs 1 'A=redis-cli set k v nx px 100'
check "the man page has its sections" bash -c "for s in NAME SYNOPSIS DESCRIPTION 'EXIT STATUS'; do
    grep -qi \"^\\.SH.*\$s\" '$dir/dest/usr/share/man/man1/locksim.1' || { echo \"no \$s\"; exit 1; }; done"
check "the second man page has its sections" bash -c "for s in NAME GLOSSARY TROUBLESHOOTING; do
    grep -qi \"^\\\\.SH.*\$s\" '$dir/dest/usr/share/man/man7/locksim.7' || { echo \"no \$s\"; exit 1; }; done"
check "the page of scenario files has its sections" bash -c \
    "for s in NAME FIELDS FAULTS SCHEDULES CASES SIGNATURES DRIVERS; do
    grep -qi \"^\\\\.SH.*\$s\" '$dir/dest/usr/share/man/man5/locksim-scenario.5' || { echo \"no \$s\"; exit 1; }; done"
check "the completion is for bash" bash -n "$dir/dest/usr/share/bash-completion/completions/locksim"
check "nothing was written beside the scenario but its report" test -z \
    "$(find . -type f ! -name own.lua ! -path './reports/*')"

cd "$root" || exit 1
check "uninstall" install_to uninstall
check "nothing is left" test -z "$(find "$dir/dest" -type f)"
echo "$passed passed, $failed failed"
[ $failed -eq 0 ] && [ $passed -gt 0 ]
