# reduction.sh - steps that commute in one order: the same verdict with fewer states, by any number of threads, and a
# reason where they are not.

cat > turns.lua <<'Y'
local redisson = require "redisson.lock"
return { title = "turns", clients = { "A", "B", "C", "D" }, start_ms = 0, program = function(me)
  local lock = redisson.lock(me, "order:42")
  if lock:acquire() then me:work(100) lock:release() end
end }
Y

states() { sed -n 's/.*exhaustive: \([0-9,]*\) states.*/\1/p' "$out" | tr -d ,; }

run run turns.lua
ends 0 "every order"
every=$(states)
run run turns.lua --reduction -v -j1
ends 0 "one order"
one=$(states)
check "there are fewer states: $one of $every" test "$one" -gt 0 -a "$((13 * one))" -lt "$((10 * every))"
check "it says so" out_has "steps that commute were taken in one order"
check "it says what is not known" grep -q "which operations met is not known" <(tr -s '\n ' ' ' < "$out")
cp "$out" alone
run run turns.lua --reduction -v -j2
check "two threads come to the same" cmp -s "$out" alone
run run turns.lua --reduction -v -j1 --spill .
check "so does a search that spills" cmp -s <(tail -n +2 "$out") <(tail -n +2 alone)

run run turns.lua --reduction -v --no-symmetry --every-ms 5 --max-states 100
check "every millisecond: it says why not" grep -q "in every order: every millisecond is a stop" <(tr -s '\n ' ' ' < "$out")
run run turns.lua --reduction -v --no-memo --max-states 20
check "without tables: it says why not" grep -q "in every order: only an ordinary search by tables can" <(tr -s '\n ' ' ' < "$out")

# A search that was interrupted at three places, and goes on.
sed 's/"A", "B", "C", "D"/"A", "B", "C", "D", "E", "F"/; s/start_ms = 0/start_ms = 0, faults = { crash = 1 }/' turns.lua > more.lua
run run more.lua --reduction -v
ends 0 "a larger one"
cp "$out" whole
way=--checkpoint
for cpu in 15 25 35; do
    interrupt_after $cpu run more.lua --reduction -v $way kept -j1
    ends 2 "interrupted"
    way=--resume
done
run run more.lua --reduction -v --resume kept
check "resumed: the result is that of one run" cmp -s "$out" whole

# A break: the story is that of a search in every order.
cat > late.lua <<'Y'
local redisson = require "redisson.lock"
return { title = "late", clients = { "A", "B" }, start_ms = 0, program = function(me)
  local lock = redisson.lock(me, "order:42", { lease_ms = 50 })
  if lock:acquire() then me:work(100) lock:release() end
end, expect = { strict_mutual_exclusion = "holds" } }
Y
run run late.lua
ends 1 "a lease that is too short"
cp "$out" story
run run late.lua --reduction
ends 1 "... and so in one order"
check "the story is the same" cmp -s <(sed '/^options/d; /^ *means/,$d' "$out") <(sed '/^options/d; /^ *means/,$d' story)
