# generic_fields.sh - generic.lock's table: each field does what it says, and what none of them can mean is refused at its
# place before anything runs.

# own FIELDS [PROGRAM]: a scenario of one lock with these fields; clients A and B unless $clients says otherwise.
default_program='if lock:acquire() then me:work(10) lock:release() end'
own() {
    cat > x.lua <<LUA
local mine = require("generic").lock { $1 lease_ms = 900 }
return {
  title = "own", clients = { ${clients:-\"A\", \"B\"} }, ${more:-}
  program = function(me)
    local lock = mine.lock(me, "l")
    ${2:-$default_program}
  end,
}
LUA
}
said() { grep -qF -- "$1" "$out" "$err"; }
refused() {
    own "$1"
    run run x.lua
    ends 65 "refused: $1"
    check "$1: said" said "$2"
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
echo "return redis.call('set', KEYS[1], ARGV[1], 'nx', 'px', ARGV[2])" > take.lua
echo "if redis.call('get', KEYS[1]) == ARGV[1] then return redis.call('del', KEYS[1]) end return 0" > free.lua
plain='acquire = "take.lua", release = "free.lua", granted = "OK",'

# Lengths are whole numbers; and each field is of its kind.
refused "$plain"' retry_ms = -5,' 'x.lua:1:33: error[scenario]: generic.lock: retry_ms = -5; it is a whole number of milliseconds from 0 on'
refused "$plain"' retry_ms = "fast",' 'retry_ms is a string; it is a whole number of milliseconds from 0 on'
refused "$plain"' retry_ms = 0/0,' 'it is a whole number of milliseconds from 0 on'
refused "$plain"' renew_every_ms = 0,' 'renew_every_ms = 0; it is a whole number of milliseconds from 1 on'
refused "$plain"' renew_every_ms = 1.5,' 'renew_every_ms = 1.5; it is a whole number of milliseconds from 1 on'
refused "$plain"' keys = "$lock",' 'keys is a string; it is a list, such as { "$lock" }'
refused "$plain"' args = { acquir = { "$owner" } },' "unknown field 'acquir' of args; known: acquire, release, renew"
refused "$plain"' args = { acquire = "$owner" },' 'args.acquire is a string; it is a list, such as { "$lock" }'
refused "$plain"' fencing = 1,' 'fencing is a number; it is true or false'
refused "$plain"' channel = 5,' 'channel is a number; it is a text, such as "{$lock}:channel"'
refused "$plain"' still_held = {},' 'still_held is a table; it is one answer, a number or a text'
refused "$plain"' renew = true,' "renew is a boolean; it is a script's file, script.text(...), or a command, a list of words"
own "$plain"
sed -i 's/mine.lock(me, "l")/mine.lock(me, "l", { lease_ms = -1 })/' x.lua
run run x.lua
check "a lock's own lease is looked at, too" said 'x.lua:5:23: error[driver]: generic.lock: lease_ms = -1; it is a whole number'

# What init left open is named by its place.
refused "$plain"' keys = { "$lock", "?" },' 'generic.lock: keys[2] is still "?"'
refused "$plain"' args = { acquire = { "$owner", "?" }, release = { "$owner" } },' 'generic.lock: args.acquire[2] is still "?"'
check "at the table's place" grep -qE '^ *x\.lua:1:[0-9]+: error\[scenario\]: generic\.lock: args\.acquire' "$out"

# A word that nothing fills in, in any field that has words.
for fields in 'keys = { "$who" },' 'args = { "$who" },' 'renew = { "PEXPIRE", "$who" },' 'released = "$who",' 'channel = "$who",' \
    'lasting = { "$who" },' 'key = "$who",'; do
    refused "$plain $fields" 'nothing is called $who'
done
refused 'acquire = { "SET", "$lock", "$who", "NX" }, release = "free.lua", granted = "OK",' 'nothing is called $who'
refused 'acquire = "take.lua", release = { "DEL", "$who" }, granted = "OK",' 'nothing is called $who'
refused 'acquire = "take.lua", release = "free.lua", granted = "$who",' 'nothing is called $who'

# Names that are known, as they are listed, and each of them is.
refused "$plain"' holder = "x",' 'known: count, hash field, list item, nobody, set member, sorted set member, string value, or'
refused "$plain x = 1," "holder, key, keys, lasting, lease_ms, limit, refused, release, released, renew, renew_every_ms, retry_ms, runtime,"
refused "$plain"' holder = "count",' 'holder = "count" needs limit = n'
refused "$plain released = true," 'released = true: no reply is a boolean'
check "at the table's place" grep -qE '^ *x\.lua:1:[0-9]+: error\[scenario\]: generic\.lock: released' "$out"
refused "$plain released = { 1, 0.5 }," 'released[2] = 0.5: no reply is a fraction'

# A semaphore's permits as members of a set, as items of a list, and as a number.
clients='"A", "B", "C"'
permits() {
    own "acquire = \"enter.lua\", release = { $1 }, granted = 1, limit = 2, holder = \"$2\", args = { acquire = { \"\$token\", $3 } },"
}
echo "if redis.call('scard', KEYS[1]) >= tonumber(ARGV[2]) then return 0 end
redis.call('sadd', KEYS[1], ARGV[1]) redis.call('pexpire', KEYS[1], 900) return 1" > enter.lua
permits '"SREM", "$lock", "$token"' "set member" 2
holds "members of a set are permits"
permits '"SREM", "$lock", "$token"' "set member" 3
breaks "a third member of two" LK001
echo "if redis.call('llen', KEYS[1]) >= tonumber(ARGV[2]) then return 0 end
redis.call('rpush', KEYS[1], ARGV[1]) redis.call('pexpire', KEYS[1], 900) return 1" > enter.lua
permits '"LREM", "$lock", 1, "$token"' "list item" 2
holds "items of a list are permits"
permits '"LREM", "$lock", 1, "$token"' "list item" 3
breaks "a third item of two" LK001
echo "if tonumber(redis.call('get', KEYS[1]) or '0') >= tonumber(ARGV[2]) then return 0 end
redis.call('incr', KEYS[1]) redis.call('pexpire', KEYS[1], 900) return 1" > enter.lua
permits '"DECR", "$lock"' count 2
sed -i 's/holder = "count",/& released = false,/' x.lua
run run x.lua
check "a number of permits: two of two" out_lacks LK001
permits '"DECR", "$lock"' count 3
sed -i 's/holder = "count",/& released = false,/' x.lua
run run x.lua
check "a number of permits: three of two" out_has "that makes 3 permits, and there are 2"
unset clients

# What a release says: nothing of whose it was, if the table says so; and what a call of it returns.
echo "if redis.call('get', KEYS[1]) == ARGV[1] then redis.call('del', KEYS[1]) end return 'done'" > quiet.lua
own 'acquire = "take.lua", release = "quiet.lua", granted = "OK", released = false, runtime = "threads",' \
    'if lock:acquire() then me:work(10) assert(lock:release() == true) end'
holds "a release that does not say whose it was"
run run x.lua --faults pause=1
check "... is no lie after a pause" out_lacks LK040
own 'acquire = "take.lua", release = "quiet.lua", granted = "OK", released = "done",'
run run x.lua --faults pause=1
check "... unless it means so" out_has LK040
more='explore = { schedule = "A" },' clients='"A"'
own "$plain" 'assert(lock:acquire()) me:sleep(1500) local free, why = lock:release() assert(free == nil and why == "not owner")'
holds "a release of what ran out says why"
own 'acquire = "take.lua", release = { "GETS" }, granted = "OK",' 'assert(lock:acquire()) local free, why = lock:release()
    assert(free == nil and why:find("unknown command"), tostring(why))'
run run x.lua
check "an error of the release is handed on" out_lacks "uncaught"
own 'acquire = "take.lua", release = { "INCR", "$lock" }, granted = "OK", refused = "error", released = false,' \
    'assert(lock:acquire()) local free, why = lock:release() assert(free == nil and why == "not owner", tostring(why))'
holds "an error that means no is another owner's lock"
cat > again.lua <<'LUA'
if redis.call('exists', KEYS[1]) == 1 and redis.call('hexists', KEYS[1], ARGV[1]) == 0 then return redis.call('pttl', KEYS[1]) end
redis.call('hincrby', KEYS[1], ARGV[1], 1)
redis.call('pexpire', KEYS[1], ARGV[2])
LUA
echo "if redis.call('hincrby', KEYS[1], ARGV[1], -1) < 1 then redis.call('del', KEYS[1]) end return 'done'" > drop.lua
reentrant='acquire = "again.lua", release = "drop.lua", spec = "reentrant", holder = "hash field",'
own "$reentrant released = false," 'assert(lock:acquire() and lock:acquire())
    assert(lock:release() == false and lock:release() == true)'
holds "a reentrant release that says nothing leaves what the client counts"
echo "if redis.call('hincrby', KEYS[1], ARGV[1], -1) < 1 then redis.call('del', KEYS[1]) return 1 end return 7" > still.lua
own "${reentrant/drop/still} still_held = 7," 'assert(lock:acquire() and lock:acquire())
    assert(lock:release() == false and lock:release() == true)'
holds "a reply that means still held"

# Renewals: at a third of the lease unless said, from the grant to the release, and again from the next grant on.
echo "redis.call('incr', KEYS[2]) if redis.call('get', KEYS[1]) == ARGV[1] then return redis.call('pexpire', KEYS[1], ARGV[2]) end return 0" > renew.lua
renewed="$plain"' renew = "renew.lua", keys = { acquire = { "$lock" }, release = { "$lock" }, renew = { "$lock", "{$lock}:n" } },
  lasting = { "{$lock}:n" },'
counted='local function asked(n) local m = me:call("GET", "{l}:n") assert(m == n, "renewed " .. tostring(m) .. " times") end'
own "$renewed" "$counted assert(lock:acquire()) me:work(700) assert(lock:release() == true) me:sleep(2000) asked('2')
    assert(lock:acquire()) me:work(1700) asked('7') lock:release() me:sleep(2000) asked('7')"
holds "renewed every third of the lease while it is held"
own "$renewed renew_every_ms = 200," "$counted assert(lock:acquire()) me:work(700) asked('3') lock:release()"
holds "renewed at the interval that is said"
own "${renewed/free.lua/quiet.lua} spec = \"idempotent\", released = \"done\"," "$counted
    assert(lock:acquire()) me:work(700) lock:release() me:sleep(2000) asked('2')"
holds "one release of an idempotent lock ends its renewal"
# Nested holds have one watchdog, and it goes on until the last of them ends.
echo "redis.call('incr', KEYS[2]) if redis.call('hexists', KEYS[1], ARGV[1]) == 1 then return redis.call('pexpire', KEYS[1], ARGV[2]) end return 0" > keep.lua
own "${reentrant/drop/still} ${renewed#*\"OK\",}" "$counted
    assert(lock:acquire() and lock:acquire()) me:work(700) asked('2') lock:release() me:work(1000) asked('5')
    assert(lock:release() == true) me:sleep(2000) asked('5')"
sed -i 's/renew = "renew.lua"/renew = "keep.lua", still_held = 7/' x.lua
holds "one watchdog for nested holds"
# A renewal of what is gone is told so and ends; the next grant is renewed all the same, by one watchdog.
own "$renewed" "$counted assert(lock:acquire()) me:call('DEL', 'l') me:sleep(1000) asked('1')
    assert(lock:acquire()) me:work(1000) asked('4') lock:release()"
holds "a renewal that finds nothing ends, and the next grant has one"
# A renewal without an answer is no no: it goes on.
more='timeout_ms = 100, faults = { lose_reply = { 1, op = "renew" } },' clients='{ "A", start_ms = 0 }'
own "$renewed" "$counted assert(lock:acquire()) me:work(2000) lock:release() local n = me:call('GET', '{l}:n') assert(n + 0 >= 5)"
holds "a renewal without an answer is followed by the next"
more=

# A lease that ends at a whole second lasts until then.
echo "if not redis.call('set', KEYS[1], ARGV[1], 'nx') then return nil end redis.call('expireat', KEYS[1], ARGV[2]) return 'OK'" > until.lua
whole='acquire = "until.lua", release = "free.lua", granted = "OK", args = { acquire = { "$owner", "$until_s" }, release = { "$owner" } },'
clients='{ "A", start_ms = 1234 }, { "B", start_ms = 1234 }'
own "$whole"
sed -i 's/ lease_ms = 900 }/ }/' x.lua
holds "no lease, and the second's end"
own "$whole"
holds "a lease to the second's end"
sed -i 's/"\$until_s"/"$now_s"/' x.lua
run run x.lua
check "... and not before" out_lacks "1 passed"
sed -i "s/ARGV\[2\])/ARGV[2] + 5)/" until.lua
own "$whole"
breaks "a key that outlives the second that was asked for" LK031
unset clients

# The key that names the holder is the one that the table says.
echo "redis.call('incr', KEYS[1]) return redis.call('set', KEYS[2], ARGV[1], 'nx', 'px', ARGV[2])" > second.lua
echo "if redis.call('get', KEYS[2]) == ARGV[1] then return redis.call('del', KEYS[2]) end return 0" > second_free.lua
second='acquire = "second.lua", release = "second_free.lua", granted = "OK", keys = { "{$lock}:n", "lock:{$lock}" }, lasting = { "{$lock}:n" },'
own "$second"' key = "lock:{$lock}",'
holds "the holder's key is the one that is said"
own "${second/, lasting = { \"\{\$lock\}:n\" \}/}"
run run x.lua
check "without it it is the first" out_lacks "1 passed"
# ... also where another key is called as the lock.
echo "redis.call('del', KEYS[1]) if redis.call('get', KEYS[2]) == ARGV[1] then return redis.call('del', KEYS[2]) end return 0" > second_free.lua
own 'acquire = "second.lua", release = "second_free.lua", granted = "OK", keys = { "{l}", "lock:{$lock}" }, key = "lock:{$lock}",'
sed -i 's/mine.lock(me, "l")/mine.lock(me, "{l}")/; s/lock:{$lock}/lock:$lock/g' x.lua
holds "a key that is called as the lock is not its holder's"

# A hold that ends by a stored time and no key's TTL: a permit whose score is the end of its lease, renewed; who stands
# still for longer has lost it, and nobody is accused.
refused "$plain"' ends = "$until",' "ends = '\$until'; known: \"\$until_ms\""
refused "$plain"' ends = "$until_ms",' 'it needs holder = "sorted set member"'
scored="$plain"' holder = "sorted set member",'
refused "$scored"' ends = "$since_ms",' "ends = '\$since_ms'; known:"
refused "$scored"' ends = "$until_ms + 2",' "ends = '\$until_ms + 2'; known:"
own "$scored"' ends = "$now_ms",'
sed -i 's/ lease_ms = 900 }/ }/' x.lua
run run x.lua
ends 65 "a start without a lease"
check "... says what is missing" said 'ends = "$now_ms" needs lease_ms'
sed -i 's/\$now_ms/$until_ms/' x.lua
run run x.lua
check "an end needs none" out_lacks "needs lease_ms"
cat > enter.lua <<'LUA'
local t = redis.call('time')
local now = t[1] * 1000 + math.floor(t[2] / 1000)
redis.call('zremrangebyscore', KEYS[1], '-inf', now)
if redis.call('zcard', KEYS[1]) >= 1 then return 0 end
redis.call('zadd', KEYS[1], now + ARGV[2], ARGV[1])
redis.call('pexpire', KEYS[1], ARGV[2] * 2)
return 1
LUA
cat > keep.lua <<'LUA'
local t = redis.call('time')
redis.call('pexpire', KEYS[1], ARGV[2] * 2)
return redis.call('zadd', KEYS[1], 'xx', 'ch', t[1] * 1000 + math.floor(t[2] / 1000) + ARGV[2], ARGV[1])
LUA
echo "return redis.call('zrem', KEYS[1], ARGV[1])" > leave.lua
permit='acquire = "enter.lua", release = "leave.lua", renew = "keep.lua", granted = 1, holder = "sorted set member", limit = 1,
    args = { acquire = { "$token", "$lease_ms" }, renew = { "$token", "$lease_ms" }, release = { "$token" } }, renew_every_ms = 400,'
works='if lock:acquire() then me:work(1000) lock:release() end'
clients='{ "A", start_ms = 0 }, { "B", start_ms = 100 }' more='faults = { pause = 1 },'
own "$permit"' ends = "$until_ms",' "$works"
holds "a permit that ends by its score"
own "$permit" "$works"
holds "a permit whose end nobody tells is promised for its lease"
echo "return 0" > idle.lua
own "${permit/leave.lua/idle.lua}"' released = 0, ends = "$until_ms",' "$works"
breaks "a permit that is said to be given back, and is not" LK040
more=
own "${permit/keep.lua/idle.lua}"' ends = "$until_ms",' "$works"
breaks "a renewal that does not move the score" LK001
# Whole seconds; when it began, a lease before; and through the last second.
clients='{ "A", start_ms = 0 }, { "B", start_ms = 2000 }'
counts() {
    echo "local now = tonumber(redis.call('time')[1]) redis.call('zremrangebyscore', KEYS[1], '-inf', $1)
if redis.call('zcard', KEYS[1]) >= 1 then return 0 end
redis.call('zadd', KEYS[1], $2, ARGV[1]) redis.call('pexpire', KEYS[1], 5000) return 1" > enter.lua
    own 'acquire = "enter.lua", release = "leave.lua", granted = 1, holder = "sorted set member",'" ends = \"$3\"," "$works"
    sed -i 's/lease_ms = 900/lease_ms = 2000/' x.lua
}
counts now 'now + 2' '$until_s'
holds "a score in seconds"
counts 'now - 2' now '$now_s'
holds "a score that is the beginning, in seconds"
sed -i 's/lease_ms = 2000/lease_ms = 900/; s/mine.lock(me, "l"/&, { lease_ms = 2000 }/' x.lua
holds "... and the lease is the lock's own"
counts "'(' .. now" 'now + 1' '$until_s + 1'
holds "a score that is the last second"
counts "'(' .. now" 'now + 1' '$until_s'
breaks "a score that is the last second, told as the end" LK031
clients='{ "A", start_ms = 0 }, { "B", start_ms = 100 }'
# The same of a mutex: the time stands in a field of its hash, and the key outlives it.
cat > enter.lua <<'LUA'
local t = redis.call('time')
local now = t[1] * 1000 + math.floor(t[2] / 1000)
local ends = redis.call('hget', KEYS[1], 'ends')
if ends and tonumber(ends) > now then return 0 end
redis.call('hset', KEYS[1], 'owner', ARGV[1], 'ends', now + ARGV[2])
redis.call('pexpire', KEYS[1], ARGV[2] * 2)
return 1
LUA
echo "if redis.call('hget', KEYS[1], 'owner') == ARGV[1] then return redis.call('del', KEYS[1]) end return 0" > leave.lua
stored='acquire = "enter.lua", release = "leave.lua", granted = 1,
    holder = function(redis, key) local owner = redis.call("HGET", key, "owner") return owner and { [owner] = 1 } or {} end,'
more='faults = { pause = 1 },'
own "$stored"' ends = function(redis, key) return tonumber(redis.call("HGET", key, "ends")) end,' "$works"
holds "a hold that ends by a field"
own "$stored"' ends = function(redis, key) return redis.call("HGET", key, "ends") + 1 end,' "$works"
breaks "an end that is told a millisecond late" LK040
more=
sed -i 's/> now then/> now + 500 then/' enter.lua
own "$stored"' ends = function(redis, key) return tonumber(redis.call("HGET", key, "ends")) end,' "$works"
breaks "a lock that lets in before the end" LK001
unset clients more

# The key that names the holder, where the table says keys for some of the scripts and none is called as the lock: the
# lock's own name is no key of a renewal that there is not, nor of one that is a command.
elsewhere='acquire = "take.lua", release = "free.lua", granted = "OK", keys = { acquire = { "lock:{$lock}" }, release = { "lock:{$lock}" } },'
own "$elsewhere"
holds "a key that is not called as the lock"
own "$elsewhere"' renew = { "PEXPIRE", "lock:{$lock}", "$lease_ms" },'
holds "... and a renewal by a command"
own 'acquire = { "SET", "lock:$lock", "$owner", "NX", "PX", "$lease_ms" }, release = { "DEL", "lock:$lock" }, granted = "OK",'
holds "the key of a command in a script's place"
own 'acquire = { { "SADD", "{$lock}:users", "$owner" }, { "SET", "held:{$lock}", "$owner", "NX", "PX", "$lease_ms", equals = "OK" } },
    release = "free.lua", keys = { release = { "held:{$lock}" } }, granted = function() return true end, lasting = { "{$lock}:users" }, spec = "none",'
holds "the keys of several commands"
own 'acquire = { "SET", "$lock", "$owner", "NX", "EX", "$lease_s" }, release = "free.lua", granted = "OK",'
holds "a lease of 900 ms in whole seconds is one second"
own 'acquire = { { "SET", "$lock", "$owner", "NX", "EX", 1 }, { "EXPIRE", "$lock", "$lease_s" } }, release = "free.lua", granted = "OK",'
holds "... by a later command, too"
own 'acquire = { "SET", "$lock", "$owner", "NX", "PX", "$lease_s001" }, release = "free.lua", granted = "OK",'
breaks "... and no millisecond longer" LK031
echo "local got = redis.call('set', KEYS[1], ARGV[1], 'nx') if got and ARGV[2] ~= '0' then redis.call('expire', KEYS[1], ARGV[2]) end return got" > maybe.lua
own 'acquire = "maybe.lua", release = "free.lua", granted = "OK", args = { acquire = { "$owner", "$lease_s" }, release = { "$owner" } },'
holds "... by a script that can do without"
sed -i 's/ lease_ms = 900 }/ }/' x.lua
breaks "... and does" LK031
# A command after the first that fails: the caller is told why, and has no lock.
own 'acquire = { { "SET", "$lock", "$owner", "NX", "PX", "$lease_ms" }, { "INCR", "$lock" } }, release = "free.lua", granted = "OK",' \
    'local got, why = lock:acquire()
    assert(got == nil and why:find("not an integer", 1, true), tostring(got) .. ", " .. tostring(why))'
run run x.lua
ends 3 "nobody has the lock if a later command fails"
check "and the caller is told why" out_lacks "assert"
# Who does not wait subscribes to nothing.
clients='{ "A", start_ms = 0 }, { "B", start_ms = 10 }'
own "$plain"' wait = "pubsub", channel = "heard",' 'if me.client == "A" then lock:acquire() me:work(100) lock:release()
    else assert(lock:try_acquire(0) == false) end'
run run x.lua --format json
ends 0 "a try that does not wait"
check "no request of it subscribes" out_lacks '"subscribe"'
unset clients

# What a stored time means only its author knows: where no TTL ends the lock with its lease, the table has to say it. Of
# each shape the error names the table's place and the line that is missing, and that line makes it pass.
asks() {
    own "$2" "$works"
    run run x.lua
    ends 4 "$1, whose end nobody tells"
    check "... is asked for, at the table" said 'x.lua:1:33: error[driver]: generic.lock: what ends a hold? The key "l"'
    check "... with the line" said "$3"
    own "$2 $3," "$works"
    holds "$1, as the line says"
    own "$2 ends = false," "$works"
    breaks "$1 that nothing ends" "$4"
}
now="local t = redis.call('time') local now = t[1] * 1000 + math.floor(t[2] / 1000)"
clients='{ "A", start_ms = 0 }, { "B", start_ms = 100 }'
cat > enter.lua <<LUA
$now redis.call('zremrangebyscore', KEYS[1], '-inf', now)
if redis.call('zcard', KEYS[1]) >= 1 then return 0 end
return redis.call('zadd', KEYS[1], now + ARGV[2], ARGV[1])
LUA
echo "return redis.call('zrem', KEYS[1], ARGV[1])" > leave.lua
lasts='acquire = "enter.lua", release = "leave.lua", granted = 1,'
by_score="$lasts"' holder = "sorted set member",'
asks "a member's score" "$by_score" 'ends = "$until_ms"' LK003
own "$by_score" "$works"
sed -i 's/lease_ms = 900/lease_ms = 1/' x.lua
run run x.lua
check "... also of the shortest lease" said 'ends = "$until_ms"'
sed "s/now)/now - ARGV[2])/; s/now + ARGV\[2\]/now/" enter.lua > since.lua
asks "a member's score that is its beginning" "${by_score/enter/since}" 'ends = "$now_ms"' LK003
in_seconds='args = { acquire = { "$owner", "$lease_s" }, release = { "$owner" } },'
sed "s/ local now.*/ local now = tonumber(t[1])/" enter.lua > whole.lua
asks "a member's score in seconds" "${by_score/enter/whole} $in_seconds" 'ends = "$until_s"' LK031
own "${by_score/enter/whole}"' ends = "$until_s",'
breaks "what is said of a score asks for no lease in seconds" 'though only 900 ms were asked for'
cat > enter.lua <<LUA
$now local value = redis.call('get', KEYS[1])
if value and tonumber(value:match('|(.*)')) > now then return 0 end
redis.call('set', KEYS[1], ARGV[1] .. '|' .. now + ARGV[2]) return 1
LUA
echo "if (redis.call('get', KEYS[1]) or ''):match('^(.*)|') == ARGV[1] then return redis.call('del', KEYS[1]) end return 0" > leave.lua
asks "a time in the value" "$lasts"' holder = function(redis, key)
    local value = redis.call("GET", key) return value and { [value:match("^(.*)|")] = 1 } or {} end,' \
    'ends = function(redis, key) return tonumber(redis.call("GET", key):match("%d%d%d%d%d%d%d%d%d%d+")) end' LK040
cat > enter.lua <<LUA
$now local ends = redis.call('hget', KEYS[1], 'ends')
if ends and tonumber(ends) > now then return 0 end
redis.call('hset', KEYS[1], 'owner', ARGV[1], 'ends', now + ARGV[2]) redis.call('pexpire', KEYS[1], ARGV[2] + 1)
return 1
LUA
echo "if redis.call('hget', KEYS[1], 'owner') == ARGV[1] then return redis.call('del', KEYS[1]) end return 0" > leave.lua
more=
by_field='holder = function(redis, key) local owner = redis.call("HGET", key, "owner") return owner and { [owner] = 1 } or {} end,'
asks "a hash's field" "$lasts $by_field" \
    'ends = function(redis, key) return tonumber(redis.call("HGET", key, "ends")) end' LK040
sed "s/now + ARGV/t[1] + ARGV/; s/> now/> tonumber(t[1])/; s/ARGV\[2\] + 1)/ARGV[2] * 1000 + 1)/" enter.lua > whole.lua
asks "a hash's field in seconds" "${lasts/enter/whole} $in_seconds $by_field" \
    'ends = function(redis, key) return tonumber(redis.call("HGET", key, "ends")) * 1000 end' LK040
sed "s/now + ARGV\[2\]/now/; s/tonumber(ends)/ends + ARGV[2]/" enter.lua > since.lua
own "${lasts/enter/since} $by_field" "$works"
run run x.lua
check "a hash's field that is the beginning: a lease after it" said \
    'ends = function(redis, key) return tonumber(redis.call("HGET", key, "ends")) + (the lease in ms) end'
sed -i 's/ARGV\[2\] + 1)/ARGV[2])/; s/if ends and .*/if ends then return 0 end/' enter.lua
own "$lasts $by_field" "$works"
holds "nobody asks where the key's TTL ends the lease"
sed -i 's/mine.lock(me, "l"/&, { lease_ms = 2000 }/' x.lua
holds "... nor where it ends the lock's own lease"
sed 's/pexpire/expire/' enter.lua > whole.lua
seconds="${lasts/enter/whole} $in_seconds $by_field"
own "$seconds" "$works"
holds "... in whole seconds, too"
sed -i 's/lease_ms = 900/lease_ms = 1001/' x.lua
holds "... up to the next"
sed -i "s/expire', KEYS\[1\], ARGV\[2\])/pexpire', KEYS[1], ARGV[2] * 1000 + 1)/" whole.lua
run run x.lua
ends 4 "a millisecond more"
check "... is asked for" said 'The key "l" outlives the lease'
clients='{ "A", start_ms = 101 }, { "B", start_ms = 201 }'          # the lease's end is a millisecond after a second's
sed "s/'pexpire'/'expireat'/; s/now + ARGV\[2\]/now + 900/" enter.lua > whole.lua
own "${seconds/lease_s/until_s}" "$works"
holds "... to the second's end, too"
sed -i "s/^return 1/redis.call('pexpire', KEYS[1], redis.call('pttl', KEYS[1]) + 1) return 1/" whole.lua
run run x.lua
ends 4 "a millisecond beyond the second"
check "... is asked for, too" said 'The key "l" outlives the lease'
clients='{ "A", start_ms = 0 }, { "B", start_ms = 100 }'
sed -i "s/'ends', now + ARGV\[2\])/'uses', 1)/; s/redis.call('pexpire'.*//" enter.lua
own "$lasts $by_field" "$works"
breaks "nor where no time is stored" LK031
unset clients more

# A lock that its user extends himself, as redsync's Extend: an operation of its own, and no accusation with a pause at
# any moment. One that takes the lock where it is free (SetNXOnExtend) is no renewal: others may have held it since.
echo "if redis.call('get', KEYS[1]) == ARGV[1] then return redis.call('pexpire', KEYS[1], ARGV[2]) end return 0" > extend.lua
sed 's/return 0/return redis.call("set", KEYS[1], ARGV[1], "nx", "px", ARGV[2]) and 1 or 0/' extend.lua > take_again.lua
extends() {
    own "$plain retry_ms = 400,${3:-}" "if lock:acquire() then
      me:work(600)
      ${4:-} local reply, no = me:eval(script \"$1\", { \"l\" }, { me.id, 900 }, { op = \"$2\", lock = \"l\", lease = 900 })
      ${5:-} if reply == 1 then me:work(600) end lock:release() end"
}
more='faults = { pause = 1 },'
extends extend.lua extend
holds "extended by hand"
extends take_again.lua extend
breaks "an extension that takes a free lock" 'The extend of A:1 on "l" at 0.901 s left it with 1 holds instead of 0.'
check "... is told what it is" said 'Where the client means to take it again, it is an'
extends take_again.lua acquire ' spec = "idempotent",' 'me:wants("l")' 'if no then me:gave_up("l")
    elseif reply == 1 then me:granted("l", { lease = 900, count = 1, told = false }) else me:refused("l") end'
holds "... and passes as an acquire"
more=

# A lock that ends by itself and whose table has no lease is promised until its release: the result says what is missing.
echo "return redis.call('set', KEYS[1], ARGV[1], 'nx', 'px', 500)" > by_itself.lua
own 'acquire = "by_itself.lua", release = "free.lua", granted = "OK", args = { acquire = { "$owner" }, release = { "$owner" } },' "$works"
sed -i 's/ lease_ms = 900 }/ }/' x.lua
breaks "a lease that its table does not tell" LK001
check "... is asked for beside the break" said 'If nothing renews it, that is its lease: lease_ms in'
sed -i 's/granted = "OK",/& lease_ms = 500,/' x.lua
holds "... and with it the lock passes"

# A holder function may say nobody by nil; a name alone is no table, and is refused with the table to write.
own "$plain"' holder = function(redis, key) local o = redis.call("GET", key) return o and { [o] = 1 } or nil end,'
holds "nobody is nil"
own "$plain"' holder = function(redis, key) return redis.call("GET", key) end,'
run run x.lua
ends 4 "a holder that is a text"
check "... is told what to return" said 'holder returns a table of owners and how many holds each has, { [owner] = 1 }'
