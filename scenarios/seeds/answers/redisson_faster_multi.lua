-- Redisson's lock of many values in one hash, script by script. What "now" is, the caller says, and here it is a small number that has
-- nothing to do with the clock.
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

    acquire(nil, 300, "a", 1000, "x", "y")
    all { "x", "a", "x:a:lock_count", "1", "x:a:expire_time", "1300", "y", "a", "y:a:lock_count", "1", "y:a:expire_time", "1300" }
    see(300, "PTTL", group)
    acquire(nil, 200, "a", 1050, "x")        -- once more: the longer lease stays
    all { "x", "a", "x:a:lock_count", "2", "x:a:expire_time", "1300", "y", "a", "y:a:lock_count", "1", "y:a:expire_time", "1300" }
    see(300, "PTTL", group)
    acquire(nil, 300, "a", 1100, "y")
    see("1400", "HGET", group, "y:a:expire_time")
    me:sleep(100)
    acquire(150, 500, "b", 1150, "x")
    acquire(250, 500, "b", 1150, "x", "y", "z")      -- until the last of them runs out, and none is taken
    acquire(250, 500, "b", 1150, "z", "y", "x")
    see(nil, "HGET", group, "z")
    see(200, "PTTL", group)
    acquire(1, 500, "b", 1299, "x")
    acquire(nil, 500, "b", 1300, "x")        -- it has run out in this very millisecond
    see("b", "HGET", group, "x")
    see("1800", "HGET", group, "x:b:expire_time")
    see("1", "HGET", group, "x:b:lock_count")
    see(500, "PTTL", group)
    me:call("HDEL", group, "x:b:expire_time")
    acquire(nil, 400, "c", 1300, "x")        -- nobody knows until when: that counts as over
    see("c", "HGET", group, "x")
    me:call("DEL", group)

    acquire(nil, 300, "a", 1000, "x", "y")
    acquire(nil, 300, "a", 1000, "x")
    release(nil, "free", "b", 1000, "publish", 90, "x")
    see(0, "EXISTS", latch)
    release(0, "some", "a", 1000, "publish", 90, "x", "y")   -- one hold of x remains
    all { "x", "a", "x:a:lock_count", "1", "x:a:expire_time", "1300" }
    release(0, "some", "a", 1000, "publish", 90, "x", "y")   -- sent again: the latch answers, and nothing changes
    all { "x", "a", "x:a:lock_count", "1", "x:a:expire_time", "1300" }
    decided("0", 90)
    release(nil, "free", "a", 1300, "publish", 90, "x")      -- it has run out in this very millisecond
    release(1, "free", "a", 1299, "publish", 80, "x")
    see(0, "EXISTS", group)
    decided("1", 80)
    acquire(nil, 300, "a", 1000, "x")
    release(nil, "free", "a", 1000, "publish", 90, "y", "x") -- y is not ours; x is given back already
    see(0, "EXISTS", group)
    acquire(nil, 300, "a", 1000, "x")
    me:call("HDEL", group, "x:a:expire_time")
    release(nil, "free", "a", 1000, "publish", 90, "x")
    see(0, "EXISTS", latch)
    me:call("DEL", group)
    acquire(nil, 300, "a", 1000, "x")
    acquire(nil, 300, "b", 1400, "x")        -- by a fast clock: a's hold is not over by his own, and x is b's all the same
    release(nil, "free", "a", 1000, "publish", 90, "x")
    see("b", "HGET", group, "x")
    see("1", "HGET", group, "x:a:lock_count")
    me:call("DEL", group)
    heard:are { "some", "free" }

    acquire(nil, 300, "a", 1000, "x", "y")
    renew({ 0 }, 500, 1100, "b", "x")
    renew({ 0 }, 500, 1100, "a", "x", "z")
    see("1300", "HGET", group, "x:a:expire_time")
    see(300, "PTTL", group)
    renew({ 1 }, 500, 1100, "a", "x")
    see("1600", "HGET", group, "x:a:expire_time")
    see("1300", "HGET", group, "y:a:expire_time")
    see(500, "PTTL", group)
    renew({ 1 }, 400, 1100, "a", "x", "y")   -- a shorter one does not make the hash's life shorter
    see("1500", "HGET", group, "y:a:expire_time")
    see(500, "PTTL", group)

    force(0, "forced", "publish", "z")
    heard:are { "some", "free" }
    force(1, "forced", "publish", "z", "x")
    all { "y", "a", "y:a:lock_count", "1", "y:a:expire_time", "1500" }
    heard:are { "some", "free", "forced" }
    force(1, "forced", "publish", "y")
    see(0, "EXISTS", group)
    heard:are { "some", "free", "forced", "forced" }
    heard:stop()
  end,
}
