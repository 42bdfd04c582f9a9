-- renew_read.lua: the round of the watchdog of read locks: give this client's holds, and the hashes they are in, a
-- full lease again.
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
    local reader = ARGV[reader_at]
    local holds = redis.call('hget', lock, reader)
    if holds ~= false then
      alive = 1
      for hold = tonumber(holds), 1, -1 do
        -- locksim: allow LS006 prefix has the lock's {tag}
        redis.call('pexpire', prefix .. ':' .. reader .. ':rwlock_timeout:' .. hold, lease_ms)
      end
    end
  end
  if alive == 1 then
    redis.call('pexpire', lock, lease_ms)
  end
  renewed[#renewed + 1] = alive
  at = at + 1 + ARGV[at]
end
return renewed
