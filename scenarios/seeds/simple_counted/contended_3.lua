-- Three clients want the lock at once, twice each: who asked first should be served first, and nobody forgotten.
local simple = require "simple.counted"

return {
  title   = "simple/counted: three clients",
  clients = { "A", "B", "C" },
  program = function(me)
    local lock = simple.lock(me, "order:42", { lease_s = 2, retry_ms = 250 })
    for _ = 1, 2 do
      if lock:acquire() then
        me:work(100)
        lock:release()
      end
    end
  end,
  expect  = {
    -- However many ask, one script at a time decides.
    strict_mutual_exclusion = "holds",
    -- There is no queue: who tries first after the release is served.
    fifo = "violated",
  },
  must_see = { "contention" },
}
