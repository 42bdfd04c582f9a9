-- moving_window.lua: a list of instants, newest first; the one at the limit's place says whether the next call may pass.
-- KEYS  1 log      ARGV  1 now, 2 limit, 3 window ms, 4 how many
local limit, amount = tonumber(ARGV[2]), tonumber(ARGV[4])
if amount > limit then return false end
local at = redis.call('lindex', KEYS[1], limit - amount)
if at and tonumber(at) >= ARGV[1] - ARGV[3] then return { false, at } end
local entries = {}
for _ = 1, amount do table.insert(entries, ARGV[1]) end
redis.call('lpush', KEYS[1], unpack(entries))
redis.call('ltrim', KEYS[1], 0, limit - 1)
redis.call('pexpire', KEYS[1], ARGV[3])
local items, inside = redis.call('lrange', KEYS[1], 0, limit), 0
for _, item in ipairs(items) do if tonumber(item) > ARGV[1] - ARGV[3] then inside = inside + 1 end end
return { items[#items], inside }
