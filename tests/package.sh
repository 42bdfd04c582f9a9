#!/bin/bash
# package.sh - `make dist` and `make deb`: the same archive each time, all of the tree in it, and a Debian package that
# has what it should and works where it is unpacked. Builds the package, and so the program again. tests/chroot.sh
# installs it in a fresh system.
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
        tail -30 "$dir/said" | sed 's/^/  | /'
    fi
}
version=$(sed -n 's,^#define LOCKSIM_VERSION "\(.*\)".*,\1,p' sim/host/about.h)
name=locksim-$version

# ---- one version everywhere ----

check "the header names a version" grep -qE '^[0-9]+\.[0-9]+\.[0-9]+$' <<< "$version"
check "Debian's changelog has it" test "$(sed -n '1s/^locksim (\(.*\)) .*/\1/p' .debian/changelog)" = "$version"
check "the page of changes begins with it" test \
    "$(sed -n 's/^## \([0-9.]*\).*/\1/p' reports/pages/changelog.md | head -n 1)" = "$version"

# ---- the source archive ----

check "an archive" .ci/dist "$dir/$name.tar.gz"
mkdir "$dir/again"
check "and again" .ci/dist "$dir/again/$name.tar.gz"
check "it has the same bytes" cmp "$dir/$name.tar.gz" "$dir/again/$name.tar.gz"
tar -xf "$dir/$name.tar.gz" -C "$dir"
git ls-files 2> /dev/null | LC_ALL=C sort > "$dir/tracked"
if [ -s "$dir/tracked" ]; then
    (cd "$dir/$name" && find . -type f | sed 's,^\./,,' | LC_ALL=C sort) > "$dir/archived"
    check "it has every committed file, and no other" cmp "$dir/tracked" "$dir/archived"
fi
mkdir "$dir/third" "$dir/$name/build" && touch "$dir/$name/build/of_a_build"
check "its own archive, made without git" "$dir/$name/.ci/dist" "$dir/third/$name.tar.gz"
check "has the same bytes, too" cmp "$dir/$name.tar.gz" "$dir/third/$name.tar.gz"

# ---- the package ----

check "building it names no package that is missing from Build-Depends" bash -c "
    .ci/deps --list run | tr ' ' '\n' | grep -vxE 'gcc|make|libc6-dev|' | while read -r p; do grep -q \"^ *\$p,\\\\?\\\$\" .debian/control || { echo \$p; exit 1; }; done"
# Always in one place, so that ccache knows what it has compiled before: paths are among the compiler's options.
check "a package" bash -c ".ci/deb '$dir/$name.tar.gz' '${BUILD:-build}/deb' > '$dir/where'"
deb=$(cat "$dir/where" 2> /dev/null)
if [ ! -e "${deb:-none}" ]; then
    echo "$passed passed, $((failed + 1)) failed"
    exit 1
fi
field() { dpkg-deb -f "$deb" "$1"; }
check "its version" test "$(field Version)" = "$version"
for p in lua-check libc6 libedit2 libjansson4 libuv1 libxxhash0 zlib1g; do
    check "it depends on $p" grep -qE "(^|, )$p(t64)?( |,|$)" <<< "$(field Depends)"
done
check "and on no Lua, which is linked in" bash -c "! grep -qE 'liblua|lua-cjson|lua-bitop' <<< '$(field Depends)'"

dpkg-deb -x "$deb" "$dir/there"
share=$dir/there/usr/share
for f in bin/locksim lib/locksim/locksim_drive.so share/man/man1/locksim.1.gz share/man/man5/locksim-scenario.5.gz \
         share/man/man7/locksim.7.gz share/bash-completion/completions/locksim \
         share/zsh/vendor-completions/_locksim share/fish/vendor_completions.d/locksim.fish \
             share/locksim/reports/cdf.gp \
         share/doc/locksim/reports/pages/changelog.md share/doc/locksim/linked-in/liblua5.1-0-dev.copyright; do
    check "it has $f" test -s "$dir/there/usr/$f"
done
for f in scripts scenarios; do
    check "it has all $f" diff -r "$f" "$share/locksim/$f"
done
check "a page of the manual can be read" bash -c "zcat '$share/man/man1/locksim.1.gz' | grep -q '^\.SH'"

# ---- the library's packages ----

machine=$(dpkg-architecture -qDEB_HOST_MULTIARCH)
for p in liblocksim0 liblocksim-dev; do
    check "a package $p" test -e "$(dirname "$deb")/${p}_${version}_$(field Architecture).deb"
    dpkg-deb -x "$(dirname "$deb")/${p}_${version}_$(field Architecture).deb" "$dir/library"
done
library=$(dirname "$deb")/liblocksim0_${version}_$(field Architecture).deb
for p in liblua5.1-0 lua-cjson lua-bitop libxxhash0; do
    check "the library depends on $p" grep -qE "(^|, )$p(t64)?( |,|$)" <<< "$(dpkg-deb -f "$library" Depends)"
done
for f in lib/$machine/liblocksim.so.0 lib/$machine/liblocksim.a include/locksim.h lib/$machine/pkgconfig/locksim.pc \
    share/man/man3/locksim.3.gz; do
    check "it has $f" test -s "$dir/library/usr/$f"
done
# The manual page's example.
library_works() {
    sed -n '/^\.SH EXAMPLE/,/^\.fi/p' reports/locksim.3 | sed '/^\./d; s/\\en/\\n/' > "$dir/man.c" &&
        gcc "$dir/man.c" -I"$dir/library/usr/include" -L"$dir/library/usr/lib/$machine" -llocksim -o "$dir/man" &&
        LD_LIBRARY_PATH=$dir/library/usr/lib/$machine "$dir/man" > "$dir/man.said" && grep -qx '(integer) 0' "$dir/man.said"
}
check "a program of it works" library_works

locksim=$dir/there/usr/bin/locksim
mkdir "$dir/mine" && cd "$dir/mine" || exit 1
check "it tells its version" bash -c "'$locksim' --version | grep -qx 'locksim $version'"
check "it speaks of its dialects" bash -c "'$locksim' --version | grep -q 'valkey 8.1, 9.1'"
check "the tour's first lock breaks" bash -c \
    "'$locksim' run '$share/locksim/scenarios/tour/sleeper.lua' > said; [ \$? -eq 1 ] && grep -q LK010 said"
check "its story replays" bash -c "'$locksim' replay \"\$(ls .locksim/out/*LK010.lua)\" > said; [ \$? -eq 1 ]"
cp "$share"/locksim/scenarios/tour/own/{acquire,release}.lua .
check "init writes a scenario" "$locksim" init acquire.lua release.lua -o my_lock.lua
check "which fails, as the README says" bash -c "'$locksim' run my_lock.lua > said; [ \$? -eq 1 ] && grep -q LK003 said"
check "drive finds the library that it preloads" "$locksim" drive --runs 1 'A=redis-cli set k v nx px 100'
check "a script is linted, with luacheck's parser" "$locksim" lint "$share/locksim/scripts/redisson"

cd "$root" || exit 1
echo "$passed passed, $failed failed"
[ $failed -eq 0 ] && [ $passed -gt 0 ]
