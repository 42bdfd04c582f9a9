-- A release arrives when its sender has long given up on it and holds the lock once more: it frees the new hold, not the old one.
local simple = require "simple.string"

return {
  title   = "fault late_request: a request is executed after its time-out",
  clients = { "A", { "B", start_ms = 1100 } },
  timeout_ms = 500,
  program = function(me)
    local lock = simple.lock(me, "order:42", { lease_s = 1, retry_ms = 250 })
    for _ = 1, me.client == "A" and 2 or 1 do
      if lock:acquire() then
        me:work(300)
        lock:release()
      end
    end
  end,
  faults  = { late_request = 1 },
  explore = { random = 300 },
  expect  = {
    strict_mutual_exclusion = "violated",
  },
  must_see = { "late_request" },
}
