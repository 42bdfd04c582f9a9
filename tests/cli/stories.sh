# stories.sh - an expected violation masks no other bug with the same code: NAME.stories holds by which smallest faults
# it comes about, and at whose step.

cat > acquire.lua <<'L'
if redis.call('set', KEYS[1], ARGV[1], 'NX', 'PX', ARGV[2]) then return 1 end
return 0
L
cat > release.lua <<'L'
if redis.call('get', KEYS[1]) == ARGV[1] then return redis.call('del', KEYS[1]) end
return 0
L
cat > order.lua <<'L'
-- order.lua: a pause outlives the lease, and everybody knows.
local mine = require("generic").lock {
  acquire = "acquire.lua", release = "release.lua", granted = 1, wait = "sleep", retry_ms = 3000, holder = "string value",
  args = { acquire = { "$owner", "$lease_ms" }, release = { "$owner" } },
}
return {
  title   = "order",
  clients = { "A", "B" }, start_ms = 0,
  program = function(me)
    local lock = mine.lock(me, "order:42", { lease_ms = 5000 })
    lock:acquire()
    me:work(4000)
    lock:release()
  end,
  cases   = {
    pause = { faults = { pause = 1 }, expect = { strict_mutual_exclusion = "violated" } },
    wipe  = { faults = { wipe = 1, evict = 1 }, expect = { strict_mutual_exclusion = "violated", mutual_exclusion = "violated" } },
    evict = { faults = { evict = 1 }, expect = { strict_mutual_exclusion = "violated", mutual_exclusion = "violated" } },
    plain = {},
  },
}
L
stories() { grep -v '^#' order.stories | sed 's/  *#.*//; s/   */ /g'; }
stories_are() { [ "$(stories)" = "$1" ]; }

run run order.lua
ends 0 "without the file nothing is compared"
check "... and none is made" test ! -e order.stories
run run order.lua:pause --format json
check "... and what that hides is said" out_has \
    "in whatever way it breaks, this was expected (--write-expect says in which): strict_mutual_exclusion"
run run order.lua --write-expect
ends 0 "it is written"
check "... and told beside the result" err_has "wrote order.stories"
check "a line a case and property, in their order" stories_are "evict mutual_exclusion evict=1: acquire
evict strict_mutual_exclusion evict=1: acquire
pause strict_mutual_exclusion pause=1: acquire
wipe mutual_exclusion wipe=1: acquire; evict=1: acquire
wipe strict_mutual_exclusion wipe=1: acquire; evict=1: acquire"
check "lengths are shown" grep -qE '^pause .*# [0-9]+ steps$' order.stories
cp order.stories good.stories
run run order.lua
ends 0 "the same again"
run run order.lua:evict --no-memo --write-expect
check "without tables it is the same" cmp -s order.stories good.stories
sed -i 's/# .* steps/# 9999 steps/' order.stories
run run order.lua
ends 0 "lengths are never compared"
cp good.stories order.stories
run run order.lua:wipe --write-expect
check "what was not run stays" cmp -s order.stories good.stories
run run order.lua:pause --format json
check "JSON has the causes" out_has '"breaks_by"'
check "... and the expected ones" out_has '"expected_to_break_by"'
check "... and says nothing of other ways" out_lacks "in whatever way"
run run order.lua:pause --verbose
check "--verbose shows them" grep -qx '  *pause=1: acquire' "$out"

# A second bug with the same code, behind the violation that is expected.
cp acquire.lua careful.lua
cat > acquire.lua <<'L'
if redis.call('set', KEYS[1], ARGV[1], 'NX', 'PX', ARGV[2]) then return 1 end
if redis.call('pttl', KEYS[1]) < 4995 then redis.call('set', KEYS[1], ARGV[1], 'PX', ARGV[2]) return 1 end
return 0
L
mv order.stories kept.stories
run run order.lua:pause --faults pause=1
mv kept.stories order.stories
masked() { ! grep -q '^FAIL.*strict_mutual_exclusion' "$out"; }
check "without the file strict_mutual_exclusion says nothing new" masked
run run order.lua:pause
ends 1 "a smaller set"
check "it fails as what it is" grep -q '^FAIL  order.lua:pause   strict_mutual_exclusion  LK002$' "$out"
check "what is so is shown" grep -qx '  is     none: acquire' "$out"
check "... and what was" grep -qx '  was    pause=1: acquire' "$out"
check "the story is that of the new cause" grep -q acquire .locksim/out/order.pause.LK002.lua
check "... without a fault" sh -c '! grep -q !pause .locksim/out/order.pause.LK002.lua'
run run order.lua:pause --format junit
check "JUnit fails that case" out_has \
    'message="expected to be violated, but not so: by other faults, or at another step"'
check "... and shows both" out_has "was: pause=1: acquire"
mv careful.lua acquire.lua

sed -i 's/^\(pause .*\)pause=1: acquire/\1pause=1: release/' order.stories
run run order.lua:pause
ends 1 "another operation"
check "... is shown" grep -qx '  was    pause=1: release' "$out"
sed 's/^\(pause .*\)pause=1: acquire/\1pause=1: acquire; crash=1: acquire/' good.stories > order.stories
run run order.lua:pause
ends 1 "another set, one cause less than expected"
sed 's/^\(pause .*\)pause=1: acquire/\1pause=2: acquire/' good.stories > order.stories
run run order.lua:pause
ends 1 "another set, a smaller budget"
run run order.lua:pause --faults pause=1,wipe=1
ends 1 "with other faults nothing is compared: mutual_exclusion is not expected to break"
check "... but by its own" out_lacks "  was "
run run order.lua:pause --runs 500
check "a sample is not compared" out_lacks "  was "

# What nobody knows is not compared as if it were known.
cp good.stories order.stories
run run order.lua:pause --max-states 300
ends 2 "a search that came to no end"
run run order.lua --write-expect --max-states 300
check "its line says so" grep -qE '^pause +strict_mutual_exclusion +\? +# the limit of 300 states came first' \
    order.stories
run run order.lua:pause
ends 0 "... and holds nothing"

# Lines that cannot be about this file.
wrong() { printf '# a comment\n%s\n' "$2" > order.stories; run run order.lua; ends 65 "$1"; check "$1: $3" out_has \
    "$3"; check "$1: its place" out_has "order.stories:2:$4:"; }
wrong "a case that is gone" "pauze strict_mutual_exclusion pause=1: acquire" "order.lua has no such case" 1
check "the nearest one is named" out_has "did you mean pause?"
wrong "a property that is not expected to break" "plain strict_mutual_exclusion pause=1: acquire" \
    "does not expect strict_mutual_exclusion to be violated" 7
wrong "no property" "pause strict pause=1: acquire" "there is no property 'strict'" 7
wrong "half a line" "pause" "a line is a case, a property and how it breaks" 6
wrong "no fault" "pause strict_mutual_exclusion pauze=1: acquire" "there is no fault 'pauze'" 31
wrong "no operation" "pause strict_mutual_exclusion pause=1" "names no operation" 31
printf 'pause LK002 ?\npause strict_mutual_exclusion ?\n' > order.stories
run run order.lua
ends 65 "twice"
check "twice: its place" out_has "order.stories:2:1: error[scenario]: line 1 has this case and property, too"
run run order.lua --write-expect
check "what is wrong is written anew" cmp -s order.stories good.stories
run run order.lua --write-expect --faults crash=1
ends 64 "--write-expect takes the file's own faults"
