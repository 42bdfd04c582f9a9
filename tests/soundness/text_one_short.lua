-- truth: mutual_exclusion (LK001) violated
-- The deadline and the owner are one text, and the deadline lies a millisecond too near.
local acquire = [[
local t = redis.call("TIME")
local now = t[1] * 1000 + math.floor(t[2] / 1000)
local till = tonumber((redis.call("GET", KEYS[1]) or "0:"):match("^(%d+):"))
if till >= now then return 0 end
redis.call("SET", KEYS[1], string.format("%d:%s", now + 1999, ARGV[1]))
return 1]]

local release = [[
local owner = (redis.call("GET", KEYS[1]) or ":"):match(":(.*)$")
if owner ~= ARGV[1] then return 0 end
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
