-- give_back.lua: unlocks what a group has got so far, one after the other; their answers are not looked at, and no
-- interrupt ends the waiting.
local flags = require "redisson.client.flag"

return function(locks, flag)
  flag.joins = true
  for _, lock in ipairs(locks) do
    flags.on(lock, flag):release()
  end
  flag.joins = false
end
