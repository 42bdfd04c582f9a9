-- With replicas Redisson sends each script with a WAIT, and takes back an acquire that no replica is known to have. Of
-- a semaphore it does so by a release of as many permits, also when the acquire was refused and took none: then there
-- is a permit more than there should be. While the replica lags, a client that asks in vain so makes the permit that it
-- gets at its next attempt.
--
-- How likely: certain, wherever a replica stops answering while a client asks for a permit that is not to be had; each
-- attempt adds one, and nothing takes them away again. The mend: the batch has the script's own answer beside that of
-- the WAIT, so give back what it took. The twin gives back nothing, which is safe for exclusion, and may
-- lose a permit instead.
-- Checked against redisson 4.7.0 by reading RedissonSemaphore.tryAcquireAsync(permits): its handleNoSync releases the
-- permits, whatever the script answered.
local redisson = require "redisson.semaphore"

return {
  title    = "redisson/semaphore: a refusal that no replica has is taken back",
  replicas = 1,
  clients  = { "A", { "B", start_ms = 10 } },
  program  = function(me)
    local pool = redisson.semaphore(me, "pool", { permits = 1, replicas = 1 })
    pool:try_set_permits()
    if pool:try_acquire() then
      me:work(5000)
      pool:release()
    end
  end,
  faults   = { lag = { 1, ms = 2500 } },          -- longer than the second that such a WAIT waits
  expect   = {
    mutual_exclusion = "violated",
    strict_mutual_exclusion = "violated",
  },
  must_see = { "lag", "resend" },

  -- The same where nothing is given back that may not have been taken.
  twin = {
    title    = "redisson/semaphore: a refusal that no replica has stays one",
    expect   = {
      strict_mutual_exclusion = "holds",
      -- What was taken at the master, and not said so, is lost with its caller.
      no_leak = "violated",
      mutual_exclusion = false,
    },
    patch   = {
      ["redisson/semaphore_undo.lua"] = [[
-- semaphore_undo.lua: nothing is given back that may not have been taken.
return function() end
]],
    },
  },
}
