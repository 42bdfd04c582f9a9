-- token_bucket.lua: tokens drip in at a rate and are taken out by calls.
-- KEYS  1 bucket      ARGV  1 capacity, 2 tokens per second, 3 now in ms, 4 wanted
local capacity, rate, now, wanted = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3]), tonumber(ARGV[4])
local kept = redis.call('HMGET', KEYS[1], 'tokens', 'at')
local tokens, at = tonumber(kept[1]) or capacity, tonumber(kept[2]) or now
tokens = math.min(capacity, tokens + math.max(0, now - at) * rate / 1000)
local allowed = tokens >= wanted
if allowed then tokens = tokens - wanted end
redis.call('HMSET', KEYS[1], 'tokens', tokens, 'at', now)
redis.call('PEXPIRE', KEYS[1], math.ceil(capacity / rate * 1000))
return { allowed, tostring(tokens), allowed and 0 or math.ceil((wanted - tokens) / rate * 1000) }
