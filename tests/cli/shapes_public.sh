# shapes_public.sh - `locksim init` on shapes of public libraries in Go, Rust, .NET and Ruby: what it finds out, and
# that the scenario that it writes accuses nobody falsely.

# The fence is a text, and a part of the value, behind the owner.
cat > text_fence_a.lua <<'LUA'
local lock_key = KEYS[1]
local fence_key = KEYS[2]
if redis.call('EXISTS', lock_key) == 1 then return redis.status_reply('BUSY') end
local fence = redis.call('INCR', fence_key)
redis.call('SET', lock_key, ARGV[1] .. ':' .. fence, 'PX', ARGV[2])
return tostring(fence)
LUA
cat > text_fence_r.lua <<'LUA'
local v = redis.call('GET', KEYS[1])
if v and string.sub(v, 1, #ARGV[1] + 1) == ARGV[1] .. ':' then
  redis.call('DEL', KEYS[1])
  return redis.status_reply('OK')
end
return redis.error_reply('NOTOWNER not held by this token')
LUA
init_finds text_fence 'KEYS[1] $lock  KEYS[2] {$lock}:2  ARGV[1] $owner  ARGV[2] $lease_ms' \
    'KEYS[1] $lock  ARGV[1] $owner'
init_writes text_fence 'fencing  = true' 'lasting  = { "{$lock}:2" }' 'value:match("%d*%a%w*:%d+")'
run run text_fence.lua
ends 0 "text_fence: clients whose ids are in another order are owners, too"

# The channel in ARGV; the variable of the line before is not its name.
cat > lead_a.lua <<'LUA'
local leader = redis.call('GET', KEYS[1])
if not leader or leader == ARGV[1] then
  redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
  return {1, ARGV[1]}
end
return {0, leader}
LUA
cat > lead_r.lua <<'LUA'
local leader = redis.call('GET', KEYS[1])
if leader == ARGV[1] then redis.call('DEL', KEYS[1]) redis.call('PUBLISH', ARGV[2], 'resigned') return 1 end
return 0
LUA
init_finds lead 'KEYS[1] $lock  ARGV[1] $owner  ARGV[2] $lease_ms' 'KEYS[1] $lock  ARGV[1] $owner  ARGV[2] $channel'
init_writes lead 'wait     = "pubsub"'
init_passes lead

# A semaphore by the server's clock, whose key has a lease of its own: two of ARGV are a lease, and none is an instant.
cat > timed_a.lua <<'LUA'
redis.replicate_commands()
local t = redis.call('time')
local nowMillis = (tonumber(t[1]) * 1000.0) + (tonumber(t[2]) / 1000.0)
redis.call('zremrangebyscore', KEYS[1], '-inf', nowMillis)
if redis.call('zcard', KEYS[1]) < tonumber(ARGV[1]) then
  redis.call('zadd', KEYS[1], nowMillis + tonumber(ARGV[2]), ARGV[4])
  if redis.call('pttl', KEYS[1]) < tonumber(ARGV[3]) then redis.call('pexpire', KEYS[1], ARGV[3]) end
  return 1
end
return 0
LUA
echo "return redis.call('zrem', KEYS[1], ARGV[1])" > timed_r.lua
cat > timed_x.lua <<'LUA'
redis.replicate_commands()
local t = redis.call('time')
local nowMillis = (tonumber(t[1]) * 1000.0) + (tonumber(t[2]) / 1000.0)
local result = redis.call('zadd', KEYS[1], 'XX', 'CH', nowMillis + tonumber(ARGV[1]), ARGV[3])
if redis.call('pttl', KEYS[1]) < tonumber(ARGV[2]) then redis.call('pexpire', KEYS[1], ARGV[2]) end
return result
LUA
run init timed_a.lua timed_r.lua timed_x.lua -o timed.lua
ends 0 "timed"
check "timed: acquire" out_has 'ARGV[1] $limit  ARGV[2] $lease_ms  ARGV[3] $lease_ms  ARGV[4] $token'
check "timed: renew" out_has 'renew    timed_x.lua  KEYS[1] $lock  ARGV[1] $lease_ms  ARGV[2] $lease_ms  ARGV[3] $token'
check "timed: a renewal of its owner's alone" out_lacks 'does not compare the owner'
init_writes timed 'ends     = "$until_ms"' 'faults  = { pause = 1 }'
init_passes timed

# A renewal that takes the lock where it is free.
cat > retake_r.lua <<'LUA'
local val = redis.call('GET', KEYS[1])
if val == ARGV[1] then return redis.call('DEL', KEYS[1]) elseif val == false then return -1 else return 0 end
LUA
cat > retake_x.lua <<'LUA'
if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('PEXPIRE', KEYS[1], ARGV[2])
elseif redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2], 'NX') then return 1 else return 0 end
LUA
run init 'SET $lock $owner NX PX $lease_ms' retake_r.lua retake_x.lua -o retake.lua
ends 0 "retake"
check "retake: is told" out_has 'the renewal takes the lock where it is free'

# The time that ends a hold is stored beside its owner, and the key outlives it.
cat > field_a.lua <<'LUA'
local t = redis.call('time')
local now = t[1] * 1000 + math.floor(t[2] / 1000)
local e = redis.call('hget', KEYS[1], 'expires')
if e and tonumber(e) > now then return 0 end
redis.call('hset', KEYS[1], 'owner', ARGV[1], 'expires', now + ARGV[2])
redis.call('pexpire', KEYS[1], ARGV[2] * 2)
return 1
LUA
echo "if redis.call('hget', KEYS[1], 'owner') == ARGV[1] then return redis.call('del', KEYS[1]) end return 0" > field_r.lua
init_finds field 'KEYS[1] $lock  ARGV[1] $owner  ARGV[2] $lease_ms' 'KEYS[1] $lock  ARGV[1] $owner'
init_writes field 'local at = tonumber(redis.call("HGET", key, "expires"))' 'return at'
init_passes field

# Shapes of Spring Integration, Laravel's limiter, python-redis-lock, sherlock, go-zero, lock4j, ShedLock, Medallion's
# writer, resque's stored time-out and a list of slots.
same() { for name in "${@:2}"; do cp "$1" "$name"; done; }
finds() { run init "${@:2}" -o "$1.lua" && ends 0 "$1"; }
passes() { run run "$1.lua"; ends 0 "$1: all of its scenario"; }
cat > spring_a.lua <<'LUA'
local owner = redis.call('GET', KEYS[1])
if owner == ARGV[1] then redis.call('PEXPIRE', KEYS[1], ARGV[2]) return true end
if owner then return false end
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
return true
LUA
cat > spring_r.lua <<'LUA'
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return false end
redis.call('PUBLISH', ARGV[2], KEYS[1])
redis.call('UNLINK', KEYS[1])
return true
LUA
echo "if redis.call('GET', KEYS[1]) == ARGV[1] then redis.call('PEXPIRE', KEYS[1], ARGV[2]) return true end return false" > spring_x.lua
finds spring spring_a.lua spring_r.lua spring_x.lua
check "... its channel is told" out_has 'release  spring_r.lua  KEYS[1] $lock  ARGV[1] $owner  ARGV[2] $channel'
check "... its owner has it once" out_has 'granted 1, refused nil; its owner gets it again, and holds it once'
passes spring
cat > limiter_a.lua <<'LUA'
for i, value in pairs(redis.call('mget', unpack(KEYS))) do
  if not value then redis.call('set', KEYS[i], ARGV[3], 'EX', ARGV[2]) return ARGV[1] .. i end
end
LUA
echo "if redis.call('get', KEYS[1]) == ARGV[1] then return redis.call('del', KEYS[1]) end return 0" > limiter_r.lua
init_finds limiter 'KEYS[1] $lock  ARGV[1] $lock  ARGV[2] $lease_s  ARGV[3] $owner  (any number of KEYS)' \
    'KEYS[1] $lock  ARGV[1] $owner'
init_writes limiter 'granted  = "$lock1"'
passes limiter
cat > signal_r.lua <<'LUA'
if redis.call('get', KEYS[1]) ~= ARGV[1] then return 1 end
redis.call('del', KEYS[2])
redis.call('lpush', KEYS[2], 1)
redis.call('pexpire', KEYS[2], ARGV[2])
redis.call('del', KEYS[1])
return 0
LUA
cat > signal_x.lua <<'LUA'
if redis.call('get', KEYS[1]) ~= ARGV[1] then return 1 end
if redis.call('ttl', KEYS[1]) < 0 then return 2 end
redis.call('expire', KEYS[1], ARGV[2])
return 0
LUA
finds signal 'SET $lock $token NX EX $lease_s' signal_r.lua signal_x.lua
check "... 0 frees" grep -qF 'released = 0' signal.lua
passes signal
cat > sherlock_a.lua <<'LUA'
local result = redis.call('SETNX', KEYS[1], ARGV[1])
if result == 1 and ARGV[2] ~= '-1' then redis.call('EXPIRE', KEYS[1], ARGV[2]) end
return result
LUA
same limiter_r.lua sherlock_r.lua zero_r.lua writer_r.lua
cat > sherlock_x.lua <<'LUA'
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
if ARGV[2] ~= '-1' then redis.call('EXPIRE', KEYS[1], ARGV[2]) else redis.call('PERSIST', KEYS[1]) end
return 1
LUA
finds sherlock sherlock_a.lua sherlock_r.lua sherlock_x.lua
check "... its lease is in seconds" out_has 'acquire  sherlock_a.lua  KEYS[1] $lock  ARGV[1] $owner  ARGV[2] $lease_s'
passes sherlock
cat > zero_a.lua <<'LUA'
if redis.call('GET', KEYS[1]) == ARGV[1] then
  redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
  return 'OK'
end
return redis.call('SET', KEYS[1], ARGV[1], 'NX', 'PX', ARGV[2])
LUA
init_finds zero 'KEYS[1] $lock  ARGV[1] $owner  ARGV[2] $lease_ms' 'KEYS[1] $lock  ARGV[1] $owner'
passes zero
echo "return redis.call('get', KEYS[1]) == ARGV[1] and redis.call('del', KEYS[1]) == 1 or false" > and_r.lua
finds and 'SET $lock $token NX PX $lease_ms' and_r.lua
passes and
# A release that may keep the lock for a while: how long nothing shows, and no lease is put there.
cat > shed_r.lua <<'LUA'
if redis.call('get', KEYS[1]) ~= ARGV[1] then return 0 end
if tonumber(ARGV[2]) > 0 then return redis.call('pexpire', KEYS[1], ARGV[2]) end
return redis.call('del', KEYS[1])
LUA
finds shed 'SET $lock $token NX PX $lease_ms' shed_r.lua
check "... how long it is kept is asked for" out_has 'release  shed_r.lua  KEYS[1] $lock  ARGV[1] $token  ARGV[2] ?'
sed -i 's/"?" }/0 }/' shed.lua
passes shed
cat > writer_a.lua <<'LUA'
local writer = redis.call('get', KEYS[1])
if writer and writer ~= ARGV[3] then return 0 end
if redis.call('scard', KEYS[2]) == 0 then redis.call('set', KEYS[1], ARGV[1], 'px', ARGV[2]) return 1 end
redis.call('set', KEYS[1], ARGV[3], 'px', ARGV[2])
return 0
LUA
init_finds writer 'KEYS[1] $lock  KEYS[2] {$lock}:2  ARGV[1] $owner  ARGV[2] $lease_ms  ARGV[3] ?' 'KEYS[1] $lock  ARGV[1] $owner'
sed -i 's/"?" }/"waits:$owner" }/' writer.lua
passes writer
# The lease ends by the client's clock: a client that counts it from its question is not accused.
cat > lonely_a.lua <<'LUA'
if redis.call('hsetnx', KEYS[1], 'owner', ARGV[1]) == 1 then redis.call('hset', KEYS[1], 'timeout', ARGV[3]) return 1 end
if tonumber(redis.call('hget', KEYS[1], 'timeout')) >= tonumber(ARGV[2]) then return 0 end
redis.call('hmset', KEYS[1], 'owner', ARGV[1], 'timeout', ARGV[3])
return 1
LUA
echo "if redis.call('hget', KEYS[1], 'owner') == ARGV[1] then return redis.call('del', KEYS[1]) end return 0" > lonely_r.lua
init_finds lonely 'KEYS[1] $lock  ARGV[1] $owner  ARGV[2] $now_ms  ARGV[3] $until_ms' 'KEYS[1] $lock  ARGV[1] $owner'
check "... is told whose clock ends it" out_has "note     the lease ends by the client's clock"
run run lonely.lua
check "... a client that counts it from the grant has it too long" out_has 'mutual_exclusion  LK001'
sed -i 's/^  wait  /  within_lease = true,\n  wait  /' lonely.lua
run run lonely.lua
check "... one that counts it from there is not accused of it" out_lacks 'LK001'
check "... nor of a lease that differs" out_lacks 'LK031'
# The client's deadline goes to the server: a request that comes too late is answered OK, and its key is gone at once.
cat > until_a.lua <<'LUA'
local r = redis.call('SET', KEYS[1], ARGV[1], 'NX', 'GET', 'PXAT', ARGV[2])
if r == ARGV[1] then return redis.call('PEXPIREAT', KEYS[1], ARGV[2]) end
if not r then return 1 end
return 0
LUA
echo "if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end return 0" > until_r.lua
init_finds until 'KEYS[1] $lock  ARGV[1] $owner  ARGV[2] $until_ms' 'KEYS[1] $lock  ARGV[1] $owner'
run run until.lua
check "... a client that does not look at its clock again believes in it" out_has 'mutual_exclusion  LK001'
sed -i 's/^  wait  /  within_lease = true,\n  wait  /' until.lua
passes until
# A slot of a row is no refusal for who asks next; a release whose one key is the acquire's first.
cat > row_a.lua <<'LUA'
if redis.call('setnx', KEYS[2], '1') == 1 then
  for i = 1, tonumber(ARGV[1]) do redis.call('rpush', KEYS[1], 'slot' .. i) end
end
return redis.call('lpop', KEYS[1])
LUA
echo "return redis.call('lpush', KEYS[1], ARGV[1])" > row_r.lua
run init row_a.lua row_r.lua -o row.lua
ends 65 "slots of a row"
check "... are what the acquire answered" err_has 'row_r.lua:1: error[scenario]: ARGV[1] has to be what the acquire answered'
sed -i 's/tonumber(ARGV\[1\])/2/' row_a.lua
run init row_a.lua row_r.lua -o row.lua
ends 65 "... as many as the script says"
check "... are no refusal" err_has 'a second owner hears the next of a row'
# Several permits at a time, a member each: what ends them is their score.
cat > batch_a.lua <<'LUA'
local limit, count, id, lease, now = tonumber(ARGV[1]), tonumber(ARGV[2]), ARGV[3], tonumber(ARGV[4]), tonumber(ARGV[5])
redis.call('zremrangebyscore', KEYS[1], '-inf', now - lease)
if redis.call('zcard', KEYS[1]) + count > limit then return 0 end
for i = 0, count - 1 do redis.call('zadd', KEYS[1], now, id .. '_' .. i) end
redis.call('pexpire', KEYS[1], lease)
return 1
LUA
cat > batch_r.lua <<'LUA'
local gone = 0
for i = 0, tonumber(ARGV[1]) - 1 do gone = gone + redis.call('zrem', KEYS[1], ARGV[2] .. '_' .. i) end
return gone
LUA
cat > batch_x.lua <<'LUA'
local limit, count, id, lease, now = tonumber(ARGV[1]), tonumber(ARGV[2]), ARGV[3], tonumber(ARGV[4]), tonumber(ARGV[5])
redis.call('zremrangebyscore', KEYS[1], '-inf', now - lease)
if not redis.call('zscore', KEYS[1], id .. '_0') then return 0 end
for i = 0, count - 1 do redis.call('zadd', KEYS[1], now, id .. '_' .. i) end
redis.call('pexpire', KEYS[1], lease)
return 1
LUA
finds batch batch_a.lua batch_r.lua batch_x.lua
check "... its score ends it" grep -qF 'tonumber(redis.call("ZSCORE", key, owner .. "_0"))' batch.lua
run run batch.lua --pinned
ends 0 "... and no client is accused when its permit runs out"
check "... with a pause" out_has 'PASS  batch.lua:pause'
