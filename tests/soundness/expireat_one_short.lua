-- truth: mutual_exclusion (LK001) violated
-- EXPIREAT at a full second three ahead leaves 2,001 ms where it is set in the last millisecond of a second.
local acquire = [[
local now = tonumber(redis.call("TIME")[1])
if redis.call("EXISTS", KEYS[1]) == 1 then return 0 end
redis.call("SET", KEYS[1], ARGV[1])
redis.call("EXPIREAT", KEYS[1], now + 3)
return 1]]

local release = [[
if redis.call("GET", KEYS[1]) ~= ARGV[1] then return 0 end
return redis.call("DEL", KEYS[1])]]

return {
  clients = { "A", "B" },
  program = function(me)
    me:wants("L")
    if me:eval(acquire, { "L" }, { me.id }, { op = "acquire", lock = "L", lease = 2002 }) ~= 1 then
      me:refused("L")
      me:gave_up("L")
      return
    end
    me:granted("L", { lease = 2002 })
    me:work()
    if me:eval(release, { "L" }, { me.id }, { op = "release", lock = "L" }) == 1 then
      me:released("L")
    else
      me:lost("L")
    end
  end,
}
