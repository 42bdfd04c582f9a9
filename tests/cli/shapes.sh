# shapes.sh - `locksim init` on the shapes that public lock scripts have: what it finds out, and what the scenario that
# it writes says.

# found NAME ACQUIRE RELEASE: these lines are told; the scenario is NAME.lua.
found() {
    run init "$1_a.lua" "$1_r.lua" -o "$1.lua"
    ends 0 "$1"
    check "$1: acquire" out_has "acquire  $1_a.lua  $2"
    check "$1: release" out_has "release  $1_r.lua  $3"
}
# writes NAME LINE...: lines of its table.
writes() {
    local name=$1 line
    shift
    for line in "$@"; do
        check "$name: $line" grep -qF -- "$line" "$name.lua"
    done
}
passes() {
    run run "$1.lua" --pinned
    ends 0 "$1: its scenario"
}
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

found idem 'KEYS[1] $lock  ARGV[1] $owner  ARGV[2] $lease_ms' 'KEYS[1] $lock  ARGV[1] $owner'
writes idem 'granted  = 1' 'spec     = "idempotent_mutex"'
passes idem

found err 'KEYS[1] $lock  ARGV[1] $owner  ARGV[2] $lease_ms' 'KEYS[1] $lock  ARGV[1] $owner'
writes err 'granted  = "OK"' 'refused  = "error"' 'released = 1'
passes err

found zero 'KEYS[1] $lock  ARGV[1] $owner  ARGV[2] $lease_s' \
    'KEYS[1] $lock  KEYS[2] {$lock}:2  ARGV[1] $owner  ARGV[2] $lease_ms'
writes zero 'granted  = 0' 'released = 0'
passes zero

found ext 'KEYS[1] $lock  ARGV[1] $owner  ARGV[2] $lease_ms  ARGV[3] yes' 'KEYS[1] $lock  ARGV[1] $owner'
writes ext '"$lease_ms", "yes" }'
passes ext

found multi 'KEYS[1] $lock  ARGV[1] $owner  ARGV[2] $#owner  ARGV[3] $lease_ms  (any number of KEYS)' \
    'KEYS[1] $lock  ARGV[1] $owner  (any number of KEYS)'
passes multi

found who 'KEYS[1] {$lock}:1  KEYS[2] $lock  ARGV[1] $token  ARGV[2] $lease_ms  ARGV[3] until_expired  ARGV[4] $limit' \
    'KEYS[1] {$lock}:1  KEYS[2] $lock  ARGV[1] $token'
writes who 'granted  = "$token"' 'limit    = 1' 'holder   = "hash field"'
passes who

found semc 'KEYS[1] $lock  ARGV[1] $limit  ARGV[2] $token  ARGV[3] $lease_ms  ARGV[4] $now_ms' \
    'KEYS[1] $lock  ARGV[1] $token'
writes semc 'limit    = 1' 'holder   = "sorted set member"'
passes semc

# It frees whoever asks, and its lease ends a millisecond early: a time that is reached is over there, and not for
# Redis.
found dead 'KEYS[1] $lock  KEYS[2] {$lock}:2  ARGV[1] $now_ms  ARGV[2] $until_ms' 'KEYS[1] $lock'
writes dead 'granted  = function(reply) return reply[1] ~= 0 end' 'holder   = "nobody"'
check "dead: whoever asks is told" out_has 'the release does not compare the owner'

found cnt 'KEYS[1] $lock  ARGV[1] $owner  ARGV[2] $lease_s' 'KEYS[1] $lock  ARGV[1] $owner  ARGV[2] $lease_s'
writes cnt 'spec     = "reentrant"' 'still_held = 0' 'holder   = "hash field"'

found fence 'KEYS[1] $lock  KEYS[2] {$lock}:2  ARGV[1] $owner  ARGV[2] $lease_ms' 'KEYS[1] $lock  ARGV[1] $owner'
writes fence 'fencing  = true' 'lasting  = { "{$lock}:2" }'
passes fence

found job 'KEYS[1] $lock  KEYS[2] {$lock}:2  ARGV[1] $owner  ARGV[2] $lease_ms' 'KEYS[1] $lock  ARGV[1] $owner'
writes job 'granted  = 1' 'released = 0'
passes job

found arg 'ARGV[1] $lock  ARGV[2] $owner  ARGV[3] $lease_ms' 'ARGV[1] $lock  ARGV[2] $owner'
run run arg.lua --pinned
check "arg: a key that is no KEYS is told" out_has LK050
check "arg: and nothing else" out_lacks LK0[0134]

found hv 'KEYS[1] $lock  ARGV[1] $owner  ARGV[2] $lease_ms  ARGV[3] ?' 'KEYS[1] $lock  ARGV[1] $owner'
writes hv 'redis.call("HGET", key, "owner")'
sed -i 's/"?"/"$now_ms"/' hv.lua
passes hv

found queue 'KEYS[1] $lock  KEYS[2] {$lock}:2  ARGV[1] $owner  ARGV[2] $lease_ms  ARGV[3] $now_ms*' \
    'KEYS[1] $lock  ARGV[1] $owner'
check "queue: what only a name tells is marked" out_has "the script's own variable is called so"

# What cannot be guessed, it says, with the place.
run init json_a.lua json_r.lua -o json.lua
ends 65 "JSON in ARGV"
check "JSON in ARGV: where" err_has 'json_a.lua:1:24: error[scenario]: the script takes JSON in ARGV'
run init pack_a.lua pack_r.lua -o pack.lua
ends 65 "MessagePack in ARGV"
check "MessagePack in ARGV: where" err_has 'pack_a.lua:1:30: error[scenario]: the script takes MessagePack in ARGV'
run init tmpl_a.lua tmpl_r.lua -o tmpl.lua
ends 65 "a template"
check "a template: where" err_has "tmpl_a.lua:1: error[scenario]: the script is a template: '<%' is no Lua"
check "a template: the way out" err_has '--render CMD'
run init tmpl_a.lua tmpl_r.lua -o tmpl.lua --render "sed '/<%/d'"
ends 0 "a template that is rendered"
writes tmpl 'acquire  = script.text("return redis.call'
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
ends 65 "everybody is let in"
check "everybody is let in: said" err_has 'a second owner hears the same'
echo "if redis.call('set', KEYS[1], ARGV[1], 'nx', 'px', ARGV[2]) then return 1 end return 0" > keep_a.lua
echo "return redis.call('get', KEYS[1])" > keep_r.lua
run init keep_a.lua keep_r.lua -o keep.lua
ends 65 "a release that frees nothing"
check "a release that frees nothing: said" err_has 'the script does not free the lock'
