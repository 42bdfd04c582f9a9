-- tryLockAndGetToken() without arguments is there to answer at once: a token, or null while another client holds the
-- lock. It subscribes and waits instead, as lockAndGetToken() does, for as long as the lock is held; with a holder
-- whose process lives and never unlocks, for ever.
--
-- How likely: certain, for each caller that meets a held lock. tryLockAndGetToken(wait, unit) keeps to its time. The
-- mend: ask once (the twin). Checked against redisson 4.7.0 by a trace of the real client (tests/recordings/clients,
-- fenced_02).
local redisson = require "redisson.fenced"

return {
  title   = "tryLockAndGetToken() waits",
  clients = { { "A", start_ms = 0 }, { "B", start_ms = 10 } },
  program = function(me)
    local lock = redisson.lock(me, "order:42")
    if me.client == "A" then
      lock:acquire()                           -- and never unlocks
    else
      assert(lock:try_acquire() == false)
    end
  end,
  expect  = { no_deadlock = "violated" },
  must_see = { "renewal" },

  -- The same with our mend: who only tries asks once.
  twin = {
    title   = "tryLockAndGetToken() tries",
    expect  = {
      no_deadlock = "holds",
      no_leak = "violated",                      -- A keeps it
    },
    patch   = {
      ["redisson/fenced_try.lua"] = [[
-- fenced_try.lua: tryLockAndGetToken() without arguments asks once.
local try_lock = require "redisson.client.try_lock"

return function(lock, lease_ms)
  return try_lock(lock, nil, lease_ms)
end
]],
    },
  },
}
