-- redisson/read_write in situations of its own.
local redisson = require "redisson.read_write"

return {
  cases = {
    -- One thread takes both sides over and over, in every order that is allowed: each hold is counted on its own side.
    reentrant = {
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
        -- a message does not wake a thread about to park: findings/read_write_unparked.lua
        prompt = { "violated", idle_ms = 1000 },
        -- A write hold within another adds its lease to what is left.
        lease_set = "violated",
        -- The readers' timeout keys are not among the scripts' KEYS.
        script_health = "violated",
      },
      must_see = { "re-entry", "wait" },
    },
    -- A reader's lease ends while it works: the writer comes in, and the reader learns it when it gives its hold back.
    lease_expiry = {
      title   = "redisson/read_write: the work outlasts the lease",
      clients = { "A", { "B", start_ms = 100 } },
      program = function(me)
        local lock = redisson[me.client == "A" and "read" or "write"](me, "order:42", { lease_ms = 1000 })
        if lock:try_acquire(5000) then
          me:work(1500)
          local freed, why = lock:release()
          assert(freed == nil and why == "not owner")
        end
      end,
      expect  = {
        mutual_exclusion = "holds",
        -- The reader works 500 ms longer than it was promised.
        strict_mutual_exclusion = "violated",
        -- The readers' timeout keys are not among the scripts' KEYS.
        script_health = "violated",
      },
      must_see = { "expiry", "wait" },
    },
    -- A client that does not hold a side gives it back: no other is disturbed, though it may hold the other side.
    non_owner = {
      title   = "redisson/read_write: a release by a stranger",
      clients = { "A", "B" },
      program = function(me)
        local write, read = redisson.write(me, "order:42"), redisson.read(me, "order:42")
        if me.client == "A" then
          read:acquire()
          me:work(100)
          assert(write:release() == nil)           -- it only reads
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
    },
    -- A writer reads as well, and goes on reading when it has written: no client writes in between.
    downgrade_in_time = {
      title   = "redisson/read_write: a writer that goes on reading",
      clients = { "A", "B" },
      program = function(me)
        local write, read = redisson.write(me, "order:42"), redisson.read(me, "order:42")
        write:acquire()
        read:acquire()
        me:work(10)
        write:release()
        me:work(100)
        read:release()
      end,
      expect  = {
        strict_mutual_exclusion = "holds",
        prompt = { "holds", idle_ms = 1 },
        -- The readers' timeout keys are not among the scripts' KEYS.
        script_health = "violated",
      },
      must_see = { "grant", "wait" },
    },
    -- A stranger frees one side by force: the other side's holders keep it.
    force_release = {
      title   = "redisson/read_write: one side is freed by force",
      clients = { "A", { "B", start_ms = 50 } },
      program = function(me)
        local lock = redisson[me:choose { "read", "write" }](me, "order:42")
        if me.client == "A" then
          lock:acquire()
          me:work(100)
          lock:release()                           -- nil, "not owner" when B was faster
        else
          lock:force_release()                     -- finds nothing when A is on the other side
        end
      end,
      expect  = {
        owner_only = "holds",                      -- by force is by definition allowed
        matches_spec = "holds",
        -- The readers' timeout keys are not among the scripts' KEYS.
        script_health = "violated",
      },
      must_see = { "grant", "release" },
    },
    -- Two readers of one process and one of another work for longer than a lease: each watchdog renews the holds of
    -- its own process.
    long_work = {
      title   = "redisson/read_write: readers that are renewed",
      clients = { { "A", threads = 2, start_ms = 0 }, "B", { "C", start_ms = 1000 } },
      program = function(me)
        local lock = redisson[me.client == "C" and "write" or "read"](me, "order:42")
        lock:acquire()
        me:work(me.client == "C" and 100 or me.client == "A" and 35000 or 45000)
        lock:release()
      end,
      expect  = {
        strict_mutual_exclusion = "holds",
        -- a message does not wake a thread about to park: findings/read_write_unparked.lua
        prompt = { "violated", idle_ms = 1000 },
        -- The readers' timeout keys are not among the scripts' KEYS.
        script_health = "violated",
      },
      must_see = { "renewal", "wait" },
    },
    -- Two threads of one process read, another process writes: the threads share one subscription, and are told apart
    -- in the lock.
    threads = {
      title   = "redisson/read_write: readers in one process, a writer in another",
      clients = { { "A", threads = 2 }, "B" },
      program = function(me)
        local lock = redisson[me.client == "A" and "read" or "write"](me, "order:42")
        if lock:acquire() then
          me:work(100)
          lock:release()
        end
      end,
      expect  = {
        strict_mutual_exclusion = "holds",
        -- a message does not wake a thread about to park: findings/read_write_unparked.lua
        prompt = { "violated", idle_ms = 1000 },
        -- The readers' timeout keys are not among the scripts' KEYS.
        script_health = "violated",
      },
      must_see = { "grant", "wait", "wake-up" },
    },
    -- A reader asks for the write lock: there is no upgrade, and it waits for itself.
    upgrade = {
      title   = "redisson/read_write: a reader that wants to write",
      clients = { "A" },
      program = function(me)
        redisson.read(me, "order:42"):acquire()
        redisson.write(me, "order:42"):acquire()
      end,
      expect  = {
        -- By design, as with java.util.concurrent; its watchdog renews what it waits for.
        no_deadlock = "violated",
        reentrancy = "holds",
        matches_spec = "holds",
        -- The readers' timeout keys are not among the scripts' KEYS.
        script_health = "violated",
      },
      must_see = { "grant", "contention", "renewal" },
    },
  },
}
