-- A cluster as a lock sees it: one request names keys of one slot, and a slot may be on its way to another node. The
-- client follows MOVED and ASK; of a moving slot it sees TRYAGAIN where it names several keys, and a node that does
-- not know its script.
local generic = require "generic"
local simple = require "simple.string"

-- A lock with a fencing counter, {order:42}:fence beside {order:42} or in any slot.
local function fenced(counter)
  return generic.lock {
    acquire  = "basic/fenced/acquire.lua",
    release  = "basic/set_nx/release.lua",
    keys     = { acquire = { "$lock", counter }, release = { "$lock" } },
    args     = { acquire = { "$token", "$lease_ms" }, release = { "$token" } },
    lasting  = { counter },
    fencing  = true,
    lease_ms = 2000,
  }
end
local in_one_slot, in_two_slots = fenced("$lock:fence"), fenced("fence")

-- A client that is told to try again does, a little later; any other problem ends the program.
local function once(driver)
  return function(me)
    local lock = driver.lock(me, "{order:42}", { lease_ms = 2000, lease_s = 2, retry_ms = 250 })
    local held, why = lock:acquire()
    while not held do
      assert(why:find("^TRYAGAIN") or why:find("^CROSSSLOT") or why == "noscript", why)
      if why:find("^CROSSSLOT") then
        return                                 -- this lock will never be had
      end
      me:sleep(50)
      held, why = lock:acquire()
    end
    me:work(100)
    lock:release()
  end
end

return {
  title   = "a lock in a cluster",
  cluster = true,
  clients = { "A", "B" },
  program = once(in_one_slot),
  cases   = {
    two_keys_while_a_slot_moves = {
      faults   = { move_slot = 2 },
      expect   = { strict_mutual_exclusion = "holds", owner_only = "holds", fencing = "holds", no_deadlock = "holds",
                   script_health = "holds" },
      must_see = { "move_slot", "contention" },
    },
    -- The next node does not know the script: the client gives it the text, and nothing was done twice.
    one_key_while_a_slot_moves = {
      program  = once(simple),
      faults   = { move_slot = 2 },
      expect   = { strict_mutual_exclusion = "holds", no_deadlock = "holds", script_health = "holds" },
      must_see = { "move_slot", "contention", "expiry" },
    },
    -- Keys of two slots: no node takes such a request.
    two_slots = {
      program  = once(in_two_slots),
      expect   = { script_health = "violated" },
    },
    -- The same lock on one server that is no cluster: slots do not matter.
    two_slots_and_no_cluster = {
      cluster  = false,
      program  = once(in_two_slots),
      expect   = { strict_mutual_exclusion = "holds", script_health = "holds" },
      must_see = { "contention" },
    },
    -- A key that the script makes up itself may be on another node.
    made_up_key = {
      program  = function(me)
        local answer, problem = me:eval("return redis.call('INCR', 'count')", { "{order:42}" }, {})
        assert(answer == nil and problem.message:find("^ERR Script attempted to access a non local key"))
      end,
      expect   = { script_health = "violated" },
    },
  },
}
