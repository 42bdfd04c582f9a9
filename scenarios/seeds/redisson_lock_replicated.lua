-- redisson/lock with a replica in situations of its own.
local redisson = require "redisson.lock"

return {
  cases = {
    -- A caller interrupted while its acquire waits for a replica hears at once that it has failed. The library goes
    -- on without it: it takes back what no replica has, tries again, gets the lock, and has the watchdog renew it,
    -- unknown to the caller.
    interrupted = {
      title    = "redisson/lock with a replica: an acquire goes on without its caller",
      replicas = 1,
      clients  = { "A" },
      program  = function(me)
        local lock = redisson.lock(me, "order:42", { replicas = 1 })
        local got, why = lock:acquire()
        assert(not got and why == "interrupted")
        me:sleep(60000)
        assert(me:call("HEXISTS", "order:42", me.id) == 1)     -- two leases later
        lock:force_release()
      end,
      faults   = { lag = { 1, ms = 1500 }, interrupt = 1 },
      explore  = { schedule = "!lag 1 A.acquire !interrupt A" },
      expect   = { no_leak = "holds" },
      must_see = { "lag", "interrupt", "resend", "renewal" },
    },
    -- The watchdog renews while a failover may lose the newest three writes. A renewal is sent with a WAIT as
    -- everything is, so the replica that takes over has it: else the lock would end in the middle of the work.
    long_work = {
      title    = "redisson/lock with a replica: renewals outlive a failover",
      replicas = 1,
      clients  = { "A", { "B", start_ms = 10 } },
      program  = function(me)
        local lock = redisson.lock(me, "order:42", { replicas = 1 })
        lock:acquire()
        me:work(me.client == "A" and 45000 or 100)
        lock:release()
      end,
      faults   = { failover = { 1, writes = 3 } },
      expect   = {
        strict_mutual_exclusion = "holds",
        prompt = { "holds", idle_ms = 1 },
      },
      must_see = { "renewal", "failover", "wait" },
    },
  },
}
