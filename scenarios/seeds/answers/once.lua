-- once.lua: a fair lock tried once, whose script `file` is: what it answers, and what it leaves of lock, queue and
-- deadlines.
local answers = require "answers"

local keys = { "L", "{L}:queue", "{L}:deadlines" }

-- ghosts: the script leaves a head of the queue that has no deadline where it is.
return function(me, file, ghosts)
  local try = answers.of(me, file, keys)
  local see = answers.see(me)
  local function queue(a, b, c, d)
    see({ a, b, c, d }, "LRANGE", keys[2], 0, -1)
  end
  local function deadlines(a, b, c, d, e, f)
    see({ a, b, c, d, e, f }, "ZRANGE", keys[3], 0, -1, "WITHSCORES")
  end

  try(nil, 300, "a", 5000, 1000)
  see("1", "HGET", keys[1], "a")
  see(300, "PTTL", keys[1])
  me:sleep(100)
  try(nil, 300, "a", 5000, 1000)           -- re-entered: the lease is a full one again
  see("2", "HGET", keys[1], "a")
  see(300, "PTTL", keys[1])
  try(1, 300, "b", 5000, 1000)             -- held: the caller does not queue
  queue()

  for i, owner in ipairs { "b", "c", "d", "e" } do
    me:call("RPUSH", keys[2], owner)
    me:call("ZADD", keys[3], 5000 + i * 1000, owner)
  end
  try(1, 300, "b", 5999, 1000)
  queue("b", "c", "d", "e")
  try(1, 300, "x", 6000, 1000)             -- b has outwaited its deadline in this very millisecond
  queue("c", "d", "e")
  deadlines("c", "7000", "d", "8000", "e", "9000")

  me:call("DEL", keys[1])
  try(1, 300, "d", 6000, 1000)             -- free, and another's turn
  see(0, "EXISTS", keys[1])
  try(nil, 300, "c", 6000, 1000)           -- its turn: each waiter moves up by one wait
  see("1", "HGET", keys[1], "c")
  see(300, "PTTL", keys[1])
  queue("d", "e")
  deadlines("d", "7000", "e", "8000")
  try(1, 300, "x", 8000, 1000)             -- two at once
  queue()
  deadlines()
  if ghosts then
    me:call("RPUSH", keys[2], "ghost")
    try(1, 300, "x", 99999, 1000)            -- whatever the time is
    queue("ghost")
  end
  me:call("DEL", keys[1], keys[2], keys[3])
end
