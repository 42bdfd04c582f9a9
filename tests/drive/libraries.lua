-- libraries.lua: what libraries.js does, kind by kind, by the drivers of the packages: the programs are held against
-- them.
local mutex = require "redis_semaphore.mutex"
local semaphore = require "redis_semaphore.semaphore"
local multi_semaphore = require "redis_semaphore.multi_semaphore"
local over = require "redis_semaphore.over"
local redlock = require("node_redlock.redlock").over(1)
local redis_lock = require "redis_lock.lock"
local simple = require "simple_redis_mutex.lock"
local warlock = require "node_redis_warlock.warlock"

local function with(options, more)
  local all = {}
  for _, from in ipairs { options, more or {} } do
    for name, value in pairs(from) do
      all[name] = value
    end
  end
  return all
end

local plain = { lease_ms = 3000, wait_ms = 20000, retry_ms = 250, refresh_ms = 0 }
local refreshed = with(plain, { lease_ms = 1000, refresh_ms = 400 })
local hasty = with(plain, { wait_ms = 700, tries = 5, retry_ms = 200 })

-- Two rounds; each has a lock of its own.
local function worker(driver, name, options, ms)
  return { program = function(me)
    for _ = 1, 2 do
      local lock = driver.lock(me, name, with(options))
      if lock:acquire() then
        me:work(ms)
        lock:release()
      end
    end
  end }
end

local function two_rounds(use)
  return { program = function(me)
    for _ = 1, 2 do
      use(me)
    end
  end }
end

local patient = { lease_ms = 3000, retries = 40, retry_ms = 200, jitter_ms = 0 }

return {
  title   = "libraries.js",
  timeout_ms = 3600000,        -- ioredis and node-redis wait for an answer until the connection ends
  clients = { "A", "B" },
  cases = {
    mutex_refreshed = worker(mutex, "order:42", refreshed, 1500),
    mutex_hasty = worker(mutex, "order:42", hasty, 500),
    semaphore = worker(semaphore.of { permits = 2 }, "pool", plain, 500),
    semaphore_refreshed = worker(semaphore.of { permits = 1 }, "pool", refreshed, 1500),
    multi_semaphore = worker(multi_semaphore.of { permits = 3, take = 2 }, "pool", plain, 500),
    multi_semaphore_refreshed = worker(multi_semaphore.of { permits = 3, take = 2 }, "pool", refreshed, 1500),
    redlock_mutex = worker(over.mutex(1), "order:42", plain, 500),
    redlock_mutex_refreshed = worker(over.mutex(1), "order:42", refreshed, 1500),
    redlock_semaphore = worker(over.semaphore(1, { permits = 1 }), "pool", plain, 500),
    redlock_multi_semaphore = worker(over.multi_semaphore(1, { permits = 3, take = 2 }), "pool", plain, 500),

    redlock_several = worker(redlock, "order:1+order:2", patient, 500),
    redlock_extended = two_rounds(function(me)
      local lock = redlock.lock(me, "order:42", with(patient, { lease_ms = 1000 }))
      if not lock:acquire() then return end
      me:work(500)
      if not lock:extend(2000) then return end
      me:work(500)
      lock:release()
    end),
    redlock_using = two_rounds(function(me)
      local lock = redlock.lock(me, "order:42", with(patient, { lease_ms = 1000, threshold_ms = 400 }))
      lock:using(function() me:work(1500) end)
    end),

    redis_lock = worker(redis_lock, "order:42", { lease_ms = 1000 }, 500),
    simple_redis_mutex = worker(simple, "order:42", { lease_ms = 3000, poll_ms = 700 }, 500),
    simple_redis_mutex_refreshed = two_rounds(function(me)
      local lock = simple.lock(me, "order:42", { lease_ms = 1000 })
      if lock:try_acquire() then
        me:work(500)
        lock:refresh()
        me:work(500)
        lock:release()
      else
        me:sleep(300)
      end
    end),
    warlock = worker(warlock, "order:42", { lease_ms = 3000, tries = 4, retry_ms = 400 }, 500),
    warlock_touched = two_rounds(function(me)
      local lock = warlock.lock(me, "order:42", { lease_ms = 1000 })
      if lock:try_acquire() then
        me:work(500)
        lock:touch(2000)
        me:work(500)
        lock:release()
      else
        me:sleep(300)
      end
    end),
  },
}
