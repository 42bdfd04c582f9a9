# baseline.sh - `run --baseline`: what has moved since a saved run, said once each, and files that are no saved run.

mkdir locks changed
# A scenario of the simple lock. Usage: scene NAME LEASE_S WORK_MS FIELDS
scene() {
    cat > "locks/$1.lua" <<L
local simple = require "simple.string"
return {
  program = function(me)
    local lock = simple.lock(me, "order:42", { lease_s = $2, retry_ms = 250 })
    if lock:acquire() then
      me:work($3)
      lock:release()
    end
  end,
  $4
}
L
}
believed='expect = { mutual_exclusion = "holds", strict_mutual_exclusion = "violated" }'
scene pause 2 100 "clients = { 'A', { 'B', start_ms = 10 } }, faults = { pause = { 1, of = 'A' } }, $believed"
scene lease_expiry 1 1500 "clients = { 'A', { 'B', start_ms = 100 } }, $believed"
run run locks --format json
cp "$out" base.json
run run locks --baseline base.json
ends 0 "nothing has moved"
check "nothing has moved: the sum" out_has 'against base.json: 2 as before'
check "nothing has moved: no other line of it" out_lacks ' -> '

# A lock without an owner: any client may free it. The folder is named like the shipped one that it hides.
mkdir -p changed/simple/string
sed "s/redis.call('get', lock) == owner/true/" "$ROOT/scripts/simple/string/release.lua" \
    > changed/simple/string/release.lua
check "the changed script differs" grep -q '^if true then' changed/simple/string/release.lua
run run locks --scripts changed --baseline base.json -o out
ends 1 "a changed script"
check "worse: the scenario" grep -q '^worse   locks/pause.lua' "$out"
check "worse: the verdict" grep -qE '^  verdict +PASS -> FAIL' "$out"
check "worse: the property" grep -qE '^  LK003 owner_only +holds -> violated' "$out"
check "worse: the verdict comes first" awk '/^worse/ { getline; exit $1 != "verdict" }' "$out"
check "moved: states with their difference" grep -qE '^  states +[0-9,]+ -> [0-9,]+ \([+-][0-9,]+\)' "$out"
cp "$out" text.1
run run locks --scripts changed --baseline base.json -o out --jobs 3
check "the same bytes whatever --jobs" cmp -s "$out" text.1

run run locks --scripts changed --baseline base.json -o out --format json
ends 1 "as JSON"
check "as JSON: the field" out_has '"worse": '
check "as JSON: a move" out_has '"before": "PASS"'
check "a compared run is a saved run" grep -q '"locksim": 1' "$out"
cp "$out" worse.json
run run locks --baseline worse.json
ends 0 "back again"
check "better" grep -q '^better  locks/pause.lua' "$out"

rm locks/lease_expiry.lua
scene uncontended 2 100 "clients = { 'A' }"
run run locks --baseline base.json
ends 0 "other scenarios"
check "new" grep -qE '^new     locks/uncontended.lua +PASS' "$out"
check "gone" grep -qE '^gone    locks/lease_expiry.lua +was PASS' "$out"
run run locks/pause.lua locks/pause.lua --baseline base.json
check "twice the same: the second one is new" out_has 'against base.json: 1 new, 1 gone, 1 as before'
run run "$ROOT/scenarios/seeds/simple_string.lua:uncontended" --baseline base.json
check "another folder is guessed" out_has 'None of these scenarios is in the saved run'

# An inconclusive result has status 2 by itself: that it was a pass makes it a failure.
run run locks/pause.lua --max-states 5 --baseline base.json
ends 1 "inconclusive now"
run run locks/pause.lua --max-states 5
ends 2 "inconclusive, compared with nothing"

run run locks/pause.lua --measure
ends 0 "--measure"
check "--measure: what an acquisition costs" grep -qE \
    '^  costs +an acquisition waits [0-9.]+ ms .* takes [0-9.]+ requests, [0-9.]+ commands; simulated' "$out"
run run locks/pause.lua --measure --format json
check "--measure, as JSON" grep -q '"commands_per_acquisition": [1-9]' "$out"
cp "$out" measured.json
sed 's/"wait_mean_ms": [0-9.]*/"wait_mean_ms": 1.5/; s/"commands_per_acquisition": [0-9.]*/"commands_per_acquisition": 99/' measured.json > other.json
run run locks/pause.lua --baseline other.json
ends 0 "other costs are no failure"
check "a measured baseline: waits are compared without being asked for" grep -qE '^  wait_mean_ms +1.5 -> [0-9.]+ \(' \
    "$out"
check "a measured baseline: so are commands" grep -qE '^  commands_per_acquisition +99 -> ' "$out"
run run locks/pause.lua --baseline measured.json
check "the same costs: nothing has moved" out_has 'against measured.json: 1 as before'
run run locks/pause.lua --measure --format junit
ends 64 "--measure in another format"

bad() {
    printf '%s' "$1" > bad.json
    run run locks/pause.lua --baseline bad.json
    check "bad baseline $2: status 65, located, nothing run" test "$status" -eq 65 -a ! -s "$out" -a \
        "$(grep -c '^bad.json[:0-9]*: error\[scenario\]' "$err")" -eq 1
}
bad '' "empty"
bad '{"locksim": 1, "results": [' "cut off"
bad '[]' "no object"
bad '{"results": []}' "foreign"
bad '{"locksim": 2, "results": []}' "of another format"
bad '{"locksim": 1, "results": [7]}' "without a scenario"
bad '{"locksim": 1, "results": [{"scenario": "x", "verdict": "MAYBE"}]}' "with an unknown verdict"
bad '{"locksim": 1, "results": [{"scenario": "x", "verdict": "PASS", "search": {"states": -1}}]}' \
    "with a negative count"
bad '{"locksim": 1, "results": [{"scenario": "x", "verdict": "PASS", "search": {"states": 1e999}}]}' \
    "with a number too large"
bad '{"locksim": 1, "results": [{"scenario": "x", "verdict": "PASS", "measure": {"seeds": 1, "wait_mean_ms": "long"}}]}' "with a wait that is no number"
run run locks/pause.lua --baseline nowhere.json
ends 65 "a baseline that is not there"
run run locks/pause.lua --baseline base.json --format tap
ends 64 "--baseline in another format"
