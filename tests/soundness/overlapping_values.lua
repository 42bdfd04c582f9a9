-- truth: holds, everything judged by default (x,y against y: a holder of one of the values keeps the other out)
local acquire = script.text([[
  local now, owner, ttl = tonumber(ARGV[1]), ARGV[2], ARGV[3]
  for i = 4, #ARGV do
    if redis.call('HEXISTS', KEYS[1], ARGV[i]) == 1 then return 0 end
  end
  for i = 4, #ARGV do redis.call('HSET', KEYS[1], ARGV[i], owner) end
  redis.call('PEXPIRE', KEYS[1], ttl)
  return 1
]])
local release = script.text([[
  for i = 2, #ARGV do
    if redis.call('HGET', KEYS[1], ARGV[i]) == ARGV[1] then redis.call('HDEL', KEYS[1], ARGV[i]) end
  end
  return 1
]])

local function driver_of(values)
  return { spec = "grouped", view = function(redis)
    local holders, modes, owned = {}, {}, {}
    for _, value in ipairs(values) do
      local owner = redis.call("HGET", "jobs", value)
      if owner then
        holders[owner] = 1
        owned[owner] = (owned[owner] or 0) + 1
      end
    end
    for owner, n in pairs(owned) do
      modes[owner] = n < #values and "part" or nil
    end
    return { holders = holders, modes = modes, ttl_ms = next(holders) and redis.call("PTTL", "jobs") or -2 }
  end }
end

return {
  title   = "overlapping sets of values: x,y against y",
  clients = { "A", "B" },
  program = function(me)
    local values = me.client == "A" and { "x", "y" } or { "y" }
    local name = "jobs:" .. table.concat(values, ",")
    me:observe(name, driver_of(values))
    me:wants(name)
    if me:eval(acquire, { "jobs" }, { me:now(), me.id, 1000, unpack(values) }, { op = "acquire", lock = name, lease = 1000 }) == 1 then
      me:granted(name, { lease = 1000 })
      me:work(10)
      me:eval(release, { "jobs" }, { me.id, unpack(values) }, { op = "release", lock = name })
      me:released(name)
    else
      me:refused(name)
      me:gave_up(name)
    end
  end,
}
