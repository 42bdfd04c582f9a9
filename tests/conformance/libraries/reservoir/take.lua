-- take.lua: starts a job where its weight fits what runs and what the reservoir holds.
-- KEYS  1 settings, 2 running, 3 weights, 4 clients      ARGV  1 now, 2 client, 3 job, 4 weight, 5 its longest time (-1: any)
-- Returns {false, capacity} or {true, ms to wait, reservoir left}.
local now, client, job, weight, longest = tonumber(ARGV[1]), ARGV[2], ARGV[3], tonumber(ARGV[4]), tonumber(ARGV[5])
local state = redis.call('hmget', KEYS[1], 'at_once', 'running', 'reservoir', 'next', 'min_ms', 'refill_ms', 'refilled')
if not state[1] then return redis.error_reply('SETTINGS_KEY_NOT_FOUND') end
local at_once, running, reservoir = tonumber(state[1]), tonumber(state[2]) or 0, tonumber(state[3])
local next_at, min_ms, refill_ms, refilled = tonumber(state[4]), tonumber(state[5]), tonumber(state[6]), tonumber(state[7])
if refill_ms and refilled and refill_ms > 0 and now - refilled >= refill_ms then
  local times = math.floor((now - refilled) / refill_ms)
  reservoir = math.min((reservoir or 0) + times, 10)
  redis.call('hmset', KEYS[1], 'reservoir', reservoir, 'refilled', refilled + times * refill_ms)
end
local capacity = at_once - running
if reservoir then capacity = math.min(capacity, reservoir) end
if capacity < weight then return { false, tostring(capacity) } end
redis.call('zadd', KEYS[2], longest >= 0 and now + longest or 'inf', client .. '/' .. job)
redis.call('hset', KEYS[3], client .. '/' .. job, weight)
redis.call('zincrby', KEYS[4], weight, client)
redis.call('hincrbyfloat', KEYS[1], 'running', weight)
if reservoir then reservoir = redis.call('hincrbyfloat', KEYS[1], 'reservoir', -weight) end
local wait = math.max((next_at or now) - now, 0)
redis.call('hset', KEYS[1], 'next', now + wait + (min_ms or 0))
return { true, wait, reservoir }
