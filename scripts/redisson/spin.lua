-- spin.lua: Redisson's spin lock, its scripts under spin/: the plain lock's hash without a channel. A waiter asks
-- again and again. Of a lock's options, back_off(me, fails) is how long to sleep after a failure (client/spin.lua has
-- the library's).
local client = require "redisson.client"
local plain = require "redisson.lock"
local spin = require "redisson.client.spin"

local scripts = {
  acquire       = script "redisson/lock/acquire.lua",
  release       = script "redisson/spin/release.lua",
  force_release = script "redisson/spin/force_release.lua",
}

-- Its acquire is no part of the loop that asks once more where no replica has it (tryAcquireAsync, releases of 2024 and
-- later).
local family = { latched = true, acquires_once = true }

function family.acquire(lock, ttl_ms)
  return { script = scripts.acquire, keys = { lock.name }, argv = { ttl_ms, lock.me.id } }
end

function family.release(lock, latch)
  return { script = scripts.release, keys = { lock.name, latch },
           argv = { lock.object.lease_ms, lock.me.id, client.latch_ms(lock) } }
end

function family.force_release(lock)
  return { script = scripts.force_release, keys = { lock.name }, argv = {} }
end

local M = { spec = "reentrant", runtime = "threads", view = plain.view, exponential = spin.exponential,
            constant = spin.constant }

M.lock = client.constructor(M, family, { acquire = spin.lock, try_acquire = spin.try_lock })

return M
