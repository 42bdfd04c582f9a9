-- redisson/multi: what a group of two locks tells its caller, and what it leaves behind.
local group = require "redisson.multi"
local redisson = require "redisson.lock"

local function group_of(me)
  local x, y = redisson.lock(me:on(1), "X"), redisson.lock(me:on(2), "Y")
  return group.lock(me, "X and Y", { x, y }), x, y
end

-- B's program beside A, which holds Y alone for so long.
local function beside(held_ms, program)
  return function(me)
    local both, x, y = group_of(me)
    if me.client == "A" then
      y:acquire()
      me:work(held_ms)
      y:release()
    else
      program(me, both, x)
    end
  end
end

return {
  title   = "redisson/multi: one client",
  servers = 2,
  clients = { { "A", start_ms = 0 }, { "B", start_ms = 10 } },
  expect  = { strict_mutual_exclusion = "holds" },
  cases   = {
    -- All of it is taken and given back, twice over.
    uncontended = {
      clients = { { "A", start_ms = 0 } },
      program = function(me)
        local both = group_of(me)
        for _ = 1, 2 do
          assert(both:try_acquire() == true)
          me:work(100)
          assert(both:release() == true)
        end
      end,
    },
    -- One lock is another's: the group is refused at once, and gives back what it had.
    refused = {
      title   = "redisson/multi: refused",
      program = beside(1000, function(me, both, x)
        assert(both:try_acquire() == false)
        assert(x:try_acquire() == true)
        me:work(10)
        assert(x:release() == true)
      end),
    },
    -- It waits for as long as it was told, and no longer; nothing stays behind.
    gives_up = {
      title   = "redisson/multi: the wait is over",
      program = beside(5000, function(me, both, x)
        local from_ms = me:now()
        assert(both:try_acquire(2000) == false)
        assert(me:now() - from_ms == 2000)
        assert(x:try_acquire() == true)
        assert(x:release() == true)
      end),
    },
    -- It waits, and is let in when the other has finished.
    waits = {
      title   = "redisson/multi: let in",
      program = beside(300, function(me, both)
        assert(both:try_acquire(2000) == true)
        me:work(100)
        assert(both:release() == true)
      end),
    },
    -- lock() asks in rounds until all are had.
    lock = {
      title   = "redisson/multi: lock()",
      program = beside(4000, function(me, both)
        assert(both:acquire() == true)
        me:work(100)
        assert(both:release() == true)
      end),
    },
    -- A lease is that of the caller for all locks, and what is left of it is what the caller counts on.
    lease = {
      title   = "redisson/multi: a lease",
      clients = { { "A", start_ms = 0 } },
      program = function(me)
        local both, x = group_of(me)
        assert(both:try_acquire(-1, 1000) == true)
        assert(me:on(1):call("PTTL", "X") == 1000 and me:on(2):call("PTTL", "Y") == 1000)
        me:work(500)
        assert(both:release() == true)
        assert(both:acquire(2, 1000) == true)
        assert(me:on(1):call("PTTL", "X") == 2000)
        me:work(2500)
        local freed, why = both:release()
        assert(freed == nil and why == "not owner")
        assert(x:release() == nil)
      end,
      expect  = { strict_mutual_exclusion = "holds" },
    },
  },
}
