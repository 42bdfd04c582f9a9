-- register.lua: a client says that it lives, and how many jobs it holds back.
-- KEYS  1 settings, 2 clients      ARGV  1 now, 2 client, 3 change of its queue
if redis.call('exists', KEYS[1]) == 0 then return redis.error_reply('SETTINGS_KEY_NOT_FOUND') end
if redis.call('zscore', KEYS[2], ARGV[2]) == false then redis.call('zadd', KEYS[2], 0, ARGV[2]) end
redis.call('zadd', KEYS[2], 'xx', 'ch', ARGV[1], ARGV[2])
return redis.call('hincrby', KEYS[1], 'queued:' .. ARGV[2], ARGV[3])
