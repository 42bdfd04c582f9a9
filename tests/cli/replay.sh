# replay.sh - a counterexample from its search to its replay: it shows the same, survives edits, and says where it no
# longer fits.

mkdir -p my/scripts
cat > my/acquire.lua <<'X'
if redis.call('set', KEYS[1], ARGV[1], 'NX', 'PX', ARGV[2]) then return 1 end
return 0
X
echo "return redis.call('del', KEYS[1])" > my/release.lua
cat > my/late.lua <<'X'
local generic = require "generic"
local mine = generic.lock {
  acquire = "acquire.lua", release = "release.lua", keys = { "$lock" },
  args = { acquire = { "$owner", "$lease_ms" }, release = { "$owner" } },
  granted = 1, holder = "string value", wait = "sleep", retry_ms = 3000,
}
return {
  title   = "late",
  clients = { "A", "B" },
  program = function(me)
    local lock = mine.lock(me, "order:42", { lease_ms = 5000 })
    lock:acquire()
    me:work(10)
    lock:release()
  end,
  faults  = { pause = 1 },
  explore = { random = 2000, strategy = "pct" },
}
X
run run my/late.lua
ends 1 "the search finds it"
saved=.locksim/out/my.late.LK003.lua
check "it is saved under the scenario's name and the code" test -s $saved
run replay $saved
ends 1 "the replay breaks it again"
check "the replay names property and code" test "$(head -1 "$out")" = "FAIL  my/late.lua   owner_only  LK003"
check "the replay tells the steps" grep -qE '^   #   time +A +B +Redis$' "$out"
cp "$out" told
run replay $saved
check "the same bytes again" cmp -s told "$out"
run replay $saved --format json
ends 1 "a replay as JSON"
check "the JSON holds the run" out_has '"run": ['

# From another folder: the path in the file is relative to the file.
mkdir elsewhere && cd elsewhere || exit 1
run replay ../$saved
ends 1 "a replay from another folder"
cd .. || exit 1
mkdir moved && cp -r my .locksim moved && cd moved || exit 1
run replay $saved
ends 1 "a replay after both have moved"
cd .. || exit 1

# Mended, the schedule fits and the property holds.
cat > my/release.lua <<'X'
if redis.call('get', KEYS[1]) == ARGV[1] then return redis.call('del', KEYS[1]) end
return 0
X
run replay $saved
ends 0 "a replay after the mend"
check "PASS comes first" test "$(head -1 "$out")" = "PASS  my/late.lua   owner_only  LK003"
check "it is said that the schedule fits" out_has "The whole schedule fits"
run replay $saved --scripts my/scripts
ends 0 "a replay with more folders of scripts"

# Edited so that a step does not fit: which one, in which line of the file, and --carry-on.
cp $saved edited.lua
sed -i 's|^  scenario .*|  scenario  = "my/late.lua",|; 0,/"A.acquire"/s//"A.renew"/' edited.lua
line=$(grep -n '"A.renew"' edited.lua | cut -d: -f1)
run replay edited.lua
ends 65 "a step that no longer fits"
check "step and line are named" grep -qE "edited.lua:$line: .*step [0-9]+ no longer fits" "$out"
check "what was enabled is said" grep -qE "enabled are: " "$out"
run replay edited.lua --carry-on
check "--carry-on says what it leaves out" err_has "left out, it no longer fits: A.renew"
check "--carry-on ends with another verdict than 65" test "$status" -ne 65

# Files that are no counterexample.
printf 'return { locksim = 1, scenario = "my/late.lua", property = "owner_only", schedule = { "Z.acquire" } }' \
    > nobody.lua
run replay nobody.lua
ends 65 "a schedule that names nobody"
printf 'return { locksim = 1, scenario = "my/gone.lua", property = "owner_only", schedule = { } }' > gone.lua
run replay gone.lua
ends 65 "a scenario that is gone"
check "the missing file is named" err_has "my/gone.lua"
printf 'return { locksim = 2 }' > newer.lua
run replay newer.lua
ends 65 "a file of another version"
run replay my/late.lua
ends 65 "a scenario is no counterexample"
check "the line is named" err_has "my/late.lua:1"
head -c 5000 /dev/urandom > noise.lua
run replay noise.lua
ends 65 "random bytes"
run replay my
ends 65 "a folder"
run replay absent.lua
ends 65 "a file that is not there"
run replay
ends 64 "no file"

# A client that polls can be passed over for ever: the loop stands between brackets, is replayed, and is refused where it is none.
cat > my/spin.lua <<'LUA'
local take = script.text [[ if redis.call('set', KEYS[1], ARGV[1], 'NX') then return 1 end return 0 ]]
local give = script.text [[ return redis.call('del', KEYS[1]) ]]
return {
  title   = "spin",
  clients = { "A", "B" },
  program = function(me)
    while true do
      me:wants("L")
      while me:eval(take, { "L" }, { me.id }, { op = "acquire", lock = "L" }) == 0 do me:refused("L") me:sleep(10) end
      me:granted("L", { count = 1 })
      me:work(10)
      me:eval(give, { "L" }, {}, { op = "release", lock = "L" })
      me:released("L", { count = 0 })
    end
  end,
  explore = "exhaustive",
  expect  = { bounded_wait = "holds" },
}
LUA
run run my/spin.lua
ends 1 "a client can starve"
loop=.locksim/out/my.spin.LK012.lua
check "the loop is saved in brackets" test "$(grep -cE '^    "(\[|\])",' $loop)" = 2
run replay $loop
ends 1 "the loop is replayed"
check "it says who waits, and that the loop is one" out_has 'waits for "L" for ever: the steps'
sed 's/^    "\[",.*//; s/^    "\]",.*//' $loop > .locksim/out/open.lua
run replay .locksim/out/open.lua --max-steps 50
check "without brackets it shows no starvation" out_lacks 'for ever'
sed 's/^    "B.release",.*//' $loop > .locksim/out/broken.lua
run replay .locksim/out/broken.lua
ends 65 "a loop that does not close is refused"
