-- A client whose server has replicas sends a script again when no answer comes, and until 3.24.0 an unlock did not
-- know that it had run before. The inner unlock's answer is lost, its second run takes the outer hold too, and another
-- client works beside the first.
local redisson = require "redisson.lock"

return {
  title    = "an unlock that is sent again counts twice",
  exhibit  = { bug = "#4871", library = "Redisson", versions = "before 3.24.0",
               what = "an unlock that is sent again counts twice" },
  replicas = 1,
  clients  = { { "A", start_ms = 0 }, { "B", start_ms = 10 } },
  program  = function(me)
    local lock = redisson.lock(me, "order:42", { lease_ms = 30000, replicas = 1 })
    lock:acquire()
    if me.client == "A" then
      lock:acquire()
      lock:release()
    end
    me:work(100)
    lock:release()
  end,
  faults   = { lose_reply = { 1, of = "A" } },
  expect   = {
    mutual_exclusion = "violated",
    matches_spec = "violated",                   -- an acquire that is sent again counts twice, too: to this day
  },
  must_see = { "resend" },
  patch   = {
    ["redisson/lock/release.lua"] = [[
-- release.lua: as it was before 3.24.0: nothing tells an unlock that is sent again from the next one.
-- KEYS  1 lock, 2 channel      ARGV  1 message, 2 lease in milliseconds while holds remain, 3 owner, 4 publish command
-- Returns 1 when the lock is free, 0 while holds remain, nil if `owner` holds nothing.
local lock, channel = KEYS[1], KEYS[2]
local message, lease_ms, owner, publish = ARGV[1], ARGV[2], ARGV[3], ARGV[4]

if redis.call('hexists', lock, owner) == 0 then
  return nil
end
if redis.call('hincrby', lock, owner, -1) > 0 then
  redis.call('pexpire', lock, lease_ms)
  return 0
end
redis.call('del', lock)
redis.call(publish, channel, message)
return 1
]],
  },

  -- R31a mended in 3.24.0: each unlock has a latch key that remembers what it decided, and is asked first. An acquire
  -- that is sent again still counts twice: the lock then outlives its holder by up to its lease.
  twin = {
    title    = "an unlock that is sent again, with its latch",
    expect   = { mutual_exclusion = "holds", reentrancy = "holds", matches_spec = "violated" },
    patch   = {},
  },
}
