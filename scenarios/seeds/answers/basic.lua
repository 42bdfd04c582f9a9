-- The basic locks' scripts, one by one: each answer, each key, each expiry.
local answers = require "answers"

local function fenced(me, see)
  local acquire = answers.of(me, script "basic/fenced/acquire.lua", { "F", "{F}:fence" })
  acquire(1, "t1", 300)
  see("t1", "GET", "F")
  see(300, "PTTL", "F")
  acquire(0, "t2", 300)
  see("1", "GET", "{F}:fence")
  me:call("DEL", "F")
  acquire(2, "t2", 300)
  see("2", "GET", "{F}:fence")
  see(-1, "PTTL", "{F}:fence")
  me:call("DEL", "F", "{F}:fence")
end

local function set_nx(me, see)
  local release = answers.of(me, script "basic/set_nx/release.lua", { "S" })
  local renew = answers.of(me, script "basic/set_nx/renew.lua", { "S" })
  me:call("SET", "S", "t1", "PX", 300)
  renew(0, "t2", 500)
  see(300, "PTTL", "S")
  renew(1, "t1", 500)
  see(500, "PTTL", "S")
  release(0, "t2")
  see("t1", "GET", "S")
  release(1, "t1")
  see(0, "EXISTS", "S")
  release(0, "t1")
  renew(0, "t1", 500)
end

local function blocking(me, see)
  local release = answers.of(me, script "basic/blocking/release.lua", { "B", "{B}:signs" })
  me:call("SET", "B", "t1", "PX", 300)
  release(0, "t2", 40)
  see("t1", "GET", "B")
  see(0, "EXISTS", "{B}:signs")
  me:call("RPUSH", "{B}:signs", "old", "older")
  release(1, "t1", 40)
  see(0, "EXISTS", "B")
  see({ "1" }, "LRANGE", "{B}:signs", 0, -1)
  see(40, "PTTL", "{B}:signs")
  release(0, "t1", 40)
  me:call("DEL", "{B}:signs")
end

local function ticket(me, see)
  local acquire = answers.of(me, script "basic/ticket/acquire.lua", { "T" })
  local release = answers.of(me, script "basic/ticket/release.lua", { "T" })
  acquire(1, "a")
  see({ "next", "1", "a", "1", "inside", "a" }, "HGETALL", "T")
  acquire(0, "b")
  acquire(0, "c")
  acquire(0, "b")                            -- asking again draws no second number
  see({ "next", "3", "a", "1", "inside", "a", "b", "2", "c", "3" }, "HGETALL", "T")
  release(0, "b")
  see("a", "HGET", "T", "inside")
  release(1, "a")
  see({ "next", "3", "b", "2", "c", "3", "called", "2" }, "HGETALL", "T")
  release(0, "a")
  acquire(0, "c")
  acquire(1, "b")
  release(1, "b")
  acquire(1, "c")
  release(1, "c")
  see({ "next", "3", "called", "4" }, "HGETALL", "T")
  me:call("DEL", "T")
end

return {
  title   = "basic: what each script answers and leaves behind",
  clients = { "A" },
  program = function(me)
    local see = answers.see(me)
    fenced(me, see)
    set_nx(me, see)
    blocking(me, see)
    ticket(me, see)
  end,
}
