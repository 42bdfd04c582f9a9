-- Seed 004's locks, script by script: each answer, each key, each expiry, each message.
local answers = require "answers"

local function reentrant(me, see, acquire, release, heard)
  acquire(1, 300, "a")
  see("1", "HGET", "R", "a")
  see(300, "PTTL", "R")
  acquire(0, 400, "b")
  me:sleep(100)
  acquire(1, 400, "a")                       -- re-entered: the lease is a full one again
  see("2", "HGET", "R", "a")
  see(400, "PTTL", "R")
  release(nil, 200, "b")
  release(1, 200, "a")
  see("1", "HGET", "R", "a")
  see(200, "PTTL", "R")
  heard:are {}
end

local function fair(me, see)
  local lock, queue, channel = "F", "{F}:queue", "{F}:channel"
  local acquire_file, release_file, leave_file =
    script "notes/fair/acquire.lua", script "notes/fair/release.lua", script "notes/fair/leave.lua"
  local heard = answers.listen(me, channel)
  local function acquire(wanted, owner, lease_ms)
    answers.is((me:eval(acquire_file, { lock, queue, "{F}:" .. owner }, { lease_ms or 300, owner })), wanted)
  end
  local function release(wanted, owner)
    answers.is((me:eval(release_file, { lock, queue, "{F}:" .. owner, channel }, { 200, owner })), wanted)
  end
  local function leave(wanted, owner)
    answers.is((me:eval(leave_file, { queue, "{F}:" .. owner, channel }, { owner })), wanted)
  end
  local function line(wanted)
    see(wanted, "LRANGE", queue, 0, -1)
  end

  acquire(1, "a")
  see({ "a", "1" }, "HGETALL", lock)
  see(300, "PTTL", lock)
  see({ "state", "holding" }, "HGETALL", "{F}:a")
  line { "a" }
  me:sleep(100)
  acquire(1, "a", 400)
  see("2", "HGET", lock, "a")
  see(400, "PTTL", lock)
  acquire(0, "b")
  acquire(0, "c")
  acquire(0, "b")
  see({ "state", "waiting" }, "HGETALL", "{F}:b")
  line { "a", "b", "c" }
  release(1, "a")
  see("1", "HGET", lock, "a")
  see(200, "PTTL", lock)
  line { "a", "b", "c" }
  heard:are {}
  release(0, "a")
  see(0, "EXISTS", lock)
  see(0, "EXISTS", "{F}:a")
  line { "b", "c" }
  heard:are { "b" }
  release(nil, "a")                          -- not held: nothing is said
  heard:are { "b" }
  acquire(0, "c")
  see(0, "EXISTS", lock)
  acquire(1, "b")
  see({ "state", "holding" }, "HGETALL", "{F}:b")
  acquire(0, "d")
  me:call("DEL", lock)                       -- b's lease is over, and it still stands at the head
  release(nil, "b")
  heard:are { "b", "c" }
  line { "c", "d" }

  leave(1, "c")
  see(0, "EXISTS", "{F}:c")
  line { "d" }
  heard:are { "b", "c", "d" }
  leave(0, "c")
  heard:are { "b", "c", "d" }
  leave(1, "d")
  line {}
  acquire(1, "e")
  release(0, "e")                            -- and no waiter is left to be told
  heard:are { "b", "c", "d" }
  heard:stop()
end

return {
  title   = "notes: what each script answers and leaves behind",
  clients = { "A" },
  program = function(me)
    local see = answers.see(me)
    local heard = answers.listen(me, "unlock_channel")
    local release = answers.of(me, script "notes/reentrant_mended/release.lua", { "R" })
    reentrant(me, see, answers.of(me, script "notes/reentrant_mended/acquire.lua", { "R" }), release, heard)
    release(1, 200, "a")
    see(0, "EXISTS", "R")
    heard:are { "release" }
    release(nil, 200, "a")

    -- As printed: the last release frees the lock, and then fails.
    local printed = script "notes/reentrant/release.lua"
    reentrant(me, see, answers.of(me, script "notes/reentrant/acquire.lua", { "R" }), answers.of(me, printed, { "R" }),
              { are = function() end })
    local got, problem = me:eval(printed, { "R" }, { 200, "a" })
    answers.is({ tostring(got), problem.message:find("publish", 1, true) ~= nil }, { "nil", true })
    see(0, "EXISTS", "R")
    heard:are { "release" }
    heard:stop()
    fair(me, see)
  end,
  expect  = { script_health = "violated" },  -- no Redis has redis.publish
}
