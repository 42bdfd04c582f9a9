-- Seed 001: with hset instead of hincrby, several threads would all believe that they hold the lock. Refuted: a script
-- runs alone. The acquire script is Redisson's with hset in the place of the first hincrby (as seed 004 has it);
-- nothing else differs.
local generic = require "generic"

local racing = generic.lock {
  acquire = script.text [[
    if redis.call('exists', KEYS[1]) == 0 then
      redis.call('hset', KEYS[1], ARGV[2], 1)
      redis.call('pexpire', KEYS[1], ARGV[1])
      return nil
    end
    if redis.call('hexists', KEYS[1], ARGV[2]) == 1 then
      redis.call('hincrby', KEYS[1], ARGV[2], 1)
      redis.call('pexpire', KEYS[1], ARGV[1])
      return nil
    end
    return redis.call('pttl', KEYS[1])
  ]],
  release = script.text [[
    if redis.call('hexists', KEYS[1], ARGV[1]) == 0 then return nil end
    if redis.call('hincrby', KEYS[1], ARGV[1], -1) > 0 then return 0 end
    redis.call('del', KEYS[1])
    return 1
  ]],
  args = { acquire = { "$lease_ms", "$owner" }, release = { "$owner" } },
  still_held = 0, holder = "hash field", spec = "reentrant", lease_ms = 1000, retry_ms = 100, wait = "sleep",
}

return {
  title   = "claim of seed 001: hset would race",
  clients = { "A", "B", "C" },
  program = function(me)
    local lock = racing.lock(me, "order:42")
    lock:acquire()
    lock:acquire()
    me:work(10)
    lock:release()
    lock:release()
  end,
  expect  = { mutual_exclusion = "holds", strict_mutual_exclusion = "holds", reentrancy = "holds" },
  must_see = { "contention", "re-entry" },
}
