-- truth: mutual_exclusion (LK001) violated
-- Holds are scores in seconds with a fraction; they end a millisecond too early.
local acquire = [[
local t = redis.call("TIME")
local now = t[1] + t[2] / 1000000
redis.call("ZREMRANGEBYSCORE", KEYS[1], "-inf", string.format("(%.6f", now - 1.999))
if redis.call("ZCARD", KEYS[1]) > 0 then return 0 end
redis.call("ZADD", KEYS[1], string.format("%.6f", now), ARGV[1])
return 1]]

local release = [[
return redis.call("ZREM", KEYS[1], ARGV[1])]]

return {
  clients = { "A", "B" },
  program = function(me)
    me:wants("L")
    if me:eval(acquire, { "L" }, { me.id }, { op = "acquire", lock = "L", lease = 2000 }) ~= 1 then
      me:refused("L")
      me:gave_up("L")
      return
    end
    me:granted("L", { lease = 2000 })
    me:work()
    if me:eval(release, { "L" }, { me.id }, { op = "release", lock = "L" }) == 1 then
      me:released("L")
    else
      me:lost("L")
    end
  end,
}
