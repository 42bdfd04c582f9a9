-- Redisson's reentrant lock, script by script: each answer, each key, each expiry, each message.
local answers = require "answers"

return {
  title   = "redisson/lock: what each script answers and leaves behind",
  clients = { "A" },
  program = function(me)
    local lock, latch = "L", "{L}:latch"
    local acquire = answers.of(me, script "redisson/lock/acquire.lua", { lock })
    local release = answers.of(me, script "redisson/lock/release.lua", { lock, "{L}:channel", latch })
    local force = answers.of(me, script "redisson/lock/force_release.lua", { lock, "{L}:channel" })
    local renew = answers.of(me, script "redisson/lock/renew.lua", { lock, "{L}:2", "{L}:3" })
    local see = answers.see(me)
    local heard = answers.listen(me, "{L}:channel")

    acquire(nil, 300, "a")
    see("1", "HGET", lock, "a")
    see(300, "PTTL", lock)
    acquire(300, 500, "b")
    me:sleep(100)
    acquire(nil, 400, "a")                   -- re-entered: the lease is a full one again
    see("2", "HGET", lock, "a")
    see(400, "PTTL", lock)

    me:call("HSET", "{L}:3", "c", 1)
    me:call("PEXPIRE", "{L}:3", 50)
    renew({ 1, 0, 1 }, 700, "a", "a", "c")
    see(700, "PTTL", lock)
    see(700, "PTTL", "{L}:3")
    see(0, "EXISTS", "{L}:2")
    me:call("DEL", "{L}:3")

    release(nil, "free", 200, "b", "publish", 90)
    see(0, "EXISTS", latch)
    release(0, "free", 200, "a", "publish", 90)
    see("1", "HGET", lock, "a")
    see(200, "PTTL", lock)
    see("0", "GET", latch)
    see(90, "PTTL", latch)
    release(0, "free", 200, "a", "publish", 90)      -- sent again: the latch answers, and nothing changes
    see("1", "HGET", lock, "a")
    me:call("DEL", latch)
    heard:are {}
    release(1, "free", 200, "a", "publish", 80)
    see(0, "EXISTS", lock)
    see("1", "GET", latch)
    see(80, "PTTL", latch)
    release(1, "free", 200, "a", "publish", 80)
    heard:are { "free" }

    force(0, "free", "publish")
    acquire(nil, 300, "a")
    force(1, "forced", "publish")
    see(0, "EXISTS", lock)
    heard:are { "free", "forced" }
    me:call("DEL", latch)
    heard:stop()
  end,
}
