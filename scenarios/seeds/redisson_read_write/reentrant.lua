-- One thread takes both sides over and over, in every order that is allowed: each hold is counted on its own side.
local redisson = require "redisson.read_write"

return {
  title   = "redisson/read_write: holds within holds",
  clients = { "A", { "B", start_ms = 10 } },
  program = function(me)
    local write, read = redisson.write(me, "order:42"), redisson.read(me, "order:42")
    if me.client == "B" then
      write:acquire()
      me:work(100)
      assert(write:release() == true)
      return
    end
    write:acquire()
    write:acquire()
    read:acquire()
    read:acquire()
    me:work(100)
    assert(write:release() == false)           -- one write hold is left
    assert(read:release() == false)
    assert(write:release() == true)            -- and only reads from here on
    me:work(100)
    assert(read:release() == true)
    assert(read:release() == nil)
  end,
  expect  = {
    strict_mutual_exclusion = "holds",
    reentrancy = "holds",
    prompt = { "holds", idle_ms = 1 },
    -- A write hold within another adds its lease to what is left.
    lease_set = "violated",
    -- The readers' timeout keys are not among the scripts' KEYS.
    script_health = "violated",
  },
  must_see = { "re-entry", "wait" },
}
