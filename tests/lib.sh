#!/bin/bash
# lib.sh - the library as a stranger meets it: installed, found by pkg-config alone, linked both ways, seen by nm, and
# treated badly. Without pkg-config's lua5.1 nothing of it can be built, and it fails.
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
        head -30 "$dir/said" | sed 's/^/  | /'
    fi
}
lacks() { ! grep -E "$1" "$2"; }
at=$dir/prefix
# Without make's own flags: this may run below a make whose job server is not ours.
check "install" env -u MAKEFLAGS -u MAKELEVEL make -s BUILD="${BUILD:-build}" install PREFIX="$at"
so=$at/lib/liblocksim.so.0 archive=$at/lib/liblocksim.a
[ -e "$so" ] || { echo "$passed passed, $((failed + 1)) failed"; exit 1; }

# What is seen of it, and what it could do to a program.
nm -D --defined-only "$so" | awk '{ print $3 }' | sort > "$dir/shared"
nm -g --defined-only "$archive" | awk 'NF == 3 { print $3 }' | sort > "$dir/static"
sed -n '/^LOCKSIM_API/s/(.*//p' "$at/include/locksim.h" | grep -o 'locksim_[a-z_]*$' | sort > "$dir/header"
check "the header has functions" test "$(wc -l < "$dir/header")" -gt 30
check "of the shared library locksim_* alone is seen, all of the header" diff "$dir/header" "$dir/shared"
check "and of the static one" diff "$dir/header" "$dir/static"
nm -D --undefined-only "$so" | awk '{ print $2 }' | sed 's/@.*//' > "$dir/calls"
check "nothing of it ends a program, prints, or meddles with signals, processes or the terminal" lacks \
    '^(_?_?exit|_Exit|quick_exit|abort|__assert_fail|atexit|(v?f?d?printf|fputs|fputc|puts|putchar|fwrite|perror)(_chk)?|write|std(in|out|err)|signal|sigaction|raise|kill|fork|v?fork|exec.*|system|popen|isatty|setlocale|unlink|rename|mkdir)$' \
    "$dir/calls"
check "it has a name for the linker" bash -c "readelf -d '$so' | grep -q 'SONAME.*liblocksim.so.0'"
for l in liblua5.1.so liblua5.1-cjson.so liblua5.1-bitop.so; do
    check "it rests on Debian's $l" bash -c "readelf -d '$so' | grep -q 'NEEDED.*$l'"
done

# The made-up project.
export PKG_CONFIG_PATH=$at/lib/pkgconfig LD_LIBRARY_PATH=$at/lib
cp -R tests/lib/example "$dir/stock" && cp tests/lib/hostile.c "$dir" && cd "$dir/stock" || exit 1
compile() { local from=$1 to=$2; shift 2; ${CC:-gcc} -std=c11 -Wall -Wextra -Werror "$from" "$@" -o "$to"; }
check "the example compiles" compile test_stock.c test_stock $(pkg-config --cflags --libs locksim cmocka)
check "its tests pass" bash -c "./test_stock > stock.told 2>&1 || { cat stock.told; exit 1; }"
check "all four" grep -qF "4 test(s) run" stock.told
static=$(pkg-config --static --libs locksim | sed 's/-llocksim/-l:liblocksim.a/')
check "it compiles with the static library" compile test_stock.c test_static \
    $(pkg-config --cflags locksim cmocka) $static $(pkg-config --libs cmocka)
check "which finds the shipped scripts where it is told" env -u LD_LIBRARY_PATH \
    LOCKSIM_SCRIPTS="$at/share/locksim/scripts" ./test_static
check "without the shipped scripts it says so" bash -c \
    '! LOCKSIM_SCRIPTS=/nowhere ./test_static 2>&1 | grep -q "\[  PASSED  \] 4" && LOCKSIM_SCRIPTS=/nowhere ./test_static 2>&1 | grep -q "generic"'
check "C++ takes the header" bash -c 'command -v g++ > /dev/null || exit 0
    echo "#include <locksim.h>
int main() { return locksim_version()[0] == 0; }" > x.cc && g++ -Wall -Wextra -Werror x.cc $(pkg-config --cflags --libs locksim) -o x && ./x'
check "the version is the program's" bash -c \
    'test "$(pkg-config --modversion locksim)" = "$(LD_LIBRARY_PATH= '"$at"'/bin/locksim --version | head -1 | sed "s/locksim //")"'

# The manual page.
sed -n '/^\.SH EXAMPLE/,/^\.fi/p' "$root/reports/locksim.3" | sed '/^\./d; s/\\en/\\n/' > man.c
check "the manual page's example compiles" compile man.c man $(pkg-config --cflags --libs locksim)
check "and prints what stands there" test "$(./man)" = "(integer) 0"
while read -r name; do
    check "the manual page names $name" grep -q "$name" "$root/reports/locksim.3"
done < "$dir/header"

# Treated badly. `make asan` has clang's sanitizers in the program, whose rooms these are.
check "hostile.c compiles" compile ../hostile.c hostile $(pkg-config --cflags --libs locksim)
check "and again, short of memory" compile ../hostile.c starving -DSHORT_OF_MEMORY $(pkg-config --cflags --libs locksim)
check "the same twice, and wrong arguments" ./hostile twice stock.lua:pause
check "several threads" ./hostile threads stock.lua:pause
check "nobody hears of it" ./hostile quiet
check "texts that are no scenarios" ./hostile texts "${SEED:-1}" "${N:-300}" stock.lua
check "memory runs out at every place" ./starving memory stock.lua:pause
if command -v valgrind > /dev/null; then
    watched() { valgrind -q --error-exitcode=99 --leak-check=full --errors-for-leak-kinds=definite,indirect "$@"; }
    check "valgrind has nothing to say of it" watched ./hostile twice stock.lua:pause
    check "nor of texts that are no scenarios" watched ./hostile texts 7 30 stock.lua
fi
echo "$passed passed, $failed failed"
[ $failed -eq 0 ] && [ $passed -gt 0 ]
