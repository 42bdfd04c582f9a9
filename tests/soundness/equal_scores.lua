-- truth: fifo (LK020) violated
-- A waiter stands in a sorted set under a score that is equal for all. The names are in the order of coming, the ids of a real client are not.
local acquire = [[
redis.call('ZADD', KEYS[2], 'NX', 0, ARGV[1])
if redis.call('EXISTS', KEYS[1]) == 1 or redis.call('ZRANGE', KEYS[2], 0, 0)[1] ~= ARGV[1] then return 0 end
redis.call('ZREM', KEYS[2], ARGV[1])
redis.call('SET', KEYS[1], ARGV[1], 'PX', 1000)
return 1
]]
local release = "if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end return 0"
local driver = { spec = "mutex", view = function(redis, lock)
  local owner = redis.call("GET", lock)
  return { holders = owner and { [owner] = 1 } or {},
    ttl_ms = redis.call("PTTL", lock), queue = redis.call("ZRANGE", lock .. ":queue", 0, -1), keys = {} }
end }
local function program(me)
  me:observe("{l}", driver)
  me:wants("{l}")
  while me:eval(acquire, { "{l}", "{l}:queue" }, { me.id }, { op = "acquire", lock = "{l}", lease = 1000 }) == 0 do
    me:refused("{l}")
    me:sleep(10)
  end
  me:granted("{l}", { lease = 1000 })
  me:work(25)
  me:eval(release, { "{l}" }, { me.id }, { op = "release", lock = "{l}" })
  me:released("{l}")
end
return {
  title = "a queue by equal scores", program = program,
  clients = { { "H", start_ms = 0 }, { "A", after = "H.acquire" }, { "B", after = "A.acquire" } },
  expect = { fifo = "violated" },
}
