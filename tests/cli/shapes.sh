# shapes.sh - `locksim init` on the shapes that public lock scripts have: what it finds out, and what the scenario that
# it writes says.

cat > idem_a.lua <<'LUA'
local lockClientId = redis.call('GET', KEYS[1])
if lockClientId == ARGV[1] then
  redis.call('PEXPIRE', KEYS[1], ARGV[2])
  return true
elseif not lockClientId then
  redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
  return true
end
return false
LUA
cat > idem_r.lua <<'LUA'
if redis.call('GET', KEYS[1]) == ARGV[1] then
  redis.call('DEL', KEYS[1])
  return true
end
return false
LUA
cat > err_a.lua <<'LUA'
local identifier = redis.call('get', KEYS[1])
if not identifier or identifier == ARGV[1] then
  return redis.call('set', KEYS[1], ARGV[1], 'PX', ARGV[2])
else
  return redis.error_reply('ERROR')
end
LUA
cat > err_r.lua <<'LUA'
local identifier = redis.call('get', KEYS[1])
if not identifier then
  return redis.status_reply('OK')
elseif identifier == ARGV[1] then
  return redis.call('del', KEYS[1])
else
  return redis.error_reply('ERROR')
end
LUA
cat > zero_a.lua <<'LUA'
if redis.call('set', KEYS[1], ARGV[1], 'NX', 'EX', ARGV[2]) then return 0 end
return 1
LUA
cat > zero_r.lua <<'LUA'
if redis.call('get', KEYS[1]) ~= ARGV[1] then return 1 end
redis.call('del', KEYS[2])
redis.call('lpush', KEYS[2], 1)
redis.call('pexpire', KEYS[2], ARGV[2])
redis.call('del', KEYS[1])
return 0
LUA
cat > ext_a.lua <<'LUA'
if (redis.call("exists", KEYS[1]) == 0 and ARGV[3] == "yes") or redis.call("get", KEYS[1]) == ARGV[1] then
  return redis.call("set", KEYS[1], ARGV[1], "PX", ARGV[2])
end
LUA
cat > ext_r.lua <<'LUA'
if redis.call("get", KEYS[1]) == ARGV[1] then
  return redis.call("del", KEYS[1])
else
  return 0
end
LUA
cat > multi_a.lua <<'LUA'
local function pexpire(ttl)
  for _, key in ipairs(KEYS) do redis.call("pexpire", key, ttl) end
end
local function canOverride(offset)
  local values = redis.call("mget", unpack(KEYS))
  for i = 1, #KEYS do
    if not values[i] or string.sub(values[i], 1, tonumber(offset)) ~= string.sub(ARGV[1], 1, tonumber(offset)) then return false end
  end
  return true
end
local args = {}
for i, key in ipairs(KEYS) do
  args[#args + 1] = key
  args[#args + 1] = ARGV[1]
end
if redis.call("msetnx", unpack(args)) ~= 1 then
  if not canOverride(ARGV[2]) then return false end
  redis.call("mset", unpack(args))
end
pexpire(ARGV[3])
return redis.status_reply("OK")
LUA
cat > multi_r.lua <<'LUA'
local values = redis.call("mget", unpack(KEYS))
for i, _ in ipairs(KEYS) do
  if values[i] ~= ARGV[1] then return false end
end
redis.call("del", unpack(KEYS))
return redis.status_reply("OK")
LUA
cat > who_a.lua <<'LUA'
local digest = KEYS[1]
local locked = KEYS[2]
local job_id = ARGV[1]
local pttl = tonumber(ARGV[2])
local lock_type = ARGV[3]
local limit = tonumber(ARGV[4])
if redis.call("HEXISTS", locked, job_id) == 1 then return job_id end
if redis.call("HLEN", locked) >= limit then return redis.call("GET", digest) end
redis.call("SET", digest, job_id)
redis.call("HSET", locked, job_id, "1")
if lock_type == "until_expired" and pttl > 0 then
  redis.call("PEXPIRE", digest, pttl)
  redis.call("PEXPIRE", locked, pttl)
end
return job_id
LUA
cat > who_r.lua <<'LUA'
local digest = KEYS[1]
local locked = KEYS[2]
local job_id = ARGV[1]
if redis.call("HEXISTS", locked, job_id) ~= 1 then return nil end
redis.call("HDEL", locked, job_id)
redis.call("DEL", digest)
return job_id
LUA
cat > semc_a.lua <<'LUA'
local key = KEYS[1]
local limit = tonumber(ARGV[1])
local identifier = ARGV[2]
local lockTimeout = tonumber(ARGV[3])
local now = tonumber(ARGV[4])
local expiredTimestamp = now - lockTimeout
redis.call('zremrangebyscore', key, '-inf', expiredTimestamp)
if redis.call('zcard', key) < limit then
  redis.call('zadd', key, now, identifier)
  redis.call('pexpire', key, lockTimeout)
  return 1
else
  return 0
end
LUA
cat > semc_r.lua <<'LUA'
return redis.call('zrem', KEYS[1], ARGV[1])
LUA
cat > dead_a.lua <<'LUA'
local held = redis.call('GET', KEYS[1])
if held and tonumber(held) > tonumber(ARGV[1]) then return {0, false} end
redis.call('SET', KEYS[1], ARGV[2])
if held then return {2, redis.call('GET', KEYS[2])} end
return {1, redis.call('GET', KEYS[2])}
LUA
cat > dead_r.lua <<'LUA'
return redis.call('del', KEYS[1])
LUA
cat > cnt_a.lua <<'LUA'
local lock = KEYS[1]
local owner = ARGV[1]
local ttl = ARGV[2]
if redis.call('exists', lock) == 0 then
  redis.call('hset', lock, owner, 1)
  redis.call('expire', lock, ttl)
  return 1
end
if redis.call('hexists', lock, owner) == 1 then
  redis.call('hincrby', lock, owner, 1)
  redis.call('expire', lock, ttl)
  return 1
end
return 0
LUA
cat > cnt_r.lua <<'LUA'
if redis.call('hexists', KEYS[1], ARGV[1]) == 0 then return nil end
local left = redis.call('hincrby', KEYS[1], ARGV[1], -1)
if left > 0 then redis.call('expire', KEYS[1], ARGV[2]) return 0 end
redis.call('del', KEYS[1])
return 1
LUA
cat > fence_a.lua <<'LUA'
if redis.call('exists', KEYS[1]) == 1 then return 0 end
local fence = redis.call('incr', KEYS[2])
redis.call('set', KEYS[1], ARGV[1], 'PX', ARGV[2])
return fence
LUA
cat > fence_r.lua <<'LUA'
if redis.call("get", KEYS[1]) == ARGV[1] then
  return redis.call("del", KEYS[1])
else
  return 0
end
LUA
cat > job_a.lua <<'LUA'
#!lua
local token = ARGV[1]
local duration = ARGV[2]
if redis.call("SET", KEYS[1], token, "PX", duration, "NX") then
  redis.call("SREM", KEYS[2], "x")
  return 1
end
return -2
LUA
cat > job_r.lua <<'LUA'
local cur = redis.call("GET", KEYS[1])
if not cur then return -2 end
if cur ~= ARGV[1] then return -6 end
redis.call("DEL", KEYS[1])
return 0
LUA
cat > arg_a.lua <<'LUA'
if redis.call('set', ARGV[1], ARGV[2], 'NX', 'PX', ARGV[3]) then return 'OK' end
return nil
LUA
cat > arg_r.lua <<'LUA'
if redis.call('get', ARGV[1]) == ARGV[2] then return redis.call('del', ARGV[1]) end return 0
LUA
cat > hv_a.lua <<'LUA'
if redis.call('exists', KEYS[1]) == 1 then return 0 end
redis.call('hmset', KEYS[1], 'owner', ARGV[1], 'since', ARGV[3])
redis.call('pexpire', KEYS[1], ARGV[2])
return 1
LUA
cat > hv_r.lua <<'LUA'
if redis.call('hget', KEYS[1], 'owner') ~= ARGV[1] then return 0 end
return redis.call('del', KEYS[1])
LUA
cat > queue_a.lua <<'LUA'
local lock, queue, id, lease, now = KEYS[1], KEYS[2], ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[3])
redis.call('zremrangebyscore', queue, '-inf', now)
if redis.call('get', lock) == id then return 1 end
redis.call('zadd', queue, 'nx', now + lease * 10, id)
local first = redis.call('zrange', queue, 0, 0)[1]
if redis.call('exists', lock) == 0 and first == id then
  redis.call('zrem', queue, id)
  redis.call('set', lock, id, 'px', lease)
  return 1
end
return 0
LUA
cat > queue_r.lua <<'LUA'
if redis.call("get", KEYS[1]) == ARGV[1] then
  return redis.call("del", KEYS[1])
else
  return 0
end
LUA
cat > json_a.lua <<'LUA'
local o = cjson.decode(ARGV[2])
if redis.call('set', KEYS[1], ARGV[1], 'NX', 'PX', o.ttl) then return {ok = 'DONE'} end
return {ok = 'BUSY'}
LUA
cat > json_r.lua <<'LUA'
if redis.call("get", KEYS[1]) == ARGV[1] then
  return redis.call("del", KEYS[1])
else
  return 0
end
LUA
cat > tmpl_a.lua <<'LUA'
<%= include "shared.lua" %>
return redis.call('set', KEYS[1], ARGV[1], 'NX')
LUA
cat > tmpl_r.lua <<'LUA'
if redis.call("get", KEYS[1]) == ARGV[1] then
  return redis.call("del", KEYS[1])
else
  return 0
end
LUA
cat > pack_a.lua <<'LUA'
local opts = cmsgpack.unpack(ARGV[2])
return redis.call('set', KEYS[1], ARGV[1], 'NX', 'PX', opts['lease'])
LUA
cat > pack_r.lua <<'LUA'
if redis.call("get", KEYS[1]) == ARGV[1] then
  return redis.call("del", KEYS[1])
else
  return 0
end
LUA

init_finds idem 'KEYS[1] $lock  ARGV[1] $owner  ARGV[2] $lease_ms' 'KEYS[1] $lock  ARGV[1] $owner'
init_writes idem 'granted  = 1' 'spec     = "idempotent_mutex"'
init_passes idem

init_finds err 'KEYS[1] $lock  ARGV[1] $owner  ARGV[2] $lease_ms' 'KEYS[1] $lock  ARGV[1] $owner'
init_writes err 'granted  = "OK"' 'refused  = "error"' 'released = 1'
init_passes err

init_finds zero 'KEYS[1] $lock  ARGV[1] $owner  ARGV[2] $lease_s' \
    'KEYS[1] $lock  KEYS[2] {$lock}:2  ARGV[1] $owner  ARGV[2] $lease_ms'
init_writes zero 'granted  = 0' 'released = 0'
init_passes zero

init_finds ext 'KEYS[1] $lock  ARGV[1] $owner  ARGV[2] $lease_ms  ARGV[3] yes' 'KEYS[1] $lock  ARGV[1] $owner'
init_writes ext '"$lease_ms", "yes" }'
init_passes ext

init_finds multi 'KEYS[1] $lock  KEYS[2] {$lock}:2  ARGV[1] $owner  ARGV[2] $#owner  ARGV[3] $lease_ms  (any number of KEYS)' \
    'KEYS[1] $lock  KEYS[2] {$lock}:2  ARGV[1] $owner  (any number of KEYS)'
init_passes multi

init_finds who 'KEYS[1] {$lock}:1  KEYS[2] $lock  ARGV[1] $token  ARGV[2] $lease_ms  ARGV[3] until_expired  ARGV[4] $limit' \
    'KEYS[1] {$lock}:1  KEYS[2] $lock  ARGV[1] $token'
init_writes who 'granted  = "$token"' 'limit    = 1' 'holder   = "hash field"'
init_passes who

init_finds semc 'KEYS[1] $lock  ARGV[1] $limit  ARGV[2] $token  ARGV[3] $lease_ms  ARGV[4] $now_ms' \
    'KEYS[1] $lock  ARGV[1] $token'
init_writes semc 'limit    = 1' 'holder   = "sorted set member"'
init_passes semc

# It frees for any client, and its lease ends a millisecond early: a time that is reached is over there, and not for
# Redis.
init_finds dead 'KEYS[1] $lock  KEYS[2] {$lock}:2  ARGV[1] $now_ms  ARGV[2] $until_ms' 'KEYS[1] $lock'
init_writes dead 'granted  = function(reply) return reply[1] ~= 0 end' 'holder   = "nobody"'
check "dead: any release is told" out_has 'the release does not compare the owner'

init_finds cnt 'KEYS[1] $lock  ARGV[1] $owner  ARGV[2] $lease_s' 'KEYS[1] $lock  ARGV[1] $owner  ARGV[2] $lease_s'
init_writes cnt 'spec     = "reentrant"' 'still_held = 0' 'holder   = "hash field"'

init_finds fence 'KEYS[1] $lock  KEYS[2] {$lock}:2  ARGV[1] $owner  ARGV[2] $lease_ms' 'KEYS[1] $lock  ARGV[1] $owner'
init_writes fence 'fencing  = true' 'lasting  = { "{$lock}:2" }'
init_passes fence

init_finds job 'KEYS[1] $lock  KEYS[2] {$lock}:2  ARGV[1] $owner  ARGV[2] $lease_ms' 'KEYS[1] $lock  ARGV[1] $owner'
init_writes job 'granted  = 1' 'released = 0'
init_passes job

init_finds arg 'ARGV[1] $lock  ARGV[2] $owner  ARGV[3] $lease_ms' 'ARGV[1] $lock  ARGV[2] $owner'
run run arg.lua --pinned
check "arg: a key that is no KEYS is told" out_has LK050
check "arg: and nothing else" out_lacks LK0[0134]

init_finds hv 'KEYS[1] $lock  ARGV[1] $owner  ARGV[2] $lease_ms  ARGV[3] ?' 'KEYS[1] $lock  ARGV[1] $owner'
init_writes hv 'redis.call("HGET", key, "owner")'
sed -i 's/"?"/"$now_ms"/' hv.lua
init_passes hv

init_finds queue 'KEYS[1] $lock  KEYS[2] {$lock}:2  ARGV[1] $owner  ARGV[2] $lease_ms  ARGV[3] $now_ms*' \
    'KEYS[1] $lock  ARGV[1] $owner'
check "queue: what only a name tells is marked" out_has "the script's own variable is called so"

# Fields of JSON in ARGV are found by their names in the text.
init_finds json 'KEYS[1] $lock  ARGV[1] $owner  ARGV[2] {"ttl":$lease_ms}' 'KEYS[1] $lock  ARGV[1] $owner'
init_writes json 'granted  = "DONE"'
init_passes json
cat > jsons_a.lua <<'LUA'
local settings = cjson.decode(ARGV[3])
local now = tonumber(ARGV[2])
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now - settings['expiration'])
if redis.call('ZCARD', KEYS[1]) >= settings.maxConcurrent then return {0, redis.call('ZCARD', KEYS[1])} end
redis.call('ZADD', KEYS[1], now, ARGV[1])
redis.call('PEXPIRE', KEYS[1], settings['expiration'])
return {1, redis.call('ZCARD', KEYS[1])}
LUA
cp semc_r.lua jsons_r.lua
init_finds jsons 'KEYS[1] $lock  ARGV[1] $token  ARGV[2] $now_ms  ARGV[3] {"expiration":$lease_ms,"maxConcurrent":$limit}' \
    'KEYS[1] $lock  ARGV[1] $token'
init_writes jsons 'granted  = { 1 }' 'limit    = 1'
init_passes jsons
cat > jsonk_a.lua <<'LUA'
local o = cjson.decode(ARGV[1])
if redis.call('EXISTS', KEYS[1]) == 1 then return cjson.encode({ok = false}) end
redis.call('SET', KEYS[1], o.token, 'PX', o.ttl)
return cjson.encode({ok = true})
LUA
cp ext_r.lua jsonk_r.lua
init_finds jsonk 'KEYS[1] $lock  ARGV[1] {"token":"$owner","ttl":$lease_ms}' 'KEYS[1] $lock  ARGV[1] $owner'
init_passes jsonk
echo "for k, v in pairs(cjson.decode(ARGV[2])) do redis.call('hset', KEYS[1], k, v) end return 1" > jsonl_a.lua
run init jsonl_a.lua ext_r.lua -o jsonl.lua
ends 65 "JSON whose fields the text does not name"
check "JSON whose fields the text does not name: said" err_has 'JSON in ARGV[2], and its text names no field of it'

# Commands in the place of scripts.
cat > ext2_a.lua <<'LUA'
if redis.call("get", KEYS[1]) == ARGV[1] then
  redis.call("set", KEYS[1], ARGV[1], "PX", ARGV[2])
  redis.call("srem", KEYS[2], ARGV[3])
  return 1
end
return 0
LUA
run init 'SET $lock $owner NX PX $lease_ms' ext_r.lua ext2_a.lua -o cmd.lua
ends 0 "a command acquires"
check "a command acquires: what makes no difference to the renewal" \
    out_has 'ext2_a.lua  KEYS[1] $lock  KEYS[2] {$lock}:2  ARGV[1] $owner  ARGV[2] $lease_ms  ARGV[3] 0'
init_writes cmd 'acquire  = { "SET", "$lock", "$owner", "NX", "PX", "$lease_ms" }' 'granted  = "OK"'
init_passes cmd
run init semc_a.lua 'ZREM $lock $token' -o cmdr.lua
ends 0 "a command releases"
init_writes cmdr 'release  = { "ZREM", "$lock", "$token" }' 'limit    = 1'
init_passes cmdr
run init 'SET lock me NX' ext_r.lua -o cmdx.lua
ends 64 "a command without the lock"
run init 'SET $lock $who NX' ext_r.lua -o cmdx.lua
ends 64 "a command with an unknown word"
check "a command with an unknown word: said" err_has 'nothing is called $who'

# Redisson's copies: the release sets the lease again, by an ARGV of its own.
cat > sson_a.lua <<'LUA'
if (redis.call('exists', KEYS[1]) == 0) then
  redis.call('hset', KEYS[1], ARGV[1], 1) redis.call('pexpire', KEYS[1], ARGV[2]) return nil end
if (redis.call('hexists', KEYS[1], ARGV[1]) == 1) then
  redis.call('hincrby', KEYS[1], ARGV[1], 1) redis.call('pexpire', KEYS[1], ARGV[2]) return nil end
return redis.call('pttl', KEYS[1])
LUA
cat > sson_r.lua <<'LUA'
if (redis.call('hexists', KEYS[1], ARGV[3]) == 0) then return nil end
local counter = redis.call('hincrby', KEYS[1], ARGV[3], -1)
if (counter > 0) then redis.call('pexpire', KEYS[1], ARGV[2]) return 0
else redis.call('del', KEYS[1]) redis.call('publish', KEYS[2], ARGV[1]) return 1 end
LUA
init_finds sson 'KEYS[1] $lock  ARGV[1] $owner  ARGV[2] $lease_ms' \
    'KEYS[1] $lock  KEYS[2] $channel  ARGV[1] 0  ARGV[2] $lease_ms  ARGV[3] $owner'
init_writes sson 'spec     = "reentrant"' 'still_held = 0' 'wait     = "pubsub"'
cat > secs_a.lua <<'LUA'
local key, threadId, releaseTime = KEYS[1], ARGV[1], ARGV[2]
if redis.call('exists', key) == 0 or redis.call('hexists', key, threadId) == 1 then
  redis.call('hincrby', key, threadId, 1)
  redis.call('expire', key, releaseTime)
  return true
end
return false
LUA
cat > secs_r.lua <<'LUA'
local key, threadId, releaseTime = KEYS[1], ARGV[1], ARGV[2]
if redis.call('hexists', key, threadId) == 0 then return nil end
if redis.call('hincrby', key, threadId, -1) > 0 then redis.call('expire', key, releaseTime) return 0 end
return redis.call('del', key)
LUA
init_finds secs 'KEYS[1] $lock  ARGV[1] $owner  ARGV[2] $lease_s' 'KEYS[1] $lock  ARGV[1] $owner  ARGV[2] $lease_s'

# Read-write by type: the writer's side is a lock, the reader's side is named as what it is.
cat > rww_a.lua <<'LUA'
local now = redis.call('TIME')
now = now[1] * 1000 + math.floor(now[2] / 1000)
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now)
if redis.call('ZSCORE', KEYS[1], ARGV[2]) then
  if not redis.call('ZSCORE', KEYS[1], '__write__') and redis.call('ZCOUNT', KEYS[1], '-inf', '+inf') > 1 then return false end
elseif redis.call('ZCOUNT', KEYS[1], '-inf', '+inf') > 0 then
  return false
end
redis.call('ZADD', KEYS[1], now + ARGV[3], ARGV[2])
redis.call('ZADD', KEYS[1], now + ARGV[3], '__write__')
redis.call('PEXPIREAT', KEYS[1], redis.call('ZREVRANGE', KEYS[1], 0, 0, 'WITHSCORES')[2])
return true
LUA
cat > rww_r.lua <<'LUA'
if not redis.call('ZSCORE', KEYS[1], ARGV[1]) then return false end
redis.call('ZREM', KEYS[1], ARGV[1], '__write__')
return true
LUA
init_finds rww 'KEYS[1] $lock  ARGV[1] unused  ARGV[2] $owner  ARGV[3] $lease_ms' 'KEYS[1] $lock  ARGV[1] $owner'
init_writes rww 'if member ~= "__write__" then owners[member] = 1 end'
run run rww.lua --pinned
ends 1 "rww: its lease ends a millisecond early, as scores up to now are removed"
check "rww: told as that" out_has 'was promised until 1.000 s'
cat > rwr_a.lua <<'LUA'
if redis.call('TYPE', KEYS[1]).ok == 'string' then return false end
local now = redis.call('TIME')
now = now[1] * 1000 + math.floor(now[2] / 1000)
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now)
local added = redis.call('ZADD', KEYS[1], 'NX', now + ARGV[2], ARGV[1])
redis.call('PEXPIREAT', KEYS[1], redis.call('ZREVRANGE', KEYS[1], 0, 0, 'WITHSCORES')[2])
return added == 1
LUA
run init rwr_a.lua rww_r.lua -o rwr.lua
ends 65 "readers"
check "readers: said" err_has "the reader's side of a read-write lock, it seems"

# Several permits at once; a loop as long as its ARGV says is no endless trial.
cat > many_a.lua <<'LUA'
local key, limit, permits, id, timeout, now = KEYS[1], tonumber(ARGV[1]), tonumber(ARGV[2]), ARGV[3], tonumber(ARGV[4]), tonumber(ARGV[5])
local args = {}
redis.call('zremrangebyscore', key, '-inf', now - timeout)
if redis.call('zcard', key) + permits > limit then return 0 end
for i = 0, permits - 1 do
  table.insert(args, now)
  table.insert(args, id .. '_' .. i)
end
redis.call('zadd', key, unpack(args))
redis.call('pexpire', key, timeout)
return 1
LUA
cat > many_r.lua <<'LUA'
local args = {}
for i = 0, tonumber(ARGV[1]) - 1 do table.insert(args, ARGV[2] .. '_' .. i) end
return redis.call('zrem', KEYS[1], unpack(args))
LUA
RUN_CPU_SECONDS=20 init_finds many 'KEYS[1] $lock  ARGV[1] $limit  ARGV[2] 1  ARGV[3] $token  ARGV[4] $lease_ms  ARGV[5] $now_ms' \
    'KEYS[1] $lock  ARGV[1] 1  ARGV[2] $token'
init_writes many 'owners[member:sub(1, -3)] = 1'
init_passes many

# A slot of several, whose grant is the slot's name.
cat > slot_a.lua <<'LUA'
for index, value in pairs(redis.call('mget', unpack(KEYS))) do
  if not value then
    redis.call('set', KEYS[index], ARGV[3], 'EX', ARGV[2])
    return ARGV[1] .. index
  end
end
LUA
cp ext_r.lua slot_r.lua
init_finds slot 'KEYS[1] $lock  ARGV[1] $lock  ARGV[2] $lease_s  ARGV[3] $owner' 'KEYS[1] $lock  ARGV[1] $owner'
init_writes slot 'granted  = "$lock1"'
init_passes slot

# A limiter has no release.
run init semc_a.lua ext_r.lua -o none.lua
ends 65 "no release"
check "no release: the way out" err_has 'a limiter has none, and is no lock'

# On a terminal the user is asked.
cat > asked.py <<'PY'
import os, pty, sys
pid, fd = pty.fork()
if pid == 0:
    os.execv(sys.argv[1], sys.argv[1:])
said, answers = b"", [(b"or Enter: ", b"by $nobody\n"), (b"is called $nobody; known: ", b"$now_ms\n")]
while True:
    try:
        part = os.read(fd, 4096)
    except OSError:
        break
    said += part
    if answers and answers[0][0] in said:
        os.write(fd, answers.pop(0)[1])
    if not part:
        break
sys.exit(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
PY
/usr/bin/python3 asked.py "$LOCKSIM" init hv_a.lua hv_r.lua -o asked.lua > "$out" 2>&1
status=$?
ends 0 "asked on a terminal"
init_writes asked 'acquire = { "$owner", "$lease_ms", "$now_ms" }'

# What cannot be guessed, it says, with the place.
run init pack_a.lua pack_r.lua -o pack.lua
ends 65 "MessagePack in ARGV"
check "MessagePack in ARGV: where" err_has 'pack_a.lua:1:30: error[scenario]: the script takes MessagePack in ARGV'
run init tmpl_a.lua tmpl_r.lua -o tmpl.lua
ends 65 "a template"
check "a template: where" err_has "tmpl_a.lua:1:1: error[scenario]: the script does not compile: unexpected symbol near '<'"
check "a template: the way out" err_has '--render CMD'
run init tmpl_a.lua tmpl_r.lua -o tmpl.lua --render "sed '/<%/d'"
ends 0 "a template that is rendered"
init_writes tmpl 'acquire  = script.text("return redis.call'
check "no lease, no lease_ms" test "$(grep -c lease_ms tmpl.lua)" -eq 0
run run tmpl.lua --pinned
check "a lock without a lease: told" out_has LK031
run init tmpl_a.lua tmpl_r.lua -o other.lua --render false
ends 65 "a command that fails"
check "a command that fails: named" err_has "'false' does not render it: it failed"
run init tmpl_a.lua tmpl_r.lua -o other.lua --render true
check "a command that prints nothing" err_has "it printed nothing"

# Wrong scripts are no locks, however they are called.
echo "redis.call('set', KEYS[1], ARGV[1]) return 1" > all_a.lua
cp ext_r.lua all_r.lua
run init all_a.lua all_r.lua -o all.lua
ends 65 "every client is let in"
check "every client is let in: said" err_has 'a second owner hears the same'
echo "if redis.call('set', KEYS[1], ARGV[1], 'nx', 'px', ARGV[2]) then return 1 end return 0" > keep_a.lua
echo "return redis.call('get', KEYS[1])" > keep_r.lua
run init keep_a.lua keep_r.lua -o keep.lua
ends 65 "a release that frees nothing"
check "a release that frees nothing: said" err_has 'the script does not free the lock'
