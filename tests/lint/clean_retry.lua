local res = redis.pcall('HINCRBY', KEYS[1], ARGV[1], 1)
if type(res) == 'table' and res.err then return res end
if res > 3 then return 0 end
local keys = {KEYS[1], KEYS[2]}
for i = 1, #keys do redis.call('PEXPIRE', keys[i], ARGV[2]) end
local r = {}
for i, k in ipairs(keys) do r[i] = redis.call('PTTL', k) end
return r
