-- unsynced_unlock.lua: what an attempt to unlock that no replica has, and after which there will be another, changes
-- in the process: as much as a failed unlock does. It takes one hold off the watchdog's count, as the attempt that
-- succeeds does again.
local answers = require "redisson.client.answers"

return function(lock, owner)
  answers.released(lock.me, lock, owner, nil, nil, { kind = "nosync" })
end
