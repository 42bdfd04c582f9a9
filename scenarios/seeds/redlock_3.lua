-- redlock over three servers: what it tells its caller, alone, beside another, and when its time was up.
local redlock = require("redlock.redlock").over(3)

return {
  title   = "redlock: one client",
  servers = 3,
  clients = { { "A", start_ms = 0 } },
  program = function(me)
    local lock = redlock.lock(me, "order:42", { lease_ms = 1000 })
    for _ = 1, 2 do
      assert(lock:acquire() == true)
      -- The lease, less a hundredth and 2 ms for clocks that differ.
      assert(lock.valid_ms == 988)
      me:work(100)
      assert(lock:release() == true)
    end
  end,
  expect  = { strict_mutual_exclusion = "holds" },
  cases   = {
    uncontended = {},
    refused = {
      title   = "redlock: refused",
      clients = { { "A", start_ms = 0 }, { "B", start_ms = 10 } },
      program = function(me)
        local lock = redlock.lock(me, "order:42", { lease_ms = 1000 })
        if me.client == "A" then
          assert(lock:acquire() == true)
          me:work(100)
          assert(lock:release() == true)
        else
          assert(lock:try_acquire() == false)
        end
      end,
    },
    late = {
      title   = "redlock: given back too late",
      program = function(me)
        local lock = redlock.lock(me, "order:42", { lease_ms = 300 })
        assert(lock:acquire() == true)
        me:work(500)
        local freed, why = lock:release()
        assert(freed == nil and why == "not owner")
      end,
      must_see = { "expiry" },
    },
  },
}
