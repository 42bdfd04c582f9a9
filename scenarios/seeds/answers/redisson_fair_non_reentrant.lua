-- Redisson's fair lock that is not reentrant, as it is acquired: answers, the queue, and when each waiter is considered
-- dead, to the millisecond. What "now" is, the caller says, and here it is a small number that has nothing to do
-- with the clock.
local answers = require "answers"

local acquire_file = script "redisson/fair_non_reentrant/acquire.lua"
local keys = { "L", "{L}:queue", "{L}:deadlines" }

return {
  title   = "redisson/fair_non_reentrant: what acquire answers and leaves behind",
  clients = { "A" },
  program = function(me)
    local ask = answers.of(me, acquire_file, keys)
    local see = answers.see(me)
    local function acquire(wanted, owner, now)
      ask(wanted, 300, owner, 1000, now, "ERR mine already")
    end
    local function queue(a, b, c, d)
      see({ a, b, c, d }, "LRANGE", keys[2], 0, -1)
    end
    local function deadlines(a, b, c, d, e, f)
      see({ a, b, c, d, e, f }, "ZRANGE", keys[3], 0, -1, "WITHSCORES")
    end

    acquire(nil, "a", 5000)
    see("1", "HGET", keys[1], "a")
    see(300, "PTTL", keys[1])
    local got, problem = me:eval(acquire_file, keys, { 300, "a", 1000, 5000, "ERR mine already" }, { op = "ask" })
    answers.is({ tostring(got), problem.message }, { "nil", "ERR mine already" })
    see("1", "HGET", keys[1], "a")
    queue()

    acquire(300, "b", 5000)                  -- the lock's expiry plus one wait
    acquire(1300, "c", 5000)                 -- then each one's place plus one wait
    acquire(2300, "d", 5000)
    deadlines("b", "6300", "c", "7300", "d", "8300")
    acquire(300, "b", 5000)                  -- asking again changes nothing
    queue("b", "c", "d")
    deadlines("b", "6300", "c", "7300", "d", "8300")

    me:call("DEL", keys[1])
    acquire(0, "c", 5000)                    -- free, and another's turn
    acquire(3300, "e", 5000)
    acquire(nil, "b", 5000)                  -- its turn: each waiter moves up by one wait
    see("1", "HGET", keys[1], "b")
    see(300, "PTTL", keys[1])
    queue("c", "d", "e")
    deadlines("c", "6300", "d", "7300", "e", "8300")

    acquire(300, "c", 6299)
    queue("c", "d", "e")
    acquire(2000, "f", 6300)                 -- c has outwaited its deadline in this very millisecond
    queue("d", "e", "f")
    deadlines("d", "7300", "e", "8300", "f", "9300")
    acquire(300, "f", 8300)                  -- two at once
    queue("f")
    deadlines("f", "9300")

    me:call("LPUSH", keys[2], "ghost")       -- a head without a deadline stays, whatever the time is
    acquire(300, "f", 99999)
    queue("ghost", "f")
    me:call("RPUSH", keys[2], "ghost")       -- behind a last one without a deadline the lock's expiry counts
    acquire(300, "g", 5000)
    queue("ghost", "f", "ghost", "g")
    deadlines("g", "6300", "f", "9300")

    me:call("DEL", keys[2], keys[3])
    me:call("PERSIST", keys[1])
    acquire(-1, "h", 5000)                   -- behind a lock that never expires
    deadlines("h", "5999")
    acquire(0, "h", 5000)
    me:call("DEL", keys[1], keys[2], keys[3])
  end,
}
