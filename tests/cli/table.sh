# table.sh - `locksim run --table`: a line for each exhibit with what breaks in the shortest story, and its twin's
# verdict, wherever the twin lies.

mkdir -p m mended
cat > m/lock.lua <<'X'
local M = {}
function M.view(redis, lock)
  local owner = redis.call("GET", lock)
  return { holders = owner and { [owner] = 1 } or {}, ttl_ms = redis.call("PTTL", lock), keys = owner and { lock } or {} }
end
function M.take(me, careful)
  me:observe("L", M)
  me:wants("L")
  if me:call("SET", "L", me.id, "NX", "PX", 1000, { op = "acquire", lock = "L", lease = 1000 }) then
    me:granted("L", { lease = 1000 })
    me:work(10)
    me:released("L")
    if careful then
      me:eval("if redis.call('get', KEYS[1]) == ARGV[1] then return redis.call('del', KEYS[1]) end", { "L" }, { me.id }, { op = "release", lock = "L" })
    else
      me:call("DEL", "L", { op = "release", lock = "L" })
    end
  else
    me:gave_up("L")
  end
end
return M
X
cat > m/R01.lua <<'X'
local lock = require "lock"
return {
  clients = { "A", { "B", start_ms = 1001 }, { "C", start_ms = 1001 } }, program = function(me) lock.take(me, false) end, faults = { pause = 1 },
  exhibit = { bug = "#1 #22", library = "Some|lib", versions = "1.0", what = "DEL without a look", twin = "../mended/R01.lua" },
  expect = { owner_only = "violated", strict_mutual_exclusion = "violated", mutual_exclusion = "violated" },
}
X
cat > mended/R01.lua <<'X'
local lock = require "lock"
return { clients = { "A", { "B", start_ms = 1001 }, { "C", start_ms = 1001 } }, program = function(me) lock.take(me, true) end, faults = { pause = 1 },
         expect = { strict_mutual_exclusion = "violated" } }
X
cat > m/alone.lua <<'X'
return { title = "nothing to see", clients = { "A" }, program = function(me) me:call("PING") end }
X

run run m --table --scripts m
ends 0 "a table of an exhibit"
check "its line says bug, faults, what breaks and that the twin holds" grep -qE \
    '^R01 +#1 #22 +Some\|lib 1.0 +DEL without a look +pause +LK001 mutual_exclusion, LK002, LK003 +[0-9]+ +[0-9]+ +[0-9,]+ +holds$' "$out"
check "what is no exhibit has a line" grep -qE '^alone +- +- +nothing to see +- +nothing +- +- +[0-9]+ +-$' "$out"
check "the twin, found outside of the folder, has none of its own" test "$(grep -c '^R01' "$out")" -eq 1
check "all three were run" out_has "3 scenarios: 3 passed"
check "times go to stderr" err_has "3 searches took"
check "times are not in the table" out_lacks "0.0"
cp "$out" alone
run run mended/R01.lua m --table --scripts m --jobs 1
check "a twin that was named is not run again" out_has "3 scenarios: 3 passed"
grep -E '^(R01|alone)' alone > want
grep -E '^(R01|alone)' "$out" > got
check "and says the same" cmp -s want got
run run m --table --scripts m --format markdown
ends 0 "the table as Markdown"
check "it begins with its head" test "$(head -1 "$out")" = \
    "| exhibit | bug | library | what is wrong | faults | breaks | steps | switches | states | twin |"
check "a bar in a cell is no bar of the table" out_has 'Some\|lib 1.0 |'
check "each line has ten cells" test "$(sed 's/\\|//g' "$out" | awk -F'|' '{ print NF }' | sort -u)" = 12
check "nothing else is there" test "$(grep -vc '^|' "$out")" -eq 0

# Twins that do not hold, are absent, or break what the exhibit breaks.
sed -i 's/take(me, true)/take(me, false)/' mended/R01.lua
run run m --table --scripts m
ends 1 "a twin that is broken"
check "is said to fail" grep -qE '^R01 .* FAILS$' "$out"
check "and why is told before the table" out_has "FAIL  mended/R01.lua"
cat > mended/R01.lua <<'X'
local lock = require "lock"
return { clients = { "A", { "B", start_ms = 1001 }, { "C", start_ms = 1001 } }, program = function(me) lock.take(me, false) end, faults = { pause = 1 },
         expect = { owner_only = "violated", strict_mutual_exclusion = "violated", mutual_exclusion = "violated" } }
X
run run m --table --scripts m
check "a twin that breaks the same, and expects it, fails too" grep -qE '^R01 .* FAILS$' "$out"
rm mended/R01.lua
run run m --table --scripts m
ends 65 "a twin that is not there"
check "is an error in the line" grep -qE '^R01 .* ERROR$' "$out"
check "that names the file" out_has "mended/R01.lua"
run run m --table --format json
ends 64 "a table as JSON"
