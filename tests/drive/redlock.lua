-- What redlock.js does, by the driver of redlock 5, over one server and over three: the program is held against it.
local redlock = require "node_redlock.redlock"

local function over(n)
  return {
    servers = n,
    program = function(me)
      for _ = 1, 2 do
        local lock = redlock.over(n).lock(me, "order:42",
                                          { lease_ms = 3000, retries = 40, retry_ms = 200, jitter_ms = 0 })
        if not lock:acquire() then return end
        me:work(500)
        if not lock:release() then return end
      end
    end,
  }
end

return {
  title   = "redlock.js",
  timeout_ms = 3600000,        -- ioredis waits for an answer until the connection ends
  clients = { "A", "B" },
  cases   = { one = over(1), three = over(3) },
}
