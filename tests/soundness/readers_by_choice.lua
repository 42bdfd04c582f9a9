-- truth: holds, everything judged by default (whether a client reads or writes shows in nothing but the lock's fields until it is told)
local driver = { view = function(redis, name)
  local holders, modes, fields = {}, {}, redis.call("HGETALL", name)
  for i = 1, #fields, 2 do
    holders[fields[i]] = 1
    modes[fields[i]] = fields[i + 1]
  end
  return { holders = holders, modes = modes, ttl_ms = redis.call("PTTL", name), keys = #fields > 0 and { name } or {} }
end }
local acquire = script.text([[
  local fields = redis.call('HGETALL', KEYS[1])
  for i = 1, #fields, 2 do
    if ARGV[2] == 'write' or fields[i + 1] == 'write' then return 0 end
  end
  redis.call('HSET', KEYS[1], ARGV[1], ARGV[2])
  redis.call('PEXPIRE', KEYS[1], 1000)
  return 1
]])
return {
  title   = "clients that read or write",
  clients = { "A", "B" },
  program = function(me)
    local mode = me:choose { "write", "read" }
    me:observe("L", driver)
    me:wants("L", { mode = mode })
    local won, problem = me:eval(acquire, { "L" }, { me.id, mode }, { op = "acquire", lock = "L", lease = 1000 })
    if won ~= 1 then
      if not problem then me:refused("L") end
      me:gave_up("L")
      return
    end
    me:granted("L", { lease = 1000, mode = mode })
    me:work(10)
    if me:call("HDEL", "L", me.id, { op = "release", lock = "L" }) == 1 then me:released("L") end
  end,
  faults  = { pause = 1 },
}
