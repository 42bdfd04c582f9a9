-- basic/function: a lock whose scripts are functions of a library. A server that restarts empty has lost the library,
-- too: the client loads it again. What a library keeps in its locals between two calls would not be in the
-- keyspace: it is refused.
local driver = require "basic.function"

local library = script "basic/function/lock.lua"

-- Takes the lock, works and gives it back; work_ms above a third of the lease and the watchdog renews it.
local function once(work_ms)
  return function(me)
    local lock = driver.lock(me, "order:42", { lease_ms = 2000 })
    if lock:acquire() then
      me:work(work_ms)
      lock:release()
    end
  end
end

-- The same where nothing goes wrong: each function is called, and answers as it should.
local function surely(me)
  local lock = driver.lock(me, "order:42", { lease_ms = 2000 })
  local function left_ms()
    return me:eval(library, { "order:42" }, {}, { fcall = "lock_left_ms" })
  end
  assert(lock:acquire())
  assert(left_ms() == 2000)
  me:work(700)
  assert(left_ms() == 2000 - 34)               -- renewed after 666 ms
  assert(lock:release())
  assert(me:eval(library, { "order:42" }, { "nobody", 1 }, { fcall = "lock_renew" }) == 0)
end

-- A lock that is kept nowhere but in the library: it looks right until the server is restarted.
local kept = script.text [[#!lua name=kept
local holder = false
redis.register_function('take', function(keys, args)
  if holder then
    return 0
  end
  holder = args[1]
  return 1
end)
]]

return {
  title   = "a lock of Redis functions",
  clients = { "A", "B" },
  program = once(100),
  cases   = {
    contended = {
      program  = surely,
      expect   = { strict_mutual_exclusion = "holds", owner_only = "holds", no_leak = "holds",
                   script_health = "holds" },
      must_see = { "contention" },
    },
    -- A dead holder's lease ends by itself.
    crash = {
      faults   = { crash = 1 },
      expect   = { mutual_exclusion = "holds", no_deadlock = "holds" },
      must_see = { "contention", "crash", "expiry" },
    },
    -- The library goes with the lock, and both clients go on: a holder loses nothing that it could know of.
    wipe = {
      faults   = { wipe = 1 },
      expect   = { mutual_exclusion = "violated", strict_mutual_exclusion = "violated", script_health = "holds" },
      must_see = { "contention", "wipe" },
    },
    -- SCRIPT FLUSH does not touch libraries.
    script_flush = {
      faults   = { script_flush = 1 },
      expect   = { strict_mutual_exclusion = "holds", script_health = "holds" },
    },
    kept_in_the_library = {
      program = function(me)
        me:eval(kept, { "order:42" }, { me.id }, { fcall = "take" })
      end,
      expect  = { script_health = "violated" },
    },
  },
}
