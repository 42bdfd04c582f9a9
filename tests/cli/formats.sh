# formats.sh - results for build servers: TAP, SARIF and GitHub's annotations, and --quiet and --fail-fast.

echo "if redis.call('set', KEYS[1], ARGV[1], 'nx', 'px', ARGV[2]) then return 1 end return 0" > 'take now.lua'
echo "if redis.call('get', KEYS[1]) == ARGV[1] then return redis.call('del', KEYS[1]) end return 0" > free.lua
scenario() {
    cat <<LUA
local mine = require("generic").lock {
  acquire = "take now.lua", release = "free.lua", keys = { "\$lock" }, args = { acquire = { "\$owner", "\$lease_ms" }, release = { "\$owner" } },
  granted = 1, holder = "string value", wait = "sleep", retry_ms = 100, lease_ms = 100,
}
return {
  title = "$1", clients = { "A", "B" },
  program = function(me)
    local lock = mine.lock(me, "l")
    if lock:acquire() then
      me:work($2)
      lock:release()
    end
  end,
  expect = { strict_mutual_exclusion = "holds" },
}
LUA
}
scenario "held in time" 10 > good.lua
scenario "too long, 100% #1" 200 > 'late #1.lua'
echo 'return {' > broken.lua

run run good.lua 'late #1.lua' broken.lua --format tap
ends 65 "TAP, the worst of three"
check "TAP: its version and plan" awk \
    'NR == 1 { v = $0 } /^1\.\./ { plan = substr($0, 4) } /^(not )?ok / { n++ } END { exit !(v == "TAP version 13" && plan == n && n > 10) }' "$out"
check "TAP: numbered without a gap" awk \
    '/^ok / { if ($2 != ++n) bad = 1 } /^not ok / { if ($3 != ++n) bad = 1 } END { exit bad }' "$out"
check "TAP: a # in a path begins no directive" out_has 'late \#1.lua strict_mutual_exclusion'
check "TAP: the code" out_has '  code: LK002'
check "TAP: where" grep -qE '^  file: "late #1.lua"|^  file: ".*lua"' "$out"
check "TAP: the story" out_has '  story: |2'
check "TAP: an error is no pass" grep -qE '^not ok [0-9]+ - broken.lua verdict$' "$out"
cp "$out" first.tap
run run good.lua 'late #1.lua' broken.lua --format tap --jobs 3
check "TAP: the same bytes whatever --jobs" cmp -s "$out" first.tap

run run good.lua 'late #1.lua' broken.lua --format sarif
ends 65 "SARIF"
cp "$out" log.sarif
check "SARIF: as many results as did not pass" test "$(grep -c '"ruleId"' log.sarif)" -eq \
    "$(grep -c "^not ok" first.tap)"
check "SARIF: build servers ask for the schema" out_has '"$schema": "https://'
check "SARIF: its rules are the codes" out_has '"id": "LK010"'
check "SARIF: a failure" out_has '"ruleId": "LK002"'
check "SARIF: a URI holds no blank" out_has 'take%20now.lua'
check "SARIF: the story as a flow" out_has '"threadFlows"'
run run good.lua --format sarif
ends 0 "SARIF of a pass"
check "SARIF: nothing is reported" out_has '"results": []'

run run good.lua 'late #1.lua' broken.lua --format github
ends 65 "GitHub"
check "GitHub: a line each, nothing else" awk \
    '!/^::(error|warning) file=[^:,]+,line=[0-9]+,title=[A-Z0-9]+ [a-z_]+::./ { exit 1 }' "$out"
check "GitHub: lines are escaped" out_has '%0Ascenario: late #1.lua'
run run good.lua --format github
check "GitHub: silent when all pass" out_is_empty

run run good.lua 'late #1.lua' --quiet
ends 1 "--quiet"
check "--quiet: no line for a pass" out_lacks 'PASS'
check "--quiet: the failure and the sum" out_has '2 scenarios: 1 passed, 1 failed'
run run good.lua --quiet
check "--quiet: one line when all pass" test "$(wc -l < "$out")" -eq 1

run run 'late #1.lua' broken.lua good.lua --fail-fast
ends 1 "--fail-fast: the status of what stopped it"
check "--fail-fast: says what was left" out_has '3 scenarios: 1 failed, 2 not run'
run run good.lua 'late #1.lua' broken.lua --fail-fast --jobs 3
ends 1 "--fail-fast with jobs"
check "--fail-fast: the same whatever --jobs" out_has '3 scenarios: 1 passed, 1 failed, 1 not run'
run run good.lua --format sarif --table
ends 64 "--table in another format"

# A scenario that reaches its script by "..": annotations name the file as the repository does.
mkdir -p own/scripts own/scenarios
echo "redis.call('GET', KEYS[1]) return nil + 1" > own/scripts/fails.lua
cat > own/scenarios/asks.lua <<'LUA'
local fails = script "../scripts/fails.lua"
return { title = "it fails", clients = { "A" }, program = function(me) me:eval(fails, { "L" }, {}) me:call("GET", "L") end }
LUA
run run own --format github
ends 1 "a script beside the scenarios' folder"
check "github: no .. in the file's name" out_has "file=own/scripts/fails.lua,line=1"
run run own --format sarif
check "sarif: nor in a URI" out_has '"uri": "own/scripts/fails.lua"'

# A script that fails between two commands: what is shown is the line that fails, not that of the command before it.
printf "redis.call('GET', KEYS[1])\nlocal none\n\nreturn none.field\n" > own/scripts/fails.lua
run run own --format github
check "github: the line of a script's error" out_has "file=own/scripts/fails.lua,line=4"
run run own --format sarif
check "sarif: the line of a script's error" out_has '"startLine": 4'
# Another property is broken where its last command ran, whatever was found of the script later on.
cat > own/scripts/takes.lua <<'LUA'
redis.call('SET', KEYS[1], ARGV[1])
return 1
LUA
cat > own/scenarios/asks.lua <<'LUA'
local takes = script "../scripts/takes.lua"
return { title = "both take it", clients = { "A", "B" }, program = function(me)
  me:eval(takes, { "L" }, { me.id })
  me:granted("L")
  me:work(10)
end, expect = { strict_mutual_exclusion = "holds" } }
LUA
run run own --format github
check "github: the line of another property" out_has "file=own/scripts/takes.lua,line=1,title=LK002"

# A step without a script: not the lines that every lock from a table goes through.
cat > table_lock.lua <<'LUA'
local generic = require "generic"
local mine = generic.lock { acquire = { "SETNX", "$lock", "$owner" }, granted = 1, release = { "DEL", "$lock" } }
return { clients = { "A", "B" }, program = function(me)
  local lock = mine.lock(me, "l")
  if lock:try_acquire() then me:work() end
end }
LUA
run run table_lock.lua --format github
check "github: a lock from a table is at its program's line" out_has 'file=table_lock.lua,line=5,title=LK030'
check "github: and never in the shipped scripts" out_lacks 'generic.lua'
check "github: nor where scripts are sent" out_lacks 'evaluate.lua'
