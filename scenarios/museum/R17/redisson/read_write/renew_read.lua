-- renew_read.lua: the round of the watchdog of read locks: give the hashes a full lease again, and forget the holds' own keys
-- (Redisson up to 3.8.0).
-- KEYS  2i - 1 the i-th lock, 2i the prefix of its timeout keys
-- ARGV  1 lease in milliseconds; then for each lock the number of its readers, and the readers
-- Returns a list: 1 for each lock that one of its readers still holds, else 0.
local lease_ms = ARGV[1]
local renewed = {}
local at = 2
for i = 1, #KEYS, 2 do
  local lock = KEYS[i]
  local alive = 0
  for reader_at = at + 1, at + ARGV[at] do
    local reader = ARGV[reader_at]
    if redis.call('hexists', lock, reader) == 1 then
      alive = 1
    end
  end
  if alive == 1 then
    redis.call('pexpire', lock, lease_ms)
  end
  renewed[#renewed + 1] = alive
  at = at + 1 + ARGV[at]
end
return renewed
