# markdown.sh - `locksim run --format markdown`: the locks (folders) by properties and by faults; the cells name the
# smallest faults that break.

mkdir -p one/good one/'b|d' two/good
cat > lock.lua <<'Y'
local M = {}
function M.view(redis, lock)
  local owner = redis.call("GET", lock)
  return { holders = owner and { [owner] = 1 } or {}, ttl_ms = redis.call("PTTL", lock), keys = owner and { lock } or {} }
end
function M.take(me, work_ms)
  me:observe("L", M)
  me:wants("L")
  if me:call("SET", "L", me.id, "NX", "PX", 1000, { op = "acquire", lock = "L", lease = 1000 }) then
    me:granted("L", { lease = 1000 })
    me:work(work_ms)
    me:released("L")
    me:eval("if redis.call('get', KEYS[1]) == ARGV[1] then return redis.call('del', KEYS[1]) end", { "L" }, { me.id }, { op = "release", lock = "L" })
  else
    me:gave_up("L")
  end
end
return M
Y
# scenario FILE FAULTS WORK_MS B_STARTS_MS PROPERTY...
scenario() {
    local file=$1 faults=$2 work=$3 start=$4 expect="" p
    shift 4
    for p in "$@"; do expect="$expect$p = 'violated', "; done
    cat > "$file" <<Y
local lock = require "lock"
return { clients = { "A", { "B", start_ms = $start } }, program = function(me) lock.take(me, $work) end, faults = { $faults }, expect = { $expect } }
Y
}
strict=strict_mutual_exclusion
scenario one/good/once.lua '' 10 1001
scenario one/good/slow.lua '' 2000 1001 $strict
scenario two/good/pause.lua 'pause = 1' 10 1001 $strict
scenario two/good/more.lua 'pause = 1, crash = 1' 10 1001 $strict
scenario two/good/evict.lua 'evict = { 1, of = "L" }' 100 10 mutual_exclusion $strict
scenario 'one/b|d/crash.lua' 'crash = 1' 2000 1001 $strict
scenario 'one/b|d/none.lua' '' 2000 1001 $strict

run run one two --scripts . --format markdown
cp "$out" ran
row() { grep -F "| $1 |" "$out" | sed -n "$2p"; }
cell() { head="$1" awk -F ' [|] ' -v row="$2" '
    { sub(/^\| /, ""); sub(/ \|$/, "") }
    /^lock / { column = 0; for (i = 1; i <= NF; i++) if ($i == ENVIRON["head"]) column = i }
    $1 == row && column { print $column }' "$out"; }
is() { [ "$1" = "$2" ] || { echo "    '$1' instead of '$2'"; false; }; }
check "a lock's scenarios from two places make one row in each table" is "$(grep -c '^| good |' "$out")" 2
check "the smallest faults, then the scenarios without any" is "$(cell LK002 good)" "pa ev slow"
check "what breaks in each scenario breaks always" is "$(cell LK002 'b\|d')" always
check "a bar in a name makes no cell" is "$(grep -c '^| b\\|d |' "$out")" 2
check "what breaks without faults" is "$(cell 'no fault' good)" 002
check "what breaks under a pause" is "$(cell pa good)" 002
check "nothing breaks by several faults that fewer do not" is "$(cell 'besides, by several' good)" cr+pa
check "what breaks always is told once" is "$(cell always 'b\|d') $(cell cr 'b\|d')" "002 holds"
check "a dash where there is no such scenario" is "$(cell pa 'b\|d')" -
check "the legend names what it used" grep -q 'cr crash.*pa pause' "$out"
check "and the properties" grep -q 'LK002 `strict_mutual_exclusion`' "$out"

run run one two --scripts . --format markdown --expected
ends 0 "--expected"
check "--expected: the same as a run whose scenarios come to what they expect" cmp -s ran "$out"
check "--expected saves nothing" test ! -e .locksim/out
run run one --scripts . --expected
ends 64 "--expected without the table"
run run one --scripts . --format markdown --expected --runs 3
ends 64 "--expected with a search"
run run one --format markdown --expected
ends 65 "--expected of files that do not load"
run run one --scripts . --format markdown --expected --faults crash=1
ends 64 "--expected under other faults"
