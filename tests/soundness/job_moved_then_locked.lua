-- truth: mutual_exclusion (LK001) violated (between move and lock a check gives the job to another worker)
-- A queue of jobs: a worker moves a job, then locks it; a check moves back what is active and has no lock.
local function view(redis, name)
  local owner = redis.call("GET", name)
  local holders, keys = owner and { [owner] = 1 } or {}, owner and { name } or {}
  return { holders = holders, ttl_ms = redis.call("PTTL", name), keys = keys }
end

local stalled = [[
for _, job in ipairs(redis.call("LRANGE", KEYS[2], 0, -1)) do
  if redis.call("EXISTS", KEYS[3]) == 0 then
    redis.call("LREM", KEYS[2], 1, job)
    redis.call("RPUSH", KEYS[1], job)
  end
end
return 1]]

local name = "{jobs}:lock:7"
return {
  clients = { { "Check", start_ms = 0 }, "A", "B" },
  program = function(me)
    me:observe(name, { view = view })
    if me.client == "Check" then
      me:call("LPUSH", "{jobs}:wait", "7")
      me:work()
      me:eval(stalled, { "{jobs}:wait", "{jobs}:active", name }, {})
      return
    end
    me:wants(name)
    if not me:call("RPOPLPUSH", "{jobs}:wait", "{jobs}:active") then
      me:gave_up(name)
      return
    end
    me:call("SET", name, me.id, "PX", 1000, { op = "acquire", lock = name, lease = 1000 })
    me:granted(name, { lease = 1000 })
    me:work(500)
    me:call("DEL", name, { op = "release", lock = name })
    me:released(name)
  end,
}
