# cases.sh - one file, many scenarios: FILE:CASE names one wherever a scenario is named, said and kept; an existing file
# is itself.

cat > lock.lua <<'L'
-- lock.lua: SET NX, and a DEL by any client.
local M = {}
function M.view(redis, lock)
  local owner = redis.call("GET", lock)
  return { holders = owner and { [owner] = 1 } or {}, ttl_ms = redis.call("PTTL", lock), keys = owner and { lock } or {} }
end
function M.take(me)
  me:observe("L", M)
  me:wants("L")
  if me:eval("return redis.call('set', KEYS[1], ARGV[1], 'NX', 'PX', 1000) and 1 or 0", { "L" }, { me.id }, { op = "acquire" }) == 1 then
    me:granted("L", { lease = 1000 })
    me:work(10)
    me:released("L")
    me:call("DEL", "L", { op = "release" })
  else
    me:gave_up("L")
  end
end
return M
L
cat > m.lua <<'L'
-- m.lua: the lock under every fault.
local lock = require "lock"
local late = { "violated", why = "DEL asks nobody whose lock it is." }
return {
  title = "mine", start_ms = 0, clients = { "A", "B" }, program = function(me) lock.take(me) end,
  faults = { "all", clock_jump = { 1, ms = 7 } },
  cases = {
    ["*"] = false,
    ["crash.two"] = {},
    ["evict.two"] = { expect = { mutual_exclusion = late, owner_only = late, strict_mutual_exclusion = late } },
    plain = { faults = {}, title = "nothing happens" },
    wrong = { faults = {}, title = "wrong", expect = { owner_only = late } },
  },
}
L

run run m.lua:plain
ends 0 "one case"
check "its name is told" grep -q '^PASS  m.lua:plain ' "$out"
check "and nothing else runs" out_has "1 scenario: 1 passed"
run run "m.lua:[pe]*" --format json
ends 65 "only * is a pattern"
run run "m.lua:*[.t]*" --format json
ends 65 "so is this none"
run run "m.lua:*l*a*i*" "m.lua:e*" --format json
ends 0 "a pattern"
check "json names both" sh -c "grep -c '\"scenario\": \"m.lua:[pe][a-z.]*\"' '$out' | grep -qx 2"
check "json has the reason" out_has '"reason": "DEL asks nobody whose lock it is."'
run run m.lua
ends 1 "the whole file"
check "four cases, in byte order" test "$(sed -n 's/^[A-Z]*  \(m.lua:[a-z.]*\).*/\1/p' "$out" | uniq | tr '\n' ' ')" = \
    "m.lua:crash.two m.lua:evict.two m.lua:plain m.lua:wrong "
check "what was expected and holds has its reason" out_has "reason DEL asks nobody whose lock it is."
run run .
check "a folder's cases" out_has "4 scenarios"
run run m.lua --fail-fast --jobs 1
check "--fail-fast names the case" out_has "m.lua:wrong"
run run m.lua --format junit
check "junit" out_has 'classname="m.lua:evict.two" name="owner_only"'
run run m.lua --format tap
check "tap" grep -q 'm.lua:wrong.*owner_only' "$out"
run run m.lua --format sarif
check "sarif names the case" out_has '"scenario": "m.lua:wrong"'
check "sarif's place is the file" out_has '"uri": "m.lua"'
run run m.lua --format github
check "github's place is the file" grep -q '^::error file=m.lua,' "$out"
run list scenarios .
check "list says cases and titles" grep -qE '^\./m\.lua:crash\.two +mine: a crash, two clients$' "$out"
check "a case's own title" grep -qE '^\./m\.lua:plain +nothing happens$' "$out"

# What is saved, and read again.
run run m.lua:evict.two -o saved
ends 0 "saves the stories it expects"
check "the colon is a dot on disk" test -f saved/m.evict.two.LK003.lua
check "the story's file names the case" grep -q 'scenario  = "../m.lua:evict.two"' saved/m.evict.two.LK003.lua
run replay saved/m.evict.two.LK003.lua
ends 1 "and replays"
run run m.lua --format json
cp "$out" before.json
run run m.lua --baseline before.json
check "a baseline finds every case" out_lacks "is new"
check "and nothing has moved" out_has "against before.json"
sed -i 's/clients = { "A", "B" }, program/clients = { "A", "B" }, timeout_ms = 5, program/; s/"nothing happens"/"nothing", expect = { owner_only = late }/' m.lua
run run m.lua --baseline before.json
ends 1 "a case that became worse"
check "is named" grep -q 'm.lua:plain' "$out"
run run m.lua:plain --coverage cover
ends 1 "coverage of one case"
check "is written" test -f cover/lcov.info

# What is no case.
run run m.lua:nope
ends 65 "no such case"
run run m.lua:crsh.two
check "the nearest is told" out_has "did you mean m.lua:crash.two?"
run run 'm.lua:z*'
ends 65 "a pattern that matches none"
run run m.lua:
ends 65 "an empty name"
run run m.lua:A
ends 65 "no name of a case"
run run lock.lua:a
ends 65 "a case of what is no scenario"
run run .:a
ends 65 "a case of a folder"
cat > one.lua <<'L'
-- one.lua: one scenario.
local lock = require "lock"
return { clients = { "A" }, program = function(me) lock.take(me) end }
L
run run one.lua:a
ends 65 "a case of a file that has none"
check "is told so" out_has "it has no case 'a'"
cp one.lua one.lua:a
run run one.lua:a
ends 0 "an existing file of that name is that"
check "and runs" out_has "PASS  one.lua:a"
rm one.lua:a
for n in 'm.lua:../x' 'm.lua:*/*' $'m.lua:a\nb' "m.lua:$(head -c 5000 /dev/zero | tr '\0' a)" 'm.lua:a:b' ':a' ':' \
    'm.lua::'; do
    run run "$n"
    ends 65 "hostile: ${n:0:20}"
done
for cases in '7' '{ 1 }' '{ ["A B"] = {} }' '{ a = 1 }' '{ ["x*"] = {} }' '{ a = { cases = {} } }' \
    '{ a = { faults = "all" } }' \
             'setmetatable({}, { __index = function() error("no") end })' '{ [{}] = {} }' \
                 '{ [0/0 ~= 0/0 and 1 or 2] = {} }'; do
    echo "local M = require 'lock' return { start_ms = 0, clients = { 'A', 'B' }, program = function(me) M.take(me) end, cases = $cases }" > bad.lua
    run run bad.lua
    case $cases in setmetatable*) want=0 ;; *) want=65 ;; esac
    case $cases in '{ a = { cases'*|'{ a = { faults'*) file=bad.lua:a ;; *) file=bad.lua ;; esac
    ends $want "cases = $cases"
    check "cases = $cases: said of $file" grep -q "^[A-Z]*  $file" "$out"
done
rm bad.lua

# Other subcommands.
mkdir new && sed "s/'PX', 1000/'PX', 2000/" lock.lua > new/lock.lua
run simulate m.lua:plain --seeds 2 -o sim
ends 0 "simulate one case"
check "its folder has a dot" test -d sim/m.plain
run report m.lua:plain -o page
check "report of one case" grep -rq 'm.lua:plain' page
cat > scripted.lua <<'L'
-- scripted.lua: a script in a file, two cases.
local s = script "inc.lua"
return {
  clients = { "A", "B" }, program = function(me) me:eval(s, { "k" }, {}) end,
  cases = { two = {}, three = { clients = { "A", "B", "C" } } },
}
L
echo "return redis.call('incr', KEYS[1])" > inc.lua
echo "return redis.call('incrby', KEYS[1], 2)" > new/inc.lua
run compare . new scripted.lua:two
check "compare one case" out_has "scripted.lua:two"
check "and no other" out_lacks "scripted.lua:three"
run mutate inc.lua --scenarios scripted.lua:three -o mutants
check "mutate by one case" sh -c "[ $status -le 2 ] && ! grep -q 'scripted.lua:two' '$out'"
cat > coded.lua <<'L'
-- coded.lua: client code of its own, two cases.
local wait_ms = 5
local function count(me)
  me:eval(script "inc.lua", { "k" }, {})
  me:sleep(wait_ms)
end
return {
  clients = { "A" }, program = count,
  cases = { one = {}, two = { clients = { "A", "B" } } },
}
L
run mutate coded.lua:two -v
check "mutate of one case: status 0 or 1" [ "$status" -le 1 ]
check "its file's code is mutated" out_has "coded.lua:5:3: me:sleep(wait_ms) -> nothing"
check "by that case alone" grep -q '^coded.lua  .*(1 scenario)$' "$out"
run mutate coded.lua --scenarios coded.lua:two -v
cp "$out" by_scenarios
run mutate coded.lua:two -v
check "as by --scenarios" cmp -s by_scenarios "$out"
run mutate 'coded.lua:*' --list
check "a pattern names several" out_has "coded.lua  "
for what in 'mutate coded.lua:three' 'mutate coded.lua --scenarios coded.lua:three --list' \
    'list scenarios coded.lua:three' 'list scenarios coded.lua:three --format json'; do
    run $what
    ends 65 "no such case: $what"
    check "is said of its file: $what" err_has "coded.lua: error[scenario]: has no case 'three'"
done
for what in 'replay coded.lua:two' 'shell coded.lua:two' 'init coded.lua:two inc.lua'; do
    run $what
    ends 65 "a case where a whole file is needed: $what"
    check "is told so: $what" err_has "coded.lua:two: error[scenario]: is a case of a scenario, and a whole file is needed here"
done
run compare coded.lua:two inc.lua
ends 65 "a case as a version"
check "is told so, with the way out" err_has "locksim compare OLD NEW coded.lua:two"
run watch m.lua:crash.two --once
ends 0 "watch one case"
check "one is watched" out_has "1 scenario: 1 passed"
