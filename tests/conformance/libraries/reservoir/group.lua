-- group.lua: everything of a limiter that nobody has used lives for so long, and no longer.
-- KEYS  all of them      ARGV  1 time to live in ms
local count = 0
for _, key in ipairs(KEYS) do count = count + redis.call('pexpire', key, ARGV[1]) end
if count > 0 and redis.call('exists', KEYS[1]) == 1 then redis.call('rename', KEYS[1], KEYS[1]) end
return count
