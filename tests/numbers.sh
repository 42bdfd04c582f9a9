#!/bin/bash
# numbers.sh - writes reports/pages/numbers.md to stdout: what it costs that clients come at any moment: states and
# seconds of the locks of scenarios/seeds, two clients and three, with open starts and with all of them pinned.
# Usage: tests/numbers.sh PROGRAM        SECONDS_MAX=60 of each search
set -eu
program=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mapfile -t cases < <("$program" list scenarios scenarios/seeds | awk '$1 ~ /:contended_[23]$/ { print $1 }')
[ ${#cases[@]} -gt 20 ] || { echo "numbers.sh: hardly any case is named contended_2 or contended_3" >&2; exit 1; }
for starts in open pinned; do
    pinned=()
    [ $starts = open ] || pinned=(--pinned)
    "$program" run "${cases[@]}" --jobs 1 --timing --time-limit "${SECONDS_MAX:-60}" "${pinned[@]}" --format json \
        -o "$work/out" > "$work/$starts" 2> /dev/null || true
done
python3 - "$work" << 'P'
import json, re, sys

found = {}
for starts in "open", "pinned":
    for r in json.load(open(sys.argv[1] + "/" + starts))["results"]:
        lock, clients = re.match(r".*/(.*)\.lua:contended_(\d)", r["scenario"]).groups()
        found.setdefault((lock, int(clients)), {})[starts] = r["search"]

def cells(s):
    if not s:
        return "- | -"
    return f"{s['states']:,}{'' if s['complete'] else '+'} | {s['seconds']:.2f}"

print("# What open starts cost\n")
print("Made by `make numbers`: the seeds' locks, each on one core. Of two clients both come at any moment; of three, one")
print("does, while the others come at once (all three at any moment are many millions of states). Pinned: all come at once.")
print("A + marks a search that its limit of time ended. Seconds are those of the machine that made this page.\n")
print("| lock | clients | states, open | seconds | states, pinned | seconds |\n|---|---|---|---|---|---|")
for (lock, clients), by in sorted(found.items(), key=lambda x: (x[0][1], x[0][0])):
    print(f"| {lock} | {clients} | {cells(by.get('open'))} | {cells(by.get('pinned'))} |")
P
