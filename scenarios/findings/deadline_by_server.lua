-- A lock in a sorted set whose score is the holder's deadline in seconds with fractions, as many clients keep time. To
-- release, the script compares the score that it finds with the one that the caller was given, as text. Redis 7.0
-- writes 1700000002.1 as 1700000002.0999999: the release finds another's deadline, and the lock stays until its time
-- is up. From Redis 7.2 on, and in all of Valkey, a score is written with the fewest digits that read back the same,
-- and the release finds its own.
--
-- So the lock works where it was written, on a new server, and not where an old one still stands;
-- `locksim compare --dialect "redis 7.0,valkey 9.1"` says so without being told where to look. How likely: each
-- deadline with a fraction that 17 digits show, nine in ten. The mend: compare numbers, tonumber(score) ==
-- tonumber(ARGV[1]), or keep whole milliseconds. No library is meant: semaphores and limiters that keep seconds as
-- floats have such scores, and those that were read compare numbers.
local generic = require "generic"

local function of(compare)
  return generic.lock {
    acquire  = script.text [[
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', ARGV[3])
if redis.call('ZCARD', KEYS[1]) > 0 then
  return 0
end
redis.call('ZADD', KEYS[1], ARGV[2], ARGV[1])
redis.call('PEXPIRE', KEYS[1], ARGV[4])
return 1]],
    release  = script.text([[
local score = redis.call('ZSCORE', KEYS[1], ARGV[1])
if score and ]] .. compare .. [[ then
  return redis.call('ZREM', KEYS[1], ARGV[1])
end
return 0]]),
    args     = { acquire = { "$token", "$until_s.1", "$now_s", "$lease_ms" }, release = { "$token", "$until_s.1" } },
    granted  = 1,
    holder   = "sorted set member",
    lease_ms = 2000,
  }
end

local function once(driver)
  return function(me)
    local lock = driver.lock(me, "order:42")
    if lock:acquire() then
      lock:release()
    end
  end
end

local by_text, by_number = of("score == ARGV[2]"), of("tonumber(score) == tonumber(ARGV[2])")

return {
  title   = "a deadline with a fraction, compared as text",
  clients = { "A", "B" },
  start_ms = 0,
  program = once(by_text),
  cases   = {
    redis_7_0  = { dialect = "redis 7.0", expect = { prompt = { "violated", idle_ms = 500 },
                                                     matches_spec = "violated" } },
    redis_8_0  = { dialect = "redis 8.0", expect = { prompt = { "holds", idle_ms = 500 } } },
    valkey_9_1 = { dialect = "valkey 9.1", expect = { prompt = { "holds", idle_ms = 500 } } },
    mended     = { dialect = "redis 7.0", program = once(by_number),
                   expect = { prompt = { "holds", idle_ms = 500 } } },
  },
}
