-- sliding_counter.lua: the last window's count, weighted by how much of it still counts, and this one's.
-- KEYS  1 this window, perhaps 2 the last one      ARGV  1 now, 2 window ms, 3 limit, 4 points
local now, window = tonumber(ARGV[1]), tonumber(ARGV[2])
local this = tonumber(redis.call('get', KEYS[1]) or 0)
local last = KEYS[2] and tonumber(redis.call('get', KEYS[2])) or 0
local passed = now % window / window
local estimate = last * (1 - passed) + this
if estimate + ARGV[4] > tonumber(ARGV[3]) then return { 0, tostring(estimate), redis.call('mget', unpack(KEYS)) } end
redis.call('incrbyfloat', KEYS[1], ARGV[4])
redis.call('pexpire', KEYS[1], window * 2)
return { 1, tostring(estimate), string.format('%.6f', passed) }
