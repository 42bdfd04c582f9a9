-- Redisson's fair lock that is not reentrant, tried once.
local answers = require "answers"

local keys = { "L", "{L}:queue", "{L}:deadlines" }

return {
  title   = "redisson/fair_non_reentrant: what try_once answers and leaves behind",
  clients = { "A" },
  program = function(me)
    local try = answers.of(me, script "redisson/fair_non_reentrant/try_once.lua", keys)
    local see = answers.see(me)
    local function queue(a, b, c, d)
      see({ a, b, c, d }, "LRANGE", keys[2], 0, -1)
    end
    local function deadlines(a, b, c, d, e, f)
      see({ a, b, c, d, e, f }, "ZRANGE", keys[3], 0, -1, "WITHSCORES")
    end

    try(nil, 300, "a", 5000, 1000, "ERR mine already")
    see("1", "HGET", keys[1], "a")
    see(300, "PTTL", keys[1])
    local got, problem = me:eval(script "redisson/fair_non_reentrant/try_once.lua", keys,
                                 { 300, "a", 5000, 1000, "ERR mine already" },
                                 { op = "ask" })
    answers.is({ tostring(got), problem.message }, { "nil", "ERR mine already" })
    see("1", "HGET", keys[1], "a")
    try(1, 300, "b", 5000, 1000, "ERR mine already")             -- held: the caller does not queue
    queue()

    for i, owner in ipairs { "b", "c", "d", "e" } do
      me:call("RPUSH", keys[2], owner)
      me:call("ZADD", keys[3], 5000 + i * 1000, owner)
    end
    try(1, 300, "b", 5999, 1000, "ERR mine already")
    queue("b", "c", "d", "e")
    -- b has outwaited its deadline in this very millisecond
    try(1, 300, "x", 6000, 1000, "ERR mine already")
    queue("c", "d", "e")
    deadlines("c", "7000", "d", "8000", "e", "9000")

    me:call("DEL", keys[1])
    try(1, 300, "d", 6000, 1000, "ERR mine already")             -- free, and another's turn
    see(0, "EXISTS", keys[1])
    try(nil, 300, "c", 6000, 1000, "ERR mine already")           -- its turn: each waiter moves up by one wait
    see("1", "HGET", keys[1], "c")
    see(300, "PTTL", keys[1])
    queue("d", "e")
    deadlines("d", "7000", "e", "8000")
    try(1, 300, "x", 8000, 1000, "ERR mine already")             -- two at once
    queue()
    deadlines()
    me:call("RPUSH", keys[2], "ghost")       -- a head without a deadline stays, whatever the time is
    try(1, 300, "x", 99999, 1000, "ERR mine already")
    queue("ghost")
    me:call("DEL", keys[1], keys[2], keys[3])
  end,
}
