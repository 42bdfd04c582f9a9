-- The same trap in the other direction: whoever gives up after 10 s had a slot of 10 ms, but takes 10 s from those behind him. So the
-- next in the queue is dropped long before his time, and served after somebody who came later.
local redisson = require "redisson.fair"

return {
  title   = "R09b: whoever gives up takes more than his slot with him",
  exhibit = { bug = "#4743", library = "Redisson", versions = "3.13.3 to 4.7.0, but for 3.24.0 (open)",
              what = "who gives up shortens the waits behind him", twin = "R09b_mended.lua" },
  clients = { "A", { "B", start_ms = 1 }, { "C", start_ms = 5 }, { "D", start_ms = 20100 } },
  program = function(me)
    local lock = redisson.lock(me, "order:42", { wait_unit_ms = 1000 })
    if me.client == "A" then
      lock:acquire()
      me:work(21000)
      lock:release()
    elseif lock:try_acquire(me.client == "B" and 10000 or 60000) then
      me:work(100)
      lock:release()
    end
  end,
  expect  = { fifo = "violated" },
  must_see = { "renewal", "wait" },
}
