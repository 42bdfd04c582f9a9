-- The watchdog renewed the lock without asking whose it is. When a client frees it by force and takes it itself, the
-- old holder's watchdog prolongs the new one's lease, round after round; if the new holder dies, the lock does not end
-- as long as the old one lives.
local redisson = require "redisson.lock"

return {
  title   = "R34: the watchdog renews a lock of another",
  exhibit = { bug = "#597", library = "Redisson", versions = "up to 2.5.x",
              what = "the watchdog renews the lock, whatever its owner" },
  clients = { "A", { "B", start_ms = 1000 }, { "C", start_ms = 2000 } },
  program = function(me)
    local lock = redisson.lock(me, "order:42")
    if me.client == "B" then
      lock:force_release()                 -- and takes it over
      lock:acquire { lease_ms = 20000 }
    else
      lock:acquire()
    end
    me:work(me.client == "A" and 35000 or 100)
    lock:release()
  end,
  faults  = { crash = { 1, of = "B" } },
  expect  = { owner_only = "violated", prompt = { "violated", idle_ms = 25000 }, mutual_exclusion = "violated" },
  must_see = { "crash", "renewal" },
  patch   = {
    ["redisson/lock/renew.lua"] = [[
-- renew.lua: the watchdog's round: give every lock a full lease again, whatever its owner by now.
-- KEYS  locks      ARGV  1 lease in milliseconds, i + 1 the owner for KEYS[i]
-- Returns a list: 1 for each lock that was renewed, 0 for each that is not there.
local lease_ms = ARGV[1]
local renewed = {}
for i, lock in ipairs(KEYS) do
  renewed[i] = redis.call('pexpire', lock, lease_ms)
end
return renewed
]],
  },

  -- The twin of R34: each lock is renewed on behalf of an owner, and only if it holds it.
  twin = {
    title   = "R34 mended: the watchdog renews its own",
    expect  = {
      owner_only = "holds",
      prompt = { "holds", idle_ms = 25000 },
      -- A lock that is freed by force was promised to a client.
      mutual_exclusion = "violated",
    },
    patch   = {},
  },
}
