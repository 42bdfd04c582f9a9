# shapes_fresh.sh - `locksim init` on shapes that fresh eyes brought: numbers that each grant makes anew, hashes with
# fields that are no owners, counters of refusals, leases that a script cuts. A correct lock passes, a broken one is
# told of.

same() { for name in "${@:2}"; do cp "$1" "$name"; done; }
passes() { run run "$1.lua"; ends 0 "$1: all of its scenario"; }

# The release and the renewal want the number that the grant answered.
cat > fence_a.lua <<'LUA'
if redis.call('EXISTS', KEYS[1]) == 1 then return 0 end
local fence = redis.call('INCR', KEYS[2])
redis.call('HSET', KEYS[1], 'owner', ARGV[1], 'fence', fence)
redis.call('PEXPIRE', KEYS[1], ARGV[2])
return fence
LUA
cat > fence_r.lua <<'LUA'
if redis.call('HGET', KEYS[1], 'owner') == ARGV[1] and redis.call('HGET', KEYS[1], 'fence') == ARGV[2] then
  return redis.call('DEL', KEYS[1])
end
return 0
LUA
sed "s/'DEL', KEYS\[1\]/'PEXPIRE', KEYS[1], ARGV[3]/" fence_r.lua > fence_x.lua
run init fence_a.lua fence_r.lua fence_x.lua -o fence.lua
ends 0 "fence"
check "fence: its release gets the answer" out_has 'release  fence_r.lua  KEYS[1] $lock  ARGV[1] $owner  ARGV[2] $reply'
check "fence: its renewal, too" out_has 'renew    fence_x.lua  KEYS[1] $lock  ARGV[1] $owner  ARGV[2] $reply  ARGV[3] $lease_ms'
passes fence

# The same as an item of an array.
cat > pair_a.lua <<'LUA'
if redis.call('EXISTS', KEYS[1]) == 1 then return {0, 0} end
local fence = redis.call('INCR', KEYS[2])
redis.call('SET', KEYS[1], ARGV[1] .. ':' .. fence, 'PX', ARGV[2])
return {1, fence}
LUA
cat > pair_r.lua <<'LUA'
if redis.call('GET', KEYS[1]) == ARGV[1] .. ':' .. ARGV[2] then return redis.call('DEL', KEYS[1]) end
return 0
LUA
init_finds pair 'KEYS[1] $lock  KEYS[2] {$lock}:2  ARGV[1] $owner  ARGV[2] $lease_ms' 'KEYS[1] $lock  ARGV[1] $owner  ARGV[2] $reply[2]'
passes pair

# A hash with a mode beside its owners' counts; the release answers the same where the lock is gone.
cat > mode_a.lua <<'LUA'
local mode = redis.call('hget', KEYS[1], 'mode')
if mode == false then
  redis.call('hset', KEYS[1], 'mode', 'write')
  redis.call('hset', KEYS[1], ARGV[2], 1)
  redis.call('pexpire', KEYS[1], ARGV[1])
  return nil
end
if mode == 'write' and redis.call('hexists', KEYS[1], ARGV[2]) == 1 then
  redis.call('hincrby', KEYS[1], ARGV[2], 1)
  redis.call('pexpire', KEYS[1], ARGV[1])
  return nil
end
return redis.call('pttl', KEYS[1])
LUA
cat > mode_r.lua <<'LUA'
if redis.call('hget', KEYS[1], 'mode') == false then return 1 end
if redis.call('hexists', KEYS[1], ARGV[2]) == 0 then return nil end
if redis.call('hincrby', KEYS[1], ARGV[2], -1) > 0 then redis.call('pexpire', KEYS[1], ARGV[1]) return 0 end
redis.call('del', KEYS[1])
return 1
LUA
init_finds mode 'KEYS[1] $lock  ARGV[1] $lease_ms  ARGV[2] $owner' 'KEYS[1] $lock  ARGV[1] $lease_ms  ARGV[2] $owner'
init_writes mode '"mode" is none' 'released = false,            -- it answers the same where the lock is gone'
passes mode
same mode_r.lua mode_broken_r.lua; same mode_a.lua mode_broken_a.lua
sed -i "s/== 1 then/>= 0 then/" mode_broken_a.lua                  # any writer joins
run init mode_broken_a.lua mode_broken_r.lua -o mode_broken.lua
check "mode_broken: is no lock, or breaks" test "$status" -ne 0

# The same, of a mutex: true where it is gone.
echo "return redis.call('SET', KEYS[1], ARGV[1], 'NX', 'PX', ARGV[2])" > gone_a.lua
cat > gone_r.lua <<'LUA'
local owner = redis.call('GET', KEYS[1])
if not owner then return 1 end
if owner == ARGV[1] then return redis.call('DEL', KEYS[1]) end
return 0
LUA
init_finds gone 'KEYS[1] $lock  ARGV[1] $owner  ARGV[2] $lease_ms' 'KEYS[1] $lock  ARGV[1] $owner'
passes gone
same gone_a.lua gone_broken_a.lua
echo "if redis.call('GET', KEYS[1]) == ARGV[1] then redis.call('DEL', KEYS[1]) end redis.call('DEL', KEYS[1]) return 1" > gone_broken_r.lua
run init gone_broken_a.lua gone_broken_r.lua -o gone_broken.lua
check "gone_broken: is told" out_has 'the release does not compare the owner'
sed -i 's/"?"/"$owner"/' gone_broken.lua
run run gone_broken.lua
ends 1 "gone_broken"

# A hash of many locks: the name is a field of it.
echo "if redis.call('HSETNX', KEYS[1], ARGV[1], ARGV[2]) == 1 then return 1 end return 0" > many_a.lua
echo "if redis.call('HGET', KEYS[1], ARGV[1]) == ARGV[2] then return redis.call('HDEL', KEYS[1], ARGV[1]) end return 0" > many_r.lua
init_finds many 'KEYS[1] $lock  ARGV[1] $lock  ARGV[2] $owner' 'KEYS[1] $lock  ARGV[1] $lock  ARGV[2] $owner'
init_writes many 'local value = redis.call("HGET", key, key)'
run run many.lua
check "many: what it lacks is a lease" out_has 'no_deadlock  LK011'
check "many: its owner is seen" out_lacks LK040
run init 'HSETNX locks $lock $owner' many_r.lua -o many_command.lua
ends 65 "many_command: the release takes the hash as KEYS[1], the command by name"
run init 'HSETNX locks $lock $owner' 'HDEL locks $lock' -o many_commands.lua
ends 0 "many_commands"
check "... is told" out_has 'the release does not compare the owner'
init_writes many_commands 'key      = "locks"' 'redis.call("HGET", key, "order:42")'

# A counter that refusals alone write outlives the lock; a list of those who ask is a leak.
cat > refusals_a.lua <<'LUA'
if redis.call('SET', KEYS[1], ARGV[1], 'NX', 'PX', ARGV[2]) then return 1 end
redis.call('INCR', KEYS[2])
return 0
LUA
echo "if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end return 0" > refusals_r.lua
init_finds refusals 'KEYS[1] $lock  KEYS[2] {$lock}:2  ARGV[1] $owner  ARGV[2] $lease_ms' 'KEYS[1] $lock  ARGV[1] $owner'
init_writes refusals 'lasting  = { "{$lock}:2" }'
passes refusals
sed "s/'INCR', KEYS\[2\]/'RPUSH', KEYS[2], ARGV[1]/" refusals_a.lua > asked_a.lua
same refusals_r.lua asked_r.lua
run init asked_a.lua asked_r.lua -o asked.lua
run run asked.lua
ends 1 "asked: the list stays"
check "asked: is told" out_has LK030

# A release that leaves an empty value, which is free.
cat > tomb_a.lua <<'LUA'
local v = redis.call('GET', KEYS[1])
if v == false or v == '' then redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2]) return 1 end
return 0
LUA
echo "if redis.call('GET', KEYS[1]) == ARGV[1] then redis.call('SET', KEYS[1], '', 'KEEPTTL') return 1 end return 0" > tomb_r.lua
init_finds tomb 'KEYS[1] $lock  ARGV[1] $owner  ARGV[2] $lease_ms' 'KEYS[1] $lock  ARGV[1] $owner'
passes tomb

# Leases that the script cuts, prolongs, fills up to seconds, or takes in minutes; and one that is taken over early.
for lease in 'cut:math.floor(tonumber(ARGV[2]) * 0.99) - 2:10000 there is 9898 ms' \
    'longer:tonumber(ARGV[2]) + 100:10000 there is 10100 ms' 'minutes:tonumber(ARGV[2]) * 60000:1 there is 60000 ms'; do
    shape=${lease%%:*} rest=${lease#*:}
    echo "if redis.call('SET', KEYS[1], ARGV[1], 'NX', 'PX', ${rest%%:*}) then return 1 end return 0" > "${shape}_a.lua"
    same refusals_r.lua "${shape}_r.lua"
    run init "${shape}_a.lua" "${shape}_r.lua" -o "$shape.lua"
    ends 0 "$shape"
    check "$shape: is told" out_has "${rest#*:}"
    passes "$shape"
done
echo "if redis.call('SET', KEYS[1], ARGV[1], 'NX', 'EX', math.ceil(tonumber(ARGV[2]) / 1000)) then return 1 end return 0" > full_a.lua
same refusals_r.lua full_r.lua early_r.lua
init_finds full 'KEYS[1] $lock  ARGV[1] $owner  ARGV[2] $lease_ms' 'KEYS[1] $lock  ARGV[1] $owner'
check "full: a lease is found" out_lacks 'no argument says its lease'
passes full
cat > early_a.lua <<'LUA'
local left = redis.call('PTTL', KEYS[1])
if left >= 100 then return 0 end
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
return 1
LUA
run init early_a.lua early_r.lua -o early.lua
ends 0 "early"
check "early: is told" out_has 'another owner gets it 99 ms before its key is gone'
init_writes early 'redis.call("PEXPIRETIME", key) - 99'
passes early

# Owners that a script takes for numbers.
same gone_a.lua number_a.lua
echo "if tonumber(redis.call('GET', KEYS[1])) == tonumber(ARGV[1]) then return redis.call('DEL', KEYS[1]) end return 0" > number_r.lua
run init number_a.lua number_r.lua -o number.lua
ends 65 "number"
check "number: is told" err_has 'the script compares the owner, ARGV[1], as a number'
sed 's/ARGV\[1\]/tonumber(ARGV[1])/' number_a.lua > stored_a.lua
run init stored_a.lua number_r.lua -o stored.lua
ends 65 "stored"
check "stored: is told" err_has 'ARGV[1] is the owner, and the script takes it for a number'

# A semaphore that answers how many permits are left, or -1.
cat > left_a.lua <<'LUA'
local n, limit = redis.call('SCARD', KEYS[1]), tonumber(ARGV[2])
if n >= limit then return -1 end
redis.call('SADD', KEYS[1], ARGV[1])
redis.call('PEXPIRE', KEYS[1], ARGV[3])
return limit - n - 1
LUA
echo "return redis.call('SREM', KEYS[1], ARGV[1])" > left_r.lua
init_finds left 'KEYS[1] $lock  ARGV[1] $token  ARGV[2] $limit  ARGV[3] $lease_ms' 'KEYS[1] $lock  ARGV[1] $token'
init_writes left 'limit    = 1' 'reply > -1'
passes left

# The lock's name in JSON.
cat > json_a.lua <<'LUA'
local o = cjson.decode(ARGV[1])
local key = 'lock:' .. o.resource
if redis.call('SET', key, o.owner, 'NX', 'PX', o.ttl) then return 1 end
return 0
LUA
cat > json_r.lua <<'LUA'
local o = cjson.decode(ARGV[1])
local key = 'lock:' .. o.resource
if redis.call('GET', key) == o.owner then return redis.call('DEL', key) end
return 0
LUA
init_finds json 'ARGV[1] {"resource":"$lock","owner":"$owner","ttl":$lease_ms}' 'ARGV[1] {"resource":"$lock","owner":"$owner"}'
init_writes json 'key      = "lock:$lock"'
run run json.lua --time-limit 60
check "json: its key is undeclared, and nothing else is wrong" out_has LK050

# Any number of KEYS: two of them are written; a refusal that keeps the first is told.
cat > each_a.lua <<'LUA'
for _, key in ipairs(KEYS) do
  if redis.call('EXISTS', key) == 1 then return 0 end
end
for _, key in ipairs(KEYS) do redis.call('SET', key, ARGV[1], 'PX', ARGV[2]) end
return 1
LUA
cat > each_r.lua <<'LUA'
local n = 0
for _, key in ipairs(KEYS) do
  if redis.call('GET', key) == ARGV[1] then n = n + redis.call('DEL', key) end
end
return n
LUA
init_finds each 'KEYS[1] $lock  KEYS[2] {$lock}:2  ARGV[1] $owner  ARGV[2] $lease_ms  (any number of KEYS)' \
    'KEYS[1] $lock  KEYS[2] {$lock}:2  ARGV[1] $owner  (any number of KEYS)'
check "each: keeps no part" out_lacks 'keeps the first'
passes each
cat > part_a.lua <<'LUA'
for _, key in ipairs(KEYS) do
  if not redis.call('SET', key, ARGV[1], 'NX', 'PX', ARGV[2]) then return 0 end
end
return 1
LUA
same each_r.lua part_r.lua
run init part_a.lua part_r.lua -o part.lua
ends 0 "part"
check "part: is told" out_has 'refused for its second key, the acquire keeps the first'

# A counter is no lock, and why is said.
run init 'INCR $lock' 'DECR $lock' -o counter.lua
ends 65 "counter"
check "counter: is told" err_has 'each caller hears one more, or one less'

# A clock that only a variable's name shows ends nothing.
cat > called_a.lua <<'LUA'
local job, pttl, limit, now = ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[3]), ARGV[4]
if redis.call('HEXISTS', KEYS[1], job) == 1 then return job end
if redis.call('HLEN', KEYS[1]) >= limit then return nil end
redis.call('HSET', KEYS[1], job, now)
redis.call('PEXPIRE', KEYS[1], pttl)
return job
LUA
echo "if redis.call('HDEL', KEYS[1], ARGV[1]) == 1 then return ARGV[1] end return nil" > called_r.lua
init_finds called 'KEYS[1] $lock  ARGV[1] $token  ARGV[2] $lease_ms  ARGV[3] $limit  ARGV[4] $now_ms*' 'KEYS[1] $lock  ARGV[1] $token'
check "called: the server's clock ends it" out_lacks "by the client's clock"
passes called

# One sorted set for all locks: the lock's score ends the hold, and a hash names its owner.
cat > scored_a.lua <<'LUA'
local t = redis.call('TIME')
local now = t[1] * 1000 + math.floor(t[2] / 1000)
local till = redis.call('ZSCORE', KEYS[1], ARGV[1])
if till and tonumber(till) > now then return 0 end
redis.call('ZADD', KEYS[1], now + ARGV[3], ARGV[1])
redis.call('HSET', KEYS[2], ARGV[1], ARGV[2])
return 1
LUA
cat > scored_r.lua <<'LUA'
if redis.call('HGET', KEYS[2], ARGV[1]) ~= ARGV[2] then return 0 end
redis.call('HDEL', KEYS[2], ARGV[1])
redis.call('ZREM', KEYS[1], ARGV[1])
return 1
LUA
init_finds scored 'KEYS[1] {$lock}:1  KEYS[2] $lock  ARGV[1] $lock  ARGV[2] $owner  ARGV[3] $lease_ms' \
    'KEYS[1] {$lock}:1  KEYS[2] $lock  ARGV[1] $lock  ARGV[2] $owner'
check "scored: what a dead owner leaves is told" out_has 'what an owner that died leaves stays until the'
init_writes scored 'redis.call("ZSCORE", "{" .. key .. "}:1", key)' 'lasting  = { "{$lock}:1", "$lock" }'
passes scored
# A key for each holder, with a time to live, ends its permit.
cat > alive_a.lua <<'LUA'
local n = 0
for _, h in ipairs(redis.call('SMEMBERS', KEYS[1])) do
  if redis.call('EXISTS', KEYS[1] .. ':' .. h) == 0 then redis.call('SREM', KEYS[1], h) else n = n + 1 end
end
if n >= tonumber(ARGV[2]) then return 0 end
redis.call('SADD', KEYS[1], ARGV[1])
redis.call('SET', KEYS[1] .. ':' .. ARGV[1], 1, 'PX', ARGV[3])
return 1
LUA
echo "redis.call('DEL', KEYS[1] .. ':' .. ARGV[1]) return redis.call('SREM', KEYS[1], ARGV[1])" > alive_r.lua
init_finds alive 'KEYS[1] $lock  ARGV[1] $token  ARGV[2] $limit  ARGV[3] $lease_ms' 'KEYS[1] $lock  ARGV[1] $token'
init_writes alive 'redis.call("PEXPIRETIME", key .. ":" .. owner)'
run run alive.lua
check "alive: its keys are undeclared" out_has LK050
check "alive: and no permit is lost" out_lacks LK030

# The time it was taken, by the client's clock, without a TTL.
cat > taken_a.lua <<'LUA'
local at, now, lifetime = redis.call('HGET', KEYS[1], 'lockedAt'), tonumber(ARGV[2]), tonumber(ARGV[3])
if at and tonumber(at) > now - lifetime then return nil end
redis.call('HSET', KEYS[1], 'lockedAt', now, 'lockedBy', ARGV[1])
return 'OK'
LUA
cat > taken_r.lua <<'LUA'
if redis.call('HGET', KEYS[1], 'lockedBy') ~= ARGV[1] then return nil end
redis.call('HDEL', KEYS[1], 'lockedAt', 'lockedBy')
return 'OK'
LUA
init_finds taken 'KEYS[1] $lock  ARGV[1] $owner  ARGV[2] $now_ms  ARGV[3] $lease_ms' 'KEYS[1] $lock  ARGV[1] $owner'
init_writes taken 'lasting  = { "$lock" }' '-- within_lease = true,'
sed -i 's/-- within_lease/within_lease/' taken.lua
passes taken
