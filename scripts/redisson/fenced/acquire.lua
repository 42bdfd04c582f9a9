-- acquire.lua: take the lock or re-enter it, with a new token; or learn how long the present holder's lease still
-- runs.
-- KEYS  1 lock (hash: owner -> holds), 2 the counter of tokens      ARGV  1 lease in milliseconds, 2 owner
-- Returns two numbers: -1 and the token when the lock is ours; otherwise the milliseconds left, and -1.
-- A lock that never expires leaves -1 milliseconds, too, and the caller takes that for a grant.
local lock, tokens = KEYS[1], KEYS[2]
local lease_ms, owner = ARGV[1], ARGV[2]
if redis.call('exists', lock) == 0 or redis.call('hexists', lock, owner) == 1 then
  local token = redis.call('incr', tokens)
  redis.call('hincrby', lock, owner, 1)
  redis.call('pexpire', lock, lease_ms)
  return { -1, token }
end
return { redis.call('pttl', lock), -1 }
