# why.sh - files that a user may well write and that show nothing or come to no end: each result says the likeliest cause
# first, where it is written, and one change to try; with the change made, it passes or says something else.

cat > string.lua <<'L'
local yes = 1                      -- no constant behind return: its text alone does not tell what it answers
if redis.call('set', KEYS[1], ARGV[1], 'NX', 'PX', ARGV[2]) then return yes end
return 0
L
cat > release.lua <<'L'
return redis.call('del', KEYS[1])
L
cat > count.lua <<'L'
local n = 1
redis.call('incrby', KEYS[1], n)
return n
L
# Usage: scenario NAME GRANTED FIELDS
scenario() {
    cat > "$1.lua" <<L
local mine = require("generic").lock {
  acquire = "string.lua", release = "release.lua", wait = "sleep", retry_ms = 300, lease_ms = 5000,
  $2
  args = { acquire = { "\$owner", "\$lease_ms" }, release = { "\$owner" } },
}
return {
  title   = "$1",
  clients = { "A", "B" },
  program = function(me)
    local lock = mine.lock(me, "order:42")
    lock:acquire()
    lock:release()
  end,
  $3
}
L
}
# Usage: says CAUSE PLACE CHANGE: the cause stands before all else, with its place; then the change.
says() {
    check "the cause comes first: $1" eval 'grep -v "^options" "$out" | sed -n 2p | grep -qF "  cause  "'
    tr -s '\n ' ' ' < "$out" > flat
    check "$1" grep -qF "cause $1" flat
    check "at $2" grep -qF "($2) try" flat
    check "try $3" grep -qF "try $3" flat
}

scenario mismatch 'granted = "OK",' ''
run run mismatch.lua
ends 3 "granted never matches"
says 'acquire answers 1 on an empty server, where the lock is free, and `granted` is "OK"' mismatch.lua:3:3 'granted = 1,'
run run mismatch.lua --format json
check "it is in the JSON, too" grep -qF '"where": "mismatch.lua:3:3"' "$out"
for format in junit github sarif tap; do
    run run mismatch.lua --format $format
    check "cause and change are in $format" bash -c "grep -q 'cause: acquire answers 1' '$out' && grep -q 'try: .*granted = 1' '$out'"
done
run run mismatch.lua --format github
check "GitHub shows it where it stands" out_has '::error file=mismatch.lua,line=3,title=VACUOUS verdict::'
scenario matching 'granted = 1,' ''
run run matching.lua
ends 0 "with the change it passes"
check "and nothing is told" out_lacks "  cause "
scenario nothing '' ''
run run nothing.lua
ends 3 "granted left out"
says 'acquire answers 1 on an empty server, where the lock is free, and `granted` is nil' nothing.lua:2:3 'granted = 1,'

cat > idle.lua <<'L'
return { title = "idle", clients = { "A", "B" },
  program = function(me) me:sleep(10) end }
L
run run idle.lua
ends 3 "a program that does nothing"
says 'the program sends nothing to a server: it does not use the lock' idle.lua:2:3 'call the lock in it: local lock'

cat > own.lua <<'L'
return { title = "own", clients = { "A", "B" },
  program = function(me)
    me:wants("L")
    me:call("SET", "L", me.id, "NX", { op = "acquire", lock = "L" })
    me:call("DEL", "L")
  end }
L
run run own.lua
ends 3 "a driver that says nothing of grants"
says 'the driver never says me:granted, though acquire answers' own.lua:4:5 'call me:granted('
cat > unnamed.lua <<'L'
return { title = "unnamed", clients = { "A", "B" }, expect = { fifo = "holds" },
  program = function(me)
    me:call("SET", "L", me.id, "NX")
  end }
L
run run unnamed.lua
ends 3 "no request is an acquire"
says 'no request is an acquire, so that no client can be granted anything' unnamed.lua:3:5 'name what it does: me:eval('

printf 'return { title = "t", clients = { "A" }, program = function(me) me:call("PING") end }\n' > alone.lua
run run alone.lua
ends 0 "one client"
check "it says where a second one is added" eval 'tr -s "\n " " " < "$out" > flat && grep -qF "no other client asks for the lock (alone.lua:1:23: clients = { \"A\", \"B\" } adds one)" flat'
sed 's/program/must_see = { "contention" }, program/' alone.lua > alone_seen.lua
run run alone_seen.lua
ends 3 "one client, and contention is wanted"
says 'no client ever found the lock taken: there is one client only' alone_seen.lua:1:23 'clients = { "A", "B" }'

scenario unseen 'granted = 1,' 'must_see = { "pause" },'
run run unseen.lua
ends 3 "a fault that nobody allows"
says 'the fault pause is not among `faults`' unseen.lua:14:3 'faults = { pause = 1 }'
scenario seen 'granted = 1,' 'must_see = { "pause" }, faults = { pause = 1 }, expect = { strict_mutual_exclusion = "violated" },'
run run seen.lua
check "with the change the pause is seen" out_lacks "never saw"
scenario resent 'granted = 1,' 'expect = { idempotent = "holds" },'
run run resent.lua
ends 3 "a property that nobody exercises"
says 'idempotent is about requests that the driver sends again, and none was' resent.lua:14:14 'mark what the driver may send again'
scenario unmet 'granted = 1,' 'start_ms = 0, must_meet = { "release at release" },'
run run unmet.lua
ends 3 "a meeting that never happens"
says 'a client that starts at a given moment comes too early or too late for it' unmet.lua:14:3 'leave start_ms and after out'

cat > forever.lua <<'L'
return { title = "forever", clients = { "A", "B" }, explore = { random = 20 }, limits = { steps = 300 },
  program = function(me)
    while not me:call("GET", "never") do
      me:sleep(10)
    end
  end }
L
run run forever.lua
ends 2 "random runs that are cut"
says 'client A does not come to its end: after 300 steps it still goes on' forever.lua:3:5 'end the loop, or bound the wait'
scenario rare 'granted = 1,' 'explore = { random = 5 }, expect = { fifo = "violated" },'
run run rare.lua
ends 2 "a sample that finds nothing"
says '5 random runs may miss what breaks fifo' rare.lua:14:40 '--exhaustive, which misses nothing'
scenario along 'granted = 1,' 'explore = { random = 5 }, expect = { bounded_wait = { "holds", hand_offs = 3 } },'
run run along.lua
ends 2 "what single runs cannot tell"
says 'whether bounded_wait holds only the graph of all states tells' along.lua:14:3 '--exhaustive'

cat > counter.lua <<'L'
return { title = "counter", clients = { "A", "B" },
  program = function(me)
    while true do
      me:eval(script "count.lua", { "n" }, {})
    end
  end }
L
run run counter.lua --max-states 3000
ends 2 "states without end, in a key"
says 'the key `n` goes on changing and never comes back' count.lua:2:1 'let the program end after a few rounds'
run run counter.lua --max-memory 40M
ends 2 "the same, for memory"
says 'the key `n` goes on changing and never comes back' count.lua:2:1 'let the program end after a few rounds'
run run counter.lua --time-limit 1
ends 2 "the same, for time"
says 'the key `n` goes on changing and never comes back' count.lua:2:1 'let the program end after a few rounds'
cat > since.lua <<'L'
local take = "if redis.call('SETNX', KEYS[1], ARGV[1]) == 1 then return 1 end return 0"
return { title = "since", clients = { "A", "B" },
  program = function(me)
    while me:eval(take, { "l" }, { me:now() }) == 0 do me:sleep(250) end
  end }
L
run run since.lua --max-states 3000
ends 2 "states without end, by a stored time"
says 'the key `l` goes on changing and never comes back' script:1 'end_ms = 10000 in the scenario, for a stored time only'
cat > tries.lua <<'L'
return { title = "tries", clients = { "A", "B" },
  program = function(me)
    local tries = 0
    while true do
      tries = tries + 1
      me:step()
    end
  end }
L
run run tries.lua --max-states 3000 --no-symmetry
ends 2 "states without end, in a local"
says 'client B: local `tries` at tries.lua:6 goes on changing' tries.lua:6:10 'let the program end after a few rounds, or bound the value'
cat > small.lua <<'L'
return { title = "small", start_ms = 0, clients = { "A", "B", "C" },
  program = function(me) for i = 1, 12 do me:step() end me:call("PING") end }
L
run run small.lua --max-states 2000 --no-symmetry
ends 2 "a limit that is too small"
check "it says how many states there are, about" out_has "the limit is small for this world: by the growth of the last levels it has about"
change=$(sed -n 's/^ *try *//p' "$out")
# shellcheck disable=SC2086 # two words
run run small.lua $change
ends 0 "with $change it ends"
cat > faulty.lua <<'L'
return { title = "faulty", start_ms = 0, clients = { "A", "B" },
  faults = { pause = 2, crash = 2, lose_reply = 2 },
  program = function(me)
    for i = 1, 6 do me:call("INCR", "n") me:sleep(10) end
  end }
L
run run faulty.lua --max-states 5000
ends 2 "a fault that multiplies the states"
check "the fault is named" grep -qE "cause  the fault (pause|crash|lose_reply) makes many of the states" "$out"
check "where it is allowed" grep -qE "\(faulty.lua:2:(14|25|36)\)" "$out"

# An acquire that waits for what nobody brings is an acquire all the same.
cat > pop.lua <<'L'
local mine = require("generic").lock {
  acquire = { "BLPOP", "$lock", 0 }, granted = { "order:42", "token" },
  release = { "RPUSH", "$lock", "token" }, wait = "sleep", retry_ms = 300, holder = "nobody",
}
return {
  title   = "pop", clients = { "A", "B" },
  program = function(me)
    SETUP
    local lock = mine.lock(me, "order:42")
    lock:acquire()
    lock:release()
  end,
}
L
sed 's/SETUP//' pop.lua > empty.lua
run run empty.lua
ends 3 "nobody brings the first token"
says 'acquire waits at the server, and nothing ever comes that would answer it' "$(sed -n 's/.*(\(.*generic.lua:[0-9:]*\)).*/\1/p' "$out" | head -1)" \
    'put there first what it waits for'
check "the reason says no less" out_has "no acquire was answered"
sed 's/SETUP/if me.id == "A:1" then me:call("RPUSH", "order:42", "token") end/' pop.lua > filled.lua
run run filled.lua
check "with the token there, locks are granted" out_lacks "no client was ever granted"

# A script that counts minutes makes each minute another state.
cat > clock.lua <<'L'
local now = math.floor(redis.call('TIME')[1] / 60)
if tonumber(redis.call('hget', KEYS[1], 'until') or 0) > tonumber(now) then return 0 end
redis.call('hset', KEYS[1], 'owner', ARGV[1], 'until', now + 5)
redis.call('expire', KEYS[1], 10)
return 1
L
scenario minutes 'granted = 1, holder = "nobody",' 'faults = { pause = 1 },'
sed -i 's/"string.lua"/"clock.lua"/; s/lock:acquire()/lock:acquire() me:work()/' minutes.lua
run run minutes.lua --max-states 60
ends 2 "a clock in minutes"
says 'what acquire does depends on the time of day: each instant is another state' minutes.lua:2:3 'of a time, make only sums'
run run minutes.lua --runs 100
check "sampled it has a verdict" [ "$status" -le 1 ]
# Seconds are folded, and so are instants within a text: a search of all ends.
sed -i 's/math.floor(\(.*\) \/ 60)/\1/' clock.lua
sed 's/faults = { pause = 1 },/work_ms = { 0, 6000 },/; s/lease_ms = 5000/lease_ms = 4000/' minutes.lua > seconds.lua
run run seconds.lua --verbose
ends 0 "a clock in seconds"
check "is told" eval "tr -s '\n ' ' ' < '$out' | grep -qF 'instants in seconds count as distances from now, and how long the last full second is past is a part of every state: what acquire does depends on the time of day'"
sed -i 's/lease_ms = 4000/lease_ms = 4001/' seconds.lua
run run seconds.lua
ends 1 "a lease that is a millisecond longer than the end of a second lets it be"

# A leak that no fault is needed for: its story has none, though one would make it two steps shorter, and none is blamed.
mkdir -p idle && cd idle
cat > free.lua <<'LUA'
if redis.call('get', KEYS[1]) ~= ARGV[1] then return 0 end
redis.call('del', KEYS[2])
redis.call('lpush', KEYS[2], 1)
return redis.call('del', KEYS[1])
LUA
run init 'SET $lock $owner NX PX $lease_ms' free.lua -o leak.lua
run run leak.lua
ends 1 "a list that stays"
check "is told" out_has "FAIL  leak.lua   no_leak  LK030"
check "without a pause" out_lacks "!pause"
check "which is not blamed" out_lacks "blame"
cd ..
