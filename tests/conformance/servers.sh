#!/bin/bash
# servers.sh - fetches the real servers of Debian's other suites, so that locksim's dialects are compared with each of
# them.
# Usage: servers.sh [SUITE...]       (from the root; default: bookworm trixie sid)
#
# Below $BUILD/servers it makes for each server a folder SUITE-redis or SUITE-valkey. Its program `server` starts the
# server with the suite's own loader and libraries: nothing of it is installed. The packages come from the Debian mirror
# that this machine's apt uses, by a private apt configuration, signatures checked. Prints one line per server: its
# folder and the package's version. What a suite does not have is said, and is no error; a suite that cannot be fetched
# is one (status 1).
set -u
servers=${BUILD:-build}/servers
mkdir -p "$servers" && servers=$(realpath "$servers") || exit 1

die() { echo "servers.sh: $*" >&2; exit 1; }

# The first archive of this machine that has a Debian suite's main component.
mirror=$(apt-get indextargets --format '$(ORIGIN) $(REPO_URI)' 'Identifier: Packages' 'Component: main' 2> /dev/null |
         sed -n 's/^Debian \(.*\)/\1/p' | grep -v -e security | head -n 1)
[ -n "$mirror" ] || die "apt on this machine has no Debian archive; apt-get update first"
keyring=/usr/share/keyrings/debian-archive-keyring.gpg
[ -e "$keyring" ] || keyring=$(ls /usr/share/keyrings/debian-archive-keyring.* 2> /dev/null | head -n 1)
[ -n "$keyring" ] || die "there is no Debian keyring: apt-get install debian-archive-keyring"

# Usage: private SUITE TOOL ARG...      apt-get or apt-cache with that suite's packages only, and nothing installed
private() {
    local at=$servers/.apt/$1 tool=$2
    shift 2
    "$tool" -q -o Dir::Etc::sourcelist="$at/sources.list" -o Dir::Etc::sourceparts=- -o \
        Dir::Etc::preferencesparts="$at/none" \
        -o Dir::State="$at/state" -o Dir::State::status="$at/status" -o Dir::Cache="$at/cache" -o \
            Acquire::Languages=none \
        -o Acquire::Check-Valid-Until=false -o APT::Install-Recommends=false -o APT::Sandbox::User=root \
        -o Dir::Etc::Trusted=/dev/null -o DPkg::Post-Invoke::= "$@"
}

prepare() {
    local suite=$1 at=$servers/.apt/$1
    mkdir -p "$at"/{state/lists/partial,cache/archives/partial,none} || return 1
    : > "$at/status"
    echo "deb [signed-by=$keyring] $mirror $suite main" > "$at/sources.list"
    private "$suite" apt-get update > "$at/log" 2>&1 && ! grep -q '^[EW]:' "$at/log" ||
        { tail -5 "$at/log" >&2; return 1; }
}

# The server with everything it needs, unpacked; done once per version.
fetch() {
    local suite=$1 kind=$2 version=$3 to=$servers/$1-$2 at=$servers/.apt/$1 deb loader libraries
    [ "$(cat "$to/version" 2> /dev/null)" = "$version" ] && return
    rm -rf "$to" && mkdir -p "$to/root" || return 1
    rm -f "$at/cache/archives/"*.deb
    private "$suite" apt-get -y --download-only install "$kind-tools" > "$at/log" 2>&1 ||
        { tail -5 "$at/log" >&2; return 1; }
    for deb in "$at/cache/archives/"*.deb; do
        dpkg -x "$deb" "$to/root" 2>> "$at/log" || { tail -5 "$at/log" >&2; return 1; }
    done
    rm -f "$at/cache/archives/"*.deb
    loader=$(find "$to/root" -name 'ld-linux*.so.*' | head -n 1)
    libraries=$(find "$to/root" -name 'libc.so.6' -printf '%h\n' | head -n 1)
    [ -n "$loader" ] && [ -n "$libraries" ] || { echo "servers.sh: $suite: no loader among the packages" >&2; return \
        1; }
    # Called redis-server (or valkey-server), the program of redis-tools is the server.
    printf '#!/bin/sh\nexec "%s" --library-path "%s" --argv0 %s-server "%s/root/usr/bin/%s-check-rdb" "$@"\n' \
        "$loader" "$libraries:$to/root/usr/lib/$(basename "$libraries")" "$kind" "$to" "$kind" > "$to/server"
    chmod +x "$to/server"
    echo "$version" > "$to/version"
}

status=0
for suite in ${*:-bookworm trixie sid}; do
    prepare "$suite" || { echo "servers.sh: cannot fetch the suite $suite" >&2; status=1; continue; }
    for kind in redis valkey; do
        version=$(private "$suite" apt-cache policy "$kind-tools" | sed -n 's/^  Candidate: //p')
        case $version in
            ''|'(none)') echo "servers.sh: $suite has no $kind" >&2 ;;
            *) fetch "$suite" "$kind" "$version" && echo "$servers/$suite-$kind $version" || status=1 ;;
        esac
    done
done
exit $status
