-- Redisson's spin lock, fenced locks, lock that is not reentrant, and count-down latch, script by script.
local answers = require "answers"

local function spin(me, see)
  local latch = "{L}:latch"
  local release = answers.of(me, script "redisson/spin/release.lua", { "L", latch })
  local force = answers.of(me, script "redisson/spin/force_release.lua", { "L" })
  me:call("HSET", "L", "a", 2)
  me:call("PEXPIRE", "L", 300)
  release(nil, 200, "b", 90)
  see(0, "EXISTS", latch)
  release(0, 200, "a", 90)
  see("1", "HGET", "L", "a")
  see(200, "PTTL", "L")
  see("0", "GET", latch)
  see(90, "PTTL", latch)
  release(0, 200, "a", 90)                   -- sent again: the latch answers, and nothing changes
  see("1", "HGET", "L", "a")
  me:call("DEL", latch)
  release(1, 200, "a", 80)
  see(0, "EXISTS", "L")
  see("1", "GET", latch)
  see(80, "PTTL", latch)
  release(1, 200, "a", 80)
  me:call("DEL", latch)
  force(0)
  me:call("HSET", "L", "a", 2)
  force(1)
  see(0, "EXISTS", "L")
end

local function fenced(me, see)
  local keys = { "F", "{F}:tokens" }
  local told = answers.of(me, script "redisson/fenced/acquire.lua", keys)
  local plain = answers.of(me, script "redisson/fenced/acquire_plain.lua", keys)
  told({ -1, 1 }, 300, "a")
  see("1", "HGET", "F", "a")
  see(300, "PTTL", "F")
  told({ 300, -1 }, 300, "b")
  see("1", "GET", "{F}:tokens")
  me:sleep(100)
  told({ -1, 2 }, 400, "a")
  see("2", "HGET", "F", "a")
  see(400, "PTTL", "F")
  me:call("DEL", "F")
  plain(nil, 300, "a")
  see("3", "GET", "{F}:tokens")
  see("1", "HGET", "F", "a")
  see(300, "PTTL", "F")
  plain(300, 300, "b")
  see("3", "GET", "{F}:tokens")
  me:sleep(100)
  plain(nil, 400, "a")
  see("4", "GET", "{F}:tokens")
  see("2", "HGET", "F", "a")
  see(400, "PTTL", "F")
  me:call("DEL", "F", "{F}:tokens")
end

local function non_reentrant(me, see)
  local file = script "redisson/non_reentrant/acquire.lua"
  local acquire = answers.of(me, file, { "N" })
  acquire(nil, 300, "a", "ERR mine already")
  see("1", "HGET", "N", "a")
  see(300, "PTTL", "N")
  acquire(300, 500, "b", "ERR mine already")
  local got, problem = me:eval(file, { "N" }, { 500, "a", "ERR mine already" }, { op = "ask" })
  answers.is({ tostring(got), problem.message }, { "nil", "ERR mine already" })
  see("1", "HGET", "N", "a")
  see(300, "PTTL", "N")
  me:call("DEL", "N")
end

local function count_down_latch(me, see)
  local channel = "{D}:channel"
  local heard = answers.listen(me, channel)
  local set = answers.of(me, script "redisson/latch/set_count.lua", { "D", channel })
  local down = answers.of(me, script "redisson/latch/count_down.lua", { "D", channel })
  local delete = answers.of(me, script "redisson/latch/delete.lua", { "D", channel })
  set(1, "new", 2, "publish")
  see("2", "GET", "D")
  set(0, "new", 5, "publish")
  see("2", "GET", "D")
  heard:are { "new" }
  down(nil, "zero", "publish")
  see("1", "GET", "D")
  heard:are { "new" }
  down(nil, "zero", "publish")
  see(0, "EXISTS", "D")
  heard:are { "new", "zero" }
  down(nil, "zero", "publish")               -- below zero: nothing stays, no message is sent
  see(0, "EXISTS", "D")
  delete(0, "new", "publish")
  set(1, "new", 2, "publish")
  delete(1, "gone", "publish")
  see(0, "EXISTS", "D")
  heard:are { "new", "zero", "new", "gone" }
  heard:stop()
end

return {
  title   = "redisson/spin, fenced, non_reentrant, latch: what each script answers and leaves behind",
  clients = { "A" },
  program = function(me)
    local see = answers.see(me)
    spin(me, see)
    fenced(me, see)
    non_reentrant(me, see)
    count_down_latch(me, see)
  end,
}
