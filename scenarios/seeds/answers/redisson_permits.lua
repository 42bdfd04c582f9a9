-- Redisson's semaphore whose permits have names and run out, script by script. What "now" is, the caller says, and
-- here it is a small number that has nothing to do with the clock.
local answers = require "answers"

return {
  title   = "redisson/permits: what each script answers and leaves behind",
  clients = { "A" },
  program = function(me)
    local name, out, channel = "S", "{S}:out", "{S}:channel"
    local see = answers.see(me)
    local heard = answers.listen(me, channel)
    local acquire = answers.of(me, script "redisson/permits/acquire.lua", { name, out, channel })
    local release = answers.of(me, script "redisson/permits/release.lua", { name, channel, out })
    local update = answers.of(me, script "redisson/permits/update_lease.lua", { name, out, channel })
    local function permits(a, b, c, d, e, f)
      see({ a, b, c, d, e, f }, "ZRANGE", out, 0, -1, "WITHSCORES")
    end

    acquire(nil, 1, 100, 10, 900, "publish", "p1")   -- it has not been given any
    me:call("SET", name, 3)
    acquire("OK", 2, 100, 10, 900, "publish", "p1", "p2")
    see("1", "GET", name)
    see(-1, "PTTL", out)
    permits("p1", "100", "p2", "100")
    acquire(":100", 2, 120, 10, 900, "publish", "p3", "p4")
    see("1", "GET", name)
    acquire("OK", 1, 900, 10, 900, "publish", "p3")
    see("0", "GET", name)
    permits("p1", "100", "p2", "100", "p3", "900")
    acquire(":100", 1, 130, 99, 900, "publish", "p4")
    heard:are {}
    -- one has run out in this very millisecond; no more than are needed come back
    acquire("OK", 1, 130, 100, 900, "publish", "p4")
    permits("p2", "100", "p4", "130", "p3", "900")
    see("0", "GET", name)
    heard:are { "1" }
    release(1, "p2", 1, 99, "publish")
    see("1", "GET", name)
    heard:are { "1", "1" }
    release(0, "p2", 1, 99, "publish")               -- there is no such permit
    see("1", "GET", name)
    release(0, "p4", 1, 130, "publish")  -- it has run out in this very millisecond, and comes back all the same
    see("2", "GET", name)
    heard:are { "1", "1", "2" }
    acquire("OK", 2, 50, 10, 900, "publish", "p5", "p6")
    release(1, "p5", 1, 49, "publish")
    acquire("OK", 1, 60, 10, 900, "publish", "p5")
    heard:are { "1", "1", "2", "1" }
    update(1, "p5", 80, 40, "publish")
    permits("p6", "50", "p5", "80", "p3", "900")
    update(0, "p6", 90, 50, "publish")               -- it has run out in this very millisecond
    permits("p5", "80", "p3", "900")
    see("1", "GET", name)
    heard:are { "1", "1", "2", "1", "1" }
    update(0, "nobody", 90, 50, "publish")
    update(1, "p5", 85, 50, "publish")
    permits("p5", "85", "p3", "900")
    see("1", "GET", name)

    -- Where the lock as a whole has an expiry, so have its permits. What never comes is not told.
    me:call("DEL", out)
    me:call("SET", name, 1, "PX", 700)
    acquire("OK", 1, 900, 10, 900, "publish", "p7")
    see(700, "PTTL", out)
    acquire(nil, 1, 900, 10, 900, "publish", "p8")
    -- there are fewer than none: no waiter is woken by the one that comes back
    me:call("SET", name, -1)
    me:call("DEL", out)
    me:call("ZADD", out, 20, "p9")
    acquire(nil, 1, 900, 30, 900, "publish", "p8")
    see("0", "GET", name)
    me:call("SET", name, -1)
    me:call("ZADD", out, 20, "p9")
    update(0, "p9", 90, 30, "publish")
    see("0", "GET", name)
    heard:are { "1", "1", "2", "1", "1" }
    me:call("DEL", name, out)
    heard:stop()
  end,
}
