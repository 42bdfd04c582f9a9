-- What redlock.js does, by the driver of redlock 5: the program is held against it.
local redlock = require("node_redlock.redlock").over(1)

return {
  title   = "redlock.js",
  clients = { "A", "B" },
  program = function(me)
    for _ = 1, 2 do
      local lock = redlock.lock(me, "order:42", { lease_ms = 3000, retries = 40, retry_ms = 200, jitter_ms = 0 })
      if not lock:acquire() then return end
      me:work(500)
      if not lock:release() then return end
    end
  end,
}
