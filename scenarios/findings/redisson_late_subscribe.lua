-- A thread of Redisson that must wait subscribes to the lock's channel. Where the SUBSCRIBE is still under way when
-- the thread goes away, at its time-out or by an interrupt, nothing undoes it: the server confirms it later, and the
-- process hears the lock's messages for as long as its connection lives, or until another thread of it has waited for
-- the same lock. (Only a SUBSCRIBE that is not confirmed in 3 s is undone.)
--
-- How likely: each connection for messages that hangs or is slow while a thread waits with a short time. It costs
-- messages, not locks. The mend: unsubscribe when the confirmation comes (the twin). Checked against redisson 4.7.0 by
-- traces of the real client (tests/recordings/clients, lock_25 and lock_39).
local redisson = require "redisson.lock"

return {
  title   = "a SUBSCRIBE that outlives its caller",
  clients = { "A", { "B", start_ms = 10 } },
  program = function(me)
    local lock = redisson.lock(me, "order:42", { lease_ms = 30000 })
    if lock:try_acquire(500) then
      me:work(1000)
      lock:release()
    end
  end,
  faults  = { interrupt = { 1, of = "B", op = "subscribe" } },
  expect  = { no_leak = "violated" },
  must_see = { "wait", "interrupt" },

  -- The same with our mend.
  twin = {
    title   = "a SUBSCRIBE that is undone",
    expect  = { no_leak = "holds" },
    must_see = { "interrupt" },
    patch   = {
      ["pubsub_late.lua"] = [[
-- pubsub_late.lua: what is still under way is undone once it is there; until then nobody else subscribes.
local shared = require "shared"
return function(me, entry, mutex)
  me:spawn("unsubscribe", function(task)
    task:unsubscribe(entry.channel)
    shared(task, "pubsub").connections[entry.channel] = nil
    mutex:release(1)
  end)
end
]],
    },
  },
}
