# shapes_more.sh - `locksim init` on scripts with numbered slots, names of keys made with a prefix, one text for all
# operations, and a queue that keeps its owner and those who wait in one key.

# A key for each permit, numbered: the grant is the number, and the release wants it back.
cat > slot_a.lua <<'LUA'
local base, id, slots, ttl = KEYS[1], ARGV[1], tonumber(ARGV[2]), ARGV[3]
for n = 1, slots do
  if redis.call('SET', base .. ':' .. n, id, 'NX', 'PX', ttl) then return n end
end
return nil
LUA
cat > slot_r.lua <<'LUA'
local slot = KEYS[1] .. ':' .. ARGV[2]
if redis.call('GET', slot) == ARGV[1] then
  redis.call('DEL', slot)
  return true
end
return false
LUA
init_finds slot 'KEYS[1] $lock  ARGV[1] $token  ARGV[2] $limit  ARGV[3] $lease_ms' 'KEYS[1] $lock  ARGV[1] $token  ARGV[2] $reply'
init_writes slot 'key      = "$lock:1"' 'local owner = redis.call("GET", key:sub(1, -2) .. permit)'
run run slot.lua --pinned
check "slot: the keys are not declared" out_has "used a key that it did not declare"
check "slot: and nothing else" out_lacks LK0[0134]
sed -i 's/limit    = 1/limit = 2/; s/permit = 1, 1/permit = 1, 2/; s/"A", "B" }/"A", "B", "C" }/
        s/program =/expect = { script_health = "violated" }, program =/; s/pause = 1/pause = 0/' slot.lua
run run slot.lua --pinned
ends 0 "slot: two permits, three clients"

# What comes first in a key's name may be any text, as long as both scripts get the same.
cat > ns_a.lua <<'LUA'
local ns, id, ttl = ARGV[1], ARGV[2], tonumber(ARGV[3])
local k = ns .. ':lock:' .. KEYS[1]
if redis.call('SET', k, id, 'EX', ttl, 'NX') then
  return {ok = 'LOCKED'}
end
return {ok = 'BUSY'}
LUA
cat > ns_r.lua <<'LUA'
local ns, id = ARGV[1], ARGV[2]
local k = ns .. ':lock:' .. KEYS[1]
if redis.call('GET', k) ~= id then return {ok = 'GONE'} end
redis.call('DEL', k)
return {ok = 'FREED'}
LUA
init_finds ns 'KEYS[1] $lock  ARGV[1] lock  ARGV[2] $owner  ARGV[3] $lease_s' 'KEYS[1] $lock  ARGV[1] lock  ARGV[2] $owner'
init_writes ns 'key      = "lock:lock:$lock"' 'granted  = "LOCKED"' 'released = "FREED"'
run run ns.lua --pinned
check "ns: the key is not declared" out_has "used a key that it did not declare"
check "ns: and nothing else" out_lacks LK0[0134]

# One script for acquire and release: what the other operation gets is left out.
cat > mode_a.lua <<'LUA'
local op = ARGV[1]
if op == 'lock' then
  if redis.call('SETNX', KEYS[1], ARGV[2]) == 1 then
    redis.call('EXPIRE', KEYS[1], ARGV[3])
    return 'OK'
  end
  return 'LOCKED'
elseif op == 'unlock' then
  if redis.call('GET', KEYS[1]) == ARGV[2] then return redis.call('DEL', KEYS[1]) end
  return 0
end
return redis.error_reply('unknown op')
LUA
cp mode_a.lua mode_r.lua
init_finds mode 'KEYS[1] $lock  ARGV[1] lock  ARGV[2] $owner  ARGV[3] $lease_s' 'KEYS[1] $lock  ARGV[1] unlock  ARGV[2] $owner'
check "mode: nothing is left to fill in" out_lacks '"?"'
init_passes mode

# A queue by tickets: its first is the owner, the others wait, and each request prolongs the lease of all.
cat > tick_a.lua <<'LUA'
local q, head, me_ = KEYS[1], KEYS[2], ARGV[1]
local s = redis.call('ZSCORE', q, me_)
if not s then
  s = redis.call('INCR', head)
  redis.call('ZADD', q, s, me_)
end
redis.call('PEXPIRE', q, ARGV[2])
redis.call('PEXPIRE', head, ARGV[2])
return redis.call('ZRANK', q, me_)
LUA
cat > tick_r.lua <<'LUA'
return redis.call('ZREM', KEYS[1], ARGV[1])
LUA
init_finds tick 'KEYS[1] $lock  KEYS[2] {$lock}:2  ARGV[1] $owner  ARGV[2] $lease_ms' 'KEYS[1] $lock  ARGV[1] $owner'
init_writes tick 'local first = redis.call("ZRANGE", key, 0, 0)[1]' 'spec     = "none"'
sed -i 's/faults  = { pause = 1 },//' tick.lua
run run tick.lua --pinned
ends 0 "tick: those who wait are no owners"
sed -i 's/me:work()/me:work() me:step()/; s/clients =/faults = { crash = 1 }, clients =/' tick.lua
run run tick.lua --pinned
ends 1 "tick: a dead owner"
check "tick: each request keeps it there" out_has 'B:1 waits for "order:42" for ever'
