local data = redis.call('GET', KEYS[1])
if not data then return nil end
local obj = cjson.decode(data)
obj.count = (obj.count or 0) + 1
redis.call('SET', KEYS[1], cjson.encode(obj), 'EX', 60)
return obj.count
