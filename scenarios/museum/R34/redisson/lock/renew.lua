-- renew.lua: the watchdog's round: give every lock a full lease again, whoever holds it by now.
-- KEYS  locks      ARGV  1 lease in milliseconds, i + 1 the owner for KEYS[i]
-- Returns a list: 1 for each lock that was renewed, 0 for each that is not there.
local lease_ms = ARGV[1]
local renewed = {}
for i, lock in ipairs(KEYS) do
  renewed[i] = redis.call('pexpire', lock, lease_ms)
end
return renewed
