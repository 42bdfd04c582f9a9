-- client.lua: the client's side that Redisson's plain and fair locks share: a lock object and its calls, each in a
-- file of its own under client/. A family (lock.lua, fair.lua, fair_3_13.lua) has the requests; those files say when,
-- and what follows from each answer.
local lease = require "redisson.client.lease"
local lock = require "redisson.client.lock"
local renewal = require "redisson.renewal"
local try_lock = require "redisson.client.try_lock"
local unlock = require "redisson.client.unlock"
local watchdog = require "redisson.watchdog"

local M = {}

M.publish = "PUBLISH"                          -- SPUBLISH where the server shards its channels
M.unlock_message = 0
-- How long an unlock's latch lives: (response time-out 3000 + retry delay) * 4 attempts, of which the delay, 1000 to
-- 2000, is drawn for each unlock. A driver takes the most telling delay, to spare a search for each: where an unlock
-- may be sent again, the shortest, which the fourth attempt may outlive; else no client ever looks for the latch again.
M.draws_each_latch = false
local latch_least_ms, latch_most_ms = 16000, 20000

function M.latch_ms(of)
  if M.draws_each_latch then
    return of.me:random { latch_least_ms, latch_most_ms }
  end
  return (of.opts.replicas or of.family.retried) and latch_least_ms or latch_most_ms
end

local Lock = {
  acquire       = lock,
  try_acquire   = try_lock,
  release       = unlock.unlock,
  force_release = unlock.force_unlock,
}
Lock.__index = Lock

-- The calls of a lock object, with `own` in place of those that bear the same names.
local function calls_with(own)
  if own == nil then
    return Lock
  end
  local calls = setmetatable({}, Lock)
  for name, call in pairs(own) do
    calls[name] = call
  end
  calls.__index = calls
  return calls
end

-- The same lock object in the hands of another task: Redisson's objects may be shared by threads, and so is their
-- lease field.
function Lock:in_task(me)
  return setmetatable({ me = me, name = self.name, names = self.names, hold = self.hold, lease_ms = self.lease_ms,
                        family = self.family,
                        object = self.object, opts = self.opts }, getmetatable(self))
end

-- The `lock` of a driver. family: { names, latched, acquire, try_once, release, force_release, abandon, entry, channel
-- }: the functions are given the lock object and say what to send, as { script, keys, argv }, or by which entry and
-- channel to wait; but names(name) gives the keys and channels that are called after a lock, as a table that its
-- objects keep. A family may also have a mode, when its lock is one side of another (read, write); be shared, when
-- many may hold it; and have on_message, for pubsub.lua, a watchdog of its own: add, cancel; and read(reply), what of
-- the acquire's answer is the time to wait, and a token. own_calls: what the lock does in another way than by
-- client/lock.lua and its like.
function M.constructor(driver, family, own_calls)
  local calls = calls_with(own_calls)
  family.watchdog = family.watchdog or watchdog
  -- opts: lease_ms, the lease of each acquire that names none (without one the watchdog keeps the lock); replicas, how
  -- many the server has, where it has any: then each script has to reach one (synced.lua); others are the family's.
  return function(me, name, opts)
    me:observe(name, driver)
    if opts and opts.replicas then
      renewal.has_replicas(me, opts.replicas)
    end
    local hold = family.mode and name .. " " .. family.mode or name        -- under which holds.lua counts
    return setmetatable({ me = me, name = name, names = family.names and family.names(name), hold = hold,
                          lease_ms = opts and opts.lease_ms,
                          family = family, object = lease.new(), opts = opts or {} }, calls)
  end
end

return M
