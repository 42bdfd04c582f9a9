-- Redisson's fair lock of 3.13, given back, by its owner or by force, and a place in its queue: who is told, and who
-- moves up.
local answers = require "answers"

local keys = { "L", "{L}:queue", "{L}:deadlines", "{L}:channel" }

return {
  title   = "redisson/fair_3_13: what release, force_release and abandon answer and leave behind",
  clients = { "A" },
  program = function(me)
    local release = answers.of(me, script "redisson/fair_3_13/release.lua", keys)
    local force = answers.of(me, script "redisson/fair_3_13/force_release.lua", { keys[1], keys[2], keys[3], keys[4] })
    local abandon = answers.of(me, script "redisson/fair_3_13/abandon.lua", { keys[2], keys[3] })
    local see = answers.see(me)
    local heard = answers.listen(me, keys[4] .. ":c")
    local function queue(a, b, c, d)
      see({ a, b, c, d }, "LRANGE", keys[2], 0, -1)
    end
    local function deadlines(a, b, c, d, e, f)
      see({ a, b, c, d, e, f }, "ZRANGE", keys[3], 0, -1, "WITHSCORES")
    end
    local function wait_in_line(a, b, c, d)
      me:call("DEL", keys[2], keys[3])
      for i, owner in ipairs { a, b, c, d } do
        me:call("RPUSH", keys[2], owner)
        me:call("ZADD", keys[3], 5000 + i * 1000, owner)
      end
    end
    local function hold(owner, holds)
      me:call("HSET", keys[1], owner, holds)
      me:call("PEXPIRE", keys[1], 500)
    end

    hold("a", 2)
    wait_in_line("b", "c", "d")
    release(nil, "free", 200, "x", 5999)
    queue("b", "c", "d")
    see("2", "HGET", keys[1], "a")
    release(0, "free", 200, "a", 5999)       -- a hold remains, with a full lease
    see("1", "HGET", keys[1], "a")
    see(200, "PTTL", keys[1])
    heard:are {}
    release(1, "free", 200, "a", 6000)       -- b has outwaited its deadline in this very millisecond: c is told
    see(0, "EXISTS", keys[1])
    queue("c", "d")
    deadlines("c", "7000", "d", "8000")
    heard:are { "free" }
    release(1, "gone", 200, "a", 6000)       -- free: that counts as released
    heard:are { "free", "gone" }
    release(1, "none", 200, "a", 8000)       -- two at once, and no waiter is left to be told
    queue()
    deadlines()

    force(0, "none", 5000)
    hold("a", 1)
    wait_in_line("b", "c", "d")
    force(1, "forced", 6000)
    see(0, "EXISTS", keys[1])
    queue("c", "d")
    deadlines("c", "7000", "d", "8000")
    heard:are { "free", "gone", "forced" }
    hold("a", 1)
    wait_in_line("b", "c")
    force(1, "none", 5999)                    -- b is still in line, and no subscriber listens here
    queue("b", "c")
    force(0, "none", 7000)
    queue()
    deadlines()
    hold("a", 1)
    force(1, "none", 7000)

    wait_in_line("b", "c", "d", "e")
    abandon(nil, "c", 100)                   -- those behind move up by one wait
    queue("b", "d", "e")
    deadlines("b", "6000", "d", "7900", "e", "8900")
    abandon(nil, "nobody", 100)
    queue("b", "d", "e")
    deadlines("b", "6000", "d", "7900", "e", "8900")
    abandon(nil, "b", 100)
    queue("d", "e")
    deadlines("d", "7800", "e", "8800")
    me:call("DEL", keys[2], keys[3])
    heard:stop()
  end,
}
