-- renew_read.lua: the round of the watchdog of read locks: give every hold in a hash that this client reads, whosever it is, and the
-- hash a full lease again (Redisson before 4.4.0).
-- KEYS  2i - 1 the i-th lock, 2i the prefix of its timeout keys
-- ARGV  1 lease in milliseconds; then for each lock the number of its readers, and the readers
-- Returns a list: 1 for each lock that one of its readers still holds, else 0.
local lease_ms = ARGV[1]
local renewed = {}
local at = 2
for i = 1, #KEYS, 2 do
  local lock, prefix = KEYS[i], KEYS[i + 1]
  local alive = 0
  for reader_at = at + 1, at + ARGV[at] do
    alive = math.max(alive, redis.call('hexists', lock, ARGV[reader_at]))
  end
  if alive == 1 then
    for _, field in ipairs(redis.call('hkeys', lock)) do
      for hold = tonumber(redis.call('hget', lock, field)) or 0, 1, -1 do
        redis.call('pexpire', prefix .. ':' .. field .. ':rwlock_timeout:' .. hold, lease_ms)
      end
    end
    redis.call('pexpire', lock, lease_ms)
  end
  renewed[#renewed + 1] = alive
  at = at + 1 + ARGV[at]
end
return renewed
