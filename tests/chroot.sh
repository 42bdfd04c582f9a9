#!/bin/bash
# chroot.sh - what README promises, in a fresh Debian that nothing was ever installed in. Ends with status 0 if it held.
# Usage: tests/chroot.sh SUITE HOW       SUITE: bookworm, trixie, ...; as root, with mmdebstrap (`make deps-package`)
#                                        and a Debian mirror
#   root       as root: `make run`, then `make test`
#   sudo       as a user who may sudo
#   plain      as a user who may not, where the packages are installed
#   package    build/deb/locksim_*.deb is installed (`make deb` builds it), and the README's tour is gone through in
#              another folder
#   arm64      the program is cross-built for arm64; under qemu its unit tests pass, and it prints what that of this
#              machine prints
# DO="run unit" goes through these targets instead of run and test; KEEP=yes leaves the system in
# $BUILD/chroot/SUITE-HOW. What is tested is the committed tree.
set -eu
[ $# -eq 2 ] || { sed -n '3,10s/^# \{0,1\}//p' "$0" >&2; exit 64; }
suite=$1 how=$2
case $how in root|sudo|plain|package|arm64) ;; *) echo "chroot.sh: there is no way '$how'" >&2; exit 64 ;; esac
[ "$(id -u)" -eq 0 ] || { echo "chroot.sh: only root can make a system and enter it" >&2; exit 1; }
command -v mmdebstrap > /dev/null || { echo "chroot.sh: there is no mmdebstrap: make deps-package" >&2; exit 1; }
# In a mount and process namespace of its own: however this ends, nothing is left mounted or running.
[ "${LOCKSIM_CHROOT:-}" ] || LOCKSIM_CHROOT=entered exec unshare --mount --pid --fork --kill-child "$0" "$@"

cd "$(dirname "$0")/.."
root=$PWD
here=$(realpath -m "${BUILD:-build}/chroot/$suite-$how")
packages=$(realpath -m "${BUILD:-build}/deb")
unset MAKEFLAGS MAKELEVEL BUILD LOCKSIM STATES_MAX LOCKSIM_CHROOT
rm -rf "$here"
mkdir -p "$here"
# This machine's /dev is in there: what is still mounted is left alone.
leave() {
    local part
    cd /
    for part in dev sys proc; do umount -R -l "$here/$part" 2> /dev/null || true; done
    rm -rf --one-file-system "$here"
}
[ "${KEEP:-}" ] || trap leave EXIT

say() { echo "== $suite, $how: $*"; }
# In the new system, with nothing of this one's environment. Usage: inside USER COMMAND
inside() {
    say "$1: $2"
    env -i PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin TERM=dumb \
        ${TEST_SECONDS_MAX:+TEST_SECONDS_MAX="$TEST_SECONDS_MAX"} \
        chroot "$here" su "$1" -s /bin/bash -c "cd && $2" < /dev/null
}

say "a system"
mmdebstrap --quiet --variant=apt --mode=root --aptopt='Acquire::Check-Valid-Until "false"' \
    --include=ca-certificates,git,make,passwd "$suite" "$here" > /dev/null
mount -t proc proc "$here/proc"
mount -t sysfs sysfs "$here/sys"
mount --rbind /dev "$here/dev"
mount --make-rslave "$here/dev"
mount -t tmpfs tmpfs "$here/dev/shm"
chroot "$here" useradd -m -s /bin/bash tester

# A clone, as README has it. Usage: give_tree USER
give_tree() {
    local home
    home=$(chroot "$here" sh -c "echo ~$1")
    git clone -q --no-hardlinks "file://$root" "$here$home/locksim"
    chroot "$here" chown -R "$1": "$home/locksim"
}
# Usage: promises USER      README's two commands, each by itself
promises() {
    local target
    for target in ${DO:-run test}; do
        inside "$1" "cd locksim && make $target"
    done
}

case $how in
    root)
        give_tree root
        promises root
        ;;
    sudo)
        inside root \
            "apt-get -q update > /dev/null && apt-get -q install -y --no-install-recommends sudo > /dev/null && echo 'tester ALL=(ALL) NOPASSWD: ALL' > /etc/sudoers.d/tester"
        give_tree tester
        promises tester
        ;;
    plain)
        give_tree tester
        inside tester "cd locksim && ! make run 2> said && cat said && grep -q 'missing packages:.*lua-cjson-dev' said"
        inside root "~tester/locksim/.ci/deps test"
        promises tester
        ;;
    package)
        cp "$packages"/locksim_*.deb "$here/tmp/locksim.deb" || { say "make deb first"; exit 1; }
        inside root \
            "apt-get -q update > /dev/null && apt-get -q install -y --no-install-recommends /tmp/locksim.deb > /tmp/log 2>&1 || { tail -20 /tmp/log; exit 1; }"
        inside tester \
            "mkdir mine && cd mine && locksim --version && locksim run /usr/share/locksim/scenarios/tour/sleeper.lua; test \$? = 1"
        inside tester "cd mine && locksim replay .locksim/out/*LK010.lua > /dev/null; test \$? = 1"
        inside tester "cd mine && locksim explain LK010 | grep -q no_lost_wakeup"
        inside tester \
            "cd mine && cp /usr/share/locksim/scenarios/tour/own/{acquire,release}.lua . && locksim init acquire.lua release.lua -o my_lock.lua"
        inside tester "cd mine && locksim run my_lock.lua | grep LK003"
        inside tester \
            "cd mine && locksim lint acquire.lua release.lua; locksim mutate --max-states 500 --scenarios . release.lua > said; test \$? -lt 2 && tail -n 1 said"
        inside tester "cd mine && printf 'set k v px 100\n.advance 101\nget k\n' | locksim shell | grep nil"
        inside tester \
            "cd mine && locksim run /usr/share/locksim/scenarios/seeds > said; tail -1 said; ! grep -q '^FAIL' said"
        inside root "apt-get -q purge -y locksim > /dev/null && ! find /usr -path '*locksim*' | grep ."
        ;;
    arm64)
        inside root "dpkg --add-architecture arm64 && apt-get -q update > /dev/null"
        give_tree root
        inside root \
            "cd locksim && make deps && make build/locksim > /dev/null && make CROSS=aarch64-linux-gnu- BUILD=build/arm64 build/arm64/locksim > /dev/null"
        inside root "cd locksim && qemu-aarch64-static build/arm64/locksim --version"
        for what in scenarios/seeds scenarios/museum scenarios/findings; do
            inside root \
                "cd locksim && build/locksim run $what -o /tmp/x > /tmp/x.out 2> /dev/null; qemu-aarch64-static build/arm64/locksim run $what -o /tmp/x > /tmp/y.out 2> /dev/null;
                tail -1 /tmp/y.out; cmp /tmp/x.out /tmp/y.out"
        done
        inside root "cd locksim && make CROSS=aarch64-linux-gnu- BUILD=build/arm64 unit"
        ;;
esac
say "held"
