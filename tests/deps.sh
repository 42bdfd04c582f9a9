#!/bin/bash
# deps.sh - .ci/deps, which every first `make` runs: silent where all is there; else it names what is missing, also
# where there is no apt and where no Debian packages are known at all; and it installs nothing that it was not asked to.
set -u
cd "$(dirname "$0")/.." || exit 1
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
passed=0 failed=0

check() {
    local name=$1
    shift
    if "$@"; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "FAIL $name (status $status)"
        sed 's/^/  | /' "$dir/said"
    fi
}
# A folder of the commands that there are, but for some. Usage: path_without NAME...
path_without() {
    local folder=$dir/path.$# name
    mkdir -p "$folder"
    for name in bash sh env id sed tr grep mktemp rm tail cat printf python3 gcc cc as ld make pkg-config luacheck \
        redis-cli redis-server redis-check-rdb gnuplot fc-list \
                git patch dpkg-query apt-get sudo; do
        [[ " $* " == *" $name "* ]] || ! command -v "$name" > /dev/null ||
            ln -sf "$(command -v "$name")" "$folder/$name"
    done
    echo "$folder"
}
# Usage: deps PATH ARG...
deps() {
    local path=$1
    shift
    status=0
    env -u CC -u CROSS -u LOCKSIM_NO_INSTALL PATH="$path" .ci/deps "$@" > "$dir/said" 2>&1 < /dev/null || status=$?
}
says() { grep -qF -- "$1" "$dir/said"; }
fake() { printf '#!/bin/bash\n%s\n' "$2" > "$1"; chmod +x "$1"; }
status=0

bare=$(path_without dpkg-query apt-get)
deps "$bare" run
check "without Debian's packages, what is there is enough" test "$status" -eq 0 -a ! -s "$dir/said"
rm "$bare/gcc"
fake "$bare/gcc" \
    "text=\$(cat); case \$text in *uthash.h*) exit 1 ;; esac; printf '%s\n' \"\$text\" | exec $(command -v gcc) \"\$@\""
deps "$bare" run
check "what is missing is an error" test "$status" -eq 1
check "it is named, and Debian's package of it" says "the header uthash.h  (uthash-dev)"
check "nothing else is" test "$(grep -c '^  the ' "$dir/said")" -eq 1
rm "$bare/gcc"
deps "$bare" run
check "a compiler that is not there is named" says "a C compiler, gcc  (gcc)"

mkdir "$dir/fakes"
fake "$dir/fakes/dpkg-query" \
    'case "$*" in "-W dpkg") exit 0 ;; esac; for p in "${@:4}"; do [ "$p" = uthash-dev ] || printf "installed %s\ninstalled %s:amd64\n" "$p" "$p"; done; exit 1'
fake "$dir/fakes/apt-get" "touch '$dir/installed'; exit 1"
fake "$dir/fakes/sudo" 'exit 1'
deps "$dir/fakes:$(path_without dpkg-query apt-get sudo)" --check run
check "--check says what is missing" says "missing packages: uthash-dev"
check "and how to install it" says "apt-get install -y --no-install-recommends uthash-dev"
check "with status 1" test "$status" -eq 1
check "and installs nothing" test ! -e "$dir/installed"
rm "$dir/fakes/apt-get"
deps "$dir/fakes:$(path_without dpkg-query apt-get sudo)" run
check "without apt-get, too" says "missing packages: uthash-dev"
check "and says that there is none" says "there is no apt-get here"

deps "$PATH" --list test
check "the list of a level has that of the one below" bash -c \
    "for p in $(.ci/deps --list run); do [[ ' $(cat "$dir/said") ' == *\" \$p \"* ]] || exit 1; done"
deps "$PATH" nonsense
check "no such level" test "$status" -eq 64

echo "$passed passed, $failed failed"
[ $failed -eq 0 ] && [ $passed -gt 0 ]
