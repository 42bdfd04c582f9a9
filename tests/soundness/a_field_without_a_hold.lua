-- truth: matches_spec (LK040) violated
-- The last release leaves the hash with a field of 0: no client holds the lock, and each that asks for it is refused until the lease is over.
local driver = { spec = "reentrant", view = function(redis, name)
  local holders, fields = {}, redis.call("HGETALL", name)
  for i = 1, #fields, 2 do holders[fields[i]] = tonumber(fields[i + 1]) end
  return { holders = holders, ttl_ms = redis.call("PTTL", name), keys = next(holders) and { name } or {} }
end }
local acquire = script.text([[
  if redis.call('EXISTS', KEYS[1]) == 1 and redis.call('HEXISTS', KEYS[1], ARGV[1]) == 0 then return 0 end
  local count = redis.call('HINCRBY', KEYS[1], ARGV[1], 1)
  redis.call('PEXPIRE', KEYS[1], ARGV[2])
  return count
]])
local release = script.text([[
  if redis.call('HEXISTS', KEYS[1], ARGV[1]) == 0 then return -1 end
  return redis.call('HINCRBY', KEYS[1], ARGV[1], -1)
]])
return {
  title   = "a count of 0 that keeps others out",
  clients = { "A", "B" },
  program = function(me)
    me:observe("L", driver)
    me:wants("L")
    local count = me:eval(acquire, { "L" }, { me.id, 1000 }, { op = "acquire", lock = "L", lease = 1000 })
    if count == 0 then
      me:refused("L")
      me:gave_up("L")
      return
    end
    me:granted("L", { lease = 1000, count = count })
    me:work(10)
    local left = me:eval(release, { "L" }, { me.id }, { op = "release", lock = "L" })
    if left >= 0 then me:released("L", { count = left }) else me:lost("L") end
  end,
}
