-- Redisson's semaphore, script by script: each answer, how many permits there are then, each message.
local answers = require "answers"

return {
  title   = "redisson/semaphore: what each script answers and leaves behind",
  clients = { "A" },
  program = function(me)
    local name, channel = "S", "{S}:channel"
    local see = answers.see(me)
    local heard = answers.listen(me, channel)
    local acquire = answers.of(me, script "redisson/semaphore/acquire.lua", { name })
    local release = answers.of(me, script "redisson/semaphore/release.lua", { name, channel })
    local set = answers.of(me, script "redisson/semaphore/set_permits.lua", { name, channel })
    local add = answers.of(me, script "redisson/semaphore/add_permits.lua", { name, channel })
    local drain = answers.of(me, script "redisson/semaphore/drain.lua", { name })

    acquire(0, 1)                            -- it has not been given any
    acquire(0, 0)
    drain(0)
    see(0, "EXISTS", name)
    set(1, 3, "publish")
    see("3", "GET", name)
    set(0, 9, "publish")
    see("3", "GET", name)
    heard:are { "3" }
    acquire(0, 4)
    see("3", "GET", name)
    acquire(1, 2)
    see("1", "GET", name)
    acquire(1, 1)                            -- the last one
    see("0", "GET", name)
    acquire(0, 1)
    release(nil, 2, "publish")
    see("2", "GET", name)
    heard:are { "3", "2" }
    drain("2")
    see("0", "GET", name)
    drain("0")
    add(nil, 5, "publish")
    see("5", "GET", name)
    add(nil, -2, "publish")
    see("3", "GET", name)
    me:call("DEL", name)
    add(nil, 4, "publish")                   -- where there was nothing
    see("4", "GET", name)
    heard:are { "3", "2", "5", "3", "4" }
    me:call("DEL", name)
    heard:stop()
  end,
}
