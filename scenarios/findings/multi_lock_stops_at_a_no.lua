-- unlock() of a multi-lock unlocks its locks in order, and the first one that throws ends it. Here the answer to the
-- first unlock is lost: the lock is free, its caller has an exception after 3 s, and the second lock was never asked.
-- Its watchdog renews it as long as the process lives; B, who needs Y alone, waits for ever.
--
-- How likely: one response time-out at any unlock but the last, or a first lock that ran out or was evicted; the
-- caller cannot mend it, for a second unlock() stops at the first lock again, which it has lost. The mend:
-- unlock all of them, then say what went wrong (the twin). Checked against redisson 4.7.0 by reading
-- RedissonMultiLock.unlock, which calls unlock of one lock after the other and catches nothing, and by a trace of the
-- real client for their order (multi_01: each is answered before the next is asked).
local group = require "redisson.multi"
local redisson = require "redisson.lock"

return {
  title   = "a multi-lock's unlock stops at the first no",
  servers = 2,
  clients = { { "A", start_ms = 0 }, { "B", start_ms = 10 } },
  program = function(me)
    local x, y = redisson.lock(me:on(1), "X"), redisson.lock(me:on(2), "Y")
    if me.client == "B" then
      if y:acquire() then
        me:work(100)
        y:release()
      end
      return
    end
    local both = group.lock(me, "X and Y", { x, y })
    if both:try_acquire() then
      me:work(100)
      both:release()
    end
  end,
  faults  = { lose_reply = { 1, of = "A" } },
  expect  = {
    no_deadlock = "violated",
    prompt = { "violated", idle_ms = 30001 },
  },
  must_see = { "lose_reply" },

  -- The same with our mend: every lock is unlocked.
  twin = {
    title   = "a multi-lock's unlock reaches every lock",
    expect  = { no_deadlock = "holds", prompt = { "holds", idle_ms = 30001 }, no_leak = "holds" },
    patch   = {
      ["redisson/multi/unlock.lua"] = [[
-- unlock.lua: the mend: unlock() of a group reaches each of its locks. Returns true; or nil and why the first one said
-- no (strict).
return function(locks, strict)
  local refused
  for _, lock in ipairs(locks) do
    local released, why = lock:release()
    if released == nil and strict then
      refused = refused or why
    end
  end
  if refused then
    return nil, refused
  end
  return true
end
]],
    },
  },
}
