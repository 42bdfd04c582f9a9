-- Each waiter's deadline contains the slots of those before him. Whoever gave up left without giving his slot back, so with every
-- short wait that fails the deadlines move 5 s further away, and the next in the queue who dies blocks a free lock until his has come.
local redisson = require "redisson.fair"

return {
  title   = "R01: whoever gives up leaves his slot behind",
  exhibit = { bug = "#1104", library = "Redisson", versions = "3.2.4 to 3.5.4",
              what = "deadlines drift away while waiters come and go", twin = "R01_mended.lua" },
  clients = { "A", { "B", start_ms = 10 }, { "C", start_ms = 20 } },
  program = function(me)
    local lock = redisson.lock(me, "order:42", { lease_ms = 4000, slot_ms = 5000 })
    local got = lock:try_acquire(1000) or lock:try_acquire(1000) or lock:acquire()      -- patient only in the end
    if got then
      me:work(me.client == "A" and 2500 or 10)
      lock:release()
    end
  end,
  faults  = { crash = { 1, of = "B" } },
  expect  = {
    prompt = { "violated", idle_ms = 12000 },
    no_busy_wait = "violated",
  },
  must_see = { "crash", "wait" },
}
