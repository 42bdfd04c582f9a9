-- The watchdog of Redisson's faster multi-lock knows a group by its name only, with the values of the lock that was
-- taken first. A thread that takes values of the same group by a second lock object counts there as one more hold of
-- the first: the second lock's values are never renewed, and run out after 30 s while their owner works.
--
-- How likely: certain, for two locks of one group held at once for longer than 30 s. The mend: an entry for each lock,
-- which here are two groups.
-- Checked against redisson 4.7.0 by a trace of the real client (tests/recordings/clients, fast_05).
local redisson = require "redisson.faster_multi"

local function program(second)
  return function(me)
    local account = redisson.lock(me, second, { "2" })
    if me.client == "A" then
      local other = redisson.lock(me, "accounts", { "1" })
      other:acquire()
      account:acquire()
      me:work(31000)
      account:release()
      other:release()
    elseif account:acquire() then
      account:release()
    end
  end
end

return {
  title   = "a second lock of a group is never renewed",
  clients = { "A", { "B", start_ms = 29000 } },
  program = program "accounts",
  expect  = { mutual_exclusion = "violated", strict_mutual_exclusion = "violated" },
  must_see = { "renewal" },
  twin    = {
    title   = "a lock in a group of its own is renewed",
    program = program "others",
    expect  = { mutual_exclusion = "holds", strict_mutual_exclusion = "holds" },
  },
}
