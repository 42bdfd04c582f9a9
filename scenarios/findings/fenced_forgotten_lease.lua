-- Whoever takes a lock with a lease may count on it: should he never unlock, the lock comes free by itself. The fenced
-- lock's lockAndGetToken(lease, unit) drops both arguments, and takes the lock as if none had been given: the watchdog
-- renews it for as long as the process lives, and nobody else gets in any more.
--
-- How likely: certain, for each caller who relies on the lease, or whose unlock fails; who always unlocks never
-- notices. tryLockAndGetToken(wait, lease, unit) passes the lease on. The mend: so should this one (the twin).
-- Checked against redisson 4.7.0 by reading its client.
local redisson = require "redisson.fenced"

return {
  title   = "lockAndGetToken forgets the lease it was given",
  clients = { "A", { "B", start_ms = 10 } },
  program = function(me)
    redisson.lock(me, "order:42"):acquire { lease_ms = 1000 }         -- and the lease ends by itself
    me:work(100)
  end,
  expect  = {
    prompt = { "violated", idle_ms = 1000 },
    no_deadlock = "violated",
  },
  must_see = { "wait", "renewal" },

  -- The same with our mend: the lease reaches the script.
  twin = {
    title   = "lockAndGetToken passes its lease on",
    expect  = {
      prompt = { "holds", idle_ms = 1000 },
      no_deadlock = "holds",
    },
    must_see = { "wait", "expiry" },
    patch   = {
      ["redisson/fenced.lua"] = [[
@@
 local token = require "redisson.client.token"
-local transport = require "redisson.client.transport"

@@

-local function names_of(name)
-  local all = plain.family.names(name)
-  all.token = names.prefix("redisson_lock_token", name)
-  return all
+local function keys_of(lock)
+  return { lock.name, names.prefix("redisson_lock_token", lock.name) }
 end

-local function keys_of(lock)
-  return { lock.name, lock.names.token }
-end
-
--- lockAndGetToken(lease) does not look at the lease that it is given, and the watchdog keeps the lock;
--- tryLockAndGetToken does. What no replica is known to have is neither taken back nor tried again.
-local family = setmetatable({ names = names_of, forgets_lease = true, leaves_unsynced = true },
-                            { __index = plain.family })
+-- lockAndGetToken passes on the lease that it is given, as tryLockAndGetToken does. What no replica is known to have
+-- is neither taken back nor tried again.
+local family = setmetatable({ leaves_unsynced = true }, { __index = plain.family })

@@
 -- lock() and tryLock() are the plain lock's in all but the script: the caller learns no token, and his lease counts.
-local without_token = setmetatable({ names = names_of }, { __index = plain.family })
+local without_token = setmetatable({}, { __index = plain.family })

@@

--- getToken(): the newest that anybody was given, whoever holds the lock; nil: none yet. Or nil and why. A read is sent
--- again when no answer comes.
-local function get_token(lock)
-  local newest, problem = resend.until_answered(lock.me, function(again)
-    return lock.me:call("GET", lock.names.token, { op = "get_token", lock = lock.name, resend = true, again = again })
-  end)
-  if problem then
-    return nil, transport.reason(problem)
-  end
-  return newest
-end
-
 -- Its acquire is lockAndGetToken(), its try_acquire tryLockAndGetToken().
-M.lock = client.constructor(M, family, { acquire = token.lock, try_acquire = token.try_lock, get_token = get_token })
+M.lock = client.constructor(M, family, { acquire = token.lock, try_acquire = token.try_lock })
 M.without_token = client.constructor(M, without_token)   -- lock() and tryLock()
]],
    },
  },
}
