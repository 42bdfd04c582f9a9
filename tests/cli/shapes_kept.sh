# shapes_kept.sh - `locksim init` on scripts that keep their owner, their count, their key or the time in ways of their
# own: what it finds out, and what the scenario that it writes says.

# The owner in JSON that is the value, and a clock in it, which is told by its distance from now.
cat > text_a.lua <<'LUA'
local req = cjson.decode(ARGV[1])
local raw = redis.call('GET', KEYS[1])
if raw then
  local cur = cjson.decode(raw)
  if cur.owner ~= req.owner then return cjson.encode({ status = 'busy', owner = cur.owner }) end
end
redis.call('SET', KEYS[1], cjson.encode({ owner = req.owner, since = req.now }), 'PX', req.ttlMs)
return cjson.encode({ status = 'ok' })
LUA
cat > text_r.lua <<'LUA'
local req = cjson.decode(ARGV[1])
local raw = redis.call('GET', KEYS[1])
if not raw then return cjson.encode({ status = 'gone' }) end
if cjson.decode(raw).owner ~= req.owner then return cjson.encode({ status = 'foreign' }) end
redis.call('DEL', KEYS[1])
return cjson.encode({ status = 'ok' })
LUA
init_finds text 'KEYS[1] $lock  ARGV[1] {"owner":"$owner","now":$now_ms,"ttlMs":$lease_ms}*' 'KEYS[1] $lock  ARGV[1] {"owner":"$owner"}'
init_writes text "value:match('\"owner\":\"([^\"\\\\/]*)')" 'spec     = "idempotent_mutex"'
check "text: all of its times are searched" bash -c '! grep -q explore text.lua'
init_passes text

# The owner in MessagePack; a grant tells how many holds there are; where they are counted nobody sees.
cat > pack_a.lua <<'LUA'
local key, id, ttl = KEYS[1], ARGV[1], tonumber(ARGV[2])
local raw = redis.call('GET', key)
if raw then
  local o = cmsgpack.unpack(raw)
  if o[1] ~= id then return nil end
  redis.call('SET', key, cmsgpack.pack({ id, o[2] + 1 }), 'PX', ttl)
  return o[2] + 1
end
redis.call('SET', key, cmsgpack.pack({ id, 1 }), 'PX', ttl)
return 1
LUA
cat > pack_r.lua <<'LUA'
local raw = redis.call('GET', KEYS[1])
if not raw then return nil end
local o = cmsgpack.unpack(raw)
if o[1] ~= ARGV[1] then return nil end
if o[2] > 1 then
  redis.call('SET', KEYS[1], cmsgpack.pack({ o[1], o[2] - 1 }), 'PX', ARGV[2])
  return o[2] - 1
end
redis.call('DEL', KEYS[1])
return 0
LUA
init_finds pack 'KEYS[1] $lock  ARGV[1] $owner  ARGV[2] $lease_ms' 'KEYS[1] $lock  ARGV[1] $owner  ARGV[2] $lease_ms'
init_writes pack 'value:match("%d*%a%w*:%d+")' 'type(reply) == "number" and reply > 0' 'spec     = "none"'
init_passes pack

# A list of what stands in the way: an empty one grants.
cat > list_a.lua <<'LUA'
local blocked = {}
for i = 1, #KEYS do
  local v = redis.call('GET', KEYS[i])
  if v and v ~= ARGV[1] then blocked[#blocked + 1] = KEYS[i] end
end
if #blocked > 0 then return blocked end
for _, k in ipairs(KEYS) do redis.call('PSETEX', k, ARGV[2], ARGV[1]) end
return blocked
LUA
cat > list_r.lua <<'LUA'
local freed = 0
for _, k in ipairs(KEYS) do
  if redis.call('GET', k) == ARGV[1] then freed = freed + redis.call('DEL', k) end
end
return freed
LUA
init_finds list 'KEYS[1] $lock  KEYS[2] {$lock}:2  ARGV[1] $owner  ARGV[2] $lease_ms' 'KEYS[1] $lock  KEYS[2] {$lock}:2  ARGV[1] $owner'
init_writes list '#reply == 0'
init_passes list

# KEYS by unpack, and a grant whose token the release wants back.
cat > pair_a.lua <<'LUA'
local function busy() return {false, redis.call('PTTL', KEYS[1])} end
local lockKey, counterKey = unpack(KEYS)
if redis.call('EXISTS', lockKey) == 1 then return busy() end
local token = redis.call('INCR', counterKey)
redis.call('HSET', lockKey, 'owner', ARGV[1], 'token', token)
redis.call('PEXPIRE', lockKey, ARGV[2])
return {token, tonumber(ARGV[2])}
LUA
cat > pair_r.lua <<'LUA'
local function mine() return redis.call('HGET', KEYS[1], 'token') == ARGV[1] end
if mine() then redis.call('DEL', KEYS[1]) return true end
return false
LUA
init_finds pair 'KEYS[1] $lock  KEYS[2] {$lock}:2  ARGV[1] $owner  ARGV[2] $lease_ms' 'KEYS[1] $lock  ARGV[1] $reply[1]'
init_writes pair 'reply[1] ~= false' 'lasting  = { "{$lock}:2" }'
init_passes pair

# The owner in one field of a hash, how often it has it in another.
cat > field_a.lua <<'LUA'
local key = KEYS[1]
local me, ttl = ARGV[2], ARGV[1]
local owner = redis.call('HGET', key, 'owner')
if owner == false then
  redis.call('HSET', key, 'owner', me, 'count', 1)
  redis.call('PEXPIRE', key, ttl)
  return -1
elseif owner == me then
  redis.call('HINCRBY', key, 'count', 1)
  redis.call('PEXPIRE', key, ttl)
  return -1
end
return redis.call('PTTL', key)
LUA
cat > field_r.lua <<'LUA'
local key, chan = KEYS[1], KEYS[2]
if redis.call('HGET', key, 'owner') ~= ARGV[1] then return -1 end
local n = redis.call('HINCRBY', key, 'count', -1)
if n <= 0 then
  redis.call('DEL', key)
  redis.call('PUBLISH', chan, 'unlocked')
  return 0
end
return n
LUA
init_finds field 'KEYS[1] $lock  ARGV[1] $lease_ms  ARGV[2] $owner' 'KEYS[1] $lock  KEYS[2] $channel  ARGV[1] $owner'
init_writes field '[value] = tonumber(redis.call("HGET", key, "count"))' 'still_held = 1' 'granted  = -1'
sed -i '/faults  =/d' field.lua
init_passes field

# How often its owner has it in a key of its own.
cat > beside_a.lua <<'LUA'
local lock, holds = KEYS[1], KEYS[2]
local cur = redis.call('get', lock)
if cur == false or cur == ARGV[1] then
  redis.call('set', lock, ARGV[1])
  redis.call('incr', holds)
  redis.call('pexpire', lock, ARGV[2])
  redis.call('pexpire', holds, ARGV[2])
  return { ok = 'LOCKED' }
end
return { err = 'BUSY' }
LUA
cat > beside_r.lua <<'LUA'
if redis.call('get', KEYS[1]) ~= ARGV[1] then return { err = 'NOTYOURS' } end
if redis.call('decr', KEYS[2]) > 0 then return { ok = 'STILL' } end
redis.call('del', KEYS[1], KEYS[2])
return { ok = 'FREE' }
LUA
init_finds beside 'KEYS[1] $lock  KEYS[2] {$lock}:2  ARGV[1] $owner  ARGV[2] $lease_ms' 'KEYS[1] $lock  KEYS[2] {$lock}:2  ARGV[1] $owner'
init_writes beside '[value] = tonumber(redis.call("GET", "{" .. key .. "}:2") or 1)' 'still_held = "STILL"'
init_passes beside

# A counter is a semaphore whose permits have no names.
cat > number_a.lua <<'LUA'
local current = tonumber(redis.call('get', KEYS[1]) or '0')
if current >= tonumber(ARGV[1]) then return false end
current = redis.call('incr', KEYS[1])
redis.call('expire', KEYS[1], ARGV[2])
return current
LUA
cat > number_r.lua <<'LUA'
local v = tonumber(redis.call('get', KEYS[1]) or '0')
if v > 0 then return redis.call('decr', KEYS[1]) end
return 0
LUA
init_finds number 'KEYS[1] $lock  ARGV[1] $limit  ARGV[2] $lease_s' 'KEYS[1] $lock'
init_writes number 'holder   = "count"' 'limit    = 1'
# A late release gives back another's permit: that shows by a third client.
init_writes number 'clients = { "A", "B", "C" }'
run run number.lua --pinned
ends 1 "number: a late release"
check "number: is told" out_has LK001
sed 's/limit    = 1,/limit    = 2,/; s/clients = .*/clients = { "A", "B", "C" },/; /faults  =/d' number.lua > two.lua
init_passes two
sed '/limit    = 1,/d' number.lua > none.lua
run run none.lua
ends 65 "a count without a limit"
check "a count without a limit: said" out_has 'holder = "count" needs limit = n'

# A name made of ARGV: the key is found, and that no KEYS declares it is told.
cat > prefix_a.lua <<'LUA'
local prefix, name, uuid, seconds = ARGV[1], ARGV[2], ARGV[3], ARGV[4]
local key = prefix .. ':' .. name
if redis.call('setnx', key, uuid) == 1 then
  redis.call('expire', key, seconds)
  return 1
end
return 0
LUA
cat > prefix_r.lua <<'LUA'
local key = ARGV[1] .. ':' .. ARGV[2]
if redis.call('get', key) == ARGV[3] then return redis.call('del', key) end
return 0
LUA
init_finds prefix 'ARGV[1] lock  ARGV[2] $lock  ARGV[3] $owner  ARGV[4] $lease_s' 'ARGV[1] lock  ARGV[2] $lock  ARGV[3] $owner'
init_writes prefix 'key      = "lock:$lock"' 'holder   = "string value"'
run run prefix.lua --pinned
check "prefix: the key is not declared" out_has "used a key that it did not declare"
check "prefix: and nothing else" out_lacks LK0[0134]

# Names made of KEYS[1], and ARGV by another name.
cat > made_a.lua <<'LUA'
local name, args = KEYS[1], ARGV
local owner, count = name .. ':owner', name .. ':count'
local who = redis.call('GET', owner)
if who and who ~= args[1] then return -1 end
redis.call('SET', owner, args[1], 'PX', args[2])
redis.call('INCR', count)
redis.call('PEXPIRE', count, args[2])
return tonumber(redis.call('GET', count))
LUA
cat > made_r.lua <<'LUA'
local owner, count = KEYS[1] .. ':owner', KEYS[1] .. ':count'
if redis.call('GET', owner) ~= ARGV[1] then return -1 end
local left = redis.call('DECR', count)
if left == 0 then redis.call('DEL', owner, count) end
return left
LUA
init_finds made 'KEYS[1] $lock  ARGV[1] $owner  ARGV[2] $lease_ms' 'KEYS[1] $lock  ARGV[1] $owner'
init_writes made 'key      = "$lock:owner"' 'type(reply) == "number" and reply > 0'
run run made.lua --pinned
check "made: the keys are not declared" out_has "used a key that it did not declare"
check "made: and nothing else" out_lacks LK0[0134]

# A release that answers nil to every client tells none a lie.
cat > silent_a.lua <<'LUA'
local holder = redis.call("get", KEYS[1])
if holder and holder ~= ARGV[1] then return holder end
redis.call("set", KEYS[1], ARGV[1], "px", ARGV[2])
LUA
cat > silent_r.lua <<'LUA'
if redis.call("get", KEYS[1]) == ARGV[1] then redis.call("del", KEYS[1]) end
LUA
init_finds silent 'KEYS[1] $lock  ARGV[1] $owner  ARGV[2] $lease_ms' 'KEYS[1] $lock  ARGV[1] $owner'
init_writes silent 'released = false'
init_passes silent
sed 's/released = false/released = function() return true end/' silent.lua > liar.lua
run run liar.lua --pinned
ends 1 "one that says \"released\" does"
check "one that says \"released\": an idempotent lock" out_has 'an idempotent_mutex lock says "not the owner"'

# A semaphore by the server's seconds: a search of all states takes long.
cat > seconds_a.lua <<'LUA'
redis.replicate_commands()
local clock = redis.call('TIME')
local now = tonumber(clock[1]) + tonumber(clock[2]) / 1000000
local key = KEYS[1]
local maxConcurrency = tonumber(ARGV[2])
local expiresIn = tonumber(ARGV[3])
redis.call('ZREMRANGEBYSCORE', key, '-inf', now)
local score = redis.call('ZSCORE', key, ARGV[1])
local n = redis.call('ZCARD', key)
if score or n < maxConcurrency then
  redis.call('ZADD', key, now + expiresIn, ARGV[1])
  redis.call('EXPIRE', key, math.ceil(expiresIn))
  return {1, maxConcurrency - n}
end
return {0, 0}
LUA
cat > seconds_r.lua <<'LUA'
local n = redis.call('ZREM', KEYS[1], ARGV[1])
redis.call('LPUSH', KEYS[2], 1)
redis.call('EXPIRE', KEYS[2], 60)
return n
LUA
init_finds seconds 'KEYS[1] $lock  ARGV[1] $token  ARGV[2] $limit  ARGV[3] $lease_s' 'KEYS[1] $lock  KEYS[2] {$lock}:2  ARGV[1] $token'
init_writes seconds 'explore = { random = 10000 }' 'limit    = 1'
sed '/explore = /d' seconds.lua > all.lua
run run all.lua --max-states 1000 --verbose
ends 2 "a search of all its states, that is cut"
check "looks everything up" out_lacks 'time of day is a part'
sed -i 's/random = 10000/random = 300/' seconds.lua
init_passes seconds

# An array that begins with a time to wait, and grants by it.
cat > wait_a.lua <<'LUA'
local key, now, ttl, id, max = KEYS[1], tonumber(ARGV[1]), tonumber(ARGV[2]), ARGV[3], tonumber(ARGV[4])
redis.call('ZREMRANGEBYSCORE', key, '-inf', '(' .. now)
local n = redis.call('ZCARD', key)
if n >= max then
  local first = redis.call('ZRANGE', key, 0, 0, 'WITHSCORES')
  return { tonumber(first[2]) - now, 0 }
end
redis.call('ZADD', key, now + ttl, id)
redis.call('PEXPIREAT', key, now + ttl + 1000)
return { 0, max - n - 1 }
LUA
cat > wait_r.lua <<'LUA'
return redis.call('ZREM', KEYS[1], ARGV[1])
LUA
init_finds wait 'KEYS[1] $lock  ARGV[1] $now_ms  ARGV[2] $lease_ms  ARGV[3] $token  ARGV[4] $limit' 'KEYS[1] $lock  ARGV[1] $token'
init_writes wait 'granted  = { 0 }'
run run wait.lua --pinned
ends 1 "wait: a client that took its time and then slept is granted what is over at once"
check "wait: told as that" out_has LK040

# A deadline in seconds: one in milliseconds would make a key that lives for ages.
cat > unit_a.lua <<'LUA'
local id, expires_at, now = ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[3])
local raw = redis.call('HGETALL', KEYS[1])
if #raw > 0 then
  local h = {}
  for i = 1, #raw, 2 do h[raw[i]] = raw[i + 1] end
  if tonumber(h.expires_at) > now and h.id ~= id then return false end
end
redis.call('HSET', KEYS[1], 'id', id, 'expires_at', expires_at)
redis.call('EXPIREAT', KEYS[1], expires_at)
return true
LUA
cat > unit_r.lua <<'LUA'
if redis.call('HGET', KEYS[1], 'id') == ARGV[1] then redis.call('DEL', KEYS[1]) return true end
return false
LUA
init_finds unit 'KEYS[1] $lock  ARGV[1] $owner  ARGV[2] $until_s  ARGV[3] $now_s' 'KEYS[1] $lock  ARGV[1] $owner'

# The deadline is the value, and its key lives for so many seconds: an ARGV in milliseconds would make it live for ages.
cat > once_a.lua <<'LUA'
local deadline = redis.call('GET', KEYS[1])
if deadline and tonumber(deadline) > tonumber(ARGV[1]) then
  return tonumber(deadline) - tonumber(ARGV[1])
end
redis.call('SETEX', KEYS[1], ARGV[2], tonumber(ARGV[1]) + tonumber(ARGV[2]))
return nil
LUA
echo "return redis.call('DEL', KEYS[1])" > once_r.lua
init_finds once 'KEYS[1] $lock  ARGV[1] $now_s  ARGV[2] $lease_s' 'KEYS[1] $lock'

# What stays unknown is called by the script's own name for it; a grant that names its owner is told as that.
cat > own_a.lua <<'LUA'
local locked, digests = KEYS[1], KEYS[2]
local job_id, pttl, lock_type, score = ARGV[1], tonumber(ARGV[2]), ARGV[3], ARGV[4]
if redis.call('HEXISTS', locked, job_id) == 1 then return job_id end
if redis.call('HLEN', locked) >= 1 then return redis.call('HKEYS', locked)[1] end
if lock_type == 'until_expired' then
  redis.call('ZADD', 'expiring', pttl, locked)
else
  redis.call('ZADD', digests, score, locked)
end
redis.call('HSET', locked, job_id, 1)
redis.call('PEXPIRE', locked, pttl)
return job_id
LUA
cat > own_r.lua <<'LUA'
if redis.call('HDEL', KEYS[1], ARGV[1]) == 0 then return nil end
redis.call('ZREM', KEYS[2], KEYS[1])
return ARGV[1]
LUA
run init own_a.lua own_r.lua -o own.lua
ends 0 "an owner's own name"
check "its own or another's name: told" out_has "answers  granted its own name, refused another's"
check "which ARGV, by the script's name for it" out_has "(acquire's ARGV[3] (lock_type), ARGV[4] (score))"
check "so it is in the file" grep -qF -- "-- It is acquire's ARGV[3] (lock_type), ARGV[4] (score)." own.lua
run run own.lua
ends 65 "a question mark"
check "is named by its place" out_has 'args.acquire[3] is still "?"'

# A limiter tells what is left, one less each time: that is no refusal, and an error is no grant.
cat > bucket_a.lua <<'LUA'
local rate, capacity, now, requested = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3]), tonumber(ARGV[4])
local ttl = math.floor(capacity / rate * 2)
local left = tonumber(redis.call('get', KEYS[1])) or capacity
local since = math.max(0, now - (tonumber(redis.call('get', KEYS[2])) or 0))
left = math.min(capacity, left + since * rate)
local allowed = left >= requested
if allowed then left = left - requested end
redis.call('setex', KEYS[1], ttl, left)
redis.call('setex', KEYS[2], ttl, now)
return { allowed and 1 or 0, left }
LUA
run init bucket_a.lua unit_r.lua -o bucket.lua
ends 65 "a limiter"
check "is called one" err_has "is no lock"
check "and no scenario is written" test ! -e bucket.lua
