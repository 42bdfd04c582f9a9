-- renew.lua: the watchdog's round: give every lock that its owner still holds a full lease again.
-- KEYS  locks      ARGV  1 lease in milliseconds, i + 1 the owner for KEYS[i]
-- Returns a list: 1 for each lock that was renewed, 0 for each that its owner no longer holds.
local lease_ms = ARGV[1]
local renewed = {}
for i, lock in ipairs(KEYS) do
  if redis.call('hexists', lock, ARGV[i + 1]) == 1 then
    redis.call('pexpire', lock, math.max(redis.call('pttl', lock), lease_ms))     -- somebody may have been promised more
    renewed[i] = 1
  else
    renewed[i] = 0
  end
end
return renewed
