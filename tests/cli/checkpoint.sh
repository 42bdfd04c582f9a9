# checkpoint.sh - a run that was interrupted goes on where it stood, and what is kept of it is never taken for something
# else.

cat > long.lua <<'Y'
local redisson = require "redisson.lock"
return { title = "long", clients = { "A", "B" }, faults = { crash = 1, pause = 1 }, program = function(me)
  local lock = redisson.lock(me, "l", { lease_ms = 30000 }) lock:acquire() me:work(100) lock:release() end }
Y
sed 's/"long"/"short"/; s/"A", "B"/"A"/; s/faults = .* pause = 1 }, //' long.lua > short.lua

run run short.lua long.lua -v
ends 0 "the whole run"
cp "$out" whole

# Interrupted at three places, and with other numbers of cores.
interrupt_after 25 run short.lua long.lua -v --checkpoint kept -j1
ends 2 "interrupted"
check "it says how to go on" err_has 'what was found so far is kept: `--resume kept` instead of --checkpoint goes on'
check "what is done has a result" test -f kept/short.lua.*.result
check "what is not has a checkpoint" test -f kept/long.lua.*.0.checkpoint
cp -r kept first
interrupt_after 45 run short.lua long.lua -v --resume kept --checkpoint-every 1 -j2
ends 2 "interrupted again"
run run short.lua long.lua -v --resume kept -j1
ends 0 "the rest"
check "the result is that of one run, byte for byte" cmp -s "$out" whole
check "its result takes the checkpoint's place" test ! -e kept/long.lua.*.0.checkpoint -a -f kept/long.lua.*.result
RUN_CPU_SECONDS=20 run run short.lua long.lua -v --resume kept
check "a run that is done is told again" cmp -s "$out" whole

# The state between two rows is in the file: a run that has only that comes to the same.
rm first/short.lua.*.result
run run short.lua long.lua -v --resume first
check "from the first checkpoint, too" cmp -s "$out" whole

# What it does not fit.
interrupt_after 25 run long.lua --checkpoint kept2
run run long.lua --resume nowhere
ends 64 "nothing to go on from"
check "it says so" err_has "nowhere: error[usage]: nothing to go on from: no run has kept anything here"
run run long.lua --resume kept2 --checkpoint kept3
ends 64 "both"
run run long.lua --resume kept2 --max-states 100000
ends 65 "other options"
check "the message names the file and the way out" err_has "kept2/run: error[scenario]: cannot go on from it: that run had other options"
check "... and the way out" err_has "hint: --checkpoint instead of --resume begins anew"
run run short.lua --resume kept2
ends 65 "other scenarios"
check "it says so" err_has "that run was one of other scenarios"
cp "$LOCKSIM" other_build
id_at=$(LC_ALL=C grep -m1 -obUaP '\x14\0\0\0\x03\0\0\0GNU\0' other_build | head -1 | cut -d: -f1)
printf 'other id' | dd of=other_build bs=1 seek=$((id_at + 12)) conv=notrunc 2> /dev/null
status=0
./other_build run long.lua --resume kept2 > "$out" 2> "$err" || status=$?
ends 65 "another build"
check "it says so" err_has "kept2/run: error[scenario]: cannot go on from it: another build of locksim made it"
check "... and the way out" err_has "hint: --checkpoint instead of --resume begins anew"
cp kept2/run run_kept
head -c 40 run_kept > kept2/run
run run long.lua --resume kept2
ends 65 "the run's own file is cut off"
check "it is named" err_has "kept2/run: error[scenario]: cannot go on from it: it is damaged or cut off"
cp run_kept kept2/run
cp long.lua was.lua
echo '-- a line more' >> long.lua
run run long.lua --resume kept2
ends 65 "a changed scenario"
check "it names what has changed" out_has "'long.lua' has changed since"
cp was.lua long.lua
file=$(echo kept2/long.lua.*.0.checkpoint)
cp "$file" good
for at in 3 100 $(($(stat -c %s good) - 4)); do
    cp good "$file"
    printf '\377' | dd of="$file" bs=1 seek="$at" conv=notrunc 2> /dev/null
    run run long.lua --resume kept2
    ends 65 "a byte at $at is another"
    check "... which is said" out_has "cannot go on from it: it "
done
head -c 1000 good > "$file"
run run long.lua --resume kept2
ends 65 "cut off"
check "... which is said" out_has "$file: error[scenario]: cannot go on from it: it is damaged or cut off"
: > "$file"
run run long.lua --resume kept2
ends 65 "an empty file"
check "... which is said" out_has "$file: error[scenario]: cannot go on from it: it is empty, or cannot be read"
cat was.lua > "$file"
run run long.lua --resume kept2
ends 65 "a file of another program's"
check "... which is said" out_has "$file: error[scenario]: cannot go on from it: it was not written by --checkpoint"
rm "$file"
mkdir "$file"
run run long.lua --resume kept2
ends 65 "a folder in its place"
check "... which is said" out_has "$file: error[scenario]: cannot go on from it: it is no file"
rmdir "$file"

# What an earlier run with other options left in the folder is none of this run's, which was killed before it kept
# anything.
run run long.lua --faults none --checkpoint kept5
ends 0 "a run without faults"
run run long.lua --faults crash --checkpoint kept6
cp "$out" whole
cp kept6/run kept5/run
run run long.lua --faults crash --resume kept5
check "a result of other options is not taken for this run's" cmp -s "$out" whole

# A full disk: what a file may hold is less than what a checkpoint needs, and the signal of that is ignored. The search
# takes some seconds, so that one is due on any machine.
sed 's/"A", "B"/"A", "B", "C"/' long.lua > longer.lua
run run longer.lua --max-states 100000
cp "$out" whole
(
    trap '' XFSZ
    ulimit -f 16
    exec "$LOCKSIM" run longer.lua --max-states 100000 --checkpoint kept4 --checkpoint-every 1 > "$out" 2> "$err"
)
status=$?
ends 74 "a full disk"
check "the result is there" cmp -s "$out" whole
check "it says what could not be written" err_has "cannot write: File too large"
check "... and that it goes on" err_has "the search goes on; what was kept before is still there"
check "nothing half written stays" test -z "$(find kept4 -name '*.part')"
