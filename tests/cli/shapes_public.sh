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
