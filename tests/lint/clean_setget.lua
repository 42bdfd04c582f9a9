local prev = redis.call('SET', KEYS[1], ARGV[1], 'NX', 'GET', 'PX', ARGV[2])
if not prev then return 1 end
local ok = redis.call('SET', KEYS[1], ARGV[1], 'XX', 'KEEPTTL')
if ok and ok.ok == 'OK' then return 2 end
if type(redis.call('GET', KEYS[1])) == 'boolean' then return 3 end
local function get(k) local v = redis.call('GET', k) if v == false then return nil end return v end
local x = get(KEYS[1])
if x == nil then return 4 end
return x
