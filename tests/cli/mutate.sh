# mutate.sh - `locksim mutate`: what is killed, what survives, what is kept in a folder, parts of the work, and bad
# input.

mkdir my
cat > my/acquire.lua <<'X'
-- KEYS 1 lock    ARGV 1 owner, 2 lease in ms
if redis.call('set', KEYS[1], ARGV[1], 'NX', 'PX', ARGV[2]) then
  return 1
end
return 0
X
cat > my/release.lua <<'X'
if redis.call('get', KEYS[1]) == ARGV[1] then
  return redis.call('del', KEYS[1])
end
return 0
X
cat > my/two.lua <<'X'
-- Two clients, once each, and no faults.
local generic = require "generic"
local mine = generic.lock {
  acquire = "acquire.lua", release = "release.lua", keys = { "$lock" },
  args = { acquire = { "$owner", "$lease_ms" }, release = { "$owner" } },
  granted = 1, holder = "string value", wait = "sleep", retry_ms = 250, lease_ms = 1000,
}
return {
  title = "mine",
  clients = { "A", "B" },
  program = function(me)
    local lock = mine.lock(me, "order:42")
    if lock:acquire() then
      me:work(100)
      lock:release()
    end
  end,
}
X
run run my/two.lua
ends 0 "the scenario passes with the scripts as they are"

run mutate my/release.lua -v
check "a script's mutants are judged: 0 or 1" sh -c "[ $status -eq 0 ] || [ $status -eq 1 ]"
check "whatever frees nothing is killed" out_has \
    "killed     my/release.lua:2:3: return redis.call('del', KEYS[1]) -> nothing"
check "the killer is named, and the property" out_has "my/two.lua: LK"
check "there is a sum" out_has "1 file, "
cp "$out" first
run mutate my/release.lua -v --jobs 1
check "the same bytes with one thread" cmp -s first "$out"

check "no client outlives its lease here, so only owners release" \
    out_has "equivalent my/release.lua:1:4: redis.call('get', KEYS[1]) == ARGV[1] -> true"
mkdir -p elsewhere
cp my/two.lua elsewhere
run mutate my/release.lua --scenarios elsewhere
ends 1 "scenarios that do not lie beside the scripts"
check "... find them all the same" out_has "survived   my/release.lua:4:8: 0 -> 1"
run mutate my --scenarios elsewhere
check "... and below a folder" out_has "my/acquire.lua  17 mutants"
rm -r elsewhere
run mutate my/release.lua --scenarios my
ends 1 "something survives"
check "a survivor has its place, what stood there and what stands there now" out_has \
    "survived   my/release.lua:4:8: 0 -> 1"
check "and who could have noticed: here nobody" out_has "no scenario reaches it"
sed 's/program = /faults = { pause = 1 }, expect = { strict_mutual_exclusion = "violated" },\n  program = /; s/Two clients, once each, and no faults/A pause/' \
    my/two.lua > paused.lua
cp my/*e.lua .
run mutate release.lua --scenarios paused.lua
check "with a pause that outlives the lease it is told from the original" out_lacks "equivalent"
rm -f acquire.lua release.lua paused.lua

# What survives can be explained; what explains nothing is stale.
printf '# why\nmy/release.lua\tconstant\t0\t1\t1\tthe lease outlasts the work\n' > why.tsv
run mutate my/release.lua --scenarios my --explained why.tsv --format json
check "JSON: an explained survivor" sh -c \
    "grep -q '\"class\": \"explained\"' '$out' && grep -q 'the lease outlasts the work' '$out'"
printf 'my/release.lua\tforce\tnobody\ttrue\t1\treally\n' >> why.tsv
run mutate my/release.lua --scenarios my --explained why.tsv
ends 1 "a stale explanation"
check "the stale line is shown" out_has "my/release.lua	force	nobody	true"
printf 'my/release.lua\tforce\n' > why.tsv
run mutate my/release.lua --scenarios my --explained why.tsv
ends 65 "an explanation that is cut short"
check "its line is named" err_has "why.tsv:1:"

# A folder of diffs and logs, from which it goes on.
run mutate my/release.lua --scenarios my -o kept --verbose
check "an index is kept" grep -q "^my/release.lua	" kept/index.tsv
check "a diff can be applied" sh -c \
    "cp -r my changed && patch -s -p0 -d . -o changed.lua < kept/my.release.001.diff && ! cmp -s changed.lua my/release.lua"
check "a log says what came of it" grep -q "^my/release.lua:1:" kept/my.release.001.log
cp "$out" first
run mutate my/release.lua --scenarios my -o kept --verbose
check "the second time nothing is judged again" err_has "mutants were judged before"
check "and the result is the same, reasons included" cmp -s <(sed '1s/ (.*//' first) <(sed '1s/ (.*//' "$out")
check "an equivalent one's reason is among them" grep -Eq "no client can tell it from the original in [1-9]" first
check "no scenario was run, and none is counted" out_has "(judged before)"
for i in 1 2; do
    run mutate my/release.lua --scenarios my -o kept-small --max-states 5
    check "scenarios that are too large are said to be so, judged now or before ($i)" out_has \
        "no scenario that is small enough (--max-states) reaches it"
done
run mutate my/acquire.lua --scenarios my -o kept
check "rows of other scripts stay" grep -q "^my/release.lua	" kept/index.tsv
check "beside the new ones" grep -q "^my/acquire.lua	" kept/index.tsv
echo "-- changed" >> my/two.lua
run mutate my/release.lua --scenarios my -o kept
check "a changed scenario: everything is judged again" sh -c "! grep -q 'judged before' '$err'"
echo "not an index" > kept/index.tsv
run mutate my/release.lua --scenarios my -o kept
ends 64 "a file that is no index"
check "is left alone" grep -q "not an index" kept/index.tsv

# A scenario of random runs, in a world that nobody would search whole: it is not compared without end.
mkdir wide
echo "redis.call('incr', KEYS[1]) redis.call('incr', KEYS[2]) return 1" > wide/two.lua
cat > wide/random.lua <<'X'
local two = script "two.lua"
return { title = "wide", explore = { random = 1 }, clients = { "A", "B", "C", "D" }, program = function(me)
  for i = 1, 100 do
    me:eval(two, { "{a}", "{a}" .. me.id }, {})
  end
end }
X
RUN_CPU_SECONDS=60 run mutate wide/two.lua --scenarios wide
ends 1 "it ends"
check "what nobody could tell apart survives" out_has \
    "redis.call('incr', KEYS[1]); redis.call('incr', KEYS[2]) -> redis.call('incr', KEYS[2]); redis.call('incr', KEYS[1])"

# What an earlier run has left, for other scenarios.
run mutate my/release.lua --scenarios my -o before --max-states 5
left=$(grep -cE '	(survived|undecided)	' before/index.tsv)
run mutate my/release.lua --scenarios my --left before/index.tsv --format json
check "as many as were left" [ "$(grep -c '"number":' "$out")" -eq "$left" ]
run mutate my/release.lua --scenarios my --left my/two.lua
ends 65 "--left of what is no index"

# Parts of the work: each mutant is in exactly one.
run mutate my/release.lua --scenarios my --format json
count() { grep -c '"number":' "$1"; }
all=$(count "$out") sum=0
for k in 1 2 3; do
    run mutate my/release.lua --scenarios my --shard $k/3 --format json
    sum=$((sum + $(count "$out")))
done
check "three shards are the whole" [ "$all" -eq "$sum" ]
for shard in 0/3 4/3 1 1/ /3 1/0 x/y 1/3x -1/3; do
    run mutate my/release.lua --scenarios my --shard=$shard
    ends 64 "--shard $shard"
done

# Changed lines only.
run mutate my/release.lua --scenarios my --in-diff HEAD
ends 65 "--in-diff outside a repository"
git init -q . && git -c user.name=t -c user.email=t@t add my && git -c user.name=t -c user.email=t@t commit -q -m one
run mutate my/release.lua --scenarios my --in-diff nonsense
ends 65 "a revision that does not exist"
check "is named" err_has "no revision 'nonsense'"
run mutate my/release.lua --scenarios my --in-diff HEAD
ends 0 "nothing has changed"
check "no mutant then" out_has "release.lua  0 mutants"
sed -i 's/^return 0$/return 7/' my/release.lua
run mutate my/release.lua --scenarios my --in-diff HEAD -v
check "a changed line's mutants" out_has "my/release.lua:4:8: 7 -> 8"
check "and no others" out_lacks "my/release.lua:1:"

# Bad input.
printf 'return 1\nif x then\n' > my/broken.lua
run mutate my/broken.lua --scenarios my
ends 65 "a script that does not parse"
check "has its place" err_has "my/broken.lua:2:"
echo 'return 1' > my/lonely.lua
run mutate my/lonely.lua --scenarios my
ends 65 "a script that no scenario loads"
check "and that is said" err_has "no scenario loads this file"
run mutate nowhere.lua
ends 65 "a script that is not there"
run mutate my/release.lua --scenarios nowhere
ends 65 "a folder of scenarios that is not there"
mkdir empty
run mutate empty
ends 65 "an empty folder"
run mutate
ends 64 "no script"
printf '\033Lua' > my/binary.lua
run mutate my/binary.lua --scenarios my
ends 65 "compiled Lua"
LUA_PATH='/nowhere/?.lua' run mutate my/release.lua --scenarios my
ends 65 "without luacheck"
check "the package is named" err_has "apt-get install lua-check"
yes 'x = x + 1' | head -3000 > my/long.lua
run mutate my/long.lua --scenarios my
ends 65 "a script with more mutants than anybody waits for"
check "and that is said" err_has "mutants; at most"

# Nothing to change is said, for no score would tell it from a script that was never looked at.
: > my/nothing.lua
sed 's/program = .*/program = function(me) me:eval(script "nothing.lua", { "L" }, {}) end }/; /^    local lock/,$d; /^local generic/,/^}/d' my/two.lua > my/asks_nothing.lua
run mutate my/nothing.lua
ends 0 "a script without a statement"
check "it says that there is nothing to change" out_has "nothing in it can be changed"

# Client code: a driver beside the script, and one in the scenario's own file.
mkdir clients
cat > clients/mine.lua <<'Y'
local M = { spec = "mutex" }
local function try(me, name)
  local reply, problem = me:call("SET", name, me.id, "NX", "PX", 1000, { op = "acquire", lock = name, lease = 1000 })
  if problem then
    return nil, problem
  end
  return reply == "OK"
end
function M.view(redis, name)
  local holders = {}
  if redis.call("EXISTS", name) == 1 then
    holders[redis.call("GET", name)] = 1
  end
  return { holders = holders, ttl_ms = redis.call("PTTL", name), keys = {} }
end
local function never(me)
  me:sleep(5)
end
function M.lock(me, name)
  me:observe(name, M)
  local lock = { never = never }
  function lock:acquire()
    me:wants(name)
    while not try(me, name) do
      me:refused(name)
      me:sleep(100)
    end
    me:granted(name, { lease = 1000 })
    return true
  end
  function lock:release()
    me:call("DEL", name, { op = "release", lock = name })
    me:released(name)
  end
  return lock
end
return M
Y
cat > clients/two.lua <<'Y'
local mine = require "mine"
return {
  title = "mine", clients = { "A", "B" },
  program = function(me)
    local lock = mine.lock(me, "L")
    if lock:acquire() then
      me:work(100)
      lock:release()
    end
  end,
}
Y
run run clients/two.lua
ends 0 "the driver's scenario passes"
run mutate clients/mine.lua --scenarios clients -v
ends 1 "a driver is mutated"
check "a lost answer to the question who has it is noticed" out_has \
    "killed     clients/mine.lua:7:3: return reply == \"OK\" -> nothing"
check "what no scenario runs is noticed by none" out_has "survived   clients/mine.lua:17:3: me:sleep(5) -> nothing"
check "... and that is said" out_has "no scenario reaches it"
check "a view is not mutated" sh -c "! grep -q 'mine.lua:\\(9\\|1[0-5]\\):' '$out'"
check "nor what an announcement says" sh -c \
    "! grep -q ':[0-9]*: me:granted' '$out' && ! grep -q '\"acquire\" ->' '$out'"
run mutate clients --kind scripts --scenarios clients
ends 65 "of the folder, no script"
run mutate clients --kind drivers --scenarios clients --format json
check "of the folder, the driver, and not the scenario" sh -c \
    "grep -q 'clients/mine.lua' '$out' && ! grep -q '\"script\": \"clients/two.lua\"' '$out' && grep -q '\"kind\": \"driver\"' '$out'"
all=$(count "$out")
run mutate clients --scenarios clients --sample 5 --format json
check "a sample has as many as it should" [ "$(count "$out")" -eq 5 ]
cp "$out" first
sed -i '1i -- a line more' clients/mine.lua
run mutate clients --scenarios clients --sample 5 --format json
check "and stays the same where a line comes in" cmp -s <(grep '"\(from\|to\|operator\)"' first) \
    <(grep '"\(from\|to\|operator\)"' "$out")
run mutate clients --scenarios clients --sample 100000 --format json
check "it is never more than there are" [ "$(count "$out")" -eq "$all" ]
sed '1d; $d' clients/mine.lua > clients/own.lua
sed '1d; s/mine\.lock/M.lock/' clients/two.lua >> clients/own.lua
run mutate clients/own.lua --scenarios clients/own.lua -v
check "a driver in the scenario's own file is mutated" out_has \
    "killed     clients/own.lua:7:3: return reply == \"OK\" -> nothing"
check "and what is tested with is not" out_lacks "me:work(100)"

# An error of client code in a step that only is followed (when could a result change?) leaves nothing behind for
# the next one.
mkdir -p late/redisson/client
sed 's/^  lease_ms = lease_ms or self.lease_ms$//' "$ROOT/scripts/redisson/client/try_lock.lua" \
    > late/redisson/client/try_lock.lua
run run "$ROOT/scenarios/seeds/redisson_read_write.lua:lease_expiry" --scripts late
ends 4 "an error of the program, and not of ours"

# Which mutants there are, quickly: nobody is asked, and nothing is said of them.
run mutate my/release.lua --scenarios my --list -o listed
ends 0 "--list"
check "all of them" out_has "1 file, $(($(wc -l < listed/index.tsv) - 1)) mutants:"
check "none is judged" [ "$(grep -cP '\tundecided\t\tnot judged\t' listed/index.tsv)" -eq \
    "$(($(wc -l < listed/index.tsv) - 1))" ]
check "there is no score" bash -c "! grep -q score '$out'"
check "each has its diff" [ "$(find listed -name '*.diff' | wc -l)" -eq "$(($(wc -l < listed/index.tsv) - 1))" ]

# Scenarios that fail as they are notice nothing: that is an error, and no score.
mkdir -p failing
echo "if redis.call('set', KEYS[1], ARGV[1]) then return 1 end" > failing/take.lua
echo "return redis.call('del', KEYS[1])" > failing/free.lua
cat > failing/own.lua <<'LUA'
local mine = require("generic").lock { acquire = "take.lua", release = "free.lua", granted = 1, lease_ms = 1000 }
return {
  title = "own", clients = { "A", "B" },
  program = function(me)
    local lock = mine.lock(me, "l")
    if lock:acquire() then me:work(10) lock:release() end
  end,
}
LUA
run mutate failing/free.lua --scenarios failing/own.lua
ends 65 "no scenario passes"
check "no scenario passes: said, with the way out" err_has "no scenario passes with the scripts as they are"
check "no scenario passes: no score" out_is_empty
mkdir -p large
echo "if redis.call('set', KEYS[1], ARGV[1], 'nx', 'px', ARGV[2]) then return 1 end return 0" > large/take.lua
echo "if redis.call('get', KEYS[1]) == ARGV[1] then return redis.call('del', KEYS[1]) end return 0" > large/free.lua
"$LOCKSIM" init large/take.lua large/free.lua -o large/own.lua > "$out" 2> "$err"
run run large/own.lua --max-states 3000
ends 2 "what init writes has more states than mutate takes at first"
run mutate large/free.lua
check "what init writes judges its scripts without a further option: status 0 or 1" [ "$status" -le 1 ]
check "... by a limit that is raised, and told" err_has \
    "none of a file passes within 3000 states: tried up to 30000"
check "... and mistakes are noticed" out_has " killed"
check "... by that scenario" out_has "(1 scenario)"
run mutate large/free.lua --max-states 3000
check "a limit that was said stays" out_has "(0 scenarios, 1 too large)"
sed 's/faults  = .*//' large/own.lua > large/small.lua
sed 's/"take.lua"/"other.lua"/' large/own.lua > large/other_own.lua
cp large/take.lua large/other.lua
run mutate large/free.lua large/other.lua
check "a file that small scenarios judge is judged by these only, whatever else is judged" \
    grep -q '^large/free.lua .*(1 scenario, 2 too large)' "$out"
check "... and a file beside it by its larger one" grep -q '^large/other.lua .*(1 scenario)' "$out"
rm large/small.lua large/other*.lua
sed -i 's/"A", "B"/"A", "B", "C", "D"/' large/own.lua
run mutate large/free.lua --scenarios large/own.lua
ends 65 "every scenario is too large"
check "every scenario is too large: said, with the way out" bash -c \
    "grep -q 'no scenario comes to its end within 300000 states' '$err' && grep -qF -- '--max-states N' '$err'"
