-- The unlock message of a write lock wakes all parked threads, as many permits as there are sleepers at that moment. B
-- asks, is told to wait, and has not parked yet when A's unlock is executed and the message comes: there is no thread
-- to wake, no permit is kept for B, and B sleeps as long as the lock it was refused by would have lived: up to 30 s
-- beside a free lock. No client fails and nothing is lost.
--
-- How likely: the window is the way of one answer, and it is open at each refusal. Where a writer hands over to
-- readers that ask as it finishes, it happens daily, and looks like a lock that is slow now and then. (The messages of
-- the other locks leave a permit for a late waiter; so does that of the read lock.) The mend: as many permits as the
-- process has users of the lock (the twin); one too many only makes a thread ask again. Checked against redisson 4.7.0
-- by reading LockPubSub.onMessage (READ_UNLOCK_MESSAGE: as many permits as threads are parked) and
-- RedissonWriteLock.unlockInnerAsync, which publishes that message.
local redisson = require "redisson.read_write"

return {
  title   = "a writer's unlock does not wake a reader that is about to sleep",
  clients = { "A", { "B", start_ms = 100 } },
  program = function(me)
    local lock = redisson[me.client == "A" and "write" or "read"](me, "order:42")
    if lock:acquire() then
      me:work(100)
      lock:release()
    end
  end,
  expect  = {
    prompt = { "violated", idle_ms = 1000 },
    -- The readers' timeout keys are not among the scripts' KEYS.
    script_health = "violated",
  },
  must_see = { "message", "wait" },

  -- The same with our mend: the message leaves a permit for a reader that is about to sleep.
  twin = {
    title   = "a writer's unlock leaves a permit for every waiter",
    expect  = {
      prompt = { "holds", idle_ms = 1 },
      -- The readers' timeout keys are not among the scripts' KEYS.
      script_health = "violated",
    },
    patch   = {
      ["redisson/read_write_message.lua"] = [[
-- read_write_message.lua: what an unlock message does to the entry of a process and read-write lock: 0 wakes one
-- thread; 1, from a writer, all that use the entry, whether they have parked already or are about to.
return function(entry, message)
  if tonumber(message) == 1 then
    entry.latch:release(entry.acquired)
  else
    entry.latch:release(1)
  end
end
]],
    },
  },
}
