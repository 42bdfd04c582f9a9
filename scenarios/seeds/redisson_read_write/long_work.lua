-- Two readers of one process and one of another work for longer than a lease: each watchdog renews the holds of its own process.
local redisson = require "redisson.read_write"

return {
  title   = "redisson/read_write: readers who are renewed",
  clients = { { "A", threads = 2 }, "B", { "C", start_ms = 1000 } },
  program = function(me)
    local lock = redisson[me.client == "C" and "write" or "read"](me, "order:42")
    lock:acquire()
    me:work(me.client == "C" and 100 or me.client == "A" and 35000 or 45000)
    lock:release()
  end,
  expect  = {
    strict_mutual_exclusion = "holds",
    prompt = { "holds", idle_ms = 1 },
    -- The readers' timeout keys are not among the scripts' KEYS.
    script_health = "violated",
  },
  must_see = { "renewal", "wait" },
}
