# generic.sh - generic.lock's table as real scripts need it: what a grant looks like, whom the keyspace names, how many
# may hold, words.

# own FIELDS [WORK]: a scenario whose lock has these fields; two clients unless $clients says otherwise.
own() {
    cat <<LUA
local mine = require("generic").lock { $1 lease_ms = 1000, retry_ms = 300 }
return {
  title = "own", clients = { ${clients:-\"A\", \"B\"} },
  program = function(me)
    local lock = mine.lock(me, "l")
    if lock:acquire() then
      me:work(${2:-10})
      lock:release()
    end
  end,
}
LUA
}
holds() {
    run run x.lua
    ends 0 "$1"
    check "$1: passes" out_has "1 scenario: 1 passed"
}
breaks() {
    run run x.lua
    ends 1 "$1"
    check "$1: $2" out_has "$2"
}
refused() {
    own "$1" > x.lua
    run run x.lua
    ends 65 "$1"
    check "$1: said" err_has_out "$2"
}
err_has_out() { grep -qF -- "$1" "$out" "$err"; }
compare_and_delete="if redis.call('get', KEYS[1]) == ARGV[1] then return redis.call('del', KEYS[1]) end return 0"
echo "$compare_and_delete" > free.lua

# What a grant looks like.
echo "if redis.call('set', KEYS[1], ARGV[1], 'nx', 'px', ARGV[2]) then return ARGV[1] end return redis.call('get', KEYS[1])" > who.lua
own 'acquire = "who.lua", release = "free.lua", granted = "$owner",' > x.lua
holds "the reply names the owner"
own 'acquire = "who.lua", release = "free.lua", granted = "owner",' > x.lua
run run x.lua
ends 3 "a grant that never comes"
check "what was answered is told" out_has 'A:1'
echo "if redis.call('set', KEYS[1], ARGV[1], 'nx', 'px', ARGV[2]) then return { 1, ARGV[1], 7 } end return { 0, redis.call('get', KEYS[1]) }" > array.lua
own 'acquire = "array.lua", release = "free.lua", granted = { 1, "$owner" },' > x.lua
holds "an array that begins so"
own 'acquire = "array.lua", release = "free.lua", granted = { 0 },' > x.lua
breaks "the array of a refusal taken for a grant" LK040
own 'acquire = "array.lua", release = "free.lua", granted = function(reply) return reply[1] == 1 end,' > x.lua
holds "a predicate"
own 'acquire = "array.lua", release = "free.lua", granted = function(reply) return reply[1] < 2 end,' > x.lua
breaks "a predicate that accepts refusals" LK040
echo "if redis.call('set', KEYS[1], ARGV[1], 'nx', 'px', ARGV[2]) then return 'OK' end return redis.error_reply('TAKEN by another')" > error.lua
echo "if redis.call('get', KEYS[1]) ~= ARGV[1] then return redis.error_reply('LOST it') end return redis.call('del', KEYS[1])" > error_free.lua
own 'acquire = "error.lua", release = "error_free.lua", granted = "OK", refused = "error",' > x.lua
holds "an error means no"
run run x.lua --faults pause=1
check "of a release, too: it is told that another holds it" out_lacks LK040
own 'acquire = "error.lua", release = "error_free.lua", granted = "OK",' > x.lua
run run x.lua -v
check "unless said, an error ends the acquisition" out_lacks "acquire -> TAKEN by another (granted)"

# A semaphore by the clients' clocks.
cat > enter.lua <<'LUA'
redis.call('zremrangebyscore', KEYS[1], '-inf', ARGV[4] - ARGV[3])
if redis.call('zcard', KEYS[1]) >= tonumber(ARGV[1]) then return 0 end
redis.call('zadd', KEYS[1], ARGV[4], ARGV[2])
redis.call('pexpire', KEYS[1], ARGV[3])
return 1
LUA
echo "return redis.call('zrem', KEYS[1], ARGV[1])" > leave.lua
semaphore='acquire = "enter.lua", release = "leave.lua", granted = 1, limit = 1, holder = "sorted set member",'
own "$semaphore"' args = { acquire = { "$limit", "$token", "$lease_ms", "$now_ms" }, release = { "$token" } },' > x.lua
holds "a semaphore of one"
own "$semaphore"' args = { acquire = { "$limit", "$token", "$lease_ms", "$now_ms", "$now_s" }, release = { "$token" } },' > x.lua
holds "whole seconds are among the values"
own "$semaphore"' args = { acquire = { 2, "$token", "$lease_ms", "$now_ms" }, release = { "$token" } },' > x.lua
breaks "a semaphore that lets one more in" LK001
clients='"A", "B", "C"'
own "${semaphore/limit = 1/limit = 2}"' args = { acquire = { "$limit", "$token", "$lease_ms", "$now_ms" }, release = { "$token" } },' > x.lua
holds "a semaphore of two"
own "${semaphore/limit = 1/limit = 2}"' args = { acquire = { 3, "$token", "$lease_ms", "$now_ms" }, release = { "$token" } },' > x.lua
breaks "a semaphore of two that lets three in" "that makes 3 permits, and there are 2"
unset clients
echo "return 1" > stay.lua
own "${semaphore/leave/stay}"' args = { acquire = { "$limit", "$token", "$lease_ms", "$now_ms" }, release = { "$token" } },' > x.lua
breaks "a permit that is said to be given back, and is not" LK040

# Words.
echo "if redis.call('exists', KEYS[1]) == 0 then return redis.call('set', KEYS[1], ARGV[1], 'px', ARGV[3]) end
local held = redis.call('get', KEYS[1]) if held:sub(1, tonumber(ARGV[2])) == ARGV[1]:sub(1, tonumber(ARGV[2])) then return redis.call('set', KEYS[1], ARGV[1], 'px', ARGV[3]) end
return false" > part.lua
part='acquire = "part.lua", release = "free.lua", granted = "OK", spec = "idempotent_mutex",'
own "$part"' args = { acquire = { "$owner", "$#owner", "$lease_ms" }, release = { "$owner" } },' > x.lua
holds "the length of the owner's name"
own "$part"' args = { acquire = { "$owner", 0, "$lease_ms" }, release = { "$owner" } },' > x.lua
breaks "no length: every client is the owner" LK001
own 'acquire = { "SET", "$lock", "$until_ms", "NX", "PX", "$lease_ms" }, release = { "DEL", "$lock" }, granted = "OK", holder = "nobody",' > x.lua
holds "a value that says when it ends"

own 'acquire = { "SET", "$lock", "$token", "NX", "PX", "$lease_ms" }, release = "free.lua", args = { release = { "$token" } }, granted = "OK", within_lease = true,' > x.lua
holds "what is left of a lease when it is granted"

own 'acquire = { "SET", "$lock", "$token", "NX", "PX", "$lease_ms", "get" }, release = "free.lua", args = { release = { "$token" } },' > x.lua
holds "SET with GET replies nil to whom it grants"

# What follows a granted first command, and is as demanded, leaves the lock granted.
own 'acquire = { { "SET", "$lock", "$token", "NX", "PX", "$lease_ms" }, { "GET", "$lock", equals = "$token" } }, release = "free.lua", args = { release = { "$token" } }, granted = "OK",' > x.lua
holds "a value that is looked at again"

# A script that makes the lock's key of its name.
echo "return redis.call('set', 'lock:' .. ARGV[1], ARGV[2], 'NX', 'PX', ARGV[3])" > named.lua
echo "if redis.call('get', 'lock:' .. ARGV[1]) == ARGV[2] then return redis.call('del', 'lock:' .. ARGV[1]) end return 0" > freed.lua
own 'acquire = "named.lua", release = "freed.lua", keys = {}, key = "lock:$lock", granted = "OK", holder = "string value", args = { acquire = { "$lock", "$owner", "$lease_ms" }, release = { "$lock", "$owner" } },' > x.lua
run run x.lua
check "its holder is found by the key that the table names" out_lacks "ERROR"

# Each time it asks, $try is another one; and what becomes of a later try is told as of the first.
echo "if redis.call('sadd', KEYS[2], ARGV[2]) == 0 then return redis.error_reply('the same try twice') end
redis.call('pexpire', KEYS[2], 10000)
return redis.call('set', KEYS[1], ARGV[1], 'nx', 'px', ARGV[3])" > tries.lua
own 'acquire = "tries.lua", release = "free.lua", granted = "OK", keys = { acquire = { "$lock", "{$lock}:tries" }, release = { "$lock" } }, args = { acquire = { "$owner", "$try", "$lease_ms" }, release = { "$owner" } },' 400 |
    sed 's/^    end$/    else error("an acquire that waits was refused") end/' > x.lua
run run x.lua
ends 0 "tries"
check "each try is another one" out_has "1 scenario: 1 passed"
echo "if redis.call('get', KEYS[1]) == ARGV[1] then redis.call('publish', 'heard', 1) return redis.call('del', KEYS[1]) end return 0" > loud.lua
echo "if redis.call('incr', KEYS[2]) == 3 then return redis.error_reply('DOWN for repair') end
redis.call('pexpire', KEYS[2], 10000)
return redis.call('set', KEYS[1], ARGV[1], 'nx', 'px', 1000)" > down.lua
cat > x.lua <<'LUA'
local mine = require("generic").lock {
  acquire = "down.lua", release = "loud.lua", granted = "OK", wait = "pubsub", channel = "heard", lease_ms = 1000,
  keys = { acquire = { "$lock", "{$lock}:asked" }, release = { "$lock" } },
}
return {
  title = "own", clients = { { "A", start_ms = 0 }, { "B", start_ms = 10 } },
  program = function(me)
    local lock = mine.lock(me, "l")
    local got, why = lock:acquire()
    if me.client == "A" then
      me:work(100)
      lock:release()
    else
      assert(got == nil and why == "DOWN for repair", tostring(got) .. ", " .. tostring(why))
    end
  end,
}
LUA
run run x.lua
ends 0 "an error at a later try"
check "the reason of a later try is told" out_has "1 scenario: 1 passed"

# What can never match.
refused 'acquire = "who.lua", release = "free.lua", granted = true,' "no reply is a boolean"
refused 'acquire = "who.lua", release = "free.lua", granted = { 1, false },' "granted[2] = false"
refused 'acquire = "who.lua", release = "free.lua", granted = 0.5,' "no reply is a fraction"
refused 'acquire = "who.lua", release = "free.lua", granted = {},' "an array of replies has a first one"
refused 'acquire = { "SET", "$lock", "$owner", "NX" }, release = "free.lua", granted = 1,' \
    'SET never replies one: it replies "OK" or nil'
refused 'acquire = { "SETNX", "$lock", "$owner" }, release = "free.lua", granted = { 1 },' \
    "granted is a table, and SETNX never replies one"
refused 'acquire = { "SET", "$lock", "$owner", "NX" }, release = "free.lua",' 'replies nil to whom it refuses: granted = "OK"'

# ... which the script's text tells: it answers constants.
take='local taken = redis.call("set", KEYS[1], ARGV[1], "nx", "px", ARGV[2])'
echo "$take if taken then return 1 end return 0" > constants.lua
for granted in '{ 1 }' 7 '"OK"' -1; do
    refused "acquire = \"constants.lua\", release = \"free.lua\", granted = $granted," \
        'constants.lua never answers what `granted` says: it answers 1, 0'
done
refused 'acquire = "constants.lua", release = "free.lua",' 'it answers 1, 0'
# With fencing a grant is a number above 0.
no_fence() {
    echo "$take $1" > constants.lua
    refused 'acquire = "constants.lua", release = "free.lua", fencing = true,' \
        "constants.lua never answers what \`granted\` says: it answers $2"
}
no_fence 'if taken then return 0 end return nil' '0, nil'
no_fence 'if taken then return -1 end return "no"' '-1, some text'
no_fence 'if taken then return {} end return 0' '0, some array'
echo "$take if taken then return 1 end return 0" > constants.lua
own 'acquire = "constants.lua", release = "free.lua", fencing = true,' > x.lua
run run x.lua
check "... and 1 is one" test "$status" -le 1
# The token is the reply, a number or the same as a text; without fencing there is none.
for reply in 7 'tostring(7)'; do
    echo "$take if taken then return $reply end return 0" > constants.lua
    clients='"A"' own 'acquire = "constants.lua", release = "free.lua", fencing = true,' \
        '10) assert(lock.fence == 7' > x.lua
    holds "the token of a grant that answers $reply"
done
clients='"A"' own 'acquire = "constants.lua", release = "free.lua", granted = "7",' '10) assert(lock.fence == nil' > x.lua
holds "no token without fencing"
holds_with() {
    echo "$take $1" > constants.lua
    own "acquire = \"constants.lua\", release = \"free.lua\", $2," > x.lua
    holds "it may answer so: $1, $2"
}
holds_with 'if taken then return 1 end return 0' 'granted = 1'
holds_with 'if taken then return true end return false' 'granted = 1'
holds_with 'if taken then return { 1, KEYS[1] } end return { 0 }' 'granted = { 1, "$lock" }'
holds_with 'if taken then return { ok = "OK" } end return nil' 'granted = "OK"'
holds_with 'if taken then return -2.5 end return --[[ return 3 ]] 0' 'granted = -2'
holds_with 'if taken then return 1 + 1 end return "no"' 'granted = 2'
holds_with 'if taken then return end return "return 7"' 'refused = nil'
holds_with 'local function f() if taken then return 5 end end if f() then return 5 end' 'granted = 5'
holds_with 'if taken then return "yes", 1 end return nil' 'granted = "yes"'
holds_with 'if taken then return "yes" end return "no"' 'granted = "yes"'
echo "$take if not taken then return 0 end" > constants.lua
own 'acquire = "constants.lua", release = "free.lua",' > x.lua
holds "no return at its end is nil"

refused 'acquire = {}, release = "free.lua", granted = 1,' "word 1 of a command is a nil"
refused 'acquire = { { "SETNX", "$lock", "$owner" }, { "PEXPIRE", {}, 1 } }, release = "free.lua", granted = 1,' \
    "word 2 of a command is a table"
refused 'acquire = "who.lua", release = "free.lua", granted = 1, limit = 0, holder = "hash field",' \
    "not a whole number from 1 on"
refused 'acquire = "who.lua", release = "free.lua", granted = 1, limit = 2,' "with limit, holder has to say"
refused 'acquire = "who.lua", release = "free.lua", granted = 1, spec = "semaphore",' "needs limit = n"
refused 'acquire = "who.lua", release = "free.lua", granted = 1, limit = 2, holder = "hash field", spec = "mutex",' \
    "makes it a semaphore"
refused 'acquire = "who.lua", release = "free.lua", granted = 1, refused = "nil",' 'known: "error"'
refused 'acquire = "who.lua", release = "free.lua", args = { "$who" }, granted = 1,' "nothing is called \$who"

# What the acquire answered, and a text that is fresh for each call.
echo "if redis.call('exists', KEYS[1]) == 1 then return { 0 } end
local n = redis.call('incr', KEYS[2])
redis.call('set', KEYS[1], n, 'px', 1000)
return { 1, n }" > numbered.lua
echo "if redis.call('get', KEYS[1]) ~= ARGV[1] or redis.call('exists', KEYS[2]) == 1 then return redis.error_reply('NOT ' .. ARGV[2]) end
redis.call('set', KEYS[2], ARGV[1], 'px', 60000)
return redis.call('del', KEYS[1])" > numbered_free.lua
numbered='acquire = "numbered.lua", release = "numbered_free.lua", granted = { 1 }, holder = "nobody", spec = "none",
  keys = { acquire = { "$lock", "{$lock}:n" }, release = { "$lock", "{$lock}:$call" } }, lasting = { "{$lock}:n" },'
own "$numbered args = { release = { \"\$reply[2]\", \"n=\$reply[2]\" } }," > x.lua
sed -i 's/      lock:release()/      assert(lock:release())/' x.lua
run run x.lua
ends 0 "a release by an item of the reply"
own "$numbered args = { release = { \"\$reply[1]\", \"n=\$reply[2]\" } }," > x.lua
sed -i 's/      lock:release()/      assert(lock:release())/' x.lua
run run x.lua
check "and not by another item" err_has_out "NOT n=2"
# ... even where that reads as a word.
echo "return redis.call('set', KEYS[1], ARGV[1], 'nx', 'px', 1000) and { 1, '\$lock' } or { 0 }" > wordy.lua
echo "if ARGV[1] ~= '\$lock' then return redis.error_reply('NOT ' .. ARGV[1]) end return redis.call('del', KEYS[1])" > wordy_free.lua
own 'acquire = "wordy.lua", release = "wordy_free.lua", granted = { 1 }, args = { release = { "$reply[2]" } },' > x.lua
sed -i 's/      lock:release()/      assert(lock:release())/' x.lua
run run x.lua
ends 0 "a reply's text is filled in as it is"
refused 'acquire = "who.lua", release = "free.lua", granted = { { true } },' "granted[1][1] = true"
check "at the table's place" grep -qE '^ *x\.lua:1:[0-9]+: error\[scenario\]: generic\.lock: granted' "$out"

# Functions of a library answer what it returns anywhere.
cat > library.lua <<'LUA'
#!lua name=own
redis.register_function("take", function(keys, args)
  if redis.call("set", keys[1], args[1], "nx", "px", args[2]) then return 1 end
  return 0
end)
redis.register_function("free", function(keys, args)
  if redis.call("get", keys[1]) == args[1] then return redis.call("del", keys[1]) end
  return 0
end)
LUA
own 'acquire = "library.lua:take", release = "library.lua:free", granted = 1,' > x.lua
holds "functions of a library"
sed -i 's/return redis.call("del", keys\[1\])/redis.call("del", keys[1]) return 1/' library.lua
refused 'acquire = "library.lua:take", release = "library.lua:free", granted = 7,' \
    'library.lua never answers what `granted` says: it answers 1, 0'

# Without a renewal a grant is promised for its lease; with one for as long as its owner works, if the keyspace tells whose
# key ran out, and else for its lease.
echo "if redis.call('get', KEYS[1]) == ARGV[1] then return redis.call('pexpire', KEYS[1], ARGV[2]) end return 0" > renew.lua
echo "if redis.call('get', KEYS[1]) == ARGV[1] then return 1 end return 0" > idle.lua
take='acquire = { "SET", "$lock", "$owner", "NX", "PX", "$lease_ms" }, release = "free.lua", granted = "OK",'
own "$take" 1500 > x.lua
holds "work that outlasts a lease that nothing renews"
own "$take renew = \"renew.lua\", renew_every_ms = 400," 1500 > x.lua
holds "work that outlasts a lease that is renewed"
own "$take renew = \"idle.lua\", renew_every_ms = 400," 1500 > x.lua
breaks "a renewal that renews nothing" LK001
for renewal in '' 'renew = "renew.lua", renew_every_ms = 400,'; do
    own "$take $renewal holder = \"nobody\"," 1500 > x.lua
    run run x.lua --faults pause=1
    check "nobody is named: a key that ran out in a pause accuses no one ($renewal)" out_lacks LK001
done

# A holder that lost its hold and learned it by a renewal has the next one renewed, too, though it is its second. A no that
# comes after that grant was answered speaks of the hold before.
cat > again.lua <<'LUA'
if redis.call('exists', KEYS[1]) == 1 and redis.call('hexists', KEYS[1], ARGV[1]) == 0 then return redis.call('pttl', KEYS[1]) end
redis.call('hincrby', KEYS[1], ARGV[1], 1)
redis.call('pexpire', KEYS[1], ARGV[2])
LUA
echo "if redis.call('hincrby', KEYS[1], ARGV[1], -1) < 1 then redis.call('del', KEYS[1]) end return 1" > drop.lua
echo "if redis.call('hexists', KEYS[1], ARGV[1]) == 1 then return redis.call('pexpire', KEYS[1], ARGV[2]) end return 0" > keep.lua
cat > x.lua <<'LUA'
local generic = require "generic"
local mine = generic.lock { acquire = "again.lua", release = "drop.lua", renew = "keep.lua", spec = "reentrant",
  holder = "hash field", lease_ms = 900, renew_every_ms = 300 }
return {
  clients = { { "A", start_ms = 0 }, { "B", start_ms = 1800 }, { "C", start_ms = 100 } },
  program = function(me)
    local lock = mine.lock(me, "L")
    if me.id == "C:1" then
      me:call("DEL", "L")
    elseif me.id == "B:1" then
      assert(lock:try_acquire() == false, "nobody renewed")
    elseif lock:acquire() then
      me:sleep(300)
      lock:acquire()
      me:sleep(2000)
      lock:release()
    end
  end,
  expect = { owner_only = "violated" },
}
LUA
holds "a grant after a hold that a renewal found lost"

# Whole seconds: now's are begun, a deadline's are full.
echo "if ARGV[3] ~= tostring(math.floor(ARGV[2] / 1000)) then return redis.error_reply('NOW ' .. ARGV[3]) end
if ARGV[4] ~= tostring(math.ceil((ARGV[2] + 1000) / 1000)) then return redis.error_reply('UNTIL ' .. ARGV[4]) end
return redis.call('set', KEYS[1], ARGV[1], 'nx', 'px', 1000)" > seconds.lua
clients='{ "A", start_ms = 1234 }'
own 'acquire = "seconds.lua", release = "free.lua", granted = "OK", args = { acquire = { "$owner", "$now_ms", "$now_s", "$until_s" }, release = { "$owner" } },' > x.lua
sed -i 's/      lock:release()/      assert(lock:release())/; s/^    if lock:acquire() then$/    if assert(lock:acquire()) then/' x.lua
unset clients
run run x.lua
ends 0 "seconds"
