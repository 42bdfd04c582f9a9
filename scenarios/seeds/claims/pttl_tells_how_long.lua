-- Seed 000, its example 3: a refused thread is told how long the holder's lease still runs, "25000" say. Confirmed:
-- after 5 s of 30 s.
local acquire = script "redisson/lock/acquire.lua"

return {
  title   = "claim of seed 000: the refused are told how long",
  clients = { "A" },
  program = function(me)
    local function ask(owner)
      return me:eval(acquire, { "my_lock" }, { 30000, owner }, { op = "ask" })
    end
    assert(ask("client1_thread1") == nil)      -- example 1: free, so it is ours
    assert(me:call("HGET", "my_lock", "client1_thread1") == "1")
    assert(ask("client1_thread1") == nil)      -- example 2: a re-entry
    assert(me:call("HGET", "my_lock", "client1_thread1") == "2")
    me:sleep(5000)
    assert(ask("client2_thread1") == 25000)    -- example 3
    me:sleep(24999)
    assert(ask("client2_thread1") == 1)
    me:sleep(2)                                -- the deadline itself would still count
    assert(ask("client2_thread1") == nil)
  end,
}
