-- Whoever holds nothing on a side gives it back: nobody is disturbed, though he may hold the other side.
local redisson = require "redisson.read_write"

return {
  title   = "redisson/read_write: a release by a stranger",
  clients = { "A", "B" },
  program = function(me)
    local write, read = redisson.write(me, "order:42"), redisson.read(me, "order:42")
    if me.client == "A" then
      read:acquire()
      me:work(100)
      assert(write:release() == nil)           -- he only reads
      assert(read:release() == true)
    else
      assert(read:release() == nil)
      assert(write:release() == nil)
    end
  end,
  expect  = {
    strict_mutual_exclusion = "holds",
    owner_only = "holds",
    -- The readers' timeout keys are not among the scripts' KEYS.
    script_health = "violated",
  },
  must_see = { "grant", "release" },
}
