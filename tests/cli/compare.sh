# compare.sh - locksim compare: two versions of the scripts side by side, from folders, files and git revisions.

# A lock of one's own, in a repository of one's own.
mkdir -p locks bare
cat > locks/acquire.lua <<'LUA'
if redis.call('exists', KEYS[1]) == 0 then
  redis.call('set', KEYS[1], ARGV[1], 'PX', ARGV[2])
  return 1
end
return 0
LUA
cat > locks/release.lua <<'LUA'
if redis.call('get', KEYS[1]) == ARGV[1] then
  redis.call('publish', KEYS[2], 'free')
  return redis.call('del', KEYS[1])
end
return 0
LUA
cat > locks/mine.lua <<'LUA'
local generic = require "generic"
local mine = generic.lock {
  acquire = "acquire.lua", release = "release.lua", keys = { acquire = { "$lock" }, release = { "$lock", "$channel" } },
  args = { acquire = { "$owner", "$lease_ms" }, release = { "$owner" } }, granted = 1, holder = "string value",
  wait = "pubsub", lease_ms = 1000,
}
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
LUA
export GIT_CONFIG_GLOBAL=/dev/null GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@b GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@b
git init -q . && git add locks && git commit -qm one

# with 'SED' [OPTION...]: the folder as it is, against itself with the acquire (or what `in` says) changed so.
with() {
    local change=$1 file=${in:-acquire.lua}
    shift
    rm -rf new && cp -r locks new && sed -i "$change" new/$file
    cmp -s locks/$file new/$file && echo "the change changes nothing: $change" >&2
    run compare locks new locks/mine.lua --verdicts no "$@"
}

with 's/== 0 then/== 0 then -- free/'
ends 0 "a comment"
check "a comment is equivalent" out_has "EQUIVALENT  locks -> new"
check "what was searched is said" out_has "2 clients, no faults; all"
with "s/redis.call('set'.*/redis.call('set', KEYS[1], ARGV[1]) redis.call('pexpire', KEYS[1], ARGV[2])/"
ends 0 "two commands for one"
with 's/return 0/return false/'
ends 1 "nil for 0"
check "nil for 0 is told" out_has "acquire of B:1 is answered 0 with the first version and nil with the second"
check "both answers stand beside each other" grep -q "acquire -> 0  *acquire -> nil" "$out"
check "it has a code" out_has "equivalent  LK060"
replay=$(sed -n "s/^  replay .* --schedule '\(.*\)'$/\1/p" "$out")
with 's/return 0/return false/' --schedule "$replay"
ends 1 "the story told again"
check "it is the same story" out_has "acquire of B:1 is answered 0 with the first version and nil with the second"
with 's/return 0/return false/' --schedule "A.acquire B.nothing"
ends 65 "a schedule that does not fit"
run compare locks new --schedule A
ends 64 "a schedule of no scenario"
with "s/, 'PX', ARGV\[2\]//"
ends 1 "no lease"
check "a key without a TTL is seen by who reads the keys" out_has "KEYS DIFFER  locks -> new"
check "... and by no client, for nobody dies" out_has "no client can tell in it"
with "s/, 'PX', ARGV\[2\]//" --faults crash=1
ends 1 "no lease, and a crash"
check "only when the lease would have ended a client can tell" out_has "DIFFERENT  locks -> new"
with "s/, 'PX', ARGV\[2\]//" --keys no
ends 0 "no lease, keys left out"
check "what did not count is said" out_has "keyspaces were not compared"
with "s/, 'PX', ARGV\[2\]/, 'PX', ARGV[2] + 1/"
ends 1 "a millisecond"
check "a millisecond is told" out_has "ttl 1001 with the second"
with "s/, 'PX', ARGV\[2\]/, 'PX', ARGV[2] + 1/" --ttl-within 1
ends 0 "a millisecond that does not count"
with "s/, 'PX', ARGV\[2\]/, 'PX', ARGV[2] + 2/" --ttl-within 1
ends 1 "two milliseconds, of which one counts"
in=release.lua with "s/'free'/'Free'/"
ends 1 "another message"
check "the message is told" out_has 'sends waiting clients "free" on'
in=release.lua with "/publish/d"
ends 1 "no message"
check "what each version sends stands beside each other" grep -q 'sends "free" on .*sends nothing' "$out"
with "s/return 1/redis.call('set', 'stats:' .. ARGV[1], 1) return 1/"
ends 1 "a key that nobody uses"
check "the key is told" out_has "stats:A:1 is not there with the first version"
with "s/return 1/redis.call('set', 'stats:' .. ARGV[1], 1) return 1/" --ignore-keys 'tmp,stats:*'
ends 0 "a key that does not count"
with "s/return 0/return redis.error_reply('BUSY taken')/"
ends 1 "an error"
with "s/return 1/return redis.call('TIME') and 1/"
ends 0 "a script that asks for the time"
with "s/return 1/return redis.call('TIME')[1] % 10 < 5 and 1 or 2/" --max-states 200
check "a script that looks at the time of day is searched with it" out_has "the time of day"
with "s/return 1/redis.call('incr', 'n') return 1/" --max-states 3
ends 1 "a limit after a difference"
with "s/exists/EXISTS/" --max-states 3
ends 2 "a limit"
check "a limit is said" out_has "UNDECIDED  locks -> new"
with "s/return 1/return KEYS[2] and 1 or 1/"
ends 65 "more KEYS"
check "more KEYS are told where they stand" out_has \
    "new/acquire.lua:3:10: error[scenario]: the second version of acquire.lua uses KEYS[2]"
with "s/return 1/return = 1/"
ends 65 "a script that does not compile"
check "... is located" out_has "new/acquire.lua:3: error[scenario]: the second version does not compile"
check "no crash" out_has "1 with errors"
run compare new locks --verdicts no
ends 65 "a first version that does not compile"
check "... is no difference, but located" out_has \
    "new/acquire.lua:3: error[scenario]: the first version does not compile"

# The tables and runs from the start say the same, and so do any two runs.
with 's/return 0/return false/' --format json
cp "$out" tables
with 's/return 0/return false/' --format json --jobs 1
check "the same bytes, however many jobs" cmp -s tables "$out"
with 's/return 0/return false/' --no-memo
check "without tables the same story" out_has \
    "acquire of B:1 is answered 0 with the first version and nil with the second"
with 's/== 0 then/== 0 then -- free/' --no-memo --format json
check "without tables as many states" grep -q \
    "\"states\": $("$LOCKSIM" compare locks new locks/mine.lua --verdicts no --format json | sed -n 's/.*"states": \([0-9]*\),.*/\1/p')," "$out"
check "JSON says the verdict" out_has '"compare": "EQUIVALENT"'

# Lost and won, and what it costs.
sed -i 's/return 0/return 1/' new/acquire.lua
run compare locks new locks/mine.lua
ends 1 "a lock that every client gets"
check "what is lost is said" out_has "lost  LK001  mutual_exclusion"
check "waits are compared" grep -q "wait .* -> .* ms" "$out"

# Git revisions, and the scenarios that nobody names.
sed -i 's/return 0/return false/' locks/acquire.lua
run compare HEAD:locks locks --verdicts no
ends 1 "a revision against the working tree"
check "the scenario beside the scripts is found" out_has "locks/mine.lua"
check "a script of a revision is named so" out_has "HEAD:locks/acquire.lua:1"
run compare HEAD:locks/acquire.lua locks/acquire.lua locks/mine.lua --verdicts no
ends 1 "one file of a revision"
run compare HEAD:./locks locks locks/mine.lua --verdicts no
ends 1 "a path counted from here"
run compare HEAD:locks HEAD:locks locks/mine.lua
ends 0 "a revision against itself"
# The command under a story is pasted as it stands, whatever the files are called.
odd=$'it\'s \\ a "$HOME"\n!lock'
mkdir -p "$odd/old" "$odd/new"
cp locks/*.lua "$odd/old" && cp locks/*.lua "$odd/new" && rm "$odd"/*/mine.lua
sed 's/lease_ms = 1000/lease_ms = 1001/' locks/mine.lua > "$odd/mine.lua"
sed -i 's/return false/return 0/' "$odd/new/acquire.lua"
run compare "$odd/old" "$odd/new" "$odd/mine.lua" --verdicts no --faults crash=1 --ignore-keys 'stats:*'
ends 1 "versions with odd names"
head -2 "$out" > told
sed -n 's/^  replay //p' "$out" > again.sh
bash ./again.sh > "$out" 2> "$err"
status=$?
ends 1 "the command for the story, pasted"
check "... tells it" cmp -s told <(head -2 "$out")
rm -r "$odd" told again.sh
mkdir elsewhere && cp locks/*.lua elsewhere
run compare HEAD:locks locks elsewhere/mine.lua
ends 2 "a scenario that has its scripts beside it"
check "... says nothing of the versions" out_has "none of the scripts that it loads lies in either version"
run compare HEAD:locks locks elsewhere/mine.lua locks/mine.lua --verdicts no
ends 1 "... and does not keep another one from telling"
rm elsewhere/acquire.lua elsewhere/release.lua
run compare HEAD:locks/acquire.lua locks/acquire.lua elsewhere/mine.lua --verdicts no
ends 1 "a scenario elsewhere that names a single file"
rm -r elsewhere
export GIT_TEST_ASSUME_DIFFERENT_OWNER=1           # of git's own tests: as in a container that checks out as another user
run compare HEAD:locks locks
ends 65 "a repository in which git refuses to work"
check "git's own words are told" err_has "HEAD:locks: git does not work here: fatal: detected dubious ownership"
run mutate locks/acquire.lua --scenarios locks --in-diff HEAD
check "the same of --in-diff" err_has "locks/acquire.lua: git does not work here: fatal: detected dubious ownership"
unset GIT_TEST_ASSUME_DIFFERENT_OWNER
run compare HEAD~7:locks locks
ends 65 "a revision that is not there"
check "the revision is named" err_has "no revision 'HEAD~7'"
run compare HEAD:nothing locks
ends 65 "a path that the revision does not have"
run compare --output=x:locks locks locks/mine.lua
ends 64 "a revision that looks like an option"
run compare -- --output=x:locks locks locks/mine.lua
ends 65 "the same, said to be none"
check "git wrote nothing" test ! -e x:locks
run compare nowhere locks
ends 65 "a version that is not there"
run compare locks locks/acquire.lua
ends 65 "a folder against a file"
run compare bare bare
ends 65 "folders of which nothing is loaded"
run compare HEAD:locks bare locks/mine.lua
ends 65 "a folder without the scripts"
check "... says which scenario needs what" out_has \
    "locks/mine.lua: error[scenario]: it loads 'acquire.lua', and bare has no acquire.lua"
run compare locks locks nowhere.lua
ends 65 "a scenario that is not there"
run compare locks locks locks/acquire.lua
ends 65 "a script for a scenario"
run compare locks/acquire.lua /dev/null locks/mine.lua
ends 65 "a device for a script"
run compare locks
ends 64 "one version"
run compare locks new --keys maybe
ends 64 "a word that --keys does not know"
run compare locks new --ttl-within -1
ends 64 "a negative TTL"
run compare locks new locks/mine.lua --as acquire.lua
ends 64 "--as of folders"
cp locks/acquire.lua other.lua
run compare other.lua new/acquire.lua locks/mine.lua --verdicts no
ends 65 "files that stand for nothing"
run compare other.lua new/acquire.lua locks/mine.lua --as acquire.lua --verdicts no
ends 1 "--as says for what"
run compare other.lua locks/acquire.lua locks/mine.lua --verdicts no
ends 0 "the same text"

# A script that differs and is never run says nothing.
sed 's/program = function(me)/&\n    if me then return end/' locks/mine.lua > locks/idle.lua
run compare locks new locks/idle.lua
ends 2 "nothing that differs was run"
check "that is said" out_has "no scenario has run a script that differs"

# Adapters.
git checkout -q locks
with 's/return 0/return false/' --adapter /dev/null
ends 65 "an adapter that is no file"
adapt() { printf '%s\n' "$1" > adapter.lua; with 's/return 0/return false/' --adapter adapter.lua; }
adapt 'return function(script, reply) return script == "release.lua" and reply or reply == 1 end'
ends 0 "an adapter that knows grants from refusals"
check "it is named" out_has "answers were compared by what adapter.lua makes of them"
adapt 'return function(script, reply, problem, version) return { version == "old" and reply or reply or 0, problem and problem.message } end'
ends 0 "an adapter that makes nil a 0"
adapt 'return function(script, reply) return { answer = { reply } } end'
ends 1 "an adapter that changes nothing"
adapt 'return function(script) return print end'
ends 65 "an adapter that asks for what it has not"
check "where is said" out_has "adapter.lua:1:"
adapt 'return function(script) return function() end end'
ends 65 "an adapter that returns a function"
adapt 'return function() while true do end end'
ends 65 "an adapter without end"
adapt 'return 1'
ends 65 "an adapter that is no function"
adapt 'return function('
ends 65 "an adapter that does not parse"

# What is shipped.
run compare "$ROOT/scripts/redisson/lock/acquire.lua" "$ROOT/scenarios/compare/acquire/shorter.lua" \
    "$ROOT/scenarios/compare/four_clients.lua" --verdicts no
ends 0 "document 000's acquire against the shorter form"
check "four clients cannot tell" out_has "4 clients, no faults; all"
run compare "$ROOT/scripts/redisson/lock/acquire.lua" "$ROOT/scenarios/compare/acquire/without_refresh.lua" \
    "$ROOT/scenarios/compare/latecomer.lua"
ends 1 "a lease that is not renewed"
check "a late client is told" out_has \
    "acquire of B:1 is answered 29950 with the first version and 29850 with the second"
check "the lease is lost" out_has "lost  LK031  lease_set"
check "a command is saved" out_has "commands 23.5 -> 22.5"
run compare "$ROOT/scripts/notes/reentrant/acquire.lua" "$ROOT/scripts/redisson/lock/acquire.lua" \
    "$ROOT"/scenarios/seeds/notes_reentrant.lua:{reentrant,pause,lease_expiry} \
    --adapter "$ROOT/scenarios/compare/acquire/granted.lua" --verdicts no
ends 0 "document 004's acquire against document 000's"
# A TTL of 0 is a key's last millisecond: leveling must not delete it.
mkdir -p last/100 last/101
for ms in 100 101; do echo "redis.call('set', KEYS[1], 1, 'px', $ms) return 1" > last/$ms/set.lua; done
cat > last/asked.lua <<'LUA'
local set = script "set.lua"
return { title = "asked in the last millisecond", clients = { "A" }, program = function(me)
  me:eval(set, { "L" }, {})
  me:sleep(100)
  me:call("PING")
end }
LUA
run compare last/100 last/101 last/asked.lua --ttl-within 1
ends 0 "a TTL of 0 against 1, within 1 ms"
run compare last/101 last/100 last/asked.lua --ttl-within 1
ends 0 "and the other way round"
run compare last/100 last/101 last/asked.lua
ends 1 "they are told apart where a millisecond counts"
run explain LK060 LK061
ends 0 "explain"
check "explained" out_has "Judged by \`locksim compare\` only"
printf 'return { title = "t", clients = { "A" }, program = function() end, expect = { equivalent = "holds" } }\n' \
    > named.lua
run run named.lua
ends 65 "equivalent is no property of one scenario"

# Client code: each version runs with its own, as long as nobody outside it could tell them apart.
mkdir -p drv/own
cat > drv/own/mine.lua <<'Y'
local M = { spec = "mutex" }
local free = script "free.lua"
local function try(me, name)
  local reply = me:call("SET", name, me.id, "NX", "PX", 1000, { op = "acquire", lock = name, lease = 1000 })
  return reply == "OK"
end
function M.view(redis, name)
  local holders = {}
  if redis.call("EXISTS", name) == 1 then
    holders[redis.call("GET", name)] = 1
  end
  return { holders = holders, ttl_ms = redis.call("PTTL", name), keys = {} }
end
function M.lock(me, name)
  me:observe(name, M)
  local lock = {}
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
    local freed = me:eval(free, { name }, { me.id }, { op = "release", lock = name })
    me:released(name)
    return freed == 1
  end
  return lock
end
return M
Y
echo "if redis.call('get', KEYS[1]) == ARGV[1] then return redis.call('del', KEYS[1]) end return 0" > drv/own/free.lua
cat > drv/two.lua <<'Y'
local mine = require "mine"
return {
  title = "mine", clients = { "A", "B" },
  program = function(me)
    local lock = mine.lock(me, "L")
    if lock:acquire() then
      me:work(50)
      me:log(lock:release() and "freed" or "not mine")
    end
  end,
}
Y
# driver SED [OPTION...]: the driver as it is, against itself changed so.
driver() {
    rm -rf drv/new && cp -r drv/own drv/new && sed -i "$1" drv/new/${in:-mine.lua}
    diff -rq drv/own drv/new > /dev/null && echo "the change changes nothing: $1" >&2
    shift
    run compare drv/own drv/new drv/two.lua --scripts drv/own --verdicts no "$@"
}
driver 's/return reply == "OK"/return "OK" == reply -- the same/'
ends 0 "client code that does the same"
check "... is equivalent" out_has "EQUIVALENT   drv/two.lua"
check "... and which client code ran is said" out_has "each version ran with its own: mine.lua"
driver 's/^      me:refused(name)$/      me:refused(name) me:step()/'
ends 0 "a step more, in which nothing happens that anybody sees"
driver 's/"PX", 1000/"PX", 2000/'
ends 1 "another word of a request"
check "the words of both stand there" out_has \
    'SET L A:1 NX PX 1000 with the first version and acquire to server 1: SET L A:1 NX PX 2000 with the second'
check "it is what a client can tell" out_has "LK060"
check "no schedule is offered that could not be followed" out_lacks "--schedule"
driver 's/granted(name, { lease = 1000 })/granted(name, { lease = 900 })/'
ends 1 "another word to the program"
check "is told as that" out_has \
    "the program is told: A:1 granted L lease 1000 count 1 with the first version and A:1 granted L lease 900 count 1 with the second"
# What a call returns is an answer to the program, whether this program looks at it or not.
driver 's/return freed == 1/return freed/'
ends 1 "a release that returns 1 in place of true"
check "the call and both answers are told" out_has \
    "A:1 gets the answer of release: true with the first version and A:1 gets the answer of release: 1 with the second"
driver 's/return freed == 1/return freed == 1, nil/'
ends 0 "what is returned besides is nil: the same"
driver 's/^    local freed = \(.*\)/    local function ask() return \1 end local freed = ask()/'
ends 0 "a call of the driver within itself is its own business"
driver 's/sleep(100)/sleep(200)/'
ends 1 "a longer wait"
check "shows where one version can go on and the other cannot" out_has \
    "the last step is possible with the first version only"
driver 's/^    local freed = .*/    local freed = 1/'
ends 1 "a release that is never sent"
driver 's/return freed == 1/return nil + freed/'
ends 1 "an error of the second version alone"
check "is a difference" out_has "ends in an error with the second version"
in=free.lua driver "s/^/redis.call('set', 'extra', 1) /"
ends 1 "only a script differs: as ever"
check "... told by the scripts' comparison" out_has "same_keys  LK061"
rm -rf drv/new && cp -r drv/own drv/new && sed -i "s/^/redis.call('set', 'extra', 1) /" drv/new/free.lua &&
    sed -i '1i -- changed' drv/new/mine.lua
run compare drv/own drv/new drv/two.lua --scripts drv/own --verdicts no
ends 1 "a script and client code differ"
check "... and no client can tell" out_has "KEYS DIFFER"
run compare drv/own drv/new drv/two.lua --scripts drv/own --verdicts no --keys no
ends 0 "... and without the keys they are equivalent"
driver '1s/$/ --/' --ttl-within 5
ends 65 "what is for scripts only is refused for client code"
driver 's/sleep(100)/sleep(200)/' --max-states 3
ends 2 "a limit comes first: nobody knows"
driver 's/"PX", 1000/"PX", 2000/'
run compare drv/own/mine.lua drv/new/mine.lua drv/two.lua --scripts drv/own --verdicts no
ends 1 "two files of client code"
check "stand for what the scenario requires" out_has "PX 2000"
run compare drv/own drv/own drv/two.lua --scripts drv/own
ends 0 "a version and itself"

# ---- a shipped driver and a changed copy of it ----

# shipped FILE SED CASE [OPTION...]: scripts/ against a copy in which FILE is changed so, in that case of the seeds.
shipped() {
    local file=$1 change=$2 case=$3
    shift 3
    rm -rf copy && cp -r "$ROOT/scripts" copy && sed -i "$change" "copy/$file"
    cmp -s "$ROOT/scripts/$file" "copy/$file" && echo "the change changes nothing: $change" >&2
    run compare "$ROOT/scripts" copy "$ROOT/scenarios/seeds/$case" --verdicts no "$@"
}
shipped redis_py/lock.lua 's/^  return reply == "OK"$/  local got = "OK" return got == reply/' redis_py.lua:contended_2
ends 0 "redis-py's lock, written in another way"
shipped redis_py/lock.lua 's/opts.retry_ms or 100,/(opts.retry_ms or 100) * 1.5,/' redis_py.lua:contended_2
ends 1 "... with a longer pause between two tries"
shipped redis_py/lock.lua 's/^  return nil, "not owner"$/  return false, "gone"/' redis_py.lua:lease_expiry
ends 1 "... with another word to an owner whose lease is over"
check "... which the story shows" out_has "gets the answer of release: nil, not owner with the first version"
shipped redisson/client/lock.lua 's/= steps.subscribe(self, .*/= { channel = "", acquired = 2, latch = me:semaphore(0) }/' \
    redisson_lock.lua:contended_2
ends 1 "Redisson's lock without its subscription"
check "... the request that one of them sends" out_has "SUBSCRIBE redisson_lock__channel:{order:42} with the first version"
shipped redisson/client/lock.lua 's/^  while true do$/  park(entry, ttl_ms) while true do/' redisson_lock.lua:contended_2
ends 1 "... that parks before it asks again"
shipped simple_redis_mutex/lock.lua '/^  listen(me)$/d; s/^  elseif got ~= "OK" then$/  end listen(me) if got ~= "OK" then/' \
    simple_redis_mutex.lua:contended_2
ends 1 "two requests of simple-redis-mutex in the other order"

# A program that asserts what holds on its one schedule: all are looked at where client code differs, so nothing is decided.
mkdir -p one/old one/new
cp -R "$ROOT/scripts/." one/old && cp -R "$ROOT/scripts/." one/new
sed -i "s/^  me:refused(name)$/  me:refused(name) me:step()/" one/new/redisson/client/lock.lua
run compare one/old one/new "$ROOT/scenarios/seeds/interrupted.lua:taken_back"
ends 2 "a program for one schedule"
check "is undecided, with the reason and the line" out_has 'its program is written for one schedule, and all are looked at where client code differs'
check "and no error" out_lacks 'error[driver]'
