-- release.lua: releaseSemaphore of redis-semaphore's MultiSemaphore: give all permits of the caller back.
-- KEYS  1 semaphore (sorted set: identifier_N -> when its holder was last heard of)      ARGV  1 the caller's permits,
--       2 identifier
-- Returns how many were still its own.
local semaphore = KEYS[1]
local permits, identifier = tonumber(ARGV[1]), ARGV[2]
local members = {}
for i = 0, permits - 1 do
  members[#members + 1] = identifier .. '_' .. i
end
return redis.call('zrem', semaphore, unpack(members))
