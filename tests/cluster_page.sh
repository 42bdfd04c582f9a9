#!/bin/bash
# cluster_page.sh - writes reports/pages/cluster.md to stdout: what a job of ranks makes of a folder of scenarios, computed
# from what is measured here: how long each scenario takes, how long a job takes to start, how many bytes a result has.
# Usage: tests/cluster_page.sh PROGRAM [FOLDER]      PROGRAM-mpi beside it is the one for ranks; MPIRUN its starter
set -eu
program=$1 folder=${2:-scenarios/seeds}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# What takes a core how long: one scenario after the other, on one core.
TIMEFORMAT='%U %S'
{ time "$program" run "$folder" --jobs 1 --timing --format json -o "$work/out" > "$work/one.json" 2> /dev/null || true; } 2> "$work/cpu"
# A world whose search is lookups: what of one world would cross the net.
cat > "$work/steps.lua" <<'L'
return { title = "steps", start_ms = 0, clients = { "A", "B", "C", "D" },
  program = function(me) for i = 1, 24 do me:step() end me:call("PING") end }
L
{ time "$program" run "$work/steps.lua" --jobs 1 --format json > "$work/steps.json" 2> /dev/null || true; } 2> "$work/steps_cpu"
# How long a job takes to start and to end: one that has nothing to do.
printf 'return { title = "t", clients = { "A" }, program = function(me) me:call("PING") end }\n' > "$work/empty.lua"
start=none
if [ -x "$program-mpi" ] && command -v mpirun > /dev/null; then
    began=$(date +%s%N)
    ${MPIRUN:-mpirun --oversubscribe $([ "$(id -u)" -ne 0 ] || echo --allow-run-as-root)} -n 2 "$program-mpi" run "$work/empty.lua" --mpi > /dev/null 2>&1
    start=$((($(date +%s%N) - began) / 1000000))
fi

FOLDER=$folder START=$start python3 - "$work" <<'P'
import heapq, json, os, sys

CORES = 32                       # of a node
LATENCY_S, BYTES_PER_S = 20e-6, 1e9        # of a message between machines: assumed, generously slow for a cluster's net
work = sys.argv[1]
results = json.load(open(work + "/one.json"))["results"]
wall = [max(r["search"]["seconds"], 0.001) for r in results]
cpu_s = sum(map(float, open(work + "/cpu").read().split()[-2:]))
seconds = [w * cpu_s / sum(wall) for w in wall]    # other work on the machine is none of theirs
size = [len(json.dumps(r)) for r in results]       # of a result as bytes: less than its JSON
start = os.environ["START"]
start_s = 3.0 if start == "none" else int(start) / 1000

def makespan(ranks):
    """Rank 0 hands out the scenarios in their order; a free rank takes the next."""
    free = [0.0] * min(ranks, len(seconds))
    for s, n in zip(seconds, size):
        at = heapq.heappop(free)
        heapq.heappush(free, at + s + (2 * LATENCY_S + n / BYTES_PER_S if ranks > 1 else 0))
    return max(free) + (start_s if ranks > 1 else 0)

total, longest = sum(seconds), max(seconds)
name = max(zip(seconds, (r["scenario"] for r in results)))[1]
print("# What a cluster does for a folder of scenarios")
print()
print("Made by `make cluster-page`: computed from what was measured where it was made (times of the processor: each scenario's\nshare of the whole run's, by the clock). The seconds are that")
print("machine's, and the ratios are the point.")
print()
print("| measured | |")
print("| --- | --- |")
print(f"| folder | {os.environ['FOLDER']}: {len(seconds)} scenarios |")
print(f"| one core, one after the other | {total:.1f} s of processor time |")
print(f"| the longest | {longest:.1f} s: {os.path.relpath(name)} |")
print(f"| start and end of a job of two ranks | " + (f"{start_s:.1f} s |" if start != "none" else "not measured: no Open MPI; 3 s assumed |"))
print(f"| a result, as JSON | {sum(size) / len(size) / 1024:.1f} KiB in the mean, {max(size) / 1024:.0f} KiB at most |")
print()
print("A rank is one core. Assumed, not measured: 20 us and 1 GB/s for a message between machines; nodes of 32 cores; a job")
print("of many nodes starts as fast as one of two ranks, which is kind to it.")
print()
print("| nodes | ranks | time | times faster | of the cores' time used |")
print("| --- | --- | --- | --- | --- |")
for nodes, ranks in [("one core", 1), ("one", 8), ("one", CORES)] + [(n, n * CORES) for n in (16, 64, 1024)]:
    t = makespan(ranks)
    print(f"| {nodes} | {ranks:,} | {t:.1f} s | {total / t:.1f} | {100 * total / (t * ranks):.1f} % |")
stop = next(r for r in range(1, 1 << 20) if makespan(r) <= 1.05 * makespan(1 << 20))
print()
print(f"It stops paying at {stop} ranks ({-(-stop // CORES)} node{'s' if stop > CORES else ''}): from there on the longest")
print("scenario and the start of the job are all that is left. More ranks help where there are more scenarios, or where each")
print(f"is longer: with scenarios 100 times as long, 64 nodes make it {100 * total / (100 * (makespan(64 * CORES) - start_s) + start_s):.0f} times faster, and 1,024 nodes no more, for")
print("no scenario is shared by several ranks.")
print()
steps = json.load(open(work + "/steps.json"))["results"][0]["search"]
rate = steps["transitions"] / sum(map(float, open(work + "/steps_cpu").read().split()[-2:]))
ROW_BYTES = 52                   # 13 numbers of 4 bytes: three clients, servers, bounds, monitors, and what follows from them
print(f"One world over ranks is not built. With states owned by the ranks of 16 nodes, 511 of 512 transitions leave their rank.")
print(f"At the rate of a world of lookups, measured here, {rate / 1e6:.2f} million transitions a second on a core, a node of {CORES} would send")
print(f"{rate * CORES * ROW_BYTES / 1e9:.1f} GB/s of rows, {ROW_BYTES} bytes each, where 1 GB/s is assumed: the net alone would keep it at "
      f"{100 * min(1, 1e9 / (rate * CORES * ROW_BYTES)):.0f} % of its cores.")
P
