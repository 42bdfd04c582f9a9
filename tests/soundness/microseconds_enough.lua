-- truth: holds
-- As microseconds_one_short.lua, with a deadline that lies a millisecond later.
local acquire = [[
local t = redis.call("TIME")
local now = t[1] * 1000000 + t[2]
if tonumber(redis.call("HGET", KEYS[1], "till") or 0) >= now then return 0 end
redis.call("HSET", KEYS[1], "owner", ARGV[1], "till", string.format("%d", now + 2000000))
return 1]]

local release = [[
if redis.call("HGET", KEYS[1], "owner") ~= ARGV[1] then return 0 end
return redis.call("DEL", KEYS[1])]]

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
