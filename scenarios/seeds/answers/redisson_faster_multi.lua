-- Redisson's lock of many values in one hash, script by script. What "now" is, the caller says, and here it is a small
-- number that has nothing to do with the clock.
local answers = require "answers"

return {
  title   = "redisson/faster_multi: what each script answers and leaves behind",
  clients = { "A" },
  program = function(me)
    local group, channel, latch = "G", "{G}:channel", "{G}:latch"
    local see = answers.see(me)
    local heard = answers.listen(me, channel)
    local acquire = answers.of(me, script "redisson/faster_multi/acquire.lua", { group })
    local release = answers.of(me, script "redisson/faster_multi/release.lua", { group, channel, latch })
    local once = answers.of(me, script "redisson/faster_multi/try_once.lua", { group })
    local force = answers.of(me, script "redisson/faster_multi/force_release.lua", { group, channel })
    local renew = answers.of(me, script "redisson/faster_multi/renew.lua", { group })
    local function all(wanted)
      see(wanted, "HGETALL", group)
    end
    local function decided(value, ms)
      see(value, "GET", latch)
      see(ms, "PTTL", latch)
      me:call("DEL", latch)
    end

    acquire(nil, 300, 1000, "a", "x", "y")
    all { "x", "a", "x:a:expire_time", "1300", "x:a:lock_count", "1", "y", "a", "y:a:expire_time", "1300",
          "y:a:lock_count", "1" }
    see(300, "PTTL", group)
    acquire(nil, 200, 1050, "a", "x")        -- re-entered: the longer lease stays
    all { "x", "a", "x:a:expire_time", "1300", "x:a:lock_count", "2", "y", "a", "y:a:expire_time", "1300",
          "y:a:lock_count", "1" }
    see(300, "PTTL", group)
    acquire(nil, 300, 1100, "a", "y")
    see("1400", "HGET", group, "y:a:expire_time")
    me:sleep(100)
    acquire(150, 500, 1150, "b", "x")
    acquire(250, 500, 1150, "b", "x", "y", "z")      -- until the last of them runs out, and none is taken
    acquire(250, 500, 1150, "b", "z", "y", "x")
    see(nil, "HGET", group, "z")
    see(200, "PTTL", group)
    acquire(1, 500, 1299, "b", "x")
    acquire(nil, 500, 1300, "b", "x")        -- it has run out in this very millisecond
    see("b", "HGET", group, "x")
    see("1800", "HGET", group, "x:b:expire_time")
    see("1", "HGET", group, "x:b:lock_count")
    see(500, "PTTL", group)
    me:call("HDEL", group, "x:b:expire_time")
    acquire(nil, 400, 1300, "c", "x")        -- until when is unknown: that counts as over
    see("c", "HGET", group, "x")
    me:call("DEL", group)

    acquire(nil, 300, 1000, "a", "x", "y")
    acquire(nil, 300, 1000, "a", "x")
    release(nil, "b", "free", 300, "publish", 90, 1000, "x")
    see(0, "EXISTS", latch)
    release(0, "a", "some", 300, "publish", 90, 1000, "x", "y")   -- one hold of x remains
    all { "x", "a", "x:a:expire_time", "1300", "x:a:lock_count", "1" }
    release(0, "a", "some", 300, "publish", 90, 1000, "x", "y")   -- sent again: the latch answers, and nothing changes
    all { "x", "a", "x:a:expire_time", "1300", "x:a:lock_count", "1" }
    decided("0", 90)
    release(nil, "a", "free", 300, "publish", 90, 1301, "x")      -- it has run out
    release(1, "a", "free", 300, "publish", 80, 1300, "x")        -- in its last millisecond it has not
    see(0, "EXISTS", group)
    decided("1", 80)
    -- where there is no group, the waiters are told all the same
    release(nil, "a", "gone", 300, "publish", 90, 1000, "x")
    see(0, "EXISTS", latch)
    acquire(nil, 300, 1000, "a", "x")
    release(nil, "a", "free", 300, "publish", 90, 1000, "y", "x") -- y is not ours; x is given back all the same
    see(0, "EXISTS", group)
    acquire(nil, 300, 1000, "a", "x")
    me:call("HDEL", group, "x:a:expire_time")
    release(nil, "a", "free", 300, "publish", 90, 1000, "x")
    see(0, "EXISTS", latch)
    me:call("DEL", group)
    acquire(nil, 300, 1000, "a", "x")
    acquire(nil, 300, 1000, "a", "x")
    -- what remains is given the lease again, and the hash as well
    release(0, "a", "some", 500, "publish", 90, 1000, "x")
    see("1500", "HGET", group, "x:a:expire_time")
    see(500, "PTTL", group)
    decided("0", 90)
    release(nil, "a", "free", 200, "publish", 90, 1000, "x", "x")       -- named twice, it is taken only once
    me:call("DEL", group)
    acquire(nil, 300, 1000, "a", "x")
    acquire(nil, 300, 1400, "b", "x")  -- by a fast clock: a's hold is not over by its own, and x is b's all the same
    release(1, "a", "free", 300, "publish", 90, 1000, "x")  -- a's hold is what counts, not whose x is: b has lost it
    see(nil, "HGET", group, "x")
    see("1", "HGET", group, "x:b:lock_count")
    decided("1", 90)
    me:call("DEL", group)

    acquire(nil, 300, 1000, "a", "x", "y")
    renew(0, 500, 1100, "b", "x")
    renew(0, 500, 1100, "a", "x", "z")       -- x is renewed, z is another's, and the hash's life stays
    see("1600", "HGET", group, "x:a:expire_time")
    see(300, "PTTL", group)
    renew(1, 600, 1100, "a", "x")
    see("1700", "HGET", group, "x:a:expire_time")
    see("1300", "HGET", group, "y:a:expire_time")
    see(600, "PTTL", group)
    renew(1, 400, 1100, "a", "x", "y")       -- a shorter one makes neither a time nor the hash's life shorter
    see("1700", "HGET", group, "x:a:expire_time")
    see("1500", "HGET", group, "y:a:expire_time")
    see(600, "PTTL", group)
    renew(0, 400, 1100, "nobody", "x")
    me:call("PERSIST", group)
    acquire(nil, 900, 1100, "a", "x")        -- a hash without a TTL keeps none
    see(-1, "PTTL", group)

    once(0, 1100, 300, "b", "z", "x")        -- x is held: z is not taken
    see(nil, "HGET", group, "z")
    once(1, 1100, 300, "b", "z")
    see("1400", "HGET", group, "z:b:expire_time")
    see("1", "HGET", group, "z:b:lock_count")
    see(-1, "PTTL", group)
    once(1, 1400, 300, "c", "z")             -- it has run out in this very millisecond
    see("c", "HGET", group, "z")
    once(1, 1400, 200, "c", "z")             -- re-entered: the longer lease stays
    see("1700", "HGET", group, "z:c:expire_time")
    see("2", "HGET", group, "z:c:lock_count")

    force(2, "forced", "publish", "z", "x")  -- how many there were
    force(1, "forced", "publish", "y")
    force(0, "forced", "publish")
    me:call("DEL", group)
    once(1, 1000, 300, "a", "x")
    see(300, "PTTL", group)
    once(1, 1000, 500, "a", "x")
    see(500, "PTTL", group)
    renew(1, 300, 1000, "a", "x")
    me:call("DEL", group)
    renew(0, 300, 1000, "a", "x")
    heard:are { "some", "free", "gone", "some", "free", "forced", "forced", "forced" }
    heard:stop()
  end,
}
